/* `path` under smooth and periodic loads: closed forms, other loads that tend to the same, limit cycles and their
 * multipliers, and what must be refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "amontons/path.h"
#include "amontons/states.h"
#include "cases.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "node_systems.h"
#include "random_system.h"
#include "results.h"

static const double two_pi = 6.28318530717958647692;

/* Numbers of order one with a handful of roundings each. */
static const double rounding = 1e-13;

static am_result *run(const am_system *system, const am_path_options *options) {
    am_result *result = am_result_create(NULL);
    GOOD(am_path_run(system, options, result, NULL, err));
    return result;
}

static void assert_evidence(const am_result *result, double tolerance) {
    static const char *const names[] = {"energy_residual", "equilibrium_residual", "complementarity_residual",
                                        "continuity_residual"};
    for (size_t i = 0; i < 4; i++)
        if (!(number(result, names[i]) <= tolerance))
            fail_msg("%s = %g", names[i], number(result, names[i]));
}

/* ---- one node: Masing's loop ---- */

/* q = Q sin t + a v, p constant: slides between -v and v with v = (Q - mu p)/a. */
static am_system *one_node(double a, double mu, double p, am_function q) {
    node_example e;
    double zero = 0.0;
    am_function normal = am_function_constant(p);
    node_example_init(&e, 1, &a, &zero, &a, mu);
    e.def.tangential = &q;
    e.def.normal = &normal;
    am_system *system = node_system(&e.def);
    node_example_clear(&e);
    return system;
}

static void a_node_under_a_sine_dissipates_the_area_of_its_loop(void **state) {
    (void)state;
    const double a = 2.0, mu = 0.4, p = 1.5, Q = 1.7;
    am_system *system = one_node(a, mu, p, am_function_sine(Q, 3.0, 0.0));
    am_path_options options = am_path_options_default();
    options.until_repeat = true;
    am_result *result = run(system, &options);
    double v = (Q - mu * p) / a;
    assert_near(number(result, "dissipation"), 4.0 * mu * p * v, rounding);
    assert_near(number(result, "period_cycles"), 1.0, 0.0);
    assert_near(number(result, "load_period"), two_pi / 3.0, rounding);
    assert_false(flag(result, "shakedown"));
    const am_table *cycle = am_result_find_table(result, "cycle");
    double highest = 0.0;
    for (size_t i = 0; i < am_table_rows(cycle); i++)
        highest = fmax(highest, cell(cycle, i, "v1"));
    assert_near(highest, v, rounding);
    assert_evidence(result, 1e-14);
    am_result_free(result);
    am_system_free(system);
}

static void a_node_whose_load_only_touches_its_limit_does_not_slip(void **state) {
    (void)state;
    am_system *system = one_node(2.0, 0.5, 2.0, am_function_sine(1.0, 1.0, 0.3));
    am_path_options options = am_path_options_default();
    options.until_repeat = true;
    am_result *result = run(system, &options);
    assert_true(flag(result, "shakedown"));
    assert_near(number(result, "memory"), 1.0, 0.0);
    assert_near(number(result, "corners"), 0.0, 0.0);
    am_result_free(result);
    am_system_free(system);
}

/* Closing a cycle walks it again, which is no part of the path. */
static void cycles_count_the_corners_and_the_work_of_the_path_alone(void **state) {
    (void)state;
    am_system *system = one_node(2.0, 0.5, 1.0, am_function_sine(1.2, 1.0, 0.3));
    for (int steps = 0; steps < 2; steps++) {
        am_path_options options = am_path_options_default();
        options.method = steps ? AM_PATH_INCREMENTAL : AM_PATH_EXACT;
        options.cycles = 4;
        options.steps = 50; /* per cycle */
        am_result *cycles = run(system, &options);
        options.cycles = 0;
        options.until = 4.0 * two_pi;
        options.steps = 200;
        am_result *path = run(system, &options);
        size_t corners = am_table_rows(am_result_find_table(cycles, "corners"));
        assert_true(flag(cycles, "repeats"));
        assert_true(number(path, "loss_friction") > 1.0);
        assert_near(number(cycles, "corners"), number(path, "corners"), 0.0);
        assert_int_equal(corners, am_table_rows(am_result_find_table(path, "corners")));
        assert_near(number(cycles, "loss_friction"), number(path, "loss_friction"), 1e-12); /* a hundred additions */
        assert_near(number(path, "corners"), (double)corners - 1.0, 0.0); /* the first row is the start */
        for (size_t i = 1; i < corners; i++) /* smooth loads: corners are where the state changes */
            assert_string_not_equal(word(table_of(path, "corners"), i, "state"),
                                    word(table_of(path, "corners"), i - 1, "state"));
        if (steps) /* the one contact has all of it */
            assert_near(cell(table_of(cycles, "contacts"), 0, "dissipation"), number(cycles, "dissipation"), 1e-12);
        if (!steps)
            assert_near(number(cycles, "work_loads"), number(path, "work_loads"), 1e-12);
        am_result_free(cycles);
        am_result_free(path);
    }
    am_system_free(system);
}

