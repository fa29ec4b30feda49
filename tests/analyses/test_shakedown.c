/* Analysis `shakedown`: closed forms for one node and for uncoupled nodes, exhaustive search for coupled ones, extremes
 * of waves, the exact path below and above the limit, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/path.h"
#include "base/random.h"
#include "dense_system.h"
#include "errors.h"
#include "math/linear_program.h"
#include "math/wave.h"
#include "near.h"
#include "results.h"

/* Numbers of order one; a handful of roundings, multiplied by the condition of small random matrices. */
static const double rounding = 1e-12;

enum { MOST = 8 };

static const double two_pi = 6.283185307179586476925286766559;

/* ---- systems ---- */

/* N nodes on an elastic support (eq. 2.1): coordinates v, w; every weld force has a function of its own. */
typedef struct nodes {
    size_t count;
    double A[MOST][MOST], B[MOST][MOST], C[MOST][MOST], mu[MOST];
    am_function q[MOST], p[MOST];
} nodes;

static am_system *build(const nodes *x) {
    size_t N = x->count, n = 2 * N;
    static double K[4 * MOST * MOST], unit[2 * MOST][2 * MOST], load[2 * MOST][2 * MOST];
    am_contact_def contacts[MOST];
    am_load_def loads[2 * MOST];
    memset(unit, 0, sizeof unit);
    memset(load, 0, sizeof load);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            K[i * n + j] = x->A[i][j];
            K[(N + i) * n + N + j] = x->C[i][j];
            K[(N + i) * n + j] = K[j * n + N + i] = x->B[i][j];
        }
    for (size_t i = 0; i < n; i++) {
        unit[i][i] = 1.0;
        load[i][i] = -1.0;
        loads[i] = (am_load_def){load[i], i < N ? x->q[i] : x->p[i - N]};
    }
    for (size_t c = 0; c < N; c++) {
        contacts[c] = am_contact_def_default();
        contacts[c].tangent = unit[c];
        contacts[c].normal = unit[N + c];
        contacts[c].friction = x->mu[c];
    }
    am_system_def def = am_system_def_default();
    def.n = n;
    def.contact_count = N;
    def.contacts = contacts;
    def.load_count = n;
    def.loads = loads;
    return dense_system(def, NULL, NULL, K);
}

/* Numbers in their order. */
typedef struct dice {
    uint64_t seed, thrown;
} dice;

static double uniform(dice *random, double from, double to) {
    return from + (to - from) * am_random_unit(random->seed, random->thrown++, 0);
}

static am_function wave_about(double mean, double amplitude, double frequency, double phase) {
    am_function f = am_function_sine(amplitude, frequency, phase);
    f.value = mean;
    return f;
}

/* Diagonally dominant blocks, coupling up to `coupling` of them; loads: one sine each, pressed together. */
static nodes random_nodes(dice *random, size_t count, double coupling) {
    nodes x = {.count = count};
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            x.A[i][j] = x.A[j][i] = uniform(random, -0.4, 0.4) / (double)count;
            x.C[i][j] = x.C[j][i] = uniform(random, -0.4, 0.4) / (double)count;
        }
        for (size_t j = 0; j < count; j++)
            x.B[i][j] = coupling * uniform(random, -0.4, 0.4) / (double)count;
        x.A[i][i] = uniform(random, 1.0, 2.0);
        x.C[i][i] = uniform(random, 1.0, 2.0);
        x.B[i][i] = coupling * uniform(random, -0.5, 0.5);
        x.mu[i] = uniform(random, 0.2, 0.7);
        x.q[i] = wave_about(uniform(random, -0.2, 0.2), uniform(random, 0.1, 0.5), 1.3, uniform(random, 0.0, 6.0));
        x.p[i] = wave_about(uniform(random, 1.0, 2.0), uniform(random, 0.0, 0.5), 1.3, uniform(random, 0.0, 6.0));
    }
    return x;
}

/* ---- running ---- */

static am_result *run(const am_system *system, const am_shakedown_options *options) {
    am_result *result = am_result_create(NULL);
    GOOD(am_shakedown_run(system, options, result, NULL, err));
    return result;
}

static void assert_evidence(const am_result *result) {
    static const char *const names[] = {"primal_residual", "dual_residual", "duality_gap", "extreme_error"};
    for (size_t i = 0; i < 4; i++)
        if (!(number(result, names[i]) <= 1e-13)) /* rounding of sums of a few dozen terms */
            fail_msg("%s = %g", names[i], number(result, names[i]));
}

static double limit_with(const am_system *system, const am_shakedown_options *options) {
    am_result *result = run(system, options);
    double limit = number(result, "shakedown_limit");
    assert_evidence(result);
    am_result_free(result);
    return limit;
}

static double limit_of(const nodes *x) {
    am_shakedown_options options = am_shakedown_options_default();
    am_system *system = build(x);
    double limit = limit_with(system, &options);
    am_system_free(system);
    return limit;
}

/* Largest value of re cos + im sin for mu p -/+ q, both sines of one frequency. */
static double swing(const nodes *x, size_t i, double sign) {
    const am_function *q = &x->q[i], *p = &x->p[i];
    double c = x->mu[i] * p->amplitude * cos(p->phase) + sign * q->amplitude * cos(q->phase);
    double s = x->mu[i] * p->amplitude * sin(p->phase) + sign * q->amplitude * sin(q->phase);
    return hypot(c, s);
}

/* ---- closed forms ---- */

/* (a - mu b) v <= mu P - Q - factor R-, -(a + mu b) v <= mu P + Q - factor R+: eliminate v. */
static void one_node_has_its_limit_in_closed_form(void **state) {
    (void)state;
    dice random = {1, 0};
    for (int k = 0; k < 200; k++) {
        nodes x = random_nodes(&random, 1, 1.0);
        double minus = x.A[0][0] - x.mu[0] * x.B[0][0], plus = x.A[0][0] + x.mu[0] * x.B[0][0];
        double grip = x.mu[0] * x.p[0].value, Q = x.q[0].value;
        double wanted =
            (plus * (grip - Q) + minus * (grip + Q)) / (plus * swing(&x, 0, -1.0) + minus * swing(&x, 0, 1.0));
        assert_near(limit_of(&x), wanted, rounding * wanted);
    }
}

/* Without coupling A v may be anything: each node for itself, 2 mu P = factor (R- + R+). */
static void uncoupled_nodes_have_the_least_limit_of_one(void **state) {
    (void)state;
    dice random = {2, 0};
    for (size_t count = 2; count <= MOST; count++)
        for (int k = 0; k < 10; k++) {
            nodes x = random_nodes(&random, count, 0.0);
            double wanted = INFINITY;
            for (size_t i = 0; i < count; i++)
                wanted = fmin(wanted, 2.0 * x.mu[i] * x.p[i].value / (swing(&x, i, -1.0) + swing(&x, i, 1.0)));
            assert_near(limit_of(&x), wanted, rounding * wanted);
        }
}

