/* A slider behind springs once around the period, from switch to switch: one tangent or two with a circular limit, on any
 * normal law, friction that drops when slip begins or depends on the speed, surfaces that go on for ever. docs/balance_cell.md, section 6.
 *
 * With the stretches e of its springs and the sliding velocity v: in stick e' = v, in slip |e| = a = mu N/k and e points
 * along the angle phi, whose rate is phi' = v.t/a with t across e (docs/laws.md, section 6). Stick ends where
 * (mu_s N)^2 - k^2 |e|^2 vanishes, slip where v.e/a - a' does. On a panel both are polynomials to 1e-12 of their size,
 * and the first zero of one is isolated by its coefficients in the Bernstein basis. */
#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "base/watch.h"
#include "engines/balance/slider_internal.h"
#include "math/dense.h"
#include "math/lu.h"
#include "math/pi.h"

enum { POINTS = AM_QUADRATURE_POINTS, DEEPEST = 48, MOST_SWITCHES = 4000 };

typedef am_slider_point point;
typedef am_slider_walk walk;

/* ---- one point ---- */

/* Friction that depends on the speed has the speed across the contact, its spring included (docs/laws.md, section 4b). */
static void read_coefficient(const walk *k, point *p, size_t row) {
    const am_element_contact *c = k->c;
    const double *phi = k->e->phi + row * k->e->S, *slope = k->e->slope + row * k->e->S;
    double force[4], rate[4], bend = 0.0;
    p->mu = c->friction;
    if (!c->law)
        return;
    am_element_law_at(c->law, k->piece, fabs(p->v[0]), 0.0, 0.0, force, rate);
    p->mu = force[0];
    p->mu_v = k->sign * force[1];
    for (size_t h = 1; h <= k->e->H; h++)
        bend -= (double)(h * h) * (c->x[2 * h - 1] * phi[2 * h - 1] + c->x[2 * h] * phi[2 * h]);
    p->v_rate = c->omega * (c->omega * bend - am_dense_dot(c->surface, slope, k->e->S));
}

/* Signals and the normal force, into row `row` of phi and slope. */
static void read_point(const walk *k, point *p, size_t row) {
    const am_element_contact *c = k->c;
    am_element *e = k->e;
    size_t S = e->S;
    const double *phi = e->phi + row * S, *slope = e->slope + row * S;
    am_element_basis(e, p->theta, row);
    p->place = am_dense_dot(k->s->place, phi, S) + c->surface[0] * p->theta / c->omega;
    for (size_t i = 0; i < k->tangents; i++) {
        const double *x = i == 0 ? c->x : c->second;
        p->x_rate[i] = am_dense_dot(x, slope, S);
        p->u[i] = am_dense_dot(x, phi, S) - (i == 0 ? p->place : 0.0);
        p->v[i] = c->omega * p->x_rate[i] - (i == 0 ? am_dense_dot(c->surface, phi, S) : 0.0);
    }
    read_coefficient(k, p, row);
    if (c->normal == AM_NORMAL_HELD) {
        p->N = am_dense_dot(c->hold, phi, S);
        p->N_rate = c->omega * am_dense_dot(c->hold, slope, S);
        return;
    }
    double bend = 0.0;
    for (size_t h = 1; h <= e->H; h++)
        bend -= (double)(h * h) * (c->y[2 * h - 1] * phi[2 * h - 1] + c->y[2 * h] * phi[2 * h]);
    p->y = am_dense_dot(c->y, phi, S);
    p->y_rate = am_dense_dot(c->y, slope, S);
    double rate = -c->omega * p->y_rate;
    am_element_press(c, k->closed, -p->y, rate, &p->N, &p->N_d, &p->N_r);
    p->N_rate = p->N_d * rate - p->N_r * c->omega * c->omega * bend;
}

/* a, and its rate in time. */
static double reach(const walk *k, const point *p) {
    return p->mu * fmax(p->N, 0.0) / k->c->spring;
}

static double rate_of_reach(const walk *k, const point *p) {
    return (p->mu * p->N_rate + p->mu_v * p->v_rate * p->N) / k->c->spring;
}

/* What stick holds, over N. */
static double most_held(const walk *k, const point *p) {
    return k->c->law ? p->mu : k->c->static_friction;
}

static void rotate_direction(const walk *k, point *p) {
    double a = reach(k, p), over = k->tangents > 1 && a > 0.0 ? 1.0 / (a * k->c->omega) : 0.0;
    p->along[0] = cos(p->angle);
    p->along[1] = sin(p->angle);
    p->R = over * (-p->along[1] * p->v[0] + p->along[0] * p->v[1]);
    p->R_angle = -over * (p->along[0] * p->v[0] + p->along[1] * p->v[1]);
}

