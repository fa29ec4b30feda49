/* Melan's theorem for frictional contacts: docs/shakedown.md. Here the question is checked, asked and reported; the
 * linear programs are in shakedown/problem.c. */
#include "amontons/path.h"

#include <math.h>
#include <stdio.h>

#include "amontons/orbit.h"
#include "analyses/analysis.h"
#include "analyses/shakedown/problem.h"
#include "base/columns.h"
#include "base/local.h"
#include "base/object.h"
#include "base/watch.h"
#include "base/whole.h"
#include "math/pi.h"
#include "system/capability.h"
#include "system/column_names.h"
#include "system/sliders.h"
#include "system/system.h"

enum { SHAKEDOWN_COOKIE = 0x414d5348 };

/* A factor this near to one counts as one: rounding of the limit. */
static const double same_factor = 1e-12;

/* Constraints with less slack than this part of their terms, or with a multiplier above this part of the largest, are
 * active. */
static const double active_part = 1e-11;

/* Rounding leaves 1e-13 and less; beyond this digits that matter are gone. */
static const double bad_evidence = 1e-9;

am_shakedown_options am_shakedown_options_default(void) {
    return (am_shakedown_options){.about = AM_ABOUT_MEAN, .samples = 201, .cookie = SHAKEDOWN_COOKIE};
}

bool am_shakedown_available(void) {
    return am_linear_program_available();
}

/* ---- checking ---- */

static am_status check_contacts(const am_system *system, am_error *err) {
    if (system->m == 0)
        return am_fail(err, AM_ERR_UNSUPPORTED, "the structure has no contact, so nothing can shake down");
    for (size_t c = 0; c < system->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        if (contact->surface_velocity != 0.0)
            return am_fail(err, AM_ERR_UNSUPPORTED,
                           "the surface under contact %s moves with velocity %g: it slips for ever, or drags the "
                           "structure along; shakedown is a question about surfaces at rest",
                           contact->name, contact->surface_velocity);
    }
    return AM_OK;
}

static am_status check_indices(const size_t *indices, size_t count, size_t limit, const char *field, const char *what,
                               am_error *err) {
    for (size_t i = 0; i < count; i++)
        if (indices[i] >= limit)
            return am_fail_field(err, AM_ERR_INPUT, field, "there is no %s %zu (counted from 0): there are %zu", what,
                                 indices[i], limit);
    return AM_OK;
}

static am_status check_options(const am_system *system, const am_shakedown_options *options, am_error *err) {
    AM_TRY(am_options_check(options->cookie, SHAKEDOWN_COOKIE, "shakedown", err));
    if (!(options->period >= 0.0) || !isfinite(options->period))
        return am_fail_field(err, AM_ERR_INPUT, "period", "the period must be positive, not %g", options->period);
    if (options->about != AM_ABOUT_MEAN && options->about != AM_ABOUT_ZERO)
        return am_fail_field(err, AM_ERR_INPUT, "about", "unknown way to scale loads");
    AM_TRY(
        check_indices(options->scale, options->scale ? options->scale_count : 0, system->loads, "scale", "load", err));
    return check_indices(options->scale_held, options->scale_held ? options->scale_held_count : 0, system->m,
                         "scale_held", "contact", err);
}

/* ---- functions of time ---- */

typedef struct named_function {
    const am_function *function;
    char what[64], field[64];
} named_function;

/* Loads, then normal forces of contacts; NULL: it is not held. */
static const am_function *function_of(const am_system *system, size_t index) {
    if (index < system->loads)
        return &system->load[index].function;
    const am_contact_def *contact = &system->contact[index - system->loads];
    return contact->normal_law == AM_HELD ? &contact->hold : NULL;
}

static bool varies(const am_system *system, size_t index) {
    const am_function *function = function_of(system, index);
    return function && am_shakedown_varies(function);
}

