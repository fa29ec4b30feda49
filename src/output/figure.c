#include "output/figure.h"
#include "base/try.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "output/figure_parts.h"
#include "output/names.h"
#include "output/slip.h"

static void add_head(am_text *script) {
    am_text_add(script, "# Draws figure.svg and figure.png from the data in this folder: gnuplot figure.gp\n"
                        "set encoding utf8\n"
                        "set datafile separator comma\n"
                        "set border 31 linewidth 0.8 linecolor rgb '#404040'\n"
                        "set tics out nomirror scale 0.7 textcolor rgb '#202020'\n"
                        "set zeroaxis linetype 1 linecolor rgb '#d0d0d0' linewidth 0.6\n"
                        "set key off\n");
}

/* ---- Curves ---- */

typedef struct found_curve {
    size_t table, x, y, by;
    size_t points, inside; /* finite ones; those of them within the figure's ranges */
    bool gaps;             /* some rows have no point: the line breaks there */
} found_curve;

static bool within(double value, const double *range) {
    return !range || (value >= fmin(range[0], range[1]) && value <= fmax(range[0], range[1]));
}

static void count_points(const am_figure *figure, const am_curve *curve, const am_table *table, found_curve *found) {
    for (size_t row = 0; row < am_table_rows(table); row++) {
        if (curve->by && am_table_number(table, row, found->by) != curve->value)
            continue;
        double x = am_table_number(table, row, found->x), y = am_table_number(table, row, found->y);
        if (!isfinite(x) || !isfinite(y) || (figure->x_log && x <= 0.0) || (figure->y_log && y <= 0.0)) {
            found->gaps = true; /* gnuplot leaves out what a logarithmic axis cannot show */
            continue;
        }
        found->points++;
        found->inside += within(x, figure->x_range) && within(y, figure->y_range);
    }
}

static am_status find_curve(const am_report *report, size_t index, found_curve *found, am_error *err) {
    const am_curve *curve = &report->figure->curves[index];
    char table_field[64], x_field[64], y_field[64], by_field[64];
    snprintf(table_field, sizeof table_field, "figure.curves[%zu].table", index);
    snprintf(x_field, sizeof x_field, "figure.curves[%zu].x", index);
    snprintf(y_field, sizeof y_field, "figure.curves[%zu].y", index);
    snprintf(by_field, sizeof by_field, "figure.curves[%zu].by", index);
    AM_TRY(am_figure_table(report->result, curve->table, table_field, &found->table, err));
    const am_table *table = am_result_table(report->result, found->table);
    AM_TRY(am_figure_column(table, curve->x, x_field, true, &found->x, err));
    AM_TRY(am_figure_column(table, curve->y, y_field, true, &found->y, err));
    if (curve->by)
        AM_TRY(am_figure_column(table, curve->by, by_field, true, &found->by, err));
    count_points(report->figure, curve, table, found);
    return AM_OK;
}

static const char *style_words(am_curve_style style) {
    switch (style) {
    case AM_CURVE_LINE:
        break;
    case AM_CURVE_DASHED:
        return "lines linewidth 1.6 dashtype (10,6)";
    case AM_CURVE_POINTS:
        return "points pointtype 7 pointsize 0.6";
    case AM_CURVE_STEPS:
        return "steps linewidth 1.8";
    }
    return "lines linewidth 1.8";
}

/* Members of two families with the same number (solid and dashed, say) have the same colour. */
static const char *colour_of(const am_figure *figure, size_t index) {
    const am_curve *curve = &figure->curves[index];
    if (curve->colour)
        return curve->colour;
    for (size_t i = 0; i < index && curve->by; i++) {
        const am_curve *other = &figure->curves[i];
        if (other->by && other->value == curve->value && strcmp(other->by, curve->by) == 0)
            return colour_of(figure, i);
    }
    return am_figure_colour(index);
}

static am_status add_curve(am_text *plot, const am_report *report, size_t index, const found_curve *found,
                           am_error *err) {
    const am_curve *curve = &report->figure->curves[index];
    char *file = am_output_csv_name(report->result, found->table, err);
    if (!file)
        return AM_ERR_MEMORY;
    am_text_printf(plot, "%s \\\n    '%s' skip 1 using ", plot->length > 0 ? "," : "plot", file);
    if (curve->by) {
        am_text_printf(plot, "(only(%zu,%zu,", found->x + 1, found->by + 1);
        am_text_number(plot, curve->value);
        am_text_printf(plot, ")):(gap(%zu))", found->y + 1);
    } else {
        am_text_printf(plot, found->gaps ? "(gap(%zu)):(gap(%zu))" : "%zu:%zu", found->x + 1, found->y + 1);
    }
    am_text_printf(plot, " with %s linecolor rgb '%s'", style_words(curve->style), colour_of(report->figure, index));
    am_memory_free(file);
    if (curve->label && curve->label[0]) {
        am_text_add(plot, " title ");
        am_figure_quote(plot, curve->label);
    } else {
        am_text_add(plot, " notitle");
    }
    return AM_OK;
}

/* The label of an axis nobody labelled: the column, if it is the same for all curves. */
static void default_label(am_text *label, const am_report *report, const found_curve *found, bool y) {
    const am_figure *figure = report->figure;
    for (size_t i = 1; i < figure->curve_count; i++)
        if (strcmp(y ? figure->curves[i].y : figure->curves[i].x, y ? figure->curves[0].y : figure->curves[0].x) != 0)
            return;
    if (figure->curve_count > 0)
        am_figure_quote_column(label, am_result_table(report->result, found[0].table), y ? found[0].y : found[0].x);
}

