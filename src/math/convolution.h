/* Products with Toeplitz matrices by fast Fourier transform. Vectors come as pairs, z = p + i q interleaved: one
 * complex transform serves two real vectors. The kernel is c_k = even_k + i odd_k with even_-k = even_k, odd_-k =
 * -odd_k, whose transform is real, so that
 *
 *     y = even * z + i odd * z,    that is    y_p = even * p - odd * q,    y_q = even * q + odd * p,
 *
 * costs one real factor for every frequency. Lengths are powers of two; the transform leaves its frequencies in the
 * order in which they fall, and the way back starts from there. */
#ifndef AMONTONS_MATH_CONVOLUTION_H
#define AMONTONS_MATH_CONVOLUTION_H
#include <stddef.h>

#include "base/arena.h"

typedef struct am_convolution {
    am_arena memory;
    size_t n;         /* pairs in a vector */
    size_t length;    /* of the transform, a power of two */
    double *twiddle;  /* for each size of the recursion, largest first: w^k, w^2k, w^3k, k below a quarter of it */
    double *spectrum; /* length: the kernel, divided by length */
    double *work;     /* 2 length */
} am_convolution;

/* The smallest power of two that is not below `least`. */
size_t am_convolution_length(size_t least);

/* A plan for vectors of n pairs and transforms of at least `length` >= n; the kernel is zero. */
am_status am_convolution_init(am_convolution *convolution, size_t n, size_t length, am_error *err);
void am_convolution_clear(am_convolution *convolution);

/* The kernel for offsets 0 .. count - 1 (odd[0] is not read; odd may be NULL). Products are those of the Toeplitz
 * matrix when 2 n - 1 <= length and count = n; with count = length/2 + 1 they wrap around. */
void am_convolution_set(am_convolution *convolution, const double *even, const double *odd, size_t count);

/* The kernel becomes that of the inverse of the circulant matrix. All its eigenvalues must be positive. */
void am_convolution_invert(am_convolution *convolution);

/* y (n pairs) = kernel * z (n pairs); y may be z. */
void am_convolution_apply(am_convolution *convolution, const double *z, double *y);

/* The discrete Fourier transform of real x (n, any), by Bluestein's chirp: sum over j of x[j] exp(-2 pi i j k / n) for
 * k = 0 .. n/2, real and imaginary parts (n/2 + 1 each). */
am_status am_fourier(const double *x, size_t n, double *real, double *imaginary, am_error *err);

#endif
