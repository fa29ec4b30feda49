/* Signals of finitely many harmonics: no sign change is missed and none is invented, however close two of them are. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "errors.h"
#include "math/trigonometric.h"
#include "math/trigonometric_table.h"
#include "near.h"
#include "signal_changes.h"

enum { MOST = 24, SIZE = 2 * MOST + 1, SEED = 6 };

static const double pi = 3.14159265358979323846, two_pi = 6.28318530717958647693;

static double unit(uint64_t index, size_t dimension) {
    return am_random_unit(SEED, index, dimension);
}

/* Harmonics that fall like h^-decay, each of random size and phase. */
static void random_signal(uint64_t index, size_t degree, double decay, double *s) {
    for (size_t i = 0; i < am_trig_size(degree); i++)
        s[i] = (2 * unit(index, i) - 1) * pow((double)((i + 1) / 2 > 1 ? (i + 1) / 2 : 1), -decay);
}

static long double exact_value(size_t degree, const double *s, long double theta) {
    long double value = s[0];
    for (size_t h = 1; h <= degree; h++)
        value += s[2 * h - 1] * cosl(h * theta) + s[2 * h] * sinl(h * theta);
    return value;
}

static long double exact_rate(size_t degree, const double *s, long double theta) {
    long double rate = 0;
    for (size_t h = 1; h <= degree; h++)
        rate += h * (s[2 * h] * cosl(h * theta) - s[2 * h - 1] * sinl(h * theta));
    return rate;
}

/* Sum of h |c_h|: with theta off by one rounding, values move by this times it. */
static double slope_bound(size_t degree, const double *s) {
    double sum = fabs(s[0]);
    for (size_t h = 1; h <= degree; h++)
        sum += (double)h * hypot(s[2 * h - 1], s[2 * h]);
    return sum;
}

/* The product over i of sin((theta - r_i)/2) for 2 degree roots, scaled to a largest coefficient of 1. Pairs of factors
 * are (cos((r_2-r_1)/2) - cos(theta - (r_1+r_2)/2))/2. */
static void from_roots(size_t degree, const long double *roots, double *s) {
    long double a[MOST + 1] = {1}, b[MOST + 1] = {0}; /* cosines and sines */
    for (size_t p = 0; p < degree; p++) {
        long double middle = (roots[2 * p] + roots[2 * p + 1]) / 2, c0 = cosl((roots[2 * p + 1] - roots[2 * p]) / 2);
        long double c = -cosl(middle), d = -sinl(middle), na[MOST + 1] = {0}, nb[MOST + 1] = {0};
        for (size_t h = 0; h <= p; h++) {
            na[h] += c0 * a[h];
            nb[h] += c0 * b[h];
            /* (a cos h + b sin h)(c cos + d sin) */
            na[h + 1] += (a[h] * c - b[h] * d) / 2;
            nb[h + 1] += (a[h] * d + b[h] * c) / 2;
            if (h == 0) {
                na[1] += a[0] * c / 2;
                nb[1] += a[0] * d / 2;
            } else {
                na[h - 1] += (a[h] * c + b[h] * d) / 2;
                nb[h - 1] += h > 1 ? (b[h] * c - a[h] * d) / 2 : 0;
            }
        }
        memcpy(a, na, sizeof a);
        memcpy(b, nb, sizeof b);
    }
    long double largest = 0;
    for (size_t h = 0; h <= degree; h++)
        largest = fmaxl(largest, fmaxl(fabsl(a[h]), fabsl(b[h])));
    s[0] = (double)(a[0] / largest);
    for (size_t h = 1; h <= degree; h++) {
        s[2 * h - 1] = (double)(a[h] / largest);
        s[2 * h] = (double)(b[h] / largest);
    }
}

/* Coefficients and values are rounded: a root moves by that over the slope. */
static double root_tolerance(size_t degree, const double *s, double root) {
    return 16 * DBL_EPSILON * slope_bound(degree, s) / fabs((double)exact_rate(degree, s, root)) + 8 * DBL_EPSILON;
}

/* ---- values ---- */

