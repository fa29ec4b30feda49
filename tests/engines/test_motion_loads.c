/* Functions of time in motions: surfaces, supports, normal forces and loads that are sums of sines, tables, splines, pulses
 * and chirps. What moves a surface is, seen from it, a force of inertia; closed forms; equal sums. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/motion.h"
#include "dense_system.h"
#include "errors.h"
#include "math/eigen.h"
#include "near.h"
#include "random_system.h"
#include "steps.h"

enum { TERMS = 3, POINTS = 9, MOST = 2 };

/* ---- random functions ---- */

typedef struct drawn {
    am_function term[TERMS];
    double times[TERMS][POINTS], values[TERMS][POINTS], moments[TERMS][POINTS];
} drawn;

static void draw_table(drawn *d, size_t i, random_source *random, bool smooth) {
    for (size_t k = 0; k < POINTS; k++) {
        d->times[i][k] = k > 0 ? d->times[i][k - 1] + random_between(random, 0.2, 1.5) : random_between(random, 0, 1);
        d->values[i][k] = random_between(random, -0.4, 0.4);
    }
    d->term[i] = am_function_table(POINTS, d->times[i], d->values[i]);
    if (random_chance(random, 0.3)) { /* a polygon that repeats ends where it begins */
        d->term[i].period = d->times[i][POINTS - 1] - d->times[i][0];
        d->values[i][POINTS - 1] = d->values[i][0];
    }
    if (smooth) {
        GOOD(am_function_spline(&d->term[i], d->moments[i], err));
        d->term[i].moments = d->moments[i];
    }
}

static void draw_term(drawn *d, size_t i, random_source *random) {
    double size = random_between(random, 0.1, 0.5);
    switch (random_index(random, 5)) {
    case 0:
        d->term[i] = am_function_sine(size, random_between(random, 0.3, 4), random_between(random, 0, 6));
        break;
    case 1:
        draw_table(d, i, random, true);
        break;
    case 2:
        d->term[i] = am_function_pulse(size, random_between(random, 0, 4), random_between(random, 1, 3));
        break;
    case 3:
        d->term[i] = am_function_chirp(size, random_between(random, 0, 2), random_between(random, 0.5, 6),
                                       random_between(random, 2, 9));
        d->term[i].phase = random_between(random, 0, 6);
        d->term[i].start = -1; /* a support does not jump */
        break;
    default:
        draw_table(d, i, random, false);
    }
}

static void draw_sum(drawn *d, random_source *random) {
    for (size_t i = 0; i < TERMS; i++)
        draw_term(d, i, random);
    for (size_t i = 0; i + 1 < TERMS; i++)
        d->term[i].plus = &d->term[i + 1];
}

/* The same, so many times differentiated, in terms of its own. */
static void differentiate(const drawn *from, unsigned order, am_function *to) {
    for (size_t i = 0; i < TERMS; i++) {
        to[i] = from->term[i];
        to[i].derivative = order;
        to[i].plus = i + 1 < TERMS ? &to[i + 1] : NULL;
    }
}

/* ---- two frames ---- */

/* Masses on springs to a support and to each other, pressed on the support. */
typedef struct rig {
    size_t n;
    double mass[MOST * MOST], damping[MOST * MOST], stiffness[MOST * MOST];
    double tangent[MOST][MOST], pull[MOST], drag[MOST], inertia[MOST];
    am_contact_def contact[MOST];
} rig;

