/* Matrices whose unknowns form groups that meet only through the rest, beside the same factored as any other. */
#include <math.h>
#include <string.h>

#include "math/arrow.h"
#include "math/lu.h"
#include "near.h"
#include "random_system.h"

enum { MOST = 480, GROUPS = 3 };

typedef struct shape {
    size_t ends[GROUPS], m;
    bool meets_all; /* a group meets all of the rest; else a third of it */
} shape;

static bool meet(const shape *s, size_t i, size_t j) {
    size_t gi = 0, gj = 0, rest = s->ends[GROUPS - 1];
    while (gi < GROUPS && i >= s->ends[gi])
        gi++;
    while (gj < GROUPS && j >= s->ends[gj])
        gj++;
    if (gi == gj || (gi == GROUPS && gj == GROUPS))
        return true;
    if (gi < GROUPS && gj < GROUPS)
        return false;
    size_t of_rest = (gi == GROUPS ? i : j) - rest, group = gi == GROUPS ? gj : gi;
    return s->meets_all || of_rest % GROUPS == group;
}

static double a[MOST * MOST], lu[MOST * MOST], work[MOST * MOST], x[MOST],
    other[MOST]; /* the solution, the right side */
static int order[MOST];

static void fill(random_source *source, const shape *s) {
    for (size_t i = 0; i < s->m; i++)
        for (size_t j = 0; j < s->m; j++)
            a[i * s->m + j] = meet(s, i, j) ? random_between(source, -1.0, 1.0) + (i == j ? 3.0 : 0.0) : 0.0;
    for (size_t i = 0; i < s->m; i++)
        x[i] = other[i] = random_between(source, -1.0, 1.0);
}

static double log_size(const double *factors, size_t m) {
    double sum = 0.0;
    for (size_t i = 0; i < m; i++)
        sum += log(fabs(factors[i * (m + 1)]));
    return sum;
}

/* The solution solves its equations, and sign and size of the determinant are those of the matrix factored as any other.
 * Pivots sought in a group alone may let the factors outgrow the matrix a hundred times, and rounding with them. */
static void compare(const shape *s) {
    am_arena memory = {0};
    am_error error = {0};
    double size = 1.0, sum = 0.0;
    am_arrow *arrow = am_arrow_create(&memory, s->m, &error);
    assert_non_null(arrow);
    memcpy(lu, a, s->m * s->m * sizeof *a);
    memcpy(work, a, s->m * s->m * sizeof *a);
    assert_true(am_lu_factor(lu, s->m, order) && am_arrow_factor(arrow, work, s->ends, GROUPS));
    assert_int_equal(am_arrow_sign(arrow), am_lu_sign(lu, s->m, order));
    am_arrow_solve(arrow, x);
    for (size_t i = 0; i < s->m; i++) {
        size = fmax(size, fabs(x[i]));
        sum += log(fabs(am_arrow_pivot(arrow, i)));
    }
    for (size_t i = 0; i < s->m; i++) {
        double left = -other[i];
        for (size_t j = 0; j < s->m; j++)
            left += a[i * s->m + j] * x[j];
        assert_near(left, 0.0, 1e-14 * (double)s->m * size);
    }
    assert_near(sum, log_size(lu, s->m), 1e-9);
    am_arena_clear(&memory);
}

static void groups_are_eliminated_one_by_one(void **state) {
    (void)state;
    static const shape shapes[] = {
        {{1, 2, 3}, 4, true},         {{5, 9, 16}, 20, true},     {{5, 9, 16}, 20, false},     {{0, 9, 16}, 16, true},
        {{60, 110, 150}, 170, false}, {{60, 61, 430}, 470, true}, {{20, 430, 440}, 480, false}};
    random_source source = random_seed(31);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        fill(&source, &shapes[k]);
        compare(&shapes[k]);
    }
}

/* A group that is singular by itself, and groups that meet after all: the matrix is factored as a whole. */
static void what_is_no_arrow_is_factored_whole(void **state) {
    (void)state;
    static const shape s = {{7, 15, 20}, 30, true};
    random_source source = random_seed(32);
    fill(&source, &s);
    for (size_t i = 0; i < 7; i++)
        a[3 * s.m + i] = a[5 * s.m + i]; /* two rows of the first group alike: the rest tells them apart */
    compare(&s);
    fill(&source, &s);
    a[2 * s.m + 9] = 0.5;
    compare(&s);
    fill(&source, &s);
    for (size_t j = 0; j < s.m; j++)
        a[4 * s.m + j] = a[6 * s.m + j];
    am_arena memory = {0};
    am_error error = {0};
    am_arrow *arrow = am_arrow_create(&memory, s.m, &error);
    assert_false(am_arrow_factor(arrow, a, s.ends, GROUPS));
    am_arena_clear(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_eliminated_one_by_one),
        cmocka_unit_test(what_is_no_arrow_is_factored_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