static void values_rates_and_bases_are_those_of_the_series(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 50; i++) {
        size_t degree = i % (MOST + 1);
        double s[SIZE], rate_signal[SIZE], c[MOST + 1], sine[MOST + 1], rate, theta = 20 * unit(i, 200) - 10;
        random_signal(i, degree, 0, s);
        am_trig_derivative(degree, s, rate_signal);
        /* theta rounds h theta by h |theta| eps */
        double rounding = 8 * DBL_EPSILON * slope_bound(degree, s), steep = rounding * (double)(degree + 1);
        assert_near(am_trig_value(degree, s, theta), (double)exact_value(degree, s, theta), rounding);
        assert_near(am_trig_value_rate(degree, s, theta, &rate), (double)exact_value(degree, s, theta), rounding);
        assert_near(rate, (double)exact_rate(degree, s, theta), steep);
        assert_near(am_trig_value(degree, rate_signal, theta), (double)exact_rate(degree, s, theta), steep);
        am_trig_basis(degree, theta, c, sine);
        for (size_t h = 0; h <= degree; h++) {
            assert_near(c[h], (double)cosl(h * (long double)theta), 4 * DBL_EPSILON * (double)(h + 1));
            assert_near(sine[h], (double)sinl(h * (long double)theta), 4 * DBL_EPSILON * (double)(h + 1));
        }
    }
}

/* ---- sign changes ---- */

static void all_constructed_roots_are_found(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 200; i++) {
        size_t degree = 1 + i % 6, n = 2 * degree;
        long double roots[2 * MOST];
        double s[SIZE], theta[2 * MOST], slot = two_pi / (double)n;
        for (size_t k = 0; k < n; k++) /* apart by a fifth of a slot at least */
            roots[k] = slot * ((double)k + 0.8 * unit(i, k) + 0.01);
        from_roots(degree, roots, s);
        assert_int_equal(signal_changes(degree, s, theta), n);
        for (size_t k = 0; k < n; k++)
            assert_near(theta[k], (double)roots[k], root_tolerance(degree, s, theta[k]));
    }
}

/* The values between two roots a distance d apart are about curvature d^2/8: at 1e-6 a hundred times rounding. Rounded
 * coefficients of a double root leave none or two at 1e-8, where values are below rounding: they have no sign. */
static void two_roots_at_a_millionth_are_two_and_a_double_one_is_none(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 100; i++) {
        size_t degree = 2 + i % 3, n = 2 * degree;
        long double roots[2 * MOST];
        double s[SIZE], theta[2 * MOST];
        for (size_t k = 0; k < n; k++)
            roots[k] = two_pi / (double)n * ((double)k + 0.4 * unit(i, k) + 0.01);
        roots[2] = roots[1] + 1e-6L;
        from_roots(degree, roots, s);
        assert_int_equal(signal_changes(degree, s, theta), n);
        for (size_t k = 1; k <= 2; k++)
            assert_near(theta[k], (double)roots[k], root_tolerance(degree, s, theta[k]));
        roots[2] = roots[1];
        from_roots(degree, roots, s);
        assert_int_equal(signal_changes(degree, s, theta), n - 2);
    }
}

static void an_exact_touch_is_no_change_and_a_triple_zero_is_one(void **state) {
    (void)state;
    double touch[] = {1, 0, 0, 1, 0}, theta[4];          /* 1 + cos 2 theta = 2 cos^2 */
    double triple[] = {0, 3.0 / 4, 0, 0, 0, 1.0 / 4, 0}; /* cos^3 */
    double crossings[6];
    assert_int_equal(signal_changes(2, touch, theta), 0);
    assert_int_equal(signal_changes(3, triple, crossings), 2);
    /* A triple zero is only known to the cube root of rounding. */
    assert_near(crossings[0], pi / 2, cbrt(16 * DBL_EPSILON));
    assert_near(crossings[1], 3 * pi / 2, cbrt(16 * DBL_EPSILON));
}

static void signals_without_zeros_have_no_changes(void **state) {
    (void)state;
    double theta[2 * MOST];
    for (uint64_t i = 0; i < 100; i++) {
        size_t degree = i % (MOST + 1);
        double s[SIZE];
        random_signal(i, degree, 0, s);
        s[0] = 0;
        s[0] = (i % 2 ? 1.0001 : -1.0001) * slope_bound(degree, s) + (degree == 0 ? 1 : 0);
        assert_int_equal(signal_changes(degree, s, theta), 0);
    }
}

