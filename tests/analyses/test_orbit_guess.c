/* Periodic motions asked for by a guess (`transient: 0`): self-excited ones too, stable or not, with switches or
 * without. The unstable cycle between steady sliding and stick-slip is integrated backwards in time, where it attracts,
 * by an integrator of this test. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/orbit.h"
#include "amontons/study.h"
#include "cases.h"
#include "dense_system.h"
#include "engines/switching/switching.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "results.h"
#include "study_text.h"

/* A mass m on a spring k and a damper c, pressed with N on a belt of the speed V: mu = kinetic + fall exp(-v/velocity).
 * Steady sliding loses its stability at V_h, where c = N fall/velocity exp(-V_h/velocity); above it lies an unstable
 * cycle (mu''' < 0: the Hopf point is subcritical). */
typedef struct belt {
    double m, k, c, N, V, fall, kinetic, velocity;
} belt;

static double friction_at(const belt *b, double v) {
    return b->N * (b->kinetic + b->fall * exp(-v / b->velocity));
}

static double hopf_speed(const belt *b) {
    return b->velocity * log(b->N * b->fall / (b->c * b->velocity));
}

/* A belt so little above its Hopf point that the cycle slips all the time; multipliers of about 1.1 to 1.3. */
static belt draw_belt(random_source *random) {
    belt b = {.m = random_between(random, 0.5, 1),
              .k = random_between(random, 0.5, 2),
              .N = random_between(random, 1, 3),
              .fall = random_between(random, 0.1, 0.3),
              .kinetic = random_between(random, 0.1, 0.4),
              .velocity = random_between(random, 0.4, 0.8)};
    b.c = b.N * b.fall / b.velocity * random_between(random, 0.12, 0.2);
    b.V = hopf_speed(&b) + b.velocity * random_between(random, 0.2, 0.35);
    return b;
}

/* Amplitude of the cycle's velocity by averaging: (V - V_h) small. */
static double averaged_speed(const belt *b) {
    return sqrt(8.0 * b->velocity * b->velocity * (exp((b->V - hopf_speed(b)) / b->velocity) - 1.0));
}

static am_system *system_of(const belt *b) {
    static const double one = 1.0;
    am_contact_def contact = am_contact_def_default();
    contact.tangent = &one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(b->N);
    contact.surface_velocity = b->V;
    contact.speed_friction =
        (am_speed_friction){.law = "stribeck", .parameter = {b->kinetic + b->fall, b->kinetic, b->velocity, 1, 0}};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.contact_count = 1;
    def.contacts = &contact;
    return dense_system(def, &b->m, &b->c, &b->k);
}

/* The cycle of a belt, closed from the guess of averaging. */
static am_result *close_belt(const am_system *system, const belt *b) {
    am_error err = {0};
    am_result *result = am_result_create(&err);
    am_orbit_options options = am_orbit_options_default();
    double x = (friction_at(b, b->V) + averaged_speed(b) * sqrt(b->m * b->k)) / b->k, v = 0.0;
    options.displacement = &x;
    options.velocity = &v;
    options.transient = 0;
    options.samples = 201;
    if (am_orbit_run(system, &options, result, NULL, &err))
        fail_msg("belt at %g (Hopf %g, averaged %g): %s", b->V, hopf_speed(b), averaged_speed(b), err.message);
    return result;
}

/* ---- backwards in time, by Runge and Kutta ---- */

static void rate(const belt *b, const double *y, double *out) {
    out[0] = y[1];
    out[1] = (friction_at(b, b->V - y[1]) - b->c * y[1] - b->k * y[0]) / b->m;
}

static void runge_kutta(const belt *b, double h, double *y) {
    double k[4][2], z[2];
    static const double part[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 2; i++)
            z[i] = y[i] + (s > 0 ? h * part[s] * k[s - 1][i] : 0.0);
        rate(b, z, k[s]);
    }
    for (int s = 0; s < 4; s++)
        for (int i = 0; i < 2; i++)
            y[i] += h / 6.0 * weight[s] * k[s][i];
}

/* To the next maximum of x backwards, where v rises through zero; the time it took. */
static double last_maximum(const belt *b, double h, double *y) {
    double time = h, before;
    runge_kutta(b, -h, y); /* away from the maximum it stands at */
    do {
        before = y[1];
        runge_kutta(b, -h, y);
        time += h;
    } while (!(before < 0.0 && y[1] >= 0.0));
    for (int i = 0; i < 8; i++) { /* Newton's method for the length of the last step */
        double f[2];
        rate(b, y, f);
        double step = -y[1] / f[1];
        runge_kutta(b, step, y);
        time -= step;
    }
    return time;
}

