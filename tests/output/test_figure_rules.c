/* Faults of figures that must not come back: colours that come twice, curves that hide each other or are hidden by the
 * frame, jumps drawn as slopes, lines that hide how few points they have, solid blocks of swings, keys over labels, axes
 * with one mark or without the last, fractions of counts, names as a program writes them, counts in continuous colours, states and zones of contacts that nobody sees. The scripts are read, and
 * gnuplot, where it is installed, is asked to draw one of each. */
#include <math.h>
#include <stdio.h>

#include "amontons/output.h"
#include "base/memory.h"
#include "base/text.h"
#include "errors.h"
#include "output/figure_parts.h"
#include "output/file.h"
#include "output/gnuplot.h"
#include "results.h"
#include "scratch.h"

enum { MOST_CURVES = 12, LONGEST = 1 << 22 };

static am_table *add_table(am_result *result, const char *name, const char *columns, am_column_kind last) {
    am_table *table = am_result_add_table(result, name, NULL);
    char column[16];
    for (const char *at = columns; *at; at += strcspn(at, " "), at += *at == ' ') {
        int length = (int)strcspn(at, " ");
        snprintf(column, sizeof column, "%.*s", length, at);
        GOOD(am_table_add_column(table, column, "", at[length] ? AM_COLUMN_NUMBER : last, err));
    }
    return table;
}

static void add_numbers(am_table *table, const double *numbers, size_t count) {
    GOOD(am_table_add_row(table, err));
    for (size_t i = 0; i < count; i++)
        am_table_set_number(table, i, numbers[i]);
}

#define ROW(table, ...)                                                                                                \
    add_numbers(table, (const double[]){__VA_ARGS__}, sizeof(double[]){__VA_ARGS__} / sizeof(double))

static const char *fingerprint; /* of a sweep */

/* The script of the figure, and figure.svg if gnuplot is there. The script is the caller's. */
static char *write_figure(const am_result *result, const am_figure *figure, const char *folder, bool drawn) {
    am_report report = {.study = "a.yaml",
                        .analysis = "motion",
                        .result = result,
                        .figure = figure,
                        .undrawn = !drawn,
                        .fingerprint = fingerprint};
    GOOD(am_output_folder(&report, in_scratch(folder), NULL, err));
    if (drawn)
        assert_true(am_output_is_file(in_scratch(folder), "figure.svg"));
    char path[64];
    snprintf(path, sizeof path, "%s/figure.gp", folder);
    char *script = am_output_read(in_scratch(path), LONGEST, NULL);
    assert_non_null(script);
    return script;
}

static char *draw(const am_result *result, const am_figure *figure, const char *folder) {
    return write_figure(result, figure, folder, am_gnuplot_installed());
}

/* Where the claim is about the script. */
static char *script_of(const am_result *result, const am_figure *figure, const char *folder) {
    return write_figure(result, figure, folder, false);
}

static size_t count(const char *text, const char *word) {
    size_t found = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        found++;
    return found;
}

static am_figure curves_of(am_curve *curves, size_t number, const char *table) {
    for (size_t i = 0; i < number; i++)
        curves[i] = (am_curve){.table = table, .x = "x", .y = "y", .by = "z", .value = (double)i, .label = "a"};
    return (am_figure){.curve_count = number, .curves = curves};
}

/* ---- curves ---- */

static void as_many_colours_as_curves(void **state) {
    (void)state;
    for (size_t number = 1; number <= 40; number++)
        for (size_t i = 0; i < number; i++)
            for (size_t j = 0; j < i; j++) {
                char a[8], b[8];
                am_figure_line_colour(i, number, a);
                am_figure_line_colour(j, number, b);
                assert_string_not_equal(a, b);
            }
}

static void a_curve_on_another_is_dashed(void **state) {
    (void)state;
    am_curve curves[3];
    am_result *result = am_result_create(NULL);
    am_table *table = add_table(result, "sweep", "x y z", AM_COLUMN_NUMBER);
    for (int z = 0; z < 3; z++)
        for (int i = 0; i < 5; i++)
            ROW(table, i, z < 2 ? i : 2 * i, z); /* the second is the first, the third is not */
    am_figure figure = curves_of(curves, 3, "sweep");
    char *script = script_of(result, &figure, "hidden");
    assert_int_equal(count(script, "dashtype"), 1);
    assert_non_null(strstr(script, "3,1))"));
    am_memory_free(script);
    am_result_free(result);
}

/* Two curves that were followed have points of their own, and may share a part only; where dashes mean something a line
 * on another is thin. */
