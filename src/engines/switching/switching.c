/* The event-driven engine: spans of Taylor series between certified switches. See docs/motion.md. */
#include "amontons/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"
#include "base/watch.h"
#include "engines/switching/switching.h"
#include "laws/law.h"
#include "math/dense.h"
#include "system/capability.h"

/* Flows kept from one step to the next, in bytes and in number; more are dropped and built again when met. */
static const double flow_bytes = 256e6;
static const size_t most_flows = 16384, fewest_flows = 16;

/* Events without any passing of time after which something is wrong. */
static const size_t most_idle = 1000;

/* How often a span is halved whose end does not hold. */
static const int most_halvings = 8;

const char *am_cause_name(am_cause cause) {
    static const char *const names[] = {"lift_off", "impact", "touch_down", "slip", "stop", "load", "follow", "zeno"};
    return (size_t)cause < sizeof names / sizeof *names ? names[cause] : "unknown";
}

/* ---- making and freeing ---- */

/* Space for as many quantities as a flow has: facets of contacts that depend on each other may be more than 3m. */
static am_status reserve_quantities(am_motion *e, size_t count, am_error *err) {
    if (e->order && count <= e->most_quantities)
        return AM_OK;
    am_arena larger = {0};
    size_t *order = am_arena_new(&larger, count, sizeof *order, err);
    size_t *work = am_arena_new(&larger, count, sizeof *work, err);
    bool *in_band = am_arena_new(&larger, count, sizeof *in_band, err);
    if (am_arena_status(&larger)) {
        am_arena_clear(&larger);
        return AM_ERR_MEMORY;
    }
    if (e->order) {
        memcpy(order, e->order, e->most_quantities * sizeof *order);
        memcpy(work, e->order_work, e->most_quantities * sizeof *work);
        memcpy(in_band, e->in_band, e->most_quantities * sizeof *in_band);
    }
    am_arena_clear(&e->quantity_memory);
    e->quantity_memory = larger;
    e->order = order;
    e->order_work = work;
    e->in_band = in_band;
    e->most_quantities = count;
    return AM_OK;
}

am_status am_engine_flow(am_motion *e, const am_contact_state *state, am_flow **flow, am_error *err) {
    am_status status = am_flow_get(e->cache, state, flow, err);
    return status ? status : reserve_quantities(e, (*flow)->quantities, err);
}

static am_status allocate(am_motion *e, am_error *err) {
    size_t n = e->plan.n, m = e->plan.m, nx = e->plan.nx;
    am_arena *memory = &e->memory;
    AM_ARENA_DOUBLES(memory, nx, err, &e->x, &e->imitation.x, &e->imitation.start, &e->x_work[0], &e->x_work[1],
                     &e->size_work[0], &e->size_work[1], &e->size_work[2]);
    AM_ARENA_ARRAYS(memory, am_contact_state, m, err, &e->state, &e->shown, &e->trial, &e->late, &e->instead,
                    &e->expansion, &e->expansion_slip);
    e->series = am_arena_doubles(memory, NULL, AM_ORDERS * nx, err);
    e->mark = am_arena_new(memory, m, sizeof *e->mark, err);
    e->switches = am_arena_new(memory, m, sizeof *e->switches, err);
    AM_ARENA_DOUBLES(memory, n, err, &e->v_before, &e->n_work[0], &e->n_work[1], &e->found);
    AM_ARENA_DOUBLES(memory, m, err, &e->gap_dual, &e->rate_dual, &e->slide_dual, &e->normal_yield, &e->tangent_yield,
                     &e->impact_loss, &e->struck, &e->struck_rate, &e->lost, &e->lost_work);
    AM_ARENA_DOUBLES(memory, 2 * m, err, &e->p_work[0], &e->p_work[1], &e->lambda, &e->impulse);
    AM_ARENA_ARRAYS(memory, size_t, m, err, &e->option_count, &e->digit);
    e->options = am_arena_new(memory, 4 * m, sizeof *e->options, err);
    e->held_back = am_arena_new(memory, m, sizeof *e->held_back, err);
    for (int i = 0; i < 2 && (e->plan.forces > 0 || e->plan.followers > 0); i++)
        e->trial_series[i] = am_arena_doubles(memory, NULL, AM_ORDERS * nx, err);
    if (e->plan.forces > 0)
        AM_TRY(am_forces_reserve(&e->plan, memory, &e->forces, err));
    e->forces.lost = e->lost;
    AM_TRY(am_stiff_reserve(&e->plan, memory, &e->stiff, err));
    if (am_arena_status(memory))
        return AM_ERR_MEMORY;
    return reserve_quantities(e, 3 * m, err);
}

