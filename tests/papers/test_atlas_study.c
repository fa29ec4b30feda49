/* The atlas in a study: against `response`, which knows nothing of classes; going on from a file; what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "amontons/amontons.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "scratch.h"
#include "study_text.h"

/* ---- Against balance in the full space ---- */

static double fold_near(const am_result *result, const char *table, double xi1) {
    const am_table *special = table_of(result, table);
    double nearest = INFINITY;
    for (size_t k = 0; k < am_table_rows(special); k++)
        if (strcmp(word(special, k, "kind"), "fold") == 0 && fabs(cell(special, k, "xi1") - xi1) < fabs(nearest - xi1))
            nearest = cell(special, k, "xi1");
    return nearest;
}

static void the_isola_is_the_one_that_response_finds_without_the_class(void **state) {
    (void)state;
    am_run *run =
        run_text("model: {kind: chain, count: 8, xi1: 0.15}\n"
                 "analysis: {kind: atlas, over: xi1, from: 0.005, to: 0.25, patterns: [\"+L\"], stability: false}\n"
                 "also:\n"
                 "  full: {kind: response, over: xi1, from: 0.005, to: 0.25, harmonics: 1, stability: none,\n"
                 "         start: {pattern: [1, 0, 0, 0, 0, 0, 0, 0]}}\n");
    const am_result *result = am_run_report(run)->result;
    assert_int_equal(scalar(run, "folds"), 4);
    assert_int_equal(scalar(run, "full.folds"), 4);
    assert_true(scalar(run, "full.closed") == 1);
    const am_table *special = table_of(result, "special");
    for (size_t k = 0; k < am_table_rows(special); k++)
        if (strcmp(word(special, k, "kind"), "fold") == 0) { /* both located to about 1e-10 */
            double xi1 = cell(special, k, "xi1");
            assert_near(fold_near(result, "full.special", xi1), xi1, 1e-9);
        }
    am_run_free(run);
}

/* ---- Going on ---- */

static am_run *run_there(const char *text) {
    am_error err = {0};
    am_study *study = read_text(text);
    am_run *made = am_study_run_into(study, in_scratch(""), false, NULL, &err);
    if (!made)
        fail_msg("failed: %s", err.message);
    am_study_free(study);
    return made;
}

static void a_run_goes_on_from_the_file_of_an_earlier_one(void **state) {
    (void)state;
    static const char text[] =
        "model: {kind: chain, count: 4}\n"
        "analysis: {kind: atlas, over: xi1, from: 0.005, to: 0.25, follow: none, resume: kept}\n";
    am_run *first = run_there(text);
    FILE *file = fopen(in_scratch("kept"), "rb");
    assert_non_null(file); /* it was kept, in the folder of the results */
    fclose(file);
    am_run *second = run_there(text);
    assert_int_equal(scalar(first, "stable_count"), scalar(second, "stable_count"));
    assert_int_equal(scalar(first, "survive"), 59); /* 5^4 configurations in 60 classes, one of them rest */
    assert_int_equal(scalar(second, "survive"), 59);
    am_run_free(first);
    am_run_free(second);
}

/* ---- Words for what is wrong ---- */

static void refuse(const char *analysis, const char *words) {
    am_error err = {0};
    char text[512];
    snprintf(text, sizeof text, "model: {kind: chain, count: 4}\nanalysis: %s\n", analysis);
    am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
    am_run *run = study ? am_study_run(study, NULL, &err) : NULL;
    assert_null(run);
    assert_says(&err, words);
    am_study_free(study);
}

static void mistakes_are_named(void **state) {
    (void)state;
    refuse("{kind: atlas, from: 0.01, to: 0.2}", "over");
    refuse("{kind: atlas, over: xi9, from: 0.01, to: 0.2}", "xi9");
    refuse("{kind: atlas, over: xi1, from: 0.2, to: 0.2}", "the same");
    refuse("{kind: atlas, over: xi1, from: 0.01, to: 0.1}", "inside its range");
    refuse("{kind: atlas, over: xi1, from: 0.01, to: 0.2, active: [3, 1]}", "above the greatest");
    refuse("{kind: atlas, over: xi1, from: 0.01, to: 0.2, active: [0.5, 1]}", "whole numbers");
    refuse("{kind: atlas, over: xi1, from: 0.01, to: 0.2, states: small}", "expected one of: all, large");
    static const char *const places[] = {"/tmp/kept",  "../kept",      "below/kept", "..",
                                         "results.nc", "summary.json", ".hidden"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char analysis[256];
        snprintf(analysis, sizeof analysis, "{kind: atlas, over: xi1, from: 0.005, to: 0.25, resume: %s}", places[i]);
        refuse(analysis, "test.yaml:2:");
        refuse(analysis, "resume must be the name of a file in the folder of the results");
    }
    refuse("{kind: atlas, over: xi1, from: 0.005, to: 0.25, follow: none, resume: kept}", "there is none: name one");
    refuse("{kind: atlas, over: omega0, from: 1, to: 9, at: 3}", "linear way");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_isola_is_the_one_that_response_finds_without_the_class),
        cmocka_unit_test_setup_teardown(a_run_goes_on_from_the_file_of_an_earlier_one, make_scratch, remove_scratch),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
