/* Meshed bodies in contact, condensed onto their contacts. */
#include "solid/solid.h"

#include <string.h>

#include "base/memory.h"
#include "engines/quasistatic/incremental.h"
#include "errors.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/sparse.h"
#include "near.h"
#include "solid/element.h"
#include "solid_rig.h"

/* ---- walking ---- */

typedef struct walk {
    am_system *system;
    am_path_incremental path;
    double *q;
} walk;

static void walk_to(walk *w, const rig *r, size_t steps, double until) {
    am_error err = {0};
    w->system = am_solid_system(r->solid, &err);
    assert_string_equal(err.message, "");
    assert_non_null(w->system);
    GOOD(am_path_incremental_init(&w->path, w->system, err));
    GOOD(am_path_incremental_place(&w->path, 0.0, NULL, err));
    for (size_t i = 1; i <= steps; i++)
        GOOD(am_path_incremental_step(&w->path, until * (double)i / (double)steps, err));
    w->q = am_memory_new(am_system_size(w->system), sizeof *w->q, &err);
    GOOD(am_path_incremental_coordinates(&w->path, w->q, err));
}

static void walk_clear(walk *w) {
    am_path_incremental_clear(&w->path);
    am_system_free(w->system);
    am_memory_free(w->q);
}

/* ---- the whole mesh again, from elements alone ---- */

/* Forces of all nodes that belong to displacements u: sum over elements of K u. */
static void nodal_forces(const am_solid_mesh *mesh, const double *u, double *force) {
    memset(force, 0, 2 * mesh->nodes * sizeof *force);
    for (size_t e = 0; e < mesh->elements; e++) {
        const am_solid_element *element = &mesh->element[e];
        size_t nodes = am_shape_nodes(element->shape), size = 2 * nodes;
        double place[AM_SHAPE_MOST][2], K[AM_ELEMENT_SIZE * AM_ELEMENT_SIZE];
        for (size_t i = 0; i < nodes; i++)
            for (size_t c = 0; c < 2; c++)
                place[i % AM_SHAPE_MOST][c] = mesh->place[2 * element->node[i] + c];
        GOOD(am_element_matrices(element->shape, (const double(*)[2])place, &mesh->body[element->body], K, NULL, err));
        for (size_t i = 0; i < size; i++)
            for (size_t j = 0; j < size; j++)
                force[2 * element->node[i / 2] + i % 2] += K[i * size + j] * u[2 * element->node[j / 2] + j % 2];
    }
}

static bool is_on(const am_solid_mesh *mesh, const char *name, size_t node) {
    const am_solid_line *line = &mesh->line[am_solid_mesh_find_line(mesh, name)];
    for (size_t e = 0; e < line->count; e++)
        for (size_t i = 0; i < line->edge[e].count; i++)
            if (line->edge[e].node[i] == node)
                return true;
    return false;
}

/* ---- tests ---- */

static const am_shape shapes[] = {AM_QUAD4, AM_QUAD8};

/* Constant stress passes through surfaces whose nodes do not match: the patch test of contact. Rounding only. */
static void test_even_pressure_passes_between_meshes_that_do_not_match(void **state) {
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        rig r;
        walk w;
        rig_two_blocks(&r, shapes[k], 5, 7, 0.0, 4.0);
        rig_define(&r, false, 0.3);
        /* free to grow sideways: on rollers, one node held along x */
        r.support[0].fixed[0] = false;
        r.support[1] = (am_mesh_support){{.name = "base.bottom", .point = true, .at = {2.0, -1.0}}, {true, false}};
        r.def.support_count = 2;
        GOOD(rig_create(&r, err));
        walk_to(&w, &r, 1, 1.0);
        size_t m = am_solid_contacts(r.solid);
        assert_int_equal(m, shapes[k] == AM_QUAD4 ? 6 : 11);
        for (size_t i = 0; i < m; i++) {
            const am_solid_node *node = am_solid_node_at(r.solid, i);
            assert_near(w.path.normal[i] / node->area, rig_press / (4.0 * 2.0), 1e-11);
            assert_near(w.path.tangential[i] / node->area, 0.0, 1e-11);
            assert_near(node->place[1], 0.0, 0.0);
            assert_true(node->normal[1] == 1.0 && node->tangent[0] == 1.0);
        }
        walk_clear(&w);
        rig_clear(&r);
    }
}

/* Partial slip: nodes of the whole mesh are in equilibrium, element by element, with what loads and contact nodes give
 * them, contact forces of both sides cancel, and gaps and slips of the mesh are those of the path. */
