/* The derivative of the state with respect to the state at the start. Along a span it obeys the homogeneous flow. At an
 * event at which the quantity c.x vanishes, neighbouring motions switch earlier or later, and the derivative jumps by
 * the saltation matrix
 *
 *     S = R + (f+ - R f-) c^T / (c.f-),
 *
 * R the derivative of what happens at the event (impacts), f- and f+ the rates x' before and after, c.f- including the
 * inputs. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "engines/switching/slopes.h"
#include "engines/switching/switching.h"
#include "math/dense.h"

/* Space for the derivatives of `columns` disturbances. */
static am_status reserve(am_motion *e, size_t columns, am_error *err) {
    size_t nd = e->plan.nd;
    am_arena *memory = &e->sensitivity_memory;
    am_arena_reset(memory);
    e->terms = am_arena_doubles(memory, NULL, 2 * nd * columns, err);
    e->column = am_arena_doubles(memory, NULL, 3 * e->plan.nx, err);
    e->event_share = am_arena_doubles(memory, NULL, columns, err);
    AM_ARENA_DOUBLES(memory, e->plan.m * columns, err, &e->hop_share, &e->slid_kept);
    e->hop_start = am_arena_doubles(memory, NULL, e->plan.m, err);
    AM_ARENA_DOUBLES(memory, nd, err, &e->rate_before, &e->rate_event);
    AM_ARENA_DOUBLES(memory, nd * columns, err, &e->sensitivity, &e->fundamental, &e->product);
    if (e->plan.forces > 0 || e->plan.followers > 0)
        e->variation =
            am_arena_doubles(memory, NULL, AM_ORDERS * (nd + (1 + e->plan.arguments) * e->plan.forces) * columns, err);
    e->followed = columns;
    e->owed = 0.0;
    return am_arena_status(memory);
}

am_status am_engine_follow(am_motion *e, bool follow, am_error *err) {
    if (follow && e->sensitivity && e->followed == e->plan.nd)
        return AM_OK;
    e->sensitivity = NULL;
    return follow ? reserve(e, e->plan.nd, err) : AM_OK;
}

am_status am_engine_follow_one(am_motion *e, am_error *err) {
    if (e->sensitivity && e->followed == 1)
        return AM_OK;
    return reserve(e, 1, err);
}

void am_engine_rate(const am_motion *e, const am_flow *flow, double *rate) {
    size_t n = e->plan.n;
    memcpy(rate, e->x + n, n * sizeof *rate);
    am_dense_apply(flow->A, e->plan.rows, e->plan.nx, e->x, rate + n);
    if (e->plan.followers == 0)
        return;
    double *x = e->x_work[0], *next = e->x_work[1]; /* q'' of coordinates without mass follows from all the rest */
    am_force_work work = e->forces;
    memcpy(x, e->x, e->plan.nx * sizeof *x);
    if (flow->active > 0)
        am_forces_at(&e->plan, flow, &work, x);
    am_flow_next_order(&e->plan, flow, x, e->plan.nx, 0, next);
    if (flow->active > 0)
        am_forces_order(&e->plan, flow, &work, 1, next);
    am_flow_follow(&e->plan, flow, &work, 1, next);
    memcpy(rate + n, next + n, n * sizeof *rate);
}

void am_engine_sensitivity_start(am_motion *e) {
    size_t nd = e->plan.nd, columns = e->followed;
    memset(e->sensitivity, 0, nd * columns * sizeof *e->sensitivity);
    for (size_t i = 0; i < columns; i++)
        e->sensitivity[i * columns + i] = 1.0;
    e->carried = 1.0;
    e->owed = 0.0;
    for (size_t c = 0; c < e->plan.m; c++)
        e->hop_start[c] = -INFINITY;
    am_light_settle_derivative(e, e->flow);
    am_engine_vary_followers(e);
    am_light_settle_rates(e);
    am_engine_rate(e, e->flow, e->rate_event);
    if (e->slopes)
        am_slopes_start(e);
}

/* Orders after which the terms of the homogeneous flow's series are below rounding, whatever is disturbed: x^k/k! with
 * x = length * rate is no larger than 24 orders leave at the longest span, x = 2. */
