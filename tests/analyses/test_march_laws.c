/* `march` beside `motion`: friction that depends on speed, and stops, by each of its methods. */
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

static am_speed_friction draw_law(random_source *r) {
    switch (random_index(r, 3)) {
    case 0:
        return (am_speed_friction){.law = "stribeck",
                                   .parameter = {0.5, random_between(r, 0.1, 0.4), random_between(r, 0.2, 1), 1, 0.02}};
    case 1:
        return (am_speed_friction){.law = "hyperbolic", .parameter = {0.5, random_between(r, 0.1, 0.4), 0.5}};
    default: /* no corner within reach: methods with steps are not told where corners are */
        return (am_speed_friction){.law = "falling", .parameter = {0.5, random_between(r, 0.01, 0.05)}};
    }
}

/* Two coordinates: one rubs on a belt, the other meets a stop (compliant, or rigid). */
static am_system *draw(uint64_t seed, bool rigid) {
    random_source r = random_seed(seed);
    double tangent[2] = {1, random_between(&r, -0.4, 0.4)}, normal[2] = {random_between(&r, -0.2, 0.2), -1};
    double push[2] = {0.6, 1.5}, K[4] = {random_between(&r, 1, 3), 0.2, 0.2, random_between(&r, 1, 3)};
    am_contact_def contact[2] = {am_contact_def_default(), am_contact_def_default()};
    am_load_def load = {.direction = push, .function = am_function_sine(1, random_between(&r, 0.8, 1.6), 0.2)};
    am_system_def def = am_system_def_default();
    contact[0].tangent = tangent;
    contact[0].normal_law = AM_HELD;
    contact[0].hold = am_function_constant(random_between(&r, 0.5, 2));
    contact[0].surface_velocity = random_between(&r, -0.6, 0.6);
    contact[0].speed_friction = draw_law(&r);
    contact[1].normal = normal;
    contact[1].gap = 0.4;
    contact[1].normal_law = rigid ? AM_UNILATERAL : AM_KELVIN_VOIGT;
    contact[1].contact_stiffness = rigid ? 0 : random_between(&r, 5, 30);
    contact[1].contact_damping = rigid ? 0 : random_between(&r, 0, 0.5);
    def.n = 2;
    def.contact_count = 2;
    def.contacts = contact;
    def.load_count = 1;
    def.loads = &load;
    return dense_system(def, (const double[]){1, 0, 0, 0.8}, (const double[]){0.1, 0, 0, 0.1}, K);
}

/* The largest relative difference of energies and losses. */
static double disagreement(const am_system *system, am_march_method method, double step) {
    static const char *const names[] = {"kinetic_energy", "loss_friction", "work_loads"};
    am_motion_options exact = am_motion_options_default();
    am_march_options steps = am_march_options_default();
    am_result *a = am_result_create(NULL), *b = am_result_create(NULL);
    am_error err = {0};
    double worst = 0;
    exact.until = steps.until = 5;
    steps.method = method;
    steps.tolerance = 1e-10;
    steps.step = step;
    steps.check = AM_MARCH_CHECK_NO;
    if (am_motion_run(system, &exact, a, NULL, &err) || am_march_run(system, &steps, b, NULL, &err))
        fail_msg("%s", err.message);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double difference = fabs(number(a, names[i]) - number(b, names[i]));
        worst = !(difference <= worst) ? difference : worst;
    }
    double scale = 1 + number(a, "loss_friction") + fabs(number(a, "work_loads"));
    am_result_free(a);
    am_result_free(b);
    return worst / scale;
}

/* 1e-10 in each of some hundred steps. */
static void adaptive_steps_agree_with_motion(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 16; seed++) {
        am_system *system = draw(seed, false);
        assert_near(disagreement(system, AM_MARCH_ADAPTIVE, 0), 0, 1e-7);
        am_system_free(system);
    }
}

/* Switches fall within steps: the error is of the order of the step. */
static void fixed_steps_come_near(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        am_system *soft = draw(seed, false), *rigid = draw(seed, true);
        assert_near(disagreement(soft, AM_MARCH_NEWMARK, 5e-4), 0, 2e-3);
        assert_near(disagreement(rigid, AM_MARCH_MOREAU_JEAN, 5e-4), 0, 5e-3);
        am_system_free(soft);
        am_system_free(rigid);
    }
}

/* A closed stop is called `stick`, as motions do. */
static void states_have_the_names_of_motion(void **state) {
    (void)state;
    const double row[] = {-1}, one[] = {1};
    am_contact_def contact = am_contact_def_default();
    am_load_def load = {.direction = one, .function = am_function_constant(2)};
    am_system_def def = am_system_def_default();
    contact.normal = row;
    contact.normal_law = AM_KELVIN_VOIGT;
    contact.contact_stiffness = 10;
    contact.contact_damping = 1;
    def.n = 1;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 1;
    def.loads = &load;
    am_system *system = dense_system(def, one, one, one);
    am_march_options options = am_march_options_default();
    am_result *result = am_result_create(NULL);
    options.until = 3;
    options.displacement = (const double[]){-1};
    assert_int_equal(am_march_run(system, &options, result, NULL, NULL), AM_OK);
    assert_string_equal(text(result, "final_state"), "stick");
    assert_string_equal(word(table_of(result, "events"), 0, "to"), "stick");
    am_result_free(result);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adaptive_steps_agree_with_motion),
        cmocka_unit_test(fixed_steps_come_near),
        cmocka_unit_test(states_have_the_names_of_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
