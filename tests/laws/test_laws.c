/* Laws of friction that depend on speed: what their formulas say, pieces that join, and studies that are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "errors.h"
#include "laws/law.h"
#include "near.h"
#include "results.h"
#include "study_text.h"
#include "uniform.h"

static const double speeds[] = {0, 0.05, 0.1, 0.4, 0.8}, values[] = {0.4, 0.35, 0.36, 0.2, 0.3};
static const am_speed_friction samples[] = {
    {.law = "stribeck", .parameter = {0.5, 0.2, 0.3, 1.5, 0.02}},
    {.law = "stribeck", .parameter = {0.2, 0.5, 0.3, 2, 0}}, /* rising */
    {.law = "hyperbolic", .parameter = {0.5, 0.1, 0.2}},
    {.law = "falling", .parameter = {0.5, 0.7, 0.2}},
    {.law = "table", .points = 5, .speed = speeds, .coefficient = values},
    {.law = "table", .points = 4, .speed = speeds + 1, .coefficient = values + 1},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static void the_slope_is_that_of_the_coefficient(void **state) {
    (void)state;
    uint64_t seed = 3;
    const double h = 1e-6;
    for (size_t i = 0; i < SAMPLES; i++)
        for (int k = 0; k < 50; k++) {
            double v = uniform(&seed, 2 * h, 1.2), slope;
            am_speed_friction_at(&samples[i], v, &slope);
            if (am_law_piece_at(&samples[i], v - h) != am_law_piece_at(&samples[i], v + h))
                continue; /* across a knot */
            double above = am_speed_friction_at(&samples[i], v + h, NULL);
            double below = am_speed_friction_at(&samples[i], v - h, NULL);
            assert_near((above - below) / (2 * h), slope, 1e-8); /* h^2 and rounding/h */
        }
}

static void pieces_join(void **state) {
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t p = 0; p + 1 < am_law_pieces(&samples[i]); p++) {
            double knot = am_law_knot(&samples[i], p), slope;
            assert_true(p == 0 || knot > am_law_knot(&samples[i], p - 1));
            assert_int_equal(am_law_piece_at(&samples[i], knot), p + 1);
            double before = am_speed_friction_at(&samples[i], knot * (1 - 1e-12), &slope);
            assert_near(before, am_speed_friction_at(&samples[i], knot, NULL), 1e-11);
        }
}

static void every_law_is_listed_with_its_parameters(void **state) {
    (void)state;
    size_t count = 0;
    for (; am_speed_law_name(count); count++)
        assert_non_null(am_law_named(am_speed_law_name(count)));
    assert_int_equal(count, 10);
    assert_string_equal(am_speed_law_parameter("stribeck", 2), "velocity");
    assert_null(am_speed_law_parameter("stribeck", 5));
    assert_null(am_speed_law_parameter("none", 0));
    assert_true(isnan(am_speed_friction_at(&(am_speed_friction){.law = "none"}, 0, NULL)));
    assert_true(isnan(am_speed_friction_at(&samples[0], -1, NULL)));
}

/* ---- studies ---- */

static am_study *parse(const char *friction, const char *more, const char *analysis, am_error *err) {
    char text[2000];
    snprintf(text, sizeof text,
             "title: belt\nmodel:\n  kind: structure\n  mass: [1]\n  damping: [0.1]\n  stiffness: [1]\n  contacts:\n"
             "  - {name: belt, tangent: [1], law: held, hold: {constant: 1}, surface_velocity: 0.6%s, friction: %s}\n"
             "analysis: {%s}\n",
             more, friction, analysis);
    return am_study_parse("belt.yaml", text, 0, NULL, false, err);
}

static void refuses(const char *friction, const char *more, const char *words) {
    am_error err = {0};
    am_study *study = parse(friction, more, "kind: motion, until: 1", &err);
    am_run *run = study ? am_study_run(study, NULL, &err) : NULL;
    assert_null(run);
    assert_says(&err, words);
    assert_says(&err, "belt.yaml:");
    am_study_free(study);
}

