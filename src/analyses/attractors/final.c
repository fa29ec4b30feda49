/* Where do starts lead? Each start runs until its state of contact is proved to last for ever (finality.h). Starts are
 * independent: threads share the constant system, each has an engine of its own, results are stored by index, so the
 * picture does not depend on their number. */
#include "analyses/attractors/attractors_internal.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "amontons/motion.h"
#include "analyses/motion.h"
#include "base/columns.h"
#include "base/local.h"
#include "base/spread.h"
#include "base/watch.h"

enum {
    CHUNK = 64,
    STEPS_BETWEEN_REPORTS = 4096, /* of one motion: some take long */
    HALVINGS = 53                 /* about, of a line, to neighbouring numbers */
};

typedef enum outcome { NOT_RUN, UNDECIDED, FINAL, FAILED } outcome;

/* What became of one start. */
typedef struct fate {
    outcome outcome;
    double settled; /* when the final state was entered */
    size_t changes;
    bool indeterminate; /* contacts shared their forces in a way that the motion does not tell */
} fate;

typedef struct survey {
    const am_system *system;
    const am_attractors_options *options;
    const am_progress *progress;
    am_starts set;
    size_t n, m, starts;
    size_t listed;           /* starts in the map: all of them, unless the work was stopped */
    atomic_size_t furthest;  /* the starts from here on have not been followed yet: their fates are not even touched */
    fate *fates;             /* starts */
    am_contact_state *final; /* starts x m */
} survey;

static am_status check(const am_system *system, const am_attractors_options *o, am_error *err) {
    if (am_system_contacts(system) == 0)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "the structure has no contacts: there is no final state of contact to find");
    if (o->count == 0 && (o->axis_count < 1 || o->axis_count > 2))
        return am_fail_field(err, AM_ERR_INPUT, "starts", "starts must vary along one or two axes, not %zu",
                             o->axis_count);
    if (!(o->until > 0.0) || !isfinite(o->until))
        return am_fail_field(err, AM_ERR_INPUT, "until", "the time limit must be positive");
    return AM_OK;
}

/* ---- one start ---- */

/* Run one start to its end. Memory and interruption are errors; a motion that cannot go on is a fate. `done`: how far
 * all the work is. */
static am_status run_start(const survey *s, am_motion *engine, const double *start, double done, fate *f,
                           am_contact_state *final, am_error *err) {
    am_step_kind kind = AM_STEP_SPAN;
    *f = (fate){.outcome = NOT_RUN, .settled = NAN};
    double entered = 0.0;
    size_t steps = 0;
    am_status status = am_motion_start(engine, 0.0, start, start + s->n, err);
    while (!status && kind != AM_STEP_END && kind != AM_STEP_FINAL) {
        status = am_motion_step(engine, s->options->until, &kind, err);
        if (!status && am_motion_switches(engine) > 0)
            entered = am_motion_time(engine);
        if (!status && ++steps % STEPS_BETWEEN_REPORTS == 0)
            status = am_spread_report(s->progress, done, "following a motion", err);
    }
    if (am_watch_refused()) /* the user asked to stop: what came of the run does not count */
        status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted while following the starts");
    if (status == AM_ERR_MEMORY || status == AM_ERR_INPUT || status == AM_ERR_INTERRUPTED)
        return status;
    f->outcome = status ? FAILED : kind == AM_STEP_FINAL ? FINAL : UNDECIDED;
    const am_motion_statistics statistics = am_motion_statistics_get(engine);
    f->changes = statistics.state_changes;
    f->indeterminate = statistics.indeterminate;
    f->settled = f->outcome == FINAL ? entered : NAN;
    memcpy(final, am_motion_states(engine), s->m * sizeof *final);
    return AM_OK;
}

/* ---- all starts ---- */

/* What a thread works with. */
typedef struct runner {
    am_motion *engine;
    double *start; /* 2n */
} runner;

static void close_runner(void *worker) {
    runner *r = worker;
    am_motion_free(r->engine);
    am_memory_free(r->start);
    am_memory_free(r);
}

static void *open_runner(void *context, int thread, am_error *err) {
    const survey *s = context;
    runner *r = am_memory_new(1, sizeof *r, err);
    (void)thread;
    if (!r)
        return NULL;
    r->engine = am_motion_create(s->system, false, err);
    r->start = am_memory_new(2 * s->n, sizeof *r->start, err);
    if (!r->engine || !r->start) {
        close_runner(r);
        return NULL;
    }
    am_motion_seek_final(r->engine, true);
    return r;
}

