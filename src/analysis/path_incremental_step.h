/* Inside of a step of the incremental path: which contacts move, and how far. */
#ifndef AMONTONS_ANALYSIS_PATH_INCREMENTAL_STEP_H
#define AMONTONS_ANALYSIS_PATH_INCREMENTAL_STEP_H
#include "analysis/path_incremental.h"

/* The matrix of all possible unknowns, 4 of each contact. */
am_lcp am_path_moving_block(const am_path_incremental *path);

/* Find the states (trial), motions (x) and forces (force) at t, starting from the present states. */
am_status am_path_incremental_solve(am_path_incremental *path, double t, am_error *err);

/* Motions and forces of the states in `trial`. *regular: false when they do not determine the motion. */
am_status am_path_evaluate(am_path_incremental *path, bool *regular, am_error *err);

/* Which contacts violate their law in the present iterate (wrong), what they should try (next), and how far they slide
 * the wrong way (motion; 0 when something else is wrong). Returns how many. */
size_t am_path_look(am_path_incremental *path);

/* Lemke's method on the contacts that may move; fills `trial`. *found: false when there is no solution. */
am_status am_path_incremental_pivot(am_path_incremental *path, double t, am_error *err);

/* By how much force the present state of a contact violates its law. */
double am_path_law_violation(const am_path_incremental *path, size_t contact);

#endif
