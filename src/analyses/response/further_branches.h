/* Inside of `response`: motions that no branch knows yet. Exact orbits from starts in time (harvest.c) and
 * guesses of Newton's method lead to further branches (isola.c); folds are followed in a second parameter
 * (folds.c). See docs/response_isola.md. */
#ifndef AMONTONS_ANALYSES_RESPONSE_FURTHER_BRANCHES_H
#define AMONTONS_ANALYSES_RESPONSE_FURTHER_BRANCHES_H
#include "analyses/response/response_internal.h"
#include "base/arena.h"

/* Samples of an orbit in each period of the loads: they only make guesses. */
enum { AM_HARVEST_SAMPLES = 128 };

/* A periodic motion of the structure itself, closed by shooting. */
typedef struct am_harvest_orbit {
    size_t value;    /* which value of the parameter it belongs to */
    size_t returns;  /* its period over that of the loads */
    double period;   /* its own */
    double *samples; /* n signals of returns AM_HARVEST_SAMPLES values */
} am_harvest_orbit;

/* What was tried and found at one value of the parameter. */
typedef struct am_search_value {
    double p;
    size_t starts, orbits, subharmonic, lost; /* in time: lost ones did not repeat, or grew, or cannot be followed */
    size_t guesses, converged;                /* of the balance, those from orbits included */
    size_t known, found;                      /* distinct motions of the balance: on branches before, and others */
    size_t unmatched;                         /* orbits near which the balance has no motion */
} am_search_value;

/* Numbers that control finds for a point of a curve; more are not listed. */
enum { AM_FOLD_CONTROLS = 8 };

static inline size_t am_response_listed_controls(const am_response *r) {
    size_t count = r->options->control_count;
    return count < AM_FOLD_CONTROLS ? count : AM_FOLD_CONTROLS;
}

typedef struct am_fold_point {
    size_t curve;
    double p, second, amplitude, residual;
    double control[AM_FOLD_CONTROLS]; /* what control found */
    const char *kind;
    bool located;
} am_fold_point;

/* A period doubling or Neimark-Sacker point of the exact motion. */
typedef struct am_bifurcation_point {
    size_t curve;
    const char *bifurcation; /* period-doubling, neimark-sacker */
    double p, second, period;
    double re, im; /* the multiplier on the unit circle */
    double closing;
    double control[AM_FOLD_CONTROLS];
    const char *kind;
    bool located;
    char why[160]; /* the curve ends there; "" */
} am_bifurcation_point;

struct am_response_search {
    am_arena memory; /* of the harvest */
    /* the harvest is the same for every number of harmonics */
    bool harvested;
    am_harvest_orbit *orbit;
    size_t orbits, orbit_capacity;
    char untimed[256]; /* why there were no starts in time; "" */

    /* of the present number of harmonics */
    am_search_value *value;
    size_t values;
    am_fold_point *fold;
    size_t folds, fold_capacity;
    size_t curves, closed_curves, lost_curves;
    char lost[256]; /* why the first of them was lost */
    am_bifurcation_point *bifurcation;
    size_t bifurcations, bifurcation_capacity;
    size_t bifurcation_curves, bifurcation_curves_lost;
    char bifurcation_lost[256];
};

/* r->search, when the options ask for a search; checks them. */
am_status am_response_search_create(am_response *r, am_error *err);
void am_response_search_free(am_response_search *search);

/* ---- harvest.c ---- */
/* Exact orbits at every value, from starts up to `scale` (n) in every coordinate. */
am_status am_response_harvest(am_response *r, const double *scale, am_error *err);
/* Fourier coefficients (n signals) of an orbit for the base frequency omega; false: it does not repeat with it. */
bool am_response_harvest_signals(const am_response *r, const am_harvest_orbit *orbit, double omega, double *signals);

/* ---- isola.c ---- */
am_status am_response_isolas_find(am_response *r, am_error *err);
/* Follow a motion that was found both ways, unless it lies on a branch already. *kept: the branch is new. */
am_status am_response_adopt(am_response *r, double p, const double *x, bool *kept, am_error *err);

/* ---- bifurcation_curves.c ---- */
/* After verdicts, which find the points to begin with; nothing where it is not asked for. */
am_status am_response_bifurcations_track(am_response *r, am_error *err);

/* ---- folds.c ---- */
am_status am_response_folds_track(am_response *r, am_error *err);

/* How a curve of special points goes along its second number, from the structure's own value (which must live as long) up
 * (direction 1) or down (-1). */
am_continuation_options am_response_curve_options(const am_response_folds *f, const double *own, int direction);

/* ---- response_search.c ---- */
am_status am_response_search_run(am_response *r, am_error *err);
void am_response_search_tables(const am_response *r, am_result *result);

#endif
