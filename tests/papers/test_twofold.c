/* The load with infinitely many evolutions: closed forms against a stepping of their own, against the laws, and against
 * what must fail. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/path.h"
#include "amontons/states.h"
#include "dense_system.h"
#include "errors.h"
#include "math/smooth_step.h"
#include "near.h"
#include "papers/twofold.h"
#include "papers/twofold/twofold_internal.h"
#include "random_system.h"
#include "results.h"

/* Example 1 of Andersson, Barber and Ahn, its B times `b`, two nodes pressed on with p^w. Swapped: node 2 first. */
typedef struct nodes {
    double b, mu, press;
    bool swapped;
} nodes;

static const nodes mirrored = {-1, 1, 20, false}; /* d2 = 4.5 for two forward slips, the setting of Fig. 11 */

static void fill_stiffness(const nodes *with, double *K) {
    static const double A[2][2] = {{1, 0.5}, {0.5, 1}}, B[2][2] = {{0.5, 0.25}, {0.95, 0.95}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int r = with->swapped ? 1 - i : i, c = with->swapped ? 1 - j : j;
            K[4 * i + j] = A[r][c];
            K[4 * (2 + i) + j] = with->b * B[r][c];
            K[4 * j + 2 + i] = with->b * B[r][c];
            K[4 * (2 + i) + 2 + j] = i == j ? 3 : 0; /* any C that makes K positive definite */
        }
}