/* Stretches and what ends the phase, at a point whose signals and angle are known. */
static void stretch(const walk *k, point *p) {
    const am_element_contact *c = k->c;
    p->e[0] = p->e[1] = p->event = 0.0;
    if (k->now == AM_MOMENT_STICK) {
        double limit = most_held(k, p) * p->N;
        for (size_t i = 0; i < k->tangents; i++)
            p->e[i] = k->constant[i] + p->u[i];
        p->event = limit * limit - c->spring * c->spring * (p->e[0] * p->e[0] + p->e[1] * p->e[1]);
    }
    if (k->now == AM_MOMENT_SLIP) {
        double a = reach(k, p);
        p->along[0] = k->tangents > 1 ? cos(p->angle) : p->angle > 0.0 ? -1.0 : 1.0;
        p->along[1] = k->tangents > 1 ? sin(p->angle) : 0.0;
        for (size_t i = 0; i < 2; i++)
            p->e[i] = a * p->along[i];
        p->event = p->along[0] * p->v[0] + p->along[1] * p->v[1] - rate_of_reach(k, p);
    }
}

static point point_at(const walk *k, double theta) {
    point p = {.theta = theta, .angle = k->angle};
    read_point(k, &p, 0);
    stretch(k, &p);
    return p;
}

/* ---- panels ---- */

/* The angle at the points by collocation. False: the panel is too long. */
static bool factor_panel(walk *k, double length) {
    am_slider *s = k->s;
    for (size_t i = 0; i < POINTS; i++)
        for (size_t j = 0; j < POINTS; j++)
            s->matrix[i * POINTS + j] =
                (i == j ? 1.0 : 0.0) - 0.5 * length * k->e->rules.integral[i * POINTS + j] * k->at[j].R_angle;
    return am_lu_factor(s->matrix, POINTS, s->pivots);
}

static bool rotate_along(walk *k, double length) {
    double step[POINTS];
    for (size_t i = 0; i < POINTS; i++)
        k->at[i].angle = k->angle;
    for (int round = 0; round < 20; round++) {
        double largest = 0.0;
        for (size_t i = 0; i < POINTS; i++)
            rotate_direction(k, &k->at[i]);
        for (size_t i = 0; i < POINTS; i++) {
            step[i] = k->angle - k->at[i].angle;
            for (size_t j = 0; j < POINTS; j++)
                step[i] += 0.5 * length * k->e->rules.integral[i * POINTS + j] * k->at[j].R;
        }
        if (!factor_panel(k, length))
            return false;
        am_lu_solve(k->s->matrix, POINTS, k->s->pivots, 1, step);
        for (size_t i = 0; i < POINTS; i++) {
            k->at[i].angle += step[i];
            largest = fmax(largest, fabs(step[i]));
        }
        if (!(largest < 3.0)) /* half a turn, or no number */
            return false;
        if (largest <= 4e-16 || (largest <= 1e-13 && round > 6)) {
            for (size_t i = 0; i < POINTS; i++)
                rotate_direction(k, &k->at[i]);
            return factor_panel(k, length);
        }
    }
    return false;
}

/* What rounding leaves of the event of stick, which is nothing but that where the spring is stretched to its limit. */
static double rounding_of_event(const walk *k, const point *p) {
    double limit = most_held(k, p) * fmax(p->N, 0.0), place = k->c->spring * hypot(p->u[0], p->u[1]);
    return DBL_EPSILON * limit * (limit + place);
}

/* Is the polynomial through the points the signal, but for 1e-12 of its size and for `rounding` at each point? */
static bool is_resolved(const walk *k, size_t offset, double rounding, double length, double *largest) {
    double tail[2] = {0.0, 0.0}, size = 0.0;
    for (size_t j = 0; j < POINTS; j++) {
        double value = *(const double *)((const char *)&k->at[j] + offset);
        size = fmax(size, fabs(value));
        for (size_t t = 0; t < 2; t++)
            tail[t] += k->e->rules.tail[t][j] * value;
    }
    *largest = fmax(*largest, size);
    double rest = fabs(tail[0]) + fabs(tail[1]);
    double least = fmax(am_element_resolved * *largest, rounding);
    return rest <= least || rest * length <= least;
}

