/* The equilibrium at the end of a load step: which method, and what to do where none is nearby.
 *
 * Constant coefficients: Newton's method from the present states, from all stuck, then Lemke's. Friction that drops:
 * contacts that slide at their static coefficient are released to the kinetic one, all that do at once, until no other
 * follows. Friction that weakens: Newton's method with the slopes of the laws, which finds the equilibrium on the
 * present branch or none; over a jump, coefficients follow the slip they lead to, which grows from iterate to iterate
 * up to the first equilibrium there is. A structure that floats and whose contacts all move has no regular matrix:
 * weak springs hold it until the states are found. */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "engines/quasistatic/incremental_internal.h"

/* Of each diagonal entry of the stiffness; motions beyond `loose` times forces over stiffness have nothing to hold
 * them. */
static const double weak_springs = 1e-6, loose = 1e8;

/* Forces of weak springs below this part of the largest are none. */
static const double no_force = 1e-13;

/* Sweeps of coefficients that follow the slip; they are near when they change by less than `nearly` and have arrived
 * below `arrived`; every AGAIN of them Newton's method is tried. */
enum { MOST_SWEEPS = 2000, PLAIN_SWEEPS = 1000, AGAIN = 50 };
static const double nearly = 1e-2, arrived = 1e-13;

/* ---- constant coefficients ---- */

static void all_stick(am_path_incremental *e) {
    for (size_t c = 0; c < e->m; c++)
        e->trial[c] = AM_STICK;
}

static double largest_force(const am_path_incremental *e) {
    double largest = e->scale;
    for (size_t i = 0; i < e->p; i++)
        largest = fmax(largest, fabs(e->force[i]));
    return largest;
}

/* The largest motion of the iterate as a force of the structure's own stiffness. */
static double largest_motion(const am_path_incremental *e) {
    double most = 0.0;
    for (size_t i = 0; i < e->count; i++) {
        size_t c = e->item[i] / 4, at = e->item[i] % 4 == 3 ? e->reduced.normal_row[c] : c;
        most = fmax(most, fabs(e->x[i]) * e->reduced.stiffness[at * e->p + at]);
    }
    return most;
}

static double largest_gap(const am_path_incremental *e) {
    double most = 0.0;
    for (size_t c = 0; c < e->m; c++)
        if (e->gap[c] > 0.0) {
            size_t row = e->reduced.normal_row[c];
            most = fmax(most, e->gap[c] * e->reduced.stiffness[row * e->p + row]);
        }
    return most;
}

static bool is_loose(const am_path_incremental *e) {
    return !(largest_motion(e) <= loose * fmax(largest_force(e), largest_gap(e)));
}

/* From the present states, then from all stuck. */
static am_status by_newton(am_path_incremental *e, bool *settled, am_error *err) {
    am_status status = am_path_iterate(e, settled, err);
    if (status || *settled || (e->tangent && !(e->weak > 0.0)))
        return status;
    all_stick(e);
    if (e->tangent)
        am_path_friction_restart(e);
    return am_path_iterate(e, settled, err);
}

static am_status refuse_loose(const am_path_incremental *e, double t, am_error *err) {
    size_t sticking = 0, open = 0;
    for (size_t c = 0; c < e->m; c++) {
        sticking += e->trial[c] == AM_STICK;
        open += e->trial[c] == AM_OPEN;
    }
    if (open == e->m)
        return am_fail(err, AM_ERR_NO_STATE,
                       "at t = %.10g the structure is not held: its contacts are all open, and nothing else keeps it",
                       t);
    if (sticking == 0)
        return am_fail(err, AM_ERR_NO_STATE,
                       "at t = %.10g the structure slides as a whole: no contact sticks any more (%zu slip, %zu are "
                       "open), and nothing else holds it",
                       t, e->m - open, open);
    return am_fail(err, AM_ERR_NO_STATE,
                   "at t = %.10g the structure is not held: the %zu contacts that stick let it turn, it tips over", t,
                   sticking);
}

/* All contacts open and nothing pushes: it stays where it is. */
static bool rests_in_the_air(am_path_incremental *e) {
    for (size_t c = 0; c < e->m; c++)
        if (e->state[c] != AM_OPEN)
            return false;
    for (size_t i = 0; i < e->p; i++)
        if (!(fabs(e->base[i]) <= no_force * e->scale))
            return false;
    memcpy(e->trial, e->state, e->m * sizeof *e->trial);
    memcpy(e->force, e->base, e->p * sizeof *e->force);
    memset(e->x, 0, 2 * e->m * sizeof *e->x);
    return true;
}

/* Nothing fixes it, and nothing pushes where it could go: a slider that stands upright on one node, or on contacts
 * without friction. It stays. */
static am_status balanced(am_path_incremental *e, bool *settled, am_error *err) {
    memcpy(e->trial, e->state, e->m * sizeof *e->trial);
    e->weak = weak_springs;
    am_status status = by_newton(e, settled, err);
    *settled = !status && *settled && am_path_relax(e);
    e->weak = 0.0;
    e->adrift = *settled;
    return status;
}

