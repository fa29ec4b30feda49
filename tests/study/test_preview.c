/* A branch drawn again for other numbers from the points it had: they are points of the branch that is followed then, and
 * what is followed afterwards does not know of it. */
#include <math.h>
#include <stdio.h>

#include "amontons/study.h"
#include "cases.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "study_text.h"
#include "uniform.h"

enum { TEXT = 2048, POINTS = 60, VALUES = 4 };

/* A damped slider beside a cubic spring; the numbers that are dragged, and what is asked. */
static const char structure[] =
    "model: {kind: structure, mass: [[1]], stiffness: [[1]], damping: [[%.17g]], Omega: 1, "
    "contacts: [{tangent: [1], law: held, hold: {constant: 1}, friction: %.17g, tangential_stiffness: 0.5}], "
    "polynomials: [{direction: [1], terms: [{coefficient: %.17g, displacement: 3}]}], "
    "loads: [{direction: [1], sine: {amplitude: 1, multiple: 1}}]}\n%s\n";

typedef struct numbers {
    double damping, friction, cubic;
} numbers;

static am_run *run(const numbers *n, const char *question, am_trace *trace, size_t preview) {
    char all[TEXT];
    am_error err = {0};
    const am_progress progress = {.threads = 1, .trace = trace, .preview = preview};
    snprintf(all, sizeof all, structure, n->damping, n->friction, n->cubic, question);
    am_study *study = read_text(all);
    am_run *made = am_study_run(study, &progress, &err);
    am_study_free(study);
    if (!made)
        fail_msg("%s: %s", question, err.message);
    return made;
}

static const am_result *result_of(const am_run *made) {
    return am_run_report(made)->result;
}

static bool is_preview(const am_run *made) {
    return am_result_find(result_of(made), "preview") != NULL;
}

static am_trace *new_trace(void) {
    am_trace *trace = am_trace_create(NULL);
    assert_non_null(trace);
    return trace;
}

/* The distance of `y` at `x` from the points of the table that have this x, of which there is one at least. */
static double nearest(const am_table *table, const char *x_name, double x, const char *y_name, double y) {
    double least = INFINITY;
    for (size_t i = 0; i < am_table_rows(table); i++)
        if (fabs(cell(table, i, x_name) - x) <= 1e-13 * fabs(x))
            least = fmin(least, fabs(cell(table, i, y_name) - y));
    return least;
}

/* Some of the points of a preview are points of the branch that is followed anew, which is made to pass their x. The
 * preview is right to 1e-6 of the largest motion by each of its corrections, and folds make more of it along y. */
static void check_points(const numbers *n, const char *form, const am_run *preview, const char *name, const char *x,
                         const char *y) {
    const am_table *table = table_of(result_of(preview), name);
    char question[512], values[256] = "";
    size_t count = am_table_rows(table), length = 0, at[VALUES];
    double largest = 0.0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, cell(table, i, y));
    for (size_t k = 0; k < VALUES; k++) {
        at[k] = (2 * k + 1) * count / (2 * VALUES);
        length +=
            (size_t)snprintf(values + length, sizeof values - length, "%s%.17g", k ? ", " : "", cell(table, at[k], x));
    }
    snprintf(question, sizeof question, form, values);
    am_run *followed = run(n, question, NULL, 0);
    for (size_t k = 0; k < VALUES; k++) {
        double p = cell(table, at[k], x),
               apart = nearest(table_of(result_of(followed), name), x, p, y, cell(table, at[k], y));
        if (!(apart <= 3e-5 * largest))
            fail_msg("at %s = %.17g the preview is %g off the branch, whose %s reaches %g", x, p, apart, y, largest);
    }
    am_run_free(followed);
}

static numbers moved(const numbers *n, uint64_t *seed) {
    return (numbers){n->damping * uniform(seed, 0.95, 1.05), n->friction * uniform(seed, 0.95, 1.05),
                     n->cubic * uniform(seed, 0.95, 1.05)};
}

/* Several steps of a slider, one after the other. */
static void drag(const char *form, const char *name, const char *x, const char *y, uint64_t seed) {
    numbers n = {uniform(&seed, 0.05, 0.2), uniform(&seed, 0.2, 0.6), uniform(&seed, 0.0, 0.2)};
    am_trace *trace = new_trace();
    char question[512];
    snprintf(question, sizeof question, form, "1");
    am_run_free(run(&n, question, trace, 0));
    for (int step = 0; step < 2; step++) {
        n = moved(&n, &seed);
        am_run *preview = run(&n, question, trace, POINTS);
        assert_true(is_preview(preview));
        size_t points = rows(result_of(preview), name);
        assert_in_range(points, POINTS / 2, 2 * POINTS);
        if (!(number(result_of(preview), "preview_lost") <= 0.1 * (double)points))
            fail_msg("%g of %zu points are lost", number(result_of(preview), "preview_lost"), points);
        check_points(&n, form, preview, name, x, y);
        am_run_free(preview);
    }
    am_run *whole = run(&n, question, trace, 0), *fresh = run(&n, question, NULL, 0);
    assert_false(is_preview(whole));
    assert_true(tables_hash(result_of(whole)) == tables_hash(result_of(fresh)));
    am_run_free(whole);
    am_run_free(fresh);
    am_trace_free(trace);
}

static void test_response_is_drawn_again(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES(3, 1); seed++)
        drag("analysis: {kind: response, over: Omega, from: 0.5, to: 2, harmonics: 3, stability: none, values: [%s]}",
             "branch", "Omega", "amplitude", seed);
}

