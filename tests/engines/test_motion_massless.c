/* Contacts on damped coordinates without mass, which move by first-order equations: sliders behind springs, and tangents
 * that join such coordinates with those that have mass. */
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

/* To `until`; the end is x (count entries), and the balance of energy closes. */
static void follow(am_system *system, const double *q, const double *v, double until, double *x, size_t count) {
    am_error err = {0};
    am_motion *motion = am_motion_create(system, true, &err);
    am_step_kind kind = AM_STEP_SPAN;
    assert_non_null(motion);
    GOOD(am_motion_start(motion, 0, q, v, err));
    while (kind != AM_STEP_END)
        GOOD(am_motion_step(motion, until, &kind, err));
    memcpy(x, am_motion_state(motion), count * sizeof *x);
    assert_true(am_motion_statistics_get(motion).energy_residual < 1e-13);
    assert_true(am_motion_statistics_get(motion).complementarity < 1e-12);
    am_motion_free(motion);
    am_system_free(system);
}

/* c x' + (K + k) x = r t while the slider holds, c x' + K x = r t - mu N after. */
static void a_slider_sets_off_with_a_velocity_of_its_own(void **state) {
    (void)state;
    const double along[] = {1}, none = 0, c = 0.5, K = 1.7, k = 5, r = 0.8, mu = 0.3, N = 1.4, until = 6;
    am_contact_def contact = am_contact_def_default();
    am_load_def load = {along, am_function_ramp(0, r)};
    am_system_def def = am_system_def_default();
    contact.tangent = along;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(N);
    contact.friction = mu;
    contact.tangential_stiffness = k;
    def.n = def.contact_count = def.load_count = 1;
    def.contacts = &contact;
    def.loads = &load;
    double x[3], low = 0, high = until, stuck = c / (K + k), free = c / K;
    follow(dense_system(def, &none, &c, &K), NULL, NULL, until, x, 3);
    for (int i = 0; i < 100; i++) {
        double t = 0.5 * (low + high), pull = k * r / (K + k) * (t - stuck * (1 - exp(-t / stuck)));
        *(pull < mu * N ? &low : &high) = t;
    }
    double last = (r * until - mu * N) / K - r * free / K, first = (r * low - mu * N) / K - r * free / K;
    assert_near(x[0], last + (mu * N / k - first) * exp(-(until - low) / free), 1e-13);
    assert_near(k * x[2], mu * N, 1e-14);
}

typedef struct joined {
    double mass, damping[2], stiffness[4], tangent[2], friction, velocity, press, amplitude, frequency;
} joined;

/* y = (q1, q1', q2): damping q2' = what else acts on it, friction being one of it. */
static void rate(const joined *j, double t, const double *y, double *r) {
    double load = j->amplitude * sin(j->frequency * t), v = 0;
    for (int i = 0; i < 60; i++) { /* Newton's method: friction grows with the speed */
        double slide = j->tangent[0] * y[1] + j->tangent[1] * v, part = tanh(slide / j->velocity);
        double T = -j->friction * j->press * part,
               slope = -j->friction * j->press * (1 - part * part) / j->velocity * j->tangent[1];
        double lacks = load + j->tangent[1] * T - j->stiffness[2] * y[0] - j->stiffness[3] * y[2] - j->damping[1] * v;
        double step = lacks / (j->damping[1] - slope * j->tangent[1]);
        v += fmax(-0.5 * j->velocity, fmin(0.5 * j->velocity, step));
    }
    double T = -j->friction * j->press * tanh((j->tangent[0] * y[1] + j->tangent[1] * v) / j->velocity);
    r[0] = y[1];
    r[1] = (j->tangent[0] * T - j->damping[0] * y[1] - j->stiffness[0] * y[0] - j->stiffness[1] * y[2]) / j->mass;
    r[2] = v;
}

