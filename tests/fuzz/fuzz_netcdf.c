/* Parts of a sweep and results: NetCDF files. The bytes describe a file, which NetCDF itself writes in memory (crafted
 * HDF5 is a matter of HDF5, which is given such files in a process of its own): groups with dimensions, variables and
 * attributes of any kind, which must be read or refused; or results as the program writes them, which must come back
 * with every bit. Or they are what such a process answers, which is not believed either. */
#include <netcdf.h>
#include <netcdf_mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "output/netcdf.h"
#include "output/packed.h"
#include "same_result.h"

/* ---- results ---- */

static void take_text(fuzz_bytes *bytes, char *text, size_t most) {
    size_t length = fuzz_below(bytes, most);
    for (size_t i = 0; i < length; i++)
        text[i] = (char)(1 + fuzz_below(bytes, 127));
    text[length] = '\0';
}

static void fill_table(fuzz_bytes *bytes, am_table *table) {
    char text[32];
    size_t columns = fuzz_below(bytes, 6), rows = fuzz_below(bytes, 9);
    for (size_t c = 0; c < columns; c++) {
        take_text(bytes, text, sizeof text);
        am_table_add_column(table, text, c % 2 ? "m" : "", (am_column_kind)fuzz_below(bytes, 3), NULL);
    }
    for (size_t r = 0; r < rows; r++) {
        am_table_add_row(table, NULL);
        for (size_t c = 0; c < am_table_columns(table); c++) {
            take_text(bytes, text, sizeof text);
            if (am_table_column_kind(table, c) == AM_COLUMN_TEXT)
                am_table_set_text(table, c, text, NULL);
            else if (am_table_column_kind(table, c) == AM_COLUMN_FLAG)
                am_table_set_flag(table, c, fuzz_below(bytes, 2) == 1);
            else
                am_table_set_number(table, c, fuzz_number(bytes));
        }
    }
}

static void show(const am_result *result) {
    am_report report = {.title = "", .source = "", .study = "", .analysis = "", .result = result};
    char *text = am_output_json(&report, true, 0, NULL, NULL);
    fprintf(stderr, "%s\n", text ? text : "no JSON");
    am_output_text_free(text);
}

static void results_come_back(fuzz_bytes *bytes) {
    char text[32];
    am_error err = {0};
    am_text file = {0};
    am_result *was = am_result_create(NULL), *is = am_result_create(NULL);
    for (size_t tables = fuzz_below(bytes, 4); tables > 0; tables--) {
        take_text(bytes, text, sizeof text);
        am_table *table = am_result_add_table(was, text, NULL);
        if (table)
            fill_table(bytes, table);
    }
    take_text(bytes, text, sizeof text);
    am_result_set_number(was, text, fuzz_number(bytes), NULL);
    am_report report = {.title = text, .source = "", .study = "", .analysis = "sweep", .result = was};
    am_status status = am_output_netcdf(&report, &file, &err);
    if (status != AM_OK)
        fprintf(stderr, "%s\n", err.message);
    fuzz_require(status == AM_OK, "results can be written");
    fuzz_require(am_output_netcdf_read(file.data, file.length, is, &err) == AM_OK,
                 "results that were written are read");
    if (!fuzz_same_tables_by_name(was, is)) {
        show(was);
        show(is);
    }
    fuzz_require(fuzz_same_tables_by_name(was, is), "with every bit");
    am_text_free(&file);
    am_result_free(was);
    am_result_free(is);
}

/* ---- anything else ---- */

/* Calls of NetCDF may be refused: then the file has less in it. */
typedef struct drawing {
    fuzz_bytes *bytes;
    int file, dimensions, dimension[16];
} drawing;

static void take_name(fuzz_bytes *bytes, char *text, size_t most) {
    static const char *const known[] = {"row",           "summary", "events", "column", "units",
                                        "flag_meanings", "table",   "t",      "type",   "quantity"};
    size_t which = fuzz_below(bytes, 12);
    if (which < sizeof known / sizeof *known)
        snprintf(text, most, "%s", known[which]);
    else
        take_text(bytes, text, most);
}

static nc_type take_type(fuzz_bytes *bytes) {
    static const nc_type types[] = {NC_DOUBLE, NC_CHAR,  NC_DOUBLE, NC_CHAR,   NC_BYTE,   NC_SHORT,
                                    NC_INT,    NC_FLOAT, NC_INT64,  NC_UINT64, NC_STRING, NC_UBYTE};
    return types[fuzz_below(bytes, sizeof types / sizeof *types)];
}

static void add_dimension(drawing *d, int group) {
    char text[24];
    static const size_t lengths[] = {0, 1, 2, 3, 7, 1000, 100000, (size_t)1 << 31, (size_t)1 << 40, (size_t)1 << 60};
    int id;
    take_name(d->bytes, text, sizeof text);
    size_t length = lengths[fuzz_below(d->bytes, sizeof lengths / sizeof *lengths)]; /* 0: unlimited */
    if (d->dimensions < 16 && nc_def_dim(group, text, length, &id) == NC_NOERR)
        d->dimension[d->dimensions++] = id;
}

