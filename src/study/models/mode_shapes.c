#include "study/models/mode_shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/columns.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/result_reuse.h"
#include "study/number_table.h"

/* ---- the other result ---- */

static const char *const parts[] = {"ux", "uy", "uz", "ux_imaginary", "uy_imaginary", "uz_imaginary"};
enum { PARTS = 6, NEEDED = 3 };

static void release_csv(void *table) {
    am_csv_free(table);
}

static double entry(const am_csv *table, size_t row, size_t column) {
    return table->values[row * table->columns + column];
}

/* The rows of one mode: [first, end). */
static size_t end_of_mode(const am_csv *table, size_t first) {
    size_t mode = am_csv_column(table, "mode"), end = first;
    while (end < table->rows && entry(table, end, mode) == entry(table, first, mode))
        end++;
    return end;
}

/* A whole number that was not there before in this block (0: that of the modes). */
static am_status check_number(const am_mode_shapes *shapes, const char *name, size_t row, size_t block, am_labels *seen,
                              am_error *err) {
    double number = entry(shapes->other, row, am_csv_column(shapes->other, name));
    size_t line = shapes->other->line[row], at;
    bool added;
    if (!(fabs(number) < 1e15) || number != floor(number))
        return am_fail(err, AM_ERR_INPUT, "%s:%zu: %.17g is no number of a %s: it is not whole", shapes->path, line,
                       number, name);
    AM_TRY(am_labels_row(seen, (am_label){(long)number, (int)block}, &at, &added, err));
    return added ? AM_OK
                 : am_fail(err, AM_ERR_INPUT,
                           "%s:%zu: %s %.0f comes again; the rows of a mode stand together, and each node once",
                           shapes->path, line, name, number);
}

static am_status check_rows(const am_mode_shapes *shapes, am_error *err) {
    AM_LOCAL(am_labels_clear) am_labels seen = {0};
    for (size_t first = 0, end, block = 1; first < shapes->other->rows; first = end, block++) {
        end = end_of_mode(shapes->other, first);
        AM_TRY(check_number(shapes, "mode", first, 0, &seen, err));
        for (size_t r = first; r < end; r++)
            AM_TRY(check_number(shapes, "node", r, block, &seen, err));
    }
    return AM_OK;
}

am_status am_mode_shapes_read(am_reading *reading, const am_node *node, am_mode_shapes *shapes) {
    am_csv *table = am_arena_new(reading->pool, 1, sizeof *table, reading->err);
    shapes->path = table ? am_read_file_name(reading, node, "compare") : NULL;
    if (!shapes->path)
        return am_error_status(reading->err);
    am_status status = am_csv_read(shapes->path, table, reading->err);
    if (status && status != AM_ERR_MEMORY)
        am_node_locate(node, reading->err);
    AM_TRY(status);
    AM_TRY(am_arena_own(reading->pool, table, release_csv, reading->err));
    const char *const needed[] = {"mode", "node", parts[0], parts[1], parts[2]};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (am_csv_column(table, needed[i]) == table->columns)
            return am_node_fail(node, reading->err, AM_ERR_INPUT,
                                "%s has no column '%s': columns mode, node, ux, uy, uz are needed", shapes->path,
                                needed[i]);
    shapes->other = table;
    return check_rows(shapes, reading->err);
}

/* ---- looking on ---- */

/* A shape of the whole structure, its largest coordinate 1. */
typedef struct seen {
    am_vibration shape;
    double *u; /* nodes x PARTS */
} seen;

typedef struct watcher {
    am_arena memory;
    const am_mode_shapes *def;
    am_import_mesh own; /* nodes without places */
    const am_import_mesh *grid;
    double *re, *im; /* of the whole */
    size_t count, capacity;
    seen *list;
} watcher;

static void release(void *context) {
    watcher *w = context;
    am_import_mesh_clear(&w->own);
    am_memory_free(w->list);
    am_arena_clear(&w->memory);
    am_memory_free(w);
}

static am_label label_of(const am_mode_shapes *def, size_t row) {
    return def->labels && def->labels->count > 0 ? def->labels->label[row] : (am_label){(long)row + 1, 0};
}

static bool has_places(const am_mode_shapes *def) {
    return def->grid && def->grid->count > 0;
}

