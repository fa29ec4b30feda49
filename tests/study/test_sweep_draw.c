/* Axes that are drawn, and which outputs are kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

#define MODEL                                                                                                          \
    "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.9]}\n"                   \
    "analysis: {kind: motion, until: 1}\n"

static am_run *run_with(const char *text, int threads) {
    am_error err = {0};
    am_progress progress = {.threads = threads};
    am_study *study = read_text(text);
    am_run *made = am_study_run(study, &progress, &err);
    if (!made)
        fail_msg("%s", err.message);
    am_study_free(study);
    return made;
}

static const am_table *table_in(const am_run *made) {
    return table_of(am_run_report(made)->result, "sweep");
}

#define BOTH(draw)                                                                                                     \
    MODEL "sweep:\n  seed: 3\n  axes:\n"                                                                               \
          "    model.friction: {from: 0.1, to: 0.9, count: 64, draw: " draw "}\n"                                      \
          "    model.load_rate.1: {from: -1, to: -0.5, count: 64, draw: " draw "}\n"                                   \
          "  outputs: [state_changes]\n"

static void drawn_points_are_the_same_for_any_number_of_threads(void **state) {
    (void)state;
    static const char *const texts[] = {BOTH("random"), BOTH("sobol")};
    for (size_t i = 0; i < 2; i++) {
        am_run *one = run_with(texts[i], 1), *two = run_with(texts[i], 3);
        const am_table *a = table_in(one), *b = table_in(two);
        assert_int_equal(am_table_rows(a), 64); /* drawn together: not 64 x 64 */
        for (size_t row = 0; row < 64; row++)
            for (size_t column = 0; column < 3; column++)
                assert_true(am_table_number(a, row, column) == am_table_number(b, row, column));
        am_run_free(one);
        am_run_free(two);
    }
}

static void random_points_lie_between_from_and_to_and_are_all_different(void **state) {
    (void)state;
    am_run *made = run_with(BOTH("random"), 1);
    const am_table *table = table_in(made);
    double mean = 0.0;
    for (size_t row = 0; row < 64; row++) {
        double friction = cell(table, row, "model.friction"), rate = cell(table, row, "model.load_rate.1");
        assert_true(friction >= 0.1 && friction <= 0.9 && rate >= -1 && rate <= -0.5);
        assert_true(fabs((friction - 0.1) / 0.8 - (rate + 1) / 0.5) > 1e-9); /* not the same number in both axes */
        for (size_t other = 0; other < row; other++)
            assert_true(cell(table, other, "model.friction") != friction);
        mean += friction / 64;
    }
    assert_near(mean, 0.5, 4 * 0.8 / sqrt(12.0 * 64)); /* four standard deviations of a mean of 64 */
    am_run_free(made);
}

/* Of the first 2^k points of a Sobol sequence every dyadic interval of length 2^-k holds one. */
static void sobol_points_are_spread_evenly(void **state) {
    (void)state;
    am_run *made = run_with(BOTH("sobol"), 1);
    const am_table *table = table_in(made);
    int hits[2][64] = {{0}};
    for (size_t row = 0; row < 64; row++) {
        hits[0][(int)((cell(table, row, "model.friction") - 0.1) / 0.8 * 64)]++;
        hits[1][(int)((cell(table, row, "model.load_rate.1") + 1.0) / 0.5 * 64)]++;
    }
    for (size_t i = 0; i < 64; i++)
        assert_true(hits[0][i] == 1 && hits[1][i] == 1);
    am_run_free(made);
}

static void drawn_logarithmically_every_ratio_gets_its_share(void **state) {
    (void)state;
    am_run *made =
        run_with(MODEL "sweep: {axes: {model.friction: {from: 0.001, to: 0.256, count: 64, draw: sobol, spacing: log}},"
                       " outputs: [state_changes]}\n",
                 1);
    int hits[8] = {0}; /* octaves of 0.001 .. 0.256 */
    for (size_t row = 0; row < 64; row++)
        hits[(int)(log2(cell(table_in(made), row, "model.friction") / 0.001))]++;
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(hits[i], 8);
    am_run_free(made);
}