static named_function name_function(const am_system *system, size_t index) {
    named_function named = {.function = function_of(system, index)};
    if (index < system->loads) {
        am_text_numbered(named.what, sizeof named.what, "load ", index + 1);
        snprintf(named.field, sizeof named.field, "loads[%zu].function", index);
    } else {
        size_t c = index - system->loads;
        am_text_numbered(named.what, sizeof named.what, "the held normal force of contact ", c + 1);
        snprintf(named.field, sizeof named.field, "contacts[%zu].hold", c);
    }
    return named;
}

/* How often a function repeats itself; 0: it does not. */
static double own_period(const am_function *f) {
    if (f->kind == AM_FUNCTION_SINE)
        return two_pi / f->frequency;
    return f->kind == AM_FUNCTION_TABLE ? f->period : 0.0;
}

/* Does a function that does not repeat itself for ever still fill the period the user names? */
static bool fits_once(const am_function *f, double period) {
    double slip = 1e-9 * period;
    if (f->kind == AM_FUNCTION_TABLE)
        return f->times[0] >= -slip && f->times[f->count - 1] <= period + slip &&
               f->values[0] == f->values[f->count - 1];
    if (f->repeat > 1) /* a train of pulses that outlasts the period */
        return am_is_whole(period / f->period) && f->start >= -slip && (double)f->repeat * f->period >= period - slip &&
               f->start + f->duration <= f->period + slip;
    return f->start >= -slip && f->start + f->duration <= period + slip;
}

static am_status check_function(const named_function *n, double given, am_error *err) {
    const am_function *f = n->function;
    if (f && (f->plus || f->moments || f->derivative > 0))
        return am_fail_field(err, AM_ERR_UNSUPPORTED, n->field,
                             "%s is %s: the extremes of a cycle are known of single functions, and of tables that are "
                             "linear between their points",
                             n->what,
                             f->plus      ? "a sum of functions"
                             : f->moments ? "a spline"
                                          : "a derivative");
    if (!f || !am_shakedown_varies(f))
        return AM_OK;
    if (f->kind == AM_FUNCTION_RAMP || f->kind == AM_FUNCTION_CHIRP)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, n->field,
                             "%s %s for ever: shakedown is a question about loads that repeat", n->what,
                             f->kind == AM_FUNCTION_RAMP ? "grows" : "changes");
    if (f->kind == AM_FUNCTION_IMPULSE)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, n->field,
                             "%s is an impulse, which has no quasi-static meaning; use `motion`", n->what);
    double own = own_period(f);
    if (own > 0.0 && given > 0.0 && !am_is_whole(given / own))
        return am_fail_field(err, AM_ERR_INPUT, "period", "%s repeats after %.15g, not after %.15g", n->what, own,
                             given);
    if (own > 0.0)
        return AM_OK;
    if (!(given > 0.0))
        return am_fail_field(err, AM_ERR_UNSUPPORTED, n->field,
                             "%s is a %s that does not repeat: give %s a period, or the analysis the `period` in which "
                             "it does",
                             n->what, am_function_kind_name(f->kind),
                             f->kind == AM_FUNCTION_TABLE ? "the table" : "it");
    if (!fits_once(f, given))
        return am_fail_field(err, AM_ERR_INPUT, "period",
                             "%s is a %s that does not begin and end within the period from 0 to %.15g with the same "
                             "value, so it does not repeat",
                             n->what, am_function_kind_name(f->kind), given);
    return AM_OK;
}

/* The period in which all loads repeat. */
static am_status find_period(const am_system *system, double given, double *period, am_error *err) {
    bool any = false;
    for (size_t i = 0; i < system->loads + system->m; i++) {
        named_function named = name_function(system, i);
        AM_TRY(check_function(&named, given, err));
        any = any || varies(system, i);
    }
    if (!any)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "no load varies: shakedown is a question about loads that repeat, and these are constant");
    *period = given > 0.0 ? given : am_orbit_load_period(system);
    if (!(*period > 0.0))
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "the loads have no common period (none below 1000 times the first one's): a cycle of them never "
                       "ends");
    return AM_OK;
}

