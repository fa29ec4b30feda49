#include "engines/boundary/bem_edge.h"

#include <math.h>

enum { TERMS = AM_BEM_EDGE_TERMS };

/* Tractions of a corner at the last nodes, from the last one on: the first coefficients of (1 - z)^(-1/2)/M(z), with
 * M(z) M(1/z) = 2 lambda sin(theta/2), z = exp(i theta). */
static const double corner[TERMS] = {1.1531142159594079, 0.4019018159284043, 0.3701600442290435, 0.3034771632735564,
                                     0.2686790362236454};

void am_bem_edge_resolve(size_t terms, const double *d, double *coefficient) {
    double m[TERMS][TERMS + 1], row[TERMS];
    for (size_t i = 0; i < terms; i++) {
        row[0] = corner[i];
        for (size_t j = 1; j < terms; j++)
            row[j] = (i > 0 ? m[i - 1][j] : 0.0) + row[j - 1];
        for (size_t j = 0; j < terms; j++)
            m[i][j] = row[j];
        m[i][terms] = d[i];
    }
    for (size_t column = 0; column < terms; column++) {
        size_t best = column;
        for (size_t i = column + 1; i < terms; i++)
            best = fabs(m[i][column]) > fabs(m[best][column]) ? i : best;
        for (size_t j = 0; j <= terms; j++) {
            double swap = m[column][j];
            m[column][j] = m[best][j];
            m[best][j] = swap;
        }
        for (size_t i = 0; i < terms; i++)
            for (size_t j = terms + 1; i != column && j-- > column;)
                m[i][j] -= m[i][column] / m[column][column] * m[column][j];
    }
    for (size_t i = 0; i < terms; i++)
        coefficient[i] = m[i][terms] / m[i][i];
}

/* The m-th sum behaves like z^m/m! + (m - 2)/24 z^(m-2)/(m-2)!, z = m/2 - end: the Taylor series of its Laplace
 * transform. */
double am_bem_edge_singular(size_t terms, const double *coefficient, double end, double *slope) {
    double sum = coefficient[0];
    *slope = 0.0;
    for (size_t m = 1; m < terms; m++) {
        double z = 0.5 * (double)m - end, power[TERMS + 1] = {0.0, 1.0}; /* z^(i-1)/(i-1)! */
        for (size_t i = 2; i <= m + 1; i++)
            power[i] = power[i - 1] * z / (double)(i - 1);
        double correction = ((double)m - 2.0) / 24.0;
        sum += coefficient[m] * (power[m + 1] + correction * power[m - 1]);
        *slope -= coefficient[m] * (power[m] + (m >= 2 ? correction * power[m - 2] : 0.0));
    }
    return sum;
}
