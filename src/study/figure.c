#include "study/figure.h"
#include "base/columns.h"
#include "base/glossary.h"
#include "base/try.h"
#include "math/dense.h"
#include "output/figure_parts.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const am_word kind_words[] = {{"curves", AM_FIGURE_CURVES, "y over x"},
                                     {"map", AM_FIGURE_MAP, "a label or number over two columns that form a grid"},
                                     {"sectors", AM_FIGURE_SECTORS, "the plane of load rates, coloured by states"},
                                     {"slip", AM_FIGURE_SLIP, "the slip-displacement diagram of model nodes"},
                                     {"mesh", AM_FIGURE_MESH, "the deformed mesh, coloured by a stress"},
                                     {"table", AM_FIGURE_TABLE, "rows of a table, set as a table"},
                                     {NULL, 0, NULL}};

static const am_word style_words[] = {{"line", AM_CURVE_LINE, "solid"},
                                      {"dashed", AM_CURVE_DASHED, "dashed"},
                                      {"points", AM_CURVE_POINTS, "marks only"},
                                      {"steps", AM_CURVE_STEPS, "a staircase"},
                                      {NULL, 0, NULL}};

static const am_word scale_words[] = {{"linear", AM_SCALE_LINEAR, "equal differences are equally far apart"},
                                      {"log", AM_SCALE_LOG, "equal ratios are; for positive numbers"},
                                      {NULL, 0, NULL}};

static const am_field curve_fields[] = {
    AM_FIELD("table", TEXT, am_curve_setting, curve.table, .initial = "samples (sweep in a sweep)",
             .about = "table the columns come from"),
    AM_FIELD("x", TEXT, am_curve_setting, curve.x, .initial = "required without points", .about = "a column"),
    AM_FIELD("y", TEXT, am_curve_setting, curve.y, .initial = "required without points", .about = "a column"),
    AM_FIELD("points", NODE, am_curve_setting, given, .instead_of = "table x y by only breaks", .initial = "none",
             .about = "rows [x, y], or a file with such: measured, or read off a publication that the label names"),
    AM_FIELD("label", TEXT, am_curve_setting, curve.label, .initial = "none", .about = "text in the key"),
    AM_FIELD("by", TEXT, am_curve_setting, curve.by, .initial = "one curve",
             .about = "a column: one curve for each number in it, as for the slower axis of a sweep"),
    AM_FIELD("only", NUMBER, am_curve_setting, curve.value, .initial = "all of them",
             .about = "with `by`: the curve of this number alone"),
    AM_FIELD("breaks", TEXT, am_curve_setting, curve.breaks, .initial = "nowhere",
             .about = "a column: the line breaks where it changes, so that jumps are no slopes"),
    AM_FIELD("style", WORD, am_curve_setting, curve.style, .words = style_words, .initial = "line",
             .about = "how it is drawn"),
    AM_FIELD("colour", TEXT, am_curve_setting, curve.colour, .initial = "the next of the palette",
             .about = "as \"#e69f00\": red, green and blue"),
};

/* The points are rows of the table `given`. */
static am_status finish_points(am_reading *reading, am_curve_setting *setting) {
    am_curve *curve = &setting->curve;
    const am_node *points = setting->given;
    AM_TRY(am_read_table(reading, points, "points", &setting->points));
    if (setting->points.columns != 2)
        return am_node_fail(points, reading->err, AM_ERR_INPUT, "points are rows of two numbers: [[x, y], [x, y]]");
    if (!curve->label)
        return am_node_fail(points, reading->err, AM_ERR_INPUT, "points need a label that says where they come from");
    curve->table = "given";
    curve->x = "x";
    curve->y = "y";
    curve->by = "curve";
    return AM_OK;
}

static am_status need_columns(am_reading *reading, const am_node *node, const am_curve *curve) {
    return curve->x && curve->y
               ? AM_OK
               : am_node_fail(node, reading->err, AM_ERR_INPUT, "a curve needs x and y (columns), or points");
}

