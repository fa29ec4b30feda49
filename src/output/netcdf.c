#include "output/netcdf.h"

#include <math.h>
#include <netcdf.h>
#include <netcdf_mem.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/local.h"
#include "base/result_reuse.h"
#include "base/text.h"
#include "output/child.h"
#include "output/names.h"
#include "output/provenance.h"

enum { DEFLATE_FROM = 1 << 15, DEFLATE_LEVEL = 4, TEXT_AT_ONCE = 1 << 20 }; /* bytes of a column, level, bytes */
enum { MOST_WITH_SCALES = 100 };                                            /* columns of a table */
enum { SMALLEST_PIECE = 4096, LARGEST_PIECE = 1 << 24 };                    /* bytes */

static am_status check(int code, const char *what, am_error *err) {
    if (code == NC_NOERR)
        return AM_OK;
    am_status status = code == NC_ENOMEM ? AM_ERR_MEMORY : AM_ERR_FILE;
    return am_fail(err, status, "results.nc could not be made: %s: %s", what, nc_strerror(code));
}

static int put_text(int group, int variable, const char *name, const char *text) {
    const char *value = text ? text : "";
    return nc_put_att_text(group, variable, name, strlen(value), value);
}

/* A text of a group itself. An attribute lives in HDF5's header of 64 kB, so that a longer text is a variable. */
static int put_group_text(int group, const char *name, const char *text) {
    if (!am_netcdf_is_long(text))
        return put_text(group, NC_GLOBAL, name, text);
    char length[NC_MAX_NAME + 1];
    int dimension, variable;
    snprintf(length, sizeof length, "%s_length", name);
    AM_TRY_CODE(nc_def_dim(group, length, strlen(text), &dimension));
    AM_TRY_CODE(nc_def_var(group, name, NC_CHAR, 1, &dimension, &variable));
    return nc_put_var_text(group, variable, text);
}

/* ---- Summary ---- */

static int put_scalar(int group, const am_scalar *scalar, const char *name) {
    long long count = 0;
    int flag = scalar->number != 0;
    switch (scalar->kind) {
    case AM_SCALAR_COUNT:
        count = am_netcdf_count(scalar);
        return nc_put_att_longlong(group, NC_GLOBAL, name, NC_INT64, 1, &count);
    case AM_SCALAR_FLAG:
        return nc_put_att_int(group, NC_GLOBAL, name, NC_INT, 1, &flag);
    case AM_SCALAR_TEXT:
        return put_group_text(group, name, scalar->text);
    case AM_SCALAR_NUMBER:
    case AM_SCALAR_NONE: /* not a number: there is none */
        break;
    }
    return nc_put_att_double(group, NC_GLOBAL, name, NC_DOUBLE, 1, &scalar->number);
}

static am_status put_summary(int file, const am_result *result, am_error *err) {
    int group;
    am_status status = check(nc_def_grp(file, "summary", &group), "summary", err);
    for (size_t i = 0; status == AM_OK && i < am_result_scalar_count(result); i++) {
        const am_scalar *scalar = am_result_scalar(result, i);
        char *name = am_output_attribute_name(scalar->name, err);
        status = name ? check(put_scalar(group, scalar, name), name, err) : AM_ERR_MEMORY;
        am_memory_free(name);
    }
    return status;
}

/* ---- Tables ---- */

/* Texts are rows of characters as long as the longest of the column, padded with zeros: what NetCDF can compress, and
 * every reader shows as text. */
size_t am_netcdf_text_width(const am_table *table, size_t column) {
    size_t width = 1;
    for (size_t row = 0; row < am_table_rows(table); row++) {
        size_t length = strlen(am_table_text(table, row, column));
        width = length > width ? length : width;
    }
    return width;
}

/* Columns of one width share a dimension. */
static int find_width(int group, size_t width, int *dimension) {
    char name[32];
    snprintf(name, sizeof name, "string%zu", width);
    int code = nc_inq_dimid(group, name, dimension);
    return code == NC_EBADDIM ? nc_def_dim(group, name, width, dimension) : code;
}

/* Attributes are those of the climate and forecast conventions (CF) where these have one. */

const char *am_netcdf_units(const char *unit) {
    static const char *const kinds[] = {"length", "time", "force", "mass", "energy", "parameter"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(unit, kinds[i]))
            return NULL;
    return *unit == '\0' ? NULL : strcmp(unit, "deg") == 0 ? "degree" : unit;
}

static int put_unit(int group, int variable, const char *unit) {
    const char *units = am_netcdf_units(unit);
    if (units)
        AM_TRY_CODE(put_text(group, variable, "units", units));
    return units == unit || !*unit ? NC_NOERR : put_text(group, variable, "quantity", unit);
}

