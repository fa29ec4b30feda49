#include "solid/element.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

#include "base/watch.h"
#include "solid/element_internal.h"

am_elasticity am_elasticity_of(const am_solid_body *body) {
    double nu = body->poisson, shear = body->modulus / (2.0 * (1.0 + nu));
    if (body->plane_stress) {
        double along = body->modulus / ((1.0 - nu) * (1.0 + nu));
        return (am_elasticity){.along = along, .across = nu * along, .shear = shear};
    }
    double lame = body->modulus * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    return (am_elasticity){.along = lame + 2.0 * shear, .across = lame, .shear = shear};
}

void am_element_whole_begin(am_element_whole *whole, size_t nodes, size_t shapes, size_t pressures) {
    memset(whole, 0, sizeof *whole);
    whole->nodes = nodes;
    whole->shapes = shapes;
    whole->pressures = pressures;
    whole->nodal = 2 * nodes;
    whole->all = 2 * shapes + pressures;
}

size_t am_element_unknown(const am_element_whole *whole, size_t shape) {
    return 2 * shape + (shape < whole->nodes ? 0 : whole->pressures);
}

void am_element_add_stiffness(am_element_whole *whole, const am_element_point *point, am_elasticity law,
                              double weight) {
    for (size_t a = 0; a < whole->shapes; a++) {
        size_t r = am_element_unknown(whole, a);
        double x = weight * point->gradient[a][0], y = weight * point->gradient[a][1];
        for (size_t b = 0; b <= a; b++) {
            size_t c = am_element_unknown(whole, b);
            const double *g = point->gradient[b];
            whole->stiffness[r][c] += law.along * x * g[0] + law.shear * y * g[1];
            whole->stiffness[r][c + 1] += law.across * x * g[1] + law.shear * y * g[0];
            whole->stiffness[r + 1][c] += law.across * y * g[0] + law.shear * x * g[1];
            whole->stiffness[r + 1][c + 1] += law.along * y * g[1] + law.shear * x * g[0];
        }
    }
}

void am_element_add_mass(am_element_whole *whole, const am_element_point *point, size_t inert, double weight) {
    for (size_t a = 0; a < inert; a++) {
        size_t r = am_element_unknown(whole, a);
        for (size_t b = 0; b <= a; b++) {
            size_t c = am_element_unknown(whole, b);
            double part = weight * point->value[a] * point->value[b];
            whole->mass[r][c] += part;
            whole->mass[r + 1][c + 1] += part;
        }
    }
}

/* Gauss, from the last unknown on: u_j = -sum of g_r u_r. The inner shapes come first; their block is positive
 * definite, and then that of the pressures negative definite, so that no pivot has to be looked for. */
void am_element_eliminate(am_element_whole *whole) {
    double g[AM_ELEMENT_ALL];
    for (size_t j = whole->all; j-- > whole->nodal;) {
        const double *row = whole->stiffness[j], *heavy = whole->mass[j];
        for (size_t r = 0; r < j; r++)
            g[r] = row[r] / row[j];
        for (size_t r = 0; r < j; r++)
            for (size_t c = 0; c <= r; c++) {
                whole->stiffness[r][c] -= g[r] * row[c];
                whole->mass[r][c] += g[r] * heavy[j] * g[c] - g[r] * heavy[c] - heavy[r] * g[c];
            }
    }
}

void am_element_recover(const am_element_whole *whole, double *unknown) {
    for (size_t j = whole->nodal; j < whole->all; j++) {
        double sum = 0.0;
        for (size_t r = 0; r < j; r++)
            sum += whole->stiffness[j][r] * unknown[r];
        unknown[j] = -sum / whole->stiffness[j][j];
    }
}

void am_element_answer(const am_element_whole *whole, size_t unknown, double answer[AM_ELEMENT_ALL]) {
    memset(answer, 0, whole->all * sizeof *answer);
    answer[unknown] = 1.0;
    for (size_t j = unknown + 1; j-- > whole->nodal;) /* as the rows were eliminated */
        for (size_t r = whole->nodal; r < j; r++)
            answer[r] -= whole->stiffness[j][r] / whole->stiffness[j][j] * answer[j];
    for (size_t j = whole->nodal; j < whole->all; j++) {
        for (size_t r = whole->nodal; r < j; r++)
            answer[j] -= whole->stiffness[j][r] * answer[r];
        answer[j] /= whole->stiffness[j][j];
    }
}

