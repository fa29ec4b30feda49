/* What a run leaves of its branches, and the picture that comes of it for other numbers. */
#include <stdio.h>
#include <string.h>

#include "analyses/response/response_internal.h"
#include "base/columns.h"
#include "base/memory.h"
#include "base/trace.h"
#include "base/try.h"
#include "base/watch.h"
#include "math/retrace.h"

static const char analysis[] = "response";

typedef struct traced {
    char parameter[128];
    size_t harmonics, n;             /* n: coordinates in the balance */
    am_traced_curve followed, drawn; /* drawn: the last picture of it, which lies nearer to the next one */
} traced;

static void release(void *object) {
    traced *t = object;
    am_traced_clear(&t->followed);
    am_traced_clear(&t->drawn);
    am_memory_free(t);
}

static am_status take_down(const am_response *r, traced *t, am_error *err) {
    *t = (traced){.harmonics = r->H, .n = r->n, .followed = {.n = r->size}, .drawn = {.n = r->size}};
    snprintf(t->parameter, sizeof t->parameter, "%s", am_response_parameter(r));
    for (size_t b = 0; b < r->branches; b++)
        for (size_t i = r->branch[b].first; i < r->branch[b].first + r->branch[b].count; i++)
            AM_TRY(am_traced_add(&t->followed, b, r->x + i * r->size, r->point[i].p, r->point[i].residual, err));
    return AM_OK;
}

am_status am_response_take_down(const am_response *r, am_error *err) {
    if (r->exact || !am_trace_is_wanted(r->progress))
        return AM_OK;
    traced *t = am_memory_new(1, sizeof *t, err);
    if (!t)
        return AM_ERR_MEMORY;
    am_status status = take_down(r, t, err);
    if (status)
        release(t);
    else
        am_trace_put(r->progress, analysis, t, release);
    return status;
}

/* The present question may have other harmonics than the trace, or other unknowns. */
static bool fits(const am_response *r, const traced *t) {
    const am_response_options *o = r->options;
    return t && !r->exact && o->from != o->to && (o->harmonics == 0 || o->harmonics == t->harmonics) &&
           strncmp(t->parameter, am_response_parameter(r), sizeof t->parameter - 1) == 0;
}

/* The branch that a piece of the curve becomes. */
static am_status begin_branch(am_response *r, am_error *err) {
    AM_TRY(am_memory_reserve(&r->branch, &r->branch_capacity, r->branches + 1, err));
    r->branch[r->branches++] = (am_response_branch){.first = r->count, .parent = SIZE_MAX};
    return AM_OK;
}

static am_status add_points(am_response *r, const am_traced_curve *curve, am_error *err) {
    size_t reason = am_response_reason(r, "a preview: not judged yet");
    for (size_t i = 0; i < curve->count; i++) {
        const double *x = am_traced_point(curve, i);
        am_response_point point = am_response_point_new("regular", true, x[r->size], x[r->size + 1]);
        point.branch = curve->piece[i];
        point.withheld = reason;
        if (i == 0 || curve->piece[i - 1] != curve->piece[i])
            AM_TRY(begin_branch(r, err));
        AM_TRY(am_response_measure(r, x, point.p, &point, err));
        AM_TRY(am_response_add(r, &point, x, err));
        r->branch[r->branches - 1].count++;
        if (r->peak == SIZE_MAX || point.amplitude > r->point[r->peak].amplitude)
            r->peak = i;
    }
    return AM_OK;
}

static am_status correct(am_response *r, traced *t, am_result *result, am_error *err) {
    size_t lost = 0;
    bool found;
    am_continuation_options options = r->follow;
    options.tolerance = 1e-6; /* for a picture */
    AM_TRY(am_traced_draw(&t->followed, &t->drawn, r->curve, &r->problem, &options, r->progress->preview, &found, &lost,
                          err));
    if (!found)
        return AM_OK;
    AM_TRY(add_points(r, &t->drawn, err));
    AM_TRY(am_response_preview_tables(r, result, err));
    am_result_set_flag(result, "preview", true, NULL);
    am_result_set_count(result, "preview_lost", lost, NULL);
    return am_result_status(result, err);
}

am_status am_response_preview(am_response *r, am_result *result, bool *drawn, am_error *err) {
    traced *t = am_trace_to_preview(r->progress, analysis);
    *drawn = false;
    if (!fits(r, t))
        return AM_OK;
    AM_TRY(am_response_open(r, t->harmonics, err));
    if (r->size == t->followed.n && r->n == t->n)
        AM_TRY(correct(r, t, result, err));
    *drawn = r->count > 0;
    return AM_OK;
}