static void what_is_no_law_is_refused_with_a_reason(void **state) {
    (void)state;
    refuses("{law: stribek, static: 0.4}", "", "did you mean 'stribeck'?");
    refuses("{static: 0.4}", "", "with the key 'law'");
    refuses("{law: stribeck, static: 0.4, kinetic: 0.2}", "", "needs the key 'velocity'");
    refuses("{law: stribeck, static: 0.4, kinetic: 0.2, velocity: 1, slope: 2}", "", "unknown key 'slope'");
    refuses("{law: stribeck, static: -0.4, kinetic: 0.2, velocity: 1}", "", "static");
    refuses("{law: stribeck, static: 0.4, kinetic: 0.2, velocity: 0}", "", "velocity");
    refuses("{law: stribeck, static: 0.4, kinetic: 0.2, velocity: 1, exponent: 0.5}", "", "infinitely steeply");
    refuses("{law: falling, static: 0.4, slope: 1, least: 0.5}", "", "least = 0.5");
    refuses("{law: table, velocity: [0, 1, 1], values: [1, 1, 1]}", "", "must increase");
    refuses("{law: table, velocity: [0, 1], values: [1]}", "", "as many");
    refuses("{law: table, velocity: [0, 1], values: [1, -1]}", "", "values");
    refuses("{law: rate-and-state, f0: 0.6, a: 0.01, b: 0.02, V0: 1}", "", "needs the key 'Dc'");
    refuses("{law: rate-and-state, f0: 0.6, a: 0.01, b: 0.02, V0: 1, Dc: 1, form: logg}", "", "did you mean 'log'?");
    refuses("{law: bouc-wen, stiffness: 1, beta: 1, gamma: -2}", "", "between -beta and beta");
    refuses("{law: bouc-wen, stiffness: 1, beta: 1, gamma: 0, n: 0.5}", "", "at least 1");
    refuses("{law: polynomial, static: 0.4, linear: -1}", "", "negative at high speed");
    refuses("{law: polynomial, static: 0.4, linear: -1, cubic: 0.5}", "", "is negative");
    refuses("{law: falling, static: 0.4, slope: 1}", ", static_friction: 0.5", "leave static_friction out");
    refuses("{law: falling, static: 0.4, slope: 1}", ", weakening: {law: ramp, length: 1}", "distance slid");
    refuses("{law: lugre, sigma0: 1, static: 0.4, kinetic: 0.3, velocity: 1}", ", tangential_stiffness: 3",
            "would have to jump");
    refuses("{law: tanh, friction: 0, velocity: 1}", ", tangential_stiffness: 3", "must be positive");
}

/* x'' + c x' + x = mu(V - x'): the growth of steady sliding is (-c - mu'(V))/2. */
static void steady_sliding_grows_with_the_fall_of_friction(void **state) {
    (void)state;
    const char *friction = "{law: stribeck, static: 0.4, kinetic: 0.25, velocity: 0.5, exponent: 2}";
    const am_speed_friction law = {.law = "stribeck", .parameter = {0.4, 0.25, 0.5, 2, 0}};
    am_error err = {0};
    double slope;
    am_speed_friction_at(&law, 0.6, &slope);
    assert_near(slope, -0.15 * exp(-1.44) * 2 * 0.6 / 0.25, 1e-15);
    am_study *study = parse(friction, "", "kind: stability", &err);
    am_run *run = study ? am_study_run(study, NULL, &err) : NULL;
    if (!run)
        fail_msg("%s", err.message);
    assert_near(scalar(run, "growth_rate"), (-0.1 - slope) / 2, 1e-14);
    am_run_free(run);
    am_study_free(study);
}

/* It begins to grow where the slope is -c: exp(-v/0.5) = 0.1 0.5/0.15. */
static void the_threshold_of_sliding_is_where_the_slope_outweighs_the_damping(void **state) {
    (void)state;
    am_error err = {0};
    am_study *study = parse("{law: stribeck, static: 0.4, kinetic: 0.25, velocity: 0.5}", "",
                            "kind: stability, threshold: contacts.0.surface_velocity, from: 2, to: 0.1", &err);
    am_run *run = study ? am_study_run(study, NULL, &err) : NULL;
    if (!run)
        fail_msg("%s", err.message);
    assert_near(scalar(run, "critical"), 0.5 * log(3), 4e-9); /* the search ends at brackets of 2e-9 */
    assert_near(scalar(run, "omega"), 1, 1e-9);
    am_run_free(run);
    am_study_free(study);
}

