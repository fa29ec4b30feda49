#include "halfplane_closed.h"

#include <float.h>
#include <math.h>

#include "math/pi.h"
#include "math/quadrature.h"
#include "math/root.h"

/* One strip: its ends, middle and half-width; of a traction, its mean and the rate at which it grows along x. */
typedef struct strip {
    double low, high, middle, half;
    size_t first, second; /* the points at its ends */
} strip;

typedef struct ramp {
    double mean, rate;
} ramp;

static strip strip_of(const am_strips *strips, size_t i) {
    bool closing = i + 1 == strips->count;
    double low = strips->x[i], high = closing ? strips->x[0] + strips->period : strips->x[i + 1];
    double half = 0.5 * (high - low);
    return (strip){low, high, low + half, half, i, closing ? 0 : i + 1};
}

static ramp ramp_of(const double *t, const strip *s) {
    if (!t)
        return (ramp){0.0, 0.0};
    double a = t[s->first], b = t[s->second];
    return (ramp){0.5 * (a + b), 0.5 * (b - a) / s->half};
}

double am_stress_mises(am_stress stress, double nu) {
    double mean = 0.5 * (stress.xx + stress.zz), shear = am_stress_shear(stress);
    double out_of_line = (1.0 - 2.0 * nu) * mean;
    return sqrt(out_of_line * out_of_line + 3.0 * shear * shear);
}

/* ---- Flamant ---- */

am_stress am_flamant_stress(double P, double Q, double x, double z) {
    double square = x * x + z * z, radial = -2.0 * (P * z + Q * x) / (pi * square * square);
    return (am_stress){.xx = radial * x * x, .zz = radial * z * z, .xz = radial * x * z};
}

static double sign_of(double x) {
    return (x > 0.0) - (x < 0.0);
}

/* What a unit load does to the surface: along itself, per logarithm, and across, per sign. */
static double along(const am_medium *medium) {
    return (medium->kolosov + 1.0) / (4.0 * pi * medium->shear_modulus);
}

static double across(const am_medium *medium) {
    return (medium->kolosov - 1.0) / (8.0 * medium->shear_modulus);
}

void am_flamant_displacement(const am_medium *medium, double P, double Q, double x, double reference, double *u,
                             double *v) {
    double logarithm = log(fabs(x / reference));
    *u = -along(medium) * Q * logarithm - across(medium) * P * sign_of(x);
    *v = -along(medium) * P * logarithm + across(medium) * Q * sign_of(x);
}

/* ---- Strips ---- */

am_status am_strips_check(const am_strips *strips, am_error *err) {
    if (strips->count < 2)
        return am_fail_field(err, AM_ERR_INPUT, "x", "tractions need at least two points");
    for (size_t i = 0; i < strips->count; i++) {
        if (i > 0 && !(strips->x[i] > strips->x[i - 1]))
            return am_fail_field(err, AM_ERR_INPUT, "x", "the points of a traction must increase: x[%zu] = %g after %g",
                                 i, strips->x[i], strips->x[i - 1]);
        if (!isfinite(strips->x[i]) || (strips->p && !isfinite(strips->p[i])) || (strips->q && !isfinite(strips->q[i])))
            return am_fail_field(err, AM_ERR_INPUT, "x", "point %zu of the traction is not a finite number", i);
    }
    double span = strips->x[strips->count - 1] - strips->x[0];
    if (strips->period != 0.0 && !(strips->period >= span && isfinite(strips->period)))
        return am_fail_field(err, AM_ERR_INPUT, "period",
                             "the points of a traction span %g and must fit into its period, %g", span, strips->period);
    return AM_OK;
}

static double times_log(double factor, double x) {
    return x == 0.0 ? 0.0 : factor * log(fabs(x));
}

