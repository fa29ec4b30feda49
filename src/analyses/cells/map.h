/* Inside of `cells`. map.c maps and unravels, cell_orbits.c closes orbits, analyses/cells.c writes everything down. */
#ifndef AMONTONS_ANALYSES_CELLS_MAP_H
#define AMONTONS_ANALYSES_CELLS_MAP_H
#include <stdint.h>

#include "amontons/attractors.h"
#include "amontons/orbit.h"
#include "base/arena.h"

/* Images that are no cell: outside the box, and where the motion cannot be followed. */
#define AM_CELL_OUTSIDE ((uint32_t)-1)
#define AM_CELL_LOST ((uint32_t)-2)
/* Images that nobody has asked for yet, and that will be asked for next. */
#define AM_CELL_UNKNOWN ((uint32_t)-3)
#define AM_CELL_NEXT ((uint32_t)-4)

/* Groups that are not periodic cells. */
enum { AM_GROUP_OUTSIDE = 0, AM_GROUP_LOST = -1 };

/* Entries of a state at most: three axes, and the velocity of a coordinate with neither mass nor damping. */
enum { AM_CELL_ENTRIES = 4 };

typedef struct am_cell_group {
    size_t first;    /* a periodic cell */
    size_t period;   /* number of cells in the group */
    size_t domain;   /* number of cells that lead to the group, its own included */
    size_t orbit;    /* from 1; 0: none found */
    double distance; /* of the orbit from the centre of `first`, in cells */
    bool mixed;      /* some of its cells lead to another orbit: the cells are too coarse here */
} am_cell_group;

typedef struct am_cell_map {
    am_arena group_memory;
    size_t count;
    uint32_t *image; /* count */
    int32_t *group;  /* count: from 1, or one of the above */
    uint32_t *steps; /* count: to the first periodic cell, to the border or to where it is lost */
    size_t groups;
    am_cell_group *list; /* groups */
    size_t outside, lost;
} am_cell_map;

/* Find all periodic groups and their domains from the images of every `every`-th cell (1: of all) and of those they
 * lead to; what was found before is forgotten. Deterministic: groups are numbered in the order of the first cell that
 * leads to them. */
am_status am_cell_map_unravel(am_cell_map *map, size_t every, am_error *err);
void am_cell_map_clear(am_cell_map *map);

/* An orbit found, once. */
typedef struct am_cell_orbit {
    am_orbit orbit;
    double *points; /* returns x dimension: its states on the section */
    size_t domain, groups;
} am_cell_orbit;

typedef struct am_cell_survey {
    am_arena orbit_memory, check_memory;
    const am_system *system;
    const am_cells_options *options;
    const am_progress *progress;
    size_t dimension;
    size_t periods; /* of the loads in one step of the map */
    am_orbit_return how;
    am_cell_map map;
    am_cell_orbit *orbits;
    size_t orbit_count;
    size_t checked, agreed, elsewhere;
    double *check_state;   /* checks x AM_CELL_ENTRIES: where the exact motions of the checks have come to ... */
    size_t *check_periods; /* ... after so many periods; SIZE_MAX: lost */
} am_cell_survey;

void am_cell_centre(const am_cell_survey *survey, size_t cell, double *state);
/* Largest difference of two states along an axis, in cells. */
double am_cell_distance(const am_cell_survey *survey, const double *a, const double *b);

/* Follow the engine from `state` (on the section) over so many periods; `state` becomes the end. */
am_status am_cell_follow(const am_cell_survey *survey, am_motion *engine, size_t periods, double *state, am_error *err);

/* Is this an error of one motion (and not of the whole work)? */
bool am_cell_is_lost(am_status status);

/* Do `work` for every index, on all threads; each has an engine of its own. */
typedef am_status am_cell_work(am_cell_survey *survey, am_motion *engine, size_t index, void *context, am_error *err);
am_status am_cell_share_out(am_cell_survey *survey, size_t count, bool energy, am_cell_work *work, void *context,
                            double progress_from, double progress_to, am_error *err);

/* Images of every `every`-th cell and of all that these lead to, as far as they are not known. 1: of all cells. */
am_status am_cell_map_from(am_cell_survey *survey, size_t every, am_error *err);
/* No image is known. */
am_status am_cell_map_begin(am_cell_survey *survey, am_error *err);
am_status am_cell_close_orbits(am_cell_survey *survey, am_error *err);
am_status am_cell_check(am_cell_survey *survey, am_error *err);
/* Every so many cells one is checked; SIZE_MAX: none. */
size_t am_cell_check_every(const am_cell_survey *survey);
void am_cell_forget_orbits(am_cell_survey *survey);
void am_cell_survey_clear(am_cell_survey *survey);

/* How many state variables a box has axes for: a coordinate with neither mass nor damping has no velocity of its own. */
bool am_cells_is_light(const am_system *system, size_t coordinate);
size_t am_cells_axes(const am_system *system);

#endif
