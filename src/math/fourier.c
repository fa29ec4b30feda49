#include "math/fourier.h"

#include <math.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/try.h"
#include "math/convolution.h"
#include "math/pi.h"

/* The chirp exp(-i pi j^2 / n), with j^2 reduced exactly. */
static void chirp(size_t j, size_t n, double *c, double *s) {
    uint64_t square = (uint64_t)j * j % (2 * (uint64_t)n);
    double angle = 0.5 * two_pi * (double)square / (double)n;
    *c = cos(angle);
    *s = -sin(angle);
}

/* z = x times the chirp, then the even kernel's part of the convolution in `out`. */
static am_status convolve(const double *kernel, const double *z, size_t n, double *out, am_error *err) {
    am_convolution convolution;
    AM_TRY(am_convolution_init(&convolution, n, 2 * n - 1, err));
    am_convolution_set(&convolution, kernel, NULL, n);
    am_convolution_apply(&convolution, z, out);
    am_convolution_clear(&convolution);
    return AM_OK;
}

/* j k = (j^2 + k^2 - (k - j)^2)/2 turns the transform into a convolution with the conjugate chirp c - i s, whose parts
 * are even: c * z - i s * z. */
static am_status bluestein(const double *x, size_t n, am_arena *memory, double *real, double *imaginary,
                           am_error *err) {
    double *cosine, *sine, *z, *by_cosine, *by_sine;
    AM_ARENA_DOUBLES(memory, n, err, &cosine, &sine);
    AM_ARENA_DOUBLES(memory, 2 * n, err, &z, &by_cosine, &by_sine);
    AM_TRY(am_arena_status(memory));
    for (size_t j = 0; j < n; j++) {
        chirp(j, n, &cosine[j], &sine[j]);
        z[2 * j] = x[j] * cosine[j];
        z[2 * j + 1] = x[j] * sine[j];
    }
    AM_TRY(convolve(cosine, z, n, by_cosine, err));
    AM_TRY(convolve(sine, z, n, by_sine, err));
    for (size_t k = 0; k <= n / 2; k++) {
        double a = by_cosine[2 * k] + by_sine[2 * k + 1], b = by_cosine[2 * k + 1] - by_sine[2 * k];
        real[k] = a * cosine[k] - b * sine[k];
        imaginary[k] = a * sine[k] + b * cosine[k];
    }
    return AM_OK;
}

am_status am_fourier(const double *x, size_t n, double *real, double *imaginary, am_error *err) {
    am_arena memory = {0};
    am_status status = n > 0 ? bluestein(x, n, &memory, real, imaginary, err) : AM_OK;
    am_arena_clear(&memory);
    return status;
}
