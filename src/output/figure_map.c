/* A label or a number over a plane. Evenly spaced grids become an image, other grids boxes, anything else coloured
 * points. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "math/dense.h"
#include "output/figure_parts.h"

enum { MOST_LABELS = 64, MOST_STEPS = 24 };

#define GROUND "#e4e4e4"

/* The distinct values of one coordinate, in increasing order. */
typedef struct axis {
    double *values;
    size_t count;
    bool even;
} axis;

typedef struct map {
    const am_table *table;
    const size_t *columns; /* x, y, value */
    axis x, y;
    const char *labels[MOST_LABELS]; /* of a text column, in the order of the key */
    size_t label_count;
    double least, most; /* of a number column */
    bool whole, blank;  /* few whole numbers, which have colours of their own; cells without a value */
} map;

/* ---- Axes ---- */

static bool is_even(const axis *a) {
    if (a->count < 3)
        return true;
    double first = a->values[0], step = (a->values[a->count - 1] - first) / (double)(a->count - 1);
    for (size_t i = 0; i < a->count; i++)
        if (fabs(a->values[i] - first - (double)i * step) > 1e-6 * step)
            return false;
    return true;
}

/* Values closer than 1e-9 of the whole span are one value that was rounded differently. */
static am_status find_axis(am_drawing *d, const am_table *table, size_t column, axis *a, am_error *err) {
    size_t rows = am_table_rows(table), count = 0;
    a->values = am_arena_new(&d->memory, rows + 1, sizeof *a->values, err);
    if (!a->values)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < rows; i++) {
        double value = am_table_number(table, i, column);
        if (isfinite(value))
            a->values[count++] = value;
    }
    am_dense_sort(a->values, count);
    double near = count > 0 ? 1e-9 * (a->values[count - 1] - a->values[0]) : 0;
    for (size_t i = 0; i < count; i++)
        if (a->count == 0 || a->values[i] - a->values[a->count - 1] > near)
            a->values[a->count++] = a->values[i];
    a->even = is_even(a);
    return AM_OK;
}

static size_t place(const axis *a, double value) {
    size_t low = 0, high = a->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (a->values[middle] <= value + 1e-12 * fabs(value))
            low = middle;
        else
            high = middle;
    }
    return low + 1 < a->count && a->values[low + 1] - value < value - a->values[low] ? low + 1 : low;
}

static double step_of(const axis *a) {
    return a->count > 1 ? (a->values[a->count - 1] - a->values[0]) / (double)(a->count - 1) : 1;
}

/* Lower border of cell i: half way to its neighbour. i = count gives the upper border of the last cell. */
static double border(const axis *a, size_t i) {
    if (a->count < 2)
        return a->values[0] + (i == 0 ? -0.5 : 0.5);
    if (i == 0)
        return a->values[0] - (a->values[1] - a->values[0]) / 2;
    if (i == a->count)
        return a->values[i - 1] + (a->values[i - 1] - a->values[i - 2]) / 2;
    return (a->values[i - 1] + a->values[i]) / 2;
}

/* Boxes overlap their neighbours a little, so that no white lines appear between them. */
static double seam(const axis *a) {
    return 1e-3 * (a->values[a->count - 1] - a->values[0]);
}

/* ---- Values ---- */

static bool is_text(const map *m) {
    return am_table_column_kind(m->table, m->columns[2]) == AM_COLUMN_TEXT;
}

/* Labels come from a dictionary: equal texts of one column are one pointer. */
static size_t label_index(const map *m, const char *label) {
    for (size_t i = 0; i < m->label_count; i++)
        if (m->labels[i] == label)
            return i;
    return SIZE_MAX;
}

static int label_order(const char *label) {
    static const char *const order[] = {"open", "stick", "forward", "backward"};
    for (int i = 0; i < 4; i++)
        if (strcmp(label, order[i]) == 0)
            return i;
    return strcmp(label, "undecided") == 0 ? 6 : 5;
}

/* "orbit 2" before "orbit 10", open before stick; others as they come. */
static bool comes_before(const char *a, const char *b) {
    size_t length = strcspn(a, "0123456789");
    if (label_order(a) != label_order(b))
        return label_order(a) < label_order(b);
    return length == strcspn(b, "0123456789") && strncmp(a, b, length) == 0 &&
           strtol(a + length, NULL, 10) < strtol(b + length, NULL, 10);
}

static void find_labels(map *m) {
    for (size_t row = 0; row < am_table_rows(m->table); row++) {
        const char *label = am_table_text(m->table, row, m->columns[2]);
        if (label[0] == '\0' || label_index(m, label) != SIZE_MAX || m->label_count == MOST_LABELS)
            continue;
        size_t i = m->label_count++;
        for (; i > 0 && comes_before(label, m->labels[i - 1]); i--)
            m->labels[i] = m->labels[i - 1];
        m->labels[i] = label;
    }
}

