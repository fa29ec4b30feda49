#include "system/split.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/local.h"
#include "math/dense.h"
#include "math/lcp.h"
#include "system/system.h"

/* What is left of a sum of terms that cancel, relative to them, is rounding of the dependences (combination.c). */
static const double cancelled = 1e-9;

/* More facets than this are not handled: the forces of ten contacts in space have some hundred. */
enum { MOST_RAYS = 20000 };

struct am_split_workspace {
    size_t d;
    double *shift;    /* limits x d: how each limit changes with s */
    double *M;        /* limits x limits: shift (Z^T D Z)^-1 shift^T */
    double *inverse;  /* d x d: (Z^T D Z)^-1 */
    double *q, *z;    /* limits */
    double *diagonal; /* limits: of M */
    double *s, *pull; /* d */
    am_lcp_workspace *workspace;
    double *weight;    /* of all facets */
    am_limit *members; /* of all facets */
};

/* ---- the limits that depend on the split ---- */

/* How N and T of a contact change with s_j. */
static double shift_of_normal(const am_combination *k, size_t c, size_t j) {
    return k->normal_row[c] == AM_NO_ROW ? 0.0 : k->Z[k->normal_row[c] * k->redundant + j];
}

static double shift_of_tangential(const am_combination *k, const am_system *system, size_t c, size_t j) {
    if (k->stick_row[c] != AM_NO_ROW)
        return k->Z[k->stick_row[c] * k->redundant + j];
    return am_slip_sign(k->state[c]) * system->contact[c].friction * shift_of_normal(k, c, j);
}

/* Enter a limit if s changes it. */
static void add_limit(am_split *split, const am_combination *k, const am_system *system, const am_limit *limit) {
    double *shift = split->work->shift + split->limits * k->redundant;
    bool any = false;
    for (size_t j = 0; j < k->redundant; j++) {
        double N = shift_of_normal(k, limit->contact, j), T = shift_of_tangential(k, system, limit->contact, j);
        double value = am_limit_value(limit, N, T), size = am_limit_size(limit, N, T);
        shift[j] = fabs(value) > cancelled * size ? value : 0.0;
        any |= shift[j] != 0.0;
    }
    if (!any)
        return;
    split->limit[split->limits++] = *limit;
    split->shifts[limit->contact] = true;
}

/* N >= 0 follows from the other two limits where there is friction. */
static void list_limits(am_split *split, const am_combination *k, const am_system *system, am_split_friction friction,
                        const am_binding *binding) {
    static const am_binding all = {{true, true, true}};
    for (size_t c = 0; c < k->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        const bool *counts = binding ? binding[c].limit : all.limit, sticks = k->stick_row[c] != AM_NO_ROW;
        double mu = friction == AM_SPLIT_STATIC ? contact->static_friction : contact->friction;
        bool implied = sticks && mu > 0.0 && counts[AM_LIMIT_UPPER] && counts[AM_LIMIT_LOWER];
        if (k->normal_row[c] != AM_NO_ROW && counts[AM_LIMIT_NORMAL] && !implied)
            add_limit(split, k, system, &(am_limit){c, AM_LIMIT_NORMAL, mu});
        if (sticks && counts[AM_LIMIT_UPPER])
            add_limit(split, k, system, &(am_limit){c, AM_LIMIT_UPPER, mu});
        if (sticks && counts[AM_LIMIT_LOWER])
            add_limit(split, k, system, &(am_limit){c, AM_LIMIT_LOWER, mu});
    }
}

/* ---- facets: extreme rays of the cone { w >= 0, w^T shift = 0 } ----
 *
 * By double description. The cone w >= 0 has the unit vectors as its extreme rays. Each column of `shift` cuts it: rays
 * in the plane stay, and every two neighbouring rays on either side of it meet in a new one. Two rays are neighbours
 * when no third has its support in the union of theirs. Supports are known exactly, for weights never cancel. */

