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
                                   .modes = round % 4 == 3 ? 0 : round % 4,
                                   .free_modes = round % 2 == 1,
                                   .load_count = 1,
                                   .loads = &load};
        GOOD(am_substructure_init(&sub, &def, err));
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
        am_substructure_def def = {.stiffness = w.K,
                                   .mass = w.M,
                                   .interface_count = 3,
                                   .interface = face,
                                   .modes = 12,
                                   .free_modes = round % 2 == 1};
        GOOD(am_substructure_init(&sub, &def, err));
        size_t count = lowest(w.K, w.M, 8, exact);
        assert_int_equal(count, 8);
        assert_true(lowest(sub.matrix[0], sub.matrix[1], 8, reduced) >= 8);
        double worst = 0.0;
        for (size_t k = held ? 0 : 1; k < 8; k++) {
            assert_true(reduced[k] > exact[k] * (1.0 - 1e-9));
            if (def.free_modes) /* these modes are in the span themselves */
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
            .stiffness = w.K, .mass = w.M, .damping = w.C, .interface_count = 4, .interface = face, .modes = N - 4};
        GOOD(am_substructure_init(&sub, &def, err));
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
        am_substructure_def def = {.stiffness = w.K,
                                   .mass = w.M,
                                   .interface_count = 2,
                                   .interface = face,
                                   .automatic = true,
                                   .tolerance = 1e-4,
                                   .free_modes = round % 2 == 1};
        GOOD(am_substructure_init(&sub, &def, err));
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

static void interfaces_that_do_not_hold_are_refused(void **state) {
    uint64_t seed = 1;
    am_error err = {0};
    am_substructure sub;
    whole w = draw(&seed, 30, false, 0);
    size_t face[1] = {4};
    am_substructure_def def = {.stiffness = w.K, .mass = w.M, .modes = 3};
    (void)state;
    assert_int_equal(am_substructure_init(&sub, &def, &err), AM_ERR_INPUT); /* a free chain, and no interface */
    assert_blames(&err, "interface", "can still move");
    def.interface = face;
    def.interface_count = 1;
    def.modes = 40;
    assert_int_equal(am_substructure_init(&sub, &def, &err), AM_ERR_INPUT);
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
        GOOD(am_substructure_init(&sub, &def, err));
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
        cmocka_unit_test(rounded_rigid_motions_do_not_run_away),
        cmocka_unit_test(interfaces_that_do_not_hold_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
