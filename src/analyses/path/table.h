/* The tables of a path: time, states, cause, displacements, forces. */
#ifndef AMONTONS_ANALYSES_PATH_TABLE_H
#define AMONTONS_ANALYSES_PATH_TABLE_H
#include <stdbool.h>

#include "amontons/result.h"
#include "amontons/system.h"
#include "base/text.h"

/* A row to be. */
typedef struct am_path_row {
    double t;
    const am_contact_state *state;         /* m */
    const char *cause;                     /* NULL: the table has no such column */
    const double *q, *normal, *tangential; /* n, m, m */
} am_path_row;

/* An empty table: `t`, `state`, `cause` if asked for, coordinates by name, `N1`.., `T1`... */
am_table *am_path_table_create(am_result *result, const char *name, const am_system *system, bool with_cause);

/* `text` is workspace for the name of the states. */
am_status am_path_table_add(am_table *table, const am_system *system, const am_path_row *row, am_text *text,
                            am_error *err);

/* The state at the end, in the summary. */
void am_path_set_state(am_result *result, const am_contact_state *state, size_t contacts);

/* A row of `samples` to the observer of its result. */
am_status am_path_show(const am_result *result, const am_system *system, const am_path_row *row, am_error *err);

#endif
