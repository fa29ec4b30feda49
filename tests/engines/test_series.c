/* The Taylor series of a span: all its orders are those of the equations of motion, however they were computed, and
 * whatever other states of contact have left in it. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "engines/switching/switching.h"
#include "random_system.h"

enum { MOST_NX = 64 };

/* Order k + 1 follows from order k by x' = A x. What is compared is a sum of terms: its rounding is relative to the sum
 * of their sizes, and both ways of computing it pass through at most 24 orders with a handful of terms each. */
static void series_obeys_the_flow(const am_motion *e, const am_flow *flow) {
    double x[MOST_NX], next[MOST_NX], size[MOST_NX], next_size[MOST_NX];
    size_t nx = e->plan.nx;
    assert_true(nx <= MOST_NX);
    for (size_t i = 0; i < nx; i++)
        size[i] = fabs(x[i] = e->series[i]);
    for (size_t k = 0; k < AM_COEFFICIENTS; k++) {
        am_flow_next_order(&e->plan, flow, x, nx, k, next);
        am_flow_next_size(&e->plan, flow, size, k, next_size);
        for (size_t i = 0; i < nx; i++) {
            double got = e->series[(k + 1) * nx + i];
            if (!(fabs(got - next[i]) <= 64 * DBL_EPSILON * next_size[i])) {
                print_error("order %zu of entry %zu: %.17g instead of %.17g\n", k + 1, i, got, next[i]);
                fail();
            }
        }
        memcpy(x, next, nx * sizeof *x);
        memcpy(size, next_size, nx * sizeof *size);
    }
}

static void follow(am_motion *e, double until, size_t *spans) {
    am_step_kind kind = AM_STEP_SPAN;
    am_error err = {0};
    while (kind != AM_STEP_END && *spans < 100000) {
        if (am_motion_step(e, until, &kind, &err) != AM_OK)
            return; /* some random structures have no unique motion */
        if (kind == AM_STEP_END)
            return;
        series_obeys_the_flow(e, e->span_flow);
        ++*spans;
    }
}

static void every_order_follows_from_the_one_before_in_random_structures(void **state) {
    (void)state;
    size_t small = 0, large = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        random_options kinds = random_options_default(2 + 2 * (seed % 3), 1 + seed % 2); /* n = 2, 4: jets; 6: orders */
        if (kinds.n < 2 * kinds.m)
            kinds.m = 1;
        plain_system plain;
        double q[PLAIN_SIZE], v[PLAIN_SIZE];
        random_system(seed, &kinds, &plain, q, v);
        am_system *system = plain_system_create(&plain, NULL);
        am_motion *e = system ? am_motion_create(system, false, NULL) : NULL;
        assert_non_null(e);
        if (am_motion_start(e, 0, q, v, NULL) == AM_OK)
            follow(e, 10, plain.n <= 4 ? &small : &large);
        am_motion_free(e);
        am_system_free(system);
    }
    assert_true(small > 300);
    assert_true(large > 100);
}

/* Most nodes stick while a few slide, in turns: entries of nodes that stopped must not stay behind. */
static void nodes_that_stopped_leave_nothing_in_the_series(void **state) {
    (void)state;
    size_t spans = 0;
    am_rod def = am_rod_default();
    double q[12], v[12];
    def.elements = 12;
    def.alpha = 0.5;
    am_rod_undeformed(&def, q, v);
    am_system *system = am_rod_create(&def, NULL);
    am_motion *e = system ? am_motion_create(system, false, NULL) : NULL;
    assert_non_null(e);
    assert_int_equal(am_motion_start(e, 0, q, v, NULL), AM_OK);
    follow(e, 300, &spans);
    assert_true(spans > 300);
    assert_true(am_flow_count(e->cache) > 20);
    am_motion_free(e);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_follows_from_the_one_before_in_random_structures),
        cmocka_unit_test(nodes_that_stopped_leave_nothing_in_the_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