/* row.M^-1 row */
static double yield_along(const am_plan *plan, const am_interval *range, const double *row) {
    double sum = 0.0;
    for (size_t i = range->from; i < range->to; i++)
        sum += row[i] * am_range_dot(range, plan->inverse_mass + i * plan->n, row);
    return sum;
}

static void measure_contacts(am_motion *e) {
    const double *wq = e->plan.weight, *wv = e->plan.weight + e->plan.n;
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        for (size_t i = 0; i < e->plan.n; i++) {
            e->gap_dual[c] += fabs(contact->normal[i]) / wq[i];
            e->rate_dual[c] += fabs(contact->normal[i]) / wv[i];
            e->slide_dual[c] += fabs(contact->tangent[i]) / wv[i];
        }
        const am_system *s = e->plan.system;
        const double *wz = e->plan.weight + e->plan.nd;
        for (size_t j = 1; s->lifted[c] && j < s->nz; j++)
            if (wz[j] > 0.0) {
                e->gap_dual[c] += fabs(s->gap[c * s->nz + j]) / wz[j];
                e->rate_dual[c] += fabs(s->gap_rate[c * s->nz + j]) / wz[j];
            }
        e->normal_yield[c] = yield_along(&e->plan, &e->plan.normal[c], contact->normal);
        e->tangent_yield[c] = yield_along(&e->plan, &e->plan.tangent[c], contact->tangent);
    }
}

/* How many flows of this size fit into what may be spent on them. */
static size_t affordable_flows(const am_plan *plan) {
    double most = flow_bytes / am_flow_bytes(plan);
    return most >= (double)most_flows ? most_flows : most <= (double)fewest_flows ? fewest_flows : (size_t)most;
}

am_motion *am_motion_create(const am_system *system, bool energy, am_error *err) {
    if (!am_is(system, AM_TAG_SYSTEM))
        return am_misused_for_nothing(err, __func__);
    if (am_system_check(system, "motion", err))
        return NULL;
    am_motion *e = am_memory_new(1, sizeof *e, err);
    if (!e)
        return NULL;
    e->tag = AM_TAG_MOTION;
    e->with_energy = energy;
    if (am_system_sharpen(system, &e->sharp, err) || am_plan_init(&e->plan, e->sharp ? e->sharp : system, err) ||
        allocate(e, err) || !(e->cache = am_flow_cache_create(&e->plan, err)) ||
        am_plan_shared_directions(&e->plan, &e->memory, &e->directions, err)) {
        am_motion_free(e);
        return NULL;
    }
    e->most_flows = affordable_flows(&e->plan);
    e->pace.most = am_pace_usual;
    measure_contacts(e);
    return e;
}

void am_motion_free(am_motion *motion) {
    am_motion *e = motion;
    if (!am_is(e, AM_TAG_MOTION))
        return;
    am_arena_clear(&e->memory);
    am_arena_clear(&e->quantity_memory);
    am_arena_clear(&e->sensitivity_memory);
    am_flow_cache_free(e->cache);
    am_steady_free(e->steady);
    am_slopes_free(e->slopes);
    am_plan_clear(&e->plan);
    am_system_free(e->sharp);
    am_object_bury(e, sizeof *e);
}

/* ---- starting ---- */

/* A spring behind a slider must not pull harder than friction holds. */
static am_status check_stretches(const am_motion *e, am_error *err) {
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        if (e->plan.spring[c] == AM_NO_ROW || contact->normal_law == AM_UNILATERAL) /* N is not known yet */
            continue;
        double T = am_plan_is_disc(&e->plan, c)
                       ? am_disc_pull(e, c)
                       : contact->tangential_stiffness * e->x[2 * e->plan.n + e->plan.spring[c]];
        double most = am_engine_friction(e, c, true) * fmax(0.0, am_engine_normal(e, c));
        if (fabs(T) >
            most * (1.0 + 1e-12) + am_engine_rounding(e, contact->tangential_stiffness /
                                                             e->plan.weight[2 * e->plan.n + e->plan.spring[c]]))
            return am_fail_field(
                err, AM_ERR_INPUT, "initial",
                "the spring of contact '%s' pulls with %g at the start, more than friction can hold (%g)",
                contact->name, fabs(T), most);
    }
    return AM_OK;
}

