/* What a run has solved and followed, as bytes that the next run of the same study can go on from: a header; solutions
 * with their u and w, or the tally; branches, each with its points and their u. */
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/try.h"
#include "papers/atlas/atlas_internal.h"

typedef struct header {
    char magic[8];
    uint64_t study; /* what the numbers depend on, mixed */
    uint64_t listed, done;
    uint64_t curves; /* what branches depend on besides */
    uint64_t next, branches, doubtful;
} header;

static const char magic[8] = {'A', 'M', 'A', 'T', 'L', 'A', 'S', '2'};

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

static uint64_t curves_of(const am_atlas *a) {
    const am_atlas_options *o = a->options;
    uint64_t hash = study_of(a);
    const double values[] = {o->from, o->to, o->step};
    const size_t numbers[] = {o->follow,    o->most_branches,        o->most_points,
                              o->stability, sizeof(am_atlas_branch), sizeof(am_atlas_branch_point)};
    mix(&hash, values, sizeof values);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        mix_size(&hash, numbers[i]);
    return hash;
}

/* ---- Bytes ---- */

static size_t payload(const am_atlas *a, size_t done) {
    if (!a->listed)
        return sizeof a->tally;
    return done * (sizeof *a->solution + 3 * a->sites.n * sizeof *a->u);
}

static size_t size_of_branch(const am_atlas_branch *branch) {
    return sizeof *branch + branch->count * (sizeof *branch->point + branch->n * sizeof *branch->u);
}

static void put(unsigned char **to, const void *bytes, size_t count) {
    if (count > 0)
        memcpy(*to, bytes, count);
    *to += count;
}

static void put_branch(unsigned char **to, const am_atlas_branch *branch) {
    am_atlas_branch bare = *branch;
    bare.point = NULL;
    bare.u = NULL;
    bare.branch_point = NULL;
    put(to, &bare, sizeof bare);
    put(to, branch->point, branch->count * sizeof *branch->point);
    put(to, branch->u, branch->count * branch->n * sizeof *branch->u);
}

am_status am_atlas_remember(am_atlas *a, size_t done, am_error *err) {
    const am_atlas_store *store = a->options->store;
    if (!store)
        return AM_OK;
    header head = {.study = study_of(a),
                   .listed = a->listed,
                   .done = done,
                   .curves = curves_of(a),
                   .next = a->traced.next,
                   .branches = a->traced.branches,
                   .doubtful = a->traced.doubtful};
    memcpy(head.magic, magic, sizeof magic);
    size_t size = sizeof head + payload(a, done), n = a->sites.n;
    for (size_t b = 0; b < a->traced.branches; b++)
        size += size_of_branch(&a->branch[b]);
    unsigned char *bytes = am_memory_new(size, 1, err), *to = bytes;
    if (!bytes)
        return AM_ERR_MEMORY;
    put(&to, &head, sizeof head);
    if (a->listed) {
        put(&to, a->solution, done * sizeof *a->solution);
        put(&to, a->u, done * n * sizeof *a->u);
        put(&to, a->w, 2 * done * n * sizeof *a->w);
    } else {
        put(&to, &a->tally, sizeof a->tally);
    }
    for (size_t b = 0; b < a->traced.branches; b++)
        put_branch(&to, &a->branch[b]);
    am_status status = store->save(store->context, bytes, size, err);
    am_memory_free(bytes);
    return status;
}

am_status am_atlas_remember_branches(am_atlas *a, bool at_once, am_error *err) {
    size_t points = 0;
    for (size_t b = 0; b < a->traced.branches; b++)
        points += a->branch[b].count;
    if (points == a->traced.saved || (!at_once && 4 * points < 5 * a->traced.saved))
        return AM_OK;
    a->traced.saved = points;
    return am_atlas_remember(a, a->count, err);
}

/* ---- And back ---- */

typedef struct reading {
    const unsigned char *at, *end;
} reading;

static bool get(reading *r, void *to, size_t count) {
    if ((size_t)(r->end - r->at) < count)
        return false;
    if (count > 0)
        memcpy(to, r->at, count);
    r->at += count;
    return true;
}

static am_status damaged(am_error *err) {
    return am_fail_field(err, AM_ERR_INPUT, "resume", "the file to go on from is damaged: remove it");
}

