#include "amontons/stability.h"

#include <float.h>
#include <math.h>

#include "analyses/analysis.h"
#include "analyses/stability/axis.h"
#include "analyses/threshold/sample.h"
#include "base/columns.h"
#include "base/local.h"
#include "base/object.h"
#include "base/watch.h"
#include "system/steady.h"

enum { THRESHOLD_COOKIE = 0x74687265 };

/* Without an end the spans double until the last one begins a million first spans away. */
enum { most_spans = 21 };

const char *am_threshold_kind_name(am_threshold_kind kind) {
    static const char *const names[] = {"none", "divergence", "flutter", "painleve", "lift-off", "flutter"};
    return (int)kind >= 0 && kind <= AM_THRESHOLD_COALESCENCE ? names[kind] : "unknown";
}

am_threshold_options am_threshold_options_default(void) {
    return (am_threshold_options){.to = INFINITY,
                                  .span = 1.0,
                                  .pieces = 8,
                                  .finest = 1e-4,
                                  .parameter = "the parameter",
                                  .cookie = THRESHOLD_COOKIE};
}

static am_status check_options(const am_threshold_options *options, am_error *err) {
    AM_TRY(am_options_check(options->cookie, THRESHOLD_COOKIE, "threshold", err));
    if (!isfinite(options->from))
        return am_fail_field(err, AM_ERR_INPUT, "from", "from must be a number, not %g", options->from);
    if (isnan(options->to) || options->to == options->from)
        return am_fail_field(err, AM_ERR_INPUT, "to", "to must be a number different from `from`, not %g", options->to);
    if (isinf(options->to) && (!isfinite(options->span) || options->span == 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "span", "span must be a number other than zero, not %g", options->span);
    if (options->pieces < 1)
        return am_fail_field(err, AM_ERR_INPUT, "pieces", "pieces must be at least 1");
    if (!(options->finest > 0.0 && options->finest <= 1.0))
        return am_fail_field(err, AM_ERR_INPUT, "finest", "finest must be above 0 and at most 1, not %g",
                             options->finest);
    return AM_OK;
}

/* The reference must be stable, or there is no threshold to speak of. */
static am_status check_reference(const am_threshold_search *search, const am_threshold_sample *begin, am_error *err) {
    const char *name = search->options->parameter;
    double at = begin->parameter;
    const am_spectrum *s = &begin->spectrum;
    switch (begin->state) {
    case AM_THRESHOLD_SAMPLE_STABLE:
        return AM_OK;
    case AM_THRESHOLD_SAMPLE_UNSTABLE:
        return am_fail_field(err, AM_ERR_INPUT, "from",
                             "steady sliding is unstable already at %s = %g, where the search for its threshold begins "
                             "(growth rate %g, frequency %g); begin at a value at which it is stable",
                             name, at, s->real[begin->worst], fabs(s->imaginary[begin->worst]));
    case AM_THRESHOLD_SAMPLE_PAINLEVE:
        return am_fail_field(err, AM_ERR_INPUT, "from",
                             "rigid contact fails already at %s = %g, where the search for its threshold begins "
                             "(delta_0 >= 0, the Painlevé paradox); begin at a value at which sliding is stable",
                             name, at);
    default:
        return am_fail_field(err, AM_ERR_INPUT, "from",
                             "there is no steady sliding at %s = %g, where the search for its threshold begins; begin "
                             "at a value at which it is stable",
                             name, at);
    }
}

static am_status search_span(am_threshold_search *search, const am_threshold_sample *begin, am_threshold *found,
                             am_error *err) {
    am_threshold_sample low = {0}, high = {0};
    bool has = false;
    am_status status = am_threshold_bracket(search, begin, &low, &high, &has, err);
    if (status == AM_OK && has)
        status = am_threshold_locate(search, &low, &high, found, err);
    if (status == AM_OK)
        found->reached = has ? found->critical : search->start + search->width;
    am_threshold_sample_clear(&low);
    am_threshold_sample_clear(&high);
    return status;
}

static am_status search_spans(am_threshold_search *search, am_threshold *found, am_error *err) {
    const am_threshold_options *o = search->options;
    bool open = isinf(o->to);
    am_status status = AM_OK;
    search->start = o->from;
    search->width = open ? copysign(o->span, o->to < 0.0 ? -1.0 : o->span) : o->to - o->from;
    for (int k = 0; status == AM_OK && found->kind == AM_THRESHOLD_NONE && k < (open ? most_spans : 1); k++) {
        am_threshold_sample begin;
        status = am_threshold_sample_take(search, search->start, &begin, err);
        if (status == AM_OK)
            status = check_reference(search, &begin, err);
        if (status == AM_OK)
            status = search_span(search, &begin, found, err);
        am_threshold_sample_clear(&begin);
        search->start += search->width;
        search->width *= k > 0 ? 2.0 : 1.0; /* 1, 1, 2, 4, ... */
    }
    return status;
}

static am_status threshold_find_watched(const am_spectra *spectra, const am_threshold_options *options,
                                        am_threshold *found, const am_progress *progress, am_error *err) {
    *found = (am_threshold){.critical = NAN, .omega = NAN, .growth = NAN, .bracket = NAN, .uncertainty = NAN};
    AM_TRY(check_options(options, err));
    am_threshold_search search = {.spectra = spectra, .options = options, .progress = progress};
    AM_TRY(search_spans(&search, found, err));
    found->spectra = search.count;
    found->unresolved = search.unresolved;
    return AM_OK;
}

am_status am_threshold_find(const am_spectra *spectra, const am_threshold_options *options, am_threshold *found,
                            const am_progress *progress, am_error *err) {
    if (!spectra || !options || !found)
        return am_misused(err, __func__);
    am_watch watch;
    am_watch_begin(&watch, progress);
    return am_watch_end(&watch, threshold_find_watched(spectra, options, found, progress, err), err);
}

/* ---- The systems of a model ---- */

am_threshold_systems am_threshold_systems_of(am_model *model, const am_threshold_options *options, size_t held,
                                             const am_stability_options *standard) {
    return (am_threshold_systems){.line = {.model = model, .number = options->number, .held = held},
                                  .stability = options->stability ? options->stability : standard};
}

am_status am_threshold_spectrum(void *systems, double parameter, am_spectrum *spectrum, am_error *err) {
    const am_threshold_systems *s = systems;
    const am_system *system;
    AM_TRY(am_model_line_at(&s->line, parameter, &system, err));
    return am_stability_spectrum(system, s->stability, spectrum, err);
}

static void report(const am_threshold *found, am_result *result) {
    am_result_set_numbers(result, AM_NAMED({"critical", found->critical}, {"omega", found->omega}));
    am_result_set_text(result, "instability", am_threshold_kind_name(found->kind), NULL);
    am_result_set_numbers(result,
                          AM_NAMED({"growth_at_critical", found->growth}, {"bracket", found->bracket},
                                   {"critical_uncertainty", found->uncertainty}, {"searched_to", found->reached}));
    am_result_set_counts(result, AM_NAMED({"spectra", found->spectra}, {"unresolved", found->unresolved}));
}

static am_status threshold_run_watched(am_model *model, const am_threshold_options *options, am_result *result,
                                       const am_progress *progress, am_error *err) {
    am_stability_options standard = am_stability_options_default();
    am_threshold found;
    am_threshold_systems all = am_threshold_systems_of(model, options, SIZE_MAX, &standard);
    am_spectra spectra = {am_threshold_spectrum, &all};
    AM_TRY(am_model_check(model, options->number, "number", err));
    AM_TRY(am_threshold_find(&spectra, options, &found, progress, err));
    report(&found, result);
    return AM_OK;
}

am_status am_threshold_run(am_model *model, const am_threshold_options *options, am_result *result,
                           const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(model, AM_TAG_MODEL) && options, result, progress, __func__, err));
    const double before = am_model_value(model, options->number);
    am_status status = threshold_run_watched(model, options, result, progress, err);
    am_model_set(model, options->number, before, NULL);
    return am_analysis_end(&watch, result, status, err);
}

