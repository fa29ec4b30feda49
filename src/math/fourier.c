#include "math/fourier.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "math/pi.h"

static void swap(double *a, double *b) {
    double old = *a;
    *a = *b;
    *b = old;
}

/* In place, n a power of two; sign -1: forward, +1: backward (not divided by n). */
static void radix2(double *re, double *im, size_t n, double sign) {
    for (size_t i = 1, j = 0; i < n; i++) { /* bit reversal */
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            swap(&re[i], &re[j]);
            swap(&im[i], &im[j]);
        }
    }
    for (size_t size = 2; size <= n; size *= 2)
        for (size_t k = 0; k < size / 2; k++) {
            double angle = sign * two_pi * (double)k / (double)size, c = cos(angle), s = sin(angle);
            for (size_t i = k; i < n; i += size) {
                size_t j = i + size / 2;
                double u = re[j] * c - im[j] * s, v = re[j] * s + im[j] * c;
                re[j] = re[i] - u;
                im[j] = im[i] - v;
                re[i] += u;
                im[i] += v;
            }
        }
}

/* The chirp exp(-i pi j^2 / n), with j^2 reduced exactly. */
static void chirp(size_t j, size_t n, double *c, double *s) {
    uint64_t square = (uint64_t)j * j % (2 * (uint64_t)n);
    double angle = 0.5 * two_pi * (double)square / (double)n;
    *c = cos(angle);
    *s = -sin(angle);
}

/* j k = (j^2 + k^2 - (k - j)^2)/2 turns the transform into a convolution with the conjugate chirp. */
static void bluestein(const double *x, size_t n, size_t length, double *work) {
    double *re = work, *im = re + length, *fre = im + length, *fim = fre + length;
    for (size_t j = 0; j < n; j++) {
        double c, s;
        chirp(j, n, &c, &s);
        re[j] = x[j] * c;
        im[j] = x[j] * s;
        fre[j] = c;
        fim[j] = -s;
        if (j > 0) {
            fre[length - j] = c;
            fim[length - j] = -s;
        }
    }
    radix2(re, im, length, -1.0);
    radix2(fre, fim, length, -1.0);
    for (size_t i = 0; i < length; i++) {
        double a = re[i] * fre[i] - im[i] * fim[i], b = re[i] * fim[i] + im[i] * fre[i];
        re[i] = a;
        im[i] = b;
    }
    radix2(re, im, length, 1.0);
    for (size_t k = 0; k < n; k++) {
        double c, s, a = re[k] / (double)length, b = im[k] / (double)length;
        chirp(k, n, &c, &s);
        re[k] = a * c - b * s;
        im[k] = a * s + b * c;
    }
}

am_status am_fourier(const double *x, size_t n, double *real, double *imaginary, am_error *err) {
    size_t length = 1;
    if (n == 0)
        return AM_OK;
    while (length < n)
        length *= 2;
    bool power = length == n;
    if (!power)
        length *= 2; /* room for the whole convolution: at least 2n - 1 */
    double *work = am_memory_new(4 * length, sizeof *work, err);
    if (!work)
        return AM_ERR_MEMORY;
    if (power) {
        memcpy(work, x, n * sizeof *x);
        radix2(work, work + n, n, -1.0);
    } else {
        bluestein(x, n, length, work);
    }
    memcpy(real, work, (n / 2 + 1) * sizeof *real);
    memcpy(imaginary, work + length, (n / 2 + 1) * sizeof *imaginary);
    am_memory_free(work);
    return AM_OK;
}