static void a_pulse_slides_a_node_and_leaves_it_where_it_stopped(void **state) {
    (void)state;
    const double a = 2.0, mu = 0.5, p = 1.0, Q = 1.2;
    am_system *system = one_node(a, mu, p, am_function_pulse(Q, 0.5, 2.0));
    am_path_options options = am_path_options_default();
    options.until = 5.0;
    am_result *result = run(system, &options);
    const am_table *corners = am_result_find_table(result, "corners");
    /* The weld force Q(t) = Q (1 - cos)/2 pushes v to negative values, from Q(t) = mu p to its crest; on the way back
     * the node slides forward from Q(t) + a v = -mu p on, until the pulse ends. */
    double stop = -(Q - mu * p) / a;
    assert_int_equal(am_table_rows(corners), 4);
    assert_near(cell(corners, 1, "t"), 0.5 + acos(1.0 - 2.0 * mu * p / Q) * 2.0 / two_pi, rounding);
    assert_near(cell(corners, 2, "t"), 1.5, rounding);
    assert_near(cell(corners, 2, "v1"), stop, rounding);
    assert_near(cell(corners, 3, "t"), 2.5 - acos(1.0 - 2.0 * (Q - 2.0 * mu * p) / Q) * 2.0 / two_pi, rounding);
    const am_table *samples = am_result_find_table(result, "samples");
    assert_near(cell(samples, am_table_rows(samples) - 1, "v1"), -mu * p / a, rounding);
    assert_evidence(result, 1e-14);
    am_result_free(result);
    am_system_free(system);
}

/* A spring k beside a slider of limit T0 behind a spring c: the slider lets go at c v = T0, the amplitude is
 * V = (Q - T0)/k, and the loop has the area 4 T0 (V - T0/c). */
static void a_slider_behind_a_spring_dissipates_the_area_of_its_loop(void **state) {
    (void)state;
    const double k = 2.0, c = 3.0, mu = 0.5, N = 1.2, Q = 2.5, T0 = mu * N, one = 1.0;
    am_contact_def contact = am_contact_def_default();
    am_load_def load = {&one, am_function_sine(Q, 1.3, 0.4)};
    am_system_def def = am_system_def_default();
    contact.tangent = &one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(N);
    contact.friction = mu;
    contact.tangential_stiffness = c;
    def.n = def.contact_count = def.load_count = 1;
    def.contacts = &contact;
    def.loads = &load;
    am_system *system = dense_system(def, NULL, NULL, &k);
    am_path_options options = am_path_options_default();
    options.until_repeat = true;
    am_result *result = run(system, &options);
    double V = (Q - T0) / k;
    assert_near(number(result, "dissipation"), 4.0 * T0 * (V - T0 / c), rounding);
    assert_near(number(result, "work_per_period"), 4.0 * T0 * (V - T0 / c), rounding);
    am_result_free(result);
    am_system_free(system);
}

/* ---- several nodes ---- */

typedef struct random_case {
    size_t n;
    node_example e;
    am_function q[MOST_NODES], p[MOST_NODES];
} random_case;

