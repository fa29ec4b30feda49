/* Compliant laws, tables of contacts and modes, the squeal table and tables of sweeps as a study names them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/output.h"
#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "study_text.h"

#define STABILITY "analysis: {kind: stability}\n"

static void refused(const char *text, const char *words) {
    am_error err = {0};
    am_study *study = am_study_parse("/test.yaml", text, 0, NULL, false, &err);
    if (study)
        fail_msg("accepted:\n%s", text);
    assert_int_equal(err.status, AM_ERR_INPUT);
    if (!strstr(err.message, words))
        fail_msg("of\n%s\nit says '%s', not '%s'", text, err.message, words);
}

/* ---- Laws ---- */

#define BLOCK(contact)                                                                                                 \
    "title: block\nmodel:\n  kind: structure\n  mass: [1, 1]\n  damping: [0.1, 0.1]\n  stiffness: [1, 2]\n"            \
    "  circulatory: [[0, 0.1], [-0.2, 0]]\n  contacts:\n    - {tangent: [1, 0], normal: [0.2, 1], friction: 0.3, "     \
    "surface_velocity: 1, " contact "}\n  loads: [{direction: [0, -1], constant: 1}]\n" STABILITY

static void every_law_is_written_as_it_was_read(void **state) {
    (void)state;
    static const char *const studies[] = {
        BLOCK("law: kelvin-voigt, contact_stiffness: 100, contact_damping: 0.25"),
        BLOCK("law: hunt-crossley, contact_stiffness: 100, contact_exponent: 1.5, contact_dissipation: 0.5"),
        BLOCK("law: hunt-crossley, contact_stiffness: 100, regularisation: 1.0e-4"), BLOCK("restitution: 0.5")};
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
        am_error err = {0};
        am_study *first = read_text(studies[i]);
        char *once = am_study_show(first, &err);
        assert_non_null(once);
        assert_non_null(strstr(once, "circulatory"));
        am_study *second = read_text(once);
        char *twice = am_study_show(second, &err);
        assert_string_equal(once, twice);
        am_run *a = run_text(studies[i]), *b = run_text(once);
        assert_near(scalar(a, "growth_rate"), scalar(b, "growth_rate"), 0);
        assert_near(scalar(a, "N1"), scalar(b, "N1"), 0);
        am_run_free(a);
        am_run_free(b);
        am_output_text_free(once);
        am_output_text_free(twice);
        am_study_free(first);
        am_study_free(second);
    }
}

static void numbers_of_another_law_are_refused(void **state) {
    (void)state;
    refused(BLOCK("contact_stiffness: 100"),
            "contact_stiffness is only for a contact with law: spring, kelvin-voigt, ");
    refused(BLOCK("law: hunt-crossley, contact_stiffness: 100, contact_damping: 1"),
            "contact_damping is only for a contact with law: kelvin-voigt");
    refused(BLOCK("law: kelvin-voigt, contact_stiffness: 100, contact_exponent: 1.5"),
            "contact_exponent is only for a contact with law: hunt-crossley");
    refused(BLOCK("law: kelvin-voigt, contact_stiffness: 100, restitution: 0.5"), "restitution is only for");
    refused(BLOCK("law: kelvin-voigt"), "needs the key 'contact_stiffness'");
    refused(BLOCK("law: kelvin-voigt, contact_stiffness: 0"), "contact_stiffness must be positive");
    refused(BLOCK("law: kelvin-voigt, contact_stiffness: 1, contact_damping: -1"), "contact_damping must");
    refused(BLOCK("law: hunt-crossley, contact_stiffness: 1, contact_exponent: 0.5"), "at least 1");
    refused(BLOCK("law: kelvin-vogt, contact_stiffness: 1"), "did you mean 'kelvin-voigt'");
}

static void laws_are_listed(void **state) {
    (void)state;
    char *text = am_study_list("laws", NULL);
    assert_non_null(text);
    assert_non_null(strstr(text, "kelvin-voigt"));
    assert_non_null(strstr(text, "hunt-crossley"));
    assert_non_null(strstr(text, "regularised"));
    am_output_text_free(text);
}

/* ---- Two-mode ---- */

