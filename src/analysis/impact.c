/* Impacts: velocities jump while positions stay. The impulse-level problem has the form of the acceleration-level one:
 *
 *     M v+ = M v- + sum n P + t Q,   P >= 0,  n.v+ + e n.v- >= 0, one of them zero,   |Q| <= mu P, Q opposing the sliding velocity after
 *
 * (Newton's restitution e; kinetic friction, for an impact is a motion). All combinations of the contacts involved are tried;
 * those that give the same velocities are one solution. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/engine.h"
#include "math/dense.h"

static const size_t most_combinations = 65536;

static bool takes_part(const am_motion *e, size_t c)
{
    return e->plan.system->contact[c].normal_law == AM_UNILATERAL && e->mark[c].standing != AM_STANDS_APART;
}

static am_status list_options(am_motion *e, am_error *err)
{
    static const am_contact_state all[] = {AM_STICK, AM_FORWARD, AM_BACKWARD, AM_OPEN};
    double combinations = 1.0;
    for (size_t c = 0; c < e->plan.m; c++) {
        bool held = e->plan.system->contact[c].normal_law == AM_HELD;
        e->option_count[c] = takes_part(e, c) ? 4 : 1;
        /* Finite forces give no impulse: a held contact is left out by letting it "slip" freely. */
        memcpy(e->options + 4 * c, all, sizeof all);
        if (!takes_part(e, c))
            e->options[4 * c] = held ? AM_FORWARD : AM_OPEN;
        combinations *= (double)e->option_count[c];
    }
    if (combinations > (double)most_combinations)
        return am_fail(err, AM_ERR_LIMIT, "an impact at t = %.15g involves too many contacts at once to be solved", e->t);
    return AM_OK;
}

/* v+ and the multipliers of a combination. work: c (p), then used as Lc c. */
static void solve(am_motion *e, const am_flow *flow, bool elastic, double *v, double *lambda)
{
    const am_combination *k = &flow->k;
    size_t n = k->n, p = k->p;
    double *momentum = e->n_work[0], *target = e->p_work[1];
    am_dense_apply(e->plan.M, n, n, e->x + n, momentum);
    for (size_t c = 0; c < k->m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        double bounce = elastic && e->mark[c].standing == AM_STANDS_CLOSING ? contact->restitution : 0.0;
        if (k->normal_row[c] != AM_NO_ROW)
            target[k->normal_row[c]] = -bounce * am_engine_gap_rate(e, c);
        if (k->stick_row[c] != AM_NO_ROW)
            target[k->stick_row[c]] = contact->surface_velocity;
    }
    am_dense_apply(k->Y, n, n, momentum, v);
    am_dense_add(k->Yc, n, p, target, v);
    am_dense_apply(k->L, p, n, momentum, lambda);
    am_dense_add(k->Lc, p, p, target, lambda);
}

/* How far the worst inequality of a combination is violated, in units of velocity rounding (negative or zero: consistent). */
static bool consistent(am_motion *e, const am_flow *flow, bool elastic, const double *v, const double *lambda)
{
    const am_combination *k = &flow->k;
    size_t n = k->n;
    for (size_t c = 0; c < k->m; c++) {
        if (!takes_part(e, c))
            continue;
        const am_contact_def *contact = &e->plan.system->contact[c];
        double rate_rounding = am_engine_rounding(e, e->rate_dual[c]);
        double slide_rounding = am_engine_rounding(e, e->slide_dual[c]);
        double bounce = elastic && e->mark[c].standing == AM_STANDS_CLOSING ? contact->restitution : 0.0;
        if (k->state[c] == AM_OPEN) {
            if (am_dense_dot(contact->normal, v, n) + bounce * am_engine_gap_rate(e, c) < -rate_rounding)
                return false;
            continue;
        }
        /* An impulse below rounding is one that changes velocities by less than their rounding: P n.M^-1 n. */
        am_dense_apply(e->plan.inverse_mass, n, n, contact->normal, e->n_work[2]);
        am_dense_apply(e->plan.inverse_mass, n, n, contact->tangent, e->n_work[3]);
        double normal_unit = rate_rounding / am_dense_dot(contact->normal, e->n_work[2], n);
        double tangent_unit = slide_rounding / am_dense_dot(contact->tangent, e->n_work[3], n);
        double P = lambda[k->normal_row[c]];
        if (P < -normal_unit)
            return false;
        if (k->state[c] == AM_STICK) {
            if (fabs(lambda[k->stick_row[c]]) > contact->friction * fmax(P, 0.0) + tangent_unit)
                return false;
            continue;
        }
        double slide = am_dense_dot(contact->tangent, v, n) - contact->surface_velocity;
        if (-am_slip_sign(k->state[c]) * slide < -slide_rounding)
            return false;
    }
    return true;
}

