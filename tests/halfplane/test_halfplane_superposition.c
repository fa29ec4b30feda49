/* Partial slip of any profile along any path of loads: held against quadrature of its own tractions, against
 * Cattaneo and Mindlin, Mindlin and Deresiewicz' loops, and a stepping of the increments themselves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "errors.h"
#include "halfplane/power.h"
#include "halfplane/sinusoid.h"
#include "halfplane/superposition.h"
#include "halfplane_closed.h"
#include "hertz.h"
#include "math/quadrature.h"
#include "near.h"
#include "tractions.h"

static const double friction = 0.4;
static const am_power parabola = {2.0, 2.0, 0.25, 10.0}, cubic = {1.5, 3.0, 0.7, 10.0}, wedge = {1.0, 1.0, 0.1, 10.0};
static const am_sinusoid ripple = {3.0, 0.2, 4.0, false};

static am_profile profile_number(int i) {
    switch (i) {
    case 0:
        return am_power_profile(&parabola);
    case 1:
        return am_power_profile(&cubic);
    case 2:
        return am_sinusoid_profile(&ripple);
    default:
        return am_power_profile(&wedge);
    }
}

/* Kernel of the profile: periodic for the sinusoid. */
static double hilbert_of(int profile, am_real_function f, const void *context, const double *edges, size_t count,
                         double x) {
    return profile == 2 ? hilbert_periodic(f, context, edges, count, ripple.wavelength, x)
                        : hilbert(f, context, edges, count, x);
}

static double load_of(const am_profile *profile, double a) {
    return profile->kind->load(profile->data, a);
}

static double shear_at(const void *context, double x) {
    return am_superposition_shear(context, x);
}

static void first_loading_satisfies_every_condition_for_any_profile(void **unused) {
    (void)unused;
    for (int k = 0; k < 4; k++) {
        am_profile profile = profile_number(k);
        am_superposition state;
        double P = load_of(&profile, 1.1), Q = 0.7 * friction * P, a, c;
        GOOD(am_superposition_start(&state, profile, friction, err));
        GOOD(am_superposition_step(&state, P, 0.0, err));
        GOOD(am_superposition_step(&state, P, Q, err));
        GOOD(am_superposition_stick_width(&profile, friction, P, Q, &a, &c, err));
        assert_near(am_superposition_half_width(&state), a, 1e-15);
        assert_near(am_superposition_stick(&state), c, 1e-15);
        assert_near(load_of(&profile, c), P - Q / friction, 1e-14 * P); /* (4.6) */
        double edges[] = {-a, -c, 0.0, c, a}, scale = P / a;
        double tolerance = k == 3 ? 1e-5 : k == 1 ? 1e-8 : 1e-9; /* logarithm of the wedge, kink of the cubic at 0 */
        assert_near(integral_between(shear_at, &state, edges, 5), Q, 10.0 * tolerance * P);
        for (int i = 1; i < 6; i++) {
            double x = c * (0.16 * i - 0.03), p = profile.kind->pressure(profile.data, x, a);
            assert_near(hilbert_of(k, shear_at, &state, edges, 5, x), 0.0, tolerance * scale);
            assert_true(am_superposition_shear(&state, x) < friction * p && am_superposition_shear(&state, x) > 0.0);
            assert_near(am_superposition_relative(&state, x), 0.0, 0.0);
        }
        for (int i = 1; i < 6; i++) {
            double x = c + (a - c) * 0.17 * i, p = profile.kind->pressure(profile.data, x, a), h = 1e-4 * (a - c);
            assert_near(am_superposition_shear(&state, x), friction * p, 1e-14 * scale);
            double slope =
                (am_superposition_relative(&state, x + h) - am_superposition_relative(&state, x - h)) / (2 * h);
            double wanted = 2.0 / profile.kind->modulus(profile.data) * hilbert_of(k, shear_at, &state, edges, 5, x);
            assert_near(slope / wanted, 1.0, k == 3 ? 1e-4 : 1e-6); /* difference quotient; the wedge's logarithm */
            am_transform t = am_superposition_transform(&state, x, 0.0);
            assert_near(creal(t.value), 0.5 * profile.kind->modulus(profile.data) * wanted, tolerance * scale);
        }
        am_superposition_end(&state);
    }
}