static am_status finish_curve(am_reading *reading, const am_node *node, void *record) {
    am_curve_setting *setting = record;
    am_curve *curve = &setting->curve;
    const char *colour = curve->colour;
    AM_TRY(setting->given ? finish_points(reading, setting) : need_columns(reading, node, curve));
    if (setting->given && !am_node_get(node, "style"))
        curve->style = AM_CURVE_POINTS;
    if (!curve->by && am_node_get(node, "only"))
        return am_node_fail(am_node_at(node, "only"), reading->err, AM_ERR_INPUT,
                            "only says which number of the column `by` is drawn, and there is no `by`");
    if (!colour || (strlen(colour) == 7 && colour[0] == '#' && strspn(colour + 1, "0123456789abcdefABCDEF") == 6))
        return AM_OK;
    return am_node_fail(am_node_get(node, "colour"), reading->err, AM_ERR_INPUT,
                        "colour must be # and six hexadecimal digits, as \"#e69f00\", not '%.60s'", colour);
}

static void curve_defaults(void *record) {
    am_curve_setting *setting = record;
    setting->curve.value = NAN;
}

void am_figure_number_points(am_figure_setting *figure, size_t *count) {
    am_curve_setting *curves = figure->curves.items;
    for (size_t i = 0; i < figure->curves.count; i++)
        if (curves[i].given)
            curves[i].curve.value = (double)++*count;
    am_figure_setting *panels = figure->panels.items;
    for (size_t i = 0; i < figure->panels.count; i++)
        am_figure_number_points(&panels[i], count);
}

static am_status add_points(const am_curve_setting *curve, am_result *result, am_table **table, am_error *err) {
    if (!*table) {
        *table = am_result_add_table(result, "given", err);
        AM_TRY(am_table_add_column(*table, "curve", "", AM_COLUMN_COUNT, err));
        AM_TRY(am_table_add_column(*table, "x", "", AM_COLUMN_NUMBER, err));
        AM_TRY(am_table_add_column(*table, "y", "", AM_COLUMN_NUMBER, err));
    }
    for (size_t i = 0; i < curve->points.rows; i++)
        am_table_add_numbers(
            *table, AM_NUMBERS(curve->curve.value, curve->points.values[2 * i], curve->points.values[2 * i + 1]));
    return am_table_status(*table, err);
}

am_status am_figure_add_points(const am_figure_setting *figure, am_result *result, am_table **table, am_error *err) {
    const am_curve_setting *curves = figure->curves.items;
    for (size_t i = 0; i < figure->curves.count; i++)
        if (curves[i].given)
            AM_TRY(add_points(&curves[i], result, table, err));
    const am_figure_setting *panels = figure->panels.items;
    for (size_t i = 0; i < figure->panels.count; i++)
        AM_TRY(am_figure_add_points(&panels[i], result, table, err));
    return AM_OK;
}

/* A family has one curve per number in its column. */
enum { most_in_family = 100 };

const am_schema am_curve_schema = {.name = "curve",
                                   .title = "a curve",
                                   .about = "Two number columns of one table, or points that the study gives.",
                                   .size = sizeof(am_curve_setting),
                                   .defaults = curve_defaults,
                                   .finish = finish_curve,
                                   AM_FIELDS(curve_fields)};

static am_status check_range(am_reading *reading, const am_numbers *range, const char *name) {
    if (!range->values || range->values[1] > range->values[0])
        return AM_OK;
    return am_node_fail(range->node, reading->err, AM_ERR_INPUT, "%s must be [least, greatest]", name);
}

static am_status check_scale(am_reading *reading, const am_figure_setting *setting, const char *axis, int scale,
                             const am_numbers *range) {
    if (scale == AM_SCALE_LINEAR)
        return AM_OK;
    if (setting->kind != AM_FIGURE_CURVES || setting->equal_axes)
        return am_node_fail(setting->node, reading->err, AM_ERR_INPUT,
                            "%s_scale: log is for figures of curves whose axes have scales of their own", axis);
    if (range->values && range->values[0] <= 0.0)
        return am_node_fail(range->node, reading->err, AM_ERR_INPUT,
                            "%s_range must be positive where %s_scale is log, not begin at %g", axis, axis,
                            range->values[0]);
    return AM_OK;
}

static am_status finish_plot(am_reading *reading, const am_node *node, am_figure_setting *setting) {
    bool pair = setting->x && setting->y;
    setting->node = node;
    if (setting->kind == AM_FIGURE_CURVES && !pair && setting->curves.count == 0)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "a figure of curves needs x and y (columns), or the list 'curves'");
    if (setting->kind == AM_FIGURE_TABLE && !setting->table)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "a figure of kind table must name the table");
    AM_TRY(check_range(reading, &setting->x_range, "x_range"));
    AM_TRY(check_range(reading, &setting->y_range, "y_range"));
    AM_TRY(check_range(reading, &setting->value_range, "value_range"));
    AM_TRY(check_scale(reading, setting, "x", setting->x_scale, &setting->x_range));
    return check_scale(reading, setting, "y", setting->y_scale, &setting->y_range);
}

