/* Analysis `attractors`: where a set of starts leads. See docs/attractors.md.
 *
 * Two forms. Where all loads become constant or grow linearly and no surface moves: the contact state that provably
 * lasts for ever. Where loads repeat or surfaces move: the periodic motions (closed by shooting, am_orbit_close) that
 * the starts are attracted to, each once, with their shares of the starts. Everything is the same for a given seed,
 * whatever the number of threads. */
#ifndef AMONTONS_ATTRACTORS_H
#define AMONTONS_ATTRACTORS_H
#include <stdint.h>

#include "amontons/progress.h"
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

#ifdef __cplusplus
}
#endif
#endif
