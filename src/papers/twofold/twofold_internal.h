/* Inside of `twofold`: the construction in coordinates in which both contacts slip in the positive direction. */
#ifndef AMONTONS_PAPERS_TWOFOLD_TWOFOLD_INTERNAL_H
#define AMONTONS_PAPERS_TWOFOLD_TWOFOLD_INTERNAL_H
#include "base/arena.h"
#include "base/object.h"
#include "papers/twofold.h"
#include "system/reduced.h"

/* The phases of an interval begin and end at tau = k/6, k = 1 ... 5 (the paper's tau_1 ... tau_5). */
enum { AM_TWOFOLD_PHASES = 6, AM_TWOFOLD_ORDER = 8 };

struct am_twofold {
    uint64_t tag; /* AM_TAG_TWOFOLD */
    am_arena memory;
    const am_system *system;
    am_reduced reduced;
    am_twofold_facts facts;
    double *load;     /* of the system at t = 0 */
    double *work;     /* for am_reduced */
    size_t a, b;      /* a advances once an interval, b goes to and fro */
    double sign[2];   /* +1: forward */
    double row[2][2]; /* sign_i n_ij sign_j */
    double change[2]; /* sign_i (s_i(1) - s_i(0)): [a] > 0 > [b] */
    double logarithm; /* of d2 */
};

/* Largest |A_i^(k)(tau)|, k = 0 ... AM_TWOFOLD_ORDER. */
void am_twofold_largest(const am_twofold *twofold, size_t i, double largest[AM_TWOFOLD_ORDER + 1]);

/* A_1, A_2 of Fig. 12 (for node a and b), with the sign that makes them positive. */
double am_twofold_auxiliary(const am_twofold *twofold, size_t i, double tau);

/* A_i and its derivatives with respect to tau, orders 0 ... order (at most AM_TWOFOLD_ORDER). */
void am_twofold_auxiliary_derivatives(const am_twofold *twofold, size_t i, double tau, size_t order,
                                      double *derivatives);

#endif
