/* Limit cycles of two nodes against the corner equations solved by hand: Figs. 2, 7, 8, 9 and 10 of the paper, with the
 * positions of the gallery. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "amontons/path.h"
#include "near.h"
#include "node_systems.h"
#include "results.h"
#include "uniform.h"

/* Rounding: a corner is a few divisions by slopes of at least 0.05, of loads of size 10. */
static const double exact = 1e-13;

/* Every rest position as far away as this. */
static void init(node_example *e, const double *A, const double *B, double mu, double far_minus, double far_plus) {
    node_example_init(e, 2, A, B, NULL, mu);
    node_example_rest(e, (double[]){far_minus, far_minus}, (double[]){far_plus, far_plus});
}

/* The extremes that put the orbit of example 2 on the same corners for every mu. */
static void init_two(node_example *e, double mu) {
    static const char *const order[] = {"2-", "1+", "2-", "1+", "2+", "1-"};
    static const double corner[6][2] = {{-1, 0.5}, {0.5, 0.5}, {0.5, -1}, {0.8, -1}, {0.8, 1}, {-1, 1}};
    init(e, paper_A, paper_B, mu, 8, -16);
    for (size_t k = 0; k < 6; k++) {
        double row[2];
        am_nodes_row(&e->def, (size_t)(order[k][0] - '1'), order[k][1] == '+' ? 1 : -1, row);
        node_example_advance(e, order[k], row[0] * corner[k][0] + row[1] * corner[k][1]);
    }
}

static am_result *repeat(const am_nodes *def, double v1, double v2) {
    am_error err = {0};
    const double start[2] = {v1, v2};
    am_system *system = node_system(def);
    am_result *result = am_result_create(&err);
    am_path_options options = am_path_options_default();
    options.position = start;
    options.until_repeat = true;
    if (am_path_run(system, &options, result, NULL, &err) != AM_OK)
        fail_msg("%s", err.message);
    am_system_free(system);
    return result;
}

/* v just when the k-th advance of the cycle is at its extreme, t = 2k + 1 after `from`. */
static void check_corner(const am_result *result, double from, size_t k, double v1, double v2) {
    const am_table *cycle = am_result_find_table(result, "cycle");
    double t = from + 2.0 * (double)k + 1.0;
    for (size_t row = 0; row < am_table_rows(cycle); row++)
        if (fabs(cell(cycle, row, "t") - t) < 1e-9) {
            assert_near(cell(cycle, row, "v1"), v1, exact);
            assert_near(cell(cycle, row, "v2"), v2, exact);
            return;
        }
    fail_msg("nothing is recorded at t = %g", t);
}

static void example_1_repeats_after_two_cycles_on_the_corners_found_by_hand(void **state) {
    (void)state;
    static const double corner[8][2] = {{31.0 / 22, -20.0 / 11},
                                        {31.0 / 22, 199.0 / 286},
                                        {-485.0 / 572, 199.0 / 286},
                                        {-485.0 / 572, 211.0 / 572},
                                        {361.0 / 1144, 211.0 / 572},
                                        {361.0 / 1144, 22441.0 / 14872},
                                        {-37313.0 / 29744, 22441.0 / 14872},
                                        {-12.0 / 11, -20.0 / 11}}; /* O-2 at its extreme meets O+1 at rest */
    node_example e;
    uint64_t seed = 7;
    node_example_one(&e);
    for (size_t trial = 0; trial < 20; trial++) {
        am_result *result = repeat(&e.def, uniform(&seed, -1.5, 1.5), uniform(&seed, -1.5, 1.5));
        assert_near(number(result, "period_cycles"), 2, 0);
        assert_near(number(result, "multiplier"), 0, exact);
        const am_table *cycle = am_result_find_table(result, "cycle");
        double begin = cell(cycle, 0, "t");
        bool first = cell(cycle, 0, "v2") < -1; /* it may begin with either half */
        for (size_t k = 0; k < 8; k++) {
            double from = first ? begin : k < 4 ? begin + 8 : begin - 8;
            check_corner(result, from, k, corner[k][0], corner[k][1]);
        }
        am_result_free(result);
    }
    node_example_clear(&e);
}

