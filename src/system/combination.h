/* The linear algebra of one combination of contact states, at whatever level the equations are written:
 *
 *     S y = r + B lambda,     J y = c
 *
 *   accelerations  S = M   y = q''  r = F - C q' - K q        quasi-static  S = K   y = q    r = F
 *   impulses       S = M   y = q'   r = M q' before           rates         S = K   y = q'   r = F'
 *
 * J holds the normal row of every closed unilateral contact and the tangent row of every sticking contact. lambda are
 * the matching forces; a slipping contact's normal force pushes along n -/+ mu t (forward / backward), which is what
 * makes B differ from J^T. Held contacts have no normal unknown: their N, and when they slip their T, belong to r
 * (am_system_held_force). Solved once per combination; then y = Y r + Yc c and lambda = L r + Lc c are matrix products.
 *
 * Rows that depend on each other (two pads on one mass, three legs of a rigid body) leave the bordered matrix singular
 * although the motion is unique: forces Z s, with B Z = 0, can be added to lambda and nothing moves.
 * am_combination_share solves for y and for the lambda of least squares; which of the others are admissible is the
 * matter of system/split.h.
 */
#ifndef AMONTONS_SYSTEM_COMBINATION_H
#define AMONTONS_SYSTEM_COMBINATION_H
#include <stdbool.h>

#include "amontons/system.h"
#include "base/arena.h"

#define AM_NO_ROW ((size_t)-1)

typedef struct am_combination {
    am_arena memory;
    size_t n, m, p;
    am_contact_state *state; /* m */
    size_t *normal_row;      /* m: which multiplier is N of this contact; AM_NO_ROW if open or held */
    size_t *stick_row;       /* m: which multiplier is T of this contact; AM_NO_ROW unless it sticks */
    double *J;               /* p x n */
    double *B;               /* n x p */
    double *Y;               /* n x n */
    double *Yc;              /* n x p */
    double *L;               /* p x n */
    double *Lc;              /* p x p */
    double condition; /* reciprocal condition number of the scaled bordered matrix; 0: singular, blocks undefined */
    size_t redundant; /* d: dimension of the forces that move nothing; 0 unless am_combination_share found some */
    double *Z;        /* p x d: B Z = 0 */
    double *W;        /* p x d: W^T J = 0, so that J y = c can be met only if W^T c = 0 */
    double *weight;   /* p: the lambda of least squares has the least sum of weight lambda^2 */
} am_combination;

/* S: dense n x n. A singular combination is not an error (condition = 0): no motion exists in it. */
am_status am_combination_init(am_combination *combination, const am_system *system, const double *S,
                              const am_contact_state *state, am_error *err);
void am_combination_clear(am_combination *combination);

/* Of a singular combination: solve it all the same if y is unique, which is so when the forces that can be shifted
 * among the contacts (B Z = 0) are as many as the dependences of their directions (W^T J = 0) and nothing else is
 * singular. The lambda chosen is the one of least sum of squares, each force measured by what it does: weight_r = sum
 * over i of B_ir^2/|S_ii|. Otherwise condition stays 0.
 */
am_status am_combination_share(am_combination *combination, const double *S, am_error *err);

/* Does a contact in this state hold its tangent? (The force of a slider behind a spring follows from the stretch, and a
 * stop has none.) */
bool am_contact_holds(const am_system *system, size_t contact, am_contact_state state);

/* Sign of the friction force: T = sign * mu * N; -1 forward, +1 backward, 0 otherwise. */
static inline double am_slip_sign(am_contact_state state) {
    return state == AM_FORWARD ? -1.0 : state == AM_BACKWARD ? 1.0 : 0.0;
}

#endif
