/* Newton's method for the start of a shot that comes back to itself. See docs/orbit.md for the equations. */
#include "analyses/orbit/newton.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "analyses/orbit/section_walk.h"
#include "base/try.h"
#include "engines/switching/switching.h"
#include "math/dense.h"
#include "math/pi.h"
#include "math/shooting.h"

/* What an orbit must close to, relative to the largest state on it; a strongly unstable one, to so many roundings of
 * what its derivative makes of one. */
static const double worst_closing = 1e-12, worst_roundings = 64.0;

/* Nothing is gained by going on from here. */
static const double as_good_as_closed = 1e-15;

/* Singular values below this part of the largest belong to a family of orbits; where an orbit does not close without
 * these directions, only those below the second: a multiplier as near to 1 as that is still told from 1. */
static const double neutral = 1e-9, truly_neutral = 1e-12;

/* An orbit that moves so much slower than the guess is no orbit: the guess led to rest. Nor is one whose closing error
 * is more than the second part of how far it moves: next to a Hopf point it cannot be told from rest. */
static const double rest = 1e-6, barely_moves = 1e-8;

/* Without a section that holds it, one step changes the period by no more than this part of it, nor the state by more
 * than this part of the orbit's size: where almost every state almost closes (little damping, a family nearby), the
 * weak directions are left alone until the others are right. */
static const double most_stretch = 0.25, longest_step = 0.3;

/* A derivative is used again while steps with it shorten the error to this part, and not below the second: from there
 * on another one costs more than it gains. */
static const double still_good = 0.3, chord_closed = 4.0 * DBL_EPSILON;

/* Where slip dies out, the orbit lies on the border of a family that sticks for good and is a double root: Newton's
 * method then only halves the distance (and quarters the error). Twice the step leads there, a little more into the
 * family. */
static double stretch_for(double ratio, double residual) {
    bool halving = ratio > 0.15 && ratio < 0.4;
    return !halving ? 1.0 : residual > 1e-9 ? 2.0 : 2.02;
}

/* From here on only rounding is in the way. */
static const double almost_closed = 2e-11;

/* Corrections below this part of the size may grow without leading anywhere else. */
static const double not_rounding = 2e-6;

static const size_t most_iterations = 40;
static const size_t most_polishing = 32;
static const size_t most_halvings = 10, more_halvings = 12;
static const size_t most_reuses = 8;

/* Steps that do exactly what the derivative predicts, each time, but can only be taken in part because the whole of them
 * leaves the state of contact in which the shot begins, probably lead to a point outside it, half way nearer each time.
 * After so many of them the state beyond is tried. */
static const double as_predicted = 0.02;
static const size_t most_beyond = 3;

am_status am_shot_reserve(am_shot *s, am_error *err) {
    size_t d = s->d;
    am_arena *memory = &s->memory;
    AM_ARENA_DOUBLES(memory, d, err, &s->x, &s->end, &s->trial, &s->moved, &s->f0, &s->f1, &s->own, &s->left_x);
    AM_ARENA_DOUBLES(memory, d * d, err, &s->phi, &s->basis);
    AM_ARENA_DOUBLES(memory, (d + 1) * (d + 1), err, &s->matrix, &s->kept);
    AM_ARENA_DOUBLES(memory, d + 1, err, &s->right, &s->values, &s->step);
    s->member = am_arena_doubles(memory, NULL, 3 * d * d + d, err);
    s->work = am_arena_doubles(memory, NULL, (3 * s->m + d) * (d + 1), err);
    s->multiplier = am_arena_new(memory, d, sizeof *s->multiplier, err);
    s->state = am_arena_new(memory, s->m, sizeof *s->state, err);
    s->left_state = am_arena_new(memory, s->m, sizeof *s->left_state, err);
    return am_arena_status(memory);
}

double am_shot_size(const am_shot *s, const double *a, const double *b) {
    double size = 0.0;
    for (size_t i = 0; i < s->d; i++)
        size = fmax(size, fabs(s->w[i] * (b ? a[i] - b[i] : a[i])));
    return size;
}

