#include "analyses/squeal/confirm.h"
#include "base/try.h"

#include <math.h>

#include "base/arena.h"
#include "base/memory.h"

enum { MOST_STEPS = 40, MOST_FACTORS = 6, MOST_SECANTS = 40 };

/* A step this small (relative) is convergence. A larger one that no longer shrinks is rounding: below `rounding` at
 * once, below `settled` when new factors did not help. */
static const double finished = 1e-13, rounding = 1e-11, settled = 1e-7;

/* The factors are made a little beside the eigenvalue: on it, solutions would consist of the eigenvector alone. */
static const double beside = 1e-4;

/* Steps that shrink less than this ask for new factors. */
static const double slow = 0.3;

am_status am_squeal_workspace_init(am_squeal_workspace *work, const am_squeal_full *full, size_t modes, am_error *err) {
    *work = (am_squeal_workspace){.size = full->size};
    work->v = am_arena_new(&work->memory, 2 * full->size, sizeof *work->v, err);
    work->w = am_arena_new(&work->memory, 2 * full->size, sizeof *work->w, err);
    work->block = am_arena_new(&work->memory, 4 * full->size, sizeof *work->block, err);
    work->y = am_arena_new(&work->memory, modes, sizeof *work->y, err);
    return am_arena_status(&work->memory);
}

/* ---- vectors ---- */

static double complex product(const double complex *w, const double complex *v, size_t n) {
    double complex sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += conj(w[i]) * v[i];
    return sum;
}

static double size_of(const double complex *v, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += creal(v[i]) * creal(v[i]) + cimag(v[i]) * cimag(v[i]);
    return sqrt(sum);
}

/* w = M x, by its real and imaginary parts. */
static void weigh(const am_squeal_full *f, const double complex *x, double complex *w, double *parts) {
    for (int part = 0; part < 2; part++) {
        for (size_t i = 0; i < f->n; i++)
            parts[i] = part ? cimag(x[i]) : creal(x[i]);
        am_matrix_apply(am_system_mass(f->system), parts, parts + f->n);
        for (size_t i = 0; i < f->n; i++)
            w[i] = part ? w[i] + parts[f->n + i] * I : parts[f->n + i];
    }
}

static double residual(am_squeal_full *f, am_squeal_workspace *work, double complex s, double mu) {
    double terms;
    am_squeal_full_apply(f, s, mu, work->v, work->block, &terms);
    return terms > 0.0 ? size_of(work->block, f->n) / terms : INFINITY;
}

/* v is scaled so that w.v = 1 with w = M x. */
static void scale(const am_squeal_full *f, am_squeal_workspace *work) {
    weigh(f, work->v, work->w, (double *)work->block);
    double size = sqrt(fabs(creal(product(work->w, work->v, f->n))));
    for (size_t i = 0; i < f->size && size > 0.0; i++)
        work->v[i] /= size;
    for (size_t i = 0; i < f->n && size > 0.0; i++)
        work->w[i] /= size;
}

/* v = (Phi y, lambda). */
static am_status begin(const am_squeal_full *f, am_squeal_projected *q, am_squeal_workspace *work, double mu,
                       double complex s, am_squeal_pair *pair, am_error *err) {
    *pair = (am_squeal_pair){.mu = mu, .projected = s, .s = s, .residual = NAN, .step = NAN};
    AM_TRY(am_squeal_projected_vector(q, mu, s, work->y, work->v + f->n, err));
    am_squeal_projected_expand(q, work->y, work->v);
    scale(f, work);
    return AM_OK;
}

/* ---- Newton with frozen factors ---- */

typedef struct newton {
    am_squeal_full *full;
    am_squeal_workspace *work;
    int factors;
    int poor; /* slow steps in a row */
    double step, before;
} newton;

static am_status refactor(newton *k, double complex s, double mu, am_error *err) {
    bool singular = false;
    double complex place = s + beside * fmax(cabs(s), 1e-300) * (cimag(s) != 0.0 ? cexp(0.7 * I) : 1.0);
    k->factors++;
    k->poor = 0;
    AM_TRY(am_squeal_full_factor(k->full, place, mu, &singular, err));
    if (singular)
        AM_TRY(am_squeal_full_factor(k->full, place + 10.0 * beside * cabs(s), mu, &singular, err));
    if (singular)
        return am_fail(err, AM_ERR_EVIDENCE, "the matrix near the eigenvalue %g + %gi is singular", creal(s), cimag(s));
    return AM_OK;
}

