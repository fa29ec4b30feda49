/* Once around the period: switches are located, the pieces between them are cut into panels, and on each panel the
 * forces are known at Gauss's points. docs/balance_cell.md, section 5. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "base/watch.h"
#include "engines/balance/cell_internal.h"
#include "engines/balance/element_internal.h"
#include "math/dense.h"
#include "math/lu.h"
#include "math/pi.h"
#include "math/quadrature.h"
#include "math/trigonometric.h"

enum { POINTS = AM_QUADRATURE_POINTS, DEEPEST = 48, MOST_ROUNDS = 100 };

/* One point of a panel. */
typedef struct point {
    double theta, stretch, weight; /* stretch: dtheta/ds; weight: of the integral over theta */
    double x_rate, y, y_rate, lambda;
    double v, N, N_d, N_r; /* N, dN/dd, dN/d(d') */
    double w;
    double f, f_v, f_N, f_w, f_lambda;
    double R, R_v, R_N, R_w; /* w', and its derivatives */
} point;

typedef struct walk {
    am_element *e;
    const am_element_contact *c;
    bool derive;
    /* the piece */
    bool closed;
    double sign; /* of the slip */
    size_t piece;
    int mode; /* rigid: 1, -1 at its limits, 0 in between */
    double from, to;
    /* what is remembered */
    double w, growth, mean; /* now; dw/d(w at the start); integral of w over theta */
    double growth_sum;
    double largest_f, largest_N, largest_w; /* met so far: what accuracy is measured by */
    point at[POINTS];
} walk;

/* ---- rules ---- */

/* Integrals from -1 to point i of the Lagrange polynomial of point j, and Legendre's last coefficients: with
 * l_j = w_j sum (2k+1)/2 P_k(x_j) P_k and integral of (2k+1) P_k = P_(k+1) - P_(k-1). */
static bool prepare_rules(am_element_rules *rules) {
    double P[POINTS][POINTS + 1], weight[POINTS], node[POINTS];
    for (size_t i = 0; i < POINTS; i++) {
        weight[i] = am_quadrature_point(i, &node[i]);
        P[i][0] = 1.0;
        P[i][1] = node[i];
        for (size_t k = 1; k < POINTS; k++)
            P[i][k + 1] = ((2.0 * (double)k + 1.0) * node[i] * P[i][k] - (double)k * P[i][k - 1]) / (double)(k + 1);
    }
    for (size_t i = 0; i < POINTS; i++)
        for (size_t j = 0; j < POINTS; j++) {
            double sum = 1.0 + node[i];
            for (size_t k = 1; k < POINTS; k++)
                sum += P[j][k] * (P[i][k + 1] - P[i][k - 1]);
            rules->integral[i * POINTS + j] = 0.5 * weight[j] * sum;
        }
    for (size_t t = 0; t < 2; t++)
        for (size_t j = 0; j < POINTS; j++)
            rules->tail[t][j] = (2.0 * (double)(POINTS - 2 + t) + 1.0) / 2.0 * weight[j] * P[j][POINTS - 2 + t];
    double matrix[POINTS * POINTS], choose = 1.0; /* Bernstein polynomials at the points */
    int pivots[POINTS];
    for (size_t j = 0; j < POINTS; j++) {
        for (size_t i = 0; i < POINTS; i++) {
            double x = 0.5 * (1.0 + node[i]);
            matrix[i * POINTS + j] = choose * pow(x, (double)j) * pow(1.0 - x, (double)(POINTS - 1 - j));
            rules->bernstein[i * POINTS + j] = i == j ? 1.0 : 0.0;
        }
        choose *= (double)(POINTS - 1 - j) / (double)(j + 1);
    }
    if (!am_lu_factor(matrix, POINTS, pivots))
        return false;
    am_lu_solve(matrix, POINTS, pivots, POINTS, rules->bernstein);
    return true;
}

am_element *am_element_create(size_t degree, am_error *err) {
    am_element *e = am_memory_new(1, sizeof *e, err);
    if (!e)
        return NULL;
    am_arena *memory = &e->memory;
    size_t S = am_trig_size(degree);
    e->H = degree;
    e->S = S;
    e->columns = 3 * S + 1;
    AM_ARENA_DOUBLES(memory, POINTS * S, err, &e->phi, &e->slope, &e->projection);
    AM_ARENA_DOUBLES(memory, degree + 1, err, &e->cosine, &e->sine);
    AM_ARENA_DOUBLES(memory, POINTS * e->columns, err, &e->gradient, &e->W_points);
    AM_ARENA_DOUBLES(memory, e->columns, err, &e->W, &e->W_sum);
    e->pressure = am_arena_doubles(memory, NULL, POINTS * (S + 1), err);
    AM_ARENA_DOUBLES(memory, S, err, &e->N, &e->f, &e->by_memory, &e->signal, &e->rate, &e->N_omega, &e->f_omega);
    e->N_all = am_arena_doubles(memory, NULL, S * (S + 1), err);
    e->f_all = am_arena_doubles(memory, NULL, S * e->columns, err);
    AM_ARENA_DOUBLES(memory, S * S, err, &e->N_y, &e->f_x, &e->f_y, &e->f_lambda);
    if (am_arena_status(memory)) {
        am_element_free(e);
        return NULL;
    }
    if (!prepare_rules(&e->rules)) { /* cannot be: its points differ */
        am_element_free(e);
        return NULL;
    }
    return e;
}

