/* What a sweep says about its table: ratios to the first value of an axis. */
#include <stdio.h>
#include <string.h>

#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

static const char *const study = "title: t\n"
                                 "model: {kind: griffin, beta: 1.1, delta_deg: 90}\n"
                                 "analysis: {kind: response, harmonics: 1, stability: none}\n"
                                 "sweep:\n"
                                 "  axes: {model.Omega: [1, 1.2], model.eta: [0, 0.3, 0.9], model.zeta: [0.1, 0.2]}\n"
                                 "  outputs: [peak]\n";

static void ratios_are_outputs_over_those_at_the_first_value_of_the_axis(void **state) {
    (void)state;
    char text_of[600];
    snprintf(text_of, sizeof text_of, "%s  ratio: model.eta\n", study);
    am_run *made = run_text(text_of);
    const am_result *result = am_run_report(made)->result;
    const am_table *all = table_of(result, "sweep"), *ratios = table_of(result, "ratios");
    assert_int_equal(am_table_rows(all), 12);
    assert_int_equal(am_table_rows(ratios), 8); /* the rows of eta = 0 are what divides */
    double least = INFINITY, greatest = 0.0;
    for (size_t i = 0; i < 8; i++) {
        size_t Omega = i / 4, eta = 1 + i / 2 % 2, zeta = i % 2;
        size_t row = Omega * 6 + eta * 2 + zeta, first = Omega * 6 + zeta;
        double ratio = cell(all, row, "peak") / cell(all, first, "peak");
        assert_true(cell(ratios, i, "peak_ratio") == ratio);
        assert_true(cell(ratios, i, "model.Omega") == cell(all, row, "model.Omega"));
        assert_true(cell(ratios, i, "model.eta") == cell(all, row, "model.eta"));
        assert_true(cell(ratios, i, "model.zeta") == cell(all, row, "model.zeta"));
        least = fmin(least, ratio);
        greatest = fmax(greatest, ratio);
    }
    assert_true(scalar(made, "least_peak_ratio") == least);
    assert_true(scalar(made, "greatest_peak_ratio") == greatest);
    assert_true(greatest > 1.1); /* quadrature is worse than constant load, Fig. 8.4 (b) */
    am_run_free(made);
}

static void a_ratio_over_what_is_no_axis_is_refused(void **state) {
    (void)state;
    char text_of[600];
    am_error err = {0};
    snprintf(text_of, sizeof text_of, "%s  ratio: model.beta\n", study);
    assert_null(am_study_parse("test.yaml", text_of, 0, NULL, false, &err));
    assert_says(&err, "must name one of the axes");
}

static void an_axis_over_a_word_is_refused(void **state) {
    (void)state;
    am_error err = {0};
    const char *text_of = "model: {kind: griffin, beta: 1.1}\nanalysis: {kind: response}\n"
                          "sweep: {axes: {model.kind: [1, 2]}}\n";
    assert_null(am_study_parse("test.yaml", text_of, 0, NULL, false, &err));
    assert_says(&err, "test.yaml:3:16: model.kind is 'griffin', which is no number");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratios_are_outputs_over_those_at_the_first_value_of_the_axis),
        cmocka_unit_test(a_ratio_over_what_is_no_axis_is_refused),
        cmocka_unit_test(an_axis_over_a_word_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
