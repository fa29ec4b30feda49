/* The balance of energy. Along a span every power is a product of two polynomials (force and velocity), integrated
 * exactly. */
#include <math.h>
#include <string.h>

#include "engines/switching/rows.h"
#include "engines/switching/switching.h"
#include "math/dense.h"
#include "math/quadrature.h"
#include "system/polynomial.h"

double am_engine_kinetic(const am_motion *e) {
    return 0.5 * am_dense_quadratic(e->plan.M, e->x + e->plan.n, e->plan.n);
}

/* k d^(beta + 1)/(beta + 1) */
static double stored_at(const am_contact_def *contact, double depth) {
    double power = (contact->normal_law == AM_KELVIN_VOIGT ? 1.0 : contact->contact_exponent) + 1.0;
    return depth > 0.0 ? contact->contact_stiffness * pow(depth, power) / power : 0.0;
}

double am_engine_potential(const am_motion *e) {
    double energy = 0.5 * am_dense_quadratic(e->plan.K, e->x, e->plan.n);
    if (e->plan.circulatory)
        energy -= 0.5 * am_dense_quadratic(e->plan.circulatory, e->x, e->plan.n);
    for (size_t c = 0; c < e->plan.m; c++) {
        if (e->plan.spring[c] == AM_NO_ROW)
            continue;
        double stretch = e->x[2 * e->plan.n + e->plan.spring[c]];
        energy += 0.5 * e->plan.system->contact[c].tangential_stiffness * stretch * stretch;
        double second = am_plan_is_disc(&e->plan, c) ? e->x[2 * e->plan.n + e->plan.spring[c] + 1] : 0.0;
        energy += 0.5 * e->plan.system->contact[c].tangential_stiffness * second * second;
    }
    for (size_t c = 0; e->plan.compliant && c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        if (!am_contact_is_compliant(contact))
            continue;
        energy += stored_at(contact, -am_engine_gap(e, c));
    }
    for (size_t p = 0; p < e->plan.system->polynomials; p++) {
        const am_polynomial_def *spring = &e->plan.system->polynomial[p];
        energy += am_polynomial_stored(spring, am_dense_dot(spring->direction, e->x, e->plan.n));
    }
    return energy;
}

/* p[k] = row.x_k length^k: a linear function of x along the span, on [0, 1]. `part`, `size`: which entries of x the row
 * covers, most of them with zeros; `orders`: in how many of the orders some of them are not zero. Few entries are added
 * one after another, as am_dense_dot does, but all orders at a time and only where the row has some. */
static void polynomial(const am_motion *e, const double *row, size_t part, size_t size, size_t orders,
                       const double *power, double *p) {
    const size_t nx = e->plan.nx;
    while (size > 0 && row[size - 1] == 0.0)
        size--;
    for (; size > 0 && *row == 0.0; size--, part++)
        row++;
    const double *x = e->series + part;
    memset(p, 0, AM_COEFFICIENTS * sizeof *p);
    for (size_t k = 0; size >= 8 && k < orders; k++)
        p[k] = am_dense_dot(row, x + k * nx, size);
    for (size_t j = 0; size < 8 && j < size; j++)
        for (size_t k = 0; row[j] != 0.0 && k < orders; k++)
            p[k] += row[j] * x[k * nx + j];
    for (size_t k = 0; k < orders; k++)
        p[k] *= power[k];
}

/* The orders in which loads have a derivative: two of a ramp. */
static size_t input_orders(const am_motion *e) {
    return e->written.orders < AM_COEFFICIENTS ? e->written.orders : AM_COEFFICIENTS;
}

static void account_coordinates(am_motion *e, double length, const double *power) {
    size_t n = e->plan.n, orders = input_orders(e);
    for (size_t i = 0; i < n; i++) {
        double velocity[AM_COEFFICIENTS], force[AM_COEFFICIENTS];
        for (size_t k = 0; k < AM_COEFFICIENTS; k++)
            velocity[k] = power[k] * e->series[k * e->plan.nx + n + i];
        polynomial(e, e->plan.system->input + i * e->plan.nz, e->plan.nd, e->plan.nz, orders, power, force);
        double work = length * am_polynomial_product_integral(force, velocity);
        e->energy.work_loads += work;
        e->energy.moved += fabs(work);
        if (e->plan.circulatory) {
            polynomial(e, e->plan.circulatory + i * n, 0, n, AM_COEFFICIENTS, power, force);
            double twist = -length * am_polynomial_product_integral(force, velocity);
            e->energy.work_circulatory += twist;
            e->energy.moved += fabs(twist);
        }
        if (!e->plan.damped)
            continue;
        polynomial(e, e->plan.C + i * n, n, n, AM_COEFFICIENTS, power, force);
        double loss = length * am_polynomial_product_integral(force, velocity);
        e->energy.loss_damping += loss;
        e->energy.moved += fabs(loss);
    }
}

