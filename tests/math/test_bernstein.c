/* The first time a polynomial turns negative is never missed and never invented, whatever its roots are. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/bernstein.h"
#include "near.h"
#include "random_system.h"

/* sign * product of (s - root), rounded once from long double; returns the sum of |coefficients|. */
static double from_roots(size_t count, const double *roots, double sign, double a[AM_COEFFICIENTS]) {
    long double c[AM_COEFFICIENTS] = {sign};
    assert_true(count <= AM_DEGREE);
    for (size_t r = 0; r < count; r++)
        for (size_t k = r + 2; k-- > 0;)
            c[k] = (k > 0 ? c[k - 1] : 0) - (k <= r ? (long double)roots[r] * c[k] : 0);
    double size = 0;
    for (size_t k = 0; k < AM_COEFFICIENTS; k++) {
        a[k] = (double)c[k];
        size += fabs(a[k]);
    }
    return size;
}

static long double exact_at(const double a[AM_COEFFICIENTS], long double s) {
    long double value = 0;
    for (size_t k = AM_COEFFICIENTS; k-- > 0;)
        value = value * s + a[k];
    return value;
}

/* What rounding of the conversion to the Bernstein basis and of de Casteljau's halving may do. */
static double rounding_of(double size) {
    return 64 * DBL_EPSILON * size;
}

/* ---- values and integrals ---- */

static void bernstein_coefficients_of_powers_are_known(void **state) {
    (void)state;
    for (size_t power = 0; power <= AM_DEGREE; power++) {
        double a[AM_COEFFICIENTS] = {0}, b[AM_COEFFICIENTS];
        a[power] = 1;
        am_bernstein_from_power(a, b);
        for (size_t j = 0; j <= AM_DEGREE; j++) {
            double wanted = 1; /* C(j, k)/C(n, k) */
            for (size_t i = 0; i < power; i++)
                wanted *= j >= power ? (double)(j - i) / (double)(AM_DEGREE - i) : 0;
            assert_near(b[j], wanted, 64 * DBL_EPSILON * wanted);
        }
    }
}

static void ends_of_the_bernstein_coefficients_are_the_values_there(void **state) {
    (void)state;
    random_source source = random_seed(1);
    for (int trial = 0; trial < 100; trial++) {
        double a[AM_COEFFICIENTS], b[AM_COEFFICIENTS], size = 0;
        for (size_t k = 0; k < AM_COEFFICIENTS; k++)
            size += fabs(a[k] = random_between(&source, -1, 1));
        am_bernstein_from_power(a, b);
        assert_near(b[0], a[0], 0);
        assert_near(b[AM_DEGREE], (double)exact_at(a, 1), rounding_of(size));
    }
}

/* Coefficients that fall as those of a motion do; sampled densely enough that no dip hides: a polynomial of degree 23
 * with such coefficients moves less than `step` between neighbours. */
static void the_quick_look_claims_nothing_that_is_not_true(void **state) {
    (void)state;
    random_source source = random_seed(3);
    size_t claimed = 0;
    for (int trial = 0; trial < 2000; trial++) {
        double a[AM_COEFFICIENTS], size = 0, slope = 0, fall = random_between(&source, 0.1, 1), scale = 1;
        for (size_t k = 0; k < AM_COEFFICIENTS; k++, scale *= fall) {
            size += fabs(a[k] = scale * random_between(&source, -1, 1));
            slope += (double)k * fabs(a[k]);
        }
        a[0] += 1.5;
        double level = random_between(&source, 0, 1), least = a[0];
        bool above = am_bernstein_above(a, level);
        for (int i = 0; i <= 1000; i++)
            least = fmin(least, (double)exact_at(a, i / 1000.0L));
        if (above)
            assert_true(least > level - rounding_of(size + 1.5));
        else if (fall < 0.3 && least - 1e-3 * slope > level + 0.5)
            fail_msg("a polynomial far above the level is not seen to be");
        claimed += above;
    }
    assert_true(claimed > 300);
}