static void runge_kutta(const joined *j, double until, int steps, double *y) {
    static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    double h = until / steps;
    for (int i = 0; i < steps; i++) {
        double k[4][3] = {{0}}, sum[3] = {0}, at[3];
        for (int s = 0; s < 4; s++) {
            for (int l = 0; l < 3; l++)
                at[l] = y[l] + part[s] * h * (s > 0 ? k[s - 1][l] : 0);
            rate(j, (i + part[s]) * h, at, k[s]);
            for (int l = 0; l < 3; l++)
                sum[l] += weight[s] * k[s][l];
        }
        for (int l = 0; l < 3; l++)
            y[l] += h / 6 * sum[l];
    }
}

/* Which of the two has the mass, `massive`, does not matter. */
static am_system *join(const joined *j, size_t massive) {
    size_t other = 1 - massive;
    double mass[4] = {0}, damping[4] = {0}, stiffness[4], tangent[2], along[2] = {0};
    am_contact_def contact = am_contact_def_default();
    am_load_def load = {along, am_function_sine(j->amplitude, j->frequency, 0)};
    am_system_def def = am_system_def_default();
    mass[3 * massive] = j->mass;
    damping[3 * massive] = j->damping[0];
    damping[3 * other] = j->damping[1];
    stiffness[3 * massive] = j->stiffness[0];
    stiffness[3 * other] = j->stiffness[3];
    stiffness[1] = stiffness[2] = j->stiffness[1];
    tangent[massive] = j->tangent[0];
    tangent[other] = j->tangent[1];
    along[other] = 1;
    contact.tangent = tangent;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(j->press);
    contact.speed_friction = (am_speed_friction){.law = "tanh", .parameter = {j->friction, j->velocity}};
    def.n = 2;
    def.contact_count = def.load_count = 1;
    def.contacts = &contact;
    def.loads = &load;
    return dense_system(def, mass, damping, stiffness);
}

static void a_tangent_joins_coordinates_with_and_without_mass(void **state) {
    (void)state;
    random_source random = {17};
    for (int i = 0; i < 6; i++) {
        double coupling = random_between(&random, -0.5, 0.5), x[4], y[3] = {0.1, 0.3, 0.2};
        size_t massive = (size_t)i % 2;
        joined j = {.mass = random_between(&random, 0.5, 2),
                    .damping = {random_between(&random, 0, 0.1), random_between(&random, 0.2, 1)},
                    .stiffness = {random_between(&random, 1, 3), coupling, coupling, random_between(&random, 1, 3)},
                    .tangent = {random_between(&random, 0.3, 1), random_between(&random, -1, -0.3)},
                    .friction = 0.4,
                    .velocity = random_between(&random, 0.2, 1),
                    .press = random_between(&random, 0.5, 1.5),
                    .amplitude = random_between(&random, 0.5, 2),
                    .frequency = random_between(&random, 0.5, 2)};
        double q[2], v[2] = {0};
        q[massive] = y[0], v[massive] = y[1], q[1 - massive] = y[2];
        follow(join(&j, massive), q, v, 5, x, 4);
        runge_kutta(&j, 5, 2000, y);
        assert_near(x[massive], y[0], 1e-9); /* steps of 2.5e-3: (5/2000)^4 times some tens */
        assert_near(x[2 + massive], y[1], 1e-9);
        assert_near(x[1 - massive], y[2], 1e-9);
    }
}

/* Friction that is flat at first and then falls faster with slip than the spring relaxes: there the slider, which has no
 * mass, jumps in its direction to behind the fall. A mass that nothing stops draws it. */