static bool same_velocity(const am_motion *e, const double *a, const double *b)
{
    double rounding = am_engine_rounding(e, 1.0);
    for (size_t i = 0; i < e->plan.n; i++)
        if (fabs(a[i] - b[i]) * e->plan.weight[e->plan.n + i] > rounding)
            return false;
    return true;
}

/* After the impact: contacts that bounce stand apart, the others touch. */
static void mark_after(am_motion *e, const am_flow *flow, const double *lambda)
{
    for (size_t c = 0; c < e->plan.m; c++) {
        am_mark *mark = &e->mark[c];
        if (!takes_part(e, c)) {
            if (mark->standing == AM_STANDS_TOUCHING) /* held: its sliding velocity may have jumped */
                mark->slide = am_engine_slide(e, c) > am_engine_rounding(e, e->slide_dual[c])    ? 1
                              : am_engine_slide(e, c) < -am_engine_rounding(e, e->slide_dual[c]) ? -1
                                                                                                 : 0;
            continue;
        }
        mark->during = flow->k.state[c];
        mark->impacted = mark->during != AM_OPEN && lambda[flow->k.normal_row[c]] > 0.0;
        double rate = am_engine_gap_rate(e, c), slide = am_engine_slide(e, c);
        double slide_rounding = am_engine_rounding(e, e->slide_dual[c]);
        mark->standing = rate > am_engine_rounding(e, e->rate_dual[c]) ? AM_STANDS_APART : AM_STANDS_TOUCHING;
        mark->slide = mark->during == AM_STICK    ? 0
                      : slide > slide_rounding    ? 1
                      : slide < -slide_rounding   ? -1
                                                  : 0;
    }
}

static am_status account(am_motion *e, double before, const am_flow *flow, const double *lambda, am_error *err)
{
    double belt = 0.0, after = am_engine_kinetic(e);
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        if (flow->k.normal_row[c] == AM_NO_ROW || contact->surface_velocity == 0.0)
            continue;
        double Q = flow->k.stick_row[c] != AM_NO_ROW
                       ? lambda[flow->k.stick_row[c]]
                       : am_slip_sign(flow->k.state[c]) * contact->friction * lambda[flow->k.normal_row[c]];
        belt += Q * contact->surface_velocity;
    }
    double loss = before - after + belt;
    if (loss < -1e-10 * (before + fabs(belt)))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the impact at t = %.15g would create energy (%g): restitution with friction or with several "
                       "contacts at once can do that; use a smaller restitution",
                       e->t, -loss);
    e->energy.work_surface += belt;
    e->energy.loss_impact += loss;
    e->energy.moved += fabs(loss) + fabs(belt);
    return AM_OK;
}

static am_status search(am_motion *e, bool elastic, am_flow **chosen, double *found_lambda, am_error *err)
{
    memset(e->digit, 0, e->plan.m * sizeof *e->digit);
    for (bool more = true; more;) {
        am_flow *flow;
        double *v = e->n_work[1], *lambda = e->p_work[0];
        for (size_t c = 0; c < e->plan.m; c++)
            e->trial[c] = e->options[4 * c + e->digit[c]];
        am_status status = am_flow_get(e->cache, e->trial, &flow, err);
        if (status)
            return status;
        if (flow->possible) {
            solve(e, flow, elastic, v, lambda);
            if (consistent(e, flow, elastic, v, lambda)) {
                if (!*chosen) {
                    *chosen = flow;
                    memcpy(e->found, v, e->plan.n * sizeof *v);
                    memcpy(found_lambda, lambda, flow->k.p * sizeof *lambda);
                } else if (!same_velocity(e, v, e->found)) {
                    char first[256], second[256];
                    am_engine_describe(e, (*chosen)->k.state, first, sizeof first);
                    am_engine_describe(e, flow->k.state, second, sizeof second);
                    return am_fail(err, AM_ERR_SEVERAL_STATES,
                                   "the impact at t = %.15g has several solutions: candidates %s and %s", e->t, first,
                                   second);
                }
            }
        }
        more = false;
        for (size_t c = 0; c < e->plan.m && !more; c++) {
            more = ++e->digit[c] < e->option_count[c];
            if (!more)
                e->digit[c] = 0;
        }
    }
    if (!*chosen)
        return am_fail(err, AM_ERR_NO_STATE, "the impact at t = %.15g has no solution among its candidates", e->t);
    return AM_OK;
}

am_status am_engine_impact(am_motion *e, bool elastic, am_error *err)
{
    am_flow *chosen = NULL;
    double *lambda = e->lambda, before = am_engine_kinetic(e);
    am_status status = list_options(e, err);
    if (!status)
        status = search(e, elastic, &chosen, lambda, err);
    if (status)
        return status;
    if (!e->had_impact)
        memcpy(e->v_before, e->x + e->plan.n, e->plan.n * sizeof *e->v_before);
    memcpy(e->x + e->plan.n, e->found, e->plan.n * sizeof *e->found);
    e->had_impact = true;
    mark_after(e, chosen, lambda);
    return account(e, before, chosen, lambda, err);
}