/* Does the slider's panel from a to b tell what happens on it? */
static bool try_panel(walk *k, double a, double b) {
    double length = b - a;
    for (size_t g = 0; g < POINTS; g++) {
        double node, weight = am_quadrature_point(g, &node);
        k->at[g] =
            (point){.theta = a + 0.5 * length * (1.0 + node), .weight = 0.5 * length * weight, .angle = k->angle};
        read_point(k, &k->at[g], g);
    }
    if (k->now == AM_MOMENT_SLIP && k->tangents > 1 && !rotate_along(k, length))
        return false;
    for (size_t g = 0; g < POINTS; g++)
        stretch(k, &k->at[g]);
    k->rounding = 0.0;
    for (size_t g = 0; g < POINTS && k->now == AM_MOMENT_STICK; g++)
        k->rounding = fmax(k->rounding, rounding_of_event(k, &k->at[g]));
    bool good = is_resolved(k, offsetof(point, event), 64.0 * k->rounding, length, &k->largest_event[k->now]);
    for (size_t i = 0; i < k->tangents; i++)
        good = is_resolved(k, offsetof(point, e) + i * sizeof(double), 0.0, length, &k->largest_e) && good;
    if (k->c->normal != AM_NORMAL_HELD)
        good = is_resolved(k, offsetof(point, N), 0.0, length, &k->largest_N) && good;
    return good;
}

/* ---- the first zero on a panel ---- */

/* Where in [low, high] the polynomial of these Bernstein coefficients turns negative first, from above -slack. */
static bool first_negative(const double *b, size_t count, double slack, double low, double high, double *where) {
    double left[POINTS] = {0}, right[POINTS] = {0}, least = b[0];
    for (size_t i = 1; i < count; i++)
        least = fmin(least, b[i]);
    if (least >= -slack)
        return false;
    *where = low;
    if (b[0] < -slack || high - low < 1e-15)
        return true;
    memcpy(right, b, count * sizeof *right);
    for (size_t i = 0; i < count; i++) { /* de Casteljau: both halves */
        left[i] = right[0];
        for (size_t j = 0; j + 1 < count - i; j++)
            right[j] = 0.5 * (right[j] + right[j + 1]);
    }
    double middle = 0.5 * (low + high);
    return first_negative(left, count, slack, low, middle, where) ||
           first_negative(right, count, slack, middle, high, where);
}

/* Is what ends stick hardly more than rounding on all of the panel, and nowhere less than zero? So it is where slip ends
 * just before the panel does. The coefficients, in which rounding is thousands of times as large, tell nothing then. */
static bool holds_within_rounding(const walk *k) {
    for (const point *p = k->at; p < k->at + POINTS; p++) {
        double rounding = 64.0 * rounding_of_event(k, p);
        if (!(p->event >= -rounding && p->event <= 1e3 * rounding))
            return false;
    }
    return true;
}

/* Where the phase ends on the panel, as a share of it. A stick that begins at its limit, leaving it with the square of
 * time, is divided by that square. */
static bool find_end(const walk *k, double *where) {
    double b[POINTS], slack = fmax(1e-11 * k->largest_event[k->now], 1e4 * k->rounding);
    const double *bernstein = k->e->rules.bernstein;
    if (k->now == AM_MOMENT_STICK && holds_within_rounding(k))
        return false;
    for (size_t i = 0; i < POINTS; i++) {
        b[i] = 0.0;
        for (size_t j = 0; j < POINTS; j++)
            b[i] += bernstein[j * POINTS + i] * k->at[j].event;
    }
    if (k->now == AM_MOMENT_SLIP)
        b[0] = fmax(b[0], 0.0);
    if (!k->fresh)
        return first_negative(b, POINTS, slack, 0.0, 1.0, where);
    double n = POINTS - 1.0;
    for (size_t j = 0; j + 2 < POINTS; j++) /* b_(j+2) C(n, j+2)/C(n-2, j) */
        b[j] = b[j + 2] * n * (n - 1.0) / (((double)j + 2.0) * ((double)j + 1.0));
    return first_negative(b, POINTS - 2, slack, 0.0, 1.0, where);
}

/* ---- derivatives ---- */

/* Columns of the derivatives that are wanted begin here: without derivatives only the stretches at theta = 0. */
static size_t first_column(const walk *k) {
    return k->derive ? 0 : k->columns - 2;
}

