/* Combinations of contact states as candidates: what each contact may do, all combinations of that, their names, and
 * the contact forces that belong to a solved one. Used by the quasi-static analyses. */
#ifndef AMONTONS_ENGINES_QUASISTATIC_CANDIDATES_H
#define AMONTONS_ENGINES_QUASISTATIC_CANDIDATES_H
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "system/combination.h"

/* Combinations beyond this are not enumerated: 4^8, seconds of work for a small structure. */
#define AM_CANDIDATES_BUDGET ((size_t)65536)

/* What one contact may do, in order of preference. */
typedef struct am_choice {
    size_t count;
    am_contact_state state[4];
} am_choice;

void am_choice_add(am_choice *choice, am_contact_state state);
bool am_choice_allows(const am_choice *choice, am_contact_state state);

/* How many combinations there are; 0 when the budget is exceeded. */
size_t am_candidates_count(const am_choice *choices, size_t m);

/* Combination number `index`: the last contact varies fastest. */
void am_candidates_get(const am_choice *choices, size_t m, size_t index, am_contact_state *state);

/* "stick,open" */
void am_candidates_name(am_text *text, const am_contact_state *state, size_t m);

/* Normal and tangential force (or force rate) of every contact (m each) from the multipliers (p); `held` (m) gives the
 * normal forces of held contacts. */
void am_candidates_forces(const am_combination *combination, const am_system *system, const double *lambda,
                          const double *held, double *normal, double *tangential);

#endif