static am_status check_start(const am_motion *e, am_error *err) {
    for (size_t i = 0; i < e->plan.nx; i++)
        if (!isfinite(e->x[i]))
            return am_fail_field(err, AM_ERR_INPUT, "initial", "the start must consist of finite numbers");
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        double gap = am_engine_gap(e, c);
        if (contact->normal_law == AM_UNILATERAL && !am_plan_leans(&e->plan, c) &&
            gap < -am_engine_rounding(e, e->gap_dual[c]) - DBL_EPSILON * fabs(contact->gap))
            return am_fail_field(err, AM_ERR_INPUT, "initial.displacement",
                                 "the start penetrates contact '%s' by %g; its gap must not be negative", contact->name,
                                 -gap);
    }
    return check_stretches(e, err);
}

/* Where static friction is above kinetic, a spring that pulls with the kinetic force may belong to a slider that slips
 * or to one that sticks: the state does not say. At exactly that force, and moving on in its direction, it slips: a
 * slider that sticks passes there in no time. Without this a motion that is put back on a state of its own would go on
 * differently. */
static am_contact_state slider_at_start(const am_motion *e, size_t c, double t) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    size_t spring = 2 * e->plan.n + e->plan.spring[c];
    if (contact->normal_law == AM_UNILATERAL)
        return am_engine_touches(e, c) ? AM_STICK : AM_OPEN;
    if (am_contact_is_compliant(contact))
        return am_engine_normal(e, c) > 0.0 ? AM_STICK : AM_OPEN; /* one that slips: am_sliders_start */
    double k = contact->tangential_stiffness, T = -k * e->x[spring];
    double limit = contact->friction * am_function_at(&contact->hold, t);
    am_contact_state slips = T < 0.0 ? AM_FORWARD : AM_BACKWARD;
    if (!am_contact_drops(contact) || fabs(fabs(T) - limit) > am_engine_rounding(e, k / e->plan.weight[spring]))
        return AM_STICK;
    double own = -am_slip_sign(slips) * contact->friction * am_function_rate(&contact->hold, t) / k;
    double velocity = am_dense_dot(contact->tangent, e->x + e->plan.n, e->plan.n) - am_engine_surface(e, c) - own;
    return -am_slip_sign(slips) * velocity > am_engine_rounding(e, e->slide_dual[c]) ? slips : AM_STICK;
}

/* Begin at the state that stands in x. */
static am_status begin(am_motion *e, double t, am_error *err) {
    e->span_flow = NULL; /* nothing has moved yet: not before the start has succeeded */
    e->now = e->span_start = am_exact_time_at(t);
    e->span_length = 0.0;
    e->watched = 0;
    e->at_maximum = false;
    e->begun = t;
    e->zero = AM_ROUNDING * DBL_EPSILON;
    am_system_inputs(e->plan.system, t, e->x + e->plan.nd);
    am_disc_admit(e);
    am_sliders_admit(e);
    am_engine_measure(e);
    if (e->plan.lights > 0 && isfinite(t) && am_dense_is_finite(e->x, e->plan.nx))
        AM_TRY(am_light_start(e, err));
    AM_TRY(isfinite(t) ? check_start(e, err) : am_fail(err, AM_ERR_INPUT, "the start time must be finite"));
    e->statistics = (am_motion_statistics){0};
    e->energy = (am_energy){.start = am_engine_kinetic(e) + am_engine_potential(e)};
    memset(e->impact_loss, 0, e->plan.m * sizeof *e->impact_loss);
    for (size_t c = 0; c < e->plan.m; c++)
        e->struck[c] = -INFINITY;
    e->idle = e->recent_impacts = e->quiet = e->next_stride = 0;
    e->imitation.target = t;
    am_pace_start(e);
    am_stiff_start(e);
    memset(e->lost, 0, e->plan.m * sizeof *e->lost);
    /* Every contact is looked at as if it had been open: those that touch are found by their gap. Held ones never open.
     */
    for (size_t c = 0; c < e->plan.m; c++)
        e->state[c] = am_plan_leans(&e->plan, c) || am_plan_creeps(&e->plan, c) ? e->state[c] /* am_light_start */
                      : e->plan.spring[c] != AM_NO_ROW                          ? slider_at_start(e, c, t)
                      : e->plan.system->contact[c].normal_law == AM_HELD        ? AM_FORWARD
                                                                                : AM_OPEN;
    e->next_break = am_system_break_after(e->plan.system, t);
    am_flow_cache_trim(e->cache, e->most_flows, NULL);
    if (e->plan.springs > 0) /* of sliders that slip already */
        AM_TRY(am_sliders_start(e, err));
    double *followed = e->sensitivity; /* it begins after what happens at the start */
    e->sensitivity = NULL;
    am_status status = am_engine_happen(e, NULL, AM_CAUSE_LOAD, err);
    e->sensitivity = followed;
    if (status)
        return status;
    /* The first state is a start, not a change. An impact at the start stays counted as one. */
    e->statistics.state_changes = e->statistics.finite_changes = e->statistics.touches = e->statistics.events = 0;
    e->switch_count = 0;
    e->span_flow = e->flow;
    memcpy(e->series, e->x, e->plan.nx * sizeof *e->x);
    if (e->sensitivity)
        am_engine_sensitivity_start(e);
    return AM_OK;
}