typedef struct rays {
    size_t limits, words, count, capacity;
    double *weight;    /* count x limits */
    uint64_t *support; /* count x words */
    double *value;     /* count: on the present column */
} rays;

static void clear_rays(rays *r) {
    am_memory_free(r->weight);
    am_memory_free(r->support);
    am_memory_free(r->value);
}

static am_status reserve_ray(rays *r, am_error *err) {
    if (r->count < r->capacity)
        return AM_OK;
    if (r->count >= MOST_RAYS)
        return am_fail(err, AM_ERR_LIMIT,
                       "contacts at rest whose directions depend on each other can share their forces in more than %d "
                       "ways: too many to say when they slip",
                       (int)MOST_RAYS);
    size_t capacity = 2 * r->capacity + 16;
    AM_TRY(am_memory_resize(&r->weight, capacity * r->limits, err));
    AM_TRY(am_memory_resize(&r->support, capacity * r->words, err));
    AM_TRY(am_memory_resize(&r->value, capacity, err));
    r->capacity = capacity;
    return AM_OK;
}

/* alpha a + beta b as a new ray of `to`, largest weight 1; b may be NULL. */
static am_status add_ray(rays *to, const rays *from, double alpha, size_t a, double beta, size_t b, am_error *err) {
    AM_TRY(reserve_ray(to, err));
    double *weight = to->weight + to->count * to->limits;
    uint64_t *support = to->support + to->count * to->words;
    for (size_t i = 0; i < to->limits; i++)
        weight[i] = alpha * from->weight[a * to->limits + i] + beta * from->weight[b * to->limits + i];
    for (size_t w = 0; w < to->words; w++)
        support[w] = from->support[a * to->words + w] | (beta > 0.0 ? from->support[b * to->words + w] : (uint64_t)0);
    double largest = am_dense_largest(weight, to->limits);
    for (size_t i = 0; i < to->limits; i++)
        weight[i] /= largest;
    to->count++;
    return AM_OK;
}

/* w.shift_j of every ray; zero where the terms cancel. */
static void evaluate_column(rays *r, const double *shift, size_t d, size_t j) {
    for (size_t a = 0; a < r->count; a++) {
        double sum = 0.0, size = 0.0;
        for (size_t i = 0; i < r->limits; i++) {
            double term = r->weight[a * r->limits + i] * shift[i * d + j];
            sum += term;
            size += fabs(term);
        }
        r->value[a] = fabs(sum) > cancelled * size ? sum : 0.0;
    }
}

static bool are_neighbours(const rays *r, size_t a, size_t b) {
    const uint64_t *one = r->support + a * r->words, *two = r->support + b * r->words;
    for (size_t t = 0; t < r->count; t++) {
        const uint64_t *third = r->support + t * r->words;
        bool inside = t != a && t != b;
        for (size_t w = 0; w < r->words && inside; w++)
            inside = (third[w] & ~(one[w] | two[w])) == 0;
        if (inside)
            return false;
    }
    return true;
}

static am_status cut(const rays *old, rays *new, am_error *err) {
    new->count = 0;
    for (size_t a = 0; a < old->count; a++) {
        AM_TRY(old->value[a] == 0.0 ? add_ray(new, old, 1.0, a, 0.0, a, err) : AM_OK);
        for (size_t b = 0; b < old->count && old->value[a] > 0.0; b++)
            if (old->value[b] < 0.0 && are_neighbours(old, a, b))
                AM_TRY(add_ray(new, old, -old->value[b], a, old->value[a], b, err));
    }
    return AM_OK;
}

