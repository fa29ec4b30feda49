/* Cylinders whose friction weakens with slip: the double Cattaneo-Mindlin solution and its limit of a short transition.
 */
#include <math.h>

#include "analysis/slip_form.h"

static const double pi = 3.14159265358979323846;

static double shear_scale(const am_slip_state *state) {
    return state->contact->f * state->hertz.peak;
}

static double slip_scale(const am_slip_state *state) {
    return state->contact->f * state->a * state->a / state->contact->radius;
}

static double pressure(const am_slip_state *state, double x) {
    return am_hertz_pressure(&state->hertz, x);
}

static void pressure_transform(const am_slip_state *state, double x, double z, am_transform *p) {
    am_traction traction = am_hertz_traction(&state->hertz);
    *p = am_traction_transform(&traction, x, z);
}

static void transforms(const am_slip_state *state, double x, double z, am_transform *p, am_transform *q) {
    double size = shear_scale(state), a = state->a;
    am_transform t = am_traction_transform(&state->traction, x / a, z / a);
    pressure_transform(state, x, z, p);
    *q = (am_transform){size * t.value, size / a * t.slope};
}

/* ---- Double solution ---- */

static double double_shear(const am_slip_state *state, double x) {
    return shear_scale(state) * am_weakening_shear(&state->weak, x / state->a);
}

static double double_slip(const am_slip_state *state, double x) {
    return slip_scale(state) * am_weakening_slip(&state->weak, x / state->a);
}

static bool double_point(const am_slip_state *state, double ratio, am_slip_point *point) {
    am_weakening_state weak = am_weakening_at(&state->weakening, ratio);
    *point = (am_slip_point){.share = weak.tangential, .c = ratio, .b = weak.transition, .l = 1.0 - ratio};
    return isfinite(weak.tangential);
}

static const am_slip_kind double_kind = {pressure, double_shear, double_slip, transforms, double_point};

static am_status solve_double(am_slip_state *state, double share, double stick, am_error *err) {
    am_status status = AM_OK;
    if (isnan(stick))
        status = am_weakening_from_load(&state->weakening, share, &state->weak, err);
    else
        state->weak = am_weakening_at(&state->weakening, stick);
    if (status != AM_OK)
        return status;
    am_weakening_limits limits = am_weakening_limits_of(&state->weakening);
    state->kind = &double_kind;
    state->limits = (am_slip_limits){
        .onset = 0.0, .maximum = limits.maximum, .partial_most = limits.maximum, .critical = limits.critical};
    state->traction = am_weakening_traction(&state->weak);
    state->point =
        (am_slip_point){state->weak.tangential, state->weak.stick, state->weak.transition, 1.0 - state->weak.stick};
    state->transition = state->weak.transition * state->a;
    return AM_OK;
}

/* ---- Short transition ---- */

static double short_shear(const am_slip_state *state, double x) {
    return shear_scale(state) * am_weakening_short_shear(state->psi, state->point.c, x / state->a);
}

static double short_slip(const am_slip_state *state, double x) {
    return slip_scale(state) * am_weakening_short_slip(state->psi, state->point.c, x / state->a);
}

static bool short_point(const am_slip_state *state, double ratio, am_slip_point *point) {
    *point = (am_slip_point){am_weakening_short_tangential(state->psi, ratio), ratio, ratio, 1.0 - ratio};
    return true;
}

static const am_slip_kind short_kind = {pressure, short_shear, short_slip, transforms, short_point};

static am_status solve_short(am_slip_state *state, double share, double stick, am_error *err) {
    double c = stick;
    am_status status = isnan(stick) ? am_weakening_short_stick(state->psi, share, &c, err) : AM_OK;
    if (status != AM_OK)
        return status;
    state->kind = &short_kind;
    am_weakening_short_limits(state->psi, &state->limits.critical, &state->limits.maximum);
    state->limits.partial_most = state->limits.maximum;
    state->point = (am_slip_point){am_weakening_short_tangential(state->psi, c), c, c, 1.0 - c};
    double singular = 2.0 * sqrt(state->psi * c * sqrt(fmax(0.0, 1.0 - c * c)) / pi); /* over sqrt(c^2 - x^2) */
    am_traction_add(&state->traction, AM_TRACTION_ELLIPSE, 0.0, 1.0, 1.0);
    am_traction_add(&state->traction, AM_TRACTION_ELLIPSE, 0.0, c, -c);
    am_traction_add(&state->traction, AM_TRACTION_FLAT, 0.0, c, c > 0.0 ? singular / c : 0.0);
    /* K_II of singular/sqrt(c^2 - x^2) */
    state->intensity = c > 0.0 ? shear_scale(state) * singular * sqrt(pi * state->a / c) : 0.0;
    return AM_OK;
}

am_status am_slip_solve_weakening(am_slip_state *state, const am_slip_contact *contact, double Q, double stick,
                                  am_error *err) {
    *state = (am_slip_state){.contact = contact, .Q = Q, .transition = NAN};
    am_status status = am_hertz_from_load(contact->modulus, contact->radius, contact->P, &state->hertz, err);
    if (status != AM_OK)
        return status;
    state->a = state->hertz.half_width;
    static const am_weakening_measure measures[] = {AM_WEAKENING_EDGE, AM_WEAKENING_INTEGRAL};
    status = am_weakening_from_length(contact->f_s, contact->f, contact->radius, state->a, contact->slip_length,
                                      measures[contact->measure], &state->weakening, err);
    if (status != AM_OK)
        return status;
    state->psi = am_weakening_psi(&state->weakening);
    double share = Q / (contact->f * contact->P);
    status =
        contact->law == AM_SLIP_SHORT ? solve_short(state, share, stick, err) : solve_double(state, share, stick, err);
    if (!isnan(stick))
        state->Q = state->point.share * contact->f * contact->P;
    state->to = state->a;
    state->from = -state->a;
    state->stick_to = state->point.c * state->a;
    state->stick_from = -state->stick_to;
    return status;
}
