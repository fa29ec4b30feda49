/* Slider and base with their mass: against statics, one mass on a spring, a column, the balance of momentum, and a
 * second integrator. Units: N, mm, ms, g. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/motion.h"
#include "base/memory.h"
#include "errors.h"
#include "math/dense.h"
#include "math/sparse.h"
#include "models/blocks.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

static const double pi = 3.14159265358979323846;
static const double slider_mass = 140.0 * 80.0 * 6.0 * 1.2e-3;

/* The rig of Fig. 3.13 of PMMA with five contact nodes, pulled through a spring. */
#define RIG                                                                                                            \
    "model: {kind: blocks, slider: {density: 1.2e-3}, base: {density: 1.2e-3}, control: spring, "                      \
    "mesh: {element: quad4, size: 47}, "

static am_run *run_rig(const char *more, const char *analysis) {
    char text[2000];
    snprintf(text, sizeof text, RIG "%s}\nanalysis: {%s}\n", more, analysis);
    return run_text(text);
}

static const am_table *table_in(const am_run *made, const char *name) {
    return table_of(am_run_report(made)->result, name);
}

static double last(const am_run *made, const char *table, const char *column) {
    const am_table *all = table_in(made, table);
    return cell(all, am_table_rows(all) - 1, column);
}

/* ---- statics ---- */

/* The largest difference of slips at the end of a slow pull from those of the path, over the largest slip. */
static double inertia_of(double speed) {
    char rig[200], motion[200], path[200];
    snprintf(rig, sizeof rig,
             "f: 0.4, stiffness: 1000, speed: %g, modes: 4, modes_check: false, stiffness_damping: 0.02", speed);
    snprintf(motion, sizeof motion, "kind: motion, initial: rest, samples: 11, until: %g", 1.0 / speed);
    snprintf(path, sizeof path, "kind: path, method: incremental, steps: 50, until: %g", 1.0 / speed);
    am_run *moved = run_rig(rig, motion), *still = run_rig(rig, path);
    double most = 0.0, largest = 0.0;
    for (size_t c = 1; c <= 5; c++) {
        char name[8];
        snprintf(name, sizeof name, "v%zu", c);
        double slip = last(still, "samples", name);
        most = fmax(most, fabs(last(moved, "samples", name) - slip));
        largest = fmax(largest, fabs(slip));
    }
    assert_true(largest > 0.04);                                        /* part of the interface slips */
    assert_near(last(moved, "fronts", "Q_over_P"), 885.0 / 3000, 1e-3); /* and the rest holds */
    am_run_free(moved);
    am_run_free(still);
    return most / largest;
}

/* The spring's end starts with its full speed V and makes the slider swing with amplitudes of the order V/omega;
 * damping holds it back by (stiffness_damping) V: both in proportion to V. */
static void test_slow_pulling_is_the_quasi_static_path_but_for_inertia(void **state) {
    (void)state;
    double fast = inertia_of(0.02), slow = inertia_of(0.01);
    assert_true(fast < 2e-3); /* V/omega with omega = 10 and more, beside slips of 0.046 */
    assert_true(slow < 0.7 * fast);
}

/* Amplitudes of modes are condensed out again: a slider that floats, with coordinates that no contact holds. */
static void test_a_path_does_not_see_the_modes(void **state) {
    (void)state;
    static const char rig[] = "f: 0.4, stiffness: 1000, push: 1.1", path[] = "kind: path, method: incremental, steps: "
                                                                             "40, until: 1";
    char with[100];
    snprintf(with, sizeof with, "%s, modes: 4, modes_check: false", rig);
    am_run *light = run_rig(rig, path), *heavy = run_rig(with, path);
    const am_table *a = table_in(light, "interface"), *b = table_in(heavy, "interface");
    for (size_t i = 0; i < am_table_rows(a); i++) { /* rounding of the condensed stiffness, 1e-11 */
        assert_near(cell(b, i, "p"), cell(a, i, "p"), 1e-9);
        assert_near(cell(b, i, "q"), cell(a, i, "q"), 1e-9);
        assert_near(cell(b, i, "slip"), cell(a, i, "slip"), 1e-11);
        assert_string_equal(word(b, i, "state"), word(a, i, "state"));
    }
    assert_near(scalar(heavy, "equilibrium_residual"), 0.0, 1e-9);
    am_run_free(light);
    am_run_free(heavy);
}

