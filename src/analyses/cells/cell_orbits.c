/* From periodic groups of cells to orbits. A group says where to look; the orbit itself is closed by shooting with the
 * exact map, so it no longer depends on the cells. */
#include <math.h>
#include <string.h>

#include "analyses/cells/map.h"
#include "analyses/motion.h"
#include "analyses/orbit/section_walk.h"
#include "base/local.h"

/* Closing is tried from the group's cell, then from where the exact map leads, so many times. */
static const size_t most_rounds = 60;

/* Longest orbits closed, in periods of the loads. */
static const size_t most_returns = 64, usual_returns = 4;

/* A closed orbit belongs to the guess if it is so near, in cells. */
static const double near_enough = 2.0;

/* Section points this near to each other, relative to the size of the motion, are the same. */
static const double same_point = 1e-7;

/* Cells of a group from which its orbit is looked for. They agree where the group is an orbit; where the cells are too
 * coarse for a slow motion they may not, and each of the orbits they lead to counts. */
enum { MOST_MEMBERS = 8 };

/* Periods after which an exact motion that has come to none of the orbits is given up. */
static const size_t most_check_periods = 2000;

typedef struct attempt {
    size_t group;
    double state[AM_CELL_ENTRIES]; /* centre of the cell */
    double distance;               /* of the orbit from there, in cells */
    am_orbit orbit;                /* period 0: none */
} attempt;

typedef struct attempts {
    attempt *list;
    size_t count;
} attempts;

/* An orbit of so many returns near the guess, one that attracts. */
static bool try_close(const am_cell_survey *survey, am_motion *engine, const double *guess, size_t returns,
                      am_orbit *orbit, am_status *status) {
    am_orbit_return how = survey->how;
    am_error why = {0};
    how.returns = returns;
    *status = am_orbit_close(engine, &how, guess, orbit, &why);
    if (*status)
        return false;
    if (orbit->stable && am_cell_distance(survey, orbit->state, guess) <= near_enough)
        return true;
    am_orbit_clear(orbit);
    return false;
}

/* The group's own period first; its cells may also circle about a shorter orbit, or about one whose period has no
 * factor in common with the periods of a step. */
static bool close_near(const am_cell_survey *survey, am_motion *engine, const double *guess, size_t period,
                       am_orbit *orbit, am_status *status) {
    size_t whole = period * survey->periods;
    if (whole <= most_returns && try_close(survey, engine, guess, whole, orbit, status))
        return true;
    if (period != whole && period <= most_returns && *status != AM_ERR_MEMORY &&
        try_close(survey, engine, guess, period, orbit, status))
        return true;
    for (size_t returns = 1; returns <= usual_returns && *status != AM_ERR_MEMORY; returns++)
        if (returns != whole && returns != period && try_close(survey, engine, guess, returns, orbit, status))
            return true;
    return false;
}

static am_status close_one(am_cell_survey *survey, am_motion *engine, size_t index, void *context, am_error *err) {
    attempt *a = &((attempts *)context)->list[index];
    double guess[AM_CELL_ENTRIES];
    memcpy(guess, a->state, sizeof guess);
    for (size_t round = 0; round < most_rounds; round++) {
        am_status status = AM_OK;
        if (close_near(survey, engine, guess, survey->map.list[a->group].period, &a->orbit, &status)) {
            a->distance = am_cell_distance(survey, a->orbit.state, a->state);
            return AM_OK;
        }
        if (status == AM_ERR_MEMORY)
            return am_fail(err, AM_ERR_MEMORY, "not enough memory");
        am_motion_follow_sensitivity(engine, false, NULL);
        status = am_cell_follow(survey, engine, 1 + round * round / 4, guess, err);
        if (am_cell_is_lost(status))
            return AM_OK;
        if (status)
            return status;
    }
    return AM_OK;
}

static size_t members(const am_cell_group *group) {
    return group->period < MOST_MEMBERS ? group->period : MOST_MEMBERS;
}

/* The first cells of every group, evenly spaced around it. */
static am_status plan_attempts(const am_cell_survey *survey, attempts *a, am_error *err) {
    const am_cell_map *map = &survey->map;
    for (size_t g = 0; g < map->groups; g++)
        a->count += members(&map->list[g]);
    a->list = am_memory_new(a->count, sizeof *a->list, err);
    if (!a->list)
        return AM_ERR_MEMORY;
    size_t next = 0;
    for (size_t g = 0; g < map->groups; g++) {
        size_t cell = map->list[g].first, every = map->list[g].period / members(&map->list[g]);
        for (size_t m = 0; m < members(&map->list[g]); m++) {
            a->list[next].group = g;
            am_cell_centre(survey, cell, a->list[next++].state);
            for (size_t k = 0; k < every; k++)
                cell = map->image[cell];
        }
    }
    return AM_OK;
}

