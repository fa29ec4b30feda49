/* Inside of `design`: what its files share. Mathematics in docs/design.md.
 *
 * A motion is z = (x, omega): the unknowns of harmonic balance with a free frequency. At fixed p the response is a
 * curve of such motions. Its arclength is measured in scaled unknowns z / scale, and a chart is a piece of the curve
 * seen from an anchor along a direction: s = border . (z - anchor) / scale. */
#ifndef AMONTONS_ANALYSES_DESIGN_DESIGN_INTERNAL_H
#define AMONTONS_ANALYSES_DESIGN_DESIGN_INTERNAL_H
#include "amontons/response.h"
#include "base/arena.h"
#include "engines/balance/balance.h"

typedef enum am_design_kind { AM_DESIGN_SMOOTH, AM_DESIGN_KINK, AM_DESIGN_END } am_design_kind;

typedef struct am_design_peak {
    double p, omega;
    double amplitude, largest;
    double slope; /* d amplitude/d p along the curve of peaks */
    double condition, residual;
    am_design_kind kind;
} am_design_peak;

typedef struct am_design_curve { /* of peaks, by growing p */
    size_t count, capacity;
    am_design_peak *peak;
    double *z; /* per peak: z, then the tangent of the response curve there (2 size) */
} am_design_curve;

/* A motion on the response curve at some p. */
typedef struct am_design_station {
    double *z;
    double *tangent;        /* unit, scaled: dz = scale * tangent ds */
    double amplitude, rise; /* rise: d amplitude/d s */
    double residual;
} am_design_station;

typedef struct am_design_summit { /* the highest of all peaks at some p */
    size_t curve;
    am_design_peak peak;
} am_design_summit;

typedef struct am_design_optimum {
    double p, omega, amplitude;
    const char *kind;
} am_design_optimum;

typedef struct am_design {
    am_arena memory;
    am_model *model;
    const am_design_options *options;
    const am_progress *progress;
    double omega_at_from, omega_slope; /* omega = omega_at_from + omega_slope (frequency - frequency_from) */
    double least, most;                /* omega */

    am_balance *balance;
    am_continuation *curve;
    size_t size, n, H, S;

    /* peaks at one p */
    double p;
    double *scale, *anchor, *border; /* size: the chart */
    double target;                   /* s that is wanted */
    am_design_station station[4], *here, *next, *low, *high;
    double *matrix, *F, *Fp, *weight, *move, *shifted; /* workspaces */
    double *work;                                      /* 4 size: motions on the way along curves */
    int *order;
    double *signals;  /* n x S */
    double curvature; /* of the amplitude at the last smooth peak, by its size; 0: not known */

    am_design_curve *curves;
    size_t curve_count, curve_capacity;
    double *check; /* values of p */
    size_t checks, incomplete, gaps;

    am_design_optimum *optima;
    size_t optimum_count, optimum_capacity, best;
    double robust_from, robust_to;
    bool robust_open;
    double truncation;
} am_design;

double am_design_frequency(const am_design *d, double omega);
double am_design_omega(const am_design *d, double frequency);

/* First harmonic of the coordinate meant, in n signals of S coefficients. */
double am_design_amplitude(const am_design *d, const double *signals, size_t S);

/* A motion of `from` with the harmonics of `to` (more or fewer): z of `to`. */
void am_design_convert(const am_balance *from, const am_balance *to, const double *x, double omega, double *z);

/* ---- maximum.c ---- */
/* The top of f between low and high, where f rises at low and falls at high; slopes may jump. Give `next` to whoever
 * can evaluate f and its slope, and the answer to `update`, which says on which side the point lies. */
typedef struct am_design_maximum {
    double low, high, f_low, f_high, g_low, g_high;
    double weight_low, weight_high; /* of the slopes, for the secant (Illinois) */
    double flat;                    /* slopes below this are zero */
    double narrow;                  /* brackets below this are points */
    int count, side;
    double width_before;
    bool use_secant, done, smooth;
} am_design_maximum;
am_design_maximum am_design_maximum_start(double low, double f_low, double g_low, double high, double f_high,
                                          double g_high, double flat, double narrow);
double am_design_maximum_next(const am_design_maximum *maximum);
/* -1: the point is the new low, +1: the new high; done when flat or narrow. */
int am_design_maximum_update(am_design_maximum *maximum, double t, double f, double g);

/* ---- design_peak.c ---- */
/* The peak near z at p. `way`: direction of the response curve there, not zero, any length (unknowns, not scaled). z
 * and way become those of the peak. AM_ERR_LIMIT: there is none near. */
am_status am_design_peak_at(am_design *d, double p, double *z, double *way, am_design_peak *peak, am_error *err);

/* ---- find_peaks.c ---- */
/* Peaks of the whole response curve at p that no curve has at p yet become curves of one point each. */
am_status am_design_find(am_design *d, double p, am_error *err);

/* ---- peak_curve.c ---- */
am_status am_design_add(am_design_curve *curve, size_t size, const am_design_peak *peak, const double *z_and_way,
                        am_error *err);
/* Extend a curve of one point to both sides, hitting the checks. */
am_status am_design_follow(am_design *d, size_t curve, am_error *err);
/* The peak of a curve at p inside its range. */
am_status am_design_on_curve(am_design *d, size_t curve, double p, am_design_peak *peak, am_error *err);

/* ---- optimum.c ---- */
am_status am_design_optimise(am_design *d, am_error *err);
am_status am_design_summit_at(am_design *d, double p, am_design_summit *top, am_error *err);
/* All values of the parameter at which a peak is known, ascending; they go with the design. */
am_status am_design_values(am_design *d, double **values, size_t *count, am_error *err);
/* Height of the highest peak at p from the points of the curves, without solving; *top: whose; NAN: no curve there. */
double am_design_envelope(const am_design *d, double p, size_t *top, double *slope);

/* ---- compare.c ---- */
typedef struct am_design_ratio {
    double least, least_at, greatest, greatest_at;
} am_design_ratio;
/* The highest peak of d over that of r: its extremes over the parameter. */
am_status am_design_compare(am_design *d, am_design *r, am_design_ratio *ratio, am_error *err);

/* ---- design_tables.c ---- */
/* r, ratio: what is compared with; NULL: nothing. */
am_status am_design_tables(am_design *d, am_design *r, const am_design_ratio *ratio, am_result *result, am_error *err);

#endif
