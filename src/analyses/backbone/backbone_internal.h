/* Inside of `backbone`: what its files share.
 *
 * The unknowns of harmonic balance are x = (signals, omega) at the parameter xi. Over many decades of amplitude they
 * are followed as y = (z, omega/omega_1, xi/omega_1) over the logarithm s of the modal amplitude a, with x = rest + a
 * unit z: what `rest` leaves of y is of order 1 at any amplitude. omega_1 is the frequency of the linear mode. */
#ifndef AMONTONS_ANALYSES_BACKBONE_BACKBONE_INTERNAL_H
#define AMONTONS_ANALYSES_BACKBONE_BACKBONE_INTERNAL_H
#include "amontons/backbone.h"
#include "engines/balance/balance.h"
#include "engines/quasistatic/equilibrium.h"

typedef struct am_backbone_point {
    const char *kind; /* start, regular, value, end, fold, branch-point */
    bool located;
    size_t branch; /* from 1, the mode itself; the others leave it, or each other, at branch points */
    double s;      /* logarithm of the amplitude */
    double amplitude, frequency, xi, residual;
    double nonlinear, damping; /* energy lost in a period to contacts and springs; to linear damping */
    double balance;            /* what is left of the energy of a period, relative */
    int stable;                /* 1, 0; -1: not known */
    double exponent;           /* NAN */
    double modal_force;        /* of the harmonic load, |phi^H F|; NAN: there is none */
    double exact;              /* frequency of the motion closed in time; NAN */
    const char *withheld;      /* why stable is not known; "" */
} am_backbone_point;

/* The equations with one number of harmonics. */
typedef struct am_backbone_equations {
    am_balance *balance;
    am_continuation *curve;
    am_continuation_problem problem;      /* of y */
    size_t size;                          /* of x; y has one more */
    double omega;                         /* omega_1 */
    double unit;                          /* of z */
    am_arena memory;                      /* of the rest */
    double *rest;                         /* size */
    double *x, *F, *J, *Fp, *slope, *row; /* work space */
} am_backbone_equations;

typedef struct am_backbone {
    const am_system *system; /* the caller's */
    const am_backbone_options *options;
    const am_progress *progress;
    am_model *model;     /* of free motion: its only number is xi */
    am_model_line line;  /* of that */
    am_equilibrium rest; /* under constant loads, put on slowly; no state: sliders have nothing to remember */
    double from, to;
    double xi_scale; /* of the structure's frequencies */
    bool whole;      /* nothing is condensed */
    size_t n, contacts, H, S;
    am_backbone_equations equations;
    am_backbone_equations finer; /* with twice the harmonics, when the truncation is asked for */
    am_arena memory;             /* of the next ones */
    double *y;                   /* where the curve begins */
    double *trial, *first;       /* work space for the same */
    double *signals;             /* n x S */
    double *column;              /* 2 n */
    double *logarithms;          /* value_count */
    double start;                /* s of y */
    double linear_frequency, linear_damping;
    am_backbone_point *point;
    double *points; /* y of each */
    size_t count, capacity;
    size_t own; /* points of the mode itself, which come first */
    size_t branches, report_capacity;
    am_continuation_report *reports; /* of each branch */
    double truncation, truncation_at;
    const char *judged_by; /* how stability was judged; NULL: not */
    char reason[256];      /* why verdicts are withheld */
    am_status failure;     /* inside a visit */
    am_error *err;
} am_backbone;

/* The equations with so many harmonics, and what goes with them. */
am_status am_backbone_open(am_backbone *b, size_t harmonics, am_error *err);

/* ---- free.c ---- */
/* The free structure: a model whose number is xi. Refuses, with a sentence, what varies in time by itself. */
am_status am_backbone_free_model(const am_system *system, am_model **model, am_error *err);

/* ---- equations.c ---- */
am_status am_backbone_equations_open(am_backbone *b, am_parity parity, size_t harmonics, am_backbone_equations *e,
                                     am_error *err);
void am_backbone_equations_close(am_backbone_equations *e);
/* x and xi of y at s. */
double am_backbone_unscale(const am_backbone_equations *e, const double *y, double s, double *x);
/* The motion y becomes the reference of the phase, whatever it was. */
void am_backbone_phase(am_backbone_equations *e, const double *y, double s);

/* ---- mode_curve.c ---- */
/* The linear mode: what y is measured by. */
am_status am_backbone_linear_mode(am_backbone *b, am_error *err);
am_status am_backbone_start(am_backbone *b, am_error *err);
am_status am_backbone_follow(am_backbone *b, am_error *err);
am_continuation_options am_backbone_curve_options(const am_backbone *b);
am_status am_backbone_add(am_backbone *b, const am_continuation_point *at, const am_continuation_special *special,
                          am_error *err);

/* ---- backbone_trace.c ---- */
/* The modes into the trace, if one is wanted. */
am_status am_backbone_take_down(const am_backbone *b, am_error *err);
/* The modes of the trace for the present numbers; *drawn: they are in the result, and nothing is followed. */
am_status am_backbone_preview(am_backbone *b, am_result *result, bool *drawn, am_error *err);

/* ---- backbone_evidence.c ---- */
am_status am_backbone_truncation(am_backbone *b, am_error *err);
am_status am_backbone_energy(am_backbone *b, am_error *err);

/* ---- mode_stability.c ---- */
am_status am_backbone_verdicts(am_backbone *b, am_error *err);

/* ---- forced.c ---- */
am_status am_backbone_forces(am_backbone *b, am_error *err);
am_status am_backbone_forced(am_backbone *b, am_result *result, am_error *err);

/* ---- backbone_tables.c ---- */
am_status am_backbone_tables(am_backbone *b, am_result *result, am_error *err);
am_status am_backbone_preview_table(am_backbone *b, am_result *result, am_error *err);

/* What it refuses of a structure. */
am_status am_backbone_check(const am_system *system, am_error *err);

#endif
