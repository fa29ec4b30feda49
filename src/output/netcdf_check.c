/* A NetCDF file that was made, compared with what it was to hold. The libraries beneath do not report everything: with
 * too little memory HDF5 has closed files without an error from which columns were missing. */
#include <netcdf.h>
#include <netcdf_mem.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "output/names.h"
#include "output/netcdf.h"

enum { AT_ONCE = 1 << 14 }; /* bytes of a column that are compared at a time */

/* Room for what is read, and whether there was none. */
typedef struct readback {
    void *room;
    size_t size;
    bool full;
} readback;

/* NULL: there is no memory. What it held is lost. */
static char *make_room(readback *r, size_t size) {
    if (size > r->size || !r->room) {
        void *room = am_memory_new(size, 1, NULL);
        r->full = r->full || !room;
        if (!room)
            return NULL;
        am_memory_free(r->room);
        r->room = room;
        r->size = size;
    }
    return r->room;
}

static am_status differs(const readback *r, const char *what, am_error *err) {
    if (r->full)
        return am_fail(err, AM_ERR_MEMORY, "out of memory while results.nc was read back");
    return am_fail(err, AM_ERR_FILE, "results.nc could not be made: %s is not in it as it was written", what);
}

/* ---- Attributes ---- */

static bool has_text(readback *r, int group, int variable, const char *name, const char *text) {
    const char *wanted = text ? text : "";
    size_t length = 0, count = strlen(wanted);
    nc_type type = NC_NAT;
    if (nc_inq_att(group, variable, name, &type, &length) != NC_NOERR || type != NC_CHAR || length != count)
        return false;
    char *found = make_room(r, count + 1);
    return found && nc_get_att_text(group, variable, name, found) == NC_NOERR && memcmp(found, wanted, count) == 0;
}

static bool has_number(int group, const char *name, nc_type wanted, const void *value, size_t size) {
    nc_type type = NC_NAT;
    size_t length = 0;
    char found[16] = {0};
    return nc_inq_att(group, NC_GLOBAL, name, &type, &length) == NC_NOERR && type == wanted && length == 1 &&
           nc_get_att(group, NC_GLOBAL, name, found) == NC_NOERR && memcmp(found, value, size) == 0;
}

static bool has_scalar(readback *r, int group, const am_scalar *scalar, const char *name) {
    long long count = scalar->kind == AM_SCALAR_COUNT ? am_netcdf_count(scalar) : 0;
    int flag = scalar->number != 0;
    if (scalar->kind == AM_SCALAR_TEXT)
        return has_text(r, group, NC_GLOBAL, name, scalar->text);
    if (scalar->kind == AM_SCALAR_COUNT)
        return has_number(group, name, NC_INT64, &count, sizeof count);
    if (scalar->kind == AM_SCALAR_FLAG)
        return has_number(group, name, NC_INT, &flag, sizeof flag);
    return has_number(group, name, NC_DOUBLE, &scalar->number, sizeof scalar->number);
}

static am_status check_summary(readback *r, int file, const am_result *result, am_error *err) {
    int group;
    if (nc_inq_ncid(file, "summary", &group) != NC_NOERR)
        return differs(r, "summary", err);
    am_status status = AM_OK;
    for (size_t i = 0; status == AM_OK && i < am_result_scalar_count(result); i++) {
        const am_scalar *scalar = am_result_scalar(result, i);
        char *name = am_output_attribute_name(scalar->name, err);
        if (!name)
            return AM_ERR_MEMORY;
        if (!has_scalar(r, group, scalar, name))
            status = differs(r, name, err);
        am_memory_free(name);
    }
    return status;
}

/* ---- Tables ---- */

static bool same_numbers(int group, int variable, const am_table *table, size_t first, size_t count) {
    double found[AT_ONCE / sizeof(double)];
    if (nc_get_vara_double(group, variable, &first, &count, found) != NC_NOERR)
        return false;
    const double *wanted = am_table_numbers(table, (size_t)variable);
    return wanted && memcmp(wanted + first, found, count * sizeof *found) == 0;
}

/* Texts are padded with zeros to the width of the column. */
static bool same_text(const char *found, size_t width, const char *wanted) {
    size_t length = strlen(wanted);
    if (length > width || memcmp(found, wanted, length) != 0)
        return false;
    for (size_t i = length; i < width; i++)
        if (found[i] != '\0')
            return false;
    return true;
}

static bool same_texts(int group, int variable, const am_table *table, size_t width, size_t first, size_t count,
                       char *block) {
    const size_t start[] = {first, 0}, edge[] = {count, width};
    if (nc_get_vara_text(group, variable, start, edge, block) != NC_NOERR)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!same_text(block + i * width, width, am_table_text(table, first + i, (size_t)variable)))
            return false;
    return true;
}

