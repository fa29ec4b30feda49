/* Inside of `squeal`: where stability is lost, in the space of the modes or with all coordinates. */
#ifndef AMONTONS_ANALYSES_SQUEAL_STABILITY_LOSS_H
#define AMONTONS_ANALYSES_SQUEAL_STABILITY_LOSS_H
#include "analyses/squeal/squeal_report.h"

/* Eigenvalues for every coefficient of friction. */
typedef struct am_squeal_source {
    /* Those with imaginary part >= 0. */
    am_status (*eigenvalues)(void *context, double mu, double complex *s, size_t *count, am_error *err);
    bool (*grows)(const void *context, double complex s);
    bool damped; /* growth passes zero; otherwise it begins like a root */
    void *context;
} am_squeal_source;

typedef struct am_squeal_threshold {
    double mu;
    double complex s; /* what begins to grow */
    am_threshold_kind kind;
} am_squeal_threshold;

/* The real part that `rank` - 1 others exceed (rank 1: the largest); *which: whose. */
double am_squeal_growth(const double complex *s, size_t count, size_t rank, double complex *which);

/* Between two values of mu, at the first of which fewer than `rank` eigenvalues grow and at the second at least as
 * many: where the one of that rank begins to, to rounding. `s`: space for all eigenvalues. */
am_status am_squeal_locate(const am_squeal_source *source, double fewer, double more, size_t rank, double complex *s,
                           am_squeal_threshold *threshold, am_error *err);

/* Give eigenvalues the numbers of the modes they continue. `before`: the eigenvalues of modes 1, 2, ... two values and
 * one value of mu ago, (2 x most); number (count) is filled, and `before` brought forward. */
void am_squeal_follow(const double complex *s, size_t count, size_t most, double complex *before, size_t *known,
                      size_t *number);

#endif
