/* `amontons list` and `amontons help`: written from the schemas that read the files. */
#include "study/describe.h"
#include "laws/law.h"

#include <string.h>

#include "amontons/study.h"
#include "base/glossary.h"
#include "base/object.h"
#include "study/analyses.h"
#include "study/animation.h"
#include "study/expect.h"
#include "study/figure.h"
#include "study/functions.h"
#include "study/models.h"
#include "study/models/friction.h"
#include "study/models/interfaces.h"
#include "study/study.h"
#include "system/capability.h"

/* Words, broken between them so that lines stay below 100 columns; later lines start with `indent` spaces. */
static void describe_wrap(am_text *out, const char *text, size_t indent, size_t column) {
    bool first = true;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t word = strcspn(text, " ");
        if (!first && column + 1 + word > 99) {
            am_text_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            am_text_add(out, " ");
            column++;
        }
        am_text_add_bytes(out, text, word);
        column += word;
        text += word;
        first = false;
    }
}

static void describe_words(am_text *out, const am_word *words) {
    for (const am_word *word = words; word->name; word++)
        am_text_printf(out, "%s%s", word == words ? "" : ", ", word->name);
}

/* What a field takes: "2 x 2 matrix", "number, zero or positive", "one of: line, dashed". */
static void describe_type(am_text *out, const am_field *field) {
    static const char *const ranges[] = {"", ", positive", ", zero or positive", " from 0 to 1"};
    static const char *const types[] = {[AM_FIELD_NUMBER] = "number",
                                        [AM_FIELD_COUNT] = "whole number",
                                        [AM_FIELD_DEGREE] = "whole number",
                                        [AM_FIELD_FLAG] = "true or false",
                                        [AM_FIELD_EITHER] = "one of: ",
                                        [AM_FIELD_TEXT] = "text",
                                        [AM_FIELD_WORD] = "one of: ",
                                        [AM_FIELD_NUMBERS] = "list of numbers",
                                        [AM_FIELD_LIST] = "list of numbers",
                                        [AM_FIELD_VECTOR] = "list of numbers",
                                        [AM_FIELD_ARRAY] = "list of numbers",
                                        [AM_FIELD_WORDS] = "list, or one word for all, of: ",
                                        [AM_FIELD_FLAGS] = "list, or one word, of: ",
                                        [AM_FIELD_TEXTS] = "list of texts",
                                        [AM_FIELD_MATRIX] = "matrix",
                                        [AM_FIELD_RECORD] = "mapping",
                                        [AM_FIELD_RECORDS] = "list of mappings",
                                        [AM_FIELD_ITEMS] = "list of mappings",
                                        [AM_FIELD_NAMED] = "mapping of names to mappings",
                                        [AM_FIELD_NODE] = "value",
                                        [AM_FIELD_LATER] = "value"};
    bool matrix = field->type == AM_FIELD_MATRIX;
    if (field->shape > 0 && matrix)
        am_text_printf(out, "%zu x %zu ", field->shape, field->shape);
    if (field->shape > 0 && !matrix)
        am_text_printf(out, "list of %zu numbers", field->shape);
    else
        am_text_add(out, types[field->type]);
    if (field->by_name)
        am_text_add(out, ", or a mapping of coordinates to numbers");
    if (field->type == AM_FIELD_NUMBER)
        am_text_add(out, ranges[field->range]);
    if (field->least > 0 && field->most > 0)
        am_text_printf(out, " from %zu to %zu", field->least, field->most);
    if (field->words)
        describe_words(out, field->words);
}

/* Lines of a text that is then done with; a failure of it is one of `out`. */
static void wrap_and_free(am_text *out, am_text *text, size_t column) {
    describe_wrap(out, am_text_view(text), column, column);
    out->status = out->status ? out->status : text->status;
    am_text_free(text);
}

/* ---- Topics ---- */

static const am_schema *const other_topics[] = {
    &am_study_schema,    &am_contact_schema, &am_interface_schema,  &am_load_schema,        &am_figure_schema,
    &am_panel_schema,    &am_curve_schema,   &am_wish_schema,       &am_sweep_schema,       &am_sweep_axis_schema,
    &am_function_schema, &am_follow_schema,  &am_polynomial_schema, &am_matrix_file_schema, &am_animation_schema};

enum { most_topics = 128 };

typedef struct topics {
    size_t count;
    const char *names[most_topics];
    const am_schema *schemas[most_topics];
    const am_analysis_kind *analyses[most_topics]; /* NULL: not an analysis */
} topics;

static void add_topic(topics *all, const am_schema *schema, const am_analysis_kind *analysis) {
    if (all->count == most_topics)
        return;
    all->names[all->count] = schema->name;
    all->schemas[all->count] = schema;
    all->analyses[all->count++] = analysis;
}

