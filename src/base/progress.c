#include "amontons/result.h"

#include <stddef.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/watch.h"

bool am_progress_report(const am_progress *progress, double fraction) {
    am_watch_note(progress, fraction);
    return !progress || !progress->report || progress->report(progress->context, fraction);
}

int am_progress_threads(const am_progress *progress) {
    if (!progress)
        return 1;
    if (progress->threads > 0)
        return progress->threads;
#ifdef _OPENMP
    return omp_get_num_procs();
#else
    return 1;
#endif
}

size_t am_team_rank(const am_team *team) {
    return team ? team->rank : 0;
}

size_t am_team_size(const am_team *team) {
    return team ? team->size : 1;
}

void am_team_meet(const am_team *team) {
    if (team && team->meet)
        team->meet(team->context);
}

void am_team_merge(const am_team *team, void *bytes, size_t count) {
    if (team && team->merge)
        team->merge(team->context, bytes, count);
}
