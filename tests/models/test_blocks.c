/* Model blocks: slider on base, against half-planes, symmetries, scaling and other ways of loading. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "amontons/path.h"
#include "errors.h"
#include "math/sparse.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

/* The rig of Fig. 3.13 with a coarse mesh. */
#define RIG "model: {kind: blocks, mesh: {size: 4}, "
#define PATH(steps) "}\nanalysis: {kind: path, method: incremental, from: -1, until: 1, steps: " #steps "}\n"

static am_run *run_rig(const char *more, const char *path) {
    char text[2000];
    snprintf(text, sizeof text, RIG "%s%s", more, path);
    return run_text(text);
}

static const am_table *fronts_of(const am_run *made) {
    return table_of(am_run_report(made)->result, "fronts");
}

/* ---- Fig. 3.13 ---- */

static void test_the_front_of_fig_3_13_for_a_push_at_6_mm(void **state) {
    (void)state;
    am_run *made = run_text("model: {kind: blocks, Q_over_P: 0.4, mesh: {size: 4}}\n"
                            "analysis: {kind: path, method: incremental, from: -1, until: 1, steps: 8}\n");
    const am_table *fronts = fronts_of(made);
    assert_int_equal(am_table_rows(fronts), 5);
    assert_near(cell(fronts, 3, "Q_over_P"), 0.3, 1e-10);
    /* Read from the figure to about a hundredth, and elements of 4 mm on 140. */
    assert_near(cell(fronts, 3, "l_over_L"), 0.34, 0.02);
    assert_near(cell(fronts, 4, "l_over_L"), 0.63, 0.02);
    am_run_free(made);
}

static void test_contact_forces_balance_the_loads(void **state) {
    (void)state;
    am_run *made = run_rig("Q_over_P: 0.35, slider: {density: 1.2e-9}, gravity: 9810", PATH(8));
    /* Weight of the slider: 1.2e-9 x 9810 x 140 x 80 x 6 N. */
    assert_near(scalar(made, "P"), 3000 + 1.2e-9 * 9810 * 140 * 80 * 6, 1e-7);
    assert_near(scalar(made, "Q"), 0.35 * 3000, 1e-7); /* rounding of the condensed stiffness, 1e-11 of P */
    const am_table *contact = table_of(am_run_report(made)->result, "interface");
    double P = 0, Q = 0;
    for (size_t i = 0; i < am_table_rows(contact); i++) {
        P += cell(contact, i, "p") * cell(contact, i, "area");
        Q += cell(contact, i, "q") * cell(contact, i, "area");
        assert_true(fabs(cell(contact, i, "q")) <= 0.47 * cell(contact, i, "p") * (1 + 1e-9));
    }
    assert_near(P, scalar(made, "P"), 1e-7);
    assert_near(Q, scalar(made, "Q"), 1e-7);
    assert_near(scalar(made, "equilibrium_residual"), 0, 1e-10);
    am_run_free(made);
}

/* ---- Symmetry and scaling ---- */

static void test_a_push_from_the_right_is_the_mirror_image(void **state) {
    (void)state;
    am_run *left = run_rig("Q_over_P: 0.4, load_height: 20, position: 30, supports: [bottom, right]", PATH(8));
    am_run *right =
        run_rig("Q_over_P: 0.4, load_height: 20, position: 130, supports: [bottom, left], load_at: right", PATH(8));
    const am_table *a = table_of(am_run_report(left)->result, "interface");
    const am_table *b = table_of(am_run_report(right)->result, "interface");
    size_t m = am_table_rows(a);
    assert_int_equal(am_table_rows(b), m);
    for (size_t i = 0; i < m; i++) { /* tractions of about 4: rounding of the condensed stiffness */
        assert_near(cell(a, i, "x"), -cell(b, m - 1 - i, "x"), 1e-12);
        assert_near(cell(a, i, "p"), cell(b, m - 1 - i, "p"), 1e-8);
        assert_near(cell(a, i, "q"), -cell(b, m - 1 - i, "q"), 1e-8);
        assert_near(cell(a, i, "slip"), -cell(b, m - 1 - i, "slip"), 1e-11);
    }
    assert_true(scalar(left, "l_over_L") > 0.3);
    assert_near(scalar(left, "l_over_L"), scalar(right, "l_over_L"), 1e-7);
    assert_near(scalar(left, "Q_over_P"), scalar(right, "Q_over_P"), 1e-11);
    am_run_free(left);
    am_run_free(right);
}

