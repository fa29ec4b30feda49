/* Periodic motions made exact: against closed forms, published periods, and differences of nearby exact runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/matrix.h"
#include "amontons/models.h"
#include "amontons/orbit.h"
#include "analyses/orbit/contraction.h"
#include "cases.h"
#include "dense_system.h"
#include "errors.h"
#include "math/eigen.h"
#include "near.h"
#include "random_system.h"
#include "results.h"

static const double pi = 3.14159265358979323846;

/* ---- structures ---- */

/* v'' + 2 xi v' + v = sin(Omega t) with friction beta. */
static am_system *friction_oscillator(double beta, double Omega, double xi) {
    const double one = 1.0, damping = 2.0 * xi;
    static const char *const names[] = {"v"};
    am_contact_def contact = am_contact_def_default();
    contact.tangent = &one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(beta);
    contact.friction = 1.0;
    const am_load_def load = {&one, am_function_sine(1.0, Omega, 0.0)};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.names = names;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 1;
    def.loads = &load;
    return dense_system(def, &one, &damping, &one);
}

/* Vielsack and Kirillowa's rod of two elements in relative coordinates, eqs. (34)-(37), with beta = 5. */
static am_system *rod(double alpha) {
    const double mass[] = {4.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0, 2.0 / 6.0}, stiffness[] = {2.0, -1.0, -1.0, 1.0};
    const double first[] = {1.0, 0.0}, second[] = {0.0, 1.0}, beta = 5.0;
    am_contact_def contacts[2] = {am_contact_def_default(), am_contact_def_default()};
    for (size_t c = 0; c < 2; c++) {
        contacts[c].tangent = c == 0 ? first : second;
        contacts[c].normal_law = AM_HELD;
        contacts[c].hold = am_function_constant(c == 0 ? 1.0 : 0.5);
        contacts[c].surface_velocity = -1.0;
        contacts[c].friction = beta;
        contacts[c].static_friction = beta + alpha;
    }
    const am_load_def loads[] = {{first, am_function_constant(beta)}, {second, am_function_constant(0.5 * beta)}};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.contact_count = 2;
    def.contacts = contacts;
    def.load_count = 2;
    def.loads = loads;
    return dense_system(def, mass, NULL, stiffness);
}

/* The block of the README: a unilateral contact on a belt. */
static am_system *block_on_belt(double belt) {
    const double mass[] = {1.0, 0.0, 0.0, 1.0}, stiffness[] = {1.0, 0.0, 0.0, 4.0};
    const double x[] = {1.0, 0.0}, y[] = {0.0, 1.0}, down[] = {0.0, -1.0};
    am_contact_def contact = am_contact_def_default();
    contact.normal = y;
    contact.tangent = x;
    contact.surface_velocity = belt;
    contact.friction = 0.3;
    contact.static_friction = 0.5;
    const am_load_def load = {down, am_function_constant(1.0)};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 1;
    def.loads = &load;
    return dense_system(def, mass, NULL, stiffness);
}

/* ---- tests ---- */

static am_result *run(const am_system *system, const am_orbit_options *options) {
    am_result *result = am_result_create(NULL);
    assert_non_null(result);
    GOOD(am_orbit_run(system, options, result, NULL, err));
    if (!(number(result, "closing_error") <= 1e-12))
        fail_msg("closing error %g", number(result, "closing_error"));
    return result;
}

static void damped_oscillator_without_slip_answers_as_the_textbook_says(void **state) {
    (void)state;
    const double one = 1.0, xi = 0.1, damping = 2.0 * xi, Omega = 1.3;
    const am_load_def load = {&one, am_function_sine(1.0, Omega, 0.4)};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.load_count = 1;
    def.loads = &load;
    am_system *system = dense_system(def, &one, &damping, &one);
    am_orbit_options options = am_orbit_options_default();
    am_result *result = run(system, &options);
    double gain = 1.0 / hypot(1.0 - Omega * Omega, 2.0 * xi * Omega);
    assert_near(number(result, "period"), 2.0 * pi / Omega, 1e-14);
    assert_near(number(result, "q1_max"), gain, 1e-12);
    assert_near(number(result, "q1dot_max"), Omega * gain, 1e-12);
    assert_near(number(result, "multiplier"), exp(-xi * 2.0 * pi / Omega), 1e-12);
    assert_near(number(result, "loss_damping"), pi * Omega * damping * gain * gain, 1e-12);
    assert_near(number(result, "loss_friction"), 0.0, 0.0);
    am_result_free(result);
    am_system_free(system);
}

