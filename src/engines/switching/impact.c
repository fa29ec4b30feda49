/* Impacts: velocities jump while positions stay. The impulse-level problem has the form of the acceleration-level one:
 *
 *     M v+ = M v- + sum n P + t Q,   P >= 0,  n.v+ + e n.v- >= 0, one of them zero,   |Q| <= mu P, Q opposing
 *     t.v+ + e_t t.v- (sliding velocities)
 *
 * (Newton's restitution e, tangential restitution e_t; kinetic friction, for an impact is a motion). With Poisson's
 * restitution this is the compression, with e = e_t = 0, and an expansion follows (impact_expand.c). All combinations of the contacts involved are
 * tried; those that give the same velocities are one solution. Where there are too many of them one solution is
 * searched by pivoting. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "engines/switching/switching.h"
#include "math/dense.h"

/* More combinations than this are not enumerated; of large structures, where each costs more, fewer. */
static const double most_combinations = 65536.0, most_of_large = 256.0;
enum { FEW_COORDINATES = 16, BLOCK_ROUNDS = 40 };

/* Violations are in units of rounding; solving with many contacts amplifies it. */
static const double worst_rounding = 64.0;

bool am_impact_takes_part(const am_motion *e, size_t c) {
    return e->plan.system->contact[c].normal_law == AM_UNILATERAL && e->mark[c].standing != AM_STANDS_APART &&
           !am_plan_leans(&e->plan, c);
}

/* Restitution of a contact that strikes: of its normal velocity, and of its sliding velocity. */
static double bounce_of(const am_motion *e, size_t c, bool elastic) {
    bool strikes = elastic && e->mark[c].standing == AM_STANDS_CLOSING;
    return strikes ? e->plan.system->contact[c].restitution : 0.0;
}

static double spin_of(const am_motion *e, size_t c, bool elastic) {
    bool strikes = elastic && e->mark[c].standing == AM_STANDS_CLOSING;
    return strikes ? e->plan.system->contact[c].tangential_restitution : 0.0;
}

/* Returns how many combinations there are. Finite forces give no impulse: a held contact is left out by letting it "slip"
 * freely. */
static double list_options(am_motion *e) {
    static const am_contact_state all[] = {AM_STICK, AM_FORWARD, AM_BACKWARD, AM_OPEN}, smooth[] = {AM_STICK, AM_OPEN};
    double combinations = 1.0;
    for (size_t c = 0; c < e->plan.m; c++) {
        am_contact_state *option = e->options + 4 * c;
        if (!am_impact_takes_part(e, c)) {
            option[0] = e->plan.system->contact[c].normal_law == AM_HELD ? AM_FORWARD : AM_OPEN;
            e->option_count[c] = 1;
            continue;
        }
        bool rubs = am_impact_rubs(e, c);
        memcpy(option, rubs ? all : smooth, rubs ? sizeof all : sizeof smooth);
        e->option_count[c] = rubs ? 4 : 2;
        combinations *= (double)e->option_count[c];
    }
    return combinations;
}

/* How contacts that depend on each other may share their impulses: with kinetic friction. */
static am_split *split_of(const am_flow *flow) {
    return flow->impulses ? flow->impulses : flow->split;
}

/* Do contacts that depend on each other ask for velocities that contradict each other? Restitution may. */
static bool contradicts(const am_motion *e, const am_combination *k, const double *target) {
    for (size_t j = 0; j < k->redundant; j++) {
        double sum = 0.0, rounding = 0.0;
        for (size_t c = 0; c < k->m; c++) {
            size_t row[] = {k->normal_row[c], k->stick_row[c]};
            double dual[] = {e->rate_dual[c], e->slide_dual[c]};
            for (size_t i = 0; i < 2; i++) {
                double W = row[i] != AM_NO_ROW ? k->W[row[i] * k->redundant + j] : 0.0;
                sum += W != 0.0 ? W * target[row[i]] : 0.0;
                rounding += fabs(W) * am_engine_rounding(e, dual[i]);
            }
        }
        if (fabs(sum) > rounding)
            return true;
    }
    return false;
}

