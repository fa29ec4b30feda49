/* Of a slip diagram: the constraint lines move and push the point around. Everything between two key frames is linear in time, as it is
 * between the corners of a path with piecewise-linear loads, so that SVG's own interpolation is exact there. */
#include "output/animation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/local.h"
#include "base/text.h"
#include "output/animation_keys.h"
#include "output/figure_parts.h"
#include "output/slip.h"
#include "output/xml.h"

enum { WIDTH = 720, HEIGHT = 620, LEFT = 70, RIGHT = 24, TOP = 48, BOTTOM = 64, MOST_FRAMES = 4000 };

typedef struct animation {
    const am_slip *slip;
    const am_table *table; /* `lines` */
    size_t first, rows;    /* the last `rows` rows of the table are drawn */
    size_t column[7];      /* t, v1, v2, and the constraints */
    am_keys keys;
} animation;

static const char *const columns[7] = {"t", "v1", "v2", "1-", "1+", "2-", "2+"};

static double value_at(const animation *a, size_t row, size_t column) {
    return am_table_number(a->table, a->first + row, a->column[column]);
}

/* ---- Where things are on the sheet ---- */

static double scale(const animation *a, size_t axis) {
    double space = axis == 0 ? WIDTH - LEFT - RIGHT : HEIGHT - TOP - BOTTOM;
    double size = space / (a->slip->box.high[axis] - a->slip->box.low[axis]);
    return axis == 0 ? size : -size;
}

static double place(const animation *a, size_t axis, double value) {
    double from = axis == 0 ? LEFT : HEIGHT - BOTTOM;
    return from + scale(a, axis) * (value - a->slip->box.low[axis]);
}

static void add_place(am_text *out, const animation *a, const char *before, const double point[2]) {
    am_text_printf(out, "%s%s,%s", before, AM_PIXELS(place(a, 0, point[0])), AM_PIXELS(place(a, 1, point[1])));
}

static void add_line(am_text *out, const animation *a, double ends[2][2]) {
    add_place(out, a, " d=\"M", ends[0]);
    add_place(out, a, " ", ends[1]);
    am_text_add(out, "\"/>");
}

/* "v_1" with the index below the line. */
static void add_label(am_text *out, const char *label) {
    const char *mark = strchr(label, '_');
    if (!mark || mark == label) {
        am_xml_add(out, label);
        return;
    }
    char text[128], below[128];
    const char *index = mark + 1 + (mark[1] == '{');
    snprintf(text, sizeof text, "%.*s", (int)(mark - label), label);
    snprintf(below, sizeof below, "%.*s", (int)strcspn(index, "} "), index);
    am_xml_printf(out, "%s<tspan dy=\"4\" font-size=\"11\">%s</tspan>", text, below);
}

/* ---- Parts ---- */

/* The line as it stands in the first frame with what it excludes, long enough for every later frame. */
static void add_shape(am_text *out, const animation *a, const am_slip_line *line, double side) {
    am_slip_box wide = a->slip->box;
    double corners[AM_SLIP_MOST_CORNERS][2], ends[2][2];
    for (size_t i = 0; i < 2; i++) {
        double width = wide.high[i] - wide.low[i];
        wide.low[i] -= 20 * width;
        wide.high[i] += 20 * width;
    }
    size_t count = am_slip_excluded(&wide, line, side, corners);
    if (count < 3 || !am_slip_clip(&wide, line->normal, side, ends))
        return;
    am_text_printf(out, "<path fill=\"%s\" fill-opacity=\".09\" d=\"M", am_slip_colour(line->name));
    for (size_t i = 0; i < count; i++)
        add_place(out, a, i > 0 ? " " : "", corners[i]);
    am_text_printf(out, "z\"/><path stroke=\"%s\" stroke-width=\"2\"", am_slip_colour(line->name));
    add_line(out, a, ends);
}

