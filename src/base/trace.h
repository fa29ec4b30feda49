/* Inside of am_trace: what an analysis leaves of its branches, known to that analysis alone. */
#ifndef AMONTONS_BASE_TRACE_H
#define AMONTONS_BASE_TRACE_H
#include "amontons/result.h"

/* Is somebody going to take the branches down? */
static inline bool am_trace_is_wanted(const am_progress *progress) {
    return progress && progress->trace;
}

/* `object` is in the trace from now on, and what was there is released. Without a trace it is released itself. */
void am_trace_put(const am_progress *progress, const char *analysis, void *object, void (*release)(void *object));

/* What this analysis has left, where a preview is asked for; NULL: nothing, or none is. It stays the trace's. */
void *am_trace_to_preview(const am_progress *progress, const char *analysis);

#endif
