/* What goes into an analysis and comes out of it whatever it asks: its result, and the progress of long work. */
#ifndef AMONTONS_RESULT_H
#define AMONTONS_RESULT_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A result: scalars by name (the summary, evidence included) and tables by name. It owns everything in it; pointers got
 * from it are borrowed. Not for concurrent writing. */

typedef struct am_result am_result;
typedef struct am_table am_table;

typedef enum am_scalar_kind {
    AM_SCALAR_NONE,
    AM_SCALAR_NUMBER,
    AM_SCALAR_COUNT,
    AM_SCALAR_FLAG,
    AM_SCALAR_TEXT
} am_scalar_kind;

/* One summary value. NONE means "there is none" (null in JSON). */
typedef struct am_scalar {
    const char *name;
    am_scalar_kind kind;
    double number;    /* NUMBER, COUNT and FLAG (0 or 1) */
    const char *text; /* TEXT, otherwise NULL */
} am_scalar;

/* All but texts are numbers. FLAG: 1 yes, 0 no, NaN neither is known (true, false and null in JSON; 1, 0 and nothing in
 * CSV). COUNT: whole, NaN where there is none. A complex quantity is two NUMBER columns, real and imaginary part. */
typedef enum am_column_kind { AM_COLUMN_NUMBER, AM_COLUMN_TEXT, AM_COLUMN_FLAG, AM_COLUMN_COUNT } am_column_kind;

AM_API am_result *am_result_create(am_error *err);
AM_API void am_result_free(am_result *result);

/* AM_OK, or the first failure of a function that fills the result or one of its tables, with its reason in err: many
 * values may be set and one check follows. What is set after a failure may be lost. */
AM_API am_status am_result_status(const am_result *result, am_error *err);
AM_API am_status am_table_status(const am_table *table, am_error *err); /* of its result */

/* Setting a name again replaces its value; order of first setting is kept. */
AM_API am_status am_result_set_number(am_result *result, const char *name, double value, am_error *err);
AM_API am_status am_result_set_count(am_result *result, const char *name, size_t value, am_error *err);
AM_API am_status am_result_set_flag(am_result *result, const char *name, bool value, am_error *err);
AM_API am_status am_result_set_text(am_result *result, const char *name, const char *value, am_error *err);
AM_API am_status am_result_set_none(am_result *result, const char *name, am_error *err);

AM_API size_t am_result_scalar_count(const am_result *result);
AM_API const am_scalar *am_result_scalar(const am_result *result, size_t index);
AM_API const am_scalar *am_result_find(const am_result *result, const char *name); /* NULL if absent */
AM_API const char *am_result_scalar_unit(const am_result *result, size_t index);   /* "" if none */
AM_API const char *am_result_scalar_about(const am_result *result, size_t index);  /* one sentence; "" if none */

/* Tables: columns first, then rows (AM_ERR_INPUT without columns). Cells of a new row are NaN or "". */
AM_API am_table *am_result_add_table(am_result *result, const char *name, am_error *err);
AM_API am_status am_table_add_column(am_table *table, const char *name, const char *unit, am_column_kind kind,
                                     am_error *err);
AM_API am_status am_table_add_row(am_table *table, am_error *err);
AM_API void am_table_set_number(am_table *table, size_t column, double value); /* in the last row */
AM_API am_status am_table_set_text(am_table *table, size_t column, const char *value, am_error *err);
AM_API void am_table_set_flag(am_table *table, size_t column, bool value);

AM_API size_t am_result_table_count(const am_result *result);
AM_API const am_table *am_result_table(const am_result *result, size_t index);
AM_API const am_table *am_result_find_table(const am_result *result, const char *name); /* NULL if absent */
AM_API const char *am_table_name(const am_table *table);
AM_API size_t am_table_columns(const am_table *table);
AM_API size_t am_table_rows(const am_table *table);
AM_API const char *am_table_column_name(const am_table *table, size_t column);
AM_API const char *am_table_column_unit(const am_table *table, size_t column);  /* "" if none */
AM_API const char *am_table_column_about(const am_table *table, size_t column); /* one sentence; "" if none */
AM_API am_column_kind am_table_column_kind(const am_table *table, size_t column);
AM_API size_t am_table_find_column(const am_table *table, const char *name); /* SIZE_MAX if absent */
AM_API double am_table_number(const am_table *table, size_t row, size_t column);
AM_API const char *am_table_text(const am_table *table, size_t row, size_t column);
/* A whole column of numbers or flags, am_table_rows of them, borrowed until rows are added. NULL: the column holds
 * texts, there is no such column, or there are no rows. */
