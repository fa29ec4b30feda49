/* Rest and steady sliding, proved: what is claimed of random motions is followed up, next to unstable cycles, sticking
 * and softening springs, where many motions that look alike do not stay; and bounds of formulas against values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/orbit.h"
#include "cases.h"
#include "dense_system.h"
#include "engines/switching/switching.h"
#include "errors.h"
#include "math/tape_bound.h"
#include "near.h"
#include "random_laws.h"
#include "random_system.h"

enum { MOST = 3 };

typedef struct rig {
    size_t n, m;
    double mass[MOST * MOST], damping[MOST * MOST], stiffness[MOST * MOST], along[MOST * MOST], normal[MOST];
    law_points points[MOST];
    am_contact_def contact[MOST];
    am_polynomial_term term[2];
    am_polynomial_def spring;
    am_load_def load;
    double slowest; /* belt */
} rig;

/* Masses in a row, each on a belt of its own and pressed with a given force; some springs are cubic, stiffening or
 * softening. */
static am_system *draw_row(random_source *random, rig *s) {
    *s = (rig){.n = 1 + random_index(random, MOST), .slowest = INFINITY};
    s->m = s->n;
    for (size_t i = 0; i < s->n; i++) {
        s->mass[i * s->n + i] = random_between(random, 0.5, 2);
        s->damping[i * s->n + i] = random_between(random, 0.05, 0.4);
        s->stiffness[i * s->n + i] = random_between(random, 1.5, 3);
        s->along[i * s->n + i] = 1.0;
        if (i > 0)
            s->stiffness[i * s->n + i - 1] = s->stiffness[(i - 1) * s->n + i] = -0.5;
        am_contact_def *contact = &s->contact[i];
        *contact = am_contact_def_default();
        contact->tangent = s->along + i * s->n;
        contact->normal_law = AM_HELD;
        contact->hold = am_function_constant(random_between(random, 0.5, 1.5));
        contact->surface_velocity = random_between(random, 0.3, 1.5) * (random_chance(random, 0.5) ? 1 : -1);
        s->slowest = fmin(s->slowest, fabs(contact->surface_velocity));
        contact->speed_friction = random_speed_law(random, true, &s->points[i]);
    }
    am_system_def def = am_system_def_default();
    def.n = s->n;
    def.contact_count = s->m;
    def.contacts = s->contact;
    if (random_chance(random, 0.5)) {
        s->term[0] = (am_polynomial_term){random_between(random, -1, 1), 3, 0};
        s->term[1] = (am_polynomial_term){random_between(random, -0.3, 0.3), 0, 3};
        s->spring = (am_polynomial_def){.direction = s->along, .term_count = 2, .terms = s->term};
        def.polynomial_count = 1;
        def.polynomials = &s->spring;
    }
    return dense_system(def, s->mass, s->damping, s->stiffness);
}

/* A body pressed on a belt by a load: the normal force follows the motion, and friction acts back on it by the mass
 * matrix. */
static am_system *draw_pressed(random_source *random, rig *s) {
    *s = (rig){.n = 2, .m = 1};
    double couple = random_between(random, -0.3, 0.3);
    memcpy(s->mass, (double[]){1, couple, couple, 1}, 4 * sizeof *s->mass);
    double shear = random_between(random, -0.5, 0.5);
    memcpy(s->stiffness, (double[]){random_between(random, 1, 3), shear, shear, 2}, 4 * sizeof *s->stiffness);
    s->damping[0] = random_between(random, 0.1, 0.5);
    s->along[0] = 1.0;
    s->normal[1] = 1.0;
    s->contact[0] = am_contact_def_default();
    s->contact[0].tangent = s->along;
    s->contact[0].normal = s->normal;
    s->slowest = s->contact[0].surface_velocity = random_between(random, 0.3, 1.5);
    s->contact[0].speed_friction = random_speed_law(random, true, &s->points[0]);
    static const double press[] = {0.0, -1.0};
    s->load = (am_load_def){.direction = press, .function = am_function_constant(random_between(random, 0.5, 2))};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.contact_count = def.load_count = 1;
    def.contacts = s->contact;
    def.loads = &s->load;
    return dense_system(def, s->mass, s->damping, s->stiffness);
}

/* A nonlinear oscillator without contacts: it may run away over the top of its spring, or be driven by its damper. */
static am_system *draw_free(random_source *random, rig *s) {
    *s = (rig){.n = 1, .slowest = 1.0};
    s->mass[0] = s->stiffness[0] = s->along[0] = 1.0;
    s->damping[0] = random_between(random, 0.05, 0.5);
    s->term[0] = (am_polynomial_term){random_between(random, -1, 1), 3, 0};
    s->term[1] = (am_polynomial_term){random_between(random, -0.5, 0.1), 2, 1};
    s->spring = (am_polynomial_def){.direction = s->along, .term_count = 2, .terms = s->term};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.polynomial_count = 1;
    def.polynomials = &s->spring;
    return dense_system(def, s->mass, s->damping, s->stiffness);
}

