#include "base/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

/* The first block is small, because most arenas are (the settings of one point of a sweep); each further one is twice as
 * large as the one before, up to a limit. What is larger gets a block of its own size, behind the one being filled.
 * Under the address sanitizer every piece does, so that it is fenced, and can be refused when memory is. */
#if defined(__SANITIZE_ADDRESS__)
enum { single = true };
static const size_t first_bytes = 0, most_bytes = 0;
#else
enum { single = false };
static const size_t first_bytes = 992, most_bytes = 1 << 14; /* with its head 1 KiB, as base/memory.c likes it */
#endif

/* Blocks in a chain; the newest is filled from its start. */
typedef struct am_arena_block {
    struct am_arena_block *next;
    size_t used, size;
    bool zero; /* all bytes from `used` on are */
    alignas(max_align_t) unsigned char bytes[];
} block;

typedef struct am_arena_guest {
    struct am_arena_guest *next;
    void *object;
    void (*release)(void *);
} guest;

am_arena *am_arena_create(am_error *err) {
    return am_memory_new(1, sizeof(am_arena), err);
}

static void free_idle(am_arena *arena) {
    while (arena->idle) {
        block *b = arena->idle;
        arena->idle = b->next;
        am_memory_free(b);
    }
}

void am_arena_reset(am_arena *arena) {
    for (guest *g = arena->guests; g; g = g->next)
        g->release(g->object);
    arena->guests = NULL;
    arena->status = AM_OK;
    while (arena->newest) {
        block *b = arena->newest;
        arena->newest = b->next;
        b->next = arena->idle;
        b->zero = false;
        arena->idle = b;
    }
    if (single) /* who still looks at it is seen */
        free_idle(arena);
}

void am_arena_clear(am_arena *arena) {
    if (!arena)
        return;
    am_arena_reset(arena);
    free_idle(arena);
}

void am_arena_free(am_arena *arena) {
    am_arena_clear(arena);
    am_memory_free(arena);
}

am_status am_arena_status(const am_arena *arena) {
    return arena->status;
}

/* A block of an earlier filling with room for so many bytes, out of the list; NULL: there is none. */
static block *take_idle(am_arena *arena, size_t bytes) {
    for (block **at = &arena->idle; *at; at = &(*at)->next) {
        block *b = *at;
        if (b->size < bytes)
            continue;
        *at = b->next;
        return b;
    }
    return NULL;
}

static block *make_block(const am_arena *arena, size_t bytes, am_error *err) {
    size_t usual = arena->newest ? 2 * arena->newest->size : first_bytes;
    usual = usual < most_bytes ? usual : most_bytes;
    size_t size = bytes > usual ? bytes : usual;
    if (size > SIZE_MAX - sizeof(block)) {
        am_fail(err, AM_ERR_MEMORY, "out of memory: %zu bytes were needed", bytes);
        return NULL;
    }
    /* Of large ones the system gives zeros, which cost nothing where they are not touched; of small ones each piece is
     * cleared when it is asked for, not what is left over. */
    bool zero = size > most_bytes;
    block *b = zero ? am_memory_new(1, sizeof(block) + size, err) : NULL;
    if (!b && (zero || am_memory_resize_items(&b, 1, sizeof(block) + size, err)))
        return NULL;
    b->size = size;
    b->zero = zero;
    return b;
}

static block *add_block(am_arena *arena, size_t bytes, am_error *err) {
    block *b = take_idle(arena, bytes);
    b = b ? b : make_block(arena, bytes, err);
    if (!b)
        return NULL;
    b->used = 0;
    block **place = bytes > most_bytes && arena->newest ? &arena->newest->next : &arena->newest;
    b->next = *place;
    *place = b;
    return b;
}

static void *fail(am_arena *arena) {
    arena->status = AM_ERR_MEMORY;
    return NULL;
}

static size_t aligned(size_t bytes) {
    return single ? bytes : (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

void *am_arena_new(am_arena *arena, size_t count, size_t size, am_error *err) {
    if (arena->status)
        return NULL;
    if (size > 0 && count > (SIZE_MAX - alignof(max_align_t)) / size) {
        am_fail(err, AM_ERR_MEMORY, "out of memory: %zu items of %zu bytes were needed", count, size);
        return fail(arena);
    }
    size_t bytes = count * size, step = aligned(bytes);
    block *b = arena->newest;
    if (!b || b->size - b->used < step)
        b = add_block(arena, step, err);
    if (!b)
        return fail(arena);
    unsigned char *piece = b->bytes + b->used;
    b->used += step;
    return b->zero ? piece : memset(piece, 0, bytes);
}

void am_arena_arrays(am_arena *arena, size_t count, size_t size, void *const *places, size_t place_count,
                     am_error *err) {
    bool together = !single && count <= most_bytes / size;
    size_t step = together ? aligned(count * size) : 0;
    unsigned char *piece = together ? am_arena_new(arena, place_count, step, err) : NULL;
    for (size_t i = 0; i < place_count; i++) {
        void *array = !together ? am_arena_new(arena, count, size, err) : piece ? piece + i * step : NULL;
        memcpy(places[i], &array, sizeof array); /* pointers to different types look alike */
    }
}

double *am_arena_doubles(am_arena *arena, const double *values, size_t count, am_error *err) {
    double *copy = am_arena_new(arena, count, sizeof *copy, err);
    if (copy && values && count > 0)
        memcpy(copy, values, count * sizeof *copy);
    return copy;
}

char *am_arena_text(am_arena *arena, const char *text, size_t length, am_error *err) {
    char *copy = am_arena_new(arena, length + 1, 1, err);
    if (copy && length > 0)
        memcpy(copy, text, length);
    return copy;
}

am_status am_arena_keep(am_arena *arena, const char **text, am_error *err) {
    if (!*text)
        return AM_OK;
    *text = am_arena_text(arena, *text, strlen(*text), err);
    return *text ? AM_OK : AM_ERR_MEMORY;
}

am_status am_arena_own(am_arena *arena, void *object, void (*release)(void *), am_error *err) {
    guest *g = am_arena_new(arena, 1, sizeof *g, err);
    if (!g) {
        release(object);
        return AM_ERR_MEMORY;
    }
    *g = (guest){arena->guests, object, release};
    arena->guests = g;
    return AM_OK;
}
