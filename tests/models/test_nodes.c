/* Model `nodes`: weld forces from constraints, slopes, the factor of eq. (7.1), orbits, and what it refuses. */
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
#include "amontons/study.h"
#include "near.h"
#include "node_systems.h"
#include "results.h"
#include "uniform.h"

/* ---- The paper's examples ---- */

/* "1+ 2-" with all rest positions at -+far and all extremes at -+near. */
static void set_sequence(node_example *e, const char *order, double far, double near) {
    for (size_t i = 0; i < e->def.count; i++) {
        e->minus[i] = far;
        e->plus[i] = -far;
    }
    e->def.rest_minus = e->minus;
    e->def.rest_plus = e->plus;
    for (const char *p = order; *p; p += p[2] ? 3 : 2)
        node_example_advance(e, p, p[1] == '+' ? near : -near);
}

static void init_paper(node_example *e, double mu, const char *order) {
    node_example_init(e, 2, paper_A, paper_B, NULL, mu);
    set_sequence(e, order, 4, 0.5);
}

static double factor_of(const am_nodes *def) {
    am_error err = {0};
    double factor = NAN;
    if (am_nodes_factor(def, &factor, &err) != AM_OK)
        fail_msg("%s", err.message);
    return factor;
}

/* ---- Loads ---- */

/* Minus the total load: (q^w, p^w). */
static void weld_forces(const am_system *system, double t, double *force) {
    size_t n = am_system_size(system);
    memset(force, 0, n * sizeof *force);
    for (size_t l = 0; l < am_system_loads(system); l++) {
        const am_load_def *load = am_system_load(system, l);
        for (size_t i = 0; i < n; i++)
            force[i] -= load->direction[i] * am_function_at(&load->function, t);
    }
}

static void a_point_on_a_constraint_line_is_at_the_friction_limit(void **state) {
    (void)state;
    node_example e;
    uint64_t seed = 3;
    init_paper(&e, 0.98, "2- 1+ 2- 1+ 2+ 1-");
    e.mu[1] = 0.7;
    am_system *system = node_system(&e.def);
    for (size_t trial = 0; trial < 200; trial++) {
        size_t i = trial % 2;
        int sign = trial % 4 < 2 ? 1 : -1;
        double t = uniform(&seed, 0, 40), v[2], row[2], weld[4];
        v[1 - i] = uniform(&seed, -1, 1);
        am_nodes_row(&e.def, i, sign, row);
        v[i] = (am_nodes_side(&e.def, i, sign, t) - row[1 - i] * v[1 - i]) / row[i];
        weld_forces(system, t, weld);
        double q = weld[i] + paper_A[2 * i] * v[0] + paper_A[2 * i + 1] * v[1];
        double p = weld[2 + i] + paper_B[2 * i] * v[0] + paper_B[2 * i + 1] * v[1];
        assert_near(q, -sign * e.mu[i] * p, 1e-13); /* a few sums of terms below 20 */
    }
    am_system_free(system);
    node_example_clear(&e);
}

static void constraints_advance_one_at_a_time_and_return(void **state) {
    (void)state;
    node_example e;
    init_paper(&e, 1, "1+ 2+ 1- 2-");
    for (size_t cycle = 0; cycle < 3; cycle++)
        for (size_t k = 0; k < 4; k++)
            for (size_t c = 0; c < 4; c++) {
                double t = 8.0 * (double)cycle + 2.0 * (double)k;
                size_t node = c / 2;
                int sign = c % 2 ? 1 : -1;
                bool moves = e.sequence[k].node == node && e.sequence[k].sign == sign;
                assert_near(am_nodes_side(&e.def, node, sign, t), -4 * sign, 1e-15);
                assert_near(am_nodes_side(&e.def, node, sign, t + 1), moves ? 0.5 * sign : -4 * sign, 1e-15);
                assert_near(am_nodes_side(&e.def, node, sign, t + 1.5), moves ? -1.75 * sign : -4 * sign, 1e-15);
            }
    node_example_clear(&e);
}

