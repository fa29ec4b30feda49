/* Sums and products with the rounding error they make: sum and error together are exact (Knuth's and Dekker's
 * transformations; Muller et al., Handbook of Floating-Point Arithmetic, sections 4.3 and 4.4). They need round to
 * nearest and nothing fused, which is how this library is compiled. */
#ifndef AMONTONS_MATH_ERROR_FREE_H
#define AMONTONS_MATH_ERROR_FREE_H

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

#endif
