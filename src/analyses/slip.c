#include "amontons/slip.h"

#include <math.h>

#include "analyses/analysis.h"
#include "analyses/slip/load_path.h"
#include "base/columns.h"
#include "base/object.h"
#include "base/try.h"
#include "base/watch.h"
#include "math/algebra.h"
#include "math/pi.h"

enum { CONTACT_COOKIE = 0x5c0a, OPTIONS_COOKIE = 0x5c0b };

am_slip_contact am_slip_contact_default(am_slip_shape shape) {
    am_slip_contact contact = {.shape = shape,
                               .modulus = 1.0,
                               .P = 1.0,
                               .f = 0.5,
                               .radius = 1.0,
                               .exponent = 2.0,
                               .factor = 0.5,
                               .amplitude = 1.0,
                               .wavelength = 1.0,
                               .half_width = 1.0,
                               .height = 1.0,
                               .cookie = CONTACT_COOKIE};
    if (shape < AM_SLIP_PUNCH)
        contact.P = am_slip_load(&contact, shape == AM_SLIP_WAVE ? 0.25 : 1.0);
    return contact;
}

static am_power power_of(const am_slip_contact *contact) {
    bool hertz = contact->shape == AM_SLIP_HERTZ;
    return (am_power){.modulus = contact->modulus,
                      .exponent = hertz ? 2.0 : contact->exponent,
                      .coefficient = hertz ? 0.5 / contact->radius : contact->factor,
                      .reference = 1.0};
}

static am_sinusoid wave_of(const am_slip_contact *contact) {
    return (am_sinusoid){
        .modulus = contact->modulus, .amplitude = contact->amplitude, .wavelength = contact->wavelength};
}

double am_slip_load(const am_slip_contact *contact, double a) {
    if (!contact)
        return NAN;
    am_power power = power_of(contact);
    am_sinusoid wave = wave_of(contact);
    if (contact->shape >= AM_SLIP_PUNCH || !(a > 0.0))
        return NAN;
    return contact->shape == AM_SLIP_WAVE ? am_sinusoid_load(&wave, a) : am_power_load(&power, a);
}

double am_slip_half_width(const am_slip_contact *contact) {
    if (!contact)
        return NAN;
    am_power power = power_of(contact);
    am_sinusoid wave = wave_of(contact);
    if (contact->shape == AM_SLIP_PUNCH)
        return contact->half_width;
    if (!(contact->P > 0.0) || contact->shape > AM_SLIP_PUNCH)
        return NAN;
    return contact->shape == AM_SLIP_WAVE ? am_sinusoid_half_width(&wave, contact->P)
                                          : am_power_half_width(&power, contact->P);
}

double am_slip_reference(const am_slip_contact *contact) {
    double a = am_slip_half_width(contact);
    return isfinite(a) && a > 0.0 ? 4.0 * a : 1.0;
}

am_slip_options am_slip_options_default(void) {
    return (am_slip_options){.stick = NAN,
                             .transition = NAN,
                             .samples = 401,
                             .nodes = 100,
                             .branch = 200,
                             .cycles = 1,
                             .width = 2.0,
                             .depth = 2.0,
                             .cookie = OPTIONS_COOKIE};
}

bool am_slip_has_closed_form(const am_slip_contact *contact) {
    if (!contact)
        return false;
    if (contact->beta != 0.0 || contact->shape > AM_SLIP_PUNCH)
        return false;
    if (contact->law == AM_FRICTION_DOUBLE || contact->law == AM_FRICTION_SHORT)
        return contact->shape < AM_SLIP_PUNCH;
    return contact->law == AM_FRICTION_COULOMB || contact->law == AM_FRICTION_GRIFFITH;
}

/* ---- The closed form ---- */