/* ---- Known in closed form ---- */

typedef enum answer { ANSWER_YES, ANSWER_NO, ANSWER_UNKNOWN } answer;

/* Is the eigenvalue next to i omega on the axis, but for rounding and `tolerance` times the slowest eigenvalue (other
 * than one that passes zero)? Not known where rounding is much more than that. */
static answer is_on_axis(const am_threshold_sample *sample, double omega, double tolerance, double *growth) {
    const am_spectrum *s = &sample->spectrum;
    double best = INFINITY, slowest = INFINITY;
    size_t nearest = 0;
    for (size_t i = 0; i < s->count; i++) {
        double distance = hypot(s->real[i], s->imaginary[i] - omega);
        if (distance < best) {
            best = distance;
            nearest = i;
        }
    }
    if (s->count == 0)
        return ANSWER_UNKNOWN;
    for (size_t i = 0; i < s->count; i++)
        if (s->real[i] != s->real[nearest] || fabs(s->imaginary[i]) != fabs(s->imaginary[nearest]))
            slowest = fmin(slowest, hypot(s->real[i], s->imaginary[i]));
    double scale = omega > 0.0 ? fmin(omega, slowest) : slowest, doubt = 10.0 * s->uncertainty[nearest];
    *growth = s->real[nearest];
    if (doubt > 30.0 * tolerance * scale || isinf(scale)) /* infinite: a pair is alone, and no divergence */
        return ANSWER_UNKNOWN;
    return fabs(*growth) <= tolerance * scale + doubt ? ANSWER_YES : ANSWER_NO;
}

