/* The equations of harmonic balance and their exact derivatives.
 *
 *     Z_h(omega) u_h - load_h + (forces of springs and contacts)_h = 0          for every harmonic that is kept
 *     lambda - clip(lambda + epsilon v) = 0                                     for every rigid friction contact
 *     u . (d u_reference / d theta) = 0                                         self-excited: the phase
 *
 * With u = a cos + b sin the harmonic h of a signal is a - i b, so that Z u has the coefficients
 * (Re Z a + Im Z b, Re Z b - Im Z a). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/dense.h"
#include "math/pi.h"
#include "math/trigonometric.h"

/* Where the equations are being written to. */
typedef struct sheet {
    am_balance *b;
    const double *x;
    double omega;
    double *F, *J, *rate; /* rate: derivative with respect to omega; J and rate may be NULL */
    bool blocks;          /* J is no array: blocks of it go into b->jacobian, the linear part stays in b->Z */
    bool without_held;    /* friction of held contacts left out */
} sheet;

static void along(const am_balance *b, const double *x, const am_balance_row *row, double *s) {
    memset(s, 0, b->S * sizeof *s);
    for (size_t j = 0; j < row->count; j++) {
        const double *from = x + row->index[j] * b->kept;
        for (size_t k = 0; k < b->kept; k++)
            s[b->coefficient[k]] += row->value[j] * from[k];
    }
}

/* ---- the linear structure ---- */

/* Row i of Z u for a harmonic, from u = a - i b: real parts, minus imaginary ones. */
static void add_product(const sheet *s, const double complex *Z, size_t h, size_t at, size_t i, double *into) {
    const am_balance *b = s->b;
    const double *u = s->x + at;
    double first = 0.0, second = 0.0;
    for (size_t j = 0; j < b->r; j++, u += b->kept) {
        double re = creal(Z[j]), im = cimag(Z[j]);
        first += re * u[0] + (h > 0 ? im * u[1] : 0.0);
        second += h > 0 ? re * u[1] - im * u[0] : 0.0;
    }
    into[i * b->kept + at] += first;
    if (h > 0)
        into[i * b->kept + at + 1] += second;
}

static void add_block(const sheet *s, const double complex *Z, size_t h, size_t at, size_t i) {
    const am_balance *b = s->b;
    double *first = s->J + (i * b->kept + at) * b->size + at, *second = first + b->size;
    for (size_t j = 0; j < b->r; j++, first += b->kept, second += b->kept) {
        double re = creal(Z[j]), im = cimag(Z[j]);
        if (re == 0.0 && im == 0.0)
            continue;
        first[0] += re;
        if (h == 0)
            continue;
        first[1] += im;
        second[0] -= im;
        second[1] += re;
    }
}

static void subtract_load(const sheet *s, size_t i, size_t h, size_t at) {
    const am_balance *b = s->b;
    size_t row = i * b->kept + at;
    double complex load = b->load[h * b->r + i], rate = b->dload[h * b->r + i];
    s->F[row] -= creal(load);
    if (h > 0)
        s->F[row + 1] += cimag(load);
    if (s->rate) {
        s->rate[row] -= creal(rate);
        if (h > 0)
            s->rate[row + 1] += cimag(rate);
    }
}

/* What dZ of the chart lacks. */
static void add_near_slope(const sheet *s, size_t h, size_t at) {
    am_balance *b = s->b;
    double complex *u = b->coupling, *product = u + b->r;
    for (size_t j = 0; j < b->r; j++)
        u[j] = s->x[j * b->kept + at] - (h > 0 ? I * s->x[j * b->kept + at + 1] : 0.0);
    if (!am_balance_near_slope(b, (double)h * s->omega, u, product))
        return; /* am_balance_linear has met it before */
    for (size_t i = 0; i < b->r; i++) {
        s->rate[i * b->kept + at] += (double)h * creal(product[i]);
        s->rate[i * b->kept + at + 1] -= (double)h * cimag(product[i]);
    }
}

static void add_linear(const sheet *s) {
    const am_balance *b = s->b;
    for (size_t at = 0; at < b->kept;) {
        size_t h = (b->coefficient[at] + 1) / 2;
        for (size_t i = 0; i < b->r; i++) {
            const double complex *Z = b->Z + (h * b->r + i) * b->r;
            add_product(s, Z, h, at, i, s->F);
            if (s->rate && h > 0) /* Z_0 does not depend on omega */
                add_product(s, b->dZ + (h * b->r + i) * b->r, h, at, i, s->rate);
            if (s->J && !s->blocks)
                add_block(s, Z, h, at, i);
            subtract_load(s, i, h, at);
        }
        if (s->rate && h > 0 && b->charted)
            add_near_slope(s, h, at);
        at += h == 0 ? 1 : 2;
    }
}

/* ---- adding what an element does ---- */

/* F += direction f */
static void add_force(const sheet *s, const am_balance_row *row, double factor, const double *f, double *into) {
    const am_balance *b = s->b;
    for (size_t i = 0; i < row->count; i++)
        for (size_t k = 0; k < b->kept; k++)
            into[row->index[i] * b->kept + k] += factor * row->value[i] * f[b->coefficient[k]];
}

/* The entries of J between two coordinates, rows `stride` apart. */
static double *block_of(const sheet *s, size_t row, size_t column, size_t *stride) {
    const am_balance *b = s->b;
    *stride = s->blocks ? b->kept : b->size;
    return s->blocks ? am_balance_block(b, row, column) : s->J + row * b->kept * b->size + column * b->kept;
}

