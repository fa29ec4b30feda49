/* The punch loaded above the interface. */
#include <math.h>

#include "analyses/slip/solution.h"
#include "base/try.h"
#include "math/pi.h"

static double pressure_scale(const am_slip_state *state) {
    return state->contact->P / (pi * state->a);
}

static double pressure(const am_slip_state *state, double x) {
    return pressure_scale(state) * am_traction_at(&state->punch.pressure, x / state->a);
}

static double shear(const am_slip_state *state, double x) {
    return state->contact->f * pressure_scale(state) * am_traction_at(&state->punch.shear, x / state->a);
}

static double slip(const am_slip_state *state, double x) {
    const am_slip_contact *contact = state->contact;
    return 2.0 * contact->f * contact->P / (pi * contact->modulus) * am_punch_slip(&state->punch, x / state->a);
}

static am_transform scaled(const am_traction *traction, double size, double a, double x, double z) {
    am_transform t = am_traction_transform(traction, x / a, z / a);
    return (am_transform){size * t.value, size / a * t.slope};
}

static void transforms(const am_slip_state *state, double x, double z, am_transform *p, am_transform *q) {
    double size = pressure_scale(state);
    *p = scaled(&state->punch.pressure, size, state->a, x, z);
    *q = scaled(&state->punch.shear, size * state->contact->f, state->a, x, z);
}

/* Stick zone from -b to a; l from the original corner; c is half of the stick zone. */
static am_slip_point point_of(const am_punch *punch) {
    return (am_slip_point){
        .share = punch->share, .c = -0.5 * punch->stick_edge, .b = -1.0 - punch->stick_edge, .l = punch->slip_length};
}

static bool point_at(const am_slip_state *state, double ratio, am_slip_point *point) {
    am_punch punch;
    am_error ignored = {0};
    if (!(ratio > 0.0) ||
        am_punch_from_stick(state->punch.alpha, 2.0 * ratio, state->toughness, &punch, &ignored) != AM_OK)
        return false;
    *point = point_of(&punch);
    return true;
}

static const am_slip_kind kind = {pressure, shear, slip, transforms, point_at};

static am_status check(const am_slip_contact *contact, am_error *err) {
    if (!(contact->modulus > 0.0 && isfinite(contact->modulus)))
        return am_fail_field(err, AM_ERR_INPUT, "E_star", "the contact modulus E* must be positive");
    if (!(contact->half_width > 0.0 && isfinite(contact->half_width)))
        return am_fail_field(err, AM_ERR_INPUT, "a", "the half-width of the punch must be positive");
    if (!(contact->f > 0.0 && isfinite(contact->f)))
        return am_fail_field(err, AM_ERR_INPUT, "f", "partial slip needs a positive coefficient of friction; it is %g",
                             contact->f);
    if (!(contact->P > 0.0 && isfinite(contact->P)))
        return am_fail_field(err, AM_ERR_INPUT, "P",
                             "the bodies never touch: the normal load must be positive, and it is %g", contact->P);
    if (!(contact->height > 0.0 && isfinite(contact->height)))
        return am_fail_field(err, AM_ERR_INPUT, "h", "the height of the tangential load must be positive; it is %g",
                             contact->height);
    return AM_OK;
}

am_status am_slip_solve_punch(am_slip_state *state, const am_slip_contact *contact, double Q, am_error *err) {
    AM_TRY(check(contact, err));
    double a = contact->half_width, limit = contact->f * contact->P;
    double energy = contact->law == AM_FRICTION_GRIFFITH ? contact->energy : 0.0;
    *state = (am_slip_state){.contact = contact, .kind = &kind, .Q = Q, .a = a, .origin = a, .transition = NAN};
    state->toughness = sqrt(pi * contact->modulus * energy * a) / limit;
    double alpha = a / (2.0 * contact->f * contact->height);
    am_punch_limits limits;
    AM_TRY(am_punch_limits_of(alpha, state->toughness, &limits, err));
    AM_TRY(am_punch_from_load(alpha, Q / limit, state->toughness, &state->punch, err));
    state->limits = (am_slip_limits){.onset = limits.onset,
                                     .maximum = limits.maximum,
                                     .partial_most = limits.slides_at_once ? NAN : limits.maximum,
                                     .partial_least = limits.slides_at_once ? NAN : limits.onset,
                                     .critical = limits.tips_over ? 0.0 : 0.5 * limits.sliding_at,
                                     .tips_over = limits.tips_over != 0,
                                     .slides_at_once = limits.slides_at_once != 0};
    state->from = -2.0 * a * state->punch.contact; /* contact and stick zone end at the corner, 0 */
    state->stick_from = a * state->punch.stick_edge;
    state->point = point_of(&state->punch);
    state->intensity = limit / (pi * sqrt(a)) * am_punch_intensity(&state->punch);
    return AM_OK;
}