static size_t orders_needed(const am_motion *e, double length) {
    static const double rest = 2.7e-17; /* 2^24/24! */
    double x = length * e->flow->rate, term = 1.0;
    size_t k = 0;
    while (k < AM_COEFFICIENTS && term > rest)
        term *= x * e->plan.inverse_order[k++];
    return k;
}

/* out[0 .. columns) = factor * sum over the dynamic part of a row of A times the rows of x. */
static void combine_rows(const am_extent *extent, const double *row, double factor, const double *restrict x,
                         size_t columns, double *restrict out) {
    for (size_t j = 0; j < columns; j++)
        out[j] = 0.0;
    for (size_t l = extent->from; l < extent->to; l++) {
        const double share = factor * row[l], *from = x + l * columns;
        for (size_t j = 0; j < columns; j++)
            out[j] += share * from[j];
    }
}

/* What a length of at most 2/rate does to the columns in `terms` is added to S (nd x columns), with the Taylor series of
 * the homogeneous flow: 24 orders reach rounding for any column. */
static void add_by_orders(am_motion *e, double length, double *S, size_t columns) {
    size_t n = e->plan.n, nd = e->plan.nd, nx = e->plan.nx, orders = orders_needed(e, length);
    double *term = e->terms, *next = term + nd * columns;
    for (size_t k = 0; k < orders; k++) {
        double factor = length * e->plan.inverse_order[k];
        for (size_t i = 0; i < n * columns; i++)
            next[i] = factor * term[n * columns + i];
        for (size_t i = n; i < nd; i++)
            combine_rows(&e->flow->extent[i - n], e->flow->A + (i - n) * nx, factor, term, columns, next + i * columns);
        for (size_t i = 0; i < nd * columns; i++)
            S[i] += next[i];
        double *swap = term;
        term = next, next = swap;
    }
}

/* out[0 .. columns) += share * x[0 .. columns). */
static void add_row(double share, const double *restrict x, size_t columns, double *restrict out) {
    for (size_t j = 0; j < columns; j++)
        out[j] += share * x[j];
}

/* The same where the flow has jets: they give the fundamental matrix over the span, rows of velocities and stretches,
 * and integrated once more those of displacements. */
static void add_by_jets(am_motion *e, double length, double *S, size_t columns) {
    size_t n = e->plan.n, nd = e->plan.nd;
    double power[AM_COEFFICIENTS], integral[AM_COEFFICIENTS], *before = e->terms, *after = S;
    power[0] = length;
    power[1] = length * length;
    for (size_t k = 2; k < AM_COEFFICIENTS; k++)
        power[k] = power[k - 2] * power[1];
    for (size_t k = 1; k < AM_COEFFICIENTS; k++)
        integral[k - 1] = power[k] * e->plan.inverse_order[k];
    integral[AM_DEGREE] = 0.0; /* of an order that velocities have and displacements have not */
    for (size_t i = 0; i < nd - n; i++) {
        const am_jet *jet = &e->flow->rate_jet[i];
        if (i < n)
            add_row(length, before + (n + i) * columns, columns, after + i * columns);
        for (size_t j = 0; j < 2 * jet->count; j++) {
            if (jet->column[j] >= nd) /* inputs are not disturbed */
                continue;
            const double *row = before + jet->column[j] * columns;
            double sum[2];
            am_jet_sum(jet, j / 2, power, sum);
            add_row(sum[j % 2], row, columns, after + (n + i) * columns);
            am_jet_sum(jet, j / 2, integral, sum);
            if (i < n)
                add_row(sum[j % 2], row, columns, after + i * columns);
        }
    }
}

static void add_span(am_motion *e, double length, double *S, size_t columns) {
    if (e->flow->rate_jet)
        add_by_jets(e, length, S, columns);
    else
        add_by_orders(e, length, S, columns);
}

/* The fundamental matrix of the flow over `length`, halved so many times, then squared as often. What is carried is
 * D = exp(F h) - 1, of which slow motions keep all digits: exp(2 F h) - 1 = D D + 2 D. */
