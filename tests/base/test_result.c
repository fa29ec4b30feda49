/* Results: scalars, tables, absorbing; and the text helpers they stand on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/result.h"
#include "base/columns.h"
#include "base/memory.h"
#include "base/result_reuse.h"
#include "base/text.h"

static void ok(am_status status) {
    assert_int_equal(status, AM_OK);
}

/* ---- Text ---- */

static void text_grows_and_keeps_everything(void **state) {
    (void)state;
    am_text text = {0};
    for (int i = 0; i < 10000; i++)
        am_text_printf(&text, "%d,", i);
    am_text_add(&text, NULL);
    am_text_add(&text, "end");
    size_t length = text.length;
    am_error err = {0};
    char *taken = am_text_take(&text, &err);
    assert_non_null(taken);
    assert_int_equal(strlen(taken), length);
    assert_memory_equal(taken, "0,1,2,3,", 8);
    assert_string_equal(taken + length - 8, "9999,end");
    assert_null(text.data);
    am_memory_free(taken);
}

static void an_untouched_text_is_an_empty_string(void **state) {
    (void)state;
    am_text text = {0};
    assert_string_equal(am_text_view(&text), "");
    char *taken = am_text_take(&text, NULL);
    assert_string_equal(taken, "");
    am_memory_free(taken);
}

static void a_failed_text_says_so_at_the_end(void **state) {
    (void)state;
    am_text text = {0};
    am_text_add_bytes(&text, "x", SIZE_MAX); /* no room for that */
    am_text_add(&text, "after");
    am_error err = {0};
    assert_int_equal(am_text_status(&text, &err), AM_ERR_MEMORY);
    assert_null(am_text_take(&text, &err));
    assert_int_equal(err.status, AM_ERR_MEMORY);
}

static void assert_number_text(double value, const char *wanted) {
    char buffer[AM_TEXT_NUMBER_SIZE];
    size_t length = am_text_format_number(value, buffer);
    assert_string_equal(buffer, wanted);
    assert_int_equal(length, strlen(wanted));
}

static void numbers_are_written_as_short_as_they_can_be(void **state) {
    (void)state;
    assert_number_text(0.1, "0.1");
    assert_number_text(42, "42");
    assert_number_text(-0.0, "-0");
    assert_number_text(160801, "160801");
    assert_number_text(9007199254740991.0, "9007199254740991");
    assert_number_text(1.0 / 3.0, "0.3333333333333333");
    assert_number_text(0.1 + 0.2, "0.30000000000000004");
    assert_number_text(1e300, "1e+300");
    assert_number_text(NAN, "nan");
    assert_number_text(-INFINITY, "-inf");
}

static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void every_number_reads_back_to_the_same_bits(void **state) {
    (void)state;
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = next_random(&seed), back_bits;
        double value, back;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        char buffer[AM_TEXT_NUMBER_SIZE];
        am_text_format_number(value, buffer);
        back = strtod(buffer, NULL);
        memcpy(&back_bits, &back, sizeof back);
        if (back_bits != bits)
            fail_msg("%a was written as %s, which is %a", value, buffer, back);
    }
}

/* The C library's own answer, bit by bit: numbers short enough for one multiplication, and those that are not. */
static void numbers_are_read_as_the_c_library_reads_them(void **state) {
    (void)state;
    static const char *const odd[] = {
        "-0",     "+7.",   ".5",       "0.1e-22",          "123456789012345e22",      "1e23",
        "5e-324", "1e400", "00012.50", "9007199254740993", "0.000000000000000000001", "1.e+05"};
    uint64_t seed = 362436069u;
    for (int i = 0; i < 100000; i++) {
        char text[64], sign[2] = {"-+"[next_random(&seed) % 2], '\0'};
        int digits = (int)(next_random(&seed) % 18);
        uint64_t size = next_random(&seed) >> (next_random(&seed) % 60);
        snprintf(text, sizeof text, "%s%.*fe%d", i % 3 ? "" : sign, digits, ldexp((double)size, -30),
                 (int)(next_random(&seed) % 61) - 30);
        const char *number = i < (int)(sizeof odd / sizeof *odd) ? odd[i] : text;
        double got = NAN, wanted = strtod(number, NULL);
        assert_int_equal(am_text_parse_number(number, &got), strlen(number));
        if (memcmp(&got, &wanted, sizeof got) != 0)
            fail_msg("%s was read as %a, not %a", number, got, wanted);
    }
}