AM_API const double *am_table_numbers(const am_table *table, size_t column);

/* Move every scalar and table of `from` into `into`, names prefixed with "<prefix>." unless prefix is NULL or "".
 * `from` is left empty (still to be freed). A name that exists already is AM_ERR_INPUT and nothing is moved. */
AM_API am_status am_result_absorb(am_result *into, am_result *from, const char *prefix, am_error *err);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Progress and cancellation of long work. The caller owns the struct; pass NULL where neither is wanted. */

/* Processes that share one piece of work: the ranks of an MPI job, or whatever else a program starts several of. The
 * library only asks for the three things below; who provides a team knows how (the command does, with MPI). All members
 * see the same folder of files. */

typedef struct am_team {
    size_t rank, size; /* rank 0 .. size - 1; member 0 tells and writes results */
    void *context;
    /* The next number of a counter that all members share: 0, 1, 2, ... Called by one thread of a member at a time. */
    size_t (*next)(void *context);
    /* Returns when all members have called it; the counter then begins at 0 again. One thread, the first. */
    void (*meet)(void *context);
    /* Every member has filled other parts of `count` bytes, and zeros elsewhere: afterwards all have all of them.
     * Called by all members, by one thread each. */
    void (*merge)(void *context, void *bytes, size_t count);
    double patience; /* seconds until a file that a member has written is seen by all; 0: 90, enough for NFS */
} am_team;

/* A member that fails returns without meeting the others: whoever started the team ends it then. NULL is a team of one.
 */
AM_API size_t am_team_rank(const am_team *team);
AM_API size_t am_team_size(const am_team *team);
AM_API void am_team_meet(const am_team *team);
AM_API void am_team_merge(const am_team *team, void *bytes, size_t count);

/* Branches as `response`, `backbone` or `follow` have followed them, from which a picture of the same question for other
 * numbers comes at once: see am_progress. One thread's at a time. */
typedef struct am_trace am_trace;

AM_API am_trace *am_trace_create(am_error *err); /* empty */
AM_API void am_trace_free(am_trace *trace);

/* ---------------------------------------------------------------------------------------------------------------- */

typedef struct am_progress {
    /* Called now and then with the fraction done in [0, 1]; never by two threads at once.
     * Returns false to stop the work, which then ends with AM_ERR_INTERRUPTED. */
    bool (*report)(void *context, double fraction);
    void *context;
    int threads; /* how many threads the work may use; 0: as many as the machine has */
    /* Work that consists of points: how many are done, how many there are, how many of them failed. May be NULL. Called
     * like `report`, just before it. */
    void (*count)(void *context, size_t done, size_t all, size_t failed);
    const am_team *team; /* other processes that share the work; NULL: none. Sweeps know them */
    const char *folder;  /* where long work may keep what it would have to do again; NULL: nowhere */
    /* Sweeps call it like `report`, just before it: `make` fills an empty result with the points that are known. It
     * spoils what the sweep would go on with, so it is for a copy of the process (fork) that ends then. May be NULL. */
    void (*part)(void *context, am_status (*make)(void *work, am_result *result, am_error *err), void *work);
    am_trace
        *trace; /* takes down the branches that are followed, in the place of what it held; NULL: nobody wants them */
    /* Not 0: nothing is followed where the trace holds branches of this analysis over the same parameter. About so many
     * of their points are corrected by Newton's method for the present numbers, and taken down: a picture without
     * verdicts, without special points, and without what those branches did not have. The summary says `preview`. */
    size_t preview;
} am_progress;

/* True while the work should go on. progress may be NULL (always true). */
AM_API bool am_progress_report(const am_progress *progress, double fraction);

/* The number of threads to use: at least 1. progress may be NULL (1 thread). */
AM_API int am_progress_threads(const am_progress *progress);

#ifdef __cplusplus
}
#endif
#endif
