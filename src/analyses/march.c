/* am_march_run: from start to end, once more with a smaller tolerance, and the summary. */
#include "amontons/march.h"

#include <math.h>
#include <string.h>

#include "analyses/analysis.h"
#include "analyses/march/march_record.h"
#include "analyses/stability/sliding.h"
#include "analyses/tables/dynamic_tables.h"
#include "base/local.h"
#include "base/object.h"
#include "base/watch.h"
#include "engines/quasistatic/equilibrium.h"
#include "system/friction_pieces.h"
#include "system/steady.h"
#include "system/system.h"

enum { OPTIONS_COOKIE = 0x414d4d41, SHORT_RUN = 100000 };

/* The second run has this much less tolerance; a fixed step is halved. */
static const double tighter = 0.1;

/* Energy may fail to balance by so much more than the tolerance: errors of steps add up. */
static const double worst_growth = 1e5, worst_residual = 0.02;

/* And impulses may miss the laws of contact by this part of the largest. */
static const double worst_impulse = 1e-8;

am_march_options am_march_options_default(void) {
    return (am_march_options){.tolerance = 1e-8,
                              .samples = 1001,
                              .record_from = -INFINITY,
                              .max_events = 1000000,
                              .max_steps = 100000000,
                              .cookie = OPTIONS_COOKIE};
}

bool am_march_available(am_march_method method) {
    return method != AM_MARCH_ADAPTIVE || am_integrator_available();
}

/* ---- checks ---- */

