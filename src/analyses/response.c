#include "amontons/response.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "amontons/orbit.h"
#include "analyses/analysis.h"
#include "analyses/response/further_branches.h"
#include "analyses/response/response_internal.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"
#include "base/watch.h"
#include "math/trigonometric.h"
#include "math/trigonometric_table.h"

enum { RESPONSE_COOKIE = 0x414d5250, USUAL_MOST_HARMONICS = 96 };

am_response_options am_response_options_default(void) {
    return (am_response_options){.at = NAN,
                                 .most_harmonics = USUAL_MOST_HARMONICS,
                                 .coordinate = SIZE_MAX,
                                 .most_branches = 20,
                                 .most_points = 10000,
                                 .isolas = {.starts = 24, .guesses = 64, .within = 3.0},
                                 .fold_curves = {.number = SIZE_MAX, .most_points = 2000},
                                 .bifurcation_curves = {.number = SIZE_MAX, .most_points = 2000},
                                 .cookie = RESPONSE_COOKIE};
}

/* ---- measuring ---- */

am_status am_response_signals(am_response *r, const double *x, double p, am_error *err) {
    if (!r->exact)
        return am_balance_unpack(r->balance, x, p, r->signals, err);
    memcpy(r->signals, x, r->size * sizeof *x);
    return AM_OK;
}

am_status am_response_set_harmonics(am_response *r, size_t harmonics, am_error *err) {
    r->H = harmonics;
    r->S = am_trig_size(harmonics);
    r->table = am_trig_table_create(harmonics, 8 * harmonics, err);
    if (!r->table)
        return am_error_status(err);
    r->rates = am_arena_doubles(&r->memory, NULL, am_trig_table_count(r->table) + r->S, err);
    return am_arena_status(&r->memory);
}

static double largest_of(const am_response *r, const double *s) {
    size_t count = am_trig_table_count(r->table);
    double *rate = r->rates + count;
    am_trig_derivative(r->H, s, rate);
    am_trig_table_values(r->table, r->H, rate, r->rates);
    return am_trig_largest_sampled(r->H, s, count, r->rates);
}

am_status am_response_measure(am_response *r, const double *x, double p, am_response_point *point, am_error *err) {
    AM_TRY(am_response_signals(r, x, p, err));
    point->frequency = am_balance_omega(r->balance, x, p);
    point->amplitude = point->largest = point->U = 0.0;
    for (size_t c = 0; c < r->n; c++) {
        const double *s = r->signals + c * r->S;
        double amplitude = hypot(s[1], s[2]), largest = largest_of(r, s);
        point->U += 0.5 * largest * largest;
        if (r->options->coordinate == c || (r->options->coordinate == SIZE_MAX && amplitude > point->amplitude)) {
            point->amplitude = amplitude;
            point->largest = largest;
        }
    }
    return AM_OK;
}

am_status am_response_add(am_response *r, const am_response_point *point, const double *x, am_error *err) {
    size_t capacity = r->capacity;
    AM_TRY(am_memory_reserve(&r->point, &capacity, r->count + 1, err));
    AM_TRY(am_memory_reserve_items(&r->x, &r->capacity, r->count + 1, r->size * sizeof *r->x, err));
    r->point[r->count] = *point;
    memcpy(r->x + r->count++ * r->size, x, r->size * sizeof *x);
    return AM_OK;
}

size_t am_response_reason(am_response *r, const char *text) {
    enum { MOST = 200 }; /* beyond, the last one stands for all */
    for (size_t i = 0; i < r->reasons; i++)
        if (!strncmp(r->reason[i], text, AM_RESPONSE_REASON - 1))
            return i + 1;
    if (r->reasons < MOST && !am_memory_reserve(&r->reason, &r->reason_capacity, r->reasons + 1, NULL))
        snprintf(r->reason[r->reasons++], AM_RESPONSE_REASON, "%s", text);
    return r->reasons;
}

/* ---- one number of harmonics ---- */

static void clear(am_response *r) {
    am_response_forget_orbits(r);
    am_balance_free(r->balance);
    am_continuation_free(r->curve);
    am_trig_table_free(r->table);
    am_arena_clear(&r->memory);
    void *const blocks[] = {r->point, r->x, r->branch, r->reason};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        am_memory_free(blocks[i]);
}