/* Eq. (7.16): both Den Hartog's and Hong and Liu's formula. */
static double zero_stop_peak(double beta, double Omega) {
    double A = 1.0 / (1.0 - Omega * Omega), p = pi / Omega;
    double B = beta * sin(p) / (Omega * (1.0 + cos(p)));
    return sqrt(A * A - B * B);
}

static void motion_without_stops_peaks_where_den_hartog_says(void **state) {
    (void)state;
    static const double cases[][2] = {{0.3, 0.8},  {0.3, 1.2}, {0.4, 0.85}, {0.4, 1.3},  {0.5, 0.9},
                                      {0.5, 1.25}, {0.6, 0.9}, {0.6, 1.15}, {0.7, 0.95}, {0.7, 1.1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double beta = cases[i][0], Omega = cases[i][1], speed;
        am_system *system = friction_oscillator(beta, Omega, 0.0);
        am_orbit_options options = am_orbit_options_default();
        am_result *result = run(system, &options);
        assert_int_equal((int)number(result, "stops"), 0);
        /* A slow orbit closed to 1e-12 is off by 1e-12/(1 - multiplier); the peaks are up to 20. */
        assert_near(number(result, "v_max"), zero_stop_peak(beta, Omega), 1e-10);
        assert_near(number(result, "v_min"), -zero_stop_peak(beta, Omega), 1e-10);
        assert_near(number(result, "dissipation"), 4.0 * beta * zero_stop_peak(beta, Omega), 1e-10);
        assert_true(am_oscillator_zero_stop(beta, Omega, NULL, &speed));
        assert_near(number(result, "vdot_max"), Omega * speed, 1e-10);
        am_result_free(result);
        am_system_free(system);
    }
}

static void stops_per_cycle_are_those_of_figure_7_3(void **state) {
    (void)state;
    static const double Omega[] = {0.05, 0.09, 0.47, 0.76};
    static const int stops[] = {10, 6, 2, 0};
    for (size_t i = 0; i < 4; i++) {
        am_system *system = friction_oscillator(0.51, Omega[i], 0.0);
        am_orbit_options options = am_orbit_options_default();
        am_result *result = run(system, &options);
        assert_int_equal((int)number(result, "stops"), stops[i]);
        assert_true(number(result, "stable") == 1.0);
        am_result_free(result);
        am_system_free(system);
    }
}

static void block_on_a_belt_sticks_for_two_and_slips_for_three_quarter_turns(void **state) {
    (void)state;
    am_system *system = block_on_belt(0.2);
    am_orbit_options options = am_orbit_options_default();
    am_result *result = run(system, &options);
    assert_near(number(result, "period"), 2.0 + 1.5 * pi, 1e-12);
    assert_near(number(result, "trivial_multiplier"), 1.0, 1e-9);
    assert_near(number(result, "multiplier"), 0.0, 1e-12); /* stick forgets the past */
    assert_near(number(result, "q1_max"), 0.3 + 0.2 * sqrt(2.0), 1e-12);
    assert_int_equal((int)number(result, "switches"), 2);
    am_result_free(result);
    am_system_free(system);
}

/* The same with any belt: slip begins at a = (0.5 - 0.3) beyond equilibrium with the belt's velocity v and ends after 2
 * pi - 2 atan(a/v), when y = a cos t + v sin t has it again, at -a. The stick then lasts 2 a/v: up to 4e7 times as
 * long.
 */
static void a_block_on_a_slow_belt_sticks_as_long_as_the_belt_needs(void **state) {
    (void)state;
    static const double belts[] = {1e2, 1.0, 1e-2, 1e-4, 1e-6};
    for (size_t i = 0; i < sizeof belts / sizeof *belts; i++) {
        double v = belts[i], a = 0.5 - 0.3, period = 2.0 * a / v + 2.0 * pi - 2.0 * atan2(a, v);
        am_system *system = block_on_belt(v);
        am_orbit_options options = am_orbit_options_default();
        const double rest[] = {0.3 + 0.9 * a, 0.0};
        options.displacement = rest;
        options.velocity = (const double[]){v, 0.0};
        am_result *result = run(system, &options);
        assert_near(number(result, "period"), period,
                    1e-10 * period); /* a rounding per span, thousands of spans in a stick */
        assert_near(number(result, "multiplier"), 0.0, 1e-9);
        assert_int_equal((int)number(result, "switches"), 2);
        am_result_free(result);
        am_system_free(system);
    }
}

/* ---- where a multiplier is near 1 ---- */

/* The undamped oscillator without stops near Omega = 1/2, 1/4: half a period of the load is almost a whole number of
 * free periods, and almost any state is almost periodic. Den Hartog's peak is exact; a state is known to closing
 * error/(1 - multiplier). */
static void motion_next_to_a_family_peaks_where_den_hartog_says(void **state) {
    (void)state;
    static const double places[][2] = {{0.2, 0.4999},  {0.2, 0.49999},  {0.2, 0.50001},  {0.2, 0.5001},
                                       {0.05, 0.4999}, {0.05, 0.49999}, {0.05, 0.2501},  {0.05, 0.24999},
                                       {0.2, 0.4995},  {0.3, 0.4999},   {0.02, 0.16667}, {0.01, 0.12501}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        double beta = places[i][0], Omega = places[i][1], peak, speed;
        am_system *system = friction_oscillator(beta, Omega, 0.0);
        am_orbit_options options = am_orbit_options_default();
        am_result *result = run(system, &options);
        double known_to = number(result, "closing_error") / (1.0 - number(result, "multiplier")) + 1e-12;
        assert_true(am_oscillator_zero_stop(beta, Omega, &peak, &speed));
        assert_true(number(result, "multiplier") > 0.99);
        assert_int_equal((int)number(result, "stops"), 0);
        assert_near(fmax(number(result, "v_max"), -number(result, "v_min")), peak, 10.0 * known_to);
        assert_near(number(result, "vdot_max"), Omega * speed, 10.0 * known_to); /* in units of the load's frequency */
        am_result_free(result);
        am_system_free(system);
    }
}

/* Every one of these has a periodic response, because friction takes what resonance gives. A long exact transient must
 * be at the orbit: after k returns within multiplier^k of where it began. */
static void long_transients_end_on_the_orbit_that_was_closed(void **state) {
    (void)state;
    static const double places[][3] = {{0.05, 0.499, 25000},  {0.5, 0.4999, 100}, {0.2, 1.0 / 3.0, 400},
                                       {0.05, 0.25, 100},     {0.2, 0.25, 100},   {0.05, 0.2, 1500},
                                       {0.5, 1.0 / 7.0, 400}, {0.7, 0.02, 200},   {0.5, 0.999, 4000},
                                       {0.75, 0.999, 4000},   {0.2, 0.1, 200},    {0.9, 0.333, 200}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        am_system *system = friction_oscillator(places[i][0], places[i][1], 0.0);
        am_motion *engine = am_motion_create(system, false, NULL);
        am_orbit_options options = am_orbit_options_default();
        am_orbit orbit;
        am_orbit_search search;
        double period = 2.0 * pi / places[i][1], x[2] = {0.0, 0.0};
        GOOD(am_orbit_find(engine, &options, &orbit, &search, NULL, err));
        assert_int_equal(search.outcome, AM_ORBIT_PERIODIC);
        assert_true(orbit.closing <= 1e-12);
        for (double k = 0; k < places[i][2]; k++) {
            am_step_kind kind = AM_STEP_SPAN;
            GOOD(am_motion_start_state(engine, 0.0, x, err));
            while (kind != AM_STEP_END)
                GOOD(am_motion_step(engine, period, &kind, err));
            memcpy(x, am_motion_state(engine), sizeof x);
        }
        double left = 10.0 * pow(orbit.multiplier, places[i][2]), size = hypot(orbit.state[0], orbit.state[1]);
        if (orbit.family == 0) {
            assert_true(left < 0.1);
            assert_near(x[0], orbit.state[0], size * (left + 1e-9));
            assert_near(x[1], orbit.state[1], size * (left + 1e-9));
        }
        am_orbit_clear(&orbit);
        am_motion_free(engine);
        am_system_free(system);
    }
}

/* ---- the rod at alpha = 0.5 (Vielsack and Kirillowa 1997, section 4) ---- */

static const am_orbit_return second_node_stops = {
    .section = AM_SECTION_SWITCH, .contact = 1, .from = AM_FORWARD, .to = AM_STICK, .returns = 1};

static am_orbit rod_orbit(am_motion *engine, size_t returns, double xi1, double xi2, double rate) {
    const double guess[] = {xi1, xi2, rate, -1.0};
    am_orbit_return how = second_node_stops;
    am_orbit orbit;
    how.returns = returns;
    GOOD(am_orbit_close(engine, &how, guess, &orbit, err));
    if (!(orbit.closing <= 1e-12))
        fail_msg("closing error %g", orbit.closing);
    assert_near(orbit.trivial, 1.0, 1e-9);
    return orbit;
}

static void rod_has_the_three_motions_of_the_paper_and_the_second_is_unstable(void **state) {
    (void)state;
    am_system *system = rod(0.5);
    am_motion *engine = am_motion_create(system, true, NULL);
    const struct {
        size_t returns;
        double start[3], period, first;
        bool stable;
    } motions[] = {{1, {-0.08, 0.11, 0.7}, 2.2365, 0.21458, true},
                   {1, {0.55, 0.86, -0.52}, 7.9012, 1.7134, false},
                   {2, {-0.02, 0.17, 0.57}, 15.6374, 0.23573, true}};
    for (size_t i = 0; i < 3; i++) {
        am_orbit orbit =
            rod_orbit(engine, motions[i].returns, motions[i].start[0], motions[i].start[1], motions[i].start[2]);
        assert_near(orbit.period, motions[i].period, 0.5e-4); /* as printed */
        assert_near(orbit.switch_times[0], motions[i].first, i == 1 ? 0.5e-4 : 0.5e-5);
        assert_int_equal(orbit.stable, motions[i].stable);
        assert_int_equal(orbit.switches, 2 * motions[i].returns);
        assert_string_equal(orbit.sequence, motions[i].returns == 1
                                                ? "forward,stick forward,forward"
                                                : "forward,stick forward,forward forward,stick forward,forward");
        am_orbit_clear(&orbit);
    }
    am_motion_free(engine);
    am_system_free(system);
}

static void transient_from_start_41_ends_in_the_third_motion_and_from_42_in_the_first(void **state) {
    (void)state;
    static const double q[2][2] = {{7.5, 10.0}, {0.0, 0.0}}, v[2][2] = {{-1.0, -1.0}, {0.5, -1.0}};
    static const double period[2] = {15.6374, 2.2365};
    am_system *system = rod(0.5);
    for (size_t i = 0; i < 2; i++) {
        am_orbit_options options = am_orbit_options_default();
        options.displacement = q[i];
        options.velocity = v[i];
        am_result *result = run(system, &options);
        assert_near(number(result, "period"), period[i], 0.5e-4);
        assert_true(number(result, "stable") == 1.0);
        am_result_free(result);
    }
    am_system_free(system);
}

static void an_orbit_asked_for_twice_around_is_reported_once_around(void **state) {
    (void)state;
    am_system *system = rod(0.5);
    am_motion *engine = am_motion_create(system, false, NULL);
    am_orbit orbit = rod_orbit(engine, 4, -0.08, 0.11, 0.7);
    assert_int_equal(orbit.returns, 1);
    assert_near(orbit.period, 2.2365, 0.5e-4);
    am_orbit_clear(&orbit);
    am_motion_free(engine);
    am_system_free(system);
}

/* ---- multipliers against differences of nearby exact runs ---- */

/* To the return after this start, by plain steps of the engine. */
static void plain_return(am_motion *engine, const am_orbit_return *how, const double *start, double *end) {
    size_t returns = 0, d = am_motion_dimension(engine);
    double until = how->start + (how->section == AM_SECTION_PERIOD ? how->period : 1000.0);
    GOOD(am_motion_start_state(engine, how->start, start, err));
    for (am_step_kind kind = AM_STEP_SPAN; kind != AM_STEP_END && returns < how->returns;) {
        GOOD(am_motion_step(engine, until, &kind, err));
        for (size_t i = 0; i < am_motion_switches(engine) && how->section == AM_SECTION_SWITCH; i++) {
            const am_switch *s = am_motion_switch(engine, i);
            returns += s->contact == how->contact && s->from == how->from && s->to == how->to;
        }
    }
    memcpy(end, am_motion_state(engine), d * sizeof *end);
}

/* Largest eigenvalue of the return map by central differences along the given coordinates of the state. */
static double multiplier_by_differences(am_motion *engine, const am_orbit_return *how, const am_orbit *orbit,
                                        const size_t *along, size_t count) {
    double matrix[16], plus[8], minus[8], start[8], largest = 0.0;
    const double h = 1e-6; /* truncation h^2, rounding 1e-15/h: both about 1e-9 with curvatures of some hundreds */
    size_t d = orbit->dimension;
    for (size_t j = 0; j < count; j++) {
        memcpy(start, orbit->state, d * sizeof *start);
        start[along[j]] += h;
        plain_return(engine, how, start, plus);
        start[along[j]] -= 2.0 * h;
        plain_return(engine, how, start, minus);
        for (size_t i = 0; i < count; i++)
            matrix[i * count + j] = (plus[along[i]] - minus[along[i]]) / (2.0 * h);
    }
    am_eigen eigen;
    GOOD(am_eigen_init(&eigen, matrix, count, 0.0, err));
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, hypot(eigen.real[i], eigen.imaginary[i]));
    am_eigen_clear(&eigen);
    return largest;
}

