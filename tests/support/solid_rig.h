/* A slider on a base, meshed: what the tests of finite elements in contact share. */
#ifndef AMONTONS_TESTS_SOLID_RIG_H
#define AMONTONS_TESTS_SOLID_RIG_H
#include "errors.h"
#include "solid/block_mesh.h"
#include "solid/solid.h"

typedef struct rig {
    am_solid_mesh mesh;
    am_mesh_rigid rigid[1];
    am_mesh_support support[2];
    am_mesh_load load[2];
    am_mesh_contact contact[1];
    am_mesh_drive drive[1];
    am_solid_def def;
    am_solid *solid;
} rig;

static const am_solid_body rig_material = {
    .modulus = 3.0, .poisson = 0.35, .density = 1.0, .thickness = 2.0, .plane_stress = false};

static inline void rig_even(double from, double to, size_t elements, double *at) {
    for (size_t i = 0; i <= elements; i++)
        at[i] = from + (to - from) * (double)i / (double)elements;
}

static inline void rig_add_block(rig *r, const char *name, const am_solid_body *body, am_shape shape,
                                 const double box[4], size_t along, size_t up) {
    double x[64], y[64];
    rig_even(box[0], box[1], along, x);
    rig_even(box[2], box[3], up, y);
    GOOD(am_block_mesh_add(&r->mesh, name, body, shape, &(am_block_division){along + 1, x},
                           &(am_block_division){up + 1, y}, err));
}

static const double rig_press = 6.0, rig_pull = 1.0; /* forces at t = 1 */

static inline am_function rig_from_zero(void) {
    return am_function_ramp(0.0, 1.0);
}

/* A slider from 0 to 4 on a base from `left` to `right`, fixed below; pressed evenly from above, pulled on its right
 * side evenly (`pulled`) or not at all. */
static inline void rig_define(rig *r, bool pulled, double friction) {
    r->support[0] = (am_mesh_support){{.name = "base.bottom"}, {true, true}};
    r->load[0] = (am_mesh_load){{.name = "slider.top"}, {0.0, -rig_press}, am_function_constant(1.0)};
    r->load[1] = (am_mesh_load){{.name = "slider.right"}, {rig_pull, 0.0}, rig_from_zero()};
    r->contact[0] = (am_mesh_contact){.name = "face",
                                      .slave = "slider.bottom",
                                      .master = "base.top",
                                      .friction = {.law = AM_FRICTION_COULOMB, .kinetic = friction}};
    r->def = (am_solid_def){.mesh = &r->mesh,
                            .support_count = 1,
                            .support = r->support,
                            .load_count = pulled ? 2 : 1,
                            .load = r->load,
                            .contact_count = 1,
                            .contact = r->contact};
}

static inline void rig_two_blocks(rig *r, am_shape shape, size_t above, size_t below, double left, double right) {
    *r = (rig){0};
    rig_add_block(r, "slider", &rig_material, shape, (const double[]){0.0, 4.0, 0.0, 2.0}, above, 3);
    rig_add_block(r, "base", &rig_material, shape, (const double[]){left, right, -1.0, 0.0}, below, 2);
}

static inline void rig_clear(rig *r) {
    am_solid_free(r->solid);
    am_solid_mesh_clear(&r->mesh);
}

static inline am_status rig_create(rig *r, am_error *err) {
    return am_solid_create(&r->solid, &r->def, err);
}

#endif
