/* `slip` by boundary elements: any of its laws but Griffith's, dissimilar bodies too. */
#include <math.h>

#include "analysis/slip_form.h"
#include "halfplane/bem.h"

enum { MOST_ZONES = 64 };

/* Why something could not be made. */
static am_status reason(const am_error *err) {
    return err && err->status != AM_OK ? err->status : AM_ERR_MEMORY;
}

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
    static const am_bem_shape shapes[] = {AM_BEM_PARABOLA, AM_BEM_POWER,   AM_BEM_WAVE,
                                          AM_BEM_FLAT,     AM_BEM_ROUNDED, AM_BEM_TABLE};
    profile.shape = shapes[contact->shape];
    return profile;
}

static am_status friction_of(const am_slip_contact *contact, am_friction *friction, am_error *err) {
    *friction = (am_friction){
        .law = AM_FRICTION_COULOMB, .kinetic = contact->f, .fixed = contact->f_s, .distance = contact->slip_length};
    switch (contact->law) {
    case AM_SLIP_COULOMB:
        return AM_OK;
    case AM_SLIP_STATIC_KINETIC:
        friction->law = AM_FRICTION_STATIC_KINETIC;
        return AM_OK;
    case AM_SLIP_RAMP:
        friction->law = AM_FRICTION_RAMP;
        return AM_OK;
    case AM_SLIP_STEP:
        friction->law = AM_FRICTION_STEP;
        return AM_OK;
    case AM_SLIP_EXPONENTIAL:
        friction->law = AM_FRICTION_EXPONENTIAL;
        return AM_OK;
    default:
        return am_fail_field(err, AM_ERR_INPUT, "method",
                             "boundary elements need friction as a function of slip: coulomb, static-kinetic, ramp, "
                             "step or exponential; a short ramp stands for Griffith friction");
    }
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

/* A strip that holds everything that could touch: all of the table, or at first a little more than the flat. */
static void first_strip(const am_slip_contact *contact, am_bem_def *def) {
    enum { ROUGH = 201 };
    def->nodes = ROUGH;
    def->centre = 0.0;
    def->width = 1.5 * contact->half_width;
    if (contact->shape == AM_SLIP_TABLE) {
        def->centre = 0.5 * (contact->x[contact->count - 1] + contact->x[0]);
        def->width = 0.55 * (contact->x[contact->count - 1] - contact->x[0]);
    }
}

/* The contact under P on that strip. */
static am_status press_roughly(const am_slip_contact *contact, const am_bem_def *def, double *from, double *to,
                               am_error *err) {
    am_bem *bem = am_bem_create(def, err);
    am_bem_load load = {.P = contact->P};
    am_status status = bem ? am_bem_step(bem, &load, err) : reason(err);
    if (status == AM_OK) {
        am_bem_view v = am_bem_look(bem);
        size_t first = 0, last = v.nodes - 1;
        while (first < last && !(v.p[first] > 0.0))
            first++;
        while (last > first && !(v.p[last] > 0.0))
            last--;
        *from = v.x[first] - v.spacing;
        *to = v.x[last] + v.spacing;
    }
    am_bem_free(bem);
    return status;
}

/* Where it touches is found on a rough strip, which grows while the contact does not fit. */
static am_status find_strip(const am_slip_contact *contact, size_t nodes, double margin, am_bem_def *def,
                            am_error *err) {
    double from = 0.0, to = 0.0;
    am_status status = am_bem_profile_check(&def->profile, err);
    if (status != AM_OK)
        return status;
    first_strip(contact, def);
    do {
        status = press_roughly(contact, def, &from, &to, err);
        def->width *= 1.5;
    } while (status != AM_OK && status != AM_ERR_MEMORY && contact->shape == AM_SLIP_ROUNDED &&
             def->width < 1e6 * contact->half_width);
    def->centre = 0.5 * (from + to);
    def->width = 0.5 * margin * (to - from);
    def->nodes = 2 * (size_t)ceil(margin * (double)nodes) + 1;
    def->reference = 2.0 * (to - from);
    return status;
}

/* Nodes h = a/nodes apart, on a strip somewhat wider than the contact. */
static am_status define(const am_slip_contact *contact, size_t nodes, am_bem_def *def, am_error *err) {
    double a = am_slip_half_width(contact), margin = contact->beta == 0.0 ? 1.1 : 1.25;
    *def = (am_bem_def){.profile = profile_of(contact), .modulus = contact->modulus, .beta = contact->beta};
    am_status status = check(contact, err);
    if (status == AM_OK)
        status = friction_of(contact, &def->friction, err);
    if (status != AM_OK)
        return status;
    if (!is_known(contact))
        return find_strip(contact, nodes, margin, def, err);
    def->reference = contact->shape == AM_SLIP_WAVE ? 0.0 : am_slip_reference(contact);
    if (contact->shape == AM_SLIP_WAVE) {
        def->period = contact->wavelength;
        def->nodes = (size_t)ceil((double)nodes * contact->wavelength / a);
    } else if (contact->shape == AM_SLIP_PUNCH) {
        def->nodes = 2 * nodes;
    } else {
        def->width = margin * a;
        def->nodes = 2 * (size_t)ceil(margin * (double)nodes) + 1;
    }
    return AM_OK;
}

/* ---- Loading: P first, then Q ---- */

static am_bem_load load_of(const am_slip_contact *contact, double Q) {
    am_bem_load load = {.P = contact->P, .Q = Q};
    if (contact->shape == AM_SLIP_PUNCH) {
        load.free_tilt = true;
        load.M = Q * contact->height;
    }
    return load;
}

static am_slip_limits limits_of(const am_slip_contact *contact) {
    am_slip_limits limits = {.onset = NAN, .maximum = NAN, .critical = NAN, .partial_most = NAN, .partial_least = NAN};
    if (contact->law != AM_SLIP_COULOMB)
        return limits;
    limits.maximum = 1.0;
    if (contact->shape != AM_SLIP_PUNCH) {
        limits.onset = contact->beta == 0.0 && contact->shape != AM_SLIP_TABLE ? 0.0 : NAN; /* a table may end sharp */
        return limits;
    }
    double alpha = contact->half_width / (2.0 * contact->f * contact->height);
    limits.tips_over = 2.0 * alpha <= 1.0;
    limits.maximum = fmin(1.0, 2.0 * alpha);
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
    return contact->beta == 0.0 && contact->law == AM_SLIP_COULOMB ? 1 : contact->beta == 0.0 ? 20 : 50;
}

static am_status load_up(am_bem *bem, const am_slip_contact *contact, const am_slip_options *options,
                         const am_progress *progress, am_error *err) {
    size_t steps = steps_of(contact, options), normal = contact->beta == 0.0 ? 1 : steps;
    am_status status = AM_OK;
    for (size_t i = 1; status == AM_OK && i <= normal; i++) {
        am_bem_load load = load_of(contact, 0.0);
        double part = (double)i / (double)normal;
        load.P *= part * part; /* even steps of the half-width of a cylinder */
        status = am_bem_step(bem, &load, err);
    }
    for (size_t i = 1; status == AM_OK && options->Q > 0.0 && i <= steps; i++) {
        double Q = options->Q * (double)i / (double)steps;
        am_bem_load load = load_of(contact, Q);
        status = am_bem_step(bem, &load, err);
        if (status == AM_OK && !am_progress_report(progress, (double)i / (double)(steps + 1)))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted at Q = %g", Q);
    }
    return status;
}

/* ---- What came out ---- */

typedef struct found {
    double a, from, to;
    am_slip_point point;
    double slip;
} found;

/* Where the distance slid reaches `distance`, to the right of the stick zone. */
static double place_of_slip(const am_bem_view *v, double beyond, double distance) {
    for (size_t i = 1; i < v->nodes; i++)
        if (v->x[i - 1] >= beyond && v->slid[i] >= distance && v->slid[i - 1] < distance && v->p[i] > 0.0)
            return v->x[i - 1] + v->spacing * (distance - v->slid[i - 1]) / (v->slid[i] - v->slid[i - 1]);
    return NAN;
}

static double transition_of(const am_slip_contact *contact, const am_bem_view *v, double stick) {
    if (contact->law == AM_SLIP_RAMP)
        return place_of_slip(v, stick, 2.0 * contact->slip_length);
    return contact->law == AM_SLIP_STEP ? place_of_slip(v, stick, contact->slip_length) : NAN;
}

static found look(const am_slip_contact *contact, const am_bem *bem, const am_bem_zone *zones, size_t count) {
    am_bem_view v = am_bem_look(bem);
    found f = {.from = NAN, .to = NAN};
    double stick_from = 0.0, stick_to = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (zones[i].state == AM_BEM_OPEN)
            continue;
        f.from = isnan(f.from) ? zones[i].from : f.from;
        f.to = zones[i].to;
        if (zones[i].state == AM_BEM_STICK && zones[i].to - zones[i].from > stick_to - stick_from) {
            stick_from = zones[i].from;
            stick_to = zones[i].to;
        }
    }
    bool punch = contact->shape == AM_SLIP_PUNCH;
    f.a = punch ? contact->half_width : 0.5 * (f.to - f.from);
    f.point.share = v.Q / (contact->f * contact->P);
    f.point.c = 0.5 * (stick_to - stick_from) / f.a;
    f.point.l = punch ? stick_from / f.a + 1.0 : 1.0 - f.point.c;
    f.point.b = punch ? -stick_from / f.a : transition_of(contact, &v, stick_to) / f.a;
    for (size_t i = 0; i < v.nodes; i++)
        f.slip = fmax(f.slip, fabs(v.slip[i]));
    return f;
}

