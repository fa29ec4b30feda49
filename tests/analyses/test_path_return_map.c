/* Paths of two nodes under a cyclic load against their return map, iterated here from eq. (2.4) alone: which of them
 * come to a cycle, to which, and which never do. Around the friction at which the orbits of Fig. 10 begin to repel
 * almost every path comes now and then close to a cycle that repels it: such a cycle must not be declared. */
/* ctest: long */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/attractors.h"
#include "amontons/models.h"
#include "amontons/path.h"
#include "cases.h"
#include "near.h"
#include "node_systems.h"
#include "results.h"
#include "uniform.h"

enum { LONG = 200000, CYCLES = 4000, MOST_PERIOD = 64 };

static const double far_away = 40.0;

/* Six advances around the corners of Fig. 10, which are moved at random. */
static void random_example(node_example *e, double mu, uint64_t *seed) {
    static const char *const order[] = {"2-", "1+", "2-", "1+", "2+", "1-"};
    static const double corner[6][2] = {{-1, 0.5}, {0.5, 0.5}, {0.5, -1}, {0.8, -1}, {0.8, 1}, {-1, 1}};
    node_example_init(e, 2, paper_A, paper_B, NULL, mu);
    node_example_rest(e, (double[]){far_away, far_away}, (double[]){-far_away, -far_away});
    for (size_t k = 0; k < 6; k++) {
        double row[2], shift = uniform(seed, -0.08, 0.08);
        am_nodes_row(&e->def, (size_t)(order[k][0] - '1'), order[k][1] == '+' ? 1 : -1, row);
        node_example_advance(e, order[k], row[0] * corner[k][0] + row[1] * corner[k][1] + shift);
    }
}

/* ---- the return map ---- */

/* One cycle: each constraint n.v <= c (sign -1) or n.v >= c (+1) goes to its extreme and takes its node along if it
 * meets it. Returns the factor by which a deviation of the node that stays has grown: each slip gives the node
 * -n_ij/n_ii times the deviation of the other. */
static double one_cycle(const am_nodes *def, double *v, double deviation[2]) {
    for (size_t k = 0; k < def->advance_count; k++) {
        const am_nodes_advance *a = &def->sequence[k];
        double n[2];
        am_nodes_row(def, a->node, a->sign, n);
        double beyond = n[0] * v[0] + n[1] * v[1] - a->extreme;
        if (a->sign > 0 ? beyond >= 0.0 : beyond <= 0.0)
            continue; /* idle */
        v[a->node] -= beyond / n[a->node];
        deviation[a->node] = -n[1 - a->node] / n[a->node] * deviation[1 - a->node];
    }
    return hypot(deviation[0], deviation[1]);
}

typedef struct reference {
    size_t period; /* 0: it does not repeat */
    double exponent;
    double v[MOST_PERIOD][2]; /* points of the cycle */
} reference;

static double off(const double *a, const double *b) {
    return fmax(fabs(a[0] - b[0]), fabs(a[1] - b[1]));
}

/* Fifty times as many cycles as the path is given: what converges has converged to rounding. The exponent is that of
 * the second half of the path's cycles. */
static reference iterate(const am_nodes *def, const double *start) {
    reference r = {0};
    double v[2] = {start[0], start[1]}, deviation[2] = {0.6, 0.8}, last[2 * MOST_PERIOD][2];
    for (size_t k = 0; k < LONG; k++) {
        memcpy(last[k % (2 * MOST_PERIOD)], v, sizeof v);
        double growth = one_cycle(def, v, deviation);
        if (!(growth > 0.0)) {
            deviation[0] = 0.6, deviation[1] = 0.8;
            continue;
        }
        if (k >= CYCLES / 2 && k < CYCLES)
            r.exponent += log(growth) / (CYCLES / 2);
        deviation[0] /= growth, deviation[1] /= growth;
    }
    for (size_t p = 1; p <= MOST_PERIOD && r.period == 0; p++) {
        double most = 0.0;
        for (size_t back = 0; back < MOST_PERIOD; back++)
            most = fmax(most, off(last[(LONG - 1 - back) % (2 * MOST_PERIOD)],
                                  last[(LONG - 1 - back + 2 * MOST_PERIOD - p) % (2 * MOST_PERIOD)]));
        if (most <= 1e-12) { /* rounding; a chaotic path comes so near once in 1e10 cycles, and not 64 times running */
            r.period = p;
            for (size_t back = 0; back < p; back++)
                memcpy(r.v[back], last[(LONG - 1 - back) % (2 * MOST_PERIOD)], sizeof r.v[back]);
        }
    }
    return r;
}

static bool is_on(const reference *r, const double *v) {
    for (size_t k = 0; k < r->period; k++)
        if (off(r->v[k], v) <= 1e-10) /* closed to 1e-11 of its size */
            return true;
    return false;
}

/* ---- paths ---- */

static am_result *run_path(const am_nodes *def, const double *start) {
    am_error err = {0};
    am_system *system = node_system(def);
    am_result *result = am_result_create(&err);
    am_path_options options = am_path_options_default();
    options.position = start;
    options.until_repeat = true;
    options.most_cycles = CYCLES;
    options.most_period = MOST_PERIOD;
    options.samples = 0;
    if (am_path_run(system, &options, result, NULL, &err) != AM_OK)
        fail_msg("%s", err.message);
    am_system_free(system);
    return result;
}

