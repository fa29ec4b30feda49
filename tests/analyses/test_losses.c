/* Work and losses are the same quantities in every analysis that reports them. */
#include <math.h>

#include "amontons/march.h"
#include "amontons/motion.h"
#include "cases.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "results.h"

static am_result *created(void) {
    am_result *result = NULL;
    GOOD((result = am_result_create(err)) ? AM_OK : AM_ERR_MEMORY);
    return result;
}

static am_result *moved(const am_system *system, const double *q, const double *v, double until) {
    am_motion_options options = am_motion_options_default();
    options.until = until;
    options.displacement = q;
    options.velocity = v;
    am_result *result = created();
    am_error err = {0};
    if (am_motion_run(system, &options, result, NULL, &err) == AM_OK)
        return result;
    am_result_free(result); /* a random structure may have no motion that goes on (Painlevé) */
    return NULL;
}

static am_result *marched(const am_system *system, const double *q, const double *v, double until) {
    am_march_options options = am_march_options_default();
    options.until = until;
    options.displacement = q;
    options.velocity = v;
    options.method = AM_MARCH_MOREAU_JEAN;
    options.step = 2e-4;
    options.check = false;
    am_result *result = created();
    GOOD(am_march_run(system, &options, result, NULL, err));
    return result;
}

/* Of Moreau and Jean's steps the error is of first order, and one of the loads within the steps that hold impacts: with
 * 1e4 steps a part in a hundred is ample, while friction within impacts counted as sliding would be a third and more.
 */
static void time_stepping_and_exact_switching_count_the_same_losses(void **state) {
    (void)state;
    static const char *const names[] = {"work_loads", "work_surface", "loss_damping", "loss_friction", "loss_impact"};
    int compared = 0, impacts = 0;
    double rubbed_in_impacts = 0.0;
    for (uint64_t seed = 1; seed <= CASES(30, 8); seed++) {
        random_options options = random_options_default(4, 2);
        options.static_kinetic = 0.0;
        options.piecewise = false;
        options.held = 0.2;
        options.belt = 0.5;
        plain_system plain;
        double q[PLAIN_SIZE], v[PLAIN_SIZE];
        random_system(seed, &options, &plain, q, v);
        am_system *system = NULL;
        GOOD((system = plain_system_create(&plain, err)) ? AM_OK : AM_ERR_MEMORY);
        am_result *exact = moved(system, q, v, 2.0);
        am_result *stepped = exact ? marched(system, q, v, 2.0) : NULL;
        if (exact && number(exact, "impacts") == number(stepped, "impacts")) { /* else they went different ways */
            double size = 0.0;
            for (size_t i = 0; i < 5; i++)
                size += fabs(number(exact, names[i])); /* may be nothing: rounding is added */
            for (size_t i = 0; i < 5; i++)
                assert_near(number(stepped, names[i]), number(exact, names[i]), 0.01 * size + 1e-12);
            assert_near(number(stepped, "loss_contact"), 0.0, 0.0);
            impacts += (int)number(exact, "impacts");
            rubbed_in_impacts += number(exact, "loss_impact");
            compared++;
        }
        if (exact)
            am_result_free(stepped);
        am_result_free(exact);
        am_system_free(system);
    }
    assert_true(compared >= CASES(15, 3) && impacts >= CASES(20, 3) && rubbed_in_impacts > 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(time_stepping_and_exact_switching_count_the_same_losses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