/* ---- frequencies ---- */

/* Without friction the slider is one mass on a spring whose far end moves: F = k V/omega sin(omega t). Its elasticity,
 * k over 1e4 N/mm, changes omega by less than 1e-3, and so does F by 1e-3 over a period and a half. */
static void test_a_slider_without_friction_swings_like_one_mass(void **state) {
    (void)state;
    double k = 10.0, V = 0.1, omega = sqrt(k / slider_mass), period = 2.0 * pi / omega;
    char analysis[200];
    snprintf(analysis, sizeof analysis, "kind: motion, initial: rest, samples: 31, until: %.17g", 1.5 * period);
    am_run *made =
        run_rig("f: 0, stiffness: 10, speed: 0.1, modes: 3, modes_check: false, stiffness_damping: 0.02", analysis);
    const am_table *pull = table_in(made, "pull");
    double start = cell(pull, 0, "F"); /* pressing shifts the loaded point */
    for (size_t i = 0; i < am_table_rows(pull); i++) {
        double t = cell(pull, i, "t"), swing = start * cos(omega * t) + k * V / omega * sin(omega * t);
        assert_near(cell(pull, i, "F"), swing, 0.01 * k * V / omega);
    }
    am_run_free(made);
}

/* Vertical motion of a column of Poisson's ratio 0 that sticks to a rigid base: omega = (pi/2) sqrt(E/rho)/H. */
static void test_a_column_that_sticks_vibrates_like_a_rod(void **state) {
    (void)state;
    am_blocks blocks = am_blocks_default();
    blocks.slider = (am_blocks_body){20.0, 60.0, 6.0, 3100.0, 0.0, 1.2e-3, true, false};
    blocks.base.rigid = true;
    blocks.mesh.size = 5.0;
    blocks.modes = 8;
    am_error err = {0};
    am_blocks_rig *rig = am_blocks_rig_create(&blocks, &err);
    if (!rig)
        fail_msg("%s", err.message);
    double wanted = 0.5 * pi * sqrt(3100.0 / 1.2e-3) / 60.0, nearest = INFINITY;
    for (size_t i = 0; i < rig->dynamics.modes; i++)
        if (fabs(rig->dynamics.frequency[i] - wanted) < fabs(nearest - wanted))
            nearest = rig->dynamics.frequency[i];
    assert_near(nearest / wanted, 1.0,
                1e-3); /* 24 elements to half a wave: 3 percent/(elements^2) in all, docs/solid.md */
    am_blocks_rig_free(rig);
}

/* ---- balances ---- */

/* The coordinates of a shift of the slider as a whole: all slips alike and, so that the spring deforms nothing, the
 * modes as the load of the spring's end moves them. */
static void fill_shift(const am_system *system, double *shift) {
    size_t n = am_system_size(system), m = am_system_contacts(system);
    const am_load_def *pull = am_system_load(system, am_system_loads(system) - 1);
    for (size_t i = 0; i < n; i++)
        shift[i] = i < m ? 1.0 : i < 2 * m ? 0.0 : pull->direction[i] / am_matrix_at(am_system_stiffness(system), i, i);
}