/* p += row.z along the span. */
static void add_inputs(const am_motion *e, const double *row, const double *power, double *p) {
    double more[AM_COEFFICIENTS];
    polynomial(e, row, e->plan.nd, e->plan.nz, input_orders(e), power, more);
    for (size_t k = 0; k < AM_COEFFICIENTS; k++)
        p[k] += more[k];
}

/* What a support that moves along the normal does: -N gap'. */
static void account_support(am_motion *e, size_t c, double length, const double *power) {
    const am_system *s = e->plan.system;
    double press[AM_COEFFICIENTS], lift[AM_COEFFICIENTS] = {0};
    if (!s->lifted[c] || !am_is_closed(e->flow->k.state[c]))
        return;
    polynomial(e, e->flow->normal + c * e->plan.nx, 0, e->plan.nx, AM_COEFFICIENTS, power, press);
    add_inputs(e, s->gap_rate + c * s->nz, power, lift);
    double work = -length * am_polynomial_product_integral(press, lift);
    e->energy.work_surface += work;
    e->energy.moved += fabs(work);
}

static void account_surface(am_motion *e, size_t c, double length, const double *power, const double *friction) {
    const am_system *s = e->plan.system;
    double belt = s->contact[c].surface_velocity * length * am_polynomial_integral(friction);
    if (s->drawn[c]) {
        double velocity[AM_COEFFICIENTS];
        polynomial(e, s->surface + c * s->nz, e->plan.nd, s->nz, input_orders(e), power, velocity);
        belt = length * am_polynomial_product_integral(friction, velocity);
    }
    e->energy.work_surface += belt;
    e->energy.moved += fabs(belt);
}

/* The sliding velocity in the direction of slip. The quantity is that, but where speeds are rests of larger ones (drive_row
 * in flow.c). */
static const double *velocity_row(const am_motion *e, size_t q) {
    size_t c = e->flow->quantity[q].contact, nx = e->plan.nx;
    if (e->plan.followers == 0 || e->flow->k.state[c] == AM_SWEEP)
        return e->flow->row + q * nx;
    memset(e->x_work[0], 0, nx * sizeof *e->x_work[0]);
    am_flow_slide_row(&e->plan, e->flow, c, e->x_work[0]);
    return e->x_work[0];
}

/* Every contact that slips has one quantity SLIDE. */
static void account_contacts(am_motion *e, double length, const double *power) {
    const am_flow *flow = e->flow;
    size_t nx = e->plan.nx;
    double friction[AM_COEFFICIENTS], slide[AM_COEFFICIENTS];
    for (size_t c = 0; c < e->plan.m; c++) {
        account_support(e, c, length, power);
        bool moves = e->plan.system->drawn[c] || e->plan.system->contact[c].surface_velocity != 0.0;
        if (flow->k.state[c] == AM_OPEN || !moves)
            continue;
        polynomial(e, flow->tangential + c * nx, 0, nx, AM_COEFFICIENTS, power, friction);
        account_surface(e, c, length, power, friction);
    }
    for (size_t q = 0; q < flow->quantities; q++) {
        if (flow->quantity[q].kind != AM_QUANTITY_SLIDE)
            continue;
        size_t c = flow->quantity[q].contact;
        polynomial(e, flow->tangential + c * nx, 0, nx, AM_COEFFICIENTS, power, friction);
        polynomial(e, velocity_row(e, q), 0, nx, AM_COEFFICIENTS, power, slide);
        double loss = flow->k.state[c] == AM_SWEEP /* the quantity is the power */
                          ? length * am_polynomial_integral(slide)
                          : am_slip_sign(flow->k.state[c]) * length * am_polynomial_product_integral(friction, slide);
        e->energy.loss_friction += loss;
        e->energy.moved += fabs(loss);
    }
}

/* What the damping of compliant contacts takes: c d'^2 while they are closed. While they are lax their spring relaxes
 * against it, k d (-d'). */
static void account_compliant(am_motion *e, size_t c, double length, const double *power) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    size_t n = e->plan.n;
    const am_system *s = e->plan.system;
    double rate[AM_COEFFICIENTS], force[AM_COEFFICIENTS];
    bool lax = e->flow->k.state[c] == AM_LAX;
    polynomial(e, contact->normal, n, n, AM_COEFFICIENTS, power, rate);
    polynomial(e, contact->normal, lax ? 0 : n, n, AM_COEFFICIENTS, power, force);
    if (s->lifted[c]) {
        add_inputs(e, s->gap_rate + c * s->nz, power, rate);
        add_inputs(e, (lax ? s->gap : s->gap_rate) + c * s->nz, power, force);
    } else
        force[0] += lax ? contact->gap : 0.0;
    double factor = lax ? -contact->contact_stiffness : contact->contact_damping;
    double loss = factor * length * am_polynomial_product_integral(force, rate);
    e->energy.loss_damping += loss;
    e->energy.moved += fabs(loss);
}

