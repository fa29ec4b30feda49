/* Structures in motion: what is drawn where, that the frames are the rows of the tables, and what cannot be drawn. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/study.h"
#include "base/memory.h"
#include "math/pi.h"
#include "near.h"
#include "output/file.h"
#include "output/xml.h"
#include "scratch.h"
#include "study_text.h"

#define BELT                                                                                                           \
    "model: {kind: structure, names: [x, y], mass: [1, 2], stiffness: [[3, -1], [-1, 1.5]], contacts: [{name: belt, "  \
    "tangent: [1, 0], law: held, hold: 1, friction: 0.3, static_friction: 0.5, surface_velocity: 0.05}]}\n"
#define MASSES "model: {kind: structure, mass: [1, 1], damping: [0.05, 0.02], stiffness: [[2, -1], [-1, 1.3]]"
#define CHAIN MASSES "}\n"
#define SHAKEN MASSES ", loads: [{direction: [1, 0], sine: {amplitude: 0.1, frequency: 0.6}}]}\n"
#define RESPONSE "analysis: {kind: response, over: loads.0.sine.frequency, from: 0.3, to: 0.9, harmonics: 1}\n"

enum { ROOM = 6000 };

static am_run *run_checked(const char *text, const char **svg) {
    am_run *run = run_text(text);
    am_error err = {0};
    *svg = am_run_report(run)->animation;
    if (!*svg)
        fail_msg("%s", am_run_mistake(run, true) ? am_run_mistake(run, true)->message : "no animation");
    if (am_svg_check(*svg, strlen(*svg), &err) != AM_OK)
        fail_msg("%s", err.message);
    assert_null(strstr(*svg, "nan"));
    assert_null(strstr(*svg, "inf\""));
    return run;
}

/* The numbers of an attribute that comes first after `mark`, separated by ; or , */
static size_t read_numbers(const char *svg, const char *mark, const char *attribute, double values[ROOM]) {
    const char *at = strstr(svg, mark);
    assert_non_null(at);
    at = strstr(at, attribute);
    assert_non_null(at);
    size_t count = 0;
    for (at += strlen(attribute); *at != '"' && count < ROOM;) {
        char *end;
        values[count++] = strtod(at, &end);
        assert_true(end > at && isfinite(values[count - 1]));
        at = *end == ';' || *end == ',' ? end + 1 : end;
    }
    return count;
}

/* ---- Motions ---- */

/* Linear between two rows of samples. */
static double sample_at(const am_table *samples, const char *column, double t) {
    size_t c = am_table_find_column(samples, column), row = 1, time = am_table_find_column(samples, "t");
    while (row + 1 < am_table_rows(samples) && am_table_number(samples, row, time) < t)
        row++;
    double from = am_table_number(samples, row - 1, time), to = am_table_number(samples, row, time);
    double share = fmin(fmax((t - from) / (to - from), 0), 1);
    return (1 - share) * am_table_number(samples, row - 1, c) + share * am_table_number(samples, row, c);
}

/* Every key frame of a body is its coordinate at that time, on one straight scale. */
static double check_body(const char *svg, const char *mark, const am_table *samples, const char *column, double from,
                         double to) {
    static double place[ROOM], share[ROOM];
    size_t places = read_numbers(svg, mark, "values=\"", place) / 2,
           count = read_numbers(svg, mark, "keyTimes=\"", share);
    assert_int_equal(places, count);
    assert_true(count > 20 && share[0] == 0 && share[count - 1] == 1);
    size_t low = 0, high = 0;
    for (size_t i = 0; i < count; i++) {
        low = place[2 * i] < place[2 * low] ? i : low;
        high = place[2 * i] > place[2 * high] ? i : high;
    }
    double q_low = sample_at(samples, column, from + share[low] * (to - from)),
           q_high = sample_at(samples, column, from + share[high] * (to - from)),
           scale = (place[2 * high] - place[2 * low]) / (q_high - q_low);
    for (size_t i = 0; i < count; i++) {
        double q = sample_at(samples, column, from + share[i] * (to - from));
        /* places are written to 0.01 pixels, times to a millionth of the round */
        assert_near(place[2 * i], place[2 * low] + scale * (q - q_low), 0.03);
        assert_near(place[2 * i + 1], place[1], 0);
    }
    return scale;
}

