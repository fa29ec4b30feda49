/* One thread's tools for the points of a sweep: the study's tree, its model with the numbers that are axes, and what
 * points with one system can share (the engines of their analyses). The result of a point does not depend on the points
 * before it. */
#ifndef AMONTONS_STUDY_SWEEP_WORKER_H
#define AMONTONS_STUDY_SWEEP_WORKER_H
#include "study/sweep/grid.h"

typedef struct am_sweep_worker {
    const am_files *files;        /* where files of the study may lie */
    bool (*go_on)(void *context); /* asked while a point runs; false: stop */
    void *context;
    am_grid grid;
    am_model *model;
    size_t axis_count, axis[AM_SWEEP_AXES]; /* of its first numbers */
    am_arena passing;                       /* of one point */
    size_t kept_count;                      /* analyses */
    am_kept *kept;                          /* by them, with the present system */
    am_result *result;
} am_sweep_worker;

/* NULL with err filled. */
am_sweep_worker *am_sweep_worker_open(const am_sweep_setting *sweep, const am_node *root, const am_files *files,
                                      bool (*go_on)(void *context), void *context, am_error *err);
void am_sweep_worker_close(am_sweep_worker *worker);

/* Run one point; worker->result is its result, until the next. A failure of the point itself, in `reason`, is no
 * failure of the sweep. `all`: with all tables, not only those that the sweep keeps. */
am_status am_sweep_worker_run(am_sweep_worker *worker, size_t point, bool all, am_error *reason);

/* Begin one analysis of a point for what it says against its input: reason. */
void am_sweep_worker_begin(am_sweep_worker *worker, size_t point, size_t analysis, am_error *reason);

#endif
