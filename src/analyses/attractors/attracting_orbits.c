/* Which periodic motions attract, and from where: tables and summary of a survey. */
#include <math.h>
#include <stdio.h>

#include "analyses/analysis.h"
#include "analyses/attractors/attractors_internal.h"
#include "analyses/attractors/survey.h"
#include "analyses/orbit/verdict.h"
#include "base/arena.h"
#include "base/columns.h"
#include "base/text.h"
#include "base/try.h"
#include "system/column_names.h"

/* The survey and how its orbits are numbered. */
typedef struct report {
    am_arena memory;
    am_survey *survey;
    size_t *order;  /* orbits: place in the set of each number */
    size_t *number; /* orbits: number (from 0) of each place */
    size_t *starts; /* orbits: that lead there, by place */
    size_t run;     /* starts that were followed: all of them unless the work was stopped */
    size_t listed;  /* up to the last one of these */
} report;

static am_status check(const am_attractors_options *o, am_error *err) {
    if (o->most_returns < 1)
        return am_fail_field(err, AM_ERR_INPUT, "most_returns", "at least one return must be allowed");
    if (o->most_period < 1 || o->most_period > 1000000)
        return am_fail_field(err, AM_ERR_INPUT, "most_period", "most_period must lie between 1 and 1000000");
    return AM_OK;
}

static am_status prepare(report *r, am_error *err) {
    const am_survey *s = r->survey;
    size_t count = s->set.count > 0 ? s->set.count : 1;
    AM_ARENA_ARRAYS(&r->memory, size_t, count, err, &r->order, &r->number, &r->starts);
    AM_TRY(am_arena_status(&r->memory));
    am_orbit_set_order(&s->set, r->order);
    for (size_t i = 0; i < s->set.count; i++)
        r->number[r->order[i]] = i;
    for (size_t i = 0; i < s->furthest; i++) {
        if (s->fates[i].kind != AM_FATE_NOT_RUN) {
            r->run++;
            r->listed = i + 1;
        }
        if (s->fates[i].kind == AM_FATE_ORBIT)
            r->starts[s->fates[i].orbit]++;
    }
    return AM_OK;
}

/* ---- tables ---- */

static void add_orbit(const report *r, am_table *table, size_t number) {
    size_t place = r->order[number];
    const am_orbit_member *member = &r->survey->set.member[place];
    const am_orbit *orbit = &member->orbit;
    am_table_add_numbers(table, AM_NUMBERS((double)number + 1.0, orbit->period, orbit->multiplier,
                                           am_orbit_stable(orbit), (double)r->starts[place] / (double)r->run,
                                           orbit->dissipation, (double)orbit->returns, (double)orbit->switches,
                                           (double)orbit->stops, orbit->closing, (double)r->starts[place],
                                           (double)orbit->family, (double)member->images));
    am_table_set_text(table, 2, orbit->sequence, NULL);
}

static void make_orbits(const report *r, am_result *result) {
    am_table *table = am_result_describe_table(result, "orbits",
                                               "orbit period sequence multiplier stable share dissipation returns "
                                               "switches stops closing starts family images");
    for (size_t i = 0; i < r->survey->set.count; i++)
        add_orbit(r, table, i);
}

static void make_map(const report *r, am_result *result) {
    const am_survey *s = r->survey;
    size_t sides = s->starts.sides;
    am_table *map = am_attractors_add_map(result, s->options->count > 0 ? "starts" : "map",
                                          "fate orbit returns lyapunov lyapunov_error", s->system, &s->starts);
    for (size_t i = 0; i < r->listed; i++) {
        const am_fate *fate = &s->fates[i];
        size_t number = fate->kind == AM_FATE_ORBIT ? r->number[fate->orbit] + 1 : 0;
        char text[64];
        snprintf(text, sizeof text, number > 0 ? "%s %zu" : "%s", am_fate_name(fate->kind), number);
        am_attractors_add_start(map, &s->starts, i, text);
        if (number > 0)
            am_table_set_number(map, sides + 1, (double)number);
        if (fate->kind != AM_FATE_NOT_RUN) {
            am_table_set_number(map, sides + 2, (double)fate->returns);
            am_table_set_number(map, sides + 3, fate->lyapunov);
            am_table_set_number(map, sides + 4, fate->lyapunov_error);
        }
    }
}

static void add_visits(const am_survey *s, am_table *table, size_t start) {
    const am_visits *visits = &s->visits[start];
    for (size_t k = 0; k < visits->count; k++) {
        am_table_add_row(table, NULL);
        am_table_set_number(table, 0, (double)start + 1.0);
        am_table_set_number(table, 1, (double)(visits->first + k));
        for (size_t i = 0; i < 2 * s->n; i++)
            am_table_set_number(table, 2 + i, visits->states[k * s->d + i]);
    }
}

