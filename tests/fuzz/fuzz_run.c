/* Complete runs: a study is read, run with bounded work, and what comes out is held against what is promised. A part of
 * the inputs, always the same ones, is also run twice (same bits), written, verified, and repeated from the record in
 * the results. */
#define _XOPEN_SOURCE 700
#include <cjson/cJSON.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "amontons/study.h"
#include "base/watch.h"
#include "harness.h"
#include "same_result.h"

static const char name[] = AMONTONS_FUZZ_FILES "/study.yaml";

enum {
    MOST_COORDINATES = 48, /* dense algebra on more is slow under sanitizers, and LAPACK cannot be interrupted */
    QUESTIONS = 3,         /* a run may do so many million operations */
    TWICE = 4,             /* one input of so many is run twice */
    AS_JSON = 8,           /* one of so many is written as JSON, which takes longer than most runs */
    WRITTEN = 16,          /* one of so many is written and verified */
    DRAWN = 512            /* one of so many with its figure: gnuplot takes a tenth of a second */
};

static am_study *read_text(const char *text, am_error *err) {
    fuzz_bound bound = {QUESTIONS};
    am_progress progress = fuzz_bounded(&bound);
    am_watch watch;
    am_watch_begin(&watch, &progress);
    am_study *study = am_study_parse(name, text, 0, NULL, false, err);
    am_watch_end(&watch, AM_OK, NULL);
    return study;
}

static am_run *run_bounded(const am_study *study, am_error *err) {
    fuzz_bound bound = {QUESTIONS};
    am_progress progress = fuzz_bounded(&bound);
    return am_study_run(study, &progress, err);
}

/* ---- what a run promises ---- */

/* Evidence is a number that is not negative; there is no success with evidence that is infinite. */
static void require_evidence(const am_result *result) {
    for (size_t i = 0; i < am_result_scalar_count(result); i++) {
        const am_scalar *scalar = am_result_scalar(result, i);
        const char *at = strstr(scalar->name, "residual");
        if (!at || scalar->kind != AM_SCALAR_NUMBER)
            continue;
        if (!(isfinite(scalar->number) && scalar->number >= 0.0))
            fprintf(stderr, "%s = %g\n", scalar->name, scalar->number);
        fuzz_require(isfinite(scalar->number) && scalar->number >= 0.0, "evidence of a result is finite");
    }
}

static void require_json(const am_report *report) {
    am_error err = {0};
    char *text = am_output_json(report, true, 0, NULL, &err);
    fuzz_require(text, "a result can be written as JSON");
    cJSON *document = cJSON_Parse(text);
    fuzz_require(document, "and that is JSON");
    fuzz_require((size_t)cJSON_GetArraySize(cJSON_GetObjectItem(document, "tables")) ==
                     am_result_table_count(report->result),
                 "with all tables");
    cJSON_Delete(document);
    am_output_text_free(text);
}

static void require_judged(const am_run *run) {
    const am_report *report = am_run_report(run);
    bool met = true;
    for (size_t i = 0; i < report->expectation_count; i++) {
        const am_expectation *e = &report->expectations[i];
        fuzz_require(e->name && e->wanted && e->got, "an expectation says what was wanted and what was got");
        met = met && e->ok;
    }
    fuzz_require(met == am_run_met(run), "expectations are met when all of them are");
    for (int figure = 0; figure < 2; figure++)
        if (am_run_mistake(run, figure))
            fuzz_require_failure(am_run_mistake(run, figure)->status, am_run_mistake(run, figure));
}

static void require_outcome(const am_run *run, const am_error *err, bool json) {
    if (!run || am_run_interrupted(run))
        fuzz_require_failure(err->status, err);
    if (!run)
        return;
    fuzz_require(!am_run_interrupted(run) || err->status == AM_ERR_INTERRUPTED, "a part of a result says so");
    if (!am_run_interrupted(run))
        require_evidence(am_run_report(run)->result);
    require_judged(run);
    if (json)
        require_json(am_run_report(run));
}

