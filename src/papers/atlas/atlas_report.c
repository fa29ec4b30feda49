/* Tables and summary of an atlas. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/columns.h"
#include "base/local.h"
#include "papers/atlas/atlas_internal.h"

static const double degrees = 57.29577951308232;

/* Of a marginal one neither can be said. */
static const double verdict_flags[] = {1.0, 0.0, NAN};
static const char *const kind_names[] = {"regular", "start", "crossing", "fold", "branch-point", "end"};
static const char *const end_names[] = {"closed", "branch-point", "left", "unfinished"};

static const char *parameter(const am_atlas *a) {
    return am_model_name(a->line.model, a->line.number);
}

static void site_columns(const am_atlas *a, am_table *table, const char *prefix) {
    for (size_t i = 0; i < a->sites.n; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s%.64s", prefix, am_system_name(a->system, i));
        am_table_describe_as(table, *prefix == 'A' ? "A_<q>" : *prefix == 'p' ? "phase_<q>" : "<q>", name);
    }
}

/* ---- counts ---- */

static void add_counts(const am_atlas *a, am_result *result) {
    am_table *table = am_result_describe_table(
        result, "counts",
        "active configurations classes solved survive stable_count marginal exact_count stable_exact marginal_exact");
    const am_atlas_tally *t = &a->tally;
    for (size_t k = a->options->least; k <= a->configurations.most; k++) {
        double solved = t->solved[k] > 0 ? 0.0 : NAN, exact = a->options->exact ? solved : NAN; /* NaN: not known */
        am_table_add_numbers(table, AM_NUMBERS((double)k, (double)a->configuration_count[k], (double)a->class_count[k],
                                               (double)t->solved[k], solved + (double)t->survive[k],
                                               solved + (double)t->stable[k], solved + (double)t->marginal[k],
                                               exact + (double)t->exact[k], exact + (double)t->stable_exact[k],
                                               exact + (double)t->marginal_exact[k]));
    }
}

/* ---- solutions ---- */

/* The columns of `solutions` that are set by themselves. */
enum { PATTERN = 1, FIRST_SITE = 17 };

static am_status put_text(am_table *table, size_t column, const am_text *text, am_error *err) {
    AM_TRY(am_text_status(text, err));
    return am_table_set_text(table, column, am_text_view(text), err);
}

static am_status set_pattern(const am_atlas *a, am_table *table, size_t column, const am_site_label *labels,
                             am_error *err) {
    AM_LOCAL(am_text_free) am_text text = {0};
    am_configuration_text(&a->configurations, labels, &text);
    return put_text(table, column, &text, err);
}

static am_status add_solution(const am_atlas *a, am_table *table, size_t index, am_error *err) {
    const am_atlas_solution *s = &a->solution[index];
    const am_atlas_exact *x = &s->exact;
    size_t n = a->sites.n;
    /* 0, or NaN where the numbers are not known */
    double there = s->survives ? 0.0 : NAN, tried = x->tried ? there : NAN, exact = x->exists ? tried : NAN;
    am_table_add_numbers(
        table, AM_NUMBERS((double)index + 1.0, (double)s->active, (double)s->multiplicity, s->survives,
                          there + s->energy, there + s->omega, there + s->exponent, there + verdict_flags[s->verdict],
                          tried + (double)x->harmonics, tried + (double)x->exists, exact + verdict_flags[x->verdict],
                          exact + x->omega, exact + x->energy, exact + x->multiplier, tried + x->phase_change * degrees,
                          s->branch != SIZE_MAX ? (double)s->branch + 1.0 : NAN));
    AM_TRY(am_table_status(table, err));
    for (size_t i = 0; i < n && s->survives; i++) {
        const double *w = a->w + 2 * (index * n + i);
        double phase = atan2(w[1], w[0]) * degrees;
        am_table_set_number(table, FIRST_SITE + i, hypot(w[0], w[1]));
        am_table_set_number(table, FIRST_SITE + n + i, phase < 0.0 ? phase + 360.0 : phase);
    }
    return set_pattern(a, table, PATTERN, a->labels + index * n, err);
}

static am_status add_solutions(const am_atlas *a, am_result *result, am_error *err) {
    if (!a->listed)
        return AM_OK;
    am_table *table = am_result_describe_table(
        result, "solutions",
        "solution pattern active multiplicity survives U frequency exponent stable harmonics exact_exists exact_stable "
        "exact_frequency exact_U multiplier phase_change_deg branch");
    AM_TRY(am_result_status(result, err));
    site_columns(a, table, "A_");
    site_columns(a, table, "phase_");
    for (size_t k = 0; k < a->count; k++)
        AM_TRY(add_solution(a, table, k, err));
    return AM_OK;
}

