/* What the periodic orbit of any structure reports of one period: losses that are the work of loads and surfaces, added
 * up here from samples; extremes that no sample exceeds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/study.h"
#include "cases.h"
#include "near.h"
#include "random_system.h"
#include "results.h"
#include "study_text.h"

/* A mass on a spring and a damper, driven by a sine and rubbing: %s the contact, %s further parts of the model. */
typedef struct rig {
    double stiffness, damping, amplitude, frequency, belt;
} rig;

enum { SAMPLES = 4001 };

static am_run *run_rig(const rig *r, const char *contact, const char *parts) {
    char text[2048];
    int length = snprintf(text, sizeof text,
                          "model:\n  kind: structure\n  mass: [1]\n  stiffness: [%.17g]\n  damping: [%.17g]\n",
                          r->stiffness, r->damping);
    if (*contact)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "  contacts:\n    - {%s, surface_velocity: %.17g}\n", contact, r->belt);
    snprintf(text + length, sizeof text - (size_t)length,
             "%s  loads:\n    - {direction: [1], sine: {amplitude: %.17g, frequency: %.17g}}\n"
             "analysis: {kind: orbit, samples: %d}\n",
             parts, r->amplitude, r->frequency, SAMPLES);
    return run_text(text);
}

/* The trapezoidal rule on 4000 pieces of a period errs by a piece, 1/4000, at jumps (of friction, which counts where the
 * surface moves) and by its square at corners of velocities; impacts let velocities jump by a part of them. */
static void check_balance(const rig *r, const char *contact, const char *parts) {
    am_run *run = run_rig(r, contact, parts);
    const am_table *samples = table_of(am_run_report(run)->result, "samples");
    double loads = 0.0, surface = 0.0, damping = 0.0, most = -INFINITY, least = INFINITY, fastest = 0.0;
    double piece = scalar(run, "period") / (SAMPLES - 1);
    for (size_t k = 0; k < SAMPLES; k++) {
        double t = cell(samples, k, "t"), q = cell(samples, k, "q1"), v = cell(samples, k, "v1");
        double weight = k == 0 || k + 1 == SAMPLES ? 0.5 * piece : piece;
        loads += weight * v * r->amplitude * sin(r->frequency * t);
        damping += weight * r->damping * v * v;
        if (*contact)
            surface += weight * r->belt * cell(samples, k, "T1");
        most = fmax(most, q);
        least = fmin(least, q);
        fastest = fmax(fastest, fabs(v));
    }
    double lost = scalar(run, "loss_friction") + scalar(run, "loss_damping") + scalar(run, "loss_impact");
    double moved = fabs(loads) + fabs(surface) + fabs(lost), range = most - least;
    bool jumps = r->belt != 0.0 || scalar(run, "loss_impact") > 0.0;
    assert_near(lost, loads + surface, (jumps ? 1e-3 : 1e-5) * moved);
    if (!*parts && strstr(contact, "held")) /* no other damper; v has corners at most */
        assert_near(scalar(run, "loss_damping"), damping, 1e-6 * moved);
    assert_near(scalar(run, "loss_friction"), scalar(run, "dissipation"), 0.0);
    assert_true(scalar(run, "energy_residual") <= 1e-12);
    /* half a piece away from the turn, x differs by (pi/4000)^2/2 of an oscillation of this frequency, and by more where
     * others are faster */
    double turn = (scalar(run, "loss_impact") > 0.0 ? 2e-3 : 1e-4) * range; /* an impact is a corner */
    assert_true(scalar(run, "q1_max") >= most - 1e-14 && scalar(run, "q1_max") <= most + turn);
    assert_true(scalar(run, "q1_min") <= least + 1e-14 && scalar(run, "q1_min") >= least - turn);
    assert_near(scalar(run, "q1_amplitude"), 0.5 * (scalar(run, "q1_max") - scalar(run, "q1_min")), 1e-15);
    assert_true(scalar(run, "q1dot_max") >= fastest - 1e-14);
    am_run_free(run);
}

