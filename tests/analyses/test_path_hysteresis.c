/* Friction that follows the way alone (dahl, bouc-wen) in `path`: a mass on a spring under a load that rises and falls,
 * against the closed forms of both laws. Load steps are exact at their ends, however long they are. */
#include <math.h>
#include <stdio.h>

#include "amontons/output.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

/* spring: behind the slider, 0: none */
static am_run *run_law(const char *law, double spring, size_t steps) {
    char text[1024], behind[64] = "";
    if (spring > 0.0)
        snprintf(behind, sizeof behind, ", tangential_stiffness: %g", spring);
    snprintf(text, sizeof text,
             "title: t\nmodel:\n  kind: structure\n  mass: [1]\n  stiffness: [1]\n"
             "  contacts: [{tangent: [1], law: held, hold: {constant: 1.5}, friction: %s%s}]\n"
             "  loads: [{direction: [1], table: {times: [0, 1, 3], values: [0, 0.6, -0.6]}}]\n"
             "analysis: {kind: path, until: 3, steps: %zu}\n",
             law, behind, steps);
    return run_text(text);
}

/* F over the way up to q, and down from `top`, where it is `high`. */
typedef double branch(double q);
typedef double back(double q, double top, double high);

static double dahl_up(double q) {
    return 0.45 * (1.0 - exp(-4.0 * q / 0.45));
}

static double dahl_down(double q, double top, double high) {
    return -0.45 + (high + 0.45) * exp(-4.0 * (top - q) / 0.45);
}

/* beta = gamma = 3, n = 1: dz/dx = 1 - 6 z up (z > 0), 1 down to z = 0 and 1 - 6 |z| beyond. */
static double bouc_up(double q) {
    return 4.0 / 6.0 * (1.0 - exp(-6.0 * q));
}

static double bouc_down(double q, double top, double high) {
    double z = high / 4.0 - (top - q);
    return 4.0 * (z > 0.0 ? z : -(1.0 - exp(6.0 * z)) / 6.0);
}

static void load_steps_are_the_closed_form(void **state) {
    (void)state;
    static const struct {
        const char *law;
        branch *up;
        back *down;
    } cases[] = {{"{law: dahl, stiffness: 4, friction: 0.3}", dahl_up, dahl_down},
                 {"{law: bouc-wen, stiffness: 4, beta: 3, gamma: 3}", bouc_up, bouc_down}};
    for (size_t k = 0; k < 4; k++)
        for (size_t steps = 3; steps <= 30; steps *= 10) {
            double spring = k < 2 ? 0.0 : 2.5; /* the slider is at q - F/spring */
            am_run *run = run_law(cases[k % 2].law, spring, steps);
            const am_table *samples = table_of(am_run_report(run)->result, "samples");
            double top = 0.0;
            for (size_t i = 0; i < am_table_rows(samples); i++)
                if (fabs(cell(samples, i, "t") - 1.0) < 1e-12)
                    top = cell(samples, i, "q1") + (spring > 0.0 ? cell(samples, i, "T1") / spring : 0.0);
            assert_true(top > 0.0);
            for (size_t i = 0; i < am_table_rows(samples); i++) {
                double t = cell(samples, i, "t"), q = cell(samples, i, "q1"),
                       load = t < 1.0 ? 0.6 * t : 0.6 * (2.0 - t);
                double s = q + (spring > 0.0 ? cell(samples, i, "T1") / spring : 0.0);
                double F = t <= 1.0 ? cases[k % 2].up(s) : cases[k % 2].down(s, top, cases[k % 2].up(top));
                /* Newton's method stops at 1e-11 of displacements; the way is integrated to 1e-13 a piece */
                assert_near(-cell(samples, i, "T1"), F, 1e-9);
                assert_near(q + F, load, 1e-9);
            }
            assert_string_equal(am_result_find(am_run_report(run)->result, "method")->text, "incremental");
            am_run_free(run);
        }
}

/* Behind a spring on a layer that opens and closes: where the structure is in the end, from a study of its contact. */
static double end_of(const char *analysis, double slow) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "model:\n  kind: structure\n  mass: [0.01, 0.01]\n  damping: [0.3, 0.3]\n"
        "  stiffness: [[2.4, 0.3], [0.3, 2.8]]\n  contacts:\n"
        "    - {normal: [0, -1], tangent: [1, 0], law: hunt-crossley, contact_stiffness: 20, contact_exponent: 1.5,\n"
        "       friction: {law: dahl, stiffness: 6, friction: 0.4}, tangential_stiffness: 5}\n"
        "  loads: [{direction: [0, 1], constant: 1.2},\n"
        "          {direction: [1, -0.9], sine: {amplitude: 1.5, frequency: %.17g}}]\n"
        "analysis: {kind: %s, until: %.17g, samples: 2}\n",
        1 / slow, analysis, 7 * slow);
    am_run *made = run_text(text);
    const am_table *samples = table_of(am_run_report(made)->result, "samples");
    double q = cell(samples, am_table_rows(samples) - 1, "q1");
    am_run_free(made);
    return q;
}

/* Inertia and damping go with the speed of the load: three times slower leaves a third of the difference, beside what the
 * load steps leave. */
static void behind_a_spring_on_a_layer_slow_motions_are_paths(void **state) {
    (void)state;
    double path = end_of("path, method: incremental, on_jump: release, steps: 800", 1);
    double fast = fabs(end_of("motion, initial: rest", 10) - path);
    double slow = fabs(end_of("motion, initial: rest", 30) - path);
    assert_near(fast, 0, 1.5e-2);
    assert_near(slow, 0, 0.5 * fast);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(load_steps_are_the_closed_form),
                                       cmocka_unit_test(behind_a_spring_on_a_layer_slow_motions_are_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
