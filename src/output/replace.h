/* Files of bytes that are replaced as a whole: what a long run reads again when it goes on. */
#ifndef AMONTONS_OUTPUT_REPLACE_H
#define AMONTONS_OUTPUT_REPLACE_H
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Written aside, then renamed: the file holds the old bytes or the new ones, never a part, even if the power fails. */
am_status am_output_replace(const char *path, const void *bytes, size_t count, am_error *err);

/* Its bytes, added to `text`; *found is false when there is no such file. */
am_status am_output_read_whole(const char *path, am_text *text, bool *found, am_error *err);

/* Removes it, if it is there. */
void am_output_remove(const char *path);

/* Calls `visit` with the name of everything in a folder, in no certain order, until it fails. No folder: nothing. */
typedef am_status am_output_visit(void *context, const char *name, am_error *err);
am_status am_output_list(const char *folder, am_output_visit *visit, void *context, am_error *err);

/* Removes the files whose names begin with one of these (NULL-terminated), then the folder if nothing else is in it. */
am_status am_output_remove_folder(const char *folder, const char *const *beginnings, am_error *err);

#endif