static void multipliers_of_the_rod_agree_with_differences_of_nearby_runs(void **state) {
    (void)state;
    static const size_t along[] = {0, 1, 2}; /* the second node sticks */
    static const double starts[][3] = {{-0.08, 0.11, 0.7}, {0.55, 0.86, -0.52}, {-0.02, 0.17, 0.57}};
    am_system *system = rod(0.5);
    am_motion *engine = am_motion_create(system, false, NULL);
    for (size_t i = 0; i < 3; i++) {
        am_orbit orbit = rod_orbit(engine, i == 2 ? 2 : 1, starts[i][0], starts[i][1], starts[i][2]);
        am_orbit_return how = second_node_stops;
        how.returns = orbit.returns;
        assert_near(multiplier_by_differences(engine, &how, &orbit, along, 3), orbit.multiplier, 1e-7);
        am_orbit_clear(&orbit);
    }
    am_motion_free(engine);
    am_system_free(system);
}

static void multipliers_of_forced_motions_agree_with_differences_of_nearby_runs(void **state) {
    (void)state;
    static const size_t both[] = {0, 1};
    static const double Omega[] = {0.76, 0.9, 1.3};
    for (size_t i = 0; i < 3; i++) {
        am_system *system = friction_oscillator(0.3, Omega[i], 0.0);
        am_motion *engine = am_motion_create(system, false, NULL);
        am_orbit_options options = am_orbit_options_default();
        am_orbit orbit;
        am_orbit_search search;
        options.from = 0.4; /* a phase at which the mass slides */
        GOOD(am_orbit_find(engine, &options, &orbit, &search, NULL, err));
        assert_int_equal(search.outcome, AM_ORBIT_PERIODIC);
        assert_true(orbit.multiplier > 0.01);
        assert_near(multiplier_by_differences(engine, &search.how, &orbit, both, 2), orbit.multiplier, 1e-7);
        am_orbit_clear(&orbit);
        am_motion_free(engine);
        am_system_free(system);
    }
}