static am_status finish_panel(am_reading *reading, const am_node *node, void *record) {
    am_figure_setting *setting = record;
    if (setting->kind != AM_FIGURE_CURVES && setting->kind != AM_FIGURE_MAP)
        return am_node_fail(am_node_at(node, "kind"), reading->err, AM_ERR_INPUT,
                            "panels are of kind curves or map; other figures stand alone");
    return finish_plot(reading, node, setting);
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    static const char *const inside[] = {"kind",    "x",       "y",       "by",      "curves",     "table",
                                         "value",   "scale",   "x_label", "y_label", "equal_axes", "x_range",
                                         "y_range", "x_scale", "edges",   "y_scale", "value_range"};
    am_figure_setting *setting = record;
    if (setting->panels.count == 0 && setting->columns == 0)
        return finish_plot(reading, node, setting);
    if (setting->panels.count == 0)
        return am_node_fail(am_node_at(node, "columns"), reading->err, AM_ERR_INPUT,
                            "columns are those of 'panels', and the figure has none");
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        if (am_node_get(node, inside[i]))
            return am_node_fail(am_node_at(node, inside[i]), reading->err, AM_ERR_INPUT,
                                "'%s' belongs into the panels, each of which has its own", inside[i]);
    setting->kind = AM_FIGURE_PANELS;
    setting->node = node;
    return AM_OK;
}

static void set_defaults(void *record) {
    am_figure_setting *setting = record;
    setting->scale = NAN;
    setting->edges = true;
}

/* Of a figure and of each of its panels. */
#define PLOT_FIELDS                                                                                                    \
    AM_FIELD("kind", WORD, am_figure_setting, kind, .words = kind_words, .initial = "curves",                          \
             .about = "what is drawn"),                                                                                \
        AM_FIELD("x", TEXT, am_figure_setting, x, .about = "column for the horizontal axis (curves, map)"),            \
        AM_FIELD("y", TEXT, am_figure_setting, y, .about = "column for the vertical axis (curves, map)"),              \
        AM_FIELD("by", TEXT, am_figure_setting, by, .initial = "one curve",                                            \
                 .about = "column: one curve for each number in it"),                                                  \
        AM_FIELD("curves", RECORDS, am_figure_setting, curves, .inner = &am_curve_schema,                              \
                 .initial = "one curve of x and y", .about = "several curves"),                                        \
        AM_FIELD("table", TEXT, am_figure_setting, table, .initial = "samples; map or sweep for a map; sectors",       \
                 .about = "table the columns come from"),                                                              \
        AM_FIELD("value", TEXT, am_figure_setting, value, .initial = "state; mises for a mesh",                        \
                 .about = "map, mesh: the column that gives the colour"),                                              \
        AM_FIELD("x_label", TEXT, am_figure_setting, x_label, .initial = "the column",                                 \
                 .about = "of the horizontal axis"),                                                                   \
        AM_FIELD("y_label", TEXT, am_figure_setting, y_label, .initial = "the column",                                 \
                 .about = "of the vertical axis"),                                                                     \
        AM_FIELD("equal_axes", FLAG, am_figure_setting, equal_axes, .initial = "false",                                \
                 .about = "the same scale on both axes"),                                                              \
        AM_FIELD("x_range", NUMBERS, am_figure_setting, x_range, .shape = 2, .initial = "automatic",                   \
                 .about = "[least, greatest]"),                                                                        \
        AM_FIELD("y_range", NUMBERS, am_figure_setting, y_range, .shape = 2, .initial = "automatic",                   \
                 .about = "[least, greatest]"),                                                                        \
        AM_FIELD("x_scale", WORD, am_figure_setting, x_scale, .words = scale_words, .initial = "linear",               \
                 .about = "of curves"),                                                                                \
        AM_FIELD("y_scale", WORD, am_figure_setting, y_scale, .words = scale_words, .initial = "linear",               \
                 .about = "of curves")

static const am_field panel_fields[] = {
    PLOT_FIELDS,
    AM_FIELD("title", TEXT, am_figure_setting, title, .initial = "none", .about = "above the panel"),
};

