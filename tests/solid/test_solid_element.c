/* Finite elements, one by one and in patches: what must hold to rounding. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "element_stress.h"
#include "errors.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "near.h"
#include "solid_support.h"
#include "uniform.h"

static const am_shape shapes[] = {AM_QUAD4, AM_QUAD8, AM_TRIANGLE6};
static const double ratios[] = {-0.9, -0.5, 0.0, 0.3, 0.49, 0.4999999};
enum { SHAPES = 3, RATIOS = 6 };

static am_solid_body body_of(double poisson, bool plane_stress) {
    return (am_solid_body){
        .modulus = 210.0, .poisson = poisson, .density = 7.8, .thickness = 0.6, .plane_stress = plane_stress};
}

/* Elements carry volume changes that are kappa/G times stiffer than shears; so much of the sixteen digits is used up.
 */
static double rounding(const am_solid_body *body) {
    return body->plane_stress ? 1e-13 : 1e-13 / (1.0 - 2.0 * body->poisson);
}

/* The element's own square or triangle, its corners moved, its mid-sides on straight or curved sides. */
static void some_place(am_shape shape, uint64_t *seed, double bulge, double place[AM_SHAPE_MOST][2]) {
    size_t nodes = am_shape_nodes(shape), corners = am_shape_corners(shape);
    for (size_t a = 0; a < corners; a++) {
        am_element_node_place(shape, a, &place[a][0], &place[a][1]);
        for (size_t r = 0; r < 2; r++)
            place[a][r] += uniform(seed, -0.15, 0.15);
    }
    for (size_t a = corners; a < nodes; a++)
        for (size_t r = 0; r < 2; r++)
            place[a][r] =
                0.5 * (place[a - corners][r] + place[(a - corners + 1) % corners][r]) + uniform(seed, -bulge, bulge);
}

static void each_case(void (*check)(am_shape, const am_solid_body *)) {
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t i = 0; i < RATIOS; i++)
            for (int stress = 0; stress < 2; stress++) {
                am_solid_body body = body_of(ratios[i], stress);
                check(shapes[s], &body);
            }
}

static void check_rigid_motions(am_shape shape, const am_solid_body *body) {
    uint64_t seed = 11;
    for (int turn = 0; turn < 5; turn++) {
        double place[AM_SHAPE_MOST][2], k[AM_ELEMENT_SIZE * AM_ELEMENT_SIZE], value[AM_ELEMENT_SIZE];
        some_place(shape, &seed, 0.05, place);
        GOOD(am_element_matrices(shape, (const double(*)[2])place, body, k, NULL, err));
        size_t n = 2 * am_shape_nodes(shape);
        GOOD(am_dense_symmetric_eigenvalues(k, n, value, err));
        for (size_t i = 0; i < 3; i++) /* a small multiple of the rounding of the largest */
            assert_near(value[i], 0.0, 1e-14 * value[n - 1]);
        assert_true(value[3] > 1e-3 * body->modulus * body->thickness);
    }
}

static void elements_resist_everything_but_three_rigid_motions(void **unused) {
    (void)unused;
    each_case(check_rigid_motions);
}

/* Displacements with a constant gradient, and the stress that goes with them. */
static const double gradient[2][2] = {{0.013, -0.004}, {0.007, 0.009}};

static void linear_field(const double place[2], double u[2]) {
    for (int r = 0; r < 2; r++)
        u[r] = 0.2 + gradient[r][0] * place[0] + gradient[r][1] * place[1];
}

static am_element_stress_result linear_stress(const am_solid_body *body) {
    double g = body->modulus / (2.0 * (1.0 + body->poisson)), nu = body->poisson;
    double volume = gradient[0][0] + gradient[1][1];
    double mean = 2.0 * g * volume * (body->plane_stress ? nu / (1.0 - nu) : nu / (1.0 - 2.0 * nu));
    return (am_element_stress_result){.xx = mean + 2.0 * g * gradient[0][0],
                                      .yy = mean + 2.0 * g * gradient[1][1],
                                      .xy = g * (gradient[0][1] + gradient[1][0]),
                                      .zz = body->plane_stress ? 0.0 : mean};
}

static void check_stress_near(am_element_stress_result got, am_element_stress_result wanted, double tolerance) {
    assert_near(got.xx, wanted.xx, tolerance);
    assert_near(got.yy, wanted.yy, tolerance);
    assert_near(got.xy, wanted.xy, tolerance);
    assert_near(got.zz, wanted.zz, tolerance);
}

