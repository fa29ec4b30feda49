#include "study/result_names.h"
#include "base/try.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/glossary.h"
#include "output/animation_frames.h"
#include "study/result_settings.h"
#include "system/column_names.h"
#include "system/system.h"

enum { MOST_SHOWN = 200 };

/* ---- the study ---- */

typedef struct study {
    am_reading *reading;
    const am_study_setting *setting;
    const am_node *root;
    const am_case *made;
    bool axes_only;           /* the numbers of a table are axes, which were looked for already */
    const am_analysis *asked; /* whose results the name in question is one of; NULL: any */
} study;

static bool is_sweep(const study *s) {
    return s->setting->sweep.axes.node != NULL;
}

/* The analysis whose results have no prefix. */
static const char *main_analysis(const study *s) {
    return s->setting->follow.parameter ? "follow" : is_sweep(s) ? "sweep" : s->made->analyses[0].kind->schema->name;
}

/* Blocks ask `slip` about half-planes: is the name one of its results? *own is the name without its prefix. */
static bool half_planes_of(const study *s, const char *name, const char **own) {
    static const char prefix[] = "halfplane.";
    bool found = s->made->model.kind == &am_model_blocks && strncmp(name, prefix, strlen(prefix)) == 0;
    if (found)
        *own = name + strlen(prefix);
    return found;
}

/* The analysis that a name belongs to, from now on the one that is asked; *own is the name without its prefix. */
static const char *analysis_of(study *s, const char *name, const char **own) {
    *own = name;
    s->asked = NULL;
    if (s->setting->follow.parameter || is_sweep(s))
        return main_analysis(s);
    for (size_t i = 1; i < s->made->count; i++) {
        size_t length = strlen(s->made->analyses[i].name);
        if (strncmp(name, s->made->analyses[i].name, length) == 0 && name[length] == '.') {
            *own = name + length + 1;
            s->asked = &s->made->analyses[i];
            return s->asked->kind->schema->name;
        }
    }
    s->asked = s->made->analyses;
    return half_planes_of(s, name, own) ? "slip" : main_analysis(s);
}

/* ---- names and patterns ---- */

static bool matches(const study *s, const char *pattern, const char *name, const char *end);

/* Does the name go on with `own`, and does the rest fit? */
static bool goes_on_with(const study *s, const char *own, const char *rest, const char *name, const char *end) {
    size_t length = strlen(own);
    return (size_t)(end - name) >= length && strncmp(name, own, length) == 0 && matches(s, rest, name + length, end);
}

static bool matches_coordinate(const study *s, const char *(*own)(const am_system *, size_t), const char *rest,
                               const char *name, const char *end) {
    for (size_t i = 0; i < am_system_size(s->made->system); i++)
        if (goes_on_with(s, own(s->made->system, i), rest, name, end))
            return true;
    return false;
}

/* _belt, or the number of a contact that nobody named. */
static bool matches_contact(const study *s, const char *rest, const char *name, const char *end) {
    const am_system *system = s->made->system;
    bool named = name < end && *name == '_', found = false;
    for (size_t c = 0; c < am_system_contacts(system) && !found; c++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", c + 1);
        if (am_system_names_contact(system, c) == named)
            found = goes_on_with(s, named ? am_system_contact_name(system, c) : number, rest, name + named, end);
    }
    for (size_t j = 0; j < system->joints && !found; j++) { /* all sliders of a joint */
        am_text own = {0};
        am_column_add_joint(&own, system, j);
        found = goes_on_with(s, am_text_view(&own), rest, name, end);
        am_text_free(&own);
    }
    return found;
}

static bool is_word(const char *text, const char *name, size_t length) {
    return strlen(text) == length && strncmp(text, name, length) == 0;
}

/* Does the study give it, as a number of its model (with or without `model.`), or with `keys` as a name that it makes? */
static bool mentions(const am_node *node, const char *name, size_t length, bool keys) {
    bool found = false;
    if (node && node->kind == AM_NODE_SCALAR)
        return is_word(node->text, name, length) ||
               (strncmp(node->text, "model.", 6) == 0 && is_word(node->text + 6, name, length));
    for (size_t i = 0; node && i < node->count && !found; i++)
        found = node->kind == AM_NODE_LIST ? mentions(node->items[i], name, length, keys)
                                           : (keys && mentions(node->entries[i].key, name, length, keys)) ||
                                                 mentions(node->entries[i].value, name, length, keys);
    return found;
}

