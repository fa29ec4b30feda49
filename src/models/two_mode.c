#include "models/two_mode.h"

#include <math.h>

#include "base/columns.h"
#include "base/object.h"
#include "base/try.h"
#include "models/parts.h"

static const am_word contact_words[] = {
    {"rigid", AM_UNILATERAL, "no penetration"},
    {"kelvin-voigt", AM_KELVIN_VOIGT, "N = K_c d + D_c d', eq. (14)"},
    {"hunt-crossley", AM_HUNT_CROSSLEY, "N = K_c d^beta (1 + 3/2 alpha d'), eq. (33)"},
    {NULL, 0, NULL}};

#define CONTACT(name_, member, ...) AM_FIELD(name_, NUMBER, am_two_mode, member, __VA_ARGS__)

static const am_field contact_fields[] = {
    AM_FIELD("kind", WORD, am_two_mode, contact, .words = contact_words, .initial = "rigid",
             .about = "law of the contact"),
    CONTACT("K_c", K_c, AM_POSITIVE, .initial = "1000", .about = "compliant laws: contact stiffness"),
    CONTACT("D_c", D_c, AM_NOT_NEGATIVE, .initial = "0", .about = "kelvin-voigt: contact damping"),
    CONTACT("alpha", alpha, AM_NOT_NEGATIVE, .initial = "0", .about = "hunt-crossley: contact damping"),
    CONTACT("beta", beta, AM_POSITIVE, .initial = "1", .about = "hunt-crossley: exponent, at least 1"),
};

static const am_schema contact_schema = {.name = "two-mode contact",
                                         .title = "contact",
                                         .about =
                                             "The contact between the two modes. Numbers of other laws play no part.",
                                         .size = sizeof(am_two_mode),
                                         .shorthand = "kind",
                                         AM_FIELDS(contact_fields)};

static am_status complete(void *record, am_error *err) {
    am_two_mode_setting *setting = record;
    if (!isnan(setting->Delta))
        return am_two_mode_set_delta(&setting->model, setting->Delta, err);
    setting->Delta = am_two_mode_delta(&setting->model);
    return AM_OK;
}

#define NUMBER(name_, member, ...) AM_FIELD(name_, NUMBER, am_two_mode_setting, member, __VA_ARGS__)

static const am_field fields[] = {
    NUMBER("K_r", model.K_r, AM_NOT_NEGATIVE, .initial = "1", .about = "k2/k1", .example = "0.5"),
    NUMBER("C_r", model.C_r, AM_NOT_NEGATIVE, .initial = "1", .about = "c2/c1", .example = "0.2"),
    NUMBER("m_r", model.m_r, AM_POSITIVE, .initial = "1", .about = "m2/m1"),
    NUMBER("Delta", Delta, .optional = true, .instead_of = "f1", .initial = "0, or from f1",
           .about = "-f1 lambda1/(lambda2 f2), which sets f1", .example = "0.1"),
    AM_FIELD("contact", RECORD, am_two_mode_setting, model, .inner = &contact_schema, .initial = "rigid",
             .about = "law of the contact: kind and its numbers", .example = "{kind: kelvin-voigt, K_c: 1000, D_c: 1}"),
    NUMBER("m1", model.m1, AM_POSITIVE, .initial = "1", .about = "modal mass of mode 1"),
    NUMBER("c1", model.c1, AM_NOT_NEGATIVE, .initial = "0.1", .about = "modal damping of mode 1"),
    NUMBER("k1", model.k1, AM_POSITIVE, .initial = "1", .about = "modal stiffness of mode 1"),
    NUMBER("lambda1", model.lambda1, .initial = "1", .about = "penetration per X1, eq. (12)"),
    NUMBER("lambda2", model.lambda2, .initial = "1", .about = "penetration per X2, eq. (12)"),
    NUMBER("f1", model.f1, .initial = "0, or from Delta", .about = "force of the contact on mode 1 per normal force"),
    NUMBER("f2", model.f2, .initial = "-1", .about = "force of the contact on mode 2 per normal force"),
    NUMBER("eta1", model.eta1, .initial = "1", .about = "influence of the preload on mode 1"),
    NUMBER("eta2", model.eta2, .initial = "1", .about = "influence of the preload on mode 2"),
    NUMBER("P", model.P, .initial = "1", .about = "preload"),
    NUMBER("A1", model.A1, .initial = "0", .about = "structural coupling in eq. (11): A1 (X2 - beta1 X1)"),
    NUMBER("A2", model.A2, .initial = "0", .about = "structural coupling in eq. (10): A2 (X1 - beta2 X2)"),
    NUMBER("beta1", model.beta1, .initial = "1", .about = "see A1"),
    NUMBER("beta2", model.beta2, .initial = "1", .about = "see A2"),
    NUMBER("v_s", model.v_s, .initial = "1",
           .about = "velocity of the surface, in the unit of (f1 + lambda1) X1' + (f2 + lambda2) X2'; positive"),
};