/* Are the factors at hand near enough to try? */
static bool near(const am_squeal_full *f, double complex s, double mu) {
    return f->factored && cabs(f->factored_s - s) < 0.02 * cabs(s) && fabs(f->factored_mu - mu) < 0.05;
}

/* What the size of the last step says. */
typedef enum verdict { GO_ON, DONE, REFACTOR, HOPELESS } verdict;

static verdict judge(newton *k, double step) {
    k->before = k->step;
    k->step = step;
    if (!isfinite(step))
        return k->factors < MOST_FACTORS ? REFACTOR : HOPELESS;
    if (step < finished)
        return DONE;
    if (step > slow * k->before) {
        if (step < rounding || (step < settled && k->factors >= 3))
            return DONE;
        if (++k->poor >= 2)
            return k->factors < MOST_FACTORS ? REFACTOR : HOPELESS;
    } else {
        k->poor = 0;
    }
    return GO_ON;
}

/* dv = -(a + ds b) with w.dv = 0: for one eigenpair. */
static am_status pair_step(newton *k, double mu, double complex *s, am_error *err) {
    am_squeal_full *f = k->full;
    double complex *v = k->work->v, *a = k->work->block, *b = a + f->size;
    am_squeal_full_apply(f, *s, mu, v, a, NULL);
    am_squeal_full_by_s(f, *s, mu, v, b);
    AM_TRY(am_squeal_full_solve(f, a, 2, err));
    double complex ds = -product(k->work->w, a, f->n) / product(k->work->w, b, f->n);
    for (size_t i = 0; i < f->size; i++)
        v[i] -= a[i] + ds * b[i];
    *s += ds;
    k->before = k->step;
    k->step = cabs(ds) / cabs(*s);
    return AM_OK;
}

/* Until s stays; *lost: it went to infinity, or, with factors made for another eigenvalue (`borrowed`), the steps grew:
 * those pull towards the other one. */
static am_status iterate(newton *k, double mu, bool borrowed, am_squeal_pair *pair, bool *lost, am_error *err) {
    *lost = false;
    for (int step = 0; step < MOST_STEPS; step++) {
        double before = k->step;
        AM_TRY(pair_step(k, mu, &pair->s, err));
        double size = k->step;
        k->step = before;
        verdict next = judge(k, size);
        pair->step = size;
        pair->confirmed = next == DONE;
        *lost = !isfinite(size) || (borrowed && k->factors == 0 && size > fmin(before, 1e-2));
        if (next == DONE || next == HOPELESS || *lost)
            break;
        if (next == REFACTOR)
            AM_TRY(refactor(k, pair->s, mu, err));
    }
    if (!*lost)
        pair->residual = residual(k->full, k->work, pair->s, mu);
    return AM_OK;
}

am_status am_squeal_confirm(am_squeal_full *full, am_squeal_projected *projected, am_squeal_workspace *work, double mu,
                            double complex s, bool fresh, am_squeal_pair *pair, am_error *err) {
    newton k = {.full = full, .work = work, .step = INFINITY, .before = INFINITY};
    bool lost = true;
    for (int attempt = 0; attempt < 2 && lost; attempt++) { /* again with factors of its own */
        AM_TRY(begin(full, projected, work, mu, s, pair, err));
        k.step = INFINITY;
        bool own = fresh || attempt > 0 || !near(full, s, mu);
        if (own)
            AM_TRY(refactor(&k, s, mu, err));
        AM_TRY(iterate(&k, mu, !own, pair, &lost, err));
    }
    return AM_OK;
}

am_status am_squeal_refine(am_squeal_full *full, am_squeal_workspace *work, double mu, double complex s, bool fresh,
                           am_squeal_pair *pair, am_error *err) {
    newton k = {.full = full, .work = work, .step = INFINITY, .before = INFINITY};
    bool lost;
    *pair = (am_squeal_pair){.mu = mu, .projected = s, .s = s, .residual = NAN, .step = NAN};
    scale(full, work);
    AM_TRY(fresh || !near(full, s, mu) ? refactor(&k, s, mu, err) : AM_OK);
    return iterate(&k, mu, false, pair, &lost, err);
}