/* The limit for a given v is the least, over the constraints, of room over swing: a concave function of v. */
static double limit_at(const nodes *x, const double v[2]) {
    double least = INFINITY;
    for (size_t i = 0; i < 2; i++)
        for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
            double room = x->mu[i] * x->p[i].value + sign * x->q[i].value;
            for (size_t j = 0; j < 2; j++)
                room += (sign * x->A[i][j] + x->mu[i] * x->B[i][j]) * v[j];
            least = fmin(least, room / swing(x, i, sign));
        }
    return least;
}

/* Golden-section search of a concave function along coordinate `axis`, the other coordinates maximised inside. */
static double search(const nodes *x, double v[2], size_t axis) {
    const double golden = 0.6180339887498949;
    double from = -4.0, to = 4.0;
    if (axis == 2)
        return limit_at(x, v);
    double a = to - golden * (to - from), b = from + golden * (to - from);
    v[axis] = a;
    double at_a = search(x, v, axis + 1);
    v[axis] = b;
    double at_b = search(x, v, axis + 1);
    for (int k = 0; k < 60; k++) {
        if (at_a > at_b) {
            to = b;
            b = a;
            at_b = at_a;
            v[axis] = a = to - golden * (to - from);
            at_a = search(x, v, axis + 1);
        } else {
            from = a;
            a = b;
            at_a = at_b;
            v[axis] = b = from + golden * (to - from);
            at_b = search(x, v, axis + 1);
        }
    }
    return fmax(at_a, at_b);
}

static void two_coupled_nodes_agree_with_an_exhaustive_search(void **state) {
    (void)state;
    dice random = {3, 0};
    for (int k = 0; k < 40; k++) {
        nodes x = random_nodes(&random, 2, 1.0);
        double v[2] = {0.0, 0.0};
        /* 60 steps leave 8 * 0.618^60 = 2e-12 in v, times slopes of order one over a swing of 0.1. */
        assert_near(limit_of(&x), search(&x, v, 0), 1e-9);
    }
}

static void the_slip_it_reports_holds_at_the_limit_and_multipliers_say_how_the_limit_grows(void **state) {
    (void)state;
    dice random = {4, 0};
    for (int k = 0; k < 20; k++) {
        nodes x = random_nodes(&random, 2, 1.0);
        am_shakedown_options options = am_shakedown_options_default();
        am_system *system = build(&x);
        am_result *result = run(system, &options);
        double limit = number(result, "shakedown_limit");
        double v[2] = {number(result, "v1"), number(result, "v2")};
        assert_near(limit_at(&x, v), limit, rounding * limit);
        assert_true(number(result, "coupled") == 1.0);
        assert_true((number(result, "shakes_down") == 1.0) == (limit >= 1.0));
        /* Raising the right-hand sides of a node's two constraints by mu dp moves the limit by the multipliers. */
        const am_table *active = am_result_find_table(result, "active");
        double growth = 0.0, step = 1e-6;
        for (size_t r = 0; r < am_table_rows(active); r++)
            if (am_table_text(active, r, 0)[0] == '1')
                growth += cell(active, r, "dual");
        x.p[0].value += step;
        /* The limit is piecewise linear in the mean pressure; a kink within 1e-6 would show as a failure. */
        assert_near((limit_of(&x) - limit) / step, x.mu[0] * growth, 1e-8);
        am_result_free(result);
        am_system_free(system);
    }
}

static void forces_over_the_period_touch_their_limit_where_the_table_says(void **state) {
    (void)state;
    dice random = {5, 0};
    nodes x = random_nodes(&random, 3, 1.0);
    am_shakedown_options options = am_shakedown_options_default();
    options.samples = 2001;
    am_system *system = build(&x);
    am_result *result = run(system, &options);
    const am_table *samples = am_result_find_table(result, "samples"), *all = am_result_find_table(result, "extremes");
    assert_int_equal(am_table_rows(all), 6);
    assert_int_equal(am_table_rows(samples), 2001);
    for (size_t r = 0; r < 6; r++) {
        size_t contact = (size_t)(am_table_text(all, r, 0)[0] - '1');
        double sign = am_table_text(all, r, 0)[1] == '-' ? 1.0 : -1.0, least = INFINITY, when = 0.0;
        for (size_t s = 0; s < 2001; s++) {
            double N = am_table_number(samples, s, 1 + contact), T = am_table_number(samples, s, 4 + contact);
            assert_near(am_table_number(samples, s, 7 + contact), T / (x.mu[contact] * N), rounding);
            if (x.mu[contact] * N - sign * T < least) {
                least = x.mu[contact] * N - sign * T;
                when = am_table_number(samples, s, 0);
            }
        }
        /* Samples 0.0024 apart miss a valley by at most half of that, and by half its square in value. */
        assert_near(cell(all, r, "slack"), least, 1e-5);
        double apart = fabs(cell(all, r, "time") - when);
        assert_true(fmin(apart, two_pi / 1.3 - apart) <= 0.0025);
    }
    am_result_free(result);
    am_system_free(system);
}

static void the_limit_does_not_depend_on_units(void **state) {
    (void)state;
    static const double force[] = {1e-9, 1e9, 1.0}, length[] = {1.0, 1e-6, 1e6}, second[] = {1e3, 1e-3, 1e-6};
    dice random = {6, 0};
    nodes x = random_nodes(&random, 4, 1.0);
    double wanted = limit_of(&x);
    for (size_t k = 0; k < 3; k++) {
        nodes y = x;
        for (size_t i = 0; i < 4; i++) {
            for (size_t j = 0; j < 4; j++) {
                y.A[i][j] *= force[k] / length[k];
                y.B[i][j] *= force[k] / length[k];
                y.C[i][j] *= force[k] / length[k];
            }
            am_function *functions[] = {&y.q[i], &y.p[i]};
            for (size_t f = 0; f < 2; f++) {
                functions[f]->value *= force[k];
                functions[f]->amplitude *= force[k];
                functions[f]->frequency /= second[k];
            }
        }
        assert_near(limit_of(&y), wanted, rounding * wanted);
    }
}

/* ---- contacts of other kinds ---- */

/* One coordinate on a spring k, pushed by a sine; a held contact with N(t), perhaps behind a spring of its own. */
static am_system *slider(double stiffness, double spring, am_function hold, am_function push) {
    static const double one[] = {1.0};
    am_contact_def contact = am_contact_def_default();
    am_load_def load = {one, push};
    am_system_def def = am_system_def_default();
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold = hold;
    contact.friction = 0.4;
    contact.tangential_stiffness = spring;
    def.n = 1;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 1;
    def.loads = &load;
    return dense_system(def, NULL, NULL, &stiffness);
}

