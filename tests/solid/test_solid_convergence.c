/* Finite elements against smooth closed forms: errors fall with the mesh at the order of the element, and Poisson's
 * ratio close to 1/2 changes nothing. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "element_stress.h"
#include "near.h"
#include "solid/element_internal.h"
#include "solid_support.h"

static const am_shape shapes[] = {AM_QUAD4, AM_QUAD8, AM_TRIANGLE6};
static const double ratios[] = {-0.5, 0.3, 0.4999999};
enum { SHAPES = 3, RATIOS = 3 };

static am_solid_body body_of(double poisson, bool plane_stress) {
    return (am_solid_body){
        .modulus = 3.0, .poisson = poisson, .density = 1.7, .thickness = 0.5, .plane_stress = plane_stress};
}

static double shear_of(const am_solid_body *body) {
    return body->modulus / (2.0 * (1.0 + body->poisson));
}

/* Equilibrium without body forces, from two analytic functions (Kolosov and Muskhelishvili):
 * 2 G (u + i v) = k phi - z conj(phi') - conj(psi), with phi = exp(z), psi = sin(2 z). At nu = 1/2 its volume does not
 * change, while its mean stress stays finite. */
static void smooth_field(const am_solid_body *body, double x, double y, double u[2]) {
    double nu = body->poisson, k = body->plane_stress ? (3.0 - nu) / (1.0 + nu) : 3.0 - 4.0 * nu;
    double complex z = x + I * y;
    double complex w = (k * cexp(z) - z * conj(cexp(z)) - conj(csin(2.0 * z))) / (2.0 * shear_of(body));
    u[0] = creal(w);
    u[1] = cimag(w);
}

static am_element_stress_result smooth_stress(const am_solid_body *body, double x, double y) {
    double complex z = x + I * y, turn = 2.0 * (conj(z) * cexp(z) + 2.0 * ccos(2.0 * z));
    double sum = 4.0 * creal(cexp(z));
    return (am_element_stress_result){.xx = 0.5 * (sum - creal(turn)),
                                      .yy = 0.5 * (sum + creal(turn)),
                                      .xy = 0.5 * cimag(turn),
                                      .zz = body->plane_stress ? 0.0 : body->poisson * sum};
}

typedef struct errors {
    double displacement, stress, node_stress; /* root mean squares; the last: of means over elements at nodes */
} errors;

static double squares(am_element_stress_result a, am_element_stress_result b) {
    double xx = a.xx - b.xx, yy = a.yy - b.yy, xy = a.xy - b.xy, zz = a.zz - b.zz;
    return xx * xx + yy * yy + 2.0 * xy * xy + zz * zz;
}

/* Displacement at a point of the element, with what it adds inside: the bubble of quadratic elements. */
static void inner_displacement(const am_element_whole *whole, const am_element_point *point, const double *unknown,
                               double u[2]) {
    u[0] = u[1] = 0.0;
    for (size_t a = 0; a < point->shapes; a++)
        for (size_t r = 0; r < 2; r++)
            u[r] += point->value[a] * unknown[am_element_unknown(whole, a) + r];
}

/* At a few points inside every element: the square's Gauss points; points about the centre of the triangle. */
static void add_inner_errors(const am_solid_mesh *mesh, size_t e, const double *all, errors *sum) {
    const am_solid_body *body = &mesh->body[0];
    am_shape shape = mesh->element[e].shape;
    double place[AM_SHAPE_MOST][2], unknown[AM_ELEMENT_ALL], weight = 0.25 / (double)mesh->elements;
    const double(*at)[2] = (const double(*)[2])place;
    am_element_whole whole;
    solid_places(mesh, e, place);
    solid_gather(mesh, e, all, unknown);
    if (shape == AM_QUAD4)
        am_element_quad4(at, body, &whole);
    else
        am_element_mixed(shape, at, body, &whole);
    am_element_recover(&whole, unknown);
    for (int i = 0; i < 4; i++) {
        double far = 1.0 / sqrt(3.0), xi = i % 2 ? far : -far, eta = i / 2 ? far : -far, got[2], wanted[2];
        if (shape == AM_TRIANGLE6) {
            xi = 0.2 + 0.2 * (i % 2);
            eta = 0.2 + 0.2 * (i / 2);
        }
        am_element_point point = am_element_at(shape, at, xi, eta);
        inner_displacement(&whole, &point, unknown, got);
        smooth_field(body, point.place[0], point.place[1], wanted);
        sum->displacement += weight * (pow(got[0] - wanted[0], 2.0) + pow(got[1] - wanted[1], 2.0));
        sum->stress += weight * squares(element_stress(shape, at, body, unknown, xi, eta),
                                        smooth_stress(body, point.place[0], point.place[1]));
    }
}