static am_status write_nodes(const am_slip_contact *contact, const am_bem *bem, double a, am_result *result,
                             am_error *err) {
    am_bem_view v = am_bem_look(bem);
    am_table *table = am_slip_tractions_table(result, err);
    am_status status = table ? AM_OK : AM_ERR_MEMORY;
    for (size_t i = 0; status == AM_OK && i < v.nodes; i++) {
        const double row[4] = {v.x[i], v.p[i], v.q[i], v.slip[i]};
        status = am_slip_tractions_row(table, contact, a, row, err);
    }
    return status;
}

static am_status write_zones(const am_bem_zone *zones, size_t count, am_result *result, am_error *err) {
    static const char *const names[] = {"open", "stick", "forward", "backward"};
    am_table *table = am_slip_zones_table(result, err);
    am_status status = table ? AM_OK : AM_ERR_MEMORY;
    for (size_t i = 0; status == AM_OK && i < count; i++)
        status = am_slip_zones_row(table, names[zones[i].state], zones[i].from, zones[i].to, err);
    return status;
}

static am_stress stress_at(const void *context, double x, double z) {
    return am_strips_stress(context, x, z);
}

/* Repeated tractions would need the kernel's period. */
static am_status write_stress(const am_slip_contact *contact, const am_slip_options *options, const am_bem *bem,
                              double a, am_result *result, am_error *err) {
    am_bem_view v = am_bem_look(bem);
    am_strips strips = {v.nodes, v.x, v.p, v.q};
    if (contact->shape == AM_SLIP_WAVE)
        return am_fail_field(err, AM_ERR_INPUT, "stress",
                             "stresses below a wave are known to the closed form only; take closed-form or leave "
                             "stress out");
    return am_slip_stress_table(result, options, a, stress_at, &strips, err);
}