static void find_bounds(map *m) {
    bool counts = true; /* also between the points of a refined sweep, whose columns hold numbers */
    m->least = INFINITY;
    m->most = -INFINITY;
    for (size_t row = 0; row < am_table_rows(m->table); row++) {
        double value = am_table_number(m->table, row, m->columns[2]);
        if (isfinite(value)) {
            m->least = fmin(m->least, value);
            m->most = fmax(m->most, value);
            counts = counts && value == floor(value);
        }
    }
    m->whole = counts && m->most - m->least < MOST_STEPS;
}

/* The number drawn: codes of labels sit in the middle of their piece of the palette. */
static double value_at(const map *m, size_t row) {
    if (!is_text(m)) {
        double value = am_table_number(m->table, row, m->columns[2]);
        return isfinite(value) ? value : NAN;
    }
    size_t index = label_index(m, am_table_text(m->table, row, m->columns[2]));
    return index == SIZE_MAX ? NAN : (double)index + 0.5;
}

/* ---- Data ---- */

static void add_value(am_text *data, double value) {
    if (isnan(value))
        am_text_add(data, "NaN");
    else
        am_text_number(data, value);
}

/* One line per y, one value per x; cells without a value are NaN. */
static am_status add_matrix(map *m, am_drawing *d, am_error *err) {
    size_t count = m->x.count * m->y.count;
    double *cells = am_arena_new(&d->memory, count, sizeof *cells, err);
    if (!cells)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        cells[i] = NAN;
    for (size_t row = 0; row < am_table_rows(m->table); row++) {
        double x = am_table_number(m->table, row, m->columns[0]), y = am_table_number(m->table, row, m->columns[1]);
        if (isfinite(x) && isfinite(y))
            cells[place(&m->y, y) * m->x.count + place(&m->x, x)] = value_at(m, row);
    }
    for (size_t i = 0; i < count; i++) {
        m->blank = m->blank || isnan(cells[i]);
        add_value(&d->data, cells[i]);
        am_text_add(&d->data, (i + 1) % m->x.count == 0 ? "\n" : ",");
    }
    return AM_OK;
}

static void add_fields(am_text *data, const double *fields, size_t count) {
    for (size_t i = 0; i < count; i++) {
        am_text_add(data, i > 0 ? "," : "");
        am_text_number(data, fields[i]);
    }
    am_text_add(data, "\n");
}

/* x, y, value; with boxes also the borders of the cell. */
static void add_list(const map *m, bool boxes, am_text *data) {
    for (size_t row = 0; row < am_table_rows(m->table); row++) {
        double x = am_table_number(m->table, row, m->columns[0]), y = am_table_number(m->table, row, m->columns[1]);
        double value = value_at(m, row);
        if (!isfinite(x) || !isfinite(y) || isnan(value))
            continue;
        double fields[7] = {x, y, value};
        if (boxes) {
            size_t i = place(&m->x, x), j = place(&m->y, y);
            fields[3] = border(&m->x, i);
            fields[4] = border(&m->x, i + 1) + seam(&m->x);
            fields[5] = border(&m->y, j);
            fields[6] = border(&m->y, j + 1) + seam(&m->y);
        }
        add_fields(data, fields, boxes ? 7 : 3);
    }
}

/* ---- Script ---- */

static void label_colour(const map *m, size_t index, char out[8]) {
    const char *own = am_figure_state_colour(m->labels[index]);
    static const char *const others[] = {"#0072b2", "#d55e00", "#f0e442", "#000000",
                                         "#8c564b", "#9467bd", "#17becf", "#7f7f7f"};
    size_t before = 0;
    for (size_t i = 0; i < index; i++)
        before += am_figure_state_colour(m->labels[i]) == NULL;
    am_figure_tint(own ? own : others[before % (sizeof others / sizeof others[0])], 0.75, out);
}

static void add_label_palette(const map *m, am_text *script) {
    am_text_add(script, "set palette defined (");
    for (size_t i = 0; i < m->label_count; i++) {
        char colour[8];
        label_colour(m, i, colour);
        am_text_printf(script, "%s%zu '%s', %zu '%s'", i > 0 ? ", " : "", i, colour, i + 1, colour);
    }
    am_text_printf(script, ")\nset cbrange [0:%zu]\nunset colorbox\n", m->label_count);
}

static void add_smooth_palette(am_text *script) {
    enum { LAST = 9 };
    for (int i = 0; i <= LAST; i++) {
        char colour[8];
        am_figure_viridis((double)i / LAST, colour);
        am_text_printf(script, "%s%d '%s'", i > 0 ? ", " : "", i, colour);
    }
}

/* A piece for each whole number, which stands beside its middle. */
static void add_stepped_palette(const map *m, am_text *script) {
    int count = (int)(m->most - m->least) + 1;
    for (int i = 0; i < count; i++) {
        char colour[8];
        am_figure_viridis(count > 1 ? (double)i / (count - 1) : 0.5, colour);
        am_text_printf(script, "%s%d '%s', %d '%s'", i > 0 ? ", " : "", i, colour, i + 1, colour);
    }
}

