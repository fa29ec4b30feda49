/* From one visit of the section to a later one. Shared by closing (close.c), searching (find_orbit.c) and describing
 * (analyses/orbit.c) an orbit. */
#ifndef AMONTONS_ANALYSES_ORBIT_SECTION_WALK_H
#define AMONTONS_ANALYSES_ORBIT_SECTION_WALK_H
#include <stdint.h>

#include "amontons/orbit.h"

typedef struct am_walk {
    am_motion *engine;
    const am_orbit_return *how;
    double begin, until; /* until: timed, the end; otherwise as far as the engine may go in one step */
    bool armed;          /* self-excited: a switch of the right kind is a return (not the arrival at the section) */
    size_t returns;      /* visits of the section so far */
    size_t quiet;        /* steps since a contact last changed its state */
    size_t events;       /* since the last return */
    bool done;           /* how->returns were made */
} am_walk;

/* Put the engine on the section. how and engine are borrowed. */
am_status am_walk_begin(am_walk *walk, am_motion *engine, const am_orbit_return *how, const double *state,
                        am_error *err);

/* One step of the engine. AM_ERR_LIMIT after very many steps without any switch (self-excited only). */
am_status am_walk_step(am_walk *walk, am_step_kind *kind, am_error *err);

/* How far one step may go. It may be long where the motion is a polynomial, and the horizon keeps it finite; forces that
 * are not linear end a step by themselves, and may hold for far longer than linear ones would last. */
double am_walk_horizon(const am_motion *engine);

/* Does a return take a time that is given with the section? */
static inline bool am_walk_is_timed(const am_orbit_return *how) {
    return how->section == AM_SECTION_PERIOD || how->section == AM_SECTION_FREE;
}

/* Has the motion no period but its own? */
static inline bool am_orbit_is_self_excited(const am_orbit_return *how) {
    return how->section != AM_SECTION_PERIOD;
}

/* Put the engine at a state, ready to meet the section. */
am_status am_walk_start(am_motion *engine, const am_orbit_return *how, double t, const double *state, am_error *err);

/* Did the step just made end at the section: a switch of its kind, or a maximum? */
bool am_walk_at_section(const am_motion *engine, const am_orbit_return *how);

/* A fingerprint of the switches passed: mixes those of the engine's last step into `hash`. */
uint64_t am_walk_mix_switches(const am_motion *engine, uint64_t hash);

/* Largest |weight * state|: all parts of a state in one unit. */
double am_orbit_size(const am_motion *engine, const double *state);

/* The same of the difference of two states. */
double am_orbit_distance(const am_motion *engine, const double *a, const double *b);

/* Do all contacts that touch stick, and does at least one? */
bool am_orbit_all_stick(const am_contact_state *state, size_t m);

/* Directions in which a state may change while its contacts stay as they are: orthonormal rows in weighted coordinates
 * (basis: nd x nd, *count used). Fixed are the sliding velocity of contacts that stick, gap and its rate of unilateral
 * ones that touch, the stretch of the spring behind a slider that slips. work: 3 m x nd. */
am_status am_orbit_basis(am_motion *engine, const am_contact_state *state, double *work, double *basis, size_t *count,
                         am_error *err);

/* The engine's sensitivity in the directions of `count` rows of such a basis Z: Z W Phi W^-1 Z^T (count x count), W the
 * weights. work: nd x count. */
void am_orbit_reduce_sensitivity(am_motion *engine, const double *basis, size_t count, double *work, double *reduced);

/* Without contacts and followers every state is one where an orbit may begin: nothing can switch. */
bool am_walk_is_unheld(const am_motion *engine);

#endif
