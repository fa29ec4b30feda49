#include "math/special.h"
#include "math/pi.h"

#include <float.h>
#include <math.h>

void am_special_elliptic(double complement, double *first, double *second) {
    /* E/K = 1 - sum of 2^(n-1) c_n^2, with c_0 = k and c_(n+1) = (a_n - g_n)/2 */
    double a = 1.0, g = complement, factor = 0.5, sum = 0.5 * (1.0 - complement) * (1.0 + complement);
    while (fabs(a - g) > 4.0 * DBL_EPSILON * a) {
        double c = 0.5 * (a - g), mean = 0.5 * (a + g);
        g = sqrt(a * g);
        a = mean;
        factor *= 2.0;
        sum += factor * c * c;
    }
    *first = half_pi / a;
    *second = *first * (1.0 - sum);
}

double am_special_hypergeometric(double a, double b, double c, double z) {
    double term = 1.0, sum = 1.0;
    for (int n = 0; n < 10000; n++) {
        term *= (a + n) * (b + n) / ((c + n) * (1.0 + n)) * z;
        sum += term;
        /* beyond these n the terms fall at least like 0.95^n */
        if (n > fabs(a) + fabs(b) + fabs(c) && fabs(term) <= 0.05 * DBL_EPSILON * fabs(sum))
            break;
    }
    return sum;
}
