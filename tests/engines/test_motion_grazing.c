/* A switching quantity that comes within 1e-9 of zero, exactly to zero, or 1e-9 past it: each decided correctly, 200
 * times out of 200, for every kind of switching quantity. All cases have closed forms and are built from numbers that
 * make tangency exact in the data. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_system.h"
#include "trajectory.h"

enum { CASES = 200 };

static const double pi = 3.14159265358979323846;
static const double margin = 1e-9;

/* One graze: the first minimum is at `at`; the quantity there is a (1 - cos w(t - at)) + depth. Minima repeat with the
 * period. */
typedef struct grazing {
    plain_system plain;
    double q[2], v[2];
    double amplitude, frequency, at;
    am_contact_state state; /* before */
    am_contact_state to;    /* after, when it switches */
} grazing;

typedef grazing grazing_builder(random_source *source, double relative_depth, double *depth);

static am_function constant(double value) {
    return (am_function){.kind = AM_FUNCTION_CONSTANT, .value = value};
}

/* One mass above a plane, both directions on their own spring. */
static plain_system block(random_source *source) {
    plain_system plain = plain_system_new(2, 1);
    plain.mass[0] = plain.mass[3] = random_between(source, 0.3, 3);
    plain.stiffness[0] = random_between(source, 0.3, 3);
    plain.stiffness[3] = random_between(source, 0.3, 3);
    plain.contact[0].tangent[0] = 1;
    plain.contact[0].normal[1] = 1;
    plain.contact[0].friction = 0.5;
    return plain;
}

static void add_load(plain_system *plain, size_t coordinate, double direction, am_function function) {
    plain_load *load = &plain->load[plain->loads++];
    load->direction[coordinate] = direction;
    load->function = function;
}

/* Swinging freely above the plane: gap = gap0 + a cos wt. */
static grazing gap_grazes(random_source *source, double relative_depth, double *depth) {
    grazing g = {.plain = block(source), .state = AM_OPEN, .to = AM_OPEN};
    g.amplitude = random_between(source, 0.3, 3);
    g.q[0] = random_between(source, -1, 1);
    g.q[1] = g.amplitude;
    g.plain.contact[0].gap = g.amplitude * (1 + relative_depth);
    *depth = g.plain.contact[0].gap - g.amplitude;
    g.frequency = sqrt(g.plain.stiffness[3] / g.plain.mass[3]);
    g.at = pi / g.frequency;
    return g;
}

/* Load a sin(wt + phase) whose first maximum comes after some wait. */
static am_function swelling(random_source *source, grazing *g) {
    g->frequency = random_between(source, 0.3, 3);
    double phase = random_between(source, -1.5, 1);
    g->at = (pi / 2 - phase) / g->frequency;
    return (am_function){
        .kind = AM_FUNCTION_SINE, .amplitude = g->amplitude, .frequency = g->frequency, .phase = phase};
}

/* Pressed down by p, pulled up by a sine of amplitude a: N = p - a sin. Sliding fast over the plane. */
static grazing force_of_sliding_contact_grazes(random_source *source, double relative_depth, double *depth) {
    grazing g = {.plain = block(source), .state = AM_FORWARD, .to = AM_OPEN};
    g.amplitude = random_between(source, 0.3, 3);
    double pressure = g.amplitude * (1 + relative_depth);
    *depth = pressure - g.amplitude;
    add_load(&g.plain, 1, 1, swelling(source, &g));
    add_load(&g.plain, 1, -1, constant(pressure));
    g.plain.contact[0].surface_velocity = -50;
    return g;
}

/* The same at rest; the two friction limits vanish with N. */
static grazing force_of_resting_contact_grazes(random_source *source, double relative_depth, double *depth) {
    grazing g = force_of_sliding_contact_grazes(source, relative_depth, depth);
    g.state = AM_STICK;
    g.plain.contact[0].surface_velocity = 0;
    return g;
}

/* At rest under constant pressure 2 a with friction 1/2, pulled sideways by a sine of amplitude a. */
static grazing friction_limit_grazes(random_source *source, double relative_depth, double *depth) {
    grazing g = {.plain = block(source), .state = AM_STICK};
    g.amplitude = random_between(source, 0.3, 3);
    double limit = g.amplitude * (1 + relative_depth);
    *depth = limit - g.amplitude;
    double side = random_chance(source, 0.5) ? 1 : -1;
    g.to = side > 0 ? AM_FORWARD : AM_BACKWARD;
    add_load(&g.plain, 0, side, swelling(source, &g));
    add_load(&g.plain, 1, -2, constant(limit));
    if (random_chance(source, 0.5))
        g.plain.contact[0].normal_law = AM_HELD, g.plain.contact[0].hold = constant(2 * limit);
    return g;
}

/* Sliding under a growing load: velocity r (1 + cos wt), over a surface that moves with -depth. The stiffness is a
 * power of 2 and the friction force is twice the number 1/2 of something, so that load rate and start are exact. */
static grazing sliding_velocity_grazes(random_source *source, double relative_depth, double *depth) {
    grazing g = {.plain = block(source), .state = AM_FORWARD, .to = AM_STICK};
    g.plain.stiffness[0] = random_chance(source, 0.5) ? 1 : 2;
    g.amplitude = random_between(source, 0.3, 3);
    double pressure = random_between(source, 0.3, 3);
    *depth = g.amplitude * relative_depth;
    g.plain.contact[0].surface_velocity = -*depth;
    add_load(&g.plain, 1, -1, constant(pressure));
    add_load(
        &g.plain, 0, 1,
        (am_function){.kind = AM_FUNCTION_RAMP, .value = pressure / 2, .rate = g.amplitude * g.plain.stiffness[0]});
    g.v[0] = 2 * g.amplitude;
    g.frequency = sqrt(g.plain.stiffness[0] / g.plain.mass[0]);
    g.at = pi / g.frequency;
    return g;
}