static void a_curve_that_joins_another_is_seen_beside_it(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        am_curve curves[3];
        am_result *result = am_result_create(NULL);
        am_table *table = add_table(result, "branch", "x y z", AM_COLUMN_NUMBER);
        for (int i = 0; i <= 40; i++)
            ROW(table, 0.25 * i, 0.25 * i, 0);
        for (int i = 0; i <= 33; i++) /* the same up to 6, or a tenth above it */
            ROW(table, 0.3 * i, kind == 1 ? 0.3 * i + 1 : 0.3 * i < 6 ? 0.3 * i : 6, 1);
        ROW(table, 0, 10, 2);
        ROW(table, 10, 0, 2);
        am_figure figure = curves_of(curves, 3, "branch");
        curves[2].style = kind == 2 ? AM_CURVE_DASHED : AM_CURVE_LINE;
        char *script = script_of(result, &figure, "joins");
        assert_int_equal(count(script, "dashtype"), kind == 1 ? 0 : 1);
        assert_int_equal(count(script, "linewidth 0.7"), kind == 2);
        am_memory_free(script);
        am_result_free(result);
    }
}

static void a_line_breaks_where_the_column_changes(void **state) {
    (void)state;
    am_curve curves[1];
    am_result *result = am_result_create(NULL);
    am_table *table = add_table(result, "sweep", "x y z kind", AM_COLUMN_TEXT);
    static const char *const kinds[] = {"flutter", "flutter", "divergence", "divergence"};
    for (int i = 0; i < 4; i++) {
        ROW(table, i, i < 2 ? 20 : 0, 0);
        GOOD(am_table_set_text(table, 3, kinds[i], err));
    }
    am_figure figure = curves_of(curves, 1, "sweep");
    curves[0].breaks = "kind";
    am_memory_free(script_of(result, &figure, "breaks"));
    char *data = am_output_read(in_scratch("breaks/figure.dat"), LONGEST, NULL);
    assert_string_equal(data, "0,20\n1,20\n\n2,0\n3,0\n");
    am_memory_free(data);
    am_result_free(result);
}

/* Flutter becomes divergence on one level, and where the curve has a corner; the jump of the same size in another place
 * is one. */
static void a_line_goes_on_where_a_word_changes_and_nothing_jumps(void **state) {
    (void)state;
    am_curve curves[1];
    am_result *result = am_result_create(NULL);
    am_table *table = add_table(result, "sweep", "x y z kind", AM_COLUMN_TEXT);
    static const char *const kinds[] = {"flutter", "flutter", "divergence", "divergence",
                                        "flutter", "flutter", "lift-off",   "lift-off"};
    static const double heights[] = {0, 2, 3, 3, 3, 3, 4, 4};
    for (int i = 0; i < 8; i++) {
        ROW(table, i, heights[i], 0);
        GOOD(am_table_set_text(table, 3, kinds[i], err));
    }
    am_figure figure = curves_of(curves, 1, "sweep");
    curves[0].breaks = "kind";
    am_memory_free(script_of(result, &figure, "goes on"));
    char *data = am_output_read(in_scratch("goes on/figure.dat"), LONGEST, NULL);
    assert_string_equal(data, "0,0\n1,2\n2,3\n3,3\n4,3\n5,3\n\n6,4\n7,4\n");
    am_memory_free(data);
    am_result_free(result);
}

/* The band holds every swing: its edges are the extremes of the curve; `samples` of each swing, so many columns. */
static void check_band(size_t swings, size_t samples, size_t wanted) {
    am_curve curves[1];
    am_result *result = am_result_create(NULL);
    am_table *table = add_table(result, "sweep", "x y z", AM_COLUMN_NUMBER);
    double all = (double)(swings * samples);
    for (size_t i = 0; i < swings * samples; i++)
        ROW(table, (double)i, cos(2 * 3.14159265358979 * (double)i / (double)samples) * (1 + (double)i / all), 0);
    am_figure figure = curves_of(curves, 1, "sweep");
    char *script = script_of(result, &figure, "band"), words[40];
    assert_non_null(strstr(script, "filledcurves"));
    snprintf(words, sizeof words, "%zu swings", swings - 1);
    assert_non_null(strstr(script, words));
    char *data = am_output_read(in_scratch("band/figure.dat"), LONGEST, NULL);
    size_t columns = 0;
    double width = 1.0 / (double)wanted; /* of a column, in which the curve grows by so much */
    for (const char *at = data; *at; at += strcspn(at, "\n") + 1, columns++) {
        double x, low, high;
        assert_int_equal(sscanf(at, "%lf,%lf,%lf", &x, &low, &high), 3);
        double middle = 1 + x / all;
        if (!(fabs(low + middle) < width && fabs(high - middle) < width))
            fail_msg("at %g the band is from %g to %g", x, low, high);
    }
    assert_int_equal(columns, wanted);
    am_memory_free(data);
    am_memory_free(script);
    am_result_free(result);
}

static void many_swings_are_a_band(void **state) {
    (void)state;
    check_band(2000, 2, 3998 / 16); /* two samples of a swing hit its extremes only here: wider columns */
    check_band(1400, 20, 600);
}