/* The integral of (mean + rate s) ln|w - s| over -h < s < h. */
static double log_potential(double w, double h, ramp r) {
    double ratio = h / w;
    if (fabs(ratio) < 0.1) {
        double even = log(fabs(w)), odd = 0.0, power = 1.0;
        for (int n = 1; n < 20; n++) {
            power *= ratio;
            if (n % 2 == 0)
                even -= power / (n * (n + 1.0));
            else
                odd -= power / (n * (n + 2.0));
        }
        return 2.0 * h * (r.mean * even + r.rate * h * odd);
    }
    double high = w + h, low = w - h, at_point = r.mean + r.rate * w;
    double zeroth = times_log(high, high) - times_log(low, low) - 2.0 * h;
    double first = 0.5 * (times_log(high * high, high) - times_log(low * low, low)) - w * h;
    return at_point * zeroth - r.rate * first;
}

/* Load to the left of x less load to the right of it. */
static double sided_load(double x, strip s, ramp r) {
    double t = fmin(fmax(x - s.middle, -s.half), s.half);
    return 2.0 * r.mean * t + r.rate * (t * t - s.half * s.half);
}

static void surface(const am_strips *strips, const am_medium *medium, double x, double *u, double *v) {
    *u = *v = 0.0;
    for (size_t i = 0; i + 1 < strips->count; i++) {
        strip s = strip_of(strips, i);
        ramp p = ramp_of(strips->p, &s), q = ramp_of(strips->q, &s);
        double w = x - s.middle;
        *u -= along(medium) * log_potential(w, s.half, q) + across(medium) * sided_load(x, s, p);
        *v += across(medium) * sided_load(x, s, q) - along(medium) * log_potential(w, s.half, p);
    }
}

void am_strips_displacement(const am_strips *strips, const am_medium *medium, double x, double reference, double *u,
                            double *v) {
    double u0, v0;
    surface(strips, medium, reference, &u0, &v0);
    surface(strips, medium, x, u, v);
    *u -= u0;
    *v -= v0;
}

static double part_resultant(const am_traction_part *part) {
    double flat = pi * part->half_width * part->size;
    return part->shape == AM_TRACTION_FLAT ? flat : part->shape == AM_TRACTION_ELLIPSE ? 0.5 * flat : 0.0;
}

/* The load between the middle of the part and x. */
static double part_load(const am_traction_part *part, double x) {
    double s = fmin(fmax((x - part->middle) / part->half_width, -1.0), 1.0), size = part->size * part->half_width;
    double root = sqrt((1.0 - s) * (1.0 + s));
    switch (part->shape) {
    case AM_TRACTION_ELLIPSE:
        return 0.5 * size * (s * root + asin(s));
    case AM_TRACTION_FLAT:
        return size * asin(s);
    case AM_TRACTION_TILT:
        return -size * root;
    }
    return NAN;
}

double am_traction_resultant(const am_traction *traction) {
    double sum = 0.0;
    for (size_t i = 0; i < traction->count; i++)
        sum += part_resultant(&traction->part[i]);
    return sum;
}

double am_traction_moment(const am_traction *traction) {
    double sum = 0.0;
    for (size_t i = 0; i < traction->count; i++) {
        const am_traction_part *part = &traction->part[i];
        sum += part->middle * part_resultant(part);
        if (part->shape == AM_TRACTION_TILT)
            sum += 0.5 * pi * part->half_width * part->half_width * part->size;
    }
    return sum;
}

am_stress am_traction_stress(const am_traction *p, const am_traction *q, double x, double z) {
    return am_field_stress(z, am_traction_transform(p, x, z), am_traction_transform(q, x, z));
}

static double load_between(const am_traction *traction, double from, double to) {
    double sum = 0.0;
    for (size_t i = 0; i < traction->count; i++)
        sum += part_load(&traction->part[i], to) - part_load(&traction->part[i], from);
    return sum;
}

void am_traction_surface(const am_traction *p, const am_traction *q, const am_medium *medium, double x,
                         double reference, double *u, double *v) {
    double along = 0.25 * (medium->kolosov + 1.0) / medium->shear_modulus,
           across = 0.25 * (medium->kolosov - 1.0) / medium->shear_modulus;
    *u = -along * (am_traction_displacement(q, x) - am_traction_displacement(q, reference)) -
         across * load_between(p, reference, x);
    *v = -along * (am_traction_displacement(p, x) - am_traction_displacement(p, reference)) +
         across * load_between(q, reference, x);
}

/* ---- Power laws ---- */

