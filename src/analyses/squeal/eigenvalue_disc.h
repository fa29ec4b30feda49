/* Inside of `squeal`: all eigenvalues of the full problem in a disc about zero, and the certificate that they are all.
 * See docs/squeal.md, section 7.
 *
 * The eigenvalues are the zeros of f(s) = det P(s, mu), those of the structure without friction, damping and
 * circulatory forces are zeros of f0(s), and lie at +- i omega_j. Of both the ones in the disc are known and divided
 * out:
 *
 *     g(s) = f(s)/prod (s - s_j)  :  f0(s)/prod (s^2 + omega_j^2)
 *
 * How often g winds about zero on the circle is the number of eigenvalues that are missing. */
#ifndef AMONTONS_ANALYSES_SQUEAL_EIGENVALUE_DISC_H
#define AMONTONS_ANALYSES_SQUEAL_EIGENVALUE_DISC_H
#include "analyses/squeal/confirm.h"

/* What is asked. */
typedef struct am_squeal_problem {
    am_squeal_full *full;
    am_squeal_projected *projected;
    am_squeal_workspace *work;
    const am_progress *progress;
    double done; /* what the progress says meanwhile */
} am_squeal_problem;

/* Eigenvalues within `radius` of a real place, which nobody tells apart: they are counted, and otherwise left alone. About
 * zero those of directions that nothing holds; further left what friction at many contacts remembers, and forgets at one
 * rate. */
typedef struct am_squeal_cluster {
    double center, radius;
    int count;
} am_squeal_cluster;

enum { AM_SQUEAL_CLUSTERS = 32 };

typedef struct am_squeal_disc {
    double mu, radius;
    am_squeal_cluster cluster[AM_SQUEAL_CLUSTERS];
    size_t clusters;
    am_squeal_pair *pair; /* outside of the clusters, |s| < radius, imaginary part >= 0; projected NaN: the modes do not
                           * have it */
    size_t count, capacity;
    int missing; /* eigenvalues that are there and were not found; 0: the list is complete */
} am_squeal_disc;

bool am_squeal_disc_is_in_cluster(const am_squeal_disc *disc, double complex s);

/* A list that is not complete is no error here. */
am_status am_squeal_disc_find(am_squeal_disc *disc, const am_squeal_problem *problem, double mu, am_error *err);
void am_squeal_disc_clear(am_squeal_disc *disc);

#endif
