/* `preload:` of a structure: bolts, weight and centrifugal loads, then motions and modes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "scratch.h"

/* Three nodes on springs; masses that are coupled. */
static void write_files(void) {
    write_scratch("k.mtx",
                  "1,1,1,1,9\n1,3,1,3,9\n2,1,2,1,9\n2,2,2,2,9\n2,3,2,3,9\n3,3,3,3,9\n2,3,1,3,-1\n3,3,2,3,-2\n");
    write_scratch("m.mtx",
                  "1,1,1,1,2\n1,3,1,3,2\n2,1,2,1,3\n2,2,2,2,3\n2,3,2,3,3\n3,3,3,3,4\n2,3,1,3,0.5\n2,1,1,1,0.25\n");
    write_scratch("n.csv", "node,x,y,z,set\n1,1,0,0,A\n2,2,1,5,A\n3,0,3,1,B\n");
}

#define MODEL "model:\n  kind: structure\n  stiffness: {file: k.mtx}\n  mass: {file: m.mtx}\n  sets: {file: n.csv}\n"

static am_study *parse(const char *model, const char *analysis, am_error *err) {
    char text[2048];
    snprintf(text, sizeof text, MODEL "%s%s", model, analysis);
    return am_study_parse(in_scratch("s.yaml"), text, 0, NULL, false, err);
}

static am_study *good(const char *model, const char *analysis) {
    am_error err = {0};
    am_study *study = parse(model, analysis, &err);
    if (!study)
        fail_msg("%s", err.message);
    return study;
}

#define MOTION "analysis: {kind: motion, until: 1}\n"

/* Coordinates 1.1, 1.3, 2.1, 2.2, 2.3, 3.3. */
static void rows_are_assembled(void **state) {
    (void)state;
    write_files();
    am_study *study =
        good("  loads: [{direction: {\"1.1\": 1}, ramp: 2}]\n"
             "  preload:\n    - {direction: {A.3: -1}, constant: 7}\n    - {acceleration: [1, 10, -100]}\n"
             "    - {centrifugal: {axis: [0, 0, 2], point: [1, 0, 9], speed: 3}}\n",
             MOTION);
    const am_system *system = am_study_system(study);
    const double wanted[3][6] = {{0, -1, 0, 0, -1, 0},
                                 {2 + 0.25, -200 - 50, 0.25 + 3, 30, -50 - 300, -400},
                                 {9 * 0.25 * 1, 0, 9 * 3 * 1, 9 * 3 * 1, 0, 0}};
    assert_int_equal(am_system_loads(system), 4);
    for (size_t l = 0; l < 3; l++) {
        const am_load_def *load = am_system_load(system, 1 + l);
        assert_near(am_function_at(&load->function, 5.0), l == 0 ? 7.0 : 1.0, 0.0);
        for (size_t i = 0; i < 6; i++)
            assert_near(load->direction[i], wanted[l][i], 1e-13);
    }
    am_study_free(study);
}

static double last(const char *model, const char *analysis, const char *column) {
    am_error err = {0};
    am_study *study = good(model, analysis);
    am_run *run = am_study_run(study, NULL, &err);
    if (!run)
        fail_msg("%s", err.message);
    const am_table *samples = table_of(am_run_report(run)->result, "samples");
    double value = cell(samples, am_table_rows(samples) - 1, column);
    am_run_free(run);
    am_study_free(study);
    return value;
}

#define JOINT                                                                                                          \
    "  interfaces: [{from: [1], normal: [0, 0, 1], friction: 0.3, tangent: [1, 0, 0], law: spring, "                   \
    "contact_stiffness: 50, tangential_stiffness: 20}]\n  preload: [{direction: {\"1.3\": -1, \"1.1\": 0.4}, "         \
    "constant: 6}]\n"

/* Whole and reduced structures begin where the preload leaves them, unless the study says otherwise. */
static void motions_begin_there(void **state) {
    static const char *const starts[] = {"", ", initial: preloaded", ", initial: rest"};
    (void)state;
    write_files();
    for (size_t i = 0; i < 3; i++) {
        char analysis[128];
        snprintf(analysis, sizeof analysis, "analysis: {kind: motion, until: 2, samples: 3%s}\n", starts[i]);
        double whole = last(JOINT, analysis, "1.1");
        /* T = 0.3 N at most; N = 50 (6/(9 + 50)) but for the neighbours, which hold the node a little less. */
        assert_true(whole > (2.4 - 0.3 * 6.0) / 9.0 && whole < 2.4 / 9.0);
        assert_near(last(JOINT "  reduce: {modes: 3}\n", analysis, "1.1"), whole, 1e-12);
        snprintf(analysis, sizeof analysis, "analysis: {kind: march, until: 2, samples: 3%s}\n", starts[i]);
        assert_near(last(JOINT, analysis, "1.1"), whole, 1e-12);
    }
    double cold =
        last(JOINT, "analysis: {kind: motion, until: 2, samples: 3, initial: {velocity: {\"1.1\": 0}}}\n", "1.1");
    assert_true(fabs(cold - last(JOINT, "analysis: {kind: motion, until: 2, samples: 3}\n", "1.1")) > 1e-3);
}

