/* Eigenvalues of M y'' + C y' + K y = 0: docs/stability.md, section "How it is computed". */
#include "analyses/stability/linearised.h"
#include "base/local.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/stability/mode_order.h"
#include "analyses/stability/slow_modes.h"
#include "math/dense.h"
#include "math/eigen.h"

/* ---- eigenvalues of the quadratic problem ---- */

typedef struct modes {
    size_t count;
    am_mode *mode;   /* 2 k: real eigenvalues, and of a pair the one with positive imaginary part */
    double *re, *im; /* 2 k x k: their shapes in reduced coordinates, in the order in which they were found */
    double *matrix;  /* 2 k x 2 k, zero: for the one whose eigenvalues are asked for */
} modes;

/* The vector of eigenvalue j: its real and imaginary part (NULL when real), for the member of a pair with positive
 * imaginary part. */
static void vector_of(const am_eigen *e, size_t j, const double **x, const double **y) {
    size_t first = e->imaginary[j] < 0.0 ? j - 1 : j;
    *x = e->vectors + first * e->n;
    *y = e->imaginary[j] != 0.0 ? *x + e->n : NULL;
}

/* The conjugate of a pair is left out: everything about it follows. y NULL: real. */
static void add_mode(const am_linearised *r, modes *found, am_mode m, const double *x, const double *y, double sign) {
    size_t k = r->k;
    double *re = found->re + found->count * k, *im = found->im + found->count * k;
    if (m.imaginary < 0.0)
        return;
    memcpy(re, x, k * sizeof *x);
    for (size_t i = 0; i < k; i++)
        im[i] = y ? sign * y[i] : 0.0;
    m.re = re;
    m.im = im;
    m.residual = am_mode_residual(r, m.real, m.imaginary, m.re, m.im);
    found->mode[found->count++] = m;
}

static double least(const double *values, size_t count) {
    double found = INFINITY;
    for (size_t i = 0; i < count; i++)
        found = fmin(found, values[i]);
    return found;
}

/* out += inverse a, both k x k; rows of out are `stride` long. */
static void add_product(const double *inverse, const double *a, size_t k, double factor, size_t stride, double *out) {
    for (size_t i = 0; i < k; i++)
        for (size_t l = 0; l < k; l++) {
            double f = factor * inverse[i * k + l];
            for (size_t j = 0; j < k; j++)
                out[i * stride + j] += f * a[l * k + j];
        }
}

/* |kappa - an eigenvalue| is at most the length of r = K x - kappa M x in M^-1, x.M x = 1; and the rounding of each entry of K
 * and M moves it by so many of the terms that add up to it. */
static double doubt_of(const am_linearised *r, double kappa, const double *x, double *rest) {
    size_t k = r->k;
    double square = 0.0, terms = 0.0;
    for (size_t i = 0; i < k; i++) {
        rest[i] = am_dense_dot(r->K + i * k, x, k) - kappa * am_dense_dot(r->M + i * k, x, k);
        for (size_t j = 0; j < k; j++)
            terms += fabs(x[i] * x[j]) * (fabs(r->K[i * k + j]) + fabs(kappa * r->M[i * k + j]));
    }
    for (size_t i = 0; i < k; i++)
        square += rest[i] * am_dense_dot(r->inverse + i * k, rest, k);
    return sqrt(fmax(square, 0.0)) + 4.0 * DBL_EPSILON * terms;
}

/* Slow modes: M x = theta (K + sigma M) x with kappa = 1/theta - sigma, ascending. sigma is of the size of the smallest
 * kappa, so that these are the largest theta, of which nothing is lost however fast other coordinates are. */
