/* Processes that share one piece of work: the ranks of an MPI job, or whatever else a program starts several of. The
 * library only asks for the three things below; who provides a team knows how (the command does, with MPI). All members
 * see the same folder of files. */
#ifndef AMONTONS_TEAM_H
#define AMONTONS_TEAM_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