/* A direction of starts, which the study names: a key within `starts`. */
static bool is_direction(const study *s, const char *name, size_t length) {
    for (size_t i = 0; i < s->made->count; i++)
        if ((!s->asked || s->asked == &s->made->analyses[i]) &&
            mentions(am_node_get(s->made->analyses[i].node, "starts"), name, length, true))
            return true;
    return false;
}

static bool is_number(const study *s, const char *name, size_t length) {
    if (s->axes_only)
        return false;
    static const char *const places[] = {"analysis", "also", "follow", "sweep"};
    const am_schema *model = s->made->model.kind->schema;
    for (size_t i = 0; i < model->field_count; i++) {
        am_field_type type = model->fields[i].type;
        bool numeric = type == AM_FIELD_NUMBER || type == AM_FIELD_COUNT || type == AM_FIELD_NODE;
        if (numeric && is_word(model->fields[i].name, name, length))
            return true;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (mentions(am_node_get(s->root, places[i]), name, length, false))
            return true;
    return false;
}

/* Whose result of a point of a sweep it is: of the analysis, or of one under `also` with its prefix; *own is the name
 * without it. */
static const char *analysis_of_point(const study *s, const char *name, const char *end, const char **own) {
    *own = name;
    for (size_t a = 0; a < s->made->count; a++) {
        const am_analysis *analysis = &s->made->analyses[a];
        size_t prefix = strlen(analysis->name);
        if (prefix > 0 && (size_t)(end - name) > prefix && strncmp(name, analysis->name, prefix) == 0 &&
            name[prefix] == '.') {
            *own = name + prefix + 1;
            return analysis->kind->schema->name;
        }
    }
    return half_planes_of(s, name, own) ? "slip" : s->made->analyses[0].kind->schema->name;
}

/* `samples: 0`: the study does not want the table of that name; a path has its corners there. */
static bool is_left_out(const am_glossary_entry *entry, const am_analysis *analysis) {
    const am_node *count = analysis->kind == &am_analysis_path ? NULL : am_node_get(analysis->node, entry->name);
    return entry->section == AM_GLOSSARY_TABLES && strcmp(entry->name, "samples") == 0 && count &&
           am_node_is_text(count, "0");
}

/* Has an analysis of the study (or its sweep, or the orbit that it follows), or a table of this analysis, the name with
 * what the study gives? `place` is the analysis, or the table. */
static bool holds(const study *s, const am_glossary_entry *entry, const char *place) {
    bool column = entry->section == AM_GLOSSARY_COLUMNS;
    const am_node *axes = am_node_get(am_node_get(s->root, "sweep"), "axes");
    am_result_settings given = {s->made->system, am_node_get(s->root, "model"), NULL, axes, NULL};
    if (is_sweep(s) || s->setting->follow.parameter) {
        const char *whole = main_analysis(s);
        given.options = am_node_get(s->root, whole);
        if ((column ? am_glossary_lists(entry->where, place, whole) : strcmp(place, whole) == 0) &&
            am_result_settings_hold(&given, entry->where, place))
            return true;
    }
    for (size_t i = 0; i < s->made->count; i++) {
        const am_analysis *analysis = &s->made->analyses[i];
        const char *name = analysis->kind->schema->name;
        given.options = analysis->node;
        given.kind = analysis->kind;
        if ((!s->asked || s->asked == analysis) && !is_left_out(entry, analysis) &&
            (column ? am_glossary_lists(entry->where, place, name) : strcmp(place, name) == 0) &&
            am_result_settings_hold(&given, entry->where, place))
            return true;
    }
    bool half_planes = column ? am_glossary_lists(entry->where, place, "slip") : strcmp(place, "slip") == 0;
    return half_planes && s->made->model.kind == &am_model_blocks;
}

/* Is it about names of this analysis, or columns of this table? */
static bool is_entry(const study *s, const am_glossary_entry *entry, am_glossary_section of, const char *where) {
    const char *model = of == AM_GLOSSARY_COLUMNS ? NULL : s->made->model.kind->schema->name;
    return entry->section == of && am_glossary_lists(entry->where, where, model) && holds(s, entry, where);
}

/* Does the sweep keep this result of its points? */
static bool is_kept(const study *s, const char *name, size_t length) {
    const am_texts *outputs = &s->setting->sweep.outputs;
    char text[128];
    bool found = outputs->count == 0; /* all */
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    for (size_t i = 0; i < outputs->count && !found; i++)
        found = am_sweep_matches(outputs->values[i], text);
    return found;
}

static bool is_output(const study *s, const char *name, const char *end) {
    if (s->axes_only && (strncmp(name, "model.", 6) == 0 || strncmp(name, "analysis.", 9) == 0))
        return false;
    if (is_sweep(s) && !s->axes_only && !is_kept(s, name, (size_t)(end - name)))
        return false;
    const char *own, *analysis = analysis_of_point(s, name, end, &own);
    for (size_t i = 0; i < am_glossary_size(); i++) {
        const am_glossary_entry *entry = am_glossary_entry_at(i);
        if (is_entry(s, entry, AM_GLOSSARY_SUMMARY, analysis) && matches(s, entry->name, own, end))
            return true;
    }
    return false;
}

/* What stands for a word in <...>: as much of the name as leaves the rest something that fits. */
static bool matches_word(const study *s, const char *kind, const char *rest, const char *name, const char *end) {
    for (const char *stop = end; stop > name; stop--) {
        size_t length = (size_t)(stop - name);
        bool fits = strncmp(kind, "<number>", 8) == 0       ? is_number(s, name, length)
                    : strncmp(kind, "<direction>", 11) == 0 ? is_direction(s, name, length)
                                                            : is_output(s, name, stop);
        if (fits && matches(s, rest, stop, end))
            return true;
    }
    return false;
}

static bool matches(const study *s, const char *pattern, const char *name, const char *end) {
    while (*pattern && *pattern != '<') {
        if (name == end || *pattern++ != *name++)
            return false;
    }
    if (!*pattern)
        return name == end;
    const char *rest = strchr(pattern, '>') + 1;
    if (strncmp(pattern, "<q>", 3) == 0 || strncmp(pattern, "<symbol>", 8) == 0)
        return matches_coordinate(s, am_system_name, rest, name, end);
    if (strncmp(pattern, "<v>", 3) == 0)
        return matches_coordinate(s, am_system_velocity_name, rest, name, end);
    if (strncmp(pattern, "<c>", 3) == 0)
        return matches_contact(s, rest, name, end);
    if (strncmp(pattern, "<i>", 3) != 0)
        return matches_word(s, pattern, rest, name, end);
    const char *digits = name;
    while (digits < end && isdigit((unsigned char)*digits))
        digits++;
    return digits > name && matches(s, rest, digits, end);
}

/* ---- sections ---- */

/* The row of a name; NULL: there is none. */
static const am_glossary_entry *find(const study *s, am_glossary_section of, const char *where, const char *name) {
    for (size_t i = 0; i < am_glossary_size(); i++) {
        const am_glossary_entry *entry = am_glossary_entry_at(i);
        if (entry->section != of)
            continue;
        const char *pattern = of == AM_GLOSSARY_COLUMNS ? am_glossary_column(entry, where) : entry->name;
        bool may = pattern[0] == '<' || pattern[0] == name[0]; /* most are told by their first letter */
        if (may && is_entry(s, entry, of, where) && matches(s, pattern, name, name + strlen(name)))
            return entry;
    }
    return NULL;
}

/* A long list is left to `help`. */
static am_status refuse_one_of(const study *s, const am_node *at, const char *what, const char *in, const char *name,
                               size_t count, const char *const *known) {
    enum { MOST_LISTED = 24 };
    const char *nearest = am_text_nearest(name, known, count);
    if (count <= MOST_LISTED)
        return am_unknown(s->reading, at, what, in, name, count, known);
    return am_node_fail(at, s->reading->err, AM_ERR_INPUT,
                        "unknown %s '%.100s' in %s;%s%s%s `amontons help %s` lists what there is", what, name, in,
                        nearest ? " did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "",
                        s->made->analyses[0].kind->schema->name);
}

/* A name that the analysis has, but not with this study: *needed is "with threshold", "of two-mode". */
static bool needs_more(const study *s, am_glossary_section of, const char *analysis, const char *name,
                       const char **needed, int *length) {
    for (size_t i = 0; i < am_glossary_size(); i++) {
        const am_glossary_entry *entry = am_glossary_entry_at(i);
        if (entry->section != of || strcmp(entry->name, name) != 0 || !am_glossary_lists(entry->where, analysis, NULL))
            continue;
        const char *model = s->made->model.kind->schema->name;
        bool without, of_model = am_glossary_lists(entry->where, analysis, model);
        const char *settings = am_glossary_settings(entry->where, analysis, &without);
        if (of_model && !settings)
            return false;
        *needed = am_glossary_after(entry->where, analysis) + strlen(" ");
        *length = (int)strcspn(*needed, ",");
        return true;
    }
    return false;
}

/* Names for a suggestion: those without a pattern, coordinates, and of a sweep its axes and outputs. */
static am_status refuse(const study *s, const am_node *at, am_glossary_section of, const char *what, const char *in,
                        const char *where, const char *name) {
    const am_system *system = s->made->system;
    const char *known[MOST_SHOWN], *needed;
    size_t count = 0, n = am_system_size(system);
    int length;
    if (of != AM_GLOSSARY_COLUMNS && needs_more(s, of, where, name, &needed, &length))
        return am_node_fail(at, s->reading->err, AM_ERR_INPUT, "no %s '%s' in %s: %s has it only %.*s", what, name, in,
                            where, length, needed);
    for (size_t i = 0; i < am_glossary_size() && count < MOST_SHOWN; i++) {
        const am_glossary_entry *entry = am_glossary_entry_at(i);
        const char *pattern = of == AM_GLOSSARY_COLUMNS ? am_glossary_column(entry, where) : entry->name;
        bool coordinate = strcmp(pattern, "<q>") == 0, velocity = strcmp(pattern, "<v>") == 0;
        if (!is_entry(s, entry, of, where))
            continue;
        if (!strchr(pattern, '<'))
            known[count++] = pattern;
        for (size_t q = 0; (coordinate || velocity) && q < n && count < MOST_SHOWN; q++)
            known[count++] = coordinate ? am_system_name(system, q) : am_system_velocity_name(system, q);
    }
    bool of_sweep = is_sweep(s) && of == AM_GLOSSARY_COLUMNS;
    for (size_t a = 0; of_sweep && a < s->setting->sweep.axes.count; a++) {
        const char *axis = s->setting->sweep.axes.keys[a]->text, *dot = strrchr(axis, '.');
        if (dot && strcmp(dot + 1, name) == 0)
            return am_node_fail(at, s->reading->err, AM_ERR_INPUT, "unknown column '%s' in %s; did you mean '%s'?",
                                name, where, axis);
    }
    for (size_t a = 0; of_sweep && a < s->setting->sweep.axes.count && count < MOST_SHOWN; a++)
        known[count++] = s->setting->sweep.axes.keys[a]->text;
    for (size_t i = 0; of_sweep && i < am_glossary_size() && count < MOST_SHOWN; i++) {
        const am_glossary_entry *entry = am_glossary_entry_at(i);
        if (!strchr(entry->name, '<') &&
            is_entry(s, entry, AM_GLOSSARY_SUMMARY, s->made->analyses[0].kind->schema->name))
            known[count++] = entry->name;
    }
    return refuse_one_of(s, at, what, in, name, count, known);
}

/* A table that the study names at `at`; *own is its name without a prefix. */
static am_status check_table(study *s, const am_node *at, const char *name, const char *in, const char **own) {
    const char *analysis = analysis_of(s, name, own);
    const am_texts *kept = &s->setting->sweep.tables;
    for (size_t i = 0; is_sweep(s) && i < kept->count; i++)
        if (strcmp(kept->values[i], name) == 0) { /* that of a point, axes in front */
            const char *dot = strrchr(name, '.');
            *own = dot ? dot + 1 : name;
            return AM_OK;
        }
    return find(s, AM_GLOSSARY_TABLES, analysis, *own) ? AM_OK
                                                       : refuse(s, at, AM_GLOSSARY_TABLES, "table", in, analysis, *own);
}

static am_status check_column(const study *s, const am_node *at, const char *table, const char *in, const char *column,
                              bool number) {
    if (!column)
        return AM_OK;
    if (is_sweep(s) && am_node_get(am_node_get(am_node_get(s->root, "sweep"), "axes"), column))
        return AM_OK;
    study own = *s;
    own.axes_only = is_sweep(s) && (strcmp(table, "sweep") == 0 || strcmp(table, "ratios") == 0);
    const am_glossary_entry *found = find(&own, AM_GLOSSARY_COLUMNS, table, column);
    bool of_starts = found && (strcmp(found->name, "<q>") == 0 || strcmp(found->name, "<v>") == 0) &&
                     (strcmp(table, "map") == 0 || strcmp(table, "starts") == 0);
    if (!found)
        return refuse(s, at, AM_GLOSSARY_COLUMNS, "column", in, table, column);
    if (of_starts && s->asked && !am_result_names_start(s->asked->node, column))
        return am_node_fail(at, s->reading->err, AM_ERR_INPUT,
                            "there is no column '%s' in %s: the starts do not differ in it", column, table);
    if (own.axes_only && strcmp(found->name, "<output>") == 0 && !is_kept(s, column, strlen(column)))
        return am_node_fail(at, s->reading->err, AM_ERR_INPUT,
                            "there is no column '%s' in %s: it is not among the outputs of the sweep", column, table);
    if (number && strcmp(found->unit, "text") == 0)
        return am_node_fail(at, s->reading->err, AM_ERR_INPUT,
                            "column '%s' of table %s holds words; a curve needs numbers", column, in);
    return AM_OK;
}

/* ---- figure ---- */

static am_status check_curve(study *s, const am_node *node, const char *table, const char *const columns[4]) {
    static const char *const keys[] = {"x", "y", "by", "breaks"};
    const char *own;
    AM_TRY(check_table(s, am_node_at(node, "table"), table, "figure", &own));
    for (size_t i = 0; i < 4; i++)
        AM_TRY(check_column(s, am_node_at(node, keys[i]), own, table, columns[i], i < 3));
    return AM_OK;
}

static am_status check_curves(study *s, const am_figure_setting *figure) {
    const char *usual = figure->table && figure->kind == AM_FIGURE_CURVES ? figure->table
                        : s->setting->follow.parameter                    ? "branch"
                        : is_sweep(s)                                     ? "sweep"
                                                                          : "samples";
    const am_curve_setting *given = figure->curves.items;
    for (size_t i = 0; i < figure->curves.count; i++) {
        const am_curve *curve = &given[i].curve;
        if (!given[i].given)
            AM_TRY(check_curve(s, figure->curves.nodes[i], curve->table ? curve->table : usual,
                               (const char *[]){curve->x, curve->y, curve->by, curve->breaks}));
    }
    if (figure->x && figure->y)
        AM_TRY(check_curve(s, figure->node, usual, (const char *[]){figure->x, figure->y, figure->by, NULL}));
    return AM_OK;
}

/* Some figures are of one model only. */
static am_status check_model(const study *s, const am_figure_setting *figure) {
    const am_node *fields = am_node_get(am_node_get(s->root, "model"), "fields");
    if (figure->kind == AM_FIGURE_SLIP && s->made->model.kind != &am_model_nodes)
        return am_node_fail(figure->node, s->reading->err, AM_ERR_INPUT,
                            "a slip diagram is drawn of a path of model nodes with two nodes, and the model is %s",
                            s->made->model.kind->schema->name);
    if (figure->kind == AM_FIGURE_MESH && !(fields && am_node_is_text(fields, "true")))
        return am_node_fail(figure->node, s->reading->err, AM_ERR_INPUT,
                            "there is no mesh to draw: models blocks and mesh leave one with `fields: true`");
    return AM_OK;
}

static am_status check_figure(study *s, const am_figure_setting *figure) {
    const char *own;
    if (!figure->node)
        return AM_OK;
    const am_figure_setting *panel = figure->panels.items;
    for (size_t i = 0; i < figure->panels.count; i++)
        AM_TRY(check_figure(s, &panel[i]));
    if (figure->kind == AM_FIGURE_PANELS)
        return AM_OK;
    AM_TRY(check_model(s, figure));
    if (figure->kind == AM_FIGURE_SLIP)
        AM_TRY(check_table(s, am_node_at(figure->node, "table"), figure->table ? figure->table : "constraints",
                           "figure", &own));
    if (figure->kind == AM_FIGURE_CURVES || figure->kind == AM_FIGURE_SLIP)
        return check_curves(s, figure);
    const char *table = figure->table                       ? figure->table
                        : figure->kind == AM_FIGURE_MESH    ? "mesh_nodes"
                        : figure->kind == AM_FIGURE_SECTORS ? "sectors"
                        : is_sweep(s)                       ? "sweep"
                                                            : "map";
    AM_TRY(check_table(s, am_node_at(figure->node, "table"), table, "figure", &own));
    if (figure->kind == AM_FIGURE_MAP && (figure->x || figure->y))
        AM_TRY(check_curve(s, figure->node, table, (const char *[]){figure->x, figure->y, NULL, NULL}));
    if (figure->kind == AM_FIGURE_SECTORS)
        return AM_OK;
    for (size_t i = 0; i < figure->shown.count; i++)
        AM_TRY(check_column(s, am_node_at(figure->node, "shown"), own, table, figure->shown.values[i], false));
    if (figure->kind == AM_FIGURE_TABLE)
        return AM_OK;
    const char *value = figure->value ? figure->value : figure->kind == AM_FIGURE_MAP ? "state" : NULL;
    return check_column(s, am_node_at(figure->node, "value"), own, table, value, figure->kind == AM_FIGURE_MESH);
}

/* ---- animation ---- */

/* Modes say their coordinates in rows; other tables need a column for each, of which the first and the last are asked. */
static bool has_coordinates(study *s, const char *table) {
    size_t n = am_system_size(s->made->system);
    const char *ending = strcmp(table, "shape") == 0 ? "_cos" : find(s, AM_GLOSSARY_COLUMNS, table, "t") ? "" : "_1";
    for (size_t i = 0; strncmp(table, "mode", strlen("mode")) != 0 && i < 2; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s%s", am_system_name(s->made->system, i * (n - 1)), ending);
        if (!find(s, AM_GLOSSARY_COLUMNS, table, name))
            return false;
    }
    return true;
}

static bool may_move(study *s, const char *table) {
    bool found = false;
    const am_texts *kept = &s->setting->sweep.tables;
    for (size_t i = 0; is_sweep(s) && i < kept->count && !found; i++) {
        const char *dot = strrchr(kept->values[i], '.');
        found = strcmp(dot ? dot + 1 : kept->values[i], table) == 0;
    }
    for (size_t i = 0; !is_sweep(s) && i < s->made->count && !found; i++) {
        s->asked = &s->made->analyses[i];
        found = find(s, AM_GLOSSARY_TABLES, s->asked->kind->schema->name, table);
    }
    return found && has_coordinates(s, table);
}

static am_status check_animation(study *s) {
    const am_animation_setting *animation = &s->setting->animation;
    const char *own;
    if (!animation->node)
        return AM_OK;
    if (animation->table)
        return check_table(s, am_node_at(animation->node, "table"), animation->table, "animation", &own);
    bool found = false;
    for (size_t i = 0; s->made->system && i < AM_FRAMES_TABLES && !found; i++)
        found = may_move(s, am_frames_tables[i]);
    if (found && !may_move(s, "mode_shape_nodes")) /* those are drawn on the mesh */
        return am_animation_check(s->reading, animation, s->made);
    return found ? AM_OK
                 : am_node_fail(animation->node, s->reading->err, AM_ERR_INPUT,
                                "nothing moves in the results of this study: an animation is drawn of a table samples, "
                                "cycle, shape, modes, mode_shape_nodes, backbone or branch");
}

/* ---- expect ---- */

static am_status check_cell(study *s, const am_node *key) {
    const char *open = strchr(key->text, '['), *close = strchr(open, ']'), *own;
    bool last = strncmp(open, "[last]", 6) == 0;
    size_t digits = strspn(open + 1, "0123456789");
    if (!close || close[1] != '.' || !close[2] || (!last && (digits == 0 || open + 1 + digits != close)))
        return am_node_fail(key, s->reading->err, AM_ERR_INPUT,
                            "expect: '%s' is no cell; expected table[row].column with a row from 0 or 'last'",
                            key->text);
    const char *table = am_arena_text(s->reading->pool, key->text, (size_t)(open - key->text), s->reading->err);
    am_status status = table ? check_table(s, key, table, "expect", &own) : AM_ERR_MEMORY;
    return status == AM_OK ? check_column(s, key, own, table, close + 2, false) : status;
}

static am_status check_result(study *s, const am_node *key) {
    const char *own, *name = key->text, *analysis = analysis_of(s, name, &own);
    size_t length = strlen(name), tail = strlen(".rows");
    if (length > tail && strcmp(name + length - tail, ".rows") == 0) {
        const char *table = am_arena_text(s->reading->pool, name, length - tail, s->reading->err);
        return table ? check_table(s, key, table, "expect", &own) : AM_ERR_MEMORY;
    }
    if (find(s, AM_GLOSSARY_SUMMARY, analysis, own))
        return AM_OK;
    return refuse(s, key, AM_GLOSSARY_SUMMARY, "result", "expect", analysis, own);
}

static am_status check_expect(study *s) {
    const am_node *expect = s->setting->expect;
    for (size_t i = 0; expect && i < expect->count; i++) {
        const am_node *key = expect->entries[i].key;
        AM_TRY(strchr(key->text, '[') ? check_cell(s, key) : check_result(s, key));
    }
    return AM_OK;
}

/* ---- sweep ---- */

static am_status check_point(const study *s, const am_texts *names, am_glossary_section of) {
    for (size_t i = 0; i < names->count; i++) {
        const char *own, *name = names->values[i], *end = name + strlen(name);
        const char *analysis = analysis_of_point(s, name, end, &own);
        bool beginning = of == AM_GLOSSARY_SUMMARY && end > name && end[-1] == '*'; /* known when there are results */
        const am_node *at = names->node->kind == AM_NODE_LIST ? names->node->items[i] : names->node;
        for (size_t k = 0; k < i && of == AM_GLOSSARY_TABLES; k++)
            if (strcmp(names->values[k], name) == 0)
                return am_node_fail(at, s->reading->err, AM_ERR_INPUT, "'%s' is named twice", name);
        if (beginning || find(s, of, analysis, own))
            continue;
        return refuse(s, at, of, of == AM_GLOSSARY_SUMMARY ? "output" : "table", "sweep", analysis, own);
    }
    return AM_OK;
}

static am_status check_sweep(const study *s) {
    const am_sweep_setting *sweep = &s->setting->sweep;
    AM_TRY(check_point(s, &sweep->outputs, AM_GLOSSARY_SUMMARY));
    return check_point(s, &sweep->tables, AM_GLOSSARY_TABLES);
}

/* ---- other words for a coordinate ---- */

/* What numbers of the study are columns by the path that the study gives: axes, and what these keys say. */
static const char *const path_keys[] = {"over", "along", "by", "parameter"};

static bool same_words(am_reading *reading, const am_case *made, const char *path, const char *spelled) {
    const char *own = path ? am_coordinates_spell(reading, &made->coordinates, path) : NULL;
    return own && strcmp(own, spelled) == 0;
}

/* The path under `node` that says the same in its own words; NULL: none. */
static const char *find_path(am_reading *reading, const am_case *made, const am_node *node, const char *spelled) {
    const char *found = NULL;
    for (size_t i = 0; node && node->kind == AM_NODE_LIST && i < node->count && !found; i++)
        found = find_path(reading, made, node->items[i], spelled);
    for (size_t i = 0; node && node->kind == AM_NODE_MAP && i < node->count && !found; i++) {
        const am_node *value = node->entries[i].value;
        bool path = false;
        for (size_t k = 0; k < sizeof path_keys / sizeof *path_keys; k++)
            path = path || strcmp(node->entries[i].key->text, path_keys[k]) == 0;
        if (path && value->kind == AM_NODE_SCALAR && same_words(reading, made, value->text, spelled))
            found = value->text;
        else
            found = find_path(reading, made, value, spelled);
    }
    return found;
}

static const char *path_of(am_reading *reading, const am_node *root, const am_case *made, const char *spelled) {
    static const char *const places[] = {"analysis", "also", "follow"};
    const am_node *axes = am_node_get(am_node_get(root, "sweep"), "axes");
    const char *found = NULL;
    for (size_t i = 0; axes && axes->kind == AM_NODE_MAP && i < axes->count; i++)
        if (same_words(reading, made, axes->entries[i].key->text, spelled))
            return axes->entries[i].key->text;
    for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++)
        found = find_path(reading, made, am_node_get(root, places[i]), spelled);
    return found;
}

