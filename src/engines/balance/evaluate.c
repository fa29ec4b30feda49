/* The equations of harmonic balance and their exact derivatives.
 *
 *     Z_h(omega) u_h - load_h + (forces of springs and contacts)_h = 0          for every harmonic that is kept
 *     lambda - clip(lambda + epsilon v) = 0                                     for every rigid friction contact
 *     u . (d u_reference / d theta) = 0                                         self-excited: the phase
 *
 * With u = a cos + b sin the harmonic h of a signal is a - i b, so that Z u has the coefficients
 * (Re Z a + Im Z b, Re Z b - Im Z a). */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/pi.h"
#include "math/trigonometric.h"

/* Where the equations are being written to. */
typedef struct sheet {
    am_balance *b;
    const double *x;
    double omega;
    double *F, *J, *rate; /* rate: derivative with respect to omega; J and rate may be NULL */
    bool without_held;    /* friction of held contacts left out */
} sheet;

static void along(const am_balance *b, const double *x, const am_balance_row *row, double *s) {
    memset(s, 0, b->S * sizeof *s);
    for (size_t j = 0; j < row->count; j++) {
        const double *from = x + row->index[j] * b->kept;
        for (size_t k = 0; k < b->kept; k++)
            s[b->keep[k]] += row->value[j] * from[k];
    }
}

/* ---- the linear structure ---- */

