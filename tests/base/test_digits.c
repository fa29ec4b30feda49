/* Shortest digits, against the C library. */
#include "base/digits.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "near.h"
#include "uniform.h"

static void expected(double value, char *text) {
    for (int digits = 15; digits <= 17; digits++) {
        sprintf(text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

static void check(double value) {
    char text[AM_DIGITS_SIZE], wanted[64];
    size_t length = am_digits_shortest(value, text);
    expected(value, wanted);
    assert_int_equal(length, strlen(text));
    if (strcmp(text, wanted) != 0)
        fail_msg("%a is written %s, not %s", value, text, wanted);
}

static bool is_whole(double value) {
    return value == trunc(value);
}

static void random_numbers_of_all_sizes_are_written_as_printf_does(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 200000; i++) {
        double value = pow(10.0, uniform(&seed, -4.0, 15.0)) * (i % 2 ? 1.0 : -1.0);
        if (!is_whole(value) && fabs(value) >= 1e-4)
            check(value);
    }
}

static void short_decimals_and_their_neighbours_are_written_as_printf_does(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 100000; i++) {
        int decimals = 1 + i % 17;
        double value = trunc(uniform(&seed, 1.0, pow(10.0, 1 + i % 16))) / pow(10.0, decimals);
        const double near[] = {value, nextafter(value, 0.0), nextafter(value, INFINITY)};
        for (size_t k = 0; k < 3; k++)
            if (near[k] >= 1e-4 && near[k] < 1e15 && !is_whole(near[k]))
                check(near[k]);
    }
}

/* Below a power of two the neighbours are closer, powers of ten have carries. */
static void numbers_around_powers_are_written_as_printf_does(void **state) {
    (void)state;
    for (int e = -13; e < 50; e++)
        for (int power = 2; power <= 10; power += 8) {
            double value = power == 2 ? ldexp(1.0, e) : pow(10.0, e % 15), low = value, high = value;
            for (int k = 0; k < 50; k++) {
                low = nextafter(low, 0.0);
                high = nextafter(high, INFINITY);
                if (low >= 1e-4 && low < 1e15 && !is_whole(low))
                    check(low);
                if (high >= 1e-4 && high < 1e15 && !is_whole(high))
                    check(high);
            }
        }
}

static void whole_numbers_below_two_to_the_53_have_all_their_digits(void **state) {
    (void)state;
    const double whole[] = {0.0, -0.0, 1.0, -7.0, 10.0, 3e14, 1e15, 1.5e15, -(0x1p53 - 1.0)};
    char text[AM_DIGITS_SIZE], wanted[64];
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        size_t length = am_digits_shortest(whole[i], text);
        snprintf(wanted, sizeof wanted, "%.0f", whole[i]);
        assert_string_equal(text, wanted);
        assert_int_equal(length, strlen(wanted));
    }
}

static void other_numbers_are_left_to_printf(void **state) {
    (void)state;
    const double others[] = {9.9e-5, 0x1p53, 1e16, 1e300, 5e-324, NAN, INFINITY, -INFINITY};
    char text[AM_DIGITS_SIZE];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(am_digits_shortest(others[i], text), 0);
}

/* Words and numbers of any size in buffers of any size, against printf. */
static void numbered_words_are_written_as_printf_does(void **state) {
    (void)state;
    const char *const words[] = {"", "q", "contact ", "the held normal force of contact "};
    const size_t numbers[] = {0, 1, 9, 10, 12345, SIZE_MAX};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
            for (size_t size = 1; size < 64; size++) {
                char text[64], wanted[64];
                snprintf(wanted, size, "%s%zu", words[w], numbers[n]);
                assert_string_equal(am_text_numbered(text, size, words[w], numbers[n]), wanted);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers_of_all_sizes_are_written_as_printf_does),
        cmocka_unit_test(short_decimals_and_their_neighbours_are_written_as_printf_does),
        cmocka_unit_test(numbers_around_powers_are_written_as_printf_does),
        cmocka_unit_test(whole_numbers_below_two_to_the_53_have_all_their_digits),
        cmocka_unit_test(other_numbers_are_left_to_printf),
        cmocka_unit_test(numbered_words_are_written_as_printf_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