static void check_whole(rig *r, const walk *w, double t) {
    const am_solid_mesh *mesh = &r->mesh;
    size_t m = am_solid_contacts(r->solid);
    am_error err = {0};
    double *u = am_memory_new(4 * mesh->nodes, sizeof *u, &err), *force = u + 2 * mesh->nodes;
    double sum[4] = {0}, contact[2] = {0}, moment[2] = {0};
    GOOD(am_solid_displacements(r->solid, w->q, t, u, NULL, NULL, err));
    nodal_forces(mesh, u, force);
    for (size_t i = 0; i < mesh->nodes; i++) {
        bool slave = is_on(mesh, "slider.bottom", i), master = is_on(mesh, "base.top", i);
        bool loaded = is_on(mesh, "slider.top", i) || is_on(mesh, "slider.right", i);
        const double *f = force + 2 * i, *x = mesh->place + 2 * i;
        if (!slave && !master && !loaded && !is_on(mesh, "base.bottom", i)) {
            assert_near(f[0], 0.0, 1e-11);
            assert_near(f[1], 0.0, 1e-11);
        }
        for (size_t c = 0; c < 2; c++)
            sum[slave ? c : 2 + c] += slave || master ? f[c] : 0.0;
        moment[0] += slave || master ? x[0] * f[1] - x[1] * f[0] : 0.0;
    }
    for (size_t i = 0; i < m; i++) {
        const am_solid_node *node = am_solid_node_at(r->solid, i);
        contact[0] += w->path.tangential[i];
        contact[1] += w->path.normal[i];
        if (!is_on(mesh, "slider.right", node->node)) {
            assert_near(force[2 * node->node], w->path.tangential[i], 1e-11);
            assert_near(force[2 * node->node + 1], w->path.normal[i], 1e-11);
        }
    }
    assert_near(contact[0], -rig_pull * t, 1e-11);
    assert_near(contact[1], rig_press, 1e-11);
    assert_near(sum[2], -contact[0], 1e-11);
    assert_near(sum[3], -contact[1], 1e-11);
    (void)moment;
    am_memory_free(u);
}

static void test_condensed_and_whole_mesh_are_in_equilibrium_alike(void **state) {
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        rig r;
        walk w;
        rig_two_blocks(&r, shapes[k], 8, 11, -2.0, 7.0);
        rig_define(&r, true, 0.3);
        GOOD(rig_create(&r, err));
        walk_to(&w, &r, 10, 1.0);
        size_t slipping = 0;
        for (size_t i = 0; i < w.path.m; i++)
            slipping += w.path.state[i] == AM_FORWARD;
        assert_in_range(slipping, 1, w.path.m - 1); /* partial slip it is */
        check_whole(&r, &w, 1.0);
        walk_clear(&w);
        rig_clear(&r);
    }
}

/* Pulled to the left instead of to the right. Rounding only. */
static void test_a_mirror_image_gives_mirrored_results(void **state) {
    (void)state;
    rig right, left;
    walk a, b;
    rig_two_blocks(&right, AM_QUAD8, 8, 11, -2.0, 7.0);
    rig_define(&right, true, 0.3);
    rig_two_blocks(&left, AM_QUAD8, 8, 11, -3.0, 6.0); /* 4 - 7, 4 + 2 */
    rig_define(&left, true, 0.3);
    left.load[1].place.name = "slider.left";
    left.load[1].force[0] = -rig_pull;
    GOOD(rig_create(&right, err));
    GOOD(rig_create(&left, err));
    walk_to(&a, &right, 10, 1.0);
    walk_to(&b, &left, 10, 1.0);
    size_t m = a.path.m;
    assert_int_equal(b.path.m, m);
    for (size_t i = 0; i < m; i++) {
        assert_near(a.path.normal[i], b.path.normal[m - 1 - i], 1e-10);
        assert_near(a.path.tangential[i], -b.path.tangential[m - 1 - i], 1e-10);
        assert_near(a.path.position[i], -b.path.position[m - 1 - i], 1e-10);
    }
    walk_clear(&a);
    walk_clear(&b);
    rig_clear(&right);
    rig_clear(&left);
}

