/* Is every body held, at least while all contacts stick? And which motions strain nothing once contacts let go? */
#ifndef AMONTONS_SOLID_FREEDOM_H
#define AMONTONS_SOLID_FREEDOM_H
#include "solid/expansion.h"

/* AM_ERR_INPUT with the bodies and the rigid motion that nothing hinders. */
am_status am_freedom_check(const am_solid_def *def, const am_expansion *expansion, const am_mortar *mortar,
                           am_error *err);

/* Every body's rigid motions that supports and prescribed displacements allow, as coordinates y of the expansion (rows
 * of e->count numbers, *count of them, allocated in *motions): contacts slip and open as they must, the far end of a
 * drive's spring moves along, so that nothing is strained and K y = 0. */
am_status am_freedom_motions(const am_solid_def *def, const am_expansion *expansion, size_t *count, double **motions,
                             am_error *err);

#endif