bool am_netcdf_is_bytes(const am_table *table, size_t column) {
    const double *numbers = am_table_numbers(table, column);
    bool bytes = am_table_column_kind(table, column) == AM_COLUMN_FLAG;
    for (size_t row = 0; bytes && row < am_table_rows(table); row++)
        bytes = numbers[row] == 0.0 || numbers[row] == 1.0 || isnan(numbers[row]);
    return bytes;
}

static int put_flag_meanings(int group, int variable, bool bytes) {
    const signed char values[] = {0, 1};
    AM_TRY_CODE(nc_put_att_schar(group, variable, "flag_values", bytes ? NC_BYTE : NC_DOUBLE, 2, values));
    return put_text(group, variable, "flag_meanings", "false true");
}

/* Only where something is missing: readers turn whole numbers with a fill value into others. */
static int put_fill_value(int group, int variable, const am_table *table, size_t column, bool bytes) {
    const double *numbers = am_table_numbers(table, column), none = NAN;
    const signed char no_flag = AM_NETCDF_NO_FLAG;
    size_t row = 0, rows = numbers ? am_table_rows(table) : 0;
    while (row < rows && !isnan(numbers[row]))
        row++;
    return row == rows ? NC_NOERR : nc_def_var_fill(group, variable, NC_FILL, bytes ? (const void *)&no_flag : &none);
}

/* What the column is, apart from its numbers. */
static int describe_column(int group, int variable, const am_table *table, size_t column) {
    am_column_kind kind = am_table_column_kind(table, column);
    const char *about = am_table_column_about(table, column), *name = am_table_column_name(table, column);
    bool bytes = am_netcdf_is_bytes(table, column);
    AM_TRY_CODE(put_unit(group, variable, am_table_column_unit(table, column)));
    if (kind == AM_COLUMN_FLAG)
        AM_TRY_CODE(put_flag_meanings(group, variable, bytes));
    if (kind == AM_COLUMN_COUNT)
        AM_TRY_CODE(put_text(group, variable, "type", "count"));
    if (kind == AM_COLUMN_TEXT) /* xarray and netCDF4 for Python then give strings */
        AM_TRY_CODE(put_text(group, variable, "_Encoding", "utf-8"));
    AM_TRY_CODE(put_fill_value(group, variable, table, column, bytes));
    return put_text(group, variable, "long_name", *about ? about : name);
}

int am_netcdf_define(int group, const char *name, const am_table *table, size_t column, int count,
                     const int *dimensions, const char *coordinates, int *variable) {
    bool text = am_table_column_kind(table, column) == AM_COLUMN_TEXT, bytes = am_netcdf_is_bytes(table, column);
    int along[AM_TABLE_AXES + 1] = {0};
    size_t width = text ? am_netcdf_text_width(table, column) : bytes ? 1 : sizeof(double);
    memcpy(along, dimensions, (size_t)count * sizeof *along);
    if (text)
        AM_TRY_CODE(find_width(group, width, &along[count++]));
    AM_TRY_CODE(nc_def_var(group, name, text ? NC_CHAR : bytes ? NC_BYTE : NC_DOUBLE, count, along, variable));
    if (am_table_rows(table) * width >= DEFLATE_FROM)
        AM_TRY_CODE(nc_def_var_deflate(group, *variable, !text, 1, DEFLATE_LEVEL));
    AM_TRY_CODE(describe_column(group, *variable, table, column));
    if (*coordinates)
        AM_TRY_CODE(put_text(group, *variable, "coordinates", coordinates));
    if (strcmp(name, am_table_column_name(table, column)) != 0)
        AM_TRY_CODE(put_text(group, *variable, "column", am_table_column_name(table, column)));
    return NC_NOERR;
}

static am_status put_texts(int group, int variable, const am_table *table, size_t column, am_error *err) {
    size_t rows = am_table_rows(table), width = am_netcdf_text_width(table, column);
    size_t most = TEXT_AT_ONCE / width > 0 ? TEXT_AT_ONCE / width : 1;
    AM_LOCAL_MEMORY char *block = am_memory_new(most < rows ? most : rows, width, err);
    if (!block)
        return AM_ERR_MEMORY;
    for (size_t first = 0; first < rows; first += most) {
        size_t count = rows - first < most ? rows - first : most;
        const size_t start[] = {first, 0}, edge[] = {count, width};
        memset(block, 0, count * width);
        for (size_t i = 0; i < count; i++) {
            const char *text = am_table_text(table, first + i, column);
            memcpy(block + i * width, text, strlen(text));
        }
        AM_TRY(check(nc_put_vara_text(group, variable, start, edge, block), am_table_column_name(table, column), err));
    }
    return AM_OK;
}