static void a_part_of_a_text_ends_where_its_buffer_does(void **state) {
    (void)state;
    char buffer[5] = "????";
    assert_string_equal(am_text_part(buffer, sizeof buffer, "tangent", 3), "tan");
    assert_string_equal(am_text_part(buffer, sizeof buffer, "tangent", 7), "tang");
    assert_string_equal(am_text_part(buffer, sizeof buffer, "tangent", 0), "");
}

static void numbers_have_a_point_in_every_locale(void **state) {
    (void)state;
    const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof locales / sizeof locales[0] && !found; i++)
        found = setlocale(LC_NUMERIC, locales[i]) != NULL;
    if (!found)
        skip();
    char buffer[AM_TEXT_NUMBER_SIZE];
    am_text_format_number(0.5, buffer);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(buffer, "0.5");
}

static void near_misses_are_suggested(void **state) {
    (void)state;
    const char *const keys[] = {"stiffness", "mass", "friction", "load_rate", "velocity", "until"};
    size_t count = sizeof keys / sizeof keys[0];
    assert_string_equal(am_text_nearest("stifness", keys, count), "stiffness");
    assert_string_equal(am_text_nearest("fricton", keys, count), "friction");
    assert_string_equal(am_text_nearest("firction", keys, count), "friction");
    assert_string_equal(am_text_nearest("Mass", keys, count), "mass");
    assert_string_equal(am_text_nearest("load-rate", keys, count), "load_rate");
    assert_string_equal(am_text_nearest("vel", keys, count), "velocity");
    assert_string_equal(am_text_nearest("mass", keys, count), "mass");
}

static void far_misses_are_not_suggested(void **state) {
    (void)state;
    const char *const keys[] = {"stiffness", "mass", "friction", "a"};
    assert_null(am_text_nearest("temperature", keys, 4));
    assert_null(am_text_nearest("", keys, 4));
    assert_null(am_text_nearest(NULL, keys, 4));
    assert_null(am_text_nearest("x", keys, 4)); /* every letter would have to change */
    assert_null(am_text_nearest("mass", keys, 0));
    char monster[1000];
    memset(monster, 'm', sizeof monster);
    monster[sizeof monster - 1] = '\0';
    assert_null(am_text_nearest(monster, keys, 4));
}

/* ---- Scalars ---- */

static void scalars_keep_order_kind_and_value(void **state) {
    (void)state;
    am_result *result = am_result_create(NULL);
    ok(am_result_set_number(result, "a", 1.5, NULL));
    ok(am_result_set_count(result, "b", 160801, NULL));
    ok(am_result_set_flag(result, "c", true, NULL));
    ok(am_result_set_text(result, "d", "stick", NULL));
    ok(am_result_set_none(result, "e", NULL));
    assert_int_equal(am_result_scalar_count(result), 5);
    const am_scalar *a = am_result_scalar(result, 0), *d = am_result_find(result, "d");
    assert_string_equal(a->name, "a");
    assert_int_equal(a->kind, AM_SCALAR_NUMBER);
    assert_true(a->number == 1.5);
    assert_null(a->text);
    assert_true(am_result_find(result, "b")->number == 160801);
    assert_true(am_result_find(result, "c")->number == 1);
    assert_int_equal(d->kind, AM_SCALAR_TEXT);
    assert_string_equal(d->text, "stick");
    assert_int_equal(am_result_find(result, "e")->kind, AM_SCALAR_NONE);
    assert_null(am_result_find(result, "f"));
    assert_null(am_result_scalar(result, 5));
    am_result_free(result);
}

static void setting_a_scalar_again_replaces_it_in_place(void **state) {
    (void)state;
    am_result *result = am_result_create(NULL);
    ok(am_result_set_text(result, "first", "text", NULL));
    ok(am_result_set_number(result, "second", 2, NULL));
    ok(am_result_set_count(result, "first", 7, NULL));
    assert_int_equal(am_result_scalar_count(result), 2);
    const am_scalar *first = am_result_scalar(result, 0);
    assert_string_equal(first->name, "first");
    assert_int_equal(first->kind, AM_SCALAR_COUNT);
    assert_null(first->text);
    am_result_free(result);
}

