/* Counts that follow from numbers: how many elements fit, how many steps. */
#ifndef AMONTONS_BASE_WHOLE_H
#define AMONTONS_BASE_WHOLE_H
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* The whole part of a number as a count. To convert what a size_t cannot hold would be undefined: what is negative or
 * no number is none, and what is larger than 2^53 is 2^53, more than any bound or memory allows. */
static inline size_t am_whole(double number) {
    return number >= 0x1p53 ? (size_t)1 << 53 : number > 0.0 ? (size_t)number : 0;
}

/* Is a ratio of two periods a whole number, from 1 on, but for rounding? */
static inline bool am_is_whole(double ratio) {
    return fabs(ratio - round(ratio)) <= 1e-9 * fmax(1.0, fabs(ratio)) && round(ratio) >= 1.0;
}

#endif
