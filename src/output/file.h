/* Files written with every byte accounted for, and the hidden folder results wait in until they are all complete. */
#ifndef AMONTONS_OUTPUT_FILE_H
#define AMONTONS_OUTPUT_FILE_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/output.h"
#include "base/sha256.h"
#include "base/text.h"
#include "output/sums.h"

/* A file being written. The first failure is remembered and reported when it is closed. `sum` is that of the bytes that
 * were meant, complete once it is closed. */
typedef struct am_output_file {
    int descriptor;
    const char *shown; /* the path messages name; borrowed */
    int reason;        /* errno of the first failure */
    am_sha256 sum;
    size_t held; /* bytes that wait in the buffer */
    char buffer[16384];
} am_output_file;

am_status am_output_file_open(am_output_file *file, const char *path, const char *shown, am_error *err);
am_status am_output_file_open_at(am_output_file *file, int folder, const char *path, const char *shown, am_error *err);
void am_output_file_write(am_output_file *file, const char *bytes, size_t count);
/* A text that has grown to so many bytes goes into the file and is empty then. A failure of the text stays in it. */
enum { AM_OUTPUT_CHUNK = 1 << 18 };
void am_output_file_move(am_output_file *file, am_text *text, size_t least);
void am_output_file_settle(am_output_file *file); /* what was written is on the disk, even if the power fails now */
am_status am_output_file_close(am_output_file *file, am_error *err); /* also when writing failed */

/* "folder/name", the caller's (am_memory_free). */
char *am_output_path(const char *folder, const char *name, am_error *err);

/* The same as an argument, valid to the end of the block; "" without a folder, and where it is longer than a
 * system takes. */
enum { AM_LONGEST_PATH = 4096 };
#define AM_OUTPUT_PATH(folder, name) am_output_path_in((char[AM_LONGEST_PATH]){0}, (folder), (name))
const char *am_output_path_in(char path[AM_LONGEST_PATH], const char *folder, const char *name);

bool am_output_is_file(const char *folder, const char *name); /* a regular file is there */

/* The whole of a text file, zero-terminated; NULL (err filled) when it cannot be read or is longer than `limit` bytes.
 */
char *am_output_read(const char *path, size_t limit, am_error *err);

/* Makes a folder and the folders above it. */
am_status am_output_make_folder(const char *folder, am_error *err);

/* Files that appear in a folder together or not at all. They are written in a hidden folder inside it and take their
 * places in one instant by commit. What earlier runs left there unfinished is put in order first. */
typedef struct am_staging am_staging;

/* In a folder that is claimed; *staging is NULL on failure. */
am_status am_staging_open(am_staging **staging, const am_claim *claim, am_error *err);
const char *am_staging_folder(const am_staging *staging);  /* the hidden folder */
const am_sums *am_staging_sums(const am_staging *staging); /* of the files that are complete */

/* Opens `name` in the hidden folder; messages show the path it will have. End closes it also when `written` is a
 * failure, which it returns. */
am_status am_staging_begin(am_staging *staging, const char *name, am_output_file *file, am_error *err);
am_status am_staging_end(am_staging *staging, const char *name, am_output_file *file, am_status written, am_error *err);

/* A complete file at once. */
am_status am_staging_write(am_staging *staging, const char *name, const void *bytes, size_t count, am_error *err);

/* A file that another program made in the hidden folder. */
am_status am_staging_adopt(am_staging *staging, const char *name, am_error *err);

/* The named files take their places and the `stale` ones go (both NULL-terminated; stale may be NULL): at every
 * instant, also when the program or the power ends in the midst of it, all older files are there or all new ones. All
 * is on the disk when it returns. On failure the folder is as it was. */
am_status am_staging_commit(am_staging *staging, char *const *names, char *const *stale, am_error *err);

/* Removes the hidden folder with everything left in it. */
void am_staging_close(am_staging *staging);

#endif
