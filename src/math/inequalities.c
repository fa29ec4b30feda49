/* Minimise z over G x - z <= h, x >= 0: there is room as soon as z is negative. The dictionary has one row per basic
 * variable: basic = constant + coefficients . nonbasic variables. Variables 0 .. columns-1 are x, then z, then the
 * slacks. */
#include "math/inequalities.h"

#include <math.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/watch.h"

typedef struct dictionary {
    size_t rows, width; /* width: nonbasic variables, of which there is one more than x, and the constant at the end */
    double *entry;      /* rows x width */
    size_t *basic, *other; /* which variable each row and column is */
} dictionary;

static double *row_of(const dictionary *d, size_t row) {
    return d->entry + row * d->width;
}

/* The variable of column `in` becomes basic in row `out`. */
static void pivot(dictionary *d, size_t out, size_t in) {
    double *leaving = row_of(d, out), inverse = 1.0 / leaving[in];
    leaving[in] = -1.0;
    for (size_t j = 0; j < d->width; j++)
        leaving[j] *= -inverse;
    for (size_t i = 0; i < d->rows; i++) {
        double *row = row_of(d, i), factor = row[in];
        if (i == out || factor == 0.0)
            continue;
        row[in] = 0.0;
        for (size_t j = 0; j < d->width; j++)
            row[j] += factor * leaving[j];
    }
    size_t variable = d->basic[out];
    d->basic[out] = d->other[in];
    d->other[in] = variable;
}

/* Bland: the first variable that lowers z; SIZE_MAX when none does. */
static size_t entering(const dictionary *d, size_t z_row) {
    const double *z = row_of(d, z_row);
    size_t best = SIZE_MAX;
    for (size_t j = 0; j + 1 < d->width; j++)
        if (z[j] < -1e-13 && (best == SIZE_MAX || d->other[j] < d->other[best]))
            best = j;
    return best;
}

/* The row that first reaches zero, z's own apart; SIZE_MAX when none does: z falls without end. */
static size_t leaving(const dictionary *d, size_t z_row, size_t in) {
    size_t best = SIZE_MAX;
    double least = INFINITY;
    for (size_t i = 0; i < d->rows; i++) {
        const double *row = row_of(d, i);
        if (i == z_row || !(row[in] < -1e-13))
            continue;
        double step = fmax(row[d->width - 1], 0.0) / -row[in];
        if (step < least || (step == least && best != SIZE_MAX && d->basic[i] < d->basic[best])) {
            least = step;
            best = i;
        }
    }
    return best;
}

static size_t fill(dictionary *d, const double *G, const double *h, size_t columns) {
    size_t worst = 0;
    for (size_t i = 0; i < d->rows; i++) {
        double *row = row_of(d, i);
        for (size_t j = 0; j < columns; j++)
            row[j] = -G[i * columns + j];
        row[columns] = 1.0;
        row[columns + 1] = h[i];
        d->basic[i] = columns + 1 + i;
        if (h[i] < h[worst])
            worst = i;
    }
    for (size_t j = 0; j <= columns; j++)
        d->other[j] = j;
    return worst;
}

static bool search(dictionary *d, size_t z_row, double enough) {
    for (;;) {
        if (row_of(d, z_row)[d->width - 1] < -enough)
            return true;
        size_t in = entering(d, z_row);
        if (in == SIZE_MAX)
            return false;
        size_t out = leaving(d, z_row, in);
        if (out == SIZE_MAX)
            return true;
        pivot(d, out, in);
        if (am_watch_stopped((double)d->rows * (double)d->width))
            return false;
    }
}

am_status am_inequalities_leave_room(const double *G, const double *h, size_t rows, size_t columns, bool *room,
                                     am_error *err) {
    double largest = 0.0;
    for (size_t i = 0; i < rows; i++)
        largest = fmax(largest, fabs(h[i]));
    dictionary d = {.rows = rows, .width = columns + 2};
    d.entry = am_memory_new(rows * (columns + 2), sizeof *d.entry, err);
    d.basic = am_memory_new(rows, sizeof *d.basic, err);
    d.other = am_memory_new(columns + 1, sizeof *d.other, err);
    am_status status = d.entry && d.basic && d.other ? AM_OK : AM_ERR_MEMORY;
    *room = true;
    if (status == AM_OK && rows > 0) {
        size_t worst = fill(&d, G, h, columns);
        if (!(h[worst] > 1e-12 * largest)) {
            pivot(&d, worst, columns);
            *room = search(&d, worst, 1e-12 * largest);
        }
    }
    am_memory_free(d.entry);
    am_memory_free(d.basic);
    am_memory_free(d.other);
    return status;
}
