#include "base/memory.h"
#include "base/try.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* So much comes from what the C library keeps for each thread, at a fifth of the cost; its calloc does not look there. */
enum { SMALL = 1024 };

/* Apart, because compilers make calloc of malloc and memset. */
__attribute__((noinline)) static void *clear(void *piece, size_t bytes) {
    return memset(piece, 0, bytes);
}

void *am_memory_new(size_t count, size_t size, am_error *err) {
    bool small = count > 0 && size > 0 && count <= SMALL / size;
    void *p = small ? malloc(count * size)
                    : calloc(count > 0 ? count : 1, size > 0 ? size : 1); /* calloc checks the product for overflow */
    if (!p)
        am_fail(err, AM_ERR_MEMORY, "out of memory: %zu items of %zu bytes were needed", count, size);
    return p && small ? clear(p, count * size) : p;
}

/* The pointer is copied byte by byte: pointers to objects look alike on every machine with POSIX, but one may not be read
 * as if it had another type. */
am_status am_memory_resize_items(void *array, size_t count, size_t size, am_error *err) {
    if (size > 0 && count > SIZE_MAX / size)
        return am_fail(err, AM_ERR_MEMORY, "out of memory: %zu items of %zu bytes were needed", count, size);
    size_t bytes = count * size;
    void *items;
    memcpy(&items, array, sizeof items);
    items = realloc(items, bytes > 0 ? bytes : 1);
    if (!items)
        return am_fail(err, AM_ERR_MEMORY, "out of memory: %zu items of %zu bytes were needed", count, size);
    memcpy(array, &items, sizeof items);
    return AM_OK;
}

am_status am_memory_reserve_items(void *array, size_t *capacity, size_t count, size_t size, am_error *err) {
    if (count <= *capacity)
        return AM_OK;
    size_t wanted = *capacity < 8 ? 16 : 2 * *capacity; /* cannot overflow: there are so many items already */
    wanted = wanted > count ? wanted : count;
    AM_TRY(am_memory_resize_items(array, wanted, size, err));
    *capacity = wanted;
    return AM_OK;
}

char *am_memory_text(const char *text, am_error *err) {
    const char *from = text ? text : "";
    size_t length = strlen(from) + 1;
    char *copy = am_memory_new(length, 1, err);
    if (copy)
        memcpy(copy, from, length);
    return copy;
}

double *am_memory_doubles(const double *values, size_t count, am_error *err) {
    double *copy = am_memory_new(count, sizeof *copy, err);
    if (copy && values && count > 0)
        memcpy(copy, values, count * sizeof *copy);
    return copy;
}

void am_memory_free(void *pointer) {
    free(pointer);
}

void am_memory_free_at(void *place) {
    void *pointer;
    memcpy(&pointer, place, sizeof pointer);
    free(pointer);
}
