#include "output/figure_parts.h"
#include "base/local.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- Colours ---- */

const char *am_figure_state_colour(const char *state) {
    static const char *const colours[][2] = {{"open", "#56b4e9"},
                                             {"stick", "#e69f00"},
                                             {"forward", "#009e73"},
                                             {"backward", "#cc79a7"},
                                             {"undecided", "#bbbbbb"}};
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
        if (strcmp(state, colours[i][0]) == 0)
            return colours[i][1];
    return NULL;
}

const char *am_figure_colour(size_t index) {
    static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                          "#e69f00", "#56b4e9", "#000000", "#f0e442"};
    return colours[index % (sizeof colours / sizeof colours[0])];
}

void am_figure_viridis(double place, char out[8]) {
    static const double stops[][3] = {{68, 1, 84},    {72, 40, 120},  {62, 73, 137},  {49, 104, 142}, {38, 130, 142},
                                      {31, 158, 137}, {53, 183, 121}, {110, 206, 88}, {181, 222, 43}, {253, 231, 37}};
    enum { LAST = sizeof stops / sizeof *stops - 1 };
    size_t below = (size_t)fmin(place * LAST, LAST - 1);
    double over = place * LAST - (double)below;
    unsigned parts[3];
    for (int i = 0; i < 3; i++)
        parts[i] = (unsigned)lround(stops[below][i] + over * (stops[below + 1][i] - stops[below][i])) & 255;
    snprintf(out, 8, "#%02x%02x%02x", parts[0], parts[1], parts[2]);
}

/* The lightest of viridis are hard to see as lines on white. */
void am_figure_line_colour(size_t index, size_t count, char out[8]) {
    if (count <= AM_FIGURE_PALETTE)
        snprintf(out, 8, "%s", am_figure_colour(index));
    else
        am_figure_viridis(0.85 * (double)index / (double)(count - 1), out);
}

void am_figure_tint(const char *colour, double strength, char out[8]) {
    unsigned parts[3] = {0, 0, 0};
    sscanf(colour, "#%2x%2x%2x", &parts[0], &parts[1], &parts[2]);
    for (int i = 0; i < 3; i++)
        parts[i] = (unsigned)lround(255 - strength * (255 - (double)parts[i])) & 255;
    snprintf(out, 8, "#%02x%02x%02x", parts[0], parts[1], parts[2]);
}

/* ---- Frame ---- */

void am_figure_range(am_text *script, const char *axis, double low, double high) {
    am_text_printf(script, "set %srange [%s:%s]\n", axis, AM_NUMBER(low), AM_NUMBER(high));
}

static void add_axis_label(am_text *script, const char *name, const char *label, am_figure_axis axis, int power) {
    bool given = label && label[0];
    if (!given && !axis.table && power == 0)
        return;
    am_text_printf(script, "set %slabel ", name);
    if (given)
        am_figure_quote(script, label);
    else if (axis.table)
        am_figure_quote_column(script, axis.table, axis.column);
    if (power != 0)
        am_text_printf(script, "%s'(×10^{%d})'", given || axis.table ? ".'  '." : "", power);
    am_text_add(script, "\n");
}

void am_figure_frame(am_drawing *d, const am_figure *figure, am_figure_axis x, am_figure_axis y) {
    am_text *script = &d->script;
    if (figure->title && figure->title[0]) {
        am_text_add(script, "set title ");
        am_figure_quote(script, figure->title);
        am_text_add(script, " offset 0,-0.2\n");
    }
    add_axis_label(script, "x", figure->x_label, x, d->power[0]);
    add_axis_label(script, "y", figure->y_label, y, d->power[1]);
    if (figure->x_range)
        am_figure_range(script, "x", figure->x_range[0], figure->x_range[1]);
    if (figure->y_range)
        am_figure_range(script, "y", figure->y_range[0], figure->y_range[1]);
    if (figure->x_log)
        am_text_add(script, "set logscale x\n");
    if (figure->y_log)
        am_text_add(script, "set logscale y\n");
    if (figure->equal_axes)
        am_text_add(script, "set size ratio -1 # the same scale on both axes\n");
}

