/* Smooth motions by Taylor series, and periodic orbits of them: closed forms, elliptic integrals, invariants of the
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

#include "dense_system.h"
#include "engines/smooth/rest.h"
#include "engines/smooth/smooth.h"
#include "errors.h"
#include "near.h"

static const double pi = 3.14159265358979323846264338327950288;

static am_smooth *engine_of(const am_system *system) {
    am_error err = {0};
    am_smooth *engine = am_smooth_create(system, &err);
    if (!engine)
        fail_msg("%s", err.message);
    return engine;
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

/* ---- motions ---- */

/* x = exp(-z t) (cos w t + z/w sin w t) from x = 1, v = 0; derivatives in closed form too. Tolerance: a few dozen steps
 * of rounding. */
static void damped_oscillator_follows_its_closed_form(void **state) {
    (void)state;
    double z = 0.05, w = sqrt(1.0 - z * z);
    am_system *system = one_mass(2.0 * z, 1.0, 0, NULL, NULL);
    am_smooth *engine = engine_of(system);
    for (double t = 0.3; t < 60.0; t += 7.7) {
        double start[2] = {0.7, -0.4}, end[2], D[4], e = exp(-z * t), c = cos(w * t), s = sin(w * t);
        double wanted[4] = {e * (c + z / w * s), e * s / w, -e * s / w, e * (c - z / w * s)};
        GOOD(am_smooth_flow(engine, 0.0, start, t, end, D, err));
        for (size_t i = 0; i < 4; i++)
            assert_near(D[i], wanted[i], 2e-14);
        assert_near(end[0], wanted[0] * start[0] + wanted[1] * start[1], 1e-14);
        assert_near(end[1], wanted[2] * start[0] + wanted[3] * start[1], 1e-14);
    }
    am_smooth_free(engine);
    am_system_free(system);
}

/* x'' + x = sin(W t) from rest: x = (sin W t - W sin t)/(1 - W^2). */
static void forced_oscillator_follows_its_closed_form_from_rest(void **state) {
    (void)state;
    double W = 2.3;
    am_function sine = am_function_sine(1.0, W, 0.0);
    am_system *system = one_mass(0.0, 1.0, 0, NULL, &sine);
    am_smooth *engine = engine_of(system);
    for (double t = 0.5; t < 40.0; t *= 2.1) {
        double x[2] = {0.0, 0.0};
        GOOD(am_smooth_flow(engine, 0.0, x, t, x, NULL, err));
        assert_near(x[0], (sin(W * t) - W * sin(t)) / (1.0 - W * W), 3e-14);
        assert_near(x[1], W * (cos(W * t) - cos(t)) / (1.0 - W * W), 3e-14);
    }
    am_smooth_free(engine);
    am_system_free(system);
}