static void multipliers_agree_with_differences_through_impacts(void **state) {
    (void)state;
    const double mass[] = {1.0, 0.0, 0.0, 1.0}, stiffness[] = {1.0, 0.5, 0.5, 2.0};
    const double x[] = {1.0, 0.0}, y[] = {0.0, 1.0}, down[] = {0.0, -2.0};
    am_contact_def contact = am_contact_def_default();
    contact.normal = y;
    contact.tangent = x;
    contact.friction = 0.3;
    const am_load_def loads[] = {{down, am_function_constant(1.0)}, {x, am_function_sine(2.0, 0.7, 0.0)}};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 2;
    def.loads = loads;
    am_system *system = dense_system(def, mass, NULL, stiffness);
    am_motion *engine = am_motion_create(system, false, NULL);
    am_orbit_options options = am_orbit_options_default();
    am_orbit orbit;
    am_orbit_search search;
    static const size_t sliding[] = {0, 2}; /* closed and sliding at the section: u1 and its velocity are free */
    GOOD(am_orbit_find(engine, &options, &orbit, &search, NULL, err));
    assert_int_equal(search.outcome, AM_ORBIT_PERIODIC);
    assert_string_equal(orbit.sequence, "forward backward open");
    assert_near(multiplier_by_differences(engine, &search.how, &orbit, sliding, 2), orbit.multiplier, 1e-7);
    am_orbit_clear(&orbit);
    am_motion_free(engine);
    am_system_free(system);
}

