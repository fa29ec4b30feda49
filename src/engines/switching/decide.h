/* The parts of the decision which state of contact follows an event. decide.c tries the candidates, decide_candidate.c
 * lists and tests them, decide_static.c knows what static friction prefers. */
#ifndef AMONTONS_ENGINES_SWITCHING_DECIDE_H
#define AMONTONS_ENGINES_SWITCHING_DECIDE_H
#include "engines/switching/switching.h"

/* Mark of a violated quantity among the orders. */
#define AM_VIOLATED ((size_t)-2)

/* ---- candidates (decide_candidate.c) ---- */

/* May the contact have this state? */
bool am_decide_allows(const am_motion *e, size_t contact, am_contact_state state);

/* Possible states of every contact into e->options; how many combinations they make. */
double am_decide_list_options(am_motion *e);

/* Is the quantity another name for stick, because other contacts of the flow hold its contact? */
bool am_decide_is_idle(am_motion *e, const am_flow *flow, const am_quantity *quantity);

/* Do its forces have values, at which nothing without mass would run away? */
bool am_decide_has_values(am_motion *e, const am_contact_state *state);

/* The order of each quantity's first derivative that does not vanish: AM_VIOLATED where it is negative, AM_NEVER where
 * all vanish. All of them; up to the first violated quantity, which is returned (AM_NEVER: none); up to the first of one
 * contact. */
void am_decide_list_violations(am_motion *e, const am_flow *flow, size_t *order);
size_t am_decide_first_violation(am_motion *e, const am_flow *flow, size_t *order);
bool am_decide_violates(am_motion *e, const am_flow *flow, size_t contact, size_t *order);

/* Do two flows give the same motion from here? */
bool am_decide_same_motion(am_motion *e, const am_flow *a, const am_flow *b);

/* ---- static friction (decide_static.c) ---- */

/* Does a contact at rest slip in this flow though it could hold? */
am_status am_decide_breaks_static_law(am_motion *e, const am_flow *flow, bool *breaks, am_error *err);

/* What is violated asks its contacts for another state in e->trial. False if one of them may not have it. */
bool am_decide_change(am_motion *e, const am_quantity *violated);

/* e->trial: the present states, but with stick wherever the law of static friction prefers it. */
void am_decide_compose_first(am_motion *e);

/* Has a contact at rest a choice that depends on how it came to rest? */
bool am_decide_has_static_friction(const am_motion *e);

/* Pivot from "all contacts at rest hold" until nothing is violated; `together`: those that cannot hold break loose at
 * once, otherwise one by one. *reached stays NULL if this comes to no end. */
am_status am_decide_break_from_rest(am_motion *e, bool together, am_flow **reached, am_error *err);
am_status am_decide_break_loose(am_motion *e, am_flow **reached, am_error *err);

#endif
