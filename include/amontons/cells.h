/* Analysis `cells`: the long-term motions of a forced structure and their basins by simple cell-to-cell mapping (Hsu
 * 1987), a second way to the answer of `attractors` that shares no search with it. See docs/cells.md.
 *
 * A box of the state at one phase of the loads is divided into cells; the centre of each is followed exactly over one
 * period of the loads, and the cell it ends in is its image. The finite map is unravelled completely: periodic groups
 * of cells, the domain each attracts, the sink (everything outside the box). Then the orbit in each periodic group is
 * closed by shooting. */
#ifndef AMONTONS_CELLS_H
#define AMONTONS_CELLS_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/progress.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * stretch1..
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