/* q after unloading from Q_max and its slip zone, as Mindlin and Deresiewicz wrote it for Hertz. */
static void unloading_is_twice_a_reversed_loading(void **unused) {
    (void)unused;
    am_hertz hertz;
    GOOD(am_hertz_from_load(2.0, 2.0, 1.3, &hertz, err));
    am_superposition state;
    GOOD(am_superposition_start(&state, am_power_profile(&parabola), friction, err));
    double most = 0.8 * friction * 1.3, Q = -0.1 * friction * 1.3;
    GOOD(am_superposition_step(&state, 1.3, 0.0, err));
    GOOD(am_superposition_step(&state, 1.3, most, err));
    double before = am_superposition_displacement(&state);
    GOOD(am_superposition_step(&state, 1.3, Q, err));
    am_cattaneo first, back;
    GOOD(am_cattaneo_from_load(&hertz, friction, most, &first, err));
    GOOD(am_cattaneo_from_load(&hertz, friction, 0.5 * (most - Q), &back, err));
    assert_near(am_superposition_stick(&state), back.stick, 1e-14);
    for (int i = 0; i < 10; i++) {
        double x = 0.099 * i * hertz.half_width;
        assert_near(am_superposition_shear(&state, x), am_cattaneo_shear(&first, x) - 2.0 * am_cattaneo_shear(&back, x),
                    1e-14);
        assert_near(am_superposition_relative(&state, x),
                    am_cattaneo_slip(&first, x) - 2.0 * am_cattaneo_slip(&back, x), 1e-14);
    }
    /* the displacement beyond that of a stuck contact follows the same rule (Masing) */
    double stuck = 2.0 / (3.14159265358979323846 * 2.0) * log(10.0 / hertz.half_width);
    assert_near(before, stuck * most + am_cattaneo_yield(&first), 1e-14);
    assert_near(am_superposition_displacement(&state),
                stuck * Q + am_cattaneo_yield(&first) - 2.0 * am_cattaneo_yield(&back), 1e-14);
    am_superposition_end(&state);
}

static void cycles_close_and_lose_the_energy_of_the_formula(void **unused) {
    (void)unused;
    for (int k = 0; k < 4; k++) {
        am_profile profile = profile_number(k);
        double P = load_of(&profile, 0.9), low = -0.2 * friction * P, high = 0.75 * friction * P, energy;
        GOOD(am_superposition_dissipation(&profile, friction, P, high - low, &energy, err));
        double exponent = k == 1 ? 3.0 : k == 3 ? 1.0 : 2.0; /* the sinusoid loses what a parabola loses */
        double wanted = 4.0 * friction * friction * P * P /
                        (3.14159265358979323846 * profile.kind->modulus(profile.data) * exponent) *
                        am_superposition_loss(0.5 * (high - low) / (friction * P));
        assert_near(energy / wanted, 1.0, 1e-11);
        double error_before = 0.0;
        for (int steps = 50; steps <= 100; steps *= 2) {
            am_superposition state;
            GOOD(am_superposition_start(&state, profile, friction, err));
            GOOD(am_superposition_step(&state, P, 0.0, err));
            GOOD(am_superposition_step(&state, P, high, err));
            double start = am_superposition_displacement(&state), q = am_superposition_shear(&state, 0.4);
            state.work = 0.0;
            for (int i = 1; i <= steps; i++)
                GOOD(am_superposition_step(&state, P, high + (low - high) * i / steps, err));
            for (int i = 1; i <= steps; i++)
                GOOD(am_superposition_step(&state, P, low + (high - low) * i / steps, err));
            assert_near(am_superposition_displacement(&state), start, 1e-13);
            assert_near(am_superposition_shear(&state, 0.4), q, 1e-13 * P);
            double error = fabs(state.work - energy) / energy;
            assert_true(error < 100.0 / (steps * steps)); /* the trapezoids' second order */
            if (error_before > 0.0)
                assert_true(error < 0.3 * error_before);
            error_before = error;
            am_superposition_end(&state);
        }
    }
}

