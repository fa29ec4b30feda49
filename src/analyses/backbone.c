#include "amontons/backbone.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/analysis.h"
#include "analyses/backbone/backbone_internal.h"
#include "analyses/tables/contact_cycles.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"
#include "math/trigonometric.h"
#include "system/system.h"

enum { BACKBONE_COOKIE = 0x414d4242, MOST_HARMONICS = 4096 };

am_backbone_options am_backbone_options_default(void) {
    return (am_backbone_options){.mode = 1,
                                 .from = NAN,
                                 .to = NAN,
                                 .most_harmonics = 96,
                                 .most_points = 10000,
                                 .most_branches = 20,
                                 .cookie = BACKBONE_COOKIE};
}

/* ---- options ---- */

static am_status check_values(const am_backbone *b, am_error *err) {
    const am_backbone_options *o = b->options;
    if (!(b->from > 0.0) || !(b->to > b->from) || !isfinite(b->to))
        return am_fail_field(err, AM_ERR_INPUT, "to", "amplitudes must go up from a positive one, not from %g to %g",
                             b->from, b->to);
    for (size_t v = 0; v < o->value_count; v++)
        if (!(o->values[v] >= b->from && o->values[v] <= b->to))
            return am_fail_field(err, AM_ERR_INPUT, "values", "the amplitude %g lies outside the range from %g to %g",
                                 o->values[v], b->from, b->to);
    return AM_OK;
}

