#include "math/real_roots.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

double am_real_roots_value(const double *c, size_t degree, double x) {
    double value = c[degree];
    for (size_t k = degree; k > 0; k--)
        value = value * x + c[k - 1];
    return value;
}

double am_real_roots_bound(const double *c, size_t degree) {
    double largest = 0.0;
    while (degree > 0 && c[degree] == 0.0)
        degree--;
    for (size_t k = 0; k < degree; k++)
        largest = fmax(largest, fabs(c[k] / c[degree]));
    return 1.0 + largest;
}

/* Newton's method kept between low and high, where the polynomial is monotonic and has different signs. */
static double root_between(const double *c, size_t degree, double low, double high, bool falls) {
    double x = low + 0.5 * (high - low);
    for (int step = 0; step < 200; step++) {
        double value = c[degree], slope = 0.0;
        for (size_t k = degree; k > 0; k--) {
            slope = slope * x + value;
            value = value * x + c[k - 1];
        }
        double next = x - value / slope;
        if (value == 0.0 || fabs(next - x) <= 0.5 * DBL_EPSILON * fabs(x) || high - low <= DBL_EPSILON * fabs(x))
            return x;
        if ((value > 0.0) == falls)
            low = x;
        else
            high = x;
        x = next > low && next < high ? next : low + 0.5 * (high - low);
    }
    return x;
}

/* Between the roots of its derivative a polynomial is monotonic. */
size_t am_real_roots_between(const double *c, size_t degree, double from, double to, double *roots) {
    double derivative[AM_REAL_ROOTS_DEGREE] = {0.0}, turns[AM_REAL_ROOTS_DEGREE + 1], last = from;
    size_t count = 0;
    while (degree > 0 && c[degree] == 0.0)
        degree--;
    if (degree == 0)
        return 0;
    for (size_t k = 1; k <= degree; k++)
        derivative[k - 1] = (double)k * c[k];
    size_t turn_count = am_real_roots_between(derivative, degree - 1, from, to, turns);
    double a = am_real_roots_value(c, degree, from), b;
    turns[turn_count] = to;
    for (size_t k = 0; k <= turn_count; last = turns[k++], a = b) {
        b = am_real_roots_value(c, degree, turns[k]);
        if (a != 0.0 && (a > 0.0) != (b > 0.0))
            roots[count++] = root_between(c, degree, last, turns[k], a > 0.0);
    }
    return count;
}