double am_griffith_power_share(double k, double critical, double ratio) {
    return 1.0 - pow(ratio, k) + 2.0 * k * pow(critical, k - 0.5) * sqrt(ratio);
}

double am_griffith_power_onset(double k, double critical) {
    return 2.0 * k * pow(critical, k - 0.5);
}

double am_griffith_power_maximum(double k, double critical) {
    return 1.0 + (2.0 * k - 1.0) * pow(critical, k);
}

double am_griffith_power_critical(double modulus, double k, double coefficient, double friction, double energy) {
    double gammas = exp(lgamma(0.5 * k) - lgamma(0.5 * (k + 1.0)));
    return pow(sqrt(0.5 * energy / modulus) / friction * gammas / (k * coefficient), 2.0 / (2.0 * k - 1.0));
}

typedef struct power_target {
    double k, critical, share;
} power_target;

static double power_excess_at(const void *context, double ratio) {
    const power_target *t = context;
    return am_griffith_power_share(t->k, t->critical, ratio) - t->share;
}

am_status am_griffith_power_stick(double k, double critical, double share, double *ratio, am_error *err) {
    if (!(k >= 1.0))
        return am_fail_field(err, AM_ERR_INPUT, "k", "the power k of the profile must be at least 1");
    if (!(critical >= 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "c_c", "the critical half-width must not be negative");
    if (!(share >= 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "Q", "Q/fP must not be negative; it is %g", share);
    double onset = am_griffith_power_onset(k, critical);
    double largest = critical < 1.0 ? am_griffith_power_maximum(k, critical) : onset;
    if (share > largest * (1.0 + 1e-14))
        return am_fail_field(err, AM_ERR_INPUT, "Q",
                             "Q exceeds %s: the contact slides as a whole; the largest load is %g f P",
                             critical > 0.0 ? "what the stick zone can hold" : "f P", largest);
    *ratio = 1.0;
    if (share <= onset)
        return AM_OK;
    power_target t = {k, critical, share};
    *ratio = share >= largest ? critical : am_root_between(power_excess_at, &t, critical, 1.0);
    return AM_OK;
}

double am_griffith_pull_off(double modulus, double radius, double energy) {
    return -0.75 * cbrt(4.0 * pi * modulus * energy * energy * radius);
}

/* With N the load, m its mean and C(N) the compliance: 8 f^2 times the integral of (m - N)(C(N) - C(m)); the constant
 * takes away what would only cancel. N = top t^2 makes the logarithm at N = 0 harmless. */
typedef struct loop {
    const am_profile *profile;
    double top, middle, compliance;
} loop;

static double loop_at(const void *context, double t) {
    const loop *l = context;
    double N = l->top * t * t;
    double compliance =
        l->profile->kind->compliance(l->profile->data, l->profile->kind->half_width(l->profile->data, N));
    return (l->middle - N) * (compliance - l->compliance) * 2.0 * l->top * t;
}

am_status am_superposition_dissipation(const am_profile *profile, double friction, double P, double range,
                                       double *energy, am_error *err) {
    double a, c;
    am_status status = am_superposition_stick_width(profile, friction, P, 0.5 * range, &a, &c, err);
    if (status != AM_OK)
        return status;
    if (!(range >= 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "range", "the range of Q over a cycle must not be negative");
    *energy = 0.0;
    if (P == 0.0 || range == 0.0)
        return AM_OK;
    double low = fmax(0.0, P - 0.5 * range / friction), middle = 0.5 * (low + P);
    loop l = {profile, P, middle,
              profile->kind->compliance(profile->data, profile->kind->half_width(profile->data, middle))};
    *energy = 8.0 * friction * friction * am_quadrature_ends(loop_at, &l, sqrt(low / P), 1.0);
    return AM_OK;
}

double am_superposition_loss(double e) {
    if (e < 0.5) {
        double sum = 0.0, power = e * e;
        for (int n = 3; n < 60; n++) {
            power *= e;
            sum += power / (n * (n - 1.0));
        }
        return 2.0 * sum;
    }
    double k = 1.0 - e;
    return k > 0.0 ? e * (1.0 + k) + 2.0 * k * log(k) : 1.0;
}

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
