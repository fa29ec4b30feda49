/* Fixed-step switching, imitated: it gives the attractors of Vielsack and Kirillowa (1997, Figs. 3-7), and with enough
 * bisections the exact motion. Stroboscopic sections of a motion. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "amontons/motion.h"
#include "errors.h"
#include "near.h"
#include "reference.h"
#include "results.h"
#include "steps.h"

typedef struct start {
    double q[2], v[2];
} start;
static const start start_41 = {{7.5, 10}, {-1, -1}}, start_42 = {{0, 0}, {0.5, -1}};

static am_system *build(const plain_system *plain) {
    am_error err = {0};
    am_system *system = plain_system_create(plain, &err);
    if (!system)
        print_error("%s\n", err.message);
    assert_non_null(system);
    return system;
}

static am_system *rod(void) {
    am_error err = {0};
    am_rod model = am_rod_default();
    model.alpha = 0.5;
    am_system *system = am_rod_create(&model, &err);
    assert_non_null(system);
    return system;
}

static am_motion *begin(const am_system *system, const start *from, double step, size_t bisections) {
    am_error err = {0};
    am_motion *motion = am_motion_create(system, false, &err);
    assert_non_null(motion);
    assert_int_equal(am_motion_imitate(motion, step, bisections, &err), AM_OK);
    assert_int_equal(am_motion_start(motion, 0, from->q, from->v, &err), AM_OK);
    return motion;
}

/* Times between the moments at which node 2 sets off, in the last tenth of 50,000 time units. */
typedef struct pace {
    double mean, least, most;
    bool node_1_sticks;
} pace;

static pace long_run(const start *from, double step, size_t bisections) {
    am_system *system = rod();
    am_motion *motion = begin(system, from, step, bisections);
    pace result = {.least = INFINITY, .most = -INFINITY};
    double first = NAN, last = NAN;
    size_t count = 0;
    while (next_step(motion, 50000) != AM_STEP_END)
        for (size_t i = 0; i < am_motion_switches(motion); i++) {
            const am_switch *s = am_motion_switch(motion, i);
            double t = am_motion_time(motion);
            if (t < 45000)
                continue;
            result.node_1_sticks |= s->contact == 0 && s->to == AM_STICK;
            if (s->contact != 1 || s->from != AM_STICK)
                continue;
            if (count++ == 0)
                first = t;
            else {
                result.least = fmin(result.least, t - last);
                result.most = fmax(result.most, t - last);
            }
            last = t;
        }
    result.mean = (last - first) / (double)(count - 1);
    am_motion_free(motion);
    am_system_free(system);
    return result;
}

/* Fig. 2: node 2 sets off once in the period of a, 2.2365, once in that of b, 7.9012, twice in that of c, 15.6374. */

static void steps_of_1_lead_to_none_of_the_periodic_motions(void **unused) {
    (void)unused;
    pace fig3 = long_run(&start_41, 1.0, 0);
    assert_true(fig3.node_1_sticks); /* it does in none of the three */
    assert_near(fig3.mean, 35.0 / 6.0, 0.01);
}

static void steps_of_a_tenth_lead_to_motion_a_on_an_average(void **unused) {
    (void)unused;
    pace fig4 = long_run(&start_41, 0.1, 0);
    assert_false(fig4.node_1_sticks);
    assert_near(fig4.mean, 2.2365, 0.02); /* each switch is 0.05 late on an average, each period a little longer */
    assert_near(fig4.least, 2.2, 1e-9);
    assert_near(fig4.most, 2.3, 1e-9);
}

static void steps_of_a_hundredth_lead_to_motion_a(void **unused) {
    (void)unused;
    pace fig5 = long_run(&start_41, 0.01, 0);
    assert_near(fig5.mean, 2.2365, 0.002);
    assert_near(fig5.least, 2.23, 1e-9);
    assert_near(fig5.most, 2.24, 1e-9);
}

static void ten_bisections_lead_to_motion_c(void **unused) {
    (void)unused;
    pace fig6 = long_run(&start_41, 0.01, 10), exact = long_run(&start_41, 0, 0);
    /* An odd number of the two alternating intervals differs from the mean by a 600th of their difference. */
    assert_near(exact.mean, 15.6374 / 2, 0.004);
    assert_near(exact.least + exact.most, 15.6374, 0.001); /* not yet there: it is a slow spiral */
    assert_true(exact.most - exact.least > 2);
    assert_near(fig6.mean, exact.mean, 0.004);
    assert_near(fig6.least, exact.least, 0.001);
    assert_near(fig6.most, exact.most, 0.001);
}