void am_element_free(am_element *element) {
    if (!element)
        return;
    am_memory_free(element->theta);
    am_arena_clear(&element->memory);
    am_memory_free(element);
}

/* ---- switches ---- */

static am_status add_signs(am_element *e, am_cell *cell, const double *signal, am_error *err) {
    am_cell_find_signs(cell, signal, &cell->upper);
    AM_TRY(am_memory_reserve(&e->theta, &e->capacity, e->switches + cell->upper.count + 2, err));
    for (size_t i = 0; i < cell->upper.count; i++)
        e->theta[e->switches++] = cell->upper.theta[i];
    return AM_OK;
}

/* first + a y + b y' */
static am_status add_normal_signs(am_element *e, am_cell *cell, const am_element_contact *c, double first, double a,
                                  double b, am_error *err) {
    am_trig_derivative(e->H, c->y, e->rate);
    for (size_t k = 0; k < e->S; k++)
        e->signal[k] = a * c->y[k] + b * c->omega * e->rate[k];
    e->signal[0] += first;
    return add_signs(e, cell, e->signal, err);
}

static am_status add_slide_signs(am_element *e, am_cell *cell, const am_element_contact *c, double speed,
                                 am_error *err) {
    am_trig_derivative(e->H, c->x, e->signal);
    for (size_t k = 0; k < e->S; k++)
        e->signal[k] = c->omega * e->signal[k] - c->surface[k];
    e->signal[0] -= speed;
    return add_signs(e, cell, e->signal, err);
}

static void sort(double *theta, size_t count) {
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && theta[j] < theta[j - 1]; j--) {
            double swap = theta[j];
            theta[j] = theta[j - 1];
            theta[j - 1] = swap;
        }
}

am_status am_element_find_switches(am_element *e, am_cell *cell, const am_element_contact *c, am_error *err) {
    e->switches = 0;
    AM_TRY(am_memory_reserve(&e->theta, &e->capacity, 2, err));
    if (c->normal != AM_NORMAL_HELD)
        AM_TRY(add_normal_signs(e, cell, c, 0.0, -1.0, 0.0, err));
    if (c->normal == AM_NORMAL_LAYER && c->damping > 0.0)
        AM_TRY(add_normal_signs(e, cell, c, 0.0, -c->stiffness, -c->damping, err));
    if (c->normal == AM_NORMAL_POWER && c->dissipation > 0.0)
        AM_TRY(add_normal_signs(e, cell, c, 1.0, 0.0, -1.5 * c->dissipation, err));
    if (c->rubs && c->law) {
        AM_TRY(add_slide_signs(e, cell, c, 0.0, err));
        for (size_t p = 0; (c->rigid || c->spring > 0.0) && p + 1 < c->law->pieces; p++) {
            double knot = am_law_knot(&c->law->use, p);
            AM_TRY(add_slide_signs(e, cell, c, knot, err));
            AM_TRY(add_slide_signs(e, cell, c, -knot, err));
        }
    }
    e->theta[e->switches++] = 0.0;
    e->theta[e->switches++] = two_pi;
    sort(e->theta, e->switches);
    return AM_OK;
}

/* ---- one point ---- */

void am_element_press(const am_element_contact *c, bool closed, double d, double rate, double *N, double *N_d,
                      double *N_r) {
    *N = *N_d = *N_r = 0.0;
    if (!closed)
        return;
    if (c->normal == AM_NORMAL_LAYER) {
        *N = c->stiffness * d + c->damping * rate;
        *N_d = c->stiffness;
        *N_r = c->damping;
        return;
    }
    double power = c->stiffness * pow(fmax(d, 0.0), c->exponent - 1.0), factor = 1.0 + 1.5 * c->dissipation * rate;
    *N = power * d * factor;
    *N_d = c->exponent * power * factor;
    *N_r = 1.5 * c->dissipation * power * d;
}

bool am_element_is_closed(const am_element_contact *c, double d, double rate) {
    return c->normal == AM_NORMAL_HELD ||
           (d > 0.0 && (c->normal == AM_NORMAL_LAYER ? c->stiffness * d + c->damping * rate > 0.0
                                                     : 1.0 + 1.5 * c->dissipation * rate > 0.0));
}

static void press(const am_element_contact *c, bool closed, point *p) {
    p->N_d = p->N_r = 0.0;
    if (c->normal != AM_NORMAL_HELD)
        am_element_press(c, closed, -p->y, -c->omega * p->y_rate, &p->N, &p->N_d, &p->N_r);
}