/* J += factor D between two directions. */
static void add_stiffness(const sheet *s, const am_balance_row *rows, const am_balance_row *columns, double factor,
                          const double *D) {
    const am_balance *b = s->b;
    for (size_t i = 0; i < rows->count; i++)
        for (size_t j = 0; j < columns->count; j++) {
            double weight = factor * rows->value[i] * columns->value[j];
            size_t stride;
            double *to = block_of(s, rows->index[i], columns->index[j], &stride);
            for (size_t k = 0; k < b->kept; k++, to += stride)
                for (size_t l = 0; l < b->kept; l++)
                    to[l] += weight * D[b->coefficient[k] * b->S + b->coefficient[l]];
        }
}

/* out += rate A (d/dtheta): A is a derivative with respect to the signal of a rate, out one with respect to the signal. */
static void add_with_rate(const am_balance *b, const double *A, double rate, double *out) {
    size_t S = b->S;
    for (size_t k = 0; k < S; k++)
        for (size_t h = 1; h <= b->H; h++) {
            out[k * S + 2 * h - 1] -= rate * (double)h * A[k * S + 2 * h];
            out[k * S + 2 * h] += rate * (double)h * A[k * S + 2 * h - 1];
        }
}

/* out = a A + rate A (d/dtheta) */
static void with_rate(const am_balance *b, const double *A, double a, double rate, double *out) {
    for (size_t i = 0; i < b->S * b->S; i++)
        out[i] = a * A[i];
    add_with_rate(b, A, rate, out);
}

/* into += factor D slope along a direction: what the frequency does to a force that depends on a rate. */
static void add_rate(const sheet *s, const am_balance_row *row, double factor, const double *D, const double *slope) {
    am_balance *b = s->b;
    if (!s->rate)
        return;
    am_dense_apply(D, b->S, b->S, slope, b->force);
    add_force(s, row, factor, b->force, s->rate);
}

/* ---- polynomial springs ---- */

/* b->signal: the displacement along the spring, its velocity, and the displacement's d/dtheta. */
static void spring_signals(const sheet *s, const am_balance_spring *spring) {
    am_balance *b = s->b;
    double *x = b->signal, *y = x + b->S, *slope = y + b->S;
    along(b, s->x, &spring->direction, x);
    am_trig_derivative(b->H, x, slope);
    for (size_t k = 0; k < b->S; k++)
        y[k] = s->omega * slope[k];
}

static am_status add_spring(const sheet *s, const am_balance_spring *spring, am_error *err) {
    am_balance *b = s->b;
    bool derive = s->J || s->rate;
    spring_signals(s, spring);
    AM_TRY(am_cell_polynomial(b->cell, spring->terms, spring->term, b->signal, b->signal + b->S, b->force,
                              derive ? b->d1 : NULL, derive ? b->d2 : NULL, err));
    add_force(s, &spring->direction, 1.0, b->force, s->F);
    add_rate(s, &spring->direction, 1.0, b->d2, b->signal + 2 * b->S);
    if (s->J) {
        add_with_rate(b, b->d2, s->omega, b->d1);
        add_stiffness(s, &spring->direction, &spring->direction, 1.0, b->d1);
    }
    return AM_OK;
}

/* Fp of a spring whose coefficients move: the force is linear in them. */
static am_status add_spring_slope(const sheet *s, const am_balance_spring *spring, double *Fp, am_error *err) {
    am_balance *b = s->b;
    spring_signals(s, spring);
    size_t first = 0, last = spring->terms; /* terms that move */
    while (first < last && spring->slope_term[first].coefficient == 0.0)
        first++;
    while (first < last && spring->slope_term[last - 1].coefficient == 0.0)
        last--;
    AM_TRY(am_cell_polynomial(b->cell, last - first, spring->slope_term + first, b->signal, b->signal + b->S, b->force,
                              NULL, NULL, err));
    add_force(s, &spring->direction, 1.0, b->force, Fp);
    return AM_OK;
}

/* ---- stiffness that varies ---- */

static am_status add_varying(const sheet *s, const am_balance_varying *varying, am_error *err) {
    am_balance *b = s->b;
    along(b, s->x, &varying->direction, b->signal);
    AM_TRY(am_cell_product(b->cell, b->numbers + varying->first, b->signal, b->force, s->J ? b->d1 : NULL, err));
    add_force(s, &varying->direction, 1.0, b->force, s->F);
    if (s->J)
        add_stiffness(s, &varying->direction, &varying->direction, 1.0, b->d1);
    return AM_OK;
}

/* ---- contacts ---- */

/* n.q + gap of a contact, which may move in time. */
static void gap_along(const sheet *s, const am_balance_joint *joint, const double *numbers, double *gap) {
    along(s->b, s->x, &joint->normal, gap);
    for (size_t i = 0; i < s->b->S; i++)
        gap[i] += am_balance_gap(s->b, numbers)[i];
}

/* The normal force of a compliant contact and its derivatives: with d = -(n.q + gap) and w = k d + c d', N = w where
 * both are positive. Leaves d/dtheta of n.q + gap in `slope`, w in `w`, dN/dw in d3 and dN/dd in d4, and the closed
 * intervals. */
