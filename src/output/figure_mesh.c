/* The deformed mesh: an image of the number at the nodes, under the edges of elements and the outlines of bodies. */
#include "output/figure_mesh.h"
#include "base/try.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/whole.h"
#include "math/dense.h"
#include "output/figure_parts.h"

enum { MOST_WITH_EDGES = 20000 }; /* elements: with more, edges would be all there is to see */
enum { LONGER_SIDE = 720 };       /* of the image */

/* ---- Scale, window, colours ---- */

/* 1, 2 or 5 times a power of ten, not above x > 0. */
static double round_number(double x) {
    double power = pow(10, floor(log10(x))), digit = x / power;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

static void bounds(const double *places, size_t count, double low[2], double high[2]) {
    for (size_t i = 0; i < 2 * count; i++)
        if (isfinite(places[i])) {
            low[i % 2] = fmin(low[i % 2], places[i]);
            high[i % 2] = fmax(high[i % 2], places[i]);
        }
}

/* Unless it was given: the largest displacement is drawn about a twentieth of the size of the mesh. */
static double choose_scale(const am_figure *figure, const am_mesh_tables *tables, const am_mesh_drawing *drawing) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, largest = 0;
    if (figure->deformation)
        return *figure->deformation;
    bounds(drawing->rest, drawing->nodes, low, high);
    for (size_t i = 0; i < drawing->nodes; i++)
        largest = fmax(largest, hypot(am_table_number(tables->nodes, i, tables->ux),
                                      am_table_number(tables->nodes, i, tables->uy)));
    double wanted = hypot(high[0] - low[0], high[1] - low[1]) / (20 * largest);
    return largest > 0 && isfinite(wanted) && wanted > 0 ? round_number(wanted) : 1;
}

static void choose_window(const am_figure *figure, am_mesh_drawing *drawing) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    bounds(drawing->at, drawing->nodes, low, high);
    bounds(drawing->rest, drawing->nodes, low, high);
    double margin = 0.03 * fmax(high[0] - low[0], high[1] - low[1]);
    for (int axis = 0; axis < 2; axis++) {
        const double *given = axis == 0 ? figure->x_range : figure->y_range;
        bool empty = !(low[axis] < INFINITY);
        drawing->low[axis] = given ? given[0] : empty ? 0 : low[axis] - margin;
        drawing->high[axis] = given ? given[1] : empty ? 1 : high[axis] + margin;
        if (!(drawing->high[axis] > drawing->low[axis]))
            drawing->high[axis] = drawing->low[axis] + 1;
    }
    double width = drawing->high[0] - drawing->low[0], height = drawing->high[1] - drawing->low[1];
    drawing->pixel = fmax(width, height) / LONGER_SIDE;
    drawing->columns = am_whole(fmax(ceil(width / drawing->pixel - 1e-6), 2));
    drawing->lines = am_whole(fmax(ceil(height / drawing->pixel - 1e-6), 2));
}

static bool in_window(const am_mesh_drawing *drawing, const double *at) {
    return at[0] >= drawing->low[0] && at[0] <= drawing->high[0] && at[1] >= drawing->low[1] &&
           at[1] <= drawing->high[1];
}

/* Stresses at corners of punches have no bound: the last half percent of the nodes on either side does not count. */
static am_status choose_colours(am_drawing *d, am_mesh_drawing *drawing, am_error *err) {
    const am_figure *figure = d->figure;
    if (figure->value_range) {
        drawing->least = figure->value_range[0];
        drawing->most = figure->value_range[1];
        return AM_OK;
    }
    double *sorted = am_arena_new(&d->memory, drawing->nodes, sizeof *sorted, err);
    if (!sorted)
        return AM_ERR_MEMORY;
    size_t count = 0;
    for (size_t i = 0; i < drawing->nodes; i++)
        if (isfinite(drawing->value[i]) && in_window(drawing, &drawing->at[2 * i]))
            sorted[count++] = drawing->value[i];
    am_dense_sort(sorted, count);
    drawing->least = count > 0 ? sorted[count / 200] : 0;
    drawing->most = count > 0 ? sorted[count - 1 - count / 200] : 1;
    double largest = fmax(fabs(drawing->least), fabs(drawing->most));
    if (drawing->least < -0.2 * largest && drawing->most > 0.2 * largest) { /* both signs: white is zero */
        drawing->least = -largest;
        drawing->most = largest;
    }
    if (!(drawing->most - drawing->least > 1e-9 * largest)) { /* one number only: still a range */
        double spread = largest > 0 ? largest / 2 : 1;
        drawing->least -= spread;
        drawing->most += spread;
    }
    return AM_OK;
}

