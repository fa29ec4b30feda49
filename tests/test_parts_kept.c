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
} sample;

static bool is_open(const sample *s, const char *column) {
    const char *found = s->open ? strstr(s->open, column) : NULL;
    size_t length = strlen(column);
    return found && (found == s->open || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0');
}

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
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
            if (text ? strcmp(am_table_text(part, r, c), am_table_text(whole, r, c)) != 0
                     : !same_number(am_table_number(part, r, c), am_table_number(whole, r, c)))
                fail_msg("%s: %s of row %zu is not that of the whole", s->name, column, r);
        }
    }
}

static am_run *run_with(const am_study *study, patience *p, am_error *err) {
    am_progress progress = {.report = wanted, .context = p, .threads = 1};
    return am_study_run(study, &progress, err);
}

/* Stopped at random moments from the first question to the last. Returns how many left a part. */
static size_t stop_often(const sample *s, const am_study *study, const am_run *whole, size_t questions) {
    const am_table *all = am_result_find_table(am_run_report(whole)->result, s->table);
    size_t kept = 0;
    uint64_t seed = 3;
    assert_non_null(all);
    for (size_t i = 0; i < CASES(12, 4); i++) {
        am_error err = {0};
        patience p = {.left = 1 + (size_t)uniform(&seed, 0.0, (double)questions - 1.5)};
        am_run *part = run_with(study, &p, &err);
        assert_int_equal(err.status, AM_ERR_INTERRUPTED);
        if (!part)
            continue;
        kept++;
        const am_result *result = am_run_report(part)->result;
        const am_scalar *mark = am_result_find(result, "interrupted");
        assert_true(am_run_interrupted(part) && mark && mark->number == 1.0);
        assert_beginning(s, am_result_find_table(result, s->table), all);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch_is_kept_as_far_as_it_was_followed),
        cmocka_unit_test(the_loads_of_a_slip_path_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
