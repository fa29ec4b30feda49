/* `sweep:` of a study: the study again at every point of a grid of parameters, in parallel. */
#ifndef AMONTONS_STUDY_SWEEP_H
#define AMONTONS_STUDY_SWEEP_H
#include "amontons/progress.h"
#include "amontons/result.h"
#include "study/schema.h"

typedef struct am_sweep_axis {
    double from, to;
    size_t count;
    int spacing; /* am_sweep_spacing */
    am_numbers values;
} am_sweep_axis;

typedef struct am_sweep_setting {
    am_records axes; /* of am_sweep_axis, by path */
    am_texts outputs;
    am_texts tables;
    const char *over;  /* an axis; NULL: none */
    const char *ratio; /* an axis; NULL: none */
} am_sweep_setting;

extern const am_schema am_sweep_schema, am_sweep_axis_schema;

/* Before the run: the corners of the grid must be sound studies. */
am_status am_sweep_check(am_reading *reading, const am_sweep_setting *sweep, const am_node *root);

/* Table `sweep` (axes, outputs, `failure`), and `peaks` with `over`; summary `points`, `failed`, `first_failure`, and
 * least_x, greatest_x of every output x that is a number. */
am_status am_sweep_run(const am_sweep_setting *sweep, const am_node *root, const char *folder, am_result *result,
                       const am_progress *progress, am_error *err);

/* Of the table `sweep`: summary values, and the tables `peaks` and `ratios`. */
am_status am_sweep_extremes(const am_sweep_setting *sweep, const am_table *table, am_result *result, am_error *err);
am_status am_sweep_peaks(const am_sweep_setting *sweep, const am_table *table, am_result *result, am_error *err);
am_status am_sweep_ratios(const am_sweep_setting *sweep, const am_table *table, am_result *result, am_error *err);

/* The tables that `tables` names: those of all points (NULL: failed), one below the other. */
am_status am_sweep_tables(am_reading *reading, const am_sweep_setting *sweep, am_result *const *points, size_t count,
                          am_result *result);

#endif