/* What remembers begins as its law says. */
static void start_inner(am_motion *e) {
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_speed_friction *use = &e->plan.system->contact[c].speed_friction;
        for (size_t i = 0; i < am_law_memories(use); i++)
            if (am_law_named(use->law)->memory[i].start)
                e->x[2 * e->plan.n + e->plan.inner[c] + i] =
                    am_law_named(use->law)->memory[i].start(use, fabs(am_engine_slide(e, c)));
    }
}

am_status am_motion_start(am_motion *motion, double t, const double *q, const double *v, am_error *err) {
    if (!am_is(motion, AM_TAG_MOTION))
        return am_misused(err, __func__);
    am_motion *e = motion;
    size_t n = e->plan.n;
    memset(e->x, 0, e->plan.nx * sizeof *e->x);
    if (q)
        memcpy(e->x, q, n * sizeof *q);
    if (v)
        memcpy(e->x + n, v, n * sizeof *v);
    am_system_inputs(e->plan.system, t, e->x + e->plan.nd); /* surfaces may move */
    start_inner(e);
    return begin(e, t, err);
}

am_status am_motion_start_state(am_motion *motion, double t, const double *state, am_error *err) {
    if (!am_is(motion, AM_TAG_MOTION) || !state)
        return am_misused(err, __func__);
    memset(motion->x, 0, motion->plan.nx * sizeof *motion->x);
    memcpy(motion->x, state, motion->plan.nd * sizeof *state);
    return begin(motion, t, err);
}

/* ---- stepping ---- */

/* Two neighbouring entries of x at `length` into the series: Horner's rule for even and for odd orders, which do not
 * wait for each other. */
static void evaluate_pair(const double *c, size_t nx, double length, double *x) {
    typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
    const double square = length * length;
    c += (AM_DEGREE - 1) * nx;
    pair even = *(const pair *)(const void *)c, odd = *(const pair *)(const void *)(c + nx);
    for (size_t k = AM_DEGREE - 1; k > 0; k -= 2) {
        c -= 2 * nx;
        even = even * square + *(const pair *)(const void *)c;
        odd = odd * square + *(const pair *)(const void *)(c + nx);
    }
    *(pair *)(void *)x = odd * length + even;
}

/* Entries [from, to) of x at `length` into the series. */
static void evaluate_range(const am_motion *e, double length, size_t from, size_t to, double *restrict x) {
    size_t nx = e->plan.nx, i = from;
    for (; i + 2 <= to; i += 2)
        evaluate_pair(e->series + i, nx, length, x + i);
    if (i == to)
        return;
    const double *c = e->series + AM_DEGREE * nx + i;
    double value = *c;
    for (size_t k = AM_DEGREE; k-- > 0;) {
        c -= nx;
        value = value * length + *c;
    }
    x[i] = value;
}

/* Constants and ramps have two orders, forces and other loads have all. */
static void evaluate_inputs(const am_motion *e, double length, double *restrict x) {
    const double *z = e->series, *rate = z + e->plan.nx;
    if (e->written.orders > 2)
        evaluate_range(e, length, e->plan.nd, e->plan.nx, x);
    else
        for (size_t j = e->plan.nd; j < e->plan.nx; j++)
            x[j] = rate[j] * length + z[j];
}

/* x (its first `count` entries, nd or nx) at `length` into the present series. What does not accelerate keeps its
 * velocity. */
void am_engine_evaluate(const am_motion *e, double length, double *x, size_t count) {
    size_t n = e->plan.n, from = e->written.from, to = e->written.to;
    const double *q = e->series, *v = q + n;
    if (count > e->plan.nd)
        evaluate_inputs(e, length, x);
    if (from == 0 && to == n) {
        evaluate_range(e, length, 0, e->plan.nd, x);
        return;
    }
    for (size_t i = 0; i < n; i++)
        x[i] = v[i] * length + q[i];
    memcpy(x + n, v, n * sizeof *x);
    evaluate_range(e, length, from, to, x);
    evaluate_range(e, length, n + from, n + to, x);
    evaluate_range(e, length, 2 * n, e->plan.nd, x);
}

