/* `follow:` of a study: its orbit along one of its numbers. */
#ifndef AMONTONS_STUDY_ANALYSES_FOLLOWING_H
#define AMONTONS_STUDY_ANALYSES_FOLLOWING_H
#include "amontons/orbit.h"
#include "amontons/result.h"
#include "study/case.h"

typedef struct am_follow_setting {
    const char *parameter; /* path; NULL: the study follows nothing */
    am_follow_options options;
} am_follow_setting;

extern const am_schema am_follow_schema;

/* Before the run: the analysis must be orbit, and both ends sound studies. */
am_status am_follow_check(am_reading *reading, const am_follow_setting *follow, const am_node *root,
                          const am_case *made);

/* Tables `branch`, `bifurcations`; see include/amontons/orbit.h. */
am_status am_follow_study(const am_follow_setting *follow, const am_node *root, const am_case *made, am_result *result,
                          const am_progress *progress, am_error *err);

#endif
