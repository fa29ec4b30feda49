/* Long work: it begins at once, tells how far it is, and ends when nobody follows it any more. */
#ifndef AMONTONS_LAB_JOBS_H
#define AMONTONS_LAB_JOBS_H
#include <stdint.h>

#include "lab/team.h"

typedef struct am_lab_jobs am_lab_jobs;
typedef struct am_lab_job am_lab_job;

/* Called with whoever follows a job when there is something to be read for him, or when another has taken his place
 * (`replaced`): then he must not ask for the job any more. */
typedef void am_lab_wake(void *follower, bool replaced);

/* `patience`: seconds that a request may take to come; jobs wait in proportion to it. */
am_lab_jobs *am_lab_jobs_create(am_lab_team *team, double patience, am_lab_wake *wake, am_error *err);
void am_lab_jobs_free(am_lab_jobs *jobs);

am_status am_lab_jobs_start(am_lab_jobs *jobs, const am_lab_order *order, uint64_t *number, am_error *err);
am_lab_job *am_lab_jobs_find(am_lab_jobs *jobs, uint64_t number); /* NULL: there is none, or it is forgotten */
void am_lab_jobs_cancel(am_lab_jobs *jobs, am_lab_job *job);

/* Events from the last one on that tells of something new: progress, part and end are said again to a new follower.
 * There is one follower; a new one takes the place of an older one. */
void am_lab_job_follow(am_lab_job *job, void *follower);
void am_lab_job_leave(am_lab_job *job, void *follower);

/* Events as text, up to `most` bytes. Zero: nothing now. *ended: nothing will come any more. */
size_t am_lab_job_read(am_lab_job *job, char *bytes, size_t most, bool *ended);

/* What came of it; NULL: it has not ended. */
const am_lab_answer *am_lab_job_answer(const am_lab_job *job);

/* Ends jobs that nobody has followed for a while, forgets those that ended, wakes followers now and then so that
 * connections which are gone are noticed. */
void am_lab_jobs_turn(am_lab_jobs *jobs);
size_t am_lab_jobs_count(const am_lab_jobs *jobs);

#endif
