/* Neighbours of a motion, to first order. A disturbance delta at return k changes a quantity c.x that must stay
 * positive by g.delta, g = c Phi, Phi the exact derivative of the motion (saltation included). Where the quantity has a
 * minimum of height h > 0, neighbours with |g.delta| < h pass it without a switch as the motion does; one with more may
 * switch there, and with static friction above kinetic everything after that is another motion, however small delta
 * was. So each such minimum is a bound on delta: |g.delta| <= h. Bounds are carried backwards along the motion, g at
 * return k + 1 being g D(k) at return k, and the tightest one gives the radius. */
#include "analysis/orbit/tube.h"

#include <math.h>
#include <string.h>

#include "analysis/motion/engine.h"
#include "analysis/orbit/walk.h"
#include "base/memory.h"
#include "math/dense.h"

enum {
    PLACES = 8,      /* along the way at which the distance itself is bounded, besides the next return */
    LOOKS = 8,       /* parts of a span in which a minimum is looked for */
    MOST_BOUNDS = 64 /* kept besides those of the places: the tightest */
};

/* A quantity is zero at an event when it is below this part of its terms: what follows an event is exact to rounding.
 */
static const double zero_part = 1e-9;

/* A bound that a disturbance of the whole tube uses up only after it has grown so many times is left out. */
static const double far_away = 100.0;

/* Bounds |g.delta| <= most on a disturbance delta. */
typedef struct bounds {
    size_t count, capacity;
    double *g;     /* capacity x d */
    double *most;  /* capacity */
    double *reach; /* capacity: the largest |delta| that is surely within the bound */
} bounds;

struct am_tube {
    size_t d;
    double largest;
    bounds ahead, here;       /* of all that comes; of the present return */
    double *before, *share;   /* d x d, d: derivative, and shift of time, at the beginning of the span */
    double *row, *next, *sum; /* d each: of a row on its way back through a span */
    double *g, *trigger;      /* d each */
    double *map;              /* d */
    bool after_event;
};

static void place_bounds(bounds *b, double *memory, size_t capacity, size_t d) {
    b->capacity = capacity;
    b->g = memory;
    b->most = b->g + capacity * d;
    b->reach = b->most + capacity;
}

am_tube *am_tube_create(size_t d, am_error *err) {
    size_t capacity = MOST_BOUNDS + (PLACES + 2) * d, each = capacity * (d + 2);
    am_tube *t = am_memory_new(1, sizeof *t, err);
    double *p = t ? am_memory_new(2 * each + d * d + 7 * d, sizeof *p, err) : NULL;
    if (!p) {
        am_memory_free(t);
        return NULL;
    }
    t->d = d;
    place_bounds(&t->ahead, p, capacity, d);
    place_bounds(&t->here, p + each, capacity, d);
    t->before = p + 2 * each;
    t->share = t->before + d * d;
    t->row = t->share + d;
    t->next = t->row + d;
    t->sum = t->next + d;
    t->g = t->sum + d;
    t->trigger = t->g + d;
    t->map = t->trigger + d;
    return t;
}

void am_tube_free(am_tube *tube) {
    if (!tube)
        return;
    am_memory_free(tube->ahead.g); /* the one block */
    am_memory_free(tube);
}

/* ---- bounds ---- */

/* |g.delta| <= dual |delta| */
static double dual(const double *g, const double *weight, size_t d) {
    double sum = 0.0;
    for (size_t j = 0; j < d; j++)
        sum += fabs(g[j]) / weight[j];
    return sum;
}

static size_t loosest(const bounds *b) {
    size_t at = 0;
    for (size_t i = 1; i < b->count; i++)
        if (b->reach[i] > b->reach[at])
            at = i;
    return at;
}

/* Another bound; where there is no room, in the place of the loosest. */
static void add_bound(const am_tube *t, bounds *b, const double *weight, const double *g, double most) {
    double size = dual(g, weight, t->d);
    if (!(size > 0.0) || most > far_away * t->largest * size)
        return;
    double reach = fmax(most, 0.0) / size;
    bool full = b->count == b->capacity;
    size_t at = full ? loosest(b) : b->count++;
    if (full && b->reach[at] <= reach)
        return;
    memcpy(b->g + at * t->d, g, t->d * sizeof *g);
    b->most[at] = most;
    b->reach[at] = reach;
}

/* The disturbance itself is to stay below `most`: d bounds, with D the derivative from where it is measured. NULL: here
 */
static void bound_distance(am_tube *t, bounds *b, const double *weight, const double *D, double most) {
    size_t d = t->d;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++)
            t->g[j] = weight[i] * (D ? D[i * d + j] : i == j ? 1.0 : 0.0);
        add_bound(t, b, weight, t->g, most);
    }
}

