/* Output: JSON, CSV, NetCDF, figures, folders that are whole or untouched, and the gallery page. */
/* ctest: long */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <dirent.h>
#include <math.h>
#include <netcdf.h>
#include <netcdf_mem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "amontons/output.h"
#include "base/memory.h"
#include "output/csv.h"
#include "output/figure.h"
#include "output/figure_parts.h"
#include "output/file.h"
#include "output/gnuplot.h"
#include "output/netcdf.h"

static void ok(am_status status) {
    assert_int_equal(status, AM_OK);
}

/* ---- A folder of our own per test ---- */

static int make_place(void **state) {
    char *place = strdup(AMONTONS_BINARY_DIR "/test_output-XXXXXX");
    *state = place;
    return place && mkdtemp(place) ? 0 : -1;
}

static void remove_tree(const char *path) {
    DIR *directory = opendir(path);
    if (!directory) {
        unlink(path);
        return;
    }
    const struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *inner = am_output_path(path, entry->d_name, NULL);
        remove_tree(inner);
        am_memory_free(inner);
    }
    closedir(directory);
    rmdir(path);
}

static int remove_place(void **state) {
    remove_tree(*state);
    free(*state);
    return 0;
}

static size_t count_entries(const char *folder) {
    size_t count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    const struct dirent *entry;
    while ((entry = readdir(directory)) != NULL)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

static char *contents(const char *folder, const char *name) {
    char *path = am_output_path(folder, name, NULL);
    char *text = am_output_read(path, 64u << 20, NULL);
    am_memory_free(path);
    assert_non_null(text);
    return text;
}

static void write_text(const char *folder, const char *name, const char *text) {
    char *path = am_output_path(folder, name, NULL);
    am_output_file file;
    ok(am_output_file_open(&file, path, path, NULL));
    am_output_file_write(&file, text, strlen(text));
    ok(am_output_file_close(&file, NULL));
    am_memory_free(path);
}

/* ---- A result that has a bit of everything ---- */

static const double third = 1.0 / 3.0;
static const char awkward[] = "a \"b\", c\nd";

static am_result *make_result(size_t rows) {
    am_result *result = am_result_create(NULL);
    ok(am_result_set_number(result, "first_lift_off", third, NULL));
    ok(am_result_set_count(result, "starts", 5000000000u, NULL));
    ok(am_result_set_flag(result, "unique", false, NULL));
    ok(am_result_set_text(result, "final_state", "st\"ick\n", NULL));
    ok(am_result_set_none(result, "edge", NULL));
    ok(am_result_set_number(result, "bound", INFINITY, NULL));
    am_table *table = am_result_add_table(result, "quasistatic.samples", NULL);
    ok(am_table_add_column(table, "t", "s", AM_COLUMN_NUMBER, NULL));
    ok(am_table_add_column(table, "note", "", AM_COLUMN_TEXT, NULL));
    ok(am_table_add_column(table, "u1", "mm", AM_COLUMN_NUMBER, NULL));
    for (size_t i = 0; i < rows; i++) {
        ok(am_table_add_row(table, NULL));
        am_table_set_number(table, 0, (double)i);
        ok(am_table_set_text(table, 1, i == 1 ? awkward : "plain", NULL));
        am_table_set_number(table, 2, i == 1 ? NAN : third * (double)(i + 1));
    }
    am_table *empty = am_result_add_table(result, "touches", NULL);
    ok(am_table_add_column(empty, "t", "s", AM_COLUMN_NUMBER, NULL));
    ok(am_table_add_column(empty, "contact", "", AM_COLUMN_TEXT, NULL));
    return result;
}

static const am_expectation expectations[] = {{"starts", "5e9", "5000000000", 0, true},
                                              {"final_state", "open", "st\"ick\n", 0, false},
                                              {"unique", "false", "false", 0, true},
                                              {"odd", "0x10", "nan", 0, false}};
static const char *const claims[] = {"a < b & c"};

static am_report make_report(const am_result *result) {
    return (am_report){.study = "studies/one.yaml",
                       .title = "Title with <angle> & \"quotes\"",
                       .source = "A source, Fig. 1",
                       .analysis = "path",
                       .seconds = 0.25,
                       .result = result,
                       .expectation_count = 4,
                       .expectations = expectations,
                       .claim_count = 1,
                       .claims = claims};
}

static const am_curve curve[] = {
    {.table = "quasistatic.samples", .x = "t", .y = "u1", .label = "", .style = AM_CURVE_LINE}};
static const am_figure curves = {.kind = AM_FIGURE_CURVES, .curve_count = 1, .curves = curve};

/* ---- JSON ---- */

static const cJSON *item(const cJSON *object, const char *name) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!found)
        fail_msg("there is no \"%s\"", name);
    return found;
}

static cJSON *parse_report(const am_report *report, bool with_tables) {
    const char *const files[] = {"a.csv", "summary.json"};
    char *text = am_output_json(report, with_tables, 2, files, NULL);
    assert_non_null(text);
    cJSON *document = cJSON_Parse(text);
    assert_non_null(document);
    am_output_text_free(text);
    return document;
}

static void json_holds_the_summary_with_exact_numbers(void **state) {
    (void)state;
    am_result *result = make_result(3);
    am_report report = make_report(result);
    cJSON *document = parse_report(&report, false);
    assert_string_equal(item(document, "study")->valuestring, "studies/one.yaml");
    assert_string_equal(item(document, "analysis")->valuestring, "path");
    assert_true(item(document, "seconds")->valuedouble == 0.25);
    const cJSON *summary = item(document, "summary");
    assert_true(item(summary, "first_lift_off")->valuedouble == third);
    assert_true(item(summary, "starts")->valuedouble == 5e9);
    assert_true(cJSON_IsFalse(item(summary, "unique")));
    assert_string_equal(item(summary, "final_state")->valuestring, "st\"ick\n");
    assert_true(cJSON_IsNull(item(summary, "edge")));
    assert_true(cJSON_IsNull(item(summary, "bound")));
    const cJSON *units = item(document, "summary_units");
    assert_int_equal(cJSON_GetArraySize(units), cJSON_GetArraySize(summary));
    assert_string_equal(item(units, "first_lift_off")->valuestring, "time");
    assert_string_equal(item(units, "starts")->valuestring, "");
    assert_string_equal(item(units, "final_state")->valuestring, "");
    assert_null(cJSON_GetObjectItem(document, "tables"));
    assert_int_equal(cJSON_GetArraySize(item(document, "files")), 2);
    cJSON_Delete(document);
    am_result_free(result);
}

static void json_counts_have_no_exponent(void **state) {
    (void)state;
    am_result *result = make_result(0);
    am_report report = make_report(result);
    char *text = am_output_json(&report, false, 0, NULL, NULL);
    assert_non_null(strstr(text, "\"starts\":\t5000000000,"));
    am_output_text_free(text);
    am_result_free(result);
}

