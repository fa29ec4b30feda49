/* What a function has for itself only goes when its block is left, however it is left: so it may use AM_TRY while it has
 * something to give back.
 *
 *     AM_LOCAL_ARENA memory = {0};
 *     AM_LOCAL_MEMORY double *row = am_memory_new(n, sizeof *row, err);
 *     AM_LOCAL(am_text_free) am_text name = {0};
 *
 * Such an object has a value from its declaration on; the last one declared goes first. Who includes this has arenas,
 * memory and AM_TRY as well. */
#ifndef AMONTONS_BASE_LOCAL_H
#define AMONTONS_BASE_LOCAL_H
#include "base/arena.h"
#include "base/memory.h"
#include "base/try.h"

/* release: takes the address of the object. */
#define AM_LOCAL(release) __attribute__((cleanup(release)))

#define AM_LOCAL_ARENA AM_LOCAL(am_arena_clear) am_arena

/* Before a pointer of any type to what am_memory_new gave. */
#define AM_LOCAL_MEMORY AM_LOCAL(am_memory_free_at)

/* Defines release_at, which takes the address of a pointer, for AM_LOCAL. */
#define AM_LOCAL_POINTER(type, release)                                                                                \
    static inline void release##_at(type **place) {                                                                    \
        release(*place);                                                                                               \
    }

#endif
