/* The default box of starts: whatever the contacts, its starts do not penetrate, and are followed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/attractors.h"
#include "amontons/study.h"
#include "analyses/attractors/starts.h"
#include "cases.h"
#include "dense_system.h"
#include "results.h"
#include "uniform.h"

enum { MOST_N = 4, MOST_M = 4 };

/* Everything a structure points to. */
typedef struct parts {
    double stiffness[MOST_N * MOST_N], mass[MOST_N * MOST_N], damping[MOST_N * MOST_N];
    double normal[MOST_M][MOST_N], tangent[MOST_M][MOST_N], load[MOST_N];
    am_contact_def contact[MOST_M];
    am_load_def loads[2];
} parts;

/* Oblique normals, gaps of all sizes, some of them closed, and a load that presses the structure far into its
 * obstacles. The contacts leave a point free: the gaps are those of a random place. */
static am_system *random_structure(uint64_t *seed, parts *p) {
    size_t n = 2 + (size_t)uniform(seed, 0, MOST_N - 1), m = 1 + (size_t)uniform(seed, 0, MOST_M);
    double place[MOST_N];
    *p = (parts){0};
    for (size_t i = 0; i < n; i++) {
        place[i] = uniform(seed, -1, 1);
        p->load[i] = uniform(seed, -5, 5);
        p->stiffness[i * n + i] = 2.5;
        p->mass[i * n + i] = uniform(seed, 0.5, 2);
        p->damping[i * n + i] = uniform(seed, 0.05, 0.5);
        for (size_t j = 0; j < i; j++)
            p->stiffness[i * n + j] = p->stiffness[j * n + i] = uniform(seed, -0.6, 0.6);
    }
    for (size_t c = 0; c < m; c++) {
        double clearance = fmax(0.0, uniform(seed, -0.2, 1.5)); /* at `place` */
        p->contact[c] = am_contact_def_default();
        p->contact[c].gap = clearance;
        for (size_t i = 0; i < n; i++) {
            p->normal[c][i] = uniform(seed, -1, 1);
            p->contact[c].gap -= p->normal[c][i] * place[i];
        }
        p->contact[c].normal = p->normal[c];
        p->contact[c].tangent = p->tangent[c];
        p->contact[c].restitution = uniform(seed, 0.2, 0.8);
        p->tangent[c][c % n] = 1.0;
    }
    p->loads[0] = (am_load_def){.direction = p->load, .function = am_function_constant(1.0)};
    p->loads[1] = (am_load_def){.direction = p->load, .function = am_function_sine(0.5, 1.3, 0.0)};
    am_system_def def = am_system_def_default();
    def.n = n;
    def.contacts = p->contact;
    def.contact_count = m;
    def.loads = p->loads;
    def.load_count = 2;
    return dense_system(def, p->mass, p->damping, p->stiffness);
}

static double gap_of(const am_contact_def *contact, const double *q, size_t n) {
    double gap = contact->gap;
    for (size_t i = 0; i < n; i++)
        gap += contact->normal[i] * q[i];
    return gap;
}

/* Returns how many starts the box would have put inside an obstacle. */
static size_t check_starts(const am_system *system, size_t count) {
    am_error err = {0};
    am_starts starts;
    am_attractors_options options = am_attractors_options_default();
    double low[2 * MOST_N], high[2 * MOST_N], start[2 * MOST_N];
    size_t n = am_system_size(system), outside = 0;
    options.count = count;
    assert_int_equal(am_starts_init(&starts, system, &options, &err), AM_OK);
    assert_int_equal(am_starts_default_box(system, low, high, &err), AM_OK);
    for (size_t i = 0; i < count; i++) {
        bool moved = false;
        am_starts_place(&starts, i, start);
        for (size_t c = 0; c < am_system_contacts(system); c++) {
            double gap = gap_of(am_system_contact(system, c), start, n);
            if (!(gap >= -1e-13)) /* rounding of numbers of order 10 */
                fail_msg("start %zu penetrates contact %zu by %g", i, c, -gap);
        }
        for (size_t k = 0; k < 2 * n; k++) {
            assert_true(am_starts_value(&starts, i, k) == start[k]); /* what the tables show */
            moved |= k < n && !(start[k] >= low[k] && start[k] <= high[k]);
            if (k >= n)
                assert_true(start[k] >= low[k] && start[k] <= high[k]);
        }
        outside += moved;
    }
    am_starts_clear(&starts);
    return outside;
}

static void no_start_of_a_default_box_penetrates(void **state) {
    (void)state;
    uint64_t seed = 12;
    size_t outside = 0;
    for (size_t trial = 0; trial < CASES(300, 60); trial++) {
        parts p;
        am_system *system = random_structure(&seed, &p);
        outside += check_starts(system, 40);
        am_system_free(system);
    }
    assert_true(outside > 0); /* boxes that lie inside an obstacle occur */
}

static void starts_of_default_boxes_are_followed(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (size_t trial = 0; trial < CASES(25, 5); trial++) {
        parts p;
        am_error err = {0};
        am_system *system = random_structure(&seed, &p);
        am_result *result = am_result_create(&err);
        am_attractors_options options = am_attractors_options_default();
        options.count = 6;
        options.most_returns = 30;
        if (am_attractors_run(system, &options, result, NULL, &err) != AM_OK)
            fail_msg("%s", err.message);
        const am_scalar *why = am_result_find(result, "first_failure");
        if (why && strstr(why->text, "penetrates"))
            fail_msg("%s", why->text);
        am_result_free(result);
        am_system_free(system);
    }
}

static am_status run_study(const char *text, am_error *err) {
    am_study *study = am_study_parse("box.yaml", text, 0, NULL, false, err);
    am_run *run = study ? am_study_run(study, NULL, err) : NULL;
    am_status status = run ? AM_OK : err->status;
    am_run_free(run);
    am_study_free(study);
    return status;
}

static void models_have_default_boxes_of_admissible_starts(void **state) {
    (void)state;
    static const char *const models[] = {
        "model: {kind: klarbring, stiffness: [[1,1],[1,2]], friction: 1.25, load_rate: [-1,-0.9]}\n",
        "model: {kind: klarbring, stiffness: [[1,0.5],[0.5,1]], friction: 0.3, load_rate: [1,0.5]}\n",
        "model: {kind: rod, alpha: 1.5}\n",
        "model: {kind: oscillator, beta: 0.4, Omega: 0.7}\n",
        "model: {kind: griffin, beta: 0.4, Omega: 0.9}\n",
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char text[400];
        am_error err = {0};
        snprintf(text, sizeof text, "%sanalysis: {kind: attractors, starts: 12}\n", models[i]);
        if (run_study(text, &err) != AM_OK)
            fail_msg("%s%s", text, err.message);
    }
}

static void a_box_of_the_study_that_penetrates_is_refused(void **state) {
    (void)state;
    am_error err = {0};
    assert_int_equal(
        run_study("model: {kind: klarbring, stiffness: [[1,1],[1,2]], friction: 1.25, load_rate: [-1,-0.9]}\n"
                  "analysis: {kind: attractors, starts: {count: 20, box: {u1: [-1, 1], u2: [-1, 1]}}}\n",
                  &err),
        AM_ERR_INPUT);
    assert_non_null(strstr(err.message, "penetrates contact 'plane'"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_start_of_a_default_box_penetrates),
        cmocka_unit_test(starts_of_default_boxes_are_followed),
        cmocka_unit_test(models_have_default_boxes_of_admissible_starts),
        cmocka_unit_test(a_box_of_the_study_that_penetrates_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
