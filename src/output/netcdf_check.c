/* A NetCDF file that was made, compared with what it was to hold. The libraries beneath do not report everything: with
 * too little memory HDF5 has closed files without an error from which columns were missing. */
#include <math.h>
#include <netcdf.h>
#include <netcdf_mem.h>
#include <stdbool.h>
#include <string.h>

#include "base/local.h"
#include "output/names.h"
#include "output/netcdf.h"

static am_status differs(const char *what, am_error *err) {
    return am_fail(err, AM_ERR_FILE, "results.nc could not be made: %s is not in it as it was written", what);
}

/* ---- Attributes ---- */

/* Whether a group has a text, as an attribute or, if it is long, as a variable; `found` has room for it. */
static bool has_text(int group, const char *name, const char *wanted, char *found) {
    size_t length = 0, count = strlen(wanted);
    nc_type type = NC_NAT;
    int variable, dimension;
    bool there = am_netcdf_is_long(wanted)
                     ? nc_inq_varid(group, name, &variable) == NC_NOERR &&
                           nc_inq_vartype(group, variable, &type) == NC_NOERR &&
                           nc_inq_vardimid(group, variable, &dimension) == NC_NOERR &&
                           nc_inq_dimlen(group, dimension, &length) == NC_NOERR && type == NC_CHAR && length == count &&
                           nc_get_var_text(group, variable, found) == NC_NOERR
                     : nc_inq_att(group, NC_GLOBAL, name, &type, &length) == NC_NOERR && type == NC_CHAR &&
                           length == count && nc_get_att_text(group, NC_GLOBAL, name, found) == NC_NOERR;
    return there && memcmp(found, wanted, count) == 0;
}

static am_status check_text(int group, const char *name, const char *text, am_error *err) {
    const char *wanted = text ? text : "";
    AM_LOCAL_MEMORY char *found = am_memory_new(strlen(wanted) + 1, 1, err);
    if (!found)
        return AM_ERR_MEMORY;
    bool same = has_text(group, name, wanted, found);
    return same ? AM_OK : differs(name, err);
}

static bool has_number(int group, const char *name, nc_type wanted, const void *value, size_t size) {
    nc_type type = NC_NAT;
    size_t length = 0;
    char found[16] = {0};
    return nc_inq_att(group, NC_GLOBAL, name, &type, &length) == NC_NOERR && type == wanted && length == 1 &&
           nc_get_att(group, NC_GLOBAL, name, found) == NC_NOERR && memcmp(found, value, size) == 0;
}

static am_status check_scalar(int group, const am_scalar *scalar, const char *name, am_error *err) {
    long long count = scalar->kind == AM_SCALAR_COUNT ? am_netcdf_count(scalar) : 0;
    int flag = scalar->number != 0;
    bool same = scalar->kind == AM_SCALAR_COUNT  ? has_number(group, name, NC_INT64, &count, sizeof count)
                : scalar->kind == AM_SCALAR_FLAG ? has_number(group, name, NC_INT, &flag, sizeof flag)
                                                 : has_number(group, name, NC_DOUBLE, &scalar->number, sizeof(double));
    return scalar->kind == AM_SCALAR_TEXT ? check_text(group, name, scalar->text, err)
           : same                         ? AM_OK
                                          : differs(name, err);
}

static am_status check_summary(int file, const am_result *result, am_error *err) {
    int group;
    if (nc_inq_ncid(file, "summary", &group) != NC_NOERR)
        return differs("summary", err);
    am_status status = AM_OK;
    for (size_t i = 0; status == AM_OK && i < am_result_scalar_count(result); i++) {
        const am_scalar *scalar = am_result_scalar(result, i);
        char *name = am_output_attribute_name(scalar->name, err);
        status = name ? check_scalar(group, scalar, name, err) : AM_ERR_MEMORY;
        am_memory_free(name);
    }
    return status;
}

/* ---- Tables ---- */

/* Bit by bit; of flags that are bytes it is not kept in which way they are not a number. */
static bool same_numbers(const am_table *a, size_t column, const double *x, const double *y) {
    size_t rows = am_table_rows(a);
    bool same = memcmp(x, y, rows * sizeof *x) == 0, flags = !same && am_netcdf_is_bytes(a, column);
    for (size_t row = 0; flags && row < rows; row++)
        flags = x[row] == y[row] || (isnan(x[row]) && isnan(y[row]));
    return same || flags;
}

static bool same_column(const am_table *a, const am_table *b, size_t column) {
    size_t rows = am_table_rows(a);
    const double *x = am_table_numbers(a, column), *y = am_table_numbers(b, column);
    if (strcmp(am_table_column_name(a, column), am_table_column_name(b, column)) != 0 ||
        strcmp(am_table_column_unit(a, column), am_table_column_unit(b, column)) != 0 ||
        am_table_column_kind(a, column) != am_table_column_kind(b, column) || !x != !y ||
        (x && !same_numbers(a, column, x, y)))
        return false;
    for (size_t row = 0; !x && row < rows; row++)
        if (strcmp(am_table_text(a, row, column), am_table_text(b, row, column)) != 0)
            return false;
    return true;
}

static am_status compare_tables(const am_result *wanted, const am_result *found, am_error *err) {
    if (am_result_table_count(found) != am_result_table_count(wanted))
        return differs("a table", err);
    for (size_t i = 0; i < am_result_table_count(wanted); i++) {
        const am_table *table = am_result_table(wanted, i);
        const am_table *read = am_result_find_table(found, am_table_name(table));
        if (!read || am_table_rows(read) != am_table_rows(table) || am_table_columns(read) != am_table_columns(table))
            return differs(am_table_name(table), err);
        for (size_t c = 0; c < am_table_columns(table); c++)
            if (!same_column(table, read, c))
                return differs(am_table_column_name(table, c), err);
    }
    return AM_OK;
}

static am_status check_tables(const am_result *wanted, int file, size_t count, am_error *err) {
    am_error own = {.status = AM_ERR_MEMORY};
    am_result *found = am_result_create(&own);
    am_status status = found ? am_output_netcdf_read_open(file, count, found, &own) : AM_ERR_MEMORY;
    if (status == AM_OK)
        status = compare_tables(wanted, found, err);
    else
        am_fail(err, status, "results.nc could not be made: it cannot be read back: %s", own.message);
    am_result_free(found);
    return status;
}

/* ---- The file ---- */

static am_status check_attributes(int file, const am_report *report, size_t head_count, const char *const heads[][2],
                                  am_error *err) {
    for (size_t i = 0; i < head_count; i++)
        AM_TRY(check_text(file, heads[i][0], heads[i][1], err));
    return report->result ? check_summary(file, report->result, err) : AM_OK;
}

am_status am_output_netcdf_check(const am_report *report, size_t head_count, const char *const heads[][2], void *bytes,
                                 size_t count, am_error *err) {
    int file;
    NC_memio memory = {count, bytes, NC_MEMIO_LOCKED};
    int code = nc_open_memio("results.nc", NC_NOWRITE, &memory, &file);
    if (code != NC_NOERR)
        return am_fail(err, code == NC_ENOMEM ? AM_ERR_MEMORY : AM_ERR_FILE,
                       "results.nc could not be made: it cannot be read back: %s", nc_strerror(code));
    am_status status = check_attributes(file, report, head_count, heads, err);
    if (status == AM_OK && report->result)
        status = check_tables(report->result, file, count, err);
    if (status == AM_OK && report->result)
        status = am_netcdf_grid(file, report->result, true, err);
    nc_close(file);
    return status;
}