/* A random support with moderate coupling, presses that mostly hold, sines of one or two frequencies. */
static void make_case(random_case *k, random_source *r, size_t n, double coupling) {
    double a[MOST_NODES * MOST_NODES], b[MOST_NODES * MOST_NODES], c[MOST_NODES * MOST_NODES];
    k->n = n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double x = random_between(r, -0.4, 0.4) / (double)n, y = random_between(r, -0.4, 0.4) / (double)n;
            a[i * n + j] = a[j * n + i] = i == j ? 1.0 : x;
            c[i * n + j] = c[j * n + i] = i == j ? 2.0 : y;
        }
    for (size_t i = 0; i < n * n; i++)
        b[i] = coupling * random_between(r, -1.0, 1.0) / (double)n;
    node_example_init(&k->e, n, a, b, c, 0.0);
    for (size_t i = 0; i < n; i++) {
        k->e.mu[i] = random_between(r, 0.2, 0.6);
        k->q[i] = am_function_sine(random_between(r, 0.3, 1.5), random_chance(r, 0.3) ? 2.0 : 1.0,
                                   random_between(r, 0.0, two_pi));
        k->p[i] = am_function_sine(random_between(r, 0.0, 0.5), 1.0, random_between(r, 0.0, two_pi));
        k->p[i].value = random_between(r, 1.0, 2.0);
    }
    k->e.def.tangential = k->q;
    k->e.def.normal = k->p;
}

/* The sine as a table of chords. */
typedef struct chords {
    double *times, *values;
} chords;

static am_function tabulate(const am_function *f, size_t count, chords *c) {
    c->times = malloc((count + 1) * sizeof *c->times);
    c->values = malloc((count + 1) * sizeof *c->values);
    for (size_t i = 0; i <= count; i++) {
        c->times[i] = two_pi * (double)i / (double)count;
        c->values[i] = i == count ? c->values[0] : am_function_at(f, c->times[i]);
    }
    am_function table = am_function_table(count + 1, c->times, c->values);
    table.period = two_pi;
    return table;
}

/* Positions after one cycle and a bit, from displacement zero. */
static void end_of(const am_system *system, double until, size_t n, double *v) {
    am_path_options options = am_path_options_default();
    options.until = until;
    am_result *result = run(system, &options);
    const am_table *samples = am_result_find_table(result, "samples");
    for (size_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "v%zu", i + 1);
        v[i] = cell(samples, am_table_rows(samples) - 1, name);
    }
    assert_evidence(result, 1e-11);
    am_result_free(result);
}

static double chord_error(const random_case *k, size_t count, double until, const double *exact) {
    am_function q[MOST_NODES], p[MOST_NODES];
    chords c[2 * MOST_NODES];
    am_nodes nodes = k->e.def;
    double v[MOST_NODES], worst = 0.0;
    for (size_t i = 0; i < k->n; i++) {
        q[i] = tabulate(&k->q[i], count, &c[2 * i]);
        p[i] = tabulate(&k->p[i], count, &c[2 * i + 1]);
    }
    nodes.tangential = q;
    nodes.normal = p;
    am_system *system = node_system(&nodes);
    end_of(system, until, k->n, v);
    for (size_t i = 0; i < k->n; i++)
        worst = fmax(worst, fabs(v[i] - exact[i]));
    for (size_t i = 0; i < 2 * k->n; i++) {
        free(c[i].times);
        free(c[i].values);
    }
    am_system_free(system);
    return worst;
}

static void smooth_loads_are_the_limit_of_their_chords(void **state) {
    (void)state;
    random_source r = random_seed(7);
    for (size_t trial = 0; trial < CASES(12, 4); trial++) {
        random_case k;
        double v[MOST_NODES];
        make_case(&k, &r, 1 + trial % 4, 0.6);
        am_system *system = node_system(&k.e.def);
        end_of(system, 9.1, k.n, v);
        /* Chords of a sine with w steps per period lie within amplitude (2 pi frequency/w)^2/8 of it: 1e-3 and 6e-5
         * here. Positions follow with a factor of the compliance (up to 10 for these supports). */
        double coarse = chord_error(&k, 144, 9.1, v), fine = chord_error(&k, 576, 9.1, v);
        if (!(coarse <= 1e-2 && fine <= 7e-4))
            fail_msg("trial %zu: chords differ by %g and %g", trial, coarse, fine);
        am_system_free(system);
        node_example_clear(&k.e);
    }
}

/* ---- the only solution ---- */

