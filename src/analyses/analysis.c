#include "analyses/analysis.h"

am_status am_options_check(int cookie, int own, const char *analysis, am_error *err) {
    if (cookie != own)
        return am_fail(err, AM_ERR_INPUT, "options of `%s` must come from am_%s_options_default()", analysis, analysis);
    return AM_OK;
}

am_status am_analysis_end(am_watch *watch, const am_result *result, am_status status, am_error *err) {
    return am_watch_end(watch, status ? status : am_result_status(result, err), err);
}
