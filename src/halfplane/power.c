#include "halfplane/power.h"

#include <math.h>
#include <stdbool.h>

#include "base/whole.h"
#include "math/pi.h"
#include "math/quadrature.h"

am_status am_power_check(const am_power *power, am_error *err) {
    if (!(power->modulus > 0.0 && isfinite(power->modulus)))
        return am_fail_field(err, AM_ERR_INPUT, "E_star", "the contact modulus E* must be positive");
    if (!(power->exponent >= 1.0 && power->exponent <= 1000.0))
        return am_fail_field(err, AM_ERR_INPUT, "k",
                             "the power k of the profile C |x|^k must lie between 1 (a wedge) and 1000; it is %g",
                             power->exponent);
    if (!(power->coefficient > 0.0 && isfinite(power->coefficient)))
        return am_fail_field(err, AM_ERR_INPUT, "C", "the profile C |x|^k must be convex: C > 0");
    if (!(power->reference > 0.0 && isfinite(power->reference)))
        return am_fail_field(err, AM_ERR_INPUT, "reference", "the reference distance must be positive");
    return AM_OK;
}

/* The integral of sin^m over a quarter of a turn. */
static double quarter_turn(double m) {
    return 0.5 * sqrt(pi) * exp(lgamma(0.5 * (m + 1.0)) - lgamma(0.5 * m + 1.0));
}

/* P(a) = E* times the integral of gap'(t) t/sqrt(a^2 - t^2) (5.14), which is (5.43). */
double am_power_load(const void *data, double a) {
    const am_power *power = data;
    double k = power->exponent;
    return power->modulus * power->coefficient * k * quarter_turn(k) * pow(a, k);
}

double am_power_half_width(const void *data, double load) {
    const am_power *power = data;
    return pow(load / am_power_load(power, 1.0), 1.0 / power->exponent);
}

/* ---- Pressure: flats of every width up to a, t = s cosh(u) ---- */

typedef struct hump {
    double k, s;
} hump;

static double hump_at(const void *context, double u) {
    const hump *h = context;
    return pow(h->s * cosh(u), h->k - 1.0);
}

/* Whole powers: from acosh(1/s) or sqrt(1 - s^2) upwards by parts, all terms positive. */
static bool is_whole(double k) {
    return k <= 64.0 && k == floor(k);
}

static double whole_shape(int k, double s, double root, double angle) {
    double value = k % 2 ? angle : root;
    for (int j = k % 2 ? 3 : 4; j <= k; j += 2)
        value = (root + (j - 2) * s * s * value) / (j - 1);
    return value;
}

double am_power_shape(double k, double s) {
    if (s >= 1.0)
        return 0.0;
    if (s <= 0.0)
        return k > 1.0 ? 1.0 / (k - 1.0) : INFINITY;
    double root = sqrt((1.0 - s) * (1.0 + s)), angle = asinh(root / s);
    if (is_whole(k))
        return whole_shape((int)k, s, root, angle);
    /* what lies below t = s cosh(u) = exp(-42/(k - 1)) adds less than rounding */
    double least = k > 1.0 ? exp(-42.0 / (k - 1.0)) : 0.0, from = least > s ? acosh(least / s) : 0.0;
    /* cosh has its zeros at a distance pi/2 from the real axis, so panels of width 3/4 give all digits; large powers
     * vary faster */
    size_t panels = 1 + (size_t)((angle - from) * (4.0 + k / 4.0) / 3.0);
    hump h = {k, s};
    return am_quadrature_gauss(hump_at, &h, from, angle, panels);
}

double am_power_pressure(const void *data, double x, double a) {
    const am_power *power = data;
    if (!(a > 0.0))
        return 0.0;
    double k = power->exponent;
    return k * am_power_load(power, a) / (pi * a) * am_power_shape(k, fabs(x) / a);
}

/* ---- Slip: (2/(pi E*)) integral of (P(s) - P(c)) x/(s sqrt(x^2 - s^2)), s = x cos(psi) ---- */

typedef struct slope {
    double k, ratio; /* x/c, or infinite */
} slope;

/* ((s/x)^k - (c/x)^k)/(s/x) */
static double growth_at(const void *context, double psi) {
    const slope *g = context;
    double cosine = cos(psi);
    if (isinf(g->ratio))
        return pow(cosine, g->k - 1.0);
    return pow(g->ratio, -g->k) * expm1(g->k * log(g->ratio * cosine)) / cosine;
}

double am_power_slip(const void *data, double x, double c) {
    const am_power *power = data;
    x = fabs(x);
    if (!(x > c))
        return 0.0;
    slope g = {power->exponent, c > 0.0 ? x / c : INFINITY};
    double angle = atan2(sqrt((x - c) * (x + c)), c);
    double integral = c > 0.3 * x && power->exponent < 12.0 ? am_quadrature_gauss(growth_at, &g, 0.0, angle, 4)
                                                            : am_quadrature_ends(growth_at, &g, 0.0, angle);
    return 2.0 / (pi * power->modulus) * am_power_load(power, x) * integral;
}

/* (2/(pi E*)) integral of P'(s)/sqrt(x^2 - s^2): the mean of cos^(k-1) up to the angle of c */
static double bow_at(const void *context, double psi) {
    return pow(cos(psi), *(const double *)context - 1.0);
}