/* Fast swings on a slow one: the edges are not pieces of the slow one. */
static void a_band_is_as_wide_as_its_slowest_swing(void **state) {
    (void)state;
    am_curve curves[1];
    am_result *result = am_result_create(NULL);
    am_table *table = add_table(result, "sweep", "x y z", AM_COLUMN_NUMBER);
    for (int i = 0; i < 8000; i++)
        ROW(table, i, sin(i * 0.06) + 0.4 * sin(i * 3.0), 0);
    am_figure figure = curves_of(curves, 1, "sweep");
    am_memory_free(script_of(result, &figure, "slow"));
    char *data = am_output_read(in_scratch("slow/figure.dat"), LONGEST, NULL);
    double least = INFINITY;
    for (const char *at = data; *at; at += strcspn(at, "\n") + 1) {
        double x, low, high;
        assert_int_equal(sscanf(at, "%lf,%lf,%lf", &x, &low, &high), 3);
        least = fmin(least, high);
    }
    assert_true(least > 1.2); /* of 1.4; a column half as wide as the slow swing comes to 0.4 */
    am_memory_free(data);
    am_result_free(result);
}

/* ---- axes and keys ---- */

/* A curve along the edge of what there is, or of what the figure asks for, is inside the frame. */
static void nothing_is_drawn_on_the_frame(void **state) {
    (void)state;
    static const double asked[] = {0, 1};
    am_curve curves[1];
    am_result *result = am_result_create(NULL);
    am_table *table = add_table(result, "sweep", "x y z", AM_COLUMN_NUMBER);
    for (int i = 0; i <= 20; i++)
        ROW(table, i, i < 10 ? 0 : i < 15 ? 0.5 : 1, 0);
    am_figure figure = curves_of(curves, 1, "sweep");
    for (int given = 0; given < 2; given++) {
        figure.y_range = given ? asked : NULL;
        char *script = script_of(result, &figure, "frame"), *range = strstr(script, "set yrange [");
        double low, high;
        assert_non_null(range);
        assert_int_equal(sscanf(range, "set yrange [%lf:%lf]", &low, &high), 2);
        assert_true(low < -0.02 && low > -0.05 && high > 1.02 && high < 1.05);
        assert_non_null(strstr(script, "set xrange [0:20]")); /* it only ends there */
        am_memory_free(script);
    }
    am_result_free(result);
}

/* Where a text stands in the drawing, downwards. */
static double height_of(const char *drawing, const char *text) {
    char words[80];
    snprintf(words, sizeof words, ">%s</tspan>", text);
    const char *at = strstr(drawing, words), *place = NULL;
    double x = NAN, y = NAN;
    assert_non_null(at);
    for (const char *next = drawing; (next = strstr(next, "translate(")) && next < at; next++)
        place = next;
    assert_non_null(place);
    assert_int_equal(sscanf(place, "translate(%lf,%lf)", &x, &y), 2);
    return y;
}

static void the_key_is_below_the_label_however_long_its_words(void **state) {
    (void)state;
    static const char *const words[] = {"a", "words of such a length that one row has one"};
    for (size_t number = 3; number <= 12; number += 9)
        for (size_t i = 0; i < 2; i++) {
            am_curve curves[MOST_CURVES];
            char labels[MOST_CURVES][64];
            am_result *result = am_result_create(NULL);
            am_table *table = add_table(result, "sweep", "x y z", AM_COLUMN_NUMBER);
            for (size_t k = 0; k < 2 * number; k++)
                ROW(table, (double)(k % 2), (double)(k * k), (double)(k / 2));
            am_figure figure = curves_of(curves, number, "sweep");
            figure.x_label = "the label";
            for (size_t k = 0; k < number; k++) {
                snprintf(labels[k], sizeof labels[k], "%c%s", (char)('A' + (char)k), words[i]);
                curves[k].label = labels[k];
            }
            am_memory_free(draw(result, &figure, "key"));
            if (am_gnuplot_installed()) {
                char *drawing = am_output_read(in_scratch("key/figure.svg"), LONGEST, NULL);
                for (size_t k = 0; k < number; k++)
                    if (!(height_of(drawing, labels[k]) > height_of(drawing, "the label") + 10))
                        fail_msg("%zu curves: '%s' is over the label", number, labels[k]);
                am_memory_free(drawing);
            }
            am_result_free(result);
        }
}

/* Two families of three: a word for each colour and one for each style. */
static void families_share_their_key(void **state) {
    (void)state;
    static const char *const labels[] = {"eta = 1",        "eta = 2",        "eta = 3",
                                         "rough, eta = 1", "rough, eta = 2", "rough, eta = 3"};
    am_curve curves[6];
    am_result *result = am_result_create(NULL);
    am_table *table = add_table(result, "sweep", "x y z", AM_COLUMN_NUMBER);
    for (int k = 0; k < 6; k++)
        ROW(table, k % 2, k * k, k / 2);
    am_figure figure = curves_of(curves, 6, "sweep");
    for (size_t k = 0; k < 6; k++) {
        curves[k].label = labels[k];
        curves[k].value = (double)(k % 3);
        curves[k].style = k < 3 ? AM_CURVE_LINE : AM_CURVE_DASHED;
    }
    char *script = script_of(result, &figure, "families");
    assert_int_equal(count(script, " title '"), 4);
    assert_non_null(strstr(script, "title 'rough'"));
    assert_non_null(strstr(script, "title 'η = 3'"));
    assert_true(strstr(script, "title 'rough'") > strstr(script, "title 'η = 3'")); /* what a style means comes last */
    am_memory_free(script);
    am_result_free(result);
}