static void draw_rig(rig *r, random_source *random) {
    memset(r, 0, sizeof *r);
    r->n = 1 + random_index(random, MOST);
    random_definite(random, r->n, 0.5, 1, r->mass);
    random_definite(random, r->n, 0.2, 2, r->stiffness);
    random_definite(random, r->n, 0, 0.2, r->damping);
    for (size_t i = 0; i < r->n; i++) {
        r->tangent[i][i] = 1;
        r->contact[i] = am_contact_def_default();
        r->contact[i].tangent = r->tangent[i];
        r->contact[i].normal_law = AM_HELD;
        r->contact[i].hold = am_function_sine(0.2, random_between(random, 0.5, 2), 1);
        r->contact[i].hold.value = random_between(random, 0.5, 1.5);
        r->contact[i].friction = random_between(random, 0.1, 0.5);
        if (random_chance(random, 0.3))
            r->contact[i].static_friction = r->contact[i].friction + random_between(random, 0, 0.3);
        if (random_chance(random, 0.3)) {
            r->contact[i].tangential_stiffness = random_between(random, 2, 9);
            r->contact[i].static_friction = 0;
        } else if (random_chance(random, 0.4)) {
            r->contact[i].friction = r->contact[i].static_friction = 0;
            r->contact[i].speed_friction = (am_speed_friction){.law = "stribeck", .parameter = {0.5, 0.3, 0.4, 1, 0}};
        }
        for (size_t j = 0; j < r->n; j++) {
            r->pull[i] += r->stiffness[i * r->n + j];
            r->drag[i] += r->damping[i * r->n + j];
            r->inertia[i] -= r->mass[i * r->n + j];
        }
    }
}

static void run_with(const rig *r, size_t varyings, const am_varying_def *varying, size_t loads,
                     const am_load_def *load, const double *start, double until, double *end) {
    am_error err = {0};
    am_system_def def = am_system_def_default();
    def.varying_count = varyings;
    def.varying = varying;
    def.n = def.contact_count = r->n;
    def.contacts = r->contact;
    def.load_count = loads;
    def.loads = load;
    am_system *system = dense_system(def, r->mass, r->damping, r->stiffness);
    am_motion *motion = am_motion_create(system, true, &err);
    assert_non_null(motion);
    GOOD(am_motion_start(motion, 0, start, start + r->n, err));
    run_until(motion, until);
    memcpy(end, am_motion_state(motion), 2 * r->n * sizeof *end);
    assert_near(am_motion_statistics_get(motion).energy_residual, 0, 1e-13);
    am_motion_free(motion);
    am_system_free(system);
}

static void run(const rig *r, size_t loads, const am_load_def *load, const double *start, double until, double *end) {
    run_with(r, 0, NULL, loads, load, start, until, end);
}

/* The support and the surfaces on it move as x(t): springs and dampers pull with K x + C x', surfaces have the velocity x'.
 * In the frame that moves along surfaces rest, and the force of inertia is -M x''. The same motions; roundings of some
 * hundred spans and events, which static friction above kinetic may amplify. */
static void a_shaken_support_is_a_force_of_inertia_in_its_frame(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        random_source random = random_seed(seed);
        rig r;
        drawn x;
        am_function place[TERMS], rate[TERMS], acceleration[TERMS];
        draw_rig(&r, &random);
        draw_sum(&x, &random);
        differentiate(&x, 0, place);
        differentiate(&x, 1, rate);
        differentiate(&x, 2, acceleration);
        double until = 9, inside[2 * MOST], outside[2 * MOST], start[2 * MOST];
        const am_load_def inertia = {r.inertia, acceleration[0]};
        for (size_t i = 0; i < 2 * r.n; i++)
            start[i] = random_between(&random, -1, 1);
        run(&r, 1, &inertia, start, until, inside);
        const am_load_def support[] = {{r.pull, place[0]}, {r.drag, rate[0]}};
        for (size_t i = 0; i < r.n; i++) {
            r.contact[i].surface_motion = rate[0];
            start[i] += am_function_at(&place[0], 0);
            start[r.n + i] += am_function_at(&rate[0], 0);
        }
        run(&r, 2, support, start, until, outside);
        for (size_t i = 0; i < r.n; i++) {
            assert_near(outside[i], inside[i] + am_function_at(&place[0], until), 1e-10);
            assert_near(outside[r.n + i], inside[r.n + i] + am_function_at(&rate[0], until), 1e-10);
        }
    }
}

/* ---- closed forms ---- */

/* Newmark's sliding block (Geotechnique 15, 1965): a rigid block on ground that is accelerated by A > mu g during T and
 * goes on with its velocity then. The block slips back by (A T)^2/(2 mu g) - A T^2/2. */