static void carry_by_squaring(am_motion *e, double length, int halvings) {
    size_t nd = e->plan.nd, count = nd * nd;
    double *D = e->fundamental, *next = e->product, *swap;
    memset(D, 0, count * sizeof *D);
    memset(e->terms, 0, count * sizeof *e->terms);
    for (size_t i = 0; i < nd; i++)
        e->terms[i * nd + i] = 1.0;
    add_span(e, ldexp(length, -halvings), D, nd);
    for (int i = 0; i < halvings; i++, swap = D, D = next, next = swap) {
        for (size_t j = 0; j < count; j++)
            next[j] = 2.0 * D[j];
        am_dense_add_product(D, D, nd, nd, nd, next);
    }
    memcpy(next, e->sensitivity, count * sizeof *next);
    am_dense_add_product(D, next, nd, nd, nd, e->sensitivity);
}

/* From so many pieces of 2/rate on, squaring costs less than one piece after the other. */
static const double many_pieces = 3.0;

/* A square costs as much as two orders of the series; a piece a quarter as long needs 8 orders less. */
enum { spared = 2 };

void am_engine_sensitivity_settle(am_motion *e) {
    double length = e->owed, pieces = fmax(ceil(0.5 * length * e->flow->rate), 1.0);
    e->owed = 0.0;
    if (length == 0.0)
        return;
    if (e->slopes)
        am_slopes_span(e, length);
    if (pieces > many_pieces && e->followed == e->plan.nd)
        carry_by_squaring(e, length, (int)ceil(log2(pieces)) + spared);
    else
        for (double i = 0.0; i < pieces; i++) {
            memcpy(e->terms, e->sensitivity, e->plan.nd * e->followed * sizeof *e->terms);
            add_span(e, length / pieces, e->sensitivity, e->followed);
        }
}

void am_engine_sensitivity_span(am_motion *e, double length) {
    if (e->flow->stepwise)
        am_engine_vary_to(e, length);
    else
        e->owed += length;
}

/* c.f- of the event: the rate of the quantity, inputs included. */
static double quantity_rate(am_motion *e, const double *row) {
    am_flow_next_order(&e->plan, e->flow, e->x, e->plan.nx, 0, e->column);
    if (e->flow->active > 0)
        am_forces_order(&e->plan, e->flow, &e->forces, 1, e->column);
    if (e->plan.followers > 0)
        am_flow_follow(&e->plan, e->flow, &e->forces, 1, e->column);
    return am_dense_dot(row, e->column, e->plan.nx);
}

void am_engine_total_row(am_motion *e, const am_flow *flow, const double *row, double *total) {
    size_t nd = e->plan.nd, first = nd + e->plan.nz;
    memcpy(total, row, nd * sizeof *total);
    if (flow->active == 0)
        return;
    am_forces_gradient(&e->plan, flow, &e->forces);
    for (size_t j = 0; j < e->plan.forces; j++)
        for (size_t i = 0; row[first + j] != 0.0 && i < nd; i++)
            total[i] += row[first + j] * e->forces.gradient[j * nd + i];
}

void am_engine_sensitivity_before(am_motion *e, const double *row) {
    size_t nd = e->plan.nd, columns = e->followed;
    am_engine_sensitivity_settle(e);
    am_sliders_project_derivative(e, false);
    am_engine_rate(e, e->flow, e->rate_before);
    memcpy(e->rate_event, e->rate_before, nd * sizeof *e->rate_event);
    double rate = row ? quantity_rate(e, row) : 1.0;
    if (e->slopes)
        am_slopes_before(e, row, rate);
    if (row && e->flow->active > 0) {
        am_engine_total_row(e, e->flow, row, e->column);
        row = e->column;
    }
    for (size_t j = 0; j < columns; j++) {
        double share = 0.0;
        for (size_t i = 0; row && i < nd; i++)
            share += row[i] * e->sensitivity[i * columns + j];
        e->event_share[j] = share / rate;
    }
}

/* Hops shorter than this part of the structure's time scale move their own impacts by no more than that. */
static const double short_hop = 1e-8;