static void Delta_sets_f1_and_excludes_it(void **state) {
    (void)state;
    am_run *a = run_text("model: {kind: two-mode, K_r: 0.5, C_r: 0.2, Delta: 0.3, lambda2: 2}\n" STABILITY);
    am_run *b = run_text("model: {kind: two-mode, K_r: 0.5, C_r: 0.2, f1: 0.6, lambda2: 2}\n" STABILITY);
    assert_near(scalar(a, "growth_rate"), scalar(b, "growth_rate"), 1e-15);
    assert_near(scalar(a, "frequency"), scalar(b, "frequency"), 1e-15);
    am_run_free(a);
    am_run_free(b);
    refused("model: {kind: two-mode, f1: 0.6, Delta: 0.3}\n" STABILITY, "f1 and Delta say the same thing");
    refused("model: {kind: two-mode, f2: 0, Delta: 0.3}\n" STABILITY, "needs an f2 that is not zero");
    refused("model: {kind: two-mode, v_s: 0}\n" STABILITY, "the surface must slide");
    refused("model: {kind: two-mode, c1: -1}\n" STABILITY, "c1 must be zero or positive");
    refused("model: {kind: two-mode, contact: {kind: kelvin-voigt, K_c: 0}}\n" STABILITY, "K_c must be positive");
}

static void thresholds_come_with_their_closed_forms(void **state) {
    (void)state;
    am_run *run = run_text("model: {kind: two-mode, K_r: 0.5, C_r: 0.2, contact: {kind: kelvin-voigt, K_c: 1.0e6}}\n"
                           "analysis: {kind: stability, threshold: Delta}\n");
    assert_near(scalar(run, "critical"), 0.2, 1e-6); /* first order in 1/K_c */
    assert_near(scalar(run, "stiff_limit"), 0.2, 1e-15);
    assert_near(scalar(run, "rigid_limit"), 1, 0);
    am_run_free(run);
}

/* ---- Tables of modes and contacts ---- */

static const char *write_file(const char *name, const char *text) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", AMONTONS_BINARY_DIR, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

#define ROWS "friction: 0.4, law: kelvin-voigt, contact_stiffness: [20, 30], preload: 2}}\n" STABILITY

static void modes_are_the_same_from_lists_and_from_files(void **state) {
    (void)state;
    char text[16384], csv[4096], market[4096];
    snprintf(csv, sizeof csv, "%s", write_file("modes_normal.csv", "# modes\none, two, three\n1, 0.5, 0\n0.2;0 -1\n"));
    snprintf(market, sizeof market, "%s",
             write_file("modes_tangent.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 5\n1 1 -0.5\n1 2 1\n"
                                             "1 3 0.1\n2 1 0.3\n2 3 1\n"));
    am_run *a =
        run_text("model: {kind: modes, frequency: [10, 11, 20], damping_ratio: 0.01, mass: [1, 2, 1], "
                 "contact_rows: {normal: [[1, 0.5, 0], [0.2, 0, -1]], tangent: [[-0.5, 1, 0.1], [0.3, 0, 1]], " ROWS);
    snprintf(text, sizeof text,
             "model: {kind: modes, stiffness: [100, 242, 400], damping_ratio: [0.01, 0.01, 0.01], mass: [1, 2, 1], "
             "contact_rows: {normal: {file: %s}, tangent: {file: %s}, " ROWS,
             csv, market);
    am_run *b = run_text(text);
    /* The same as a structure, each contact in full. */
    am_run *c = run_text(
        "model: {kind: structure, mass: [1, 2, 1], stiffness: [100, 242, 400], damping: [0.2, 0.44, 0.4], contacts: ["
        "{normal: [1, 0.5, 0], tangent: [-0.5, 1, 0.1], friction: 0.4, surface_velocity: 1, law: kelvin-voigt, "
        "contact_stiffness: 20}, {normal: [0.2, 0, -1], tangent: [0.3, 0, 1], friction: 0.4, surface_velocity: 1, law: "
        "kelvin-voigt, contact_stiffness: 30}], loads: [{direction: [-2.4, -1, 2], constant: 1}]}\n" STABILITY);
    static const char *const names[] = {"growth_rate", "frequency", "N1", "N2", "q1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) { /* 2 zeta omega is rounded differently */
        assert_near(scalar(b, names[i]), scalar(a, names[i]), 1e-12);
        assert_near(scalar(c, names[i]), scalar(a, names[i]), 1e-12);
    }
    am_run_free(a);
    am_run_free(b);
    am_run_free(c);
}

