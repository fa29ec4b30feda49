#include "study/analyses/squeal_table.h"
#include "base/try.h"

#include <stdint.h>
#include <string.h>

#include "analyses/stability/modes.h"
#include "base/columns.h"
#include "base/memory.h"

typedef struct columns {
    size_t real, imaginary, hertz, damping_ratio, kind, uncertainty;
} columns;

static bool find_columns(const am_table *table, columns *c) {
    *c = (columns){am_table_find_column(table, "real"),  am_table_find_column(table, "imaginary"),
                   am_table_find_column(table, "hertz"), am_table_find_column(table, "damping_ratio"),
                   am_table_find_column(table, "kind"),  am_table_find_column(table, "uncertainty")};
    return c->real != SIZE_MAX && c->imaginary != SIZE_MAX && c->hertz != SIZE_MAX && c->damping_ratio != SIZE_MAX &&
           c->kind != SIZE_MAX && c->uncertainty != SIZE_MAX;
}

/* The coordinate that moves most in the shape of the eigenvalue in `row`, of equal ones the first; "" when there is no
 * shape of it. */
static const char *largest_coordinate(const am_table *shapes, size_t row) {
    const char *best = "";
    double most = 0.0;
    size_t number = shapes ? am_table_find_column(shapes, "mode") : SIZE_MAX;
    size_t name = shapes ? am_table_find_column(shapes, "coordinate") : SIZE_MAX;
    size_t amplitude = shapes ? am_table_find_column(shapes, "amplitude") : SIZE_MAX;
    if (number == SIZE_MAX || name == SIZE_MAX || amplitude == SIZE_MAX)
        return best;
    for (size_t r = 0; r < am_table_rows(shapes); r++)
        if (am_table_number(shapes, r, number) == (double)row &&
            am_table_number(shapes, r, amplitude) > (1.0 + AM_SHAPE_TIE) * most) {
            most = am_table_number(shapes, r, amplitude);
            best = am_table_text(shapes, r, name);
        }
    return best;
}

static am_status add_columns(am_table *table, am_error *err) {
    am_table_describe(table, "mode real imaginary hertz damping_ratio unstable coordinate");
    return am_table_status(table, err);
}

static bool is_unstable(const am_table *table, const columns *c, size_t row) {
    const char *kind = am_table_text(table, row, c->kind);
    return strcmp(kind, "flutter") == 0 || strcmp(kind, "divergence") == 0;
}

static am_status fill(const am_table *from, const am_table *shapes, const columns *c, const size_t *order, size_t count,
                      am_result *result, am_error *err) {
    size_t unstable = 0;
    am_table *table = am_result_add_table(result, "squeal", err);
    am_status status = table ? add_columns(table, err) : AM_ERR_MEMORY;
    for (size_t i = 0; status == AM_OK && i < count; i++) {
        size_t row = order[i];
        bool grows = is_unstable(from, c, row);
        unstable += grows;
        AM_TRY(am_table_add_row(table, err));
        am_table_set_number(table, 0, (double)(i + 1));
        am_table_set_number(table, 1, am_table_number(from, row, c->real));
        am_table_set_number(table, 2, am_table_number(from, row, c->imaginary));
        am_table_set_number(table, 3, am_table_number(from, row, c->hertz));
        am_table_set_number(table, 4, am_table_number(from, row, c->damping_ratio));
        am_table_set_number(table, 5, grows);
        status = am_table_set_text(table, 6, largest_coordinate(shapes, row), err);
    }
    return status == AM_OK ? am_result_set_count(result, "unstable_modes", unstable, err) : status;
}

am_status am_squeal_table(am_result *result, am_error *err) {
    const am_table *from = am_result_find_table(result, "eigenvalues");
    const am_table *shapes = am_result_find_table(result, "modes");
    columns c;
    if (!from || !find_columns(from, &c))
        return AM_OK;
    size_t rows = am_table_rows(from), count = 0;
    double *real = am_memory_new(3 * rows, sizeof *real, err);
    size_t *order = am_memory_new(rows, sizeof *order, err);
    am_status status = real && order ? AM_OK : AM_ERR_MEMORY;
    for (size_t r = 0; r < rows && !status; r++) {
        real[r] = am_table_number(from, r, c.real);
        real[rows + r] = am_table_number(from, r, c.imaginary);
        real[2 * rows + r] = am_table_number(from, r, c.uncertainty);
    }
    if (!status)
        status = am_mode_order(rows, real, real + rows, real + 2 * rows, order, &count, err);
    if (!status)
        status = fill(from, shapes, &c, order, count, result, err);
    am_memory_free(order);
    am_memory_free(real);
    return status;
}
