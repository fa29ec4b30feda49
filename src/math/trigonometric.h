/* Trigonometric polynomials: periodic signals of finitely many harmonics.
 *
 *     s(theta) = s[0] + sum over h = 1 .. H of ( s[2h-1] cos h theta + s[2h] sin h theta )
 *
 * A signal of degree H is 2 H + 1 doubles. Sign changes are found with a certificate: s is bounded between its values
 * by its second derivative, so that no number of samples exists to be chosen. What stays within rounding of zero
 * (a few units in the last place of the sum of h |s_h|) counts as touching it. Nothing here allocates. */
#ifndef AMONTONS_MATH_TRIGONOMETRIC_H
#define AMONTONS_MATH_TRIGONOMETRIC_H
#include <stddef.h>

static inline size_t am_trig_size(size_t degree) {
    return 2 * degree + 1;
}

/* The highest harmonic that is there. */
static inline size_t am_trig_degree(size_t degree, const double *s) {
    while (degree > 0 && s[2 * degree - 1] == 0.0 && s[2 * degree] == 0.0)
        degree--;
    return degree;
}

double am_trig_value(size_t degree, const double *s, double theta);

/* The value, and with it ds/dtheta. */
double am_trig_value_rate(size_t degree, const double *s, double theta, double *rate);

/* The signal ds/dtheta. */
void am_trig_derivative(size_t degree, const double *s, double *rate);

/* cos h theta, sin h theta for h = 0 .. degree: c and s have degree + 1 entries. */
void am_trig_basis(size_t degree, double theta, double *c, double *s);

/* All sign changes (zeros through which s changes its sign, not those that it only touches) in [0, 2 pi), ascending,
 * by certified bounds; at most 2 degree exist. Returns how many. The values at 2 pi k/count, k = 0 .. count - 1, are
 * known; any count is right, about 8 degree is quickest. *sign: of s from 0 to theta[0]; 0 if s vanishes everywhere. */
size_t am_trig_changes_sampled(size_t degree, const double *s, size_t count, const double *values, double *theta,
                               int *sign);

/* Largest and smallest value over a period and where they are taken (pointers may be NULL). */
void am_trig_extremes(size_t degree, const double *s, double *largest, double *where_largest, double *smallest,
                      double *where_smallest);

/* The largest |s|. The values of ds/dtheta at 2 pi k/count are known, as above. */
double am_trig_largest_sampled(size_t degree, const double *s, size_t count, const double *rates);

#endif
