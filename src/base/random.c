#include "base/random.h"

static const uint64_t golden = 0x9e3779b97f4a7c15u;

uint64_t am_random_bits(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

static uint64_t bits_of(uint64_t seed, uint64_t index, uint64_t dimension) {
    uint64_t bits = am_random_bits(seed + golden);
    bits = am_random_bits(bits + (index + 1) * golden);
    return am_random_bits(bits + (dimension + 1) * golden);
}

double am_random_unit(uint64_t seed, uint64_t index, size_t dimension) {
    return (double)(bits_of(seed, index, dimension) >> 11) * 0x1p-53;
}

/* Joe and Kuo (2008): degree and coefficients of a primitive polynomial, and the first direction numbers. The first
 * dimension, van der Corput's, needs none. */
typedef struct polynomial {
    uint32_t degree, coefficients, first[7];
} polynomial;

static const polynomial polynomials[AM_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

/* Direction numbers of one dimension, as fractions of 2^32. */
static void directions(size_t dimension, uint32_t v[32]) {
    if (dimension == 0) {
        for (uint32_t i = 0; i < 32; i++)
            v[i] = (uint32_t)1 << (31 - i);
        return;
    }
    const polynomial *p = &polynomials[dimension - 1];
    uint32_t s = p->degree;
    for (uint32_t i = 0; i < 32; i++) {
        if (i < s) {
            v[i] = p->first[i] << (31 - i);
            continue;
        }
        v[i] = v[i - s] ^ (v[i - s] >> s);
        for (uint32_t k = 1; k < s; k++)
            v[i] ^= ((p->coefficients >> (s - 1 - k)) & 1) * v[i - k];
    }
}

double am_random_sobol(uint64_t seed, uint64_t index, size_t dimension) {
    if (dimension >= AM_SOBOL_DIMENSIONS)
        return am_random_unit(seed, index, dimension);
    uint32_t v[32], sum = 0;
    directions(dimension, v);
    for (uint64_t rest = index, i = 0; rest != 0 && i < 32; rest >>= 1, i++)
        if (rest & 1)
            sum ^= v[i];
    /* The shift has more digits than the sequence: no coordinate is exactly zero or on a dyadic line. */
    uint64_t shift = bits_of(seed, 0x536f626f6c, dimension) >> 11;
    return (double)(((uint64_t)sum << 21) ^ shift) * 0x1p-53;
}
