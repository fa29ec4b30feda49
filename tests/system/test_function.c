/* Functions of time: values, rates, breaks and blows, also after thousands of periods; and the linear systems behind
 * them. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/system.h"
#include "near.h"
#include "random_system.h"
#include "system/generator.h"

static const double pi = 3.14159265358979323846;

static void value_and_rate(const am_function *f, double t, double value, double rate, double tolerance) {
    assert_near(am_function_at(f, t), value, tolerance);
    assert_near(am_function_rate(f, t), rate, tolerance);
}

static const double times[] = {0, 1, 3}, values[] = {2, 4, 0};

/* ---- values ---- */

static void a_constant_is_constant(void **state) {
    (void)state;
    am_function f = am_function_constant(3.5);
    value_and_rate(&f, -7, 3.5, 0, 0);
    value_and_rate(&f, 1e9, 3.5, 0, 0);
    assert_true(isinf(am_generator_next_break(&f, 0)));
}

static void a_ramp_is_a_line(void **state) {
    (void)state;
    am_function f = am_function_ramp(2, -0.5);
    value_and_rate(&f, 0, 2, -0.5, 0);
    value_and_rate(&f, 8, -2, -0.5, 0);
    value_and_rate(&f, -4, 4, -0.5, 0);
    assert_true(isinf(am_generator_next_break(&f, 0)));
}

static void a_sine_is_a_sine_about_its_value(void **state) {
    (void)state;
    am_function f = am_function_sine(3, 2, 0.7);
    f.value = 10;
    for (int i = -10; i <= 10; i++) {
        double t = 0.37 * i;
        value_and_rate(&f, t, 10 + 3 * sin(2 * t + 0.7), 6 * cos(2 * t + 0.7), 1e-14);
    }
    assert_true(isinf(am_generator_next_break(&f, 0)));
}

static void a_table_is_linear_between_its_points_and_constant_outside(void **state) {
    (void)state;
    am_function f = am_function_table(3, times, values);
    value_and_rate(&f, -1, 2, 0, 0);
    value_and_rate(&f, 0, 2, 2, 0); /* at a break: just after it */
    value_and_rate(&f, 0.5, 3, 2, 1e-15);
    value_and_rate(&f, 1, 4, -2, 0);
    value_and_rate(&f, 2.5, 1, -2, 1e-15);
    value_and_rate(&f, 3, 0, 0, 0);
    value_and_rate(&f, 100, 0, 0, 0);
    const double breaks[] = {0, 1, 3};
    double t = -5;
    for (size_t i = 0; i < 3; i++)
        assert_near(t = am_generator_next_break(&f, t), breaks[i], 0);
    assert_true(isinf(am_generator_next_break(&f, t)));
}

static void a_table_with_one_point_is_constant(void **state) {
    (void)state;
    am_function f = am_function_table(1, times, values);
    value_and_rate(&f, -3, 2, 0, 0);
    value_and_rate(&f, 3, 2, 0, 0);
}

static void a_pulse_rises_and_falls_smoothly(void **state) {
    (void)state;
    am_function f = am_function_pulse(4, 1, 2);
    value_and_rate(&f, 0.9, 0, 0, 0);
    value_and_rate(&f, 1, 0, 0, 0);
    value_and_rate(&f, 1.5, 2, 2 * pi, 1e-14);
    value_and_rate(&f, 2, 4, 0, 1e-14);
    value_and_rate(&f, 2.5, 2, -2 * pi, 1e-14);
    value_and_rate(&f, 3, 0, 0, 0);
    value_and_rate(&f, 3.1, 0, 0, 0);
    assert_near(am_generator_next_break(&f, 0), 1, 0);
    assert_near(am_generator_next_break(&f, 1), 3, 0);
    assert_true(isinf(am_generator_next_break(&f, 3)));
}

