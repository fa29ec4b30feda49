/* `attractors` of quasi-static cycles: the paper's examples, agreement with single paths, threads, refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/attractors.h"
#include "amontons/models.h"
#include "amontons/path.h"
#include "cases.h"
#include "errors.h"
#include "math/linear_program.h"
#include "near.h"
#include "node_systems.h"
#include "results.h"

static const double C[4] = {1.25, 0.475, 0.475, 1.3};

static am_system *build(double friction, const double minus[2], const double plus[2], size_t count,
                        const am_nodes_advance *sequence) {
    node_example e;
    node_example_init(&e, 2, paper_A, paper_B, C, friction);
    node_example_rest(&e, minus, plus);
    e.def.advance_count = count;
    e.def.sequence = sequence;
    am_system *system = node_system(&e.def);
    node_example_clear(&e);
    return system;
}

/* gallery/attractors/fig7 and fig8 */
static am_system *example_1(void) {
    static const double minus[2] = {1.6, 0.8}, plus[2] = {-3.0, -6.0};
    static const am_nodes_advance sequence[] = {{0, 1, 0.75}, {1, 1, 3.4}, {0, -1, -0.25}, {1, -1, 0.4}};
    return build(1.0, minus, plus, 4, sequence);
}

static am_system *example_2(void) {
    static const double minus[2] = {1.6, 0.9}, plus[2] = {-1.25, -1.62};
    static const am_nodes_advance sequence[] = {{1, -1, 0.4655}, {0, 1, 1.1175}, {1, -1, -0.2845},
                                                {0, 1, 0.447},   {1, 1, 3.0758}, {0, -1, -0.255}};
    return build(0.98, minus, plus, 6, sequence);
}

static am_result *run(const am_system *system, const am_attractors_options *options, int threads) {
    am_progress progress = {.threads = threads};
    am_result *result = am_result_create(NULL);
    GOOD(am_attractors_run(system, options, result, &progress, err));
    return result;
}

static void two_hundred_random_starts_of_example_1_reach_one_cycle_of_period_2(void **state) {
    (void)state;
    am_system *system = example_1();
    am_attractors_options options = am_attractors_options_default();
    options.count = 200;
    options.method = AM_STARTS_RANDOM;
    am_result *result = run(system, &options, 1);
    const am_table *orbits = am_result_find_table(result, "orbits");
    assert_int_equal(am_table_rows(orbits), 1);
    assert_true(number(result, "starts") == 200.0);
    assert_true(cell(orbits, 0, "cycles") == 2.0);
    assert_true(cell(orbits, 0, "share") == 1.0);
    /* A phase of simultaneous slip. */
    assert_non_null(strstr(word(orbits, 0, "sequence"), "forward,backward"));
    am_result_free(result);
    am_system_free(system);
}

static void example_2_has_two_cycles_one_with_simultaneous_slip_one_with_separation(void **state) {
    (void)state;
    am_system *system = example_2();
    am_attractors_options options = am_attractors_options_default();
    options.count = 300;
    am_result *result = run(system, &options, 2);
    const am_table *orbits = am_result_find_table(result, "orbits");
    assert_true(number(result, "orbits") == 2.0);
    size_t together = 0, open = 0, column = am_table_find_column(orbits, "sequence");
    double shares = 0.0;
    for (size_t i = 0; i < 2; i++) {
        together += strstr(am_table_text(orbits, i, column), "forward,backward") != NULL;
        open += strstr(am_table_text(orbits, i, column), "open") != NULL;
        shares += cell(orbits, i, "share");
    }
    assert_int_equal(together, 1);
    assert_int_equal(open, 1);
    assert_true(fabs(shares - 1.0) <= 1e-15);
    am_result_free(result);
    am_system_free(system);
}

/* May the contacts stick at this position at the first instant? `path` refuses where they may not. */
static bool is_admissible(const am_system *system, const double *v) {
    am_error err = {0};
    am_path_options path = am_path_options_default();
    am_result *single = am_result_create(&err);
    path.position = v;
    path.until = 1e-6;
    path.samples = 0;
    am_status status = am_path_run(system, &path, single, NULL, &err);
    am_result_free(single);
    return status == AM_OK;
}

/* Random starts fill the smallest box around the positions that friction can hold; what that is, a raster of single
 * paths tells. */
