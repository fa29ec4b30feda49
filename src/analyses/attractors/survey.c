#include "analyses/attractors/survey.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/orbit/exponent.h"
#include "analyses/orbit/section_walk.h"
#include "base/local.h"
#include "base/spread.h"
#include "base/watch.h"
#include "engines/switching/switching.h"

enum {
    CHUNK = 4,
    LARGEST_ROUND = 2048,
    CHECK_EVERY = 64,     /* of so many starts one is followed both ways */
    LOOKS = 32,           /* visits at which a motion is asked how well it repeats */
    MORE_ROUNDS = 3,      /* times most_returns a motion may go on for that is on its way to an orbit */
    LONGEST_PERIOD = 4096 /* returns of an orbit then looked for, unless more is asked for */
};

const char *am_fate_name(am_fate_kind kind) {
    static const char *const names[AM_FATE_KINDS] = {"not run", "orbit",     "sliding",   "stick",     "open",
                                                     "final",   "aperiodic", "undecided", "divergent", "failed"};
    return names[kind];
}

/* ---- a worker: what one thread needs ---- */

struct am_worker {
    am_arena memory; /* also of the visits it kept */
    am_survey *survey;
    am_motion *engine;
    double *start; /* 2n */
    /* the path of the start at hand over its section */
    am_orbit_return how;
    size_t length, capacity;
    double *path;   /* length x d */
    bool joins;     /* an orbit that is known is not closed again */
    size_t known;   /* the one it was last offered */
    am_error err;   /* of the callbacks */
    double *vector; /* d */
};

/* What a start leaves behind in its round. */
typedef struct slot {
    bool done;
    am_fate fate;
    am_orbit orbit;
    am_orbit_return how;
    bool foretold; /* followed both ways */
    size_t foretold_orbit;
    char failure[256];
} slot;

static void free_worker(am_worker *w) {
    if (!w)
        return;
    am_motion_free(w->engine);
    am_memory_free(w->path);
    am_arena_clear(&w->memory);
    am_memory_free(w);
}

static am_worker *new_worker(am_survey *s, am_error *err) {
    am_worker *w = am_memory_new(1, sizeof *w, err);
    if (!w)
        return NULL;
    w->survey = s;
    w->engine = am_motion_create(s->system, false, err);
    w->start = am_arena_doubles(&w->memory, NULL, 2 * s->n, err);
    w->vector = w->engine ? am_arena_doubles(&w->memory, NULL, am_motion_dimension(w->engine), err) : NULL;
    if (w->vector)
        return w;
    free_worker(w);
    return NULL;
}

/* ---- one start ---- */

static am_status lengthen(am_worker *w) {
    return am_memory_reserve_items(&w->path, &w->capacity, w->length + 1, w->survey->d * sizeof *w->path, &w->err);
}

/* Called by am_orbit_find at every return. */
static bool at_return(void *context, const am_orbit_return *how, const double *state, size_t returns) {
    am_worker *w = context;
    size_t d = w->survey->d;
    if (returns == 1) /* the section is new */
        w->length = 0;
    w->how = *how;
    if (lengthen(w) != AM_OK)
        return true;
    memcpy(w->path + w->length++ * d, state, d * sizeof *state);
    return false;
}

/* Called by am_orbit_find before it closes an orbit: what earlier rounds have found. */
static bool recall(void *context, const am_orbit_return *how, const double *state, am_orbit *orbit) {
    am_worker *w = context;
    const am_survey *s = w->survey;
    am_orbit_passage passage;
    if (!w->joins || !am_orbit_set_nearest(&s->set, how, state, &passage) ||
        am_motion_start_state(w->engine, how->start, passage.state, &w->err) != AM_OK) {
        w->err = (am_error){0};
        return false;
    }
    const am_orbit *known = &s->set.member[passage.index].orbit;
    *orbit = (am_orbit){.period = known->period,
                        .returns = passage.returns,
                        .start = how->start,
                        .dimension = s->d,
                        .multiplier = known->multiplier,
                        .stable = true};
    orbit->state = am_memory_doubles(passage.state, s->d, &w->err);
    orbit->contact = am_memory_new(s->m, sizeof *orbit->contact, &w->err);
    if (!orbit->state || !orbit->contact) {
        am_orbit_clear(orbit);
        return false;
    }
    memcpy(orbit->contact, am_motion_states(w->engine), s->m * sizeof *orbit->contact);
    w->known = passage.index;
    return true;
}

