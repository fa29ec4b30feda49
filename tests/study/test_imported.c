/* Studies of structures from finite elements: files of matrices, coordinates by labels and sets, reductions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "amontons/study.h"
#include "cases.h"
#include "errors.h"
#include "near.h"
#include "scratch.h"
#include "uniform.h"

#define BLADE "model: {kind: structure, stiffness: {file: blade.sti}, mass: {file: blade.mas}"

/* A study beside the samples. */
static am_study *parse(const char *text, am_error *err) {
    char name[512];
    snprintf(name, sizeof name, "%s/tests/data/imports/study.yaml", AMONTONS_SOURCE_DIR);
    return am_study_parse(name, text, 0, NULL, false, err);
}

static am_study *good(const char *text) {
    am_error err = {0};
    am_study *study = parse(text, &err);
    if (!study)
        fail_msg("%s", err.message);
    return study;
}

static size_t find(const am_system *system, const char *name) {
    for (size_t i = 0; i < am_system_size(system); i++)
        if (strcmp(am_system_name(system, i), name) == 0)
            return i;
    fail_msg("there is no coordinate %s", name);
    return 0;
}

static void coordinates_are_called_by_their_labels(void **state) {
    am_study *study = good(
        BLADE ", sets: {file: blade.inp},\n"
              "  contacts: [{normal: {\"51.3\": 1, node 49 z: -2}, tangent: {\"51.1\": 1}, friction: 0.3, gap: 1}],\n"
              "  loads: [{direction: {\"NALL.2\": 3}, constant: 1}]}\n"
              "analysis: {kind: motion, until: 1e-6, initial: {velocity: {\"51.3\": 2}}}\n"
              "expect: {t_end: 1e-6}\nfigure: {x: t, y: \"51.3\"}\n");
    const am_system *system = am_study_system(study);
    (void)state;
    assert_int_equal(am_system_size(system), 144);
    size_t three = find(system, "51.3"), other = find(system, "49.3"), one = find(system, "51.1");
    const am_contact_def *contact = am_system_contact(system, 0);
    const am_load_def *load = am_system_load(system, 0);
    for (size_t i = 0; i < 144; i++) {
        assert_near(contact->normal[i], i == three ? 1.0 : i == other ? -2.0 : 0.0, 0.0);
        assert_near(contact->tangent[i], i == one ? 1.0 : 0.0, 0.0);
        assert_near(load->direction[i], i % 3 == 1 ? 3.0 : 0.0, 0.0); /* y of the 48 nodes that can move */
    }
    /* The last row of the file: 144 144 of node 56. */
    assert_string_equal(am_system_name(system, 143), "56.3");
    am_study_free(study);
}

/* The interface of a reduced structure in other words than its own: in starts, expectations, figures and settings, and as
 * what a response is about. */
static void any_words_name_a_coordinate_everywhere(void **state) {
    static const char text[] =
        BLADE ", sets: {TIP: [51]}, reduce: {interface: [\"51.1\", \"51.3\"], modes: 1}, Omega: 100,\n"
              "  loads: [{direction: {node 51 z: 1}, sine: {amplitude: 1, multiple: 1}}]}\n"
              "analysis: {kind: motion, until: 1e-6,\n"
              "  initial: {displacement: {TIP.z: 0.5, node 51 x: 0.25}, velocity: {TIP.x: 2}}}\n"
              "also: {r: {kind: response, harmonics: 1, over: Omega, from: 100, to: 101, coordinate: 51 uz,\n"
              "  control: [{coordinate: TIP.z, amplitude: 1e-3, by: loads.0.sine.amplitude}]},\n"
              "  s: {kind: response, harmonics: 1, over: loads.0.direction.node 51 z, from: 1, to: 2}}\n"
              "expect: {\"samples[0].node 51 z\": 0.5, \"samples[0].TIP.x\": 0.25, \"samples[0].v_51.x\": 2.0,\n"
              "  \"r.branch[0].node 51 z_1\": {value: 1e-3, relative: 1e-9}}\n"
              "figure: {curves: [{x: node 51 x, y: v_TIP.x}, {table: r.branch, x: Omega, y: TIP.z_1},\n"
              "  {table: s.branch, x: loads.0.direction.51.3, y: amplitude}]}\n";
    const am_setting setting = {"model.loads.0.direction.51.z", "3"}, other = {"model.loads.0.direction.51.1", "4"};
    char name[512];
    am_error err = {0};
    (void)state;
    snprintf(name, sizeof name, "%s/tests/data/imports/study.yaml", AMONTONS_SOURCE_DIR);
    am_study *study = am_study_parse(name, text, 2, (am_setting[]){setting, other}, false, &err);
    if (!study)
        fail_msg("%s", err.message);
    const am_system *system = am_study_system(study);
    assert_near(am_system_load(system, 0)->direction[find(system, "51.3")], 3.0, 0.0);
    assert_near(am_system_load(system, 0)->direction[find(system, "51.1")], 4.0, 0.0);
    am_run *run = am_study_run(study, NULL, &err);
    if (!run)
        fail_msg("%s", err.message);
    const am_report *report = am_run_report(run);
    assert_int_equal(report->expectation_count, 4);
    for (size_t i = 0; i < 4; i++)
        if (!report->expectations[i].ok)
            fail_msg("%s is %s", report->expectations[i].name, report->expectations[i].got);
    am_run_free(run);
    am_study_free(study);
}