static void end_of_path(const am_system *system, double until, double v1, double v2, double end[4]) {
    am_error err = {0};
    am_result *result = am_result_create(&err);
    const double start[4] = {v1, v2, 0, 0};
    am_path_options options = am_path_options_default();
    options.until = until;
    options.displacement = start;
    if (am_path_run(system, &options, result, NULL, &err) != AM_OK)
        fail_msg("%s", err.message);
    const am_table *samples = am_result_find_table(result, "samples");
    size_t last = am_table_rows(samples) - 1, first = am_table_find_column(samples, "v1");
    for (size_t i = 0; i < 4; i++)
        end[i] = am_table_number(samples, last, first + i);
    am_result_free(result);
}

static void weld_forces_given_as_functions_move_the_nodes_like_the_constraints(void **state) {
    (void)state;
    node_example e;
    init_paper(&e, 0.9, "1+ 2+ 1- 2-");
    double times[9], value[4][9], other[4], one[4];
    am_function function[4];
    for (size_t c = 0; c < 4; c++) {
        for (size_t k = 0; k <= 8; k++) {
            double t = (double)k, minus = am_nodes_side(&e.def, c % 2, -1, t),
                   plus = am_nodes_side(&e.def, c % 2, 1, t);
            times[k] = t;
            value[c][k] = c < 2 ? -(minus + plus) / 2 : (minus - plus) / (2 * 0.9);
        }
        function[c] = am_function_table(9, times, value[c]);
        function[c].period = 8;
    }
    am_nodes weld = e.def;
    weld.rest_minus = weld.rest_plus = NULL;
    weld.sequence = NULL;
    weld.advance_count = 0;
    weld.tangential = function;
    weld.normal = function + 2;
    am_system *by_lines = node_system(&e.def), *by_forces = node_system(&weld);
    end_of_path(by_lines, 24, 0.1, 0.2, one);
    end_of_path(by_forces, 24, 0.1, 0.2, other);
    for (size_t i = 0; i < 4; i++)
        assert_near(other[i], one[i], 1e-13); /* rounding of loads of size 4 */
    am_system_free(by_lines);
    am_system_free(by_forces);
    node_example_clear(&e);
}

static void constant_weld_forces_are_one_load_and_none_are_no_load(void **state) {
    (void)state;
    node_example e;
    node_example_init(&e, 2, paper_A, paper_B, NULL, 0); /* no friction is fine with weld forces */
    am_function zero[2] = {am_function_constant(0), am_function_constant(0)};
    am_function some[2] = {am_function_constant(3), am_function_sine(1, 2, 0)};
    e.def.tangential = zero;
    e.def.normal = some;
    am_system *system = node_system(&e.def);
    assert_int_equal(am_system_loads(system), 2);
    double weld[4];
    weld_forces(system, 0.7, weld);
    assert_near(weld[2], 3, 0);
    assert_near(weld[3], sin(1.4), 1e-15);
    am_system_free(system);
    e.def.normal = zero;
    system = node_system(&e.def);
    assert_int_equal(am_system_loads(system), 0);
    am_system_free(system);
    node_example_clear(&e);
}

static void names_are_those_of_the_paper(void **state) {
    (void)state;
    node_example e;
    init_paper(&e, 1, "1+ 2+");
    am_system *system = node_system(&e.def);
    static const char *const names[] = {"v1", "v2", "w1", "w2"};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(am_system_name(system, i), names[i]);
    assert_string_equal(am_system_contact(system, 1)->name, "node 2");
    am_system_free(system);
    node_example_clear(&e);
}

/* ---- Slopes, factor, orbit ---- */

static void angles_of_example_1_are_those_printed(void **state) {
    (void)state;
    static const double printed[4] = {0.464, 1.460, 0.464, -0.639};
    node_example e;
    double alpha[4], beta[4];
    am_error err = {0};
    init_paper(&e, 1, "1+ 2+ 1- 2-");
    assert_int_equal(am_nodes_angles(&e.def, alpha, beta, &err), AM_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_near(beta[i], printed[i], 5e-4); /* three decimals are printed */
        assert_near(cos(alpha[i]), sin(beta[(i + 3) % 4]), 1e-15);
    }
    assert_near(tan(beta[1]), 9, 1e-12); /* (0.5 - 0.95)/(1 - 0.95), of differences that lost two digits */
    node_example_clear(&e);
}

