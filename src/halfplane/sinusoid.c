#include "halfplane/sinusoid.h"

#include <math.h>

#include "halfplane/traction.h"
#include "math/pi.h"

am_status am_sinusoid_check(const am_sinusoid *wave, am_error *err) {
    if (!(wave->modulus > 0.0 && isfinite(wave->modulus)))
        return am_fail_field(err, AM_ERR_INPUT, "E_star", "the contact modulus E* must be positive");
    if (!(wave->amplitude > 0.0 && isfinite(wave->amplitude)))
        return am_fail_field(err, AM_ERR_INPUT, "amplitude", "the amplitude of the wave must be positive");
    if (!(wave->wavelength > 0.0 && isfinite(wave->wavelength)))
        return am_fail_field(err, AM_ERR_INPUT, "wavelength", "the wavelength must be positive");
    return AM_OK;
}

/* sin and cos of pi x/lambda, x brought into the period around the crest: the cosine is not negative */
typedef struct phase {
    double sine, cosine;
} phase;

static phase phase_of(const am_sinusoid *wave, double x) {
    double turns = remainder(x / wave->wavelength, 1.0); /* within +-1/2 */
    double rest = 0.5 - fabs(turns);
    return (phase){sin(pi * turns), sin(pi * rest)};
}

/* sin^2(S) - sin^2(X) = sin(S - X) sin(S + X) for 0 <= X, S <= pi/2 */
static double gap_of_squares(const am_sinusoid *wave, double s, double x) {
    double turns = fabs(remainder(x / wave->wavelength, 1.0)), edge = s / wave->wavelength;
    return sin(pi * (edge - turns)) * sin(pi * (edge + turns));
}

/* ---- Westergaard ---- */

double am_sinusoid_load(const void *data, double a) {
    const am_sinusoid *wave = data;
    double sine = sin(pi * fmin(a / wave->wavelength, 0.5));
    return pi * wave->modulus * wave->amplitude * sine * sine;
}

double am_sinusoid_half_width(const void *data, double load) {
    const am_sinusoid *wave = data;
    double share = load / (pi * wave->modulus * wave->amplitude);
    return wave->wavelength / pi * asin(fmin(1.0, sqrt(share)));
}

double am_sinusoid_pressure(const void *data, double x, double a) {
    const am_sinusoid *wave = data;
    double square = gap_of_squares(wave, a, x);
    double full = 2.0 * pi * wave->modulus * wave->amplitude / wave->wavelength;
    return square > 0.0 ? full * phase_of(wave, x).cosine * sqrt(square) : 0.0;
}

/* (2/E*) Re F = (4 pi Delta/lambda) cos X sqrt(sin^2 X - sin^2 C), integrated over x */
double am_sinusoid_slip(const void *data, double x, double c) {
    const am_sinusoid *wave = data;
    double outer = fabs(phase_of(wave, x).sine), inner = sin(pi * c / wave->wavelength);
    if (!(gap_of_squares(wave, c, x) < 0.0) || !(outer > inner))
        return 0.0;
    return 4.0 * wave->amplitude * am_traction_growth(outer, inner);
}

static double sinusoid_slip_slope(const void *data, double x, double c) {
    const am_sinusoid *wave = data;
    double square = -gap_of_squares(wave, c, x);
    return square > 0.0 ? 4.0 * pi * wave->amplitude / wave->wavelength * phase_of(wave, x).cosine * sqrt(square) : 0.0;
}

/* Deeper than this everything is uniform to the last digit. */
static const double deep = 20.0;

typedef struct complex_phase {
    double complex sine, cosine, root; /* root: sqrt(sin^2 Z - sin^2 S) ~ sin Z */
} complex_phase;

static complex_phase complex_phase_of(const am_sinusoid *wave, double x, double z, double s) {
    double turns = remainder(x / wave->wavelength, 1.0), depth = fmin(z / wave->wavelength, deep);
    double complex Z = pi * am_field_point(turns, depth);
    double edge = sin(pi * s / wave->wavelength);
    complex_phase f = {csin(Z), ccos(Z), 0.0};
    if (depth == 0.0) { /* exactly on the surface, from above */
        f.sine = am_field_point(creal(f.sine), 0.0);
        double square = gap_of_squares(wave, s, x);
        f.root = square >= 0.0 ? sqrt(square) * I : copysign(sqrt(-square), turns);
    } else {
        f.root = csqrt(f.sine - edge) * csqrt(f.sine + edge);
    }
    return f;
}

