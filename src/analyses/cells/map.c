/* Simple cell-to-cell mapping: images of all cells, and the unravelling of the finite map (Hsu 1987, chapter 8). */
#include "amontons/attractors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/cells/map.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/spread.h"
#include "base/try.h"
#include "engines/switching/switching.h"
#include "laws/law.h"
#include "system/column_names.h"
#include "system/friction_pieces.h"
#include "system/system.h"

/* Cells (or groups) a thread takes at once. */
enum { CHUNK = 64 };

/* ---- geometry ---- */

static double width(const am_cell_axis *axis) {
    return (axis->to - axis->from) / (double)axis->count;
}

/* The last axis varies fastest. */
void am_cell_centre(const am_cell_survey *survey, size_t cell, double *state) {
    const am_cells_options *o = survey->options;
    memset(state, 0, survey->dimension * sizeof *state);
    for (size_t a = o->axis_count; a-- > 0;) {
        const am_cell_axis *axis = &o->axes[a];
        size_t i = cell % axis->count;
        cell /= axis->count;
        /* the same number with both signs on both sides of a symmetric box, and zero in its middle */
        double middle = 0.5 * (axis->from + axis->to), off = (double)i - 0.5 * (double)(axis->count - 1);
        state[axis->entry] = middle + off * width(axis);
    }
}

static uint32_t cell_of(const am_cell_survey *survey, const double *state) {
    const am_cells_options *o = survey->options;
    size_t cell = 0;
    for (size_t a = 0; a < o->axis_count; a++) {
        const am_cell_axis *axis = &o->axes[a];
        double at = (state[axis->entry] - axis->from) / width(axis);
        if (!(at >= 0.0 && at < (double)axis->count))
            return AM_CELL_OUTSIDE;
        cell = cell * axis->count + (size_t)at;
    }
    return (uint32_t)cell;
}

double am_cell_distance(const am_cell_survey *survey, const double *a, const double *b) {
    double most = 0.0;
    for (size_t i = 0; i < survey->options->axis_count; i++) {
        const am_cell_axis *axis = &survey->options->axes[i];
        double off = fabs(a[axis->entry] - b[axis->entry]) / width(axis);
        most = off <= most ? most : off;
    }
    return most;
}

/* ---- the map ---- */

bool am_cell_is_lost(am_status status) {
    return status != AM_OK && status != AM_ERR_MEMORY && status != AM_ERR_INTERRUPTED;
}

am_status am_cell_follow(const am_cell_survey *survey, am_motion *engine, size_t periods, double *state,
                         am_error *err) {
    double start = survey->how.start, until = start + (double)periods * survey->how.period;
    AM_TRY(am_motion_start_state(engine, start, state, err));
    AM_TRY(am_engine_run_until(engine, until, err));
    memcpy(state, am_motion_state(engine), survey->dimension * sizeof *state);
    return AM_OK;
}

/* Cells whose images are asked for. */
typedef struct wanted {
    uint32_t *cell; /* as many as there are in the map */
    size_t count;
} wanted;

static am_status map_cell(am_cell_survey *survey, am_motion *engine, size_t index, void *context, am_error *err) {
    double state[AM_CELL_ENTRIES];
    size_t cell = ((const wanted *)context)->cell[index];
    am_cell_centre(survey, cell, state);
    am_status status = am_cell_follow(survey, engine, survey->periods, state, err);
    if (am_cell_is_lost(status)) {
        survey->map.image[cell] = AM_CELL_LOST;
        return AM_OK;
    }
    if (!status)
        survey->map.image[cell] = cell_of(survey, state);
    return status;
}

static bool is_cell(uint32_t image) {
    return image < AM_CELL_NEXT;
}

static void want(am_cell_map *map, wanted *w, uint32_t cell) {
    if (!is_cell(cell) || map->image[cell] != AM_CELL_UNKNOWN)
        return;
    map->image[cell] = AM_CELL_NEXT;
    w->cell[w->count++] = cell;
}

