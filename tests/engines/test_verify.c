/* Checking an evolution: laws of one contact in all its states, several solutions of the rate problem, wrong claims. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "amontons/states.h"

/* Klarbring's mass: k = [[1, 1], [1, 2]], loads grow from zero in proportion, so values at t = 1 are also the rates. */
static am_system *mass(double friction) {
    am_error err = {0};
    am_klarbring def = am_klarbring_default();
    const double k[2][2] = {{1, 1}, {1, 2}};
    memcpy(def.stiffness, k, sizeof k);
    def.friction = friction;
    am_system *system = am_klarbring_create(&def, &err);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

typedef struct claim {
    double u[2], load[2], N, T;
} claim;

/* Equilibrium in a given state under F, from the equations of that state. */
static claim in_state(am_contact_state state, double f, double F1, double F2) {
    claim made = {{0, 0}, {F1, F2}, 0, 0};
    double sign = state == AM_FORWARD ? -1 : 1; /* T = sign f N */
    if (state == AM_OPEN) {                     /* k u = F */
        made.u[0] = 2 * F1 - F2;
        made.u[1] = F2 - F1;
    } else if (state == AM_STICK) {
        made.N = -F2;
        made.T = -F1;
    } else { /* u1 = F1 + sign f N, u1 = F2 + N */
        made.N = (F1 - F2) / (1 - sign * f);
        made.T = sign * f * made.N;
        made.u[0] = F2 + made.N;
    }
    return made;
}

static am_verify *watch(const am_system *system) {
    am_error err = {0};
    const am_standing origin = AM_STANDING_ORIGIN;
    am_verify *verify = am_verify_create(system, &origin, &err);
    if (!verify)
        fail_msg("%s", err.message);
    return verify;
}

static am_verify_report judge_rates(am_verify *verify, const claim *total, const claim *rate) {
    am_verify_report report;
    am_error err = {0};
    am_verify_instant instant = {.displacement = total->u,
                                 .velocity = rate->u,
                                 .load = total->load,
                                 .load_rate = rate->load,
                                 .normal = &total->N,
                                 .tangential = &total->T,
                                 .normal_rate = &rate->N,
                                 .tangential_rate = &rate->T,
                                 .scale = 1,
                                 .rate_scale = 1};
    assert_int_equal(am_verify_check(verify, &instant, &report, &err), AM_OK);
    return report;
}

static double worst(const am_verify_report *report) {
    return fmax(fmax(report->equilibrium, report->friction), fmax(report->rate, report->difference));
}

static void each_state_is_accepted_where_it_belongs_and_refused_elsewhere(void **state) {
    (void)state;
    const double f = 0.25;
    const struct {
        double F1, F2;
        am_contact_state right;
    } cases[] = {{0.1, -1, AM_STICK}, {1, 0.7, AM_FORWARD}, {-1, -1.5, AM_BACKWARD}, {-1, 1, AM_OPEN}};
    am_system *system = mass(f);
    am_verify *verify = watch(system);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int tried = AM_OPEN; tried <= AM_BACKWARD; tried++) {
            claim made = in_state((am_contact_state)tried, f, cases[k].F1, cases[k].F2);
            am_verify_report report = judge_rates(verify, &made, &made);
            if ((worst(&report) < 1e-14) != ((am_contact_state)tried == cases[k].right)) /* rounding of a few terms */
                fail_msg("load %zu, state %s: %g", k, am_contact_state_name((am_contact_state)tried), worst(&report));
            if ((am_contact_state)tried == cases[k].right)
                assert_int_equal(report.solutions, 1);
        }
    am_verify_free(verify);
    am_system_free(system);
}

/* Friction above k11/k12 = 1: backward slip needs N (1 - f) = F1 - F2, so stick, slip and separation share a sector. */
static void several_solutions_of_the_rate_problem_are_counted(void **state) {
    (void)state;
    const double f = 1.5, F[2] = {-1, -0.9};
    const claim nothing = {{0, 0}, {0, 0}, 0, 0};
    am_system *system = mass(f);
    am_verify *verify = watch(system);
    const am_contact_state right[] = {AM_STICK, AM_BACKWARD, AM_OPEN};
    for (int k = 0; k < 3; k++) {
        claim rate = in_state(right[k], f, F[0], F[1]);
        am_verify_report report = judge_rates(verify, &nothing, &rate); /* from the unloaded state */
        assert_int_equal(report.solutions, 3);
        assert_true(worst(&report) < 1e-14);
    }
    claim rate = in_state(AM_FORWARD, f, F[0], F[1]);
    am_verify_report report = judge_rates(verify, &nothing, &rate);
    assert_true(report.rate > 0.01 && report.difference > 0.01);
    am_verify_free(verify);
    am_system_free(system);
}

