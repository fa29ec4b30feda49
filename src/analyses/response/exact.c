#include "analyses/response/exact.h"

#include <math.h>
#include <string.h>

#include "analyses/orbit/orbit_internal.h"
#include "analyses/orbit/section_walk.h"
#include "base/local.h"
#include "engines/switching/switching.h"
#include "math/dense.h"
#include "math/lu.h"
#include "math/pi.h"
#include "math/quadrature.h"
#include "math/trigonometric.h"

struct am_closer {
    am_arena memory;
    am_model_line line;
    am_balance *balance;
    bool self_excited;
    size_t n, m, d;       /* coordinates, contacts, dimension of the state */
    double *guess;        /* d */
    size_t whole;         /* coordinates of the balance, where the motion has fewer, */
    double *project;      /* n x whole: of what they are; NULL: the same */
    double *state;        /* 2 whole + springs */
    double *q, *rate;     /* n, d */
    double *first;        /* n */
    double *v;            /* n */
    double *harmonics;    /* n x 3 */
    double *basis, *half; /* d x d each */
    double *work;         /* (3 m + d) x d */
    int *pivots;          /* d */
    am_orbit orbit;       /* closed last */
};

static am_closer *create(const am_model_line *line, am_balance *balance, bool self_excited, size_t n, am_error *err) {
    am_closer *e = am_memory_new(1, sizeof *e, err);
    if (!e)
        return NULL;
    size_t m = am_balance_contacts(balance), d = 2 * n + am_balance_springs(balance);
    *e = (am_closer){.line = *line, .balance = balance, .self_excited = self_excited, .n = n, .m = m, .d = d};
    AM_ARENA_DOUBLES(&e->memory, d, err, &e->guess, &e->rate);
    AM_ARENA_DOUBLES(&e->memory, n, err, &e->q, &e->first, &e->v);
    e->harmonics = am_arena_doubles(&e->memory, NULL, 3 * n, err);
    AM_ARENA_DOUBLES(&e->memory, d * d, err, &e->basis, &e->half);
    e->work = am_arena_doubles(&e->memory, NULL, (3 * m + d) * d, err);
    e->pivots = am_arena_new(&e->memory, d, sizeof *e->pivots, err);
    if (!am_arena_status(&e->memory))
        return e;
    am_closer_free(e);
    return NULL;
}

am_closer *am_closer_create(const am_model_line *line, am_balance *balance, bool self_excited, am_error *err) {
    return create(line, balance, self_excited, am_balance_coordinates(balance), err);
}

am_closer *am_closer_create_projected(const am_model_line *line, am_balance *balance, bool self_excited,
                                      const am_matrix *mass, const double *shapes, size_t count, am_error *err) {
    am_closer *e = create(line, balance, self_excited, count, err);
    if (!e)
        return NULL;
    e->whole = am_balance_coordinates(balance);
    e->project = am_arena_doubles(&e->memory, NULL, count * e->whole, err);
    e->state = am_arena_doubles(&e->memory, NULL, 2 * e->whole + am_balance_springs(balance), err);
    if (am_arena_status(&e->memory)) {
        am_closer_free(e);
        return NULL;
    }
    for (size_t k = 0; k < count; k++)
        am_matrix_apply(mass, shapes + k * e->whole, e->project + k * e->whole);
    return e;
}

void am_closer_free(am_closer *exact) {
    if (!exact)
        return;
    am_orbit_clear(&exact->orbit);
    am_arena_clear(&exact->memory);
    am_memory_free(exact);
}

static double distance_of(const am_closer *e, const double *q, const double *v, double omega) {
    double distance = 0.0;
    for (size_t i = 0; i < e->n; i++)
        distance = fmax(distance, fmax(fabs(q[i] - e->guess[i]), fabs(v[i] - e->guess[e->n + i]) / omega));
    return distance;
}

