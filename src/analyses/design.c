#include "amontons/response.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "amontons/orbit.h"
#include "analyses/analysis.h"
#include "analyses/design/design_internal.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"
#include "base/watch.h"
#include "engines/balance/balance_internal.h"
#include "math/trigonometric.h"

enum { DESIGN_COOKIE = 0x414d4447, FIRST_HARMONICS = 5 };

am_design_options am_design_options_default(void) {
    return (am_design_options){.frequency = 1,
                               .tolerance = 1e-6,
                               .most_harmonics = 96,
                               .coordinate = SIZE_MAX,
                               .robust = 0.1,
                               .checks = 9,
                               .most_points = 2000,
                               .cookie = DESIGN_COOKIE};
}

double am_design_frequency(const am_design *d, double omega) {
    return d->options->frequency_from + (omega - d->omega_at_from) / d->omega_slope;
}

double am_design_omega(const am_design *d, double frequency) {
    return d->omega_at_from + d->omega_slope * (frequency - d->options->frequency_from);
}

double am_design_amplitude(const am_design *d, const double *signals, size_t S) {
    size_t chosen = d->options->coordinate;
    double amplitude = 0.0;
    for (size_t c = 0; c < d->n; c++) {
        double own = hypot(signals[c * S + 1], signals[c * S + 2]);
        if (chosen == c || (chosen == SIZE_MAX && own > amplitude))
            amplitude = own;
    }
    return amplitude;
}

/* Blocks of both have the same order. */
void am_design_convert(const am_balance *from, const am_balance *to, const double *x, double omega, double *z) {
    size_t common = to->kept < from->kept ? to->kept : from->kept;
    memset(z, 0, to->size * sizeof *z);
    for (size_t b = 0; b < to->r + to->multipliers; b++)
        memcpy(z + b * to->kept, x + b * from->kept, common * sizeof *x);
    z[to->size - 1] = omega;
}

/* ---- options ---- */

static am_status check_range(double from, double to, const char *field, const char *what, am_error *err) {
    if (!isfinite(from) || !isfinite(to))
        return am_fail_field(err, AM_ERR_INPUT, field, "the range of %s must be finite, not from %g to %g", what, from,
                             to);
    if (from == to)
        return am_fail_field(err, AM_ERR_INPUT, field, "the range of %s, from %g to %g, is empty", what, from, to);
    return AM_OK;
}

enum { MOST_CHECKS = 100000 };