static void factors_of_both_examples_are_those_printed(void **state) {
    (void)state;
    node_example one, two;
    init_paper(&one, 1, "1+ 2+ 1- 2-");
    init_paper(&two, 0.98, "2- 1+ 2- 1+ 2+ 1-");
    assert_near(factor_of(&one.def), -1.673, 5e-4);
    assert_near(factor_of(&two.def), 3.614, 5e-4);
    node_example_clear(&one);
    node_example_clear(&two);
}

/* The paper's own example of condensation, with p = 2, q = 3, r = 2, s = 1 in eq. (7.1). */
static void consecutive_slips_of_one_node_condense(void **state) {
    (void)state;
    uint64_t seed = 17;
    for (size_t trial = 0; trial < 50; trial++) {
        double A[4] = {1, uniform(&seed, -0.5, 0.5), 0, 1}, B[4], alpha[4], beta[4];
        A[2] = A[1];
        for (size_t i = 0; i < 4; i++)
            B[i] = uniform(&seed, -0.9, 0.9);
        node_example e;
        node_example_init(&e, 2, A, B, NULL, 1);
        set_sequence(&e, "1+ 2- 1- 2+ 2- 1+ 2+ 1- 1+ 1- 2-", 1e3, 0.5);
        am_error err = {0};
        if (am_nodes_angles(&e.def, alpha, beta, &err) != AM_OK)
            fail_msg("%s", err.message);
        double wanted = pow(-tan(beta[0]), 2) * pow(tan(beta[1]), 3) * pow(-tan(beta[2]), 2) * tan(beta[3]);
        assert_near(factor_of(&e.def), wanted, 1e-12 * (fabs(wanted) + 1)); /* tan(atan) of slopes up to 20, 8 times */
        node_example_clear(&e);
    }
}

static void orbit_of_two_nodes_solves_the_corner_equations_and_the_path_keeps_it(void **state) {
    (void)state;
    node_example e;
    double points[8];
    am_error err = {0};
    init_paper(&e, 0.7, "2- 1+ 2+ 1-"); /* Fig. 2: it attracts */
    assert_int_equal(am_nodes_orbit(&e.def, points, &err), AM_OK);
    for (size_t k = 0; k < 4; k++) {
        double row[2];
        const double *now = points + 2 * k, *before = points + 2 * ((k + 3) % 4);
        const am_nodes_advance *a = &e.sequence[k];
        am_nodes_row(&e.def, a->node, a->sign, row);
        assert_near(row[0] * now[0] + row[1] * now[1], a->extreme, 1e-14);
        assert_near(now[1 - a->node], before[1 - a->node], 1e-15); /* the last against the first */
        assert_true(a->sign * (now[a->node] - before[a->node]) > 0);
    }
    assert_true(fabs(factor_of(&e.def)) < 1);
    am_system *system = node_system(&e.def);
    double end[4];
    end_of_path(system, 160, 0.3, -0.2, end); /* twenty cycles from elsewhere leave R^20 of the start, below 1e-20 */
    assert_near(end[0], points[6], 1e-13);
    assert_near(end[1], points[7], 1e-13);
    am_system_free(system);
    node_example_clear(&e);
}

/* Six nodes, each with a stiffness that dominates, so that Condition 3.1 holds. */
static void init_six(node_example *e, uint64_t *seed) {
    double A[36], B[36];
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j <= i; j++)
            A[6 * i + j] = A[6 * j + i] = i == j ? 2 : uniform(seed, -0.35, 0.35);
    for (size_t i = 0; i < 36; i++)
        B[i] = uniform(seed, -0.3, 0.3);
    node_example_init(e, 6, A, B, NULL, 0.8);
    set_sequence(e, "1+ 2+ 3- 4+ 5- 6+ 1- 2- 3+ 4- 5+ 6-", 50, 0.5);
}

