/* The tables `contact_cycles` and `hysteresis` of branches that are made of exact orbits: the orbit is followed once more
 * through its period, and looked at at Gauss's points between its switches. */
#include <math.h>

#include "analyses/follow/point.h"
#include "analyses/response/response_internal.h"
#include "analyses/tables/contact_cycles.h"
#include "base/local.h"
#include "base/memory.h"
#include "engines/switching/switching.h"
#include "math/dense.h"
#include "math/pi.h"
#include "math/quadrature.h"
#include "system/system.h"

typedef struct tracer {
    const am_contact_cycles *cycles;
    am_motion *engine;
    double omega;
    am_contact_trace *trace; /* m */
    double *z;               /* nz: loads and surfaces */
    double *q, *v;           /* n */
    double *N, *T, *second;  /* m */
} tracer;

static am_status allocate(tracer *w, am_arena *memory, am_error *err) {
    const am_plan *plan = &w->engine->plan;
    w->trace = am_arena_new(memory, plan->m, sizeof *w->trace, err);
    w->z = am_arena_doubles(memory, NULL, plan->nz, err);
    AM_ARENA_DOUBLES(memory, plan->n, err, &w->q, &w->v);
    AM_ARENA_DOUBLES(memory, plan->m, err, &w->N, &w->T, &w->second);
    return am_arena_status(memory);
}

/* Without friction there is nothing to stick to. */
static am_moment_state state_of(const tracer *w, size_t c) {
    am_contact_state state = w->engine->span_flow->k.state[c];
    bool stop = w->engine->plan.system->stop[c];
    return state == AM_OPEN ? AM_MOMENT_OPEN : state == AM_STICK && !stop ? AM_MOMENT_STICK : AM_MOMENT_SLIP;
}

static am_contact_moment moment_of(const tracer *w, size_t c, double t, double weight) {
    const am_system *s = w->engine->plan.system;
    const am_contact_def *contact = &s->contact[c];
    size_t n = w->engine->plan.n;
    double surface = s->drawn[c] ? am_system_surface(s, c, w->z) : contact->surface_velocity;
    am_contact_moment moment = {
        .theta = w->omega * t - two_pi * floor(w->omega * t / two_pi),
        .weight = w->omega * weight,
        .state = state_of(w, c),
        .u = {am_dense_dot(contact->tangent, w->q, n)},
        .rate = {(am_dense_dot(contact->tangent, w->v, n) - surface) / w->omega},
        .depth_rate = -(am_dense_dot(contact->normal, w->v, n) + am_system_gap_rate(s, c, w->z)) / w->omega,
        .N = w->N[c],
        .f = {-w->T[c], -w->second[c]},
    };
    if (contact->second_tangent) {
        moment.u[1] = am_dense_dot(contact->second_tangent, w->q, n);
        moment.rate[1] = am_dense_dot(contact->second_tangent, w->v, n) / w->omega;
    }
    return moment;
}

static void trace_span(tracer *w) {
    const am_motion *engine = w->engine;
    double from = am_motion_span_start(engine), half = 0.5 * (am_motion_time(engine) - from);
    for (size_t g = 0; g < AM_QUADRATURE_POINTS; g++) {
        double node, weight = half * am_quadrature_point(g, &node), t = from + half * (1.0 + node);
        am_motion_at(engine, t, w->q, w->v, w->N, w->T);
        am_motion_second_at(engine, t, w->second);
        am_system_inputs(engine->plan.system, t, w->z);
        for (size_t c = 0; c < engine->plan.m; c++)
            if (am_contact_cycles_want(w->cycles, c)) {
                am_contact_moment moment = moment_of(w, c, t, weight);
                am_contact_trace_add(&w->trace[c], &moment);
            }
    }
}

static am_status trace_orbit(tracer *w, const am_follow_point *x, am_error *err) {
    am_step_kind kind = AM_STEP_SPAN;
    double start = x->how.start;
    AM_TRY(am_motion_start_state(w->engine, start, x->orbit.state, err));
    while (kind != AM_STEP_END) {
        AM_TRY(am_motion_step(w->engine, start + x->orbit.period, &kind, err));
        if (kind != AM_STEP_END)
            trace_span(w);
    }
    return AM_OK;
}

static am_status add_traces(tracer *w, double value, am_error *err) {
    for (size_t c = 0; c < w->engine->plan.m; c++) {
        am_contact_trace *trace = &w->trace[c];
        if (trace->status)
            return am_fail(err, trace->status, "out of memory while contacts are followed");
        trace->impacts = w->engine->impact_loss[c];
        am_contact_trace_sort(trace);
        if (am_contact_cycles_want(w->cycles, c))
            am_contact_cycles_add_trace(w->cycles, c, trace, value);
    }
    return AM_OK;
}

static am_status add_orbit(const am_response *r, const am_follow_point *x, double value,
                           const am_contact_cycles *cycles, am_error *err) {
    AM_LOCAL(am_follow_shut) am_follow_system at = {0};
    AM_LOCAL_ARENA memory = {0};
    AM_TRY(am_follow_open(&r->line, x->p, &at, err));
    am_contact_cycles here = *cycles;
    here.system = at.system; /* the model has made another one */
    tracer w = {.cycles = &here, .engine = at.engine, .omega = two_pi / x->orbit.period};
    AM_TRY(allocate(&w, &memory, err));
    am_status status = trace_orbit(&w, x, err);
    if (!status)
        status = add_traces(&w, value, err);
    for (size_t c = 0; c < at.engine->plan.m; c++)
        am_memory_free(w.trace[c].moment);
    return status;
}

am_status am_response_orbit_cycles(const am_response *r, const am_response_point *point,
                                   const am_contact_cycles *cycles, am_error *err) {
    if (point->near == SIZE_MAX || (!cycles->cycles && !cycles->loops))
        return AM_OK;
    const am_follow_point *near = &r->orbit[point->near];
    if (near->p == point->p)
        return add_orbit(r, near, point->p, cycles, err);
    AM_LOCAL(am_follow_clear) am_follow_point x = {0};
    AM_TRY(am_follow_close_near(&r->line, point->p, near, NULL, &x, err));
    return add_orbit(r, &x, point->p, cycles, err);
}