static double depth_at(const am_motion *e, size_t c, const double *x) {
    const am_system *s = e->plan.system;
    return -am_dense_dot(s->contact[c].normal, x, e->plan.n) - am_system_gap(s, c, x + e->plan.nd);
}

/* The same of curved laws: N = k d^beta (1 + 3/2 alpha d') loses its second part times d', integrated by points. While they
 * are lax what was stored is lost: k d^beta has no series where the surfaces part. */
static void account_curved(am_motion *e, size_t c, double length) {
    const am_system *s = e->plan.system;
    const am_contact_def *contact = &s->contact[c];
    size_t n = e->plan.n, entries = e->plan.nd + (s->lifted[c] ? e->plan.nz : 0);
    double *x = e->x_work[0], loss = 0.0;
    for (size_t g = 0; e->flow->k.state[c] != AM_LAX && g < AM_QUADRATURE_POINTS; g++) {
        double node, weight = 0.5 * am_quadrature_point(g, &node) * length;
        am_engine_evaluate(e, 0.5 * (1.0 + node) * length, x, entries);
        double depth = fmax(0.0, depth_at(e, c, x));
        double rate = -am_dense_dot(contact->normal, x + n, n) - am_system_gap_rate(s, c, x + e->plan.nd);
        loss += weight * contact->contact_stiffness * pow(depth, contact->contact_exponent) * 1.5 *
                contact->contact_dissipation * rate * rate;
    }
    if (e->flow->k.state[c] == AM_LAX) {
        am_engine_evaluate(e, length, x, entries);
        loss = stored_at(contact, depth_at(e, c, e->series)) - stored_at(contact, depth_at(e, c, x));
    }
    e->energy.loss_damping += loss;
    e->energy.moved += fabs(loss);
}

/* What polynomial dampers take: products of many series, integrated by points. */
static void account_polynomials(am_motion *e, double length) {
    size_t n = e->plan.n;
    double *x = e->x_work[0];
    for (size_t g = 0; g < AM_QUADRATURE_POINTS; g++) {
        double node, weight = 0.5 * am_quadrature_point(g, &node) * length;
        am_engine_evaluate(e, 0.5 * (1.0 + node) * length, x, e->plan.nd);
        for (size_t p = 0; p < e->plan.system->polynomials; p++) {
            const am_polynomial_def *spring = &e->plan.system->polynomial[p];
            double stretch = am_dense_dot(spring->direction, x, n), rate = am_dense_dot(spring->direction, x + n, n);
            double loss = weight * am_polynomial_lost(spring, stretch, rate);
            e->energy.loss_damping += loss;
            e->energy.moved += fabs(loss);
        }
    }
}

/* What stiffness that varies gives to the motion, -k(t) e e': the work of whoever varies it. */
static void account_varying(am_motion *e, double length, const double *power) {
    double force[AM_COEFFICIENTS], rate[AM_COEFFICIENTS];
    for (size_t j = 0; j < e->plan.forces; j++) {
        if (e->plan.force[j].kind != AM_FORCE_VARYING)
            continue;
        for (size_t k = 0; k < AM_COEFFICIENTS; k++)
            force[k] = power[k] * e->series[k * e->plan.nx + e->plan.nd + e->plan.nz + j];
        polynomial(e, e->plan.force[j].direction, e->plan.n, e->plan.n, AM_COEFFICIENTS, power, rate);
        double work = -length * am_polynomial_product_integral(force, rate);
        e->energy.work_loads += work;
        e->energy.moved += fabs(work);
    }
}

void am_engine_account(am_motion *e, double length) {
    double power[AM_COEFFICIENTS];
    power[0] = 1.0;
    for (size_t k = 1; k < AM_COEFFICIENTS; k++)
        power[k] = power[k - 1] * length;
    account_coordinates(e, length, power);
    account_contacts(e, length, power);
    for (size_t c = 0; e->plan.compliant && c < e->plan.m; c++)
        if (am_contact_is_compliant(&e->plan.system->contact[c]) && e->flow->k.state[c] != AM_OPEN)
            e->plan.system->contact[c].normal_law == AM_KELVIN_VOIGT ? account_compliant(e, c, length, power)
                                                                     : account_curved(e, c, length);
    if (e->plan.system->polynomials > 0)
        account_polynomials(e, length);
    if (e->plan.system->varyings > 0)
        account_varying(e, length, power);
}
