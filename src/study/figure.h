/* `figure:` of a study: read before the run, fitted to the tables after it. */
#ifndef AMONTONS_STUDY_FIGURE_H
#define AMONTONS_STUDY_FIGURE_H
#include "amontons/output.h"
#include "study/number_table.h"
#include "study/schema.h"

typedef enum am_figure_scale { AM_SCALE_LINEAR, AM_SCALE_LOG } am_figure_scale;

/* A curve of columns of a table, or through points that the study gives: those are in the table `given` under their
 * number, the value of the curve. */
typedef struct am_curve_setting {
    am_curve curve;
    const am_node *given; /* NULL: no points */
    am_number_table points;
} am_curve_setting;

typedef struct am_figure_setting {
    am_figure_kind kind;
    const char *title, *x_label, *y_label;
    const char *table, *x, *y, *value, *by;
    am_records curves; /* of am_curve_setting */
    am_texts shown;
    bool equal_axes, edges;
    am_numbers x_range, y_range, value_range;
    int x_scale, y_scale; /* am_figure_scale */
    double scale;         /* of displacements; NaN: automatic */
    am_records panels;    /* of am_figure_setting */
    size_t columns;
    const am_node *node;
} am_figure_setting;

extern const am_schema am_figure_schema, am_curve_schema, am_panel_schema;

/* Numbers the curves through given points from *count + 1 on, panels included. */
void am_figure_number_points(am_figure_setting *figure, size_t *count);

/* Adds the points that the study gives to its figure to the table `given`, which is made where there are such and *table
 * is NULL. */
am_status am_figure_add_points(const am_figure_setting *figure, am_result *result, am_table **table, am_error *err);

/* Check every table and column against the result and fill `figure` (its arrays in the pool). `table` is used where the
 * study names none. */
am_status am_figure_fit(am_reading *reading, const am_figure_setting *setting, const am_result *result,
                        const char *table, am_figure *figure);

/* Copy every text and number into the pool, so that the figure outlives the study. */
am_status am_figure_keep(am_arena *pool, am_figure *figure, am_error *err);

#endif