static am_fate_kind final_kind(const am_survey *s, const am_motion *engine) {
    const am_contact_state *state = am_motion_states(engine);
    size_t stick = 0, open = 0;
    for (size_t c = 0; c < s->m; c++) {
        stick += state[c] == AM_STICK;
        open += state[c] == AM_OPEN;
    }
    if (s->m == 0)
        return AM_FATE_FINAL; /* rest */
    if (stick == s->m)
        return AM_FATE_STICK;
    if (open == s->m)
        return AM_FATE_OPEN;
    return stick == 0 ? AM_FATE_SLIDING : AM_FATE_FINAL;
}

/* Largest state on a part of the path. */
static double largest_on(const am_worker *w, size_t from, size_t to) {
    double largest = 0.0;
    for (size_t k = from; k < to; k++)
        largest = fmax(largest, am_orbit_size(w->engine, w->path + k * w->survey->d));
    return largest;
}

/* A motion that did not repeat: single states of a chaotic one tell nothing about growth, its largest ones do. */
static bool is_growing(const am_worker *w) {
    size_t n = w->length;
    return n < 8 || largest_on(w, 3 * n / 4, n) > 1.5 * largest_on(w, n / 4, n / 2);
}

/* How near the path comes to repeating around return `from`..`to`: mean logarithm of the distance between a visit and
 * the nearest of those within the longest period before it. */
static double nearest_returns(const am_worker *w, size_t from, size_t to) {
    size_t d = w->survey->d, window = w->survey->options->most_period, looked = 0;
    double sum = 0.0;
    for (size_t k = from; k < to; k += (to - from) / LOOKS + 1, looked++) {
        double nearest = INFINITY, size = am_orbit_size(w->engine, w->path + k * d);
        for (size_t p = 1; p <= window && p <= k; p++)
            nearest = fmin(nearest, am_orbit_distance(w->engine, w->path + k * d, w->path + (k - p) * d));
        sum += log(fmax(nearest / size, 1e-16));
    }
    return sum / (double)looked;
}

/* A motion on its way to an orbit repeats better and better, one that is not does not. */
static bool repeats_no_better(const am_worker *w) {
    size_t n = w->length;
    return n >= 8 * LOOKS && nearest_returns(w, 3 * n / 4, n) > nearest_returns(w, n / 4, n / 2) - log(2.0);
}

/* Neighbours part, or neither part nor come nearer while the motion repeats no better: aperiodic. Otherwise it is on
 * its way, too slow for the limits: *slow. */
static am_status judge_unrepeated(am_worker *w, const am_orbit_search *search, am_fate *fate, bool *slow,
                                  am_error *err) {
    am_exponent exponent = {.value = NAN, .error = NAN};
    bool out_of_returns = search->returns >= w->survey->options->most_returns;
    fate->kind = AM_FATE_UNDECIDED;
    if (search->outcome == AM_ORBIT_DIVERGENT && (!out_of_returns || is_growing(w))) {
        fate->kind = AM_FATE_DIVERGENT;
        return AM_OK;
    }
    if (w->length > 0)
        AM_TRY(am_exponent_find(w->engine, &w->how, w->path + (w->length - 1) * w->survey->d, &exponent, err));
    fate->lyapunov = exponent.value;
    fate->lyapunov_error = exponent.error;
    if (am_exponent_sign(&exponent) > 0 || (am_exponent_is_zero(&exponent) && repeats_no_better(w)))
        fate->kind = AM_FATE_APERIODIC;
    *slow = out_of_returns && isfinite(exponent.value) && fate->kind == AM_FATE_UNDECIDED;
    return AM_OK;
}

