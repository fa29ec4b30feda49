/* Tables and summary of `response`. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "analyses/response/response_internal.h"
#include "analyses/tables/contact_cycles.h"
#include "analyses/tables/first_harmonics.h"
#include "base/columns.h"
#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/pi.h"

/* ---- branch ---- */

/* Why a point has no verdict; "" where it has one, or none was asked for. */
static const char *reason_of(const am_response *r, const am_response_point *point) {
    return point->withheld > 0 && point->withheld <= r->reasons ? r->reason[point->withheld - 1] : "";
}

/* |U^T M U| / U^H M U of the first harmonic U of all coordinates: 1 where they move in phase or in opposite phase, as in
 * a mode that is isolated. */
static double purity(const am_response *r) {
    const am_balance *b = r->balance;
    double complex together = 0.0, apart = 0.0;
    for (size_t i = 0; i < r->n; i++)
        for (size_t j = 0; j < r->n; j++) {
            const double *s = r->signals + i * r->S, *t = r->signals + j * r->S;
            double complex u = s[1] - I * s[2], v = t[1] - I * t[2];
            together += b->numbers[b->at_M + i * r->n + j] * u * v;
            apart += b->numbers[b->at_M + i * r->n + j] * conj(u) * v;
        }
    return cabs(together) / creal(apart);
}

static am_status add_branch_row(am_response *r, am_table *table, size_t at, am_error *err) {
    const am_response_point *p = &r->point[at];
    size_t column = 11;
    AM_TRY(r->exact ? am_response_signals(r, r->x + at * r->size, p->p, err)
                    : am_balance_unpack_first(r->balance, r->x + at * r->size, p->p, r->signals, err));
    am_table_add_numbers(table, AM_NUMBERS((double)p->branch, p->p, p->frequency, p->amplitude, p->largest, p->U,
                                           p->stable < 0 ? NAN : (double)p->stable, p->exponent, p->multiplier,
                                           p->exact, p->residual));
    am_table_set_text(table, column++, p->kind, NULL);
    am_table_set_text(table, column++, reason_of(r, p), NULL);
    for (size_t c = 0; c < r->n; c++) { /* a cos + b sin = A cos(theta - phase) */
        const double *s = r->signals + c * r->S;
        am_table_set_number(table, column++, hypot(s[1], s[2]));
        am_table_set_number(table, column++, 180.0 / pi * atan2(s[2], s[1]));
    }
    for (size_t i = 0; i < r->options->control_count; i++)
        am_table_set_number(table, column++, am_balance_control_value(r->balance, r->x + at * r->size, i));
    if (r->options->control_count > 0)
        am_table_set_number(table, column, purity(r));
    return AM_OK;
}

static am_status fill_branches(am_response *r, const am_system *system, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "branch", "branch");
    am_table_describe_as(table, "<number>", am_response_parameter(r));
    am_table_describe(table, "frequency amplitude largest U stable exponent multiplier exact residual kind withheld");
    am_table_describe_first_harmonics(table, system, true);
    for (size_t i = 0; i < r->options->control_count; i++)
        am_table_describe_as(table, "<number>", am_model_name(r->line.model, r->options->controls[i].number));
    am_table_describe(table, r->options->control_count > 0 ? "purity" : "");
    for (size_t b = 0; b < r->branches; b++)
        for (size_t i = r->branch[b].first; i < r->branch[b].first + r->branch[b].count; i++)
            AM_TRY(add_branch_row(r, table, i, err));
    return AM_OK;
}

/* ---- special points ---- */

static bool is_special(const char *kind) {
    return strcmp(kind, "regular") != 0 && strcmp(kind, "start") != 0;
}

static void fill_specials(const am_response *r, am_result *result) {
    am_table *table = am_result_describe_table(result, "special", "branch kind");
    am_table_describe_as(table, "<number>", am_response_parameter(r));
    am_table_describe(table, "U amplitude frequency located");
    for (size_t i = 0; i < r->count; i++) {
        const am_response_point *p = &r->point[i];
        if (!is_special(p->kind))
            continue;
        am_table_add_numbers(
            table, AM_NUMBERS((double)p->branch, p->p, p->U, p->amplitude, p->frequency, p->located ? 1.0 : 0.0));
        am_table_set_text(table, 1, p->kind, NULL);
    }
}

/* ---- the motion at the peak ---- */

