/* Closing an orbit by shooting. See docs/orbit.md for the equations.
 *
 * The section says how often the orbit returns. Newton's method itself works from an instant in the middle of the
 * longest interval without a switch, so that no switch is near the ends and the exact sensitivities of the engine are
 * the derivatives of a smooth map. */
#include "amontons/orbit.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "analyses/orbit/walk.h"
#include "base/local.h"
#include "base/object.h"
#include "base/text.h"
#include "engines/switching/engine.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/pi.h"
#include "math/shooting.h"
#include "system/joints.h"

/* What an orbit must close to, relative to the largest state on it; a strongly unstable one, to so many roundings of
 * what its derivative makes of one. */
static const double worst_closing = 1e-12, worst_roundings = 64.0;

/* Nothing is gained by going on from here. */
static const double as_good_as_closed = 1e-15;

/* Singular values below this part of the largest belong to a family of orbits; where an orbit does not close without
 * these directions, only those below the second: a multiplier as near to 1 as that is still told from 1. */
static const double neutral = 1e-9, truly_neutral = 1e-12;

/* States this near to each other are the same. */
static const double repeated = 1e-8;

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

typedef struct shooting {
    am_arena memory;
    am_motion *engine;
    am_orbit_return *how;
    size_t d, n, m;    /* state, degrees, contacts */
    bool free_period;  /* self-excited */
    bool smooth;       /* no switch tells where a period begins, or there are no contacts at all: steps with care */
    bool unheld;       /* no contacts: all displacements and velocities are free */
    bool sparing;      /* forces are not linear: the derivative costs much more than the motion */
    double begin, tau; /* of the shot */
    double offset;     /* from the section to its beginning */
    size_t before;     /* returns between the section and there */
    const double
        *w; /* d: weights, of displacements and velocities on the orbit's own time scale where nothing holds them */
    double *own;           /* d: the same */
    double *x;             /* d: at the beginning */
    double *end;           /* d: after tau */
    double *trial, *moved; /* d */
    double *f0, *f1;       /* d: time derivatives at both ends */
    double *phi;           /* d x d: derivative of the end, in weighted coordinates restricted to the basis: k x k */
    double *basis;         /* d x d, k rows used: admissible directions, orthonormal in weighted coordinates */
    double *matrix;        /* (d + 1)^2 */
    double *kept;          /* (d + 1)^2: the matrix of the last Newton step, which solving destroys in `matrix` */
    double *right;         /* d + 1 */
    double *values;        /* d + 1: singular values */
    double *step;          /* d + 1: of Newton's method */
    double *member;        /* 3 d d + d: workspace of find_member */
    am_multiplier *multiplier;    /* d */
    double *work;                 /* d x d */
    size_t k;                     /* admissible directions */
    am_contact_state *state;      /* m: at the beginning */
    double size;                  /* largest state met */
    double residual;              /* |end - x|/size */
    size_t family;                /* neutral directions */
    double weakest;               /* the smallest singular value that is not */
    double carried;               /* as in am_orbit */
    double speed, speed_of_guess; /* |x'| at the beginning, in weighted coordinates */
    double neutral;               /* singular values below this are */
    double stretch;               /* of the next step */
    double step_length;           /* of the last Newton step, the period included */
    bool strayed;                 /* one was longer than the one before */
    bool left;                    /* the last shot began in another state of contact */
    size_t beyond;                /* steps in a row that pointed beyond that state */
    bool stays;                   /* the state beyond was tried: go on in this one, whatever the steps point to */
    double *left_x;               /* d: the beginning that was left for it, */
    am_contact_state *left_state; /* m: and its state */
    double speed_of_step;         /* |x'| there */
} shooting;

