/* Inside of harmonic balance: what its files share. See engines/balance/balance.h.
 *
 * `numbers` is everything a system is made of that may depend on the parameter, as one flat array:
 *     omega | M (n^2) | C (n^2) | K (n^2) | F (n signals) | contacts | terms | stiffnesses that vary
 * with, per contact, CONTACT_NUMBERS, the signals of N, of the surface's velocity and of the gap; of a stiffness that varies
 * the signal of degree 2 H, which is what a product with a motion of degree H can feel. The parameter moves a few of
 * them. */
#ifndef AMONTONS_ENGINES_BALANCE_BALANCE_INTERNAL_H
#define AMONTONS_ENGINES_BALANCE_BALANCE_INTERNAL_H
#include <complex.h>

#include "base/arena.h"
#include "engines/balance/balance.h"
#include "engines/balance/cell.h"
#include "engines/balance/element.h"
#include "system/dependence.h"

enum {
    FRICTION,
    SPRING,
    STIFFNESS,
    DAMPING,
    STATIC,
    REGULARISED,
    EXPONENT,
    DISSIPATION,
    LAW, /* its parameters */
    CONTACT_NUMBERS = LAW + AM_LAW_PARAMETERS
};

/* A direction in the coordinates of balance; only entries that are not zero. */
typedef struct am_balance_row {
    size_t count;
    size_t *index;
    double *value;
} am_balance_row;

typedef enum am_balance_friction {
    AM_FRICTIONLESS,
    AM_FRICTION_JENKINS,     /* a spring in series: the stop operator */
    AM_FRICTION_SLIDER,      /* springs in series where that is not enough: two tangents, friction that drops, a surface
                              * that goes on for ever, a layer that is not linear */
    AM_FRICTION_RIGID,       /* multipliers: lambda = clip(lambda + epsilon v) */
    AM_FRICTION_REGULARISED, /* clip(mu N v / v0) */
    AM_FRICTION_DRAG         /* a law without stick */
} am_balance_friction;

typedef struct am_balance_joint { /* a contact */
    am_balance_row tangent, normal, second;
    am_balance_row multiplier; /* rigid: its unknown signal, as one coordinate beyond those of the structure */
    am_balance_friction friction;
    bool compliant;
    bool power;           /* the layer is not linear (Hunt-Crossley) */
    bool general;         /* followed as an element: a law of friction, or a layer that is not linear */
    bool drawn;           /* the velocity of its surface varies */
    am_element_law *law;  /* NULL: Coulomb's */
    double worn;          /* where friction weakens with slip: the distance after which it has; 0: it does not */
    bool plane;           /* it has a second tangent */
    double remembered[2]; /* by it or, of a slider, its stretches, at theta = 0, along the motion evaluated last */
    double relaxed[2]; /* places along the tangents at which the springs of a slider were relaxed before the motion */
    double epsilon;    /* rigid: impedance that weighs velocity against force; does not change the solution */
} am_balance_joint;

typedef struct am_balance_spring { /* polynomial element */
    am_balance_row direction;
    size_t terms, first; /* its coefficients begin at `first` in numbers */
    am_polynomial_term *term;
    bool moving;                    /* a coefficient depends on the parameter */
    am_polynomial_term *slope_term; /* the derivatives of the coefficients with respect to it */
} am_balance_spring;

typedef struct am_balance_varying { /* stiffness that varies in time */
    am_balance_row direction;
    size_t first; /* its signal of degree 2 H begins there in numbers */
} am_balance_varying;

typedef struct am_balance_chart am_balance_chart;
typedef struct am_balance_jacobian am_balance_jacobian;

typedef struct am_balance_lever { /* a number of the model that control varies */
    size_t number;
    double own;             /* its value in the model */
    double unit;            /* the unknown is unit (value - own) */
    double present;         /* value - own, of `steered` */
    double omega;           /* what one of it does to the frequency... */
    double *load, *rotated; /* ...and to the loads, n x S; the same in the coordinates of Q */
} am_balance_lever;

typedef struct am_balance_condition {
    am_balance_row row;  /* of the coordinate */
    size_t harmonic, at; /* its cosine among the coefficients kept */
    bool phase;          /* else amplitude */
    double target, from; /* amplitude, or angle: that it shall have; that a start had */
} am_balance_condition;

struct am_balance {
    am_arena memory; /* of all arrays */
    am_model_line line;
    double from, to;
    bool self_excited, odd;
    bool free_omega;    /* the last unknown is omega */
    bool whole;         /* options.whole */
    bool recalls;       /* options.rest: sliders remember it... */
    double *rest;       /* ...n: where the structure was */
    double fixed_omega; /* options.omega; 0: the loads' */

