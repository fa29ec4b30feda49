#include "math/special.h"

#include <float.h>
#include <math.h>

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
