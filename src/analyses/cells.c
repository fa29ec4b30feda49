/* am_cells_run: checks, tables and summary of a cell mapping. */
#include <math.h>
#include <stdio.h>

#include "analyses/analysis.h"
#include "analyses/cells/map.h"
#include "analyses/orbit/verdict.h"
#include "base/columns.h"
#include "base/local.h"
#include "base/object.h"
#include "base/watch.h"
#include "system/capability.h"
#include "system/system.h"

enum { OPTIONS_COOKIE = 0x414d434c };

am_cells_options am_cells_options_default(void) {
    return (am_cells_options){.refine = true, .checks = 200, .table = true, .cookie = OPTIONS_COOKIE};
}

/* ---- checking ---- */

static am_status check_axes(const am_system *system, const am_cells_options *o, am_error *err) {
    size_t dimension = am_cells_dimension(system), variables = am_cells_axes(system);
    double cells = 1.0;
    if (variables > 3)
        return am_fail_field(
            err, AM_ERR_UNSUPPORTED, "box",
            "cell mapping is for two or three state variables; this structure has %zu (use attractors)", variables);
    if (o->axis_count != variables)
        return am_fail_field(err, AM_ERR_INPUT, "box",
                             "the box needs one axis for each of the %zu state variables, not %zu", variables,
                             o->axis_count);
    for (size_t a = 0; a < variables; a++) {
        const am_cell_axis *axis = &o->axes[a];
        for (size_t b = 0; b < a; b++)
            if (o->axes[b].entry == axis->entry)
                return am_fail_field(err, AM_ERR_INPUT, "box", "two axes of the box are the same");
        size_t moving = axis->entry - system->n; /* entries of velocities */
        if (axis->entry >= system->n && moving < system->n && am_cells_is_light(system, moving))
            return am_fail_field(
                err, AM_ERR_INPUT, "box",
                "coordinate %s has neither mass nor damping: its velocity is no state variable, and no "
                "axis of the box",
                am_system_name(system, moving));
        if (axis->entry >= dimension || axis->count < 1 || !isfinite(axis->from) || !isfinite(axis->to) ||
            !(axis->to > axis->from))
            return am_fail_field(err, AM_ERR_INPUT, "box",
                                 "an axis of the box needs from < to and at least one cell, not %g to %g with %zu",
                                 axis->from, axis->to, axis->count);
        cells *= (double)axis->count;
    }
    if (cells > (double)AM_CELLS_MOST)
        return am_fail_field(err, AM_ERR_INPUT, "box", "%g cells are too many; at most %d", cells, AM_CELLS_MOST);
    return AM_OK;
}