static am_status press(const sheet *s, const am_balance_joint *joint, const double *numbers, double *w, double *slope,
                       size_t *pieces, bool *always, am_error *err) {
    am_balance *b = s->b;
    double *d = b->signal + 4 * b->S, k = numbers[STIFFNESS], c = numbers[DAMPING];
    gap_along(s, joint, numbers, d);
    am_trig_derivative(b->H, d, slope);
    for (size_t i = 0; i < b->S; i++) {
        d[i] = -d[i];
        w[i] = k * d[i] - c * s->omega * slope[i];
    }
    return am_cell_layer(b->cell, d, w, b->force, b->d4, b->d3, b->starts, b->ends, pieces, always, err);
}

static am_status add_normal(const sheet *s, const am_balance_joint *joint, const double *numbers, double *w,
                            am_cell_limit *limit, am_error *err) {
    am_balance *b = s->b;
    double *slope = b->signal + 5 * b->S, k = numbers[STIFFNESS], c = numbers[DAMPING];
    size_t pieces = 0;
    bool always = false;
    AM_TRY(press(s, joint, numbers, w, slope, &pieces, &always, err));
    add_force(s, &joint->normal, -1.0, b->force, s->F);
    if (s->J) {
        with_rate(b, b->d3, k, c * s->omega, b->d1);
        add_stiffness(s, &joint->normal, &joint->normal, 1.0, b->d1);
        add_stiffness(s, &joint->normal, &joint->normal, 1.0, b->d4);
    }
    add_rate(s, &joint->normal, c, b->d3, slope);
    *limit = (am_cell_limit){.signal = w, .intervals = pieces, .starts = always ? NULL : b->starts, .ends = b->ends};
    return AM_OK;
}

static double limit_at(const am_balance *b, const am_cell_limit *limit, double theta) {
    bool closed = limit->starts == NULL;
    for (size_t i = 0; i < limit->intervals && limit->starts; i++)
        closed = closed || (theta >= limit->starts[i] && theta <= limit->ends[i]) || theta + 2.0 * pi <= limit->ends[i];
    return closed ? fmax(0.0, am_trig_value(b->H, limit->signal, theta)) : 0.0;
}

/* mu N of a held contact. */
static void held_limit(const am_balance *b, const double *numbers, double *limit) {
    for (size_t k = 0; k < b->S; k++)
        limit[k] = numbers[FRICTION] * am_balance_hold(numbers)[k];
}

/* How far the surface of a contact has gone from its mean place, from its velocity V: integral of V/omega. */
static void surface_place(const am_balance *b, const double *V, double omega, double *place) {
    place[0] = 0.0;
    for (size_t h = 1; h <= b->H; h++) {
        place[2 * h - 1] = -V[2 * h] / ((double)h * omega);
        place[2 * h] = V[2 * h - 1] / ((double)h * omega);
    }
}

/* What the law of friction cuts off at the limit: the force of the spring, k (t.q - s) with the place s of the surface,
 * mu N v / v0 (N is constant), or lambda + epsilon v. Returns the factor of t.q - s or of the sliding velocity v;
 * `slope` is what the frequency does to that, s/omega or d(t.q)/dtheta. */
static double argument(const sheet *s, const am_balance_joint *joint, const double *numbers, const double *limit,
                       double *w, double *slope) {
    am_balance *b = s->b;
    const double *V = am_balance_surface(b, numbers);
    along(b, s->x, &joint->tangent, w);
    if (joint->friction == AM_FRICTION_JENKINS) {
        surface_place(b, V, s->omega, slope);
        for (size_t k = 0; k < b->S; k++) {
            w[k] = numbers[SPRING] * (w[k] - slope[k]);
            slope[k] /= s->omega;
        }
        w[0] -= numbers[SPRING] * joint->relaxed[0];
        return numbers[SPRING];
    }
    double factor = joint->friction == AM_FRICTION_REGULARISED ? limit[0] / numbers[REGULARISED] : joint->epsilon;
    am_trig_derivative(b->H, w, slope);
    for (size_t k = 0; k < b->S; k++)
        w[k] = factor * (s->omega * slope[k] - V[k]);
    for (size_t k = 0; k < b->kept && joint->friction == AM_FRICTION_RIGID; k++)
        w[b->coefficient[k]] += s->x[joint->multiplier.index[0] * b->kept + k];
    return factor;
}

/* The law itself, into b->force. */
static am_status cut_off(am_balance *b, const am_balance_joint *joint, const double *w, const am_cell_limit *limit,
                         double *d_w, double *d_limit, am_error *err) {
    return joint->friction == AM_FRICTION_JENKINS
               ? am_cell_jenkins(b->cell, w, limit, b->force, d_w, d_limit, NULL, err)
               : am_cell_clip(b->cell, w, limit, b->force, d_w, d_limit, NULL, err);
}