static void held_contacts_know_their_normal_force(void **state) {
    (void)state;
    const double delta = 0.7, N0 = 3.0, N1 = 1.1, Q = 0.9;
    am_shakedown_options options = am_shakedown_options_default();
    am_system *system = slider(2.0, 0.0, wave_about(N0, N1, 1.0, delta), am_function_sine(Q, 1.0, 0.0));
    double f = 0.4, R_minus = hypot(f * N1 * cos(delta) + Q, f * N1 * sin(delta));
    double R_plus = hypot(f * N1 * cos(delta) - Q, f * N1 * sin(delta));
    assert_near(limit_with(system, &options), 2.0 * f * N0 / (R_minus + R_plus), rounding);
    /* Only the push scaled: |factor Q sin t| <= f N(t), symmetric in itself under t -> t + half a period up to the mean
     * slip; the room is bounded by |factor Q -/+ f N1 e^(i delta)| summing to 2 f N0: an ellipse. */
    const size_t push[] = {0};
    options.scale = push;
    options.scale_count = 1;
    double factor = limit_with(system, &options);
    double sum = hypot(f * N1 * cos(delta) + factor * Q, f * N1 * sin(delta)) +
                 hypot(f * N1 * cos(delta) - factor * Q, f * N1 * sin(delta));
    assert_near(sum, 2.0 * f * N0, rounding);
    am_system_free(system);
}

/* With the slider at rest, spring k_d carries k_d/(k + k_d) of the push. */
static void a_spring_in_series_takes_its_share(void **state) {
    (void)state;
    am_shakedown_options options = am_shakedown_options_default();
    am_system *system = slider(2.0, 3.0, am_function_constant(1.5), am_function_sine(0.7, 1.0, 0.0));
    assert_near(limit_with(system, &options), 0.4 * 1.5 / (0.7 * 3.0 / 5.0), rounding);
    am_system_free(system);
}

/* An interference g presses with c g where no load does. */
static void a_negative_gap_is_a_fit_with_interference(void **state) {
    (void)state;
    static const double K[] = {2.0, 0.0, 0.0, 5.0}, tangent[] = {1.0, 0.0}, normal[] = {0.0, 1.0};
    am_contact_def contact = am_contact_def_default();
    am_load_def load = {tangent, am_function_sine(0.3, 1.0, 0.0)};
    am_system_def def = am_system_def_default();
    am_shakedown_options options = am_shakedown_options_default();
    contact.tangent = tangent;
    contact.normal = normal;
    contact.gap = -0.1;
    contact.friction = 0.5;
    def.n = 2;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 1;
    def.loads = &load;
    am_system *system = dense_system(def, NULL, NULL, K);
    assert_near(limit_with(system, &options), 0.5 * 5.0 * 0.1 / 0.3, rounding);
    am_system_free(system);
}

static void without_friction_nothing_may_vary(void **state) {
    (void)state;
    dice random = {7, 0};
    nodes x = random_nodes(&random, 2, 0.5);
    x.mu[1] = 0.0;
    assert_near(limit_of(&x), 0.0, rounding);
}

/* ---- what is scaled ---- */

/* Two sines push one node: |rest e^(i phi) + factor Q| = mu P has two roots. */
static void a_rest_that_varies_makes_the_least_and_the_largest_factor_roots_of_a_quadratic(void **state) {
    (void)state;
    static const double K[] = {1.0, 0.0, 0.0, 1.0}, tangent[] = {1.0, 0.0}, normal[] = {0.0, 1.0};
    const double rest = 1.4, phi = 2.6, Q = 0.5, grip = 0.9;
    am_contact_def contact = am_contact_def_default();
    const am_load_def loads[] = {{tangent, am_function_sine(rest, 2.0, phi)},
                                 {tangent, am_function_sine(Q, 2.0, 0.0)},
                                 {normal, am_function_constant(-grip / 0.3)}};
    const size_t scale[] = {1};
    am_system_def def = am_system_def_default();
    am_shakedown_options options = am_shakedown_options_default();
    contact.tangent = tangent;
    contact.normal = normal;
    contact.friction = 0.3;
    def.n = 2;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 3;
    def.loads = loads;
    options.scale = scale;
    options.scale_count = 1;
    am_system *system = dense_system(def, NULL, NULL, K);
    am_result *result = run(system, &options);
    double half = -rest * cos(phi) / Q, root = sqrt(half * half - (rest * rest - grip * grip) / (Q * Q));
    assert_evidence(result);
    assert_near(number(result, "shakedown_limit"), half + root, rounding);
    assert_near(number(result, "least_factor"), half - root, rounding);
    assert_true(half - root > 1.0 && number(result, "shakes_down") == 0.0);
    am_result_free(result);
    am_system_free(system);
}

static void about_zero_scales_the_mean_too(void **state) {
    (void)state;
    dice random = {8, 0};
    nodes x = random_nodes(&random, 1, 0.0);
    am_shakedown_options options = am_shakedown_options_default();
    const size_t scale[] = {0};
    x.p[0].amplitude = 0.0;
    options.scale = scale;
    options.scale_count = 1;
    am_system *system = build(&x);
    double about_mean = limit_with(system, &options);
    options.about = AM_ABOUT_ZERO;
    /* The slip takes up any mean of the tangential force where nothing is coupled. */
    assert_near(limit_with(system, &options), about_mean, rounding);
    am_system_free(system);
    x.B[0][0] = 0.4;
    system = build(&x);
    double minus = x.A[0][0] - x.mu[0] * 0.4, plus = x.A[0][0] + x.mu[0] * 0.4;
    double Q = x.q[0].value, R = x.q[0].amplitude;
    double wanted = (plus + minus) * x.mu[0] * x.p[0].value / (plus * (R + Q) + minus * (R - Q));
    assert_near(limit_with(system, &options), wanted, rounding * wanted);
    am_system_free(system);
}

/* Some loads scaled, others of other frequencies not: program and extremes take turns. */
static void any_choice_of_scaled_loads_keeps_friction_within_its_limits_all_the_time(void **state) {
    (void)state;
    dice random = {21, 0};
    for (int k = 0; k < 100; k++) {
        size_t count = 1 + (size_t)k % 6, scale[2 * MOST], scaled = 0;
        nodes x = random_nodes(&random, count, 0.8);
        am_shakedown_options options = am_shakedown_options_default();
        for (size_t i = 0; i < count; i++) { /* small enough that friction can hold them when they are not scaled */
            x.q[i].amplitude *= 0.3;
            x.q[i].frequency *= i % 2 ? 1.0 : 3.0;
            if (i == 0 || uniform(&random, 0.0, 1.0) < 0.5)
                scale[scaled++] = i;
        }
        options.scale = scale;
        options.scale_count = scaled;
        options.about = k % 2 ? AM_ABOUT_MEAN : AM_ABOUT_ZERO;
        am_system *system = build(&x);
        am_result *result = run(system, &options);
        const am_table *samples = am_result_find_table(result, "samples");
        double most = 0.0;
        assert_evidence(result);
        for (size_t r = 0; r < am_table_rows(samples); r++)
            for (size_t i = 0; i < count; i++) {
                double use = fabs(am_table_number(samples, r, 1 + 2 * count + i));
                assert_true(use <= 1.0 + rounding);
                most = fmax(most, use);
            }
        assert_true(most >= 0.98); /* and one of them is used up, but for the distance of samples */
        am_result_free(result);
        am_system_free(system);
    }
}