/* Coordinates v1, v2, w1, w2. `loads`: functions on v1, v2; NULL: none. */
static am_system *structure_of(const double *K, const nodes *with, const am_function *loads) {
    static const double unit[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    am_contact_def contacts[2];
    am_load_def load[4];
    for (int i = 0; i < 2; i++) {
        contacts[i] = am_contact_def_default();
        contacts[i].tangent = unit[i];
        contacts[i].normal = unit[2 + i];
        contacts[i].friction = with->mu;
        load[i] = (am_load_def){unit[2 + i], am_function_constant(-with->press)};
        if (loads)
            load[2 + i] = (am_load_def){unit[i], loads[i]};
    }
    am_system_def def = am_system_def_default();
    def.n = 4;
    def.contact_count = 2;
    def.contacts = contacts;
    def.load_count = loads ? 4 : 2;
    def.loads = load;
    return dense_system(def, NULL, NULL, K);
}

static am_system *structure(const nodes *with, const am_function *loads) {
    double K[16];
    fill_stiffness(with, K);
    return structure_of(K, with, loads);
}

/* The interval n and the local time tau of t in (0, 1]. */
static void find_interval(double t, size_t *n, double *tau) {
    double number = fmax(2.0, floor(1.0 / t) + 1.0);
    *n = (size_t)number;
    *tau = fmin(fmax((number - 1.0) * (number * t - 1.0), 0.0), 1.0);
}

/* Derivatives of s_i with respect to t in interval n, orders 0 to `order`; order 0: s_i - s_i(0). */
static void derivatives_of(const am_twofold *twofold, size_t i, size_t n, double tau, size_t order,
                           double *derivatives) {
    double number = (double)n, factor = exp((1.0 - number) * twofold->logarithm) * twofold->facts.change[i];
    am_twofold_auxiliary_derivatives(twofold, i, tau, order, derivatives);
    for (size_t k = 0; k <= order; k++) {
        derivatives[k] *= factor;
        factor *= number * (number - 1.0); /* dtau/dt */
    }
}

typedef struct setting {
    am_system *system;
    am_twofold *twofold;
    const am_twofold_facts *facts;
} setting;

static setting made_with(const nodes *with, const am_contact_state *slip) {
    am_error err = {0};
    am_twofold_options options = am_twofold_options_default();
    setting made = {structure(with, NULL), NULL, NULL};
    options.slip = slip;
    made.twofold = am_twofold_create(made.system, &options, &err);
    if (!made.twofold)
        fail_msg("%s", err.message);
    made.facts = &made.twofold->facts;
    return made;
}

static void drop(setting *made) {
    am_twofold_free(made->twofold);
    am_system_free(made->system);
}

/* ---- the construction ---- */

static void example_1_has_corners_with_a_factor_of_four_and_a_half(void **state) {
    (void)state;
    static const am_contact_state pairs[2][2] = {{AM_FORWARD, AM_BACKWARD}, {AM_BACKWARD, AM_BACKWARD}};
    for (int k = 0; k < 2; k++) {
        nodes example = {1, 1, 20, false};
        setting made = made_with(&example, pairs[k]);
        assert_near(made.facts->d2, 4.5, 1e-13); /* 0.5 times 9; the entry 0.05 has lost one digit */
        assert_true(made.facts->unique);
        drop(&made);
    }
}

static void chosen_corner_is_the_one_with_the_largest_factor(void **state) {
    (void)state;
    setting made = made_with(&mirrored, NULL);
    assert_near(made.facts->d2, 4.5, 1e-13);
    assert_int_equal(made.facts->slip[0], AM_FORWARD);
    assert_int_equal(made.facts->slip[1], AM_FORWARD);
    assert_int_equal(made.facts->alternating, 1); /* the paper's O2 goes to and fro */
    drop(&made);
}

static void evolutions_start_at_the_same_point_and_part_like_d2(void **state) {
    (void)state;
    setting made = made_with(&mirrored, NULL);
    am_twofold_point blue = am_twofold_at(made.twofold, 1, 2, 1), red = am_twofold_at(made.twofold, 0, 2, 1);
    double end = hypot(blue.v[0] - red.v[0], blue.v[1] - red.v[1]) * blue.scale;
    for (size_t n = 2; n < 400; n++) {
        blue = am_twofold_at(made.twofold, 1, n, 0);
        red = am_twofold_at(made.twofold, 0, n, 0);
        double apart = log(hypot(blue.v[0] - red.v[0], blue.v[1] - red.v[1])) + blue.logarithm;
        assert_near(apart, log(end) - (double)(n - 1) * log(made.facts->d2),
                    1e-12 * (double)n); /* rounding of n log d2 */
        assert_near(blue.t, 1.0 / (double)n, 1e-16);
    }
    assert_true(end > 0.1 && blue.scale * hypot(blue.v[0], blue.v[1]) < 1e-200);
    drop(&made);
}

static void each_interval_begins_where_the_one_before_ended(void **state) {
    (void)state;
    setting made = made_with(&mirrored, NULL);
    for (double lambda = 0; lambda <= 1; lambda += 0.125)
        for (size_t n = 2; n < 30; n++) {
            am_twofold_point end = am_twofold_at(made.twofold, lambda, n + 1, 1);
            am_twofold_point begin = am_twofold_at(made.twofold, lambda, n, 0);
            double d2 = made.facts->d2;
            for (int i = 0; i < 2; i++) { /* a few operations of numbers up to 50: rounding */
                assert_near(end.v[i], d2 * begin.v[i], 1e-13 * fabs(d2 * begin.v[i]));
                assert_near(end.s[i], d2 * begin.s[i], 1e-13 * fabs(d2 * begin.s[i]));
                assert_near(end.slack[i], d2 * begin.slack[i], 1e-13 * fabs(made.facts->change[i]) * d2);
                assert_near(end.v_rate[i], 0, 0);
                assert_near(begin.v_rate[i], 0, 0);
            }
        }
    drop(&made);
}

static void local_time_finds_its_interval(void **state) {
    (void)state;
    for (double t = 1; t > 1e-3; t *= 0.97) {
        size_t n = 0;
        double tau = -1;
        find_interval(t, &n, &tau);
        assert_true(n >= 2 && t <= 1.0 / (double)(n - 1) * (1 + 1e-15) && t >= 1.0 / (double)n * (1 - 1e-15));
        assert_near(1.0 / (double)n + tau / ((double)n * (double)(n - 1)), t, 1e-15);
    }
}

/* ---- against a stepping of its own ---- */

/* One step of the evolution: 0 <= dx _|_ row (x + dx) - s >= 0, by trying the four cases. Exact for any step in which
 * each constraint moves one way. */
static void step(const double row[2][2], const double s[2], double x[2]) {
    double slack[2] = {row[0][0] * x[0] + row[0][1] * x[1] - s[0], row[1][0] * x[0] + row[1][1] * x[1] - s[1]};
    double determinant = row[0][0] * row[1][1] - row[0][1] * row[1][0];
    if (slack[0] >= 0 && slack[1] >= 0)
        return;
    for (int i = 0; i < 2; i++) {
        double one = -slack[i] / row[i][i];
        if (one >= 0 && slack[1 - i] + row[1 - i][i] * one >= 0) {
            x[i] += one;
            return;
        }
    }
    x[0] += (-row[1][1] * slack[0] + row[0][1] * slack[1]) / determinant;
    x[1] += (-row[0][0] * slack[1] + row[1][0] * slack[0]) / determinant;
}

static void stepping_with_the_smooth_load_follows_every_evolution(void **state) {
    (void)state;
    setting made = made_with(&mirrored, NULL); /* both slip forward: rows as they are */
    const double lambdas[] = {0, 0.2, 0.5, 0.9, 1};
    enum { first = 40, steps = 97 };
    for (size_t k = 0; k < sizeof lambdas / sizeof *lambdas; k++) {
        am_twofold_point at = am_twofold_at(made.twofold, lambdas[k], first, 0);
        double x[2] = {at.v[0], at.v[1]}; /* on the scale of its interval */
        for (size_t n = first; n >= 2; n--) {
            for (int j = 1; j <= steps; j++) {
                at = am_twofold_at(made.twofold, lambdas[k], n, (double)j / steps);
                step(made.facts->rows, at.s, x);
                /* Each interval multiplies errors by as much as the scale: 40 intervals of a few roundings each, times
                 * 1/0.05, the smallest entry of the rows. */
                assert_near(x[0], at.v[0], 1e-12 * hypot(at.v[0], at.v[1]));
                assert_near(x[1], at.v[1], 1e-12 * hypot(at.v[0], at.v[1]));
            }
            x[0] /= made.facts->d2;
            x[1] /= made.facts->d2;
        }
    }
    drop(&made);
}

/* The load of the last intervals with its corners joined by straight lines: quasi-static evolutions do not depend on
 * how fast a load is gone through, so `path` must end where the closed forms do. */
static void path_with_a_piecewise_linear_load_ends_where_the_closed_form_does(void **state) {
    (void)state;
    enum { first = 6, corners = 6 * (first - 1) + 1 };
    setting made = made_with(&mirrored, NULL);
    double times[corners], values[2][corners];
    for (size_t k = 0, n = first; n >= 2; n--)
        for (int j = n == first ? 0 : 1; j <= 6; j++, k++) {
            am_twofold_point at = am_twofold_at(made.twofold, 1, n, j / 6.0);
            times[k] = at.t;
            values[0][k] = at.scale * at.s[0];
            values[1][k] = at.scale * at.s[1];
        }
    am_function loads[2] = {am_function_table(corners, times, values[0]), am_function_table(corners, times, values[1])};
    am_system *system = structure(&mirrored, loads);
    for (int lambda = 0; lambda < 2; lambda++) {
        am_error err = {0};
        am_twofold_point from = am_twofold_at(made.twofold, lambda, first, 0);
        am_twofold_point to = am_twofold_at(made.twofold, lambda, 2, 1);
        double start[4] = {0};
        am_path_options options = am_path_options_default();
        am_result *result = am_result_create(&err);
        for (int i = 0; i < 2; i++)
            start[i] = made.facts->start[i] + from.scale * from.v[i];
        options.from = times[0];
        options.until = 1;
        options.displacement = start;
        if (am_path_run(system, &options, result, NULL, &err) != AM_OK)
            fail_msg("%s", err.message);
        const am_table *samples = am_result_find_table(result, "samples");
        size_t last = am_table_rows(samples) - 1;
        for (int i = 0; i < 2; i++) { /* start rounded at 1e-15 of v(0) = 300, grown by d2^5 = 1845 */
            size_t column = am_table_find_column(samples, i == 0 ? "q1" : "q2");
            assert_near(am_table_number(samples, last, column), made.facts->start[i] + to.scale * to.v[i], 1e-9);
        }
        am_result_free(result);
    }
    am_system_free(system);
    drop(&made);
}

static void rates_are_derivatives(void **state) {
    (void)state;
    setting made = made_with(&mirrored, NULL);
    const double taus[] = {0.22, 0.28, 0.55, 0.61, 0.71, 0.78}, h = 1e-4;
    for (size_t k = 0; k < sizeof taus / sizeof *taus; k++)
        for (int lambda = 0; lambda < 2; lambda++) {
            am_twofold_point at[5];
            for (int j = 0; j < 5; j++)
                at[j] = am_twofold_at(made.twofold, lambda, 7, taus[k] + (j - 2) * h);
            for (int i = 0; i < 2; i++) {
#define DIFFERENCE(member) ((at[0].member - 8 * at[1].member + 8 * at[3].member - at[4].member) / (12 * h))
                /* Fourth order: h^4/30 times the fifth derivative, 6^5 times up to 3e4 times d2; measured on the change
                 */
                double tolerance = 1e-6 * fmax(fabs(at[2].v[0]), fabs(at[2].v[1]));
                assert_near(at[2].v_rate[i], DIFFERENCE(v[i]), tolerance);
                assert_near(at[2].s_rate[i], DIFFERENCE(s[i]), tolerance);
                assert_near(at[2].slack_rate[i], DIFFERENCE(slack[i]), tolerance);
            }
        }
    drop(&made);
}

/* ---- smoothness ---- */

static void smooth_step_is_symmetric_and_its_derivatives_are_derivatives(void **state) {
    (void)state;
    for (double x = 0.06; x < 0.96; x += 0.1) {
        double at[AM_SMOOTH_STEP_MOST + 1], mirror[7], near[4][7];
        const double h = 1e-3;
        am_smooth_step_derivatives(x, 6, at);
        am_smooth_step_derivatives(1 - x, 6, mirror);
        assert_near(at[0] + mirror[0], 1, 1e-15);
        for (int j = 0; j < 4; j++)
            am_smooth_step_derivatives(x + (j < 2 ? j - 2 : j - 1) * h, 6, near[j]);
        for (int k = 0; k < 6; k++) { /* fourth order: relative error h^4/30 times (1/x^2)^4 at the most */
            double difference = (near[0][k] - 8 * near[1][k] + 8 * near[2][k] - near[3][k]) / (12 * h);
            double reach = fmin(x, 1 - x), allowed = 1e-12 / pow(reach, 8) + 1e-9;
            assert_near(at[k + 1], difference, allowed * (fabs(at[k + 1]) + pow(reach, -2.0 * k - 2) * fabs(at[1])));
        }
    }
}

static void derivatives_of_the_load_are_continuous_between_intervals_and_vanish_at_the_start(void **state) {
    (void)state;
    setting made = made_with(&mirrored, NULL);
    double before[9], after[9];
    for (size_t i = 0; i < 2; i++)
        for (size_t n = 2; n < 50; n++) {
            derivatives_of(made.twofold, i, n + 1, 1, 8, before);
            derivatives_of(made.twofold, i, n, 0, 8, after);
            assert_near(before[0], after[0], 1e-13 * fabs(after[0])); /* rounding of d2^(1 - n) */
            for (int k = 1; k <= 8; k++) {
                assert_near(before[k], 0, 0);
                assert_near(after[k], 0, 0);
            }
        }
    for (int k = 0; k <= 8; k++) { /* beyond smooth_from = 11 each interval has smaller ones than the one after it */
        double last = INFINITY;
        for (size_t n = 11; n < 200; n++) {
            double largest = 0;
            for (double tau = 0.01; tau < 1; tau += 0.01) {
                derivatives_of(made.twofold, 1, n, tau, 8, after);
                largest = fmax(largest, fabs(after[k]));
            }
            assert_true(largest < last);
            last = largest;
        }
        assert_true(last < 1e-60);
    }
    drop(&made);
}

static void derivatives_of_the_load_agree_with_its_rate(void **state) {
    (void)state;
    setting made = made_with(&mirrored, NULL);
    for (double tau = 0.02; tau < 1; tau += 0.05)
        for (size_t i = 0; i < 2; i++) {
            double derivatives[2];
            am_twofold_point at = am_twofold_at(made.twofold, 1, 5, tau);
            derivatives_of(made.twofold, i, 5, tau, 1, derivatives);
            assert_near(derivatives[0], at.scale * at.s[i], 1e-13 * at.scale * fabs(made.facts->change[i]) * 5);
            assert_near(derivatives[1], at.scale * at.s_rate[i] * 20,
                        1e-12 * at.scale * fabs(made.facts->change[i]) * 300);
        }
    drop(&made);
}

/* ---- the check, and that it can fail ---- */

typedef struct claim { /* one evolution at one instant, as the verifier takes it */
    double q[4], rate[4], load[4], load_rate[4], N[2], T[2], N_rate[2], T_rate[2], slack[4];
} claim;

/* For the nodes the coordinates are v1, v2, w1, w2; the forces follow from equilibrium: N = B v, T = A v - s. */
static claim claim_of(const nodes *with, const am_twofold_point *at) {
    double K[16];
    claim made = {0};
    fill_stiffness(with, K);
    for (int i = 0; i < 2; i++) {
        made.q[i] = at->v[i];
        made.rate[i] = at->v_rate[i];
        made.load[i] = at->s[i];
        made.load_rate[i] = at->s_rate[i];
        made.slack[2 * i] = at->slack[i];
        made.slack[2 * i + 1] = INFINITY;
        made.N[i] = K[4 * (2 + i)] * at->v[0] + K[4 * (2 + i) + 1] * at->v[1];
        made.N_rate[i] = K[4 * (2 + i)] * at->v_rate[0] + K[4 * (2 + i) + 1] * at->v_rate[1];
        made.T[i] = K[4 * i] * at->v[0] + K[4 * i + 1] * at->v[1] - at->s[i];
        made.T_rate[i] = K[4 * i] * at->v_rate[0] + K[4 * i + 1] * at->v_rate[1] - at->s_rate[i];
    }
    return made;
}

static am_verify_report judge(am_verify *verify, const claim *made, double scale) {
    am_verify_report report;
    am_error err = {0};
    am_verify_instant instant = {.displacement = made->q,
                                 .velocity = made->rate,
                                 .load = made->load,
                                 .load_rate = made->load_rate,
                                 .normal = made->N,
                                 .tangential = made->T,
                                 .normal_rate = made->N_rate,
                                 .tangential_rate = made->T_rate,
                                 .slack = made->slack,
                                 .scale = scale,
                                 .rate_scale = 12 * scale};
    assert_int_equal(am_verify_check(verify, &instant, &report, &err), AM_OK);
    return report;
}

static double worst(const am_verify_report *report) {
    return fmax(fmax(report->equilibrium, report->friction), fmax(report->rate, report->difference));
}

static const am_standing both_forward[2] = {AM_STANDING_FORWARD, AM_STANDING_FORWARD};

static void every_evolution_obeys_the_laws_at_every_sample(void **state) {
    (void)state;
    am_error err = {0};
    setting made = made_with(&mirrored, NULL);
    am_verify *verify = am_verify_create(made.system, both_forward, &err);
    assert_non_null(verify);
    double scale = fabs(made.facts->change[0]);
    for (double lambda = 0; lambda <= 1; lambda += 0.0625)
        for (size_t n = 2; n < 4; n++) /* even and odd */
            for (int j = 0; j <= 240; j++) {
                am_twofold_point at = am_twofold_at(made.twofold, lambda, n, j / 240.0);
                claim claimed = claim_of(&mirrored, &at);
                am_verify_report report = judge(verify, &claimed, scale);
                if (!(worst(&report) < 1e-12) || report.solutions != 1) /* rounding, over 0.05, times |v| = 30 */
                    fail_msg("lambda %g, n %zu, sample %d: %g, %zu", lambda, n, j, worst(&report), report.solutions);
            }
    am_verify_free(verify);
    drop(&made);
}

static void disturbed_evolutions_and_loads_are_found_out(void **state) {
    (void)state;
    am_error err = {0};
    const double by = 1e-8;
    setting made = made_with(&mirrored, NULL);
    am_verify *verify = am_verify_create(made.system, both_forward, &err);
    assert_non_null(verify);
    double scale = fabs(made.facts->change[0]);
    am_twofold_point sound = am_twofold_at(made.twofold, 1, 2, 0.25); /* node 2 slips */
    claim claimed = claim_of(&mirrored, &sound);
    am_verify_report report = judge(verify, &claimed, scale);
    assert_true(worst(&report) < 1e-12);
    for (int what = 0; what < 6; what++) {
        am_twofold_point wrong = sound;
        if (what < 2)
            wrong.v[what] += by * scale;
        else if (what < 4)
            wrong.s[what - 2] += by * scale;
        else
            wrong.v_rate[what - 4] += by * scale * 12;
        claimed = claim_of(&mirrored, &wrong);
        report = judge(verify, &claimed, scale);
        if (!(worst(&report) > 0.04 * by)) /* the smallest entry of the rows is 0.05 */
            fail_msg("disturbance %d was not noticed", what);
    }
    claimed = claim_of(&mirrored, &sound);
    claimed.T[1] += by * scale; /* forces that are not those of the structure */
    report = judge(verify, &claimed, scale);
    assert_true(report.equilibrium > 0.5 * by);
    claimed = claim_of(&mirrored, &sound);
    claimed.load_rate[1] *= 1 + 1e-6; /* a load with another rate: node 2 would have to slip faster */
    report = judge(verify, &claimed, scale);
    assert_true(report.difference > 1e-8);
    am_verify_free(verify);
    drop(&made);
}

static void red_evolution_under_the_blue_numbering_is_found_out(void **state) {
    (void)state;
    am_error err = {0};
    setting made = made_with(&mirrored, NULL);
    am_verify *verify = am_verify_create(made.system, both_forward, &err);
    assert_non_null(verify);
    /* Without the exchange of roles: the blue point is claimed to rest while the red one is pushed. */
    am_twofold_point blue = am_twofold_at(made.twofold, 1, 2, 0.25), red = am_twofold_at(made.twofold, 0, 2, 0.25);
    memcpy(blue.v_rate, red.v_rate, sizeof red.v_rate);
    memcpy(blue.slack_rate, red.slack_rate, sizeof red.slack_rate);
    claim claimed = claim_of(&mirrored, &blue);
    am_verify_report report = judge(verify, &claimed, fabs(made.facts->change[0]));
    assert_true(report.rate > 1e-2);
    am_verify_free(verify);
    drop(&made);
}

/* ---- the analysis ---- */

static am_result *run(const am_system *system, const am_twofold_options *options) {
    am_result *result = am_result_create(NULL);
    GOOD(am_twofold_run(system, options, result, NULL, err));
    return result;
}

static void all_corners_of_example_1_above_one_and_their_images_work(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) {
        nodes with = {k & 1 ? 1 : -1, 1, 20, (k & 2) != 0};
        am_contact_state one = k & 1 ? AM_BACKWARD : AM_FORWARD, other = one == AM_FORWARD ? AM_BACKWARD : AM_FORWARD;
        am_contact_state slip[2] = {k & 4 ? other : one, one}, turned[2] = {slip[1], slip[0]};
        am_twofold_options options = am_twofold_options_default();
        options.slip = with.swapped ? turned : slip;
        options.intervals = 12;
        am_system *system = structure(&with, NULL);
        am_result *result = run(system, &options);
        assert_near(number(result, "d2"), 4.5, 1e-13);
        assert_true(number(result, "residual") < 1e-11);
        assert_true(number(result, "p_min") > 0);
        assert_true(number(result, "unique") == 1);
        assert_true(number(result, "rate_solutions") == 1);
        assert_near(number(result, "room"), 2, 1e-12); /* the default takes half of what the contacts allow */
        am_result_free(result);
        am_system_free(system);
    }
}

