#include "analysis/orbit/survey.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/motion/engine.h"
#include "analysis/orbit/exponent.h"
#include "analysis/orbit/tube.h"
#include "analysis/orbit/walk.h"
#include "base/memory.h"
#include "base/spread.h"

enum {
    CHUNK = 4,
    LARGEST_ROUND = 2048,
    CHECK_EVERY = 64,     /* of so many starts one is run to its end although it meets a trail */
    KEEPS_TO = 2,         /* returns on trails after which a motion has joined them */
    SHORTEST_TRAIL = 400, /* returns worth remembering */
    RECENT = 8,           /* points of a trail a new one is compared with */
    MOST_JOIN = 64,       /* dimensions up to which derivatives along trails are worth their cost */
    MOST_POINTS = 200000, /* on trails */
    MOST_WORK = 100000,   /* returns times squared dimension a trail's derivatives are followed over: its end */
    LOOKS = 32,           /* visits at which a motion is asked how well it repeats */
    MORE_ROUNDS = 3,      /* times most_returns a motion may go on for that is on its way to an orbit */
    LONGEST_PERIOD = 4096 /* returns of an orbit then looked for, unless more is asked for */
};

/* Radius of the tube around a trail, relative to the size of its state, where disturbances do not grow. */
static const double tube = 1e-2;

const char *am_fate_name(am_fate_kind kind) {
    static const char *const names[AM_FATE_KINDS] = {"orbit",     "sliding",   "stick",     "open",  "final",
                                                     "aperiodic", "undecided", "divergent", "failed"};
    return names[kind];
}

/* ---- a worker: what one thread needs ---- */

struct am_worker {
    am_survey *survey;
    am_motion *engine;
    double *start; /* 2n */
    /* the path of the start at hand over its section */
    am_orbit_return how;
    size_t length, capacity;
    double *path;  /* length x d */
    uint64_t *key; /* length: what a motion must share to meet it there */
    bool joins;    /* ends where it meets a trail */
    bool met;
    size_t together; /* returns for which it has kept to trails of one fate */
    size_t met_at, met_orbit;
    double met_radius;
    am_error err;   /* of the callback */
    double *vector; /* d */
    am_tube *tube;
    double *radius; /* capacity */
};

/* What a start leaves behind in its round. */
typedef struct slot {
    am_fate fate;
    am_orbit orbit;
    am_orbit_return how;
    bool check, foretold;
    size_t foretold_orbit;
    size_t points;
    double *trail;  /* points x d */
    double *radius; /* points */
    uint64_t *key;  /* points */
    char failure[256];
} slot;

static void free_worker(am_worker *w) {
    if (!w)
        return;
    am_motion_free(w->engine);
    am_memory_free(w->start);
    am_memory_free(w->path);
    am_memory_free(w->key);
    am_memory_free(w->vector);
    am_memory_free(w->radius);
    am_tube_free(w->tube);
    am_memory_free(w);
}

static am_worker *new_worker(am_survey *s, am_error *err) {
    am_worker *w = am_memory_new(1, sizeof *w, err);
    if (!w)
        return NULL;
    w->survey = s;
    w->engine = am_motion_create(s->system, false, err);
    w->start = w->engine ? am_memory_new(2 * s->n, sizeof *w->start, err) : NULL;
    size_t d = w->engine ? am_motion_dimension(w->engine) : 0;
    w->vector = w->start ? am_memory_new(d, sizeof *w->vector, err) : NULL;
    w->tube = w->vector ? am_tube_create(d, err) : NULL;
    if (!w->tube) {
        free_worker(w);
        return NULL;
    }
    return w;
}

/* ---- one start ---- */

static am_status lengthen(am_worker *w) {
    if (w->length < w->capacity)
        return AM_OK;
    size_t wanted = 2 * w->capacity + 256, d = w->survey->d;
    void *path = w->path, *key = w->key, *radius = w->radius;
    am_status status = am_memory_resize(&path, wanted, d * sizeof *w->path, &w->err);
    w->path = path;
    if (!status)
        status = am_memory_resize(&key, wanted, sizeof *w->key, &w->err);
    w->key = key;
    if (!status)
        status = am_memory_resize(&radius, wanted, sizeof *w->radius, &w->err);
    w->radius = radius;
    if (!status)
        w->capacity = wanted;
    return status;
}