static void add_pair(const sheet *s, size_t i, size_t j, size_t h, size_t at) {
    const am_balance *b = s->b;
    size_t r = b->r, row = i * b->kept + at, column = j * b->kept + at;
    double complex z = b->Z[(h * r + i) * r + j], dz = b->dZ[(h * r + i) * r + j];
    const double *u = s->x + column;
    if (h == 0) {
        s->F[row] += creal(z) * u[0];
        if (s->J)
            s->J[row * b->size + column] += creal(z);
        return; /* Z_0 does not depend on omega */
    }
    s->F[row] += creal(z) * u[0] + cimag(z) * u[1];
    s->F[row + 1] += creal(z) * u[1] - cimag(z) * u[0];
    if (s->rate) {
        s->rate[row] += creal(dz) * u[0] + cimag(dz) * u[1];
        s->rate[row + 1] += creal(dz) * u[1] - cimag(dz) * u[0];
    }
    if (s->J) {
        double *first = s->J + row * b->size + column, *second = first + b->size;
        first[0] += creal(z);
        first[1] += cimag(z);
        second[0] -= cimag(z);
        second[1] += creal(z);
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

static void add_linear(const sheet *s) {
    const am_balance *b = s->b;
    for (size_t at = 0; at < b->kept;) {
        size_t h = (b->keep[at] + 1) / 2;
        for (size_t i = 0; i < b->r; i++) {
            for (size_t j = 0; j < b->r; j++)
                if (b->Z[(h * b->r + i) * b->r + j] != 0.0 || (s->rate && b->dZ[(h * b->r + i) * b->r + j] != 0.0))
                    add_pair(s, i, j, h, at);
            subtract_load(s, i, h, at);
        }
        at += h == 0 ? 1 : 2;
    }
}

/* ---- adding what an element does ---- */

/* F += direction f */
static void add_force(const sheet *s, const am_balance_row *row, double factor, const double *f, double *into) {
    const am_balance *b = s->b;
    for (size_t i = 0; i < row->count; i++)
        for (size_t k = 0; k < b->kept; k++)
            into[row->index[i] * b->kept + k] += factor * row->value[i] * f[b->keep[k]];
}

/* J += (unknowns from row_at on, `rows` of weight 1, or along a direction) x (along a direction): factor D */
static void add_block(const sheet *s, size_t row, double row_weight, size_t column, double column_weight,
                      const double *D) {
    const am_balance *b = s->b;
    double factor = row_weight * column_weight;
    for (size_t k = 0; k < b->kept; k++) {
        double *to = s->J + (row + k) * b->size + column;
        const double *from = D + b->keep[k] * b->S;
        for (size_t l = 0; l < b->kept; l++)
            to[l] += factor * from[b->keep[l]];
    }
}

static void add_stiffness(const sheet *s, const am_balance_row *rows, const am_balance_row *columns, double factor,
                          const double *D) {
    for (size_t i = 0; i < rows->count; i++)
        for (size_t j = 0; j < columns->count; j++)
            add_block(s, rows->index[i] * s->b->kept, factor * rows->value[i], columns->index[j] * s->b->kept,
                      columns->value[j], D);
}

/* out = a A + b A (d/dtheta), for derivatives with respect to a signal and to the signal of its rate. `out` may be A
 * only if b = 0. */
static void with_rate(const am_balance *b, const double *A, double a, double rate, double *out) {
    size_t S = b->S;
    for (size_t k = 0; k < S; k++) {
        const double *from = A + k * S;
        double *to = out + k * S;
        to[0] = a * from[0];
        for (size_t h = 1; h <= b->H; h++) {
            double c = from[2 * h - 1], d = from[2 * h], w = rate * (double)h;
            to[2 * h - 1] = a * c - w * d;
            to[2 * h] = a * d + w * c;
        }
    }
}

static void add_with_rate(const am_balance *b, const double *A, double rate, double *out) {
    size_t S = b->S;
    for (size_t k = 0; k < S; k++)
        for (size_t h = 1; h <= b->H; h++) {
            out[k * S + 2 * h - 1] -= rate * (double)h * A[k * S + 2 * h];
            out[k * S + 2 * h] += rate * (double)h * A[k * S + 2 * h - 1];
        }
}

static void apply(const am_balance *b, const double *D, const double *x, double *y) {
    for (size_t k = 0; k < b->S; k++) {
        double sum = 0.0;
        for (size_t l = 0; l < b->S; l++)
            sum += D[k * b->S + l] * x[l];
        y[k] = sum;
    }
}

/* ---- polynomial springs ---- */

static am_status add_spring(const sheet *s, const am_balance_spring *spring, am_error *err) {
    am_balance *b = s->b;
    double *x = b->signal, *y = x + b->S, *slope = y + b->S;
    bool derive = s->J || s->rate;
    along(b, s->x, &spring->direction, x);
    am_trig_derivative(b->H, x, slope);
    for (size_t k = 0; k < b->S; k++)
        y[k] = s->omega * slope[k];
    AM_TRY(am_cell_polynomial(b->cell, spring->terms, spring->term, x, y, b->force, derive ? b->d1 : NULL,
                              derive ? b->d2 : NULL, err));
    add_force(s, &spring->direction, 1.0, b->force, s->F);
    if (s->rate) {
        apply(b, b->d2, slope, b->force);
        add_force(s, &spring->direction, 1.0, b->force, s->rate);
    }
    if (s->J) {
        add_with_rate(b, b->d2, s->omega, b->d1);
        add_stiffness(s, &spring->direction, &spring->direction, 1.0, b->d1);
    }
    return AM_OK;
}

/* Fp of a spring whose coefficients move: the force is linear in them. */
static am_status add_spring_slope(const sheet *s, const am_balance_spring *spring, double *Fp, am_error *err) {
    am_balance *b = s->b;
    double *x = b->signal, *y = x + b->S;
    along(b, s->x, &spring->direction, x);
    am_trig_derivative(b->H, x, y);
    for (size_t k = 0; k < b->S; k++)
        y[k] *= s->omega;
    size_t first = 0, last = spring->terms; /* terms that move */
    while (first < last && spring->slope_term[first].coefficient == 0.0)
        first++;
    while (first < last && spring->slope_term[last - 1].coefficient == 0.0)
        last--;
    am_status status =
        am_cell_polynomial(b->cell, last - first, spring->slope_term + first, x, y, b->force, NULL, NULL, err);
    if (!status)
        add_force(s, &spring->direction, 1.0, b->force, Fp);
    return status;
}

/* ---- contacts ---- */

/* The normal force of a compliant contact and its derivatives: with d = -(n.q + gap) and w = k d + c d', N = w where
 * both are positive. Leaves d/dtheta of n.q in `slope`, w in `w`, dN/dw in d3 and dN/dd in d4, and the closed
 * intervals. */
static am_status press(const sheet *s, const am_balance_joint *joint, const double *numbers, double *w, double *slope,
                       size_t *pieces, bool *always, am_error *err) {
    am_balance *b = s->b;
    double *d = b->signal + 4 * b->S, k = numbers[STIFFNESS], c = numbers[DAMPING];
    along(b, s->x, &joint->normal, d);
    am_trig_derivative(b->H, d, slope);
    d[0] += numbers[GAP];
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
    if (s->rate) {
        apply(b, b->d3, slope, b->force);
        add_force(s, &joint->normal, c, b->force, s->rate);
    }
    *limit = (am_cell_limit){.signal = w, .intervals = pieces, .starts = always ? NULL : b->starts, .ends = b->ends};
    return AM_OK;
}

/* The limit of a compliant contact moves with w = -k n.q - c d(n.q)/dt, and the instant at which a damped layer closes
 * with its penetration: d3 and d4 are the derivatives of the force by these. */
static void add_slider_limit(const sheet *s, const am_balance_joint *joint, const double *numbers) {
    am_balance *b = s->b;
    double mu = numbers[FRICTION], *slope = b->signal + 5 * b->S; /* of n.q, left there by add_normal */
    if (s->rate) {
        apply(b, b->d3, slope, b->force);
        add_force(s, &joint->tangent, -mu * numbers[DAMPING], b->force, s->rate);
    }
    if (!s->J)
        return;
    with_rate(b, b->d3, mu * numbers[STIFFNESS], mu * numbers[DAMPING] * s->omega, b->d2);
    add_stiffness(s, &joint->tangent, &joint->normal, -1.0, b->d2);
    if (numbers[DAMPING] > 0.0)
        add_stiffness(s, &joint->tangent, &joint->normal, -1.0, b->d4);
}

static am_status add_jenkins(const sheet *s, const am_balance_joint *joint, const double *numbers,
                             const am_cell_limit *given, am_error *err) {
    am_balance *b = s->b;
    double *w = b->signal;
    bool derive = s->J || s->rate, moves = derive && joint->compliant;
    am_cell_limit limit = *given;
    if (moves && numbers[DAMPING] > 0.0) {
        limit.depth = b->signal + 4 * b->S; /* left there by add_normal */
        limit.d_depth = b->d4;
    }
    along(b, s->x, &joint->tangent, w);
    for (size_t k = 0; k < b->S; k++)
        w[k] *= numbers[SPRING];
    am_status status =
        am_cell_jenkins(b->cell, w, &limit, b->force, s->J ? b->d1 : NULL, moves ? b->d3 : NULL, NULL, err);
    if (status)
        return status;
    add_force(s, &joint->tangent, 1.0, b->force, s->F);
    if (s->J)
        add_stiffness(s, &joint->tangent, &joint->tangent, numbers[SPRING], b->d1);
    if (moves)
        add_slider_limit(s, joint, numbers);
    return AM_OK;
}

static double limit_at(const am_balance *b, const am_cell_limit *limit, double theta) {
    bool closed = limit->starts == NULL;
    for (size_t i = 0; i < limit->intervals && limit->starts; i++)
        closed = closed || (theta >= limit->starts[i] && theta <= limit->ends[i]) || theta + 2.0 * pi <= limit->ends[i];
    return closed ? fmax(0.0, am_trig_value(b->H, limit->signal, theta)) : 0.0;
}

am_status am_balance_stretch(am_balance *b, const double *x, double p, size_t contact, double *stretch, am_error *err) {
    const am_balance_joint *joint = &b->joint[contact];
    const double *numbers = am_balance_contact_numbers(b, contact);
    sheet s = {.b = b, .x = x, .omega = am_balance_omega(b, x, p)};
    double *w = b->signal, *signal = b->signal + 3 * b->S, *slope = b->signal + 5 * b->S;
    am_cell_limit limit = {.signal = signal};
    am_status status = AM_OK;
    memcpy(signal, numbers + CONTACT_NUMBERS, b->S * sizeof *signal);
    if (joint->compliant) {
        bool always = false;
        status = press(&s, joint, numbers, signal, slope, &limit.intervals, &always, err);
        limit.starts = always ? NULL : b->starts;
        limit.ends = b->ends;
    }
    for (size_t k = 0; k < b->S; k++)
        signal[k] *= numbers[FRICTION];
    along(b, x, &joint->tangent, w);
    for (size_t k = 0; k < b->S; k++)
        w[k] *= numbers[SPRING];
    if (!status)
        status = am_cell_jenkins(b->cell, w, &limit, b->force, NULL, NULL, NULL, err);
    double most = status ? 0.0 : limit_at(b, &limit, 0.0); /* the projected force may overshoot it a little */
    *stretch = status ? 0.0 : fmax(-most, fmin(most, am_trig_value(b->H, b->force, 0.0))) / numbers[SPRING];
    return status;
}

/* The signal of the sliding velocity; `slope` is that of d(t.q)/dtheta. */
static void sliding_velocity(const sheet *s, const am_balance_joint *joint, const double *numbers, double *v,
                             double *slope) {
    am_balance *b = s->b;
    along(b, s->x, &joint->tangent, v);
    am_trig_derivative(b->H, v, slope);
    for (size_t k = 0; k < b->S; k++)
        v[k] = s->omega * slope[k];
    v[0] -= numbers[SURFACE];
}

/* Friction mu N v / v0 below v0; N is constant. */
static am_status add_regularised(const sheet *s, const am_balance_joint *joint, const double *numbers,
                                 const am_cell_limit *limit, am_error *err) {
    am_balance *b = s->b;
    double *v = b->signal, *slope = v + b->S, factor = limit->signal[0] / numbers[REGULARISED];
    sliding_velocity(s, joint, numbers, v, slope);
    for (size_t k = 0; k < b->S; k++)
        v[k] *= factor;
    AM_TRY(am_cell_clip(b->cell, v, limit, b->force, s->J || s->rate ? b->d1 : NULL, NULL, NULL, err));
    add_force(s, &joint->tangent, 1.0, b->force, s->F);
    if (s->rate) {
        apply(b, b->d1, slope, b->force);
        add_force(s, &joint->tangent, factor, b->force, s->rate);
    }
    if (s->J) {
        with_rate(b, b->d1, 0.0, factor * s->omega, b->d2);
        add_stiffness(s, &joint->tangent, &joint->tangent, 1.0, b->d2);
    }
    return AM_OK;
}

/* Derivatives of lambda - clip(lambda + epsilon v): d1 is that of the clip by its argument. */
static void add_rigid_derivatives(const sheet *s, const am_balance_joint *joint, const double *slope) {
    am_balance *b = s->b;
    size_t at = joint->multiplier, S = b->S;
    if (s->rate) {
        apply(b, b->d1, slope, b->force);
        for (size_t k = 0; k < b->kept; k++)
            s->rate[at + k] -= joint->epsilon * b->force[b->keep[k]];
    }
    if (!s->J)
        return;
    for (size_t i = 0; i < joint->tangent.count; i++) /* the multipliers act along the tangent */
        for (size_t k = 0; k < b->kept; k++)
            s->J[(joint->tangent.index[i] * b->kept + k) * b->size + at + k] += joint->tangent.value[i];
    with_rate(b, b->d1, 0.0, -joint->epsilon * s->omega, b->d2);
    for (size_t j = 0; j < joint->tangent.count; j++)
        add_block(s, at, 1.0, joint->tangent.index[j] * b->kept, joint->tangent.value[j], b->d2);
    for (size_t k = 0; k < b->kept; k++)
        for (size_t l = 0; l < b->kept; l++)
            s->J[(at + k) * b->size + at + l] += (k == l ? 1.0 : 0.0) - b->d1[b->keep[k] * S + b->keep[l]];
}

/* The limit of a compliant contact moves with its normal force's argument, w = -k n.q - c d(n.q)/dt: d3 is the
 * derivative of the clip by its limit. */
static void add_limit_derivatives(const sheet *s, const am_balance_joint *joint, const double *numbers) {
    am_balance *b = s->b;
    double mu = numbers[FRICTION], *slope = b->signal + 5 * b->S; /* of n.q, left there by add_normal */
    if (s->rate) {
        apply(b, b->d3, slope, b->force);
        for (size_t k = 0; k < b->kept; k++)
            s->rate[joint->multiplier + k] += mu * numbers[DAMPING] * b->force[b->keep[k]];
    }
    if (!s->J)
        return;
    with_rate(b, b->d3, mu * numbers[STIFFNESS], mu * numbers[DAMPING] * s->omega, b->d2);
    for (size_t j = 0; j < joint->normal.count; j++)
        add_block(s, joint->multiplier, 1.0, joint->normal.index[j] * b->kept, joint->normal.value[j], b->d2);
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
        for (size_t j = 0; j < joint->normal.count; j++)
            add_block(s, joint->multiplier, 1.0, joint->normal.index[j] * b->kept, joint->normal.value[j], b->d2);
    }
}

static am_status add_rigid(const sheet *s, const am_balance_joint *joint, const double *numbers,
                           const am_cell_limit *limit, am_error *err) {
    am_balance *b = s->b;
    double *w = b->signal, *slope = w + b->S, *lambda = slope + b->S;
    const double *unknown = s->x + joint->multiplier;
    sliding_velocity(s, joint, numbers, w, slope);
    memset(lambda, 0, b->S * sizeof *lambda);
    for (size_t k = 0; k < b->kept; k++)
        lambda[b->keep[k]] = unknown[k];
    for (size_t k = 0; k < b->S; k++)
        w[k] = lambda[k] + joint->epsilon * w[k];
    bool derive = s->J || s->rate;
    AM_TRY(am_cell_clip(b->cell, w, limit, b->force, derive ? b->d1 : NULL, derive && joint->compliant ? b->d3 : NULL,
                        NULL, err));
    add_force(s, &joint->tangent, 1.0, lambda, s->F);
    for (size_t k = 0; k < b->kept; k++)
        s->F[joint->multiplier + k] += unknown[k] - b->force[b->keep[k]];
    add_rigid_derivatives(s, joint, slope);
    if (joint->compliant && derive)
        add_limit_derivatives(s, joint, numbers);
    if (joint->compliant && s->J)
        add_closings(s, joint, limit, w);
    return AM_OK;
}

static am_status add_joint(const sheet *s, size_t contact, am_error *err) {
    am_balance *b = s->b;
    const am_balance_joint *joint = &b->joint[contact];
    const double *numbers = am_balance_contact_numbers(b, contact);
    double *signal = b->signal + 3 * b->S;
    am_cell_limit limit = {.signal = signal};
    am_status status = AM_OK;
    if (joint->compliant)
        status = add_normal(s, joint, numbers, signal, &limit, err);
    else
        memcpy(signal, numbers + CONTACT_NUMBERS, b->S * sizeof *signal);
    for (size_t k = 0; k < b->S; k++)
        signal[k] *= numbers[FRICTION];
    if (status || joint->friction == AM_FRICTIONLESS)
        return status;
    if (joint->friction == AM_FRICTION_JENKINS)
        return add_jenkins(s, joint, numbers, &limit, err);
    if (joint->friction == AM_FRICTION_REGULARISED)
        return add_regularised(s, joint, numbers, &limit, err);
    return add_rigid(s, joint, numbers, &limit, err);
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
    if (s->J)
        memset(s->J, 0, b->size * b->size * sizeof *s->J);
    if (s->rate)
        memset(s->rate, 0, b->size * sizeof *s->rate);
    am_status status = am_balance_linear(b, s->omega, s->rate != NULL, err);
    if (status)
        return status;
    add_linear(s);
    for (size_t i = 0; i < b->springs && !status; i++)
        status = add_spring(s, &b->spring[i], err);
    for (size_t c = 0; c < b->contacts && !status; c++)
        if (b->joint[c].compliant || !s->without_held)
            status = add_joint(s, c, err);
    if (b->self_excited)
        add_phase(s);
    if (s->J && s->rate && b->free_omega)
        for (size_t i = 0; i < b->size; i++)
            s->J[i * b->size + b->size - 1] += s->rate[i];
    return status;
}

static am_status refuse_frequency(double omega, am_error *err) {
    return am_fail(err, AM_ERR_LIMIT, "the frequency of the response went to %g", omega);
}

/* What a moving parameter does to the force of a held contact: to the argument w and to the limit of its law. */
typedef struct drift {
    const double *numbers; /* derivatives of the contact's numbers */
    double omega;          /* of the frequency */
    double *w, *dw, *dlimit;
    am_cell_limit limit;
} drift;

static void drift_of_limit(const am_balance *b, const double *numbers, drift *d) {
    const double *N = numbers + CONTACT_NUMBERS, *dN = d->numbers + CONTACT_NUMBERS;
    double *limit = b->signal + 3 * b->S;
    d->w = b->signal;
    d->dw = b->signal + 2 * b->S;
    d->dlimit = b->signal + 4 * b->S;
    for (size_t k = 0; k < b->S; k++) {
        limit[k] = numbers[FRICTION] * N[k];
        d->dlimit[k] = d->numbers[FRICTION] * N[k] + numbers[FRICTION] * dN[k];
    }
    d->limit = (am_cell_limit){.signal = limit};
}

static void drift_of_argument(const sheet *s, const am_balance_joint *joint, const double *numbers, drift *d) {
    const am_balance *b = s->b;
    double *slope = b->signal + b->S, factor = joint->epsilon, grows = 0.0;
    if (joint->friction == AM_FRICTION_JENKINS) {
        along(b, s->x, &joint->tangent, d->w);
        for (size_t k = 0; k < b->S; k++) {
            d->dw[k] = d->numbers[SPRING] * d->w[k];
            d->w[k] *= numbers[SPRING];
        }
        return;
    }
    if (joint->friction == AM_FRICTION_REGULARISED) {
        factor = d->limit.signal[0] / numbers[REGULARISED];
        grows = (d->dlimit[0] - factor * d->numbers[REGULARISED]) / numbers[REGULARISED];
    }
    sliding_velocity(s, joint, numbers, d->w, slope);
    for (size_t k = 0; k < b->S; k++) {
        double dv = d->omega * slope[k] - (k == 0 ? d->numbers[SURFACE] : 0.0);
        d->dw[k] = grows * d->w[k] + factor * dv;
        d->w[k] *= factor;
    }
    for (size_t k = 0; k < b->kept && joint->friction == AM_FRICTION_RIGID; k++)
        d->w[b->keep[k]] += s->x[joint->multiplier + k];
}

/* Fp of a held contact. Not by differences: the onset of slip is a kink, and a difference across it points nowhere. */
static am_status add_joint_slope(const sheet *s, size_t contact, drift *d, double *Fp, am_error *err) {
    am_balance *b = s->b;
    const am_balance_joint *joint = &b->joint[contact];
    const double *numbers = am_balance_contact_numbers(b, contact);
    if (joint->compliant || joint->friction == AM_FRICTIONLESS)
        return AM_OK;
    drift_of_limit(b, numbers, d);
    drift_of_argument(s, joint, numbers, d);
    AM_TRY(joint->friction == AM_FRICTION_JENKINS
               ? am_cell_jenkins(b->cell, d->w, &d->limit, b->force, b->d1, b->d2, NULL, err)
               : am_cell_clip(b->cell, d->w, &d->limit, b->force, b->d1, b->d2, NULL, err));
    apply(b, b->d1, d->dw, b->force);
    apply(b, b->d2, d->dlimit, d->dw);
    for (size_t k = 0; k < b->S; k++)
        b->force[k] += d->dw[k];
    if (joint->friction != AM_FRICTION_RIGID)
        add_force(s, &joint->tangent, 1.0, b->force, Fp);
    for (size_t k = 0; k < b->kept && joint->friction == AM_FRICTION_RIGID; k++)
        Fp[joint->multiplier + k] -= b->force[b->keep[k]];
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
    size_t count = b->contacts * (CONTACT_NUMBERS + b->S);
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
    memset(b->drift, 0, (1 + b->contacts * (CONTACT_NUMBERS + b->S)) * sizeof *b->drift);
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
        double *numbers = b->drift + 1 + c * (CONTACT_NUMBERS + b->S);
        for (size_t i = 0; i < CONTACT_NUMBERS + b->S; i++)
            numbers[i] /= above - below;
        drift d = {.numbers = numbers, .omega = b->drift[0] / (above - below)};
        status = add_joint_slope(&s, c, &d, Fp, err);
    }
    return status;
}