/* Back over one return: g = g D. */
static void carry_back(am_tube *t, const double *weight, const double *D) {
    size_t d = t->d;
    bounds *b = &t->ahead;
    for (size_t i = 0; i < b->count; i++) {
        double *g = b->g + i * d;
        memset(t->map, 0, d * sizeof *t->map);
        for (size_t l = 0; l < d; l++)
            for (size_t j = 0; j < d; j++)
                t->map[j] += g[l] * D[l * d + j];
        memcpy(g, t->map, d * sizeof *g);
        double size = dual(g, weight, d);
        b->reach[i] = size > 0.0 ? b->most[i] / size : INFINITY;
    }
}

static double tightest(const bounds *b, double largest) {
    double reach = largest;
    for (size_t i = 0; i < b->count; i++)
        reach = fmin(reach, b->reach[i]);
    return reach;
}

/* ---- one span ---- */

/* row e^(A time): what the quantity becomes of a disturbance `time` earlier, by the Taylor series of the flow (spans
 * are short enough for it while sensitivities are followed). */
static void move_row(am_tube *t, const am_plan *plan, const am_flow *flow, const double *row, double time) {
    size_t d = t->d, n = plan->n;
    memcpy(t->row, row, d * sizeof *row);
    memcpy(t->sum, row, d * sizeof *row);
    for (size_t k = 0; k < AM_COEFFICIENTS; k++) {
        double factor = time * plan->inverse_order[k];
        for (size_t j = 0; j < d; j++)
            t->next[j] = j >= n && j < 2 * n ? factor * t->row[j - n] : 0.0;
        for (size_t i = n; i < d; i++) {
            const double share = factor * t->row[i], *a = flow->A + (i - n) * plan->nx;
            for (size_t j = 0; share != 0.0 && j < d; j++)
                t->next[j] += share * a[j];
        }
        for (size_t j = 0; j < d; j++)
            t->sum[j] += t->next[j];
        double *swap = t->row;
        t->row = t->next, t->next = swap;
    }
}

/* g of a quantity `time` after the beginning of the span. */
static void find_g(am_tube *t, const am_motion *e, const double *row, double time, double *g) {
    size_t d = t->d;
    move_row(t, &e->plan, e->span_flow, row, time);
    memset(g, 0, d * sizeof *g);
    for (size_t l = 0; l < d; l++)
        for (size_t j = 0; j < d; j++)
            g[j] += t->sum[l] * t->before[l * d + j];
}

/* Along the span just passed, on [0, 1]. */
static void quantity_along(const am_motion *e, size_t q, double *a) {
    const double *row = e->span_flow->row + q * e->plan.nx;
    double power = 1.0;
    for (size_t k = 0; k < AM_COEFFICIENTS; k++) {
        a[k] = power * am_dense_dot(row, e->series + k * e->plan.nx, am_written_columns(&e->plan, &e->written, k));
        power *= e->span_length;
    }
}

static double sum_of_terms(const double *a) {
    double sum = 0.0;
    for (size_t k = 0; k < AM_COEFFICIENTS; k++)
        sum += fabs(a[k]);
    return sum;
}

/* Where the slope vanishes between low (where it is negative) and high (positive): regula falsi, the end that stays put
 * counting half. */
static double find_minimum(const double *a, double low, double high, double *value) {
    double f, left = am_polynomial_slope(a, low, &f), right = am_polynomial_slope(a, high, &f), s = low;
    for (int side = 0, i = 0; i < 8; i++) {
        s = (low * right - high * left) / (right - left);
        double slope = am_polynomial_slope(a, s, &f);
        if (slope < 0.0) {
            low = s, left = slope;
            right *= side < 0 ? 0.5 : 1.0;
            side = -1;
        } else {
            high = s, right = slope;
            left *= side > 0 ? 0.5 : 1.0;
            side = 1;
        }
    }
    *value = f;
    return s;
}

/* Every minimum inside the span is a bound. */
static void bound_minima(am_tube *t, const am_motion *e, const double *row, const double *a) {
    double value, slope = am_polynomial_slope(a, 0.0, &value);
    for (size_t i = 1; i <= LOOKS; i++) {
        double s = (double)i / LOOKS, after = am_polynomial_slope(a, s, &value);
        if (slope < 0.0 && after > 0.0) {
            double where = find_minimum(a, s - 1.0 / LOOKS, s, &value);
            find_g(t, e, row, where * e->span_length, t->g);
            add_bound(t, &t->here, e->plan.weight, t->g, value);
        }
        slope = after;
    }
}

/* After an event a quantity may start from a small value and rise: in a neighbour it may start below zero. At the
 * neighbour's own event, which is earlier by share.delta. */
static void bound_start(am_tube *t, const am_motion *e, const double *row, const double *a) {
    if (!t->after_event || a[1] < 0.0 || a[0] <= zero_part * sum_of_terms(a))
        return;
    double rate = a[1] / e->span_length;
    find_g(t, e, row, 0.0, t->g);
    for (size_t j = 0; j < t->d; j++)
        t->g[j] -= rate * t->share[j];
    add_bound(t, &t->here, e->plan.weight, t->g, a[0]);
}

/* A quantity that falls and is not yet zero where another one switches: in a neighbour it may be the first of the two.
 * At the neighbour's own event: earlier by trigger.delta/trigger_rate. */