/* Variables of a group are numbered as they are defined: by column. */
static am_status define_columns(int group, int dimension, const am_table *table, am_error *err) {
    size_t time = am_table_find_column(table, "t");
    for (size_t i = 0; i < am_table_columns(table); i++) {
        int code = NC_ENAMEINUSE;
        for (int taken = 0; taken < 2 && code == NC_ENAMEINUSE; taken++) {
            char *name = am_output_variable_name(table, i, taken, err);
            const char *coordinates = time != SIZE_MAX && time != i ? "t" : "";
            int variable;
            code = name ? am_netcdf_define(group, name, table, i, 1, &dimension, coordinates, &variable) : NC_ENOMEM;
            am_memory_free(name);
        }
        AM_TRY(check(code, am_table_column_name(table, i), err));
    }
    return AM_OK;
}

static am_status define_table(int file, const am_result *result, size_t index, int *group, am_error *err) {
    const am_table *table = am_result_table(result, index);
    char *name = am_output_group_name(result, index, err);
    if (!name)
        return AM_ERR_MEMORY;
    int dimension;
    am_status status = check(nc_def_grp(file, name, group), name, err);
    if (status == AM_OK) /* length 0 means unlimited, and none yet: right for a table without rows */
        status = check(nc_def_dim(*group, "row", am_table_rows(table), &dimension), name, err);
    if (status == AM_OK && strcmp(name, am_table_name(table)) != 0)
        status = check(put_text(*group, NC_GLOBAL, "table", am_table_name(table)), name, err);
    am_memory_free(name);
    return status == AM_OK ? define_columns(*group, dimension, table, err) : status;
}

static am_status put_flags(int group, int variable, const am_table *table, size_t column, am_error *err) {
    size_t start = 0, rows = am_table_rows(table);
    const double *numbers = am_table_numbers(table, column);
    AM_LOCAL_MEMORY signed char *flags = am_memory_new(rows, sizeof *flags, err);
    if (!flags)
        return AM_ERR_MEMORY;
    for (size_t row = 0; row < rows; row++)
        flags[row] = isnan(numbers[row]) ? AM_NETCDF_NO_FLAG : numbers[row] != 0.0;
    return check(nc_put_vara_schar(group, variable, &start, &rows, flags), am_table_column_name(table, column), err);
}

static am_status put_numbers(int group, int variable, const am_table *table, size_t column, am_error *err) {
    size_t start = 0, rows = am_table_rows(table);
    return check(nc_put_vara_double(group, variable, &start, &rows, am_table_numbers(table, column)),
                 am_table_column_name(table, column), err);
}

static am_status put_columns(int group, const am_table *table, am_error *err) {
    for (size_t i = 0; am_table_rows(table) > 0 && i < am_table_columns(table); i++)
        AM_TRY(am_table_column_kind(table, i) == AM_COLUMN_TEXT ? put_texts(group, (int)i, table, i, err)
               : am_netcdf_is_bytes(table, i)                   ? put_flags(group, (int)i, table, i, err)
                                                                : put_numbers(group, (int)i, table, i, err));
    return AM_OK;
}

/* First all variables, then all numbers: whenever a definition follows after data, the library goes through all that
 * was defined so far, and a table with thousands of columns would cost millions of steps. */
static am_status put_tables(int file, const am_result *result, am_error *err) {
    size_t count = am_result_table_count(result);
    AM_LOCAL_MEMORY int *group = am_memory_new(count, sizeof *group, err);
    if (!group)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        AM_TRY(define_table(file, result, i, &group[i], err));
    for (size_t i = 0; i < count; i++)
        AM_TRY(put_columns(group[i], am_result_table(result, i), err));
    return AM_OK;
}

/* ---- The file ---- */

/* Attributes of the file itself: the report's own, then its provenance. */
enum { MOST_HEADS = 12 + AM_MOST_FACTS };

typedef struct heads {
    size_t count;
    const char *texts[MOST_HEADS][2];
    am_facts run, libraries;
    am_text versions; /* of the libraries, in one line */
    am_text history;  /* when and by which command */
} heads;

static void add_head(heads *h, const char *name, const char *text) {
    h->texts[h->count][0] = name;
    h->texts[h->count++][1] = text;
}