/* *slow: it is on its way to an orbit, but has not arrived within the limits. */
static am_status find_fate_from(am_worker *w, const am_orbit_options *o, slot *out, bool *slow, am_error *err) {
    const am_survey *s = w->survey;
    am_orbit_search search;
    *slow = false;
    w->length = 0;
    w->err = (am_error){0};
    am_status status = am_orbit_find(w->engine, o, &out->orbit, &search, NULL, err);
    if (w->err.status) {
        *err = w->err;
        return w->err.status;
    }
    out->fate = (am_fate){.kind = AM_FATE_FAILED, .returns = search.returns};
    out->fate.lyapunov = out->fate.lyapunov_error = NAN;
    if (status == AM_ERR_MEMORY || status == AM_ERR_UNSUPPORTED)
        return status;
    if (status) {
        snprintf(out->failure, sizeof out->failure, "%.255s", err->message);
        *err = (am_error){0};
        return AM_OK;
    }
    out->how = search.how;
    switch (search.outcome) {
    case AM_ORBIT_PERIODIC:
        out->fate.kind = AM_FATE_ORBIT;
        out->fate.joined = search.known;
        out->fate.orbit = w->known;
        break;
    case AM_ORBIT_STOPPED: /* nobody stops it: see w->err above */
    case AM_ORBIT_FINAL:
        out->fate.kind = final_kind(s, w->engine);
        break;
    case AM_ORBIT_DIVERGENT:
    case AM_ORBIT_APERIODIC:
    case AM_ORBIT_UNDECIDED:
        status = judge_unrepeated(w, &search, &out->fate, slow, err);
        break;
    }
    return status;
}

/* A motion that is on its way to an orbit is given more time, and the orbit may be longer. */
static am_status find_fate(am_worker *w, slot *out, am_error *err) {
    const am_survey *s = w->survey;
    am_orbit_options o = am_orbit_options_default();
    bool slow = true;
    size_t returns = 0;
    o.displacement = w->start;
    o.velocity = w->start + s->n;
    o.transient = s->options->transient;
    o.most_returns = s->options->most_returns;
    o.most_period = s->options->most_period;
    o.judge = false; /* that is done here, when the returns are spent */
    o.at_return = at_return;
    o.known = recall;
    o.context = w;
    for (size_t round = 0; round <= MORE_ROUNDS && slow; round++) {
        AM_TRY(find_fate_from(w, &o, out, &slow, err));
        out->fate.returns = returns += out->fate.returns;
        if (!slow || s->d > 2 * s->n) /* a start has relaxed springs: no way to go on with stretched ones */
            break;
        memcpy(w->vector, w->path + (w->length - 1) * s->d, s->d * sizeof *w->vector);
        o.from = w->how.start;
        o.displacement = w->vector;
        o.velocity = w->vector + s->n;
        if (o.most_period <= LONGEST_PERIOD / 4)
            o.most_period *= 4;
    }
    return AM_OK;
}

/* ---- the section ---- */

static am_status record_visits(am_worker *w, am_visits *visits, am_error *err) {
    size_t wanted = w->survey->options->section, d = w->survey->d;
    visits->count = w->length < wanted ? w->length : wanted;
    visits->first = w->length - visits->count + 1;
    visits->states = am_arena_doubles(&w->memory, w->path + (w->length - visits->count) * d, visits->count * d, err);
    return visits->states ? AM_OK : AM_ERR_MEMORY;
}

/* ---- rounds ---- */

static void clear_slot(slot *out) {
    am_orbit_clear(&out->orbit);
    *out = (slot){0};
}

/* What the start would be foretold. */
static am_status foretell(am_worker *w, slot *out, am_error *err) {
    AM_LOCAL(clear_slot) slot again = {0};
    w->joins = true;
    AM_TRY(find_fate(w, &again, err));
    out->foretold = again.fate.joined;
    out->foretold_orbit = again.fate.orbit;
    return AM_OK;
}

static am_status run_start(am_worker *w, size_t index, slot *out, am_error *err) {
    am_survey *s = w->survey;
    am_starts_place(&s->starts, index, w->start);
    bool check = s->joins && index % CHECK_EVERY == CHECK_EVERY - 1;
    if (check)
        AM_TRY(foretell(w, out, err));
    w->joins = s->joins && !check;
    AM_TRY(find_fate(w, out, err));
    if (out->fate.joined && 2 * out->fate.returns > s->options->most_returns) {
        clear_slot(out); /* so near to the limit, whether a motion arrives in time depends on when it is asked */
        w->joins = false;
        AM_TRY(find_fate(w, out, err));
    }
    return s->visits && w->length > 0 ? record_visits(w, &s->visits[index], err) : AM_OK;
}

