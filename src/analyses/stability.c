/* Do small disturbances of a persistent contact state grow? docs/stability.md.
 *
 * sliding.c finds the equilibrium, linearised.c the equations of small disturbances about it; spectrum.c
 * their eigenvalues; here is the report. */
#include "amontons/stability.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/analysis.h"
#include "analyses/stability/linearised.h"
#include "analyses/stability/mode_order.h"
#include "analyses/stability/sliding.h"
#include "analyses/tables/dynamic_tables.h"
#include "base/columns.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/result_reuse.h"
#include "base/try.h"
#include "base/watch.h"
#include "engines/quasistatic/equilibrium.h"
#include "math/pi.h"
#include "system/capability.h"
#include "system/column_names.h"
#include "system/combination.h"
#include "system/observer.h"
#include "system/steady.h"
#include "system/system.h"

enum { STABILITY_COOKIE = 0x414d5342 };

/* Mode shapes in the table, and numbers of the equilibrium in the summary, at most. */
enum { MOST_SHAPES = 50, MOST_LISTED = 24 };

/* Arrays of n^2 numbers, and n^3 operations: minutes and a gigabyte. */
enum { MOST_DEGREES = 4000 };

am_stability_options am_stability_options_default(void) {
    return (am_stability_options){.cookie = STABILITY_COOKIE};
}

/* ---- the spectrum ---- */

static am_status spectrum_of(const am_system *system, const am_sliding *sliding, am_spectrum *out, am_error *err) {
    am_linearised r;
    *out = (am_spectrum){.equilibrium = sliding->known, .closed = sliding->closed, .n = system->n};
    am_status status = am_linearised_init(&r, system, sliding, err);
    if (status)
        return status;
    out->painleve = r.painleve;
    out->closing = r.closing;
    if (r.solvable)
        status = am_spectrum_solve(&r, out, err);
    am_linearised_clear(&r);
    /* A backward stable solution leaves about n eps; beyond 1e-9 something else is wrong. */
    if (!status && !(out->residual <= 1e-9))
        status = am_fail(err, AM_ERR_EVIDENCE,
                         "the eigenvalues do not satisfy their own equation: relative residual %g", out->residual);
    if (status)
        am_spectrum_clear(out);
    return status;
}

static am_status check(const am_system *system, const am_stability_options *options, am_error *err) {
    AM_TRY(am_options_check(options->cookie, STABILITY_COOKIE, "stability", err));
    AM_TRY(am_system_check(system, "stability", err));
    if (options->state && options->preloaded)
        return am_fail_field(err, AM_ERR_INPUT, "preloaded",
                             "a preload finds the contact states itself: give no `state`");
    if (system->n > MOST_DEGREES)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "stability computes all eigenvalues, of at most %d degrees of freedom; this structure has %zu. "
                       "The analysis `squeal` is for larger ones",
                       MOST_DEGREES, system->n);
    return AM_OK;
}

am_status am_stability_spectrum_steady(const am_system *view, const am_stability_options *options,
                                       am_spectrum *spectrum, am_error *err) {
    am_sliding sliding;
    AM_TRY(am_sliding_init(&sliding, view, options->state, err));
    am_status status = spectrum_of(view, &sliding, spectrum, err);
    am_sliding_clear(&sliding);
    return status;
}

/* ---- about what ---- */

/* A structure and its steady state, of which small disturbances are asked. */
typedef struct subject {
    const am_system *system;
    am_sliding sliding;
    am_steady_sliding steady;
    am_system *own;
    am_equilibrium preload; /* nothing: there is none */
} subject;

static void subject_clear(subject *s) {
    am_sliding_clear(&s->sliding);
    am_steady_sliding_clear(&s->steady);
    am_equilibrium_clear(&s->preload);
    am_system_free(s->own);
}

/* The same without friction: what slides freely. */
static am_system *without_friction(const am_system *system, am_error *err) {
    am_contact_def *contacts = am_memory_new(system->m, sizeof *contacts, err);
    if (!contacts)
        return NULL;
    am_system_def def = am_system_definition(system, contacts);
    for (size_t c = 0; c < system->m; c++) {
        contacts[c].friction = contacts[c].static_friction = contacts[c].tangential_stiffness = 0.0;
        contacts[c].weakening = (am_friction){0};
        contacts[c].second_tangent = NULL;
    }
    am_system *free = am_system_create(&def, err);
    am_memory_free(contacts);
    return free;
}

