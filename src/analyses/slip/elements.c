/* `slip` by boundary elements: any of its laws but Griffith's, dissimilar bodies too. */
#include <math.h>

#include "analyses/slip/elements.h"
#include "base/columns.h"
#include "base/object.h"
#include "base/try.h"
#include "base/whole.h"
#include "math/pi.h"

enum { MOST_ZONES = AM_SLIP_MOST_ZONES };

/* ---- What presses and rubs ---- */

static am_bem_profile profile_of(const am_slip_contact *contact) {
    am_bem_profile profile = {.radius = contact->radius,
                              .factor = contact->factor,
                              .power = contact->exponent,
                              .amplitude = contact->amplitude,
                              .wavelength = contact->wavelength,
                              .half_width = contact->half_width,
                              .count = contact->count,
                              .x = contact->x,
                              .gap = contact->gap};
    profile.shape = contact->shape;
    return profile;
}

static am_status friction_of(const am_slip_contact *contact, am_friction *friction, am_error *err) {
    *friction = (am_friction){
        .law = contact->law, .kinetic = contact->f, .fixed = contact->f_s, .distance = contact->slip_length};
    if (contact->law == AM_FRICTION_TABLE) {
        friction->count = contact->law_count;
        friction->slip = contact->law_slip;
        friction->coefficient = contact->law_f;
    }
    if (contact->law <= AM_FRICTION_TABLE)
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, "method",
                         "boundary elements need friction as a function of slip: coulomb, static-kinetic, ramp, step, "
                         "exponential, table, or griffith");
}

static am_status check(const am_slip_contact *contact, am_error *err) {
    double a = am_slip_half_width(contact);
    if (!(contact->P > 0.0 && isfinite(contact->P)))
        return am_fail_field(err, AM_ERR_INPUT, "P",
                             "the bodies never touch: the normal load must be positive, and it is %g", contact->P);
    if (!(contact->f > 0.0 && isfinite(contact->f)))
        return am_fail_field(err, AM_ERR_INPUT, "f", "partial slip needs a positive coefficient of friction; it is %g",
                             contact->f);
    if (!(a > 0.0 && isfinite(a)) && contact->shape <= AM_SLIP_PUNCH)
        return am_fail_field(err, AM_ERR_INPUT, "P",
                             "P = %g closes the contact over the whole period, or the profile has no size", contact->P);
    return AM_OK;
}

static bool is_known(const am_slip_contact *contact) {
    return contact->shape <= AM_SLIP_PUNCH;
}

/* Nodes h = a/nodes apart, on a strip somewhat wider than the contact. */
am_status am_slip_elements_define(const am_slip_contact *contact, size_t nodes, am_bem_def *def, am_error *err) {
    double a = am_slip_half_width(contact), margin = contact->beta == 0.0 ? 1.1 : 1.25;
    *def = (am_bem_def){.profile = profile_of(contact), .modulus = contact->modulus, .beta = contact->beta};
    AM_TRY(check(contact, err));
    AM_TRY(friction_of(contact, &def->friction, err));
    if (!is_known(contact))
        return am_slip_find_strip(contact, nodes, margin, def, err);
    def->reference = contact->shape == AM_SLIP_WAVE ? 0.0 : am_slip_reference(contact);
    if (contact->shape == AM_SLIP_WAVE) {
        def->period = contact->wavelength;
        def->nodes = am_whole(ceil((double)nodes * contact->wavelength / a));
    } else if (contact->shape == AM_SLIP_PUNCH) {
        def->nodes = 2 * nodes;
    } else {
        def->width = margin * a;
        def->nodes = 2 * am_whole(ceil(margin * (double)nodes)) + 1;
    }
    return AM_OK;
}

/* ---- Loading: P first, then Q ---- */

am_bem_load am_slip_elements_load(const am_slip_contact *contact, double Q) {
    am_bem_load load = {.P = contact->P, .Q = Q};
    if (contact->shape == AM_SLIP_PUNCH || contact->tilts) {
        load.free_tilt = true;
        load.height = contact->height;
        load.M = contact->moment;
    }
    return load;
}

/* Coulomb: all slides at f P. A punch tips over when the moment of Q is that of P about its corner; if that happens
 * below f P, f the last coefficient, it happens whatever the law. */
static am_slip_limits limits_of(const am_slip_contact *contact) {
    am_slip_limits limits = {.onset = NAN, .maximum = NAN, .critical = NAN, .partial_most = NAN, .partial_least = NAN};
    double over = contact->half_width / (contact->f * contact->height); /* 2 alpha */
    limits.tips_over = contact->shape == AM_SLIP_PUNCH && over <= 1.0;
    if (limits.tips_over)
        limits.maximum = over;
    else if (contact->law == AM_FRICTION_COULOMB)
        limits.maximum = 1.0;
    return limits;
}

