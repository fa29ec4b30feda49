#include "base/trace.h"

#include <string.h>

#include "base/memory.h"
#include "base/object.h"

struct am_trace {
    uint64_t tag;         /* AM_TAG_TRACE */
    const char *analysis; /* whose the object is */
    void *object;         /* NULL: empty */
    void (*release)(void *object);
};

am_trace *am_trace_create(am_error *err) {
    am_trace *trace = am_memory_new(1, sizeof *trace, err);
    if (trace)
        trace->tag = AM_TAG_TRACE;
    return trace;
}

void am_trace_free(am_trace *trace) {
    if (!am_is(trace, AM_TAG_TRACE))
        return;
    if (trace->object)
        trace->release(trace->object);
    am_object_bury(trace, sizeof *trace);
}

static am_trace *trace_of(const am_progress *progress) {
    return progress && am_is(progress->trace, AM_TAG_TRACE) ? progress->trace : NULL;
}

void am_trace_put(const am_progress *progress, const char *analysis, void *object, void (*release)(void *object)) {
    am_trace *trace = trace_of(progress);
    if (!trace) {
        release(object);
        return;
    }
    if (trace->object)
        trace->release(trace->object);
    *trace = (am_trace){AM_TAG_TRACE, analysis, object, release};
}

void *am_trace_to_preview(const am_progress *progress, const char *analysis) {
    const am_trace *trace = trace_of(progress);
    bool own = trace && progress->preview > 0 && trace->object && strcmp(trace->analysis, analysis) == 0;
    return own ? trace->object : NULL;
}
