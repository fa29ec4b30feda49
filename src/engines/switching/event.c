/* What happens at one instant: blows, impacts, the new state of contact, and what is noted of it. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "engines/switching/switching.h"
#include "laws/law.h"
#include "math/bernstein.h"
#include "math/dense.h"

static am_cause cause_of(am_quantity_kind kind) {
    switch (kind) {
    case AM_QUANTITY_GAP:
    case AM_QUANTITY_LAX:
        return AM_CAUSE_TOUCH_DOWN;
    case AM_QUANTITY_OVERLAP:
    case AM_QUANTITY_NORMAL:
        return AM_CAUSE_LIFT_OFF;
    case AM_QUANTITY_SLIDE:
        return AM_CAUSE_STOP;
    case AM_QUANTITY_UPPER:
    case AM_QUANTITY_LOWER:
    case AM_QUANTITY_DISC:
        break;
    }
    return AM_CAUSE_SLIP;
}

/* Contacts that share a direction set off, turn and stop together: that is one change, counted for the first of them.
 * `count`: of the directions that switch in this event. */
static bool is_part_of_another(const am_motion *e, size_t c, size_t *count) {
    if (!e->directions || !am_is_closed(e->mark[c].before) || !am_is_closed(e->state[c]) ||
        am_plan_is_slider(&e->plan, c) || e->plan.system->stop[c])
        return false;
    bool new = am_direction_is_new(&e->plan, c, e->directions, *count);
    *count += new;
    return !new;
}

/* Does contact c come to rest with the one whose sliding velocity has vanished? */
static bool stops_with(const am_motion *e, const am_quantity *trigger, size_t c) {
    const am_split *rest = e->flow->split;
    return trigger->kind == AM_QUANTITY_SLIDE && e->state[c] == AM_STICK && rest && rest->shifts[c] &&
           rest->shifts[trigger->contact];
}

static bool slips(am_contact_state state) {
    return state == AM_FORWARD || state == AM_BACKWARD || state == AM_SWEEP;
}

/* Velocities are continuous but for impacts: a contact that slid and sticks now has come to rest by itself, be it at
 * the same instant as another one. Which of them was met first is a matter of rounding. */
static bool has_stopped(am_contact_state before, am_contact_state now) {
    return slips(before) && now == AM_STICK;
}

/* Is this the change of state that a vanishing quantity makes by itself? */
static bool explains(am_quantity_kind kind, am_contact_state before, am_contact_state now) {
    switch (cause_of(kind)) {
    case AM_CAUSE_SLIP:
        return before == AM_STICK && slips(now);
    case AM_CAUSE_STOP:
        return slips(before) && now != AM_OPEN;
    case AM_CAUSE_LIFT_OFF:
        return am_is_closed(before) && !am_is_closed(now);
    default:
        return !am_is_closed(before) && am_is_closed(now);
    }
}

/* A quantity of the span that ends here, at its end: x itself may have jumped since. */
static double value_before(const am_motion *e, size_t q) {
    double a[AM_COEFFICIENTS];
    am_engine_quantity_orders(e, e->span_flow, q, a);
    return am_polynomial_at(a, e->span_length);
}

/* The cause of a switch that another contact's seems to have brought about: `follow`, unless the limit of its own was
 * reached at the same instant too. Which of several was met first is a matter of rounding here as well. */
static am_cause cause_beside(const am_motion *e, size_t c) {
    const am_flow *flow = e->span_flow;
    if (has_stopped(e->mark[c].before, e->state[c]))
        return AM_CAUSE_STOP;
    for (size_t q = 0; flow && !e->had_impact && q < flow->quantities; q++) {
        const am_quantity *own = &flow->quantity[q];
        if (!am_quantity_involves(own, c) || !explains(own->kind, e->mark[c].before, e->state[c]))
            continue;
        if (fabs(value_before(e, q)) <= am_engine_rounding(e, flow->dual[q]))
            return cause_of(own->kind);
    }
    return AM_CAUSE_FOLLOW;
}

/* Note what each contact did. `usual`: the cause of contacts that neither triggered the event nor took part in an
 * impact. */
