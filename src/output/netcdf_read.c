/* Tables of a NetCDF file that am_output_netcdf wrote, with every bit. */
#include <netcdf.h>
#include <netcdf_mem.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "output/apart.h"
#include "output/netcdf.h"
#include "output/packed.h"

/* What is believed of a file. Numbers and texts are stored as they are or deflated, and deflate makes at least one byte
 * of 1032: a table that claims more than the file can hold is not read. */
enum { MOST_VARIABLES = 100000, MOST_GROUPS = 100000, LONGEST_TEXT = 1 << 16, MOST_DEFLATED = 1032 };
static const size_t room_for_small_files = (size_t)1 << 16;

/* The file being read, and how many bytes of numbers and texts it may still claim. */
typedef struct source {
    int file;
    size_t left;
} source;

static am_status check(int code, am_error *err) {
    if (code == NC_NOERR)
        return AM_OK;
    return am_fail(err, code == NC_ENOMEM ? AM_ERR_MEMORY : AM_ERR_FILE, "it is no results file: %s",
                   nc_strerror(code));
}

/* A text attribute, or `otherwise` when there is none. The caller's. */
static char *attribute(int group, int variable, const char *name, const char *otherwise, am_error *err) {
    size_t length = 0;
    nc_type type;
    if (nc_inq_att(group, variable, name, &type, &length) != NC_NOERR || type != NC_CHAR || length > LONGEST_TEXT)
        return am_memory_text(otherwise, err);
    char *text = am_memory_new(length + 1, 1, err);
    if (text && nc_get_att_text(group, variable, name, text) != NC_NOERR)
        text[0] = '\0';
    return text;
}

typedef struct column {
    int variable;
    bool text;
    size_t width;    /* of texts */
    double *numbers; /* rows */
    char *texts;     /* rows x width */
} column;

static am_status other_shape(const char *name, am_error *err) {
    return am_fail(err, AM_ERR_FILE, "it is no results file: variable %s has another shape", name);
}

/* Does the file have room for rows x width items of `size` bytes? */
static bool take_room(source *from, size_t rows, size_t width, size_t size) {
    size_t most = from->left / size;
    if (width > 0 && rows > most / width)
        return false;
    from->left -= rows * width * size;
    return true;
}

/* A column is one number, or `width` characters, for every row of its group: of the dimension `row` itself, since the
 * library hands out as many values as the variable's own dimensions say. */
static am_status check_shape(source *from, int group, int variable, int row, size_t rows, char name[NC_MAX_NAME + 1],
                             column *c, am_error *err) {
    nc_type type;
    int count = 0, dimension[NC_MAX_VAR_DIMS];
    AM_TRY(check(nc_inq_var(group, variable, name, &type, &count, NULL, NULL), err));
    *c = (column){.variable = variable, .text = type == NC_CHAR, .width = 1};
    if (count != (c->text ? 2 : 1) || (type != NC_CHAR && type != NC_DOUBLE))
        return other_shape(name, err);
    AM_TRY(check(nc_inq_vardimid(group, variable, dimension), err));
    if (dimension[0] != row)
        AM_TRY(other_shape(name, err));
    if (c->text)
        AM_TRY(check(nc_inq_dimlen(group, dimension[1], &c->width), err));
    if (!take_room(from, rows, c->width, c->text ? 1 : sizeof *c->numbers))
        return am_fail(err, AM_ERR_FILE, "it is no results file: variable %s is larger than the file", name);
    return AM_OK;
}

static am_status read_column(source *from, int group, int variable, int row, size_t rows, column *c, am_table *table,
                             am_error *err) {
    char name[NC_MAX_NAME + 1];
    AM_TRY(check_shape(from, group, variable, row, rows, name, c, err));
    char *shown = attribute(group, variable, "long_name", name, err);
    char *unit = attribute(group, variable, "units", "", err);
    bool flag = nc_inq_att(group, variable, "flag_meanings", NULL, NULL) == NC_NOERR;
    bool count = nc_inq_att(group, variable, "type", NULL, NULL) == NC_NOERR;
    am_column_kind kind = c->text ? AM_COLUMN_TEXT : flag ? AM_COLUMN_FLAG : count ? AM_COLUMN_COUNT : AM_COLUMN_NUMBER;
    am_status status = shown && unit ? am_table_add_column(table, shown, unit, kind, err) : AM_ERR_MEMORY;
    am_memory_free(shown);
    am_memory_free(unit);
    if (status || rows == 0)
        return status;
    if (c->text)
        c->texts = am_memory_new(rows, c->width, err);
    else
        c->numbers = am_memory_new(rows, sizeof *c->numbers, err);
    if (!c->texts && !c->numbers)
        return AM_ERR_MEMORY;
    const size_t start[] = {0, 0}, edge[] = {rows, c->width};
    return check(c->text ? nc_get_vara_text(group, variable, start, edge, c->texts)
                         : nc_get_vara_double(group, variable, start, edge, c->numbers),
                 err);
}