static am_status refuse_load(const am_slip_contact *contact, double Q, am_error *err) {
    am_slip_limits limits = limits_of(contact);
    double limit = contact->f * contact->P, share = Q / limit;
    if (limits.tips_over && share >= limits.maximum)
        return am_fail_field(err, AM_ERR_INPUT, "Q",
                             "the punch tips over at Q = 2 alpha f P; the largest load is %g f P", limits.maximum);
    if (!(share < limits.maximum) && !isnan(limits.maximum))
        return am_fail_field(err, AM_ERR_INPUT, "Q", "Q %s f P: the contact slides as a whole; the largest load is %g",
                             share > 1.0 ? "exceeds" : "reaches", limits.maximum * limit);
    return AM_OK;
}

static size_t steps_of(const am_slip_contact *contact, const am_slip_options *options) {
    if (options->steps)
        return options->steps;
    bool one = contact->beta == 0.0 && contact->law == AM_FRICTION_COULOMB && !contact->tilts; /* losses need more */
    return one ? 1 : contact->beta == 0.0 ? 20 : 50;
}

/* Dissimilar bodies rub while the contact grows: by one node to both sides in each step, which leaves no ripples in the
 * shear of what sticks behind (docs/bem.md, section 5). A flat punch does not grow. */
static size_t pressing_steps_of(const am_slip_contact *contact, const am_slip_options *options) {
    enum { MOST = 400 };
    if (contact->beta == 0.0 || contact->shape == AM_SLIP_PUNCH)
        return 1;
    if (options->steps)
        return options->steps;
    return options->nodes < MOST ? options->nodes : MOST;
}

static am_status load_up(am_bem *bem, const am_slip_contact *contact, const am_slip_options *options,
                         const am_progress *progress, am_error *err) {
    size_t steps = steps_of(contact, options), normal = pressing_steps_of(contact, options);
    double power = contact->shape == AM_SLIP_POWER ? contact->exponent : 2.0; /* even steps of the half-width */
    for (size_t i = 1; i <= normal; i++) {
        am_bem_load load = am_slip_elements_load(contact, 0.0);
        load.P *= pow((double)i / (double)normal, power);
        AM_TRY(am_bem_step(bem, &load, err));
        if (!am_progress_report(progress, 0.5 * (double)i / (double)(normal + 1)))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted at P = %g", load.P);
    }
    for (size_t i = 1; options->Q > 0.0 && i <= steps; i++) {
        double Q = options->Q * (double)i / (double)steps;
        am_bem_load load = am_slip_elements_load(contact, Q);
        AM_TRY(am_bem_step(bem, &load, err));
        if (!am_progress_report(progress, 0.5 + 0.5 * (double)i / (double)(steps + 1)))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted at Q = %g", Q);
    }
    return AM_OK;
}

/* ---- What came out ---- */

/* Where the distance slid reaches `distance`, to the right of the stick zone. */
static double place_of_slip(const am_bem_view *v, double beyond, double distance) {
    for (size_t i = 1; i < v->nodes; i++)
        if (v->x[i - 1] >= beyond && v->slid[i] >= distance && v->slid[i - 1] < distance && v->p[i] > 0.0)
            return v->x[i - 1] + v->spacing * (distance - v->slid[i - 1]) / (v->slid[i] - v->slid[i - 1]);
    return NAN;
}

static double transition_of(const am_slip_contact *contact, const am_bem_view *v, double stick) {
    if (contact->law == AM_FRICTION_RAMP)
        return place_of_slip(v, stick, 2.0 * contact->slip_length);
    if (contact->law == AM_FRICTION_TABLE)
        return place_of_slip(v, stick, contact->law_slip[contact->law_count - 1]);
    return contact->law == AM_FRICTION_STEP ? place_of_slip(v, stick, contact->slip_length) : NAN;
}

am_slip_found am_slip_elements_found(const am_slip_contact *contact, const am_bem *bem, const am_bem_zone *zones,
                                     size_t count) {
    am_bem_view v = am_bem_view_of(bem);
    am_slip_found f = {.from = NAN, .to = NAN};
    double stick_from = 0.0, stick_to = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (zones[i].state == AM_OPEN)
            continue;
        f.from = isnan(f.from) ? zones[i].from : f.from;
        f.to = zones[i].to;
        if (zones[i].state == AM_STICK && zones[i].to - zones[i].from > stick_to - stick_from) {
            stick_from = zones[i].from;
            stick_to = zones[i].to;
        }
    }
    bool punch = contact->shape == AM_SLIP_PUNCH;
    f.a = punch ? contact->half_width : 0.5 * (f.to - f.from);
    f.point.share = v.Q / (contact->f * contact->P);
    f.point.c = 0.5 * (stick_to - stick_from) / f.a;
    f.point.l = punch ? stick_from / f.a + 1.0 : contact->tilts ? (stick_from - f.from) / f.a : 1.0 - f.point.c;
    f.point.b = punch ? -stick_from / f.a : transition_of(contact, &v, stick_to) / f.a;
    for (size_t i = 0; i < v.nodes; i++)
        f.slip = v.state[i] == AM_OPEN ? f.slip : fmax(f.slip, fabs(v.slip[i]));
    return f;
}

