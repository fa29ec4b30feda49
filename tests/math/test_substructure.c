/* Structures reduced to an interface and modes, against the whole: statics are exact, frequencies come from above and meet
 * those of the whole with all modes, the estimated error is that of the frequencies, loads anywhere act as on the whole. */
#include "math/substructure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "errors.h"
#include "math/dense.h"
#include "math/pencil.h"
#include "near.h"
#include "uniform.h"

enum { MOST = 400 };

typedef struct whole {
    size_t n;
    am_matrix *K, *M, *C;
} whole;

typedef struct list {
    size_t count, row[8 * MOST], column[8 * MOST];
    double value[8 * MOST];
} list;

static void add(list *l, size_t i, size_t j, double value) {
    l->row[l->count] = i;
    l->column[l->count] = j;
    l->value[l->count++] = value;
}

static void spring(list *l, size_t i, size_t j, double k) {
    add(l, i, i, k);
    add(l, j, j, k);
    add(l, i, j, -k);
    add(l, j, i, -k);
}

/* A chain with random chords, held at its first mass or nowhere; every `bare`th coordinate has no mass. */
static whole draw(uint64_t *seed, size_t n, bool held, size_t bare) {
    static list k, m;
    k.count = m.count = 0;
    if (held)
        add(&k, 0, 0, uniform(seed, 0.5, 2.0));
    for (size_t i = 0; i + 1 < n; i++) {
        spring(&k, i, i + 1, uniform(seed, 0.5, 2.0));
        if (i % 5 == 0 && i + 7 < n)
            spring(&k, i, i + 7, uniform(seed, 0.1, 0.5));
    }
    for (size_t i = 0; i < n; i++)
        if (bare == 0 || i % bare != bare - 1)
            add(&m, i, i, uniform(seed, 0.5, 2.0));
    whole w = {.n = n};
    w.K = am_matrix_sparse(n, n, k.count, k.row, k.column, k.value, NULL);
    w.M = am_matrix_sparse(n, n, m.count, m.row, m.column, m.value, NULL);
    for (size_t i = 0; i < k.count; i++) /* damping like stiffness */
        k.value[i] *= 0.01;
    w.C = am_matrix_sparse(n, n, k.count, k.row, k.column, k.value, NULL);
    assert_non_null(w.K);
    assert_non_null(w.M);
    assert_non_null(w.C);
    return w;
}

/* A single reduction. */
static am_status reduce(am_substructure *sub, const am_substructure_def *def, am_substructure_choice choice,
                        am_error *err) {
    am_arena memory = {0};
    am_substructure_shapes *shapes;
    am_status status = am_substructure_shapes_create(&shapes, &memory, def, err);
    if (!status)
        status = am_substructure_reduce(sub, shapes, &choice, err);
    am_substructure_shapes_clear(shapes);
    am_arena_clear(&memory);
    return status;
}

static am_substructure_modes kind_of(size_t round) {
    static const am_substructure_modes kinds[] = {AM_MODES_FIXED, AM_MODES_FREE, AM_MODES_BOTH};
    return kinds[round % 3];
}

static void drop(whole *w) {
    am_matrix_free(w->K);
    am_matrix_free(w->M);
    am_matrix_free(w->C);
}

static size_t lowest(const am_matrix *K, const am_matrix *M, size_t count, double *squares) {
    am_pencil pencil;
    double *shapes = calloc(count * am_matrix_rows(K), sizeof *shapes);
    GOOD(am_pencil_init(&pencil, K, M, err));
    GOOD(am_pencil_settle(&pencil, err));
    GOOD(am_pencil_lowest(&pencil, &count, squares, shapes, NULL, err));
    am_pencil_clear(&pencil);
    free(shapes);
    return count;
}

/* x = K^-1 f */
static void settle(const am_matrix *K, double *x) {
    am_matrix *none = am_matrix_sparse(am_matrix_rows(K), am_matrix_rows(K), 0, NULL, NULL, NULL, NULL);
    am_pencil pencil;
    bool singular;
    GOOD(am_pencil_init(&pencil, K, none, err));
    GOOD(am_pencil_factor(&pencil, 0.0, &singular, err));
    assert_false(singular);
    GOOD(am_pencil_solve(&pencil, x, 1, err));
    am_pencil_clear(&pencil);
    am_matrix_free(none);
}

