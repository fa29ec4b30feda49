#include "output/vtk.h"
#include "base/try.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

typedef struct writer {
    am_text text;
    am_output_file *file;
    const am_mesh_tables *tables;
} writer;

static void open_array(writer *w, const char *type, const char *name, size_t components) {
    am_text_printf(&w->text, "        <DataArray type=\"%s\" Name=\"%s\"", type, name);
    if (components > 1)
        am_text_printf(&w->text, " NumberOfComponents=\"%zu\"", components);
    am_text_add(&w->text, " format=\"ascii\">\n");
}

static void close_array(writer *w) {
    am_text_add(&w->text, "        </DataArray>\n");
}

/* Columns of mesh_nodes side by side; SIZE_MAX: zero. */
static void write_points(writer *w, const char *name, const size_t *columns, size_t count) {
    open_array(w, "Float64", name, count);
    for (size_t row = 0; row < am_table_rows(w->tables->nodes); row++) {
        for (size_t i = 0; i < count; i++) {
            am_text_add(&w->text, i > 0 ? " " : "");
            am_text_number(&w->text, columns[i] == SIZE_MAX ? 0 : am_table_number(w->tables->nodes, row, columns[i]));
        }
        am_text_add(&w->text, "\n");
        am_output_file_move(w->file, &w->text, AM_OUTPUT_CHUNK);
    }
    close_array(w);
}

static void write_fields(writer *w) {
    const am_mesh_tables *t = w->tables;
    am_text_add(&w->text, "      <PointData Vectors=\"displacement\" Scalars=\"mises\" Tensors=\"stress\">\n");
    write_points(w, "displacement", (const size_t[]){t->ux, t->uy, SIZE_MAX}, 3);
    write_points(w, "mises", &t->mises, 1);
    write_points(w, "stress", (const size_t[]){t->sxx, t->syy, t->szz, t->sxy, SIZE_MAX, SIZE_MAX}, 6);
    am_text_add(&w->text, "      </PointData>\n");
}

/* What is written of every cell. */
typedef enum part { CONNECTIVITY, OFFSETS, TYPES } part;

static unsigned vtk_type(const am_mesh_cell *cell) {
    return cell->count == 4 ? 9 : cell->corners == 4 ? 23 : 22; /* VTK_QUAD, VTK_QUADRATIC_QUAD, .._TRIANGLE */
}

static am_status write_cells(writer *w, const char *type, const char *name, part what, am_error *err) {
    size_t end = 0;
    open_array(w, type, name, 1);
    for (size_t row = 0; row < am_table_rows(w->tables->elements); row++) {
        am_mesh_cell cell = {0};
        AM_TRY(am_mesh_cell_read(w->tables, row, &cell, err));
        end += cell.count;
        for (size_t k = 0; what == CONNECTIVITY && k < cell.count; k++)
            am_text_printf(&w->text, "%s%zu", k > 0 ? " " : "", cell.node[k]);
        if (what == OFFSETS)
            am_text_printf(&w->text, "%zu", end);
        if (what == TYPES)
            am_text_printf(&w->text, "%u", vtk_type(&cell));
        am_text_add(&w->text, "\n");
        am_output_file_move(w->file, &w->text, AM_OUTPUT_CHUNK);
    }
    close_array(w);
    return AM_OK;
}

/* Bodies are numbered in the order in which their names first occur. */
static am_status write_bodies(writer *w, am_error *err) {
    const am_mesh_tables *t = w->tables;
    size_t count = 0, capacity = 0;
    const char **names = NULL;
    am_status status = AM_OK;
    open_array(w, "Int32", "body", 1);
    for (size_t row = 0; status == AM_OK && row < am_table_rows(t->elements); row++) {
        const char *name = am_table_text(t->elements, row, t->body);
        size_t body = 0;
        while (body < count && strcmp(names[body], name) != 0)
            body++;
        status = am_memory_reserve(&names, &capacity, body + 1, err);
        if (status == AM_OK && body == count)
            names[count++] = name;
        am_text_printf(&w->text, "%zu\n", body + 1);
        am_output_file_move(w->file, &w->text, AM_OUTPUT_CHUNK);
    }
    am_memory_free(names);
    close_array(w);
    return status;
}

