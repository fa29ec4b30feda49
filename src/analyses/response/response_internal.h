/* Inside of `response`: what its files share. */
#ifndef AMONTONS_ANALYSES_RESPONSE_RESPONSE_INTERNAL_H
#define AMONTONS_ANALYSES_RESPONSE_RESPONSE_INTERNAL_H
#include <math.h>
#include <stdint.h>

#include "amontons/response.h"
#include "engines/balance/balance.h"

/* Length of the sentence that says why a verdict is withheld. */
enum { AM_RESPONSE_REASON = 320 };

typedef struct am_response_point {
    size_t branch;
    const char *kind; /* "regular" or that of a special point */
    bool located;
    double p, frequency;
    double amplitude; /* first harmonic of the coordinate meant */
    double largest;   /* of |q|, the same coordinate */
    double U;         /* half the sum of the squares of all coordinates' largest displacements */
    double residual;
    int stable;         /* 1, 0; -1: not known */
    size_t withheld;    /* why not: one of the reasons; 0: none */
    size_t near;        /* of r->orbit: this or the next one to it; SIZE_MAX: none is known */
    double exponent;    /* largest real part of the exponents (or log of the multiplier over the period); NAN */
    double exponent_im; /* its imaginary part */
    double multiplier;  /* largest modulus, floquet only; NAN */
    double exact;       /* first harmonic of the exact motion next to it, floquet only; NAN */
    int unstable;       /* how many exponents have a positive real part; -1: not known */
} am_response_point;

typedef struct am_response_branch {
    size_t first, count; /* of its points */
    bool closed, reached;
    am_continuation_report report;
    size_t parent; /* branch it leaves from; SIZE_MAX: none */
    bool found;    /* by a search, not from the start or a branch point */
} am_response_branch;

typedef struct am_response_search am_response_search; /* further_branches.h */

typedef struct am_response {
    am_model_line line; /* the parameter; held: the number along which folds are followed, if any */
    const am_response_options *options;
    bool self_excited;
    size_t n, H, S, size;
    am_balance *balance;
    am_continuation *curve;
    am_continuation_problem problem;
    am_continuation_options follow;
    const am_progress *progress;

    am_response_point *point;
    double *x; /* size per point */
    size_t count, capacity;
    am_response_branch *branch;
    size_t branches, branch_capacity;

    struct am_trig_table *table; /* of harmonics up to H */
    am_arena memory;             /* of the next five */
    double *signals;             /* n x S */
    double *rates;               /* of one coordinate, at the points of the table; then its signal */
    double *start;               /* size */
    double *trial;               /* size */
    double *tangents;            /* of branch points; NULL: they are not followed */
    double amplitude_so_far;
    size_t peak;                                       /* point of the greatest amplitude; SIZE_MAX */
    double truncation, truncation_at, peak_truncation; /* the worst, at that p; at the peak */
    const char *judged_by;                             /* how stability was judged; NULL: not */
    char (*reason)[AM_RESPONSE_REASON];
    size_t reasons, reason_capacity;
    bool exact;                    /* the points are orbits (orbits.c), and there is no balance */
    struct am_follow_point *orbit; /* of the points of branches, if they are */
    size_t orbits, orbit_capacity;
    double *largest;            /* n: of |q| on the orbit last measured */
    am_response_search *search; /* NULL: not asked for; outlives a number of harmonics */
    am_status failure;          /* inside a visit */
    am_error *err;
} am_response;

/* The name of the parameter, in tables and messages. */
static inline const char *am_response_parameter(const am_response *r) {
    return r->line.number == SIZE_MAX ? "parameter" : am_model_name(r->line.model, r->line.number);
}

/* A point before it is measured and judged. */
static inline am_response_point am_response_point_new(const char *kind, bool located, double p, double residual) {
    return (am_response_point){.kind = kind,
                               .located = located,
                               .p = p,
                               .residual = residual,
                               .stable = -1,
                               .unstable = -1,
                               .near = SIZE_MAX,
                               .exponent = NAN,
                               .multiplier = NAN,
                               .exact = NAN};
}

/* The equations with so many harmonics, and what goes with them. */
am_status am_response_open(am_response *r, size_t harmonics, am_error *err);
/* The signals of a point into r->signals. */
am_status am_response_signals(am_response *r, const double *x, double p, am_error *err);
/* What a motion measures. */
/* H and what follows from it. */
am_status am_response_set_harmonics(am_response *r, size_t harmonics, am_error *err);
am_status am_response_measure(am_response *r, const double *x, double p, am_response_point *point, am_error *err);

/* Add a point; x is copied. */
am_status am_response_add(am_response *r, const am_response_point *point, const double *x, am_error *err);

/* ---- response_trace.c ---- */
/* The branches into the trace, if one is wanted. */
am_status am_response_take_down(const am_response *r, am_error *err);
/* The branches of the trace for the present numbers; *drawn: they are in the result, and nothing is followed. */
am_status am_response_preview(am_response *r, am_result *result, bool *drawn, am_error *err);

/* ---- start.c ---- */
am_status am_response_start(am_response *r, double p, am_error *err); /* into r->start */

/* ---- branches.c ---- */
am_status am_response_follow(am_response *r, am_error *err);
/* A branch of its own through the motion x at p, both ways. x is the caller's. */
am_status am_response_follow_new(am_response *r, double p, const double *x, am_error *err);
/* The motion at p between two points of a branch: guess by `share` of the way from a to b, then Newton. Into trial. */
am_status am_response_between(am_response *r, size_t a, size_t b, double share, am_response_point *point,
                              am_error *err);

/* ---- orbits.c ---- */
/* Do velocities or friction of this structure jump by themselves? No sum of harmonics has that. */
bool am_response_jumps(const am_system *system);
/* Do the options ask for nothing that orbits do not have? */
bool am_response_orbits_can(const am_response *r);
/* Branches of exact orbits, their peaks and special points. */
am_status am_response_orbits(am_response *r, am_error *err);
am_status am_response_orbit_between(am_response *r, size_t a, size_t b, double share, am_response_point *point,
                                    am_error *err);
void am_response_forget_orbits(am_response *r);

/* ---- orbit_cycles.c ---- */
struct am_contact_cycles;
/* What contacts do on the orbit of this point; nothing where it has none. */
am_status am_response_orbit_cycles(const am_response *r, const am_response_point *point,
                                   const struct am_contact_cycles *cycles, am_error *err);

/* ---- hopf.c ---- */
/* The point where the branch that shrinks through `from` meets rest. Into trial. */
am_status am_response_hopf(am_response *r, size_t from, am_response_point *point, am_error *err);

/* ---- response_peak.c ---- */
am_status am_response_peaks(am_response *r, am_error *err);

/* How well the amplitude of the peak is known: from the exact motion where there is one, else by its truncation. */
double am_response_peak_known_to(const am_response *r);
/* The number of a reason for which a verdict is withheld. */
size_t am_response_reason(am_response *r, const char *text);
/* ---- response_stability.c ---- */
am_status am_response_verdicts(am_response *r, am_error *err);

/* ---- response_tables.c ---- */
am_status am_response_tables(am_response *r, am_result *result, am_error *err);
/* What a preview has: points, and the highest of them. */
am_status am_response_preview_tables(am_response *r, am_result *result, am_error *err);

#endif
