/* Files that a study names: where they may lie, and which they were. */
#ifndef AMONTONS_STUDY_FILES_H
#define AMONTONS_STUDY_FILES_H
#include <stdbool.h>

#include "study/reading.h"

/* The path of a file that the study names at `node`, in the pool; it is noted in reading->named, if that is asked for.
 * NULL with err filled when it must not be read (AM_ERR_INPUT at the node). That it exists is for the reader to find
 * out. */
const char *am_files_path(am_reading *reading, const am_node *node, const char *name);

/* Does it lie in the folder or below it, after links were followed? Of a file that is not there its folder counts. */
bool am_files_is_below(const char *folder, const char *path);

#endif
