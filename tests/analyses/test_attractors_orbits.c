/* Attractors that are orbits: which there are, each once, from where, for any number of threads. */
/* ctest: long */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/attractors.h"
#include "amontons/models.h"
#include "amontons/motion.h"
#include "analyses/attractors/starts.h"
#include "analyses/attractors/survey.h"
#include "analyses/orbit/set.h"
#include "belt_chain.h"
#include "cases.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "results.h"

static am_system *rod(double alpha, size_t elements) {
    am_error err = {0};
    am_rod r = am_rod_default();
    r.alpha = alpha;
    r.elements = elements;
    am_system *system = am_rod_create(&r, &err);
    if (!system)
        print_error("%s\n", err.message);
    assert_non_null(system);
    return system;
}

static am_attractors_options points(size_t count) {
    am_attractors_options options = am_attractors_options_default();
    options.count = count;
    return options;
}

static am_result *run(const am_system *system, const am_attractors_options *options, int threads) {
    am_progress progress = {.threads = threads};
    am_result *result = am_result_create(NULL);
    GOOD(am_attractors_run(system, options, result, &progress, err));
    return result;
}

/* ---- the rod ---- */

/* Vielsack and Kirillowa's three motions at alpha = 0.5 (Fig. 2; their digits): a and c attract, b does not; and there
 * is one they do not have. The order of the table is stable ones by period, then unstable ones. */
static void the_rod_at_one_half_has_the_papers_motions_of_which_one_is_unstable(void **state) {
    (void)state;
    if (CASES(0, 1))
        skip(); /* numbers; any number of threads, below, goes the same ways under the sanitizers */
    am_system *system = rod(0.5, 2);
    am_attractors_options options = points(600); /* fewer seldom meet all basins */
    options.search_unstable = true;
    options.borders = 4;
    am_result *result = run(system, &options, 2);
    assert_int_equal(number(result, "starts"), options.count);
    assert_int_equal(number(result, "orbits"), 3);
    assert_true(number(result, "unstable_orbits") >= 1);
    assert_near(cell(table_of(result, "orbits"), 0, "period"), 2.2365, 5e-5);
    assert_near(cell(table_of(result, "orbits"), 1, "period"), 15.6374, 5e-5);
    assert_near(cell(table_of(result, "orbits"), 2, "period"), 23.5259, 5e-5);
    bool b = false;
    for (size_t i = 3; i < rows(result, "orbits"); i++) {
        assert_near(cell(table_of(result, "orbits"), i, "stable"), 0.0, 0.0);
        assert_true(cell(table_of(result, "orbits"), i, "multiplier") > 1);
        assert_true(cell(table_of(result, "orbits"), i, "share") == 0);
        if (fabs(cell(table_of(result, "orbits"), i, "period") - 7.9012) <= 5e-5)
            b = true;
    }
    assert_true(b);
    double share = 0;
    for (size_t i = 0; i < rows(result, "orbits"); i++) {
        assert_true(cell(table_of(result, "orbits"), i, "closing") <= 1e-12);
        share += cell(table_of(result, "orbits"), i, "share");
    }
    assert_near(share, 1, 1e-12);
    assert_int_equal(number(result, "join_mismatches"), 0);
    am_result_free(result);
    am_system_free(system);
}

/* Energy of a cycle: the belt feeds beta v (w_1 + w_2) = 5 * 1.5 per unit time when a node slides with kinetic friction
 * all the time; over a period of a motion that is periodic in the relative coordinates the mean of the friction force
 * is the same (momentum balance of the clamped rod: the mean spring force). So the loss per period is at least close to
 * 7.5 T, and what static friction adds is of the order of alpha. */
static void the_dissipation_of_a_cycle_is_that_of_steady_sliding_and_a_little_more(void **state) {
    (void)state;
    am_system *system = rod(1, 2);
    am_attractors_options options = points(60);
    am_result *result = run(system, &options, 2);
    assert_true(rows(result, "orbits") > 0);
    for (size_t i = 0; i < rows(result, "orbits"); i++) {
        double mean =
            cell(table_of(result, "orbits"), i, "dissipation") / cell(table_of(result, "orbits"), i, "period");
        assert_true(mean > 5 && mean < 10);
    }
    am_result_free(result);
    am_system_free(system);
}

