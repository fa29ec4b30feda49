#include "halfplane/weakening.h"
#include "base/try.h"

#include <float.h>
#include <math.h>

#include "math/pi.h"
#include "math/quadrature.h"
#include "math/root.h"

static double pressure(const am_weakening_contact *contact, double x, double s) {
    return contact->profile.kind->pressure(contact->profile.data, x, s);
}

static double load(const am_weakening_contact *contact, double s) {
    return contact->profile.kind->load(contact->profile.data, s);
}

am_status am_weakening_check(const am_weakening_law *law, am_error *err) {
    if (!(law->kinetic > 0.0 && isfinite(law->kinetic)))
        return am_fail_field(err, AM_ERR_INPUT, "f_d", "the dynamic friction must be positive; it is %g", law->kinetic);
    double excess = law->fixed / law->kinetic - 1.0;
    if (!(excess > 0.0 && isfinite(excess)))
        return am_fail_field(err, AM_ERR_INPUT, "f_s",
                             "weakening needs a static friction above the dynamic one: f_s/f_d - 1 is %g", excess);
    if (!(law->amount > 0.0 && isfinite(law->amount)))
        return am_fail_field(err, AM_ERR_INPUT, "Delta",
                             "the slip over which friction weakens must be positive; without it the contact behaves as "
                             "with the dynamic friction alone");
    return AM_OK;
}

am_status am_weakening_contact_from_load(am_profile profile, const am_weakening_law *law, double P,
                                         am_weakening_contact *contact, am_error *err) {
    AM_TRY(am_weakening_check(law, err));
    AM_TRY(am_profile_check_load(&profile, P, err));
    *contact = (am_weakening_contact){profile, *law, P, profile.kind->half_width(profile.data, P)};
    return AM_OK;
}

/* ---- The integral over the transition zone ----
 *
 * of p(x; b) slip'(x; c), over p(x; a) where the measure wants the coefficient of friction. With x^2 = c^2 + m sin^2,
 * m = b^2 - c^2, the square roots at both ends are smooth; what is left are the origin, at an angle c/sqrt(m) from the
 * lower end, and a, at sqrt((a^2 - b^2)/m) from the upper one. Gauss panels grow from there by a factor of four. */

typedef struct span {
    const am_weakening_contact *contact;
    double c, m, b;
    bool weighted;
} span;

static double span_at(const void *context, double angle) {
    const span *s = context;
    const am_profile *profile = &s->contact->profile;
    double sine = sin(angle), cosine = cos(angle), x = hypot(s->c, sqrt(s->m) * sine);
    double value = pressure(s->contact, x, s->b);
    if (s->weighted) {
        double outer = pressure(s->contact, x, s->contact->half_width);
        value = outer > 0.0 ? value / outer : 1.0; /* b has come up to a, and x to both */
    }
    value *= profile->kind->slip_slope(profile->data, x, s->c);
    return value * s->m * sine * cosine / x;
}

/* From one end of the quarter turn to its middle, panels growing away from the end. */
static double graded(const span *s, double smallest, bool from_top) {
    double low = 0.0, high = fmax(smallest, 1e-9), sum = 0.0;
    while (low < 0.25 * pi) {
        high = fmin(high, 0.25 * pi);
        sum += from_top ? am_quadrature_gauss(span_at, s, 0.5 * pi - high, 0.5 * pi - low, 1)
                        : am_quadrature_gauss(span_at, s, low, high, 1);
        low = high;
        high *= 4.0;
    }
    return sum;
}

static double over_span(const am_weakening_contact *contact, double c, double m, bool weighted) {
    double a = contact->half_width, b = fmin(a, sqrt(c * c + m));
    span s = {contact, c, m, b, weighted};
    return graded(&s, c / sqrt(m), false) + graded(&s, sqrt((a - b) * (a + b) / m), true);
}

/* A wedge has an infinite pressure in the middle: its stick zone is never smaller than this. */
static double shrunk(const am_weakening_contact *contact, double c) {
    double least = 1e-12 * contact->half_width;
    return c < least && !isfinite(pressure(contact, 0.0, contact->half_width)) ? least : c;
}

static double factor_of(const am_weakening_contact *contact, double c, double b) {
    double excess = contact->law.fixed - contact->law.kinetic;
    return b < contact->half_width ? excess * pressure(contact, c, contact->half_width) / pressure(contact, c, b)
                                   : excess;
}

/* m = b^2 - c^2 */
static double amount_of(const am_weakening_contact *contact, double c, double m) {
    const am_weakening_law *law = &contact->law;
    if (!(m > 0.0))
        return 0.0;
    double b = sqrt(c * c + m), factor = factor_of(contact, c, b);
    double integral = over_span(contact, c, m, law->measure == AM_SLIP_INTEGRAL);
    double energy = factor * (law->kinetic + factor) * integral; /* (4.21), or over p */
    switch (law->measure) {
    case AM_SLIP_ENERGY:
        return energy;
    case AM_SLIP_EDGE:
        return energy / ((law->fixed - law->kinetic) * pressure(contact, c, contact->half_width));
    case AM_SLIP_INTEGRAL:
        return energy / (law->fixed - law->kinetic);
    }
    return NAN;
}