static am_status open_heads(heads *h, const am_report *report, am_error *err) {
    const am_provenance *from = report->provenance;
    add_head(h, "Conventions", "CF-1.8");
    add_head(h, "title", report->title);
    add_head(h, "source", "Amontons " AMONTONS_VERSION);
    add_head(h, "references", report->source);
    add_head(h, "study", report->study);
    add_head(h, "analysis", report->analysis);
    add_head(h, "software", "Amontons " AMONTONS_VERSION);
    if (!from) /* a part of a sweep: the same bytes on every machine */
        return AM_OK;
    AM_TRY(am_facts_of_run(&h->run, from, err));
    AM_TRY(am_facts_of_libraries(&h->libraries, err));
    for (size_t i = 0; i < h->run.count; i++)
        add_head(h, h->run.facts[i].name, h->run.facts[i].value);
    for (size_t i = 0; i < h->libraries.count; i++)
        am_text_printf(&h->versions, "%s%s %s", i > 0 ? "; " : "", h->libraries.facts[i].name,
                       h->libraries.facts[i].value);
    add_head(h, "libraries", am_text_view(&h->versions));
    am_text_printf(&h->history, "%s: %s", from->date ? from->date : "", from->command ? from->command : "Amontons");
    add_head(h, "history", am_text_view(&h->history));
    add_head(h, "study_as_run", from->study);
    AM_TRY(am_text_status(&h->history, err));
    return am_text_status(&h->versions, err);
}

static void close_heads(heads *h) {
    am_facts_clear(&h->run);
    am_facts_clear(&h->libraries);
    am_text_free(&h->versions);
    am_text_free(&h->history);
}

static am_status put_all(int file, const am_report *report, const heads *h, am_error *err) {
    for (size_t i = 0; i < h->count; i++)
        AM_TRY(check(put_group_text(file, h->texts[i][0], h->texts[i][1]), h->texts[i][0], err));
    if (!report->result)
        return AM_OK;
    AM_TRY(put_summary(file, report->result, err));
    AM_TRY(put_tables(file, report->result, err));
    return am_netcdf_grid(file, report->result, false, err);
}

/* The file in memory grows by pieces of one size, and its end is padded to a whole piece: a small part of what the
 * tables need. */
static size_t piece_size(const am_result *result) {
    size_t cells = 0;
    for (size_t i = 0; result && i < am_result_table_count(result); i++)
        cells += am_table_rows(am_result_table(result, i)) * am_table_columns(am_result_table(result, i));
    size_t piece = cells / 8;
    return piece < SMALLEST_PIECE ? SMALLEST_PIECE : piece > LARGEST_PIECE ? LARGEST_PIECE : piece;
}

/* Attaching dimension scales costs more with every variable that has them. Wide tables do without: the library then
 * notes the dimensions of each variable in an attribute of its own, by which it knows them again. */
static int kind_of_file(const am_result *result) {
    size_t widest = 0;
    for (size_t i = 0; result && i < am_result_table_count(result); i++) {
        size_t columns = am_table_columns(am_result_table(result, i));
        widest = columns > widest ? columns : widest;
    }
#ifdef NC_NODIMSCALE_ATTACH
    return widest > MOST_WITH_SCALES ? NC_NETCDF4 | NC_NODIMSCALE_ATTACH : NC_NETCDF4;
#else
    return NC_NETCDF4;
#endif
}

/* What the child needs. */
typedef struct job {
    const am_report *report;
    heads heads;
} job;

static am_status make(void *context, am_text *bytes, am_error *err) {
    const job *j = context;
    const am_report *report = j->report;
    int file;
    NC_memio memory = {0};
    am_output_netcdf_silence();
    AM_TRY(check(nc_create_mem("results.nc", kind_of_file(report->result), piece_size(report->result), &file), "start",
                 err));
    int before; /* every cell is written: none is filled first */
    am_status status = check(nc_set_fill(file, NC_NOFILL, &before), "start", err);
    status = status ? status : put_all(file, report, &j->heads, err);
    int closed = nc_close_memio(file, &memory);
    if (status == AM_OK)
        status = check(closed, "end", err);
    if (status == AM_OK)
        status = am_output_netcdf_check(report, j->heads.count, j->heads.texts, memory.memory, memory.size, err);
    *bytes = (am_text){.data = memory.memory, .length = memory.size, .capacity = memory.size};
    if (status != AM_OK)
        am_text_free(bytes);
    return status;
}

am_status am_output_netcdf(const am_report *report, am_text *bytes, am_error *err) {
    job j = {.report = report};
    am_status status = open_heads(&j.heads, report, err);
#ifdef _OPENMP
#pragma omp critical(am_netcdf)
#endif
    if (status == AM_OK)
        status = am_child_run(make, &j, "results.nc could not be made", bytes, err);
    close_heads(&j.heads);
    return status;
}
