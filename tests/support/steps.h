/* Moving on with a motion, in tests that fail where it cannot go on. */
#ifndef AMONTONS_TESTS_STEPS_H
#define AMONTONS_TESTS_STEPS_H
#include "amontons/motion.h"

am_step_kind next_step(am_motion *motion, double until);
bool next_event(am_motion *motion, double until); /* false when `until` comes first */
void run_until(am_motion *motion, double until);

#endif