static am_status solve(am_slip_state *state, const am_slip_contact *contact, const am_slip_options *options,
                       am_error *err) {
    double Q = options->Q, stick = options->stick;
    const am_slip_place place = {stick, options->transition};
    if (!isnan(place.transition) && contact->law != AM_FRICTION_DOUBLE)
        return am_fail_field(err, AM_ERR_INPUT, "b_over_a", "only the double solution has a transition zone to choose");
    if (contact->shape == AM_SLIP_PUNCH && !isnan(stick))
        return am_fail_field(err, AM_ERR_INPUT, "c_over_a", "of a punch give the load, Q or Q_over_fP");
    if (contact->shape == AM_SLIP_PUNCH)
        return am_slip_solve_punch(state, contact, Q, err);
    if (contact->law == AM_FRICTION_DOUBLE || contact->law == AM_FRICTION_SHORT)
        return am_slip_solve_weakening(state, contact, Q, &place, err);
    return am_slip_solve_profile(state, contact, Q, stick, err);
}

/* Rows close to the ends of every zone, where tractions are steep; never at them, where they may be infinite. Returns
 * the largest slip. */
static double write_tractions(const am_slip_state *state, size_t samples, am_result *result) {
    am_table *table = am_slip_tractions_table(result);
    double ends[4] = {state->from, state->stick_from, state->stick_to, state->to}, slip = 0.0;
    for (size_t part = 0; part < 3; part++) {
        double low = ends[part], width = ends[part + 1] - low;
        size_t count = 2 + (size_t)((double)samples * width / (state->to - state->from));
        for (size_t i = 0; width > 0.0 && i < count; i++) {
            double x = low + width * pow(sin(0.5 * pi * ((double)i + 0.5) / (double)count), 2.0);
            const double row[4] = {state->origin + x, state->kind->pressure(state, x), state->kind->shear(state, x),
                                   state->kind->slip(state, x)};
            slip = fmax(slip, fabs(row[3]));
            am_slip_tractions_row(table, state->contact, state->a, row);
        }
    }
    return slip;
}

static void write_zones(const am_slip_state *state, am_result *result) {
    am_table *table = am_slip_zones_table(result);
    am_contact_state slips = state->backward ? AM_BACKWARD : AM_FORWARD;
    double from = state->origin + state->from, to = state->origin + state->to;
    double stick_from = state->origin + state->stick_from, stick_to = state->origin + state->stick_to;
    if (state->contact->shape == AM_SLIP_PUNCH)
        am_slip_zones_row(result, table, AM_OPEN, -state->a, from);
    am_slip_zones_row(result, table, slips, from, stick_from);
    am_slip_zones_row(result, table, AM_STICK, stick_from, stick_to);
    am_slip_zones_row(result, table, slips, stick_to, to);
}

/* From the whole contact sticking to none of it. Stable is where Q grows as the stick zone shrinks. */
static void write_branch(const am_slip_state *state, size_t count, am_result *result) {
    am_table *table = am_slip_branch_table(result);
    for (size_t i = 0; i < count; i++) {
        double t = (double)i / (double)(count > 1 ? count - 1 : 1), step = 1e-4;
        double ratio = 0.5 * (1.0 + cos(pi * t));
        am_slip_point point, less, more;
        if (!state->kind->point(state, ratio, &point))
            continue;
        double low = fmax(0.0, ratio - step), high = fmin(1.0, ratio + step);
        bool stable = state->kind->point(state, low, &less) && state->kind->point(state, high, &more)
                          ? less.share > more.share
                          : ratio * state->a > state->limits.critical;
        am_slip_branch_row(table, &point, stable);
    }
}

static am_stress stress_at(const void *context, double x, double z) {
    const am_slip_state *state = context;
    am_transform p, q;
    state->kind->transforms(state, x - state->origin, z, &p, &q);
    return am_field_stress(z, p, q);
}

static const char *regime_of(const am_slip_state *state) {
    if (state->contact->shape == AM_SLIP_PUNCH && state->origin + state->from > -state->a)
        return state->stick_from > state->from ? "partial slip, lifted off" : "stick, lifted off";
    if (!(state->stick_to > state->stick_from))
        return "sliding";
    return state->stick_from > state->from || state->stick_to < state->to ? "partial slip" : "stick";
}

