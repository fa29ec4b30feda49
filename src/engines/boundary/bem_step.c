/* One increment of load: normal contact, then tangential; dissimilar bodies, in which each moves the other, as one
 * system (bem_couple.c) or in turn until nothing changes. */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "base/watch.h"
#include "engines/boundary/bem_internal.h"

enum { MOST_EXCHANGES = 100, MOST_GUESSES = 40 };

/* Exchanges end when tractions change by less than `same`, or no longer come closer: displacements are zero up to 1e-12
 * of the largest when nodes are asked what they do, and the tractions of a node that may be said to stick or to slip
 * are then uncertain by so much times the number of nodes. */
static const double same = 1e-12, uncertain = 1e-11;

static am_status check(const am_bem *bem, const am_bem_load *load, am_error *err) {
    if (!isfinite(load->P) || !isfinite(load->Q) || !isfinite(load->M) || !isfinite(load->tilt) ||
        !isfinite(load->height))
        return am_fail(err, AM_ERR_INPUT, "loads must be finite");
    if (load->normal != AM_BEM_FORCE && load->normal != AM_BEM_DISPLACEMENT)
        return am_fail_field(err, AM_ERR_INPUT, "P", "slip can be prescribed along the surfaces only");
    if (load->tangential == AM_BEM_VERGE && (load->verge >= bem->n || load->Q == 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "verge",
                             "the node on the verge of slip must be one of %zu, and its sense "
                             "positive or negative",
                             bem->n);
    if (load->normal != AM_BEM_FORCE)
        return AM_OK;
    if (!(load->P > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "P", "the normal load P is %g and must be positive: it presses",
                             load->P);
    double M = load->M + (load->tangential == AM_BEM_FORCE ? load->Q * load->height : 0.0);
    if (load->free_tilt && bem->period == 0.0 && !(M > bem->x[0] * load->P && M < bem->x[bem->n - 1] * load->P))
        return am_fail_field(err, AM_ERR_NO_STATE, "M",
                             "the load acts at x = M/P = %g, beyond the contact: the body tips over", M / load->P);
    double most = am_friction_most(&bem->friction) * load->P;
    if (load->tangential == AM_BEM_FORCE && load->Q != 0.0 && !(fabs(load->Q) < most))
        return am_fail_field(err, AM_ERR_NO_STATE, "Q",
                             "Q exceeds f P: the contact slides as a whole; the largest load is %g, and Q is %g", most,
                             load->Q);
    return AM_OK;
}

/* A node that closes within the step has moved along before it did. While P and Q grow in proportion, both surfaces
 * move alike in both directions, so that by the time its gap is closed it has moved by Q'/P' times that gap
 * (docs/bem.md, section 6). */
static double movement_ratio(const am_bem *bem, const am_bem_load *load) {
    if (load->normal != AM_BEM_FORCE || load->tangential != AM_BEM_FORCE)
        return 0.0;
    double dP = load->P - bem->before.P, dQ = load->Q - bem->before.Q;
    double f = am_friction_last(&bem->friction);
    return dP > 0.0 ? fmax(-f, fmin(f, dQ / dP)) : 0.0;
}

void am_bem_set_places(am_bem *bem, const am_bem_load *load) {
    double ratio = movement_ratio(bem, load);
    for (size_t i = 0; i < bem->n; i++) {
        bool closes = bem->before.state[i] == AM_OPEN && bem->now.state[i] != AM_OPEN;
        bem->stay[i] = bem->before.place[i] + (closes && ratio != 0.0 ? ratio * bem->before.gap[i] : 0.0);
    }
}

static am_status drag(am_bem *bem, const am_bem_load *load, am_error *err) {
    am_bem_set_places(bem, load);
    return am_friction_weakens(&bem->friction) ? am_bem_weaken(bem, load, err) : am_bem_drag(bem, load, err);
}

/* Largest change of tractions since the last exchange, relative to the largest pressure. */
static double exchanged(am_bem *bem) {
    double most = 0.0, largest = 0.0;
    for (size_t i = 0; i < bem->n; i++) {
        most = fmax(most, fmax(fabs(bem->now.p[i] - bem->last_p[i]), fabs(bem->now.q[i] - bem->last_q[i])));
        largest = fmax(largest, bem->now.p[i]);
    }
    memcpy(bem->last_p, bem->now.p, bem->n * sizeof *bem->last_p);
    memcpy(bem->last_q, bem->now.q, bem->n * sizeof *bem->last_q);
    return largest > 0.0 ? most / largest : 0.0;
}

am_status am_bem_exchange(am_bem *bem, const am_bem_load *load, am_error *err) {
    AM_TRY(am_bem_press(bem, load, err));
    if (load->tangential == AM_BEM_VERGE && bem->now.state[load->verge] == AM_OPEN)
        return am_fail_field(err, AM_ERR_INPUT, "verge", "the node at x = %g is not in contact", bem->x[load->verge]);
    AM_TRY(drag(bem, load, err));
    if (bem->beta == 0.0)
        return AM_OK;
    double before = INFINITY;
    exchanged(bem);
    for (size_t exchange = 1; exchange <= MOST_EXCHANGES; exchange++) {
        AM_TRY(am_bem_press(bem, load, err));
        AM_TRY(drag(bem, load, err));
        bem->now.evidence.exchanges = exchange;
        double change = exchanged(bem);
        if (change < same || (change < uncertain * (double)bem->n && change > 0.5 * before))
            return AM_OK;
        before = change;
    }
    return am_fail(err, AM_ERR_EVIDENCE, "normal and tangential contact did not come to terms in %d exchanges",
                   MOST_EXCHANGES);
}

/* Normal and tangential contact under a moment M that does not depend on Q. Should their common system not settle, they
 * are solved in turn from where the step began. */
static am_status balance(am_bem *bem, const am_bem_load *load, am_error *err) {
    if (am_bem_can_couple(bem, load)) {
        bool settled = false;
        am_status status = am_bem_couple_all(bem, load, &settled, err);
        if (status || settled)
            return status;
        am_bem_evidence evidence = bem->now.evidence;
        am_bem_copy(&bem->now, &bem->before, bem->n);
        bem->now.evidence = evidence;
        memset(bem->released, 0, bem->n * sizeof *bem->released);
    }
    return am_bem_exchange(bem, load, err);
}

/* With Q at a height, its moment tilts the body, which changes what Q can be: where Q is not given, it is found as a
 * root by secants. */
static am_status equilibrium(am_bem *bem, const am_bem_load *load, am_error *err) {
    am_bem_load known = *load;
    double Q = load->tangential == AM_BEM_FORCE ? load->Q : bem->before.Q, last_Q = 0.0, last_miss = 0.0;
    known.height = 0.0;
    for (int guess = 0; guess < MOST_GUESSES; guess++) {
        known.M = load->M + Q * load->height;
        am_status status = balance(bem, &known, err);
        double miss = bem->now.Q - Q;
        if (status || !load->free_tilt || load->height == 0.0 || load->tangential == AM_BEM_FORCE ||
            fabs(miss) <= 1e-12 * bem->now.P)
            return status;
        double slope = guess > 0 ? (miss - last_miss) / (Q - last_Q) : -1.0;
        last_Q = Q;
        last_miss = miss;
        Q -= miss / (fabs(slope) > 1e-6 ? slope : -1.0);
    }
    return am_fail(err, AM_ERR_EVIDENCE, "the tilt of the body and the load that causes it did not come to terms");
}

/* A strip, or a table, that ends inside the contact would cut it off and load its end like a corner. */
static am_status check_strip(const am_bem *bem, am_error *err) {
    const unsigned char *state = bem->now.state;
    size_t n = bem->n;
    for (size_t i = 0; i + 1 < n; i++) {
        size_t closed = isinf(bem->gap0[i]) ? i + 1 : i, other = 2 * i + 1 - closed;
        if (isinf(bem->gap0[other]) && state[closed] != AM_OPEN)
            return am_fail_field(err, AM_ERR_INPUT, "profile.points",
                                 "the contact reaches the end of the profile's points at x = %g: give more of them",
                                 bem->x[closed]);
    }
    if (bem->ends || bem->period > 0.0 || (state[0] == AM_OPEN && state[n - 1] == AM_OPEN))
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, "width",
                         "the contact reaches the end of the strip of nodes, x from %g to %g: make it wider", bem->x[0],
                         bem->x[n - 1]);
}

/* ---- energy and evidence ---- */

static void balance_energy(am_bem *bem) {
    am_bem_fields *now = &bem->now;
    double sum = 0.0, moved = 0.0;
    for (size_t i = 0; i < bem->n; i++) {
        moved += now->place[i];
        if (now->state[i] == AM_OPEN)
            continue;
        double slip = now->place[i] - bem->stay[i], slope;
        double bore = am_friction_at(&bem->friction, now->slid[i], &slope) * bem->before.p[i];
        now->slip[i] += slip;
        now->slid[i] += fabs(slip);
        double bears = am_friction_at(&bem->friction, now->slid[i], &slope) * now->p[i];
        sum += bem->h * 0.5 * (bore + bears) * fabs(slip); /* what friction bore while it slipped, by the trapezoid */
    }
    now->mean_slip = moved / (double)bem->n;
    now->dissipated = sum;
    now->dissipation += sum;
}

/* Violation of a node's conditions, from their definitions. */
static void node_evidence(const am_bem *bem, size_t i, double *displacement, double *traction) {
    *displacement = *traction = 0.0;
    const am_bem_fields *now = &bem->now;
    double p = now->p[i], q = now->q[i], slope;
    double gap = bem->gap0[i] - now->approach - now->tilt * bem->x[i] + bem->motion[2 * i];
    double moved = now->shift - bem->motion[2 * i + 1] - bem->stay[i];
    double bears = am_friction_at(&bem->friction, now->slid[i], &slope) * p;
    switch ((am_contact_state)now->state[i]) {
    case AM_OPEN:
        *displacement = fmax(0.0, -gap);
        *traction = fmax(fabs(p), fabs(q));
        return;
    case AM_STICK:
        *displacement = fmax(fabs(gap), fabs(moved));
        *traction = fmax(-p, fabs(q) - bem->limit[i]);
        return;
    case AM_FORWARD:
        *displacement = fmax(fabs(gap), -moved);
        *traction = fmax(-p, fabs(q - bears));
        return;
    case AM_BACKWARD:
        *displacement = fmax(fabs(gap), moved);
        *traction = fmax(-p, fabs(q + bears));
        return;
    }
}

static void gather_evidence(am_bem *bem, const am_bem_load *load) {
    am_bem_fields *now = &bem->now;
    am_bem_evidence *e = &now->evidence;
    double P = 0.0, Q = 0.0, M = 0.0, largest_u = 0.0, largest_p = 0.0;
    am_bem_displace(bem, now->p, now->q, bem->motion);
    for (size_t i = 0; i < bem->n; i++) {
        double displacement, traction;
        P += bem->h * now->p[i];
        Q += bem->h * now->q[i];
        M += bem->h * bem->x[i] * now->p[i];
        largest_u = fmax(largest_u, fmax(fabs(bem->motion[2 * i]), fabs(bem->motion[2 * i + 1])));
        largest_p = fmax(largest_p, now->p[i]);
        node_evidence(bem, i, &displacement, &traction);
        e->compliance = fmax(e->compliance, displacement);
        e->traction = fmax(e->traction, traction);
    }
    e->compliance = largest_u > 0.0 ? e->compliance / largest_u : 0.0;
    e->traction = largest_p > 0.0 ? e->traction / largest_p : 0.0;
    double error = load->normal == AM_BEM_FORCE ? fabs(P - load->P) : 0.0;
    if (load->tangential == AM_BEM_FORCE)
        error = fmax(error, fabs(Q - load->Q));
    if (load->free_tilt)
        error = fmax(error, fabs(M - load->M - now->Q * load->height) / bem->width);
    e->equilibrium = P > 0.0 ? error / P : 0.0;
    e->products = bem->products;
}

static am_status find_step(am_bem *bem, const am_bem_load *load, am_error *err) {
    static const double acceptable = 1e-7;
    const am_bem_evidence *e = &bem->now.evidence;
    AM_TRY(am_watch_spend(1e3 * (double)bem->n, err));
    AM_TRY(equilibrium(bem, load, err));
    AM_TRY(check_strip(bem, err));
    balance_energy(bem);
    gather_evidence(bem, load);
    if (!(e->equilibrium < acceptable && e->compliance < acceptable && e->traction < acceptable))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the contact conditions are met to %g (loads), %g (displacements), %g (tractions) only",
                       e->equilibrium, e->compliance, e->traction);
    return AM_OK;
}