/* ---- sticking for good ---- */

static void a_mass_held_too_strongly_shakes_down(void **state) {
    (void)state;
    am_system *system = friction_oscillator(1.2, 0.7, 0.0);
    const double displacement[] = {3.0};
    am_orbit_options options = am_orbit_options_default();
    options.displacement = displacement;
    am_result *result = run(system, &options);
    assert_true(number(result, "shakedown") == 1.0);
    assert_int_equal((int)number(result, "switches"), 0);
    assert_int_equal((int)number(result, "family"), 1); /* it may stick anywhere in a range */
    assert_near(number(result, "dissipation"), 0.0, 1e-15);
    assert_near(number(result, "v_amplitude"), 0.0, 1e-15);
    am_result_free(result);
    am_system_free(system);
}

/* The damper slips at first and then sticks: where it sticks is fixed by the transient, and decides the mean of v. */
static void of_a_family_the_member_that_the_transient_approaches_is_closed(void **state) {
    (void)state;
    am_griffin griffin = am_griffin_default();
    griffin.beta = 2.0;
    griffin.eta = 0.3;
    griffin.delta_deg = 40.0;
    griffin.Omega = 0.4;
    am_system *system = am_griffin_create(&griffin, NULL);
    assert_non_null(system);
    am_motion *engine = am_motion_create(system, false, NULL);
    const double displacement[] = {6.0};
    am_orbit_options options = am_orbit_options_default();
    options.displacement = displacement;
    options.transient = 3; /* vibrations have not decayed yet */
    am_orbit orbit;
    am_orbit_search search;
    GOOD(am_orbit_find(engine, &options, &orbit, &search, NULL, err));
    assert_int_equal(search.outcome, AM_ORBIT_PERIODIC);
    assert_true(orbit.shakedown);
    assert_int_equal(orbit.family, 1);
    am_step_kind kind = AM_STEP_SPAN;
    GOOD(am_motion_start(engine, 0.0, displacement, NULL, err));
    while (kind != AM_STEP_END)
        GOOD(am_motion_step(engine, 100.0 * search.how.period, &kind, err));
    assert_true(fabs(orbit.state[2] - orbit.state[0]) > 0.1); /* the slider did move */
    for (size_t i = 0; i < 3; i++)
        assert_near(orbit.state[i], am_motion_state(engine)[i], 1e-9);
    am_orbit_clear(&orbit);
    am_motion_free(engine);
    am_system_free(system);
}