/* ---- branches ---- */

/* Sites beyond the first extremum of their damper's force. */
static size_t active_at(const am_atlas *a, const double *u, double p) {
    const am_sites *s = &a->sites;
    size_t active = 0;
    double first[AM_SITES_MOST], borders[AM_SITES_ROOTS + 1];
    for (size_t i = 0; i < s->n; i++) {
        size_t like = s->alike[i];
        if (like == i)
            first[i] = am_sites_borders(s, i, p, borders) > 0 ? borders[0] : INFINITY;
        active += fabs(u[i]) > first[like];
    }
    return active;
}

typedef struct extent {
    double least, most, low, high;
    size_t least_active, most_active, crossings, stable;
} extent;

static bool is_crossing(const am_atlas_branch *b, size_t k) {
    am_atlas_branch_point_kind kind = b->point[k].kind;
    /* a closed branch comes back to its start */
    return kind == AM_ATLAS_BRANCH_START ||
           (kind == AM_ATLAS_BRANCH_CROSSING && !(b->ends[1] == AM_ATLAS_BRANCH_CLOSED && k + 1 == b->count));
}

static extent extent_of(const am_atlas *a, const am_atlas_branch *b) {
    extent e = {INFINITY, -INFINITY, INFINITY, -INFINITY, SIZE_MAX, 0, 0, 0};
    for (size_t k = 0; k < b->count; k++) {
        const am_atlas_branch_point *point = &b->point[k];
        e.least = fmin(e.least, point->p);
        e.most = fmax(e.most, point->p);
        e.low = fmin(e.low, point->energy);
        e.high = fmax(e.high, point->energy);
        e.stable += point->verdict == AM_VERDICT_STABLE;
        if (!is_crossing(b, k))
            continue;
        size_t active = active_at(a, b->u + k * b->n, point->p);
        e.least_active = active < e.least_active ? active : e.least_active;
        e.most_active = active > e.most_active ? active : e.most_active;
        e.crossings++;
    }
    return e;
}

/* The classes it passes at `at`, in order: "0 +L | +s +L | ...", not more than a line can hold. */
static am_status set_patterns(const am_atlas *a, am_table *table, size_t column, const am_atlas_branch *b,
                              am_error *err) {
    AM_LOCAL(am_text_free) am_text text = {0};
    size_t shown = 0;
    for (size_t k = 0; k < b->count; k++) {
        am_site_label labels[AM_SITES_MOST], canonical[AM_SITES_MOST];
        if (!is_crossing(b, k))
            continue;
        if (shown++ == 24) {
            am_text_add(&text, " | ...");
            break;
        }
        am_class_labels(&a->worker[0].configuration, b->u + k * b->n, labels);
        am_configuration_canonical(&a->sites, labels, canonical);
        am_text_add(&text, shown > 1 ? " | " : "");
        am_configuration_text(&a->configurations, canonical, &text);
    }
    return put_text(table, column, &text, err);
}

static am_status add_branch(const am_atlas *a, am_table *table, size_t index, am_error *err) {
    const am_atlas_branch *b = &a->branch[index];
    extent e = extent_of(a, b);
    char ends[64];
    snprintf(ends, sizeof ends, "%s, %s", end_names[b->ends[0]], end_names[b->ends[1]]);
    am_table_add_numbers(table,
                         AM_NUMBERS((double)index + 1.0, b->ends[1] == AM_ATLAS_BRANCH_CLOSED, (double)b->folds,
                                    (double)b->branch_points, e.least, e.most, e.low, e.high, (double)e.least_active,
                                    (double)e.most_active, (double)e.crossings, (double)b->count, (double)e.stable));
    AM_TRY(am_table_status(table, err));
    am_table_set_text(table, 2, ends, err);
    am_table_set_text(table, 15, b->sentence, err);
    return set_patterns(a, table, 14, b, err);
}

static am_status add_branches(const am_atlas *a, am_result *result, am_error *err) {
    am_table *table =
        am_result_describe_table(result, "branches",
                                 "branch closed ends folds branch_points least most U_min U_max least_active "
                                 "most_active crossings points stable_points patterns sentence");
    AM_TRY(am_result_status(result, err));
    for (size_t b = 0; b < a->branch_count; b++)
        AM_TRY(add_branch(a, table, b, err));
    return AM_OK;
}

/* ---- points of branches ---- */