static void collect(topics *all) {
    all->count = 0;
    for (size_t i = 0; am_model_kinds[i]; i++)
        add_topic(all, am_model_kinds[i]->schema, NULL);
    for (size_t i = 0; am_analysis_kinds[i]; i++)
        add_topic(all, am_analysis_kinds[i]->schema, am_analysis_kinds[i]);
    for (size_t i = 0; i < sizeof other_topics / sizeof *other_topics; i++)
        add_topic(all, other_topics[i], NULL);
    for (size_t i = 0; i < sizeof am_function_schemas / sizeof *am_function_schemas; i++)
        add_topic(all, am_function_schemas[i], NULL);
}

static bool is_topic(const topics *all, const am_schema *schema) {
    for (size_t i = 0; i < all->count; i++)
        if (all->schemas[i] == schema)
            return true;
    return false;
}

bool am_describe_is_topic(const am_schema *schema) {
    topics all;
    collect(&all);
    return is_topic(&all, schema);
}

void am_describe_each_topic(am_topic_visit *visit, void *context) {
    topics all;
    size_t models = 0;
    collect(&all);
    while (am_model_kinds[models])
        models++;
    for (size_t i = 0; i < all.count; i++)
        visit(context, all.schemas[i],
              i < models        ? AM_TOPIC_MODEL
              : all.analyses[i] ? AM_TOPIC_ANALYSIS
                                : AM_TOPIC_OTHER);
}

/* ---- Help on one schema ---- */

static void describe_schema(am_text *out, const topics *all, const am_schema *schema, size_t indent);

static void describe_field(am_text *out, const topics *all, const am_field *field, size_t indent) {
    size_t column = indent + 18;
    am_text_printf(out, "%*s%-17s ", (int)indent, "", field->name);
    am_text line = {0};
    describe_type(&line, field);
    if (field->unit)
        am_text_printf(&line, " [%s]", field->unit);
    if (field->required)
        am_text_add(&line, "; required");
    else if (field->initial)
        am_text_printf(&line, "; default %s", field->initial);
    wrap_and_free(out, &line, column);
    am_text_printf(out, "\n%*s", (int)column, "");
    describe_wrap(out, field->about, column, column);
    bool inside = field->inner != NULL && !is_topic(all, field->inner);
    if (field->inner && !inside && !strstr(field->about, "amontons help"))
        am_text_printf(out, ": see `amontons help %s`", field->inner->name);
    am_text_add(out, "\n");
    if (inside)
        describe_schema(out, all, field->inner, indent + 4);
}

static void describe_schema(am_text *out, const topics *all, const am_schema *schema, size_t indent) {
    for (size_t i = 0; i < schema->field_count; i++)
        describe_field(out, all, &schema->fields[i], indent);
}

/* ---- What an analysis returns: docs/quantities.md ---- */

static void describe_value(am_text *out, const am_glossary_entry *entry) {
    enum { column = 20 };
    am_text about = {0};
    am_text_printf(out, "  %-17s ", entry->name);
    am_text_printf(&about, "%s [%s]", entry->about, entry->unit);
    wrap_and_free(out, &about, column);
    am_text_add(out, "\n");
}

static void describe_table(am_text *out, const am_glossary_entry *table, const char *analysis) {
    enum { column = 20 };
    am_text about = {0};
    size_t count = 0;
    am_text_add(&about, table->unit);
    for (size_t i = 0; i < am_glossary_size(); i++) {
        const am_glossary_entry *entry = am_glossary_entry_at(i);
        if (entry->section == AM_GLOSSARY_COLUMNS && am_glossary_lists(entry->where, table->name, analysis))
            am_text_printf(&about, "%s%s", count++ ? ", " : ": ", am_glossary_column(entry, table->name));
    }
    am_text_printf(out, "  %-17s ", table->name);
    wrap_and_free(out, &about, column);
    am_text_add(out, "\n");
}

/* Its summary, then its tables with their columns; models may add some. */
static void describe_results(am_text *out, const char *analysis) {
    static const char *const heads[] = {
        [AM_GLOSSARY_SUMMARY] = "\n  Summary, by name:\n", [AM_GLOSSARY_TABLES] = "\n  Tables, and their columns:\n"};
    for (am_glossary_section section = AM_GLOSSARY_SUMMARY; section <= AM_GLOSSARY_TABLES; section++) {
        am_text_add(out, heads[section]);
        for (size_t i = 0; i < am_glossary_size(); i++) {
            const am_glossary_entry *entry = am_glossary_entry_at(i);
            if (entry->section != section || !am_glossary_lists(entry->where, analysis, NULL))
                continue;
            if (section == AM_GLOSSARY_SUMMARY)
                describe_value(out, entry);
            else
                describe_table(out, entry, analysis);
        }
    }
}

