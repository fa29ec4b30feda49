#include "engines/quasistatic/candidates.h"

#include "system/system.h"

void am_choice_add(am_choice *choice, am_contact_state state) {
    choice->state[choice->count++] = state;
}

bool am_choice_allows(const am_choice *choice, am_contact_state state) {
    for (size_t i = 0; i < choice->count; i++)
        if (choice->state[i] == state)
            return true;
    return false;
}

size_t am_candidates_count(const am_choice *choices, size_t m) {
    size_t count = 1;
    for (size_t c = 0; c < m; c++) {
        count *= choices[c].count; /* at most 4 * budget: no overflow */
        if (count > AM_CANDIDATES_BUDGET)
            return 0;
    }
    return count;
}

void am_candidates_get(const am_choice *choices, size_t m, size_t index, am_contact_state *state) {
    for (size_t c = m; c-- > 0;) {
        state[c] = choices[c].state[index % choices[c].count];
        index /= choices[c].count;
    }
}

void am_candidates_name(am_text *text, const am_contact_state *state, size_t m) {
    for (size_t c = 0; c < m; c++) {
        am_text_add(text, c > 0 ? "," : "");
        am_text_add(text, am_contact_state_name(state[c]));
    }
}

void am_candidates_forces(const am_combination *combination, const am_system *system, const double *lambda,
                          const double *held, double *normal, double *tangential) {
    for (size_t c = 0; c < combination->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        size_t normal_row = combination->normal_row[c], stick_row = combination->stick_row[c];
        normal[c] = normal_row != AM_NO_ROW ? lambda[normal_row] : contact->normal_law == AM_HELD ? held[c] : 0.0;
        tangential[c] = stick_row != AM_NO_ROW ? lambda[stick_row]
                                               : am_slip_sign(combination->state[c]) * contact->friction * normal[c];
    }
}