/* Momentum along that shift changes by what the spring gives and friction takes. */
static void test_the_slider_s_momentum_is_what_spring_and_friction_gave_it(void **state) {
    (void)state;
    enum { SAMPLES = 8001 };
    am_study *study = read_text(
        RIG "f: 0.3, f_s: 0.4, stiffness: 1000, speed: 0.2, modes: 4, modes_check: false, stiffness_damping: 0.01}\n"
            "analysis: {kind: motion, initial: rest, samples: 8001, until: 8}\n");
    const am_system *system = am_study_system(study);
    am_error err = {0};
    am_run *made = am_study_run(study, NULL, &err);
    assert_non_null(made);
    size_t n = am_system_size(system);
    double *M = am_memory_new(n * n + 2 * n, sizeof *M, NULL), *shift = M + n * n, *heavy = shift + n;
    am_matrix_to_dense(am_system_mass(system), M);
    fill_shift(system, shift);
    am_dense_apply(M, n, n, shift, heavy);
    assert_near(am_dense_dot(heavy, shift, n), slider_mass, 1e-9 * slider_mass); /* rounding of the factors */
    const am_table *samples = table_in(made, "samples"), *pull = table_in(made, "pull"),
                   *fronts = table_in(made, "fronts");
    size_t first = am_table_find_column(samples, "dv1"); /* v1 is a coordinate: its velocity has another name */
    assert_int_equal(am_table_rows(samples), SAMPLES);
    double impulse = 0.0, before = 0.0, most = 0.0, off = 0.0;
    for (size_t row = 0; row < SAMPLES; row++) {
        double momentum = 0.0, force = cell(pull, row, "F") - cell(fronts, row, "Q");
        for (size_t j = 0; j < n; j++)
            momentum += heavy[j] * am_table_number(samples, row, first + j);
        impulse += row > 0 ? 0.5 * (before + force) * 8.0 / (SAMPLES - 1) : 0.0; /* trapezoids */
        before = force;
        most = fmax(most, fabs(momentum));
        off = fmax(off, fabs(momentum - impulse));
    }
    assert_true(most > 20.0);       /* the slider does move */
    assert_true(off < 0.01 * most); /* friction jumps between samples, 1e-3 ms apart: about 100 N a dozen times */
    assert_true(scalar(made, "energy_residual") < 1e-12);
    assert_int_equal(scalar(made, "impacts"), 0);
    am_memory_free(M);
    am_run_free(made);
    am_study_free(study);
}

/* ---- another integrator ---- */

static double distance_of(const am_run *exact, const char *step) {
    char analysis[200];
    snprintf(analysis, sizeof analysis,
             "kind: march, method: moreau-jean, check: false, step: %s, initial: rest, samples: 33, until: 16", step);
    am_run *made =
        run_rig("f: 0.3, stiffness: 1000, speed: 0.1, modes: 4, modes_check: false, stiffness_damping: 0.02", analysis);
    const am_table *a = table_in(exact, "pull"), *b = table_in(made, "pull");
    double most = 0.0;
    assert_int_equal(am_table_rows(a), am_table_rows(b));
    for (size_t i = 0; i < am_table_rows(a); i++)
        most = fmax(most, fabs(cell(a, i, "F") - cell(b, i, "F")));
    am_run_free(made);
    return most;
}

/* Rest, partial slip, sliding: steps of impulses come to the exact motion at least in proportion to the step. */
static void test_time_steps_converge_to_the_exact_motion(void **state) {
    (void)state;
    am_run *exact =
        run_rig("f: 0.3, stiffness: 1000, speed: 0.1, modes: 4, modes_check: false, stiffness_damping: 0.02",
                "kind: motion, initial: rest, samples: 33, until: 16");
    assert_true(last(exact, "pull", "slip") > 0.3); /* all of it slides in the end */
    double coarse = distance_of(exact, "0.008"), fine = distance_of(exact, "0.002");
    assert_true(coarse < 2.0); /* of forces of 900 */
    assert_true(fine < 0.4 * coarse);
    am_run_free(exact);
}

/* Without `initial: rest` the load falls on contacts that carry nothing yet: nodes bounce, and up to seven of them take
 * part in an impact, too many for all combinations to be tried. What the bounces leave behind (0.06 N mm of them) is
 * the same by impulses over steps, up to the steps: vibrations have died down. */
