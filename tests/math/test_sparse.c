/* Condensation of sparse matrices, against dense elimination. */
#include "math/sparse.h"

#include <string.h>

#include "errors.h"
#include "math/dense.h"
#include "near.h"
#include "uniform.h"

enum { N = 40, KEPT = 7, ENTRIES = 8 * N };

/* A chain of springs with random chords, every node on soft ground. */
typedef struct problem {
    int row[ENTRIES], column[ENTRIES], kept[KEPT];
    double value[ENTRIES], dense[N * N];
    size_t count;
} problem;

static void add(problem *p, size_t i, size_t j, double value) {
    size_t low = i < j ? i : j, high = i < j ? j : i;
    p->row[p->count] = (int)high + 1;
    p->column[p->count] = (int)low + 1;
    p->value[p->count++] = value;
    p->dense[high * N + low] += value;
    if (high != low)
        p->dense[low * N + high] += value;
}

static void spring(problem *p, size_t i, size_t j, double k) {
    add(p, i, i, k);
    add(p, j, j, k);
    add(p, i, j, -k);
}

static void fill(problem *p, uint64_t *seed) {
    memset(p, 0, sizeof *p);
    for (size_t i = 0; i < N; i++) {
        add(p, i, i, 0.1);
        spring(p, i, (i + 1) % N, uniform(seed, 0.5, 2.0));
        if (i % 3 == 0)
            spring(p, i, (i + 5 + i / 3) % N, uniform(seed, 0.5, 2.0));
    }
    for (size_t i = 0; i < KEPT; i++)
        p->kept[i] = (int)(1 + (i * 11) % N); /* in no order */
}

/* All unknowns when the kept ones are held at `place`: dense elimination, a penalty-free bordered system. */
static void hold(const problem *p, const double *load, const double *place, double *x, double *force) {
    static double a[(N + KEPT) * (N + KEPT)];
    size_t n = N + KEPT;
    double b[N + KEPT], rcond;
    am_error err = {0};
    memset(a, 0, sizeof a);
    for (size_t i = 0; i < N; i++)
        memcpy(a + i * n, p->dense + i * N, N * sizeof *a);
    for (size_t k = 0; k < KEPT; k++) {
        size_t i = (size_t)p->kept[k] - 1;
        a[i * n + N + k] = a[(N + k) * n + i] = 1.0;
        b[N + k] = place[k];
    }
    memcpy(b, load, N * sizeof *b);
    assert_int_equal(am_dense_invert(a, n, &rcond, &err), AM_OK);
    double y[N + KEPT];
    am_dense_apply(a, n, n, b, y);
    memcpy(x, y, N * sizeof *x);
    for (size_t k = 0; k < KEPT; k++)
        force[k] = -y[N + k]; /* that holds them there */
}

/* Rounding: the condition number of these matrices is about 100. */
static const double tolerance = 1e-12;

static void test_condensed_structure_equals_the_whole_one(void **state) {
    (void)state;
    am_error err = {0};
    static problem p;
    uint64_t seed = 7;
    fill(&p, &seed);
    double schur[KEPT * KEPT], load[N], place[KEPT], felt[KEPT], x[N], wanted[N], force[KEPT];
    for (size_t i = 0; i < N; i++)
        load[i] = uniform(&seed, -1.0, 1.0);
    for (size_t k = 0; k < KEPT; k++)
        place[k] = uniform(&seed, -1.0, 1.0);
    am_sparse *sparse;
    am_status status = am_sparse_create(&sparse, AM_SPARSE_SYMMETRIC, N, p.count, p.row, p.column, &err);
    if (!am_sparse_available()) {
        assert_int_equal(status, AM_ERR_UNSUPPORTED);
        return;
    }
    bool singular;
    assert_int_equal(status, AM_OK);
    assert_int_equal(am_sparse_keep(sparse, KEPT, p.kept, schur, &err), AM_OK);
    assert_int_equal(am_sparse_factor(sparse, p.value, &singular, &err), AM_OK);
    assert_false(singular);
    assert_int_equal(am_sparse_condense(sparse, load, felt, &err), AM_OK);
    assert_int_equal(am_sparse_expand(sparse, load, place, x, &err), AM_OK);
    hold(&p, load, place, wanted, force);
    for (size_t i = 0; i < N; i++)
        assert_near(x[i], wanted[i], tolerance);
    for (size_t k = 0; k < KEPT; k++)
        assert_near(am_dense_dot(schur + k * KEPT, place, KEPT) - felt[k], force[k], tolerance);
    for (size_t k = 0; k < KEPT; k++) /* with nothing left between, loads at kept ones are felt as they are */
        for (size_t l = 0; l < k; l++)
            assert_true(schur[k * KEPT + l] == schur[l * KEPT + k]);
    am_sparse_free(sparse);
}

static void test_a_floating_structure_is_condensed_as_well(void **state) {
    (void)state;
    am_error err = {0};
    int row[] = {1, 2, 3, 2, 3}, column[] = {1, 2, 3, 1, 2}, kept[] = {3, 1};
    double value[] = {2.0, 5.0, 3.0, -2.0, -3.0}, schur[4]; /* springs 2 and 3 in series */
    am_sparse *sparse;
    bool singular;
    if (!am_sparse_available())
        return;
    assert_int_equal(am_sparse_create(&sparse, AM_SPARSE_SYMMETRIC, 3, 5, row, column, &err), AM_OK);
    assert_int_equal(am_sparse_keep(sparse, 2, kept, schur, &err), AM_OK);
    assert_int_equal(am_sparse_factor(sparse, value, &singular, &err), AM_OK);
    assert_false(singular);
    const double wanted[] = {1.2, -1.2, -1.2, 1.2};
    for (size_t i = 0; i < 4; i++)
        assert_near(schur[i], wanted[i], 1e-15);
    am_sparse_free(sparse);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_condensed_structure_equals_the_whole_one),
                                       cmocka_unit_test(test_a_floating_structure_is_condensed_as_well)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