static void the_seed_chooses_the_points(void **state) {
    (void)state;
    static const char *const draws[] = {"random", "sobol"};
    for (size_t i = 0; i < 2; i++) {
        double first[2];
        for (int seed = 0; seed < 2; seed++) {
            char text_of[600];
            snprintf(text_of, sizeof text_of,
                     MODEL "sweep: {seed: %d, axes: {model.friction: {from: 0, to: 1, count: 4, draw: %s}}}\n", seed,
                     draws[i]);
            am_run *made = run_text(text_of);
            first[seed] = cell(table_in(made), 0, "model.friction");
            am_run_free(made);
        }
        assert_true(first[0] != first[1]);
    }
}

static void drawn_axes_and_grids_are_combined(void **state) {
    (void)state;
    am_run *made = run_with(MODEL "sweep:\n  axes:\n"
                                  "    model.friction: {from: 0.1, to: 0.9, count: 5, draw: random}\n"
                                  "    analysis.until: [1, 2, 3]\n"
                                  "    model.load_rate.1: {from: -1, to: -0.5, count: 5, draw: random}\n"
                                  "  outputs: [state_changes]\n",
                            2);
    const am_table *table = table_in(made);
    assert_int_equal(am_table_rows(table), 15);
    for (size_t row = 0; row < 15; row++) {
        assert_true(cell(table, row, "analysis.until") == (double)(row % 3 + 1));
        assert_true(cell(table, row, "model.friction") == cell(table, row - row % 3, "model.friction"));
        assert_true(cell(table, row, "model.load_rate.1") == cell(table, row - row % 3, "model.load_rate.1"));
    }
    assert_true(cell(table, 0, "model.friction") != cell(table, 3, "model.friction"));
    am_run_free(made);
}

static void a_drawn_point_is_the_study_at_its_values(void **state) {
    (void)state;
    am_run *made = run_with(MODEL "sweep: {axes: {model.friction: {from: 0.1, to: 0.9, count: 4, draw: random}}}\n", 1);
    for (size_t row = 0; row < 4; row++) {
        char value[40];
        am_error err = {0};
        snprintf(value, sizeof value, "%.17g", cell(table_in(made), row, "model.friction"));
        am_study *study = am_study_parse("test.yaml", MODEL, 1, &(am_setting){"model.friction", value}, false, &err);
        am_run *alone = study ? am_study_run(study, NULL, &err) : NULL;
        assert_non_null(alone);
        assert_true(cell(table_in(made), row, "energy_residual") == scalar(alone, "energy_residual"));
        am_run_free(alone);
        am_study_free(study);
    }
    am_run_free(made);
}

/* The share of a square where f < k is its area. */
static void the_mean_of_a_flag_is_its_share(void **state) {
    (void)state;
    am_run *made =
        run_text("model: {kind: klarbring, stiffness: [[1.5, 1], [1, 2]], friction: 0.25, load_rate: [-1, -1]}\n"
                 "analysis: {kind: states, question: uniqueness}\n"
                 "sweep:\n  axes:\n"
                 "    model.friction: {from: 0, to: 2, count: 256, draw: sobol}\n"
                 "    model.stiffness.0.0: {from: 0.6, to: 2, count: 256, draw: sobol}\n"
                 "  outputs: [unique]\n");
    double sum = 0.0;
    for (size_t row = 0; row < 256; row++) {
        double critical = cell(table_in(made), row, "model.stiffness.0.0"); /* k11 / |k12| */
        assert_true(cell(table_in(made), row, "unique") == (cell(table_in(made), row, "model.friction") < critical));
        sum += cell(table_in(made), row, "unique");
    }
    assert_true(scalar(made, "mean_unique") == sum / 256);
    assert_near(scalar(made, "mean_unique"), 0.65, 2.0 / sqrt(256.0) / 4); /* half of what random points would give */
    am_run_free(made);
}

