/* Contacts with friction in lines and planes, at one instant or over one step: forces (or impulses) P of all rows, of
 * each contact its normal and then none, one or two tangents, and what they move,
 *
 *     u = free + W P,
 *
 * so that of every contact
 *
 *     0 <= P_n,   u_n >= 0,   one of them zero        (or P_n is given),
 *     |P_t| <= mu P_n,   u_t = -lambda P_t with lambda >= 0, which is zero inside of the disc.
 *
 * The owner fills the sizes, then W, free, mu and what else changes, and keeps P from step to step as a first guess. */
#ifndef AMONTONS_MATH_CONE_H
#define AMONTONS_MATH_CONE_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"
#include "base/arena.h"

typedef struct am_cone {
    size_t contacts, rows;
    size_t *first; /* contacts + 1: the row of the normal; the tangents follow */
    bool *given;   /* contacts: the normal force is `hold`, and is no part of u = free + W P */
    bool *active;  /* contacts: takes part at all; others have no force */
    double *W;     /* rows x rows; x.W x >= 0 */
    double *P, *free;
    double *hold, *mu;          /* contacts */
    double *M, *defect, *shift; /* Newton's matrix (made when it is first needed), equations, step */
    int *pivot;
} am_cone;

/* Everything but `first`'s contents is zero, and `active` true. tangents (contacts): 0 .. 2 of each. */
am_status am_cone_init(am_cone *cone, am_arena *memory, size_t contacts, const unsigned char *tangents, am_error *err);

/* One contact after the other, each solved exactly for the present forces of the others (Gauss-Seidel). True: the last of
 * at most so many rounds changed nothing. */
bool am_cone_sweep(am_cone *cone, size_t most_rounds);

/* From the present forces, by Newton's method on
 *
 *     P_n = max(0, P_n - u_n/w_n),     P_t = the point of the disc next to P_t - u_t/w_t
 *
 * (Alart and Curnier 1991), w being mobilities; sweeps lead on where it finds no way down. *found: the residual below is at
 * most 1e-11. */
am_status am_cone_newton(am_cone *cone, am_arena *memory, bool *found, am_error *err);

/* How far the forces are from these equations: the largest difference of a contact, over the largest normal force. */
double am_cone_residual(const am_cone *cone);

#endif