void am_element_basis(am_element *e, double theta, size_t row) {
    double *phi = e->phi + row * e->S, *slope = e->slope + row * e->S;
    am_trig_basis(e->H, theta, e->cosine, e->sine);
    phi[0] = 1.0;
    slope[0] = 0.0;
    for (size_t h = 1; h <= e->H; h++) {
        phi[2 * h - 1] = e->cosine[h];
        phi[2 * h] = e->sine[h];
        slope[2 * h - 1] = -(double)h * e->sine[h];
        slope[2 * h] = (double)h * e->cosine[h];
    }
}

/* Signals at a point, into its row of phi and slope. */
static void read_signals(const walk *k, point *p, size_t row) {
    const am_element_contact *c = k->c;
    am_element *e = k->e;
    const double *phi = e->phi + row * e->S, *slope = e->slope + row * e->S;
    am_element_basis(e, p->theta, row);
    p->x_rate = c->rubs ? am_dense_dot(c->x, slope, e->S) : 0.0;
    p->v = c->omega * p->x_rate - am_dense_dot(c->surface, phi, e->S);
    p->lambda = c->rigid ? am_dense_dot(c->lambda, phi, e->S) : 0.0;
    if (c->normal == AM_NORMAL_HELD) {
        p->N = am_dense_dot(c->hold, phi, e->S);
    } else {
        p->y = am_dense_dot(c->y, phi, e->S);
        p->y_rate = am_dense_dot(c->y, slope, e->S);
    }
}

/* mu at a speed: its value and slope. */
static void coefficient(const am_element_contact *c, size_t piece, double speed, double *mu, double *slope) {
    double force[4], rate[4];
    *mu = c->friction;
    *slope = 0.0;
    if (!c->law)
        return;
    am_element_law_at(c->law, piece, speed, 0.0, 0.0, force, rate);
    *mu = force[0];
    *slope = force[1];
}

static void rub_rigid(const walk *k, point *p) {
    const am_element_contact *c = k->c;
    double mu, slope;
    if (k->mode == 0) {
        p->f = p->lambda + c->epsilon * p->v;
        p->f_v = c->epsilon;
        p->f_lambda = 1.0;
        p->f_N = 0.0;
        return;
    }
    coefficient(c, k->piece, fabs(p->v), &mu, &slope);
    p->f = k->mode * mu * p->N;
    p->f_N = k->mode * mu;
    p->f_v = k->mode * slope * k->sign * p->N;
    p->f_lambda = 0.0;
}

/* A law without stick is written for forward slip. */
static void rub(const walk *k, point *p) {
    const am_element_law *law = k->c->law;
    double force[4], rate[4], sign = k->sign, turn = law->law->memory[0].directed ? sign : 1.0;
    am_element_law_at(k->c->law, k->piece, fabs(p->v), p->N, turn * p->w, force, rate);
    p->f = sign * force[0];
    p->f_v = force[1];
    p->f_N = sign * force[2];
    p->f_w = sign * turn * force[3];
    p->R = turn * rate[0];
    p->R_v = turn * sign * rate[1];
    p->R_N = turn * rate[2];
    p->R_w = rate[3];
}

/* Forces at a point whose signals are known. */
static void act(const walk *k, point *p) {
    const am_element_contact *c = k->c;
    press(c, k->closed, p);
    p->f = p->f_v = p->f_N = p->f_w = p->f_lambda = p->R = p->R_v = p->R_N = p->R_w = 0.0;
    if (!c->rubs || !k->closed)
        return;
    if (c->rigid)
        rub_rigid(k, p);
    else
        rub(k, p);
}

static bool remembers(const walk *k) {
    return k->c->rubs && k->c->law && k->c->law->law->memory[0].rate;
}

/* ---- panels ---- */

/* Powers that are no whole numbers begin where a piece does: with theta = from + (to - from) s^2 (3 - 2 s) they become
 * smoother. */
static void place_points(walk *k, double a, double b) {
    double length = k->to - k->from;
    for (size_t g = 0; g < POINTS; g++) {
        double node, weight = am_quadrature_point(g, &node), s = a + 0.5 * (b - a) * (1.0 + node);
        point *p = &k->at[g];
        p->theta = k->from + length * s * s * (3.0 - 2.0 * s);
        p->stretch = 6.0 * length * s * (1.0 - s);
        p->weight = 0.5 * (b - a) * weight * p->stretch;
        read_signals(k, p, g);
    }
}

/* The matrix of collocation, w_i = w + sum K_ij R_j. */
static double share(const walk *k, double length, size_t i, size_t j) {
    return 0.5 * length * k->e->rules.integral[i * POINTS + j] * k->at[j].stretch / k->c->omega;
}

static bool factor_panel(walk *k, double length) {
    am_element *e = k->e;
    for (size_t i = 0; i < POINTS; i++)
        for (size_t j = 0; j < POINTS; j++)
            e->matrix[i * POINTS + j] = (i == j ? 1.0 : 0.0) - share(k, length, i, j) * k->at[j].R_w;
    return am_lu_factor(e->matrix, POINTS, e->pivots);
}