static void an_impulse_is_zero_but_for_its_blows(void **state) {
    (void)state;
    am_function f = am_function_impulse(2.5, 1);
    f.repeat = 3;
    f.period = 0.5;
    const double blows[] = {1, 1.5, 2};
    double t = 0;
    for (size_t i = 0; i < 3; i++) {
        value_and_rate(&f, t, 0, 0, 0);
        t = am_generator_next_break(&f, t);
        assert_near(t, blows[i], 0);
        assert_near(am_generator_blow(&f, t), 2.5, 0);
        assert_near(am_generator_blow(&f, t + 0.1), 0, 0);
        assert_near(am_generator_blow(&f, t - 0.1), 0, 0);
    }
    assert_true(isinf(am_generator_next_break(&f, t)));
    assert_near(am_generator_blow(&f, 2.5), 0, 0);
}

static void only_impulses_have_blows(void **state) {
    (void)state;
    const am_function others[] = {am_function_constant(1), am_function_ramp(0, 1), am_function_sine(1, 1, 0),
                                  am_function_table(3, times, values), am_function_pulse(1, 0, 1)};
    for (size_t i = 0; i < 5; i++)
        for (int t = 0; t < 4; t++)
            assert_near(am_generator_blow(&others[i], t), 0, 0);
}

/* ---- thousands of periods ---- */

/* A saw from -1 to 1 with the period 0.7, which no binary fraction is: walking from break to break meets every corner
 * once, and there the value just after it. */
static void a_repeated_table_is_walked_corner_by_corner_for_thousands_of_periods(void **state) {
    (void)state;
    const double saw_times[] = {0.1, 0.3, 0.6}, saw_values[] = {-1, 1, 0.5}, period = 0.7;
    am_function f = am_function_table(3, saw_times, saw_values);
    f.period = period;
    assert_int_equal(am_function_check(&f, NULL), AM_OK);
    const double slope[] = {10, -0.5 / 0.3, 0};
    double t = 0;
    for (size_t i = 0; i < 3 * 5000; i++) {
        size_t corner = i % 3;
        double next = am_generator_next_break(&f, t), wanted = saw_times[corner] + period * (double)(i / 3);
        assert_near(next, wanted, 16 * DBL_EPSILON * (wanted + 1));
        t = next;
        /* just after the corner: its value, up to how far t can be from the corner itself, and the slope that follows
         */
        assert_near(am_function_at(&f, t), saw_values[corner], 16 * DBL_EPSILON * (wanted + 1) * 10);
        assert_near(am_function_rate(&f, t), slope[corner], 1e-12);
    }
}

/* The end of a period is the beginning of the next: one break, the value of the beginning. */
static void a_table_that_fills_its_period_has_one_break_where_it_starts_again(void **state) {
    (void)state;
    const double ends[] = {0, 0.3}, up[] = {0, 1}, period = 0.3;
    am_function f = am_function_table(2, ends, up);
    f.period = period;
    double t = 0;
    for (size_t i = 1; i <= 5000; i++) {
        double next = am_generator_next_break(&f, t);
        assert_near(next, period * (double)i, 16 * DBL_EPSILON * next);
        t = next;
        assert_near(am_function_at(&f, t), 0, 64 * DBL_EPSILON * t / period);
        assert_near(am_function_rate(&f, t), 1 / period, 1e-12);
        assert_near(am_function_at(&f, t + 0.15), 0.5, 64 * DBL_EPSILON * t / period);
    }
}

static void a_repeated_table_repeats_before_its_first_time_too(void **state) {
    (void)state;
    am_function f = am_function_table(3, times, values);
    f.period = 4;
    assert_near(am_function_at(&f, -3.5), 3, 1e-15);
    assert_near(am_function_at(&f, -0.5), 0, 0);
    assert_near(am_generator_next_break(&f, -0.5), 0, 0);
}

