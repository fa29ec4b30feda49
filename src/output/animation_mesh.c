/* A mode shape on its mesh: one path of all edges that takes on one form after the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "math/pi.h"
#include "output/animation_motion.h"
#include "output/animation_sheet.h"

enum { OF_A_PERIOD = 24, MOST_EDGES = 6000, FEW_NODES = 60, CELL_NODES = 20, HEIGHT = 320 };

typedef struct edge {
    size_t low, high;
} edge;

typedef struct mesh {
    am_arena memory;
    size_t count, edges;
    double (*at)[3], (*real)[3], (*imaginary)[3];
    long *number;
    edge *edge;
    am_scene_view view;
    double unit, scale, middle, base;
    am_error *err;
} mesh;

/* Corners of cells in VTK's order, pairs of them that are edges. */
static const char *edges_of(double vtk) {
    switch ((int)vtk) {
    case 3:
    case 21:
        return "01";
    case 5:
    case 22:
        return "011220";
    case 9:
    case 23:
    case 28:
        return "01122330";
    case 10:
    case 24:
        return "011220031323";
    case 12:
    case 25:
        return "011223304556677404152637";
    case 13:
    case 26:
        return "011220344553031425";
    case 14:
    case 27:
        return "0112233004142434";
    default:
        return "";
    }
}

static int by_ends(const void *one, const void *other) {
    const edge *a = one, *b = other;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return (a->high > b->high) - (a->high < b->high);
}

/* Each once. */
static void sort_edges(mesh *m) {
    size_t all = m->edges;
    m->edges = 0;
    qsort(m->edge, all, sizeof *m->edge, by_ends);
    for (size_t i = 0; i < all; i++) {
        if (m->edges == 0 || by_ends(&m->edge[m->edges - 1], &m->edge[i]) != 0)
            m->edge[m->edges++] = m->edge[i];
    }
}

static am_status read_edges(mesh *m, const am_table *cells) {
    size_t column[CELL_NODES], type = am_table_find_column(cells, "vtk_type");
    for (size_t k = 0; k < CELL_NODES; k++) {
        char name[8];
        snprintf(name, sizeof name, "n%zu", k + 1);
        column[k] = am_table_find_column(cells, name);
    }
    m->edge = am_arena_new(&m->memory, 12 * am_table_rows(cells), sizeof *m->edge, m->err);
    if (!m->edge || type == SIZE_MAX)
        return am_arena_status(&m->memory);
    for (size_t row = 0; row < am_table_rows(cells); row++)
        for (const char *pair = edges_of(am_table_number(cells, row, type)); *pair; pair += 2) {
            double ends[2];
            for (size_t i = 0; i < 2; i++) {
                size_t corner = column[pair[i] - '0'];
                ends[i] = corner == SIZE_MAX ? NAN : am_table_number(cells, row, corner) - 1;
            }
            double low = fmin(ends[0], ends[1]), high = fmax(ends[0], ends[1]);
            if (low >= 0 && high < (double)m->count && low < high)
                m->edge[m->edges++] = (edge){(size_t)low, (size_t)high};
        }
    sort_edges(m);
    return AM_OK;
}

static am_status read_nodes(mesh *m, const am_table *nodes, size_t first) {
    static const char *const names[3][3] = {
        {"x", "y", "z"}, {"ux", "uy", "uz"}, {"ux_imaginary", "uy_imaginary", "uz_imaginary"}};
    double(**parts[3])[3] = {&m->at, &m->real, &m->imaginary};
    for (size_t part = 0; part < 3; part++) {
        *parts[part] = am_arena_new(&m->memory, m->count, sizeof **parts[part], m->err);
        AM_TRY(am_arena_status(&m->memory));
        for (size_t k = 0; k < 3; k++) {
            size_t column = am_table_find_column(nodes, names[part][k]);
            for (size_t i = 0; i < m->count; i++) {
                double value = column == SIZE_MAX ? 0 : am_table_number(nodes, first + i, column);
                if (part == 0 && !isfinite(value))
                    return am_fail_field(m->err, AM_ERR_INPUT, "table",
                                         "where the nodes are is not known: `nodes: {file: ...}` tells it");
                (*parts[part])[i][k] = isfinite(value) ? value : 0;
            }
        }
    }
    return AM_OK;
}

/* The picture of a node at a part of the period, before it is put on the sheet. */
static void picture_of(const mesh *m, size_t node, double phase, double out[2]) {
    out[0] = out[1] = 0;
    for (int k = 0; k < 3; k++) {
        double moved = m->real[node][k] * cos(2 * pi * phase) - m->imaginary[node][k] * sin(2 * pi * phase);
        double at = m->at[node][k] + m->scale * moved;
        out[0] += m->view.right[k] * at;
        out[1] += m->view.up[k] * at;
    }
}

