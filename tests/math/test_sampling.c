/* Moments, shares and sensitivities of samples beside closed forms. */
#include <math.h>
#include <string.h>

#include "base/random.h"
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

enum { count = 2048, factors = 3 };

/* Ishigami's function of three numbers between -pi and pi: sin x + 7 sin(y)^2 + 0.1 z^4 sin x. */
static double ishigami(const double *x) {
    return sin(x[0]) + 7.0 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4) * sin(x[0]);
}

/* Of `even` points, of Sobol's sequence, or of independent ones. */
static void draw(bool even, double *const x[factors], double *y) {
    const double pi = acos(-1.0);
    for (size_t i = 0; i < count; i++) {
        double point[factors];
        for (size_t k = 0; k < factors; k++) {
            double u = even ? am_random_sobol(5, i, k) : am_random_unit(5, i, k);
            point[k] = x[k][i] = pi * (2.0 * u - 1.0);
        }
        y[i] = ishigami(point);
    }
}

static void sensitivities_of_ishigamis_function_come_out(void **state) {
    (void)state;
    static double x[factors][count], y[count];
    double *const columns[factors] = {x[0], x[1], x[2]};
    const double pi = acos(-1.0), a = 7.0, b = 0.1;
    double v1 = 0.5 * pow(1.0 + b * pow(pi, 4) / 5.0, 2), v2 = a * a / 8.0, v13 = 8.0 * b * b * pow(pi, 8) / 225.0;
    double v = v1 + v2 + v13;
    const double first[factors] = {v1 / v, v2 / v, 0.0}, total[factors] = {(v1 + v13) / v, v2 / v, v13 / v};
    am_error err = {0};
    for (int even = 0; even < 2; even++) {
        am_sensitivity s[factors];
        draw(even, columns, y);
        am_factors *f = am_factors_create(count, factors, even, (const double *const *)columns, &err);
        assert_non_null(f);
        am_factors_sensitivity(f, y, s);
        for (size_t k = 0; k < factors; k++) {
            /* Of the order of 1/sqrt(count) = 0.022. */
            assert_true(s[k].first_error > 0.0 && s[k].first_error < 0.03);
            assert_true(s[k].total_error > 0.0 && s[k].total_error < 0.05);
            assert_near(s[k].first, first[k], 3.0 * s[k].first_error + 1e-4);
            assert_near(s[k].total, total[k], 3.0 * s[k].total_error);
            if (even) /* the quadrature of a Sobol sequence: nearly 1/count */
                assert_near(s[k].first, first[k], 0.002);
        }
        am_factors_free(f);
    }
}

/* Ten numbers that add up: neighbours in nine dimensions are a third of the range apart, so that without what the others
 * do alone a total would be 0.2 instead of 0.1. */
static void the_share_of_one_of_many_numbers_comes_out(void **state) {
    (void)state;
    enum { many = 10, few = 512 };
    static double x[many][few], y[few];
    const double *columns[many];
    am_sensitivity s[many];
    am_error err = {0};
    for (int even = 0; even < 2; even++) {
        memset(y, 0, sizeof y);
        for (size_t k = 0; k < many; k++) {
            columns[k] = x[k];
            for (size_t i = 0; i < few; i++)
                y[i] += x[k][i] = even ? am_random_sobol(3, i, k) : am_random_unit(3, i, k);
        }
        am_factors *f = am_factors_create(few, many, even, columns, &err);
        am_factors_sensitivity(f, y, s);
        for (size_t k = 0; k < many; k++) {
            assert_near(s[k].first, 0.1, even ? 0.025 : 0.1); /* independent points: 3 standard errors 0.7/sqrt(few) */
            assert_near(s[k].total, 0.1, even ? 0.025 : 0.08);
        }
        am_factors_free(f);
    }
}

static void what_does_not_vary_has_no_sensitivity_and_a_single_number_has_all(void **state) {
    (void)state;
    double x[100], y[100];
    const double *columns[] = {x};
    uint64_t seed = 9;
    am_sensitivity s;
    am_error err = {0};
    for (size_t i = 0; i < 100; i++) {
        x[i] = uniform(&seed, 0.0, 1.0);
        y[i] = 2.0;
    }
    am_factors *f = am_factors_create(100, 1, false, columns, &err);
    am_factors_sensitivity(f, y, &s);
    assert_true(isnan(s.first) && isnan(s.total));
    for (size_t i = 0; i < 100; i++)
        y[i] = 3.0 * x[i];
    am_factors_sensitivity(f, y, &s);
    assert_true(s.total == 1.0);
    assert_near(s.first, 1.0, 0.02); /* of a line, what five cosines leave: sum of 96/(pi k)^4, k = 7, 9, ... */
    am_factors_free(f);
    f = am_factors_create(10, 1, false, columns, &err);
    am_factors_sensitivity(f, y, &s);
    assert_true(isnan(s.first)); /* too few */
    am_factors_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_and_moments_of_known_samples),
        cmocka_unit_test(intervals_of_shares_are_wilsons),
        cmocka_unit_test(sensitivities_of_ishigamis_function_come_out),
        cmocka_unit_test(the_share_of_one_of_many_numbers_comes_out),
        cmocka_unit_test(what_does_not_vary_has_no_sensitivity_and_a_single_number_has_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