static void the_first_cycle_of_example_2_forgets_its_start_where_both_nodes_slip(void **state) {
    (void)state;
    node_example e;
    double minus[2], plus[2];
    init_two(&e, 0.98);
    e.minus[0] = 1.6;
    e.minus[1] = 0.9;
    e.plus[0] = -1.25;
    e.plus[1] = -1.62;
    /* The extreme of the first O-2 crosses O+1 at rest. */
    am_nodes_row(&e.def, 1, -1, minus);
    am_nodes_row(&e.def, 0, 1, plus);
    double det = minus[0] * plus[1] - minus[1] * plus[0], side = e.sequence[0].extreme;
    double v[2] = {(side * plus[1] - minus[1] * e.plus[0]) / det, (minus[0] * e.plus[0] - side * plus[0]) / det};
    am_result *result = repeat(&e.def, -1.02, 1);
    assert_near(number(result, "period_cycles"), 1, 0);
    double from = cell(am_result_find_table(result, "cycle"), 0, "t");
    check_corner(result, from, 0, v[0], v[1]);
    for (size_t k = 1; k < 6; k++) {
        double row[2];
        const am_nodes_advance *a = &e.sequence[k];
        am_nodes_row(&e.def, a->node, a->sign, row);
        v[a->node] += (a->extreme - row[0] * v[0] - row[1] * v[1]) / row[a->node];
        check_corner(result, from, k, v[0], v[1]);
    }
    am_result_free(result);
    node_example_clear(&e);
}

/* While node 2 is open O+2 at rest decides where it lands, so that it takes the place of the second O-2 in eq. (7.1).
 */
static void the_second_cycle_of_example_2_lands_where_it_lifted_off(void **state) {
    (void)state;
    node_example e;
    double points[12], factor = NAN;
    am_error err = {0};
    init_two(&e, 0.98);
    e.minus[0] = 1.6;
    e.minus[1] = 0.9;
    e.plus[0] = -1.25;
    e.plus[1] = -1.62;
    am_result *result = repeat(&e.def, -0.98, 1);
    e.sequence[2] = (am_nodes_advance){1, 1, -1.62};
    assert_int_equal(am_nodes_orbit(&e.def, points, &err), AM_OK);
    assert_int_equal(am_nodes_factor(&e.def, &factor, &err), AM_OK);
    assert_near(number(result, "multiplier"), factor, exact);
    const am_table *cycle = am_result_find_table(result, "cycle");
    double from = cell(cycle, 0, "t");
    for (size_t k = 0; k < 6; k++)
        if (k != 2)
            check_corner(result, from, k, points[2 * k], points[2 * k + 1]);
    size_t cause = am_table_find_column(cycle, "cause"), found = 0;
    for (size_t row = 0; row < am_table_rows(cycle); row++) {
        const char *why = am_table_text(cycle, row, cause);
        if (strcmp(why, "lift_off") != 0 && strcmp(why, "touch_down") != 0)
            continue;
        found++;
        assert_near(cell(cycle, row, "v1"), points[4], exact);
        assert_near(cell(cycle, row, "v2"), points[5], exact);
    }
    assert_int_equal(found, 2);
    am_result_free(result);
    node_example_clear(&e);
}

/* The advances that idle are left out of the orbit. */
static void check_idle(double start, size_t idle) {
    node_example e;
    double points[12], factor = NAN;
    am_error err = {0};
    init_two(&e, 0.96);
    am_result *result = repeat(&e.def, start, 1);
    memmove(&e.sequence[idle], &e.sequence[idle + 1], (5 - idle) * sizeof e.sequence[0]);
    e.def.advance_count = 5;
    assert_int_equal(am_nodes_orbit(&e.def, points, &err), AM_OK);
    assert_int_equal(am_nodes_factor(&e.def, &factor, &err), AM_OK);
    assert_near(number(result, "period_cycles"), 1, 0);
    assert_near(number(result, "multiplier"), factor, exact);
    double from = cell(am_result_find_table(result, "cycle"), 0, "t");
    for (size_t k = 0; k < 5; k++)
        check_corner(result, from, k < idle ? k : k + 1, points[2 * k], points[2 * k + 1]);
    am_result_free(result);
    node_example_clear(&e);
}

static void orbits_with_an_idle_advance_attract_below_the_critical_friction(void **state) {
    (void)state;
    check_idle(-1.02, 3); /* the second advance of O+1 */
    check_idle(-0.98, 0); /* the first advance of O-2 */
}