static am_status step_once(am_bem *bem, const am_bem_load *load, am_error *err) {
    am_bem_copy(&bem->before, &bem->now, bem->n);
    memset(bem->released, 0, bem->n * sizeof *bem->released);
    bem->now.evidence = (am_bem_evidence){0};
    am_status status = find_step(bem, load, err);
    if (status)
        am_bem_copy(&bem->now, &bem->before, bem->n);
    return status;
}

/* ---- parts of a step ---- */

static double between(double a, double b, double part) {
    return part < 1.0 ? a + part * (b - a) : b;
}

/* The load a part of the way from the state `from`. */
static am_bem_load partial(const am_bem_fields *from, const am_bem_load *to, double part) {
    am_bem_load load = *to;
    load.P = between(to->normal == AM_BEM_FORCE ? from->P : from->approach, to->P, part);
    load.M = between(from->M - to->height * from->Q, to->M, part);
    load.tilt = between(from->tilt, to->tilt, part);
    if (to->tangential != AM_BEM_VERGE)
        load.Q = between(to->tangential == AM_BEM_FORCE          ? from->Q
                         : to->tangential == AM_BEM_DISPLACEMENT ? from->shift
                                                                 : from->mean_slip,
                         to->Q, part);
    return load;
}

/* Friction that weakens may need its equilibrium approached in smaller steps; that changes nothing where slip only
 * grows. Copies what a step may change, so that a failed one leaves no trace. */
am_status am_bem_step(am_bem *bem, const am_bem_load *load, am_error *err) {
    static const double smallest_part = 1.0 / 32.0;
    AM_TRY(check(bem, load, err));
    am_bem_copy(&bem->start, &bem->now, bem->n);
    bem->products = 0;
    bool divisible = am_friction_weakens(&bem->friction) && load->tangential != AM_BEM_VERGE && bem->start.P > 0.0;
    for (double done = 0.0, part = 1.0; done < 1.0;) {
        am_bem_load next = partial(&bem->start, load, fmin(1.0, done + part));
        am_status status = step_once(bem, &next, err);
        if (!status) {
            done += part;
        } else if (divisible && part > smallest_part && status != AM_ERR_MEMORY && status != AM_ERR_INPUT &&
                   status != AM_ERR_INTERRUPTED) {
            part *= 0.5;
        } else {
            am_bem_copy(&bem->now, &bem->start, bem->n);
            return status;
        }
    }
    bem->now.dissipated = bem->now.dissipation - bem->start.dissipation;
    return AM_OK;
}