am_status am_balance_stretch(am_balance *b, const double *x, double p, size_t contact, double *stretch, am_error *err) {
    const am_balance_joint *joint = &b->joint[contact];
    const double *numbers = am_balance_contact_numbers(b, contact);
    sheet s = {.b = b, .x = x, .omega = am_balance_omega(b, x, p)};
    double *w = b->signal, *signal = b->signal + 3 * b->S, *slope = b->signal + 5 * b->S;
    am_cell_limit limit = {.signal = signal, .recalls = b->recalls};
    *stretch = 0.0;
    if (joint->compliant) {
        bool always = false;
        AM_TRY(press(&s, joint, numbers, signal, slope, &limit.intervals, &always, err));
        limit.starts = always ? NULL : b->starts;
        limit.ends = b->ends;
        for (size_t k = 0; k < b->S; k++)
            signal[k] *= numbers[FRICTION];
    } else {
        held_limit(b, numbers, signal);
    }
    argument(&s, joint, numbers, signal, w, slope);
    AM_TRY(cut_off(b, joint, w, &limit, NULL, NULL, err));
    double most = limit_at(b, &limit, 0.0); /* the projected force may overshoot it a little */
    *stretch = fmax(-most, fmin(most, am_trig_value(b->H, b->force, 0.0))) / numbers[SPRING];
    return AM_OK;
}

/* Where the force of friction stands in the equations, with which sign: along the tangent, or, rigid, in lambda - clip =
 * 0. */
static const am_balance_row *rows_of(const am_balance_joint *joint, double *sign) {
    bool rigid = joint->friction == AM_FRICTION_RIGID;
    *sign = rigid ? -1.0 : 1.0;
    return rigid ? &joint->multiplier : &joint->tangent;
}

/* The limit of a compliant contact moves with w = -k n.q - c d(n.q)/dt: d3 is the derivative of the friction force by
 * its limit. */
static void add_limit_derivatives(const sheet *s, const am_balance_joint *joint, const double *numbers) {
    am_balance *b = s->b;
    double sign, mu = numbers[FRICTION];
    const am_balance_row *rows = rows_of(joint, &sign);
    add_rate(s, rows, -sign * mu * numbers[DAMPING], b->d3, b->signal + 5 * b->S); /* of n.q, left by add_normal */
    if (!s->J)
        return;
    with_rate(b, b->d3, mu * numbers[STIFFNESS], mu * numbers[DAMPING] * s->omega, b->d2);
    add_stiffness(s, rows, &joint->normal, -sign, b->d2);
}

/* J += identity between two directions. */
static void add_identity(const sheet *s, const am_balance_row *rows, const am_balance_row *columns) {
    const am_balance *b = s->b;
    for (size_t i = 0; i < rows->count; i++)
        for (size_t j = 0; j < columns->count; j++) {
            size_t stride;
            double *to = block_of(s, rows->index[i], columns->index[j], &stride);
            for (size_t k = 0; k < b->kept; k++)
                to[k * stride + k] += rows->value[i] * columns->value[j];
        }
}

/* Where a damped layer closes, its force and with it the friction jumps from zero to f; that instant moves with
 * n.q: d theta = d(n.q)/d', d = -(n.q + gap), and takes f d theta out of the projections. */
static void add_closings(const sheet *s, const am_balance_joint *joint, const am_cell_limit *limit, const double *w) {
    am_balance *b = s->b;
    const double *slope = b->signal + 5 * b->S;
    double *c = b->d1, *e = b->d1 + b->S; /* d1 has been used */
    for (size_t i = 0; i < limit->intervals && limit->starts; i++) {
        double at = limit->starts[i], most = am_trig_value(b->H, limit->signal, at);
        double f = fmax(-most, fmin(most, am_trig_value(b->H, w, at))), speed = -am_trig_value(b->H, slope, at);
        if (!(most > 0.0) || !(speed > 0.0))
            continue;
        am_trig_basis(b->H, at, c, b->d1 + 2 * b->S);
        e[0] = 1.0;
        for (size_t h = 1; h <= b->H; h++) {
            e[2 * h - 1] = c[h];
            e[2 * h] = b->d1[2 * b->S + h];
        }
        for (size_t k = 0; k < b->S; k++)
            for (size_t l = 0; l < b->S; l++)
                b->d2[k * b->S + l] = (k == 0 ? 0.5 : 1.0) / pi * f / speed * e[k] * e[l];
        add_stiffness(s, &joint->multiplier, &joint->normal, 1.0, b->d2);
    }
}

/* The multipliers act along the tangent; their own equation has lambda beside the clip, whose derivative by lambda is
 * `clip`. */
static void add_multipliers(const sheet *s, const am_balance_joint *joint, double *lambda, const double *clip) {
    along(s->b, s->x, &joint->multiplier, lambda);
    add_force(s, &joint->tangent, 1.0, lambda, s->F);
    add_force(s, &joint->multiplier, 1.0, lambda, s->F);
    if (!s->J)
        return;
    add_identity(s, &joint->tangent, &joint->multiplier);
    add_identity(s, &joint->multiplier, &joint->multiplier);
    add_stiffness(s, &joint->multiplier, &joint->multiplier, -1.0, clip);
}