static void grids_have_no_mean(void **state) {
    (void)state;
    am_run *made = run_text(MODEL "sweep: {axes: {model.friction: [0.2, 0.3]}, outputs: [state_changes]}\n");
    assert_null(am_result_find(am_run_report(made)->result, "mean_state_changes"));
    am_run_free(made);
}

static void draws_that_make_no_sense_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *sweep, *says;
    } cases[] = {
        {"sweep: {axes: {model.friction: {from: 0, to: 1, count: 4, draw: sobol}, analysis.until: {from: 1, to: 2, "
         "count: 5, draw: random}}}\n",
         "all need the same count, 4, not 5"},
        {"sweep: {axes: {model.friction: {values: [0, 1], draw: sobol}}}\n", "drawn between from and to"},
        {"sweep: {axes: {model.friction: {from: 0, to: 1, count: 4, draw: dice}}}\n", "dice"},
        {"sweep: {axes: {model.friction: {from: 0, to: 1, count: 4, draw: sobol, spacing: log}}}\n", "positive"},
        {"sweep: {axes: {model.friction: {from: 0, to: 1, draw: sobol}}}\n", "count"},
        {"sweep: {axes: {model.friction: {from: 0, to: 1, count: 3, draw: sobol}, analysis.until: [1, 2]}, over: "
         "analysis.until}\n",
         "over goes along an axis of a grid"},
        {"sweep: {axes: {model.friction: {from: 0, to: 1, count: 3, draw: sobol}}, ratio: model.friction}\n",
         "ratio goes along an axis of a grid"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text_of[800];
        am_error err = {0};
        snprintf(text_of, sizeof text_of, MODEL "%s", cases[i].sweep);
        assert_null(am_study_parse("test.yaml", text_of, 0, NULL, false, &err));
        assert_says(&err, "test.yaml:3:");
        assert_says(&err, cases[i].says);
    }
}

/* ---- outputs ---- */

static void a_star_stands_for_the_rest_of_a_name(void **state) {
    (void)state;
    am_run *all = run_text(MODEL "sweep: {axes: {model.friction: [0.2, 0.3]}}\n");
    am_run *some =
        run_text(MODEL "sweep: {axes: {model.friction: [0.2, 0.3]}, outputs: ['s*', state_changes, 'e*']}\n");
    const am_table *a = table_in(all), *s = table_in(some);
    size_t wanted = 0, later = 0;
    for (size_t c = 1; c + 1 < am_table_columns(a); c++) /* without the axis and `failure` */
        wanted += strchr("se", am_table_column_name(a, c)[0]) != NULL;
    assert_int_equal(am_table_columns(s), wanted + 2); /* nothing twice */
    for (size_t c = 1; c + 1 < am_table_columns(s); c++) {
        const char *name = am_table_column_name(s, c);
        later += name[0] == 'e';
        assert_true(name[0] == (later > 0 ? 'e' : 's')); /* in the order of the list */
        if (am_table_column_kind(s, c) == AM_COLUMN_NUMBER)
            assert_true(cell(s, 1, name) == cell(a, 1, name) || isnan(cell(s, 1, name)));
    }
    assert_true(later > 0 && later < wanted);
    am_run_free(all);
    am_run_free(some);
}

