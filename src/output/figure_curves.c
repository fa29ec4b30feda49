/* Figures of curves: y over x. Every curve can be told from every other: more of them than the palette has colours get
 * colours in order, one that lies on another is dashed, and one that swings more often than the page has dots is drawn
 * as the band that it fills. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "output/figure_parts.h"
#include "output/figure_points.h"
#include "output/names.h"

typedef struct found_curve {
    size_t table;
    am_curve_columns columns;
    am_points points;
    size_t shown, inside;                /* finite points; those of them within the figure's ranges */
    am_figure_extent x_extent, y_extent; /* of those within */
    size_t turns;                        /* more than this many a band: 0 otherwise */
    size_t under;                        /* the first curve that this one lies on; SIZE_MAX: none */
} found_curve;

static bool within(double value, const double *range) {
    return !range || (value >= fmin(range[0], range[1]) && value <= fmax(range[0], range[1]));
}

static void stretch(am_figure_extent *e, double low, double high) {
    e->low = fmin(e->low, low);
    e->high = fmax(e->high, high);
}

/* Over two decades powers of ten are easier to read than numbers. */
static void add_log_format(am_text *script, const char *axis, bool log, const double *range, am_figure_extent e) {
    if (log && (range ? range[1] / range[0] : e.high / e.low) >= 100)
        am_text_printf(script, "set format %s '10^{%%T}'\n", axis);
    else if (log)
        am_text_printf(script, "set format %s '%%g'\n", axis);
}

/* ---- Looking at the curves ---- */

static bool is_line(const am_curve *curve) {
    return curve->style == AM_CURVE_LINE || curve->style == AM_CURVE_DASHED;
}

static void measure(const am_figure *figure, found_curve *found) {
    const am_points *p = &found->points;
    found->x_extent = found->y_extent = (am_figure_extent){INFINITY, -INFINITY};
    for (size_t i = 0; i < p->count; i++) {
        found->shown += !isnan(p->x[i]);
        if (isnan(p->x[i]) || !within(p->x[i], figure->x_range) || !within(p->y[i], figure->y_range))
            continue;
        found->inside++;
        stretch(&found->x_extent, p->x[i], p->x[i]);
        stretch(&found->y_extent, p->y[i], p->y[i]);
    }
}

static am_status find_column(const am_table *table, size_t index, const char *key, const char *name, bool number,
                             size_t *column, am_error *err) {
    char field[64];
    *column = SIZE_MAX;
    snprintf(field, sizeof field, "figure.curves[%zu].%s", index, key);
    return name ? am_figure_column(table, name, field, number, column, err) : AM_OK;
}

static am_status find_curve(am_drawing *d, size_t index, found_curve *found, am_error *err) {
    const am_curve *curve = &d->figure->curves[index];
    am_curve_columns *columns = &found->columns;
    char field[64];
    snprintf(field, sizeof field, "figure.curves[%zu].table", index);
    AM_TRY(am_figure_table(d->report->result, curve->table, field, &found->table, err));
    columns->table = am_result_table(d->report->result, found->table);
    AM_TRY(find_column(columns->table, index, "x", curve->x ? curve->x : "", true, &columns->x, err));
    AM_TRY(find_column(columns->table, index, "y", curve->y ? curve->y : "", true, &columns->y, err));
    AM_TRY(find_column(columns->table, index, "by", curve->by, true, &columns->by, err));
    AM_TRY(find_column(columns->table, index, "breaks", curve->breaks, false, &columns->breaks, err));
    AM_TRY(am_points_read(d, curve, columns, &found->points, err));
    measure(d->figure, found);
    size_t turns = is_line(curve) && !d->figure->x_log ? am_points_turns(&found->points) : 0;
    found->turns = turns > AM_ENVELOPE_COLUMNS ? turns : 0;
    found->under = SIZE_MAX;
    return AM_OK;
}

/* Of curves that are the same over at least half of their length the later ones are dashed. */
static void find_hidden(const am_figure *figure, found_curve *found, am_figure_extent x, am_figure_extent y) {
    for (size_t i = 0; i < figure->curve_count; i++)
        for (size_t j = 0; j < i && is_line(&figure->curves[i]) && found[i].under == SIZE_MAX; j++)
            if (is_line(&figure->curves[j]) && am_points_shared(&found[i].points, &found[j].points, x, y) >= 0.5)
                found[i].under = j;
}

/* ---- Drawing them ---- */

/* How many curves before this one lie on the same one. */
static size_t depth_of(const found_curve *found, size_t index) {
    size_t depth = 0;
    for (size_t i = 0; i < index; i++)
        depth += found[i].under == found[index].under;
    return depth;
}

