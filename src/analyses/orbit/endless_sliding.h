/* Sliding without a switch: proof that it lasts for ever, and the way across it in one leap. See docs/orbit.md,
 * section 6.
 *
 * While every contact is open, or held and slipping, without springs behind sliders, the structure is free apart from
 * constant forces and its modes are independent. */
#ifndef AMONTONS_ANALYSES_ORBIT_ENDLESS_SLIDING_H
#define AMONTONS_ANALYSES_ORBIT_ENDLESS_SLIDING_H
#include "amontons/motion.h"

typedef struct am_endless_sliding am_endless_sliding;

/* For engines of one system. */
am_endless_sliding *am_endless_sliding_create(const am_motion *engine, am_error *err);
void am_endless_sliding_free(am_endless_sliding *sliding);

/* Is it proved that the present state of contact lasts for ever, the loads being constant from now on? False also where
 * no proof is known. */
bool am_endless_sliding_lasts(am_endless_sliding *sliding, const am_motion *engine);

/* Take an undamped motion (all contacts held and slipping, loads constant from now on) as far as it provably goes
 * without a switch, at most some thousand steps of a fraction of its shortest period. *passed: the time it went; 0
 * where it cannot go far. *direction (dimension; NULL: none): a disturbance carried along. */
am_status am_endless_sliding_leap(am_endless_sliding *sliding, am_motion *engine, double *direction, double *passed,
                                  am_error *err);

#endif