static void write_own(const am_slip_state *state, double slip, am_result *result) {
    double K = state->intensity;
    am_result_set_text(result, "regime", regime_of(state), NULL);
    am_result_set_numbers(
        result, AM_NAMED({"slip_max", slip}, {"K_II", K}, {"energy_release", K * K / (2.0 * state->contact->modulus)}));
    if (state->contact->shape == AM_SLIP_PUNCH) {
        double scale = 2.0 * state->contact->P / (pi * state->contact->modulus * state->a);
        am_result_set_numbers(result, AM_NAMED({"tilt", scale * state->punch.tilt}, {"alpha", state->punch.alpha},
                                               {"contact_over_a", state->punch.contact}));
    }
}

/* Quadrature reaches 1e-9 or better unless zones are thinner than it can see. */
static const double trusted = 1e-5;

static am_status check_evidence(const am_slip_state *state, const am_slip_evidence *evidence, am_error *err) {
    bool sticks = evidence->stick <= trusted || state->contact->isolated; /* the thesis' term strains, and is shown */
    if (evidence->equilibrium <= trusted && sticks && evidence->friction <= trusted)
        return AM_OK;
    return am_fail(err, AM_ERR_EVIDENCE,
                   "the closed form does not pass its own check: equilibrium to %.2g, strain of the stick zone %.2g, "
                   "friction %.2g",
                   evidence->equilibrium, evidence->stick, evidence->friction);
}

static am_status report(const am_slip_state *state, const am_slip_options *options, am_result *result, am_error *err) {
    am_slip_evidence evidence = am_slip_examine(state);
    AM_TRY(check_evidence(state, &evidence, err));
    am_slip_summary(result, "closed-form", state->contact, state->Q, state->a, &state->point, &state->limits);
    am_slip_evidence_summary(result, &evidence);
    write_own(state, write_tractions(state, options->samples, result), result);
    write_zones(state, result);
    if (state->contact->law == AM_FRICTION_DOUBLE)
        am_slip_friction_table(state, options->samples, result);
    if (options->branch && !state->walked)
        write_branch(state, options->branch, result);
    if (options->turn_count)
        AM_TRY(am_slip_loop(state, options, result, err));
    if (options->stress)
        AM_TRY(am_slip_stress_table(result, options, state->a, stress_at, state, err));
    return AM_OK;
}

static am_status run_closed(const am_slip_contact *contact, const am_slip_options *options, am_result *result,
                            const am_progress *progress, am_error *err) {
    am_slip_state state = {0};
    am_status status = am_slip_has_path(options) ? am_slip_solve_path(&state, contact, options, result, progress, err)
                                                 : solve(&state, contact, options, err);
    if (status == AM_OK)
        status = report(&state, options, result, err);
    am_slip_walked_free(state.walked);
    return status;
}

/* ---- The question ---- */