/* ---- the same orbit only once ---- */

static am_status add_points(am_cell_survey *survey, am_motion *engine, am_cell_orbit *entry, am_error *err) {
    size_t n = survey->dimension;
    entry->points = am_arena_doubles(&survey->orbit_memory, NULL, entry->orbit.returns * n, err);
    if (!entry->points)
        return AM_ERR_MEMORY;
    memcpy(entry->points, entry->orbit.state, n * sizeof *entry->points);
    for (size_t k = 1; k < entry->orbit.returns; k++) {
        memcpy(entry->points + k * n, entry->points + (k - 1) * n, n * sizeof *entry->points);
        AM_TRY(am_cell_follow(survey, engine, 1, entry->points + k * n, err));
    }
    return AM_OK;
}

/* Members of one family (positions at which a contact may stick for good) count as one. */
static bool is_same(const am_cell_survey *survey, const am_motion *engine, const am_cell_orbit *known,
                    const am_orbit *orbit) {
    if (known->orbit.shakedown && orbit->shakedown)
        return true;
    if (known->orbit.returns != orbit->returns || known->orbit.family != orbit->family)
        return false;
    if (orbit->family > 0)
        return known->orbit.switches == orbit->switches && strcmp(known->orbit.sequence, orbit->sequence) == 0;
    for (size_t k = 0; k < orbit->returns; k++) {
        const double *point = known->points + k * survey->dimension;
        double size = fmax(am_orbit_size(engine, point), am_orbit_size(engine, orbit->state));
        if (am_orbit_distance(engine, point, orbit->state) <= same_point * size)
            return true;
    }
    return false;
}

/* The orbit's number, from 1; it is taken over if it is new. */
static am_status enter(am_cell_survey *survey, am_motion *engine, am_orbit *orbit, size_t *number, am_error *err) {
    size_t known = 0;
    while (known < survey->orbit_count && !is_same(survey, engine, &survey->orbits[known], orbit))
        known++;
    *number = known + 1;
    if (known < survey->orbit_count)
        return AM_OK;
    am_cell_orbit *entry = &survey->orbits[survey->orbit_count++];
    entry->orbit = *orbit;
    *orbit = (am_orbit){0};
    return add_points(survey, engine, entry, err);
}

/* A group belongs to the orbit its first cell leads to. */
static am_status collect(am_cell_survey *survey, am_motion *engine, attempts *a, am_error *err) {
    survey->orbits = am_arena_new(&survey->orbit_memory, a->count, sizeof *survey->orbits, err);
    if (!survey->orbits)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < a->count; i++) {
        am_cell_group *group = &survey->map.list[a->list[i].group];
        size_t number;
        if (!(a->list[i].orbit.period > 0.0))
            continue;
        AM_TRY(enter(survey, engine, &a->list[i].orbit, &number, err));
        if (group->orbit == number)
            continue;
        if (group->orbit != 0) {
            group->mixed = true;
            continue;
        }
        group->orbit = number;
        group->distance = a->list[i].distance;
        survey->orbits[number - 1].domain += group->domain;
        survey->orbits[number - 1].groups++;
    }
    return AM_OK;
}

static void clear_attempts(attempts *a) {
    for (size_t i = 0; a->list && i < a->count; i++)
        am_orbit_clear(&a->list[i].orbit);
    am_memory_free(a->list);
}

am_status am_cell_close_orbits(am_cell_survey *survey, am_error *err) {
    AM_LOCAL(clear_attempts) attempts a = {0};
    AM_LOCAL(am_motion_free_at) am_motion *engine = am_motion_create(survey->system, false, err);
    AM_TRY(engine ? plan_attempts(survey, &a, err) : err->status);
    AM_TRY(am_cell_share_out(survey, a.count, true, close_one, &a, 0.8, 0.95, err));
    return collect(survey, engine, &a, err);
}

/* ---- does the exact map agree with the cells? ---- */

typedef struct verdicts {
    size_t every;
    signed char *agrees; /* 1: yes, 0: no, -1: none of the orbits was reached, -2: not asked */
} verdicts;

/* The orbit whose section has a point within `most` cells of the state; 0: none. */
static size_t orbit_near(const am_cell_survey *survey, const double *state, double most) {
    for (size_t o = 0; o < survey->orbit_count; o++) {
        const am_cell_orbit *entry = &survey->orbits[o];
        for (size_t k = 0; k < entry->orbit.returns && entry->orbit.family == 0; k++)
            if (am_cell_distance(survey, entry->points + k * survey->dimension, state) <= most)
                return o + 1;
    }
    return 0;
}

