#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *am_memory_new(size_t count, size_t size, am_error *err) {
    void *p = calloc(count > 0 ? count : 1, size > 0 ? size : 1); /* calloc checks the product for overflow */
    if (!p)
        am_fail(err, AM_ERR_MEMORY, "out of memory: %zu items of %zu bytes were needed", count, size);
    return p;
}

am_status am_memory_resize(void **pointer, size_t count, size_t size, am_error *err) {
    if (size > 0 && count > SIZE_MAX / size)
        return am_fail(err, AM_ERR_MEMORY, "out of memory: %zu items of %zu bytes were needed", count, size);
    size_t bytes = count * size;
    void *p = realloc(*pointer, bytes > 0 ? bytes : 1);
    if (!p)
        return am_fail(err, AM_ERR_MEMORY, "out of memory: %zu items of %zu bytes were needed", count, size);
    *pointer = p;
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
