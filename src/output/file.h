/* Files written with every byte accounted for, and the hidden folder results wait in until they are all complete. */
#ifndef AMONTONS_OUTPUT_FILE_H
#define AMONTONS_OUTPUT_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "amontons/error.h"

/* A file being written. The first failure is remembered and reported when it is closed. */
typedef struct am_output_file {
    FILE *stream;
    const char *shown; /* the path messages name; borrowed */
    int reason;        /* errno of the first failure */
} am_output_file;

am_status am_output_file_open(am_output_file *file, const char *path, const char *shown, am_error *err);
void am_output_file_write(am_output_file *file, const char *bytes, size_t count);
void am_output_file_settle(am_output_file *file); /* what was written is on the disk, even if the power fails now */
am_status am_output_file_close(am_output_file *file, am_error *err); /* also when writing failed */

/* "folder/name", the caller's (am_memory_free). */
char *am_output_path(const char *folder, const char *name, am_error *err);

bool am_output_is_file(const char *folder, const char *name); /* a regular file is there */

/* The whole of a text file, zero-terminated; NULL (err filled) when it cannot be read or is longer than `limit` bytes.
 */
char *am_output_read(const char *path, size_t limit, am_error *err);

/* Makes a folder and the folders above it. */
am_status am_output_make_folder(const char *folder, am_error *err);

/* Files that appear in `folder` together or not at all. They are written in a hidden folder inside it and moved into
 * place by commit. */
typedef struct am_staging am_staging;

am_staging *am_staging_open(const char *folder, am_error *err); /* the folder exists */
const char *am_staging_folder(const am_staging *staging);       /* the hidden folder */

/* Opens `name` in the hidden folder; messages show the path it will have. */
am_status am_staging_begin(am_staging *staging, const char *name, am_output_file *file, am_error *err);

/* A complete file at once. */
am_status am_staging_write(am_staging *staging, const char *name, const void *bytes, size_t count, am_error *err);

/* Moves the named files into place, in this order, after taking away `stale` ones (both NULL-terminated; stale may be
 * NULL). On failure the folder is as it was. */
am_status am_staging_commit(am_staging *staging, char *const *names, char *const *stale, am_error *err);

/* Removes the hidden folder with everything left in it. */
void am_staging_close(am_staging *staging);

#endif