double am_slip_elements_mean(const am_bem_view *view) {
    return view->period > 0.0 ? 2.0 / (pi * view->modulus) : 0.0;
}

void am_slip_elements_nodes(const am_slip_contact *contact, const am_bem *bem, double a, am_result *result) {
    am_bem_view v = am_bem_view_of(bem);
    am_table *table = am_slip_tractions_table(result);
    for (size_t i = 0; i < v.nodes; i++) {
        const double row[4] = {v.x[i], v.p[i], v.q[i], v.slip[i]};
        am_slip_tractions_row(table, contact, a, row);
    }
}

static void write_zones(const am_bem_zone *zones, size_t count, am_result *result) {
    am_table *table = am_slip_zones_table(result);
    for (size_t i = 0; i < count; i++)
        am_slip_zones_row(result, table, zones[i].state, zones[i].from, zones[i].to);
}

static am_stress stress_at(const void *context, double x, double z) {
    return am_strips_stress(context, x, z);
}

am_status am_slip_elements_stress(const am_slip_contact *contact, const am_slip_options *options, const am_bem *bem,
                                  double a, am_result *result, am_error *err) {
    am_bem_view v = am_bem_view_of(bem);
    am_strips strips = {v.nodes, v.x, v.p, v.q, contact->shape == AM_SLIP_WAVE ? v.period : 0.0};
    return am_slip_stress_table(result, options, a, stress_at, &strips, err);
}

/* ---- In words ---- */

static const char *regime_of(const am_slip_contact *contact, const am_slip_found *f, const am_bem_zone *zones,
                             size_t count) {
    bool sticks = false, forward = false, backward = false;
    for (size_t i = 0; i < count; i++) {
        sticks = sticks || zones[i].state == AM_STICK;
        forward = forward || zones[i].state == AM_FORWARD;
        backward = backward || zones[i].state == AM_BACKWARD;
    }
    bool slips = forward || backward;
    bool lifted = contact->shape == AM_SLIP_PUNCH && f->from > -f->a * (1.0 - 1e-9);
    if (!sticks && !(forward && backward)) /* between opposite slips something sticks, however little */
        return "sliding";
    return lifted ? slips ? "partial slip, lifted off" : "stick, lifted off" : slips ? "partial slip" : "stick";
}

/* The regime, and of the punch what its closed form says as well. */
static void write_regime(const am_slip_contact *contact, const am_slip_found *f, const am_bem_zone *zones, size_t count,
                         am_result *result) {
    am_result_set_text(result, "regime", regime_of(contact, f, zones, count), NULL);
    if (contact->shape != AM_SLIP_PUNCH)
        return;
    am_result_set_known(result, "alpha", contact->height > 0.0 ? 0.5 * f->a / (contact->f * contact->height) : NAN);
    am_result_set_number(result, "contact_over_a", 0.5 * (f->to - f->from) / f->a, NULL);
}

/* ---- The question ---- */

static am_status check_evidence(const am_bem_view *v, am_slip_evidence *evidence, am_error *err) {
    *evidence = (am_slip_evidence){v->evidence.equilibrium, v->evidence.compliance, v->evidence.traction};
    if (evidence->equilibrium <= 1e-8 && evidence->stick <= 1e-8 && evidence->friction <= 1e-8)
        return AM_OK;
    return am_fail(err, AM_ERR_EVIDENCE,
                   "the boundary elements do not pass their own check: equilibrium to %.2g, displacements %.2g, "
                   "tractions %.2g",
                   evidence->equilibrium, evidence->stick, evidence->friction);
}

