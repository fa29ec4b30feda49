/* `slip` by boundary elements with Griffith's friction: one contact, similar bodies. */
#include <math.h>

#include "analyses/slip/elements.h"
#include "base/columns.h"
#include "base/local.h"
#include "engines/boundary/bem_griffith.h"
#include "math/pi.h"

/* The contact, its elements and its fronts. */
typedef struct study {
    const am_slip_contact *contact;
    am_bem *bem;
    am_bem_griffith *griffith;
    am_bem_front front;
    double a;
    am_slip_limits limits;
} study;

static bool is_punch(const study *s) {
    return s->contact->shape == AM_SLIP_PUNCH;
}

/* c is half of the stick zone; of a punch the stick zone is -b < x < a. */
static am_slip_point point_of(const study *s, const am_bem_front *front) {
    am_slip_point point = {.share = front->Q / (s->contact->f * s->contact->P),
                           .c = fmin(1.0, 0.5 * (front->to - front->from) / s->a),
                           .b = NAN};
    point.l = 1.0 - point.c;
    if (is_punch(s)) {
        point.b = -front->from / s->a;
        point.l = 1.0 + front->from / s->a;
    }
    return point;
}

/* ---- What the contact can carry ---- */

static am_status find_limits(study *s, am_error *err) {
    double limit = s->contact->f * s->contact->P;
    am_griffith_limits found;
    AM_TRY(am_bem_griffith_limits(s->griffith, &found, err));
    double tips = is_punch(s) ? s->a / (s->contact->f * s->contact->height) : INFINITY; /* 2 alpha */
    double nodes = (double)am_bem_view_of(s->bem).nodes;
    if (found.onset / limit > (1.0 - 12.0 / nodes) * tips)
        return am_fail_field(err, AM_ERR_INPUT, "W",
                             "with so much energy the punch tips over almost before it slips, and the few nodes on "
                             "which it then stands cannot tell: take closed-form");
    bool none = found.critical >= found.widest;
    s->limits = (am_slip_limits){.onset = found.onset / limit,
                                 .maximum = found.largest / limit,
                                 .partial_most = none ? NAN : found.maximum / limit,
                                 .partial_least = none ? NAN : found.least / limit,
                                 .critical = found.critical,
                                 .slides_at_once = found.slides_at_once};
    if (is_punch(s) && tips <= 1.0) {
        s->limits.tips_over = true;
        s->limits.maximum = s->limits.partial_most = tips;
        s->limits.critical = 0.0;
    }
    return AM_OK;
}

static am_status refuse(const study *s, double Q, am_error *err) {
    double limit = s->contact->f * s->contact->P;
    if (Q / limit < s->limits.maximum * (1.0 + 1e-12) && !(s->limits.tips_over && Q / limit >= s->limits.maximum))
        return AM_OK;
    if (s->limits.tips_over)
        return am_fail_field(err, AM_ERR_INPUT, "Q",
                             "the punch tips over at Q = 2 alpha f P; the largest load is %g f P", s->limits.maximum);
    return am_fail_field(err, AM_ERR_INPUT, "Q",
                         "Q exceeds what the stick zone can hold: the contact slides as a whole; the largest load is "
                         "%g f P",
                         s->limits.maximum);
}

/* ---- Tables ---- */

/* From the whole contact sticking to a few nodes. Stable is where Q grows as the stick zone shrinks. */
static am_status write_branch(const study *s, size_t count, am_result *result, const am_progress *progress,
                              am_error *err) {
    am_table *table = am_slip_branch_table(result);
    AM_LOCAL_MEMORY am_slip_point *points = am_memory_new(count, sizeof *points, err);
    if (!points)
        return AM_ERR_MEMORY;
    double least = am_bem_griffith_least(s->griffith), most = am_bem_griffith_most(s->griffith);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        double t = (double)i / (double)(count > 1 ? count - 1 : 1);
        am_bem_front front;
        AM_TRY(am_bem_griffith_at(s->griffith, least + (most - least) * 0.5 * (1.0 + cos(pi * t)), &front, err));
        if (front.exists)
            points[found++] = point_of(s, &front);
        if (!am_progress_report(progress, 0.5 + 0.5 * t))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted while the branch was followed");
    }
    for (size_t i = 0; i < found; i++) {
        const am_slip_point *wider = &points[i > 0 ? i - 1 : 0], *narrower = &points[i + 1 < found ? i + 1 : i];
        am_slip_branch_row(table, &points[i], narrower->share > wider->share);
    }
    return AM_OK;
}

