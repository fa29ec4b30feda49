/* Friction that weakens with slip under cylinders, powers and waves: the double Cattaneo-Mindlin solution and its limit
 * of a short transition. */
#include <math.h>

#include "analyses/slip/solution.h"
#include "base/columns.h"
#include "base/try.h"
#include "math/pi.h"

static double pressure(const am_slip_state *state, double x) {
    const am_profile *profile = &state->weakening.profile;
    return profile->kind->pressure(profile->data, x, state->a);
}

static am_transform pressure_transform(const am_slip_state *state, double x, double z) {
    const am_profile *profile = &state->weakening.profile;
    return profile->kind->transform(profile->data, x, z, state->a);
}

static double limit_of(const am_slip_state *state) {
    return state->contact->f * state->contact->P;
}

static am_slip_point point_of(const am_slip_state *state, double Q, double c, double b) {
    double a = state->weakening.half_width;
    return (am_slip_point){.share = Q / limit_of(state), .c = c / a, .b = b / a, .l = 1.0 - c / a};
}

/* ---- Double solution ---- */

static double double_shear(const am_slip_state *state, double x) {
    return am_weakening_zones_shear(&state->weakening, &state->zones, x);
}

static double double_slip(const am_slip_state *state, double x) {
    return am_weakening_zones_slip(&state->weakening, &state->zones, x);
}

static void double_transforms(const am_slip_state *state, double x, double z, am_transform *p, am_transform *q) {
    *p = pressure_transform(state, x, z);
    *q = am_weakening_zones_transform(&state->weakening, &state->zones, x, z);
}

static bool double_point(const am_slip_state *state, double ratio, am_slip_point *point) {
    am_weakening_zones zones = am_weakening_zones_at(&state->weakening, ratio * state->a);
    *point = point_of(state, zones.tangential, zones.stick, zones.transition);
    return isfinite(zones.tangential);
}

static const am_slip_kind double_kind = {pressure, double_shear, double_slip, double_transforms, double_point};

static am_slip_limits limits_of(const am_slip_state *state, const am_weakening_limits *found) {
    double most = found->maximum / limit_of(state);
    return (am_slip_limits){
        .onset = 0.0, .maximum = most, .partial_most = most, .critical = found->critical / state->weakening.half_width};
}

static am_status solve_double(am_slip_state *state, double Q, const am_slip_place *place, am_error *err) {
    am_weakening_contact *contact = &state->weakening;
    double a = contact->half_width;
    if (!isnan(place->transition)) /* the slip length is then what the state implies */
        contact->law.amount = am_weakening_implied(contact, place->stick * a, place->transition * a);
    am_weakening_limits limits = am_weakening_contact_limits(contact);
    if (!isnan(place->transition))
        state->zones = am_weakening_zones_between(contact, place->stick * a, place->transition * a);
    else if (!isnan(place->stick))
        state->zones = am_weakening_zones_at(contact, place->stick * a);
    else
        AM_TRY(am_weakening_zones_from_load(contact, &limits, Q, &state->zones, err));
    state->kind = &double_kind;
    state->limits = limits_of(state, &limits);
    state->point = point_of(state, state->zones.tangential, state->zones.stick, state->zones.transition);
    state->transition = state->zones.transition;
    state->peak = am_weakening_peak(contact, &state->zones);
    return AM_OK;
}

/* ---- Short transition ---- */

static double short_shear(const am_slip_state *state, double x) {
    am_griffith edge = am_weakening_edge(&state->weakening, state->zones.stick);
    return am_griffith_shear(&edge, state->zones.stick, x);
}

static double short_slip(const am_slip_state *state, double x) {
    am_griffith edge = am_weakening_edge(&state->weakening, state->zones.stick);
    return am_griffith_slip(&edge, state->zones.stick, x);
}

static void short_transforms(const am_slip_state *state, double x, double z, am_transform *p, am_transform *q) {
    *p = pressure_transform(state, x, z);
    am_griffith edge = am_weakening_edge(&state->weakening, state->zones.stick);
    *q = am_griffith_transform(&edge, state->zones.stick, x, z);
}

static bool short_point(const am_slip_state *state, double ratio, am_slip_point *point) {
    double c = ratio * state->a, Q = am_weakening_edge_tangential(&state->weakening, c);
    *point = point_of(state, Q, c, c);
    return isfinite(Q);
}

static const am_slip_kind short_kind = {pressure, short_shear, short_slip, short_transforms, short_point};