static const char *style_words(am_curve_style style, size_t points) {
    switch (style) {
    case AM_CURVE_LINE:
        break;
    case AM_CURVE_DASHED:
        return "lines linewidth 1.6 dashtype (10,6)";
    case AM_CURVE_POINTS: /* few of them are large */
        return points > 40 ? "points pointtype 7 pointsize 0.6" : "points pointtype 7 pointsize 1.1";
    case AM_CURVE_STEPS:
        return "steps linewidth 1.8";
    }
    return "lines linewidth 1.8";
}

/* The curve whose colour this one shares: members of two families with the same number (solid and dashed, say). */
static size_t leader_of(const am_figure *figure, size_t index) {
    const am_curve *curve = &figure->curves[index];
    for (size_t i = 0; i < index && curve->by; i++) {
        const am_curve *other = &figure->curves[i];
        if (other->by && other->value == curve->value && strcmp(other->by, curve->by) == 0)
            return leader_of(figure, i);
    }
    return index;
}

/* Curves that have a colour of their own, before `end`. */
static size_t count_colours(const am_figure *figure, size_t end) {
    size_t count = 0;
    for (size_t i = 0; i < end; i++)
        count += !figure->curves[i].colour && leader_of(figure, i) == i;
    return count;
}

static void choose_colour(const am_figure *figure, size_t index, char out[8]) {
    const char *given = figure->curves[index].colour;
    size_t leader = leader_of(figure, index);
    if (given)
        snprintf(out, 8, "%.7s", given);
    else if (leader != index)
        choose_colour(figure, leader, out);
    else
        am_figure_line_colour(count_colours(figure, index), count_colours(figure, figure->curve_count), out);
}

static bool has_label(const am_curve *curve) {
    return curve->label && curve->label[0];
}

/* What the key says of a curve: its label, and how it is drawn where that is not what was asked for. */
static void add_title(am_text *plot, const am_figure *figure, size_t index, const found_curve *found) {
    const am_curve *curve = &figure->curves[index];
    am_text title = {0};
    am_text_add(&title, has_label(curve) ? curve->label : "");
    if (found[index].turns > 0)
        am_text_printf(&title, "%s%zu swings, drawn as the band they fill", has_label(curve) ? ": " : "",
                       found[index].turns / 2);
    am_text_add(plot, title.length > 0 ? " title " : " notitle");
    if (title.length > 0)
        am_figure_quote(plot, am_text_view(&title));
    plot->status = title.status != AM_OK ? title.status : plot->status;
    am_text_free(&title);
}

/* A band and its two edges. */
static void add_band(am_drawing *d, size_t index, const found_curve *found, const char *colour, am_figure_extent x) {
    size_t set = am_points_write_envelope(d, &found[index].points, found[index].turns, x);
    char tint[8];
    am_figure_tint(colour, 0.45, tint);
    am_text_printf(&d->plot, "'%s' index %zu using 1:2:3 with filledcurves fillcolor rgb '%s'", d->data_file, set,
                   tint);
    add_title(&d->plot, d->figure, index, found);
    for (int edge = 2; edge <= 3; edge++)
        am_text_printf(&d->plot,
                       ", \\\n    '%s' index %zu using 1:%d with lines linewidth 1 linecolor rgb '%s' notitle",
                       d->data_file, set, edge, colour);
}

/* The curve's own table, or, where the line breaks between its rows, data written for it. */
static am_status add_source(am_drawing *d, size_t index, const found_curve *found, am_error *err) {
    const am_curve *curve = &d->figure->curves[index];
    const am_curve_columns *columns = &found->columns;
    if (found->points.jumps) {
        size_t set = am_points_write(d, &found->points);
        am_text_printf(&d->plot, "'%s' index %zu using 1:2", d->data_file, set);
        return AM_OK;
    }
    char *file = am_output_csv_name(d->report->result, found->table, err);
    if (!file)
        return AM_ERR_MEMORY;
    am_text_printf(&d->plot, "'%s' skip 1 using ", file);
    am_memory_free(file);
    if (curve->by)
        am_text_printf(&d->plot, "(only(%zu,%zu,%s)):(gap(%zu))", columns->x + 1, columns->by + 1,
                       AM_NUMBER(curve->value), columns->y + 1);
    else
        am_text_printf(&d->plot, found->shown < found->points.count ? "(gap(%zu)):(gap(%zu))" : "%zu:%zu",
                       columns->x + 1, columns->y + 1);
    return AM_OK;
}