/* ---- Q to and fro ---- */

/* Each leg starts from full stick, and the stick zone shrinks along it: every step is exact. */
static am_status run_loop(const am_slip_contact *contact, const am_slip_options *options, const am_bem_def *def,
                          am_result *result, am_error *err) {
    am_bem *bem = am_bem_create(def, err);
    am_table *table = am_slip_loop_table(result, err);
    am_bem_load load = load_of(contact, 0.0);
    am_status status = bem && table ? am_bem_step(bem, &load, err) : reason(err);
    double from = 0.0, limit = contact->f * contact->P, begin = 0.0;
    for (size_t turn = 0; status == AM_OK && turn < options->turn_count; turn++) {
        if (turn + 2 == options->turn_count)
            begin = am_bem_look(bem).dissipation;
        for (int i = turn == 0 ? 0 : 1; status == AM_OK && i <= AM_SLIP_LOOP_POINTS; i++) {
            load.Q = (from + (options->turns[turn] - from) * (double)i / AM_SLIP_LOOP_POINTS) * limit;
            status = am_bem_step(bem, &load, err);
            if (status != AM_OK)
                break;
            am_bem_zone zones[MOST_ZONES];
            size_t count = am_bem_zones(bem, MOST_ZONES, zones);
            found f = look(contact, bem, zones, count < MOST_ZONES ? count : MOST_ZONES);
            am_bem_view v = am_bem_look(bem);
            am_slip_loop_row row = {turn, v.Q / limit, v.shift, f.point.c, v.dissipation};
            status = am_slip_loop_add(table, &row, err);
        }
        from = options->turns[turn];
    }
    if (status == AM_OK && options->turn_count >= 3)
        status = am_result_set_number(result, "loop_area", am_bem_look(bem).dissipation - begin, err);
    am_bem_free(bem);
    return status;
}

