/* What a sweep knows of its points: outputs and failures, in memory and in files that outlive the program.
 *
 * While a sweep runs into a folder, finished points are kept in <folder>/sweep-parts/: plan.json says of which study,
 * and every so often a NetCDF file appears there, written aside and renamed, with the points finished since the last
 * one. A sweep that finds such a folder goes on from it. Ranks of a team write files of their own and read each
 * other's. */
#ifndef AMONTONS_STUDY_SWEEP_POINTS_H
#define AMONTONS_STUDY_SWEEP_POINTS_H
#include <stdint.h>

#include "base/dictionary.h"
#include "study/sweep/sweep.h"

/* What the numbers of a sweep depend on, in short: its model, analyses and axes, and the files these name; for points
 * that shall go together in one table, also the version of this program. Not the words, the figure, the expectations.
 */
enum { AM_SWEEP_FINGERPRINT = 17 };
am_status am_sweep_fingerprint(const am_node *root, const am_named_files *named, bool with_version,
                               char text[AM_SWEEP_FINGERPRINT], am_error *err);

typedef enum am_sweep_known { AM_SWEEP_OPEN, AM_SWEEP_DONE, AM_SWEEP_FAILED, AM_SWEEP_FILLED } am_sweep_known;

/* An output of a point. */
typedef struct am_sweep_cell {
    double number;    /* NaN beside a text */
    const char *text; /* NULL: a number */
} am_sweep_cell;

/* An output of all points. Each part is made when the first point needs it. */
typedef struct am_sweep_column {
    double *numbers; /* points */
    uint32_t *texts; /* points: code + 1; 0: a number */
} am_sweep_column;

typedef struct am_sweep_record {
    const am_sweep_setting *sweep;
    am_arena *pool; /* of the outputs' names */
    size_t points, output_count;
    const char **outputs;
    unsigned char *known;     /* points: am_sweep_known */
    am_sweep_column *columns; /* outputs; NULL: their names are not known yet */
    uint32_t *failures;       /* points: code + 1, 0: none; NULL: no point has failed */
    am_dictionary words;      /* of texts and failures */
    am_result **kept;         /* points: their tables, when `tables` are wanted */
    size_t done, failed;      /* points known, and failed ones among them */
    /* Files */
    char *folder;                    /* of the parts; NULL: none are written */
    char *study;                     /* its name */
    char plan[AM_SWEEP_FINGERPRINT]; /* of the study */
    size_t rank, serial;
    uint64_t *read; /* sums of the names of files whose points are known */
    size_t read_count;
    bool lists; /* points that are in no file yet, or that other members do not know, are listed: */
    uint32_t *pending;
    size_t pending_count, pending_capacity;
    double begun, written; /* when the sweep began, when the last file was written */
} am_sweep_record;

am_status am_sweep_record_init(am_sweep_record *record, const am_sweep_setting *sweep, am_error *err);
void am_sweep_record_clear(am_sweep_record *record);

/* The names of the outputs: copied. */
am_status am_sweep_record_name(am_sweep_record *record, size_t count, const char *const *outputs, am_error *err);

/* Bytes that a point takes, in the end, with so many outputs that are numbers (texts take half). */
double am_sweep_record_bytes(const am_sweep_setting *sweep, size_t outputs);

/* What is known of a point. Borrowed; failure: NULL if there is none. */
am_sweep_cell am_sweep_record_cell(const am_sweep_record *record, size_t point, size_t output);
const char *am_sweep_record_failure(const am_sweep_record *record, size_t point);

/* Enter it; texts are copied. Not for two threads at once, like everything that changes the record. */
am_status am_sweep_record_put(am_sweep_record *record, size_t point, size_t output, am_sweep_cell cell, am_error *err);
am_status am_sweep_record_put_failure(am_sweep_record *record, size_t point, const char *failure, am_error *err);
void am_sweep_record_clear_failure(am_sweep_record *record, size_t point);

/* What a point came to. The tables that are kept are taken out of `result`, the rest is copied. `failure`: NULL: none.
 */
am_status am_sweep_record_enter(am_sweep_record *record, size_t point, am_result *result, const char *failure,
                                am_error *err);

/* Tables and summary of the sweep, once all points are known: the record's numbers go into the table. */
am_status am_sweep_fill(am_sweep_record *record, const am_files *files, am_result *result, am_error *err);

/* ---- Files ---- */

/* Parts go into <place->results>/sweep-parts. Finds what is there already: AM_ERR_INPUT, with the name of the study,
 * when that belongs to another one (place->force: it is removed). `root`: the study's tree, whose meaning the parts
 * must share. *found: the outputs are known, and points may be (am_sweep_record_gather). */
am_status am_sweep_record_open(am_sweep_record *record, const am_sweep_place *place, const am_node *root, size_t rank,
                               bool *found, am_error *err);

/* Member 0, once the outputs are known. */
am_status am_sweep_record_plan(am_sweep_record *record, am_error *err);

/* Writes what is pending: if the last time is long enough ago, or in any case with `all`. */
am_status am_sweep_record_flush(am_sweep_record *record, bool all, am_error *err);

/* Reads the files of all members that it has not read yet. Damaged ones are skipped (and removed by member 0). */
am_status am_sweep_record_gather(am_sweep_record *record, am_error *err);

/* Without files: all members call it and know afterwards what each of them knew. */
am_status am_sweep_record_exchange(am_sweep_record *record, const am_team *team, am_error *err);

/* Removes the folder with the parts of a folder of results. */
am_status am_sweep_parts_remove(const char *folder, am_error *err);

/* Calls `visit` with each of these files, and whether it is as it was written. No folder, or no plan in it: none. */
typedef void am_sweep_part_visit(void *context, const char *name, bool whole);
am_status am_sweep_parts_verify(const char *folder, am_sweep_part_visit *visit, void *context, am_error *err);

/* A sum of bytes, to know them again: hash = am_sweep_hash(AM_SWEEP_HASH_BEGIN, ...), then with itself. */
#define AM_SWEEP_HASH_BEGIN UINT64_C(14695981039346656037)
uint64_t am_sweep_hash(uint64_t hash, const char *bytes, size_t count);

#endif
