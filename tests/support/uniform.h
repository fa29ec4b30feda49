/* A small generator of our own: the cases of a test must not depend on the C library's. */
#ifndef AMONTONS_TESTS_UNIFORM_H
#define AMONTONS_TESTS_UNIFORM_H
#include <stdint.h>

/* The next number between `from` and `to`, by Knuth's linear congruential generator. */
static inline double uniform(uint64_t *seed, double from, double to) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(*seed >> 11) * 0x1p-53;
}

#endif
