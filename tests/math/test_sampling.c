/* Moments, shares and sensitivities of samples beside closed forms. */
#include <math.h>
#include <string.h>

#include "errors.h"
#include "math/sampling.h"
#include "near.h"
#include "uniform.h"

static void quantiles_and_moments_of_known_samples(void **state) {
    (void)state;
    double values[101];
    for (int i = 0; i <= 100; i++)
        values[i] = (double)((i * 37) % 101); /* 0 ... 100 in disorder */
    am_sample_moments m = am_sample_describe(values, 101);
    for (size_t k = 0; k < AM_SAMPLE_QUANTILES; k++)
        assert_near(m.quantiles[k], 100.0 * am_sample_levels[k], 1e-12);
    assert_near(m.mean, 50.0, 1e-12);
    assert_near(m.deviation * m.deviation, 101.0 * 102.0 / 12.0, 1e-9); /* n (n + 1)/12 of 0 ... n - 1 */
    assert_near(m.mean_error, m.deviation / sqrt(101.0), 1e-12);
    double one[] = {3.0};
    m = am_sample_describe(one, 1);
    assert_true(m.mean == 3.0 && m.quantiles[0] == 3.0 && isnan(m.deviation));
}

/* The ends of the interval are those p whose distance from the share is z standard deviations of a share. */
static void intervals_of_shares_are_wilsons(void **state) {
    (void)state;
    const double z = 1.9599639845400545;
    for (size_t count = 1; count <= 50; count += 7)
        for (size_t hits = 0; hits <= count; hits++) {
            double ends[2], share = (double)hits / (double)count;
            am_sample_interval(hits, count, &ends[0], &ends[1]);
            assert_true(ends[0] >= 0.0 && ends[0] <= share && share <= ends[1] && ends[1] <= 1.0);
            for (int k = 0; k < 2; k++)
                assert_near(fabs(ends[k] - share), z * sqrt(ends[k] * (1.0 - ends[k]) / (double)count), 1e-12);
        }
    double low, high;
    am_sample_interval(0, 10, &low, &high);
    assert_near(high, 0.27753279, 1e-8); /* z^2/(n + z^2) */
}

enum { count = 4000, factors = 3 };

/* Ishigami's function of three numbers between -pi and pi: sin x + 7 sin(y)^2 + 0.1 z^4 sin x. */
static double ishigami(const double *x) {
    return sin(x[0]) + 7.0 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4) * sin(x[0]);
}

static void sensitivities_of_ishigamis_function_come_out(void **state) {
    (void)state;
    static double x[factors][count], y[count];
    const double *columns[factors] = {x[0], x[1], x[2]};
    const double pi = acos(-1.0), a = 7.0, b = 0.1;
    double v1 = 0.5 * pow(1.0 + b * pow(pi, 4) / 5.0, 2), v2 = a * a / 8.0, v13 = 8.0 * b * b * pow(pi, 8) / 225.0;
    double v = v1 + v2 + v13;
    const double first[factors] = {v1 / v, v2 / v, 0.0}, total[factors] = {(v1 + v13) / v, v2 / v, v13 / v};
    uint64_t seed = 5;
    am_error err = {0};
    for (size_t i = 0; i < count; i++) {
        double point[factors];
        for (size_t k = 0; k < factors; k++)
            point[k] = x[k][i] = uniform(&seed, -pi, pi);
        y[i] = ishigami(point);
    }
    am_factors *f = am_factors_create(count, factors, columns, &err);
    assert_non_null(f);
    for (size_t k = 0; k < factors; k++) {
        am_sensitivity s = am_factors_sensitivity(f, k, y);
        /* Of the order of 1/sqrt(count) = 0.016, and what the sample says itself. */
        assert_true(s.first_error > 0.002 && s.first_error < 0.05 && s.total_error > 0.002 && s.total_error < 0.05);
        assert_near(s.first, first[k], 4.0 * s.first_error);
        /* Neighbours in two of three dimensions are count^-1/2 of the range apart: y moves by up to 0.03 of it. */
        assert_near(s.total, total[k], 4.0 * s.total_error + 0.03);
    }
    am_factors_free(f);
}

static void what_does_not_vary_has_no_sensitivity_and_a_single_number_has_all(void **state) {
    (void)state;
    double x[100], y[100];
    const double *columns[] = {x};
    uint64_t seed = 9;
    am_error err = {0};
    for (size_t i = 0; i < 100; i++) {
        x[i] = uniform(&seed, 0.0, 1.0);
        y[i] = 2.0;
    }
    am_factors *f = am_factors_create(100, 1, columns, &err);
    assert_true(isnan(am_factors_sensitivity(f, 0, y).first));
    for (size_t i = 0; i < 100; i++)
        y[i] = 3.0 * x[i];
    am_sensitivity s = am_factors_sensitivity(f, 0, y);
    assert_true(s.total == 1.0);
    /* A line: 1 - S = sum of squared steps/(2 n V), and the step back to the first, 1/(2 n V) = 0.06. */
    assert_near(s.first, 1.0, 0.08);
    am_factors_free(f);
    f = am_factors_create(10, 1, columns, &err);
    assert_true(isnan(am_factors_sensitivity(f, 0, y).first)); /* too few */
    am_factors_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_and_moments_of_known_samples),
        cmocka_unit_test(intervals_of_shares_are_wilsons),
        cmocka_unit_test(sensitivities_of_ishigamis_function_come_out),
        cmocka_unit_test(what_does_not_vary_has_no_sensitivity_and_a_single_number_has_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