static void the_box_of_starts_is_the_smallest_around_what_friction_holds(void **state) {
    (void)state;
    enum { STARTS = 400, RASTER = CASES(80, 40) };
    static const char *const names[2] = {"v1", "v2"};
    for (int example = 1; example <= 2; example++) {
        am_system *system = example == 1 ? example_1() : example_2();
        am_attractors_options options = am_attractors_options_default();
        options.count = STARTS;
        am_result *result = run(system, &options, 2);
        const am_table *starts = table_of(result, "starts");
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, least[2] = {INFINITY, INFINITY},
               most[2] = {-INFINITY, -INFINITY};
        for (size_t r = 0; r < am_table_rows(starts); r++)
            for (size_t i = 0; i < 2; i++) {
                low[i] = fmin(low[i], cell(starts, r, names[i]));
                high[i] = fmax(high[i], cell(starts, r, names[i]));
            }
        for (size_t k = 0; k < RASTER * RASTER; k++) {
            double v[2];
            const size_t at[2] = {k % RASTER, k / RASTER};
            for (size_t i = 0; i < 2; i++) /* a quarter more on every side */
                v[i] = low[i] + (high[i] - low[i]) * (-0.25 + 1.5 * (double)at[i] / (RASTER - 1));
            if (!is_admissible(system, v))
                continue;
            for (size_t i = 0; i < 2; i++) {
                least[i] = fmin(least[i], v[i]);
                most[i] = fmax(most[i], v[i]);
            }
        }
        for (size_t i = 0; i < 2; i++) {
            /* 400 even starts leave a per cent at each end free, the raster may miss a sharp corner by a few steps */
            double tolerance = (high[i] - low[i]) * (0.01 + 4.0 * 1.5 / RASTER);
            assert_near(least[i], low[i], tolerance);
            assert_near(most[i], high[i], tolerance);
        }
        am_result_free(result);
        am_system_free(system);
    }
}

/* Where the contacts are after so many cycles. */
static void walk_cycles(const am_system *system, const double *from, size_t cycles, double *to) {
    am_path_options path = am_path_options_default();
    am_result *result = am_result_create(NULL);
    path.position = from;
    path.cycles = cycles;
    path.samples = 2;
    GOOD(am_path_run(system, &path, result, NULL, err));
    const am_table *samples = table_of(result, "samples");
    to[0] = cell(samples, am_table_rows(samples) - 1, "v1");
    to[1] = cell(samples, am_table_rows(samples) - 1, "v2");
    am_result_free(result);
}

/* The largest multiplier of a cycle is that of differences of paths that begin next to it; in one of the cycles of
 * example 2 a contact opens and closes again. */
static void multipliers_of_cycles_are_those_of_nearby_paths(void **state) {
    (void)state;
    size_t opened = 0, compared = 0;
    for (int trial = 0; trial < 24; trial++) {
        am_system *system = trial % 2 ? example_1() : example_2();
        const double start[2] = {-0.8 + 0.15 * (trial % 12), 0.5 - 0.12 * (trial / 2)};
        am_path_options path = am_path_options_default();
        am_result *result = am_result_create(NULL);
        am_error err = {0};
        path.position = start;
        path.until_repeat = true;
        if (am_path_run(system, &path, result, NULL, &err) == AM_OK) {
            const am_table *cycle = table_of(result, "cycle");
            size_t period = (size_t)number(result, "period_cycles");
            const double v[2] = {cell(cycle, 0, "v1"), cell(cycle, 0, "v2")}, step = 1e-7;
            double back[2], near[2], D[4];
            bool opens = false;
            for (size_t r = 0; r < am_table_rows(cycle); r++)
                opens = opens || strstr(word(cycle, r, "state"), "open");
            walk_cycles(system, v, period, back);
            for (size_t i = 0; i < 2; i++) {
                const double moved[2] = {v[0] + (i == 0 ? step : 0.0), v[1] + (i == 1 ? step : 0.0)};
                walk_cycles(system, moved, period, near);
                D[i] = (near[0] - back[0]) / step;
                D[2 + i] = (near[1] - back[1]) / step;
            }
            double half = 0.5 * (D[0] + D[3]), square = half * half - (D[0] * D[3] - D[1] * D[2]);
            double largest = square >= 0.0 ? fabs(half) + sqrt(square) : sqrt(half * half - square);
            assert_near(fabs(number(result, "multiplier")), largest, 1e-6); /* rounding over the step */
            opened += opens;
            compared++;
        }
        am_result_free(result);
        am_system_free(system);
    }
    assert_true(opened > 0 && compared > opened);
}

/* Every fate of a grid, by a path of its own. */
static void fates_agree_with_single_paths(void **state) {
    (void)state;
    am_system *system = example_2();
    am_error err = {0};
    am_attractors_options options = am_attractors_options_default();
    am_start_axis axes[2] = {{.coordinate = 0, .from = -1.9, .to = 1.8, .count = 9},
                             {.coordinate = 1, .from = -1.4, .to = 1.7, .count = 8}};
    options.axis_count = 2;
    options.axes = axes;
    am_result *result = run(system, &options, 2);
    const am_table *map = am_result_find_table(result, "map"), *orbits = am_result_find_table(result, "orbits");
    assert_int_equal(am_table_rows(map), 72);
    size_t inadmissible = 0;
    for (size_t i = 0; i < am_table_rows(map); i++) {
        const double v[2] = {cell(map, i, "v1"), cell(map, i, "v2")};
        const char *fate = word(map, i, "fate");
        am_path_options path = am_path_options_default();
        am_result *single = am_result_create(&err);
        path.position = v;
        path.until_repeat = true;
        am_status status = am_path_run(system, &path, single, NULL, &err);
        if (strcmp(fate, "inadmissible") == 0) {
            assert_int_equal(status, AM_ERR_INPUT);
            inadmissible++;
        } else {
            assert_int_equal(status, AM_OK);
            size_t orbit = (size_t)cell(map, i, "orbit") - 1;
            /* The same numbers, computed twice. */
            assert_true(number(single, "dissipation") == cell(orbits, orbit, "dissipation") ||
                        fabs(number(single, "dissipation") - cell(orbits, orbit, "dissipation")) <= 1e-12);
            assert_true(number(single, "cycles_to_repeat") == cell(map, i, "cycles"));
        }
        am_result_free(single);
    }
    assert_true(inadmissible > 0 && inadmissible == (size_t)number(result, "inadmissible"));
    am_result_free(result);
    am_system_free(system);
}