am_status am_squeal_inverse_iteration(am_squeal_full *full, am_squeal_workspace *work, double mu, double complex s,
                                      am_error *err) {
    newton k = {.full = full, .work = work};
    AM_TRY(refactor(&k, s, mu, err));
    for (size_t i = 0; i < full->size; i++)
        work->v[i] = cos(1.0 + 1.7 * (double)i) + sin(0.3 + 2.3 * (double)i) * I;
    for (int step = 0; step < 3; step++) {
        AM_TRY(am_squeal_full_solve(full, work->v, 1, err));
        double size = size_of(work->v, full->size);
        for (size_t i = 0; i < full->size; i++)
            work->v[i] /= size;
    }
    return AM_OK;
}

am_status am_squeal_second_vector(am_squeal_full *full, am_squeal_workspace *work, double mu, double complex s,
                                  const double complex *other, double *left, am_error *err) {
    AM_TRY(am_squeal_inverse_iteration(full, work, mu, s, err));
    weigh(full, other, work->w, (double *)work->block);
    double complex part = product(work->w, work->v, full->n) / product(work->w, other, full->n);
    for (size_t i = 0; i < full->size; i++)
        work->v[i] -= part * other[i];
    scale(full, work);
    *left = residual(full, work, s, mu);
    return AM_OK;
}

/* ---- crossings ---- */

/* a + i domega b + dmu c = 0 in the direction of w: two real equations (flutter), or one (divergence). */
static am_status crossing_step(newton *k, am_threshold_kind kind, double *mu, double complex *s, am_error *err) {
    am_squeal_full *f = k->full;
    double complex *v = k->work->v, *a = k->work->block, *b = a + f->size, *c = b + f->size;
    am_squeal_full_apply(f, *s, *mu, v, a, NULL);
    am_squeal_full_by_s(f, *s, *mu, v, b);
    am_squeal_full_by_mu(f, *s, *mu, v, c);
    AM_TRY(am_squeal_full_solve(f, a, 3, err));
    double complex wa = product(k->work->w, a, f->n), wb = I * product(k->work->w, b, f->n);
    double complex wc = product(k->work->w, c, f->n);
    double dmu, domega = 0.0;
    if (kind == AM_THRESHOLD_DIVERGENCE) {
        dmu = -creal(wa / wc);
    } else {
        double det = creal(wb) * cimag(wc) - cimag(wb) * creal(wc);
        domega = -(creal(wa) * cimag(wc) - cimag(wa) * creal(wc)) / det;
        dmu = -(creal(wb) * cimag(wa) - cimag(wb) * creal(wa)) / det;
    }
    for (size_t i = 0; i < f->size; i++)
        v[i] -= a[i] + I * domega * b[i] + dmu * c[i];
    *s += I * domega;
    *mu += dmu;
    k->step = fmax(fabs(dmu) / fmax(fabs(*mu), 1e-3), cabs(*s) > 0.0 ? fabs(domega) / cabs(*s) : 0.0);
    return AM_OK;
}

static am_status follow_crossing(newton *k, am_squeal_projected *q, am_threshold_kind kind, double mu, double complex s,
                                 am_squeal_pair *pair, am_error *err) {
    pair->s = kind == AM_THRESHOLD_DIVERGENCE ? 0.0 : cimag(s) * I;
    double complex near_zero = 1e-3 * sqrt(q->omega2[0] > 0.0 ? q->omega2[0] : 1e-6 * q->omega2[q->p - 1]);
    AM_TRY(refactor(k, kind == AM_THRESHOLD_DIVERGENCE ? near_zero : pair->s, mu, err));
    for (int step = 0; step < MOST_STEPS; step++) {
        double before = k->step;
        AM_TRY(crossing_step(k, kind, &pair->mu, &pair->s, err));
        double size = k->step;
        k->step = before;
        verdict next = judge(k, size);
        pair->step = size;
        pair->confirmed = next == DONE;
        if (next == DONE || next == HOPELESS || !isfinite(size))
            break;
        if (next == REFACTOR)
            AM_TRY(refactor(k, kind == AM_THRESHOLD_DIVERGENCE ? near_zero : pair->s, pair->mu, err));
    }
    pair->residual = residual(k->full, k->work, pair->s, pair->mu);
    return AM_OK;
}

/* ---- two frequencies that meet ---- */