static double node_stress_error(const am_solid_mesh *mesh, const double *all) {
    am_element_stress_result *mean = calloc(mesh->nodes, sizeof *mean);
    size_t *count = calloc(mesh->nodes, sizeof *count);
    for (size_t e = 0; e < mesh->elements; e++) {
        const am_solid_element *element = &mesh->element[e];
        double place[AM_SHAPE_MOST][2], u[AM_ELEMENT_SIZE], at[AM_SHAPE_MOST][2];
        am_element_stress_result stress[AM_SHAPE_MOST];
        solid_places(mesh, e, place);
        solid_gather(mesh, e, all, u);
        for (size_t a = 0; a < am_shape_nodes(element->shape); a++)
            am_element_node_place(element->shape, a, &at[a][0], &at[a][1]);
        am_element_stresses(element->shape, (const double(*)[2])place, &mesh->body[0], u,
                            am_shape_nodes(element->shape), (const double(*)[2])at, stress);
        for (size_t a = 0; a < am_shape_nodes(element->shape); a++) {
            am_element_stress_result *m = &mean[element->node[a]];
            m->xx += stress[a].xx;
            m->yy += stress[a].yy;
            m->xy += stress[a].xy;
            m->zz += stress[a].zz;
            count[element->node[a]]++;
        }
    }
    double sum = 0.0;
    for (size_t i = 0; i < mesh->nodes; i++) {
        double n = (double)count[i];
        am_element_stress_result m = {mean[i].xx / n, mean[i].yy / n, mean[i].xy / n, mean[i].zz / n};
        sum += squares(m, smooth_stress(&mesh->body[0], mesh->place[2 * i], mesh->place[2 * i + 1]));
    }
    free(mean);
    free(count);
    return sqrt(sum / (double)mesh->nodes);
}

/* Tractions on a vertical line, by five points of Gauss and Legendre on every side: the right ends of elements. */
static void add_tractions(const am_solid_mesh *mesh, const am_solid_line *line, double *force) {
    static const double at[3] = {0.0, 0.5384693101056831, 0.9061798459386640};
    static const double weight[3] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    const am_solid_body *body = &mesh->body[line->body];
    for (size_t i = 0; i < line->count; i++) {
        const am_solid_edge *edge = &line->edge[i];
        const double *from = mesh->place + 2 * edge->node[0], *to = mesh->place + 2 * edge->node[1];
        for (int g = -2; g <= 2; g++) {
            double s = g < 0 ? -at[-g] : at[g], shape[3], slope[3], half = 0.5 * (to[1] - from[1]);
            am_edge_shape(edge->count, s, shape, slope);
            am_element_stress_result stress = smooth_stress(body, from[0], from[1] + half * (1.0 + s));
            for (size_t a = 0; a < edge->count; a++) {
                double part = weight[g < 0 ? -g : g] * half * body->thickness * shape[a];
                force[2 * edge->node[a]] += part * stress.xx;
                force[2 * edge->node[a] + 1] += part * stress.xy;
            }
        }
    }
}

/* A distorted unit square: displacements given on three sides, tractions on the right one (were all sides held, the
 * volume would be prescribed, and its error of interpolation stressed by a nearly incompressible body). */
