#include "imports/sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/try.h"

const am_set *am_sets_find(const am_sets *sets, const char *name, size_t length) {
    for (size_t i = 0; i < sets->count; i++)
        if (strlen(sets->set[i].name) == length && strncasecmp(sets->set[i].name, name, length) == 0)
            return &sets->set[i];
    return NULL;
}

static am_status open_set(am_sets *sets, const char *name, am_set **set, am_error *err) {
    *set = (am_set *)(void *)am_sets_find(sets, name, strlen(name));
    if (*set)
        return AM_OK;
    AM_TRY(am_memory_reserve(&sets->set, &sets->capacity, sets->count + 1, err));
    *set = &sets->set[sets->count++];
    **set = (am_set){.count = 0};
    snprintf((*set)->name, sizeof(*set)->name, "%s", name);
    return AM_OK;
}

am_status am_sets_add(am_sets *sets, const char *name, long node, am_error *err) {
    am_set *set;
    AM_TRY(open_set(sets, name, &set, err));
    AM_TRY(am_memory_reserve(&set->node, &set->capacity, set->count + 1, err));
    set->node[set->count++] = node;
    return AM_OK;
}

static int compare(const void *one, const void *other) {
    long a = *(const long *)one, b = *(const long *)other;
    return (a > b) - (a < b);
}

void am_sets_sort(am_sets *sets) {
    for (size_t i = 0; i < sets->count; i++) {
        am_set *set = &sets->set[i];
        size_t kept = 0;
        qsort(set->node, set->count, sizeof *set->node, compare);
        for (size_t k = 0; k < set->count; k++)
            if (kept == 0 || set->node[kept - 1] != set->node[k])
                set->node[kept++] = set->node[k];
        set->count = kept;
    }
}

void am_sets_clear(am_sets *sets) {
    for (size_t i = 0; i < sets->count; i++)
        am_memory_free(sets->set[i].node);
    am_memory_free(sets->set);
    *sets = (am_sets){0};
}