/* ---- what is no orbit ---- */

static void refused(const am_system *system, const am_orbit_options *options, am_status wanted, const char *words) {
    am_error err = {0};
    am_result *result = am_result_create(NULL);
    assert_int_equal(am_orbit_run(system, options, result, NULL, &err), wanted);
    assert_says(&err, words);
    am_result_free(result);
}

static void small_vibrations_of_the_rod_are_proved_to_slide_for_ever(void **state) {
    (void)state;
    am_system *system = rod(0.5);
    const double displacement[] = {0.1, 0.2};
    am_orbit_options options = am_orbit_options_default();
    options.displacement = displacement;
    refused(system, &options, AM_ERR_LIMIT, "slides for ever");
    am_system_free(system);
}

static void undamped_resonance_is_reported_as_growth(void **state) {
    (void)state;
    const double one = 1.0;
    const am_load_def load = {&one, am_function_sine(1.0, 1.0, 0.0)};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.load_count = 1;
    def.loads = &load;
    am_system *system = dense_system(def, &one, NULL, &one);
    am_orbit_options options = am_orbit_options_default();
    options.most_returns = 500;
    refused(system, &options, AM_ERR_LIMIT, "still grows");
    am_system_free(system);
}

static void loads_that_cannot_repeat_are_refused(void **state) {
    (void)state;
    const double one = 1.0;
    am_load_def loads[2] = {{&one, am_function_sine(1.0, 2.0, 0.0)}, {&one, am_function_sine(1.0, sqrt(2.0), 0.0)}};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.load_count = 2;
    def.loads = loads;
    am_orbit_options options = am_orbit_options_default();
    am_system *system = dense_system(def, &one, &one, &one);
    assert_true(isnan(am_orbit_load_period(system)));
    refused(system, &options, AM_ERR_UNSUPPORTED, "no common period");
    am_system_free(system);
    loads[1].function = am_function_sine(1.0, 3.0, 1.0);
    system = dense_system(def, &one, &one, &one);
    assert_near(am_orbit_load_period(system), 2.0 * pi, 1e-14);
    options.period = 1.0;
    refused(system, &options, AM_ERR_INPUT, "the loads repeat after");
    options.period = 0.0;
    options.section = AM_SECTION_SWITCH;
    refused(system, &options, AM_ERR_INPUT, "the loads repeat");
    am_system_free(system);
    loads[1].function = am_function_ramp(0.0, 1.0);
    system = dense_system(def, &one, &one, &one);
    options.section = AM_SECTION_AUTO;
    refused(system, &options, AM_ERR_UNSUPPORTED, "grows for ever");
    am_system_free(system);
    loads[0].function = loads[1].function = am_function_constant(1.0);
    system = dense_system(def, &one, &one, &one);
    assert_true(am_orbit_load_period(system) == 0.0);
    refused(system, &options, AM_ERR_UNSUPPORTED, "nothing repeats");
    am_system_free(system);
}

