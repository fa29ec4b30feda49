/* Supports that move along the normal in analyses: the ball on a shaken table in closed form (Holmes 1982), and random
 * structures against the same ones in the frame of the support. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/attractors.h"
#include "amontons/march.h"
#include "amontons/orbit.h"
#include "amontons/path.h"
#include "amontons/response.h"
#include "dense_system.h"
#include "errors.h"
#include "math/pi.h"
#include "near.h"
#include "random_system.h"
#include "results.h"
#include "shaken.h"
#include "varied_model.h"

/* ---- the ball ---- */

typedef struct table_under_ball {
    double w, e; /* gravity 1 */
} table_under_ball;

static am_system *ball(void *context, double amplitude, am_error *err) {
    const table_under_ball *b = context;
    (void)err;
    const double one = 1, zero = 0, down = -1;
    am_contact_def contact = am_contact_def_default();
    contact.normal = &one;
    contact.restitution = b->e;
    contact.gap_motion = am_function_sine(-amplitude, b->w, 0);
    am_load_def weight = {&down, am_function_constant(1)};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.contact_count = def.load_count = 1;
    def.contacts = &contact;
    def.loads = &weight;
    return dense_system(def, &one, NULL, &zero);
}

/* Once a period the ball leaves with T/2 where the table rises with c = (1 - e)/(1 + e) T/2 = a w cos phase. From one
 * impact to the next disturbances have determinant e^2 and trace 1 + e^2 - (1 + e)^2 a w^2 sin phase: a fold where the
 * phase is 0, a flip where the last term is 2 (1 + e^2). */
static double rising(const table_under_ball *b) {
    return (1 - b->e) / (1 + b->e) * pi / b->w;
}

static double trace_of(const table_under_ball *b, double a) {
    double speed = rising(b) / (a * b->w), up = sqrt(1 - speed * speed);
    return 1 + b->e * b->e - (1 + b->e) * (1 + b->e) * a * b->w * b->w * up;
}

static double flip_of(const table_under_ball *b) {
    double bend = 2 * (1 + b->e * b->e) / ((1 + b->e) * (1 + b->e));
    return hypot(rising(b), bend / b->w) / b->w;
}

/* State at t = 0, on the way from the impact before. */
static void ball_at_zero(const table_under_ball *b, double a, double *state) {
    double T = two_pi / b->w, phase = acos(rising(b) / (a * b->w)), flown = T - phase / b->w;
    state[0] = a * sin(phase) + flown * 0.5 * (T - flown);
    state[1] = 0.5 * T - flown;
}

static void ball_has_the_multipliers_of_the_closed_form(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        random_source r = random_seed(seed);
        table_under_ball b = {random_between(&r, 1, 8), random_between(&r, 0.2, 0.9)};
        double fold = rising(&b) / b.w, a = fold + random_between(&r, 0.02, 1.5) * (flip_of(&b) - fold);
        am_system *system = ball(&b, a, NULL);
        am_motion *engine = am_motion_create(system, true, NULL);
        am_orbit_return how = {.section = AM_SECTION_PERIOD, .period = two_pi / b.w, .returns = 1};
        double at[2], trace = trace_of(&b, a), half = 0.25 * trace * trace - b.e * b.e;
        double largest = half < 0 ? b.e : fabs(0.5 * trace) + sqrt(half);
        ball_at_zero(&b, a, at);
        am_orbit orbit;
        GOOD(am_orbit_close(engine, &how, at, &orbit, err));
        assert_near(orbit.state[0], at[0], 1e-12);
        assert_near(orbit.state[1], at[1], 1e-12);
        /* flown times are known to rounding, and so is the trace, but for the square root where a pair meets */
        assert_near(orbit.multiplier_re[0] + orbit.multiplier_re[1], trace, 1e-11);
        assert_near(orbit.multiplier, largest, 1e-11 + 1e-12 / sqrt(fabs(half)));
        assert_int_equal(orbit.stable, a < flip_of(&b));
        assert_near(orbit.loss_impact, 0.5 * (1 - b.e * b.e) * pow(rising(&b) + pi / b.w, 2), 1e-11);
        am_orbit_clear(&orbit);
        am_motion_free(engine);
        am_system_free(system);
    }
}

