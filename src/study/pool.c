#include "study/pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

enum { block_bytes = 1 << 14 };

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
    guest *guests;
};

am_pool *am_pool_create(am_error *err) {
    return am_memory_new(1, sizeof(am_pool), err);
}

void am_pool_free(am_pool *pool) {
    if (!pool)
        return;
    for (guest *g = pool->guests; g; g = g->next)
        g->release(g->object);
    for (block *b = pool->newest; b;) {
        block *next = b->next;
        am_memory_free(b);
        b = next;
    }
    am_memory_free(pool);
}

static block *add_block(am_pool *pool, size_t bytes, am_error *err) {
    size_t size = bytes > block_bytes ? bytes : block_bytes;
    if (size > SIZE_MAX - sizeof(block)) {
        am_fail(err, AM_ERR_MEMORY, "out of memory: %zu bytes were needed", bytes);
        return NULL;
    }
    block *b = am_memory_new(1, sizeof *b + size, err);
    if (!b)
        return NULL;
    b->size = size;
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
    return p;
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