static void factor_of_six_nodes_is_the_growth_of_deviations(void **state) {
    (void)state;
    uint64_t seed = 5;
    node_example e;
    init_six(&e, &seed);
    double factor = factor_of(&e.def), deviation[6], size = 0, growth = 1;
    for (size_t i = 0; i < 6; i++)
        deviation[i] = uniform(&seed, -1, 1);
    /* The geometric mean over many cycles: a complex pair turns, so a single ratio would not settle. */
    for (size_t cycle = 0; cycle < 400; cycle++) {
        for (size_t k = 0; k < e.def.advance_count; k++) {
            double row[6], rest = 0;
            size_t i = e.sequence[k].node;
            am_nodes_row(&e.def, i, e.sequence[k].sign, row);
            for (size_t j = 0; j < 6; j++)
                rest += j == i ? 0 : row[j] * deviation[j];
            deviation[i] = -rest / row[i];
        }
        size = 0;
        for (size_t i = 0; i < 6; i++)
            size = hypot(size, deviation[i]);
        for (size_t i = 0; i < 6; i++)
            deviation[i] /= size;
        growth = cycle < 200 ? 1 : growth * pow(size, 1.0 / 200);
    }
    assert_near(growth, fabs(factor), 0.02 * fabs(factor)); /* the mean of a turning pair converges like 1/cycles */
    node_example_clear(&e);
}

static void orbit_of_six_nodes_closes_on_its_corner_equations(void **state) {
    (void)state;
    uint64_t seed = 6;
    node_example e;
    double points[6 * MOST_ADVANCES];
    am_error err = {0};
    init_six(&e, &seed);
    assert_int_equal(am_nodes_orbit(&e.def, points, &err), AM_OK);
    for (size_t k = 0; k < 12; k++) {
        double row[6], side = 0;
        const double *now = points + 6 * k, *before = points + 6 * ((k + 11) % 12);
        const am_nodes_advance *a = &e.sequence[k];
        am_nodes_row(&e.def, a->node, a->sign, row);
        for (size_t j = 0; j < 6; j++) {
            side += row[j] * now[j];
            if (j != a->node)
                assert_near(now[j], before[j], 1e-13); /* the first against the last: the solution of the closing */
        }
        assert_near(side, a->extreme, 1e-14);
    }
    node_example_clear(&e);
}

static void without_slip_of_every_node_no_single_orbit_closes(void **state) {
    (void)state;
    node_example e;
    double points[8];
    am_error err = {0};
    init_paper(&e, 1, "1+ 1-");
    assert_near(factor_of(&e.def), 1, 1e-15); /* node 2 remembers */
    assert_int_equal(am_nodes_orbit(&e.def, points, &err), AM_ERR_UNSUPPORTED);
    node_example_clear(&e);
}

/* ---- C ---- */

static void normal_stiffness_plays_no_part_while_all_nodes_touch(void **state) {
    (void)state;
    static const double C[] = {40, -1, -1, 70};
    node_example soft, stiff;
    double one[4], other[4];
    init_paper(&soft, 0.8, "2- 1+ 2+ 1-");
    node_example_init(&stiff, 2, paper_A, paper_B, C, 0.8);
    set_sequence(&stiff, "2- 1+ 2+ 1-", 4, 0.5);
    am_system *first = node_system(&soft.def), *second = node_system(&stiff.def);
    assert_near(am_matrix_at(am_system_stiffness(second), 2, 2), 40, 0);
    end_of_path(first, 30, 0.1, 0.4, one);
    end_of_path(second, 30, 0.1, 0.4, other);
    for (size_t i = 0; i < 4; i++)
        assert_near(other[i], one[i], 1e-13);
    am_system_free(first);
    am_system_free(second);
    node_example_clear(&soft);
    node_example_clear(&stiff);
}