static am_status report(const am_slip_contact *contact, const am_slip_options *options, const am_bem_def *def,
                        const am_bem *bem, am_result *result, am_error *err) {
    am_bem_view v = am_bem_view_of(bem);
    am_bem_zone zones[MOST_ZONES];
    size_t count = am_bem_zones(bem, MOST_ZONES, zones);
    if (count > MOST_ZONES)
        return am_fail(err, AM_ERR_LIMIT, "the contact has %zu zones, more than the %d that are told apart", count,
                       MOST_ZONES);
    am_slip_found f = am_slip_elements_found(contact, bem, zones, count);
    am_slip_limits limits = limits_of(contact);
    am_slip_evidence evidence;
    AM_TRY(check_evidence(&v, &evidence, err));
    if (!am_slip_has_path(options)) /* else it depends on where the path goes on to */
        AM_TRY(am_slip_elements_onset(contact, def, &limits.onset, err));
    am_slip_resolution resolution = am_slip_resolve(contact, &v, am_slip_has_path(options), zones, count);
    f.point.c = resolution.stick ? f.point.c : NAN;
    f.point.l = resolution.slip ? f.point.l : NAN;
    if (options->branch && am_slip_elements_followed(contact) && !am_slip_has_path(options))
        AM_TRY(am_slip_elements_follow(contact, options, def, &limits, result, err));
    am_slip_summary(result, "boundary-elements", contact, v.Q, f.a, &f.point, &limits);
    am_slip_evidence_summary(result, &evidence);
    am_slip_resolution_summary(result, &resolution, v.spacing / f.a);
    write_regime(contact, &f, zones, count, result);
    am_result_set_numbers(result, AM_NAMED({"slip_max", f.slip}, {"loss_friction", v.dissipation},
                                           {"approach", v.approach - am_slip_elements_mean(&v) * v.P}, {"tilt", v.tilt},
                                           {"shift", v.shift - am_slip_elements_mean(&v) * v.Q}));
    am_result_set_count(result, "nodes", v.nodes, NULL);
    am_slip_elements_nodes(contact, bem, f.a, result);
    write_zones(zones, count, result);
    if (options->turn_count)
        AM_TRY(am_slip_loop_elements(contact, options, def, result, err));
    if (options->stress)
        AM_TRY(am_slip_elements_stress(contact, options, bem, f.a, result, err));
    return AM_OK;
}

am_status am_slip_run_elements(const am_slip_contact *contact, const am_slip_options *options, am_result *result,
                               const am_progress *progress, am_error *err) {
    if (contact->law == AM_FRICTION_GRIFFITH)
        return am_slip_run_griffith(contact, options, result, progress, err);
    am_bem_def def;
    am_status status = isnan(options->stick)
                           ? AM_OK
                           : am_fail_field(err, AM_ERR_INPUT, "c_over_a",
                                           "boundary elements start from the load: give Q or Q_over_fP");
    am_slip_contact widest = am_slip_path_widest(contact, options), end = am_slip_path_end(contact, options);
    if (status == AM_OK)
        status = am_slip_elements_define(&widest, options->nodes, &def, err);
    if (status == AM_OK && is_known(contact) && def.reference > 0.0)
        def.reference = am_slip_reference(contact);
    if (status == AM_OK)
        status = refuse_load(contact, options->Q, err);
    am_bem *bem = status == AM_OK ? am_bem_create(&def, err) : NULL;
    if (status == AM_OK && !bem)
        status = am_error_status(err);
    if (status == AM_OK)
        status = am_slip_has_path(options) ? am_slip_path_elements(bem, contact, options, result, progress, err)
                                           : load_up(bem, contact, options, progress, err);
    if (status == AM_ERR_NO_STATE)
        status = am_slip_report_sliding(contact, &def, options->nodes, options->Q, err);
    if (status == AM_OK)
        status = report(&end, options, &def, bem, result, err);
    am_bem_free(bem);
    return status;
}

/* ---- The same bodies as a structure ---- */

am_system *am_slip_system(const am_slip_contact *contact, size_t nodes, am_error *err) {
    if (!contact)
        return am_misused_for_nothing(err, __func__);
    am_slip_contact plain = *contact;
    am_bem_def def;
    plain.law = AM_FRICTION_COULOMB;
    plain.tilts = false;
    size_t half = nodes / 2 > 4 ? nodes / 2 : 4;
    if (am_slip_elements_define(&plain, half, &def, err) != AM_OK)
        return NULL;
    if (contact->shape == AM_SLIP_WAVE)
        def.nodes = 2 * half; /* over the whole period, however narrow the contact */
    am_bem *bem = am_bem_create(&def, err);
    am_bem_load load = {.P = contact->P};
    am_system *system = NULL;
    if (bem && am_bem_step(bem, &load, err) == AM_OK) {
        /* the compliance is the same along and across: sliding begins at f times the approach */
        double d = am_bem_view_of(bem).approach;
        am_function approach = am_function_constant(d), shift = am_function_ramp(0.0, contact->f * d);
        system = am_bem_system(&def, &approach, &shift, err);
    }
    am_bem_free(bem);
    return system;
}