/* Small motions around steady sliding never stick: the relative coordinates are undamped. */
static void small_motions_of_the_rod_slide_for_ever(void **state) {
    (void)state;
    static const am_start_range box[] = {
        {0, false, -0.1, 0.1}, {1, false, -0.1, 0.1}, {0, true, -0.1, 0.1}, {1, true, -0.1, 0.1}};
    am_system *system = rod(0.5, 2);
    am_attractors_options options = points(50);
    options.ranges = box;
    options.range_count = 4;
    am_result *result = run(system, &options, 1);
    assert_int_equal(number(result, "sliding"), 50);
    assert_int_equal(number(result, "orbits"), 0);
    assert_int_equal(rows(result, "orbits"), 0);
    for (size_t i = 0; i < 50; i++)
        assert_string_equal(word(table_of(result, "starts"), i, "fate"), "sliding");
    am_result_free(result);
    am_system_free(system);
}

/* ---- joining ---- */

/* Once a start has met another fate than it was foretold, none that was foretold counts: all of them are run to their
 * end. */
static void what_was_foretold_is_run_again_when_one_start_was_wrong(void **state) {
    (void)state;
    am_system *system = rod(1, 2);
    am_attractors_options options = points(40);
    am_survey survey;
    GOOD(am_survey_init(&survey, system, &options, 1, err));
    GOOD(am_survey_run(&survey, NULL, err));
    assert_true(survey.joined > 5);
    am_fate_kind *kinds = malloc(40 * sizeof *kinds);
    for (size_t i = 0; i < 40; i++)
        kinds[i] = survey.fates[i].kind;
    survey.mismatches = 1;
    GOOD(am_survey_run(&survey, NULL, err));
    assert_int_equal(survey.joined, 0);
    for (size_t i = 0; i < 40; i++) {
        assert_false(survey.fates[i].joined);
        assert_int_equal(survey.fates[i].kind, kinds[i]);
    }
    free(kinds);
    am_survey_clear(&survey);
    am_system_free(system);
}

static void joining_changes_no_fate(void **state) {
    (void)state;
    const double alphas[] = {0.5, 1, 2.5};
    for (size_t a = 0; a < CASES(3, 1); a++) {
        am_system *system = rod(alphas[a], 2);
        am_attractors_options options = points(CASES(300, 60));
        am_result *joined = run(system, &options, 2);
        options.join = false;
        am_result *whole = run(system, &options, 2);
        assert_true(number(joined, "joined") > CASES(100, 10));
        assert_int_equal(number(whole, "joined"), 0);
        assert_int_equal(rows(joined, "orbits"), rows(whole, "orbits"));
        for (size_t i = 0; i < options.count; i++)
            assert_string_equal(word(table_of(joined, "starts"), i, "fate"),
                                word(table_of(whole, "starts"), i, "fate"));
        am_result_free(joined);
        am_result_free(whole);
        am_system_free(system);
    }
}

/* ---- threads and seeds ---- */

static void results_are_the_same_bit_for_bit_for_any_number_of_threads(void **state) {
    (void)state;
    am_system *system = rod(2.5, 2);
    am_attractors_options options = points(CASES(400, 80));
    options.section = 3;
    options.search_unstable = true;
    options.borders = 2;
    am_result *alone = run(system, &options, 1);
    uint64_t wanted = tables_hash(alone);
    am_result_free(alone);
    for (int threads = 2; threads <= 5; threads += CASES(1, 3)) {
        am_result *together = run(system, &options, threads);
        assert_true(tables_hash(together) == wanted);
        am_result_free(together);
    }
    options.seed = 2;
    am_result *other = run(system, &options, 2);
    assert_true(tables_hash(other) != wanted);
    am_result_free(other);
    am_system_free(system);
}

/* ---- chains ---- */

/* One of these chains never repeats: neighbours part, and no start is attracted by an orbit. */
static void a_chaotic_chain_is_aperiodic_with_a_positive_exponent(void **state) {
    (void)state;
    am_system *system = belt_chain_random(20);
    am_attractors_options options = points(6);
    options.most_returns = 1500;
    am_result *result = run(system, &options, 2);
    assert_int_equal(number(result, "aperiodic"), 6);
    assert_int_equal(number(result, "orbits"), 0);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(word(table_of(result, "starts"), i, "fate"), "aperiodic");
        assert_true(cell(table_of(result, "starts"), i, "lyapunov") > 0.001);
    }
    am_result_free(result);
    am_system_free(system);
}

/* ---- forced ---- */

