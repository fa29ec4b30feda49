/* Running a study: the report of its results, figure and expectations. */
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"
#include "base/watch.h"
#include "output/error_document.h"
#include "output/folder.h"
#include "study/expect.h"
#include "study/study.h"
#include "study/sweep/points.h"

struct am_run {
    uint64_t tag; /* AM_TAG_RUN */
    am_arena *pool;
    am_result *result;
    am_figure figure;
    am_provenance provenance;
    am_report report;
    bool interrupted;
    am_error expect_mistake, figure_mistake; /* what of them the results do not have */
};

/* Where a run goes. */
typedef struct destination {
    const char *folder; /* NULL: nowhere */
    bool force;
} destination;

static const char *file_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Results of another study are not to be mixed with, or overwritten by, those of a sweep; nor are those of a sweep,
 * which may have taken hours, by anything else, be it the same file when it said something else. `fingerprint`: NULL
 * where the study is no sweep. */
static am_status check_results(const am_study *study, const destination *to, const char *fingerprint, am_error *err) {
    char *other = NULL, *meant = NULL;
    am_status status = to->folder && !to->force ? am_output_study_of(to->folder, &other, &meant, err) : AM_OK;
    bool renamed = other && strcmp(file_of(other), file_of(study->name)) != 0;
    bool changed = meant && (!fingerprint || strcmp(meant, fingerprint) != 0);
    if (status == AM_OK && (changed || (renamed && fingerprint)))
        status = am_fail(err, AM_ERR_INPUT,
                         "%s holds the results of %s%s: take another folder (--out), or write over them with --force",
                         to->folder, other ? other : "another study",
                         renamed ? "" : " with another model, analysis or sweep");
    am_memory_free(other);
    am_memory_free(meant);
    return status;
}

static am_status run_sweep(const am_study *study, am_run *run, const destination *to, const am_progress *progress,
                           am_error *err) {
    am_sweep_place place = {study->name, &study->files, &study->named, to->folder, to->force};
    char fingerprint[AM_SWEEP_FINGERPRINT];
    AM_TRY(am_sweep_fingerprint(study->root, &study->named, false, fingerprint, err));
    run->report.fingerprint = fingerprint;
    AM_TRY(am_arena_keep(run->pool, &run->report.fingerprint, err));
    AM_TRY(check_results(study, to, fingerprint, err));
    return am_sweep_run(&study->setting.sweep, study->root, &place, run->result, progress, err);
}

static am_status compute(const am_study *study, am_run *run, const destination *to, const am_progress *progress,
                         am_error *err) {
    const am_sweep_setting *sweep = &study->setting.sweep;
    double start = am_clock_seconds();
    am_status status = AM_OK;
    if (!sweep->axes.node)
        AM_TRY(check_results(study, to, NULL, err));
    if (study->setting.follow.parameter)
        status = am_follow_study(&study->setting.follow, study->root, &study->made, run->result, progress, err);
    else if (sweep->axes.node)
        status = run_sweep(study, run, to, progress, err);
    else
        status = am_case_run(&study->made, run->result, progress, err);
    run->report.seconds = am_clock_seconds() - start;
    return status;
}

static am_status judge(const am_study *study, am_run *run, am_error *err) {
    am_reading reading = {.pool = run->pool, .files = &study->files, .err = err};
    am_expectation *expectations = NULL;
    if (!study->setting.expect || am_result_find(run->result, "preview"))
        return AM_OK; /* they are about the whole */
    am_status status = am_expect_compare(&reading, study->setting.expect, run->result, &run->report.expectation_count,
                                         &expectations, &run->expect_mistake);
    run->report.expectations = expectations;
    return status;
}