/* Two quantities of one family in one style are not told apart by the number: each has colours of its own, and what is
 * dashed beside them has that of its own. */
static void quantities_of_a_family_have_colours_of_their_own(void **state) {
    (void)state;
    static const char *const labels[] = {"least, eta = 1", "greatest, eta = 1", "rough, least, eta = 1",
                                         "rough, greatest, eta = 1"};
    am_curve curves[4];
    am_result *result = am_result_create(NULL);
    am_table *table = add_table(result, "sweep", "x y z", AM_COLUMN_NUMBER);
    for (int k = 0; k < 4; k++)
        ROW(table, k, k * k, 0);
    am_figure figure = curves_of(curves, 4, "sweep");
    for (size_t k = 0; k < 4; k++) {
        curves[k].label = labels[k];
        curves[k].value = 0;
        curves[k].style = k < 2 ? AM_CURVE_LINE : AM_CURVE_DASHED;
    }
    char *script = script_of(result, &figure, "quantities");
    const char *plot = strstr(script, "plot ");
    for (size_t k = 0; k < 4; k++) { /* blue, red, blue, red */
        plot = strstr(plot, "'sweep.csv'") + 1;
        const char *colour = strstr(plot, "rgb '") + 5;
        assert_memory_equal(colour, am_figure_colour(k % 2), 7);
    }
    am_memory_free(script);
    am_result_free(result);
}

/* A piece of one member in the midst of a branch is not joined with its next piece. */
static void members_of_one_branch_are_not_joined_across_others(void **state) {
    (void)state;
    static const double members[] = {0, 0, 1, 0, 0};
    am_curve curves[1];
    am_result *result = am_result_create(NULL);
    am_table *table = add_table(result, "branch", "x y z piece", AM_COLUMN_NUMBER);
    for (int i = 0; i < 5; i++)
        ROW(table, i, i, members[i], 7);
    am_figure figure = curves_of(curves, 1, "branch");
    curves[0].breaks = "piece";
    am_memory_free(script_of(result, &figure, "pieces"));
    char *data = am_output_read(in_scratch("pieces/figure.dat"), LONGEST, NULL);
    assert_string_equal(data, "0,0\n1,1\n\n3,3\n4,4\n");
    am_memory_free(data);
    am_result_free(result);
}

/* Gnuplot writes 0.00000 for the mark at 0 of an axis that begins at 1e-5. */
static void an_axis_that_begins_beside_a_mark_begins_there(void **state) {
    (void)state;
    am_curve curves[1];
    am_result *result = am_result_create(NULL);
    am_table *table = add_table(result, "sweep", "x y z", AM_COLUMN_NUMBER);
    for (int i = 0; i <= 60; i++)
        ROW(table, 1.6e-5 + 6 * i, sin(i), 0);
    am_figure figure = curves_of(curves, 1, "sweep");
    char *script = script_of(result, &figure, "beside");
    assert_non_null(strstr(script, "set xrange [0:360"));
    am_memory_free(script);
    am_result_free(result);
}

static void few_points_of_a_sweep_are_marked(void **state) {
    (void)state;
    am_curve curves[1];
    static const struct {
        const char *table, *fingerprint;
        int points;
        bool marked;
    } cases[] = {{"sweep", "of a sweep", 10, true},
                 {"sweep", "of a sweep", 400, false},
                 {"a.envelope", NULL, 10, true},
                 {"corners", NULL, 10, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        am_result *result = am_result_create(NULL);
        am_table *table = add_table(result, cases[k].table, "x y z", AM_COLUMN_NUMBER);
        for (int i = 0; i < cases[k].points; i++)
            ROW(table, i, sin(6.0 * i / cases[k].points), 0);
        am_figure figure = curves_of(curves, 1, cases[k].table);
        fingerprint = cases[k].fingerprint;
        char *script = script_of(result, &figure, "coarse");
        fingerprint = NULL;
        assert_int_equal(count(script, "linespoints") > 0, cases[k].marked);
        am_memory_free(script);
        am_result_free(result);
    }
}

/* One corner may be the curve's own, but not where ten points are all there is; on a logarithmic axis a straight line is
 * one that looks straight. */
static void corners_are_those_that_are_seen(void **state) {
    (void)state;
    am_curve curves[1];
    for (int log = 0; log < 2; log++)
        for (int points = 8; points <= 40; points += 32) {
            am_result *result = am_result_create(NULL);
            am_table *table = add_table(result, "sweep", "x y z", AM_COLUMN_NUMBER);
            for (int i = 1; i <= points; i++)
                ROW(table, i, log ? pow(i, 3) : fmax(0, i - 4), 0);
            am_figure figure = curves_of(curves, 1, "sweep");
            figure.x_log = figure.y_log = log;
            fingerprint = "of a sweep";
            char *script = script_of(result, &figure, "corner");
            fingerprint = NULL;
            assert_int_equal(count(script, "linespoints") > 0, !log && points == 8);
            am_memory_free(script);
            am_result_free(result);
        }
}

/* Points that later ones lie on are larger, whatever their order; others are not. */
static void points_under_points_are_seen(void **state) {
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        am_curve curves[2];
        am_result *result = am_result_create(NULL);
        am_table *table = add_table(result, "samples", "x y z", AM_COLUMN_NUMBER);
        for (int i = 0; i < 100; i++)
            ROW(table, cos(i), sin(i), apart ? 2 + sin(i) : sin(i));
        am_figure figure = curves_of(curves, 2, "samples");
        curves[0].style = curves[1].style = AM_CURVE_POINTS;
        curves[0].by = curves[1].by = NULL;
        curves[1].y = "z";
        char *script = script_of(result, &figure, "covered");
        assert_int_equal(count(script, "pointsize 1.32"), !apart);
        assert_int_equal(count(script, "pointsize 0.6"), 1 + apart);
        am_memory_free(script);
        am_result_free(result);
    }
}

