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
 */
#ifndef AMONTONS_SYSTEM_COMBINATION_H
#define AMONTONS_SYSTEM_COMBINATION_H
#include "amontons/system.h"

#define AM_NO_ROW ((size_t)-1)

typedef struct am_combination {
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
    void *memory;     /* of all these */
} am_combination;

/* S: dense n x n. A singular combination is not an error (condition = 0): no motion exists in it. */
am_status am_combination_init(am_combination *combination, const am_system *system, const double *S,
                              const am_contact_state *state, am_error *err);
void am_combination_clear(am_combination *combination);

/* Sign of the friction force: T = sign * mu * N; -1 forward, +1 backward, 0 otherwise. */
double am_slip_sign(am_contact_state state);

#endif