static void test_fronts_depend_on_Q_over_P_alone(void **state) {
    (void)state;
    am_run *light = run_rig("Q_over_P: 0.42, P: 2600", PATH(14)), *heavy = run_rig("Q_over_P: 0.42, P: 3500", PATH(14));
    const am_table *a = fronts_of(light), *b = fronts_of(heavy);
    assert_int_equal(am_table_rows(a), am_table_rows(b));
    for (size_t i = 0; i < am_table_rows(a); i++) {
        assert_near(cell(a, i, "Q_over_P"), cell(b, i, "Q_over_P"), 1e-11);
        assert_near(cell(a, i, "l_over_L"), cell(b, i, "l_over_L"), 1e-7); /* a quotient of reserves of friction */
    }
    assert_true(scalar(light, "l_over_L") > 0.6);
    assert_near(scalar(light, "Q") / 2600, scalar(heavy, "Q") / 3500, 1e-11);
    am_run_free(light);
    am_run_free(heavy);
}

/* ---- Ways of loading ---- */

/* The same equilibrium, found from the displacement of the loaded point or of a spring's far end. */
static void test_force_displacement_and_spring_lead_to_the_same_front(void **state) {
    (void)state;
    char more[200];
    const double stiffness = 2e4;
    am_run *pushed = run_rig("control: displacement, push: 0.1", PATH(20));
    double Q = scalar(pushed, "Q");
    assert_true(Q / 3000 > 0.2 && Q / 3000 < 0.45);
    snprintf(more, sizeof more, "Q_over_P: %.17g", Q / 3000);
    am_run *forced = run_rig(more, PATH(20));
    snprintf(more, sizeof more, "control: spring, stiffness: %g, push: %.17g", stiffness, 0.1 + Q / stiffness);
    am_run *sprung = run_rig(more, PATH(20));
    /* Coulomb friction under loads that only grow: the way does not matter but where nodes re-stick on it. */
    assert_near(scalar(forced, "l_over_L"), scalar(pushed, "l_over_L"), 1e-3);
    assert_near(scalar(sprung, "l_over_L"), scalar(pushed, "l_over_L"), 1e-3);
    assert_near(scalar(sprung, "Q"), Q, 0.1);
    am_run_free(pushed);
    am_run_free(forced);
    am_run_free(sprung);
}

static void test_a_push_that_goes_on_slides_the_slider_with_Q_equal_to_f_P(void **state) {
    (void)state;
    am_run *made = run_rig("control: displacement, push: 1", PATH(20));
    assert_near(scalar(made, "Q_over_P"), 0.47, 1e-9); /* every node slips: Coulomb's law, summed */
    assert_near(scalar(made, "l_over_L"), 1, 0);
    am_run_free(made);
}

static void test_a_rigid_slider_weighs_what_its_density_says(void **state) {
    (void)state;
    am_run *made = run_rig("slider: {rigid: true, density: 1e-9}, gravity: 1e4, Q_over_P: 0.1", PATH(4));
    assert_near(scalar(made, "P"), 3000 + 1e-9 * 1e4 * 140 * 80 * 6, 1e-7);
    am_run_free(made);
}

static void test_without_friction_and_push_the_slider_is_pressed_evenly_on_both_sides(void **state) {
    (void)state;
    am_run *made = run_rig("f: 0", PATH(4)); /* nothing holds it along x, and nothing pushes it there */
    const am_table *contact = table_of(am_run_report(made)->result, "interface");
    size_t m = am_table_rows(contact);
    for (size_t i = 0; i < m; i++) {
        assert_near(cell(contact, i, "q"), 0, 1e-10); /* rounding of forces of 100 on areas of 10 */
        assert_true(cell(contact, i, "p") > 0);
    }
    assert_near(scalar(made, "P"), 3000, 1e-7);
    am_run_free(made);
}

/* The first node to touch bears the whole slider: nothing keeps it from turning, but nothing turns it either, and it
 * stays upright until others come down. Symmetric to rounding of forces of a hundredth. */
