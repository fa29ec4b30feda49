/* Motions that never repeat are recognised long before the returns are spent, and only those are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/matrix.h"
#include "amontons/models.h"
#include "amontons/orbit.h"
#include "amontons/study.h"
#include "cases.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "study_text.h"

static am_orbit_outcome outcome_of(const am_system *system, const double *start, bool judge, size_t most,
                                   am_orbit_search *search) {
    am_motion *engine = am_motion_create(system, false, NULL);
    am_orbit_options options = am_orbit_options_default();
    am_orbit orbit = {0};
    assert_true(options.judge); /* by default */
    options.judge = judge;
    options.most_returns = most;
    options.displacement = start;
    options.velocity = start ? start + am_system_size(system) : NULL;
    GOOD(am_orbit_find(engine, &options, &orbit, search, NULL, err));
    am_orbit_clear(&orbit);
    am_motion_free(engine);
    return search->outcome;
}

static void a_chaotic_rod_is_called_aperiodic_after_a_few_thousand_returns(void **state) {
    (void)state;
    am_rod r = am_rod_default();
    r.elements = CASES(10, 8); /* fewer are so weakly chaotic that the returns it takes are a matter of luck */
    r.alpha = 2;
    am_system *system = am_rod_create(&r, NULL);
    am_orbit_search search;
    double x[20];
    for (size_t i = 0; i < 20; i++)
        x[i] = 2 * sin(1.0 + 12.9898 * (double)(i + 1));
    assert_int_equal(outcome_of(system, x, true, 100000, &search), AM_ORBIT_APERIODIC);
    assert_true(search.returns <= 4000);
    assert_non_null(strstr(search.sentence, "aperiodic"));
    assert_non_null(strstr(search.sentence, "part (largest Lyapunov exponent"));
    am_system_free(system);
}

/* Without damping the start is never forgotten: two frequencies without a common multiple. The exponent is zero. */
static void a_motion_of_two_frequencies_is_called_aperiodic_too(void **state) {
    (void)state;
    const double one = 1;
    const am_load_def load = {&one, am_function_sine(1, sqrt(0.3), 0)};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.load_count = 1;
    def.loads = &load;
    am_system *system = dense_system(def, &one, NULL, &one);
    am_orbit_search search;
    assert_int_equal(outcome_of(system, NULL, true, 100000, &search), AM_ORBIT_APERIODIC);
    assert_true(search.returns <= 4000);
    assert_non_null(strstr(search.sentence, "neither part nor come nearer"));
    am_system_free(system);
}

/* Ueda's oscillator, x'' + 0.05 x' + x^3 = 7.5 sin t, is chaotic; with ten times the damping it is not. */
static void the_same_holds_for_polynomial_springs(void **state) {
    (void)state;
    am_error err = {0};
    const char *study =
        "model: {kind: structure, stiffness: [[0]], mass: [[1]], damping: [[%s]], polynomials: [{direction: "
        "[1], terms: [{coefficient: 1, displacement: 3}]}], loads: [{direction: [1], sine: {amplitude: "
        "7.5, frequency: 1}}]}\nanalysis: {kind: orbit, samples: 0, initial: {displacement: [1]}}\n";
    char text[512];
    snprintf(text, sizeof text, study, "0.05");
    am_study *chaotic = read_text(text);
    assert_null(am_study_run(chaotic, NULL, &err));
    assert_int_equal(err.status, AM_ERR_LIMIT);
    assert_says(&err, "the motion is aperiodic: it has not repeated after 4000 returns");
    am_study_free(chaotic);
    snprintf(text, sizeof text, study, "0.5");
    am_run *periodic = run_text(text);
    assert_near(scalar(periodic, "closing_error"), 0, 1e-12);
    am_run_free(periodic);
}

/* Lightly damped oscillators that hit a stop: whatever comes to an orbit without the question does so with it, at the
 * same return; what is called aperiodic has come to none in five times as long. */
static void no_motion_that_comes_to_an_orbit_is_called_aperiodic(void **state) {
    (void)state;
    random_source r = random_seed(1608);
    size_t periodic = 0, aperiodic = 0;
    for (size_t i = 0; i < CASES(40, 4); i++) {
        const double unit[] = {1, 0, 0, 1}, damping[] = {random_between(&r, 1e-3, 0.1), 0, 0, 2};
        const double stiffness[] = {1, 0, 0, 1}, along[] = {1, 0}, across[] = {0, 1};
        am_contact_def contact = am_contact_def_default();
        contact.normal = along;
        contact.tangent = across;
        contact.gap = random_between(&r, -0.2, 1);
        contact.gap = fmax(contact.gap, 0);
        contact.restitution = random_between(&r, 0.5, 0.95);
        const am_load_def load = {along, am_function_sine(1, random_between(&r, 0.6, 3.5), 0)};
        am_system_def def = am_system_def_default();
        def.n = 2;
        def.contact_count = 1;
        def.contacts = &contact;
        def.load_count = 1;
        def.loads = &load;
        am_system *system = dense_system(def, unit, damping, stiffness);
        am_orbit_search with, without;
        am_orbit_outcome asked = outcome_of(system, NULL, true, 20000, &with);
        am_orbit_outcome waited = outcome_of(system, NULL, false, 20000, &without);
        periodic += waited == AM_ORBIT_PERIODIC;
        aperiodic += asked == AM_ORBIT_APERIODIC;
        if (asked == AM_ORBIT_APERIODIC)
            assert_int_equal(waited, AM_ORBIT_UNDECIDED);
        else
            assert_true(asked == waited && with.returns == without.returns);
        am_system_free(system);
    }
    assert_true(periodic >= CASES(20, 2) && (aperiodic >= 2 || CASES(0, 1)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chaotic_rod_is_called_aperiodic_after_a_few_thousand_returns),
        cmocka_unit_test(a_motion_of_two_frequencies_is_called_aperiodic_too),
        cmocka_unit_test(the_same_holds_for_polynomial_springs),
        cmocka_unit_test(no_motion_that_comes_to_an_orbit_is_called_aperiodic),
    };
    return cmocka_run_group_tests_name("orbit_aperiodic", tests, NULL, NULL);
}
