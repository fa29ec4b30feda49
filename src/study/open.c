/* Reading and checking a study: tree, changes, schema, model, analyses, sweep. */
#include "base/object.h"
#include "study/store.h"
#include "study/study.h"

#include <stdio.h>
#include <string.h>

#include "base/input_file.h"
#include "base/memory.h"
#include "base/try.h"
#include "math/algebra.h"
#include "study/attached.h"
#include "study/expect.h"
#include "study/model_numbers.h"
#include "study/result_names.h"

static const am_word verdict_words[] = {{"unjudged", AM_SOURCE_NONE, "nothing is said"},
                                        {"held", AM_SOURCE_HELD, "what the source says came out"},
                                        {"partly", AM_SOURCE_PARTLY, "a part of it did"},
                                        {"refuted", AM_SOURCE_REFUTED, "it did not"},
                                        {"new", AM_SOURCE_NEW, "there is nothing in a source to judge"},
                                        {NULL, 0, NULL}};

static const am_field fields[] = {
    AM_FIELD("title", TEXT, am_study_setting, title, .initial = "none", .about = "one line, above the figure"),
    AM_FIELD("source", TEXT, am_study_setting, source, .initial = "none", .about = "where the problem comes from"),
    AM_FIELD("about", TEXT, am_study_setting, about, .initial = "none", .about = "what it shows, in a few sentences"),
    AM_FIELD("claims", TEXTS, am_study_setting, claims, .initial = "none", .about = "what the source says, in words"),
    AM_FIELD("topic", TEXT, am_study_setting, topic, .initial = "none", .about = "what the gallery lists it under"),
    AM_FIELD("verdict", WORD, am_study_setting, verdict, .words = verdict_words, .initial = "unjudged",
             .about = "did what the source says come out?"),
    AM_FIELD("correction", TEXT, am_study_setting, correction, .initial = "none",
             .about = "what the source has wrong, and what is right; asked for where not all held"),
    AM_FIELD("model", NODE, am_study_setting, model, .required = true,
             .about = "what is studied: `amontons list models`"),
    AM_FIELD("analysis", NODE, am_study_setting, analysis, .required = true,
             .about = "the question: `amontons list analyses`"),
    AM_FIELD("also", NODE, am_study_setting, also, .initial = "none",
             .about = "further analyses by name; their results are called name.result"),
    AM_FIELD("figure", RECORD, am_study_setting, figure, .inner = &am_figure_schema, .initial = "none",
             .about = "what to draw: `amontons help figure`"),
    AM_FIELD("animation", RECORD, am_study_setting, animation, .inner = &am_animation_schema, .initial = "none",
             .about = "the structure in motion: `amontons help animation`"),
    AM_FIELD("expect", NODE, am_study_setting, expect, .initial = "none",
             .about = "what must come out: `amontons help expect`"),
    AM_FIELD("sweep", RECORD, am_study_setting, sweep, .inner = &am_sweep_schema, .initial = "none",
             .about = "run over a grid of parameters: `amontons help sweep`"),
    AM_FIELD("follow", RECORD, am_study_setting, follow, .inner = &am_follow_schema, .initial = "none",
             .about = "follow an orbit along a parameter: `amontons help follow`"),
    AM_FIELD("full", NODE, am_study_setting, full, .initial = "none",
             .about = "paths with the finer values that --full puts in their place"),
};

const am_schema am_study_schema = {.name = "study",
                                   .title = "the study",
                                   .about = "A study file (YAML): a model, a question about it, and what to show.",
                                   .size = sizeof(am_study_setting),
                                   AM_FIELDS(fields)};

/* ---- Changes to the tree ---- */

static am_status apply_setting(am_arena *pool, am_node *root, const am_setting *setting, am_error *err) {
    char origin[256];
    snprintf(origin, sizeof origin, "--set %.100s=%.100s", setting->path, setting->value);
    am_node at = {.origin = origin};
    if (!*setting->value)
        return am_node_fail(&at, err, AM_ERR_INPUT, "there is no value after '='");
    am_node *value = am_node_parse(pool, origin, setting->value, strlen(setting->value), false, err);
    if (!value)
        return err->status;
    return am_node_set(pool, root, setting->path, value, err);
}

static am_status apply_full(am_arena *pool, am_node *root, am_error *err) {
    const am_node *full = am_node_get(root, "full");
    if (!full)
        return AM_OK;
    if (full->kind != AM_NODE_MAP)
        return am_node_fail(full, err, AM_ERR_INPUT, "full must be a mapping of paths to values, not %s",
                            am_node_kind_name(full));
    for (size_t i = 0; i < full->count; i++) {
        am_node *value = am_node_copy(pool, full->entries[i].value, err);
        AM_TRY(value ? am_node_set(pool, root, full->entries[i].key->text, value, err) : AM_ERR_MEMORY);
    }
    return AM_OK;
}

