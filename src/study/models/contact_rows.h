/* Many contacts from two tables: `contact_rows: {normal: {file: n.mtx}, tangent: {file: t.mtx}, friction: 0.4}`, as
 * engineers export them from finite-element programs. */
#ifndef AMONTONS_STUDY_MODELS_CONTACT_ROWS_H
#define AMONTONS_STUDY_MODELS_CONTACT_ROWS_H
#include "amontons/system.h"
#include "study/models/contact_weakening.h"
#include "study/schema.h"

typedef struct am_contact_rows_setting {
    const am_node *normal, *tangent; /* tables, one row per contact */
    const am_node *friction, *surface_velocity, *gap, *preload, *contact_stiffness, *contact_damping, *static_friction;
    double contact_exponent, contact_dissipation, regularisation;
    int law; /* am_normal_law */
    am_weakening_setting weakening;
} am_contact_rows_setting;

extern const am_schema am_contact_rows_schema;

/* Adds to `contacts` (of which *count are filled; the caller leaves no room: a new list is made in the pool), and the
 * force that presses all of them on, -sum of n N0, to `press` (n). */
am_status am_contact_rows_read(am_reading *reading, const am_contact_rows_setting *setting, size_t n,
                               const am_contact_def **contacts, size_t *count, double *press);

#endif
