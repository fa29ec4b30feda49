/* Inside of the engine of piecewise linear motions. plan.c makes the linear pieces, run.c follows a motion over a
 * period, event.c says what happens at a switch, close.c closes periodic motions. */
#ifndef AMONTONS_ENGINES_PIECEWISE_ENGINE_H
#define AMONTONS_ENGINES_PIECEWISE_ENGINE_H
#include "base/arena.h"
#include "engines/piecewise/piecewise.h"
#include "math/propagator.h"
#include "system/system.h"

/* Of the series on the shortest steps: its next term is below rounding. */
enum { AM_PIECE_ORDERS = 12 };

#define AM_NO_SLIDER ((size_t)-1)

/* What a contact does. A damped layer may overlap without touching: it recovers more slowly than its faces part. */
typedef enum am_piece {
    AM_PIECE_APART,
    AM_PIECE_OVERLAP,
    AM_PIECE_HOLDS, /* closed; rigid friction and sliders stick, regularised friction is below its velocity */
    AM_PIECE_FORWARD,
    AM_PIECE_BACKWARD
} am_piece;

typedef enum am_rubbing { AM_RUBS_NOT, AM_RUBS_RIGID, AM_RUBS_SLIDER, AM_RUBS_SMOOTHED } am_rubbing;

typedef enum am_bound_kind {
    AM_BOUND_GAP,     /* apart: the gap */
    AM_BOUND_RECOVER, /* overlapping: minus what would push */
    AM_BOUND_DEPTH,   /* overlapping: the depth */
    AM_BOUND_PUSH,    /* closed: the normal force */
    AM_BOUND_UPPER,   /* holds: mu N - T, or the velocity left before friction saturates forward */
    AM_BOUND_LOWER,   /* holds: mu N + T, or backward */
    AM_BOUND_SLIDE    /* slips: its velocity in the direction of slip, that of the slider behind a spring */
} am_bound_kind;

/* A quantity that must not be negative: row . (x, z), its rate by `rate`. */
typedef struct am_bound {
    size_t contact;
    am_bound_kind kind;
    const double *row, *rate; /* nx each, inside the flow */
    double reach, rate_reach; /* what a state of unit size can do to it, and to its rate */
} am_bound;

/* One combination of contact states. */
typedef struct am_piece_flow {
    am_piece *state;  /* m */
    double *A, *B;    /* nd x nd, nd x nz */
    double *normal;   /* m x nx: N */
    double *friction; /* m x nx: T */
    size_t bounds;
    am_bound *bound;
    double *rows; /* 2 x (3 m) x nx */
    am_propagator *propagator;
    size_t structure, inputs; /* the engine's counts when this was made */
    struct am_piece_flow *next;
} am_piece_flow;

struct am_piecewise {
    am_arena memory, flow_memory; /* of all arrays; of the flows */
    const am_system *system;
    size_t n, m, sliders, nz, nd, nx; /* nd = 2 n + sliders, nx = nd + nz */
    size_t structure, inputs;         /* counts of what has changed */
    size_t *slider;                   /* m: its place among the sliders, or AM_NO_SLIDER */
    am_rubbing *rubbing;              /* m */
    double *constants;                /* M, C, K with circulatory forces, then all numbers of contacts, then G's size */
    size_t constant_count;
    double *Aq, *Av, *Bz; /* n x n, n x n, n x nz: q'' of the structure without contacts */
    double *Bn, *Bt;      /* m x n: M^-1 n, M^-1 t */
    double *W;            /* m x m: t M^-1 t */
    double *G;            /* nz x nz */
    double *weight;       /* nd: one unit for all states */
    am_piece_flow *flows;

    /* the motion */
    double t;
    double *x, *z;           /* nd, nz */
    double *trial, *trial_z; /* the same at the end of a step that is looked at */
    am_piece *state;         /* m */
    am_piece_flow *flow;
    double *value, *slope; /* 3 m each: of the bounds, now */
    bool *disarmed; /* 3 m: a bound that begins at zero and is not to be believed negative before it has left it */
    unsigned char *zeros; /* 3 m: how many of its leading orders are zero just behind a switch */
    double piece_start;   /* since when the derivative waits for its exponential */
    bool derivative;
    double *S; /* nd x nd: derivative by the first state; S0 in it at the start */
    size_t switches;
    bool *held_on;               /* m: has stuck all the time */
    double *cosine, *sine, size; /* n each: integrals of q cos, q sin; largest state met */
    double omega;
    double *series, *input_series; /* orders x nd, orders x nz */
    double *rate, *rate_before;    /* nd each */
    double *row;                   /* nx */
    double *matrix;                /* 4 nd x nd: work */
    int *pivots;

    /* the closed motion */
    double *start, *end, *step; /* nd */
    am_piece *start_state;
    double *re, *im, *first;
};

/* ---- plan.c ---- */
/* The flow of e->state, made or brought up to date; NULL with err. */
am_piece_flow *am_piece_flow_get(am_piecewise *e, am_error *err);
static inline double am_piece_sign(am_piece state) {
    return state == AM_PIECE_FORWARD ? 1.0 : state == AM_PIECE_BACKWARD ? -1.0 : 0.0;
}
static inline bool am_piece_closed(am_piece state) {
    return state >= AM_PIECE_HOLDS;
}
/* row . (x, z) at the present instant. */
double am_piece_dot(const am_piecewise *e, const double *row);
/* What a bound and its rate are measured by: their values for a state as large as the motion. */
double am_piece_scale(const am_piecewise *e, const am_bound *bound);
double am_piece_rate_scale(const am_piecewise *e, const am_bound *bound);
/* x' of a flow at the present instant. */
void am_piece_rate(const am_piecewise *e, const am_piece_flow *flow, double *rate);

/* ---- event.c ---- */
/* The states at the start, from x alone (positions of sliders are given). */
am_status am_piece_begin(am_piecewise *e, am_error *err);
/* The bound turns negative now; or (NULL) the loads break. Sets state, flow, x, S. */
am_status am_piece_switch(am_piecewise *e, const am_bound *trigger, am_error *err);
/* S up to now. */
am_status am_piece_catch_up(am_piecewise *e, am_error *err);

/* ---- run.c ---- */
/* From e->x at t = 0 over a period; e->state holds the states to begin with. */
am_status am_piece_run(am_piecewise *e, double period, bool derivative, am_error *err);

#endif