/* Somewhere about the steady state: at a distance from a thousandth of the slowest belt's speed to twice that. */
static void start_somewhere(am_motion *engine, const rig *s, random_source *random) {
    double size = 2.0 * s->slowest * pow(10.0, random_between(random, -3.3, 0.0)), state[2 * MOST] = {0};
    for (size_t i = 0; i < 2 * s->n; i++)
        state[i] = size * random_between(random, -1, 1);
    for (size_t c = 0; c < s->m; c++) /* about steady sliding, roughly */
        if (s->contact[c].normal_law == AM_HELD)
            state[c] += copysign(0.25, s->contact[c].surface_velocity) * am_function_at(&s->contact[c].hold, 0.0) /
                        s->stiffness[c * s->n + c];
    if (s->m == 1 && s->n == 2) /* on the surface */
        state[1] = state[3] = 0.0;
    GOOD(am_motion_start_state(engine, 0.0, state, err));
}

typedef struct tally {
    size_t asked, claimed, stayed;
} tally;

/* Ask at the start, then follow the motion: what was claimed must be so. */
static void follow_up(am_motion *engine, tally *t) {
    am_steady_state steady, later;
    am_error err = {0};
    GOOD(am_engine_find_steady(engine, &steady, err));
    double farthest = steady.distance;
    size_t switches = 0;
    am_step_kind kind = AM_STEP_SPAN;
    am_status status = AM_OK;
    while (!status && kind != AM_STEP_END && switches == 0) {
        status = am_motion_step(engine, 100.0, &kind, &err);
        switches += am_motion_switches(engine);
    }
    bool comes_nearer = false;
    if (!status && switches == 0) {
        GOOD(am_engine_find_steady(engine, &later, err));
        comes_nearer = later.exists && later.distance <= 0.9 * farthest;
    }
    t->asked++;
    t->claimed += steady.lasts;
    t->stayed += comes_nearer;
    if (steady.lasts && !comes_nearer)
        fail_msg("claimed at the distance %g (growth %g), then %zu switches, distance %g", farthest, steady.growth,
                 switches, switches == 0 ? later.distance : NAN);
}

static tally try_rigs(am_system *draw(random_source *, rig *), uint64_t seed, int count) {
    random_source random = random_seed(seed);
    tally t = {0};
    for (int i = 0; i < count; i++) {
        rig s;
        am_system *system = draw(&random, &s);
        am_motion *engine = am_motion_create(system, false, NULL);
        assert_non_null(engine);
        for (int k = 0; k < 4; k++) {
            start_somewhere(engine, &s, &random);
            follow_up(engine, &t);
        }
        am_motion_free(engine);
        am_system_free(system);
    }
    return t;
}

/* Claims are many, but of course fewer than what stays. */
static void sliding_on_belts_that_is_claimed_to_last_does(void **state) {
    (void)state;
    tally t = try_rigs(draw_row, 11, CASES(50, 8));
    assert_true(t.claimed * 8 > t.asked);
    assert_true(t.claimed < t.stayed && t.stayed < t.asked);
}

static void sliding_under_a_normal_force_that_follows_is_claimed_only_where_it_lasts(void **state) {
    (void)state;
    tally t = try_rigs(draw_pressed, 12, CASES(40, 6));
    assert_true(t.claimed * 8 > t.asked);
    assert_true(t.claimed < t.stayed && t.stayed < t.asked);
}

static void rest_of_curved_springs_is_claimed_only_where_it_comes(void **state) {
    (void)state;
    tally t = try_rigs(draw_free, 13, CASES(50, 8));
    assert_true(t.claimed * 8 > t.asked);
    assert_true(t.claimed < t.stayed && t.stayed < t.asked);
}

/* One mass, mu = 0.4 - slope v, c + N mu' of either sign: growth (-c + N slope)/2m, claimed only below zero. */
static void growth_of_steady_sliding_is_its_closed_form(void **state) {
    (void)state;
    static const double one = 1.0;
    for (double slope = 0.01; slope < 0.3; slope += 0.02) {
        double m = 1.3, c = 0.11, k = 2.0, N = 1.7, V = 0.5, start[2] = {0.0, 0.0};
        am_contact_def contact = am_contact_def_default();
        contact.tangent = &one;
        contact.normal_law = AM_HELD;
        contact.hold = am_function_constant(N);
        contact.surface_velocity = V;
        contact.speed_friction = (am_speed_friction){.law = "falling", .parameter = {0.4, slope, 0.0}};
        am_system_def def = am_system_def_default();
        def.n = def.contact_count = 1;
        def.contacts = &contact;
        am_system *system = dense_system(def, &m, &c, &k);
        am_motion *engine = am_motion_create(system, false, NULL);
        am_steady_state steady;
        start[0] = N * (0.4 - slope * V) / k + 1e-3;
        GOOD(am_motion_start_state(engine, 0.0, start, err));
        GOOD(am_engine_find_steady(engine, &steady, err));
        assert_near(steady.growth, 0.5 * (-c + N * slope) / m, 1e-14);
        assert_int_equal(steady.lasts, N * slope < c);
        am_motion_free(engine);
        am_system_free(system);
    }
}

