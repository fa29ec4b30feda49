/* An evolution against the laws, at one instant. What each contact must satisfy follows from how it stands:
 *
 *   stick             gap' = 0, v' = 0
 *   forward           slack = T + mu N >= 0; while it is zero 0 <= v' _|_ slack' >= 0, else v' = 0 (backward: mirrored)
 *   open              N = T = 0
 *   origin            gap >= 0 _|_ N >= 0 and both slacks >= 0 in total, and their rates where they are zero
 */
#include "amontons/states.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/local.h"
#include "base/object.h"
#include "engines/quasistatic/candidates.h"
#include "math/dense.h"
#include "system/capability.h"
#include "system/system.h"

/* Combinations of all contacts' states that are kept; a rate may miss its inequality by this much of the scale before
 * it counts as violated, and solutions closer than this are the same. */
enum { most_combinations = 1024 };
static const double zero_slack = 1e-12, admissible = 1e-10, same = 1e-8;

struct am_verify {
    uint64_t tag; /* AM_TAG_VERIFY */
    am_arena memory;
    const am_system *system;
    size_t n, m, count;
    am_standing *standing;       /* m */
    am_choice *choice;           /* m */
    am_combination *combination; /* count */
    double *K, stiffness;        /* n x n, its largest entry */
    double *found;               /* count x n: solutions of the rate problem */
    double *work;                /* n + 4m */
};

/* One contact at one instant: what its laws speak of. */
typedef struct contact_view {
    double gap, normal, slack[2]; /* slack: forward, backward */
    double gap_rate, normal_rate, tangential_rate, slack_rate[2], slide;
    bool closed, pressed, at_limit[2]; /* gap zero, N > 0, slack zero */
} contact_view;

/* ---- making ---- */

static void list_choices(const am_standing standing, am_choice *choice) {
    bool any = standing == AM_STANDING_ORIGIN;
    if (standing != AM_STANDING_OPEN)
        am_choice_add(choice, AM_STICK);
    if (any || standing == AM_STANDING_FORWARD)
        am_choice_add(choice, AM_FORWARD);
    if (any || standing == AM_STANDING_BACKWARD)
        am_choice_add(choice, AM_BACKWARD);
    if (any || standing == AM_STANDING_OPEN)
        am_choice_add(choice, AM_OPEN);
}

static am_status check_system(const am_system *system, am_error *err) {
    am_status status = am_system_check(system, "twofold", err);
    for (size_t c = 0; c < system->m && !status; c++)
        if (system->contact[c].surface_velocity != 0.0)
            status = am_fail(err, AM_ERR_UNSUPPORTED,
                             "an evolution can be checked for contacts whose other side rests; that of contact '%s' "
                             "moves",
                             system->contact[c].name);
    return status;
}

static am_status solve_combinations(am_verify *verify, am_error *err) {
    AM_LOCAL_MEMORY am_contact_state *state = am_memory_new(verify->m, sizeof *state, err);
    if (!state)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < verify->count; i++) {
        am_candidates_get(verify->choice, verify->m, i, state);
        AM_TRY(am_combination_init(&verify->combination[i], verify->system, verify->K, state, err));
    }
    return AM_OK;
}

static am_status fill(am_verify *verify, const am_system *system, const am_standing *standing, am_error *err) {
    size_t n = verify->n = system->n, m = verify->m = system->m;
    verify->system = system;
    verify->standing = am_arena_new(&verify->memory, m, sizeof *verify->standing, err);
    verify->choice = am_arena_new(&verify->memory, m, sizeof *verify->choice, err);
    verify->K = am_arena_new(&verify->memory, n * n, sizeof(double), err);
    verify->work = am_arena_new(&verify->memory, n + 4 * m, sizeof(double), err);
    if (am_arena_status(&verify->memory))
        return AM_ERR_MEMORY;
    for (size_t c = 0; c < m; c++) {
        verify->standing[c] = standing[c];
        list_choices(standing[c], &verify->choice[c]);
    }
    size_t count = am_candidates_count(verify->choice, m);
    if (count == 0 || count > most_combinations)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "the rate problem has more than %d combinations of contact states to enumerate",
                       (int)most_combinations);
    verify->combination = am_arena_new(&verify->memory, count, sizeof *verify->combination, err);
    verify->found = am_arena_new(&verify->memory, count * n, sizeof(double), err);
    if (am_arena_status(&verify->memory))
        return AM_ERR_MEMORY;
    verify->count = count;
    am_matrix_to_dense(system->K, verify->K);
    verify->stiffness = am_matrix_largest(system->K);
    return solve_combinations(verify, err);
}

am_verify *am_verify_create(const am_system *system, const am_standing *standing, am_error *err) {
    if (!am_is(system, AM_TAG_SYSTEM))
        return am_misused_for_nothing(err, __func__);
    if (check_system(system, err) != AM_OK)
        return NULL;
    if (!standing)
        return am_misused_for_nothing(err, __func__);
    am_verify *verify = am_memory_new(1, sizeof *verify, err);
    if (verify)
        verify->tag = AM_TAG_VERIFY;
    if (verify && fill(verify, system, standing, err) != AM_OK) {
        am_verify_free(verify);
        return NULL;
    }
    return verify;
}

