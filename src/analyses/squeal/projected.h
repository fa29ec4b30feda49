/* Inside of `squeal`: the structure in the space of its lowest real modes, for every coefficient of friction. See
 * docs/squeal.md.
 *
 *     y'' + D(mu) y' + K(mu) y = 0,    K(mu) = Omega^2 + Phi^T G Phi - mu Phi^T T (1 - mu R)^-1 Lambda
 *
 * Lambda: contact forces of the modes; R: contact forces that friction causes statically beyond the modes. */
#ifndef AMONTONS_ANALYSES_SQUEAL_PROJECTED_H
#define AMONTONS_ANALYSES_SQUEAL_PROJECTED_H
#include "amontons/result.h"
#include "analyses/squeal/full_problem.h"
#include "analyses/squeal/stability_loss.h"
#include "base/arena.h"

/* One of what friction remembers: whose it is, which of its own. */
typedef struct am_squeal_memory {
    size_t rub, which;
} am_squeal_memory;

typedef struct am_squeal_projected {
    am_arena memory, mode_memory; /* of all arrays but `table`; of the modes and what is projected on them */
    am_squeal_full *full;
    size_t n, m, p;    /* coordinates, rows of contacts, modes */
    size_t rubs, most; /* rubs; eigenvalues at most */
    bool damped;
    bool squares; /* damping is `uniform` y': eigenvalues of K(mu) are enough */
    double uniform;
    double *omega2;                /* p */
    double *modes;                 /* p x n: Phi^T, unit modal mass */
    double *across;                /* p x rubs: Phi^T T */
    double *force, *force_rate;    /* p x m: Lambda^T, and what contact damping adds per velocity */
    double *residual_force;        /* m x rubs: R */
    double *residual_slip;         /* rubs x rubs: S; NULL: no laws */
    double *damping, *circulatory; /* p x p, without friction */

    double mode_residual; /* largest of a real mode, relative to its elastic forces */
    double orthogonality; /* largest |phi_i.M phi_j - delta_ij| */
    double next2;         /* square of the next frequency above the modes kept */
    double shift;

    /* F(mu) = Phi^T T (1 - mu R)^-1 Lambda and the same with force_rate, interpolated between Chebyshev points. */
    size_t points; /* 0: evaluated exactly */
    double from, to;
    double *point, *weight; /* points */
    double *table;          /* points x (1 or 2) x p x p */
    double interpolation_error;

    /* Of laws, at the last mu: y'' = -K y - D y' + P w, w' = memory (y, y', w), with P the last columns of `pull`. */
    am_squeal_memory *memory_of; /* inner of them */
    size_t inner;
    double *rub_force, *pull;         /* rubs x (2p + inner), p x the same: forces of rubs, and on the modes */
    double *rates, *feedback, *slip;  /* inner x (2p + inner), inner x inner, 2p + inner */
    double complex *decay, *recalled; /* inner x inner, inner x p: for vectors */
    int *inner_order;                 /* inner */

    /* Workspace. */
    double *K, *D;          /* p x p at the last mu */
    double *companion;      /* most x most */
    double *omega;          /* p */
    double *values, *work;  /* LAPACK's */
    double *small, *right;  /* m x m, (most + 2) x m */
    int *order;             /* m */
    double complex *matrix; /* p x p */
    int *pivots;            /* p */
} am_squeal_projected;

/* Modes, projection and their evidence; the symmetric factors are dropped afterwards. [from, to]: coefficients of
 * friction that will be asked for often. */
am_status am_squeal_projected_init(am_squeal_projected *projected, am_squeal_full *full, size_t modes, double from,
                                   double to, const am_progress *progress, am_error *err);
void am_squeal_projected_clear(am_squeal_projected *projected);

/* Eigenvalues with imaginary part >= 0, ascending by it (then by real part): at most `most` of them. */
am_status am_squeal_projected_eigenvalues(am_squeal_projected *projected, double mu, double complex *s, size_t *count,
                                          am_error *err);

am_squeal_source am_squeal_projected_source(am_squeal_projected *projected);

/* With laws: K, D and what is remembered, at mu; and the part of the latter in the first-order form of (omega y, y', w),
 * a (k x k, row by row). */
am_status am_squeal_projected_friction(am_squeal_projected *projected, double mu, am_error *err);
void am_squeal_projected_remember(const am_squeal_projected *projected, const double *omega, double *a, size_t k);

/* With laws: adds to q->matrix (column-major) what memory does at s; w from y then, and lambda from both. */
am_status am_squeal_projected_recall(am_squeal_projected *projected, double complex s, am_error *err);
void am_squeal_projected_recalled(const am_squeal_projected *projected, double complex s, const double complex *y,
                                  double complex *lambda, double complex *w);

/* The vector of one of them: y (p), contact forces lambda (m), and behind them what friction remembers (full->w). */
am_status am_squeal_projected_vector(am_squeal_projected *projected, double mu, double complex s, double complex *y,
                                     double complex *lambda, am_error *err);

/* x = Phi y. */
void am_squeal_projected_expand(const am_squeal_projected *projected, const double complex *y, double complex *x);

/* Does it grow? Undamped pairs that meet are split by the root of rounding. */
bool am_squeal_projected_grows(const am_squeal_projected *projected, double complex s);

/* The lowest real modes of the structure with its contacts closed: fills omega2, modes, across, force, force_rate, residual_force, damping, circulatory and the evidence. Modes with
 * (nearly) one frequency are kept together, so that there may be a few more than asked for. That none was missed is
 * checked by counting (Sylvester's law of inertia). */
am_status am_squeal_modes_find(am_squeal_projected *projected, am_squeal_full *full, size_t modes,
                               const am_progress *progress, am_error *err);

#endif
