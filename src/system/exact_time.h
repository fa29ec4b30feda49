/* A time in two parts: t, rounded, and what that lost. After 1e5 units of time the rounding of t alone, 1e-11, is far
 * more than that of a state of unit size. Loads evaluated at rounded times would jump by it at every event, and such
 * jumps would decide how contacts go on. */
#ifndef AMONTONS_SYSTEM_EXACT_TIME_H
#define AMONTONS_SYSTEM_EXACT_TIME_H

/* Sums and products with the rounding error they make: sum and error together are exact (Knuth's and Dekker's
 * transformations; Muller et al., Handbook of Floating-Point Arithmetic, sections 4.3 and 4.4). They need round to
 * nearest and nothing fused, which is how this library is compiled. */

/* a + b = sum + *error, whatever their sizes. */
static inline double am_exact_sum(double a, double b, double *error) {
    double sum = a + b, b_taken = sum - a, a_taken = sum - b_taken;
    *error = (a - a_taken) + (b - b_taken);
    return sum;
}

/* The upper half of the digits: products of halves are exact. Overflows beyond 1e300. */
static inline double am_upper_half(double a) {
    double scaled = 134217729.0 * a; /* 2^27 + 1 */
    return scaled - (scaled - a);
}

/* a b = product + *error. */
static inline double am_exact_product(double a, double b, double *error) {
    double product = a * b, a_high = am_upper_half(a), b_high = am_upper_half(b);
    double a_low = a - a_high, b_low = b - b_high;
    *error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    return product;
}

typedef struct am_exact_time {
    double t, beyond;
} am_exact_time;

static inline am_exact_time am_exact_time_at(double t) {
    return (am_exact_time){t, 0.0};
}

static inline am_exact_time am_exact_time_after(am_exact_time now, double length) {
    am_exact_time then;
    double lost, passed = am_exact_sum(length, now.beyond, &lost);
    then.t = am_exact_sum(now.t, passed, &then.beyond);
    then.beyond += lost;
    return then;
}

/* start + count period, as all repetitions of a load begin. */
static inline am_exact_time am_exact_time_repeated(double start, double count, double period) {
    am_exact_time then;
    double lost, sum_lost;
    double passed = am_exact_product(count, period, &lost);
    then.t = am_exact_sum(passed, start, &sum_lost);
    then.beyond = sum_lost + lost;
    return then;
}

static inline double am_exact_time_until(am_exact_time now, am_exact_time then) {
    return (then.t - now.t) + (then.beyond - now.beyond);
}

static inline am_exact_time am_exact_time_earlier(am_exact_time a, am_exact_time b) {
    return b.t < a.t || (b.t == a.t && b.beyond < a.beyond) ? b : a;
}

#endif
