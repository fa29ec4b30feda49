/* What a contact does inside harmonic balance: signals in, signals out, with exact derivatives.
 *
 * Signals are trigonometric polynomials of degree H in theta = omega t (math/trigonometric.h). Between switches the
 * force is a trigonometric polynomial too, switches are its exact intersections with the limit, and all integrals over
 * the pieces are closed forms: the Fourier coefficients of the force have no sampling error. Each function writes the
 * projection of the force on degree H (2H+1) and, where the pointers are not NULL, its derivatives with respect to the
 * input signals (row-major, (2H+1) x (2H+1), row = output coefficient, column = input coefficient).
 *
 * The derivative is that of the exact force: switching instants move, but the force is continuous there (limits vanish
 * where contacts open and close), see docs/balance_cell.md. Numbers that are not finite are AM_ERR_INPUT. */
#ifndef AMONTONS_ENGINES_BALANCE_CELL_H
#define AMONTONS_ENGINES_BALANCE_CELL_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"
#include "amontons/system.h"

/* Work space of one evaluation at a time; belongs to one thread. */
typedef struct am_cell am_cell;
am_cell *am_cell_create(size_t degree, am_error *err); /* of the signals; grows by itself only in am_cell_create */
void am_cell_free(am_cell *cell);

/* A limit of friction over the period, mu N(theta): `signal` (degree H) inside the given intervals, zero (open) outside
 * them. Held contacts have it everywhere; compliant ones where they are closed. The signal is not negative where it is
 * active (rounding apart). */
typedef struct am_cell_limit {
    const double *signal;
    size_t intervals;            /* 0 with starts NULL: everywhere */
    const double *starts, *ends; /* ascending, ends[i] <= starts[i+1]; the last one may end beyond 2 pi */
    /* Jenkins, where the limit jumps at the start of an interval (a damped layer): it starts where this penetration
     * turns positive; the force's derivative with respect to it, too. NULL: the limit grows from zero. */
    const double *depth;
    double *d_depth;
    bool recalls; /* Jenkins: w is measured from where the spring was relaxed before the motion began */
} am_cell_limit;

/* What the cycle looked like. Open times are neither stick nor slip. */
typedef struct am_cell_report {
    size_t switches;    /* per period, opening and closing included; 0: always in the same state */
    bool stuck;         /* closed all the time and never slips (clip: never saturates) */
    double slip_share;  /* of the period (clip: saturated) */
    double dissipation; /* per period. Jenkins: closed integral of f dw, to be divided by the stiffness; all of it is
                         * lost in slip. Clip: integral of f w over theta */
} am_cell_report;

/* Jenkins element (a spring in series with a Coulomb slider): the stop operator. Input w = stiffness x relative
 * displacement; output f with f' = w' while |f| < limit, |f| <= limit always: the cycle to which the hysteresis
 * settles, followed from switch to switch. No transient is computed: at the highest of -limit - w, or wherever the
 * contact is open, the cycle is known. When it never slips, f = w + c with the constant c that brings the mean of f (or,
 * where the contact recalls what was before, c itself) as near to zero as the limit allows. d_limit: derivative with respect to the limit's signal; where a contact closes with
 * the limit growing from zero, the instant moves with it. */
am_status am_cell_jenkins(am_cell *cell, const double *w, const am_cell_limit *limit, double *f, double *d_w,
                          double *d_limit, am_cell_report *report, am_error *err);

/* Clip: f = w where |w| <= limit, +-limit beyond. Regularised friction (w = mu N v / v0) and rigid friction in its
 * prox form (w = multiplier + epsilon v). No memory. */
am_status am_cell_clip(am_cell *cell, const double *w, const am_cell_limit *limit, double *f, double *d_w,
                       double *d_limit, am_cell_report *report, am_error *err);

/* A layer that damps, as `march` has it: f = w where the penetration d > 0 and w > 0, 0 elsewhere (Kelvin-Voigt:
 * w = stiffness d + damping d'). Where the surfaces meet, f jumps from 0 to w > 0; d_d is what the motion of that
 * instant does (d_w and d_d are partial derivatives). `starts` and `ends`: up to 2 degree + 1 each. */
am_status am_cell_layer(am_cell *cell, const double *d, const double *w, double *f, double *d_d, double *d_w,
                        double *starts, double *ends, size_t *pieces, bool *always, am_error *err);

/* The product of x with a signal k of degree 2 H (4H+1), of which it feels no more; linear in x, and d_x is its matrix. */
am_status am_cell_product(am_cell *cell, const double *k, const double *x, double *f, double *d_x, am_error *err);

/* Polynomial element: force sum of c x^i y^j (x displacement, y velocity signal), exactly: equispaced samples of which
 * there are more than (degree of the polynomial + 1) H integrate it without aliasing. */
am_status am_cell_polynomial(am_cell *cell, size_t term_count, const am_polynomial_term *terms, const double *x,
                             const double *y, double *f, double *d_x, double *d_y, am_error *err);

#endif
