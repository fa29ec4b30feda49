/* `states` with question sliding. */
#ifndef AMONTONS_ANALYSES_STATES_SLIDING_H
#define AMONTONS_ANALYSES_STATES_SLIDING_H
#include "amontons/states.h"

am_status am_states_sliding(const am_system *system, const am_states_options *options, am_result *result,
                            const am_progress *progress, am_error *err);

#endif