/* Schur complement of the default: (trace A / N) I. */
static void default_normal_stiffness_leaves_the_mean_of_A_to_a_free_node(void **state) {
    (void)state;
    node_example e;
    init_paper(&e, 1, "1+");
    am_system *system = node_system(&e.def);
    const am_matrix *K = am_system_stiffness(system);
    double force[4], w[4] = {0, 0, 1, 0};
    /* v that keeps q = 0 when w1 = 1: v = -A^-1 B^T w. */
    double det = 0.75, b1 = 0.5, b2 = 0.25;
    w[0] = -(b1 - 0.5 * b2) / det;
    w[1] = -(b2 - 0.5 * b1) / det;
    am_matrix_apply(K, w, force);
    assert_near(force[0], 0, 1e-15);
    assert_near(force[1], 0, 1e-15);
    assert_near(force[2], 1, 1e-15);
    assert_near(force[3], 0, 1e-15);
    am_system_free(system);
    node_example_clear(&e);
}

/* ---- Bad input ---- */

static void refused(const am_nodes *def, const char *field, const char *words) {
    am_error err = {0};
    am_system *system = am_nodes_create(def, &err);
    if (system)
        fail_msg("accepted, though %s", words);
    assert_int_equal(err.status, AM_ERR_INPUT);
    if (strcmp(err.field, field) != 0 || !strstr(err.message, words))
        fail_msg("%s: '%s', not %s: '... %s'", err.field, err.message, field, words);
}

static void definitions_that_are_no_support_are_refused(void **state) {
    (void)state;
    static const double wrong_A[] = {1, 2, 2, 1}, skew[] = {1, 0.5, 0.4, 1}, weak_C[] = {0.2, 0, 0, 1.5},
                        wide[] = {1, 2, 3, 4, 5, 6};
    node_example e;
    init_paper(&e, 1, "1+ 2-");
    am_nodes def = e.def;
    am_matrix *other = am_matrix_dense(2, 2, wrong_A, NULL), *asymmetric = am_matrix_dense(2, 2, skew, NULL);
    am_matrix *C = am_matrix_dense(2, 2, weak_C, NULL), *B = am_matrix_dense(2, 3, wide, NULL);
    def.A = other;
    refused(&def, "A", "not positive definite");
    def.A = asymmetric;
    refused(&def, "A", "must be symmetric");
    def = e.def;
    def.C = C;
    refused(&def, "C", "C must exceed B A^-1 B^T");
    def = e.def;
    def.B = B;
    refused(&def, "B", "must be 2 x 2, one row and column per node; it is 2 x 3");
    def = e.def;
    def.cookie = 0;
    refused(&def, "", "am_nodes_default()");
    am_matrix_free(other);
    am_matrix_free(asymmetric);
    am_matrix_free(C);
    am_matrix_free(B);
    node_example_clear(&e);
}

static void constraints_that_cannot_be_are_refused(void **state) {
    (void)state;
    node_example e;
    init_paper(&e, 1, "1+ 2-");
    e.sequence[1].extreme = 4.5;
    refused(&e.def, "constraints.sequence[1]", "would recede, not advance");
    e.sequence[1].extreme = NAN;
    refused(&e.def, "constraints.sequence[1]", "finite");
    e.sequence[1] = (am_nodes_advance){2, 1, 0};
    refused(&e.def, "constraints.sequence[1]", "no node 3; expected 1 to 2");
    e.sequence[1] = (am_nodes_advance){1, 0, 0};
    refused(&e.def, "constraints.sequence[1]", "needs a sign");
    e.sequence[1] = (am_nodes_advance){1, -1, -0.5};
    e.mu[1] = 0;
    refused(&e.def, "mu[1]", "no friction");
    e.mu[1] = -1;
    refused(&e.def, "mu[1]", "must not be negative");
    e.mu[1] = 1;
    e.def.advance_count = 0;
    refused(&e.def, "constraints.sequence", "no constraint advances");
    node_example_clear(&e);
}

