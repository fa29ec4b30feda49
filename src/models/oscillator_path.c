/* The quasi-static motion of the oscillator as tables: what analysis `path` answers for this model, whose loads are
 * sines and not the piecewise-linear ones of the general engine. */
#include <math.h>

#include "amontons/models.h"
#include "base/columns.h"
#include "base/object.h"
#include "base/try.h"
#include "base/worse.h"
#include "math/pi.h"
#include "models/play.h"

/* A change of state every quarter cycle would be many: this bounds the table, not the physics. */
static const double most_cycles = 1e6;

typedef struct run {
    const am_oscillator *o;
    am_play play;
    double from, until, delta; /* theta; phase of N */
    am_table *corners, *samples;
    size_t sample_count, next_sample, corner_count;
    double work, loss, moved, complementarity;
} run;

static am_status add_columns(am_table *table, bool with_cause, am_error *err) {
    am_table_describe(table, with_cause ? "t state cause" : "t state");
    am_table_describe_as(table, "<q>", "v");
    am_table_describe_as(table, "N<c>", "N1");
    am_table_describe_as(table, "T<c>", "T1");
    return am_table_status(table, err);
}

static double normal_force(const run *r, double theta) {
    return r->o->beta * (1.0 + r->o->eta * sin(theta + r->delta));
}

/* The friction force T = v - sin(theta) follows from equilibrium; that it obeys its law is what is checked. */
static am_status add_row(run *r, am_table *table, const am_play *p, const char *cause, am_error *err) {
    double N = normal_force(r, p->theta), T = p->v - sin(p->theta);
    double law = p->state == AM_STICK ? fmax(fabs(T) - N, 0.0) : fabs(T - (p->state == AM_FORWARD ? -N : N));
    size_t column = 0;
    r->complementarity = fmax(r->complementarity, law / (N + fabs(T)));
    am_table_add_row(table, err);
    am_table_set_number(table, column++, p->theta / r->o->Omega);
    am_table_set_text(table, column++, am_contact_state_name(p->state), err);
    if (cause)
        am_table_set_text(table, column++, cause, err);
    am_table_set_number(table, column++, p->v);
    am_table_set_number(table, column++, N);
    am_table_set_number(table, column++, T);
    return am_table_status(table, err);
}

static double sample_angle(const run *r, size_t index) {
    return index + 1 == r->sample_count
               ? r->until
               : r->from + (r->until - r->from) * (double)index / (double)(r->sample_count - 1);
}

/* Rows of `samples` up to the present corner, from the state before it. */
static am_status add_samples(run *r, const am_play *before, double end, am_error *err) {
    while (r->next_sample < r->sample_count && sample_angle(r, r->next_sample) <= end) {
        am_play at = *before;
        am_play_next(&at, sample_angle(r, r->next_sample++));
        at.state = before->state;
        AM_TRY(add_row(r, r->samples, &at, NULL, err));
    }
    return AM_OK;
}

static void account(run *r, const am_play *before) {
    double to = r->play.theta, from = before->theta;
    if (before->state == AM_STICK)
        return;
    bool forward = before->state == AM_FORWARD;
    double R = forward ? before->R_f : before->R_b, shift = forward ? -before->a_f : before->a_b;
    double loss = am_play_energy(R, shift, r->o->beta, r->o->beta * r->o->eta, r->delta, from, to);
    double work = am_play_energy(R, shift, 0.0, 1.0, 0.0, from, to);
    r->loss += fabs(loss);
    r->work += work;
    r->moved += fabs(loss) + fabs(work);
}

static am_status walk(run *r, am_error *err) {
    bool changed = true;
    AM_TRY(add_row(r, r->corners, &r->play, "start", err));
    while (changed) {
        am_play before = r->play;
        changed = am_play_next(&r->play, r->until);
        account(r, &before);
        AM_TRY(add_samples(r, &before, r->play.theta, err));
        r->corner_count += changed;
        if (changed)
            AM_TRY(add_row(r, r->corners, &r->play, r->play.state == AM_STICK ? "stop" : "slip", err));
    }
    return AM_OK;
}

