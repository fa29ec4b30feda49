/* The quadrature class in one harmonic. With omega^2 = K_nn/m and w_n = u_n (colour 0), w_n = i u_n (colour 1), u real,
 * the one-harmonic equations become exactly
 *
 *     omega D_n(omega |u_n|) u_n  +-  sum over m of K_nm u_m = 0         (+ for colour 0, - for colour 1)
 *
 * n real equations without a phase and without an unknown frequency. See docs/atlas.md. */
#ifndef AMONTONS_PAPERS_ATLAS_CLASS_H
#define AMONTONS_PAPERS_ATLAS_CLASS_H
#include "analyses/orbit/verdict.h"
#include "base/arena.h"
#include "math/continuation.h"
#include "papers/atlas/configurations.h"

/* Work space of one thread. */
typedef struct am_class {
    am_arena memory;
    const am_configurations *configurations;
    const am_sites *sites;
    double factor; /* by which couplings are multiplied: 1, less on the way from the uncoupled limit */
    double *u, *guess, *F, *J;
    double *pencil;    /* (4 n)^2, for stability */
    double *exponents; /* 4 n real and imaginary parts, and work space for finding them */
    double *blocks;    /* n x 2 x 4: A1 and A0 of each site, see harmonic_stability.c */
    double *matrix;    /* (2 n)^2 */
    int *order;
    double at; /* where the amplitudes below were computed */
    double amplitude[AM_SITES_MOST][AM_SITES_ROOTS + 1];
    double border[AM_SITES_MOST][AM_SITES_ROOTS + 1];
    size_t borders[AM_SITES_MOST];
} am_class;

am_status am_class_create(am_class *made, const am_configurations *configurations, double at, am_error *err);
void am_class_clear(am_class *made);

/* The equations at full coupling; context is the am_class. */
am_continuation_problem am_class_problem(am_class *made);

/* From the configuration of the uncoupled limit to the structure's own couplings, at `at`. false: the solution turns
 * back (meets another one) before. */
bool am_class_solve(am_class *made, const am_site_label *labels, double *u);

/* On which cycle is each site at `at`? By the extrema of its damper's force between the cycles. */
void am_class_labels(const am_class *made, const double *u, am_site_label *labels);

/* Of the damper's force omega D(omega u) u at the amplitude u: negative on an unstable cycle. */
double am_class_slope(const am_class *made, size_t site, double p, double omega, double amplitude);

/* Energy (1/2) sum of u^2, eq. (9.13') of the thesis: half the squared amplitudes. */
double am_class_energy(const double *u, size_t n);

/* One-harmonic stability of any one-harmonic motion w (n complex numbers re, im) of frequency omega, by the exponents
 * lambda of w exp(i omega t) + r exp((lambda + i omega) t): *exponent is the largest real part, the trivial one left
 * out. MARGINAL: within rounding of zero. */
am_status am_class_stability(am_class *made, const double *w, double omega, double p, double *exponent,
                             am_verdict *verdict, am_error *err);

/* A real exponent and its vector r, which a neighbouring motion's may be near to. */
typedef struct am_class_mode {
    bool known;
    bool near_zero; /* instead: the decisive exponent was so small that only its vectors tell it from rounding */
    double exponent;
    double r[2 * AM_SITES_MOST];
} am_class_mode;

/* Is there certainly an exponent with positive real part? Looks for the one of a site on an unstable cycle by Newton's
 * method, much faster than all exponents; false: not found this way. */
bool am_class_surely_unstable(am_class *made, const double *w, double omega, double p);

/* The verdict of am_class_stability on one motion after another along a branch: what made the last one unstable, kept
 * in `mode` (not known at first), is looked for first. */
am_status am_class_judge(am_class *made, const double *w, double omega, double p, am_class_mode *mode,
                         am_verdict *verdict, am_error *err);

/* w (n x 2) of u. */
void am_class_phasors(const am_class *made, const double *u, double *w);

#endif
