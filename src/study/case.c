#include "study/case.h"

#include <string.h>

#include "base/result_reuse.h"
#include "study/refine.h"

static void release_system(void *system) {
    am_system_free(system);
}

static am_status check_name(am_reading *reading, const am_node *key) {
    if (*key->text && !strpbrk(key->text, ".[]/ \t"))
        return AM_OK;
    return am_node_fail(key, reading->err, AM_ERR_INPUT,
                        "'%s' cannot name an analysis; expected letters, digits and underscores", key->text);
}

static am_status read_analyses(am_reading *reading, const am_node *root, const am_node *also, am_case *made) {
    size_t more = also ? also->count : 0;
    made->analyses = am_arena_new(reading->pool, 1 + more, sizeof *made->analyses, reading->err);
    if (!made->analyses)
        return AM_ERR_MEMORY;
    made->count = 1 + more;
    made->analyses[0].name = "";
    am_status status = am_analysis_read(reading, am_node_get(root, "analysis"), made, &made->analyses[0]);
    for (size_t i = 0; status == AM_OK && i < more; i++) {
        made->analyses[1 + i].name = also->entries[i].key->text;
        status = check_name(reading, also->entries[i].key);
        if (status == AM_OK)
            status = am_analysis_read(reading, also->entries[i].value, made, &made->analyses[1 + i]);
    }
    return status == AM_OK ? am_refine_check(reading, made) : status;
}

const am_node *am_case_model(am_reading *reading, const am_node *root) {
    am_node *model = am_node_get(root, "model");
    const am_node *analysis = am_node_get(root, "analysis"), *name = am_node_get(analysis, "threshold");
    const am_node *from = am_node_get(analysis, "from");
    if (!name || name->kind != AM_NODE_SCALAR || model->kind != AM_NODE_MAP)
        return model;
    const char *key = strncmp(name->text, "model.", 6) == 0 ? name->text + 6 : name->text;
    const am_model_kind *kind = am_model_kind_find(reading, model);
    const am_field *field = kind ? am_schema_field(kind->schema, key) : NULL;
    if (!kind || !field || !field->required || am_node_get(model, key))
        return kind ? model : NULL;
    am_node *copy = am_node_copy(reading->pool, model, reading->err);
    am_node *value = from ? am_node_copy(reading->pool, from, reading->err)
                          : am_node_of_number(reading->pool, 0.0, name, reading->err);
    if (!copy || !value)
        return NULL;
    return am_node_set(reading->pool, copy, key, value, reading->err) == AM_OK ? copy : NULL;
}

am_status am_case_read(am_reading *reading, const am_node *root, am_case *made) {
    const am_node *also = am_node_get(root, "also");
    *made = (am_case){.root = root, .files = reading->files};
    if (also && also->kind != AM_NODE_MAP)
        return am_node_fail(also, reading->err, AM_ERR_INPUT, "also must be a mapping of names to analyses, not %s",
                            am_node_kind_name(also));
    const am_node *model = am_case_model(reading, root);
    am_system *system = model ? am_study_model_read(reading, model, &made->model) : NULL;
    if (!system)
        return reading->err->status;
    made->system = system;
    am_status status = am_arena_own(reading->pool, system, release_system, reading->err);
    return status == AM_OK ? read_analyses(reading, root, also, made) : status;
}

am_status am_case_read_with(am_reading *reading, const am_node *root, const am_study_model *model,
                            const am_system *system, am_case *made) {
    *made = (am_case){.root = root, .files = reading->files, .system = system, .model = *model};
    return read_analyses(reading, root, am_node_get(root, "also"), made);
}

/* One analysis' part of the whole progress. */
typedef struct share {
    const am_progress *whole;
    double start, size;
} share;

static bool report_share(void *context, double fraction) {
    const share *part = context;
    return am_progress_report(part->whole, part->start + fraction * part->size);
}