const am_schema am_two_mode_schema = {
    .name = "two-mode",
    .title = "model two-mode",
    .about = "Two modes of vibration coupled by one sliding contact, rigid or compliant (Chatterjee 2006, eqs. 10, "
             "11). Coordinates X1, X2.",
    .size = sizeof(am_two_mode_setting),
    .complete = complete,
    .has_kind = true,
    AM_FIELDS(fields)};

am_two_mode am_two_mode_default(void) {
    am_two_mode_setting setting = {0};
    am_schema_defaults(&am_two_mode_schema, &setting);
    return setting.model;
}

double am_two_mode_delta(const am_two_mode *model) {
    if (!model)
        return NAN;
    return -model->f1 * model->lambda1 / (model->lambda2 * model->f2);
}

am_status am_two_mode_set_delta(am_two_mode *model, double Delta, am_error *err) {
    if (!model)
        return am_misused(err, __func__);
    if (model->lambda1 == 0.0 || model->lambda2 == 0.0)
        return am_fail_field(err, AM_ERR_INPUT, model->lambda1 == 0.0 ? "lambda1" : "lambda2",
                             "Delta = -f1 lambda1/(lambda2 f2) needs lambda1 and lambda2 that are not zero");
    if (model->f2 == 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "f2", "Delta = -f1 lambda1/(lambda2 f2) needs an f2 that is not zero");
    model->f1 = -Delta * model->lambda2 * model->f2 / model->lambda1;
    return AM_OK;
}

double am_two_mode_delta_0(const am_two_mode *model) {
    if (!model)
        return NAN;
    return model->lambda2 * model->f2 / model->m_r + model->lambda1 * model->f1;
}

/* ---- Checks ---- */