static am_status contradiction(const am_threshold_search *search, const am_threshold *known, am_error *err) {
    return am_fail(err, AM_ERR_EVIDENCE,
                   "the closed form puts %s at %s = %.17g, but the eigenvalues there do not agree with it",
                   am_threshold_kind_name(known->kind), search->options->parameter, known->critical);
}

/* Rigid contact holds just before, and does not just after. */
static am_status confirm_painleve(am_threshold_search *search, am_threshold *known, am_error *err) {
    double part = 1e-5 * (known->critical - search->options->from); /* nearer, eigenvalues are past computing */
    am_threshold_sample before = {.parameter = 0.0}, after = {.parameter = 0.0};
    am_status status = am_threshold_sample_take(search, known->critical - part, &before, err);
    if (status == AM_OK)
        status = am_threshold_sample_take(search, known->critical + part, &after, err);
    if (status == AM_OK &&
        (before.state == AM_THRESHOLD_SAMPLE_PAINLEVE || after.state != AM_THRESHOLD_SAMPLE_PAINLEVE))
        status = contradiction(search, known, err);
    if (status == AM_OK && before.spectrum.count > 0)
        known->growth = before.spectrum.real[before.worst];
    am_threshold_sample_clear(&before);
    am_threshold_sample_clear(&after);
    return status;
}

static am_status distance_at(const am_threshold_search *search, double parameter, double omega, double *distance,
                             am_error *err) {
    const am_threshold_systems *s = search->spectra->context;
    const am_system *system;
    AM_LOCAL(am_steady_sliding_clear) am_steady_sliding steady = {0};
    AM_TRY(am_model_line_at(&s->line, parameter, &system, err));
    AM_TRY(am_steady_sliding_init(&steady, system, s->stability->state, NULL, err));
    return am_axis_distance(steady.system, s->stability->state, omega, distance, err);
}

/* Where eigenvalues say little (several of them meet; or the normal force, and with it the damping, of Hunt-Crossley
 * contact grows without bound next to the threshold) the equations themselves are asked: which change of their numbers
 * makes i omega an eigenvalue? Rounding of the threshold alone needs some 1e-16 of them, and a threshold that is wrong
 * by a part of 1e-12 needs as much. Next to divergence its last digit may do more; then it must be that digit. */
