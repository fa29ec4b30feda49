/* Which combination of contact states passes a test? */
#include <string.h>

#include "base/try.h"
#include "engines/quasistatic/quasistatic.h"

/* Solve combination e->trial. *regular: it has a solution at all. */
static am_status solve_trial(am_path_engine *e, const am_path_test *test, bool *regular, am_error *err) {
    am_status status = am_path_combination(e, e->trial, &e->tried, err);
    *regular = !status && e->tried->k.condition > 0.0 && !am_path_surfaces_contradict(e, &e->tried->k);
    if (*regular && e->tried->split)
        status = am_path_bind(e, err);
    *regular = *regular && !status;
    if (*regular)
        test->solve(e);
    return status;
}

am_status am_path_try(am_path_engine *engine, const am_path_test *test, bool *passes, am_error *err) {
    am_path_engine *e = engine;
    am_status status = solve_trial(e, test, passes, err);
    for (size_t c = 0; c < e->m && *passes; c++)
        *passes = test->better(e, c) == e->trial[c];
    return status;
}

am_status am_path_try_index(am_path_engine *engine, const am_path_test *test, size_t index, bool *passes,
                            am_error *err) {
    am_candidates_get(engine->choices, engine->m, index, engine->trial);
    return am_path_try(engine, test, passes, err);
}

am_status am_path_enumerate(am_path_engine *engine, const am_path_test *test, size_t total,
                            const am_contact_state *wanted, bool prefer, am_path_rank *rank, bool *differ,
                            am_error *err) {
    am_path_engine *e = engine;
    size_t best = 0;
    bool skipped = false;
    *rank = AM_PATH_NONE;
    *differ = false;
    for (size_t round = 0; round < 2 && *rank == AM_PATH_NONE && (round == 0 || skipped); round++)
        for (size_t i = 0; i < total; i++) {
            bool admissible;
            AM_TRY(am_path_try_index(e, test, i, &admissible, err));
            bool is_wanted = wanted && memcmp(e->trial, wanted, e->m * sizeof *wanted) == 0;
            bool clamps = admissible && e->tried->clamps && !is_wanted && round == 0;
            skipped = skipped || clamps;
            if (!admissible || clamps)
                continue;
            *differ = *differ || (*rank != AM_PATH_NONE && !test->same(e));
            am_path_rank own = is_wanted                      ? AM_PATH_WANTED
                               : prefer && test->preferred(e) ? AM_PATH_PREFERRED
                                                              : AM_PATH_FIRST;
            if (own <= *rank)
                continue;
            best = i;
            *rank = own;
            e->chosen_shares = e->tried->split != NULL;
            test->choose(e);
        }
    if (*rank != AM_PATH_NONE)
        am_candidates_get(e->choices, e->m, best, e->trial);
    return AM_OK;
}

am_status am_path_pivot(am_path_engine *engine, const am_path_test *test, const bool *fixed, bool *found,
                        bool *satisfied, am_error *err) {
    am_path_engine *e = engine;
    size_t most = 64 + 16 * e->m;
    *found = *satisfied = false;
    for (size_t i = 0; i < most && !*found; i++) {
        bool regular;
        am_status status = solve_trial(e, test, &regular, err);
        if (status || !regular)
            return status;
        *found = *satisfied = true;
        for (size_t c = 0; c < e->m && *found; c++) {
            am_contact_state instead = test->better(e, c);
            if (instead == e->trial[c])
                continue;
            *satisfied = false;
            if (fixed && fixed[c])
                continue;
            *found = false;
            if (!am_choice_allows(&e->choices[c], instead))
                return AM_OK;
            e->trial[c] = instead;
        }
    }
    return AM_OK;
}

am_status am_path_fail_with_names(am_path_engine *engine, const am_path_test *test, size_t total, am_status failure,
                                  const char *what, am_error *err) {
    am_path_engine *e = engine;
    am_text names = {0};
    am_status status = AM_OK;
    for (size_t i = 0; i < total && !status; i++) {
        bool passes;
        status = am_path_try_index(e, test, i, &passes, err);
        if (status || !passes)
            continue;
        am_text_add(&names, names.length > 0 ? "+" : "");
        am_candidates_name(&names, e->trial, e->m);
    }
    if (!status)
        status = am_text_status(&names, err);
    if (!status)
        status = am_fail(err, failure, "at t = %.10g %s: %s", e->t, what, am_text_view(&names));
    am_text_free(&names);
    return status;
}