double am_weakening_implied(const am_weakening_contact *contact, double stick, double transition) {
    double c = shrunk(contact, stick);
    return amount_of(contact, c, (transition - c) * (transition + c));
}

/* ---- States by their stick zone ---- */

typedef struct place {
    const am_weakening_contact *contact;
    double c;
} place;

static double excess_at(const void *context, double m) {
    const place *p = context;
    return amount_of(p->contact, p->c, m) - p->contact->law.amount;
}

am_weakening_zones am_weakening_zones_between(const am_weakening_contact *contact, double stick, double transition) {
    double c = shrunk(contact, stick), b = transition, a = contact->half_width, stuck = load(contact, stick);
    am_weakening_zones zones = {.stick = stick, .transition = b, .truncated = !(b < a)};
    zones.factor = factor_of(contact, c, b);
    zones.tangential = contact->law.kinetic * (contact->load - stuck) +
                       zones.factor * ((zones.truncated ? contact->load : load(contact, b)) - stuck);
    return zones;
}

am_weakening_zones am_weakening_zones_at(const am_weakening_contact *contact, double stick) {
    double a = contact->half_width, c = shrunk(contact, stick), width = fmax(0.0, (a - c) * (a + c));
    place p = {contact, c};
    if (!(width > 0.0) || !(excess_at(&p, width) > 0.0))
        return am_weakening_zones_between(contact, stick, a);
    double m = am_root_between(excess_at, &p, 0.0, width);
    return am_weakening_zones_between(contact, stick, fmin(sqrt(c * c + m), a * (1.0 - 0.5 * DBL_EPSILON)));
}

/* ---- Tractions ---- */

double am_weakening_zones_shear(const am_weakening_contact *contact, const am_weakening_zones *zones, double x) {
    double f = contact->law.kinetic, C = zones->factor;
    double inner = zones->stick > 0.0 && fabs(x) < zones->stick ? pressure(contact, x, zones->stick) : 0.0;
    return f * (pressure(contact, x, contact->half_width) - inner) +
           C * (pressure(contact, x, zones->transition) - inner);
}

double am_weakening_zones_slip(const am_weakening_contact *contact, const am_weakening_zones *zones, double x) {
    const am_profile *profile = &contact->profile;
    double slip = (contact->law.kinetic + zones->factor) * profile->kind->slip(profile->data, x, zones->stick);
    if (fabs(x) > zones->transition)
        slip -= zones->factor * profile->kind->slip(profile->data, x, zones->transition);
    return slip;
}

am_transform am_weakening_zones_transform(const am_weakening_contact *contact, const am_weakening_zones *zones,
                                          double x, double z) {
    const am_profile *profile = &contact->profile;
    double f = contact->law.kinetic, C = zones->factor;
    am_transform sum = {0.0, 0.0};
    sum = am_transform_add(sum, f, profile->kind->transform(profile->data, x, z, contact->half_width));
    sum = am_transform_add(sum, C, profile->kind->transform(profile->data, x, z, zones->transition));
    if (!(zones->stick > 0.0))
        return sum;
    return am_transform_add(sum, -f - C, profile->kind->transform(profile->data, x, z, zones->stick));
}

typedef struct transition {
    const am_weakening_contact *contact;
    const am_weakening_zones *zones;
} transition;

static double friction_at(const void *context, double x) {
    const transition *t = context;
    return t->contact->law.kinetic + t->zones->factor * pressure(t->contact, x, t->zones->transition) /
                                         pressure(t->contact, x, t->contact->half_width);
}

double am_weakening_peak(const am_weakening_contact *contact, const am_weakening_zones *zones) {
    double c = zones->stick, b = zones->transition;
    if (zones->truncated || !(b > c))
        return contact->law.fixed;
    transition t = {contact, zones};
    c = fmax(c, 1e-9 * contact->half_width); /* where a wedge has no pressure to divide by */
    return fmax(contact->law.fixed, friction_at(&t, am_root_highest(friction_at, &t, c, b)));
}

/* ---- Short transition ---- */

am_griffith am_weakening_edge(const am_weakening_contact *contact, double stick) {
    const am_weakening_law *law = &contact->law;
    am_griffith edge = {.profile = contact->profile,
                        .friction = law->kinetic,
                        .load = contact->load,
                        .half_width = contact->half_width};
    if (!(stick > 0.0))
        return edge;
    double energy = law->measure == AM_SLIP_ENERGY
                        ? law->amount
                        : (law->fixed - law->kinetic) * pressure(contact, stick, contact->half_width) * law->amount;
    edge.toughness = sqrt(2.0 * edge.profile.kind->modulus(edge.profile.data) * energy); /* (4.31) */
    return edge;
}

