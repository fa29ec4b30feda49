/* What a quasi-static path can follow: checked before anything runs. */
#ifndef AMONTONS_ENGINES_QUASISTATIC_CHECK_H
#define AMONTONS_ENGINES_QUASISTATIC_CHECK_H
#include "amontons/system.h"

/* Corner to corner: continuous loads, friction that does not drop when slip begins. */
am_status am_path_check(const am_system *system, am_error *err);

/* By load steps: continuous loads. */
am_status am_path_check_steps(const am_system *system, am_error *err);

/* Loads that repeat together; *length: after which time. */
am_status am_path_check_cycle(const am_system *system, double *length, am_error *err);

/* Has the structure springs, or layers under contacts, that are not linear? Then nothing is condensed. */
bool am_path_is_curved(const am_system *system);

#endif