static void repeated_pulses_begin_and_end_on_time_for_thousands_of_periods(void **state) {
    (void)state;
    am_function f = am_function_pulse(2, 0.1, 0.3);
    f.repeat = 4000;
    f.period = 0.7;
    double t = 0;
    for (size_t i = 0; i < 4000; i++) {
        double begin = 0.1 + 0.7 * (double)i, next = am_generator_next_break(&f, t);
        assert_near(next, begin, 16 * DBL_EPSILON * (begin + 1));
        assert_near(am_function_at(&f, next), 0, 1e-20 + 1e-9 * DBL_EPSILON * begin);
        assert_near(am_function_at(&f, next + 0.15), 2, 1e-12);
        t = next;
        next = am_generator_next_break(&f, t);
        assert_near(next, begin + 0.3, 16 * DBL_EPSILON * (begin + 1));
        value_and_rate(&f, next, 0, 0, 0);
        value_and_rate(&f, next + 0.2, 0, 0, 0);
        t = next;
    }
    assert_true(isinf(am_generator_next_break(&f, t)));
    value_and_rate(&f, t + 0.55, 0, 0, 0); /* a pulse that is not there any more */
}

/* As long as their period: each ends where the next begins. */
static void pulses_without_a_pause_follow_each_other(void **state) {
    (void)state;
    am_function f = am_function_pulse(2, 0, 0.7);
    f.repeat = 3000;
    f.period = 0.7;
    assert_int_equal(am_function_check(&f, NULL), AM_OK);
    double t = 0;
    size_t breaks = 0;
    while (isfinite(t = am_generator_next_break(&f, t))) {
        breaks++;
        double wanted = 0.7 * (double)breaks;
        assert_near(t, wanted, 16 * DBL_EPSILON * wanted);
        assert_near(am_function_at(&f, t + 0.35), breaks < 3000 ? 2 : 0, 1e-12);
    }
    assert_int_equal(breaks, 3000);
}

static void repeated_blows_fall_once_each_for_thousands_of_periods(void **state) {
    (void)state;
    am_function f = am_function_impulse(-1.5, 0.1);
    f.repeat = 5000;
    f.period = 0.3;
    double t = 0, sum = 0;
    size_t count = 0;
    while (isfinite(t = am_generator_next_break(&f, t))) {
        assert_near(t, 0.1 + 0.3 * (double)count, 16 * DBL_EPSILON * (t + 1));
        sum += am_generator_blow(&f, t);
        count++;
    }
    assert_int_equal(count, 5000);
    assert_near(sum, -7500, 0);
}

/* ---- times with more digits than a number has ---- */

/* Against 128 bits. What is left is the rounding of sin and cos themselves, and of two products. */
static void a_sine_is_exact_after_any_time(void **state) {
    (void)state;
    random_source source = random_seed(1);
    for (int i = 0; i < 20000; i++) {
        double frequency = exp(random_between(&source, -3, 5)), t = exp(random_between(&source, 0, 16));
        am_exact_time now = {t, random_between(&source, -0.5, 0.5) * DBL_EPSILON * t};
        double phase = random_between(&source, -10, 10), z[2], sine, cosine;
        am_function f = am_function_sine(1, frequency, phase);
        am_generator_state_at(&f, now, z);
        reference_oscillation(frequency, now.t, now.beyond, phase, &sine, &cosine);
        assert_near(z[0], sine, 3 * DBL_EPSILON);
        assert_near(z[1], cosine, 3 * DBL_EPSILON);
    }
}

/* Large terms that nearly cancel. */
static void a_ramp_is_exact_after_any_time(void **state) {
    (void)state;
    random_source source = random_seed(2);
    for (int i = 0; i < 2000; i++) {
        double rate = 1 / 3.0 + random_between(&source, 0, 1e-3), t = random_between(&source, 1e5, 1e6), z[2];
        am_function f = am_function_ramp(-rate * t, rate); /* zero at t but for the rounding of its value */
        double early = random_between(&source, -0.5, 0.5) * DBL_EPSILON * t;
        am_generator_state_at(&f, (am_exact_time){t, 0}, z);
        assert_near(z[0], fma(rate, t, f.value), 4 * DBL_EPSILON * fabs(z[0]));
        double before = z[0];
        am_generator_state_at(&f, (am_exact_time){t, early}, z);
        assert_near(z[0] - before, rate * early, 4 * DBL_EPSILON * (fabs(before) + fabs(rate * early)));
    }
}