/* The largest multiple of the change, by looking all along the last interval of both evolutions: N = p + B v must stay
 * positive, and the other limit, 2 mu N - slack, too. The places looked at include the ends of phases, where both are
 * least. */
static double largest_multiple(const am_twofold *twofold, const double *K, const nodes *with) {
    enum { PLACES = 10 * AM_TWOFOLD_PHASES };
    const am_twofold_facts *facts = &twofold->facts;
    double most = INFINITY;
    for (int k = 0; k <= PLACES; k++)
        for (int lambda = 0; lambda < 2; lambda++) {
            am_twofold_point at = am_twofold_at(twofold, lambda, 2, (double)k / PLACES);
            for (int i = 0; i < 2; i++) {
                const double *B = K + 4 * (2 + i);
                double N = with->press + B[0] * facts->start[0] + B[1] * facts->start[1];
                double change = (B[0] * at.v[0] + B[1] * at.v[1]) * at.scale;
                double worst = fmin(change, change - at.slack[i] * at.scale / (2.0 * with->mu));
                most = worst < 0.0 ? fmin(most, N / -worst) : most;
            }
        }
    return most;
}

static void random_structures_with_a_corner_above_one_work(void **state) {
    (void)state;
    random_source source = random_seed(9);
    size_t found = 0, unique = 0;
    for (int k = 0; k < 4000; k++) {
        double G[16], K[16] = {0};
        for (int i = 0; i < 16; i++)
            G[i] = random_between(&source, -1, 1);
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 4; j++)
                K[i] += G[4 * (i / 4) + j] * G[4 * (i % 4) + j] + (i % 5 == 0 ? 1e-3 : 0);
        am_error err = {0};
        nodes with = {1, random_between(&source, 0.01, 2), 1, false};
        am_twofold_options options = am_twofold_options_default();
        options.intervals = 6;
        options.between = random_between(&source, 0, 1);
        am_system *system = structure_of(K, &with, NULL);
        am_twofold *twofold = am_twofold_create(system, &options, &err);
        if (twofold) {
            am_uniqueness test = {0};
            bool said = twofold->facts.unique;
            assert_int_equal(am_uniqueness_test(system, 0, &test, &err), AM_OK);
            assert_int_equal(said, test.verdict == AM_UNIQUE);
            double most = largest_multiple(twofold, K, &with);
            assert_near(twofold->facts.most / most, 1, 1e-9); /* rounding over entries of 1e-3, twice */
            am_uniqueness_clear(&test);
            found++;
            if (said) {
                am_result *result = run(system, &options);
                /* Rounding over the smallest entry of the rows, which may be 1e-3. */
                assert_true(number(result, "residual") < 1e-11);
                assert_true(number(result, "p_min") > 0);
                assert_true(number(result, "rate_solutions") == 1);
                am_result_free(result);
                unique++;
            }
        }
        am_twofold_free(twofold);
        am_system_free(system);
    }
    assert_true(found > 100 && unique > 30);
}