static am_status spell(am_reading *reading, const am_node *root, const am_case *made, size_t count,
                       const char **texts) {
    for (size_t i = 0; i < count; i++) {
        const char *spelled = texts[i] ? am_coordinates_spell(reading, &made->coordinates, texts[i]) : NULL;
        if (texts[i] && !spelled)
            return AM_ERR_MEMORY;
        const char *path = spelled && strchr(spelled, '.') ? path_of(reading, root, made, spelled) : NULL;
        texts[i] = path ? path : spelled;
    }
    return AM_OK;
}

static am_status spell_list(am_reading *reading, const am_node *root, const am_case *made, am_texts *list) {
    const char **copy = am_arena_new(reading->pool, list->count, sizeof *copy, reading->err);
    if (!copy)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < list->count; i++)
        copy[i] = list->values[i];
    if (list->count > 0)
        list->values = copy;
    return spell(reading, root, made, list->count, copy);
}

static am_status spell_figure(am_reading *reading, const am_node *root, const am_case *made,
                              am_figure_setting *figure) {
    am_curve_setting *curves = figure->curves.items;
    am_figure_setting *panels = figure->panels.items;
    const char **const own[] = {&figure->x, &figure->y, &figure->value, &figure->by};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        AM_TRY(spell(reading, root, made, 1, own[i]));
    for (size_t i = 0; i < figure->curves.count; i++) {
        am_curve *curve = &curves[i].curve;
        const char **const its[] = {&curve->x, &curve->y, &curve->by, &curve->breaks};
        for (size_t k = 0; !curves[i].given && k < sizeof its / sizeof *its; k++)
            AM_TRY(spell(reading, root, made, 1, its[k]));
    }
    for (size_t i = 0; i < figure->panels.count; i++)
        AM_TRY(spell_figure(reading, root, made, &panels[i]));
    return spell_list(reading, root, made, &figure->shown);
}

am_status am_result_names_spell(am_reading *reading, am_study_setting *setting, const am_node *root,
                                const am_case *made) {
    const am_node *expect = setting->expect;
    for (size_t i = 0; expect && i < expect->count; i++)
        AM_TRY(spell(reading, root, made, 1, &expect->entries[i].key->text));
    AM_TRY(spell_list(reading, root, made, &setting->sweep.outputs));
    return spell_figure(reading, root, made, &setting->figure);
}

am_status am_result_names_check(am_reading *reading, const am_study_setting *setting, const am_node *root,
                                const am_case *made) {
    study s = {reading, setting, root, made, false, NULL};
    AM_TRY(am_name_clashes_check(reading, setting, root, made));
    AM_TRY(check_sweep(&s));
    AM_TRY(check_figure(&s, &s.setting->figure));
    AM_TRY(check_animation(&s));
    return check_expect(&s);
}
