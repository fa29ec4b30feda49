#include "analysis/attractors/trails.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { LEAF = 8, DEEPEST = 64 };

/* A part of the points, those of order[begin..end), and the box around them. */
typedef struct node {
    size_t begin, end;
    size_t child; /* index of the first of two children; 0: a leaf */
    double reach; /* largest radius inside */
} node;

struct am_trails {
    size_t d;
    const double *weight;
    size_t count, capacity;
    double *place;  /* count x d: weighted states */
    double *radius; /* count */
    size_t *orbit;  /* count */
    uint64_t *key;  /* count */
    size_t *order;  /* built */
    size_t built;
    node *nodes;
    size_t node_count;
    double *low, *high; /* node_count x d: boxes */
};

am_trails *am_trails_create(size_t d, const double *weight, am_error *err) {
    am_trails *t = am_memory_new(1, sizeof *t, err);
    if (t) {
        t->d = d;
        t->weight = weight;
    }
    return t;
}

static void drop_tree(am_trails *t) {
    am_memory_free(t->order);
    am_memory_free(t->nodes);
    am_memory_free(t->low);
    am_memory_free(t->high);
    t->order = NULL;
    t->nodes = NULL;
    t->low = t->high = NULL;
    t->built = t->node_count = 0;
}

void am_trails_free(am_trails *trails) {
    if (!trails)
        return;
    drop_tree(trails);
    am_memory_free(trails->place);
    am_memory_free(trails->radius);
    am_memory_free(trails->orbit);
    am_memory_free(trails->key);
    am_memory_free(trails);
}

size_t am_trails_count(const am_trails *trails) {
    return trails->count;
}

/* Stroboscopic sections differ by nothing within one analysis; switches by contact and states. The states of the
 * contacts are mixed in as in FNV-1a. */
uint64_t am_trails_key(const am_orbit_return *how, const am_contact_state *contact, size_t m) {
    bool period = how->section == AM_SECTION_PERIOD;
    uint64_t key = period ? 0 : 1 + (how->contact * 4 + (uint64_t)how->from) * 4 + (uint64_t)how->to;
    key ^= 0xcbf29ce484222325u;
    for (size_t c = 0; c < m; c++)
        key = (key ^ (uint64_t)contact[c]) * 0x100000001b3u;
    return key;
}

static am_status grow(am_trails *t, am_error *err) {
    size_t wanted = t->capacity > 0 ? 2 * t->capacity : 256;
    void *place = t->place, *radius = t->radius, *orbit = t->orbit, *key = t->key;
    am_status status = am_memory_resize(&place, wanted, t->d * sizeof *t->place, err);
    t->place = place;
    if (!status)
        status = am_memory_resize(&radius, wanted, sizeof *t->radius, err);
    t->radius = radius;
    if (!status)
        status = am_memory_resize(&orbit, wanted, sizeof *t->orbit, err);
    t->orbit = orbit;
    if (!status)
        status = am_memory_resize(&key, wanted, sizeof *t->key, err);
    t->key = key;
    if (!status)
        t->capacity = wanted;
    return status;
}

am_status am_trails_add(am_trails *trails, uint64_t key, const double *state, double radius, size_t orbit,
                        am_error *err) {
    if (trails->count == trails->capacity) {
        am_status status = grow(trails, err);
        if (status)
            return status;
    }
    double *place = trails->place + trails->count * trails->d;
    for (size_t i = 0; i < trails->d; i++)
        place[i] = trails->weight[i] * state[i];
    trails->radius[trails->count] = radius;
    trails->orbit[trails->count] = orbit;
    trails->key[trails->count] = key;
    trails->count++;
    return AM_OK;
}

/* ---- the tree ---- */

static void find_box(am_trails *t, size_t index) {
    node *at = &t->nodes[index];
    double *low = t->low + index * t->d, *high = t->high + index * t->d;
    at->reach = 0.0;
    for (size_t k = at->begin; k < at->end; k++) {
        const double *place = t->place + t->order[k] * t->d;
        for (size_t i = 0; i < t->d; i++) {
            low[i] = k == at->begin ? place[i] : fmin(low[i], place[i]);
            high[i] = k == at->begin ? place[i] : fmax(high[i], place[i]);
        }
        at->reach = fmax(at->reach, t->radius[t->order[k]]);
    }
}

