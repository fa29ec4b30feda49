/* Forces that depend on each other through their arguments, a = R x + C g, g = law(a): the normal force of a rigid contact
 * under its own friction, the sliding speed of a coordinate without mass under its own.
 *
 * With mass the forces are the unknowns, g = law(R x + C g). Without mass the speed is what is left of large forces: it
 * may be 1e-20 of what each of them alone would cause, so that the arguments must be the unknowns, a = R x + C law(a). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "engines/switching/nonlinear.h"
#include "math/dense.h"
#include "math/lu.h"

/* A slope that does not exist (of z/N where neither has begun) carries nothing. */
static double slope_of(const am_force_work *work, const am_formula *f, size_t j, size_t i) {
    double slope = work->series[j][f->slope[i] * AM_TAPE_ORDERS];
    return isfinite(slope) ? slope : 0.0;
}

/* 1 - slopes times loops, factored. False where it is singular. */
static bool factor_loops(const am_plan *plan, const am_flow *flow, am_force_work *work) {
    size_t F = flow->active;
    for (size_t a = 0; a < F; a++) {
        const am_formula *f = am_force_formula(plan, work, flow->acting[a]);
        for (size_t b = 0; b < F; b++) {
            work->matrix[a * F + b] = a == b ? 1.0 : 0.0;
            for (size_t i = 0; i < f->arguments; i++)
                work->matrix[a * F + b] -= slope_of(work, f, flow->acting[a], i) * am_force_loop(plan, flow, a, i, b);
        }
    }
    return am_lu_factor(work->matrix, F, work->pivot);
}

/* Order k where each force depends on those before it only: one after the other. */
static void follow_chain(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t k, double *x) {
    double *g = x + plan->nd + plan->nz;
    for (size_t a = 0; a < flow->active; a++)
        g[flow->acting[a]] = 0.0;
    for (size_t a = 0; a < flow->active; a++) {
        am_force_arguments(plan, flow, work, a, k, x, plan->nx);
        g[flow->acting[a]] = am_force_run(plan, work, flow->acting[a], k);
    }
    if (k == 0)
        factor_loops(plan, flow, work); /* for derivatives: a triangle with ones */
}

/* Order 0 where forces depend on each other: Newton's method. Friction of rigid contacts is linear in their normal
 * forces and needs one step. */
static void solve_forces(const am_plan *plan, const am_flow *flow, am_force_work *work, double *x) {
    size_t F = flow->active;
    double *g = x + plan->nd + plan->nz;
    for (int step = 0; step < 12; step++) {
        double change = 0.0, size = 0.0;
        am_forces_arguments(plan, flow, work, 0, x, plan->nx);
        for (size_t a = 0; a < F; a++)
            work->side[a] = am_force_run(plan, work, flow->acting[a], 0) - g[flow->acting[a]];
        if (!factor_loops(plan, flow, work))
            work->side[0] = NAN;
        else
            am_lu_solve(work->matrix, F, work->pivot, 1, work->side);
        for (size_t a = 0; a < F; a++) {
            g[flow->acting[a]] += work->side[a];
            change = fmax(change, fabs(work->side[a]));
            size = fmax(size, fabs(g[flow->acting[a]]));
        }
        if (!(change > 4.0 * DBL_EPSILON * size))
            break;
    }
    am_forces_arguments(plan, flow, work, 0, x, plan->nx);
    for (size_t a = 0; a < F; a++)
        am_force_run(plan, work, flow->acting[a], 0);
}

static void solve_forces_order(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t k, double *x) {
    double *g = x + plan->nd + plan->nz;
    for (size_t a = 0; a < flow->active; a++)
        work->side[a] = g[flow->acting[a]];
    am_lu_solve(work->matrix, flow->active, work->pivot, 1, work->side);
    for (size_t a = 0; a < flow->active; a++)
        g[flow->acting[a]] = work->side[a];
    am_forces_arguments(plan, flow, work, k, x, plan->nx);
    for (size_t a = 0; a < flow->active; a++)
        am_force_run(plan, work, flow->acting[a], k);
}