static void make_section(const report *r, am_result *result) {
    const am_survey *s = r->survey;
    if (!s->visits)
        return;
    am_table *table = am_result_describe_table(result, "section", "start return");
    am_columns_coordinates(table, s->system);
    am_columns_velocities(table, s->system);
    for (size_t i = 0; i < r->listed; i++)
        if (s->fates[i].kind != AM_FATE_NOT_RUN)
            add_visits(s, table, i);
}

/* ---- summary ---- */

static void list_periods(const report *r, am_result *result) {
    am_text text = {0};
    for (size_t i = 0; i < r->survey->set.count; i++) {
        const am_orbit *orbit = &r->survey->set.member[r->order[i]].orbit;
        if (orbit->stable)
            am_text_printf(&text, "%s%.10g", text.length > 0 ? ", " : "", orbit->period);
    }
    am_result_take_text(result, "periods", &text);
}

static void summarise(const report *r, am_result *result) {
    const am_survey *s = r->survey;
    size_t stable = 0, kinds[AM_FATE_KINDS] = {0};
    double worst = 0.0, exponent = NAN;
    for (size_t i = 0; i < s->set.count; i++) {
        stable += s->set.member[i].orbit.stable;
        worst = fmax(worst, s->set.member[i].orbit.closing);
    }
    kinds[AM_FATE_NOT_RUN] = s->starts.count - r->listed;
    for (size_t i = 0; i < r->listed; i++) {
        kinds[s->fates[i].kind]++;
        if (s->fates[i].kind == AM_FATE_APERIODIC)
            exponent = fmax(exponent, s->fates[i].lyapunov);
    }
    am_result_set_count(result, "starts", s->starts.count, NULL);
    am_result_set_count(result, "orbits", stable, NULL);
    am_result_set_count(result, "unstable_orbits", s->set.count - stable, NULL);
    for (size_t k = AM_FATE_SLIDING; k < AM_FATE_KINDS; k++)
        am_result_set_count(result, am_fate_name((am_fate_kind)k), kinds[k], NULL);
    if (kinds[AM_FATE_NOT_RUN] > 0)
        am_result_set_count(result, "not_run", kinds[AM_FATE_NOT_RUN], NULL);
    am_result_set_counts(
        result, AM_NAMED({"joined", s->joined}, {"join_checks", s->checks}, {"join_mismatches", s->mismatches}));
    am_result_set_flag(result, "indeterminate_forces", am_survey_indeterminate(s), NULL);
    am_result_set_number(result, "worst_closing", worst, NULL);
    if (kinds[AM_FATE_APERIODIC] > 0)
        am_result_set_number(result, "largest_exponent", exponent, NULL);
    if (s->failure[0])
        am_result_set_text(result, "first_failure", s->failure, NULL);
    list_periods(r, result);
}

/* Nothing where the work was stopped before a start was followed, or after too many of them. */
static am_status fill(am_survey *survey, am_result *result, am_error *err) {
    report r = {.survey = survey};
    am_status status = prepare(&r, err);
    if (!status && r.run < survey->starts.count && (r.run == 0 || r.listed > AM_ATTRACTORS_MOST_KEPT))
        status = AM_ERR_INTERRUPTED;
    if (!status) {
        make_orbits(&r, result);
        make_map(&r, result);
        make_section(&r, result);
        summarise(&r, result);
    }
    am_arena_clear(&r.memory);
    return status;
}

/* The fates so far, when the work was stopped. */
static void report_part(am_survey *survey, am_result *result) {
    am_error unheard = {0};
    am_watch apart;
    am_watch_apart(&apart, NULL); /* this is wanted still */
    am_status status = fill(survey, result, &unheard);
    if (am_analysis_end(&apart, result, status, &unheard) == AM_OK)
        am_watch_mark(result);
}

am_status am_attractors_orbits(const am_system *system, const am_attractors_options *options, am_result *result,
                               const am_progress *progress, am_error *err) {
    am_survey survey;
    AM_TRY(check(options, err));
    am_status status = am_survey_init(&survey, system, options, am_progress_threads(progress), err);
    if (!status)
        status = am_survey_run(&survey, progress, err);
    if (!status && options->search_unstable)
        status = am_border_search(&survey, progress, err);
    if (!status)
        status = fill(&survey, result, err);
    else if (status == AM_ERR_INTERRUPTED && survey.fates)
        report_part(&survey, result);
    am_survey_clear(&survey);
    return status;
}
