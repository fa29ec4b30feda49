/* Discrete Fourier transforms of any length, for results of a run, by Bluestein's chirp. */
#ifndef AMONTONS_MATH_FOURIER_H
#define AMONTONS_MATH_FOURIER_H
#include <stddef.h>

#include "amontons/error.h"

/* sum over j of x[j] exp(-2 pi i j k / n) for k = 0 .. n/2, of real x (n): real and imaginary parts (n/2 + 1 each). */
am_status am_fourier(const double *x, size_t n, double *real, double *imaginary, am_error *err);

#endif
