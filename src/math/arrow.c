#include "math/arrow.h"

#include <math.h>
#include <string.h>

#include "base/spread.h"
#include "math/dense.h"
#include "math/front.h"
#include "math/lu.h"
#include "math/lu_single.h"

/* A group: its front, and which unknowns of the rest it meets. */
typedef struct branch {
    am_lu_front front;    /* of an array */
    am_front sparse;      /* of what is no array */
    size_t first;         /* of its unknowns */
    size_t *row, *column; /* of the front behind k, counted from the first of the rest */
} branch;

struct am_arrow {
    size_t m, rest; /* unknowns; of these, eliminated last */
    double *a;      /* factors of the rest... */
    float *single;  /* ...or, with half the digits, these; NULL: there are none */
    int *order;     /* m: of the rest, then of the groups */
    size_t branches;
    branch *branch;
    bool sourced;         /* fronts are sparse */
    double *moved;        /* m */
    am_arena *memory;     /* of these, made when first needed: */
    double *fronts, *own; /* of the groups; the rest of a matrix that is no array */
    size_t fronts_size, own_size;
    am_front_entry *entries;
    size_t *firsts, entries_size, firsts_size;
    size_t *index;       /* of branches: 2 m of each */
    size_t *list, *rows; /* m each */
    float *singles, *single_work;
    size_t singles_size;
};

enum { MOST_GROUPS = 64 };

am_arrow *am_arrow_create(am_arena *memory, size_t m, am_error *err) {
    am_arrow *w = am_arena_new(memory, 1, sizeof *w, err);
    if (!w)
        return NULL;
    *w = (am_arrow){.m = m, .memory = memory};
    w->order = am_arena_new(memory, m, sizeof *w->order, err);
    w->branch = am_arena_new(memory, MOST_GROUPS, sizeof *w->branch, err);
    w->moved = am_arena_doubles(memory, NULL, m, err);
    return am_arena_status(memory) ? NULL : w;
}

/* ---- which unknowns of the rest a group meets ---- */

static bool row_is_zero(const double *x, size_t count) {
    return count == 0 || am_dense_largest(x, count) == 0.0;
}

static void find_meetings(const am_arrow *w, const double *a, size_t rest, branch *b) {
    size_t m = w->m, from = b->first, to = from + b->front.k, first = m - rest;
    double *sum = w->moved; /* of each column of the rest */
    memset(sum, 0, rest * sizeof *sum);
    for (size_t i = from; i < to; i++)
        for (size_t j = 0; j < rest; j++)
            sum[j] += fabs(a[i * m + first + j]);
    b->front.columns = b->front.rows = b->front.k;
    for (size_t j = 0; j < rest; j++)
        if (sum[j] != 0.0)
            b->column[b->front.columns++ - b->front.k] = j;
    for (size_t i = 0; i < rest; i++)
        if (!row_is_zero(a + (first + i) * m + from, b->front.k))
            b->row[b->front.rows++ - b->front.k] = i;
}

/* Do unknowns from..to meet no others of groups? */
static bool stands_apart(const double *a, size_t m, size_t from, size_t to, size_t end) {
    for (size_t i = from; i < to; i++)
        if (!row_is_zero(a + i * m, from) || !row_is_zero(a + i * m + to, end - to))
            return false;
    return true;
}

/* The front [D B; C 0] of a group, behind `at` in w->fronts; false: there is no room, or it meets another. */
static bool gather(am_arrow *w, const double *a, size_t rest, branch *b, size_t *at) {
    size_t m = w->m, first = m - rest, from = b->first, k = b->front.k;
    if (!stands_apart(a, m, from, from + k, first))
        return false;
    find_meetings(w, a, rest, b);
    size_t stride = b->front.columns, count = b->front.rows * stride;
    if (*at + count > m * m)
        return false;
    double *to = b->front.a = w->fronts + *at;
    *at += count;
    memset(to + k * stride, 0, (count - k * stride) * sizeof *to);
    for (size_t i = 0; i < k; i++, to += stride) {
        const double *row = a + (from + i) * m;
        memcpy(to, row + from, k * sizeof *to);
        for (size_t j = k; j < stride; j++)
            to[j] = row[first + b->column[j - k]];
    }
    for (size_t i = k; i < b->front.rows; i++, to += stride)
        memcpy(to, a + (first + b->row[i - k]) * m + from, k * sizeof *to);
    return true;
}

