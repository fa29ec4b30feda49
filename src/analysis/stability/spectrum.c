/* Eigenvalues of M y'' + C y' + K y = 0: docs/stability.md, section "How it is computed". */
#include "analysis/stability/spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/object.h"
#include "math/dense.h"
#include "math/eigen.h"

/* ---- eigenvalues of the quadratic problem ---- */

typedef struct mode {
    double real, imaginary;
    double uncertainty; /* of the real part */
    double residual;
    size_t vector; /* row of the shapes: y = shape[vector] + i sign shape_imaginary[vector] */
    double sign;
} mode;

typedef struct modes {
    size_t count, vectors;
    mode *mode;      /* 2 k */
    double *re, *im; /* 2 k x k: shapes in reduced coordinates, of the member of a pair with positive imaginary part */
    double *matrix;  /* 2 k x 2 k, zero: room for the one whose eigenvalues are asked for */
} modes;

/* |(l^2 M + l C + K) v| / ((w^2 |M| + w |C| + |K|) |v|), with l = a + i b, v = x + i y (y NULL: real), and w the larger
 * of |l| and the size of natural frequencies. */
static double eigen_residual(const am_linearised *r, double a, double b, const double *x, const double *y) {
    size_t k = r->k;
    double square[2] = {a * a - b * b, 2.0 * a * b}, size = hypot(a, b), worst = 0.0, length = 0.0; /* squared */
    /* An eigenvalue far below the others is only as good as they are: at divergence K itself may be rounding alone. */
    double scale = fmax(size, r->terms > 0.0 ? sqrt(r->terms) : 0.0);
    double norm = scale * scale * am_dense_largest(r->M, k * k) + scale * am_dense_largest(r->C, k * k) +
                  am_dense_largest(r->K, k * k);
    double part = norm > 0.0 ? 1.0 / norm : 0.0;
    for (size_t i = 0; i < k; i++) {
        double re = 0.0, im = 0.0;
        for (size_t j = 0; j < k; j++) {
            double m = r->M[i * k + j], c = r->C[i * k + j];
            double p = square[0] * m + a * c + r->K[i * k + j], q = square[1] * m + b * c;
            double u = x[j], v = y ? y[j] : 0.0;
            re += p * u - q * v;
            im += p * v + q * u;
        }
        re *= part;
        im *= part;
        double both = re * re + im * im;
        worst = !(both <= worst) ? both : worst; /* also where it is no number */
        length = fmax(length, x[i] * x[i] + (y ? y[i] * y[i] : 0.0));
    }
    return worst > 0.0 ? sqrt(worst / length) : worst;
}

/* The vector of eigenvalue j: its real and imaginary part (NULL when real), for the member of a pair with positive
 * imaginary part. */
static void vector_of(const am_eigen *e, size_t j, const double **x, const double **y) {
    size_t first = e->imaginary[j] < 0.0 ? j - 1 : j;
    *x = e->vectors + first * e->n;
    *y = e->imaginary[j] != 0.0 ? *x + e->n : NULL;
}