static void tables_hold_both_evolutions(void **state) {
    (void)state;
    const double change[2] = {1, -0.7};
    am_twofold_options options = am_twofold_options_default();
    options.change = change;
    options.intervals = 3;
    options.samples = 6;
    am_system *system = structure(&mirrored, NULL);
    am_result *result = run(system, &options);
    const am_table *table = am_result_find_table(result, "solutions");
    assert_int_equal(am_table_rows(table), 19);
    /* At t = 1 roles have just been exchanged: red is at N x = (1, -0.7), blue at N x = (1, 0), det N = 0.1375. */
    assert_near(cell(table, 18, "t"), 1, 1e-15);
    double start[2];
    am_error err = {0};
    am_twofold *twofold = am_twofold_create(system, &options, &err);
    memcpy(start, twofold->facts.start, sizeof start);
    am_twofold_free(twofold);
    assert_near(cell(table, 18, "v1_red") - start[0], 0.225 / 0.1375, 1e-12);
    assert_near(cell(table, 18, "v2_red") - start[1], 0.1 / 0.1375, 1e-12);
    assert_near(cell(table, 18, "v1_blue") - start[0], 0.05 / 0.1375, 1e-12);
    assert_near(cell(table, 18, "v2_blue") - start[1], 0.45 / 0.1375, 1e-12);
    assert_near(number(result, "distance"), hypot(0.175, 0.35) / 0.1375, 1e-12);
    am_result_free(result);
    am_system_free(system);
}

