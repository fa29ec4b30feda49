/* Tables and summary of `response`. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "analyses/response/form.h"
#include "base/columns.h"
#include "base/memory.h"
#include "base/try.h"
#include "math/pi.h"

/* ---- branch ---- */

static void add_coordinate_columns(am_table *table, const am_system *system) {
    for (size_t i = 0; i < am_system_size(system); i++) {
        char name[160];
        snprintf(name, sizeof name, "%.100s_1", am_system_name(system, i));
        am_table_describe_as(table, "<q>_1", name);
        snprintf(name, sizeof name, "%.100s_phase_deg", am_system_name(system, i));
        am_table_describe_as(table, "<q>_phase_deg", name);
    }
}

static am_table *make_branch_table(const am_response *r, const am_system *system, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "branch", "branch");
    am_table_describe_as(table, "<number>", am_response_parameter(r));
    am_table_describe(table, "frequency amplitude largest U stable exponent multiplier exact residual kind withheld");
    add_coordinate_columns(table, system);
    return am_result_status(result, err) == AM_OK ? table : NULL;
}

/* Why a point has no verdict; "" where it has one, or none was asked for. */
static const char *reason_of(const am_response *r, const am_response_point *point) {
    return point->withheld > 0 && point->withheld <= r->reasons ? r->reason[point->withheld - 1] : "";
}

static am_status add_branch_row(am_response *r, am_table *table, size_t i, am_error *err) {
    const am_response_point *point = &r->point[i];
    AM_TRY(am_table_add_row(table, err));
    AM_TRY(am_balance_unpack(r->balance, r->x + i * r->size, point->p, r->signals, err));
    const double values[] = {(double)point->branch,
                             point->p,
                             point->frequency,
                             point->amplitude,
                             point->largest,
                             point->U,
                             point->stable < 0 ? NAN : (double)point->stable,
                             point->exponent,
                             point->multiplier,
                             point->exact,
                             point->residual};
    size_t column = 0;
    for (; column < sizeof values / sizeof *values; column++)
        am_table_set_number(table, column, values[column]);
    AM_TRY(am_table_set_text(table, column++, point->kind, err));
    AM_TRY(am_table_set_text(table, column++, reason_of(r, point), err));
    for (size_t c = 0; c < r->n; c++) { /* a cos + b sin = A cos(theta - phase) */
        const double *s = r->signals + c * r->S;
        am_table_set_number(table, column++, hypot(s[1], s[2]));
        am_table_set_number(table, column++, 180.0 / pi * atan2(s[2], s[1]));
    }
    return AM_OK;
}

static am_status fill_branches(am_response *r, const am_system *system, am_result *result, am_error *err) {
    am_table *table = make_branch_table(r, system, result, err);
    if (!table)
        return AM_ERR_MEMORY;
    for (size_t b = 0; b < r->branches; b++)
        for (size_t i = r->branch[b].first; i < r->branch[b].first + r->branch[b].count; i++)
            AM_TRY(add_branch_row(r, table, i, err));
    return AM_OK;
}

/* ---- special points ---- */

static bool is_special(const char *kind) {
    return strcmp(kind, "regular") != 0 && strcmp(kind, "start") != 0;
}