/* Has the motion kept to trails of one fate for some returns? */
static bool has_met(am_worker *w, uint64_t key, const double *state) {
    size_t orbit;
    double radius;
    if (!am_trails_meet(w->survey->trails, key, state, 0.5, &orbit, &radius)) {
        w->together = 0;
        return false;
    }
    if (w->together == 0 || orbit != w->met_orbit)
        w->together = 0;
    w->together++;
    w->met_orbit = orbit;
    w->met_radius = radius;
    w->met_at = w->length - 1;
    w->met = w->together >= KEEPS_TO;
    return w->met;
}

/* Called by am_orbit_find at every return. */
static bool at_return(void *context, const am_orbit_return *how, const double *state, size_t returns) {
    am_worker *w = context;
    size_t d = w->survey->d;
    if (returns == 1) { /* the section is new */
        w->length = 0;
        w->met = false;
        w->together = 0;
    }
    w->how = *how;
    if (lengthen(w) != AM_OK)
        return true;
    uint64_t key = am_trails_key(how, am_motion_states(w->engine), w->survey->m);
    memcpy(w->path + w->length * d, state, d * sizeof *state);
    w->key[w->length++] = key;
    return w->survey->options->join && !w->met && has_met(w, key, state) && w->joins;
}

static am_fate_kind final_kind(const am_survey *s, const am_motion *engine) {
    const am_contact_state *state = am_motion_states(engine);
    size_t stick = 0, open = 0;
    for (size_t c = 0; c < s->m; c++) {
        stick += state[c] == AM_STICK;
        open += state[c] == AM_OPEN;
    }
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
    am_status status = AM_OK;
    if (w->length > 0)
        status = am_exponent_find(w->engine, &w->how, w->path + (w->length - 1) * w->survey->d, &exponent, err);
    fate->lyapunov = exponent.value;
    fate->lyapunov_error = exponent.error;
    if (am_exponent_sign(&exponent) > 0 || (am_exponent_is_zero(&exponent) && repeats_no_better(w)))
        fate->kind = AM_FATE_APERIODIC;
    *slow = out_of_returns && isfinite(exponent.value) && fate->kind == AM_FATE_UNDECIDED;
    return status;
}

/* *slow: it is on its way to an orbit, but has not arrived within the limits. */
static am_status find_fate_from(am_worker *w, const am_orbit_options *o, slot *out, bool *slow, am_error *err) {
    const am_survey *s = w->survey;
    am_orbit_search search;
    *slow = false;
    w->length = 0;
    w->met = false;
    w->together = 0;
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
        break;
    case AM_ORBIT_STOPPED:
        out->fate.kind = AM_FATE_ORBIT;
        out->fate.joined = true;
        out->fate.orbit = w->met_orbit;
        break;
    case AM_ORBIT_FINAL:
        out->fate.kind = final_kind(s, w->engine);
        break;
    case AM_ORBIT_DIVERGENT:
    case AM_ORBIT_UNDECIDED:
        status = judge_unrepeated(w, &search, &out->fate, slow, err);
        break;
    }
    out->foretold = w->met && !out->fate.joined;
    out->foretold_orbit = w->met_orbit;
    return status;
}

/* A motion that is on its way to an orbit is given more time, and the orbit may be longer. */
static am_status find_fate(am_worker *w, slot *out, am_error *err) {
    const am_survey *s = w->survey;
    am_orbit_options o = am_orbit_options_default();
    bool slow = true;
    size_t returns = 0;
    am_status status = AM_OK;
    o.displacement = w->start;
    o.velocity = w->start + s->n;
    o.transient = s->options->transient;
    o.most_returns = s->options->most_returns;
    o.most_period = s->options->most_period;
    o.at_return = at_return;
    o.context = w;
    for (size_t round = 0; round <= MORE_ROUNDS && slow && !status; round++) {
        status = find_fate_from(w, &o, out, &slow, err);
        out->fate.returns = returns += out->fate.returns;
        if (status || !slow || s->d > 2 * s->n) /* a start has relaxed springs: no way to go on with stretched ones */
            break;
        memcpy(w->vector, w->path + (w->length - 1) * s->d, s->d * sizeof *w->vector);
        o.from = w->how.start;
        o.displacement = w->vector;
        o.velocity = w->vector + s->n;
        if (o.most_period <= LONGEST_PERIOD / 4)
            o.most_period *= 4;
    }
    return status;
}