static void coordinates_between_the_contacts_change_nothing(void **state) {
    (void)state;
    /* A fifth coordinate on a spring of 2 couples to all; what it takes away by condensation is added beforehand. */
    double K[16], large[25], couple[4] = {0.3, -0.2, 0.4, 0.1};
    double normals[2][5] = {{0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}}, tangents[2][5] = {{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}};
    fill_stiffness(&mirrored, K);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            large[5 * i + j] = i < 4 && j < 4 ? K[4 * i + j] + couple[i] * couple[j] / 2
                               : i == j       ? 2
                                              : couple[i < 4 ? i : j];
    am_contact_def contacts[2];
    am_load_def loads[2];
    for (int i = 0; i < 2; i++) {
        contacts[i] = am_contact_def_default();
        contacts[i].normal = normals[i];
        contacts[i].tangent = tangents[i];
        contacts[i].friction = 1;
        loads[i] = (am_load_def){normals[i], am_function_constant(-20)};
    }
    am_system_def def = am_system_def_default();
    def.n = 5;
    def.contact_count = def.load_count = 2;
    def.contacts = contacts;
    def.loads = loads;
    am_system *system = dense_system(def, NULL, NULL, large), *plain = structure(&mirrored, NULL);
    am_twofold_options options = am_twofold_options_default();
    options.intervals = 8;
    am_result *result = run(system, &options), *direct = run(plain, &options);
    assert_near(number(result, "d2"), 4.5, 1e-11); /* condensation: a few roundings over 0.05 */
    assert_near(number(result, "distance"), number(direct, "distance"), 1e-9 * number(direct, "distance"));
    assert_true(number(result, "residual") < 1e-11);
    am_result_free(result);
    am_result_free(direct);
    am_system_free(system);
    am_system_free(plain);
}

