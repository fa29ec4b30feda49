/* Eight-node quadrilateral and six-node triangle: quadratic displacements, a bubble, and in plane strain a linear
 * pressure that no other element shares. docs/solid.md, section 2. */
#include <math.h>
#include <string.h>

#include "solid/element_internal.h"

enum { PRESSURES = 3 };

/* Plane strain: the stress without its mean, 2 G (e - tr(e)/3); the rest is the pressure's. Plane stress: all of it. */
static am_elasticity shear_law(const am_solid_body *body) {
    if (body->plane_stress)
        return am_elasticity_of(body);
    double shear = body->modulus / (2.0 * (1.0 + body->poisson));
    return (am_elasticity){.along = 4.0 / 3.0 * shear, .across = -2.0 / 3.0 * shear, .shear = shear};
}

static double bulk_compliance(const am_solid_body *body) {
    return 3.0 * (1.0 - 2.0 * body->poisson) / body->modulus;
}

/* 1, x, y about the middle of the corners. Not xi, eta: linear pressures are then linear in any quadrilateral. */
static void pressure_shapes(const double (*place)[2], size_t corners, const double at[2], double value[PRESSURES]) {
    value[0] = 1.0;
    for (int r = 0; r < 2; r++) {
        double mean = 0.0;
        for (size_t a = 0; a < corners; a++)
            mean += place[a][r] - place[0][r];
        value[1 + r] = at[r] - place[0][r] - mean / (double)corners;
    }
}

/* p (div u - p/(2 kappa)): the pressure times the change of volume, less its own energy. */
static void add_pressure(am_element_whole *whole, const am_element_point *point, const double value[PRESSURES],
                         double compliance, double weight) {
    for (size_t i = 0; i < whole->pressures; i++) {
        size_t p = whole->nodal + i;
        for (size_t j = 0; j <= i; j++)
            whole->stiffness[p][whole->nodal + j] -= weight * compliance * value[i] * value[j];
        for (size_t a = 0; a < whole->shapes; a++)
            for (size_t d = 0; d < 2; d++) {
                size_t u = am_element_unknown(whole, a) + d;
                double part = weight * value[i] * point->gradient[a][d];
                whole->stiffness[u > p ? u : p][u > p ? p : u] += part;
            }
    }
}

static void fill(am_shape shape, const double (*place)[2], const am_solid_body *body, am_element_whole *whole) {
    double at[AM_ELEMENT_POINTS][3], pressure[PRESSURES];
    size_t points = am_element_points(shape, at), nodes = am_shape_nodes(shape);
    am_elasticity law = shear_law(body);
    am_element_whole_begin(whole, nodes, nodes + 1, body->plane_stress ? 0 : PRESSURES);
    for (size_t i = 0; i < points; i++) {
        am_element_point point = am_element_at(shape, place, at[i][0], at[i][1]);
        double volume = at[i][2] * point.jacobian * body->thickness;
        am_element_add_stiffness(whole, &point, law, volume);
        am_element_add_mass(whole, &point, nodes + 1, body->density * volume);
        pressure_shapes(place, am_shape_corners(shape), point.place, pressure);
        add_pressure(whole, &point, pressure, bulk_compliance(body), volume);
    }
}

void am_element_mixed(am_shape shape, const double (*place)[2], const am_solid_body *body, am_element_whole *whole) {
    fill(shape, place, body, whole);
    am_element_eliminate(whole);
}

/* ---- the bubble's own motion ---- */

/* beta = T u + L zeta, where L L^T is the bubble's flexibility while the nodes rest (the pressures answer at once: they
 * have no inertia). Rows of M: the force that accelerations of the nodes exert on zeta, L^T (M_bu + M_bb T), and
 * L^T M_bb L. */
typedef struct bubble {
    double follow[2][AM_ELEMENT_SIZE]; /* T */
    double root[2][2];                 /* L, lower triangle */
} bubble;

static bubble bubble_of(const am_element_whole *whole) {
    bubble b = {0};
    double unknown[AM_ELEMENT_ALL], flexibility[2][2];
    size_t first = whole->all - 2;
    for (size_t c = 0; c < whole->nodal; c++) {
        for (size_t i = 0; i < whole->nodal; i++)
            unknown[i] = i == c;
        am_element_recover(whole, unknown);
        for (size_t i = 0; i < 2; i++)
            b.follow[i][c] = unknown[first + i];
    }
    for (size_t i = 0; i < 2; i++) {
        am_element_answer(whole, first + i, unknown);
        flexibility[i][0] = unknown[first];
        flexibility[i][1] = unknown[first + 1];
    }
    b.root[0][0] = sqrt(flexibility[0][0]);
    b.root[1][0] = flexibility[1][0] / b.root[0][0];
    b.root[1][1] = sqrt(fmax(0.0, flexibility[1][1] - b.root[1][0] * b.root[1][0]));
    return b;
}

void am_element_mixed_inertia(am_shape shape, const double (*place)[2], const am_solid_body *body,
                              am_element_whole *whole, double *mass) {
    fill(shape, place, body, whole);
    size_t nodal = whole->nodal, first = whole->all - 2, size = nodal + 2;
    double own = whole->mass[first][first], force[2][AM_ELEMENT_SIZE]; /* M_bb = own times 1, M_bu + M_bb T */
    for (size_t i = 0; i < 2; i++)
        for (size_t c = 0; c < nodal; c++)
            force[i][c] = whole->mass[first + i][c];
    am_element_eliminate(whole);
    bubble b = bubble_of(whole);
    for (size_t i = 0; i < 2; i++)
        for (size_t c = 0; c < nodal; c++)
            force[i][c] += own * b.follow[i][c];
    for (size_t i = 0; i < 2; i++) {
        for (size_t c = 0; c < nodal; c++)
            mass[(nodal + i) * size + c] = mass[c * size + nodal + i] =
                b.root[0][i] * force[0][c] + b.root[1][i] * force[1][c];
        for (size_t c = 0; c < 2; c++)
            mass[(nodal + i) * size + nodal + c] = own * (b.root[0][i] * b.root[0][c] + b.root[1][i] * b.root[1][c]);
    }
}

void am_element_mixed_stress(am_shape shape, const double (*place)[2], const am_solid_body *body,
                             const double *displacement, size_t count, const double (*at)[2],
                             am_element_stress_result *stress) {
    am_element_whole whole;
    double unknown[AM_ELEMENT_ALL], value[PRESSURES];
    am_element_mixed(shape, place, body, &whole);
    memcpy(unknown, displacement, whole.nodal * sizeof *unknown);
    am_element_recover(&whole, unknown);
    for (size_t i = 0; i < count; i++) {
        am_element_point point = am_element_at(shape, place, at[i][0], at[i][1]);
        stress[i] = am_element_strain_stress(&whole, &point, shear_law(body), body, unknown);
        pressure_shapes(place, am_shape_corners(shape), point.place, value);
        double mean = 0.0;
        for (size_t j = 0; j < whole.pressures; j++)
            mean += value[j] * unknown[whole.nodal + j];
        if (!body->plane_stress) {
            stress[i].xx += mean;
            stress[i].yy += mean;
            stress[i].zz += mean;
        }
    }
}
