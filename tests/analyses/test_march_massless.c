/* Coordinates without mass in `march`: damped ones beside a closed form and `motion`, ones that springs determine beside
 * sliders behind springs, which are the same thing, and beside `motion` where they lift off. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/march.h"
#include "amontons/motion.h"
#include "cases.h"
#include "dense_system.h"
#include "near.h"
#include "random_system.h"
#include "results.h"

/* The displacements at the end. */
static void end_of_march(const am_system *system, am_march_method method, double until, double step, const double *from,
                         double *q) {
    static const char *const names[] = {"q1", "q2", "q3", "q4"};
    am_march_options options = am_march_options_default();
    am_result *result = am_result_create(NULL);
    am_error err = {0};
    options.method = method;
    options.until = until;
    options.step = step;
    options.samples = 11;
    options.displacement = from;
    options.check = method == AM_MARCH_ADAPTIVE ? AM_MARCH_CHECK_YES : AM_MARCH_CHECK_NO;
    if (am_march_run(system, &options, result, NULL, &err))
        fail_msg("%s", err.message);
    if (method ==
        AM_MARCH_ADAPTIVE) /* what it says of itself is of the order of its tolerance, some hundred steps on */
        assert_near(number(result, "error_estimate"), 0, 1e-5);
    for (size_t i = 0; i < am_system_size(system); i++)
        q[i] = cell(table_of(result, "samples"), 10, names[i]);
    am_result_free(result);
}

static void end_of_motion(const am_system *system, double until, const double *from, double *q) {
    static const char *const names[] = {"q1", "q2", "q3", "q4"};
    am_motion_options options = am_motion_options_default();
    am_result *result = am_result_create(NULL);
    am_error err = {0};
    options.until = until;
    options.samples = 11;
    options.displacement = from;
    if (am_motion_run(system, &options, result, NULL, &err))
        fail_msg("%s", err.message);
    for (size_t i = 0; i < am_system_size(system); i++)
        q[i] = cell(table_of(result, "samples"), 10, names[i]);
    am_result_free(result);
}

/* c q' + k q = a sin(w t), q(0) = q0: a (k sin(w t) - c w cos(w t))/(k^2 + (c w)^2) + decay. Euler's rule: order one. */
static void a_damped_coordinate_follows_the_closed_form(void **state) {
    (void)state;
    const double c = 0.7, k = 1.9, a = 1.3, w = 2.1, q0 = 0.4, until = 3, along[] = {1};
    am_load_def load = {.direction = along, .function = am_function_sine(a, w, 0)};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.load_count = 1;
    def.loads = &load;
    am_system *system = dense_system(def, (const double[]){0}, &c, &k);
    double size = k * k + c * c * w * w, decay = q0 + a * c * w / size;
    double exact = a * (k * sin(w * until) - c * w * cos(w * until)) / size + decay * exp(-k * until / c);
    double got, coarse, fine;
    end_of_march(system, AM_MARCH_ADAPTIVE, until, 0, &q0, &got);
    end_of_march(system, AM_MARCH_MOREAU_JEAN, until, 0.004, &q0, &coarse);
    end_of_march(system, AM_MARCH_MOREAU_JEAN, until, 0.002, &q0, &fine);
    assert_near(got, exact, 1e-7);
    assert_near(2 * fine - coarse, exact, 1e-5);
    assert_near((coarse - exact) / (fine - exact), 2, 0.05);
    am_system_free(system);
}

/* A mass, the coordinate of a contact behind a spring, with or without damping, and what presses it, with mass. */
static am_system *draw_rubbing(uint64_t seed, am_normal_law law, bool damped, const am_speed_friction *friction) {
    random_source r = random_seed(seed);
    double k = random_between(&r, 1, 4), c = damped ? random_between(&r, 0.3, 2) : 0;
    double normal[] = {0, 0, -1}, tangent[] = {0, 1, 0}, push[] = {0, 0, 1}, pull[] = {1, 0, 0};
    am_contact_def contact = am_contact_def_default();
    contact.normal = law == AM_HELD ? NULL : normal;
    contact.tangent = tangent;
    contact.normal_law = law;
    contact.hold = am_function_constant(random_between(&r, 0.5, 2));
    contact.contact_stiffness = law == AM_HELD ? 0 : random_between(&r, 3, 10);
    contact.friction = contact.static_friction = 0.3;
    if (friction) {
        contact.friction = contact.static_friction = 0;
        contact.speed_friction = *friction;
    }
    contact.contact_exponent = law == AM_HUNT_CROSSLEY ? 1.5 : 1;
    contact.surface_velocity = random_between(&r, -0.5, 0.5);
    am_load_def loads[] = {{.direction = pull, .function = am_function_sine(random_between(&r, 0.5, 2), 1.1, 0.3)},
                           {.direction = push, .function = am_function_sine(random_between(&r, 0.5, 1.5), 1.7, 1.5)}};
    am_system_def def = am_system_def_default();
    def.n = 3;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 2;
    def.loads = loads;
    return dense_system(def, (const double[]){1, 0, 0, 0, 0, 0, 0, 0, 1},
                        (const double[]){0.1, 0, 0, 0, c, 0, 0, 0, 0.2},
                        (const double[]){1 + k, -k, 0, -k, k + 0.4, 0, 0, 0, random_between(&r, 1, 3)});
}

