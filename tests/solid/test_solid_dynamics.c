/* Meshed bodies with mass, reduced by the method of Craig and Bampton. */
#include "solid/dynamics.h"

#include <string.h>

#include "base/memory.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/sparse.h"
#include "near.h"
#include "solid_rig.h"
#include "solid_support.h"

static const double slider_mass = 4.0 * 2.0 * 2.0; /* length, height, thickness, density 1 */

/* A slider on a base, pressed, pulled through a spring at its right side. */
static void make(rig *r, double stiffness) {
    rig_two_blocks(r, AM_QUAD8, 4, 5, -1.0, 6.0);
    rig_define(r, false, 0.3);
    r->drive[0] = (am_mesh_drive){.name = "spring",
                                  .place = {.name = "slider.right"},
                                  .direction = {1.0, 0.0},
                                  .stiffness = stiffness,
                                  .function = rig_from_zero()};
    r->def.drive_count = 1;
    r->def.drive = r->drive;
    GOOD(rig_create(r, err));
}

static void fill(const am_matrix *matrix, double *values) {
    am_matrix_to_dense(matrix, values);
}

static void test_a_slider_that_moves_as_a_whole_has_its_mass(void **state) {
    (void)state;
    rig r;
    am_solid_dynamics d;
    make(&r, 1e-11); /* hardly there */
    GOOD(am_solid_dynamics_init(&d, r.solid, 3, err));
    size_t n = am_system_size(d.system), m = am_solid_contacts(r.solid);
    assert_int_equal(n, 2 * m + d.modes);
    assert_in_range(d.modes, 4, 5); /* two loads */
    double *M = am_memory_new(n * n + 2 * n, sizeof *M, NULL), *q = M + n * n;
    fill(am_system_mass(d.system), M);
    for (size_t way = 0; way < 2; way++) {
        memset(q, 0, n * sizeof *q);
        for (size_t i = 0; i < m; i++)
            q[way * m + i] = 1.0;
        assert_near(am_dense_quadratic(M, q, n), slider_mass, 1e-9); /* rounding of the factors */
    }
    am_memory_free(M);
    am_solid_dynamics_clear(&d);
    rig_clear(&r);
}

/* While the contacts rest, loads of any kind lead to the same displacements as in statics, however few modes. */
static void test_slow_loads_are_exact_with_any_number_of_modes(void **state) {
    (void)state;
    for (size_t modes = 0; modes < 6; modes += 5) {
        rig r;
        am_solid_dynamics d;
        make(&r, 2.0);
        GOOD(am_solid_dynamics_init(&d, r.solid, modes, err));
        size_t n = am_system_size(d.system), m = am_solid_contacts(r.solid), size = 2 * r.mesh.nodes;
        double *q = am_memory_new(n + 2 * size, sizeof *q, NULL), *moving = q + n, *still = moving + size, t = 0.7;
        for (size_t k = 0; k < d.modes; k++) {
            double force = 0.0;
            for (size_t l = 0; l < am_system_loads(d.system); l++) {
                const am_load_def *load = am_system_load(d.system, l);
                force += load->direction[2 * m + k] * am_function_at(&load->function, t);
            }
            q[2 * m + k] = force / (d.frequency[k] * d.frequency[k]);
        }
        GOOD(am_solid_dynamics_displacements(&d, r.solid, q, moving, err));
        GOOD(am_solid_displacements(r.solid, q, t, still, NULL, NULL, err));
        double largest = am_dense_largest(still, size);
        assert_true(largest > 0.1);
        for (size_t i = 0; i < size; i++)
            assert_near(moving[i], still[i], 1e-9 * largest); /* rounding of the factors */
        am_memory_free(q);
        am_solid_dynamics_clear(&d);
        rig_clear(&r);
    }
}

/* Squares of the frequencies while all contacts slide freely (gaps closed), ascending; returns how many. */
static size_t sliding_frequencies(const rig *r, const am_solid_dynamics *d, size_t room, double *squares) {
    size_t m = am_solid_contacts(r->solid), size = m + d->modes;
    double *K = am_memory_new(2 * size * size + size, sizeof *K, NULL), *M = K + size * size, *values = M + size * size;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++) {
            size_t a = i < m ? i : i + m, b = j < m ? j : j + m;
            K[i * size + j] = am_matrix_at(am_system_stiffness(d->system), a, b);
            M[i * size + j] = am_matrix_at(am_system_mass(d->system), a, b);
        }
    GOOD(am_generalised_eigen(K, M, size, values, err));
    size = size < room ? size : room;
    memcpy(squares, values, size * sizeof *squares);
    am_memory_free(K);
    return size;
}

/* sqrt(k/m) for a soft spring, up to k over the stiffness of the bodies. */
static void test_a_slider_on_a_soft_spring_swings_at_its_frequency(void **state) {
    (void)state;
    rig r;
    am_solid_dynamics d;
    double k = 1e-5, square;
    make(&r, k);
    GOOD(am_solid_dynamics_init(&d, r.solid, 6, err));
    sliding_frequencies(&r, &d, 1, &square);
    assert_near(square / (k / slider_mass), 1.0, 1e-5);
    am_solid_dynamics_clear(&d);
    rig_clear(&r);
}