/* A free mass under a force that rises from 0 to 2 in t = 1..2 and stays: x'' = F, integrated by hand; and a blow. */
static void breaks_of_loads_and_blows_are_met_exactly(void **state) {
    (void)state;
    static const double times[] = {1.0, 2.0}, values[] = {0.0, 2.0};
    am_function table = am_function_table(2, times, values), blow = am_function_impulse(3.0, 0.75);
    am_system *pushed = one_mass(0.0, 0.0, 0, NULL, &table), *struck = one_mass(0.0, 0.0, 0, NULL, &blow);
    am_smooth *a = engine_of(pushed), *b = engine_of(struck);
    double x[2] = {0.0, 0.0}, y[2] = {0.0, 1.0};
    GOOD(am_smooth_flow(a, 0.0, x, 4.0, x, NULL, err));
    assert_near(x[1], 1.0 + 4.0, 1e-15);
    assert_near(x[0], 1.0 / 3.0 + 2.0 + 4.0, 1e-14);
    GOOD(am_smooth_flow(b, 0.0, y, 2.0, y, NULL, err));
    assert_near(y[1], 4.0, 0.0);
    assert_near(y[0], 0.75 + 4.0 * 1.25, 1e-15);
    am_smooth_free(a);
    am_smooth_free(b);
    am_system_free(pushed);
    am_system_free(struck);
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
    am_smooth *engine = engine_of(system);
    for (double A = 0.1; A < 20.0; A *= 3.0) {
        double m = A * A / (2.0 * (1.0 + A * A)), K = 0.5 * pi / geometric_mean(1.0, sqrt(1.0 - m));
        double T = 4.0 * K / sqrt(1.0 + A * A), guess[2] = {A, 0.0}, quarter[2];
        am_orbit orbit;
        GOOD(am_smooth_close(engine, 1.1 * T, true, 0.0, guess, &orbit, err));
        GOOD(am_smooth_flow(engine, 0.0, guess, 0.25 * T, quarter, NULL, err));
        assert_near(quarter[0] / A, 0.0, 1e-14);
        assert_near(orbit.period, T, 0.01 * T); /* a member of the family near the guess */
        assert_int_equal(orbit.family, 1);
        double energy = am_smooth_energy(engine, orbit.state), B = sqrt(sqrt(1.0 + 4.0 * energy) - 1.0);
        m = B * B / (2.0 * (1.0 + B * B));
        T = 4.0 * (0.5 * pi / geometric_mean(1.0, sqrt(1.0 - m))) / sqrt(1.0 + B * B);
        assert_near(orbit.period / T, 1.0, 1e-13);
        am_orbit_clear(&orbit);
    }
    am_smooth_free(engine);
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
    am_smooth *engine = engine_of(system);
    double x[8] = {0.9, -0.4, 0.3, 0.1, 0.0, 0.5, -1.0, 0.2}, before = am_smooth_energy(engine, x);
    GOOD(am_smooth_flow(engine, 0.0, x, 200.0, x, NULL, err));
    /* a few thousand steps, each with its own rounding */
    assert_near(am_smooth_energy(engine, x) / before, 1.0, 1e-13);
    am_smooth_free(engine);
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
    am_smooth *engine = engine_of(system);
    const double start[6] = {0.5, -0.3, 0.2, 0.1, 0.4, -0.6}, step = 1e-5;
    double end[6], D[36];
    GOOD(am_smooth_flow(engine, 0.2, start, 5.0, end, D, err));
    for (size_t j = 0; j < 6; j++) {
        double up[6], down[6];
        memcpy(up, start, sizeof up);
        memcpy(down, start, sizeof down);
        up[j] += step;
        down[j] -= step;
        GOOD(am_smooth_flow(engine, 0.2, up, 5.0, up, NULL, err));
        GOOD(am_smooth_flow(engine, 0.2, down, 5.0, down, NULL, err));
        for (size_t i = 0; i < 6; i++)
            assert_near(D[i * 6 + j], (up[i] - down[i]) / (2.0 * step), 2e-9);
    }
    am_smooth_free(engine);
    am_system_free(system);
}

/* The rate the engine reports is the equation of motion as am_system_polynomial_force and the matrices have it. */
static void jacobian_is_the_derivative_of_the_rate(void **state) {
    (void)state;
    am_system *system = row_of_masses(3, 0.1, MIXED, mixed, NULL);
    am_smooth *engine = engine_of(system);
    const double x[6] = {0.5, -0.3, 0.2, 0.1, 0.4, -0.6}, step = 1e-6;
    double J[36];
    am_smooth_jacobian(engine, x, J);
    for (size_t j = 0; j < 6; j++) {
        double up[6], down[6], fast[6], slow[6];
        memcpy(up, x, sizeof up);
        memcpy(down, x, sizeof down);
        up[j] += step;
        down[j] -= step;
        am_smooth_rate(engine, 0.0, up, fast);
        am_smooth_rate(engine, 0.0, down, slow);
        for (size_t i = 0; i < 6; i++)
            assert_near(J[i * 6 + j], (fast[i] - slow[i]) / (2.0 * step), 1e-9);
    }
    am_smooth_free(engine);
    am_system_free(system);
}