static size_t widest(const am_trails *t, size_t index) {
    const double *low = t->low + index * t->d, *high = t->high + index * t->d;
    size_t best = 0;
    for (size_t i = 1; i < t->d; i++)
        if (high[i] - low[i] > high[best] - low[best])
            best = i;
    return best;
}

/* Points with a coordinate below the middle of the box first. Returns how many. */
static size_t divide(am_trails *t, const node *at, size_t i, double middle) {
    size_t left = at->begin, right = at->end;
    while (left < right) {
        if (t->place[t->order[left] * t->d + i] < middle) {
            left++;
        } else {
            right--;
            size_t swap = t->order[left];
            t->order[left] = t->order[right];
            t->order[right] = swap;
        }
    }
    return left - at->begin;
}

/* Nodes are divided in the order in which they were made: children come later, so one pass does. */
static void divide_all(am_trails *t) {
    for (size_t index = 0; index < t->node_count; index++) {
        find_box(t, index);
        node *at = &t->nodes[index];
        if (at->end - at->begin <= LEAF)
            continue;
        size_t i = widest(t, index);
        double low = t->low[index * t->d + i], high = t->high[index * t->d + i];
        size_t first = divide(t, at, i, 0.5 * (low + high));
        if (first == 0 || first == at->end - at->begin)
            continue; /* all in one place */
        at->child = t->node_count;
        t->nodes[t->node_count++] = (node){.begin = at->begin, .end = at->begin + first};
        t->nodes[t->node_count++] = (node){.begin = at->begin + first, .end = at->end};
    }
}

am_status am_trails_build(am_trails *trails, am_error *err) {
    drop_tree(trails);
    if (trails->count == 0)
        return AM_OK;
    size_t most = 2 * trails->count; /* every division leaves two parts with a point each */
    trails->order = am_memory_new(trails->count, sizeof *trails->order, err);
    trails->nodes = am_memory_new(most, sizeof *trails->nodes, err);
    trails->low = am_memory_new(most, trails->d * sizeof *trails->low, err);
    trails->high = am_memory_new(most, trails->d * sizeof *trails->high, err);
    if (!trails->order || !trails->nodes || !trails->low || !trails->high) {
        drop_tree(trails);
        return AM_ERR_MEMORY;
    }
    for (size_t k = 0; k < trails->count; k++)
        trails->order[k] = k;
    trails->nodes[0] = (node){.begin = 0, .end = trails->count};
    trails->node_count = 1;
    divide_all(trails);
    trails->built = trails->count;
    return AM_OK;
}

static bool may_reach(const am_trails *t, size_t index, const double *state, double part) {
    const double *low = t->low + index * t->d, *high = t->high + index * t->d;
    double reach = part * t->nodes[index].reach;
    for (size_t i = 0; i < t->d; i++) {
        double x = t->weight[i] * state[i];
        if (x < low[i] - reach || x > high[i] + reach)
            return false;
    }
    return true;
}

static bool is_near(const am_trails *t, size_t point, uint64_t key, const double *state, double part) {
    const double *place = t->place + point * t->d;
    double radius = part * t->radius[point];
    if (t->key[point] != key)
        return false;
    for (size_t i = 0; i < t->d; i++)
        if (!(fabs(t->weight[i] * state[i] - place[i]) <= radius))
            return false;
    return true;
}

bool am_trails_meet(const am_trails *trails, uint64_t key, const double *state, double part, size_t *orbit,
                    double *radius) {
    size_t stack[2 * DEEPEST], top = 0;
    if (trails->built > 0)
        stack[top++] = 0;
    while (top > 0) {
        size_t index = stack[--top];
        const node *at = &trails->nodes[index];
        if (!may_reach(trails, index, state, part))
            continue;
        if (at->child > 0 && top + 2 <= 2 * DEEPEST) {
            stack[top++] = at->child + 1;
            stack[top++] = at->child;
            continue;
        }
        for (size_t k = at->begin; k < at->end; k++) {
            size_t point = trails->order[k];
            if (!is_near(trails, point, key, state, part))
                continue;
            *orbit = trails->orbit[point];
            *radius = trails->radius[point];
            return true;
        }
    }
    return false;
}