static am_status solves_equations(const am_threshold_search *search, const am_threshold *known, bool *solves,
                                  am_error *err) {
    double distance = INFINITY, aside[2] = {0.0, 0.0};
    AM_TRY(distance_at(search, known->critical, known->omega, &distance, err));
    *solves = distance <= 1e-12;
    if (*solves || !(distance < 1e-6))
        return AM_OK;
    for (int side = 0; side < 2; side++) {
        double digit = (side == 0 ? -4.0 : 4.0) * DBL_EPSILON;
        AM_TRY(distance_at(search, known->critical * (1.0 + digit), known->omega, &aside[side], err));
    }
    double digits = fmax(fabs(aside[0] - distance), fabs(aside[1] - distance));
    *solves = isfinite(digits) && distance <= 10.0 * digits;
    return AM_OK;
}

/* Where sliding ends together with the threshold, its eigenvalues are looked at just before. Those that do not satisfy
 * their own equation say nothing. */
static am_status ask_eigenvalues(am_threshold_search *search, am_threshold *known, answer *said, am_error *err) {
    am_threshold_sample sample;
    am_error own = {0};
    double before = 1e-9 * (known->critical - search->options->from);
    double tolerance = 1e-9; /* rounding of the eigenvalues, and of the closed form times their slope */
    am_status status = am_threshold_sample_take(search, known->critical, &sample, &own);
    if (status == AM_OK && sample.spectrum.count == 0) {
        tolerance = 1e-6;
        status = am_threshold_sample_take(search, known->critical - before, &sample, &own);
    }
    *said = status == AM_OK ? is_on_axis(&sample, known->omega, tolerance, &known->growth) : ANSWER_UNKNOWN;
    if (status == AM_OK)
        am_threshold_sample_clear(&sample);
    if (status == AM_OK || status == AM_ERR_EVIDENCE)
        return AM_OK;
    if (err)
        *err = own;
    return status;
}

static am_status confirm_crossing(am_threshold_search *search, am_threshold *known, am_error *err) {
    answer said = ANSWER_UNKNOWN;
    bool agrees = false;
    AM_TRY(ask_eigenvalues(search, known, &said, err));
    if (said != ANSWER_YES)
        AM_TRY(solves_equations(search, known, &agrees, err));
    if (said != ANSWER_YES && !agrees)
        AM_TRY(contradiction(search, known, err));
    return AM_OK;
}

static am_status confirm(am_threshold_search *search, am_threshold *known, am_error *err) {
    am_threshold_sample begin;
    am_status status = am_threshold_sample_take(search, search->options->from, &begin, err);
    if (status == AM_OK)
        status = check_reference(search, &begin, err);
    am_threshold_sample_clear(&begin);
    if (status != AM_OK || known->kind == AM_THRESHOLD_NONE)
        return status;
    return known->kind == AM_THRESHOLD_PAINLEVE ? confirm_painleve(search, known, err)
                                                : confirm_crossing(search, known, err);
}

am_status am_threshold_confirm(am_model *model, const am_threshold_options *options, const am_threshold *known,
                               am_result *result, am_error *err) {
    if (!am_is(model, AM_TAG_MODEL) || !options || !known || !am_is(result, AM_TAG_RESULT))
        return am_misused(err, __func__);
    am_stability_options standard = am_stability_options_default();
    am_threshold_systems all = am_threshold_systems_of(model, options, SIZE_MAX, &standard);
    am_spectra spectra = {am_threshold_spectrum, &all};
    am_threshold_search search = {.spectra = &spectra, .options = options};
    am_threshold found = *known;
    const double before = am_model_value(model, options->number);
    AM_TRY(check_options(options, err));
    AM_TRY(am_model_check(model, options->number, "number", err));
    am_status status = confirm(&search, &found, err);
    am_model_set(model, options->number, before, NULL);
    found.spectra = search.count;
    AM_TRY(status);
    report(&found, result);
    return am_result_status(result, err);
}
