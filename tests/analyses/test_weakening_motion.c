/* Friction that weakens with slip, in time: what is left of inertia is the jump of the quasi-static path, what friction
 * takes is the area under its law, and what has fallen for good is Coulomb's. Random motions are checked against the law
 * in test_motion_laws.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/output.h"
#include "amontons/system.h"
#include "cases.h"
#include "near.h"
#include "results.h"
#include "study_text.h"
#include "uniform.h"

/* A block of normal force N behind a spring of stiffness 1, pulled by a force that grows to `pull` and stays there. */
typedef struct block {
    double N, fixed, kinetic, length, pull, slip[4], coefficient[4];
    int law; /* 0 ramp, 1 step, 2 exponential, 3 table */
} block;

static const char *const laws[] = {"ramp", "step", "exponential"};

static block random_block(uint64_t *seed, int law) {
    block b = {.N = uniform(seed, 1.0, 3.0), .fixed = uniform(seed, 0.5, 0.7), .kinetic = uniform(seed, 0.1, 0.3)};
    b.law = law;
    b.length = uniform(seed, 0.02, 0.1); /* steeper than the spring: it jumps */
    for (int i = 0; law == 3 && i < 4; i++) {
        b.slip[i] = i > 0 ? b.slip[i - 1] + uniform(seed, 0.02, 0.05) : 0.0;
        b.coefficient[i] = b.fixed + (b.kinetic - b.fixed) * i / 3.0;
    }
    b.pull = b.fixed * b.N * uniform(seed, 1.01, 1.3);
    return b;
}

static am_friction friction_of(const block *b) {
    static const am_friction_law law[] = {AM_FRICTION_RAMP, AM_FRICTION_STEP, AM_FRICTION_EXPONENTIAL,
                                          AM_FRICTION_TABLE};
    return (am_friction){.law = law[b->law],
                         .kinetic = b->kinetic,
                         .fixed = b->fixed,
                         .distance = b->length,
                         .count = b->law == 3 ? 4 : 0,
                         .slip = b->slip,
                         .coefficient = b->coefficient};
}

static am_run *run_block(const block *b, double mass, double damping, const char *analysis) {
    char law[512], text[2048];
    if (b->law == 3)
        snprintf(law, sizeof law,
                 "weakening: {law: table, points: [[0, %.17g], [%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g]]}",
                 b->coefficient[0], b->slip[1], b->coefficient[1], b->slip[2], b->coefficient[2], b->slip[3],
                 b->coefficient[3]);
    else
        snprintf(law, sizeof law, "friction: %.17g, static_friction: %.17g, weakening: {law: %s, length: %.17g}",
                 b->kinetic, b->fixed, laws[b->law], b->length);
    snprintf(
        text, sizeof text,
        "model: {kind: structure, names: [x], mass: [%.17g], damping: [%.17g], stiffness: [1], contacts: [{name: "
        "sole, tangent: [1], law: held, hold: {constant: %.17g}, %s}], loads: [{direction: [1], table: {times: [0, "
        "100], values: [0, %.17g]}}]}\nanalysis: {%s}\n",
        mass, damping, b->N, law, b->pull, analysis);
    return run_text(text);
}

static double last_x(const am_run *run) {
    const am_table *samples = table_of(am_run_report(run)->result, "samples");
    return cell(samples, am_table_rows(samples) - 1, "x");
}

/* Where it ends, and what friction took. */
static double end_of_motion(const block *b, double mass, double *loss) {
    am_run *run = run_block(b, mass, 1.0, "kind: motion, until: 160, samples: 2");
    double x = last_x(run);
    *loss = scalar(run, "loss_friction");
    assert_near(scalar(run, "energy_residual"), 0.0, 1e-11); /* of what moved, over some thousand spans */
    am_run_free(run);
    return x;
}

static void the_drop_is_the_jump_of_the_path_as_mass_goes_to_zero(void **state) {
    (void)state;
    uint64_t seed = 41;
    for (int trial = 0; trial < CASES(12, 4); trial++) {
        block b = random_block(&seed, trial % 4);
        am_run *run = run_block(&b, 0.0, 0.0, "kind: path, method: incremental, on_jump: release, until: 160");
        double jumped = last_x(run), loss;
        assert_true(scalar(run, "jumps") > 0.0);
        am_run_free(run);
        /* With damping 1 nothing swings over the new equilibrium once m < 1/4, and sixty units of time are sixty times
         * the time c/k in which it is approached; heavy blocks slide beyond it. */
        for (int light = 0; light < 3; light++) {
            const double mass[] = {0.1, 0.01, 1e-4};
            assert_near(end_of_motion(&b, mass[light], &loss), jumped, 1e-9);
        }
        assert_true(end_of_motion(&b, 30.0, &loss) > 1.01 * jumped);
    }
}

static void friction_takes_the_area_under_its_law(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < CASES(12, 4); trial++) {
        block b = random_block(&seed, trial % 4);
        am_friction law = friction_of(&b);
        double loss, x = end_of_motion(&b, 0.1, &loss);
        assert_near(loss, b.N * am_friction_work(&law, x), 1e-12 * loss); /* it slid forward only */
    }
}

static double orbit_number(const char *friction, const char *name) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "model: {kind: structure, names: [x], mass: [1], damping: [0.1], stiffness: [1], contacts: [{name: sole, "
        "tangent: [1], law: held, hold: {constant: 2}, friction: 0.2%s}], loads: [{direction: [1], sine: {amplitude: "
        "1.5, frequency: 0.7}}]}\nanalysis: {kind: orbit}\n",
        friction);
    am_run *run = run_text(text);
    double value = scalar(run, name);
    am_run_free(run);
    return value;
}

static void an_orbit_has_friction_that_has_fallen_for_good(void **state) {
    (void)state;
    static const char *const weak[] = {", static_friction: 0.6, weakening: {law: ramp, length: 0.15}",
                                       ", static_friction: 0.6, weakening: {law: exponential, length: 0.05}"};
    static const char *const names[] = {"x_amplitude", "multiplier", "loss_friction"};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 3; k++)
            assert_near(orbit_number(weak[i], names[k]), orbit_number("", names[k]), 1e-11);
}

/* In every half of a cycle the block slips a little. */
static void strength_that_was_lost_does_not_come_back(void **state) {
    (void)state;
    am_run *run = run_text(
        "model: {kind: structure, names: [x], mass: [1], damping: [1], stiffness: [1], contacts: [{name: sole, "
        "tangent: "
        "[1], law: held, hold: {constant: 1}, friction: 0.1, static_friction: 1, weakening: {law: exponential, length: "
        "9}}], loads: [{direction: [1], sine: {amplitude: 1.3, frequency: 0.2}}]}\n"
        "analysis: {kind: motion, until: 120, samples: 2}\n");
    const am_table *events = table_of(am_run_report(run)->result, "events");
    double before = 1.0;
    size_t slips = 0;
    for (size_t i = 0; i < am_table_rows(events); i++) {
        double limit = fabs(cell(events, i, "T_sole"));
        if (strcmp(word(events, i, "from"), "stick") != 0)
            continue;
        assert_true(limit <= before);
        before = limit - 1e-9; /* each slip has worn it down */
        slips++;
    }
    assert_true(slips > 4);
    am_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_drop_is_the_jump_of_the_path_as_mass_goes_to_zero),
        cmocka_unit_test(friction_takes_the_area_under_its_law),
        cmocka_unit_test(an_orbit_has_friction_that_has_fallen_for_good),
        cmocka_unit_test(strength_that_was_lost_does_not_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