static void a_scalar_without_a_name_is_refused(void **state) {
    (void)state;
    am_result *result = am_result_create(NULL);
    am_error err = {0};
    assert_int_equal(am_result_set_number(result, "", 1, &err), AM_ERR_INPUT);
    assert_int_equal(am_result_set_text(result, NULL, "x", &err), AM_ERR_INPUT);
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_int_equal(am_result_scalar_count(result), 0);
    am_result_free(result);
}

/* ---- Tables ---- */

static am_table *two_columns(am_result *result, const char *name) {
    am_table *table = am_result_add_table(result, name, NULL);
    assert_non_null(table);
    ok(am_table_add_column(table, "t", "s", AM_COLUMN_NUMBER, NULL));
    ok(am_table_add_column(table, "state", NULL, AM_COLUMN_TEXT, NULL));
    return table;
}

static void a_new_row_is_nan_and_empty(void **state) {
    (void)state;
    am_result *result = am_result_create(NULL);
    am_table *table = two_columns(result, "samples");
    ok(am_table_add_row(table, NULL));
    assert_true(isnan(am_table_number(table, 0, 0)));
    assert_string_equal(am_table_text(table, 0, 1), "");
    assert_string_equal(am_table_column_unit(table, 0), "s");
    assert_string_equal(am_table_column_unit(table, 1), "");
    am_result_free(result);
}

static void a_large_map_of_labels_keeps_every_cell(void **state) {
    (void)state;
    const char *const labels[] = {"open", "stick", "forward", "backward", "undecided"};
    am_result *result = am_result_create(NULL);
    am_table *table = two_columns(result, "map");
    for (size_t i = 0; i < 160801; i++) {
        ok(am_table_add_row(table, NULL));
        am_table_set_number(table, 0, (double)i);
        ok(am_table_set_text(table, 1, labels[(i * i) % 5], NULL));
    }
    assert_int_equal(am_table_rows(table), 160801);
    for (size_t i = 0; i < 160801; i++) {
        if (am_table_number(table, i, 0) != (double)i || strcmp(am_table_text(table, i, 1), labels[(i * i) % 5]) != 0)
            fail_msg("row %zu was changed", i);
    }
    /* Equal labels are one string: the dictionary holds each once. */
    assert_ptr_equal(am_table_text(table, 0, 1), am_table_text(table, 5, 1));
    am_result_free(result);
}

static void a_text_column_takes_many_different_texts(void **state) {
    (void)state;
    am_result *result = am_result_create(NULL);
    am_table *table = two_columns(result, "sequences");
    char text[32];
    for (size_t i = 0; i < 50000; i++) {
        snprintf(text, sizeof text, "sequence %zu", i * 7919);
        ok(am_table_add_row(table, NULL));
        ok(am_table_set_text(table, 1, text, NULL));
    }
    for (size_t i = 0; i < 50000; i++) {
        snprintf(text, sizeof text, "sequence %zu", i * 7919);
        if (strcmp(am_table_text(table, i, 1), text) != 0)
            fail_msg("row %zu is \"%s\", not \"%s\"", i, am_table_text(table, i, 1), text);
    }
    am_result_free(result);
}

