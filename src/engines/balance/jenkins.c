/* The Jenkins element as a signal. With f = w + c, c lies between the bounds -limit - w and limit - w and only moves
 * when one of them pushes it (a sweeping process in one dimension; c is minus the slider's position). The bounds are
 * known signals, so that between their extremes everything is monotone. See docs/balance_cell.md. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "amontons/system.h"
#include "base/try.h"
#include "engines/balance/cell.h"
#include "engines/balance/cell_internal.h"
#include "math/pi.h"
#include "math/trigonometric.h"

/* The bounds of c at one instant. */
typedef struct bounds {
    double theta, upper, lower;
} bounds;

typedef struct walk {
    am_cell *cell;
    const double *w, *limit;
    size_t degree, limit_degree; /* of w and the limit, which has few harmonics as a rule */
    double *f, *d_w, *d_limit;
    am_cell_report report;
    am_contact_state state; /* forward: f = +limit */
    bool recalls;
    double c;         /* while it sticks */
    double dc_dlimit; /* dc = -dw + dc_dlimit dlimit + dc_ddepth ddepth, all at the start of the piece */
    const double *depth;
    double dc_ddepth, *d_depth;
    bounds last;      /* the latest event */
    int upper, lower; /* directions in which the bounds move */
} walk;

static bounds bounds_at(const walk *k, double theta) {
    double w = am_trig_value(k->degree, k->w, theta), limit = am_trig_value(k->limit_degree, k->limit, theta);
    return (bounds){theta, limit - w, -limit - w};
}

/* ---- pieces ---- */

static void finish_piece(walk *k, double theta) {
    am_cell *cell = k->cell;
    if (!(theta > cell->end))
        return;
    am_cell_next_piece(cell, theta);
    switch (k->state) {
    case AM_STICK:
        am_cell_add_piece(cell, 1, cell->first);
        am_cell_project_piece(cell);
        for (size_t i = 0; i < cell->size; i++)
            k->f[i] += k->c * cell->projection[i];
        am_cell_basis_at_start(cell);
        am_cell_add_outer(cell, -1, k->d_w);
        am_cell_add_outer(cell, k->dc_dlimit, k->d_limit);
        if (k->dc_ddepth != 0.0)
            am_cell_add_outer(cell, k->dc_ddepth, k->d_depth);
        break;
    case AM_FORWARD:
    case AM_BACKWARD:
        am_cell_add_piece(cell, k->state == AM_FORWARD ? 1 : -1, cell->second);
        k->report.slip_share += cell->piece.cosine[0];
        break;
    case AM_OPEN:
        break;
    }
}

static void switch_to(walk *k, am_contact_state next, double theta) {
    finish_piece(k, theta);
    k->state = next;
    k->report.switches++;
}

static void stick_from(walk *k, double theta, double c, double dc_dlimit) {
    switch_to(k, AM_STICK, theta);
    k->c = c;
    k->dc_dlimit = dc_dlimit;
    k->dc_ddepth = 0.0;
}

/* ---- where a bound reaches c ---- */

/* sign limit - w - c and its rate. */
static double distance(const walk *k, int sign, double theta, double *rate) {
    double limit_rate, w_rate;
    double limit = am_trig_value_rate(k->limit_degree, k->limit, theta, &limit_rate);
    double w = am_trig_value_rate(k->degree, k->w, theta, &w_rate);
    *rate = sign * limit_rate - w_rate;
    return sign * limit - w - k->c;
}

/* The bound is monotone from the last event to `end` and passes c: Newton's method, kept inside, from where a cosine
 * would pass (both ends are extremes as a rule). */
static double passage(const walk *k, int sign, double start_distance, double end, double end_distance) {
    double low = k->last.theta, high = end, way = start_distance / (start_distance - end_distance);
    if (!(way > 0))
        return low;
    double x = low + (high - low) * acos(1 - 2 * fmin(way, 1)) / pi, width = high - low;
    for (int i = 0; i < 200 && low < high; i++) {
        double rate, value = distance(k, sign, x, &rate), next = x - value / rate;
        if ((value > 0) == (start_distance > end_distance))
            low = x;
        else
            high = x;
        bool slow = i % 4 == 3 && high - low > width / 2; /* near extremes the rate misleads */
        if (i % 4 == 3)
            width = high - low;
        if (!(next >= low && next <= high) || slow)
            next = low + (high - low) / 2;
        if (fabs(next - x) <= 2 * DBL_EPSILON * (1 + fabs(x)))
            return next;
        x = next;
    }
    return x;
}