/* Tables that nobody wants may be left out, unless the model's report could look at them. */
static void select_tables(const am_case *made, const am_analysis *analysis, const am_texts *wish, am_result *own) {
    const am_model_kind *model = made->model.kind;
    bool all = !wish || model->watch || (model->report && !model->reads_summary);
    const am_result_wish some = {all ? 0 : wish->count, all ? NULL : wish->values, analysis->name};
    am_result_select(own, all ? NULL : &some);
}

/* The analysis by its own engine, with the model looking on. */
static am_status run_watched(const am_case *made, const am_analysis *analysis, am_kept *kept, am_result *own,
                             const am_progress *progress, am_error *err) {
    const am_study_model *model = &made->model;
    am_model_watch watch = {0};
    am_status status = model->kind->watch ? model->kind->watch(model->settings, &watch, err) : AM_OK;
    if (status != AM_OK)
        return status;
    am_result_observe(own, watch.observer.sample ? &watch.observer : NULL);
    if (kept && analysis->kind->run_again)
        status = analysis->kind->run_again(made->system, analysis->settings, kept, own, progress, err);
    else
        status = analysis->kind->run(made->system, analysis->settings, own, progress, err);
    am_result_observe(own, NULL);
    if (status == AM_OK && watch.report)
        status = watch.report(watch.observer.context, own, err);
    if (watch.release)
        watch.release(watch.observer.context);
    return status == AM_OK && model->kind->report ? model->kind->report(model->settings, own, err) : status;
}

/* A closed form of the model speaks its units already. */
static am_status run_alone(const am_case *made, const am_analysis *analysis, am_kept *kept, am_result *own,
                           const am_progress *progress, am_error *err) {
    const am_study_model *model = &made->model;
    bool closed_form = analysis->kind == &am_analysis_path && model->kind->path;
    am_status status = closed_form
                           ? model->kind->path(model->settings, am_analysis_path_options(analysis->settings), own, err)
                           : run_watched(made, analysis, kept, own, progress, err);
    if (status == AM_ERR_INPUT)
        am_node_locate(analysis->node, err);
    return status;
}

static am_status run_refined(const am_case *made, size_t index, am_result *result, const am_progress *progress,
                             am_error *err) {
    return run_alone(made, &made->analyses[index], NULL, result, progress, err);
}

static am_status run_one(const am_case *made, size_t index, const am_case_room *room, am_result *result,
                         const am_progress *progress, am_error *err) {
    const am_analysis *analysis = &made->analyses[index];
    am_kept *kept = room->kept ? &room->kept[index] : NULL;
    bool direct = index == 0; /* it has no prefix, and nothing is there yet */
    am_result *own = direct ? result : am_result_create(err);
    if (!own)
        return AM_ERR_MEMORY;
    select_tables(made, analysis, room->wish, own);
    am_status status = am_refine_asks(made, index) ? am_refine(made, index, run_refined, own, progress, err)
                                                   : run_alone(made, analysis, kept, own, progress, err);
    if (direct)
        return status;
    if (status == AM_OK)
        status = am_result_absorb(result, own, analysis->name, err);
    am_result_free(own);
    return status;
}

am_status am_case_run_in(const am_case *made, const am_case_room *room, am_result *result, const am_progress *progress,
                         am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 0; status == AM_OK && i < made->count; i++) {
        share part = {progress, (double)i / (double)made->count, 1.0 / (double)made->count};
        am_progress inner = {.report = report_share,
                             .context = &part,
                             .threads = am_progress_threads(progress),
                             .team = progress ? progress->team : NULL,
                             .folder = progress ? progress->folder : NULL};
        status = run_one(made, i, room, result, &inner, err);
    }
    return status;
}

am_status am_case_run(const am_case *made, am_result *result, const am_progress *progress, am_error *err) {
    const am_case_room none = {NULL, NULL};
    return am_case_run_in(made, &none, result, progress, err);
}
