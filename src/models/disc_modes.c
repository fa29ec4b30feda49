/* Modes of an annular plate, clamped inside and free outside, by Rayleigh-Ritz: w = R(r) cos(n theta) with
 * R = sum c_j x^2 P_j(2x - 1), x = (r - a)/(b - a). The factor x^2 clamps the inner edge; free edges need nothing. */
#include <math.h>

#include "amontons/models.h"
#include "base/object.h"
#include "base/try.h"
#include "math/eigen.h"
#include "math/pi.h"
#include "math/quadrature.h"

enum { terms = 12, panels = 2 };

/* P, P', P'' of degrees 0 to terms - 1 at s. */
static void legendre(double s, double *p, double *p1, double *p2) {
    for (int j = 0; j < terms; j++) {
        double k = j;
        p[j] = j == 0 ? 1.0 : j == 1 ? s : ((2.0 * k - 1.0) * s * p[j - 1] - (k - 1.0) * p[j - 2]) / k;
        p1[j] = j == 0 ? 0.0 : j == 1 ? 1.0 : p1[j - 2] + (2.0 * k - 1.0) * p[j - 1];
        p2[j] = j < 2 ? 0.0 : p2[j - 2] + (2.0 * k - 1.0) * p1[j - 1];
    }
}

/* R, R' and R'' of every term at r. */
static void shapes(const am_disc *disc, double r, double *R, double *R1, double *R2) {
    double p[terms], p1[terms], p2[terms], span = disc->outer_radius - disc->inner_radius;
    double x = (r - disc->inner_radius) / span;
    legendre(2.0 * x - 1.0, p, p1, p2);
    for (int j = 0; j < terms; j++) {
        R[j] = x * x * p[j];
        R1[j] = (2.0 * x * p[j] + 2.0 * x * x * p1[j]) / span;
        R2[j] = (2.0 * p[j] + 8.0 * x * p1[j] + 4.0 * x * x * p2[j]) / (span * span);
    }
}

/* Twice the strain energy and the mass of Kirchhoff's plate, integrated round the circumference in closed form:
 * (laplace w)^2 - 2 (1 - nu) (w_rr (w_r/r + w_tt/r^2) - ((w_t/r)_r)^2). */
static void add_point(const am_disc *disc, double n, double r, double weight, double *K, double *M) {
    double R[terms], R1[terms], R2[terms], nu = disc->poisson, h = disc->thickness;
    double round = n > 0.0 ? pi : 2.0 * pi, mass = round * weight * r * disc->density * h;
    double bending = round * weight * r * disc->modulus * h * h * h / (12.0 * (1.0 - nu * nu));
    shapes(disc, r, R, R1, R2);
    for (int i = 0; i < terms; i++) {
        double Gi = R1[i] / r - n * n * R[i] / (r * r), Hi = n * (R1[i] / r - R[i] / (r * r));
        for (int j = 0; j < terms; j++) {
            double Gj = R1[j] / r - n * n * R[j] / (r * r), Hj = n * (R1[j] / r - R[j] / (r * r));
            K[i * terms + j] += bending * ((R2[i] + Gi) * (R2[j] + Gj) - (1.0 - nu) * (R2[i] * Gj + R2[j] * Gi) +
                                           2.0 * (1.0 - nu) * Hi * Hj);
            M[i * terms + j] += mass * R[i] * R[j];
        }
    }
}

am_status am_disc_modes(const am_disc *disc, size_t diameters, double radius, size_t count, double *frequency,
                        double *shape, am_error *err) {
    if (!disc)
        return am_misused(err, __func__);
    double K[terms * terms] = {0}, M[terms * terms] = {0}, values[terms], R[terms], R1[terms], R2[terms];
    double half = (disc->outer_radius - disc->inner_radius) / (2.0 * panels);
    if (count > terms / 2) /* the upper half of a Ritz spectrum is not to be trusted */
        return am_fail(err, AM_ERR_UNSUPPORTED, "a disc has at most %d nodal circles here", terms / 2 - 1);
    for (size_t i = 0; i < panels * AM_QUADRATURE_POINTS; i++) {
        double node, weight = am_quadrature_point(i % AM_QUADRATURE_POINTS, &node);
        double middle = disc->inner_radius + half * (1.0 + 2.0 * (double)(i / AM_QUADRATURE_POINTS));
        add_point(disc, (double)diameters, middle + half * node, half * weight, K, M);
    }
    AM_TRY(am_generalised_eigen(K, M, terms, values, err));
    shapes(disc, radius, R, R1, R2);
    for (size_t s = 0; s < count; s++) {
        frequency[s] = sqrt(values[s]);
        shape[s] = 0.0;
        for (int j = 0; j < terms; j++)
            shape[s] += K[s * terms + (size_t)j] * R[j];
        shape[s] = fabs(shape[s]); /* the sign of a mode is free: this one does not depend on LAPACK */
    }
    return AM_OK;
}