static void value_and_slope_agree_with_the_definition(void **state) {
    (void)state;
    random_source source = random_seed(2);
    for (int trial = 0; trial < 100; trial++) {
        double a[AM_COEFFICIENTS], size = 0, value, s = random_between(&source, 0, 1);
        for (size_t k = 0; k < AM_COEFFICIENTS; k++)
            size += fabs(a[k] = random_between(&source, -1, 1));
        long double slope = 0;
        for (size_t k = AM_DEGREE; k > 0; k--)
            slope = slope * s + (long double)k * a[k];
        assert_near(am_polynomial_at(a, s), (double)exact_at(a, s), rounding_of(size));
        assert_near(am_polynomial_slope(a, s, &value), (double)slope, AM_DEGREE * rounding_of(size));
        assert_near(value, (double)exact_at(a, s), rounding_of(size));
    }
}

static void integrals_of_products_of_powers_are_one_over_their_sum(void **state) {
    (void)state;
    for (size_t i = 0; i <= AM_DEGREE; i++) {
        for (size_t j = 0; j <= AM_DEGREE; j++) {
            double a[AM_COEFFICIENTS] = {0}, b[AM_COEFFICIENTS] = {0};
            a[i] = 2;
            b[j] = 3;
            assert_near(am_polynomial_product_integral(a, b), 6.0 / (double)(i + j + 1), 4 * DBL_EPSILON);
        }
        double a[AM_COEFFICIENTS] = {0};
        a[i] = 1;
        assert_near(am_polynomial_integral(a), 1.0 / (double)(i + 1), DBL_EPSILON);
    }
}

/* exp(s) exp(-s) = 1, sin^2, sin cos: Taylor polynomials of degree 23 are exact to rounding on [0, 1]. */
static void integrals_of_products_of_elementary_functions(void **state) {
    (void)state;
    double up[AM_COEFFICIENTS], down[AM_COEFFICIENTS], sine[AM_COEFFICIENTS] = {0}, cosine[AM_COEFFICIENTS] = {0};
    double factorial = 1;
    for (size_t k = 0; k < AM_COEFFICIENTS; k++) {
        factorial *= k > 0 ? (double)k : 1;
        up[k] = 1 / factorial;
        down[k] = (k % 2 ? -1 : 1) / factorial;
        *(k % 2 ? &sine[k] : &cosine[k]) = (k / 2 % 2 ? -1 : 1) / factorial;
    }
    assert_near(am_polynomial_product_integral(up, down), 1, 16 * DBL_EPSILON);
    assert_near(am_polynomial_product_integral(up, up), (exp(2) - 1) / 2, 32 * DBL_EPSILON);
    assert_near(am_polynomial_product_integral(sine, sine), 0.5 - sin(2) / 4, 16 * DBL_EPSILON);
    assert_near(am_polynomial_product_integral(sine, cosine), sin(1) * sin(1) / 2, 16 * DBL_EPSILON);
    assert_near(am_polynomial_integral(cosine), sin(1), 8 * DBL_EPSILON);
}

/* The bits of the plain double sum, whatever the lengths of both: the books of energy do not depend on how it is done.
 */
static void integrals_of_products_are_summed_by_diagonals(void **state) {
    (void)state;
    srand(7);
    for (size_t m = 0; m <= AM_COEFFICIENTS; m++)
        for (size_t n = 0; n <= AM_COEFFICIENTS; n++) {
            double a[AM_COEFFICIENTS] = {0}, b[AM_COEFFICIENTS] = {0}, sum = 0.0;
            for (size_t i = 0; i < m; i++)
                a[i] = (double)rand() / RAND_MAX - 0.5;
            for (size_t j = 0; j < n; j++)
                b[j] = (double)rand() / RAND_MAX - 0.5;
            for (size_t d = 2 * AM_COEFFICIENTS - 1; d-- > 0;) {
                volatile double term = 0.0; /* no fused products here either */
                for (size_t i = 0; i < AM_COEFFICIENTS; i++) {
                    volatile double product = d >= i && d - i < AM_COEFFICIENTS ? a[i] * b[d - i] : 0.0;
                    term = term + product;
                }
                sum += term / (double)(d + 1);
            }
            assert_true(am_polynomial_product_integral(a, b) == sum);
        }
}

/* ---- first crossings of known polynomials ---- */

static void no_crossing(const double a[AM_COEFFICIENTS], double shift) {
    double where = -1;
    if (am_bernstein_first_negative(a, shift, &where)) {
        print_error("a crossing at %.17g was invented\n", where);
        fail();
    }
}