static void loads_growing_together_below_friction_never_slip(void **unused) {
    (void)unused;
    am_superposition state;
    GOOD(am_superposition_start(&state, am_power_profile(&parabola), friction, err));
    GOOD(am_superposition_step(&state, 2.0, 0.5 * friction * 2.0, err));
    assert_near(am_superposition_stick(&state), am_superposition_half_width(&state), 0.0);
    for (int i = 0; i < 5; i++) { /* the shear is that share of the pressure everywhere */
        double x = 0.2 * i * am_superposition_half_width(&state);
        assert_near(am_superposition_shear(&state, x),
                    0.5 * friction * am_power_pressure(&parabola, x, am_superposition_half_width(&state)), 1e-14);
    }
    am_superposition_end(&state);
}

/* An independent stepping. The share of friction is kept on many thin rims; each small step changes it from the edge
 * inwards until Q is reached: what the layers do in one go. */
enum { RIMS = 4000 };

typedef struct rims {
    double share[RIMS], P, Q, most;
} rims;

static void rims_step(rims *r, double P, double Q) {
    double thick = r->most / RIMS;
    int before = (int)lround(r->P / thick), now = (int)lround(P / thick);
    double dP = P - r->P, dQ = Q - r->Q, fresh = dP > 0.0 ? fmax(-1.0, fmin(1.0, dQ / (friction * dP))) : 0.0;
    for (int i = before; i < now; i++)
        r->share[i] = fresh;
    double held = 0.0;
    for (int i = 0; i < now; i++)
        held += friction * thick * r->share[i];
    double missing = Q - held, sign = missing > 0.0 ? 1.0 : -1.0;
    for (int i = now - 1; i >= 0 && fabs(missing) > 1e-12; i--) {
        double change = friction * thick * (sign - r->share[i]);
        if (fabs(change) > fabs(missing))
            change = missing;
        r->share[i] += change / (friction * thick);
        missing -= change;
    }
    r->P = P;
    r->Q = Q;
}

static void long_straight_steps_equal_many_small_ones(void **unused) {
    (void)unused;
    const double path[][2] = {{0.5, 0.0},   {0.5, 0.15},  {0.9, 0.22},  {0.9, -0.2}, {0.6, -0.1},
                              {0.3, -0.05}, {0.95, 0.1},  {0.95, 0.35}, {0.7, 0.1},  {0.8, 0.3},
                              {0.2, 0.0},   {1.0, -0.35}, {1.0, 0.0},   {0.4, 0.1}};
    static rims r;
    r = (rims){.most = 1.0};
    am_superposition state;
    GOOD(am_superposition_start(&state, am_power_profile(&parabola), friction, err));
    for (size_t k = 0; k < sizeof path / sizeof *path; k++) {
        double P0 = r.P, Q0 = r.Q, P1 = path[k][0], Q1 = path[k][1];
        enum { STEPS = 200 };
        for (int i = 1; i <= STEPS; i++) {
            /* normal loads on whole rims */
            double P = i == STEPS ? P1 : round((P0 + (P1 - P0) * i / STEPS) * RIMS) / RIMS;
            rims_step(&r, P, Q0 + (Q1 - Q0) * i / STEPS);
        }
        GOOD(am_superposition_step(&state, P1, Q1, err));
        double held = 0.0, bottom = 0.0, difference = 0.0;
        for (size_t i = 0; i < state.count; i++) {
            const am_superposition_layer *layer = &state.layer[i];
            assert_true(fabs(layer->share) <= 1.0 && layer->top > bottom);
            held += friction * layer->share * (layer->top - bottom);
            for (int j = (int)ceil(bottom * RIMS); j < (int)floor(layer->top * RIMS); j++)
                difference += fabs(r.share[j] - layer->share) / RIMS;
            bottom = layer->top;
        }
        assert_near(bottom, P1, 1e-15);
        assert_near(held, Q1, 1e-14);
        /* rims of 1/4000, a few of them cut at every corner of the path; small steps in P are rounded to rims */
        assert_near(difference, 0.0, 6e-3);
    }
    am_superposition_end(&state);
}