static am_status find_rays(const am_split *split, rays *r, am_error *err) {
    size_t limits = split->limits, d = split->work->d, words = (limits + 63) / 64;
    AM_LOCAL(clear_rays) rays other = {.limits = limits, .words = words};
    *r = (rays){.limits = limits, .words = words};
    for (size_t i = 0; i < limits; i++) {
        AM_TRY(reserve_ray(r, err));
        memset(r->weight + i * limits, 0, limits * sizeof *r->weight);
        memset(r->support + i * words, 0, words * sizeof *r->support);
        r->weight[i * limits + i] = 1.0;
        r->support[i * words + i / 64] = (uint64_t)1 << (i % 64);
        r->count++;
    }
    for (size_t j = 0; j < d; j++) {
        evaluate_column(r, split->work->shift, d, j);
        AM_TRY(cut(r, &other, err));
        rays swap = *r;
        *r = other, other = swap;
    }
    return AM_OK;
}

/* ---- facets from rays ---- */

/* Is N of this contact among the forces that can be shifted? */
static bool normal_shifts(const am_combination *k, size_t c) {
    return k->normal_row[c] != AM_NO_ROW &&
           am_dense_largest(k->Z + k->normal_row[c] * k->redundant, k->redundant) > 0.0;
}

/* Both limits of one contact and nothing else, where s does not change its N: 2 mu N >= 0, which is known without. */
static bool is_normal_force(const am_split *split, const am_combination *k, const double *weight) {
    size_t count = 0, contact = 0;
    bool one = true;
    for (size_t i = 0; i < split->limits; i++) {
        if (!(weight[i] > 0.0))
            continue;
        one = one && (count == 0 || split->limit[i].contact == contact);
        contact = split->limit[i].contact;
        count++;
    }
    return one && count == 2 && !normal_shifts(k, contact);
}

/* The limits of one contact follow each other: one of them in a facet is that limit, both are the normal force. Returns
 * how many contacts take part; those that slip come first. */
static size_t list_members(const am_split *split, const double *weight, am_limit *member) {
    size_t count = 0;
    for (int opens = 0; opens < 2; opens++)
        for (size_t i = 0; i < split->limits; i++) {
            if (!(weight[i] > 0.0))
                continue;
            am_limit limit = split->limit[i];
            bool both = i + 1 < split->limits && split->limit[i + 1].contact == limit.contact && weight[i + 1] > 0.0;
            if (both)
                limit.kind = AM_LIMIT_NORMAL;
            if ((limit.kind == AM_LIMIT_NORMAL) == opens)
                member[count++] = limit;
            i += both;
        }
    return count;
}

static am_status make_facets(am_split *split, const am_combination *k, const rays *r, am_error *err) {
    struct am_split_workspace *work = split->work;
    size_t limits = split->limits;
    split->facet = am_arena_new(&split->memory, r->count, sizeof *split->facet, err);
    work->weight = am_arena_doubles(&split->memory, NULL, r->count * limits, err);
    work->members = am_arena_new(&split->memory, r->count * limits, sizeof *work->members, err);
    if (am_arena_status(&split->memory))
        return AM_ERR_MEMORY;
    for (size_t a = 0; a < r->count; a++) {
        double *weight = work->weight + split->facets * limits;
        am_limit *member = work->members + split->facets * limits;
        if (is_normal_force(split, k, r->weight + a * limits))
            continue;
        memcpy(weight, r->weight + a * limits, limits * sizeof *weight);
        split->facet[split->facets++] = (am_facet){list_members(split, weight, member), member, weight};
    }
    return AM_OK;
}

/* Is there an s other than 0 that takes nothing from any limit? By Stiemke's lemma there is none if and only if every
 * limit has a part in some ray. */
static bool limits_are_left_out(const am_split *split, const rays *r) {
    for (size_t i = 0; i < split->limits; i++) {
        bool any = false;
        for (size_t a = 0; a < r->count && !any; a++)
            any = r->weight[a * split->limits + i] > 0.0;
        if (!any)
            return true;
    }
    return false;
}

/* ---- the split that is reported ----
 *
 * Minimise s^T H s/2 with H = Z^T D Z, for lambda itself has Z^T D lambda = 0, subject to value + shift s >= 0. With
 * the multipliers z >= 0 of the limits s = H^-1 shift^T z, and w = value + shift H^-1 shift^T z >= 0, z.w = 0. */

