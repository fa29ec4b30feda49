/* Parts of a sweep that are not what this program wrote: other dimensions, other types, claims that the file cannot
 * hold. They are refused, or read as what they are; memory is touched nowhere else. */
#include <netcdf.h>
#include <netcdf_mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "errors.h"
#include "output/netcdf.h"
#include "scratch.h"
#include "uniform.h"

static size_t below(uint64_t *seed, size_t count) {
    return (size_t)uniform(seed, 0, (double)count);
}

/* ---- a part as the program writes it ---- */

static am_result *random_result(uint64_t *seed) {
    am_result *result = am_result_create(NULL);
    assert_non_null(result);
    size_t tables = 1 + below(seed, 3);
    for (size_t t = 0; t < tables; t++) {
        char name[32];
        snprintf(name, sizeof name, "table%zu", t);
        am_table *table = am_result_add_table(result, name, NULL);
        size_t columns = 1 + below(seed, 5), rows = below(seed, 40);
        for (size_t c = 0; c < columns; c++) {
            snprintf(name, sizeof name, c % 2 ? "column %zu" : "c%zu", c);
            GOOD(am_table_add_column(table, name, "m", (am_column_kind)below(seed, 3), err));
        }
        for (size_t r = 0; r < rows; r++) {
            GOOD(am_table_add_row(table, err));
            for (size_t c = 0; c < columns; c++) {
                snprintf(name, sizeof name, "%.*s", (int)below(seed, 20), "0123456789abcdefghij");
                if (am_table_column_kind(table, c) == AM_COLUMN_TEXT)
                    GOOD(am_table_set_text(table, c, name, err));
                else
                    am_table_set_number(table, c,
                                        am_table_column_kind(table, c) == AM_COLUMN_FLAG ? (double)below(seed, 2)
                                                                                         : uniform(seed, -1e3, 1e3));
            }
        }
    }
    return result;
}

static void write_part(const am_result *result, am_text *bytes) {
    am_report report = {.title = "part", .source = "", .study = "", .analysis = "sweep", .result = result};
    GOOD(am_output_netcdf(&report, bytes, err));
}

static void whole_parts_come_back_with_every_bit(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < CASES(100, 20); i++) {
        am_result *was = random_result(&seed), *is = am_result_create(NULL);
        am_text bytes = {0};
        write_part(was, &bytes);
        GOOD(am_output_netcdf_read(bytes.data, bytes.length, is, err));
        assert_same_results(was, is);
        am_text_free(&bytes);
        am_result_free(was);
        am_result_free(is);
    }
}

/* ---- parts that somebody else made ---- */

#define NC(call) assert_int_equal(call, NC_NOERR)

typedef struct crafted {
    int file, group, row;
} crafted;

static crafted begin(size_t rows) {
    crafted c;
    NC(nc_create_mem("crafted.nc", NC_NETCDF4, 4096, &c.file));
    NC(nc_def_grp(c.file, "points", &c.group));
    NC(nc_def_dim(c.group, "row", rows, &c.row));
    return c;
}

/* What comes of reading it. */
static am_status read_crafted(crafted *c, am_result *result, am_error *err) {
    NC_memio memory = {0};
    NC(nc_close_memio(c->file, &memory));
    am_status status = am_output_netcdf_read(memory.memory, memory.size, result, err);

    free(memory.memory);
    return status;
}

static void refused(crafted *c, const char *words) {
    am_error err = {0};
    am_result *result = am_result_create(NULL);
    assert_int_equal(read_crafted(c, result, &err), AM_ERR_FILE);
    assert_says(&err, words);
    am_result_free(result);
}

/* Columns of a length of their own, longer or shorter than the table: before, as many values as the variable has were
 * written where there was room for as many as the table has rows. */
static void columns_longer_or_shorter_than_their_table_are_refused(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < CASES(200, 50); i++) {
        size_t rows = 1 + below(&seed, 50), length = 1 + below(&seed, 5000);
        bool text = below(&seed, 2);
        crafted c = begin(rows);
        int dimension[2], width, variable;
        NC(nc_def_dim(below(&seed, 2) ? c.group : c.file, "other", length, &dimension[0]));
        NC(nc_def_dim(c.group, "string", 1 + below(&seed, 300), &width));
        dimension[1] = width;
        NC(nc_def_var(c.group, "point", text ? NC_CHAR : NC_DOUBLE, text ? 2 : 1, dimension, &variable));
        if (text && below(&seed, 2)) { /* or the two exchanged */
            dimension[0] = width;
            dimension[1] = c.row;
            NC(nc_def_var(c.group, "second", NC_CHAR, 2, dimension, &variable));
        }
        refused(&c, "has another shape");
    }
}