static void json_holds_tables_row_by_row(void **state) {
    (void)state;
    am_result *result = make_result(3);
    am_report report = make_report(result);
    cJSON *document = parse_report(&report, true);
    const cJSON *table = item(item(document, "tables"), "quasistatic.samples");
    assert_string_equal(cJSON_GetArrayItem(item(table, "columns"), 2)->valuestring, "u1");
    assert_string_equal(cJSON_GetArrayItem(item(table, "units"), 2)->valuestring, "mm");
    assert_int_equal(cJSON_GetArraySize(item(table, "rows")), 3);
    const cJSON *first = cJSON_GetArrayItem(item(table, "rows"), 0),
                *second = cJSON_GetArrayItem(item(table, "rows"), 1);
    assert_true(cJSON_GetArrayItem(first, 2)->valuedouble == third);
    assert_string_equal(cJSON_GetArrayItem(second, 1)->valuestring, awkward);
    assert_true(cJSON_IsNull(cJSON_GetArrayItem(second, 2)));
    assert_int_equal(cJSON_GetArraySize(item(item(item(document, "tables"), "touches"), "rows")), 0);
    cJSON_Delete(document);
    am_result_free(result);
}

static void json_expectations_are_values_not_text_where_they_can_be(void **state) {
    (void)state;
    am_result *result = make_result(0);
    am_report report = make_report(result);
    cJSON *document = parse_report(&report, false);
    const cJSON *expect = item(document, "expect");
    const cJSON *starts = cJSON_GetArrayItem(expect, 0), *final = cJSON_GetArrayItem(expect, 1);
    assert_true(cJSON_IsNumber(item(starts, "wanted")) && item(starts, "wanted")->valuedouble == 5e9);
    assert_true(cJSON_IsNumber(item(starts, "got")) && cJSON_IsTrue(item(starts, "ok")));
    assert_string_equal(item(final, "wanted")->valuestring, "open");
    assert_true(cJSON_IsFalse(item(final, "ok")));
    assert_true(cJSON_IsFalse(item(cJSON_GetArrayItem(expect, 2), "wanted")));
    assert_true(cJSON_IsString(item(cJSON_GetArrayItem(expect, 3), "wanted"))); /* 0x10 is a text */
    assert_true(cJSON_IsString(item(cJSON_GetArrayItem(expect, 3), "got")));    /* nan as well */
    cJSON_Delete(document);
    am_result_free(result);
}

/* ---- CSV ---- */

static void csv_quotes_what_needs_it_and_leaves_nan_empty(void **state) {
    const char *place = *state;
    am_result *result = make_result(3);
    char *path = am_output_path(place, "t.csv", NULL);
    am_output_file file;
    ok(am_output_file_open(&file, path, path, NULL));
    ok(am_output_csv(am_result_table(result, 0), &file, NULL));
    ok(am_output_file_close(&file, NULL));
    char *text = contents(place, "t.csv");
    assert_string_equal(text, "t,note,u1\n0,plain,0.3333333333333333\n1,\"a \"\"b\"\", c\nd\",\n2,plain,1\n");
    am_memory_free(text);
    am_memory_free(path);
    am_result_free(result);
}

static void a_full_disk_is_reported_with_the_systems_reason(void **state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    am_result *result = make_result(3);
    am_output_file file;
    am_error err = {0};
    ok(am_output_file_open(&file, "/dev/full", "results/t.csv", NULL));
    ok(am_output_csv(am_result_table(result, 0), &file, NULL));
    assert_int_equal(am_output_file_close(&file, &err), AM_ERR_FILE);
    assert_string_equal(err.message, "results/t.csv could not be written: No space left on device");
    am_result_free(result);
}

/* ---- NetCDF ---- */

static int open_netcdf(const char *place) {
    char *path = am_output_path(place, "results.nc", NULL);
    int file;
    assert_int_equal(nc_open(path, NC_NOWRITE, &file), NC_NOERR);
    am_memory_free(path);
    return file;
}

/* One text of a column: a row of characters, padded with zeros. */
static void read_label(int group, const char *name, size_t row, char *text, size_t room) {
    int variable, dimensions[2], count;
    size_t width;
    nc_type type;
    assert_int_equal(nc_inq_varid(group, name, &variable), NC_NOERR);
    assert_int_equal(nc_inq_var(group, variable, NULL, &type, &count, dimensions, NULL), NC_NOERR);
    assert_true(type == NC_CHAR && count == 2);
    assert_int_equal(nc_inq_dimlen(group, dimensions[1], &width), NC_NOERR);
    assert_true(width < room);
    const size_t start[] = {row, 0}, edge[] = {1, width};
    memset(text, 0, room);
    assert_int_equal(nc_get_vara_text(group, variable, start, edge, text), NC_NOERR);
}

static void netcdf_gives_back_numbers_texts_and_units(void **state) {
    const char *place = *state;
    am_result *result = make_result(5000); /* enough to be compressed */
    am_report report = make_report(result);
    ok(am_output_folder(&report, place, NULL, NULL));
    int file = open_netcdf(place), group, variable, dimension;
    assert_int_equal(nc_inq_ncid(file, "quasistatic_samples", &group), NC_NOERR);
    size_t rows, row;
    assert_int_equal(nc_inq_dimid(group, "row", &dimension), NC_NOERR);
    assert_int_equal(nc_inq_dimlen(group, dimension, &rows), NC_NOERR);
    assert_int_equal(rows, 5000);
    assert_int_equal(nc_inq_varid(group, "u1", &variable), NC_NOERR);
    double value;
    row = 4999;
    assert_int_equal(nc_get_var1_double(group, variable, &row, &value), NC_NOERR);
    assert_true(value == third * 5000);
    row = 1;
    assert_int_equal(nc_get_var1_double(group, variable, &row, &value), NC_NOERR);
    assert_true(isnan(value));
    char unit[16] = "";
    assert_int_equal(nc_get_att_text(group, variable, "units", unit), NC_NOERR);
    assert_string_equal(unit, "mm");
    char text[256];
    read_label(group, "note", row, text, sizeof text);
    assert_string_equal(text, awkward);
    nc_close(file);
    am_result_free(result);
}

static am_result *make_labels(size_t rows) {
    static const char *const labels[] = {"stick,forward", "open", "", "Stoß von µ", "stick,stick"};
    am_result *result = am_result_create(NULL);
    am_table *table = am_result_add_table(result, "map", NULL);
    ok(am_table_add_column(table, "state", "", AM_COLUMN_TEXT, NULL));
    ok(am_table_add_column(table, "cause", "", AM_COLUMN_TEXT, NULL));
    ok(am_table_add_column(table, "remark", "", AM_COLUMN_TEXT, NULL));
    for (size_t i = 0; i < rows; i++) {
        ok(am_table_add_row(table, NULL));
        ok(am_table_set_text(table, 0, labels[i * i % 5], NULL));
        ok(am_table_set_text(table, 1, labels[(i / 7) % 5], NULL));
    }
    return result;
}

static void netcdf_gives_back_labels_in_every_row(void **state) {
    const char *place = *state;
    enum { rows = 90000 }; /* more than are written at once */
    am_result *result = make_labels(rows);
    am_report report = make_report(result);
    ok(am_output_folder(&report, place, NULL, NULL));
    const am_table *table = am_result_table(result, 0);
    int file = open_netcdf(place), group, variable;
    char text[64], encoding[8] = "";
    assert_int_equal(nc_inq_ncid(file, "map", &group), NC_NOERR);
    for (size_t row = 0; row < rows; row += row < 100 || row > rows - 100 ? 1 : 997)
        for (size_t column = 0; column < 3; column++) {
            read_label(group, am_table_column_name(table, column), row, text, sizeof text);
            assert_string_equal(text, am_table_text(table, row, column));
        }
    assert_int_equal(nc_inq_varid(group, "state", &variable), NC_NOERR);
    assert_int_equal(nc_get_att_text(group, variable, "_Encoding", encoding), NC_NOERR);
    assert_string_equal(encoding, "utf-8");
    nc_close(file);
    am_result_free(result);
}