static void describe_topic(am_text *out, const topics *all, size_t index) {
    const am_schema *schema = all->schemas[index];
    am_text_printf(out, "%s\n\n  ", schema->title);
    describe_wrap(out, schema->about, 2, 2);
    am_text_add(out, "\n\n");
    if (schema->has_kind)
        am_text_printf(out, "  %-17s %s\n", "kind", schema->name);
    describe_schema(out, all, schema, 2);
    if (all->analyses[index])
        describe_results(out, schema->name);
    if (schema->has_kind)
        am_text_printf(out, "\n  `amontons new %s` prints a study to start from.\n", schema->name);
}

static char *unknown_topic(topics *all, const char *topic, am_error *err) {
    static const char *const lists[] = {"models", "analyses", "laws"};
    am_text known = {0};
    for (size_t i = 0; i < sizeof lists / sizeof *lists && all->count < most_topics; i++)
        all->names[all->count++] = lists[i];
    const char *nearest = am_text_nearest(topic, all->names, all->count);
    for (size_t i = 0; i < all->count; i++)
        am_text_printf(&known, "%s %s", i ? "," : "", all->names[i]);
    am_fail(err, AM_ERR_INPUT, "unknown topic '%.60s';%s%s%s known topics:%s", topic, nearest ? " did you mean '" : "",
            nearest ? nearest : "", nearest ? "'?" : "", am_text_view(&known));
    am_text_free(&known);
    return NULL;
}

char *am_study_help(const char *topic, am_error *err) {
    topics all;
    am_text out = {0};
    if (!topic)
        return am_misused_for_nothing(err, __func__);
    collect(&all);
    for (size_t i = 0; i < all.count; i++)
        if (strcmp(all.names[i], topic) == 0) {
            if (out.length > 0)
                am_text_add(&out, "\n");
            describe_topic(&out, &all, i);
        }
    if (out.length > 0 || out.status) /* no memory left is not an unknown topic */
        return am_text_take(&out, err);
    am_text_free(&out);
    if (strcmp(topic, "models") == 0 || strcmp(topic, "analyses") == 0 || strcmp(topic, "laws") == 0)
        return am_study_list(topic, err);
    return unknown_topic(&all, topic, err);
}

/* ---- Lists ---- */

static void list_line(am_text *out, const char *name, const char *about) {
    am_text_printf(out, "  %-15s ", name);
    describe_wrap(out, about, 18, 18);
    am_text_add(out, "\n");
}

/* A law, and the analyses that know it. */
static void list_law(am_text *out, const char *name, const char *about, am_feature feature) {
    am_text known = {0};
    list_line(out, name, about);
    am_text_add(&known, "known to ");
    am_feature_known_to(&known, feature);
    am_text_add(out, "                  ");
    wrap_and_free(out, &known, 18);
    am_text_add(out, "\n");
}

static void list_reason(void *context, am_feature feature, const char *analyses, const char *why) {
    am_text text = {0};
    am_text_printf(&text, "%s not in %s: %s", am_feature_name(feature), analyses, why);
    am_text_add(context, "  ");
    wrap_and_free(context, &text, 6);
    am_text_add(context, "\n");
}

/* The table of laws and analyses, with numbers for the analyses. */
static void list_cells(am_text *out) {
    am_text names = {0};
    size_t rows = 0;
    am_text_add(out, "Which analysis knows what (x), by numbers\n                          ");
    for (const am_capability *row = am_capabilities; row->analysis; row++) {
        am_text_printf(&names, "%s%zu %s", rows ? ", " : "", rows + 1, row->analysis);
        am_text_printf(out, "%3zu", ++rows);
    }
    am_text_add(out, "\n");
    for (am_feature f = 0; f < AM_FEATURES; f++) {
        am_text_printf(out, "  %-24s", am_feature_name(f));
        for (const am_capability *row = am_capabilities; row->analysis; row++)
            am_text_add(out, (row->known >> f) & 1u ? "  x" : "  .");
        am_text_add(out, "\n");
    }
    am_text_add(out, "  ");
    wrap_and_free(out, &names, 2);
    am_text_add(out, "\nAnd why not\n");
    am_capability_each_reason(list_reason, out);
}