static bool solve_slow(const am_linearised *r, double *work, double *values, double *vectors) {
    size_t k = r->k;
    double sigma = INFINITY, *theta = work + k * k;
    am_error own = {0};
    for (size_t i = 0; i < k; i++)
        sigma = fmin(sigma, fabs(r->K[i * k + i] / r->M[i * k + i]));
    for (size_t i = 0; i < k * k; i++)
        work[i] = r->K[i] + sigma * r->M[i];
    memcpy(vectors, r->M, k * k * sizeof *r->M);
    if (!(sigma > 0.0) || am_generalised_eigen(vectors, work, k, theta, &own) != AM_OK || !(theta[0] > 0.0))
        return false;
    for (size_t j = 0; j < k; j++) {
        double *x = vectors + j * k;
        values[k - 1 - j] = 1.0 / theta[j] - sigma;
        for (size_t i = 0; i < k; i++)
            x[i] /= sqrt(theta[j]);
    }
    for (size_t j = 0; 2 * j + 1 < k; j++)
        for (size_t i = 0; i < k; i++) {
            double swap = vectors[j * k + i];
            vectors[j * k + i] = vectors[(k - 1 - j) * k + i];
            vectors[(k - 1 - j) * k + i] = swap;
        }
    return true;
}

/* Slow modes instead of those in e, up to a gap beyond which the latter are known better. */
static void take_slow(const am_linearised *r, double *work, am_eigen *e) {
    size_t k = r->k, split = 0;
    double *vectors = work + k * k + k, *values = vectors + k * k, *doubts = values + k;
    if (!solve_slow(r, work, values, vectors))
        return;
    for (size_t j = 0; j < k; j++)
        doubts[j] = doubt_of(r, values[j], vectors + j * k, work);
    while (split < k && doubts[split] < e->uncertainty[split])
        split++;
    while (split > 0 && split < k &&
           !(e->real[split] - values[split - 1] > 10.0 * (e->uncertainty[split] + doubts[split - 1])))
        split--;
    memcpy(e->vectors, vectors, split * k * sizeof *vectors);
    memcpy(e->real, values, split * sizeof *values);
    memcpy(e->uncertainty, doubts, split * sizeof *doubts);
}

/* Where nothing but springs acts, modes are those of a symmetric pair: no rounding lets them run into each other, however
 * different the masses are. Rigid contacts leave less of the coordinates, whose stiffness may be what is left of larger terms.
 * `e` has room for k modes, work for 4 k^2 numbers. False: they are not symmetric, or M is not positive. */
static bool solve_symmetric(const am_linearised *r, double *work, am_eigen *e) {
    size_t k = r->k;
    am_error own = {0};
    if (k == 0 || k < r->n || !am_modes_symmetric(r->K, k) || !am_modes_symmetric(r->M, k))
        return false;
    memcpy(e->vectors, r->K, k * k * sizeof *r->K);
    memcpy(work, r->M, k * k * sizeof *r->M);
    if (am_generalised_eigen(e->vectors, work, k, e->real, &own) != AM_OK)
        return false;
    for (size_t j = 0; j < k; j++) {
        e->imaginary[j] = 0.0;
        e->uncertainty[j] = doubt_of(r, e->real[j], e->vectors + j * k, work);
    }
    if (k > 1)
        take_slow(r, work, e);
    return true;
}

static am_status undamped_eigen(const am_linearised *r, modes *found, am_eigen *e, am_error *err) {
    size_t k = r->k;
    *e = (am_eigen){.n = k, .memory = am_memory_new(k * k + 3 * k, sizeof(double), err)};
    if (!e->memory)
        return AM_ERR_MEMORY;
    e->vectors = e->memory;
    e->real = e->vectors + k * k;
    e->imaginary = e->real + k;
    e->uncertainty = e->imaginary + k;
    if (solve_symmetric(r, found->matrix, e))
        return AM_OK;
    am_eigen_clear(e);
    memset(found->matrix, 0, k * k * sizeof *found->matrix);
    add_product(r->inverse, r->K, k, 1.0, k, found->matrix);
    return am_eigen_init(e, found->matrix, k, r->terms, err);
}

/* Without damping l^2 = -kappa with M^-1 K y = kappa y: an order of half the size, and undamped frequencies come out
 * with a real part that is exactly zero. */
