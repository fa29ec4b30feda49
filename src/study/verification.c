/* Results of a folder, and the points of a sweep under way. */
#include <stdio.h>
#include <string.h>

#include "base/object.h"
#include "study/study.h"
#include "study/sweep/points.h"

typedef struct found {
    size_t parts, damaged;
    am_output_finding *report;
    void *context;
} found;

static void count_part(void *context, const char *name, bool whole) {
    found *f = context;
    char path[300];
    f->parts++;
    f->damaged += !whole;
    snprintf(path, sizeof path, "sweep-parts/%.200s", name);
    if (!whole)
        f->report(f->context, path, "changed, or half-written: its points will be computed again", true);
}

am_status am_study_verify(const char *folder, am_output_finding *report, void *context, bool *whole, am_error *err) {
    if (!report)
        return am_misused(err, __func__);
    am_error own = {0};
    am_status status = am_output_verify(folder, report, context, whole, &own);
    found f = {.report = report, .context = context};
    am_status looked =
        status == AM_OK || status == AM_ERR_INPUT ? am_sweep_parts_verify(folder, count_part, &f, &own) : status;
    bool under_way = looked == AM_OK && f.parts > 0;
    if (under_way && status == AM_OK && *whole)
        report(context, "sweep-parts", "points of a sweep that is not finished, beside results", false);
    if (under_way && status == AM_ERR_INPUT)
        report(context, "sweep-parts", "points of a sweep that is not finished: the same command goes on from them",
               true);
    if (under_way && status == AM_ERR_INPUT)
        status = AM_OK;
    *whole = *whole && f.damaged == 0;
    if (looked != AM_OK && status == AM_OK)
        status = looked;
    if (status != AM_OK && err)
        *err = own;
    return status;
}