/* What `show` prints has labels as names, and is the same structure. */
static void shown_structures_keep_their_labels(void **state) {
    am_study *study = good(BLADE ", reduce: {interface: [\"51.3\", \"51.1\"], modes: 2},\n"
                                 "  loads: [{direction: {\"50.2\": 1}, constant: 1}]}\n"
                                 "analysis: {kind: motion, until: 1}\n");
    am_error err = {0};
    char *text = am_study_show(study, &err);
    (void)state;
    assert_non_null(text);
    am_study *again = good(text);
    const am_system *one = am_study_system(study), *other = am_study_system(again);
    assert_int_equal(am_system_size(one), 5); /* two, two modes and the shape of the load */
    assert_int_equal(am_system_size(other), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(am_system_name(one, i), am_system_name(other, i));
        for (size_t j = 0; j < 5; j++)
            assert_near(am_matrix_at(am_system_mass(one), i, j), am_matrix_at(am_system_mass(other), i, j), 0.0);
    }
    assert_string_equal(am_system_name(one, 0), "51.1");
    assert_string_equal(am_system_name(one, 4), "mode3");
    am_output_text_free(text);
    am_study_free(study);
    am_study_free(again);
}

static void mistakes_are_shown_where_they_stand(void **state) {
    static const struct {
        const char *text, *says;
    } cases[] = {
        {BLADE ", loads: [{direction: {\"51.4\": 1}, constant: 1}]}\n",
         "there is no coordinate 51.4; the directions of node 51 are 1, 2, 3"},
        {BLADE ", loads: [{direction: {\"3.1\": 1}, constant: 1}]}\n", "there is no node 3 among the labels"},
        {BLADE ", loads: [{direction: {TIP: 1}, constant: 1}]}\n", "'TIP' is no coordinate"},
        {BLADE ", sets: {file: blade.inp}, loads: [{direction: {ROOT.1: 1}, constant: 1}]}\n",
         "none of the 8 nodes of the set ROOT can move"},
        {BLADE ", loads: [{direction: [1, 2], constant: 1}]}\n", "must have one number per coordinate: 144, not 2"},
        {BLADE ", loads: [{direction: {\"51.1\": x}, constant: 1}]}\n", "direction of 51.1 must be a number"},
        {BLADE ", reduce: {interface: [\"51.9\"], modes: 2}}\n", "there is no coordinate 51.9"},
        {BLADE ", reduce: {interface: [\"51.1\"], modes: 200}}\n", "143 coordinates inside"},
        {BLADE ", reduce: {interface: [\"51.1\"], modes: many}}\n", "modes must be a number"},
        {BLADE ", sets: {ALL: [50, 51]}, prescribed: [{coordinate: ALL.z, constant: 0}]}\n",
         "'ALL.z' names 2 coordinates; expected one"},
        {BLADE ", prescribed: [{coordinate: \"51.7\", constant: 0}]}\n", "there is no coordinate 51.7"},
        {"model: {kind: structure, stiffness: {file: blade.sti, format: abaqus}}\n",
         "blade.sti:1: expected 'node, direction"},
        {"model: {kind: structure, stiffness: {file: blade.sti}, mass: {file: chain12_dmig_long_ifo6_tin2.pch}}\n",
         "is not in the stiffness"},
        {"model: {kind: structure, stiffness: {file: chain12_dmig_long_ifo6_tin2.pch, name: KAAY}}\n",
         "unknown matrix 'KAAY'"},
        {"model: {kind: structure, stiffness: {file: ../imports.mtx}}\n", "does not lie in the folder"},
        {BLADE ", labels: {file: blade.inp}}\n", "is no label"},
        {"model: {kind: klarbring, stiffness: [[1, 0], [0, 1]], friction: 0.2, loads: [{direction: {u1: 1}, ramp: "
         "1}]}\n",
         "must be a list of 2 numbers"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_error err = {0};
        char text[2048];
        snprintf(text, sizeof text, "%sanalysis: {kind: motion, until: 1}\n", cases[i].text);
        am_study *study = parse(text, &err);
        if (study)
            fail_msg("case %zu was read", i);
        assert_int_equal(err.status, AM_ERR_INPUT);
        assert_says(&err, "study.yaml:1:");
        assert_says(&err, cases[i].says);
    }
}

/* Sets: of a deck with GENERATE and other sets in it, of a table, of the study. */
static void sets_come_from_decks_tables_and_studies(void **state) {
    static const char *const sets[] = {"{file: sets.inp}", "{file: sets.csv}", "{END: [3, 4]}"};
    (void)state;
    write_scratch("sets.inp",
                  "*HEADING\nEND of it\n*NODE, NSET=ALL\n1, 0, 0\n2, 1, 0\n3, 2, 0\n4, 3, 0\n"
                  "*NSET, NSET=LAST, GENERATE\n4, 4\n** a comment\n*NSET, NSET=END\n3,\nLAST\n*STEP\n1, 2\n");
    write_scratch("sets.csv", "node,x,y,set\n1,0,0,\n2,1,0,MID\n3,2,0,MID END\n4,3,0,END\n");
    write_scratch("k.mtx",
                  "1,1, 1,1, 2\n2,1, 2,1, 2\n3,1, 3,1, 2\n4,1, 4,1, 2\n2,1, 1,1, -1\n3,1, 2,1, -1\n4,1, 3,1, -1\n");
    for (size_t i = 0; i < 3; i++) {
        char text[512];
        am_error err = {0};
        snprintf(
            text, sizeof text,
            "model: {kind: structure, stiffness: {file: k.mtx}, sets: %s, loads: [{direction: {END: 2}, ramp: 1}]}\n"
            "analysis: {kind: path, until: 1}\n",
            sets[i]);
        am_study *study = am_study_parse(in_scratch("s.yaml"), text, 0, NULL, false, &err);
        if (!study)
            fail_msg("%s", err.message);
        const double *direction = am_system_load(am_study_system(study), 0)->direction;
        for (size_t k = 0; k < 4; k++)
            assert_near(direction[k], k >= 2 ? 2.0 : 0.0, 0.0);
        am_study_free(study);
    }
}

static double last_of(const am_run *run, const char *name) {
    const am_result *result = am_run_report(run)->result;
    const am_table *table = am_result_find_table(result, "samples");
    assert_non_null(table);
    for (size_t c = 0; c < am_table_columns(table); c++)
        if (strcmp(am_table_column_name(table, c), name) == 0)
            return am_table_number(table, am_table_rows(table) - 1, c);
    fail_msg("there is no column %s", name);
    return 0.0;
}

/* A chain with a slider: with all modes the reduced structure moves as the whole one. */
static void reduced_structures_move_as_the_whole(void **state) {
    uint64_t seed = 9;
    (void)state;
    for (size_t round = 0; round < CASES(6, 2); round++) {
        double where[2];
        for (int reduced = 0; reduced < 2; reduced++) {
            uint64_t draw = seed + round;
            char text[2048], matrix[512] = "";
            double k[6];
            for (size_t i = 0; i < 6; i++)
                k[i] = uniform(&draw, 0.5, 2.0);
            for (size_t i = 0; i < 5; i++) {
                snprintf(matrix + strlen(matrix), sizeof matrix - strlen(matrix), "%s[", i ? ", " : "");
                for (size_t j = 0; j < 5; j++)
                    snprintf(matrix + strlen(matrix), sizeof matrix - strlen(matrix), "%s%.17g", j ? ", " : "",
                             i == j       ? k[i] + k[i + 1]
                             : j == i + 1 ? -k[j]
                             : i == j + 1 ? -k[i]
                                          : 0.0);
                strcat(matrix, "]");
            }
            snprintf(text, sizeof text,
                     "model: {kind: structure, stiffness: [%s], mass: [1, 2, 1, 1, 2], names: [a, b, c, d, e],\n"
                     "  %scontacts: [{tangent: {b: 1}, friction: 0.3, law: held, hold: {constant: 0.5}}],\n"
                     "  loads: [{direction: {d: 1}, sine: {amplitude: 0.4, frequency: %g}}]}\n"
                     "analysis: {kind: motion, until: 12, samples: 5}\n",
                     matrix, reduced ? "reduce: {interface: [e], modes: 3, watch: [], method: rubin}, " : "",
                     uniform(&draw, 0.4, 1.5));
            am_study *study = good(text);
            assert_int_equal(am_system_size(am_study_system(study)), 5);
            am_error err = {0};
            am_run *run = am_study_run(study, NULL, &err);
            if (!run)
                fail_msg("%s", err.message);
            where[reduced] = last_of(run, "e");
            am_run_free(run);
            am_study_free(study);
        }
        assert_near(where[1], where[0], 1e-9); /* roundings of two bases, a few switches later */
    }
}

/* ---- the command ---- */

/* What `amontons import ARGUMENTS` prints; returns its exit status. */
static int run_import(const char *arguments, char *printed, size_t size) {
    char command[2048];
    snprintf(command, sizeof command, "cd '%s' && '%s' import %s 2>&1", in_scratch("."), AMONTONS_COMMAND, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(printed, 1, size - 1, pipe);
    printed[length] = '\0';
    return WEXITSTATUS(pclose(pipe));
}

static void import_writes_a_study_that_runs(void **state) {
    char printed[8192], command[2048];
    (void)state;
    write_scratch("k.mtx", "1,1, 1,1, 2\n2,1, 2,1, 2\n2,1, 1,1, -1\n");
    write_scratch("m.mtx", "1,1, 1,1, 1\n2,1, 2,1, 1\n");
    assert_int_equal(run_import("stiffness=k.mtx mass=m.mtx --json --out .", printed, sizeof printed), 0);
    assert_non_null(strstr(printed, "\"coordinates\":\t2"));
    assert_non_null(strstr(printed, "\"warnings\":\t[]"));
    double first = 0.0, second = 0.0;
    assert_int_equal(sscanf(strstr(printed, "\"frequencies\""), "\"frequencies\": [%lf, %lf]", &first, &second), 2);
    assert_near(first, 1.0, 1e-13);
    assert_near(second, sqrt(3.0), 1e-13);
    snprintf(command, sizeof command, "'%s' run '%s' --json > /dev/null", AMONTONS_COMMAND, in_scratch("k.yaml"));
    assert_int_equal(WEXITSTATUS(system(command)), 0);
    assert_int_equal(run_import("stiffness=k.mtx mass=m.mtx", printed, sizeof printed), 0);
    assert_non_null(strstr(printed, "k.yaml is there already"));
    assert_non_null(strstr(printed, "0 rigid motions"));
}

static void import_refuses_what_is_wrong(void **state) {
    char printed[8192];
    (void)state;
    write_scratch("free.mtx", "1,1, 1,1, 1\n2,1, 2,1, 1\n2,1, 1,1, -1\n");
    write_scratch("m.mtx", "1,1, 1,1, 1\n2,1, 2,1, 1\n");
    write_scratch("bad.mtx", "1,1, 1,1, 1\n1,1, 1,1, 1\n");
    assert_int_equal(run_import("stiffness=free.mtx mass=m.mtx --json", printed, sizeof printed), 0);
    assert_non_null(strstr(printed, "\"rigid_motions\":\t1"));
    assert_int_equal(run_import("k.nothing", printed, sizeof printed), 2);
    assert_int_equal(run_import("free.mtx", printed, sizeof printed), 2);
    assert_non_null(strstr(printed, "say stiffness=FILE"));
    assert_int_equal(run_import("stiffness=bad.mtx", printed, sizeof printed), 2);
    assert_non_null(strstr(printed, "bad.mtx:2: the term (1.1, 1.1) comes twice"));
    assert_int_equal(run_import("mass=m.mtx", printed, sizeof printed), 2);
    assert_non_null(strstr(printed, "there is no stiffness"));
}

static am_run *respond_with(const char *reduce) {
    char text[1024];
    am_error err = {0};
    snprintf(text, sizeof text,
             BLADE "%s, Omega: 1500, contacts: [{tangent: {\"52.2\": 1}, law: held, hold: {constant: 20}, friction: 1, "
                   "tangential_stiffness: 2e6}], loads: [{direction: {\"52.2\": 1}, sine: {amplitude: 4, multiple: "
                   "1}}]}\nanalysis: {kind: response, over: Omega, from: 8.6e4, to: 1e5, harmonics: 1, coordinate: "
                   "\"52.2\", stability: none}\n",
             reduce);
    am_study *study = good(text);
    am_run *run = am_study_run(study, NULL, &err);
    if (!run)
        fail_msg("%s", err.message);
    am_study_free(study);
    return run;
}

static double answer(const am_run *run, const char *name) {
    const am_scalar *scalar = am_result_find(am_run_report(run)->result, name);
    if (!scalar)
        fail_msg("there is no %s", name);
    return scalar->number;
}

/* Beyond the tenth frequency ten modes are wrong by a factor, which the ten lowest frequencies do not tell; modes: auto
 * adds modes until the peak stands still, at that of all coordinates. Two answers within the tolerance are further from
 * the last one by as much again at most where each doubling halves the rest. */
static void modes_are_chosen_by_the_answer(void **state) {
    (void)state;
    am_run *whole = respond_with(""), *few = respond_with(", reduce: {modes: 10}"),
           *chosen = respond_with(", reduce: {modes: auto, tolerance: 1e-2}");
    double peak = answer(whole, "peak");
    assert_true(fabs(answer(few, "peak") - peak) > peak);
    assert_near(answer(chosen, "peak"), peak, 1e-2 * peak);
    assert_true(answer(chosen, "modes_difference") <= 1e-2);
    assert_true(answer(chosen, "modes_converged") == 1.0);
    assert_near(answer(chosen, "modes_used"), 2.0 * answer(chosen, "modes_compared"), 0.0);
    am_run_free(whole);
    am_run_free(few);
    am_run_free(chosen);
}

/* alpha M + beta K beside a damping of its own, of the structure whole or reduced; the model has its numbers. */
static void proportional_damping_is_added(void **state) {
    static const char *const reduce[] = {"", ", reduce: {interface: [\"51.3\", \"51.1\"], modes: 2}"};
    (void)state;
    for (size_t r = 0; r < 2; r++) {
        char text[512];
        snprintf(text, sizeof text,
                 BLADE ", damping: {file: blade.mas}, rayleigh: {mass: 3, stiffness: 1e-6}%s}\n"
                       "analysis: {kind: motion, until: 1}\n",
                 reduce[r]);
        am_study *study = good(text);
        const am_system *system = am_study_system(study);
        const am_matrix *M = am_system_mass(system), *C = am_system_damping(system), *K = am_system_stiffness(system);
        for (size_t i = 0; i < am_system_size(system); i++)
            for (size_t j = 0; j < am_system_size(system); j++) {
                double wanted = 4.0 * am_matrix_at(M, i, j) + 1e-6 * am_matrix_at(K, i, j);
                assert_near(am_matrix_at(C, i, j), wanted, 1e-12 * am_matrix_largest(C));
            }
        assert_true(am_matrix_is_sparse(C) == (r == 0));
        am_study_free(study);
    }
    am_error err = {0};
    assert_null(parse(BLADE ", rayleigh: {alpha: 3}}\nanalysis: {kind: motion, until: 1}\n", &err));
    assert_non_null(strstr(err.message, "unknown key 'alpha'"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_are_called_by_their_labels),
        cmocka_unit_test(any_words_name_a_coordinate_everywhere),
        cmocka_unit_test(shown_structures_keep_their_labels),
        cmocka_unit_test(mistakes_are_shown_where_they_stand),
        cmocka_unit_test(sets_come_from_decks_tables_and_studies),
        cmocka_unit_test(reduced_structures_move_as_the_whole),
        cmocka_unit_test(import_writes_a_study_that_runs),
        cmocka_unit_test(import_refuses_what_is_wrong),
        cmocka_unit_test(modes_are_chosen_by_the_answer),
        cmocka_unit_test(proportional_damping_is_added),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
