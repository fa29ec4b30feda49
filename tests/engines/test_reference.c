/* The 128-bit reference checked on motions known in closed form, before anything is compared with it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"
#include "reference.h"

#define ROOM 400

static const double pi = 3.14159265358979323846;

static reference_result run(const plain_system *plain, const reference_options *options) {
    static reference_event events[ROOM];
    reference_result result = {.room = ROOM, .events = events};
    reference_run(plain, options, &result);
    return result;
}

/* Doubles carry about 1e-16 of these; the sum of squares in two parts shows that far more is right. */
static void sine_and_cosine_are_right_beyond_double(void **state) {
    (void)state;
    for (int i = -50; i < 50; i++) {
        double x = 0.37 * i, s, sl, c, cl;
        reference_sine_cosine(x, &s, &sl, &c, &cl);
        assert_near(s, sin(x), 3e-16);
        assert_near(c, cos(x), 3e-16);
        long double one = (long double)s * s + (long double)c * c + 2 * ((long double)s * sl + (long double)c * cl) - 1;
        assert_near((double)one, 0, 3e-19);
    }
}

/* A mass on a spring against a held contact loses 2 mu N/k of amplitude each half period, and then rests. */
static void sliding_oscillator_stops_at_half_periods(void **state) {
    (void)state;
    plain_system plain = plain_system_new(1, 1);
    plain.mass[0] = 1;
    plain.stiffness[0] = 4;
    plain.contact[0].tangent[0] = 1;
    plain.contact[0].normal_law = AM_HELD;
    plain.contact[0].hold = (am_function){.kind = AM_FUNCTION_CONSTANT, .value = 1};
    plain.contact[0].friction = 0.5;
    reference_options options = {.until = 20, .q = {1.6}};
    reference_result result = run(&plain, &options);
    assert_int_equal(result.status, REFERENCE_OK);
    assert_int_equal(result.initial[0], AM_BACKWARD);
    double amplitude = 1.6, loss = 0.25;
    size_t event = 0;
    while (amplitude - loss > 0) {
        amplitude -= loss;
        assert_true(event < result.count);
        assert_near(result.events[event].t, (double)(event + 1) * pi / 2, 1e-14);
        assert_near(fabs(result.events[event].q[0]), amplitude, 1e-14);
        event++;
        if (amplitude <= loss / 2)
            break;
    }
    assert_int_equal(result.count, event);
    assert_int_equal(result.final[0], AM_STICK);
}

static void ball_bounces_at_the_times_of_the_geometric_series(void **state) {
    (void)state;
    plain_system plain = plain_system_new(2, 1);
    plain.contact[0].normal[1] = 1;
    plain.contact[0].tangent[0] = 1;
    plain.contact[0].restitution = 0.5;
    plain.loads = 1;
    plain.load[0].direction[1] = -2;
    plain.load[0].function = (am_function){.kind = AM_FUNCTION_CONSTANT, .value = 1};
    reference_options options = {.until = 10, .q = {0, 1}, .closest = 1e-4};
    reference_result result = run(&plain, &options);
    assert_int_equal(result.status, REFERENCE_DENSE);
    double t = 1, gap = 1; /* falls for 1, then flights of 2 v/g with v halved */
    for (size_t i = 0; i < result.count; i++) {
        assert_near(result.events[i].t, t, 1e-15 * 4);
        assert_int_equal(result.events[i].from, AM_OPEN);
        assert_int_equal(result.events[i].to, AM_OPEN);
        t += gap;
        gap /= 2;
    }
    assert_true(result.count > 10);
}

static void mass_loaded_near_separation_lifts_off_as_published(void **state) {
    (void)state;
    plain_system plain = plain_klarbring(0.25, -1, -0.99);
    reference_options options = {.until = 38};
    reference_result result = run(&plain, &options);
    assert_int_equal(result.status, REFERENCE_OK);
    assert_int_equal(result.initial[0], AM_BACKWARD);
    assert_true(result.count > 0);
    assert_near(result.events[0].t, 3.580010, 5e-7);
    size_t changes = 0;
    for (size_t i = 0; i < result.count; i++)
        changes += result.events[i].from == AM_OPEN && result.events[i].to == AM_OPEN ? 2 : 1;
    assert_int_equal(changes, 9);
}

/* u' = r (1 - cos wt) touches zero every period: no event, but a graze each time. */
static void sliding_from_rest_under_a_ramp_only_touches_zero(void **state) {
    (void)state;
    plain_system plain = plain_system_new(1, 1);
    plain.stiffness[0] = 1;
    plain.contact[0].tangent[0] = 1;
    plain.contact[0].normal_law = AM_HELD;
    plain.contact[0].hold = (am_function){.kind = AM_FUNCTION_CONSTANT, .value = 1};
    plain.contact[0].friction = 0.5;
    plain.loads = 1;
    plain.load[0].direction[0] = 1;
    plain.load[0].function = (am_function){.kind = AM_FUNCTION_RAMP, .rate = 1};
    reference_options options = {.until = 20};
    reference_result result = run(&plain, &options);
    assert_int_equal(result.status, REFERENCE_OK);
    assert_int_equal(result.count, 1);
    assert_int_equal(result.events[0].to, AM_FORWARD);
    assert_near(result.events[0].t, 0.5, 0);
    assert_int_equal(result.grazes, 3); /* at 0.5 + 2 pi k */
}

/* n.M^-1 (n - mu t) < 0 and no force that could keep the rod down: Painleve. */
static void paradox_has_no_or_several_states(void **state) {
    (void)state;
    plain_system plain = plain_system_new(2, 1);
    plain.mass[1] = plain.mass[2] = 0.8;
    plain.contact[0].normal[1] = 1;
    plain.contact[0].tangent[0] = 1;
    plain.contact[0].friction = 2;
    plain.loads = 1;
    plain.load[0].direction[1] = -1;
    plain.load[0].function = (am_function){.kind = AM_FUNCTION_CONSTANT, .value = 1};
    /* M^-1 ~ [[1, -.8], [-.8, 1]]: n.M^-1(n -+ 2 t) ~ 1 +- 1.6; negative for backward slip */
    double q[2] = {0, 0}, v[2] = {-1, 0};
    assert_int_equal(reference_states_at(&plain, 0, q, v), 0);
    plain.load[0].direction[1] = 1;
    assert_int_equal(reference_states_at(&plain, 0, q, v), 2);
    v[0] = 1;
    assert_int_equal(reference_states_at(&plain, 0, q, v), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_and_cosine_are_right_beyond_double),
        cmocka_unit_test(sliding_oscillator_stops_at_half_periods),
        cmocka_unit_test(ball_bounces_at_the_times_of_the_geometric_series),
        cmocka_unit_test(mass_loaded_near_separation_lifts_off_as_published),
        cmocka_unit_test(sliding_from_rest_under_a_ramp_only_touches_zero),
        cmocka_unit_test(paradox_has_no_or_several_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
