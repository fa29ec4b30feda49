/* What is written down of a march: tables, energies, returns to a section. */
#ifndef AMONTONS_ANALYSES_MARCH_MARCH_RECORD_H
#define AMONTONS_ANALYSES_MARCH_MARCH_RECORD_H
#include "base/arena.h"
#include "engines/marching/marching.h"

enum { AM_MARCH_SECTIONS = 2, AM_MARCH_RETURNS = 64, AM_MARCH_PEAKS = 2000, AM_MARCH_CHECKS = 101 };

typedef struct am_march_energy {
    double start, kinetic, potential, contact; /* at the start in all; at the end: of motion, structure, contacts */
    double work_loads, work_surface, work_circulatory, loss_damping, loss_friction, loss_contact;
    double loss_impact; /* of rigid contacts, friction within the impact included, as in `motion` */
    double moved;       /* sum of all work and losses, in size */
} am_march_energy;

/* Moments at which contact 1 is pressed in most (section 0), or has gone furthest along its tangent (section 1). */
typedef struct am_march_returns {
    size_t count;          /* all */
    double *t;             /* AM_MARCH_RETURNS, the last ones in a ring */
    double *y;             /* AM_MARCH_RETURNS x size */
    double *low, *high;    /* AM_MARCH_RETURNS x size: extremes since the return before */
    double *least, *most;  /* size: since the last return */
    double before;         /* the rate that vanishes at a return, at the end of the last span */
    size_t peaks;          /* before the first switch */
    double *peak_t, *peak; /* AM_MARCH_PEAKS: penetration beyond that of the equilibrium */
} am_march_returns;

typedef struct am_march_recorder {
    am_arena memory;
    am_march *march;
    const am_march_options *options;
    double record_from, rest_depth;
    bool from_equilibrium;
    const am_result *result;
    am_table *events, *samples;
    size_t next_sample, next_check;
    double *series;          /* samples: N of contact 1 */
    double *check;           /* AM_MARCH_CHECKS x size; NULL: none are kept */
    double *y;               /* size */
    am_contact_state *shown; /* m: of the sample at hand */
    am_march_energy energy;
    am_march_returns returns[AM_MARCH_SECTIONS];
    size_t lift_offs, impacts, sticks, slips, changes;
    double first_lift_off, least_normal, most_normal;
} am_march_recorder;

/* Tables are made in `result`; NULL: only what a check needs is kept. */
am_status am_march_record_init(am_march_recorder *recorder, am_march *march, const am_march_options *options,
                               am_result *result, am_error *err);
void am_march_record_clear(am_march_recorder *recorder);

/* The state at the start was decided. */
void am_march_record_start(am_march_recorder *recorder);
/* The span just passed, before what ends it; the switches that ended it. */
am_status am_march_record_span(am_march_recorder *recorder, am_error *err);
am_status am_march_record_switches(am_march_recorder *recorder, am_error *err);
am_status am_march_record_end(am_march_recorder *recorder, am_error *err);

/* summary.c: the summary and the table `spectrum`. */
am_status am_march_summarise(am_march_recorder *recorder, am_result *result, am_error *err);
/* What does not balance, as a part of the energy moved. */
double am_march_energy_residual(const am_march_recorder *recorder);

#endif