/* Both signs of a shape are as good; the one is taken whose largest entry, or the first of several, is positive. */
static void test_signs_of_shapes_are_not_left_to_rounding(void **state) {
    (void)state;
    for (size_t modes = 4; modes <= 40; modes += 12) {
        rig r;
        am_solid_dynamics d;
        make(&r, 2.0);
        GOOD(am_solid_dynamics_init(&d, r.solid, modes, err));
        for (size_t k = 0; k < d.modes; k++) {
            const double *shape = d.shape + k * d.inner;
            double largest = 0.0;
            size_t first = 0;
            for (size_t i = 0; i < d.inner; i++)
                largest = fmax(largest, fabs(shape[i]));
            while (fabs(shape[first]) < (1.0 - 1e-5) * largest)
                first++;
            assert_true(largest > 0.0 && shape[first] > 0.0);
        }
        am_solid_dynamics_clear(&d);
        rig_clear(&r);
    }
}

/* The reported error, which is of first order, is that of the frequencies: against a reduction with so many modes that
 * nothing is left to be wrong. */
static void test_frequencies_are_as_wrong_as_reported(void **state) {
    (void)state;
    enum { FEW = 10, MANY = 120, LOOK = 10 };
    rig r;
    am_solid_dynamics few, many;
    double rough[LOOK], fine[LOOK], worst = 0.0;
    make(&r, 0.5);
    GOOD(am_solid_dynamics_init(&few, r.solid, FEW, err));
    GOOD(am_solid_dynamics_init(&many, r.solid, MANY, err));
    assert_int_equal(sliding_frequencies(&r, &few, LOOK, rough), LOOK);
    assert_int_equal(sliding_frequencies(&r, &many, LOOK, fine), LOOK);
    double highest = few.frequency[FEW - 1];
    for (size_t i = 0; i < LOOK && (i == 0 || rough[i] <= 0.25 * highest * highest); i++)
        worst = fmax(worst, sqrt(rough[i] / fine[i]) - 1.0);
    assert_true(worst > 1e-8); /* there is something to report */
    assert_true(few.frequency_error > 0.5 * worst && few.frequency_error < 1.5 * worst);
    am_solid_dynamics_clear(&few);
    am_solid_dynamics_clear(&many);
    rig_clear(&r);
}

/* The square of the lowest frequency of a unit square between four frictionless walls, over 2 pi^2 G/density: it shears
 * as u = sin(pi x) cos(pi y), v = -cos(pi x) sin(pi y) without change of volume. A small peg far away stands for the
 * contacts that a system needs; it swings much faster. */
static double square_between_walls(am_shape shape, const am_solid_body *body, size_t parts) {
    static const am_mesh_support walls[] = {{{.name = "block.left"}, {true, false}},
                                            {{.name = "block.right"}, {true, false}},
                                            {{.name = "block.bottom"}, {false, true}},
                                            {{.name = "block.top"}, {false, true}}};
    static const am_mesh_contact foot[] = {{.name = "foot", .slave = "peg.bottom"}};
    am_solid_dynamics d;
    rig r = {.mesh = solid_rectangle(shape, body, 1.0, 1.0, parts, parts)};
    solid_distort(&r.mesh, 0.1);
    rig_add_block(&r, "peg", body, AM_QUAD4, (const double[]){5.0, 5.1, 5.0, 5.1}, 1, 1);
    r.def = (am_solid_def){.mesh = &r.mesh, .support_count = 4, .support = walls, .contact_count = 1, .contact = foot};
    GOOD(rig_create(&r, err));
    GOOD(am_solid_dynamics_init(&d, r.solid, 2, err));
    double shear = body->modulus / (2.0 * (1.0 + body->poisson)), pi = acos(-1.0);
    double square = d.frequency[0] * d.frequency[0] / (2.0 * pi * pi * shear / body->density);
    am_solid_dynamics_clear(&d);
    rig_clear(&r);
    return square;
}

/* Twice the order of the strains: 2, and 4 of quadratic elements with their bubble's own inertia, less a margin for
 * meshes that are distorted and not yet fine (triangles come to 3.5 to 3.8 from 8 to 16 parts). */
static void test_frequencies_converge_at_twice_the_order_of_strains(void **state) {
    (void)state;
    static const am_shape shapes[] = {AM_QUAD4, AM_QUAD8, AM_TRIANGLE6};
    static const double least[] = {1.9, 3.7, 3.0}, most[] = {0.03, 1.2e-4, 4e-4};
    for (size_t s = 0; s < 3; s++)
        for (int way = 0; way < 3; way++) {
            am_solid_body body = rig_material;
            body.plane_stress = way == 1;
            body.poisson = way == 2 ? 0.4999999 : 0.3;
            double coarse = square_between_walls(shapes[s], &body, 4) - 1.0;
            double fine = square_between_walls(shapes[s], &body, 8) - 1.0;
            assert_true(log2(coarse / fine) > least[s]);
            assert_true(fine > 0.0 && fine < most[s]); /* from above, as Rayleigh's quotients are */
        }
}