static am_status add_friction(const sheet *s, const am_balance_joint *joint, const double *numbers,
                              const am_cell_limit *given, am_error *err) {
    am_balance *b = s->b;
    double sign, *w = b->signal, *slope = w + b->S;
    const am_balance_row *rows = rows_of(joint, &sign);
    bool jenkins = joint->friction == AM_FRICTION_JENKINS, rigid = joint->friction == AM_FRICTION_RIGID;
    bool moves = (s->J || s->rate) && joint->compliant; /* the limit moves with the motion */
    am_cell_limit limit = *given;
    limit.recalls = b->recalls;
    if (jenkins && moves && numbers[DAMPING] > 0.0) {
        limit.depth = b->signal + 4 * b->S; /* left there by add_normal */
        limit.d_depth = b->d4;
    }
    double factor = argument(s, joint, numbers, limit.signal, w, slope);
    bool slides = !jenkins || joint->drawn; /* the frequency moves the argument */
    bool derive = s->J || (s->rate && slides);
    AM_TRY(cut_off(b, joint, w, &limit, derive ? b->d1 : NULL, moves ? b->d3 : NULL, err));
    add_force(s, rows, sign, b->force, s->F);
    if (slides)
        add_rate(s, rows, sign * factor, b->d1, slope);
    if (rigid)
        add_multipliers(s, joint, w + 2 * b->S, b->d1);
    if (s->J && jenkins)
        add_stiffness(s, rows, &joint->tangent, numbers[SPRING], b->d1);
    if (s->J && !jenkins) {
        with_rate(b, b->d1, 0.0, factor * s->omega, b->d2);
        add_stiffness(s, rows, &joint->tangent, sign, b->d2);
    }
    if (moves)
        add_limit_derivatives(s, joint, numbers);
    if (s->J && limit.depth) /* the instant at which a damped layer closes moves with its penetration */
        add_stiffness(s, rows, &joint->normal, -1.0, b->d4);
    if (s->J && rigid && joint->compliant)
        add_closings(s, joint, &limit, w);
    return AM_OK;
}

/* A joint along the present motion, as its law says. Uses signals 0 to 2. */
static am_element_contact element_of(const sheet *s, size_t contact) {
    am_balance *b = s->b;
    am_balance_joint *joint = &b->joint[contact];
    const double *numbers = am_balance_contact_numbers(b, contact);
    double *x = b->signal, *y = x + b->S, *lambda = y + b->S;
    const am_element_contact element = {.normal = !joint->compliant ? AM_NORMAL_HELD
                                                  : joint->power    ? AM_NORMAL_POWER
                                                                    : AM_NORMAL_LAYER,
                                        .stiffness = numbers[STIFFNESS],
                                        .damping = numbers[DAMPING],
                                        .exponent = numbers[EXPONENT],
                                        .dissipation = numbers[DISSIPATION],
                                        .rubs = joint->friction != AM_FRICTIONLESS,
                                        .rigid = joint->friction == AM_FRICTION_RIGID,
                                        .friction = numbers[FRICTION],
                                        .static_friction = fmax(numbers[STATIC], numbers[FRICTION]),
                                        .spring = numbers[SPRING],
                                        .second = joint->plane ? lambda : NULL,
                                        .law = joint->law,
                                        .surface = am_balance_surface(b, numbers),
                                        .epsilon = joint->epsilon,
                                        .omega = s->omega,
                                        .x = x,
                                        .y = y,
                                        .lambda = lambda,
                                        .hold = am_balance_hold(numbers),
                                        .memory = joint->remembered,
                                        .relaxed = b->recalls ? joint->relaxed : NULL};
    along(b, s->x, &joint->tangent, x);
    gap_along(s, joint, numbers, y);
    if (element.rigid || joint->plane)
        along(b, s->x, joint->plane ? &joint->second : &joint->multiplier, lambda);
    return element;
}

static am_status follow_joint(const sheet *s, size_t contact, bool derive, am_element_forces *forces,
                              am_slider_forces *sliders, am_error *err) {
    am_balance *b = s->b;
    const am_element_contact element = element_of(s, contact);
    if (b->joint[contact].friction == AM_FRICTION_SLIDER)
        return am_slider_follow(b->slider, b->cell, &element, derive, sliders, err);
    return am_element_follow(b->element, b->cell, &element, derive, forces, err);
}

/* Every contact can be followed as an element or a slider, those too that have closed forms in the equations: a Jenkins
 * element is a slider, and regularised friction a rigid one without multipliers, mu N/v0 being the impedance. */
am_status am_balance_trace(am_balance *b, const double *x, double p, size_t contact, am_contact_trace *trace,
                           am_error *err) {
    const am_balance_joint *joint = &b->joint[contact];
    bool slider = joint->friction == AM_FRICTION_SLIDER || joint->friction == AM_FRICTION_JENKINS;
    am_element_forces forces;
    am_slider_forces sliders;
    AM_TRY(am_balance_set(b, p, err));
    const sheet s = {.b = b, .x = x, .omega = am_balance_omega(b, x, p)};
    if (slider && !b->slider)
        b->slider = am_slider_create(b->H, err);
    if (!slider && !b->element)
        b->element = am_element_create(b->H, err);
    if (slider ? !b->slider : !b->element)
        return AM_ERR_MEMORY;
    am_element_contact element = element_of(&s, contact);
    if (joint->friction == AM_FRICTION_REGULARISED) {
        const double *numbers = am_balance_contact_numbers(b, contact);
        element.rigid = true;
        element.epsilon = numbers[FRICTION] * element.hold[0] / numbers[REGULARISED];
        memset(b->signal + 2 * b->S, 0, b->S * sizeof *b->signal);
    }
    element.trace = trace;
    am_status status = slider ? am_slider_follow(b->slider, b->cell, &element, false, &sliders, err)
                              : am_element_follow(b->element, b->cell, &element, false, &forces, err);
    if (!status && trace->status)
        return am_fail(err, trace->status, "out of memory while a contact is followed");
    if (!status)
        am_contact_trace_sort(trace);
    return status;
}