/* ---- arguments as unknowns ---- */

static double *argument_at(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t u, size_t k) {
    size_t j = flow->acting[u / flow->arguments], i = u % flow->arguments;
    const am_formula *f = am_force_formula(plan, work, j);
    return i < f->arguments ? &work->series[j][f->argument[i] * AM_TAPE_ORDERS + k] : NULL;
}

/* Is unknown u a sliding speed, in which a law without stick is written for positive values? */
static bool is_speed(const am_plan *plan, const am_flow *flow, size_t u) {
    am_force_kind kind = plan->force[flow->acting[u / flow->arguments]].kind;
    return (kind == AM_FORCE_DRAG || kind == AM_FORCE_RATE) && u % flow->arguments == 1;
}

/* Or one of friction mu(v), which may have any sign. Where slip begins it is a difference of forces that has hardly begun,
 * and mu(v) - mu(0) has the rounding of mu(0). */
static bool is_speed_of_friction(const am_plan *plan, const am_flow *flow, size_t u) {
    return plan->force[flow->acting[u / flow->arguments]].kind == AM_FORCE_FRICTION && u % flow->arguments == 0;
}

/* The rate of a contact's internal variable has the speed of its friction for an argument: which unknown that is; u
 * itself of all others. */
static size_t same_speed(const am_plan *plan, const am_flow *flow, size_t u) {
    const am_force *force = &plan->force[flow->acting[u / flow->arguments]];
    for (size_t a = 0; a < flow->active && force->kind == AM_FORCE_RATE && is_speed(plan, flow, u); a++) {
        const am_force *drag = &plan->force[flow->acting[a]];
        if (drag->kind == AM_FORCE_DRAG && drag->owner == force->owner)
            return a * flow->arguments + u % flow->arguments;
    }
    return u;
}

/* 1 - C times slopes, rows scaled to one, factored. A speed that stands there twice is solved for once: the second row
 * says that both are equal (its right side is zero). Written out it would be the first again, but for what its own
 * unknown adds, which rounding swallows where friction is steep. `forces`: of the first so many. */
static bool factor_arguments(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t forces) {
    size_t U = forces * flow->arguments;
    for (size_t u = 0; u < U; u++) {
        double *row = work->matrix + u * U;
        size_t same = same_speed(plan, flow, u);
        if (same != u) {
            memset(row, 0, U * sizeof *row);
            row[u] = 1.0;
            row[same] = -1.0;
            work->scale[u] = 0.0;
            continue;
        }
        for (size_t w = 0; w < U; w++) {
            size_t b = w / flow->arguments, j = flow->acting[b];
            const am_formula *f = am_force_formula(plan, work, j);
            bool used = w % flow->arguments < f->arguments;
            double slope = used ? work->series[j][f->slope[w % flow->arguments] * AM_TAPE_ORDERS] : 0.0;
            row[w] = (u == w) - am_force_loop(plan, flow, u / flow->arguments, u % flow->arguments, b) * slope;
        }
        work->yield[u] = 1.0 / fabs(row[u]);
        work->scale[u] = 1.0 / am_dense_largest(row, U);
        for (size_t w = 0; w < U; w++)
            row[w] *= work->scale[u];
    }
    for (size_t u = 0; u < U; u++)
        work->yield[u] = work->yield[same_speed(plan, flow, u)];
    return am_lu_factor(work->matrix, U, work->pivot);
}

void am_loops_solve_arguments(const am_flow *flow, am_force_work *work) {
    size_t U = flow->active * flow->arguments;
    for (size_t u = 0; u < U; u++)
        work->side[u] *= work->scale[u];
    am_lu_solve(work->matrix, U, work->pivot, 1, work->side);
}

/* side += C g. */
static void add_loops(const am_plan *plan, const am_flow *flow, am_force_work *work, const double *g) {
    for (size_t u = 0; u < flow->active * flow->arguments; u++)
        for (size_t b = 0; b < flow->active; b++)
            work->side[u] +=
                am_force_loop(plan, flow, u / flow->arguments, u % flow->arguments, b) * g[flow->acting[b]];
}

