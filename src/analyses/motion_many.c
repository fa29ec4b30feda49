/* am_motion_run_many: one engine per thread, reused for all the motions that it gets. */
#include <math.h>
#include <string.h>

#include "amontons/motion.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/spread.h"
#include "base/try.h"

typedef struct work {
    const am_system *system;
    const am_motion_many *many;
    size_t n, max_events;
} work;

static void *open_engine(void *context, int thread, am_error *err) {
    (void)thread;
    return am_motion_create(((const work *)context)->system, false, err);
}

static void close_engine(void *engine) {
    am_motion_free(engine);
}

static am_status follow(const work *w, am_motion *engine, const double *start, size_t *events, am_error *err) {
    am_step_kind kind = AM_STEP_SPAN;
    AM_TRY(am_motion_start(engine, w->many->from, start, start + w->n, err));
    for (*events = 0; kind != AM_STEP_END; *events += kind == AM_STEP_EVENT) {
        if (*events > w->max_events)
            return am_fail(err, AM_ERR_LIMIT, "more than %zu events", w->max_events);
        AM_TRY(am_motion_step(engine, w->many->until, &kind, err));
    }
    return AM_OK;
}

static am_status follow_one(void *context, void *worker, size_t index, am_error *err) {
    const work *w = context;
    size_t size = 2 * w->n, events = 0;
    double *end = w->many->ends + index * size;
    am_error own = {0};
    am_status status = follow(w, worker, w->many->starts + index * size, &events, &own);
    if (am_status_is_fatal(status)) {
        if (err)
            *err = own;
        return status;
    }
    for (size_t i = 0; i < size; i++)
        end[i] = status != AM_OK ? NAN
                 : i < w->n      ? am_motion_displacement(worker)[i]
                                 : am_motion_velocity(worker)[i - w->n];
    if (w->many->events)
        w->many->events[index] = events;
    if (w->many->status)
        w->many->status[index] = status;
    return AM_OK;
}

static am_status check(const am_system *system, const am_motion_many *many, am_error *err) {
    if (!am_is(system, AM_TAG_SYSTEM) || !many || (many->count > 0 && (!many->starts || !many->ends)))
        return am_misused(err, "am_motion_run_many");
    if (!isfinite(many->from) || !isfinite(many->until) || !(many->until > many->from))
        return am_fail_field(err, AM_ERR_INPUT, "until", "until must be finite and later than from");
    return AM_OK;
}

am_status am_motion_run_many(const am_system *system, const am_motion_many *many, const am_progress *progress,
                             am_error *err) {
    AM_TRY(check(system, many, err));
    work w = {system, many, am_system_size(system), many->max_events ? many->max_events : 1000000};
    const am_spread spread = {.count = many->count,
                              .chunk = 16,
                              .threads = am_progress_threads(progress),
                              .progress = progress,
                              .to = 1.0,
                              .doing = "following the starts",
                              .context = &w,
                              .open = open_engine,
                              .close = close_engine,
                              .item = follow_one};
    return am_spread_run(&spread, err);
}
