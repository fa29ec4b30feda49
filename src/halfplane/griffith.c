#include "halfplane/griffith.h"

#include <float.h>
#include <math.h>

#include "base/try.h"
#include "math/root.h"

am_status am_griffith_from_load(am_profile profile, double friction, double load, double energy, am_griffith *griffith,
                                am_error *err) {
    AM_TRY(am_profile_check_friction(friction, err));
    AM_TRY(am_profile_check_load(&profile, load, err));
    if (!(energy >= 0.0 && isfinite(energy)))
        return am_fail_field(err, AM_ERR_INPUT, "W", "the fracture energy must not be negative");
    *griffith = (am_griffith){
        .profile = profile,
        .friction = friction,
        .load = load,
        .half_width = profile.kind->half_width(profile.data, load),
        .toughness = sqrt(2.0 * profile.kind->modulus(profile.data) * energy),
    };
    return AM_OK;
}

/* Load of the singular flat. */
static double singular_load(const am_griffith *griffith, double c) {
    if (griffith->toughness == 0.0 || c == 0.0)
        return 0.0;
    double intensity = griffith->profile.kind->flat_intensity(griffith->profile.data, c);
    return intensity > 0.0 ? griffith->toughness / intensity : INFINITY;
}

double am_griffith_tangential(const am_griffith *griffith, double c) {
    double stuck = c == griffith->half_width ? griffith->load : griffith->profile.kind->load(griffith->profile.data, c);
    return griffith->friction * (griffith->load - stuck) + singular_load(griffith, c);
}

double am_griffith_shear(const am_griffith *griffith, double c, double x) {
    const am_profile *profile = &griffith->profile;
    double outer = profile->kind->pressure(profile->data, x, griffith->half_width);
    if (c == 0.0)
        return griffith->friction * outer;
    double inner = profile->kind->pressure(profile->data, x, c);
    return griffith->friction * (outer - inner) + singular_load(griffith, c) * profile->kind->flat(profile->data, x, c);
}

double am_griffith_slip(const am_griffith *griffith, double c, double x) {
    const am_profile *profile = &griffith->profile;
    double slip = griffith->friction * profile->kind->slip(profile->data, x, c);
    if (c > 0.0 && griffith->toughness > 0.0)
        slip += singular_load(griffith, c) * profile->kind->flat_drop(profile->data, x, c);
    return slip;
}

am_transform am_griffith_transform(const am_griffith *griffith, double c, double x, double z) {
    const am_profile *profile = &griffith->profile;
    am_transform sum = {0.0, 0.0};
    sum =
        am_transform_add(sum, griffith->friction, profile->kind->transform(profile->data, x, z, griffith->half_width));
    if (c == 0.0)
        return sum;
    sum = am_transform_add(sum, -griffith->friction, profile->kind->transform(profile->data, x, z, c));
    if (griffith->toughness == 0.0)
        return sum;
    return am_transform_add(sum, singular_load(griffith, c), profile->kind->flat_transform(profile->data, x, z, c));
}

/* ---- Limits ---- */

/* d ln f/d ln c of a positive function, by five points: right to about 1e-11 however small f is. */
static double log_slope(const am_griffith *griffith, double (*f)(const am_griffith *, double), double c) {
    double most = griffith->profile.kind->most(griffith->profile.data), e = 1e-4;
    if (c * (1.0 + 2.0 * e) >= most)
        e = 0.25 * (most / c - 1.0);
    double near = log(f(griffith, c * (1.0 + e)) / f(griffith, c * (1.0 - e)));
    double far = log(f(griffith, c * (1.0 + 2.0 * e)) / f(griffith, c * (1.0 - 2.0 * e)));
    return (8.0 * near - far) / (12.0 * e);
}

static double slipping_load(const am_griffith *griffith, double c) {
    return griffith->friction * griffith->profile.kind->load(griffith->profile.data, c);
}

/* Does Q grow with c? The slope of Q over c, as a part of its two terms: -1 to 1. Of steep profiles Q itself hardly
 * changes where its slope vanishes. */
