/* Every allocation of the library is counted in `allocations`. For one test each: it is linked with --wrap (see
 * CMakeLists.txt). */
#ifndef AMONTONS_TESTS_COUNTED_ALLOCATIONS_H
#define AMONTONS_TESTS_COUNTED_ALLOCATIONS_H
#include <stddef.h>

static size_t allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *pointer, size_t size);

void *__wrap_malloc(size_t size) {
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *pointer, size_t size) {
    allocations++;
    return __real_realloc(pointer, size);
}

#endif