/* ---- Checking ---- */

/* Who says that a source is wrong says what is right. */
static am_status check_verdict(const am_study_setting *setting, const am_node *root, am_error *err) {
    bool wrong = setting->verdict == AM_SOURCE_PARTLY || setting->verdict == AM_SOURCE_REFUTED;
    if (wrong && !setting->correction)
        return am_node_fail(am_node_get(root, "verdict"), err, AM_ERR_INPUT,
                            "this verdict needs `correction: ...`, a sentence that says what is right");
    return AM_OK;
}

/* Everything but the variant `full:`. */
static am_status check_tree(am_reading *reading, const am_node *root, am_study_setting *setting, am_case *made) {
    AM_TRY(am_schema_read(reading, &am_study_schema, root, setting));
    size_t given = 0;
    am_figure_number_points(&setting->figure, &given);
    AM_TRY(check_verdict(setting, root, reading->err));
    if (setting->expect)
        AM_TRY(am_expect_read(reading, setting->expect));
    AM_TRY(am_case_read(reading, root, made));
    if (!setting->sweep.axes.node && !setting->follow.parameter) /* those decide point by point */
        AM_TRY(am_case_check_laws(made, reading->err));
    if (setting->sweep.axes.node)
        AM_TRY(am_sweep_check(reading, &setting->sweep, root));
    if (setting->follow.parameter)
        AM_TRY(am_follow_check(reading, &setting->follow, root, made));
    if (setting->follow.parameter && setting->sweep.axes.node)
        return am_node_fail(am_node_get(root, "follow"), reading->err, AM_ERR_INPUT,
                            "a study has either sweep or follow, not both");
    AM_TRY(am_result_names_spell(reading, setting, root, made));
    return am_result_names_check(reading, setting, root, made);
}

/* A mistake in `full:` must not wait for the day somebody uses it. */
static am_status check_full(const am_study *study, am_error *err) {
    am_study_setting setting = {0};
    am_case made;
    am_arena *pool = am_arena_create(err);
    if (!pool)
        return AM_ERR_MEMORY;
    am_reading reading = {.pool = pool, .files = &study->files, .err = err};
    am_node *root = am_node_copy(pool, study->root, err);
    am_status status = root ? apply_full(pool, root, err) : AM_ERR_MEMORY;
    if (status == AM_OK)
        status = check_tree(&reading, root, &setting, &made);
    am_arena_free(pool);
    return status;
}

static am_status complete(am_study *study, const am_study_options *options, am_field_notes *notes, am_error *err) {
    /* Folders that are allowed besides the study's own; copied, since the study is read on while it runs. */
    study->files.store = am_store_create(err);
    if (!study->files.store)
        return AM_ERR_MEMORY;
    study->files.allowed = am_texts_keep(study->pool, options->allowed_count, options->allowed, err);
    study->files.allowed_count = study->files.allowed ? options->allowed_count : 0;
    AM_TRY(am_arena_status(study->pool));
    if (study->root->kind != AM_NODE_MAP)
        return am_node_fail(study->root, err, AM_ERR_INPUT,
                            "a study must be a mapping with the keys model and analysis, not %s",
                            am_node_kind_name(study->root));
    if (options->full)
        AM_TRY(apply_full(study->pool, study->root, err));
    for (size_t i = 0; i < options->setting_count; i++)
        AM_TRY(apply_setting(study->pool, study->root, &options->settings[i], err));
    am_reading reading = {
        .pool = study->pool, .files = &study->files, .err = err, .named = &study->named, .notes = notes};
    AM_TRY(am_attach_arrays(&reading, options, study->root, &study->files));
    AM_TRY(check_tree(&reading, study->root, &study->setting, &study->made));
    return !options->full && study->setting.full ? check_full(study, err) : AM_OK;
}

/* The folder of a file's path: "." when it names none. */
static const char *folder_of(am_arena *pool, const char *path, am_error *err) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        return am_arena_text(pool, ".", 1, err);
    return am_arena_text(pool, path, slash == path ? 1 : (size_t)(slash - path), err);
}