static void ball_doubles_its_period_where_the_closed_form_says(void **state) {
    (void)state;
    table_under_ball b = {two_pi, 0.7};
    double from = 1.05 * rising(&b) / b.w, flip = flip_of(&b), at[2];
    ball_at_zero(&b, from, at);
    am_orbit_options first = am_orbit_options_default();
    first.displacement = at;
    first.velocity = at + 1;
    am_follow_options options = am_follow_options_default();
    options.from = from;
    options.to = 1.1 * flip;
    options.first = &first;
    VARIED_MODEL *model = model_of_one("amplitude", ball, &b);
    am_result *result = am_result_create(NULL);
    GOOD(am_follow_run(model, &options, result, NULL, err));
    const am_table *found = table_of(result, "bifurcations");
    assert_int_equal(am_table_rows(found), 1);
    assert_string_equal(word(found, 0, "kind"), "flip");
    assert_near(cell(found, 0, "amplitude"), flip, 1e-6 * flip); /* bisected to a millionth of the way */
    am_result_free(result);
}

/* ---- random structures in two frames ---- */

typedef struct pair {
    shaken s;
    am_system *system[2]; /* in the frame of the support, and seen from outside */
    double start[2][4];
} pair;

static pair make_pair(uint64_t seed) {
    pair p = {.s = shaken_by_lot(seed)};
    p.s.c += 0.1; /* so that transients end */
    double rate, up = shaken_support(&p.s, 0, &rate);
    for (int k = 0; k < 2; k++) {
        p.system[k] = shaken_system(&p.s, k == 0);
        memcpy(p.start[k], (double[4]){0, 0.2 + k * up, 0.1, k * rate}, sizeof p.start[k]);
    }
    return p;
}

static void free_pair(pair *p) {
    am_system_free(p->system[0]);
    am_system_free(p->system[1]);
}

static void orbits_and_multipliers_are_those_in_the_frame(void **state) {
    (void)state;
    size_t closed = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        pair p = make_pair(seed);
        am_orbit orbit[2];
        am_orbit_search search[2];
        for (int k = 0; k < 2; k++) {
            am_motion *engine = am_motion_create(p.system[k], true, NULL);
            am_orbit_options options = am_orbit_options_default();
            options.displacement = p.start[k];
            options.velocity = p.start[k] + 2;
            options.most_returns = 300;
            GOOD(am_orbit_find(engine, &options, &orbit[k], &search[k], NULL, err));
            am_motion_free(engine);
        }
        assert_int_equal(search[0].outcome, search[1].outcome);
        if (search[0].outcome == AM_ORBIT_PERIODIC) {
            double rate, up = shaken_support(&p.s, orbit[1].start, &rate);
            const double shift[4] = {0, up, 0, rate};
            closed++;
            assert_int_equal(orbit[0].returns, orbit[1].returns);
            /* closed to rounding times what the way around makes of it; curved laws by tolerances */
            for (size_t i = 0; i < 4; i++)
                assert_near(orbit[1].state[i], orbit[0].state[i] + shift[i], 1e-9);
            assert_near(orbit[1].multiplier, orbit[0].multiplier, 1e-8);
            assert_near(orbit[1].dissipation, orbit[0].dissipation, 1e-9);
            assert_near(orbit[1].loss_impact, orbit[0].loss_impact, 1e-9);
        }
        for (int k = 0; k < 2 && search[0].outcome == AM_ORBIT_PERIODIC; k++)
            am_orbit_clear(&orbit[k]);
        free_pair(&p);
    }
    assert_true(closed >= 8);
}