/* Where a group is about to slip only one split is left, and rounding may leave none: each limit may be overdrawn a
 * little then, no more than needed. */
static const double yielding[] = {0.0, 1e-13, 1e-11, 1e-9};

static am_status prepare_choice(am_split *split, const am_combination *k, am_error *err) {
    struct am_split_workspace *work = split->work;
    size_t limits = split->limits, d = work->d;
    work->M = am_arena_doubles(&split->memory, NULL, limits * limits, err);
    work->inverse = am_arena_doubles(&split->memory, NULL, d * d, err);
    AM_ARENA_DOUBLES(&split->memory, limits, err, &work->q, &work->z, &work->diagonal);
    work->workspace = am_lcp_workspace_create(err);
    if (am_arena_status(&split->memory) || !work->workspace)
        return AM_ERR_MEMORY;
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++)
            for (size_t r = 0; r < k->p; r++)
                work->inverse[a * d + b] += k->Z[r * d + a] * k->weight[r] * k->Z[r * d + b];
    double rcond;
    AM_TRY(am_dense_invert(work->inverse, d, &rcond, err));
    for (size_t i = 0; i < limits; i++) {
        am_dense_apply(work->inverse, d, d, work->shift + i * d, work->s);
        for (size_t l = 0; l < limits; l++)
            work->M[l * limits + i] = am_dense_dot(work->shift + l * d, work->s, d);
        work->diagonal[i] = work->M[i * (limits + 1)];
    }
    return AM_OK;
}

/* ---- making and freeing ---- */

static am_status allocate(am_split *split, const am_combination *k, am_error *err) {
    struct am_split_workspace *work = split->work = am_arena_new(&split->memory, 1, sizeof *work, err);
    if (!work)
        return AM_ERR_MEMORY;
    work->d = k->redundant;
    work->shift = am_arena_doubles(&split->memory, NULL, 3 * k->m * work->d, err);
    AM_ARENA_DOUBLES(&split->memory, work->d, err, &work->s, &work->pull);
    split->limit = am_arena_new(&split->memory, 3 * k->m, sizeof *split->limit, err);
    split->shifts = am_arena_new(&split->memory, k->m, sizeof *split->shifts, err);
    return am_arena_status(&split->memory);
}

static am_status fill(am_split *split, const am_system *system, const am_combination *k, am_split_friction friction,
                      const am_binding *binding, rays *r, am_error *err) {
    AM_TRY(allocate(split, k, err));
    list_limits(split, k, system, friction, binding);
    AM_TRY(find_rays(split, r, err));
    split->clamps = limits_are_left_out(split, r);
    am_status status = make_facets(split, k, r, err);
    return status ? status : prepare_choice(split, k, err);
}

am_status am_split_create(const am_system *system, const am_combination *combination, am_split_friction friction,
                          const am_binding *binding, am_split **made, am_error *err) {
    *made = NULL;
    if (combination->redundant == 0)
        return AM_OK;
    am_split *split = am_memory_new(1, sizeof *split, err);
    if (!split)
        return AM_ERR_MEMORY;
    rays r = {0};
    am_status status = fill(split, system, combination, friction, binding, &r, err);
    clear_rays(&r);
    if (status)
        am_split_free(split);
    else
        *made = split;
    return status;
}

void am_split_free(am_split *split) {
    if (!split)
        return;
    if (split->work)
        am_lcp_workspace_free(split->work->workspace);
    am_arena_clear(&split->memory);
    am_memory_free(split);
}

bool am_split_shares(const am_split *split, const am_combination *combination, size_t contact, am_limit_kind kind) {
    if (!split || !split->shifts[contact])
        return false;
    for (size_t i = 0; i < split->limits; i++)
        if (split->limit[i].contact == contact && split->limit[i].kind == kind)
            return true;
    return kind == AM_LIMIT_NORMAL && normal_shifts(combination, contact);
}