static void check_patch(am_shape shape, const am_solid_body *body, double bulge) {
    am_solid_mesh mesh = solid_rectangle(shape, body, 4.0, 3.0, 4, 3);
    solid_distort(&mesh, 0.3);
    uint64_t seed = 5;
    for (size_t i = 0; i < mesh.nodes && bulge > 0.0; i++)
        for (size_t r = 0; r < 2 && !solid_on_boundary(&mesh, i); r++)
            mesh.place[2 * i + r] += uniform(&seed, -bulge, bulge);
    GOOD(am_solid_mesh_check(&mesh, err));
    solid_problem problem = solid_assemble(&mesh);
    for (size_t i = 0; i < mesh.nodes; i++)
        if (solid_on_boundary(&mesh, i)) {
            linear_field(mesh.place + 2 * i, problem.displacement + 2 * i);
            problem.fixed[2 * i] = problem.fixed[2 * i + 1] = true;
        }
    solid_solve(&problem);
    for (size_t i = 0; i < mesh.nodes; i++) {
        double u[2];
        linear_field(mesh.place + 2 * i, u);
        for (size_t r = 0; r < 2; r++)
            assert_near(problem.displacement[2 * i + r], u[r], rounding(body));
    }
    am_element_stress_result wanted = linear_stress(body);
    for (size_t e = 0; e < mesh.elements; e++) {
        double place[AM_SHAPE_MOST][2], u[AM_ELEMENT_SIZE], xi, eta;
        solid_places(&mesh, e, place);
        solid_gather(&mesh, e, problem.displacement, u);
        for (size_t a = 0; a < am_shape_nodes(shape); a++) {
            am_element_node_place(shape, a, &xi, &eta);
            check_stress_near(element_stress(shape, (const double(*)[2])place, body, u, xi, eta), wanted,
                              1e3 * rounding(body) * body->modulus);
        }
    }
    solid_problem_free(&problem);
    am_solid_mesh_clear(&mesh);
}

static void check_straight_patch(am_shape shape, const am_solid_body *body) {
    check_patch(shape, body, 0.0);
}

static void check_curved_patch(am_shape shape, const am_solid_body *body) {
    check_patch(shape, body, 0.05);
}

static void constant_strains_come_out_of_distorted_meshes_exactly(void **unused) {
    (void)unused;
    each_case(check_straight_patch);
}

/* Also with curved sides: the products that are integrated are polynomials that the points integrate exactly. */
static void constant_strains_come_out_of_curved_elements_exactly(void **unused) {
    (void)unused;
    each_case(check_curved_patch);
}

/* A weight hung up: sigma_yy = q (y - H), nothing else, has quadratic displacements. The elements with a bubble contain
 * them in any straight-sided shape, and the load on the bubble has to be right. */
static void weight_field(const am_solid_body *body, double q, const double place[2], double u[2]) {
    double nu = body->poisson, modulus = body->plane_stress ? body->modulus : body->modulus / (1.0 - nu * nu);
    double side = body->plane_stress ? nu : nu / (1.0 - nu), x = place[0], y = place[1], height = 3.0;
    u[0] = -side * q / modulus * (y - height) * x;
    u[1] = q / modulus * (0.5 * y * y - height * y + 0.5 * side * x * x);
}

static void check_weight(am_shape shape, const am_solid_body *body) {
    if (shape == AM_QUAD4)
        return;
    const double down[2] = {0.0, -9.81};
    am_solid_mesh mesh = solid_rectangle(shape, body, 4.0, 3.0, 4, 3);
    solid_distort(&mesh, 0.3);
    solid_problem problem = solid_assemble(&mesh);
    double q = -down[1] * body->density;
    for (size_t e = 0; e < mesh.elements; e++) {
        double place[AM_SHAPE_MOST][2], force[AM_ELEMENT_SIZE];
        solid_places(&mesh, e, place);
        am_element_body_force(shape, (const double(*)[2])place, body, down, force);
        for (size_t a = 0; a < 2 * am_shape_nodes(shape); a++)
            problem.force[2 * mesh.element[e].node[a / 2] + a % 2] += force[a];
    }
    for (size_t i = 0; i < mesh.nodes; i++)
        if (solid_on_boundary(&mesh, i)) {
            weight_field(body, q, mesh.place + 2 * i, problem.displacement + 2 * i);
            problem.fixed[2 * i] = problem.fixed[2 * i + 1] = true;
        }
    solid_solve(&problem);
    for (size_t i = 0; i < mesh.nodes; i++) {
        double u[2];
        weight_field(body, q, mesh.place + 2 * i, u);
        for (size_t r = 0; r < 2; r++)
            assert_near(problem.displacement[2 * i + r], u[r], 10.0 * rounding(body));
    }
    solid_problem_free(&problem);
    am_solid_mesh_clear(&mesh);
}