/* Two tables, N columns each: one text, numbers, and names that are the same once cleaned. */
static am_result *make_wide(size_t columns) {
    am_result *result = am_result_create(NULL);
    for (size_t k = 0; k < 2; k++) {
        am_table *table = am_result_add_table(result, k ? "samples" : "corners", NULL);
        ok(am_table_add_column(table, "state", "", AM_COLUMN_TEXT, NULL));
        for (size_t c = 1; c < columns; c++) {
            char name[32];
            snprintf(name, sizeof name, "u%zu", c);
            ok(am_table_add_column(table, c == 7 ? "u.1" : c == 8 ? "u 1" : name, "m", AM_COLUMN_NUMBER, NULL));
        }
        for (size_t row = 0; row < 3; row++) {
            ok(am_table_add_row(table, NULL));
            ok(am_table_set_text(table, 0, row ? "stick" : "open", NULL));
            for (size_t c = 1; c < columns; c++)
                am_table_set_number(table, c, (double)(k + row) / (double)c);
        }
    }
    return result;
}

/* What other readers go by: variables by name, each along `row`. */
static void check_names(void *bytes, size_t count) {
    static const char *const wanted[] = {"u1", "u_1", "u_1_9", "u20", "state"};
    int file, group, variable, dimensions[2];
    char name[NC_MAX_NAME + 1];
    assert_int_equal(nc_open_mem("wide", NC_NOWRITE, count, bytes, &file), NC_NOERR);
    assert_int_equal(nc_inq_ncid(file, "samples", &group), NC_NOERR);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_int_equal(nc_inq_varid(group, wanted[i], &variable), NC_NOERR);
        assert_int_equal(nc_inq_vardimid(group, variable, dimensions), NC_NOERR);
        assert_int_equal(nc_inq_dimname(group, dimensions[0], name), NC_NOERR);
        assert_string_equal(name, "row");
    }
    nc_close(file);
}

static void check_wide(size_t columns) {
    am_result *result = make_wide(columns), *read = am_result_create(NULL);
    am_report report = make_report(result);
    am_text bytes = {0};
    ok(am_output_netcdf(&report, &bytes, NULL));
    ok(am_output_netcdf_read(bytes.data, bytes.length, read, NULL));
    for (size_t k = 0; k < 2; k++) {
        const am_table *wrote = am_result_table(result, k), *got = am_result_table(read, k);
        assert_int_equal(am_table_columns(got), columns);
        assert_int_equal(am_table_rows(got), 3);
        assert_string_equal(am_table_text(got, 0, 0), "open");
        for (size_t c = 1; c < columns; c++) {
            assert_string_equal(am_table_column_name(got, c), am_table_column_name(wrote, c));
            assert_true(am_table_number(got, 2, c) == am_table_number(wrote, 2, c));
        }
    }
    check_names(bytes.data, bytes.length);
    am_text_free(&bytes);
    am_result_free(result);
    am_result_free(read);
}

static void netcdf_gives_back_wide_tables_column_by_column(void **state) {
    (void)state;
    check_wide(30);
    check_wide(101); /* without dimension scales */
    check_wide(1500);
}

/* Stored as strings each label would take 16 bytes and its own text. */
static void netcdf_stores_labels_in_less_than_a_byte_each(void **state) {
    (void)state;
    enum { rows = 100000 };
    am_result *result = make_labels(rows);
    am_report report = make_report(result);
    am_text bytes = {0};
    ok(am_output_netcdf(&report, &bytes, NULL));
    size_t count = bytes.length;
    am_text_free(&bytes);
    if (count >= 2 * rows) /* two columns with labels, one without */
        fail_msg("%zu bytes for 2 x %d labels", count, rows);
    am_result_free(result);
}

static void netcdf_holds_the_summary_and_the_head(void **state) {
    const char *place = *state;
    am_result *result = make_result(2);
    ok(am_result_set_number(result, "model/friction at 0.3", 2.5, NULL)); /* no attribute may be called so */
    am_report report = make_report(result);
    ok(am_output_folder(&report, place, NULL, NULL));
    int file = open_netcdf(place), group, flag = -1;
    double number = 0;
    long long count = 0;
    char title[64] = "";
    assert_int_equal(nc_get_att_text(file, NC_GLOBAL, "title", title), NC_NOERR);
    assert_string_equal(title, report.title);
    assert_int_equal(nc_inq_ncid(file, "summary", &group), NC_NOERR);
    assert_int_equal(nc_get_att_double(group, NC_GLOBAL, "first_lift_off", &number), NC_NOERR);
    assert_true(number == third);
    assert_int_equal(nc_get_att_longlong(group, NC_GLOBAL, "starts", &count), NC_NOERR);
    assert_true(count == 5000000000);
    assert_int_equal(nc_get_att_int(group, NC_GLOBAL, "unique", &flag), NC_NOERR);
    assert_int_equal(flag, 0);
    assert_int_equal(nc_get_att_double(group, NC_GLOBAL, "edge", &number), NC_NOERR);
    assert_true(isnan(number));
    assert_int_equal(nc_get_att_double(group, NC_GLOBAL, "model_friction_at_0.3", &number), NC_NOERR);
    assert_int_equal(nc_inq_ncid(file, "touches", &group), NC_NOERR); /* a table without rows is there too */
    nc_close(file);
    am_result_free(result);
}

/* HDF5 keeps attributes in a header of 64 kB; a study with thousands of numbers in it is longer. */
static void netcdf_holds_texts_of_any_length(void **state) {
    const char *place = *state;
    am_result *result = make_result(2);
    for (size_t length = 1; length < 400000; length = 3 * length + 1) {
        char *text = calloc(length + 1, 1), *found = calloc(length + 1, 1);
        assert_true(text && found);
        for (size_t i = 0; i < length; i++)
            text[i] = (char)('a' + i % 26);
        am_provenance from = {.study = text};
        am_report report = make_report(result);
        report.provenance = &from;
        ok(am_output_folder(&report, place, NULL, NULL));
        int file = open_netcdf(place), variable;
        if (nc_inq_att(file, NC_GLOBAL, "study_as_run", NULL, NULL) != NC_NOERR) {
            assert_int_equal(nc_inq_varid(file, "study_as_run", &variable), NC_NOERR);
            assert_int_equal(nc_get_var_text(file, variable, found), NC_NOERR);
        } else
            assert_int_equal(nc_get_att_text(file, NC_GLOBAL, "study_as_run", found), NC_NOERR);
        assert_string_equal(found, text);
        nc_close(file);
        free(found);
        free(text);
    }
    am_result_free(result);
}

static void tables_whose_names_look_alike_stay_apart(void **state) {
    const char *place = *state;
    am_result *result = am_result_create(NULL);
    const char *const names[] = {"a.b", "a_b", "a/b", "../up", "summary"};
    for (size_t i = 0; i < 5; i++) {
        am_table *table = am_result_add_table(result, names[i], NULL);
        ok(am_table_add_column(table, "x", "", AM_COLUMN_NUMBER, NULL));
        ok(am_table_add_column(table, "x.y", "", AM_COLUMN_NUMBER, NULL));
        ok(am_table_add_column(table, "x_y", "", AM_COLUMN_NUMBER, NULL));
    }
    am_report report = make_report(result);
    char **files = NULL;
    ok(am_output_folder(&report, place, &files, NULL));
    assert_string_equal(files[0], "a.b.csv");
    assert_string_equal(files[1], "a_b.csv");
    assert_string_equal(files[2], "a_b_3.csv");
    assert_string_equal(files[3], "_._up.csv");
    assert_string_equal(files[4], "summary.csv");
    for (size_t i = 0; files[i]; i++)
        assert_true(am_output_is_file(place, files[i]));
    am_output_files_free(files);
    am_result_free(result);
}