static size_t add_vector(modes *found, size_t k, const double *x, const double *y) {
    memcpy(found->re + found->vectors * k, x, k * sizeof *x);
    if (y)
        memcpy(found->im + found->vectors * k, y, k * sizeof *y);
    return found->vectors++;
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

/* Without damping l^2 = -kappa with M^-1 K y = kappa y: an order of half the size, and undamped frequencies come out
 * with a real part that is exactly zero. */
static am_status undamped_modes(const am_linearised *r, modes *found, am_error *err) {
    size_t k = r->k;
    am_eigen e;
    add_product(r->inverse, r->K, k, 1.0, k, found->matrix);
    am_status status = am_eigen_init(&e, found->matrix, k, r->terms, err);
    if (status)
        return status;
    for (size_t j = 0; j < k; j++) {
        const double *x, *y;
        double p = -e.real[j], q = -e.imaginary[j], size = hypot(p, q);
        /* The root with positive real part, without cancellation. */
        double re = p >= 0.0 ? sqrt(0.5 * (size + p)) : (size > 0.0 ? fabs(q) / sqrt(2.0 * (size - p)) : 0.0);
        double im = p >= 0.0 ? (re > 0.0 ? 0.5 * q / re : 0.0) : copysign(sqrt(0.5 * (size - p)), q);
        double speed = sqrt(size), doubt = e.uncertainty[j];
        vector_of(&e, j, &x, &y);
        /* Vectors belong to the member with positive imaginary part of kappa: the conjugate root goes with it. */
        double sign = e.imaginary[j] < 0.0 ? -1.0 : 1.0;
        mode m = {.real = re, .imaginary = im, .residual = eigen_residual(r, re, sign * im, x, y), .sign = sign};
        m.uncertainty = size > doubt ? 0.5 * doubt / speed : sqrt(doubt);
        m.vector = add_vector(found, k, x, y);
        found->mode[found->count++] = m;
        m.real = re == 0.0 ? 0.0 : -re;
        m.imaginary = im == 0.0 ? 0.0 : -im;
        found->mode[found->count++] = m;
    }
    am_eigen_clear(&e);
    return AM_OK;
}

/* With damping: (y, y'/w)' = [0, w; -M^-1 K/w, -M^-1 C] (y, y'/w), w the size of natural frequencies. */
static am_status damped_modes(const am_linearised *r, modes *found, am_error *err) {
    size_t k = r->k, size = 2 * k;
    am_eigen e;
    double *a = found->matrix, speed = r->terms > 0.0 ? sqrt(r->terms) : 1.0;
    add_product(r->inverse, r->K, k, -1.0 / speed, size, a + k * size);
    add_product(r->inverse, r->C, k, -1.0, size, a + k * size + k);
    for (size_t i = 0; i < k; i++)
        a[i * size + k + i] = speed;
    am_status status = am_eigen_init(&e, a, size, speed, err);
    if (status)
        return status;
    for (size_t j = 0; j < size; j++) {
        const double *x, *y;
        vector_of(&e, j, &x, &y);
        found->mode[found->count++] = (mode){.real = e.real[j],
                                             .imaginary = e.imaginary[j],
                                             .uncertainty = e.uncertainty[j],
                                             .residual = eigen_residual(r, e.real[j], fabs(e.imaginary[j]), x, y),
                                             .vector = add_vector(found, k, x, y),
                                             .sign = e.imaginary[j] < 0.0 ? -1.0 : 1.0};
    }
    am_eigen_clear(&e);
    return AM_OK;
}

/* Fastest growth first; slow before fast; the positive frequency of a pair first. */
static int by_growth(const void *a, const void *b) {
    const mode *x = a, *y = b;
    if (x->real != y->real)
        return x->real > y->real ? -1 : 1;
    if (fabs(x->imaginary) != fabs(y->imaginary))
        return fabs(x->imaginary) < fabs(y->imaginary) ? -1 : 1;
    return x->imaginary > y->imaginary ? -1 : x->imaginary < y->imaginary;
}

/* ---- the spectrum ---- */

/* The shape in the coordinates of the structure, x = Z y, turned and scaled so that its largest entry is 1. */
static void fill_shape(const am_linearised *r, const modes *found, const mode *m, double *re, double *im) {
    const double *u = found->re + m->vector * r->k, *v = found->im + m->vector * r->k;
    size_t largest = 0;
    for (size_t i = 0; i < r->n; i++)
        re[i] = im[i] = 0.0;
    for (size_t j = 0; j < r->k; j++)
        for (size_t i = 0; i < r->n; i++) {
            re[i] += r->Z[j * r->n + i] * u[j];
            im[i] += m->sign * r->Z[j * r->n + i] * v[j];
        }
    for (size_t i = 1; i < r->n; i++) /* ties to rounding: the first */
        largest = hypot(re[i], im[i]) > (1.0 + 1e-12) * hypot(re[largest], im[largest]) ? i : largest;
    double a = re[largest], b = im[largest], square = a * a + b * b;
    for (size_t i = 0; i < r->n && square > 0.0; i++) {
        double x = re[i], y = im[i];
        re[i] = (x * a + y * b) / square;
        im[i] = (y * a - x * b) / square;
    }
}

static am_status fill_spectrum(const am_linearised *r, const modes *found, am_spectrum *out, am_error *err) {
    size_t count = found->count, n = r->n;
    double *p = out->memory = am_memory_new(3 * count + 2 * count * n, sizeof *p, err);
    if (!p)
        return AM_ERR_MEMORY;
    out->count = count;
    out->n = n;
    out->real = p;
    out->imaginary = p + count;
    out->uncertainty = p + 2 * count;
    out->shape = p + 3 * count;
    out->shape_imaginary = out->shape + count * n;
    for (size_t i = 0; i < count; i++) {
        const mode *m = &found->mode[i];
        out->real[i] = m->real;
        out->imaginary[i] = m->imaginary;
        out->uncertainty[i] = m->uncertainty;
        out->residual = !(m->residual <= out->residual) ? m->residual : out->residual;
        fill_shape(r, found, m, out->shape + i * n, out->shape_imaginary + i * n);
    }
    return AM_OK;
}

am_status am_spectrum_solve(const am_linearised *linearised, am_spectrum *spectrum, am_error *err) {
    const am_linearised *r = linearised;
    size_t k = r->k;
    /* One piece for all: numbers, then modes. */
    double *memory = am_memory_new(1, 8 * k * k * sizeof *memory + 2 * k * sizeof(mode), err);
    if (!memory)
        return AM_ERR_MEMORY;
    modes found = {.re = memory, .im = memory + 2 * k * k, .matrix = memory + 4 * k * k};
    found.mode = (mode *)(void *)(memory + 8 * k * k);
    am_status status =
        am_dense_largest(r->C, k * k) > 0.0 ? damped_modes(r, &found, err) : undamped_modes(r, &found, err);
    if (!status) {
        qsort(found.mode, found.count, sizeof *found.mode, by_growth);
        status = fill_spectrum(r, &found, spectrum, err);
    }
    am_memory_free(memory);
    return status;
}

void am_spectrum_clear(am_spectrum *spectrum) {
    if (!spectrum)
        return;
    am_memory_free(spectrum->memory);
    *spectrum = (am_spectrum){0};
}