/* ---- refused ---- */

static void refused(const nodes *with, const am_twofold_options *options, am_status status, const char *word) {
    am_error err = {0};
    am_system *system = structure(with, NULL);
    am_twofold *twofold = am_twofold_create(system, options, &err);
    assert_null(twofold);
    assert_int_equal(err.status, status);
    assert_says(&err, word);
    am_system_free(system);
}

static void change_that_violates_the_missing_condition_is_refused(void **state) {
    (void)state;
    am_twofold_options options = am_twofold_options_default();
    const double wrong[] = {1.001, -0.7}, paper[] = {1, 0.7}, endless[] = {NAN, -0.7}, large[] = {100, -70};
    options.change = wrong;
    refused(&mirrored, &options, AM_ERR_INPUT, "change[0] must be 1");
    options.change = paper; /* the sign that the printed formula gives */
    refused(&mirrored, &options, AM_ERR_INPUT, "must be negative");
    options.change = endless;
    refused(&mirrored, &options, AM_ERR_INPUT, "must");
    options.change = large;
    refused(&mirrored, &options, AM_ERR_INPUT, "would open or reach its other limit");
}

static void corners_that_do_not_repel_are_refused(void **state) {
    (void)state;
    nodes weak = {-1, 0.5, 20, false};
    am_twofold_options options = am_twofold_options_default();
    refused(&weak, &options, AM_ERR_UNSUPPORTED, "above 1");
    am_contact_state slip[2] = {AM_FORWARD, AM_BACKWARD};
    options.slip = slip;
    refused(&mirrored, &options, AM_ERR_UNSUPPORTED, "above 1");
    slip[1] = AM_STICK;
    refused(&mirrored, &options, AM_ERR_INPUT, "forward or backward");
}