static void a_block_slides_under_a_rectangular_pulse_as_newmark_says(void **state) {
    (void)state;
    random_source random = random_seed(7);
    for (int trial = 0; trial < 20; trial++) {
        double g = 9.81, mu = random_between(&random, 0.1, 0.5), A = mu * g * random_between(&random, 1.1, 4);
        double T = random_between(&random, 0.1, 0.6), times[] = {1, 1 + T}, values[] = {0, A * T}, one[] = {1};
        am_error err = {0};
        am_contact_def contact = am_contact_def_default();
        contact.tangent = one;
        contact.normal_law = AM_HELD;
        contact.hold = am_function_constant(3 * g);
        contact.friction = mu;
        contact.surface_motion = am_function_table(2, times, values);
        am_system_def def = am_system_def_default();
        def.n = def.contact_count = 1;
        def.contacts = &contact;
        const double mass[] = {3}, none[] = {0};
        am_system *system = dense_system(def, mass, NULL, none);
        am_motion *motion = am_motion_create(system, true, &err);
        GOOD(am_motion_start(motion, 0, NULL, NULL, err));
        double end = 1 + A * T / (mu * g) + 0.5;
        run_until(motion, end);
        double ground = 0.5 * A * T * T + A * T * (end - 1 - T);
        double slip = A * A * T * T / (2 * mu * g) - 0.5 * A * T * T;
        assert_near(ground - am_motion_displacement(motion)[0], slip, 1e-13 * (1 + ground));
        assert_int_equal(am_motion_states(motion)[0], AM_STICK);
        assert_near(am_motion_statistics_get(motion).loss_friction, mu * 3 * g * slip, 1e-13 * (1 + mu * 3 * g * slip));
        am_motion_free(motion);
        am_system_free(system);
    }
}

/* A surface whose velocity jumps (a saw tooth) leaves a block behind, which slips until it has caught up. */
static void a_surface_that_jumps_leaves_a_block_behind(void **state) {
    (void)state;
    const double times[] = {0, 2}, values[] = {0, 0.2}, one[] = {1}, none[] = {0};
    am_error err = {0};
    am_contact_def contact = am_contact_def_default();
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1);
    contact.friction = 0.4;
    contact.surface_motion = am_function_table(2, times, values);
    contact.surface_motion.period = 2;
    am_system_def def = am_system_def_default();
    def.n = def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = dense_system(def, one, NULL, none);
    am_motion *motion = am_motion_create(system, true, &err);
    GOOD(am_motion_start(motion, 0, NULL, NULL, err));
    run_until(motion, 1.9);
    assert_int_equal(am_motion_states(motion)[0], AM_STICK);
    assert_near(am_motion_velocity(motion)[0], 0.19, 1e-15);
    run_until(motion, 2.1); /* 0.2 at the jump, slowed down by 0.4; the surface grows by 0.1 a unit of time */
    assert_int_equal(am_motion_states(motion)[0], AM_FORWARD);
    assert_near(am_motion_velocity(motion)[0], 0.16, 1e-14);
    run_until(motion, 2.5); /* 0.2 - 0.4 s = 0.1 s: at rest from s = 0.4 on */
    assert_int_equal(am_motion_states(motion)[0], AM_STICK);
    assert_near(am_motion_velocity(motion)[0], 0.05, 1e-14);
    assert_near(am_motion_statistics_get(motion).loss_friction, 0.4 * 0.5 * 0.2 * 0.4, 1e-14);
    assert_near(am_motion_statistics_get(motion).energy_residual, 0, 1e-14);
    am_motion_free(motion);
    am_system_free(system);
}

