/* Displacements of a half-plane's surface at nodes a distance h apart, under tractions that are linear between nodes
 * (hats of unit height). In closed form, from Flamant's solution (1.14), (1.15). */
#include "engines/boundary/bem_internal.h"
#include "math/pi.h"

#include <math.h>

static double twice_integrated(double x) {
    x = fabs(x);
    return x > 0.0 ? 0.5 * x * x * log(x) - 0.75 * x * x : 0.0;
}

/* The hat is a second difference, so its integral is one of x^2 (ln|x|)/2 - 3 x^2/4. Far away the difference cancels;
 * its Taylor series, ln k minus the sum over j of 2 k^-2j / (2j (2j + 1) (2j + 2)), does not. */
double am_bem_hat_logarithm(double k) {
    if (k < 6.0)
        return twice_integrated(k + 1.0) - 2.0 * twice_integrated(k) + twice_integrated(k - 1.0);
    double sum = log(k), power = 1.0;
    for (int j = 1; j <= 11; j++) {
        power /= k * k;
        sum -= 2.0 * power / (2.0 * j * (2.0 * j + 1.0) * (2.0 * j + 2.0));
    }
    return sum;
}

double am_bem_hat_isolated(double k, double h, double reference) {
    return -h * (am_bem_hat_logarithm(k) - log(reference / h)) / pi;
}

/* What the periodic kernel has beyond the logarithm is smooth within a period: ln(sin(t)/t), t = pi x/period. */
static double smooth_part(double x, double period) {
    double t = pi * fabs(x) / period;
    return t > 1e-4 ? log(sin(t) / t) : -t * t / 6.0;
}

/* Gauss's rule with five points on each half of the hat. */
static double smooth_hat(double k, double h, double period) {
    static const double node[5] = {-0.906179845938664, -0.538469310105683, 0.0, 0.538469310105683, 0.906179845938664};
    static const double weight[5] = {0.236926885056189, 0.478628670499366, 0.568888888888889, 0.478628670499366,
                                     0.236926885056189};
    double sum = 0.0;
    for (int i = 0; i < 5; i++) {
        double t = 0.5 + 0.5 * node[i], height = 0.5 * weight[i] * (1.0 - t);
        sum += height * (smooth_part(h * (k + t), period) + smooth_part(h * (k - t), period));
    }
    return sum;
}

double am_bem_hat_periodic(double k, double h, double period) {
    k = fmin(k, period / h - k); /* the nearer image holds the logarithm */
    return -h * (am_bem_hat_logarithm(fabs(k)) + log(2.0 * pi * h / period) + smooth_hat(k, h, period) - 1.0) / pi;
}

double am_bem_hat_sign(size_t k, double h, double period) {
    if (k == 0)
        return 0.0;
    return period > 0.0 ? h * (1.0 - 2.0 * (double)k * h / period) : h;
}