static rig draw_rig(random_source *random) {
    return (rig){.stiffness = random_between(random, 0.8, 1.5),
                 .damping = random_between(random, 0.05, 0.2),
                 .amplitude = random_between(random, 0.8, 1.5),
                 .frequency = random_between(random, 0.5, 0.8)};
}

static void losses_are_what_loads_do_under_every_law_of_friction(void **state) {
    (void)state;
    static const char *const friction[] = {
        "friction: 0.3",
        "friction: 0.3, static_friction: 0.4",
        "friction: 0.3, tangential_stiffness: 5",
        "friction: 0.3, static_friction: 0.4, weakening: {law: exponential, length: 0.1}",
        "friction: {law: stribeck, static: 0.4, kinetic: 0.25, velocity: 0.5}",
        "friction: {law: hyperbolic, static: 0.4, kinetic: 0.25, velocity: 0.5}",
        "friction: {law: falling, static: 0.4, slope: 0.05, least: 0.2}",
        "friction: {law: polynomial, static: 0.4, linear: -0.1, quadratic: 0.02, cubic: 0.01}",
        "friction: {law: table, velocity: [0, 0.5, 1], values: [0.4, 0.3, 0.35]}",
        "friction: {law: tanh, friction: 0.3, velocity: 0.05}",
        "friction: {law: dahl, stiffness: 20, friction: 0.3}",
        "friction: {law: lugre, sigma0: 50, sigma1: 1, sigma2: 0.1, static: 0.4, kinetic: 0.3, velocity: 0.2}",
        "friction: {law: bouc-wen, stiffness: 10, A: 1, beta: 15, gamma: 10, n: 1.5}",
        "friction: {law: rate-and-state, f0: 0.3, a: 0.02, b: 0.01, V0: 0.1, Dc: 0.05, evolution: aging, form: asinh}",
        "friction: {law: iwan, F_S: 0.3, K_T: 5, chi: -0.5, beta: 0.5}"};
    random_source random = random_seed(31);
    for (size_t i = 0; i < sizeof friction / sizeof *friction; i++)
        for (int k = 0; k < CASES(2, 1); k++) {
            char contact[400];
            rig r = draw_rig(&random);
            snprintf(contact, sizeof contact, "tangent: [1], law: held, hold: {constant: 1}, %s", friction[i]);
            check_balance(&r, contact, "");
        }
}

static void losses_are_what_loads_and_the_belt_do(void **state) {
    (void)state;
    static const char *const friction[] = {"friction: 0.3",
                                           "friction: {law: stribeck, static: 0.4, kinetic: 0.25, velocity: 0.5}",
                                           "friction: {law: lugre, sigma0: 50, sigma1: 1, sigma2: 0.1, static: 0.4, "
                                           "kinetic: 0.3, velocity: 0.2}",
                                           "friction: {law: tanh, friction: 0.3, velocity: 0.05}"};
    random_source random = random_seed(32);
    for (size_t i = 0; i < sizeof friction / sizeof *friction; i++) {
        char contact[400];
        rig r = draw_rig(&random);
        r.belt = random_between(&random, 0.2, 0.5);
        snprintf(contact, sizeof contact, "tangent: [1], law: held, hold: {constant: 1}, %s", friction[i]);
        check_balance(&r, contact, "");
    }
}

/* Compliant contacts lose in their dampers, stops in impacts, polynomial dampers net of what they give. */
static void losses_are_what_loads_do_in_contacts_that_open_and_on_curved_springs(void **state) {
    (void)state;
    static const char *const normal[] = {
        "normal: [1], law: kelvin-voigt, contact_stiffness: 5, contact_damping: 0.5, gap: 0.1",
        "normal: [1], law: hunt-crossley, contact_stiffness: 5, contact_exponent: 1.5, contact_dissipation: 0.3, gap: "
        "0.1",
        "normal: [1], law: spring, contact_stiffness: 5, gap: 0.1",
        "normal: [1], law: unilateral, restitution: 0.5, gap: 0.3"};
    static const char *const parts[] = {
        "  polynomials:\n    - {direction: [1], terms: [{coefficient: 0.5, displacement: 3}]}\n",
        "  polynomials:\n    - {direction: [1], terms: [{coefficient: 0.3, velocity: 3}, {coefficient: 0.2, "
        "displacement: 2, velocity: 1}]}\n",
        "  polynomials:\n    - {direction: [1], terms: [{coefficient: -0.1, velocity: 1}, {coefficient: 0.3, velocity: "
        "3}]}\n"};
    random_source random = random_seed(33);
    for (size_t i = 0; i < sizeof normal / sizeof *normal; i++) {
        rig r = draw_rig(&random);
        check_balance(&r, normal[i], "");
        check_balance(&r, normal[i], parts[0]);
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        rig r = draw_rig(&random);
        check_balance(&r, "", parts[i]);
        check_balance(&r, "tangent: [1], law: held, hold: {constant: 1}, friction: 0.2", parts[i]);
    }
}