static void note_furthest(survey *s, size_t end) {
    size_t before = atomic_load(&s->furthest);
    while (end > before && !atomic_compare_exchange_weak(&s->furthest, &before, end))
        continue;
}

static am_status follow(void *context, void *worker, size_t i, am_error *err) {
    survey *s = context;
    runner *r = worker;
    note_furthest(s, i + 1);
    am_starts_place(&s->set, i, r->start);
    return run_start(s, r->engine, r->start, (double)i / (double)s->starts, &s->fates[i], s->final + i * s->m, err);
}

static am_status run_all(survey *s, am_error *err) {
    const am_team *team = s->progress ? s->progress->team : NULL;
    am_spread all = {.count = s->starts,
                     .chunk = CHUNK,
                     .threads = am_progress_threads(s->progress),
                     .progress = s->progress,
                     .to = 1.0,
                     .team = team,
                     .doing = "following the starts",
                     .context = s,
                     .open = open_runner,
                     .close = close_runner,
                     .item = follow};
    am_team_meet(team);
    AM_TRY(am_spread_run(&all, err)); /* the others cannot go on either */
    am_team_merge(team, s->fates, s->starts * sizeof *s->fates);
    am_team_merge(team, s->final, s->starts * s->m * sizeof *s->final);
    return AM_OK;
}

/* ---- results ---- */