/* However many periods have passed, and however far from zero the first one was: at a break a table has the value that
 * was given for it, and a moment later the slope times that moment more. */
static void breaks_are_exact_after_any_number_of_periods(void **state) {
    (void)state;
    random_source source = random_seed(3);
    for (int i = 0; i < 2000; i++) {
        double first = i % 2 ? 0 : random_between(&source, 0, 1e6), period = random_between(&source, 0.5, 2);
        const double at[] = {first, first + 0.3 * period, first + 0.7 * period}, height[] = {0, 1, -2};
        am_function f = am_function_table(3, at, height), g = am_function_pulse(1, first, 0.4 * period);
        f.period = g.period = period;
        g.repeat = 10000000;
        double t = first + random_between(&source, 0, 1e6), z[3];
        am_exact_time now = am_generator_break_after(&f, t);
        for (int corner = 0; corner < 3; corner++) { /* all of them, from any one on */
            am_generator_state_at(&f, now, z);
            double rounding = 16 * DBL_EPSILON, slope = z[1];
            assert_true(fabs(z[0]) <= rounding || fabs(z[0] - 1) <= rounding || fabs(z[0] + 2) <= rounding);
            double value = z[0], moment = 1e-3 * period;
            am_generator_state_at(&f, am_exact_time_after(now, moment), z);
            assert_near(z[0], value + slope * moment, rounding);
            now = am_generator_break_after(&f, now.t);
        }
        now = am_generator_break_after(&g, t);
        if (am_generator_state_at(&g, now, z), z[0] == 0) /* the end of a pulse: on to the next one */
            now = am_generator_break_after(&g, now.t);
        am_generator_state_at(&g, am_exact_time_after(now, 0.1 * period), z); /* a quarter */
        assert_near(z[1], 0, 16 * DBL_EPSILON);
        assert_near(z[2], 0.5, 16 * DBL_EPSILON);
    }
}

/* ---- the linear systems behind ---- */

/* z' = G z and f = offset + h.z, by differences of the closed form. */
static void generator_moves_as_it_says(const am_function *f, double t) {
    size_t n = am_generator_size(f);
    double h[AM_GENERATOR_MAX], G[AM_GENERATOR_MAX * AM_GENERATOR_MAX], z[AM_GENERATOR_MAX];
    double ahead[AM_GENERATOR_MAX], behind[AM_GENERATOR_MAX], step = 1e-4, value = am_generator_offset(f);
    assert_true(n <= AM_GENERATOR_MAX);
    am_generator_matrices(f, h, G);
    am_generator_state(f, t, z);
    am_generator_state(f, t + step, ahead);
    am_generator_state(f, t - step, behind);
    for (size_t i = 0; i < n; i++) {
        double rate = 0;
        for (size_t j = 0; j < n; j++)
            rate += G[i * n + j] * z[j];
        /* second order differences: step^2/6 times the third derivative, plus rounding/step */
        assert_near((ahead[i] - behind[i]) / (2 * step), rate, 1e-6);
        value += h[i] * z[i];
    }
    assert_near(value, am_function_at(f, t), 1e-14);
}

