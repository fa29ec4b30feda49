/* Sets of nodes by name. */
#ifndef AMONTONS_IMPORTS_SETS_H
#define AMONTONS_IMPORTS_SETS_H
#include <stddef.h>

#include "amontons/error.h"

typedef struct am_set {
    char name[80];
    size_t count, capacity;
    long *node; /* each once, ascending */
} am_set;

/* Begins as {0}. */
typedef struct am_sets {
    size_t count, capacity;
    am_set *set;
} am_sets;

const am_set *am_sets_find(const am_sets *sets, const char *name, size_t length); /* NULL: none; case does not matter */
am_status am_sets_add(am_sets *sets, const char *name, long node, am_error *err);
void am_sets_sort(am_sets *sets); /* once all are there */
void am_sets_clear(am_sets *sets);

#endif
