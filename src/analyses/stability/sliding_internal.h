/* Equilibria of contacts whose stiffness depends on their penetration: L d = s d0 + G N(d), followed from s = 0 (no
 * load) to s = 1. See docs/stability.md. */
#ifndef AMONTONS_ANALYSES_STABILITY_SLIDING_INTERNAL_H
#define AMONTONS_ANALYSES_STABILITY_SLIDING_INTERNAL_H
#include <stddef.h>

#include "amontons/system.h"

typedef struct am_sliding_branch {
    size_t r;                       /* contacts */
    const am_contact_def **contact; /* r */
    const double *L, *G;            /* r x r */
    const double *d0;               /* r */
} am_sliding_branch;

typedef struct am_sliding_branch_report {
    size_t equilibria; /* at s = 1, on the branch that begins at s = 0 */
    double fold;       /* s where the branch first turns back; NaN: it does not */
    bool unique;       /* no other can exist: -L^-1 G is a P-matrix */
} am_sliding_branch_report;

/* d (r): the first equilibrium met. No equilibrium is not an error (equilibria = 0). */
am_status am_sliding_branch_solve(const am_sliding_branch *branch, double *d, am_sliding_branch_report *report,
                                  am_error *err);

#endif