static am_standing standing_of(const char *state) {
    return strncmp(state, "stick", 5) == 0     ? AM_STANDING_STICK
           : strncmp(state, "forward", 7) == 0 ? AM_STANDING_FORWARD
           : strncmp(state, "back", 4) == 0    ? AM_STANDING_BACKWARD
                                               : AM_STANDING_OPEN;
}

/* Rates between two neighbouring rows of `samples`, which lie in one stretch, against all solutions of the rate problem
 * there. Returns how many contacts move. */
static size_t check_stretch(const random_case *k, const am_system *system, const am_nodes *nodes,
                            const am_table *samples, size_t row) {
    enum { SPACE = 2 * MOST_NODES };
    size_t moving = 0;
    double zero[SPACE] = {0.0}, velocity[SPACE], load_rate[SPACE], normal[MOST_NODES], tangential[MOST_NODES];
    am_standing standing[MOST_NODES];
    am_error err = {0};
    double t = cell(samples, row, "t"), step = cell(samples, row + 1, "t") - t, scale = 0.0;
    if (step < 1e-3)
        return 0;
    const char *state = word(samples, row, "state");
    for (size_t i = 0; i < k->n; i++) {
        char name[4][32];
        const char *letters = "vwNT";
        double rate[4];
        for (size_t j = 0; j < 4; j++) {
            snprintf(name[j], sizeof name[j], "%c%zu", letters[j], i + 1);
            rate[j] = (cell(samples, row + 1, name[j]) - cell(samples, row, name[j])) / step;
        }
        standing[i] = standing_of(state);
        moving += standing[i] != AM_STANDING_STICK;
        state = strchr(state, ',') ? strchr(state, ',') + 1 : state;
        velocity[i] = rate[0];
        velocity[k->n + i] = rate[1];
        normal[i] = rate[2];
        tangential[i] = rate[3];
        load_rate[i] = -am_function_rate(&nodes->tangential[i], t + 0.5 * step);
        load_rate[k->n + i] = -am_function_rate(&nodes->normal[i], t + 0.5 * step);
        scale = fmax(scale, fmax(fabs(load_rate[i]), fabs(load_rate[k->n + i])));
    }
    am_verify *verify = am_verify_create(system, standing, &err);
    assert_non_null(verify);
    am_verify_instant instant = {
        zero, velocity, zero, load_rate, zero, zero, normal, tangential, NULL, 1.0, scale > 0.0 ? scale : 1.0};
    am_verify_report report;
    assert_int_equal(am_verify_check(verify, &instant, &report, &err), AM_OK);
    /* Differences of rounded values over a step of 1e-3 or more. */
    if (!(report.equilibrium <= 1e-9 && report.rate <= 1e-9 && report.difference <= 1e-9))
        fail_msg("at t = %g: equilibrium %g, rates %g, off by %g", t, report.equilibrium, report.rate,
                 report.difference);
    assert_int_equal(report.solutions, 1);
    am_verify_free(verify);
    return moving;
}

/* Where Condition 3.1 holds the path follows the one solution that an enumeration of all states leaves. */
static void where_rates_are_unique_the_path_has_the_only_ones(void **state) {
    (void)state;
    random_source r = random_seed(23);
    size_t unique = 0, most_moving = 0;
    for (size_t trial = 0; trial < CASES(24, 7); trial++) {
        random_case k;
        am_error err = {0};
        am_function q[MOST_NODES], p[MOST_NODES];
        chords c[2 * MOST_NODES];
        make_case(&k, &r, 2 + trial % 7, 1.0);
        am_nodes nodes = k.e.def;
        for (size_t i = 0; i < k.n; i++) {
            q[i] = tabulate(&k.q[i], 12, &c[2 * i]);
            p[i] = tabulate(&k.p[i], 12, &c[2 * i + 1]);
        }
        nodes.tangential = q;
        nodes.normal = p;
        am_system *system = node_system(&nodes);
        am_uniqueness test = {0};
        assert_int_equal(am_uniqueness_test(system, 0, &test, &err), AM_OK);
        if (test.verdict == AM_UNIQUE) {
            am_path_options options = am_path_options_default();
            options.until = two_pi;
            options.samples = 2;
            am_result *result = run(system, &options);
            const am_table *samples = am_result_find_table(result, "samples");
            unique++;
            for (size_t i = 0; i + 1 < am_table_rows(samples); i++) {
                size_t moving = check_stretch(&k, system, &nodes, samples, i);
                most_moving = moving > most_moving ? moving : most_moving;
            }
            am_result_free(result);
        }
        am_uniqueness_clear(&test);
        am_system_free(system);
        for (size_t i = 0; i < 2 * k.n; i++) {
            free(c[i].times);
            free(c[i].values);
        }
        node_example_clear(&k.e);
    }
    assert_true(unique >= CASES(12, 2) && most_moving >= 2); /* of these seeds; otherwise the test says little */
}

