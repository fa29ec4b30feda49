#include "engines/quasistatic/path_cycle.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "math/dense.h"
#include "math/eigen.h"

/* Positions closer than this fraction of the path's size are the same: some hundred times rounding. */
static const double same_position = 1e-13;

/* A cycle that is closed at its Newton point to this is closed there; its divisors are tested with it too. */
static const double same_closed = 1e-11;

/* A multiplier this close to one leaves a direction as it is. */
static const double same_multiplier = 1e-9;

/* Deviations so small are left to Newton's method when the sequence of states has settled. */
static const double near_enough = 1e-4;

/* Cycles between attempts to close a path that converges slowly. */
enum { ATTEMPT_EVERY = 200 };

am_status am_path_cycle_init(am_path_cycle *cycle, size_t m, am_error *err) {
    *cycle = (am_path_cycle){.m = m, .exponent = NAN};
    am_arena *memory = &cycle->arrays;
    cycle->D = am_arena_doubles(memory, NULL, m * m, err);
    AM_ARENA_DOUBLES(memory, m, err, &cycle->position, &cycle->slip, &cycle->loss, &cycle->multiplier_real,
                     &cycle->multiplier_imaginary);
    cycle->state = am_arena_new(memory, m, sizeof *cycle->state, err);
    if (!am_arena_status(memory))
        return AM_OK;
    am_path_cycle_clear(cycle);
    return AM_ERR_MEMORY;
}

void am_path_cycle_clear(am_path_cycle *cycle) {
    am_arena_clear(&cycle->arrays);
    *cycle = (am_path_cycle){0};
}

/* ---- what is remembered of past cycles ---- */

typedef struct past {
    size_t m, length, count; /* of `count` cycles the last `length` are kept */
    double *position;        /* length x m */
    am_contact_state *state;
    uint64_t *sequence; /* length: states passed in the cycle that ended there */
} past;

static am_status past_init(past *p, size_t m, size_t length, am_arena *memory, am_error *err) {
    *p = (past){.m = m, .length = length};
    p->position = am_arena_doubles(memory, NULL, length * m, err);
    p->state = am_arena_new(memory, length * m, sizeof *p->state, err);
    p->sequence = am_arena_new(memory, length, sizeof *p->sequence, err);
    return am_arena_status(memory);
}

static void positions_of(const am_path_engine *e, double *v) {
    for (size_t c = 0; c < e->m; c++)
        v[c] = am_dense_dot(e->system->contact[c].tangent, e->series[0].q, e->n);
}

static void past_note(past *p, const am_path_walk *walk) {
    size_t at = p->count++ % p->length;
    positions_of(&walk->engine, p->position + at * p->m);
    memcpy(p->state + at * p->m, walk->engine.state, p->m * sizeof *p->state);
    p->sequence[at] = walk->sequence;
}

/* Index of the state `back` cycles ago. */
static size_t past_at(const past *p, size_t back) {
    return (p->count - 1 - back) % p->length;
}

static bool past_knows(const past *p, size_t back) {
    return back < p->count && back < p->length;
}

/* Distance of the present positions from those `back` cycles ago; INFINITY if the states differ. */
static double past_distance(const past *p, size_t back) {
    size_t now = past_at(p, 0), then = past_at(p, back);
    double scale;
    if (memcmp(p->state + now * p->m, p->state + then * p->m, p->m * sizeof *p->state) != 0)
        return INFINITY;
    return am_path_distance(p->position + now * p->m, p->position + then * p->m, p->m, &scale);
}

/* Has the sequence of states over the last `period` cycles been the same as before that? */
static bool past_settled(const past *p, size_t period) {
    if (!past_knows(p, 2 * period))
        return false;
    for (size_t i = 0; i < period; i++)
        if (p->sequence[past_at(p, i)] != p->sequence[past_at(p, i + period)])
            return false;
    return true;
}

/* ---- closing ---- */