/* Gnuplot refuses to draw axes without any data to scale them by. */
void am_figure_empty(am_drawing *d) {
    const am_figure *figure = d->figure;
    am_text *script = &d->script;
    if (!figure->x_range)
        am_text_add(script, figure->x_log ? "set xrange [1:10]\n" : "set xrange [0:1]\n");
    if (!figure->y_range)
        am_text_add(script, figure->y_log ? "set yrange [1:10]\n" : "set yrange [0:1]\n");
    am_text_add(script, "set label 'no data' at graph 0.5,0.5 center textcolor rgb '#808080'\n");
    am_text_clear(&d->plot);
    am_text_add(&d->plot, "plot NaN notitle");
    d->keys = 0;
}

void am_figure_terminal_svg(am_text *script, int width, int height) {
    am_text_printf(script, "set terminal svg size %d,%d dynamic enhanced font 'Helvetica,15' background '#ffffff'\n",
                   width, height);
}

void am_figure_terminal_png(am_text *script, int width, int height) {
    am_text_printf(script,
                   "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) {\n"
                   "    set terminal pngcairo size %d,%d enhanced font 'Helvetica,11' fontscale 2 linewidth 2 "
                   "pointscale 2 background '#ffffff'\n"
                   "} else {\n"
                   "    set terminal png truecolor size %d,%d enhanced fontscale 2 linewidth 2 background '#ffffff'\n"
                   "}\n",
                   2 * width, 2 * height, 2 * width, 2 * height);
}

void am_figure_outputs(am_drawing *d, int width, int height) {
    am_text *script = &d->script;
    size_t rows = am_figure_key_rows(d);
    am_figure_key(d);
    if (d->panel) {
        am_text_printf(script, "%s\n", am_text_view(&d->plot));
        return;
    }
    height += rows > 2 ? 20 * (int)(rows - 2) : 0; /* the axes keep their size */
    am_text_add(script, "\n");
    am_figure_terminal_svg(script, width, height);
    am_text_printf(script, "set output 'figure.svg'\n%s\nset output\n", am_text_view(&d->plot));
    am_figure_terminal_png(script, width, height);
    am_text_add(script, "set output 'figure.png'\n"
                        "replot\n"
                        "set output\n");
}

/* ---- What the figure refers to ---- */

am_status am_figure_table(const am_result *result, const char *name, const char *field, size_t *index, am_error *err) {
    size_t count = result ? am_result_table_count(result) : 0;
    for (size_t i = 0; i < count; i++) {
        if (name && strcmp(am_table_name(am_result_table(result, i)), name) == 0) {
            *index = i;
            return AM_OK;
        }
    }
    AM_LOCAL(am_text_free) am_text known = {0};
    for (size_t i = 0; i < count; i++)
        am_text_printf(&known, "%s%s", i > 0 ? ", " : "", am_table_name(am_result_table(result, i)));
    return am_fail_field(err, AM_ERR_INPUT, field, "there is no table \"%s\" to draw; the result has: %s",
                         name ? name : "", count > 0 ? am_text_view(&known) : "none");
}

am_status am_figure_column(const am_table *table, const char *name, const char *field, bool number, size_t *column,
                           am_error *err) {
    *column = am_table_find_column(table, name);
    if (*column != SIZE_MAX && number && am_table_column_kind(table, *column) == AM_COLUMN_TEXT)
        return am_fail_field(err, AM_ERR_INPUT, field, "column \"%s\" of table \"%s\" holds text, not numbers", name,
                             am_table_name(table));
    if (*column != SIZE_MAX)
        return AM_OK;
    AM_LOCAL(am_text_free) am_text known = {0};
    for (size_t i = 0; i < am_table_columns(table); i++)
        am_text_printf(&known, "%s%s", i > 0 ? ", " : "", am_table_column_name(table, i));
    return am_fail_field(err, AM_ERR_INPUT, field, "table \"%s\" has no column \"%s\"; it has: %s",
                         am_table_name(table), name ? name : "", am_text_view(&known));
}

am_status am_figure_columns(const am_drawing *d, const char *table, size_t count, const char *const *names,
                            const char *const *fields, unsigned texts, const am_table **found, size_t *columns,
                            am_error *err) {
    size_t index;
    AM_TRY(am_figure_table(d->report->result, table, "figure.table", &index, err));
    *found = am_result_table(d->report->result, index);
    for (size_t i = 0; i < count; i++)
        AM_TRY(am_figure_column(*found, names[i], fields ? fields[i] : "figure.table", !(texts >> i & 1), &columns[i],
                                err));
    return AM_OK;
}