static am_status reserve(shooting *s, am_error *err) {
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

/* Largest |weight (a - b)|. */
static double size_of(const shooting *s, const double *a, const double *b) {
    double size = 0.0;
    for (size_t i = 0; i < s->d; i++)
        size = fmax(size, fabs(s->w[i] * (b ? a[i] - b[i] : a[i])));
    return size;
}

/* Without contacts velocities are measured by the period: the frequencies of curved springs are not those of the
 * structure at rest. */
static void weigh(shooting *s, double period) {
    const am_plan *plan = &s->engine->plan;
    for (size_t i = 0; s->unheld && i < s->n; i++) {
        s->own[i] = sqrt(plan->M[i * s->n + i]);
        s->own[s->n + i] = period / two_pi * s->own[i];
    }
    s->w = s->unheld ? s->own : plan->weight;
}

/* ---- where to shoot from ---- */

/* A guess of the period is improved first: to the time at which the motion comes nearest to where it began. The guess
 * itself is looked at too, and some points of every span. */
static am_status align(shooting *s, const double *guess, am_error *err) {
    enum { LOOKS = 32 };
    am_motion *e = s->engine;
    double given = s->how->period, nearest = INFINITY;
    am_step_kind kind = AM_STEP_SPAN;
    AM_TRY(am_motion_start_state(e, s->how->start, guess, err));
    while (kind != AM_STEP_END) {
        AM_TRY(am_motion_step(e, s->how->start + 1.3 * given, &kind, err));
        double end = am_motion_time(e) - s->how->start, begin = end - e->span_length;
        for (size_t i = 0; i <= LOOKS && end >= 0.7 * given; i++) {
            double t = i == 0 ? given : begin + (double)i / LOOKS * e->span_length;
            if (t < 0.7 * given || t < begin || t > end)
                continue;
            am_engine_evaluate(e, t - begin, s->trial, s->d);
            double distance = size_of(s, s->trial, guess);
            if (distance < nearest) {
                nearest = distance;
                s->how->period = t;
            }
        }
    }
    return AM_OK;
}

/* One walk along the guess finds the longest interval between switches and the period. Without switches any instant
 * will do. */
static am_status choose_beginning(shooting *s, const double *guess, am_error *err) {
    am_walk walk;
    double last = s->how->start, longest = -1.0;
    size_t returns = 0;
    bool switches = false;
    weigh(s, s->how->period);
    if (s->how->section == AM_SECTION_FREE)
        AM_TRY(align(s, guess, err));
    if (s->how->from_guess || (s->unheld && am_walk_is_timed(s->how))) { /* as asked, or nothing can switch */
        s->tau = (double)s->how->returns * s->how->period;
        s->begin = s->how->start;
        return AM_OK;
    }
    AM_TRY(am_walk_begin(&walk, s->engine, s->how, guess, err));
    while (!walk.done) {
        am_step_kind kind;
        AM_TRY(am_walk_step(&walk, &kind, err));
        double now = am_motion_time(s->engine);
        switches |= am_motion_switches(s->engine) > 0;
        if (am_motion_switches(s->engine) == 0 && !walk.done)
            continue;
        if (now - last > longest) {
            longest = now - last;
            s->offset = 0.5 * (last + now) - s->how->start;
            s->before = returns;
        }
        last = now;
        returns = walk.returns;
    }
    if (s->smooth && !switches)
        s->offset = 0.0;
    s->tau = am_motion_time(s->engine) - s->how->start;
    if (am_walk_is_timed(s->how))
        s->tau = (double)s->how->returns * s->how->period;
    s->begin = s->how->start + s->offset;
    if (!(s->tau > 0.0))
        return am_fail(err, AM_ERR_LIMIT, "the motion does not leave the section");
    return AM_OK;
}

static am_status go_to_beginning(shooting *s, const double *guess, am_error *err) {
    AM_TRY(am_motion_start_state(s->engine, s->how->start, guess, err));
    AM_TRY(am_engine_run_until(s->engine, s->begin, err));
    memcpy(s->x, am_motion_state(s->engine), s->d * sizeof *s->x);
    memcpy(s->state, am_motion_states(s->engine), s->m * sizeof *s->state);
    return AM_OK;
}

/* ---- admissible directions ---- */

/* Coordinates of a weighted vector in the basis. */
static void reduce(const shooting *s, const double *vector, double *reduced) {
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
static am_status go_around(shooting *s, double *start, double tau, am_error *err) {
    am_step_kind kind = AM_STEP_SPAN;
    AM_TRY(am_motion_start_state(s->engine, s->begin, start, err));
    s->left = false;
    for (size_t c = 0; c < s->m; c++)
        s->left |= am_motion_states(s->engine)[c] != s->state[c];
    if (s->left)
        return am_fail(err, AM_ERR_LIMIT, "Newton's method left the state of contact in which the orbit begins");
    memcpy(start, am_motion_state(s->engine), s->d * sizeof *start);
    am_motion_rates(s->engine, NULL, s->f0);
    double size = size_of(s, start, NULL), end = s->begin + tau;
    while (kind != AM_STEP_END) {
        AM_TRY(am_motion_step(s->engine, end, &kind, err));
        size = fmax(size, size_of(s, am_motion_state(s->engine), NULL));
    }
    memcpy(s->end, am_motion_state(s->engine), s->d * sizeof *s->end);
    am_motion_rates(s->engine, NULL, s->f1);
    s->size = size;
    s->residual = size > 0.0 ? size_of(s, s->end, start) / size : 0.0;
    return AM_OK;
}

static am_status shoot(shooting *s, double *start, double tau, am_error *err) {
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
static am_status shoot_alone(shooting *s, double *start, double tau, am_error *err) {
    double *sensitivity = s->engine->sensitivity;
    s->engine->sensitivity = NULL;
    am_status status = go_around(s, start, tau, err);
    s->engine->sensitivity = sensitivity;
    return status;
}

static am_status try_shot(shooting *s, double *start, double tau, am_error *err) {
    return s->sparing ? shoot_alone(s, start, tau, err) : shoot(s, start, tau, err);
}

/* The linearised equations: (phi - 1) y + f1 dtau = x - end, and no shift along the orbit. */
static void fill_equations(shooting *s, size_t order) {
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
static am_status solve_above(shooting *s, size_t order, double weak, am_error *err) {
    size_t rank = 0;
    AM_TRY(am_shooting_step(s->matrix, order, weak, s->right, s->values, &rank, err));
    s->family = order - rank;
    s->weakest = rank > 0 ? s->values[rank - 1] : 1.0;
    return AM_OK;
}

/* Singular values below `neutral` are a family. */
static am_status solve_equations(shooting *s, size_t order, am_error *err) {
    return solve_above(s, order, s->neutral, err);
}

/* Of a family of orbits, a motion approaches the member that agrees with it in what it conserves: W.y = 0 for the left
 * null vectors W of phi - 1, instead of the shortest step. V are the right ones. */
static void find_member(const shooting *s) {
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
static void take_step(shooting *s) {
    memcpy(s->step, s->right, s->k * sizeof *s->step);
    if (s->free_period)
        s->step[s->k] = s->speed_of_step > 0.0 ? s->right[s->k] / s->speed_of_step : 0.0;
}

/* A step that is longer than may be trusted is taken without its weakest directions. */
static am_status shorten(shooting *s, size_t order, am_error *err) {
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
static am_status newton_step(shooting *s, am_error *err) {
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
static double apply(const shooting *s, double part, double *x) {
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
static am_status next_correction(shooting *s, double *length, am_error *err) {
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
static am_status judge_step(shooting *s, double before, double part, bool *good, am_error *err) {
    double length;
    *good = s->residual < before;
    if (*good || before <= worst_closing || part > 1.0)
        return AM_OK;
    AM_TRY(next_correction(s, &length, err));
    *good = length <= (1.0 - 0.5 * part) * s->step_length;
    return AM_OK;
}

/* The part of the step that changes the period by no more than may be. */
static double most_part(const shooting *s) {
    double change = s->smooth && s->free_period ? fabs(s->step[s->k]) : 0.0;
    return change > most_stretch * s->tau ? most_stretch * s->tau / change : 1.0;
}

/* Take the step, halved until the orbit closes better. *better tells whether one was found. */
static am_status improve(shooting *s, bool *better, am_error *err) {
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
    return *better ? AM_OK : shoot(s, s->x, s->tau, err); /* leave everything as it was at x */
}

/* More steps with the same derivative, while they are good; then the derivative at the place reached. */
static am_status reuse(shooting *s, double before, am_error *err) {
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
static am_status approach(shooting *s, am_error *err) {
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
static am_status polish(shooting *s, am_error *err) {
    am_status status = s->residual > worst_closing && s->residual < almost_closed ? newton_step(s, err) : AM_OK;
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
static double norm_of_derivative(const shooting *s) {
    return s->k > 0 ? sqrt(am_dense_dot(s->phi, s->phi, s->k * s->k) / (double)s->k) : 0.0;
}

static double allowed(const shooting *s) {
    double back = worst_roundings * norm_of_derivative(s);
    return fmax(worst_closing, DBL_EPSILON * fmax(back, s->carried));
}

static am_status find_basis(shooting *s, am_error *err) {
    if (!s->unheld)
        return am_orbit_basis(s->engine, s->state, s->work, s->basis, &s->k, err);
    for (size_t i = 0; i < s->d; i++)
        s->basis[i * s->d + i] = 1.0;
    s->k = s->d;
    return AM_OK;
}

/* Shots from the state of contact that the whole of a step leads to. */
static am_status begin_beyond(shooting *s, am_error *err) {
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
static am_status approach_from_either(shooting *s, am_error *err) {
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

static am_status iterate(shooting *s, am_error *err) {
    AM_TRY(shoot(s, s->x, s->tau, err));
    fill_equations(s, s->k + s->free_period);
    s->speed_of_guess = s->speed;
    AM_TRY(approach_from_either(s, err));
    if (s->residual > allowed(s) && s->family > 0) {
        s->neutral = truly_neutral;
        s->stretch = 1.0;
        AM_TRY(approach(s, err));
    }
    if (s->residual > worst_closing)
        AM_TRY(polish(s, err));
    AM_TRY(newton_step(s, err)); /* the family at the orbit itself */
    if (!(s->residual <= allowed(s)))
        return am_fail(err, AM_ERR_LIMIT,
                       "no periodic motion was found near the guess: it closes to %.3g of its size, not to %.0e",
                       s->residual, allowed(s));
    double moves = s->speed * s->tau / two_pi;
    if (s->smooth && s->free_period &&
        (!(s->speed > rest * s->speed_of_guess) || !(fmax(s->residual, DBL_EPSILON) * s->size <= barely_moves * moves)))
        return am_fail(err, AM_ERR_LIMIT, "the guess leads to rest, not to a periodic motion");
    return AM_OK;
}

/* ---- multipliers ---- */

/* How far the modulus of the largest multiplier may be off: rounding in the eigenvalues of the derivative, and the
 * place of the orbit, known to its closing error over the weakest singular value of Newton's equations. */
static double uncertainty_of(const shooting *s, const am_multiplier *m, double norm) {
    const double curvature = 10.0;
    return m->uncertainty + curvature * fmax(1.0, hypot(m->re, m->im)) * s->residual / s->weakest +
           100.0 * DBL_EPSILON * norm;
}

/* Floquet multipliers: eigenvalues of the sensitivity over one period. Directions that are not admissible have
 * multiplier 0: the contacts suppress them. */
static am_status find_multipliers(shooting *s, am_orbit *orbit, am_error *err) {
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

/* ---- describing ---- */

/* From the beginning of the shot on to the section. */
static am_status go_to_section(shooting *s, am_orbit *orbit, am_error *err) {
    size_t missing = s->how->returns - s->before, seen = 0;
    bool timed = am_walk_is_timed(s->how);
    double until = timed ? s->how->start + s->tau : s->begin + 1.5 * s->tau;
    am_step_kind kind = AM_STEP_SPAN;
    if (s->unheld && timed) { /* it is there */
        memcpy(orbit->state, s->x, s->d * sizeof *orbit->state);
        return AM_OK;
    }
    AM_TRY(am_walk_start(s->engine, s->how, s->begin, s->x, err));
    while (kind != AM_STEP_END && (timed || seen < missing)) {
        AM_TRY(am_motion_step(s->engine, until, &kind, err));
        if (!timed)
            seen += am_walk_at_section(s->engine, s->how);
    }
    if (!timed && seen < missing)
        return am_fail(err, AM_ERR_LIMIT, "the periodic motion near the guess does not pass the section");
    memcpy(orbit->state, am_motion_state(s->engine), s->d * sizeof *orbit->state);
    memcpy(orbit->contact, am_motion_states(s->engine), s->m * sizeof *orbit->contact);
    return AM_OK;
}

static void add_states(am_text *text, am_motion *engine) {
    am_text_add(text, text->length > 0 ? " " : "");
    am_joints_name(text, engine->plan.system, am_motion_states(engine));
}

static am_status add_times(const shooting *s, am_orbit *orbit, size_t *capacity, am_error *err) {
    size_t more = am_motion_switches(s->engine);
    AM_TRY(am_memory_reserve(&orbit->switch_times, capacity, orbit->switches + more, err));
    for (size_t i = 0; i < more; i++)
        if (!am_motion_switch(s->engine, i)->together)
            orbit->switch_times[orbit->switches++] = am_motion_time(s->engine) - s->how->start;
    return AM_OK;
}

/* Walk once around: switches, sequence, stops, losses, and a second look at how well the orbit closes. */
static am_status walk_around(shooting *s, am_orbit *orbit, am_text *sequence, am_error *err) {
    am_walk walk;
    size_t capacity = 0;
    bool slid = false;
    if (s->unheld && am_walk_is_timed(s->how) && !s->engine->with_energy) { /* the last shot was this walk */
        orbit->carried = s->carried;
        orbit->closing = s->residual;
        orbit->dissipation = orbit->loss_damping = orbit->loss_impact = NAN;
        return AM_OK;
    }
    AM_TRY(am_walk_begin(&walk, s->engine, s->how, orbit->state, err));
    bool stuck = am_orbit_all_stick(am_motion_states(s->engine), s->m);
    add_states(sequence, s->engine);
    orbit->shakedown = stuck;
    while (!walk.done) {
        am_step_kind kind;
        AM_TRY(am_walk_step(&walk, &kind, err));
        if (am_motion_switches(s->engine) == 0)
            continue;
        bool sticks = am_orbit_all_stick(am_motion_states(s->engine), s->m);
        orbit->stops += sticks && !stuck;
        stuck = sticks;
        slid = true;
        AM_TRY(add_times(s, orbit, &capacity, err));
        add_states(sequence, s->engine);
    }
    orbit->shakedown = orbit->shakedown && !slid;
    orbit->carried = s->carried;
    orbit->closing =
        fmax(s->residual, s->size > 0.0 ? size_of(s, am_motion_state(s->engine), orbit->state) / s->size : 0.0);
    double period = am_motion_time(s->engine) - s->how->start;
    if (!(fabs(period - s->tau) <= 1e-9 * s->tau))
        return am_fail(err, AM_ERR_LIMIT, "the periodic motion near the guess does not pass the section");
    const am_motion_statistics statistics = am_motion_statistics_get(s->engine);
    orbit->indeterminate = statistics.indeterminate;
    orbit->dissipation = s->engine->with_energy ? statistics.loss_friction : NAN;
    orbit->loss_damping = s->engine->with_energy ? statistics.loss_damping : NAN;
    orbit->loss_impact = s->engine->with_energy ? statistics.loss_impact : NAN;
    return AM_OK;
}

/* The last state of contact is the first one again: it is not repeated in the sequence. */
static void drop_last(am_text *sequence, const am_orbit *orbit) {
    char *last = orbit->switches > 0 && sequence->data ? strrchr(sequence->data, ' ') : NULL;
    if (last)
        *last = '\0';
}

static am_status describe(shooting *s, am_orbit *orbit, am_error *err) {
    AM_LOCAL(am_text_free) am_text sequence = {0};
    AM_TRY(go_to_section(s, orbit, err));
    AM_TRY(walk_around(s, orbit, &sequence, err));
    AM_TRY(am_text_status(&sequence, err));
    drop_last(&sequence, orbit);
    orbit->sequence = am_memory_text(am_text_view(&sequence), err);
    return orbit->sequence ? AM_OK : AM_ERR_MEMORY;
}

static am_status prepare_orbit(const shooting *s, am_orbit *orbit, am_error *err) {
    *orbit = (am_orbit){.returns = s->how->returns, .start = s->how->start, .dimension = s->d};
    orbit->state = am_memory_new(s->d, sizeof(double), err);
    orbit->contact = am_memory_new(s->m, sizeof *orbit->contact, err);
    orbit->multiplier_re = am_memory_new(s->d, sizeof(double), err);
    orbit->multiplier_im = am_memory_new(s->d, sizeof(double), err);
    return orbit->state && orbit->contact && orbit->multiplier_re && orbit->multiplier_im ? AM_OK : AM_ERR_MEMORY;
}

static am_status check(const am_motion *engine, const am_orbit_return *how, am_error *err) {
    if (how->returns < 1)
        return am_fail(err, AM_ERR_INPUT, "an orbit must have at least one return");
    if (am_walk_is_timed(how) && !(how->period > 0.0 && isfinite(how->period)))
        return am_fail_field(err, AM_ERR_INPUT, "period", "the period must be positive, not %g", how->period);
    if (how->section == AM_SECTION_MAXIMUM && how->coordinate >= engine->plan.n)
        return am_fail_field(err, AM_ERR_INPUT, "section", "there is no coordinate %zu", how->coordinate + 1);
    if (how->section == AM_SECTION_SWITCH && how->contact >= engine->plan.m)
        return am_fail_field(err, AM_ERR_INPUT, "section", "there is no contact %zu", how->contact + 1);
    if (how->section == AM_SECTION_AUTO || (how->from_guess && !am_walk_is_timed(how)))
        return am_fail_field(err, AM_ERR_INPUT, "section", "say whether the section is a period or a switch");
    return AM_OK;
}

/* Without contacts every direction is admissible. */
static am_status solve_orbit(shooting *s, const double *guess, am_orbit *orbit, am_error *err) {
    AM_TRY(choose_beginning(s, guess, err));
    AM_TRY(go_to_beginning(s, guess, err));
    weigh(s, s->tau);
    AM_TRY(find_basis(s, err));
    AM_TRY(am_motion_follow_sensitivity(s->engine, true, err));
    AM_TRY(iterate(s, err));
    orbit->period = s->tau;
    s->how->period = s->tau / (double)s->how->returns;
    return find_multipliers(s, orbit, err);
}

static am_status close_orbit(shooting *s, const double *guess, am_orbit *orbit, am_error *err) {
    bool energy = s->engine->with_energy;
    AM_TRY(reserve(s, err));
    AM_TRY(prepare_orbit(s, orbit, err));
    s->engine->with_energy = false; /* the balance of energy is needed only for the description */
    am_status status = solve_orbit(s, guess, orbit, err);
    am_motion_follow_sensitivity(s->engine, false, NULL);
    s->engine->with_energy = energy;
    return status ? status : describe(s, orbit, err);
}

static am_status close_as_asked(am_motion *engine, const am_orbit_return *how, const double *guess, am_orbit *orbit,
                                am_error *err) {
    am_orbit_return own = *how;
    shooting s = {.engine = engine,
                  .how = &own,
                  .d = am_motion_dimension(engine),
                  .n = engine->plan.n,
                  .m = engine->plan.m,
                  .stretch = 1.0,
                  .neutral = neutral,
                  .smooth =
                      engine->plan.m == 0 || how->section == AM_SECTION_FREE || how->section == AM_SECTION_MAXIMUM,
                  .unheld = engine->plan.m == 0 && engine->plan.followers == 0,
                  .sparing = engine->plan.forces > 0,
                  .free_period = am_orbit_is_self_excited(how)};
    am_status status = close_orbit(&s, guess, orbit, err);
    am_arena_clear(&s.memory);
    if (status)
        am_orbit_clear(orbit);
    return status;
}

/* The smallest number of returns after which the closed orbit repeats. */
static am_status least_returns(am_motion *engine, const am_orbit_return *how, const am_orbit *orbit, size_t *least,
                               am_error *err) {
    *least = how->returns;
    for (size_t r = 1; r < how->returns && *least == how->returns; r++) {
        am_orbit_return shorter = *how;
        am_walk walk;
        shorter.returns = r;
        if (how->returns % r != 0)
            continue;
        AM_TRY(am_walk_begin(&walk, engine, &shorter, orbit->state, err));
        while (!walk.done) {
            am_step_kind kind;
            AM_TRY(am_walk_step(&walk, &kind, err));
        }
        double size = am_orbit_size(engine, orbit->state);
        if (am_orbit_distance(engine, am_motion_state(engine), orbit->state) <= repeated * size)
            *least = r;
    }
    return AM_OK;
}

/* Does an orbit without a section close earlier already? Returns the number of times it goes round. */
static size_t times_around(am_motion *engine, const am_orbit *orbit) {
    static const size_t primes[] = {2, 3, 5, 7};
    double size = am_orbit_size(engine, orbit->state);
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
        if (!am_motion_start_state(engine, orbit->start, orbit->state, NULL) &&
            !am_engine_run_until(engine, orbit->start + orbit->period / (double)primes[i], NULL) &&
            am_orbit_distance(engine, am_motion_state(engine), orbit->state) <= repeated * size)
            return primes[i];
    return 1;
}

static am_status close_once_around(am_motion *engine, const am_orbit_return *how, am_orbit *orbit, am_error *err) {
    am_status status = AM_OK;
    for (size_t times = 2; times > 1 && !status;) {
        bool energy = engine->with_energy;
        engine->with_energy = false;
        times = times_around(engine, orbit);
        engine->with_energy = energy;
        if (times > 1) {
            am_orbit_return shorter = *how;
            am_orbit once = {0};
            shorter.period = orbit->period / (double)times;
            status = close_as_asked(engine, &shorter, orbit->state, &once, err);
            am_orbit_clear(orbit);
            *orbit = once;
        }
    }
    return status;
}

am_status am_orbit_close(am_motion *engine, const am_orbit_return *how, const double *guess, am_orbit *orbit,
                         am_error *err) {
    if (!am_is(engine, AM_TAG_MOTION) || !how || !orbit)
        return am_misused(err, __func__);
    *orbit = (am_orbit){0};
    AM_TRY(check(engine, how, err));
    size_t least = how->returns;
    bool energy = engine->with_energy;
    am_motion_seek_final(engine, false);
    am_motion_follow_sensitivity(engine, false, NULL);
    engine->strides = true;
    am_status status = close_as_asked(engine, how, guess, orbit, err);
    if (!status && how->section == AM_SECTION_FREE)
        status = close_once_around(engine, how, orbit, err);
    engine->with_energy = false;
    if (!status)
        status = least_returns(engine, how, orbit, &least, err);
    engine->with_energy = energy;
    if (!status && least < how->returns) {
        am_orbit_return shorter = *how;
        am_orbit once = {0};
        shorter.returns = least;
        status = close_as_asked(engine, &shorter, orbit->state, &once, err);
        am_orbit_clear(orbit);
        *orbit = once;
    }
    engine->strides = false;
    if (status)
        am_orbit_clear(orbit);
    return status;
}

void am_orbit_clear(am_orbit *orbit) {
    if (!orbit)
        return;
    am_memory_free(orbit->state);
    am_memory_free(orbit->contact);
    am_memory_free(orbit->sequence);
    am_memory_free(orbit->switch_times);
    am_memory_free(orbit->multiplier_re);
    am_memory_free(orbit->multiplier_im);
    *orbit = (am_orbit){0};
}