static void loads_no_contact_feels_have_no_limit(void **state) {
    (void)state;
    static const double K[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    am_contact_def contact = am_contact_def_default();
    const am_load_def loads[] = {{unit[2], am_function_sine(1.0, 1.0, 0.0)}, {unit[1], am_function_constant(-1.0)}};
    am_system_def def = am_system_def_default();
    am_shakedown_options options = am_shakedown_options_default();
    contact.tangent = unit[0];
    contact.normal = unit[1];
    contact.friction = 0.3;
    def.n = 3;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 2;
    def.loads = loads;
    am_system *system = dense_system(def, NULL, NULL, K);
    am_result *result = run(system, &options);
    assert_true(am_result_find(result, "shakedown_limit")->kind == AM_SCALAR_NONE);
    assert_true(number(result, "bounded") == 0.0 && number(result, "shakes_down") == 1.0);
    assert_true(number(result, "coupled") == 0.0);
    am_result_free(result);
    am_system_free(system);
}

/* mu b > a: pushing the node forward presses it so much that it stays: any load can be held by enough slip. */
static void a_node_that_wedges_has_no_limit(void **state) {
    (void)state;
    nodes x = {.count = 1, .A = {{1.0}}, .B = {{1.5}}, .C = {{4.0}}, .mu = {0.8}};
    am_shakedown_options options = am_shakedown_options_default();
    x.q[0] = am_function_sine(1.0, 1.0, 0.0);
    x.p[0] = am_function_constant(0.1);
    am_system *system = build(&x);
    am_result *result = run(system, &options);
    assert_true(number(result, "bounded") == 0.0 && number(result, "shakes_down") == 1.0);
    /* The slip it names must hold the loads as they are: 0.2 |v| >= 1 - 0.08 on the one side, 2.2 v >= 0.92 on the
     * other. */
    assert_true(0.2 * number(result, "v1") >= 0.92 - 1e-12);
    am_result_free(result);
    am_system_free(system);
}

/* ---- extremes over the period ---- */

static void one_wave_on_a_slope_has_its_valley_in_closed_form(void **state) {
    (void)state;
    dice random = {9, 0};
    for (int k = 0; k < 300; k++) {
        double frequency = uniform(&random, 0.2, 9.0), cosine = uniform(&random, -1.0, 1.0);
        double sine = uniform(&random, -1.0, 1.0), length = uniform(&random, 0.1, 5.0), where, error;
        am_wave wave = {uniform(&random, -1.0, 1.0), uniform(&random, -3.0, 3.0), 1, &frequency, &cosine, &sine};
        double least = am_wave_least(&wave, length, &where, &error), sampled = INFINITY;
        for (int i = 0; i <= 20000; i++)
            sampled = fmin(sampled, am_wave_at(&wave, length * i / 20000.0));
        double apart = 0.5 * length / 20000.0, curvature = hypot(cosine, sine) * frequency * frequency;
        assert_true(where >= 0.0 && where <= length);
        assert_near(am_wave_at(&wave, where), least, 1e-14);
        assert_true(least <= sampled + 1e-14);
        assert_true(sampled - least <= 0.5 * curvature * apart * apart + 1e-14);
        assert_true(error <= 2e-14); /* four units in the last place of terms up to 17 */
    }
}

/* cos t + c cos 2t has valleys at cos t = -1/(4c) of depth -c - 1/(8c) when c > 1/4; at c = 1/4 they merge into one of
 * fourth order. */
static void several_waves_are_searched_with_a_certificate(void **state) {
    (void)state;
    const double frequency[] = {1.0, 2.0}, sine[] = {0.0, 0.0};
    for (double c = 0.25; c < 2.0; c += 0.05) {
        const double cosine[] = {1.0, c};
        double where, error;
        am_wave wave = {0.3, 0.0, 2, frequency, cosine, sine};
        assert_near(am_wave_least(&wave, two_pi, &where, &error), 0.3 - c - 1.0 / (8.0 * c), 4e-15);
        assert_true(error <= 1e-14);
        assert_near(cos(where), -1.0 / (4.0 * c), c > 0.26 ? 1e-7 : 1e-4); /* flat valleys are wide */
    }
}

static void many_waves_are_never_below_their_certified_bound(void **state) {
    (void)state;
    dice random = {10, 0};
    for (int k = 0; k < 50; k++) {
        double frequency[5], cosine[5], sine[5], where, error, sampled = INFINITY;
        for (int j = 0; j < 5; j++) {
            frequency[j] = (double)(1 + j) * 1.7;
            cosine[j] = uniform(&random, -1.0, 1.0);
            sine[j] = uniform(&random, -1.0, 1.0);
        }
        am_wave wave = {0.0, uniform(&random, -0.2, 0.2), 5, frequency, cosine, sine};
        double least = am_wave_least(&wave, 4.0, &where, &error);
        for (int i = 0; i <= 40000; i++)
            sampled = fmin(sampled, am_wave_at(&wave, 4.0 * i / 40000.0));
        assert_near(am_wave_at(&wave, where), least, 1e-14);
        assert_true(least <= sampled + error);
        assert_true(sampled - least <= 0.5 * 5.0 * 2.0 * 73.0 * 5e-5 * 5e-5 + 1e-14);
        assert_true(error <= 1e-13);
    }
}

static const double tooth_times[] = {0.0, 1.0, 1.5, 3.0}, tooth_values[] = {0.2, 1.0, -0.6, 0.2};

/* One uncoupled node: 2 mu P = factor (max - min) of q. */
static double range_limit(am_function q, double period, double grip) {
    nodes x = {.count = 1, .A = {{1.0}}, .C = {{1.0}}, .mu = {0.5}};
    am_shakedown_options options = am_shakedown_options_default();
    x.q[0] = q;
    x.p[0] = am_function_constant(grip / 0.5);
    options.period = period;
    am_system *system = build(&x);
    double limit = limit_with(system, &options);
    am_system_free(system);
    return limit;
}

static void tables_pulses_and_their_jumps_have_exact_ranges(void **state) {
    (void)state;
    am_function tooth = am_function_table(4, tooth_times, tooth_values);
    assert_near(range_limit(tooth, 3.0, 0.4), 2.0 * 0.4 / 1.6, rounding); /* once in a period that is given */
    tooth.period = 3.0;
    assert_near(range_limit(tooth, 0.0, 0.4), 2.0 * 0.4 / 1.6, rounding);
    assert_near(range_limit(tooth, 6.0, 0.4), 2.0 * 0.4 / 1.6, rounding);
    static const double saw_times[] = {0.5, 2.5}, saw_values[] = {-1.0, 2.0};
    am_function saw = am_function_table(2, saw_times, saw_values);
    saw.period = 2.0; /* falls from 2 to -1 at once */
    assert_near(range_limit(saw, 0.0, 0.4), 2.0 * 0.4 / 3.0, rounding);
    am_function pulse = am_function_pulse(0.7, 0.3, 1.1);
    assert_near(range_limit(pulse, 2.0, 0.4), 2.0 * 0.4 / 0.7, rounding);
    pulse.repeat = 5;
    pulse.period = 2.0;
    assert_near(range_limit(pulse, 2.0, 0.4), 2.0 * 0.4 / 0.7, rounding);
    assert_near(range_limit(pulse, 4.0, 0.4), 2.0 * 0.4 / 0.7, rounding);
}

/* Sine and table of commensurate periods, and the third harmonic: against samples. */
static void mixed_loads_agree_with_dense_samples(void **state) {
    (void)state;
    dice random = {11, 0};
    for (int k = 0; k < 10; k++) {
        nodes x = random_nodes(&random, 2, 0.0);
        am_function tooth = am_function_table(4, tooth_times, tooth_values);
        tooth.period = 3.0;
        x.q[0] = tooth;
        x.p[0] = wave_about(2.0, uniform(&random, 0.2, 0.8), two_pi / 1.5, uniform(&random, 0.0, 6.0));
        x.q[1] = wave_about(0.1, uniform(&random, 0.2, 0.8), two_pi, uniform(&random, 0.0, 6.0));
        x.p[1] = wave_about(2.0, uniform(&random, 0.2, 0.8), two_pi / 3.0, uniform(&random, 0.0, 6.0));
        double wanted = INFINITY;
        for (size_t i = 0; i < 2; i++) {
            double swings = 0.0, mean = i == 0 ? (0.6 + 0.1 - 0.3) / 3.0 : 0.1;
            for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
                double least = INFINITY;
                for (int s = 0; s <= 60000; s++) {
                    double t = 3.0 * s / 60000.0;
                    double q = am_function_at(&x.q[i], t) - mean, p = am_function_at(&x.p[i], t) - 2.0;
                    least = fmin(least, x.mu[i] * p + sign * q);
                }
                swings -= least;
            }
            wanted = fmin(wanted, 2.0 * x.mu[i] * 2.0 / swings);
        }
        /* Samples 5e-5 apart; curvature up to 0.8 (2 pi)^2. */
        assert_near(limit_of(&x), wanted, 1e-7);
    }
}