static void set_follow(am_response *r) {
    const am_response_options *o = r->options;
    r->follow = am_continuation_options_default();
    r->follow.from = isfinite(o->at) ? o->at : o->from;
    r->follow.to = o->to;
    r->follow.least = fmin(o->from, o->to);
    r->follow.most = fmax(o->from, o->to);
    r->follow.most_points = o->most_points;
    r->follow.largest_step = o->largest_step > 0.0 && o->from != o->to ? o->largest_step / fabs(o->to - o->from) : 0.0;
    r->follow.values = o->values;
    r->follow.value_count = o->value_count;
}

am_status am_response_open(am_response *r, size_t harmonics, am_error *err) {
    const am_response_options *o = r->options;
    am_balance_options options = {.degree = harmonics,
                                  .parity = o->parity,
                                  .self_excited = r->self_excited,
                                  .omega = o->omega,
                                  .control_count = o->control_count,
                                  .controls = o->controls};
    r->balance = am_balance_create(&r->line, o->from, o->to, &options, err);
    if (!r->balance)
        return err->status;
    am_status bounded = am_balance_check_bounded(r->balance, o->from != o->to ? am_response_parameter(r) : NULL, err);
    if (bounded)
        return bounded;
    AM_TRY(am_response_set_harmonics(r, harmonics, err));
    r->n = am_balance_coordinates(r->balance);
    r->size = am_balance_size(r->balance);
    r->problem = am_balance_problem(r->balance);
    r->curve = am_continuation_create(r->size, r->problem.test_count, err);
    r->signals = am_arena_doubles(&r->memory, NULL, r->n * r->S, err);
    AM_ARENA_DOUBLES(&r->memory, r->size, err, &r->start, &r->trial);
    r->tangents = o->branches ? am_arena_doubles(&r->memory, NULL, 11 * (r->size + 1), err) : NULL;
    r->peak = SIZE_MAX;
    r->truncation = r->truncation_at = r->peak_truncation = NAN; /* not measured yet */
    set_follow(r);
    return r->curve ? am_arena_status(&r->memory) : AM_ERR_MEMORY;
}

/* Where the truncation is measured: the points are divided into so many parts, one after the other, and the next
 * harmonics of the forces tell the worst point of each. */
enum { PLACES = 12, PLACES_OF_MANY = 4, MANY = 100, LOOKS = 16 };

/* worst: a point for each part, SIZE_MAX where there is none. */
static am_status find_worst_places(am_response *r, size_t parts, size_t *worst, am_error *err) {
    double most[PLACES] = {0.0};
    size_t step = r->count / (LOOKS * parts) + 1;
    for (size_t i = 0; i < parts; i++)
        worst[i] = SIZE_MAX;
    for (size_t i = 0; i < r->count; i += step) {
        size_t part = i * parts / r->count;
        double truncation = 0.0;
        if (!(r->point[i].amplitude > 0.0))
            continue;
        AM_TRY(am_balance_least_truncation(r->balance, r->x + i * r->size, r->point[i].p, &truncation, err));
        if (worst[part] == SIZE_MAX || truncation > most[part]) {
            worst[part] = i;
            most[part] = truncation;
        }
    }
    return AM_OK;
}

/* The truncation at the peak and at a few places along the branches: the worst of them, and where. */
static am_status measure_truncation(am_response *r, am_error *err) {
    /* each place costs a solution with twice the unknowns */
    size_t parts = r->size < MANY ? PLACES : PLACES_OF_MANY, place[PLACES + 1];
    double worst = 0.0, at = r->options->from, peak = 0.0;
    AM_TRY(find_worst_places(r, parts, place, err));
    place[parts] = r->peak;
    for (size_t i = 0; i <= parts; i++) {
        double truncation = 0.0;
        if (place[i] == SIZE_MAX || !(r->point[place[i]].amplitude > 0.0))
            continue;
        double p = r->point[place[i]].p;
        AM_TRY(am_balance_truncation(r->balance, r->x + place[i] * r->size, p, &truncation, err));
        if (place[i] == r->peak)
            peak = truncation;
        if (truncation > worst) {
            worst = truncation;
            at = p;
        }
    }
    r->truncation = worst;
    r->truncation_at = at;
    r->peak_truncation = peak;
    return AM_OK;
}

/* A motion to begin with, at the first value of the parameter; where Newton's method finds none there, at another one,
 * from which the branch is followed both ways. */
