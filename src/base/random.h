/* Points without a state: the value belongs to (seed, index, dimension) alone, so that any thread may ask for any of
 * them and a given seed always gives the same points. All values lie in [0, 1). */
#ifndef AMONTONS_BASE_RANDOM_H
#define AMONTONS_BASE_RANDOM_H
#include <stddef.h>
#include <stdint.h>

/* Dimensions in which am_random_sobol is a Sobol sequence; further ones are random. */
enum { AM_SOBOL_DIMENSIONS = 21 };

/* 64 well mixed bits (the finaliser of splitmix64, a bijection). */
uint64_t am_random_bits(uint64_t value);

/* A random number. */
double am_random_unit(uint64_t seed, uint64_t index, size_t dimension);

/* Coordinate `dimension` of point `index` of a Sobol sequence (Joe and Kuo's direction numbers), with a random digital
 * shift chosen by the seed: of 2^k successive points from a multiple of 2^k on, every dyadic interval of length 2^-k
 * holds just one. Indices below 2^32. */
double am_random_sobol(uint64_t seed, uint64_t index, size_t dimension);

#endif