static void misuse_of_a_table_is_refused(void **state) {
    (void)state;
    am_result *result = am_result_create(NULL);
    am_error err = {0};
    am_table *table = two_columns(result, "samples");
    assert_null(am_result_add_table(result, "samples", &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_null(am_result_add_table(result, "", &err));
    assert_int_equal(am_table_add_column(table, "t", "", AM_COLUMN_NUMBER, &err), AM_ERR_INPUT);
    assert_int_equal(am_table_set_text(table, 1, "no row yet", &err), AM_ERR_INPUT);
    ok(am_table_add_row(table, NULL));
    assert_int_equal(am_table_add_column(table, "late", "", AM_COLUMN_NUMBER, &err), AM_ERR_INPUT);
    assert_int_equal(am_table_set_text(table, 0, "a number column", &err), AM_ERR_INPUT);
    assert_int_equal(am_table_set_text(table, 9, "no column", &err), AM_ERR_INPUT);
    am_table_set_number(table, 1, 1); /* ignored, not written somewhere */
    am_table_set_number(table, 9, 1);
    assert_string_equal(am_table_text(table, 0, 1), "");
    assert_true(isnan(am_table_number(table, 0, 1)));
    assert_true(isnan(am_table_number(table, 1, 0)));
    assert_string_equal(am_table_text(table, 0, 0), "");
    assert_int_equal(am_table_find_column(table, "late"), SIZE_MAX);
    assert_int_equal(am_table_find_column(table, "state"), 1);
    am_result_free(result);
}

static void tables_stay_where_they_are(void **state) {
    (void)state;
    am_result *result = am_result_create(NULL);
    am_table *first = two_columns(result, "table 0");
    for (int i = 1; i < 100; i++) {
        char name[32];
        snprintf(name, sizeof name, "table %d", i);
        two_columns(result, name);
    }
    assert_ptr_equal(am_result_find_table(result, "table 0"), first);
    assert_int_equal(am_result_table_count(result), 100);
    assert_string_equal(am_table_name(am_result_table(result, 99)), "table 99");
    assert_null(am_result_table(result, 100));
    am_result_free(result);
}

/* ---- Absorbing ---- */

static void absorbing_moves_everything_under_a_prefix(void **state) {
    (void)state;
    am_result *into = am_result_create(NULL), *from = am_result_create(NULL);
    ok(am_result_set_count(into, "jumps", 1, NULL));
    two_columns(into, "samples");
    ok(am_result_set_count(from, "jumps", 2, NULL));
    ok(am_result_set_text(from, "final_state", "open", NULL));
    am_table *moved = two_columns(from, "samples");
    ok(am_table_add_row(moved, NULL));
    ok(am_table_set_text(moved, 1, "stick", NULL));
    ok(am_result_absorb(into, from, "quasistatic", NULL));
    assert_int_equal(am_result_scalar_count(from), 0);
    assert_int_equal(am_result_table_count(from), 0);
    am_result_free(from);
    assert_true(am_result_find(into, "jumps")->number == 1);
    assert_true(am_result_find(into, "quasistatic.jumps")->number == 2);
    assert_string_equal(am_result_find(into, "quasistatic.final_state")->text, "open");
    assert_string_equal(am_table_text(am_result_find_table(into, "quasistatic.samples"), 0, 1), "stick");
    am_result_free(into);
}

static void absorbing_a_name_that_exists_moves_nothing(void **state) {
    (void)state;
    am_result *into = am_result_create(NULL), *from = am_result_create(NULL);
    am_error err = {0};
    two_columns(into, "samples");
    ok(am_result_set_count(from, "jumps", 2, NULL));
    two_columns(from, "samples");
    assert_int_equal(am_result_absorb(into, from, "", &err), AM_ERR_INPUT);
    assert_non_null(strstr(err.message, "samples"));
    assert_int_equal(am_result_scalar_count(into), 0);
    assert_int_equal(am_result_scalar_count(from), 1);
    assert_int_equal(am_result_table_count(from), 1);
    ok(am_result_set_count(into, "jumps", 1, NULL));
    assert_int_equal(am_result_absorb(into, from, NULL, &err), AM_ERR_INPUT);
    assert_int_equal(am_result_absorb(into, into, "x", &err), AM_ERR_INPUT);
    am_result_free(from);
    am_result_free(into);
}

static void a_table_without_columns_has_no_rows(void **state) {
    (void)state;
    am_error err = {0};
    am_result *result = am_result_create(NULL);
    am_table *table = am_result_add_table(result, "table", NULL);
    assert_int_equal(am_table_add_row(table, &err), AM_ERR_INPUT);
    assert_non_null(strstr(err.message, "has no columns"));
    assert_int_equal(am_table_rows(table), 0);
    am_result_free(result);
}

static void whole_columns_are_what_the_cells_are(void **state) {
    (void)state;
    am_result *result = am_result_create(NULL);
    am_table *table = am_result_add_table(result, "table", NULL);
    ok(am_table_add_column(table, "x", "m", AM_COLUMN_NUMBER, NULL));
    ok(am_table_add_column(table, "word", "", AM_COLUMN_TEXT, NULL));
    ok(am_table_add_column(table, "flag", "", AM_COLUMN_FLAG, NULL));
    assert_null(am_table_numbers(table, 0)); /* no rows */
    for (int i = 0; i < 1000; i++) {
        ok(am_table_add_row(table, NULL));
        am_table_set_number(table, 0, 0.1 * i);
        am_table_set_flag(table, 2, i % 3 == 0);
    }
    for (size_t c = 0; c < 3; c += 2)
        for (size_t i = 0; i < 1000; i++)
            assert_true(am_table_numbers(table, c)[i] == am_table_number(table, i, c));
    assert_null(am_table_numbers(table, 1));
    assert_null(am_table_numbers(table, 3));
    am_result_free(result);
}

/* Many values are set and one check follows: it tells the first failure, whatever comes after it. */
static void the_first_failure_is_remembered(void **state) {
    (void)state;
    am_error err = {0};
    am_result *result = am_result_create(NULL);
    assert_int_equal(am_result_status(result, &err), AM_OK);
    am_table *table = am_result_add_table(result, "events", NULL);
    assert_int_equal(am_table_add_row(table, NULL), AM_ERR_INPUT); /* no columns */
    assert_int_equal(am_result_set_number(result, "", 1.0, &err), AM_ERR_INPUT);
    assert_non_null(strstr(err.message, "needs a name"));
    assert_int_equal(am_result_set_count(result, "good", 3, NULL), AM_OK);
    assert_int_equal(am_result_status(result, &err), AM_ERR_INPUT);
    assert_string_equal(err.message, "table \"events\" has no columns: rows come after them");
    assert_int_equal(am_table_status(table, NULL), AM_ERR_INPUT);
    assert_int_equal((int)am_result_find(result, "good")->number, 3);
    am_result *other = am_result_create(NULL);
    assert_int_equal(am_result_absorb(other, result, "part", &err), AM_ERR_INPUT); /* it is not whole */
    assert_int_equal(am_result_scalar_count(other), 0);
    am_result_clear(result);
    assert_int_equal(am_result_status(result, &err), AM_OK);
    am_result_free(other);
    am_result_free(result);
}

/* A table that changes hands tells its new owner. */
static void failures_go_to_the_owner(void **state) {
    (void)state;
    am_result *first = am_result_create(NULL), *second = am_result_create(NULL);
    am_table *table = am_result_describe_table(first, "orbits", "orbit stable period");
    assert_int_equal(am_table_column_kind(table, 0), AM_COLUMN_COUNT);
    assert_int_equal(am_table_column_kind(table, 1), AM_COLUMN_FLAG);
    assert_int_equal(am_table_column_kind(table, 2), AM_COLUMN_NUMBER);
    assert_string_equal(am_table_column_unit(table, 2), "time");
    assert_true(strlen(am_table_column_about(table, 1)) > 0);
    assert_int_equal(am_result_absorb(second, first, NULL, NULL), AM_OK);
    am_table_describe(table, "period"); /* there already */
    assert_int_equal(am_result_status(first, NULL), AM_OK);
    assert_int_equal(am_result_status(second, NULL), AM_ERR_INPUT);
    am_result_free(first);
    am_result_free(second);
}

static void what_is_not_described_is_refused(void **state) {
    (void)state;
    am_error err = {0};
    am_result *result = am_result_create(NULL);
    am_result_describe_table(result, "orbits", "orbit stabel");
    assert_int_equal(am_result_status(result, &err), AM_ERR_INPUT);
    assert_string_equal(err.message, "column \"stabel\" of table \"orbits\" is not described");
    am_result_free(result);
}

static void rows_take_numbers_past_the_texts_between_them(void **state) {
    (void)state;
    am_result *result = am_result_create(NULL);
    am_table *table = am_result_describe_table(result, "branch", "kind frequency stable residual");
    am_table_add_numbers(table, AM_NUMBERS(1.5, 1.0, NAN));
    am_table_set_text(table, 0, "forced", NULL);
    am_table_add_numbers(table, AM_NUMBERS(2.5)); /* the rest is missing */
    ok(am_result_status(result, NULL));
    assert_int_equal(am_table_rows(table), 2);
    assert_string_equal(am_table_text(table, 0, 0), "forced");
    assert_true(am_table_number(table, 0, 1) == 1.5 && am_table_number(table, 0, 2) == 1.0);
    assert_true(isnan(am_table_number(table, 0, 3)));
    assert_string_equal(am_table_text(table, 1, 0), "");
    assert_true(am_table_number(table, 1, 1) == 2.5 && isnan(am_table_number(table, 1, 2)));
    am_result_free(result);
}

static void values_that_are_not_known_are_none(void **state) {
    (void)state;
    am_text text = {0};
    am_result *result = am_result_create(NULL);
    am_result_set_numbers(result, AM_NAMED({"known", 2.0}, {"unknown", NAN}, {"endless", INFINITY}));
    am_result_set_counts(result, AM_NAMED({"steps", 12}));
    am_result_set_decided(result, "undecided", false, true);
    am_result_set_decided(result, "decided", true, true);
    am_text_add(&text, "written");
    am_result_take_text(result, "text", &text);
    ok(am_result_status(result, NULL));
    assert_true(am_result_find(result, "known")->number == 2.0);
    assert_int_equal(am_result_find(result, "unknown")->kind, AM_SCALAR_NONE);
    assert_int_equal(am_result_find(result, "endless")->kind, AM_SCALAR_NONE);
    assert_int_equal(am_result_find(result, "steps")->kind, AM_SCALAR_COUNT);
    assert_true(am_result_find(result, "steps")->number == 12.0);
    assert_int_equal(am_result_find(result, "undecided")->kind, AM_SCALAR_NONE);
    assert_int_equal(am_result_find(result, "decided")->kind, AM_SCALAR_FLAG);
    assert_string_equal(am_result_find(result, "text")->text, "written");
    assert_null(text.data);
    am_text_add_bytes(&text, "x", SIZE_MAX); /* too much to write */
    am_result_take_text(result, "lost", &text);
    assert_int_equal(am_result_status(result, NULL), AM_ERR_MEMORY);
    am_result_free(result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_without_columns_has_no_rows),
        cmocka_unit_test(whole_columns_are_what_the_cells_are),
        cmocka_unit_test(text_grows_and_keeps_everything),
        cmocka_unit_test(an_untouched_text_is_an_empty_string),
        cmocka_unit_test(a_failed_text_says_so_at_the_end),
        cmocka_unit_test(numbers_are_written_as_short_as_they_can_be),
        cmocka_unit_test(every_number_reads_back_to_the_same_bits),
        cmocka_unit_test(numbers_are_read_as_the_c_library_reads_them),
        cmocka_unit_test(a_part_of_a_text_ends_where_its_buffer_does),
        cmocka_unit_test(numbers_have_a_point_in_every_locale),
        cmocka_unit_test(near_misses_are_suggested),
        cmocka_unit_test(far_misses_are_not_suggested),
        cmocka_unit_test(scalars_keep_order_kind_and_value),
        cmocka_unit_test(setting_a_scalar_again_replaces_it_in_place),
        cmocka_unit_test(a_scalar_without_a_name_is_refused),
        cmocka_unit_test(a_new_row_is_nan_and_empty),
        cmocka_unit_test(a_large_map_of_labels_keeps_every_cell),
        cmocka_unit_test(a_text_column_takes_many_different_texts),
        cmocka_unit_test(misuse_of_a_table_is_refused),
        cmocka_unit_test(tables_stay_where_they_are),
        cmocka_unit_test(absorbing_moves_everything_under_a_prefix),
        cmocka_unit_test(absorbing_a_name_that_exists_moves_nothing),
        cmocka_unit_test(the_first_failure_is_remembered),
        cmocka_unit_test(failures_go_to_the_owner),
        cmocka_unit_test(what_is_not_described_is_refused),
        cmocka_unit_test(rows_take_numbers_past_the_texts_between_them),
        cmocka_unit_test(values_that_are_not_known_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