static void add_attribute(drawing *d, int group, int variable) {
    char text[24], value[48];
    const char *string = value;
    double numbers[4] = {1.0, 2.0, 3.0, 4.0};
    take_name(d->bytes, text, sizeof text);
    take_text(d->bytes, value, sizeof value);
    switch (fuzz_below(d->bytes, 4)) {
    case 0:
        nc_put_att_string(group, variable, text, 1, &string);
        break;
    case 1:
        nc_put_att_double(group, variable, text, NC_DOUBLE, fuzz_below(d->bytes, 5), numbers);
        break;
    default:
        nc_put_att_text(group, variable, text, strlen(value), value);
    }
}

static void fill_variable(drawing *d, int group, int variable, nc_type type, size_t rank) {
    const size_t start[4] = {0, 0, 0, 0};
    size_t edge[4] = {1, 1, 1, 1};
    double numbers[64];
    char texts[64];
    if (rank > 0)
        edge[0] = 1 + fuzz_below(d->bytes, 7);
    if (rank > 1)
        edge[1] = 1 + fuzz_below(d->bytes, 7);
    for (size_t i = 0; i < 64; i++) {
        numbers[i] = fuzz_number(d->bytes);
        texts[i] = (char)fuzz_take(d->bytes);
    }
    if (type == NC_CHAR)
        nc_put_vara_text(group, variable, start, edge, texts);
    else if (type != NC_STRING)
        nc_put_vara_double(group, variable, start, edge, numbers);
}

static void add_variable(drawing *d, int group) {
    char text[24];
    int id, dimension[4];
    nc_type type = take_type(d->bytes);
    size_t rank = fuzz_below(d->bytes, 8);
    rank = rank > 3 ? (type == NC_CHAR ? 2 : 1) : rank; /* most have the rank that is expected */
    take_name(d->bytes, text, sizeof text);
    for (size_t i = 0; i < rank; i++)
        dimension[i] = d->dimensions > 0 ? d->dimension[fuzz_below(d->bytes, (size_t)d->dimensions)] : 0;
    const size_t chunk[4] = {1, 1, 1, 1};
    if (nc_def_var(group, text, type, (int)rank, dimension, &id) != NC_NOERR)
        return;
    if (rank > 0) /* only what is written takes room */
        nc_def_var_chunking(group, id, NC_CHUNKED, chunk);
    if (fuzz_below(d->bytes, 4) == 0)
        nc_def_var_deflate(group, id, 0, 1, 5);
    for (size_t count = fuzz_below(d->bytes, 3); count > 0; count--)
        add_attribute(d, group, id);
    if (fuzz_below(d->bytes, 2) == 0)
        fill_variable(d, group, id, type, rank);
}

static void add_group(drawing *d) {
    char text[24];
    int group;
    take_name(d->bytes, text, sizeof text);
    if (nc_def_grp(d->file, text, &group) != NC_NOERR)
        return;
    for (size_t count = fuzz_below(d->bytes, 4); count > 0; count--)
        add_dimension(d, group);
    if (fuzz_below(d->bytes, 4) == 0)
        add_attribute(d, group, NC_GLOBAL);
    for (size_t count = fuzz_below(d->bytes, 5); count > 0; count--)
        add_variable(d, group);
}

static void anything_is_read_or_refused(fuzz_bytes *bytes) {
    drawing d = {.bytes = bytes};
    NC_memio memory = {0};
    am_error err = {0};
    if (nc_create_mem("crafted.nc", NC_NETCDF4, 4096, &d.file) != NC_NOERR)
        return;
    nc_set_fill(d.file, NC_NOFILL, &(int){0}); /* no bytes for what was not written */
    if (fuzz_below(bytes, 4) == 0)
        add_dimension(&d, d.file);
    for (size_t groups = fuzz_below(bytes, 4); groups > 0; groups--)
        add_group(&d);
    if (nc_close_memio(d.file, &memory) != NC_NOERR)
        return;
    am_result *result = am_result_create(NULL);
    am_status status = am_output_netcdf_read_here(memory.memory, memory.size, result, &err);
    if (status != AM_OK)
        fuzz_require_failure(status, &err);
    am_result_free(result);
    free(memory.memory);
}

/* ---- answers of the process that reads ---- */

static void answers_are_not_believed(const fuzz_bytes *bytes) {
    am_error err = {0};
    am_text packed = {0};
    am_result *result = am_result_create(NULL), *again = am_result_create(NULL);
    am_status status = am_tables_unpack(bytes->data, bytes->left, result, &err);
    if (status != AM_OK) {
        fuzz_require_failure(status, &err);
    } else {
        fuzz_require(am_tables_pack(result, &packed, &err) == AM_OK, "tables are packed");
        fuzz_require(am_tables_unpack(packed.data, packed.length, again, &err) == AM_OK, "and unpacked");
        fuzz_require(fuzz_same_tables(result, again), "with every bit");
    }
    am_text_free(&packed);
    am_result_free(result);
    am_result_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes bytes = {data, size};
    size_t which = fuzz_below(&bytes, 64);
    if (which == 0) /* a process each: slow */
        results_come_back(&bytes);
    else if (which < 48)
        anything_is_read_or_refused(&bytes);
    else
        answers_are_not_believed(&bytes);
    return 0;
}