/* Ages have next to no part in the norm, and a unit of their own: each must come back by itself. */
static double age_apart(const am_plan *plan, const double *a, const double *b) {
    double apart = 0.0;
    for (size_t c = 0; plan->inners > 0 && c < plan->m; c++)
        for (size_t i = 0; i < plan->memories[c]; i++) {
            size_t at = 2 * plan->n + plan->inner[c] + i;
            double size = fmax(fabs(a[at]), fabs(b[at]));
            if (!am_force_inner_is_directed(plan, c, i) && size > 0.0)
                apart = fmax(apart, fabs(a[at] - b[at]) / size);
        }
    return apart;
}

double am_shot_apart(const am_shot *s, const double *a, const double *b, double size) {
    return size > 0.0 ? fmax(am_shot_size(s, a, b) / size, age_apart(&s->engine->plan, a, b)) : 0.0;
}

/* ---- admissible directions ---- */

/* Coordinates of a weighted vector in the basis. */
static void reduce(const am_shot *s, const double *vector, double *reduced) {
    for (size_t a = 0; a < s->k; a++) {
        double sum = 0.0;
        for (size_t i = 0; i < s->d; i++)
            sum += s->basis[a * s->d + i] * s->w[i] * vector[i];
        reduced[a] = sum;
    }
}

/* ---- Newton ---- */

/* Follow the motion from `start` (which becomes exactly admissible) over tau; the state of contact must be the expected
 * one. */
static am_status go_around(am_shot *s, double *start, double tau, am_error *err) {
    am_step_kind kind = AM_STEP_SPAN;
    AM_TRY(am_motion_start_state(s->engine, s->begin, start, err));
    s->left = false;
    for (size_t c = 0; c < s->m; c++)
        s->left |= am_motion_states(s->engine)[c] != s->state[c];
    if (s->left)
        return am_fail(err, AM_ERR_LIMIT, "Newton's method left the state of contact in which the orbit begins");
    memcpy(start, am_motion_state(s->engine), s->d * sizeof *start);
    am_motion_rates(s->engine, NULL, s->f0);
    double size = am_shot_size(s, start, NULL), end = s->begin + tau;
    s->extent = 0.0;
    while (kind != AM_STEP_END) {
        AM_TRY(am_motion_step(s->engine, end, &kind, err));
        size = fmax(size, am_shot_size(s, am_motion_state(s->engine), NULL));
        s->extent = fmax(s->extent, am_shot_size(s, am_motion_state(s->engine), start));
    }
    memcpy(s->end, am_motion_state(s->engine), s->d * sizeof *s->end);
    am_motion_rates(s->engine, NULL, s->f1);
    s->size = size;
    s->residual = am_shot_apart(s, s->end, start, size);
    return AM_OK;
}

static am_status shoot(am_shot *s, double *start, double tau, am_error *err) {
    AM_TRY(go_around(s, start, tau, err));
    s->carried = s->engine->carried;
    if (!s->unheld)
        am_orbit_reduce_sensitivity(s->engine, s->basis, s->k, s->work, s->phi);
    const double *phi = am_motion_sensitivity(s->engine);
    for (size_t i = 0; s->unheld && i < s->d * s->d; i++)
        s->phi[i] = s->w[i / s->d] / s->w[i % s->d] * phi[i];
    return AM_OK;
}

/* The same without the derivative, which stays that of another shot. */
static am_status shoot_alone(am_shot *s, double *start, double tau, am_error *err) {
    double *sensitivity = s->engine->sensitivity;
    s->engine->sensitivity = NULL;
    am_status status = go_around(s, start, tau, err);
    s->engine->sensitivity = sensitivity;
    return status;
}

static am_status try_shot(am_shot *s, double *start, double tau, am_error *err) {
    return s->sparing ? shoot_alone(s, start, tau, err) : shoot(s, start, tau, err);
}

/* The linearised equations: (phi - 1) y + f1 dtau = x - end, and no shift along the orbit. */
static void fill_equations(am_shot *s, size_t order) {
    size_t k = s->k;
    double *a = s->matrix, *f = s->work, *g = s->work + k;
    for (size_t i = 0; i < s->d; i++)
        s->trial[i] = s->x[i] - s->end[i];
    reduce(s, s->trial, s->right);
    reduce(s, s->f0, f);
    reduce(s, s->f1, g);
    double speed = sqrt(am_dense_dot(f, f, k));
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < k; j++)
            a[i * order + j] = s->phi[i * k + j] - (i == j ? 1.0 : 0.0);
        if (s->free_period) {
            a[i * order + k] = speed > 0.0 ? g[i] / speed : 0.0;
            a[k * order + i] = speed > 0.0 ? f[i] / speed : 0.0;
        }
    }
    if (s->free_period)
        a[k * order + k] = s->right[k] = 0.0;
    s->speed = speed;
}