static void a_slider_jumps_where_its_friction_begins_to_fall(void **state) {
    (void)state;
    const double along[] = {1}, M = 0x1p60, none = 0, K = 1, mu_s = 0.5, mu_k = 0.2, N = 1.5, k = 1.25, v = 0.7;
    for (int trial = 0; trial < 20; trial++) { /* the last slip before it ends by a rounding more or less */
        double length = 0.2 + 0.013 * trial, jump = (mu_s * N / k + 0.75 * length) / v;
        am_contact_def contact = am_contact_def_default();
        am_system_def def = am_system_def_default();
        contact.tangent = along;
        contact.normal_law = AM_HELD;
        contact.hold = am_function_constant(N);
        contact.friction = mu_k;
        contact.static_friction = mu_s;
        contact.weakening = (am_friction){.law = AM_FRICTION_STEP, .distance = length};
        contact.tangential_stiffness = k;
        def.n = def.contact_count = 1;
        def.contacts = &contact;
        for (int side = 0; side < 2; side++) { /* before the jump, and behind it */
            double x[3];
            follow(dense_system(def, &M, &none, &K), NULL, &v, jump + (side ? 0.3 : -0.1), x, 3);
            assert_near(x[2], (side ? mu_k : mu_s) * N / k, 1e-14);
        }
    }
}

/* c q' + K q = F in front of a layer that just touches: pushed away it opens at once, pushed against it stays closed, and
 * K is K + k then. Nothing but the forces says which. */
static void a_layer_opens_or_closes_as_forces_push(void **state) {
    (void)state;
    const double down[] = {-1}, up[] = {1}, none = 0, c = 0.3, K = 1.7, k = 5, until = 0.4;
    for (int side = 0; side < 2; side++) {
        am_contact_def contact = am_contact_def_default();
        am_load_def load = {side ? down : up, am_function_constant(1)};
        am_system_def def = am_system_def_default();
        contact.normal = up; /* gap = q */
        contact.normal_law = AM_KELVIN_VOIGT;
        contact.contact_stiffness = k;
        def.n = def.contact_count = def.load_count = 1;
        def.contacts = &contact;
        def.loads = &load;
        double x[2], stiffness = side ? K + k : K;
        follow(dense_system(def, &none, &c, &K), NULL, NULL, until, x, 1);
        assert_near(x[0], (side ? -1 : 1) / stiffness * (1 - exp(-until * stiffness / c)), 1e-14);
    }
}

/* A slider behind a spring on a layer, linear or curved and damped, along a coordinate without mass which a cubic spring holds:
 * the limit changes with the rates of all forces on that coordinate. The end of the motion with this mass there. */
static void slide_over_a_soft_layer(bool curved, double mass, double *x) {
    const double M[4] = {1, 0, 0, mass}, C[4] = {0.05, 0.03, 0.03, 0.08}, K[4] = {0.8, 0.1, 0.1, 1.9};
    const double along[] = {1, 0}, up[] = {0, 1};
    am_contact_def contact = am_contact_def_default();
    am_load_def load[2] = {{along, am_function_sine(1.8, 1.4, 5.5)}, {up, am_function_sine(2, 1.4, 1.8)}};
    am_polynomial_term cubic = {0.2, 3, 0};
    am_polynomial_def spring = {NULL, up, 1, &cubic};
    am_system_def def = am_system_def_default();
    contact.normal = up;
    contact.tangent = along;
    contact.normal_law = curved ? AM_HUNT_CROSSLEY : AM_KELVIN_VOIGT;
    contact.contact_stiffness = 14;
    contact.contact_exponent = curved ? 1.5 : 1;
    contact.contact_dissipation = curved ? 0.15 : 0;
    contact.friction = 0.5;
    contact.tangential_stiffness = 1;
    contact.surface_motion = am_function_sine(0.7, 1.4, 4.2);
    def.n = def.load_count = 2;
    def.contact_count = def.polynomial_count = 1;
    def.contacts = &contact;
    def.loads = load;
    def.polynomials = &spring;
    follow(dense_system(def, M, C, K), NULL, NULL, 12, x, 2);
}

static void a_limit_feels_every_force_on_a_coordinate_without_mass(void **state) {
    (void)state;
    for (int curved = 0; curved < 2; curved++) {
        double massless[2], small[2];
        slide_over_a_soft_layer(curved, 0, massless);
        slide_over_a_soft_layer(curved, 1e-5, small);
        for (int i = 0; i < 2; i++)
            assert_near(massless[i], small[i], 1e-4);
    }
}