static void write_zones(const study *s, am_result *result) {
    const am_bem_front *f = &s->front;
    am_table *table = am_slip_zones_table(result);
    if (is_punch(s) && f->left > -s->a * (1.0 - 1e-9))
        am_slip_zones_row(result, table, AM_OPEN, -s->a, f->left);
    double small = 1e-9 * s->a;
    if (f->from > f->left + small)
        am_slip_zones_row(result, table, AM_FORWARD, f->left, f->from);
    am_slip_zones_row(result, table, AM_STICK, f->from, f->to);
    if (f->right > f->to + small)
        am_slip_zones_row(result, table, AM_FORWARD, f->to, f->right);
}

/* ---- Summary ---- */

static const char *regime_of(const study *s) {
    double small = 1e-9 * s->a;
    bool slips = s->front.from > s->front.left + small || s->front.to < s->front.right - small;
    bool lifted = is_punch(s) && s->front.left > -s->a + small;
    return lifted ? slips ? "partial slip, lifted off" : "stick, lifted off" : slips ? "partial slip" : "stick";
}

static void write_numbers(const study *s, am_result *result) {
    am_bem_view v = am_bem_view_of(s->bem);
    double slip = 0.0, K = fmax(fmax(s->front.K_left, s->front.K_right), 0.0);
    for (size_t i = 0; i < v.nodes; i++)
        slip = fmax(slip, fabs(v.slip[i]));
    am_result_set_text(result, "regime", regime_of(s), NULL);
    am_result_set_numbers(result, AM_NAMED({"slip_max", slip}, {"K_II", K},
                                           {"energy_release", K * K / (2.0 * s->contact->modulus)},
                                           {"approach", v.approach}, {"tilt", v.tilt}, {"shift", v.shift}));
    if (is_punch(s))
        am_result_set_numbers(result, AM_NAMED({"alpha", 0.5 * s->a / (s->contact->f * s->contact->height)},
                                               {"contact_over_a", 0.5 * (s->front.right - s->front.left) / s->a}));
    am_result_set_count(result, "nodes", v.nodes, NULL);
}

static am_status write_evidence(const study *s, am_result *result, am_error *err) {
    am_bem_view v = am_bem_view_of(s->bem);
    am_slip_evidence evidence = {v.evidence.equilibrium, v.evidence.compliance, v.evidence.traction};
    double front = 0.0, backward = 0.0;
    if (!(evidence.equilibrium <= 1e-8 && evidence.stick <= 1e-8 && evidence.friction <= 1e-8))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the boundary elements do not pass their own check: equilibrium to %.2g, displacements %.2g, "
                       "tractions %.2g",
                       evidence.equilibrium, evidence.stick, evidence.friction);
    am_slip_evidence_summary(result, &evidence);
    bool has_front = am_bem_griffith_most(s->griffith) == 1.0 || s->front.to < s->front.right - 1e-9 * s->a;
    if (has_front)
        AM_TRY(am_bem_griffith_examine(s->griffith, &front, &backward, err));
    if (front > 0.1 || backward > 0.1)
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the nodes are too coarse for the slip front: its stress intensity is right to %.2g only, slip "
                       "against the shear is %.2g of the largest",
                       front, backward);
    am_result_set_known(result, "front_residual", front);
    am_result_set_number(result, "backward_slip", backward, NULL);
    return AM_OK;
}

static am_status report(study *s, const am_slip_options *options, am_result *result, const am_progress *progress,
                        am_error *err) {
    am_slip_point point = point_of(s, &s->front);
    am_slip_summary(result, "boundary-elements", s->contact, s->front.Q, s->a, &point, &s->limits);
    write_numbers(s, result);
    am_slip_elements_nodes(s->contact, s->bem, s->a, result);
    write_zones(s, result);
    if (options->stress)
        AM_TRY(am_slip_elements_stress(s->contact, options, s->bem, s->a, result, err));
    AM_TRY(write_evidence(s, result, err));
    if (options->branch) /* the last: it takes the tractions */
        AM_TRY(write_branch(s, options->branch, result, progress, err));
    return AM_OK;
}