static void an_orbit_starts_after_the_last_pulse(void **state) {
    (void)state;
    const double one = 1.0, damping = 0.4, Omega = 1.3;
    const am_load_def loads[] = {{&one, am_function_sine(1.0, Omega, 0.0)},
                                 {&one, am_function_pulse(30.0, 5.0, 150.0)}};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.load_count = 2;
    def.loads = loads;
    am_system *system = dense_system(def, &one, &damping, &one);
    am_orbit_options options = am_orbit_options_default();
    am_result *result = run(system, &options);
    assert_near(number(result, "q1_max"), 1.0 / hypot(1.0 - Omega * Omega, damping * Omega), 1e-11);
    am_result_free(result);
    am_system_free(system);
}

static void samples_cover_one_period_and_end_where_they_began(void **state) {
    (void)state;
    am_system *system = friction_oscillator(0.51, 0.47, 0.0);
    am_orbit_options options = am_orbit_options_default();
    options.samples = 101;
    am_result *result = run(system, &options);
    const am_table *samples = am_result_find_table(result, "samples");
    assert_int_equal(am_table_rows(samples), 101);
    assert_near(am_table_number(samples, 100, 0), number(result, "period"), 1e-12);
    assert_near(am_table_number(samples, 100, 1), am_table_number(samples, 0, 1), 1e-12);
    for (size_t r = 0; r < 101; r++)
        if (!(am_table_number(samples, r, 1) <= number(result, "v_max") + 1e-14 &&
              am_table_number(samples, r, 1) >= number(result, "v_min") - 1e-14))
            fail_msg("row %zu leaves the range of v", r);
    assert_int_equal(rows(result, "switches"), (int)number(result, "switches"));
    am_result_free(result);
    am_system_free(system);
}

/* A slider that slips pulls with less than it could hold when at rest. Its orbit is looked at once a period, and shot
 * at from anywhere: put back on a state with slip the motion must go on slipping. Compared with one motion that is
 * never put back. */
static void orbits_of_sliders_that_hold_more_than_they_pull_are_where_long_motions_end(void **state) {
    (void)state;
    random_source r = random_seed(1607);
    size_t slipping = 0;
    for (size_t i = 0; i < CASES(25, 4); i++) {
        const double mass[] = {random_between(&r, 0.6, 1.5), 0, 0, random_between(&r, 0.6, 1.5)};
        const double damping[] = {random_between(&r, 0.1, 0.4), 0, 0, random_between(&r, 0.1, 0.4)};
        const double c = random_between(&r, -0.3, 0.3), stiffness[] = {random_between(&r, 1, 2.5), c, c, 1.5};
        const double tangent[] = {0, 1}, along[] = {random_between(&r, -0.5, 0.5), 1};
        double frequency = random_between(&r, 0.5, 2.2), T = 2 * pi / frequency;
        am_contact_def contact = am_contact_def_default();
        contact.tangent = tangent;
        contact.normal_law = AM_HELD;
        contact.hold = random_chance(&r, 0.5) ? am_function_constant(1) : am_function_sine(0.3, frequency, 1);
        contact.hold.value = 1;
        contact.friction = random_between(&r, 0.05, 0.4);
        contact.static_friction = contact.friction * random_between(&r, 1.05, 1.6);
        contact.tangential_stiffness = random_between(&r, 0.5, 3);
        const am_load_def load = {along, am_function_sine(random_between(&r, 0.5, 2), frequency, 0)};
        am_system_def def = am_system_def_default();
        def.n = 2;
        def.contact_count = 1;
        def.contacts = &contact;
        def.load_count = 1;
        def.loads = &load;
        am_system *system = dense_system(def, mass, damping, stiffness);
        am_motion *engine = am_motion_create(system, false, NULL);
        am_orbit_options options = am_orbit_options_default();
        am_orbit orbit;
        am_orbit_search search;
        GOOD(am_orbit_find(engine, &options, &orbit, &search, NULL, err));
        assert_int_equal(search.outcome, AM_ORBIT_PERIODIC);
        am_step_kind kind = AM_STEP_SPAN;
        GOOD(am_motion_start(engine, 0, NULL, NULL, err));
        while (kind != AM_STEP_END)
            GOOD(am_motion_step(engine, 400 * (double)orbit.returns * T, &kind, err));
        double size = 0;
        for (size_t k = 0; k < 5; k++)
            size = fmax(size, fabs(orbit.state[k]));
        for (size_t k = 0; k < 4; k++) /* 400 periods with these dampers: e^(-60) and rounding of the phase */
            assert_near(am_motion_state(engine)[k], orbit.state[k], 1e-8 * size);
        slipping += orbit.contact[0] != AM_STICK;
        am_orbit_clear(&orbit);
        am_motion_free(engine);
        am_system_free(system);
    }
    assert_true(slipping >= CASES(5, 1));
}