/* The region between four lines in the plane has a corner where two of them meet, or is empty. */
static bool corners_find_room(const am_nodes *def) {
    double row[4][2], side[4];
    for (size_t c = 0; c < 4; c++) { /* row.v <= side */
        int sign = c % 2 ? 1 : -1;
        am_nodes_row(def, c / 2, sign, row[c]);
        side[c] = -sign * (c % 2 ? def->rest_plus[c / 2] : def->rest_minus[c / 2]);
        row[c][0] *= -sign;
        row[c][1] *= -sign;
    }
    for (size_t a = 0; a < 4; a++)
        for (size_t b = 0; b < a; b++) {
            double det = row[a][0] * row[b][1] - row[a][1] * row[b][0];
            double v[2] = {(side[a] * row[b][1] - row[a][1] * side[b]) / det,
                           (row[a][0] * side[b] - side[a] * row[b][0]) / det};
            bool inside = true;
            for (size_t c = 0; c < 4; c++)
                inside &= c == a || c == b || row[c][0] * v[0] + row[c][1] * v[1] <= side[c];
            if (inside)
                return true;
        }
    return false;
}

static void rest_positions_that_leave_no_point_are_refused(void **state) {
    (void)state;
    uint64_t seed = 11;
    size_t with_room = 0, without = 0;
    for (size_t trial = 0; trial < 1000; trial++) {
        double B[4];
        for (size_t i = 0; i < 4; i++)
            B[i] = uniform(&seed, -0.6, 0.6);
        node_example e;
        node_example_init(&e, 2, paper_A, B, NULL, 0.9);
        set_sequence(&e, "1+", 0, 0);
        for (size_t i = 0; i < 2; i++) {
            e.minus[i] = uniform(&seed, -1, 1);
            e.plus[i] = uniform(&seed, -1, 1);
        }
        e.sequence[0].extreme = e.plus[0];
        bool room = corners_find_room(&e.def);
        am_error err = {0};
        am_system *system = am_nodes_create(&e.def, &err);
        if (room != (system != NULL))
            fail_msg("trial %zu: there is %s room, but it is %s", trial, room ? "some" : "no",
                     room ? err.message : "accepted");
        with_room += room;
        without += !room;
        am_system_free(system);
        node_example_clear(&e);
    }
    assert_true(with_room > 100);
    assert_true(without > 100);
}

/* ---- As a study ---- */

#define MATRICES "A: [[1, 0.5], [0.5, 1]], B: [[0.5, 0.25], [0.95, 0.95]]"
#define REST "rest_minus: [4, 4], rest_plus: [-4, -4]"
#define PATH "analysis: {kind: path, until: 8}\n"

static void study_refused(const char *model, const char *words) {
    char text[1024];
    am_error err = {0};
    snprintf(text, sizeof text, "model: {kind: nodes, %s}\n" PATH, model);
    am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
    if (study)
        fail_msg("accepted:\n%s", text);
    assert_int_equal(err.status, AM_ERR_INPUT);
    if (!strstr(err.message, words) || strncmp(err.message, "test.yaml:1:", 12) != 0)
        fail_msg("of\n%s\nit says '%s', not '%s'", text, err.message, words);
}