/* Friction that falls faster with the speed than damping rises: without mass no speed is one to stay at, be the slider
 * behind a spring or not. Where the damping is larger the motion goes on. */
static void a_speed_that_would_have_to_jump_is_said(void **state) {
    (void)state;
    const double along[] = {1}, none = 0, K = 1, N = 2, slope = 0.3;
    for (int trial = 0; trial < 4; trial++) {
        am_error err = {0};
        am_contact_def contact = am_contact_def_default();
        am_load_def load = {along, am_function_sine(3, 0.7, 0)};
        am_system_def def = am_system_def_default();
        contact.tangent = along;
        contact.normal_law = AM_HELD;
        contact.hold = am_function_constant(N);
        contact.speed_friction = (am_speed_friction){.law = "falling", .parameter = {0.5, slope, 0.1}};
        contact.tangential_stiffness = trial % 2 ? 4 : 0;
        def.n = def.contact_count = def.load_count = 1;
        def.contacts = &contact;
        def.loads = &load;
        double C = (trial < 2 ? 0.9 : 1.1) * slope * N;
        am_system *system = dense_system(def, &none, &C, &K);
        am_motion *motion = am_motion_create(system, true, NULL);
        am_step_kind kind = AM_STEP_SPAN;
        am_status status = am_motion_start(motion, 0, NULL, NULL, &err);
        for (int step = 0; !status && kind != AM_STEP_END && step < 10000; step++)
            status = am_motion_step(motion, 10, &kind, &err);
        assert_int_equal(status, trial < 2 ? AM_ERR_LIMIT : AM_OK);
        assert_true(trial >= 2 || strstr(err.message, "would have to jump"));
        am_motion_free(motion);
        am_system_free(system);
    }
}

/* Behind its spring friction with two internal variables has four arguments, and the velocity of a rigid slider beside it
 * asks for the rates of all of them. */
static void an_ageing_slider_stands_beside_a_rigid_one(void **state) {
    (void)state;
    const double mass[] = {1, 0, 0, 1}, damping[] = {0.2, 0, 0, 0.2}, stiffness[] = {3, 0.5, 0.5, 4};
    const double first[] = {1, 0}, second[] = {0, 1};
    am_contact_def contacts[2] = {am_contact_def_default(), am_contact_def_default()};
    am_load_def load = {second, am_function_constant(-0.5)};
    am_system_def def = am_system_def_default();
    double x[8];
    for (int c = 0; c < 2; c++) {
        contacts[c].tangent = first;
        contacts[c].tangential_stiffness = 4;
    }
    contacts[0].normal_law = AM_HELD;
    contacts[0].hold = am_function_constant(1);
    contacts[0].speed_friction =
        (am_speed_friction){.law = "rate-and-state", .parameter = {0.5, 0.05, 0.03, 0.1, 0.2, 0, 0}};
    contacts[1].normal = second;
    contacts[1].friction = 0.3;
    contacts[1].surface_velocity = 0.5;
    def.n = def.contact_count = 2;
    def.load_count = 1;
    def.contacts = contacts;
    def.loads = &load;
    follow(dense_system(def, mass, damping, stiffness), NULL, NULL, 5, x, 4);
    assert_true(fabs(x[0]) > 1e-3); /* taken along, both being dragged */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slider_sets_off_with_a_velocity_of_its_own),
        cmocka_unit_test(a_tangent_joins_coordinates_with_and_without_mass),
        cmocka_unit_test(a_slider_jumps_where_its_friction_begins_to_fall),
        cmocka_unit_test(a_layer_opens_or_closes_as_forces_push),
        cmocka_unit_test(a_limit_feels_every_force_on_a_coordinate_without_mass),
        cmocka_unit_test(a_speed_that_would_have_to_jump_is_said),
        cmocka_unit_test(an_ageing_slider_stands_beside_a_rigid_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
