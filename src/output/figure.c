#include "output/figure.h"
#include "base/local.h"
#include "base/try.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "output/figure_parts.h"
#include "output/names.h"
#include "output/slip.h"

static void add_head(am_text *script) {
    am_text_add(script, "set encoding utf8\n"
                        "set datafile separator comma\n"
                        "set border 31 linewidth 0.8 linecolor rgb '#404040'\n"
                        "set tics out nomirror scale 0.7 textcolor rgb '#202020'\n"
                        "set zeroaxis linetype 1 linecolor rgb '#d0d0d0' linewidth 0.6\n"
                        "set key off\n");
}

/* ---- Curves ---- */

typedef struct extent {
    double low, high; /* infinite the wrong way round: of nothing */
} extent;

typedef struct found_curve {
    size_t table, x, y, by;
    size_t points, inside;     /* finite ones; those of them within the figure's ranges */
    extent x_extent, y_extent; /* of those within */
    bool gaps;                 /* some rows have no point: the line breaks there */
} found_curve;

static bool within(double value, const double *range) {
    return !range || (value >= fmin(range[0], range[1]) && value <= fmax(range[0], range[1]));
}

static void stretch(extent *e, double low, double high) {
    e->low = fmin(e->low, low);
    e->high = fmax(e->high, high);
}

/* Over two decades powers of ten are easier to read than numbers. */
static void add_log_format(am_text *script, const char *axis, bool log, const double *range, extent e) {
    if (log && (range ? range[1] / range[0] : e.high / e.low) >= 100)
        am_text_printf(script, "set format %s '10^{%%T}'\n", axis);
    else if (log)
        am_text_printf(script, "set format %s '%%g'\n", axis);
}