static void frames_are_the_rows_of_the_table(void **state) {
    (void)state;
    const char *svg;
    am_run *run = run_checked(BELT "analysis: {kind: motion, until: 20, samples: 501}\nanimation: {}\n", &svg);
    const am_table *samples = am_result_find_table(am_run_report(run)->result, "samples");
    double x = check_body(svg, "<g id=\"point1\"", samples, "x", 0, 20);
    double y = check_body(svg, "<g id=\"point2\"", samples, "y", 0, 20);
    assert_true(x > 5);
    assert_near(y, x, 0.01 * x); /* one scale for all: places have 0.01 of some 50 pixels */
    am_run_free(run);
}

static void part_of_a_motion_is_shown_on_request(void **state) {
    (void)state;
    const char *svg;
    am_run *run =
        run_checked(BELT "analysis: {kind: motion, until: 20, samples: 501}\nanimation: {from: 4, to: 12}\n", &svg);
    check_body(svg, "<g id=\"point1\"", am_result_find_table(am_run_report(run)->result, "samples"), "x", 4, 12);
    assert_non_null(strstr(svg, "t from 4 to 12"));
    am_run_free(run);
}

/* The colours of a contact change when the events say so, exactly. */
static void contacts_change_colour_at_their_events(void **state) {
    (void)state;
    static double share[ROOM];
    const char *svg;
    am_run *run = run_checked(BELT "analysis: {kind: motion, until: 60}\nanimation: {}\n", &svg);
    const am_table *events = am_result_find_table(am_run_report(run)->result, "events");
    size_t rows = am_table_rows(events);
    assert_true(rows > 3);
    size_t count = read_numbers(svg, "attributeName=\"fill\" calcMode=\"discrete\"", "keyTimes=\"", share);
    assert_int_equal(count, rows + 1);
    for (size_t i = 0; i < rows; i++)
        assert_near(60 * share[i + 1], am_table_number(events, i, am_table_find_column(events, "t")), 6e-5);
    am_run_free(run);
}

/* ---- Shapes ---- */

/* Body `index` at part `phase` of the period, against its place at phase 1/4 + 1/2 apart: half the difference. */
static double swing(const char *svg, size_t index, double phase) {
    static double place[ROOM], share[ROOM];
    char mark[40];
    double at[2] = {0, 0};
    snprintf(mark, sizeof mark, "<g id=\"point%zu\"", index);
    size_t count = read_numbers(svg, mark, "keyTimes=\"", share);
    read_numbers(svg, mark, "values=\"", place);
    for (size_t half = 0; half < 2; half++) {
        double t = fmod(phase + 0.5 * (double)half, 1);
        size_t i = 1;
        while (i + 1 < count && share[i] < t)
            i++;
        double part = (t - share[i - 1]) / (share[i] - share[i - 1]);
        at[half] = (1 - part) * place[2 * i - 2] + part * place[2 * i];
    }
    return (at[0] - at[1]) / 2;
}

/* Of a complex mode: Re(U exp(i phi)), all on one scale. */
static void a_mode_swings_as_its_entries_say(void **state) {
    (void)state;
    const char *svg;
    am_run *run = run_checked(CHAIN "analysis: {kind: stability}\nanimation: {table: modes, mode: 2}\n", &svg);
    const am_table *modes = am_result_find_table(am_run_report(run)->result, "modes");
    double wanted[16], got[16], scale = 0;
    size_t count = 0;
    for (size_t row = 0; row < am_table_rows(modes); row++)
        for (size_t k = 0; am_table_number(modes, row, 0) == 2 && k < 8; k++) {
            double phase = 0.0625 * (double)k, real = am_table_number(modes, row, 2),
                   imaginary = am_table_number(modes, row, 3);
            wanted[count] = real * cos(two_pi * phase) - imaginary * sin(two_pi * phase);
            got[count] = swing(svg, 1 + count / 8, phase);
            if (fabs(wanted[count]) == 1 || k == 0)
                scale = fabs(wanted[count]) > 0.9 ? got[count] / wanted[count] : scale;
            count++;
        }
    assert_int_equal(count, 16);
    assert_true(fabs(scale) > 5);
    for (size_t i = 0; i < count; i++)
        assert_near(got[i], scale * wanted[i], 0.15); /* frames to a tenth of a pixel, places to 0.01 */
    am_run_free(run);
}

/* Amplitudes and phases of a branch, and the harmonics at its peak, are two ways to say one motion. */
static void a_branch_and_its_peak_swing_alike(void **state) {
    (void)state;
    const char *branch, *peak;
    am_run *one = run_checked(SHAKEN RESPONSE "animation: {table: branch}\n", &branch),
           *other = run_checked(SHAKEN RESPONSE "animation: {table: shape}\n", &peak);
    for (size_t body = 1; body <= 2; body++)
        for (double phase = 0; phase < 0.5; phase += 0.125)
            /* the largest row is not quite the peak: the phase differs by some hundredths, of swings of 90 pixels */
            assert_near(swing(branch, body, phase), swing(peak, body, phase), 6);
    am_run_free(one);
    am_run_free(other);
}