/* What is remembered at the points, by Newton's method. False: the panel is too long. */
static bool remember(walk *k, double length) {
    double step[POINTS];
    for (size_t i = 0; i < POINTS; i++)
        k->at[i].w = k->w;
    for (int round = 0; round < 20; round++) {
        double largest = 0.0, size = fabs(k->w);
        for (size_t i = 0; i < POINTS; i++)
            act(k, &k->at[i]);
        for (size_t i = 0; i < POINTS; i++) {
            step[i] = k->w - k->at[i].w;
            for (size_t j = 0; j < POINTS; j++)
                step[i] += share(k, length, i, j) * k->at[j].R;
        }
        if (!factor_panel(k, length))
            return false;
        am_lu_solve(k->e->matrix, POINTS, k->e->pivots, 1, step);
        for (size_t i = 0; i < POINTS; i++) {
            k->at[i].w += step[i];
            largest = fmax(largest, fabs(step[i]));
            size = fmax(size, fabs(k->at[i].w));
        }
        if (!isfinite(largest))
            return false;
        if (largest <= 4e-16 * size + 1e-300) {
            for (size_t i = 0; i < POINTS; i++)
                act(k, &k->at[i]);
            return factor_panel(k, length);
        }
        if (largest <= 1e-13 * size && round > 8)
            return factor_panel(k, length);
    }
    return false;
}

static bool is_resolved(const walk *k, size_t offset, double *largest) {
    double tail[2] = {0.0, 0.0}, size = 0.0;
    for (size_t j = 0; j < POINTS; j++) {
        double value = *(const double *)((const char *)&k->at[j] + offset);
        size = fmax(size, fabs(value));
        for (size_t t = 0; t < 2; t++)
            tail[t] += k->e->rules.tail[t][j] * value;
    }
    if (!isfinite(tail[0] + tail[1]))
        return false;
    *largest = fmax(*largest, size);
    /* what is left counts by its integral: a steep law magnifies the rounding of the speed where slip turns */
    double width = fabs(k->at[0].theta - k->at[1].theta), rest = fabs(tail[0]) + fabs(tail[1]);
    return rest <= am_element_resolved * *largest || rest * width <= 0.1 * am_element_resolved * *largest;
}

/* Does the law's piece hold at all points? */
static bool stays_in_piece(const walk *k, double w) {
    double turned = (k->c->law->law->memory[0].directed ? k->sign : 1.0) * w, slack = 1e-14 * k->largest_w;
    double low = k->piece > 0 ? am_law_knot(&k->c->law->use, k->piece - 1) : -INFINITY;
    return turned >= low - slack && turned <= am_law_knot(&k->c->law->use, k->piece) + slack;
}

static double end_of_panel(const walk *k) {
    double w = k->w;
    for (size_t j = 0; j < POINTS; j++)
        w += k->at[j].weight * k->at[j].R / k->c->omega;
    return w;
}

typedef enum verdict { PANEL_GOOD, PANEL_TOO_LONG, PANEL_LEAVES } verdict;

static verdict try_panel(walk *k, double a, double b) {
    place_points(k, a, b);
    if (remembers(k) && k->closed) {
        if (!remember(k, b - a))
            return PANEL_TOO_LONG;
        if (!is_resolved(k, offsetof(point, w), &k->largest_w))
            return PANEL_TOO_LONG;
        bool stays = stays_in_piece(k, end_of_panel(k));
        for (size_t i = 0; i < POINTS && stays; i++)
            stays = stays_in_piece(k, k->at[i].w);
        if (!stays)
            return PANEL_LEAVES;
    } else {
        for (size_t i = 0; i < POINTS; i++) {
            k->at[i].w = k->w;
            act(k, &k->at[i]);
        }
    }
    bool good = is_resolved(k, offsetof(point, f), &k->largest_f);
    if (k->c->normal != AM_NORMAL_HELD)
        good = is_resolved(k, offsetof(point, N), &k->largest_N) && good;
    return good ? PANEL_GOOD : PANEL_TOO_LONG;
}

/* ---- derivatives of what is remembered ---- */