/* States of the structure on weak springs, and from them without. */
static am_status while_held(am_path_incremental *e, double t, am_error *err) {
    bool settled = false;
    memcpy(e->trial, e->state, e->m * sizeof *e->trial);
    e->weak = weak_springs;
    if (e->tangent)
        am_path_friction_restart(e);
    am_status status = by_newton(e, &settled, err);
    if (!status && !settled && !e->tangent) {
        am_error own = {0}; /* what it leaves in `trial` is a guess, good or bad */
        status = am_path_incremental_pivot(e, t, &own);
        if (status == AM_ERR_MEMORY && err)
            *err = own;
        status = status == AM_ERR_MEMORY ? status : AM_OK;
    } else if (!status && settled && e->weak * largest_motion(e) <= no_force * e->scale) {
        e->weak = 0.0;
        e->adrift = true;
        return AM_OK; /* in equilibrium where it stands, though nothing fixes it there */
    }
    e->weak = 0.0;
    if (!status)
        status = am_path_iterate(e, &settled, err);
    if (status || (settled && !is_loose(e)))
        return status;
    if (!e->tangent)
        status = balanced(e, &settled, err);
    return status || e->adrift ? status : refuse_loose(e, t, err);
}

/* With coefficients as they are (and, with `tangent`, along their slopes). */
static am_status find_states(am_path_incremental *e, double t, bool *settled, am_error *err) {
    am_status status = AM_OK;
    *settled = e->adrift = e->reduced.floating && rests_in_the_air(e);
    if (*settled)
        return AM_OK;
    if (e->reduced.floating) /* where all that moves cannot be told, starting from all stuck is a detour */
        status = am_path_iterate(e, settled, err);
    else if (e->method != AM_LCP_LEMKE)
        status = by_newton(e, settled, err);
    if (status || (*settled && !(e->reduced.floating && is_loose(e))))
        return status;
    *settled = false;
    if (e->tangent && (!e->reduced.floating || am_path_is_pressed(e)))
        return AM_OK; /* nothing nearby */
    status = e->reduced.floating ? while_held(e, t, err) : am_path_incremental_pivot(e, t, err);
    *settled = !status;
    return status;
}

/* ---- friction that drops ---- */

/* Every round releases a contact at least. */
static am_status cascade(am_path_incremental *e, double t, bool *settled, am_error *err) {
    for (size_t round = 0; round <= e->m; round++) {
        am_status status = find_states(e, t, settled, err);
        if (status || !*settled || !e->drops || am_path_friction_release(e) == 0)
            return status;
    }
    return AM_OK;
}

/* ---- the step ---- */

/* The solutions of a step, counted with the signs of their determinants, add up to one (docs/lcp.md): a negative sign
 * means that there are at least two others. */
static am_status check_alone(am_path_incremental *e, double t, am_error *err) {
    int sign = 1;
    am_status status = am_path_sign(e, &sign, err);
    if (status || sign > 0)
        return status;
    return am_fail(
        err, AM_ERR_SEVERAL_STATES,
        "the load step to t = %.10g has at least three solutions: friction is beyond the limit of uniqueness, "
        "and this one, with %zu contacts moving, lies between two others",
        t, e->last.moving);
}

static void count_moving(am_path_incremental *e) {
    e->last.moving = 0;
    for (size_t c = 0; c < e->m; c++)
        e->last.moving += e->trial[c] != AM_STICK;
}

/* Along the slopes of the laws: the equilibrium on the present branch, if it is stable. */
static am_status nearby(am_path_incremental *e, double t, am_error *err) {
    bool settled = false;
    int sign = 0;
    e->tangent = true;
    am_path_friction_begin(e);
    am_status status = cascade(e, t, &settled, err);
    if (status == AM_ERR_NO_STATE && e->reduced.floating) { /* perhaps only the slopes let it go */
        e->lost = true;
        return AM_OK;
    }
    if (!status && settled && !e->adrift)
        status = am_path_sign(e, &sign, err);
    e->lost = !settled || (sign <= 0 && !e->adrift);
    return status;
}

am_status am_path_incremental_solve(am_path_incremental *e, double t, am_error *err) {
    bool settled = false;
    memcpy(e->trial, e->state, e->m * sizeof *e->trial);
    e->lost = e->adrift = false;
    if (e->planes) {
        am_path_friction_begin(e);
        AM_TRY(am_path_plane_solve(e, t, err));
        count_moving(e);
        return AM_OK;
    }
    if (e->weakens) {
        am_status status = nearby(e, t, err);
        count_moving(e);
        return status;
    }
    am_path_friction_begin(e);
    am_status status = cascade(e, t, &settled, err);
    count_moving(e);
    return status || e->adrift ? status : check_alone(e, t, err);
}

/* ---- over a jump ---- */