static void the_second_start_leads_to_motion_a_either_way(void **unused) {
    (void)unused;
    pace fig7 = long_run(&start_42, 0.1, 10), exact = long_run(&start_42, 0, 0);
    assert_near(exact.mean, 2.2365, 5e-5);
    assert_near(exact.most - exact.least, 0, 1e-9); /* differences of times near 50,000 */
    assert_near(fig7.mean, exact.mean, 1e-4);       /* of the size of the last bracket, 0.1/1024 */
}

/* ---- the imitation itself ---- */

static void bisected_to_rounding_it_is_the_exact_motion(void **unused) {
    (void)unused;
    am_system *system = rod();
    am_motion *exact = begin(system, &start_42, 0, 0), *fixed = begin(system, &start_42, 0.01, 60);
    for (size_t events = 0; events < 40;) {
        while (next_step(exact, 1000) == AM_STEP_SPAN) /* spans differ, events must not */
            ;
        while (next_step(fixed, 1000) == AM_STEP_SPAN)
            ;
        assert_int_equal(am_motion_switches(exact), am_motion_switches(fixed));
        events++;
        /* a switch is one or two roundings of the time late; nothing in this motion amplifies them much */
        assert_near(am_motion_time(fixed), am_motion_time(exact), 1e-9);
        for (size_t i = 0; i < 2; i++)
            assert_near(am_motion_velocity(fixed)[i], am_motion_velocity(exact)[i], 1e-8);
    }
    am_motion_free(exact);
    am_motion_free(fixed);
    am_system_free(system);
}

/* A mass on a spring of stiffness 1 and a plane with friction 1 under N = 1/2, released at 2: stops at -1 at t = pi,
 * moves back to 0 and stops for good at t = 2 pi. */
static am_system *released_mass(void) {
    plain_system plain = plain_system_new(2, 1);
    plain.stiffness[0] = plain.stiffness[3] = 1; /* the second coordinate only carries the normal force */
    plain.contact[0].normal[1] = 1;
    plain.contact[0].tangent[0] = 1;
    plain.contact[0].friction = 1;
    plain.contact[0].normal_law = AM_HELD;
    plain.contact[0].hold = (am_function){.kind = AM_FUNCTION_CONSTANT, .value = 0.5};
    return build(&plain);
}

static void switches_come_at_the_end_of_the_step_or_of_the_last_bracket(void **unused) {
    (void)unused;
    const double pi = acos(-1);
    const struct {
        double step;
        size_t bisections;
    } all[] = {{0.25, 0}, {0.25, 3}, {1, 0}, {1, 5}, {5, 0}, {5, 4}};
    am_system *system = released_mass();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const start from = {{2, 0}, {0, 0}};
        am_motion *motion = begin(system, &from, all[i].step, all[i].bisections);
        double bracket = all[i].step / (double)(1 << all[i].bisections);
        while (next_step(motion, 100) == AM_STEP_SPAN)
            ;
        double late = bracket * ceil(pi / bracket);
        assert_near(am_motion_time(motion), late, 1e-12);
        assert_near(am_motion_displacement(motion)[0], 0.5 + 1.5 * cos(late), 1e-12); /* exact in between */
        assert_near(am_motion_velocity(motion)[0], 0, 1e-12);                         /* put at rest */
        am_motion_free(motion);
    }
    am_system_free(system);
}

static void a_switch_that_is_undone_within_a_step_is_missed(void **unused) {
    (void)unused;
    am_system *system = released_mass();
    const start from = {{2, 0}, {0, 0}};
    am_motion *motion = begin(system, &from, 7, 0);
    next_step(motion, 7);
    while (am_motion_time(motion) < 7)
        next_step(motion, 7);
    assert_near(am_motion_displacement(motion)[0], 0.5 + 1.5 * cos(7.0), 1e-12); /* as if friction never turned round */
    am_motion_free(motion);
    am_system_free(system);
}

static void asking_in_pieces_changes_nothing(void **unused) {
    (void)unused;
    am_system *system = rod();
    am_motion *whole = begin(system, &start_41, 0.3, 2), *pieces = begin(system, &start_41, 0.3, 2);
    while (next_step(whole, 50) != AM_STEP_END)
        ;
    for (int i = 1; i <= 500; i++)
        while (next_step(pieces, 0.1 * i) != AM_STEP_END)
            ;
    for (size_t i = 0; i < 2; i++)
        assert_near(am_motion_displacement(pieces)[i], am_motion_displacement(whole)[i], 1e-9);
    am_motion_free(whole);
    am_motion_free(pieces);
    am_system_free(system);
}

