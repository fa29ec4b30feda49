/* Inside of a step of the incremental path: which contacts move, and how far. */
#ifndef AMONTONS_ENGINES_QUASISTATIC_INCREMENTAL_INTERNAL_H
#define AMONTONS_ENGINES_QUASISTATIC_INCREMENTAL_INTERNAL_H
#include "engines/quasistatic/incremental.h"

static inline bool am_path_slides(am_contact_state state) {
    return state == AM_FORWARD || state == AM_BACKWARD;
}

/* How many unknowns a contact has in a state. */
static inline size_t am_path_unknowns(am_contact_state state) {
    return state == AM_OPEN ? 2 : am_path_slides(state) ? 1 : 0;
}

/* The matrix of all possible unknowns, 4 of each contact. */
am_lcp am_path_moving_block(const am_path_incremental *path);

/* Find the states (trial), motions (x) and forces (force) at t, starting from the present states. `lost`: friction that
 * weakens leaves no equilibrium nearby. */
am_status am_path_incremental_solve(am_path_incremental *path, double t, am_error *err);

/* Where there is none nearby: the next one that sliding on leads to, coefficients falling as it goes. */
am_status am_path_incremental_fall(am_path_incremental *path, double t, am_error *err);

/* ---- steps (incremental.c, incremental_advance.c) ---- */

/* Forces if every contact stayed (or were carried by its surface and support) while the load goes to t, `length` later.
 */
void am_path_prepare(am_path_incremental *path, double t, double length);

/* Prepare, and solve at t; the iterate found becomes the present point. `jumped`: over a jump. */
am_status am_path_try_step(am_path_incremental *path, double t, am_error *err);
am_status am_path_take_step(am_path_incremental *path, double t, bool jumped, am_error *err);

/* Towards t: there, half-way, or over a jump. *aim: where to try next. */
am_status am_path_advance(am_path_incremental *path, double t, double *aim, am_error *err);

/* ---- slip in a plane (incremental_plane.c) ---- */

/* Structures with other laws than one coefficient, or that float, are refused. */
am_status am_path_plane_init(am_path_incremental *path, am_error *err);

/* Trial, x, across and force of the step to t. */
am_status am_path_plane_solve(am_path_incremental *path, double t, am_error *err);

/* ---- springs that are not linear (incremental_curved.c) ---- */

/* The arrays of `path` that callers look at are there. */
am_status am_path_curved_init(am_path_incremental *path, am_error *err);
/* As the functions without `curved`. */
am_status am_path_curved_place(am_path_incremental *path, double t, const double *q, am_error *err);
am_status am_path_curved_step(am_path_incremental *path, double t, am_error *err);
void am_path_curved_coordinates(const am_path_incremental *path, double *q);
double am_path_curved_residual(const am_path_incremental *path);

/* ---- Newton's method (incremental_newton.c) ---- */

/* From the states in `trial`; *settled: all laws are satisfied. */
am_status am_path_iterate(am_path_incremental *path, bool *settled, am_error *err);

/* Motions and forces of the states in `trial`. *regular: false when they do not determine the motion. */
am_status am_path_evaluate(am_path_incremental *path, bool *regular, am_error *err);

/* Takes the weak springs away from an iterate that was settled on them, and keeps it where it stands but for what they
 * held: each solve with them leaves a millionth of their forces, unless something pushes where nothing else holds.
 * Returns whether nothing does and all laws are satisfied. */
bool am_path_relax(am_path_incremental *path);

/* Which contacts violate their law in the present iterate (wrong), what they should try (next), and how far they slide
 * the wrong way (motion; 0 when something else is wrong). Returns how many. */
size_t am_path_find_violations(am_path_incremental *path);

/* The normal force of a contact among `force` (p). */
double am_path_normal_force(const am_path_incremental *path, size_t contact, const double *force);

/* Sign of the determinant of the moving contacts' matrix in the present iterate; 0: it is singular. */
am_status am_path_sign(am_path_incremental *path, int *sign, am_error *err);

/* Does any contact press at the beginning of the step? */
bool am_path_is_pressed(const am_path_incremental *path);

/* ---- friction (incremental_law.c) ---- */

/* The law of a contact's weakening; NULL: its friction does not weaken. */
const am_friction *am_path_weakening(const am_path_incremental *path, size_t contact);

/* Contact `first` begins to slip at t with less friction than held it, and jumps are not asked for. */
am_status am_path_refuse_drop(const am_path_incremental *e, double t, size_t first, am_error *err);

/* What the coefficient of a contact is in a state, after all it has slid. */
double am_path_coefficient(const am_path_incremental *path, size_t contact, am_contact_state state);

/* Coefficients at the beginning of a step; and of the laws that weaken alone. */
void am_path_friction_begin(am_path_incremental *path);
void am_path_friction_restart(am_path_incremental *path);

/* Coefficients (and, with `tangent`, their slopes) where the present iterate stands. Returns by how much force the
 * contacts that slide miss their law. */
double am_path_friction_follow(am_path_incremental *path);

/* Contacts that slide and had not overcome their static friction have done so now. Returns how many. */
size_t am_path_friction_release(am_path_incremental *path);

/* Is there surely one way only to the present iterate: is the matrix of moving contacts positive definite, with the
 * steepest slopes on the way? */
am_status am_path_friction_is_tame(am_path_incremental *path, bool *tame, am_error *err);

/* The contact whose coefficient has fallen by the largest part of its whole fall in the step, and that part. */
size_t am_path_friction_fallen(const am_path_incremental *path, double *part);

/* Have coefficients changed since the matrix was factored? And: it is now factored with the present ones. */
bool am_path_friction_changed(const am_path_incremental *path, size_t count);
void am_path_friction_note(am_path_incremental *path);

/* Lemke's method on the contacts that may move; fills `trial`. *found: false when there is no solution. */
am_status am_path_incremental_pivot(am_path_incremental *path, double t, am_error *err);

/* By how much force the present state of a contact violates its law. */
double am_path_law_violation(const am_path_incremental *path, size_t contact);

#endif
