/* Seconds that pass evenly, whatever is done to the time of day. */
#ifndef AMONTONS_BASE_CLOCK_H
#define AMONTONS_BASE_CLOCK_H
#include <time.h>

static inline double am_clock_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