/* Starts that are run side by side: none learns from another. */
typedef struct round_work {
    am_survey *survey;
    const size_t *index; /* of all starts to be run */
    size_t total;        /* of these */
    size_t begin, count; /* those of this round */
    slot *slots;         /* count */
} round_work;

static void *worker_of(void *context, int thread, am_error *err) {
    (void)err;
    return ((round_work *)context)->survey->worker[thread];
}

static am_status run_one(void *context, void *worker, size_t i, am_error *err) {
    round_work *r = context;
    am_status status = run_start(worker, r->index[r->begin + i], &r->slots[i], err);
    if (am_watch_refused()) /* the user asked to stop: what came of the run does not count */
        status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted while following the starts");
    r->slots[i].done = status == AM_OK;
    return status;
}

static am_status run_round(round_work *r, const am_progress *progress, am_error *err) {
    double total = (double)r->total;
    am_spread all = {.count = r->count,
                     .chunk = r->count >= 64 ? CHUNK : 1,
                     .threads = r->survey->worker_count,
                     .progress = progress,
                     .from = (double)r->begin / total,
                     .to = (double)(r->begin + r->count) / total,
                     .doing = "following the starts",
                     .context = r,
                     .open = worker_of,
                     .item = run_one};
    return am_spread_run(&all, err);
}

/* An orbit that cannot be closed again is no evidence. */
static am_status enter_orbit(am_survey *s, slot *out, am_error *err) {
    am_status status = am_orbit_set_add(&s->set, &out->orbit, &out->how, &out->fate.orbit, err);
    if (!status || status == AM_ERR_MEMORY)
        return status;
    out->fate.kind = AM_FATE_UNDECIDED;
    *err = (am_error){0};
    return AM_OK;
}

static am_status learn(am_survey *s, slot *out, am_error *err) {
    am_fate *fate = &out->fate;
    if (fate->kind == AM_FATE_ORBIT && !fate->joined)
        AM_TRY(enter_orbit(s, out, err));
    if (fate->kind == AM_FATE_FAILED && !s->failure[0])
        memcpy(s->failure, out->failure, sizeof s->failure);
    s->joined += fate->joined;
    if (out->foretold) {
        s->checks++;
        s->mismatches += fate->kind != AM_FATE_ORBIT || fate->orbit != out->foretold_orbit;
    }
    return AM_OK;
}

/* Take over what the starts of a round have learnt, in their order; of a round that was interrupted what there is. */
static am_status learn_all(const round_work *r, am_status status, am_error *err) {
    am_survey *s = r->survey;
    am_error own = {0};
    for (size_t i = 0; i < r->count; i++) {
        slot *out = &r->slots[i];
        bool wanted = out->done && (!status || status == AM_ERR_INTERRUPTED);
        am_status learnt = wanted ? learn(s, out, &own) : AM_OK;
        size_t start = r->index[r->begin + i];
        if (wanted && !learnt) {
            s->fates[start] = out->fate;
            s->furthest = start >= s->furthest ? start + 1 : s->furthest;
        }
        if (learnt && !status) {
            status = learnt;
            *err = own;
        }
        clear_slot(out);
    }
    return status;
}

static am_status run_starts(am_survey *s, const size_t *index, size_t total, const am_progress *progress,
                            am_error *err) {
    round_work r = {.survey = s, .index = index, .total = total};
    r.slots = am_arena_new(&s->memory, total < LARGEST_ROUND ? total : LARGEST_ROUND, sizeof *r.slots, err);
    AM_TRY(am_arena_status(&s->memory));
    for (size_t size = 1; r.begin < total; r.begin += r.count) {
        r.count = size < total - r.begin ? size : total - r.begin;
        AM_TRY(learn_all(&r, run_round(&r, progress, err), err));
        if (!am_progress_report(progress, (double)(r.begin + r.count) / (double)total)) /* between two rounds */
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted while following the starts");
        size = size < LARGEST_ROUND ? 2 * size : LARGEST_ROUND;
    }
    return AM_OK;
}