void am_engine_coordinates(const am_motion *e, double length, double *q) {
    size_t n = e->plan.n, from = e->written.from, to = e->written.to;
    for (size_t i = 0; i < n; i++)
        q[i] = e->series[n + i] * length + e->series[i];
    evaluate_range(e, length, from, to, q);
}

static void advance(am_motion *e, double length, am_exact_time to) {
    if (e->with_energy)
        am_engine_account(e, length);
    if (e->sensitivity)
        am_engine_sensitivity_span(e, length);
    am_engine_evaluate(e, length, e->x, e->plan.nd);
    e->idle = am_exact_time_until(e->now, to) > 0.0 ? 0 : e->idle + 1;
    e->span_start = e->now;
    e->span_length = length;
    e->span_flow = e->flow;
    e->now = to;
    am_system_inputs_at(e->plan.system, to, e->x + e->plan.nd);
    am_engine_creep(e, length, e->x, e->lost);
    if (e->flow->stepwise)
        am_engine_load_again(e);
    e->fresh = false;
    e->statistics.spans++;
    e->quiet++;
    e->zero += AM_SPAN_ROUNDING * DBL_EPSILON;
}

/* After a stride; there is no series of it. */
static void finish_stride(am_motion *e, double length) {
    if (e->sensitivity)
        am_engine_sensitivity_span(e, length);
    e->idle = 0;
    e->now = am_exact_time_after(e->now, length);
    e->span_start = e->now;
    e->span_length = 0.0;
    e->span_flow = e->flow;
    am_system_inputs_at(e->plan.system, e->now, e->x + e->plan.nd);
    if (e->flow->drifts)
        am_engine_project(e, e->flow);
    if (e->sensitivity)
        am_engine_rate(e, e->flow, e->rate_event);
    e->statistics.spans++;
    e->quiet++;
    e->zero += AM_SPAN_ROUNDING * DBL_EPSILON;
}

static am_status fail_held(const am_motion *e, const am_quantity *trigger, am_error *err) {
    return am_fail_field(
        err, AM_ERR_UNSUPPORTED, "contacts",
        "the held contact '%s' separates at t = %.15g: its normal force vanishes; a held contact must be pressed "
        "at all times",
        e->plan.system->contact[trigger->contact].name, e->now.t);
}

static am_status cross(am_motion *e, double length, const am_crossing *first, am_error *err) {
    const am_quantity trigger = e->flow->quantity[first->quantity];
    if (e->in_band[first->quantity] && e->statistics.grazes > 0)
        e->statistics
            .grazes--; /* what looked like a touch at the end of the last span was the beginning of this switch */
    double part = first->where * length;
    advance(e, part, am_exact_time_after(e->now, part));
    if (e->sensitivity)
        am_engine_sensitivity_before(e, am_slider_trigger_row(e, first->quantity));
    if (e->sensitivity && trigger.kind == AM_QUANTITY_GAP)
        am_engine_sensitivity_hop(e, trigger.contact);
    bool held = e->plan.system->contact[trigger.contact].normal_law == AM_HELD;
    if (held && trigger.kind == AM_QUANTITY_NORMAL)
        return fail_held(e, &trigger, err);
    if (e->idle > most_idle)
        return am_fail(err, AM_ERR_LIMIT, "events accumulate at t = %.15g (contact '%s') without an end", e->now.t,
                       e->plan.system->contact[trigger.contact].name);
    return am_engine_happen(e, &trigger, AM_CAUSE_FOLLOW, err);
}

/* After so many spans what contacts hold is put back there, where rounding makes it drift. */
enum { HOLD_AGAIN = 4 };

/* The end of a span without a switch: maybe a break of the loads, maybe the limit. */
static am_status pass(am_motion *e, double length, am_exact_time to, bool at_break, am_error *err) {
    memset(e->in_band, 0, e->most_quantities * sizeof *e->in_band);
    advance(e, length, to);
    if (e->flow->drifts && e->statistics.spans % HOLD_AGAIN == 0 && !at_break) /* where surfaces may jump */
        am_engine_project(e, e->flow);
    if (!at_break) {
        if (e->sensitivity)
            am_engine_rate(e, e->flow, e->rate_event);
        if (e->plan.damped ||
            e->flow->active > 0) /* the oscillation decays: the proof may come earlier than foreseen */
            return am_engine_seek_final(e, err);
        return AM_OK;
    }
    e->next_break = am_system_break_after(e->plan.system, e->now.t);
    if (e->sensitivity)
        am_engine_sensitivity_before(e, NULL);
    return am_engine_happen(e, NULL, AM_CAUSE_LOAD, err);
}

/* ---- fixed-step switching, imitated (imitate.c) ---- */