double am_weakening_edge_tangential(const am_weakening_contact *contact, double stick) {
    am_griffith edge = am_weakening_edge(contact, stick);
    return am_griffith_tangential(&edge, stick);
}

/* ---- Limits and states by their load, of both ---- */

typedef double (*tangential)(const am_weakening_contact *contact, double c);

static double double_tangential(const am_weakening_contact *contact, double c) {
    return am_weakening_zones_at(contact, c).tangential;
}

typedef struct search {
    const am_weakening_contact *contact;
    tangential Q;
    double target;
} search;

static double missing_at(const void *context, double c) {
    const search *s = context;
    return s->Q(s->contact, c) - s->target;
}

enum { SAMPLES = 48 };

/* The highest of the states between c = 0 and c = `to`. */
static am_weakening_limits highest(const am_weakening_contact *contact, tangential Q, double to) {
    search s = {contact, Q, 0.0};
    int best = 0;
    double most = -INFINITY, step = to / SAMPLES;
    for (int i = 0; i <= SAMPLES; i++) {
        double value = Q(contact, step * i);
        if (value > most) {
            most = value;
            best = i;
        }
    }
    am_weakening_limits limits = {.truncation = to};
    limits.critical =
        am_root_highest(missing_at, &s, step * (best > 0 ? best - 1 : 0), step * (best < SAMPLES ? best + 1 : SAMPLES));
    limits.maximum = Q(contact, limits.critical);
    return limits;
}

/* What is left over when the transition fills the whole slip zone. */
static double spare_slip_at(const void *context, double c) {
    const am_weakening_contact *contact = context;
    double a = contact->half_width;
    c = shrunk(contact, c);
    return amount_of(contact, c, (a - c) * (a + c)) - contact->law.amount;
}

am_weakening_limits am_weakening_contact_limits(const am_weakening_contact *contact) {
    am_weakening_limits limits = {.critical = 0.0, .maximum = contact->law.fixed * contact->load, .truncation = 0.0};
    double a = contact->half_width, least = 0.0;
    while (least < 0.5 * a && spare_slip_at(contact, least) <= 0.0)
        least = fmax(2.0 * least, a / 64.0); /* a wedge has no room in the middle, and may have it elsewhere */
    if (!(least < 0.5 * a))
        return limits; /* slip never reaches f_d inside the contact: Cattaneo and Mindlin with f_s */
    return highest(contact, double_tangential, am_root_between(spare_slip_at, contact, least, a));
}

am_weakening_limits am_weakening_edge_limits(const am_weakening_contact *contact) {
    return highest(contact, am_weakening_edge_tangential, contact->half_width);
}

static am_status refuse(const am_weakening_contact *contact, double Q, double maximum, am_error *err) {
    if (!(Q >= 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "Q", "the tangential load must not be negative; it is %g", Q);
    if (Q > maximum * (1.0 + 1e-14))
        return am_fail_field(err, AM_ERR_INPUT, "Q",
                             "Q exceeds its maximum: the contact slides as a whole; the largest load is %g f_d P",
                             maximum / (contact->law.kinetic * contact->load));
    return AM_OK;
}

/* The first state with this Q as the stick zone shrinks from the whole contact. */
static am_status find_stick(const am_weakening_contact *contact, tangential of, const am_weakening_limits *limits,
                            double Q, double *c, am_error *err) {
    AM_TRY(refuse(contact, Q, limits->maximum, err));
    *c = limits->critical;
    if (Q >= limits->maximum)
        return AM_OK;
    double a = contact->half_width, high = a;
    search s = {contact, of, Q};
    for (int i = SAMPLES - 1; i > 0; i--) {
        double low = limits->critical + (a - limits->critical) * i / SAMPLES;
        if (missing_at(&s, low) >= 0.0) {
            *c = am_root_between(missing_at, &s, low, high);
            return AM_OK;
        }
        high = low;
    }
    *c = am_root_between(missing_at, &s, limits->critical, high);
    return AM_OK;
}

am_status am_weakening_zones_from_load(const am_weakening_contact *contact, const am_weakening_limits *limits, double Q,
                                       am_weakening_zones *zones, am_error *err) {
    double c = 0.0;
    AM_TRY(find_stick(contact, double_tangential, limits, Q, &c, err));
    *zones = am_weakening_zones_at(contact, c);
    return AM_OK;
}

am_status am_weakening_edge_stick(const am_weakening_contact *contact, const am_weakening_limits *limits, double Q,
                                  double *stick, am_error *err) {
    return find_stick(contact, am_weakening_edge_tangential, limits, Q, stick, err);
}
