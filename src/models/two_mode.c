#include "amontons/models.h"

#include <math.h>

#include "base/object.h"
#include "models/arrays.h"
#include "models/quantities.h"

am_two_mode am_two_mode_default(void) {
    return (am_two_mode){.m1 = 1.0,
                         .c1 = 0.1,
                         .k1 = 1.0,
                         .m_r = 1.0,
                         .C_r = 1.0,
                         .K_r = 1.0,
                         .lambda1 = 1.0,
                         .lambda2 = 1.0,
                         .f2 = -1.0,
                         .eta1 = 1.0,
                         .eta2 = 1.0,
                         .P = 1.0,
                         .beta1 = 1.0,
                         .beta2 = 1.0,
                         .v_s = 1.0,
                         .contact = AM_UNILATERAL,
                         .K_c = 1000.0,
                         .beta = 1.0};
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

static am_status check_positive(const am_two_mode *m, am_error *err) {
    const am_model_quantity numbers[] = {{"m1", "modal mass m1", m->m1, false},
                                         {"k1", "modal stiffness k1", m->k1, false},
                                         {"c1", "modal damping c1", m->c1, true},
                                         {"m_r", "ratio of masses m_r = m2/m1", m->m_r, false},
                                         {"C_r", "ratio of dampings C_r = c2/c1", m->C_r, true},
                                         {"K_r", "ratio of stiffnesses K_r = k2/k1", m->K_r, true}};
    return AM_QUANTITIES_CHECK(numbers, err);
}

static am_status check_contact(const am_two_mode *m, am_error *err) {
    const am_model_quantity numbers[] = {{"contact.K_c", "contact stiffness K_c", m->K_c, false},
                                         {"contact.D_c", "contact damping D_c", m->D_c, true},
                                         {"contact.alpha", "contact damping alpha", m->alpha, true}};
    if (m->contact == AM_UNILATERAL)
        return AM_OK;
    if (m->contact != AM_KELVIN_VOIGT && m->contact != AM_HUNT_CROSSLEY)
        return am_fail_field(err, AM_ERR_INPUT, "contact.kind",
                             "the contact must be rigid, kelvin-voigt or hunt-crossley");
    am_status quantities = AM_QUANTITIES_CHECK(numbers, err);
    if (quantities)
        return quantities;
    if (!(m->beta >= 1.0) || !isfinite(m->beta))
        return am_fail_field(err, AM_ERR_INPUT, "contact.beta",
                             "the exponent beta of the contact's force must be at least 1, but is %g", m->beta);
    return AM_OK;
}

static am_status check(const am_two_mode *m, am_error *err) {
    const am_model_quantity numbers[] = {{"lambda1", "", m->lambda1, true},
                                         {"lambda2", "", m->lambda2, true},
                                         {"f1", "", m->f1, true},
                                         {"f2", "", m->f2, true},
                                         {"eta1", "", m->eta1, true},
                                         {"eta2", "", m->eta2, true},
                                         {"P", "", m->P, true},
                                         {"A1", "", m->A1, true},
                                         {"A2", "", m->A2, true},
                                         {"beta1", "", m->beta1, true},
                                         {"beta2", "", m->beta2, true},
                                         {"v_s", "", m->v_s, true}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isfinite(numbers[i].value))
            return am_fail_field(err, AM_ERR_INPUT, numbers[i].name, "%s must be a finite number", numbers[i].name);
    if (m->lambda1 == 0.0 && m->lambda2 == 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "lambda1",
                             "lambda1 and lambda2 are both zero: neither mode moves the contact");
    if (!(m->v_s > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "v_s",
                             "the surface must slide: its velocity v_s must be positive, but is %g", m->v_s);
    am_status status = check_positive(m, err);
    return status ? status : check_contact(m, err);
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
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = preload[0] != 0.0 || preload[1] != 0.0 ? 1 : 0;
    def.loads = &load;
    def.names = names;
    def.named_by_model = true;
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