/* R x of all arguments into work->known. */
static void know_arguments(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t k, const double *x) {
    am_forces_arguments(plan, flow, work, k, x, plan->nd + plan->nz);
    for (size_t u = 0; u < flow->active * flow->arguments; u++) {
        const double *place = argument_at(plan, flow, work, u, k);
        work->known[u] = place ? *place : 0.0;
    }
}

/* Below this a speed cannot be told from zero: the rounding of what it is the rest of, through the slope of its law. */
static double least_speed(const am_plan *plan, const am_flow *flow, const am_force_work *work, size_t u,
                          const double *x) {
    const double *row = am_force_argument(plan, flow, u / flow->arguments, u % flow->arguments);
    double sum = 0.0;
    for (size_t l = 0; l < plan->nx; l++)
        sum += row[l] != 0.0 ? fabs(row[l] * x[l]) : 0.0;
    return 16.0 * DBL_EPSILON * sum * work->yield[u];
}

static void run_all(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t k, double *g) {
    for (size_t a = 0; a < flow->active; a++)
        g[flow->acting[a]] = am_force_run(plan, work, flow->acting[a], k);
}

/* The pressure of a layer that has just closed is none in x, and others divide by it: it follows from its depth. */
static void guess_pressures(const am_plan *plan, const am_flow *flow, am_force_work *work, double *g) {
    for (size_t a = 0; a < flow->active; a++) {
        size_t j = flow->acting[a];
        double push = plan->force[j].kind == AM_FORCE_PUSH && g[j] == 0.0 ? am_force_run(plan, work, j, 0) : g[j];
        g[j] = isfinite(push) ? push : g[j];
    }
}

/* Where Newton's method begins: speeds are those of x, if they are any, forces those of x. */
static void guess_arguments(const am_plan *plan, const am_flow *flow, am_force_work *work, double *x) {
    guess_pressures(plan, flow, work, x + plan->nd + plan->nz);
    memcpy(work->side, work->known, flow->active * flow->arguments * sizeof *work->side);
    add_loops(plan, flow, work, x + plan->nd + plan->nz);
    for (size_t u = 0; u < flow->active * flow->arguments; u++) {
        double *place = argument_at(plan, flow, work, u, 0);
        if (!place)
            continue;
        *place = isfinite(work->side[u]) ? work->side[u] : work->known[u];
        if (!is_speed(plan, flow, u))
            continue;
        size_t c = plan->force[flow->acting[u / flow->arguments]].owner;
        const am_contact_def *contact = &plan->system->contact[c];
        double slide =
            am_dense_dot(contact->tangent, x + plan->n, plan->n) - am_system_surface(plan->system, c, x + plan->nd);
        slide *= -am_slip_sign(flow->k.state[c]);
        *place = slide > 0.0 ? slide : work->known[u] != 0.0 ? 1e-9 * fabs(work->known[u]) : 1e-30;
    }
}

/* The part of a step that leaves speeds positive. */
static double part_of_step(const am_plan *plan, const am_flow *flow, am_force_work *work) {
    double part = 1.0;
    for (size_t u = 0; u < flow->active * flow->arguments; u++) {
        const double *place = argument_at(plan, flow, work, u, 0);
        if (is_speed(plan, flow, u) && *place > 0.0 && *place + work->side[u] <= 0.0)
            part = fmin(part, 0.99 * *place / -work->side[u]);
    }
    return part;
}

/* Where friction falls faster with a speed than damping rises the determinant is negative: forces balance there as well, but
 * whatever disturbs them grows at once, for nothing has mass. Rates of forces, which come last, have the same loops again. */
static bool runs_away(const am_plan *plan, const am_flow *flow, am_force_work *work) {
    size_t forces = flow->active;
    while (forces > 0 && plan->force[flow->acting[forces - 1]].kind == AM_FORCE_CHANGE)
        forces--;
    bool away = forces > 0 && factor_arguments(plan, flow, work, forces) &&
                am_lu_sign(work->matrix, forces * flow->arguments, work->pivot) < 0;
    work->folded |= away;
    return away;
}