/* The images of cells that were just mapped take the place of these, which lie before them in the list. */
static void want_images(am_cell_map *map, wanted *w) {
    size_t count = w->count;
    w->count = 0;
    for (size_t i = 0; i < count; i++)
        want(map, w, map->image[w->cell[i]]);
}

am_status am_cell_map_begin(am_cell_survey *survey, am_error *err) {
    am_cell_map *map = &survey->map;
    if (!map->image)
        map->image = am_memory_new(map->count, sizeof *map->image, err);
    for (size_t i = 0; map->image && i < map->count; i++)
        map->image[i] = AM_CELL_UNKNOWN;
    return map->image ? AM_OK : AM_ERR_MEMORY;
}

am_status am_cell_map_from(am_cell_survey *survey, size_t every, am_error *err) {
    am_cell_map *map = &survey->map;
    wanted w = {.cell = am_memory_new(map->count, sizeof *w.cell, err)};
    am_status status = w.cell ? AM_OK : AM_ERR_MEMORY;
    for (size_t i = 0; i < map->count && !status; i += every)
        want(map, &w, (uint32_t)i);
    while (w.count > 0 && !status) {
        status = am_cell_share_out(survey, w.count, false, map_cell, &w, 0.0, 0.8, err);
        want_images(map, &w);
    }
    am_memory_free(w.cell);
    return status;
}

/* ---- many threads ---- */

typedef struct sharing {
    am_cell_survey *survey;
    bool energy;
    am_cell_work *work;
    void *context;
} sharing;

static void *open_engine(void *context, int thread, am_error *err) {
    const sharing *s = context;
    (void)thread;
    return am_motion_create(s->survey->system, s->energy, err);
}

static void close_engine(void *engine) {
    am_motion_free(engine);
}

static am_status do_one(void *context, void *engine, size_t index, am_error *err) {
    const sharing *s = context;
    return s->work(s->survey, engine, index, s->context, err);
}

am_status am_cell_share_out(am_cell_survey *survey, size_t count, bool energy, am_cell_work *work, void *context,
                            double progress_from, double progress_to, am_error *err) {
    sharing s = {.survey = survey, .energy = energy, .work = work, .context = context};
    am_spread all = {.count = count,
                     .chunk = CHUNK,
                     .threads = am_progress_threads(survey->progress),
                     .progress = survey->progress,
                     .from = progress_from,
                     .to = progress_to,
                     .doing = "following the cells",
                     .context = &s,
                     .open = open_engine,
                     .close = close_engine,
                     .item = do_one};
    return am_spread_run(&all, err);
}

/* ---- unravelling ---- */

/* Marks while the work goes on. */
enum { VIRGIN = -2, ON_THE_WAY = -3 };

/* From a virgin cell to the first one that is not; returns it (or no cell) and the number of cells passed, which are
 * numbered in `steps`. */
static uint32_t walk(am_cell_map *map, size_t from, uint32_t *passed) {
    uint32_t cell = (uint32_t)from, k = 0;
    while (is_cell(cell) && map->group[cell] == VIRGIN) {
        map->group[cell] = ON_THE_WAY;
        map->steps[cell] = k++;
        cell = map->image[cell];
    }
    *passed = k;
    return cell;
}

static am_status add_group(am_cell_map *map, size_t first, size_t period, size_t *capacity, am_error *err) {
    AM_TRY(am_memory_reserve(&map->list, capacity, map->groups + 1, err));
    map->list[map->groups++] = (am_cell_group){.first = first, .period = period};
    return AM_OK;
}

/* Give the cells passed their group. The last `periodic` of them have no steps to go; the end itself has `base`. */
static void settle(am_cell_map *map, size_t from, uint32_t passed, int32_t group, uint32_t periodic, uint32_t base) {
    uint32_t cell = (uint32_t)from, before = passed - periodic;
    for (uint32_t k = 0; k < passed; k++) {
        map->group[cell] = group;
        map->steps[cell] = k < before ? before - k + base : 0;
        cell = map->image[cell];
    }
    if (group > 0)
        map->list[group - 1].domain += passed;
    else if (group == AM_GROUP_OUTSIDE)
        map->outside += passed;
    else
        map->lost += passed;
}