static void record(am_motion *e, const am_quantity *trigger, am_cause usual) {
    size_t directions = 0;
    e->switch_count = 0;
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_mark *mark = &e->mark[c];
        bool bounced = mark->impacted && mark->before == AM_OPEN && e->state[c] == AM_OPEN;
        bool brief = bounced || (mark->relaxed && mark->before == e->state[c]);
        e->shown[c] = am_state_shown(e->state[c]);
        if (!brief && am_state_shown(mark->before) == e->shown[c])
            continue;
        am_cause cause = usual;
        if (usual != AM_CAUSE_ZENO && mark->impacted)
            cause = AM_CAUSE_IMPACT;
        else if (usual == AM_CAUSE_FOLLOW && trigger && (am_quantity_involves(trigger, c) || stops_with(e, trigger, c)))
            cause = cause_of(trigger->kind);
        else if (usual == AM_CAUSE_FOLLOW)
            cause = cause_beside(e, c);
        bool together = is_part_of_another(e, c, &directions);
        e->switches[e->switch_count++] =
            (am_switch){c, am_state_shown(mark->before), am_state_shown(mark->during), e->shown[c], cause, together};
        if (together)
            continue;
        e->statistics.state_changes += brief ? 2 : 1; /* as Appendix A counts: a touch is contact and separation */
        e->statistics.touches += bounced;
        e->statistics.finite_changes += !brief;
    }
    if (e->switch_count > 0) {
        e->quiet = e->next_stride = 0;
        e->zero = AM_ROUNDING * DBL_EPSILON;
    }
}

/* y += Yc off, of which most entries vanish. */
static void correct(const am_combination *k, const double *off, double *y) {
    for (size_t r = 0; r < k->p; r++)
        for (size_t i = 0; off[r] != 0.0 && i < k->n; i++)
            y[i] += k->Yc[i * k->p + r] * off[r];
}

void am_engine_project(am_motion *e, const am_flow *flow) {
    const am_combination *k = &flow->k;
    const am_contact_def *contact = e->plan.system->contact;
    double *off = e->p_work[0], *q = e->x, *v = e->x + k->n;
    for (size_t c = 0; c < k->m; c++) {
        if (k->normal_row[c] != AM_NO_ROW)
            off[k->normal_row[c]] = -am_engine_gap_rate(e, c);
        if (k->stick_row[c] != AM_NO_ROW)
            off[k->stick_row[c]] = -am_range_dot(&e->plan.tangent[c], contact[c].tangent, v) + am_engine_surface(e, c);
    }
    correct(k, off, v);
    for (size_t c = 0; c < k->m; c++) {
        if (k->normal_row[c] != AM_NO_ROW)
            off[k->normal_row[c]] = -am_engine_gap(e, c);
        if (k->stick_row[c] != AM_NO_ROW)
            off[k->stick_row[c]] = 0.0;
    }
    correct(k, off, q);
}

/* What the marks say is zero becomes zero: gaps and their rates of touching contacts, sliding velocities of those at
 * rest. Noise left there would be taken for a gap or a motion by the decision that follows. */
static am_status clean_once(am_motion *e, bool *done, am_error *err) {
    am_flow *flow;
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_mark *mark = &e->mark[c];
        bool touches =
            mark->normal != 0 ? (mark->normal & AM_MAY_BE_CLOSED) != 0 : mark->standing == AM_STANDS_TOUCHING;
        bool rests = mark->slide == 0 && am_law_sticks(&e->plan.system->contact[c].speed_friction);
        e->trial[c] = !touches ? AM_OPEN : rests ? AM_STICK : mark->slide < 0 ? AM_BACKWARD : AM_FORWARD;
    }
    am_status status = am_engine_flow(e, e->trial, &flow, err);
    *done = !status && flow->possible;
    if (*done) {
        am_engine_project(e, flow);
        am_engine_measure(e);
    }
    return status;
}

/* With impacts of many contacts velocities are often barely above rounding, and setting others to zero moves them too:
 * then they are cleaned as well, or no state of contact would fit what was marked. */
static am_status clean(am_motion *e, bool *done, am_error *err) {
    am_status status;
    do
        status = clean_once(e, done, err);
    while (!status && *done && am_engine_mark_lost(e));
    return status;
}

/* Largest violation of an inequality at the present instant, relative to its scale: evidence, not used for decisions.
 */
