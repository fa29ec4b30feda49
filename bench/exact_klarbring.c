/* The exact events of Klarbring's mass, by closed forms in 128-bit arithmetic: the ruler that everything in this folder
 * is measured with. It shares no code with Amontons.
 *
 *     M u1'' = C1 t - k11 u1 - k12 u2 + R1,   M u2'' = C2 t - k12 u1 - k22 u2 + R2
 *
 * Open: two modes about the line K^-1 C t. Slip of sign s: M u1'' + (k11 + s f k12) u1 = (C1 + s f C2) t, R2 = k12 u1 -
 * C2 t. Stick: nothing moves. A guard (gap, R2, sliding speed, friction reserve) is sampled 128 times per unit of time;
 * between two samples its turning point is located as well, so that a dip below zero is seen however short it is. The
 * samples are far closer than the guards' half periods.
 *
 * Usage and output: see run_format in bench/README.md. */
#include <quadmath.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef __float128 real;

enum { SAMPLES_PER_UNIT = 128, BISECTIONS = 160 };

typedef enum state { OPEN, STICK, FORWARD, BACKWARD } state;
static const char *const state_names[] = {"open", "stick", "forward", "backward"};

static const real k11 = 1, k12 = 1, k22 = 2, mass = 1;

typedef struct problem {
    real f, c1, c2;
    real slope[2]; /* K^-1 C: the line about which the open mass oscillates */
    real w[2];     /* frequencies of the open mass */
    real mode[2][2];
} problem;

typedef struct motion {
    real t, u1, u2, v1, v2;
    state now;
    size_t event_count;
} motion;

static problem make_problem(double f, double c1, double c2) {
    problem p = {.f = f, .c1 = c1, .c2 = c2};
    real det = k11 * k22 - k12 * k12;
    p.slope[0] = (k22 * p.c1 - k12 * p.c2) / det;
    p.slope[1] = (k11 * p.c2 - k12 * p.c1) / det;
    real mean = (k11 + k22) / 2, radius = hypotq((k11 - k22) / 2, k12);
    for (int i = 0; i < 2; i++) {
        real eigenvalue = i == 0 ? mean - radius : mean + radius;
        real x = k12, y = eigenvalue - k11, length = hypotq(x, y);
        p.w[i] = sqrtq(eigenvalue / mass);
        p.mode[i][0] = x / length;
        p.mode[i][1] = y / length;
    }
    return p;
}

/* Position and velocity a time s after m, while m's state lasts. */
static motion after(const problem *p, const motion *m, real s) {
    motion r = *m;
    r.t = m->t + s;
    if (m->now == STICK)
        return r;
    if (m->now == OPEN) {
        real y[2] = {m->u1 - p->slope[0] * m->t, m->u2 - p->slope[1] * m->t};
        real z[2] = {m->v1 - p->slope[0], m->v2 - p->slope[1]};
        r.u1 = p->slope[0] * r.t, r.u2 = p->slope[1] * r.t, r.v1 = p->slope[0], r.v2 = p->slope[1];
        for (int i = 0; i < 2; i++) {
            const real *e = p->mode[i];
            real w = p->w[i], a = e[0] * y[0] + e[1] * y[1], b = (e[0] * z[0] + e[1] * z[1]) / w;
            real c = cosq(w * s), d = sinq(w * s), value = a * c + b * d, rate = w * (b * c - a * d);
            r.u1 += e[0] * value, r.u2 += e[1] * value, r.v1 += e[0] * rate, r.v2 += e[1] * rate;
        }
        return r;
    }
    int sign = m->now == FORWARD ? 1 : -1;
    real kappa = (k11 + sign * p->f * k12) / mass, push = (p->c1 + sign * p->f * p->c2) / mass;
    if (kappa == 0) {
        r.u1 = m->u1 + m->v1 * s + push * (m->t * s * s / 2 + s * s * s / 6);
        r.v1 = m->v1 + push * (m->t * s + s * s / 2);
        return r;
    }
    real line = push / kappa, w = sqrtq(fabsq(kappa)), a = m->u1 - line * m->t, b = (m->v1 - line) / w;
    real c = kappa > 0 ? cosq(w * s) : coshq(w * s), d = kappa > 0 ? sinq(w * s) : sinhq(w * s);
    r.u1 = line * r.t + a * c + b * d;
    r.v1 = line + w * (b * c + (kappa > 0 ? -a : a) * d);
    return r;
}