/* Loads on the interface and elsewhere move the interface as they do in the whole structure; rounding only. */
static void statics_are_exact_whatever_the_modes(void **state) {
    uint64_t seed = 3;
    (void)state;
    for (size_t round = 0; round < CASES(16, 4); round++) {
        size_t n = 20 + (size_t)uniform(&seed, 0.0, round % 5 == 0 ? 350.0 : 60.0);
        whole w = draw(&seed, n, true, round % 3 == 1 ? 4 : 0);
        size_t face[3] = {n / 7, n / 2, n - 1}, at[2] = {n / 7, n / 3};
        double value[2] = {uniform(&seed, -1.0, 1.0), uniform(&seed, -1.0, 1.0)}, *x = calloc(n, sizeof *x);
        am_sparse_row load = {2, at, value};
        am_substructure sub;
        am_substructure_def def = {.stiffness = w.K,
                                   .mass = round % 4 == 3 ? NULL : w.M,
                                   .interface_count = 3,
                                   .interface = face,
                                   .load_count = 1,
                                   .loads = &load};
        am_substructure_choice choice = {.kind = kind_of(round), .modes = round % 4 == 3 ? 0 : round % 4};
        GOOD(reduce(&sub, &def, choice, err));
        double *y = calloc(sub.size, sizeof *y);
        x[at[0]] += value[0];
        x[at[1]] += value[1];
        settle(w.K, x);
        memcpy(y, sub.load, sub.size * sizeof *y);
        settle(sub.matrix[0], y);
        double work = 0.0, wanted = value[0] * x[at[0]] + value[1] * x[at[1]];
        for (size_t i = 0; i < 3; i++) /* springs in a row of n: conditioning of n^2 */
            assert_near(y[i], x[face[i]], 1e-10 * (fabs(x[face[i]]) + 1.0));
        for (size_t i = 0; i < sub.size; i++)
            work += y[i] * sub.load[i];
        assert_near(work, wanted, 1e-10 * fabs(wanted)); /* the loaded places themselves */
        free(x);
        free(y);
        am_substructure_clear(&sub);
        drop(&w);
    }
}

static void frequencies_come_from_above_and_their_error_is_estimated(void **state) {
    uint64_t seed = 11;
    (void)state;
    for (size_t round = 0; round < CASES(16, 4); round++) {
        size_t n = round % 6 == 5 ? 350 : 60;
        bool held = round % 3 != 0;
        whole w = draw(&seed, n, held, round % 4 == 2 ? 5 : 0);
        size_t face[3] = {3, n / 2, n - 1};
        double exact[16], reduced[16];
        am_substructure sub;
        am_substructure_def def = {.stiffness = w.K, .mass = w.M, .interface_count = 3, .interface = face};
        am_substructure_choice choice = {.kind = kind_of(round / 2), .modes = 12};
        GOOD(reduce(&sub, &def, choice, err));
        size_t count = lowest(w.K, w.M, 8, exact);
        assert_int_equal(count, 8);
        assert_true(lowest(sub.matrix[0], sub.matrix[1], 8, reduced) >= 8);
        double worst = 0.0;
        for (size_t k = held ? 0 : 1; k < 8; k++) {
            assert_true(reduced[k] > exact[k] * (1.0 - 1e-9));
            if (choice.kind == AM_MODES_FREE) /* these modes are in the span themselves */
                assert_near(reduced[k], exact[k], 1e-8 * exact[k]);
            if (k < sub.checked + (held ? 0 : 1))
                worst = fmax(worst, sqrt(reduced[k] / exact[k]) - 1.0);
        }
        /* Of first order in the square of the residual: within a factor, where it is more than rounding. */
        if (!(worst <= 1.3 * sub.error + 1e-9))
            fail_msg("round %zu: error %g, estimated %g", round, worst, sub.error);
        am_substructure_clear(&sub);
        drop(&w);
    }
}

static void with_all_modes_nothing_is_lost(void **state) {
    uint64_t seed = 5;
    (void)state;
    for (size_t round = 0; round < CASES(10, 3); round++) {
        enum { N = 24 };
        whole w = draw(&seed, N, round % 2 == 0, 0);
        size_t face[4] = {0, 5, 6, 23};
        double exact[N], reduced[N];
        am_substructure sub;
        am_substructure_def def = {
            .stiffness = w.K, .mass = w.M, .damping = w.C, .interface_count = 4, .interface = face};
        GOOD(reduce(&sub, &def, (am_substructure_choice){.kind = kind_of(round), .modes = N - 4}, err));
        assert_int_equal(sub.size, N);
        assert_int_equal(lowest(w.K, w.M, N, exact), N);
        assert_int_equal(lowest(sub.matrix[0], sub.matrix[1], N, reduced), N);
        for (size_t k = 0; k < N; k++)
            assert_near(reduced[k], exact[k], 1e-10 * exact[N - 1]);
        assert_near(sub.error, 0.0, 1e-12);
        /* Damping was a hundredth of the stiffness, and still is. */
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++)
                assert_near(am_matrix_at(sub.matrix[2], i, j), 0.01 * am_matrix_at(sub.matrix[0], i, j), 1e-11);
        am_substructure_clear(&sub);
        drop(&w);
    }
}