/* dw at the points and at the end, for all columns; growth with it. */
static void remember_derivatives(walk *k, double length) {
    am_element *e = k->e;
    size_t S = e->S, columns = e->used;
    double omega = k->c->omega, growth[POINTS];
    for (size_t i = 0; i < POINTS; i++)
        growth[i] = k->growth;
    am_lu_solve(e->matrix, POINTS, e->pivots, 1, growth);
    double end = k->growth;
    for (size_t j = 0; j < POINTS; j++) {
        const point *p = &k->at[j];
        end += p->weight * p->R_w * growth[j] / omega;
        for (size_t i = 0; i < S; i++)
            e->by_memory[i] += e->projection[j * S + i] * p->f_w * growth[j];
        k->growth_sum += p->weight * growth[j];
    }
    k->growth = end;
    if (!k->derive)
        return;
    /* the known part of d(R) at the points, into gradient (it is free until the friction needs it) */
    double *known = e->gradient;
    memset(known, 0, POINTS * columns * sizeof *known);
    for (size_t j = 0; j < POINTS; j++) {
        const point *p = &k->at[j];
        const double *phi = e->phi + j * S, *slope = e->slope + j * S;
        double *row = known + j * columns;
        for (size_t l = 0; l < S; l++)
            row[l] = p->R_v * omega * slope[l];
        for (size_t l = 0; columns > S + 1 && l < S; l++)
            row[S + 1 + l] = -p->R_N * (p->N_d * phi[l] + p->N_r * omega * slope[l]);
        row[S] = p->R_v * p->x_rate - p->R_N * p->N_r * p->y_rate - p->R / omega;
    }
    for (size_t l = 0; l < columns; l++) {
        double *at = e->W_points + l * POINTS;
        for (size_t i = 0; i < POINTS; i++) {
            at[i] = e->W[l];
            for (size_t j = 0; j < POINTS; j++)
                at[i] += share(k, length, i, j) * known[j * columns + l];
        }
    }
    am_lu_solve(e->matrix, POINTS, e->pivots, columns, e->W_points);
    for (size_t l = 0; l < columns; l++)
        for (size_t j = 0; j < POINTS; j++) {
            const point *p = &k->at[j];
            e->W[l] += p->weight / omega * (p->R_w * e->W_points[l * POINTS + j] + known[j * columns + l]);
            e->W_sum[l] += p->weight * e->W_points[l * POINTS + j];
        }
}

/* ---- sums ---- */

static void add_derivatives(walk *k, bool remembered) {
    am_element *e = k->e;
    size_t S = e->S, columns = e->used;
    double omega = k->c->omega;
    bool pressed = k->c->normal != AM_NORMAL_HELD;
    for (size_t j = 0; j < POINTS; j++) {
        const point *p = &k->at[j];
        const double *phi = e->phi + j * S, *slope = e->slope + j * S;
        double *row = e->gradient + j * columns, *pressure = e->pressure + j * (S + 1);
        for (size_t l = 0; l < S; l++)
            row[l] = p->f_v * omega * slope[l];
        for (size_t l = 0; pressed && l < S; l++) {
            pressure[l] = -(p->N_d * phi[l] + p->N_r * omega * slope[l]);
            row[S + 1 + l] = p->f_N * pressure[l];
        }
        for (size_t l = 0; k->c->rigid && l < S; l++)
            row[columns - S + l] = p->f_lambda * phi[l];
        pressure[S] = -p->N_r * p->y_rate;
        row[S] = p->f_v * p->x_rate + p->f_N * pressure[S];
        for (size_t l = 0; remembered && l < columns; l++)
            row[l] += p->f_w * e->W_points[l * POINTS + j];
    }
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)S, (int)columns, POINTS, 1.0, e->projection, (int)S,
                e->gradient, (int)columns, 1.0, e->f_all, (int)columns);
    if (pressed)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)S, (int)S + 1, POINTS, 1.0, e->projection, (int)S,
                    e->pressure, (int)S + 1, 1.0, e->N_all, (int)S + 1);
}

void am_contact_trace_add(am_contact_trace *trace, const am_contact_moment *moment) {
    if (!trace->status)
        trace->status = am_memory_reserve(&trace->moment, &trace->capacity, trace->count + 1, NULL);
    if (!trace->status)
        trace->moment[trace->count++] = *moment;
}

static int by_time(const void *one, const void *other) {
    double a = ((const am_contact_moment *)one)->theta, b = ((const am_contact_moment *)other)->theta;
    return (a > b) - (a < b);
}

void am_contact_trace_sort(am_contact_trace *trace) {
    if (trace->count > 0)
        qsort(trace->moment, trace->count, sizeof *trace->moment, by_time);
}

static void trace_panel(const walk *k) {
    const am_element_contact *c = k->c;
    for (size_t j = 0; j < POINTS; j++) {
        const point *p = &k->at[j];
        am_contact_moment moment = {.theta = p->theta,
                                    .weight = p->weight,
                                    .state = !k->closed                 ? AM_MOMENT_OPEN
                                             : c->rigid && k->mode == 0 ? AM_MOMENT_STICK
                                                                        : AM_MOMENT_SLIP,
                                    .depth_rate = -p->y_rate,
                                    .N = p->N};
        if (c->rubs) {
            moment.u[0] = am_dense_dot(c->x, k->e->phi + j * k->e->S, k->e->S);
            moment.rate[0] = p->v / c->omega;
            moment.f[0] = p->f;
        }
        am_contact_trace_add(c->trace, &moment);
    }
}