/* ---- limit cycles ---- */

/* Where two constraint lines meet: rows of A + sign mu B. */
static void meeting_point(const node_example *k, size_t i, int si, double ci, size_t j, int sj, double cj,
                          double v[2]) {
    double a[2], b[2];
    am_nodes_row(&k->def, i, si, a);
    am_nodes_row(&k->def, j, sj, b);
    double det = a[0] * b[1] - a[1] * b[0];
    v[0] = (ci * b[1] - cj * a[1]) / det;
    v[1] = (a[0] * cj - b[0] * ci) / det;
}

/* v[which] such that the line holds with the other coordinate given. */
static void slide_to(const node_example *k, size_t node, int sign, double side, double v[2]) {
    double row[2];
    am_nodes_row(&k->def, node, sign, row);
    v[node] = (side - row[1 - node] * v[1 - node]) / row[node];
}

/* The period-2 cycle of Example 1 from its corner equations: node 2 slides down into the rest position of O+1, both
 * slide on to where the extreme of O-2 meets it; two cycles later they are there again. */
static void corners_of_the_period_2_cycle_solve_their_equations(void **state) {
    (void)state;
    const double start[2] = {-1.0, -0.9};
    node_example k;
    node_example_one(&k);
    am_system *system = node_system(&k.def);
    am_path_options options = am_path_options_default();
    options.until_repeat = true;
    options.position = start;
    am_result *result = run(system, &options);
    assert_near(number(result, "period_cycles"), 2.0, 0.0);
    assert_true(number(result, "closing_error") <= 1e-15);
    const am_table *cycle = am_result_find_table(result, "cycle");
    double v[2];
    meeting_point(&k, 0, 1, k.plus[0], 1, -1, k.sequence[3].extreme, v);
    size_t seen = 0;
    bool found = false;
    /* The cycle may begin with either of its two load cycles: look for the corner point, then follow. */
    size_t rows = am_table_rows(cycle), first = 0;
    for (size_t i = 0; i < rows && !found; i++) /* under the last advance, O-2 */
        if (fmod(cell(cycle, i, "t"), 8.0) >= 7.0 && fabs(cell(cycle, i, "v1") - v[0]) <= rounding &&
            fabs(cell(cycle, i, "v2") - v[1]) <= rounding) {
            found = true;
            first = i;
        }
    assert_true(found);
    double t0 = floor(cell(cycle, first, "t") / 8.0) * 8.0 + 8.0; /* the next load cycle begins */
    for (int step = 0; step < 8; step++) {
        const am_nodes_advance *advance = &k.sequence[step % 4];
        double before = v[advance->node];
        slide_to(&k, advance->node, advance->sign, advance->extreme, v);
        if (step == 7) /* here the other node slides along */
            meeting_point(&k, 0, 1, k.plus[0], 1, -1, advance->extreme, v);
        assert_true((v[advance->node] - before) * advance->sign > 0.0);
        double end = fmod(t0 + 2.0 * (double)step + 1.0, 16.0);
        for (size_t i = 0; i < rows; i++)
            if (fabs(cell(cycle, i, "t") - end) <= 1e-12) {
                assert_near(cell(cycle, i, "v1"), v[0], 1e-13);
                assert_near(cell(cycle, i, "v2"), v[1], 1e-13);
                seen++;
            }
    }
    assert_true(seen >= 8);
    assert_near(number(result, "dissipation"), number(result, "work_per_period"), 1e-12);
    am_result_free(result);
    am_system_free(system);
    node_example_clear(&k);
}