/* Too late for what has changed sign: it is put where the switch should have been, then the usual decision follows. */
static am_status switch_late(am_motion *e, am_error *err) {
    am_error undecided = {0};
    size_t q = am_engine_overshot(e);
    if (q == AM_NEVER) /* it returned within rounding */
        return am_engine_happen(e, NULL, AM_CAUSE_FOLLOW, err);
    const am_quantity trigger = e->flow->quantity[q];
    if (e->plan.system->contact[trigger.contact].normal_law == AM_HELD && trigger.kind == AM_QUANTITY_NORMAL)
        return fail_held(e, &trigger, err);
    am_engine_switched(e, e->late);
    am_engine_put_back(e);
    am_status status = am_engine_happen(e, &trigger, AM_CAUSE_FOLLOW, &undecided);
    if (status == AM_ERR_NO_STATE || status == AM_ERR_SEVERAL_STATES)
        return am_engine_happen_by_rule(e, &trigger, err);
    if (status && err)
        *err = undecided;
    return status;
}

/* A step can be taken: it has a length, and the clock can tell a thousandth of it (else its events have no time). */
static am_status fail_size(const am_motion *e, am_error *err) {
    return am_fail(err, AM_ERR_LIMIT, "the motion grows beyond what numbers can hold near t = %.15g", e->now.t);
}

am_status am_engine_fail_jump(const am_motion *e, am_error *err) {
    return am_fail(err, AM_ERR_LIMIT,
                   "at t = %.15g the velocity of a coordinate without mass would have to jump: friction falls as fast "
                   "with it as damping rises, or faster; give the coordinate a mass, or more damping",
                   e->now.t);
}

/* What decays faster than any step: a law that is steep, or one without a value at rest, where its contact comes to. */
static am_status fail_steep(const am_motion *e, am_error *err) {
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        if (!am_law_sticks(&contact->speed_friction) && am_is_closed(e->state[c]) &&
            !am_law_holds_at_rest(&contact->speed_friction))
            return am_fail(err, AM_ERR_LIMIT,
                           "at t = %.15g contact '%s' slides ever more slowly, and its friction (law %s) has no value "
                           "at rest: %s",
                           e->now.t, contact->name, contact->speed_friction.law,
                           am_law_named(contact->speed_friction.law)->not_at_rest);
    }
    return am_fail(
        err, AM_ERR_LIMIT,
        "at t = %.15g something decays so fast that no step can follow it, neither a series nor the implicit "
        "method: a law of friction that is less steep at rest, or a normal force that does not vanish, can "
        "be followed",
        e->now.t);
}

static am_status check_length(const am_motion *e, double length, double limit, am_error *err) {
    if (!(length > 0.0) && am_stiff_failed(e))
        return fail_steep(e, err);
    if (!(length > 0.0))
        return e->forces.folded ? am_engine_fail_jump(e, err) : fail_size(e, err);
    double told = e->flow->stepwise ? 1e3 : 1e-3; /* next to rest a law may ask for short spans without events */
    if (e->stiff && am_stiff_made(e)) /* and a speed that is turned by steep friction for even shorter ones */
        told = 1e16;
    bool lost = length < limit && !(e->now.t + told * length > e->now.t);
    if (lost && e->plan.followers > 0)
        return am_engine_fail_jump(e, err);
    if (lost)
        return am_fail(err, AM_ERR_LIMIT,
                       "at t = %.15g a step of the motion, %.3g, is lost in the rounding of time; let time begin "
                       "nearer to zero",
                       e->now.t, length);
    return AM_OK;
}

/* Where a step ends at the latest: a break of the loads is known to more digits than the caller's times. */
static am_exact_time stop_at(const am_motion *e, double t) {
    return t < e->next_break.t ? am_exact_time_at(t) : e->next_break;
}

static am_status imitated_step(am_motion *e, double until, am_step_kind *kind, am_error *err) {
    am_imitation *imitation = &e->imitation;
    *kind = AM_STEP_EVENT;
    if (!(e->now.t < e->next_break.t))
        return pass(e, 0.0, e->now, true, err);
    if (!(e->now.t < imitation->target))
        am_engine_set_target(e);
    double target = fmin(until, imitation->target);
    am_exact_time stop = stop_at(e, target);
    double limit = am_exact_time_until(e->now, stop), length = am_engine_expand(e, limit);
    AM_TRY(check_length(e, length, limit, err));
    bool whole = length >= limit, there = whole && target == imitation->target;
    if (there && imitation->switches) {
        advance(e, length, stop);
        return switch_late(e, err);
    }
    bool at_break = there && stop.t == e->next_break.t;
    *kind = at_break ? AM_STEP_EVENT : AM_STEP_SPAN;
    return pass(e, length, whole ? stop : am_exact_time_after(e->now, length), at_break, err);
}

