/* What `response` does beyond the branches it was asked for, and what it tells about that. */
#include "analyses/response/further_branches.h"
#include "base/try.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/columns.h"
#include "base/memory.h"

static bool wants_isolas(const am_response_options *o) {
    return o->isolas.count > 0;
}

static bool wants_folds(const am_response_options *o) {
    return o->fold_curves.number != SIZE_MAX;
}

static bool wants_bifurcations(const am_response_options *o) {
    return o->bifurcation_curves.number != SIZE_MAX;
}

static bool is_inside(double value, double from, double to) {
    return value >= fmin(from, to) && value <= fmax(from, to);
}

/* ---- options ---- */

static am_status check_isolas(const am_response_options *o, am_error *err) {
    const am_response_isolas *i = &o->isolas;
    if (!wants_isolas(o))
        return AM_OK;
    if (!(i->within > 0.0) || !isfinite(i->within))
        return am_fail_field(err, AM_ERR_INPUT, "isolas.within", "starts must have a size: `within` is %g", i->within);
    if (i->starts + i->guesses == 0)
        return am_fail_field(err, AM_ERR_INPUT, "isolas", "without starts and guesses nothing can be found");
    for (size_t k = 0; i->at && k < i->count; k++)
        if (!is_inside(i->at[k], o->from, o->to))
            return am_fail_field(err, AM_ERR_INPUT, "isolas.at", "%g lies outside the range from %g to %g", i->at[k],
                                 o->from, o->to);
    return AM_OK;
}

/* `what` is called so in a study. */
static am_status check_curves(const am_response *r, const char *what, const am_response_folds *f, am_error *err) {
    double own = am_model_value(r->line.model, f->number);
    char field[32];
    if (f->number == SIZE_MAX)
        return AM_OK;
    snprintf(field, sizeof field, "%s.to", what);
    if (!isfinite(f->from) || !isfinite(f->to) || f->from == f->to)
        return am_fail_field(err, AM_ERR_INPUT, field, "%s need a range of the second number, not %g to %g", what,
                             f->from, f->to);
    snprintf(field, sizeof field, "%s.from", what);
    if (!is_inside(own, f->from, f->to))
        return am_fail_field(err, AM_ERR_INPUT, field,
                             "%s are followed from the structure's own value, %g, which lies outside the range from "
                             "%g to %g",
                             what, own, f->from, f->to);
    return AM_OK;
}

am_status am_response_search_create(am_response *r, am_error *err) {
    const am_response_options *o = r->options;
    AM_TRY(check_isolas(o, err));
    AM_TRY(check_curves(r, "folds", &o->fold_curves, err));
    AM_TRY(check_curves(r, "bifurcations", &o->bifurcation_curves, err));
    if (wants_bifurcations(o) && o->stability == AM_RESPONSE_STABILITY_NONE)
        return am_fail_field(err, AM_ERR_INPUT, "bifurcations",
                             "bifurcations begin where motions change their stability: leave `stability: none` out");
    if (!wants_isolas(o) && !wants_folds(o) && !wants_bifurcations(o))
        return AM_OK;
    if (o->from == o->to)
        return am_fail(err, AM_ERR_INPUT, "other branches and folds can be sought only along a parameter that varies");
    if (wants_isolas(o) && r->self_excited)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "isolas",
                             "isolas are sought for forced motions; self-excited ones start from patterns (`start`, or "
                             "the analysis `atlas`)");
    am_response_search *s = am_memory_new(1, sizeof *s, err);
    if (!s)
        return AM_ERR_MEMORY;
    r->search = s;
    s->values = o->isolas.count;
    s->value = am_memory_new(s->values, sizeof *s->value, err);
    if (!s->value)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < s->values; i++)
        s->value[i].p =
            o->isolas.at ? o->isolas.at[i] : o->from + ((double)i + 0.5) / (double)s->values * (o->to - o->from);
    return AM_OK;
}

void am_response_search_free(am_response_search *s) {
    if (!s)
        return;
    am_arena_clear(&s->memory);
    am_memory_free(s->orbit);
    am_memory_free(s->value);
    am_memory_free(s->fold);
    am_memory_free(s->bifurcation);
    am_memory_free(s);
}