static void generators_move_as_they_say(void **state) {
    (void)state;
    am_function sine = am_function_sine(1.5, 2.5, 0.3), pulse = am_function_pulse(2, 0.5, 1.5);
    am_function table = am_function_table(3, times, values), saw = table;
    sine.value = 0.7;
    saw.period = 4;
    pulse.repeat = 3;
    pulse.period = 2;
    const am_function all[] = {am_function_constant(2),  am_function_ramp(1, -3), sine, table, saw, pulse,
                               am_function_impulse(1, 0)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < 60; k++)
            generator_moves_as_it_says(&all[i], 0.0371 + 0.1 * k); /* never on a break */
}

/* Between breaks the state follows from the one after the last break: exp(G s) z. */
static void the_state_at_a_break_is_the_one_that_moves_on(void **state) {
    (void)state;
    am_function pulse = am_function_pulse(2, 0.1, 0.3);
    pulse.repeat = 1000;
    pulse.period = 0.7;
    double t = 0;
    for (size_t i = 0; i < 1000; i++) {
        double z[3];
        t = am_generator_next_break(&pulse, t);
        am_generator_state(&pulse, t, z);
        double w = 2 * pi / 0.3, s = 0.11;
        assert_near(z[0] + z[1] * cos(w * s) + z[2] * sin(w * s), am_function_at(&pulse, t + s), 1e-10);
        t = am_generator_next_break(&pulse, t);
    }
}

/* ---- checking ---- */

static void refused(const am_function *f, const char *field) {
    am_error err = {0};
    if (am_function_check(f, &err) != AM_ERR_INPUT || strcmp(err.field, field) != 0 || !err.message[0]) {
        print_error("wanted '%s', got '%s': %s\n", field, err.field, err.message);
        fail();
    }
}

static void numbers_that_are_none_are_refused_by_name(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t offset;
    } members[] = {{"value", offsetof(am_function, value)},         {"rate", offsetof(am_function, rate)},
                   {"amplitude", offsetof(am_function, amplitude)}, {"frequency", offsetof(am_function, frequency)},
                   {"phase", offsetof(am_function, phase)},         {"start", offsetof(am_function, start)},
                   {"duration", offsetof(am_function, duration)},   {"period", offsetof(am_function, period)}};
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t m = 0; m < sizeof members / sizeof *members; m++)
        for (size_t b = 0; b < 3; b++) {
            am_function f = am_function_pulse(1, 0, 1);
            memcpy((char *)&f + members[m].offset, &bad[b], sizeof bad[b]);
            refused(&f, members[m].name);
        }
}

static void wrong_tables_are_refused(void **state) {
    (void)state;
    const double equal[] = {0, 1, 1}, falling[] = {0, 2, 1}, odd[] = {0, NAN, 2};
    am_function f = am_function_table(0, times, values);
    refused(&f, "times");
    f = am_function_table(3, NULL, values);
    refused(&f, "times");
    f = am_function_table(3, times, NULL);
    refused(&f, "times");
    f = am_function_table(3, equal, values);
    refused(&f, "times");
    f = am_function_table(3, falling, values);
    refused(&f, "times");
    f = am_function_table(3, odd, values);
    refused(&f, "times");
    f = am_function_table(3, times, odd);
    refused(&f, "values");
    f = am_function_table(3, times, values);
    f.period = 2.9;
    refused(&f, "period");
    f.period = -1;
    refused(&f, "period");
    f.period = 3;
    assert_int_equal(am_function_check(&f, NULL), AM_OK);
}

static void wrong_sines_pulses_and_impulses_are_refused(void **state) {
    (void)state;
    am_function f = am_function_sine(1, 0, 0);
    refused(&f, "frequency");
    f = am_function_sine(1, -2, 0);
    refused(&f, "frequency");
    f = am_function_pulse(1, 0, 0);
    refused(&f, "duration");
    f = am_function_pulse(1, 0, -1);
    refused(&f, "duration");
    f = am_function_pulse(1, 0, 1);
    f.repeat = 0;
    refused(&f, "repeat");
    f.repeat = 2;
    refused(&f, "period");
    f.period = 0.9; /* they would overlap */
    refused(&f, "period");
    f = am_function_impulse(1, 0);
    f.repeat = 3;
    refused(&f, "period");
    f.period = -1;
    refused(&f, "period");
    f = am_function_constant(1);
    f.kind = (am_function_kind)17;
    refused(&f, "kind");
}