static void both_idle_orbits_repel_above_2_sqrt_85_over_19(void **state) {
    (void)state;
    static const size_t idle[] = {3, 0};
    const double critical = 2 * sqrt(85) / 19;
    for (size_t i = 0; i < 2; i++)
        for (int side = -1; side <= 1; side++) {
            node_example e;
            double factor = NAN;
            am_error err = {0};
            init_two(&e, critical + 0.01 * side);
            memmove(&e.sequence[idle[i]], &e.sequence[idle[i] + 1], (5 - idle[i]) * sizeof e.sequence[0]);
            e.def.advance_count = 5;
            assert_int_equal(am_nodes_factor(&e.def, &factor, &err), AM_OK);
            if (side == 0)
                assert_near(factor, -1, exact);
            else
                assert_true(side > 0 ? factor < -1 : factor > -1 && factor < 0);
            node_example_clear(&e);
        }
}

static void nothing_repeats_above_the_critical_friction(void **state) {
    (void)state;
    static const double starts[] = {-1.02, -0.98};
    for (size_t i = 0; i < 2; i++) {
        node_example e;
        am_error err = {0};
        init_two(&e, 0.98);
        const double start[2] = {starts[i], 1};
        am_system *system = am_nodes_create(&e.def, &err);
        am_result *result = am_result_create(&err);
        am_path_options options = am_path_options_default();
        options.position = start;
        options.until_repeat = true;
        options.most_cycles = 1500;
        options.samples = 0;
        if (am_path_run(system, &options, result, NULL, &err) != AM_OK)
            fail_msg("%s", err.message);
        assert_near(number(result, "repeats"), 0, 0);
        /* ln 3.614 and ln 1.157 are the only logarithms that can occur; the mean over 750 cycles scatters by 0.015. */
        assert_near(number(result, "exponent_per_cycle"), 0.273, 0.06);
        am_result_free(result);
        am_system_free(system);
        node_example_clear(&e);
    }
}

/* Section 5.1: random supports with Condition 3.1, two positive and two negative angles. */
static void with_two_angles_of_each_sign_every_orbit_of_class_1_attracts(void **state) {
    (void)state;
    static const char *const order[] = {"1+", "2+", "1-", "2-"};
    uint64_t seed = 41;
    size_t found = 0, repelling = 0;
    for (size_t trial = 0; trial < 20000; trial++) {
        double A[4] = {1, uniform(&seed, -0.95, 0.95), 0, 1}, B[4], alpha[4], beta[4], row[2][2][2];
        A[2] = A[1];
        for (size_t i = 0; i < 4; i++)
            B[i] = uniform(&seed, -1.5, 1.5);
        node_example e;
        init(&e, A, B, 1, 1e3, -1e3);
        bool unique = true;
        for (size_t i = 0; i < 2; i++)
            for (size_t s = 0; s < 2; s++) {
                am_nodes_row(&e.def, i, s ? 1 : -1, row[i][s]);
                unique &= row[i][s][i] > 0; /* (3.4) */
            }
        for (size_t s = 0; s < 4; s++) /* (3.5) */
            unique &= row[0][s / 2][0] * row[1][s % 2][1] > row[0][s / 2][1] * row[1][s % 2][0];
        for (size_t k = 0; k < 4; k++)
            node_example_advance(&e, order[k], 0);
        double factor = NAN;
        if (unique) {
            assert_int_equal(am_nodes_angles(&e.def, alpha, beta, NULL), AM_OK);
            assert_int_equal(am_nodes_factor(&e.def, &factor, NULL), AM_OK);
            size_t positive = 0;
            for (size_t i = 0; i < 4; i++)
                positive += beta[i] > 0;
            if (positive == 2) {
                found++;
                assert_true(factor >= 0 && factor < 1);
            } else {
                assert_true(positive == 1 || positive == 3);
                repelling += fabs(factor) > 1;
            }
        }
        node_example_clear(&e);
    }
    assert_true(found > 1000);
    assert_true(repelling > 0); /* otherwise the claim would be no claim */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_1_repeats_after_two_cycles_on_the_corners_found_by_hand),
        cmocka_unit_test(the_first_cycle_of_example_2_forgets_its_start_where_both_nodes_slip),
        cmocka_unit_test(the_second_cycle_of_example_2_lands_where_it_lifted_off),
        cmocka_unit_test(orbits_with_an_idle_advance_attract_below_the_critical_friction),
        cmocka_unit_test(both_idle_orbits_repel_above_2_sqrt_85_over_19),
        cmocka_unit_test(nothing_repeats_above_the_critical_friction),
        cmocka_unit_test(with_two_angles_of_each_sign_every_orbit_of_class_1_attracts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