static am_status find_period(const am_system *system, const am_cells_options *o, double *period, am_error *err) {
    double loads = am_orbit_load_period(system);
    *period = o->period > 0.0 ? o->period : loads;
    if (isnan(loads))
        return am_fail(err, AM_ERR_UNSUPPORTED, "the loads have no common period: there is no map to iterate");
    if (!(*period > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "period",
                             "no load repeats; cell mapping follows the structure from period to period of its loads");
    double ratio = loads > 0.0 ? *period / loads : 1.0;
    if (!isfinite(*period) || !(fabs(ratio - round(ratio)) <= 1e-9 * ratio))
        return am_fail_field(err, AM_ERR_INPUT, "period", "the loads repeat after %.15g, not after %.15g", loads,
                             *period);
    return AM_OK;
}

static am_status check(const am_system *system, const am_cells_options *o, double *period, am_error *err) {
    AM_TRY(am_options_check(o->cookie, OPTIONS_COOKIE, "cells", err));
    if (o->periods > 1000000)
        return am_fail_field(err, AM_ERR_INPUT, "periods", "a step of the map takes at most 1000000 periods, not %zu",
                             o->periods);
    if (!isfinite(o->start))
        return am_fail_field(err, AM_ERR_INPUT, "start", "the time of the section must be finite");
    AM_TRY(am_system_check(system, "cells", err));
    AM_TRY(check_axes(system, o, err));
    return find_period(system, o, period, err);
}

/* ---- tables ---- */

static void name_fate(const am_cell_survey *survey, size_t cell, char *text, size_t size) {
    int32_t group = survey->map.group[cell];
    if (group <= 0)
        snprintf(text, size, "%s", group == AM_GROUP_OUTSIDE ? "outside" : "lost");
    else if (survey->map.list[group - 1].orbit > 0)
        snprintf(text, size, "orbit %zu", survey->map.list[group - 1].orbit);
    else if (survey->options->refine)
        snprintf(text, size, "unresolved");
    else
        snprintf(text, size, "group %d", (int)group);
}

static void cells_table(const am_cell_survey *survey, am_result *result) {
    const am_cells_options *o = survey->options;
    size_t n = am_system_size(survey->system);
    if (!o->table)
        return;
    am_table *table = am_result_describe_table(result, "cells", "");
    for (size_t a = 0; a < o->axis_count; a++) {
        size_t entry = o->axes[a].entry;
        char name[256];
        am_cells_entry_name(survey->system, entry, name, sizeof name);
        am_table_describe_as(table, entry < n ? "<q>" : entry < 2 * n ? "<v>" : "stretch<c>", name);
    }
    am_table_describe(table, "group steps fate");
    for (size_t i = 0; i < survey->map.count; i++) {
        double state[AM_CELL_ENTRIES];
        char fate[64];
        am_table_add_row(table, NULL);
        am_cell_centre(survey, i, state);
        for (size_t a = 0; a < o->axis_count; a++)
            am_table_set_number(table, a, state[o->axes[a].entry]);
        am_table_set_number(table, o->axis_count, (double)survey->map.group[i]);
        am_table_set_number(table, o->axis_count + 1, (double)survey->map.steps[i]);
        name_fate(survey, i, fate, sizeof fate);
        am_table_set_text(table, o->axis_count + 2, fate, NULL);
    }
}

static void groups_table(const am_cell_survey *survey, am_result *result) {
    am_table *table = am_result_describe_table(result, "groups", "group length domain share orbit distance");
    for (size_t g = 0; g < survey->map.groups; g++) {
        const am_cell_group *group = &survey->map.list[g];
        double domain = (double)group->domain;
        am_table_add_numbers(table, AM_NUMBERS((double)(g + 1), (double)group->period, domain,
                                               domain / (double)survey->map.count, (double)group->orbit,
                                               group->orbit > 0 ? group->distance : NAN));
    }
}

static void orbits_table(const am_cell_survey *survey, am_result *result) {
    am_table *table = am_result_describe_table(
        result, "orbits", "orbit period sequence multiplier stable share dissipation returns stops closing groups");
    for (size_t i = 0; i < survey->orbit_count; i++) {
        const am_orbit *orbit = &survey->orbits[i].orbit;
        am_table_add_numbers(table,
                             AM_NUMBERS((double)(i + 1), orbit->period, orbit->multiplier, am_orbit_stable(orbit),
                                        (double)survey->orbits[i].domain / (double)survey->map.count,
                                        orbit->dissipation, (double)orbit->returns, (double)orbit->stops,
                                        orbit->closing, (double)survey->orbits[i].groups));
        am_table_set_text(table, 2, orbit->sequence, NULL);
    }
}

/* ---- summary ---- */

static void summarise_orbits(const am_cell_survey *survey, am_result *result) {
    size_t unresolved = 0, resolved = 0, mixed = 0;
    double worst = 0.0;
    for (size_t g = 0; g < survey->map.groups; g++)
        unresolved += survey->map.list[g].orbit == 0, mixed += survey->map.list[g].mixed;
    for (size_t i = 0; i < survey->orbit_count; i++) {
        worst = fmax(worst, survey->orbits[i].orbit.closing);
        resolved += survey->orbits[i].domain;
    }
    am_result_set_counts(result,
                         AM_NAMED({"orbits", survey->orbit_count}, {"unresolved", unresolved}, {"mixed", mixed}));
    am_result_set_numbers(
        result, AM_NAMED({"resolved_share", (double)resolved / (double)survey->map.count}, {"worst_closing", worst}));
    am_result_set_counts(result, AM_NAMED({"checked", survey->checked}, {"checks_elsewhere", survey->elsewhere}));
    am_result_set_known(result, "agreement",
                        survey->checked > 0 ? (double)survey->agreed / (double)survey->checked : NAN);
}

static void summarise(const am_cell_survey *survey, am_result *result) {
    const am_cell_map *map = &survey->map;
    size_t longest = 0;
    for (size_t g = 0; g < map->groups; g++)
        longest = map->list[g].period > longest ? map->list[g].period : longest;
    am_result_set_counts(result, AM_NAMED({"cells", map->count}, {"groups", map->groups}, {"longest_group", longest},
                                          {"periods_per_step", survey->periods}, {"outside", map->outside},
                                          {"lost", map->lost}));
    am_result_set_number(result, "load_period", survey->how.period, NULL);
    if (survey->options->refine)
        summarise_orbits(survey, result);
}

/* ---- running ---- */

/* The part of the checked cells that must agree before the number of periods in a step is found sufficient, and the
 * part below which nothing is given out. */
static const double good_agreement = 0.95, worst_agreement = 0.5;

/* Most periods in a step that are tried. */
static const size_t most_periods = 64;

/* With more periods in a step, images are others. */
static am_status take_periods(am_cell_survey *survey, size_t periods, am_error *err) {
    survey->periods = periods;
    return am_cell_map_begin(survey, err);
}

/* Map every `every`-th cell and those they lead to, close their orbits, and check them. */
static am_status map_once(am_cell_survey *survey, size_t every, am_error *err) {
    am_cell_forget_orbits(survey);
    AM_TRY(am_cell_map_from(survey, every, err));
    AM_TRY(am_cell_map_unravel(&survey->map, every, err));
    if (survey->options->refine)
        AM_TRY(am_cell_close_orbits(survey, err));
    if (survey->options->refine)
        AM_TRY(am_cell_check(survey, err));
    return AM_OK;
}

static bool agrees(const am_cell_survey *survey, double part) {
    return survey->checked == 0 || (double)survey->agreed >= part * (double)survey->checked;
}

static am_status too_coarse(const am_cell_survey *survey, am_error *err) {
    return am_fail(
        err, AM_ERR_EVIDENCE,
        "the cells are too coarse: with %zu periods of the loads in a step, only %zu of %zu exact motions reach "
        "the orbit of their cell, and %zu reach none of the orbits found; use more cells (twice as many along "
        "each axis), or more periods in a step, or the analysis attractors, which needs no cells",
        survey->periods, survey->agreed, survey->checked, survey->elsewhere);
}

/* With more periods in a step a slow contraction outweighs the size of the cells. How many it takes, and whether the
 * cells are fine enough at all, is found out with the cells that are checked and those they lead to: a small part of
 * the map, which alone is mapped again and again. */
static am_status choose_periods(am_cell_survey *survey, am_error *err) {
    bool given = survey->options->periods > 0;
    size_t every = am_cell_check_every(survey);
    AM_TRY(take_periods(survey, given ? survey->options->periods : 1, err));
    if (!survey->options->refine || every == SIZE_MAX)
        return AM_OK;
    AM_TRY(map_once(survey, every, err));
    while (!given && !agrees(survey, good_agreement) && survey->periods < most_periods) {
        AM_TRY(take_periods(survey, 2 * survey->periods, err));
        AM_TRY(map_once(survey, every, err));
    }
    return !agrees(survey, worst_agreement) ? too_coarse(survey, err) : AM_OK;
}

static am_status map_well(am_cell_survey *survey, am_error *err) {
    AM_TRY(choose_periods(survey, err));
    AM_TRY(map_once(survey, 1, err));
    return !agrees(survey, worst_agreement) ? too_coarse(survey, err) : AM_OK;
}

static am_status cells_run_watched(const am_system *system, const am_cells_options *options, am_result *result,
                                   const am_progress *progress, am_error *err) {
    am_error own = {0};
    am_error *e = err ? err : &own;
    double period = 0.0;
    AM_TRY(check(system, options, &period, e));
    AM_LOCAL(am_cell_survey_clear)
    am_cell_survey survey = {.system = system,
                             .options = options,
                             .progress = progress,
                             .dimension = am_cells_dimension(system),
                             .how = {.section = AM_SECTION_PERIOD, .period = period, .start = options->start},
                             .map = {.count = 1}};
    for (size_t a = 0; a < options->axis_count; a++)
        survey.map.count *= options->axes[a].count;
    AM_TRY(map_well(&survey, e));
    cells_table(&survey, result);
    groups_table(&survey, result);
    if (options->refine)
        orbits_table(&survey, result);
    summarise(&survey, result);
    return AM_OK;
}

am_status am_cells_run(const am_system *system, const am_cells_options *options, am_result *result,
                       const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(system, AM_TAG_SYSTEM) && options, result, progress, __func__, err));
    return am_analysis_end(&watch, result, cells_run_watched(system, options, result, progress, err), err);
}