static void check_inequalities(am_motion *e) {
    const double room = 4.0; /* twice what decisions take for zero, and what x has grown since */
    for (size_t q = 0; q < e->flow->quantities; q++) {
        double value = am_extent_dot(&e->flow->row_extent[q], e->flow->row + q * e->plan.nx, e->x);
        double scale = e->flow->dual[q] * e->size;
        if (value < 0.0 &&
            e->flow->quantity[q].kind == AM_QUANTITY_GAP) /* a layer is open up to where its force begins */
            value = fmin(0.0, value + room * e->zero * am_engine_edge(e, e->flow->quantity[q].contact) * scale);
        if (value < 0.0 && scale > 0.0)
            e->statistics.complementarity = fmax(e->statistics.complementarity, -value / scale);
    }
}

/* Spans between two looks at a motion that may have come near to a steady state. */
enum { BETWEEN_LOOKS = 64 };

static am_status seek_steady(am_motion *e, am_error *err) {
    am_steady_state steady = {0};
    if (e->quiet % BETWEEN_LOOKS == 0 || !e->final_known)
        AM_TRY(am_engine_find_steady(e, &steady, err));
    e->final_time = steady.lasts ? e->now.t : INFINITY;
    e->final_known = true;
    return AM_OK;
}

am_status am_engine_seek_final(am_motion *e, am_error *err) {
    e->final_time = INFINITY;
    if (e->seek_final && !isfinite(e->next_break.t) && (e->flow->stepwise || e->plan.compliant))
        return seek_steady(e, err);
    e->final_known = e->seek_final;
    if (!e->seek_final || isfinite(e->next_break.t))
        return AM_OK;
    return am_finality_time(&e->plan, e->flow, e->now.t, e->x, &e->final_time, err);
}

static bool any_closing(const am_motion *e) {
    for (size_t c = 0; c < e->plan.m; c++)
        if (e->mark[c].standing == AM_STANDS_CLOSING && e->mark[c].normal == 0)
            return true;
    return false;
}

/* Many impacts in a time that is nothing on the structure's own scale: they accumulate. */
static bool impacts_accumulate(const am_motion *e) {
    double oldest = e->impact_time[e->recent_impacts % AM_ZENO_IMPACTS];
    return e->recent_impacts >= AM_ZENO_IMPACTS && e->now.t - oldest < 1e-9 / e->plan.frequency;
}

/* Has a contact that strikes again been away by no more than the rounding of its place, and does it close as fast as before?
 * Where a law that is not linear ends a span on the way, rounding is all that is known of its gap from there on, and its
 * bounces would not get smaller any more. */
static bool hop_is_lost(const am_motion *e) {
    static const double few = 16.0;
    for (size_t c = 0; e->flow && e->flow->stepwise && c < e->plan.m; c++) {
        double rate = fabs(am_engine_gap_rate(e, c)), away = 0.25 * rate * (e->now.t - e->struck[c]);
        double lasting = 0.5 * (1.0 + e->plan.system->contact[c].restitution) * e->struck_rate[c];
        if (e->mark[c].standing == AM_STANDS_CLOSING && e->mark[c].normal == 0 && e->now.t > e->struck[c] &&
            rate > lasting && away <= few * DBL_EPSILON * e->gap_dual[c] * e->size)
            return true;
    }
    return false;
}

/* A contact that should bounce but is left at rest within rounding has come to the end of its bounces. */
static bool bounce_is_lost(const am_motion *e) {
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_mark *mark = &e->mark[c];
        bool elastic = e->plan.system->contact[c].restitution > 0.0;
        if (mark->impacted && elastic && mark->before == AM_OPEN && mark->standing == AM_STANDS_TOUCHING)
            return true;
    }
    return false;
}

/* The impact law; at an accumulation of impacts its limit, in which the contacts stay closed. */
static am_status strike(am_motion *e, am_cause *usual, am_error *err) {
    bool accumulate = impacts_accumulate(e) || hop_is_lost(e), any = false;
    for (size_t c = 0; c < e->plan.m; c++)
        if (e->mark[c].standing == AM_STANDS_CLOSING) {
            e->struck[c] = e->now.t;
            e->struck_rate[c] = fabs(am_engine_gap_rate(e, c));
        }
    am_status status = am_engine_impact(e, !accumulate, err);
    for (size_t c = 0; c < e->plan.m; c++)
        any |= e->mark[c].impacted;
    if (status || !any) /* a blow that lifts all contacts is not an impact */
        return status;
    e->statistics.impacts++;
    e->impact_time[e->recent_impacts++ % AM_ZENO_IMPACTS] = e->now.t;
    if (bounce_is_lost(e)) {
        e->statistics.zeno++;
        *usual = AM_CAUSE_ZENO;
    }
    return AM_OK;
}

