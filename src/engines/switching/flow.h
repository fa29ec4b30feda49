/* Flows: the linear motion in one combination of contact states, x' = A x with x = (q, v, e, z), and the quantities
 * that must stay positive for that combination to last. A plan holds what all flows of a system share; a cache owns the
 * flows met so far.
 *
 * Sizes: n degrees, m contacts, springs behind sliders (their stretches are e), nz inputs; nd = 2n + springs, nx = nd +
 * nz. Everything is computed once per combination; a step only multiplies. */
#ifndef AMONTONS_ENGINES_SWITCHING_FLOW_H
#define AMONTONS_ENGINES_SWITCHING_FLOW_H
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
    AM_QUANTITY_SLIDE   /* sliding velocity in the direction of slip */
} am_quantity_kind;

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

am_quantity am_quantity_member(const am_quantity *quantity, size_t index);
bool am_quantity_involves(const am_quantity *quantity, size_t contact);
am_quantity_kind am_quantity_kind_of(am_limit_kind kind);

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
typedef struct am_slow am_slow;

typedef struct am_flow {
    am_arena memory;    /* what is made with it */
    am_combination k;   /* at acceleration level */
    bool possible;      /* false: the combination is singular, nothing below is set */
    double *A;          /* (n + springs) x nx: q'' and e' = A x */
    am_extent *extent;  /* n + springs: of the rows of A */
    am_extent *later;   /* n + springs: the same from order 2 of a series on, where only `moving` coordinates count */
    am_interval moving; /* coordinates that accelerate lie in here: all others keep their velocity */
    double *normal;     /* m x nx: N = normal x; of redundant contacts those of least squares (am_combination_share) */
    double *tangential; /* m x nx */
    am_split *split;    /* how redundant contacts may share their forces; NULL where forces are determined */
    am_split *impulses; /* the same for impulses, whose limits are kinetic; NULL where `split` serves for both */
    size_t quantities;
    am_quantity *quantity;
    double *row;           /* quantities x nx */
    am_extent *row_extent; /* quantities */
    double *dual;          /* quantities: sum |row|/weight over the parts that carry a Taylor remainder */
    size_t screens;
    am_screen *screen; /* the quantities that change along a span, or some time */
    am_jet *rate_jet;  /* n + springs: of velocities and stretches, from order 1 on; NULL for larger systems, and before
                          am_flow_ready */
    am_jet *quantity_jet;         /* quantities: from order 0 on; NULL where rate_jet is */
    double jet_length, jet_power; /* up to which the jets' rounding errors stay small (limit_jets in flow.c); ^24 */
    double *jet_coefficients;
    size_t *jet_columns;   /* what both point to */
    double rate;           /* norm of A, weighted, of all that moves: 1/rate is the shortest time scale */
    double *weight;        /* nx: of that norm; NULL: the plan's */
    bool drifts;           /* what its closed contacts hold stays there only to rounding */
    am_finality *finality; /* made when first asked for */
    am_slow *slow;         /* the motion in which stiff coordinates follow; NULL where there is none */
    bool slow_sought;
    am_arena jet_memory, finality_memory, slow_memory; /* what is made later, if it is asked for */
} am_flow;

typedef struct am_plan {
    am_arena memory;
    const am_system *system;
    size_t n, m, springs, nd, nz, nx;
    size_t *spring;                /* m: index of the stretch of this contact's spring; AM_NO_ROW if it has none */
    am_interval *normal, *tangent; /* m: where the rows of the contacts have entries */
    double *M, *C, *K;             /* dense */
    am_interval *stiff, *damp;     /* n: where the rows of K and C have entries */
    double *inverse_mass;          /* n x n */
    bool damped;
    double inverse_order[AM_ORDERS]; /* 1/(k + 1) */
    double frequency;                /* scale of the structure's frequencies: the fastest */
    double slowest;                  /* the same, or that of coordinates which are slower by far */
    double *weight;                  /* nx: weighted norm max |w x|, all parts in the same unit */
} am_plan;

am_status am_plan_init(am_plan *plan, const am_system *system, am_error *err);
void am_plan_clear(am_plan *plan);

double am_plan_norm(const am_plan *plan, const double *x);

/* Space for the directions of all contacts ((n + 1) x n), if some contacts share theirs; otherwise NULL. */
am_status am_plan_shared_directions(const am_plan *plan, am_arena *memory, double **directions, am_error *err);

