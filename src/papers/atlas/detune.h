/* Sites that are not tuned alike (mistuning, free ends): from the tuned companion, whose K_nn are all their mean, to
 * the structure itself, by one-harmonic balance with a free frequency and free phases. */
#ifndef AMONTONS_PAPERS_ATLAS_DETUNE_H
#define AMONTONS_PAPERS_ATLAS_DETUNE_H
#include "amontons/system.h"
#include "papers/atlas/sites.h"

typedef struct am_detune am_detune; /* of one thread */

/* `system`: the structure at the value the atlas is made at; borrowed. */
am_detune *am_detune_create(const am_system *system, am_error *err);
void am_detune_free(am_detune *detune);

/* w (n x 2) and *omega, a motion of the tuned companion, become one of the structure; *locks is false when there is
 * none on this way: the sites drift apart. */
am_status am_detune_climb(am_detune *detune, double *w, double *omega, bool *locks, am_error *err);

#endif