static void list_laws(am_text *out) {
    static const am_feature normal[] = {AM_HAS_UNILATERAL, AM_HAS_HELD, AM_HAS_KELVIN_VOIGT, AM_HAS_HUNT_CROSSLEY};
    am_text_add(out, "Normal laws of a contact (key law)\n");
    for (const am_word *word = am_normal_law_words; word->name; word++)
        list_law(out, word->name, word->about, normal[word->value]);
    list_law(out, "Poisson", "key restitution_law: restitution is the ratio of impulses, not of velocities",
             AM_HAS_POISSON);
    am_text_add(out, "Friction laws of a contact\n");
    list_line(out, "Coulomb", "key friction: one coefficient for stick and slip; known to all");
    list_law(out, "static/kinetic", "keys friction and static_friction: a higher coefficient while sticking",
             AM_HAS_STATIC_FRICTION);
    list_law(out, "weakening",
             "key weakening: from static_friction to friction with the distance slid, by one of the laws",
             AM_HAS_WEAKENING);
    for (const am_word *word = am_weakening_law_words; word->name; word++)
        list_line(out, word->name, word->about);
    list_law(out, "mu(v)",
             "key friction: {law: ...}: a coefficient that depends on the sliding speed v, by one of the laws",
             AM_HAS_SPEED_FRICTION);
    for (const am_law *const *law = am_laws; *law; law++)
        if (!(*law)->drag)
            list_line(out, (*law)->name, (*law)->about);
    list_law(out, "without stick", "key friction: {law: ...}: a force F against the slip, by one of the laws",
             AM_HAS_DRAG);
    for (const am_law *const *law = am_laws; *law; law++)
        if ((*law)->drag && !(*law)->rate_independent)
            list_line(out, (*law)->name, (*law)->about);
    list_law(out, "hysteresis", "the same, following the way alone, however fast it is gone", AM_HAS_HYSTERESIS);
    for (const am_law *const *law = am_laws; *law; law++)
        if ((*law)->rate_independent)
            list_line(out, (*law)->name, (*law)->about);
    list_law(out, "Jenkins", "key tangential_stiffness: a spring in series with the slider of a contact",
             AM_HAS_SLIDER_SPRING);
    list_law(out, "without stick, sprung",
             "the same with a law without stick whose contact may open (tanh, dahl, bouc-wen on a layer), or that ages "
             "(rate-and-state)",
             AM_HAS_CREEP_SPRING);
    list_law(out, "two tangents", "key tangents: friction in a plane, |T| <= mu N on a circle, behind springs",
             AM_HAS_PLANE);
    list_law(out, "two tangents, rigid", "the same without tangential_stiffness", AM_HAS_RIGID_PLANE);
    list_law(out, "iwan", "key friction: {law: iwan, ...}: many sliders behind springs, with a chosen density",
             AM_HAS_SLIDER_SPRING);
    list_law(out, "regularised", "key regularisation: proportional to the sliding velocity where that is small",
             AM_HAS_REGULARISED);
    list_law(out, "surface v(t)", "key surface_velocity: a function of time instead of a number",
             AM_HAS_SURFACE_MOTION);
    list_law(out, "gap(t)", "key gap: a function of time instead of a number; the support moves along the normal",
             AM_HAS_GAP_MOTION);
    am_text_add(out, "Springs, dampers and other forces of model structure\n");
    list_law(out, "polynomial", "key polynomials: a force that is a polynomial of a stretch and its rate",
             AM_HAS_POLYNOMIAL);
    list_law(out, "with contacts", "the same beside contacts", AM_HAS_POLYNOMIAL_CONTACTS);
    list_law(out, "circulatory", "key circulatory: a stiffness that is not symmetric", AM_HAS_CIRCULATORY);
    list_law(out, "negative damping",
             "key damping, of any sign: friction that falls with speed, linearised, feeds energy in",
             AM_HAS_NEGATIVE_DAMPING);
    list_law(out, "negative stiffness", "key stiffness, of any sign: springs beyond their buckling load",
             AM_HAS_NEGATIVE_STIFFNESS);
    list_law(out, "stiffness k(t)", "key varying_stiffness: a stiffness that is a function of time",
             AM_HAS_VARYING_STIFFNESS);
    list_cells(out);
    am_text_add(out, "Functions of time, for loads, held normal forces, surfaces, supports and stiffness\n");
    for (size_t i = 0; i < sizeof am_function_schemas / sizeof *am_function_schemas; i++)
        list_line(out, am_function_schemas[i]->name, am_function_schemas[i]->about);
}

char *am_study_list(const char *what, am_error *err) {
    am_text out = {0};
    if (!what)
        return am_misused_for_nothing(err, __func__);
    if (strcmp(what, "models") == 0) {
        am_text_add(&out, "Models\n");
        for (size_t i = 0; am_model_kinds[i]; i++)
            list_line(&out, am_model_kinds[i]->schema->name, am_model_kinds[i]->schema->about);
    } else if (strcmp(what, "analyses") == 0) {
        am_text_add(&out, "Analyses\n");
        for (size_t i = 0; am_analysis_kinds[i]; i++)
            list_line(&out, am_analysis_kinds[i]->schema->name, am_analysis_kinds[i]->schema->about);
    } else if (strcmp(what, "laws") == 0) {
        list_laws(&out);
    } else {
        return am_study_help(what, err);
    }
    return am_text_take(&out, err);
}