static am_status draw(const am_study *study, am_run *run, am_error *err) {
    const am_figure_setting *setting = &study->setting.figure;
    am_reading reading = {.pool = run->pool, .files = &study->files, .err = err};
    if (!setting->node)
        return AM_OK;
    const char *table = study->setting.follow.parameter  ? "branch"
                        : study->setting.sweep.axes.node ? "sweep"
                                                         : "samples";
    am_table *given = NULL;
    AM_TRY(am_figure_add_points(setting, run->result, &given, err));
    am_status status = am_figure_fit(&reading, setting, run->result, table, &run->figure);
    if (!run->figure.title)
        run->figure.title = study->setting.title;
    run->report.figure = &run->figure;
    return status == AM_OK ? am_figure_keep(run->pool, &run->figure, err) : status;
}

static am_status animate(const am_study *study, am_run *run, am_error *err) {
    am_reading reading = {.pool = run->pool, .files = &study->files, .err = err};
    return study->setting.animation.node ? am_animation_fit(&reading, &study->setting.animation, study->setting.title,
                                                            &study->made, run->result, &run->report.animation)
                                         : AM_OK;
}

/* A figure of what is not there is not drawn; the results are there nevertheless. */
static am_status try_to_draw(const am_study *study, am_run *run, am_error *err) {
    am_status status = draw(study, run, &run->figure_mistake);
    if (status == AM_ERR_INPUT)
        run->report.figure = NULL;
    if (status == AM_OK)
        status = animate(study, run, &run->figure_mistake);
    if (status == AM_OK || status == AM_ERR_INPUT)
        return AM_OK;
    *err = run->figure_mistake;
    return status;
}

static am_status describe(const am_study *study, am_run *run, am_error *err) {
    const am_study_setting *setting = &study->setting;
    am_report *report = &run->report;
    report->study = study->name;
    report->title = setting->title ? setting->title : "";
    report->source = setting->source ? setting->source : "";
    report->about = setting->about ? setting->about : "";
    report->analysis = am_study_analysis(study);
    report->result = run->result;
    report->topic = setting->topic ? setting->topic : "";
    report->correction = setting->correction ? setting->correction : "";
    report->verdict = setting->verdict;
    const char **texts[] = {&report->study, &report->title, &report->source,
                            &report->about, &report->topic, &report->correction};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        AM_TRY(am_arena_keep(run->pool, texts[i], err));
    report->claim_count = setting->claims.count;
    report->claims = am_texts_keep(run->pool, setting->claims.count, setting->claims.values, err);
    return am_arena_status(run->pool);
}

/* What was computed until the run was stopped, if that means something; expectations are about the whole. */
static bool record_part(const am_study *study, am_run *run) {
    am_error unheard = {0};
    run->interrupted = am_watch_marked(run->result) && describe(study, run, &unheard) == AM_OK;
    if (run->interrupted && draw(study, run, &unheard) != AM_OK)
        run->report.figure = NULL; /* an interrupted result may lack what the figure shows */
    return run->interrupted;
}

static am_run *run_into(const am_study *study, const destination *to, const am_progress *progress, am_error *own) {
    am_run *run = am_memory_new(1, sizeof *run, own);
    if (!run)
        return NULL;
    run->tag = AM_TAG_RUN;
    run->pool = am_arena_create(own);
    run->result = run->pool ? am_result_create(own) : NULL;
    am_status status = run->result ? am_study_record(study, run->pool, &run->provenance, own) : AM_ERR_MEMORY;
    run->report.provenance = &run->provenance;
    am_progress here = progress ? *progress : (am_progress){.threads = 1};
    here.folder = to->folder;
    am_watch watch;
    am_watch_begin(&watch, progress);
    if (status == AM_OK)
        status = compute(study, run, to, &here, own);
    status = am_watch_end(&watch, status, own);
    if (status == AM_OK)
        status = describe(study, run, own);
    if (status == AM_OK)
        status = judge(study, run, own);
    if (status == AM_OK)
        status = try_to_draw(study, run, own);
    if (status == AM_OK || (status == AM_ERR_INTERRUPTED && record_part(study, run)))
        return run;
    am_node_name_field(study->root, own);
    am_run_free(run);
    return NULL;
}

void am_study_settled(const char *folder) {
    am_sweep_parts_remove(folder, NULL);
}

/* ---- the beginning ---- */

