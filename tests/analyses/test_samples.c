/* The table `samples`: as many rows as asked for, evenly spaced from the first instant to the last, and what a row says
 * does not depend on how many there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "amontons/output.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

#define OSCILLATOR "model: {kind: oscillator, beta: 0.6, Omega: 0.3}\n"
#define DUFFING                                                                                                        \
    "model: {kind: structure, mass: [1], stiffness: [1], damping: [0.2], polynomials: [{direction: [1], terms: "       \
    "[{coefficient: 0.3, displacement: 3}]}], loads: [{direction: [1], sine: {amplitude: 0.5, frequency: 0.8}}]}\n"
#define KLARBRING "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}\n"
#define SINE                                                                                                           \
    "model: {kind: klarbring, stiffness: [[1, 0.5], [0.5, 2]], friction: 0.3, load: [0, -2], loads: [{direction: [1, " \
    "0], sine: {amplitude: 1, frequency: 0.7}}]}\n"

typedef struct sampled {
    const char *text;    /* up to the number of samples */
    double from, length; /* of the time the rows cover; length 0: the period in the summary */
    bool more;           /* `path` has its corners among them, load by steps the steps */
} sampled;

static const sampled cases[] = {
    {OSCILLATOR "analysis: {kind: motion, until: 5, samples: ", 0.0, 5.0, false},
    {OSCILLATOR "analysis: {kind: motion, from: 1, until: 5, samples: ", 1.0, 4.0, false},
    {DUFFING "analysis: {kind: march, until: 4, samples: ", 0.0, 4.0, false},
    {SINE "analysis: {kind: march, until: 4, method: moreau-jean, step: 0.01, samples: ", 0.0, 4.0, false},
    {KLARBRING "analysis: {kind: path, until: 3, samples: ", 0.0, 3.0, true},
    {SINE "analysis: {kind: path, until: 3, method: incremental, steps: 12, samples: ", 0.0, 3.0, true},
    {SINE "analysis: {kind: path, cycles: 2, samples: ", 0.0, 2.0 * 6.28318530717958647692 / 0.7, true},
    {OSCILLATOR "analysis: {kind: orbit, samples: ", 0.0, 0.0, false},
    {DUFFING "analysis: {kind: orbit, samples: ", 0.0, 0.0, false},
};

static am_run *run_with(const sampled *s, size_t samples) {
    char text[1024];
    int length = snprintf(text, sizeof text, "%s%zu}\n", s->text, samples);
    assert_true(length > 0 && (size_t)length < sizeof text);
    return run_text(text);
}

static void samples_are_evenly_spaced_from_the_first_instant_to_the_last(void **state) {
    (void)state;
    static const size_t counts[] = {2, 3, 4, 7};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            am_run *made = run_with(&cases[i], counts[k]);
            const am_table *table = table_of(am_run_report(made)->result, "samples");
            double length = cases[i].length > 0.0 ? cases[i].length : scalar(made, "period");
            double first = cases[i].length > 0.0 ? cases[i].from : cell(table, 0, "t");
            assert_true(cases[i].more ? am_table_rows(table) >= counts[k] : am_table_rows(table) == counts[k]);
            for (size_t r = 0, row = 0; r < counts[k]; r++, row++) {
                double t = first + length * (double)r / (double)(counts[k] - 1), tolerance = 1e-13 * (first + length);
                while (cases[i].more && row + 1 < am_table_rows(table) && cell(table, row, "t") < t - tolerance)
                    row++;
                assert_near(cell(table, row, "t"), t, tolerance); /* rounding of the sum of two times */
            }
            am_run_free(made);
        }
}

static void one_sample_is_one_row_and_none_is_none(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t samples = 0; samples < 2 && !cases[i].more; samples++) {
            am_run *made = run_with(&cases[i], samples);
            const am_table *table = am_result_find_table(am_run_report(made)->result, "samples");
            assert_int_equal(table ? am_table_rows(table) : 0, samples);
            am_run_free(made);
        }
}

/* Rows 0, 2, 4, 6 of seven are the four of four, and 0, 3, 6 the three of three. */
static void a_row_does_not_depend_on_the_others(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].more)
            continue;
        am_run *many = run_with(&cases[i], 7);
        const am_table *all = table_of(am_run_report(many)->result, "samples");
        for (size_t few = 3; few <= 4; few++) {
            am_run *made = run_with(&cases[i], few);
            const am_table *table = table_of(am_run_report(made)->result, "samples");
            size_t stride = 6 / (few - 1);
            for (size_t r = 0; r < few; r++)
                for (size_t c = 1; c < am_table_columns(table); c++)
                    if (am_table_column_kind(table, c) == AM_COLUMN_NUMBER) {
                        double a = am_table_number(table, r, c), b = am_table_number(all, r * stride, c);
                        if (!(isnan(a) && isnan(b)))
                            assert_near(a, b, 1e-11 * (1.0 + fabs(b))); /* times differ by rounding */
                    }
            am_run_free(made);
        }
        am_run_free(many);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_evenly_spaced_from_the_first_instant_to_the_last),
        cmocka_unit_test(one_sample_is_one_row_and_none_is_none),
        cmocka_unit_test(a_row_does_not_depend_on_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