/* So little stretch, of what a slider goes at rest in the structure's own time, is none. */
static const double rest_of_stretch = 1e-6;

/* A slider behind a spring whose friction follows the way goes where the bodies go. Where a layer that is curved has only
 * just begun to press, a step may lead beyond the stretch at which that ends: the slider would never slip again. */
static am_status check_sliders(const am_motion *e, am_error *err) {
    size_t nx = e->plan.nx;
    for (size_t c = 0; e->plan.inners > 0 && c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        if (!am_slider_goes_with_bodies(e, c))
            continue;
        double slide = am_engine_slide(e, c);
        double own = slide - am_dense_dot(e->flow->A + (e->plan.n + e->plan.inner[c]) * nx, e->x, nx);
        if (fabs(slide) > am_engine_rounding(e, e->slide_dual[c]) && slide * own < 0.0)
            return am_fail(err, AM_ERR_LIMIT,
                           "at t = %.15g next to nothing presses '%s', whose friction (law %s) divides by its normal "
                           "force: where its slider goes is lost in rounding; a layer that is not curved (spring, "
                           "kelvin-voigt), or a preload, can be followed",
                           e->now.t, contact->name, am_law_named(contact->speed_friction.law)->alone->name);
    }
    return AM_OK;
}

/* Where the law of a slider behind a spring has no value at rest (rate-and-state, form log) its speed jumps with the sign of
 * the stretch. A spring that is relaxed stays so where the bodies go more slowly than it would on either side. */
static am_status check_at_rest(const am_motion *e, am_error *err) {
    for (size_t j = 0; j < e->plan.forces; j++) {
        const am_force *force = &e->plan.force[j];
        size_t c = force->owner;
        if (!force->leaps || force->kind != AM_FORCE_DRAG || !am_is_closed(e->state[c]))
            continue;
        const am_speed_friction *use = &e->plan.system->contact[c].speed_friction;
        const am_law *alone = am_law_named(use->law)->alone;
        const double *w = e->x + 2 * e->plan.n + e->plan.inner[c];
        double relaxed[AM_LAW_MEMORIES] = {0.0}, N = am_engine_normal(e, c);
        memcpy(relaxed + 1, w + 1, (am_law_memories(use) - 1) * sizeof *w);
        double rate = am_law_drag_at(use, fabs(am_engine_slide(e, c)), N, relaxed).rate[0].value;
        if (fabs(w[0]) <=
                rest_of_stretch * fabs(am_law_drag_at(use, 0.0, N, relaxed).rate[0].value) / e->plan.frequency &&
            rate < 0.0)
            return am_fail(err, AM_ERR_LIMIT,
                           "at t = %.15g the spring of contact '%s' is relaxed and its bodies hardly slide, where its "
                           "friction (law %s) has no value: %s",
                           e->now.t, e->plan.system->contact[c].name, alone->name, alone->not_at_rest);
    }
    return AM_OK;
}

/* What a step has led to is a number, and the end is in sight. */
static am_status check_step(am_motion *e, double until, am_error *err) {
    for (size_t i = 0; i < e->plan.nd; i++)
        if (!isfinite(e->x[i]))
            return fail_size(e, err);
    AM_TRY(e->stiff ? am_stiff_check(e, err) : AM_OK);
    AM_TRY(check_sliders(e, err));
    AM_TRY(check_at_rest(e, err));
    return am_pace_check(e, until, err);
}

/* Multiplications of a span, about: a series of the state. */
static double span_work(const am_plan *plan) {
    return (double)AM_ORDERS * (double)plan->nx * (double)plan->nx;
}

/* A law that remembers divides by the normal force, and has no series up to where that vanishes: of a contact that parts
 * and is pressed by no more than a few roundings, the quantity that does. NULL: there is none. */
static const double few_roundings = 16.0;

static const am_quantity *find_parting(const am_motion *e) {
    for (size_t q = 0; e->plan.inners > 0 && q < e->flow->quantities; q++) {
        const am_quantity *quantity = &e->flow->quantity[q];
        size_t c = quantity->contact;
        const am_contact_def *contact = &e->plan.system->contact[c];
        if (quantity->kind != AM_QUANTITY_NORMAL || e->plan.inner[c] == AM_NO_ROW ||
            contact->normal_law != AM_KELVIN_VOIGT || am_contact_is_damped(contact) ||
            !am_force_inner_is_directed(&e->plan, c, 0))
            continue;
        double value = am_extent_dot(&e->flow->row_extent[q], e->flow->row + q * e->plan.nx, e->x);
        if (value <= few_roundings * am_engine_rounding(e, e->flow->dual[q]) &&
            am_engine_gap_rate(e, c) > am_engine_rounding(e, e->rate_dual[c]))
            return quantity;
    }
    return NULL;
}

