/* Tables of a NetCDF file that am_output_netcdf wrote, with every bit. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <math.h>
#include <netcdf.h>
#include <netcdf_mem.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/result_reuse.h"
#include "base/try.h"
#include "output/child.h"
#include "output/netcdf.h"
#include "output/packed.h"

/* What is believed of a file. Numbers and texts are stored as they are or deflated, and deflate makes at least one byte
 * of 1032: a table that claims more than the file can hold is not read. */
enum { MOST_VARIABLES = 100000, MOST_GROUPS = 100000, LONGEST_TEXT = 1 << 16, MOST_DEFLATED = 1032 };
static const size_t small_file = (size_t)1 << 16; /* bytes that any file may claim */

/* The file being read, and how many bytes of numbers and texts it may still claim. */
typedef struct source {
    int file;
    size_t left;
    am_arena memory; /* while a table is read */
} source;

/* NetCDF silences HDF5 in the thread that uses it first, but HDF5 has this setting for each thread. Its function is
 * searched for at run time; to link HDF5 for it would ask more of whoever builds this. */
void am_output_netcdf_silence(void) {
    void *symbol = dlsym(RTLD_DEFAULT, "H5Eset_auto2");
    int (*set)(int64_t stack, void *function, void *data);
    memcpy(&set, &symbol, sizeof set);
    if (set)
        set(0, NULL, NULL);
}

static am_status check(int code, am_error *err) {
    if (code == NC_NOERR)
        return AM_OK;
    return am_fail(err, code == NC_ENOMEM ? AM_ERR_MEMORY : AM_ERR_FILE, "it is no results file: %s",
                   nc_strerror(code));
}

/* A text attribute, or `otherwise` when there is none; NULL: no memory. */
static const char *attribute(source *from, int group, int variable, const char *name, const char *otherwise,
                             am_error *err) {
    size_t length = 0;
    nc_type type;
    if (nc_inq_att(group, variable, name, &type, &length) != NC_NOERR || type != NC_CHAR || length > LONGEST_TEXT)
        return otherwise;
    char *text = am_arena_new(&from->memory, length + 1, 1, err);
    if (text && nc_get_att_text(group, variable, name, text) != NC_NOERR)
        text[0] = '\0';
    return text;
}

typedef struct column {
    bool text, bytes;
    size_t width;    /* of texts */
    double *numbers; /* rows; the table's in the end */
    char *texts;     /* rows x width */
} column;

/* A table of the file: its group, the dimension `row` of that, and how many there are. */
typedef struct group {
    int id, row;
    size_t rows;
    am_table *table;
} group;

static am_status other_shape(const char *name, am_error *err) {
    return am_fail(err, AM_ERR_FILE, "it is no results file: variable %s has another shape", name);
}

/* Can the file hold rows x width items of `size` bytes? */
static bool can_hold(source *from, size_t rows, size_t width, size_t size) {
    size_t most = from->left / size;
    if (width > 0 && rows > most / width)
        return false;
    from->left -= rows * width * size;
    return true;
}

/* A column is one number, or `width` characters, for every row of its group: of the dimension `row` itself, since the
 * library gives as many values as the variable's own dimensions say. */
static am_status check_shape(source *from, const group *g, int variable, char name[NC_MAX_NAME + 1], column *c,
                             am_error *err) {
    nc_type type;
    int count = 0, dimension[NC_MAX_VAR_DIMS];
    AM_TRY(check(nc_inq_var(g->id, variable, name, &type, &count, NULL, NULL), err));
    *c = (column){.text = type == NC_CHAR, .bytes = type == NC_BYTE, .width = 1};
    if (count != (c->text ? 2 : 1) || (!c->text && !c->bytes && type != NC_DOUBLE))
        return other_shape(name, err);
    AM_TRY(check(nc_inq_vardimid(g->id, variable, dimension), err));
    if (dimension[0] != g->row)
        return other_shape(name, err);
    if (c->text)
        AM_TRY(check(nc_inq_dimlen(g->id, dimension[1], &c->width), err));
    if (!can_hold(from, g->rows, c->width, c->text || c->bytes ? 1 : sizeof *c->numbers))
        return am_fail(err, AM_ERR_FILE, "it is no results file: variable %s is larger than the file", name);
    return AM_OK;
}