/* 1e-8 of each of some hundred steps; Moreau and Jean's scheme comes near by its step. */
static void contacts_on_them_agree_with_motion(void **state) {
    (void)state;
    const double from[] = {0.3, 0, 0};
    for (uint64_t seed = 1; seed <= CASES(6, 3); seed++) {
        bool damped = seed % 3 > 0;
        am_system *system = draw_rubbing(seed, damped && seed % 2 ? AM_KELVIN_VOIGT : AM_HELD, damped, NULL);
        double exact[3], got[3], near[3];
        end_of_motion(system, 6, from, exact);
        end_of_march(system, AM_MARCH_ADAPTIVE, 6, 0, from, got);
        end_of_march(system, AM_MARCH_MOREAU_JEAN, 6, 0.002, from, near);
        for (size_t i = 0; i < 3; i++) {
            assert_near(got[i], exact[i], 1e-5);
            assert_near(near[i], exact[i], 5e-3);
        }
        am_system_free(system);
    }
}

/* Friction that rises with the speed sets off with next to none; a deflection follows a normal force that vanishes on a
 * curved layer, ever faster. */
static void laws_on_them_agree_with_motion(void **state) {
    (void)state;
    static const am_speed_friction rising = {.law = "polynomial", .parameter = {0.2, 0.1}},
                                   dahl = {.law = "dahl", .parameter = {8, 0.3}},
                                   lugre = {.law = "lugre", .parameter = {8, 0, 0.1, 0.4, 0.3, 0.3}};
    static const struct {
        am_normal_law law;
        const am_speed_friction *friction;
    } cases[] = {{AM_HELD, &rising}, {AM_KELVIN_VOIGT, &rising}, {AM_HUNT_CROSSLEY, &dahl}, {AM_HUNT_CROSSLEY, &lugre}};
    const double from[] = {0.3, 0, 0.3};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (uint64_t seed = 1; seed <= (k < 2 ? 8 : CASES(2, 1)); seed++) {
            am_system *system = draw_rubbing(seed, cases[k].law, true, cases[k].friction);
            double exact[3], got[3];
            end_of_motion(system, 6, from, exact);
            end_of_march(system, AM_MARCH_ADAPTIVE, 6, 0, from, got);
            for (size_t i = 0; i < 3; i++)
                assert_near(got[i], exact[i], 1e-5);
            am_system_free(system);
        }
}