/* The fourth order of steps of a 4000th of a period leaves 1e-13; the map contracts by the inverse of the multiplier, at
 * least 1.08, so that 400 times around 1e-13 is left of the guess. */
static void unstable_cycle_of_slip_is_where_time_reversed_leads(void **state) {
    (void)state;
    random_source random = random_seed(71);
    for (int i = 0; i < CASES(6, 2); i++) {
        belt b = draw_belt(&random);
        am_system *system = system_of(&b);
        am_result *result = close_belt(system, &b);
        double y[2] = {number(result, "q1_max") * 0.999, 0.0}, period = 0.0, h = number(result, "period") / 4000.0;
        for (int k = 0; k < 400; k++)
            period = last_maximum(&b, h, y);
        assert_near(number(result, "q1_max"), y[0], 1e-10);
        assert_near(number(result, "period"), period, 1e-9);
        assert_near(number(result, "stable"), 0.0, 0.0);
        assert_near(number(result, "switches"), 0.0, 0.0);
        assert_true(number(result, "multiplier") > 1.05);
        am_result_free(result);
        am_system_free(system);
    }
}

/* From a state at rest, at a maximum of x, once around to the next one: x there. */
static double next_maximum(am_motion *engine, double x) {
    const double start[2] = {x, 0.0};
    GOOD(am_motion_start_state(engine, 0.0, start, err));
    am_engine_watch(engine, 0);
    while (!engine->at_maximum) {
        am_step_kind kind;
        GOOD(am_motion_step(engine, 1e3, &kind, err));
    }
    return am_motion_state(engine)[0];
}

/* Central differences at h and h/2, extrapolated: h^4 and rounding over h. */
static void multiplier_is_the_derivative_of_the_return_map(void **state) {
    (void)state;
    random_source random = random_seed(72);
    for (int i = 0; i < CASES(20, 4); i++) {
        belt b = draw_belt(&random);
        am_system *system = system_of(&b);
        am_result *result = close_belt(system, &b);
        am_motion *engine = am_motion_create(system, false, NULL);
        double x = number(result, "q1_max"), h = 1e-3 * number(result, "q1_amplitude"), slope[2];
        for (int k = 0; k < 2; k++, h *= 0.5)
            slope[k] = (next_maximum(engine, x + h) - next_maximum(engine, x - h)) / (2.0 * h);
        assert_near(next_maximum(engine, x), x, 1e-12);
        assert_near(number(result, "multiplier"), (4.0 * slope[1] - slope[0]) / 3.0, 1e-8);
        am_motion_free(engine);
        am_result_free(result);
        am_system_free(system);
    }
}

/* Over a period the means of x' and x'' vanish: friction has the mean of k x, and the belt does the work V k <x> T, which
 * friction and the damper take; the damper takes c <x'^2> T. Means of a smooth periodic motion by the trapezoidal rule,
 * which converges exponentially. */
static void losses_of_a_cycle_are_the_work_of_the_belt(void **state) {
    (void)state;
    random_source random = random_seed(73);
    for (int i = 0; i < CASES(10, 3); i++) {
        belt b = draw_belt(&random);
        am_system *system = system_of(&b);
        am_result *result = close_belt(system, &b);
        const am_table *samples = table_of(result, "samples");
        size_t count = am_table_rows(samples) - 1;
        double T = number(result, "period"), mean = 0.0, square = 0.0, most = -INFINITY, least = INFINITY;
        for (size_t k = 0; k < count; k++) {
            double x = cell(samples, k, "q1"), v = cell(samples, k, "v1");
            mean += x / (double)count;
            square += v * v / (double)count;
            most = fmax(most, x);
            least = fmin(least, x);
        }
        double work = b.V * b.k * mean * T, amplitude = number(result, "q1_amplitude");
        assert_near(number(result, "loss_damping"), b.c * square * T, 1e-12 * work);
        assert_near(number(result, "loss_friction") + number(result, "loss_damping"), work, 1e-12 * work);
        assert_true(number(result, "energy_residual") <= 1e-13);
        /* a sample is within half a step of each extreme: 1 - cos(pi/200) of the amplitude */
        assert_near(number(result, "q1_max"), most, 1.3e-4 * amplitude);
        assert_near(number(result, "q1_min"), least, 1.3e-4 * amplitude);
        assert_near(amplitude, 0.5 * (number(result, "q1_max") - number(result, "q1_min")), 1e-15);
        am_result_free(result);
        am_system_free(system);
    }
}

/* ---- studies ---- */