am_status am_balance_remembered(am_balance *b, const double *x, double p, size_t contact, double *value,
                                am_error *err) {
    const sheet s = {.b = b, .x = x, .omega = am_balance_omega(b, x, p)};
    am_element_forces forces;
    am_slider_forces sliders;
    AM_TRY(follow_joint(&s, contact, false, &forces, &sliders, err));
    memcpy(value, b->joint[contact].remembered, (1 + b->joint[contact].plane) * sizeof *value);
    return AM_OK;
}

static void add_pressure(const sheet *s, const am_balance_joint *joint, const double *N, const double *N_y,
                         const double *N_omega) {
    add_force(s, &joint->normal, -1.0, N, s->F);
    if (s->J)
        add_stiffness(s, &joint->normal, &joint->normal, -1.0, N_y);
    if (s->rate)
        add_force(s, &joint->normal, -1.0, N_omega, s->rate);
}

static void add_slider(const sheet *s, const am_balance_joint *joint, const am_slider_forces *forces) {
    const am_balance_row *const tangent[2] = {&joint->tangent, &joint->second};
    if (joint->compliant)
        add_pressure(s, joint, forces->N, forces->N_y, forces->N_omega);
    for (size_t i = 0; i < 1u + joint->plane; i++) {
        add_force(s, tangent[i], 1.0, forces->f[i], s->F);
        if (s->rate)
            add_force(s, tangent[i], 1.0, forces->f_omega[i], s->rate);
        for (size_t j = 0; s->J && j < 1u + joint->plane; j++)
            add_stiffness(s, tangent[i], tangent[j], 1.0, forces->f_x[i][j]);
        if (s->J && joint->compliant)
            add_stiffness(s, tangent[i], &joint->normal, 1.0, forces->f_y[i]);
    }
}

static am_status add_general(const sheet *s, size_t contact, am_error *err) {
    am_balance *b = s->b;
    const am_balance_joint *joint = &b->joint[contact];
    am_element_forces forces;
    am_slider_forces sliders;
    double sign;
    const am_balance_row *rows = rows_of(joint, &sign);
    AM_TRY(follow_joint(s, contact, s->J || s->rate, &forces, &sliders, err));
    if (joint->friction == AM_FRICTION_SLIDER) {
        add_slider(s, joint, &sliders);
        return AM_OK;
    }
    if (joint->compliant)
        add_pressure(s, joint, forces.N, forces.N_y, forces.N_omega);
    if (joint->friction == AM_FRICTIONLESS)
        return AM_OK;
    add_force(s, rows, sign, forces.f, s->F);
    if (s->rate)
        add_force(s, rows, sign, forces.f_omega, s->rate);
    if (s->J) {
        add_stiffness(s, rows, &joint->tangent, sign, forces.f_x);
        if (joint->compliant)
            add_stiffness(s, rows, &joint->normal, sign, forces.f_y);
    }
    if (joint->friction == AM_FRICTION_RIGID)
        add_multipliers(s, joint, b->signal, forces.f_lambda);
    return AM_OK;
}

static am_status add_joint(const sheet *s, size_t contact, am_error *err) {
    am_balance *b = s->b;
    const am_balance_joint *joint = &b->joint[contact];
    if (joint->general)
        return add_general(s, contact, err);
    const double *numbers = am_balance_contact_numbers(b, contact);
    double *signal = b->signal + 3 * b->S;
    am_cell_limit limit = {.signal = signal};
    if (joint->compliant) {
        AM_TRY(add_normal(s, joint, numbers, signal, &limit, err));
        for (size_t k = 0; k < b->S; k++)
            signal[k] *= numbers[FRICTION];
    } else {
        held_limit(b, numbers, signal);
    }
    return joint->friction == AM_FRICTIONLESS ? AM_OK : add_friction(s, joint, numbers, &limit, err);
}

/* ---- phase ---- */

/* Self-excited motions may be shifted in time: the one is taken that has not moved along the last one's orbit. */
static void add_phase(const sheet *s) {
    const am_balance *b = s->b;
    size_t row = b->size - 1;
    double sum = 0.0;
    for (size_t i = 0; i < b->r * b->kept; i++) {
        sum += b->phase[i] * s->x[i];
        if (s->J)
            s->J[row * b->size + i] = b->phase[i];
    }
    s->F[row] = sum;
}

/* ---- the whole ---- */

static am_status write_sheet(sheet *s, am_error *err) {
    am_balance *b = s->b;
    memset(s->F, 0, b->size * sizeof *s->F);
    if (s->J && !s->blocks)
        memset(s->J, 0, b->size * b->size * sizeof *s->J);
    if (s->rate)
        memset(s->rate, 0, b->size * sizeof *s->rate);
    bool done = false;
    if (!s->J || s->blocks)
        AM_TRY(am_balance_multiply(b, s->omega, s->x, s->F, s->rate, &done, err));
    if (!done) {
        AM_TRY(am_balance_linear(b, s->omega, s->rate != NULL, err));
        add_linear(s);
    }
    for (size_t i = 0; i < b->springs; i++)
        AM_TRY(add_spring(s, &b->spring[i], err));
    for (size_t v = 0; v < b->varyings; v++)
        AM_TRY(add_varying(s, &b->varying[v], err));
    for (size_t c = 0; c < b->contacts; c++)
        if (b->joint[c].compliant || b->joint[c].general || !s->without_held)
            AM_TRY(add_joint(s, c, err));
    if (b->self_excited)
        add_phase(s);
    am_balance_add_conditions(b, s->x, s->F, s->J);
    if (s->J)
        AM_TRY(am_balance_add_levers(b, s->omega, s->rate, s->J, err));
    if (s->J && s->rate && b->free_omega)
        for (size_t i = 0; i < b->size; i++)
            s->J[i * b->size + b->size - 1] += s->rate[i];
    return AM_OK;
}

