#include "output/figure_parts.h"

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

static void add_axis_label(am_text *script, const char *axis, const char *label, const char *otherwise) {
    if ((!label || !label[0]) && !otherwise[0])
        return;
    am_text_printf(script, "set %slabel ", axis);
    if (label && label[0])
        am_figure_quote(script, label);
    else
        am_text_add(script, otherwise);
    am_text_add(script, "\n");
}

void am_figure_frame(am_text *script, const am_figure *figure, const char *x_default, const char *y_default) {
    if (figure->title && figure->title[0]) {
        am_text_add(script, "set title ");
        am_figure_quote(script, figure->title);
        am_text_add(script, " offset 0,-0.2\n");
    }
    add_axis_label(script, "x", figure->x_label, x_default);
    add_axis_label(script, "y", figure->y_label, y_default);
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
void am_figure_empty(const am_figure *figure, am_text *script, am_text *plot) {
    if (!figure->x_range)
        am_text_add(script, figure->x_log ? "set xrange [1:10]\n" : "set xrange [0:1]\n");
    if (!figure->y_range)
        am_text_add(script, figure->y_log ? "set yrange [1:10]\n" : "set yrange [0:1]\n");
    am_text_add(script, "set label 'no data' at graph 0.5,0.5 center textcolor rgb '#808080'\n");
    am_text_add(plot, "plot NaN notitle");
}

void am_figure_outputs(am_text *script, int width, int height, const char *plot) {
    am_text_printf(script,
                   "\nset terminal svg size %d,%d dynamic enhanced font 'Helvetica,15' background '#ffffff'\n"
                   "set output 'figure.svg'\n%s\n",
                   width, height, plot);
    am_text_printf(script,
                   "set output\n"
                   "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) {\n"
                   "    set terminal pngcairo size %d,%d enhanced font 'Helvetica,11' fontscale 2 linewidth 2 "
                   "pointscale 2 background '#ffffff'\n"
                   "} else {\n"
                   "    set terminal png truecolor size %d,%d enhanced fontscale 2 linewidth 2 background '#ffffff'\n"
                   "}\n"
                   "set output 'figure.png'\n"
                   "replot\n"
                   "set output\n",
                   2 * width, 2 * height, 2 * width, 2 * height);
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
    am_text known = {0};
    for (size_t i = 0; i < count; i++)
        am_text_printf(&known, "%s%s", i > 0 ? ", " : "", am_table_name(am_result_table(result, i)));
    am_status status = am_fail_field(err, AM_ERR_INPUT, field, "there is no table \"%s\" to draw; the result has: %s",
                                     name ? name : "", count > 0 ? am_text_view(&known) : "none");
    am_text_free(&known);
    return status;
}

am_status am_figure_column(const am_table *table, const char *name, const char *field, bool number, size_t *column,
                           am_error *err) {
    *column = am_table_find_column(table, name);
    if (*column != SIZE_MAX && number && am_table_column_kind(table, *column) == AM_COLUMN_TEXT)
        return am_fail_field(err, AM_ERR_INPUT, field, "column \"%s\" of table \"%s\" holds text, not numbers", name,
                             am_table_name(table));
    if (*column != SIZE_MAX)
        return AM_OK;
    am_text known = {0};
    for (size_t i = 0; i < am_table_columns(table); i++)
        am_text_printf(&known, "%s%s", i > 0 ? ", " : "", am_table_column_name(table, i));
    am_status status = am_fail_field(err, AM_ERR_INPUT, field, "table \"%s\" has no column \"%s\"; it has: %s",
                                     am_table_name(table), name ? name : "", am_text_view(&known));
    am_text_free(&known);
    return status;
}
