#include "tractions.h"

#include <math.h>

#include "math/quadrature.h"

static const double pi = 3.14159265358979323846;

/* What is integrated over an angle, x = middle + half sin(angle): roots at the ends disappear. */
typedef struct piece {
    am_real_function f;
    const void *context;
    double middle, half;
    double x, lambda; /* kernel; lambda = 0: isolated, infinite: none */
} piece;

static double kernel(const piece *p, double distance) {
    return p->lambda > 0.0 ? cos(pi * distance / p->lambda) / (sin(pi * distance / p->lambda) * p->lambda)
                           : 1.0 / (pi * distance);
}

static double piece_at(const void *context, double angle) {
    const piece *p = context;
    double xi = p->middle + p->half * sin(angle), value = p->half * cos(angle) * p->f(p->context, xi);
    return isinf(p->lambda) ? value : value * kernel(p, p->x - xi);
}

enum { PANELS = 16 };

static double over(piece p, double low, double high) {
    p.middle = 0.5 * (low + high);
    p.half = 0.5 * (high - low);
    return am_quadrature_gauss(piece_at, &p, -0.5 * pi, 0.5 * pi, PANELS);
}

double integral_between(am_real_function f, const void *context, const double *edges, size_t count) {
    piece p = {.f = f, .context = context, .lambda = INFINITY};
    double sum = 0.0;
    for (size_t i = 0; i + 1 < count; i++)
        sum += over(p, edges[i], edges[i + 1]);
    return sum;
}

/* f(x - u) - f(x + u) times the kernel: regular at u = 0 */
static double pair_at(const void *context, double u) {
    const piece *p = context;
    return (p->f(p->context, p->x - u) - p->f(p->context, p->x + u)) * kernel(p, u);
}

double hilbert_periodic(am_real_function f, const void *context, const double *edges, size_t count, double lambda,
                        double x) {
    piece p = {.f = f, .context = context, .x = x, .lambda = lambda};
    double sum = 0.0;
    for (size_t i = 0; i + 1 < count; i++) {
        double low = edges[i], high = edges[i + 1];
        if (x < low || x > high) {
            sum += over(p, low, high);
            continue;
        }
        double window = 0.5 * fmin(x - low, high - x);
        sum += am_quadrature_gauss(pair_at, &p, 0.0, window, 4) + over(p, low, x - window) + over(p, x + window, high);
    }
    return sum;
}

double hilbert(am_real_function f, const void *context, const double *edges, size_t count, double x) {
    return hilbert_periodic(f, context, edges, count, 0.0, x);
}
