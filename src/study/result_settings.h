/* What docs/quantities.md asks of a study before a name is there: "stability with threshold", "map with final". */
#ifndef AMONTONS_STUDY_RESULT_SETTINGS_H
#define AMONTONS_STUDY_RESULT_SETTINGS_H
#include "study/analyses.h"
#include "system/system.h"

typedef struct am_result_settings {
    const am_system *system;
    const am_node *model, *options, *axes; /* what the study gives; NULL: nothing. Axes of a sweep give fields, too */
    const am_analysis_kind *kind;          /* NULL: a sweep, or an orbit that is followed */
} am_result_settings;

/* Has the place (an analysis, a table) the name, with these settings? */
bool am_result_settings_hold(const am_result_settings *given, const char *list, const char *place);

#endif