/* The flow over a whole time is that over its parts, derivatives by the chain rule. */
static void flows_of_parts_make_the_flow_of_the_whole(void **state) {
    (void)state;
    am_function sine = am_function_sine(0.7, 1.3, 0.4);
    am_system *system = row_of_masses(2, 0.1, MIXED, mixed, &sine);
    am_smooth *engine = engine_of(system);
    double x[4] = {0.5, -0.3, 0.2, 0.1}, whole[4], part[4], D[16], A[16], B[16];
    GOOD(am_smooth_flow(engine, 0.0, x, 3.7, whole, D, err));
    GOOD(am_smooth_flow(engine, 0.0, x, 1.234, part, A, err));
    GOOD(am_smooth_flow(engine, 1.234, part, 3.7 - 1.234, part, B, err));
    for (size_t i = 0; i < 4; i++) {
        assert_near(part[i], whole[i], 1e-14);
        for (size_t j = 0; j < 4; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < 4; k++)
                sum += B[i * 4 + k] * A[k * 4 + j];
            assert_near(sum, D[i * 4 + j], 1e-13);
        }
    }
    am_smooth_free(engine);
    am_system_free(system);
}

/* q'' = -q^9 through q = 0: the series there is v t - v^9 t^11/110 + ..., and all its terms from t^12 to t^20 vanish.
 * A step taken from the last coefficients alone would be endless. */
static void coefficients_that_vanish_by_accident_do_not_make_long_steps(void **state) {
    (void)state;
    am_polynomial_term ninth = {1.0, 9, 0};
    am_system *system = one_mass(0.0, 0.0, 1, &ninth, NULL);
    am_smooth *engine = engine_of(system);
    double x[2] = {0.0, 1.0};
    GOOD(am_smooth_flow(engine, 0.0, x, 50.0, x, NULL, err));
    assert_near(am_smooth_energy(engine, x), 0.5, 1e-13);
    x[1] = -x[1]; /* and back the way it came */
    GOOD(am_smooth_flow(engine, 0.0, x, 50.0, x, NULL, err));
    assert_near(x[0], 0.0, 1e-11);
    assert_near(x[1], -1.0, 1e-11);
    am_smooth_free(engine);
    am_system_free(system);
}

static void growth_beyond_all_bounds_is_said(void **state) {
    (void)state;
    am_polynomial_term explosive = {-1.0, 3, 0};
    am_system *system = one_mass(0.0, 0.0, 1, &explosive, NULL); /* x'' = x^3: x = sqrt(2)/(t0 - t) */
    am_smooth *engine = engine_of(system);
    double x[2] = {sqrt(2.0), sqrt(2.0)};
    am_error err = {0};
    assert_int_equal(am_smooth_flow(engine, 0.0, x, 2.0, x, NULL, &err), AM_ERR_LIMIT);
    assert_says(&err, "grows beyond all bounds near t = 1");
    am_smooth_free(engine);
    am_system_free(system);
}

static void dense_output_and_extremes_are_those_of_the_closed_form(void **state) {
    (void)state;
    am_system *system = one_mass(0.0, 1.0, 0, NULL, NULL);
    am_smooth *engine = engine_of(system);
    double x[2] = {0.6, 0.8}, least[2], largest[2], at[2]; /* sin(t + a), a = asin 0.6 */
    am_smooth_balance balance = {.least = least, .largest = largest};
    GOOD(am_smooth_energy_balance(engine, 0.0, x, 2.0 * pi, 1.0, &balance, err));
    for (size_t i = 0; i < 2; i++) {
        assert_near(largest[i], 1.0, 1e-15);
        assert_near(least[i], -1.0, 1e-15);
    }
    am_smooth_start(engine, 0.0, x, false);
    for (double t = 0.0; t < 6.0; t += 0.11) {
        while (am_smooth_time(engine) < t)
            GOOD(am_smooth_step(engine, 6.0, err));
        am_smooth_at(engine, t, at);
        if (t > 0.0)
            assert_near(at[0], sin(t + asin(0.6)), 4e-15);
    }
    am_smooth_free(engine);
    am_system_free(system);
}