/* ---- What is drawn where ---- */

static size_t occurrences(const char *text, const char *words) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, words)) != NULL; at++)
        count++;
    return count;
}

static void springs_and_bodies_are_those_of_the_stiffness(void **state) {
    (void)state;
    const char *svg;
    am_run *run = run_checked(BELT "analysis: {kind: motion, until: 5}\nanimation: {}\n", &svg);
    assert_int_equal(occurrences(svg, "<g id=\"point"), 2);
    assert_int_equal(occurrences(svg, "M0,0H.3"), 3); /* one between them, each to the ground */
    am_run_free(run);
    run = run_checked("model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}\n"
                      "analysis: {kind: motion, until: 10}\nanimation: {}\n",
                      &svg);
    assert_int_equal(occurrences(svg, "<g id=\"point"), 1); /* along and away from the plane: one body */
    am_run_free(run);
}

static void a_ring_of_springs_is_drawn_as_a_ring(void **state) {
    (void)state;
    static double place[ROOM];
    const char *svg;
    am_run *run =
        run_checked("model: {kind: bladed-disc, sectors: 6, engine_order: 1}\n"
                    "analysis: {kind: response, over: Omega, from: 0.9, to: 1, harmonics: 1, stability: none}\n"
                    "animation: {table: branch, row: 0}\n",
                    &svg);
    assert_int_equal(occurrences(svg, "<g id=\"point"), 12);
    assert_non_null(strstr(svg, "<circle cx=")); /* the hub */
    double far[12];
    for (size_t i = 0; i < 12; i++) {
        char mark[40];
        double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
        snprintf(mark, sizeof mark, "<g id=\"point%zu\"", i + 1);
        size_t count = read_numbers(svg, mark, "values=\"", place);
        for (size_t k = 0; k < count; k++) {
            low[k % 2] = fmin(low[k % 2], place[k]);
            high[k % 2] = fmax(high[k % 2], place[k]);
        }
        far[i] = hypot((low[0] + high[0]) / 2 - 360, (low[1] + high[1]) / 2 - 304);
    }
    for (size_t i = 0; i < 6; i++) { /* blades outside of their pieces of the disc, each on a circle */
        assert_near(far[i], far[0], 1);
        assert_near(far[6 + i], far[6], 1);
        assert_true(far[i] > far[6 + i] + 50);
    }
    am_run_free(run);
}

/* The shape of a mode on the mesh: phase 0 is the real part. */
static void nodes_of_a_mesh_are_moved_by_their_shape(void **state) {
    (void)state;
    am_error err = {0};
    const am_setting wish = {"animation", "{table: mode_shape_nodes, mode: 2}"};
    am_study *study = am_study_read(AMONTONS_SOURCE_DIR "/gallery/joints/chain_shapes.yaml", 1, &wish, false, &err);
    am_run *run = study ? am_study_run(study, NULL, &err) : NULL;
    if (!run)
        fail_msg("%s", err.message);
    const char *svg = am_run_report(run)->animation;
    assert_non_null(svg);
    assert_int_equal(am_svg_check(svg, strlen(svg), &err), AM_OK);
    const am_table *nodes = am_result_find_table(am_run_report(run)->result, "mode_shape_nodes");
    const char *at = strstr(svg, "id=\"mesh\"");
    assert_non_null(at);
    at = strstr(at, " d=\"M") + 5;
    double first = strtod(at, NULL), last_end, rest = 0, own[6][2];
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < 2; k++)
            own[i][k] = am_table_number(nodes, 6 + i, am_table_find_column(nodes, k ? "ux" : "x"));
    for (size_t i = 0; i < 5; i++) /* five edges, one after the other */
        at = strchr(at, 'L') + 1;
    last_end = strtod(at, NULL);
    /* of the two ends and of the whole: unit (x + scale ux), the scale such that the largest ux is a tenth of 5 */
    rest = (last_end - first) / (own[5][0] - own[0][0] + 0.5 * (own[5][1] - own[0][1]));
    at = strstr(svg, "id=\"mesh\"");
    at = strchr(strstr(at, " d=\"M"), 'L') + 1;
    assert_near(strtod(at, NULL) - first, rest * (own[1][0] - own[0][0] + 0.5 * (own[1][1] - own[0][1])), 0.25);
    am_run_free(run);
    am_study_free(study);
}

