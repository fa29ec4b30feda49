/* Four nodes, with the incompatible modes 1 - xi^2 and 1 - eta^2 in Taylor's form (QM6): docs/solid.md, section 2. */
#include <math.h>
#include <string.h>

#include "solid/element_internal.h"

enum { NODES = 4, SHAPES = 6 };

/* The gradients of the modes use the Jacobian of the centre, so that they integrate to zero and constant stresses do no
 * work on them: the patch test is passed by any quadrilateral. */
static am_element_point with_modes(const double (*place)[2], const am_element_point *centre, double xi, double eta) {
    am_element_point point = am_element_at(AM_QUAD4, place, xi, eta);
    double ratio = centre->jacobian / point.jacobian;
    for (int r = 0; r < 2; r++) {
        point.gradient[NODES][r] = -2.0 * xi * centre->inverse[0][r] * ratio;
        point.gradient[NODES + 1][r] = -2.0 * eta * centre->inverse[1][r] * ratio;
    }
    return point;
}

void am_element_quad4(const double (*place)[2], const am_solid_body *body, am_element_whole *whole) {
    double at[AM_ELEMENT_POINTS][3];
    size_t points = am_element_points(AM_QUAD4, at);
    am_elasticity law = am_elasticity_of(body);
    am_element_point centre = am_element_at(AM_QUAD4, place, 0.0, 0.0);
    am_element_whole_begin(whole, NODES, SHAPES, 0);
    for (size_t i = 0; i < points; i++) {
        am_element_point point = with_modes(place, &centre, at[i][0], at[i][1]);
        double volume = at[i][2] * point.jacobian * body->thickness;
        am_element_add_stiffness(whole, &point, law, volume);
        am_element_add_mass(whole, &point, NODES, body->density * volume);
    }
    am_element_eliminate(whole);
}

/* From the four points of integration, where equilibrium with the modes holds, continued by the bilinear functions. */
void am_element_quad4_stress(const double (*place)[2], const am_solid_body *body, const double *displacement,
                             size_t count, const double (*at)[2], am_element_stress_result *stress) {
    am_element_whole whole;
    am_element_quad4(place, body, &whole);
    double unknown[AM_ELEMENT_ALL], far = sqrt(3.0);
    memcpy(unknown, displacement, whole.nodal * sizeof *unknown);
    am_element_recover(&whole, unknown);
    am_element_point centre = am_element_at(AM_QUAD4, place, 0.0, 0.0);
    am_element_stress_result known[NODES];
    for (size_t k = 0; k < NODES; k++) {
        double xi, eta;
        am_element_node_place(AM_QUAD4, k, &xi, &eta);
        am_element_point point = with_modes(place, &centre, xi / far, eta / far);
        known[k] = am_element_strain_stress(&whole, &point, am_elasticity_of(body), body, unknown);
    }
    for (size_t i = 0; i < count; i++) {
        double value[AM_ELEMENT_SHAPES], slope[AM_ELEMENT_SHAPES][2];
        am_element_shapes(AM_QUAD4, far * at[i][0], far * at[i][1], value, slope);
        stress[i] = (am_element_stress_result){0};
        for (size_t k = 0; k < NODES; k++)
            am_element_add_stress(&stress[i], value[k], &known[k]);
    }
}