static real normal_force(const problem *p, const motion *m) {
    return k12 * m->u1 - p->c2 * m->t;
}

static real stick_force(const problem *p, const motion *m) {
    return k11 * m->u1 - p->c1 * m->t;
}

/* Guards of a state and their rates: it lasts while all are positive. */
static int guards(const problem *p, const motion *m, real value[3], real rate[3]) {
    int sign = m->now == FORWARD ? 1 : -1;
    switch (m->now) {
    case OPEN:
        value[0] = m->u2, rate[0] = m->v2;
        return 1;
    case STICK:
        value[0] = normal_force(p, m), rate[0] = -p->c2;
        value[1] = p->f * value[0] - stick_force(p, m), rate[1] = -p->f * p->c2 + p->c1;
        value[2] = p->f * value[0] + stick_force(p, m), rate[2] = -p->f * p->c2 - p->c1;
        return 3;
    default:
        value[0] = normal_force(p, m), rate[0] = k12 * m->v1 - p->c2;
        value[1] = sign * m->v1;
        rate[1] = sign * (p->c1 * m->t - k11 * m->u1 - sign * p->f * value[0]) / mass;
        return 2;
    }
}

static void guard_at(const problem *p, const motion *m, real s, int index, real *value, real *rate) {
    motion there = after(p, m, s);
    real values[3], rates[3];
    guards(p, &there, values, rates);
    *value = values[index], *rate = rates[index];
}

/* The zero of a guard (or of its rate) between a where it is positive (its rate negative) and b where that is no longer
 * so. */
static real bisect(const problem *p, const motion *m, int index, bool of_rate, real a, real b) {
    for (int i = 0; i < BISECTIONS; i++) {
        real middle = (a + b) / 2, value, rate;
        guard_at(p, m, middle, index, &value, &rate);
        bool still = of_rate ? rate < 0 : value > 0;
        if (still)
            a = middle;
        else
            b = middle;
    }
    return b;
}

/* First time after m, at most `limit`, at which a guard falls below zero; -1 if none. */
static real first_switch(const problem *p, const motion *m, real limit, int *which) {
    real length = (real)1 / SAMPLES_PER_UNIT, values[3], rates[3];
    int count = guards(p, m, values, rates);
    real rate_before[3];
    memcpy(rate_before, rates, sizeof rates);
    for (real a = 0; a < limit; a += length) {
        real b = a + length < limit ? a + length : limit, first = -1;
        motion end = after(p, m, b);
        guards(p, &end, values, rates);
        for (int i = 0; i < count; i++) {
            real hit = -1, value, rate;
            if (values[i] < 0) {
                real left = a;
                if (a == 0) { /* guards may be zero at a switch and rise from there */
                    left = b;
                    do {
                        left /= 2;
                        guard_at(p, m, left, i, &value, &rate);
                    } while (!(value > 0) && left > 1e-30Q);
                }
                hit = bisect(p, m, i, false, left, b);
            } else if (rate_before[i] < 0 && rates[i] > 0) {
                real bottom = bisect(p, m, i, true, a, b);
                guard_at(p, m, bottom, i, &value, &rate);
                if (value < 0)
                    hit = bisect(p, m, i, false, a, bottom);
            }
            if (hit >= 0 && (first < 0 || hit < first))
                first = hit, *which = i;
            rate_before[i] = rates[i];
        }
        if (first >= 0)
            return first;
    }
    return -1;
}

static void change(motion *m, state next) {
    printf("%s[%.17g, \"%s\", \"%s\"]", m->event_count++ ? ", " : "", (double)m->t, state_names[m->now],
           state_names[next]);
    m->now = next;
}

