/* Which tangential loads a contact can carry, by boundary elements: where slip begins, and the largest load of friction
 * that weakens, found by following the equilibria through the limit point. */
#include <math.h>

#include "analyses/slip/elements.h"
#include "base/local.h"
#include "math/pi.h"

enum {
    MOST_ZONES = AM_SLIP_MOST_ZONES,
    STICKING = 1 /* nodes beside the corner: its own, where tractions are singular, tells nothing */
};

static double limit_of(const am_slip_contact *contact) {
    return contact->f * contact->P;
}

/* The contact under P alone. */
static am_bem *pressed(const am_slip_contact *contact, const am_bem_def *def, am_error *err) {
    am_bem *bem = am_bem_create(def, err);
    am_bem_load load = am_slip_elements_load(contact, 0.0);
    if (bem && am_bem_step(bem, &load, err) != AM_OK) {
        am_bem_free(bem);
        bem = NULL;
    }
    return bem;
}

/* ---- Onset ---- */

/* Pressure and shear of the trailing corner while everything sticks, under Q. */
static am_status corner(am_bem *bem, const am_slip_contact *contact, double Q, double *p, double *q, am_error *err) {
    am_bem_load load = am_slip_elements_load(contact, Q);
    AM_TRY(am_bem_step(bem, &load, err));
    am_bem_view v = am_bem_view_of(bem);
    *p = v.p[0];
    *q = v.q[0];
    return AM_OK;
}

/* Smooth profiles have no pressure at the ends of the contact: slip begins with Q. A sharp punch has p and q infinite
 * there, and their quotient finite: slip begins when it reaches the first coefficient, at the trailing corner. While
 * everything sticks and touches, both are straight lines over Q. */
am_status am_slip_elements_onset(const am_slip_contact *contact, const am_bem_def *def, double *onset, am_error *err) {
    *onset = contact->beta == 0.0 ? 0.0 : NAN; /* dissimilar bodies slip under P alone */
    if (contact->shape != AM_SLIP_PUNCH || contact->beta != 0.0)
        return AM_OK;
    double slope, f = contact->law == AM_FRICTION_COULOMB ? contact->f : contact->f_s, p[2] = {0.0}, q[2] = {0.0};
    if (am_friction_weakens(&def->friction))
        f = am_friction_at(&def->friction, 0.0, &slope);
    am_bem_def stuck = *def;
    stuck.friction = (am_friction){.law = AM_FRICTION_COULOMB, .kinetic = 1e3 * f};
    AM_LOCAL(am_bem_free_at) am_bem *bem = am_bem_create(&stuck, err);
    /* of the load at which the trailing corner lifts off or friction gives way */
    double little = 0.1 * contact->P * fmin(f, 0.5 * contact->half_width / contact->height);
    AM_TRY(bem ? corner(bem, contact, 0.0, &p[0], &q[0], err) : am_error_status(err));
    AM_TRY(corner(bem, contact, little, &p[1], &q[1], err));
    *onset = f * p[0] * little / (q[1] + f * (p[0] - p[1])) / limit_of(contact);
    return AM_OK;
}

/* ---- All equilibria of weakening friction, through the limit point ---- */

bool am_slip_elements_followed(const am_slip_contact *contact) {
    return contact->beta == 0.0 && !contact->tilts && contact->law != AM_FRICTION_COULOMB &&
           contact->law != AM_FRICTION_STATIC_KINETIC;
}

/* A body that turns slips from its trailing end, one that does not from both: there the right one is watched. */
static am_status follow(am_bem *bem, const am_slip_contact *contact, const am_slip_found *found, double onset,
                        size_t steps, am_bem_limit *limit, am_bem_visit visit, void *context, am_error *err) {
    am_bem_load load = am_slip_elements_load(contact, 0.0);
    bool turns = load.free_tilt;
    double middle = 0.5 * (found->from + found->to), half = 0.5 * (found->to - found->from);
    double to = turns ? found->to - STICKING * am_bem_view_of(bem).spacing : middle + 0.05 * half;
    if (turns) { /* the tilt is found from Q, and Q from the tilt: near the onset they know each other */
        load.Q = 0.99 * onset * limit_of(contact);
        AM_TRY(am_bem_step(bem, &load, err));
    }
    load.Q = 1.0;
    return am_bem_follow(bem, &load, turns ? -1 : 1, to, steps, limit, visit, context, err);
}