static am_status take_preload(subject *s, const am_system *system, bool stuck, am_error *err) {
    am_equilibrium *e = &s->preload;
    AM_TRY(am_equilibrium_preload(e, system, 0.0, err));
    for (size_t c = 0; c < system->m; c++)
        if (e->contact[c] != AM_OPEN)
            e->contact[c] = stuck || system->stop[c] ? AM_STICK : AM_FORWARD;
    s->own = stuck ? NULL : without_friction(system, err);
    s->system = stuck ? system : s->own;
    am_status status =
        s->system ? am_sliding_init_at(&s->sliding, s->system, e->contact, e->state, e->normal, e->tangential, err)
                  : am_error_status(err);
    s->sliding.residual = e->residual;
    return status;
}

static am_status subject_init(subject *s, const am_system *system, const am_stability_options *options, am_error *err) {
    *s = (subject){0};
    am_status status = AM_OK;
    if (options->preloaded != AM_PRELOADED_NOT)
        status = take_preload(s, system, options->preloaded == AM_PRELOADED_STUCK, err);
    else {
        status = am_steady_sliding_init(&s->steady, system, options->state, NULL, err);
        s->system = s->steady.system;
        if (!status)
            status = am_sliding_init(&s->sliding, s->system, options->state, err);
    }
    if (status)
        subject_clear(s);
    return status;
}

am_status am_stability_spectrum(const am_system *system, const am_stability_options *options, am_spectrum *spectrum,
                                am_error *err) {
    if (!am_is(system, AM_TAG_SYSTEM) || !options || !spectrum)
        return am_misused(err, __func__);
    subject about;
    *spectrum = (am_spectrum){0};
    AM_TRY(check(system, options, err));
    AM_TRY(subject_init(&about, system, options, err));
    am_status status = spectrum_of(about.system, &about.sliding, spectrum, err);
    subject_clear(&about);
    return status;
}

/* ---- report ---- */

static const char *kind_of(const am_spectrum *s, size_t i) {
    if (fabs(s->real[i]) <= s->uncertainty[i])
        return "neutral";
    if (s->real[i] < 0.0)
        return "stable";
    return s->imaginary[i] == 0.0 ? "divergence" : "flutter";
}

static double damping_ratio(const am_spectrum *s, size_t i) {
    double size = hypot(s->real[i], s->imaginary[i]);
    return size > 0.0 ? -s->real[i] / size : 0.0;
}

/* Sweeps ask for few tables, or none. */
static void report_eigenvalues(const am_spectrum *s, am_result *result) {
    if (!am_result_wants(result, "eigenvalues"))
        return;
    am_table *table = am_result_describe_table(result, "eigenvalues",
                                               "real imaginary frequency damping_ratio kind hertz uncertainty");
    for (size_t i = 0; i < s->count; i++) {
        double frequency = fabs(s->imaginary[i]);
        am_table_add_numbers(table, AM_NUMBERS(s->real[i], s->imaginary[i], frequency, damping_ratio(s, i),
                                               frequency / (2.0 * pi), s->uncertainty[i]));
        am_table_set_text(table, 4, kind_of(s, i), NULL);
    }
}

/* Parts of a shape, whose largest is 1, that are rounding: their phase is chance, and so is on which side of 180
 * degrees a part lies that moves against the largest one. */
#define NO_PART 1e-9

static double phase_degrees(double re, double im) {
    if (hypot(re, im) <= NO_PART)
        return NAN;
    return fabs(im) <= NO_PART * fabs(re) ? (re < 0.0 ? 180.0 : 0.0) : atan2(im, re) * (180.0 / pi);
}

static void report_shape(const am_system *system, const am_spectrum *s, size_t i, am_table *table) {
    for (size_t j = 0; j < s->n; j++) {
        double re = s->shape[i * s->n + j], im = s->shape_imaginary[i * s->n + j];
        am_table_add_numbers(table, AM_NUMBERS((double)i, re, im, hypot(re, im), phase_degrees(re, im)));
        am_table_set_text(table, 1, am_system_name(system, j), NULL);
    }
}

/* One of each pair; the fastest growing ones. `mode` is the row in the table of eigenvalues. */
static void report_modes(const am_system *system, const am_spectrum *s, am_result *result) {
    if (!am_result_wants(result, "modes"))
        return;
    am_table *table = am_result_describe_table(result, "modes", "mode coordinate real imaginary amplitude phase_deg");
    for (size_t i = 0, shown = 0; i < s->count && shown < MOST_SHAPES; i++) {
        if (s->imaginary[i] < 0.0)
            continue;
        report_shape(system, s, i, table);
        shown++;
    }
}

