/* What workers do: one order, one answer. */
#ifndef AMONTONS_LAB_WORK_H
#define AMONTONS_LAB_WORK_H
#include "lab/options.h"
#include "lab/order.h"

/* Statuses of HTTP that the lab uses. */
enum {
    AM_LAB_OK = 200,
    AM_LAB_BAD = 400,
    AM_LAB_FORBIDDEN = 403,
    AM_LAB_NOT_FOUND = 404,
    AM_LAB_WRONG_METHOD = 405,
    AM_LAB_CHANGED = 409,
    AM_LAB_TOO_LARGE = 413,
    AM_LAB_REFUSED = 422, /* a study that is invalid */
    AM_LAB_FAILED = 500,  /* a computation that failed */
    AM_LAB_BUSY = 503
};

/* Where they work: `scratch` is an empty folder, the worker's own, and where it stands when an order names no folder. */
typedef struct am_lab_bench {
    const am_lab_options *options;
    const char *scratch;
} am_lab_bench;

/* Never fails: what went wrong is an answer as well. `answer` is empty before. */
void am_lab_work(const am_lab_bench *bench, const am_lab_order *order, const am_progress *progress,
                 am_lab_answer *answer);

/* What a sweep has got so far, as JSON. */
void am_lab_show_part(const am_lab_order *order, am_result *result, am_lab_answer *answer);

/* {"error": {...}} with the status that goes with it. */
void am_lab_refuse(am_lab_answer *answer, unsigned status, const am_error *why);

#endif
