/* Motions of polynomial springs and dampers without contacts, and periodic orbits of them: closed forms, elliptic integrals, invariants of the
 * equations of motion, and numbers of the literature. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/orbit.h"
#include "analyses/orbit/verdict.h"
#include "dense_system.h"
#include "engines/switching/switching.h"
#include "errors.h"
#include "near.h"

static const double pi = 3.14159265358979323846264338327950288;

static am_motion *engine_of(const am_system *system) {
    am_error err = {0};
    am_motion *engine = am_motion_create(system, true, &err);
    if (!engine)
        fail_msg("%s", err.message);
    return engine;
}

/* The state a `duration` after (t0, x), and its derivative (row-major; NULL: not wanted). out may be x. */
static am_status flow(am_motion *engine, double t0, const double *x, double duration, double *out, double *derivative,
                      am_error *err) {
    size_t d = am_motion_dimension(engine);
    am_status status = am_motion_follow_sensitivity(engine, derivative != NULL, err);
    if (!status)
        status = am_motion_start_state(engine, t0, x, err);
    if (!status)
        status = am_engine_run_until(engine, t0 + duration, err);
    if (status)
        return status;
    memcpy(out, am_motion_state(engine), d * sizeof *out);
    if (derivative)
        memcpy(derivative, am_motion_sensitivity(engine), d * d * sizeof *derivative);
    return am_motion_follow_sensitivity(engine, false, err);
}

/* The orbit near a guess: forced with this period, or self-excited with one near it. */
static am_status close_near(am_motion *engine, double period, bool self_excited, const double *guess, am_orbit *orbit,
                            am_error *err) {
    const am_orbit_return how = {
        .section = self_excited ? AM_SECTION_FREE : AM_SECTION_PERIOD, .period = period, .returns = 1};
    return am_orbit_close(engine, &how, guess, orbit, err);
}

static double energy_at(am_motion *engine, const double *x) {
    GOOD(am_motion_start_state(engine, 0.0, x, err));
    return am_engine_kinetic(engine) + am_engine_potential(engine);
}

/* One mass: m = 1, damping c, stiffness k, one spring, one load. */
static am_system *one_mass(double c, double k, size_t terms, const am_polynomial_term *term, const am_function *load) {
    static const double one = 1.0;
    am_polynomial_def spring = {.direction = &one, .term_count = terms, .terms = term};
    am_load_def force = {.direction = &one};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.polynomial_count = terms > 0;
    def.polynomials = &spring;
    if (load)
        force.function = *load;
    def.load_count = load != NULL;
    def.loads = &force;
    return dense_system(def, &one, &c, &k);
}

