/* Flows: the linear motion in one combination of contact states, x' = A x with x = (q, v, e, z), and the quantities
 * that must stay positive for that combination to last. A plan holds what all flows of a system share; a cache owns the
 * flows met so far.
 *
 * Sizes: n degrees, m contacts, springs behind sliders (their stretches are e), nz inputs; nd = 2n + springs, nx = nd +
 * nz + forces; forces are those that are not linear (nonlinear.h), most structures have none. Everything is computed once per combination; a step only multiplies. */
#ifndef AMONTONS_ENGINES_SWITCHING_FLOW_H
#define AMONTONS_ENGINES_SWITCHING_FLOW_H
#include "engines/switching/flow_types.h"

am_quantity am_quantity_member(const am_quantity *quantity, size_t index);
bool am_quantity_involves(const am_quantity *quantity, size_t contact);
am_quantity_kind am_quantity_kind_of(am_limit_kind kind);

am_status am_plan_init(am_plan *plan, const am_system *system, am_error *err);
void am_plan_clear(am_plan *plan);

double am_plan_norm(const am_plan *plan, const double *x);

/* Space for the directions of all contacts ((n + 1) x n), if some contacts share theirs; otherwise NULL. */
am_status am_plan_shared_directions(const am_plan *plan, am_arena *memory, double **directions, am_error *err);

/* Is the tangent of a contact independent of `count` directions? It is entered as the next of them, if it is. */
bool am_direction_is_new(const am_plan *plan, size_t contact, double *directions, size_t count);

/* The norm that `rate` of a flow is of; at least am_plan_norm. */
double am_flow_norm(const am_plan *plan, const am_flow *flow, const double *x);

/* row (nx) += factor times the normal force of a contact that is held or compliant and closed. */
void am_plan_normal_row(const am_plan *plan, size_t contact, double factor, double *row);

/* The share of what sticking to surfaces demands in a row (nx) that answers to constraints with `answer` (p). */
void am_flow_add_demands(const am_plan *plan, const am_flow *flow, const double *answer, double *out);

/* Contacts that hold one thing twice can do so while their surfaces move alike: W^T c = 0 of their demands. */
bool am_flow_surfaces_agree(const am_plan *plan, const am_combination *k);

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
    bool forces; /* that are not linear, in all orders */
} am_written;

/* How many entries of order k are not zero by construction: nx, or nd once the inputs have no further derivatives. */
static inline size_t am_written_columns(const am_plan *plan, const am_written *written, size_t k) {
    return k < written->orders ? plan->nx : plan->nd;
}

/* All AM_COEFFICIENTS orders from the first row of series. Entries that stay zero are not
 * written: all rows but the first must be zero before the first call (as from am_memory_new) and then be left alone.
 * `written`: zero before the first call. by_jets: only where the flow has them. work: of forces that are not linear,
 * whose pieces are chosen; used where the flow has some. */
void am_flow_expand(const am_plan *plan, const am_flow *flow, bool by_jets, am_force_work *work,
                    double *restrict series, am_written *written);

/* The same in parts, of a flow whose orders come one after another: am_flow_expand_orders from 0 on, up to where they
 * are wanted. Order k is complete once it has been asked for. */
void am_flow_expand_orders(const am_plan *plan, const am_flow *flow, am_force_work *work, double *restrict series,
                           am_written *written, size_t from, size_t to);

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

/* When more than `most` flows are held, drop all but `present` (may be NULL); they are built again on demand. */
void am_flow_cache_trim(am_flow_cache *cache, size_t most, const am_flow *present);
size_t am_flow_count(const am_flow_cache *cache);

/* A new run begins, which does not see what earlier ones left: am_flow_count and am_flow_cache_trim go by the flows
 * that it meets, as if the cache had been empty. Old flows beyond `most` are dropped here; so at most twice as many are
 * ever held. No flow may be in use. */
void am_flow_cache_renew(am_flow_cache *cache, size_t most);

/* ---- inside of flows: what must stay positive (flow_quantities.c), all orders at once (flow_jets.c) ---- */

/* The quantities of a flow, and where its rows, which must be there, have entries. */
void am_flow_fill_quantities(const am_plan *plan, am_flow *flow);

