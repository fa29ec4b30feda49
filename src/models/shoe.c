#include "amontons/models.h"

#include <math.h>

#include "base/object.h"
#include "models/arrays.h"
#include "models/quantities.h"

am_shoe am_shoe_default(void) {
    return (am_shoe){.l = 1.0,
                     .l_p = 1.0,
                     .r = 1.0,
                     .k1 = 1.0,
                     .c1 = 0.1,
                     .k2 = 0.5,
                     .c2 = 0.1,
                     .c0 = 0.1,
                     .mu = 0.5,
                     .K_c = 1000.0,
                     .xi_c = 1e-5,
                     .beta = 1.0,
                     .v_s = 10.0,
                     .P = 1.0};
}

double am_shoe_delta(const am_shoe *shoe) {
    if (!shoe)
        return NAN;
    return shoe->l * (shoe->mu * shoe->h - shoe->l);
}

static am_status check(const am_shoe *s, am_error *err) {
    const am_model_quantity numbers[] = {{"h", "height h of the shoe's centre", s->h, true},
                                         {"l", "lever arm l of the normal force", s->l, false},
                                         {"r", "radius of gyration r", s->r, false},
                                         {"k1", "torsional stiffness k1", s->k1, false},
                                         {"c1", "torsional damping c1", s->c1, true},
                                         {"k2", "normal stiffness k2", s->k2, false},
                                         {"c2", "normal damping c2", s->c2, true},
                                         {"c0", "tangential damping c0", s->c0, true},
                                         {"mu", "friction coefficient mu", s->mu, true},
                                         {"K_c", "contact stiffness K_c", s->K_c, false},
                                         {"xi_c", "contact damping xi_c", s->xi_c, true},
                                         {"P", "preload P", s->P, false},
                                         {"v_s", "velocity v_s of the surface (the shoe must slide)", s->v_s, false},
                                         {"eps_c", "velocity eps_c of regularised friction", s->epsilon, true}};
    am_status quantities = AM_QUANTITIES_CHECK(numbers, err);
    if (quantities)
        return quantities;
    if (!isfinite(s->l_p))
        return am_fail_field(err, AM_ERR_INPUT, "l_p", "the lever arm l_p of the preload must be a finite number");
    if (!(s->beta >= 1.0) || !isfinite(s->beta))
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
    am_system_def def = am_system_def_default();
    def.n = 3;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 1;
    def.loads = &load;
    def.names = names;
    def.named_by_model = true;
    return am_arrays_create(def, (am_arrays){.mass = mass, .damping = damping, .stiffness = stiffness}, err);
}
