/* Tangential contact by Coulomb's law: stuck nodes stay at their place and bear up to f p, slipping ones bear f p.
 * Newton's method as for the pressures: the tractions of stuck nodes are the unknowns, nodes that turn out wrong change
 * state. */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "base/watch.h"
#include "engines/boundary/bem_internal.h"

enum { MOST_CHANGES = 500 };

static double verge_traction(const am_bem *bem, const am_bem_load *load) {
    size_t i = load->verge;
    double slope, f = bem->friction.kinetic;
    if (am_friction_weakens(&bem->friction))
        f = am_friction_at(&bem->friction, bem->before.slid[i], &slope);
    return load->Q > 0.0 ? f * bem->now.p[i] : -f * bem->now.p[i];
}

void am_bem_hold_verge(am_bem *bem, const am_bem_load *load) {
    if (load->tangential == AM_BEM_VERGE)
        bem->now.state[load->verge] = AM_STICK;
}

am_status am_bem_shift(const am_bem *bem, const am_bem_load *load, am_bem_affine sum_q, am_bem_affine mean_u,
                       am_bem_affine verge_q, double *shift, am_error *err) {
    switch (load->tangential) {
    case AM_BEM_DISPLACEMENT:
        *shift = load->Q;
        return AM_OK;
    case AM_BEM_MEAN_SLIP:
        if (!(fabs(1.0 - mean_u.unit) > 1e-12))
            return am_fail(err, AM_ERR_NO_STATE, "every node is in contact and sticks: there is no slip to prescribe");
        *shift = (load->Q + mean_u.known) / (1.0 - mean_u.unit);
        return AM_OK;
    case AM_BEM_VERGE:
        if (!(fabs(verge_q.unit) > 0.0))
            return am_fail(err, AM_ERR_NO_STATE, "the traction at x = %g does not depend on the shift",
                           bem->x[load->verge]);
        *shift = (verge_traction(bem, load) - verge_q.known) / verge_q.unit;
        return AM_OK;
    case AM_BEM_FORCE:
        break;
    }
    if (!(fabs(sum_q.unit) > 0.0))
        return am_fail(err, AM_ERR_NO_STATE,
                       "the contact slides as a whole under Q = %g; friction bears no more than %g", load->Q,
                       bem->h * fabs(sum_q.known));
    *shift = (load->Q / bem->h - sum_q.known) / sum_q.unit;
    return AM_OK;
}

/* ---- what a node can bear ---- */

/* With a static coefficient, each contact (a run of closed nodes) bears it until slip begins somewhere; from there it
 * spreads at the kinetic one: a front that met static friction would carry an infinite stress (section 4.2.2). */
void am_bem_set_limits(am_bem *bem) {
    const am_bem_fields *now = &bem->now;
    bool static_law = bem->friction.law == AM_FRICTION_STATIC_KINETIC;
    for (size_t from = 0; from < bem->n;) {
        size_t to = from;
        bool slips = false;
        for (; to < bem->n && now->state[to] != AM_OPEN; to++)
            slips |= now->state[to] != AM_STICK || bem->released[to];
        double f = static_law && !slips ? bem->friction.fixed : bem->friction.kinetic;
        for (size_t i = from; i < to; i++) {
            bem->limit[i] = f * now->p[i];
            bem->released[i] = slips;
        }
        if (to < bem->n)
            bem->limit[to] = 0.0;
        from = to + 1;
    }
}

/* ---- one iterate ---- */

static double slipping_traction(const am_bem *bem, size_t i) {
    double most = bem->friction.kinetic * bem->now.p[i];
    unsigned char state = bem->now.state[i];
    return state == AM_FORWARD ? most : state == AM_BACKWARD ? -most : 0.0;
}

static am_status tractions(am_bem *bem, const am_bem_load *load, double tolerance, am_error *err) {
    size_t n = bem->n;
    am_bem_fields *now = &bem->now;
    double *rhs = bem->rhs, *y = bem->solution;
    for (size_t i = 0; i < n; i++)
        now->q[i] = slipping_traction(bem, i);
    am_bem_displace(bem, now->p, now->q, bem->motion);
    am_bem_affine sum = {0}, mean = {0}, verge = {0};
    for (size_t i = 0; i < n; i++) {
        bem->in[i] = now->state[i] == AM_STICK;
        rhs[2 * i] = -bem->stay[i] - bem->motion[2 * i + 1];
        rhs[2 * i + 1] = 1.0;
        sum.known += now->q[i];
        mean.known += bem->motion[2 * i + 1] / (double)n;
    }
    AM_TRY(am_bem_solve(bem, rhs, y, tolerance, err));
    if (load->tangential == AM_BEM_MEAN_SLIP) {
        am_convolution_apply(&bem->even, y, bem->image);
        bem->products++;
        for (size_t i = 0; i < n; i++) {
            mean.known += bem->image[2 * i] / (double)n;
            mean.unit += bem->image[2 * i + 1] / (double)n;
        }
    }
    for (size_t i = 0; i < n; i++) {
        sum.known += y[2 * i];
        sum.unit += y[2 * i + 1];
    }
    if (load->tangential == AM_BEM_VERGE)
        verge = (am_bem_affine){y[2 * load->verge], y[2 * load->verge + 1]};
    AM_TRY(am_bem_shift(bem, load, sum, mean, verge, &now->shift, err));
    for (size_t i = 0; i < n; i++)
        if (bem->in[i])
            now->q[i] = y[2 * i] + now->shift * y[2 * i + 1];
    am_bem_displace(bem, now->p, now->q, bem->motion);
    for (size_t i = 0; i < n; i++)
        now->place[i] = bem->in[i] ? bem->stay[i] : now->shift - bem->motion[2 * i + 1];
    return AM_OK;
}