static void a_pattern_that_fits_nothing_is_refused(void **state) {
    (void)state;
    am_error err = {0};
    am_study *study = read_text(MODEL "sweep: {axes: {model.friction: [0.2]}, outputs: ['zz*']}\n");
    assert_null(am_study_run(study, NULL, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_says(&err, "test.yaml:3:");
    assert_says(&err, "zz*");
    am_study_free(study);
}

/* The table `sweep` counted by hand. */
static void samples_have_statistics_probabilities_and_sensitivities(void **state) {
    (void)state;
    am_run *made = run_with(MODEL "sweep:\n  axes:\n"
                                  "    model.friction: {from: 0.1, to: 0.9, count: 64, draw: random}\n"
                                  "    model.load_rate.1: {from: -1, to: -0.5, count: 64, draw: random}\n"
                                  "  outputs: [potential_energy, exact]\n"
                                  "  conditions: {soft: {output: potential_energy, below: 0.005}}\n",
                            1);
    const am_table *table = table_in(made);
    const am_result *result = am_run_report(made)->result;
    const am_table *statistics = table_of(result, "statistics"), *shares = table_of(result, "probabilities");
    double mean = 0.0, low = 0.0;
    for (size_t row = 0; row < 64; row++) {
        mean += cell(table, row, "potential_energy") / 64.0;
        low += cell(table, row, "potential_energy") < 0.005;
    }
    assert_true(low > 0.0 && low < 64.0);
    assert_int_equal(am_table_rows(statistics), 2); /* of the flag, too */
    assert_near(cell(statistics, 0, "mean"), mean, 1e-14);
    assert_int_equal(am_table_rows(shares), 2);
    assert_string_equal(am_table_text(shares, 0, 0), "exact");
    assert_true(cell(shares, 0, "probability") == 1.0 && cell(shares, 0, "high") == 1.0);
    assert_string_equal(am_table_text(shares, 1, 0), "soft");
    assert_true(cell(shares, 1, "probability") == low / 64.0);
    const am_table *sensitivity = table_of(result, "sensitivity");
    assert_int_equal(am_table_rows(sensitivity), 4);
    assert_string_equal(am_table_text(sensitivity, 1, 1), "model.load_rate.1");
    assert_true(isnan(cell(sensitivity, 2, "total"))); /* `exact` does not vary */
    am_run_free(made);
}

/* y = t_end is the number that is drawn, beside one that does nothing to it. */
#define SPREAD(friction, draw)                                                                                         \
    MODEL "sweep:\n  seed: 3\n  outputs: [t_end]\n  conditions: {long: {output: t_end, above: 0.7}}\n  axes:\n"        \
          "    analysis.until: {from: 0.1, to: 0.9, count: 256, draw: " draw "}\n"                                     \
          "    model.friction: " friction "\n"                                                                         \
          "    model.load_rate.1: {from: -1, to: -0.9, count: 256, draw: " draw "}\n"

static void what_causes_the_spread_is_found_from_either_draw(void **state) {
    (void)state;
    static const char *const texts[] = {SPREAD("[0.25]", "random"), SPREAD("[0.25]", "sobol")};
    for (size_t i = 0; i < 2; i++) {
        am_run *made = run_with(texts[i], 1);
        const am_table *sensitivity = table_of(am_run_report(made)->result, "sensitivity");
        assert_int_equal(am_table_rows(sensitivity), 2);
        for (size_t row = 0; row < 2; row++) {
            double wanted = row == 0 ? 1.0 : 0.0;
            /* Of 256 independent points: four standard errors of eight cosines, sqrt(2 8)/256, and
             * three of a mean of squared steps, sqrt(1.4/256). */
            assert_near(cell(sensitivity, row, "first_order"), wanted, i == 0 ? 0.06 : 0.02);
            assert_near(cell(sensitivity, row, "total"), wanted, i == 0 ? 0.25 : 0.03);
        }
        am_run_free(made);
    }
}

/* Beside numbers that are drawn independently a Sobol sequence is no more even than they are: shares have no bias. */
static void either_draw_beside_the_other_has_no_bias(void **state) {
    (void)state;
    enum { SEEDS = 16 };
    double total = 0.0, first = 0.0;
    for (int seed = 1; seed <= SEEDS; seed++) {
        char text[1024];
        snprintf(text, sizeof text,
                 MODEL "sweep:\n  seed: %d\n  outputs: [t_end]\n  axes:\n"
                       "    analysis.until: {from: 0.1, to: 0.9, count: 64, draw: random}\n"
                       "    model.load_rate.1: {from: -1, to: -0.9, count: 64, draw: sobol}\n",
                 seed);
        am_run *made = run_with(text, 1);
        const am_table *sensitivity = table_of(am_run_report(made)->result, "sensitivity");
        total += cell(sensitivity, 0, "total") / SEEDS;
        first += cell(sensitivity, 1, "first_order") / SEEDS;
        am_run_free(made);
    }
    assert_near(total, 1.0, 0.08); /* its standard error: sqrt(1.4/64/16) = 0.04 */
    assert_near(first, 0.0, 0.03); /* sqrt(2 4/16)/64 = 0.011 */
}

/* Row by row what the sweep at that value alone says: the draws are the same. */
static void each_value_of_a_grid_has_a_sample_of_its_own(void **state) {
    (void)state;
    static const char *const names[] = {"statistics", "probabilities", "sensitivity"};
    static const char *const alone[] = {SPREAD("[0.2]", "sobol"), SPREAD("[0.4]", "sobol")};
    am_run *both = run_with(SPREAD("[0.2, 0.4]", "sobol"), 1);
    for (size_t value = 0; value < 2; value++) {
        am_run *one = run_with(alone[value], 1);
        for (size_t n = 0; n < 3; n++) {
            const am_table *of_both = table_of(am_run_report(both)->result, names[n]);
            const am_table *of_one = table_of(am_run_report(one)->result, names[n]);
            size_t rows = am_table_rows(of_one);
            assert_true(rows > 0 && am_table_rows(of_both) == 2 * rows);
            assert_string_equal(am_table_column_name(of_both, 0), "model.friction");
            for (size_t row = 0; row < rows; row++)
                for (size_t c = 0; c < am_table_columns(of_one); c++)
                    if (am_table_column_kind(of_one, c) == AM_COLUMN_TEXT)
                        assert_string_equal(am_table_text(of_both, value * rows + row, c),
                                            am_table_text(of_one, row, c));
                    else
                        assert_true(am_table_number(of_both, value * rows + row, c) == am_table_number(of_one, row, c));
        }
        am_run_free(one);
    }
    am_run_free(both);
}

static void conditions_that_mean_nothing_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *draw, *condition, *words;
    } cases[] = {
        {"sobol", "{a: {output: potential_energy}}", "a condition needs a limit"},
        {"sobol", "{a: {output: potential_energy, above: 2, below: 1}}", "nothing lies above 2 and below 1"},
        {"sobol", "{a: {output: kinetic_energy, above: 2}}", "kinetic_energy must be one of the outputs"},
        {"grid", "{a: {output: potential_energy, above: 2}}", "where points are drawn"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        am_error err = {0};
        snprintf(text, sizeof text,
                 MODEL "sweep:\n  axes: {model.friction: {from: 0.1, to: 0.9, count: 64, draw: %s}}\n"
                       "  outputs: [potential_energy]\n  conditions: %s\n",
                 cases[i].draw, cases[i].condition);
        assert_null(am_study_parse("study.yaml", text, 0, NULL, false, &err));
        if (!strstr(err.message, cases[i].words))
            fail_msg("%s", err.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_points_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(random_points_lie_between_from_and_to_and_are_all_different),
        cmocka_unit_test(sobol_points_are_spread_evenly),
        cmocka_unit_test(drawn_logarithmically_every_ratio_gets_its_share),
        cmocka_unit_test(the_seed_chooses_the_points),
        cmocka_unit_test(drawn_axes_and_grids_are_combined),
        cmocka_unit_test(a_drawn_point_is_the_study_at_its_values),
        cmocka_unit_test(the_mean_of_a_flag_is_its_share),
        cmocka_unit_test(grids_have_no_mean),
        cmocka_unit_test(draws_that_make_no_sense_are_refused),
        cmocka_unit_test(a_star_stands_for_the_rest_of_a_name),
        cmocka_unit_test(a_pattern_that_fits_nothing_is_refused),
        cmocka_unit_test(samples_have_statistics_probabilities_and_sensitivities),
        cmocka_unit_test(what_causes_the_spread_is_found_from_either_draw),
        cmocka_unit_test(either_draw_beside_the_other_has_no_bias),
        cmocka_unit_test(each_value_of_a_grid_has_a_sample_of_its_own),
        cmocka_unit_test(conditions_that_mean_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