static am_status add_special_row(const am_response *r, am_table *table, const am_response_point *point, am_error *err) {
    am_table_add_row(table, err);
    (void)r;
    am_table_set_number(table, 0, (double)point->branch);
    am_table_set_text(table, 1, point->kind, err);
    const double values[] = {point->p, point->U, point->amplitude, point->frequency, point->located ? 1.0 : 0.0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        am_table_set_number(table, 2 + i, values[i]);
    return am_table_status(table, err);
}

static am_status fill_specials(const am_response *r, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "special", "branch kind");
    am_table_describe_as(table, "<number>", am_response_parameter(r));
    am_table_describe(table, "U amplitude frequency located");
    if (am_result_status(result, err))
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < r->count; i++)
        if (is_special(r->point[i].kind))
            AM_TRY(add_special_row(r, table, &r->point[i], err));
    return AM_OK;
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
    AM_TRY(am_result_status(result, err));
    AM_TRY(am_balance_unpack(r->balance, r->x + r->peak * r->size, r->point[r->peak].p, r->signals, err));
    for (size_t h = 0; h <= r->H; h++) {
        AM_TRY(am_table_add_row(table, err));
        am_table_set_number(table, 0, (double)h);
        for (size_t c = 0; c < r->n; c++) {
            am_table_set_number(table, 1 + 2 * c, r->signals[c * r->S + (h == 0 ? 0 : 2 * h - 1)]);
            am_table_set_number(table, 2 + 2 * c, h == 0 ? 0.0 : r->signals[c * r->S + 2 * h]);
        }
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

static am_status set_counts(const am_response *r, am_result *result, am_error *err) {
    am_continuation_report sum = {0};
    double worst = 0.0;
    for (size_t b = 0; b < r->branches; b++) {
        sum.kinks += r->branch[b].report.kinks;
        sum.unlocated += r->branch[b].report.unlocated;
        worst = fmax(worst, r->branch[b].report.worst_residual);
    }
    am_result_set_flag(result, "closed", r->branches > 0 && r->branch[0].closed, err);
    am_result_set_count(result, "folds", count_kind(r, "fold"), err);
    am_result_set_count(result, "branch_points", count_kind(r, "branch-point"), err);
    am_result_set_count(result, "hopfs", count_kind(r, "hopf"), err);
    am_result_set_count(result, "neimark_sackers", count_kind(r, "neimark-sacker"), err);
    am_result_set_count(result, "period_doublings", count_kind(r, "period-doubling"), err);
    am_result_set_count(result, "kinks", sum.kinks, err);
    am_result_set_count(result, "unlocated", sum.unlocated, err);
    am_result_set_number(result, "residual", worst, err);
    return am_result_status(result, err);
}

/* NAN: it was not measured, for the work was stopped before. */
static am_status set_number(am_result *result, const char *name, double value, am_error *err) {
    return isnan(value) ? am_result_set_none(result, name, err) : am_result_set_number(result, name, value, err);
}

static am_status set_peak(const am_response *r, am_result *result, am_error *err) {
    if (r->peak == SIZE_MAX)
        return am_result_set_none(result, "peak", err);
    const am_response_point *peak = &r->point[r->peak];
    const char *const names[] = {"peak", "peak_at", "peak_frequency", "peak_largest", "peak_U"};
    const double values[] = {peak->amplitude, peak->p, peak->frequency, peak->largest, peak->U};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        AM_TRY(am_result_set_number(result, names[i], values[i], err));
    if (peak->stable >= 0)
        AM_TRY(am_result_set_flag(result, "peak_stable", peak->stable == 1, err));
    if (isfinite(peak->exact))
        AM_TRY(am_result_set_number(result, "peak_exact", peak->exact, err));
    if (isfinite(peak->exact))
        AM_TRY(am_result_set_number(result, "peak_error", fabs(peak->amplitude / peak->exact - 1.0), err));
    AM_TRY(set_number(result, "peak_known_to", am_response_peak_known_to(r), err));
    return am_result_set_flag(result, "peak_inside", !strcmp(peak->kind, "peak"), err);
}

/* In the order of the table, and the least and the greatest value of the parameter. */
static am_status set_folds(const am_response *r, am_result *result, am_error *err) {
    double first = NAN, least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < r->count; i++)
        if (r->point[i].branch == 0 && !strcmp(r->point[i].kind, "fold")) {
            first = isnan(first) ? r->point[i].p : first;
            least = fmin(least, r->point[i].p);
            most = fmax(most, r->point[i].p);
        }
    if (isnan(first))
        return AM_OK;
    am_result_set_number(result, "first_fold", first, err);
    am_result_set_number(result, "lowest_fold", least, err);
    am_result_set_number(result, "highest_fold", most, err);
    return am_result_status(result, err);
}

static am_status set_end(const am_response *r, am_result *result, am_error *err) {
    static const char *const words[] = {"left the range", "closed", "failed", "too many points", "stopped"};
    const am_response_branch *first = &r->branch[0];
    char text[320];
    snprintf(text, sizeof text, "%s%s%.256s", words[first->report.end], first->report.sentence[0] ? ": " : "",
             first->report.sentence);
    am_result_set_text(result, "end", text, err);
    am_result_set_flag(result, "reached", first->reached || first->closed, err);
    am_result_set_count(result, "points", r->count, err);
    am_result_set_count(result, "branches", r->branches, err);
    return am_result_status(result, err);
}

/* How stability was judged, how many points have no verdict, and why not: at the peak, or else at the first of them. */
static am_status set_stability(const am_response *r, am_result *result, am_error *err) {
    const am_response_point *first = NULL;
    size_t withheld = 0;
    if (!r->judged_by)
        return am_result_set_text(result, "stability", "none", err);
    for (size_t i = 0; i < r->count; i++)
        if (r->point[i].stable < 0) {
            first = first && i != r->peak ? first : &r->point[i];
            withheld++;
        }
    AM_TRY(am_result_set_text(result, "stability", r->judged_by, err));
    AM_TRY(am_result_set_count(result, "stability_withheld", withheld, err));
    return !first ? AM_OK : am_result_set_text(result, "stability_reason", reason_of(r, first), err);
}

static am_status set_summary(const am_response *r, am_result *result, am_error *err) {
    AM_TRY(set_peak(r, result, err));
    AM_TRY(set_counts(r, result, err));
    AM_TRY(set_stability(r, result, err));
    AM_TRY(set_folds(r, result, err));
    AM_TRY(set_end(r, result, err));
    AM_TRY(am_result_set_count(result, "harmonics", r->H, err));
    AM_TRY(am_result_set_flag(result, "odd", am_balance_odd(r->balance), err));
    AM_TRY(am_result_set_flag(result, "self_excited", r->self_excited, err));
    AM_TRY(set_number(result, "truncation_at", r->truncation_at, err));
    return set_number(result, "truncation", r->truncation, err);
}

am_status am_response_tables(am_response *r, am_result *result, am_error *err) {
    double p = r->count ? r->point[0].p : r->options->from;
    const am_system *system;
    AM_TRY(am_model_line_at(&r->line, p, &system, err));
    AM_TRY(fill_branches(r, system, result, err));
    AM_TRY(fill_specials(r, result, err));
    AM_TRY(fill_shape(r, system, result, err));
    return set_summary(r, result, err);
}
