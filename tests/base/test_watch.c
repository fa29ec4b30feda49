/* Work that is stopped in the midst of its loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "amontons/amontons.h"
#include "base/watch.h"
#include "errors.h"

typedef struct patience {
    size_t left, asked;
} patience;

/* Wanted until it was asked so many times. */
static bool wanted(void *context, double fraction) {
    (void)fraction;
    patience *p = context;
    p->asked++;
    return p->asked <= p->left;
}

static void nobody_asks_where_nobody_watches(void **state) {
    (void)state;
    for (int i = 0; i < 100; i++)
        assert_int_equal(am_watch_spend(1e9, NULL), AM_OK);
}

static void loops_learn_that_they_are_not_wanted(void **state) {
    (void)state;
    am_error err = {0};
    patience p = {.left = 3};
    am_progress progress = {.report = wanted, .context = &p};
    am_watch watch, inner;
    am_watch_begin(&watch, &progress);
    am_watch_begin(&inner, NULL); /* work inside that has no progress of its own */
    size_t passed = 0;
    while (passed < 100000000 && am_watch_spend(1e3, &err) == AM_OK)
        passed++;
    assert_int_equal(err.status, AM_ERR_INTERRUPTED);
    assert_in_range(passed, 1000, 100000); /* asked now and then, not every time, and soon */
    assert_int_equal(p.asked, 4);
    assert_int_equal(am_watch_end(&inner, AM_OK, &err), AM_ERR_INTERRUPTED);
    /* who swallowed it has no result nevertheless */
    assert_int_equal(am_watch_end(&watch, AM_OK, &err), AM_ERR_INTERRUPTED);
    assert_null(am_watch_here());
}

static void work_apart_is_stopped_alone(void **state) {
    (void)state;
    patience p = {0};
    am_progress progress = {.report = wanted, .context = &p};
    am_watch watch, apart;
    am_watch_begin(&watch, NULL);
    am_watch_apart(&apart, &progress);
    assert_int_equal(am_watch_spend(1e9, NULL), AM_ERR_INTERRUPTED);
    assert_int_equal(am_watch_end(&apart, AM_OK, NULL), AM_ERR_INTERRUPTED);
    assert_int_equal(am_watch_end(&watch, AM_OK, NULL), AM_OK);
}

static am_system *oscillator(double Omega) {
    am_error err = {0};
    am_oscillator model = {.beta = 0.51, .Omega = Omega};
    am_system *system = am_oscillator_create(&model, &err);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

/* Not one return is finished when it is stopped. */
static void an_orbit_is_stopped_within_a_return(void **state) {
    (void)state;
    am_error err = {0};
    patience p = {.left = 5};
    am_progress progress = {.report = wanted, .context = &p};
    am_system *system = oscillator(1e-8);
    am_result *result = am_result_create(&err);
    am_orbit_options options = am_orbit_options_default();
    assert_int_equal(am_orbit_run(system, &options, result, &progress, &err), AM_ERR_INTERRUPTED);
    assert_in_range(p.asked, 6, 7);
    am_result_free(result);
    am_system_free(system);
}

static void a_motion_is_kept_until_it_was_stopped(void **state) {
    (void)state;
    am_error err = {0};
    patience p = {.left = 5};
    am_progress progress = {.report = wanted, .context = &p};
    am_system *system = oscillator(0.47);
    am_result *result = am_result_create(&err);
    am_motion_options options = am_motion_options_default();
    options.until = 1e7;
    options.max_events = (size_t)1 << 40;
    assert_int_equal(am_motion_run(system, &options, result, &progress, &err), AM_ERR_INTERRUPTED);
    assert_says(&err, "interrupted at t = ");
    const am_scalar *mark = am_result_find(result, "interrupted"), *end = am_result_find(result, "t_end");
    assert_non_null(mark);
    assert_true(mark->number == 1.0);
    assert_non_null(end);
    assert_true(end->number > 0.0 && end->number < 1e7);
    assert_true(am_table_rows(am_result_find_table(result, "events")) > 0);
    am_result_free(result);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_asks_where_nobody_watches),      cmocka_unit_test(loops_learn_that_they_are_not_wanted),
        cmocka_unit_test(work_apart_is_stopped_alone),           cmocka_unit_test(an_orbit_is_stopped_within_a_return),
        cmocka_unit_test(a_motion_is_kept_until_it_was_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
