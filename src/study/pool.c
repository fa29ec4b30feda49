#include "study/pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

/* The first block is small, because most pools are (the settings of one point of a sweep) and their memory is cleared;
 * each further one is twice as large as the one before, up to a limit. */
enum { first_bytes = 1 << 10, block_bytes = 1 << 14 };

/* Blocks in a chain; the newest is filled from its start. */
typedef struct block {
    struct block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
} block;

typedef struct guest {
    struct guest *next;
    void *object;
    void (*release)(void *);
} guest;

struct am_pool {
    block *newest;
    block *idle; /* from before the pool was emptied */
    guest *guests;
};

am_pool *am_pool_create(am_error *err) {
    return am_memory_new(1, sizeof(am_pool), err);
}

static void free_blocks(block *b) {
    while (b) {
        block *next = b->next;
        am_memory_free(b);
        b = next;
    }
}

void am_pool_clear(am_pool *pool) {
    for (guest *g = pool->guests; g; g = g->next)
        g->release(g->object);
    pool->guests = NULL;
    while (pool->newest) {
        block *b = pool->newest;
        pool->newest = b->next;
        b->next = pool->idle;
        pool->idle = b;
    }
}

void am_pool_free(am_pool *pool) {
    if (!pool)
        return;
    am_pool_clear(pool);
    free_blocks(pool->idle);
    am_memory_free(pool);
}

/* A block of an earlier filling with room for so many bytes, out of the list; NULL: there is none. */
static block *take_idle(am_pool *pool, size_t bytes) {
    for (block **at = &pool->idle; *at; at = &(*at)->next) {
        block *b = *at;
        if (b->size < bytes)
            continue;
        *at = b->next;
        return b;
    }
    return NULL;
}

static block *add_block(am_pool *pool, size_t bytes, am_error *err) {
    size_t usual = pool->newest ? 2 * pool->newest->size : first_bytes;
    usual = usual < block_bytes ? usual : block_bytes;
    size_t size = bytes > usual ? bytes : usual;
    if (size > SIZE_MAX - sizeof(block)) {
        am_fail(err, AM_ERR_MEMORY, "out of memory: %zu bytes were needed", bytes);
        return NULL;
    }
    block *b = take_idle(pool, bytes);
    if (!b) {
        void *memory = NULL; /* zeros come with every piece */
        if (am_memory_resize(&memory, 1, sizeof *b + size, err) != AM_OK)
            return NULL;
        b = memory;
        b->size = size;
    }
    b->used = 0;
    b->next = pool->newest;
    pool->newest = b;
    return b;
}

void *am_pool_new(am_pool *pool, size_t count, size_t size, am_error *err) {
    if (size > 0 && count > (SIZE_MAX - alignof(max_align_t)) / size) {
        am_fail(err, AM_ERR_MEMORY, "out of memory: %zu items of %zu bytes were needed", count, size);
        return NULL;
    }
    size_t bytes = count * size;
    size_t step = (bytes / alignof(max_align_t) + 1) * alignof(max_align_t);
    block *b = pool->newest;
    if (!b || b->size - b->used < step)
        b = add_block(pool, step, err);
    if (!b)
        return NULL;
    void *p = b->bytes + b->used;
    b->used += step;
    return memset(p, 0, step);
}

char *am_pool_text(am_pool *pool, const char *text, size_t length, am_error *err) {
    char *copy = am_pool_new(pool, length + 1, 1, err);
    if (copy && length > 0)
        memcpy(copy, text, length);
    return copy;
}

am_status am_pool_keep(am_pool *pool, const char **text, am_error *err) {
    if (!*text)
        return AM_OK;
    *text = am_pool_text(pool, *text, strlen(*text), err);
    return *text ? AM_OK : AM_ERR_MEMORY;
}

am_status am_pool_own(am_pool *pool, void *object, void (*release)(void *), am_error *err) {
    guest *g = am_pool_new(pool, 1, sizeof *g, err);
    if (!g) {
        release(object);
        return AM_ERR_MEMORY;
    }
    *g = (guest){pool->guests, object, release};
    pool->guests = g;
    return AM_OK;
}
