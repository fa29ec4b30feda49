/* A table with axes, a sweep, as variables of the NetCDF file itself: a labelled grid, or a sample. */
#include <math.h>
#include <netcdf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/local.h"
#include "base/result_reuse.h"
#include "base/text.h"
#include "output/names.h"
#include "output/netcdf.h"

enum { AT_ONCE = 1 << 24, LONGEST_NAME = 160 }; /* bytes; of a variable */

/* The grid of a table: a dimension for each axis, but one for all that are drawn together, a sample. */
typedef struct grid {
    int file;
    const am_table *table;
    size_t columns, axes;                                      /* of the table */
    size_t count, shape[AM_TABLE_AXES], stride[AM_TABLE_AXES]; /* of the dimensions */
    size_t of[AM_TABLE_AXES];                                  /* the dimension of each axis */
    size_t sample;                                             /* that of drawn axes; SIZE_MAX: there is none */
    size_t *rank[AM_TABLE_AXES]; /* the place of each value along its dimension; NULL: as they come */
    char (*names)[LONGEST_NAME]; /* of the variables, by column */
    am_arena memory;
} grid;

static am_status check(int code, const char *what, am_error *err) {
    if (code == NC_NOERR)
        return AM_OK;
    return am_fail(err, code == NC_ENOMEM ? AM_ERR_MEMORY : AM_ERR_FILE, "results.nc could not be made: %s: %s", what,
                   nc_strerror(code));
}

/* ---- Axes ---- */

typedef struct place {
    double value;
    size_t index;
} place;

static int by_value(const void *a, const void *b) {
    double x = ((const place *)a)->value, y = ((const place *)b)->value;
    return (x > y) - (x < y);
}

static double axis_value(const grid *g, size_t axis, size_t index) {
    return am_table_number(g->table, index * g->stride[g->of[axis]], axis);
}

static bool goes_on(const grid *g, size_t axis, double sign) {
    for (size_t i = 1; i < g->shape[g->of[axis]]; i++)
        if (!(sign * (axis_value(g, axis, i) - axis_value(g, axis, i - 1)) > 0.0))
            return false;
    return true;
}

/* The coordinates of a dimension rise or fall; values in another order are sorted. `twice` becomes true where two are the
 * same. */
static am_status rank_axis(grid *g, size_t axis, bool *twice, am_error *err) {
    size_t count = g->shape[g->of[axis]], *rank = am_arena_new(&g->memory, count, sizeof *rank, err);
    place *places = am_arena_new(&g->memory, count, sizeof *places, err);
    if (!rank || !places)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        places[i] = (place){axis_value(g, axis, i), i};
    if (!goes_on(g, axis, 1.0) && !goes_on(g, axis, -1.0))
        qsort(places, count, sizeof *places, by_value);
    for (size_t i = 0; i < count; i++) {
        rank[places[i].index] = i;
        *twice = *twice || (i > 0 && places[i].value == places[i - 1].value);
    }
    g->rank[g->of[axis]] = rank;
    return AM_OK;
}

/* Dimensions for axes with such counts, 0 of drawn ones. */
static void lay_out(grid *g, const size_t *counts) {
    size_t points = 1, stride = 1;
    g->count = 0;
    g->sample = SIZE_MAX;
    for (size_t a = 0; a < g->axes; a++) {
        if (counts[a] == 0 && g->sample == SIZE_MAX)
            g->sample = g->count;
        else if (counts[a] == 0) {
            g->of[a] = g->sample;
            continue;
        }
        g->shape[g->count] = counts[a];
        points *= counts[a] == 0 ? 1 : counts[a];
        g->of[a] = g->count++;
    }
    if (g->sample != SIZE_MAX)
        g->shape[g->sample] = am_table_rows(g->table) / points;
    for (size_t d = g->count; d-- > 0; stride *= g->shape[d]) {
        g->stride[d] = stride;
        g->rank[d] = NULL;
    }
}

static am_status arrange(grid *g, am_error *err) {
    static const size_t all_drawn[AM_TABLE_AXES];
    const size_t *counts;
    bool twice = false;
    g->axes = am_table_axes(g->table, &counts);
    g->columns = am_table_columns(g->table);
    lay_out(g, counts);
    for (size_t a = 0; a < g->axes; a++)
        if (g->of[a] != g->sample)
            AM_TRY(rank_axis(g, a, &twice, err));
    if (twice)
        lay_out(g, all_drawn);
    return AM_OK;
}