/* A body that falls is not strained: weight and inertia of the bubbles cancel too. Rounding of the factors. */
static void test_falling_bodies_have_no_strain(void **state) {
    (void)state;
    static const am_mesh_contact foot[] = {{.name = "foot", .slave = "block.bottom"}};
    const am_mesh_gravity weight[] = {{{0.3, -2.0}, am_function_constant(1.0)}};
    am_solid_dynamics d;
    rig r = {.mesh = solid_rectangle(AM_QUAD8, &rig_material, 1.0, 1.0, 3, 3)};
    solid_distort(&r.mesh, 0.2);
    r.def = (am_solid_def){.mesh = &r.mesh, .contact_count = 1, .contact = foot, .gravity_count = 1, .gravity = weight};
    GOOD(rig_create(&r, err));
    GOOD(am_solid_dynamics_init(&d, r.solid, 4, err));
    size_t n = am_system_size(d.system), m = am_solid_contacts(r.solid);
    double *M = am_memory_new(n * n + 2 * n, sizeof *M, NULL), *fall = M + n * n, *force = fall + n;
    fill(am_system_mass(d.system), M);
    for (size_t i = 0; i < m; i++) { /* the block is above its wall */
        fall[i] = 0.3 * am_solid_node_at(r.solid, i)->tangent[0];
        fall[m + i] = -2.0 * am_solid_node_at(r.solid, i)->normal[1];
    }
    am_dense_apply(M, n, n, fall, force);
    for (size_t i = 0; i < n; i++)
        assert_near(force[i], am_system_load(d.system, 0)->direction[i], 1e-12);
    am_memory_free(M);
    am_solid_dynamics_clear(&d);
    rig_clear(&r);
}

/* Damping by stiffness alone: the material's, not the drive's spring, so that a slider that moves as a whole is not
 * damped at all. Rounding of n numbers of the size of C. */
static void test_a_slider_that_moves_as_a_whole_is_not_damped_by_its_material(void **state) {
    (void)state;
    rig r;
    am_solid_dynamics d;
    rig_two_blocks(&r, AM_QUAD8, 4, 5, -1.0, 6.0);
    r.mesh.body[0].poisson = r.mesh.body[1].poisson = 0.4999999;
    rig_define(&r, false, 0.3);
    r.drive[0] = (am_mesh_drive){.name = "spring",
                                 .place = {.name = "slider.right"},
                                 .direction = {1.0, 0.0},
                                 .stiffness = 2.0,
                                 .function = rig_from_zero()};
    r.def.drive_count = 1;
    r.def.drive = r.drive;
    r.def.stiffness_damping = 0.1;
    GOOD(rig_create(&r, err));
    GOOD(am_solid_dynamics_init(&d, r.solid, 3, err));
    size_t n = am_system_size(d.system);
    double *C = am_memory_new(n * n + n, sizeof *C, NULL), *values = C + n * n;
    fill(am_system_damping(d.system), C);
    GOOD(am_dense_symmetric_eigenvalues(C, n, values, err));
    for (size_t i = 0; i < 3; i++) /* along x, along y, rotation */
        assert_near(values[i], 0.0, 1e-15 * (double)n * values[n - 1]);
    assert_true(values[3] > 1e-5 * values[n - 1]);
    am_memory_free(C);
    am_solid_dynamics_clear(&d);
    rig_clear(&r);
}

static void test_bodies_without_density_are_refused(void **state) {
    (void)state;
    rig r;
    am_solid_dynamics d;
    am_error err = {0};
    make(&r, 0.5);
    r.mesh.body[1].density = 0.0;
    assert_int_equal(am_solid_dynamics_init(&d, r.solid, 4, &err), AM_ERR_INPUT);
    assert_blames(&err, "density", "base has no density");
    rig_clear(&r);
}

int main(void) {
    if (!am_sparse_available())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_slider_that_moves_as_a_whole_has_its_mass),
        cmocka_unit_test(test_slow_loads_are_exact_with_any_number_of_modes),
        cmocka_unit_test(test_a_slider_on_a_soft_spring_swings_at_its_frequency),
        cmocka_unit_test(test_frequencies_are_as_wrong_as_reported),
        cmocka_unit_test(test_signs_of_shapes_are_not_left_to_rounding),
        cmocka_unit_test(test_frequencies_converge_at_twice_the_order_of_strains),
        cmocka_unit_test(test_falling_bodies_have_no_strain),
        cmocka_unit_test(test_a_slider_that_moves_as_a_whole_is_not_damped_by_its_material),
        cmocka_unit_test(test_bodies_without_density_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