static am_system *oscillator(double beta, double Omega, double xi) {
    am_error err = {0};
    am_oscillator o = am_oscillator_default();
    o.beta = beta;
    o.Omega = Omega;
    o.xi = xi;
    am_system *system = am_oscillator_create(&o, &err);
    if (!system)
        print_error("%s\n", err.message);
    assert_non_null(system);
    return system;
}

static void the_friction_oscillator_has_one_attractor(void **state) {
    (void)state;
    const double Omega[] = {0.09, 0.47, 0.76, 1.4};
    for (size_t i = 0; i < 4; i++) {
        am_system *system = oscillator(0.51, Omega[i], 0);
        am_attractors_options options = points(100);
        am_result *result = run(system, &options, 2);
        assert_int_equal(number(result, "orbits"), 1);
        assert_near(cell(table_of(result, "orbits"), 0, "share"), 1, 0);
        assert_near(cell(table_of(result, "orbits"), 0, "period") * Omega[i], 6.283185307179586, 1e-12);
        assert_true(cell(table_of(result, "orbits"), 0, "multiplier") < 1);
        assert_int_equal(cell(table_of(result, "orbits"), 0, "images"), 1); /* its own mirror image */
        am_result_free(result);
        am_system_free(system);
    }
}

static void mirrors_are_recognised(void **state) {
    (void)state;
    am_system *system = oscillator(0.5, 0.5, 0.1);
    assert_true(am_orbit_mirrors(system));
    am_system_free(system);
    am_oscillator o = am_oscillator_default();
    o.beta = 0.5;
    o.Omega = 0.5;
    o.eta = 0.3; /* the normal force has the period of the load, not half of it */
    system = am_oscillator_create(&o, NULL);
    assert_false(am_orbit_mirrors(system));
    am_system_free(system);
    system = rod(1, 2);
    assert_false(am_orbit_mirrors(system));
    am_system_free(system);
}

/* ---- starts and sections ---- */

static void grids_have_the_first_axis_fastest_and_make_a_map(void **state) {
    (void)state;
    const am_start_axis axes[] = {{.coordinate = 0, .from = -1, .to = 1, .count = 5},
                                  {.coordinate = 1, .velocity = true, .from = -1, .to = 2, .count = 4}};
    const double velocity[] = {0.25, 0};
    am_system *system = rod(2, 2);
    am_attractors_options options = am_attractors_options_default();
    options.axes = axes;
    options.axis_count = 2;
    options.velocity = velocity;
    am_result *result = run(system, &options, 1);
    assert_int_equal(rows(result, "map"), 20);
    for (size_t i = 0; i < 20; i++) {
        assert_near(cell(table_of(result, "map"), i, "xi1"), -1 + 0.5 * (double)(i % 5), 1e-15);
        assert_near(cell(table_of(result, "map"), i, "v2"), -1 + (double)(i / 5), 1e-15);
    }
    am_result_free(result);
    am_system_free(system);
}

static void a_box_can_hold_a_grid(void **state) {
    (void)state;
    static const am_start_range box[] = {{0, false, -1, 1}, {0, true, 0, 3}};
    am_attractors_options options = points(30); /* 5 x 5 */
    options.method = AM_STARTS_GRID;
    options.ranges = box;
    options.range_count = 2;
    am_system *system = rod(2, 2);
    am_starts starts;
    double start[4];
    assert_int_equal(am_starts_init(&starts, system, &options, NULL), AM_OK);
    assert_int_equal(starts.count, 25);
    am_starts_place(&starts, 24, start);
    assert_near(start[0], 1, 0);
    assert_near(start[2], 3, 0);
    assert_near(start[1], 0, 0);
    am_starts_clear(&starts);
    am_system_free(system);
}

/* Centre: steady sliding, which is the origin of the rod's coordinates. */
static void the_default_box_lies_around_steady_sliding(void **state) {
    (void)state;
    am_system *system = rod(0.5, 3);
    double low[6], high[6];
    assert_int_equal(am_starts_default_box(system, low, high, NULL), AM_OK);
    for (size_t i = 0; i < 6; i++) {
        assert_near(low[i] + high[i], 0, 1e-12 * high[i]);
        assert_true(high[i] > 1 && high[i] < 50);
    }
    am_system_free(system);
}

/* The last point on the section is on the orbit as nearly as the start has come, and starts with one fate end in one
 * place. */