static void accept_panel(walk *k, double length) {
    am_element *e = k->e;
    bool remembered = remembers(k) && k->closed;
    if (k->c->trace)
        trace_panel(k);
    for (size_t j = 0; j < POINTS; j++) {
        const point *p = &k->at[j];
        double *projection = e->projection + j * e->S;
        for (size_t i = 0; i < e->S; i++) {
            projection[i] = p->weight * e->phi[j * e->S + i] / (i == 0 ? two_pi : pi);
            e->f[i] += projection[i] * p->f;
            e->N[i] += projection[i] * p->N;
        }
        k->mean += p->weight * p->w;
    }
    if (remembered)
        remember_derivatives(k, length);
    if (k->derive)
        add_derivatives(k, remembered);
    if (remembered)
        k->w = end_of_panel(k);
}

/* ---- pieces ---- */

/* Where what is remembered meets the end of its law's piece: as long a panel as stays in it. */
static am_status go_to_knot(walk *k, double a, double *b, am_error *err) {
    double low = a, high = *b;
    for (int i = 0; i < 60 && high - low > 1e-15; i++) {
        double middle = 0.5 * (low + high);
        if (try_panel(k, a, middle) == PANEL_GOOD)
            low = middle;
        else
            high = middle;
    }
    *b = low;
    if (low > a && try_panel(k, a, low) == PANEL_GOOD)
        accept_panel(k, low - a);
    const am_element_law *law = k->c->law;
    double turned = (law->law->memory[0].directed ? k->sign : 1.0) * k->w;
    double above = am_law_knot(&law->use, k->piece),
           below = k->piece > 0 ? am_law_knot(&law->use, k->piece - 1) : -INFINITY;
    size_t next = fabs(turned - above) < fabs(turned - below) ? k->piece + 1 : k->piece - 1;
    if (next >= law->pieces)
        return am_fail(err, AM_ERR_LIMIT, "a law of friction has no value along this motion");
    k->piece = next;
    return AM_OK;
}

/* From a to b, in parts of the piece, panel by panel. */
static am_status go_along(walk *k, double a, double b, am_error *err) {
    double length = b - a;
    size_t changes = 0;
    while (b - a > 1e-14) {
        double end = fmin(b, a + length);
        AM_TRY(am_watch_spend((double)(POINTS * k->e->columns), err));
        verdict found = try_panel(k, a, end);
        if (found == PANEL_TOO_LONG) {
            length = 0.5 * (end - a);
            if (length < ldexp(1.0, -DEEPEST))
                return am_fail(err, AM_ERR_LIMIT, "the force of a contact cannot be integrated along this motion");
            continue;
        }
        if (found == PANEL_LEAVES) {
            if (++changes > 16)
                return am_fail(err, AM_ERR_LIMIT, "a law of friction changes its piece without end");
            AM_TRY(go_to_knot(k, a, &end, err));
        } else {
            accept_panel(k, end - a);
        }
        a = end;
        length = 2.0 * length;
    }
    return AM_OK;
}

/* Signals and forces at one instant, in row 0. */
static point point_at(walk *k, double theta) {
    point p = {.theta = theta, .w = k->w};
    read_signals(k, &p, 0);
    return p;
}

static void enter_piece(walk *k, double from, double to) {
    const am_element_contact *c = k->c;
    point p = point_at(k, 0.5 * (from + to));
    k->from = from;
    k->to = to;
    k->closed = am_element_is_closed(c, -p.y, -c->omega * p.y_rate);
    k->sign = p.v < 0.0 ? -1.0 : 1.0;
    k->piece = 0;
    k->mode = 0;
    if (!c->law)
        return;
    double at = c->rigid ? fabs(p.v) : (c->law->law->memory[0].directed ? k->sign : 1.0) * k->w;
    while (k->piece + 1 < c->law->pieces && at >= am_law_knot(&c->law->use, k->piece))
        k->piece++;
}

/* lambda + epsilon v beyond the limit of one side. */
static double over(walk *k, double theta, int side) {
    double mu, slope;
    point p = point_at(k, theta);
    press(k->c, k->closed, &p);
    coefficient(k->c, k->piece, fabs(p.v), &mu, &slope);
    return p.lambda + k->c->epsilon * p.v - side * mu * p.N;
}

static int mode_at(walk *k, double theta) {
    return over(k, theta, 1) > 0.0 ? 1 : over(k, theta, -1) < 0.0 ? -1 : 0;
}

/* Where a piece begins because the surfaces meet (d = 0), its force may jump and what is remembered begins then: that
 * instant moves with y, dtheta = -dy/y'. Where they part the same happens the other way round. */
