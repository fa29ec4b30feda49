/* Model mesh: studies of imported meshes whose answers are known in closed form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "errors.h"
#include "math/sparse.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

/* Two blocks of eight-node quadrilaterals, each 2 long and 1 high, one on the other, with nodes of their own. */
#define BLOCKS "file: " AMONTONS_SOURCE_DIR "/tests/data/blocks_q8_41.msh, "
#define SOFT                                                                                                           \
    "bodies: [{name: below, E: 100, nu: 0, thickness: 3, density: 2, plane: stress}, "                                 \
    "{name: above, E: 50, nu: 0, thickness: 3, density: 2, plane: stress}], "
#define CONTACT "contacts: [{slave: above.contact, master: below.contact, f: 0.3}], supports: [{line: bottom}], "
#define PATH "analysis: {kind: path, method: incremental, until: 1, steps: 4}\n"

static am_run *run_model(const char *more) {
    char text[4000];
    snprintf(text, sizeof text, "model: {kind: mesh, " BLOCKS SOFT CONTACT "fields: true, %s}\n" PATH, more);
    return run_text(text);
}

/* Under an even load, and with nu = 0, both blocks are in a uniform uniaxial state: the pressure is P/(2 x 3), the top
 * goes down by P/(6 E) for each. */
static void test_blocks_under_an_even_load_are_uniformly_compressed(void **state) {
    (void)state;
    am_run *made = run_model("loads: [{line: top, force: [0, -12]}]");
    const am_result *result = am_run_report(made)->result;
    const am_table *contact = table_of(result, "interface"), *nodes = table_of(result, "mesh_nodes");
    for (size_t i = 0; i < am_table_rows(contact); i++)
        assert_near(cell(contact, i, "p"), 2, 1e-8); /* places in the file are good to 1e-11, elements well shaped */
    for (size_t i = 0; i < am_table_rows(nodes); i++) {
        assert_near(cell(nodes, i, "syy"), -2, 1e-7);
        assert_near(cell(nodes, i, "mises"), 2, 1e-7);
        if (cell(nodes, i, "y") > 1.999)
            assert_near(cell(nodes, i, "uy"), -2.0 / 100 - 2.0 / 50, 1e-9);
    }
    assert_near(scalar(made, "N"), 12, 1e-9);
    assert_near(scalar(made, "max_pressure"), 2, 1e-8);
    am_run_free(made);
}

static void test_forces_of_contacts_balance_the_loads(void **state) {
    (void)state;
    am_run *made =
        run_model("loads: [{line: top, force: [0, -12]}, {line: top, at: [0, 2], force: [1.5, 0], ramp: 1}]");
    const am_table *forces = table_of(am_run_report(made)->result, "contact_forces");
    assert_string_equal(word(forces, 0, "contact"), "above.contact");
    assert_near(cell(forces, 0, "Fx"), -1.5, 1e-9); /* rounding of a stiffness of 300 and more */
    assert_near(cell(forces, 0, "Fy"), 12, 1e-9);
    assert_near(cell(forces, 0, "open") + cell(forces, 0, "stick") + cell(forces, 0, "slip"), 5, 0);
    am_run_free(made);
}

static void test_weight_is_carried_by_the_contact(void **state) {
    (void)state;
    am_run *made = run_model("gravity: {acceleration: [0, -10], ramp: 1}");
    assert_near(scalar(made, "N"), 2 * 10 * 2 * 3, 1e-8); /* density, gravity, area, thickness; rounding */
    am_run_free(made);
}

/* Two springs in series, 6 E/1 each: 600 and 300 make 200. */
static void test_a_drive_takes_the_force_of_the_blocks_in_series(void **state) {
    (void)state;
    am_run *made = run_model("drives: [{name: press, line: top, direction: [0, 2], ramp: -0.06}]");
    const am_table *drives = table_of(am_run_report(made)->result, "drives");
    assert_string_equal(word(drives, 0, "drive"), "press");
    assert_near(cell(drives, 0, "displacement"), -0.06, 1e-15);
    assert_near(cell(drives, 0, "force"), -12, 1e-8); /* rounding and places of the file */
    assert_near(scalar(made, "N"), 12, 1e-8);
    am_run_free(made);
}

/* The spring of 50 in series with the 200 of the blocks: 40. */
static void test_a_spring_comes_in_series_with_the_blocks(void **state) {
    (void)state;
    am_run *made = run_model("drives: [{line: top, direction: [0, -1], stiffness: 50, ramp: 0.3}]");
    const am_table *drives = table_of(am_run_report(made)->result, "drives");
    assert_string_equal(word(drives, 0, "drive"), "top");
    assert_near(cell(drives, 0, "force"), 12, 1e-8); /* as above */
    am_run_free(made);
}