/* The shortest solution; singular values below `weak` are left out. */
static am_status solve_above(am_shot *s, size_t order, double weak, am_error *err) {
    size_t rank = 0;
    AM_TRY(am_shooting_step(s->matrix, order, weak, s->right, s->values, &rank, err));
    s->family = order - rank;
    s->weakest = rank > 0 ? s->values[rank - 1] : 1.0;
    return AM_OK;
}

/* Singular values below `neutral` are a family. */
static am_status solve_equations(am_shot *s, size_t order, am_error *err) {
    return solve_above(s, order, s->neutral, err);
}

/* Of a family of orbits, a motion approaches the member that agrees with it in what it conserves: W.y = 0 for the left
 * null vectors W of phi - 1, instead of the shortest step. V are the right ones. */
static void find_member(const am_shot *s) {
    size_t k = s->k, right = 0, left = 0, f = s->family;
    double *V = s->member, *W = V + s->d * s->d, *copy = W + s->d * s->d, *step = s->step;
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++)
                copy[i * k + j] = s->phi[side == 0 ? i * k + j : j * k + i] - (i == j ? 1.0 : 0.0);
        if (am_null_space(copy, k, k, side == 0 ? V : W, side == 0 ? &right : &left, NULL))
            return;
    }
    if (right != f || left != f)
        return; /* not clearly a family: the shortest step will do */
    double *a = copy, *b = copy + f * f;
    lapack_int pivots[8];
    if (f > 8)
        return;
    for (size_t i = 0; i < f; i++) {
        for (size_t j = 0; j < f; j++)
            a[i * f + j] = am_dense_dot(W + i * k, V + j * k, k);
        b[i] = am_dense_dot(W + i * k, step, k);
    }
    if (LAPACKE_dgesv(LAPACK_ROW_MAJOR, (lapack_int)f, 1, a, (lapack_int)f, pivots, b, 1) != 0)
        return;
    for (size_t j = 0; j < f; j++)
        for (size_t i = 0; i < k; i++)
            step[i] -= b[j] * V[j * k + i];
}

/* The solution as a step: changes of the state, then (self-excited) of the period. */
static void take_step(am_shot *s) {
    memcpy(s->step, s->right, s->k * sizeof *s->step);
    if (s->free_period)
        s->step[s->k] = s->speed_of_step > 0.0 ? s->right[s->k] / s->speed_of_step : 0.0;
}

/* A step that is longer than may be trusted is taken without its weakest directions. */
static am_status shorten(am_shot *s, size_t order, am_error *err) {
    size_t family = s->family;
    double weakest = s->weakest;
    for (double weak = 1e-6; s->smooth && weak < 1.0; weak *= 10.0) {
        if (sqrt(am_dense_dot(s->right, s->right, s->k)) <= longest_step * s->size)
            break;
        fill_equations(s, order);
        AM_TRY(solve_above(s, order, weak, err));
    }
    s->family = family;
    s->weakest = weakest;
    s->speed_of_step = s->speed;
    return AM_OK;
}

/* The step that closes the linearised orbit. step: k, then (self-excited) the change of the period. */
static am_status newton_step(am_shot *s, am_error *err) {
    size_t order = s->k + s->free_period;
    s->family = 0;
    s->weakest = 1.0;
    if (order == 0)
        return AM_OK;
    fill_equations(s, order);
    memcpy(s->kept, s->matrix, order * order * sizeof *s->kept);
    s->step_length = 0.0;
    AM_TRY(solve_equations(s, order, err));
    AM_TRY(shorten(s, order, err));
    s->step_length = sqrt(am_dense_dot(s->right, s->right, order));
    take_step(s);
    if (s->family > 0 && !s->free_period)
        find_member(s);
    return AM_OK;
}

/* x + part * step, and the period likewise. */
static double apply(const am_shot *s, double part, double *x) {
    const double *step = s->step;
    for (size_t i = 0; i < s->d; i++) {
        double sum = 0.0;
        for (size_t a = 0; a < s->k; a++)
            sum += s->basis[a * s->d + i] * step[a];
        x[i] = s->x[i] + part * sum / s->w[i];
    }
    return s->free_period ? s->tau + part * step[s->k] : s->tau;
}

