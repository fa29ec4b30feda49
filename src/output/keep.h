/* One file of bytes that is replaced as a whole: what a long run wants to find again. */
#ifndef AMONTONS_OUTPUT_KEEP_H
#define AMONTONS_OUTPUT_KEEP_H
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Written aside, then renamed: the file holds the old bytes or the new ones, never a part. */
am_status am_output_keep(const char *path, const void *bytes, size_t count, am_error *err);

/* Its bytes, added to `text`; *found is false when there is no such file. */
am_status am_output_recall(const char *path, am_text *text, bool *found, am_error *err);

#endif