static void add_jump(walk *k, double theta, bool closes) {
    am_element *e = k->e;
    size_t S = e->S;
    double side = closes ? 1.0 : -1.0;
    if (k->c->rigid)
        k->mode = mode_at(k, theta);
    point p = point_at(k, theta);
    act(k, &p);
    if (!k->derive || !(fabs(p.y) <= 1e-9 * (fabs(p.y_rate) + 1e-300)) || !isfinite(p.f) || p.y_rate == 0.0)
        return;
    for (size_t i = 0; i < S; i++) {
        double projection = side * e->phi[i] / (i == 0 ? two_pi : pi) / p.y_rate;
        for (size_t l = 0; l < S; l++) {
            e->f_all[i * e->used + S + 1 + l] += projection * p.f * e->phi[l];
            e->N_all[i * (S + 1) + l] += projection * p.N * e->phi[l];
        }
    }
    for (size_t l = 0; l < S && closes && remembers(k) && isfinite(p.R); l++)
        e->W[S + 1 + l] += p.R / k->c->omega / p.y_rate * e->phi[l];
}

/* Open contacts have no deflection; their age stays as it is. */
static void open_contact(walk *k) {
    if (!remembers(k) || !k->c->law->law->memory[0].directed)
        return;
    k->w = k->growth = 0.0;
    memset(k->e->W, 0, k->e->columns * sizeof *k->e->W);
}

/* The zero of `over` between two instants with different signs. */
static double find_zero(walk *k, int side, double a, double fa, double b, double fb) {
    for (int i = 0; i < 100 && b - a > 4e-16 * two_pi; i++) {
        double x = i % 3 == 2 ? 0.5 * (a + b) : a + (b - a) * fa / (fa - fb);
        if (!(x > a && x < b))
            x = 0.5 * (a + b);
        double f = over(k, x, side);
        if (f == 0.0)
            return x;
        if ((f < 0.0) == (fa < 0.0))
            a = x, fa = f;
        else
            b = x, fb = f;
    }
    return 0.5 * (a + b);
}

/* The instants within a piece at which lambda + epsilon v meets a limit. Signals have no more than H waves: between
 * points a fraction of the shortest wave apart they bend no more than once, and what bends towards zero is looked at. */
static am_status find_limits(walk *k, double from, double to, double **found, size_t *count, size_t *capacity,
                             am_error *err) {
    size_t steps = 4 + (size_t)(6.0 * (double)k->e->H * (to - from));
    for (int side = -1; side <= 1; side += 2) {
        double width = (to - from) / (double)steps, before = 0.0, last = over(k, from, side), last_at = from;
        for (size_t i = 1; i <= steps; i++) {
            double at = i == steps ? to : from + width * (double)i, value = over(k, at, side);
            AM_TRY(am_memory_reserve(found, capacity, *count + 2, err));
            if ((value < 0.0) != (last < 0.0)) {
                (*found)[(*count)++] = find_zero(k, side, last_at, last, at, value);
            } else if (i > 1 && fabs(last) <= fabs(value) && fabs(last) <= fabs(before)) {
                double bend = value - 2.0 * last + before, tip = last_at - 0.5 * width * (value - before) / bend;
                double there = tip > last_at - width && tip < at ? over(k, tip, side) : last;
                if ((there < 0.0) != (last < 0.0)) {
                    (*found)[(*count)++] = find_zero(k, side, last_at - width, before, tip, there);
                    (*found)[(*count)++] = find_zero(k, side, tip, there, at, value);
                }
            }
            before = last;
            last = value;
            last_at = at;
        }
    }
    sort(*found, *count);
    return AM_OK;
}

static am_status go_through(walk *k, am_error *err) {
    size_t panels = 1 + (size_t)(0.5 * (double)k->e->H * (k->to - k->from));
    for (size_t i = 0; i < panels; i++)
        AM_TRY(go_along(k, (double)i / (double)panels, (double)(i + 1) / (double)panels, err));
    return AM_OK;
}

static am_status go_through_rigid(walk *k, double from, double to, am_error *err) {
    double *found = NULL, start = from;
    size_t count = 0, capacity = 0;
    am_status status = k->closed ? find_limits(k, from, to, &found, &count, &capacity, err) : AM_OK;
    for (size_t i = 0; i <= count && !status; i++) {
        double end = i < count ? found[i] : to, middle = 0.5 * (start + end);
        if (!(end - start > 1e-15))
            continue;
        k->from = start;
        k->to = end;
        k->mode = mode_at(k, middle);
        status = go_through(k, err);
        start = end;
    }
    am_memory_free(found);
    return status;
}

/* The sizes in the middle of a piece: at its ends forces may be small. */
static void measure_middle(walk *k) {
    double middle = 0.5 * (k->from + k->to);
    if (k->c->rigid && k->closed)
        k->mode = mode_at(k, middle);
    point p = point_at(k, middle);
    act(k, &p);
    k->largest_f = fmax(k->largest_f, fabs(p.f));
    k->largest_N = fmax(k->largest_N, fabs(p.N));
}