/* Nodes of the labels, each once. */
static am_status list_nodes(watcher *w, am_error *err) {
    AM_LOCAL(am_labels_clear) am_labels nodes = {0};
    for (size_t i = 0; i < w->def->whole; i++) {
        size_t row;
        bool added;
        long number = label_of(w->def, i).node;
        AM_TRY(am_labels_row(&nodes, (am_label){number, 0}, &row, &added, err));
        if (added)
            AM_TRY(am_import_mesh_add_node(&w->own, number, (const double[3]){0}, err));
    }
    w->grid = &w->own;
    return am_import_mesh_sort(&w->own, "labels", err);
}

static void expand(watcher *w, const am_vibration *shape) {
    const am_mode_shapes *def = w->def;
    memset(w->re, 0, def->whole * sizeof *w->re);
    memset(w->im, 0, def->whole * sizeof *w->im);
    for (size_t j = 0; j < def->size; j++) {
        size_t row = def->kept[j];
        if (!def->shape) {
            w->re[row] = shape->cosine[j];
            w->im[row] = shape->sine[j];
        }
        for (size_t i = 0; def->shape && i < def->whole; i++) {
            w->re[i] += def->shape[row * def->whole + i] * shape->cosine[j];
            w->im[i] += def->shape[row * def->whole + i] * shape->sine[j];
        }
    }
}

/* Turned and scaled, so that the largest of equal ones, the first, is 1. */
static void normalise(watcher *w) {
    size_t best = 0;
    for (size_t i = 1; i < w->def->whole; i++)
        if (hypot(w->re[i], w->im[i]) > (1.0 + 1e-9) * hypot(w->re[best], w->im[best]))
            best = i;
    double a = w->re[best], b = w->im[best], square = a * a + b * b;
    for (size_t i = 0; i < w->def->whole && square > 0.0; i++) {
        double re = (w->re[i] * a + w->im[i] * b) / square;
        w->im[i] = (w->im[i] * a - w->re[i] * b) / square;
        w->re[i] = re;
    }
}

static am_status see(void *context, const am_vibration *shape, am_error *err) {
    watcher *w = context;
    if (shape->coordinates != w->def->size)
        return am_fail(err, AM_ERR_EVIDENCE, "a shape of %zu coordinates instead of %zu", shape->coordinates,
                       w->def->size);
    AM_TRY(am_memory_reserve(&w->list, &w->capacity, w->count + 1, err));
    double *u = am_arena_doubles(&w->memory, NULL, w->grid->count * PARTS, err);
    AM_TRY(am_arena_status(&w->memory));
    expand(w, shape);
    normalise(w);
    for (size_t i = 0; i < w->def->whole; i++) {
        am_label label = label_of(w->def, i);
        size_t node = am_import_mesh_find(w->grid, label.node);
        int direction = label.direction == 0 ? 1 : label.direction;
        if (node == SIZE_MAX || direction > 3) /* inside an element, or a rotation */
            continue;
        u[node * PARTS + (size_t)direction - 1] = w->re[i];
        u[node * PARTS + (size_t)direction + 2] = w->im[i];
    }
    w->list[w->count++] = (seen){*shape, u};
    return AM_OK;
}

/* ---- tables ---- */

static void list_shapes(const watcher *w, am_result *result) {
    if (!am_result_wants(result, "mode_shapes"))
        return;
    am_table *table = am_result_describe_table(result, "mode_shapes", "mode real imaginary amplitude");
    for (size_t k = 0; k < w->count; k++) {
        const am_vibration *s = &w->list[k].shape;
        am_table_add_numbers(table, AM_NUMBERS((double)s->mode, s->real, s->imaginary, s->amplitude));
    }
}

static void list_displacements(const watcher *w, am_result *result) {
    if (!am_result_wants(result, "mode_shape_nodes"))
        return;
    am_table *table = am_result_describe_table(result, "mode_shape_nodes", "mode node");
    bool places = has_places(w->def);
    am_table_describe(table, places ? "x y z" : "");
    am_table_describe(table, "ux uy uz ux_imaginary uy_imaginary uz_imaginary");
    for (size_t k = 0; k < w->count; k++)
        for (size_t i = 0; i < w->grid->count; i++) {
            const double *u = w->list[k].u + i * PARTS, *x = w->grid->node[i].place;
            const double row[] = {(double)w->list[k].shape.mode, (double)w->grid->node[i].number, x[0], x[1], x[2]};
            double all[5 + PARTS];
            memcpy(all, row, sizeof row);
            memcpy(all + (places ? 5 : 2), u, PARTS * sizeof *u);
            am_table_add_numbers(table, all, (places ? 5 : 2) + PARTS);
        }
}