static void faults_in_a_study_are_found_where_they_stand(void **state) {
    (void)state;
    study_refused(MATRICES ", mu: 1", "test.yaml:1:8: model nodes needs its loads");
    study_refused(MATRICES ", mu: [1, 1, 1], constraints: {" REST ", sequence: [[\"1+\", 0]]}", "mu must have 2");
    study_refused(MATRICES ", mu: 0, constraints: {" REST ", sequence: [[\"1+\", 0]]}", "has no friction");
    study_refused(MATRICES ", mu: 1, constraints: {rest_minus: [4], rest_plus: [-4, -4], sequence: [[\"1+\", 0]]}",
                  "rest_minus must have one entry per node: 2, not 1");
    study_refused(MATRICES ", mu: 1, constraints: {" REST ", sequence: [[\"3+\", 0]]}", "no node 3; expected 1 to 2");
    study_refused(MATRICES ", mu: 1, constraints: {" REST ", sequence: [[\"0+\", 0]]}", "nodes count from 1");
    study_refused(MATRICES ", mu: 1, constraints: {" REST ", sequence: [[2, 0]]}", "without a sign");
    study_refused(MATRICES ", mu: 1, constraints: {" REST ", sequence: [[\"x\", 0]]}", "does not name a constraint");
    study_refused(MATRICES ", mu: 1, constraints: {" REST ", sequence: [[\"1+\"]]}", "must be a pair");
    study_refused(MATRICES ", mu: 1, constraints: {" REST ", sequence: [[\"1+\", a]]}", "must be a number");
    study_refused(MATRICES ", mu: 1, constraints: {" REST ", sequence: 3}", "must be a list of pairs");
    study_refused(MATRICES ", mu: 1, constraints: {" REST ", sequence: [[\"1+\", 0], [\"2-\", 5]]}", "2- would recede");
    study_refused(MATRICES ", mu: 1, constraints: {rest_minus: [-4, -4], rest_plus: [4, 4], sequence: [[\"1+\", 5]]}",
                  "exclude every point");
    study_refused("A: [[1, 2], [2, 1]], B: [[0, 0], [0, 0]], mu: 1, constraints: {" REST ", sequence: [[\"1+\", 0]]}",
                  "A is not positive definite");
    study_refused("A: [[1, 0], [0, 1]], B: [[0, 0, 0], [0, 0, 0]], mu: 1, constraints: {" REST
                  ", sequence: [[\"1+\", 0]]}",
                  "B must be");
    study_refused(MATRICES ", mu: 1, weld: {tangential: [0], normal: [1, 1]}", "tangential must have one entry");
    study_refused(MATRICES ", mu: 1, weld: {tangential: [0, {impulse: {amplitude: 1}}], normal: [1, 1]}",
                  "cannot be an impulse");
    study_refused(MATRICES ", mu: 1, weld: {tangential: [0, 0], normal: [1, 1]}, constraints: {" REST
                           ", sequence: [[\"1+\", 0]]}",
                  "cannot both be given");
}

static void a_study_reports_slopes_and_factor(void **state) {
    (void)state;
    am_error err = {0};
    am_study *study = am_study_parse("test.yaml",
                                     "model: {kind: nodes, " MATRICES ", mu: 1, constraints: {" REST
                                     ", sequence: [[\"1+\", 0.5], [\"2+\", 0.5], [\"1-\", -0.5], [2-, -0.5]]}}\n" PATH,
                                     0, NULL, false, &err);
    if (!study)
        fail_msg("%s", err.message);
    am_run *run = am_study_run(study, NULL, &err);
    if (!run)
        fail_msg("%s", err.message);
    const am_result *result = am_run_report(run)->result;
    assert_near(number(result, "R"), -1.673, 5e-4);
    assert_near(number(result, "beta2"), 1.460, 5e-4);
    am_run_free(run);
    am_study_free(study);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_on_a_constraint_line_is_at_the_friction_limit),
        cmocka_unit_test(constraints_advance_one_at_a_time_and_return),
        cmocka_unit_test(weld_forces_given_as_functions_move_the_nodes_like_the_constraints),
        cmocka_unit_test(constant_weld_forces_are_one_load_and_none_are_no_load),
        cmocka_unit_test(names_are_those_of_the_paper),
        cmocka_unit_test(angles_of_example_1_are_those_printed),
        cmocka_unit_test(factors_of_both_examples_are_those_printed),
        cmocka_unit_test(consecutive_slips_of_one_node_condense),
        cmocka_unit_test(orbit_of_two_nodes_solves_the_corner_equations_and_the_path_keeps_it),
        cmocka_unit_test(factor_of_six_nodes_is_the_growth_of_deviations),
        cmocka_unit_test(orbit_of_six_nodes_closes_on_its_corner_equations),
        cmocka_unit_test(without_slip_of_every_node_no_single_orbit_closes),
        cmocka_unit_test(normal_stiffness_plays_no_part_while_all_nodes_touch),
        cmocka_unit_test(default_normal_stiffness_leaves_the_mean_of_A_to_a_free_node),
        cmocka_unit_test(definitions_that_are_no_support_are_refused),
        cmocka_unit_test(constraints_that_cannot_be_are_refused),
        cmocka_unit_test(rest_positions_that_leave_no_point_are_refused),
        cmocka_unit_test(faults_in_a_study_are_found_where_they_stand),
        cmocka_unit_test(a_study_reports_slopes_and_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
