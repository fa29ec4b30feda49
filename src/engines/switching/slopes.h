/* The derivative of a motion with respect to numbers p of a model, exact through every switch as that with respect to
 * the start (sensitivity.c) is. Along a span, in which x' = A(p) x with the inputs among x,
 *
 *     s' = A s + (dA/dp) x;
 *
 * at an event where c(p).x vanishes the time moves by -(c.s + (dc/dp).x) / (c.f-), and an impact v+ = R(p) v- adds
 * (dR/dp) v-. Matrices and rows are rational functions of p: their derivatives are taken from four neighbouring values
 * of p, 2^-10 apart, which leaves an error of some 1e-12 of their size. The motion itself is followed once. */
#ifndef AMONTONS_ENGINES_SWITCHING_SLOPES_H
#define AMONTONS_ENGINES_SWITCHING_SLOPES_H
#include "engines/switching/switching.h"
#include "system/model.h"

/* Follow them from the next start on; count 0: no longer. The derivative with respect to the start is followed too. */
am_status am_slopes_follow(am_motion *e, am_model *model, const size_t *number, size_t count, am_error *err);

/* What happens to the motion, from sensitivity.c: the start; time that has passed in the present flow; the event of a
 * quantity (its row; NULL: at a given time) that changes with `rate`; its impact; its end, with x' after it. */
void am_slopes_start(am_motion *e);
void am_slopes_span(am_motion *e, double length);
void am_slopes_before(am_motion *e, const double *row, double rate);
void am_slopes_hop(am_motion *e, size_t contact, bool is_short);
void am_slopes_impact(am_motion *e, const am_flow *flow, bool elastic);
void am_slopes_after(am_motion *e, const double *rate_after);
void am_slopes_limit(am_motion *e, size_t contact); /* the stretch of its spring follows the limit of friction */

/* AM_ERR_UNSUPPORTED where the motion came to something that has no derivative here. */
am_status am_slopes_status(const am_motion *e, am_error *err);

/* Of the present state by number i (nd entries, inputs behind them). To be written to as well, after a start. */
double *am_slopes_column(am_motion *e, size_t i);
/* Of the time of the event just passed. */
double am_slopes_event(const am_motion *e, size_t i);
/* x and column (nx each), where the motion was when it had this flow, become those a `length` later. */
void am_slopes_carry(am_motion *e, const am_flow *flow, size_t i, double length, double *x, double *column);
/* Of any function of the systems. */
double am_slopes_of(const am_motion *e, size_t i, double (*value)(const am_system *system));

#endif