/* ---- The question ---- */

static am_status check(const am_slip_contact *contact, const am_slip_options *options, am_error *err) {
    if (contact->beta != 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "beta",
                             "Griffith friction needs elastically similar bodies (beta = 0), and beta is %g: tractions "
                             "at a slip front then grow with the power -1/2 +- atan(beta f)/pi of the distance, so "
                             "that slip at one end sets free no energy and at the other infinitely much, and K_II is "
                             "not defined; take friction that weakens, ramp, step or exponential",
                             contact->beta);
    if (contact->isolated)
        return am_fail_field(err, AM_ERR_INPUT, "isolated",
                             "the boundary elements have the singular term that the neighbours do not strain: isolated "
                             "is for the closed form");
    if (!(contact->energy >= 0.0 && isfinite(contact->energy)))
        return am_fail_field(err, AM_ERR_INPUT, "W", "the fracture energy must not be negative");
    if (contact->tilts && contact->height != 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "h",
                             "Griffith friction of a profile that Q tilts is not solved: let Q act in the interface, "
                             "h = 0, or take a punch");
    if (am_slip_has_path(options))
        return am_fail_field(err, AM_ERR_INPUT, "law",
                             "Griffith friction is for P and then Q: with a path of loads take another law");
    return AM_OK;
}

static am_status prepare(study *s, const am_slip_options *options, am_error *err) {
    am_slip_contact plain = *s->contact;
    am_bem_def def;
    plain.law = AM_FRICTION_COULOMB;
    AM_TRY(am_slip_elements_define(&plain, options->nodes, &def, err));
    am_bem_load load = am_slip_elements_load(s->contact, 0.0);
    s->bem = am_bem_create(&def, err);
    if (s->bem)
        s->griffith = am_bem_griffith_create(s->bem, &load, sqrt(2.0 * s->contact->modulus * s->contact->energy), err);
    if (!s->griffith)
        return am_error_status(err);
    if (am_bem_griffith_most(s->griffith) < 1.0 && am_slip_half_width(s->contact) < 0.499999 * s->contact->wavelength)
        return am_fail_field(err, AM_ERR_INPUT, "nodes",
                             "the nodes do not show the gap between one contact of the wave and the next: take more");
    return AM_OK;
}

/* The stick zone from the load, or the load from the stick zone. */
static am_status solve(study *s, const am_slip_options *options, am_error *err) {
    if (isnan(options->stick)) {
        am_status status = refuse(s, options->Q, err);
        if (status == AM_OK)
            status = am_bem_griffith_load(s->griffith, options->Q, &s->front, err);
        if (status == AM_ERR_NO_STATE) /* the last digits of the largest load */
            return am_fail_field(err, AM_ERR_INPUT, "Q",
                                 "Q reaches what the stick zone can hold: the contact slides as a whole");
        return status;
    }
    am_status status = am_bem_griffith_at(s->griffith, options->stick, &s->front, err);
    if (status == AM_OK && !s->front.exists)
        return am_fail_field(err, AM_ERR_INPUT, "c_over_a",
                             "the punch has lifted off, or tipped over, before so much of it sticks");
    return status == AM_OK ? am_bem_griffith_hold(s->griffith, &s->front, err) : status;
}

am_status am_slip_run_griffith(const am_slip_contact *contact, const am_slip_options *options, am_result *result,
                               const am_progress *progress, am_error *err) {
    study s = {.contact = contact};
    am_status status = check(contact, options, err);
    if (status == AM_OK)
        status = prepare(&s, options, err);
    if (status == AM_OK) {
        am_bem_front all;
        status = am_bem_griffith_stuck(s.griffith, 0.0, &all, err);
        s.a = contact->shape == AM_SLIP_PUNCH ? contact->half_width : 0.5 * (all.right - all.left);
    }
    if (status == AM_OK)
        status = find_limits(&s, err);
    if (status == AM_OK && !am_progress_report(progress, 0.5))
        status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted after the limits were found");
    if (status == AM_OK)
        status = solve(&s, options, err);
    if (status == AM_OK)
        status = report(&s, options, result, progress, err);
    am_bem_griffith_free(s.griffith);
    am_bem_free(s.bem);
    return status;
}