/* ---- contact elements ---- */

#define ELEMENT                                                                                                        \
    "model:\n  kind: structure\n  mass: [1, 1]\n  damping: [[0.1, 0], [0, 0.1]]\n"                                     \
    "  stiffness: [[2, 0.3], [0.3, 3]]\n  contacts:\n  - {name: pad, normal: [0, 1], tangent: [1, 0], law: "           \
    "kelvin-voigt, "                                                                                                   \
    "contact_stiffness: 10, contact_damping: %g, tangential_stiffness: 5, friction: 0.4}\n  loads:\n"                  \
    "  - {direction: [1, 0], sine: {amplitude: 2, frequency: 0.9}}\n"                                                  \
    "  - {direction: [0, 1], sine: {amplitude: 3, frequency: 0.9, phase: 0.7, value: -0.8}}\nanalysis: %s\n"

/* The exact motion of `response` goes from switch to switch by matrix exponentials, that of `orbit` by Taylor series. */
static void two_engines_agree_about_an_element_that_lifts_off(void **state) {
    (void)state;
    const double dampings[] = {0, 0.5};
    for (size_t i = 0; i < 2; i++) {
        char text[2000];
        snprintf(text, sizeof text, ELEMENT, dampings[i], "{kind: orbit}");
        am_run *orbit = run_text(text);
        snprintf(
            text, sizeof text, ELEMENT, dampings[i],
            "{kind: response, over: contacts.0.friction, from: 0.4, to: 0.405, harmonics: 15, stability: floquet}");
        am_run *response = run_text(text);
        const am_table *branch = table_of(am_run_report(response)->result, "branch");
        assert_near(scalar(orbit, "multiplier"), cell(branch, 0, "multiplier"), 1e-9); /* as far as the former closes */
        am_run_free(response);
        am_run_free(orbit);
    }
}

/* A slider without mass, damped by radiation: sliding with V creeps above k = (N (b - a) - eta V)/Dc (Ruina 1983 has it for
 * eta = 0), oscillating there with V/Dc sqrt(k Dc/(N a + eta V)): the characteristic equation by hand. */
static void a_fault_creeps_above_its_critical_stiffness(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 20; i++) {
        char text[1000];
        am_error err = {0};
        double a = uniform(&seed, 0.005, 0.02), b = a + uniform(&seed, 0.005, 0.02), Dc = uniform(&seed, 1e-6, 1e-4);
        double V = uniform(&seed, 1e-9, 1e-5), N = uniform(&seed, 1e6, 1e8), eta = uniform(&seed, 1e6, 1e7);
        double k = (N * (b - a) - eta * V) / Dc;
        snprintf(
            text, sizeof text,
            "title: fault\nmodel:\n  kind: structure\n  mass: [0]\n  damping: [%.17g]\n  stiffness: [%.17g]\n"
            "  contacts:\n  - {tangent: [1], law: held, hold: {constant: %.17g}, surface_velocity: %.17g, friction: "
            "{law: rate-and-state, f0: 0.6, a: %.17g, b: %.17g, V0: 1.0e-6, Dc: %.17g, evolution: %s}}\n"
            "analysis: {kind: stability, threshold: model.stiffness.0, from: %.17g, to: %.17g}\n",
            eta, k, N, V, a, b, Dc, i % 2 ? "aging" : "slip", 3 * k, 0.1 * k);
        am_study *study = am_study_parse("fault.yaml", text, 0, NULL, false, &err);
        am_run *run = study ? am_study_run(study, NULL, &err) : NULL;
        if (!run)
            fail_msg("%s", err.message);
        assert_near(scalar(run, "critical"), k, 1e-8 * k); /* the search ends at brackets of 2e-9 */
        double omega = V / Dc * sqrt(k * Dc / (N * a + eta * V));
        assert_near(scalar(run, "omega"), omega, 1e-7 * omega);
        am_run_free(run);
        am_study_free(study);
    }
}