static am_status undamped_modes(const am_linearised *r, modes *found, am_error *err) {
    size_t k = r->k;
    am_eigen e;
    AM_TRY(undamped_eigen(r, found, &e, err));
    double rounding = least(e.uncertainty, k);
    for (size_t j = 0; j < k; j++) {
        const double *x, *y;
        double p = -e.real[j], q = e.imaginary[j] == 0.0 ? 0.0 : -e.imaginary[j], size = hypot(p, q);
        /* The root with positive real part, without cancellation. */
        double re = p >= 0.0 ? sqrt(0.5 * (size + p)) : (size > 0.0 ? fabs(q) / sqrt(2.0 * (size - p)) : 0.0);
        double im = p >= 0.0 ? (re > 0.0 ? 0.5 * q / re : 0.0) : copysign(sqrt(0.5 * (size - p)), q);
        double speed = sqrt(size), doubt = e.uncertainty[j];
        vector_of(&e, j, &x, &y);
        /* Vectors belong to the member with positive imaginary part of kappa: the conjugate root goes with it. */
        double sign = e.imaginary[j] < 0.0 ? -1.0 : 1.0;
        am_mode m = {.real = re, .imaginary = im};
        m.uncertainty = size > doubt ? 0.5 * doubt / speed : sqrt(doubt);
        m.rounding = size > rounding ? 0.5 * rounding / speed : sqrt(rounding);
        add_mode(r, found, m, x, y, sign);
        m.real = re == 0.0 ? 0.0 : -re;
        m.imaginary = im == 0.0 ? 0.0 : -im;
        add_mode(r, found, m, x, y, sign);
    }
    am_eigen_clear(&e);
    return AM_OK;
}

/* With damping: (y, y'/w)' = [0, w; -M^-1 K/w, -M^-1 C] (y, y'/w), w the size of natural frequencies. */
static am_status damped_eigen(const am_linearised *r, double speed, double *a, am_eigen *e, am_error *err) {
    size_t k = r->k, size = 2 * k;
    add_product(r->inverse, r->K, k, -1.0 / speed, size, a + k * size);
    add_product(r->inverse, r->C, k, -1.0, size, a + k * size + k);
    for (size_t i = 0; i < k; i++)
        a[i * size + k + i] = speed;
    return am_eigen_init(e, a, size, speed, err);
}

/* Has rounding left fewer than six digits of an eigenvalue? */
static bool is_doubtful(const am_eigen *e) {
    for (size_t j = 0; j < e->n; j++)
        if (!(e->uncertainty[j] <= 1e-6 * hypot(e->real[j], e->imaginary[j])))
            return true;
    return false;
}

/* Are two eigenvalues too near to be told apart with rounding of the size of the fastest? */
static bool coincide(const am_eigen *e) {
    double distance = 2.0 * least(e->uncertainty, e->n);
    for (size_t j = 0; j < e->n; j++)
        for (size_t i = 0; i < j; i++)
            if (fabs(e->real[j] - e->real[i]) <= distance && fabs(e->imaginary[j] - e->imaginary[i]) <= distance)
                return true;
    return false;
}

typedef struct far {
    double distance; /* from sigma */
    size_t index;
} far;

