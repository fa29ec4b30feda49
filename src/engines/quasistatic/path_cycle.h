/* Cycles of a periodic load: does the path repeat, with which period, how fast does it forget? docs/path.md, "Cycles".
 *
 * The state at the end of a cycle is the contacts' states and tangential positions. It repeats when it is what it was
 * `period` cycles before; then the cycle is closed by Newton's method with the exact derivative (one step: the map is
 * affine while the sequence of states stays the same) and run once more. */
#ifndef AMONTONS_ENGINES_QUASISTATIC_PATH_CYCLE_H
#define AMONTONS_ENGINES_QUASISTATIC_PATH_CYCLE_H
#include "base/arena.h"
#include "engines/quasistatic/path_walk.h"

typedef struct am_path_cycle_options {
    double from, length; /* the load repeats after `length` */
    size_t most_cycles, most_period;
    bool all;   /* run most_cycles even if they repeat earlier */
    bool quick; /* stop where they repeat, without closing the cycle: period, cycles, sequence, position are known then
                 */
} am_path_cycle_options;

typedef struct am_path_cycle {
    am_arena arrays; /* of all below */
    size_t m;
    bool repeats;
    size_t period;           /* in load cycles; 0 if it does not repeat */
    size_t cycles;           /* run until the state was first what it had been a period before */
    double closing;          /* distance of the positions over one period, relative to the path's size */
    double exponent;         /* growth of small deviations per cycle, as a logarithm; NAN if it was not followed */
    uint64_t sequence;       /* fingerprint of the states passed in one period */
    double *position;        /* m: at the beginning of the period */
    am_contact_state *state; /* m: the same */
    double *slip, *loss;     /* m: in one period */
    double dissipation;      /* in one period */
    double work_loads;       /* the same */
    double *multiplier_real, *multiplier_imaginary; /* m, largest modulus first; NAN after a jump */
    double *D;                                      /* m x m: derivative of the positions over one period */
    size_t memory; /* multipliers of modulus one: dimensions of the start that are never forgotten */
} am_path_cycle;

am_status am_path_cycle_init(am_path_cycle *cycle, size_t m, am_error *err);
void am_path_cycle_clear(am_path_cycle *cycle);

/* The walk has been placed at options->from and has decided. It may have a record, which then shows the transient; the
 * closed period is walked without one. The walk ends at the beginning of a period, ready to go on. */
am_status am_path_cycle_find(am_path_walk *walk, const am_path_cycle_options *options, am_path_cycle *cycle,
                             const am_progress *progress, am_error *err);

/* Walk one cycle and rewind. */
am_status am_path_cycle_walk(am_path_walk *walk, const am_path_cycle_options *options, am_error *err);

#endif
