/* How every analysis begins and ends. */
#ifndef AMONTONS_ANALYSES_ANALYSIS_H
#define AMONTONS_ANALYSES_ANALYSIS_H
#include "amontons/result.h"
#include "base/watch.h"

/* Options carry the cookie of am_<analysis>_options_default(): those that do not were never filled. */
am_status am_options_check(int cookie, int own, const char *analysis, am_error *err);

/* Begins to watch work that fills a result. given: everything that the function needs besides is there; if not, or
 * without a result, it was misused. */
am_status am_analysis_begin(am_watch *watch, bool given, const am_result *result, const am_progress *progress,
                            const char *function, am_error *err);

/* The end of watched work that filled a result: its status, or the first failure of filling (am_result_status). */
am_status am_analysis_end(am_watch *watch, const am_result *result, am_status status, am_error *err);

#endif
