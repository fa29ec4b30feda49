/* Which names the results of a study can have is known before it runs: docs/quantities.md defines them all. */
#ifndef AMONTONS_STUDY_RESULT_NAMES_H
#define AMONTONS_STUDY_RESULT_NAMES_H
#include "study/study.h"

/* Does everything that `sweep`, `figure` and `expect` name exist, as far as can be known? AM_ERR_INPUT at the first
 * name that no result of this study has. Rows of tables are only known afterwards, and so are the columns of what has a
 * prefix that is not the name of an analysis. */
am_status am_result_names_check(am_reading *reading, const am_study_setting *setting, const am_node *root,
                                const am_case *made);

#endif
