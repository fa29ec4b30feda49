/* Many contacts from two tables: `contact_rows: {normal: {file: n.mtx}, tangent: {file: t.mtx}, friction: 0.4}`, as
 * engineers export them from finite-element programs. */
#ifndef AMONTONS_STUDY_MODELS_CONTACT_ROWS_H
#define AMONTONS_STUDY_MODELS_CONTACT_ROWS_H
#include "amontons/system.h"
#include "study/models/friction.h"
#include "study/schema.h"

/* Its struct is the contact that all of them have in common. */
extern const am_schema am_contact_rows_schema;

/* Adds to `contacts` (of which *count are filled; a new list is made in the pool) what the mapping `node` gives, and the
 * force that presses all of them on, -sum of n N0, to `press` (n). */
am_status am_contact_rows_read(am_reading *reading, const am_node *node, const am_contact_def *common, size_t n,
                               const am_contact_def **contacts, size_t *count, double *press);

/* Adds that force to the loads, unless it is zero; a new list is made in the pool. */
am_status am_contact_rows_press(am_reading *reading, const double *press, size_t n, const am_load_def **loads,
                                size_t *count);

#endif