/* The derivatives of N at a point, for one column. */
static double pressure(const walk *k, const point *p, size_t row, size_t column) {
    const am_element *e = k->e;
    size_t S = e->S;
    if (k->c->normal == AM_NORMAL_HELD)
        return 0.0;
    if (column == S)
        return -p->N_r * p->y_rate;
    if (column < k->at_y || column >= k->at_y + S)
        return 0.0;
    size_t l = row * S + column - k->at_y;
    return -(p->N_d * e->phi[l] + p->N_r * k->c->omega * e->slope[l]);
}

/* Of u and v along tangent i. */
static double shift(const walk *k, const point *p, size_t row, size_t i, size_t column) {
    size_t S = k->e->S, first = i == 0 ? 0 : k->at_second;
    if (column == S)
        return i == 0 ? p->place / k->c->omega : 0.0;
    return column >= first && column < first + S ? k->e->phi[row * S + column - first] : 0.0;
}

static double speed(const walk *k, const point *p, size_t row, size_t i, size_t column) {
    size_t S = k->e->S, first = i == 0 ? 0 : k->at_second;
    if (column == S)
        return p->x_rate[i];
    return column >= first && column < first + S ? k->c->omega * k->e->slope[row * S + column - first] : 0.0;
}

/* Of a. */
static double longer(const walk *k, const point *p, size_t row, size_t column) {
    double slower = p->mu_v != 0.0 ? p->N * p->mu_v * speed(k, p, row, 0, column) : 0.0;
    return (p->mu * pressure(k, p, row, column) + slower) / k->c->spring;
}

/* The angle's derivatives at the points and at the end. */
static void rotate_derivatives(walk *k, double length) {
    am_slider *s = k->s;
    size_t from = first_column(k), count = k->columns - from;
    double omega = k->c->omega;
    for (size_t j = 0; j < POINTS; j++) {
        const point *p = &k->at[j];
        double a = reach(k, p), c = p->along[0], q = p->along[1], over = a > 0.0 ? 1.0 / (a * omega) : 0.0;
        double slower = a > 0.0 ? p->R / a : 0.0;
        for (size_t l = from; l < k->columns; l++) {
            double known = l < k->columns - 2 ? over * (-q * speed(k, p, j, 0, l) + c * speed(k, p, j, 1, l)) -
                                                    slower * longer(k, p, j, l)
                                              : 0.0;
            s->known[j * k->columns + l] = known - (l == k->e->S ? p->R / omega : 0.0);
        }
    }
    for (size_t l = from; l < k->columns; l++)
        for (size_t i = 0; i < POINTS; i++) {
            double sum = s->angle[l];
            for (size_t j = 0; j < POINTS; j++)
                sum += 0.5 * length * k->e->rules.integral[i * POINTS + j] * s->known[j * k->columns + l];
            s->angles[(l - from) * POINTS + i] = sum;
        }
    am_lu_solve(s->matrix, POINTS, s->pivots, count, s->angles);
    for (size_t l = from; l < k->columns; l++)
        for (size_t j = 0; j < POINTS; j++)
            s->angle[l] += k->at[j].weight *
                           (k->at[j].R_angle * s->angles[(l - from) * POINTS + j] + s->known[j * k->columns + l]);
}

/* Of stretch i at a point, for one column; `angle`: that of phi. */
static double stretch_derivative(const walk *k, const point *p, size_t row, size_t i, size_t column, double angle) {
    bool inner = column < k->columns - 2;
    if (k->now == AM_MOMENT_STICK)
        return k->s->constant[i][column] + (inner ? shift(k, p, row, i, column) : 0.0);
    double across = i == 0 ? -p->along[1] : p->along[0];
    return (inner ? p->along[i] * longer(k, p, row, column) : 0.0) +
           (k->tangents > 1 ? reach(k, p) * across * angle : 0.0);
}

static void add_derivatives(walk *k) {
    am_slider *s = k->s;
    am_element *e = k->e;
    size_t S = e->S, from = first_column(k), count = k->columns - from;
    for (size_t i = 0; i < k->tangents && k->now != AM_MOMENT_OPEN; i++) {
        for (size_t j = 0; j < POINTS; j++)
            for (size_t l = from; l < k->columns; l++)
                s->gradient[j * count + l - from] =
                    k->c->spring * stretch_derivative(k, &k->at[j], j, i, l, s->angles[(l - from) * POINTS + j]);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)S, (int)count, POINTS, 1.0, e->projection, (int)S,
                    s->gradient, (int)count, 1.0, s->f_all[i] + from, (int)k->columns);
    }
    if (!k->derive || k->c->normal == AM_NORMAL_HELD || k->now == AM_MOMENT_OPEN)
        return;
    for (size_t j = 0; j < POINTS; j++) {
        for (size_t l = 0; l < S; l++)
            e->pressure[j * (S + 1) + l] = pressure(k, &k->at[j], j, k->at_y + l);
        e->pressure[j * (S + 1) + S] = pressure(k, &k->at[j], j, S);
    }
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)S, (int)S + 1, POINTS, 1.0, e->projection, (int)S,
                e->pressure, (int)S + 1, 1.0, e->N_all, (int)S + 1);
}

