/* Columns of tables that belong to coordinates and contacts, under the names that their user knows.
 *
 *   coordinate      x         where it is called x; q1, q2, ... where nobody named it
 *   its velocity    v_x       v1 of q1, v2 of q2, ...
 *   of a contact    N_belt    where it is called belt; N1, N2, ... where nobody named it
 *
 * Symbols that a model gave (`named_by_model`) are not the user's: velocities and contacts are numbered there, and so
 * are the coordinates of events. Failures are remembered by the result. */
#ifndef AMONTONS_SYSTEM_COLUMN_NAMES_H
#define AMONTONS_SYSTEM_COLUMN_NAMES_H
#include "amontons/result.h"
#include "amontons/system.h"
#include "base/text.h"

/* Did the user name it? */
bool am_system_names_contact(const am_system *system, size_t contact);

void am_columns_coordinates(am_table *table, const am_system *system);
void am_columns_velocities(am_table *table, const am_system *system);

/* Of the tables that list changes of contact: coordinates, velocities, and velocities just before (with `_before`). */
void am_columns_event_coordinates(am_table *table, const am_system *system);
void am_columns_event_velocities(am_table *table, const am_system *system, const char *after);

/* One column for each contact, `what` before its name or number. */
void am_columns_contacts(am_table *table, const am_system *system, const char *what);

/* The same with one column for all sliders of a joint; columns of forces (N and T of all joints, T2 of those with two
 * tangents), and forces and states of a row, from those of all contacts. They return the next column. */
void am_columns_joints(am_table *table, const am_system *system, const char *what);
void am_columns_forces(am_table *table, const am_system *system);
bool am_columns_have_second(const am_system *system);
size_t am_columns_set_forces(am_table *table, size_t column, const am_system *system, const double *normal,
                             const double *tangential, const double *second);
size_t am_columns_set_states(am_table *table, size_t column, const am_system *system, const am_contact_state *state);

/* The values of the first `count` contacts in the summary, under such names. */
void am_summary_contacts(am_result *result, const am_system *system, const char *what, const double *values,
                         size_t count);

/* What follows `what` in the name of such a column: _belt, or 1. */
void am_column_add_joint(am_text *name, const am_system *system, size_t joint);

#endif