static am_status check_options(const am_slip_options *options, am_error *err) {
    AM_TRY(am_options_check(options->cookie, OPTIONS_COOKIE, "slip", err));
    if (!(options->Q >= 0.0 && isfinite(options->Q)))
        return am_fail_field(err, AM_ERR_INPUT, "Q",
                             "the tangential load must not be negative (turn the x axis); it is %g", options->Q);
    if (!isnan(options->stick) && !(options->stick >= 0.0 && options->stick <= 1.0))
        return am_fail_field(err, AM_ERR_INPUT, "c_over_a", "the stick zone is a part of the contact: 0 <= c/a <= 1");
    if (options->samples < 2)
        return am_fail_field(err, AM_ERR_INPUT, "samples", "samples must be at least 2");
    if (options->nodes < 8 || options->nodes > 100000)
        return am_fail_field(err, AM_ERR_INPUT, "nodes", "nodes per half-width must be 8 to 100000, not %zu",
                             options->nodes);
    if (options->branch > 1000000)
        return am_fail_field(err, AM_ERR_INPUT, "branch", "branch must be at most 1000000 rows, not %zu",
                             options->branch);
    if (options->stress == 1 || options->stress > 2000)
        return am_fail_field(err, AM_ERR_INPUT, "stress", "stress must be 2 to 2000 points, not %zu", options->stress);
    if (options->profiles > 2000)
        return am_fail_field(err, AM_ERR_INPUT, "profiles", "profiles must be at most 2000 places, not %zu",
                             options->profiles);
    if (options->profiles > 0 && !am_slip_has_path(options))
        return am_fail_field(err, AM_ERR_INPUT, "profiles",
                             "profiles are those of a path: give `path`, `cycle` or `oscillation`, too");
    if (!(options->width > 0.0 && options->depth > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "stress", "width and depth of the map of stresses must be positive");
    return AM_OK;
}

static am_status check_closed_form(const am_slip_contact *contact, const am_slip_options *options, am_error *err) {
    bool singular = contact->law == AM_FRICTION_GRIFFITH || contact->law == AM_FRICTION_SHORT;
    if (contact->isolated && singular && options->stress)
        return am_fail_field(err, AM_ERR_INPUT, "stress",
                             "the thesis' singular term of a wave has no stresses below it: take the periodic one");
    if (am_slip_has_path(options) && contact->shape == AM_SLIP_PUNCH)
        return am_fail_field(err, AM_ERR_INPUT, "method",
                             "the closed form of a punch is for P and then Q; with a path take boundary-elements");
    if (am_slip_has_closed_form(contact))
        return AM_OK;
    if (contact->beta != 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "method",
                             "closed forms need elastically similar bodies (beta = 0), and beta is %g: normal load "
                             "alone makes them slip; take boundary-elements",
                             contact->beta);
    return am_fail_field(err, AM_ERR_INPUT, "method",
                         "there is no closed form for this profile with this law of friction; take boundary-elements");
}

static am_status check_turns(const am_slip_contact *contact, const am_slip_options *options, am_error *err) {
    if (options->turn_count && (contact->law != AM_FRICTION_COULOMB || contact->shape == AM_SLIP_PUNCH))
        return am_fail_field(err, AM_ERR_INPUT, "turns",
                             "loops are for Coulomb friction, and not for a punch loaded above the interface");
    for (size_t i = 0; i < options->turn_count; i++)
        if (!(fabs(options->turns[i]) < 1.0))
            return am_fail_field(err, AM_ERR_INPUT, "turns",
                                 "Q turns at %g f P, where the contact slides as a whole; the largest load is f P",
                                 options->turns[i]);
    return AM_OK;
}

static am_status slip_run_watched(const am_slip_contact *contact, const am_slip_options *options, am_result *result,
                                  const am_progress *progress, am_error *err) {
    if (!contact || contact->cookie != CONTACT_COOKIE)
        return am_fail(err, AM_ERR_INPUT, "the contact must come from am_slip_contact_default");
    AM_TRY(check_options(options, err));
    AM_TRY(check_turns(contact, options, err));
    AM_TRY(am_slip_check_path(contact, options, err));
    bool closed_form =
        am_slip_has_closed_form(contact) && !(am_slip_has_path(options) && contact->shape == AM_SLIP_PUNCH);
    bool elements = options->method == AM_SLIP_ELEMENTS || (options->method == AM_SLIP_AUTOMATIC && !closed_form);
    if (elements)
        return am_slip_run_elements(contact, options, result, progress, err);
    AM_TRY(check_closed_form(contact, options, err));
    return run_closed(contact, options, result, progress, err);
}

am_status am_slip_run(const am_slip_contact *contact, const am_slip_options *options, am_result *result,
                      const am_progress *progress, am_error *err) {
    am_watch watch;
    am_algebra_settle();
    AM_TRY(am_analysis_begin(&watch, contact && options, result, progress, __func__, err));
    return am_analysis_end(&watch, result, slip_run_watched(contact, options, result, progress, err), err);
}
