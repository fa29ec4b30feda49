#include "amontons/models.h"

#include <math.h>
#include <string.h>

#include "papers/two_mode_boundary.h"
#include "study/models.h"

typedef struct contact_setting {
    int kind; /* am_normal_law */
    double K_c, D_c, alpha, beta;
} contact_setting;

typedef struct two_mode_setting {
    am_two_mode model;
    double Delta;
    contact_setting contact;
} two_mode_setting;

static const am_word contact_words[] = {
    {"rigid", AM_UNILATERAL, "no penetration"},
    {"kelvin-voigt", AM_KELVIN_VOIGT, "N = K_c d + D_c d', eq. (14)"},
    {"hunt-crossley", AM_HUNT_CROSSLEY, "N = K_c d^beta (1 + 3/2 alpha d'), eq. (33)"},
    {NULL, 0, NULL}};

static void contact_defaults(void *record) {
    contact_setting *contact = record;
    am_two_mode model = am_two_mode_default();
    *contact = (contact_setting){
        .kind = (int)model.contact, .K_c = model.K_c, .D_c = model.D_c, .alpha = model.alpha, .beta = model.beta};
}

#define CONTACT(name_, member, ...) AM_FIELD(name_, NUMBER, contact_setting, member, __VA_ARGS__)

static const am_field contact_fields[] = {
    AM_FIELD("kind", WORD, contact_setting, kind, .words = contact_words, .initial = "rigid",
             .about = "law of the contact"),
    CONTACT("K_c", K_c, .range = AM_RANGE_POSITIVE, .initial = "1000", .about = "compliant laws: contact stiffness"),
    CONTACT("D_c", D_c, .range = AM_RANGE_NOT_NEGATIVE, .initial = "0", .about = "kelvin-voigt: contact damping"),
    CONTACT("alpha", alpha, .range = AM_RANGE_NOT_NEGATIVE, .initial = "0", .about = "hunt-crossley: contact damping"),
    CONTACT("beta", beta, .range = AM_RANGE_POSITIVE, .initial = "1", .about = "hunt-crossley: exponent, at least 1"),
};

static const am_schema contact_schema = {.name = "two-mode contact",
                                         .title = "contact",
                                         .about =
                                             "The contact between the two modes. Numbers of other laws play no part.",
                                         .size = sizeof(contact_setting),
                                         .defaults = contact_defaults,
                                         .shorthand = "kind",
                                         AM_FIELDS(contact_fields)};

static void set_defaults(void *record) {
    two_mode_setting *setting = record;
    setting->model = am_two_mode_default();
    contact_defaults(&setting->contact);
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    two_mode_setting *setting = record;
    am_two_mode *model = &setting->model;
    const am_node *Delta = am_node_get(node, "Delta"), *f1 = am_node_get(node, "f1");
    model->contact = (am_normal_law)setting->contact.kind;
    model->K_c = setting->contact.K_c;
    model->D_c = setting->contact.D_c;
    model->alpha = setting->contact.alpha;
    model->beta = setting->contact.beta;
    if (Delta && f1)
        return am_node_fail(f1, reading->err, AM_ERR_INPUT,
                            "f1 and Delta cannot both be given: f1 = -Delta lambda2 f2/lambda1");
    if (!Delta || am_two_mode_set_delta(model, setting->Delta, reading->err) == AM_OK)
        return AM_OK;
    am_node_locate(node, reading->err);
    return reading->err->status;
}

#define NUMBER(name_, member, ...) AM_FIELD(name_, NUMBER, two_mode_setting, member, __VA_ARGS__)