static double geometric_mean(double a, double b) {
    for (int i = 0; i < 12; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

/* x'' + x + x^3 = 0 from x = A at rest: T = 4 K(m)/sqrt(1 + A^2), m = A^2/(2 (1 + A^2)); K by the arithmetic-geometric
 * mean. The orbit belongs to a family: one for every A. */
static void free_duffing_oscillation_has_the_period_of_the_elliptic_integral(void **state) {
    (void)state;
    am_polynomial_term cubic = {1.0, 3, 0};
    am_system *system = one_mass(0.0, 1.0, 1, &cubic, NULL);
    am_motion *engine = engine_of(system);
    for (double A = 0.1; A < 20.0; A *= 3.0) {
        double m = A * A / (2.0 * (1.0 + A * A)), K = 0.5 * pi / geometric_mean(1.0, sqrt(1.0 - m));
        double T = 4.0 * K / sqrt(1.0 + A * A), guess[2] = {A, 0.0}, quarter[2];
        am_orbit orbit;
        GOOD(close_near(engine, 1.1 * T, true, guess, &orbit, err));
        GOOD(flow(engine, 0.0, guess, 0.25 * T, quarter, NULL, err));
        assert_near(quarter[0] / A, 0.0, 1e-14);
        assert_near(orbit.period, T, 0.01 * T); /* a member of the family near the guess */
        assert_int_equal(orbit.family, 1);
        double energy = energy_at(engine, orbit.state), B = sqrt(sqrt(1.0 + 4.0 * energy) - 1.0);
        m = B * B / (2.0 * (1.0 + B * B));
        T = 4.0 * (0.5 * pi / geometric_mean(1.0, sqrt(1.0 - m))) / sqrt(1.0 + B * B);
        assert_near(orbit.period / T, 1.0, 1e-13);
        am_orbit_clear(&orbit);
    }
    am_motion_free(engine);
    am_system_free(system);
}

/* ---- general structures ---- */

enum { MOST = 4 };

/* n masses in a row with a mass matrix that is not diagonal, springs between neighbours with the given terms. */
static am_system *row_of_masses(size_t n, double damping, size_t terms, const am_polynomial_term *term,
                                const am_function *load) {
    double M[MOST * MOST] = {0}, C[MOST * MOST] = {0}, K[MOST * MOST] = {0}, direction[MOST * MOST] = {0};
    double push[MOST] = {1.0, 0.5, 0.0, -0.3};
    am_polynomial_def spring[MOST];
    am_load_def force = {.direction = push};
    for (size_t i = 0; i < n; i++) {
        M[i * n + i] = 1.0 + 0.2 * (double)i;
        K[i * n + i] = 2.0;
        C[i * n + i] = damping;
        direction[i * n + i] = 1.0;
        if (i > 0) {
            M[i * n + i - 1] = M[(i - 1) * n + i] = 0.1;
            K[i * n + i - 1] = K[(i - 1) * n + i] = -0.9;
            direction[i * n + i - 1] = -1.0;
        }
        spring[i] = (am_polynomial_def){.direction = direction + i * n, .term_count = terms, .terms = term};
    }
    am_system_def def = am_system_def_default();
    def.n = n;
    def.polynomial_count = n;
    def.polynomials = spring;
    if (load)
        force.function = *load;
    def.load_count = load != NULL;
    def.loads = &force;
    return dense_system(def, M, C, K);
}

static void conservative_row_keeps_its_energy(void **state) {
    (void)state;
    const am_polynomial_term term[] = {{0.4, 2, 0}, {1.3, 3, 0}, {0.2, 7, 0}};
    am_system *system = row_of_masses(4, 0.0, 3, term, NULL);
    am_motion *engine = engine_of(system);
    double x[8] = {0.9, -0.4, 0.3, 0.1, 0.0, 0.5, -1.0, 0.2}, before = energy_at(engine, x);
    GOOD(flow(engine, 0.0, x, 200.0, x, NULL, err));
    /* a few thousand steps, each with its own rounding */
    assert_near(energy_at(engine, x) / before, 1.0, 1e-13);
    am_motion_free(engine);
    am_system_free(system);
}

/* All kinds of terms at once. */
static const am_polynomial_term mixed[] = {{0.3, 1, 0}, {-0.2, 0, 1}, {0.4, 2, 1}, {0.5, 3, 0},
                                           {0.1, 0, 5}, {0.2, 1, 2},  {0.05, 4, 3}};
enum { MIXED = sizeof mixed / sizeof *mixed };

/* Central differences of step d are off by about d^2 and by rounding over d: 1e-10 and 1e-11 for d = 1e-5. */
static void derivative_is_that_of_nearby_motions(void **state) {
    (void)state;
    am_function sine = am_function_sine(0.7, 1.3, 0.4);
    am_system *system = row_of_masses(3, 0.1, MIXED, mixed, &sine);
    am_motion *engine = engine_of(system);
    const double start[6] = {0.5, -0.3, 0.2, 0.1, 0.4, -0.6}, step = 1e-5;
    double end[6], D[36];
    GOOD(flow(engine, 0.2, start, 5.0, end, D, err));
    for (size_t j = 0; j < 6; j++) {
        double up[6], down[6];
        memcpy(up, start, sizeof up);
        memcpy(down, start, sizeof down);
        up[j] += step;
        down[j] -= step;
        GOOD(flow(engine, 0.2, up, 5.0, up, NULL, err));
        GOOD(flow(engine, 0.2, down, 5.0, down, NULL, err));
        for (size_t i = 0; i < 6; i++)
            assert_near(D[i * 6 + j], (up[i] - down[i]) / (2.0 * step), 2e-9);
    }
    am_motion_free(engine);
    am_system_free(system);
}

/* The flow over a whole time is that over its parts, derivatives by the chain rule. */
static void flows_of_parts_make_the_flow_of_the_whole(void **state) {
    (void)state;
    am_function sine = am_function_sine(0.7, 1.3, 0.4);
    am_system *system = row_of_masses(2, 0.1, MIXED, mixed, &sine);
    am_motion *engine = engine_of(system);
    double x[4] = {0.5, -0.3, 0.2, 0.1}, whole[4], part[4], D[16], A[16], B[16];
    GOOD(flow(engine, 0.0, x, 3.7, whole, D, err));
    GOOD(flow(engine, 0.0, x, 1.234, part, A, err));
    GOOD(flow(engine, 1.234, part, 3.7 - 1.234, part, B, err));
    for (size_t i = 0; i < 4; i++) {
        assert_near(part[i], whole[i], 1e-14);
        for (size_t j = 0; j < 4; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < 4; k++)
                sum += B[i * 4 + k] * A[k * 4 + j];
            assert_near(sum, D[i * 4 + j], 1e-13);
        }
    }
    am_motion_free(engine);
    am_system_free(system);
}

/* q'' = -q^9 through q = 0: the series there is v t - v^9 t^11/110 + ..., and all its terms from t^12 to t^20 vanish.
 * A step taken from the last coefficients alone would be endless. */
static void coefficients_that_vanish_by_accident_do_not_make_long_steps(void **state) {
    (void)state;
    am_polynomial_term ninth = {1.0, 9, 0};
    am_system *system = one_mass(0.0, 0.0, 1, &ninth, NULL);
    am_motion *engine = engine_of(system);
    double x[2] = {0.0, 1.0};
    GOOD(flow(engine, 0.0, x, 50.0, x, NULL, err));
    assert_near(energy_at(engine, x), 0.5, 1e-13);
    x[1] = -x[1]; /* and back the way it came */
    GOOD(flow(engine, 0.0, x, 50.0, x, NULL, err));
    assert_near(x[0], 0.0, 1e-11);
    assert_near(x[1], -1.0, 1e-11);
    am_motion_free(engine);
    am_system_free(system);
}

static void growth_beyond_all_bounds_is_said(void **state) {
    (void)state;
    am_polynomial_term explosive = {-1.0, 3, 0};
    am_system *system = one_mass(0.0, 0.0, 1, &explosive, NULL); /* x'' = x^3: x = sqrt(2)/(t0 - t) */
    am_motion *engine = engine_of(system);
    double x[2] = {sqrt(2.0), sqrt(2.0)};
    am_error err = {0};
    assert_int_equal(flow(engine, 0.0, x, 2.0, x, NULL, &err), AM_ERR_LIMIT);
    assert_says(&err, "grows beyond what numbers can hold near t = 0.99999999");
    am_motion_free(engine);
    am_system_free(system);
}

/* ---- periodic orbits ---- */

/* Liouville: the product of all multipliers is exp of minus the divergence over a period. Of one mass on a
 * self-excited orbit that is the multiplier itself. The trapezoidal rule converges exponentially on a period. */
static double multiplier_by_liouville(am_motion *engine, const am_orbit *orbit, double (*damping)(double x, double v)) {
    enum { POINTS = 2000 };
    double x[2] = {orbit->state[0], orbit->state[1]}, sum = 0.0;
    for (size_t i = 0; i < POINTS; i++) {
        sum += damping(x[0], x[1]);
        GOOD(flow(engine, 0.0, x, orbit->period / POINTS, x, NULL, err));
    }
    return exp(-sum * orbit->period / POINTS);
}

static double van_der_pol_damping(double x, double v) {
    (void)v;
    return x * x - 1.0;
}

/* The period is known to thirty digits. */
static void van_der_pol_orbit_has_its_period_and_multiplier(void **state) {
    (void)state;
    const am_polynomial_term term[] = {{-1.0, 0, 1}, {1.0, 2, 1}};
    am_system *system = one_mass(0.0, 1.0, 2, term, NULL);
    am_motion *engine = engine_of(system);
    double guess[2] = {1.9, 0.1};
    am_orbit orbit;
    GOOD(close_near(engine, 6.3, true, guess, &orbit, err));
    assert_near(orbit.period, 6.6632868593231301896996820305, 2e-14);
    assert_near(orbit.multiplier, multiplier_by_liouville(engine, &orbit, van_der_pol_damping), 1e-14);
    assert_near(orbit.trivial, 1.0, 1e-12);
    assert_true(orbit.closing <= 1e-13);
    assert_true(orbit.stable);
    assert_int_equal(am_orbit_verdict(&orbit), AM_VERDICT_STABLE);
    assert_near(orbit.loss_damping, 0.0, 1e-13); /* what it gains it loses */
    am_orbit_clear(&orbit);
    GOOD(close_near(engine, 13.0, true, guess, &orbit, err)); /* twice around is the same orbit */
    assert_near(orbit.period, 6.6632868593231301896996820305, 2e-14);
    am_orbit_clear(&orbit);
    am_motion_free(engine);
    am_system_free(system);
}

/* x'' + 2 xi1 x' - q3 x'^3 + q4 x'^5 + x = 0, Papangelo 2017, eq. (9.3) with the numbers of (9.9). */
static double q3, q4, xi1;

static double bistable_damping(double x, double v) {
    (void)x;
    return 2.0 * xi1 - 3.0 * q3 * v * v + 5.0 * q4 * v * v * v * v;
}

/* Closes the large (stable) or small cycle at xi1; its amplitude by one harmonic is the guess. */
static am_status close_bistable(double damping, bool large, am_orbit *orbit, double *liouville) {
    xi1 = damping;
    q3 = 2.0 * 0.3 * 4.0 * pi * pi;
    q4 = 2.0 * 0.1 * 16.0 * pi * pi * pi * pi;
    const am_polynomial_term term[] = {{-q3, 0, 3}, {q4, 0, 5}};
    am_system *system = one_mass(2.0 * xi1, 1.0, 2, term, NULL);
    am_motion *engine = engine_of(system);
    double a = 0.625 * q4, b = -0.75 * q3, root = sqrt(fmax(0.0, b * b - 8.0 * a * xi1));
    double guess[2] = {sqrt((-b + (large ? root : -root)) / (2.0 * a)), 0.0};
    am_error err = {0};
    am_status status = close_near(engine, 2.0 * pi, true, guess, orbit, &err);
    if (!status && liouville)
        *liouville = multiplier_by_liouville(engine, orbit, bistable_damping);
    am_motion_free(engine);
    am_system_free(system);
    return status;
}

static void bistable_oscillator_has_a_large_stable_and_a_small_unstable_cycle(void **state) {
    (void)state;
    am_orbit large, small;
    double by_large, by_small;
    assert_int_equal(close_bistable(0.15, true, &large, &by_large), AM_OK);
    assert_int_equal(close_bistable(0.15, false, &small, &by_small), AM_OK);
    assert_near(large.multiplier, by_large, 1e-13);
    assert_near(small.multiplier, by_small, 1e-12);
    assert_true(large.stable && large.multiplier < 1.0);
    assert_true(!small.stable && small.multiplier > 1.0);
    assert_true(fabs(small.state[0]) < 0.8 * fabs(large.state[0]));
    am_orbit_clear(&large);
    am_orbit_clear(&small);
}

/* Near a fold (1 - multiplier)^2 goes linearly to zero: two values of xi1 give its place to about the square of their
 * distance from it. One harmonic has it at 9 xi3^2/(40 xi5) = 0.2025; converged it is 0.20238. */
static void both_cycles_meet_in_a_fold_just_below_that_of_one_harmonic(void **state) {
    (void)state;
    double at[] = {0.20235, 0.20237}, square[2];
    for (size_t i = 0; i < 2; i++) {
        am_orbit orbit;
        assert_int_equal(close_bistable(at[i], true, &orbit, NULL), AM_OK);
        assert_true(orbit.stable);
        square[i] = (1.0 - orbit.multiplier) * (1.0 - orbit.multiplier);
        am_orbit_clear(&orbit);
    }
    assert_near(at[1] + square[1] * (at[1] - at[0]) / (square[0] - square[1]), 0.20238, 5e-6);
    am_orbit none;
    assert_int_equal(close_bistable(0.2025, true, &none, NULL), AM_ERR_LIMIT);
}

/* x'' + 0.1 x' + x + x^3 = 0.5 sin 1.8 t: three orbits, the middle one unstable. One-harmonic balance,
 * [(1 - W^2 + 3/4 A^2)^2 + (0.1 W)^2] A^2 = 0.25, is good to a few percent; exact are: closing, the balance of work and
 * losses, and the product of multipliers exp(-0.1 T). */
static void forced_duffing_orbits_close_and_obey_liouville(void **state) {
    (void)state;
    const double W = 1.8, T = 2.0 * pi / W, c = 0.1, F = 0.5;
    am_polynomial_term cubic = {1.0, 3, 0};
    am_function sine = am_function_sine(F, W, 0.0);
    am_system *system = one_mass(c, 1.0, 1, &cubic, &sine);
    am_motion *engine = engine_of(system);
    size_t found = 0, stable = 0;
    double before = -F * F;
    for (double A = 0.01; A < 3.0; A += 0.001) {
        double detune = 1.0 - W * W + 0.75 * A * A, now = (detune * detune + c * c * W * W) * A * A - F * F;
        if ((before < 0.0) != (now < 0.0)) {
            double phase = atan2(c * W, detune), guess[2] = {-A * sin(phase), A * W * cos(phase)};
            am_orbit orbit;
            GOOD(close_near(engine, T, false, guess, &orbit, err));
            double product = orbit.multiplier_re[0] * orbit.multiplier_re[1] -
                             (orbit.multiplier_im[0] != 0.0 ? orbit.multiplier_im[0] * orbit.multiplier_im[1] : 0.0);
            assert_near(product, exp(-c * T), 1e-13);
            assert_true(orbit.closing <= 1e-13);
            assert_true(isnan(orbit.trivial));
            double end[2];
            GOOD(flow(engine, 0.0, orbit.state, T, end, NULL, err));
            am_motion_statistics s = am_motion_statistics_get(engine);
            assert_near(s.work_loads, s.loss_damping, 1e-13);
            assert_near(orbit.loss_damping, s.loss_damping, 1e-14);
            assert_near(sqrt(F * F / (now + F * F)), 1.0, 0.05); /* the guess is one of the roots */
            stable += orbit.stable;
            found++;
            am_orbit_clear(&orbit);
        }
        before = now;
    }
    assert_int_equal(found, 3);
    assert_int_equal(stable, 2);
    am_motion_free(engine);
    am_system_free(system);
}

/* Two masses without damping: multipliers on the unit circle are neither stable nor unstable. */
static void undamped_motions_are_called_marginal(void **state) {
    (void)state;
    am_polynomial_term cubic = {0.3, 3, 0};
    am_system *system = row_of_masses(2, 0.0, 1, &cubic, NULL);
    am_motion *engine = engine_of(system);
    double guess[4] = {0.3, 0.29, 0.0, 0.0};
    am_orbit orbit;
    GOOD(close_near(engine, 2.0 * pi / sqrt(0.9), true, guess, &orbit, err));
    assert_int_equal(orbit.family, 1);
    assert_near(orbit.multiplier, 1.0, 1e-10);
    assert_false(orbit.stable);
    assert_int_equal(am_orbit_verdict(&orbit), AM_VERDICT_MARGINAL);
    am_orbit_clear(&orbit);
    am_motion_free(engine);
    am_system_free(system);
}

/* A damped oscillator has no orbit of its own: Newton's method ends at rest and says so. */
static void guess_that_leads_to_rest_is_refused(void **state) {
    (void)state;
    am_polynomial_term damper = {0.2, 0, 3};
    am_system *system = one_mass(0.1, 1.0, 1, &damper, NULL);
    am_motion *engine = engine_of(system);
    double guess[2] = {1.0, 0.0};
    am_orbit orbit;
    am_error err = {0};
    assert_int_equal(close_near(engine, 6.3, true, guess, &orbit, &err), AM_ERR_LIMIT);
    assert_null(orbit.state);
    assert_int_equal(close_near(engine, -1.0, true, guess, &orbit, &err), AM_ERR_INPUT);
    am_motion_free(engine);
    am_system_free(system);
}

/* k q + q^2 = F: (-k +- sqrt(k^2 + 4 F))/2, and nothing where the root is of a negative number. */
static void equilibria_are_found_where_there_are_any(void **state) {
    (void)state;
    const am_polynomial_term square = {1.0, 2, 0};
    static const double forces[] = {2.0, 0.5, -0.2, -0.25 - 1e-3, -0.3, -1.0, -10.0};
    for (size_t i = 0; i < sizeof forces / sizeof *forces; i++)
        for (int side = -1; side <= 1; side += 2) {
            am_function load = am_function_constant(forces[i]);
            am_system *system = one_mass(0.1, 1.0, 1, &square, &load);
            am_motion *engine = engine_of(system);
            am_steady_state steady;
            const double start[2] = {-0.5 + 2.0 * side, 0.0}; /* Newton's method stays on its side of the vertex */
            double under = 1.0 + 4.0 * forces[i], q = 0.5 * (-1.0 + side * sqrt(fmax(0.0, under)));
            GOOD(am_motion_start_state(engine, 0.0, start, err));
            GOOD(am_engine_find_steady(engine, &steady, err));
            assert_int_equal(steady.exists, under >= 0.0);
            if (steady.exists) { /* the stiffness there is 1 + 2 q, the damping 0.1 */
                double k = 1.0 + 2.0 * q, square = 0.0025 - k;
                assert_near(steady.distance, fabs(start[0] - q), 1e-14);
                assert_near(steady.growth, -0.05 + (square > 0.0 ? sqrt(square) : 0.0), 1e-13);
            }
            const double vertex[2] = {-0.5, 0.0}; /* without stiffness: no step leads anywhere */
            GOOD(am_motion_start_state(engine, 0.0, vertex, err));
            GOOD(am_engine_find_steady(engine, &steady, err));
            assert_false(steady.exists);
            am_motion_free(engine);
            am_system_free(system);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_duffing_oscillation_has_the_period_of_the_elliptic_integral),
        cmocka_unit_test(conservative_row_keeps_its_energy),
        cmocka_unit_test(derivative_is_that_of_nearby_motions),
        cmocka_unit_test(flows_of_parts_make_the_flow_of_the_whole),
        cmocka_unit_test(coefficients_that_vanish_by_accident_do_not_make_long_steps),
        cmocka_unit_test(growth_beyond_all_bounds_is_said),
        cmocka_unit_test(van_der_pol_orbit_has_its_period_and_multiplier),
        cmocka_unit_test(bistable_oscillator_has_a_large_stable_and_a_small_unstable_cycle),
        cmocka_unit_test(both_cycles_meet_in_a_fold_just_below_that_of_one_harmonic),
        cmocka_unit_test(forced_duffing_orbits_close_and_obey_liouville),
        cmocka_unit_test(undamped_motions_are_called_marginal),
        cmocka_unit_test(guess_that_leads_to_rest_is_refused),
        cmocka_unit_test(equilibria_are_found_where_there_are_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
