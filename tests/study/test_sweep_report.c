/* A sweep keeps only the tables that are asked for, and a model's report may still look at all of them. */
#include <math.h>
#include <stdio.h>

#include "amontons/output.h"
#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

/* `blocks` reads its pull from the table `samples`, which no sweep here asks for. */
static const char pulled[] =
    "model:\n"
    "  kind: blocks\n"
    "  slider: {length: 140, height: 80, thickness: 6, E: 3100, nu: 0.35, plane: stress, density: 1.2e-3}\n"
    "  base: {length: 300, height: 30, thickness: 30, E: 3100, nu: 0.35, plane: strain, density: 1.2e-3}\n"
    "  P: 3000\n"
    "  load_height: 6\n"
    "  law: static-kinetic\n"
    "  f: 0.35\n"
    "  f_s: %s\n"
    "  control: spring\n"
    "  stiffness: 1000\n"
    "  speed: 0.1\n"
    "  modes: 2\n"
    "  stiffness_damping: 0.01\n"
    "  mesh: {size: 70}\n"
    "analysis: {kind: motion, until: 2, initial: rest, samples: 21}\n"
    "%s";

static const char *const values[] = {"0.4", "0.45", "0.5", "0.55"};
enum { POINTS = 4 };

static am_run *run_on_one_thread(const char *text) {
    am_error err = {0};
    am_study *study = read_text(text);
    am_progress progress = {.threads = 1};
    am_run *made = am_study_run(study, &progress, &err);
    if (!made)
        fail_msg("failed: %s", err.message);
    am_study_free(study);
    return made;
}

static void points_of_a_sweep_report_what_they_report_alone(void **state) {
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, pulled, values[0],
             "sweep: {axes: {model.f_s: [0.4, 0.45, 0.5, 0.55]}, outputs: [pull_most, l_over_L, contact_nodes]}\n");
    am_run *all = run_on_one_thread(text); /* one thread: only the first point is run with all its tables */
    const am_table *sweep = table_of(am_run_report(all)->result, "sweep");
    assert_int_equal(am_table_rows(sweep), POINTS);
    for (size_t i = 0; i < POINTS; i++) {
        snprintf(text, sizeof text, pulled, values[i], "");
        am_run *alone = run_on_one_thread(text);
        assert_string_equal(word(sweep, i, "failure"), "");
        assert_near(cell(sweep, i, "pull_most"), scalar(alone, "pull_most"), 0.0);
        assert_near(cell(sweep, i, "l_over_L"), scalar(alone, "l_over_L"), 0.0);
        assert_near(cell(sweep, i, "contact_nodes"), scalar(alone, "contact_nodes"), 0.0);
        am_run_free(alone);
    }
    am_run_free(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(points_of_a_sweep_report_what_they_report_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
