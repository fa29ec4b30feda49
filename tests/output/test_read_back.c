/* A NetCDF file is compared with what it was to hold: any other cell, name, unit, text or value is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/output.h"
#include "output/netcdf.h"
#include "uniform.h"

#if defined(__SANITIZE_ADDRESS__)
enum { CASES = 15 };
#else
enum { CASES = 150 };
#endif

/* What is different in the second result of a pair. */
typedef enum difference {
    NOTHING,
    CELL,
    TEXT,
    LAST_BIT,
    NOT_A_NUMBER,
    UNIT,
    COLUMN_NAME,
    KIND,
    ONE_COLUMN_LESS,
    ONE_ROW_MORE,
    TABLE_NAME,
    ONE_TABLE_MORE,
    SCALAR,
    ONE_SCALAR_MORE,
    TITLE,
    DIFFERENCES
} difference;

static size_t whole(uint64_t *seed, size_t most) {
    return (size_t)uniform(seed, 0, (double)most);
}

/* The same seed gives the same tables, but for the difference, which is in the last table, column and row. */
static am_result *make(uint64_t seed, difference d) {
    am_result *result = am_result_create(NULL);
    size_t tables = 1 + whole(&seed, 3);
    am_result_set_number(result, "first_lift_off", uniform(&seed, -1, 1) + (d == SCALAR), NULL);
    am_result_set_text(result, "final_state", "stick", NULL);
    am_result_set_count(result, "switches", 7, NULL);
    am_result_set_flag(result, "unique", true, NULL);
    am_result_set_none(result, "edge", NULL);
    if (d == ONE_SCALAR_MORE)
        am_result_set_count(result, "touches", 0, NULL);
    for (size_t k = 0; k < tables; k++) {
        bool last = k + 1 == tables;
        char name[32];
        snprintf(name, sizeof name, last && d == TABLE_NAME ? "other%zu" : "part.of%zu", k);
        am_table *table = am_result_add_table(result, name, NULL);
        size_t columns = 2 + whole(&seed, 9), rows = 1 + whole(&seed, uniform(&seed, 0, 1) < 0.2 ? 6000 : 30);
        for (size_t c = 0; c < columns; c++) {
            bool here = last && c + 1 == columns;
            if (here && d == ONE_COLUMN_LESS)
                continue;
            snprintf(name, sizeof name, here && d == COLUMN_NAME ? "v %zu" : c % 2 ? "u.%zu" : "u %zu", c / 2);
            am_column_kind kind = c == 0 ? AM_COLUMN_TEXT : here && d == KIND ? AM_COLUMN_FLAG : AM_COLUMN_NUMBER;
            assert_int_equal(am_table_add_column(table, name, here && d == UNIT ? "m" : "s", kind, NULL), AM_OK);
        }
        for (size_t row = 0; row < rows + (last && d == ONE_ROW_MORE); row++) {
            bool end = last && row + 1 == rows;
            am_table_add_row(table, NULL);
            char text[32];
            snprintf(text, sizeof text, "%.*s", (int)whole(&seed, 12), "forward,open");
            am_table_set_text(table, 0, end && d == TEXT ? "backward" : text, NULL);
            for (size_t c = 1; c < columns; c++) {
                bool here = end && c + 1 == columns;
                double value = uniform(&seed, 1, 2);
                if (here && d == ONE_COLUMN_LESS)
                    continue;
                value = here && d == LAST_BIT ? nextafter(value, 3.0) : here && d == NOT_A_NUMBER ? NAN : value;
                am_table_set_number(table, c, here && d == CELL ? 7.0 : value);
            }
        }
    }
    if (d == ONE_TABLE_MORE)
        am_result_add_table(result, "touches", NULL);
    return result;
}

static am_report report_of(const am_result *result, difference d) {
    return (am_report){.study = "one.yaml",
                       .title = d == TITLE ? "another" : "one",
                       .source = "",
                       .analysis = "motion",
                       .result = result};
}

static void every_difference_is_found(void **state) {
    (void)state;
    for (uint64_t i = 0; i < CASES; i++) {
        difference d = (difference)(i % DIFFERENCES);
        am_result *made = make(i, NOTHING), *meant = make(i, d);
        am_report first = report_of(made, NOTHING), second = report_of(meant, d);
        am_text bytes = {0};
        am_error err = {0};
        assert_int_equal(am_output_netcdf(&first, &bytes, &err), AM_OK);
        const char *const heads[][2] = {{"title", second.title}, {"analysis", "motion"}};
        am_status status = am_output_netcdf_check(&second, 2, heads, bytes.data, bytes.length, &err);
        if (status != (d == NOTHING ? AM_OK : AM_ERR_FILE))
            fail_msg("case %d, difference %d: status %d: %s", (int)i, d, status, err.message);
        am_text_free(&bytes);
        am_result_free(made);
        am_result_free(meant);
    }
}

/* Bytes that were lost on the way. */
static void a_file_that_was_cut_off_is_found(void **state) {
    (void)state;
    am_result *result = make(3, NOTHING);
    am_report report = report_of(result, NOTHING);
    am_text bytes = {0};
    assert_int_equal(am_output_netcdf(&report, &bytes, NULL), AM_OK);
    size_t end = bytes.length; /* it is padded with zeros */
    while (end > 0 && bytes.data[end - 1] == 0)
        end--;
    for (size_t part = 0; part < 20; part++)
        if (am_output_netcdf_check(&report, 0, NULL, bytes.data, end * part / 20, NULL) == AM_OK)
            fail_msg("%zu of %zu bytes are taken for all", end * part / 20, end);
    am_text_free(&bytes);
    am_result_free(result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_difference_is_found),
        cmocka_unit_test(a_file_that_was_cut_off_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