const am_schema am_panel_schema = {.name = "panel",
                                   .title = "a panel of a figure",
                                   .about = "Curves or a map beside others.",
                                   .size = sizeof(am_figure_setting),
                                   .defaults = set_defaults,
                                   .finish = finish_panel,
                                   AM_FIELDS(panel_fields)};

static const am_field fields[] = {
    PLOT_FIELDS,
    AM_FIELD("shown", TEXTS, am_figure_setting, shown, .initial = "the first twelve", .about = "table: its columns"),
    AM_FIELD("value_range", NUMBERS, am_figure_setting, value_range, .shape = 2, .initial = "automatic",
             .about = "mesh: the numbers with the first and the last colour"),
    AM_FIELD("scale", NUMBER, am_figure_setting, scale, .range = AM_RANGE_NOT_NEGATIVE, .initial = "automatic",
             .about = "mesh: displacements are drawn that many times as large"),
    AM_FIELD("edges", FLAG, am_figure_setting, edges, .initial = "true", .about = "mesh: draw the edges of elements"),
    AM_FIELD("title", TEXT, am_figure_setting, title, .initial = "the study's title", .about = "above the figure"),
    AM_FIELD("panels", RECORDS, am_figure_setting, panels, .inner = &am_panel_schema, .initial = "one",
             .about = "several figures in one, each with its own columns and axes"),
    AM_FIELD("columns", COUNT, am_figure_setting, columns, .least = 1, .most = 4, .initial = "1",
             .about = "of panels: they are set row by row"),
};

const am_schema am_figure_schema = {.name = "figure",
                                    .title = "figure",
                                    .about = "What to draw from the tables.",
                                    .size = sizeof(am_figure_setting),
                                    .defaults = set_defaults,
                                    .finish = finish,
                                    AM_FIELDS(fields)};

static const char *table_name(const void *result, size_t index) {
    return am_table_name(am_result_table(result, index));
}

static const char *column_name(const void *table, size_t index) {
    return am_table_column_name(table, index);
}

static am_status unknown(am_reading *reading, const am_node *node, const char *what, const char *where,
                         const char *name, size_t count, const char *(*name_of)(const void *, size_t), const void *of) {
    const char **names = am_arena_new(reading->pool, count, sizeof *names, reading->err);
    if (!names)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        names[i] = name_of(of, i);
    return am_unknown(reading, node, what, where, name, count, names);
}

/* A name that the study may have, by docs/quantities.md, and that did not come out: what it is says why. */
static am_status unknown_table(am_reading *reading, const am_node *node, const char *name, const am_result *result) {
    const am_glossary_entry *known = am_glossary_find_table(name);
    if (known)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "no table '%s' came out (%s)", name, known->unit);
    return unknown(reading, node, "table", "figure", name, am_result_table_count(result), table_name, result);
}

static am_status check_column(am_reading *reading, const am_node *map, const char *key, const char *column,
                              const am_table *table, bool number) {
    size_t index = am_table_find_column(table, column);
    if (index == SIZE_MAX)
        return unknown(reading, am_node_at(map, key), "column", am_table_name(table), column, am_table_columns(table),
                       column_name, table);
    if (number && am_table_column_kind(table, index) == AM_COLUMN_TEXT)
        return am_node_fail(am_node_at(map, key), reading->err, AM_ERR_INPUT,
                            "column '%s' of table %s holds words; a curve needs numbers", column, am_table_name(table));
    return AM_OK;
}

static am_status fit_curve(am_reading *reading, const am_node *node, const am_result *result, am_curve *curve) {
    const am_table *table = am_result_find_table(result, curve->table);
    if (!table)
        return unknown_table(reading, am_node_at(node, "table"), curve->table, result);
    AM_TRY(check_column(reading, node, "x", curve->x, table, true));
    AM_TRY(check_column(reading, node, "y", curve->y, table, true));
    return curve->breaks ? check_column(reading, node, "breaks", curve->breaks, table, false) : AM_OK;
}

