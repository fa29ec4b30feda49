/* The flows met so far. */
#include "engines/switching/flow.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

/* ---- cache: open addressing over the states themselves, at most half full ---- */

typedef struct place {
    am_flow *flow; /* NULL: free */
    size_t run;    /* in which it was last met */
} place;

struct am_flow_cache {
    const am_plan *plan;
    size_t slots, count;
    place *slot;
    size_t run, met; /* the present run, and the flows met in it */
};

am_flow_cache *am_flow_cache_create(const am_plan *plan, am_error *err) {
    am_flow_cache *cache = am_memory_new(1, sizeof *cache, err);
    if (!cache)
        return NULL;
    *cache = (am_flow_cache){.plan = plan, .slots = 16};
    cache->slot = am_memory_new(cache->slots, sizeof *cache->slot, err);
    if (!cache->slot) {
        am_memory_free(cache);
        return NULL;
    }
    return cache;
}

void am_flow_cache_free(am_flow_cache *cache) {
    if (!cache)
        return;
    for (size_t i = 0; i < cache->slots; i++)
        am_flow_free(cache->slot[i].flow);
    am_memory_free(cache->slot);
    am_memory_free(cache);
}

/* The slot that holds the combination, or the free one where it belongs (FNV-1a, linear probing). */
static place *find_slot(const am_flow_cache *cache, const am_contact_state *state) {
    uint64_t hash = 14695981039346656037u;
    for (size_t c = 0; c < cache->plan->m; c++)
        hash = (hash ^ (uint64_t)state[c]) * 1099511628211u;
    for (size_t i = (size_t)hash & (cache->slots - 1);; i = (i + 1) & (cache->slots - 1)) {
        const am_flow *flow = cache->slot[i].flow;
        if (!flow || memcmp(flow->k.state, state, cache->plan->m * sizeof *state) == 0)
            return &cache->slot[i];
    }
}

static am_status grow(am_flow_cache *cache, am_error *err) {
    place *old = cache->slot, *larger = am_memory_new(2 * cache->slots, sizeof *larger, err);
    size_t slots = cache->slots;
    if (!larger)
        return AM_ERR_MEMORY;
    cache->slot = larger;
    cache->slots = 2 * slots;
    for (size_t i = 0; i < slots; i++)
        if (old[i].flow)
            *find_slot(cache, old[i].flow->k.state) = old[i];
    am_memory_free(old);
    return AM_OK;
}

am_status am_flow_get(am_flow_cache *cache, const am_contact_state *state, am_flow **flow, am_error *err) {
    place *slot = find_slot(cache, state);
    if (!slot->flow) {
        am_status status = 2 * (cache->count + 1) > cache->slots ? grow(cache, err) : AM_OK;
        slot = find_slot(cache, state);
        if (!status)
            status = am_flow_build(cache->plan, state, &slot->flow, err);
        if (status)
            return status;
        cache->count++;
        slot->run = cache->run;
        cache->met++;
    } else if (slot->run != cache->run) {
        slot->run = cache->run;
        cache->met++;
    }
    *flow = slot->flow;
    return AM_OK;
}

/* Drops all flows but one. */
static void empty(am_flow_cache *cache, const am_flow *present) {
    place kept = {0};
    for (size_t i = 0; i < cache->slots; i++) {
        if (cache->slot[i].flow && cache->slot[i].flow == present)
            kept = cache->slot[i];
        else
            am_flow_free(cache->slot[i].flow);
        cache->slot[i] = (place){0};
    }
    cache->count = cache->met = kept.flow ? 1 : 0;
    if (kept.flow)
        *find_slot(cache, kept.flow->k.state) = kept;
}

void am_flow_cache_trim(am_flow_cache *cache, size_t most, const am_flow *present) {
    if (cache->met > most)
        empty(cache, present);
}

void am_flow_cache_renew(am_flow_cache *cache, size_t most) {
    if (cache->count > most)
        empty(cache, NULL);
    cache->run++;
    cache->met = 0;
}

size_t am_flow_count(const am_flow_cache *cache) {
    return cache->met;
}
