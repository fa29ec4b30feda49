#include "hertz.h"

#include <float.h>
#include <math.h>

#include "halfplane/superposition.h"
#include "halfplane_closed.h"

static const double pi = 3.14159265358979323846;

/* ---- Normal contact ---- */

static am_status check(double modulus, double radius, am_error *err) {
    if (!(modulus > 0.0 && isfinite(modulus)))
        return am_fail_field(err, AM_ERR_INPUT, "E_star", "the contact modulus E* must be positive");
    if (!(radius > 0.0 && isfinite(radius)))
        return am_fail_field(err, AM_ERR_INPUT, "R", "the radius must be positive");
    return AM_OK;
}

am_status am_hertz_from_half_width(double modulus, double radius, double half_width, am_hertz *hertz, am_error *err) {
    am_status status = check(modulus, radius, err);
    if (status != AM_OK)
        return status;
    if (!(half_width > 0.0 && isfinite(half_width)))
        return am_fail_field(err, AM_ERR_INPUT, "a", "the half-width of the contact must be positive");
    *hertz = (am_hertz){
        .modulus = modulus,
        .radius = radius,
        .load = 0.25 * pi * modulus * half_width * half_width / radius,
        .half_width = half_width,
        .peak = 0.5 * modulus * half_width / radius,
    };
    return AM_OK;
}

am_status am_hertz_from_load(double modulus, double radius, double load, am_hertz *hertz, am_error *err) {
    am_status status = check(modulus, radius, err);
    if (status != AM_OK)
        return status;
    if (!(load > 0.0 && isfinite(load)))
        return am_fail_field(err, AM_ERR_INPUT, "P",
                             "the bodies never touch: the normal load must be positive, and it is %g", load);
    status = am_hertz_from_half_width(modulus, radius, sqrt(4.0 * load * radius / (pi * modulus)), hertz, err);
    hertz->load = load;
    return status;
}

double am_hertz_pressure(const am_hertz *hertz, double x) {
    return hertz->peak / hertz->half_width * am_traction_between(x, hertz->half_width, 0.0);
}

double am_hertz_gap(const am_hertz *hertz, double x) {
    x = fabs(x);
    return x > hertz->half_width ? am_traction_growth(x, hertz->half_width) / hertz->radius : 0.0;
}

am_traction am_hertz_traction(const am_hertz *hertz) {
    am_traction p = {0};
    am_traction_add(&p, AM_TRACTION_ELLIPSE, 0.0, hertz->half_width, hertz->peak);
    return p;
}

/* ---- Partial slip ---- */

static am_status check_tangential(const am_hertz *hertz, double friction, double tangential, am_error *err) {
    if (!(friction > 0.0 && isfinite(friction)))
        return am_fail_field(err, AM_ERR_INPUT, "f", "partial slip needs a positive coefficient of friction; it is %g",
                             friction);
    if (!isfinite(tangential))
        return am_fail_field(err, AM_ERR_INPUT, "Q", "the tangential load is not a finite number");
    if (fabs(tangential) > friction * hertz->load * (1.0 + 4.0 * DBL_EPSILON))
        return am_fail_field(err, AM_ERR_INPUT, "Q",
                             "Q exceeds f P: the contact slides as a whole; the largest load is %g",
                             friction * hertz->load);
    return AM_OK;
}

am_status am_cattaneo_from_load(const am_hertz *hertz, double friction, double tangential, am_cattaneo *cattaneo,
                                am_error *err) {
    am_status status = check_tangential(hertz, friction, tangential, err);
    if (status != AM_OK)
        return status;
    double share = fmin(1.0, fabs(tangential) / (friction * hertz->load)), ratio = sqrt(1.0 - share);
    *cattaneo = (am_cattaneo){
        .hertz = *hertz,
        .friction = friction,
        .tangential = tangential,
        .stick = hertz->half_width * ratio,
        .slip_width = hertz->half_width * share / (1.0 + ratio),
    };
    return AM_OK;
}

static double sign_of(double x) {
    return (x > 0.0) - (x < 0.0);
}

/* Like am_traction_between, but a - c is known better than from a and c. */
double am_cattaneo_shear(const am_cattaneo *cattaneo, double x) {
    const am_hertz *hertz = &cattaneo->hertz;
    double a = hertz->half_width, c = cattaneo->stick, difference;
    x = fabs(x);
    if (!(x < a))
        return 0.0;
    double outer = sqrt((a - x) * (a + x));
    if (x < c)
        difference = cattaneo->slip_width * (a + c) / (outer + sqrt((c - x) * (c + x)));
    else
        difference = outer;
    return sign_of(cattaneo->tangential) * cattaneo->friction * hertz->peak / a * difference;
}

double am_cattaneo_slip(const am_cattaneo *cattaneo, double x) {
    x = fabs(x);
    if (!(x > cattaneo->stick))
        return 0.0;
    return sign_of(cattaneo->tangential) * cattaneo->friction / cattaneo->hertz.radius *
           am_traction_growth(x, cattaneo->stick);
}

am_traction am_cattaneo_traction(const am_cattaneo *cattaneo) {
    const am_hertz *hertz = &cattaneo->hertz;
    double peak = sign_of(cattaneo->tangential) * cattaneo->friction * hertz->peak;
    am_traction q = {0};
    am_traction_add(&q, AM_TRACTION_ELLIPSE, 0.0, hertz->half_width, peak);
    am_traction_add(&q, AM_TRACTION_ELLIPSE, 0.0, cattaneo->stick, -peak * cattaneo->stick / hertz->half_width);
    return q;
}

/* (2 f/(pi E*)) times the integral of (P(s) - P(c))/s from c to a, P = pi E* s^2/(4R). With e = Q/fP:
 * (f a^2/(4R)) (e + (1 - e) ln(1 - e)) = (f a^2/(4R)) (e^2/2 + e^3/6 + ...). */
double am_cattaneo_yield(const am_cattaneo *cattaneo) {
    const am_hertz *hertz = &cattaneo->hertz;
    double e = fmin(1.0, fabs(cattaneo->tangential) / (cattaneo->friction * hertz->load)), sum = 0.0;
    if (e < 0.5) {
        double power = e;
        for (int n = 2; n < 60; n++) {
            power *= e;
            sum += power / (n * (n - 1.0));
        }
    } else {
        sum = e + (e < 1.0 ? (1.0 - e) * log1p(-e) : 0.0);
    }
    double scale = 0.25 * cattaneo->friction * hertz->half_width * hertz->half_width / hertz->radius;
    return sign_of(cattaneo->tangential) * scale * sum;
}

am_status am_cattaneo_dissipation(const am_hertz *hertz, double friction, double range, double *energy, am_error *err) {
    am_status status = check_tangential(hertz, friction, 0.5 * range, err);
    if (status != AM_OK)
        return status;
    if (!(range >= 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "range", "the range of Q over a cycle must not be negative");
    double limit = friction * hertz->load;
    *energy = 2.0 * limit * limit / (pi * hertz->modulus) * am_superposition_loss(fmin(1.0, 0.5 * range / limit));
    return AM_OK;
}