static void leave_stick(walk *k, bounds now) {
    if (k->upper < 0 && now.upper < k->c)
        switch_to(k, AM_FORWARD, passage(k, 1, k->last.upper - k->c, now.theta, now.upper - k->c));
    else if (k->lower > 0 && now.lower > k->c)
        switch_to(k, AM_BACKWARD, passage(k, -1, k->last.lower - k->c, now.theta, now.lower - k->c));
}

/* ---- events ---- */

/* Contact: f = 0. If the limit grows from zero, that instant moves with it: d theta = -dlimit/limit'. */
static void close_contact(walk *k, bounds now) {
    double limit_rate, w_rate, size = 0, limit = am_trig_value_rate(k->limit_degree, k->limit, now.theta, &limit_rate);
    double w = am_trig_value_rate(k->degree, k->w, now.theta, &w_rate);
    for (size_t i = 0; i < k->cell->size; i++)
        size += fabs(k->limit[i]);
    bool grows = limit <= 1e-9 * size && limit_rate > 0;
    if (grows && k->upper < 0)
        switch_to(k, AM_FORWARD, now.theta);
    else if (grows && k->lower > 0)
        switch_to(k, AM_BACKWARD, now.theta);
    else
        stick_from(k, now.theta, -w, grows ? w_rate / limit_rate : 0);
    if (!grows && k->depth) { /* the instant moves with the penetration: d theta = -ddepth/depth' */
        double depth_rate;
        am_trig_value_rate(k->cell->degree, k->depth, now.theta, &depth_rate);
        k->dc_ddepth = depth_rate > 0 ? w_rate / depth_rate : 0;
    }
}

static void meet(walk *k, const am_cell_event *event) {
    bounds now = k->state == AM_OPEN && event->kind != AM_CELL_CLOSE ? k->last : bounds_at(k, event->theta);
    if (k->state == AM_STICK)
        leave_stick(k, now);
    switch (event->kind) {
    case AM_CELL_UPPER:
        k->upper = -k->upper;
        if (k->state == AM_FORWARD && k->upper > 0)
            stick_from(k, now.theta, now.upper, 1);
        break;
    case AM_CELL_LOWER:
        k->lower = -k->lower;
        if (k->state == AM_BACKWARD && k->lower < 0)
            stick_from(k, now.theta, now.lower, -1);
        break;
    case AM_CELL_OPEN:
        switch_to(k, AM_OPEN, now.theta);
        break;
    case AM_CELL_CLOSE:
        close_contact(k, now);
        break;
    }
    k->last = now;
}

/* Once around from base, where the state is known. */
static void go_round(walk *k, const am_cell_limit *limit, bool everywhere, double base) {
    size_t count = am_cell_list_events(k->cell, limit, everywhere, base);
    k->upper = -am_cell_sign_at(&k->cell->upper, base);
    k->lower = -am_cell_sign_at(&k->cell->lower, base);
    k->last = bounds_at(k, base);
    am_cell_begin_pieces(k->cell, base);
    for (size_t i = 0; i < count; i++)
        meet(k, &k->cell->events[i]);
    finish_piece(k, base + two_pi);
    am_cell_add_product(k->cell, k->cell->first, k->w, k->f, k->d_w);
    am_cell_add_product(k->cell, k->cell->second, k->limit, k->f, k->d_limit);
}

/* ---- the cycle ---- */

/* The largest value of the lower bound (sign -1) or the smallest of the upper one (+1) and where. The rate of a bound
 * is minus the signal whose changes are known: such an extreme ends a stretch in which the signal has the sign `sign`.
 */
static bounds extreme_bound(const walk *k, int sign) {
    const am_cell_changes *changes = sign > 0 ? &k->cell->upper : &k->cell->lower;
    bounds best = {0, INFINITY, -INFINITY};
    for (size_t i = changes->sign == sign ? 0 : 1; i < changes->count; i += 2) {
        bounds here = bounds_at(k, changes->theta[i]);
        if (sign > 0 ? here.upper < best.upper : here.lower > best.lower)
            best = here;
    }
    return changes->count > 0 ? best : bounds_at(k, 0);
}

static void add_to_mean(const walk *k, double theta, double dc_dlimit) {
    am_cell_begin_pieces(k->cell, theta);
    am_cell_next_piece(k->cell, theta);
    am_cell_basis_at_start(k->cell);
    for (size_t j = 0; j < k->cell->size; j++) {
        if (k->d_w)
            k->d_w[j] -= k->cell->basis[j];
        if (k->d_limit)
            k->d_limit[j] += dc_dlimit * k->cell->basis[j];
    }
}