/* The numbers in column `by`, in the order of their first rows; `values` has capacity for most_in_family. */
static am_status list_family(am_reading *reading, const am_node *node, const am_curve *curve, const am_table *table,
                             double *values, size_t *count) {
    size_t column = am_table_find_column(table, curve->by);
    *count = 0;
    for (size_t row = 0; row < am_table_rows(table); row++) {
        double value = am_table_number(table, row, column);
        size_t i = 0;
        while (i < *count && values[i] != value)
            i++;
        if (i < *count || value != value)
            continue;
        if (*count == most_in_family)
            return am_node_fail(am_node_at(node, "by"), reading->err, AM_ERR_INPUT,
                                "column '%s' has more than %d different numbers: too many curves", curve->by,
                                most_in_family);
        values[(*count)++] = value;
    }
    return AM_OK;
}

/* "label 0.3", or "column = 0.3" without the path before the column's own name. Flags: "stable | unstable" has the words
 * for false and true, "unstable" alone that for true. */
static const char *family_label(am_reading *reading, const am_curve *curve, bool flag, double value) {
    char text[200];
    const char *point = strrchr(curve->by, '.'), *name = point ? point + 1 : curve->by;
    const char *label = curve->label && *curve->label ? curve->label : name, *bar = strstr(label, " | ");
    size_t length = strnlen(name, 150);
    bool degrees = length > strlen("_deg") && strcmp(name + length - strlen("_deg"), "_deg") == 0;
    if (flag && bar && value == 0.0)
        snprintf(text, sizeof text, "%.*s", (int)(bar - label), label);
    else if (flag)
        snprintf(text, sizeof text, "%s%.150s", value == 0.0 ? "not " : "", bar ? bar + 3 : label);
    else if (curve->label && *curve->label)
        snprintf(text, sizeof text, "%.150s %g", curve->label, value);
    else
        snprintf(text, sizeof text, "%.*s = %g%s", (int)(degrees ? length - strlen("_deg") : length), name, value,
                 degrees ? "°" : "");
    return am_arena_text(reading->pool, text, strlen(text), reading->err);
}

typedef struct curve_list {
    am_curve *curves;
    size_t count;
} curve_list;

/* Add a curve, or all curves of its family; one that fails adds nothing. `capacity` is there for them. */
static am_status add_curve(am_reading *reading, const am_node *node, const am_result *result, const am_curve *curve,
                           curve_list *list) {
    double values[most_in_family];
    size_t count = 0;
    am_curve *made = &list->curves[list->count];
    *made = *curve;
    am_status status = fit_curve(reading, node, result, made);
    if (status == AM_OK && curve->by)
        status = check_column(reading, node, "by", curve->by, am_result_find_table(result, curve->table), true);
    if (status != AM_OK || !curve->by || !isnan(curve->value)) {
        list->count += status == AM_OK;
        return status;
    }
    const am_table *table = am_result_find_table(result, curve->table);
    bool flag = am_table_column_kind(table, am_table_find_column(table, curve->by)) == AM_COLUMN_FLAG;
    status = list_family(reading, node, curve, table, values, &count);
    if (status == AM_OK && count > AM_FIGURE_PALETTE)
        am_dense_sort(values, count); /* their colours are in order */
    for (size_t i = 0; status == AM_OK && i < count; i++) {
        am_curve *one = &list->curves[list->count++];
        *one = *curve;
        one->value = values[i];
        one->label = family_label(reading, curve, flag, values[i]);
        status = one->label ? AM_OK : AM_ERR_MEMORY;
    }
    return status;
}

/* A curve of what did not come out is left out while there are others: am_run_mistake says it. */
static am_status fit_curves(am_reading *reading, const am_figure_setting *setting, const am_result *result,
                            const char *table, am_figure *figure) {
    const am_curve_setting *given = setting->curves.items;
    const char *usual = setting->table ? setting->table : table;
    size_t capacity = (setting->curves.count + 1) * most_in_family;
    curve_list list = {am_arena_new(reading->pool, capacity, sizeof *list.curves, reading->err), 0};
    am_status status = list.curves ? AM_OK : AM_ERR_MEMORY;
    bool left_out = false;
    for (size_t i = 0; status == AM_OK && i < setting->curves.count; i++) {
        am_curve curve = given[i].curve;
        curve.table = curve.table ? curve.table : usual;
        status = add_curve(reading, setting->curves.nodes[i], result, &curve, &list);
        left_out = left_out || status == AM_ERR_INPUT;
        status = status == AM_ERR_INPUT ? AM_OK : status;
    }
    if (status == AM_OK && setting->x && setting->y) {
        am_curve curve = {.table = usual, .x = setting->x, .y = setting->y, .by = setting->by, .value = NAN};
        status = add_curve(reading, setting->node, result, &curve, &list);
    }
    figure->curves = list.curves;
    figure->curve_count = list.count;
    return status == AM_OK && left_out && list.count == 0 ? AM_ERR_INPUT : status;
}