static void a_short_logarithmic_axis_has_marks(void **state) {
    (void)state;
    am_curve curves[1];
    am_result *result = am_result_create(NULL);
    am_table *table = add_table(result, "sweep", "x y z", AM_COLUMN_NUMBER);
    for (int i = 0; i <= 20; i++)
        ROW(table, i, 3e-8 * (1 + i), 0);
    am_figure figure = curves_of(curves, 1, "sweep");
    figure.y_log = true;
    char *script = script_of(result, &figure, "log");
    assert_non_null(strstr(script, "'2×10^{-8}' 2e-08"));
    assert_non_null(strstr(script, "'5×10^{-8}' 5e-08"));
    assert_non_null(strstr(script, "'10^{-7}' 1e-07"));
    am_memory_free(script);
    am_result_free(result);
}

/* A power of ten at the end of the axis: gnuplot's arithmetic must not lose its mark. */
static void the_ends_of_a_logarithmic_axis_have_marks(void **state) {
    (void)state;
    am_curve curves[1];
    am_result *result = am_result_create(NULL);
    am_table *table = add_table(result, "sweep", "x y z", AM_COLUMN_NUMBER);
    for (int i = 0; i <= 20; i++)
        ROW(table, i, 14 + i * 7, 0);
    am_figure figure = curves_of(curves, 1, "sweep");
    figure.y_log = true;
    if (!am_gnuplot_installed())
        skip();
    am_memory_free(draw(result, &figure, "ends"));
    char *drawing = am_output_read(in_scratch("ends/figure.svg"), LONGEST, NULL);
    assert_int_equal(count(drawing, ">10<"), 1);
    assert_int_equal(count(drawing, ">200<"), 1);
    am_memory_free(drawing);
    am_result_free(result);
}

/* Between two masses and three there is nothing; half of a long last mark is beside the axis. */
static void marks_are_whole_where_numbers_are_and_within_the_page(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        am_curve curves[1];
        am_result *result = am_result_create(NULL);
        am_table *table = add_table(result, "sweep", "x y z", AM_COLUMN_NUMBER);
        for (int i = 1; i <= 4; i++)
            ROW(table, kind == 0 ? i : kind == 1 ? 0.7 * i : 123456 + 0.1 * i, pow(1.7, i), 0);
        am_figure figure = curves_of(curves, 1, "sweep");
        char *script = script_of(result, &figure, "marks");
        assert_int_equal(count(script, "set xtics 1\n"), kind == 0);
        assert_int_equal(count(script, "set rmargin"), kind == 2);
        am_memory_free(script);
        am_result_free(result);
    }
}

/* 0.00002 is hard to read, and 3e+07 is nothing that one writes: the label says the power of ten. */
static void very_small_and_large_marks_are_in_units_of_a_power_of_ten(void **state) {
    (void)state;
    static const struct {
        double unit;
        const char *marks, *label;
    } cases[] = {
        {1e-5, "set xtics ('1' 1e-05, '1.5' 1.5e-05, '2' 2e-05, '2.5' 2.5e-05, '3' 3e-05, '3.5' 3.5e-05, '4' 4e-05)\n",
         "(×10^{-5})'\n"},
        {1e7,
         "set xtics ('1' 10000000, '1.5' 15000000, '2' 20000000, '2.5' 25000000, '3' 30000000, '3.5' 35000000, "
         "'4' 40000000)\n",
         "(×10^{7})'\n"},
        {1e-3, "set xtics 0.0005\n", "set xlabel 'x'\n"}};
    for (size_t c = 0; c < 3; c++) {
        am_curve curves[1];
        am_result *result = am_result_create(NULL);
        am_table *table = add_table(result, "sweep", "x y z", AM_COLUMN_NUMBER);
        for (int i = 1; i <= 4; i++)
            ROW(table, cases[c].unit * i, pow(1.7, i), 0);
        am_figure figure = curves_of(curves, 1, "sweep");
        char *script = script_of(result, &figure, "powers");
        if (!strstr(script, cases[c].marks) || !strstr(script, cases[c].label))
            fail_msg("marks %g: %s", cases[c].unit, script);
        am_memory_free(script);
        am_result_free(result);
    }
}

