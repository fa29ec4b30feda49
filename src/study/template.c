/* `amontons new`: a study to start from, written from the schemas. What a template shows with a value runs as it is;
 * what it shows as a comment is optional. */
#include <string.h>

#include "amontons/study.h"
#include "base/object.h"
#include "base/text.h"
#include "study/analyses.h"
#include "study/describe.h"
#include "study/models.h"
#include "study/sweep/sweep.h"

enum { comment_column = 44 };

static void pad(am_text *out, size_t from) {
    const char *line = am_text_view(out) + from;
    size_t length = strlen(line);
    am_text_printf(out, "%*s# ", length < comment_column ? (int)(comment_column - length) : 2, "");
}

/* What a field is, behind its value. */
static void write_note(am_text *out, const am_field *field, size_t line) {
    pad(out, line);
    am_text_add(out, field->about);
    if (field->words) {
        am_text_add(out, " (");
        for (const am_word *word = field->words; word->name; word++)
            am_text_printf(out, "%s%s", word == field->words ? "" : ", ", word->name);
        am_text_add(out, ")");
    }
    if (field->unit)
        am_text_printf(out, " [%s]", field->unit);
    if (!field->example && field->initial)
        am_text_printf(out, "; default %s", field->initial);
    am_text_add(out, "\n");
}

static void write_field(am_text *out, const am_field *field, size_t indent, const char *dash);

/* The fields with values first, then the optional ones as comments. `dash` starts an item of a list. */
static void write_schema(am_text *out, const am_schema *schema, size_t indent, const char *dash) {
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < schema->field_count; i++)
            if ((schema->fields[i].example == NULL) == (pass == 1)) {
                write_field(out, &schema->fields[i], indent, dash);
                dash = "";
            }
}

static void write_field(am_text *out, const am_field *field, size_t indent, const char *dash) {
    size_t line = out->length;
    int margin = (int)(indent - strlen(dash));
    if (!field->example) {
        am_text_printf(out, "%*s# %s:", (int)indent, "", field->name);
        write_note(out, field, line);
        return;
    }
    am_text_printf(out, "%*s%s%s:%s%s", margin, "", dash, field->name, *field->example ? " " : "", field->example);
    write_note(out, field, line);
    if (field->inner && !*field->example)
        write_schema(out, field->inner, indent + 4, "- ");
}

/* The analysis a model is shown with. */
static const am_analysis_kind *usual_analysis(const am_model_kind *model) {
    for (size_t i = 0; model->analysis && am_analysis_kinds[i]; i++)
        if (strcmp(am_analysis_kinds[i]->schema->name, model->analysis) == 0)
            return am_analysis_kinds[i];
    return &am_analysis_motion;
}

static void write_template(am_text *out, const am_model_kind *model, const am_analysis_kind *analysis, bool sweep) {
    am_text_printf(out,
                   "# A study: `amontons run` it as it is, then change it. `amontons help %s` and `amontons help %s`\n",
                   model->schema->name, analysis->schema->name);
    am_text_add(out, "# say more about each key; lines that start with # are optional.\n");
    am_text_printf(out, "title: A first study with model %s and analysis %s\n\n", model->schema->name,
                   analysis->schema->name);
    am_text_printf(out, "model:\n  kind: %s\n", model->schema->name);
    if (analysis->model && strcmp(model->schema->name, analysis->model_kind ? analysis->model_kind : "klarbring") == 0)
        am_text_printf(out, "  %s", analysis->model);
    else
        write_schema(out, model->schema, 2, "");
    am_text_printf(out, "\nanalysis:\n  kind: %s\n", analysis->schema->name);
    bool own = analysis == usual_analysis(model);
    if (own && model->keys)
        am_text_add(out, model->keys);
    else
        write_schema(out, analysis->schema, 2, "");
    if (sweep) {
        am_text_add(out, "\nsweep:\n");
        write_schema(out, &am_sweep_schema, 2, "");
        am_text_add(out,
                    "\nfigure: {x: model.friction, y: state_changes, x_label: friction, y_label: changes of state}\n");
        return;
    }
    am_text_printf(out, "\nfigure: %s\n", own && model->figure ? model->figure : analysis->figure);
    am_text_add(out, "\n# expect: {some_result: 9}        # what must come out: the run fails when it does not\n");
}

/* The model an analysis is shown with. */
static const am_model_kind *usual_model(const am_analysis_kind *analysis) {
    for (size_t i = 0; analysis->model_kind && am_model_kinds[i]; i++)
        if (strcmp(am_model_kinds[i]->schema->name, analysis->model_kind) == 0)
            return am_model_kinds[i];
    return &am_model_klarbring;
}

static am_status unknown_kind(const char *kind, am_error *err) {
    const char *names[129] = {NULL};
    size_t count = 0;
    am_text known = {0};
    for (size_t i = 0; am_model_kinds[i] && count < 128; i++)
        names[count++] = am_model_kinds[i]->schema->name;
    for (size_t i = 0; am_analysis_kinds[i] && count < 128; i++)
        names[count++] = am_analysis_kinds[i]->schema->name;
    names[count++] = "sweep";
    const char *nearest = am_text_nearest(kind, names, count);
    for (size_t i = 0; i < count; i++)
        am_text_printf(&known, "%s %s", i ? "," : "", names[i]);
    am_fail(err, AM_ERR_INPUT, "unknown kind '%.60s';%s%s%s known kinds:%s", kind, nearest ? " did you mean '" : "",
            nearest ? nearest : "", nearest ? "'?" : "", am_text_view(&known));
    am_text_free(&known);
    return AM_ERR_INPUT;
}

char *am_study_template(const char *kind, am_error *err) {
    const am_model_kind *model = &am_model_klarbring;
    const am_analysis_kind *analysis = &am_analysis_motion;
    if (!kind)
        return am_misused_for_nothing(err, __func__);
    bool sweep = strcmp(kind, "sweep") == 0, known = sweep;
    for (size_t i = 0; am_model_kinds[i]; i++)
        if (strcmp(am_model_kinds[i]->schema->name, kind) == 0) {
            model = am_model_kinds[i];
            analysis = usual_analysis(model);
            known = true;
        }
    for (size_t i = 0; am_analysis_kinds[i]; i++)
        if (strcmp(am_analysis_kinds[i]->schema->name, kind) == 0) {
            analysis = am_analysis_kinds[i];
            model = usual_model(analysis);
            known = true;
        }
    am_text out = {0};
    if (!known) {
        unknown_kind(kind, err);
        return NULL;
    }
    write_template(&out, model, analysis, sweep);
    return am_text_take(&out, err);
}