/* ---- what is scaled ---- */

static am_status check_scaled(const am_shakedown_options *options, const named_function *n, const char *field,
                              size_t index, am_error *err) {
    if (!n->function)
        return am_fail_field(err, AM_ERR_INPUT, field, "contact %zu (counted from 0) has no held normal force to scale",
                             index);
    if (options->about == AM_ABOUT_MEAN && !am_shakedown_varies(n->function))
        return am_fail_field(
            err, AM_ERR_INPUT, field,
            "%s (%zu counted from 0) is constant: about its mean there is nothing to scale; use `about: "
            "zero` to scale all of it",
            n->what, index);
    return AM_OK;
}

/* flags: loads, then contacts. */
static am_status choose_scaled(const am_system *system, const am_shakedown_options *o, bool *flags, am_error *err) {
    bool all = !o->scale && !o->scale_held;
    for (size_t i = 0; all && i < system->loads + system->m; i++)
        flags[i] = varies(system, i);
    for (size_t i = 0; o->scale && i < o->scale_count; i++) {
        named_function named = name_function(system, o->scale[i]);
        AM_TRY(check_scaled(o, &named, "scale", o->scale[i], err));
        flags[o->scale[i]] = true;
    }
    for (size_t i = 0; o->scale_held && i < o->scale_held_count; i++) {
        named_function named = name_function(system, system->loads + o->scale_held[i]);
        AM_TRY(check_scaled(o, &named, "scale_held", o->scale_held[i], err));
        flags[system->loads + o->scale_held[i]] = true;
    }
    for (size_t i = 0; i < system->loads + system->m; i++)
        if (flags[i])
            return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, "scale", "no load is scaled, so there is no limit to look for");
}

/* ---- the answer ---- */

typedef struct answer {
    am_shakedown_problem problem;
    am_shakedown_solution limit; /* the largest factor; of an unbounded one: factor 1 or less */
    double largest, least;       /* factors */
    bool bounded, shakes_down, coupled;
} answer;

/* B is more than the rounding of the reduction. */
static bool is_coupled(const am_reduced *r) {
    for (size_t i = 0; i < r->m; i++)
        for (size_t j = 0; j < r->m; j++)
            if (fabs(r->B[i * r->m + j]) > 1e-12 * sqrt(fabs(r->C[i * r->m + i] * r->A[j * r->m + j])))
                return true;
    return false;
}

/* The least factor differs from zero only where scaled loads help to hold the others. */
static am_status find_least(answer *a, am_error *err) {
    if (a->problem.about == AM_ABOUT_MEAN && !a->problem.rest_varies)
        return AM_OK;
    AM_LOCAL(am_shakedown_solution_clear) am_shakedown_solution least = {0};
    bool feasible = true;
    AM_TRY(am_shakedown_solution_init(&least, &a->problem, err));
    AM_TRY(am_shakedown_extreme_factor(&a->problem, -1, AM_SHAKEDOWN_LARGEST, &least, &feasible, err));
    if (feasible)
        a->least = fmax(least.factor, 0.0);
    return AM_OK;
}

static am_status find_limit(answer *a, am_error *err) {
    bool feasible = true;
    AM_TRY(am_shakedown_extreme_factor(&a->problem, 1, AM_SHAKEDOWN_LARGEST, &a->limit, &feasible, err));
    if (!feasible)
        return am_shakedown_why_not(&a->problem, err);
    AM_TRY(find_least(a, err));
    a->largest = a->limit.factor;
    a->bounded = a->largest < AM_SHAKEDOWN_LARGEST * (1.0 - 1e-9);
    a->shakes_down = a->least <= 1.0 + same_factor && a->largest >= 1.0 - same_factor;
    if (!a->bounded) /* without a limit, show the loads as they are, or as large as the least factor asks for */
        AM_TRY(
            am_shakedown_extreme_factor(&a->problem, 1, fmax(1.0, a->least * (1.0 + 1e-9)), &a->limit, &feasible, err));
    return AM_OK;
}