static void bound_end(am_tube *t, const am_motion *e, const double *row, const double *a, double trigger_rate) {
    double value, rate = am_polynomial_slope(a, 1.0, &value) / e->span_length;
    if (rate >= 0.0 || value <= zero_part * sum_of_terms(a))
        return;
    find_g(t, e, row, e->span_length, t->g);
    for (size_t j = 0; trigger_rate < 0.0 && j < t->d; j++)
        t->g[j] -= rate / trigger_rate * t->trigger[j];
    add_bound(t, &t->here, e->plan.weight, t->g, value);
}

/* The quantity that vanished at the end of the span: its number, or AM_NEVER. */
static size_t find_trigger(const am_motion *e) {
    size_t found = AM_NEVER;
    double least = zero_part;
    for (size_t q = 0; q < e->span_flow->quantities; q++) {
        double a[AM_COEFFICIENTS], value;
        quantity_along(e, q, a);
        double slope = am_polynomial_slope(a, 1.0, &value), part = fabs(value) / sum_of_terms(a);
        if (slope < 0.0 && part < least) {
            least = part;
            found = q;
        }
    }
    return found;
}

/* It must vanish in the neighbour too. If it turns, it does so at the depth rate^2/(2 curvature) below zero; half of
 * that, for there the time of the switch is no linear function any more. Returns the rate. */
static double bound_trigger(am_tube *t, const am_motion *e, size_t q) {
    const double *row = e->span_flow->row + q * e->plan.nx;
    double a[AM_COEFFICIENTS], value, curvature = 0.0, length = e->span_length;
    quantity_along(e, q, a);
    double rate = am_polynomial_slope(a, 1.0, &value) / length;
    for (size_t k = 2; k < AM_COEFFICIENTS; k++)
        curvature += (double)(k * (k - 1)) * a[k] / (length * length);
    find_g(t, e, row, length, t->trigger);
    if (curvature > 0.0)
        add_bound(t, &t->here, e->plan.weight, t->trigger, 0.25 * rate * rate / curvature);
    return rate;
}

static void bound_span(am_tube *t, const am_motion *e, bool event) {
    const am_flow *flow = e->span_flow;
    if (!(e->span_length > 0.0))
        return;
    size_t trigger = event ? find_trigger(e) : AM_NEVER;
    double rate = trigger != AM_NEVER ? bound_trigger(t, e, trigger) : 0.0;
    for (size_t q = 0; q < flow->quantities; q++) {
        const double *row = flow->row + q * e->plan.nx;
        double a[AM_COEFFICIENTS];
        quantity_along(e, q, a);
        bound_minima(t, e, row, a);
        bound_start(t, e, row, a);
        if (event && q != trigger)
            bound_end(t, e, row, a, rate);
    }
}

/* ---- returns ---- */

/* From return k to the next: the bounds it sets on a disturbance at k are in `here`. */
static am_status pass_return(am_tube *t, am_motion *e, const am_orbit_return *how, const double *state) {
    am_error own = {0};
    am_walk walk;
    am_orbit_return once = *how;
    size_t d = t->d;
    once.returns = 1;
    t->here.count = 0;
    t->after_event = false; /* at the section itself the neighbour's states of contact are looked at */
    am_status status = am_walk_begin(&walk, e, &once, state, &own);
    while (!status && !walk.done) {
        am_step_kind kind;
        memcpy(t->before, am_motion_sensitivity(e), d * d * sizeof *t->before);
        status = am_walk_step(&walk, &kind, &own);
        bool event = kind == AM_STEP_EVENT;
        if (status)
            break;
        bound_span(t, e, event);
        t->after_event = event;
        if (event)
            memcpy(t->share, e->event_share, d * sizeof *t->share);
    }
    return status;
}

size_t am_tube_radii(am_tube *tube, am_motion *engine, const am_orbit_return *how, const double *path, size_t end,
                     double largest, double end_radius, double *radius) {
    am_tube *t = tube;
    size_t spacing = end / PLACES + 1;
    const double *weight = engine->plan.weight;
    t->largest = largest;
    t->ahead.count = 0;
    bound_distance(t, &t->ahead, weight, NULL, fmin(largest, end_radius));
    radius[end] = fmin(largest, end_radius);
    for (size_t k = end; k-- > 0;) {
        if (pass_return(t, engine, how, path + k * t->d) != AM_OK)
            return k + 1;
        const double *D = am_motion_sensitivity(engine);
        carry_back(t, weight, D);
        for (size_t i = 0; i < t->here.count; i++)
            add_bound(t, &t->ahead, weight, t->here.g + i * t->d, t->here.most[i]);
        if ((end - k) % spacing == 0)
            bound_distance(t, &t->ahead, weight, NULL, largest);
        t->here.count = 0;
        bound_distance(t, &t->here, weight, D, largest);
        radius[k] = fmin(tightest(&t->ahead, largest), tightest(&t->here, largest));
    }
    return 0;
}