/* v+ and the multipliers of a combination, from the momentum M v- in n_work[0]. False where it has none. */
static bool solve(am_motion *e, const am_flow *flow, bool elastic, double *v, double *lambda) {
    const am_combination *k = &flow->k;
    size_t n = k->n, p = k->p;
    double *momentum = e->n_work[0], *target = e->p_work[1];
    for (size_t c = 0; c < k->m; c++) {
        double spin = spin_of(e, c, elastic);
        if (k->normal_row[c] != AM_NO_ROW)
            target[k->normal_row[c]] = -bounce_of(e, c, elastic) * am_engine_gap_rate(e, c) - am_engine_lift(e, c);
        if (k->stick_row[c] != AM_NO_ROW)
            target[k->stick_row[c]] = am_engine_surface(e, c) - (spin > 0.0 ? spin * am_engine_slide(e, c) : 0.0);
    }
    if (contradicts(e, k, target))
        return false;
    am_dense_apply(k->Y, n, n, momentum, v);
    am_dense_add(k->Yc, n, p, target, v);
    am_dense_apply(k->L, p, n, momentum, lambda);
    am_dense_add(k->Lc, p, p, target, lambda);
    return true;
}

void am_engine_impact_map(am_motion *e, const am_flow *flow, bool elastic, const double *v, am_belt belt,
                          double *v_after) {
    const am_combination *k = &flow->k;
    size_t n = k->n;
    double *momentum = e->n_work[0], *target = e->p_work[1];
    am_dense_apply(e->plan.M, n, n, v, momentum);
    for (size_t r = 0; r < k->p; r++)
        target[r] = 0.0;
    for (size_t c = 0; c < k->m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        double spin = spin_of(e, c, elastic && !e->expands), bounce = bounce_of(e, c, elastic && !e->expands);
        double raised = am_engine_raise(e, c, belt);
        if (k->normal_row[c] != AM_NO_ROW)
            target[k->normal_row[c]] = -bounce * (am_dense_dot(contact->normal, v, n) + raised) - raised;
        double carried = am_engine_belt(e, c, belt);
        if (k->stick_row[c] != AM_NO_ROW && (spin > 0.0 || carried != 0.0))
            target[k->stick_row[c]] = carried - spin * (am_dense_dot(contact->tangent, v, n) - carried);
    }
    am_dense_apply(k->Y, n, n, momentum, v_after);
    am_dense_add(k->Yc, n, k->p, target, v_after);
    if (e->expands) {
        am_dense_apply(k->L, k->p, n, momentum, e->p_work[0]);
        am_dense_add(k->Lc, k->p, k->p, target, e->p_work[0]);
        am_impact_expand_map(e, k, e->p_work[0], v, belt, v_after);
    }
}

/* How far a value lies below zero, in units of its rounding. */
static double lack(double value, double rounding) {
    return value >= 0.0 ? 0.0 : -value / rounding;
}

/* The worst violation of contact c's inequalities, but for those that it shares with others. Impulses are measured by
 * the velocities they cause, P n.M^-1 n. */
static double contact_violation(am_motion *e, const am_flow *flow, size_t c, bool elastic, const double *v,
                                const double *lambda) {
    const am_combination *k = &flow->k;
    const am_split *split = split_of(flow);
    const am_contact_def *contact = &e->plan.system->contact[c];
    double rate_rounding = 0.5 * am_engine_rounding(e, e->rate_dual[c]);
    double slide_rounding = 0.5 * am_engine_rounding(e, e->slide_dual[c]);
    if (k->state[c] == AM_OPEN) {
        double bounce = bounce_of(e, c, elastic);
        double back = bounce > 0.0 ? bounce * am_engine_gap_rate(e, c) : 0.0;
        double rate = am_range_dot(&e->plan.normal[c], contact->normal, v) + am_engine_lift(e, c);
        return lack(rate + back, rate_rounding);
    }
    double P = lambda[k->normal_row[c]];
    bool shared = am_split_shares(split, k, c, AM_LIMIT_NORMAL);
    double worst = shared ? 0.0 : lack(P, rate_rounding / e->normal_yield[c]);
    if (!am_impact_rubs(e, c))
        return worst;
    if (k->state[c] == AM_STICK) {
        double most = contact->friction * (shared ? P : fmax(P, 0.0)), Q = lambda[k->stick_row[c]];
        double upper = am_split_shares(split, k, c, AM_LIMIT_UPPER) ? 0.0 : most - Q;
        double lower = am_split_shares(split, k, c, AM_LIMIT_LOWER) ? 0.0 : most + Q;
        return fmax(worst, lack(fmin(upper, lower), slide_rounding / e->tangent_yield[c]));
    }
    double slide = am_range_dot(&e->plan.tangent[c], contact->tangent, v) - am_engine_surface(e, c);
    double spin = spin_of(e, c, elastic);
    slide += spin > 0.0 ? spin * am_engine_slide(e, c) : 0.0;
    return fmax(worst, lack(-am_slip_sign(k->state[c]) * slide, slide_rounding));
}