void am_verify_free(am_verify *verify) {
    if (!am_is(verify, AM_TAG_VERIFY))
        return;
    for (size_t i = 0; i < verify->count; i++)
        am_combination_clear(&verify->combination[i]);
    am_arena_clear(&verify->memory);
    am_object_bury(verify, sizeof *verify);
}

/* ---- residuals of what was given ---- */

/* The larger one; a value that is no number is infinitely large. */
static double worse(double so_far, double value) {
    return value <= so_far ? so_far : isnan(value) ? INFINITY : value;
}

/* Largest entry of K y - F - sum (n N + t T). */
static double unbalanced(am_verify *verify, const double *y, const double *load, const double *normal,
                         const double *tangential) {
    size_t n = verify->n;
    double largest = 0.0, *left = verify->work;
    am_dense_apply(verify->K, n, n, y, left);
    for (size_t i = 0; i < n; i++) {
        double sum = left[i] - load[i];
        for (size_t c = 0; c < verify->m; c++) {
            const am_contact_def *contact = &verify->system->contact[c];
            sum -= contact->normal[i] * normal[c] + contact->tangent[i] * tangential[c];
        }
        largest = worse(largest, fabs(sum));
    }
    return largest;
}

static contact_view view_of(const am_verify *verify, const am_verify_instant *now, size_t c) {
    const am_contact_def *contact = &verify->system->contact[c];
    bool whole = verify->standing[c] == AM_STANDING_ORIGIN;
    double mu = contact->friction, zero = zero_slack * now->scale;
    contact_view view = {.gap =
                             (whole ? contact->gap : 0.0) + am_dense_dot(contact->normal, now->displacement, verify->n),
                         .normal = now->normal[c],
                         .gap_rate = am_dense_dot(contact->normal, now->velocity, verify->n),
                         .slide = am_dense_dot(contact->tangent, now->velocity, verify->n),
                         .normal_rate = now->normal_rate[c],
                         .tangential_rate = now->tangential_rate[c]};
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? 1.0 : -1.0;
        view.slack[side] = mu * now->normal[c] + sign * now->tangential[c];
        view.slack_rate[side] = mu * now->normal_rate[c] + sign * now->tangential_rate[c];
        view.at_limit[side] = now->slack ? now->slack[2 * c + (size_t)side] <= 0.0 : view.slack[side] <= zero;
    }
    view.closed = !whole || view.gap * verify->stiffness <= zero;
    view.pressed = !whole || view.normal > zero;
    return view;
}

/* Does the limit on this side (0: forward) bind a contact that stands like this? */
static bool limited(am_standing standing, int side) {
    return standing == AM_STANDING_ORIGIN || standing == (side == 0 ? AM_STANDING_FORWARD : AM_STANDING_BACKWARD);
}

/* Laws in total: violations as forces. */
static double total_violation(const am_verify *verify, const am_verify_instant *now, size_t c) {
    contact_view view = view_of(verify, now, c);
    am_standing standing = verify->standing[c];
    double k = verify->stiffness, gap = k * view.gap, largest = 0.0;
    if (isnan(gap) || isnan(view.normal))
        return INFINITY;
    if (standing == AM_STANDING_OPEN)
        return worse(fabs(view.normal), fabs(now->tangential[c]));
    largest = worse(largest, standing == AM_STANDING_ORIGIN ? fabs(fmin(gap, view.normal)) : fabs(gap));
    for (int side = 0; side < 2; side++) {
        if (!limited(standing, side))
            continue;
        largest = worse(largest, -view.slack[side]);
        if (now->slack) /* what was said of the slack must be true */
            largest = worse(largest, fabs(view.slack[side] - now->slack[2 * c + (size_t)side]));
    }
    return largest;
}

/* Sliding towards one side: 0 <= speed _|_ slack' >= 0 at the limit, no sliding before it. */
static double sliding_violation(const am_verify *verify, const contact_view *view, am_standing standing, int side) {
    double speed = (side == 0 ? view->slide : -view->slide) * verify->stiffness;
    bool both = standing == AM_STANDING_ORIGIN; /* the other side answers for sliding the other way */
    if (!limited(standing, side) || !view->at_limit[side])
        return both ? fmax(speed, 0.0) : fabs(speed);
    return fabs(fmin(both ? fmax(speed, 0.0) : speed, view->slack_rate[side]));
}

