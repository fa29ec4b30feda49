/* Names that a study gives to coordinates and contacts become names of columns: no two of a table may be the same. */
#ifndef AMONTONS_STUDY_NAME_CLASHES_H
#define AMONTONS_STUDY_NAME_CLASHES_H
#include "study/study.h"

/* AM_ERR_INPUT at the name of a coordinate or contact with which a table, or the summary, would have a name twice, and
 * at the second of two contacts with one name. */
am_status am_name_clashes_check(am_reading *reading, const am_study_setting *setting, const am_node *root,
                                const am_case *made);

#endif