static bool eliminate_groups(am_arrow *w, const double *a, const size_t *ends, size_t groups) {
    size_t at = 0, rest = w->m - ends[groups - 1], from = 0;
    for (size_t g = 0; g < groups; from = ends[g++]) {
        branch *b = &w->branch[g];
        b->first = from;
        b->front.k = ends[g] - from;
        b->front.order = w->order + rest + from;
        b->row = w->index + 2 * g * w->m;
        b->column = b->row + w->m;
        if (!gather(w, a, rest, b, &at) || !am_lu_eliminate(&b->front))
            return false;
    }
    return true;
}

/* ---- factors ---- */

/* What the groups leave in the rest. */
static void add_shares(const am_arrow *w, double *a) {
    for (size_t g = 0; g < w->branches; g++) {
        const branch *b = &w->branch[g];
        size_t k = b->front.k, stride = b->front.columns;
        for (size_t i = k; i < b->front.rows; i++) {
            double *row = a + b->row[i - k] * w->rest;
            const double *share = b->front.a + i * stride;
            for (size_t j = k; j < stride; j++)
                row[b->column[j - k]] += share[j];
        }
    }
}

/* S, and what the groups leave in it, at the beginning of a. */
static void assemble(am_arrow *w, double *a) {
    size_t m = w->m, rest = w->rest, first = m - rest;
    for (size_t i = 0; i < rest; i++)
        memmove(a + i * rest, a + (first + i) * m + first, rest * sizeof *a);
    add_shares(w, a);
}

/* So many numbers, and a half more where there were too few. */
static bool reserve_items(am_arrow *w, void **array, size_t *size, size_t count, size_t item) {
    if (*array && *size >= count)
        return true;
    *size = *array ? count + count / 2 : count;
    *array = am_arena_new(w->memory, *size, item, NULL);
    return *array != NULL;
}

static bool reserve_array(am_arrow *w, double **array, size_t *size, size_t count) {
    void *items = *array;
    bool enough = reserve_items(w, &items, size, count, sizeof **array);
    *array = items;
    return enough;
}

/* Without memory everything is factored as a whole. */
static bool reserve_index(am_arrow *w) {
    if (!w->index)
        w->index = am_arena_new(w->memory, 2 * w->m * MOST_GROUPS, sizeof *w->index, NULL);
    if (!w->list)
        AM_ARENA_ARRAYS(w->memory, size_t, w->m, NULL, &w->list, &w->rows);
    return w->index && w->list && w->rows;
}

static bool reserve(am_arrow *w) {
    return reserve_index(w) && reserve_array(w, &w->fronts, &w->fronts_size, w->m * w->m);
}

bool am_arrow_factor(am_arrow *w, double *a, const size_t *ends, size_t groups) {
    bool apart = groups > 0 && groups <= MOST_GROUPS && reserve(w) && eliminate_groups(w, a, ends, groups);
    w->branches = apart ? groups : 0;
    w->rest = apart ? w->m - ends[groups - 1] : w->m;
    w->sourced = false;
    w->single = NULL;
    w->a = a;
    if (apart)
        assemble(w, a);
    return am_lu_factor(a, w->rest, w->order);
}

/* ---- factors of what is no array ---- */

enum { ROWS_AT_ONCE = 32 };

static void arrange_front(am_arrow *w, const am_arrow_source *source, size_t g, size_t from, size_t to) {
    branch *b = &w->branch[g];
    size_t columns = 0, rows = 0;
    b->row = w->index + 2 * g * w->m;
    b->column = b->row + w->m;
    source->meet(source->context, g, b->column, &columns, b->row, &rows);
    b->first = from;
    b->sparse =
        (am_front){.k = to - from, .columns = to - from + columns, .below = rows, .order = w->order + w->rest + from};
}