static void test_a_slider_that_stands_on_one_node_stays_upright(void **state) {
    (void)state;
    am_run *made = run_text("model: {kind: blocks, slider: {length: 100, height: 50, thickness: 1, E: 1.82, nu: 0.3, "
                            "plane: strain}, base: {length: 100, height: 50, thickness: 1, E: 4.5, nu: 0, "
                            "plane: strain}, supports: [bottom], radius: 100, P: 0.01, load_at: top, f: 2, "
                            "Q_over_P: 0.01, mesh: {element: quad4, size: 0.2, growth: 1.6}}\n"
                            "analysis: {kind: path, method: incremental, from: -1, until: 0, steps: 100}\n");
    const am_table *contact = table_of(am_run_report(made)->result, "interface");
    size_t m = am_table_rows(contact), closed = 0;
    for (size_t i = 0; i < m; i++) {
        assert_near(cell(contact, i, "p"), cell(contact, m - 1 - i, "p"), 1e-12);
        assert_near(cell(contact, i, "q"), -cell(contact, m - 1 - i, "q"), 1e-12);
        closed += cell(contact, i, "p") > 0;
    }
    assert_int_equal(closed, 11);
    assert_near(scalar(made, "P"), 0.01, 1e-14);
    am_run_free(made);
}

/* Corner to corner, every change of state at its own time, and by load steps. */
static void test_the_exact_path_ends_where_load_steps_do(void **state) {
    (void)state;
    static const char *const model = "model: {kind: blocks, mesh: {size: 28, growth: 2}, Q_over_P: 0.35}\n";
    char text[300];
    snprintf(text, sizeof text, "%sanalysis: {kind: path, from: -1, until: 1, method: exact}\n", model);
    am_run *exact = run_text(text);
    snprintf(text, sizeof text, "%sanalysis: {kind: path, from: -1, until: 1, steps: 20}\n", model);
    am_run *steps = run_text(text);
    const am_table *a = table_of(am_run_report(exact)->result, "interface");
    const am_table *b = table_of(am_run_report(steps)->result, "interface");
    assert_int_equal(scalar(steps, "steps"), 20); /* load steps are what blocks have unless told otherwise */
    assert_true(scalar(exact, "l_over_L") > 0.2);
    for (size_t i = 0; i < am_table_rows(a); i++) {
        assert_near(cell(a, i, "p"), cell(b, i, "p"), 1e-9); /* tractions of about 4, rounding */
        assert_near(cell(a, i, "q"), cell(b, i, "q"), 1e-9);
    }
    am_run_free(exact);
    am_run_free(steps);
}

/* A C program that lets the model watch gets what the study of the same rig reports. */
static void test_programs_see_the_fronts_of_studies(void **state) {
    (void)state;
    am_run *study = run_text("model: {kind: blocks, slider: {rigid: true}, mesh: {size: 28, growth: 2}, "
                             "Q_over_P: 0.35, halfplane: true}\n"
                             "analysis: {kind: path, from: -1, until: 1, steps: 20}\n");
    am_error err = {0};
    am_model_watch watch;
    am_blocks rig = am_blocks_default();
    rig.mesh.size = 28;
    rig.mesh.growth = 2;
    rig.Q_over_P = 0.35;
    rig.slider.rigid = rig.halfplane = true;
    am_path_options options = am_path_options_default();
    options.from = -1;
    options.until = 1;
    options.steps = 20;
    options.method = AM_PATH_INCREMENTAL;
    am_result *result = am_result_create(&err);
    am_system *system = am_blocks_create_watched(&rig, false, &watch, &err);
    am_result_observe(result, &watch.observer);
    GOOD(am_path_run(system, &options, result, NULL, err));
    GOOD(watch.report(watch.observer.context, result, err));
    watch.release(watch.observer.context);
    const am_table *a = fronts_of(study), *b = table_of(result, "fronts");
    assert_true(am_table_rows(a) > 5 && am_table_rows(a) == am_table_rows(b));
    for (size_t i = 0; i < am_table_rows(a); i++)
        assert_true(cell(a, i, "l_over_L") == cell(b, i, "l_over_L") && cell(a, i, "Q") == cell(b, i, "Q"));
    const am_scalar *half = am_result_find(result, "halfplane.Q_over_fP");
    assert_true(half && half->number > 0.0 && half->number == scalar(study, "halfplane.Q_over_fP"));
    am_system_free(system);
    am_result_free(result);
    am_run_free(study);
}

/* ---- Half-planes ---- */