static am_status add_curve(am_drawing *d, size_t index, const found_curve *found, am_figure_extent x, am_error *err) {
    const am_curve *curve = &d->figure->curves[index];
    static const char *const dashes[] = {"(10,8)", "(4,8)", "(2,6)"};
    char colour[8];
    choose_colour(d->figure, index, colour);
    am_text_printf(&d->plot, "%s \\\n    ", d->plot.length > 0 ? "," : "plot");
    if (found[index].turns > 0) {
        add_band(d, index, found, colour, x);
        return AM_OK;
    }
    AM_TRY(add_source(d, index, &found[index], err));
    if (found[index].under != SIZE_MAX && curve->style == AM_CURVE_LINE)
        am_text_printf(&d->plot, " with lines linewidth 1.8 dashtype %s linecolor rgb '%s'",
                       dashes[depth_of(found, index) % 3], colour);
    else
        am_text_printf(&d->plot, " with %s linecolor rgb '%s'", style_words(curve->style, found[index].shown), colour);
    add_title(&d->plot, d->figure, index, found);
    return AM_OK;
}

/* The label of an axis nobody labelled: the column, if it is the same for all curves. */
static am_figure_axis axis_of(const am_drawing *d, const found_curve *found, bool y) {
    const am_figure *figure = d->figure;
    for (size_t i = 1; i < figure->curve_count; i++)
        if (strcmp(y ? figure->curves[i].y : figure->curves[i].x, y ? figure->curves[0].y : figure->curves[0].x) != 0)
            return (am_figure_axis){NULL, 0};
    return (am_figure_axis){figure->curve_count > 0 ? am_result_table(d->report->result, found->table) : NULL,
                            y ? found->columns.y : found->columns.x};
}

/* What the words of the plot command mean, where it has them. */
static void add_functions(am_drawing *d, const found_curve *found) {
    const am_figure *figure = d->figure;
    size_t gaps = 0, families = 0;
    for (size_t i = 0; i < figure->curve_count; i++) {
        bool own = found[i].shown > 0 && !found[i].points.jumps && found[i].turns == 0;
        gaps += own && (found[i].shown < found[i].points.count || figure->curves[i].by);
        families += own && figure->curves[i].by;
    }
    if (gaps > 0)
        am_text_add(&d->script, "gap(i) = valid(i) ? column(i) : NaN # an empty cell breaks the line\n");
    if (families > 0)
        am_text_add(&d->script, "only(i, by, value) = column(by) == value ? gap(i) : NaN # one curve of a family\n");
}

/* How many lines of the key there are. */
static size_t count_keys(const am_figure *figure, const found_curve *found) {
    size_t labelled = 0, bands = 0;
    for (size_t i = 0; i < figure->curve_count; i++) {
        labelled += found[i].shown > 0 && has_label(&figure->curves[i]);
        bands += found[i].turns > 0;
    }
    return labelled > 1 || bands > 0 ? labelled + bands : 0;
}

/* All curves are of one table and over one column of it. */
static bool one_table(const am_figure *figure, const found_curve *found) {
    for (size_t i = 1; i < figure->curve_count; i++)
        if (found[i].table != found->table || found[i].columns.x != found->columns.x)
            return false;
    return figure->curve_count > 0;
}

am_status am_figure_curves(am_drawing *d, const char *more, size_t more_keys, am_error *err) {
    const am_figure *figure = d->figure;
    size_t inside = 0;
    am_figure_extent x = {INFINITY, -INFINITY}, y = x;
    found_curve *found = am_arena_new(&d->memory, figure->curve_count + 1, sizeof *found, err);
    if (!found)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < figure->curve_count; i++) {
        AM_TRY(find_curve(d, i, &found[i], err));
        inside += found[i].inside;
        stretch(&x, found[i].x_extent.low, found[i].x_extent.high);
        stretch(&y, found[i].y_extent.low, found[i].y_extent.high);
    }
    find_hidden(figure, found, x, y);
    for (size_t i = 0; i < figure->curve_count; i++)
        if (found[i].shown > 0)
            AM_TRY(add_curve(d, i, found, x, err));
    am_figure_frame(d, figure, axis_of(d, found, false), axis_of(d, found, true));
    add_log_format(&d->script, "x", figure->x_log, figure->x_range, x);
    add_log_format(&d->script, "y", figure->y_log, figure->y_range, y);
    add_functions(d, found);
    size_t keys = count_keys(figure, found) + more_keys;
    bool timed =
        inside > 0 && one_table(figure, found) && am_figure_timeline(d, found->columns.table, found->columns.x, keys);
    if (keys > 0 && !timed)
        am_figure_key(d, keys, "samplen 2.5");
    if (inside == 0)
        am_figure_empty(d);
    am_text_add(&d->plot, more);
    am_figure_outputs(d, 720, 540);
    return AM_OK;
}