/* How long the next correction would be if the derivative stayed that of the last Newton step. Where one direction
 * comes back almost unchanged (a multiplier near 1) the closing error is a narrow, bent valley: along the step it grows
 * while the orbit comes nearer. The corrections become shorter all the same (Deuflhard's natural test). */
static am_status next_correction(am_shot *s, double *length, am_error *err) {
    size_t order = s->k + s->free_period, family = s->family;
    memcpy(s->matrix, s->kept, order * order * sizeof *s->matrix);
    for (size_t i = 0; i < s->d; i++)
        s->moved[i] = s->trial[i] - s->end[i];
    reduce(s, s->moved, s->right);
    if (s->free_period)
        s->right[s->k] = 0.0;
    AM_TRY(solve_equations(s, order, err));
    s->family = family;
    *length = sqrt(am_dense_dot(s->right, s->right, order));
    return AM_OK;
}

/* Was the step to `trial` a good one? */
static am_status judge_step(am_shot *s, double before, double part, bool *good, am_error *err) {
    double length;
    *good = s->residual < before;
    if (*good || before <= worst_closing || part > 1.0)
        return AM_OK;
    AM_TRY(next_correction(s, &length, err));
    *good = length <= (1.0 - 0.5 * part) * s->step_length;
    return AM_OK;
}

/* The part of the step that changes the period by no more than may be. */
static double most_part(const am_shot *s) {
    double change = s->smooth && s->free_period ? fabs(s->step[s->k]) : 0.0;
    return change > most_stretch * s->tau ? most_stretch * s->tau / change : 1.0;
}

/* Take the step, halved until the orbit closes better. *better tells whether one was found. */
static am_status improve(am_shot *s, bool *better, am_error *err) {
    double part = s->stretch * most_part(s), before = s->residual;
    size_t most = s->smooth ? more_halvings : most_halvings;
    size_t tries = before <= worst_closing && part <= 1.0 ? 1 : most; /* at rounding there is nothing to search for */
    bool left = false;
    *better = false;
    for (size_t i = 0; i < tries && !*better; i++, part = part > 1.0 ? 1.0 : 0.5 * part) {
        am_error own = {0};
        double tau = apply(s, part, s->trial);
        if (!(tau > 0.0))
            continue;
        bool good = false;
        am_status status = try_shot(s, s->trial, tau, &own);
        left |= s->left;
        if (!status)
            status = judge_step(s, before, part, &good, &own);
        if (status == AM_ERR_MEMORY) {
            if (err)
                *err = own;
            return status;
        }
        if (status || !good)
            continue;
        *better = true;
        s->beyond = left && fabs(s->residual - (1.0 - part) * before) <= as_predicted * before ? s->beyond + 1 : 0;
        s->tau = tau;
        memcpy(s->x, s->trial, s->d * sizeof *s->x);
    }
    return *better ? AM_OK : try_shot(s, s->x, s->tau, err); /* leave everything as it was at x */
}

/* More steps with the same derivative, while they are good; then the derivative at the place reached. */
static am_status reuse(am_shot *s, double before, am_error *err) {
    size_t order = s->k + s->free_period;
    for (size_t i = 0; i < most_reuses && s->residual > chord_closed && s->residual <= still_good * before; i++) {
        double length;
        before = s->residual;
        memcpy(s->trial, s->x, s->d * sizeof *s->x);
        AM_TRY(next_correction(s, &length, err));
        take_step(s);
        double tau = apply(s, 1.0, s->trial);
        if (!(tau > 0.0) || order == 0 || shoot_alone(s, s->trial, tau, NULL) || !(s->residual <= still_good * before))
            break;
        s->tau = tau;
        memcpy(s->x, s->trial, s->d * sizeof *s->x);
    }
    return shoot(s, s->x, s->tau, err);
}