/* Without names, the grid is made of the first two columns. */
static am_status fit_map(am_reading *reading, const am_figure_setting *setting, const am_result *result,
                         am_figure *figure) {
    const am_table *table = am_result_find_table(result, figure->table);
    if (!table)
        return unknown_table(reading, am_node_at(setting->node, "table"), figure->table, result);
    if (am_table_columns(table) < 2)
        return am_node_fail(setting->node, reading->err, AM_ERR_INPUT,
                            "a map needs a table with a grid of two columns");
    figure->x = setting->x ? setting->x : am_table_column_name(table, 0);
    figure->y = setting->y ? setting->y : am_table_column_name(table, 1);
    figure->value = setting->value ? setting->value : "state";
    AM_TRY(check_column(reading, setting->node, "x", figure->x, table, true));
    AM_TRY(check_column(reading, setting->node, "y", figure->y, table, true));
    return check_column(reading, setting->node, "value", figure->value, table, false);
}

/* Without curves of its own: the whole path, the cycle that repeats, and the orbit of eq. (7.1), whichever there are.
 */
static am_status usual_slip_curves(am_reading *reading, const am_result *result, am_figure *figure) {
    static const am_curve usual[] = {
        {.table = "samples", .x = "v1", .y = "v2", .label = "path", .colour = "#8d9db0"},
        {.table = "cycle", .x = "v1", .y = "v2", .label = "repeats", .colour = "#e69f00"},
        {.table = "orbit", .x = "v1", .y = "v2", .label = "orbit", .style = AM_CURVE_DASHED, .colour = "#000000"}};
    am_curve *curves = am_arena_new(reading->pool, 3, sizeof *curves, reading->err);
    if (!curves)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < 3; i++)
        if (am_result_find_table(result, usual[i].table))
            curves[figure->curve_count++] = usual[i];
    figure->curves = curves;
    return AM_OK;
}

static am_status fit_slip(am_reading *reading, const am_figure_setting *setting, const am_result *result,
                          const char *table, am_figure *figure) {
    if (!figure->table)
        figure->table = "constraints";
    if (!am_result_find_table(result, figure->table) && !setting->table)
        return am_node_fail(setting->node, reading->err, AM_ERR_INPUT,
                            "a slip diagram is drawn of a path of model nodes with two nodes: there is no table "
                            "constraints");
    if (!am_result_find_table(result, figure->table))
        return unknown_table(reading, am_node_at(setting->node, "table"), figure->table, result);
    bool own = setting->curves.count > 0 || (setting->x && setting->y);
    if (!own)
        return usual_slip_curves(reading, result, figure);
    am_figure_setting curves = *setting; /* the figure's table is that of the lines, not of the curves */
    curves.table = NULL;
    return fit_curves(reading, &curves, result, table, figure);
}

static am_status fit_mesh(am_reading *reading, const am_figure_setting *setting, const am_result *result,
                          am_figure *figure) {
    const am_table *nodes = am_result_find_table(result, "mesh_nodes");
    if (!nodes || !am_result_find_table(result, "mesh_elements"))
        return am_node_fail(setting->node, reading->err, AM_ERR_INPUT,
                            "there is no mesh to draw: models blocks and mesh leave one with `fields: true`");
    figure->value = setting->value ? setting->value : "mises";
    figure->value_range = setting->value_range.values;
    figure->deformation = isnan(setting->scale) ? NULL : &setting->scale;
    figure->no_edges = !setting->edges;
    return check_column(reading, setting->node, "value", figure->value, nodes, true);
}

static am_status fit_table(am_reading *reading, const am_figure_setting *setting, const am_result *result,
                           am_figure *figure) {
    const am_table *table = am_result_find_table(result, setting->table);
    if (!table)
        return unknown_table(reading, am_node_at(setting->node, "table"), setting->table, result);
    for (size_t i = 0; i < setting->shown.count; i++)
        AM_TRY(check_column(reading, setting->node, "shown", setting->shown.values[i], table, false));
    figure->shown = setting->shown.values;
    figure->shown_count = setting->shown.count;
    return AM_OK;
}