/* ---- trails ---- */

static bool is_covered(const am_worker *w, const slot *out, size_t k) {
    size_t d = w->survey->d, orbit;
    double radius;
    const double *state = w->path + k * d;
    for (size_t i = out->points > RECENT ? out->points - RECENT : 0; i < out->points; i++)
        if (w->key[k] == out->key[i] &&
            am_orbit_distance(w->engine, state, out->trail + i * d) <= 0.25 * out->radius[i])
            return true;
    return am_trails_meet(w->survey->trails, w->key[k], state, 0.25, &orbit, &radius);
}

/* Remember the way to an orbit for later rounds. */
static am_status keep_trail(am_worker *w, slot *out, am_error *err) {
    const am_survey *s = w->survey;
    size_t d = s->d;
    if (!s->options->join || d > MOST_JOIN || out->fate.kind != AM_FATE_ORBIT || w->length < 2 ||
        am_trails_count(s->trails) > MOST_POINTS)
        return AM_OK;
    size_t end = w->met ? w->met_at : w->length - 1;
    if (end < SHORTEST_TRAIL && w->met)
        return AM_OK;
    double largest = tube * am_orbit_size(w->engine, w->path + end * d);
    am_status status = am_motion_follow_sensitivity(w->engine, true, err);
    if (status)
        return status;
    double end_radius = w->met ? 0.5 * w->met_radius : largest;
    size_t most = MOST_WORK / (d * d), skipped = end > most ? end - most : 0;
    size_t first = skipped + am_tube_radii(w->tube, w->engine, &w->how, w->path + skipped * d, end - skipped, largest,
                                           end_radius, w->radius + skipped);
    am_motion_follow_sensitivity(w->engine, false, NULL);
    out->trail = am_memory_new(end - first + 1, d * sizeof *out->trail, err);
    out->radius = am_memory_new(end - first + 1, sizeof *out->radius, err);
    out->key = am_memory_new(end - first + 1, sizeof *out->key, err);
    if (!out->trail || !out->radius || !out->key)
        return AM_ERR_MEMORY;
    for (size_t k = first; k <= end; k++) {
        if (!(w->radius[k] > 1e-9 * largest) || is_covered(w, out, k))
            continue;
        memcpy(out->trail + out->points * d, w->path + k * d, d * sizeof *out->trail);
        out->key[out->points] = w->key[k];
        out->radius[out->points++] = w->radius[k];
    }
    return AM_OK;
}

/* ---- the section ---- */

static am_status keep_visits(const am_worker *w, am_visits *visits, am_error *err) {
    size_t wanted = w->survey->options->section, d = w->survey->d;
    visits->count = w->length < wanted ? w->length : wanted;
    visits->first = w->length - visits->count + 1;
    visits->states = am_memory_doubles(w->path + (w->length - visits->count) * d, visits->count * d, err);
    return visits->states ? AM_OK : AM_ERR_MEMORY;
}

/* ---- rounds ---- */

static am_status run_start(am_worker *w, size_t index, slot *out, am_error *err) {
    am_survey *s = w->survey;
    am_starts_place(&s->starts, index, w->start);
    out->check = index % CHECK_EVERY == CHECK_EVERY - 1;
    w->joins = !out->check;
    am_status status = find_fate(w, out, err);
    if (!status && s->visits)
        status = w->length > 0 ? keep_visits(w, &s->visits[index], err) : AM_OK;
    return status ? status : keep_trail(w, out, err);
}

/* Starts that are run side by side: none learns from another. */
typedef struct round_work {
    am_survey *survey;
    size_t begin, count;
    slot *slots; /* count */
} round_work;

static void *worker_of(void *context, int thread, am_error *err) {
    (void)err;
    return ((round_work *)context)->survey->worker[thread];
}

static am_status run_one(void *context, void *worker, size_t i, am_error *err) {
    round_work *r = context;
    return run_start(worker, r->begin + i, &r->slots[i], err);
}