/* ---- words ---- */

static void check_words(const char *expected, am_text *text) {
    assert_string_equal(am_text_view(text), expected);
    am_text_clear(text);
}

static void names_are_set_as_a_printer_would(void **state) {
    (void)state;
    static const char *const labels[][2] = {{"Omega", "'Ω'"},          {"xi10 at the start", "'ξ_{10} at the start'"},
                                            {"beta_{cr}", "'β_{cr}'"}, {"Omega_1 t", "'Ω_{1}\xc2\xa0t'"},
                                            {"thetas", "'thetas'"},    {"eta = 0.9, delta = 90", "'η = 0.9, δ = 90'"},
                                            {"mu(v)", "'μ(v)'"},       {"smu", "'smu'"},
                                            {"a/lambda", "'a/λ'"},     {"state_changes", "'state\\_changes'"}};
    static const char *const columns[][3] = {{"state_changes", "count", "'state changes (count)'"},
                                             {"tau_max", "force", "'τ_{max}\xc2\xa0(force)'"},
                                             {"v_max", "", "'v_{max}'"},
                                             {"u12", "1", "'u_{12}'"},
                                             {"critical", "parameter", "'critical'"},
                                             {"energy", "energy", "'energy'"},
                                             {"damping_ratio", "1", "'damping ratio'"}};
    am_text text = {0};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        am_figure_quote(&text, labels[i][0]);
        check_words(labels[i][1], &text);
    }
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        am_result *result = am_result_create(NULL);
        am_table *table = am_result_add_table(result, "t", NULL);
        GOOD(am_table_add_column(table, columns[i][0], columns[i][1], AM_COLUMN_NUMBER, err));
        am_figure_quote_column(&text, table, 0);
        check_words(columns[i][2], &text);
        am_result_free(result);
    }
    am_label_html(&text, "a_1 < b^{12}, mu and mustard, k_2 = 1.5\xc2\xb0 & x'_max, state_changes");
    check_words("a<sub>1</sub> &lt; b<sup>12</sup>, μ and mustard, k<sub>2</sub> = 1.5\xc2\xb0 &amp; "
                "x&#39;_max, state_changes",
                &text);
    am_text_free(&text);
}

/* Beyond two decades numbers that can be read are written as numbers. */
static void a_long_logarithmic_axis_has_numbers_or_powers(void **state) {
    (void)state;
    am_curve curves[1];
    for (int tiny = 0; tiny < 2; tiny++) {
        am_result *result = am_result_create(NULL);
        am_table *table = add_table(result, "sweep", "x y z", AM_COLUMN_NUMBER);
        for (int i = 0; i <= 20; i++)
            ROW(table, i, (tiny ? 1e-9 : 0.1) * pow(10, 0.1 * i), 0);
        am_figure figure = curves_of(curves, 1, "sweep");
        figure.y_log = true;
        char *script = script_of(result, &figure, "decades");
        assert_non_null(strstr(script, tiny ? "set format y '10^{%T}'" : "set format y '%g'"));
        am_memory_free(script);
        am_result_free(result);
    }
}

/* ---- maps ---- */

static void counts_have_a_colour_each_and_empty_cells_are_in_the_key(void **state) {
    (void)state;
    am_result *result = am_result_create(NULL);
    am_table *table = add_table(result, "sweep", "x y stops", AM_COLUMN_COUNT);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            ROW(table, i, j, i == j ? NAN : i);
    am_figure figure = {.kind = AM_FIGURE_MAP, .table = "sweep", .x = "x", .y = "y", .value = "stops"};
    char *script = draw(result, &figure, "counts");
    assert_non_null(strstr(script, "set palette defined (0 '#440154', 1 '#440154', 1 '"));
    assert_non_null(strstr(script, "set cbrange [-0.5:3.5]"));
    assert_non_null(strstr(script, "no value"));
    if (am_gnuplot_installed()) {
        char *drawing = am_output_read(in_scratch("counts/figure.svg"), LONGEST, NULL);
        assert_int_equal(count(drawing, "image-rendering:pixelated"), count(drawing, "<image "));
        assert_true(count(drawing, "<image ") > 0);
        am_memory_free(drawing);
    }
    am_memory_free(script);
    am_result_free(result);
}