static void attractors_share_starts_as_in_the_frame(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        pair p = make_pair(seed);
        am_result *result[2];
        for (int k = 0; k < 2; k++) {
            const double *at = p.start[k];
            const am_start_range box[2] = {{0, false, -1, 1}, {1, true, at[3] - 1, at[3] + 1}};
            am_attractors_options options = am_attractors_options_default();
            options.displacement = at;
            options.velocity = at + 2;
            options.count = 6;
            options.range_count = 2;
            options.ranges = box;
            options.most_returns = 300;
            result[k] = am_result_create(NULL);
            GOOD(am_attractors_run(p.system[k], &options, result[k], NULL, err));
        }
        assert_near(number(result[0], "orbits"), number(result[1], "orbits"), 0);
        assert_near(number(result[0], "aperiodic"), number(result[1], "aperiodic"), 0);
        for (size_t i = 0; i < rows(result[0], "orbits"); i++) {
            assert_near(cell(table_of(result[1], "orbits"), i, "multiplier"),
                        cell(table_of(result[0], "orbits"), i, "multiplier"), 1e-8);
            assert_near(cell(table_of(result[1], "orbits"), i, "share"),
                        cell(table_of(result[0], "orbits"), i, "share"), 0);
        }
        am_result_free(result[0]);
        am_result_free(result[1]);
        free_pair(&p);
    }
}

/* x'' + c x' + x = 0 before a stop at -g(t), and p = x + g before one at rest, under g'' + c g' + g. */
static void cells_are_those_before_a_stop_at_rest(void **state) {
    (void)state;
    const double one = 1, c = 0.3, a = 0.6, w = 1.4;
    am_result *result[2];
    for (int k = 0; k < 2; k++) {
        am_contact_def contact = am_contact_def_default();
        contact.normal = &one;
        contact.restitution = 0.6;
        contact.gap = 0.2;
        contact.gap_motion = am_function_sine(k * a, w, 0);
        am_load_def loads[2] = {{&one, am_function_sine(a * (1 - w * w), w, 0)},
                                {&one, am_function_sine(a * c * w, w, 0.5 * pi)}};
        am_system_def def = am_system_def_default();
        def.n = def.contact_count = 1;
        def.contacts = &contact;
        def.loads = loads;
        def.load_count = k ? 0 : 2;
        am_system *system = dense_system(def, &one, &c, &one);
        const am_cell_axis box[2] = {{0, -0.2, 2, 15}, {1, -2 - k * a * w, 2 - k * a * w, 15}};
        am_cells_options options = am_cells_options_default();
        options.axis_count = 2;
        options.axes = box;
        options.checks = 3;
        result[k] = am_result_create(NULL);
        GOOD(am_cells_run(system, &options, result[k], NULL, err));
        am_system_free(system);
    }
    assert_near(number(result[1], "groups"), number(result[0], "groups"), 0);
    assert_near(number(result[1], "outside"), number(result[0], "outside"), 0);
    assert_true(rows(result[0], "orbits") > 0);
    for (size_t i = 0; i < rows(result[0], "orbits"); i++)
        assert_near(cell(table_of(result[1], "orbits"), i, "multiplier"),
                    cell(table_of(result[0], "orbits"), i, "multiplier"), 1e-11);
    am_result_free(result[0]);
    am_result_free(result[1]);
}

/* ---- march ---- */

static void march_to(const am_system *system, const double *start, double until, am_march_method method, double step,
                     double *end) {
    am_march_options options = am_march_options_default();
    options.displacement = start;
    options.velocity = start + 2;
    options.until = until;
    options.method = method;
    options.step = step;
    options.tolerance = 1e-10;
    options.samples = 2;
    options.check = AM_MARCH_CHECK_NO;
    am_result *result = am_result_create(NULL);
    GOOD(am_march_run(system, &options, result, NULL, err));
    const am_table *samples = table_of(result, "samples");
    for (size_t i = 0; i < 4; i++)
        end[i] = cell(samples, 1, (i < 2 ? am_system_name : am_system_velocity_name)(system, i % 2));
    assert_true(number(result, "energy_residual") <= (method == AM_MARCH_ADAPTIVE ? 1e-8 : 0.1));
    am_result_free(result);
}

static void move_to(const am_system *system, const double *start, double until, double *end) {
    am_motion *motion = am_motion_create(system, true, NULL);
    am_step_kind kind = AM_STEP_SPAN;
    GOOD(am_motion_start(motion, 0, start, start + 2, err));
    while (kind != AM_STEP_END)
        GOOD(am_motion_step(motion, until, &kind, err));
    memcpy(end, am_motion_state(motion), 4 * sizeof *end);
    am_motion_free(motion);
}

