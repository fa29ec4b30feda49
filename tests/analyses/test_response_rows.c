/* `response` and the lengths of contact rows: a tangent s times as long with a normal force 1/s times as large is the
 * same contact. */
#include <stdio.h>

#include "errors.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

static am_run *respond(double s, const char *analysis) {
    char study[1024];
    snprintf(study, sizeof study,
             "model:\n"
             "  kind: structure\n"
             "  stiffness: [[2, -0.5], [-0.5, 1.5]]\n"
             "  mass: [1, 0.6]\n"
             "  damping: [[0.06, 0], [0, 0.05]]\n"
             "  contacts: [{tangent: [%.17g, %.17g], law: held, hold: {constant: %.17g}, friction: 0.3}]\n"
             "  loads: [{direction: [1, 0.3], sine: {amplitude: 1, frequency: 1.1}}]\n"
             "analysis: {kind: response, harmonics: 7, stability: none%s}\n",
             s, -0.4 * s, 1.5 / s, analysis);
    return run_text(study);
}

static void same_peak(const char *analysis) {
    static const double lengths[] = {1e-3, 0.05, 1e3};
    am_run *plain = respond(1.0, analysis);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        am_run *scaled = respond(lengths[i], analysis);
        assert_near(scalar(scaled, "peak"), scalar(plain, "peak"), 1e-8); /* Newton's tolerance, 1e-10 of its size */
        am_run_free(scaled);
    }
    am_run_free(plain);
}

static void a_motion_does_not_depend_on_the_length_of_a_tangent(void **state) {
    (void)state;
    same_peak("");
}

static void a_branch_does_not_depend_on_the_length_of_a_tangent(void **state) {
    (void)state;
    same_peak(", over: loads.0.sine.frequency, from: 0.5, to: 1.6");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motion_does_not_depend_on_the_length_of_a_tangent),
        cmocka_unit_test(a_branch_does_not_depend_on_the_length_of_a_tangent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
