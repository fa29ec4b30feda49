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

/* Curves of a slip diagram have colours that its lines do not have. */
static am_status colour_slip_curves(am_drawing *d, am_figure *figure, am_error *err) {
    static const char *const colours[] = {"#8d9db0", "#e69f00", "#56b4e9", "#000000", "#a6761d"};
    size_t next = 0;
    am_curve *curves = am_arena_new(&d->memory, figure->curve_count, sizeof *curves, err);
    if (!curves)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < figure->curve_count; i++) {
        curves[i] = figure->curves[i];
        if (!curves[i].colour)
            curves[i].colour = colours[next++ % (sizeof colours / sizeof *colours)];
    }
    figure->curves = curves;
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
    AM_TRY(colour_slip_curves(d, &figure, err));
    boxed.figure = d->figure = &figure;
    d->report = &boxed;
    am_text more = {0};
    for (size_t keys = am_figure_slip(&slip, &d->script, &more); keys > 0; keys--)
        am_figure_count_key(d, strlen("excluded")); /* the longest */
    am_status status = am_text_status(&more, err);
    if (status == AM_OK)
        status = am_figure_curves(d, am_text_view(&more), err);
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
        return am_figure_curves(d, "", err);
    case AM_FIGURE_MAP:
        return am_figure_map(d, err);
    case AM_FIGURE_SECTORS:
        return am_figure_sectors(d, err);
    case AM_FIGURE_SLIP:
        return make_slip(d, err);
    case AM_FIGURE_MESH:
        return am_figure_mesh(d, err);
    case AM_FIGURE_TABLE:
        return am_figure_of_table(d, err);
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
    part.letters = d->figure->columns > 1 ? 44 : 60;
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