/* ---- report ---- */

static const char *kind_mark(am_shakedown_kind kind) {
    return kind == AM_SHAKEDOWN_MINUS ? "-" : kind == AM_SHAKEDOWN_PLUS ? "+" : "n";
}

/* One row: which constraint, and its numbers; z: NaN where there is none. */
static void add_constraint(am_table *table, const answer *a, size_t c, double x, double y, double z) {
    const am_shakedown_constraint *constraint = &a->problem.constraint[c];
    const am_system *system = a->problem.system;
    const char *contact = am_system_contact_name(system, constraint->contact);
    bool named = am_system_names_contact(system, constraint->contact);
    char number[32], mark[200];
    am_text_numbered(number, sizeof number, "", constraint->contact + 1);
    snprintf(mark, sizeof mark, "%.190s%s", named ? contact : number, kind_mark(constraint->kind));
    am_table_add_numbers(table, AM_NUMBERS(x, y, z));
    am_table_set_text(table, 0, mark, NULL);
    am_table_set_text(table, 1, contact, NULL);
}

static void report_constraints(const answer *a, am_result *result) {
    am_table *active = am_result_describe_table(result, "active", "constraint contact time dual");
    am_table *all = am_result_describe_table(result, "extremes", "constraint contact time extreme slack");
    double most = 0.0;
    for (size_t c = 0; c < a->problem.constraints; c++)
        most = fmax(most, a->limit.multiplier[c]);
    for (size_t c = 0; c < a->problem.constraints; c++) {
        const am_shakedown_tightest *t = &a->limit.tightest[c];
        /* The right-hand side in the sense of eq. (2.4): that of O+ is a lower bound. */
        double extreme = a->problem.constraint[c].kind == AM_SHAKEDOWN_PLUS ? -t->extreme : t->extreme;
        add_constraint(all, a, c, t->when.time, extreme, t->slack);
        bool touches = t->slack <= active_part * t->size, pushes = a->limit.multiplier[c] > active_part * most;
        if (a->bounded && (touches || pushes))
            add_constraint(active, a, c, t->when.time, a->limit.multiplier[c], NAN);
    }
}

/* Forces over a period, and how much of its friction each contact uses. */
static am_status report_samples(const answer *a, size_t samples, am_result *result, am_error *err) {
    size_t m = a->problem.m;
    am_table *table = am_result_describe_table(result, "samples", "t");
    AM_LOCAL_MEMORY double *row = am_memory_new(1 + 3 * m, sizeof *row, err);
    am_columns_contacts(table, a->problem.system, "N");
    am_columns_contacts(table, a->problem.system, "T");
    am_columns_contacts(table, a->problem.system, "use");
    if (!row)
        return AM_ERR_MEMORY;
    double *normal = row + 1, *tangential = normal + m, *use = tangential + m;
    AM_TRY(am_result_status(result, err));
    for (size_t k = 0; k < samples; k++) {
        double part = samples > 1 ? (double)k / (double)(samples - 1) : 0.0;
        am_instant when = am_cycle_instant(&a->problem.cycle, part * a->problem.cycle.period);
        row[0] = when.time;
        am_shakedown_forces(&a->problem, &a->limit, &when, normal, tangential);
        for (size_t c = 0; c < m; c++) {
            double grip = a->problem.reduced.mu[c] * normal[c];
            use[c] = grip > 0.0 ? tangential[c] / grip : tangential[c] == 0.0 ? 0.0 : NAN;
        }
        am_table_add_numbers(table, row, 1 + 3 * m);
    }
    return AM_OK;
}

