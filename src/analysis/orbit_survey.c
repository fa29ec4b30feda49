#include "analysis/orbit_survey.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "analysis/engine.h"
#include "analysis/orbit_walk.h"
#include "base/memory.h"
#include "math/dense.h"

enum {
    CHUNK = 4,
    LARGEST_ROUND = 2048,
    CHECKPOINTS = 8,      /* places ahead on a trail at which the growth of a disturbance is looked at */
    CHECK_EVERY = 64,     /* of so many starts one is run to its end although it meets a trail */
    KEEPS_TO = 2,         /* returns on trails after which a motion has joined them */
    SHORTEST_TRAIL = 400, /* returns worth remembering */
    RECENT = 8,           /* points of a trail a new one is compared with */
    MOST_JOIN = 64,       /* dimensions up to which derivatives along trails are worth their cost */
    MOST_POINTS = 200000, /* on trails */
    LYAPUNOV_RETURNS = 300
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
    double *path; /* length x d */
    bool joins;   /* ends where it meets a trail */
    bool met;
    size_t together; /* returns for which it has kept to trails of one fate */
    size_t met_at, met_orbit;
    double met_radius;
    am_error err;     /* of the callback */
    double *products; /* (CHECKPOINTS + 1) x d x d, and d x d */
    double *radius;   /* capacity */
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
    char failure[256];
} slot;