/* Blows add momentum before anything else happens. True if there were any. */
static bool take_blows(am_motion *e) {
    double *impulse = e->n_work[0];
    if (!am_system_blow(e->plan.system, e->now.t, impulse))
        return false;
    double before = am_engine_kinetic(e);
    memcpy(e->v_before, e->x + e->plan.n, e->plan.n * sizeof *e->v_before);
    e->had_impact = true;
    am_dense_add(e->plan.inverse_mass, e->plan.n, e->plan.n, impulse, e->x + e->plan.n);
    am_engine_measure(e);
    double work = am_engine_kinetic(e) - before;
    e->energy.work_loads += work;
    e->energy.moved += fabs(work);
    return true;
}

/* A contact that was stuck or closed may be torn apart by a blow: its standing follows from the new velocities. */
static void mark_after_blow(am_motion *e) {
    for (size_t c = 0; c < e->plan.m; c++) {
        am_mark *mark = &e->mark[c];
        if (mark->standing == AM_STANDS_APART)
            continue;
        double rate = am_engine_gap_rate(e, c), rounding = am_engine_rounding(e, e->rate_dual[c]);
        if (e->plan.system->contact[c].normal_law == AM_UNILATERAL && rate < -rounding)
            mark->standing = AM_STANDS_CLOSING;
    }
}

static am_status check_held(const am_motion *e, am_error *err) {
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        if (contact->normal_law != AM_HELD)
            continue;
        double N = am_function_at(&contact->hold, e->now.t), rate = am_function_rate(&contact->hold, e->now.t);
        if (N < 0.0 || (N == 0.0 && rate < 0.0))
            return am_fail_field(
                err, AM_ERR_UNSUPPORTED, "contacts",
                "the held contact '%s' separates at t = %.15g: its normal force is %g; a held contact must be "
                "pressed at all times (use a unilateral contact where it may open)",
                contact->name, e->now.t, N);
    }
    return AM_OK;
}

static void settle_stretches(am_motion *e) {
    for (size_t c = 0; c < e->plan.m; c++)
        if (am_plan_is_disc(&e->plan, c) && e->state[c] != AM_STICK)
            am_disc_settle(e, c, e->state[c]);
        else if (e->plan.spring[c] != AM_NO_ROW && e->state[c] != AM_STICK)
            am_engine_settle_stretch(e, c, e->state[c]);
}

/* Deflections of contacts that are open: none. Of one that has just closed, where next to nothing presses, that of steady
 * sliding, if that is proportional to N: it is below rounding as well, and what decays fastest has begun to follow. */
static void settle_inner(am_motion *e) {
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_speed_friction *use = &e->plan.system->contact[c].speed_friction;
        double slide = e->plan.memories[c] > 0 ? am_engine_slide(e, c) : 0.0;
        for (size_t i = 0; i < e->plan.memories[c]; i++) {
            if (!am_force_inner_is_directed(&e->plan, c, i))
                continue;
            double *deflection = &e->x[2 * e->plan.n + e->plan.inner[c] + i];
            const am_law_memory *memory = &am_law_named(use->law)->memory[i];
            if (!am_is_closed(e->state[c]))
                *deflection = 0.0;
            else if (e->mark[c].closes && e->mark[c].unpressed && slide != 0.0 && memory->steady &&
                     memory->steady(use, fabs(slide), 0.0) == 0.0)
                *deflection = copysign(memory->steady(use, fabs(slide), fmax(0.0, am_engine_normal(e, c))), slide);
        }
    }
}

static void forget_deflections(am_motion *e) {
    for (size_t c = 0; c < e->plan.m; c++)
        for (size_t i = 0; e->mark[c].forgets && i < e->plan.memories[c]; i++)
            if (am_force_inner_is_directed(&e->plan, c, i))
                e->x[2 * e->plan.n + e->plan.inner[c] + i] = 0.0;
}

/* After an impact or a jump of the loads a slider's velocity is another one. */
static void mark_sliders_again(am_motion *e, am_cause usual) {
    bool jumped = e->had_impact || usual == AM_CAUSE_LOAD;
    if (e->plan.springs > 0 && jumped)
        am_engine_mark_sliders(e);
    if (e->plan.compliant && jumped)
        am_engine_mark_compliant(e);
}