static void trace_panel(const walk *k) {
    double spring = k->c->spring, omega = k->c->omega;
    for (const point *p = k->at; p < k->at + POINTS; p++) {
        am_contact_moment m = {p->theta, p->weight, k->now, .depth_rate = -p->y_rate, .N = p->N};
        for (size_t t = 0; t < k->tangents; t++)
            m.u[t] = p->u[t], m.rate[t] = p->v[t] / omega, m.f[t] = spring * p->e[t];
        am_contact_trace_add(k->c->trace, &m);
    }
}

static void accept_panel(walk *k, double a, double b) {
    am_element *e = k->e;
    if (k->c->trace)
        trace_panel(k);
    for (size_t j = 0; j < POINTS; j++) {
        const point *p = &k->at[j];
        double *projection = e->projection + j * e->S;
        for (size_t i = 0; i < e->S; i++) {
            projection[i] = p->weight * e->phi[j * e->S + i] / (i == 0 ? two_pi : pi);
            e->N[i] += projection[i] * p->N;
            for (size_t t = 0; t < k->tangents; t++)
                k->s->f[t][i] += projection[i] * k->c->spring * p->e[t];
        }
    }
    bool turns = k->now == AM_MOMENT_SLIP && k->tangents > 1;
    if (turns)
        rotate_derivatives(k, b - a);
    else
        memset(k->s->angles, 0, POINTS * k->columns * sizeof *k->s->angles);
    add_derivatives(k);
    for (size_t j = 0; turns && j < POINTS; j++)
        k->angle += k->at[j].weight * k->at[j].R;
    k->theta = b;
    k->fresh = false;
}

/* ---- from phase to phase ---- */

static void begin_stick(walk *k, const point *p, bool fresh) {
    for (size_t i = 0; i < 2; i++)
        k->constant[i] = i < k->tangents ? p->e[i] - p->u[i] : 0.0;
    k->now = AM_MOMENT_STICK;
    k->fresh = fresh;
}

/* Slip ends where its rate vanishes: stretches and their rates are continuous there. */
static void end_slip(walk *k, double theta, bool at_corner) {
    am_slider *s = k->s;
    point p = point_at(k, theta);
    for (size_t l = first_column(k); l < k->columns; l++) {
        bool inner = l < k->columns - 2;
        double change[2], moves = 0.0; /* a corner of the law moves with v, and the rates differ there */
        if (at_corner && inner && p.v_rate != 0.0)
            moves = -speed(k, &p, 0, 0, l) / p.v_rate;
        for (size_t i = 0; i < k->tangents; i++)
            change[i] = stretch_derivative(k, &p, 0, i, l, s->angle[l]) - (inner ? shift(k, &p, 0, i, l) : 0.0) +
                        (rate_of_reach(k, &p) * p.along[i] - p.v[i]) * moves;
        for (size_t i = 0; i < k->tangents; i++)
            s->constant[i][l] = change[i];
    }
    begin_stick(k, &p, !at_corner && (k->c->law || k->c->static_friction <= k->c->friction));
}

/* How the instant at which stick ends moves, for one column: the limit minus the stretch, over minus its rate. */
static double end_of_stick_moves(const walk *k, const point *p, size_t column, const double *stretch_change) {
    const am_element_contact *c = k->c;
    double square = c->static_friction * c->static_friction, stiff = c->spring * c->spring, change, rate;
    change = column < k->columns - 2 ? square * p->N * pressure(k, p, 0, column) : 0.0;
    rate = square * p->N * p->N_rate / c->omega;
    for (size_t i = 0; i < k->tangents; i++) {
        change -= stiff * p->e[i] * stretch_change[i];
        rate -= stiff * p->e[i] * p->v[i] / c->omega;
    }
    return rate != 0.0 ? -change / rate : 0.0;
}