/* ---- against the path ---- */

static const double beat_times[] = {0.0, 1.0, 3.0, 4.0};

/* Triangular waves out of step: piecewise linear, so that `path` is exact. Factor times the varying part. */
static void set_triangles(nodes *x, double factor, double values[4 * MOST][5], double times[5]) {
    for (size_t k = 0; k < 5; k++)
        times[k] = (double)k;
    for (size_t i = 0; i < x->count; i++) {
        const double *q = values[2 * i], *p = values[2 * i + 1];
        double *scaled_q = values[2 * x->count + 2 * i], *scaled_p = values[2 * x->count + 2 * i + 1];
        double mean_q = 0.25 * (q[0] + q[1] + q[2] + q[3]), mean_p = 0.25 * (p[0] + p[1] + p[2] + p[3]);
        for (size_t k = 0; k < 5; k++) {
            scaled_q[k] = mean_q + factor * (q[k] - mean_q);
            scaled_p[k] = mean_p + factor * (p[k] - mean_p);
        }
        x->q[i] = am_function_table(5, times, scaled_q);
        x->p[i] = am_function_table(5, times, scaled_p);
        x->q[i].period = x->p[i].period = 4.0;
    }
}

static void random_triangles(dice *random, const nodes *x, double values[4 * MOST][5]) {
    for (size_t i = 0; i < 2 * x->count; i++) {
        double middle = i % 2 ? uniform(random, 1.5, 2.0) : uniform(random, -0.1, 0.1);
        for (size_t k = 0; k < 4; k++)
            values[i][k] = middle + uniform(random, -0.3, 0.3);
        values[i][4] = values[i][0];
    }
}

/* Loss by friction from the start to `until`. */
static double loss(const am_system *system, const double *q, double until) {
    am_path_options options = am_path_options_default();
    am_error err = {0};
    am_result *result = am_result_create(&err);
    options.displacement = q;
    options.until = until;
    options.samples = 2;
    if (am_path_run(system, &options, result, NULL, &err))
        fail_msg("%s", err.message);
    double value = number(result, "loss_friction");
    am_result_free(result);
    return value;
}

/* A slip that |T| <= mu N allows at the first instant: the given one, drawn towards one that is allowed. */
static void admissible_start(dice *random, const nodes *x, const double *safe, double *q) {
    double wish[MOST];
    memset(q, 0, 2 * MOST * sizeof *q);
    for (size_t i = 0; i < x->count; i++)
        wish[i] = uniform(random, -2.0, 2.0);
    for (double part = 1.0; part > 1e-3; part *= 0.8) {
        bool allowed = true;
        for (size_t i = 0; i < x->count; i++)
            q[i] = safe[i] + part * wish[i];
        for (size_t i = 0; i < x->count; i++) {
            double T = am_function_at(&x->q[i], 0.0), N = am_function_at(&x->p[i], 0.0);
            for (size_t j = 0; j < x->count; j++) {
                T += x->A[i][j] * q[j];
                N += x->B[i][j] * q[j];
            }
            allowed = allowed && fabs(T) <= 0.999 * x->mu[i] * N;
        }
        if (allowed)
            return;
    }
    memcpy(q, safe, x->count * sizeof *q);
}

/* Dissipation of the last of many cycles, from one start, with the varying loads scaled. */
static double last_loss(nodes *x, double factor, double values[4 * MOST][5], dice *random, const double *safe,
                        double *first) {
    double times[5], q[2 * MOST];
    set_triangles(x, factor, values, times);
    am_system *system = build(x);
    admissible_start(random, x, safe, q);
    double last = loss(system, q, 200.0) - loss(system, q, 196.0);
    *first = loss(system, q, 4.0);
    am_system_free(system);
    return last;
}

static double triangle_limit(nodes *x, double values[4 * MOST][5], double *safe) {
    double times[5];
    am_shakedown_options options = am_shakedown_options_default();
    set_triangles(x, 1.0, values, times);
    am_system *system = build(x);
    am_result *result = run(system, &options);
    double limit = number(result, "shakedown_limit");
    for (size_t i = 0; i < x->count; i++) {
        char name[32];
        snprintf(name, sizeof name, "v%zu", i + 1);
        safe[i] = number(result, name);
    }
    assert_evidence(result);
    am_result_free(result);
    am_system_free(system);
    return limit;
}