static am_status write_grid(writer *w, am_error *err) {
    const am_mesh_tables *t = w->tables;
    am_text_printf(&w->text,
                   "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
                   "byte_order=\"LittleEndian\">\n  <UnstructuredGrid>\n    <Piece NumberOfPoints=\"%zu\" "
                   "NumberOfCells=\"%zu\">\n",
                   am_table_rows(t->nodes), am_table_rows(t->elements));
    write_fields(w);
    am_text_add(&w->text, "      <CellData Scalars=\"body\">\n");
    AM_TRY(write_bodies(w, err));
    am_text_add(&w->text, "      </CellData>\n      <Points>\n");
    write_points(w, "Points", (const size_t[]){t->x, t->y, SIZE_MAX}, 3);
    am_text_add(&w->text, "      </Points>\n      <Cells>\n");
    AM_TRY(write_cells(w, "Int64", "connectivity", CONNECTIVITY, err));
    AM_TRY(write_cells(w, "Int64", "offsets", OFFSETS, err));
    AM_TRY(write_cells(w, "UInt8", "types", TYPES, err));
    am_text_add(&w->text, "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n</VTKFile>\n");
    return AM_OK;
}

am_status am_output_vtk(const am_result *result, am_output_file *file, am_error *err) {
    am_mesh_tables tables;
    AM_TRY(am_mesh_tables_find(&tables, result, err));
    writer w = {.file = file, .tables = &tables};
    am_status status = write_grid(&w, err);
    if (status == AM_OK)
        status = am_text_status(&w.text, err);
    am_output_file_move(file, &w.text, 0);
    am_text_free(&w.text);
    return status;
}

/* ---- tables of points ---- */

typedef struct cloud {
    writer w;
    const am_table *table, *cells;
    size_t count; /* points: rows of each block */
} cloud;

bool am_vtk_has_points(const am_table *table) {
    size_t x = am_table_find_column(table, "x"), rows = am_table_rows(table);
    for (size_t i = 0; i < rows && x != SIZE_MAX; i++)
        if (!isfinite(am_table_number(table, i, x)))
            return false;
    return x != SIZE_MAX && rows > 0;
}

/* Columns side by side, from a row on; what is not known is 0. */
static void write_block(cloud *c, const char *name, size_t first, const size_t *columns, size_t count) {
    open_array(&c->w, "Float64", name, count);
    for (size_t row = first; row < first + c->count; row++) {
        for (size_t i = 0; i < count; i++) {
            double value = columns[i] == SIZE_MAX ? 0.0 : am_table_number(c->table, row, columns[i]);
            am_text_add(&c->w.text, i > 0 ? " " : "");
            am_text_number(&c->w.text, isfinite(value) ? value : 0.0);
        }
        am_text_add(&c->w.text, "\n");
        am_output_file_move(c->w.file, &c->w.text, AM_OUTPUT_CHUNK);
    }
    close_array(&c->w);
}

static void find_columns(const am_table *table, const char *const names[3], size_t columns[3]) {
    for (size_t i = 0; i < 3; i++)
        columns[i] = am_table_find_column(table, names[i]);
}

static void write_shape(cloud *c, size_t first) {
    static const char *const real[] = {"ux", "uy", "uz"}, *const imaginary[] = {"ux_imaginary", "uy_imaginary",
                                                                                "uz_imaginary"};
    size_t columns[3];
    char name[64];
    double mode = am_table_number(c->table, first, am_table_find_column(c->table, "mode"));
    find_columns(c->table, real, columns);
    snprintf(name, sizeof name, "mode_%.0f", mode);
    write_block(c, name, first, columns, 3);
    find_columns(c->table, imaginary, columns);
    snprintf(name, sizeof name, "mode_%.0f_imaginary", mode);
    write_block(c, name, first, columns, 3);
}

/* The word of each contact: its place among these. */
static void write_states(cloud *c, const char *name, size_t first) {
    static const char *const words[] = {"stick", "slip", "lift-off", "open"};
    size_t column = am_table_find_column(c->table, "state");
    open_array(&c->w, "UInt8", name, 1);
    for (size_t row = first; row < first + c->count; row++) {
        size_t state = 0;
        while (state < 3 && strcmp(am_table_text(c->table, row, column), words[state]) != 0)
            state++;
        am_text_printf(&c->w.text, "%zu\n", state);
    }
    close_array(&c->w);
}