typedef struct search {
    am_arena memory;
    am_path_walk *walk;
    const am_path_cycle_options *options;
    am_path_cycle *cycle;
    am_path_balance balance;
    am_path_derivative derivative;
    past past;
    double *end, *step, *matrix, *trial; /* m, m, m x m, m */
    double *kept_stuck;                  /* m */
    am_contact_state *kept_state;        /* m */
    double *deviation;                   /* m: carried for the exponent */
    double *power, *derivative_at_cycle; /* m x m each */
    double *off, *next;                  /* m each: deviation of the path from the closed cycle; a period later */
    size_t shortest;                     /* period that find_shortest has found */
    size_t found;                        /* period with which the path repeats at present; 0: it does not */
    double growth;                       /* sum of logarithms */
    size_t grown;
} search;

/* Size of the path: what positions are compared with. */
static double path_size(const search *s) {
    const am_path_engine *e = &s->walk->engine;
    double size = 0.0, stiffest = am_path_largest(e->K, e->n * e->n);
    for (size_t c = 0; c < e->m; c++)
        size = fmax(size, am_path_size(e->system->contact[c].tangent, e->q_scale, e->n));
    return fmax(size, stiffest > 0.0 ? 1e-3 * e->force_scale / stiffest : 0.0);
}

am_status am_path_cycle_walk(am_path_walk *walk, const am_path_cycle_options *options, am_error *err) {
    walk->sequence = 0;
    AM_TRY(am_path_walk_to(walk, options->from + options->length, NULL, err));
    if (walk->observer && walk->observer->cycle_end)
        walk->observer->cycle_end(walk->observer->of, options->length);
    return am_path_walk_rewind(walk, options->from, err);
}

/* `period` cycles from the present state: end positions, derivative, slips and losses. */
static am_status follow_period(search *s, size_t period, am_error *err) {
    am_path_walk *w = s->walk;
    w->balance = &s->balance;
    w->derivative = &s->derivative;
    am_path_balance_start(&s->balance, &w->engine);
    am_path_derivative_start(&s->derivative);
    s->cycle->sequence = 0;
    for (size_t i = 0; i < period; i++) {
        AM_TRY(am_path_cycle_walk(w, s->options, err));
        s->cycle->sequence += w->sequence; /* whatever the order */
    }
    AM_TRY(am_path_derivative_positions(&s->derivative, &w->engine, s->cycle->D, err));
    positions_of(&w->engine, s->end);
    return AM_OK;
}

/* The same or another walk with nobody watching, which is no part of the path. */
static am_status unwatched(search *s, am_status (*walk_on)(search *, size_t, am_error *), size_t period,
                           am_error *err) {
    am_path_walk *w = s->walk;
    const am_path_observer *observer = w->observer;
    am_path_count count = am_path_walk_leave_count(w);
    w->observer = NULL;
    am_status status = walk_on(s, period, err);
    w->observer = observer;
    w->derivative = NULL;
    am_path_walk_take_up_count(w, count);
    return status;
}

static am_status walk_period(search *s, size_t period, am_error *err) {
    return unwatched(s, follow_period, period, err);
}

/* Put the sticking contacts at the given positions, in the present combination. */
static am_status put(search *s, const double *position, am_error *err) {
    am_path_engine *e = &s->walk->engine;
    for (size_t c = 0; c < e->m; c++)
        if (e->state[c] == AM_STICK) {
            e->stuck[c] = position[c];
            e->since[c] = e->t;
        }
    AM_TRY(am_path_engine_advance(e, e->t, err));
    return am_path_engine_expand(e, err);
}

/* step = (I - D)^-1 (end - start): where the affine map of this sequence of states has its fixed point. Directions that
 * the cycle does not change (multiplier one) are left as they are: the solution of least length. */
static am_status newton_step(search *s, const double *start, am_error *err) {
    size_t m = s->cycle->m;
    for (size_t i = 0; i < m * m; i++)
        s->matrix[i] = -s->cycle->D[i];
    for (size_t c = 0; c < m; c++) {
        s->matrix[c * m + c] += 1.0;
        s->step[c] = s->end[c] - start[c];
    }
    return am_least_squares(s->matrix, m, s->step, same_multiplier, err);
}

/* Close the path with the given period from its present state: Newton's method, of which one step is enough while the
 * sequence of states stays the same, and a walk over the period from where it leads. *closed: it ends where it began,
 * but for rounding, and the walk is at the beginning of the closed period. */