/* Eq. (3.24): l/a = 2 [1 - alpha (f P/Q - 1)], alpha = a/(2 f h) = 2.5. */
static void test_a_punch_on_a_large_incompressible_block_follows_the_half_plane(void **state) {
    (void)state;
    am_run *made = run_text("model: {kind: blocks, slider: {length: 200, height: 100, rigid: true}, P: 1200, f: 0.5, "
                            "base: {length: 16000, height: 8000, thickness: 30, nu: 0.4999}, load_height: 40, "
                            "supports: [bottom, right, left], Q_over_P: 0.45, halfplane: true, "
                            "mesh: {size: 8, ends: 2, growth: 1.8}}\n"
                            "analysis: {kind: path, method: incremental, until: 1, steps: 6}\n");
    double exact = 1 - 2.5 * (1 / 0.9 - 1);
    assert_near(scalar(made, "Q_over_P"), 0.45, 1e-8);
    assert_near(scalar(made, "halfplane.l_over_a"), 2 * exact, 1e-8);
    /* The block is 80 times as long as the punch, elements are a 25th of it: each of them is a percent. */
    assert_near(scalar(made, "l_over_L"), exact, 0.02);
    am_run_free(made);
}

#define CYLINDERS(friction, size) CYLINDERS_ON("1.82", friction, size)
#define CYLINDERS_ON(E, friction, size)                                                                                \
    "model: {kind: blocks, slider: {length: 1000, height: 500, thickness: 1, E: 1.82, nu: 0.3, plane: strain}, "       \
    "base: {length: 1000, height: 500, thickness: 1, E: " E ", nu: 0.3}, supports: [bottom], radius: 100, "            \
    "P: 7.853981633974483e-3, load_at: top, " friction ", halfplane: true, "                                           \
    "mesh: {size: " size ", growth: 1.8}}\nanalysis: {kind: path, method: incremental, until: 1, steps: 10}\n"

static void test_pressed_and_sheared_cylinders_are_those_of_hertz_cattaneo_and_mindlin(void **state) {
    (void)state;
    am_run *coarse = run_text(CYLINDERS("f: 0.3, Q_over_P: 0.15", "0.125")),
           *fine = run_text(CYLINDERS("f: 0.3, Q_over_P: 0.15", "0.0625"));
    /* Elements of a 16th of the half-width a; a stick zone of 0.71 a ends between two nodes. */
    assert_near(scalar(fine, "pressure_error"), 0, 0.005);
    assert_near(scalar(fine, "shear_error"), 0, 0.01);
    assert_near(scalar(fine, "stick_half_width"), sqrt(0.5), 0.0625);
    assert_near(scalar(fine, "contact_half_width"), 1, 0.0625);
    assert_true(scalar(coarse, "shear_error") > 1.5 * scalar(fine, "shear_error"));
    am_run_free(coarse);
    am_run_free(fine);
}

/* Fig. 4.2: Lambda = R Delta/(f a^2 (f_s/f - 1)) = 0.05, Q = 0.8 f P. Coulomb's law would stick up to 0.447 a. */
static void test_weakening_friction_of_cylinders_is_that_of_the_double_solution(void **state) {
    (void)state;
    am_run *made = run_text(CYLINDERS("f: 0.1, f_s: 0.15, law: ramp, Delta: 2.5e-5, Q_over_P: 0.08", "0.0625"));
    assert_near(scalar(made, "halfplane.c_over_a"), 0.5778, 1e-4);
    assert_near(scalar(made, "stick_half_width"), 0.5778, 0.0625); /* the size of an element */
    assert_near(scalar(made, "shear_error"), 0, 0.03);
    am_run_free(made);
}

/* A table of the ramp falls over 2 Delta; the double solution matches its energy, not its form. Bodies of two materials
 * have no closed form: the ramp itself is compared with. Their errors are those of so few steps of pressing. */
static void test_half_planes_rub_as_the_blocks_do(void **state) {
    (void)state;
    am_run *table = run_text(CYLINDERS("weakening: [[0, 0.15], [5.0e-5, 0.1]], Q_over_P: 0.08", "0.0625")),
           *two = run_text(CYLINDERS_ON("3", "f: 0.1, f_s: 0.15, law: ramp, Delta: 2.5e-5, Q_over_P: 0.08", "0.1"));
    assert_near(scalar(table, "halfplane.c_over_a"), 0.5778, 0.01);
    assert_near(scalar(table, "shear_error"), 0, 0.03);
    assert_near(scalar(two, "halfplane.c_over_a"), scalar(two, "stick_half_width") / scalar(two, "contact_half_width"),
                0.15);
    am_run_free(table);
    am_run_free(two);
}

/* ---- Bad input ---- */

typedef struct wrong {
    const char *more, *words;
} wrong;

