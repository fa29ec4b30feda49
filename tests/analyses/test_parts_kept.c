/* What is kept of an analysis that is stopped: marked, and the beginning of what the whole would have been. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/amontons.h"
#include "cases.h"
#include "study_text.h"
#include "uniform.h"

/* Wanted until it was asked so many times; 0: always. */
typedef struct patience {
    size_t left, asked;
} patience;

static bool wanted(void *context, double fraction) {
    (void)fraction;
    patience *p = context;
    p->asked++;
    return p->left == 0 || p->asked <= p->left;
}

typedef struct sample {
    const char *name, *text;
    const char *table; /* whose rows are a beginning */
    const char *open;  /* columns, separated by spaces, that may not be known yet */
    const char *fate;  /* a column that says `not run` where a row is still to come; NULL: there are no such rows */
} sample;

static bool is_open(const sample *s, const char *column) {
    const char *found = s->open ? strstr(s->open, column) : NULL;
    size_t length = strlen(column);
    return found && (found == s->open || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0');
}

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static bool is_to_come(const sample *s, const am_table *part, size_t row) {
    return s->fate && !strcmp(am_table_text(part, row, am_table_find_column(part, s->fate)), "not run");
}

/* Every row of the part is the same row of the whole. */
static void assert_beginning(const sample *s, const am_table *part, const am_table *whole) {
    assert_non_null(part);
    assert_int_equal(am_table_columns(part), am_table_columns(whole));
    assert_true(am_table_rows(part) > 0 && am_table_rows(part) <= am_table_rows(whole));
    for (size_t c = 0; c < am_table_columns(part); c++) {
        const char *column = am_table_column_name(part, c);
        assert_string_equal(column, am_table_column_name(whole, c));
        for (size_t r = 0; r < am_table_rows(part) && !is_open(s, column); r++) {
            bool text = am_table_column_kind(part, c) == AM_COLUMN_TEXT;
            if (is_to_come(s, part, r))
                continue;
            if (text ? strcmp(am_table_text(part, r, c), am_table_text(whole, r, c)) != 0
                     : !same_number(am_table_number(part, r, c), am_table_number(whole, r, c)))
                fail_msg("%s: %s of row %zu is not that of the whole", s->name, column, r);
        }
    }
}

/* So many starts are still to come: those that say so, and those that are not listed. */
static void assert_rest(const sample *s, const am_result *result, const am_table *whole) {
    const am_table *part = am_result_find_table(result, s->table);
    const am_scalar *rest = am_result_find(result, "not_run");
    size_t to_come = s->fate ? am_table_rows(whole) - am_table_rows(part) : 0;
    for (size_t r = 0; r < am_table_rows(part); r++)
        to_come += is_to_come(s, part, r);
    assert_true(rest ? rest->number == (double)to_come && to_come > 0 : to_come == 0);
}

static am_run *run_with(const am_study *study, patience *p, am_error *err) {
    am_progress progress = {.report = wanted, .context = p, .threads = 1};
    return am_study_run(study, &progress, err);
}

/* Stopped at random moments spread from the first question to the last. Returns how many left a part. */
static size_t stop_often(const sample *s, const am_study *study, const am_run *whole, size_t questions) {
    const am_table *all = am_result_find_table(am_run_report(whole)->result, s->table);
    enum { STOPS = CASES(12, 4) };
    size_t kept = 0;
    uint64_t seed = 3;
    assert_non_null(all);
    for (size_t i = 0; i < STOPS; i++) {
        am_error err = {0};
        double share = ((double)i + uniform(&seed, 0.0, 1.0)) / STOPS;
        patience p = {.left = 1 + (size_t)(share * ((double)questions - 1.5))};
        am_run *part = run_with(study, &p, &err);
        assert_int_equal(err.status, AM_ERR_INTERRUPTED);
        if (!part)
            continue;
        kept++;
        const am_result *result = am_run_report(part)->result;
        const am_scalar *mark = am_result_find(result, "interrupted");
        assert_true(am_run_interrupted(part) && mark && mark->number == 1.0);
        assert_beginning(s, am_result_find_table(result, s->table), all);
        assert_rest(s, result, all);
        am_run_free(part);
    }
    return kept;
}

static void check(const sample *s) {
    patience p = {0};
    am_error err = {0};
    am_study *study = read_text(s->text);
    am_run *whole = run_with(study, &p, &err);
    if (!whole)
        fail_msg("%s: %s", s->name, err.message);
    assert_null(am_result_find(am_run_report(whole)->result, "interrupted"));
    assert_true(p.asked > 8);
    size_t kept = stop_often(s, study, whole, p.asked);
    print_message("%s: asked %zu times, %zu parts kept\n", s->name, p.asked, kept);
    assert_true(kept > 0);
    am_run_free(whole);
    am_study_free(study);
}

static void a_branch_is_kept_as_far_as_it_was_followed(void **state) {
    (void)state;
    check(&(sample){.name = "response",
                    .text = "model: {kind: bladed-disc, sectors: 4, engine_order: 1, normal_load: 0.25}\n"
                            "analysis: {kind: response, harmonics: 7, over: Omega, from: 0.27, to: 0.37}\n",
                    .table = "branch",
                    .open = "stable exponent multiplier exact withheld"});
}

static void the_loads_of_a_slip_path_are_kept(void **state) {
    (void)state;
    check(&(sample){.name = "slip",
                    .text = "model: {kind: hertz, P: 1}\n"
                            "analysis: {kind: slip, method: boundary-elements, nodes: 150, steps: 12, path: [{P: 1}, "
                            "{P: 2, Q_over_fP0: 1.2}, {P: 1.5}, {Q_over_fP0: 0.6}]}\n",
                    .table = "path"});
}

/* Final states of contact. */
static void fates_of_starts_are_kept(void **state) {
    (void)state;
    check(&(sample){
        .name = "attractors, final states",
        .text = "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: 1.25, load_rate: [-1, "
                "-1.2]}\n"
                "analysis: {kind: attractors, starts: {v1: {from: -40, to: 24, count: 40}, v2: "
                "{from: 0, to: 16, count: 40}}}\n",
        .table = "map",
        .fate = "state"});
}

/* Orbits: numbered anew in every set, so that only the numbers are left open. */
static void fates_on_orbits_are_kept(void **state) {
    (void)state;
    check(&(sample){.name = "attractors, orbits",
                    .text = "model: {kind: oscillator, beta: 0.51, Omega: 0.47}\n"
                            "analysis: {kind: attractors, starts: {v: {from: -3, to: 3, count: 7}, v1: {from: -2, to: "
                            "2, count: 7}}}\n",
                    .table = "map",
                    .open = "orbit",
                    .fate = "fate"});
}

/* Rounds of some thirty branches each. */
static void branches_of_an_atlas_are_kept(void **state) {
    (void)state;
    check(&(sample){.name = "atlas",
                    .text = "model: {kind: chain, count: 8, coupling: 0.01}\n"
                            "analysis: {kind: atlas, over: xi1, from: 0.02, to: 0.2, at: 0.15, states: large, active: "
                            "[1, 4], stability: false}\n",
                    .table = "branches"});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch_is_kept_as_far_as_it_was_followed),
        cmocka_unit_test(the_loads_of_a_slip_path_are_kept),
        cmocka_unit_test(fates_of_starts_are_kept),
        cmocka_unit_test(fates_on_orbits_are_kept),
        cmocka_unit_test(branches_of_an_atlas_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