/* A self-excited motion may have been shifted in time: how near it comes to the guess. */
static am_status find_distance(am_closer *e, am_motion *engine, double omega, double *distance, am_error *err) {
    am_step_kind kind = AM_STEP_SPAN;
    AM_TRY(am_motion_start_state(engine, 0.0, e->orbit.state, err));
    while (kind != AM_STEP_END) {
        AM_TRY(am_motion_step(engine, e->orbit.period, &kind, err));
        double from = am_motion_span_start(engine), half = 0.5 * (am_motion_time(engine) - from), node;
        for (size_t g = 0; g < AM_QUADRATURE_POINTS; g++) {
            am_quadrature_point(g, &node);
            am_motion_at(engine, from + half * (1.0 + node), e->q, e->v, NULL, NULL);
            *distance = fmin(*distance, distance_of(e, e->q, e->v, omega));
        }
    }
    return AM_OK;
}

/* Newton's method may have gone to another motion: all the more if its corrections grew on the way, where switches make
 * corners (without contacts its steps are shortened, and grow again by themselves). */
static am_status check_near(am_closer *e, am_motion *engine, double omega, am_error *err) {
    const double *guess = e->guess, most = e->m > 0 && e->orbit.strayed ? 0.2 : 0.5;
    double distance = distance_of(e, e->orbit.state, e->orbit.state + e->n, omega), size = 0.0;
    for (size_t i = 0; i < e->n; i++)
        size = fmax(size, hypot(guess[i], guess[e->n + i] / omega));
    if (e->self_excited && distance > most * size)
        AM_TRY(find_distance(e, engine, omega, &distance, err));
    return distance <= most * size
               ? AM_OK
               : am_fail(err, AM_ERR_LIMIT,
                         "the exact motion next to this one is another one (farther away than %g of its size): more "
                         "harmonics may tell",
                         most);
}

/* ---- harmonics ---- */

/* A rule of 16 points sees the highest harmonic over no more than this angle on either side of a panel's middle. */
static const double widest_panel = 4.0;

/* What is integrated over an orbit: coordinates, and friction if anybody asks. */
typedef struct harmonics {
    size_t H, n, m;
    double omega;
    double *q, *T;              /* at an instant */
    double *cosine, *sine;      /* H + 1: there, of its angle's multiples */
    double *signals, *friction; /* n and m times (2 H + 1); NULL: nobody asks */
} harmonics;

static void add_instant(double *signals, size_t S, size_t at, size_t count, const double *value, double weight) {
    for (size_t i = 0; i < count; i++)
        signals[i * S + at] += weight * value[i];
}

/* Integrals of q cos h omega t, q sin h omega t over the span just passed: q is a polynomial of degree 23 there. */
static void add_span(const am_motion *engine, const harmonics *f) {
    double from = am_motion_span_start(engine), length = am_motion_time(engine) - from;
    size_t S = 2 * f->H + 1, panels = 1 + (size_t)(0.5 * length * f->omega * (double)f->H / widest_panel);
    double half = 0.5 * length / (double)panels;
    for (size_t g = 0; g < panels * AM_QUADRATURE_POINTS; g++) {
        double node, weight = half * am_quadrature_point(g % AM_QUADRATURE_POINTS, &node);
        double t = from + half * (2.0 * (double)(g / AM_QUADRATURE_POINTS) + 1.0 + node);
        if (f->friction)
            am_motion_at(engine, t, f->q, NULL, NULL, f->T);
        else
            am_engine_coordinates(engine, am_exact_time_until(engine->span_start, am_exact_time_at(t)), f->q);
        am_trig_basis(f->H, f->omega * t, f->cosine, f->sine);
        for (size_t k = 0; k < S; k++) {
            double part = weight * (k % 2 || k == 0 ? f->cosine[(k + 1) / 2] : f->sine[k / 2]);
            add_instant(f->signals, S, k, f->n, f->q, part);
            if (f->friction) /* T is the force on the structure */
                add_instant(f->friction, S, k, f->m, f->T, -part);
        }
    }
}

static void scale_harmonics(double *signals, size_t count, size_t S, double period) {
    for (size_t k = 0; k < count * S; k++)
        signals[k] *= (k % S == 0 ? 1.0 : 2.0) / period;
}