/* A place that is moved needs a force; the same force, step by step, leads to the same contact. */
static void test_prescribed_displacement_and_its_force_agree(void **state) {
    (void)state;
    enum { STEPS = 10 };
    rig moved, forced;
    walk a, b;
    double force[STEPS + 1], times[STEPS + 1];
    rig_two_blocks(&moved, AM_QUAD4, 8, 11, -2.0, 7.0);
    rig_define(&moved, false, 0.3);
    moved.drive[0] = (am_mesh_drive){.name = "push",
                                     .place = {.name = "slider.left", .point = true, .at = {0.0, 2.0 / 3.0}},
                                     .direction = {1.0, 0.0},
                                     .function = am_function_ramp(0.0, 0.4)};
    moved.def.drive_count = 1;
    moved.def.drive = moved.drive;
    GOOD(rig_create(&moved, err));
    double *u = am_memory_new(2 * moved.mesh.nodes, sizeof *u, NULL);
    for (size_t k = 0; k <= STEPS; k++) {
        times[k] = (double)k / STEPS;
        walk_to(&a, &moved, k, times[k]);
        GOOD(am_solid_displacements(moved.solid, a.q, times[k], u, NULL, &force[k], err));
        if (k < STEPS)
            walk_clear(&a);
    }
    am_memory_free(u);
    assert_true(force[STEPS] > 0.5 && force[STEPS] < 0.3 * rig_press);

    rig_two_blocks(&forced, AM_QUAD4, 8, 11, -2.0, 7.0);
    rig_define(&forced, true, 0.3);
    forced.load[1].place = moved.drive[0].place;
    forced.load[1].function = am_function_table(STEPS + 1, times, force);
    GOOD(rig_create(&forced, err));
    walk_to(&b, &forced, STEPS, 1.0);
    double slips = 0.0;
    for (size_t i = 0; i < a.path.m; i++) {
        assert_near(a.path.normal[i], b.path.normal[i], 1e-10);
        assert_near(a.path.tangential[i], b.path.tangential[i], 1e-10);
        assert_near(a.path.position[i], b.path.position[i], 1e-10);
        slips = fmax(slips, b.path.position[i]);
    }
    assert_true(slips > 1e-3);
    walk_clear(&a);
    walk_clear(&b);
    rig_clear(&moved);
    rig_clear(&forced);
}

/* A rigid punch on a block: loads balance about any point, the pressure is symmetric. */
static void test_a_rigid_punch_presses_a_block(void **state) {
    (void)state;
    rig r = {0};
    walk w;
    rig_add_block(&r, "block", &rig_material, AM_QUAD8, (const double[]){-4.0, 4.0, -3.0, 0.0}, 16, 6);
    r.rigid[0] = (am_mesh_rigid){.name = "punch", .from = {-1.0, 0.0}, .to = {1.0, 0.0}};
    r.support[0] = (am_mesh_support){{.name = "block.bottom"}, {true, true}};
    r.load[0] = (am_mesh_load){
        {.name = "punch", .point = true, .at = {0.25, 1.0}}, {0.4, -rig_press}, am_function_constant(1.0)};
    r.contact[0] = (am_mesh_contact){.name = "face",
                                     .slave = "block.top",
                                     .master = "punch",
                                     .friction = {.law = AM_FRICTION_COULOMB, .kinetic = 0.5}};
    r.def = (am_solid_def){.mesh = &r.mesh,
                           .rigid_count = 1,
                           .rigid = r.rigid,
                           .support_count = 1,
                           .support = r.support,
                           .load_count = 1,
                           .load = r.load,
                           .contact_count = 1,
                           .contact = r.contact};
    GOOD(rig_create(&r, err));
    assert_int_equal(am_solid_contacts(r.solid), 9);
    walk_to(&w, &r, 1, 1.0);
    double N = 0.0, T = 0.0, moment = 0.0, motion[3], *u = am_memory_new(2 * r.mesh.nodes, sizeof *u, NULL);
    for (size_t i = 0; i < w.path.m; i++) {
        const am_solid_node *node = am_solid_node_at(r.solid, i);
        N += w.path.normal[i];
        T += w.path.tangential[i] * node->tangent[0]; /* on the block, along x */
        moment += w.path.normal[i] * node->place[0];
    }
    assert_near(N, rig_press, 1e-11);
    assert_near(T, 0.4, 1e-11);
    assert_near(moment, rig_press * 0.25 + 0.4 * 1.0, 1e-11);
    GOOD(am_solid_displacements(r.solid, w.q, 1.0, u, motion, NULL, err));
    assert_true(motion[0] > 0.0 && motion[1] < 0.0 && motion[2] < 0.0);
    for (size_t i = 0; i < w.path.m; i++) { /* the block's surface follows the punch where it is closed */
        const am_solid_node *node = am_solid_node_at(r.solid, i);
        assert_near(u[2 * node->node + 1] - w.path.gap[i] * node->normal[1], motion[1] + motion[2] * node->place[0],
                    1e-11);
    }
    am_memory_free(u);
    walk_clear(&w);
    rig_clear(&r);
}

/* ---- floating bodies ---- */