static void structures_with_contacts_or_without_mass_are_refused(void **state) {
    (void)state;
    const double one[] = {1.0, 0.0, 0.0, 1.0}, light[] = {1.0, 0.0, 0.0, 0.0}, row[] = {0.0, 1.0};
    am_system_def def = am_system_def_default();
    am_contact_def contact = am_contact_def_default();
    am_error err = {0};
    def.n = 2;
    am_system *massless = dense_system(def, light, NULL, one);
    assert_null(am_smooth_create(massless, &err));
    assert_int_equal(err.status, AM_ERR_UNSUPPORTED);
    assert_says(&err, "'q2' has no mass");
    contact.normal = row;
    contact.tangent = one;
    def.contact_count = 1;
    def.contacts = &contact;
    am_system *touching = dense_system(def, one, NULL, one);
    assert_null(am_smooth_create(touching, &err));
    assert_says(&err, "contacts");
    am_system_free(massless);
    am_system_free(touching);
}

/* ---- periodic orbits ---- */

/* Liouville: the product of all multipliers is exp of minus the divergence over a period. Of one mass on a
 * self-excited orbit that is the multiplier itself. The trapezoidal rule converges exponentially on a period. */
static double multiplier_by_liouville(am_smooth *engine, const am_orbit *orbit, double (*damping)(double x, double v)) {
    enum { POINTS = 2000 };
    double x[2] = {orbit->state[0], orbit->state[1]}, sum = 0.0;
    for (size_t i = 0; i < POINTS; i++) {
        sum += damping(x[0], x[1]);
        GOOD(am_smooth_flow(engine, 0.0, x, orbit->period / POINTS, x, NULL, err));
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
    am_smooth *engine = engine_of(system);
    double guess[2] = {1.9, 0.1};
    am_orbit orbit;
    GOOD(am_smooth_close(engine, 6.3, true, 0.0, guess, &orbit, err));
    assert_near(orbit.period, 6.6632868593231301896996820305, 2e-14);
    assert_near(orbit.multiplier, multiplier_by_liouville(engine, &orbit, van_der_pol_damping), 1e-14);
    assert_near(orbit.trivial, 1.0, 1e-12);
    assert_true(orbit.closing <= 1e-13);
    assert_true(orbit.stable);
    assert_int_equal(am_smooth_verdict(engine, &orbit), AM_VERDICT_STABLE);
    assert_near(orbit.loss_damping, 0.0, 1e-13); /* what it gains it loses */
    am_orbit_clear(&orbit);
    GOOD(am_smooth_close(engine, 13.0, true, 0.0, guess, &orbit, err)); /* twice around is the same orbit */
    assert_near(orbit.period, 6.6632868593231301896996820305, 2e-14);
    am_orbit_clear(&orbit);
    am_smooth_free(engine);
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
    am_smooth *engine = engine_of(system);
    double a = 0.625 * q4, b = -0.75 * q3, root = sqrt(fmax(0.0, b * b - 8.0 * a * xi1));
    double guess[2] = {sqrt((-b + (large ? root : -root)) / (2.0 * a)), 0.0};
    am_error err = {0};
    am_status status = am_smooth_close(engine, 2.0 * pi, true, 0.0, guess, orbit, &err);
    if (!status && liouville)
        *liouville = multiplier_by_liouville(engine, orbit, bistable_damping);
    am_smooth_free(engine);
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
    am_smooth *engine = engine_of(system);
    size_t found = 0, stable = 0;
    double before = -F * F;
    for (double A = 0.01; A < 3.0; A += 0.001) {
        double detune = 1.0 - W * W + 0.75 * A * A, now = (detune * detune + c * c * W * W) * A * A - F * F;
        if ((before < 0.0) != (now < 0.0)) {
            double phase = atan2(c * W, detune), guess[2] = {-A * sin(phase), A * W * cos(phase)};
            am_orbit orbit;
            GOOD(am_smooth_close(engine, T, false, 0.0, guess, &orbit, err));
            double product = orbit.multiplier_re[0] * orbit.multiplier_re[1] -
                             (orbit.multiplier_im[0] != 0.0 ? orbit.multiplier_im[0] * orbit.multiplier_im[1] : 0.0);
            assert_near(product, exp(-c * T), 1e-13);
            assert_true(orbit.closing <= 1e-13);
            assert_true(isnan(orbit.trivial));
            double least[2], largest[2];
            am_smooth_balance balance = {.least = least, .largest = largest};
            GOOD(am_smooth_energy_balance(engine, 0.0, orbit.state, T, 1.0 / W, &balance, err));
            assert_near(balance.work_loads, balance.loss, 1e-13);
            assert_near(orbit.loss_damping, balance.loss, 1e-14);
            assert_near(largest[0], A, 0.08 * A);
            stable += orbit.stable;
            found++;
            am_orbit_clear(&orbit);
        }
        before = now;
    }
    assert_int_equal(found, 3);
    assert_int_equal(stable, 2);
    am_smooth_free(engine);
    am_system_free(system);
}

/* Two masses without damping: multipliers on the unit circle are neither stable nor unstable. */
static void undamped_motions_are_called_marginal(void **state) {
    (void)state;
    am_polynomial_term cubic = {0.3, 3, 0};
    am_system *system = row_of_masses(2, 0.0, 1, &cubic, NULL);
    am_smooth *engine = engine_of(system);
    double guess[4] = {0.3, 0.29, 0.0, 0.0};
    am_orbit orbit;
    GOOD(am_smooth_close(engine, 2.0 * pi / sqrt(0.9), true, 0.0, guess, &orbit, err));
    assert_int_equal(orbit.family, 1);
    assert_near(orbit.multiplier, 1.0, 1e-10);
    assert_false(orbit.stable);
    assert_int_equal(am_smooth_verdict(engine, &orbit), AM_VERDICT_MARGINAL);
    am_orbit_clear(&orbit);
    am_smooth_free(engine);
    am_system_free(system);
}

/* A damped oscillator has no orbit of its own: Newton's method ends at rest and says so. */
static void guess_that_leads_to_rest_is_refused(void **state) {
    (void)state;
    am_polynomial_term damper = {0.2, 0, 3};
    am_system *system = one_mass(0.1, 1.0, 1, &damper, NULL);
    am_smooth *engine = engine_of(system);
    double guess[2] = {1.0, 0.0};
    am_orbit orbit;
    am_error err = {0};
    assert_int_equal(am_smooth_close(engine, 6.3, true, 0.0, guess, &orbit, &err), AM_ERR_LIMIT);
    assert_null(orbit.state);
    assert_int_equal(am_smooth_close(engine, -1.0, true, 0.0, guess, &orbit, &err), AM_ERR_INPUT);
    am_smooth_free(engine);
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
            am_smooth *engine = engine_of(system);
            am_error err = {0};
            am_smooth_rest *rest = am_smooth_rest_create(engine, &err);
            assert_non_null(rest);
            const double start[2] = {-0.5 + 2.0 * side, 0.0}; /* Newton's method stays on its side of the vertex */
            double q = 77.0, under = 1.0 + 4.0 * forces[i];
            assert_int_equal(am_smooth_rest_equilibrium(rest, 0.0, start, &q), under >= 0.0);
            assert_near(q, under >= 0.0 ? 0.5 * (-1.0 + side * sqrt(under)) : 77.0, 1e-14);
            const double vertex[2] = {-0.5, 0.0}; /* without stiffness: no step leads anywhere */
            q = 77.0;
            assert_false(am_smooth_rest_equilibrium(rest, 0.0, vertex, &q));
            assert_near(q, 77.0, 0.0);
            am_smooth_rest_free(rest);
            am_smooth_free(engine);
            am_system_free(system);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damped_oscillator_follows_its_closed_form),
        cmocka_unit_test(forced_oscillator_follows_its_closed_form_from_rest),
        cmocka_unit_test(breaks_of_loads_and_blows_are_met_exactly),
        cmocka_unit_test(free_duffing_oscillation_has_the_period_of_the_elliptic_integral),
        cmocka_unit_test(conservative_row_keeps_its_energy),
        cmocka_unit_test(derivative_is_that_of_nearby_motions),
        cmocka_unit_test(jacobian_is_the_derivative_of_the_rate),
        cmocka_unit_test(flows_of_parts_make_the_flow_of_the_whole),
        cmocka_unit_test(coefficients_that_vanish_by_accident_do_not_make_long_steps),
        cmocka_unit_test(growth_beyond_all_bounds_is_said),
        cmocka_unit_test(dense_output_and_extremes_are_those_of_the_closed_form),
        cmocka_unit_test(structures_with_contacts_or_without_mass_are_refused),
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