am_status am_timed_harmonics(am_motion *engine, double start, const am_orbit *orbit, size_t H, double *signals,
                             double *friction, double *largest, am_error *err) {
    am_step_kind kind = AM_STEP_SPAN;
    size_t n = engine->plan.n, m = engine->plan.m, S = 2 * H + 1;
    AM_LOCAL_ARENA memory = {0};
    harmonics f = {.H = H, .n = n, .m = m, .omega = two_pi / orbit->period, .signals = signals, .friction = friction};
    f.q = am_arena_doubles(&memory, NULL, n, err);
    f.T = am_arena_doubles(&memory, NULL, m, err);
    AM_ARENA_DOUBLES(&memory, H + 1, err, &f.cosine, &f.sine);
    am_orbit_range *range = am_arena_new(&memory, n, sizeof *range, err);
    AM_TRY(am_arena_status(&memory));
    for (size_t i = 0; i < n; i++)
        range[i] = (am_orbit_range){INFINITY, -INFINITY};
    memset(signals, 0, n * S * sizeof *signals);
    if (friction)
        memset(friction, 0, m * S * sizeof *friction);
    AM_TRY(am_motion_start_state(engine, start, orbit->state, err));
    while (kind != AM_STEP_END) {
        AM_TRY(am_motion_step(engine, start + orbit->period, &kind, err));
        if (kind == AM_STEP_END)
            break;
        add_span(engine, &f);
        for (size_t i = 0; i < n && largest; i++)
            am_orbit_include_span(engine, i, &range[i]);
    }
    scale_harmonics(signals, n, S, orbit->period);
    if (friction)
        scale_harmonics(friction, m, S, orbit->period);
    for (size_t i = 0; i < n && largest; i++)
        largest[i] = fmax(fabs(range[i].least), fabs(range[i].largest));
    return AM_OK;
}

static am_status find_first_harmonic(am_closer *e, am_motion *engine, am_error *err) {
    AM_TRY(am_timed_harmonics(engine, 0.0, &e->orbit, 1, e->harmonics, NULL, NULL, err));
    for (size_t i = 0; i < e->n; i++)
        e->first[i] = hypot(e->harmonics[3 * i + 1], e->harmonics[3 * i + 2]);
    return AM_OK;
}

/* ---- the index ---- */

/* A shift in time f is no disturbance: S f = f, and S - f f^T/|f|^2. In the directions of the basis. */
static void leave_shift_out(am_closer *e, const am_motion *engine, size_t count) {
    double *f = e->work, square = 0.0;
    am_motion_rates(engine, NULL, e->rate);
    for (size_t i = 0; i < e->d; i++)
        e->rate[i] *= engine->plan.weight[i];
    for (size_t a = 0; a < count; a++) {
        f[a] = am_dense_dot(e->basis + a * e->d, e->rate, e->d);
        square += f[a] * f[a];
    }
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++)
            e->half[a * count + b] -= f[a] * f[b] / square;
}

/* Among motions with x(T/2) = -x(0), minus the state after half a period is the map whose fixed points they are. */
static am_status find_odd_index(am_closer *e, am_motion *engine, int *index, am_error *err) {
    const am_orbit *orbit = &e->orbit;
    size_t count = 0;
    am_step_kind kind = AM_STEP_SPAN;
    AM_TRY(am_motion_follow_sensitivity(engine, true, err));
    AM_TRY(am_motion_start_state(engine, 0.0, orbit->state, err));
    AM_TRY(am_orbit_basis(engine, orbit->contact, e->work, e->basis, &count, err));
    engine->strides = true; /* nothing is asked on the way */
    while (kind != AM_STEP_END)
        AM_TRY(am_motion_step(engine, 0.5 * orbit->period, &kind, err));
    engine->strides = false;
    am_orbit_reduce_sensitivity(engine, e->basis, count, e->work, e->half);
    for (size_t i = 0; i < count * count; i++)
        e->half[i] = -e->half[i];
    if (e->self_excited)
        leave_shift_out(e, engine, count);
    *index = am_lu_index(e->half, count, e->pivots);
    return AM_OK;
}

static am_status find_index(am_closer *e, am_motion *engine, am_closed_motion *motion, am_error *err) {
    int index = 1;
    for (size_t i = 0; i < motion->count; i++) {
        if (hypot(motion->re[i] - 1.0, motion->im[i]) <= motion->doubt)
            return AM_OK; /* a fold: not known */
        index = motion->im[i] == 0.0 && motion->re[i] > 1.0 ? -index : index;
    }
    motion->index = index;
    return am_balance_odd(e->balance) ? find_odd_index(e, engine, &motion->index, err) : AM_OK;
}