static double rate_violation(const am_verify *verify, const am_verify_instant *now, size_t c) {
    contact_view view = view_of(verify, now, c);
    am_standing standing = verify->standing[c];
    double k = verify->stiffness, forces = worse(fabs(view.normal_rate), fabs(view.tangential_rate));
    if (standing == AM_STANDING_OPEN || !view.closed)
        return forces;
    double gap = k * view.gap_rate;
    if (isnan(gap) || isnan(view.slide) || isnan(forces))
        return INFINITY;
    double largest = worse(0.0, view.pressed ? fabs(gap) : fabs(fmin(gap, view.normal_rate)));
    if (!view.pressed && gap > same * now->rate_scale)
        return worse(largest, forces);
    if (standing != AM_STANDING_BACKWARD)
        largest = worse(largest, sliding_violation(verify, &view, standing, 0));
    if (standing == AM_STANDING_BACKWARD || standing == AM_STANDING_ORIGIN)
        largest = worse(largest, sliding_violation(verify, &view, standing, 1));
    return largest;
}

/* ---- the rate problem, by enumeration ---- */

/* May the contact be in this state just after the instant? */
static bool possible(const contact_view *view, am_standing standing, am_contact_state state) {
    if (standing == AM_STANDING_STICK || standing == AM_STANDING_OPEN)
        return true; /* the only choice */
    if (state == AM_OPEN)
        return !view->closed || !view->pressed;
    return view->closed && (state == AM_STICK || view->at_limit[state == AM_FORWARD ? 0 : 1]);
}

/* Do velocities y and force rates satisfy the inequalities of their state, within `zero` (a force rate)? */
static bool rates_admissible(const am_verify *verify, const am_verify_instant *now, const am_contact_state *state,
                             const double *y, const double *normal, const double *tangential) {
    double zero = admissible * now->rate_scale;
    for (size_t c = 0; c < verify->m; c++) {
        const am_contact_def *contact = &verify->system->contact[c];
        contact_view view = view_of(verify, now, c);
        double k = verify->stiffness, slide = k * am_dense_dot(contact->tangent, y, verify->n);
        if (!possible(&view, verify->standing[c], state[c]))
            return false;
        if (state[c] == AM_OPEN && view.closed && k * am_dense_dot(contact->normal, y, verify->n) < -zero)
            return false;
        if (state[c] != AM_OPEN && !view.pressed && normal[c] < -zero)
            return false;
        if ((state[c] == AM_FORWARD && slide < -zero) || (state[c] == AM_BACKWARD && slide > zero))
            return false;
        for (int side = 0; side < 2 && state[c] == AM_STICK; side++) {
            double slack = contact->friction * normal[c] + (side == 0 ? tangential[c] : -tangential[c]);
            if (limited(verify->standing[c], side) && view.at_limit[side] && slack < -zero)
                return false;
        }
    }
    return true;
}

static double apart(const am_verify *verify, const double *x, const double *y) {
    double largest = 0.0;
    for (size_t i = 0; i < verify->n; i++)
        largest = worse(largest, verify->stiffness * fabs(x[i] - y[i]));
    return largest;
}

static void enumerate(am_verify *verify, const am_verify_instant *now, am_verify_report *report) {
    size_t n = verify->n, m = verify->m;
    double *y = verify->work, *normal = y + n, *tangential = normal + m, *lambda = tangential + m;
    report->solutions = 0;
    report->difference = INFINITY;
    for (size_t i = 0; i < verify->count; i++) {
        const am_combination *k = &verify->combination[i];
        bool is_new = true;
        if (k->condition == 0.0)
            continue;
        am_dense_apply(k->Y, n, n, now->load_rate, y);
        am_dense_apply(k->L, k->p, n, now->load_rate, lambda);
        am_candidates_forces(k, verify->system, lambda, NULL, normal, tangential);
        if (!rates_admissible(verify, now, k->state, y, normal, tangential))
            continue;
        for (size_t s = 0; s < report->solutions; s++)
            is_new = is_new && apart(verify, verify->found + s * n, y) > same * now->rate_scale;
        report->difference = fmin(report->difference, apart(verify, now->velocity, y) / now->rate_scale);
        if (is_new)
            memcpy(verify->found + report->solutions++ * n, y, n * sizeof *y);
    }
}

am_status am_verify_check(am_verify *verify, const am_verify_instant *instant, am_verify_report *report,
                          am_error *err) {
    if (!am_is(verify, AM_TAG_VERIFY) || !instant || !report)
        return am_misused(err, __func__);
    const am_verify_instant *now = instant;
    if (!(now->scale > 0.0) || !(now->rate_scale > 0.0))
        return am_fail(err, AM_ERR_INPUT, "residuals need positive scales to be measured by, not %g and %g", now->scale,
                       now->rate_scale);
    *report = (am_verify_report){0};
    report->equilibrium = worse(
        unbalanced(verify, now->displacement, now->load, now->normal, now->tangential) / now->scale,
        unbalanced(verify, now->velocity, now->load_rate, now->normal_rate, now->tangential_rate) / now->rate_scale);
    for (size_t c = 0; c < verify->m; c++) {
        report->friction = worse(report->friction, total_violation(verify, now, c) / now->scale);
        report->rate = worse(report->rate, rate_violation(verify, now, c) / now->rate_scale);
    }
    enumerate(verify, now, report);
    return AM_OK;
}
