#include "output/vtk.h"
#include "base/try.h"

#include <stdint.h>
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
