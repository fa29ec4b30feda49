/* What elements make of the end of a zone, where tractions are singular or vanish (docs/bem.md, section 3). By Wiener's
 * and Hopf's method tractions at the last nodes are a0 e + a1 Se + a2 SSe + ..., where e are those of a sharp corner
 * and S adds up from the end. Far away e behaves like the inverse root of the distance to a point am_bem_end beyond the
 * last node, so that the coefficients say which singularity and which square root the nodes see, and from where. */
#include "engines/boundary/bem_internal.h"

#include "math/lu.h"

enum { TERMS = AM_BEM_EDGE_TERMS };

/* Tractions of a corner at the last nodes, from the last one on: the first coefficients of (1 - z)^(-1/2)/M(z), with
 * M(z) M(1/z) = 2 lambda sin(theta/2), z = exp(i theta). */
static const double corner[TERMS] = {1.1531142159594079, 0.4019018159284043, 0.3701600442290435, 0.3034771632735564,
                                     0.2686790362236454};

void am_bem_edge_resolve(size_t terms, const double *d, double *coefficient) {
    double m[TERMS * TERMS];
    int order[TERMS];
    for (size_t i = 0; i < terms; i++) {
        m[i * terms] = corner[i];
        for (size_t j = 1; j < terms; j++)
            m[i * terms + j] = (i > 0 ? m[(i - 1) * terms + j] : 0.0) + m[i * terms + j - 1];
        coefficient[i] = d[i];
    }
    am_lu_factor(m, terms, order); /* of constants, and regular */
    am_lu_solve(m, terms, order, 1, coefficient);
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