static am_status close_cycle(search *s, size_t period, bool *closed, am_error *err) {
    size_t m = s->cycle->m;
    double *start = s->trial, size = path_size(s), scale;
    *closed = false;
    for (int attempt = 0; attempt < 3; attempt++) {
        positions_of(&s->walk->engine, start);
        AM_TRY(walk_period(s, period, err));
        double closing = am_path_distance(s->end, start, m, &scale);
        s->cycle->closing = size > 0.0 ? closing / size : 0.0;
        *closed = s->cycle->closing <= same_closed;
        if (closing == 0.0 || !s->derivative.valid || (attempt > 0 && s->cycle->closing <= same_position))
            return AM_OK;
        AM_TRY(newton_step(s, start, err));
        for (size_t c = 0; c < m; c++)
            s->step[c] += start[c];
        AM_TRY(attempt < 2 ? put(s, s->step, err) : AM_OK);
    }
    return AM_OK;
}

/* A path that approaches a short cycle from both sides in turn looks as if it repeated after more cycles. */
static am_status find_shortest(search *s, size_t period, am_error *err) {
    double *start = s->trial, scale, size = path_size(s);
    s->shortest = period;
    positions_of(&s->walk->engine, start);
    for (size_t i = 1; i <= period; i++) {
        AM_TRY(am_path_cycle_walk(s->walk, s->options, err));
        positions_of(&s->walk->engine, s->end);
        if (s->shortest == period && period % i == 0 &&
            am_path_distance(s->end, start, s->cycle->m, &scale) <= same_closed * size)
            s->shortest = i;
    }
    return AM_OK;
}

/* ---- multipliers ---- */

static am_status find_multipliers(search *s, am_error *err) {
    am_path_cycle *cycle = s->cycle;
    am_eigen eigen;
    size_t m = cycle->m;
    cycle->memory = 0;
    for (size_t c = 0; c < m; c++)
        cycle->multiplier_real[c] = cycle->multiplier_imaginary[c] = NAN;
    if (!s->derivative.valid || m == 0)
        return AM_OK;
    memcpy(s->matrix, cycle->D, m * m * sizeof *s->matrix);
    AM_TRY(am_eigen_init(&eigen, s->matrix, m, 0.0, err));
    memcpy(cycle->multiplier_real, eigen.real, m * sizeof *eigen.real);
    memcpy(cycle->multiplier_imaginary, eigen.imaginary, m * sizeof *eigen.imaginary);
    am_eigen_clear(&eigen);
    for (size_t i = 1; i < m; i++) /* few: insertion */
        for (size_t j = i; j > 0 && hypot(cycle->multiplier_real[j], cycle->multiplier_imaginary[j]) >
                                        hypot(cycle->multiplier_real[j - 1], cycle->multiplier_imaginary[j - 1]);
             j--) {
            double real = cycle->multiplier_real[j], imaginary = cycle->multiplier_imaginary[j];
            cycle->multiplier_real[j] = cycle->multiplier_real[j - 1];
            cycle->multiplier_imaginary[j] = cycle->multiplier_imaginary[j - 1];
            cycle->multiplier_real[j - 1] = real;
            cycle->multiplier_imaginary[j - 1] = imaginary;
        }
    for (size_t c = 0; c < m; c++)
        cycle->memory +=
            fabs(hypot(cycle->multiplier_real[c], cycle->multiplier_imaginary[c]) - 1.0) <= same_multiplier;
    return AM_OK;
}

/* The largest modulus of the multipliers that are not memory; beyond one: the cycle repels. NAN: unknown, after a jump.
 */
static double slowest_decay(const am_path_cycle *cycle) {
    double most = cycle->m > 0 && isnan(cycle->multiplier_real[0]) ? NAN : 0.0;
    for (size_t c = 0; c < cycle->m; c++) {
        double modulus = hypot(cycle->multiplier_real[c], cycle->multiplier_imaginary[c]);
        if (!(fabs(modulus - 1.0) <= same_multiplier))
            most = fmax(most, modulus);
    }
    return most;
}

