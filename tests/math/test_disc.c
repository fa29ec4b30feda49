/* Forces in a disc: inside nothing slides, on the edge what slides is opposite to the force. */
#include <math.h>
#include <stdbool.h>

#include "math/friction_disc.h"
#include "near.h"
#include "uniform.h"

/* W x + b = -lambda x with the lambda that is returned: 0 inside, not negative on the edge. */
static void check(const double *W, const double *b, double radius, bool *inside) {
    double x[2], lambda = am_disc_solve(W, b, radius, x), size = hypot(b[0], b[1]);
    *inside = lambda == 0.0;
    assert_true(lambda >= 0.0);
    assert_true(hypot(x[0], x[1]) <= radius * (1.0 + 1e-15));
    if (lambda > 0.0)
        assert_near(hypot(x[0], x[1]), radius, 1e-15 * radius);
    for (int i = 0; i < 2; i++) /* roundings of a 2 x 2 system with a condition of a few thousand */
        assert_near(W[2 * i] * x[0] + W[2 * i + 1] * x[1] + b[i] + lambda * x[i], 0.0, 1e-11 * size);
}

static void random_forces_balance_or_oppose(void **state) {
    (void)state;
    uint64_t seed = 3;
    int stuck = 0, cases = 2000;
    for (int i = 0; i < cases; i++) {
        double angle = uniform(&seed, 0.0, 6.3), c = cos(angle), s = sin(angle), turn = uniform(&seed, -0.5, 0.5);
        double p = exp(uniform(&seed, -4.0, 4.0)), q = exp(uniform(&seed, -4.0, 4.0)), skew = turn * fmin(p, q);
        double W[4] = {p * c * c + q * s * s, (p - q) * c * s + skew, (p - q) * c * s - skew, p * s * s + q * c * c};
        double b[2] = {uniform(&seed, -1.0, 1.0), uniform(&seed, -1.0, 1.0)};
        bool inside;
        check(W, b, exp(uniform(&seed, -5.0, 5.0)), &inside);
        stuck += inside;
    }
    assert_in_range(stuck, cases / 5, 4 * cases / 5);
}

/* Two tangents that say the same: the shortest force, as along one of them. */
static void tangents_that_depend_share_the_force(void **state) {
    (void)state;
    const double W[4] = {2.0, 2.0, 2.0, 2.0}, b[2] = {-1.0, -1.0};
    double x[2];
    assert_near(am_disc_solve(W, b, 1.0, x), 0.0, 0.0);
    assert_near(x[0], 0.25, 1e-16);
    assert_near(x[1], 0.25, 1e-16);
    bool inside;
    check(W, b, 0.1, &inside);
    assert_false(inside);
    check(W, (const double[]){1.0, -1.0}, 3.0, &inside); /* nothing but the limit holds it */
    assert_false(inside);
}

static void no_disc_no_force(void **state) {
    (void)state;
    const double W[4] = {1.0, 0.0, 0.0, 2.0}, b[2] = {1.0, 1.0};
    double x[2] = {9.0, 9.0};
    am_disc_solve(W, b, 0.0, x);
    assert_near(x[0], 0.0, 0.0);
    assert_near(x[1], 0.0, 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_forces_balance_or_oppose),
                                       cmocka_unit_test(tangents_that_depend_share_the_force),
                                       cmocka_unit_test(no_disc_no_force)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