static bool sound_point(const am_atlas_branch_point *point) {
    unsigned char located; /* a byte that is no flag must not be read as one */
    memcpy(&located, &point->located, 1);
    return located <= 1 && (unsigned)point->kind <= AM_ATLAS_BRANCH_END &&
           (unsigned)point->verdict <= AM_VERDICT_MARGINAL;
}

static am_status get_branch(am_atlas *a, reading *r, am_error *err) {
    AM_TRY(am_atlas_reserve_branch(a, err));
    am_atlas_branch *branch = &a->branch[a->branch_count], bare;
    size_t n = a->sites.n, each = sizeof *bare.point + n * sizeof *bare.u;
    if (!get(r, &bare, sizeof bare) || bare.n != n || bare.count > (size_t)(r->end - r->at) / each ||
        (unsigned)bare.ends[0] > AM_ATLAS_BRANCH_UNFINISHED || (unsigned)bare.ends[1] > AM_ATLAS_BRANCH_UNFINISHED)
        return damaged(err);
    bare.sentence[sizeof bare.sentence - 1] = '\0';
    am_arena memory = {0};
    am_atlas_branch_point *points = am_arena_new(&memory, bare.count, sizeof *points, err);
    double *u = am_arena_new(&memory, bare.count * n, sizeof *u, err);
    am_status status = am_arena_status(&memory);
    if (!status) {
        get(r, points, bare.count * sizeof *points);
        get(r, u, bare.count * n * sizeof *u);
        for (size_t k = 0; k < bare.count && !status; k++)
            status = sound_point(&points[k]) ? AM_OK : damaged(err);
    }
    if (!status)
        status = am_atlas_branch_restore(&bare, points, u, err);
    am_arena_clear(&memory);
    if (status)
        return status;
    *branch = bare;
    a->branch_count++;
    a->traced.saved += bare.count;
    return AM_OK;
}

/* Branches of other options (another range, other steps) are traced again. */
static am_status get_branches(am_atlas *a, const header *head, reading *r, am_error *err) {
    if (!a->listed || head->curves != curves_of(a))
        return AM_OK;
    for (size_t b = 0; b < head->branches; b++)
        AM_TRY(get_branch(a, r, err));
    if (r->at != r->end || head->next > a->count)
        return damaged(err);
    a->traced.next = head->next;
    a->traced.branches = a->branch_count;
    a->doubtful = a->traced.doubtful = head->doubtful;
    return AM_OK;
}

static am_status take(am_atlas *a, const unsigned char *bytes, size_t size, size_t *done, am_error *err) {
    header head;
    reading r = {bytes, bytes + size};
    if (!get(&r, &head, sizeof head) || memcmp(head.magic, magic, sizeof magic) != 0)
        return am_fail_field(err, AM_ERR_INPUT, "resume", "the file to go on from is no file of an atlas");
    size_t n = a->sites.n;
    if (head.study != study_of(a) || head.listed != a->listed || (a->listed && head.done > a->count))
        return am_fail_field(err, AM_ERR_INPUT, "resume",
                             "the file to go on from belongs to another study: remove it, or name another one");
    *done = head.done;
    bool whole = a->listed ? get(&r, a->solution, *done * sizeof *a->solution) &&
                                 get(&r, a->u, *done * n * sizeof *a->u) && get(&r, a->w, 2 * *done * n * sizeof *a->w)
                           : get(&r, &a->tally, sizeof a->tally);
    if (!whole || (head.branches == 0 && r.at != r.end))
        return damaged(err);
    AM_TRY(get_branches(a, &head, &r, err));
    for (size_t k = a->traced.next; a->listed && k < *done; k++)
        a->solution[k].branch = SIZE_MAX; /* of a round that did not end, or of other options */
    return AM_OK;
}

am_status am_atlas_recall(am_atlas *a, size_t *done, am_error *err) {
    const am_atlas_store *store = a->options->store;
    const void *bytes = NULL;
    size_t size = 0;
    *done = 0;
    if (!store)
        return AM_OK;
    AM_TRY(store->load(store->context, &bytes, &size, err));
    if (bytes)
        AM_TRY(take(a, bytes, size, done, err));
    return AM_OK;
}