static bool repels(const am_path_cycle *cycle) {
    return slowest_decay(cycle) > 1.0;
}

/* ---- has the path come to the closed cycle? ---- */

/* D becomes D D. */
static void square(search *s) {
    size_t m = s->cycle->m;
    memset(s->matrix, 0, m * m * sizeof *s->matrix);
    am_dense_add_product(s->power, s->power, m, m, m, s->matrix);
    memcpy(s->power, s->matrix, m * m * sizeof *s->power);
}

/* One period from the closed cycle plus s->off: does it pass the states of the cycle, and end at the cycle plus
 * D off (s->next)? What is beyond the first order (smooth loads only) must be small beside what decays in a period. */
static am_status goes_as_foreseen(search *s, size_t period, const double *D, double decay, bool *yes, am_error *err) {
    size_t m = s->cycle->m;
    const double *fixed = s->cycle->position;
    uint64_t sequence = s->cycle->sequence;
    double allowed = 0.25 * (1.0 - decay) * sqrt(am_dense_dot(s->off, s->off, m)) + same_closed * path_size(s),
           wrong = 0.0;
    memcpy(s->walk->engine.state, s->cycle->state, m * sizeof *s->cycle->state);
    for (size_t c = 0; c < m; c++)
        s->trial[c] = fixed[c] + s->off[c];
    AM_TRY(put(s, s->trial, err));
    AM_TRY(walk_period(s, period, err));
    am_dense_apply(D, m, m, s->off, s->next);
    for (size_t c = 0; c < m; c++)
        wrong = fmax(wrong, fabs(s->end[c] - fixed[c] - s->next[c]));
    *yes = s->cycle->sequence == sequence && wrong <= allowed;
    s->cycle->sequence = sequence;
    return AM_OK;
}

/* The path deviates from the closed cycle by e now and by D e, D^2 e, ... a period later, two periods later, as long as
 * it passes the states of the cycle. Whether it does is tried: at the first of these and then at every one that is
 * twice as far ahead, until the deviation is gone. */
static am_status comes_to_it(search *s, size_t period, bool *yes, am_error *err) {
    enum { ONE_BY_ONE = 4 };
    size_t m = s->cycle->m;
    double decay = slowest_decay(s->cycle), *D = s->derivative_at_cycle;
    double periods = decay > 0.0 ? log(same_closed) / log(decay) : 1.0;
    memcpy(D, s->cycle->D, m * m * sizeof *D);
    memcpy(s->power, D, m * m * sizeof *D);
    *yes = decay < 1.0;
    for (size_t k = 0; k < ONE_BY_ONE && *yes; k++) {
        AM_TRY(goes_as_foreseen(s, period, D, decay, yes, err));
        memcpy(s->off, s->next, m * sizeof *s->off);
    }
    /* the deviation is that after 4 periods; D^4, D^8, ... lead from there to 8, 16, ... */
    square(s);
    square(s);
    for (double k = ONE_BY_ONE; k < periods && *yes; k *= 2.0) {
        AM_TRY(goes_as_foreseen(s, period, D, decay, yes, err));
        am_dense_apply(s->power, m, m, s->off, s->next);
        memcpy(s->off, s->next, m * sizeof *s->off);
        square(s);
    }
    memcpy(s->cycle->D, D, m * m * sizeof *D);
    return AM_OK;
}

static void leave_path(search *s) {
    const am_path_engine *e = &s->walk->engine;
    memcpy(s->kept_state, e->state, s->cycle->m * sizeof *s->kept_state);
    memcpy(s->kept_stuck, e->stuck, s->cycle->m * sizeof *s->kept_stuck);
}

static am_status return_to_path(search *s, am_error *err) {
    memcpy(s->walk->engine.state, s->kept_state, s->cycle->m * sizeof *s->kept_state);
    return put(s, s->kept_stuck, err);
}

/* ---- the search ---- */