static void write_contacts(cloud *c, size_t first) {
    static const char *const wanted[] = {"loss",    "stick_share", "slip_share", "open_share",
                                         "N_least", "N_most",      "T_most"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char name[64];
        size_t column = am_table_find_column(c->table, wanted[i]);
        snprintf(name, sizeof name, "%s_%zu", wanted[i], first / c->count + 1);
        write_block(c, name, first, &column, 1);
    }
    char name[64];
    snprintf(name, sizeof name, "state_%zu", first / c->count + 1);
    write_states(c, name, first);
}

/* At which value each block of contacts was found, in its order. */
static void write_values(cloud *c) {
    size_t blocks = am_table_rows(c->table) / c->count;
    am_text_printf(&c->w.text,
                   "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"value\" NumberOfTuples=\"%zu\" "
                   "format=\"ascii\">\n",
                   blocks);
    for (size_t i = 0; i < blocks; i++) {
        am_text_number(&c->w.text, am_table_number(c->table, i * c->count, 0));
        am_text_add(&c->w.text, "\n");
    }
    am_text_add(&c->w.text, "      </DataArray>\n    </FieldData>\n");
}

/* Of cell i: its points, where they end, or its type. */
static void write_cloud_cells(cloud *c, const char *type, const char *name, part what) {
    size_t cells = c->cells ? am_table_rows(c->cells) : c->count, end = 0;
    open_array(&c->w, type, name, 1);
    for (size_t i = 0; i < cells; i++) {
        size_t nodes = c->cells ? 0 : 1;
        while (c->cells && nodes + 1 < am_table_columns(c->cells) && am_table_number(c->cells, i, nodes + 1) >= 1.0)
            nodes++;
        end += nodes;
        for (size_t k = 0; what == CONNECTIVITY && k < nodes; k++)
            am_text_printf(&c->w.text, "%s%zu", k > 0 ? " " : "",
                           c->cells ? (size_t)am_table_number(c->cells, i, k + 1) - 1 : i);
        if (what == OFFSETS)
            am_text_printf(&c->w.text, "%zu", end);
        if (what == TYPES)
            am_text_printf(&c->w.text, "%.0f", c->cells ? am_table_number(c->cells, i, 0) : 1.0); /* VTK_VERTEX */
        am_text_add(&c->w.text, "\n");
        am_output_file_move(c->w.file, &c->w.text, AM_OUTPUT_CHUNK);
    }
    close_array(&c->w);
}

static void write_cloud(cloud *c) {
    static const char *const places[] = {"x", "y", "z"};
    size_t columns[3], node = am_table_find_column(c->table, "node");
    am_text_add(&c->w.text, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
                            "byte_order=\"LittleEndian\">\n  <UnstructuredGrid>\n");
    if (node == SIZE_MAX)
        write_values(c);
    am_text_printf(&c->w.text, "    <Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n      <PointData>\n",
                   c->count, c->cells ? am_table_rows(c->cells) : c->count);
    for (size_t first = 0; first + c->count <= am_table_rows(c->table); first += c->count)
        (node == SIZE_MAX ? write_contacts : write_shape)(c, first);
    if (node != SIZE_MAX)
        write_block(c, "node", 0, &node, 1);
    am_text_add(&c->w.text, "      </PointData>\n      <Points>\n");
    find_columns(c->table, places, columns);
    write_block(c, "Points", 0, columns, 3);
    am_text_add(&c->w.text, "      </Points>\n      <Cells>\n");
    write_cloud_cells(c, "Int64", "connectivity", CONNECTIVITY);
    write_cloud_cells(c, "Int64", "offsets", OFFSETS);
    write_cloud_cells(c, "UInt8", "types", TYPES);
    am_text_add(&c->w.text, "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n</VTKFile>\n");
}

/* Rows until the first node or contact comes again: a motion may be there twice at one value. */
static size_t block_rows(const am_table *table) {
    size_t node = am_table_find_column(table, "node"), contact = am_table_find_column(table, "contact");
    for (size_t i = 1; i < am_table_rows(table); i++)
        if (node != SIZE_MAX ? am_table_number(table, i, node) == am_table_number(table, 0, node)
                             : strcmp(am_table_text(table, i, contact), am_table_text(table, 0, contact)) == 0)
            return i;
    return am_table_rows(table);
}

am_status am_output_vtk_points(const am_table *table, const am_table *cells, am_output_file *file, am_error *err) {
    cloud c = {.w = {.file = file}, .table = table, .cells = cells, .count = block_rows(table)};
    write_cloud(&c);
    am_status status = am_text_status(&c.w.text, err);
    am_output_file_move(file, &c.w.text, 0);
    am_text_free(&c.w.text);
    return status;
}
