/* Tables as bytes for another process: they come back with every bit, and bytes that are none touch nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "errors.h"
#include "output/packed.h"
#include "scratch.h"
#include "uniform.h"

static size_t below(uint64_t *seed, size_t count) {
    return (size_t)uniform(seed, 0, (double)count);
}

static void fill_cell(uint64_t *seed, am_table *table, size_t c) {
    static const double rare[] = {0.0, -0.0, INFINITY, -INFINITY, 5e-324, 1e308};
    char text[32];
    snprintf(text, sizeof text, "%.*s", (int)below(seed, 20), "0123456789 \n\"\xc3\xa9,=abcdef");
    if (am_table_column_kind(table, c) == AM_COLUMN_TEXT)
        GOOD(am_table_set_text(table, c, text, err));
    else
        am_table_set_number(table, c, below(seed, 3) ? uniform(seed, -1e3, 1e3) : rare[below(seed, 6)]);
}

static am_result *random_result(uint64_t *seed) {
    am_result *result = am_result_create(NULL);
    assert_non_null(result);
    for (size_t t = 0, tables = below(seed, 4); t < tables; t++) {
        char name[32];
        snprintf(name, sizeof name, "table %zu", t);
        am_table *table = am_result_add_table(result, name, NULL);
        size_t columns = 1 + below(seed, 5), rows = below(seed, 30);
        for (size_t c = 0; c < columns; c++) {
            snprintf(name, sizeof name, "column %zu", c);
            GOOD(am_table_add_column(table, name, c % 2 ? "m/s" : "", (am_column_kind)below(seed, 3), err));
        }
        for (size_t r = 0; r < rows; r++) {
            GOOD(am_table_add_row(table, err));
            for (size_t c = 0; c < columns; c++)
                fill_cell(seed, table, c);
        }
    }
    return result;
}

static void tables_come_back_with_every_bit(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < CASES(300, 50); i++) {
        am_result *was = random_result(&seed), *is = am_result_create(NULL);
        am_text bytes = {0};
        GOOD(am_tables_pack(was, &bytes, err));
        GOOD(am_tables_unpack(bytes.data, bytes.length, is, err));
        assert_same_results(was, is);
        am_text_free(&bytes);
        am_result_free(was);
        am_result_free(is);
    }
}

/* A copy of exactly this size, so that the sanitizers see a step beyond it. */
static void try_bytes(const am_text *bytes, size_t length) {
    char *copy = test_malloc(length + 1);
    am_result *result = am_result_create(NULL);
    am_error err = {0};
    memcpy(copy + 1, bytes->data, length); /* out of line, too */
    am_status status = am_tables_unpack(copy + 1, length, result, &err);
    assert_true(length < bytes->length ? status == AM_ERR_FILE : status == AM_OK || err.message[0]);
    am_result_free(result);
    test_free(copy);
}

static void bytes_that_were_cut_off_or_changed_are_refused_or_read_as_what_they_are(void **state) {
    (void)state;
    static const unsigned char marks[] = {0, 1, 0x7f, 0x80, 0xff};
    uint64_t seed = 2;
    for (int i = 0; i < CASES(3000, 300); i++) {
        am_result *result = random_result(&seed);
        am_text bytes = {0};
        GOOD(am_tables_pack(result, &bytes, err));
        if (i % 2)
            try_bytes(&bytes, below(&seed, bytes.length));
        else {
            for (size_t k = 0, changes = 1 + below(&seed, 3); k < changes; k++)
                bytes.data[below(&seed, below(&seed, 2) ? bytes.length : 8 + bytes.length / 8)] =
                    (char)marks[below(&seed, sizeof marks)];
            try_bytes(&bytes, bytes.length);
        }
        am_text_free(&bytes);
        am_result_free(result);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_come_back_with_every_bit),
        cmocka_unit_test(bytes_that_were_cut_off_or_changed_are_refused_or_read_as_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
