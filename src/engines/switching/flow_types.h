/* What flows are made of: quantities that must stay positive, rows over the state x, the plan that all flows of a system
 * share. flow.h says what is done with them. */
#ifndef AMONTONS_ENGINES_SWITCHING_FLOW_TYPES_H
#define AMONTONS_ENGINES_SWITCHING_FLOW_TYPES_H
#include <math.h>
#include <stdbool.h>

#include "base/arena.h"
#include "engines/switching/jet.h"
#include "math/bernstein.h"
#include "math/dense.h"
#include "system/combination.h"
#include "system/split.h"
#include "system/system.h"

/* Orders kept of a Taylor expansion: those of the polynomials, and one more for the remainder. */
enum { AM_ORDERS = AM_COEFFICIENTS + 1 };

typedef enum am_quantity_kind {
    AM_QUANTITY_GAP,    /* of an open contact */
    AM_QUANTITY_NORMAL, /* normal force of a closed one */
    AM_QUANTITY_UPPER,  /* mu N - T of a sticking one: slips backward when it is spent */
    AM_QUANTITY_LOWER,  /* mu N + T: slips forward */
    AM_QUANTITY_SLIDE,  /* sliding velocity in the direction of slip */
    AM_QUANTITY_LAX,    /* the pull that a lax contact would need: it presses again when it is spent */
    AM_QUANTITY_DISC,   /* (mu N)^2 - |T|^2 of one that sticks and may slip in a plane */
    AM_QUANTITY_OVERLAP /* depth of a lax contact: the surfaces part when it is spent */
} am_quantity_kind;

/* A compliant contact may be open although its surfaces still overlap: its damping has taken the force of its spring.
 * Results call it open. */
#define AM_LAX ((am_contact_state)4)

/* A contact with two tangents slips in any direction of their plane. Results call it forward. */
#define AM_SWEEP ((am_contact_state)5)

/* Does the force of the spring behind a slider follow from its stretch alone? In a plane it does in slip, too. */
static inline bool am_spring_pulls(am_contact_state state) {
    return state == AM_STICK || state == AM_SWEEP;
}

static inline bool am_is_closed(am_contact_state state) {
    return state != AM_OPEN && state != AM_LAX;
}

typedef struct am_quantity {
    size_t contact;
    am_quantity_kind kind;
    bool held;              /* cannot change, for others hold the contact: slip that does not slide, a gap that does not
                               open */
    size_t members;         /* of a facet: the limits that are spent together; 0 where contact and kind say all */
    const am_limit *member; /* they belong to the flow */
} am_quantity;

/* Member i of a quantity, 0 <= i < am_quantity_members: a contact and which of its limits is spent with it. */
static inline size_t am_quantity_members(const am_quantity *quantity) {
    return quantity->members > 0 ? quantity->members : 1;
}

/* Where a row over x has entries: dynamic part [from, to), inputs [input_from, input_to). Most rows of a large
 * structure are short: a contact's quantities depend on its neighbourhood. */
typedef struct am_extent {
    size_t from, to, input_from, input_to;
    bool moves; /* has entries other than that of the constant input z[0] */
} am_extent;

static inline bool am_extent_is_empty(const am_extent *extent) {
    return extent->from == extent->to && extent->input_from == extent->input_to;
}

static inline double am_extent_dynamic(const am_extent *extent, const double *row, const double *x) {
    return am_dense_dot(row + extent->from, x + extent->from, extent->to - extent->from);
}

/* sum + the inputs' share */
static inline double am_extent_inputs(const am_extent *extent, const double *row, const double *x, double sum) {
    for (size_t j = extent->input_from; j < extent->input_to; j++)
        sum += row[j] * x[j];
    return sum;
}

static inline double am_extent_dot(const am_extent *extent, const double *row, const double *x) {
    return am_extent_inputs(extent, row, x, am_extent_dynamic(extent, row, x));
}