/* Where the numbers of the fronts stand, one front after the other. */
static bool place_fronts(am_arrow *w) {
    size_t total = ROWS_AT_ONCE * w->m, entries = 1, indices = 0;
    void *entry_items = w->entries, *first_items = w->firsts;
    for (size_t g = 0; g < w->branches; g++) {
        const am_front *f = &w->branch[g].sparse;
        total += (f->k + f->below) * f->columns;
        entries += am_front_most_entries(f->k, f->below);
        indices += 2 * f->below + 1;
    }
    if (!reserve_array(w, &w->fronts, &w->fronts_size, total) ||
        !reserve_items(w, &entry_items, &w->entries_size, entries, sizeof *w->entries) ||
        !reserve_items(w, &first_items, &w->firsts_size, indices, sizeof *w->firsts))
        return false;
    double *a = w->fronts + ROWS_AT_ONCE * w->m;
    am_front_entry *entry = w->entries = entry_items;
    size_t *first = w->firsts = first_items;
    for (size_t g = 0; g < w->branches; g++) {
        am_front *f = &w->branch[g].sparse;
        f->a = a;
        f->C = a + f->k * f->columns;
        f->share = f->C + f->k * f->below;
        a = f->share + f->below * (f->columns - f->k);
        f->entry = entry;
        entry += am_front_most_entries(f->k, f->below);
        f->first = first;
        f->full_row = first + f->below + 1;
        first = f->full_row + f->below;
        f->first[0] = 0;
    }
    return true;
}

static void fill_front(am_arrow *w, const am_arrow_source *source, branch *b) {
    am_front *f = &b->sparse;
    size_t k = f->k, first = w->m - w->rest;
    for (size_t j = 0; j < f->columns; j++)
        w->list[j] = j < k ? b->first + j : first + b->column[j - k];
    source->block(source->context, k, w->list, f->columns, w->list, f->a, f->columns);
    for (size_t from = 0; from < f->below; from += ROWS_AT_ONCE) {
        size_t count = f->below - from < ROWS_AT_ONCE ? f->below - from : ROWS_AT_ONCE;
        for (size_t i = 0; i < count; i++)
            w->rows[i] = first + b->row[from + i];
        source->block(source->context, count, w->rows, k, w->list, w->fronts, k);
        for (size_t i = 0; i < count; i++)
            am_front_take_row(f, from + i, w->fronts + i * k);
    }
}

static am_status eliminate_front(void *context, void *worker, size_t g, am_error *err) {
    const am_arrow *w = context;
    (void)worker;
    return am_front_eliminate(&w->branch[g].sparse) ? AM_OK : am_fail(err, AM_ERR_LIMIT, "a group has no pivots");
}

/* A thread works in the fronts alone. */
static void *open_worker(void *context, int thread, am_error *err) {
    (void)thread, (void)err;
    return context;
}

/* Products of them all, about. */
static double work_of_fronts(const am_arrow *w) {
    double products = 0.0;
    for (size_t g = 0; g < w->branches; g++)
        products += (double)w->branch[g].sparse.k * (double)w->branch[g].sparse.k * (double)w->branch[g].sparse.columns;
    return products;
}

static am_status eliminate_fronts(am_arrow *w) {
    const am_spread all = {.count = w->branches,
                           .chunk = 1,
                           .threads = am_spread_threads(work_of_fronts(w)),
                           .context = w,
                           .open = open_worker,
                           .item = eliminate_front};
    am_error refusal = {0};
    return am_spread_run(&all, &refusal);
}

/* From this order on half the digits are worth it. */
enum { SINGLE_SIZE = 400 };

static bool factor_single(am_arrow *w) {
    void *items = w->singles;
    if (!w->single_work)
        w->single_work = am_arena_new(w->memory, w->m, sizeof *w->single_work, NULL);
    if (!w->single_work || !reserve_items(w, &items, &w->singles_size, w->rest * w->rest, sizeof *w->singles))
        return false;
    w->singles = items;
    return am_lu_factor_single(w->own, w->rest, w->singles, w->order);
}

/* The rest with what the fronts leave in it. */
static bool fill_rest(am_arrow *w, const am_arrow_source *source) {
    bool fine = true;
    for (size_t j = 0; j < w->rest; j++)
        w->list[j] = w->m - w->rest + j;
    source->block(source->context, w->rest, w->list, w->rest, w->list, w->own, w->rest);
    for (size_t g = 0; g < w->branches; g++) {
        const branch *b = &w->branch[g];
        fine = am_front_add_share(&b->sparse, b->row, b->column, w->own, w->rest, w->moved) && fine;
    }
    return fine;
}