static am_status read_column(source *from, const group *g, int variable, column *c, am_error *err) {
    char name[NC_MAX_NAME + 1];
    AM_TRY(check_shape(from, g, variable, name, c, err));
    const char *shown = attribute(from, g->id, variable, "column", name, err);
    const char *units = attribute(from, g->id, variable, "units", "", err);
    const char *unit = attribute(from, g->id, variable, "quantity", units, err);
    bool flag = !c->text && nc_inq_att(g->id, variable, "flag_meanings", NULL, NULL) == NC_NOERR;
    bool count = !c->text && nc_inq_att(g->id, variable, "type", NULL, NULL) == NC_NOERR;
    am_column_kind kind = c->text ? AM_COLUMN_TEXT : flag ? AM_COLUMN_FLAG : count ? AM_COLUMN_COUNT : AM_COLUMN_NUMBER;
    AM_TRY(am_arena_status(&from->memory));
    AM_TRY(am_table_add_column(g->table, shown, unit, kind, err));
    if (g->rows == 0)
        return AM_OK;
    const size_t start[] = {0, 0}, edge[] = {g->rows, c->width};
    if (c->text) {
        c->texts = am_arena_new(&from->memory, g->rows, c->width, err);
        return c->texts ? check(nc_get_vara_text(g->id, variable, start, edge, c->texts), err) : AM_ERR_MEMORY;
    }
    c->numbers = am_memory_new(g->rows, sizeof *c->numbers, err);
    AM_TRY(c->numbers ? check(nc_get_vara_double(g->id, variable, start, edge, c->numbers), err) : AM_ERR_MEMORY);
    for (size_t row = 0; c->bytes && row < g->rows; row++)
        if (c->numbers[row] == AM_NETCDF_NO_FLAG)
            c->numbers[row] = NAN;
    return AM_OK;
}

static am_status put_texts(source *from, const group *g, size_t index, const column *c, am_error *err) {
    char *text = am_arena_new(&from->memory, c->width + 1, 1, err);
    if (!text)
        return AM_ERR_MEMORY;
    for (size_t row = 0; row < g->rows; row++) {
        memcpy(text, c->texts + row * c->width, c->width);
        AM_TRY(am_table_put_text(g->table, row, index, text, err));
    }
    return AM_OK;
}

/* Columns first, then rows. */
static am_status read_columns(source *from, const group *g, size_t count, column *columns, am_error *err) {
    for (size_t i = 0; i < count; i++)
        AM_TRY(read_column(from, g, (int)i, &columns[i], err));
    for (size_t i = 0; i < count; i++)
        am_table_adopt(g->table, i, &columns[i].numbers);
    AM_TRY(am_table_make_rows(g->table, g->rows, err));
    for (size_t i = 0; i < count; i++)
        if (columns[i].text)
            AM_TRY(put_texts(from, g, i, &columns[i], err));
    return AM_OK;
}

static am_status read_table(source *from, int id, const char *name, am_result *result, am_error *err) {
    int count = 0;
    group g = {.id = id};
    AM_TRY(check(nc_inq_dimid(id, "row", &g.row), err));
    AM_TRY(check(nc_inq_dimlen(id, g.row, &g.rows), err));
    AM_TRY(check(nc_inq_nvars(id, &count), err));
    if (count < 0 || count > MOST_VARIABLES || (count == 0 && g.rows > 0)) /* rows of nothing: as many as one likes */
        return am_fail(err, AM_ERR_FILE, "it is no results file");
    const char *shown = attribute(from, id, NC_GLOBAL, "table", name, err);
    column *columns = am_arena_new(&from->memory, (size_t)count, sizeof *columns, err);
    g.table = columns ? am_result_add_table(result, shown, err) : NULL;
    if (!g.table)
        return AM_ERR_MEMORY;
    am_status status = read_columns(from, &g, (size_t)count, columns, err);
    for (int i = 0; i < count; i++)
        am_memory_free(columns[i].numbers);
    am_arena_reset(&from->memory);
    return status;
}

static am_status read_groups(source *from, int count, int *groups, am_result *result, am_error *err) {
    AM_TRY(check(nc_inq_grps(from->file, NULL, groups), err));
    for (int i = 0; i < count; i++) {
        char name[NC_MAX_NAME + 1];
        AM_TRY(check(nc_inq_grpname(groups[i], name), err));
        if (strcmp(name, "summary") != 0)
            AM_TRY(read_table(from, groups[i], name, result, err));
    }
    return AM_OK;
}

static am_status read_file(source *from, am_result *result, am_error *err) {
    int count = 0;
    AM_TRY(check(nc_inq_grps(from->file, &count, NULL), err));
    if (count < 0 || count > MOST_GROUPS)
        return am_fail(err, AM_ERR_FILE, "it is no results file");
    int *groups = am_memory_new((size_t)count, sizeof *groups, err);
    am_status status = groups ? read_groups(from, count, groups, result, err) : AM_ERR_MEMORY;
    am_memory_free(groups);
    return status;
}

am_status am_output_netcdf_read_open(int file, size_t count, am_result *result, am_error *err) {
    source from = {.file = file,
                   .left = count < SIZE_MAX / MOST_DEFLATED - 1 ? MOST_DEFLATED * count + small_file : SIZE_MAX};
    am_status status = read_file(&from, result, err);
    am_arena_clear(&from.memory);
    return status;
}

am_status am_output_netcdf_read_here(const void *bytes, size_t count, am_result *result, am_error *err) {
    int file;
    NC_memio memory = {count, (void *)bytes, NC_MEMIO_LOCKED}; /* locked: it is only read */
    am_output_netcdf_silence();
    AM_TRY(check(nc_open_memio("results.nc", NC_NOWRITE, &memory, &file), err));
    am_status status = am_output_netcdf_read_open(file, count, result, err);
    nc_close(file);
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
    status = am_child_run(read_and_pack, &j, "it is no results file", &packed, err);
    if (!status)
        status = am_tables_unpack(packed.data, packed.length, result, err);
    am_text_free(&packed);
    return status;
}