static void count_points(const am_figure *figure, const am_curve *curve, const am_table *table, found_curve *found) {
    found->x_extent = found->y_extent = (extent){INFINITY, -INFINITY};
    for (size_t row = 0; row < am_table_rows(table); row++) {
        if (curve->by && am_table_number(table, row, found->by) != curve->value)
            continue;
        double x = am_table_number(table, row, found->x), y = am_table_number(table, row, found->y);
        if (!isfinite(x) || !isfinite(y) || (figure->x_log && x <= 0.0) || (figure->y_log && y <= 0.0)) {
            found->gaps = true; /* gnuplot leaves out what a logarithmic axis cannot show */
            continue;
        }
        found->points++;
        if (!within(x, figure->x_range) || !within(y, figure->y_range))
            continue;
        found->inside++;
        stretch(&found->x_extent, x, x);
        stretch(&found->y_extent, y, y);
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

static bool has_label(const am_curve *curve) {
    return curve->label && curve->label[0];
}

static am_status add_curve(am_drawing *d, size_t index, const found_curve *found, am_error *err) {
    const am_curve *curve = &d->figure->curves[index];
    am_text *plot = &d->plot;
    char *file = am_output_csv_name(d->report->result, found->table, err);
    if (!file)
        return AM_ERR_MEMORY;
    am_text_printf(plot, "%s \\\n    '%s' skip 1 using ", plot->length > 0 ? "," : "plot", file);
    am_memory_free(file);
    if (curve->by)
        am_text_printf(plot, "(only(%zu,%zu,%s)):(gap(%zu))", found->x + 1, found->by + 1, AM_NUMBER(curve->value),
                       found->y + 1);
    else
        am_text_printf(plot, found->gaps ? "(gap(%zu)):(gap(%zu))" : "%zu:%zu", found->x + 1, found->y + 1);
    am_text_printf(plot, " with %s linecolor rgb '%s' ", style_words(curve->style), colour_of(d->figure, index));
    am_text_add(plot, has_label(curve) ? "title " : "notitle");
    if (has_label(curve))
        am_figure_quote(plot, curve->label);
    return AM_OK;
}

/* The label of an axis nobody labelled: the column, if it is the same for all curves. */
static am_figure_axis axis_of(const am_drawing *d, const found_curve *found, bool y) {
    const am_figure *figure = d->figure;
    for (size_t i = 1; i < figure->curve_count; i++)
        if (strcmp(y ? figure->curves[i].y : figure->curves[i].x, y ? figure->curves[0].y : figure->curves[0].x) != 0)
            return (am_figure_axis){NULL, 0};
    return (am_figure_axis){figure->curve_count > 0 ? am_result_table(d->report->result, found->table) : NULL,
                            y ? found->y : found->x};
}

/* `more`: further parts of the plot command. */
static am_status make_curves(am_drawing *d, const char *more, am_error *err) {
    const am_figure *figure = d->figure;
    size_t labelled = 0, inside = 0, gaps = 0, families = 0;
    extent x = {INFINITY, -INFINITY}, y = x;
    found_curve *found = am_arena_new(&d->memory, figure->curve_count + 1, sizeof *found, err);
    if (!found)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < figure->curve_count; i++) {
        AM_TRY(find_curve(d->report, i, &found[i], err));
        if (found[i].points == 0)
            continue;
        inside += found[i].inside;
        stretch(&x, found[i].x_extent.low, found[i].x_extent.high);
        stretch(&y, found[i].y_extent.low, found[i].y_extent.high);
        gaps += found[i].gaps || figure->curves[i].by;
        families += figure->curves[i].by != NULL;
        labelled += has_label(&figure->curves[i]);
        AM_TRY(add_curve(d, i, &found[i], err));
    }
    am_figure_frame(d, figure, axis_of(d, found, false), axis_of(d, found, true));
    add_log_format(&d->script, "x", figure->x_log, figure->x_range, x);
    add_log_format(&d->script, "y", figure->y_log, figure->y_range, y);
    if (gaps > 0)
        am_text_add(&d->script, "gap(i) = valid(i) ? column(i) : NaN # an empty cell breaks the line\n");
    if (families > 0)
        am_text_add(&d->script, "only(i, by, value) = column(by) == value ? gap(i) : NaN # one curve of a family\n");
    if (labelled > 1 || more[0])
        am_text_add(&d->script, "set key bmargin center horizontal Left reverse samplen 2.5\n");
    if (labelled > 1) /* room for the key below the label of the axis, about three words a row */
        am_text_printf(&d->script, "set bmargin %g\n", 4.5 + (double)((labelled + 2) / 3));
    if (inside == 0)
        am_figure_empty(d);
    am_text_add(&d->plot, more);
    am_figure_outputs(d, 720, 540);
    return AM_OK;
}

/* Curves in the box that the lines are cut off at. */
static am_status make_slip(am_drawing *d, am_error *err) {
    am_slip slip;
    AM_TRY(am_slip_read(d->report, &slip, err));
    double x_range[2] = {slip.box.low[0], slip.box.high[0]}, y_range[2] = {slip.box.low[1], slip.box.high[1]};
    const am_report *report = d->report;
    am_figure figure = *report->figure;
    figure.x_range = x_range;
    figure.y_range = y_range;
    am_report boxed = *report;
    boxed.figure = d->figure = &figure;
    d->report = &boxed;
    am_text more = {0};
    am_figure_slip(&slip, &d->script, &more);
    am_status status = am_text_status(&more, err);
    if (status == AM_OK)
        status = make_curves(d, am_text_view(&more), err);
    am_text_free(&more);
    d->report = report;
    d->figure = report->figure;
    return status;
}

static am_status make_panels(am_drawing *d, am_staging *staging, am_error *err);

static am_status draw(am_drawing *d, am_staging *staging, am_error *err) {
    if (d->figure->kind == AM_FIGURE_PANELS)
        return make_panels(d, staging, err);
    add_head(&d->script);
    switch (d->figure->kind) {
    case AM_FIGURE_CURVES:
        return make_curves(d, "", err);
    case AM_FIGURE_MAP:
        return am_figure_map(d, err);
    case AM_FIGURE_SECTORS:
        return am_figure_sectors(d, err);
    case AM_FIGURE_SLIP:
        return make_slip(d, err);
    case AM_FIGURE_MESH:
        return am_figure_mesh(d, err);
    case AM_FIGURE_PANELS:
        break;
    }
    return AM_ERR_INPUT;
}

/* What a drawing has made so far; its data, too. */
static am_status finish_drawing(am_drawing *d, am_staging *staging, am_error *err) {
    AM_TRY(draw(d, staging, err));
    AM_TRY(am_text_status(&d->plot, err));
    AM_TRY(am_text_status(&d->script, err));
    AM_TRY(am_text_status(&d->data, err));
    return d->data.length > 0 ? am_staging_write(staging, d->data_file, d->data.data, d->data.length, err) : AM_OK;
}

static void clear_drawing(am_drawing *d) {
    am_text_free(&d->script);
    am_text_free(&d->data);
    am_text_free(&d->plot);
    am_arena_clear(&d->memory);
}

/* ---- Panels ---- */

/* A panel is a figure as any other, with settings of its own. Left margins are equal, so that axes stand in line. */
static am_status add_panel(const am_drawing *d, size_t index, am_text *panels, am_staging *staging, am_error *err) {
    am_report report = *d->report;
    char file[48];
    report.figure = &d->figure->panels[index];
    if (report.figure->kind != AM_FIGURE_CURVES && report.figure->kind != AM_FIGURE_MAP)
        return am_fail_field(err, AM_ERR_INPUT, "figure.panels", "panels are figures of curves or maps");
    snprintf(file, sizeof file, "figure-%zu.dat", index + 1);
    am_drawing part = {.report = &report, .figure = report.figure, .data_file = file, .panel = true};
    am_status status = finish_drawing(&part, staging, err);
    if (status == AM_OK)
        am_text_printf(panels, "\nreset # panel %zu\nset lmargin 11\n%s%s", index + 1,
                       report.figure->kind == AM_FIGURE_CURVES ? "set rmargin 4\n" : "", am_text_view(&part.script));
    clear_drawing(&part);
    return status;
}

static void add_sheet(am_drawing *d, const char *file, const char *layout, const char *panels) {
    am_text_printf(&d->script, "set output '%s'\nset multiplot layout %s", file, layout);
    if (d->figure->title && d->figure->title[0]) {
        am_text_add(&d->script, " title ");
        am_figure_quote(&d->script, d->figure->title);
    }
    am_text_printf(&d->script, "\n%s\nunset multiplot\nset output\n", panels);
}

/* The panels stand in the script twice: gnuplot cannot draw several plots again. */
static am_status make_panels(am_drawing *d, am_staging *staging, am_error *err) {
    size_t count = d->figure->panel_count, columns = d->figure->columns > 0 ? d->figure->columns : 1;
    size_t rows = (count + columns - 1) / columns;
    int width = columns > 1 ? (int)(560 * columns) : 720, height = (int)(rows > 1 ? 360 * rows + 40 : 520);
    char layout[64];
    AM_LOCAL(am_text_free) am_text panels = {0};
    snprintf(layout, sizeof layout, "%zu,%zu", rows, columns);
    for (size_t i = 0; i < count; i++)
        AM_TRY(add_panel(d, i, &panels, staging, err));
    AM_TRY(am_text_status(&panels, err));
    am_text_add(&d->script, "set encoding utf8\n");
    am_figure_terminal_svg(&d->script, width, height);
    add_sheet(d, "figure.svg", layout, am_text_view(&panels));
    am_figure_terminal_png(&d->script, width, height);
    add_sheet(d, "figure.png", layout, am_text_view(&panels));
    return AM_OK;
}

am_status am_figure_write(const am_report *report, am_staging *staging, am_error *err) {
    am_drawing d = {.report = report, .figure = report->figure, .data_file = "figure.dat"};
    am_text_add(&d.script, "# Draws figure.svg and figure.png from the data in this folder: gnuplot figure.gp\n");
    am_status status = finish_drawing(&d, staging, err);
    if (status == AM_OK)
        status = am_staging_write(staging, "figure.gp", d.script.data, d.script.length, err);
    clear_drawing(&d);
    return status;
}