/* ---- Folders ---- */

static void a_folder_holds_every_file_it_lists_and_nothing_else(void **state) {
    const char *place = *state;
    am_result *result = make_result(50);
    am_report report = make_report(result);
    report.figure = &curves;
    char *folder = am_output_path(place, "deep/er", NULL);
    char **files = NULL;
    ok(am_output_folder(&report, folder, &files, NULL));
    size_t count = 0;
    for (; files[count]; count++)
        assert_true(am_output_is_file(folder, files[count]));
    assert_string_equal(files[count - 1], "summary.json");
    assert_int_equal(count_entries(folder), count);
    assert_int_equal(count, am_gnuplot_installed() ? 8 : 6);
    char *text = contents(folder, "summary.json");
    cJSON *document = cJSON_Parse(text);
    assert_int_equal(cJSON_GetArraySize(item(document, "files")), count);
    cJSON_Delete(document);
    am_memory_free(text);
    am_output_files_free(files);
    am_memory_free(folder);
    am_result_free(result);
}

static void a_second_run_takes_away_what_only_the_first_wrote(void **state) {
    const char *place = *state;
    am_result *result = make_result(5), *other = am_result_create(NULL);
    am_report report = make_report(result);
    report.figure = &curves;
    ok(am_output_folder(&report, place, NULL, NULL));
    write_text(place, "notes.csv", "mine\n");
    report.result = other;
    report.figure = NULL;
    ok(am_output_folder(&report, place, NULL, NULL));
    assert_false(am_output_is_file(place, "touches.csv"));
    assert_false(am_output_is_file(place, "figure.gp"));
    assert_true(am_output_is_file(place, "notes.csv")); /* never listed: not ours to remove */
    assert_int_equal(count_entries(place), 4);          /* results.nc, SHA256SUMS, summary.json, notes.csv */
    am_result_free(result);
    am_result_free(other);
}

static void an_older_summary_cannot_make_us_remove_other_files(void **state) {
    const char *place = *state;
    char *folder = am_output_path(place, "results", NULL);
    ok(am_output_make_folder(folder, NULL));
    write_text(place, "outside.csv", "keep\n");
    write_text(folder, "thesis.tex", "keep\n");
    write_text(folder, "summary.json", "{\"files\": [\"../outside.csv\", \"thesis.tex\", \"..\", 7, null]}");
    am_result *result = make_result(1);
    am_report report = make_report(result);
    ok(am_output_folder(&report, folder, NULL, NULL));
    assert_true(am_output_is_file(place, "outside.csv"));
    assert_true(am_output_is_file(folder, "thesis.tex"));
    write_text(folder, "summary.json", "not JSON {");
    ok(am_output_folder(&report, folder, NULL, NULL));
    am_memory_free(folder);
    am_result_free(result);
}

static void a_folder_below_a_file_is_refused(void **state) {
    const char *place = *state;
    write_text(place, "file", "");
    char *folder = am_output_path(place, "file/sub", NULL);
    am_result *result = make_result(1);
    am_report report = make_report(result);
    am_error err = {0};
    assert_int_equal(am_output_folder_check(folder, &err), AM_ERR_FILE);
    assert_non_null(strstr(err.message, folder));
    assert_non_null(strstr(err.message, "Not a directory"));
    assert_int_equal(am_output_folder(&report, folder, NULL, &err), AM_ERR_FILE);
    assert_int_equal(am_output_gallery(folder, 0, NULL, &err), AM_ERR_FILE);
    assert_int_equal(am_output_folder_check("", &err), AM_ERR_INPUT);
    am_memory_free(folder);
    am_result_free(result);
}

/* Root may do everything: as root the claim is tested as the user nobody. */
static void become_nobody(bool nobody) {
    static const uid_t id = 65534;
    if (getuid() == 0)
        assert_int_equal(seteuid(nobody ? id : 0), 0);
}

static void a_folder_without_permission_is_refused(void **state) {
    const char *place = *state;
    char *folder = am_output_path(place, "locked", NULL);
    ok(am_output_make_folder(folder, NULL));
    assert_int_equal(chmod(folder, 0555), 0);
    am_error err = {0};
    become_nobody(true);
    am_status status = am_output_folder_check(folder, &err);
    become_nobody(false);
    assert_int_equal(status, AM_ERR_FILE);
    assert_non_null(strstr(err.message, "Permission denied"));
    am_memory_free(folder);
}

static void checking_a_folder_leaves_nothing_in_it(void **state) {
    const char *place = *state;
    char *folder = am_output_path(place, "new", NULL);
    ok(am_output_folder_check(folder, NULL));
    assert_int_equal(count_entries(folder), 0);
    am_memory_free(folder);
}