static am_status check_method(const am_march_options *o, am_error *err) {
    if (o->method != AM_MARCH_ADAPTIVE && o->method != AM_MARCH_NEWMARK && o->method != AM_MARCH_MOREAU_JEAN)
        return am_fail_field(err, AM_ERR_INPUT, "method", "there is no method %d", (int)o->method);
    if (o->method == AM_MARCH_ADAPTIVE && !(o->tolerance >= 1e-13 && o->tolerance <= 1e-2))
        return am_fail_field(err, AM_ERR_INPUT, "tolerance", "the tolerance must lie between 1e-13 and 0.01, not %g",
                             o->tolerance);
    if (o->method != AM_MARCH_ADAPTIVE && !(isfinite(o->step) && o->step > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "step", "a method of fixed step needs a positive step, not %g",
                             o->step);
    if (o->method != AM_MARCH_ADAPTIVE && (o->until - o->from) / o->step > (double)o->max_steps)
        return am_fail_field(err, AM_ERR_INPUT, "step", "a step of %g makes more than %zu steps until t = %g", o->step,
                             o->max_steps, o->until);
    return AM_OK;
}

static am_status check(const am_march_options *o, am_error *err) {
    AM_TRY(am_options_check(o->cookie, OPTIONS_COOKIE, "march", err));
    AM_TRY(am_dynamic_check_times(o->from, o->until, o->record_from, err));
    if (o->equilibrium + o->rest + o->preloaded + (o->displacement || o->velocity) > 1)
        return am_fail_field(
            err, AM_ERR_INPUT, "initial",
            "the start is the sliding equilibrium, at rest, preloaded, or a given displacement and velocity");
    return check_method(o, err);
}

/* Asked last: what no build can answer is told first. */
static am_status check_available(am_march_method method, am_error *err) {
    if (am_march_available(method))
        return AM_OK;
    return am_fail_field(err, AM_ERR_UNSUPPORTED, "method",
                         "the adaptive method needs SUNDIALS, which this library was built without; method: newmark "
                         "with a step works, or install SUNDIALS (Debian: libsundials-dev) and build again");
}

/* ---- the start ---- */

/* Every contact slides against its surface; without friction it does not matter which way. */
static am_status list_sliding(const am_system *system, am_contact_state *state, bool *moves, am_error *err) {
    *moves = true;
    for (size_t c = 0; c < am_system_contacts(system); c++) {
        const am_contact_def *contact = am_system_contact(system, c);
        if (system->drawn[c] || system->lifted[c])
            return am_fail_field(err, AM_ERR_UNSUPPORTED, "initial",
                                 "there is no steady sliding to start from: the %s of contact '%s' varies in time",
                                 system->drawn[c] ? "velocity of the surface" : "gap", contact->name);
        if (contact->surface_velocity == 0.0 && contact->friction > 0.0)
            return am_fail_field(err, AM_ERR_INPUT, "initial",
                                 "there is no steady sliding to start from: the surface of contact '%s' does not move "
                                 "(surface_velocity is zero)",
                                 contact->name);
        *moves = *moves && contact->surface_velocity != 0.0;
        state[c] = contact->surface_velocity < 0.0 ? AM_FORWARD : AM_BACKWARD;
    }
    return AM_OK;
}

static am_status equilibrium(const am_system *system, double *q, am_error *err) {
    AM_LOCAL_MEMORY am_contact_state *state = am_memory_new(am_system_contacts(system), sizeof *state, err);
    if (!state)
        return AM_ERR_MEMORY;
    bool moves;
    AM_TRY(list_sliding(system, state, &moves, err));
    AM_LOCAL(am_steady_sliding_clear) am_steady_sliding steady = {0};
    AM_TRY(am_steady_sliding_init(&steady, system, moves ? NULL : state, NULL, err));
    AM_LOCAL(am_sliding_clear) am_sliding sliding = {0};
    AM_TRY(am_sliding_init(&sliding, steady.system, moves ? NULL : state, err));
    AM_TRY(am_sliding_demand(&sliding, system, err));
    memcpy(q, sliding.q, am_system_size(system) * sizeof *q);
    return AM_OK;
}

/* Displacements, stretches of springs behind sliders, and what friction remembers. */
static am_status find_rest(const am_system *system, const am_march_options *o, double *q, double *stretch,
                           am_result *result, am_error *err) {
    size_t n = am_system_size(system);
    am_equilibrium e;
    AM_TRY(o->rest ? am_equilibrium_rest(&e, system, o->from, err) : am_equilibrium_preload(&e, system, o->from, err));
    if (o->preloaded)
        am_dynamic_report_preload(result, &e);
    memcpy(q, e.state, n * sizeof *q);
    memcpy(stretch, e.state + 2 * n, (am_system_springs(system) + am_system_memories(system)) * sizeof *stretch);
    am_equilibrium_clear(&e);
    return AM_OK;
}

/* y (2n) at the start; rest (2n): without the disturbance. */
static am_status find_start(const am_system *system, const am_march_options *o, double *y, double *rest,
                            double *stretch, am_result *result, am_error *err) {
    size_t n = am_system_size(system);
    if (o->equilibrium)
        AM_TRY(equilibrium(system, rest, err));
    else if (o->rest || o->preloaded)
        AM_TRY(find_rest(system, o, rest, stretch, result, err));
    else if (o->displacement)
        memcpy(rest, o->displacement, n * sizeof *rest);
    if (o->velocity)
        memcpy(rest + n, o->velocity, n * sizeof *rest);
    for (size_t i = 0; i < 2 * n; i++) {
        y[i] = rest[i] + (o->disturbance && i < n ? o->disturbance[i] : 0.0);
        if (!isfinite(y[i]))
            return am_fail_field(err, AM_ERR_INPUT, "initial", "the start must be finite; coordinate %zu is %g",
                                 i % n + 1, y[i]);
    }
    return AM_OK;
}

/* ---- one run ---- */

typedef struct part { /* of the whole progress */
    const am_progress *progress;
    double start, size;
} part;

static am_status follow(am_march_recorder *r, part share, am_error *err) {
    am_march *m = r->march;
    const am_march_options *o = r->options;
    size_t stalled = 0;
    while (m->t < o->until) {
        AM_TRY(am_march_step(m, o->until, err));
        AM_TRY(am_march_record_span(r, err));
        AM_TRY(am_march_settle(m, err));
        AM_TRY(am_march_record_switches(r, err));
        stalled = m->t - m->span_start > 1e-14 * fabs(m->t) ? 0 : stalled + 1;
        if (stalled > 100 + 20 * m->m) {
            char state[256];
            am_march_describe(m, m->state, state, sizeof state);
            return am_fail(err, AM_ERR_NO_STATE,
                           "contacts change state without end at t = %.15g; the last candidate was %s", m->t, state);
        }
        if (m->statistics.events > o->max_events)
            return am_fail(err, AM_ERR_LIMIT,
                           "more than %zu events before t = %.15g; raise max_events if that is meant", o->max_events,
                           m->t);
        if (m->statistics.steps > o->max_steps)
            return am_fail(err, AM_ERR_LIMIT, "more than %zu steps before t = %.15g", o->max_steps, m->t);
        double done = (m->t - o->from) / (o->until - o->from);
        if (m->statistics.steps % 64 == 63 && !am_progress_report(share.progress, share.start + share.size * done))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted at t = %.15g", m->t);
    }
    return am_march_record_end(r, err);
}

static am_status run(am_march_recorder *r, const double *y, const double *rest, part share, am_error *err) {
    am_march *m = r->march;
    AM_TRY(am_march_start(m, r->options->from, y, r->options->equilibrium, err));
    am_march_record_start(r);
    r->from_equilibrium = r->options->equilibrium && m->m > 0;
    if (m->m > 0)
        r->rest_depth = am_march_depth(m, 0, rest);
    return follow(r, share, err);
}

/* ---- the second run ---- */

static double difference(const am_march_recorder *a, const am_march_recorder *b) {
    size_t n = a->march->n, n2 = a->march->size;
    double most = 0.0;
    for (size_t i = 0; i < AM_MARCH_CHECKS * n2; i++) {
        size_t v = i % n2;
        if (v >= n && v < 2 * n && a->march->reach[v - n] > 0.0) /* it leaps, as fast as steps are short */
            continue;
        double d = fabs(a->check[i] - b->check[i]) / a->march->scale[i % n2];
        most = d <= most ? most : d; /* keeps what is not a number */
    }
    return most;
}

static am_status check_run(const am_march_recorder *first, const double *y, const double *rest, am_result *result,
                           part share, am_error *err) {
    am_march_options options = *first->options;
    am_march_recorder second = {0};
    options.tolerance = fmax(options.tolerance * tighter, 1e-14);
    options.step *= 0.5;
    options.max_steps = options.max_steps * 100 > options.max_steps ? options.max_steps * 100 : options.max_steps;
    am_march *march = am_march_create(first->march->system, &options, err);
    am_status status = march ? AM_OK : AM_ERR_MEMORY;
    if (!status)
        status = am_march_record_init(&second, march, &options, NULL, err);
    if (!status)
        status = run(&second, y, rest, share, err);
    bool failed = status == AM_ERR_EVIDENCE || status == AM_ERR_LIMIT; /* too fine for rounding, or for patience */
    if (failed) {
        *err = (am_error){0};
        status = AM_OK;
        am_result_set_none(result, "error_estimate", NULL);
    } else if (!status) {
        am_result_set_number(result, "error_estimate", difference(first, &second), NULL);
        am_result_set_flag(result, "switches_agree",
                           first->changes == second.changes && first->lift_offs == second.lift_offs, NULL);
    }
    am_march_record_clear(&second);
    am_march_free(march);
    return status;
}

static am_status add_worst_residual(const am_march *march, am_result *result, am_error *err) {
    double worst = am_march_worst_residual(march);
    am_result_set_number(result, "complementarity_residual", worst, NULL);
    if (worst <= worst_impulse)
        return AM_OK;
    return am_fail(err, AM_ERR_EVIDENCE,
                   "the motion does not pass its own check: impulses miss the laws of contact by %g of the largest",
                   worst);
}

static am_status finish(am_march_recorder *r, const double *y, const double *rest, am_result *result, part share,
                        am_error *err) {
    const am_march_options *o = r->options;
    bool adaptive = o->method == AM_MARCH_ADAPTIVE, again = o->check == AM_MARCH_CHECK_YES;
    double residual = am_march_energy_residual(r);
    if (o->check == AM_MARCH_CHECK_SHORT)
        again = r->march->statistics.steps <= SHORT_RUN;
    AM_TRY(am_march_summarise(r, result, err));
    am_result_set_text(result, "method",
                       adaptive                        ? "adaptive"
                       : o->method == AM_MARCH_NEWMARK ? "newmark"
                                                       : "moreau-jean",
                       NULL);
    if (adaptive)
        am_result_set_number(result, "tolerance", o->tolerance, NULL);
    else
        am_result_set_number(result, "step", o->step, NULL);
    if (o->method == AM_MARCH_MOREAU_JEAN)
        AM_TRY(add_worst_residual(r->march, result, err));
    if (again)
        AM_TRY(check_run(r, y, rest, result, share, err));
    else
        am_result_set_none(result, "error_estimate", NULL);
    if (adaptive && !(residual <= fmin(worst_residual, worst_growth * o->tolerance)))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the motion does not pass its own check: energy balance off by %g of the energy moved; a "
                       "smaller tolerance than %g may help",
                       residual, o->tolerance);
    return AM_OK;
}