/* Where impacts accumulate, the gap's part of a column shrinks with the impact velocity w, and what it is divided by
 * too: the quotient, how much the column moves the time of the impact, would be rounding over w. The impact at the end
 * of a short hop is moved as far as the one at its beginning. */
void am_engine_sensitivity_hop(am_motion *e, size_t contact) {
    size_t columns = e->followed;
    double *kept = e->hop_share + contact * columns;
    bool is_short = e->now.t - e->hop_start[contact] < short_hop / e->plan.frequency;
    if (e->slopes)
        am_slopes_hop(e, contact, is_short);
    if (is_short)
        memcpy(e->event_share, kept, columns * sizeof *kept);
    else
        memcpy(kept, e->event_share, columns * sizeof *kept);
    e->hop_start[contact] = e->now.t;
}

/* R: velocities of all columns, and of x' before the event, go through the impact. */
void am_engine_sensitivity_impact(am_motion *e, const am_flow *flow, bool elastic) {
    size_t n = e->plan.n, columns = e->followed;
    double *v = e->column, *after = v + e->plan.nx;
    if (e->slopes)
        am_slopes_impact(e, flow, elastic);
    for (size_t j = 0; j <= columns; j++) {
        for (size_t i = 0; i < n; i++)
            v[i] = j < columns ? e->sensitivity[(n + i) * columns + j] : e->rate_before[n + i];
        /* a later impact would find surfaces that have gone on to accelerate */
        am_engine_impact_map(e, flow, elastic, v, j < columns ? AM_BELT_RESTS : AM_BELT_ACCELERATES, after);
        for (size_t i = 0; i < n; i++) {
            if (j < columns)
                e->sensitivity[(n + i) * columns + j] = after[i];
            else
                e->rate_before[n + i] = after[i];
        }
    }
}

/* Behind a slider that starts to slip the spring has the stretch of the kinetic limit from now on: the old one is
 * forgotten. The saltation matrix says so of the slider whose event this is; others may begin at the same instant, each
 * with an event of its own (dampers of a symmetric structure do). */
static bool stretch_forgotten(const am_motion *e, size_t c) {
    bool slips = e->state[c] == AM_FORWARD || e->state[c] == AM_BACKWARD;         /* in a plane the stretch goes on */
    bool follows = slips && am_slider_follows_state(&e->plan.system->contact[c]); /* a limit that an impact may move */
    return (slips && e->mark[c].before == AM_STICK) || follows || !am_is_closed(e->state[c]);
}

static void follow_limit(am_motion *e, size_t c) {
    am_slider_follow_limit(e, c);
    if (e->slopes)
        am_slopes_limit(e, c);
}

/* Of contacts that are open, or have forgotten it otherwise. */
static void forget_deflections(am_motion *e) {
    for (size_t c = 0; e->plan.inners > 0 && c < e->plan.m; c++)
        for (size_t i = 0; i < e->plan.memories[c]; i++)
            if ((e->mark[c].forgets || !am_is_closed(e->state[c])) && am_force_inner_is_directed(&e->plan, c, i))
                memset(e->sensitivity + (2 * e->plan.n + e->plan.inner[c] + i) * e->followed, 0,
                       e->followed * sizeof *e->sensitivity);
}

void am_engine_sensitivity_after(am_motion *e) {
    size_t nd = e->plan.nd, columns = e->followed;
    double *rate = e->column;
    am_engine_rate(e, e->flow, rate);
    for (size_t i = 0; i < nd; i++)
        for (size_t j = 0; j < columns; j++)
            e->sensitivity[i * columns + j] += (rate[i] - e->rate_before[i]) * e->event_share[j];
    if (e->slopes)
        am_slopes_after(e, rate);
    for (size_t c = 0; c < e->plan.m; c++)
        if (e->plan.spring[c] != AM_NO_ROW && stretch_forgotten(e, c))
            follow_limit(e, c); /* it follows the limit instead */
    forget_deflections(e);
    am_light_settle_derivative(e, e->flow);
    am_engine_vary_followers(e);
    am_light_settle_rates(e);
}