static am_status unravel_from(am_cell_map *map, size_t from, size_t *capacity, am_error *err) {
    uint32_t passed, end = walk(map, from, &passed);
    if (end == AM_CELL_OUTSIDE) {
        settle(map, from, passed, AM_GROUP_OUTSIDE, 0, 0);
    } else if (end == AM_CELL_LOST) {
        settle(map, from, passed, AM_GROUP_LOST, 0, 0);
    } else if (map->group[end] != ON_THE_WAY) {
        settle(map, from, passed, map->group[end], 0, map->steps[end]);
    } else {
        uint32_t period = passed - map->steps[end];
        AM_TRY(add_group(map, end, period, capacity, err));
        settle(map, from, passed, (int32_t)map->groups, period, 0);
    }
    return AM_OK;
}

static void forget_groups(am_cell_map *map) {
    am_arena_clear(&map->group_memory);
    am_memory_free(map->list);
    map->list = NULL;
    map->groups = map->outside = map->lost = 0;
}

am_status am_cell_map_unravel(am_cell_map *map, size_t every, am_error *err) {
    size_t capacity = 0;
    forget_groups(map);
    map->group = am_arena_new(&map->group_memory, map->count, sizeof *map->group, err);
    map->steps = am_arena_new(&map->group_memory, map->count, sizeof *map->steps, err);
    AM_TRY(am_arena_status(&map->group_memory));
    for (size_t i = 0; i < map->count; i++)
        map->group[i] = VIRGIN;
    for (size_t i = 0; i < map->count; i += every)
        if (map->group[i] == VIRGIN)
            AM_TRY(unravel_from(map, i, &capacity, err));
    return AM_OK;
}

void am_cell_map_clear(am_cell_map *map) {
    am_memory_free(map->image);
    forget_groups(map);
    *map = (am_cell_map){0};
}

/* ---- names ---- */

size_t am_cells_dimension(const am_system *system) {
    if (!am_is(system, AM_TAG_SYSTEM))
        return 0;
    size_t own = 0;
    for (size_t c = 0; c < system->m; c++)
        own += (system->contact[c].tangential_stiffness > 0.0) + am_contact_memories(&system->contact[c]);
    return 2 * am_system_size(system) + own;
}

bool am_cells_is_light(const am_system *system, size_t i) {
    return am_matrix_at(system->M, i, i) == 0.0 && am_matrix_at(system->C, i, i) == 0.0;
}

size_t am_cells_axes(const am_system *system) {
    size_t axes = am_cells_dimension(system);
    for (size_t i = 0; axes > 0 && i < system->n; i++)
        axes -= am_cells_is_light(system, i);
    return axes;
}

/* The contact of a state variable that is none of the structure, counted from 0: first come springs behind sliders, then
 * what friction remembers. */
static size_t contact_of(const am_system *system, size_t index, const char **what) {
    *what = "stretch";
    for (int remembers = 0; remembers < 2; remembers++)
        for (size_t c = 0; c < system->m; c++) {
            const am_contact_def *contact = &system->contact[c];
            size_t has = remembers ? am_contact_memories(contact) : contact->tangential_stiffness > 0.0;
            if (index < has && remembers && am_friction_weakens(&contact->weakening))
                *what = "slid";
            else if (index < has && index > 0)
                *what = "age";
            if (index < has)
                return c;
            index -= has;
        }
    return 0;
}

void am_cells_entry_name(const am_system *system, size_t entry, char *name, size_t size) {
    if (!am_is(system, AM_TAG_SYSTEM) || !name)
        return;
    size_t n = am_system_size(system);
    if (entry < 2 * n) {
        snprintf(name, size, "%s",
                 entry < n ? am_system_name(system, entry) : am_system_velocity_name(system, entry - n));
        return;
    }
    const char *what;
    size_t contact = contact_of(system, entry - 2 * n, &what);
    if (am_system_names_contact(system, contact))
        snprintf(name, size, "%s_%s", what, am_system_contact_name(system, contact));
    else
        snprintf(name, size, "%s%zu", what, contact + 1);
}
