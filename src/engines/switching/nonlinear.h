/* Forces that are no linear functions of the state: polynomial springs and dampers, friction that depends on the sliding
 * speed. Each is one more entry of x, after the inputs, so that all that is linear in x stays so:
 *
 *     x = (q, v, e, z, g),     (v', e') = A x,     g_j = law_j(arguments),     arguments = rows.x
 *
 * Their Taylor coefficients are computed order by order with those of x. An argument may depend on g itself, as the
 * normal force of a rigid contact does on its friction: then order 0 of g solves an equation, and all higher orders a
 * linear system with one matrix. See docs/motion.md, section 10. */
#ifndef AMONTONS_ENGINES_SWITCHING_NONLINEAR_H
#define AMONTONS_ENGINES_SWITCHING_NONLINEAR_H
#include "engines/switching/flow_types.h"
#include "laws/law.h"
#include "math/tape.h"

/* Arguments that a force has at most: of others than those below; of contacts that slip in a plane; of rates of forces,
 * which have those of the force and their rates. */
enum {
    AM_FORCE_FEW_ARGUMENTS = 2 + AM_LAW_MEMORIES,
    AM_FORCE_PLANE_ARGUMENTS = 6,
    AM_FORCE_ARGUMENTS = 2 * AM_FORCE_FEW_ARGUMENTS
};

/* The formula of a force on one piece of its law. */
typedef struct am_formula {
    am_tape tape;
    size_t arguments;
    am_term argument[AM_FORCE_ARGUMENTS], force, slope[AM_FORCE_ARGUMENTS];
    bool counts[AM_FORCE_ARGUMENTS]; /* do the orders of the force above the first depend on those of the argument? */
    bool felt[AM_FORCE_ARGUMENTS];   /* does it depend on the argument at all? */
    bool singular;                   /* it has no series where one of its arguments is zero */
    size_t edge;                     /* which */
} am_formula;

typedef enum am_force_kind {
    AM_FORCE_POLYNOMIAL, /* of e and e', against the direction of a spring */
    AM_FORCE_VARYING,    /* of e and the stiffness of the instant, the same way */
    AM_FORCE_PUSH,       /* of depth and its rate: the normal force of a compliant contact whose law is curved */
    AM_FORCE_FRICTION, /* of sliding speed and N: (mu(v) - mu(0)) N against the slip, beside mu(0) N, which is linear */
    AM_FORCE_DRAG,     /* of the first w, sliding speed, further w and N: friction of a law without stick */
    AM_FORCE_WEAKENING, /* of the distance slid w and N: (mu(w) - friction) N, beside friction N. Also of a contact that
                         * sticks, whose limit it belongs to */
    AM_FORCE_RATE,      /* of the same: no force, but the rate of an internal variable (a row of A takes it) */
    AM_FORCE_CHANGE, /* of the arguments of another force and their rates: no force, but the rate of that one, which the
                      * slider behind a spring has a part of its velocity from */
    /* Of contacts that slip in a plane (plane_slip.c); no forces, but what their slider does. */
    AM_FORCE_DISC_LIMIT, /* (mu N)^2 - |T|^2, in stick */
    AM_FORCE_DISC_POWER, /* of friction, in slip: it ends where that vanishes */
    AM_FORCE_DISC_RATE   /* lambda e along each tangent, in slip: two forces, one after the other */
} am_force_kind;

/* One force, planned once. */
struct am_force {
    am_force_kind kind;
    size_t owner;            /* contact, or spring of its kind */
    size_t along;            /* AM_FORCE_DISC_RATE: which of the tangents; AM_FORCE_RATE: of the internal variables */
    size_t of;               /* AM_FORCE_CHANGE: the force whose rate it is */
    const double *direction; /* n; of a push: the normal */
    size_t pieces;
    double *knot;        /* where each piece of its law ends, in terms of the first argument; INFINITY of the last */
    bool leaps;          /* it is not continuous there */
    am_formula *formula; /* one per piece */
};

/* What changes while forces are computed; an engine has one. */
struct am_force_work {
    bool with_slopes;             /* orders of the slopes are wanted, too */
    bool folded;                  /* forces were found, but such that a speed without mass would run away from them */
    const double *lost;           /* m: what the rounding of velocities takes from sliding speeds (am_engine_creep) */
    double zero;                  /* of x, in the weights of the plan: an argument that near to zero is zero */
    double **series;              /* forces: operations x AM_TAPE_ORDERS */
    size_t *piece;                /* forces: the piece that holds */
    size_t *left;                 /* forces: the one that held on the span before */
    double *matrix;               /* unknowns x unknowns: of the loops, factored (loops.c) */
    int *pivot;                   /* unknowns: the forces, or where coordinates have no mass their arguments */
    double *side, *scale, *known; /* unknowns */
    double *yield;                /* unknowns: how much of a disturbance an argument keeps under its own law */
    double *gradient;             /* forces x nd: see am_forces_gradient */
};

/* A formula gets one more argument; its slopes, when it is recorded (nonlinear.c). */
am_term am_formula_argument(am_formula *formula);
am_status am_formula_finish(am_formula *formula, am_error *err);

/* Contacts that slip in a plane (plane_slip.c): how many forces one has, which they are, and when they act; formulas and rows
 * of arguments. */
enum { AM_DISC_FORCES = 4 };
bool am_force_is_disc(am_force_kind kind);
void am_disc_list(size_t contact, am_force *force);
bool am_disc_acts(const am_force *force, am_contact_state state);
am_status am_disc_record(const am_contact_def *contact, const am_force *force, size_t piece, am_formula *formula,
                         am_error *err);