/* ---- what an orbit keeps ---- */

/* A damped structure far from its stop: deviations from the orbit fall off however large they are, so every state is
 * kept by the orbit as long as the stop is not reached. */
static void an_orbit_that_meets_no_switch_keeps_every_state(void **state) {
    (void)state;
    enum { N = 2, TRIALS = 20 };
    random_source source = random_seed(51);
    const double along[N] = {1, 0}, across[N] = {0, 1};
    for (size_t trial = 0; trial < TRIALS; trial++) {
        double mass[N * N], damping[N * N], stiffness[N * N], x[2 * N];
        random_definite(&source, N, 0.5, 1, mass);
        random_definite(&source, N, 0.05, 0.3, damping);
        random_definite(&source, N, 0.5, 2, stiffness);
        am_contact_def contact = am_contact_def_default();
        contact.normal = across;
        contact.tangent = along;
        contact.gap = 1e4;
        const am_load_def load = {across, am_function_sine(1.0, random_between(&source, 0.5, 3), 0.0)};
        am_system_def def = am_system_def_default();
        def.n = N;
        def.contact_count = 1;
        def.contacts = &contact;
        def.load_count = 1;
        def.loads = &load;
        am_system *system = dense_system(def, mass, damping, stiffness);
        am_error error = {0};
        am_motion *engine = am_motion_create(system, false, &error);
        am_orbit_options options = am_orbit_options_default();
        am_orbit orbit = {0};
        am_orbit_search search;
        assert_non_null(engine);
        GOOD(am_orbit_find(engine, &options, &orbit, &search, NULL, err));
        assert_non_null(orbit.state);
        for (double size = 1e-3; size < 100.0; size *= 30.0) {
            bool trapped = false;
            for (size_t i = 0; i < 2 * N; i++)
                x[i] = orbit.state[i] + random_between(&source, -size, size);
            GOOD(am_orbit_captures(engine, &search.how, &orbit, x, &trapped, err));
            assert_true(trapped);
        }
        am_orbit_clear(&orbit);
        am_motion_free(engine);
        am_system_free(system);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_orbit_that_meets_no_switch_keeps_every_state),
        cmocka_unit_test(orbits_of_sliders_that_hold_more_than_they_pull_are_where_long_motions_end),
        cmocka_unit_test(damped_oscillator_without_slip_answers_as_the_textbook_says),
        cmocka_unit_test(motion_without_stops_peaks_where_den_hartog_says),
        cmocka_unit_test(stops_per_cycle_are_those_of_figure_7_3),
        cmocka_unit_test(block_on_a_belt_sticks_for_two_and_slips_for_three_quarter_turns),
        cmocka_unit_test(a_block_on_a_slow_belt_sticks_as_long_as_the_belt_needs),
        cmocka_unit_test(motion_next_to_a_family_peaks_where_den_hartog_says),
        cmocka_unit_test(long_transients_end_on_the_orbit_that_was_closed),
        cmocka_unit_test(rod_has_the_three_motions_of_the_paper_and_the_second_is_unstable),
        cmocka_unit_test(transient_from_start_41_ends_in_the_third_motion_and_from_42_in_the_first),
        cmocka_unit_test(an_orbit_asked_for_twice_around_is_reported_once_around),
        cmocka_unit_test(multipliers_of_the_rod_agree_with_differences_of_nearby_runs),
        cmocka_unit_test(multipliers_of_forced_motions_agree_with_differences_of_nearby_runs),
        cmocka_unit_test(multipliers_agree_with_differences_through_impacts),
        cmocka_unit_test(a_mass_held_too_strongly_shakes_down),
        cmocka_unit_test(of_a_family_the_member_that_the_transient_approaches_is_closed),
        cmocka_unit_test(small_vibrations_of_the_rod_are_proved_to_slide_for_ever),
        cmocka_unit_test(undamped_resonance_is_reported_as_growth),
        cmocka_unit_test(loads_that_cannot_repeat_are_refused),
        cmocka_unit_test(an_orbit_starts_after_the_last_pulse),
        cmocka_unit_test(samples_cover_one_period_and_end_where_they_began),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