/* ---- Results on the disk ---- */

static void no_fault(void *context, const char *name, const char *words, bool fault) {
    (void)context;
    if (fault)
        fail_msg("%s: %s", name, words);
}

static void results_are_animated_as_the_run_did_it(void **state) {
    (void)state;
    const char *svg, *folder = in_scratch("results");
    am_error err = {0};
    am_run *run = run_checked(BELT "analysis: {kind: motion, until: 20}\nanimation: {}\n", &svg);
    am_study *study = am_study_parse("test.yaml", BELT "analysis: {kind: motion, until: 20}\n", 0, NULL, false, &err);
    assert_non_null(study);
    assert_int_equal(am_output_folder(am_run_report(run), folder, NULL, &err), AM_OK);
    char *written = am_output_read(in_scratch("results/animation.svg"), 1 << 24, &err);
    char *again = am_study_animate(study, folder, &err);
    assert_non_null(written);
    assert_non_null(again);
    assert_string_equal(written, svg);
    const char *from = strstr(again, "<rect"), *own = strstr(svg, "<rect"); /* titles differ */
    assert_string_equal(strstr(from, "<g "), strstr(own, "<g "));
    bool whole = false;
    assert_int_equal(am_output_animation(folder, again, &err), AM_OK);
    assert_int_equal(am_study_verify(folder, no_fault, NULL, &whole, &err), AM_OK);
    assert_true(whole);
    am_memory_free(written);
    am_output_text_free(again);
    am_study_free(study);
    am_run_free(run);
}

/* ---- What cannot be drawn ---- */

/* The results are there; what is wrong is said with its place. */
static void mistaken(const char *text, const char *words) {
    am_run *run = run_text(text);
    assert_null(am_run_report(run)->animation);
    const am_error *mistake = am_run_mistake(run, true);
    assert_non_null(mistake);
    if (!strstr(mistake->message, words) || !strstr(mistake->message, ".yaml:"))
        fail_msg("'%s' does not say '%s'", mistake->message, words);
    am_run_free(run);
}

static void what_does_not_move_is_said(void **state) {
    (void)state;
    mistaken(CHAIN "analysis: {kind: stability}\nanimation: {mode: 9}\n", "there is no mode 9");
    mistaken(CHAIN "analysis: {kind: stability}\nanimation: {table: eigenvalues}\n",
             "no motion of all coordinates in table 'eigenvalues'");
    mistaken(BELT "analysis: {kind: motion, until: 3}\nanimation: {from: 7}\n", "no two instants from 7 to 3");
    mistaken(SHAKEN RESPONSE "animation: {table: branch, row: 100000}\n", "has no row 100000");
    am_error err = {0};
    assert_null(am_study_parse("test.yaml",
                               "model: {kind: hertz, P: 1}\nanalysis: {kind: slip, Q: 0.1}\nanimation: {}\n", 0, NULL,
                               false, &err));
    assert_non_null(strstr(err.message, "nothing moves")); /* before it runs */
    assert_null(am_study_parse("test.yaml",
                               "model: {kind: chain, count: 200, coupling: 0.01, xi1: 0.1}\n"
                               "analysis: {kind: motion, until: 1}\nanimation: {}\n",
                               0, NULL, false, &err));
    assert_non_null(strstr(err.message, "test.yaml:3:12: a structure of 200 bodies whose places are not known"));
}

static void the_end_comes_after_the_beginning(void **state) {
    (void)state;
    am_error err = {0};
    assert_null(am_study_parse("test.yaml", BELT "analysis: {kind: motion, until: 3}\nanimation: {from: 2, to: 1}\n", 0,
                               NULL, false, &err));
    assert_non_null(strstr(err.message, "test.yaml:3:26: to (1) must come after from (2)"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_the_rows_of_the_table),
        cmocka_unit_test(part_of_a_motion_is_shown_on_request),
        cmocka_unit_test(contacts_change_colour_at_their_events),
        cmocka_unit_test(a_mode_swings_as_its_entries_say),
        cmocka_unit_test(a_branch_and_its_peak_swing_alike),
        cmocka_unit_test(springs_and_bodies_are_those_of_the_stiffness),
        cmocka_unit_test(a_ring_of_springs_is_drawn_as_a_ring),
        cmocka_unit_test(nodes_of_a_mesh_are_moved_by_their_shape),
        cmocka_unit_test_setup_teardown(results_are_animated_as_the_run_did_it, make_scratch, remove_scratch),
        cmocka_unit_test(what_does_not_move_is_said),
        cmocka_unit_test(the_end_comes_after_the_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
