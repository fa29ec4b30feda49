/* Progress and cancellation of long work. The caller owns the struct; pass NULL where neither is wanted. */
#ifndef AMONTONS_PROGRESS_H
#define AMONTONS_PROGRESS_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Processes that share one piece of work: the ranks of an MPI job, or whatever else a program starts several of. The
 * library only asks for the three things below; who provides a team knows how (the command does, with MPI). All members
 * see the same folder of files. */

typedef struct am_team {
    size_t rank, size; /* rank 0 .. size - 1; member 0 tells and writes results */
    void *context;
    /* The next number of a counter that all members share: 0, 1, 2, ... Called by one thread of a member at a time. */
    size_t (*next)(void *context);
    /* Returns when all members have called it; the counter then begins at 0 again. One thread, the first. */
    void (*meet)(void *context);
    /* Every member has filled other parts of `count` bytes, and zeros elsewhere: afterwards all have all of them.
     * Called by all members, by one thread each. */
    void (*merge)(void *context, void *bytes, size_t count);
    double patience; /* seconds until a file that a member has written is seen by all; 0: 90, enough for NFS */
} am_team;

/* A member that fails returns without meeting the others: whoever started the team ends it then. NULL is a team of one.
 */
AM_API size_t am_team_rank(const am_team *team);
AM_API size_t am_team_size(const am_team *team);
AM_API void am_team_meet(const am_team *team);
AM_API void am_team_merge(const am_team *team, void *bytes, size_t count);

/* ---------------------------------------------------------------------------------------------------------------- */

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