/* Friction drops from its static to its kinetic value: the slider jumps, and sticks there or slips on. */
static void begin_slip(walk *k, double theta) {
    am_slider *s = k->s;
    am_element *e = k->e;
    const am_element_contact *c = k->c;
    point p = point_at(k, theta), after;
    double size = hypot(p.e[0], p.e[1]),
           along[2] = {size > 0.0 ? p.e[0] / size : 1.0, size > 0.0 ? p.e[1] / size : 0.0};
    double across[2] = {-along[1], along[0]}, a = reach(k, &p), drop = a - size, turning, held[2], before[2];
    bool drops = c->static_friction > c->friction;
    if (k->tangents == 1)
        along[0] = p.e[0] < 0.0 ? -1.0 : 1.0;
    turning = size > 0.0 ? (across[0] * p.v[0] + across[1] * p.v[1]) / (size * c->omega) : 0.0;
    k->angle = k->tangents == 1 ? (along[0] < 0.0 ? pi : 0.0) : atan2(along[1], along[0]);
    k->now = AM_MOMENT_SLIP;
    after = point_at(k, theta);
    bool sticks = drops && !(after.event > 0.0);
    for (size_t l = first_column(k); l < k->columns; l++) {
        bool inner = l < k->columns - 2;
        k->now = AM_MOMENT_STICK;
        for (size_t i = 0; i < 2; i++)
            held[i] = i < k->tangents ? stretch_derivative(k, &p, 0, i, l, 0.0) : 0.0;
        k->now = AM_MOMENT_SLIP;
        double moves = drops ? end_of_stick_moves(k, &p, l, held) : 0.0;
        double angle = k->tangents > 1 && size > 0.0 ? (across[0] * held[0] + across[1] * held[1]) / size : 0.0;
        for (size_t i = 0; i < k->tangents && drops; i++)
            for (size_t r = 0; r < e->S; r++) /* the force jumps by k drop there */
                s->f_all[i][r * k->columns + l] -=
                    c->spring * drop * along[i] * moves * e->phi[r] / (r == 0 ? two_pi : pi);
        s->angle[l] = angle + (turning - (a > 0.0 ? turning * size / a : 0.0)) * moves;
        if (!sticks)
            continue;
        double grows = (inner ? longer(k, &p, 0, l) : 0.0) + rate_of_reach(k, &p) / c->omega * moves;
        for (size_t i = 0; i < k->tangents; i++)
            before[i] = along[i] * grows + (k->tangents > 1 ? a * across[i] * (angle + turning * moves) : 0.0) -
                        (inner ? shift(k, &p, 0, i, l) : 0.0) - p.v[i] / c->omega * moves;
        for (size_t i = 0; i < k->tangents; i++)
            s->constant[i][l] = before[i];
    }
    k->slips = true;
    if (sticks)
        begin_stick(k, &after, false);
}

/* The surfaces meet: springs are relaxed. The instant moves with what vanishes there, z = z_d d + z_r d'. */
static void close_contact(walk *k, double theta) {
    am_slider *s = k->s;
    am_element *e = k->e;
    const am_element_contact *c = k->c;
    size_t S = e->S;
    k->now = AM_MOMENT_OPEN;
    point p = point_at(k, theta);
    double v = hypot(p.v[0], p.v[1]), pace = am_dense_largest(c->y, S);
    bool jumps = c->normal == AM_NORMAL_LAYER && c->damping > 0.0 && p.N > 1e-9 * c->stiffness * pace;
    bool by_depth = jumps || (c->normal == AM_NORMAL_POWER && fabs(p.y) <= 1e-9 * pace);
    double z_d = by_depth ? 1.0 : c->normal == AM_NORMAL_LAYER ? c->stiffness : 0.0;
    double z_r = by_depth ? 0.0 : c->normal == AM_NORMAL_LAYER ? c->damping : 1.0;
    double bend = 0.0;
    for (size_t h = 1; h <= e->H; h++)
        bend -= (double)(h * h) * (c->y[2 * h - 1] * e->phi[2 * h - 1] + c->y[2 * h] * e->phi[2 * h]);
    double z_rate = -(z_d * p.y_rate + z_r * c->omega * bend);
    bool sticks = jumps || c->spring * v <= most_held(k, &p) * p.N_rate;
    for (size_t l = first_column(k); l < k->columns; l++) {
        bool inner = l < k->columns - 2;
        double z = 0.0;
        if (inner && l >= k->at_y && l < k->at_y + S)
            z = -(z_d * e->phi[l - k->at_y] + z_r * c->omega * e->slope[l - k->at_y]);
        else if (l == S)
            z = -z_r * p.y_rate;
        double moves = z_rate != 0.0 ? -z / z_rate : 0.0;
        for (size_t i = 0; i < k->tangents; i++)
            s->constant[i][l] = inner ? -shift(k, &p, 0, i, l) - p.v[i] / c->omega * moves : 0.0;
        s->angle[l] = 0.0; /* of the angle of v; where a vanishes its own start is forgotten at once */
        if (inner && k->tangents > 1 && v > 0.0)
            s->angle[l] = (p.v[0] * speed(k, &p, 0, 1, l) - p.v[1] * speed(k, &p, 0, 0, l)) / (v * v);
        for (size_t r = 0; jumps && k->derive && inner && r < S; r++)
            if (l >= k->at_y && l < k->at_y + S)
                e->N_all[r * (S + 1) + l - k->at_y] -= p.N * moves * e->phi[r] / (r == 0 ? two_pi : pi);
    }
    if (sticks) {
        begin_stick(k, &p, !jumps);
        return;
    }
    k->now = AM_MOMENT_SLIP;
    k->slips = true;
    k->angle = k->tangents > 1 ? atan2(p.v[1], p.v[0]) : p.v[0] < 0.0 ? pi : 0.0;
}

