/* What a run has solved, as bytes that the next run of the same study can go on from. */
#include <stdint.h>
#include <string.h>

#include "analysis/atlas/run.h"
#include "base/memory.h"

typedef struct header {
    char magic[8];
    uint64_t study; /* what the numbers depend on, mixed */
    uint64_t listed, done;
} header;

static const char magic[8] = {'A', 'M', 'A', 'T', 'L', 'A', 'S', '1'};

/* ---- Which study? (FNV-1a) ---- */

static void mix(uint64_t *hash, const void *bytes, size_t count) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++)
        *hash = (*hash ^ p[i]) * 1099511628211u;
}

static void mix_size(uint64_t *hash, size_t value) {
    mix(hash, &value, sizeof value);
}

static uint64_t study_of(const am_atlas *a) {
    const am_atlas_options *o = a->options;
    const am_sites *s = &a->sites;
    uint64_t hash = 14695981039346656037u;
    mix(&hash, s->stiffness, 2 * s->n * s->n * sizeof *s->stiffness);
    mix(&hash, s->damping, 2 * s->n * AM_SITES_POWERS * sizeof *s->damping);
    mix(&hash, &s->mass, sizeof s->mass);
    mix(&hash, &o->at, sizeof o->at);
    const size_t numbers[] = {
        s->n,         o->only_largest, a->configurations.least, a->configurations.most,    o->exact,
        o->harmonics, a->listed,       o->pattern_count,        sizeof(am_atlas_solution), sizeof(am_atlas_tally)};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        mix_size(&hash, numbers[i]);
    for (size_t i = 0; i < o->pattern_count; i++)
        mix(&hash, o->patterns[i], strlen(o->patterns[i]) + 1);
    return hash;
}

/* ---- Bytes ---- */

static size_t payload(const am_atlas *a, size_t done) {
    if (!a->listed)
        return sizeof a->tally;
    return done * (sizeof *a->solution + 3 * a->sites.n * sizeof *a->u);
}

am_status am_atlas_remember(am_atlas *a, size_t done, am_error *err) {
    const am_atlas_store *store = a->options->store;
    if (!store)
        return AM_OK;
    header head = {.study = study_of(a), .listed = a->listed, .done = done};
    memcpy(head.magic, magic, sizeof magic);
    size_t size = sizeof head + payload(a, done), n = a->sites.n;
    unsigned char *bytes = am_memory_new(size, 1, err);
    if (!bytes)
        return AM_ERR_MEMORY;
    memcpy(bytes, &head, sizeof head);
    if (a->listed) {
        unsigned char *to = bytes + sizeof head;
        memcpy(to, a->solution, done * sizeof *a->solution);
        to += done * sizeof *a->solution;
        memcpy(to, a->u, done * n * sizeof *a->u);
        memcpy(to + done * n * sizeof *a->u, a->w, 2 * done * n * sizeof *a->w);
    } else {
        memcpy(bytes + sizeof head, &a->tally, sizeof a->tally);
    }
    am_status status = store->save(store->context, bytes, size, err);
    am_memory_free(bytes);
    return status;
}

static am_status take(am_atlas *a, const unsigned char *bytes, size_t size, size_t *done, am_error *err) {
    header head;
    if (size >= sizeof head)
        memcpy(&head, bytes, sizeof head);
    if (size < sizeof head || memcmp(head.magic, magic, sizeof magic) != 0)
        return am_fail_field(err, AM_ERR_INPUT, "resume", "the file to go on from is no file of an atlas");
    size_t n = a->sites.n;
    if (head.study != study_of(a) || head.listed != a->listed || (a->listed && head.done > a->count) ||
        size != sizeof head + payload(a, head.done))
        return am_fail_field(err, AM_ERR_INPUT, "resume",
                             "the file to go on from belongs to another study: remove it, or name another one");
    *done = head.done;
    if (a->listed) {
        const unsigned char *from = bytes + sizeof head;
        memcpy(a->solution, from, *done * sizeof *a->solution);
        from += *done * sizeof *a->solution;
        memcpy(a->u, from, *done * n * sizeof *a->u);
        memcpy(a->w, from + *done * n * sizeof *a->u, 2 * *done * n * sizeof *a->w);
    } else {
        memcpy(&a->tally, bytes + sizeof head, sizeof a->tally);
    }
    return AM_OK;
}

am_status am_atlas_recall(am_atlas *a, size_t *done, am_error *err) {
    const am_atlas_store *store = a->options->store;
    const void *bytes = NULL;
    size_t size = 0;
    *done = 0;
    if (!store)
        return AM_OK;
    am_status status = store->load(store->context, &bytes, &size, err);
    if (!status && bytes)
        status = take(a, bytes, size, done, err);
    return status;
}