static void free_worker(am_worker *w) {
    if (!w)
        return;
    am_motion_free(w->engine);
    am_memory_free(w->start);
    am_memory_free(w->path);
    am_memory_free(w->products);
    am_memory_free(w->radius);
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
    w->products = w->start ? am_memory_new((CHECKPOINTS + 2) * d * d, sizeof *w->products, err) : NULL;
    if (!w->products) {
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
    void *path = w->path, *radius = w->radius;
    am_status status = am_memory_resize(&path, wanted, d * sizeof *w->path, &w->err);
    w->path = path;
    if (!status)
        status = am_memory_resize(&radius, wanted, sizeof *w->radius, &w->err);
    w->radius = radius;
    if (!status)
        w->capacity = wanted;
    return status;
}

/* Has the motion kept to trails of one fate for some returns? */
static bool has_met(am_worker *w, const am_orbit_return *how, const double *state) {
    size_t orbit;
    double radius;
    if (!am_trails_meet(w->survey->trails, how, state, 0.5, &orbit, &radius)) {
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
    memcpy(w->path + w->length++ * d, state, d * sizeof *state);
    return w->survey->options->join && !w->met && has_met(w, how, state) && w->joins;
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

/* Follow one disturbance along the returns that come: its mean rate of growth is the largest exponent. */
static double lyapunov(am_worker *w) {
    size_t d = w->survey->d;
    const double *weight = w->engine->plan.weight;
    double *disturbance = w->products, *moved = w->products + d, *state = w->products + 2 * d, sum = 0.0, time = 0.0;
    if (w->length == 0 || am_motion_follow_sensitivity(w->engine, true, NULL) != AM_OK)
        return NAN;
    memcpy(state, w->path + (w->length - 1) * d, d * sizeof *state);
    for (size_t i = 0; i < d; i++)
        disturbance[i] = 1.0 / weight[i];
    for (size_t k = 0; k < LYAPUNOV_RETURNS; k++) {
        am_walk walk;
        am_orbit_return once = w->how;
        once.returns = 1;
        am_status status = am_walk_begin(&walk, w->engine, &once, state, NULL);
        while (!status && !walk.done) {
            am_step_kind kind;
            status = am_walk_step(&walk, &kind, NULL);
        }
        const double *D = am_motion_sensitivity(w->engine);
        for (size_t i = 0; i < d; i++)
            moved[i] = am_dense_dot(D + i * d, disturbance, d);
        double size = am_orbit_size(w->engine, moved);
        if (status || !(size > 0.0) || !isfinite(size)) {
            time = 0.0;
            break;
        }
        bool counts = k >= LYAPUNOV_RETURNS / 10; /* the disturbance has turned into the fastest direction */
        sum += counts ? log(size) : 0.0;
        time += counts ? am_motion_time(w->engine) - once.start : 0.0;
        for (size_t i = 0; i < d; i++)
            disturbance[i] = moved[i] / size;
        memcpy(state, am_motion_state(w->engine), d * sizeof *state);
    }
    am_motion_follow_sensitivity(w->engine, false, NULL);
    return time > 0.0 ? sum / time : NAN;
}

/* Neighbours part when they do so by more than a tenth over the time looked at. */
static am_fate_kind kind_of_unrepeated(double exponent, double time) {
    return exponent * time > 0.1 ? AM_FATE_APERIODIC : AM_FATE_UNDECIDED;
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

static void judge_unrepeated(am_worker *w, const am_orbit_search *search, am_fate *fate) {
    double mean = search->returns > 0 ? search->time / (double)search->returns : 0.0;
    if (search->outcome == AM_ORBIT_DIVERGENT &&
        (search->returns < w->survey->options->most_returns || is_growing(w))) {
        fate->kind = AM_FATE_DIVERGENT;
        return;
    }
    fate->lyapunov = lyapunov(w);
    fate->kind = kind_of_unrepeated(fate->lyapunov, LYAPUNOV_RETURNS * mean);
}

static am_status find_fate(am_worker *w, slot *out, am_error *err) {
    const am_survey *s = w->survey;
    am_orbit_options o = am_orbit_options_default();
    am_orbit_search search;
    o.displacement = w->start;
    o.velocity = w->start + s->n;
    o.transient = s->options->transient;
    o.most_returns = s->options->most_returns;
    o.most_period = s->options->most_period;
    o.at_return = at_return;
    o.context = w;
    w->length = 0;
    w->met = false;
    w->together = 0;
    w->err = (am_error){0};
    am_status status = am_orbit_find(w->engine, &o, &out->orbit, &search, NULL, err);
    if (w->err.status) {
        *err = w->err;
        return w->err.status;
    }
    out->fate = (am_fate){.kind = AM_FATE_FAILED, .lyapunov = NAN, .returns = search.returns};
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
        judge_unrepeated(w, &search, &out->fate);
        break;
    }
    out->foretold = w->met && !out->fate.joined;
    out->foretold_orbit = w->met_orbit;
    return AM_OK;
}

/* ---- trails ---- */

/* Norm of a matrix that maps disturbances to disturbances, in weighted coordinates. */
static double norm_of(const double *a, const double *weight, size_t d) {
    double norm = 0.0;
    for (size_t i = 0; i < d; i++) {
        double row = 0.0;
        for (size_t j = 0; j < d; j++)
            row += fabs(a[i * d + j]) / weight[j];
        norm = fmax(norm, weight[i] * row);
    }
    return norm;
}

/* a = a b, with work d. */
static void multiply(double *a, const double *b, size_t d, double *work) {
    for (size_t i = 0; i < d; i++) {
        memset(work, 0, d * sizeof *work);
        for (size_t k = 0; k < d; k++)
            for (size_t j = 0; j < d; j++)
                work[j] += a[i * d + k] * b[k * d + j];
        memcpy(a + i * d, work, d * sizeof *work);
    }
}

static void set_identity(double *a, size_t d) {
    memset(a, 0, d * d * sizeof *a);
    for (size_t i = 0; i < d; i++)
        a[i * d + i] = 1.0;
}

/* From return k to the next, with the derivative. */
static am_status walk_once(am_worker *w, size_t k, am_error *err) {
    am_walk walk;
    am_orbit_return once = w->how;
    once.returns = 1;
    am_status status = am_walk_begin(&walk, w->engine, &once, w->path + k * w->survey->d, err);
    while (!status && !walk.done) {
        am_step_kind kind;
        status = am_walk_step(&walk, &kind, err);
    }
    return status;
}

/* Radii backwards along the path: a disturbance at return k must not have grown beyond the tube at any checkpoint
 * ahead, nor beyond the end's radius at the end. Returns the first return that has a radius. */
static size_t find_radii(am_worker *w, size_t end, double largest, double end_radius) {
    size_t d = w->survey->d, next = 1;
    const double *weight = w->engine->plan.weight;
    double *work = w->products + (CHECKPOINTS + 1) * d * d;
    set_identity(w->products, d);
    w->radius[end] = fmin(largest, end_radius);
    size_t spacing = end / CHECKPOINTS + 1;
    for (size_t k = end; k-- > 0;) {
        am_error own = {0};
        if (walk_once(w, k, &own) != AM_OK)
            return k + 1;
        const double *D = am_motion_sensitivity(w->engine);
        double growth = fmax(1.0, norm_of(D, weight, d));
        for (size_t c = 0; c < next; c++) {
            multiply(w->products + c * d * d, D, d, work);
            growth = fmax(growth, norm_of(w->products + c * d * d, weight, d));
        }
        double last = norm_of(w->products, weight, d);
        w->radius[k] = fmin(largest / growth, last > 0.0 ? end_radius / last : INFINITY);
        if (k > 0 && (end - k) % spacing == 0 && next <= CHECKPOINTS) {
            set_identity(w->products + next * d * d, d);
            next++;
        }
    }
    return 0;
}

static bool is_covered(const am_worker *w, const slot *out, size_t k) {
    size_t d = w->survey->d, orbit;
    double radius;
    const double *state = w->path + k * d;
    for (size_t i = out->points > RECENT ? out->points - RECENT : 0; i < out->points; i++)
        if (am_orbit_distance(w->engine, state, out->trail + i * d) <= 0.25 * out->radius[i])
            return true;
    return am_trails_meet(w->survey->trails, &w->how, state, 0.25, &orbit, &radius);
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
    size_t first = find_radii(w, end, largest, w->met ? 0.5 * w->met_radius : largest);
    am_motion_follow_sensitivity(w->engine, false, NULL);
    out->trail = am_memory_new(end - first + 1, d * sizeof *out->trail, err);
    out->radius = am_memory_new(end - first + 1, sizeof *out->radius, err);
    if (!out->trail || !out->radius)
        return AM_ERR_MEMORY;
    for (size_t k = first; k <= end; k++) {
        if (!(w->radius[k] > 1e-9 * largest) || is_covered(w, out, k))
            continue;
        memcpy(out->trail + out->points * d, w->path + k * d, d * sizeof *out->trail);
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

typedef struct round_work {
    am_survey *survey;
    size_t begin, count, next;
    int stop;
    slot *slots;
    const am_progress *progress;
} round_work;

static am_status work(round_work *r, am_worker *w, am_error *err) {
    am_status status = AM_OK;
    while (!status) {
        size_t first, chunk = r->count >= 64 ? CHUNK : 1;
        int stopped;
#pragma omp atomic capture
        {
            first = r->next;
            r->next += chunk;
        }
#pragma omp atomic read
        stopped = r->stop;
        if (first >= r->count || stopped)
            break;
        for (size_t i = first; i < first + chunk && i < r->count && !status; i++)
            status = run_start(w, r->begin + i, &r->slots[i], err);
        bool go_on = true;
        double done = (double)(r->begin + first) / (double)r->survey->starts.count;
#pragma omp critical(amontons_progress)
        go_on = am_progress_report(r->progress, done);
        if (!status && !go_on)
            status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted after about %zu of %zu starts", r->begin + first,
                             r->survey->starts.count);
    }
    if (status) {
#pragma omp atomic write
        r->stop = 1;
    }
    return status;
}

static am_status run_round(round_work *r, am_error *err) {
    am_status status = AM_OK;
    int threads = r->count < (size_t)r->survey->worker_count ? (int)r->count : r->survey->worker_count;
#pragma omp parallel num_threads(threads)
    {
        am_error own = {0};
#ifdef _OPENMP
        int mine = omp_get_thread_num();
#else
        int mine = 0;
#endif
        am_status own_status = work(r, r->survey->worker[mine], &own);
#pragma omp critical(amontons_failure)
        if (own_status && !status) {
            status = own_status;
            *err = own;
        }
    }
    return status;
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
        status = am_trails_add(s->trails, &out->how, out->trail + k * s->d, out->radius[k], fate->orbit, err);
    return status;
}

static void clear_slot(slot *out) {
    am_orbit_clear(&out->orbit);
    am_memory_free(out->trail);
    am_memory_free(out->radius);
    *out = (slot){0};
}

am_status am_survey_run(am_survey *survey, const am_progress *progress, am_error *err) {
    size_t total = survey->starts.count, size = 1;
    slot *slots = am_memory_new(total < LARGEST_ROUND ? total : LARGEST_ROUND, sizeof *slots, err);
    am_status status = slots ? AM_OK : AM_ERR_MEMORY;
    for (size_t begin = 0; begin < total && !status;) {
        round_work r = {.survey = survey, .begin = begin, .slots = slots, .progress = progress};
        r.count = size < total - begin ? size : total - begin;
        status = run_round(&r, err);
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
