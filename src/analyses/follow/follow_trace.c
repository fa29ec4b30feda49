/* What a run leaves of its branch, and the picture that comes of it for other numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/follow/point.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/trace.h"
#include "base/try.h"

static const char analysis[] = "follow";

struct am_follow_trace {
    char parameter[128];
    am_follow_point *point;
    size_t count, capacity;
};

static void release(void *object) {
    am_follow_trace *t = object;
    for (size_t i = 0; i < t->count; i++)
        am_follow_clear(&t->point[i]);
    am_memory_free(t->point);
    am_memory_free(t);
}

am_follow_trace *am_follow_trace_create(const am_model_line *line, am_error *err) {
    am_follow_trace *t = am_memory_new(1, sizeof *t, err);
    if (t)
        snprintf(t->parameter, sizeof t->parameter, "%s", am_model_name(line->model, line->number));
    return t;
}

am_status am_follow_trace_add(am_follow_trace *t, const am_follow_point *x, am_error *err) {
    AM_TRY(am_memory_reserve(&t->point, &t->capacity, t->count + 1, err));
    t->point[t->count] = (am_follow_point){0};
    AM_TRY(am_follow_copy(x, &t->point[t->count], err));
    t->count++;
    return AM_OK;
}

void am_follow_trace_end(am_follow_trace *t, bool whole, const am_progress *progress) {
    if (t && whole)
        am_trace_put(progress, analysis, t, release);
    else if (t)
        release(t);
}

/* Each orbit from the one that was there; where none closes, it is lost. */
static am_status close_again(const am_model_line *line, const am_follow_trace *t, const am_follow_options *options,
                             const am_follow_watch *watch, size_t most, am_follow_preview *made, am_error *err) {
    double least = fmin(options->from, options->to), greatest = fmax(options->from, options->to);
    for (size_t i = 0; i < t->count; i++) {
        const am_follow_point *old = &t->point[i];
        AM_LOCAL(am_follow_clear) am_follow_point x = {0};
        am_error own = {0};
        if (old->p < least || old->p > greatest || (i > 0 && (i + 1) * most / t->count == i * most / t->count))
            continue;
        am_status status = am_follow_close(line, old->p, old, old->orbit.state, &x, &own);
        if (status && status != AM_ERR_LIMIT)
            return am_fail(err, status, "%s", own.message);
        made->lost += status != AM_OK;
        made->points += status == AM_OK;
        if (status == AM_OK)
            AM_TRY(watch->point(watch->context, &x, err));
    }
    return AM_OK;
}

am_status am_follow_draw_preview(const am_model_line *line, const am_follow_options *options,
                                 const am_follow_watch *watch, const am_progress *progress, am_follow_preview *made,
                                 am_error *err) {
    const am_follow_trace *t = am_trace_to_preview(progress, analysis);
    *made = (am_follow_preview){0};
    if (!t || strncmp(t->parameter, am_model_name(line->model, line->number), sizeof t->parameter - 1) != 0)
        return AM_OK;
    return close_again(line, t, options, watch, progress->preview, made, err);
}
