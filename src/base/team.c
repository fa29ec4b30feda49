#include "amontons/progress.h"

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