static double rise_at(const void *context, double c) {
    const am_griffith *griffith = context;
    double singular = singular_load(griffith, c), slipping = slipping_load(griffith, c);
    if (!(isfinite(singular) && slipping > DBL_MIN))
        return 1.0;
    double up = singular * log_slope(griffith, singular_load, c);
    double down = slipping * log_slope(griffith, slipping_load, c);
    return (up - down) / (fabs(up) + fabs(down));
}

/* The stable branch is where Q falls with c. It is looked for on a grid, finer towards both ends, below its first point
 * by halving, and its ends are then made sharp. Profiles here have one such branch. */
enum { SAMPLES = 400 };

static double sample_at(double a, int i) {
    double t = (double)i / SAMPLES;
    return i == SAMPLES ? a : a * t * t * (3.0 - 2.0 * t);
}

/* The first place at which Q ceases to grow; a or more when there is none. */
static double find_critical(const am_griffith *griffith, int *next) {
    double a = griffith->half_width, c = sample_at(a, 1);
    *next = 1;
    if (!(rise_at(griffith, c) > 0.0)) {
        while (c > 1e-300 * a && !(rise_at(griffith, c) > 0.0))
            c *= 0.5;
        return am_root_between(rise_at, griffith, c, 2.0 * c);
    }
    while (*next <= SAMPLES && rise_at(griffith, sample_at(a, *next)) > 0.0)
        (*next)++;
    if (*next > SAMPLES)
        return INFINITY;
    return am_root_between(rise_at, griffith, sample_at(a, *next - 1), sample_at(a, *next));
}

/* The first place after that at which it grows again; a when there is none. */
static double find_widest(const am_griffith *griffith, int next) {
    double a = griffith->half_width;
    while (next <= SAMPLES && !(rise_at(griffith, sample_at(a, next)) > 0.0))
        next++;
    return next > SAMPLES ? a : am_root_between(rise_at, griffith, sample_at(a, next - 1), sample_at(a, next));
}

am_griffith_limits am_griffith_limits_of(const am_griffith *griffith) {
    double a = griffith->half_width;
    int next = 1;
    am_griffith_limits l = {.onset = am_griffith_tangential(griffith, a), .widest = a};
    l.critical = griffith->toughness > 0.0 ? find_critical(griffith, &next) : 0.0;
    if (!(l.critical < a)) {
        l.slides_at_once = true;
        l.critical = a;
        l.maximum = l.least = l.largest = l.onset;
        return l;
    }
    if (griffith->toughness > 0.0)
        l.widest = find_widest(griffith, next);
    l.maximum = am_griffith_tangential(griffith, l.critical);
    l.least = am_griffith_tangential(griffith, l.widest);
    l.jumps = l.widest < a;
    l.slides_at_once = l.jumps && l.onset >= l.maximum;
    l.largest = fmax(l.onset, l.maximum);
    return l;
}

typedef struct target {
    const am_griffith *griffith;
    double Q;
} target;

static double excess_at(const void *context, double c) {
    const target *t = context;
    return am_griffith_tangential(t->griffith, c) - t->Q;
}

am_status am_griffith_stick(const am_griffith *griffith, double Q, double *c, am_error *err) {
    if (!(Q >= 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "Q", "the tangential load must not be negative; it is %g", Q);
    am_griffith_limits limits = am_griffith_limits_of(griffith);
    if (Q > limits.largest * (1.0 + 1e-14))
        return am_fail_field(err, AM_ERR_INPUT, "Q",
                             "Q exceeds what the stick zone can hold: the contact slides as a whole; the largest load "
                             "is %g",
                             limits.largest);
    *c = griffith->half_width;
    if (Q <= limits.onset)
        return AM_OK;
    target t = {griffith, Q};
    *c = Q >= limits.maximum ? limits.critical : am_root_between(excess_at, &t, limits.critical, limits.widest);
    return AM_OK;
}