/* To who looks on: the same. */
static am_status show_shapes(const am_spectrum *s, const am_result *result, am_error *err) {
    for (size_t i = 0, shown = 0; am_observes_shapes(result) && i < s->count && shown < MOST_SHAPES; i++) {
        if (s->imaginary[i] < 0.0)
            continue;
        const am_vibration shape = {.mode = i,
                                    .real = s->real[i],
                                    .imaginary = s->imaginary[i],
                                    .amplitude = NAN,
                                    .coordinates = s->n,
                                    .cosine = s->shape + i * s->n,
                                    .sine = s->shape_imaginary + i * s->n};
        AM_TRY(am_observe_shape(result, &shape, err));
        shown++;
    }
    return AM_OK;
}

/* Growth that is no rounding first; without any, the largest real part. s->count when nothing can move. */
static size_t worst_of(const am_spectrum *s) {
    for (size_t i = 0; i < s->count; i++)
        if (s->real[i] > s->uncertainty[i])
            return i;
    return s->count > 0 ? 0 : s->count;
}

static void report_worst(const am_spectrum *s, const char *kind, am_result *result) {
    size_t worst = worst_of(s);
    bool any = worst < s->count && !s->painleve;
    bool stable = strcmp(kind, "stable") == 0 || strcmp(kind, "neutral") == 0;
    double frequency = any ? fabs(s->imaginary[worst]) : NAN;
    am_result_set_flag(result, "stable", stable, NULL);
    am_result_set_numbers(
        result, AM_NAMED({"growth_rate", any ? s->real[worst] : NAN}, {"frequency", frequency}, {"omega", frequency}));
    am_result_set_text(result, "kind", kind, NULL);
    am_result_set_words(result, "instability", stable ? NULL : kind);
    am_result_set_number(result, "growth_uncertainty", any ? s->uncertainty[worst] : 0.0, NULL);
}

static void report_spectrum(const am_system *system, const am_spectrum *s, const char *kind, am_result *result) {
    report_eigenvalues(s, result);
    report_modes(system, s, result);
    report_worst(s, kind, result);
    am_result_set_count(result, "degrees", s->count / 2, NULL);
    if (!isnan(s->closing))
        am_result_set_number(result, "closing_minor", s->closing, NULL);
    am_result_set_number(result, "eigen_residual", s->residual, NULL);
}

static void report_contacts(const am_system *system, const am_sliding *s, am_result *result) {
    if (!am_result_wants(result, "contacts"))
        return;
    am_table *table = am_result_describe_table(result, "contacts", "contact state N T penetration");
    for (size_t c = 0; c < s->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        double shear = s->tangential ? s->tangential[c] : am_slip_sign(s->state[c]) * contact->friction * s->normal[c];
        am_table_add_numbers(table, AM_NUMBERS(s->normal[c], shear, s->penetration[c]));
        am_table_set_text(table, 0, am_system_contact_name(system, c), NULL);
        am_table_set_text(table, 1, am_contact_state_name(s->state[c]), NULL);
    }
}

static void report_coordinates(const am_system *system, const am_sliding *s, am_result *result) {
    if (!am_result_wants(result, "equilibrium"))
        return;
    am_table *table = am_result_describe_table(result, "equilibrium", "coordinate value");
    for (size_t i = 0; i < s->n; i++) {
        am_table_add_numbers(table, &s->q[i], 1);
        am_table_set_text(table, 0, am_system_name(system, i), NULL);
    }
}

static am_status report_equilibrium(const am_system *system, const am_sliding *s, am_result *result, am_error *err) {
    if (!s->known)
        return AM_OK;
    report_contacts(system, s, result);
    report_coordinates(system, s, result);
    am_summary_contacts(result, system, "N", s->normal, s->m < MOST_LISTED ? s->m : MOST_LISTED);
    for (size_t i = 0; i < s->n && i < MOST_LISTED; i++) {
        char number[32]; /* names are the user's; a model's symbols are numbered here */
        snprintf(number, sizeof number, "q%zu", i + 1);
        am_result_set_number(result, system->named_by_model ? number : am_system_name(system, i), s->q[i], NULL);
    }
    am_result_set_count(result, "equilibria", s->equilibria, NULL);
    if (!isnan(s->fold))
        am_result_set_number(result, "fold_load", s->fold, NULL);
    am_result_set_number(result, "equilibrium_residual", s->residual, NULL);
    if (!(s->residual <= 1e-9))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the sliding equilibrium does not satisfy its own equations: relative residual %g", s->residual);
    return AM_OK;
}