/* A family is reached when the exact map hardly moves the state any more. */
static size_t family_reached(const am_cell_survey *survey, const double *before, const double *state) {
    if (am_cell_distance(survey, before, state) > 1e-6)
        return 0;
    for (size_t o = 0; o < survey->orbit_count; o++)
        if (survey->orbits[o].orbit.family > 0)
            return o + 1;
    return 0;
}

/* Follow the exact motion of a check on from where it has come to, until it is on one of the orbits: *orbit, 0: none.
 * One that was followed long ago for other orbits goes on for the longest of them at least. */
static am_status follow_check(am_cell_survey *survey, am_motion *engine, size_t index, size_t *orbit, am_error *err) {
    double *state = survey->check_state + AM_CELL_ENTRIES * index, before[AM_CELL_ENTRIES];
    size_t *done = &survey->check_periods[index];
    size_t until = *done + most_returns + 1 > most_check_periods ? *done + most_returns + 1 : most_check_periods;
    for (*orbit = 0; *done < until && *orbit == 0; ++*done) {
        memcpy(before, state, sizeof before);
        am_status status = am_cell_follow(survey, engine, 1, state, err);
        if (status) {
            *done = SIZE_MAX;
            return am_cell_is_lost(status) ? AM_OK : status;
        }
        *orbit = orbit_near(survey, state, 1e-3);
        if (*orbit == 0)
            *orbit = family_reached(survey, before, state);
    }
    return AM_OK;
}

static am_status check_cell(am_cell_survey *survey, am_motion *engine, size_t index, void *context, am_error *err) {
    verdicts *v = context;
    size_t orbit = 0;
    int32_t group = survey->map.group[index * v->every];
    v->agrees[index] = -2;
    if (group <= 0 || survey->map.list[group - 1].orbit == 0)
        return AM_OK;
    v->agrees[index] = -1;
    if (survey->check_periods[index] == SIZE_MAX)
        return AM_OK;
    if (survey->check_periods[index] == 0)
        am_cell_centre(survey, index * v->every, survey->check_state + AM_CELL_ENTRIES * index);
    AM_TRY(follow_check(survey, engine, index, &orbit, err));
    if (orbit > 0)
        v->agrees[index] = orbit == survey->map.list[group - 1].orbit;
    return AM_OK;
}

static size_t count_checks(const am_cell_survey *survey) {
    return survey->options->checks < survey->map.count ? survey->options->checks : survey->map.count;
}

size_t am_cell_check_every(const am_cell_survey *survey) {
    size_t checks = count_checks(survey);
    return checks > 0 ? survey->map.count / checks : SIZE_MAX;
}

static am_status begin_checks(am_cell_survey *survey, size_t checks, am_error *err) {
    if (survey->check_periods)
        return AM_OK;
    survey->check_state = am_arena_doubles(&survey->check_memory, NULL, AM_CELL_ENTRIES * checks, err);
    survey->check_periods = am_arena_new(&survey->check_memory, checks, sizeof *survey->check_periods, err);
    return am_arena_status(&survey->check_memory);
}

am_status am_cell_check(am_cell_survey *survey, am_error *err) {
    survey->checked = survey->agreed = survey->elsewhere = 0;
    size_t checks = count_checks(survey);
    if (checks == 0 || survey->orbit_count == 0)
        return AM_OK;
    verdicts v = {.every = am_cell_check_every(survey)};
    v.agrees = am_memory_new(checks, sizeof *v.agrees, err);
    am_status status = v.agrees ? begin_checks(survey, checks, err) : AM_ERR_MEMORY;
    if (!status)
        status = am_cell_share_out(survey, checks, false, check_cell, &v, 0.95, 1.0, err);
    for (size_t i = 0; i < checks && !status; i++) {
        survey->checked += v.agrees[i] >= -1;
        survey->agreed += v.agrees[i] == 1;
        survey->elsewhere += v.agrees[i] == -1;
    }
    am_memory_free(v.agrees);
    return status;
}

void am_cell_forget_orbits(am_cell_survey *survey) {
    for (size_t o = 0; o < survey->orbit_count; o++)
        am_orbit_clear(&survey->orbits[o].orbit);
    am_arena_clear(&survey->orbit_memory);
    survey->orbits = NULL;
    survey->orbit_count = 0;
}

void am_cell_survey_clear(am_cell_survey *survey) {
    am_cell_forget_orbits(survey);
    am_arena_clear(&survey->check_memory);
    survey->check_state = NULL;
    survey->check_periods = NULL;
    am_cell_map_clear(&survey->map);
}