static am_status refuse_frequency(double omega, am_error *err) {
    return am_fail(err, AM_ERR_LIMIT, "the frequency of the response went to %g", omega);
}

/* What a moving parameter does to the argument of a held contact's law: `change` are the derivatives of the contact's
 * numbers, omega that of the frequency, dlimit that of its limit. */
static void drift_of_argument(const sheet *s, const am_balance_joint *joint, const double *numbers,
                              const double *change, double omega, double factor, const double *dlimit, const double *w,
                              const double *slope, double *dw) {
    const am_balance *b = s->b;
    const double *V = am_balance_surface(b, numbers), *dV = am_balance_surface(b, change);
    double grows = 0.0;
    if (joint->friction == AM_FRICTION_JENKINS) {
        surface_place(b, dV, s->omega, dw);
        for (size_t k = 0; k < b->S; k++)
            dw[k] = change[SPRING] / factor * w[k] + factor * (omega * slope[k] - dw[k]);
        return;
    }
    if (joint->friction == AM_FRICTION_REGULARISED)
        grows = (dlimit[0] - factor * change[REGULARISED]) / numbers[REGULARISED];
    for (size_t k = 0; k < b->S; k++)
        dw[k] = grows * (s->omega * slope[k] - V[k]) + factor * (omega * slope[k] - dV[k]);
}

/* Fp of a held contact. Not by differences: the onset of slip is a kink, and a difference across it points nowhere. */
static am_status add_joint_slope(const sheet *s, size_t contact, const double *change, double omega, double *Fp,
                                 am_error *err) {
    am_balance *b = s->b;
    const am_balance_joint *joint = &b->joint[contact];
    const double *numbers = am_balance_contact_numbers(b, contact);
    if (joint->compliant || joint->general || joint->friction == AM_FRICTIONLESS)
        return AM_OK;
    double *w = b->signal, *slope = w + b->S, *dw = slope + b->S, *limit = dw + b->S, *dlimit = limit + b->S, sign;
    held_limit(b, numbers, limit);
    for (size_t k = 0; k < b->S; k++)
        dlimit[k] = change[FRICTION] * am_balance_hold(numbers)[k] + numbers[FRICTION] * am_balance_hold(change)[k];
    double factor = argument(s, joint, numbers, limit, w, slope);
    drift_of_argument(s, joint, numbers, change, omega, factor, dlimit, w, slope, dw);
    AM_TRY(cut_off(b, joint, w, &(am_cell_limit){.signal = limit}, b->d1, b->d2, err));
    am_dense_apply(b->d1, b->S, b->S, dw, b->force);
    am_dense_add(b->d2, b->S, b->S, dlimit, b->force);
    const am_balance_row *rows = rows_of(joint, &sign);
    add_force(s, rows, sign, b->force, Fp);
    return AM_OK;
}

/* F at another p without the friction of held contacts, for the derivative. */
static am_status plain(am_balance *b, const double *x, double p, double *F, am_error *err) {
    AM_TRY(am_balance_set(b, p, err));
    double omega = am_balance_omega(b, x, p);
    sheet s = {.b = b, .x = x, .omega = omega, .F = F, .without_held = true};
    return omega > 0.0 ? write_sheet(&s, err) : refuse_frequency(omega, err);
}

/* b->drift += scale times the frequency and the numbers of the contacts, as they are now. */
static void add_drift(am_balance *b, const double *x, double scale) {
    size_t count = b->contacts * b->stride;
    b->drift[0] += scale * am_balance_omega(b, x, b->p);
    for (size_t i = 0; i < count; i++)
        b->drift[1 + i] += scale * b->numbers[b->at_contact + i];
}

/* Differences in p: central, or from one side where the other leaves the physical range. The step's square is the error
 * of a central difference; it only slows Newton's method down and turns no solution. Friction of held contacts is
 * differentiated exactly. */
static am_status difference(am_balance *b, const double *x, double p, double *Fp, am_error *err) {
    double step = 1e-6 * (b->from != b->to ? fabs(b->to - b->from) : fmax(fabs(p), 1.0));
    am_error ignored = {0};
    memset(b->drift, 0, (1 + b->contacts * b->stride) * sizeof *b->drift);
    double above = step, below = -step;
    if (plain(b, x, p + above, Fp, &ignored))
        above = 0.0;
    if (above == 0.0 && plain(b, x, p, Fp, err))
        return err->status;
    add_drift(b, x, 1.0);
    if (plain(b, x, p + below, b->work, &ignored))
        below = 0.0;
    if (above == below)
        return am_fail(err, AM_ERR_LIMIT, "%s", ignored.message);
    if (below == 0.0 && plain(b, x, p, b->work, err))
        return err->status;
    add_drift(b, x, -1.0);
    for (size_t i = 0; i < b->size; i++)
        Fp[i] = (Fp[i] - b->work[i]) / (above - below);
    am_status status = am_balance_set(b, p, err);
    sheet s = {.b = b, .x = x, .omega = am_balance_omega(b, x, p)};
    for (size_t c = 0; c < b->contacts && !status; c++) {
        double *numbers = b->drift + 1 + c * b->stride;
        for (size_t i = 0; i < b->stride; i++)
            numbers[i] /= above - below;
        status = add_joint_slope(&s, c, numbers, b->drift[0] / (above - below), Fp, err);
    }
    return status;
}

