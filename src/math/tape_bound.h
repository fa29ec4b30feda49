/* Between which numbers a formula stays while its arguments move within given ones: interval arithmetic on a tape, with
 * room for rounding. */
#ifndef AMONTONS_MATH_TAPE_BOUND_H
#define AMONTONS_MATH_TAPE_BOUND_H
#include "math/tape.h"

typedef struct am_bound {
    double low, high;
} am_bound;

/* Largest absolute value. */
double am_bound_size(am_bound bound);

/* Bounds of the first `count` operations; those of the arguments are given. What cannot be bounded (a division by what
 * may be zero) lies between -INFINITY and INFINITY. */
void am_tape_bound(const am_tape *tape, size_t count, am_bound *bound);

#endif