static int by_distance(const void *a, const void *b) {
    const far *x = a, *y = b;
    int order = (x->distance > y->distance) - (x->distance < y->distance);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static void sort_by_distance(const am_eigen *e, double sigma, far *out) {
    for (size_t j = 0; j < e->n; j++)
        out[j] = (far){hypot(e->real[j] - sigma, e->imaginary[j]), j};
    qsort(out, e->n, sizeof *out, by_distance);
}

/* So many are known better as slow modes: up to a gap. */
static size_t count_slow(const am_eigen *e, const am_eigen *slow, const far *fast_order, const far *slow_order) {
    size_t split = 0;
    while (split < e->n && slow->uncertainty[slow_order[split].index] < e->uncertainty[fast_order[split].index])
        split++;
    while (split > 0 && split < e->n &&
           !(fast_order[split].distance - slow_order[split - 1].distance >
             10.0 * (e->uncertainty[fast_order[split].index] + slow->uncertainty[slow_order[split - 1].index])))
        split--;
    return split;
}

/* x, or beyond `speed` its rate, which has more of its digits there. */
static void add_eigen(const am_linearised *r, const am_eigen *e, size_t j, double speed, double rounding,
                      modes *found) {
    const double *x, *y;
    size_t half = hypot(e->real[j], e->imaginary[j]) > speed ? r->k : 0;
    am_mode m = {
        .real = e->real[j], .imaginary = e->imaginary[j], .uncertainty = e->uncertainty[j], .rounding = rounding};
    vector_of(e, j, &x, &y);
    add_mode(r, found, m, x + half, y ? y + half : NULL, 1.0);
}

static am_status add_slow_and_fast(const am_linearised *r, const am_eigen *e, double speed, const am_slow_modes *slow,
                                   modes *found, am_error *err) {
    size_t size = e->n;
    AM_LOCAL_MEMORY far *order = am_memory_new(2 * size, sizeof *order, err);
    if (!order)
        return AM_ERR_MEMORY;
    sort_by_distance(e, slow->sigma, order);
    sort_by_distance(&slow->eigen, slow->sigma, order + size);
    size_t split = count_slow(e, &slow->eigen, order, order + size);
    for (size_t i = 0; i < split; i++) {
        const far *at = &order[size + i];
        add_eigen(r, &slow->eigen, at->index, INFINITY, slow->rounding * at->distance * at->distance, found);
    }
    for (size_t i = split; i < size; i++)
        add_eigen(r, e, order[i].index, speed, least(e->uncertainty, size), found);
    return AM_OK;
}

static am_status damped_modes(const am_linearised *r, modes *found, am_error *err) {
    am_eigen e;
    am_slow_modes slow = {0};
    double speed = r->terms > 0.0 ? sqrt(r->terms) : 1.0;
    AM_TRY(damped_eigen(r, speed, found->matrix, &e, err));
    am_status status = is_doubtful(&e) || coincide(&e) ? am_slow_modes_init(&slow, r, err) : AM_OK;
    if (!status && slow.eigen.n > 0)
        status = add_slow_and_fast(r, &e, speed, &slow, found, err);
    for (size_t j = 0; j < e.n && !status && slow.eigen.n == 0; j++)
        add_eigen(r, &e, j, speed, least(e.uncertainty, e.n), found);
    am_slow_modes_clear(&slow);
    am_eigen_clear(&e);
    return status;
}

/* Residual of A z = (a + i b) z, relative to the size of A; y NULL: real. */
static double eigen_residual(const double *a, size_t size, am_mode m, const double *x, const double *y) {
    double worst = 0.0, length = am_dense_largest(x, size), norm = am_dense_largest_row(a, size);
    for (size_t i = 0; i < size; i++) {
        double v = y ? y[i] : 0.0, re = am_dense_dot(a + i * size, x, size) - m.real * x[i] + m.imaginary * v;
        double im = y ? am_dense_dot(a + i * size, y, size) - m.real * v - m.imaginary * x[i] : 0.0;
        worst = !(hypot(re, im) <= worst) ? hypot(re, im) : worst;
        length = fmax(length, fabs(v));
    }
    return worst > 0.0 ? worst / (norm * length) : worst;
}

/* The unit of what is remembered by which it acts as strongly on the structure as the structure on it. */
static double inner_unit(const am_linearised *r, size_t w, double speed) {
    double acts = am_dense_largest(r->P + w * r->k, r->k) * am_dense_largest(r->inverse, r->k * r->k) / speed;
    double felt = am_dense_largest(r->Q + w * r->k, r->k) + speed * am_dense_largest(r->V + w * r->k, r->k);
    return acts > 0.0 && felt > 0.0 ? sqrt(felt / acts) : 1.0;
}

/* out (size) = row i of E^-1 (-K y - C y' - P w) over (y, y'/speed of what has mass, w/unit): y'' of a coordinate, or y' of
 * one without mass. */
static void fill_rate(const am_linearised *r, size_t i, double speed, const double *unit, double *out) {
    size_t k = r->k, massive = 0;
    for (size_t j = 0; j < k; j++) {
        for (size_t l = 0; l < k; l++)
            out[j] -= r->inverse[i * k + l] * r->K[l * k + j];
        if (r->massless[j])
            continue;
        for (size_t l = 0; l < k; l++)
            out[k + massive] -= speed * r->inverse[i * k + l] * r->C[l * k + j];
        massive++;
    }
    for (size_t w = 0; w < r->inner; w++)
        out[k + massive + w] = -unit[w] * am_dense_dot(r->inverse + i * k, r->P + w * k, k);
}

/* a (size x size, zero before) of (y, y'/speed of what has mass, w/unit)' = a (...), with what friction remembers. rate:
 * size, work space. */
static void fill_first_order(const am_linearised *r, double speed, const double *unit, size_t size, double *rate,
                             double *a) {
    size_t k = r->k, inner = size - r->inner;
    for (size_t i = 0, massive = 0; i < k; i++) {
        double *row = a + (r->massless[i] ? i : k + massive) * size, part = r->massless[i] ? 1.0 : 1.0 / speed;
        memset(rate, 0, size * sizeof *rate);
        fill_rate(r, i, speed, unit, rate);
        for (size_t j = 0; j < size; j++)
            row[j] = part * rate[j];
        for (size_t w = 0; w < r->inner; w++) { /* w' = Q y + V y' + decay w */
            double *own = a + (inner + w) * size, felt = r->V[w * k + i] / unit[w];
            own[i] += r->Q[w * k + i] / unit[w];
            for (size_t j = 0; j < size && r->massless[i]; j++)
                own[j] += felt * rate[j];
            if (!r->massless[i])
                own[k + massive] += felt * speed;
        }
        if (!r->massless[i])
            a[i * size + k + massive++] = speed;
    }
    for (size_t w = 0; w < r->inner; w++)
        for (size_t by = 0; by < r->inner; by++)
            a[(inner + w) * size + inner + by] += r->decay[w * r->inner + by] * unit[by] / unit[w];
}

/* With what friction remembers, and coordinates without mass. */
static am_status first_order_modes(const am_linearised *r, modes *found, am_error *err) {
    size_t k = r->k, size = 2 * k - r->followers + r->inner;
    AM_LOCAL_ARENA memory = {0};
    am_eigen e;
    double *unit = am_arena_doubles(&memory, NULL, r->inner, err), *rate = am_arena_doubles(&memory, NULL, size, err);
    double *kept = am_arena_doubles(&memory, NULL, size * size, err); /* the matrix, which does not outlive am_eigen */
    AM_TRY(am_arena_status(&memory));
    double *a = found->matrix, speed = r->terms > 0.0 ? (r->followers == k ? r->terms : sqrt(r->terms)) : 1.0;
    for (size_t w = 0; w < r->inner; w++)
        unit[w] = inner_unit(r, w, speed);
    fill_first_order(r, speed, unit, size, rate, a);
    memcpy(kept, a, size * size * sizeof *a);
    AM_TRY(am_eigen_init(&e, a, size, speed, err));
    double rounding = least(e.uncertainty, size);
    for (size_t j = 0; j < size; j++) {
        const double *x, *y;
        vector_of(&e, j, &x, &y);
        am_mode m = {
            .real = e.real[j], .imaginary = e.imaginary[j], .uncertainty = e.uncertainty[j], .rounding = rounding};
        size_t before = found->count;
        add_mode(r, found, m, x, y, 1.0);
        if (found->count > before)
            found->mode[before].residual = eigen_residual(kept, size, m, x, y);
    }
    am_eigen_clear(&e);
    return AM_OK;
}

/* ---- the spectrum ---- */

/* The shape in the coordinates of the structure, turned and scaled: the largest entry is 1, or has the size 1 where
 * others before it are as large but for AM_SHAPE_TIE, of which the first is real and positive then. */
static void fill_shape(const am_linearised *r, const am_mode *m, double *re, double *im) {
    const double tie = (1.0 + AM_SHAPE_TIE) * (1.0 + AM_SHAPE_TIE);
    size_t first = 0;
    double most = 0.0, square = 0.0; /* of all, of the first */
    am_mode_shape(r, m->re, re);
    if (m->im)
        am_mode_shape(r, m->im, im);
    for (size_t i = 0; i < r->n; i++) {
        double own = re[i] * re[i] + im[i] * im[i];
        most = own > most ? own : most;
        if (own > tie * square) {
            first = i;
            square = own;
        }
    }
    most = sqrt(most);
    double size = sqrt(square), a = re[first] / size, b = im[first] / size;
    for (size_t i = 0; i < r->n && most > 0.0; i++) {
        double x = re[i] / most, y = im[i] / most;
        re[i] = x * a + y * b;
        im[i] = y * a - x * b;
    }
    im[first] = 0.0;
}

static void fill_mode(const am_mode *m, bool conjugate, am_spectrum *out) {
    size_t i = out->count++, n = out->n;
    out->real[i] = m->real;
    out->imaginary[i] = conjugate ? -m->imaginary : m->imaginary;
    out->uncertainty[i] = m->uncertainty;
    out->residual = !(m->residual <= out->residual) ? m->residual : out->residual;
    for (size_t j = 0; conjugate && j < n; j++) {
        out->shape[i * n + j] = out->shape[(i - 1) * n + j];
        out->shape_imaginary[i * n + j] = -out->shape_imaginary[(i - 1) * n + j];
    }
}

static am_status fill_spectrum(const am_linearised *r, const modes *found, am_spectrum *out, am_error *err) {
    size_t count = 2 * r->k + r->inner, n = r->n;
    double *p = out->memory = am_memory_new(3 * count + 2 * count * n, sizeof *p, err);
    if (!p)
        return AM_ERR_MEMORY;
    out->count = 0;
    out->n = n;
    out->real = p;
    out->imaginary = p + count;
    out->uncertainty = p + 2 * count;
    out->shape = p + 3 * count;
    out->shape_imaginary = out->shape + count * n;
    for (size_t i = 0; i < found->count; i++) {
        const am_mode *m = &found->mode[i];
        fill_shape(r, m, out->shape + out->count * n, out->shape_imaginary + out->count * n);
        fill_mode(m, false, out);
        if (m->imaginary > 0.0)
            fill_mode(m, true, out);
    }
    return AM_OK;
}

am_status am_spectrum_solve(const am_linearised *linearised, am_spectrum *spectrum, am_error *err) {
    const am_linearised *r = linearised;
    size_t k = r->k, size = 2 * k + r->inner;
    AM_LOCAL_ARENA memory = {0};
    modes found = {.re = am_arena_doubles(&memory, NULL, size * k, err),
                   .im = am_arena_doubles(&memory, NULL, size * k, err),
                   .matrix = am_arena_doubles(&memory, NULL, size * size, err),
                   .mode = am_arena_new(&memory, size, sizeof(am_mode), err)};
    AM_TRY(am_arena_status(&memory));
    bool first_order = r->inner > 0 || r->followers > 0, damped = r->most[1] > 0.0;
    AM_TRY(first_order ? first_order_modes(r, &found, err)
           : damped    ? damped_modes(r, &found, err)
                       : undamped_modes(r, &found, err));
    am_mode_sort(found.mode, found.count);
    if (!first_order)
        AM_TRY(am_mode_separate(r, found.mode, &found.count, err));
    return fill_spectrum(r, &found, spectrum, err);
}

void am_spectrum_clear(am_spectrum *spectrum) {
    if (!spectrum)
        return;
    am_memory_free(spectrum->memory);
    *spectrum = (am_spectrum){0};
}
