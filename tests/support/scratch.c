#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch[512];

int make_scratch(void **state) {
    (void)state;
    snprintf(scratch, sizeof scratch, "%s/test_scratch-XXXXXX", AMONTONS_BINARY_DIR);
    return mkdtemp(scratch) ? 0 : -1;
}

void remove_tree(const char *path) {
    DIR *directory = unlink(path) == 0 ? NULL : opendir(path); /* a link to a folder is not that folder */
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char inner[1024];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%.500s/%.500s", path, entry->d_name);
        remove_tree(inner);
    }
    closedir(directory);
    rmdir(path);
}

int remove_scratch(void **state) {
    (void)state;
    remove_tree(scratch);
    return 0;
}

const char *in_scratch(const char *name) {
    static char paths[4][1024];
    static int turn;
    assert_true(scratch[0]); /* make_scratch was called: nothing is written into the root of the file system */
    turn = (turn + 1) % 4;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", scratch, name);
    return paths[turn];
}

void write_scratch(const char *name, const char *text) {
    FILE *file = fopen(in_scratch(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

size_t parts_in(const char *results, char first[1024]) {
    char folder[900];
    size_t count = 0;
    snprintf(folder, sizeof folder, "%.400s/%.400s/sweep-parts", scratch, results);
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        const char *name = entry->d_name, *dot = strrchr(name, '.');
        if (strncmp(name, "part-", 5) != 0 || !dot || strcmp(dot, ".nc") != 0)
            continue;
        if (first && count == 0)
            snprintf(first, 1024, "%.900s/%.100s", folder, name);
        count++;
    }
    if (directory)
        closedir(directory);
    return count;
}

bool has_no_parts(const char *results) {
    char folder[900];
    snprintf(folder, sizeof folder, "%.400s/%.400s/sweep-parts", scratch, results);
    return access(folder, F_OK) != 0;
}

static void compare_tables(const am_table *a, const am_table *b) {
    assert_string_equal(am_table_name(a), am_table_name(b));
    assert_int_equal(am_table_columns(a), am_table_columns(b));
    assert_int_equal(am_table_rows(a), am_table_rows(b));
    for (size_t c = 0; c < am_table_columns(a); c++) {
        assert_string_equal(am_table_column_name(a, c), am_table_column_name(b, c));
        assert_string_equal(am_table_column_unit(a, c), am_table_column_unit(b, c));
        assert_int_equal(am_table_column_kind(a, c), am_table_column_kind(b, c));
        for (size_t r = 0; r < am_table_rows(a); r++) {
            if (am_table_column_kind(a, c) == AM_COLUMN_TEXT) {
                assert_string_equal(am_table_text(a, r, c), am_table_text(b, r, c));
                continue;
            }
            double x = am_table_number(a, r, c), y = am_table_number(b, r, c);
            assert_memory_equal(&x, &y, sizeof x);
        }
    }
}

void assert_same_results(const am_result *a, const am_result *b) {
    assert_int_equal(am_result_table_count(a), am_result_table_count(b));
    assert_int_equal(am_result_scalar_count(a), am_result_scalar_count(b));
    for (size_t t = 0; t < am_result_table_count(a); t++)
        compare_tables(am_result_table(a, t), am_result_table(b, t));
    for (size_t i = 0; i < am_result_scalar_count(a); i++) {
        const am_scalar *x = am_result_scalar(a, i), *y = am_result_scalar(b, i);
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->kind, y->kind);
        if (x->kind == AM_SCALAR_TEXT)
            assert_string_equal(x->text, y->text);
        else
            assert_memory_equal(&x->number, &y->number, sizeof x->number);
    }
}