/* Of the slider alone on nodes at x, about (2, 0): along x, along y, rotation. */
static double rigid_motion(size_t motion, bool gap, double x) {
    return motion == 0 ? !gap : motion == 1 ? gap : gap ? x - 2.0 : 0.0;
}

/* Fills K with the stiffness over slips and gaps. */
static void stiffness_of(const rig *r, double *K) {
    am_error err = {0};
    am_system *system = am_solid_system(r->solid, &err);
    assert_string_equal(err.message, "");
    am_matrix_to_dense(am_system_stiffness(system), K);
    am_system_free(system);
}

/* Nearly incompressible, which costs condensation seven digits: 1e-9 of the largest eigenvalue before it is cleaned.
 * What is left is the rounding of sums of n numbers. The fourth eigenvalue is that of the lowest deformation. */
static void test_a_floating_body_resists_everything_but_its_rigid_motions(void **state) {
    (void)state;
    static const am_shape all[] = {AM_QUAD4, AM_QUAD8, AM_TRIANGLE6};
    am_solid_body soft = rig_material;
    soft.poisson = 0.4999999;
    for (size_t k = 0; k < 3; k++) {
        rig r = {0};
        rig_add_block(&r, "slider", &soft, all[k], (const double[]){0.0, 4.0, 0.0, 8.0}, 12, 12);
        rig_add_block(&r, "base", &soft, all[k], (const double[]){-3.0, 7.0, -1.0, 0.0}, 11, 3);
        rig_define(&r, false, 0.3);
        GOOD(rig_create(&r, err));
        size_t m = am_solid_contacts(r.solid), n = 2 * m;
        double *K = am_memory_new(n * n + 3 * n, sizeof *K, NULL), *b = K + n * n, *force = b + n, *values = force + n;
        stiffness_of(&r, K);
        for (size_t motion = 0; motion < 3; motion++) {
            for (size_t i = 0; i < n; i++)
                b[i] = rigid_motion(motion, i >= m, am_solid_node_at(r.solid, i % m)->place[0]);
            am_dense_apply(K, n, n, b, force);
            assert_true(am_dense_largest(force, n) < 1e-15 * (double)n * am_dense_largest(K, n * n));
        }
        GOOD(am_dense_symmetric_eigenvalues(K, n, values, err));
        assert_true(values[0] > -1e-15 * (double)n * values[n - 1]);
        assert_true(values[3] > 1e-4 * values[n - 1]);
        am_memory_free(K);
        rig_clear(&r);
    }
}

/* The spring of a drive, ten digits softer than the bodies, is all that holds the slider, and is felt as it is. */
static void test_a_hardly_held_body_feels_its_spring(void **state) {
    (void)state;
    const double k = 1e-9;
    rig r;
    rig_two_blocks(&r, AM_QUAD8, 8, 11, -2.0, 7.0);
    r.mesh.body[0].poisson = r.mesh.body[1].poisson = 0.4999999;
    rig_define(&r, false, 0.3);
    r.drive[0] = (am_mesh_drive){.name = "spring",
                                 .place = {.name = "slider.right"},
                                 .direction = {1.0, 0.0},
                                 .stiffness = k,
                                 .function = rig_from_zero()};
    r.def.drive_count = 1;
    r.def.drive = r.drive;
    GOOD(rig_create(&r, err));
    size_t m = am_solid_contacts(r.solid), n = 2 * m;
    double *K = am_memory_new(n * n + n, sizeof *K, NULL), *b = K + n * n;
    stiffness_of(&r, K);
    for (size_t i = 0; i < m; i++)
        b[i] = 1.0;
    /* Rounding of n squared numbers of size 10. */
    assert_near(am_dense_quadratic(K, b, n), k, 1e-15 * (double)(n * n));
    am_memory_free(K);
    rig_clear(&r);
}

/* What contacts feel of the loads has the loads' resultants, to rounding and not to that of the condensation. */
static void test_floating_bodies_feel_the_resultants_of_their_loads(void **state) {
    (void)state;
    am_solid_body soft = rig_material;
    soft.poisson = 0.4999999;
    rig r = {0};
    rig_add_block(&r, "slider", &soft, AM_QUAD8, (const double[]){0.0, 4.0, 0.0, 8.0}, 12, 12);
    rig_add_block(&r, "base", &soft, AM_QUAD8, (const double[]){-3.0, 7.0, -1.0, 0.0}, 11, 3);
    rig_define(&r, true, 0.3);
    GOOD(rig_create(&r, err));
    am_system *system = am_solid_system(r.solid, NULL);
    size_t m = am_solid_contacts(r.solid);
    const double expected[2][3] = {{0.0, -rig_press, 0.0}, {rig_pull, 0.0, -4.0 * rig_pull}};
    for (size_t l = 0; l < 2; l++)
        for (size_t motion = 0; motion < 3; motion++) {
            double work = 0.0;
            for (size_t i = 0; i < 2 * m; i++)
                work += am_system_load(system, l)->direction[i] *
                        rigid_motion(motion, i >= m, am_solid_node_at(r.solid, i % m)->place[0]);
            assert_near(work, expected[l][motion], 1e-13);
        }
    am_system_free(system);
    rig_clear(&r);
}

