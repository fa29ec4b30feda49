/* Checked allocation. All memory of the library comes from here, so that sizes cannot overflow and tests can make it
 * fail. */
#ifndef AMONTONS_BASE_MEMORY_H
#define AMONTONS_BASE_MEMORY_H
#include <stddef.h>

#include "amontons/error.h"

/* `count` zeroed items of `size` bytes; NULL with err filled when there is no memory. count = 0 gives a valid pointer.
 */
void *am_memory_new(size_t count, size_t size, am_error *err);

/* Grow (or shrink) to `count` items; on failure *pointer is unchanged. New items are not zeroed. */
am_status am_memory_resize(void **pointer, size_t count, size_t size, am_error *err);

/* Copies; NULL text gives NULL only on failure (a NULL text copies ""). */
char *am_memory_text(const char *text, am_error *err);
double *am_memory_doubles(const double *values, size_t count, am_error *err); /* NULL values: zeros */

void am_memory_free(void *pointer);

#endif