/* Faults that creep for days and slip for milliseconds: waves pass in a thousandth of a second, and the period is 1e8
 * times longer. Periods and largest speeds also by LSODA, in logarithms of speed and age, at 1e-12. */
static void faults_of_long_periods_have_their_orbit(void **state) {
    (void)state;
    static const struct {
        double stiffness, damping, hold, belt, f0, a, b, V0, Dc, start;
        const char *kind;
        double period, speed;
    } fault[] = {
        {7.21e8, 2.71e6, 7.47e6, 2.38e-9, 0.592, 0.0086, 0.0146, 4.97e-10, 4e-5, 0.00602,
         "evolution: slip, form: asinh", 596670.16394, 0.249089482},
        {2.03e9, 4.27e6, 2.5e7, 6.74e-9, 0.519, 0.0106, 0.0154, 2.05e-8, 2.09e-5, 0.00644,
         "evolution: aging, form: asinh", 222426.49699, 0.501564800},
        {8.78e9, 2.34e6, 1.53e7, 1.65e-9, 0.434, 0.0122, 0.0361, 4.01e-10, 3.75e-5, 0.000696,
         "evolution: slip, form: log", 605027.54228, 2.467536870},
    };
    for (size_t i = 0; i < sizeof fault / sizeof *fault; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "model:\n  kind: structure\n  mass: [0]\n  stiffness: [%g]\n  damping: [%g]\n  contacts:\n"
                 "    - {tangent: [1], law: held, hold: {constant: %g}, surface_velocity: %g,\n"
                 "       friction: {law: rate-and-state, f0: %g, a: %g, b: %g, V0: %g, Dc: %g, %s}}\n"
                 "analysis: {kind: orbit, samples: 0, most_returns: 40, initial: {displacement: [%g]}}\n",
                 fault[i].stiffness, fault[i].damping, fault[i].hold, fault[i].belt, fault[i].f0, fault[i].a,
                 fault[i].b, fault[i].V0, fault[i].Dc, fault[i].kind, fault[i].start);
        am_run *run = run_text(text);
        assert_near(scalar(run, "period"), fault[i].period, 1e-8 * fault[i].period);
        assert_near(scalar(run, "q1dot_max") + fault[i].belt, fault[i].speed, 3e-8 * fault[i].speed);
        assert_near(scalar(run, "trivial_multiplier"), 1.0, 1e-6);
        am_run_free(run);
    }
}

/* Bristles that are stiff forget where a slide began: derivatives by the start fall below what numbers can hold. The
 * amplitude comes to that of Coulomb's law like the time in which friction turns, 1/sqrt(stiffness): a tenth of the
 * distance for a hundred times the stiffness, but for terms of the next order. */
static void stiff_bristles_come_to_coulombs_law(void **state) {
    (void)state;
    static const char *const laws[] = {"lugre, static: 0.3, kinetic: 0.3, velocity: 0.1, sigma0",
                                       "dahl, friction: 0.3, stiffness"};
    const rig r = {.stiffness = 1.0, .damping = 0.1, .amplitude = 0.8, .frequency = 0.67};
    am_run *coulomb = run_rig(&r, "tangent: [1], law: held, hold: {constant: 1}, friction: 0.3", "");
    double amplitude = scalar(coulomb, "q1_amplitude");
    for (size_t law = 0; law < 2; law++) {
        double off[2];
        for (size_t i = 0; i < 2; i++) {
            char contact[256];
            snprintf(contact, sizeof contact, "tangent: [1], law: held, hold: {constant: 1}, friction: {law: %s: %d}",
                     laws[law], i == 0 ? 100 : 10000);
            am_run *run = run_rig(&r, contact, "");
            off[i] = fabs(scalar(run, "q1_amplitude") - amplitude);
            am_run_free(run);
        }
        assert_true(off[0] < 0.1 && off[1] < 0.13 * off[0]);
    }
    am_run_free(coulomb);
}

