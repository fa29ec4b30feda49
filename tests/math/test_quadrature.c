/* Integrals, zeros and special functions against values known otherwise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "halfplane_closed.h"
#include "math/quadrature.h"
#include "math/real_roots.h"
#include "math/root.h"
#include "math/special.h"
#include "near.h"

static const double pi = 3.14159265358979323846;

static double power_at(const void *context, double x) {
    return pow(x, *(const double *)context);
}

static double cosine_at(const void *context, double x) {
    (void)context;
    return cos(x);
}

static void gauss_is_exact_for_polynomials_of_degree_31(void **unused) {
    (void)unused;
    double degree = 31.0;
    assert_near(am_quadrature_gauss(power_at, &degree, 0.0, 1.0, 1), 1.0 / 32.0, 1e-16);
    degree = 32.0; /* and not for 32: the rule has sixteen points */
    double error = fabs(am_quadrature_gauss(power_at, &degree, -1.0, 1.0, 1) - 2.0 / 33.0);
    assert_true(error > 1e-11);
    assert_near(am_quadrature_gauss(cosine_at, NULL, 0.0, 20.0, 10), sin(20.0), 1e-14);
}

static void ends_take_roots_and_logarithms(void **unused) {
    (void)unused;
    double half = 0.5, near_one = -0.75;
    assert_near(am_quadrature_ends(power_at, &half, 0.0, 1.0), 2.0 / 3.0, 1e-15);
    assert_near(am_quadrature_ends(power_at, &half, 1.0, 0.0), -2.0 / 3.0, 1e-15);
    assert_near(am_quadrature_ends(power_at, &near_one, 0.0, 1.0), 4.0, 1e-12); /* zero is represented exactly */
    assert_near(am_quadrature_ends(cosine_at, NULL, 0.3, 0.3), 0.0, 0.0);
}

static double shifted_cosine(const void *context, double x) {
    return cos(x) - *(const double *)context;
}

static double flat_cubic(const void *context, double x) {
    double d = x - *(const double *)context;
    return d * d * d;
}

static void zeros_are_found_to_the_last_digit(void **unused) {
    (void)unused;
    for (int i = 0; i <= 20; i++) {
        double wanted = 0.01 + 0.15 * i, level = cos(wanted);
        /* cos loses digits where it is level; 0.01 is the worst of these */
        assert_near(am_root_between(shifted_cosine, &level, 0.0, pi), wanted, 2e-16 / sin(wanted) + 4e-16);
    }
    double place = 1.0 / 3.0;
    assert_near(am_root_between(flat_cubic, &place, 0.0, 1.0), place, 1e-15);
    double above = 2.0;
    assert_true(isnan(am_root_between(shifted_cosine, &above, 0.0, pi)));
}

static double hump(const void *context, double x) {
    double d = x - *(const double *)context;
    return 2.0 - d * d;
}

static void the_highest_point_may_lie_at_an_end(void **unused) {
    (void)unused;
    double places[] = {0.3, -1.0, 4.0}, wanted[] = {0.3, 0.0, 1.0};
    for (int i = 0; i < 3; i++) /* a parabola is level to rounding over sqrt(4e-16) */
        assert_near(am_root_highest(hump, &places[i], 0.0, 1.0), wanted[i], 4e-8);
}

static double first_kind(const void *context, double angle) {
    double complement = *(const double *)context, sine = sin(angle), cosine = cos(angle);
    return 1.0 / sqrt(cosine * cosine + complement * complement * sine * sine);
}

static double second_kind(const void *context, double angle) {
    return 1.0 / first_kind(context, angle);
}

static void elliptic_integrals_agree_with_quadrature(void **unused) {
    (void)unused;
    double complements[] = {1.0, 0.999, 0.7, 0.2, 0.05};
    for (int i = 0; i < 5; i++) {
        double K, E;
        am_special_elliptic(complements[i], &K, &E);
        assert_near(K, am_quadrature_gauss(first_kind, &complements[i], 0.0, 0.5 * pi, 64), 1e-13 * K);
        assert_near(E, am_quadrature_gauss(second_kind, &complements[i], 0.0, 0.5 * pi, 64), 1e-13);
    }
    double K, E, K_other, E_other; /* Legendre's relation, k = 0.6 and 0.8 */
    am_special_elliptic(0.8, &K, &E);
    am_special_elliptic(0.6, &K_other, &E_other);
    assert_near(E * K_other + E_other * K - K * K_other, 0.5 * pi, 1e-15);
}

static void hypergeometric_series_gives_elementary_functions(void **unused) {
    (void)unused;
    double points[] = {-0.9, -0.3, 0.0, 0.2, 0.5, 0.8};
    for (int i = 0; i < 6; i++) {
        double z = points[i];
        if (z != 0.0)
            assert_near(am_special_hypergeometric(1.0, 1.0, 2.0, z), -log1p(-z) / z, 1e-15 * fabs(log1p(-z) / z));
        assert_near(am_special_hypergeometric(-2.5, 3.0, 3.0, z), pow(1.0 - z, 2.5),
                    2e-15 * pow(1.0 - z, 2.5) + 4e-16); /* terms of size 1 */
        if (z > 0.0)
            assert_near(am_special_hypergeometric(0.5, 0.5, 1.5, z), asin(sqrt(z)) / sqrt(z), 2e-15);
    }
    assert_near(am_special_hypergeometric(1.0, -3.0, 1.5, 0.9), 1.0 - 2.0 * 0.9 + 1.6 * 0.81 - 16.0 / 35.0 * 0.729,
                1e-15); /* terminates */
}

/* Polynomials made of known factors: simple roots apart from each other are found, a double one between them is not,
 * and neither is one outside. Rounding of the coefficients moves a root by eps times their size over the slope, below
 * 1e-12 for roots half a unit apart. */
static void roots_of_polynomials_are_those_of_their_factors(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        size_t degree = 1 + seed % 6, inside = 0, count;
        double root[6], c[AM_REAL_ROOTS_DEGREE + 1] = {1.0}, found[AM_REAL_ROOTS_DEGREE], from = -1.2, to = 1.3;
        bool twice = degree > 2 && seed % 3 == 0;
        for (size_t k = 0; k < degree; k++) {
            root[k] = -1.5 + 0.5 * (double)k + 0.1 * am_random_unit(7, seed, k);
            if (twice && k == 2)
                root[k] = root[1];
            for (size_t j = k + 1; j > 0; j--)
                c[j] = c[j - 1] - root[k] * c[j];
            c[0] *= -root[k];
        }
        assert_true(am_real_roots_bound(c, degree) >= fabs(root[0]));
        count = am_real_roots_between(c, degree, from, to, found);
        for (size_t k = 0; k < degree; k++) {
            if (!(root[k] > from && root[k] < to) || (twice && (k == 1 || k == 2)))
                continue;
            double nearest = INFINITY;
            for (size_t j = 0; j < count; j++)
                nearest = fmin(nearest, fabs(found[j] - root[k]));
            assert_true(nearest <= 1e-12);
            inside++;
        }
        assert_true(count == inside || (twice && count == inside + 2)); /* rounding may split a double root in two */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_of_polynomials_are_those_of_their_factors),
        cmocka_unit_test(gauss_is_exact_for_polynomials_of_degree_31),
        cmocka_unit_test(ends_take_roots_and_logarithms),
        cmocka_unit_test(zeros_are_found_to_the_last_digit),
        cmocka_unit_test(the_highest_point_may_lie_at_an_end),
        cmocka_unit_test(elliptic_integrals_agree_with_quadrature),
        cmocka_unit_test(hypergeometric_series_gives_elementary_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