/* Files cannot grow beyond `bytes`: what a full disk looks like to the writer. */
static struct rlimit limit_file_size(rlim_t bytes) {
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit tight = {.rlim_cur = bytes, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    return before;
}

static void assert_older_results_survive(const char *place, const am_report *report, rlim_t bytes,
                                         const char *culprit) {
    am_result *small = am_result_create(NULL);
    ok(am_result_set_text(small, "marker", "older", NULL));
    am_report older = make_report(small);
    ok(am_output_folder(&older, place, NULL, NULL));
    write_text(place, "touches.csv", "older\n");
    am_error err = {0};
    char **files = NULL;
    struct rlimit before = limit_file_size(bytes);
    am_status status = am_output_folder(report, place, &files, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, AM_ERR_FILE);
    assert_null(files);
    if (!strstr(err.message, culprit))
        fail_msg("\"%s\" does not name %s", err.message, culprit);
    assert_int_equal(count_entries(place), 4); /* results.nc, its sum, summary.json, touches.csv as before */
    char *text = contents(place, "summary.json");
    assert_non_null(strstr(text, "older"));
    am_memory_free(text);
    text = contents(place, "touches.csv");
    assert_string_equal(text, "older\n");
    am_memory_free(text);
    am_result_free(small);
}

static void a_table_that_does_not_fit_leaves_older_results_alone(void **state) {
    am_result *result = make_result(20000);
    am_report report = make_report(result);
    assert_older_results_survive(*state, &report, 100000,
                                 "quasistatic.samples.csv could not be written: File too large");
    am_result_free(result);
}

static void a_netcdf_file_that_does_not_fit_leaves_older_results_alone(void **state) {
    am_result *result = make_result(100);
    am_report report = make_report(result);
    assert_older_results_survive(*state, &report, 5000, "results.nc could not be written: File too large");
    am_result_free(result);
}

static void a_figure_that_does_not_fit_leaves_older_results_alone(void **state) {
    if (!am_gnuplot_installed())
        skip();
    am_result *result = am_result_create(NULL);
    am_table *table = am_result_add_table(result, "noise", NULL); /* small as numbers, large as a picture */
    ok(am_table_add_column(table, "x", "", AM_COLUMN_NUMBER, NULL));
    ok(am_table_add_column(table, "y", "", AM_COLUMN_NUMBER, NULL));
    for (int i = 0; i < 300; i++) {
        ok(am_table_add_row(table, NULL));
        am_table_set_number(table, 0, i);
        am_table_set_number(table, 1, (i * i) % 101);
    }
    const am_curve noise[] = {{.table = "noise", .x = "x", .y = "y", .label = "", .style = AM_CURVE_LINE}};
    const am_figure figure = {.kind = AM_FIGURE_CURVES, .curve_count = 1, .curves = noise};
    am_report report = make_report(result);
    report.figure = &figure;
    am_text bytes = {0}; /* of the largest file before the figure, and a little more */
    ok(am_output_netcdf(&report, &bytes, NULL));
    rlim_t count = (rlim_t)bytes.length;
    am_text_free(&bytes);
    assert_older_results_survive(*state, &report, count + 2000, "figure.png was not written completely");
    am_result_free(result);
}

static void a_folder_in_the_way_of_a_file_undoes_everything(void **state) {
    const char *place = *state;
    am_result *result = make_result(3);
    am_report report = make_report(result);
    char *obstacle = am_output_path(place, "touches.csv", NULL);
    ok(am_output_make_folder(obstacle, NULL));
    write_text(place, "quasistatic.samples.csv", "older\n"); /* comes before touches.csv and is moved first */
    am_error err = {0};
    assert_int_equal(am_output_folder(&report, place, NULL, &err), AM_ERR_FILE);
    assert_non_null(strstr(err.message, "touches.csv could not be replaced: Is a directory"));
    assert_int_equal(count_entries(place), 2);
    char *text = contents(place, "quasistatic.samples.csv");
    assert_string_equal(text, "older\n");
    am_memory_free(text);
    am_memory_free(obstacle);
    am_result_free(result);
}

/* ---- Figures ---- */

static void labels_mean_what_they_say(void **state) {
    (void)state;
    const char *const cases[][2] = {{"u_1", "'u_{1}'"},
                                    {"u_12", "'u_{12}'"},
                                    {"u_1 (mm)", "'u_{1}\xc2\xa0(mm)'"},
                                    {"k_{21} x^2", "'k_{21}\xc2\xa0x^{2}'"},
                                    {"{/:Italic u}_1", "'{/:Italic u}_{1}'"},
                                    {"state_changes", "'state\\_changes'"},
                                    {"_x {y} a@b ~c", "'\\_x \\{y\\} a\\@b \\~c'"},
                                    {"it's `rm -rf x`\n!ls", "'it\xe2\x80\x99s `rm -rf x` !ls'"},
                                    {"open {", "'open \\{'"},
                                    {"back\\slash", "'back\\\\slash'"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        am_text script = {0};
        am_figure_quote(&script, cases[i][0]);
        assert_string_equal(am_text_view(&script), cases[i][1]);
        am_text_free(&script);
    }
}

static void assert_drawn(const char *place, const am_report *report) {
    am_error err = {0};
    am_status status = am_output_folder(report, place, NULL, &err);
    if (status != AM_OK)
        fail_msg("%s", err.message);
    assert_true(am_output_is_file(place, "figure.gp"));
    if (am_gnuplot_installed()) {
        assert_true(am_output_is_file(place, "figure.svg"));
        assert_true(am_output_is_file(place, "figure.png"));
    }
}

static void hostile_labels_are_drawn_and_never_run(void **state) {
    const char *place = *state;
    am_result *result = make_result(5);
    am_report report = make_report(result);
    const am_curve hostile[] = {
        {.table = "quasistatic.samples",
         .x = "t",
         .y = "u1",
         .label = "' ; system('touch owned')",
         .style = AM_CURVE_STEPS},
        {.table = "quasistatic.samples", .x = "t", .y = "t", .label = "`touch owned`", .style = AM_CURVE_POINTS}};
    const am_figure figure = {.kind = AM_FIGURE_CURVES,
                              .title = "`touch owned` @x {unclosed \"\\",
                              .x_label = "'\n!touch owned",
                              .y_label = "^_{",
                              .curve_count = 2,
                              .curves = hostile};
    report.figure = &figure;
    assert_drawn(place, &report);
    assert_false(am_output_is_file(place, "owned"));
    am_result_free(result);
}

static void figures_without_any_data_are_still_drawn(void **state) {
    const char *place = *state;
    am_result *result = make_result(2);
    am_table *empty = am_result_add_table(result, "sectors", NULL);
    ok(am_table_add_column(empty, "from_deg", "", AM_COLUMN_NUMBER, NULL));
    ok(am_table_add_column(empty, "to_deg", "", AM_COLUMN_NUMBER, NULL));
    ok(am_table_add_column(empty, "states", "", AM_COLUMN_TEXT, NULL));
    am_report report = make_report(result);
    const double range[2] = {100, 200};
    const am_curve none[] = {{.table = "touches", .x = "t", .y = "t", .label = "", .style = AM_CURVE_POINTS}};
    const am_figure figures[] = {{.kind = AM_FIGURE_CURVES, .curve_count = 1, .curves = none},
                                 {.kind = AM_FIGURE_CURVES},
                                 {.kind = AM_FIGURE_CURVES, .curve_count = 1, .curves = curve, .x_range = range},
                                 {.kind = AM_FIGURE_MAP, .table = "touches", .x = "t", .y = "t", .value = "contact"},
                                 {.kind = AM_FIGURE_SECTORS}};
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        report.figure = &figures[i];
        assert_drawn(place, &report);
    }
    am_result_free(result);
}

/* Numbers that a logarithmic axis cannot show leave a gap; with none left there is still a picture. */
static void logarithmic_axes_are_drawn(void **state) {
    const char *place = *state;
    for (int empty = 0; empty < 2; empty++) {
        am_result *result = am_result_create(NULL);
        am_table *table = am_result_add_table(result, "samples", NULL);
        ok(am_table_add_column(table, "x", "", AM_COLUMN_NUMBER, NULL));
        ok(am_table_add_column(table, "y", "", AM_COLUMN_NUMBER, NULL));
        for (int i = 0; i < 5; i++) {
            ok(am_table_add_row(table, NULL));
            am_table_set_number(table, 0, i + 1.0);
            am_table_set_number(table, 1, empty ? -1.0 : pow(10.0, i) - 1.0);
        }
        const am_curve one[] = {{.table = "samples", .x = "x", .y = "y", .label = ""}};
        const am_figure figure = {.kind = AM_FIGURE_CURVES, .curve_count = 1, .curves = one, .y_log = true};
        am_report report = make_report(result);
        report.figure = &figure;
        assert_drawn(place, &report);
        char *text = contents(place, "figure.gp");
        assert_non_null(strstr(text, "set logscale y"));
        assert_null(strstr(text, "set logscale x"));
        assert_true((strstr(text, "no data") != NULL) == (empty == 1));
        am_memory_free(text);
        am_result_free(result);
    }
}

static am_result *make_map(size_t nx, size_t ny, double power) {
    am_result *result = am_result_create(NULL);
    am_table *table = am_result_add_table(result, "map", NULL);
    ok(am_table_add_column(table, "v1", "", AM_COLUMN_NUMBER, NULL));
    ok(am_table_add_column(table, "v2", "", AM_COLUMN_NUMBER, NULL));
    ok(am_table_add_column(table, "state", "", AM_COLUMN_TEXT, NULL));
    ok(am_table_add_column(table, "settled", "", AM_COLUMN_NUMBER, NULL));
    for (size_t i = 0; i < nx * ny; i++) {
        size_t ix = i % nx, iy = i / nx;
        ok(am_table_add_row(table, NULL));
        am_table_set_number(table, 0, pow((double)ix, power));
        am_table_set_number(table, 1, -1 + 0.1 * (double)iy);
        ok(am_table_set_text(table, 2, ix < iy ? "stick" : ix == iy ? "other thing" : "open", NULL));
        am_table_set_number(table, 3, ix == 0 && iy == 0 ? NAN : (double)(ix * iy));
    }
    return result;
}

static void an_even_map_is_a_matrix_of_codes(void **state) {
    const char *place = *state;
    am_result *result = make_map(3, 2, 1);
    am_report report = make_report(result);
    const am_figure figure = {.kind = AM_FIGURE_MAP, .table = "map", .x = "v1", .y = "v2", .value = "state"};
    report.figure = &figure;
    assert_drawn(place, &report);
    char *text = contents(place, "figure.dat"); /* open 0.5, stick 1.5, other 2.5; one line per v2 */
    assert_string_equal(text, "2.5,0.5,0.5\n1.5,2.5,0.5\n");
    am_memory_free(text);
    text = contents(place, "figure.gp");
    assert_non_null(strstr(text, "with image"));
    assert_non_null(strstr(text, "title 'other thing'"));
    am_memory_free(text);
    am_result_free(result);
}

static void maps_of_numbers_and_uneven_maps_are_drawn(void **state) {
    const char *place = *state;
    const size_t sizes[][2] = {{6, 5}, {1, 5}, {1, 1}, {40, 40}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int power = 1; power <= 2; power++) {
            am_result *result = make_map(sizes[i][0], sizes[i][1], power);
            am_report report = make_report(result);
            am_figure figure = {.kind = AM_FIGURE_MAP, .table = "map", .x = "v1", .y = "v2", .value = "settled"};
            report.figure = &figure;
            assert_drawn(place, &report);
            figure.value = "state";
            assert_drawn(place, &report);
            am_result_free(result);
        }
    }
}

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

