/* Periodic motions of structures that are linear between switches and whose normal forces are known from the state:
 * held contacts and the compliant law kelvin-voigt, with friction that is rigid, behind a spring, regularised, or none.
 * See docs/piecewise.md.
 *
 *     x' = A x + B z,   x = (q, q', s),   z' = G z
 *
 * s are the positions of sliders behind springs, A and B belong to one combination of contact states. Spans are passed
 * by matrix exponentials, so that stiff structures cost no more than others; derivatives are products of exponentials
 * and of what a switch does to neighbouring motions. An engine belongs to one thread; it keeps its exponentials while
 * the structure's matrices stay the same. */
#ifndef AMONTONS_ENGINES_PIECEWISE_PIECEWISE_H
#define AMONTONS_ENGINES_PIECEWISE_PIECEWISE_H
#include <stdbool.h>

#include "amontons/system.h"

typedef struct am_piecewise am_piecewise;

am_piecewise *am_piecewise_create(am_error *err);
void am_piecewise_free(am_piecewise *engine);

/* The structure from now on; it is borrowed. AM_ERR_UNSUPPORTED, with a sentence, for what the engine does not know:
 * rigid unilateral contacts, Hunt-Crossley, static friction above kinetic, polynomial springs, blows, directions
 * without mass, rigid friction contacts whose directions depend on each other. */
am_status am_piecewise_set(am_piecewise *engine, const am_system *system, am_error *err);

/* A closed motion, the engine's own until its next use. */
typedef struct am_piecewise_orbit {
    double period;
    size_t dimension;    /* 2 n + sliders behind springs */
    const double *state; /* at t = 0: q, q', positions of the sliders */
    double closing;      /* distance of the state after one period from the first, relative to the motion's size */
    bool strayed;        /* Newton's corrections grew on the way: it did not simply converge from the guess */
    size_t switches;
    size_t
        family; /* contacts that stick for good: their sliders may rest elsewhere; these multipliers, 1, are left out */
    size_t count; /* of multipliers, by decreasing modulus; a self-excited motion's trivial one is left out */
    const double *re, *im;
    double doubt;        /* rounding has moved none of them by more */
    int index;           /* (-1)^(multipliers above 1); 0: one of them is 1 within doubt */
    const double *first; /* n: amplitudes of the first harmonic, where they are asked for (`measure`) */
} am_piecewise_orbit;

/* What kind of motion is closed, and what is asked of it. */
typedef struct am_piecewise_question {
    bool self_excited; /* the period is an unknown too */
    bool odd;          /* the second half of the motion is the first one mirrored: `index` is that among such motions */
    bool measure;      /* the first harmonic is wanted; otherwise only a verdict */
} am_piecewise_question;

/* Close the motion next to a guess: q, q' at t = 0, and one stretch for every contact with a tangential stiffness.
 * AM_ERR_LIMIT, with a sentence, when no motion closes. */
am_status am_piecewise_close(am_piecewise *engine, double period, const double *guess,
                             const am_piecewise_question *question, am_piecewise_orbit *orbit, am_error *err);

#endif
