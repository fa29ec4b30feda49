/* Running the analyses of a case. */
#include <string.h>

#include "base/result_reuse.h"
#include "base/try.h"
#include "base/watch.h"
#include "study/refine_modes.h"
#include "system/capability.h"

/* One analysis' part of the whole progress. */
typedef struct share {
    const am_progress *whole;
    double start, size;
} share;

static bool report_share(void *context, double fraction) {
    const share *part = context;
    return am_progress_report(part->whole, part->start + fraction * part->size);
}

/* Tables that nobody wants may be left out, unless the model watches their rows. */
static void select_tables(const am_case *made, const am_analysis *analysis, const am_texts *wish, am_result *own) {
    bool all = !wish || made->model.kind->watches_tables;
    const am_result_wish some = {all ? 0 : wish->count, all ? NULL : wish->values, analysis->name};
    am_result_select(own, all ? NULL : &some);
}

/* The analysis by its own engine, with the model looking on, and the record if it is not NULL. */
static am_status run_watched(const am_case *made, const am_analysis *analysis, am_kept *kept, am_result *own,
                             am_contact_record *record, const am_progress *progress, am_error *err) {
    const am_study_model *model = &made->model;
    am_model_watch watch = {0};
    am_status status = model->kind->watch ? model->kind->watch(model->settings, &watch, err) : AM_OK;
    if (status != AM_OK)
        return status;
    am_observer observer = record ? am_contact_record_watch(record, made->system, &watch.observer) : watch.observer;
    am_result_observe(own, &observer);
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

/* What the study asks of an analysis that cannot have it, and where it says so, is a mistake in the study. */
static am_status blame_study(const am_case *made, const am_analysis *analysis, am_status status, am_error *err) {
    if (status == AM_ERR_INPUT)
        am_node_locate(analysis->node, err);
    if (status != AM_ERR_UNSUPPORTED || !err || !*err->field)
        return status;
    const am_node *model = made->model_node ? made->model_node : made->root;
    am_node_locate(am_node_get(analysis->node, err->field) ? analysis->node : model, err);
    return err->status = AM_ERR_INPUT;
}

static bool has_closed_form(const am_case *made, const am_analysis *analysis) {
    return analysis->kind == &am_analysis_path && made->model.kind->path;
}

static am_status check_laws(const am_case *made, const am_analysis *analysis, am_error *err) {
    const am_analysis_kind *kind = analysis->kind;
    if (has_closed_form(made, analysis))
        return AM_OK;
    if (kind->check)
        return kind->check(made->system, analysis->settings, err);
    for (const am_capability *row = am_capabilities; row->analysis; row++)
        if (strcmp(row->analysis, kind->schema->name) == 0)
            return am_system_check(made->system, row->analysis, err);
    return AM_OK;
}

am_status am_case_check_laws(const am_case *made, am_error *err) {
    for (size_t i = 0; i < made->count && made->system; i++) {
        am_error own = {0};
        am_status status = blame_study(made, &made->analyses[i], check_laws(made, &made->analyses[i], &own), &own);
        bool refused = status == AM_ERR_INPUT && *own.field;
        if (!refused && !am_status_is_fatal(status)) /* the run says it, with its numbers */
            continue;
        if (err)
            *err = own;
        return status;
    }
    return AM_OK;
}

/* A closed form of the model speaks its units already. */
static am_status run_alone(const am_case *made, const am_analysis *analysis, am_kept *kept, am_result *own,
                           am_contact_record *record, const am_progress *progress, am_error *err) {
    const am_study_model *model = &made->model;
    am_status status = has_closed_form(made, analysis)
                           ? model->kind->path(model->settings, am_analysis_path_options(analysis->settings), own, err)
                           : run_watched(made, analysis, kept, own, record, progress, err);
    return blame_study(made, analysis, status, err);
}

static am_status run_refined(const am_case *made, size_t index, am_result *result, am_contact_record *record,
                             const am_progress *progress, am_error *err) {
    return run_alone(made, &made->analyses[index], NULL, result, record, progress, err);
}

static am_status run_one(const am_case *made, size_t index, const am_case_sharing *sharing, am_result *result,
                         const am_progress *progress, am_error *err) {
    const am_analysis *analysis = &made->analyses[index];
    am_kept *kept = sharing->kept ? &sharing->kept[index] : NULL;
    bool direct = index == 0; /* it has no prefix, and nothing is there yet */
    am_result *own = direct ? result : am_result_create(err);
    if (!own)
        return AM_ERR_MEMORY;
    select_tables(made, analysis, sharing->wish, own);
    am_status status = am_refine_asks(made, index) ? am_refine(made, index, run_refined, own, progress, err)
                                                   : run_alone(made, analysis, kept, own, NULL, progress, err);
    if (direct)
        return status;
    if (status == AM_OK)
        status = am_result_absorb(result, own, analysis->name, err);
    am_result_free(own);
    return status;
}

bool am_case_go_on(void *left, double fraction) {
    size_t *questions = left;
    (void)fraction;
    return *questions > 0 && (*questions)--;
}

size_t am_case_questions(const am_case *made, size_t index) {
    enum { USUAL = 20 }; /* some 20 ms of work */
    size_t own = made->analyses[index].kind->questions;
    return own > 0 ? own : USUAL;
}

void am_case_begin(const am_case *made, size_t index, am_error *err) {
    size_t left = am_case_questions(made, index);
    const am_progress beginning = {.report = am_case_go_on, .context = &left, .threads = 1};
    am_watch watch;
    am_watch_apart(&watch, &beginning);
    am_result *result = am_result_create(err);
    if (result)
        run_one(made, index, &(am_case_sharing){0}, result, &beginning, err);
    am_result_free(result);
    am_watch_end(&watch, AM_ERR_INTERRUPTED, NULL);
}

am_status am_case_run_in(const am_case *made, const am_case_sharing *sharing, am_result *result,
                         const am_progress *progress, am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 0; status == AM_OK && i < made->count; i++) {
        share part = {progress, (double)i / (double)made->count, 1.0 / (double)made->count};
        am_progress inner = {.report = report_share,
                             .context = &part,
                             .threads = am_progress_threads(progress),
                             .team = progress ? progress->team : NULL,
                             .folder = progress ? progress->folder : NULL};
        if (progress && i == 0) { /* the study's own question */
            inner.trace = progress->trace;
            inner.preview = progress->preview;
        }
        status = run_one(made, i, sharing, result, &inner, err);
        if (am_result_find(result, "preview"))
            break; /* what else is asked would take as long as ever */
    }
    return status;
}

am_status am_case_run(const am_case *made, am_result *result, const am_progress *progress, am_error *err) {
    const am_case_sharing none = {NULL, NULL};
    return am_case_run_in(made, &none, result, progress, err);
}