/* Contacts on coordinates with neither mass nor damping may have changed their states in a jump, before they were marked:
 * what callers know of them is older. One that slipped in it and sticks again has relaxed. */
static void mark_jumps(am_motion *e) {
    for (size_t c = 0; e->plan.lights > 0 && c < e->plan.m; c++) {
        am_mark *mark = &e->mark[c];
        if (!am_plan_creeps(&e->plan, c) && !am_plan_leans(&e->plan, c))
            continue;
        mark->during = mark->before;
        mark->before = e->shown[c];
        mark->relaxed = slips(mark->during) && mark->before == AM_STICK && e->state[c] == AM_STICK;
    }
}

/* Sliders on coordinates with neither mass nor damping that cannot hold jump to where friction holds them again, and go on
 * from there. */
static am_status break_light(am_motion *e, bool *cleaned, am_error *err) {
    bool any = false;
    am_error jump = {0};
    am_status status = am_light_break(e, &any, &jump);
    if (!status && !any)
        return AM_ERR_NO_STATE; /* as `err` says */
    if (!status) {
        am_engine_mark(e, NULL, false);
        status = clean(e, cleaned, &jump);
    }
    if (!status)
        status = am_engine_decide(e, &jump);
    if (err)
        *err = jump;
    return status;
}

/* Everything that happens at one instant: blows, impacts, the new state of contact. */
am_status am_engine_happen(am_motion *e, const am_quantity *trigger, am_cause usual, am_error *err) {
    e->had_impact = false;
    am_engine_measure(e);
    am_status status = AM_OK;
    if (e->plan.lights > 0 && usual == AM_CAUSE_LOAD)
        AM_TRY(am_light_jump(e, err));
    am_engine_mark(e, trigger, usual == AM_CAUSE_LOAD);
    forget_deflections(e);
    if (usual == AM_CAUSE_LOAD) {
        status = check_held(e, err);
        if (!status && take_blows(e)) {
            mark_after_blow(e);
            status = strike(e, &usual, err);
        } else if (!status && any_closing(e)) {
            status = strike(e, &usual, err);
        }
    } else if (any_closing(e)) {
        status = strike(e, &usual, err);
    }
    bool cleaned = false;
    if (!status) {
        mark_sliders_again(e, usual);
        status = clean(e, &cleaned, err);
    }
    if (!status)
        status = am_engine_decide(e, err);
    if (status == AM_ERR_NO_STATE && e->plan.lights > 0)
        status = break_light(e, &cleaned, err);
    if (status)
        return status;
    if (!cleaned) /* the touching contacts hold more than can be held at once; those that stay closed do not */
        am_engine_project(e, e->flow);
    settle_inner(e);
    am_engine_load(e);
    settle_stretches(e);
    if (e->plan.lights > 0)
        am_light_settle(e);
    if (!cleaned || e->plan.springs > 0 || e->plan.lights > 0)
        am_engine_measure(e);
    if (e->sensitivity)
        am_engine_sensitivity_after(e);
    mark_jumps(e);
    record(e, trigger, usual);
    e->statistics.indeterminate |= e->flow->split != NULL;
    e->met_indeterminate |= e->statistics.indeterminate;
    check_inequalities(e);
    e->fresh = true;
    memset(e->in_band, 0, e->most_quantities * sizeof *e->in_band);
    e->statistics.events++;
    status = am_flow_ready(&e->plan, e->flow, err);
    return status ? status : am_engine_seek_final(e, err);
}

/* The rule of a program that looks at nothing but the quantities that have changed sign: only their contacts switch. */
am_status am_engine_happen_by_rule(am_motion *e, const am_quantity *trigger, am_error *err) {
    am_flow *flow;
    am_status status = am_engine_flow(e, e->late, &flow, err);
    if (status || !flow->possible)
        return status ? status
                      : am_fail(err, AM_ERR_NO_STATE, "no state of contact is possible at t = %.15g", e->now.t);
    e->flow = flow;
    memcpy(e->state, e->late, e->plan.m * sizeof *e->state);
    am_engine_project(e, flow);
    am_engine_load(e);
    if (e->plan.lights > 0)
        am_light_settle(e);
    am_engine_measure(e);
    record(e, trigger, AM_CAUSE_FOLLOW);
    check_inequalities(e);
    e->statistics.events++;
    return am_flow_ready(&e->plan, flow, err);
}