/* The motion until it was stopped. */
static void report_part(am_march_recorder *r, am_result *result, am_error *err) {
    am_error unheard = {0}; /* nothing is claimed of a part */
    am_fail(err, AM_ERR_INTERRUPTED, "interrupted at t = %.15g", r->march->t);
    am_march_summarise(r, result, &unheard);
    am_result_set_none(result, "error_estimate", &unheard);
    am_watch_mark(result);
}

static am_status march_run_watched(const am_system *system, const am_march_options *options, am_result *result,
                                   const am_progress *progress, am_error *err) {
    am_error own = {0};
    am_error *e = err ? err : &own;
    AM_TRY(check(options, e));
    size_t n2 = 2 * am_system_size(system);
    AM_LOCAL_MEMORY double *y =
        am_memory_new(2 * n2 + am_system_springs(system) + am_system_memories(system), sizeof *y, e);
    AM_LOCAL(am_march_free_at) am_march *march = y ? am_march_create(system, options, e) : NULL;
    if (!march)
        return am_error_status(e);
    double *rest = y + n2;
    AM_TRY(check_available(options->method, e));
    AM_TRY(find_start(system, options, y, rest, rest + n2, result, e));
    march->stretch = rest + n2;
    AM_LOCAL(am_march_record_clear) am_march_recorder recorder = {0};
    AM_TRY(am_march_record_init(&recorder, march, options, result, e));
    am_status status = run(&recorder, y, rest, (part){progress, 0.0, 0.4}, e);
    if (status == AM_ERR_INTERRUPTED)
        report_part(&recorder, result, e);
    AM_TRY(status);
    return finish(&recorder, y, rest, result, (part){progress, 0.4, 0.6}, e);
}

am_status am_march_run(const am_system *system, const am_march_options *options, am_result *result,
                       const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(system, AM_TAG_SYSTEM) && options, result, progress, __func__, err));
    return am_analysis_end(&watch, result, march_run_watched(system, options, result, progress, err), err);
}