static void begin_whole(const am_study *study, am_error *err) {
    size_t left = am_case_questions(&study->made, 0);
    const am_progress beginning = {.report = am_case_go_on, .context = &left, .threads = 1};
    am_watch watch;
    am_watch_apart(&watch, &beginning);
    am_run_free(run_into(study, &(destination){0}, &beginning, err));
    am_watch_end(&watch, AM_ERR_INTERRUPTED, NULL);
}

/* An analysis of a sweep refuses the study where it refuses each of its points. */
static void begin_analysis(const am_study *study, size_t index, am_error *err) {
    if (study->setting.sweep.axes.node)
        am_sweep_begin(&study->setting.sweep, study->root, &study->files, index, err);
    else if (!study->setting.follow.parameter && index > 0)
        am_case_begin(&study->made, index, err);
}

am_status am_study_begin(const am_study *study, am_error *err) {
    if (!am_is(study, AM_TAG_STUDY))
        return am_misused(err, __func__);
    for (size_t i = 0; i <= study->made.count; i++) { /* the whole; then each analysis */
        am_error own = {0};
        if (i == 0)
            begin_whole(study, &own);
        else
            begin_analysis(study, i - 1, &own);
        if (own.status == AM_ERR_INPUT) {
            am_node_name_field(study->root, &own);
            if (err)
                *err = own;
            return own.status;
        }
    }
    return AM_OK;
}

/* ---- the run ---- */

/* A run that failed: what its beginning refuses is a mistake in the study, whatever the run stumbled over; what only
 * the computation found is none. (A complaint without a place in the study is about the folder.) */
static void tell_apart(const am_study *study, am_error *err) {
    am_error mistake = {0};
    if (err->status == AM_ERR_INTERRUPTED || am_status_is_fatal(err->status))
        return;
    if (am_study_begin(study, &mistake) == AM_ERR_INPUT)
        *err = mistake;
    else if (err->status == AM_ERR_INPUT && am_error_place_of(err->message).line > 0)
        err->status = AM_ERR_UNSUPPORTED;
}

am_run *am_study_run_into(const am_study *study, const char *folder, bool force, const am_progress *progress,
                          am_error *err) {
    if (!am_is(study, AM_TAG_STUDY))
        return am_misused_for_nothing(err, __func__);
    am_error local = {0};
    am_error *own = err ? err : &local;
    am_run *run = run_into(study, &(destination){folder, force}, progress, own);
    if (!run)
        tell_apart(study, own);
    return run;
}

am_run *am_study_run(const am_study *study, const am_progress *progress, am_error *err) {
    if (!am_is(study, AM_TAG_STUDY))
        return am_misused_for_nothing(err, __func__);
    return am_study_run_into(study, NULL, false, progress, err);
}

bool am_run_interrupted(const am_run *run) {
    if (!am_is(run, AM_TAG_RUN))
        return false;
    return run->interrupted;
}

am_status am_run_note_command(am_run *run, const char *command, am_error *err) {
    if (!am_is(run, AM_TAG_RUN))
        return am_misused(err, __func__);
    run->provenance.command = command;
    return am_arena_keep(run->pool, &run->provenance.command, err);
}

const am_report *am_run_report(const am_run *run) {
    if (!am_is(run, AM_TAG_RUN))
        return NULL;
    return &run->report;
}

bool am_run_met(const am_run *run) {
    if (!am_is(run, AM_TAG_RUN))
        return false;
    for (size_t i = 0; i < run->report.expectation_count; i++)
        if (!run->report.expectations[i].ok)
            return false;
    return true;
}

const am_error *am_run_mistake(const am_run *run, bool figure) {
    if (!am_is(run, AM_TAG_RUN))
        return NULL;
    const am_error *mistake = figure ? &run->figure_mistake : &run->expect_mistake;
    return mistake->status != AM_OK ? mistake : NULL;
}

void am_run_free(am_run *run) {
    if (!am_is(run, AM_TAG_RUN))
        return;
    am_result_free(run->result);
    am_arena_free(run->pool);
    am_object_bury(run, sizeof *run);
}
