/* Is a motion that has not repeated so far shown to be aperiodic? Asked after 1000 returns and every four times as
 * many: when two answers in a row say so, the search for an orbit ends. See docs/orbit.md, section 6. */
#ifndef AMONTONS_ANALYSES_ORBIT_APERIODIC_H
#define AMONTONS_ANALYSES_ORBIT_APERIODIC_H
#include "analyses/orbit/exponent.h"

typedef struct am_aperiodic {
    size_t next;    /* return at which it is asked again; 0: never */
    double near[2]; /* sums of logarithms: how near the motion came to repeating, in the second and the last quarter */
    size_t looked[2]; /* of as many returns */
    bool suspected;   /* the last answer was yes */
} am_aperiodic;

am_aperiodic am_aperiodic_begin(bool ask);

/* Shall the distance to the nearest of the last returns be noted at this return? It is given as a part of the state. */
bool am_aperiodic_looks(const am_aperiodic *aperiodic, size_t returns);
void am_aperiodic_note(am_aperiodic *aperiodic, size_t returns, double nearest);

/* Shall the exponent be measured at this return, and what does it say together with the distances noted? True:
 * aperiodic, with a sentence. */
bool am_aperiodic_is_due(const am_aperiodic *aperiodic, size_t returns);
bool am_aperiodic_judge(am_aperiodic *aperiodic, size_t returns, const am_exponent *exponent, char *text, size_t size);

#endif