/* Two masses and a node without mass between them and a rigid surface: it lifts off and comes back, and strikes nothing. */
static void rigid_contacts_of_nodes_agree_with_motion(void **state) {
    (void)state;
    const double from[] = {0.3, 0, 0, 0}, normal[] = {0, 0, 0, -1}, tangent[] = {0, 0, 1, 0};
    const double pull[] = {1, 0, 0, 0}, push[] = {0, 1, 0, 0};
    for (uint64_t seed = 1; seed <= CASES(4, 1); seed++) {
        random_source r = random_seed(seed);
        double t = random_between(&r, 1, 4), n = random_between(&r, 2, 6), k = random_between(&r, 0, 0.5);
        am_contact_def contact = am_contact_def_default();
        contact.normal = normal;
        contact.tangent = tangent;
        contact.gap = 0.1;
        contact.friction = contact.static_friction = 0.3;
        contact.restitution = 0.5; /* of masses: there is none */
        am_load_def loads[] = {{.direction = pull, .function = am_function_sine(random_between(&r, 0.5, 2), 1.1, 0.3)},
                               {.direction = push, .function = am_function_sine(random_between(&r, 2, 3), 0.9, 1)}};
        am_system_def def = am_system_def_default();
        def.n = 4;
        def.contact_count = 1;
        def.contacts = &contact;
        def.load_count = 2;
        def.loads = loads;
        am_system *system =
            dense_system(def, (const double[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                         (const double[]){0.1, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                         (const double[]){1 + t, 0, -t, -k, 0, 1 + n, -k, -n, -t, -k, t + 0.3, k, -k, -n, k, n + 0.3});
        double exact[4], near[4];
        end_of_motion(system, 8, from, exact);
        end_of_march(system, AM_MARCH_MOREAU_JEAN, 8, 0.001, from, near);
        for (size_t i = 0; i < 4; i++)
            assert_near(near[i], exact[i], 1e-2);
        am_system_free(system);
    }
}

/* Friction that rises with the speed, at the end of the step: the velocity before says nothing of what has no mass. A start
 * out of balance leaps within one step, and what friction remembers depends on the way. */
static void steps_seek_the_speed_and_refuse_leaps(void **state) {
    (void)state;
    static const am_speed_friction rising = {.law = "polynomial", .parameter = {0.2, 0.1}},
                                   dahl = {.law = "dahl", .parameter = {8, 0.3}};
    const double from[] = {0.3, 0, 0};
    for (uint64_t seed = 1; seed <= CASES(3, 1); seed++) {
        am_system *system = draw_rubbing(seed, AM_HELD, true, &rising);
        double exact[3], near[3];
        end_of_motion(system, 6, from, exact);
        end_of_march(system, AM_MARCH_MOREAU_JEAN, 6, 0.002, from, near);
        for (size_t i = 0; i < 3; i++) /* of order one in the step */
            assert_near(near[i], exact[i], 5e-3);
        am_system_free(system);
    }
    am_system *system = draw_rubbing(1, AM_HELD, false, &dahl);
    am_march_options options = am_march_options_default();
    am_result *result = am_result_create(NULL);
    am_error err = {0};
    options.method = AM_MARCH_MOREAU_JEAN;
    options.until = 1;
    options.step = 0.002;
    options.displacement = from;
    assert_int_equal(am_march_run(system, &options, result, NULL, &err), AM_ERR_UNSUPPORTED);
    assert_string_equal(err.field, "initial");
    assert_non_null(strstr(err.message, "leaps"));
    am_result_free(result);
    am_system_free(system);
}

/* What no method can answer is said: accelerations from step to step, blows without a limit, nothing that determines. */
static void what_has_no_answer_is_refused(void **state) {
    (void)state;
    static const struct {
        double damping, stiffness;
        bool blow;
        am_march_method method;
        const char *field, *words;
    } cases[] = {{1, 1, false, AM_MARCH_NEWMARK, "method", "carries accelerations"},
                 {1, 1, true, AM_MARCH_ADAPTIVE, "mass", "blow on a coordinate without mass"},
                 {0, 0, false, AM_MARCH_ADAPTIVE, "mass", "neither mass nor damping"}};
    const double along[] = {1};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        am_load_def load = {.direction = along, .function = am_function_sine(1, 1, 0)};
        if (cases[k].blow)
            load.function = am_function_impulse(0.5, 1);
        am_system_def def = am_system_def_default();
        def.n = 1;
        def.load_count = 1;
        def.loads = &load;
        am_system *system = dense_system(def, (const double[]){0}, &cases[k].damping, &cases[k].stiffness);
        am_march_options options = am_march_options_default();
        am_result *result = am_result_create(NULL);
        am_error err = {0};
        options.method = cases[k].method;
        options.until = 1;
        options.step = 0.1;
        assert_int_equal(am_march_run(system, &options, result, NULL, &err), AM_ERR_UNSUPPORTED);
        assert_string_equal(err.field, cases[k].field);
        assert_non_null(strstr(err.message, cases[k].words));
        am_result_free(result);
        am_system_free(system);
    }
}

int main(void) {
    if (!am_march_available(AM_MARCH_ADAPTIVE))
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damped_coordinate_follows_the_closed_form),
        cmocka_unit_test(contacts_on_them_agree_with_motion),
        cmocka_unit_test(laws_on_them_agree_with_motion),
        cmocka_unit_test(rigid_contacts_of_nodes_agree_with_motion),
        cmocka_unit_test(steps_seek_the_speed_and_refuse_leaps),
        cmocka_unit_test(what_has_no_answer_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