/* ---- Names ---- */

/* An axis `model.friction` is called `friction`, as long as nothing else is. */
static const char *short_name(const grid *g, size_t column) {
    static const char front[] = "model.";
    const char *name = am_table_column_name(g->table, column);
    if (column >= g->axes || strncmp(name, front, sizeof front - 1) != 0)
        return name;
    const char *end = name + sizeof front - 1;
    return am_table_find_column(g->table, end) == SIZE_MAX ? end : name;
}

static bool is_taken(const grid *g, size_t column) {
    bool taken = strcmp(g->names[column], "sample") == 0 || strncmp(g->names[column], "string", 6) == 0 ||
                 strncmp(g->names[column], "study_as_run", 12) == 0;
    for (size_t i = 0; i < column && !taken; i++)
        taken = strcmp(g->names[i], g->names[column]) == 0;
    return taken;
}

static am_status name_columns(grid *g, am_error *err) {
    g->names = am_arena_new(&g->memory, g->columns, sizeof *g->names, err);
    if (!g->names)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < g->columns; i++) {
        for (int taken = 0; taken < 2 && (taken == 0 || is_taken(g, i)); taken++) {
            AM_LOCAL_MEMORY char *name = am_output_clean_name(short_name(g, i), i, taken, err);
            if (!name)
                return AM_ERR_MEMORY;
            snprintf(g->names[i], sizeof g->names[i], "%s", name);
        }
    }
    return AM_OK;
}

/* ---- Variables ---- */

static am_status define(const grid *g, int *variables, am_error *err) {
    int dimensions[AM_TABLE_AXES] = {0};
    AM_LOCAL(am_text_free) am_text coordinates = {0};
    for (size_t d = 0; d < g->count; d++) {
        const char *name = "sample";
        for (size_t a = 0; d != g->sample && a < g->axes; a++)
            name = g->of[a] == d ? g->names[a] : name;
        AM_TRY(check(nc_def_dim(g->file, name, g->shape[d], &dimensions[d]), name, err));
    }
    for (size_t a = 0; a < g->axes; a++)
        if (g->of[a] == g->sample)
            am_text_printf(&coordinates, "%s%s", am_text_view(&coordinates)[0] ? " " : "", g->names[a]);
    AM_TRY(am_text_status(&coordinates, err));
    for (size_t i = 0; i < g->columns; i++) {
        bool axis = i < g->axes;
        AM_TRY(check(am_netcdf_define(g->file, g->names[i], g->table, i, axis ? 1 : (int)g->count,
                                      axis ? &dimensions[g->of[i]] : dimensions, axis ? "" : am_text_view(&coordinates),
                                      &variables[i]),
                     g->names[i], err));
    }
    return AM_OK;
}

static am_status find(const grid *g, int *variables, am_error *err) {
    for (size_t i = 0; i < g->columns; i++)
        AM_TRY(check(nc_inq_varid(g->file, g->names[i], &variables[i]), g->names[i], err));
    return AM_OK;
}

/* ---- Cells ---- */

/* A column on its way: `width` bytes for each of `block` cells, those of the dimensions from `from` on. */
typedef struct cells {
    const grid *grid;
    size_t column, width, from, block;
    bool text, bytes;
    char *wanted, *found; /* found: NULL while writing */
    int variable;
} cells;

static size_t rank_of(const grid *g, size_t dimension, size_t row) {
    size_t index = row / g->stride[dimension] % g->shape[dimension];
    return g->rank[dimension] ? g->rank[dimension][index] : index;
}

static void fill_block(const cells *c, size_t first) {
    const grid *g = c->grid;
    memset(c->wanted, 0, c->block * c->width);
    for (size_t row = first; row < first + c->block; row++) {
        size_t at = 0;
        for (size_t a = c->from; a < g->count; a++)
            at += rank_of(g, a, row) * g->stride[a];
        char *cell = c->wanted + at * c->width;
        const char *text = c->text ? am_table_text(g->table, row, c->column) : "";
        double number = c->text ? 0.0 : am_table_number(g->table, row, c->column);
        if (c->text)
            memcpy(cell, text, strlen(text));
        else if (c->bytes)
            *cell = (char)(isnan(number) ? AM_NETCDF_NO_FLAG : number != 0.0);
        else
            memcpy(cell, &number, sizeof number);
    }
}