static void open_contact(walk *k) {
    k->now = AM_MOMENT_OPEN;
    k->constant[0] = k->constant[1] = 0.0;
    memset(k->s->constant[0], 0, k->columns * sizeof *k->s->constant[0]);
    memset(k->s->constant[1], 0, k->columns * sizeof *k->s->constant[1]);
    memset(k->s->angle, 0, k->columns * sizeof *k->s->angle);
}

/* The instant at which stick ends, better than the polynomial tells. */
static double polish(const walk *k, double low, double theta, double high) {
    double a = fmax(low, theta - 1e-7), b = fmin(high, theta + 1e-7);
    if (!(point_at(k, a).event > 0.0) || !(point_at(k, b).event < 0.0))
        return theta;
    for (int i = 0; i < 60 && b - a > 4e-16; i++) {
        double middle = 0.5 * (a + b);
        if (point_at(k, middle).event > 0.0)
            a = middle;
        else
            b = middle;
    }
    return 0.5 * (a + b);
}

/* Along a piece in which the layer stays as it is. */
static am_status go_along(walk *k, double to, am_error *err) {
    double length = fmin(to - k->theta, 2.0 / (double)k->e->H);
    while (to - k->theta > 1e-14) {
        double a = k->theta, b = fmin(to, a + length), where;
        AM_TRY(am_watch_spend((double)(POINTS * k->columns), err));
        if (!try_panel(k, a, b)) {
            length = 0.5 * (b - a);
            if (length < ldexp(1.0, -DEEPEST))
                return am_fail(err, AM_ERR_LIMIT, "the force of a slider cannot be integrated along this motion");
            continue;
        }
        length = fmin(2.0 * (b - a), 2.0 / (double)k->e->H);
        if (k->now == AM_MOMENT_OPEN || !find_end(k, &where)) {
            accept_panel(k, a, b);
            continue;
        }
        double end = a + where * (b - a);
        if (k->now == AM_MOMENT_STICK)
            end = polish(k, a, end, b);
        if (end - a > 1e-15 && try_panel(k, a, end))
            accept_panel(k, a, end);
        k->theta = end;
        if (++k->switches > MOST_SWITCHES)
            return am_fail(err, AM_ERR_LIMIT, "a slider switches without end along this motion");
        if (k->now == AM_MOMENT_STICK)
            begin_slip(k, end);
        else
            end_slip(k, end, false);
    }
    k->theta = to;
    return AM_OK;
}

/* The state at theta = 0 from the stretches there, which lie within the circle. */
static void begin(walk *k, const double *start) {
    am_slider *s = k->s;
    open_contact(k);
    if (!k->closed)
        return;
    point p = point_at(k, 0.0);
    double size = hypot(start[0], start[1]), a = reach(k, &p), most = most_held(k, &p) * p.N / k->c->spring;
    p.e[0] = start[0];
    p.e[1] = start[1];
    bool outside = size > most;
    if (outside || size >= a * (1.0 - 1e-9)) {
        k->angle = k->tangents > 1 ? atan2(start[1], start[0]) : start[0] < 0.0 ? pi : 0.0;
        k->now = AM_MOMENT_SLIP;
        point slip = point_at(k, 0.0);
        if (slip.event > 0.0 && (outside || size <= a * (1.0 + 1e-9))) {
            k->slips = true;
            for (size_t i = 0; i < 2 && size > 0.0; i++)
                s->angle[k->columns - 2 + i] = (i == 0 ? -start[1] : start[0]) / (size * size);
            return;
        }
        if (outside)
            memcpy(p.e, slip.e, sizeof p.e);
    }
    begin_stick(k, &p, size >= most * (1.0 - 1e-9));
    for (size_t i = 0; i < k->tangents; i++) {
        for (size_t l = 0; l < k->columns - 2 && k->derive; l++)
            s->constant[i][l] = -shift(k, &p, 0, i, l);
        s->constant[i][k->columns - 2 + i] = 1.0;
    }
}