/* `more`: further parts of the plot command. */
static am_status write_curves(const am_report *report, found_curve *found, const char *more, am_text *script,
                              am_error *err) {
    const am_figure *figure = report->figure;
    am_text plot = {0}, x_label = {0}, y_label = {0};
    size_t labelled = 0, inside = 0, gaps = 0, families = 0;
    am_status status = AM_OK;
    for (size_t i = 0; status == AM_OK && i < figure->curve_count; i++) {
        status = find_curve(report, i, &found[i], err);
        if (status != AM_OK || found[i].points == 0)
            continue;
        inside += found[i].inside;
        gaps += found[i].gaps || figure->curves[i].by;
        families += figure->curves[i].by != NULL;
        labelled += figure->curves[i].label && figure->curves[i].label[0];
        status = add_curve(&plot, report, i, &found[i], err);
    }
    if (status == AM_OK) {
        default_label(&x_label, report, found, false);
        default_label(&y_label, report, found, true);
        am_figure_frame(script, figure, am_text_view(&x_label), am_text_view(&y_label));
        if (gaps > 0)
            am_text_add(script, "gap(i) = valid(i) ? column(i) : NaN # an empty cell breaks the line\n");
        if (families > 0)
            am_text_add(script, "only(i, by, value) = column(by) == value ? gap(i) : NaN # one curve of a family\n");
        if (labelled > 1 || more[0])
            am_text_add(script, "set key bmargin center horizontal Left reverse samplen 2.5\n");
        if (inside == 0) {
            am_text_clear(&plot);
            am_figure_empty(figure, script, &plot);
        }
        am_text_add(&plot, more);
        status = am_text_status(&plot, err);
    }
    if (status == AM_OK)
        am_figure_outputs(script, 720, 540, am_text_view(&plot));
    am_text_free(&plot);
    am_text_free(&x_label);
    am_text_free(&y_label);
    return status;
}

static am_status make_curves(const am_report *report, const char *more, am_text *script, am_error *err) {
    found_curve *found = am_memory_new(report->figure->curve_count, sizeof *found, err);
    if (!found)
        return AM_ERR_MEMORY;
    am_status status = write_curves(report, found, more, script, err);
    am_memory_free(found);
    return status;
}

/* ---- Maps, sectors, slip diagrams ---- */

static am_status make_map(const am_report *report, am_text *script, am_text *data, am_error *err) {
    const am_figure *figure = report->figure;
    size_t index, columns[3];
    AM_TRY(am_figure_table(report->result, figure->table, "figure.table", &index, err));
    const am_table *table = am_result_table(report->result, index);
    AM_TRY(am_figure_column(table, figure->x, "figure.x", true, &columns[0], err));
    AM_TRY(am_figure_column(table, figure->y, "figure.y", true, &columns[1], err));
    AM_TRY(am_figure_column(table, figure->value, "figure.value", false, &columns[2], err));
    am_figure_map(figure, table, columns, script, data);
    return AM_OK;
}

static am_status make_sectors(const am_report *report, am_text *script, am_error *err) {
    const am_figure *figure = report->figure;
    const char *name = figure->table && figure->table[0] ? figure->table : "sectors";
    size_t index, columns[3];
    AM_TRY(am_figure_table(report->result, name, "figure.table", &index, err));
    const am_table *table = am_result_table(report->result, index);
    AM_TRY(am_figure_column(table, "from_deg", "figure.table", true, &columns[0], err));
    AM_TRY(am_figure_column(table, "to_deg", "figure.table", true, &columns[1], err));
    AM_TRY(am_figure_column(table, "states", "figure.table", false, &columns[2], err));
    am_figure_sectors(figure, table, columns, script);
    return AM_OK;
}

/* Curves in the box that the lines are cut off at. */
static am_status make_slip(const am_report *report, am_text *script, am_error *err) {
    am_slip slip;
    AM_TRY(am_slip_read(report, &slip, err));
    double x_range[2] = {slip.box.low[0], slip.box.high[0]}, y_range[2] = {slip.box.low[1], slip.box.high[1]};
    am_figure figure = *report->figure;
    figure.x_range = x_range;
    figure.y_range = y_range;
    am_report boxed = *report;
    boxed.figure = &figure;
    am_text more = {0};
    am_figure_slip(&slip, script, &more);
    am_status status = am_text_status(&more, err);
    if (status == AM_OK)
        status = make_curves(&boxed, am_text_view(&more), script, err);
    am_text_free(&more);
    return status;
}

am_status am_figure_write(const am_report *report, am_staging *staging, bool *with_data, am_error *err) {
    am_text script = {0}, data = {0};
    am_status status = AM_ERR_INPUT;
    add_head(&script);
    switch (report->figure->kind) {
    case AM_FIGURE_CURVES:
        status = make_curves(report, "", &script, err);
        break;
    case AM_FIGURE_MAP:
        status = make_map(report, &script, &data, err);
        break;
    case AM_FIGURE_SECTORS:
        status = make_sectors(report, &script, err);
        break;
    case AM_FIGURE_SLIP:
        status = make_slip(report, &script, err);
        break;
    case AM_FIGURE_MESH:
        status = am_figure_mesh(report->figure, report->result, &script, &data, err);
        break;
    }
    if (status == AM_OK)
        status = am_text_status(&script, err);
    if (status == AM_OK)
        status = am_text_status(&data, err);
    *with_data = data.length > 0;
    if (status == AM_OK)
        status = am_staging_write(staging, "figure.gp", script.data, script.length, err);
    if (status == AM_OK && *with_data)
        status = am_staging_write(staging, "figure.dat", data.data, data.length, err);
    am_text_free(&script);
    am_text_free(&data);
    return status;
}