static bool same_cells(readback *r, int group, int variable, const am_table *table, size_t width) {
    size_t rows = am_table_rows(table), most = AT_ONCE / width > 0 ? AT_ONCE / width : 1;
    bool text = am_table_column_kind(table, (size_t)variable) == AM_COLUMN_TEXT, same = true;
    char *block = text ? make_room(r, most * width) : NULL;
    if (text && !block)
        return false;
    for (size_t first = 0; same && first < rows; first += most) {
        size_t count = rows - first < most ? rows - first : most;
        same = text ? same_texts(group, variable, table, width, first, count, block)
                    : same_numbers(group, variable, table, first, count);
    }
    return same;
}

/* The name that the column was given, or the one for columns whose name was taken. */
static bool is_name(readback *r, const am_table *table, size_t column, const char *found) {
    bool same = false;
    for (int taken = 0; !same && taken < 2; taken++) {
        char *name = am_output_variable_name(table, column, taken, NULL);
        r->full = r->full || !name;
        same = name && strcmp(name, found) == 0;
        am_memory_free(name);
    }
    return same;
}

/* To ask for the length of a dimension is dear: that of the rows is asked for once. */
static bool same_column(readback *r, int group, int row, const am_table *table, size_t column) {
    int variable = (int)column, count = 0, dimensions[NC_MAX_VAR_DIMS];
    char name[NC_MAX_NAME + 1];
    nc_type type = NC_NAT;
    am_column_kind kind = am_table_column_kind(table, column);
    bool text = kind == AM_COLUMN_TEXT;
    size_t width = sizeof(double);
    if (nc_inq_var(group, variable, name, &type, &count, dimensions, NULL) != NC_NOERR ||
        type != (text ? NC_CHAR : NC_DOUBLE) || count != (text ? 2 : 1) || !is_name(r, table, column, name) ||
        dimensions[0] != row || (text && nc_inq_dimlen(group, dimensions[1], &width) != NC_NOERR))
        return false;
    if (!has_text(r, group, variable, "units", am_table_column_unit(table, column)) ||
        (text && !has_text(r, group, variable, "_Encoding", "utf-8")) ||
        (kind == AM_COLUMN_COUNT && !has_text(r, group, variable, "type", "count")) ||
        (kind == AM_COLUMN_FLAG && !has_text(r, group, variable, "flag_meanings", "false true")))
        return false;
    const char *own = am_table_column_name(table, column);
    if (strcmp(name, own) != 0 && !has_text(r, group, variable, "long_name", own))
        return false;
    return same_cells(r, group, variable, table, width);
}

static am_status check_table(readback *r, int file, const am_result *result, size_t index, am_error *err) {
    const am_table *table = am_result_table(result, index);
    char *name = am_output_group_name(result, index, err);
    if (!name)
        return AM_ERR_MEMORY;
    int group = -1, row = -1, count = 0;
    size_t rows = 0;
    bool same =
        nc_inq_ncid(file, name, &group) == NC_NOERR && nc_inq_nvars(group, &count) == NC_NOERR &&
        (size_t)count == am_table_columns(table) && nc_inq_dimid(group, "row", &row) == NC_NOERR &&
        nc_inq_dimlen(group, row, &rows) == NC_NOERR && rows == am_table_rows(table) &&
        (strcmp(name, am_table_name(table)) == 0 || has_text(r, group, NC_GLOBAL, "table", am_table_name(table)));
    am_memory_free(name);
    if (!same)
        return differs(r, am_table_name(table), err);
    for (size_t i = 0; i < am_table_columns(table); i++)
        if (!same_column(r, group, row, table, i))
            return differs(r, am_table_column_name(table, i), err);
    return AM_OK;
}

/* ---- The file ---- */

static am_status check_all(readback *r, int file, const am_report *report, size_t head_count,
                           const char *const heads[][2], am_error *err) {
    for (size_t i = 0; i < head_count; i++)
        if (!has_text(r, file, NC_GLOBAL, heads[i][0], heads[i][1]))
            return differs(r, heads[i][0], err);
    AM_TRY(report->result ? check_summary(r, file, report->result, err) : AM_OK);
    for (size_t i = 0; report->result && i < am_result_table_count(report->result); i++)
        AM_TRY(check_table(r, file, report->result, i, err));
    return AM_OK;
}

am_status am_output_netcdf_check(const am_report *report, size_t head_count, const char *const heads[][2], void *bytes,
                                 size_t count, am_error *err) {
    int file;
    NC_memio memory = {count, bytes, NC_MEMIO_LOCKED};
    int code = nc_open_memio("results.nc", NC_NOWRITE, &memory, &file);
    if (code != NC_NOERR)
        return am_fail(err, code == NC_ENOMEM ? AM_ERR_MEMORY : AM_ERR_FILE,
                       "results.nc could not be made: it cannot be "
                       "read back: %s",
                       nc_strerror(code));
    readback r = {0};
    am_status status = check_all(&r, file, report, head_count, heads, err);
    am_memory_free(r.room);
    nc_close(file);
    return status;
}
