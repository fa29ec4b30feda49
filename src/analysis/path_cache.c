/* Combinations of contact states met before. */
#include <string.h>

#include "analysis/path_engine.h"
#include "base/memory.h"

/* Combinations kept: at least a few, at most what fits into this many bytes. */
enum { CACHE_LEAST = 64, CACHE_BYTES = 1 << 26 };

static size_t hash_state(const am_contact_state *state, size_t m) {
    size_t h = 1469598103u;
    for (size_t c = 0; c < m; c++)
        h = (h ^ (size_t)state[c]) * 16777619u;
    return h ^ (h >> 15);
}

am_status am_path_cache_init(am_path_cache *cache, size_t n, size_t m, am_error *err) {
    size_t size = n + 2 * m, bytes = sizeof(am_combination) + 2 * size * size * sizeof(double);
    cache->limit = CACHE_BYTES / bytes;
    cache->limit = cache->limit < CACHE_LEAST            ? CACHE_LEAST
                   : cache->limit > AM_CANDIDATES_BUDGET ? AM_CANDIDATES_BUDGET
                                                         : cache->limit;
    cache->slot_count = 256;
    cache->slots = am_memory_new(cache->slot_count, sizeof *cache->slots, err);
    return cache->slots ? AM_OK : AM_ERR_MEMORY;
}

void am_path_cache_clear(am_path_cache *cache) {
    for (size_t i = 0; cache->slots && i < cache->slot_count; i++)
        if (cache->slots[i]) {
            am_combination_clear(cache->slots[i]);
            am_memory_free(cache->slots[i]);
        }
    am_memory_free(cache->slots);
    am_combination_clear(&cache->passing);
}

/* The slot of a combination: its own, or the free one where it belongs. */
static am_combination **slot_of(am_combination **slots, size_t count, const am_contact_state *state, size_t m) {
    size_t i = hash_state(state, m) & (count - 1);
    while (slots[i] && memcmp(slots[i]->state, state, m * sizeof *state) != 0)
        i = (i + 1) & (count - 1);
    return &slots[i];
}

static am_status cache_grow(am_path_cache *cache, size_t m, am_error *err) {
    if (2 * cache->count < cache->slot_count)
        return AM_OK;
    size_t wanted = 2 * cache->slot_count;
    am_combination **slots = am_memory_new(wanted, sizeof *slots, err);
    if (!slots)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < cache->slot_count; i++)
        if (cache->slots[i])
            *slot_of(slots, wanted, cache->slots[i]->state, m) = cache->slots[i];
    am_memory_free(cache->slots);
    cache->slots = slots;
    cache->slot_count = wanted;
    return AM_OK;
}

am_status am_path_combination(am_path_engine *engine, const am_contact_state *state, const am_combination **found,
                              am_error *err) {
    am_path_engine *e = engine;
    am_path_cache *cache = &e->cache;
    am_combination **slot = slot_of(cache->slots, cache->slot_count, state, e->m);
    *found = *slot;
    if (*slot)
        return AM_OK;
    if (cache->count >= cache->limit) {
        am_combination_clear(&cache->passing);
        *found = &cache->passing;
        return am_combination_init(&cache->passing, e->system, e->K, state, err);
    }
    am_status status = cache_grow(cache, e->m, err);
    if (status)
        return status;
    am_combination *fresh = am_memory_new(1, sizeof *fresh, err);
    if (!fresh)
        return AM_ERR_MEMORY;
    status = am_combination_init(fresh, e->system, e->K, state, err);
    if (status) {
        am_memory_free(fresh);
        return status;
    }
    *slot_of(cache->slots, cache->slot_count, state, e->m) = fresh;
    cache->count++;
    *found = fresh;
    return AM_OK;
}