static void add_point(const am_atlas *a, am_table *table, size_t branch, size_t k, am_error *err) {
    const am_atlas_branch *b = &a->branch[branch];
    const am_atlas_branch_point *point = &b->point[k];
    const double *u = b->u + k * b->n;
    am_table_add_numbers(table,
                         AM_NUMBERS((double)branch + 1.0, point->p, point->energy, (double)active_at(a, u, point->p),
                                    a->options->stability ? verdict_flags[point->verdict] : NAN));
    am_table_set_text(table, 5, kind_names[point->kind], err);
    for (size_t i = 0; i < b->n; i++)
        am_table_set_number(table, 6 + i, u[i]);
}

static void add_points(const am_atlas *a, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "branch", "branch");
    am_table_describe_as(table, "<number>", parameter(a));
    am_table_describe(table, "U active stable kind");
    site_columns(a, table, "");
    for (size_t b = 0; b < a->branch_count; b++)
        for (size_t k = 0; k < a->branch[b].count; k++)
            add_point(a, table, b, k, err);
}

/* All branches as one broken line, a row without numbers between two of them. */
static void add_picture(const am_atlas *a, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "picture", "");
    am_table_describe_as(table, "<number>", parameter(a));
    am_table_describe(table, "U");
    for (size_t b = 0; b < a->branch_count; b++) {
        for (size_t k = 0; k < a->branch[b].count; k++)
            am_table_add_numbers(table, AM_NUMBERS(a->branch[b].point[k].p, a->branch[b].point[k].energy));
        am_table_add_row(table, err);
    }
}

static void add_special(const am_atlas *a, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "special", "branch kind");
    am_table_describe_as(table, "<number>", parameter(a));
    am_table_describe(table, "U located");
    for (size_t b = 0; b < a->branch_count; b++)
        for (size_t k = 0; k < a->branch[b].count; k++) {
            const am_atlas_branch_point *point = &a->branch[b].point[k];
            if (point->kind != AM_ATLAS_BRANCH_FOLD && point->kind != AM_ATLAS_BRANCH_BRANCH)
                continue;
            am_table_add_numbers(table, AM_NUMBERS((double)b + 1.0, point->p, point->energy, point->located));
            am_table_set_text(table, 1, kind_names[point->kind], err);
        }
}

/* Which of the two ends there? */
static const char *ends_there(const am_atlas_connection *c) {
    static const char *const words[] = {"neither", "with", "branch", "both"};
    return words[(c->own_end ? 2 : 0) + (c->end ? 1 : 0)];
}

static void add_connections(const am_atlas *a, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "connections", "branch");
    am_table_describe_as(table, "<number>", parameter(a));
    am_table_describe(table, "U with ends");
    for (size_t k = 0; k < a->connection_count; k++) {
        const am_atlas_connection *c = &a->connection[k];
        const am_atlas_branch_point *point = &a->branch[c->branch].point[c->point];
        am_table_add_numbers(table, AM_NUMBERS((double)c->branch + 1.0, point->p, point->energy,
                                               c->with != SIZE_MAX ? (double)c->with + 1.0 : NAN));
        am_table_set_text(table, 4, ends_there(c), err);
    }
}

/* ---- shapes ---- */

/* Mass by mass, for bar plots: signed amplitude, and eq. (9.14), its square over the largest one's. */
static void add_shape(const am_atlas *a, am_table *table, size_t shape, double branch, double p, const double *u) {
    double largest = 0.0, energy = am_class_energy(u, a->sites.n);
    for (size_t i = 0; i < a->sites.n; i++)
        largest = fmax(largest, fabs(u[i]));
    for (size_t i = 0; i < a->sites.n; i++)
        am_table_add_numbers(table, AM_NUMBERS((double)shape, branch, p, energy, (double)i + 1.0, u[i],
                                               u[i] / largest * (u[i] / largest)));
}

/* Of the solutions that branches pass at `at`, or of the listed ones when none are followed; not of thousands. */
static void add_shapes(const am_atlas *a, am_result *result) {
    enum { MOST = 2000 };
    size_t shape = 0;
    if (!a->listed || (a->branch_count == 0 && a->count > MOST))
        return;
    am_table *table = am_result_describe_table(result, "shapes", "shape branch");
    am_table_describe_as(table, "<number>", parameter(a));
    am_table_describe(table, "U mass amplitude energy");
    for (size_t b = 0; b < a->branch_count; b++)
        for (size_t k = 0; k < a->branch[b].count && shape < MOST; k++)
            if (is_crossing(&a->branch[b], k))
                add_shape(a, table, ++shape, (double)b + 1.0, a->branch[b].point[k].p, a->branch[b].u + k * a->sites.n);
    for (size_t k = 0; k < a->count && a->branch_count == 0; k++)
        if (a->solution[k].survives && a->solution[k].active > 0)
            add_shape(a, table, k + 1, NAN, a->options->at, a->u + k * a->sites.n);
}