/* f = w + c with any c from the largest lower to the smallest upper bound: the one that makes the mean smallest or, of a
 * contact that recalls where its spring was relaxed, c itself. */
static void stay_stuck(walk *k, bounds lowest_upper, bounds highest_lower) {
    size_t n = k->cell->size;
    double wished = k->recalls ? 0.0 : -k->w[0];
    memcpy(k->f, k->w, n * sizeof *k->f);
    for (size_t i = 0; k->d_w && i < n; i++)
        k->d_w[i * n + i] = 1;
    if (wished > lowest_upper.upper) {
        k->f[0] += lowest_upper.upper;
        add_to_mean(k, lowest_upper.theta, 1);
    } else if (wished < highest_lower.lower) {
        k->f[0] += highest_lower.lower;
        add_to_mean(k, highest_lower.theta, -1);
    } else if (!k->recalls) {
        k->f[0] = 0;
        if (k->d_w)
            k->d_w[0] = 0;
    }
    k->report.stuck = true;
}

/* Does the force never get near a constant limit, whatever the phases of the harmonics? Then the bounds leave the constant
 * without a mean in between, and need not be looked for. */
static bool is_surely_stuck(const am_cell *cell, const double *w, const am_cell_limit *limit, size_t limit_degree) {
    double most = limit->recalls ? fabs(w[0]) : 0.0;
    for (size_t h = 1; h <= cell->degree; h++)
        most += fabs(w[2 * h - 1]) + fabs(w[2 * h]);
    return limit_degree == 0 && most < limit->signal[0];
}

/* When the bounds do not leave a constant c, the instant of the highest lower bound finds c just there: memory ends. */
static void slide(walk *k, const am_cell_limit *limit, bounds highest_lower) {
    k->state = AM_STICK;
    k->c = highest_lower.lower;
    k->dc_dlimit = -1;
    go_round(k, limit, true, highest_lower.theta);
}

/* Work done on the element: closed integral of f dw, all of it lost in slip. */
static double work(const am_cell *cell, const double *f, const double *w) {
    double sum = 0;
    for (size_t h = 1; h <= cell->degree; h++)
        sum += (double)h * (f[2 * h - 1] * w[2 * h] - f[2 * h] * w[2 * h - 1]);
    return pi * sum;
}

am_status am_cell_jenkins(am_cell *cell, const double *w, const am_cell_limit *limit, double *f, double *d_w,
                          double *d_limit, am_cell_report *report, am_error *err) {
    bool everywhere, nowhere;
    AM_TRY(am_cell_check_signal(cell, w, "displacement", err));
    AM_TRY(am_cell_check_limit(cell, limit, &everywhere, &nowhere, err));
    walk k = {.cell = cell, .w = w, .limit = limit->signal, .f = f, .d_w = d_w, .d_limit = d_limit, .state = AM_OPEN};
    k.recalls = limit->recalls;
    k.depth = limit->depth;
    k.d_depth = limit->d_depth;
    if (limit->d_depth)
        memset(limit->d_depth, 0, cell->size * cell->size * sizeof *limit->d_depth);
    k.degree = am_trig_degree(cell->degree, w);
    k.limit_degree = am_trig_degree(cell->degree, limit->signal);
    am_cell_set_zero(cell, f, d_w, d_limit);
    if (everywhere && is_surely_stuck(cell, w, limit, k.limit_degree)) {
        bounds none = {0.0, INFINITY, -INFINITY};
        stay_stuck(&k, none, none);
    } else if (!nowhere) {
        am_cell_clear(cell, cell->first);
        am_cell_clear(cell, cell->second);
        am_trig_derivative(cell->degree, w, cell->rate);
        am_trig_derivative(cell->degree, limit->signal, cell->other_rate);
        am_cell_find_changes(cell, cell->rate, cell->other_rate);
        bounds lowest_upper = extreme_bound(&k, 1), highest_lower = extreme_bound(&k, -1);
        if (!everywhere)
            go_round(&k, limit, false, am_cell_first_opening(limit));
        else if (highest_lower.lower <= lowest_upper.upper)
            stay_stuck(&k, lowest_upper, highest_lower);
        else
            slide(&k, limit, highest_lower);
    }
    k.report.dissipation = k.report.stuck ? 0 : work(cell, f, w);
    if (report)
        *report = k.report;
    return AM_OK;
}
