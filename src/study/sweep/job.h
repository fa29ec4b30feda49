/* A sweep that runs. run_points.c shares its points among threads and members of a team; probe.c finds out, before, what they
 * give. */
#ifndef AMONTONS_STUDY_SWEEP_JOB_H
#define AMONTONS_STUDY_SWEEP_JOB_H
#include <stdatomic.h>

#include "study/sweep/points.h"
#include "study/sweep/worker.h"

/* A point that the probe ran. */
typedef struct am_sweep_early {
    size_t point;
    am_result *result; /* NULL: none */
} am_sweep_early;

typedef struct am_sweep_job {
    const am_sweep_setting *sweep;
    const am_node *root;
    const am_sweep_place *place;
    const am_progress *progress;
    const am_team *team;
    am_sweep_record *record;
    size_t threads;
    am_sweep_worker **workers; /* one per thread, opened when it first has something to do */
    /* Found by the probe, entered when their turn comes: points below `probed` that failed, and one per thread that did
     * not. */
    size_t probed;
    const uint32_t *probed_failures; /* the record's; NULL: none */
    am_sweep_early *early;
    /* the points to run now */
    uint32_t *todo;
    size_t count, at_once;
    atomic_size_t taken; /* a team of one counts itself */
    atomic_bool stop;
} am_sweep_job;

/* The calling thread's worker; NULL with err filled. */
am_sweep_worker *am_sweep_job_worker(am_sweep_job *job, size_t thread, am_error *err);

/* `work` by each thread at the same time; a failure of one stops the others, and is the outcome (an interruption only
 * where nothing else failed). */
typedef am_status am_sweep_work(am_sweep_job *job, void *context, size_t thread, am_error *err);
am_status am_sweep_job_share(am_sweep_job *job, am_sweep_work *work, void *context, am_error *err);

/* Runs points, in their order and as many at a time as there are threads, until one succeeds. It tells which outputs
 * there are: names them in the record. AM_ERR_INPUT when the study asks for outputs or tables that do not exist, or for
 * more of them than memory holds. */
am_status am_sweep_probe(am_sweep_job *j, am_error *err);

#endif