static void random_paths_keep_the_friction_bound(void **unused) {
    (void)unused;
    am_superposition state;
    GOOD(am_superposition_start(&state, am_power_profile(&cubic), friction, err));
    for (uint64_t i = 0; i < 300; i++) {
        double P = 0.05 + am_random_unit(7, i, 0), Q = (2.0 * am_random_unit(7, i, 1) - 1.0) * friction * P;
        GOOD(am_superposition_step(&state, P, Q, err));
        double a = am_superposition_half_width(&state);
        for (int j = 0; j < 5; j++) {
            double x = 0.199 * j * a;
            assert_true(fabs(am_superposition_shear(&state, x)) <=
                        friction * am_power_pressure(&cubic, x, a) * (1.0 + 1e-12));
        }
    }
    assert_true(state.count < 60); /* slip forgets what it overwrites */
    am_superposition_end(&state);
}

/* ---- energy on any path ---- */

/* Of the shear: flats interact by the compliance of the wider one, so f^2 times the integral of C(N) d(S^2/2), S(N) the
 * integral of the share. */
typedef struct stored_layer {
    const am_profile *profile;
    double low, share, below; /* S at `low` */
} stored_layer;

static double stored_at(const void *context, double t) {
    const stored_layer *l = context;
    double N = t * t, S = l->below + l->share * (N - l->low); /* N = t^2: the logarithm at 0 is harmless */
    if (N < 1e-200)
        return 0.0; /* t ln t */
    double s = l->profile->kind->half_width(l->profile->data, N);
    return l->profile->kind->compliance(l->profile->data, s) * l->share * S * 2.0 * t;
}

static double stored(const am_superposition *state) {
    double sum = 0.0, bottom = 0.0, S = 0.0;
    for (size_t i = 0; i < state->count; i++) {
        stored_layer l = {&state->profile, bottom, state->layer[i].share, S};
        double from = sqrt(bottom), to = sqrt(state->layer[i].top);
        sum += i == 0 ? am_quadrature_ends(stored_at, &l, from, to) : am_quadrature_gauss(stored_at, &l, from, to, 4);
        S += l.share * (state->layer[i].top - bottom);
        bottom = state->layer[i].top;
    }
    return friction * friction * sum;
}

static void walk(am_superposition *state, double P, double Q, int steps) {
    double P0 = state->P, Q0 = state->Q;
    for (int i = 1; i <= steps; i++) {
        double part = (double)i / steps;
        GOOD(am_superposition_step(state, i == steps ? P : P0 + part * (P - P0), i == steps ? Q : Q0 + part * (Q - Q0),
                                   err));
    }
}

static void what_Q_works_is_stored_or_lost_on_any_path(void **unused) {
    (void)unused;
    for (int k = 0; k < 4; k++) {
        am_superposition long_steps, short_steps;
        am_profile profile = profile_number(k);
        double most = 0.8 * load_of(&profile, 1.2);
        GOOD(am_superposition_start(&long_steps, profile, friction, err));
        GOOD(am_superposition_start(&short_steps, profile, friction, err));
        for (uint64_t i = 0; i < 8; i++) {
            double P = most * (0.2 + 0.8 * am_random_unit(11, i, 0));
            double Q = (1.9 * am_random_unit(11, i, 1) - 0.95) * friction * P, before = long_steps.lost;
            GOOD(am_superposition_step(&long_steps, P, Q, err));
            walk(&short_steps, P, Q, 100);
            assert_true(long_steps.lost >= before);
        }
        double scale = long_steps.lost;
        assert_true(scale > 0.0);
        assert_near(short_steps.lost, scale, 1e-10 * scale); /* quadrature */
        assert_near(am_superposition_displacement(&short_steps), am_superposition_displacement(&long_steps), 1e-12);
        /* the work is a sum of trapezoids, 100 on a leg */
        assert_near(short_steps.work - stored(&short_steps), scale, 2e-3 * scale);
        am_superposition_end(&long_steps);
        am_superposition_end(&short_steps);
    }
}

/* Q has turned forward: a rim of share 1 over -0.9. Then P falls: the edge comes in faster than the zone spreads, which
 * is by dP/1.9. It is gone when P has fallen by rim/(1 - 1/1.9) = 1/9, and backward slip follows. */