/* Do the contacts go on in the direction of their last growth, from where the laws were told that they are? Then the
 * laws were not ahead of the next equilibrium, because slip grows with weaker friction. */
static bool keeps_up(const am_path_incremental *e) {
    double on = 0.0;
    for (size_t c = 0, item = 0; c < e->m; c++) {
        double x = am_path_slides(e->trial[c]) ? e->x[item] : 0.0;
        item += am_path_unknowns(e->trial[c]);
        if (am_path_weakening(e, c))
            on += e->reduced.stiffness[c * e->p + c] * (x - e->at[c]) * e->growth[c];
    }
    return on >= 0.0;
}

/* The laws are told that contacts have slid `ahead` times their last growth more. */
static void go_ahead(am_path_incremental *e, double ahead) {
    double slope;
    for (size_t c = 0; c < e->m; c++) {
        const am_friction *law = am_path_weakening(e, c);
        if (!law)
            continue;
        e->at[c] += ahead * e->growth[c];
        e->mu[c] = e->hold[c] = am_friction_at(law, e->slid[c] + fabs(e->at[c]), &slope);
    }
}

/* The laws are told where the slips are. Returns the largest change of a coefficient, as a part of its whole fall. */
static double follow(am_path_incremental *e) {
    double most = 0.0, slope;
    memcpy(e->growth, e->at, e->m * sizeof *e->at);
    am_path_friction_follow(e);
    for (size_t c = 0; c < e->m; c++) {
        const am_friction *law = am_path_weakening(e, c);
        double all = law ? am_friction_most(law) - am_friction_last(law) : 0.0;
        if (all > 0.0)
            most = fmax(most, fabs(e->mu[c] - am_friction_at(law, e->slid[c] + fabs(e->growth[c]), &slope)) / all);
        e->growth[c] = e->at[c] - e->growth[c];
    }
    return most;
}

/* From coefficients that have nearly arrived, along their slopes; if that leads nowhere, back to them. */
static am_status polish(am_path_incremental *e, double t, bool *settled, am_error *err) {
    int sign = 0;
    double slope;
    memcpy(e->growth, e->at, e->m * sizeof *e->at);
    e->tangent = true;
    am_path_friction_follow(e);
    for (size_t c = 0; c < e->m; c++) {
        const am_friction *law = am_path_weakening(e, c);
        if (law)
            e->hold[c] = am_friction_at(law, e->slid[c], &slope);
    }
    am_status status = am_path_iterate(e, settled, err);
    if (!status && *settled && e->drops && am_path_friction_release(e) > 0)
        status = cascade(e, t, settled, err);
    if (!status && *settled)
        status = am_path_sign(e, &sign, err);
    *settled = *settled && sign > 0;
    if (*settled)
        return status;
    e->tangent = false;
    memset(e->slope, 0, e->m * sizeof *e->slope);
    memcpy(e->trial, e->state, e->m * sizeof *e->trial);
    memcpy(e->at, e->growth, e->m * sizeof *e->at);
    go_ahead(e, 0.0);
    return status;
}

/* Coefficients that follow the slips they lead to, told ahead of them as long as that does not go too far. */
typedef struct chase {
    double ahead, wait; /* times the last growth; polish when coefficients change by less than this */
    size_t sweeps;
} chase;

static am_status sweep(am_path_incremental *e, double t, chase *k, bool *done, am_error *err) {
    bool settled = false;
    AM_TRY(cascade(e, t, &settled, err));
    if (k->ahead > 0.0 && !keeps_up(e)) {
        go_ahead(e, -k->ahead);
        k->ahead = 0.0;
        return AM_OK;
    }
    double changed = follow(e);
    *done = changed <= arrived;
    if (*done)
        return AM_OK;
    if (changed <= k->wait || (changed < nearly && k->sweeps % AGAIN == AGAIN - 1)) {
        k->sweeps++;
        k->ahead = 0.0;
        k->wait = 0.1 * changed;
        return polish(e, t, done, err);
    }
    k->ahead = changed < nearly ? 2.0 * fmax(k->ahead, 0.0) + 1.0 : 0.0;
    if (++k->sweeps > PLAIN_SWEEPS) /* coupling makes slips swing about: half-way, then */
        k->ahead = -0.5;
    go_ahead(e, k->ahead);
    return AM_OK;
}

am_status am_path_incremental_fall(am_path_incremental *e, double t, am_error *err) {
    bool done = false;
    chase k = {.wait = nearly};
    am_status status = AM_OK;
    e->tangent = e->adrift = false;
    memcpy(e->trial, e->state, e->m * sizeof *e->trial);
    am_path_friction_begin(e);
    for (int i = 0; i < MOST_SWEEPS && !status && !done; i++)
        status = sweep(e, t, &k, &done, err);
    count_moving(e);
    e->tangent = true;
    if (status || done)
        return status;
    return am_fail(err, AM_ERR_LIMIT,
                   "at t = %.10g friction weakens and the next equilibrium was not found after %d sweeps", t,
                   MOST_SWEEPS);
}
