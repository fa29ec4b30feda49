/* Columns of flags: true, false, or neither, in every format. */
#include <math.h>
#include <stdio.h>

#include "amontons/output.h"
#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "output/netcdf.h"
#include "results.h"
#include "scratch.h"
#include "study_text.h"

static am_result *make_result(void) {
    am_result *result = am_result_create(NULL);
    am_table *table = am_result_add_table(result, "orbits", NULL);
    GOOD(am_table_add_column(table, "orbit", "", AM_COLUMN_NUMBER, err));
    GOOD(am_table_add_column(table, "stable", "", AM_COLUMN_FLAG, err));
    for (size_t i = 0; i < 3; i++) {
        GOOD(am_table_add_row(table, err));
        am_table_set_number(table, 0, (double)i);
        if (i < 2)
            am_table_set_flag(table, 1, i == 0); /* of the third nothing is known */
    }
    return result;
}

/* gnuplot and spreadsheets draw what CSV holds: numbers there. */
static void flags_are_booleans_in_json_and_numbers_in_csv(void **state) {
    (void)state;
    am_result *result = make_result();
    am_report report = {.study = "a.yaml", .analysis = "orbit", .result = result};
    char *json = am_output_json(&report, true, 0, NULL, NULL), read[64] = "";
    assert_non_null(strstr(json, "[0, true]"));
    assert_non_null(strstr(json, "[1, false]"));
    assert_non_null(strstr(json, "[2, null]"));
    am_output_text_free(json);
    GOOD(am_output_folder(&report, in_scratch("flags"), NULL, err));
    FILE *file = fopen(in_scratch("flags/orbits.csv"), "r");
    assert_non_null(file);
    assert_true(fread(read, 1, sizeof read - 1, file) > 0);
    fclose(file);
    assert_string_equal(read, "orbit,stable\n0,1\n1,0\n2,\n");
    am_result_free(result);
}

static void flags_come_back_from_netcdf_as_flags(void **state) {
    (void)state;
    am_result *result = make_result(), *again = am_result_create(NULL);
    am_report report = {.study = "a.yaml", .analysis = "orbit", .result = result};
    am_text bytes = {0};
    GOOD(am_output_netcdf(&report, &bytes, err));
    GOOD(am_output_netcdf_read(bytes.data, bytes.length, again, err));
    const am_table *table = table_of(again, "orbits");
    assert_int_equal(am_table_column_kind(table, 0), AM_COLUMN_NUMBER);
    assert_int_equal(am_table_column_kind(table, 1), AM_COLUMN_FLAG);
    assert_near(cell(table, 0, "stable"), 1.0, 0.0);
    assert_near(cell(table, 1, "stable"), 0.0, 0.0);
    assert_true(isnan(cell(table, 2, "stable")));
    am_text_free(&bytes);
    am_result_free(again);
    am_result_free(result);
}

/* Expectations read them as what they are, figures may draw them as 1 and 0. */
static void studies_expect_flags_in_tables(void **state) {
    (void)state;
    static const char *const words[] = {"true", "false"};
    for (size_t i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "model: {kind: punch, alpha: 2}\n"
                 "analysis: {kind: slip, Q_over_fP: 0.7, branch: 20}\n"
                 "expect: {\"branch[3].stable\": %s}\n",
                 words[i]);
        am_run *made = run_text(text);
        const am_report *report = am_run_report(made);
        assert_int_equal(report->expectation_count, 1);
        assert_string_equal(report->expectations[0].got, "true");
        assert_int_equal(report->expectations[0].ok, i == 0);
        am_run_free(made);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_are_booleans_in_json_and_numbers_in_csv),
        cmocka_unit_test(flags_come_back_from_netcdf_as_flags),
        cmocka_unit_test(studies_expect_flags_in_tables),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