static void crossing_at(const double a[AM_COEFFICIENTS], double shift, double wanted, double tolerance) {
    double where = -1;
    if (!am_bernstein_first_negative(a, shift, &where)) {
        print_error("the crossing at %.17g was missed\n", wanted);
        fail();
    }
    assert_near(where, wanted, tolerance);
}

static void a_line_crosses_where_it_does(void **state) {
    (void)state;
    const double roots[] = {1e-300, 1e-17, 1e-9, 0.1, 0.5, 0.75, 1 - 1e-15};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        double a[AM_COEFFICIENTS] = {roots[i], -1};
        crossing_at(a, 0, roots[i], 2 * DBL_EPSILON * (roots[i] + 1e-10));
    }
}

static void a_crossing_at_the_very_start_is_found(void **state) {
    (void)state;
    double line[AM_COEFFICIENTS] = {0, -1}, cubic[AM_COEFFICIENTS] = {0, 0, 0, -1};
    crossing_at(line, 0, 0, 1e-15);
    crossing_at(cubic, 0, 0, 1e-15);
}

static void reaching_zero_at_the_very_end_is_no_crossing(void **state) {
    (void)state;
    double line[AM_COEFFICIENTS] = {1, -1};
    no_crossing(line, 0);
    no_crossing(line, 1e-15);
    crossing_at(line, -1e-12, 1 - 1e-12, 1e-15);
}

static void what_never_gets_negative_has_no_crossing(void **state) {
    (void)state;
    double zero[AM_COEFFICIENTS] = {0}, rising[AM_COEFFICIENTS] = {0, 1}, one[AM_COEFFICIENTS] = {1};
    no_crossing(zero, 0);
    no_crossing(rising, 0);
    no_crossing(one, 0);
    const double pairs[] = {0.2, 0.2, 0.6, 0.6, 0.9, 0.9}; /* three double roots */
    double a[AM_COEFFICIENTS];
    double size = from_roots(6, pairs, 1, a);
    no_crossing(a, rounding_of(size));
}

/* (s - r)^2 - d: crosses at r - sqrt(d) however small d is, as long as it can be told from rounding. */
static void tangencies_just_above_and_just_below_are_told_apart(void **state) {
    (void)state;
    random_source source = random_seed(3);
    const double depths[] = {1e-4, 1e-8, 1e-11, 1e-13};
    for (int trial = 0; trial < 200; trial++) {
        double r = random_between(&source, 0.05, 0.95), d = depths[trial % 4];
        double a[AM_COEFFICIENTS] = {r * r, -2 * r, 1};
        no_crossing(a, d);
        /* error of the coefficients over the slope, 2 sqrt(d) */
        crossing_at(a, -d, r - sqrt(d), 8 * DBL_EPSILON / sqrt(d));
    }
}

static void a_triple_root_is_crossed(void **state) {
    (void)state;
    const double roots[] = {0.3, 0.3, 0.3};
    double a[AM_COEFFICIENTS];
    from_roots(3, roots, -1, a);
    crossing_at(a, 0, 0.3, 2e-5); /* third root of rounding */
    crossing_at(a, 1e-9, 0.3 + 1e-3, 1e-9);
    crossing_at(a, -1e-9, 0.3 - 1e-3, 1e-9);
}

/* Up to five roots, 0.01 apart. */
static void a_cluster_is_entered_at_its_first_root(void **state) {
    (void)state;
    for (size_t count = 1; count <= 5; count++) {
        double roots[5], a[AM_COEFFICIENTS];
        for (size_t i = 0; i < count; i++)
            roots[i] = 0.4 + 0.01 * (double)i;
        double sign = count % 2 ? -1 : 1; /* positive at 0 */
        double size = from_roots(count, roots, sign, a), value;
        double slope = am_polynomial_slope(a, roots[0], &value);
        assert_true(slope < 0);
        crossing_at(a, 0, roots[0], 64 * DBL_EPSILON * size / -slope);
    }
}

static void a_dip_of_1e_9_between_two_samples_is_found(void **state) {
    (void)state;
    random_source source = random_seed(4);
    for (int trial = 0; trial < 200; trial++) {
        double middle = random_between(&source, 0.01, 0.99), half = sqrt(1e-9);
        const double roots[] = {middle - half, middle + half, 1.7, 1.9, -0.4, -0.8};
        double a[AM_COEFFICIENTS];
        if (roots[0] <= 0 || roots[1] >= 1)
            continue;
        double size = from_roots(6, roots, 1, a), value, slope = am_polynomial_slope(a, roots[0], &value);
        crossing_at(a, 0, roots[0], 64 * DBL_EPSILON * size / -slope);
    }
}

