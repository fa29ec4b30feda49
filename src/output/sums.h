/* SHA256SUMS: the checksum of every file of a result, as `sha256sum` writes and checks them, and as comments their
 * sizes.
 */
#ifndef AMONTONS_OUTPUT_SUMS_H
#define AMONTONS_OUTPUT_SUMS_H
#include <stddef.h>

#include "amontons/error.h"
#include "base/arena.h"
#include "base/sha256.h"

extern const char am_sums_name[];

typedef struct am_sum {
    const char *name; /* of the file */
    uint64_t size;    /* in bytes; 0: not known */
    char text[AM_SHA256_TEXT];
} am_sum;

/* Begins as {0}. */
typedef struct am_sums {
    am_sum *files;
    size_t count;
    am_arena memory; /* of the names */
} am_sums;

void am_sums_clear(am_sums *sums);

/* NULL: there is none of this file. */
const am_sum *am_sums_find(const am_sums *sums, const char *name);

/* One more file, or another sum of it. `sum` is ended by this. */
am_status am_sums_add(am_sums *sums, const char *name, am_sha256 *sum, am_error *err);

/* A sum of another list takes the place of that of the same file. */
am_status am_sums_replace(am_sums *sums, const am_sum *by, am_error *err);

/* The text of the file, the caller's (am_memory_free). */
char *am_sums_write(const am_sums *sums, am_error *err);

/* What such a text holds, added; AM_ERR_INPUT when a line is none of it. */
am_status am_sums_read(am_sums *sums, const char *text, am_error *err);

/* The sum of a file in an open folder: 0 or errno. Only of regular files; links are followed. */
int am_sums_of_file(int folder, const char *name, am_sha256 *sum);

#endif
