/* Results of many runs, one after another: emptied and filled again, with some tables only, and whole columns. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dictionary.h"
#include "base/memory.h"
#include "base/result_reuse.h"
#include "errors.h"
#include "results.h"

static void fill(am_result *r, const char *const *names, size_t count, double value) {
    for (size_t i = 0; i < count; i++)
        GOOD(am_result_set_number(r, names[i], value + (double)i, err));
}

static void expect(const am_result *r, const char *const *names, size_t count, double value) {
    assert_int_equal(am_result_scalar_count(r), count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(am_result_scalar(r, i)->name, names[i]);
        assert_true(number(r, names[i]) == value + (double)i);
    }
}

static void an_emptied_result_is_empty_and_takes_the_same_names_again(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    am_result *r = am_result_create(NULL);
    for (double run = 0; run < 3; run++) {
        fill(r, names, 10, run);
        GOOD(am_result_set_text(r, "c", "replaced", err)); /* a name that is there already */
        assert_string_equal(text(r, "c"), "replaced");
        GOOD(am_result_set_number(r, "c", run + 2, err));
        assert_non_null(am_result_add_table(r, "table", NULL));
        expect(r, names, 10, run);
        am_result_clear(r);
        assert_int_equal(am_result_scalar_count(r), 0);
        assert_int_equal(am_result_table_count(r), 0);
        assert_null(am_result_find(r, "a"));
    }
    am_result_free(r);
}

/* Whatever came before: other names, fewer, another order, texts where numbers were. */
static void what_an_emptied_result_held_does_not_show(void **state) {
    (void)state;
    static const char *const runs[][5] = {{"a", "b", "c", "d", "e"}, {"a", "b", "x"},
                                          {"b", "a", "c", "d", "e"}, {"e", "d"},
                                          {"e", "d", "c", "b", "a"}, {"q"}};
    static const size_t counts[] = {5, 3, 5, 2, 5, 1};
    am_result *r = am_result_create(NULL);
    for (size_t before = 0; before < 6; before++)
        for (size_t after = 0; after < 6; after++) {
            fill(r, runs[before], counts[before], 1.0);
            GOOD(am_result_set_text(r, runs[before][0], "text", err));
            am_result_clear(r);
            fill(r, runs[after], counts[after], 7.0);
            expect(r, runs[after], counts[after], 7.0);
            am_result_clear(r);
        }
    am_result_free(r);
}

static void an_emptied_result_can_absorb_and_be_absorbed(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    am_result *into = am_result_create(NULL), *from = am_result_create(NULL);
    for (int run = 0; run < 2; run++) {
        fill(into, names, 3, 0.0);
        fill(from, names, 3, 5.0);
        am_result_clear(into);
        am_result_clear(from);
        fill(into, names, 2, 1.0);
        fill(from, names, 1, 9.0);
        GOOD(am_result_absorb(into, from, "x", err));
        assert_int_equal(am_result_scalar_count(into), 3);
        assert_true(number(into, "x.a") == 9.0 && number(into, "b") == 2.0);
        am_result_clear(into);
    }
    am_result_free(into);
    am_result_free(from);
}

static void tables_are_wanted_by_their_full_names(void **state) {
    (void)state;
    static const char *const tables[] = {"events", "slow.samples"};
    am_result *r = am_result_create(NULL);
    assert_true(am_result_wants(r, "anything"));
    am_result_select(r, &(am_result_wish){2, tables, ""});
    assert_true(am_result_wants(r, "events") && !am_result_wants(r, "samples"));
    am_result_select(r, &(am_result_wish){2, tables, "slow"});
    assert_true(!am_result_wants(r, "events") && am_result_wants(r, "samples"));
    am_result_select(r, &(am_result_wish){2, tables, "slo"});
    assert_false(am_result_wants(r, "samples"));
    am_result_select(r, &(am_result_wish){0});
    assert_false(am_result_wants(r, "events"));
    am_result_select(r, NULL);
    assert_true(am_result_wants(r, "events"));
    am_result_free(r);
}

static void a_table_changes_hands(void **state) {
    (void)state;
    am_result *from = am_result_create(NULL), *into = am_result_create(NULL);
    am_table *a = am_result_add_table(from, "a", NULL), *b = am_result_add_table(from, "b", NULL);
    assert_true(a && b);
    GOOD(am_result_move_table(into, from, "a", err));
    GOOD(am_result_move_table(into, from, "c", err));
    assert_ptr_equal(table_of(into, "a"), a);
    assert_ptr_equal(table_of(from, "b"), b);
    assert_int_equal(am_result_table_count(from), 1);
    am_result_free(from); /* not with what was moved */
    assert_string_equal(am_table_name(table_of(into, "a")), "a");
    am_result_free(into);
}

static void whole_columns_become_a_table(void **state) {
    (void)state;
    am_result *r = am_result_create(NULL);
    am_table *table = am_result_add_table(r, "t", NULL);
    double *given = am_memory_doubles((const double[]){1, 2, 3}, 3, NULL), *numbers = given, *none = NULL;
    GOOD(am_table_add_column(table, "x", "", AM_COLUMN_NUMBER, err));
    GOOD(am_table_add_column(table, "y", "", AM_COLUMN_NUMBER, err));
    GOOD(am_table_add_column(table, "w", "", AM_COLUMN_TEXT, err));
    am_table_adopt(table, 1, &numbers);
    am_table_adopt(table, 0, &none);
    assert_null(numbers);
    GOOD(am_table_make_rows(table, 3, err));
    am_table_put_number(table, 2, 0, 5.0);
    GOOD(am_table_put_text(table, 1, 2, "word", err));
    assert_int_equal(am_table_put_text(table, 3, 2, "beyond", NULL), AM_ERR_INPUT);
    assert_int_equal(am_table_rows(table), 3);
    assert_true(isnan(cell(table, 0, "x")) && cell(table, 2, "x") == 5.0 && cell(table, 1, "y") == 2.0);
    assert_string_equal(word(table, 0, "w"), "");
    assert_string_equal(word(table, 1, "w"), "word");
    GOOD(am_table_add_row(table, err)); /* it can still grow */
    am_table_set_number(table, 1, 4.0);
    assert_true(cell(table, 0, "y") == 1.0 && cell(table, 3, "y") == 4.0 && isnan(cell(table, 3, "x")));
    am_result_free(r);
}

static void equal_words_have_one_code(void **state) {
    (void)state;
    am_dictionary dict = {0};
    char one[32];
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 1000; i++) {
            uint32_t code = 0;
            snprintf(one, sizeof one, "word %u", (unsigned)(i / 2));
            GOOD(am_dictionary_code(&dict, one, &code, err));
            assert_int_equal(code, i / 2);
            assert_string_equal(am_dictionary_word(&dict, code), one);
        }
    assert_int_equal(dict.count, 500);
    assert_string_equal(am_dictionary_word(&dict, 500), "");
    am_dictionary_clear(&dict);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_emptied_result_is_empty_and_takes_the_same_names_again),
        cmocka_unit_test(what_an_emptied_result_held_does_not_show),
        cmocka_unit_test(an_emptied_result_can_absorb_and_be_absorbed),
        cmocka_unit_test(tables_are_wanted_by_their_full_names),
        cmocka_unit_test(a_table_changes_hands),
        cmocka_unit_test(whole_columns_become_a_table),
        cmocka_unit_test(equal_words_have_one_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