/* A start that was foretold another fate than it has: nothing that was joined is believed any more. */
static am_status run_joined_again(am_survey *s, size_t *index, const am_progress *progress, am_error *err) {
    size_t count = 0;
    for (size_t i = 0; i < s->starts.count; i++)
        if (s->fates[i].joined)
            index[count++] = i;
    s->joins = false;
    s->joined = 0;
    return run_starts(s, index, count, progress, err);
}

am_status am_survey_run(am_survey *survey, const am_progress *progress, am_error *err) {
    size_t count = survey->starts.count, *index = am_arena_new(&survey->memory, count, sizeof *index, err);
    AM_TRY(am_arena_status(&survey->memory));
    for (size_t i = 0; i < count; i++)
        index[i] = i;
    am_status status = run_starts(survey, index, count, progress, err);
    if (!status && survey->mismatches > 0)
        status = run_joined_again(survey, index, progress, err);
    for (size_t i = 0; i < survey->furthest && status == AM_ERR_INTERRUPTED && survey->mismatches > 0; i++)
        if (survey->fates[i].joined) /* not believed, and not followed again yet */
            survey->fates[i] = (am_fate){.kind = AM_FATE_NOT_RUN};
    return status;
}

am_status am_survey_ask(am_survey *survey, const double *start, bool joins, am_fate *fate, am_error *err) {
    am_worker *w = survey->worker[0];
    AM_LOCAL(clear_slot) slot out = {0};
    memcpy(w->start, start, 2 * survey->n * sizeof *start);
    w->joins = joins;
    AM_TRY(find_fate(w, &out, err));
    if (out.fate.kind == AM_FATE_ORBIT && !out.fate.joined)
        AM_TRY(enter_orbit(survey, &out, err));
    *fate = out.fate;
    return AM_OK;
}

const double *am_survey_path(const am_survey *survey, am_orbit_return *how, size_t *length) {
    const am_worker *w = survey->worker[0];
    *how = w->how;
    *length = w->length;
    return w->path;
}

bool am_survey_indeterminate(const am_survey *survey) {
    bool any = false;
    for (int i = 0; i < survey->worker_count; i++)
        any |= survey->worker[i]->engine->met_indeterminate;
    return any;
}

am_motion *am_survey_engine(am_survey *survey) {
    return survey->worker[0]->engine;
}

/* ---- the survey ---- */

static am_status make_workers(am_survey *s, int threads, am_error *err) {
    s->worker = am_arena_new(&s->memory, (size_t)threads, sizeof *s->worker, err);
    AM_TRY(am_arena_status(&s->memory));
    for (int i = 0; i < threads; i++) {
        s->worker[i] = new_worker(s, err);
        if (!s->worker[i])
            return err->status;
        s->worker_count = i + 1;
    }
    return AM_OK;
}

am_status am_survey_init(am_survey *survey, const am_system *system, const am_attractors_options *options, int threads,
                         am_error *err) {
    *survey = (am_survey){.system = system, .options = options, .joins = options->join};
    survey->n = am_system_size(system);
    survey->m = am_system_contacts(system);
    AM_TRY(am_starts_init(&survey->starts, system, options, err));
    AM_TRY(am_orbit_set_init(&survey->set, system, err));
    AM_TRY(make_workers(survey, threads, err));
    survey->d = survey->set.d;
    survey->fates = am_arena_new(&survey->memory, survey->starts.count, sizeof *survey->fates, err);
    if (options->section > 0)
        survey->visits = am_arena_new(&survey->memory, survey->starts.count, sizeof *survey->visits, err);
    return am_arena_status(&survey->memory);
}

void am_survey_clear(am_survey *survey) {
    for (int i = 0; i < survey->worker_count; i++)
        free_worker(survey->worker[i]);
    am_arena_clear(&survey->memory);
    am_orbit_set_clear(&survey->set);
    am_starts_clear(&survey->starts);
    *survey = (am_survey){0};
}