/* ---- All equilibria of weakening friction, through the limit point ---- */

typedef struct branch {
    const am_slip_contact *contact;
    am_table *table;
    double before; /* Q of the last point */
    am_status status;
    am_error *err;
} branch;

static bool visit(void *context, const am_bem *bem) {
    branch *b = context;
    am_bem_zone zones[MOST_ZONES];
    size_t count = am_bem_zones(bem, MOST_ZONES, zones);
    found f = look(b->contact, bem, zones, count < MOST_ZONES ? count : MOST_ZONES);
    b->status = am_slip_branch_row(b->table, &f.point, f.point.share >= b->before, b->err);
    b->before = f.point.share;
    return b->status == AM_OK;
}

static am_status follow(const am_slip_contact *contact, const am_slip_options *options, const am_bem_def *def, double a,
                        am_slip_limits *limits, am_result *result, am_error *err) {
    branch b = {.contact = contact, .err = err};
    am_bem *bem = am_bem_create(def, err);
    am_status status = bem && (b.table = am_slip_branch_table(result, err)) ? AM_OK : reason(err);
    am_bem_load load = load_of(contact, 0.0);
    if (status == AM_OK)
        status = am_bem_step(bem, &load, err);
    load.Q = 1.0;
    am_bem_limit limit = {0};
    if (status == AM_OK)
        status = am_bem_follow(bem, &load, 1, 0.05 * a, options->branch, &limit, visit, &b, err);
    bool complete = status != AM_ERR_NO_STATE; /* nodes too coarse for the transition: what was found is kept */
    if (status == AM_OK || !complete)
        status = am_result_set_flag(result, "branch_complete", complete, err);
    if (status == AM_OK)
        status = b.status;
    if (status == AM_OK && limit.found) {
        limits->maximum = limits->partial_most = limit.Q / (contact->f * contact->P);
        limits->critical = limit.end / a;
    }
    am_bem_free(bem);
    return status;
}

static bool can_be_followed(const am_slip_contact *contact) {
    return contact->beta == 0.0 && contact->shape < AM_SLIP_PUNCH && contact->law != AM_SLIP_COULOMB &&
           contact->law != AM_SLIP_STATIC_KINETIC;
}