static void check_path(const am_nodes *def, const double *start, size_t *periodic, size_t *aperiodic) {
    reference r = iterate(def, start);
    am_result *result = run_path(def, start);
    if (flag(result, "repeats") != (r.period > 0))
        fail_msg("mu = %.17g from (%.17g, %.17g): period %zu, the path says %s", def->mu[0], start[0], start[1],
                 r.period, flag(result, "repeats") ? "that it repeats" : "that it does not");
    if (r.period > 0) {
        const am_table *cycle = am_result_find_table(result, "cycle");
        const double v[2] = {cell(cycle, 0, "v1"), cell(cycle, 0, "v2")};
        assert_near(number(result, "period_cycles"), (double)r.period, 0);
        assert_true(flag(result, "stable"));
        assert_true(is_on(&r, v));
        (*periodic)++;
    } else {
        /* The mean of logarithms between 0.1 and 1.3 over 2000 cycles, which are not independent; next to the critical
         * friction a path leaves its cycle so slowly that the growth e^2 of a deviation within one cycle matters. */
        assert_near(number(result, "exponent_per_cycle"), r.exponent, 0.06);
        assert_true(number(result, "exponent_per_cycle") > -2.0 / (CYCLES / 2));
        (*aperiodic)++;
    }
    am_result_free(result);
}

static void a_path_repeats_where_its_return_map_comes_to_a_cycle_and_nowhere_else(void **state) {
    (void)state;
    uint64_t seed = 16;
    size_t periodic = 0, aperiodic = 0;
    for (size_t trial = 0; trial < CASES(24, 3); trial++) {
        node_example e;
        random_example(&e, uniform(&seed, 0.96, 0.99), &seed);
        for (size_t i = 0; i < 2; i++) {
            const double start[2] = {uniform(&seed, -1.5, 1.0), uniform(&seed, -1.0, 1.5)};
            check_path(&e.def, start, &periodic, &aperiodic);
        }
        node_example_clear(&e);
    }
    assert_true(periodic > 0 && aperiodic > 0);
}

/* ---- many starts ---- */

static void starts_have_the_fates_of_the_return_map(void **state) {
    (void)state;
    uint64_t seed = 61;
    size_t periodic = 0, aperiodic = 0;
    for (size_t trial = 0; trial < CASES(6, 1); trial++) {
        node_example e;
        am_error err = {0};
        const am_start_range box[] = {{.coordinate = 0, .low = -1.5, .high = 1.0},
                                      {.coordinate = 1, .low = -1.0, .high = 1.5}};
        random_example(&e, uniform(&seed, 0.96, 0.99), &seed);
        am_system *system = node_system(&e.def);
        am_result *result = am_result_create(&err);
        am_attractors_options options = am_attractors_options_default();
        options.count = 8;
        options.ranges = box;
        options.range_count = 2;
        options.most_returns = CYCLES;
        options.most_period = MOST_PERIOD;
        if (am_attractors_run(system, &options, result, NULL, &err) != AM_OK)
            fail_msg("%s", err.message);
        const am_table *starts = am_result_find_table(result, "starts"),
                       *orbits = am_result_find_table(result, "orbits");
        assert_near(number(result, "unstable_orbits"), 0, 0);
        for (size_t i = 0; i < am_table_rows(starts); i++) {
            const double start[2] = {cell(starts, i, "v1"), cell(starts, i, "v2")};
            reference r = iterate(&e.def, start);
            if (r.period == 0) {
                assert_string_equal(am_table_text(starts, i, am_table_find_column(starts, "fate")), "aperiodic");
                aperiodic++;
                continue;
            }
            size_t orbit = (size_t)cell(starts, i, "orbit") - 1;
            const double v[2] = {cell(orbits, orbit, "position1"), cell(orbits, orbit, "position2")};
            assert_near(cell(orbits, orbit, "cycles"), (double)r.period, 0);
            assert_true(is_on(&r, v));
            periodic++;
        }
        am_result_free(result);
        am_system_free(system);
        node_example_clear(&e);
    }
    assert_true((periodic > 0 && aperiodic > 0) || CASES(0, 1)); /* few starts under the sanitizers */
}

/* A path that begins on a cycle that repels, exactly, stays there only until rounding has grown. */
static void a_path_does_not_stay_on_a_cycle_that_repels(void **state) {
    (void)state;
    uint64_t seed = 5;
    size_t tried = 0;
    for (size_t trial = 0; trial < 60 && tried < 6; trial++) {
        node_example e;
        double points[12], factor = NAN;
        bool happens = false;
        am_error err = {0};
        random_example(&e, 0.98, &seed);
        if (am_nodes_orbit(&e.def, points, &err) == AM_OK && am_nodes_factor(&e.def, &factor, &err) == AM_OK &&
            am_nodes_orbit_happens(&e.def, points, &happens, &err) == AM_OK && happens && fabs(factor) > 1.0) {
            am_result *result = run_path(&e.def, points + 10);
            assert_true(!flag(result, "repeats") || flag(result, "stable")); /* on which side it leaves is rounding */
            am_result_free(result);
            tried++;
        }
        node_example_clear(&e);
    }
    assert_int_equal(tried, 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_have_the_fates_of_the_return_map),
        cmocka_unit_test(a_path_does_not_stay_on_a_cycle_that_repels),
        cmocka_unit_test(a_path_repeats_where_its_return_map_comes_to_a_cycle_and_nowhere_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