static am_status solve_short(am_slip_state *state, double Q, const am_slip_place *place, am_error *err) {
    const am_weakening_contact *contact = &state->weakening;
    am_weakening_limits limits = am_weakening_edge_limits(contact);
    double c = place->stick * contact->half_width;
    AM_TRY(isnan(c) ? am_weakening_edge_stick(contact, &limits, Q, &c, err) : AM_OK);
    state->kind = &short_kind;
    state->limits = limits_of(state, &limits);
    state->zones =
        (am_weakening_zones){.stick = c, .transition = c, .tangential = am_weakening_edge_tangential(contact, c)};
    state->point = point_of(state, state->zones.tangential, c, c);
    if (c > 0.0)
        state->intensity = am_weakening_edge(contact, c).toughness;
    return AM_OK;
}

static am_status check_place(const am_slip_contact *contact, const am_slip_place *place, am_error *err) {
    if (isnan(place->transition))
        return AM_OK;
    if (contact->law == AM_FRICTION_SHORT)
        return am_fail_field(err, AM_ERR_INPUT, "b_over_a",
                             "a short transition has no width: b_over_a goes with law "
                             "double");
    if (isnan(place->stick) || !(place->transition > place->stick && place->transition <= 1.0))
        return am_fail_field(err, AM_ERR_INPUT, "b_over_a",
                             "the transition surrounds the stick zone inside the contact: give c_over_a as well, with "
                             "c_over_a < b_over_a <= 1");
    return AM_OK;
}

am_status am_slip_solve_weakening(am_slip_state *state, const am_slip_contact *contact, double Q,
                                  const am_slip_place *place, am_error *err) {
    *state = (am_slip_state){.contact = contact, .Q = Q, .transition = NAN};
    am_profile profile;
    bool implied = !isnan(place->transition);
    am_weakening_law law = {contact->f_s, contact->f, implied ? 1.0 : contact->slip_length, contact->measure};
    AM_TRY(check_place(contact, place, err));
    AM_TRY(am_slip_choose_profile(state, contact, &profile, err));
    AM_TRY(am_weakening_contact_from_load(profile, &law, contact->P, &state->weakening, err));
    AM_TRY(contact->law == AM_FRICTION_SHORT ? solve_short(state, Q, place, err) : solve_double(state, Q, place, err));
    if (!isnan(place->stick))
        state->Q = state->zones.tangential;
    state->a = state->to = state->weakening.half_width;
    state->from = -state->a;
    state->stick_to = state->zones.stick;
    state->stick_from = -state->stick_to;
    return AM_OK;
}

/* ---- The friction that a double solution implies (Fig. 4.1) ---- */

static void friction_row(am_table *table, const am_slip_contact *contact, double Delta, double slip, double f) {
    double excess = contact->f_s - contact->f, share = slip / Delta;
    am_table_add_numbers(table, AM_NUMBERS(slip, f, share, (f - contact->f) / excess, fmax(0.0, 1.0 - 0.5 * share),
                                           share < 1.0 ? 1.0 : 0.0));
}

void am_slip_friction_table(const am_slip_state *state, size_t samples, am_result *result) {
    const am_slip_contact *contact = state->contact;
    double Delta = state->weakening.law.amount, c = state->stick_to, b = state->transition, a = state->a;
    am_table *table = am_result_describe_table(result, "friction", "slip f slip_over_Delta f_normalised ramp step");
    double area = 0.0, last_slip = 0.0, last_f = contact->f_s;
    friction_row(table, contact, Delta, 0.0, contact->f_s);
    for (size_t i = 1; i <= 2 * samples; i++) {
        /* the square roots of c and b are smooth in the angle; beyond b friction stays */
        double t = (double)(i <= samples ? i : i - samples) / (double)samples, sine = sin(0.5 * pi * t);
        double x = i <= samples ? sqrt(c * c + (b - c) * (b + c) * sine * sine) : b + (a - b) * t;
        if (!(x > c) || !(x < a))
            continue; /* no transition, or no pressure at the very end */
        double slip = double_slip(state, x), f = double_shear(state, x) / pressure(state, x);
        friction_row(table, contact, Delta, slip, f);
        area += (0.5 * (f + last_f) - contact->f) * (slip - last_slip);
        last_slip = slip;
        last_f = f;
    }
    am_result_set_numbers(result, AM_NAMED({"Delta", Delta}, {"slip_at_b_over_Delta", double_slip(state, b) / Delta},
                                           {"friction_area", area / ((contact->f_s - contact->f) * Delta)},
                                           {"friction_peak_over_f_s", state->peak / contact->f_s}));
}