/* Is the structure so small that its flows have jets? All orders of a series from them. */
bool am_flow_wants_jets(const am_plan *plan);
void am_flow_expand_jets(const am_plan *plan, const am_flow *flow, double *restrict series);

/* ---- inside of flows: contacts that depend on each other (flow_shared.c) ---- */

/* Make flow->split and ->impulses of a combination with redundant rows. */
am_status am_flow_make_splits(const am_plan *plan, am_flow *flow, am_error *err);

/* row (nx, zero before) = the facet as a function of x. */
void am_flow_facet_row(const am_plan *plan, const am_flow *flow, const am_facet *facet, double *row);

/* Find the slips and gaps that other contacts hold at rest. */
void am_flow_mark_held(const am_plan *plan, am_flow *flow);

/* Order k of the velocities of coordinates without mass, from the forces on them. */
void am_flow_follow(const am_plan *plan, const am_flow *flow, const am_force_work *work, size_t k, double *x);

/* The sizes to which the rounding of those velocities is relative, from those of the rest of x. */
void am_flow_follow_size(const am_plan *plan, const am_flow *flow, const am_force_work *work, double *size);

/* The acting force whose sliding speed is the velocity of a coordinate without mass, times *factor, against the surface;
 * AM_NO_ROW where there is none. It is known to more digits than the sum of the forces on the coordinate. */
size_t am_flow_carrier(const am_plan *plan, const am_flow *flow, size_t coordinate, double *factor);

/* ---- coordinates with neither mass nor damping (light.c) ---- */

/* Which they are; E has their springs. And what may not act on them. */
am_status am_light_take(am_plan *plan, am_error *err);
am_status am_light_check(am_plan *plan, am_error *err);

/* Does the contact press on such a coordinate; slide along one? */
static inline bool am_plan_leans(const am_plan *plan, size_t contact) {
    return plan->lights > 0 && (plan->leans[contact] & AM_LEANS_NORMAL) != 0;
}

static inline bool am_plan_creeps(const am_plan *plan, size_t contact) {
    return plan->lights > 0 && (plan->leans[contact] & AM_LEANS_TANGENT) != 0;
}

/* The normal force of the contact follows from positions, be it by a compliant law or by the springs behind it. */
static inline bool am_plan_is_soft(const am_plan *plan, size_t contact) {
    return am_contact_is_compliant(&plan->system->contact[contact]) || am_plan_leans(plan, contact);
}

/* The friction force of the contact follows from positions: a slider without mass. */
static inline bool am_plan_is_slider(const am_plan *plan, size_t contact) {
    return plan->spring[contact] != AM_NO_ROW || am_plan_creeps(plan, contact);
}

/* Places, velocities and forces of contacts, before all other rows; force (n x nz): loads and friction that is known.
 * What they do to a row that answers to forces on the other coordinates with `response`. Accelerations, from all others. */
am_status am_flow_fill_light(const am_plan *plan, am_flow *flow, const double *force, am_error *err);
void am_flow_lean(const am_plan *plan, const am_flow *flow, const double *response, double *out);
void am_flow_accelerate_light(const am_plan *plan, am_flow *flow);

/* Put them into x, places and velocities. */
void am_flow_settle_light(const am_plan *plan, const am_flow *flow, double *x);

/* ---- what moves inside of contacts (flow_inner.c) ---- */

/* Has the contact two tangents? */
static inline bool am_plan_is_disc(const am_plan *plan, size_t contact) {
    return plan->plane && plan->system->contact[contact].second_tangent;
}

/* Does the contact slide along a coordinate without mass, whose velocity follows from the forces? One such coordinate in
 * its tangent is enough. */
bool am_plan_is_follower(const am_plan *plan, size_t contact);

/* Does the rate of its gap follow from forces, without mass? */
bool am_plan_gap_follows(const am_plan *plan, size_t contact);

/* row += factor N' of a closed contact. */
void am_flow_normal_rate_row(const am_plan *plan, const am_flow *flow, size_t contact, double factor, double *row);

/* The rows of A after those of the velocities, which must be there. */
void am_flow_fill_inner(const am_plan *plan, am_flow *flow);

/* A velocity of friction without stick has no band of rounding around zero: creep may be slower than anything else that
 * moves by far, and friction is continuous where it reverses. */
bool am_quantity_is_sharp(const am_plan *plan, const am_quantity *quantity);

#endif