static am_status fill_shape(am_response *r, const am_system *system, am_result *result, am_error *err) {
    if (r->peak == SIZE_MAX)
        return AM_OK;
    am_table *table = am_result_describe_table(result, "shape", "harmonic");
    for (size_t c = 0; c < r->n; c++) {
        char name[160];
        snprintf(name, sizeof name, "%.100s_cos", am_system_name(system, c));
        am_table_describe_as(table, "<q>_cos", name);
        snprintf(name, sizeof name, "%.100s_sin", am_system_name(system, c));
        am_table_describe_as(table, "<q>_sin", name);
    }
    AM_TRY(am_response_signals(r, r->x + r->peak * r->size, r->point[r->peak].p, err));
    for (size_t h = 0; h <= r->H; h++) {
        am_table_add_numbers(table, AM_NUMBERS((double)h));
        for (size_t c = 0; c < r->n; c++) {
            am_table_set_number(table, 1 + 2 * c, r->signals[c * r->S + (h == 0 ? 0 : 2 * h - 1)]);
            am_table_set_number(table, 2 + 2 * c, h == 0 ? 0.0 : r->signals[c * r->S + 2 * h]);
        }
    }
    return AM_OK;
}

/* ---- contacts at the peak and at the values asked for ---- */

static am_status fill_cycles(am_response *r, const am_system *system, am_result *result, am_error *err) {
    const am_cycle_options *options = &r->options->cycles;
    AM_TRY(am_contact_cycles_check(options, system, err));
    am_contact_cycles cycles = am_contact_cycles_begin(options, system, result, "<number>", am_response_parameter(r));
    for (size_t k = 0; k <= r->count; k++) { /* the peak first */
        size_t i = k == 0 ? r->peak : k - 1;
        if (i == SIZE_MAX || (k > 0 && (i == r->peak || strcmp(r->point[i].kind, "value") != 0)))
            continue;
        AM_TRY(r->exact
                   ? am_response_orbit_cycles(r, &r->point[i], &cycles, err)
                   : am_contact_cycles_add(&cycles, r->balance, r->x + i * r->size, r->point[i].p, r->point[i].p, err));
    }
    return AM_OK;
}

/* ---- summary ---- */

/* On the first branch, which the study asked for. */
static size_t count_kind(const am_response *r, const char *kind) {
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        count += r->point[i].branch == 0 && !strcmp(r->point[i].kind, kind);
    return count;
}

/* Of the first number that control varies. */
static void set_control(const am_response *r, am_result *result) {
    double error = 0.0, least = INFINITY, most = -INFINITY, least_at = NAN, most_at = NAN;
    for (size_t i = 0; i < r->count && r->options->control_count > 0; i++) {
        double value = am_balance_control_value(r->balance, r->x + i * r->size, 0);
        error = fmax(error, am_balance_control_error(r->balance, r->x + i * r->size));
        if (value < least)
            least = value, least_at = r->point[i].p;
        if (value > most)
            most = value, most_at = r->point[i].p;
    }
    if (r->options->control_count > 0)
        am_result_set_numbers(result, AM_NAMED({"control_error", error}, {"control_least", least},
                                               {"control_least_at", least_at}, {"control_most", most},
                                               {"control_most_at", most_at}));
}

static void set_counts(const am_response *r, am_result *result) {
    am_continuation_report sum = {0};
    double worst = 0.0;
    for (size_t b = 0; b < r->branches; b++) {
        sum.kinks += r->branch[b].report.kinks;
        sum.unlocated += r->branch[b].report.unlocated;
        worst = fmax(worst, r->branch[b].report.worst_residual);
    }
    am_result_set_flag(result, "closed", r->branches > 0 && r->branch[0].closed, NULL);
    am_result_set_counts(
        result, AM_NAMED({"folds", count_kind(r, "fold")}, {"branch_points", count_kind(r, "branch-point")},
                         {"hopfs", count_kind(r, "hopf")}, {"neimark_sackers", count_kind(r, "neimark-sacker")},
                         {"period_doublings", count_kind(r, "period-doubling")}, {"kinks", sum.kinks},
                         {"unlocated", sum.unlocated}));
    am_result_set_number(result, "residual", worst, NULL);
    set_control(r, result);
}