static void test_a_load_that_falls_on_many_contacts_makes_them_bounce(void **state) {
    (void)state;
    static const char model[] =
        "model: {kind: blocks, slider: {density: 1.2e-3}, base: {density: 1.2e-3}, f: 0.3, "
        "control: spring, stiffness: 1000, speed: 0.1, modes: 6, modes_check: false, stiffness_damping: 0.02, "
        "mesh: {element: quad4, size: 30}}\n";
    char text[1000];
    snprintf(text, sizeof text, "%sanalysis: {kind: motion, samples: 11, until: 1}\n", model);
    am_run *exact = run_text(text);
    snprintf(text, sizeof text,
             "%sanalysis: {kind: march, method: moreau-jean, step: 0.0005, check: false, samples: 11, until: 1}\n",
             model);
    am_run *steps = run_text(text);
    assert_true(scalar(exact, "impacts") > 50);
    assert_true(scalar(exact, "unchecked_decisions") > 0); /* some were searched, not enumerated */
    assert_true(scalar(exact, "energy_residual") < 1e-12);
    const am_table *a = table_in(exact, "pull"), *b = table_in(steps, "pull");
    for (size_t i = 5; i < 11; i++) {
        assert_true(cell(a, i, "F") > 40.0);
        assert_near(cell(a, i, "F"), cell(b, i, "F"), 0.05); /* steps of 5e-4 ms */
    }
    am_run_free(exact);
    am_run_free(steps);
}

/* Pressed from zero, nodes bounce five hundred times, and some are left sliding barely faster than rounding. Setting
 * the rates of the others to zero stops or turns them, and they must count as at rest: marked as sliding, no state of
 * contact would be consistent at t = -0.93509. The energy balance is the evidence: nothing else is known of such a
 * motion. */
static void test_velocities_barely_above_rounding_stop_with_those_that_are_set_to_zero(void **state) {
    (void)state;
    am_run *made =
        run_text("model: {kind: blocks, slider: {density: 1.2e-3}, base: {density: 1.2e-3}, f: 0.47, "
                 "f_s: 0.62, Q_over_P: 0.235, modes: 2, modes_check: false, mesh: {element: quad8, size: 140}}\n"
                 "analysis: {kind: motion, samples: 3, from: -1, until: -0.9}\n");
    assert_true(scalar(made, "impacts") > 100);
    assert_true(scalar(made, "energy_residual") < 1e-12);
    assert_true(scalar(made, "complementarity_residual") < 1e-11);
    am_run_free(made);
}

/* Seven nodes without friction, too many for all combinations to be tried: the impulses are one complementarity problem
 * of the normals alone. Impulses over steps lead to the same force, up to the steps. */
static void test_many_contacts_without_friction_bounce(void **state) {
    (void)state;
    static const char model[] =
        "model: {kind: blocks, slider: {density: 1.2e-3}, base: {density: 1.2e-3}, f: 0, "
        "gravity: 10, control: spring, stiffness: 1000, speed: 0.1, modes: 6, modes_check: false, "
        "mesh: {element: quad4, size: 30}}\n";
    char text[1000];
    snprintf(text, sizeof text, "%sanalysis: {kind: motion, samples: 3, from: -1, until: -0.93}\n", model);
    am_run *exact = run_text(text);
    snprintf(text, sizeof text,
             "%sanalysis: {kind: march, method: moreau-jean, step: 2e-5, check: false, samples: 3, from: -1, "
             "until: -0.93}\n",
             model);
    am_run *steps = run_text(text);
    assert_true(scalar(exact, "impacts") > 100);
    assert_true(scalar(exact, "unchecked_decisions") > 0); /* some were searched, not enumerated */
    assert_true(scalar(exact, "energy_residual") < 1e-12);
    assert_near(scalar(exact, "loss_friction"), 0.0, 0.0);
    assert_near(scalar(steps, "P") / scalar(exact, "P"), 1.0, 1e-3); /* 4e-4, and half of it with half the step */
    am_run_free(exact);
    am_run_free(steps);
}

/* ---- stick-slip ---- */

/* s - f P changes its sign between two rests, whatever the speed (docs/blocks.md); the elastic slider also swings in
 * itself, by some hundredths of the drop. With one coefficient there is no drop. */
