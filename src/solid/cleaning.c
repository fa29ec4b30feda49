#include "solid/cleaning.h"

#include <math.h>
#include <string.h>

#include "base/local.h"
#include "math/dense.h"

/* A vector that the others explain but for this part of itself has no direction of its own. */
static const double same = 1e-8;

static void subtract(double *from, double share, const double *vector, size_t width) {
    for (size_t i = 0; i < width; i++)
        from[i] -= share * vector[i];
}

void am_clean_basis(double *vectors, size_t *count, size_t n, size_t width) {
    size_t found = 0;
    for (size_t k = 0; k < *count; k++) {
        double *own = vectors + found * width, whole = 0.0;
        memmove(own, vectors + k * width, width * sizeof *own);
        whole = sqrt(am_dense_dot(own, own, width));
        for (int twice = 0; twice < 2; twice++)
            for (size_t j = 0; j < found; j++)
                subtract(own, am_dense_dot(vectors + j * width, own, n), vectors + j * width, width);
        double length = sqrt(am_dense_dot(own, own, n));
        if (!(length > same * whole))
            continue;
        for (size_t i = 0; i < width; i++)
            own[i] /= length;
        found++;
    }
    *count = found;
}

/* A += sum of (r b^T + b r^T), r = missing - b (b.missing)/2 for all pairs: then A b = wanted, and no smaller change
 * does that. */
static void add_missing(double *matrix, size_t n, size_t stride, const double *basis, size_t count, size_t width,
                        const double *missing) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.5 * (matrix[i * stride + j] + matrix[j * stride + i]);
            for (size_t k = 0; k < count; k++)
                sum += missing[k * n + i] * basis[k * width + j] + basis[k * width + i] * missing[k * n + j];
            matrix[i * stride + j] = matrix[j * stride + i] = sum;
        }
}

/* Takes half of the part within the basis away, as that part is counted twice. Its matrix b.missing is symmetric but
 * for rounding. */
static void halve_common(size_t n, const double *basis, size_t count, size_t width, const double *missing,
                         double *left) {
    memcpy(left, missing, count * n * sizeof *left);
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < count; j++) {
            double share = 0.5 * (am_dense_dot(basis + j * width, missing + k * n, n) +
                                  am_dense_dot(basis + k * width, missing + j * n, n));
            subtract(left + k * n, 0.5 * share, basis + j * width, n);
        }
}

/* Rounding below zero on the diagonal of a matrix that has no negative entry there stands for zero. */
static void settle_diagonal(double *matrix, size_t n, size_t stride) {
    double largest = 0.0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, matrix[i * (stride + 1)]);
    for (size_t i = 0; i < n; i++) {
        double *entry = &matrix[i * (stride + 1)];
        if (*entry < 0.0 && *entry > -1e-15 * (double)(n + 8) * largest)
            *entry = 0.0;
    }
}

am_status am_clean_matrix(double *matrix, size_t n, size_t stride, const double *basis, size_t count, size_t width,
                          const double *wanted, am_error *err) {
    AM_LOCAL_MEMORY double *missing = am_memory_new(2 * count * n, sizeof *missing, err);
    if (!missing)
        return AM_ERR_MEMORY;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < n; i++)
            missing[k * n + i] =
                (wanted ? wanted[k * n + i] : 0.0) - am_dense_dot(matrix + i * stride, basis + k * width, n);
    halve_common(n, basis, count, width, missing, missing + count * n);
    add_missing(matrix, n, stride, basis, count, width, missing + count * n);
    settle_diagonal(matrix, n, stride);
    return AM_OK;
}