static am_status fit_panels(am_reading *reading, const am_figure_setting *setting, const am_result *result,
                            const char *table, am_figure *figure) {
    const am_figure_setting *given = setting->panels.items;
    am_figure *panels = am_arena_new(reading->pool, setting->panels.count, sizeof *panels, reading->err);
    if (!panels)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < setting->panels.count; i++)
        AM_TRY(am_figure_fit(reading, &given[i], result, table, &panels[i]));
    figure->panels = panels;
    figure->panel_count = setting->panels.count;
    figure->columns = setting->columns;
    return AM_OK;
}

am_status am_figure_fit(am_reading *reading, const am_figure_setting *setting, const am_result *result,
                        const char *table, am_figure *figure) {
    *figure = (am_figure){.kind = setting->kind,
                          .title = setting->title,
                          .x_label = setting->x_label,
                          .y_label = setting->y_label,
                          .equal_axes = setting->equal_axes,
                          .x_range = setting->x_range.values,
                          .y_range = setting->y_range.values,
                          .x_log = setting->x_scale == AM_SCALE_LOG,
                          .y_log = setting->y_scale == AM_SCALE_LOG};
    bool sweep = strcmp(table, "sweep") == 0;
    if (setting->kind == AM_FIGURE_PANELS)
        return fit_panels(reading, setting, result, table, figure);
    if (setting->kind == AM_FIGURE_CURVES)
        return fit_curves(reading, setting, result, table, figure);
    figure->table = setting->table;
    if (setting->kind == AM_FIGURE_MAP) {
        if (!figure->table)
            figure->table = sweep ? table : "map";
        return fit_map(reading, setting, result, figure);
    }
    if (setting->kind == AM_FIGURE_MESH)
        return fit_mesh(reading, setting, result, figure);
    if (setting->kind == AM_FIGURE_SLIP)
        return fit_slip(reading, setting, result, table, figure);
    if (setting->kind == AM_FIGURE_TABLE)
        return fit_table(reading, setting, result, figure);
    if (!figure->table)
        figure->table = "sectors";
    if (!am_result_find_table(result, figure->table))
        return unknown_table(reading, am_node_at(setting->node, "table"), figure->table, result);
    return AM_OK;
}

static am_status copy_texts(am_arena *pool, const char **const *texts, size_t count, am_error *err) {
    for (size_t i = 0; i < count; i++)
        AM_TRY(am_arena_keep(pool, texts[i], err));
    return AM_OK;
}

static am_status copy_numbers(am_arena *pool, const double **numbers, size_t count, am_error *err) {
    if (!*numbers)
        return AM_OK;
    double *copy = am_arena_new(pool, count, sizeof *copy, err);
    if (copy)
        memcpy(copy, *numbers, count * sizeof *copy);
    *numbers = copy;
    return copy ? AM_OK : AM_ERR_MEMORY;
}

am_status am_figure_keep(am_arena *pool, am_figure *figure, am_error *err) {
    const char **own[] = {&figure->title, &figure->x_label, &figure->y_label, &figure->table,
                          &figure->x,     &figure->y,       &figure->value};
    AM_TRY(copy_texts(pool, own, sizeof own / sizeof *own, err));
    am_curve *curves = (am_curve *)figure->curves; /* made by fit_curves, in a pool */
    for (size_t i = 0; i < figure->curve_count; i++) {
        const char **texts[] = {&curves[i].table, &curves[i].x,      &curves[i].y,     &curves[i].label,
                                &curves[i].by,    &curves[i].colour, &curves[i].breaks};
        AM_TRY(copy_texts(pool, texts, sizeof texts / sizeof *texts, err));
    }
    am_figure *panels = (am_figure *)figure->panels; /* made by fit_panels, in a pool */
    for (size_t i = 0; i < figure->panel_count; i++)
        AM_TRY(am_figure_keep(pool, &panels[i], err));
    const char **shown = am_arena_new(pool, figure->shown_count + 1, sizeof *shown, err);
    if (!shown)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < figure->shown_count; i++) {
        shown[i] = figure->shown[i];
        AM_TRY(am_arena_keep(pool, &shown[i], err));
    }
    figure->shown = shown;
    AM_TRY(copy_numbers(pool, &figure->x_range, 2, err));
    AM_TRY(copy_numbers(pool, &figure->y_range, 2, err));
    AM_TRY(copy_numbers(pool, &figure->value_range, 2, err));
    return copy_numbers(pool, &figure->deformation, 1, err);
}
