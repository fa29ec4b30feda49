/* Signals on equispaced points: values from coefficients and back. The points theta, pi - theta, pi + theta and
 * 2 pi - theta share their cosines and sines, so that a quarter of the work is left. A table belongs to one thread. */
#ifndef AMONTONS_MATH_TRIGONOMETRIC_TABLE_H
#define AMONTONS_MATH_TRIGONOMETRIC_TABLE_H
#include <stddef.h>

#include "amontons/error.h"

typedef struct am_trig_table am_trig_table;

/* Points 2 pi k/count for k = 0 .. count - 1, where count is at_least rounded up to a multiple of 4; harmonics up to
 * `degree`. */
am_trig_table *am_trig_table_create(size_t degree, size_t at_least, am_error *err);
void am_trig_table_free(am_trig_table *table);
size_t am_trig_table_count(const am_trig_table *table);

/* The signal s of a degree up to the table's at all points. */
void am_trig_table_values(am_trig_table *table, size_t degree, const double *s, double *values);

/* Means over the points of values cos m theta and values sin m theta, m = 0 .. degree (degree + 1 entries each). */
void am_trig_table_moments(am_trig_table *table, size_t degree, const double *values, double *cosine, double *sine);

#endif