static void uncoupled_paths_stop_slipping_below_the_limit_and_never_above(void **state) {
    (void)state;
    dice random = {12, 0};
    double values[4 * MOST][5], safe[MOST];
    size_t slipped = 0;
    for (size_t count = 1; count <= 3; count++)
        for (int k = 0; k < 3; k++) {
            nodes x = random_nodes(&random, count, 0.0);
            random_triangles(&random, &x, values);
            double limit = triangle_limit(&x, values, safe);
            for (int start = 0; start < 3; start++) {
                double first, below = last_loss(&x, 0.99 * limit, values, &random, safe, &first);
                slipped += first > 1e-3;
                assert_near(below, 0.0, 1e-12); /* differences of sums of order one */
                double above = last_loss(&x, 1.01 * limit, values, &random, safe, &first);
                if (!(above > 1e-4))
                    fail_msg("%zu nodes lose only %g in a cycle above the limit", count, above);
            }
        }
    assert_true(slipped >= 9); /* below the limit too, starts do slip at first */
}

/* Necessity holds with coupling too; sufficiency for the slip the program names. */
static void coupled_paths_slip_for_ever_above_the_limit_and_need_not_below(void **state) {
    (void)state;
    dice random = {13, 0};
    double values[4 * MOST][5], safe[MOST];
    for (int k = 0; k < 6; k++) {
        nodes x = random_nodes(&random, 2, 0.6);
        random_triangles(&random, &x, values);
        double limit = triangle_limit(&x, values, safe), times[5], q[2 * MOST] = {0}, first;
        for (int start = 0; start < 2; start++)
            assert_true(last_loss(&x, 1.01 * limit, values, &random, safe, &first) > 1e-4);
        set_triangles(&x, 0.999 * limit, values, times);
        am_system *system = build(&x);
        memcpy(q, safe, 2 * sizeof *q);
        assert_near(loss(system, q, 40.0), 0.0, 1e-14);
        am_system_free(system);
    }
}

/* Sines scaled about their means. */
static void scale_sines(const nodes *x, double factor, nodes *scaled) {
    *scaled = *x;
    for (size_t i = 0; i < x->count; i++) {
        scaled->q[i].amplitude *= factor;
        scaled->p[i].amplitude *= factor;
    }
}

/* Does `path`, followed until its cycles repeat, end in one without slip? */
static bool path_shakes_down(const nodes *x, double factor, const double *q) {
    nodes scaled;
    am_path_options options = am_path_options_default();
    am_error err = {0};
    scale_sines(x, factor, &scaled);
    am_system *system = build(&scaled);
    am_result *result = am_result_create(&err);
    options.displacement = q; /* where a start violates friction, it slips at once */
    options.until_repeat = true;
    options.samples = 2;
    if (am_path_run(system, &options, result, NULL, &err))
        fail_msg("%s", err.message);
    assert_true(number(result, "repeats") == 1.0);
    bool still = number(result, "shakedown") == 1.0;
    /* What friction dissipates in a period is what the loads bring in. */
    assert_near(number(result, "work_per_period"), number(result, "dissipation"), 1e-12);
    assert_true((number(result, "dissipation") > 0.0) == !still);
    am_result_free(result);
    am_system_free(system);
    return still;
}

/* The factor at which the path begins to slip for ever, by bisection. */
static double simulated_limit(const nodes *x, const double *q, double about) {
    double low = 0.9 * about, high = 1.1 * about;
    assert_true(path_shakes_down(x, low, q));
    assert_false(path_shakes_down(x, high, q));
    while (high - low > 1e-7 * about) {
        double middle = 0.5 * (low + high);
        if (path_shakes_down(x, middle, q))
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

/* The limit and the slip that holds there; loads enlarged or reduced so that the limit is near one. */
static double limit_and_slip(nodes *x, double *v) {
    am_shakedown_options options = am_shakedown_options_default();
    double limit = limit_of(x);
    scale_sines(x, limit, x);
    am_system *system = build(x);
    am_result *result = run(system, &options);
    for (size_t i = 0; i < x->count; i++) {
        char name[32];
        snprintf(name, sizeof name, "v%zu", i + 1);
        v[i] = number(result, name);
    }
    limit = number(result, "shakedown_limit");
    am_result_free(result);
    am_system_free(system);
    return limit;
}

static void under_sines_uncoupled_paths_find_the_same_limit_from_any_start(void **state) {
    (void)state;
    dice random = {19, 0};
    for (size_t count = 2; count <= 6; count += 4)
        for (int start = 0; start < 2; start++) {
            double v[MOST], q[2 * MOST];
            nodes x = random_nodes(&random, count, 0.0), most;
            double limit = limit_and_slip(&x, v);
            scale_sines(&x, 1.1 * limit, &most);
            admissible_start(&random, &most, v, q);
            assert_near(simulated_limit(&x, q, limit), limit, 1e-7 * limit);
        }
}

static void under_sines_coupled_paths_find_the_same_limit_from_the_slip_it_names(void **state) {
    (void)state;
    dice random = {20, 0};
    for (size_t count = 2; count <= 6; count += 4)
        for (int k = 0; k < 2; k++) {
            double v[2 * MOST] = {0.0};
            nodes x = random_nodes(&random, count, 0.7);
            double limit = limit_and_slip(&x, v);
            assert_near(simulated_limit(&x, v, limit), limit, 1e-7 * limit);
        }
}

/* ---- linear programs ---- */

/* The best of all vertices of G x <= h, x in a box, three unknowns: every choice of three of the planes. */
static double best_vertex(size_t rows, const double *G, const double *h, const double *c) {
    double best = -INFINITY;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = i + 1; j < rows; j++)
            for (size_t k = j + 1; k < rows; k++) {
                const double *a = G + 3 * i, *b = G + 3 * j, *d = G + 3 * k;
                double ab[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
                double bd[3] = {b[1] * d[2] - b[2] * d[1], b[2] * d[0] - b[0] * d[2], b[0] * d[1] - b[1] * d[0]};
                double da[3] = {d[1] * a[2] - d[2] * a[1], d[2] * a[0] - d[0] * a[2], d[0] * a[1] - d[1] * a[0]};
                double det = a[0] * bd[0] + a[1] * bd[1] + a[2] * bd[2], x[3];
                bool inside = fabs(det) > 1e-9;
                for (size_t e = 0; e < 3; e++)
                    x[e] = (h[i] * bd[e] + h[j] * da[e] + h[k] * ab[e]) / det;
                for (size_t r = 0; r < rows && inside; r++)
                    inside = G[3 * r] * x[0] + G[3 * r + 1] * x[1] + G[3 * r + 2] * x[2] <= h[r] + 1e-9;
                if (inside)
                    best = fmax(best, c[0] * x[0] + c[1] * x[1] + c[2] * x[2]);
            }
    return best;
}

static void linear_programs_find_the_best_vertex(void **state) {
    (void)state;
    dice random = {14, 0};
    enum { ROWS = 14 };
    for (int k = 0; k < 200; k++) {
        double G[ROWS * 3] = {0}, h[ROWS], c[3], x[3], y[ROWS];
        const double lower[3] = {-INFINITY, -INFINITY, -INFINITY}, upper[3] = {INFINITY, INFINITY, INFINITY};
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t j = 0; j < 3; j++)
                G[3 * i + j] = i < 6 ? (i / 2 == j ? (i % 2 ? 1.0 : -1.0) : 0.0) : uniform(&random, -1.0, 1.0);
            h[i] = i < 6 ? 1.0 : uniform(&random, k % 4 ? 0.0 : -0.6, 1.0);
        }
        for (size_t j = 0; j < 3; j++)
            c[j] = uniform(&random, -1.0, 1.0);
        am_linear_program program = {ROWS, 3, c, G, h, lower, upper};
        am_linear_solution solution = {.x = x, .multiplier = y};
        am_error err = {0};
        assert_int_equal(am_linear_program_solve(&program, &solution, &err), AM_OK);
        double wanted = best_vertex(ROWS, G, h, c);
        assert_int_equal(solution.outcome, isfinite(wanted) ? AM_LINEAR_OPTIMAL : AM_LINEAR_INFEASIBLE);
        if (!isfinite(wanted))
            continue;
        assert_near(solution.value, wanted, 1e-8); /* the search admits vertices 1e-9 outside */
        assert_true(solution.evidence.primal <= 1e-14 && solution.evidence.dual <= 1e-14);
        assert_true(solution.evidence.gap <= 1e-14);
        x[0] += 1e-6; /* the check must see that this is no solution */
        am_linear_evidence off = am_linear_program_check(&program, x, y);
        assert_true(off.primal > 1e-10 || off.gap > 1e-10);
        x[0] = NAN;
        assert_false(am_linear_program_check(&program, x, y).primal <= 1.0);
    }
}