static void list_cells(const watcher *w, am_result *result) {
    if (!am_result_wants(result, "mode_shape_cells") || w->grid->cell_count == 0)
        return;
    am_table *table = am_result_describe_table(result, "mode_shape_cells", "vtk_type");
    for (size_t k = 0; k < AM_CELL_MOST_NODES; k++) {
        char name[16];
        snprintf(name, sizeof name, "n%zu", k + 1);
        am_table_describe_as(table, "n<i>", name);
    }
    for (size_t c = 0; c < w->grid->cell_count; c++) {
        const am_import_mesh_cell *cell = &w->grid->cell[c];
        am_table_add_numbers(table, AM_NUMBERS((double)cell->shape));
        for (size_t k = 0; k < am_cell_nodes(cell->shape); k++)
            am_table_set_number(table, 1 + k, (double)w->grid->corner[cell->first + k] + 1.0);
    }
}

/* ---- modal assurance criterion ---- */

/* Sums over the nodes that both have, of a shape here and one of the file: rows [first, end) of it. */
static double correlate(const watcher *w, const double *u, size_t first, size_t end, size_t *nodes) {
    const am_csv *other = w->def->other;
    size_t node = am_csv_column(other, "node"), column[PARTS];
    double re = 0.0, im = 0.0, own = 0.0, theirs = 0.0;
    for (size_t p = 0; p < PARTS; p++)
        column[p] = am_csv_column(other, parts[p]);
    *nodes = 0;
    for (size_t r = first; r < end; r++) {
        size_t at = am_import_mesh_find(w->grid, (long)entry(other, r, node));
        if (at == SIZE_MAX)
            continue;
        ++*nodes;
        for (size_t d = 0; d < 3; d++) {
            double a = u[at * PARTS + d], b = u[at * PARTS + d + 3], c = entry(other, r, column[d]);
            double s = column[d + 3] < other->columns ? entry(other, r, column[d + 3]) : 0.0;
            re += a * c + b * s;
            im += a * s - b * c;
            own += a * a + b * b;
            theirs += c * c + s * s;
        }
    }
    return own > 0.0 && theirs > 0.0 ? (re * re + im * im) / (own * theirs) : NAN;
}

static am_status compare(const watcher *w, am_result *result, am_error *err) {
    const am_csv *other = w->def->other;
    size_t mode = am_csv_column(other, "mode"), least = SIZE_MAX;
    am_table *table = am_result_describe_table(result, "mac", "mode other_mode mac");
    for (size_t k = 0; k < w->count; k++)
        for (size_t first = 0, end, nodes; first < other->rows; first = end) {
            end = end_of_mode(other, first);
            double mac = correlate(w, w->list[k].u, first, end, &nodes), number = entry(other, first, mode);
            least = nodes < least ? nodes : least;
            if (nodes == 0)
                return am_fail_field(err, AM_ERR_INPUT, "compare",
                                     "%s: mode %.0f has none of the nodes of this structure", w->def->path, number);
            am_table_add_numbers(table, AM_NUMBERS((double)w->list[k].shape.mode, number, mac));
        }
    am_result_set_count(result, "mac_nodes", least, NULL);
    return AM_OK;
}

static am_status report(void *context, am_result *result, am_error *err) {
    watcher *w = context;
    if (w->count == 0)
        return AM_OK;
    list_shapes(w, result);
    list_displacements(w, result);
    list_cells(w, result);
    if (w->def->other)
        AM_TRY(compare(w, result, err));
    return am_result_status(result, err);
}

static am_status prepare(watcher *w, am_error *err) {
    w->re = am_arena_doubles(&w->memory, NULL, w->def->whole, err);
    w->im = am_arena_doubles(&w->memory, NULL, w->def->whole, err);
    AM_TRY(am_arena_status(&w->memory));
    w->grid = w->def->grid;
    return has_places(w->def) ? AM_OK : list_nodes(w, err);
}

am_status am_mode_shapes_watch(const am_mode_shapes *shapes, am_model_watch *watch, am_error *err) {
    watcher *w = am_memory_new(1, sizeof *w, err);
    if (!w)
        return AM_ERR_MEMORY;
    w->def = shapes;
    am_status status = prepare(w, err);
    if (status) {
        release(w);
        return status;
    }
    *watch = (am_model_watch){{.shape = see, .context = w}, report, release};
    return AM_OK;
}
