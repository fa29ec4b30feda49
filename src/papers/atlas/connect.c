/* Which branches meet at a branch point? Two branch points are one when they are the same motion at the same parameter;
 * a branch that ends on a branch point ends on the other's. */
#include <math.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/try.h"
#include "papers/atlas/atlas_internal.h"

static am_status add(am_atlas *a, am_atlas_connection connection, am_error *err) {
    AM_TRY(am_memory_reserve(&a->connection, &a->connection_capacity, a->connection_count + 1, err));
    a->connection[a->connection_count++] = connection;
    return AM_OK;
}

/* Branch points are located to about the root of Newton's tolerance across the branch. */
static bool same_point(const am_atlas *a, const am_atlas_branch *b, size_t k, const am_atlas_branch *c, size_t j) {
    const double tolerance = 1e-4;
    double size = fabs(a->options->to - a->options->from);
    return fabs(b->point[k].p - c->point[j].p) <= tolerance * size &&
           am_class_same(&a->sites, b->u + k * b->n, c->u + j * c->n, 0.01);
}

static bool is_end(const am_atlas_branch *b, size_t k) {
    return (k == 0 && b->ends[0] == AM_ATLAS_BRANCH_MIRRORED) ||
           (k + 1 == b->count && b->ends[1] == AM_ATLAS_BRANCH_MIRRORED);
}

/* Where branch c passes the point k of b; SIZE_MAX: it does not. */
static size_t place_on(const am_atlas *a, size_t b, size_t k, size_t c) {
    const am_atlas_branch *other = &a->branch[c];
    for (size_t j = 0; j < other->branch_points; j++)
        if (same_point(a, &a->branch[b], k, other, other->branch_point[j]))
            return other->branch_point[j];
    return SIZE_MAX;
}

bool am_atlas_shared(const am_atlas *a, size_t b, size_t k) {
    for (size_t c = 0; c < a->branch_count; c++)
        if (c != b && place_on(a, b, k, c) != SIZE_MAX)
            return true;
    return false;
}

static am_status connect_point(am_atlas *a, size_t b, size_t k, am_error *err) {
    am_status status = AM_OK;
    for (size_t c = b + 1; c < a->branch_count && !status; c++) { /* each pair once */
        size_t j = place_on(a, b, k, c);
        if (j != SIZE_MAX)
            status = add(a, (am_atlas_connection){b, k, c, is_end(&a->branch[c], j), is_end(&a->branch[b], k)}, err);
    }
    if (!status && !am_atlas_shared(a, b, k))
        status = add(a, (am_atlas_connection){b, k, SIZE_MAX, false, is_end(&a->branch[b], k)}, err);
    return status;
}

am_status am_atlas_connect(am_atlas *a, am_error *err) {
    for (size_t b = 0; b < a->branch_count; b++)
        for (size_t k = 0; k < a->branch[b].branch_points; k++)
            AM_TRY(connect_point(a, b, a->branch[b].branch_point[k], err));
    return AM_OK;
}
