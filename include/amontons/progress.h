/* Progress and cancellation of long work. The caller owns the struct; pass NULL where neither is wanted. */
#ifndef AMONTONS_PROGRESS_H
#define AMONTONS_PROGRESS_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/team.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_progress {
    /* Called now and then with the fraction done in [0, 1]; never by two threads at once.
     * Returns false to stop the work, which then ends with AM_ERR_INTERRUPTED. */
    bool (*report)(void *context, double fraction);
    void *context;
    int threads; /* how many threads the work may use; 0: as many as the machine has */
    /* Work that consists of points: how many are done, how many there are, how many of them failed. May be NULL. Called
     * like `report`, just before it. */
    void (*count)(void *context, size_t done, size_t all, size_t failed);
    const am_team *team; /* other processes that share the work; NULL: none. Sweeps know them */
    const char *folder;  /* where long work may keep what it would have to do again; NULL: nowhere */
} am_progress;

/* True while the work should go on. progress may be NULL (always true). */
AM_API bool am_progress_report(const am_progress *progress, double fraction);

/* The number of threads to use: at least 1. progress may be NULL (1 thread). */
AM_API int am_progress_threads(const am_progress *progress);

#ifdef __cplusplus
}
#endif
#endif