/* How much the contacts of a facet lack together. */
static double facet_violation(const am_motion *e, const am_flow *flow, const am_facet *facet, const double *lambda) {
    const am_split *split = split_of(flow);
    double sum = 0.0, rounding = 0.0;
    for (size_t i = 0; i < split->limits; i++) {
        const am_limit *limit = &split->limit[i];
        size_t c = limit->contact, stick = flow->k.stick_row[c];
        double Q = stick != AM_NO_ROW ? lambda[stick] : 0.0;
        sum += facet->weight[i] * am_limit_value(limit, lambda[flow->k.normal_row[c]], Q);
        rounding += facet->weight[i] * (limit->kind == AM_LIMIT_NORMAL
                                            ? am_engine_rounding(e, e->rate_dual[c]) / e->normal_yield[c]
                                            : am_engine_rounding(e, e->slide_dual[c]) / e->tangent_yield[c]);
    }
    return lack(sum, 0.5 * rounding);
}

/* The worst violation of all: up to 1 may be rounding. */
static double violation(am_motion *e, const am_flow *flow, bool elastic, const double *v, const double *lambda) {
    double worst = 0.0;
    for (size_t c = 0; c < e->plan.m; c++)
        if (am_impact_takes_part(e, c))
            worst = fmax(worst, contact_violation(e, flow, c, elastic, v, lambda));
    for (size_t f = 0; split_of(flow) && f < split_of(flow)->facets; f++)
        worst = fmax(worst, facet_violation(e, flow, &split_of(flow)->facet[f], lambda));
    return worst;
}

static bool same_velocity(const am_motion *e, const double *a, const double *b) {
    double rounding = 64.0 * am_engine_rounding(e, 1.0); /* solving amplifies the rounding of v- */
    for (size_t i = 0; i < e->plan.n; i++)
        if (fabs(a[i] - b[i]) * e->plan.weight[e->plan.n + i] > rounding)
            return false;
    return true;
}

static int slide_sign(const am_motion *e, size_t c) {
    double slide = am_engine_slide(e, c), rounding = am_engine_rounding(e, e->slide_dual[c]);
    return slide > rounding ? 1 : slide < -rounding ? -1 : 0;
}

/* After the impact: contacts that bounce stand apart, the others touch. */
static void mark_after(am_motion *e, const am_flow *flow, bool elastic) {
    for (size_t c = 0; c < e->plan.m; c++) {
        am_mark *mark = &e->mark[c];
        if (!am_impact_takes_part(e, c)) {
            bool sprung = am_plan_is_slider(&e->plan, c); /* it has no mass: marked anew by the caller */
            if (!sprung && (mark->standing == AM_STANDS_TOUCHING || am_plan_leans(&e->plan, c))) /* velocities jump */
                mark->slide = slide_sign(e, c);
            continue;
        }
        mark->during = flow->k.state[c];
        mark->impacted = mark->during != AM_OPEN && e->lambda[flow->k.normal_row[c]] > 0.0;
        bool leaves = am_engine_gap_rate(e, c) > am_engine_rounding(e, e->rate_dual[c]);
        bool rests = mark->during == AM_STICK && !e->expands && !(spin_of(e, c, elastic) > 0.0);
        mark->standing = leaves ? AM_STANDS_LEAVING : AM_STANDS_TOUCHING;
        mark->slide = rests || e->plan.spring[c] != AM_NO_ROW ? 0 : slide_sign(e, c);
    }
}

/* Those of the combination; an expansion adds its own. */
static void take_impulses(am_motion *e, const am_combination *k) {
    for (size_t c = 0; c < k->m; c++) {
        double P = k->normal_row[c] != AM_NO_ROW ? e->lambda[k->normal_row[c]] : 0.0;
        e->impulse[2 * c] = P;
        e->impulse[2 * c + 1] = k->stick_row[c] != AM_NO_ROW
                                    ? e->lambda[k->stick_row[c]]
                                    : am_slip_sign(k->state[c]) * e->plan.system->contact[c].friction * P;
    }
}

/* What contacts take: their impulses against the means of the velocities across them before and after. */
static void account_contacts(am_motion *e) {
    const double *v = e->x + e->plan.n;
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        double P = e->impulse[2 * c], Q = e->impulse[2 * c + 1];
        if (P == 0.0)
            continue;
        double closing = am_range_dot(&e->plan.normal[c], contact->normal, v) +
                         am_range_dot(&e->plan.normal[c], contact->normal, e->found);
        double sliding = am_range_dot(&e->plan.tangent[c], contact->tangent, v) +
                         am_range_dot(&e->plan.tangent[c], contact->tangent, e->found);
        e->impact_loss[c] -= P * (0.5 * closing + am_engine_lift(e, c)) + Q * (0.5 * sliding - am_engine_surface(e, c));
    }
}