static void a_mass_that_fell_too_far_is_put_on_the_plane(void **unused) {
    (void)unused;
    plain_system plain = plain_system_new(2, 1);
    plain.contact[0].normal[1] = plain.contact[0].tangent[0] = 1;
    plain.contact[0].friction = 0.1;
    plain.loads = 1;
    plain.load[0].direction[1] = -1;
    plain.load[0].function = (am_function){.kind = AM_FUNCTION_CONSTANT, .value = 1};
    am_system *system = build(&plain);
    const start from = {{0, 2}, {1, 0}}; /* meets the plane at t = 2 */
    am_motion *motion = begin(system, &from, 0.75, 0);
    while (next_step(motion, 3) == AM_STEP_SPAN)
        ;
    assert_near(am_motion_time(motion), 2.25, 1e-12);
    assert_near(am_motion_displacement(motion)[1], 0, 1e-12);
    assert_near(am_motion_velocity(motion)[1], 0, 1e-12);
    assert_int_equal(am_motion_states(motion)[0], AM_FORWARD);
    am_motion_free(motion);
    am_system_free(system);
}

static void a_break_of_the_loads_ends_a_step(void **unused) {
    (void)unused;
    plain_system plain = plain_system_new(1, 0);
    plain.stiffness[0] = 1;
    plain.loads = 1;
    plain.load[0].direction[0] = 1;
    plain.load[0].function = (am_function){.kind = AM_FUNCTION_TABLE, .count = 3};
    memcpy(plain.load[0].times, (double[]){0, 1.1, 2.2}, 3 * sizeof(double));
    memcpy(plain.load[0].values, (double[]){0, 2, 0}, 3 * sizeof(double));
    am_system *system = build(&plain);
    const start from = {{0, 0}, {0, 0}};
    am_motion *exact = begin(system, &from, 0, 0), *fixed = begin(system, &from, 0.4, 1);
    while (next_step(exact, 5) != AM_STEP_END)
        ;
    while (next_step(fixed, 5) != AM_STEP_END)
        ;
    assert_near(am_motion_displacement(fixed)[0], am_motion_displacement(exact)[0], 1e-12);
    am_motion_free(exact);
    am_motion_free(fixed);
    am_system_free(system);
}

static void what_it_is_not_made_for_is_refused(void **unused) {
    (void)unused;
    am_error err = {0};
    am_system *system = rod();
    am_motion *motion = am_motion_create(system, false, &err);
    assert_int_equal(am_motion_imitate(motion, -1, 0, &err), AM_ERR_INPUT);
    assert_int_equal(am_motion_imitate(motion, NAN, 0, &err), AM_ERR_INPUT);
    assert_int_equal(am_motion_imitate(motion, 1, 100000, &err), AM_ERR_INPUT);
    assert_int_equal(am_motion_follow_sensitivity(motion, true, &err), AM_OK);
    assert_int_equal(am_motion_imitate(motion, 1, 0, &err), AM_ERR_UNSUPPORTED);
    assert_int_equal(am_motion_follow_sensitivity(motion, false, &err), AM_OK);
    assert_int_equal(am_motion_imitate(motion, 1, 0, &err), AM_OK);
    assert_int_equal(am_motion_follow_sensitivity(motion, true, &err), AM_ERR_UNSUPPORTED);
    am_motion_free(motion);
    am_system_free(system);
}

/* ---- am_motion_run ---- */

static am_result *run(const am_system *system, const am_motion_options *options) {
    am_result *result = am_result_create(NULL);
    GOOD(am_motion_run(system, options, result, NULL, err));
    return result;
}

static void the_summary_says_that_such_a_motion_is_not_exact(void **unused) {
    (void)unused;
    am_system *system = rod();
    am_motion_options options = am_motion_options_default();
    options.until = 100;
    options.displacement = start_41.q;
    options.velocity = start_41.v;
    am_result *result = run(system, &options);
    assert_true(number(result, "exact") == 1);
    assert_null(am_result_find(result, "switching_step"));
    am_result_free(result);
    options.switching_step = 0.5;
    options.switching_bisections = 2;
    result = run(system, &options);
    assert_true(number(result, "exact") == 0);
    assert_true(number(result, "switching_step") == 0.5);
    assert_true(number(result, "switching_bisections") == 2);
    assert_true(number(result, "energy_residual") > 1e-9); /* the balance shows what it costs */
    am_result_free(result);
    am_system_free(system);
}