/* ---- refusals ---- */

static void refused(rig *r, const char *field, const char *words) {
    am_error err = {0};
    assert_int_equal(rig_create(r, &err), AM_ERR_INPUT);
    assert_string_equal(err.field, field);
    assert_says(&err, words);
    assert_null(r->solid);
    rig_clear(r);
}

static void test_bodies_that_are_not_held_are_named_with_their_motion(void **state) {
    (void)state;
    rig r;
    rig_two_blocks(&r, AM_QUAD4, 4, 4, -1.0, 5.0);
    rig_define(&r, true, 0.3);
    r.support[0].fixed[0] = false;
    refused(&r, "supports", "slider with base can move along x");
    rig_two_blocks(&r, AM_QUAD4, 4, 4, -1.0, 5.0);
    rig_define(&r, true, 0.3);
    r.support[0].place = (am_mesh_place){.name = "base.bottom", .point = true, .at = {2.0, -1.0}};
    refused(&r, "supports", "slider with base can turn about (2, -1)");
    rig_two_blocks(&r, AM_QUAD4, 4, 4, -1.0, 5.0);
    rig_define(&r, true, 0.3);
    r.def.contact_count = 0;
    refused(&r, "supports",
            "slider can move along x, along y and turn as a rigid body even while all contacts stick, "
            "for nothing holds it: it needs a support there, a drive (with a stiffness: a spring), or "
            "a contact with something that is held");
}

static void test_lines_that_are_wrong_are_named(void **state) {
    (void)state;
    rig r;
    rig_two_blocks(&r, AM_QUAD4, 4, 4, -1.0, 5.0);
    rig_define(&r, true, 0.3);
    r.contact[0].slave = "slider.botom";
    refused(&r, "contacts[0].slave", "no line named slider.botom");
    rig_two_blocks(&r, AM_QUAD4, 4, 4, -1.0, 5.0);
    rig_define(&r, true, 0.3);
    r.contact[0].master = "base.bottom";
    refused(&r, "", "slider.bottom does not face base.bottom");
    rig_two_blocks(&r, AM_QUAD4, 4, 4, -1.0, 5.0);
    rig_define(&r, true, 0.3);
    r.load[0].place.name = "lid";
    refused(&r, "loads[0].line", "no line or rigid body named lid");
    rig_two_blocks(&r, AM_QUAD4, 4, 4, -1.0, 5.0);
    rig_define(&r, true, 0.3);
    r.support[1] = (am_mesh_support){{.name = "slider.bottom"}, {true, false}};
    r.def.support_count = 2;
    refused(&r, "", "no node between (0, 0) and (1, 0) of contact line slider.bottom is left for the contact");
}

static void test_units_that_do_not_fit_are_suspected(void **state) {
    (void)state;
    rig r;
    rig_two_blocks(&r, AM_QUAD4, 4, 4, -1.0, 5.0);
    rig_define(&r, true, 0.3);
    r.mesh.body[1].modulus = 3.1e12; /* Pa beside MPa, and more */
    refused(&r, "", "Are the units consistent?");
}

int main(void) {
    if (!am_sparse_available())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even_pressure_passes_between_meshes_that_do_not_match),
        cmocka_unit_test(test_condensed_and_whole_mesh_are_in_equilibrium_alike),
        cmocka_unit_test(test_a_mirror_image_gives_mirrored_results),
        cmocka_unit_test(test_prescribed_displacement_and_its_force_agree),
        cmocka_unit_test(test_a_rigid_punch_presses_a_block),
        cmocka_unit_test(test_a_floating_body_resists_everything_but_its_rigid_motions),
        cmocka_unit_test(test_a_hardly_held_body_feels_its_spring),
        cmocka_unit_test(test_floating_bodies_feel_the_resultants_of_their_loads),
        cmocka_unit_test(test_bodies_that_are_not_held_are_named_with_their_motion),
        cmocka_unit_test(test_lines_that_are_wrong_are_named),
        cmocka_unit_test(test_units_that_do_not_fit_are_suspected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