static am_status account(am_motion *e, double before, am_error *err) {
    double after = am_engine_kinetic(e), belt = 0.0; /* work of moving surfaces */
    for (size_t c = 0; c < e->plan.m; c++)
        if (e->impulse[2 * c] != 0.0)
            belt += e->impulse[2 * c + 1] * am_engine_surface(e, c) - e->impulse[2 * c] * am_engine_lift(e, c);
    double loss = before - after + belt;
    if (loss < -1e-10 * (before + fabs(belt)))
        return am_fail(
            err, AM_ERR_EVIDENCE,
            "the impact at t = %.15g would create energy (%g): Newton's restitution with friction or with several "
            "contacts at once can do that; use restitution_law: poisson, or a smaller restitution",
            e->now.t, -loss);
    e->energy.work_surface += belt;
    e->energy.loss_impact += loss;
    e->energy.moved += fabs(loss) + fabs(belt);
    return AM_OK;
}

static am_status fail_several(const am_motion *e, const am_flow *a, const am_flow *b, am_error *err) {
    char first[256], second[256];
    am_engine_describe(e, a->k.state, first, sizeof first);
    am_engine_describe(e, b->k.state, second, sizeof second);
    return am_fail(err, AM_ERR_SEVERAL_STATES, "the impact at t = %.15g has several solutions: candidates %s and %s",
                   e->now.t, first, second);
}

/* ---- many contacts ---- */

/* Contacts that close or have stopped hold, the others go on sliding. */
static void compose_first(am_motion *e) {
    memset(e->digit, 0, e->plan.m * sizeof *e->digit);
    am_engine_compose(e);
    for (size_t c = 0; c < e->plan.m; c++) {
        int slide = am_impact_takes_part(e, c) ? slide_sign(e, c) : 0;
        if (slide != 0 && e->mark[c].standing == AM_STANDS_TOUCHING && am_impact_rubs(e, c))
            e->trial[c] = slide > 0 ? AM_FORWARD : AM_BACKWARD;
    }
}

/* What contact c, one of whose inequalities is violated, has to do instead. */
static am_contact_state other_state(const am_combination *k, size_t c, const double *lambda) {
    if (k->state[c] == AM_OPEN)
        return AM_STICK;
    if (lambda[k->normal_row[c]] < 0.0)
        return AM_OPEN;
    if (k->state[c] != AM_STICK || k->stick_row[c] == AM_NO_ROW)
        return AM_STICK;
    return am_engine_pivot(lambda[k->stick_row[c]] > 0.0 ? AM_QUANTITY_UPPER : AM_QUANTITY_LOWER, 0);
}

/* Changes the contacts that violate something. Returns whether there were any. */
static bool change_violated(am_motion *e, const am_flow *flow, bool elastic, const double *v, const double *lambda) {
    bool changed = false;
    for (size_t c = 0; c < e->plan.m; c++) {
        if (!am_impact_takes_part(e, c) || contact_violation(e, flow, c, elastic, v, lambda) <= 1.0)
            continue;
        e->trial[c] = other_state(&flow->k, c, lambda);
        changed = true;
    }
    for (size_t f = 0; split_of(flow) && f < split_of(flow)->facets; f++) {
        const am_facet *facet = &split_of(flow)->facet[f];
        if (facet_violation(e, flow, facet, lambda) <= 1.0)
            continue;
        for (size_t i = 0; i < facet->members; i++)
            e->trial[facet->member[i].contact] = am_engine_pivot(am_quantity_kind_of(facet->member[i].kind), 0);
        changed = true;
    }
    return changed;
}

/* One combination: what it violates is changed, or nothing is and it is the one. */
static am_status try_states(am_motion *e, bool elastic, bool change, am_flow **chosen, am_error *err) {
    double *v = e->n_work[1], *lambda = e->p_work[0];
    am_flow *flow;
    am_status status = am_engine_flow(e, e->trial, &flow, err);
    if (status || !flow->possible)
        return status;
    if (!solve(e, flow, elastic, v, lambda))
        return AM_OK;
    if (change ? change_violated(e, flow, elastic, v, lambda) : violation(e, flow, elastic, v, lambda) > worst_rounding)
        return AM_OK;
    *chosen = flow;
    memcpy(e->found, v, e->plan.n * sizeof *v);
    memcpy(e->lambda, lambda, flow->k.p * sizeof *lambda);
    e->statistics.unchecked++;
    return AM_OK;
}

