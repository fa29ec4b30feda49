#include "analyses/stability/mode_order.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "math/dense.h"

double am_mode_residual(const am_linearised *r, double a, double b, const double *x, const double *y) {
    size_t k = r->k;
    double square[2] = {a * a - b * b, 2.0 * a * b}, size = hypot(a, b), worst = 0.0, length = 0.0; /* squared */
    /* An eigenvalue far below the others is only as good as they are: at divergence K itself may be rounding alone. */
    double scale = fmax(size, r->terms > 0.0 ? sqrt(r->terms) : 0.0);
    double norm = scale * scale * r->most[0] + scale * r->most[1] + r->most[2];
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

void am_mode_shape(const am_linearised *r, const double *y, double *shape) {
    memset(shape, 0, r->n * sizeof *shape);
    for (size_t j = 0; j < r->k; j++)
        for (size_t i = 0; i < r->n; i++)
            shape[i] += r->Z[j * r->n + i] * y[j];
}

/* ---- order ---- */

static int by_growth(const void *a, const void *b) {
    const am_mode *x = a, *y = b;
    return (x->real < y->real) - (x->real > y->real);
}

static int by_frequency(const void *a, const void *b) {
    const am_mode *x = a, *y = b;
    int order = (x->imaginary > y->imaginary) - (x->imaginary < y->imaginary);
    return order ? order : by_growth(a, b);
}

static bool near(const am_mode *a, const am_mode *b, double distance) {
    return fabs(distance) <= a->rounding + b->rounding;
}

/* Comparisons with a tolerance are no order; neighbours that are near each other make groups, however. */
void am_mode_sort(am_mode *mode, size_t count) {
    qsort(mode, count, sizeof *mode, by_growth);
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count; next++)
            if (!near(&mode[next - 1], &mode[next], mode[next - 1].real - mode[next].real))
                break;
        qsort(mode + first, next - first, sizeof *mode, by_frequency);
    }
}

typedef struct place {
    double frequency, growth, doubt;
    size_t index;
} place;

