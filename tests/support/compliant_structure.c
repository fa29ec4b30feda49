#include "compliant_structure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "near.h"
#include "uniform.h"

static const double PI = 3.14159265358979323846;

enum { STEPS = 600 };

/* ---- random structures with compliant contacts ---- */

structure random_structure(uint64_t seed, bool sliders) {
    structure s = {.m = seed % 2 + 1};
    for (int i = 0; i < 5; i++)
        uniform(&seed, 0, 1);
    s.n = 1 + (size_t)uniform(&seed, 0.0, 2.999);
    s.n = sliders && s.n < 2 ? 2 : s.n;
    for (size_t i = 0; i < s.n; i++) {
        double chain = uniform(&seed, 0.3, 1.0);
        s.M[i] = uniform(&seed, 0.7, 1.5);
        s.K[i][i] += uniform(&seed, 0.5, 1.5);
        s.load[i] = uniform(&seed, -1.0, 1.0);
        s.mean[i] = sliders ? uniform(&seed, -0.3, 0.3) : 0.0;
        if (i + 1 < s.n) {
            s.K[i][i] += chain;
            s.K[i + 1][i + 1] += chain;
            s.K[i][i + 1] = s.K[i + 1][i] = -chain;
        }
    }
    for (size_t i = 0; i < s.n; i++)
        for (size_t j = 0; j < s.n; j++)
            s.C[i][j] = 0.03 * s.K[i][j] + (i == j ? 0.02 * s.M[i] : 0.0);
    s.omega = uniform(&seed, 0.5, 1.8);
    for (size_t c = 0; c < s.m; c++) {
        element *e = &s.contact[c];
        size_t at = (c + (size_t)uniform(&seed, 0.0, 9.99)) % s.n;
        e->normal[at] = uniform(&seed, 0, 1) < 0.5 ? -1.0 : 1.0;
        e->tangent[(at + 1) % s.n] = 1.0;
        e->gap = sliders ? uniform(&seed, -0.3, 0.2) : uniform(&seed, 0.0, 0.5);
        e->k = uniform(&seed, 3.0, sliders ? 12.0 : 30.0);
        e->mu = sliders ? uniform(&seed, 0.2, 0.6) : 0.0;
        e->kt = sliders ? uniform(&seed, 1.0, 5.0) : 0.0;
    }
    return s;
}

/* ---- as a study ---- */

void sheet_add(sheet *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int wrote = vsnprintf(t->bytes + t->used, sizeof t->bytes - t->used, format, arguments);
    va_end(arguments);
    assert_true(wrote >= 0 && t->used + (size_t)wrote < sizeof t->bytes);
    t->used += (size_t)wrote;
}

void sheet_add_row(sheet *t, const double *row, size_t n) {
    for (size_t i = 0; i < n; i++)
        sheet_add(t, "%s%.17g", i ? ", " : "[", row[i]);
    sheet_add(t, "]");
}

static void add_matrix(sheet *t, const char *name, const double (*matrix)[MOST], size_t n) {
    sheet_add(t, "  %s: [", name);
    for (size_t i = 0; i < n; i++) {
        sheet_add(t, i ? ", " : "");
        sheet_add_row(t, matrix[i], n);
    }
    sheet_add(t, "]\n");
}

sheet study_of(const structure *s, const char *analysis) {
    sheet t = {.used = 0};
    sheet_add(&t, "title: t\nmodel:\n  kind: structure\n  mass: ");
    sheet_add_row(&t, s->M, s->n);
    sheet_add(&t, "\n");
    add_matrix(&t, "stiffness", s->K, s->n);
    add_matrix(&t, "damping", s->C, s->n);
    sheet_add(&t, "  contacts:\n");
    for (size_t c = 0; c < s->m; c++) {
        const element *e = &s->contact[c];
        sheet_add(&t, "    - {law: kelvin-voigt, contact_stiffness: %.17g, gap: %.17g, friction: %.17g, ", e->k, e->gap,
                  e->mu);
        if (e->kt > 0.0)
            sheet_add(&t, "tangential_stiffness: %.17g, ", e->kt);
        sheet_add(&t, "normal: ");
        sheet_add_row(&t, e->normal, s->n);
        sheet_add(&t, ", tangent: ");
        sheet_add_row(&t, e->tangent, s->n);
        sheet_add(&t, "}\n");
    }
    sheet_add(&t, "  loads:\n    - {direction: ");
    sheet_add_row(&t, s->load, s->n);
    sheet_add(&t, ", sine: {amplitude: 1, frequency: %.17g}}\n", s->omega);
    if (s->mean[0] != 0.0) {
        sheet_add(&t, "    - {direction: ");
        sheet_add_row(&t, s->mean, s->n);
        sheet_add(&t, ", constant: 1}\n");
    }
    sheet_add(&t, "analysis: {kind: response, %s}\n", analysis);
    return t;
}

/* ---- its own integration ---- */

typedef enum mode { OPEN, STICK, FORWARD, BACKWARD } mode;

typedef struct moment {
    double t, x[DIMENSION]; /* q, v at MOST, positions of sliders at 2 MOST */
    mode mode[CONTACTS];
} moment;

