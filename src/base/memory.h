/* Checked allocation. All memory of the library comes from here, so that sizes cannot overflow and tests can make it
 * fail. */
#ifndef AMONTONS_BASE_MEMORY_H
#define AMONTONS_BASE_MEMORY_H
#include <stddef.h>

#include "amontons/error.h"

/* `count` zeroed items of `size` bytes; NULL with err filled when there is no memory. count = 0 gives a valid pointer.
 */
void *am_memory_new(size_t count, size_t size, am_error *err);

/* The array `double *x`, given as &x, grows (or shrinks) to `count` items; on failure it is unchanged. New items are not
 * zeroed. */
#define am_memory_resize(array, count, err) am_memory_resize_items((array), (count), sizeof **(array), (err))

/* Space for at least `count` items in an array that has it for *capacity: nothing happens, or it doubles at least. */
#define am_memory_reserve(array, capacity, count, err)                                                                 \
    am_memory_reserve_items((array), (capacity), (count), sizeof **(array), (err))

/* The same for items of any size; `array` is the address of a pointer to objects of any type. */
am_status am_memory_resize_items(void *array, size_t count, size_t size, am_error *err);
am_status am_memory_reserve_items(void *array, size_t *capacity, size_t count, size_t size, am_error *err);

/* Copies; NULL text gives NULL only on failure (a NULL text copies ""). */
char *am_memory_text(const char *text, am_error *err);
double *am_memory_doubles(const double *values, size_t count, am_error *err); /* NULL values: zeros */

void am_memory_free(void *pointer);

/* The same, of the pointer that `place` is the address of (base/local.h). */
void am_memory_free_at(void *place);

#endif