/* Twice in the script, for both files; the second panel is a map with data of its own, the third has nothing to show. */
static void panels_are_drawn_each_with_its_own_axes_and_data(void **state) {
    const char *place = *state;
    am_result *result = make_map(3, 2, 1);
    am_report report = make_report(result);
    const am_curve one[] = {{.table = "map", .x = "v1", .y = "settled", .label = ""}};
    const double nowhere[2] = {100, 200};
    const am_figure panels[] = {
        {.kind = AM_FIGURE_CURVES, .curve_count = 1, .curves = one, .x_label = "first", .y_log = true},
        {.kind = AM_FIGURE_MAP, .table = "map", .x = "v1", .y = "v2", .value = "state", .x_label = "second"},
        {.kind = AM_FIGURE_CURVES, .curve_count = 1, .curves = one, .x_range = nowhere, .title = "} {' `touch owned`"}};
    am_figure figure = {.kind = AM_FIGURE_PANELS,
                        .panel_count = 3,
                        .panels = panels,
                        .columns = 2,
                        .title = "all '\n!touch owned { of them"};
    report.figure = &figure;
    assert_drawn(place, &report);
    assert_false(am_output_is_file(place, "owned"));
    char *text = contents(place, "figure.gp");
    assert_int_equal(count_of(text, "set multiplot layout 2,2 title "), 2);
    assert_int_equal(count_of(text, "set xlabel 'first'"), 2);
    assert_int_equal(count_of(text, "set xlabel 'second'"), 2);
    assert_int_equal(count_of(text, "set logscale y"), 2);
    assert_int_equal(count_of(text, "no data"), 2);
    assert_int_equal(count_of(text, "'figure-2.dat' matrix"), 2);
    am_memory_free(text);
    text = contents(place, "figure-2.dat");
    assert_string_equal(text, "2.5,0.5,0.5\n1.5,2.5,0.5\n");
    am_memory_free(text);
    const am_figure inner[] = {{.kind = AM_FIGURE_SECTORS}};
    am_error err = {0};
    figure.panels = inner;
    figure.panel_count = 1;
    assert_int_equal(am_output_folder(&report, place, NULL, &err), AM_ERR_INPUT);
    assert_non_null(strstr(err.message, "curves or maps"));
    am_result_free(result);
}

static void sectors_are_drawn_with_the_states_admissible_in_them(void **state) {
    const char *place = *state;
    am_result *result = am_result_create(NULL);
    am_table *table = am_result_add_table(result, "sectors", NULL);
    ok(am_table_add_column(table, "from_deg", "deg", AM_COLUMN_NUMBER, NULL));
    ok(am_table_add_column(table, "to_deg", "deg", AM_COLUMN_NUMBER, NULL));
    ok(am_table_add_column(table, "states", "", AM_COLUMN_TEXT, NULL));
    const double limits[] = {0, 90, 100, 300, 0};
    const char *const states[] = {"open", "stick+backward+open", "stick", ""};
    for (size_t i = 0; i < 4; i++) {
        ok(am_table_add_row(table, NULL));
        am_table_set_number(table, 0, limits[i]);
        am_table_set_number(table, 1, limits[i + 1]); /* the last one passes 360 */
        ok(am_table_set_text(table, 2, states[i], NULL));
    }
    am_report report = make_report(result);
    const am_figure figure = {.kind = AM_FIGURE_SECTORS};
    report.figure = &figure;
    assert_drawn(place, &report);
    char *text = contents(place, "figure.gp");
    assert_non_null(strstr(text, "arc [300:360]"));
    assert_non_null(strstr(text, "set label 'stick'.\"\\n\".'backward'.\"\\n\".'open' at"));
    assert_non_null(strstr(text, "set label 'none' at"));
    am_memory_free(text);
    am_result_free(result);
}

static void a_figure_of_something_absent_names_its_field(void **state) {
    const char *place = *state;
    am_result *result = make_result(2);
    am_report report = make_report(result);
    am_error err = {0};
    const am_curve wrong_table[] = {{.table = "sample", .x = "t", .y = "u1", .label = "", .style = AM_CURVE_LINE}};
    const am_curve wrong_column[] = {
        {.table = "quasistatic.samples", .x = "t", .y = "u3", .label = "", .style = AM_CURVE_LINE}};
    const am_curve text_column[] = {
        {.table = "quasistatic.samples", .x = "note", .y = "u1", .label = "", .style = AM_CURVE_LINE}};
    am_figure figure = {.kind = AM_FIGURE_CURVES, .curve_count = 1, .curves = wrong_table};
    report.figure = &figure;
    assert_int_equal(am_output_folder(&report, place, NULL, &err), AM_ERR_INPUT);
    assert_string_equal(err.field, "figure.curves[0].table");
    figure.curves = wrong_column;
    assert_int_equal(am_output_folder(&report, place, NULL, &err), AM_ERR_INPUT);
    assert_string_equal(err.field, "figure.curves[0].y");
    assert_non_null(strstr(err.message, "t, note, u1"));
    figure.curves = text_column;
    assert_int_equal(am_output_folder(&report, place, NULL, &err), AM_ERR_INPUT);
    assert_string_equal(err.field, "figure.curves[0].x");
    assert_int_equal(count_entries(place), 0);
    am_result_free(result);
}