/* Is the tangent of a contact independent of `count` directions? It is entered as the next of them, if it is. */
bool am_direction_is_new(const am_plan *plan, size_t contact, double *directions, size_t count);

/* The norm that `rate` of a flow is of; at least am_plan_norm. */
double am_flow_norm(const am_plan *plan, const am_flow *flow, const double *x);

/* The frequency by which velocity i is measured against displacement i. */
static inline double am_plan_frequency_of(const am_plan *plan, size_t i) {
    return plan->weight[i] / plan->weight[plan->n + i];
}

/* Memory that one flow takes, about. */
double am_flow_bytes(const am_plan *plan);

/* Coefficient k + 1 of x(t + s) = sum x_k s^k from coefficient k. Only the first `columns` entries of x are looked at,
 * the others being zero: nx, or nd once the inputs have no further derivatives. Returns `columns` for the next order.
 */
size_t am_flow_next_order(const am_plan *plan, const am_flow *flow, const double *restrict x, size_t columns, size_t k,
                          double *restrict next);

/* What the last expansion left in a series: coordinates [from, to), and inputs in the first `orders` orders. */
typedef struct am_written {
    size_t from, to, orders;
} am_written;

/* How many entries of order k are not zero by construction: nx, or nd once the inputs have no further derivatives. */
static inline size_t am_written_columns(const am_plan *plan, const am_written *written, size_t k) {
    return k < written->orders ? plan->nx : plan->nd;
}

/* All AM_COEFFICIENTS orders from the first row of series. Entries that stay zero are not
 * written: all rows but the first must be zero before the first call (as from am_memory_new) and then be left alone.
 * `written`: zero before the first call. by_jets: only where the flow has them. */
void am_flow_expand(const am_plan *plan, const am_flow *flow, bool by_jets, double *restrict series,
                    am_written *written);

/* |x| of the last order, inputs left out, from the jets alone (which the flow must have). */
double am_flow_last_order(const am_plan *plan, const am_flow *flow, const double *x);

/* The same for a bound of the absolute values: rounding errors of order k + 1. */
void am_flow_next_size(const am_plan *plan, const am_flow *flow, const double *x, size_t k, double *next);

/* Has entry j of x no orders above the first in this flow? */
bool am_flow_is_still(const am_plan *plan, const am_flow *flow, size_t j);

/* One flow, on its own; the cache below owns those of a run. */
am_status am_flow_build(const am_plan *plan, const am_contact_state *state, am_flow **made, am_error *err);

/* A flow that is to be followed, not only tried: makes its jets, if the structure is small and it has none yet. */
am_status am_flow_ready(const am_plan *plan, am_flow *flow, am_error *err);

/* N and T (m each) at x; of redundant contacts the admissible split that is reported (system/split.h). */
void am_flow_forces(const am_plan *plan, const am_flow *flow, const double *x, double *normal, double *tangential);

void am_flow_free(am_flow *flow);

typedef struct am_flow_cache am_flow_cache;

am_flow_cache *am_flow_cache_create(const am_plan *plan, am_error *err);
void am_flow_cache_free(am_flow_cache *cache);

/* The flow of a combination, built if it is new. It stays where it is until am_flow_cache_trim. */
am_status am_flow_get(am_flow_cache *cache, const am_contact_state *state, am_flow **flow, am_error *err);

/* When more than `most` flows are held, drop all but `keep` (may be NULL); they are built again on demand. */
void am_flow_cache_trim(am_flow_cache *cache, size_t most, const am_flow *keep);
size_t am_flow_count(const am_flow_cache *cache);

/* A new run begins, which does not see what earlier ones left: am_flow_count and am_flow_cache_trim go by the flows
 * that it meets, as if the cache had been empty. Old flows beyond `most` are dropped here; so at most twice as many are
 * ever held. No flow may be in use. */
void am_flow_cache_renew(am_flow_cache *cache, size_t most);

/* ---- inside of flows: contacts that depend on each other (flow_shared.c) ---- */

/* Make flow->split and ->impulses of a combination with redundant rows. */
am_status am_flow_make_splits(const am_plan *plan, am_flow *flow, am_error *err);

/* row (nx, zero before) = the facet as a function of x. */
void am_flow_facet_row(const am_plan *plan, const am_flow *flow, const am_facet *facet, double *row);

/* Find the slips and gaps that other contacts hold at rest. */
void am_flow_mark_held(const am_plan *plan, am_flow *flow);

#endif