/* The integral of t^(k-1)/sqrt(1 - t^2) from 0 to r, small. */
static double bow_rest(double k, double r) {
    double binomial = 1.0, sum = 0.0, power = 1.0;
    for (int n = 0; n < 16; n++) {
        sum += binomial * power / (k + 2.0 * n);
        binomial *= (n + 0.5) / (n + 1.0);
        power *= r * r;
    }
    return sum * pow(r, k);
}

/* Whole powers, by parts from the angle or its sine: all terms positive. */
static double whole_bow(int k, double angle) {
    double sine = sin(angle), cosine = cos(angle), value = k % 2 ? angle : sine,
           power = k % 2 ? cosine : cosine * cosine;
    for (int j = k % 2 ? 3 : 4; j <= k; j += 2, power *= cosine * cosine)
        value = (power * sine + (j - 2) * value) / (j - 1);
    return value;
}

static double power_slip_slope(const void *data, double x, double c) {
    const am_power *power = data;
    if (!(x > c))
        return 0.0;
    double k = power->exponent, angle = atan2(sqrt((x - c) * (x + c)), c);
    double integral = is_whole(k)   ? whole_bow((int)k, angle)
                      : c > 0.3 * x ? am_quadrature_gauss(bow_at, &k, 0.0, angle, 1 + am_whole(k / 4.0))
                                    : quarter_turn(k - 1.0) - bow_rest(k, c / x);
    return 2.0 * k / (pi * power->modulus * x) * am_power_load(power, x) * integral;
}

/* ---- Below the surface: G(w) = integral of t^(k-1)/sqrt(w^2 - t^2) over 0 < t < 1 ---- */

static double complex far_series(double k, double complex w) {
    double complex square = 1.0 / (w * w), power = 1.0, sum = 0.0;
    double binomial = 1.0;
    for (int n = 0; n < 60; n++) {
        sum += binomial * power / (k + 2.0 * n);
        binomial *= (n + 0.5) / (n + 1.0);
        power *= square;
    }
    return sum / w;
}

/* With t = w cos(psi): w^(k-1) (quarter turn - integral of cos^(k-1) from 0 to acos(1/w)), along a straight line. */
static double complex near_integral(double k, double complex w) {
    double complex end = cacos(1.0 / w);
    end = fabs(creal(end)) + fabs(cimag(end)) * I; /* w lies in the first quadrant, its edges included */
    size_t panels = 1 + (size_t)(cabs(end) * (2.0 + k / 8.0));
    double complex half = 0.5 * end / (double)panels, sum = 0.0;
    for (size_t panel = 0; panel < panels; panel++)
        for (int i = -AM_QUADRATURE_HALF; i < AM_QUADRATURE_HALF; i++) {
            int node = i < 0 ? -i - 1 : i;
            double place = i < 0 ? -am_quadrature_node[node] : am_quadrature_node[node];
            double complex psi = half * (2.0 * (double)panel + 1.0 + place);
            sum += am_quadrature_weight[node] * cpow(w * ccos(psi), k - 1.0);
        }
    return cpow(w, k - 1.0) * quarter_turn(k - 1.0) - half * sum;
}

am_transform am_power_transform(const void *data, double x, double z, double a) {
    const am_power *power = data;
    double k = power->exponent, scale = k * am_power_load(power, a) / (pi * a);
    double complex w = am_field_point(fabs(x), z) / a, value, slope_of;
    if (w == 0.0)
        return (am_transform){-I * scale * am_power_shape(k, 0.0), 0.0};
    value = cabs(w) >= 2.0 ? far_series(k, w) : near_integral(k, w);
    slope_of = (k - 1.0) * value / w - 1.0 / (w * csqrt(w - 1.0) * csqrt(w + 1.0));
    /* F(-conj zeta) = -conj F(zeta) */
    if (x < 0.0) {
        value = -conj(value);
        slope_of = conj(slope_of);
    }
    return (am_transform){scale * value, scale / a * slope_of};
}

/* ---- As a profile ---- */

static double modulus_of(const void *data) {
    return ((const am_power *)data)->modulus;
}

static double most_of(const void *data) {
    (void)data;
    return INFINITY;
}

static double compliance_of(const void *data, double s) {
    const am_power *power = data;
    return 2.0 / (pi * power->modulus) * log(power->reference / s);
}

static double approach_of(const void *data, double a) {
    const am_power *power = data;
    if (!(a > 0.0))
        return 0.0;
    return am_power_load(power, a) * (compliance_of(data, a) + 2.0 / (pi * power->modulus * power->exponent));
}

static double flat_of(const void *data, double x, double s) {
    (void)data;
    return am_flat_traction(x, s);
}

static double flat_drop_of(const void *data, double x, double s) {
    return am_flat_drop(modulus_of(data), x, s);
}

static double flat_intensity_of(const void *data, double s) {
    (void)data;
    return am_flat_intensity(s);
}

static am_transform flat_transform_of(const void *data, double x, double z, double s) {
    (void)data;
    return am_flat_transform(x, z, s);
}

am_profile am_power_profile(const am_power *power) {
    static const am_profile_kind kind = {"power",
                                         modulus_of,
                                         most_of,
                                         am_power_load,
                                         am_power_half_width,
                                         am_power_pressure,
                                         am_power_transform,
                                         approach_of,
                                         am_power_slip,
                                         power_slip_slope,
                                         compliance_of,
                                         flat_of,
                                         flat_drop_of,
                                         flat_intensity_of,
                                         flat_transform_of};
    return (am_profile){&kind, power};
}
