/* How long work will still take, from how long it took. */
#ifndef AMONTONS_BASE_TIME_LEFT_H
#define AMONTONS_BASE_TIME_LEFT_H

/* Seconds; negative while nothing can be said. `begun`: the fraction that was done before the time began. */
static inline double am_time_left(double elapsed, double fraction, double begun) {
    return fraction - begun > 0.01 ? elapsed * (1 - fraction) / (fraction - begun) : -1.0;
}

#endif