static void unbounded_programs_are_called_so(void **state) {
    (void)state;
    const double G[] = {-1.0, 0.0}, h[] = {1.0}, c[] = {1.0, 0.0}, lower[] = {-INFINITY, 0.0};
    const double upper[] = {INFINITY, 1.0};
    double x[2], y[1];
    am_linear_program program = {1, 2, c, G, h, lower, upper};
    am_linear_solution solution = {.x = x, .multiplier = y};
    am_error err = {0};
    assert_int_equal(am_linear_program_solve(&program, &solution, &err), AM_OK);
    assert_int_equal(solution.outcome, AM_LINEAR_UNBOUNDED);
}

static void threads_do_not_disturb_each_other(void **state) {
    (void)state;
    enum { CASES = 64 };
    static am_system *systems[CASES];
    static double alone[CASES], together[CASES];
    dice random = {15, 0};
    for (int k = 0; k < CASES; k++) {
        nodes x = random_nodes(&random, 4, 1.0);
        systems[k] = build(&x);
        am_shakedown_options options = am_shakedown_options_default();
        alone[k] = limit_with(systems[k], &options);
    }
#pragma omp parallel for num_threads(4) schedule(dynamic)
    for (int k = 0; k < CASES; k++) {
        am_shakedown_options options = am_shakedown_options_default();
        am_result *result = am_result_create(NULL);
        am_status status = am_shakedown_run(systems[k], &options, result, NULL, NULL);
        together[k] = status ? NAN : number(result, "shakedown_limit");
        am_result_free(result);
    }
    for (int k = 0; k < CASES; k++) {
        assert_true(together[k] == alone[k]);
        am_system_free(systems[k]);
    }
}

/* ---- refusals ---- */

static void assert_refused(const am_system *system, const am_shakedown_options *options, am_status status,
                           const char *word) {
    am_error err = {0};
    am_result *result = am_result_create(&err);
    assert_int_equal(am_shakedown_run(system, options, result, NULL, &err), status);
    assert_says(&err, word);
    am_result_free(result);
}

static void assert_nodes_refused(const nodes *x, double period, am_status status, const char *word) {
    am_shakedown_options options = am_shakedown_options_default();
    am_system *system = build(x);
    options.period = period;
    assert_refused(system, &options, status, word);
    am_system_free(system);
}

static void loads_that_do_not_repeat_are_refused(void **state) {
    (void)state;
    dice random = {16, 0};
    nodes x = random_nodes(&random, 1, 0.5), y = x;
    y.q[0] = am_function_constant(0.1), y.p[0] = am_function_constant(1.0);
    assert_nodes_refused(&y, 0.0, AM_ERR_UNSUPPORTED, "no load varies");
    y = x, y.q[0] = am_function_ramp(0.0, 1.0);
    assert_nodes_refused(&y, 0.0, AM_ERR_UNSUPPORTED, "load 1 grows for ever");
    y = x, y.q[0] = am_function_impulse(1.0, 0.0);
    assert_nodes_refused(&y, 0.0, AM_ERR_UNSUPPORTED, "impulse");
    y = x, y.q[0] = am_function_table(4, tooth_times, tooth_values);
    assert_nodes_refused(&y, 0.0, AM_ERR_UNSUPPORTED, "give the table a period");
    y.p[0] = am_function_constant(1.0);
    assert_nodes_refused(&y, 2.0, AM_ERR_INPUT, "does not begin and end within the period");
    y.q[0] = am_function_table(4, beat_times, tooth_times);
    assert_nodes_refused(&y, 4.0, AM_ERR_INPUT, "does not begin and end within the period");
    y = x, y.q[0] = am_function_pulse(1.0, 0.0, 1.0);
    assert_nodes_refused(&y, 0.0, AM_ERR_UNSUPPORTED, "does not repeat");
    y = x, y.q[0].frequency = 1.3 * 1.4142135623730951;
    assert_nodes_refused(&y, 0.0, AM_ERR_UNSUPPORTED, "no common period");
    assert_nodes_refused(&x, 3.0, AM_ERR_INPUT, "repeats after");
}

static void contacts_the_theorem_does_not_speak_of_are_refused(void **state) {
    (void)state;
    static const double one[] = {1.0}, stiffness[] = {1.0};
    am_error err = {0};
    am_contact_def contact = am_contact_def_default();
    am_load_def load = {one, am_function_sine(1.0, 1.0, 0.0)};
    am_system_def def = am_system_def_default();
    am_shakedown_options options = am_shakedown_options_default();
    am_matrix *K = am_matrix_dense(1, 1, stiffness, &err);
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1.0);
    contact.friction = 0.4;
    def.n = 1;
    def.stiffness = K;
    def.contacts = &contact;
    def.load_count = 1;
    def.loads = &load;
    am_system *bare = am_system_create(&def, &err);
    assert_refused(bare, &options, AM_ERR_UNSUPPORTED, "no contact");
    am_system_free(bare);
    def.contact_count = 1;
    contact.surface_velocity = 0.1;
    am_system *belt = am_system_create(&def, &err);
    assert_refused(belt, &options, AM_ERR_UNSUPPORTED, "moves with velocity");
    am_system_free(belt);
    contact.surface_velocity = 0.0;
    contact.static_friction = 0.5;
    am_system *sticky = am_system_create(&def, &err);
    assert_refused(sticky, &options, AM_ERR_UNSUPPORTED, "drops when it begins to slip");
    am_system_free(sticky);
    am_matrix_free(K);
}