am_element_stress_result am_element_strain_stress(const am_element_whole *whole, const am_element_point *point,
                                                  am_elasticity law, const am_solid_body *body, const double *unknown) {
    double xx = 0.0, yy = 0.0, xy = 0.0;
    for (size_t a = 0; a < whole->shapes; a++) {
        const double *u = unknown + am_element_unknown(whole, a);
        xx += point->gradient[a][0] * u[0];
        yy += point->gradient[a][1] * u[1];
        xy += point->gradient[a][1] * u[0] + point->gradient[a][0] * u[1];
    }
    return (am_element_stress_result){
        .xx = law.along * xx + law.across * yy,
        .yy = law.across * xx + law.along * yy,
        .xy = law.shear * xy,
        .zz = body->plane_stress ? 0.0 : law.across * (xx + yy),
    };
}

void am_element_add_stress(am_element_stress_result *sum, double weight, const am_element_stress_result *stress) {
    sum->xx += weight * stress->xx;
    sum->yy += weight * stress->yy;
    sum->xy += weight * stress->xy;
    sum->zz += weight * stress->zz;
}

static void build(am_shape shape, const double (*place)[2], const am_solid_body *body, am_element_whole *whole) {
    if (shape == AM_QUAD4)
        am_element_quad4(place, body, whole);
    else
        am_element_mixed(shape, place, body, whole);
}

/* The whole symmetric matrix, its rows `stride` apart, from the lower triangle. */
static void copy_out(double (*lower)[AM_ELEMENT_ALL], size_t n, size_t stride, double *matrix) {
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++)
            matrix[r * stride + c] = matrix[c * stride + r] = lower[r][c];
}

static am_status check(am_shape shape, const double (*place)[2], const am_solid_body *body, am_error *err) {
    AM_TRY(am_solid_body_check(body, err));
    AM_TRY(am_watch_spend(2e4, err));
    const char *flaw = am_element_flaw(shape, place);
    return flaw ? am_fail(err, AM_ERR_INPUT, "the element with a corner at (%g, %g) cannot be used: %s", place[0][0],
                          place[0][1], flaw)
                : AM_OK;
}

am_status am_element_matrices(am_shape shape, const double (*place)[2], const am_solid_body *body, double *stiffness,
                              double *mass, am_error *err) {
    AM_TRY(check(shape, place, body, err));
    am_element_whole whole;
    build(shape, place, body, &whole);
    for (size_t i = 0; i < whole.nodal; i++)
        if (!(whole.stiffness[i][i] > 0.0 && isfinite(whole.stiffness[i][i])))
            return am_fail(err, AM_ERR_INPUT,
                           "the element with a corner at (%g, %g) gets no finite positive stiffness; look at the units "
                           "of modulus (%g), thickness (%g) and places",
                           place[0][0], place[0][1], body->modulus, body->thickness);
    copy_out(whole.stiffness, whole.nodal, whole.nodal, stiffness);
    if (mass)
        copy_out(whole.mass, whole.nodal, whole.nodal, mass);
    return AM_OK;
}

size_t am_element_bubbles(am_shape shape) {
    return shape == AM_QUAD4 ? 0 : 2;
}

am_status am_element_inertia(am_shape shape, const double (*place)[2], const am_solid_body *body, double *mass,
                             am_error *err) {
    am_element_whole whole;
    AM_TRY(check(shape, place, body, err));
    if (shape == AM_QUAD4)
        am_element_quad4(place, body, &whole);
    else
        am_element_mixed_inertia(shape, place, body, &whole, mass);
    copy_out(whole.mass, whole.nodal, whole.nodal + am_element_bubbles(shape), mass);
    return AM_OK;
}

/* Mass times acceleration: nothing inside moves by itself when all nodes move alike, and the mass knows the bubble. */
void am_element_body_force(am_shape shape, const double (*place)[2], const am_solid_body *body,
                           const double acceleration[2], double *force) {
    am_element_whole whole;
    build(shape, place, body, &whole);
    for (size_t r = 0; r < whole.nodal; r++) {
        force[r] = 0.0;
        for (size_t c = 0; c < whole.nodal; c++)
            force[r] += (c <= r ? whole.mass[r][c] : whole.mass[c][r]) * acceleration[c % 2];
    }
}

void am_element_stresses(am_shape shape, const double (*place)[2], const am_solid_body *body,
                         const double *displacement, size_t count, const double (*at)[2],
                         am_element_stress_result *stress) {
    if (shape == AM_QUAD4)
        am_element_quad4_stress(place, body, displacement, count, at, stress);
    else
        am_element_mixed_stress(shape, place, body, displacement, count, at, stress);
}
