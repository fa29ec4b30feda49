/* Motions of structures that get energy from forces of their own: circulatory forces, negative damping and negative
 * stiffness, in closed form where there is one, and against `march` where contacts switch. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "amontons/march.h"
#include "amontons/motion.h"
#include "dense_system.h"
#include "near.h"
#include "random_system.h"
#include "results.h"
#include "steps.h"

/* w = q1 + i q2 under K = k, C = c and circulatory forces [[0, g], [-g, 0]]: w'' + c w' + (k - i g) w = 0, so that
 * w = exp(-c t/2) cos(omega t) + ..., omega^2 = k - i g - c^2/4. */
static double complex closed(double c, double k, double g, double complex w0, double complex v0, double t) {
    double complex omega = csqrt(k - I * g - c * c / 4);
    return cexp(-c * t / 2) * (w0 * ccos(omega * t) + (v0 + c / 2 * w0) / omega * csin(omega * t));
}

static void circulatory_forces_and_negative_damping_and_stiffness_move_as_their_closed_form(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        random_source random = random_seed(seed);
        double c = random_between(&random, -0.4, 0.4), k = random_between(&random, -1, 3),
               g = random_between(&random, -0.5, 0.5);
        am_system_def def = am_system_def_default();
        am_matrix *twist = am_matrix_dense(2, 2, (const double[]){0, g, -g, 0}, NULL);
        def.n = 2;
        def.circulatory = twist;
        am_system *system =
            dense_system(def, (const double[]){1, 0, 0, 1}, (const double[]){c, 0, 0, c}, (const double[]){k, 0, 0, k});
        double q[2] = {1, random_between(&random, -1, 1)}, v[2] = {0.3, random_between(&random, -1, 1)};
        am_motion *motion = am_motion_create(system, true, NULL);
        assert_non_null(motion);
        assert_int_equal(am_motion_start(motion, 0, q, v, NULL), AM_OK);
        run_until(motion, 5);
        double complex w = closed(c, k, g, q[0] + I * q[1], v[0] + I * v[1], 5);
        const double *end = am_motion_displacement(motion);
        /* Roundings of a few dozen spans, of what grew to |w| and shrank on its way. */
        double scale = 1e-13 * (cabs(w) + 1);
        assert_near(end[0], creal(w), scale);
        assert_near(end[1], cimag(w), scale);
        am_motion_statistics statistics = am_motion_statistics_get(motion);
        assert_true(statistics.energy_residual <= 1e-13);
        assert_true(fabs(statistics.work_circulatory) > 1e-4 * fabs(g)); /* they do work */
        am_motion_free(motion);
        am_system_free(system);
        am_matrix_free(twist);
    }
}

/* Two coordinates, a compliant contact that rubs on a belt, and all three active forces. */
static am_system *rubbing(uint64_t seed) {
    random_source random = random_seed(seed);
    double K[4], tangent[2] = {1, random_between(&random, -0.3, 0.3)}, normal[2] = {0, -1}, push[2] = {0, 2};
    double damping = random_between(&random, -0.2, 0.2), soft = random_between(&random, -0.3, 1.5);
    const double twist[] = {0, random_between(&random, -1, 1), random_between(&random, -1, 1), 0};
    am_contact_def contact = am_contact_def_default();
    am_load_def load = {.direction = push, .function = am_function_sine(1, 1.3, 0.2)};
    am_system_def def = am_system_def_default();
    load.function.value = 2;
    K[0] = soft, K[1] = K[2] = 0.2, K[3] = 2;
    contact.normal = normal;
    contact.tangent = tangent;
    contact.normal_law = AM_KELVIN_VOIGT;
    contact.contact_stiffness = random_between(&random, 5, 40);
    contact.contact_damping = random_between(&random, 0, 1);
    contact.friction = random_between(&random, 0.1, 0.6);
    contact.surface_velocity = random_between(&random, -0.5, 0.5);
    def.n = 2;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 1;
    def.loads = &load;
    am_matrix *circulatory = am_matrix_dense(2, 2, twist, NULL);
    def.circulatory = circulatory;
    am_system *system = dense_system(def, (const double[]){1, 0, 0, 0.7}, (const double[]){damping, 0, 0, 0.1}, K);
    am_matrix_free(circulatory);
    return system;
}

static void beside_contacts_motion_and_march_agree(void **state) {
    (void)state;
    static const char *const names[] = {"kinetic_energy", "loss_friction", "work_circulatory", "work_loads"};
    for (uint64_t seed = 1; seed <= 12; seed++) {
        am_system *system = rubbing(seed);
        am_motion_options exact = am_motion_options_default();
        am_march_options steps = am_march_options_default();
        am_result *a = am_result_create(NULL), *b = am_result_create(NULL);
        am_error err = {0};
        exact.until = steps.until = 6;
        steps.tolerance = 1e-10;
        if (am_motion_run(system, &exact, a, NULL, &err) || am_march_run(system, &steps, b, NULL, &err))
            fail_msg("structure %d: %s", (int)seed, err.message);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            double value = number(a, names[i]);
            /* march's error grows with the motion; 1e-10 in every step of some hundred */
            assert_near(number(b, names[i]), value, 1e-6 * (fabs(value) + number(a, "kinetic_energy") + 1));
        }
        assert_true(number(a, "energy_residual") <= 1e-12);
        am_result_free(a);
        am_result_free(b);
        am_system_free(system);
    }
}

/* A mass that sticks between springs, with another that negative damping swings up: the state is not for ever. */
static void a_structure_that_swings_up_is_never_said_to_have_come_to_rest(void **state) {
    (void)state;
    double tangent[3] = {1, 0, 0};
    am_contact_def contact = am_contact_def_default();
    am_system_def def = am_system_def_default();
    contact.tangent = tangent;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1);
    contact.friction = 0.5;
    def.n = 3;
    def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = dense_system(def, (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 1},
                                     (const double[]){0.1, 0, 0, 0, -0.3, 0, 0, 0, 0.1},
                                     (const double[]){2, -1, 0, -1, 2, -1, 0, -1, 2});
    for (int late = 0; late < 2; late++) {
        am_motion_options options = am_motion_options_default();
        am_result *result = am_result_create(NULL);
        am_error err = {0};
        options.until = late ? 150 : 1;
        options.displacement = (const double[]){0, 0.01, 0};
        if (am_motion_run(system, &options, result, NULL, &err))
            fail_msg("%s", err.message);
        assert_int_equal(number(result, "state_changes") >= 1, late); /* it breaks loose in the end */
        assert_true(isnan(number(result, "final_for_good")));
        am_result_free(result);
    }
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circulatory_forces_and_negative_damping_and_stiffness_move_as_their_closed_form),
        cmocka_unit_test(beside_contacts_motion_and_march_agree),
        cmocka_unit_test(a_structure_that_swings_up_is_never_said_to_have_come_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