/* A rigid plate below instead of the lower block; its body is below it, left of the way from right to left. */
static void test_a_rigid_body_takes_the_place_of_a_block(void **state) {
    (void)state;
    am_run *made = run_text("model: {kind: mesh, " BLOCKS SOFT "rigid: [{name: plate, from: [3, 1], to: [-1, 1]}], "
                            "contacts: [{slave: above.contact, master: plate, f: 0.3}], supports: [{line: bottom}, "
                            "{line: below.contact}], loads: [{line: top, force: [0, -12]}]}\n" PATH);
    const am_table *contact = table_of(am_run_report(made)->result, "interface");
    assert_int_equal(am_table_rows(contact), 5);
    for (size_t i = 0; i < 5; i++)
        assert_near(cell(contact, i, "p"), 2, 1e-8); /* rounding and places of the file */
    am_run_free(made);
}

/* A push that grows over many periods: damped bodies follow it, and the contact takes what is pushed. */
static void test_bodies_with_mass_follow_a_slow_load(void **state) {
    (void)state;
    am_run *made = run_text("model: {kind: mesh, " BLOCKS SOFT CONTACT
                            "modes: 4, stiffness_damping: 0.05, loads: [{line: top, force: [0, -12]}, {line: top, "
                            "force: [1, 0], table: {times: [0, 20], values: [0, 1]}}]}\n"
                            "analysis: {kind: march, method: moreau-jean, until: 20, step: 0.02}\n");
    const am_table *forces = table_of(am_run_report(made)->result, "contact_forces");
    assert_near(cell(forces, 0, "Fx"), -1, 0.01); /* what still swings */
    assert_near(cell(forces, 0, "Fy"), 12, 0.01);
    assert_true(scalar(made, "modes") >= 4);
    am_run_free(made);
}

/* A ramp of Delta = 0.002 falls evenly over a slip of 0.004: as a table it is two points. */
static void test_a_table_of_friction_is_the_ramp_that_it_draws(void **state) {
    (void)state;
    static const char *const laws[] = {"f: 0.3, f_s: 0.4, law: ramp, Delta: 0.002",
                                       "weakening: [[0, 0.4], [0.004, 0.3]]"};
    double lost[2], shear[2];
    for (size_t i = 0; i < 2; i++) {
        char text[4000];
        snprintf(text, sizeof text,
                 "model: {kind: mesh, " BLOCKS SOFT "contacts: [{slave: above.contact, master: below.contact, %s}], "
                 "supports: [{line: bottom}], loads: [{line: top, force: [0, -12]}, {line: top, at: [0, 2], "
                 "force: [3.2, 0], ramp: 1}]}\n" PATH,
                 laws[i]);
        am_run *made = run_text(text);
        lost[i] = scalar(made, "loss_friction");
        shear[i] = cell(table_of(am_run_report(made)->result, "interface"), 0, "q");
        am_run_free(made);
    }
    assert_true(lost[0] > 1e-4);                    /* it does slip */
    assert_near(lost[1], lost[0], 1e-10 * lost[0]); /* the same law, another evaluation: rounding */
    assert_near(shear[1], shear[0], 1e-10);
}

/* ---- what is refused ---- */

static void assert_refused(const char *model, const char *words) {
    char text[4000];
    am_error err = {0};
    snprintf(text, sizeof text, "model: {kind: mesh, %s}\n" PATH, model);
    am_study *study = am_study_parse("/test.yaml", text, 0, NULL, false, &err);
    if (study)
        fail_msg("%s is not refused", model);
    assert_says(&err, words);
    assert_says(&err, "test.yaml:1:");
}

static void test_models_that_make_no_sense_are_refused(void **state) {
    (void)state;
    assert_refused(SOFT CONTACT, "needs its mesh: the key 'file', or 'text'");
    assert_refused(BLOCKS "text: abc, " SOFT CONTACT, "file and text cannot both be given");
    assert_refused("text: abc, " SOFT CONTACT, "this is not a mesh of Gmsh");
    assert_refused("file: none.msh, " SOFT CONTACT, "none.msh: cannot be opened");
    assert_refused(BLOCKS "bodies: [{name: below, E: 1, nu: 0}], " CONTACT, "body 'above' of the mesh has no material");
    assert_refused(BLOCKS "bodies: [{name: beneath, E: 1, nu: 0}], " CONTACT,
                   "the mesh has no body 'beneath'; it has 'below', 'above'");
    assert_refused(BLOCKS "bodies: [{name: below, E: 1, nu: 0}, {name: below, E: 1, nu: 0}], " CONTACT,
                   "body 'below' is given twice");
    assert_refused(BLOCKS SOFT "contacts: [{slave: above.contact, master: below.contact}], supports: [{line: bottom}]",
                   "a contact needs its coefficient of friction f");
    assert_refused(BLOCKS SOFT "contacts: [{slave: above.contact, master: ground, f: 0.3}], supports: [{line: bottom}]",
                   "there is no line or rigid body named ground");
    assert_refused(BLOCKS SOFT "contacts: [{slave: above.contact, master: below.contact, f: 0.3}], supports: [{line: "
                               "bottom, x: false}]",
                   "a support holds along x, along y or both");
    assert_refused(BLOCKS SOFT CONTACT "drives: [{line: top, direction: [0, 0], ramp: 1}]",
                   "direction must not be zero");
}