static void quadratic_elements_hang_under_their_weight_exactly(void **unused) {
    (void)unused;
    each_case(check_weight);
}

static double polygon_area(am_shape shape, double (*place)[2]) {
    double sum = 0.0;
    size_t corners = am_shape_corners(shape);
    for (size_t a = 0; a < corners; a++) {
        const double *p = place[a], *q = place[(a + 1) % corners];
        sum += 0.5 * (p[0] * q[1] - q[0] * p[1]);
    }
    return sum;
}

/* Integral of x^2 + y^2 over the polygon, by its triangles with the origin. */
static double polar_moment(am_shape shape, double (*place)[2]) {
    double sum = 0.0;
    size_t corners = am_shape_corners(shape);
    for (size_t a = 0; a < corners; a++) {
        const double *p = place[a], *q = place[(a + 1) % corners];
        double cross = p[0] * q[1] - q[0] * p[1];
        sum += cross / 12.0 * (p[0] * p[0] + p[0] * q[0] + q[0] * q[0] + p[1] * p[1] + p[1] * q[1] + q[1] * q[1]);
    }
    return sum;
}

static void check_mass(am_shape shape, const am_solid_body *body) {
    uint64_t seed = 23;
    double place[AM_SHAPE_MOST][2], k[AM_ELEMENT_SIZE * AM_ELEMENT_SIZE], m[AM_ELEMENT_SIZE * AM_ELEMENT_SIZE];
    some_place(shape, &seed, 0.0, place);
    GOOD(am_element_matrices(shape, (const double(*)[2])place, body, k, m, err));
    size_t n = 2 * am_shape_nodes(shape);
    double motion[3][AM_ELEMENT_SIZE], value[AM_ELEMENT_SIZE];
    for (size_t i = 0; i < n; i++) {
        motion[0][i] = i % 2 == 0;
        motion[1][i] = i % 2;
        motion[2][i] = i % 2 ? place[i / 2][0] : -place[i / 2][1];
        for (size_t j = 0; j < i; j++) {
            assert_true(m[i * n + j] == m[j * n + i]);
            assert_true(k[i * n + j] == k[j * n + i]);
        }
    }
    double heavy = body->density * body->thickness, all = heavy * polygon_area(shape, place);
    for (int i = 0; i < 2; i++)
        assert_near(am_dense_quadratic(m, motion[i], n), all, 1e-13 * all);
    assert_near(am_dense_quadratic(m, motion[2], n), heavy * polar_moment(shape, place), rounding(body) * all);
    GOOD(am_dense_symmetric_eigenvalues(m, n, value, err));
    assert_true(value[0] > 1e-4 * all);
}

static void mass_is_symmetric_positive_and_that_of_the_rigid_body(void **unused) {
    (void)unused;
    each_case(check_mass);
}

/* Bent to a circle: u = c x y, v = -c (x^2 + s y^2)/2 with sigma_xx = E' c y alone. Rectangles of four nodes do it with
 * one row of elements, nearly incompressible or not. */