/* Without damping P(s, mu) = A(mu) - z B with z = -s^2, everything real. The two vectors whose frequencies meet span a
 * space with A X = B X Z that changes smoothly with mu, and so does the discriminant of the 2 x 2 matrix Z, whose sign
 * change is the crossing. Complex numbers only carry real ones here. */
typedef struct meeting {
    newton *k;
    double complex *X[2], *W[2];
    double Z[4];
    double z; /* the factors' */
} meeting;

static void inverse2(const double a[4], double out[4]) {
    double det = a[0] * a[3] - a[1] * a[2];
    out[0] = a[3] / det, out[1] = -a[1] / det, out[2] = -a[2] / det, out[3] = a[0] / det;
}

static void times2(const double a[4], const double b[4], double out[4]) {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            out[2 * i + j] = a[2 * i] * b[j] + a[2 * i + 1] * b[2 + j];
}

/* X -= X (W.X)^-1 kind of scaling, so that W.X = 1. */
static void normalise(meeting *t, size_t n, size_t size) {
    double g[4], inverse[4];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            g[2 * i + j] = creal(product(t->W[i], t->X[j], n));
    inverse2(g, inverse);
    for (size_t e = 0; e < size; e++) {
        double complex x0 = t->X[0][e], x1 = t->X[1][e];
        t->X[0][e] = x0 * inverse[0] + x1 * inverse[2];
        t->X[1][e] = x0 * inverse[1] + x1 * inverse[3];
    }
}

/* One step for X and Z at mu; *change: of Z, relative. */
static am_status meeting_step(meeting *t, double mu, double *change, am_error *err) {
    am_squeal_full *f = t->k->full;
    size_t size = f->size;
    double complex *block = t->k->work->block;
    for (int j = 0; j < 2; j++) { /* A X, and B X = (A X - P X)/z with P at the factors' s */
        double complex s = I * sqrt(t->z);
        am_squeal_full_apply(f, 0.0, mu, t->X[j], block + (size_t)j * size, NULL);
        am_squeal_full_by_s(f, s, mu, t->X[j], block + (size_t)(2 + j) * size); /* 2 s B X */
        for (size_t e = 0; e < size; e++)
            block[(size_t)(2 + j) * size + e] = e < f->n ? block[(size_t)(2 + j) * size + e] / (2.0 * s) : 0.0;
    }
    AM_TRY(am_squeal_full_solve(f, block, 4, err));
    double wa[4], wb[4], inverse[4], Z[4];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            wa[2 * i + j] = creal(product(t->W[i], block + (size_t)j * size, f->n));
            wb[2 * i + j] = creal(product(t->W[i], block + (size_t)(2 + j) * size, f->n));
        }
    inverse2(wb, inverse);
    times2(inverse, wa, Z);
    *change = 0.0;
    for (int e = 0; e < 4; e++) {
        *change = fmax(*change, fabs(Z[e] - t->Z[e]) / t->z);
        t->Z[e] = Z[e];
    }
    for (size_t e = 0; e < size; e++) {
        double complex b0 = block[2 * size + e], b1 = block[3 * size + e];
        t->X[0][e] -= block[e] - (b0 * Z[0] + b1 * Z[2]);
        t->X[1][e] -= block[size + e] - (b0 * Z[1] + b1 * Z[3]);
    }
    return AM_OK;
}

static am_status discriminant(meeting *t, double mu, double *value, am_error *err) {
    double change = INFINITY, before;
    for (int step = 0; step < MOST_STEPS; step++) {
        before = change;
        AM_TRY(meeting_step(t, mu, &change, err));
        if (change < 1e-14 || (change < 1e-9 && change > 0.5 * before))
            break;
    }
    double half = 0.5 * (t->Z[0] - t->Z[3]);
    *value = (half * half + t->Z[1] * t->Z[2]) / (t->z * t->z);
    if (!(change < 1e-6))
        *value = NAN;
    return AM_OK;
}