static void slip_may_turn_while_P_falls(void **unused) {
    (void)unused;
    am_superposition state;
    GOOD(am_superposition_start(&state, am_power_profile(&parabola), friction, err));
    GOOD(am_superposition_step(&state, 1.0, -0.9 * friction, err)); /* share -0.9 all over */
    GOOD(am_superposition_step(&state, 1.0, -0.8 * friction, err)); /* +1 above N = 1 - 0.1/1.9 */
    double before = state.lost, rim = 0.1 / 1.9;
    GOOD(am_superposition_step(&state, 1.0 - 1.5 * rim, -0.8 * friction, err));
    assert_near(state.sense, 1.0, 0.0);
    assert_near(state.stuck, 1.0 - rim - 1.5 * rim / 1.9, 1e-14);
    assert_true(state.lost > before);
    before = state.lost;
    GOOD(am_superposition_step(&state, 0.88, -0.8 * friction, err));
    assert_near(state.sense, -1.0, 0.0);
    /* share -1 from n to P: -0.9 n - (P - n) = -0.8 */
    assert_near(state.stuck, (0.88 - 0.8) / 0.1, 1e-13);
    assert_true(state.lost > before);
    am_superposition_end(&state);
}

static void small_steps_along_a_line_leave_one_layer(void **unused) {
    (void)unused;
    am_superposition state;
    GOOD(am_superposition_start(&state, am_sinusoid_profile(&ripple), friction, err));
    walk(&state, 0.3, 0.07, 1000);
    assert_int_equal(state.count, 1);
    assert_near(state.lost, 0.0, 0.0);
    walk(&state, 0.3, 0.09, 1000);
    assert_int_equal(state.count, 2);
    am_superposition_end(&state);
}

static void full_sliding_and_lifting_are_states_too(void **unused) {
    (void)unused;
    am_superposition state;
    GOOD(am_superposition_start(&state, am_power_profile(&parabola), friction, err));
    GOOD(am_superposition_step(&state, 1.0, 0.3, err));
    GOOD(am_superposition_step(&state, 1.0, friction, err));
    assert_near(am_superposition_stick(&state), 0.0, 1e-7); /* the square root of rounding in the load */
    GOOD(am_superposition_step(&state, 0.0, 0.0, err));
    assert_near(am_superposition_half_width(&state), 0.0, 0.0);
    assert_near(am_superposition_displacement(&state), 0.0, 0.0);
    GOOD(am_superposition_step(&state, 1.0, 0.0, err));
    assert_near(am_superposition_shear(&state, 0.1), 0.0, 1e-15);
    am_superposition_end(&state);
}

static void impossible_loads_are_refused(void **unused) {
    (void)unused;
    am_superposition state;
    am_error err = {0};
    am_profile wave = am_sinusoid_profile(&ripple);
    assert_int_equal(am_superposition_start(&state, wave, 0.0, &err), AM_ERR_INPUT);
    assert_blames(&err, "f", "positive coefficient of friction");
    GOOD(am_superposition_start(&state, wave, friction, err));
    assert_int_equal(am_superposition_step(&state, 0.0, 0.1, &err), AM_ERR_INPUT);
    assert_blames(&err, "Q", "without a normal load");
    assert_int_equal(am_superposition_step(&state, -1.0, 0.0, &err), AM_ERR_INPUT);
    assert_blames(&err, "P", "P >= 0");
    assert_int_equal(am_superposition_step(&state, 1.0, 0.5, &err), AM_ERR_INPUT);
    assert_blames(&err, "Q", "slides as a whole; the largest load is 0.4");
    assert_int_equal(am_superposition_step(&state, 100.0, 0.0, &err), AM_ERR_INPUT);
    assert_blames(&err, "P", "closes the contact over the whole period");
    assert_int_equal((int)state.count, 0); /* and nothing was changed */
    am_superposition_end(&state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_loading_satisfies_every_condition_for_any_profile),
        cmocka_unit_test(unloading_is_twice_a_reversed_loading),
        cmocka_unit_test(cycles_close_and_lose_the_energy_of_the_formula),
        cmocka_unit_test(loads_growing_together_below_friction_never_slip),
        cmocka_unit_test(long_straight_steps_equal_many_small_ones),
        cmocka_unit_test(random_paths_keep_the_friction_bound),
        cmocka_unit_test(what_Q_works_is_stored_or_lost_on_any_path),
        cmocka_unit_test(slip_may_turn_while_P_falls),
        cmocka_unit_test(small_steps_along_a_line_leave_one_layer),
        cmocka_unit_test(full_sliding_and_lifting_are_states_too),
        cmocka_unit_test(impossible_loads_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
