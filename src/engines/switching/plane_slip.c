/* Contacts that slip in a plane: two tangents, a slider behind two springs of one stiffness k, and the circular limit
 * |T| <= mu N, T = -k e. In stick e' = v, the sliding velocity. In slip friction is opposite to the slider's own velocity
 * s' = lambda e, lambda >= 0, so that e' = v - lambda e; and |k e| = mu N stays so if
 *
 *     d/dt |k e|^2/2 = k^2 e.(v - lambda e) = mu^2 N N',     lambda = (k^2 e.v - mu^2 N N')/(k |e|)^2.
 *
 * Friction takes the power -T.s' = k lambda |e|^2, and slip ends where that vanishes. */
#include <math.h>
#include <string.h>

#include "engines/switching/nonlinear.h"
#include "engines/switching/switching.h"

bool am_force_is_disc(am_force_kind kind) {
    return kind == AM_FORCE_DISC_LIMIT || kind == AM_FORCE_DISC_POWER || kind == AM_FORCE_DISC_RATE;
}

bool am_disc_may_slack(am_force_kind kind) {
    return kind == AM_FORCE_DISC_POWER || kind == AM_FORCE_DISC_RATE;
}

void am_disc_list(size_t contact, am_force *force) {
    static const am_force_kind kinds[AM_DISC_FORCES] = {AM_FORCE_DISC_LIMIT, AM_FORCE_DISC_POWER, AM_FORCE_DISC_RATE,
                                                        AM_FORCE_DISC_RATE};
    for (size_t i = 0; i < AM_DISC_FORCES; i++)
        force[i] = (am_force){.kind = kinds[i], .owner = contact, .along = i == AM_DISC_FORCES - 1};
}

bool am_disc_acts(const am_force *force, am_contact_state state) {
    return state == (force->kind == AM_FORCE_DISC_LIMIT ? AM_STICK : AM_SWEEP);
}

am_status am_disc_record(const am_contact_def *contact, const am_force *force, size_t piece, am_formula *f,
                         am_error *err) {
    am_tape *tape = &f->tape;
    double k = contact->tangential_stiffness, mu = contact->friction;
    am_term e[2] = {am_formula_argument(f), am_formula_argument(f)}, N = am_formula_argument(f);
    am_term square =
        am_tape_add(tape, am_tape_multiply(tape, e[0], e[0]), am_tape_multiply(tape, e[1], e[1])); /* |e|^2 */
    if (force->kind == AM_FORCE_DISC_LIMIT) {
        am_term most = am_tape_scale(tape, am_tape_multiply(tape, N, N), mu * mu);
        f->force = am_tape_subtract(tape, most, am_tape_scale(tape, square, k * k));
        return am_formula_finish(f, err);
    }
    am_term v[2] = {am_formula_argument(f), am_formula_argument(f)}, rate = am_formula_argument(f); /* N' */
    am_term along = am_tape_add(tape, am_tape_multiply(tape, e[0], v[0]), am_tape_multiply(tape, e[1], v[1]));
    am_term limit = am_tape_scale(tape, am_tape_multiply(tape, N, rate), mu * mu / k);
    am_term power = am_tape_subtract(tape, am_tape_scale(tape, along, k), limit);
    f->force = power;
    if (piece == 1) /* slack: e' = 0, and nothing ends but the contact (what is positive as power is next to nothing) */
        f->force = am_tape_scale(tape, force->kind == AM_FORCE_DISC_RATE ? v[force->along] : square, 1.0);
    else if (force->kind == AM_FORCE_DISC_RATE)
        f->force = am_tape_multiply(tape, am_tape_divide(tape, power, am_tape_scale(tape, square, k)), e[force->along]);
    return am_formula_finish(f, err);
}

void am_disc_arguments(const am_plan *plan, const am_flow *flow, const am_force *force, double *rows) {
    const am_contact_def *contact = &plan->system->contact[force->owner];
    size_t nx = plan->nx, n = plan->n, first = 2 * n + plan->spring[force->owner];
    rows[first] = rows[nx + first + 1] = 1.0;
    memcpy(rows + 2 * nx, flow->normal + force->owner * nx, nx * sizeof *rows);
    if (force->kind == AM_FORCE_DISC_LIMIT)
        return;
    memcpy(rows + 3 * nx + n, contact->tangent, n * sizeof *rows);
    am_plan_surface_row(plan, force->owner, -1.0, rows + 3 * nx);
    memcpy(rows + 4 * nx + n, contact->second_tangent, n * sizeof *rows);
    am_flow_normal_rate_row(plan, flow, force->owner, 1.0, rows + 5 * nx);
}

double am_disc_slack_force(const am_plan *plan, const am_flow *flow, size_t acting, double zero) {
    size_t c = plan->force[flow->acting[acting]].owner;
    const am_contact_def *contact = &plan->system->contact[c];
    return 16.0 * zero * contact->tangential_stiffness /
           (contact->friction * plan->weight[2 * plan->n + plan->spring[c]]);
}