static bool is_closed(const walk *k, double theta) {
    const am_element_contact *c = k->c;
    if (c->normal == AM_NORMAL_HELD)
        return true;
    am_element_basis(k->e, theta, 0);
    return am_element_is_closed(c, -am_dense_dot(c->y, k->e->phi, k->e->S),
                                -c->omega * am_dense_dot(c->y, k->e->slope, k->e->S));
}

/* ---- for slider_stick.c ---- */

void am_slider_read(const walk *k, point *p) {
    read_point(k, p, 0);
}

double am_slider_pressure(const walk *k, const point *p, size_t column) {
    return pressure(k, p, 0, column);
}

double am_slider_shift(const walk *k, size_t i, size_t column) {
    size_t first = i == 0 ? 0 : k->at_second;
    return column >= first && column < first + k->e->S ? k->e->phi[column - first] : 0.0;
}

bool am_slider_rests(const walk *k) {
    const am_element *e = k->e;
    for (size_t h = 0; h < e->S; h++)
        if (k->c->surface[h] != 0.0)
            return false;
    for (size_t i = 0; i + 1 < e->switches; i++)
        if (e->theta[i + 1] - e->theta[i] > 1e-15 && !is_closed(k, 0.5 * (e->theta[i] + e->theta[i + 1])))
            return false;
    return true;
}

/* Where v is in the law of the speed. */
static void enter_law(walk *k, double theta) {
    point p = {.theta = theta};
    const am_element_law *law = k->c->law;
    k->piece = 0;
    if (!law)
        return;
    read_point(k, &p, 0);
    k->sign = p.v[0] < 0.0 ? -1.0 : 1.0;
    while (k->piece + 1 < law->pieces && fabs(p.v[0]) >= am_law_knot(&law->use, k->piece))
        k->piece++;
}

/* At a corner of the law the rate of slip jumps: is it against the force in the next piece? */
static bool slip_ends(const walk *k, double from, double to) {
    walk next = *k;
    enter_law(&next, 0.5 * (from + to));
    return point_at(&next, from).event < 0.0;
}

am_status am_slider_go_round(walk *k, const double *start, double *end, double *growth, am_error *err) {
    am_slider *s = k->s;
    am_element *e = k->e;
    if (k->c->trace)
        k->c->trace->count = 0;
    k->theta = 0.0;
    k->switches = 0;
    k->slips = false;
    for (size_t i = 0; i < 2; i++) {
        memset(s->f[i], 0, e->S * sizeof *s->f[i]);
        memset(s->f_all[i], 0, e->S * k->columns * sizeof *s->f_all[i]);
    }
    memset(e->N, 0, e->S * sizeof *e->N);
    memset(e->N_all, 0, e->S * (e->S + 1) * sizeof *e->N_all);
    bool first = true;
    for (size_t i = 0; i + 1 < e->switches; i++) {
        double from = e->theta[i], to = e->theta[i + 1];
        if (!(to - from > 1e-15))
            continue;
        bool was = k->closed;
        k->closed = is_closed(k, 0.5 * (from + to));
        if (!first && was && k->closed && k->now == AM_MOMENT_SLIP && k->c->law && slip_ends(k, from, to))
            end_slip(k, from, true);
        enter_law(k, 0.5 * (from + to));
        k->theta = from;
        if (first)
            begin(k, start);
        else if (was && !k->closed)
            open_contact(k);
        else if (!was && k->closed)
            close_contact(k, from);
        first = false;
        AM_TRY(go_along(k, to, err));
    }
    point p = point_at(k, two_pi);
    for (size_t i = 0; i < 2; i++) {
        end[i] = p.e[i];
        for (size_t l = first_column(k); l < k->columns; l++)
            s->end[i][l] =
                k->now == AM_MOMENT_OPEN || i >= k->tangents ? 0.0 : stretch_derivative(k, &p, 0, i, l, s->angle[l]);
        memcpy(growth + 2 * i, s->end[i] + k->columns - 2, 2 * sizeof *growth);
    }
    return AM_OK;
}