    size_t n, contacts, springs, varyings, H, S; /* S = 2 H + 1 */
    size_t kept, *coefficient;                   /* coefficients of a signal that are unknowns */
    size_t at_M, at_C, at_K, at_F, at_contact, at_terms, at_varying, count;
    size_t stride;                    /* of contacts in numbers */
    double *numbers;                  /* at the present p */
    double p;                         /* of `numbers` */
    am_dependence dependence;         /* of them on p */
    bool moves_matrices, moves_loads; /* does p move M, C, K; F... */
    bool moves_other;                 /* ...or anything but omega, terms and straight matrices */
    double *matrix_slope;             /* 3 n^2: what p does to M, C, K along straight lines; NULL: it does not */
    double *slope_work;               /* for it; NULL: it was never straight */

    size_t r;        /* coordinates of balance */
    bool condensed;  /* r < n */
    double *Q;       /* n x n, columns: first r span the directions of nonlinear forces; identity when not condensed */
    double *rotated; /* 3 n^2: Q^T M Q, Q^T C Q, Q^T K Q, when condensed */
    double *rotated_base, *rotated_slope; /* the same of dependence.base and matrix_slope */
    double rotated_at;                    /* p of `rotated`; NAN: none */
    double *rotated_load;                 /* n x S */
    bool stale_matrices, stale_loads;     /* rotated, rotated_load are not those of `numbers` */

    am_balance_joint *joint;
    am_balance_spring *spring;
    am_balance_varying *varying;
    size_t multipliers, size; /* unknown signals of multipliers; unknowns */

    /* linear part at `omega`: Z_h and its derivative (h = 0 .. H, r x r), and the condensed load */
    double omega;
    bool linear_ready, rates_ready;   /* Z and load; dZ and dload as well */
    bool charted;                     /* they are from the chart: dZ lacks what am_balance_near_slope has */
    double complex *Z, *dZ;           /* (H+1) x r x r */
    double complex *load, *dload;     /* (H+1) x r: coefficients a - i b */
    double complex *Zp, *loadp;       /* the derivatives with respect to p, where there is a matrix_slope */
    double complex *inner, *coupling; /* work space of condensation */
    double *split;                    /* work space of the same, am_balance_split_size */
    bool symmetric;                   /* M, C, K, where condensed */
    bool modal;                       /* condensed coordinates are modes (modal_coordinates.c)... */
    bool diagonal;                    /* ...which damping does not couple, for the present numbers */
    int *pivots;
    bool *switching;         /* r + multipliers: coordinates whose harmonics depend on each other */
    am_balance_chart *chart; /* the condensed stiffness as a function of the frequency; NULL: not made */
    double *chart_work;      /* 2 (H + 1) */

    size_t levers; /* control: 0, or numbers that are unknown and conditions */
    const am_response_control *control;
    am_balance_lever *lever;
    am_balance_condition *condition;
    double *steered;      /* n x S: what the levers add to the loads, in the coordinates of Q */
    double complex *pull; /* n + r: work space */
    double share;         /* 0 .. 1: of the way to the targets */
    bool hold;            /* the levers are held where they are, and the conditions left out */

    am_balance *finer; /* of degree 2 H: made when the truncation is asked for, with what solves it */
    am_continuation *finer_curve;

    am_balance_jacobian *jacobian; /* large balances: the derivative is no array; NULL: it is */

    /* work space */
    am_cell *cell;
    am_element *element;       /* NULL: no joint is general */
    am_slider *slider;         /* NULL: no joint is one */
    double *phase;             /* size: reference of the phase condition; moved by advance */
    double *signal;            /* 6 S */
    double *force;             /* S */
    double *d1, *d2, *d3, *d4; /* S x S */
    double *work;              /* size: differences */
    double *starts, *ends;     /* H + 1 */
    double *rate;              /* size: derivative of the equations with respect to omega */
    double *drift;             /* omega and the numbers of all contacts: their derivatives with respect to p */
};

/* ---- numbers.c ---- */
/* `numbers` at p. */
am_status am_balance_set(am_balance *b, double p, am_error *err);
/* How the numbers depend on the parameter; after the layout is known. */
am_status am_balance_examine(am_balance *b, am_error *err);
/* The held number of the line has got another value: how the numbers depend on the parameter is examined anew. The
 * structure's parts, their directions and the symmetry must be the same as before. */
am_status am_balance_renew(am_balance *b, am_error *err);
const double *am_balance_contact_numbers(const am_balance *b, size_t contact);
/* The same of the numbers along another line of the model. */
am_status am_balance_find_dependence(am_balance *b, const am_model_line *line, double from, double to, am_dependence *d,
                                     am_error *err);
/* signal (S) += the function of a load. */
am_status am_balance_load_signal(const am_balance *b, const am_system *system, size_t load, double omega,
                                 double *signal, am_error *err);
/* Signals among the numbers of a contact: a held normal force, the velocity of the surface, the gap at q = 0. */
static inline const double *am_balance_hold(const double *numbers) {
    return numbers + CONTACT_NUMBERS;
}
static inline const double *am_balance_surface(const am_balance *b, const double *numbers) {
    return numbers + CONTACT_NUMBERS + b->S;
}
static inline const double *am_balance_gap(const am_balance *b, const double *numbers) {
    return numbers + CONTACT_NUMBERS + 2 * b->S;
}