/* The state of a mass that rests on the plane (u2 = v2 = 0): Appendix A, with load rates where forces vanish. */
static state state_in_contact(const problem *p, const motion *m) {
    real n = normal_force(p, m), r = stick_force(p, m), n_rate = k12 * m->v1 - p->c2;
    if (n < 0 || (n == 0 && n_rate < 0))
        return OPEN;
    if (m->v1 != 0)
        return m->v1 > 0 ? FORWARD : BACKWARD;
    if (n == 0)
        n = -p->c2, r = -p->c1; /* at rest at the origin: rates decide */
    if (fabsq(r) <= p->f * n)
        return STICK;
    return r > 0 ? BACKWARD : FORWARD;
}

/* Inelastic impact with friction. Two changes of state when the contact does not last. */
static void impact(const problem *p, motion *m) {
    real stop = -p->f * m->v2; /* the most that friction can take away */
    m->u2 = 0, m->v2 = 0;
    state during = STICK;
    if (m->v1 > stop)
        during = FORWARD, m->v1 -= stop;
    else if (m->v1 < -stop)
        during = BACKWARD, m->v1 += stop;
    else
        m->v1 = 0;
    change(m, during);
    state next = state_in_contact(p, m);
    if (next != during)
        change(m, next);
}

/* From when on an open mass can never come down: its line is above the sum of its amplitudes. */
static real open_for_good(const problem *p, const motion *m) {
    if (!(p->slope[1] > 0))
        return HUGE_VALQ;
    real y[2] = {m->u1 - p->slope[0] * m->t, m->u2 - p->slope[1] * m->t};
    real z[2] = {m->v1 - p->slope[0], m->v2 - p->slope[1]}, sum = 0;
    for (int i = 0; i < 2; i++) {
        const real *e = p->mode[i];
        sum += fabsq(e[1]) * hypotq(e[0] * y[0] + e[1] * y[1], (e[0] * z[0] + e[1] * z[1]) / p->w[i]);
    }
    return sum / p->slope[1];
}

static const char *run(const problem *p, motion *m, double until, bool seek_final) {
    if (m->v2 < 0)
        impact(p, m);
    else
        m->now = m->v2 > 0 ? OPEN : state_in_contact(p, m);
    while (m->t < until) {
        real end = until;
        if (seek_final && m->now == STICK && fabsq(p->c1) <= -p->f * p->c2)
            return "stick";
        if (seek_final && m->now == OPEN) {
            real sure = open_for_good(p, m);
            if (sure < end)
                end = sure > m->t ? sure : m->t;
        }
        int which = 0;
        real s = first_switch(p, m, end - m->t, &which);
        if (s < 0) {
            *m = after(p, m, end - m->t);
            m->t = end;
            return end < until ? "open" : state_names[m->now];
        }
        *m = after(p, m, s);
        if (m->now == OPEN) {
            impact(p, m);
        } else if (which == 0) {
            change(m, OPEN);
            m->u2 = 0, m->v2 = 0;
        } else {
            m->v1 = 0;
            state next = state_in_contact(p, m);
            if (m->now == STICK) /* the friction limit: the forces are equal, so the guard that failed decides */
                next = which == 1 ? BACKWARD : FORWARD;
            if (next != m->now)
                change(m, next);
        }
    }
    return state_names[m->now];
}

int main(int argc, char **argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: %s FRICTION C1 C2 UNTIL fixed|final < STARTS\n", argv[0]);
        return 2;
    }
    problem p = make_problem(strtod(argv[1], NULL), strtod(argv[2], NULL), strtod(argv[3], NULL));
    double until = strtod(argv[4], NULL), v1, v2;
    bool seek_final = strcmp(argv[5], "final") == 0, first = true;
    printf("{\"name\": \"closed forms in 128 bits\", \"runs\": [");
    while (scanf("%lf %lf", &v1, &v2) == 2) {
        motion m = {.v1 = v1, .v2 = v2};
        printf("%s\n{\"events\": [", first ? "" : ",");
        const char *final = run(&p, &m, until, seek_final);
        printf("], \"final\": \"%s\", \"t\": %.17g, \"q\": [%.17g, %.17g], \"v\": [%.17g, %.17g], \"seconds\": []}",
               final, (double)m.t, (double)m.u1, (double)m.u2, (double)m.v1, (double)m.v2);
        first = false;
    }
    printf("\n]}\n");
    return 0;
}
