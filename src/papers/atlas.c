#include "papers/atlas.h"
#include "base/try.h"

#include <math.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/object.h"
#include "base/spread.h"
#include "base/watch.h"
#include "papers/atlas/atlas_internal.h"

enum { OPTIONS_COOKIE = 0x414d544c };

am_atlas_options am_atlas_options_default(void) {
    return (am_atlas_options){.least = 1,
                              .most = SIZE_MAX,
                              .most_solutions = 20000,
                              .count = true,
                              .follow = AM_ATLAS_FOLLOW_ALL,
                              .most_branches = 2000,
                              .most_points = 20000,
                              .stability = true,
                              .harmonics = 5,
                              .cookie = OPTIONS_COOKIE};
}

/* ---- Threads ---- */

typedef struct spreading {
    am_atlas *atlas;
    am_atlas_work work;
    void *context;
} spreading;

static void *worker_of(void *context, int thread, am_error *err) {
    (void)err;
    return &((spreading *)context)->atlas->worker[thread];
}

static am_status do_one(void *context, void *worker, size_t index, am_error *err) {
    const spreading *s = context;
    return s->work(s->atlas, worker, index, s->context, err);
}

am_status am_atlas_spread(am_atlas *atlas, size_t count, am_atlas_work work, void *context, am_error *err) {
    spreading s = {.atlas = atlas, .work = work, .context = context};
    am_spread all = {.count = count,
                     .chunk = count >= 4096 ? 64 : 1,
                     .threads = (int)atlas->worker_count,
                     .progress = atlas->progress,
                     .from = atlas->done,
                     .to = atlas->done + atlas->share,
                     .doing = "drawing the atlas",
                     .context = &s,
                     .open = worker_of,
                     .item = do_one};
    return am_spread_run(&all, err);
}

/* ---- Preparing ---- */

static am_status check(const am_atlas_options *o, am_error *err) {
    double low = fmin(o->from, o->to), high = fmax(o->from, o->to);
    if (o->cookie != OPTIONS_COOKIE)
        return am_fail(err, AM_ERR_INPUT, "atlas options must come from am_atlas_options_default()");
    if (!(low < high) || !isfinite(low) || !isfinite(high))
        return am_fail_field(err, AM_ERR_INPUT, "to", "the range of the parameter is empty: from and to must differ");
    if (!(o->at > low && o->at < high))
        return am_fail_field(err, AM_ERR_INPUT, "at",
                             "solutions are made inside the range: %g is not between %g and %g", o->at, low, high);
    if (o->least > o->most)
        return am_fail_field(err, AM_ERR_INPUT, "active", "at least %zu and at most %zu oscillators cannot move",
                             o->least, o->most);
    if (o->harmonics < 1 || o->harmonics > 33 || o->harmonics % 2 == 0)
        return am_fail_field(err, AM_ERR_INPUT, "harmonics", "harmonics must be odd, from 1 to 33, not %zu",
                             o->harmonics);
    if (o->most_points < 16)
        return am_fail_field(err, AM_ERR_INPUT, "most_points", "a branch needs at least 16 points");
    return AM_OK;
}

/* Which cycles has each oscillator at `at`? */
static am_status find_cycles(am_atlas *a, am_error *err) {
    const am_atlas_options *o = a->options;
    size_t cycles = 0;
    a->configurations = (am_configurations){.sites = &a->sites, .only_largest = o->only_largest, .least = o->least};
    a->configurations.most = o->most < a->sites.n ? o->most : a->sites.n;
    if (o->least > a->sites.n)
        return am_fail_field(err, AM_ERR_INPUT, "active", "%zu oscillators cannot move, there are %zu", o->least,
                             a->sites.n);
    for (size_t i = 0; i < a->sites.n; i++) {
        double amplitudes[AM_SITES_ROOTS + 1];
        bool fold;
        size_t count = am_sites_cycles(&a->sites, i, o->at, amplitudes, &fold);
        if (fold)
            return am_fail_field(err, AM_ERR_INPUT, "at",
                                 "two cycles of oscillator %zu meet at this value: choose another one", i + 1);
        a->configurations.cycles[i] = (am_site_label)count;
        cycles += count;
    }
    if (cycles == 0)
        return am_fail_field(err, AM_ERR_INPUT, "at",
                             "at this value no oscillator has a cycle of its own: there is nothing to start from");
    return AM_OK;
}

static am_status prepare(am_atlas *a, am_error *err) {
    const am_atlas_options *o = a->options;
    AM_TRY(am_sites_create(&a->line, o->from, o->to, &a->sites, err));
    AM_TRY(find_cycles(a, err));
    if (!a->sites.tuned && o->follow != AM_ATLAS_FOLLOW_NONE)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "follow",
                             "the oscillators have different frequencies of their own (mistuning, or free ends): their "
                             "motions are found, but branches are followed for tuned rings only. Say `follow: none`, "
                             "and follow a motion with `response`");
    a->complete = am_sites_complete(&a->sites, o->at);
    am_configurations_count(&a->configurations, a->configuration_count, a->class_count);
    return AM_OK;
}