double dot_product(const double *a, const double *b, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double pressed(const structure *s, const moment *m, size_t c) {
    return -s->contact[c].k * (dot_product(s->contact[c].normal, m->x, s->n) + s->contact[c].gap);
}

static double spring_force(const structure *s, const moment *m, size_t c) {
    return -s->contact[c].kt * (dot_product(s->contact[c].tangent, m->x, s->n) - m->x[2 * MOST + c]);
}

static double slip_sign(mode mode) {
    return mode == FORWARD ? 1.0 : mode == BACKWARD ? -1.0 : 0.0;
}

static void rate_of(const structure *s, const moment *m, double *rate) {
    const double *v = m->x + MOST;
    memset(rate, 0, DIMENSION * sizeof *rate);
    for (size_t i = 0; i < s->n; i++) {
        double force = s->load[i] * sin(s->omega * m->t) + s->mean[i] - dot_product(s->K[i], m->x, s->n) -
                       dot_product(s->C[i], v, s->n);
        for (size_t c = 0; c < s->m; c++) {
            const element *e = &s->contact[c];
            double N = pressed(s, m, c), sign = slip_sign(m->mode[c]);
            if (m->mode[c] == OPEN)
                continue;
            force += e->normal[i] * N;
            if (e->kt > 0.0)
                force += e->tangent[i] * (m->mode[c] == STICK ? spring_force(s, m, c) : -sign * e->mu * N);
        }
        rate[i] = v[i];
        rate[MOST + i] = force / s->M[i];
    }
}

static moment step_from(const structure *s, const moment *from, double h) {
    static const double where[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    double k[DIMENSION] = {0.0}, sum[DIMENSION] = {0.0};
    for (int stage = 0; stage < 4; stage++) {
        moment at = *from;
        at.t += where[stage] * h;
        for (size_t i = 0; i < DIMENSION; i++)
            at.x[i] += where[stage] * h * k[i];
        rate_of(s, &at, k);
        for (size_t i = 0; i < DIMENSION; i++)
            sum[i] += weight[stage] * k[i] / 6.0;
    }
    moment to = *from;
    to.t += h;
    for (size_t i = 0; i < DIMENSION; i++)
        to.x[i] += h * sum[i];
    for (size_t c = 0; c < s->m; c++) /* a slider that slips follows at its limit */
        if (slip_sign(to.mode[c]) != 0.0)
            to.x[2 * MOST + c] = dot_product(s->contact[c].tangent, to.x, s->n) -
                                 slip_sign(to.mode[c]) * s->contact[c].mu * pressed(s, &to, c) / s->contact[c].kt;
    return to;
}

/* The mode that contact c asks for. */
static mode wanted(const structure *s, const moment *m, size_t c) {
    const element *e = &s->contact[c];
    double N = pressed(s, m, c), sign = slip_sign(m->mode[c]);
    if (N < 0.0 || (m->mode[c] == OPEN && N == 0.0))
        return OPEN;
    if (m->mode[c] == OPEN || e->kt == 0.0)
        return STICK;
    if (m->mode[c] == STICK) {
        double T = spring_force(s, m, c);
        return T > e->mu * N ? BACKWARD : T < -e->mu * N ? FORWARD : STICK;
    }
    /* the slider's own velocity: t.v - sign mu N'/k_t */
    double speed = dot_product(e->tangent, m->x + MOST, s->n) +
                   sign * e->mu * e->k * dot_product(e->normal, m->x + MOST, s->n) / e->kt;
    return sign * speed < 0.0 ? STICK : m->mode[c];
}

static bool is_content(const structure *s, const moment *m) {
    for (size_t c = 0; c < s->m; c++)
        if (wanted(s, m, c) != m->mode[c])
            return false;
    return true;
}

static void change_modes(const structure *s, moment *m) {
    for (size_t c = 0; c < s->m; c++) {
        mode next = wanted(s, m, c);
        if (next != m->mode[c] && next == STICK && m->mode[c] == OPEN)
            m->x[2 * MOST + c] = dot_product(s->contact[c].tangent, m->x, s->n); /* relaxed at re-contact */
        m->mode[c] = next;
    }
}

static void advance(const structure *s, moment *m, double until) {
    double h = 2.0 * PI / s->omega / STEPS;
    while (m->t < until - 1e-13) {
        double length = fmin(h, until - m->t), low = 0.0;
        moment next = step_from(s, m, length);
        if (is_content(s, &next)) {
            *m = next;
            continue;
        }
        for (int i = 0; i < 48; i++) {
            double middle = 0.5 * (low + length);
            moment probe = step_from(s, m, middle);
            is_content(s, &probe) ? (low = middle) : (length = middle);
        }
        *m = step_from(s, m, length);
        change_modes(s, m);
    }
}

void period_map(const structure *s, const double *x, double *out, bool *moved) {
    moment m = {.t = 0.0};
    memcpy(m.x, x, sizeof m.x);
    bool all = true;
    for (size_t c = 0; c < s->m; c++) {
        double N = pressed(s, &m, c), T = spring_force(s, &m, c), most = s->contact[c].mu * N;
        m.mode[c] = N < 0.0 ? OPEN : STICK;
        if (N >= 0.0 && s->contact[c].kt > 0.0 && fabs(T) >= most * (1.0 - 1e-7))
            m.mode[c] = T < 0.0 ? FORWARD : BACKWARD;
        if (m.mode[c] != STICK && wanted(s, &m, c) == STICK)
            m.mode[c] = STICK;
    }
    double before[CONTACTS];
    for (size_t c = 0; c < s->m; c++)
        before[c] = m.x[2 * MOST + c];
    bool changed[CONTACTS] = {false};
    for (int k = 1; k <= 64; k++) {
        advance(s, &m, 2.0 * PI / s->omega * k / 64.0);
        for (size_t c = 0; c < s->m; c++)
            changed[c] = changed[c] || m.mode[c] != STICK || m.x[2 * MOST + c] != before[c];
    }
    for (size_t c = 0; c < s->m; c++)
        all = all && (changed[c] || s->contact[c].kt == 0.0);
    memcpy(out, m.x, sizeof m.x);
    if (moved)
        *moved = all;
}

/* ---- closing it ---- */

void solve_rows(size_t d, double a[ORDER][ORDER], double *b) {
    for (size_t i = 0; i < d; i++) {
        size_t pivot = i;
        for (size_t k = i; k < d; k++)
            pivot = fabs(a[k][i]) > fabs(a[pivot][i]) ? k : pivot;
        for (size_t j = 0; j < d; j++) {
            double swap = a[i][j];
            a[i][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        double swap = b[i];
        b[i] = b[pivot];
        b[pivot] = swap;
        for (size_t k = i + 1; k < d; k++) {
            double factor = a[k][i] / a[i][i];
            for (size_t j = i; j < d; j++)
                a[k][j] -= factor * a[i][j];
            b[k] -= factor * b[i];
        }
    }
    for (size_t i = d; i-- > 0;) {
        for (size_t j = i + 1; j < d; j++)
            b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}

void differentiate_period(const structure *s, const double *x, double S[DIMENSION][DIMENSION]) {
    const double h = 1e-6;
    for (size_t j = 0; j < DIMENSION; j++) {
        double y[DIMENSION], above[DIMENSION], below[DIMENSION];
        bool used = (j < MOST && j < s->n) || (j >= MOST && j < 2 * MOST && j - MOST < s->n) ||
                    (j >= 2 * MOST && j - 2 * MOST < s->m && s->contact[j - 2 * MOST].kt > 0.0);
        memcpy(y, x, sizeof y);
        y[j] += h;
        if (used)
            period_map(s, y, above, NULL);
        y[j] -= 2.0 * h;
        if (used)
            period_map(s, y, below, NULL);
        for (size_t i = 0; i < DIMENSION; i++)
            S[i][j] = used ? (above[i] - below[i]) / (2.0 * h) : 0.0;
    }
}

/* |S^k|^(1/k) for k = 2^30: the largest modulus of the eigenvalues. */
double spectral_radius(double S[DIMENSION][DIMENSION]) {
    double A[DIMENSION][DIMENSION], B[DIMENSION][DIMENSION], logarithm = 0.0, weight = 1.0;
    memcpy(A, S, sizeof A);
    for (int k = 0; k < 30; k++) {
        double size = 0.0;
        for (size_t i = 0; i < DIMENSION; i++)
            for (size_t j = 0; j < DIMENSION; j++)
                size = fmax(size, fabs(A[i][j]));
        logarithm += weight * log(size);
        weight *= 0.5;
        for (size_t i = 0; i < DIMENSION; i++)
            for (size_t j = 0; j < DIMENSION; j++) {
                B[i][j] = 0.0;
                for (size_t l = 0; l < DIMENSION; l++)
                    B[i][j] += A[i][l] / size * (A[l][j] / size);
            }
        memcpy(A, B, sizeof A);
    }
    return exp(logarithm);
}

double close_orbit(const structure *s, double *x) {
    double S[DIMENSION][DIMENSION], A[ORDER][ORDER], end[DIMENSION], error = INFINITY;
    bool moved = false;
    period_map(s, x, end, NULL);
    memcpy(x + 2 * MOST, end + 2 * MOST, CONTACTS * sizeof *x); /* the sliders, once taken round */
    for (int k = 0; k < 12 && !(error < 1e-9); k++) {
        double r[DIMENSION];
        period_map(s, x, end, &moved);
        differentiate_period(s, x, S);
        error = 0.0;
        for (size_t i = 0; i < DIMENSION; i++) {
            r[i] = end[i] - x[i];
            error = fmax(error, fabs(r[i]));
            for (size_t j = 0; j < DIMENSION; j++)
                A[i][j] = (i == j ? 1.0 : 0.0) - S[i][j];
        }
        solve_rows(DIMENSION, A, r);
        for (size_t i = 0; i < DIMENSION; i++)
            x[i] += r[i];
    }
    return error < 1e-9 && moved ? spectral_radius(S) : NAN;
}