static int by_place_frequency(const void *a, const void *b) {
    const place *x = a, *y = b;
    int order = (x->frequency > y->frequency) - (x->frequency < y->frequency);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int by_place_growth(const void *a, const void *b) {
    const place *x = a, *y = b;
    int order = (x->growth < y->growth) - (x->growth > y->growth);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

am_status am_mode_order(size_t count, const double *real, const double *imaginary, const double *doubt, size_t *order,
                        size_t *found, am_error *err) {
    size_t upper = 0;
    AM_LOCAL_MEMORY place *all = am_memory_new(count, sizeof *all, err);
    if (!all)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (imaginary[i] >= 0.0)
            all[upper++] = (place){imaginary[i], real[i], doubt[i], i};
    qsort(all, upper, sizeof *all, by_place_frequency);
    for (size_t first = 0, next; first < upper; first = next) {
        for (next = first + 1; next < upper; next++)
            if (!(all[next].frequency - all[next - 1].frequency <= all[next].doubt + all[next - 1].doubt))
                break;
        qsort(all + first, next - first, sizeof *all, by_place_growth);
    }
    for (size_t i = 0; i < upper; i++)
        order[i] = all[i].index;
    *found = upper;
    return AM_OK;
}

size_t am_mode_largest_coordinate(const am_spectrum *s, size_t i) {
    const double *re = s->shape + i * s->n, *im = s->shape_imaginary + i * s->n;
    size_t best = 0;
    for (size_t j = 1; j < s->n; j++)
        if (hypot(re[j], im[j]) > (1.0 + AM_SHAPE_TIE) * hypot(re[best], im[best]))
            best = j;
    return best;
}

/* ---- coinciding eigenvalues ---- */

/* A basis of their common space. Vectors are kept in both coordinates at once, n + k complex numbers each: real parts,
 * then imaginary parts. Products and sizes are those of the first n, the coordinates of the structure. */
typedef struct basis {
    size_t n, k, count;
    double *vector; /* count x 2 (n + k) */
} basis;

static double *vector_of(const basis *b, size_t i) {
    return b->vector + i * 2 * (b->n + b->k);
}

static double *imaginary_of(const basis *b, size_t i) {
    return vector_of(b, i) + b->n + b->k;
}

/* out -= factor in */
static void subtract(const basis *b, size_t out, double re, double im, size_t in) {
    double *x = vector_of(b, out), *y = imaginary_of(b, out);
    const double *u = vector_of(b, in), *v = imaginary_of(b, in);
    for (size_t i = 0; i < b->n + b->k; i++) {
        x[i] -= re * u[i] - im * v[i];
        y[i] -= re * v[i] + im * u[i];
    }
}

static double length(const basis *b, size_t i) {
    const double *x = vector_of(b, i), *y = imaginary_of(b, i);
    return sqrt(am_dense_dot(x, x, b->n) + am_dense_dot(y, y, b->n));
}

static void scale(const basis *b, size_t i, double factor) {
    double *x = vector_of(b, i);
    for (size_t j = 0; j < 2 * (b->n + b->k); j++)
        x[j] *= factor;
}

/* Vector i is made orthogonal to those from `first` on before it, and of length 1. False: it hardly leaves their space,
 * as eigenvectors of a defective eigenvalue do. */
static bool orthogonalise(const basis *b, size_t first, size_t i) {
    double size = length(b, i);
    scale(b, i, size > 0.0 ? 1.0 / size : 0.0);
    for (int twice = 0; twice < 2; twice++)
        for (size_t j = first; j < i; j++) {
            const double *x = vector_of(b, i), *y = imaginary_of(b, i), *u = vector_of(b, j), *v = imaginary_of(b, j);
            double re = am_dense_dot(u, x, b->n) + am_dense_dot(v, y, b->n);
            double im = am_dense_dot(u, y, b->n) - am_dense_dot(v, x, b->n);
            subtract(b, i, re, im, j);
        }
    size = length(b, i);
    if (!(size > 1e-6)) /* half of the digits are left */
        return false;
    scale(b, i, 1.0 / size);
    return true;
}

/* The coordinate that moves most in the space of the vectors from `first` on: |P e_j| is largest, P the projection onto
 * it; equally large ones: the first. */
static size_t moves_most(const basis *b, size_t first) {
    size_t best = 0;
    double most = 0.0;
    for (size_t j = 0; j < b->n; j++) {
        double square = 0.0;
        for (size_t i = first; i < b->count; i++)
            square += pow(vector_of(b, i)[j], 2) + pow(imaginary_of(b, i)[j], 2);
        if (square > (1.0 + AM_SHAPE_TIE) * most) {
            best = j;
            most = square;
        }
    }
    return best;
}

/* Orthonormal vectors from `first` on: the first of them becomes P e_j, the others orthogonal to it. */
static bool take_out(const basis *b, size_t first, size_t j) {
    size_t largest = first, stride = 2 * (b->n + b->k);
    double *sum = b->vector + b->count * stride, most = 0.0; /* one more vector */
    memset(sum, 0, stride * sizeof *sum);
    for (size_t i = first; i < b->count; i++) {
        double re = vector_of(b, i)[j], im = imaginary_of(b, i)[j];
        if (hypot(re, im) > most) {
            largest = i;
            most = hypot(re, im);
        }
        subtract(b, b->count, -re, im, i); /* its part along e_j: the conjugate of its entry */
    }
    /* What points most into the direction of the sum gives its place to it. */
    memcpy(vector_of(b, largest), vector_of(b, first), stride * sizeof *sum);
    memcpy(vector_of(b, first), sum, stride * sizeof *sum);
    bool done = true;
    for (size_t i = first; i < b->count && done; i++)
        done = orthogonalise(b, first, i);
    return done;
}

static bool choose_basis(const basis *b) {
    bool done = true;
    for (size_t i = 0; i < b->count && done; i++)
        done = orthogonalise(b, 0, i);
    for (size_t i = 0; i < b->count && done; i++)
        done = take_out(b, i, moves_most(b, i));
    return done;
}

static void fill_basis(const am_linearised *r, const am_mode *mode, basis *b) {
    for (size_t i = 0; i < b->count; i++) {
        double *x = vector_of(b, i), *y = imaginary_of(b, i);
        am_mode_shape(r, mode[i].re, x);
        memcpy(x + r->n, mode[i].re, r->k * sizeof *x);
        if (!mode[i].im)
            continue;
        am_mode_shape(r, mode[i].im, y);
        memcpy(y + r->n, mode[i].im, r->k * sizeof *y);
    }
}

/* Are the vectors of the basis eigenvectors, as far as eigenvectors of any matrix in doubles are? Then they replace
 * those of the group, whose eigenvalue becomes the mean of all: rounding moves it less than each of them. */
static bool replace(const am_linearised *r, const basis *b, am_mode *mode) {
    double real = 0.0, imaginary = 0.0, doubt = 0.0, worst = 0.0, share = 1.0 / (double)b->count;
    for (size_t i = 0; i < b->count; i++) {
        real += share * mode[i].real;
        imaginary += share * mode[i].imaginary;
        doubt = fmax(doubt, mode[i].uncertainty);
        worst = fmax(worst, mode[i].residual);
    }
    double limit = fmax(10.0 * worst, 10.0 * (double)r->k * DBL_EPSILON);
    worst = 0.0;
    for (size_t i = 0; i < b->count; i++) {
        double residual =
            am_mode_residual(r, real, imaginary, vector_of(b, i) + b->n, mode[i].im ? imaginary_of(b, i) + b->n : NULL);
        if (!(residual <= limit))
            return false;
        worst = fmax(worst, residual);
    }
    for (size_t i = 0; i < b->count; i++) {
        mode[i].real = real;
        mode[i].imaginary = imaginary;
        mode[i].uncertainty = doubt;
        mode[i].residual = worst;
        memcpy(mode[i].re, vector_of(b, i) + b->n, b->k * sizeof *mode[i].re);
        if (mode[i].im)
            memcpy(mode[i].im, imaginary_of(b, i) + b->n, b->k * sizeof *mode[i].im);
    }
    return true;
}

/* The group with every pair taken for two real eigenvalues: its vector's real and imaginary part span the same space.
 */
static size_t as_real(const am_mode *mode, size_t count, am_mode *out) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        out[found] = mode[i];
        out[found].imaginary = 0.0;
        out[found++].im = NULL;
        if (mode[i].imaginary == 0.0)
            continue;
        out[found] = out[found - 1];
        out[found++].re = mode[i].im;
    }
    return found;
}