/* Whatever the search finds must be all that a look at 4000 points finds: a missed pair would show as a change of sign
 * in between, an invented one as none. */
static void changes_of_random_signals_are_just_those_a_dense_look_finds(void **state) {
    (void)state;
    enum { LOOKS = 4000 };
    for (uint64_t i = 0; i < 120; i++) {
        size_t degree = 1 + i % MOST, dense = 0;
        double s[SIZE], theta[2 * MOST];
        random_signal(i, degree, (double)(i % 3), s);
        size_t count = signal_changes(degree, s, theta);
        assert_int_equal(count % 2, 0);
        for (size_t k = 0; k < LOOKS; k++)
            dense += (am_trig_value(degree, s, two_pi * (double)k / LOOKS) > 0) !=
                     (am_trig_value(degree, s, two_pi * (double)(k + 1) / LOOKS) > 0);
        assert_true(count >= dense);
        for (size_t k = 0; k < count; k++) {
            double next = k + 1 < count ? theta[k + 1] : theta[0] + two_pi,
                   last = k > 0 ? theta[k - 1] : theta[count - 1] - two_pi;
            assert_true(theta[k] >= 0 && theta[k] < two_pi && next > theta[k]);
            assert_true(
                am_trig_value(degree, s, (theta[k] + next) / 2) * am_trig_value(degree, s, (theta[k] + last) / 2) < 0);
        }
    }
}

static void a_search_with_known_values_finds_the_same(void **state) {
    (void)state;
    am_error err;
    for (uint64_t i = 0; i < 60; i++) {
        size_t degree = 1 + i % 12;
        double s[SIZE], plain[2 * MOST], sampled[2 * MOST], values[400];
        am_trig_table *table = am_trig_table_create(degree, i % 2 ? 8 * degree : 3 * degree + 1, &err);
        assert_non_null(table);
        random_signal(i, degree, 1, s);
        if (i % 5 == 0) /* a zero at theta = 0, where the period begins */
            for (size_t h = 0; h <= degree; h++)
                s[h == 0 ? 0 : 2 * h - 1] = 0;
        am_trig_table_values(table, degree, s, values);
        int sign;
        size_t count = signal_changes(degree, s, plain);
        assert_int_equal(am_trig_changes_sampled(degree, s, am_trig_table_count(table), values, sampled, &sign), count);
        for (size_t k = 0; k < count; k++)
            assert_near(sampled[k], plain[k], root_tolerance(degree, s, plain[k]));
        double behind = count ? (sampled[0] + sampled[count - 1] - two_pi) / 2 : 0; /* before the first change */
        assert_true(sign * am_trig_value(degree, s, behind) > 0);
        am_trig_table_free(table);
    }
}

static void a_change_at_the_beginning_is_the_first(void **state) {
    (void)state;
    double sine[] = {0, 0, 1}; /* zeros at 0, pi, 2 pi */
    double theta[2];
    assert_int_equal(signal_changes(1, sine, theta), 2);
    assert_near(theta[0], 0, 4 * DBL_EPSILON);
    assert_near(theta[1], pi, 4 * DBL_EPSILON);
}

/* ---- extremes ---- */

static void extremes_bound_a_dense_look_and_are_taken(void **state) {
    (void)state;
    enum { LOOKS = 3000 };
    for (uint64_t i = 0; i < 60; i++) {
        size_t degree = i % (MOST + 1);
        double s[SIZE], top, top_at, bottom, bottom_at, seen_top = -INFINITY, seen_bottom = INFINITY;
        random_signal(i, degree, 1, s);
        am_trig_extremes(degree, s, &top, &top_at, &bottom, &bottom_at);
        for (size_t k = 0; k < LOOKS; k++) {
            double value = am_trig_value(degree, s, two_pi * (double)k / LOOKS);
            seen_top = fmax(seen_top, value);
            seen_bottom = fmin(seen_bottom, value);
        }
        double rounding = 8 * DBL_EPSILON * slope_bound(degree, s);
        /* What 3000 points leave: half the curvature (at most h times the slope's bound) times half a step squared. */
        double left = (double)degree * slope_bound(degree, s) * pow(pi / LOOKS, 2) / 2 + rounding;
        assert_true(top >= seen_top - rounding && top <= seen_top + left);
        assert_true(bottom <= seen_bottom + rounding && bottom >= seen_bottom - left);
        assert_near(am_trig_value(degree, s, top_at), top, rounding);
        assert_near(am_trig_value(degree, s, bottom_at), bottom, rounding);
        am_trig_extremes(degree, s, NULL, NULL, NULL, NULL);
    }
}

