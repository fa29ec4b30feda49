/* Analysis `atlas`: all one-harmonic motions of a stated class of a chain of bistable oscillators, from the uncoupled
 * limit to the structure's own couplings, and the branches they lie on. See docs/atlas.md.
 *
 * The class: neighbours a quarter of a period apart, omega^2 = K_nn/m ("quadrature"). It is an exact invariant set of
 * the one-harmonic equations on every even ring (and other two-colourable arrangement) of equal oscillators. Without
 * coupling every oscillator is at rest, or on one of its cycles with one of two signs: (2 r + 1)^N configurations for r
 * cycles. Configurations that a symmetry of the structure and a shift of time carry into each other are one class. */
#ifndef AMONTONS_PAPERS_ATLAS_H
#define AMONTONS_PAPERS_ATLAS_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/model.h"
#include "amontons/result.h"

typedef enum am_atlas_follow {
    AM_ATLAS_FOLLOW_NONE,  /* solutions at `at` only */
    AM_ATLAS_FOLLOW_ALL,   /* the branch of every solution */
    AM_ATLAS_FOLLOW_STABLE /* of those that are stable in one harmonic */
} am_atlas_follow;

/* Where a long run keeps what it has solved, so that an interrupted one can go on. `load` gives the bytes saved last
 * (borrowed; NULL when there are none); `save` replaces them, wholly or not at all. */
typedef struct am_atlas_store {
    am_status (*load)(void *context, const void **bytes, size_t *count, am_error *err);
    am_status (*save)(void *context, const void *bytes, size_t count, am_error *err);
    void *context;
} am_atlas_store;

typedef struct am_atlas_options {
    size_t number;        /* of the model: the parameter; its name is that of columns. Default 0, the first */
    double from, to;      /* its range, in which branches are followed; required, different */
    double at;            /* where solutions are made, between from and to; required */
    bool only_largest;    /* sites at rest or on their largest cycle only; default false */
    size_t least, most;   /* sites that move; default 1 and as many as there are */
    size_t pattern_count; /* only these configurations, such as "0 +L -s"; sites that are not named are at rest */
    const char *const *patterns;
    size_t most_solutions;       /* more classes than this are counted, not listed; default 20000 */
    bool count;                  /* solve all classes even when they are too many to be listed; default true */
    am_atlas_follow follow;      /* default ALL */
    bool connect;                /* follow branches that leave at branch points, too; default false */
    size_t most_branches;        /* default 2000 */
    size_t most_points;          /* of one branch; default 20000 */
    double step;                 /* largest step along a branch, in its scaled arclength; 0: chosen */
    bool stability;              /* of all points of branches, not of solutions only; default true */
    bool exact;                  /* look for the exact orbit of every listed solution; default false */
    size_t harmonics;            /* of the balance that leads from one harmonic to the exact orbit; default 5 */
    const am_atlas_store *store; /* NULL: an interrupted run starts again from the beginning */
    int cookie;
} am_atlas_options;

am_atlas_options am_atlas_options_default(void);

/* Tables
 *   counts       active, configurations, classes (both by Burnside's lemma), survive, stable_count, marginal,
 * exact_count, stable_exact, marginal_exact (classes) solutions    solution, pattern, active, multiplicity, U,
 * frequency, exponent, stable, balance, exact, exact_stable, exact_frequency, exact_U, multiplier, branch; A_<name>,
 * phase_<name> (degrees) of every coordinate branches     branch, pattern, closed, ends, folds, branch_points, least,
 * most (of the parameter), U_min, U_max, least_active, most_active, crossings, patterns, points, sentence branch
 * branch, <parameter>, U, active, stable, kind, and the signed amplitudes picture      <parameter>, U: all branches as
 * one broken line special      branch, kind (fold, branch-point), <parameter>, U, located shapes       shape, branch,
 * <parameter>, U, mass, amplitude (signed), energy (eq. 9.14): of the solutions that branches pass at `at`, or of all
 * listed ones where none are followed connections  branch, <parameter>, U, with (branch), ends (which of the two ends
 * there) Summary: symmetries, solutions, tuned, exhaustive, configurations, classes, listed, survive, stable_count,
 * marginal, exact_count, stable_exact, marginal_exact, branches, closed_count, connecting, left, unfinished, doubtful
 * (pass a solution of another branch), folds, branch_points, unlocated, connections, first_fold, worst_residual,
 * worst_closing. */
am_status am_atlas_run(am_model *model, const am_atlas_options *options, am_result *result, const am_progress *progress,
                       am_error *err);

#endif
