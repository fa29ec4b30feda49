#include "analyses/analysis.h"

#include "base/object.h"

am_status am_options_check(int cookie, int own, const char *analysis, am_error *err) {
    if (cookie != own)
        return am_fail(err, AM_ERR_INPUT, "options of `%s` must come from am_%s_options_default()", analysis, analysis);
    return AM_OK;
}

am_status am_analysis_begin(am_watch *watch, bool given, const am_result *result, const am_progress *progress,
                            const char *function, am_error *err) {
    if (!given || !am_is(result, AM_TAG_RESULT))
        return am_misused(err, function);
    am_watch_begin(watch, progress);
    return AM_OK;
}

am_status am_analysis_end(am_watch *watch, const am_result *result, am_status status, am_error *err) {
    return am_watch_end(watch, status ? status : am_result_status(result, err), err);
}