static const char *label(const survey *s, const fate *f, const am_contact_state *final, char *text, size_t size) {
    if (f->outcome != FINAL)
        return f->outcome == FAILED ? "failed" : f->outcome == NOT_RUN ? "not run" : "undecided";
    size_t used = 0;
    text[0] = '\0';
    for (size_t c = 0; c < s->m && used < size; c++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", c > 0 ? "," : "", am_contact_state_name(final[c]));
    return text;
}

static bool all_are(const survey *s, size_t start, am_contact_state state) {
    if (s->fates[start].outcome != FINAL)
        return false;
    for (size_t c = 0; c < s->m; c++)
        if (s->final[start * s->m + c] != state)
            return false;
    return true;
}

static void make_map(const survey *s, am_result *result) {
    size_t sides = s->set.sides;
    am_table *map = am_attractors_add_map(result, "map", "state settled changes", s->system, &s->set);
    for (size_t i = 0; i < s->listed; i++) {
        char text[256];
        am_attractors_add_start(map, &s->set, i, label(s, &s->fates[i], s->final + i * s->m, text, sizeof text));
        if (s->fates[i].outcome != NOT_RUN) {
            am_table_set_number(map, sides + 1, s->fates[i].settled);
            am_table_set_number(map, sides + 2, (double)s->fates[i].changes);
        }
    }
}

static void summarise(const survey *s, am_result *result) {
    size_t stick = 0, open = 0, undecided = 0, failed = 0, left = s->starts - s->listed;
    double latest = 0.0;
    bool indeterminate = false;
    for (size_t i = 0; i < s->listed; i++) {
        indeterminate |= s->fates[i].indeterminate;
        stick += all_are(s, i, AM_STICK);
        open += all_are(s, i, AM_OPEN);
        undecided += s->fates[i].outcome == UNDECIDED;
        failed += s->fates[i].outcome == FAILED;
        left += s->fates[i].outcome == NOT_RUN;
        if (s->fates[i].outcome == FINAL)
            latest = fmax(latest, s->fates[i].settled);
    }
    am_result_set_counts(result, AM_NAMED({"starts", s->starts}, {"stick", stick}, {"open", open},
                                          {"other", s->starts - left - stick - open}, {"undecided", undecided},
                                          {"failed", failed}));
    if (left > 0)
        am_result_set_count(result, "not_run", left, NULL);
    am_result_set_flag(result, "indeterminate_forces", indeterminate, NULL);
    am_result_set_number(result, "latest_settled", latest, NULL);
}

/* ---- the edge between two fates on a line ---- */

typedef struct edge_search {
    const survey *s;
    am_motion *engine;
    double *start;           /* 2n */
    am_contact_state *final; /* m */
    size_t looked;           /* at so many starts on the line */
} edge_search;

static am_status fate_on_line(edge_search *e, double fraction, char *text, size_t size, am_error *err) {
    const am_attractors_options *o = e->s->options;
    double done = fmin(1.0, (double)e->looked++ / HALVINGS);
    fate f;
    for (size_t i = 0; i < 2 * e->s->n; i++)
        e->start[i] = o->edge_from[i] + fraction * (o->edge_to[i] - o->edge_from[i]);
    AM_TRY(am_spread_report(e->s->progress, done, "locating the edge", err));
    AM_TRY(run_start(e->s, e->engine, e->start, done, &f, e->final, err));
    char own[256];
    snprintf(text, size, "%s", label(e->s, &f, e->final, own, sizeof own));
    return AM_OK;
}

/* Halve the line until both ends are neighbours in floating point. */
static am_status bisect(edge_search *e, am_result *result, am_error *err) {
    const am_attractors_options *o = e->s->options;
    char low_state[256], high_state[256], state[256];
    double low = 0.0, high = 1.0;
    AM_TRY(fate_on_line(e, low, low_state, sizeof low_state, err));
    AM_TRY(fate_on_line(e, high, high_state, sizeof high_state, err));
    if (strcmp(low_state, high_state) == 0)
        return am_fail_field(err, AM_ERR_INPUT, "edge",
                             "both ends of the line lead to %s: there is no edge to locate between them", low_state);
    for (double middle = 0.5; middle > low && middle < high; middle = 0.5 * (low + high)) {
        AM_TRY(fate_on_line(e, middle, state, sizeof state, err));
        if (strcmp(state, low_state) == 0)
            low = middle;
        else {
            high = middle; /* on the edge itself the fate may stay undecided: the neighbour's counts */
            if (strcmp(state, "undecided") != 0)
                memcpy(high_state, state, sizeof state);
        }
    }
    size_t widest = 0; /* the coordinate that varies most along the line tells where the edge is */
    for (size_t i = 1; i < 2 * e->s->n; i++)
        if (fabs(o->edge_to[i] - o->edge_from[i]) > fabs(o->edge_to[widest] - o->edge_from[widest]))
            widest = i;
    double span = o->edge_to[widest] - o->edge_from[widest];
    am_result_set_number(result, "edge", o->edge_from[widest] + 0.5 * (low + high) * span, NULL);
    am_result_set_number(result, "edge_width", fabs((high - low) * span), NULL);
    am_result_set_text(result, "edge_from_state", low_state, NULL);
    am_result_set_text(result, "edge_to_state", high_state, NULL);
    return AM_OK;
}

static am_status locate_edge(const survey *s, am_result *result, am_error *err) {
    if (!s->options->edge_from || !s->options->edge_to)
        return AM_OK;
    AM_LOCAL(am_motion_free_at) am_motion *engine = am_motion_create(s->system, false, err);
    AM_LOCAL_ARENA memory = {0};
    edge_search e = {.s = s, .engine = engine};
    e.start = am_arena_new(&memory, 2 * s->n, sizeof *e.start, err);
    e.final = am_arena_new(&memory, s->m, sizeof *e.final, err);
    AM_TRY(e.engine && e.start && e.final ? AM_OK : err->status);
    am_motion_seek_final(e.engine, true);
    return bisect(&e, result, err);
}

/* The fates so far, when the work was stopped. Members of a team have a part each, and none of them the whole. */
static void report_part(survey *s, am_result *result) {
    s->listed = s->furthest;
    while (s->listed > 0 && s->fates[s->listed - 1].outcome == NOT_RUN)
        s->listed--;
    if (s->listed == 0 || s->listed > AM_ATTRACTORS_MOST_KEPT || (s->progress && s->progress->team))
        return;
    if (!am_result_find_table(result, "map"))
        make_map(s, result);
    summarise(s, result);
    if (am_result_status(result, NULL) == AM_OK)
        am_watch_mark(result);
}

am_status am_attractors_final(const am_system *system, const am_attractors_options *options, am_result *result,
                              const am_progress *progress, am_error *err) {
    AM_TRY(check(system, options, err));
    survey s = {.system = system,
                .options = options,
                .progress = progress,
                .n = am_system_size(system),
                .m = am_system_contacts(system)};
    AM_TRY(am_starts_init(&s.set, system, options, err));
    s.starts = s.listed = s.set.count;
    am_arena memory = {0};
    s.fates = am_arena_new(&memory, s.starts, sizeof *s.fates, err);
    s.final = am_arena_new(&memory, s.starts * s.m, sizeof *s.final, err);
    am_status status = am_arena_status(&memory) ? AM_ERR_MEMORY : run_all(&s, err);
    if (!status) {
        make_map(&s, result);
        summarise(&s, result);
        status = locate_edge(&s, result, err);
    }
    if (status == AM_ERR_INTERRUPTED)
        report_part(&s, result);
    am_starts_clear(&s.set);
    am_arena_clear(&memory);
    return status;
}