/* The same with |row|: how large the result may be. */
static inline double am_extent_size(const am_extent *extent, const double *row, const double *x) {
    double sum = 0.0;
    for (size_t j = extent->from; j < extent->to; j++)
        sum += fabs(row[j]) * x[j];
    for (size_t j = extent->input_from; j < extent->input_to; j++)
        sum += fabs(row[j]) * x[j];
    return sum;
}

/* From `from` to before `to`. */
typedef struct am_interval {
    size_t from, to;
} am_interval;

static inline double am_range_dot(const am_interval *range, const double *row, const double *x) {
    return am_dense_dot(row + range->from, x + range->from, range->to - range->from);
}

/* One or two quantities to look at on a span: `quantity`, and with `twin` the one after it, which has the same dynamic
 * part with the other sign (both limits of a contact whose normal force does not depend on the motion). */
typedef struct am_screen {
    size_t quantity;
    bool twin;
} am_screen;

typedef struct am_finality am_finality;
typedef struct am_force am_force;           /* nonlinear.h */
typedef struct am_force_work am_force_work; /* nonlinear.h */
typedef struct am_slow am_slow;
typedef struct am_stride am_stride;

typedef struct am_flow {
    am_arena memory;    /* what is made with it */
    am_combination k;   /* at acceleration level */
    bool possible;      /* false: the combination is singular, nothing below is set */
    double *A;          /* rows x nx: q'' (q' of a massless coordinate), e' and w' = A x */
    am_extent *extent;  /* rows: of the rows of A */
    am_extent *later;   /* rows: the same from order 2 of a series on, where only `moving` coordinates count */
    am_interval moving; /* coordinates that accelerate lie in here: all others keep their velocity */
    double *normal;     /* m x nx: N = normal x; of redundant contacts those of least squares (am_combination_share) */
    double *tangential; /* m x nx */
    double *place; /* lights x nx: where springs and contacts put a coordinate without mass, from all others and from
                           what sticks to it now (light.c) */
    double *pace;  /* lights x nx: its velocity */
    double *light_work; /* 2 lights */
    am_split *split;    /* how redundant contacts may share their forces; NULL where forces are determined */
    am_split *impulses; /* the same for impulses, whose limits are kinetic; NULL where `split` serves for both */
    size_t quantities;
    am_quantity *quantity;
    double *row;           /* quantities x nx */
    am_extent *row_extent; /* quantities */
    double *dual;          /* quantities: sum |row|/weight over the parts that carry a Taylor remainder */
    size_t screens;
    am_screen *screen;    /* the quantities that change along a span, or some time */
    am_jet *rate_jet;     /* rows: of velocities and stretches, from order 1 on; NULL for larger systems, and before
                          am_flow_ready */
    am_jet *quantity_jet; /* quantities: from order 0 on; NULL where rate_jet is */
    double jet_length, jet_power; /* up to which the jets' rounding errors stay small (limit_jets in flow.c); ^24 */
    double *jet_coefficients;
    size_t *jet_columns;   /* what both point to */
    double rate;           /* norm of A, weighted, of all that moves: 1/rate is the shortest time scale */
    double *weight;        /* nx: of that norm; NULL: the plan's */
    size_t active;         /* forces that are not linear and act in this combination (nonlinear.h) */
    size_t *acting;        /* active: which */
    size_t arguments;      /* the plan's */
    double *argument;      /* active x arguments x nx: what they depend on, as rows over x */
    am_interval *argued;   /* active x arguments: where those rows have entries */
    bool loops;            /* an argument depends on such a force itself */
    bool chained;          /* only on those before it, as friction does on the force of a curved contact */
    bool stepwise;         /* orders are computed one after another, with such forces or velocities that follow */
    bool drifts;           /* what its closed contacts hold stays there only to rounding */
    am_finality *finality; /* made when first asked for */
    am_slow *slow;         /* the motion in which stiff coordinates follow; NULL where there is none */
    am_stride *stride;     /* its fast modes (stride.c); NULL where there are none */
    bool slow_sought, stride_sought;
    am_arena jet_memory, finality_memory, slow_memory, stride_memory; /* what is made later, if it is asked for */
} am_flow;