static void claims_that_are_slightly_wrong_are_measured(void **state) {
    (void)state;
    const double f = 0.25, by = 1e-9;
    am_system *system = mass(f);
    am_verify *verify = watch(system);
    claim sound = in_state(AM_FORWARD, f, 1, 0.7);
    claim wrong = sound;
    wrong.T += by; /* neither in equilibrium nor, as it slips, on its limit */
    am_verify_report report = judge_rates(verify, &wrong, &sound);
    assert_true(report.equilibrium > 0.9 * by && report.equilibrium < 1.1 * by);
    wrong = sound;
    wrong.u[1] -= by; /* into the plane */
    report = judge_rates(verify, &wrong, &sound);
    assert_true(report.friction > 1.9 * by && report.friction < 2.1 * by); /* times the largest stiffness, 2 */
    wrong = sound;
    wrong.u[0] *= 1 + by;
    report = judge_rates(verify, &sound, &wrong);
    assert_true(report.difference > by && report.equilibrium > 0.1 * by);
    am_verify_free(verify);
    am_system_free(system);
}

static void values_that_are_no_numbers_never_pass(void **state) {
    (void)state;
    am_system *system = mass(0.25);
    am_verify *verify = watch(system);
    claim sound = in_state(AM_FORWARD, 0.25, 1, 0.7);
    for (int where = 0; where < 6; where++) {
        claim wrong = sound;
        double *places[] = {&wrong.u[0], &wrong.u[1], &wrong.load[0], &wrong.load[1], &wrong.N, &wrong.T};
        *places[where] = NAN;
        am_verify_report total = judge_rates(verify, &wrong, &sound), rate = judge_rates(verify, &sound, &wrong);
        assert_true(isinf(worst(&total)) && isinf(worst(&rate)));
    }
    am_verify_free(verify);
    am_system_free(system);
}

static void contact_at_its_limit_is_judged_on_the_scale_of_the_deviation(void **state) {
    (void)state;
    /* From an equilibrium at the forward limit the load grows by 1e-30: forward slip by 1e-30, or nothing else. */
    const double f = 0.25, tiny = 1e-30;
    am_error err = {0};
    const am_standing forward = AM_STANDING_FORWARD;
    am_system *system = mass(f);
    am_verify *verify = am_verify_create(system, &forward, &err);
    assert_non_null(verify);
    for (int tried = AM_STICK; tried <= AM_FORWARD; tried++) {
        claim made = in_state((am_contact_state)tried, f, tiny, 0);
        am_verify_report report;
        am_verify_instant instant = {made.u,  made.u,  made.load, made.load, &made.N, &made.T,
                                     &made.N, &made.T, NULL,      tiny,      tiny};
        assert_int_equal(am_verify_check(verify, &instant, &report, &err), AM_OK);
        assert_true(tried == AM_FORWARD ? worst(&report) < 1e-14 : report.friction > 0.5);
        assert_int_equal(report.solutions, 1);
    }
    am_verify_free(verify);
    am_system_free(system);
}

static void held_contacts_and_missing_scales_are_refused(void **state) {
    (void)state;
    am_error err = {0};
    const am_standing stick = AM_STANDING_STICK;
    am_oscillator oscillator = am_oscillator_default();
    oscillator.beta = 0.5;
    oscillator.Omega = 0.5;
    am_system *held = am_oscillator_create(&oscillator, &err);
    assert_non_null(held);
    assert_null(am_verify_create(held, &stick, &err));
    assert_int_equal(err.status, AM_ERR_UNSUPPORTED);
    am_system_free(held);
    am_system *system = mass(0.25);
    am_verify *verify = watch(system);
    claim sound = in_state(AM_STICK, 0.25, 0, -1);
    am_verify_report report;
    am_verify_instant instant = {sound.u,  sound.u,  sound.load, sound.load, &sound.N, &sound.T,
                                 &sound.N, &sound.T, NULL,       1,          0};
    assert_int_equal(am_verify_check(verify, &instant, &report, &err), AM_ERR_INPUT);
    am_verify_free(verify);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_state_is_accepted_where_it_belongs_and_refused_elsewhere),
        cmocka_unit_test(several_solutions_of_the_rate_problem_are_counted),
        cmocka_unit_test(claims_that_are_slightly_wrong_are_measured),
        cmocka_unit_test(values_that_are_no_numbers_never_pass),
        cmocka_unit_test(contact_at_its_limit_is_judged_on_the_scale_of_the_deviation),
        cmocka_unit_test(held_contacts_and_missing_scales_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
