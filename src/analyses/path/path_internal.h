/* Inside of `path`: what its files share. */
#ifndef AMONTONS_ANALYSES_PATH_PATH_INTERNAL_H
#define AMONTONS_ANALYSES_PATH_PATH_INTERNAL_H
#include <stdbool.h>

#include "amontons/path.h"
#include "amontons/result.h"
#include "amontons/system.h"
#include "base/text.h"
#include "engines/quasistatic/path_walk.h"

/* A row to be. */
typedef struct am_path_row {
    double t;
    const am_contact_state *state;         /* m */
    const char *cause;                     /* NULL: the table has no such column */
    const double *q, *normal, *tangential; /* n, m, m */
    const double *second;                  /* m: forces along second tangents; NULL: there are none */
} am_path_row;

/* An empty table: `t`, `state`, `cause` if asked for, coordinates by name, `N1`.., `T1`... */
am_table *am_path_table_create(am_result *result, const char *name, const am_system *system, bool with_cause);

/* `text` is workspace for the name of the states. */
am_status am_path_table_add(am_table *table, const am_system *system, const am_path_row *row, am_text *text,
                            am_error *err);

/* The state at the end, in the summary. */
void am_path_set_state(am_result *result, const am_system *system, const am_contact_state *state);

/* A row of `samples`, or of `cycle`, to the observer of its result. */
am_status am_path_show(const am_result *result, const am_system *system, const am_path_row *row, bool cycle,
                       am_error *err);

/* Tables `corners` and `samples` of a path, filled while it is walked. */
typedef struct am_path_record {
    am_path_observer observer;   /* give it to the walk */
    am_table *corners, *samples; /* borrowed */
    const am_result *result;     /* of `samples` */
    bool cycle;                  /* rows are of the cycle that repeats, in a table of its own */
    double from, until;          /* samples are spread evenly over this time (until: INFINITY, without end) ... */
    double interval;             /* ... so far apart */
    double shift;                /* time shown minus the engine's time, which begins anew with every cycle */
    size_t count, next;
    const char *sample_cause; /* of rows of `samples` if that table has such a column; else NULL */
    bool due;                 /* a row of `samples` is due at the beginning of the next stretch */
    am_text name;
    am_path_point shown;
    double *memory; /* of shown */
} am_path_record;

am_status am_path_record_init(am_path_record *record, const am_system *system, am_result *result, am_error *err);
void am_path_record_clear(am_path_record *record);
/* `count` samples (at least 2 for more than the first), from `from` to `until`. */
void am_path_record_spread(am_path_record *record, double from, double until, size_t count);
/* From now on into one table of the result, corners and samples mixed, with causes. */
void am_path_record_into(am_path_record *record, const am_system *system, am_result *result, const char *table);
am_status am_path_record_corner(am_path_record *record, const am_path_engine *engine, const char *cause, am_error *err);
/* The present point as a row of `samples`. */
am_status am_path_record_point(am_path_record *record, const am_path_engine *engine, am_error *err);

/* By load steps (method: incremental): for structures with many contacts. docs/path.md, "Many contacts". Options and
 * system have been checked. */
am_status am_path_run_steps(const am_system *system, const am_path_options *options, am_result *result,
                            const am_progress *progress, am_error *err);

#endif