static am_study *create(const char *name, const char *text, size_t length, am_error *err) {
    am_study *study = am_memory_new(1, sizeof *study, err);
    if (!study)
        return NULL;
    study->tag = AM_TAG_STUDY;
    study->pool = am_arena_create(err);
    if (study->pool) {
        study->name = am_arena_text(study->pool, name, strlen(name), err);
        study->files.folder = folder_of(study->pool, name, err);
    }
    if (study->files.folder && study->name)
        study->root = am_node_parse(study->pool, study->name, text, length, true, err);
    if (study->root)
        return study;
    am_study_free(study);
    return NULL;
}

static am_study *parse(const char *name, const char *text, size_t length, const am_study_options *options,
                       am_error *err) {
    am_error local = {0};
    am_error *own = err ? err : &local;
    am_algebra_settle();
    am_study *study = create(name, text, length, own);
    if (study && complete(study, options, NULL, own) != AM_OK) {
        am_node_name_field(study->root, own);
        am_study_free(study);
        return NULL;
    }
    return study;
}

am_study *am_study_parse(const char *name, const char *text, size_t setting_count, const am_setting *settings,
                         bool full, am_error *err) {
    const am_study_options options = {.setting_count = setting_count, .settings = settings, .full = full};
    return am_study_open_text(name, text, &options, err);
}

am_study *am_study_open_text(const char *name, const char *text, const am_study_options *options, am_error *err) {
    if (!name || !text || !options)
        return am_misused_for_nothing(err, __func__);
    return parse(name, text, strlen(text), options, err);
}

am_status am_study_look_at(const char *name, const char *text, const am_study_options *options, am_study_look *look,
                           void *context, am_error *err) {
    am_error own = {0};
    am_field_notes notes = {0};
    am_algebra_settle();
    am_study *study = create(name, text, strlen(text), err);
    if (!study)
        return err ? err->status : AM_ERR_INPUT;
    am_status status = complete(study, options, &notes, &own);
    if (status == AM_ERR_MEMORY)
        am_fail(err, status, "%s", own.message);
    else
        status = look(context, study->root, &notes, err);
    am_memory_free(notes.notes);
    am_study_free(study);
    return status;
}

/* The whole file, ended with a zero; NULL with err filled (AM_ERR_FILE, or AM_ERR_INPUT when it is no study file). */
static char *load(const char *path, size_t *length, am_error *err) {
    am_text text = {0};
    am_error own = {0};
    am_status status = am_input_read(path, "a study file", AM_STUDY_LARGEST, &text, &own);
    if (status == AM_ERR_LIMIT)
        am_fail(err, AM_ERR_INPUT,
                "%s: the file is larger than %d MiB, the most a study may have; put large matrices into Matrix "
                "Market files ({file: name.mtx})",
                path, AM_STUDY_LARGEST >> 20);
    else if (status != AM_OK && err)
        *err = own;
    *length = text.length;
    char *bytes = status == AM_OK ? am_text_take(&text, err) : NULL;
    am_text_free(&text);
    return bytes;
}

am_study *am_study_open(const char *path, const am_study_options *options, am_error *err) {
    if (!path || !options)
        return am_misused_for_nothing(err, __func__);
    size_t length = 0;
    char *text = load(path, &length, err);
    if (!text)
        return NULL;
    am_study *study = parse(path, text, length, options, err);
    am_memory_free(text);
    return study;
}

am_study *am_study_read(const char *path, size_t setting_count, const am_setting *settings, bool full, am_error *err) {
    const am_study_options options = {.setting_count = setting_count, .settings = settings, .full = full};
    return am_study_open(path, &options, err);
}

void am_study_free(am_study *study) {
    if (!am_is(study, AM_TAG_STUDY))
        return;
    am_arena_free(study->pool);
    am_store_free(study->files.store);
    am_object_bury(study, sizeof *study);
}

const am_system *am_study_system(const am_study *study) {
    if (!am_is(study, AM_TAG_STUDY))
        return NULL;
    return study->made.system;
}

am_model *am_study_open_model(const am_study *study, am_error *err) {
    if (!am_is(study, AM_TAG_STUDY))
        return am_misused_for_nothing(err, __func__);
    const am_model_numbers none_in_particular = am_model_numbers_of(study->made.model_node, &study->files, NULL);
    return am_model_numbers_open(&none_in_particular, err);
}

const char *am_study_analysis(const am_study *study) {
    if (!am_is(study, AM_TAG_STUDY))
        return "";
    if (study->setting.follow.parameter)
        return "follow";
    return study->setting.sweep.axes.node ? "sweep" : study->made.analyses[0].kind->schema->name;
}

const char *am_study_title(const am_study *study) {
    if (!am_is(study, AM_TAG_STUDY))
        return "";
    return study->setting.title ? study->setting.title : "";
}
