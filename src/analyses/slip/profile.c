/* Symmetric profiles with Coulomb's or Griffith's friction: Ciavarella and Jaeger's superposition. */
#include <math.h>

#include "analyses/slip/solution.h"
#include "base/try.h"
#include "halfplane/superposition.h"

static double pressure(const am_slip_state *state, double x) {
    const am_griffith *g = &state->griffith;
    return g->profile.kind->pressure(g->profile.data, x, g->half_width);
}

/* Before Griffith's friction yields, all of Q is on a stuck flat. */
static bool is_stuck(const am_slip_state *state) {
    return state->point.c == 1.0 && state->griffith.toughness > 0.0;
}

static double shear(const am_slip_state *state, double x) {
    const am_profile *profile = &state->griffith.profile;
    if (is_stuck(state))
        return state->Q * profile->kind->flat(profile->data, x, state->a);
    return am_griffith_shear(&state->griffith, state->point.c * state->a, x);
}

static double slip(const am_slip_state *state, double x) {
    return am_griffith_slip(&state->griffith, state->point.c * state->a, x);
}

static void transforms(const am_slip_state *state, double x, double z, am_transform *p, am_transform *q) {
    const am_griffith *g = &state->griffith;
    *p = g->profile.kind->transform(g->profile.data, x, z, g->half_width);
    if (is_stuck(state))
        *q = am_transform_add((am_transform){0.0, 0.0}, state->Q,
                              g->profile.kind->flat_transform(g->profile.data, x, z, state->a));
    else
        *q = am_griffith_transform(g, state->point.c * state->a, x, z);
}

static bool point_at(const am_slip_state *state, double ratio, am_slip_point *point) {
    const am_griffith *g = &state->griffith;
    double limit = g->friction * g->load;
    *point = (am_slip_point){
        .share = am_griffith_tangential(g, ratio * state->a) / limit, .c = ratio, .b = NAN, .l = 1.0 - ratio};
    return isfinite(point->share);
}

static const am_slip_kind kind = {pressure, shear, slip, transforms, point_at};

/* ---- Cylinders: the power 2 has square roots for its integrals ---- */

static double hertz_pressure(const void *data, double x, double a) {
    const am_power *power = data;
    return power->modulus * power->coefficient * am_traction_between(x, a, 0.0);
}

static double hertz_slip(const void *data, double x, double c) {
    const am_power *power = data;
    return fabs(x) > c ? 2.0 * power->coefficient * am_traction_growth(fabs(x), c) : 0.0;
}

static double hertz_slip_slope(const void *data, double x, double c) {
    const am_power *power = data;
    return x > c ? 2.0 * power->coefficient * sqrt((x - c) * (x + c)) : 0.0;
}

am_status am_slip_choose_profile(am_slip_state *state, const am_slip_contact *contact, am_profile *profile,
                                 am_error *err) {
    if (contact->shape == AM_SLIP_WAVE) {
        state->wave = (am_sinusoid){.modulus = contact->modulus,
                                    .amplitude = contact->amplitude,
                                    .wavelength = contact->wavelength,
                                    .isolated = contact->isolated};
        state->period = contact->wavelength;
        *profile = am_sinusoid_profile(&state->wave);
        return am_sinusoid_check(&state->wave, err);
    }
    bool hertz = contact->shape == AM_SLIP_HERTZ;
    state->power = (am_power){.modulus = contact->modulus,
                              .exponent = hertz ? 2.0 : contact->exponent,
                              .coefficient = hertz ? 0.5 / contact->radius : contact->factor,
                              .reference = 2.0 * am_slip_reference(contact)};
    *profile = am_power_profile(&state->power);
    if (hertz) {
        state->own = *profile->kind;
        state->own.pressure = hertz_pressure;
        state->own.slip = hertz_slip;
        state->own.slip_slope = hertz_slip_slope;
        profile->kind = &state->own;
    }
    return am_power_check(&state->power, err);
}

static am_slip_limits limits_of(const am_slip_state *state) {
    const am_griffith *g = &state->griffith;
    double limit = g->friction * g->load, a = g->half_width;
    if (g->toughness == 0.0)
        return (am_slip_limits){.maximum = 1.0, .partial_most = 1.0};
    am_griffith_limits limits = am_griffith_limits_of(g);
    bool none = limits.critical >= a;
    return (am_slip_limits){.onset = limits.onset / limit,
                            .maximum = limits.largest / limit,
                            .partial_most = none ? NAN : limits.maximum / limit,
                            .partial_least = none ? NAN : limits.least / limit,
                            .critical = limits.critical / a,
                            .slides_at_once = limits.slides_at_once};
}

static am_status find_stick(am_slip_state *state, double stick, double *c, am_error *err) {
    const am_griffith *g = &state->griffith;
    double a = g->half_width;
    state->limits = limits_of(state);
    if (!isnan(stick)) {
        *c = stick * a;
        state->Q = am_griffith_tangential(g, *c);
        if (isfinite(state->Q))
            return AM_OK;
        return am_fail_field(err, AM_ERR_INPUT, "c_over_a",
                             "a wave in full contact that sticks everywhere carries any load: take less than 1");
    }
    if (g->toughness == 0.0) /* Coulomb: the superposition has it without a search */
        return am_superposition_stick_width(&g->profile, g->friction, g->load, state->Q, &a, c, err);
    return am_griffith_stick(g, state->Q, c, err);
}

am_status am_slip_solve_profile(am_slip_state *state, const am_slip_contact *contact, double Q, double stick,
                                am_error *err) {
    *state = (am_slip_state){.contact = contact, .kind = &kind, .Q = Q};
    am_profile profile;
    double c = 0.0, energy = contact->law == AM_FRICTION_GRIFFITH ? contact->energy : 0.0;
    AM_TRY(am_slip_choose_profile(state, contact, &profile, err));
    AM_TRY(am_griffith_from_load(profile, contact->f, contact->P, energy, &state->griffith, err));
    AM_TRY(find_stick(state, stick, &c, err));
    double a = state->griffith.half_width;
    state->a = state->to = a;
    state->from = -a;
    state->stick_to = c;
    state->stick_from = -c;
    state->transition = NAN;
    state->point =
        (am_slip_point){.share = state->Q / (contact->f * contact->P), .c = c / a, .b = NAN, .l = 1.0 - c / a};
    if (is_stuck(state))
        state->intensity = state->Q * profile.kind->flat_intensity(profile.data, a);
    else if (c > 0.0)
        state->intensity = state->griffith.toughness;
    return AM_OK;
}