/* Why no equilibrium was found: the contact slides. */
static am_status tell_sliding(const am_slip_contact *contact, const am_bem_def *def, double Q, am_error *err) {
    am_error ignored = {0};
    am_bem *bem = can_be_followed(contact) ? am_bem_create(def, &ignored) : NULL;
    am_bem_load load = load_of(contact, 0.0);
    am_bem_limit limit = {0};
    if (bem && am_bem_step(bem, &load, &ignored) == AM_OK) {
        load.Q = 1.0;
        if (am_bem_follow(bem, &load, 1, 0.05 * am_slip_half_width(contact), 100, &limit, NULL, NULL, &ignored) !=
            AM_OK)
            limit.found = false;
    }
    am_bem_free(bem);
    if (limit.found)
        return am_fail_field(err, AM_ERR_INPUT, "Q",
                             "Q exceeds its maximum: the contact slides as a whole; the largest load is %g, %g f P",
                             limit.Q, limit.Q / (contact->f * contact->P));
    return am_fail_field(err, AM_ERR_INPUT, "Q",
                         "Q exceeds what the stick zone can hold: the contact slides as a whole before Q = %g", Q);
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
    am_bem_view v = am_bem_look(bem);
    am_bem_zone zones[MOST_ZONES];
    size_t count = am_bem_zones(bem, MOST_ZONES, zones);
    if (count > MOST_ZONES)
        return am_fail(err, AM_ERR_LIMIT, "the contact has %zu zones, more than the %d that are told apart", count,
                       MOST_ZONES);
    found f = look(contact, bem, zones, count);
    am_slip_limits limits = limits_of(contact);
    am_slip_evidence evidence;
    am_status status = check_evidence(&v, &evidence, err);
    if (status == AM_OK && options->branch && can_be_followed(contact))
        status = follow(contact, options, def, f.a, &limits, result, err);
    if (status == AM_OK)
        status = am_slip_summary(result, "boundary-elements", contact, v.Q, f.a, &f.point, &limits, err);
    if (status == AM_OK)
        status = am_slip_evidence_summary(result, &evidence, err);
    if (status == AM_OK)
        status = am_result_set_number(result, "slip_max", f.slip, err);
    if (status == AM_OK)
        status = am_result_set_number(result, "dissipation", v.dissipation, err);
    if (status == AM_OK)
        status = am_result_set_number(result, "approach", v.approach, err);
    if (status == AM_OK)
        status = am_result_set_number(result, "tilt", v.tilt, err);
    if (status == AM_OK)
        status = am_result_set_number(result, "shift", v.shift, err);
    if (status == AM_OK)
        status = am_result_set_count(result, "nodes", v.nodes, err);
    if (status == AM_OK)
        status = write_nodes(contact, bem, f.a, result, err);
    if (status == AM_OK)
        status = write_zones(zones, count, result, err);
    if (status == AM_OK && options->turn_count)
        status = run_loop(contact, options, def, result, err);
    if (status == AM_OK && options->stress)
        status = write_stress(contact, options, bem, f.a, result, err);
    return status;
}

am_status am_slip_run_elements(const am_slip_contact *contact, const am_slip_options *options, am_result *result,
                               const am_progress *progress, am_error *err) {
    am_bem_def def;
    am_status status = isnan(options->stick)
                           ? AM_OK
                           : am_fail_field(err, AM_ERR_INPUT, "c_over_a",
                                           "boundary elements start from the load: give Q or Q_over_fP");
    if (status == AM_OK)
        status = define(contact, options->nodes, &def, err);
    if (status == AM_OK)
        status = refuse_load(contact, options->Q, err);
    am_bem *bem = status == AM_OK ? am_bem_create(&def, err) : NULL;
    if (status == AM_OK && !bem)
        status = reason(err);
    if (status == AM_OK)
        status = load_up(bem, contact, options, progress, err);
    if (status == AM_ERR_NO_STATE)
        status = tell_sliding(contact, &def, options->Q, err);
    if (status == AM_OK)
        status = report(contact, options, &def, bem, result, err);
    am_bem_free(bem);
    return status;
}

/* ---- The same bodies as a structure ---- */

am_system *am_slip_system(const am_slip_contact *contact, size_t nodes, am_error *err) {
    am_slip_contact plain = *contact;
    am_bem_def def;
    plain.law = AM_SLIP_COULOMB;
    size_t half = nodes / 2 > 4 ? nodes / 2 : 4;
    if (define(&plain, half, &def, err) != AM_OK)
        return NULL;
    if (contact->shape == AM_SLIP_WAVE)
        def.nodes = 2 * half; /* over the whole period, however narrow the contact */
    am_bem *bem = am_bem_create(&def, err);
    am_bem_load load = {.P = contact->P};
    am_system *system = NULL;
    if (bem && am_bem_step(bem, &load, err) == AM_OK) {
        /* the compliance is the same along and across: sliding begins at f times the approach */
        double d = am_bem_look(bem).approach;
        am_function approach = am_function_constant(d), shift = am_function_ramp(0.0, contact->f * d);
        system = am_bem_system(&def, &approach, &shift, err);
    }
    am_bem_free(bem);
    return system;
}