/* ---- the whole ---- */

/* The motion in time from the guess leads away from it. So its own state is tried first; it may be too near to a switch. */
static am_status find_orbit(am_closer *e, am_motion *engine, double omega, am_error *err) {
    am_orbit_return how = {.section = e->self_excited ? AM_SECTION_FREE : AM_SECTION_PERIOD,
                           .period = two_pi / omega,
                           .returns = 1,
                           .from_guess = true};
    am_error own = {0};
    am_orbit_clear(&e->orbit);
    am_status status = am_orbit_close(engine, &how, e->guess, &e->orbit, &own);
    if (status != AM_ERR_LIMIT || am_walk_is_unheld(engine)) /* without switches the other way is the same */
        return status ? am_fail(err, status, "%s", own.message) : AM_OK;
    how.from_guess = false;
    return am_orbit_close(engine, &how, e->guess, &e->orbit, err);
}

static am_status close_motion(am_closer *e, am_motion *engine, double omega, bool measure, am_closed_motion *motion,
                              am_error *err) {
    AM_TRY(find_orbit(e, engine, omega, err));
    AM_TRY(check_near(e, engine, omega, err));
    const am_orbit *orbit = &e->orbit;
    *motion = (am_closed_motion){.period = orbit->period,
                                 .count = orbit->dimension - orbit->family - (e->self_excited ? 1 : 0),
                                 .re = orbit->multiplier_re,
                                 .im = orbit->multiplier_im,
                                 .doubt = orbit->uncertainty + orbit->closing,
                                 .switches = orbit->switches,
                                 .first = e->first};
    AM_TRY(measure ? find_first_harmonic(e, engine, err) : AM_OK);
    return find_index(e, engine, motion, err);
}

static am_status close_at(am_closer *e, double omega, double p, bool measure, am_closed_motion *motion, am_error *err) {
    const am_system *system;
    AM_TRY(am_model_line_at(&e->line, p, &system, err));
    AM_LOCAL(am_motion_free_at) am_motion *engine = am_motion_create(system, false, err);
    if (!engine)
        return am_error_status(err);
    return close_motion(e, engine, omega, measure, motion, err);
}

/* The state of the balance, in the motion's own coordinates. */
static am_status find_guess(am_closer *e, const double *x, double p, am_error *err) {
    if (!e->project)
        return am_balance_state(e->balance, x, p, e->guess, err);
    AM_TRY(am_balance_state(e->balance, x, p, e->state, err));
    for (size_t i = 0; i < e->n; i++) {
        e->guess[i] = am_dense_dot(e->project + i * e->whole, e->state, e->whole);
        e->guess[e->n + i] = am_dense_dot(e->project + i * e->whole, e->state + e->whole, e->whole);
    }
    for (size_t s = 2 * e->n; s < e->d; s++)
        e->guess[s] = e->state[2 * e->whole + s - 2 * e->n];
    return AM_OK;
}

am_status am_closer_close(am_closer *e, const double *x, double p, bool measure, am_closed_motion *motion,
                          am_error *err) {
    AM_TRY(find_guess(e, x, p, err));
    am_balance_set_model(e->balance, x);
    am_status status = close_at(e, am_balance_omega(e->balance, x, p), p, measure, motion, err);
    am_balance_set_model(e->balance, NULL);
    return status;
}

/* A period has pi frequency/omega spans of 2/frequency, each some twenty orders of d rows; a few periods are followed until
 * the motion closes, with a derivative for each stay of the contacts. */
am_status am_closer_cost(am_closer *e, double omega, double p, double *instructions, am_error *err) {
    const am_system *system;
    AM_TRY(am_model_line_at(&e->line, p, &system, err));
    AM_LOCAL(am_motion_free_at) am_motion *engine = am_motion_create(system, false, err);
    if (!engine)
        return am_error_status(err);
    double d = (double)e->d, spans = pi * engine->plan.frequency / omega;
    *instructions = 4.0 * spans * 20.0 * d * (d + 100.0) + 400.0 * d * d * d + 2e6;
    return AM_OK;
}