static void test_loads_that_no_contact_feels_are_refused_with_the_reason(void **state) {
    (void)state;
    static const char light[] = BLOCKS "bodies: [{name: below, E: 100, nu: 0}, {name: above, E: 50, nu: 0}], " CONTACT
                                       "gravity: {acceleration: [0, -10]}";
    assert_refused(light, "gravity acts on mass: give the bodies a density");
    assert_refused(BLOCKS SOFT CONTACT "loads: [{line: top, force: [0, 0]}, {line: bottom, force: [1, 0]}]",
                   "what it acts on is held by supports");
    assert_refused(BLOCKS SOFT CONTACT "loads: [{line: top, force: [0, -1]}, {line: bottom, force: [1, 0]}]",
                   "what it acts on is held by supports");
    assert_refused(BLOCKS SOFT CONTACT "modes: 2, loads: [{line: bottom, force: [1, 0]}]",
                   "what it acts on is held by supports");
}

/* The first point of a sweep: nothing acts, and the weight, which does, comes after it among the loads. */
static void test_a_force_of_zero_is_no_mistake(void **state) {
    (void)state;
    am_run *made = run_model("loads: [{line: top, force: [0, 0]}]");
    assert_near(scalar(made, "N"), 0.0, 0.0);
    assert_near(scalar(made, "max_pressure"), 0.0, 0.0);
    am_run_free(made);
    made = run_model("loads: [{line: top, force: [0, 0]}], gravity: {acceleration: [0, -10], ramp: 1}");
    assert_near(scalar(made, "N"), 2 * 10 * 2 * 3, 1e-8); /* density, gravity, area, thickness; rounding */
    am_run_free(made);
    made = run_model("gravity: {acceleration: [0, 0]}");
    assert_near(scalar(made, "N"), 0.0, 0.0);
    am_run_free(made);
}

static void test_a_figure_of_a_mesh_needs_its_fields(void **state) {
    (void)state;
    am_error err = {0};
    am_study *study = am_study_parse("/test.yaml",
                                     "model: {kind: mesh, " BLOCKS SOFT CONTACT
                                     "loads: [{line: top, force: [0, -12]}]}\n" PATH "figure: {kind: mesh}\n",
                                     0, NULL, false, &err);
    assert_null(study);
    assert_says(&err, "`fields: true`");
}

/* Whether few dozen contacts have one way on is as open as with many: each step shows it for itself, and is not divided
 * thousands of times instead. A few iterations a step, 47 steps. */
static void a_coarse_mesh_needs_a_few_iterations_a_step(void **state) {
    (void)state;
    am_run *coarse = run_text("model: {kind: blocks, load_height: 6, mesh: {size: 8}}\n"
                              "analysis: {kind: path, until: 1, steps: 47}\n");
    assert_true(scalar(coarse, "contact_nodes") < 64);
    assert_true(scalar(coarse, "iterations") < 10 * 47);
    am_run_free(coarse);
}

static void test_without_mumps_a_study_of_a_mesh_says_so(void **state) {
    (void)state;
    assert_refused(BLOCKS SOFT CONTACT "loads: [{line: top, force: [0, -12]}]",
                   "install MUMPS and ARPACK (Debian: libmumps-seq-dev, libarpack2-dev) and build again");
}

int main(void) {
    const struct CMUnitTest without[] = {
        cmocka_unit_test(test_models_that_make_no_sense_are_refused),
        cmocka_unit_test(test_without_mumps_a_study_of_a_mesh_says_so),
    };
    if (!am_sparse_available())
        return cmocka_run_group_tests(without, NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coarse_mesh_needs_a_few_iterations_a_step),
        cmocka_unit_test(test_blocks_under_an_even_load_are_uniformly_compressed),
        cmocka_unit_test(test_forces_of_contacts_balance_the_loads),
        cmocka_unit_test(test_weight_is_carried_by_the_contact),
        cmocka_unit_test(test_a_drive_takes_the_force_of_the_blocks_in_series),
        cmocka_unit_test(test_a_spring_comes_in_series_with_the_blocks),
        cmocka_unit_test(test_a_rigid_body_takes_the_place_of_a_block),
        cmocka_unit_test(test_a_table_of_friction_is_the_ramp_that_it_draws),
        cmocka_unit_test(test_bodies_with_mass_follow_a_slow_load),
        cmocka_unit_test(test_models_that_make_no_sense_are_refused),
        cmocka_unit_test(test_loads_that_no_contact_feels_are_refused_with_the_reason),
        cmocka_unit_test(test_a_force_of_zero_is_no_mistake),
        cmocka_unit_test(test_a_figure_of_a_mesh_needs_its_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