/* Where p moves only omega and coefficients of springs the derivative is exact. */
static am_status exact_slope(sheet *s, double p, double *Fp, am_error *err) {
    am_balance *b = s->b;
    double rate = 0.0;
    (void)p;
    if (b->dependence.moving_count > 0 && b->dependence.moving[0] == 0 && !b->free_omega)
        rate = b->dependence.slope[0];
    for (size_t i = 0; i < b->size; i++)
        Fp[i] = rate != 0.0 ? rate * s->rate[i] : 0.0;
    for (size_t i = 0; i < b->springs; i++)
        if (b->spring[i].moving)
            AM_TRY(add_spring_slope(s, &b->spring[i], Fp, err));
    return AM_OK;
}

am_status am_balance_evaluate(void *context, const double *x, double p, double *F, double *J, double *Fp,
                              am_error *err) {
    am_balance *b = context;
    AM_TRY(am_balance_set(b, p, err));
    double omega = am_balance_omega(b, x, p);
    if (!(omega > 0.0) || !isfinite(omega))
        return refuse_frequency(omega, err);
    bool exact = b->dependence.straight && !b->moves_other;
    sheet s = {.b = b, .x = x, .omega = omega, .F = F, .J = J};
    if ((J && b->free_omega) || (Fp && exact && !b->free_omega))
        s.rate = b->rate;
    am_status status = write_sheet(&s, err);
    if (status || !Fp)
        return status;
    return exact ? exact_slope(&s, p, Fp, err) : difference(b, x, p, Fp, err);
}

