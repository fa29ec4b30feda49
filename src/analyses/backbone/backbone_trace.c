/* What a run leaves of its modes, and the picture that comes of it for other numbers. */
#include <math.h>
#include <string.h>

#include "analyses/backbone/backbone_internal.h"
#include "base/columns.h"
#include "base/memory.h"
#include "base/trace.h"
#include "base/try.h"
#include "math/retrace.h"

static const char analysis[] = "backbone";

typedef struct traced {
    size_t mode, harmonics, n;
    bool whole;
    am_traced_curve followed, drawn; /* y over s; drawn: the last picture of it, which lies nearer to the next one */
} traced;

static void release(void *object) {
    traced *t = object;
    am_traced_clear(&t->followed);
    am_traced_clear(&t->drawn);
    am_memory_free(t);
}

static am_status take_down(const am_backbone *b, traced *t, am_error *err) {
    size_t N = b->equations.size + 1;
    *t = (traced){.mode = b->options->mode,
                  .harmonics = b->H,
                  .n = b->n,
                  .whole = b->whole,
                  .followed = {.n = N},
                  .drawn = {.n = N}};
    for (size_t i = 0; i < b->count; i++)
        AM_TRY(am_traced_add(&t->followed, b->point[i].branch, b->points + i * N, b->point[i].s, b->point[i].residual,
                             err));
    return AM_OK;
}

am_status am_backbone_take_down(const am_backbone *b, am_error *err) {
    if (!am_trace_is_wanted(b->progress))
        return AM_OK;
    traced *t = am_memory_new(1, sizeof *t, err);
    if (!t)
        return AM_ERR_MEMORY;
    am_status status = take_down(b, t, err);
    if (status)
        release(t);
    else
        am_trace_put(b->progress, analysis, t, release);
    return status;
}

static bool fits(const am_backbone *b, const traced *t) {
    const am_backbone_options *o = b->options;
    return t && o->mode == t->mode && (o->harmonics == 0 || o->harmonics == t->harmonics);
}

static am_status correct(am_backbone *b, traced *t, am_result *result, am_error *err) {
    size_t lost = 0, N = b->equations.size + 1;
    bool found;
    am_continuation_options options = am_backbone_curve_options(b);
    options.tolerance = fmax(options.tolerance, 1e-6); /* for a picture */
    AM_TRY(am_traced_draw(&t->followed, &t->drawn, b->equations.curve, &b->equations.problem, &options,
                          b->progress->preview, &found, &lost, err));
    if (!found)
        return AM_OK;
    for (size_t i = 0; i < t->drawn.count; i++) {
        const double *y = am_traced_point(&t->drawn, i);
        const am_continuation_point at = {.x = y, .p = y[N], .residual = y[N + 1]};
        const am_continuation_special usual = {"regular", true};
        b->branches = t->drawn.piece[i] - 1;
        AM_TRY(am_backbone_add(b, &at, &usual, err));
        b->point[i].nonlinear = b->point[i].damping = NAN;
        b->point[i].withheld = "a preview: not judged yet";
    }
    AM_TRY(am_backbone_preview_table(b, result, err));
    am_result_set_counts(result, AM_NAMED({"points", b->count}, {"harmonics", b->H}, {"preview_lost", lost}));
    am_result_set_flag(result, "preview", true, NULL);
    return am_result_status(result, err);
}

am_status am_backbone_preview(am_backbone *b, am_result *result, bool *drawn, am_error *err) {
    traced *t = am_trace_to_preview(b->progress, analysis);
    *drawn = false;
    if (!fits(b, t))
        return AM_OK;
    b->whole = t->whole;
    AM_TRY(am_backbone_open(b, t->harmonics, err));
    AM_TRY(am_backbone_linear_mode(b, err));
    if (b->equations.size + 1 == t->followed.n && b->n == t->n)
        AM_TRY(correct(b, t, result, err));
    *drawn = b->count > 0;
    return AM_OK;
}