static am_status check(am_backbone *b, am_error *err) {
    const am_backbone_options *o = b->options;
    AM_TRY(am_options_check(o->cookie, BACKBONE_COOKIE, "backbone", err));
    if (o->mode < 1)
        return am_fail_field(err, AM_ERR_INPUT, "mode", "modes are counted from 1");
    if (o->harmonics > MOST_HARMONICS || (o->harmonics == 0 && o->most_harmonics > MOST_HARMONICS))
        return am_fail_field(err, AM_ERR_INPUT, o->harmonics > 0 ? "harmonics" : "most_harmonics",
                             "%zu harmonics are more than can be balanced; at most %d",
                             o->harmonics > 0 ? o->harmonics : o->most_harmonics, MOST_HARMONICS);
    if (o->harmonics == 0 && o->most_harmonics == 0)
        return am_fail_field(err, AM_ERR_INPUT, "most_harmonics", "a motion needs at least one harmonic");
    if (!(o->tolerance >= 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "tolerance", "the tolerance must not be negative");
    b->from = o->from;
    b->to = o->to;
    if (isnan(b->from) && isnan(b->to) && o->value_count > 1) {
        b->from = b->to = o->values[0];
        for (size_t v = 1; v < o->value_count; v++) {
            b->from = fmin(b->from, o->values[v]);
            b->to = fmax(b->to, o->values[v]);
        }
    }
    if (isnan(b->from) || isnan(b->to))
        return am_fail_field(err, AM_ERR_INPUT, "to", "a backbone needs its range of amplitudes: from and to");
    return check_values(b, err);
}

/* ---- one number of harmonics ---- */

static void clear(am_backbone *b) {
    am_backbone_equations_close(&b->equations);
    am_backbone_equations_close(&b->finer);
    am_arena_clear(&b->memory);
    am_memory_free(b->point);
    am_memory_free(b->points);
    am_memory_free(b->reports);
}

am_status am_backbone_open(am_backbone *b, size_t harmonics, am_error *err) {
    AM_TRY(am_backbone_equations_open(b, b->options->parity, harmonics, &b->equations, err));
    b->H = harmonics;
    b->S = am_trig_size(harmonics);
    b->n = am_balance_coordinates(b->equations.balance);
    AM_ARENA_DOUBLES(&b->memory, (b->n + b->contacts) * b->S + 2, err, &b->y, &b->trial, &b->first, &b->signals);
    b->column = am_arena_doubles(&b->memory, NULL, 2 * b->n, err);
    b->logarithms = am_arena_doubles(&b->memory, NULL, b->options->value_count, err);
    for (size_t v = 0; v < b->options->value_count && b->logarithms; v++)
        b->logarithms[v] = log(b->options->values[v]);
    return am_arena_status(&b->memory);
}

static am_status run_with(am_backbone *b, size_t harmonics, am_error *err) {
    AM_TRY(am_backbone_open(b, harmonics, err));
    AM_TRY(am_backbone_start(b, err));
    AM_TRY(am_backbone_follow(b, err));
    return am_backbone_truncation(b, err);
}

/* How far the harmonics left out may move the motion: chosen harmonics must converge; given ones are what was asked for,
 * be it a describing function, and the summary says what they leave out. Half the motion is no approximation of it. */
static double tolerance_of(const am_backbone_options *o) {
    return o->tolerance > 0.0 ? o->tolerance : o->harmonics > 0 ? 0.5 : 1e-6;
}

/* Harmonics are doubled until what they leave out is below the tolerance. */
static am_status raise_harmonics(am_backbone *b, am_error *err) {
    enum { FIRST = 5 };
    am_backbone fresh = *b;
    size_t most = b->options->most_harmonics, harmonics = FIRST < most ? FIRST : most;
    am_status status = run_with(b, harmonics, err);
    while (!status && b->truncation > tolerance_of(b->options) && harmonics < most) {
        harmonics = 2 * harmonics < most ? 2 * harmonics : most;
        clear(b);
        *b = fresh;
        status = run_with(b, harmonics, err);
    }
    return status;
}

/* A tolerance that was not met is no result. */
static am_status check_truncation(const am_backbone *b, am_error *err) {
    double tolerance = tolerance_of(b->options);
    if (b->truncation <= tolerance)
        return AM_OK;
    return am_fail_field(err, AM_ERR_LIMIT, b->options->harmonics > 0 ? "harmonics" : "tolerance",
                         "with %zu harmonics those left out move the mode by %.2g of its size at the amplitude %.6g, "
                         "and the tolerance is %g: take %s, or a tolerance that can be met",
                         b->H, b->truncation, b->truncation_at, tolerance,
                         b->options->harmonics > 0 ? "more harmonics" : "larger most_harmonics");
}

/* ---- the whole ---- */

/* What springs behind sliders are stretched by before the structure vibrates. Laws that a preload does not know leave them
 * relaxed in the mean. */
static am_status find_rest(am_backbone *b, am_error *err) {
    const am_system *free_system;
    am_error own = {0};
    if (am_system_springs(b->system) == 0)
        return AM_OK;
    AM_TRY(am_model_line_at(&b->line, 0.0, &free_system, err));
    am_status status = am_equilibrium_preload(&b->rest, free_system, 0.0, &own);
    return status && status != AM_ERR_UNSUPPORTED ? am_fail_field(err, status, "preload", "%s", own.message) : AM_OK;
}

/* A preview, where one is asked for and the trace has modes that fit. */
static am_status try_preview(am_backbone *b, am_result *result, bool *drawn, am_error *err) {
    const am_backbone fresh = *b;
    am_status status = am_backbone_preview(b, result, drawn, err);
    if (status || *drawn)
        return status;
    clear(b);
    *b = fresh;
    return AM_OK;
}

static am_status answer(am_backbone *b, am_result *result, am_error *err) {
    bool drawn;
    AM_TRY(check(b, err));
    AM_TRY(am_contact_cycles_check(&b->options->cycles, b->system, err));
    AM_TRY(am_backbone_free_model(b->system, &b->model, err));
    b->line = (am_model_line){.model = b->model, .number = 0, .held = SIZE_MAX};
    b->contacts = am_system_contacts(b->system);
    double stiff = am_matrix_largest(am_system_stiffness(b->system));
    b->xi_scale = stiff > 0.0 ? sqrt(stiff / am_matrix_largest(am_system_mass(b->system))) : 1.0;
    AM_TRY(find_rest(b, err));
    AM_TRY(try_preview(b, result, &drawn, err));
    if (drawn)
        return AM_OK;
    AM_TRY(b->options->harmonics > 0 ? run_with(b, b->options->harmonics, err) : raise_harmonics(b, err));
    AM_TRY(check_truncation(b, err));
    AM_TRY(am_backbone_energy(b, err));
    AM_TRY(am_backbone_forces(b, err));
    AM_TRY(am_backbone_verdicts(b, err));
    AM_TRY(am_backbone_tables(b, result, err));
    AM_TRY(am_backbone_forced(b, result, err));
    return am_backbone_take_down(b, err);
}

static am_status backbone_run_watched(const am_system *system, const am_backbone_options *options, am_result *result,
                                      const am_progress *progress, am_error *err) {
    am_error own = {0};
    am_backbone b = {.system = system, .options = options, .progress = progress};
    am_status status = answer(&b, result, err ? err : &own);
    clear(&b);
    am_equilibrium_clear(&b.rest);
    am_model_free(b.model);
    return status;
}

am_status am_backbone_run(const am_system *system, const am_backbone_options *options, am_result *result,
                          const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(system, AM_TAG_SYSTEM) && options, result, progress, __func__, err));
    return am_analysis_end(&watch, result, backbone_run_watched(system, options, result, progress, err), err);
}