/* Refined sweeps hold counts as numbers; halves are no counts. */
static void whole_numbers_are_counts_whatever_the_column(void **state) {
    (void)state;
    for (int halves = 0; halves < 2; halves++) {
        am_result *result = am_result_create(NULL);
        am_table *table = add_table(result, "sweep", "x y stops", AM_COLUMN_NUMBER);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                ROW(table, i, j, halves ? 0.5 * i : i);
        am_figure figure = {.kind = AM_FIGURE_MAP, .table = "sweep", .x = "x", .y = "y", .value = "stops"};
        char *script = script_of(result, &figure, "whole");
        assert_int_equal(count(script, "set cbtics 1"), !halves);
        am_memory_free(script);
        am_result_free(result);
    }
}

/* What is below the surface is drawn below it; where the first cells are of orbit 10 it is not the first of the key. */
static void maps_go_down_with_depth_and_count_orbits_in_order(void **state) {
    (void)state;
    am_result *result = am_result_create(NULL);
    am_table *table = add_table(result, "below.stress", "x z_over_a fate", AM_COLUMN_TEXT);
    static const char *const fates[] = {"orbit 10", "orbit 2", "orbit 1", "sliding"};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            ROW(table, i, j);
            GOOD(am_table_set_text(table, 2, fates[j], err));
        }
    am_figure figure = {.kind = AM_FIGURE_MAP, .table = "below.stress", .x = "x", .y = "z_over_a", .value = "fate"};
    char *script = script_of(result, &figure, "depth");
    assert_non_null(strstr(script, "set yrange [3.5:-0.5]"));
    assert_true(strstr(script, "title 'orbit 1'") < strstr(script, "title 'orbit 2'"));
    assert_true(strstr(script, "title 'orbit 2'") < strstr(script, "title 'orbit 10'"));
    am_memory_free(script);
    am_result_free(result);
}

/* ---- what contacts do ---- */

static void states_stand_below_a_motion_between_exact_times(void **state) {
    (void)state;
    am_curve curve = {.table = "samples", .x = "t", .y = "u", .value = NAN};
    am_result *result = am_result_create(NULL);
    am_table *samples = add_table(result, "samples", "t u state_belt", AM_COLUMN_TEXT);
    for (int i = 0; i <= 10; i++) {
        ROW(samples, i, sin(i));
        GOOD(am_table_set_text(samples, 2, i < 4 ? "stick" : "forward", err));
    }
    am_table *events = am_result_add_table(result, "events", NULL);
    GOOD(am_table_add_column(events, "t", "", AM_COLUMN_NUMBER, err));
    GOOD(am_table_add_column(events, "contact", "", AM_COLUMN_TEXT, err));
    GOOD(am_table_add_column(events, "to", "", AM_COLUMN_TEXT, err));
    GOOD(am_table_add_row(events, err));
    am_table_set_number(events, 0, 3.25);
    GOOD(am_table_set_text(events, 1, "belt", err));
    GOOD(am_table_set_text(events, 2, "forward", err));
    am_figure figure = {.curve_count = 1, .curves = &curve};
    char *script = draw(result, &figure, "timeline");
    assert_int_equal(count(script, "set object rectangle"), 2);
    assert_non_null(strstr(script, "from first 0,"));
    assert_non_null(strstr(script, "to first 3.25,"));
    assert_non_null(strstr(script, "from first 3.25,"));
    assert_non_null(strstr(script, "set label 'belt'"));
    assert_non_null(strstr(script, "title 'forward'"));
    am_memory_free(script);
    am_result_free(result);
}

static void long_names_of_contacts_have_room(void **state) {
    (void)state;
    am_curve curve = {.table = "samples", .x = "t", .y = "u", .value = NAN};
    am_result *result = am_result_create(NULL);
    am_table *samples = add_table(result, "samples", "t u", AM_COLUMN_NUMBER);
    GOOD(am_table_add_column(samples, "state_trailing_edge", "", AM_COLUMN_TEXT, err));
    for (int i = 0; i <= 10; i++) {
        ROW(samples, i, sin(i));
        GOOD(am_table_set_text(samples, 2, "stick", err));
    }
    am_figure figure = {.curve_count = 1, .curves = &curve};
    char *script = script_of(result, &figure, "names");
    assert_non_null(strstr(script, "set lmargin 15\n")); /* thirteen letters and two */
    am_memory_free(script);
    am_result_free(result);
}

static void a_contact_without_a_name_is_called_so(void **state) {
    (void)state;
    am_curve curve = {.table = "samples", .x = "t", .y = "u", .value = NAN};
    am_result *result = am_result_create(NULL);
    am_table *samples = add_table(result, "samples", "t u", AM_COLUMN_NUMBER);
    GOOD(am_table_add_column(samples, "state1", "", AM_COLUMN_TEXT, err));
    for (int i = 0; i <= 10; i++) {
        ROW(samples, i, sin(i));
        GOOD(am_table_set_text(samples, 2, "stick", err));
    }
    am_figure figure = {.curve_count = 1, .curves = &curve};
    char *script = script_of(result, &figure, "unnamed");
    assert_non_null(strstr(script, "set label 'contact 1'"));
    am_memory_free(script);
    am_result_free(result);
}

