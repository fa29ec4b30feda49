/* Inside of `squeal`: eigenpairs found in the space of a few modes, made exact on the full problem P(s, mu) v = 0. See
 * docs/squeal.md.
 *
 * Newton's method for v, s (and mu) with factors of P at a place nearby, which serve neighbouring pairs as well; they
 * are made afresh when the steps stop shrinking fast. */
#ifndef AMONTONS_ANALYSES_SQUEAL_CONFIRM_H
#define AMONTONS_ANALYSES_SQUEAL_CONFIRM_H
#include "analyses/squeal/projected.h"
#include "base/arena.h"

typedef struct am_squeal_pair {
    double mu;
    double complex projected; /* s in the space of the modes */
    double complex s;         /* s on the full problem */
    double residual;          /* |P v| over the sum of the forces in it */
    double step;              /* the last change of s, relative */
    bool confirmed;
    size_t largest; /* the coordinate that moves most; filled in by who asks for it */
} am_squeal_pair;

/* For vectors of the full problem; am_arena_clear(&work.memory) in the end. */
typedef struct am_squeal_workspace {
    am_arena memory;
    size_t size;
    double complex *v, *w; /* size: the vector, and what its size is measured with */
    double complex *block; /* 4 x size */
    double complex *y;     /* modes */
} am_squeal_workspace;

am_status am_squeal_workspace_init(am_squeal_workspace *work, const am_squeal_full *full, size_t modes, am_error *err);

/* The pair that begins as `s` at mu in the space of the modes. `fresh`: with factors of its own instead of those at
 * hand. A pair that does not converge is not confirmed, which is no error. */
am_status am_squeal_confirm(am_squeal_full *full, am_squeal_projected *projected, am_squeal_workspace *work, double mu,
                            double complex s, bool fresh, am_squeal_pair *pair, am_error *err);

/* The same from the vector in work->v, of any size: of the full problem already, or made of nothing. */
am_status am_squeal_refine(am_squeal_full *full, am_squeal_workspace *work, double mu, double complex s, bool fresh,
                           am_squeal_pair *pair, am_error *err);

/* work->v becomes a vector near the eigenvalue next to s, by two steps of inverse iteration from one that has part in
 * every mode. */
am_status am_squeal_inverse_iteration(am_squeal_full *full, am_squeal_workspace *work, double mu, double complex s,
                                      am_error *err);

/* Of two modes that come together, the second: work->v becomes a vector near the eigenvalue next to s without part in
 * `other` (size). *residual: as that of a pair. */
am_status am_squeal_second_vector(am_squeal_full *full, am_squeal_workspace *work, double mu, double complex s,
                                  const double complex *other, double *residual, am_error *err);

/* The crossing next to mu and s = i omega, from the vector in work->v. Not for two undamped frequencies that meet. */
am_status am_squeal_refine_crossing(am_squeal_full *full, am_squeal_projected *projected, am_squeal_workspace *work,
                                    am_threshold_kind kind, double mu, double complex s, am_squeal_pair *pair,
                                    am_error *err);

/* The crossing of the full problem that begins as mu and s in the space of the modes; pair->mu and pair->s become
 * it. */
am_status am_squeal_confirm_crossing(am_squeal_full *full, am_squeal_projected *projected, am_squeal_workspace *work,
                                     am_threshold_kind kind, double mu, double complex s, am_squeal_pair *pair,
                                     am_error *err);

#endif