/* Once around, from what is remembered at theta = 0. */
static am_status go_round(walk *k, double w, am_error *err) {
    am_element *e = k->e;
    if (k->c->trace)
        k->c->trace->count = 0;
    k->w = w;
    k->growth = 1.0;
    k->mean = k->growth_sum = 0.0;
    k->largest_f = k->largest_N = 0.0;
    memset(e->f, 0, e->S * sizeof *e->f);
    memset(e->N, 0, e->S * sizeof *e->N);
    memset(e->by_memory, 0, e->S * sizeof *e->by_memory);
    memset(e->W, 0, e->columns * sizeof *e->W);
    memset(e->W_sum, 0, e->columns * sizeof *e->W_sum);
    memset(e->f_all, 0, e->S * e->used * sizeof *e->f_all);
    memset(e->N_all, 0, e->S * (e->S + 1) * sizeof *e->N_all);
    for (size_t i = 0; i + 1 < e->switches; i++) {
        double from = e->theta[i], to = e->theta[i + 1];
        if (!(to - from > 1e-15))
            continue;
        walk ended = *k;
        enter_piece(k, from, to);
        if (i > 0 && ended.closed && !k->closed)
            add_jump(&ended, from, false);
        if (i > 0 && !ended.closed && k->closed)
            add_jump(k, from, true);
        if (!k->closed)
            open_contact(k);
        measure_middle(k);
        AM_TRY(k->c->rigid ? go_through_rigid(k, from, to, err) : go_through(k, err));
    }
    return AM_OK;
}

/* ---- the period ---- */

/* w at theta = 0 that comes back: Newton's method on a map that only shrinks. Where it neither grows nor shrinks
 * (nothing slips), the w whose mean vanishes, as for springs whose sliders stick. */
static am_status make_periodic(walk *k, bool *neutral, am_error *err) {
    bool derive = k->derive;
    double w = *k->c->memory;
    k->derive = false;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        AM_TRY(go_round(k, w, err));
        double miss = k->w - w, gain = 1.0 - k->growth;
        *neutral = fabs(gain) < 1e-9;
        if (*neutral && fabs(miss) <= 1e-9 * (k->largest_w + 1e-300)) {
            w -= k->growth_sum != 0.0 ? k->mean / k->growth_sum : 0.0;
            *k->c->memory = w;
            k->derive = derive;
            return AM_OK;
        }
        if (fabs(miss) <= 2e-14 * k->largest_w) {
            *k->c->memory = w;
            k->derive = derive;
            return AM_OK;
        }
        if (*neutral) /* it grows for ever: an age at rest */
            break;
        double step = miss / gain;
        w = isfinite(step) && fabs(step) <= 4.0 * k->largest_w + fabs(miss) ? w + step : k->w;
    }
    return am_fail(err, AM_ERR_LIMIT, "what a law of friction remembers does not become periodic along this motion");
}

/* dw(0) follows from dw after one period; all else moves with it. */
static void add_memory(walk *k, bool neutral) {
    am_element *e = k->e;
    for (size_t l = 0; l < e->used; l++) {
        double start =
            neutral ? (k->growth_sum != 0.0 ? -e->W_sum[l] / k->growth_sum : 0.0) : e->W[l] / (1.0 - k->growth);
        for (size_t i = 0; i < e->S; i++)
            e->f_all[i * e->used + l] += e->by_memory[i] * start;
    }
}

static void unpack_forces(am_element *e, const am_element_contact *c, am_element_forces *forces) {
    size_t S = e->S;
    for (size_t i = 0; i < S; i++) {
        const double *row = e->f_all + i * e->used;
        memcpy(e->f_x + i * S, row, S * sizeof *row);
        e->f_omega[i] = row[S];
        if (c->normal != AM_NORMAL_HELD)
            memcpy(e->f_y + i * S, row + S + 1, S * sizeof *row);
        if (c->rigid)
            memcpy(e->f_lambda + i * S, row + e->used - S, S * sizeof *row);
        memcpy(e->N_y + i * S, e->N_all + i * (S + 1), S * sizeof *row);
        e->N_omega[i] = e->N_all[i * (S + 1) + S];
    }
    *forces = (am_element_forces){.N = e->N,
                                  .f = e->f,
                                  .N_y = e->N_y,
                                  .N_omega = e->N_omega,
                                  .f_x = e->f_x,
                                  .f_y = e->f_y,
                                  .f_lambda = e->f_lambda,
                                  .f_omega = e->f_omega};
}

am_status am_element_follow(am_element *e, am_cell *cell, const am_element_contact *c, bool derive,
                            am_element_forces *forces, am_error *err) {
    walk k = {.e = e, .c = c, .derive = derive};
    bool neutral = false;
    e->used = e->S + 1 + (c->normal != AM_NORMAL_HELD ? e->S : 0) + (c->rigid ? e->S : 0);
    AM_TRY(am_element_find_switches(e, cell, c, err));
    if (remembers(&k))
        AM_TRY(make_periodic(&k, &neutral, err));
    AM_TRY(go_round(&k, remembers(&k) ? *c->memory : 0.0, err));
    if (derive && remembers(&k))
        add_memory(&k, neutral);
    unpack_forces(e, c, forces);
    return AM_OK;
}