static void record_cycle(search *s, size_t period) {
    am_path_cycle *cycle = s->cycle;
    cycle->repeats = true;
    cycle->period = period;
    positions_of(&s->walk->engine, cycle->position);
    memcpy(cycle->state, s->walk->engine.state, cycle->m * sizeof *cycle->state);
    memcpy(cycle->slip, s->balance.slip, cycle->m * sizeof *cycle->slip);
    memcpy(cycle->loss, s->balance.loss, cycle->m * sizeof *cycle->loss);
    cycle->dissipation = s->balance.loss_friction;
    cycle->work_loads = s->balance.work_loads + s->balance.work_surface;
}

/* The path has repeated to rounding: close the cycle. Not accepted where it repels: a path that began on it, exactly,
 * stays with it only until rounding has grown. */
static am_status finish(search *s, size_t period, bool *accepted, am_error *err) {
    bool closed;
    leave_path(s);
    AM_TRY(unwatched(s, find_shortest, period, err));
    AM_TRY(close_cycle(s, s->shortest, &closed, err));
    AM_TRY(find_multipliers(s, err));
    *accepted = !repels(s->cycle);
    if (!*accepted)
        return return_to_path(s, err);
    record_cycle(s, s->shortest);
    return AM_OK;
}

/* The path comes slowly nearer to a cycle, it seems: close that, and see whether the path leads there. Otherwise
 * everything is as it was. */
static am_status close_ahead(search *s, size_t period, bool *accepted, am_error *err) {
    size_t m = s->cycle->m;
    bool closed;
    uint64_t passed = 0;
    for (size_t i = 0; i < period; i++)
        passed += s->past.sequence[past_at(&s->past, i)];
    leave_path(s);
    positions_of(&s->walk->engine, s->off);
    AM_TRY(close_cycle(s, period, &closed, err));
    AM_TRY(find_multipliers(s, err));
    *accepted = closed && s->derivative.valid && s->cycle->sequence == passed;
    if (*accepted) {
        record_cycle(s, period);
        for (size_t c = 0; c < m; c++)
            s->off[c] -= s->cycle->position[c];
        AM_TRY(comes_to_it(s, period, accepted, err));
        s->cycle->repeats = false;
    }
    if (!*accepted)
        return return_to_path(s, err);
    memcpy(s->walk->engine.state, s->cycle->state, m * sizeof *s->cycle->state);
    memcpy(s->trial, s->cycle->position, m * sizeof *s->trial);
    AM_TRY(put(s, s->trial, err));
    return finish(s, period, accepted, err);
}

/* What is known of a repeating path before it is closed. */
static void record_repetition(search *s, size_t period) {
    am_path_cycle *cycle = s->cycle;
    cycle->repeats = true;
    cycle->period = period;
    cycle->sequence = 0;
    for (size_t i = 0; i < period; i++)
        cycle->sequence += s->past.sequence[past_at(&s->past, i)];
    positions_of(&s->walk->engine, cycle->position);
    memcpy(cycle->state, s->walk->engine.state, cycle->m * sizeof *cycle->state);
}

/* The first period after which the present state is what it was; 0: none. */
static size_t repetition(const search *s) {
    double size = path_size(s);
    for (size_t period = 1; period <= s->options->most_period && past_knows(&s->past, period); period++)
        if (past_distance(&s->past, period) <= same_position * size)
            return period;
    return 0;
}

/* Since when does the path repeat, and with which period? One that leaves a cycle again has not come to it. */
static void watch_repetition(search *s, size_t k) {
    if (s->found > 0 && !(past_distance(&s->past, s->found) <= same_closed * path_size(s)))
        s->found = 0;
    if (s->found == 0) {
        s->found = repetition(s);
        s->cycle->cycles = k;
    }
}

/* A period with which a slowly converging path may be closed; 0: none. */
static size_t promising(const search *s) {
    double size = path_size(s);
    for (size_t period = 1; period <= s->options->most_period && past_knows(&s->past, 2 * period); period++)
        if (past_settled(&s->past, period) && past_distance(&s->past, period) <= near_enough * size)
            return period;
    return 0;
}