static void check_bending(am_shape shape, const am_solid_body *body) {
    double nu = body->poisson, modulus = body->plane_stress ? body->modulus : body->modulus / (1.0 - nu * nu);
    double side = body->plane_stress ? nu : nu / (1.0 - nu), curvature = 0.01, length = 10.0;
    am_solid_mesh mesh = solid_rectangle(shape, body, length, 1.0, 4, 1);
    for (size_t i = 0; i < mesh.nodes; i++)
        mesh.place[2 * i + 1] -= 0.5;
    solid_problem problem = solid_assemble(&mesh);
    const am_solid_line *right = &mesh.line[am_solid_mesh_find_line(&mesh, "block.right")];
    const am_solid_edge *edge = &right->edge[0];
    double couple = modulus * curvature * body->thickness / 12.0; /* of the linear traction, about the middle */
    problem.force[2 * edge->node[0]] -= couple; /* at the ends of the side, 1 apart; it is linear: none in the middle */
    problem.force[2 * edge->node[1]] += couple;
    for (size_t i = 0; i < mesh.nodes; i++) {
        bool root = mesh.place[2 * i] == 0.0;
        problem.fixed[2 * i] = root;
        problem.fixed[2 * i + 1] = root;
        if (root)
            problem.displacement[2 * i + 1] = -0.5 * curvature * side * mesh.place[2 * i + 1] * mesh.place[2 * i + 1];
    }
    solid_solve(&problem);
    double tolerance = 1e3 * rounding(body); /* a slender beam multiplies rounding by (length/height)^3 */
    for (size_t i = 0; i < mesh.nodes; i++) {
        double x = mesh.place[2 * i], y = mesh.place[2 * i + 1];
        assert_near(problem.displacement[2 * i], curvature * x * y, tolerance);
        assert_near(problem.displacement[2 * i + 1], -0.5 * curvature * (x * x + side * y * y), tolerance);
    }
    solid_problem_free(&problem);
    am_solid_mesh_clear(&mesh);
}

static void one_row_of_elements_bends_exactly(void **unused) {
    (void)unused;
    each_case(check_bending);
}

static void impossible_shapes_are_refused_in_words(void **unused) {
    (void)unused;
    am_solid_body body = body_of(0.3, false);
    double k[AM_ELEMENT_SIZE * AM_ELEMENT_SIZE];
    am_error err = {0};
    const double inverted[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}}, flat[4][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}},
                 dart[4][2] = {{0, 0}, {1, 0}, {0.2, 0.2}, {0, 1}}, angle[4][2] = {{0, 0}, {1, 0}, {0.5, 0.5}, {0, 1}},
                 crossed[4][2] = {{0, 0}, {1, 0}, {0.1, 1}, {1, 1}};
    const double(*bad[5])[2] = {inverted, flat, dart, angle, crossed};
    static const char *const words[5] = {"clockwise", "no area", "folded", "folded", "folded"};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(am_element_matrices(AM_QUAD4, bad[i], &body, k, NULL, &err), AM_ERR_INPUT);
        assert_says(&err, words[i]);
    }
    const double quarter[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0.25, 0}, {0.5, 0.5}, {0, 0.5}};
    assert_int_equal(am_element_matrices(AM_TRIANGLE6, quarter, &body, k, NULL, &err), AM_ERR_INPUT);
    assert_says(&err, "mid-side");
    const double sunken[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0.5, 0.6}, {0.5, 0.5}, {0, 0.5}};
    assert_int_equal(am_element_matrices(AM_TRIANGLE6, sunken, &body, k, NULL, &err), AM_ERR_INPUT);
    assert_says(&err, "folded");
}

static void impossible_materials_are_refused_in_words(void **unused) {
    (void)unused;
    const double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    am_solid_body good = body_of(0.3, false), bad[7];
    for (int i = 0; i < 7; i++)
        bad[i] = good;
    bad[0].modulus = 0.0;
    bad[1].thickness = -1.0;
    bad[2].poisson = 0.5;
    bad[3].poisson = -1.0;
    bad[4].density = -1.0;
    bad[5].modulus = NAN;
    bad[6].modulus = bad[6].thickness = 1e-200;
    static const char *const words[7] = {"modulus", "thickness", "take 0.4999999", "above -1", "must not be negative",
                                         "modulus", "units"};
    double k[AM_ELEMENT_SIZE * AM_ELEMENT_SIZE];
    for (int i = 0; i < 7; i++) {
        am_error err = {0};
        assert_int_equal(am_element_matrices(AM_QUAD4, square, &bad[i], k, NULL, &err), AM_ERR_INPUT);
        assert_says(&err, words[i]);
    }
    bad[2].plane_stress = true; /* nothing is prevented there */
    GOOD(am_element_matrices(AM_QUAD4, square, &bad[2], k, NULL, err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_resist_everything_but_three_rigid_motions),
        cmocka_unit_test(constant_strains_come_out_of_distorted_meshes_exactly),
        cmocka_unit_test(constant_strains_come_out_of_curved_elements_exactly),
        cmocka_unit_test(quadratic_elements_hang_under_their_weight_exactly),
        cmocka_unit_test(mass_is_symmetric_positive_and_that_of_the_rigid_body),
        cmocka_unit_test(one_row_of_elements_bends_exactly),
        cmocka_unit_test(impossible_shapes_are_refused_in_words),
        cmocka_unit_test(impossible_materials_are_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