static void test_backbone_is_drawn_again(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES(3, 1); seed++)
        drag("analysis: {kind: backbone, from: 0.1, to: 10, harmonics: 3, stability: none, values: [%s]}", "backbone",
             "amplitude", "frequency", seed);
}

/* Where much of the branch is not found again there is no preview: what is one reaches from end to end, however often
 * numbers jump. */
static void test_pictures_do_not_wear_away(void **state) {
    static const char question[] =
        "analysis: {kind: response, over: Omega, from: 0.5, to: 2, harmonics: 1, stability: none}";
    uint64_t seed = 7;
    size_t previews = 0;
    (void)state;
    am_trace *trace = new_trace();
    for (int jump = 0; jump < CASES(60, 10); jump++) {
        numbers n = {uniform(&seed, 0.01, 0.3), uniform(&seed, 0.05, 2.0), uniform(&seed, 0.0, 2.0)};
        am_run *made = run(&n, question, trace, POINTS);
        const am_table *table = table_of(result_of(made), "branch");
        size_t count = am_table_rows(table);
        previews += is_preview(made);
        assert_true(count >= POINTS / 2);
        am_run *followed = run(&n, question, NULL, 0);
        /* corners of lines between its points are no farther apart than a tenth of the curve */
        assert_near(number(result_of(made), "peak"), number(result_of(followed), "peak"),
                    0.05 * number(result_of(followed), "peak"));
        am_run_free(followed);
        assert_true(cell(table, 0, "Omega") == 0.5 && fabs(cell(table, count - 1, "Omega") - 2.0) <= 1e-12);
        am_run_free(made);
    }
    assert_in_range(previews, 1, CASES(60, 10) - 1);
    am_trace_free(trace);
}

/* Orbits are closed at the same values of the parameter. */
static void test_followed_orbit_is_drawn_again(void **state) {
    static const char question[] =
        "analysis: {kind: orbit}\nfollow: {parameter: model.Omega, from: 0.6, to: 1.4, step: 0.04}";
    (void)state;
    numbers n = {0.1, 0.4, 0.1};
    am_trace *trace = new_trace();
    am_run_free(run(&n, question, trace, 0));
    n.friction = 0.43;
    am_run *preview = run(&n, question, trace, POINTS), *followed = run(&n, question, NULL, 0);
    const am_table *points = table_of(result_of(preview), "branch"), *all = table_of(result_of(followed), "branch");
    assert_true(is_preview(preview) && am_table_rows(points) >= 15);
    size_t met = 0;
    for (size_t i = 0; i < am_table_rows(points); i++) { /* multipliers are right to rounding, some 1e-10 */
        double apart =
            nearest(all, "model.Omega", cell(points, i, "model.Omega"), "multiplier", cell(points, i, "multiplier"));
        met += isfinite(apart);
        assert_true(!isfinite(apart) || apart <= 1e-8);
    }
    assert_true(met >= 15);
    am_run_free(preview);
    am_run_free(followed);
    am_trace_free(trace);
}

/* What a trace does not have is followed as ever: another parameter, other harmonics, another analysis, nothing. */
static void test_what_does_not_fit_is_followed(void **state) {
    static const char *const questions[] = {
        "analysis: {kind: response, over: \"contacts.0.friction\", from: 0.2, to: 0.9, harmonics: 3}",
        "analysis: {kind: response, over: Omega, from: 0.5, to: 2, harmonics: 1, stability: none}",
        "analysis: {kind: response, harmonics: 3}",
        "analysis: {kind: backbone, from: 0.1, to: 1, harmonics: 3, stability: none}",
    };
    static const char first[] =
        "analysis: {kind: response, over: Omega, from: 0.5, to: 2, harmonics: 3, stability: none}";
    const numbers n = {0.1, 0.3, 0.05};
    (void)state;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        am_trace *trace = new_trace();
        am_run *empty = run(&n, first, trace, POINTS), *other = run(&n, questions[i], trace, POINTS);
        am_run *fresh = run(&n, questions[i], NULL, 0);
        assert_false(is_preview(empty) || is_preview(other));
        assert_true(tables_hash(result_of(other)) == tables_hash(result_of(fresh)));
        am_run_free(empty);
        am_run_free(other);
        am_run_free(fresh);
        am_trace_free(trace);
    }
}

/* Expectations are about the whole, and what is asked `also` takes as long as ever. */
static void test_preview_is_the_question_alone(void **state) {
    static const char question[] =
        "analysis: {kind: response, over: Omega, from: 0.5, to: 2, harmonics: 3, stability: none}\n"
        "also: {mode: {kind: backbone, from: 0.1, to: 1, harmonics: 1, stability: none}}\nexpect: {folds: 77}";
    const numbers n = {0.1, 0.3, 0.05};
    (void)state;
    am_trace *trace = new_trace();
    am_run *whole = run(&n, question, trace, 0), *preview = run(&n, question, trace, POINTS);
    assert_false(am_run_met(whole));
    assert_true(is_preview(preview) && am_run_met(preview) && am_run_report(preview)->expectation_count == 0);
    assert_non_null(am_result_find_table(result_of(whole), "mode.backbone"));
    assert_null(am_result_find_table(result_of(preview), "mode.backbone"));
    am_run_free(whole);
    am_run_free(preview);
    am_trace_free(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_response_is_drawn_again),       cmocka_unit_test(test_backbone_is_drawn_again),
        cmocka_unit_test(test_followed_orbit_is_drawn_again), cmocka_unit_test(test_what_does_not_fit_is_followed),
        cmocka_unit_test(test_preview_is_the_question_alone), cmocka_unit_test(test_pictures_do_not_wear_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