/* ---- random polynomials ---- */

/* Single, double and triple roots inside, some outside, degree up to the largest; positive at 0. */
static size_t random_roots(random_source *source, double *roots) {
    size_t count = 0, most = 1 + random_index(source, AM_DEGREE);
    bool touching = random_chance(source, 0.4); /* inside, double roots only */
    while (count < most) {
        double root = random_chance(source, 0.6)   ? random_between(source, 0, 1)
                      : random_chance(source, 0.5) ? random_between(source, -2, 0)
                                                   : random_between(source, 1, 3);
        size_t repeat = touching ? 2 : random_chance(source, 0.7) ? 1 : 1 + random_index(source, 3);
        if (touching && count + repeat > most)
            break;
        for (size_t i = 0; i < repeat && count < most; i++)
            roots[count++] = root;
        if (!touching && random_chance(source, 0.2) && count < most)
            roots[count++] = root + random_between(source, -1e-4, 1e-4);
    }
    return count;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The first s at which a + shift < -margin, looking between all neighbouring roots and on a fine grid; 2 if none. */
static double first_seen_below(const double a[AM_COEFFICIENTS], double shift, double margin, size_t count,
                               const double *roots) {
    double first = 2;
    for (int i = 0; i <= 2000; i++) {
        double s = i / 2000.0;
        if (exact_at(a, s) + shift < -margin && s < first)
            first = s;
    }
    for (size_t r = 0; r + 1 < count; r++)
        for (int i = 1; i < 16; i++) {
            double s = roots[r] + (roots[r + 1] - roots[r]) * i / 16;
            if (s >= 0 && s <= 1 && exact_at(a, s) + shift < -margin && s < first)
                first = s;
        }
    return first;
}

static void random_polynomials_are_judged_as_a_fine_sampling_sees_them(void **state) {
    (void)state;
    size_t found = 0, none = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        random_source source = random_seed(seed);
        double roots[AM_DEGREE], a[AM_COEFFICIENTS], where = 2;
        size_t count = random_roots(&source, roots);
        qsort(roots, count, sizeof *roots, ascending);
        double size = from_roots(count, roots, 1, a);
        if (a[0] < 0)
            for (size_t k = 0; k < AM_COEFFICIENTS; k++)
                a[k] = -a[k];
        double margin = rounding_of(size);
        double shift = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 4 * margin : -fmin(4 * margin, a[0]);
        bool crosses = am_bernstein_first_negative(a, shift, &where);
        found += crosses;
        none += !crosses;
        double seen = first_seen_below(a, shift, margin, count, roots);
        if (seen < 2 && !(crosses && where <= seen)) {
            print_error("seed %llu: negative at %.17g, but the first crossing is said to be at %.17g\n",
                        (unsigned long long)seed, seen, where);
            fail();
        }
        if (crosses) {
            assert_true(where >= 0 && where <= 1);
            /* there the value is zero to rounding, or the crossing is steep and within rounding of s */
            long double value = exact_at(a, where) + shift, after = exact_at(a, where * (1 + 4 * DBL_EPSILON)) + shift;
            long double before = exact_at(a, where * (1 - 4 * DBL_EPSILON)) + shift;
            if (!(fabsl(value) <= margin || (before > 0 && after < 0))) {
                print_error("seed %llu: said to vanish at %.17g, but is %g\n", (unsigned long long)seed, where,
                            (double)value);
                fail();
            }
        }
    }
    assert_true(found > 500 && none > 100);
}

