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

static void run(const rig *r, size_t loads, const am_load_def *load, const double *start, double until, double *end) {
    am_error err = {0};
    am_system_def def = am_system_def_default();
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
        cmocka_unit_test(equal_sums_give_equal_motions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