static am_status report_cycle(const run *r, am_result *result, am_error *err) {
    am_oscillator_cycle c = am_oscillator_quasistatic(r->o);
    const am_named numbers[] = {{"v_max", c.v_peak},
                                {"v_min", c.v_min},
                                {"v_amplitude", c.v_amplitude},
                                {"vdot_max", fmax(c.vdot_forward, c.vdot_backward)},
                                {"dissipation", r->o->beta * c.dissipation},
                                {"dissipation_ratio", c.dissipation},
                                {"beta_cr", am_oscillator_shakedown_limit(r->o->eta, r->o->delta_deg)}};
    am_result_set_flag(result, "shakedown", c.shakedown, err);
    am_result_set_numbers(result, numbers, sizeof numbers / sizeof *numbers);
    return am_result_set_count(result, "stops", c.shakedown ? 0 : 2, err);
}

static am_status report(const run *r, double v0, am_result *result, am_error *err) {
    double stored = 0.5 * (r->play.v - v0) * (r->play.v + v0);
    double moved = r->moved + fabs(stored);
    double residual = moved > 0.0 ? fabs(r->work - r->loss - stored) / moved : 0.0;
    am_result_set_count(result, "corners", r->corner_count, err);
    am_result_set_count(result, "jumps", 0, err);
    am_result_set_none(result, "first_jump", err);
    am_result_set_text(result, "final_state", am_contact_state_name(r->play.state), err);
    const am_named numbers[] = {{"energy_stored", stored},
                                {"work_loads", r->work},
                                {"loss_friction", r->loss},
                                {"energy_residual", residual},
                                {"complementarity_residual", r->complementarity}};
    am_result_set_numbers(result, numbers, sizeof numbers / sizeof *numbers);
    AM_TRY(am_result_status(result, err));
    if (!(am_worse(residual, r->complementarity) <= 1e-8))
        return am_fail(err, AM_ERR_EVIDENCE, "the path does not pass its own check: energy %.3g, contact laws %.3g",
                       residual, r->complementarity);
    return report_cycle(r, result, err);
}

am_status am_oscillator_path(const am_oscillator *oscillator, double from, double until, double v, size_t samples,
                             am_result *result, am_error *err) {
    if (!oscillator || !am_is(result, AM_TAG_RESULT))
        return am_misused(err, __func__);
    run r = {.o = oscillator,
             .from = oscillator->Omega * from,
             .until = oscillator->Omega * until,
             .delta = remainder(oscillator->delta_deg, 360.0) * pi / 180.0,
             .sample_count = samples == 1 ? 2 : samples};
    if (!(r.until > r.from) || !isfinite(r.from) || !isfinite(r.until))
        return am_fail_field(err, AM_ERR_INPUT, "until", "until must be later than the start of the path");
    if ((r.until - r.from) / (2.0 * pi) > most_cycles)
        return am_fail_field(err, AM_ERR_INPUT, "until", "the path has %.3g cycles; at most %.0e are allowed",
                             (r.until - r.from) / (2.0 * pi), most_cycles);
    if (!isfinite(v))
        return am_fail_field(err, AM_ERR_INPUT, "initial.displacement", "the displacement must be a number");
    r.play = am_play_start(oscillator, r.from, v);
    double v0 = r.play.v;
    r.corners = am_result_add_table(result, "corners", err);
    r.samples = r.corners ? am_result_add_table(result, "samples", err) : NULL;
    if (!r.samples)
        return AM_ERR_MEMORY;
    AM_TRY(add_columns(r.corners, true, err));
    AM_TRY(add_columns(r.samples, false, err));
    AM_TRY(walk(&r, err));
    return report(&r, v0, result, err);
}
