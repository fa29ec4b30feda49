/* The inverse that follows a large set (math/lcp_large.c) against factors computed afresh by LAPACK. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lapacke.h>

#include "base/random.h"
#include "math/lcp.h"
#include "math/lcp_block.h"

enum { N = 700 };

typedef struct fixture {
    uint64_t draw;
    double *M, *q;
    unsigned char in[N];
    size_t count, set[N];
    am_lcp lcp;
    am_lcp_block block;
    double largest; /* difference from LAPACK, relative */
    size_t negative, checks;
} fixture;

static double between(fixture *f, double low, double high) {
    return low + (high - low) * am_random_unit(77, f->draw++, 0);
}

/* Of either sign of determinant, not symmetric; well enough conditioned (some hundreds) for every subset. */
static void begin(fixture *f) {
    memset(f, 0, sizeof *f);
    f->M = calloc((size_t)N * N, sizeof *f->M);
    f->q = calloc(N, sizeof *f->q);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            f->M[i * N + j] = i == j ? (i % 3 ? 40 : -40) : between(f, -1, 1);
    f->lcp = am_lcp_dense(N, f->M, f->q);
}

static void end(fixture *f) {
    am_lcp_block_clear(&f->block);
    free(f->M), free(f->q);
}

static void list(fixture *f) {
    f->count = 0;
    for (size_t i = 0; i < N; i++)
        if (f->in[i])
            f->set[f->count++] = i;
}

/* Solution and sign of the determinant by LAPACK. */
static int reference(const fixture *f, const double *b, double *x) {
    size_t k = f->count;
    int *order = calloc(k, sizeof *order), sign = 1;
    double *a = calloc(k * k, sizeof *a);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            a[i * k + j] = f->M[f->set[i] * N + f->set[j]];
    memcpy(x, b, k * sizeof *x);
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, (int)k, 1, a, (int)k, order, x, 1), 0);
    for (size_t i = 0; i < k; i++)
        sign = (order[i] != (int)i + 1) != (a[i * k + i] < 0) ? -sign : sign;
    free(a), free(order);
    return sign;
}

static void check(fixture *f) {
    double b[N], x[N], y[N], size = 0;
    bool regular;
    am_error err = {0};
    list(f);
    for (size_t i = 0; i < f->count; i++)
        b[i] = between(f, -1, 1);
    int sign = reference(f, b, y);
    assert_int_equal(am_lcp_block_set(&f->block, &f->lcp, f->count, f->set, false, &regular, &err), AM_OK);
    assert_true(regular);
    am_lcp_block_solve(&f->block, b, x);
    for (size_t i = 0; i < f->count; i++)
        size = fmax(size, fabs(y[i]));
    for (size_t i = 0; i < f->count; i++)
        if (!(fabs(x[i] - y[i]) <= f->largest * size))
            f->largest = fabs(x[i] - y[i]) / size; /* NaN comes through */
    assert_int_equal(am_lcp_block_sign(&f->block), sign);
    f->negative += sign < 0;
    f->checks++;
}

static void exchange(fixture *f, size_t changes) {
    for (size_t i = 0; i < changes; i++) {
        size_t c = (size_t)between(f, 0, N);
        f->in[c] = !f->in[c];
    }
}

/* Rounding of an inverse: 1e-16 times the condition number and the number of edges folded in (a thousand or so). */
static void assert_accurate(const fixture *f) {
    if (!(f->largest <= 1e-10))
        fail_msg("the solutions differ by %g", f->largest);
    assert_true(f->negative > 0 && f->negative < f->checks);
}

static void solution_and_sign_follow_a_set_that_changes_at_random(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    for (size_t i = 0; i < N; i++)
        f.in[i] = between(&f, 0, 1) < 0.6;
    for (int round = 0; round < 40; round++) {
        exchange(&f, (size_t[]){1, 4, 30, 60}[round % 4]);
        check(&f);
    }
    assert_accurate(&f);
    assert_true(f.block.is_large && f.block.large.folded > 200 && f.block.factored == 1); /* never anew */
    end(&f);
}

static void a_set_at_rest_has_its_edges_folded_in_and_keeps_its_solution(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    for (size_t i = 0; i < N; i++)
        f.in[i] = i < 400;
    check(&f);
    for (int round = 0; round < 6; round++) {
        exchange(&f, 70);
        check(&f);
        assert_true(f.block.large.m > 0);
        check(&f); /* the same set again */
        assert_int_equal(f.block.large.m, 0);
        assert_int_equal(f.block.large.k, f.count);
    }
    assert_accurate(&f);
    end(&f);
}

/* From nothing to all and back, a front moving: memory grows, large becomes small and large again. */
static void a_set_that_grows_and_shrinks_is_followed(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    for (size_t top = 200; top <= N; top += 25) {
        for (size_t i = 0; i < N; i++)
            f.in[i] = i < top;
        check(&f);
    }
    assert_true(f.block.large.factored == 1); /* larger memory takes over what is known */
    for (size_t top = N; top >= 150; top -= 50) {
        for (size_t i = 0; i < N; i++)
            f.in[i] = i >= N - top;
        check(&f);
    }
    assert_false(f.block.is_large);
    for (size_t i = 0; i < N; i++)
        f.in[i] = i % 2 == 0;
    check(&f);
    assert_true(f.block.is_large);
    assert_accurate(&f);
    end(&f);
}

/* Two equal columns: singular, as fresh factors tell; without one of them it is not. */
static void a_singular_set_is_told_by_fresh_factors_and_left_behind(void **state) {
    (void)state;
    fixture f;
    bool regular;
    begin(&f);
    for (size_t i = 0; i < N; i++) {
        f.in[i] = i < 400 && i != 7;
        f.M[i * N + 7] = f.M[i * N + 8];
    }
    check(&f);
    f.in[7] = 1;
    list(&f);
    assert_int_equal(am_lcp_block_set(&f.block, &f.lcp, f.count, f.set, true, &regular, NULL), AM_OK);
    assert_false(regular);
    f.in[8] = 0; /* the other one instead */
    check(&f);
    if (!(f.largest <= 1e-10)) /* as above */
        fail_msg("the solutions differ by %g", f.largest);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solution_and_sign_follow_a_set_that_changes_at_random),
        cmocka_unit_test(a_set_at_rest_has_its_edges_folded_in_and_keeps_its_solution),
        cmocka_unit_test(a_set_that_grows_and_shrinks_is_followed),
        cmocka_unit_test(a_singular_set_is_told_by_fresh_factors_and_left_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