static void test_a_drop_is_that_of_one_mass_that_lets_go_at_the_same_force(void **state) {
    (void)state;
    static const char analysis[] = "kind: motion, initial: rest, samples: 2001, until: 25";
    am_run *two =
        run_rig("f: 0.3, f_s: 0.45, stiffness: 1000, speed: 0.1, modes: 4, modes_check: false, stiffness_damping: 0.03",
                analysis);
    am_run *one =
        run_rig("f: 0.3, stiffness: 1000, speed: 0.1, modes: 4, modes_check: false, stiffness_damping: 0.03", analysis);
    assert_true(scalar(two, "drops") >= 2);
    assert_near(scalar(two, "drop_over_one_mass"), 1.0, 0.05);
    assert_near(scalar(two, "one_mass_drop"), 2.0 * 0.15 * 3000, 1e-9);
    assert_true(scalar(two, "peak_over_P") < 0.45 && scalar(two, "peak_over_P") > 0.3);
    assert_int_equal(scalar(one, "drops"), 0);
    am_run_free(two);
    am_run_free(one);
}

/* ---- rest ---- */

static void test_a_structure_at_rest_stays_there(void **state) {
    (void)state;
    am_run *made = run_text("model: {kind: structure, stiffness: [[3, -1], [-1, 2]], mass: [1, 1], names: [v1, w1], "
                            "contacts: [{normal: [0, 1], tangent: [1, 0], friction: 0.4}], "
                            "loads: [{direction: [0.2, -1], constant: 1}]}\n"
                            "analysis: {kind: motion, initial: rest, until: 20, samples: 3}\n");
    const am_table *samples = table_in(made, "samples");
    for (size_t i = 0; i < 3; i++) {
        assert_near(cell(samples, i, "v1"), cell(samples, 0, "v1"), 1e-15);
        assert_near(cell(samples, i, "v_v1"), 0.0, 1e-15); /* rounding */
        assert_near(cell(samples, i, "v_w1"), 0.0, 1e-15);
        assert_near(cell(samples, i, "N1"), 1.0 - cell(samples, 0, "v1"), 1e-12);
    }
    assert_int_equal(scalar(made, "state_changes"), 0);
    am_run_free(made);
}

/* ---- what is refused ---- */

static void refused(const char *more, const char *analysis, const char *words) {
    char text[2000];
    am_error err = {0};
    snprintf(text, sizeof text, "model: {kind: blocks, mesh: {size: 70}, %s}\nanalysis: {%s}\n", more, analysis);
    am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
    assert_null(study);
    assert_says(&err, words);
}

static void test_dynamics_that_make_no_sense_are_refused(void **state) {
    (void)state;
    static const char motion[] = "kind: motion, until: 1";
    refused("modes: 4", motion, "the slider has no density");
    refused("modes: 4, slider: {density: 1}", motion, "the base has no density");
    refused("modes: 4, slider: {density: 1}, base: {density: 1}, control: displacement, push: 1", motion,
            "would start with a blow");
    refused("control: spring, stiffness: 1, push: 1, speed: 1", motion, "give one of them");
    refused("speed: 1", motion, "speed has no use with control `force`");
    refused("modes: 4, slider: {density: 1}, base: {density: 1}", "kind: motion, until: 1, initial: stand",
            "one of the words rest");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_pulling_is_the_quasi_static_path_but_for_inertia),
        cmocka_unit_test(test_a_path_does_not_see_the_modes),
        cmocka_unit_test(test_a_slider_without_friction_swings_like_one_mass),
        cmocka_unit_test(test_a_column_that_sticks_vibrates_like_a_rod),
        cmocka_unit_test(test_the_slider_s_momentum_is_what_spring_and_friction_gave_it),
        cmocka_unit_test(test_time_steps_converge_to_the_exact_motion),
        cmocka_unit_test(test_a_load_that_falls_on_many_contacts_makes_them_bounce),
        cmocka_unit_test(test_velocities_barely_above_rounding_stop_with_those_that_are_set_to_zero),
        cmocka_unit_test(test_many_contacts_without_friction_bounce),
        cmocka_unit_test(test_a_drop_is_that_of_one_mass_that_lets_go_at_the_same_force),
        cmocka_unit_test(test_a_structure_at_rest_stays_there),
        cmocka_unit_test(test_dynamics_that_make_no_sense_are_refused),
    };
    if (!am_sparse_available())
        return 0; /* finite elements need MUMPS */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