static void plotting_again_runs_the_script_and_tells_what_gnuplot_says(void **state) {
    const char *place = *state;
    am_error err = {0};
    assert_int_equal(am_output_plot(place, &err), AM_ERR_INPUT);
    assert_non_null(strstr(err.message, "no figure.gp"));
    if (!am_gnuplot_installed())
        skip();
    write_text(place, "figure.gp", "set nonsense\n");
    assert_int_equal(am_output_plot(place, &err), AM_ERR_FILE);
    assert_non_null(strstr(err.message, "gnuplot says"));
    assert_non_null(strstr(err.message, "line 1"));
    write_text(place, "figure.gp", "x = 1\n");
    assert_int_equal(am_output_plot(place, &err), AM_ERR_FILE); /* it ran, but there is no figure */
    am_result *result = make_result(9);
    am_report report = make_report(result);
    report.figure = &curves;
    ok(am_output_folder(&report, place, NULL, NULL));
    char *svg = am_output_path(place, "figure.svg", NULL);
    unlink(svg);
    ok(am_output_plot(place, NULL));
    assert_true(am_output_is_file(place, "figure.svg"));
    am_memory_free(svg);
    am_result_free(result);
}

static void without_gnuplot_the_script_is_left_to_be_run_later(void **state) {
    const char *place = *state;
    char *folder = am_output_path(place, "results", NULL);
    char *before = strdup(getenv("PATH") ? getenv("PATH") : "");
    am_result *result = make_result(9);
    am_report report = make_report(result);
    report.figure = &curves;
    am_error err = {0};
    setenv("PATH", place, 1);
    am_status status = am_output_folder(&report, folder, NULL, NULL);
    am_status plotted = am_output_plot(folder, &err);
    setenv("PATH", before, 1);
    ok(status);
    assert_true(am_output_is_file(folder, "figure.gp"));
    assert_false(am_output_is_file(folder, "figure.svg"));
    assert_int_equal(plotted, AM_ERR_FILE);
    assert_non_null(strstr(err.message, "gnuplot is not installed"));
    free(before);
    am_memory_free(folder);
    am_result_free(result);
}

/* ---- Gallery ---- */

/* Texts of a study that try to be more than texts. */
static const char evil[] = "</code></pre><script>alert('1')</script>\"' onload=alert(1) &lt;b&gt;";

static am_gallery_entry entry_of(const char *group, const char *name, const char *folder, const am_report *report) {
    return (am_gallery_entry){.group = group, .name = name, .folder = folder, .report = report};
}

/* One script, which is ours, and nothing of a study or from a network. */
static void check_page(const char *folder, const char *name) {
    char *page = contents(folder, name);
    static const char ours[] = "<script src=\"gallery.js\" defer></script>";
    const char *script = strstr(page, "<script");
    assert_memory_equal(page, "<!DOCTYPE html>", 15);
    assert_true(!script || strncmp(script, ours, strlen(ours)) == 0);
    assert_true(!script || !strstr(script + 1, "<script"));
    assert_null(strstr(page, "http"));
    assert_null(strstr(page, "<angle>"));
    assert_null(strstr(page, "onload=alert(1) &lt;"));
    assert_null(strstr(page, "\"' onload"));
    am_memory_free(page);
}

static void the_gallery_escapes_text_and_shows_what_did_not_hold(void **state) {
    const char *place = *state;
    am_result *result = make_result(3);
    am_report report = make_report(result);
    report.figure = &curves;
    char *folder = am_output_path(place, "group/one & two", NULL);
    ok(am_output_folder(&report, folder, NULL, NULL));
    am_gallery_entry entries[] = {entry_of("group", "one", "group/one & two", &report),
                                  entry_of("other", "broken", "other/broken", NULL),
                                  entry_of("group", "late", "group/late", &report)};
    entries[1].failure = "no <state> is consistent";
    ok(am_output_gallery(place, 3, entries, NULL));
    assert_int_equal(count_entries(place), 7); /* group, other, three pages, style and script, nothing hidden */
    char *page = contents(place, "index.html");
    assert_non_null(strstr(page, "Title with &lt;angle&gt; &amp; &quot;quotes&quot;"));
    assert_non_null(strstr(page, "3 studies"));
    assert_non_null(strstr(page, "3 did not hold:"));
    assert_non_null(strstr(page, "href=\"group/one%20%26%20two.html\""));
    assert_null(strstr(page, "group/late/")); /* nothing there to link to */
    if (am_gnuplot_installed())
        assert_non_null(strstr(page, "src=\"group/one%20%26%20two/figure.svg\""));
    am_memory_free(page);
    page = contents(place, "group/one & two.html");
    assert_non_null(strstr(page, "<h1>Title with &lt;angle&gt; &amp; &quot;quotes&quot;</h1>"));
    assert_non_null(strstr(page, "<li>a &lt; b &amp; c</li>"));
    assert_non_null(strstr(page, "expectations were not met"));
    assert_non_null(strstr(page, "href=\"one%20%26%20two/quasistatic.samples.csv\""));
    assert_non_null(strstr(page, "href=\"one%20%26%20two/figure.gp\""));
    if (am_gnuplot_installed())
        assert_non_null(strstr(page, "src=\"one%20%26%20two/figure.svg\""));
    assert_non_null(strstr(page, "href=\"../other/broken.html\"")); /* its neighbour */
    am_memory_free(page);
    page = contents(place, "other/broken.html");
    assert_non_null(strstr(page, "no &lt;state&gt; is consistent"));
    am_memory_free(page);
    am_memory_free(folder);
    am_result_free(result);
}

static void no_text_of_a_study_runs_on_the_gallery_pages(void **state) {
    const char *place = *state;
    static const char *const pages[] = {"index.html", "topics.html", "wrong.html", "evil/one.html"};
    const char *evil_claims[] = {evil};
    am_result *result = make_result(0);
    am_report report = make_report(result);
    report.title = report.source = report.about = report.topic = report.correction = report.analysis = evil;
    report.claims = evil_claims;
    report.verdict = AM_SOURCE_REFUTED;
    am_gallery_entry entries[] = {entry_of("evil", evil, "evil/one", &report), entry_of(evil, evil, "evil/two", NULL)};
    entries[0].group_title = entries[0].text = entries[1].failure = entries[1].text = evil;
    ok(am_output_gallery(place, 2, entries, NULL));
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
        check_page(place, pages[i]);
    check_page(place, "evil/two.html");
    am_result_free(result);
}

static void a_gallery_where_everything_held_says_so(void **state) {
    const char *place = *state;
    am_result *result = make_result(0);
    am_report report = make_report(result);
    report.expectation_count = 1;
    am_gallery_entry entry = entry_of("group", "one", "group/one", &report);
    ok(am_output_gallery(place, 1, &entry, NULL));
    char *page = contents(place, "index.html");
    assert_non_null(strstr(page, "1 study"));
    assert_non_null(strstr(page, "Every expectation held."));
    assert_null(strstr(page, "did not hold"));
    am_memory_free(page);
    am_result_free(result);
}

