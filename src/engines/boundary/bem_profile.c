#include "engines/boundary/bem_profile.h"

#include <math.h>

#include "base/local.h"
#include "math/pi.h"

static am_status positive(double value, const char *field, const char *what, am_error *err) {
    if (value > 0.0 && isfinite(value))
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, field, "%s is %g and must be positive", what, value);
}

static am_status check_table(const am_bem_profile *profile, am_error *err) {
    if (profile->count < 3)
        return am_fail_field(err, AM_ERR_INPUT, "profile.points", "a profile needs at least 3 points; this one has %zu",
                             profile->count);
    for (size_t i = 0; i < profile->count; i++) {
        if (!isfinite(profile->x[i]) || !isfinite(profile->gap[i]))
            return am_fail_field(err, AM_ERR_INPUT, "profile.points", "point %zu of the profile is not finite", i + 1);
        if (i > 0 && !(profile->x[i] > profile->x[i - 1]))
            return am_fail_field(err, AM_ERR_INPUT, "profile.points",
                                 "the points of a profile must increase in x; point %zu has x = %g after %g", i + 1,
                                 profile->x[i], profile->x[i - 1]);
    }
    return AM_OK;
}

am_status am_bem_profile_check(const am_bem_profile *profile, am_error *err) {
    switch (profile->shape) {
    case AM_SLIP_HERTZ:
        return positive(profile->radius, "profile.radius", "the radius of the profile", err);
    case AM_SLIP_POWER:
        AM_TRY(positive(profile->factor, "profile.factor", "the factor of the power law", err));
        if (!(profile->power >= 1.0 && isfinite(profile->power)))
            return am_fail_field(err, AM_ERR_INPUT, "profile.power",
                                 "the power of the profile is %g and must be at least 1 (1 is a wedge)",
                                 profile->power);
        return AM_OK;
    case AM_SLIP_WAVE:
        AM_TRY(positive(profile->amplitude, "profile.amplitude", "the amplitude of the wave", err));
        return positive(profile->wavelength, "profile.wavelength", "the wavelength", err);
    case AM_SLIP_PUNCH:
        return positive(profile->half_width, "profile.half_width", "the half-width of the punch", err);
    case AM_SLIP_ROUNDED:
        AM_TRY(positive(profile->radius, "profile.radius", "the radius of the rounded ends", err));
        if (!(profile->half_width >= 0.0 && isfinite(profile->half_width)))
            return am_fail_field(err, AM_ERR_INPUT, "profile.half_width",
                                 "the half-width of the flat part is %g and must not be negative", profile->half_width);
        return AM_OK;
    case AM_SLIP_TABLE:
        return check_table(profile, err);
    }
    return am_fail_field(err, AM_ERR_INPUT, "profile.shape", "the shape of the profile is unknown");
}

static double formula(const am_bem_profile *profile, double x) {
    double beyond = fabs(x) - profile->half_width;
    switch (profile->shape) {
    case AM_SLIP_HERTZ:
        return 0.5 * x * x / profile->radius;
    case AM_SLIP_POWER:
        return profile->factor * pow(fabs(x), profile->power);
    case AM_SLIP_WAVE: {
        double s = sin(0.5 * two_pi * x / profile->wavelength);
        return 2.0 * profile->amplitude * s * s;
    }
    case AM_SLIP_PUNCH:
        return beyond < 0.0 ? 0.0 : INFINITY;
    case AM_SLIP_ROUNDED:
        return beyond > 0.0 ? 0.5 * beyond * beyond / profile->radius : 0.0;
    case AM_SLIP_TABLE:
        break;
    }
    return INFINITY;
}

/* Second derivatives of the natural cubic spline, by elimination in its tridiagonal system. */
static void bend(const am_bem_profile *profile, double *second, double *factor) {
    const double *x = profile->x, *z = profile->gap;
    size_t last = profile->count - 1;
    second[0] = factor[0] = second[last] = 0.0;
    for (size_t i = 1; i < last; i++) {
        double left = x[i] - x[i - 1], right = x[i + 1] - x[i], pivot = 2.0 * (left + right) - left * factor[i - 1];
        double turn = 6.0 * ((z[i + 1] - z[i]) / right - (z[i] - z[i - 1]) / left);
        factor[i] = right / pivot;
        second[i] = (turn - left * second[i - 1]) / pivot;
    }
    for (size_t i = last; i-- > 1;)
        second[i] -= factor[i] * second[i + 1];
}

static void spline(const am_bem_profile *profile, const double *second, size_t count, const double *x, double *gaps) {
    size_t at = 0, last = profile->count - 1;
    for (size_t i = 0; i < count; i++) {
        if (!(x[i] >= profile->x[0] && x[i] <= profile->x[last])) {
            gaps[i] = INFINITY;
            continue;
        }
        while (at + 1 < last && profile->x[at + 1] < x[i])
            at++;
        double width = profile->x[at + 1] - profile->x[at], b = (x[i] - profile->x[at]) / width, a = 1.0 - b;
        gaps[i] = a * profile->gap[at] + b * profile->gap[at + 1] +
                  ((a * a * a - a) * second[at] + (b * b * b - b) * second[at + 1]) * width * width / 6.0;
    }
}

am_status am_bem_profile_gaps(const am_bem_profile *profile, size_t count, const double *x, double *gaps,
                              am_error *err) {
    AM_TRY(am_bem_profile_check(profile, err));
    if (profile->shape != AM_SLIP_TABLE) {
        for (size_t i = 0; i < count; i++)
            gaps[i] = formula(profile, x[i]);
        return AM_OK;
    }
    AM_LOCAL_MEMORY double *second = am_memory_new(2 * profile->count, sizeof *second, err);
    if (!second)
        return AM_ERR_MEMORY;
    bend(profile, second, second + profile->count);
    spline(profile, second, count, x, gaps);
    return AM_OK;
}