static void contacts_that_cannot_stay_closed_are_named(void **state) {
    (void)state;
    dice random = {17, 0};
    nodes x = random_nodes(&random, 3, 0.0), y;
    x.p[1].value = -0.2;
    x.p[1].amplitude = 0.1;
    assert_nodes_refused(&x, 0.0, AM_ERR_UNSUPPORTED, "contact 2 cannot stay closed");
    /* Coupling lets slip press a node: pulled apart, but closed by a slip. */
    y = random_nodes(&random, 1, 0.0);
    y.B[0][0] = 1.2;
    y.C[0][0] = 4.0;
    y.A[0][0] = 1.0;
    y.mu[0] = 0.9;
    y.p[0] = am_function_constant(-0.05);
    assert_true(!(limit_of(&y) <= 1e9)); /* and wedged: no limit */
    /* Friction too weak for the part that is not scaled. */
    am_shakedown_options options = am_shakedown_options_default();
    const size_t scale[] = {3};
    nodes z = random_nodes(&random, 2, 0.0);
    z.q[0].amplitude = 5.0;
    options.scale = scale;
    options.scale_count = 1;
    am_system *system = build(&z);
    assert_refused(system, &options, AM_ERR_UNSUPPORTED, "friction is too weak");
    assert_refused(system, &options, AM_ERR_UNSUPPORTED, "contact 1 ");
    am_system_free(system);
}

static void bad_options_are_refused(void **state) {
    (void)state;
    dice random = {18, 0};
    nodes x = random_nodes(&random, 1, 0.5);
    x.p[0] = am_function_constant(1.0);
    am_system *system = build(&x);
    am_shakedown_options raw = {0}, options = am_shakedown_options_default();
    const size_t far[] = {2}, constant[] = {1}, contact[] = {0};
    assert_refused(system, &raw, AM_ERR_INPUT, "am_shakedown_options_default");
    options.scale = far;
    options.scale_count = 1;
    assert_refused(system, &options, AM_ERR_INPUT, "there is no load 2");
    options.scale = constant;
    assert_refused(system, &options, AM_ERR_INPUT, "about: zero");
    options.scale_count = 0;
    assert_refused(system, &options, AM_ERR_INPUT, "no load is scaled");
    options = am_shakedown_options_default();
    options.scale_held = contact;
    options.scale_held_count = 1;
    assert_refused(system, &options, AM_ERR_INPUT, "no held normal force");
    options = am_shakedown_options_default();
    options.period = -1.0;
    assert_refused(system, &options, AM_ERR_INPUT, "period");
    options = am_shakedown_options_default();
    options.about = (am_shakedown_about)7;
    assert_refused(system, &options, AM_ERR_INPUT, "unknown");
    am_system_free(system);
}

/* A build without CLP says so instead of answering. */
static void without_its_library_the_question_is_refused(void **state) {
    (void)state;
    dice random = {1, 0};
    nodes x = random_nodes(&random, 1, 1.0);
    am_system *system = build(&x);
    am_result *result = am_result_create(NULL);
    am_shakedown_options options = am_shakedown_options_default();
    assert_int_equal(am_shakedown_run(system, &options, result, NULL, NULL), AM_ERR_UNSUPPORTED);
    am_result_free(result);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest always[] = {
        cmocka_unit_test(one_wave_on_a_slope_has_its_valley_in_closed_form),
        cmocka_unit_test(several_waves_are_searched_with_a_certificate),
        cmocka_unit_test(many_waves_are_never_below_their_certified_bound),
        cmocka_unit_test(loads_that_do_not_repeat_are_refused),
        cmocka_unit_test(contacts_the_theorem_does_not_speak_of_are_refused),
        cmocka_unit_test(bad_options_are_refused),
    };
    const struct CMUnitTest with[] = {
        cmocka_unit_test(one_node_has_its_limit_in_closed_form),
        cmocka_unit_test(uncoupled_nodes_have_the_least_limit_of_one),
        cmocka_unit_test(two_coupled_nodes_agree_with_an_exhaustive_search),
        cmocka_unit_test(the_slip_it_reports_holds_at_the_limit_and_multipliers_say_how_the_limit_grows),
        cmocka_unit_test(forces_over_the_period_touch_their_limit_where_the_table_says),
        cmocka_unit_test(the_limit_does_not_depend_on_units),
        cmocka_unit_test(held_contacts_know_their_normal_force),
        cmocka_unit_test(a_spring_in_series_takes_its_share),
        cmocka_unit_test(a_negative_gap_is_a_fit_with_interference),
        cmocka_unit_test(without_friction_nothing_may_vary),
        cmocka_unit_test(a_rest_that_varies_makes_the_least_and_the_largest_factor_roots_of_a_quadratic),
        cmocka_unit_test(about_zero_scales_the_mean_too),
        cmocka_unit_test(any_choice_of_scaled_loads_keeps_friction_within_its_limits_all_the_time),
        cmocka_unit_test(loads_no_contact_feels_have_no_limit),
        cmocka_unit_test(a_node_that_wedges_has_no_limit),
        cmocka_unit_test(tables_pulses_and_their_jumps_have_exact_ranges),
        cmocka_unit_test(mixed_loads_agree_with_dense_samples),
        cmocka_unit_test(uncoupled_paths_stop_slipping_below_the_limit_and_never_above),
        cmocka_unit_test(coupled_paths_slip_for_ever_above_the_limit_and_need_not_below),
        cmocka_unit_test(under_sines_uncoupled_paths_find_the_same_limit_from_any_start),
        cmocka_unit_test(under_sines_coupled_paths_find_the_same_limit_from_the_slip_it_names),
        cmocka_unit_test(linear_programs_find_the_best_vertex),
        cmocka_unit_test(unbounded_programs_are_called_so),
        cmocka_unit_test(threads_do_not_disturb_each_other),
        cmocka_unit_test(contacts_that_cannot_stay_closed_are_named),
    };
    const struct CMUnitTest without[] = {cmocka_unit_test(without_its_library_the_question_is_refused)};
    int failures = cmocka_run_group_tests(always, NULL, NULL);
    return failures + (am_shakedown_available() ? cmocka_run_group_tests(with, NULL, NULL)
                                                : cmocka_run_group_tests(without, NULL, NULL));
}