static am_status create_workers(am_atlas *a, am_error *err) {
    const am_atlas_options *o = a->options;
    size_t count = (size_t)am_progress_threads(a->progress);
    a->worker = am_memory_new(count, sizeof *a->worker, err);
    if (!a->worker)
        return AM_ERR_MEMORY;
    for (; a->worker_count < count; a->worker_count++) {
        am_atlas_worker *w = &a->worker[a->worker_count];
        AM_TRY(am_class_create(&w->configuration, &a->configurations, o->at, err));
        w->curve = am_continuation_create(a->sites.n, 0, err);
        w->exact = w->curve && o->exact
                       ? am_exact_create(&a->line, o->at, 1e-3 * fabs(o->to - o->from), a->sites.n, o->harmonics, err)
                       : NULL;
        if (!w->curve || (o->exact && !w->exact)) {
            a->worker_count++; /* to be freed */
            return err->status ? err->status : AM_ERR_MEMORY;
        }
    }
    AM_TRY(am_model_line_at(&a->line, o->at, &a->system, err));
    for (size_t k = 0; k < count; k++) {
        AM_TRY(o->exact ? am_exact_engage(a->worker[k].exact, a->system, err) : AM_OK);
        if (a->sites.tuned)
            continue;
        a->worker[k].detune = am_detune_create(a->system, err);
        if (!a->worker[k].detune)
            return err->status ? err->status : AM_ERR_MEMORY;
    }
    return AM_OK;
}

static void clear(am_atlas *a) {
    for (size_t k = 0; k < a->worker_count; k++) {
        am_class_clear(&a->worker[k].configuration);
        am_continuation_free(a->worker[k].curve);
        am_exact_free(a->worker[k].exact);
        am_detune_free(a->worker[k].detune);
    }
    am_memory_free(a->worker);
    for (size_t b = 0; b < a->branch_count; b++)
        am_atlas_branch_clear(&a->branch[b]);
    am_memory_free(a->branch);
    am_memory_free(a->crossing);
    am_memory_free(a->connection);
    am_memory_free(a->solution);
    am_memory_free(a->labels);
    am_memory_free(a->u);
    am_memory_free(a->w);
    am_sites_clear(&a->sites);
}

/* All motions that were listed, and the branches followed so far, when the work was stopped. */
static void report_part(am_atlas *a, am_result *result) {
    am_error unheard = {0};
    am_watch apart;
    if (!am_atlas_keep_traced(a))
        return;
    am_watch_apart(&apart, NULL); /* this is wanted still */
    am_status status = am_atlas_report(a, result, &unheard);
    if (am_watch_end(&apart, status, &unheard) == AM_OK)
        am_watch_mark(result);
}

/* List the motions, and follow their branches. */
static am_status draw(am_atlas *a, am_error *err) {
    AM_TRY(prepare(a, err));
    AM_TRY(create_workers(a, err));
    a->share = a->options->follow == AM_ATLAS_FOLLOW_NONE ? 1.0 : 0.3;
    AM_TRY(am_atlas_list(a, err));
    a->done = 0.3;
    a->share = 0.7;
    return am_atlas_follow_branches(a, err);
}

static am_status atlas_run_watched(am_model *model, const am_atlas_options *options, am_result *result,
                                   const am_progress *progress, am_error *err) {
    am_error own = {0};
    am_error *e = err ? err : &own;
    AM_TRY(check(options, e));
    AM_TRY(am_model_check(model, options->number, "number", e));
    am_atlas *a = am_memory_new(1, sizeof *a, e);
    if (!a)
        return AM_ERR_MEMORY;
    a->options = options;
    a->line = (am_model_line){.model = model, .number = options->number, .held = SIZE_MAX};
    a->progress = progress;
    am_status status = draw(a, e);
    if (!status)
        status = am_atlas_report(a, result, e);
    else if (status == AM_ERR_INTERRUPTED)
        report_part(a, result);
    clear(a);
    am_memory_free(a);
    return status;
}

am_status am_atlas_run(am_model *model, const am_atlas_options *options, am_result *result, const am_progress *progress,
                       am_error *err) {
    if (!am_is(model, AM_TAG_MODEL) || !options || !am_is(result, AM_TAG_RESULT))
        return am_misused(err, __func__);
    am_watch watch;
    am_watch_begin(&watch, progress);
    const double before = am_model_value(model, options->number);
    am_status status = atlas_run_watched(model, options, result, progress, err);
    am_model_set(model, options->number, before, NULL);
    return am_watch_end(&watch, status, err);
}