static const char *belt_study(const char *speed, const char *rest) {
    static char text[2048];
    snprintf(text, sizeof text,
             "model:\n  kind: structure\n  mass: [1]\n  stiffness: [1]\n  damping: [0.05]\n  contacts:\n"
             "    - {tangent: [1], law: held, hold: {constant: 1}, surface_velocity: %s, friction: {law: stribeck, "
             "static: 0.4, kinetic: 0.2, velocity: 0.5}}\n%s\n",
             speed, rest);
    return text;
}

/* Between steady sliding and the stick-slip cycle lies the unstable one: starts a little below and above it part. */
static void starts_on_both_sides_of_the_unstable_cycle_part(void **state) {
    (void)state;
    am_run *cycle = run_text(
        belt_study("1.1", "analysis: {kind: orbit, transient: 0, initial: {displacement: [0.75], velocity: [0]}}"));
    double x = scalar(cycle, "q1_max");
    char analysis[200];
    snprintf(analysis, sizeof analysis, "analysis: {kind: orbit, initial: {displacement: [%.17g]}}", x + 1e-3);
    am_run *outside = run_text(belt_study("1.1", analysis));
    assert_near(scalar(outside, "switches"), 2.0, 0.0);
    assert_true(scalar(outside, "q1_max") > x + 0.1);
    snprintf(analysis, sizeof analysis, "analysis: {kind: orbit, initial: {displacement: [%.17g]}}", x - 1e-3);
    am_error err = {0};
    am_study *inside = am_study_parse("test.yaml", belt_study("1.1", analysis), 0, NULL, false, &err);
    assert_null(am_study_run(inside, NULL, &err));
    assert_says(&err, "(proved)");
    am_study_free(inside);
    am_run_free(outside);
    am_run_free(cycle);
}

/* Starts on a belt above its Hopf point end in stick-slip or in steady sliding, and none is left undecided. */
static void attractors_of_a_belt_are_stick_slip_and_steady_sliding(void **state) {
    (void)state;
    am_run *run = run_text(
        belt_study("1.1", "analysis: {kind: attractors, starts: {count: 30, box: {q1: [-0.5, 1], v1: [-0.5, 0.5]}}}"));
    assert_near(scalar(run, "orbits"), 1.0, 0.0);
    assert_true(scalar(run, "sliding") >= 3.0);
    assert_near(scalar(run, "undecided") + scalar(run, "failed") + scalar(run, "final"), 0.0, 0.0);
    am_run_free(run);
}

/* Steady sliding at the very corner of a table: a motion that comes there is not claimed to stay. */
static void sliding_at_a_corner_of_the_law_is_told_but_not_claimed(void **state) {
    (void)state;
    am_error err = {0};
    am_study *study = am_study_parse(
        "test.yaml",
        "model:\n  kind: structure\n  mass: [1]\n  stiffness: [1]\n  damping: [0.1]\n  contacts:\n"
        "    - {tangent: [1], law: held, hold: {constant: 1}, surface_velocity: 0.5, friction: {law: table, velocity: "
        "[0, 0.5, 1], values: [0.5, 0.48, 0.45]}}\n"
        "analysis: {kind: orbit, initial: {displacement: [0.6]}}\n",
        0, NULL, false, &err);
    assert_null(am_study_run(study, NULL, &err));
    assert_says(&err, "of steady sliding, where small disturbances decay");
    assert_says(&err, "not proved");
    am_study_free(study);
}

