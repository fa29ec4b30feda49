/* The books of energy. Along a span every power is a product of two polynomials (force and velocity), integrated
 * exactly. */
#include <math.h>

#include "analysis/engine.h"
#include "math/dense.h"

double am_engine_kinetic(const am_motion *e) {
    return 0.5 * am_dense_quadratic(e->plan.M, e->x + e->plan.n, e->plan.n);
}

double am_engine_potential(const am_motion *e) {
    return 0.5 * am_dense_quadratic(e->plan.K, e->x, e->plan.n);
}

/* p[k] = row.x_k length^k: a linear function of x along the span, on [0, 1]. `part`, `size`: which entries of x the row
 * covers. */
static void polynomial(const am_motion *e, const double *row, size_t part, size_t size, const double *power,
                       double *p) {
    for (size_t k = 0; k < AM_COEFFICIENTS; k++)
        p[k] = power[k] * am_dense_dot(row, e->series + k * e->plan.nx + part, size);
}

static void account_coordinates(am_motion *e, double length, const double *power) {
    size_t n = e->plan.n;
    for (size_t i = 0; i < n; i++) {
        double velocity[AM_COEFFICIENTS], force[AM_COEFFICIENTS];
        for (size_t k = 0; k < AM_COEFFICIENTS; k++)
            velocity[k] = power[k] * e->series[k * e->plan.nx + n + i];
        polynomial(e, e->plan.system->input + i * e->plan.nz, 2 * n, e->plan.nz, power, force);
        double work = length * am_polynomial_product_integral(force, velocity);
        e->energy.work_loads += work;
        e->energy.moved += fabs(work);
        if (!e->plan.damped)
            continue;
        polynomial(e, e->plan.C + i * n, n, n, power, force);
        double loss = length * am_polynomial_product_integral(force, velocity);
        e->energy.loss_damping += loss;
        e->energy.moved += fabs(loss);
    }
}

static void account_contacts(am_motion *e, double length, const double *power) {
    size_t n = e->plan.n;
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        am_contact_state state = e->flow->k.state[c];
        bool slips = state == AM_FORWARD || state == AM_BACKWARD;
        if (state == AM_OPEN || (!slips && contact->surface_velocity == 0.0))
            continue;
        double friction[AM_COEFFICIENTS], slide[AM_COEFFICIENTS];
        polynomial(e, e->flow->tangential + c * e->plan.nx, 0, e->plan.nx, power, friction);
        double belt = contact->surface_velocity * length * am_polynomial_integral(friction);
        e->energy.work_surface += belt;
        e->energy.moved += fabs(belt);
        if (!slips)
            continue;
        polynomial(e, contact->tangent, n, n, power, slide);
        slide[0] -= contact->surface_velocity;
        double loss = -length * am_polynomial_product_integral(friction, slide);
        e->energy.loss_friction += loss;
        e->energy.moved += fabs(loss);
    }
}

void am_engine_account(am_motion *e, double length) {
    double power[AM_COEFFICIENTS];
    power[0] = 1.0;
    for (size_t k = 1; k < AM_COEFFICIENTS; k++)
        power[k] = power[k - 1] * length;
    account_coordinates(e, length, power);
    account_contacts(e, length, power);
}