static void contacts_that_are_pulled_off_are_refused(void **state) {
    (void)state;
    nodes pulled = {-1, 1, -20, false};
    am_twofold_options options = am_twofold_options_default();
    refused(&pulled, &options, AM_ERR_INPUT, "not pressed on");
}

static void options_out_of_range_are_refused(void **state) {
    (void)state;
    am_twofold_options options = am_twofold_options_default();
    options.between = 1.5;
    refused(&mirrored, &options, AM_ERR_INPUT, "between");
    options.between = 0.5;
    options.intervals = 0;
    refused(&mirrored, &options, AM_ERR_INPUT, "intervals");
    options.intervals = 1;
    options.samples = 1;
    refused(&mirrored, &options, AM_ERR_INPUT, "samples");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_1_has_corners_with_a_factor_of_four_and_a_half),
        cmocka_unit_test(chosen_corner_is_the_one_with_the_largest_factor),
        cmocka_unit_test(evolutions_start_at_the_same_point_and_part_like_d2),
        cmocka_unit_test(each_interval_begins_where_the_one_before_ended),
        cmocka_unit_test(local_time_finds_its_interval),
        cmocka_unit_test(stepping_with_the_smooth_load_follows_every_evolution),
        cmocka_unit_test(path_with_a_piecewise_linear_load_ends_where_the_closed_form_does),
        cmocka_unit_test(rates_are_derivatives),
        cmocka_unit_test(smooth_step_is_symmetric_and_its_derivatives_are_derivatives),
        cmocka_unit_test(derivatives_of_the_load_are_continuous_between_intervals_and_vanish_at_the_start),
        cmocka_unit_test(derivatives_of_the_load_agree_with_its_rate),
        cmocka_unit_test(every_evolution_obeys_the_laws_at_every_sample),
        cmocka_unit_test(disturbed_evolutions_and_loads_are_found_out),
        cmocka_unit_test(red_evolution_under_the_blue_numbering_is_found_out),
        cmocka_unit_test(all_corners_of_example_1_above_one_and_their_images_work),
        cmocka_unit_test(random_structures_with_a_corner_above_one_work),
        cmocka_unit_test(tables_hold_both_evolutions),
        cmocka_unit_test(coordinates_between_the_contacts_change_nothing),
        cmocka_unit_test(change_that_violates_the_missing_condition_is_refused),
        cmocka_unit_test(corners_that_do_not_repel_are_refused),
        cmocka_unit_test(contacts_that_are_pulled_off_are_refused),
        cmocka_unit_test(options_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