am_status am_engine_need_start(const am_motion *e, am_error *err) {
    if (am_engine_started(e))
        return AM_OK;
    return am_fail(err, AM_ERR_INPUT, "the motion has no start: am_motion_start was not called, or it failed");
}

am_status am_motion_step(am_motion *motion, double until, am_step_kind *kind, am_error *err) {
    if (!am_is(motion, AM_TAG_MOTION) || !kind)
        return am_misused(err, __func__);
    am_motion *e = motion;
    e->switch_count = 0;
    e->at_maximum = false;
    AM_TRY(am_engine_need_start(e, err));
    if (!isfinite(until))
        return am_fail_field(err, AM_ERR_INPUT, "until", "the time to stop at must be a finite number");
    am_status status = am_watch_spend(span_work(&e->plan), err);
    if (!status && e->seek_final && !e->final_known)
        status = am_engine_seek_final(e, err);
    if (status)
        return status;
    if (e->seek_final && e->now.t >= e->final_time) {
        *kind = AM_STEP_FINAL;
        return AM_OK;
    }
    if (!(e->now.t < until)) {
        *kind = AM_STEP_END;
        return AM_OK;
    }
    am_flow_cache_trim(e->cache, e->most_flows, e->flow);
    if (e->imitation.step > 0.0) {
        status = imitated_step(e, until, kind, err);
        return status ? status : check_step(e, until, err);
    }
    am_exact_time stop = stop_at(e, until);
    double limit = am_exact_time_until(e->now, stop), length = 0.0;
    if (e->strides)
        AM_TRY(am_stride_try(e, limit, &length, err));
    if (length > 0.0) {
        *kind = AM_STEP_SPAN;
        finish_stride(e, length);
        return check_step(e, until, err);
    }
    length = am_engine_expand(e, limit);
    if (!(limit > 0.0)) { /* an event fell on a break of the loads */
        *kind = AM_STEP_EVENT;
        return pass(e, 0.0, e->now, true, err);
    }
    am_quantity turned;
    const am_quantity *parts = find_parting(e);
    if (parts)
        turned = *parts;
    if (parts || (!(length > 0.0) && am_stiff_settle(e, &turned))) {
        *kind = AM_STEP_EVENT;
        e->idle++;
        if (e->sensitivity)
            am_engine_sensitivity_before(e, parts ? e->flow->row + (size_t)(parts - e->flow->quantity) * e->plan.nx
                                                  : NULL);
        return e->idle > most_idle ? fail_size(e, err) : am_engine_happen(e, &turned, AM_CAUSE_FOLLOW, err);
    }
    AM_TRY(check_length(e, length, limit, err));
    am_crossing first = am_engine_first_crossing(e, length);
    for (int i = 0; i < most_halvings && first.quantity != AM_NEVER && !am_engine_holds_at(e, first.where * length);
         i++) { /* a law has something to say on the way that the series does not know of */
        length *= 0.5 * first.where;
        first = am_engine_first_crossing(e, length);
    }
    e->statistics.grazes += first.grazes;
    if (isnan(first.where))
        return fail_size(e, err);
    bool crosses = first.quantity != AM_NEVER;
    double part;
    if (e->watched && am_engine_first_maximum(e, crosses ? first.where * length : length, &part)) {
        *kind = AM_STEP_SPAN;
        status = pass(e, part, am_exact_time_after(e->now, part), false, err);
        e->at_maximum = true;
    } else if (crosses) {
        *kind = AM_STEP_EVENT;
        status = cross(e, length, &first, err);
    } else {
        bool whole = length >= limit, at_break = whole && stop.t == e->next_break.t;
        *kind = at_break ? AM_STEP_EVENT : AM_STEP_SPAN;
        status = pass(e, length, whole ? stop : am_exact_time_after(e->now, length), at_break, err);
    }
    return status ? status : check_step(e, until, err);
}

am_status am_engine_run_until(am_motion *e, double until, am_error *err) {
    am_step_kind kind = AM_STEP_SPAN;
    am_status status = AM_OK;
    while (!status && kind != AM_STEP_END)
        status = am_motion_step(e, until, &kind, err);
    return status;
}

void am_motion_seek_final(am_motion *motion, bool seek) {
    if (!am_is(motion, AM_TAG_MOTION))
        return;
    motion->seek_final = seek;
    motion->final_known = false;
}