/* Simple, well separated roots: the first one inside is where it was put. */
static void the_first_root_of_random_polynomials_is_the_known_one(void **state) {
    (void)state;
    size_t tried = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        random_source source = random_seed(seed + 50000);
        double roots[AM_DEGREE], a[AM_COEFFICIENTS], first = 2, value;
        size_t count = 1 + random_index(&source, 12);
        for (size_t r = 0; r < count; r++) {
            roots[r] = random_between(&source, -0.5, 1.5);
            if (roots[r] > 0 && roots[r] < first)
                first = roots[r];
        }
        double size = from_roots(count, roots, 1, a);
        if (a[0] < 0)
            for (size_t k = 0; k < AM_COEFFICIENTS; k++)
                a[k] = -a[k];
        double slope = am_polynomial_slope(a, first, &value), error = 64 * DBL_EPSILON * size / fabs(slope);
        if (error > 1e-4 || fabs(a[0]) < rounding_of(size) || fabs(first - 1) < error)
            continue; /* not decidable in double precision */
        tried++;
        if (first > 1)
            no_crossing(a, 0);
        else
            crossing_at(a, 0, first, error);
    }
    assert_true(tried > 1000);
}

/* ---- refinement ---- */

/* A crossing found with a shift of either sign is led back to the zero itself. */
static void refinement_leads_back_to_the_zero(void **state) {
    (void)state;
    size_t tried = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        random_source source = random_seed(seed + 90000);
        double root = random_between(&source, 0.05, 0.95);
        const double roots[] = {root, random_between(&source, 1.2, 2), random_between(&source, -2, -0.2),
                                random_between(&source, 1.2, 2)};
        double a[AM_COEFFICIENTS], where, value;
        double size = from_roots(4, roots, 1, a);
        if (a[0] < 0)
            for (size_t k = 0; k < AM_COEFFICIENTS; k++)
                a[k] = -a[k];
        double shift = (seed % 2 ? 1e-10 : -1e-10) * size;
        if (a[0] <= 2e-10 * size || !am_bernstein_first_negative(a, shift, &where))
            continue;
        double slope = am_polynomial_slope(a, root, &value);
        assert_true(fabs(where - root) > 1e-13); /* the shift did move it */
        assert_near(am_bernstein_refine(a, shift, where), root, 64 * DBL_EPSILON * size / fabs(slope));
        tried++;
    }
    assert_true(tried > 800);
}

static void refinement_of_a_touch_stays_where_it_is(void **state) {
    (void)state;
    double a[AM_COEFFICIENTS] = {0.25, -1, 1}, where; /* (s - 1/2)^2 */
    assert_true(am_bernstein_first_negative(a, -1e-10, &where));
    double refined = am_bernstein_refine(a, -1e-10, where);
    assert_near(refined, 0.5, 2e-5);
    assert_true(refined >= 0 && refined <= 1);
}

static void refinement_towards_a_zero_at_the_start_gives_the_start(void **state) {
    (void)state;
    double a[AM_COEFFICIENTS] = {0, -1}, where;
    assert_true(am_bernstein_first_negative(a, 1e-12, &where));
    assert_near(where, 1e-12, 1e-20);
    assert_near(am_bernstein_refine(a, 1e-12, where), 0, 1e-25);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bernstein_coefficients_of_powers_are_known),
        cmocka_unit_test(ends_of_the_bernstein_coefficients_are_the_values_there),
        cmocka_unit_test(the_quick_look_claims_nothing_that_is_not_true),
        cmocka_unit_test(value_and_slope_agree_with_the_definition),
        cmocka_unit_test(integrals_of_products_of_powers_are_one_over_their_sum),
        cmocka_unit_test(integrals_of_products_of_elementary_functions),
        cmocka_unit_test(integrals_of_products_are_summed_by_diagonals),
        cmocka_unit_test(a_line_crosses_where_it_does),
        cmocka_unit_test(a_crossing_at_the_very_start_is_found),
        cmocka_unit_test(reaching_zero_at_the_very_end_is_no_crossing),
        cmocka_unit_test(what_never_gets_negative_has_no_crossing),
        cmocka_unit_test(tangencies_just_above_and_just_below_are_told_apart),
        cmocka_unit_test(a_triple_root_is_crossed),
        cmocka_unit_test(a_cluster_is_entered_at_its_first_root),
        cmocka_unit_test(a_dip_of_1e_9_between_two_samples_is_found),
        cmocka_unit_test(random_polynomials_are_judged_as_a_fine_sampling_sees_them),
        cmocka_unit_test(the_first_root_of_random_polynomials_is_the_known_one),
        cmocka_unit_test(refinement_leads_back_to_the_zero),
        cmocka_unit_test(refinement_of_a_touch_stays_where_it_is),
        cmocka_unit_test(refinement_towards_a_zero_at_the_start_gives_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
