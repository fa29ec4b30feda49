#include "amontons/models.h"

#include <math.h>

#include "base/object.h"
#include "base/try.h"
#include "models/kind.h"
#include "models/parts.h"

#define NUMBER(name_, member, ...) AM_FIELD(name_, NUMBER, am_shoe, member, __VA_ARGS__)

static const am_field fields[] = {
    NUMBER("h", h, AM_NOT_NEGATIVE, .required = true, .about = "height of the shoe's centre above the contact",
           .example = "2.2"),
    NUMBER("mu", mu, AM_NOT_NEGATIVE, .initial = "0.5", .about = "coefficient of friction", .example = "0.5"),
    NUMBER("k2", k2, AM_POSITIVE, .initial = "0.5", .about = "stiffness in the direction Y", .example = "0.5"),
    NUMBER("c2", c2, AM_NOT_NEGATIVE, .initial = "0.1", .about = "damping in the direction Y", .example = "0.05"),
    NUMBER("k1", k1, AM_POSITIVE, .initial = "1", .about = "torsional stiffness"),
    NUMBER("c1", c1, AM_NOT_NEGATIVE, .initial = "0.1", .about = "torsional damping"),
    NUMBER("c0", c0, AM_NOT_NEGATIVE, .initial = "0.1", .about = "damping in the direction X"),
    NUMBER("r", r, AM_POSITIVE, .initial = "1", .about = "radius of gyration"),
    NUMBER("l", l, AM_POSITIVE, .initial = "1", .about = "lever arm of the normal force"),
    NUMBER("l_p", l_p, .initial = "1", .about = "lever arm of the preload"),
    NUMBER("P", P, AM_POSITIVE, .initial = "1", .about = "preload"),
    NUMBER("K_c", K_c, AM_POSITIVE, .initial = "1000", .about = "contact stiffness"),
    NUMBER("xi_c", xi_c, AM_NOT_NEGATIVE, .initial = "1e-5",
           .about = "contact damping: N = K_c d^beta (1 + xi_c d'), xi_c = 1.5 alpha x0 omega0"),
    NUMBER("beta", beta, AM_POSITIVE, .initial = "1", .about = "exponent of the contact's force, at least 1"),
    NUMBER("v_s", v_s, AM_POSITIVE, .initial = "10", .about = "velocity of the surface"),
    NUMBER("eps_c", epsilon, AM_NOT_NEGATIVE, .initial = "0",
           .about = "analysis march: friction is proportional to sliding velocities below this, eq. (42); 0: Coulomb's "
                    "law itself"),
};

static const am_schema schema = {
    .name = "shoe",
    .title = "model shoe",
    .about = "A brake shoe with tangential, normal and torsional springs, pressed on a moving surface by a compliant "
             "contact (Chatterjee 2006, section 4). Coordinates X, Y, theta, dimensionless.",
    .size = sizeof(am_shoe),
    .has_kind = true,
    AM_FIELDS(fields)};

am_shoe am_shoe_default(void) {
    am_shoe shoe = {0};
    am_schema_defaults(&schema, &shoe);
    return shoe;
}

double am_shoe_delta(const am_shoe *shoe) {
    if (!shoe)
        return NAN;
    return shoe->l * (shoe->mu * shoe->h - shoe->l);
}

static am_status check(const am_shoe *s, am_error *err) {
    AM_TRY(am_schema_check(&schema, s, err));
    if (!(s->beta >= 1.0))
        return am_fail_field(err, AM_ERR_INPUT, "beta",
                             "the exponent beta of the contact's force must be at least 1, but is %g", s->beta);
    return AM_OK;
}

am_system *am_shoe_create(const am_shoe *s, am_error *err) {
    if (!s)
        return am_misused_for_nothing(err, __func__);
    static const char *const names[3] = {"X", "Y", "theta"};
    const double normal[3] = {0.0, -1.0, -s->l}, tangent[3] = {1.0, 0.0, s->h};
    const double preload[3] = {0.0, s->P, s->l_p * s->P};
    if (check(s, err) != AM_OK)
        return NULL;
    am_contact_def contact = am_contact_def_default();
    contact.name = "surface";
    contact.normal = normal;
    contact.tangent = tangent;
    contact.surface_velocity = s->v_s;
    contact.friction = s->mu;
    contact.normal_law = AM_HUNT_CROSSLEY;
    contact.contact_stiffness = s->K_c;
    contact.contact_exponent = s->beta;
    contact.contact_dissipation = s->xi_c / 1.5; /* xi_c = 3/2 alpha */
    contact.regularisation = s->epsilon;
    am_load_def load = {.direction = preload, .function = am_function_constant(1.0)};
    const double mass[9] = {[0] = 1.0, [4] = 1.0, [8] = s->r * s->r};
    const double damping[9] = {[0] = s->c0, [4] = s->c2, [8] = s->c1};
    const double stiffness[9] = {[0] = 1.0, [4] = s->k2, [8] = s->k1};
    am_system_def def = am_parts_def(3, names, 1, &contact, 1, &load);
    return am_arrays_create(def, (am_arrays){.mass = mass, .damping = damping, .stiffness = stiffness}, err);
}

AM_MODEL_CREATE(am_shoe_create)

const am_model_kind am_model_shoe = {.schema = &schema, .create = create, .analysis = "stability"};
