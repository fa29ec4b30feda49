/* Impacts of many contacts at once. */
#ifndef AMONTONS_ENGINES_SWITCHING_IMPACT_H
#define AMONTONS_ENGINES_SWITCHING_IMPACT_H
#include "engines/switching/engine.h"

/* Is this contact touched by the impact? */
bool am_impact_takes_part(const am_motion *engine, size_t contact);

/* The states (engine->trial, of the contacts that take part) while the impulses act. *solved: there are any. */
am_status am_impact_states(am_motion *engine, bool elastic, bool *solved, am_error *err);

#endif