/* ---- Edges ---- */

typedef struct side {
    size_t low, high, middle; /* nodes; middle == low without one */
    bool shared;
} side;

static int compare_sides(const void *a, const void *b) {
    const side *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

static side *find_sides(am_arena *memory, const am_mesh_drawing *drawing, size_t *count, am_error *err) {
    side *sides = am_arena_new(memory, 4 * drawing->cells, sizeof *sides, err);
    size_t all = 0;
    *count = 0;
    for (size_t i = 0; sides && i < drawing->cells; i++) {
        const am_mesh_cell *cell = &drawing->cell[i];
        for (size_t k = 0; k < cell->corners; k++) {
            size_t a = cell->node[k], b = cell->node[(k + 1) % cell->corners], low = a < b ? a : b;
            size_t middle = cell->count > cell->corners ? cell->node[cell->corners + k] : low;
            sides[all++] = (side){low, a < b ? b : a, middle, false};
        }
    }
    if (sides)
        qsort(sides, all, sizeof *sides, compare_sides);
    for (size_t i = 0; i < all; i++) {
        if (*count > 0 && compare_sides(&sides[*count - 1], &sides[i]) == 0)
            sides[*count - 1].shared = true;
        else
            sides[(*count)++] = sides[i];
    }
    return sides;
}

/* The parabola through ends and middle, in pieces where it is visibly bent. */
static void add_side(const am_mesh_drawing *drawing, const double *places, const side *s, am_text *data) {
    const double *a = &places[2 * s->low], *b = &places[2 * s->high], *m = &places[2 * s->middle];
    bool curved = s->middle != s->low;
    double bend = curved ? hypot(m[0] - (a[0] + b[0]) / 2, m[1] - (a[1] + b[1]) / 2) : 0;
    int pieces = bend > 0.2 * drawing->pixel ? 8 : 1;
    for (int i = 0; i <= pieces; i++) {
        double t = (double)i / pieces, wa = 1 - t, wb = t, wm = 0;
        if (pieces > 1) {
            wa = (1 - t) * (1 - 2 * t);
            wb = t * (2 * t - 1);
            wm = 4 * t * (1 - t);
        }
        am_text_printf(data, "%s,%s\n", AM_NUMBER(wa * a[0] + wb * b[0] + wm * m[0]),
                       AM_NUMBER(wa * a[1] + wb * b[1] + wm * m[1]));
    }
    am_text_add(data, "\n");
}

static bool touches_window(const am_mesh_drawing *drawing, const double *places, const side *s) {
    const double *a = &places[2 * s->low], *b = &places[2 * s->high];
    for (int axis = 0; axis < 2; axis++)
        if (fmax(a[axis], b[axis]) < drawing->low[axis] || fmin(a[axis], b[axis]) > drawing->high[axis])
            return false;
    return true;
}

/* A block of figure.dat; false: it would be empty. */
static bool add_sides(const am_mesh_drawing *drawing, const double *places, const side *sides, size_t count,
                      bool shared, am_text *data) {
    bool any = false;
    for (size_t i = 0; i < count; i++)
        if (sides[i].shared == shared && touches_window(drawing, places, &sides[i])) {
            am_text_add(data, any ? "" : "\n\n");
            any = true;
            add_side(drawing, places, &sides[i], data);
        }
    return any;
}

/* ---- The script ---- */

/* Blue is negative, red positive, and white zero where both are there. */
static const char *palette_of(const am_mesh_drawing *drawing) {
    static const char negative[] = "0 '#08306b', 1 '#2166ac', 2 '#4393c3', 3 '#92c5de', 4 '#d1e5f0', 5 '#f7f9fb'";
    static const char positive[] = "0 '#fffbe8', 1 '#ffeda0', 2 '#feb24c', 3 '#fc5a2d', 4 '#c4122d', 5 '#67001f'";
    static const char both[] = "0 '#08306b', 1 '#2166ac', 2 '#67a9cf', 3 '#d1e5f0', 4 '#f9f9f9', 5 '#fddbc7', "
                               "6 '#ef8a62', 7 '#b2182b', 8 '#67001f'";
    if (fabs(drawing->least + drawing->most) <= 1e-9 * fabs(drawing->most))
        return both;
    return -drawing->least > drawing->most ? negative : positive;
}

static void add_palette(const am_mesh_drawing *drawing, const am_table *nodes, size_t column, am_text *script) {
    static const char *const names[][2] = {{"mises", "von Mises stress"},
                                           {"sxx", "σ_{xx}"},
                                           {"syy", "σ_{yy}"},
                                           {"sxy", "σ_{xy}"},
                                           {"szz", "σ_{zz}"},
                                           {"ux", "u_{x}"},
                                           {"uy", "u_{y}"}};
    const char *label = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], am_table_column_name(nodes, column)) == 0)
            label = names[i][1];
    am_text_printf(script, "set palette defined (%s)\nset cblabel ", palette_of(drawing));
    if (label)
        am_figure_quote(script, label);
    else
        am_figure_quote_column(script, nodes, column);
    am_text_add(script, "\n");
    am_figure_range(script, "cb", drawing->least, drawing->most);
}

