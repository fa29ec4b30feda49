/* Parts that a build may lack (docs/dependencies.md): each question that needs one either answers, or says what is
 * missing and how to get it. */
#include <stdbool.h>

#include "amontons/march.h"
#include "amontons/models.h"
#include "amontons/path.h"
#include "amontons/stability.h"
#include "errors.h"
#include "math/sparse.h"

/* What became of a question. */
static void judge(bool available, am_status status, const am_error *err, const char *part, const char *package) {
    if (available) {
        if (status != AM_OK)
            fail_msg("refused: %s", err->message);
        return;
    }
    assert_int_equal(status, AM_ERR_UNSUPPORTED);
    assert_says(err, part);
    assert_says(err, package);
    assert_says(err, "built without");
    assert_says(err, "build again");
}

static void shakedown_answers_or_asks_for_clp(void **state) {
    (void)state;
    static const double axis[2] = {1, 0};
    am_load_def load = {axis, am_function_sine(0.1, 1, 0)};
    am_klarbring mass = am_klarbring_default();
    mass.stiffness[0][0] = mass.stiffness[1][1] = 1;
    mass.friction = 0.25;
    mass.load[1] = -2;
    mass.extra = &load;
    mass.extra_count = 1;
    am_error err = {0};
    am_system *system = am_klarbring_create(&mass, &err);
    am_result *result = am_result_create(&err);
    assert_true(system && result);
    am_shakedown_options options = am_shakedown_options_default();
    am_status status = am_shakedown_run(system, &options, result, NULL, &err);
    judge(am_shakedown_available(), status, &err, "CLP", "coinor-libclp-dev");
    am_result_free(result);
    am_system_free(system);
}

static void adaptive_marching_answers_or_asks_for_sundials(void **state) {
    (void)state;
    am_two_mode model = am_two_mode_default();
    model.contact = AM_HUNT_CROSSLEY;
    am_error err = {0};
    am_system *system = am_two_mode_create(&model, &err);
    am_result *result = am_result_create(&err);
    assert_true(system && result);
    am_march_options options = am_march_options_default();
    options.method = AM_MARCH_ADAPTIVE;
    options.until = 0.1;
    am_status status = am_march_run(system, &options, result, NULL, &err);
    judge(am_march_available(AM_MARCH_ADAPTIVE), status, &err, "SUNDIALS", "libsundials-dev");
    am_result_free(result);
    am_system_free(system);
}

static void squeal_answers_or_asks_for_mumps_and_arpack(void **state) {
    (void)state;
    am_disc_pad model = am_disc_pad_default();
    model.disc.modes = model.pad.modes = 7;
    am_error err = {0};
    am_system *system = am_disc_pad_create(&model, &err);
    am_result *result = am_result_create(&err);
    assert_true(system && result);
    am_squeal_options options = am_squeal_options_default();
    options.modes = 8;
    options.count = 3;
    am_status status = am_squeal_run(system, &options, result, NULL, &err);
    judge(am_squeal_available(), status, &err, "MUMPS and ARPACK", "libmumps-seq-dev, libarpack2-dev");
    am_result_free(result);
    am_system_free(system);
}

static void finite_elements_are_made_or_ask_for_mumps(void **state) {
    (void)state;
    am_blocks rig = am_blocks_default();
    rig.mesh.size = 40;
    am_error err = {0};
    am_system *system = am_blocks_create(&rig, &err);
    judge(am_sparse_available(), err.status, &err, "MUMPS", "libmumps-seq-dev");
    assert_true(!system == !am_sparse_available());
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shakedown_answers_or_asks_for_clp),
        cmocka_unit_test(adaptive_marching_answers_or_asks_for_sundials),
        cmocka_unit_test(squeal_answers_or_asks_for_mumps_and_arpack),
        cmocka_unit_test(finite_elements_are_made_or_ask_for_mumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