/* ---- summary ---- */

static double sum(const size_t *counts, size_t n) {
    size_t total = 0;
    for (size_t k = 0; k <= n; k++)
        total += counts[k];
    return (double)total;
}

static void set_total(am_result *result, const char *name, const long double *counts, size_t n, am_error *err) {
    long double total = 0.0L;
    for (size_t k = 0; k <= n; k++)
        total += counts[k];
    if (total < 9007199254740992.0L)
        am_result_set_count(result, name, (size_t)total, err);
    else
        am_result_set_number(result, name, (double)total, err);
}

static void summarise_solutions(const am_atlas *a, am_result *result, am_error *err) {
    const am_atlas_tally *t = &a->tally;
    size_t n = a->sites.n;
    am_result_set_count(result, "symmetries", 2 * a->sites.symmetry_count, err);
    am_result_set_count(result, "solutions", (size_t)sum(t->survive, n), err);
    am_result_set_flag(result, "tuned", a->sites.tuned, err);
    am_result_set_flag(result, "exhaustive", a->complete, err);
    set_total(result, "configurations", a->configuration_count, n, err);
    set_total(result, "classes", a->class_count, n, err);
    am_result_set_counts(result, AM_NAMED({"solved", sum(t->solved, n)}, {"listed", a->listed ? (double)a->count : 0.0},
                                          {"survive", sum(t->survive, n)}, {"stable_count", sum(t->stable, n)},
                                          {"marginal", sum(t->marginal, n)}));
    double exact = a->options->exact ? 0.0 : NAN;
    am_result_set_counts(result, AM_NAMED({"exact_count", exact + sum(t->exact, n)},
                                          {"stable_exact", exact + sum(t->stable_exact, n)},
                                          {"marginal_exact", exact + sum(t->marginal_exact, n)}));
    double closing = 0.0;
    for (size_t k = 0; k < (a->listed ? a->count : 0); k++)
        if (a->solution[k].exact.exists)
            closing = fmax(closing, a->solution[k].exact.closing);
    am_result_set_number(result, "worst_closing", closing, err);
}

static void summarise_branches(const am_atlas *a, am_result *result, am_error *err) {
    size_t ends[4] = {0}, folds = 0, branch_points = 0, unlocated = 0, points = 0;
    double residual = 0.0, first = NAN;
    for (size_t b = 0; b < a->branch_count; b++) {
        const am_atlas_branch *branch = &a->branch[b];
        am_atlas_branch_end worse = branch->ends[0] > branch->ends[1] ? branch->ends[0] : branch->ends[1];
        ends[worse]++;
        folds += branch->folds;
        branch_points += branch->branch_points;
        unlocated += branch->unlocated;
        points += branch->count;
        residual = fmax(residual, branch->worst_residual);
        for (size_t k = 0; k < branch->count && b == 0; k++)
            if (branch->point[k].kind == AM_ATLAS_BRANCH_FOLD && branch->point[k].p < a->options->at)
                first = isnan(first) ? branch->point[k].p : fmax(first, branch->point[k].p);
    }
    if (!a->part)
        am_result_set_count(result, "connections", a->connection_count, err);
    am_result_set_counts(
        result,
        AM_NAMED({"branches", (double)a->branch_count}, {"closed_count", (double)ends[AM_ATLAS_BRANCH_CLOSED]},
                 {"connecting", (double)ends[AM_ATLAS_BRANCH_MIRRORED]}, {"left", (double)ends[AM_ATLAS_BRANCH_LEFT]},
                 {"unfinished", (double)ends[AM_ATLAS_BRANCH_UNFINISHED]}, {"doubtful", (double)a->doubtful},
                 {"folds", (double)folds}, {"branch_points", (double)branch_points}, {"unlocated", (double)unlocated},
                 {"points", (double)points}));
    am_result_set_number(result, "first_fold", first, err);
    am_result_set_number(result, "worst_residual", residual, err);
}

am_status am_atlas_report(am_atlas *a, am_result *result, am_error *err) {
    add_counts(a, result);
    AM_TRY(add_solutions(a, result, err));
    add_shapes(a, result);
    if (a->options->follow != AM_ATLAS_FOLLOW_NONE && a->listed) {
        AM_TRY(add_branches(a, result, err));
        add_points(a, result, err);
        add_picture(a, result, err);
        add_special(a, result, err);
        if (!a->part)
            add_connections(a, result, err);
        summarise_branches(a, result, err);
    }
    summarise_solutions(a, result, err);
    return am_result_status(result, err);
}
