/* Files that a study names: where they may lie, and which they were. */
#ifndef AMONTONS_STUDY_FILES_H
#define AMONTONS_STUDY_FILES_H
#include <stdbool.h>

#include "study/node.h"

/* Where the files of a study may lie: in the folder of the study file or below it, and in or below those that whoever
 * runs it allows besides. Links are followed before this is judged. A file that whoever runs the study names himself
 * (--set) may lie anywhere. See docs/security.md. */
typedef struct am_files {
    const char *folder; /* of the study file: names are relative to it */
    size_t allowed_count;
    const char *const *allowed;
} am_files;

/* The files that were opened while a study was read, each once, in the order of the study. */
typedef struct am_named_files {
    size_t count;
    const char **paths; /* in the study's pool */
} am_named_files;

struct am_reading;

/* The path of a file that the study names at `node`, in the pool; it is noted in reading->named, if that is asked for.
 * NULL with err filled when it must not be read (AM_ERR_INPUT at the node). That it exists is for the reader to find
 * out. */
const char *am_files_path(struct am_reading *reading, const am_node *node, const char *name);

/* Does it lie in the folder or below it, after links were followed? Of a file that is not there its folder counts. */
bool am_files_is_below(const char *folder, const char *path);

#endif
