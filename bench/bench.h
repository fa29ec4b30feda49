/* What the drivers of this folder share: a clock, and the way out when something fails. */
#ifndef AMONTONS_BENCH_H
#define AMONTONS_BENCH_H
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "amontons/error.h"

static inline double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

_Noreturn static inline void give_up(const char *program, const am_error *err) {
    fprintf(stderr, "%s: %s\n", program, err->message);
    exit(3);
}

#endif