static errors errors_of(am_shape shape, const am_solid_body *body, size_t parts) {
    am_solid_mesh mesh = solid_rectangle(shape, body, 1.0, 1.0, parts, parts);
    solid_distort(&mesh, 0.2);
    solid_problem problem = solid_assemble(&mesh);
    add_tractions(&mesh, &mesh.line[am_solid_mesh_find_line(&mesh, "block.right")], problem.force);
    for (size_t i = 0; i < mesh.nodes; i++)
        if (solid_on_boundary(&mesh, i) && (mesh.place[2 * i] < 1.0 || fabs(mesh.place[2 * i + 1] - 0.5) == 0.5)) {
            smooth_field(body, mesh.place[2 * i], mesh.place[2 * i + 1], problem.displacement + 2 * i);
            problem.fixed[2 * i] = problem.fixed[2 * i + 1] = true;
        }
    solid_solve(&problem);
    errors sum = {0};
    for (size_t e = 0; e < mesh.elements; e++)
        add_inner_errors(&mesh, e, problem.displacement, &sum);
    sum.displacement = sqrt(sum.displacement);
    sum.stress = sqrt(sum.stress);
    sum.node_stress = node_stress_error(&mesh, problem.displacement);
    solid_problem_free(&problem);
    am_solid_mesh_clear(&mesh);
    return sum;
}

static double order(double coarse, double fine) { /* the mesh is four times finer */
    return 0.5 * log2(coarse / fine);
}

/* Orders of interpolation: 2 and 3 of displacements, 1 and 2 of stresses, less a margin for meshes that are distorted
 * at random and not yet fine. Means of stresses at nodes are better than those of one element of four nodes. */
static void check_orders(am_shape shape, const am_solid_body *body) {
    errors coarse = errors_of(shape, body, 4), fine = errors_of(shape, body, 16);
    bool linear = shape == AM_QUAD4;
    assert_true(order(coarse.displacement, fine.displacement) > (linear ? 1.8 : 2.8));
    assert_true(order(coarse.stress, fine.stress) > (linear ? 0.9 : 1.7));
    assert_true(order(coarse.node_stress, fine.node_stress) > (linear ? 1.1 : 1.7));
    assert_true(fine.displacement < (linear ? 3e-3 : 5e-5)); /* of displacements of about 2 */
    assert_true(fine.node_stress < (linear ? 0.4 : 0.02));   /* of stresses of about 10 */
}

static void errors_fall_at_the_order_of_the_element(void **unused) {
    (void)unused;
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t i = 0; i < RATIOS; i++)
            for (int stress = 0; stress < 2; stress++) {
                am_solid_body body = body_of(ratios[i], stress);
                check_orders(shapes[s], &body);
            }
}

static double frequency_error(am_shape shape, const am_solid_body *body, size_t parts) {
    am_solid_mesh mesh = solid_rectangle(shape, body, 1.0, 1.0, parts, parts);
    solid_problem problem = solid_assemble(&mesh);
    for (size_t i = 0; i < mesh.nodes; i++)
        for (size_t r = 0; r < 2; r++) /* no motion normal to the sides */
            problem.fixed[2 * i + r] = fabs(mesh.place[2 * i + r] - 0.5) > 0.499999;
    double exact = 2.0 * acos(-1.0) * acos(-1.0) * shear_of(body) / body->density;
    double part = solid_lowest_frequency(&problem) / exact - 1.0;
    solid_problem_free(&problem);
    am_solid_mesh_clear(&mesh);
    return part;
}

/* Between four frictionless walls u = sin(pi x) cos(pi y), v = -cos(pi x) sin(pi y) swings with 2 pi^2 G/density: it
 * shears without change of volume, for any Poisson's ratio; the lowest motion for positive ones. The nodes' mass alone,
 * whose bubbles follow as in statics, leaves errors of second order; with their own motion, which
 * tests/solid/test_solid_dynamics.c measures, they are of fourth (docs/solid.md, section 2). */
static void a_square_between_walls_swings_at_the_frequency_of_shear(void **unused) {
    (void)unused;
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t i = 1; i < RATIOS; i++)
            for (int stress = 0; stress < 2; stress++) {
                am_solid_body body = body_of(ratios[i], stress);
                double coarse = frequency_error(shapes[s], &body, 4), fine = frequency_error(shapes[s], &body, 8);
                assert_true(log2(coarse / fine) > 1.9);
                assert_true(fine > 0.0 && fine < (shapes[s] == AM_QUAD4 ? 0.03 : 0.006));
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_fall_at_the_order_of_the_element),
        cmocka_unit_test(a_square_between_walls_swings_at_the_frequency_of_shear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