am_status am_split_possible(const am_system *system, const double *S, const am_contact_state *state, bool *possible,
                            bool *clamps, am_error *err) {
    AM_LOCAL(am_combination_clear) am_combination k = {0};
    am_split *split = NULL;
    *possible = false;
    if (clamps)
        *clamps = false;
    AM_TRY(am_combination_init(&k, system, S, state, err));
    AM_TRY(am_combination_share(&k, S, err));
    AM_TRY(am_split_create(system, &k, AM_SPLIT_STATIC, NULL, &split, err));
    bool unique = k.condition > 0.0, clamped = split && split->clamps;
    *possible = unique && !clamped;
    if (clamps)
        *clamps = unique && clamped;
    am_split_free(split);
    return AM_OK;
}

/* ---- choosing ---- */

static void apply_shift(const am_split *split, const am_combination *k, const am_system *system, double *normal,
                        double *tangential) {
    for (size_t c = 0; c < k->m; c++)
        for (size_t j = 0; j < k->redundant && split->shifts[c]; j++) {
            normal[c] += split->work->s[j] * shift_of_normal(k, c, j);
            tangential[c] += split->work->s[j] * shift_of_tangential(k, system, c, j);
        }
}

/* From any forces to those of least weighted squares: s = -H^-1 Z^T D lambda. */
static void take_least(const am_split *split, const am_combination *k, const am_system *system, double *normal,
                       double *tangential) {
    struct am_split_workspace *work = split->work;
    for (size_t j = 0; j < work->d; j++) {
        work->pull[j] = 0.0;
        for (size_t c = 0; c < k->m; c++) {
            size_t N = k->normal_row[c], T = k->stick_row[c];
            if (N != AM_NO_ROW)
                work->pull[j] -= k->Z[N * work->d + j] * k->weight[N] * normal[c];
            if (T != AM_NO_ROW)
                work->pull[j] -= k->Z[T * work->d + j] * k->weight[T] * tangential[c];
        }
    }
    am_dense_apply(work->inverse, work->d, work->d, work->pull, work->s);
    apply_shift(split, k, system, normal, tangential);
}

/* The multipliers z of the limits; `yield`: of each limit, relative to what a unit of its multiplier does to it. */
static bool solve_choice(am_split *split, double yield) {
    struct am_split_workspace *work = split->work;
    am_lcp problem = am_lcp_dense(split->limits, work->M, work->q);
    am_lcp_options options = {.method = AM_LCP_LEMKE};
    am_lcp_info info;
    am_error own = {0};
    for (size_t i = 0; i < split->limits; i++)
        work->M[i * (split->limits + 1)] = work->diagonal[i] * (1.0 + yield);
    return !am_lcp_solve(&problem, &options, work->workspace, work->z, &info, &own) && info.status == AM_LCP_SOLVED;
}

void am_split_choose(am_split *split, const am_combination *combination, const am_system *system, double *normal,
                     double *tangential) {
    struct am_split_workspace *work = split->work;
    size_t limits = split->limits, d = work->d;
    bool spent = false;
    take_least(split, combination, system, normal, tangential);
    for (size_t i = 0; i < limits; i++) {
        const am_limit *limit = &split->limit[i];
        work->q[i] = am_limit_value(limit, normal[limit->contact], tangential[limit->contact]);
        spent |= work->q[i] < 0.0;
    }
    if (!spent)
        return;
    bool solved = false;
    for (size_t i = 0; i < sizeof yielding / sizeof *yielding && !solved; i++)
        solved = solve_choice(split, yielding[i]);
    if (!solved)
        return;
    memset(work->pull, 0, d * sizeof *work->pull);
    for (size_t i = 0; i < limits; i++)
        for (size_t j = 0; j < d; j++)
            work->pull[j] += work->z[i] * work->shift[i * d + j];
    am_dense_apply(work->inverse, d, d, work->pull, work->s);
    apply_shift(split, combination, system, normal, tangential);
}