/* The largest displacement is a tenth of the size; then all of it fits on the sheet. */
static double fit(mesh *m) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, most = 0;
    m->view = am_scene_look(m->count, (const double(*)[3])m->at);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < m->count; i++)
            for (int phase = 0; phase < (pass == 0 ? 1 : OF_A_PERIOD); phase++) {
                double at[2];
                picture_of(m, i, (double)phase / OF_A_PERIOD, at);
                for (int k = 0; k < 2; k++) {
                    low[k] = fmin(low[k], at[k]);
                    high[k] = fmax(high[k], at[k]);
                }
                for (int k = 0; k < 3; k++)
                    most = fmax(most, hypot(m->real[i][k], m->imaginary[i][k]));
            }
        double size = fmax(high[0] - low[0], high[1] - low[1]);
        if (pass == 0)
            m->scale = most > 0 ? 0.1 * (size > 0 ? size : 1) / most : 0;
    }
    double width = high[0] - low[0], height = high[1] - low[1], largest = fmax(fmax(width, height), 1e-300);
    m->unit = fmin((AM_SHEET_WIDTH - 2.0 * AM_SHEET_LEFT) / fmax(width, 0.01 * largest),
                   HEIGHT / fmax(height, 0.01 * largest));
    m->middle = AM_SHEET_WIDTH / 2.0 - m->unit * (low[0] + high[0]) / 2;
    double room = fmax(m->unit * height, 60);
    m->base = AM_SHEET_TOP + 10 + room / 2 + m->unit * (low[1] + high[1]) / 2;
    return AM_SHEET_TOP + 20 + room;
}

/* A few nodes are seen besides their edges. */
static bool has_dots(const mesh *m) {
    return m->edges == 0 || m->count <= FEW_NODES;
}

static void add_form(am_text *out, const mesh *m, double phase) {
    for (size_t i = 0; i < m->edges; i++) {
        double from[2], to[2];
        picture_of(m, m->edge[i].low, phase, from);
        picture_of(m, m->edge[i].high, phase, to);
        am_text_printf(out, "M%.1f,%.1fL%.1f,%.1f", m->middle + m->unit * from[0], m->base - m->unit * from[1],
                       m->middle + m->unit * to[0], m->base - m->unit * to[1]);
    }
    for (size_t i = 0; has_dots(m) && i < m->count; i++) {
        double at[2];
        picture_of(m, i, phase, at);
        am_text_printf(out, "M%.1f,%.1fm-2,0h4m-2,-2v4", m->middle + m->unit * at[0], m->base - m->unit * at[1]);
    }
}

static void draw(am_text *out, const mesh *m, const am_animation_order *order, const char *words, double height) {
    mesh still = *m;
    still.scale = 0;
    am_sheet_begin(out, order->title, words, height);
    am_text_add(out, "<g fill=\"none\" stroke-linecap=\"round\"><path stroke=\"#c0c0c0\" d=\"");
    add_form(out, &still, 0);
    am_text_printf(out, "\"/>\n<path id=\"mesh\" stroke=\"#0072b2\" stroke-width=\"%s\" d=\"",
                   has_dots(m) ? "2" : "1.2");
    add_form(out, m, 0);
    am_text_add(out, "\"><animate attributeName=\"d\" values=\"");
    for (int i = 0; i <= OF_A_PERIOD; i++) {
        am_text_add(out, i > 0 ? ";" : "");
        add_form(out, m, (double)i / OF_A_PERIOD);
    }
    am_text_add(out, "\" dur=\"2s\" repeatCount=\"indefinite\"/></path></g>\n");
    am_sheet_end(out);
}

/* "mode 2: 3.1 rad per unit time", of the table mode_shapes beside it. */
static void describe(const am_animation_order *order, const am_table *nodes, size_t first, char *words, size_t size) {
    const char *own = am_table_name(nodes), *dot = strrchr(own, '.');
    double mode = am_table_number(nodes, first, am_table_find_column(nodes, "mode"));
    char name[200];
    snprintf(name, sizeof name, "%.*smode_shapes", dot ? (int)(dot + 1 - own) : 0, own);
    const am_table *shapes = am_result_find_table(order->result, name);
    size_t number = shapes ? am_table_find_column(shapes, "mode") : 0,
           omega = shapes ? am_table_find_column(shapes, "imaginary") : 0;
    snprintf(words, size, "mode %g", mode);
    for (size_t row = 0; shapes && row < am_table_rows(shapes); row++)
        if (am_table_number(shapes, row, number) == mode)
            snprintf(words, size, "mode %g, frequency %.6g; in grey: at rest", mode,
                     am_table_number(shapes, row, omega));
}

am_status am_animation_draw_mesh(const am_animation_order *order, const am_table *nodes, am_text *out, am_error *err) {
    mesh m = {.err = err};
    const char *own = am_table_name(nodes), *dot = strrchr(own, '.');
    char name[200], words[200];
    size_t first;
    AM_TRY(am_frames_of_mesh(nodes, order->wish.mode, &first, &m.count, err));
    snprintf(name, sizeof name, "%.*smode_shape_cells", dot ? (int)(dot + 1 - own) : 0, own);
    const am_table *cells = am_result_find_table(order->result, name);
    am_status status = read_nodes(&m, nodes, first);
    if (status == AM_OK && cells)
        status = read_edges(&m, cells);
    if (status == AM_OK && m.edges > MOST_EDGES)
        m.edges = 0; /* so many would be a blot: the nodes alone */
    describe(order, nodes, first, words, sizeof words);
    if (status == AM_OK)
        draw(out, &m, order, words, fit(&m));
    am_arena_clear(&m.memory);
    return status == AM_OK ? am_text_status(out, err) : status;
}
