/* Which names the results of a study can have is known before it runs: docs/quantities.md defines them all. */
#ifndef AMONTONS_STUDY_RESULT_NAMES_H
#define AMONTONS_STUDY_RESULT_NAMES_H
#include "study/study.h"

/* Columns, expectations and outputs that say a coordinate by its label in other words than its name ("node 51 z", "v_51.z",
 * a set of one node) say its name from now on; in the path of an axis or of what varies (`over`) the words of that path,
 * which are the column's name. */
am_status am_result_names_spell(am_reading *reading, am_study_setting *setting, const am_node *root,
                                const am_case *made);

/* Does everything that `sweep`, `figure` and `expect` name exist, as far as can be known? AM_ERR_INPUT at the first
 * name that no result of this study has. Rows of tables are only known afterwards. */
am_status am_result_names_check(am_reading *reading, const am_study_setting *setting, const am_node *root,
                                const am_case *made);

/* Does the analysis name this coordinate or velocity under `starts`, so that tables of starts have a column of it? Points
 * without a box are spread over all of them. */
bool am_result_names_start(const am_node *analysis, const char *name);

/* Names that a study gives to coordinates and contacts become names of columns: no two of a table may be the same.
 * AM_ERR_INPUT at the name of a coordinate or contact with which a table, or the summary, would have a name twice, and
 * at the second of two contacts with one name. */
am_status am_name_clashes_check(am_reading *reading, const am_study_setting *setting, const am_node *root,
                                const am_case *made);

#endif