/* A constraint moves along its normal: n.(v + d) = side(t) with d = (side(t) - side(0)) n/|n|^2. */
static am_status add_constraint(am_text *out, const animation *a, const am_slip_line *line, size_t column, double *x,
                                double *y, am_error *err) {
    const double *n = line->normal;
    double size = n[0] * n[0] + n[1] * n[1], start = value_at(a, 0, column);
    for (size_t row = 0; row < a->rows; row++) {
        double step = (value_at(a, row, column) - start) / size;
        x[row] = scale(a, 0) * step * n[0];
        y[row] = scale(a, 1) * step * n[1];
    }
    am_text_add(out, "<g>");
    add_shape(out, a, line, start);
    am_status status = am_keys_translate(out, &a->keys, x, y, err);
    am_text_add(out, "</g>\n");
    return status;
}

static am_status add_constraints(am_text *out, const animation *a, double *x, double *y, am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 0; status == AM_OK && i < a->slip->count; i++) {
        const am_slip_line *line = &a->slip->lines[i];
        for (size_t column = 3; status == AM_OK && column < 7; column++)
            if (am_slip_is_first(a->slip, i) && strcmp(line->name, columns[column]) == 0)
                status = add_constraint(out, a, line, column, x, y, err);
    }
    return status;
}

static void add_extremes(am_text *out, const animation *a) {
    for (size_t i = 0; i < a->slip->count; i++) {
        const am_slip_line *line = &a->slip->lines[i];
        double ends[2][2];
        if (!am_slip_clip(&a->slip->box, line->normal, line->extreme, ends))
            continue;
        am_text_printf(out, "<path stroke=\"%s\" stroke-opacity=\".45\" stroke-dasharray=\"2 4\"",
                       am_slip_colour(line->name));
        add_line(out, a, ends);
        am_text_add(out, "\n");
    }
}

static am_status add_point(am_text *out, const animation *a, double *x, double *y, am_error *err) {
    for (size_t row = 0; row < a->rows; row++) {
        x[row] = place(a, 0, value_at(a, row, 1));
        y[row] = place(a, 1, value_at(a, row, 2));
    }
    am_text_add(out, "<path stroke=\"#e69f00\" stroke-width=\"2.5\" stroke-linejoin=\"round\" d=\"M");
    for (size_t row = 0; row < a->rows; row++) {
        if (row > 0 && fabs(x[row] - x[row - 1]) < 0.005 && fabs(y[row] - y[row - 1]) < 0.005)
            continue;
        am_text_printf(out, "%s%s,%s", row > 0 ? " " : "", AM_PIXELS(x[row]), AM_PIXELS(y[row]));
    }
    am_text_printf(out, /* translated: where it is in a viewer that does not move anything */
                   "\"/>\n<circle r=\"7\" fill=\"#202020\" stroke=\"#fff\" stroke-width=\"2\" "
                   "transform=\"translate(%s,%s)\">",
                   AM_PIXELS(x[0]), AM_PIXELS(y[0]));
    am_status status = am_keys_translate(out, &a->keys, x, y, err);
    am_text_add(out, "</circle>\n");
    return status;
}

/* ---- The sheet ---- */

static void add_marks(am_text *out, const animation *a, size_t axis) {
    double low = a->slip->box.low[axis], high = a->slip->box.high[axis], step = am_mark_step(high - low);
    for (double k = ceil(low / step); k * step <= high; k++) {
        double at = place(a, axis, k * step);
        am_text_printf(out, "<text text-anchor=\"%s\" x=\"%s\" y=\"%s\">%s</text>\n", axis == 0 ? "middle" : "end",
                       AM_PIXELS(axis == 0 ? at : LEFT - 8), AM_PIXELS(axis == 0 ? HEIGHT - BOTTOM + 19 : at + 5),
                       AM_NUMBER(round(k * step * 1e9) / 1e9));
    }
}