/* Start: real and imaginary part of the vector just beyond the meeting. */
static am_status prepare_meeting(meeting *t, am_squeal_projected *q, double mu, double complex s, double beyond,
                                 am_squeal_pair *pair, am_error *err) {
    am_squeal_full *f = t->k->full;
    am_squeal_workspace *work = t->k->work;
    t->X[0] = work->v, t->X[1] = work->v + f->size;
    t->W[0] = work->w, t->W[1] = work->w + f->size;
    AM_TRY(begin(f, q, work, beyond, s, pair, err));
    pair->mu = mu;
    /* A complex factor that makes real and imaginary parts orthogonal: x.M x real and positive. */
    double complex square = 0.0;
    for (size_t i = 0; i < f->n; i++)
        square += work->w[i] * work->v[i];
    double complex rotation = cexp(-0.5 * I * carg(square));
    for (size_t i = 0; i < f->size; i++) {
        double complex x = work->v[i] * rotation;
        t->X[0][i] = creal(x);
        t->X[1][i] = cimag(x);
    }
    for (int j = 0; j < 2; j++)
        weigh(f, t->X[j], t->W[j], (double *)work->block);
    normalise(t, f->n, f->size);
    t->z = -creal(s * s) * (1.0 + 10.0 * beside);
    bool singular = false;
    return am_squeal_full_factor(f, I * sqrt(t->z), mu, &singular, err);
}

static am_status find_meeting(newton *k, am_squeal_projected *q, double mu, double complex s, double beyond,
                              am_squeal_pair *pair, am_error *err) {
    meeting t = {.k = k};
    AM_TRY(prepare_meeting(&t, q, mu, s, beyond, pair, err));
    double last = mu, here = mu * (1.0 + 1e-3), at_last = NAN, at_here = NAN;
    AM_TRY(discriminant(&t, last, &at_last, err));
    for (int step = 0; step < MOST_SECANTS; step++) {
        AM_TRY(discriminant(&t, here, &at_here, err));
        double next = here - at_here * (here - last) / (at_here - at_last);
        if (!isfinite(next) || at_here == 0.0)
            break;
        last = here, at_last = at_here, here = next;
        pair->step = fabs(here - last) / fmax(fabs(here), 1e-3);
        if (pair->step < 1e-13 || (step > 6 && pair->step < 1e-9))
            break;
    }
    pair->mu = here;
    pair->s = I * sqrt(0.5 * (t.Z[0] + t.Z[3]));
    pair->confirmed = isfinite(here) && pair->step < 1e-8;
    /* The one vector of the double eigenvalue: the null direction of Z - z. */
    double z = 0.5 * (t.Z[0] + t.Z[3]), p = t.Z[1], r = z - t.Z[0];
    if (fabs(t.Z[2]) > fabs(t.Z[1]))
        p = z - t.Z[3], r = t.Z[2];
    for (size_t e = 0; e < k->full->size; e++)
        k->work->v[e] = p * t.X[0][e] + r * t.X[1][e];
    pair->residual = residual(k->full, k->work, pair->s, pair->mu);
    return AM_OK;
}

am_status am_squeal_confirm_crossing(am_squeal_full *full, am_squeal_projected *projected, am_squeal_workspace *work,
                                     am_threshold_kind kind, double mu, double complex s, am_squeal_pair *pair,
                                     am_error *err) {
    newton k = {.full = full, .work = work, .step = INFINITY, .before = INFINITY};
    if (kind == AM_THRESHOLD_COALESCENCE) {
        double beyond = mu * (1.0 + 1e-4) + 1e-9;
        double complex *all = am_memory_new(projected->most, sizeof *all, err), pick = s;
        size_t count = 0;
        am_status status = all ? am_squeal_projected_eigenvalues(projected, beyond, all, &count, err) : AM_ERR_MEMORY;
        for (size_t i = 0; i < count && !status; i++) /* the growing one of the pair that has just met */
            if (creal(all[i]) > 0.0 && (pick == s || cabs(all[i] - s) < cabs(pick - s)))
                pick = all[i];
        am_memory_free(all);
        return status ? status : find_meeting(&k, projected, mu, pick, beyond, pair, err);
    }
    am_status status = begin(full, projected, work, mu, s, pair, err);
    return status ? status : follow_crossing(&k, projected, kind, mu, s, pair, err);
}

am_status am_squeal_refine_crossing(am_squeal_full *full, am_squeal_projected *projected, am_squeal_workspace *work,
                                    am_threshold_kind kind, double mu, double complex s, am_squeal_pair *pair,
                                    am_error *err) {
    newton k = {.full = full, .work = work, .step = INFINITY, .before = INFINITY};
    *pair = (am_squeal_pair){.mu = mu, .projected = s, .s = s, .residual = NAN, .step = NAN};
    scale(full, work);
    return follow_crossing(&k, projected, kind, mu, s, pair, err);
}
