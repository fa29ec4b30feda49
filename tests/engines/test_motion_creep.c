/* Friction law tanh behind a spring: T = k (x - s) is also mu N tanh(s'/velocity), with the slider's own speed s'. Motions
 * are compared with Runge-Kutta's of that law written out here, with those of the law alone as the spring grows stiff, with
 * closed forms, and their derivatives with differences. */
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

typedef struct rubbing {
    double mass, damping, stiffness, friction, velocity, spring, surface, amplitude, frequency;
    double press, sway, rhythm; /* N = press + sway sin(rhythm t) */
} rubbing;

static am_system *make(const rubbing *b) {
    static const double along[] = {1};
    am_contact_def contact = am_contact_def_default();
    am_load_def load = {along, am_function_sine(b->amplitude, b->frequency, 0)};
    am_system_def def = am_system_def_default();
    contact.tangent = along;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_sine(b->sway, b->rhythm, 0);
    contact.hold.value = b->press;
    contact.speed_friction = (am_speed_friction){.law = "tanh", .parameter = {b->friction, b->velocity}};
    contact.tangential_stiffness = b->spring;
    contact.surface_velocity = b->surface;
    def.n = def.contact_count = def.load_count = 1;
    def.contacts = &contact;
    def.loads = &load;
    return dense_system(def, &b->mass, &b->damping, &b->stiffness);
}

static rubbing draw(random_source *random) {
    return (rubbing){.mass = random_between(random, 0.5, 2),
                     .damping = random_between(random, 0, 0.2),
                     .stiffness = random_between(random, 0.5, 2),
                     .friction = random_between(random, 0.2, 0.5),
                     .velocity = random_between(random, 0.5, 1),
                     .spring = random_between(random, 1, 8),
                     .surface = random_between(random, -0.5, 0.5),
                     .amplitude = random_between(random, 0.3, 1),
                     .frequency = random_between(random, 0.3, 2),
                     .press = random_between(random, 1, 2),
                     .sway = random_between(random, 0, 0.6),
                     .rhythm = random_between(random, 0.3, 2)};
}

/* To `until` from rest; the energy residual is returned, T may be NULL. */
static double run(const rubbing *b, double until, double *end, double *T) {
    am_error err = {0};
    am_system *system = make(b);
    am_motion *motion = am_motion_create(system, true, &err);
    am_step_kind kind = AM_STEP_SPAN;
    assert_non_null(motion);
    GOOD(am_motion_start(motion, 0, NULL, NULL, err));
    while (kind != AM_STEP_END)
        GOOD(am_motion_step(motion, until, &kind, err));
    memcpy(end, am_motion_state(motion), 2 * sizeof *end);
    am_motion_forces(motion, NULL, T);
    double residual = am_motion_statistics_get(motion).energy_residual;
    am_motion_free(motion);
    am_system_free(system);
    return residual;
}

/* ---- the law once more: y = (x, x', s), the place of the slider on its surface ---- */

static double pull(const rubbing *b, double t, const double *y) {
    return b->spring * (y[0] - b->surface * t - y[2]);
}

static void rate(const rubbing *b, double t, const double *y, double *r) {
    double T = pull(b, t, y), N = b->press + b->sway * sin(b->rhythm * t);
    r[0] = y[1];
    r[1] = (b->amplitude * sin(b->frequency * t) - b->damping * y[1] - b->stiffness * y[0] - T) / b->mass;
    r[2] = b->velocity * atanh(T / (b->friction * N));
}

static void runge_kutta(const rubbing *b, double until, int steps, double *y) {
    static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    double h = until / steps;
    for (int i = 0; i < steps; i++) {
        double k[4][3] = {{0}}, sum[3] = {0}, at[3];
        for (int stage = 0; stage < 4; stage++) {
            for (int j = 0; j < 3; j++)
                at[j] = y[j] + (stage > 0 ? part[stage] * h * k[stage - 1][j] : 0);
            rate(b, h * i + part[stage] * h, at, k[stage]);
            for (int j = 0; j < 3; j++)
                sum[j] += weight[stage] * k[stage][j];
        }
        for (int j = 0; j < 3; j++)
            y[j] += h / 6 * sum[j];
    }
}

/* Fourth order: what differs between 20000 steps and 40000 is 15 times the error of the latter. */
static void random_motions_are_those_of_another_method(void **state) {
    (void)state;
    random_source random = random_seed(3);
    for (int k = 0; k < 20; k++) {
        rubbing b = draw(&random);
        double end[2], T, coarse[3] = {0}, fine[3] = {0};
        assert_near(run(&b, 6, end, &T), 0, 1e-13); /* rounding of some thousand spans */
        runge_kutta(&b, 6, 20000, coarse);
        runge_kutta(&b, 6, 40000, fine);
        for (int j = 0; j < 2; j++)
            assert_near(end[j], fine[j], fabs(fine[j] - coarse[j]) + 1e-11);
        assert_near(T, -pull(&b, 6, fine), b.spring * fabs(fine[2] - coarse[2]) + 1e-10);
    }
}