/* One group: *members of it, out of *count modes in all. */
static am_status separate_group(const am_linearised *r, am_mode *mode, size_t *members, size_t *count, am_error *err) {
    bool real = mode->imaginary <= mode->rounding;
    AM_LOCAL_MEMORY am_mode *group = am_memory_new(2 * *members, sizeof *group, err);
    basis b = {.n = r->n, .k = r->k, .count = *members};
    if (group && real)
        b.count = as_real(mode, *members, group);
    else if (group)
        memcpy(group, mode, *members * sizeof *group);
    b.vector = group ? am_memory_new((b.count + 1) * 2 * (b.n + b.k), sizeof *b.vector, err) : NULL;
    if (b.vector) {
        fill_basis(r, group, &b);
        if (choose_basis(&b) && replace(r, &b, group)) {
            memmove(mode + b.count, mode + *members, (*count - *members) * sizeof *mode);
            memcpy(mode, group, b.count * sizeof *mode);
            *count += b.count - *members;
            *members = b.count;
        }
    }
    bool made = b.vector != NULL;
    am_memory_free(b.vector);
    return made ? AM_OK : AM_ERR_MEMORY;
}

am_status am_mode_separate(const am_linearised *r, am_mode *mode, size_t *count, am_error *err) {
    for (size_t first = 0, members; first < *count; first += members) {
        for (members = 1; first + members < *count; members++) {
            const am_mode *last = &mode[first + members - 1];
            if (!near(last, last + 1, last->real - last[1].real) ||
                !near(last, last + 1, last->imaginary - last[1].imaginary))
                break;
        }
        bool nearly_real = mode[first].imaginary > 0.0 && mode[first].imaginary <= mode[first].rounding;
        size_t left = *count - first;
        if (members == 1 && !nearly_real)
            continue;
        AM_TRY(separate_group(r, mode + first, &members, &left, err));
        *count = first + left;
    }
    return AM_OK;
}
