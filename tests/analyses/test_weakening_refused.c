/* No analysis ignores friction that weakens with slip: `path` by load steps, `motion`, what follows motions (`cells`:
 * tests/analyses/test_cells.c) and `march` know it, questions about steady sliding and `response` take it as fallen for
 * good, all others refuse it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/amontons.h"
#include "base/result_reuse.h"
#include "errors.h"
#include "papers/twofold.h"
#include "study/analyses.h"

/* Two masses with a contact each, of a law that rises and falls again: its largest coefficient is also its last, so
 * that nothing but the law itself gives it away. */
static am_system *weakening_system(void) {
    const double slip[] = {0.0, 1.0, 2.0}, coefficient[] = {0.3, 0.2, 0.3};
    const double K[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2};
    const double M[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double rows[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}, push[4] = {1, 1, -1, -1};
    am_error err = {0};
    am_matrix *stiffness = am_matrix_dense(4, 4, K, &err), *mass = am_matrix_dense(4, 4, M, &err);
    am_contact_def contacts[2];
    for (size_t c = 0; c < 2; c++) {
        contacts[c] = am_contact_def_default();
        contacts[c].name = c ? "right" : "left";
        contacts[c].tangent = rows[c];
        contacts[c].normal = rows[2 + c];
        contacts[c].weakening =
            (am_friction){.law = AM_FRICTION_TABLE, .count = 3, .slip = slip, .coefficient = coefficient};
    }
    am_load_def load = {push, am_function_sine(1.0, 0.5, 0.0)};
    am_system_def def = am_system_def_default();
    def.n = 4;
    def.stiffness = stiffness;
    def.mass = mass;
    def.contact_count = 2;
    def.contacts = contacts;
    def.load_count = 1;
    def.loads = &load;
    am_system *system = am_system_create(&def, &err);
    if (!system)
        fail_msg("%s", err.message);
    am_matrix_free(stiffness);
    am_matrix_free(mass);
    return system;
}

static void expect_refusal(const char *name, am_status status, const am_error *err) {
    if (status != AM_ERR_UNSUPPORTED)
        fail_msg("%s does not refuse friction that weakens: %d %s", name, (int)status, err->message);
    assert_says(err, "weakens with slip");
    assert_says(err, "'left'");
    assert_says(err, "method: incremental");
}

#define REFUSED(name, call)                                                                                            \
    do {                                                                                                               \
        am_error err_ = {0}, *err = &err_;                                                                             \
        expect_refusal(name, (call), err);                                                                             \
    } while (0)

static void every_analysis_of_a_structure_says_what_to_use_instead(void **state) {
    (void)state;
    am_system *s = weakening_system();
    am_error none = {0};
    am_result *r = am_result_create(&none);
    am_states_options states = am_states_options_default();
    am_path_options path = am_path_options_default();
    path.until = 1.0;
    am_motion_options motion = am_motion_options_default();
    motion.until = 1.0;
    am_march_options march = am_march_options_default();
    march.until = 1.0;
    am_shakedown_options shakedown = am_shakedown_options_default();
    am_twofold_options twofold = am_twofold_options_default();
    am_uniqueness unique;
    double factor[2];
    REFUSED("states", am_states_run(s, &states, r, NULL, err));
    REFUSED("path", am_path_run(s, &path, r, NULL, err));
    REFUSED("shakedown", am_shakedown_run(s, &shakedown, r, NULL, err));
    REFUSED("twofold", am_twofold_run(s, &twofold, r, NULL, err));
    REFUSED("uniqueness", am_uniqueness_test(s, 0, &unique, err));
    REFUSED("critical friction", am_uniqueness_critical(s, 1.0, 0, factor, err));
    am_error err = {0};
    assert_null(am_verify_create(s, NULL, &err));
    expect_refusal("verify", err.status, &err);
    path.method = AM_PATH_INCREMENTAL;
    GOOD(am_path_run(s, &path, r, NULL, err));
    am_result_clear(r);
    GOOD(am_motion_run(s, &motion, r, NULL, err));
    am_result_clear(r);
    march.method = AM_MARCH_MOREAU_JEAN;
    march.step = 0.1;
    GOOD(am_march_run(s, &march, r, NULL, err));
    am_result_free(r);
    am_system_free(s);
}

/* Whoever adds an analysis adds it to the tests above, or shows that it takes no structure with contacts. */
static void the_list_of_analyses_is_complete(void **state) {
    (void)state;
    static const char *const known[] = {"motion", "path",      "states",  "stability", "attractors", "orbit",
                                        "cells",  "shakedown", "twofold", "march",     "squeal",     "response",
                                        "design", "atlas",     "slip",    "backbone"};
    size_t count = 0;
    while (am_analysis_kinds[count])
        count++;
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            found = found || strcmp(am_analysis_kinds[i]->schema->name, known[k]) == 0;
        if (!found)
            fail_msg("does the analysis %s refuse friction that weakens with slip?",
                     am_analysis_kinds[i]->schema->name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_analysis_of_a_structure_says_what_to_use_instead),
        cmocka_unit_test(the_list_of_analyses_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