/* All violated contacts are changed at once, which is fast and seldom fails; then Lemke's method. */
static am_status search_many(am_motion *e, bool elastic, am_flow **chosen, am_error *err) {
    am_status status = AM_OK;
    bool solved = false;
    compose_first(e);
    for (size_t round = 0; round < BLOCK_ROUNDS && !*chosen && !status; round++)
        status = try_states(e, elastic, true, chosen, err);
    if (*chosen || status)
        return status;
    compose_first(e);
    status = am_impact_states(e, elastic, &solved, err);
    if (!status && solved)
        status = try_states(e, elastic, false, chosen, err);
    if (*chosen || status)
        return status;
    return am_fail(err, AM_ERR_LIMIT, "an impact at t = %.15g involves too many contacts at once to be solved",
                   e->now.t);
}

/* Try all combinations and keep the one that violates least. Two that violate nothing must agree. */
static am_status search(am_motion *e, bool elastic, am_flow **chosen, am_error *err) {
    double best = INFINITY, *v = e->n_work[1], *lambda = e->p_work[0];
    memset(e->digit, 0, e->plan.m * sizeof *e->digit);
    do {
        am_flow *flow;
        am_engine_compose(e);
        AM_TRY(am_engine_flow(e, e->trial, &flow, err));
        if (!flow->possible)
            continue;
        if (!solve(e, flow, elastic, v, lambda))
            continue;
        double worst = violation(e, flow, elastic, v, lambda);
        if (worst == 0.0 && best == 0.0 && !same_velocity(e, v, e->found))
            return fail_several(e, *chosen, flow, err);
        bool names_more = worst == best && *chosen && flow->k.redundant > (*chosen)->k.redundant;
        if (worst <= 1.0 && (worst < best || names_more)) {
            best = worst;
            *chosen = flow;
            memcpy(e->found, v, e->plan.n * sizeof *v);
            memcpy(e->lambda, lambda, flow->k.p * sizeof *lambda);
        }
    } while (am_engine_next_combination(e));
    if (!*chosen)
        return am_fail(err, AM_ERR_NO_STATE, "the impact at t = %.15g has no solution among its candidates", e->now.t);
    return AM_OK;
}

/* Of redundant contacts the impulses of an admissible split. */
static void share_impulses(am_motion *e, const am_flow *flow) {
    const am_combination *k = &flow->k;
    double *P = e->p_work[0], *Q = P + k->m;
    if (!split_of(flow))
        return;
    for (size_t c = 0; c < k->m; c++) {
        P[c] = k->normal_row[c] != AM_NO_ROW ? e->lambda[k->normal_row[c]] : 0.0;
        Q[c] = k->stick_row[c] != AM_NO_ROW ? e->lambda[k->stick_row[c]] : 0.0;
    }
    am_split_choose(split_of(flow), k, e->plan.system, P, Q);
    for (size_t c = 0; c < k->m; c++) {
        if (k->normal_row[c] != AM_NO_ROW)
            e->lambda[k->normal_row[c]] = P[c];
        if (k->stick_row[c] != AM_NO_ROW)
            e->lambda[k->stick_row[c]] = Q[c];
    }
}

/* Does a contact that strikes bounce by Poisson's law? */
static bool has_expansion(const am_motion *e) {
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        if (e->mark[c].standing == AM_STANDS_CLOSING && contact->restitution_law == AM_POISSON &&
            contact->restitution > 0.0)
            return true;
    }
    return false;
}

am_status am_engine_impact(am_motion *e, bool elastic, am_error *err) {
    am_flow *chosen = NULL;
    double before = am_engine_kinetic(e);
    e->expands = elastic && has_expansion(e);
    bool newton = elastic && !e->expands;
    am_dense_apply(e->plan.M, e->plan.n, e->plan.n, e->x + e->plan.n, e->n_work[0]);
    double most = e->plan.n > FEW_COORDINATES ? most_of_large : most_combinations;
    am_status status = list_options(e) <= most ? search(e, newton, &chosen, err) : search_many(e, newton, &chosen, err);
    if (status)
        return status;
    share_impulses(e, chosen);
    take_impulses(e, &chosen->k);
    if (e->expands)
        AM_TRY(am_impact_expand(e, &chosen->k, e->found, err));
    if (e->with_energy)
        account_contacts(e);
    if (!e->had_impact)
        memcpy(e->v_before, e->x + e->plan.n, e->plan.n * sizeof *e->v_before);
    if (e->sensitivity)
        am_engine_sensitivity_impact(e, chosen, elastic);
    memcpy(e->x + e->plan.n, e->found, e->plan.n * sizeof *e->found);
    am_engine_measure(e);
    e->had_impact = true;
    mark_after(e, chosen, newton);
    return account(e, before, err);
}