am_transform am_sinusoid_transform(const void *data, double x, double z, double a) {
    const am_sinusoid *wave = data;
    complex_phase f = complex_phase_of(wave, x, z, a);
    double edge = sin(pi * a / wave->wavelength);
    double full = 2.0 * pi * wave->modulus * wave->amplitude / wave->wavelength;
    double complex difference = z > 0.0 ? edge * edge / (f.sine + f.root) : f.sine - f.root;
    am_transform t = {full * f.cosine * difference, 0.0};
    if (z > 0.0 && z < deep * wave->wavelength)
        t.slope = -full * pi / wave->wavelength * difference * (f.sine + f.cosine * f.cosine / f.root);
    return t;
}

/* ---- The repeated flat ---- */

double am_sinusoid_flat(const void *data, double x, double s) {
    const am_sinusoid *wave = data;
    if (wave->isolated)
        return am_flat_traction(remainder(x, wave->wavelength), s);
    double square = gap_of_squares(wave, s, x);
    return square > 0.0 ? phase_of(wave, x).cosine / (wave->wavelength * sqrt(square)) : 0.0;
}

double am_sinusoid_flat_drop(const void *data, double x, double s) {
    const am_sinusoid *wave = data;
    if (wave->isolated)
        return am_flat_drop(wave->modulus, remainder(x, wave->wavelength), s);
    double square = -gap_of_squares(wave, s, x), inner = sin(pi * s / wave->wavelength);
    return square > 0.0 ? 2.0 / (pi * wave->modulus) * asinh(sqrt(square) / inner) : 0.0;
}

double am_sinusoid_flat_intensity(const void *data, double s) {
    const am_sinusoid *wave = data;
    if (wave->isolated)
        return am_flat_intensity(s);
    double rest = pi * (0.5 - s / wave->wavelength);
    return sqrt(fmax(0.0, sin(rest)) / (sin(pi * s / wave->wavelength) * wave->wavelength));
}

am_transform am_sinusoid_flat_transform(const void *data, double x, double z, double s) {
    const am_sinusoid *wave = data;
    if (wave->isolated)
        return (am_transform){NAN, NAN};
    complex_phase f = complex_phase_of(wave, x, z, s);
    double edge = cos(pi * s / wave->wavelength), lambda = wave->wavelength;
    am_transform t = {f.cosine / (lambda * f.root), 0.0};
    if (z > 0.0 && z < deep * lambda)
        t.slope = -pi * edge * edge * f.sine / (lambda * lambda * f.root * f.root * f.root);
    return t;
}

/* ---- As a profile ---- */

static double modulus_of(const void *data) {
    return ((const am_sinusoid *)data)->modulus;
}

static double most_of(const void *data) {
    return 0.5 * ((const am_sinusoid *)data)->wavelength;
}

/* against the mean of the surface over a period */
static double compliance_of(const void *data, double s) {
    const am_sinusoid *wave = data;
    return -2.0 / (pi * wave->modulus) * log(sin(pi * s / wave->wavelength));
}

static double approach_of(const void *data, double a) {
    const am_sinusoid *wave = data;
    double sine = sin(pi * a / wave->wavelength), share = sine * sine;
    return share > 0.0 ? wave->amplitude * share * (1.0 - log(share)) : 0.0;
}

am_profile am_sinusoid_profile(const am_sinusoid *wave) {
    static const am_profile_kind kind = {"sinusoid",
                                         modulus_of,
                                         most_of,
                                         am_sinusoid_load,
                                         am_sinusoid_half_width,
                                         am_sinusoid_pressure,
                                         am_sinusoid_transform,
                                         approach_of,
                                         am_sinusoid_slip,
                                         sinusoid_slip_slope,
                                         compliance_of,
                                         am_sinusoid_flat,
                                         am_sinusoid_flat_drop,
                                         am_sinusoid_flat_intensity,
                                         am_sinusoid_flat_transform};
    return (am_profile){&kind, wave};
}