/* Spans of stiff bristles end where the equations of motion were solved: the motion comes back to its own rounding, not only
 * to the bound below which an orbit is reported. */
static void orbits_of_stiff_bristles_close_to_rounding(void **state) {
    (void)state;
    static const double stiffness[] = {3e4, 1e6, 1e8};
    const rig r = {.stiffness = 1.0, .damping = 0.02, .amplitude = 1.0, .frequency = 0.7};
    for (size_t i = 0; i < CASES(3, 1); i++) {
        char contact[256];
        snprintf(contact, sizeof contact,
                 "tangent: [1], law: held, hold: {constant: 1}, friction: {law: lugre, sigma0: %.17g, sigma1: %.17g, "
                 "static: 0.3, kinetic: 0.2, velocity: 0.1}",
                 stiffness[i], sqrt(stiffness[i]));
        am_run *run = run_rig(&r, contact, "");
        assert_true(scalar(run, "closing_error") <= 3e-14);
        assert_true(scalar(run, "energy_residual") <= 3e-14);
        am_run_free(run);
    }
}

static am_run *run_on_belt(const char *friction) {
    char study[1024];
    snprintf(study, sizeof study,
             "model: {kind: structure, mass: [1], stiffness: [2], contacts: [{tangent: [1], law: held, "
             "hold: {constant: 1}, surface_velocity: 0.1, friction: {law: %s}}]}\n"
             "analysis: {kind: orbit, initial: {displacement: [0.3]}}\n",
             friction);
    return run_text(study);
}

/* On a belt bristles that are stiff stick for thousands of steps without a switch, and tremble: without sigma1 they turn
 * more than a hundred times a period. The period comes to that of the same friction without them like 1/sqrt(sigma0). */
static void stiff_bristles_on_a_belt_have_their_orbit(void **state) {
    (void)state;
    static const struct {
        double stiffness, damping, period; /* period: by Radau's method (SciPy, rtol 1e-11); 0: not computed */
    } bristles[] = {{1e5, 110, 5.15951146}, {1e5, 300, 5.15503794}, {1e5, 0, 0}, {1e6, 110, 0}};
    am_run *stribeck = run_on_belt("stribeck, static: 0.5, kinetic: 0.3, velocity: 0.01, exponent: 2, viscous: 0.1");
    for (size_t i = 0; i < CASES(4, 1); i++) {
        char friction[256];
        double near = 6 / sqrt(bristles[i].stiffness);
        snprintf(friction, sizeof friction,
                 "lugre, sigma0: %.17g, sigma1: %.17g, sigma2: 0.1, static: 0.5, kinetic: 0.3, velocity: 0.01",
                 bristles[i].stiffness, bristles[i].damping);
        am_run *run = run_on_belt(friction);
        assert_near(scalar(run, "period"), scalar(stribeck, "period"), near);
        if (bristles[i].period > 0)
            assert_near(scalar(run, "period"), bristles[i].period, 1e-8);
        am_run_free(run);
    }
    am_run_free(stribeck);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_what_loads_do_under_every_law_of_friction),
        cmocka_unit_test(losses_are_what_loads_and_the_belt_do),
        cmocka_unit_test(losses_are_what_loads_do_in_contacts_that_open_and_on_curved_springs),
        cmocka_unit_test(faults_of_long_periods_have_their_orbit),
        cmocka_unit_test(stiff_bristles_come_to_coulombs_law),
        cmocka_unit_test(orbits_of_stiff_bristles_close_to_rounding),
        cmocka_unit_test(stiff_bristles_on_a_belt_have_their_orbit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
