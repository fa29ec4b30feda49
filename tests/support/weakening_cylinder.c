#include "weakening_cylinder.h"

#include <math.h>

#include "halfplane/profile.h"
#include "halfplane_closed.h"
#include "math/quadrature.h"
#include "math/root.h"
#include "math/special.h"

static const double pi = 3.14159265358979323846;

static am_status check(const am_weakening *weakening, am_error *err) {
    return am_weakening_check(&(am_weakening_law){1.0 + weakening->excess, 1.0, weakening->amount, weakening->measure},
                              err);
}

am_status am_weakening_from_length(double static_friction, double dynamic_friction, double radius, double half_width,
                                   double slip_length, am_slip_measure measure, am_weakening *weakening,
                                   am_error *err) {
    if (!(dynamic_friction > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "f_d", "the dynamic friction must be positive; it is %g",
                             dynamic_friction);
    if (!(radius > 0.0 && half_width > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "R", "the radius and the half-width must be positive");
    if (measure == AM_SLIP_ENERGY)
        return am_fail_field(err, AM_ERR_INPUT, "Delta", "a slip length was given where an energy was asked for");
    *weakening = (am_weakening){
        .excess = static_friction / dynamic_friction - 1.0,
        .amount = radius * slip_length / (dynamic_friction * half_width * half_width),
        .measure = measure,
    };
    return check(weakening, err);
}

double am_weakening_lambda(const am_weakening *weakening) {
    return weakening->amount / weakening->excess;
}

double am_weakening_psi(const am_weakening *weakening) {
    return weakening->amount * weakening->excess;
}

/* ---- The integral over the transition zone ----
 *
 * I = integral of sqrt((b^2 - x^2)(x^2 - c^2)) from c to b, and the same with 1/sqrt(1 - x^2): both over m^2, where
 * m = b^2 - c^2, so that nothing vanishes as b comes down to c. */

/* (b/3)((b^2 + c^2) E - 2 c^2 K)/m^2 (4.23), which is (pi/16) 2F1(1/2, 3/2; 3; m/b^2)/b. */
static double plain_integral(double c, double m) {
    double b = sqrt(c * c + m), modulus = m / (b * b);
    if (modulus <= 0.5)
        return pi / 16.0 * am_special_hypergeometric(0.5, 1.5, 3.0, modulus) / b;
    double first = 0.0, second = 1.0;
    if (c > 0.0)
        am_special_elliptic(c / b, &first, &second);
    return b * ((b * b + c * c) * second - 2.0 * c * c * first) / (3.0 * m * m);
}

typedef struct zone {
    double c, m, rest; /* rest: 1 - b^2 */
} zone;

/* x^2 = c^2 + m sin^2; written so that neither c = 0 nor b = 1 makes it 0/0 */
static double weighted_at(const void *context, double angle) {
    const zone *z = context;
    double sine = sin(angle), cosine = cos(angle), root = sqrt(z->m);
    return sine * cosine * (sine / hypot(z->c, root * sine)) * (cosine / hypot(sqrt(z->rest), root * cosine));
}

static double weighted_integral(double c, double m) {
    zone z = {c, m, fmax(0.0, (1.0 - c) * (1.0 + c) - m)};
    return am_quadrature_ends(weighted_at, &z, 0.0, 0.5 * pi);
}

/* r (1 + phi r) I with r = sqrt((1 - c^2)/m) */
static double with_factors(double excess, double c, double m, double integral) {
    double width = (1.0 - c) * (1.0 + c);
    return (sqrt(width * m) * m + excess * width * m) * integral;
}

static double energy_of(double excess, double c, double m) {
    return excess * with_factors(excess, c, m, plain_integral(c, m));
}

static double amount_of(const am_weakening *weakening, double c, double m) {
    double phi = weakening->excess, width = (1.0 - c) * (1.0 + c);
    if (m <= 0.0)
        return 0.0;
    switch (weakening->measure) {
    case AM_SLIP_ENERGY:
        return energy_of(phi, c, m);
    case AM_SLIP_EDGE:
        return with_factors(phi, c, m, plain_integral(c, m)) / sqrt(width);
    case AM_SLIP_INTEGRAL:
        return with_factors(phi, c, m, weighted_integral(c, m));
    }
    return NAN;
}

double am_weakening_energy(const am_weakening *weakening, double stick, double transition) {
    return energy_of(weakening->excess, stick, (transition - stick) * (transition + stick));
}

double am_weakening_length(const am_weakening *weakening, double stick, double transition) {
    double m = (transition - stick) * (transition + stick);
    return with_factors(weakening->excess, stick, m, weighted_integral(stick, m));
}

/* ---- States by their stick zone ---- */

typedef struct place {
    const am_weakening *weakening;
    double c;
} place;

static double excess_at(const void *context, double m) {
    const place *p = context;
    return amount_of(p->weakening, p->c, m) - p->weakening->amount;
}

/* What is left over when the transition fills the whole slip zone. */
static double room_at(const void *context, double c) {
    const am_weakening *weakening = context;
    return amount_of(weakening, c, (1.0 - c) * (1.0 + c)) - weakening->amount;
}

am_weakening_state am_weakening_at(const am_weakening *weakening, double stick) {
    double phi = weakening->excess, width = fmax(0.0, (1.0 - stick) * (1.0 + stick)), m = width;
    place p = {weakening, stick};
    am_weakening_state state = {.stick = stick, .truncated = !(width > 0.0 && excess_at(&p, width) > 0.0)};
    if (!state.truncated)
        m = am_root_between(excess_at, &p, 0.0, width);
    state.transition = state.truncated ? 1.0 : sqrt(stick * stick + m);
    state.factor = state.truncated ? phi : phi * sqrt(width / m);
    state.tangential = width + phi * sqrt(width * m);
    return state;
}

double am_weakening_shear(const am_weakening_state *state, double x) {
    return am_traction_between(x, 1.0, state->stick) +
           state->factor * am_traction_between(x, state->transition, state->stick);
}

double am_weakening_slip(const am_weakening_state *state, double x) {
    x = fabs(x);
    if (!(x > state->stick))
        return 0.0;
    double slip = (1.0 + state->factor) * am_traction_growth(x, state->stick);
    if (x > state->transition)
        slip -= state->factor * am_traction_growth(x, state->transition);
    return slip;
}

double am_weakening_friction(const am_weakening_state *state, double x) {
    return am_weakening_shear(state, x) / sqrt((1.0 - x) * (1.0 + x));
}

am_traction am_weakening_traction(const am_weakening_state *state) {
    am_traction q = {0};
    am_traction_add(&q, AM_TRACTION_ELLIPSE, 0.0, 1.0, 1.0);
    am_traction_add(&q, AM_TRACTION_ELLIPSE, 0.0, state->transition, state->factor * state->transition);
    am_traction_add(&q, AM_TRACTION_ELLIPSE, 0.0, state->stick, -(1.0 + state->factor) * state->stick);
    return q;
}

/* ---- Limits and states by their load ---- */

static double tangential_at(const void *context, double c) {
    return am_weakening_at(context, c).tangential;
}

am_weakening_limits am_weakening_limits_of(const am_weakening *weakening) {
    am_weakening_limits limits = {.critical = 0.0, .maximum = 1.0 + weakening->excess, .truncation = 0.0};
    if (room_at(weakening, 0.0) <= 0.0)
        return limits; /* slip never reaches f_d inside the contact: Cattaneo and Mindlin with f_s */
    limits.truncation = am_root_between(room_at, weakening, 0.0, 1.0);
    enum { SAMPLES = 48 };
    int best = 0;
    double highest = -INFINITY, step = limits.truncation / SAMPLES;
    for (int i = 0; i <= SAMPLES; i++) {
        double Q = tangential_at(weakening, step * i);
        if (Q > highest) {
            highest = Q;
            best = i;
        }
    }
    limits.critical = am_root_highest(tangential_at, weakening, step * (best > 0 ? best - 1 : 0),
                                      step * (best < SAMPLES ? best + 1 : SAMPLES));
    limits.maximum = tangential_at(weakening, limits.critical);
    return limits;
}

typedef struct target {
    const am_weakening *weakening;
    double psi, tangential;
} target;

static double missing_at(const void *context, double c) {
    const target *t = context;
    return tangential_at(t->weakening, c) - t->tangential;
}

static am_status refuse(double tangential, double maximum, am_error *err) {
    if (!(tangential >= 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "Q", "Q/(f_d P) must not be negative; it is %g", tangential);
    if (tangential > maximum * (1.0 + 1e-14))
        return am_fail_field(err, AM_ERR_INPUT, "Q",
                             "Q exceeds its maximum: the contact slides as a whole; the largest load is %g f_d P",
                             maximum);
    return AM_OK;
}

am_status am_weakening_from_load(const am_weakening *weakening, double tangential, am_weakening_state *state,
                                 am_error *err) {
    am_status status = check(weakening, err);
    if (status != AM_OK)
        return status;
    am_weakening_limits limits = am_weakening_limits_of(weakening);
    status = refuse(tangential, limits.maximum, err);
    if (status != AM_OK)
        return status;
    target t = {weakening, 0.0, tangential};
    double c = tangential >= limits.maximum ? limits.critical : am_root_between(missing_at, &t, limits.critical, 1.0);
    *state = am_weakening_at(weakening, c);
    return AM_OK;
}

/* ---- Short transition ---- */

/* 2 sqrt(psi c sqrt(1 - c^2)/pi): the singular traction times sqrt(c^2 - x^2) */
static double strength(double psi, double c) {
    return 2.0 * sqrt(psi * c * sqrt((1.0 - c) * (1.0 + c)) / pi);
}

double am_weakening_short_tangential(double psi, double stick) {
    return (1.0 - stick) * (1.0 + stick) + 2.0 * strength(psi, stick);
}

double am_weakening_short_shear(double psi, double stick, double x) {
    return am_traction_between(x, 1.0, stick) + pi * strength(psi, stick) * am_flat_traction(x, stick);
}

double am_weakening_short_slip(double psi, double stick, double x) {
    x = fabs(x);
    if (!(x > stick))
        return 0.0;
    return am_traction_growth(x, stick) +
           (stick > 0.0 ? strength(psi, stick) * am_flat_angle((x - stick) / stick) : 0.0);
}

static double short_at(const void *context, double c) {
    return am_weakening_short_tangential(((const target *)context)->psi, c);
}

static double short_missing_at(const void *context, double c) {
    return short_at(context, c) - ((const target *)context)->tangential;
}

void am_weakening_short_limits(double psi, double *critical, double *maximum) {
    target t = {NULL, psi, 0.0};
    *critical = psi > 0.0 ? am_root_highest(short_at, &t, 0.0, 1.0) : 0.0;
    *maximum = am_weakening_short_tangential(psi, *critical);
}

am_status am_weakening_short_stick(double psi, double tangential, double *stick, am_error *err) {
    if (!(psi >= 0.0 && isfinite(psi)))
        return am_fail_field(err, AM_ERR_INPUT, "Psi", "Psi must not be negative; it is %g", psi);
    double critical, maximum;
    am_weakening_short_limits(psi, &critical, &maximum);
    am_status status = refuse(tangential, maximum, err);
    if (status != AM_OK)
        return status;
    target t = {NULL, psi, tangential};
    *stick = tangential >= maximum ? critical : am_root_between(short_missing_at, &t, critical, 1.0);
    return AM_OK;
}

double am_weakening_short_reach(const am_weakening *weakening, double stick) {
    return 2.0 * am_weakening_lambda(weakening) / (pi * sqrt((1.0 - stick) * (1.0 + stick)));
}