/* Newton's method from x on, until nothing is gained any more. */
static am_status approach(am_shot *s, am_error *err) {
    bool better = true;
    double earlier[8];
    for (size_t i = 0; i < most_iterations && better; i++) {
        double before = s->residual;
        if (i >= 8 && before > 0.95 * earlier[i % 8])
            break; /* it gets nowhere */
        earlier[i % 8] = before;
        double length = i > 0 ? s->step_length : INFINITY;
        AM_TRY(newton_step(s, err));
        s->strayed |= s->step_length > length && s->step_length > not_rounding * s->size;
        if (before <= (s->sparing ? 16.0 * chord_closed : as_good_as_closed))
            break;
        AM_TRY(improve(s, &better, err));
        if (s->sparing && better)
            AM_TRY(reuse(s, before, err));
        double ratio = s->residual / before;
        if (s->residual <= worst_closing && ratio > 0.25 && s->stretch == 1.0)
            break; /* rounding is reached */
        if (s->beyond >= most_beyond && !s->stays)
            break; /* perhaps no orbit begins in this state of contact */
        s->stretch = stretch_for(ratio, s->residual);
    }
    return AM_OK;
}

/* An orbit with hundreds of switches closes to a few roundings of each, sometimes just above what is asked for. Steps
 * of slightly different lengths end in slightly different roundings: the first that closes well enough is taken. */
static am_status polish(am_shot *s, am_error *err) {
    am_status status = newton_step(s, err);
    double best = s->residual;
    for (size_t i = 0; i < most_polishing && !status && best > worst_closing && best < almost_closed; i++) {
        am_error own = {0};
        double tau = apply(s, 1.0 - (double)i / (double)most_polishing, s->trial);
        status = shoot(s, s->trial, tau, &own);
        if (status == AM_ERR_MEMORY && err)
            *err = own;
        bool better = !status && s->residual < best;
        status = status == AM_ERR_MEMORY ? status : AM_OK;
        if (better) {
            best = s->residual;
            s->tau = tau;
            memcpy(s->x, s->trial, s->d * sizeof *s->x);
            status = newton_step(s, err);
        }
    }
    return status ? status : shoot(s, s->x, s->tau, err);
}

/* What the orbit can be expected to close to: rounding, as its derivative amplifies it. */
static double norm_of_derivative(const am_shot *s) {
    return s->k > 0 ? sqrt(am_dense_dot(s->phi, s->phi, s->k * s->k) / (double)s->k) : 0.0;
}

static double allowed(const am_shot *s) {
    double back = worst_roundings * norm_of_derivative(s);
    return fmax(worst_closing, DBL_EPSILON * fmax(back, s->carried));
}

static am_status find_basis(am_shot *s, am_error *err) {
    if (!s->unheld)
        return am_orbit_basis(s->engine, s->state, s->work, s->basis, &s->k, err);
    for (size_t i = 0; i < s->d; i++)
        s->basis[i * s->d + i] = 1.0;
    s->k = s->d;
    return AM_OK;
}

/* Shots from the state of contact that the whole of a step leads to. */
static am_status begin_beyond(am_shot *s, am_error *err) {
    AM_TRY(newton_step(s, err));
    s->tau = apply(s, 1.0, s->trial);
    AM_TRY(am_motion_start_state(s->engine, s->begin, s->trial, err));
    memcpy(s->x, am_motion_state(s->engine), s->d * sizeof *s->x);
    memcpy(s->state, am_motion_states(s->engine), s->m * sizeof *s->state);
    AM_TRY(find_basis(s, err));
    AM_TRY(shoot(s, s->x, s->tau, err));
    return approach(s, err);
}

/* Where the steps point beyond the state of contact in which the orbit was said to begin, the one beyond is tried; where
 * it has no orbit either, the old one with all patience. */
static am_status approach_from_either(am_shot *s, am_error *err) {
    AM_TRY(approach(s, err));
    if (s->beyond < most_beyond)
        return AM_OK;
    am_error own = {0};
    double tau = s->tau;
    memcpy(s->left_x, s->x, s->d * sizeof *s->x);
    memcpy(s->left_state, s->state, s->m * sizeof *s->state);
    s->beyond = 0;
    s->stretch = 1.0;
    am_status status = begin_beyond(s, &own);
    if (am_status_is_fatal(status) && err)
        *err = own;
    if (am_status_is_fatal(status) || (!status && s->beyond < most_beyond && s->residual <= allowed(s)))
        return status;
    s->stays = true;
    s->tau = tau;
    s->stretch = 1.0;
    memcpy(s->x, s->left_x, s->d * sizeof *s->x);
    memcpy(s->state, s->left_state, s->m * sizeof *s->state);
    AM_TRY(find_basis(s, err));
    AM_TRY(shoot(s, s->x, s->tau, err));
    return approach(s, err);
}