/* ---- linear.c ---- */
/* Z and load at omega for the present numbers; dZ and dload, too, with `rates`. */
am_status am_balance_linear(am_balance *b, double omega, bool rates, am_error *err);
/* F += Z u - load for all harmonics of x, and the derivative by omega to `rate` (may be NULL), without Z. *done: false where
 * that is not known, or Z is at hand or as cheap. */
am_status am_balance_multiply(am_balance *b, double omega, const double *x, double *F, double *rate, bool *done,
                              am_error *err);
size_t am_balance_split_size(size_t n, size_t r);
/* The matrices and loads of the present numbers in the coordinates of Q. */
void am_balance_rotate(am_balance *b);
/* All n coordinates from the coordinates of balance: u and q are coefficients a - i b of one harmonic. */
am_status am_balance_recover(am_balance *b, size_t h, double omega, const double complex *u, double complex *q,
                             am_error *err);
/* A harmonic of the response of the linear structure's coordinates of balance to forces on them (r). In place. */
am_status am_balance_answer(am_balance *b, size_t h, double omega, double complex *force, am_error *err);

/* ---- chart.c ---- */
/* Is there a table of the condensed stiffness up to the frequency w? It is made where matrices do not move and condensed
 * coordinates are modes. */
am_status am_balance_need_chart(am_balance *b, double w, bool *have, am_error *err);
/* S(w) and, unless NULL, dS/dw (r x r each) but for what modes near w add to it: that, times u. False: a condensed mode
 * resonates there without damping. */
bool am_balance_read_chart(am_balance *b, double w, double complex *Z, double complex *dZ);
bool am_balance_near_slope(am_balance *b, double w, const double complex *u, double complex *product);
void am_balance_drop_chart(am_balance *b);
/* F += S(h omega) u_h for all harmonics of x, and the derivative to `rate` (may be NULL), without S: where there is a table,
 * and memory. False: as above. */
bool am_balance_chart_multiplies(am_balance *b);
bool am_balance_add_charted(am_balance *b, double omega, const double *x, double *F, double *rate);

/* The condensed load of a harmonic, into f (n + r: r of them, and work space), of loads (n x S) in the coordinates of Q. */
am_status am_balance_condense_load(am_balance *b, size_t h, double omega, const double *loads, double complex *f,
                                   am_error *err);

/* ---- balance.c ---- */
am_status am_balance_make_row(am_balance *b, const double *direction, am_balance_row *row, am_error *err);

/* ---- balance_control.c ---- */
am_status am_balance_take_levers(am_balance *b, am_error *err);
am_status am_balance_take_conditions(am_balance *b, const am_system *system, am_error *err);
/* What the numbers do and phases are told from, after another number of the model has changed. */
am_status am_balance_renew_control(am_balance *b, am_error *err);
bool am_balance_levers_odd(const am_balance *b);
/* The loads get what the levers of x add; NULL: nothing. */
void am_balance_steer(am_balance *b, const double *x);
double am_balance_steered_omega(const am_balance *b, const double *x); /* what they add to the frequency */
/* Rows of F and J (may be NULL); columns of J, from the derivatives `rate` by omega. */
void am_balance_add_conditions(const am_balance *b, const double *x, double *F, double *J);
am_status am_balance_add_levers(am_balance *b, double omega, const double *rate, double *J, am_error *err);
void am_balance_set_tests(const am_balance *b, am_continuation_problem *problem);
/* From a motion x with the levers at their own values to one that meets the conditions. */
am_status am_balance_reach_control(am_balance *b, am_continuation *curve, double p, double *x, am_error *err);

/* ---- modal_coordinates.c ---- */
am_status am_balance_find_modes(am_balance *b, am_error *err);

/* ---- jacobian.c ---- */
extern const am_continuation_matrix am_balance_matrix;
/* Where it is worth it. */
am_status am_balance_make_jacobian(am_balance *b, am_error *err);
double *am_balance_blocks(const am_balance *b); /* all of them, zero */
/* kept x kept, of two coordinates that a contact or a spring joins. */
double *am_balance_block(const am_balance *b, size_t row, size_t column);

/* ---- evaluate.c ---- */
am_status am_balance_evaluate(void *context, const double *x, double p, double *F, double *J, double *Fp,
                              am_error *err);
/* The same with the derivative in b->jacobian and b->Z. Fp may be NULL. */
am_status am_balance_linearise(am_balance *b, const double *x, double p, double *F, double *Fp, am_error *err);
/* D (size x size) += derivative of the forces with respect to the signals of velocities. */
am_status am_balance_velocity(am_balance *b, const double *x, double p, double *D, am_error *err);
/* What the law of a contact remembers, or the stretches of a slider's springs (two in a plane), at theta = 0. */
am_status am_balance_remembered(am_balance *b, const double *x, double p, size_t contact, double *value, am_error *err);
/* Of the spring behind the slider of a contact (Jenkins), at theta = 0. */
am_status am_balance_stretch(am_balance *b, const double *x, double p, size_t contact, double *stretch, am_error *err);

#endif
