/* `states` with question uniqueness. */
#ifndef AMONTONS_ANALYSES_STATES_UNIQUENESS_H
#define AMONTONS_ANALYSES_STATES_UNIQUENESS_H
#include "amontons/states.h"

am_status am_states_uniqueness(const am_system *system, const am_states_options *options, am_result *result,
                               const am_progress *progress, am_error *err);

#endif
