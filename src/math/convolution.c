#include "math/convolution.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/local.h"
#include "math/pi.h"

size_t am_convolution_length(size_t least) {
    size_t length = 1;
    while (length < least && length <= SIZE_MAX / 4)
        length *= 2;
    return length;
}

/* ---- the transform: by quarters, depth first, so that the parts soon fit the cache ---- */

/* Twiddles of one size: three complex numbers for every k below its quarter. A size of two needs none. */
static size_t twiddles(size_t size) {
    return 6 * (size / 4);
}

static void forward(double *x, size_t size, const double *w) {
    if (size == 2) {
        for (size_t c = 0; c < 2; c++) {
            double a = x[c], b = x[2 + c];
            x[c] = a + b;
            x[2 + c] = a - b;
        }
        return;
    }
    if (size < 2)
        return;
    size_t quarter = size / 4, step = 2 * quarter;
    for (size_t k = 0; k < quarter; k++) {
        double *a = x + 2 * k, *b = a + step, *c = b + step, *d = c + step;
        const double *v = w + 6 * k;
        double sum_re = a[0] + c[0], sum_im = a[1] + c[1], dif_re = a[0] - c[0], dif_im = a[1] - c[1];
        double odd_re = b[0] + d[0], odd_im = b[1] + d[1];
        double rotated_re = b[1] - d[1], rotated_im = d[0] - b[0]; /* -i (b - d) */
        double re, im;
        a[0] = sum_re + odd_re;
        a[1] = sum_im + odd_im;
        re = dif_re + rotated_re, im = dif_im + rotated_im;
        b[0] = re * v[0] - im * v[1];
        b[1] = re * v[1] + im * v[0];
        re = sum_re - odd_re, im = sum_im - odd_im;
        c[0] = re * v[2] - im * v[3];
        c[1] = re * v[3] + im * v[2];
        re = dif_re - rotated_re, im = dif_im - rotated_im;
        d[0] = re * v[4] - im * v[5];
        d[1] = re * v[5] + im * v[4];
    }
    for (size_t part = 0; part < 4; part++)
        forward(x + part * step, quarter, w + twiddles(size));
}

/* Undoes `forward`, times the length. */
static void backward(double *x, size_t size, const double *w) {
    if (size <= 2) {
        forward(x, size, w);
        return;
    }
    size_t quarter = size / 4, step = 2 * quarter;
    for (size_t part = 0; part < 4; part++)
        backward(x + part * step, quarter, w + twiddles(size));
    for (size_t k = 0; k < quarter; k++) {
        double *a = x + 2 * k, *b = a + step, *c = b + step, *d = c + step;
        const double *v = w + 6 * k;
        double b_re = b[0] * v[0] + b[1] * v[1], b_im = b[1] * v[0] - b[0] * v[1];
        double c_re = c[0] * v[2] + c[1] * v[3], c_im = c[1] * v[2] - c[0] * v[3];
        double d_re = d[0] * v[4] + d[1] * v[5], d_im = d[1] * v[4] - d[0] * v[5];
        double sum_re = a[0] + c_re, sum_im = a[1] + c_im, odd_re = a[0] - c_re, odd_im = a[1] - c_im;
        double dif_re = b_re + d_re, dif_im = b_im + d_im;
        double rotated_re = d_im - b_im, rotated_im = b_re - d_re; /* i (b - d) */
        a[0] = sum_re + dif_re;
        a[1] = sum_im + dif_im;
        b[0] = odd_re + rotated_re;
        b[1] = odd_im + rotated_im;
        c[0] = sum_re - dif_re;
        c[1] = sum_im - dif_im;
        d[0] = odd_re - rotated_re;
        d[1] = odd_im - rotated_im;
    }
}

/* ---- the plan ---- */

am_status am_convolution_init(am_convolution *convolution, size_t n, size_t length, am_error *err) {
    *convolution = (am_convolution){.n = n, .length = am_convolution_length(length < n ? n : length)};
    size_t count = 0;
    for (size_t size = convolution->length; size >= 4; size /= 4)
        count += twiddles(size);
    convolution->twiddle = am_arena_doubles(&convolution->memory, NULL, count, err);
    convolution->spectrum = am_arena_doubles(&convolution->memory, NULL, convolution->length, err);
    convolution->work = am_arena_doubles(&convolution->memory, NULL, 2 * convolution->length, err);
    if (am_arena_status(&convolution->memory)) {
        am_convolution_clear(convolution);
        return AM_ERR_MEMORY;
    }
    double *w = convolution->twiddle;
    for (size_t size = convolution->length; size >= 4; size /= 4)
        for (size_t k = 0; k < size / 4; k++)
            for (size_t power = 1; power <= 3; power++, w += 2) {
                double angle = -two_pi * (double)(power * k) / (double)size;
                w[0] = cos(angle);
                w[1] = sin(angle);
            }
    return AM_OK;
}

void am_convolution_clear(am_convolution *convolution) {
    am_arena_clear(&convolution->memory);
    *convolution = (am_convolution){0};
}

void am_convolution_set(am_convolution *convolution, const double *even, const double *odd, size_t count) {
    size_t length = convolution->length;
    double *c = convolution->work;
    memset(c, 0, 2 * length * sizeof *c);
    for (size_t k = 0; k < count; k++) {
        size_t mirror = (length - k) % length;
        c[2 * k] = c[2 * mirror] = even[k];
        if (odd && k > 0 && k != mirror) {
            c[2 * k + 1] = odd[k];
            c[2 * mirror + 1] = -odd[k];
        }
    }
    forward(c, length, convolution->twiddle);
    for (size_t k = 0; k < length; k++)
        convolution->spectrum[k] = c[2 * k] / (double)length;
}

void am_convolution_invert(am_convolution *convolution) {
    double length = (double)convolution->length;
    for (size_t k = 0; k < convolution->length; k++)
        convolution->spectrum[k] = 1.0 / (convolution->spectrum[k] * length * length);
}

void am_convolution_apply(am_convolution *convolution, const double *z, double *y) {
    size_t n = convolution->n, length = convolution->length;
    double *work = convolution->work;
    memcpy(work, z, 2 * n * sizeof *work);
    memset(work + 2 * n, 0, 2 * (length - n) * sizeof *work);
    forward(work, length, convolution->twiddle);
    for (size_t k = 0; k < length; k++) {
        work[2 * k] *= convolution->spectrum[k];
        work[2 * k + 1] *= convolution->spectrum[k];
    }
    backward(work, length, convolution->twiddle);
    memcpy(y, work, 2 * n * sizeof *work);
}

/* ---- transforms of any length ---- */

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
    AM_LOCAL_ARENA memory = {0};
    return n > 0 ? bluestein(x, n, &memory, real, imaginary, err) : AM_OK;
}