/* A slip that begins from rest when a growing load reaches the limit: it touches zero one period later, and again. */
static grazing slip_from_rest_grazes(random_source *source, double relative_depth, double *depth) {
    grazing g = sliding_velocity_grazes(source, relative_depth, depth);
    g.state = AM_FORWARD;
    g.v[0] = 0;
    g.at = 2 * pi / g.frequency;
    return g;
}

typedef struct tally {
    int right;
    double worst; /* error of the switching time */
} tally;

static void complain(int number, double relative_depth, const trajectory *run) {
    print_error("case %d, depth %g: %s %s, %zu events, %zu grazes, start %s", number, relative_depth,
                am_status_text(run->status), run->status ? run->error.message : "", run->count, run->statistics.grazes,
                am_contact_state_name(run->initial[0]));
    for (size_t i = 0; i < run->count && i < 3; i++)
        print_error("; %.17g %s-%s %s", run->events[i].t, am_contact_state_name(run->events[i].from),
                    am_contact_state_name(run->events[i].to), am_cause_name(run->events[i].cause));
    print_error("\n");
}

/* Passes three minima. relative_depth > 0: clear of zero; 0: tangent. Neither may switch; tangencies must be counted,
 * clear passes not. */
static tally stays(grazing_builder *build, double relative_depth, uint64_t seed) {
    tally result = {0};
    trajectory *run = malloc(sizeof *run);
    assert_non_null(run);
    random_source source = random_seed(seed);
    for (int i = 0; i < CASES; i++) {
        double depth;
        grazing g = build(&source, relative_depth, &depth);
        double until = g.at + 2.5 * 2 * pi / g.frequency;
        trajectory_run(&g.plain, 0, until, g.q, g.v, 0, NULL, NULL, run);
        bool right = run->status == AM_OK && run->initial[0] == g.state && run->final[0] == g.state && run->count == 0;
        right = right && (relative_depth > 0 ? run->statistics.grazes == 0 : run->statistics.grazes >= 3);
        result.right += right;
        if (!right && result.right > i - 3)
            complain(i, relative_depth, run);
    }
    free(run);
    return result;
}

/* Dips below zero by `margin` times the amplitude: must switch, at the root of a (1 - cos w(t - at)) = |depth|. */
static tally switches(grazing_builder *build, uint64_t seed) {
    tally result = {0};
    trajectory *run = malloc(sizeof *run);
    assert_non_null(run);
    random_source source = random_seed(seed);
    for (int i = 0; i < CASES; i++) {
        double depth;
        grazing g = build(&source, -margin, &depth);
        double time = g.at - 2 * asin(sqrt(-depth / (2 * g.amplitude))) / g.frequency;
        trajectory_run(&g.plain, 0, g.at + pi / g.frequency, g.q, g.v, 1, NULL, NULL, run);
        double error = run->count > 0 ? fabs(run->events[0].t - time) / time : INFINITY;
        /* The slope there is sqrt(2 margin) = 4.5e-5 of the scales: an error of a few 1e-16 in the value is a few 1e-11
         * in time. */
        bool right = run->count == 1 && run->initial[0] == g.state && run->events[0].from == g.state &&
                     run->events[0].to == g.to && error <= 1e-10;
        result.right += right;
        if (error < 1)
            result.worst = fmax(result.worst, error);
        if (!right && result.right > i - 3)
            complain(i, -margin, run);
    }
    free(run);
    return result;
}

static void check_clear(grazing_builder *build) {
    assert_int_equal(stays(build, margin, 11).right, CASES);
}

static void check_tangent(grazing_builder *build) {
    assert_int_equal(stays(build, 0, 12).right, CASES);
}

static void check_overshoot(grazing_builder *build) {
    tally result = switches(build, 13);
    print_message("worst relative error of the switching time %.2g\n", result.worst);
    assert_int_equal(result.right, CASES);
}

#define THREE_TESTS(builder)                                                                                           \
    static void builder##_by_1e_9_and_stays(void **state) {                                                            \
        (void)state;                                                                                                   \
        check_clear(builder);                                                                                          \
    }                                                                                                                  \
    static void builder##_exactly_and_stays(void **state) {                                                            \
        (void)state;                                                                                                   \
        check_tangent(builder);                                                                                        \
    }                                                                                                                  \
    static void builder##_1e_9_too_far_and_switches(void **state) {                                                    \
        (void)state;                                                                                                   \
        check_overshoot(builder);                                                                                      \
    }

THREE_TESTS(gap_grazes)
THREE_TESTS(force_of_sliding_contact_grazes)
THREE_TESTS(force_of_resting_contact_grazes)
THREE_TESTS(friction_limit_grazes)
THREE_TESTS(sliding_velocity_grazes)

static void slip_from_rest_touches_zero_and_goes_on(void **state) {
    (void)state;
    check_tangent(slip_from_rest_grazes);
}

#define RUN_THREE(builder)                                                                                             \
    cmocka_unit_test(builder##_by_1e_9_and_stays), cmocka_unit_test(builder##_exactly_and_stays),                      \
        cmocka_unit_test(builder##_1e_9_too_far_and_switches)

int main(void) {
    const struct CMUnitTest tests[] = {
        RUN_THREE(gap_grazes),
        RUN_THREE(force_of_sliding_contact_grazes),
        RUN_THREE(force_of_resting_contact_grazes),
        RUN_THREE(friction_limit_grazes),
        RUN_THREE(sliding_velocity_grazes),
        cmocka_unit_test(slip_from_rest_touches_zero_and_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
