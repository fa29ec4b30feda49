/* Combinations of contact states met before. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "engines/quasistatic/quasistatic.h"

/* Combinations kept: at least a few, at most what fits into this many bytes. */
enum { CACHE_LEAST = 64, CACHE_BYTES = 1 << 26 };

static size_t hash_state(const am_contact_state *state, size_t m) {
    size_t h = 1469598103u;
    for (size_t c = 0; c < m; c++)
        h = (h ^ (size_t)state[c]) * 16777619u;
    return h ^ (h >> 15);
}

am_status am_path_cache_init(am_path_cache *cache, size_t n, size_t m, am_error *err) {
    size_t size = n + 2 * m, bytes = sizeof(am_path_plan) + 2 * size * size * sizeof(double);
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
            am_path_plan_clear(cache->slots[i]);
            am_memory_free(cache->slots[i]);
        }
    am_memory_free(cache->slots);
    am_path_plan_clear(&cache->passing);
}

/* The slot of a combination: its own, or the free one where it belongs. */
static am_path_plan **slot_of(am_path_plan **slots, size_t count, const am_contact_state *state, size_t m) {
    size_t i = hash_state(state, m) & (count - 1);
    while (slots[i] && memcmp(slots[i]->k.state, state, m * sizeof *state) != 0)
        i = (i + 1) & (count - 1);
    return &slots[i];
}

static am_status cache_grow(am_path_cache *cache, size_t m, am_error *err) {
    if (2 * cache->count < cache->slot_count)
        return AM_OK;
    size_t wanted = 2 * cache->slot_count;
    am_path_plan **slots = am_memory_new(wanted, sizeof *slots, err);
    if (!slots)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < cache->slot_count; i++)
        if (cache->slots[i])
            *slot_of(slots, wanted, cache->slots[i]->k.state, m) = cache->slots[i];
    am_memory_free(cache->slots);
    cache->slots = slots;
    cache->slot_count = wanted;
    return AM_OK;
}

static double row_sum(const double *a, size_t rows, size_t columns) {
    double most = 0.0;
    for (size_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < columns; j++)
            sum += fabs(a[i * columns + j]);
        most = fmax(most, sum);
    }
    return most;
}

static am_status make_plan(am_path_plan *plan, const am_path_engine *e, const am_contact_state *state, am_error *err) {
    am_combination *k = &plan->k;
    plan->unique = AM_PATH_NOT_ASKED;
    am_status status = am_combination_init(k, e->system, e->K, state, err);
    if (!status)
        status = am_path_plan_share(plan, e, err);
    if (status || k->condition <= 0.0)
        return status;
    plan->Y = row_sum(k->Y, k->n, k->n);
    plan->Yc = row_sum(k->Yc, k->n, k->p);
    plan->L = row_sum(k->L, k->p, k->n);
    plan->Lc = row_sum(k->Lc, k->p, k->p);
    return AM_OK;
}

am_status am_path_combination(am_path_engine *engine, const am_contact_state *state, am_path_plan **found,
                              am_error *err) {
    am_path_engine *e = engine;
    am_path_cache *cache = &e->cache;
    am_path_plan **slot = slot_of(cache->slots, cache->slot_count, state, e->m);
    *found = *slot;
    if (*slot)
        return AM_OK;
    if (cache->count >= cache->limit) {
        am_path_plan_clear(&cache->passing);
        *found = &cache->passing;
        return make_plan(&cache->passing, e, state, err);
    }
    AM_TRY(cache_grow(cache, e->m, err));
    am_path_plan *fresh = am_memory_new(1, sizeof *fresh, err);
    if (!fresh)
        return AM_ERR_MEMORY;
    am_status status = make_plan(fresh, e, state, err);
    if (status) {
        am_path_plan_clear(fresh);
        am_memory_free(fresh);
        return status;
    }
    *slot_of(cache->slots, cache->slot_count, state, e->m) = fresh;
    cache->count++;
    *found = fresh;
    return AM_OK;
}