static am_status check(const am_two_mode *m, am_error *err) {
    am_two_mode_setting setting = {.model = *m, .Delta = NAN};
    if (m->contact == AM_UNILATERAL) { /* numbers of other laws play no part */
        setting.model.K_c = setting.model.beta = 1.0;
        setting.model.D_c = setting.model.alpha = 0.0;
    }
    AM_TRY(am_schema_check(&am_two_mode_schema, &setting, err));
    if (m->lambda1 == 0.0 && m->lambda2 == 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "lambda1",
                             "lambda1 and lambda2 are both zero: neither mode moves the contact");
    if (!(m->v_s > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "v_s",
                             "the surface must slide: its velocity v_s must be positive, but is %g", m->v_s);
    if (m->contact != AM_UNILATERAL && m->contact != AM_KELVIN_VOIGT && m->contact != AM_HUNT_CROSSLEY)
        return am_fail_field(err, AM_ERR_INPUT, "contact.kind",
                             "the contact must be rigid, kelvin-voigt or hunt-crossley");
    if (m->contact != AM_UNILATERAL && !(m->beta >= 1.0))
        return am_fail_field(err, AM_ERR_INPUT, "contact.beta",
                             "the exponent beta of the contact's force must be at least 1, but is %g", m->beta);
    return AM_OK;
}

/* ---- The system ---- */

/* Does the coupling have a potential that keeps the structure stable? Then it is stiffness like any other. */
static bool is_potential(const am_two_mode *m) {
    double first = m->k1 + m->A2, second = m->k1 * m->K_r + m->A1, both = m->A1 * m->beta1;
    return both == m->A2 * m->beta2 && first >= 0.0 && second >= 0.0 && first * second >= both * both;
}

/* Stiffness, and the circulatory part where the structural coupling has no potential: true when there is one. */
static bool fill_stiffness(const am_two_mode *m, double *K, double *circulatory) {
    const double coupling[4] = {m->A2, -m->A2 * m->beta2, -m->A1 * m->beta1, m->A1};
    bool coupled = m->A1 != 0.0 || m->A2 != 0.0, potential = is_potential(m);
    for (size_t i = 0; i < 4; i++) {
        K[i] = coupled && potential ? coupling[i] : 0.0;
        circulatory[i] = coupling[i];
    }
    K[0] += m->k1;
    K[3] += m->k1 * m->K_r;
    return coupled && !potential;
}

/* The force on the modes is n N + t T with T = mu N in backward slip: mu = 1 and t = f - n make it f N. Without
 * friction f = n; the tangent is then any row. */
static void describe_contact(const am_two_mode *m, double *normal, double *tangent, am_contact_def *contact) {
    normal[0] = -m->lambda1;
    normal[1] = -m->lambda2;
    tangent[0] = m->f1 - normal[0];
    tangent[1] = m->f2 - normal[1];
    bool frictionless = tangent[0] == 0.0 && tangent[1] == 0.0;
    if (frictionless)
        tangent[0] = 1.0;
    *contact = am_contact_def_default();
    contact->name = "contact";
    contact->normal = normal;
    contact->tangent = tangent;
    contact->surface_velocity = m->v_s;
    contact->friction = frictionless ? 0.0 : 1.0;
    contact->normal_law = m->contact;
    if (m->contact == AM_UNILATERAL)
        return;
    contact->contact_stiffness = m->K_c;
    if (m->contact == AM_KELVIN_VOIGT) {
        contact->contact_damping = m->D_c;
    } else {
        contact->contact_exponent = m->beta;
        contact->contact_dissipation = m->alpha;
    }
}

am_system *am_two_mode_create(const am_two_mode *m, am_error *err) {
    if (!m)
        return am_misused_for_nothing(err, __func__);
    static const char *const names[2] = {"X1", "X2"};
    double normal[2], tangent[2], K[4], circulatory[4];
    const double preload[2] = {m->eta1 * m->P, m->eta2 * m->P};
    const double mass[4] = {[0] = m->m1, [3] = m->m1 * m->m_r}, damping[4] = {[0] = m->c1, [3] = m->c1 * m->C_r};
    am_contact_def contact;
    am_load_def load = {.direction = preload, .function = am_function_constant(1.0)};
    if (check(m, err) != AM_OK)
        return NULL;
    describe_contact(m, normal, tangent, &contact);
    am_arrays arrays = {.mass = mass, .damping = damping, .stiffness = K};
    if (fill_stiffness(m, K, circulatory))
        arrays.circulatory = circulatory;
    am_system_def def = am_parts_def(2, names, 1, &contact, preload[0] != 0.0 || preload[1] != 0.0, &load);
    return am_arrays_create(def, arrays, err);
}

/* ---- Closed forms ---- */

double am_two_mode_rigid_limit(const am_two_mode *m, const char **instability) {
    if (!m)
        return NAN;
    double flutter = 1.0 / m->C_r, divergence = 1.0 / m->K_r, painleve = 1.0 / m->m_r;
    double least = fmin(flutter, fmin(divergence, painleve));
    if (instability)
        *instability = least == painleve ? "painleve" : least == divergence ? "divergence" : "flutter";
    return least;
}

double am_two_mode_stiff_limit(const am_two_mode *m) {
    if (!m)
        return NAN;
    double m2 = m->m1 * m->m_r, c2 = m->c1 * m->C_r, chi = fabs(m->lambda2 * m->f2);
    double a = chi * m->D_c, b = m2 * m->c1, c = m->m1 * (m2 * m->c1 - m->m1 * c2);
    if (!(c > 0.0))
        return INFINITY;
    double mu = 2.0 * c / (b + sqrt(b * b + 4.0 * a * c)); /* no cancellation for small D_c */
    return (m->m1 - mu) / m2;
}

/* Where the closed forms hold (chi < 0, no structural coupling), they stand beside what the analysis found. */
am_status am_two_mode_report(const void *settings, am_result *result, am_error *err) {
    const am_two_mode_setting *setting = settings;
    const am_two_mode *model = &setting->model;
    bool uncoupled = model->A1 == 0.0 && model->A2 == 0.0 && model->lambda2 * model->f2 < 0.0;
    const char *instability = NULL;
    if (!uncoupled || !am_result_find(result, "critical"))
        return AM_OK;
    double limit = am_two_mode_rigid_limit(model, &instability), stiff = am_two_mode_stiff_limit(model);
    am_result_set_number(result, "rigid_limit", limit, err);
    am_result_set_text(result, "rigid_instability", instability, err);
    if (model->contact == AM_KELVIN_VOIGT)
        am_result_set_known(result, "stiff_limit", stiff);
    return am_result_status(result, err);
}