am_arrow_verdict am_arrow_factor_source(am_arrow *w, const am_arrow_source *source, const size_t *ends, size_t groups,
                                        bool single) {
    w->single = NULL;
    if (groups == 0 || groups > MOST_GROUPS || !reserve_index(w))
        return AM_ARROW_NOT_APART;
    w->branches = groups;
    w->rest = w->m - ends[groups - 1];
    w->sourced = true;
    for (size_t g = 0; g < groups; g++)
        arrange_front(w, source, g, g > 0 ? ends[g - 1] : 0, ends[g]);
    if (!place_fronts(w) || !reserve_array(w, &w->own, &w->own_size, w->rest * w->rest))
        return AM_ARROW_NOT_APART;
    for (size_t g = 0; g < groups; g++)
        fill_front(w, source, &w->branch[g]);
    am_status status = eliminate_fronts(w);
    if (status == AM_ERR_INTERRUPTED)
        return AM_ARROW_SINGULAR; /* the next evaluation says so */
    w->a = w->own;
    if (status || !fill_rest(w, source))
        return AM_ARROW_NOT_APART;
    if (single && w->rest >= SINGLE_SIZE && factor_single(w)) {
        w->single = w->singles;
        return AM_ARROW_FACTORED;
    }
    return am_lu_factor(w->own, w->rest, w->order) ? AM_ARROW_FACTORED : AM_ARROW_SINGULAR;
}

/* ---- using them ---- */

bool am_arrow_is_single(const am_arrow *w) {
    return w->single != NULL;
}

static void go_forward(const am_arrow *w, const branch *b, double *x, double *rest) {
    if (w->sourced) {
        am_front_forward(&b->sparse, x, b->row, rest);
        return;
    }
    size_t count = b->front.rows - b->front.k;
    memset(w->moved, 0, count * sizeof *w->moved);
    am_lu_forward(&b->front, x, w->moved);
    for (size_t i = 0; i < count; i++)
        rest[b->row[i]] += w->moved[i];
}

static void go_back(const am_arrow *w, const branch *b, double *x, const double *rest) {
    size_t count = w->sourced ? b->sparse.columns - b->sparse.k : b->front.columns - b->front.k;
    for (size_t j = 0; j < count; j++)
        w->moved[j] = rest[b->column[j]];
    if (w->sourced)
        am_front_backward(&b->sparse, x, w->moved);
    else
        am_lu_backward(&b->front, x, w->moved);
}

void am_arrow_solve(const am_arrow *w, double *x) {
    double *rest = x + (w->m - w->rest);
    for (size_t g = 0; g < w->branches; g++)
        go_forward(w, &w->branch[g], x + w->branch[g].first, rest);
    if (w->single)
        am_lu_solve_single(w->single, w->rest, w->order, rest, w->single_work);
    else
        am_lu_solve(w->a, w->rest, w->order, 1, rest);
    for (size_t g = 0; g < w->branches; g++)
        go_back(w, &w->branch[g], x + w->branch[g].first, rest);
}

int am_arrow_sign(const am_arrow *w) {
    int sign = w->single ? am_lu_sign_single(w->single, w->rest, w->order) : am_lu_sign(w->a, w->rest, w->order);
    for (size_t g = 0; g < w->branches; g++)
        sign *= w->sourced ? am_front_sign(&w->branch[g].sparse) : am_lu_front_sign(&w->branch[g].front);
    return sign;
}

double am_arrow_pivot(const am_arrow *w, size_t i) {
    for (size_t g = 0; g < w->branches; g++) {
        const branch *b = &w->branch[g];
        size_t k = w->sourced ? b->sparse.k : b->front.k, stride = w->sourced ? b->sparse.columns : b->front.columns;
        if (i < b->first + k)
            return (w->sourced ? b->sparse.a : b->front.a)[(i - b->first) * (stride + 1)];
    }
    size_t k = i - (w->m - w->rest);
    return w->single ? (double)w->single[k * (w->rest + 1)] : w->a[k * (w->rest + 1)];
}