static void add_number_palette(const map *m, am_text *script) {
    double spread = m->whole || m->most > m->least ? 0 : fmax(fabs(m->least), 1) / 2; /* one value: still a range */
    am_text_add(script, "set palette defined (");
    if (m->whole)
        add_stepped_palette(m, script);
    else
        add_smooth_palette(script);
    am_text_add(script, m->whole ? ")\nset cbtics 1\nset cblabel " : ")\nset cblabel ");
    am_figure_quote_column(script, m->table, m->columns[2]);
    am_text_add(script, " offset 1.2,0\nset rmargin at screen 0.8\n"); /* beside the numbers, and within the page */
    spread = m->whole ? 0.5 : spread;
    am_figure_range(script, "cb", m->least - spread, m->most + spread);
}

/* Cells without a value show the ground. */
static void add_ground(am_drawing *d) {
    am_text_add(&d->script, "set object rectangle from graph 0,0 to graph 1,1 behind fillcolor rgb '" GROUND
                            "' fillstyle solid noborder\n");
    am_text_add(&d->plot, ", \\\n    NaN with points pointtype 5 pointsize 1.6 linecolor rgb '" GROUND "'");
    am_figure_title(d, "no value", true);
}

static void add_key(const map *m, am_drawing *d) {
    am_text *plot = &d->plot;
    d->key_wanted = d->small_samples = true;
    if (m->blank)
        add_ground(d);
    for (size_t i = 0; is_text(m) && i < m->label_count; i++) {
        char colour[8];
        label_colour(m, i, colour);
        am_text_printf(plot, ", \\\n    NaN with points pointtype 5 pointsize 1.6 linecolor rgb '%s'", colour);
        am_figure_title(d, m->labels[i], true);
    }
}

static void add_image(const map *m, am_drawing *d) {
    am_text_printf(&d->plot, "plot '%s' matrix using (%s + $1*%s):(%s + $2*%s):3 with image notitle", d->data_file,
                   AM_NUMBER(m->x.values[0]), AM_NUMBER(step_of(&m->x)), AM_NUMBER(m->y.values[0]),
                   AM_NUMBER(step_of(&m->y)));
}

static am_status add_plot(map *m, am_drawing *d, am_error *err) {
    bool grid = m->x.count <= (4 * am_table_rows(m->table) + 100) / m->y.count; /* else most cells would be empty */
    if (grid && m->x.even && m->y.even && m->x.count > 1 && m->y.count > 1) {
        add_image(m, d);
        return add_matrix(m, d, err);
    }
    am_text_printf(&d->plot, "plot '%s' using ", d->data_file);
    if (grid)
        am_text_add(&d->plot, "1:2:4:5:6:7:3 with boxxyerror fillstyle solid noborder linecolor palette notitle");
    else
        am_text_printf(&d->plot, "1:2:3 with points pointtype 7 pointsize %.2g linecolor palette notitle",
                       fmin(fmax(12 / sqrt((double)am_table_rows(m->table)), 0.5), 2.5)); /* few points are large */
    add_list(m, grid, &d->data);
    return AM_OK;
}

/* What is below the surface is drawn below it: of stresses z is the depth. */
static bool goes_down(const map *m) {
    const char *own = am_table_name(m->table), *dot = strrchr(own, '.');
    return strcmp(dot ? dot + 1 : own, "stress") == 0 && am_table_column_name(m->table, m->columns[1])[0] == 'z';
}

static am_status add_values(map *m, am_drawing *d, am_error *err) {
    double low = border(&m->y, 0), high = border(&m->y, m->y.count);
    bool down = goes_down(m);
    if (!d->figure->x_range)
        am_figure_range(&d->script, "x", border(&m->x, 0), border(&m->x, m->x.count));
    if (!d->figure->y_range)
        am_figure_range(&d->script, "y", down ? high : low, down ? low : high);
    if (is_text(m))
        add_label_palette(m, &d->script);
    else
        add_number_palette(m, &d->script);
    AM_TRY(add_plot(m, d, err));
    add_key(m, d);
    return AM_OK;
}

am_status am_figure_map(am_drawing *d, am_error *err) {
    static const char *const fields[] = {"figure.x", "figure.y", "figure.value"};
    const char *const names[] = {d->figure->x, d->figure->y, d->figure->value};
    size_t columns[3];
    map m = {.columns = columns};
    d->letters = fmin(am_figure_letters(d), 46); /* beside the colours */
    AM_TRY(am_figure_columns(d, d->figure->table, 3, names, fields, 1u << 2, &m.table, columns, err));
    AM_TRY(find_axis(d, m.table, columns[0], &m.x, err));
    AM_TRY(find_axis(d, m.table, columns[1], &m.y, err));
    if (is_text(&m))
        find_labels(&m);
    else
        find_bounds(&m);
    am_figure_frame(d, d->figure, (am_figure_axis){m.table, columns[0]}, (am_figure_axis){m.table, columns[1]});
    am_text_add(&d->script, "unset zeroaxis\nset tics front\n");
    if (m.x.count == 0 || m.y.count == 0 || (is_text(&m) ? m.label_count == 0 : !(m.least <= m.most)))
        am_figure_empty(d);
    else
        AM_TRY(add_values(&m, d, err));
    am_figure_outputs(d, 660, 600);
    return AM_OK;
}
