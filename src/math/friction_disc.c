#include "math/friction_disc.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* A determinant below this part of the squared trace is none. */
static const double singular = 16.0 * DBL_EPSILON;

void am_disc_project(double radius, double *x) {
    double length = hypot(x[0], x[1]);
    if (!(length > radius))
        return;
    x[0] *= radius / length;
    x[1] *= radius / length;
}

/* x = -(W + lambda)^-1 b; and y = (W + lambda)^-1 x, if wanted. */
static void solve_shifted(const double *W, double lambda, const double *b, double *x, double *y) {
    double a = W[0] + lambda, d = W[3] + lambda, det = a * d - W[1] * W[2];
    x[0] = -(d * b[0] - W[1] * b[1]) / det;
    x[1] = -(a * b[1] - W[2] * b[0]) / det;
    if (y) {
        y[0] = (d * x[0] - W[1] * x[1]) / det;
        y[1] = (a * x[1] - W[2] * x[0]) / det;
    }
}

/* W x + b = 0 by the shortest x; false where W, of rank one, does not reach b: it is its own inverse then, but for its
 * squared trace. */
static bool solve_inside(const double *W, const double *b, double *x) {
    double trace = W[0] + W[3], det = W[0] * W[3] - W[1] * W[2];
    if (det > singular * trace * trace) {
        solve_shifted(W, 0.0, b, x, NULL);
        return true;
    }
    for (int i = 0; i < 2; i++)
        x[i] = trace > 0.0 ? -(W[i] * b[0] + W[2 + i] * b[1]) / (trace * trace) : 0.0;
    double left = hypot(b[0] + W[0] * x[0] + W[1] * x[1], b[1] + W[2] * x[0] + W[3] * x[1]);
    return left <= 1e-12 * hypot(b[0], b[1]);
}

double am_disc_solve(const double *W, const double *b, double radius, double *x) {
    bool reached = solve_inside(W, b, x);
    if (reached && hypot(x[0], x[1]) <= radius)
        return 0.0;
    if (!(radius > 0.0)) {
        x[0] = x[1] = 0.0;
        return INFINITY;
    }
    /* |x(lambda)| falls; 1/|x| is almost a straight line, and its root is found by Newton's method inside a bracket. */
    double low = 0.0, high = hypot(b[0], b[1]) / radius, lambda = high, y[2];
    for (int i = 0; i < 100; i++) {
        solve_shifted(W, lambda, b, x, y);
        double length = hypot(x[0], x[1]), slope = (x[0] * y[0] + x[1] * y[1]) / (length * length * length);
        if (!(fabs(length - radius) > 4.0 * DBL_EPSILON * radius) || !(high - low > DBL_EPSILON * high))
            break;
        *(length > radius ? &low : &high) = lambda;
        lambda -= (1.0 / length - 1.0 / radius) / slope;
        if (!(lambda > low && lambda < high))
            lambda = 0.5 * (low + high);
    }
    double length = hypot(x[0], x[1]);
    x[0] *= radius / length;
    x[1] *= radius / length;
    return lambda;
}