/* ---- derivatives with respect to velocities, for Hill's method ---- */

static am_status velocity_of_spring(sheet *s, const am_balance_spring *spring, am_error *err) {
    am_balance *b = s->b;
    double *x = b->signal, *y = x + b->S;
    along(b, s->x, &spring->direction, x);
    am_trig_derivative(b->H, x, y);
    for (size_t k = 0; k < b->S; k++)
        y[k] *= s->omega;
    AM_TRY(am_cell_polynomial(b->cell, spring->terms, spring->term, x, y, b->force, b->d1, b->d2, err));
    add_stiffness(s, &spring->direction, &spring->direction, 1.0, b->d2);
    return AM_OK;
}

static am_status velocity_of_joint(sheet *s, size_t contact, am_error *err) {
    am_balance *b = s->b;
    const am_balance_joint *joint = &b->joint[contact];
    const double *numbers = am_balance_contact_numbers(b, contact);
    double *w = b->signal, *slope = w + b->S, *limit = slope + b->S;
    am_status status = AM_OK;
    if (joint->compliant) {
        bool always;
        size_t pieces;
        status = press(s, joint, numbers, w, slope, &pieces, &always, err);
        if (!status)
            add_stiffness(s, &joint->normal, &joint->normal, numbers[DAMPING], b->d3);
    }
    if (status || joint->friction != AM_FRICTION_REGULARISED)
        return status;
    for (size_t k = 0; k < b->S; k++)
        limit[k] = numbers[FRICTION] * numbers[CONTACT_NUMBERS + k];
    double factor = limit[0] / numbers[REGULARISED];
    am_cell_limit friction = {.signal = limit};
    sliding_velocity(s, joint, numbers, w, slope);
    for (size_t k = 0; k < b->S; k++)
        w[k] *= factor;
    status = am_cell_clip(b->cell, w, &friction, b->force, b->d1, NULL, NULL, err);
    if (!status)
        add_stiffness(s, &joint->tangent, &joint->tangent, factor, b->d1);
    return status;
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
