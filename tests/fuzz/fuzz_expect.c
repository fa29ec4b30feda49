/* `expect:` of a study, against a result that holds a value of every kind. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "harness.h"
#include "study/expect.h"

static am_result *result;

static void make_result(void) {
    result = am_result_create(NULL);
    am_result_set_number(result, "friction", 0.25, NULL);
    am_result_set_number(result, "tiny", 5e-324, NULL);
    am_result_set_number(result, "huge", -1.7e308, NULL);
    am_result_set_number(result, "endless", INFINITY, NULL);
    am_result_set_number(result, "undefined", NAN, NULL);
    am_result_set_count(result, "state_changes", 9, NULL);
    am_result_set_flag(result, "stable", true, NULL);
    am_result_set_text(result, "kind", "flutter", NULL);
    am_result_set_none(result, "first_jump", NULL);
    am_table *table = am_result_add_table(result, "quasistatic.events", NULL);
    am_table_add_column(table, "t", "s", AM_COLUMN_NUMBER, NULL);
    am_table_add_column(table, "to", "", AM_COLUMN_TEXT, NULL);
    am_table_add_column(table, "sticks", "", AM_COLUMN_FLAG, NULL);
    for (int row = 0; row < 3; row++) {
        am_table_add_row(table, NULL);
        am_table_set_number(table, 0, 1.5 * row);
        am_table_set_text(table, 1, row == 1 ? "open" : "stick", NULL);
        if (row < 2)
            am_table_set_flag(table, 2, row == 0);
    }
    am_result_add_table(result, "empty", NULL);
}

static void compare(am_reading *reading, const am_node *expect) {
    am_error mistake = {0};
    am_expectation *expectations = NULL;
    size_t count = 0;
    am_status status = am_expect_compare(reading, expect, result, &count, &expectations, &mistake);
    if (status != AM_OK) {
        fuzz_require_failure(status, reading->err);
        return;
    }
    fuzz_require(count == expect->count, "every expectation is judged");
    bool unknown = false;
    for (size_t i = 0; i < count; i++) {
        const am_expectation *e = &expectations[i];
        fuzz_require(e->name && e->wanted && e->got, "every expectation says what was wanted and what was got");
        fuzz_require(!isnan(e->tolerance) && e->tolerance >= 0.0, "a tolerance is a number");
        fuzz_require(!e->ok || strcmp(e->name, "undefined") != 0 || strcmp(e->wanted, "null") == 0,
                     "nothing is equal to what is no number");
        unknown = unknown || (!e->ok && strcmp(e->got, "null") == 0);
    }
    if (mistake.status != AM_OK) {
        fuzz_require_failure(mistake.status, &mistake);
        fuzz_require(unknown, "what does not exist is an expectation that is not met");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    am_error err = {0};
    am_files files = {.folder = AMONTONS_FUZZ_FILES};
    if (!result)
        make_result();
    am_arena *pool = am_arena_create(&err);
    am_reading reading = {.pool = pool, .files = &files, .err = &err};
    char *text = fuzz_text(data, size);
    am_node *expect = pool ? am_node_parse(pool, "expect.yaml", text, size, true, &err) : NULL;
    am_status status = expect ? am_expect_read(&reading, expect) : err.status;
    if (status != AM_OK)
        fuzz_require_failure(status, &err);
    else
        compare(&reading, expect);
    am_arena_free(pool);
    free(text);
    return 0;
}
