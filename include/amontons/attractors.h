/* Analysis `attractors`: where a set of starts leads. See docs/attractors.md.
 *
 * Two forms. Where all loads become constant or grow linearly and no surface moves: the contact state that provably
 * lasts for ever. Where loads repeat or surfaces move: the periodic motions (closed by shooting, am_orbit_close) that
 * the starts are attracted to, each once, with their shares of the starts. Everything is the same for a given seed,
 * whatever the number of threads. */
#ifndef AMONTONS_ATTRACTORS_H
#define AMONTONS_ATTRACTORS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One axis of the grid of starts: the values of one coordinate; or, with a direction, the multiples of it that are
 * added to the start. Two directions span any plane. */
typedef struct am_start_axis {
    size_t coordinate; /* which degree of freedom; not looked at where there is a direction */
    bool velocity;     /* its velocity, not its displacement */
    double from, to;
    size_t count;            /* at least 1; evenly spaced, ends included */
    const double *direction; /* 2n: displacements, then velocities; NULL: along the coordinate */
    const char *name; /* of its column in the map; NULL: the coordinate's name, or s1, s2, ... by the number of the
                         axis where it has a direction */
} am_start_axis;

/* One side of the box that points are spread over. */
typedef struct am_start_range {
    size_t coordinate;
    bool velocity;
    double low, high;
} am_start_range;

typedef enum am_starts_method {
    AM_STARTS_SOBOL,  /* low discrepancy: fills the box evenly */
    AM_STARTS_RANDOM, /* independent */
    AM_STARTS_GRID    /* the finest grid with at most `count` points */
} am_starts_method;

typedef struct am_attractors_options {
    const double *displacement; /* n; of all starts, where no axis or range says otherwise; NULL: zero */
    const double *velocity;
    size_t axis_count; /* 1 or 2 (orbits: any number); 0 when `count` is given */
    const am_start_axis *axes;
    double until; /* final states: give up (label `undecided`) at this time; default 10000 */
    /* Points in a box instead of axes. */
    size_t count;
    am_starts_method method;
    uint64_t seed;      /* default 1 */
    size_t range_count; /* sides of the box; 0: a box of the size of the structure's own motions */
    const am_start_range *ranges;
    /* Orbits */
    size_t transient;     /* returns before an orbit is looked for; default 20 */
    size_t most_returns;  /* a start that does not repeat within so many is aperiodic or undecided; default 20000 */
    size_t most_period;   /* longest orbit looked for, in returns; default 64 */
    bool join;            /* a motion that meets one whose fate is known shares it; default true */
    size_t section;       /* points of the section kept per start (table `section`), the last ones; default 0 */
    bool search_unstable; /* look for unstable orbits on the borders between basins; default false */
    size_t borders;       /* pairs of starts with different fates the search begins from; default 16 */
    /* Locate the border between two different final states on the straight line between two starts (each 2n: q, v);
     * NULL: none */
    const double *edge_from, *edge_to;
    int cookie;
} am_attractors_options;

AM_API am_attractors_options am_attractors_options_default(void);

/* Final states: table `map` (one column per axis, `state`, `settled` time, `changes`); summary `starts`, `stick`,
 * `open`, `other`, `undecided`, `edge` (position of the border on the line, as the coordinates of the first axis),
 * `edge_width`.
 *
 * Orbits: table `orbits` (orbit, period, sequence, multiplier, stable, share, dissipation, returns, switches, stops,
 * closing, starts, family; stable ones first, by period), `map` or (points in a box) `starts` (one column per axis or
 * side, `fate`: "orbit 2", "sliding", "stick", "open", "final", "aperiodic", "undecided", "divergent", "failed";
 * `orbit` number, `returns`, `lyapunov`, `lyapunov_error`), `section`; summary `starts`, `orbits`, `unstable_orbits`, a
 * count of each fate, `joined`, `join_checks`, `join_mismatches`, `worst_closing`, `periods`. */
AM_API am_status am_attractors_run(const am_system *system, const am_attractors_options *options, am_result *result,
                                   const am_progress *progress, am_error *err);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Analysis `cells`: the long-term motions of a forced structure and their basins by simple cell-to-cell mapping (Hsu
 * 1987), a second way to the answer of `attractors` that shares no search with it. See docs/cells.md.
 *
 * A box of the state at one phase of the loads is divided into cells; the centre of each is followed exactly over one
 * period of the loads, and the cell it ends in is its image. The finite map is unravelled completely: periodic groups
 * of cells, the domain each attracts, the sink (everything outside the box). Then the orbit in each periodic group is
 * closed by shooting. */

#define AM_CELLS_MOST 100000000

/* One side of the box. */
typedef struct am_cell_axis {
    size_t entry;    /* of the state (am_motion_state): displacements, velocities, stretches of springs */
    double from, to; /* the outer borders */
    size_t count;    /* cells; an odd number between -a and a has zero as a centre */
} am_cell_axis;

typedef struct am_cells_options {
    size_t axis_count; /* as many as the state has entries: 2 or 3 */
    const am_cell_axis *axes;
    double start;  /* time (phase of the loads) of the section; default 0 */
    double period; /* of the loads; 0 (default): found from the loads */
    size_t
        periods;   /* of the loads in one step of the map; default 1. More of them help where motions contract slowly */
    bool refine;   /* close the orbits; default true */
    size_t checks; /* cells from which the exact map is iterated to see whether it agrees; default 200; 0: none */
    bool table;    /* fill the table `cells`; default true */
    int cookie;
} am_cells_options;

AM_API am_cells_options am_cells_options_default(void);

/* How many entries the state of a structure has (as am_motion_dimension), and their names: coordinates, v1..,
 * stretch1.., slid1.. of friction that weakens, age1.. of ages behind springs.
 */
AM_API size_t am_cells_dimension(const am_system *system);
AM_API void am_cells_entry_name(const am_system *system, size_t entry, char *name, size_t size);

/* Tables `cells` (the centre, `group`, `steps` to its periodic cells, `fate`: "orbit 1", "group 3" where no orbit was
 * found, "outside", "lost"), `groups` (group, period, domain, share, orbit, distance of the orbit in cells), `orbits`
 * (orbit, period, sequence, multiplier, stable, share, dissipation, returns, stops, closing, groups); summary `cells`,
 * `groups`, `longest_group`, `orbits`, `unresolved` groups, `mixed` groups, `resolved_share`, `outside`, `lost`,
 * `worst_closing`, `checked` cells, `agreement` (the part of them whose exact motion reaches the orbit of its cell),
 * `checks_elsewhere` (those that reach none of the orbits), `period`, `periods`. AM_ERR_EVIDENCE when less than half of
 * the checks agree. The same for any number of threads. */
AM_API am_status am_cells_run(const am_system *system, const am_cells_options *options, am_result *result,
                              const am_progress *progress, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
