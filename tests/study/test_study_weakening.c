/* Friction that weakens with slip in study files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "study_text.h"

#define BLOCK(friction, analysis)                                                                                      \
    "model:\n"                                                                                                         \
    "  kind: structure\n"                                                                                              \
    "  stiffness: [[3, 0], [0, 1]]\n"                                                                                  \
    "  contacts:\n"                                                                                                    \
    "    - {name: sole, tangent: [1, 0], normal: [0, 1], " friction "}\n"                                              \
    "  loads:\n"                                                                                                       \
    "    - {direction: [3, 0], ramp: 1}\n"                                                                             \
    "    - {direction: [0, -2], constant: 1}\n"                                                                        \
    "analysis: {kind: " analysis "}\n"

#define STEPS "path, until: 2, method: incremental, steps: 20"

/* k = 3, N = 2: it ends where 3 (2 - x) = f(x) 2, at the end of the fall 3 (2 - x) = 0.4. */
static void a_block_with_a_law_slides_to_its_equilibrium(void **state) {
    (void)state;
    const char *const laws[] = {
        BLOCK("friction: 0.2, static_friction: 0.6, weakening: {law: ramp, length: 0.5}", STEPS),
        BLOCK("friction: 0.2, static_friction: 0.6, weakening: {law: step, length: 0.8}", STEPS),
        BLOCK("friction: 0.2, weakening: {law: table, points: [[0, 0.6], [1, 0.2]]}", STEPS),
        BLOCK("weakening: {law: table, points: [[0, 0.6], [1, 0.2]]}", STEPS),
    };
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        am_run *made = run_text(laws[i]);
        assert_near(scalar(made, "jumps"), 0.0, 0.0);
        /* Work of friction: 2 times the area under the law, 0.6 to 0.2 over 1 or at 0.8, then 0.2. */
        double extra = i == 1 ? 0.4 * 0.8 : 0.4 * 0.5, slip = 2.0 - 0.4 / 3.0;
        assert_near(scalar(made, "loss_friction"), 2.0 * (0.2 * slip + extra), 1e-10);
        am_run_free(made);
    }
}

static void what_show_writes_means_the_same(void **state) {
    (void)state;
    const char *const laws[] = {
        BLOCK("friction: 0.2, static_friction: 0.6, weakening: {law: exponential, length: 0.5}", STEPS),
        BLOCK("weakening: {law: table, points: [[0, 0.6], [0.25, 0.4], [1, 0.2]]}", STEPS)};
    for (size_t i = 0; i < 2; i++) {
        am_error err = {0};
        am_study *study = read_text(laws[i]);
        char *shown = am_study_show(study, &err);
        assert_non_null(shown);
        assert_non_null(strstr(shown, i ? "weakening: {law: table, points: [[" : "weakening: {law: exponential"));
        am_run *first = run_text(laws[i]), *again = run_text(shown);
        assert_near(scalar(first, "loss_friction"), scalar(again, "loss_friction"), 0.0);
        am_run_free(first);
        am_run_free(again);
        free(shown);
        am_study_free(study);
    }
}

static void many_contacts_and_nodes_have_the_law_too(void **state) {
    (void)state;
    am_run *rows = run_text("model:\n  kind: structure\n  stiffness: [[3, 0], [0, 1]]\n"
                            "  contact_rows: {normal: [[0, 1]], tangent: [[1, 0]], friction: 0.2, static_friction: "
                            "0.6, surface_velocity: 0, preload: 2, weakening: {law: ramp, length: 0.5}}\n"
                            "  loads: [{direction: [3, 0], ramp: 1}]\nanalysis: {kind: " STEPS "}\n");
    am_run *nodes = run_text("model:\n  kind: nodes\n  A: [[3]]\n  B: [[0]]\n  mu: 0.2\n  static_mu: 0.6\n"
                             "  weakening: {law: ramp, length: 0.5}\n"
                             "  weld: {tangential: [{ramp: -3}], normal: [2]}\nanalysis: {kind: " STEPS "}\n");
    double loss = 2.0 * (0.2 * (2.0 - 0.4 / 3.0) + 0.4 * 0.5);
    assert_near(scalar(rows, "loss_friction"), loss, 1e-10);
    assert_near(scalar(nodes, "loss_friction"), loss, 1e-10);
    am_run_free(rows);
    am_run_free(nodes);
}

static void refuse(const char *text, const char *words) {
    am_error err = {0};
    am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
    if (study)
        fail_msg("this was read: %s", text);
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_says(&err, "test.yaml:");
    assert_says(&err, words);
}

static void wrong_laws_are_refused_where_they_stand(void **state) {
    (void)state;
    refuse(BLOCK("static_friction: 0.6", STEPS), "needs the key 'friction'");
    refuse(BLOCK("friction: 0.2, static_friction: 0.6, weakening: {law: ramp}", STEPS), "needs the key 'length'");
    refuse(BLOCK("friction: 0.2, weakening: {law: ramp, length: 1}", STEPS), "falls from static_friction");
    refuse(BLOCK("friction: 0.2, static_friction: 0.6, weakening: {law: ramp, length: -1}", STEPS), "positive");
    refuse(BLOCK("friction: 0.2, static_friction: 0.6, weakening: {law: slope, length: 1}", STEPS), "slope");
    refuse(BLOCK("weakening: {law: table}", STEPS), "needs the key 'points'");
    refuse(BLOCK("weakening: {law: table, length: 1, points: [[0, 1], [1, 0.5]]}", STEPS), "not for law: table");
    refuse(BLOCK("friction: 0.2, static_friction: 0.6, weakening: {law: step, length: 1, points: [[0, 1]]}", STEPS),
           "table only");
    refuse(BLOCK("weakening: {law: table, points: [[0, 1, 2], [1, 0.5, 2]]}", STEPS), "two columns");
    refuse(BLOCK("weakening: {law: table, points: [[0, 0.6], [0, 0.2]]}", STEPS), "point 2");
    refuse(BLOCK("friction: 0.3, weakening: {law: table, points: [[0, 0.6], [1, 0.2]]}", STEPS), "0.3 here and 0.2");
    refuse("model:\n  kind: nodes\n  A: [[3]]\n  B: [[0]]\n  mu: 0.2\n  static_mu: 0.6\n  constraints: {rest_minus: "
           "[1], rest_plus: [-1], sequence: [[\"1+\", 0.5]]}\nanalysis: {kind: " STEPS "}\n",
           "weld forces");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_with_a_law_slides_to_its_equilibrium),
        cmocka_unit_test(what_show_writes_means_the_same),
        cmocka_unit_test(many_contacts_and_nodes_have_the_law_too),
        cmocka_unit_test(wrong_laws_are_refused_where_they_stand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
