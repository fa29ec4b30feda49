/* `sweep:` of a study: the study again at every point of a grid of parameters, in parallel. */
#ifndef AMONTONS_STUDY_SWEEP_SWEEP_H
#define AMONTONS_STUDY_SWEEP_SWEEP_H
#include "amontons/result.h"
#include "study/schema.h"

/* How the values of an axis are chosen. */
typedef enum am_sweep_draw { AM_SWEEP_GRID, AM_SWEEP_RANDOM, AM_SWEEP_SOBOL } am_sweep_draw;

typedef struct am_sweep_axis {
    double from, to;
    size_t count;
    int spacing; /* am_sweep_spacing */
    int draw;    /* am_sweep_draw; axes that are drawn go together: one set of points in all of them */
    am_numbers values;
} am_sweep_axis;

/* A map with fewer points: a coarse grid, then finer ones where an output changes. */
typedef struct am_sweep_refine {
    const char *output; /* NULL: no refinement */
    size_t coarse;      /* steps of the grid to begin with: a power of two */
    double tolerance;   /* numbers that differ by more are a change */
} am_sweep_refine;

/* Something that happens at a point or not: an output above one limit, below another. */
typedef struct am_sweep_condition {
    const char *output;
    double above, below; /* NAN: no such limit */
} am_sweep_condition;

typedef struct am_sweep_setting {
    am_records axes; /* of am_sweep_axis, by path */
    am_texts outputs;
    am_texts tables;
    const char *over;  /* an axis; NULL: none */
    const char *ratio; /* an axis; NULL: none */
    am_sweep_refine refine;
    am_records conditions; /* of am_sweep_condition, by name; of drawn axes */
    size_t seed;           /* of drawn axes */
} am_sweep_setting;

extern const am_schema am_sweep_schema, am_sweep_axis_schema, am_sweep_refine_schema;

/* Are any of its points drawn? */
bool am_sweep_is_drawn(const am_sweep_setting *sweep);

/* Does an entry of `outputs` mean this name? A star at its end stands for anything. */
bool am_sweep_matches(const char *pattern, const char *name);

/* Before the run: the axes must be numeric fields, and the study sound at some corner of the grid or between. */
am_status am_sweep_check(am_reading *reading, const am_sweep_setting *sweep, const am_node *root);

/* Where a sweep runs. */
typedef struct am_sweep_place {
    const char *study;           /* its name */
    const am_files *files;       /* where files of the study may lie */
    const am_named_files *named; /* and those it names */
    const char *results;         /* folder of the results, where parts are kept; NULL: none are */
    bool force;                  /* parts of another study are thrown away */
} am_sweep_place;

/* Table `sweep` (axes, outputs, `failure`; with `refine` also `evaluated`), and `peaks` with `over`; summary `points`,
 * `evaluated`, `failed`, `first_failure`, and least_x, greatest_x (mean_x where points were drawn) of every output x
 * that is a number. All members of a
 * team end with the same result. */
am_status am_sweep_run(const am_sweep_setting *sweep, const am_node *root, const am_sweep_place *place,
                       am_result *result, const am_progress *progress, am_error *err);

/* Does one of the analyses refuse every point when it begins? err says what the sweep would say; points are begun until
 * one is not refused, a thousand at most. */
void am_sweep_begin(const am_sweep_setting *sweep, const am_node *root, const am_files *files, size_t analysis,
                    am_error *err);

/* Of the table `sweep`: summary values; the tables `statistics`, `probabilities` and `sensitivity` of drawn points; the
 * tables `peaks` and `ratios`. */
am_status am_sweep_extremes(const am_sweep_setting *sweep, const am_table *table, am_result *result, am_error *err);
am_status am_sweep_statistics(const am_sweep_setting *sweep, const am_table *table, am_result *result, am_error *err);
am_status am_sweep_peaks(const am_sweep_setting *sweep, const am_table *table, am_result *result, am_error *err);
am_status am_sweep_ratios(const am_sweep_setting *sweep, const am_table *table, am_result *result, am_error *err);

/* No point succeeded: the reason of the first, its place in the study in front. `why`: AM_ERR_INPUT where all of them
 * were refused, AM_ERR_EVIDENCE otherwise. */
am_status am_sweep_all_failed(am_status why, size_t count, const char *first, am_error *err);

/* The tables that `tables` names: those of all points (NULL: failed), one below the other. */
am_status am_sweep_tables(am_reading *reading, const am_sweep_setting *sweep, am_result *const *points, size_t count,
                          am_result *result);

#endif
