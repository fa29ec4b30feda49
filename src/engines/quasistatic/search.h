/* Which combination of contact states passes a test? The search is the same for rates and for finite steps; what
 * differs is how a combination is solved, and what a contact should do instead. */
#ifndef AMONTONS_ENGINES_QUASISTATIC_SEARCH_H
#define AMONTONS_ENGINES_QUASISTATIC_SEARCH_H
#include "engines/quasistatic/engine.h"

typedef struct am_path_test {
    void (*solve)(am_path_engine *engine); /* combination e->tried, which is not singular */
    /* The state contact c should be in; that of e->tried if it keeps all its inequalities. */
    am_contact_state (*better)(am_path_engine *engine, size_t contact);
} am_path_test;

/* Does combination e->trial pass? */
am_status am_path_try(am_path_engine *engine, const am_path_test *test, bool *passes, am_error *err);

/* Does combination number `index` of e->choices, which becomes e->trial? */
am_status am_path_try_index(am_path_engine *engine, const am_path_test *test, size_t index, bool *passes,
                            am_error *err);

/* Murty's rule: from e->trial on, the first contact that breaks an inequality changes its state, until none does. Ends
 * at the solution for P-matrices; elsewhere it may run in circles, and is given up. `fixed` contacts (m, or NULL) keep
 * their states: *found then says that all others are satisfied, and *satisfied that these are too. */
am_status am_path_pivot(am_path_engine *engine, const am_path_test *test, const bool *fixed, bool *found,
                        bool *satisfied, am_error *err);

/* The failure "at t = 1 `what`: stick,stick+backward,stick", with the names of all of `total` combinations that pass.
 */
am_status am_path_fail_with_names(am_path_engine *engine, const am_path_test *test, size_t total, am_status failure,
                                  const char *what, am_error *err);

#endif
