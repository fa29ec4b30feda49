/* Inside of `squeal`: its tables and its summary, which are the same whether all coordinates are used or a few modes.
 */
#ifndef AMONTONS_ANALYSES_SQUEAL_SQUEAL_REPORT_H
#define AMONTONS_ANALYSES_SQUEAL_SQUEAL_REPORT_H
#include <complex.h>

#include "amontons/result.h"
#include "amontons/stability.h"

typedef enum am_squeal_table {
    AM_SQUEAL_SQUEAL,    /* eigenvalues at the model's own friction */
    AM_SQUEAL_SWEEP,     /* at every value of friction */
    AM_SQUEAL_UNSTABLE,  /* those of the sweep that grow */
    AM_SQUEAL_CROSSINGS, /* where one more begins to grow */
    AM_SQUEAL_MODES,     /* real modes */
    AM_SQUEAL_CONTACTS   /* steady sliding */
} am_squeal_table;

/* An empty table. */
am_table *am_squeal_add_table(am_result *result, am_squeal_table which);

/* An eigenvalue on the full problem (s) and in the space of the modes (projected; the same where all coordinates are
 * used). */
typedef struct am_squeal_row {
    double mu; /* not in AM_SQUEAL_SQUEAL */
    size_t mode;
    double complex s, projected;
    bool grows, confirmed;
    double residual;
    const char *coordinate; /* AM_SQUEAL_SQUEAL; NULL: not known */
} am_squeal_row;

/* For AM_SQUEAL_SQUEAL, AM_SQUEAL_SWEEP, AM_SQUEAL_UNSTABLE. */
void am_squeal_add_row(am_table *table, am_squeal_table which, const am_squeal_row *row);

void am_squeal_add_mode(am_table *table, size_t mode, double omega);

/* A coefficient of friction from which on one more disturbance grows. */
typedef struct am_squeal_crossing {
    am_threshold_kind kind;
    double mu, omega; /* on the full problem; omega NaN: painleve, lift-off */
    double projected_mu, projected_omega;
    double residual;
    bool confirmed;
} am_squeal_crossing;

/* A row of AM_SQUEAL_CONTACTS; N: NaN where the steady state is not known. */
void am_squeal_add_contact(am_table *table, const am_system *system, size_t contact, am_contact_state state, double N);

/* Are the contacts pressed together? By the least of their forces; NaN: not known, or nothing presses. */
void am_squeal_report_closed(am_result *result, double least);

/* At the model's own friction. `growth` NaN: nothing can move, or rigid contact fails. */
void am_squeal_report_nominal(am_result *result, double mu, size_t unstable, bool stable, double growth,
                              double frequency);

/* The verdict over the range of friction, and the table of its crossings, which are put in order. Where something grows
 * from the start there is no critical friction, and `at_start` is what does (NULL: nothing). */
void am_squeal_report_crossings(am_result *result, am_squeal_crossing *crossing, size_t count,
                                const am_threshold_kind *at_start);

/* What shows that the result can be trusted. NaN: not known. */
typedef struct am_squeal_evidence {
    const char *method; /* "all coordinates", "modes" */
    size_t modes, modes_asked, degrees_of_freedom, contact_rows;
    double highest_omega, mode_residual, orthogonality, interpolation_error;
    size_t confirmed, unconfirmed;
    double eigen_residual, largest_change;
    bool certified;
    double certified_omega;      /* up to there; NaN: all frequencies */
    size_t certificate_factors;  /* what that took */
    const char *uncertified_why; /* NULL: it is certified */
} am_squeal_evidence;

void am_squeal_report_evidence(am_result *result, const am_squeal_evidence *evidence);

#endif