bool am_disc_is_slack(const am_plan *plan, const am_flow *flow, size_t acting, const double *x, double zero) {
    double limit = am_disc_slack_force(plan, flow, acting, zero), N = 0.0, rate = 0.0;
    const double *rows = am_force_argument(plan, flow, acting, 0);
    for (size_t i = 0; i < plan->nx; i++) {
        N += rows[2 * plan->nx + i] * x[i];
        rate += rows[5 * plan->nx + i] * x[i];
    }
    return fabs(N - limit) <= 0.125 * limit ? rate < 0.0 : N < limit; /* near the limit it goes on as it began */
}

/* ---- at an instant ---- */

static double *stretches(const am_motion *e, size_t c) {
    return e->x + 2 * e->plan.n + e->plan.spring[c];
}

double am_disc_pull(const am_motion *e, size_t c) {
    return e->plan.system->contact[c].tangential_stiffness * hypot(stretches(e, c)[0], stretches(e, c)[1]);
}

/* Along a slip the stretch stays on its circle but for rounding, which is taken out at the beginning of every span. */
void am_disc_project_stretch(am_motion *e) {
    for (size_t c = 0; e->plan.plane && c < e->plan.m; c++) {
        double *stretch = e->series + 2 * e->plan.n + e->plan.spring[c];
        if (e->flow->k.state[c] != AM_SWEEP)
            continue;
        double most = e->plan.system->contact[c].friction * am_engine_normal(e, c), pull = am_disc_pull(e, c);
        double part = most > 0.0 && pull > 0.0 ? most / pull : 1.0;
        stretch[0] = stretches(e, c)[0] *= part;
        stretch[1] = stretches(e, c)[1] *= part;
    }
}

void am_disc_settle(am_motion *e, size_t c, am_contact_state state) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    double k = contact->tangential_stiffness, *stretch = stretches(e, c), pull = am_disc_pull(e, c);
    double most = state == AM_SWEEP ? contact->friction * am_engine_normal(e, c) : 0.0;
    double part = pull > 0.0 && (most > 0.0 || state != AM_SWEEP) ? most / pull : 1.0;
    stretch[0] *= part;
    stretch[1] *= part;
    double loss = 0.5 * (pull * pull - part * part * pull * pull) / k;
    e->energy.loss_friction += loss;
    e->energy.moved += fabs(loss);
}

/* Steps of Newton's method along a tangent of the circle end a little outside: such a start is put back onto it. */
void am_disc_admit(am_motion *e) {
    static const double little = 0.1;
    for (size_t c = 0; e->plan.plane && c < e->plan.m; c++) {
        if (!am_plan_is_disc(&e->plan, c))
            continue;
        double most = e->plan.system->contact[c].friction * am_engine_normal(e, c), pull = am_disc_pull(e, c);
        double part = most > 0.0 && pull > most && pull <= (1.0 + little) * most ? most / pull : 1.0;
        stretches(e, c)[0] *= part;
        stretches(e, c)[1] *= part;
    }
}

static double sliding_velocity(const am_motion *e, size_t c, double *v) {
    v[0] = am_engine_slide(e, c);
    v[1] = am_dense_dot(e->plan.system->contact[c].second_tangent, e->x + e->plan.n, e->plan.n);
    return hypot(v[0], v[1]);
}

bool am_disc_slips_at_once(am_motion *e, size_t c) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    size_t nx = e->plan.nx;
    double v[2], *x = e->x_work[0], *row = e->x_work[1];
    am_flow *flow;
    am_error own = {0};
    memcpy(e->instead, e->state, e->plan.m * sizeof *e->instead);
    e->instead[c] = AM_STICK;
    if (am_flow_get(e->cache, e->instead, &flow, &own) || !flow->possible)
        return false;
    memcpy(x, e->x, nx * sizeof *x);
    am_forces_choose(&e->plan, flow, &e->forces, x, 2.0 * e->zero * e->size);
    am_forces_at(&e->plan, flow, &e->forces, x);
    memset(row, 0, nx * sizeof *row);
    am_flow_normal_rate_row(&e->plan, flow, c, 1.0, row);
    return contact->tangential_stiffness * sliding_velocity(e, c, v) > contact->friction * am_dense_dot(row, x, nx);
}

/* Where nothing presses yet a slider that slips at once does so along the sliding velocity: a stretch far below rounding
 * has that direction, for none has none. */
void am_disc_prepare(am_motion *e, size_t c) {
    size_t n = e->plan.n;
    double v[2], speed = sliding_velocity(e, c, v);
    double *stretch = stretches(e, c), tiny = 1e-12 * e->size / e->plan.weight[2 * n + e->plan.spring[c]];
    for (int i = 0; i < 2; i++)
        stretch[i] = speed > 0.0 ? tiny * v[i] / speed : 0.0;
}
