/* The points of a curve, read once: where its line breaks, how often it turns, whether it lies on another. */
#ifndef AMONTONS_OUTPUT_FIGURE_POINTS_H
#define AMONTONS_OUTPUT_FIGURE_POINTS_H
#include "output/figure_parts.h"

/* NaN in x and y: the line breaks. */
typedef struct am_points {
    double *x, *y;
    size_t count;
    bool jumps; /* some of the breaks stand where the column `breaks` changes, and the table has no row there */
} am_points;

typedef struct am_figure_extent {
    double low, high; /* infinite the wrong way round: of nothing */
    bool log;
} am_figure_extent;

typedef struct am_curve_columns {
    const am_table *table;
    size_t x, y, by, breaks; /* SIZE_MAX: none */
} am_curve_columns;

/* The rows of the curve in the order of the table; what a logarithmic axis cannot show is a break. */
am_status am_points_read(am_drawing *d, const am_curve *curve, const am_curve_columns *columns, am_points *points,
                         am_error *err);

/* How often y turns while x goes on; 0 where x goes back. */
size_t am_points_turns(const am_points *points);

/* x never goes back. */
bool am_points_ordered(const am_points *points);

/* The line has corners that are seen: it is drawn through fewer points than it would take to look smooth. Extents are
 * those of the axes. */
bool am_points_corners(const am_points *points, am_figure_extent x, am_figure_extent y);

/* The share of the points of `a` that lie where `b` has its point of the same place in the row: 1 is the same curve. */
double am_points_shared(const am_points *a, const am_points *b, am_figure_extent x, am_figure_extent y);

/* Nearly all points of `under` that are within the extents lie under points of `over`. */
bool am_points_covered(const am_points *under, const am_points *over, am_figure_extent x, am_figure_extent y);

/* Appends a set of data to the drawing and gives its number: the points with their breaks, */
size_t am_points_write(am_drawing *d, const am_points *points);

/* or x, least and greatest y in columns of equal width, at most so many. */
enum { AM_ENVELOPE_COLUMNS = 600 };
am_status am_points_write_envelope(am_drawing *d, const am_points *points, size_t turns, am_figure_extent x,
                                   size_t *set, am_error *err);

#endif