/* What laws without stick say of themselves: steady friction, slopes, and the value that w keeps then. */
static void laws_without_stick_are_steady_where_their_rate_vanishes(void **state) {
    (void)state;
    static const am_speed_friction laws[] = {
        {.law = "dahl", .parameter = {20, 0.4}},
        {.law = "lugre", .parameter = {30, 0.5, 0.1, 0.5, 0.3, 0.2}},
        {.law = "bouc-wen", .parameter = {3, 1.2, 2, 0.7, 1.5}},
        {.law = "rate-and-state", .parameter = {0.6, 0.01, 0.02, 0.1, 0.05, 0, 0}},
        {.law = "rate-and-state", .parameter = {0.6, 0.01, 0.02, 0.1, 0.05, 1, 1}},
        {.law = "tanh behind a spring", .parameter = {0.4, 0.3, 20}},
        {.law = "dahl behind a spring", .parameter = {20, 0.4, 30}},
        {.law = "bouc-wen behind a spring", .parameter = {3, 1.2, 2, 0.7, 1.5, 5}},
        {.law = "rate-and-state behind a spring", .parameter = {0.6, 0.01, 0.02, 0.1, 0.05, 0, 0, 40}},
        {.law = "rate-and-state behind a spring", .parameter = {0.6, 0.02, 0.01, 0.1, 0.05, 1, 0, 40}},
    };
    uint64_t seed = 5;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        for (int k = 0; k < 20; k++) {
            double v = uniform(&seed, 0.02, 1), N = uniform(&seed, 0.5, 2), h = 1e-6, w[AM_LAW_MEMORIES];
            size_t memories = am_law_memories(&laws[i]);
            am_law_settled(&laws[i], v, N, w);
            am_drag here = am_law_drag_at(&laws[i], v, N, w);
            am_drag faster = am_law_drag_at(&laws[i], v + h, N, w), slower = am_law_drag_at(&laws[i], v - h, N, w);
            am_drag more = am_law_drag_at(&laws[i], v, N + h, w), less = am_law_drag_at(&laws[i], v, N - h, w);
            /* h^2 and rounding/h */
            assert_near((faster.force.value - slower.force.value) / (2 * h), here.force.by_v, 1e-7);
            assert_near((more.force.value - less.force.value) / (2 * h), here.force.by_N, 1e-7);
            for (size_t r = 0; r < memories; r++) {
                double size = 1 + fabs(here.rate[r].by_v) + fabs(here.rate[r].by_N);
                assert_near(here.rate[r].value, 0, 1e-13); /* a hundred roundings through exp(x/a), a = 0.01 */
                assert_near((faster.rate[r].value - slower.rate[r].value) / (2 * h), here.rate[r].by_v, 1e-6 * size);
                assert_near((more.rate[r].value - less.rate[r].value) / (2 * h), here.rate[r].by_N, 1e-6 * size);
            }
            for (size_t k = 0; k < memories; k++) {
                double kept = w[k], step = h * kept;
                w[k] = kept + step;
                am_drag older = am_law_drag_at(&laws[i], v, N, w);
                w[k] = kept - step;
                am_drag younger = am_law_drag_at(&laws[i], v, N, w);
                w[k] = kept;
                assert_near((older.force.value - younger.force.value) / (2 * step), here.force.by_w[k],
                            1e-7 * (1 + fabs(here.force.by_w[k])));
                for (size_t r = 0; r < memories; r++)
                    assert_near((older.rate[r].value - younger.rate[r].value) / (2 * step), here.rate[r].by_w[k],
                                1e-6 * (1 + fabs(here.rate[r].by_w[k])));
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_creeps_above_its_critical_stiffness),
        cmocka_unit_test(laws_without_stick_are_steady_where_their_rate_vanishes),
        cmocka_unit_test(the_slope_is_that_of_the_coefficient),
        cmocka_unit_test(pieces_join),
        cmocka_unit_test(every_law_is_listed_with_its_parameters),
        cmocka_unit_test(what_is_no_law_is_refused_with_a_reason),
        cmocka_unit_test(the_threshold_of_sliding_is_where_the_slope_outweighs_the_damping),
        cmocka_unit_test(two_engines_agree_about_an_element_that_lifts_off),
        cmocka_unit_test(steady_sliding_grows_with_the_fall_of_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