static void set_peak(const am_response *r, am_result *result) {
    if (r->peak == SIZE_MAX) {
        am_result_set_none(result, "peak", NULL);
        return;
    }
    const am_response_point *peak = &r->point[r->peak];
    am_result_set_numbers(result,
                          AM_NAMED({"peak", peak->amplitude}, {"peak_at", peak->p}, {"peak_frequency", peak->frequency},
                                   {"peak_largest", peak->largest}, {"peak_U", peak->U}));
    if (peak->stable >= 0)
        am_result_set_flag(result, "peak_stable", peak->stable == 1, NULL);
    if (isfinite(peak->exact))
        am_result_set_numbers(
            result, AM_NAMED({"peak_exact", peak->exact}, {"peak_error", fabs(peak->amplitude / peak->exact - 1.0)}));
    am_result_set_known(result, "peak_known_to", am_response_peak_known_to(r));
    am_result_set_flag(result, "peak_inside", !strcmp(peak->kind, "peak"), NULL);
}

/* In the order of the table, and the least and the greatest value of the parameter. */
static void set_folds(const am_response *r, am_result *result) {
    double first = NAN, least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < r->count; i++)
        if (r->point[i].branch == 0 && !strcmp(r->point[i].kind, "fold")) {
            first = isnan(first) ? r->point[i].p : first;
            least = fmin(least, r->point[i].p);
            most = fmax(most, r->point[i].p);
        }
    if (isnan(first))
        return;
    am_result_set_numbers(result, AM_NAMED({"first_fold", first}, {"lowest_fold", least}, {"highest_fold", most}));
}

static void set_end(const am_response *r, am_result *result) {
    static const char *const words[] = {"left the range", "closed", "failed", "too many points", "stopped"};
    const am_response_branch *first = &r->branch[0];
    char text[320];
    snprintf(text, sizeof text, "%s%s%.256s", words[first->report.end], first->report.sentence[0] ? ": " : "",
             first->report.sentence);
    am_result_set_text(result, "end", text, NULL);
    am_result_set_flag(result, "reached", first->reached || first->closed, NULL);
    am_result_set_counts(result, AM_NAMED({"points", r->count}, {"branches", r->branches}));
}

/* How stability was judged, how many points have no verdict, and why not: at the peak, or else at the first of them. */
static void set_stability(const am_response *r, am_result *result) {
    const am_response_point *first = NULL;
    size_t withheld = 0;
    if (!r->judged_by) {
        am_result_set_text(result, "stability", "none", NULL);
        return;
    }
    for (size_t i = 0; i < r->count; i++)
        if (r->point[i].stable < 0) {
            first = first && i != r->peak ? first : &r->point[i];
            withheld++;
        }
    am_result_set_text(result, "stability", r->judged_by, NULL);
    am_result_set_count(result, "stability_withheld", withheld, NULL);
    if (first)
        am_result_set_text(result, "stability_reason", reason_of(r, first), NULL);
}

static void set_summary(const am_response *r, am_result *result) {
    set_peak(r, result);
    set_counts(r, result);
    set_stability(r, result);
    set_folds(r, result);
    set_end(r, result);
    am_result_set_count(result, "harmonics", r->H, NULL);
    am_result_set_text(result, "method", r->exact ? "orbits" : "balance", NULL);
    am_result_set_flag(result, "odd", !r->exact && am_balance_odd(r->balance), NULL);
    if (!r->exact && am_balance_worn(r->balance) > 0)
        am_result_set_count(result, "worn", am_balance_worn(r->balance), NULL);
    am_result_set_flag(result, "self_excited", r->self_excited, NULL);
    am_result_set_known(result, "truncation_at", r->truncation_at);
    am_result_set_known(result, "truncation", r->truncation);
}

am_status am_response_tables(am_response *r, am_result *result, am_error *err) {
    double p = r->count ? r->point[0].p : r->options->from;
    const am_system *system;
    AM_TRY(am_model_line_at(&r->line, p, &system, err));
    AM_TRY(fill_branches(r, system, result, err));
    fill_specials(r, result);
    AM_TRY(fill_shape(r, system, result, err));
    AM_TRY(fill_cycles(r, system, result, err));
    set_summary(r, result);
    return AM_OK;
}

am_status am_response_preview_tables(am_response *r, am_result *result, am_error *err) {
    const am_system *system;
    AM_TRY(am_model_line_at(&r->line, r->point[0].p, &system, err));
    AM_TRY(fill_branches(r, system, result, err));
    const am_response_point *peak = &r->point[r->peak];
    am_result_set_numbers(result, AM_NAMED({"peak", peak->amplitude}, {"peak_at", peak->p},
                                           {"peak_frequency", peak->frequency}, {"peak_largest", peak->largest}));
    am_result_set_counts(result, AM_NAMED({"points", r->count}, {"harmonics", r->H}));
    am_result_set_flag(result, "self_excited", r->self_excited, NULL);
    return AM_OK;
}