static void contact_rows_of_a_structure_are_contacts_like_others(void **state) {
    (void)state;
    am_run *a = run_text("model: {kind: structure, mass: [1, 1], damping: [0.1, 0.1], stiffness: [1, 2], contact_rows: "
                         "{normal: [[0.2, 1]], tangent: [[1, 0]], friction: 0.3}}\n" STABILITY);
    am_run *b = run_text("model: {kind: structure, mass: [1, 1], damping: [0.1, 0.1], stiffness: [1, 2], contacts: "
                         "[{normal: [0.2, 1], tangent: [1, 0], friction: 0.3, surface_velocity: 1}], loads: "
                         "[{direction: [-0.2, -1], constant: 1}]}\n" STABILITY);
    assert_near(scalar(a, "growth_rate"), scalar(b, "growth_rate"), 0);
    assert_near(scalar(a, "N1"), scalar(b, "N1"), 0);
    am_run_free(a);
    am_run_free(b);
}

static void faults_of_tables_are_named(void **state) {
    (void)state;
    char text[16384], path[4096];
#define MODES(first, rows) "model: {kind: modes, " first ", contact_rows: {" rows "}}\n" STABILITY
    refused(MODES("frequency: [1, 2]", "normal: [[1, 0, 0]], tangent: [[0, 1, 0]], friction: 0.1"),
            "normal must have one row per contact with one number per coordinate: 2 columns, not 3");
    refused(MODES("frequency: [1, 2]", "normal: [[1], [0]], tangent: [[0], [1]], friction: 0.1"), "is it transposed?");
    refused(MODES("frequency: [1, 2]", "normal: [[1, 0]], tangent: [[0, 1], [1, 0]], friction: 0.1"),
            "tangent has 2 rows, one per contact, where normal has 1");
    refused(MODES("frequency: [1, 2]", "normal: [[1, 0]], tangent: [[0, 1]], friction: [0.1, 0.2]"),
            "friction must be one number, or one per contact: 1");
    refused(MODES("frequency: [1, 2]", "normal: [[1, 0]], tangent: [[0, 1]], friction: -0.1"), "friction must");
    refused(MODES("frequency: [1, 2]", "normal: [[1, 0]], tangent: [[0, 1]], friction: 0.1, law: kelvin-voigt"),
            "needs the key 'contact_stiffness'");
    refused(MODES("frequency: [1, -2]", "normal: [[1, 0]], tangent: [[0, 1]], friction: 0.1"), "frequency of mode 2");
    refused(MODES("mass: 1", "normal: [[1, 0]], tangent: [[0, 1]], friction: 0.1"), "needs one of the keys");
    refused(MODES("frequency: [1], hertz: [1]", "normal: [[1]], tangent: [[1]], friction: 0.1"), "not several");
    snprintf(path, sizeof path, "%s", write_file("modes_wrong.csv", "1, 2\n3, x\n"));
    snprintf(text, sizeof text, MODES("frequency: [1, 2]", "normal: {file: %s}, tangent: [[0, 1]], friction: 0.1"),
             path);
    refused(text, "modes_wrong.csv:2:4: 'x' stands where a finite number was expected");
    snprintf(path, sizeof path, "%s", write_file("modes_wrong.csv", "1, 2\n3\n"));
    refused(text, "modes_wrong.csv:2:1: 1 numbers where the first row has 2");
    snprintf(path, sizeof path, "%s", write_file("modes_wrong.csv", "a, b\n"));
    refused(text, "there are no numbers in this file");
}

/* ---- The squeal table, and tables of a sweep ---- */

#define BRAKE "model: {kind: disc-pad, disc: {modes: 5}, pad: {modes: 4}, lining: {contacts: 3}}\n" STABILITY