static am_status report_summary(const answer *a, am_result *result, am_error *err) {
    const am_shakedown_solution *l = &a->limit;
    am_result_set_known(result, "shakedown_limit", a->bounded ? a->largest : NAN);
    am_result_set_flag(result, "shakes_down", a->shakes_down, NULL);
    am_result_set_flag(result, "bounded", a->bounded, NULL);
    am_result_set_flag(result, "coupled", a->coupled, NULL);
    am_summary_contacts(result, a->problem.system, "v", l->v, a->problem.m);
    am_result_set_numbers(result, AM_NAMED({"least_factor", a->least}, {"factor", l->factor},
                                           {"load_period", a->problem.cycle.period},
                                           {"primal_residual", l->evidence.primal}, {"dual_residual", l->evidence.dual},
                                           {"duality_gap", l->evidence.gap}, {"extreme_error", l->extreme_error}));
    if (!(l->evidence.primal <= bad_evidence && l->evidence.dual <= bad_evidence && l->evidence.gap <= bad_evidence &&
          l->extreme_error <= bad_evidence))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the shakedown limit %.6g does not pass its own check: constraints violated by %.3g, "
                       "multipliers off by %.3g, duality gap %.3g, extremes known to %.3g",
                       a->largest, l->evidence.primal, l->evidence.dual, l->evidence.gap, l->extreme_error);
    return AM_OK;
}

static am_status check_available(const am_progress *progress, am_error *err) {
    if (!am_shakedown_available())
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "`shakedown` solves linear programs with CLP, and this library was built without it; install "
                       "CLP (Debian: coinor-libclp-dev) and build again");
    return am_progress_report(progress, 0.0) ? AM_OK : am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
}

/* scaled: loads, then contacts. */
static am_status solve(answer *a, const am_system *system, const am_shakedown_options *options, double period,
                       const bool *scaled, am_error *err) {
    AM_TRY(am_shakedown_problem_init(&a->problem, system, scaled, scaled + system->loads, options->about, period, err));
    AM_TRY(am_shakedown_solution_init(&a->limit, &a->problem, err));
    a->coupled = is_coupled(&a->problem.reduced);
    return find_limit(a, err);
}

static void answer_clear(answer *a) {
    am_shakedown_solution_clear(&a->limit);
    am_shakedown_problem_clear(&a->problem);
}

static am_status solve_and_report(const am_system *system, const am_shakedown_options *options, double period,
                                  const bool *scaled, am_result *result, am_error *err) {
    AM_LOCAL(answer_clear) answer a = {0};
    AM_TRY(solve(&a, system, options, period, scaled, err));
    AM_TRY(report_summary(&a, result, err));
    report_constraints(&a, result);
    return report_samples(&a, options->samples, result, err);
}

static am_status run(const am_system *system, const am_shakedown_options *options, am_result *result,
                     const am_progress *progress, am_error *err) {
    double period = 0.0;
    AM_TRY(find_period(system, options->period, &period, err));
    AM_LOCAL_MEMORY bool *scaled = am_memory_new(system->loads + system->m, sizeof *scaled, err);
    if (!scaled)
        return AM_ERR_MEMORY;
    AM_TRY(choose_scaled(system, options, scaled, err));
    AM_TRY(check_available(progress, err));
    return solve_and_report(system, options, period, scaled, result, err);
}

static am_status shakedown_run_watched(const am_system *system, const am_shakedown_options *options, am_result *result,
                                       const am_progress *progress, am_error *err) {
    AM_TRY(check_options(system, options, err));
    AM_TRY(am_system_check(system, "shakedown", err));
    AM_TRY(check_contacts(system, err));
    if (am_sliders_pads(system) == 0)
        return run(system, options, result, progress, err);
    AM_LOCAL(am_system_free_at) am_system *rigid = am_sliders_expand(system, err);
    if (!rigid)
        return AM_ERR_MEMORY;
    return run(rigid, options, result, progress, err);
}

am_status am_shakedown_run(const am_system *system, const am_shakedown_options *options, am_result *result,
                           const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(system, AM_TAG_SYSTEM) && options, result, progress, __func__, err));
    return am_analysis_end(&watch, result, shakedown_run_watched(system, options, result, progress, err), err);
}