static void constructors_pass_the_check(void **state) {
    (void)state;
    const am_function all[] = {am_function_constant(1),      am_function_ramp(1, 2),
                               am_function_sine(1, 2, 3),    am_function_table(3, times, values),
                               am_function_pulse(1, 2, 3),   am_function_impulse(1, 2),
                               am_function_chirp(1, 2, 3, 4)};
    static const char *const names[] = {"constant", "ramp", "sine", "table", "pulse", "impulse", "chirp"};
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(am_function_check(&all[i], NULL), AM_OK);
        assert_string_equal(am_function_kind_name(all[i].kind), names[i]);
    }
    assert_string_equal(am_function_kind_name((am_function_kind)99), "unknown");
}

/* ---- splines, chirps and derivatives ---- */

enum { KNOTS = 12 };

typedef struct smooth {
    double times[KNOTS], values[KNOTS], moments[KNOTS];
} smooth;

/* 0: a natural spline, 1: a periodic one, 2: a chirp, 3: a pulse. */
static am_function draw_smooth(smooth *room, int kind, random_source *random) {
    for (size_t i = 0; i < KNOTS; i++) {
        room->times[i] = i > 0 ? room->times[i - 1] + random_between(random, 0.1, 1) : random_between(random, -1, 1);
        room->values[i] = random_between(random, -1, 1);
    }
    if (kind == 2) {
        am_function chirp = am_function_chirp(random_between(random, 0.5, 2), random_between(random, 0, 9),
                                              random_between(random, 0.1, 9), random_between(random, 0.3, 9));
        chirp.phase = random_between(random, 0, 6);
        chirp.start = random_between(random, -2, 1);
        return chirp;
    }
    if (kind == 3)
        return am_function_pulse(1.3, random_between(random, 0, 1), random_between(random, 1, 4));
    am_function table = am_function_table(KNOTS, room->times, room->values);
    if (kind == 1) {
        table.period = room->times[KNOTS - 1] - room->times[0];
        room->values[KNOTS - 1] = room->values[0];
    }
    assert_int_equal(am_function_spline(&table, room->moments, NULL), AM_OK);
    table.moments = room->moments;
    return table;
}

/* Just before a break and just after it. */
static double jump_at(am_function f, unsigned derivative, double t) {
    f.derivative = derivative;
    return am_function_at(&f, t + 1e-9) - am_function_at(&f, t - 1e-9);
}

static void a_spline_passes_its_points_and_bends_without_jumps(void **state) {
    (void)state;
    random_source random = random_seed(3);
    for (int trial = 0; trial < 40; trial++) {
        smooth room;
        am_function f = draw_smooth(&room, trial % 2, &random);
        double largest = 1;
        for (size_t i = 0; i < KNOTS; i++)
            largest = fmax(largest, fabs(room.moments[i]));
        for (size_t i = 0; i < KNOTS; i++)
            assert_near(am_function_at(&f, room.times[i]), room.values[i], 1e-14);
        for (size_t i = trial % 2 ? 0 : 1; i + 1 < KNOTS; i++)
            for (unsigned d = 0; d < 3; d++) /* over 2e-9: the next derivative, of some 10 times the bends */
                assert_near(jump_at(f, d, room.times[i]), 0, 1e-7 * largest);
        if (trial % 2 == 0)
            assert_true(room.moments[0] == 0 && room.moments[KNOTS - 1] == 0);
    }
}