/* ---- the work ---- */

am_status am_response_search_run(am_response *r, am_error *err) {
    am_response_search *s = r->search;
    if (!s)
        return AM_OK;
    s->folds = s->curves = s->closed_curves = s->lost_curves = 0;
    s->lost[0] = '\0';
    AM_TRY(wants_isolas(r->options) ? am_response_isolas_find(r, err) : AM_OK);
    if (wants_folds(r->options))
        AM_TRY(am_response_folds_track(r, err));
    return AM_OK;
}

/* ---- tables ---- */

static void fill_values(const am_response *r, am_result *result) {
    const am_response_search *s = r->search;
    am_table *table = am_result_describe_table(result, "search", "");
    am_table_describe_as(table, "<number>", am_response_parameter(r));
    am_table_describe(table, "starts lost orbits subharmonic unmatched guesses converged solutions found");
    for (size_t i = 0; i < s->values; i++) {
        const am_search_value *v = &s->value[i];
        am_table_add_numbers(table, AM_NUMBERS(v->p, (double)v->starts, (double)v->lost, (double)v->orbits,
                                               (double)v->subharmonic, (double)v->unmatched, (double)v->guesses,
                                               (double)v->converged, (double)(v->known + v->found), (double)v->found));
    }
}

static void fill_folds(const am_response *r, am_result *result) {
    const am_response_search *s = r->search;
    const char *second = am_model_name(r->line.model, r->line.held);
    am_table *table = am_result_describe_table(result, "fold_curve", "curve");
    am_table_describe_as(table, "<number>", am_response_parameter(r));
    am_table_describe_as(table, "<number>", second);
    am_table_describe(table, "amplitude kind located residual");
    for (size_t i = 0; i < am_response_listed_controls(r); i++)
        am_table_describe_as(table, "<number>", am_model_name(r->line.model, r->options->controls[i].number));
    for (size_t i = 0; i < s->folds; i++) {
        const am_fold_point *f = &s->fold[i];
        am_table_add_numbers(table,
                             AM_NUMBERS((double)f->curve, f->p, f->second, f->amplitude, f->located, f->residual));
        am_table_set_text(table, 4, f->kind, NULL);
        for (size_t k = 0; k < am_response_listed_controls(r); k++)
            am_table_set_number(table, 7 + k, f->control[k]);
    }
}

static void fill_bifurcations(const am_response *r, am_result *result) {
    const am_response_search *s = r->search;
    am_table *table = am_result_describe_table(result, "bifurcation_curve", "curve");
    am_table_describe_as(table, "<number>", am_response_parameter(r));
    am_table_describe_as(table, "<number>", am_model_name(r->line.model, r->options->bifurcation_curves.number));
    am_table_describe(table, "period multiplier_re multiplier_im closing located bifurcation kind why");
    for (size_t i = 0; i < am_response_listed_controls(r); i++)
        am_table_describe_as(table, "<number>", am_model_name(r->line.model, r->options->controls[i].number));
    for (size_t i = 0; i < s->bifurcations; i++) {
        const am_bifurcation_point *b = &s->bifurcation[i];
        am_table_add_numbers(
            table, AM_NUMBERS((double)b->curve, b->p, b->second, b->period, b->re, b->im, b->closing, b->located));
        am_table_set_text(table, 8, b->bifurcation, NULL);
        am_table_set_text(table, 9, b->kind, NULL);
        am_table_set_text(table, 10, b->why, NULL);
        for (size_t k = 0; k < am_response_listed_controls(r); k++)
            am_table_set_number(table, 11 + k, b->control[k]);
    }
}

/* ---- summary ---- */