static am_status start_somewhere(am_response *r, am_error *err) {
    static const double shares[] = {0.5, 0.25, 0.75, 0.1, 0.9, 0.03, 0.97};
    const am_response_options *o = r->options;
    am_status status = am_response_start(r, r->follow.from, err);
    bool free = !r->self_excited && !isfinite(o->at) && o->from != o->to;
    for (size_t i = 0; i < sizeof shares / sizeof *shares && status == AM_ERR_LIMIT && free; i++) {
        am_error own = {0};
        double p = o->from + shares[i] * (o->to - o->from);
        am_status next = am_response_start(r, p, &own);
        if (next == AM_OK)
            r->follow.from = p;
        if (next == AM_OK || am_status_is_fatal(next))
            status = next;
    }
    return status;
}

static am_status run_with(am_response *r, size_t harmonics, am_error *err) {
    AM_TRY(am_response_open(r, harmonics, err));
    AM_TRY(start_somewhere(r, err));
    AM_TRY(am_response_follow(r, err));
    AM_TRY(am_response_search_run(r, err));
    AM_TRY(am_response_peaks(r, err));
    return measure_truncation(r, err);
}

/* ---- the whole ---- */

enum { MOST_HARMONICS = 4096 };

static am_status check_control(const am_model *model, const am_response_options *o, size_t i, am_error *err) {
    const am_response_control *c = &o->controls[i];
    AM_TRY(am_model_check(model, c->number, "control.number", err));
    if (c->harmonic == 0)
        return am_fail_field(err, AM_ERR_INPUT, "control.harmonic", "harmonics are counted from 1");
    if (isnan(c->amplitude) ? !isfinite(c->lag) : !(c->amplitude > 0.0) || !isfinite(c->amplitude))
        return am_fail_field(err, AM_ERR_INPUT, "control.amplitude",
                             "control needs an amplitude above zero, or a lag behind the load");
    bool taken = c->number == o->number;
    for (size_t j = 0; j < i; j++)
        taken = taken || o->controls[j].number == c->number;
    if (taken)
        return am_fail_field(err, AM_ERR_INPUT, "control.by",
                             "%.80s is varied already: each condition needs a number of its own to be met by",
                             am_model_name(model, c->number));
    return AM_OK;
}

static am_status check_controls(const am_model *model, const am_response_options *o, am_error *err) {
    if (o->control_count > 0 && o->isolas.count > 0)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "control",
                             "isolas are sought under given loads, not under control");
    if (o->control_count > 0 && (o->number == SIZE_MAX || o->from == o->to))
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "control",
                             "control needs a number of the model that varies: `over`, from and to");
    for (size_t i = 0; i < o->control_count; i++)
        AM_TRY(check_control(model, o, i, err));
    return AM_OK;
}