static void add_image(const am_mesh_drawing *drawing, am_text *plot) {
    double half = drawing->pixel / 2, level = (drawing->most - drawing->least) / AM_MESH_LEVELS;
    am_text_printf(plot,
                   "plot 'figure.dat' matrix index 0 using (%s + $1*%s):(%s + $2*%s):(%s + $3*%s) with image notitle",
                   AM_NUMBER(drawing->low[0] + half), AM_NUMBER(drawing->pixel), AM_NUMBER(drawing->low[1] + half),
                   AM_NUMBER(drawing->pixel), AM_NUMBER(drawing->least), AM_NUMBER(level));
}

static void add_lines(am_text *plot, size_t *index, const char *style) {
    am_text_printf(plot, ", \\\n    'figure.dat' index %zu using 1:2 with lines %s notitle", ++*index, style);
}

static bool moved(const am_mesh_drawing *drawing) {
    double most = 0;
    for (size_t i = 0; i < 2 * drawing->nodes; i++)
        most = fmax(most, fabs(drawing->at[i] - drawing->rest[i]));
    return most > drawing->pixel;
}

static am_status add_edges(am_drawing *d, const am_mesh_drawing *drawing, am_error *err) {
    size_t count, index = 0;
    const side *sides = find_sides(&d->memory, drawing, &count, err);
    if (!sides)
        return AM_ERR_MEMORY;
    if (moved(drawing) && add_sides(drawing, drawing->rest, sides, count, false, &d->data))
        add_lines(&d->plot, &index, "linewidth 0.5 linecolor rgb '#a0a0a0'");
    if (!d->figure->no_edges && drawing->cells <= MOST_WITH_EDGES &&
        add_sides(drawing, drawing->at, sides, count, true, &d->data))
        add_lines(&d->plot, &index, "linewidth 0.25 linecolor rgb '#90303030'");
    if (add_sides(drawing, drawing->at, sides, count, false, &d->data))
        add_lines(&d->plot, &index, "linewidth 0.9 linecolor rgb '#202020'");
    return AM_OK;
}