static void the_section_has_the_points_of_the_motion(void **unused) {
    (void)unused;
    am_system *system = rod();
    am_motion_options options = am_motion_options_default();
    options.until = 50;
    options.displacement = start_41.q;
    options.velocity = start_41.v;
    options.samples = 51;
    options.section_interval = 1;
    options.section_from = -7; /* points before the start are left out */
    am_result *result = run(system, &options);
    const am_table *samples = am_result_find_table(result, "samples"),
                   *section = am_result_find_table(result, "section");
    assert_int_equal(am_table_rows(section), 51);
    for (size_t row = 0; row < 51; row++)
        for (size_t column = 0; column < 5; column++) /* t, xi1, xi2, v1, v2 */
            assert_near(am_table_number(section, row, column), am_table_number(samples, row, column), 1e-12);
    am_result_free(result);
    am_system_free(system);
}

static void tables_begin_where_they_are_told_to(void **unused) {
    (void)unused;
    am_system *system = rod();
    am_motion_options options = am_motion_options_default();
    options.until = 50;
    options.displacement = start_41.q;
    options.velocity = start_41.v;
    options.samples = 11;
    am_result *all = run(system, &options);
    options.record_from = 30;
    am_result *late = run(system, &options);
    const am_table *a = am_result_find_table(all, "events"), *b = am_result_find_table(late, "events");
    size_t skip = am_table_rows(a) - am_table_rows(b);
    assert_true(skip > 0 && am_table_rows(b) > 0);
    assert_true(am_table_number(a, skip - 1, 0) < 30 && am_table_number(b, 0, 0) >= 30);
    assert_true(am_table_number(a, skip, 0) == am_table_number(b, 0, 0));
    assert_near(am_table_number(am_result_find_table(late, "samples"), 0, 0), 30, 0);
    assert_near(am_table_number(am_result_find_table(late, "samples"), 1, 0), 32, 1e-12);
    assert_true(number(all, "state_changes") == number(late, "state_changes"));
    am_result_free(all);
    am_result_free(late);
    am_system_free(system);
}

static void sections_and_tables_that_make_no_sense_are_refused(void **unused) {
    (void)unused;
    am_error err = {0};
    am_system *system = rod();
    am_result *result = am_result_create(&err);
    am_motion_options options = am_motion_options_default();
    options.until = 50;
    options.section_interval = 1e-9;
    assert_int_equal(am_motion_run(system, &options, result, NULL, &err), AM_ERR_INPUT);
    options.section_interval = -1;
    assert_int_equal(am_motion_run(system, &options, result, NULL, &err), AM_ERR_INPUT);
    options.section_interval = 0;
    options.record_from = 60;
    assert_int_equal(am_motion_run(system, &options, result, NULL, &err), AM_ERR_INPUT);
    am_result_free(result);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_1_lead_to_none_of_the_periodic_motions),
        cmocka_unit_test(steps_of_a_tenth_lead_to_motion_a_on_an_average),
        cmocka_unit_test(steps_of_a_hundredth_lead_to_motion_a),
        cmocka_unit_test(ten_bisections_lead_to_motion_c),
        cmocka_unit_test(the_second_start_leads_to_motion_a_either_way),
        cmocka_unit_test(bisected_to_rounding_it_is_the_exact_motion),
        cmocka_unit_test(switches_come_at_the_end_of_the_step_or_of_the_last_bracket),
        cmocka_unit_test(a_switch_that_is_undone_within_a_step_is_missed),
        cmocka_unit_test(asking_in_pieces_changes_nothing),
        cmocka_unit_test(a_mass_that_fell_too_far_is_put_on_the_plane),
        cmocka_unit_test(a_break_of_the_loads_ends_a_step),
        cmocka_unit_test(what_it_is_not_made_for_is_refused),
        cmocka_unit_test(the_summary_says_that_such_a_motion_is_not_exact),
        cmocka_unit_test(the_section_has_the_points_of_the_motion),
        cmocka_unit_test(tables_begin_where_they_are_told_to),
        cmocka_unit_test(sections_and_tables_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