/* The map of one load cycle on the positions at its beginning. */
static void one_cycle(const am_system *system, const double *start, size_t n, double length, double *end) {
    am_path_options options = am_path_options_default();
    options.position = start;
    options.until = length;
    am_result *result = run(system, &options);
    const am_table *samples = am_result_find_table(result, "samples");
    for (size_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "v%zu", i + 1);
        end[i] = cell(samples, am_table_rows(samples) - 1, name);
    }
    am_result_free(result);
}

/* Multipliers are eigenvalues of the derivative of the cycle map: their sum is its trace, which differences of nearby
 * exact runs give too (the map is affine near the cycle: differences are exact but for rounding/1e-6). A node that was
 * pushed until its load just touches the limit has another derivative on each side: such cycles are left out. */
static void multipliers_agree_with_differences_of_nearby_runs(void **state) {
    (void)state;
    random_source r = random_seed(3);
    size_t compared = 0, alive = 0;
    for (size_t trial = 0; trial < CASES(40, 14); trial++) {
        random_case k;
        make_case(&k, &r, 2 + trial % 3, 1.2);
        am_system *system = node_system(&k.e.def);
        am_path_options options = am_path_options_default();
        options.until_repeat = true;
        options.most_cycles = 2000;
        am_result *result = run(system, &options);
        const am_table *cycle = am_result_find_table(result, "cycle"),
                       *multipliers = am_result_find_table(result, "multipliers");
        bool usable = flag(result, "repeats") && number(result, "period_cycles") == 1.0;
        double start[MOST_NODES], end[MOST_NODES], trace = 0.0, sum = 0.0;
        for (size_t i = 0; usable && i < k.n; i++) {
            char name[32];
            snprintf(name, sizeof name, "v%zu", i + 1);
            start[i] = cell(cycle, 0, name);
            /* Only from stuck contacts can a cycle be started by positions. */
            usable = strstr(word(cycle, 0, "state"), "ward") == NULL && strstr(word(cycle, 0, "state"), "open") == NULL;
        }
        for (size_t i = 0; usable && i < k.n; i++) {
            double low[MOST_NODES], here = start[i], shift = 1e-6;
            start[i] = here + shift;
            one_cycle(system, start, k.n, two_pi, end);
            start[i] = here - shift;
            one_cycle(system, start, k.n, two_pi, low);
            start[i] = here;
            trace += (end[i] - low[i]) / (2.0 * shift);
            sum += cell(multipliers, i, "real");
            usable = fabs(end[i] + low[i] - 2.0 * here) <= 1e-6 * shift;
        }
        if (usable) {
            compared++;
            alive += fabs(sum) > 1e-3;
            assert_near(sum, trace, 1e-8);
        }
        am_result_free(result);
        am_system_free(system);
        node_example_clear(&k.e);
    }
    assert_true(compared >= CASES(10, 1) && alive >= CASES(4, 1)); /* of these seeds; otherwise the test says nothing */
}

/* Friction turns all the work of the loads into heat over a period: two integrals that share nothing but the path. */
static void over_a_period_friction_takes_what_the_loads_give(void **state) {
    (void)state;
    random_source r = random_seed(11);
    for (size_t trial = 0; trial < CASES(20, 6); trial++) {
        random_case k;
        make_case(&k, &r, 1 + trial % 6, 0.8);
        am_system *system = node_system(&k.e.def);
        am_path_options options = am_path_options_default();
        options.until_repeat = true;
        am_result *result = run(system, &options);
        if (flag(result, "repeats"))
            assert_near(number(result, "dissipation"), number(result, "work_per_period"),
                        1e-12 * fmax(1.0, number(result, "dissipation")));
        assert_evidence(result, 1e-11);
        am_result_free(result);
        am_system_free(system);
        node_example_clear(&k.e);
    }
}