/* Friction that falls steeply up to the speed 0.5 and is constant above, a belt of 0.6: vibrations of a speed above 0.1
 * pass the corner and grow, though their linearisation decays. */
static void corners_of_laws_end_what_is_claimed(void **state) {
    (void)state;
    static const double one = 1.0, speed[] = {0.0, 0.5, 1.0}, coefficient[] = {0.5, 0.3, 0.3};
    double c = 0.01;
    am_contact_def contact = am_contact_def_default();
    contact.tangent = &one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1.0);
    contact.surface_velocity = 0.6;
    contact.speed_friction =
        (am_speed_friction){.law = "table", .points = 3, .speed = speed, .coefficient = coefficient};
    am_system_def def = am_system_def_default();
    def.n = def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = dense_system(def, &one, &c, &one);
    am_motion *engine = am_motion_create(system, false, NULL);
    for (double a = 0.01; a < 0.5; a += 0.01) {
        am_steady_state steady;
        const double start[2] = {0.3 + a, 0.0};
        GOOD(am_motion_start_state(engine, 0.0, start, err));
        GOOD(am_engine_find_steady(engine, &steady, err));
        assert_int_equal(steady.lasts, a < 0.0995); /* V of the damped oscillator is all but its energy */
    }
    am_motion_free(engine);
    am_system_free(system);
}

/* ---- bounds of formulas ---- */

static am_term draw_formula(am_tape *tape, am_term x, am_term y, random_source *random) {
    am_term pool[12] = {x, y, am_tape_constant(tape, random_between(random, -2, 2))};
    size_t count = 3;
    while (count < 12) {
        am_term a = pool[random_index(random, count)], b = pool[random_index(random, count)], made = 0;
        am_term positive = am_tape_add(tape, am_tape_constant(tape, 0.3), am_tape_multiply(tape, a, a));
        switch (random_index(random, 10)) {
        case 0:
            made = am_tape_add(tape, a, b);
            break;
        case 1:
            made = am_tape_subtract(tape, a, b);
            break;
        case 2:
            made = am_tape_multiply(tape, a, b);
            break;
        case 3:
            made = am_tape_divide(tape, b, positive);
            break;
        case 4:
            made = am_tape_exp(tape, am_tape_tanh(tape, a));
            break;
        case 5:
            made = am_tape_log(tape, positive);
            break;
        case 6:
            made = am_tape_sqrt(tape, positive);
            break;
        case 7:
            made = am_tape_power(tape, positive, random_between(random, -2.5, 2.5));
            break;
        case 8:
            made = am_tape_asinh(tape, a);
            break;
        default:
            made = am_tape_tanh(tape, a);
        }
        pool[count++] = made;
    }
    return pool[count - 1];
}

/* Second derivatives too; the bound is not allowed to be far too wide for a point. */
static void formulas_stay_within_their_bounds(void **state) {
    (void)state;
    random_source random = random_seed(14);
    for (int i = 0; i < CASES(300, 40); i++) {
        am_tape tape = {0};
        am_term x = am_tape_argument(&tape), y = am_tape_argument(&tape), f = draw_formula(&tape, x, y, &random);
        f = am_tape_derivative(&tape, am_tape_derivative(&tape, f, x), random_chance(&random, 0.5) ? x : y);
        assert_int_equal(tape.status, AM_OK);
        double center[2] = {random_between(&random, -1.5, 1.5), random_between(&random, -1.5, 1.5)};
        double width = random_chance(&random, 0.3) ? 0.0 : random_between(&random, 0, 0.5);
        static am_bound bound[4000];
        static double series[4000 * AM_TAPE_ORDERS];
        assert_true(tape.count <= 4000);
        bound[x] = (am_bound){center[0] - width, center[0] + width};
        bound[y] = (am_bound){center[1] - width, center[1] + width};
        am_tape_bound(&tape, tape.count, bound);
        for (int k = 0; k < 50; k++) {
            series[x * AM_TAPE_ORDERS] = center[0] + width * random_between(&random, -1, 1);
            series[y * AM_TAPE_ORDERS] = center[1] + width * random_between(&random, -1, 1);
            am_tape_run(&tape, tape.count, 0, series);
            double value = series[f * AM_TAPE_ORDERS];
            if (!(value >= bound[f].low && value <= bound[f].high))
                fail_msg("formula %d: %.17g is not between %.17g and %.17g", i, value, bound[f].low, bound[f].high);
            if (width == 0.0) /* what is left is rounding: operations amplify it */
                assert_true(bound[f].high - bound[f].low <= 1e-6 * (1.0 + am_bound_size(bound[f])));
        }
        am_tape_clear(&tape);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_on_belts_that_is_claimed_to_last_does),
        cmocka_unit_test(sliding_under_a_normal_force_that_follows_is_claimed_only_where_it_lasts),
        cmocka_unit_test(rest_of_curved_springs_is_claimed_only_where_it_comes),
        cmocka_unit_test(growth_of_steady_sliding_is_its_closed_form),
        cmocka_unit_test(corners_of_laws_end_what_is_claimed),
        cmocka_unit_test(formulas_stay_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