static void set_branches(const am_response *r, am_result *result) {
    size_t closed = 0, others = 0;
    double peak = NAN;
    for (size_t b = 0; b < r->branches; b++) {
        const am_response_branch *branch = &r->branch[b];
        if (!branch->found)
            continue;
        closed += branch->closed;
        others += !branch->closed;
        for (size_t i = branch->first; i < branch->first + branch->count; i++)
            peak = isnan(peak) || r->point[i].amplitude > peak ? r->point[i].amplitude : peak;
    }
    for (size_t i = 0; i < r->count; i++) /* peaks between the points stand at the end */
        if (r->branch[r->point[i].branch].found)
            peak = fmax(peak, r->point[i].amplitude);
    am_result_set_counts(result, AM_NAMED({"isolas", closed}, {"other_branches", others}));
    if (closed + others > 0)
        am_result_set_number(result, "isola_peak", peak, NULL);
}

static void set_values(const am_response *r, am_result *result) {
    const am_response_search *s = r->search;
    am_search_value sum = {0};
    size_t most = 0;
    for (size_t i = 0; i < s->values; i++) {
        const am_search_value *v = &s->value[i];
        sum.starts += v->starts;
        sum.lost += v->lost;
        sum.subharmonic += v->subharmonic;
        sum.unmatched += v->unmatched;
        sum.guesses += v->guesses;
        most = v->known + v->found > most ? v->known + v->found : most;
    }
    am_result_set_counts(result, AM_NAMED({"search_values", s->values}, {"search_starts", sum.starts},
                                          {"search_lost", sum.lost}, {"search_guesses", sum.guesses},
                                          {"subharmonics", sum.subharmonic}, {"search_unmatched", sum.unmatched},
                                          {"search_solutions", most}));
    if (s->untimed[0])
        am_result_set_text(result, "search_without_starts", s->untimed, NULL);
}

static size_t count_kind(const am_response_search *s, const char *kind, double *first) {
    size_t count = 0;
    for (size_t i = 0; i < s->folds; i++)
        if (!strcmp(s->fold[i].kind, kind) && count++ == 0)
            *first = s->fold[i].second;
    return count;
}

static void set_folds(const am_response *r, am_result *result) {
    const am_response_search *s = r->search;
    double birth = NAN, merger = NAN, cusp = NAN;
    am_result_set_counts(result,
                         AM_NAMED({"fold_curves", s->curves}, {"isola_births", count_kind(s, "isola-birth", &birth)},
                                  {"mergers", count_kind(s, "merger", &merger)},
                                  {"cusps", count_kind(s, "cusp", &cusp)}, {"fold_curves_lost", s->lost_curves}));
    const am_named places[] = {{"first_birth", birth}, {"first_merger", merger}, {"first_cusp", cusp}};
    for (size_t i = 0; i < 3; i++)
        if (!isnan(places[i].value))
            am_result_set_number(result, places[i].name, places[i].value, NULL);
    if (s->lost_curves > 0)
        am_result_set_text(result, "fold_lost", s->lost, NULL);
}

static void set_bifurcations(const am_response *r, am_result *result) {
    const am_response_search *s = r->search;
    double worst = 0.0;
    for (size_t i = 0; i < s->bifurcations; i++)
        worst = fmax(worst, fabs(hypot(s->bifurcation[i].re, s->bifurcation[i].im) - 1.0));
    am_result_set_counts(result, AM_NAMED({"bifurcation_curves", s->bifurcation_curves},
                                          {"bifurcation_curves_lost", s->bifurcation_curves_lost}));
    if (s->bifurcations > 0)
        am_result_set_number(result, "bifurcation_error", worst, NULL);
    if (s->bifurcation_curves_lost > 0)
        am_result_set_text(result, "bifurcation_lost", s->bifurcation_lost, NULL);
}

void am_response_search_tables(const am_response *r, am_result *result) {
    if (!r->search)
        return;
    if (wants_isolas(r->options) || wants_folds(r->options))
        set_branches(r, result);
    if (wants_isolas(r->options)) {
        fill_values(r, result);
        set_values(r, result);
    }
    if (wants_folds(r->options)) {
        fill_folds(r, result);
        set_folds(r, result);
    }
    if (wants_bifurcations(r->options)) {
        fill_bifurcations(r, result);
        set_bifurcations(r, result);
    }
}