static void the_squeal_table_has_a_row_per_mode_in_order(void **state) {
    (void)state;
    am_run *run = run_text(BRAKE);
    const am_table *squeal = am_result_find_table(am_run_report(run)->result, "squeal");
    const am_table *all = am_result_find_table(am_run_report(run)->result, "eigenvalues");
    static const char *const columns[] = {"mode",          "real",     "imaginary", "hertz",
                                          "damping_ratio", "unstable", "coordinate"};
    assert_non_null(squeal);
    assert_int_equal(am_table_columns(squeal), 7);
    for (size_t c = 0; c < 7; c++)
        assert_string_equal(am_table_column_name(squeal, c), columns[c]);
    assert_int_equal(am_table_rows(squeal), 13); /* 5 + 2 x 4, all of them vibrations */
    assert_int_equal(am_table_rows(all), 26);
    size_t unstable = 0;
    for (size_t r = 0; r < 13; r++) {
        double re = am_table_number(squeal, r, 1), im = am_table_number(squeal, r, 2);
        assert_true(am_table_number(squeal, r, 0) == (double)(r + 1));
        assert_true(r == 0 || am_table_number(squeal, r, 3) >= am_table_number(squeal, r - 1, 3));
        assert_near(am_table_number(squeal, r, 3), im / 6.28318530717958647692, 1e-9);
        assert_near(am_table_number(squeal, r, 4), -re / hypot(re, im), 1e-14);
        assert_true(am_table_number(squeal, r, 5) == (re > 0));
        assert_true(strlen(am_table_text(squeal, r, 6)) > 0);
        unstable += re > 0;
    }
    assert_near(scalar(run, "unstable_modes"), (double)unstable, 0);
    am_run_free(run);
}

/* Also those beyond the fifty whose shapes are listed. */
static void every_mode_of_the_squeal_table_has_its_coordinate(void **state) {
    (void)state;
    am_run *run =
        run_text("model: {kind: disc-pad, disc: {modes: 52}, pad: {modes: 4}, lining: {contacts: 3}}\n" STABILITY);
    const am_table *squeal = am_result_find_table(am_run_report(run)->result, "squeal");
    assert_int_equal(am_table_rows(squeal), 60);
    for (size_t r = 0; r < 60; r++)
        assert_true(strlen(am_table_text(squeal, r, 6)) > 0);
    am_run_free(run);
}

static void a_sweep_keeps_tables_of_all_points(void **state) {
    (void)state;
    am_run *run = run_text(BRAKE "sweep: {axes: {model.mu: [0, 0.5], model.force: [1000, 2000, 3000]}, outputs: "
                                 "[growth_rate], tables: [squeal]}\n");
    const am_table *squeal = am_result_find_table(am_run_report(run)->result, "squeal");
    assert_non_null(squeal);
    assert_int_equal(am_table_rows(squeal), 6 * 13);
    assert_int_equal(am_table_columns(squeal), 2 + 7);
    assert_string_equal(am_table_column_name(squeal, 0), "model.mu");
    for (size_t r = 0; r < 6 * 13; r++) {
        assert_true(am_table_number(squeal, r, 0) == (r < 3 * 13 ? 0 : 0.5));
        assert_true(am_table_number(squeal, r, 1) == 1000.0 * (double)(1 + r / 13 % 3));
        assert_true(am_table_number(squeal, r, 2) == (double)(r % 13 + 1));
    }
    am_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_is_written_as_it_was_read),
        cmocka_unit_test(numbers_of_another_law_are_refused),
        cmocka_unit_test(laws_are_listed),
        cmocka_unit_test(Delta_sets_f1_and_excludes_it),
        cmocka_unit_test(thresholds_come_with_their_closed_forms),
        cmocka_unit_test(modes_are_the_same_from_lists_and_from_files),
        cmocka_unit_test(contact_rows_of_a_structure_are_contacts_like_others),
        cmocka_unit_test(faults_of_tables_are_named),
        cmocka_unit_test(the_squeal_table_has_a_row_per_mode_in_order),
        cmocka_unit_test(every_mode_of_the_squeal_table_has_its_coordinate),
        cmocka_unit_test(a_sweep_keeps_tables_of_all_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