/* The places of zones are lengths, those of the axis over half the width of the contact, which is 2. */
static void zones_stand_below_tractions(void **state) {
    (void)state;
    static const char *const states[] = {"forward", "stick", "forward"};
    am_curve curve = {.table = "elements.tractions", .x = "x_over_a", .y = "p", .value = NAN};
    am_result *result = am_result_create(NULL);
    am_table *tractions = add_table(result, "elements.tractions", "x x_over_a p", AM_COLUMN_NUMBER);
    for (int i = -10; i <= 10; i++)
        ROW(tractions, i / 5.0, i / 10.0, sqrt(100 - i * i));
    am_table *zones = am_result_add_table(result, "elements.zones", NULL);
    GOOD(am_table_add_column(zones, "state", "", AM_COLUMN_TEXT, err));
    GOOD(am_table_add_column(zones, "from", "", AM_COLUMN_NUMBER, err));
    GOOD(am_table_add_column(zones, "to", "", AM_COLUMN_NUMBER, err));
    for (int i = 0; i < 3; i++) {
        GOOD(am_table_add_row(zones, err));
        GOOD(am_table_set_text(zones, 0, states[i], err));
        am_table_set_number(zones, 1, i - 2 + (i > 0));
        am_table_set_number(zones, 2, i - 1 + (i > 0));
    }
    am_figure figure = {.curve_count = 1, .curves = &curve};
    char *script = draw(result, &figure, "zones");
    assert_int_equal(count(script, "set object rectangle"), 3);
    assert_non_null(strstr(script, "from first 0,"));
    assert_non_null(strstr(script, "from first 0.5,"));
    assert_non_null(strstr(script, "set label 'elements'"));
    assert_non_null(strstr(script, "title 'stick'"));
    am_memory_free(script);
    am_result_free(result);
}

static void a_table_is_set_as_a_table(void **state) {
    (void)state;
    static const char *const shown[] = {"stable", "period"};
    am_result *result = am_result_create(NULL);
    am_table *table = add_table(result, "orbits", "orbit period stable", AM_COLUMN_FLAG);
    for (int i = 0; i < 30; i++)
        ROW(table, i, 2.5 + i, i % 2);
    am_figure figure = {.kind = AM_FIGURE_TABLE, .table = "orbits", .shown = shown, .shown_count = 2};
    char *script = script_of(result, &figure, "table");
    assert_non_null(strstr(script, "set label 'yes'"));
    assert_non_null(strstr(script, "set label '25.5'"));
    assert_non_null(strstr(script, "and 6 more"));
    assert_null(strstr(script, "orbit"));
    am_memory_free(script);
    am_result_free(result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_colours_as_curves),
        cmocka_unit_test(a_curve_on_another_is_dashed),
        cmocka_unit_test(a_curve_that_joins_another_is_seen_beside_it),
        cmocka_unit_test(a_line_breaks_where_the_column_changes),
        cmocka_unit_test(a_line_goes_on_where_a_word_changes_and_nothing_jumps),
        cmocka_unit_test(very_small_and_large_marks_are_in_units_of_a_power_of_ten),
        cmocka_unit_test(many_swings_are_a_band),
        cmocka_unit_test(a_band_is_as_wide_as_its_slowest_swing),
        cmocka_unit_test(nothing_is_drawn_on_the_frame),
        cmocka_unit_test(the_key_is_below_the_label_however_long_its_words),
        cmocka_unit_test(families_share_their_key),
        cmocka_unit_test(quantities_of_a_family_have_colours_of_their_own),
        cmocka_unit_test(members_of_one_branch_are_not_joined_across_others),
        cmocka_unit_test(an_axis_that_begins_beside_a_mark_begins_there),
        cmocka_unit_test(few_points_of_a_sweep_are_marked),
        cmocka_unit_test(corners_are_those_that_are_seen),
        cmocka_unit_test(points_under_points_are_seen),
        cmocka_unit_test(a_short_logarithmic_axis_has_marks),
        cmocka_unit_test(the_ends_of_a_logarithmic_axis_have_marks),
        cmocka_unit_test(marks_are_whole_where_numbers_are_and_within_the_page),
        cmocka_unit_test(names_are_set_as_a_printer_would),
        cmocka_unit_test(a_long_logarithmic_axis_has_numbers_or_powers),
        cmocka_unit_test(counts_have_a_colour_each_and_empty_cells_are_in_the_key),
        cmocka_unit_test(whole_numbers_are_counts_whatever_the_column),
        cmocka_unit_test(maps_go_down_with_depth_and_count_orbits_in_order),
        cmocka_unit_test(states_stand_below_a_motion_between_exact_times),
        cmocka_unit_test(a_contact_without_a_name_is_called_so),
        cmocka_unit_test(long_names_of_contacts_have_room),
        cmocka_unit_test(zones_stand_below_tractions),
        cmocka_unit_test(a_table_is_set_as_a_table),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