/* With |R| < 1 the orbit of the sequence attracts, and its multiplier is R (eq. 7.1). */
static void the_multiplier_of_an_orbit_in_class_c1_is_its_factor(void **state) {
    (void)state;
    const double minus[2] = {20.0, 20.0}, plus[2] = {-20.0, -20.0}, start[2] = {0.0, 0.0};
    node_example k;
    node_example_one(&k);
    node_example_rest(&k, minus, plus);
    k.mu[0] = k.mu[1] = 0.9;
    am_system *system = node_system(&k.def);
    am_path_options options = am_path_options_default();
    am_error err = {0};
    double factor, orbit[8];
    options.until_repeat = true;
    options.position = start;
    am_result *result = run(system, &options);
    assert_int_equal(am_nodes_factor(&k.def, &factor, &err), AM_OK);
    assert_int_equal(am_nodes_orbit(&k.def, orbit, &err), AM_OK);
    assert_true(fabs(factor) < 1.0 && fabs(factor) > 0.1);
    assert_near(number(result, "multiplier"), factor, 1e-12);
    const am_table *cycle = am_result_find_table(result, "cycle");
    assert_near(cell(cycle, 0, "v1"), orbit[6], 1e-12);
    assert_near(cell(cycle, 0, "v2"), orbit[7], 1e-12);
    am_result_free(result);
    am_system_free(system);
    node_example_clear(&k);
}

static void as_many_cycles_as_asked_for_are_run(void **state) {
    (void)state;
    const double start[2] = {-1.0, -0.9};
    node_example k;
    node_example_one(&k);
    am_system *system = node_system(&k.def);
    am_path_options options = am_path_options_default();
    options.cycles = 30;
    options.position = start;
    am_result *result = run(system, &options);
    const am_table *samples = am_result_find_table(result, "samples");
    assert_near(cell(samples, am_table_rows(samples) - 1, "t"), 240.0, 0.0);
    assert_true(flag(result, "repeats"));
    assert_near(number(result, "period_cycles"), 2.0, 0.0);
    assert_true(number(result, "cycles_to_repeat") < 30.0);
    am_result_free(result);
    am_system_free(system);
    node_example_clear(&k);
}

/* ---- jumps ---- */

/* Above f* every load that brings Klarbring's mass to its backward limit ends there; in a medium it moves away from the
 * plane to the equilibrium that Appendix B names, which is what letting go gives too. */
static void a_jump_by_dynamics_ends_where_letting_go_does(void **state) {
    (void)state;
    am_klarbring def = am_klarbring_default();
    am_error err = {0};
    def.stiffness[0][0] = def.stiffness[0][1] = def.stiffness[1][0] = 1.0;
    def.stiffness[1][1] = 2.0;
    def.friction = 1.25;
    static const double axis[2][2] = {{1.0, 0.0}, {0.0, 1.0}}, times[] = {0, 1, 3}, f1[] = {0, 0, -1.5},
                        f2[] = {0, -1, -1};
    am_load_def loads[2] = {{axis[0], am_function_table(3, times, f1)}, {axis[1], am_function_table(3, times, f2)}};
    def.extra = loads;
    def.extra_count = 2;
    am_system *system = am_klarbring_create(&def, &err);
    assert_non_null(system);
    am_path_options options = am_path_options_default();
    options.until = 2.9;
    am_contact_state stick = AM_STICK;
    options.start = &stick;
    options.on_jump = AM_JUMP_RELEASE;
    am_result *released = run(system, &options);
    options.on_jump = AM_JUMP_DYNAMICS;
    am_result *moved = run(system, &options);
    assert_near(number(released, "jumps"), 1.0, 0.0);
    assert_near(number(moved, "jumps"), 1.0, 0.0);
    assert_near(number(moved, "first_jump"), number(released, "first_jump"), rounding);
    assert_near(number(moved, "loss_jump"), number(released, "loss_jump"), rounding);
    assert_true(number(moved, "loss_jump") > 0.0);
    assert_string_equal(text(moved, "final_state"), "open");
    am_result_free(released);
    am_result_free(moved);
    am_system_free(system);
}

/* From rest at the origin under a load rate in the triple sector, all three states go on; the mass itself sticks
 * (Fig. 3: stick is what the dynamic solution chooses). */