static am_slip_found zones_now(const am_slip_contact *contact, const am_bem *bem) {
    am_bem_zone zones[MOST_ZONES];
    size_t count = am_bem_zones(bem, MOST_ZONES, zones);
    return am_slip_elements_found(contact, bem, zones, count < MOST_ZONES ? count : MOST_ZONES);
}

typedef struct branch {
    const am_slip_contact *contact;
    am_table *table;
    double before; /* Q of the last point */
} branch;

static bool visit(void *context, const am_bem *bem) {
    branch *b = context;
    am_slip_found f = zones_now(b->contact, bem);
    am_slip_branch_row(b->table, &f.point, f.point.share >= b->before);
    b->before = f.point.share;
    return true;
}

/* Nodes per half-width of which each one follows the fall of friction. A node whose friction falls faster with slip
 * than the bodies around it spring back snaps; they spring back with about E* over the spacing, and need four nodes
 * where that equals the steepest fall under the largest pressure, here that of a cylinder. */
static size_t advised_nodes(const am_slip_contact *contact, const am_bem_def *def, double a) {
    double steepest = -am_friction_steepest(&def->friction, 0.0, am_friction_reach(&def->friction));
    double peak = 2.0 * contact->P / (pi * a);
    return steepest > 0.0 ? (size_t)fmin(1e6, ceil(4.0 * a * steepest * peak / contact->modulus)) : 0;
}

am_status am_slip_elements_follow(const am_slip_contact *contact, const am_slip_options *options, const am_bem_def *def,
                                  am_slip_limits *limits, am_result *result, am_error *err) {
    branch b = {.contact = contact, .table = am_slip_branch_table(result)};
    am_bem *bem = pressed(contact, def, err);
    am_status status = bem ? AM_OK : am_error_status(err);
    am_bem_limit limit = {0};
    am_slip_found found = {0};
    if (status == AM_OK) {
        found = zones_now(contact, bem);
        status = follow(bem, contact, &found, limits->onset, options->branch, &limit, visit, &b, err);
    }
    /* nodes too coarse for the transition, or a contact that slips away from where it was watched: what was found is
     * kept */
    bool complete = status == AM_OK;
    am_result_set_flag(result, "branch_complete", complete, NULL);
    status = status == AM_ERR_MEMORY ? status : AM_OK;
    if (status == AM_OK)
        am_result_set_count(result, "nodes_advised", advised_nodes(contact, def, found.a), NULL);
    /* a body that turns may carry more and more until so little sticks that nodes cannot tell */
    bool known = limit.found || (complete && contact->shape == AM_SLIP_PUNCH);
    if (status == AM_OK && known && !limits->tips_over) {
        limits->maximum = limits->partial_most = limit.Q / limit_of(contact);
        limits->critical =
            contact->shape == AM_SLIP_PUNCH ? 0.5 * (found.to - limit.end) / found.a : limit.end / found.a;
    }
    am_bem_free(bem);
    return status;
}

am_status am_slip_report_sliding(const am_slip_contact *contact, const am_bem_def *def, size_t nodes, double Q,
                                 am_error *err) {
    am_error ignored = {0};
    am_bem *bem = am_slip_elements_followed(contact) ? pressed(contact, def, &ignored) : NULL;
    am_bem_limit limit = {0};
    double onset = 0.0;
    size_t advised = 0;
    bool complete = false;
    if (bem && am_slip_elements_onset(contact, def, &onset, &ignored) == AM_OK) {
        am_slip_found found = zones_now(contact, bem);
        advised = advised_nodes(contact, def, found.a);
        complete = follow(bem, contact, &found, onset, 100, &limit, NULL, NULL, &ignored) == AM_OK;
    }
    am_bem_free(bem);
    double most = complete ? limit.Q : am_friction_most(&def->friction) * contact->P;
    bool coarse = advised > nodes && Q < most;
    if (coarse)
        return am_fail_field(
            err, AM_ERR_INPUT, "nodes",
            "no equilibrium was found under Q = %g: friction falls so steeply that %zu nodes per half-width snap "
            "one by one; take nodes: %zu or more",
            Q, nodes, advised);
    if (complete) /* without a maximum on the way, the last of the stick zone may carry a little more */
        return am_fail_field(err, AM_ERR_INPUT, "Q",
                             "Q exceeds its maximum: the contact slides as a whole; the largest load is %s%g, %g f P",
                             limit.found ? "" : "about ", limit.Q, limit.Q / limit_of(contact));
    return am_fail_field(err, AM_ERR_INPUT, "Q",
                         "Q exceeds what the stick zone can hold: the contact slides as a whole before Q = %g", Q);
}