void am_disc_arguments(const am_plan *plan, const am_flow *flow, const am_force *force, double *rows);

/* Where next to nothing presses, the stretch at the limit is one of rounding, and has no direction: the normal force up to
 * which that is so, and whether it is so at x. `acting`: a force of the contact. */
bool am_disc_may_slack(am_force_kind kind); /* has it another formula then? */
double am_disc_slack_force(const am_plan *plan, const am_flow *flow, size_t acting, double zero);
bool am_disc_is_slack(const am_plan *plan, const am_flow *flow, size_t acting, const double *x, double zero);

/* Does force j belong to a layer whose push has no series where its surfaces meet, and have they only just met between
 * these two states? Up to a few roundings of the depth it counts as none, and nothing is felt of it. */
bool am_force_begins(const am_plan *plan, const am_flow *flow, const am_force_work *work, size_t j, const double *from,
                     const double *to);

/* How many there are in a system. */
size_t am_forces_count(const am_system *system);

am_status am_forces_plan(am_plan *plan, am_error *err);
void am_forces_clear(am_plan *plan);
am_status am_forces_reserve(const am_plan *plan, am_arena *memory, am_force_work *work, am_error *err);

/* Does force j act in a combination? What a unit of it does: response.(its generalised force). */
bool am_force_acts(const am_plan *plan, size_t j, const am_contact_state *state);
double am_force_response(const am_plan *plan, size_t j, const am_contact_state *state, const double *response);

/* The sign of internal variable i of a contact in the text of its law, which is written for forward slip. */
double am_force_inner_sign(const am_plan *plan, size_t contact, size_t i, const am_contact_state *state);

/* Does internal variable i of a contact point along the slip (a deflection), or not (an age, a distance slid)? */
bool am_force_inner_is_directed(const am_plan *plan, size_t contact, size_t i);

/* Has a contact a slider behind a spring, whose limit is not linear in the state? Does that follow from the state at all
 * (or from time alone)? */
bool am_slider_is_curved(const am_contact_def *contact);
bool am_slider_follows_state(const am_contact_def *contact);

/* The force of a kind that belongs to a contact; AM_NO_ROW where there is none. */
size_t am_force_of(const am_plan *plan, am_force_kind kind, size_t contact);

/* The rows of the arguments of a flow whose other rows are there. */
am_status am_forces_fill(const am_plan *plan, am_flow *flow, am_error *err);

/* g at x, into x; of all other forces zero. */
void am_forces_at(const am_plan *plan, const am_flow *flow, am_force_work *work, double *x);

/* Order k of g from that of the rest of x, all lower orders being there. Order 0 must come first. */
void am_forces_order(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t k, double *x);

/* Which piece of its law holds for every force at x; at a knot the one that the motion enters. `zero`: of x, in the
 * weights of the plan; a speed that near to a knot is there. */
void am_forces_choose(const am_plan *plan, const am_flow *flow, am_force_work *work, double *x, double zero);

/* The size to which the rounding of order k of g is relative, from those of the rest of x; into `size`. */
void am_forces_size(const am_plan *plan, const am_flow *flow, const am_force_work *work, const double *x, double *size);

/* What the rounding of its arguments does to force j at the x of the last am_forces_at. */
double am_force_noise(const am_plan *plan, const am_flow *flow, const am_force_work *work, size_t j, const double *x);

/* dg/d(q, v, e) at the x of the last am_forces_at: work->gradient, rows of forces that do not act are zero. */
void am_forces_gradient(const am_plan *plan, const am_flow *flow, am_force_work *work);

/* How far along a span, of which `series` holds the orders of x, the pieces chosen hold. A speed within `zero` of a knot
 * at its beginning leaves it. */
double am_forces_until(const am_plan *plan, const am_flow *flow, const am_force_work *work, const double *series,
                       double length, double zero);

/* ---- inside of forces ---- */

static inline const am_formula *am_force_formula(const am_plan *plan, const am_force_work *work, size_t j) {
    return &plan->force[j].formula[work->piece[j]];
}

/* The row of argument i of the acting force a. */
static inline const double *am_force_argument(const am_plan *plan, const am_flow *flow, size_t a, size_t i) {
    return flow->argument + (a * plan->arguments + i) * plan->nx;
}

/* Order k of the arguments of all acting forces, from the first `columns` entries of x; of force j from its arguments.
 */
void am_forces_arguments(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t k, const double *x,
                         size_t columns);
void am_force_arguments(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t a, size_t k,
                        const double *x, size_t columns);
double am_force_run(const am_plan *plan, am_force_work *work, size_t j, size_t k);

/* How argument i of the acting force a depends on the acting force b. */
static inline double am_force_loop(const am_plan *plan, const am_flow *flow, size_t a, size_t i, size_t b) {
    return am_force_argument(plan, flow, a, i)[plan->nd + plan->nz + flow->acting[b]];
}

/* work->side -> the solution of (1 - C slopes) a = side, at the last order 0; where coordinates have no mass. */
void am_loops_solve_arguments(const am_flow *flow, am_force_work *work);

/* Forces that depend on each other (loops.c): order 0 of all of them, from those in x; order k > 0. */
void am_loops_values(const am_plan *plan, const am_flow *flow, am_force_work *work, double *x);
void am_loops_order(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t k, double *x);

#endif
