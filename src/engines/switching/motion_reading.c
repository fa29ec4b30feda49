/* What a motion is at present, and was on the way here: for whoever reads it. Of one that was not started, NaN or nothing. */
#include <math.h>
#include <string.h>

#include "amontons/motion.h"
#include "base/object.h"
#include "base/try.h"
#include "engines/switching/switching.h"
#include "math/dense.h"

size_t am_motion_dimension(const am_motion *motion) {
    return am_is(motion, AM_TAG_MOTION) ? motion->plan.nd : 0;
}

const double *am_motion_state(const am_motion *motion) {
    return am_is(motion, AM_TAG_MOTION) ? motion->x : NULL;
}

am_status am_motion_follow_sensitivity(am_motion *motion, bool follow, am_error *err) {
    if (!am_is(motion, AM_TAG_MOTION))
        return am_misused(err, __func__);
    if (follow && motion->imitation.step > 0.0)
        return am_fail(err, AM_ERR_UNSUPPORTED, "fixed-step switching has no derivatives to follow");
    return am_engine_follow(motion, follow, err);
}

const double *am_motion_sensitivity(am_motion *motion) {
    if (!am_is(motion, AM_TAG_MOTION))
        return NULL;
    if (motion->sensitivity && am_engine_started(motion))
        am_engine_sensitivity_settle(motion);
    return motion->sensitivity;
}

/* Of a motion that was not started. */
static void fill_unknown(double *values, size_t count) {
    for (size_t i = 0; values && i < count; i++)
        values[i] = NAN;
}

void am_motion_rates(const am_motion *motion, double *before, double *after) {
    if (!am_is(motion, AM_TAG_MOTION))
        return;
    if (before && motion->rate_event)
        memcpy(before, motion->rate_event, motion->plan.nd * sizeof *before);
    if (after && am_engine_started(motion))
        am_engine_rate(motion, motion->flow, after);
    else
        fill_unknown(after, motion->plan.nd);
}

double am_motion_time(const am_motion *motion) {
    return am_is(motion, AM_TAG_MOTION) ? motion->now.t : NAN;
}

const double *am_motion_displacement(const am_motion *motion) {
    return am_is(motion, AM_TAG_MOTION) ? motion->x : NULL;
}

const double *am_motion_velocity(const am_motion *motion) {
    return am_is(motion, AM_TAG_MOTION) ? motion->x + motion->plan.n : NULL;
}

const am_contact_state *am_motion_states(const am_motion *motion) {
    return am_is(motion, AM_TAG_MOTION) ? motion->shown : NULL;
}

/* Of a motion that has not begun, or has not moved, there are none. */
static void forces(const am_motion *e, const am_flow *flow, const double *x, double *normal, double *tangential) {
    for (size_t c = 0; !flow && c < e->plan.m; c++) {
        if (normal)
            normal[c] = NAN;
        if (tangential)
            tangential[c] = NAN;
    }
    if (!flow)
        return;
    if (flow->split) { /* both are needed to tell how they are shared */
        am_flow_forces(&e->plan, flow, x, normal ? normal : e->p_work[0], tangential ? tangential : e->p_work[1]);
        return;
    }
    if (normal)
        am_dense_apply(flow->normal, e->plan.m, e->plan.nx, x, normal);
    if (tangential)
        am_dense_apply(flow->tangential, e->plan.m, e->plan.nx, x, tangential);
}

void am_motion_forces(const am_motion *motion, double *normal, double *tangential) {
    if (!am_is(motion, AM_TAG_MOTION))
        return;
    if (am_engine_started(motion)) {
        forces(motion, motion->flow, motion->x, normal, tangential);
        return;
    }
    fill_unknown(normal, motion->plan.m);
    fill_unknown(tangential, motion->plan.m);
}

double am_motion_span_start(const am_motion *motion) {
    return am_is(motion, AM_TAG_MOTION) ? motion->span_start.t : NAN;
}

void am_motion_at(const am_motion *motion, double t, double *q, double *v, double *normal, double *tangential) {
    if (!am_is(motion, AM_TAG_MOTION))
        return;
    const am_motion *e = motion;
    size_t n = e->plan.n;
    double *x = e->x_work[0];
    if (!am_engine_started(e)) {
        fill_unknown(q, n);
        fill_unknown(v, n);
        am_motion_forces(e, normal, tangential);
        return;
    }
    am_engine_evaluate(e, am_exact_time_until(e->span_start, am_exact_time_at(t)), x, e->plan.nx);
    if (q)
        memcpy(q, x, n * sizeof *q);
    if (v)
        memcpy(v, x + n, n * sizeof *v);
    forces(e, e->span_flow, x, normal, tangential);
}

void am_motion_second_at(const am_motion *motion, double t, double *second) {
    if (!am_is(motion, AM_TAG_MOTION) || !second)
        return;
    const am_motion *e = motion;
    double *x = e->x_work[0];
    if (am_engine_started(e))
        am_engine_evaluate(e, am_exact_time_until(e->span_start, am_exact_time_at(t)), x, e->plan.nd);
    for (size_t c = 0; c < e->plan.m; c++) {
        bool plane = am_plan_is_disc(&e->plan, c), known = am_engine_started(e);
        second[c] = !plane ? 0.0
                    : known
                        ? -e->plan.system->contact[c].tangential_stiffness * x[2 * e->plan.n + e->plan.spring[c] + 1]
                        : NAN;
    }
}

size_t am_motion_switches(const am_motion *motion) {
    return am_is(motion, AM_TAG_MOTION) ? motion->switch_count : 0;
}

const am_switch *am_motion_switch(const am_motion *motion, size_t index) {
    if (!am_is(motion, AM_TAG_MOTION) || index >= motion->switch_count)
        return NULL;
    return &motion->switches[index];
}

bool am_motion_had_impact(const am_motion *motion) {
    return am_is(motion, AM_TAG_MOTION) ? motion->had_impact : false;
}

const double *am_motion_velocity_before(const am_motion *motion) {
    return am_is(motion, AM_TAG_MOTION) ? motion->v_before : NULL;
}

am_motion_statistics am_motion_statistics_get(const am_motion *motion) {
    if (!am_is(motion, AM_TAG_MOTION))
        return (am_motion_statistics){0};
    const am_motion *e = motion;
    const am_energy *energy = &e->energy;
    am_motion_statistics s = e->statistics;
    s.combinations = am_flow_count(e->cache);
    s.kinetic = am_engine_kinetic(e);
    s.potential = am_engine_potential(e);
    s.work_loads = energy->work_loads;
    s.work_surface = energy->work_surface;
    s.work_circulatory = energy->work_circulatory;
    s.loss_friction = energy->loss_friction;
    s.loss_damping = energy->loss_damping;
    s.loss_impact = energy->loss_impact;
    s.energy_moved = energy->moved + fabs(energy->start) + s.kinetic + fabs(s.potential);
    double gained = s.kinetic + s.potential - energy->start;
    double balance =
        gained - s.work_loads - s.work_surface - s.work_circulatory + s.loss_friction + s.loss_damping + s.loss_impact;
    s.energy_residual = s.energy_moved > 0.0 ? fabs(balance) / s.energy_moved : 0.0;
    return s;
}