/* A guess near a cycle that sticks gives the cycle that a transient comes to. */
static void guess_of_a_stick_slip_cycle_is_closed_as_a_transient_is(void **state) {
    (void)state;
    am_run *reached = run_text(belt_study("0.5", "analysis: {kind: orbit}"));
    am_run *closed = run_text(
        belt_study("0.5", "analysis: {kind: orbit, transient: 0, initial: {displacement: [0.1], velocity: [0.5]}}"));
    static const char *const same[] = {"period", "q1_max", "q1_min", "loss_friction", "loss_damping", "switches"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_near(scalar(closed, same[i]), scalar(reached, same[i]), 1e-12);
    assert_near(scalar(closed, "transient_returns"), 0.0, 0.0);
    am_run_free(reached);
    am_run_free(closed);
}

/* The branch of unstable cycles begins at the Hopf point, 0.5 ln 8, with the multiplier 1 and the frequency 1. */
static void unstable_cycles_are_followed_down_to_the_hopf_point(void **state) {
    (void)state;
    am_run *run = run_text(
        belt_study("1.1", "analysis: {kind: orbit, transient: 0, initial: {displacement: [0.75], velocity: [0]}}\n"
                          "follow: {parameter: model.contacts.0.surface_velocity, from: 1.1, to: 1.0}"));
    const am_table *branch = table_of(am_run_report(run)->result, "branch");
    size_t last = am_table_rows(branch) - 1;
    assert_true(last > 10);
    assert_near(scalar(run, "followed_to"), 0.5 * log(8.0), 1e-5);
    assert_near(cell(branch, last, "multiplier"), 1.0, 1e-4);
    assert_near(cell(branch, last, "period"), 2.0 * acos(-1.0), 1e-4);
    for (size_t i = 0; i + 1 < last; i++)
        assert_true(cell(branch, i, "multiplier") > 1.0 && cell(branch, i, "switches") == 0.0);
    am_run_free(run);
}

/* x'' - 0.3 x' + x'^3 ... of Papangelo's oscillator: the small cycle is unstable, and found by its guess alone. */
static void unstable_cycle_without_contacts_is_found_by_a_guess(void **state) {
    (void)state;
    am_run *run =
        run_text("model:\n  kind: structure\n  mass: [1]\n  damping: [0.3]\n  stiffness: [1]\n  polynomials:\n"
                 "    - {direction: [1], terms: [{coefficient: -1, velocity: 3}, {coefficient: 0.5, velocity: "
                 "5}]}\n"
                 "analysis: {kind: orbit, transient: 0, initial: {displacement: [0.75]}}\n");
    /* one harmonic: 0.3 - 3/4 a^2 + 5/16 a^4 = 0 */
    double a = sqrt((0.75 - sqrt(0.75 * 0.75 - 4.0 * 0.3125 * 0.3)) / (2.0 * 0.3125));
    assert_near(scalar(run, "q1_amplitude"), a, 0.05 * a);
    assert_near(scalar(run, "stable"), 0.0, 0.0);
    assert_true(scalar(run, "multiplier") > 1.5);
    assert_near(scalar(run, "loss_damping"), 0.0, 1e-12); /* what it gains it loses */
    am_run_free(run);
}

/* Without damping multipliers lie on the unit circle: rounding alone would say on which side. */
static void a_motion_without_damping_is_neither_stable_nor_unstable(void **state) {
    (void)state;
    const char *texts[] = {
#define UNDAMPED(contacts)                                                                                             \
    "model:\n  kind: structure\n  mass: [1]\n  stiffness: [1]\n  polynomials:\n"                                       \
    "    - {direction: [1], terms: [{coefficient: 0.3, displacement: 3}]}\n"                                           \
    "  loads: [{direction: [1], sine: {amplitude: 0.3, frequency: 1.7}}]\n" contacts                                   \
    "analysis: {kind: orbit, transient: 0, initial: {velocity: [-0.27]}}\n"
        UNDAMPED(""), UNDAMPED("  contacts: [{normal: [1], gap: 3}]\n")};
    for (int stop = 0; stop < 2; stop++) {
        am_run *run = run_text(texts[stop]);
        assert_near(scalar(run, "multiplier"), 1.0, 1e-10);
        assert_true(isnan(scalar(run, "stable")));
        am_run_free(run);
    }
}

/* A damped oscillator has no cycle: the guess leads to rest, and the message says so. */
static void guess_without_a_cycle_is_refused(void **state) {
    (void)state;
    am_error err = {0};
    am_study *study = am_study_parse(
        "test.yaml", belt_study("3", "analysis: {kind: orbit, transient: 0, initial: {displacement: [0.5]}}"), 0, NULL,
        false, &err);
    assert_null(am_study_run(study, NULL, &err));
    assert_true(strstr(err.message, "rest") || strstr(err.message, "no periodic motion"));
    am_study_free(study);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unstable_cycle_of_slip_is_where_time_reversed_leads),
        cmocka_unit_test(multiplier_is_the_derivative_of_the_return_map),
        cmocka_unit_test(losses_of_a_cycle_are_the_work_of_the_belt),
        cmocka_unit_test(starts_on_both_sides_of_the_unstable_cycle_part),
        cmocka_unit_test(attractors_of_a_belt_are_stick_slip_and_steady_sliding),
        cmocka_unit_test(sliding_at_a_corner_of_the_law_is_told_but_not_claimed),
        cmocka_unit_test(guess_of_a_stick_slip_cycle_is_closed_as_a_transient_is),
        cmocka_unit_test(unstable_cycles_are_followed_down_to_the_hopf_point),
        cmocka_unit_test(unstable_cycle_without_contacts_is_found_by_a_guess),
        cmocka_unit_test(a_motion_without_damping_is_neither_stable_nor_unstable),
        cmocka_unit_test(guess_without_a_cycle_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