static void automatic_modes_reach_the_tolerance(void **state) {
    uint64_t seed = 17;
    (void)state;
    for (size_t round = 0; round < CASES(8, 2); round++) {
        whole w = draw(&seed, 200, true, 0);
        size_t face[2] = {40, 199};
        double exact[10], reduced[10];
        am_substructure sub;
        am_substructure_def def = {.stiffness = w.K, .mass = w.M, .interface_count = 2, .interface = face};
        am_substructure_choice choice = {.kind = kind_of(round), .automatic = true, .tolerance = 1e-4};
        GOOD(reduce(&sub, &def, choice, err));
        assert_int_equal(sub.checked, 10);
        assert_true(sub.error <= 1e-4);
        assert_true(sub.size < 200);
        lowest(w.K, w.M, 10, exact);
        lowest(sub.matrix[0], sub.matrix[1], 10, reduced);
        for (size_t k = 0; k < 10; k++)
            assert_near(sqrt(reduced[k]), sqrt(exact[k]), 1.3e-4 * sqrt(exact[k]));
        am_substructure_clear(&sub);
        drop(&w);
    }
}

/* K + k on the diagonal of these places of `face` (NULL: the first three, as in a reduction). */
static am_matrix *with_springs(const am_matrix *K, const size_t *face, double k) {
    size_t n = am_matrix_rows(K);
    double *values = calloc(n * n, sizeof *values);
    am_matrix_to_dense(K, values);
    for (size_t i = 0; i < 3; i++)
        values[(face ? face[i] : i) * (n + 1)] += k;
    am_matrix *sum = am_matrix_dense(n, n, values, NULL);
    free(values);
    assert_non_null(sum);
    return sum;
}

/* Contacts hold an interface more or less. With modes of both kinds frequencies are right to the estimated error,
 * whatever holds it. */
static void modes_of_both_kinds_serve_any_support(void **state) {
    uint64_t seed = 23;
    (void)state;
    for (size_t round = 0; round < CASES(6, 2); round++) {
        whole w = draw(&seed, 200, round % 2 == 0, 0);
        size_t face[3] = {40, 90, 199};
        am_substructure sub;
        am_substructure_def def = {.stiffness = w.K, .mass = w.M, .interface_count = 3, .interface = face};
        am_substructure_choice choice = {.kind = AM_MODES_BOTH, .automatic = true, .tolerance = 1e-4};
        GOOD(reduce(&sub, &def, choice, err));
        assert_true(sub.error <= 1e-4);
        for (double k = 1e-4; k < 1e3; k *= 10.0) {
            am_matrix *K = with_springs(w.K, face, k), *small = with_springs(sub.matrix[0], NULL, k);
            double exact[10], reduced[10];
            assert_int_equal(lowest(K, w.M, 10, exact), 10);
            assert_int_equal(lowest(small, sub.matrix[1], 10, reduced), 10);
            for (size_t i = 0; i < 10;
                 i++) /* the error is that of three supports, between them it may be twice as large */
                assert_near(sqrt(reduced[i]), sqrt(exact[i]), 2e-4 * sqrt(exact[i]));
            am_matrix_free(K);
            am_matrix_free(small);
        }
        am_substructure_clear(&sub);
        drop(&w);
    }
}

/* Further modes of the same structure are as good as if all had been asked for at once; also those that ARPACK finds
 * (more than 300 coordinates inside), above the ones it knows. */