/* Two surfaces that move differently cannot hold one mass at once. */
static void two_surfaces_do_not_hold_one_mass_at_once(void **state) {
    (void)state;
    const double one[] = {1}, none[] = {0};
    am_error err = {0};
    am_contact_def contact[2] = {am_contact_def_default(), am_contact_def_default()};
    for (int c = 0; c < 2; c++) {
        contact[c].tangent = one;
        contact[c].normal_law = AM_HELD;
        contact[c].hold = am_function_constant(c ? 2 : 1);
        contact[c].friction = 0.3;
        contact[c].surface_motion = am_function_sine(c ? 0.1 : 0.2, 1, 0);
    }
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.contact_count = 2;
    def.contacts = contact;
    am_system *system = dense_system(def, one, NULL, none);
    am_motion *motion = am_motion_create(system, true, &err);
    GOOD(am_motion_start(motion, 0, NULL, NULL, err));
    for (double t = 0.1; t < 10; t += 0.1) { /* the stronger one holds, the other slips: both at rest at t = 0 */
        run_until(motion, t);
        assert_near(am_motion_velocity(motion)[0], 0.1 * sin(t), 1e-13);
    }
    assert_near(am_motion_statistics_get(motion).energy_residual, 0, 1e-13);
    am_motion_free(motion);
    am_system_free(system);
}

/* ---- stiffness that varies ---- */

/* Mathieu's x'' + (a - 2 q cos 2t) x = 0. */
static am_system *mathieu(double a, double q) {
    static const double one[] = {1};
    const am_varying_def varying = {NULL, one, am_function_sine(2 * q, 2, -1.5707963267948966)};
    am_system_def def = am_system_def_default();
    def.n = def.varying_count = 1;
    def.varying = &varying;
    return dense_system(def, one, NULL, &a);
}

/* The characteristic values of Mathieu's equation are the eigenvalues of tridiagonal matrices (McLachlan, Theory and
 * Application of Mathieu Functions, chapter III): squares of every other number on the diagonal, q beside it. Solutions
 * of period pi and even (family 0), odd (1); of period 2 pi and even (2), odd (3). */
static double characteristic_value(int family, size_t which, double q) {
    enum { ORDER = 24 };
    double matrix[ORDER * ORDER] = {0}, values[ORDER];
    for (size_t k = 0; k < ORDER; k++) {
        double number = family == 0 ? 2 * (double)k : family == 1 ? 2 * (double)k + 2 : 2 * (double)k + 1;
        matrix[k * ORDER + k] = number * number;
        if (k + 1 < ORDER)
            matrix[k * ORDER + k + 1] = matrix[(k + 1) * ORDER + k] = family == 0 && k == 0 ? sqrt(2) * q : q;
    }
    matrix[0] += family == 2 ? q : family == 3 ? -q : 0;
    GOOD(am_dense_symmetric_eigenvalues(matrix, ORDER, values, err));
    return values[which];
}

/* Trace of the fundamental matrix over one period of the stiffness, about x = 0. */
static double trace_over_period(double a, double q) {
    am_error err = {0};
    am_system *system = mathieu(a, q);
    am_motion *motion = am_motion_create(system, false, &err);
    assert_non_null(motion);
    GOOD(am_motion_follow_sensitivity(motion, true, err));
    GOOD(am_motion_start(motion, 0, NULL, NULL, err));
    run_until(motion, 3.14159265358979324);
    const double *map = am_motion_sensitivity(motion);
    double trace = map[0] + map[3];
    assert_near(map[0] * map[3] - map[1] * map[2], 1, 1e-11 * (1 + fabs(map[1] * map[2]))); /* without damping */
    am_motion_free(motion);
    am_system_free(system);
    return trace;
}

/* On the boundaries of Strutt's chart a solution repeats after pi or 2 pi: the trace is 2 or -2, between them one and the
 * other; a changes it by some units. */
static void the_boundaries_of_mathieu_are_where_multipliers_reach_one(void **state) {
    (void)state;
    for (double q = 0.25; q < 8; q += 1.1)
        for (int family = 0; family < 4; family++)
            for (size_t which = 0; which < 2; which++) {
                double a = characteristic_value(family, which, q), wanted = family < 2 ? 2 : -2;
                assert_near(trace_over_period(a, q), wanted, 1e-10);
            }
    assert_near(characteristic_value(0, 0, 1), -0.45513860, 5e-9); /* Abramowitz and Stegun, table 20.1 */
    assert_near(characteristic_value(2, 0, 1), 1.85910807, 5e-9);
    assert_true(fabs(trace_over_period(characteristic_value(2, 0, 1) + 0.1, 1)) < 2);
    assert_true(trace_over_period(characteristic_value(2, 0, 1) - 0.1, 1) < -2);
}

