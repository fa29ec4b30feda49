/* Study files: read, check, run. See docs/study.md. */
#ifndef AMONTONS_STUDY_H
#define AMONTONS_STUDY_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"
#include "amontons/model.h"
#include "amontons/output.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_study am_study;

/* One `--set path=value`: replaces or adds a field before checking ("model.friction", "0.3"; "analysis.until", "10").
 */
typedef struct am_setting {
    const char *path, *value;
} am_setting;

/* An array in memory that the study names, {array: NAME}, where it could say a list of numbers or a matrix. */
typedef struct am_study_array {
    const char *name;
    size_t rows, columns;    /* columns 0: a list of `rows` numbers */
    const double *values;    /* rows * columns, row-major */
    const am_matrix *matrix; /* instead of them: a matrix, sparse or not; NULL: `values` */
} am_study_array;

/* How a study is read. `full` takes the study's `full:` variant (a mapping of paths to values), where it has one.
 * `allowed`: folders outside that of the study file from which it may read matrices, tables and meshes too; otherwise a
 * file that it names and that does not lie below its own folder is refused (docs/security.md). Arrays are copied; lists,
 * and matrices of at most AM_STUDY_LISTED rows, become numbers of the study as if it had written them, with names
 * ("stiffness.0.1"). */
enum { AM_STUDY_LISTED = 32 };
typedef struct am_study_options {
    size_t setting_count;
    const am_setting *settings;
    bool full;
    size_t allowed_count;
    const char *const *allowed;
    size_t array_count;
    const am_study_array *arrays;
} am_study_options;

/* Read and check a study completely: nothing is run. NULL on failure, with "file:line:column: what is wrong; what was
 * expected" in err->message. am_study_open_text reads the text of a file called `name`. */
AM_API am_study *am_study_open(const char *path, const am_study_options *options, am_error *err);
AM_API am_study *am_study_open_text(const char *name, const char *text, const am_study_options *options, am_error *err);

/* The same without folders that are allowed and without arrays. */
AM_API am_study *am_study_read(const char *path, size_t setting_count, const am_setting *settings, bool full,
                               am_error *err);
AM_API am_study *am_study_parse(const char *name, const char *text, size_t setting_count, const am_setting *settings,
                                bool full, am_error *err);
AM_API void am_study_free(am_study *study);

/* Begins a run, and each analysis under `also`, and ends it after some 20 ms of work (`slip`: 100): by then it has refused what is
 * wrong with its options, loads and starts. AM_ERR_INPUT with what is wrong; AM_OK else, whatever became of it. What
 * this refuses `am_study_run` calls AM_ERR_INPUT, and nothing else about a study that was read: a later complaint of
 * the computation is AM_ERR_UNSUPPORTED, and what the results lack is am_run_mistake. */
AM_API am_status am_study_begin(const am_study *study, am_error *err);

/* The system the study's model expands to (borrowed). */
AM_API const am_system *am_study_system(const am_study *study);

/* A new model of the study's structure that knows all its numbers by their paths below `model:`
 * ("contacts.0.friction", "loads.1.sine.amplitude", "stiffness.0.1"): those that the study gives, and those that it
 * leaves out in the mappings it has. A number whose value is NAN is left out, and the structure has a rule for it
 * (static friction equal to friction): set, it is given; with the value it had first it is left out again. Numbers inside of files have no names.
 * The study must live as long as the model. NULL with err filled. */
AM_API am_model *am_study_open_model(const am_study *study, am_error *err);

AM_API const char *am_study_analysis(const am_study *study); /* kind, or "sweep" */
AM_API const char *am_study_title(const am_study *study);    /* "" if it has none */

/* The study with its model written out as `kind: structure` (YAML, to be run as it is). Freed with am_output_text_free.
 */
AM_API char *am_study_show(const am_study *study, am_error *err);

/* A finished run: owns the result and all text of the report. */
typedef struct am_run am_run;

/* A run that progress has stopped is NULL with AM_ERR_INTERRUPTED, unless what it has got means something (a motion or
 * a path until then, a branch so far): then it is returned with the same error, and am_run_interrupted says so. */
AM_API am_run *am_study_run(const am_study *study, const am_progress *progress, am_error *err);

/* The same with a folder for the results: a sweep keeps finished points there while it runs (in sweep-parts/) and goes
 * on from them when it was interrupted, whatever by. A team (progress->team) needs one. Of a folder that holds parts or
 * results of another study (`force` false) a sweep says so: AM_ERR_INPUT. */
AM_API am_run *am_study_run_into(const am_study *study, const char *folder, bool force, const am_progress *progress,
                                 am_error *err);

/* To be called when the results are written: removes the points that a sweep kept while it ran. */
AM_API void am_study_settled(const char *folder);

/* am_output_verify, and the points that a sweep under way has kept. A sweep that was not finished is no fault of the
 * points it kept, but *whole is false: there are no results yet. */
AM_API am_status am_study_verify(const char *folder, am_output_finding *report, void *context, bool *whole,
                                 am_error *err);

AM_API const am_report *am_run_report(const am_run *run);
AM_API bool am_run_interrupted(const am_run *run); /* stopped on the way: part of the result, marked in its summary */
AM_API bool am_run_met(const am_run *run);         /* every expectation was met */
AM_API am_status am_run_note_command(am_run *run, const char *command, am_error *err); /* for the provenance; copied */

/* What the study's `figure` (or its `expect`) names and only the finished run showed not to be there: a row of a table,
 * say. NULL: nothing. The results are whole; the curve, or the figure if nothing is left of it, is left out, the
 * expectation is not met. */
AM_API const am_error *am_run_mistake(const am_run *run, bool figure);
AM_API void am_run_free(am_run *run);

/* What `amontons plot --animate` writes: the structure of a study in motion, from the results that a run of it left in
 * `folder`, as SVG that moves without scripts. Freed with am_output_text_free. NULL on failure: AM_ERR_INPUT where nothing
 * moves. */
AM_API char *am_study_animate(const am_study *study, const char *folder, am_error *err);

/* A commented study to start from, for a model kind or an analysis kind (`amontons new`). Freed with
 * am_output_text_free. */
AM_API char *am_study_template(const char *kind, am_error *err);

/* Lists for `amontons list` and `help`: what = "models", "analyses", "laws", or a kind or topic. Freed with
 * am_output_text_free. */
AM_API char *am_study_list(const char *what, am_error *err);
AM_API char *am_study_help(const char *topic, am_error *err);

/* The same for programs: one JSON document with the rows of every model, analysis and topic (name, type, unit, whether it
 * is required, what it is when left out, words, one sentence), and every summary value, table and column with its unit
 * (docs/study.md). Freed with am_output_text_free. */
AM_API char *am_study_description(am_error *err);

#ifdef __cplusplus
}
#endif
#endif