static void test_what_cannot_be_is_refused_with_a_reason(void **state) {
    (void)state;
    static const wrong cases[] = {
        {"load_height: 90", "the slider is 80 high"},
        {"slider: {length: 400}", "does not stand on the base"},
        {"position: 200", "does not stand on the base"},
        {"slider: {rigid: true}, base: {rigid: true}", "cannot both be rigid"},
        {"slider: {nu: 0.6}", "Poisson's ratio"},
        {"base: {nu: 0.5}", "Poisson's ratio"},
        {"supports: [top]", "supports"},
        {"supports: []", "can move"},
        {"control: spring, push: 1", "stiffness of the spring"},
        {"control: displacement", "`push`"},
        {"control: displacement, push: 1, load_height: 0", "cannot be prescribed at the interface"},
        {"control: displacement, push: 1, slider: {rigid: true}", "a rigid slider is pushed by a force"},
        {"control: displacement, push: 1, load_at: top", "loaded by a force"},
        {"push: 1", "push has no use with control `force`"},
        {"control: displacement, push: 1, Q_over_P: 0.3", "Q_over_P has no use"},
        {"f_s: 0.4", "must not be below the kinetic one"},
        {"law: ramp", "needs the static coefficient f_s"},
        {"f_s: 0.6, law: ramp", "needs Delta"},
        {"Delta: 1", "Delta has no use"},
        {"f_s: 0.6, law: coulomb", "f_s has no use"},
        {"f: 0.3, weakening: [[0, 0.5], [1, 0.4]]", "takes the place"},
        {"weakening: [[0, 0.5], [0, 0.4]]", "increases"},
        {"mesh: {size: 1e-5}", "elements"},
        {"mesh: {size: 0.01}", "28001 contact nodes"},
        {"mesh: {size: 0.01, element: quad4}, slider: {length: 280}", "28001 contact nodes"},
        {"mesh: {growth: 0.5}", "grow"},
        {"gravity: 9.81", "give the slider or the base a density"},
        {"halfplane: true", "no half-plane to compare with"},
        {"halfplane: true, radius: 100", "load_at: top"},
        {"halfplane: true, radius: 0.5", "load_at: top"},
        {"laod_height: 3", "load_height"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        am_error err = {0};
        snprintf(text, sizeof text, "model: {kind: blocks, %s" PATH(4), cases[i].more);
        am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
        if (study)
            fail_msg("%s was taken", cases[i].more);
        assert_int_equal(err.status, AM_ERR_INPUT);
        assert_says(&err, cases[i].words);
        assert_says(&err, "test.yaml:1:");
    }
}

/* Sweeps begin at zero: of P, of Q, of the push. What has no value then is none; nothing is infinite. */
static void test_forces_of_zero_are_a_beginning_like_any_other(void **state) {
    (void)state;
    static const struct {
        const char *more;
        bool pressed;
    } cases[] = {{"P: 0", false},
                 {"Q_over_P: 0", true},
                 {"P: 0, radius: 100", false},
                 {"P: 0, slider: {rigid: true}", false},
                 {"P: 0, control: displacement, push: 0.1", false},
                 {"P: 0, control: displacement, push: 0", false},
                 {"control: displacement, push: 0", true},
                 {"control: spring, stiffness: 100, push: 0", true},
                 {"P: 0, radius: 100, load_at: top, halfplane: true", false},
                 {"Q_over_P: 0, radius: 3000, load_at: top, supports: [bottom], halfplane: true", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "model: {kind: blocks, mesh: {size: 20}, %s" PATH(4), cases[i].more);
        am_run *made = run_text(text);
        const am_result *result = am_run_report(made)->result;
        bool ratio = am_result_find(result, "Q_over_P")->kind == AM_SCALAR_NUMBER;
        assert_int_equal(ratio, cases[i].pressed);
        assert_near(scalar(made, "P"), cases[i].pressed ? 3000.0 : 0.0, 1e-8); /* rounding of E t times the push */
        const am_table *fronts = fronts_of(made);
        for (size_t row = 0; row < am_table_rows(fronts); row++)
            for (size_t column = 0; column < am_table_columns(fronts); column++)
                assert_true(!isinf(am_table_number(fronts, row, column)));
        am_run_free(made);
    }
}

/* A slider of another material than its base turns under Q, since tangential tractions press; the half-planes it is
 * compared with must turn as well. If they do not, pressures differ by a few percent. Errors: those of the mesh,
 * fifteen elements to the half-width, and (shear) of forty steps of pressing. */
static void test_dissimilar_blocks_are_compared_with_half_planes_that_turn(void **state) {
    (void)state;
    static const struct { double slider, base, ratio; } cases[] = {{210000, 70000, 0.15}, {60000, 200000, 0.24}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[700];
        snprintf(text, sizeof text,
                 "model: {kind: blocks, slider: {length: 200, height: 100, thickness: 1, E: %g, nu: 0.3, plane: "
                 "strain}, base: {length: 200, height: 100, thickness: 1, E: %g, nu: 0.3, plane: strain}, radius: 100, "
                 "P: 1000, f: 0.3, load_at: top, Q_over_P: %g, mesh: {size: 0.1, element: quad4}, supports: [bottom], "
                 "halfplane: true" PATH(80),
                 cases[i].slider, cases[i].base, cases[i].ratio);
        am_run *made = run_text(text);
        assert_near(scalar(made, "pressure_error"), 0.0, 0.01);
        assert_near(scalar(made, "shear_error"), 0.0, 0.03);
        am_run_free(made);
    }
}

static void test_the_library_refuses_a_struct_without_defaults(void **state) {
    (void)state;
    am_error err = {0};
    am_blocks bare = {.P = 1};
    assert_null(am_blocks_create(&bare, &err));
    assert_says(&err, "am_blocks_default");
    am_blocks rig = am_blocks_default();
    rig.slider.modulus = NAN;
    assert_null(am_blocks_create(&rig, &err));
    assert_blames(&err, "slider.E", "must be positive");
}

static void test_the_library_makes_the_rig_as_a_system(void **state) {
    (void)state;
    am_error err = {0};
    am_blocks rig = am_blocks_default();
    rig.mesh.size = 10;
    am_system *system = am_blocks_create(&rig, &err);
    assert_non_null(system);
    assert_int_equal(am_system_contacts(system), 29); /* 14 elements with three nodes along the interface */
    assert_int_equal(am_system_size(system), 58);
    assert_string_equal(am_system_name(system, 0), "v1");
    assert_string_equal(am_system_name(system, 29), "w1");
    assert_near(am_system_contact(system, 3)->friction, 0.47, 0);
    am_system_free(system);
}

static void test_without_a_sparse_solver_blocks_say_so(void **state) {
    (void)state;
    am_error err = {0};
    am_blocks rig = am_blocks_default();
    assert_null(am_blocks_create(&rig, &err));
    assert_int_equal(err.status, AM_ERR_UNSUPPORTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_front_of_fig_3_13_for_a_push_at_6_mm),
        cmocka_unit_test(test_forces_of_zero_are_a_beginning_like_any_other),
        cmocka_unit_test(test_dissimilar_blocks_are_compared_with_half_planes_that_turn),
        cmocka_unit_test(test_contact_forces_balance_the_loads),
        cmocka_unit_test(test_a_push_from_the_right_is_the_mirror_image),
        cmocka_unit_test(test_fronts_depend_on_Q_over_P_alone),
        cmocka_unit_test(test_force_displacement_and_spring_lead_to_the_same_front),
        cmocka_unit_test(test_a_push_that_goes_on_slides_the_slider_with_Q_equal_to_f_P),
        cmocka_unit_test(test_a_rigid_slider_weighs_what_its_density_says),
        cmocka_unit_test(test_without_friction_and_push_the_slider_is_pressed_evenly_on_both_sides),
        cmocka_unit_test(test_a_slider_that_stands_on_one_node_stays_upright),
        cmocka_unit_test(test_the_exact_path_ends_where_load_steps_do),
        cmocka_unit_test(test_programs_see_the_fronts_of_studies),
        cmocka_unit_test(test_a_punch_on_a_large_incompressible_block_follows_the_half_plane),
        cmocka_unit_test(test_pressed_and_sheared_cylinders_are_those_of_hertz_cattaneo_and_mindlin),
        cmocka_unit_test(test_weakening_friction_of_cylinders_is_that_of_the_double_solution),
        cmocka_unit_test(test_half_planes_rub_as_the_blocks_do),
        cmocka_unit_test(test_what_cannot_be_is_refused_with_a_reason),
        cmocka_unit_test(test_the_library_refuses_a_struct_without_defaults),
        cmocka_unit_test(test_the_library_makes_the_rig_as_a_system),
    };
    const struct CMUnitTest bare[] = {cmocka_unit_test(test_without_a_sparse_solver_blocks_say_so)};
    return am_sparse_available() ? cmocka_run_group_tests(tests, NULL, NULL) : cmocka_run_group_tests(bare, NULL, NULL);
}