/* The same outcome: status, message, all bits. */
static bool same_outcome(const am_run *a, const am_error *a_err, const am_run *b, const am_error *b_err) {
    if (!a != !b || a_err->status != b_err->status || strcmp(a_err->message, b_err->message) != 0)
        return false;
    return !a || fuzz_same_result(am_run_report(a)->result, am_run_report(b)->result);
}

static void require_same_again(const am_study *study, const am_run *run, const am_error *err) {
    am_error again_err = {0};
    am_run *again = run_bounded(study, &again_err);
    if (!same_outcome(run, err, again, &again_err))
        fprintf(stderr, "first: %s\nagain: %s\n", err->message, again_err.message);
    fuzz_require(same_outcome(run, err, again, &again_err), "the same study gives the same bits");
    am_run_free(again);
}

/* ---- results on the disk ---- */

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info, (void)kind, (void)place;
    return remove(path);
}

static char folder[64];

static void remove_folder(void) {
    if (folder[0])
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A folder of our own in memory. */
static const char *results_folder(void) {
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "%s/amontons-fuzz-%ld", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
                 (long)getpid());
        atexit(remove_folder);
    }
    remove_folder();
    return folder;
}

static void tell(void *context, const char *file, const char *words, bool fault) {
    (void)context;
    if (fault)
        fprintf(stderr, "%s: %s\n", file, words);
}

static void require_repeated(const char *path, const am_run *run, const am_error *err) {
    am_error again_err = {0};
    am_study *study = am_study_read(path, 0, NULL, false, &again_err);
    if (!study)
        fprintf(stderr, "%s\n", again_err.message);
    fuzz_require(study, "the study in the results is a study");
    am_run *again = run_bounded(study, &again_err);
    const am_scalar *failure = am_result_find(am_run_report(run)->result, "first_failure");
    if (!failure || failure->kind == AM_SCALAR_NONE) /* a point of a sweep that failed names the file and the line */
        fuzz_require(same_outcome(run, err, again, &again_err), "which gives the same bits again");
    am_run_free(again);
    am_study_free(study);
}

static void require_written(const am_run *run, const am_error *run_err, bool figure) {
    am_report report = *am_run_report(run);
    am_error err = {0};
    char path[96];
    bool whole = false;
    const char *results = results_folder();
    if (!figure)
        report.figure = NULL;
    am_status status = am_output_folder(&report, results, NULL, &err);
    if (status != AM_OK) { /* of what was promised only the figure may turn out not to be drawable */
        fprintf(stderr, "%s\n", err.message);
        fuzz_require_failure(status, &err);
        fuzz_require(figure, "results can be written");
        return;
    }
    fuzz_require(am_output_verify(results, tell, NULL, &whole, &err) == AM_OK && whole, "what was written is whole");
    snprintf(path, sizeof path, "%s/study.yaml", results);
    if (!am_run_interrupted(run))
        require_repeated(path, run, run_err);
}

/* How many inputs were studies, and how their runs ended; told at the end. */
static size_t ended_well, ended_early, failed, written;

static void tell_runs(void) {
    fprintf(stderr,
            "complete runs: %zu with a result, %zu stopped by the bound, %zu failed; %zu written and verified\n",
            ended_well, ended_early, failed, written);
}

static void count(const am_run *run, const am_error *err) {
    if (ended_well + ended_early + failed == 0)
        atexit(tell_runs);
    if (run && !am_run_interrupted(run))
        ended_well++;
    else if (err->status == AM_ERR_INTERRUPTED)
        ended_early++;
    else
        failed++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    am_error err = {0};
    char *text = fuzz_text(data, size);
    uint64_t hash = fuzz_hash(data, size);
    am_study *study = read_text(text, &err);
    free(text);
    if (!study) {
        fuzz_require_failure(err.status, &err);
        return 0;
    }
    if (!am_study_system(study) || am_system_size(am_study_system(study)) <= MOST_COORDINATES) {
        am_run *run = run_bounded(study, &err);
        count(run, &err);
        require_outcome(run, &err, hash % AS_JSON == 2);
        if (hash % TWICE == 0)
            require_same_again(study, run, &err);
        if (run && hash % WRITTEN == 1) {
            require_written(run, &err, hash % DRAWN == 1);
            written++;
        }
        am_run_free(run);
    }
    am_study_free(study);
    return 0;
}