/* Fp += Zp u - loadp. */
static void add_matrix_slope(const sheet *s, double *Fp) {
    const am_balance *b = s->b;
    size_t r = b->r;
    for (size_t at = 0; at < b->kept;) {
        size_t h = (b->coefficient[at] + 1) / 2;
        for (size_t i = 0; i < r; i++) {
            double complex sum = -b->loadp[h * r + i];
            for (size_t j = 0; j < r; j++) {
                const double *u = s->x + j * b->kept + at;
                sum += b->Zp[(h * r + i) * r + j] * (h == 0 ? u[0] : u[0] - I * u[1]);
            }
            Fp[i * b->kept + at] += creal(sum);
            if (h > 0)
                Fp[i * b->kept + at + 1] -= cimag(sum);
        }
        at += h == 0 ? 1 : 2;
    }
}

/* Where p moves only omega, coefficients of springs and matrices along straight lines the derivative is exact. */
static am_status exact_slope(sheet *s, double *Fp, am_error *err) {
    am_balance *b = s->b;
    double rate = 0.0;
    if (b->dependence.moving_count > 0 && b->dependence.moving[0] == 0 && !b->free_omega)
        rate = b->dependence.slope[0];
    for (size_t i = 0; i < b->size; i++)
        Fp[i] = rate != 0.0 ? rate * s->rate[i] : 0.0;
    if (b->matrix_slope)
        add_matrix_slope(s, Fp);
    for (size_t i = 0; i < b->springs; i++)
        if (b->spring[i].moving)
            AM_TRY(add_spring_slope(s, &b->spring[i], Fp, err));
    return AM_OK;
}

static am_status evaluate(sheet *s, double p, double *Fp, am_error *err) {
    am_balance *b = s->b;
    AM_TRY(am_balance_set(b, p, err));
    am_balance_steer(b, s->x);
    s->omega = am_balance_omega(b, s->x, p);
    if (!(s->omega > 0.0) || !isfinite(s->omega))
        return refuse_frequency(s->omega, err);
    bool exact = b->dependence.straight && !b->moves_other;
    if ((s->J && (b->free_omega || b->levers > 0)) || (Fp && exact))
        s->rate = b->rate;
    AM_TRY(write_sheet(s, err));
    if (!Fp)
        return AM_OK;
    return exact ? exact_slope(s, Fp, err) : difference(b, s->x, p, Fp, err);
}

am_status am_balance_evaluate(void *context, const double *x, double p, double *F, double *J, double *Fp,
                              am_error *err) {
    sheet s = {.b = context, .x = x, .F = F, .J = J};
    return evaluate(&s, p, Fp, err);
}

am_status am_balance_linearise(am_balance *b, const double *x, double p, double *F, double *Fp, am_error *err) {
    sheet s = {.b = b, .x = x, .F = F, .J = am_balance_blocks(b), .blocks = true};
    AM_TRY(evaluate(&s, p, Fp, err));
    return am_balance_linear(b, s.omega, false, err); /* differences may have left Z of another parameter */
}

/* ---- derivatives with respect to velocities, for Hill's method ---- */

static am_status velocity_of_spring(sheet *s, const am_balance_spring *spring, am_error *err) {
    am_balance *b = s->b;
    spring_signals(s, spring);
    AM_TRY(am_cell_polynomial(b->cell, spring->terms, spring->term, b->signal, b->signal + b->S, b->force, b->d1, b->d2,
                              err));
    add_stiffness(s, &spring->direction, &spring->direction, 1.0, b->d2);
    return AM_OK;
}

static am_status velocity_of_joint(sheet *s, size_t contact, am_error *err) {
    am_balance *b = s->b;
    const am_balance_joint *joint = &b->joint[contact];
    const double *numbers = am_balance_contact_numbers(b, contact);
    double *w = b->signal, *slope = w + b->S, *limit = slope + b->S;
    if (joint->compliant) {
        bool always;
        size_t pieces;
        AM_TRY(press(s, joint, numbers, w, slope, &pieces, &always, err));
        add_stiffness(s, &joint->normal, &joint->normal, numbers[DAMPING], b->d3);
    }
    if (joint->friction != AM_FRICTION_REGULARISED)
        return AM_OK;
    held_limit(b, numbers, limit);
    double factor = argument(s, joint, numbers, limit, w, slope);
    AM_TRY(cut_off(b, joint, w, &(am_cell_limit){.signal = limit}, b->d1, NULL, err));
    add_stiffness(s, &joint->tangent, &joint->tangent, factor, b->d1);
    return AM_OK;
}

am_status am_balance_velocity(am_balance *b, const double *x, double p, double *D, am_error *err) {
    sheet s = {.b = b, .x = x, .omega = am_balance_omega(b, x, p), .J = D};
    AM_TRY(am_balance_set(b, p, err));
    for (size_t i = 0; i < b->springs; i++)
        AM_TRY(velocity_of_spring(&s, &b->spring[i], err));
    for (size_t c = 0; c < b->contacts; c++)
        AM_TRY(velocity_of_joint(&s, c, err));
    return AM_OK;
}