/* Newton's method. Laws that grow with the logarithm of speed are concave: from low speeds it rises to the solution,
 * from high ones it must not overshoot zero. It ends where rounding keeps it from coming nearer. */
static void solve_arguments(const am_plan *plan, const am_flow *flow, am_force_work *work, double *x) {
    static const int most_steps = 400;
    static const double near = 1e-8;
    size_t U = flow->active * flow->arguments;
    double *g = x + plan->nd + plan->nz, before = INFINITY;
    know_arguments(plan, flow, work, 0, x);
    guess_arguments(plan, flow, work, x);
    for (int step = 0; step < most_steps; step++) {
        double change = 0.0;
        run_all(plan, flow, work, 0, g);
        memcpy(work->side, work->known, U * sizeof *work->side);
        add_loops(plan, flow, work, g);
        for (size_t u = 0; u < U; u++) {
            const double *place = argument_at(plan, flow, work, u, 0);
            work->side[u] -= place ? *place : work->side[u];
        }
        if (!factor_arguments(plan, flow, work, flow->active))
            break;
        am_loops_solve_arguments(flow, work);
        double part = part_of_step(plan, flow, work);
        for (size_t u = 0; u < U; u++) {
            double *place = argument_at(plan, flow, work, u, 0);
            if (!place)
                continue;
            bool speed = is_speed(plan, flow, u);
            double size = fabs(*place) + (speed ? 0.0 : fabs(work->known[u]));
            double moved = size > 0.0 ? fabs(work->side[u]) / size : fabs(work->side[u]) > 0.0;
            *place += part * work->side[u];
            double least = speed || is_speed_of_friction(plan, flow, u) ? least_speed(plan, flow, work, u, x) : 0.0;
            if (fabs(work->side[u]) <= least)
                moved = 0.0;
            if (speed && fabs(*place) <= least)
                *place = 0.0;
            change = fmax(change, moved);
        }
        if (change <= 4.0 * DBL_EPSILON || (change < near && change > 0.25 * before)) {
            run_all(plan, flow, work, 0, g);
            if (!runs_away(plan, flow, work) && factor_arguments(plan, flow, work, flow->active))
                return;
            break;
        }
        before = change;
        if (!isfinite(change))
            break;
    }
    for (size_t a = 0; a < flow->active; a++) /* no such forces exist in this combination */
        g[flow->acting[a]] = NAN;
}

/* Order k: with the arguments' own order left out, laws give what the lower ones contribute. */
static void solve_arguments_order(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t k, double *x) {
    size_t U = flow->active * flow->arguments;
    double *g = x + plan->nd + plan->nz;
    know_arguments(plan, flow, work, k, x);
    for (size_t u = 0; u < U; u++) {
        double *place = argument_at(plan, flow, work, u, k);
        if (place)
            *place = 0.0;
    }
    run_all(plan, flow, work, k, g);
    memcpy(work->side, work->known, U * sizeof *work->side);
    add_loops(plan, flow, work, g);
    am_loops_solve_arguments(flow, work);
    for (size_t u = 0; u < U; u++) {
        double *place = argument_at(plan, flow, work, u, k);
        if (place)
            *place = work->side[u];
    }
    run_all(plan, flow, work, k, g);
}

void am_loops_values(const am_plan *plan, const am_flow *flow, am_force_work *work, double *x) {
    if (plan->followers > 0)
        solve_arguments(plan, flow, work, x);
    else if (flow->chained)
        follow_chain(plan, flow, work, 0, x);
    else
        solve_forces(plan, flow, work, x);
}

void am_loops_order(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t k, double *x) {
    if (plan->followers > 0)
        solve_arguments_order(plan, flow, work, k, x);
    else if (flow->chained)
        follow_chain(plan, flow, work, k, x);
    else
        solve_forces_order(plan, flow, work, k, x);
}