static am_status run_round(round_work *r, const am_progress *progress, am_error *err) {
    double total = (double)r->survey->starts.count;
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
    am_status status = AM_OK;
    am_fate *fate = &out->fate;
    if (fate->kind == AM_FATE_ORBIT && !fate->joined)
        status = enter_orbit(s, out, err);
    if (fate->kind == AM_FATE_FAILED && !s->failure[0])
        memcpy(s->failure, out->failure, sizeof s->failure);
    s->joined += fate->joined;
    if (out->check && out->foretold) {
        s->checks++;
        s->mismatches += fate->kind != AM_FATE_ORBIT || fate->orbit != out->foretold_orbit;
    }
    for (size_t k = 0; k < out->points && fate->kind == AM_FATE_ORBIT && !status; k++)
        status = am_trails_add(s->trails, out->key[k], out->trail + k * s->d, out->radius[k], fate->orbit, err);
    return status;
}

static void clear_slot(slot *out) {
    am_orbit_clear(&out->orbit);
    am_memory_free(out->trail);
    am_memory_free(out->radius);
    am_memory_free(out->key);
    *out = (slot){0};
}

am_status am_survey_run(am_survey *survey, const am_progress *progress, am_error *err) {
    size_t total = survey->starts.count, size = 1;
    slot *slots = am_memory_new(total < LARGEST_ROUND ? total : LARGEST_ROUND, sizeof *slots, err);
    am_status status = slots ? AM_OK : AM_ERR_MEMORY;
    for (size_t begin = 0; begin < total && !status;) {
        round_work r = {.survey = survey, .begin = begin, .slots = slots};
        r.count = size < total - begin ? size : total - begin;
        status = run_round(&r, progress, err);
        size_t learnt = am_trails_count(survey->trails);
        for (size_t i = 0; i < r.count; i++) {
            if (!status)
                status = learn(survey, &slots[i], err);
            survey->fates[begin + i] = slots[i].fate;
            clear_slot(&slots[i]);
        }
        if (!status && am_trails_count(survey->trails) > learnt)
            status = am_trails_build(survey->trails, err);
        begin += r.count;
        size = size < LARGEST_ROUND ? 2 * size : LARGEST_ROUND;
    }
    am_memory_free(slots);
    return status;
}

am_status am_survey_ask(am_survey *survey, const double *start, bool joins, am_fate *fate, am_error *err) {
    am_worker *w = survey->worker[0];
    slot out = {0};
    memcpy(w->start, start, 2 * survey->n * sizeof *start);
    w->joins = joins;
    am_status status = find_fate(w, &out, err);
    if (!status && out.fate.kind == AM_FATE_ORBIT && !out.fate.joined)
        status = enter_orbit(survey, &out, err);
    *fate = out.fate;
    clear_slot(&out);
    return status;
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
    s->worker = am_memory_new((size_t)threads, sizeof *s->worker, err);
    if (!s->worker)
        return AM_ERR_MEMORY;
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
    *survey = (am_survey){.system = system, .options = options};
    survey->n = am_system_size(system);
    survey->m = am_system_contacts(system);
    am_status status = am_starts_init(&survey->starts, system, options, err);
    if (!status)
        status = am_orbit_set_init(&survey->set, system, err);
    if (!status)
        status = make_workers(survey, threads, err);
    if (status)
        return status;
    survey->d = survey->set.d;
    survey->trails = am_trails_create(survey->d, survey->worker[0]->engine->plan.weight, err);
    survey->fates = am_memory_new(survey->starts.count, sizeof *survey->fates, err);
    if (options->section > 0)
        survey->visits = am_memory_new(survey->starts.count, sizeof *survey->visits, err);
    bool all = survey->trails && survey->fates && (survey->visits || options->section == 0);
    return all ? AM_OK : AM_ERR_MEMORY;
}

void am_survey_clear(am_survey *survey) {
    for (int i = 0; i < survey->worker_count; i++)
        free_worker(survey->worker[i]);
    for (size_t i = 0; survey->visits && i < survey->starts.count; i++)
        am_memory_free(survey->visits[i].states);
    am_memory_free(survey->worker);
    am_memory_free(survey->visits);
    am_memory_free(survey->fates);
    am_trails_free(survey->trails);
    am_orbit_set_clear(&survey->set);
    am_starts_clear(&survey->starts);
    *survey = (am_survey){0};
}