static am_status check(const am_model *model, const am_response_options *o, am_error *err) {
    AM_TRY(am_options_check(o->cookie, RESPONSE_COOKIE, "response", err));
    if (!isfinite(o->from) || !isfinite(o->to))
        return am_fail_field(err, AM_ERR_INPUT, "to", "the range of the parameter must be finite, not from %g to %g",
                             o->from, o->to);
    if (isfinite(o->at) && (o->at < fmin(o->from, o->to) || o->at > fmax(o->from, o->to)))
        return am_fail_field(err, AM_ERR_INPUT, "at", "the start at %g lies outside the range from %g to %g", o->at,
                             o->from, o->to);
    if (o->harmonics > MOST_HARMONICS || (o->harmonics == 0 && o->most_harmonics > MOST_HARMONICS))
        return am_fail_field(err, AM_ERR_INPUT, o->harmonics > 0 ? "harmonics" : "most_harmonics",
                             "%zu harmonics are more than can be balanced; at most %d",
                             o->harmonics > 0 ? o->harmonics : o->most_harmonics, MOST_HARMONICS);
    if (!(o->tolerance >= 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "tolerance", "the tolerance must not be negative");
    if (o->number != SIZE_MAX || o->from != o->to)
        AM_TRY(am_model_check(model, o->number, "number", err));
    AM_TRY(check_controls(model, o, err));
    if (o->fold_curves.number != SIZE_MAX)
        AM_TRY(am_model_check(model, o->fold_curves.number, "folds.number", err));
    if (o->bifurcation_curves.number != SIZE_MAX)
        AM_TRY(am_model_check(model, o->bifurcation_curves.number, "bifurcations.number", err));
    return AM_OK;
}

/* What kind of response is it: forced, or self-excited? */
static am_status classify(am_response *r, am_error *err) {
    const am_response_options *o = r->options;
    const am_system *system;
    AM_TRY(am_model_line_at(&r->line, isfinite(o->at) ? o->at : o->from, &system, err));
    r->self_excited = am_orbit_load_period(system) == 0.0;
    r->exact = am_response_jumps(system);
    size_t n = am_system_size(system);
    if (o->coordinate != SIZE_MAX && o->coordinate >= n)
        return am_fail_field(err, AM_ERR_INPUT, "coordinate", "there is no coordinate %zu", o->coordinate + 1);
    for (size_t i = 0; i < o->control_count; i++)
        if (o->controls[i].coordinate >= n)
            return am_fail_field(err, AM_ERR_INPUT, "control.coordinate", "there is no coordinate %zu",
                                 o->controls[i].coordinate + 1);
    if (o->control_count > 0 && r->self_excited)
        return am_fail_field(err, AM_ERR_INPUT, "control", "no load repeats: there is nothing to control with");
    return AM_OK;
}

/* How far the harmonics left out may move the motion: chosen harmonics must converge, given ones at least show the
 * motion that is there. */
static double tolerance_of(const am_response_options *o) {
    return o->tolerance > 0.0 ? o->tolerance : o->harmonics > 0 ? 0.5 : 1e-6;
}

double am_response_peak_known_to(const am_response *r) {
    if (r->peak == SIZE_MAX)
        return NAN;
    const am_response_point *peak = &r->point[r->peak];
    return isfinite(peak->exact) && peak->exact > 0.0 ? fabs(peak->amplitude / peak->exact - 1.0) : r->peak_truncation;
}

/* A tolerance that was not met is no result. */
static am_status check_truncation(const am_response *r, am_error *err) {
    double tolerance = tolerance_of(r->options);
    char peak[96] = "", place[128] = "";
    if (r->truncation <= tolerance)
        return AM_OK;
    if (r->peak != SIZE_MAX)
        snprintf(peak, sizeof peak, " (the peak, %.6g, is known to %.2g percent)", r->point[r->peak].amplitude,
                 100.0 * am_response_peak_known_to(r));
    if (r->options->from != r->options->to)
        snprintf(place, sizeof place, " at %.80s = %.6g", am_response_parameter(r), r->truncation_at);
    return am_fail_field(err, AM_ERR_LIMIT, r->options->harmonics > 0 ? "harmonics" : "tolerance",
                         "with %zu harmonics those left out move the motion by %.2g of its size%s%s, and the tolerance "
                         "is %g: take %s, or a tolerance that can be met",
                         r->H, r->truncation, place, peak, tolerance,
                         r->options->harmonics > 0 ? "more harmonics" : "larger most_harmonics");
}

/* Will the tolerance be missed by far even with the most harmonics, if truncation goes on falling as it did from half of
 * them, by a power of their number? */
static bool is_hopeless(const am_response *r, double before) {
    double power = log2(before / r->truncation), left = (double)r->H / (double)r->options->most_harmonics;
    return !(r->truncation * pow(left, fmax(power, 0.0)) <= 10.0 * tolerance_of(r->options));
}

/* Exact orbits instead of the balance, from the beginning; *made: the whole branch is there. */
static am_status try_orbits(am_response *r, const am_response *fresh, bool *made, am_error *err) {
    am_response orbits = *fresh;
    am_error own = {0};
    am_status status = am_response_orbits(&orbits, &own);
    *made = status == AM_OK;
    for (size_t b = 0; b < orbits.branches; b++)
        *made = *made && orbits.branch[b].reached;
    if (am_status_is_fatal(status))
        status = am_fail(err, status, "%s", own.message);
    else
        status = AM_OK;
    clear(*made ? r : &orbits);
    if (*made)
        *r = orbits;
    return status;
}

/* Harmonics are doubled until what they leave out is below the tolerance. Where they will not do, friction that falls at
 * once when slip begins, say, or no motion is found to begin with, the branch is made of exact orbits; not where fewer are
 * asked for than usual, which is a request for a balance. */
static am_status raise_harmonics(am_response *r, am_error *err) {
    enum { FIRST = 5, LEAST = 20 }; /* the first numbers of harmonics tell little of how truncation falls */
    const am_response fresh = *r;
    size_t most = r->options->most_harmonics, harmonics = FIRST < most ? FIRST : most;
    double before = INFINITY;
    bool tried = most < USUAL_MOST_HARMONICS || !am_response_orbits_can(r), made = false;
    for (;;) {
        am_status status = run_with(r, harmonics, err);
        bool last = status || harmonics >= most;
        if (am_status_is_fatal(status) || (!status && r->truncation <= tolerance_of(r->options)))
            return status;
        if (!tried && (last || (harmonics >= LEAST && is_hopeless(r, before)))) {
            tried = true;
            AM_TRY(try_orbits(r, &fresh, &made, err));
        }
        if (made && err)
            *err = (am_error){0};
        if (made || last)
            return made ? AM_OK : status;
        before = r->truncation;
        harmonics = 2 * harmonics < most ? 2 * harmonics : most;
        clear(r);
        *r = fresh;
    }
}

/* The branches as far as they were followed, when the work was stopped. A number of harmonics that has not been decided
 * on yet leaves nothing behind: another one would have given other points. */
static void report_part(am_response *r, am_result *result) {
    am_error unheard = {0}; /* nothing is claimed of a part */
    am_watch apart;
    if (r->branches == 0 || r->count == 0 ||
        (!r->exact && r->options->harmonics == 0 && !(r->truncation <= tolerance_of(r->options))))
        return;
    size_t reason = am_response_reason(r, "interrupted before it was judged");
    for (size_t i = 0; i < r->count && r->options->stability != AM_RESPONSE_STABILITY_NONE; i++)
        if (r->point[i].stable < 0 && r->point[i].withheld == 0)
            r->point[i].withheld = reason;
    am_watch_apart(&apart, NULL); /* this is wanted still */
    am_status status = am_response_tables(r, result, &unheard);
    if (am_analysis_end(&apart, result, status, &unheard) == AM_OK)
        am_watch_mark(result);
}

/* A preview, where one is asked for and the trace has branches that fit. */
static am_status try_preview(am_response *r, am_result *result, bool *drawn, am_error *err) {
    const am_response fresh = *r;
    am_status status = am_response_preview(r, result, drawn, err);
    if (status || *drawn)
        return status;
    clear(r);
    *r = fresh;
    return AM_OK;
}

static am_status answer(am_response *r, am_result *result, am_error *err) {
    const am_response_options *o = r->options;
    bool drawn;
    AM_TRY(check(r->line.model, o, err));
    AM_TRY(classify(r, err));
    AM_TRY(try_preview(r, result, &drawn, err));
    if (drawn)
        return AM_OK;
    if (r->exact) {
        AM_TRY(am_response_orbits(r, err));
        return am_response_tables(r, result, err);
    }
    AM_TRY(am_response_search_create(r, err));
    AM_TRY(o->harmonics > 0 ? run_with(r, o->harmonics, err) : raise_harmonics(r, err));
    if (r->exact)
        return am_response_tables(r, result, err);
    AM_TRY(am_response_verdicts(r, err));
    AM_TRY(check_truncation(r, err));
    AM_TRY(am_response_bifurcations_track(r, err));
    AM_TRY(am_response_tables(r, result, err));
    am_response_search_tables(r, result);
    return am_response_take_down(r, err);
}

static am_status response_run_watched(am_model *model, const am_response_options *options, am_result *result,
                                      const am_progress *progress, am_error *err) {
    am_error own = {0};
    am_response r = {.options = options, .progress = progress};
    r.line = (am_model_line){.model = model, .number = options->number, .held = options->fold_curves.number};
    r.line.value = am_model_value(model, r.line.held);
    am_status status = answer(&r, result, err ? err : &own);
    if (status == AM_ERR_INTERRUPTED)
        report_part(&r, result);
    am_response_search_free(r.search);
    clear(&r);
    return status;
}

am_status am_response_run(am_model *model, const am_response_options *options, am_result *result,
                          const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(model, AM_TAG_MODEL) && options, result, progress, __func__, err));
    const double number = am_model_value(model, options->number);
    const double second = am_model_value(model, options->fold_curves.number);
    am_status status = response_run_watched(model, options, result, progress, err);
    am_model_set(model, options->number, number, NULL);
    am_model_set(model, options->fold_curves.number, second, NULL);
    return am_analysis_end(&watch, result, status, err);
}