/* A stiffness that does not vary may as well be one of the structure. */
static void a_constant_that_varies_is_a_stiffness(void **state) {
    (void)state;
    for (uint64_t seed = 400; seed < 430; seed++) {
        random_source random = random_seed(seed);
        rig r;
        draw_rig(&r, &random);
        double direction[MOST], k = random_between(&random, -0.1, 1), start[2 * MOST], one[2 * MOST], other[2 * MOST];
        for (size_t i = 0; i < 2 * r.n; i++)
            start[i] = random_between(&random, -1, 1);
        for (size_t i = 0; i < r.n; i++)
            direction[i] = random_between(&random, -1, 1);
        am_function half = am_function_constant(0.25 * k), part = am_function_constant(0.75 * k);
        half.plus = &part;
        const am_varying_def varying = {NULL, direction, half};
        const am_load_def load = {r.pull, am_function_sine(0.5, 1.3, 0)};
        run_with(&r, 1, &varying, 1, &load, start, 8, one);
        for (size_t i = 0; i < r.n; i++)
            for (size_t j = 0; j < r.n; j++)
                r.stiffness[i * r.n + j] += k * direction[i] * direction[j];
        run(&r, 1, &load, start, 8, other);
        for (size_t i = 0; i < 2 * r.n; i++)
            assert_near(other[i], one[i], 1e-12);
    }
}

/* ---- equal sums ---- */

/* A sine is two halves of it, a ramp a table, a constant part a constant: of loads, normal forces and surfaces. */
static void equal_sums_give_equal_motions(void **state) {
    (void)state;
    for (uint64_t seed = 300; seed < 340; seed++) {
        random_source random = random_seed(seed);
        rig r;
        draw_rig(&r, &random);
        double w = random_between(&random, 0.4, 3), phase = random_between(&random, 0, 6),
               start[2 * MOST] = {0.3, -0.2};
        am_function whole = am_function_sine(0.6, w, phase), half[3], part[3];
        whole.value = 0.9;
        half[2] = am_function_constant(0.9);
        for (int i = 0; i < 2; i++) {
            half[i] = am_function_sine(0.3, w, phase);
            half[i].plus = &half[i + 1];
        }
        memcpy(part, half, sizeof part);
        double one[2 * MOST], other[2 * MOST];
        am_load_def load = {r.pull, whole};
        for (size_t c = 0; c < r.n; c++)
            r.contact[c].hold = r.contact[c].surface_motion = whole;
        run(&r, 1, &load, start, 8, one);
        load.function = half[0];
        for (size_t c = 0; c < r.n; c++) {
            r.contact[c].hold = r.contact[c].surface_motion = half[0];
            r.contact[c].surface_velocity = 0.2;
            part[2].value = 0.7;
            part[0].plus = &part[1], part[1].plus = &part[2];
            r.contact[c].surface_motion = part[0];
        }
        run(&r, 1, &load, start, 8, other);
        for (size_t i = 0; i < 2 * r.n; i++)
            assert_near(other[i], one[i], 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shaken_support_is_a_force_of_inertia_in_its_frame),
        cmocka_unit_test(a_block_slides_under_a_rectangular_pulse_as_newmark_says),
        cmocka_unit_test(a_surface_that_jumps_leaves_a_block_behind),
        cmocka_unit_test(two_surfaces_do_not_hold_one_mass_at_once),
        cmocka_unit_test(the_boundaries_of_mathieu_are_where_multipliers_reach_one),
        cmocka_unit_test(a_constant_that_varies_is_a_stiffness),
        cmocka_unit_test(equal_sums_give_equal_motions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