/* Carry a small deviation through one cycle. */
static am_status follow_deviation(search *s, am_error *err) {
    size_t m = s->cycle->m;
    am_status status = am_path_derivative_positions(&s->derivative, &s->walk->engine, s->cycle->D, err);
    if (status || !s->derivative.valid)
        return status;
    am_dense_apply(s->cycle->D, m, m, s->deviation, s->step);
    double length = sqrt(am_dense_dot(s->step, s->step, m));
    if (!(length > 0.0)) { /* forgotten at once: begin with another */
        for (size_t c = 0; c < m; c++)
            s->deviation[c] = 1.0 / sqrt((double)m);
        return AM_OK;
    }
    s->growth += log(length);
    s->grown++;
    for (size_t c = 0; c < m; c++)
        s->deviation[c] = s->step[c] / length;
    return AM_OK;
}

static am_status one_cycle(search *s, am_error *err) {
    bool follow = s->past.count > s->options->most_cycles / 2;
    if (follow) {
        s->walk->derivative = &s->derivative;
        am_path_derivative_start(&s->derivative);
    }
    am_status status = am_path_cycle_walk(s->walk, s->options, err);
    s->walk->derivative = NULL;
    if (!status && follow)
        status = follow_deviation(s, err);
    past_note(&s->past, s->walk);
    return status;
}

static am_status run_cycles(search *s, const am_progress *progress, am_error *err) {
    const am_path_cycle_options *o = s->options;
    size_t next_try = 0; /* a path on a cycle that repels is asked again when it has been there for twice as long */
    past_note(&s->past, s->walk);
    for (size_t k = 1; k <= o->most_cycles; k++) {
        AM_TRY(one_cycle(s, err));
        bool accepted = false;
        watch_repetition(s, k);
        if (s->found > 0 && o->quick) {
            record_repetition(s, s->found);
            return AM_OK;
        }
        size_t period = s->found;
        if (period > 0 && (o->all ? k == o->most_cycles : k >= next_try)) {
            AM_TRY(finish(s, period, &accepted, err));
            next_try = 2 * k;
        } else if (!o->all && k % ATTEMPT_EVERY == 0 && (period = promising(s)) > 0) {
            AM_TRY(close_ahead(s, period, &accepted, err));
        }
        if (accepted)
            return AM_OK;
        if (progress && !am_progress_report(progress, (double)k / (double)o->most_cycles))
            return am_fail(err, AM_ERR_INTERRUPTED, "stopped after %zu cycles of the load", k);
    }
    return AM_OK;
}

static am_status search_init(search *s, am_path_walk *walk, const am_path_cycle_options *options, am_path_cycle *cycle,
                             am_error *err) {
    size_t n = walk->engine.n, m = walk->engine.m;
    *s = (search){.walk = walk, .options = options, .cycle = cycle};
    AM_ARENA_DOUBLES(&s->memory, m * m, err, &s->matrix, &s->power, &s->derivative_at_cycle);
    AM_ARENA_DOUBLES(&s->memory, m, err, &s->end, &s->step, &s->trial, &s->kept_stuck, &s->deviation, &s->off,
                     &s->next);
    s->kept_state = am_arena_new(&s->memory, m, sizeof *s->kept_state, err);
    AM_TRY(past_init(&s->past, m, 2 * options->most_period + 2, &s->memory, err));
    for (size_t c = 0; c < m; c++)
        s->deviation[c] = 1.0 / sqrt((double)m);
    AM_TRY(am_path_balance_init(&s->balance, &walk->engine, err));
    return am_path_derivative_init(&s->derivative, n, m, err);
}

static void search_clear(search *s) {
    am_path_balance_clear(&s->balance);
    am_path_derivative_clear(&s->derivative);
    am_arena_clear(&s->memory);
}

am_status am_path_cycle_find(am_path_walk *walk, const am_path_cycle_options *options, am_path_cycle *cycle,
                             const am_progress *progress, am_error *err) {
    search s;
    am_status status = search_init(&s, walk, options, cycle, err);
    if (!status)
        status = run_cycles(&s, progress, err);
    if (status || !cycle->repeats) {
        cycle->cycles = options->most_cycles;
        cycle->exponent = s.grown > 0 ? s.growth / (double)s.grown : NAN;
    }
    search_clear(&s);
    return status;
}