static void dynamics_choose_among_several_states_as_the_moving_mass_does(void **state) {
    (void)state;
    am_klarbring def = am_klarbring_default();
    am_error err = {0};
    def.stiffness[0][0] = def.stiffness[0][1] = def.stiffness[1][0] = 1.0;
    def.stiffness[1][1] = 2.0;
    def.friction = 1.25;
    assert_int_equal(am_klarbring_bisector(&def, def.load_rate, &err), AM_OK);
    am_system *system = am_klarbring_create(&def, &err);
    assert_non_null(system);
    am_path_options options = am_path_options_default();
    options.until = 1.0;
    am_result *refused = am_result_create(&err);
    assert_int_equal(am_path_run(system, &options, refused, NULL, &err), AM_ERR_SEVERAL_STATES);
    options.on_jump = AM_JUMP_DYNAMICS;
    am_result *result = run(system, &options);
    assert_near(number(result, "dynamic_choices"), 1.0, 0.0);
    assert_near(number(result, "jumps"), 0.0, 0.0);
    assert_string_equal(text(result, "final_state"), "stick");
    am_result_free(refused);
    am_result_free(result);
    am_system_free(system);
}

/* ---- refusals ---- */

static void assert_refused(const am_system *system, const am_path_options *options, const char *word) {
    am_error err = {0};
    am_result *result = am_result_create(&err);
    assert_int_equal(am_path_run(system, options, result, NULL, &err), AM_ERR_INPUT);
    assert_says(&err, word);
    am_result_free(result);
}

static void cycles_of_loads_that_do_not_repeat_are_refused(void **state) {
    (void)state;
    static const double times[] = {0, 1}, values[] = {0, 0.2};
    am_function table = am_function_table(2, times, values), fast = am_function_sine(0.1, 1.0, 0.0);
    am_path_options options = am_path_options_default();
    options.until_repeat = true;
    am_system *system = one_node(1.0, 0.5, 1.0, table);
    assert_refused(system, &options, "does not repeat");
    am_system_free(system);
    system = one_node(1.0, 0.5, 1.0, am_function_constant(0.1));
    assert_refused(system, &options, "no load repeats");
    am_system_free(system);
    random_source r = random_seed(5);
    random_case k;
    make_case(&k, &r, 2, 0.1);
    k.q[0] = fast;
    k.q[1] = am_function_sine(0.1, sqrt(2.0), 0.0);
    k.p[0] = k.p[1] = am_function_constant(2.0);
    system = node_system(&k.e.def);
    assert_refused(system, &options, "not together");
    am_system_free(system);
    node_example_clear(&k.e);
}

static void starts_that_friction_cannot_hold_are_refused(void **state) {
    (void)state;
    const struct {
        double v[2];
        const char *word;
    } cases[] = {{{5.0, 0.0}, "violates friction at node 1"},
                 {{0.0, 50.0}, "node"},
                 {{-6.0, -6.0}, "pulled"},
                 {{NAN, 0.0}, "finite"}};
    node_example k;
    node_example_one(&k);
    am_system *system = node_system(&k.def);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_path_options options = am_path_options_default();
        options.until = 1.0;
        options.position = cases[i].v;
        assert_refused(system, &options, cases[i].word);
    }
    am_system_free(system);
    node_example_clear(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_under_a_sine_dissipates_the_area_of_its_loop),
        cmocka_unit_test(a_node_whose_load_only_touches_its_limit_does_not_slip),
        cmocka_unit_test(cycles_count_the_corners_and_the_work_of_the_path_alone),
        cmocka_unit_test(a_pulse_slides_a_node_and_leaves_it_where_it_stopped),
        cmocka_unit_test(a_slider_behind_a_spring_dissipates_the_area_of_its_loop),
        cmocka_unit_test(smooth_loads_are_the_limit_of_their_chords),
        cmocka_unit_test(where_rates_are_unique_the_path_has_the_only_ones),
        cmocka_unit_test(corners_of_the_period_2_cycle_solve_their_equations),
        cmocka_unit_test(multipliers_agree_with_differences_of_nearby_runs),
        cmocka_unit_test(over_a_period_friction_takes_what_the_loads_give),
        cmocka_unit_test(the_multiplier_of_an_orbit_in_class_c1_is_its_factor),
        cmocka_unit_test(as_many_cycles_as_asked_for_are_run),
        cmocka_unit_test(a_jump_by_dynamics_ends_where_letting_go_does),
        cmocka_unit_test(dynamics_choose_among_several_states_as_the_moving_mass_does),
        cmocka_unit_test(cycles_of_loads_that_do_not_repeat_are_refused),
        cmocka_unit_test(starts_that_friction_cannot_hold_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