/* The rows of a contact that act on coordinates with neither mass nor damping. */
enum { AM_LEANS_NORMAL = 1, AM_LEANS_TANGENT = 2 };

typedef struct am_plan {
    am_arena memory;
    const am_system *system;
    size_t n, m, springs, inners, nd, nz, forces, nx;
    size_t rows;      /* of A: n + springs + inners */
    size_t arguments; /* that a force has at most */
    am_force *force;  /* forces: those that are no linear functions of x (nonlinear.h) */
    size_t *change;   /* forces: which of them is the rate of this one; AM_NO_ROW where nobody asks for it */
    size_t *spring;   /* m: index of the stretch of this contact's spring; AM_NO_ROW if it has none */
    size_t *inner;    /* m: the same of the first internal variable of its law of friction, after the springs */
    size_t *memories; /* m: how many of them it has */
    bool plane;       /* some contact has two tangents: its second stretch comes after the first */
    bool *plain;      /* m: is it rigid, with one tangent, Coulomb's friction (static or not) and nothing behind it, on
                         coordinates with mass? Few questions tell what such a contact does */
    am_interval *normal, *tangent; /* m: where the rows of the contacts have entries */
    double *M, *C, *K;             /* dense; circulatory forces are in K */
    double *circulatory;           /* n x n; NULL: none */
    bool *massless;                /* n: its velocity follows from the forces on it: D q' + ... = 0 */
    size_t followers;              /* how many are */
    double *E;                     /* what accelerations, and velocities of massless coordinates, are multiplied by */
    double *D;                     /* C without what of it is in E */
    size_t lights;                 /* coordinates with neither mass nor damping, which springs determine (light.c) */
    size_t *light_at;              /* lights: which */
    bool *light;                   /* n: is it one? E has its stiffness over light_square */
    double light_square;           /* of a frequency of the structure: makes a mass of a stiffness */
    bool light_mixes;              /* some contact joins them to others */
    bool light_follows;            /* springs join some of them to coordinates whose velocity follows */
    unsigned *leans;               /* m: AM_LEANS_...: which rows of the contact have entries there */
    const am_system *held;         /* what contacts hold at once: their rows on such coordinates alone, or `system` */
    am_interval *stiff, *damp;     /* n: where the rows of K and C have entries */
    double *inverse_mass;          /* n x n: of E */
    bool damped;
    bool compliant;                  /* some contact is */
    double inverse_order[AM_ORDERS]; /* 1/(k + 1) */
    double frequency;                /* scale of the structure's frequencies: the fastest */
    double slowest;                  /* the same, or that of coordinates which are slower by far */
    double *weight;                  /* nx: weighted norm max |w x|, all parts in the same unit */
} am_plan;

/* row (nx) += factor times the gap of a contact at q = 0; its rate. */
static inline void am_plan_gap_row(const am_plan *plan, size_t contact, double factor, double *row) {
    const am_system *s = plan->system;
    for (size_t j = 0; j < (s->lifted[contact] ? plan->nz : 1); j++)
        row[plan->nd + j] += factor * s->gap[contact * plan->nz + j];
}

static inline void am_plan_gap_rate_row(const am_plan *plan, size_t contact, double factor, double *row) {
    const am_system *s = plan->system;
    for (size_t j = 0; s->lifted[contact] && j < plan->nz; j++)
        row[plan->nd + j] += factor * s->gap_rate[contact * plan->nz + j];
}

/* row (nx) += factor times the velocity of a contact's surface. */
static inline void am_plan_surface_row(const am_plan *plan, size_t contact, double factor, double *row) {
    const am_system *s = plan->system;
    for (size_t j = 0; j < (s->drawn[contact] ? plan->nz : 1); j++)
        row[plan->nd + j] += factor * s->surface[contact * plan->nz + j];
}

#endif