/* The larger of both extremes; of odd harmonics alone half a period is looked at. */
static void largest_values_are_the_larger_extreme(void **state) {
    (void)state;
    enum { POINTS = 8 * MOST };
    for (uint64_t i = 0; i < 120; i++) {
        size_t degree = i % (MOST + 1);
        double s[SIZE], rate[SIZE], rates[POINTS], top, bottom;
        random_signal(i, degree, 1, s);
        for (size_t k = 0; i % 2 && k < am_trig_size(degree); k++)
            s[k] *= (double)((k + 1) / 2 % 2);
        am_trig_derivative(degree, s, rate);
        for (size_t k = 0; k < POINTS; k++)
            rates[k] = am_trig_value(degree, rate, two_pi * (double)k / POINTS);
        am_trig_extremes(degree, s, &top, NULL, &bottom, NULL);
        assert_near(am_trig_largest_sampled(degree, s, POINTS, rates), fmax(fabs(top), fabs(bottom)),
                    8 * DBL_EPSILON * (1 + slope_bound(degree, s)));
    }
}

/* ---- what is no signal ---- */

static void numbers_that_are_not_finite_end_the_search(void **state) {
    (void)state;
    double wrong[] = {NAN, INFINITY, -INFINITY}, theta[8], values[16] = {0};
    int sign;
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 5; k++) {
            double s[] = {0.1, 1, 2, 0.5, 0.3};
            s[k] = wrong[i];
            assert_int_equal(signal_changes(2, s, theta), 0);
            assert_int_equal(am_trig_changes_sampled(2, s, 16, values, theta, &sign), 0);
            am_trig_extremes(2, s, NULL, NULL, NULL, NULL);
        }
    double zero[] = {0, 0, 0};
    assert_int_equal(signal_changes(1, zero, theta), 0);
}

/* ---- tables ---- */

static void tables_give_values_and_take_them_back(void **state) {
    (void)state;
    am_error err;
    for (size_t degree = 1; degree <= 9; degree++) {
        double s[SIZE], values[64], c[MOST + 1], sine[MOST + 1];
        am_trig_table *table = am_trig_table_create(degree, 2 * degree + 1, &err);
        assert_non_null(table);
        size_t n = am_trig_table_count(table);
        assert_true(n % 4 == 0 && n > 2 * degree);
        random_signal(degree, degree, 0, s);
        double rounding = 16 * DBL_EPSILON * slope_bound(degree, s);
        am_trig_table_values(table, degree, s, values);
        for (size_t k = 0; k < n; k++)
            assert_near(values[k], (double)exact_value(degree, s, two_pi * (double)k / (double)n), rounding);
        am_trig_table_moments(table, degree, values, c, sine);
        assert_near(c[0], s[0], rounding);
        for (size_t h = 1; h <= degree; h++) {
            assert_near(2 * c[h], s[2 * h - 1], rounding);
            assert_near(2 * sine[h], s[2 * h], rounding);
        }
        am_trig_table_free(table);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_rates_and_bases_are_those_of_the_series),
        cmocka_unit_test(all_constructed_roots_are_found),
        cmocka_unit_test(two_roots_at_a_millionth_are_two_and_a_double_one_is_none),
        cmocka_unit_test(an_exact_touch_is_no_change_and_a_triple_zero_is_one),
        cmocka_unit_test(signals_without_zeros_have_no_changes),
        cmocka_unit_test(changes_of_random_signals_are_just_those_a_dense_look_finds),
        cmocka_unit_test(a_search_with_known_values_finds_the_same),
        cmocka_unit_test(a_change_at_the_beginning_is_the_first),
        cmocka_unit_test(extremes_bound_a_dense_look_and_are_taken),
        cmocka_unit_test(largest_values_are_the_larger_extreme),
        cmocka_unit_test(numbers_that_are_not_finite_end_the_search),
        cmocka_unit_test(tables_give_values_and_take_them_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