static void the_gallery_lists_studies_by_topic_and_what_sources_got_wrong(void **state) {
    const char *place = *state;
    am_result *result = make_result(0);
    am_report held = make_report(result);
    held.expectation_count = 0;
    held.verdict = AM_SOURCE_HELD;
    held.topic = "stick and slip";
    am_report refuted = held;
    refuted.verdict = AM_SOURCE_REFUTED;
    refuted.correction = "It repels, with R = -1.157.";
    am_report misprint = held;
    misprint.correction = "The caption has the sign wrong.";
    am_gallery_entry entries[] = {entry_of("paper", "a", "paper/a", &held), entry_of("paper", "b", "paper/b", &refuted),
                                  entry_of("own", "c", "own/c", &misprint)};
    entries[0].group_title = "A paper of 1998";
    ok(am_output_gallery(place, 3, entries, NULL));
    char *page = contents(place, "wrong.html");
    assert_null(strstr(page, "paper/a.html"));
    const char *first = strstr(page, "paper/b.html"), *second = strstr(page, "own/c.html");
    assert_true(first && second && first < second);
    assert_non_null(strstr(first, "It repels, with R = -1.157."));
    am_memory_free(page);
    page = contents(place, "topics.html");
    assert_non_null(strstr(page, "<section class=\"group\" id=\"stick and slip\">"));
    assert_non_null(strstr(page, "href=\"#stick%20and%20slip\""));
    am_memory_free(page);
    page = contents(place, "index.html");
    assert_non_null(strstr(page, "<h2>A paper of 1998</h2>"));
    assert_non_null(strstr(page, "href=\"paper/b.html\" data-verdict=\"refuted\""));
    assert_non_null(strstr(page, "held (2)"));
    am_memory_free(page);
    page = contents(place, "paper/b.html");
    assert_non_null(
        strstr(page, "Refuted: what the source says did not come out.</strong> It repels, with R = -1.157."));
    am_memory_free(page);
    am_result_free(result);
}

/* Before the first picture: the page, its style and its script. */
static void a_gallery_of_three_hundred_studies_is_light(void **state) {
    const char *place = *state;
    enum { COUNT = 300 };
    static char name[COUNT][16], folder[COUNT][32];
    static am_gallery_entry entries[COUNT];
    static const char *const files[] = {"index.html", "gallery.css", "gallery.js"};
    char about[1200] = "";
    for (size_t i = 0; strlen(about) + 16 < sizeof about; i++)
        sprintf(about + strlen(about), "word%c%c%c ", (char)('a' + i % 26), (char)('a' + i / 26), (char)('a' + i % 7));
    am_result *result = make_result(0);
    am_report report = make_report(result);
    report.title = "A title of fifty characters, as the longest ones are";
    report.about = about;
    for (size_t i = 0; i < COUNT; i++) {
        sprintf(name[i], "fig%zu", i);
        sprintf(folder[i], "document/fig%zu", i);
        entries[i] = entry_of("document", name[i], folder[i], &report);
    }
    ok(am_output_gallery(place, COUNT, entries, NULL));
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char *text = contents(place, files[i]);
        bytes += strlen(text);
        am_memory_free(text);
    }
    assert_in_range(bytes, 100000, 300000);
    am_result_free(result);
}

static void a_study_on_its_page_has_colours_and_all_its_characters(void **state) {
    const char *place = *state;
    static const char study[] = "title: a: b, c # not < all\nabout: >\n  x: 1, {y}\n\n  # text\n"
                                "model: {kind: structure, \"a'b\": 'x # y', f: [-1.5e3, 0x2]}\nlast: \"open";
    static const char shown[] =
        "<span class=\"k\">title</span>: <span class=\"k\">a</span>: b, c <span class=\"c\"># not &lt; all</span>\n"
        "<span class=\"k\">about</span>: &gt;\n  x: 1, {y}\n\n  # text\n"
        "<span class=\"k\">model</span>: {<span class=\"k\">kind</span>: structure, <span "
        "class=\"k\">&quot;a&#39;b&quot;</span>: "
        "<span class=\"s\">&#39;x # y&#39;</span>, <span class=\"k\">f</span>: [<span class=\"n\">-1.5e3</span>, "
        "0x2]}\n<span class=\"k\">last</span>: <span class=\"s\">&quot;open</span>";
    am_result *result = make_result(0);
    am_report report = make_report(result);
    am_gallery_entry entry = entry_of("group", "one", "group/one", &report);
    entry.text = study;
    ok(am_output_gallery(place, 1, &entry, NULL));
    char *page = contents(place, "group/one.html");
    assert_non_null(strstr(page, shown));
    am_memory_free(page);
    am_result_free(result);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_holds_the_summary_with_exact_numbers),
        cmocka_unit_test(json_counts_have_no_exponent),
        cmocka_unit_test(json_holds_tables_row_by_row),
        cmocka_unit_test(json_expectations_are_values_not_text_where_they_can_be),
        IN_PLACE(csv_quotes_what_needs_it_and_leaves_nan_empty),
        cmocka_unit_test(a_full_disk_is_reported_with_the_systems_reason),
        IN_PLACE(netcdf_gives_back_numbers_texts_and_units),
        IN_PLACE(netcdf_gives_back_labels_in_every_row),
        IN_PLACE(netcdf_gives_back_wide_tables_column_by_column),
        IN_PLACE(netcdf_stores_labels_in_less_than_a_byte_each),
        IN_PLACE(netcdf_holds_the_summary_and_the_head),
        IN_PLACE(netcdf_holds_texts_of_any_length),
        IN_PLACE(tables_whose_names_look_alike_stay_apart),
        IN_PLACE(a_folder_holds_every_file_it_lists_and_nothing_else),
        IN_PLACE(a_second_run_takes_away_what_only_the_first_wrote),
        IN_PLACE(an_older_summary_cannot_make_us_remove_other_files),
        IN_PLACE(a_folder_below_a_file_is_refused),
        IN_PLACE(a_folder_without_permission_is_refused),
        IN_PLACE(checking_a_folder_leaves_nothing_in_it),
        IN_PLACE(a_table_that_does_not_fit_leaves_older_results_alone),
        IN_PLACE(a_netcdf_file_that_does_not_fit_leaves_older_results_alone),
        IN_PLACE(a_figure_that_does_not_fit_leaves_older_results_alone),
        IN_PLACE(a_folder_in_the_way_of_a_file_undoes_everything),
        cmocka_unit_test(labels_mean_what_they_say),
        IN_PLACE(hostile_labels_are_drawn_and_never_run),
        IN_PLACE(figures_without_any_data_are_still_drawn),
        IN_PLACE(logarithmic_axes_are_drawn),
        IN_PLACE(an_even_map_is_a_matrix_of_codes),
        IN_PLACE(maps_of_numbers_and_uneven_maps_are_drawn),
        IN_PLACE(panels_are_drawn_each_with_its_own_axes_and_data),
        IN_PLACE(sectors_are_drawn_with_the_states_admissible_in_them),
        IN_PLACE(a_figure_of_something_absent_names_its_field),
        IN_PLACE(plotting_again_runs_the_script_and_tells_what_gnuplot_says),
        IN_PLACE(without_gnuplot_the_script_is_left_to_be_run_later),
        IN_PLACE(the_gallery_escapes_text_and_shows_what_did_not_hold),
        IN_PLACE(no_text_of_a_study_runs_on_the_gallery_pages),
        IN_PLACE(a_gallery_where_everything_held_says_so),
        IN_PLACE(the_gallery_lists_studies_by_topic_and_what_sources_got_wrong),
        IN_PLACE(a_gallery_of_three_hundred_studies_is_light),
        IN_PLACE(a_study_on_its_page_has_colours_and_all_its_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