/* A dimension that is called `row` and unlimited may grow by another variable's values. */
static void rows_that_grew_are_all_read_and_no_more(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < CASES(50, 10); i++) {
        crafted c = begin(NC_UNLIMITED);
        size_t start = 0, rows = 1 + below(&seed, 100), fewer = below(&seed, rows);
        double numbers[100] = {0};
        int first, second;
        NC(nc_def_var(c.group, "first", NC_DOUBLE, 1, &c.row, &first));
        NC(nc_def_var(c.group, "second", NC_DOUBLE, 1, &c.row, &second));
        for (size_t r = 0; r < rows; r++)
            numbers[r] = uniform(&seed, 0, 1);
        NC(nc_put_vara_double(c.group, first, &start, &rows, numbers));
        NC(nc_put_vara_double(c.group, second, &start, &fewer, numbers));
        am_error err = {0};
        am_result *result = am_result_create(NULL);
        assert_int_equal(read_crafted(&c, result, &err), AM_OK);
        const am_table *table = am_result_table(result, 0);
        assert_int_equal(am_table_rows(table), rows);
        for (size_t r = 0; r < rows; r++)
            assert_true(am_table_number(table, r, 0) == numbers[r]);
        am_result_free(result);
    }
}

/* Values that were never written take no room in the file, however many there are said to be. */
static void claims_beyond_what_the_file_can_hold_are_refused_before_memory_is_asked_for(void **state) {
    (void)state;
    static const size_t claims[][2] = {{(size_t)1 << 26, 0},  {(size_t)1 << 40, 0},        {(size_t)1 << 60, 0},
                                       {(size_t)1 << 24, 64}, {(size_t)1 << 31, 1u << 31}, {1, (size_t)1 << 40}};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        crafted c = begin(claims[i][0]);
        int dimension[2] = {c.row, 0}, variable;
        bool text = claims[i][1] > 0;
        if (text)
            NC(nc_def_dim(c.group, "string", claims[i][1], &dimension[1]));
        NC(nc_def_var(c.group, "point", text ? NC_CHAR : NC_DOUBLE, text ? 2 : 1, dimension, &variable));
        NC(nc_def_var_chunking(c.group, variable, NC_CHUNKED, (const size_t[]){text ? 1 : 512, 64}));
        refused(&c, "larger than the file");
    }
    crafted many = begin((size_t)1 << 20); /* each column by itself would do */
    for (int i = 0; i < 1000; i++) {
        char name[32];
        int variable;
        snprintf(name, sizeof name, "c%d", i);
        NC(nc_def_var(many.group, name, NC_DOUBLE, 1, &many.row, &variable));
        NC(nc_def_var_chunking(many.group, variable, NC_CHUNKED, (const size_t[]){512}));
    }
    refused(&many, "larger than the file");
}

static void other_types_and_ranks_are_refused(void **state) {
    (void)state;
    static const nc_type types[] = {NC_INT, NC_FLOAT, NC_STRING, NC_UBYTE, NC_INT64, NC_DOUBLE, NC_CHAR};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int rank = 0; rank < 4; rank++) {
            crafted c = begin(3);
            int dimension[3] = {c.row, c.row, c.row}, variable;
            if ((types[t] == NC_DOUBLE && rank == 1) || (types[t] == NC_CHAR && rank == 2)) {
                NC(nc_close(c.file));
                continue;
            }
            NC(nc_def_var(c.group, "point", types[t], rank, dimension, &variable));
            refused(&c, "has another shape");
        }
}

static void strange_attributes_are_not_taken_for_texts(void **state) {
    (void)state;
    static const char *const names[] = {"column", "units", "quantity"};
    static const double numbers[] = {1e300, 2.0};
    const char *texts[] = {"one", "two"};
    for (int kind = 0; kind < 3; kind++)
        for (int n = 0; n < 3; n++) {
            crafted c = begin(2);
            int variable;
            char *huge = calloc(1 << 20, 1);
            memset(huge, 'x', 1 << 20);
            NC(nc_def_var(c.group, "point", NC_DOUBLE, 1, &c.row, &variable));
            if (kind == 0)
                NC(nc_put_att_double(c.group, variable, names[n], NC_DOUBLE, 2, numbers));
            else if (kind == 1)
                NC(nc_put_att_string(c.group, variable, names[n], 2, texts));
            else
                NC(nc_put_att_text(c.group, variable, names[n], 60000, huge)); /* the most that HDF5 keeps so */
            am_error err = {0};
            am_result *result = am_result_create(NULL);
            am_status status = read_crafted(&c, result, &err);
            if (status != AM_OK)
                fail_msg("%s", err.message);
            const am_table *table = am_result_table(result, 0);
            assert_string_equal(am_table_name(table), "points");
            if (kind < 2) {
                assert_string_equal(am_table_column_name(table, 0), "point");
                assert_string_equal(am_table_column_unit(table, 0), "");
            }
            am_result_free(result);
            free(huge);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_parts_come_back_with_every_bit),
        cmocka_unit_test(columns_longer_or_shorter_than_their_table_are_refused),
        cmocka_unit_test(rows_that_grew_are_all_read_and_no_more),
        cmocka_unit_test(claims_beyond_what_the_file_can_hold_are_refused_before_memory_is_asked_for),
        cmocka_unit_test(other_types_and_ranks_are_refused),
        cmocka_unit_test(strange_attributes_are_not_taken_for_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
