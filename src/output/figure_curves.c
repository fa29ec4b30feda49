/* Figures of curves: y over x. Every curve can be told from every other: more of them than the palette has colours get
 * colours in order, one that lies on another is dashed, and one that swings more often than the page has dots is drawn
 * as the band that it fills. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/try.h"
#include "output/figure_axes.h"
#include "output/names.h"

enum { FEW = 60, NOT_MANY = 120 }; /* points whose marks can be told apart, the others smaller */

typedef struct found_curve {
    size_t table;
    am_curve_columns columns;
    am_points points;
    size_t shown, inside;                /* finite points; those of them within the figure's ranges */
    am_figure_extent x_extent, y_extent; /* of those within */
    size_t turns;                        /* more than this many a band: 0 otherwise */
    size_t under;                        /* the first curve that this one lies on; SIZE_MAX: none */
    bool coarse;                         /* a line through few points with corners, which are marked */
    bool covered;                        /* points that later ones lie on */
} found_curve;

static bool within(double value, const double *range) {
    return !range || (value >= fmin(range[0], range[1]) && value <= fmax(range[0], range[1]));
}

static void stretch(am_figure_extent *e, double low, double high) {
    e->low = fmin(e->low, low);
    e->high = fmax(e->high, high);
}

/* ---- Looking at the curves ---- */

static bool is_line(const am_curve *curve) {
    return curve->style == AM_CURVE_LINE || curve->style == AM_CURVE_DASHED;
}

static bool are_points(const am_curve *curve) {
    return curve->style == AM_CURVE_POINTS;
}