/* Where the stretch of a slider that slips lies on a limit that is curved, the directions it may be disturbed in are those
 * at the orbit, not at the guess: the derivative takes them into themselves, and others not. */
static am_status rotate_basis(am_shot *s, am_error *err) {
    bool curved = false;
    for (size_t c = 0; c < s->m && !curved; c++)
        curved =
            s->state[c] != AM_STICK && am_is_closed(s->state[c]) &&
            (am_plan_is_disc(&s->engine->plan, c) || am_slider_is_curved(am_system_contact(s->engine->plan.system, c)));
    if (!curved)
        return AM_OK;
    AM_TRY(am_motion_start_state(s->engine, s->begin, s->x, err));
    AM_TRY(find_basis(s, err));
    return shoot(s, s->x, s->tau, err);
}

am_status am_shot_close(am_shot *s, am_error *err) {
    s->stretch = 1.0;
    s->neutral = neutral;
    AM_TRY(find_basis(s, err));
    AM_TRY(am_motion_follow_sensitivity(s->engine, true, err));
    AM_TRY(shoot(s, s->x, s->tau, err));
    fill_equations(s, s->k + s->free_period);
    s->speed_of_guess = s->speed;
    AM_TRY(approach_from_either(s, err));
    if (s->residual > allowed(s) && s->family > 0) {
        s->neutral = truly_neutral;
        s->stretch = 1.0;
        AM_TRY(approach(s, err));
    }
    if (s->residual > worst_closing && s->residual < almost_closed)
        AM_TRY(polish(s, err));
    AM_TRY(rotate_basis(s, err));
    AM_TRY(newton_step(s, err)); /* the family at the orbit itself */
    if (!(s->residual <= allowed(s)))
        return am_fail(err, AM_ERR_LIMIT,
                       "no periodic motion was found near the guess: it closes to %.3g of its size, not to %.0e",
                       s->residual, allowed(s));
    /* Relaxation oscillations creep past the section, and their speed there tells nothing of how far they go. */
    double moves = fmax(s->speed * s->tau / two_pi, s->extent);
    if (s->smooth && s->free_period &&
        (!(s->speed > rest * s->speed_of_guess) || !(fmax(s->residual, DBL_EPSILON) * s->size <= barely_moves * moves)))
        return am_fail(err, AM_ERR_LIMIT, "the guess leads to rest, not to a periodic motion");
    return AM_OK;
}

/* ---- multipliers ---- */

/* How far the modulus of the largest multiplier may be off: rounding in the eigenvalues of the derivative, and the
 * place of the orbit, known to its closing error over the weakest singular value of Newton's equations. */
static double uncertainty_of(const am_shot *s, const am_multiplier *m, double norm) {
    const double curvature = 10.0;
    return m->uncertainty + curvature * fmax(1.0, hypot(m->re, m->im)) * s->residual / s->weakest +
           100.0 * DBL_EPSILON * norm;
}

am_status am_shot_multipliers(am_shot *s, am_orbit *orbit, am_error *err) {
    am_multiplier *m = s->multiplier;
    double speed = 0.0, norm = norm_of_derivative(s);
    if (s->free_period) {
        reduce(s, s->f0, s->right);
        speed = sqrt(am_dense_dot(s->right, s->right, s->k));
        for (size_t i = 0; i < s->k && speed > 0.0; i++)
            s->right[i] /= speed;
    }
    orbit->family = s->family;
    orbit->strayed = s->strayed && !s->unheld; /* there steps are kept short, and grow again */
    AM_TRY(am_multipliers_find(s->phi, s->k, speed > 0.0 ? s->right : NULL, s->family, s->work, m, orbit->dimension,
                               &orbit->trivial, err));
    for (size_t i = 0; i < orbit->dimension; i++) {
        orbit->multiplier_re[i] = m[i].re;
        orbit->multiplier_im[i] = m[i].im;
    }
    orbit->multiplier = orbit->dimension == 0 ? 0.0 : hypot(m[0].re, m[0].im);
    orbit->uncertainty = orbit->dimension == 0 ? 0.0 : uncertainty_of(s, &m[0], norm);
    orbit->stable = orbit->multiplier < (s->m > 0 ? 1.0 : 1.0 - orbit->uncertainty);
    return AM_OK;
}