static void add_sheet(am_text *out, const animation *a, const am_figure *figure, const char *title) {
    am_text_printf(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, "
                   "sans-serif\" font-size=\"14\" fill=\"#202020\">\n<title>",
                   WIDTH, HEIGHT);
    am_xml_add(out, title);
    am_text_printf(out, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n<clipPath id=\"box\">", WIDTH,
                   HEIGHT);
    am_text_printf(out, "<rect id=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n", LEFT, TOP,
                   WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    am_text_printf(out, "<text text-anchor=\"middle\" font-size=\"16\" x=\"%d\" y=\"30\">", WIDTH / 2);
    am_xml_add(out, title);
    am_text_printf(out, "</text>\n<text text-anchor=\"middle\" font-size=\"16\" x=\"%d\" y=\"%d\">", WIDTH / 2,
                   HEIGHT - 18);
    add_label(out, figure->x_label && figure->x_label[0] ? figure->x_label : "v_1");
    am_text_printf(out,
                   "</text>\n<text text-anchor=\"middle\" font-size=\"16\" transform=\"translate(22,%d) "
                   "rotate(-90)\">",
                   HEIGHT / 2);
    add_label(out, figure->y_label && figure->y_label[0] ? figure->y_label : "v_2");
    am_text_add(out, "</text>\n");
    add_marks(out, a, 0);
    add_marks(out, a, 1);
}

static am_status draw(const animation *a, const am_report *report, double *x, double *y, am_text *out, am_error *err) {
    const am_figure *figure = report->figure;
    add_sheet(out, a, figure, figure->title && figure->title[0] ? figure->title : report->title);
    am_text_add(out, "<g clip-path=\"url(#box)\" fill=\"none\">\n");
    am_status status = add_constraints(out, a, x, y, err);
    add_extremes(out, a);
    if (status == AM_OK)
        status = add_point(out, a, x, y, err);
    am_text_printf(out,
                   "</g>\n<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#404040\"/>\n"
                   "</svg>\n",
                   LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    return status == AM_OK ? am_text_status(out, err) : status;
}

/* ---- What is drawn ---- */

/* The table `lines` belongs to `constraints`, and "B.lines" to "B.constraints". */
static const am_table *find_lines(const am_report *report) {
    static const char ending[] = "constraints";
    const char *name = report->figure->table;
    size_t length = strlen(name), tail = sizeof ending - 1;
    char own[256];
    if (length < tail || strcmp(name + length - tail, ending) != 0 || length >= sizeof own)
        return NULL;
    snprintf(own, sizeof own, "%.*slines", (int)(length - tail), name);
    return am_result_find_table(report->result, own);
}

/* About a second and a half for each constraint that advances and recedes in two units of time, within reason. */
static double duration(const animation *a) {
    double span = value_at(a, a->rows - 1, 0) - value_at(a, 0, 0);
    return fmin(fmax(0.75 * span, 6), 60);
}

static bool prepare(animation *a) {
    for (size_t i = 0; i < 7; i++) {
        a->column[i] = am_table_find_column(a->table, columns[i]);
        if (a->column[i] >= am_table_columns(a->table))
            return false;
    }
    size_t all = am_table_rows(a->table);
    a->rows = all < MOST_FRAMES ? all : MOST_FRAMES;
    a->first = all - a->rows;
    if (a->rows < 2 || !(value_at(a, a->rows - 1, 0) > value_at(a, 0, 0)))
        return false;
    a->keys = (am_keys){a->rows, am_table_numbers(a->table, a->column[0]) + a->first, duration(a)};
    return true;
}

am_status am_animation_write(const am_report *report, am_staging *staging, am_error *err) {
    if (report->animation)
        return am_staging_write(staging, "animation.svg", report->animation, strlen(report->animation), err);
    if (!report->figure || report->figure->kind != AM_FIGURE_SLIP)
        return AM_OK;
    am_slip slip;
    animation a = {.slip = &slip, .table = find_lines(report)};
    am_status status = am_slip_read(report, &slip, err);
    if (status != AM_OK || !a.table || !prepare(&a))
        return status;
    am_text out = {0};
    double *x = am_memory_new(2 * a.rows, sizeof *x, err);
    status = x ? draw(&a, report, x, x + a.rows, &out, err) : AM_ERR_MEMORY;
    if (status == AM_OK)
        status = am_staging_write(staging, "animation.svg", out.data, out.length, err);
    am_memory_free(x);
    am_text_free(&out);
    return status;
}