static am_status pass_block(const cells *c, size_t first, am_error *err) {
    const grid *g = c->grid;
    size_t start[AM_TABLE_AXES + 1] = {0}, edge[AM_TABLE_AXES + 1];
    for (size_t a = 0; a < g->count; a++) {
        start[a] = a < c->from ? rank_of(g, a, first) : 0;
        edge[a] = a < c->from ? 1 : g->shape[a];
    }
    edge[g->count] = c->width; /* of texts */
    fill_block(c, first);
    if (!c->found)
        return check(nc_put_vara(g->file, c->variable, start, edge, c->wanted), g->names[c->column], err);
    AM_TRY(check(nc_get_vara(g->file, c->variable, start, edge, c->found), g->names[c->column], err));
    if (memcmp(c->found, c->wanted, c->block * c->width) != 0)
        return am_fail(err, AM_ERR_FILE, "results.nc could not be made: %s is not in it as it was written",
                       g->names[c->column]);
    return AM_OK;
}

static am_status pass_cells(const grid *g, size_t column, int variable, bool compare, am_error *err) {
    bool text = am_table_column_kind(g->table, column) == AM_COLUMN_TEXT, bytes = am_netcdf_is_bytes(g->table, column);
    size_t width = text ? am_netcdf_text_width(g->table, column) : bytes ? 1 : sizeof(double);
    size_t from = g->count - 1, block = g->shape[from];
    while (from > 0 && block * g->shape[from - 1] * width <= AT_ONCE)
        block *= g->shape[--from];
    AM_LOCAL_MEMORY char *wanted = am_memory_new(block, width, err);
    AM_LOCAL_MEMORY char *found = compare ? am_memory_new(block, width, err) : NULL;
    if (!wanted || (compare && !found))
        return AM_ERR_MEMORY;
    cells c = {g, column, width, from, block, text, bytes, wanted, found, variable};
    for (size_t first = 0; first < am_table_rows(g->table); first += block)
        AM_TRY(pass_block(&c, first, err));
    return AM_OK;
}

/* The coordinates of an axis. */
static am_status pass_axis(const grid *g, size_t axis, int variable, bool compare, am_error *err) {
    size_t count = g->shape[g->of[axis]], *rank = g->rank[g->of[axis]];
    AM_LOCAL_MEMORY double *wanted = am_memory_new(count, sizeof *wanted, err);
    AM_LOCAL_MEMORY double *found = am_memory_new(count, sizeof *found, err);
    if (!wanted || !found)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        wanted[rank ? rank[i] : i] = axis_value(g, axis, i);
    if (!compare)
        return check(nc_put_var_double(g->file, variable, wanted), g->names[axis], err);
    AM_TRY(check(nc_get_var_double(g->file, variable, found), g->names[axis], err));
    if (memcmp(found, wanted, count * sizeof *found) != 0)
        return am_fail(err, AM_ERR_FILE, "results.nc could not be made: %s is not in it as it was written",
                       g->names[axis]);
    return AM_OK;
}

/* First all variables, then all numbers, as of tables. */
static am_status pass_grid(grid *g, bool compare, am_error *err) {
    AM_TRY(arrange(g, err));
    AM_TRY(name_columns(g, err));
    int *variables = am_arena_new(&g->memory, g->columns, sizeof *variables, err);
    if (!variables)
        return AM_ERR_MEMORY;
    AM_TRY(compare ? find(g, variables, err) : define(g, variables, err));
    for (size_t i = 0; i < g->columns; i++)
        AM_TRY(i < g->axes ? pass_axis(g, i, variables[i], compare, err)
                           : pass_cells(g, i, variables[i], compare, err));
    return AM_OK;
}

am_status am_netcdf_grid(int file, const am_result *result, bool compare, am_error *err) {
    const am_table *table = NULL;
    const size_t *shape;
    for (size_t i = 0; i < am_result_table_count(result) && !table; i++)
        if (am_table_axes(am_result_table(result, i), &shape) > 0 && am_table_rows(am_result_table(result, i)) > 0)
            table = am_result_table(result, i);
    grid g = {.file = file, .table = table};
    am_status status = table ? pass_grid(&g, compare, err) : AM_OK;
    am_arena_clear(&g.memory);
    return status;
}