static void the_result_does_not_depend_on_the_threads(void **state) {
    (void)state;
    am_system *system = example_2();
    am_attractors_options options = am_attractors_options_default();
    options.count = 100;
    am_result *one = run(system, &options, 1), *four = run(system, &options, 4);
    static const char *const tables[] = {"orbits", "starts"};
    for (size_t k = 0; k < 2; k++) {
        const am_table *a = am_result_find_table(one, tables[k]), *b = am_result_find_table(four, tables[k]);
        assert_int_equal(am_table_rows(a), am_table_rows(b));
        for (size_t i = 0; i < am_table_rows(a); i++)
            for (size_t j = 0; j < am_table_columns(a); j++) {
                if (am_table_column_kind(a, j) == AM_COLUMN_TEXT) {
                    assert_string_equal(am_table_text(a, i, j), am_table_text(b, i, j));
                    continue;
                }
                double x = am_table_number(a, i, j), y = am_table_number(b, i, j);
                assert_true(x == y || (isnan(x) && isnan(y)));
            }
    }
    am_result_free(one);
    am_result_free(four);
    am_system_free(system);
}

/* A weak load shakes down from everywhere: a family of states that remember their start. */
static void states_that_remember_their_start_are_one_family(void **state) {
    (void)state;
    static const double minus[2] = {4.0, 4.0}, plus[2] = {-4.0, -4.0};
    static const am_nodes_advance sequence[] = {{0, 1, -3.5}, {1, -1, 3.5}};
    am_system *system = build(0.5, minus, plus, 2, sequence);
    am_attractors_options options = am_attractors_options_default();
    options.count = 50;
    am_result *result = run(system, &options, 1);
    const am_table *orbits = am_result_find_table(result, "orbits");
    assert_int_equal(am_table_rows(orbits), 1);
    assert_true(cell(orbits, 0, "memory") == 2.0);
    assert_true(cell(orbits, 0, "slip") == 0.0);
    am_result_free(result);
    am_system_free(system);
}

static void starts_that_make_no_sense_are_refused(void **state) {
    (void)state;
    am_system *system = example_1();
    const am_start_range nowhere = {.coordinate = 0, .low = 100.0, .high = 101.0}, speed = {.velocity = true};
    const struct {
        const am_start_range *range;
        const char *word;
    } cases[] = {{&nowhere, "admissible"}, {&speed, "velocities"}};
    for (size_t i = 0; i < 2; i++) {
        am_attractors_options options = am_attractors_options_default();
        am_error err = {0};
        am_result *result = am_result_create(&err);
        options.count = 3;
        options.ranges = cases[i].range;
        options.range_count = 1;
        assert_int_equal(am_attractors_run(system, &options, result, NULL, &err), AM_ERR_INPUT);
        assert_says(&err, cases[i].word);
        am_result_free(result);
    }
    am_system_free(system);
}

/* The box of admissible starts comes from linear programs. */
static void without_clp_starts_need_a_box(void **state) {
    (void)state;
    am_system *system = example_1();
    am_attractors_options options = am_attractors_options_default();
    am_error err = {0};
    am_result *result = am_result_create(&err);
    options.count = 20;
    assert_int_equal(am_attractors_run(system, &options, result, NULL, &err), AM_ERR_UNSUPPORTED);
    assert_string_equal(err.field, "starts");
    assert_says(&err, "give the starts a box, or install CLP (Debian: coinor-libclp-dev) and build again");
    am_result_free(result);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest always[] = {
        cmocka_unit_test(multipliers_of_cycles_are_those_of_nearby_paths),
        cmocka_unit_test(fates_agree_with_single_paths),
        cmocka_unit_test(starts_that_make_no_sense_are_refused),
    };
    const struct CMUnitTest with[] = {
        cmocka_unit_test(the_box_of_starts_is_the_smallest_around_what_friction_holds),
        cmocka_unit_test(two_hundred_random_starts_of_example_1_reach_one_cycle_of_period_2),
        cmocka_unit_test(example_2_has_two_cycles_one_with_simultaneous_slip_one_with_separation),
        cmocka_unit_test(the_result_does_not_depend_on_the_threads),
        cmocka_unit_test(states_that_remember_their_start_are_one_family),
    };
    const struct CMUnitTest without[] = {cmocka_unit_test(without_clp_starts_need_a_box)};
    int failures = cmocka_run_group_tests(always, NULL, NULL);
    return failures + (am_linear_program_available() ? cmocka_run_group_tests(with, NULL, NULL)
                                                     : cmocka_run_group_tests(without, NULL, NULL));
}