static double distance(const double *a, const double *b) {
    double most = 0;
    for (size_t i = 0; i < 4; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void march_goes_where_motion_does(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        pair p = make_pair(seed);
        double exact[4], near[4], nearer[4];
        bool rigid = p.s.contact.normal_law == AM_UNILATERAL;
        move_to(p.system[1], p.start[1], rigid ? 1 : 3, exact);
        if (!rigid) {
            march_to(p.system[1], p.start[1], 3, AM_MARCH_ADAPTIVE, 0, near);
            assert_true(distance(near, exact) <= 1e-7); /* steps to 1e-10, over some hundred of them and switches */
        }
        if (p.s.contact.normal_law == AM_KELVIN_VOIGT) { /* switches are met at ends of steps: order one at least */
            march_to(p.system[1], p.start[1], 3, AM_MARCH_NEWMARK, 1e-3, near);
            assert_true(distance(near, exact) <= 5e-3);
        }
        if (rigid && !(p.s.contact.restitution_law == AM_POISSON && p.s.contact.restitution > 0)) {
            march_to(p.system[1], p.start[1], 1, AM_MARCH_MOREAU_JEAN, 1e-3, near);
            march_to(p.system[1], p.start[1], 1, AM_MARCH_MOREAU_JEAN, 1e-4, nearer);
            assert_true(distance(nearer, exact) <= fmax(0.3 * distance(near, exact), 1e-4));
            assert_true(distance(nearer, exact) <= 3e-3);
        }
        free_pair(&p);
    }
}

/* ---- paths ---- */

/* K q = F(t) on a support at -g(t), and K p = F(t) + K y g(t) on one at rest: p = q + g y. */
static am_system *pressed(const double *K, const am_function *g, am_normal_law law, double exponent, bool at_rest) {
    const double x[2] = {1, 0}, y[2] = {0, 1}, column[2] = {K[1], K[3]};
    am_contact_def contact = am_contact_def_default();
    contact.normal = y;
    contact.tangent = x;
    contact.friction = 0.2;
    contact.normal_law = law;
    contact.gap = -0.1;
    contact.contact_stiffness = law == AM_UNILATERAL ? 0 : 8;
    contact.contact_exponent = exponent;
    if (!at_rest)
        contact.gap_motion = *g;
    am_load_def loads[12] = {{y, am_function_constant(-0.8)}, {x, am_function_sine(1.1, 1.7, 0.3)}};
    size_t count = 2;
    for (const am_function *f = g; at_rest && f; f = f->plus) {
        loads[count] = (am_load_def){column, *f};
        loads[count++].function.plus = NULL;
    }
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = count;
    def.loads = loads;
    return dense_system(def, NULL, NULL, K);
}

static void paths_are_those_of_the_support_at_rest(void **state) {
    (void)state;
    static const double times[] = {0, 1, 2.5, 3, 4.2, 6}, values[] = {0, 0.5, -0.4, 0.2, 0.1, 0};
    double moments[6];
    am_function second = am_function_sine(0.2, 2.6, 0.1),
                g[5] = {am_function_sine(0.5, 1.3, -0.4), am_function_table(6, times, values),
                        am_function_table(6, times, values), am_function_ramp(0.3, -0.2),
                        am_function_chirp(0.4, 0.5, 3, 6)};
    g[0].plus = &second;
    GOOD(am_function_spline(&g[2], moments, err));
    g[2].moments = moments;
    const struct {
        am_normal_law law;
        double exponent;
        am_path_method method;
    } ways[] = {{AM_UNILATERAL, 1, AM_PATH_EXACT},
                {AM_KELVIN_VOIGT, 1, AM_PATH_EXACT},
                {AM_UNILATERAL, 1, AM_PATH_INCREMENTAL},
                {AM_KELVIN_VOIGT, 1, AM_PATH_INCREMENTAL},
                {AM_HUNT_CROSSLEY, 1.5, AM_PATH_INCREMENTAL}};
    for (size_t way = 0; way < 5; way++)
        for (size_t f = 0; f < 5; f++) {
            random_source r = random_seed(5 * way + f + 1);
            double K[4];
            random_definite(&r, 2, 0.5, 3, K);
            am_result *result[2];
            for (int k = 0; k < 2; k++) {
                am_system *system = pressed(K, &g[f], ways[way].law, ways[way].exponent, k == 0);
                am_path_options options = am_path_options_default();
                options.until = 6;
                options.samples = 31;
                options.method = ways[way].method;
                options.steps = 120;
                const double from[2] = {0, k == 0 ? 0.2 : 0.2 - am_function_at(&g[f], 0)};
                options.displacement = from;
                result[k] = am_result_create(NULL);
                GOOD(am_path_run(system, &options, result[k], NULL, err));
                am_system_free(system);
            }
            const am_table *rest = table_of(result[0], "samples"), *moves = table_of(result[1], "samples");
            assert_int_equal(am_table_rows(rest), am_table_rows(moves));
            for (size_t i = 0; i < am_table_rows(rest); i++) { /* rounding, over distances of rounding to corners */
                double t = cell(rest, i, "t");
                assert_near(cell(moves, i, "t"), t, 1e-9);
                assert_near(cell(moves, i, "q1"), cell(rest, i, "q1"), 1e-9);
                assert_near(cell(moves, i, "q2"), cell(rest, i, "q2") - am_function_at(&g[f], t), 1e-9);
            }
            if (ways[way].method == AM_PATH_EXACT) {
                assert_true(number(result[1], "energy_residual") <= 1e-12);
                assert_true(number(result[1], "equilibrium_residual") <= 1e-12);
            }
            assert_near(number(result[1], "loss_friction"), number(result[0], "loss_friction"), 1e-9);
            am_result_free(result[0]);
            am_result_free(result[1]);
        }
}

/* ---- response ---- */

static am_system *shaken_at(void *context, double w, am_error *err) {
    (void)err;
    pair *p = context;
    shaken s = p->s;
    s.w = w;
    return shaken_system(&s, p->start[0][0] == 0);
}

static void responses_are_those_in_the_frame(void **state) {
    (void)state;
    static const uint64_t seeds[] = {2, 5, 8, 10, 11, 13, 19, 22}; /* compliant; with a spring, and rigid friction */
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        pair p = make_pair(seeds[i]);
        p.s.c += 0.2; /* motions that Newton's method finds from nothing */
        p.s.a *= 0.5;
        am_result *result[2];
        for (int k = 0; k < 2; k++) {
            am_response_options options = am_response_options_default();
            options.from = options.to = p.s.w;
            options.harmonics = 9;
            options.stability = AM_RESPONSE_STABILITY_FLOQUET;
            p.start[0][0] = k; /* which frame */
            VARIED_MODEL *model = model_of_one("w", shaken_at, &p);
            result[k] = am_result_create(NULL);
            GOOD(am_response_run(model, &options, result[k], NULL, err));
        }
        const am_table *a = table_of(result[0], "branch"), *b = table_of(result[1], "branch");
        assert_near(cell(a, 0, "q1_1"), cell(b, 0, "q1_1"), 1e-10); /* the same equations, in other units */
        assert_near(cell(a, 0, "multiplier"), cell(b, 0, "multiplier"), 1e-10);
        am_result_free(result[0]);
        am_result_free(result[1]);
        free_pair(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_has_the_multipliers_of_the_closed_form),
        cmocka_unit_test(ball_doubles_its_period_where_the_closed_form_says),
        cmocka_unit_test(orbits_and_multipliers_are_those_in_the_frame),
        cmocka_unit_test(attractors_share_starts_as_in_the_frame),
        cmocka_unit_test(cells_are_those_before_a_stop_at_rest),
        cmocka_unit_test(march_goes_where_motion_does),
        cmocka_unit_test(paths_are_those_of_the_support_at_rest),
        cmocka_unit_test(responses_are_those_in_the_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