static void measure(const am_figure *figure, found_curve *found) {
    const am_points *p = &found->points;
    found->x_extent = found->y_extent = (am_figure_extent){.low = INFINITY, .high = -INFINITY};
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

/* Of curves that are the same over a third of their length the later ones are dashed; points that lie under later ones
 * are larger. */
static void find_hidden(const am_figure *figure, found_curve *found, am_figure_extent x, am_figure_extent y) {
    for (size_t i = 0; i < figure->curve_count; i++)
        for (size_t j = 0; j < i; j++) {
            if (is_line(&figure->curves[i]) && is_line(&figure->curves[j]) && found[i].under == SIZE_MAX &&
                am_points_shared(&found[i].points, &found[j].points, x, y) >= 1.0 / 3)
                found[i].under = j;
            if (are_points(&figure->curves[i]) && are_points(&figure->curves[j]) &&
                am_points_covered(&found[j].points, &found[i].points, x, y))
                found[j].covered = true;
        }
}

/* Peaks of responses, too, are known where they were followed to. */
static bool has_few_rows(const am_drawing *d, const found_curve *found) {
    const char *own = am_table_name(am_result_table(d->report->result, found->table)), *dot = strrchr(own, '.');
    own = dot ? dot + 1 : own;
    return d->report->fingerprint || strcmp(own, "envelope") == 0 || strcmp(own, "peaks") == 0;
}

/* A sweep has no points but those that were asked for. Where some of its lines show that, all of them have marks. */
static void find_coarse(const am_drawing *d, found_curve *found, am_figure_extent x, am_figure_extent y) {
    size_t count = d->figure->curve_count, corners = 0;
    for (size_t i = 0; i < count; i++)
        corners +=
            found[i].shown <= NOT_MANY && is_line(&d->figure->curves[i]) && am_points_corners(&found[i].points, x, y);
    for (size_t i = 0; i < count; i++)
        found[i].coarse = has_few_rows(d, &found[i]) && corners > 0 && found[i].shown <= NOT_MANY;
}

/* ---- Drawing them ---- */

/* How many curves before this one lie on the same one. */
static size_t depth_of(const found_curve *found, size_t index) {
    size_t depth = 0;
    for (size_t i = 0; i < index; i++)
        depth += found[i].under == found[index].under;
    return depth;
}

/* Many points are small: what they lie on is to be seen, and each of them. */
static double point_size(size_t points) {
    return points > 1000 ? 0.2 : points > 200 ? 0.35 : points > 40 ? 0.6 : 1.1;
}

static const char *line_words(const found_curve *found) {
    return !found->coarse        ? "lines"
           : found->shown <= FEW ? "linespoints pointtype 7 pointsize 0.45"
                                 : "linespoints pointtype 7 pointsize 0.3";
}

/* `dashes`: of a line that lies on another, "" where it is thin instead; NULL: it does not. */
static void add_style(am_text *plot, am_curve_style style, const found_curve *found, const char *dashes) {
    if (style == AM_CURVE_POINTS)
        am_text_printf(plot, " with points pointtype 7 pointsize %g",
                       point_size(found->shown) * (found->covered ? 2.2 : 1.0));
    else if (style == AM_CURVE_STEPS)
        am_text_add(plot, " with steps linewidth 1.8");
    else if (style == AM_CURVE_DASHED)
        am_text_printf(plot, " with %s linewidth 1.6 dashtype (10,6)", line_words(found));
    else if (dashes && dashes[0])
        am_text_printf(plot, " with %s linewidth 1.8 dashtype %s", line_words(found), dashes);
    else if (dashes)
        am_text_printf(plot, " with %s linewidth 0.7", line_words(found));
    else
        am_text_printf(plot, " with %s linewidth 1.8", line_words(found));
}

/* Dashes that the study asks for mean something: then a line on another is thin, so that both are seen. */
static bool has_dashes(const am_figure *figure) {
    for (size_t i = 0; i < figure->curve_count; i++)
        if (figure->curves[i].style == AM_CURVE_DASHED)
            return true;
    return false;
}

static bool has_label(const am_curve *curve) {
    return curve->label && curve->label[0];
}

/* How much of the ends of two labels is the same, from a comma on or as a whole. */
static size_t common_tail(const char *a, const char *b) {
    size_t length = strlen(a), other = strlen(b), same = 0, tail = 0;
    while (same < length && same < other && a[length - same - 1] == b[other - same - 1]) {
        same++;
        if ((same == length || (same + 2 <= length && strncmp(a + length - same - 2, ", ", 2) == 0)) &&
            (same == other || (same + 2 <= other && strncmp(b + other - same - 2, ", ", 2) == 0)))
            tail = same;
    }
    return tail;
}

/* The curve whose colour this one shares: the member with the same number of a family drawn in another style (solid and
 * dashed, say); of several the one whose label ends alike ("least, delta = 90" and "1 harmonic, least, delta = 90"). */
static size_t leader_of(const am_figure *figure, size_t index) {
    const am_curve *curve = &figure->curves[index];
    size_t leader = index, longest = 0;
    for (size_t i = 0; i < index && curve->by; i++) {
        const am_curve *other = &figure->curves[i];
        if (!other->by || other->value != curve->value || strcmp(other->by, curve->by) != 0 ||
            other->style == curve->style)
            continue;
        size_t common = has_label(curve) && has_label(other) ? common_tail(curve->label, other->label) : 0;
        if (leader == index || common > longest) {
            leader = i;
            longest = common;
        }
    }
    return leader == index ? index : leader_of(figure, leader);
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

/* ---- The key ---- */

/* Families whose members share colours, drawn in styles of their own, as "eta = 0.3" and "1 harmonic, eta = 0.3": the
 * key says each colour and each style once. The letters of the label that are said by the colour; 0: there is nothing
 * of that. */
static size_t colour_letters(const am_figure *figure, size_t index, const found_curve *found) {
    const am_curve *curve = &figure->curves[index];
    char own[8], colour[8];
    size_t tail = 0;
    choose_colour(figure, index, own);
    for (size_t i = 0; i < figure->curve_count && has_label(curve) && found[index].turns == 0; i++) {
        const am_curve *other = &figure->curves[i];
        choose_colour(figure, i, colour);
        if (other->style == curve->style || !has_label(other) || found[i].shown == 0 || strcmp(own, colour) != 0)
            continue;
        size_t common = common_tail(curve->label, other->label);
        tail = common > tail ? common : tail;
    }
    return tail;
}

/* Has the key said this before: of a colour (the end of the label), or of a style (its beginning)? */
static bool is_said(const am_figure *figure, size_t index, const found_curve *found, bool of_colour) {
    const am_curve *curve = &figure->curves[index];
    size_t tail = colour_letters(figure, index, found), head = strlen(curve->label) - tail;
    for (size_t i = 0; i < index; i++) {
        const am_curve *other = &figure->curves[i];
        size_t other_tail = found[i].shown > 0 ? colour_letters(figure, i, found) : 0;
        if (other_tail == 0)
            continue;
        const char *other_end = other->label + strlen(other->label) - other_tail;
        if (of_colour ? strcmp(other_end, curve->label + head) == 0
                      : other->style == curve->style && (size_t)(other_end - other->label) == head &&
                            strncmp(other->label, curve->label, head) == 0)
            return true;
    }
    return false;
}

/* What the key says of a curve: its label, and how it is drawn where that is not what was asked for. */
static void add_title(am_drawing *d, size_t index, const found_curve *found) {
    const am_curve *curve = &d->figure->curves[index];
    AM_LOCAL(am_text_free) am_text title = {0};
    am_text_add(&title, has_label(curve) ? curve->label : "");
    if (found[index].turns > 0)
        am_text_printf(&title, "%s%zu swings, drawn as the band they fill", has_label(curve) ? ": " : "",
                       found[index].turns / 2);
    d->key_wanted = d->key_wanted || found[index].turns > 0;
    am_figure_title(d, am_text_view(&title), false);
    d->plot.status = title.status != AM_OK ? title.status : d->plot.status;
}

/* A sample for the key alone: of a colour or a style that several curves have, or of points too small to show one. */
static void add_sample(am_drawing *d, am_curve_style style, const char *colour, const char *words, size_t letters) {
    found_curve sample = {.shown = 100, .under = SIZE_MAX};
    AM_LOCAL(am_text_free) am_text title = {0};
    am_text_add_bytes(&title, words, letters);
    am_text_add(&d->plot, ", \\\n    NaN");
    add_style(&d->plot, style, &sample, NULL);
    am_text_printf(&d->plot, " linecolor rgb '%s'", colour);
    am_figure_title(d, am_text_view(&title), false);
    d->plot.status = title.status != AM_OK ? title.status : d->plot.status;
}

/* Of many members of a family, whose colours are in order, six are enough for the key. */
static bool is_one_of_many(const am_figure *figure, size_t index) {
    enum { MANY = 12, NAMED = 6 };
    const am_curve *curve = &figure->curves[index];
    size_t members = 0, rank = 0;
    for (size_t i = 0; curve->by && i < figure->curve_count; i++) {
        const am_curve *other = &figure->curves[i];
        bool same = other->by && strcmp(other->by, curve->by) == 0 && strcmp(other->table, curve->table) == 0 &&
                    strcmp(other->y, curve->y) == 0 && other->style == curve->style;
        members += same;
        rank += same && i < index;
    }
    if (members <= MANY || rank == 0)
        return false;
    return rank * (NAMED - 1) / (members - 1) == (rank - 1) * (NAMED - 1) / (members - 1);
}

static void add_key(am_drawing *d, size_t index, const found_curve *found, const char *colour) {
    const am_figure *figure = d->figure;
    const am_curve *curve = &figure->curves[index];
    size_t tail = colour_letters(figure, index, found), length = has_label(curve) ? strlen(curve->label) : 0;
    bool many = is_one_of_many(figure, index), dots = curve->style == AM_CURVE_POINTS && found[index].shown > 200;
    if (tail == 0 && !many && !(dots && length > 0)) {
        add_title(d, index, found);
        return;
    }
    am_text_add(&d->plot, " notitle");
    if (tail == 0 && !many)
        add_sample(d, curve->style, colour, curve->label, length);
    if (tail == 0)
        return;
    if (!is_said(figure, index, found, true))
        add_sample(d, length > tail ? AM_CURVE_LINE : curve->style, colour, curve->label + length - tail, tail);
}

/* After all colours what the styles mean. */
static void add_styles(am_drawing *d, const found_curve *found) {
    for (size_t i = 0; i < d->figure->curve_count; i++) {
        const am_curve *curve = &d->figure->curves[i];
        size_t tail = found[i].shown > 0 ? colour_letters(d->figure, i, found) : 0;
        if (tail > 0 && strlen(curve->label) > tail && !is_said(d->figure, i, found, false))
            add_sample(d, curve->style, "#404040", curve->label, strlen(curve->label) - tail - 2);
    }
}

/* A band and its two edges. */
static am_status add_band(am_drawing *d, size_t index, const found_curve *found, const char *colour, am_figure_extent x,
                          am_error *err) {
    size_t set = 0;
    char tint[8];
    AM_TRY(am_points_write_envelope(d, &found[index].points, found[index].turns, x, &set, err));
    am_figure_tint(colour, 0.45, tint);
    am_text_printf(&d->plot, "'%s' index %zu using 1:2:3 with filledcurves fillcolor rgb '%s'", d->data_file, set,
                   tint);
    add_title(d, index, found);
    for (int edge = 2; edge <= 3; edge++)
        am_text_printf(&d->plot,
                       ", \\\n    '%s' index %zu using 1:%d with lines linewidth 1 linecolor rgb '%s' notitle",
                       d->data_file, set, edge, colour);
    return AM_OK;
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
    if (found[index].turns > 0)
        return add_band(d, index, found, colour, x, err);
    AM_TRY(add_source(d, index, &found[index], err));
    add_style(&d->plot, curve->style, &found[index],
              found[index].under == SIZE_MAX ? NULL
              : has_dashes(d->figure)        ? ""
                                             : dashes[depth_of(found, index) % 3]);
    am_text_printf(&d->plot, " linecolor rgb '%s'", colour);
    add_key(d, index, found, colour);
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

/* Strips below the axes: of all tables that the curves are of, if they are all over one column. */
static am_status add_strips(am_drawing *d, const found_curve *found, am_error *err) {
    const am_figure *figure = d->figure;
    const am_table **tables = am_arena_new(&d->memory, figure->curve_count, sizeof *tables, err);
    size_t *columns = am_arena_new(&d->memory, figure->curve_count, sizeof *columns, err), count = 0;
    AM_TRY(am_arena_status(&d->memory));
    for (size_t i = 0; i < figure->curve_count; i++) {
        const am_table *table = am_result_table(d->report->result, found[i].table);
        size_t k = 0;
        if (strcmp(figure->curves[i].x, figure->curves[0].x) != 0 || figure->curves[i].by)
            return AM_OK;
        while (k < count && tables[k] != table)
            k++;
        tables[k] = table;
        columns[k] = found[i].columns.x;
        count = k < count ? count : count + 1;
    }
    am_figure_timeline(d, count, tables, columns);
    return AM_OK;
}

static am_status add_axes(am_drawing *d, const found_curve *found, am_figure_extent x, am_figure_extent y,
                          am_error *err) {
    const am_figure *figure = d->figure;
    const am_points **points = am_arena_new(&d->memory, figure->curve_count, sizeof *points, err);
    bool ordered = true;
    if (!points)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < figure->curve_count; i++) {
        points[i] = &found[i].points;
        ordered = ordered && is_line(&figure->curves[i]) && am_points_ordered(points[i]);
    }
    am_figure_axes(d, &(am_axes){.x = x, .y = y, .curves = points, .count = figure->curve_count, .ordered = ordered});
    return AM_OK;
}

am_status am_figure_curves(am_drawing *d, const char *more, am_error *err) {
    const am_figure *figure = d->figure;
    size_t inside = 0;
    am_figure_extent x = {INFINITY, -INFINITY, figure->x_log}, y = {INFINITY, -INFINITY, figure->y_log};
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
    find_coarse(d, found, x, y);
    for (size_t i = 0; i < figure->curve_count; i++)
        if (found[i].shown > 0)
            AM_TRY(add_curve(d, i, found, x, err));
    add_styles(d, found);
    am_figure plain = *figure; /* ranges are written with the axes */
    if (inside > 0) {
        plain.x_range = plain.y_range = NULL;
        AM_TRY(add_axes(d, found, x, y, err));
    }
    am_figure_frame(d, &plain, axis_of(d, found, false), axis_of(d, found, true));
    add_functions(d, found);
    if (inside > 0)
        AM_TRY(add_strips(d, found, err));
    else
        am_figure_empty(d);
    am_text_add(&d->plot, more);
    am_figure_outputs(d, 720, 540);
    return AM_OK;
}