static void add_window(const am_mesh_drawing *drawing, double scale, am_text *script) {
    am_figure_range(script, "x", drawing->low[0], drawing->high[0]);
    am_figure_range(script, "y", drawing->low[1], drawing->high[1]);
    am_text_add(script, "set size ratio -1 # the same scale on both axes\n"
                        "unset zeroaxis\nset tics front\nset clip two\n");
    if (scale != 1)
        am_text_printf(script,
                       "set label 'displacements × %s' at screen 0.015,0.03 font ',11' textcolor rgb '#606060'\n",
                       AM_NUMBER(scale));
}

static am_status write_drawing(am_drawing *d, const am_mesh_tables *tables, size_t column, double scale,
                               const am_mesh_drawing *drawing, am_error *err) {
    am_figure plain = {.title = d->figure->title, .x_label = "x", .y_label = "y"}; /* the window is written below */
    if (d->figure->x_label && d->figure->x_label[0])
        plain.x_label = d->figure->x_label;
    if (d->figure->y_label && d->figure->y_label[0])
        plain.y_label = d->figure->y_label;
    am_figure_frame(d, &plain, (am_figure_axis){0}, (am_figure_axis){0});
    add_window(drawing, scale, &d->script);
    add_palette(drawing, tables->nodes, column, &d->script);
    add_image(drawing, &d->plot);
    AM_TRY(am_mesh_image(drawing, &d->data, err));
    AM_TRY(add_edges(d, drawing, err));
    double ratio = (double)drawing->lines / (double)drawing->columns;
    am_figure_outputs(d, 760, (int)lround(fmin(fmax(560 * ratio + 120, 260), 720)));
    return AM_OK;
}

/* ---- The mesh ---- */

static am_status read_mesh(am_arena *memory, const am_mesh_tables *tables, size_t column, am_mesh_drawing *drawing,
                           am_error *err) {
    drawing->nodes = am_table_rows(tables->nodes);
    drawing->cells = am_table_rows(tables->elements);
    AM_ARENA_DOUBLES(memory, 2 * drawing->nodes, err, &drawing->rest, &drawing->at);
    drawing->value = am_arena_new(memory, drawing->nodes, sizeof *drawing->value, err);
    drawing->cell = am_arena_new(memory, drawing->cells, sizeof *drawing->cell, err);
    AM_TRY(am_arena_status(memory));
    for (size_t i = 0; i < drawing->nodes; i++) {
        drawing->rest[2 * i] = am_table_number(tables->nodes, i, tables->x);
        drawing->rest[2 * i + 1] = am_table_number(tables->nodes, i, tables->y);
        drawing->value[i] = am_table_number(tables->nodes, i, column);
    }
    for (size_t i = 0; i < drawing->cells; i++)
        AM_TRY(am_mesh_cell_read(tables, i, &drawing->cell[i], err));
    return AM_OK;
}

static void deform(const am_mesh_tables *tables, double scale, am_mesh_drawing *drawing) {
    for (size_t i = 0; i < drawing->nodes; i++) {
        drawing->at[2 * i] = drawing->rest[2 * i] + scale * am_table_number(tables->nodes, i, tables->ux);
        drawing->at[2 * i + 1] = drawing->rest[2 * i + 1] + scale * am_table_number(tables->nodes, i, tables->uy);
    }
}

am_status am_figure_mesh(am_drawing *d, am_error *err) {
    am_mesh_tables tables;
    am_mesh_drawing drawing = {0};
    size_t column = 0;
    const char *value = d->figure->value && d->figure->value[0] ? d->figure->value : "mises";
    AM_TRY(am_mesh_tables_find(&tables, d->report->result, err));
    AM_TRY(am_figure_column(tables.nodes, value, "figure.value", true, &column, err));
    AM_TRY(read_mesh(&d->memory, &tables, column, &drawing, err));
    double scale = choose_scale(d->figure, &tables, &drawing);
    deform(&tables, scale, &drawing);
    choose_window(d->figure, &drawing);
    AM_TRY(choose_colours(d, &drawing, err));
    return write_drawing(d, &tables, column, scale, &drawing, err);
}