/* Do contacts that hold directions share their forces in a way that nothing tells? They are more than the directions
 * that are left free say. */
static bool forces_are_shared(const am_system *system, const am_sliding *sliding, const am_spectrum *spectrum) {
    size_t rows = 0;
    for (size_t c = 0; c < sliding->m; c++) {
        rows += system->contact[c].normal_law == AM_UNILATERAL && sliding->state[c] != AM_OPEN;
        rows += sliding->state[c] == AM_STICK && !(system->contact[c].tangential_stiffness > 0.0);
    }
    return spectrum->painleve ? sliding->indeterminate : rows + spectrum->count / 2 > sliding->n;
}

/* One of each pair counts. */
static void report_count(const am_spectrum *s, am_result *result) {
    size_t unstable = 0;
    for (size_t i = 0; i < s->count; i++)
        unstable += s->imaginary[i] >= 0.0 && s->real[i] > s->uncertainty[i];
    am_result_set_count(result, "unstable_modes", unstable, NULL);
}

/* The table brake engineers read: one row per pair or real eigenvalue, lowest frequency first. */
static am_status report_squeal(const am_system *system, const am_spectrum *s, am_result *result, am_error *err) {
    size_t modes = 0;
    if (!am_result_wants(result, "squeal"))
        return AM_OK;
    size_t *order = am_memory_new(s->count, sizeof *order, err);
    am_status status =
        order ? am_mode_order(s->count, s->real, s->imaginary, s->uncertainty, order, &modes, err) : AM_ERR_MEMORY;
    am_table *table = status ? NULL
                             : am_result_describe_table(result, "squeal",
                                                        "mode real imaginary hertz damping_ratio unstable coordinate");
    for (size_t k = 0; k < modes; k++) {
        size_t i = order[k];
        am_table_add_numbers(table,
                             AM_NUMBERS((double)(k + 1), s->real[i], s->imaginary[i], s->imaginary[i] / (2.0 * pi),
                                        damping_ratio(s, i), s->real[i] > s->uncertainty[i]));
        am_table_set_text(table, 6, am_system_name(system, am_mode_largest_coordinate(s, i)), NULL);
    }
    am_memory_free(order);
    return status;
}

/* Asked about steady sliding, the contacts must be pressed together. Beyond divergence and where rigid contacts fail
 * the equilibrium has passed through infinity, and the instability is the answer. */
static am_status demand_contact(const am_system *system, const am_stability_options *options, const am_sliding *sliding,
                                const char *kind, am_error *err) {
    if (options->state || options->preloaded || strcmp(kind, "divergence") == 0 || strcmp(kind, "painleve") == 0)
        return AM_OK;
    return am_sliding_demand(sliding, system, err);
}

static am_status answer(const am_system *system, const am_stability_options *options, const am_sliding *sliding,
                        am_spectrum *spectrum, am_result *result, am_error *err) {
    AM_TRY(spectrum_of(system, sliding, spectrum, err));
    size_t worst = worst_of(spectrum);
    const char *kind = spectrum->painleve ? "painleve" : worst < spectrum->count ? kind_of(spectrum, worst) : "stable";
    AM_TRY(demand_contact(system, options, sliding, kind, err));
    report_spectrum(system, spectrum, kind, result);
    AM_TRY(show_shapes(spectrum, result, err));
    AM_TRY(report_equilibrium(system, sliding, result, err));
    report_count(spectrum, result);
    am_result_set_flag(result, "indeterminate_forces", forces_are_shared(system, sliding, spectrum), NULL);
    return report_squeal(system, spectrum, result, err);
}

static am_status stability_run_watched(const am_system *system, const am_stability_options *options, am_result *result,
                                       const am_progress *progress, am_error *err) {
    subject about;
    am_spectrum spectrum = {0};
    AM_TRY(check(system, options, err));
    if (!am_progress_report(progress, 0.0))
        return am_fail(err, AM_ERR_INTERRUPTED, "stopped before the eigenvalues were computed");
    AM_TRY(subject_init(&about, system, options, err));
    if (options->preloaded != AM_PRELOADED_NOT)
        am_dynamic_report_preload(result, &about.preload);
    am_status status = answer(about.system, options, &about.sliding, &spectrum, result, err);
    am_spectrum_clear(&spectrum);
    subject_clear(&about);
    return status;
}

am_status am_stability_run(const am_system *system, const am_stability_options *options, am_result *result,
                           const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(system, AM_TAG_SYSTEM) && options, result, progress, __func__, err));
    return am_analysis_end(&watch, result, stability_run_watched(system, options, result, progress, err), err);
}
