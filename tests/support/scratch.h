/* A folder of a test's own, and what a sweep keeps in it. */
#ifndef AMONTONS_TESTS_SCRATCH_H
#define AMONTONS_TESTS_SCRATCH_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/result.h"

/* Setup and teardown of cmocka. */
int make_scratch(void **state);
int remove_scratch(void **state);

/* A folder with everything in it, or a file. */
void remove_tree(const char *path);

/* "<scratch>/<name>"; lives until the fourth call after. */
const char *in_scratch(const char *name);

void write_scratch(const char *name, const char *text);

/* Paths of the parts in <scratch>/<results>/sweep-parts: how many there are, the first of them in `first` (may be
 * NULL).
 */
size_t parts_in(const char *results, char first[1024]);

/* Nothing is left of the folder with the parts. */
bool has_no_parts(const char *results);

/* Tables, columns, texts and every bit of the numbers. */
void assert_same_results(const am_result *a, const am_result *b);

#endif