static am_status check(const am_design_options *o, am_error *err) {
    AM_TRY(am_options_check(o->cookie, DESIGN_COOKIE, "design", err));
    AM_TRY(check_range(o->from, o->to, "to", "the parameter", err));
    AM_TRY(check_range(o->frequency_from, o->frequency_to, "frequency_to", "the frequency", err));
    if (!(o->robust > 0.0 && isfinite(o->robust)))
        return am_fail_field(err, AM_ERR_INPUT, "robust",
                             "the share by which the peak may exceed its least value "
                             "must be positive, not %g",
                             o->robust);
    if (!(o->tolerance > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "tolerance", "the tolerance must be positive");
    if (o->checks > MOST_CHECKS)
        return am_fail_field(err, AM_ERR_INPUT, "checks", "%zu checks are more than the %d that can be searched",
                             o->checks, MOST_CHECKS);
    if (o->checks < 2)
        return am_fail_field(err, AM_ERR_INPUT, "checks",
                             "peaks are searched at both ends at least: 2 checks, not "
                             "%zu",
                             o->checks);
    if (!(o->largest_step >= 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "largest_step", "the largest step must be positive");
    return AM_OK;
}

/* ---- the frequency ---- */

static am_status check_forced(am_design *d, const am_model_line *line, am_error *err) {
    const am_system *system;
    AM_TRY(am_model_line_at(line, d->options->frequency_from, &system, err));
    bool forced = am_orbit_load_period(system) != 0.0;
    size_t n = am_system_size(system);
    if (!forced)
        return am_fail(err, AM_ERR_INPUT,
                       "no load repeats (its frequency is zero, or there is none): a design curve "
                       "is about forced motions");
    if (d->options->coordinate != SIZE_MAX && d->options->coordinate >= n)
        return am_fail_field(err, AM_ERR_INPUT, "coordinate", "there is no coordinate %zu", d->options->coordinate + 1);
    return AM_OK;
}

/* The frequency must move the frequency of the loads, along a straight line, and nothing else: then omega can be an
 * unknown like the others. */
static am_status examine_frequency(am_design *d, double p, am_error *err) {
    const am_design_options *o = d->options;
    const am_model_line line = {.model = d->model, .number = o->frequency, .held = o->number, .value = p};
    am_balance_options options = {.degree = o->harmonics > 0 ? o->harmonics : FIRST_HARMONICS};
    am_status status = AM_OK;
    AM_TRY(check_forced(d, &line, err));
    am_balance *b = am_balance_create(&line, o->frequency_from, o->frequency_to, &options, err);
    if (!b)
        return err->status;
    const am_dependence *found = &b->dependence;
    if (!found->straight || found->moving_count != 1 || found->moving[0] != 0)
        status = am_fail_field(err, AM_ERR_INPUT, "frequency",
                               "%s must move the frequency of the loads and nothing else, but it %s",
                               am_model_name(d->model, o->frequency),
                               found->moving_count == 0 ? "moves nothing" : "moves other things, too");
    else {
        d->omega_at_from = found->base[0];
        d->omega_slope = found->slope[0];
    }
    am_balance_free(b);
    AM_TRY(status);
    double last = am_design_omega(d, o->frequency_to);
    d->least = fmin(d->omega_at_from, last);
    d->most = fmax(d->omega_at_from, last);
    if (!(d->least > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "frequency_from",
                             "the frequency of the loads must stay positive, but goes down to %g", d->least);
    return AM_OK;
}

/* ---- one number of harmonics ---- */

static void clear(am_design *d) {
    for (size_t c = 0; c < d->curve_count; c++) {
        am_memory_free(d->curves[c].peak);
        am_memory_free(d->curves[c].z);
    }
    am_memory_free(d->curves);
    am_memory_free(d->optima);
    am_balance_free(d->balance);
    am_continuation_free(d->curve);
    am_arena_clear(&d->memory);
}

static am_status reserve(am_design *d, am_error *err) {
    size_t m = d->size;
    am_arena *memory = &d->memory;
    AM_ARENA_DOUBLES(memory, m, err, &d->scale, &d->anchor, &d->border, &d->F, &d->Fp, &d->weight, &d->move,
                     &d->shifted);
    for (size_t i = 0; i < sizeof d->station / sizeof *d->station; i++)
        AM_ARENA_DOUBLES(memory, m, err, &d->station[i].z, &d->station[i].tangent);
    d->work = am_arena_doubles(memory, NULL, 4 * m, err);
    d->matrix = am_arena_doubles(memory, NULL, m * m, err);
    d->order = am_arena_new(memory, m, sizeof *d->order, err);
    d->signals = am_arena_doubles(memory, NULL, d->n * d->S, err);
    d->curve = am_continuation_create(m, 0, err);
    d->here = &d->station[0];
    d->next = &d->station[1];
    d->low = &d->station[2];
    d->high = &d->station[3];
    return d->curve ? am_arena_status(memory) : AM_ERR_MEMORY;
}

static am_status open_design(am_design *d, size_t harmonics, am_error *err) {
    const am_design_options *o = d->options;
    am_balance_options options = {.degree = harmonics, .parity = o->parity, .free_omega = true};
    const am_model_line line = {
        .model = d->model, .number = o->number, .held = o->frequency, .value = o->frequency_from};
    d->balance = am_balance_create(&line, o->from, o->to, &options, err);
    if (!d->balance)
        return err->status;
    d->H = harmonics;
    d->S = am_trig_size(harmonics);
    d->n = am_balance_coordinates(d->balance);
    d->size = am_balance_size(d->balance);
    return reserve(d, err);
}

/* Values of the parameter in equal steps, or in equal ratios where the range spans an order of magnitude. */
static am_status choose_checks(am_design *d, am_error *err) {
    const am_design_options *o = d->options;
    double ratio = o->from != 0.0 ? o->to / o->from : 0.0;
    bool ratios = ratio > 8.0 || (ratio > 0.0 && ratio < 1.0 / 8.0);
    d->checks = o->checks;
    d->check = am_arena_doubles(&d->memory, NULL, o->checks, err);
    if (!d->check)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < o->checks; i++) {
        double share = (double)i / (double)(o->checks - 1);
        d->check[i] = ratios ? o->from * pow(ratio, share) : o->from + share * (o->to - o->from);
    }
    d->check[o->checks - 1] = o->to;
    return AM_OK;
}

static am_status find_at(am_design *d, double p, am_error *err) {
    size_t known = d->curve_count;
    AM_TRY(am_design_find(d, p, err));
    for (size_t c = known; c < d->curve_count; c++)
        AM_TRY(am_design_follow(d, c, err));
    return AM_OK;
}

/* The greatest amplitude changes continuously: where the top of all ends, there must be another peak as high. */
static am_status find_where_tops_end(am_design *d, am_error *err) {
    enum { MOST = 20 };
    double least = fmin(d->options->from, d->options->to), most = fmax(d->options->from, d->options->to), slope;
    size_t searches = 0;
    for (size_t c = 0; c < d->curve_count; c++)
        for (int end = 0; end < 2 && searches < MOST; end++) {
            size_t top = SIZE_MAX;
            double p = d->curves[c].peak[end ? d->curves[c].count - 1 : 0].p;
            am_design_envelope(d, p, &top, &slope);
            if (top != c || !(p > least && p < most))
                continue;
            searches++;
            AM_TRY(find_at(d, p, err));
        }
    return AM_OK;
}

/* The first stretch of the parameter from `start` on in which no peak is known. */
static bool next_gap(const am_design *d, double start, double *first, double *last) {
    double most = fmax(d->options->from, d->options->to), covered = start;
    while (covered < most) {
        double further = covered, next = most;
        for (size_t c = 0; c < d->curve_count; c++) {
            double begin = d->curves[c].peak[0].p, end = d->curves[c].peak[d->curves[c].count - 1].p;
            if (begin <= covered && end > further)
                further = end;
            if (begin > covered && begin < next)
                next = begin;
        }
        *first = covered;
        *last = next;
        if (further == covered)
            return true;
        covered = further;
    }
    return false;
}

/* What is left after a search in the middle of every gap. */
static am_status close_gaps(am_design *d, am_error *err) {
    double least = fmin(d->options->from, d->options->to), first, last = least;
    for (int i = 0; i < 10 && next_gap(d, last, &first, &last); i++)
        AM_TRY(find_at(d, 0.5 * (first + last), err));
    d->gaps = 0;
    for (last = least; next_gap(d, last, &first, &last);)
        d->gaps++;
    return AM_OK;
}

static am_status find_all(am_design *d, am_error *err) {
    AM_TRY(choose_checks(d, err));
    for (size_t i = 0; i < d->checks; i++)
        AM_TRY(find_at(d, d->check[i], err));
    if (d->curve_count == 0)
        return am_fail(err, AM_ERR_LIMIT, "the response has no peak between the frequencies %g and %g",
                       d->options->frequency_from, d->options->frequency_to);
    AM_TRY(find_where_tops_end(d, err));
    return close_gaps(d, err);
}

/* The truncation of a few peaks of every curve: the worst, and where it is. */
static am_status measure_truncation(am_design *d, const double **worst_z, double *worst_p, am_error *err) {
    enum { PLACES = 8 };
    d->truncation = 0.0;
    for (size_t c = 0; c < d->curve_count; c++) {
        const am_design_curve *curve = &d->curves[c];
        size_t step = curve->count > PLACES ? curve->count / PLACES : 1;
        for (size_t i = 0; i < curve->count; i += step) {
            double truncation;
            const double *z = curve->z + 2 * d->size * i;
            AM_TRY(am_balance_truncation(d->balance, z, curve->peak[i].p, &truncation, err));
            if (truncation > d->truncation) {
                d->truncation = truncation;
                *worst_z = z;
                *worst_p = curve->peak[i].p;
            }
        }
    }
    return AM_OK;
}

static am_status run_with(am_design *d, size_t harmonics, const double **worst_z, double *worst_p, am_error *err) {
    AM_TRY(open_design(d, harmonics, err));
    AM_TRY(find_all(d, err));
    return measure_truncation(d, worst_z, worst_p, err);
}

/* ---- as many harmonics as are needed ---- */

/* The truncation at the worst peak, with more harmonics. */
static am_status probe(const am_design *coarse, am_design *fine, size_t harmonics, const double *worst, double p,
                       double *truncation, am_error *err) {
    am_design_peak peak;
    size_t m = coarse->size;
    AM_TRY(open_design(fine, harmonics, err));
    double *z = fine->work, *way = z + fine->size;
    am_design_convert(coarse->balance, fine->balance, worst, worst[m - 1], z);
    am_design_convert(coarse->balance, fine->balance, worst + m, worst[2 * m - 1], way);
    AM_TRY(am_design_peak_at(fine, p, z, way, &peak, err));
    return am_balance_truncation(fine->balance, z, p, truncation, err);
}

static am_status choose_harmonics(am_design *d, am_error *err) {
    am_design fresh = *d;
    const double *worst = NULL;
    double p = 0.0, tolerance = d->options->tolerance;
    size_t most = d->options->most_harmonics, harmonics = FIRST_HARMONICS < most ? FIRST_HARMONICS : most;
    am_status status = run_with(d, harmonics, &worst, &p, err);
    double truncation = d->truncation;
    if (status || !(truncation > tolerance))
        return status;
    while (!status && truncation > tolerance && harmonics < most) {
        harmonics = 2 * harmonics < most ? 2 * harmonics : most;
        am_design fine = fresh;
        status = probe(d, &fine, harmonics, worst, p, &truncation, err);
        clear(&fine);
    }
    if (status)
        return status;
    clear(d);
    *d = fresh;
    return run_with(d, harmonics, &worst, &p, err);
}

/* ---- the whole ---- */

/* Everything about one model except what is written down. */
static am_status run_model(am_design *d, am_model *model, am_error *err) {
    const am_design_options *o = d->options;
    const double *worst;
    double p;
    d->model = model;
    AM_TRY(am_model_check(model, o->number, "number", err));
    AM_TRY(am_model_check(model, o->frequency, "frequency", err));
    AM_TRY(examine_frequency(d, o->to, err));
    AM_TRY(examine_frequency(d, o->from, err));
    return o->harmonics > 0 ? run_with(d, o->harmonics, &worst, &p, err) : choose_harmonics(d, err);
}

static am_status answer(am_design *d, am_design *other, am_model *model, am_result *result, am_error *err) {
    am_model *against = d->options->against;
    am_design_ratio ratio;
    AM_TRY(check(d->options, err));
    AM_TRY(run_model(d, model, err));
    AM_TRY(am_design_optimise(d, err));
    if (against) {
        AM_TRY(run_model(other, against, err));
        AM_TRY(am_design_compare(d, other, &ratio, err));
    }
    return am_design_tables(d, against ? other : NULL, &ratio, result, err);
}

static am_status design_run_watched(am_model *model, const am_design_options *options, am_result *result,
                                    const am_progress *progress, am_error *err) {
    am_error own = {0};
    am_design d = {.options = options, .progress = progress}, other = d;
    am_status status = answer(&d, &other, model, result, err ? err : &own);
    clear(&d);
    clear(&other);
    return status;
}

/* Both numbers of a model, before and after it is used. */
static void put_back(am_model *model, const am_design_options *o, const double before[2]) {
    am_model_set(model, o->number, before[0], NULL);
    am_model_set(model, o->frequency, before[1], NULL);
}

am_status am_design_run(am_model *model, const am_design_options *options, am_result *result,
                        const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(model, AM_TAG_MODEL) && options, result, progress, __func__, err));
    am_model *other = options->against;
    const double before[2] = {am_model_value(model, options->number), am_model_value(model, options->frequency)};
    const double against[2] = {am_model_value(other, options->number), am_model_value(other, options->frequency)};
    am_status status = design_run_watched(model, options, result, progress, err);
    put_back(model, options, before);
    put_back(other, options, against);
    return am_analysis_end(&watch, result, status, err);
}