/* A cubic polynomial without curvature at the ends is its own natural spline; a sine is that of its points to h^4. */
static void splines_reproduce_what_they_can(void **state) {
    (void)state;
    enum { MANY = 101 };
    double t[MANY], y[MANY], m[MANY];
    for (size_t i = 0; i < MANY; i++) {
        t[i] = 2 * pi * (double)i / (MANY - 1);
        y[i] = i + 1 < MANY ? sin(t[i]) : 0;
    }
    am_function f = am_function_table(MANY, t, y);
    f.period = t[MANY - 1];
    assert_int_equal(am_function_spline(&f, m, NULL), AM_OK);
    f.moments = m;
    for (double at = 0.03; at < 20; at += 0.377)
        assert_near(am_function_at(&f, at), sin(at), 6e-8); /* h^4/384 */
    static const double line_t[] = {0, 0.5, 2, 3}, line_y[] = {1, 2, 5, 7};
    f = am_function_table(4, line_t, line_y);
    assert_int_equal(am_function_spline(&f, m, NULL), AM_OK);
    for (size_t i = 0; i < 4; i++)
        assert_near(m[i], 0, 1e-14);
}

static void a_chirp_is_the_sine_of_a_quadratic_phase(void **state) {
    (void)state;
    am_function f = am_function_chirp(1.5, 2, 5, 6);
    f.phase = 0.3;
    f.start = 1;
    assert_near(am_function_at(&f, 0.99), 0, 0);
    for (double t = 1; t < 7; t += 0.173)
        value_and_rate(&f, t, 1.5 * sin(0.3 + 2 * (t - 1) + 0.25 * (t - 1) * (t - 1)),
                       1.5 * (2 + 0.5 * (t - 1)) * cos(0.3 + 2 * (t - 1) + 0.25 * (t - 1) * (t - 1)), 2e-14);
    for (double t = 7; t < 20; t += 0.371) /* from then on at 5 */
        value_and_rate(&f, t, 1.5 * sin(0.3 + 21 + 5 * (t - 7)), 7.5 * cos(0.3 + 21 + 5 * (t - 7)), 2e-13);
}

/* Between breaks z' = G z: the series of exp(G s) takes the state from any instant to the next break. */
static void states_of_splines_and_chirps_move_as_their_generators_say(void **state) {
    (void)state;
    random_source random = random_seed(5);
    for (int trial = 0; trial < 200; trial++) {
        smooth room;
        am_function f = draw_smooth(&room, trial % 4, &random);
        f.derivative = (unsigned)random_index(&random, 3);
        size_t size = am_generator_size(&f);
        double z[AM_GENERATOR_MAX], h[AM_GENERATOR_MAX], G[AM_GENERATOR_MAX * AM_GENERATOR_MAX];
        double t = random_between(&random, 0, 6), next = am_generator_next_break(&f, t), scale = 1;
        double s = fmin(next - t, 0.5) * 0.999, sum = 0;
        am_generator_state(&f, t, z);
        am_generator_matrices(&f, h, G);
        for (size_t i = 0; i < size * size; i++)
            scale = fmax(scale, fabs(G[i]));
        for (int order = 0; order < 40; order++) {
            double changed[AM_GENERATOR_MAX];
            for (size_t i = 0; i < size; i++)
                sum += h[i] * z[i];
            for (size_t i = 0; i < size; i++) {
                changed[i] = 0;
                for (size_t j = 0; j < size; j++)
                    changed[i] += G[i * size + j] * z[j] * s / (order + 1);
            }
            memcpy(z, changed, size * sizeof *z);
        }
        assert_near(sum, am_function_at(&f, t + s), 1e-13 * pow(scale, f.derivative));
    }
}

