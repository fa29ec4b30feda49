/* One finite step of the path engine to an equilibrium: the first instant and jumps use it. */
#ifndef AMONTONS_ENGINES_QUASISTATIC_STEP_H
#define AMONTONS_ENGINES_QUASISTATIC_STEP_H
#include "engines/quasistatic/engine.h"

/* Find the one equilibrium among e->choices, from the displacements e->reference. `wanted` (m, or NULL) is taken first
 * if it is admissible; else, when `stay`, one that does not move. AM_ERR_SEVERAL_STATES with their names otherwise. */
am_status am_path_step(am_path_engine *engine, const am_contact_state *wanted, bool stay, bool *found, am_error *err);

void am_path_allow_all(const am_path_engine *engine, size_t contact);

#endif