static const am_field fields[] = {
    NUMBER("K_r", model.K_r, .range = AM_RANGE_NOT_NEGATIVE, .initial = "1", .about = "k2/k1", .example = "0.5"),
    NUMBER("C_r", model.C_r, .range = AM_RANGE_NOT_NEGATIVE, .initial = "1", .about = "c2/c1", .example = "0.2"),
    NUMBER("m_r", model.m_r, .range = AM_RANGE_POSITIVE, .initial = "1", .about = "m2/m1"),
    NUMBER("Delta", Delta, .initial = "0, or from f1", .about = "-f1 lambda1/(lambda2 f2), sets f1", .example = "0.1"),
    AM_FIELD("contact", RECORD, two_mode_setting, contact, .inner = &contact_schema, .initial = "rigid",
             .about = "law of the contact: kind and its numbers", .example = "{kind: kelvin-voigt, K_c: 1000, D_c: 1}"),
    NUMBER("m1", model.m1, .range = AM_RANGE_POSITIVE, .initial = "1", .about = "modal mass of mode 1"),
    NUMBER("c1", model.c1, .range = AM_RANGE_NOT_NEGATIVE, .initial = "0.1", .about = "modal damping of mode 1"),
    NUMBER("k1", model.k1, .range = AM_RANGE_POSITIVE, .initial = "1", .about = "modal stiffness of mode 1"),
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

static const am_schema schema = {
    .name = "two-mode",
    .title = "model two-mode",
    .about = "Two modes of vibration coupled by one sliding contact, rigid or compliant (Chatterjee 2006, eqs. 10, "
             "11). Coordinates X1, X2.",
    .size = sizeof(two_mode_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    const two_mode_setting *setting = settings;
    am_system *system = am_two_mode_create(&setting->model, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

/* Where the closed forms hold (chi < 0, no structural coupling), they stand beside what the analysis found. */
static am_status report(const void *settings, am_result *result, am_error *err) {
    const two_mode_setting *setting = settings;
    const am_two_mode *model = &setting->model;
    bool uncoupled = model->A1 == 0.0 && model->A2 == 0.0 && model->lambda2 * model->f2 < 0.0;
    const char *instability = NULL;
    if (!uncoupled || !am_result_find(result, "critical"))
        return AM_OK;
    double limit = am_two_mode_rigid_limit(model, &instability), stiff = am_two_mode_stiff_limit(model);
    am_result_set_number(result, "rigid_limit", limit, err);
    am_result_set_text(result, "rigid_instability", instability, err);
    if (model->contact == AM_KELVIN_VOIGT && isfinite(stiff))
        am_result_set_number(result, "stiff_limit", stiff, err);
    else if (model->contact == AM_KELVIN_VOIGT)
        am_result_set_none(result, "stiff_limit", err);
    return am_result_status(result, err);
}

/* The boundary of stability is a polynomial in Delta, but for a Hunt-Crossley contact with another exponent than 1. */
static bool threshold(const void *settings, const char *parameter, double from, double to, am_threshold *known) {
    const am_two_mode *m = &((const two_mode_setting *)settings)->model;
    double k2 = m->k1 * m->K_r;
    if (strcmp(parameter, "Delta") != 0 || m->lambda1 == 0.0 || m->lambda2 == 0.0 || m->f2 == 0.0 ||
        (m->contact == AM_HUNT_CROSSLEY && m->beta != 1.0))
        return false;
    am_two_mode_boundary boundary = {.mass = {m->m1, m->m1 * m->m_r},
                                     .damping = {m->c1, m->c1 * m->C_r},
                                     .stiffness = {{m->k1 + m->A2, -m->A2 * m->beta2}, {-m->A1 * m->beta1, k2 + m->A1}},
                                     .lambda = {m->lambda1, m->lambda2},
                                     .f2 = m->f2,
                                     .preload = {m->eta1 * m->P, m->eta2 * m->P},
                                     .law = m->contact,
                                     .K = m->K_c,
                                     .D = m->D_c,
                                     .alpha = m->alpha};
    am_boundary_point point;
    if (!am_two_mode_boundary_first(&boundary, from, to, &point))
        return false;
    known->kind = point.kind;
    known->critical = point.Delta;
    known->omega = point.omega;
    known->reached = point.kind == AM_THRESHOLD_NONE ? to : point.Delta;
    return true;
}

const am_model_kind am_model_two_mode = {.schema = &schema,
                                         .build = build,
                                         .analysis = "stability",
                                         .report = report,
                                         .reads_summary = true,
                                         .threshold = threshold};