/* A derivative is one, and what it jumps by where the function below it does is a blow. */
static void derivatives_are_those_of_differences_and_blows_those_of_jumps(void **state) {
    (void)state;
    random_source random = random_seed(9);
    for (int trial = 0; trial < 200; trial++) {
        smooth room;
        am_function f = draw_smooth(&room, trial % 4, &random), below = f;
        if (trial % 8 < 2)
            f.moments = below.moments = NULL; /* linear between its points */
        f.derivative = 1 + (unsigned)random_index(&random, 2);
        below.derivative = f.derivative - 1;
        double t = random_between(&random, 0, 6), next = am_generator_next_break(&f, t), h = 1e-5;
        if (next - t > 4 * h && t - h > 0) {
            double middle = t + 2 * h,
                   difference = (am_function_at(&below, middle + h) - am_function_at(&below, middle - h)) / (2 * h);
            assert_near(am_function_at(&f, middle), difference, 1e-6 * (1 + fabs(difference)));
        }
        if (isfinite(next)) {
            double jump = am_function_at(&below, next + 1e-10) - am_function_at(&below, next - 1e-10);
            assert_near(am_generator_blow(&f, next), jump, 1e-6 * (1 + fabs(jump)));
            assert_near(am_functions_jump(&below, next), jump, 1e-6 * (1 + fabs(jump)));
        }
    }
}

static void a_sum_is_that_of_its_terms(void **state) {
    (void)state;
    am_function a = am_function_sine(1, 2, 3), b = am_function_ramp(1, 0.5), c = am_function_impulse(2, 1);
    a.plus = &b;
    b.plus = &c;
    for (double t = 0; t < 3; t += 0.31)
        value_and_rate(&a, t, sin(2 * t + 3) + 1 + 0.5 * t, 2 * cos(2 * t + 3) + 0.5, 1e-15);
    assert_near(am_functions_break_after(&a, 0).t, 1, 0);
    b.rate = NAN;
    assert_int_equal(am_function_check(&a, NULL), AM_ERR_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_is_constant),
        cmocka_unit_test(a_ramp_is_a_line),
        cmocka_unit_test(a_sine_is_a_sine_about_its_value),
        cmocka_unit_test(a_table_is_linear_between_its_points_and_constant_outside),
        cmocka_unit_test(a_table_with_one_point_is_constant),
        cmocka_unit_test(a_pulse_rises_and_falls_smoothly),
        cmocka_unit_test(an_impulse_is_zero_but_for_its_blows),
        cmocka_unit_test(only_impulses_have_blows),
        cmocka_unit_test(a_repeated_table_is_walked_corner_by_corner_for_thousands_of_periods),
        cmocka_unit_test(a_table_that_fills_its_period_has_one_break_where_it_starts_again),
        cmocka_unit_test(a_repeated_table_repeats_before_its_first_time_too),
        cmocka_unit_test(repeated_pulses_begin_and_end_on_time_for_thousands_of_periods),
        cmocka_unit_test(pulses_without_a_pause_follow_each_other),
        cmocka_unit_test(repeated_blows_fall_once_each_for_thousands_of_periods),
        cmocka_unit_test(a_sine_is_exact_after_any_time),
        cmocka_unit_test(a_ramp_is_exact_after_any_time),
        cmocka_unit_test(breaks_are_exact_after_any_number_of_periods),
        cmocka_unit_test(generators_move_as_they_say),
        cmocka_unit_test(the_state_at_a_break_is_the_one_that_moves_on),
        cmocka_unit_test(a_spline_passes_its_points_and_bends_without_jumps),
        cmocka_unit_test(splines_reproduce_what_they_can),
        cmocka_unit_test(a_chirp_is_the_sine_of_a_quadratic_phase),
        cmocka_unit_test(states_of_splines_and_chirps_move_as_their_generators_say),
        cmocka_unit_test(derivatives_are_those_of_differences_and_blows_those_of_jumps),
        cmocka_unit_test(a_sum_is_that_of_its_terms),
        cmocka_unit_test(numbers_that_are_none_are_refused_by_name),
        cmocka_unit_test(wrong_tables_are_refused),
        cmocka_unit_test(wrong_sines_pulses_and_impulses_are_refused),
        cmocka_unit_test(constructors_pass_the_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
