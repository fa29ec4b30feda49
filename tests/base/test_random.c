/* Points that depend on seed, index and dimension alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

/* Values of splitmix64 as published with the generator: state 1234567, first two outputs. */
static void the_mixing_is_that_of_splitmix64(void **state) {
    (void)state;
    const uint64_t golden = 0x9e3779b97f4a7c15u;
    assert_true(am_random_bits(1234567 + golden) == 6457827717110365317u);
    assert_true(am_random_bits(1234567 + 2 * golden) == 3203168211198807973u);
}

/* 2^12 points in 2^12 intervals: one each, in every dimension, whatever the seed and the block. */
static void every_dyadic_interval_holds_one_point(void **state) {
    (void)state;
    enum { COUNT = 4096 };
    for (uint64_t seed = 0; seed < 3; seed++)
        for (size_t dimension = 0; dimension < AM_SOBOL_DIMENSIONS; dimension++)
            for (uint64_t block = 0; block < 3; block++) {
                unsigned char seen[COUNT] = {0};
                for (uint64_t i = 0; i < COUNT; i++) {
                    double x = am_random_sobol(seed, block * COUNT + i, dimension);
                    assert_true(x >= 0 && x < 1);
                    size_t cell = (size_t)(x * COUNT);
                    assert_int_equal(seen[cell], 0);
                    seen[cell] = 1;
                }
            }
}

/* The first two dimensions are a (0, 12, 2)-net: each rectangle of area 2^-12 with dyadic sides holds one point. */
static void every_dyadic_rectangle_of_the_first_plane_holds_one_point(void **state) {
    (void)state;
    enum { BITS = 12, COUNT = 1 << BITS };
    for (unsigned across = 0; across <= BITS; across++) {
        unsigned char seen[COUNT] = {0};
        for (uint64_t i = 0; i < COUNT; i++) {
            size_t x = (size_t)(am_random_sobol(5, i, 0) * (1u << across));
            size_t y = (size_t)(am_random_sobol(5, i, 1) * (1u << (BITS - across)));
            size_t cell = (x << (BITS - across)) | y;
            assert_int_equal(seen[cell], 0);
            seen[cell] = 1;
        }
    }
}

/* No two dimensions are the same sequence: their correlation over 4096 points is small (0.05 is three standard
 * deviations of independent points). */
static void dimensions_are_not_correlated(void **state) {
    (void)state;
    enum { COUNT = 4096, DIMENSIONS = AM_SOBOL_DIMENSIONS + 3 };
    for (size_t a = 0; a < DIMENSIONS; a++)
        for (size_t b = 0; b < a; b++) {
            double sum = 0;
            for (uint64_t i = 0; i < COUNT; i++)
                sum += (am_random_sobol(1, i, a) - 0.5) * (am_random_sobol(1, i, b) - 0.5);
            if (!(fabs(12 * sum / COUNT) <= 0.05)) {
                print_error("dimensions %zu and %zu: %g\n", a, b, 12 * sum / COUNT);
                fail();
            }
        }
}

/* Mean 1/2 and variance 1/12 within five standard deviations of 2^16 draws. */
static void random_numbers_are_uniform(void **state) {
    (void)state;
    enum { COUNT = 65536 };
    double sum = 0, squares = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        double x = am_random_unit(7, i, 3);
        assert_true(x >= 0 && x < 1);
        sum += x - 0.5;
        squares += (x - 0.5) * (x - 0.5);
    }
    if (!(fabs(sum / COUNT) <= 5 * sqrt(1.0 / 12 / COUNT)))
        fail();
    if (!(fabs(squares / COUNT - 1.0 / 12) <= 5 * sqrt(1.0 / 180 / COUNT)))
        fail();
}

static void seeds_give_other_points_and_the_same_seed_the_same(void **state) {
    (void)state;
    for (size_t dimension = 0; dimension < 30; dimension++)
        for (uint64_t i = 0; i < 100; i++) {
            assert_true(am_random_sobol(1, i, dimension) != am_random_sobol(2, i, dimension));
            assert_true(am_random_unit(1, i, dimension) != am_random_unit(2, i, dimension));
            assert_true(am_random_sobol(1, i, dimension) == am_random_sobol(1, i, dimension));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mixing_is_that_of_splitmix64),
        cmocka_unit_test(every_dyadic_interval_holds_one_point),
        cmocka_unit_test(every_dyadic_rectangle_of_the_first_plane_holds_one_point),
        cmocka_unit_test(dimensions_are_not_correlated),
        cmocka_unit_test(random_numbers_are_uniform),
        cmocka_unit_test(seeds_give_other_points_and_the_same_seed_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