static void sections_end_on_the_orbit(void **state) {
    (void)state;
    am_system *system = oscillator(0.51, 0.76, 0);
    am_attractors_options options = points(20);
    options.section = 2;
    options.join = false;
    am_result *result = run(system, &options, 1);
    assert_int_equal(rows(result, "section"), 40);
    for (size_t i = 0; i < 20; i++) {
        assert_int_equal(cell(table_of(result, "section"), 2 * i, "start"), i + 1);
        assert_int_equal(cell(table_of(result, "section"), 2 * i + 1, "return"),
                         cell(table_of(result, "section"), 2 * i, "return") + 1);
        assert_near(cell(table_of(result, "section"), 2 * i + 1, "v"), cell(table_of(result, "section"), 1, "v"), 0.1);
    }
    am_result_free(result);
    am_system_free(system);
}

/* ---- refusals ---- */

static void refused(const am_system *system, const am_attractors_options *options, const char *field,
                    const char *about) {
    am_error err = {0};
    am_result *result = am_result_create(NULL);
    assert_int_equal(am_attractors_run(system, options, result, NULL, &err), AM_ERR_INPUT);
    assert_string_equal(err.field, field);
    if (!strstr(err.message, about)) {
        print_error("'%s' does not speak of '%s'\n", err.message, about);
        fail();
    }
    am_result_free(result);
}

static void wrong_starts_are_refused_by_name(void **state) {
    (void)state;
    static const am_start_range upside_down[] = {{0, false, 1, -1}}, beyond[] = {{5, false, 0, 1}};
    static const am_start_axis axis[] = {{.to = 1, .count = 2}};
    static const double end[4] = {0};
    am_system *system = rod(1, 2);
    am_attractors_options options = am_attractors_options_default();
    refused(system, &options, "starts", "number of points");
    options = points(10);
    options.axes = axis;
    options.axis_count = 1;
    refused(system, &options, "starts", "not both");
    options = points(10);
    options.ranges = upside_down;
    options.range_count = 1;
    refused(system, &options, "starts", "ascending");
    options.ranges = beyond;
    refused(system, &options, "starts", "coordinate 6");
    options = points((size_t)1 << 40);
    refused(system, &options, "starts", "too many");
    options = points(10);
    options.most_period = 0;
    refused(system, &options, "most_period", "most_period");
    options = points(10);
    options.most_returns = 0;
    refused(system, &options, "most_returns", "return");
    options = points(10);
    options.edge_from = options.edge_to = end;
    refused(system, &options, "edge", "orbits");
    am_system_free(system);
}

static void a_structure_without_size_needs_a_box(void **state) {
    (void)state;
    const chain_link loose = {.mass = 1, .spring = 0, .weight = 1, .friction = 0.3, .static_friction = 0.4, .belt = 1};
    am_system *system = belt_chain_create(1, &loose);
    am_attractors_options options = points(10);
    refused(system, &options, "starts", "box");
    am_system_free(system);
}

static bool stop_at_once(void *context, double fraction) {
    (void)context;
    (void)fraction;
    return false;
}

static void interruption_ends_the_work(void **state) {
    (void)state;
    am_system *system = rod(1, 2);
    am_attractors_options options = points(1000);
    am_progress progress = {.report = stop_at_once, .threads = 2};
    am_error err = {0};
    am_result *result = am_result_create(NULL);
    assert_int_equal(am_attractors_run(system, &options, result, &progress, &err), AM_ERR_INTERRUPTED);
    am_result_free(result);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rod_at_one_half_has_the_papers_motions_of_which_one_is_unstable),
        cmocka_unit_test(the_dissipation_of_a_cycle_is_that_of_steady_sliding_and_a_little_more),
        cmocka_unit_test(small_motions_of_the_rod_slide_for_ever),
        cmocka_unit_test(what_was_foretold_is_run_again_when_one_start_was_wrong),
        cmocka_unit_test(joining_changes_no_fate),
        cmocka_unit_test(results_are_the_same_bit_for_bit_for_any_number_of_threads),
        cmocka_unit_test(a_chaotic_chain_is_aperiodic_with_a_positive_exponent),
        cmocka_unit_test(the_friction_oscillator_has_one_attractor),
        cmocka_unit_test(mirrors_are_recognised),
        cmocka_unit_test(grids_have_the_first_axis_fastest_and_make_a_map),
        cmocka_unit_test(a_box_can_hold_a_grid),
        cmocka_unit_test(the_default_box_lies_around_steady_sliding),
        cmocka_unit_test(sections_end_on_the_orbit),
        cmocka_unit_test(wrong_starts_are_refused_by_name),
        cmocka_unit_test(a_structure_without_size_needs_a_box),
        cmocka_unit_test(interruption_ends_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
