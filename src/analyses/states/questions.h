/* Questions of `states`, a file each. */
#ifndef AMONTONS_ANALYSES_STATES_QUESTIONS_H
#define AMONTONS_ANALYSES_STATES_QUESTIONS_H
#include "amontons/states.h"

/* question: sliding */
am_status am_states_sliding(const am_system *system, const am_states_options *options, am_result *result,
                            const am_progress *progress, am_error *err);

/* question: uniqueness */
am_status am_states_uniqueness(const am_system *system, const am_states_options *options, am_result *result,
                               const am_progress *progress, am_error *err);

/* What the questions refuse of a structure. */
am_status am_states_check(const am_system *system, const am_states_options *options, am_error *err);
am_status am_states_check_sliding(const am_system *system, am_error *err);

#endif