/* What is far above `velocity` slides with mu N; at rest under a surface that moves on T tends to mu N tanh(V/velocity). */
static void forces_come_to_their_closed_form(void **state) {
    (void)state;
    for (double velocity = 1e-3; velocity < 1; velocity *= 5) {
        rubbing b = {.mass = 1,
                     .damping = 2,
                     .stiffness = 1,
                     .friction = 0.3,
                     .velocity = velocity,
                     .spring = 20,
                     .surface = 0.5,
                     .frequency = 1,
                     .press = 1.5,
                     .rhythm = 1};
        double end[2], T, expected = 0.45 * tanh(0.5 / velocity);
        run(&b, 60, end, &T);
        /* critical damping: 61 exp(-60) is nothing; beyond 11.4 times `velocity` friction rises by 2^-33 mu N of it */
        assert_near(T, expected, 1e-12 + 0.45 * 0x1p-33 * 0.5 / velocity);
        assert_near(end[0], T, 1e-11);
    }
}

static void a_stiff_spring_leaves_the_law_alone(void **state) {
    (void)state;
    rubbing b = {.mass = 1,
                 .damping = 0.1,
                 .stiffness = 1,
                 .friction = 0.3,
                 .velocity = 0.3,
                 .amplitude = 1,
                 .frequency = 0.8,
                 .press = 1,
                 .sway = 0.4,
                 .rhythm = 1.7};
    double alone[2], one[2], ten[2];
    run(&b, 7, alone, NULL);
    b.spring = 1e3;
    run(&b, 7, one, NULL);
    b.spring = 1e4;
    run(&b, 7, ten, NULL);
    for (int j = 0; j < 2; j++) /* error of order 1/k, and of its square */
        assert_near((one[j] - alone[j]) / (ten[j] - alone[j]), 10, 0.2);
}

/* ---- derivatives ---- */

static void run_from(am_motion *motion, const double *start, double until, double *end) {
    am_step_kind kind = AM_STEP_SPAN;
    GOOD(am_motion_start_state(motion, 0, start, err));
    while (kind != AM_STEP_END)
        GOOD(am_motion_step(motion, until, &kind, err));
    memcpy(end, am_motion_state(motion), 3 * sizeof *end);
}

static void check_derivative(const rubbing *b, const double *start) {
    am_error err = {0};
    am_system *system = make(b);
    am_motion *motion = am_motion_create(system, false, &err);
    double exact[9], end[3];
    assert_int_equal(am_motion_dimension(motion), 3);
    GOOD(am_motion_follow_sensitivity(motion, true, err));
    run_from(motion, start, 4, end);
    memcpy(exact, am_motion_sensitivity(motion), sizeof exact);
    GOOD(am_motion_follow_sensitivity(motion, false, err));
    for (int j = 0; j < 3; j++) {
        double coarse[3], h = 1e-3 * (j == 2 ? 0.1 : 1); /* errors of order h^4 are left, and rounding/h */
        for (int half = 0; half < 2; half++, h *= 0.5) {
            double side[2][3], moved[3];
            for (int k = 0; k < 2; k++) {
                memcpy(moved, start, sizeof moved);
                moved[j] += k ? h : -h;
                run_from(motion, moved, 4, side[k]);
            }
            for (int i = 0; i < 3; i++) {
                double found = (side[1][i] - side[0][i]) / (2 * h);
                if (half)
                    assert_near((4 * found - coarse[i]) / 3, exact[i * 3 + j], 1e-8 * (1 + fabs(found)));
                coarse[i] = found;
            }
        }
    }
    am_motion_free(motion);
    am_system_free(system);
}

static void derivatives_are_those_of_differences(void **state) {
    (void)state;
    random_source random = random_seed(11);
    for (int k = 0; k < 8; k++) {
        rubbing b = draw(&random);
        double limit = b.friction * (b.press - b.sway) / b.spring;
        check_derivative(&b, (double[]){random_between(&random, -0.5, 0.5), random_between(&random, -1, 1),
                                        random_between(&random, -0.5, 0.5) * limit});
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_motions_are_those_of_another_method),
        cmocka_unit_test(forces_come_to_their_closed_form),
        cmocka_unit_test(a_stiff_spring_leaves_the_law_alone),
        cmocka_unit_test(derivatives_are_those_of_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