static void modes_that_are_added_are_those_found_at_once(void **state) {
    uint64_t seed = 29;
    (void)state;
    for (size_t round = 0; round < CASES(4, 2); round++) {
        size_t n = round % 2 ? 330 : 80;
        whole w = draw(&seed, n, true, 0);
        size_t face[2] = {9, n - 1};
        am_arena memory = {0};
        am_substructure_shapes *shapes;
        am_substructure grown, fresh;
        am_substructure_def def = {.stiffness = w.K, .mass = w.M, .interface_count = 2, .interface = face};
        am_substructure_choice few = {.kind = kind_of(2 * (round / 2)), .automatic = true, .tolerance = 0.5};
        am_substructure_choice many = {.kind = few.kind, .modes = 34};
        double one[20], other[20];
        GOOD(am_substructure_shapes_create(&shapes, &memory, &def, err));
        GOOD(am_substructure_reduce(&grown, shapes, &few, err));
        assert_true(grown.own < 34);
        am_substructure_clear(&grown);
        GOOD(am_substructure_reduce(&grown, shapes, &many, err));
        GOOD(reduce(&fresh, &def, many, err));
        assert_int_equal(grown.own, 34);
        assert_int_equal(lowest(grown.matrix[0], grown.matrix[1], 20, one), 20);
        assert_int_equal(lowest(fresh.matrix[0], fresh.matrix[1], 20, other), 20);
        for (size_t i = 0; i < 20;
             i++) /* of the square of what ARPACK's vectors are off, 1e-13 where modes are apart */
            assert_near(one[i], other[i], 1e-10 * other[i]);
        for (size_t i = 0; i < 34 && few.kind == AM_MODES_FIXED; i++)
            assert_near(grown.frequency[i], fresh.frequency[i], 1e-10 * fresh.frequency[i]);
        am_substructure_clear(&grown);
        am_substructure_clear(&fresh);
        am_substructure_shapes_clear(shapes);
        am_arena_clear(&memory);
        drop(&w);
    }
}

static void interfaces_that_do_not_hold_are_refused(void **state) {
    uint64_t seed = 1;
    am_error err = {0};
    am_substructure sub;
    whole w = draw(&seed, 30, false, 0);
    size_t face[1] = {4};
    am_substructure_def def = {.stiffness = w.K, .mass = w.M};
    (void)state;
    assert_int_equal(reduce(&sub, &def, (am_substructure_choice){.modes = 3}, &err),
                     AM_ERR_INPUT); /* a free chain, and no interface */
    assert_blames(&err, "interface", "can still move");
    def.interface = face;
    def.interface_count = 1;
    assert_int_equal(reduce(&sub, &def, (am_substructure_choice){.modes = 40}, &err), AM_ERR_INPUT);
    assert_blames(&err, "modes", "29 coordinates inside");
    drop(&w);
}

/* A chain that floats, its diagonal short of 1e-12 of its digits: the motion that costs nothing costs less than that, and
 * a spring that pushes on purpose stays. */
static void rounded_rigid_motions_do_not_run_away(void **state) {
    const size_t ends[2] = {0, 5};
    (void)state;
    for (int meant = 0; meant < 2; meant++) {
        list *l = calloc(1, sizeof *l);
        for (size_t i = 0; i < 5; i++)
            spring(l, i, i + 1, 3.0);
        add(l, 2, 2, meant ? -0.1 : -3e-12);
        am_matrix *K = am_matrix_sparse(6, 6, l->count, l->row, l->column, l->value, NULL);
        am_substructure sub;
        am_substructure_def def = {.stiffness = K, .interface_count = 2, .interface = ends};
        GOOD(reduce(&sub, &def, (am_substructure_choice){0}, err));
        double a = am_matrix_at(sub.matrix[0], 0, 0), b = am_matrix_at(sub.matrix[0], 0, 1);
        double c = am_matrix_at(sub.matrix[0], 1, 1);
        double least = 0.5 * (a + c) - hypot(0.5 * (a - c), b);
        if (meant)
            assert_true(least < -0.01);
        else
            assert_near(least, 0.0, 1e-15); /* 5 springs of 3 in a row: roundings of 0.6 */
        am_substructure_clear(&sub);
        am_matrix_free(K);
        free(l);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statics_are_exact_whatever_the_modes),
        cmocka_unit_test(frequencies_come_from_above_and_their_error_is_estimated),
        cmocka_unit_test(with_all_modes_nothing_is_lost),
        cmocka_unit_test(automatic_modes_reach_the_tolerance),
        cmocka_unit_test(modes_of_both_kinds_serve_any_support),
        cmocka_unit_test(modes_that_are_added_are_those_found_at_once),
        cmocka_unit_test(rounded_rigid_motions_do_not_run_away),
        cmocka_unit_test(interfaces_that_do_not_hold_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