am_contact_state am_bem_stick_or_slip(const am_bem *bem, size_t i, double small_q, double small_u) {
    const am_bem_fields *now = &bem->now;
    double moved = now->place[i] - bem->stay[i];
    am_contact_state state = (am_contact_state)now->state[i];
    if (state == AM_STICK && fabs(now->q[i]) > bem->limit[i] + small_q)
        return now->q[i] > 0.0 ? AM_FORWARD : AM_BACKWARD;
    if ((state == AM_FORWARD && moved < -small_u) || (state == AM_BACKWARD && moved > small_u))
        return AM_STICK;
    return state;
}

static size_t change(am_bem *bem, const am_bem_load *load, const am_bem_search *search) {
    am_bem_fields *now = &bem->now;
    double largest_p = 0.0, largest_u = 0.0, zero = am_bem_search_zero(search);
    size_t wrong = 0, last = 0;
    for (size_t i = 0; i < bem->n; i++) {
        largest_p = fmax(largest_p, now->p[i]);
        largest_u = fmax(largest_u, fabs(bem->motion[2 * i + 1]));
    }
    am_bem_set_limits(bem);
    for (size_t i = 0; i < bem->n; i++) {
        bool held = load->tangential == AM_BEM_VERGE && i == load->verge;
        bem->next[i] =
            held ? now->state[i] : (unsigned char)am_bem_stick_or_slip(bem, i, zero * largest_p, zero * largest_u);
        if (bem->next[i] != now->state[i]) {
            wrong++;
            last = i;
        }
    }
    if (wrong > 0)
        am_bem_change(bem, search, wrong, last);
    return wrong;
}

/* When an iterate lets every node slip under a given load, the shift is free between the nodes that slip forward and
 * those that slip backward. Friction bears too little: the shift grows until the first backward one stops; too much: it
 * falls until the first forward one does. */
void am_bem_hold_one(am_bem *bem, const am_bem_load *load) {
    am_bem_fields *now = &bem->now;
    double sum = 0.0;
    for (size_t i = 0; i < bem->n; i++) {
        if (now->state[i] == AM_STICK)
            return;
        sum += bem->h * now->q[i];
    }
    if (load->tangential != AM_BEM_FORCE)
        return;
    bool more = sum < load->Q;
    am_contact_state from = more ? AM_BACKWARD : AM_FORWARD;
    size_t best = bem->n;
    double nearest = 0.0;
    am_bem_displace(bem, now->p, now->q, bem->motion);
    for (size_t i = 0; i < bem->n; i++) {
        double stops = bem->motion[2 * i + 1] + bem->stay[i];
        if (now->state[i] == from && (best == bem->n || (more ? stops < nearest : stops > nearest))) {
            best = i;
            nearest = stops;
        }
    }
    if (best < bem->n)
        now->state[best] = AM_STICK;
}

am_status am_bem_drag(am_bem *bem, const am_bem_load *load, am_error *err) {
    memset(bem->solution, 0, 2 * bem->n * sizeof *bem->solution);
    am_bem_search search = AM_BEM_SEARCH;
    for (size_t iteration = 0; iteration < MOST_CHANGES; iteration++) {
        AM_TRY(am_watch_spend(1e2 * (double)bem->n, err));
        for (size_t i = 0; i < bem->n; i++)
            bem->now.q[i] = slipping_traction(bem, i);
        am_bem_hold_verge(bem, load);
        am_bem_hold_one(bem, load);
        AM_TRY(tractions(bem, load, search.tolerance, err));
        bem->now.evidence.set_changes++;
        if (am_bem_search_ends(&search, change(bem, load, &search))) {
            am_bem_add_up(bem);
            return AM_OK;
        }
    }
    return am_fail(err, AM_ERR_EVIDENCE, "the zones of stick and slip did not settle in %d changes", MOST_CHANGES);
}