static am_status fill(am_table *table, size_t rows, size_t count, const column *columns, am_error *err) {
    size_t widest = 0;
    for (size_t i = 0; i < count; i++)
        widest = columns[i].width > widest ? columns[i].width : widest;
    char *text = am_memory_new(widest + 1, 1, err);
    am_status status = text ? AM_OK : AM_ERR_MEMORY;
    for (size_t row = 0; row < rows && !status; row++) {
        status = am_table_add_row(table, err);
        for (size_t i = 0; i < count && !status; i++) {
            if (!columns[i].text) {
                am_table_set_number(table, i, columns[i].numbers[row]);
                continue;
            }
            memcpy(text, columns[i].texts + row * columns[i].width, columns[i].width);
            text[columns[i].width] = '\0';
            status = am_table_set_text(table, i, text, err);
        }
    }
    am_memory_free(text);
    return status;
}

static am_status read_table(source *from, int group, am_result *result, am_error *err) {
    char name[NC_MAX_NAME + 1];
    int count = 0, dimension;
    size_t rows = 0;
    AM_TRY(check(nc_inq_grpname(group, name), err));
    AM_TRY(check(nc_inq_dimid(group, "row", &dimension), err));
    AM_TRY(check(nc_inq_dimlen(group, dimension, &rows), err));
    AM_TRY(check(nc_inq_nvars(group, &count), err));
    if (count < 0 || count > MOST_VARIABLES || (count == 0 && rows > 0)) /* rows of nothing: as many as one likes */
        return am_fail(err, AM_ERR_FILE, "it is no results file");
    char *shown = attribute(group, NC_GLOBAL, "table", name, err);
    am_table *table = shown ? am_result_add_table(result, shown, err) : NULL;
    column *columns = am_memory_new((size_t)count, sizeof *columns, err);
    am_status status = table && columns ? AM_OK : AM_ERR_MEMORY;
    for (int i = 0; i < count && !status; i++)
        status = read_column(from, group, i, dimension, rows, &columns[i], table, err);
    if (!status)
        status = fill(table, rows, (size_t)count, columns, err);
    for (int i = 0; columns && i < count; i++) {
        am_memory_free(columns[i].numbers);
        am_memory_free(columns[i].texts);
    }
    am_memory_free(columns);
    am_memory_free(shown);
    return status;
}

static am_status read_groups(source *from, am_result *result, am_error *err) {
    int count = 0;
    am_status status = check(nc_inq_grps(from->file, &count, NULL), err);
    if (!status && (count < 0 || count > MOST_GROUPS))
        status = am_fail(err, AM_ERR_FILE, "it is no results file");
    int *groups = status ? NULL : am_memory_new((size_t)count, sizeof *groups, err);
    if (!status)
        status = groups ? check(nc_inq_grps(from->file, NULL, groups), err) : AM_ERR_MEMORY;
    for (int i = 0; i < count && !status; i++) {
        char name[NC_MAX_NAME + 1];
        status = check(nc_inq_grpname(groups[i], name), err);
        if (!status && strcmp(name, "summary") != 0)
            status = read_table(from, groups[i], result, err);
    }
    am_memory_free(groups);
    return status;
}

am_status am_output_netcdf_read_here(const void *bytes, size_t count, am_result *result, am_error *err) {
    source from = {.left =
                       count < SIZE_MAX / MOST_DEFLATED - 1 ? MOST_DEFLATED * count + room_for_small_files : SIZE_MAX};
    NC_memio memory = {count, (void *)bytes, NC_MEMIO_LOCKED}; /* locked: it is only read */
    am_output_netcdf_hush();
    AM_TRY(check(nc_open_memio("results.nc", NC_NOWRITE, &memory, &from.file), err));
    am_status status = read_groups(&from, result, err);
    nc_close(from.file);
    return status;
}

/* ---- In a process of its own ---- */

typedef struct job {
    const void *bytes;
    size_t count;
} job;

static am_status read_and_pack(void *context, am_text *packed, am_error *err) {
    const job *j = context;
    am_result *result = am_result_create(err);
    am_status status = result ? am_output_netcdf_read_here(j->bytes, j->count, result, err) : AM_ERR_MEMORY;
    if (!status)
        status = am_tables_pack(result, packed, err);
    am_result_free(result);
    return status;
}

am_status am_output_netcdf_read(const void *bytes, size_t count, am_result *result, am_error *err) {
    job j = {bytes, count};
    am_text packed = {0};
    am_status status;
#ifdef _OPENMP
#pragma omp critical(am_netcdf)
#endif
    status = am_apart(read_and_pack, &j, "it is no results file", &packed, err);
    if (!status)
        status = am_tables_unpack(packed.data, packed.length, result, err);
    am_text_free(&packed);
    return status;
}