/* What `show` prints begins there, too. */
static void shown_structures_begin_there(void **state) {
    am_error err = {0};
    (void)state;
    write_files();
    const char *analysis = "analysis: {kind: motion, until: 2, samples: 3}\n";
    am_study *study = good(JOINT, analysis);
    char *text = am_study_show(study, &err);
    assert_non_null(text);
    am_study *again = am_study_parse(in_scratch("s.yaml"), text, 0, NULL, false, &err);
    am_run *run = again ? am_study_run(again, NULL, &err) : NULL;
    if (!run)
        fail_msg("%s", err.message);
    assert_near(cell(table_of(am_run_report(run)->result, "samples"), 0, "1.1"), last(JOINT, analysis, "1.1"), 1e-12);
    am_run_free(run);
    am_study_free(again);
    am_study_free(study);
    am_output_text_free(text);
}

static double first_frequency(const char *model, const char *about) {
    am_error err = {0};
    char analysis[128];
    snprintf(analysis, sizeof analysis, "analysis: {kind: stability, preloaded: %s}\n", about);
    am_study *study = good(model, analysis);
    am_run *run = am_study_run(study, NULL, &err);
    if (!run)
        fail_msg("%s", err.message);
    double value = cell(table_of(am_run_report(run)->result, "squeal"), 0, "imaginary");
    am_run_free(run);
    am_study_free(study);
    return value;
}

/* The modes are those of the structure with the springs of the contact in its matrix, or with that along the normal alone. */
static void modes_are_those_of_the_closed_joint(void **state) {
    static const char *const matrix =
        "%d,1,1,1,%g\n1,3,1,3,59\n2,1,2,1,9\n2,2,2,2,9\n2,3,2,3,9\n3,3,3,3,9\n2,3,1,3,-1\n3,3,2,3,-2\n";
    (void)state;
    write_files();
    double stuck = first_frequency(JOINT, "stuck"), sliding = first_frequency(JOINT, "sliding");
    for (int sticks = 0; sticks < 2; sticks++) {
        char text[512];
        snprintf(text, sizeof text, matrix, 1, sticks ? 29.0 : 9.0);
        write_scratch("k.mtx", text);
        assert_near(first_frequency("", "stuck"), sticks ? stuck : sliding, 1e-12);
    }
}

static void mistakes_are_shown_where_they_stand(void **state) {
    static const struct {
        const char *preload, *says;
    } cases[] = {
        {"{constant: 3}", "a preload is one of {direction, constant}, {acceleration} and {centrifugal}"},
        {"{direction: {\"1.3\": 1}}", "a direction needs the key 'constant'"},
        {"{direction: {\"1.3\": 1}, acceleration: [0, 0, 1]}", "a preload is one of"},
        {"{direction: {\"1.2\": 1}, constant: 1}", "there is no coordinate 1.2"},
        {"{acceleration: [0, 1]}", "acceleration must have 3 numbers"},
        {"{acceleration: [0, 0, 1], constant: 2}", "only a direction has it"},
        {"{centrifugal: {axis: [0, 0, 0], speed: 1}}", "the axis must not be zero"},
        {"{centrifugal: {axis: [0, 0, 1]}}", "needs the key 'speed'"},
        {"{sine: {amplitude: 1, frequency: 1}}", "unknown key 'sine'"},
    };
    am_error err = {0};
    (void)state;
    write_files();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char model[512];
        snprintf(model, sizeof model, "  preload: [%s]\n", cases[i].preload);
        am_study *study = parse(model, MOTION, &err);
        if (study)
            fail_msg("case %zu was read", i);
        assert_int_equal(err.status, AM_ERR_INPUT);
        assert_says(&err, "s.yaml:6:");
        assert_says(&err, cases[i].says);
    }
    assert_null(am_study_parse(in_scratch("s.yaml"),
                               "model: {kind: structure, stiffness: [1], preload: [{acceleration: [0, 0, 1]}]}\n"
                               "analysis: {kind: path, until: 1}\n",
                               0, NULL, false, &err));
    assert_says(&err, "weight needs a mass");
    write_scratch("n.csv", "node,x,y,z,set\n1,1,0,0,A\n");
    assert_null(parse("  preload: [{centrifugal: {axis: [0, 0, 1], speed: 1}}]\n", MOTION, &err));
    assert_says(&err, "the place of node 2 is not known");
    assert_null(parse("", "analysis: {kind: stability, preloaded: stuck, state: stick}\n", &err));
    assert_says(&err, "give `preloaded` or `state`");
    assert_null(parse("", "analysis: {kind: motion, until: 1, initial: tired}\n", &err));
    assert_says(&err, "one of the words rest, preloaded");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_assembled),
        cmocka_unit_test(motions_begin_there),
        cmocka_unit_test(shown_structures_begin_there),
        cmocka_unit_test(modes_are_those_of_the_closed_joint),
        cmocka_unit_test(mistakes_are_shown_where_they_stand),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
