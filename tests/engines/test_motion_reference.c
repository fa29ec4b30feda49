/* The motion engine against an independent computation in 128 bits: same events, times to 1e-12.
 *
 * No computation in doubles can do better than the trajectory's own amplification of errors allows. It is measured: the
 * reference runs twice, the second time with all data, and the state after every event, changed by 1e-27, and events
 * are compared as long as a change of the data by rounding (2^-53, times 8 for the errors of many operations) moves
 * them by less than 1e-12. */
/* ctest: long */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"
#include "random_system.h"
#include "trajectory.h"

#define ROOM 2000

static const double time_tolerance = 1e-12;
static const double perturbation = 1e-27;
static const double rounding = 8 * 0x1p-53;

typedef struct comparison {
    size_t compared;
    double worst_time, worst_place; /* relative errors met */
    double amplification;
    bool complete; /* every event of the reference was compared */
    bool fine;     /* and found equal */
    reference_status status;
} comparison;

typedef struct workspace {
    reference_event exact[ROOM], moved[ROOM];
    trajectory engine;
} workspace;

static const char *state_name(am_contact_state state) {
    return am_contact_state_name(state);
}

static void print_sequences(const char *name, const reference_result *exact, const trajectory *engine) {
    print_error("%s: engine: %s %s\n", name, am_status_text(engine->status),
                engine->status ? engine->error.message : "");
    print_error("   reference: %s at %.17g\n", reference_status_text(exact->status), exact->failed_at);
    for (size_t i = 0; i < exact->count || i < engine->count; i++) {
        if (i < exact->count)
            print_error("   reference %.17g contact %zu %s-%s-%s", exact->events[i].t, exact->events[i].contact,
                        state_name(exact->events[i].from), state_name(exact->events[i].during),
                        state_name(exact->events[i].to));
        if (i < engine->count)
            print_error("   engine %.17g contact %zu %s-%s-%s %s", engine->events[i].t, engine->events[i].contact,
                        state_name(engine->events[i].from), state_name(engine->events[i].during),
                        state_name(engine->events[i].to), am_cause_name(engine->events[i].cause));
        print_error("\n");
    }
}

static double largest(const double *x, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* Errors of a state just after an event, relative to the largest displacement and velocity so far. */
static double place_error(size_t n, const double *q1, const double *v1, const double *q2, const double *v2,
                          double q_scale, double v_scale) {
    double error = 0;
    for (size_t i = 0; i < n; i++)
        error = fmax(error, fmax(fabs(q1[i] - q2[i]) / q_scale, fabs(v1[i] - v2[i]) / v_scale));
    return error;
}

/* How far the perturbed run's event is from the exact one, per unit of perturbation; INFINITY when it is another event.
 */
static double amplification_at(const reference_event *exact, const reference_event *moved) {
    if (exact->contact != moved->contact || exact->from != moved->from || exact->to != moved->to)
        return INFINITY;
    double shift = (moved->t - exact->t) + (moved->t_low - exact->t_low);
    return fabs(shift) / fmax(fabs(exact->t), 0.1) / perturbation;
}

/* Where the reference ends well the engine must, with as many events; where it finds no or several states, so must the
 * engine. */
static bool same_ending(const char *name, const reference_result *exact, const trajectory *engine) {
    am_status wanted = AM_OK;
    switch (exact->status) {
    case REFERENCE_OK:
        break;
    case REFERENCE_NO_STATE:
    case REFERENCE_NO_IMPACT:
        wanted = AM_ERR_NO_STATE;
        break;
    case REFERENCE_SEVERAL_STATES:
    case REFERENCE_SEVERAL_IMPACTS:
        wanted = AM_ERR_SEVERAL_STATES;
        break;
    default:
        return exact->status == REFERENCE_DENSE;
    }
    bool same = engine->status == wanted && engine->count == exact->count;
    if (!same)
        print_error("%s: the engine ends with %zu events and \"%s\", the reference with %zu and \"%s\"\n", name,
                    engine->count, am_status_text(engine->status), exact->count, reference_status_text(exact->status));
    return same;
}

static comparison compare(const char *name, const plain_system *plain, const reference_options *given) {
    workspace *work = calloc(1, sizeof *work);
    assert_non_null(work);
    reference_options options = *given;
    reference_result exact = {.room = ROOM, .events = work->exact}, moved = {.room = ROOM, .events = work->moved};
    reference_run(plain, &options, &exact);
    options.perturbation = perturbation;
    reference_run(plain, &options, &moved);
    trajectory *engine = &work->engine;
    trajectory_run(plain, options.from, options.until, options.q, options.v, 0, NULL, NULL, engine);

    comparison result = {.complete = true, .status = exact.status};
    double q_scale = fmax(largest(options.q, plain->n), 1e-3), v_scale = fmax(largest(options.v, plain->n), 1e-3);
    bool started = exact.status == REFERENCE_OK || exact.failed_at > options.from;
    bool fine = !started || memcmp(exact.initial, engine->initial, plain->m * sizeof exact.initial[0]) == 0;
    if (!fine)
        print_error("%s: different states at the start\n", name);
    for (size_t i = 0; i < exact.count && fine; i++) {
        const reference_event *want = &exact.events[i];
        result.amplification =
            fmax(result.amplification, i < moved.count ? amplification_at(want, &moved.events[i]) : INFINITY);
        if (!(result.amplification * rounding <= time_tolerance)) {
            result.complete = false;
            break;
        }
        if (i >= engine->count) {
            print_error("%s: event %zu is missing\n", name, i);
            fine = false;
            break;
        }
        const trajectory_event *got = &engine->events[i];
        q_scale = fmax(q_scale, largest(want->q, plain->n));
        v_scale = fmax(v_scale, largest(want->v, plain->n));
        double time_error = fabs(got->t - want->t) / fmax(fabs(want->t), 0.1);
        double place = place_error(plain->n, want->q, want->v, got->q, got->v, q_scale, v_scale);
        result.worst_time = fmax(result.worst_time, time_error);
        result.worst_place = fmax(result.worst_place, place);
        bool same = got->contact == want->contact && got->from == want->from && got->to == want->to;
        /* Places: an error in time moves them by the acceleration, which is a few times the velocity scale. */
        if (!same || !(time_error <= time_tolerance) || !(place <= 20 * time_tolerance)) {
            print_error("%s: event %zu: %s, time error %g, place error %g\n", name, i, same ? "same" : "different",
                        time_error, place);
            fine = false;
        }
        result.compared++;
    }
    if (fine && result.complete && !same_ending(name, &exact, engine))
        fine = false;
    if (!fine)
        print_sequences(name, &exact, engine);
    result.fine = fine;
    free(work);
    return result;
}

static void compare_completely(const char *name, const plain_system *plain, const reference_options *options,
                               size_t least) {
    comparison result = compare(name, plain, options);
    assert_true(result.fine);
    assert_int_equal(result.status, REFERENCE_OK);
    assert_true(result.complete);
    assert_true(result.compared >= least);
}

static void figure_4a_agrees(void **state) {
    (void)state;
    plain_system plain = plain_klarbring(0.25, -1, -0.8);
    reference_options options = {.until = 38};
    comparison result = compare("fig4a", &plain, &options);
    assert_true(result.fine);
    assert_true(result.complete);
    assert_int_equal(result.compared, 1);
}

static void figure_4b_agrees(void **state) {
    (void)state;
    plain_system plain = plain_klarbring(0.25, -1, -0.99);
    reference_options options = {.until = 38};
    compare_completely("fig4b", &plain, &options, 5);
    trajectory *engine = calloc(1, sizeof *engine);
    assert_non_null(engine);
    trajectory_run(&plain, 0, 38, options.q, options.v, 0, NULL, NULL, engine);
    size_t changes = engine->statistics.state_changes;
    double lift_off = engine->events[0].t;
    free(engine);
    assert_int_equal(changes, 9);
    assert_true(fabs(lift_off - 3.580010) <= 5e-7);
}

static void figure_5_agrees(void **state) {
    (void)state;
    plain_system plain = plain_klarbring(0.25, 1, 0.7);
    reference_options options = {.until = 60};
    compare_completely("fig5", &plain, &options, 1);
}

/* Above the critical friction, starts as in Fig. 6: velocities around zero, load along the bisector of the triple
 * sector. */
static void starts_of_figure_6_agree(void **state) {
    (void)state;
    size_t compared = 0, wrong = 0;
    for (int i = -4; i <= 4; i++)
        for (int j = -4; j <= 4; j += CASES(1, 4)) {
            plain_system plain = plain_klarbring(1.25, -0.7452, -0.6669);
            reference_options options = {.until = 25, .v = {0.37 * i + 0.01, 0.29 * j}};
            char name[64];
            snprintf(name, sizeof name, "fig6 (%d, %d)", i, j);
            comparison result = compare(name, &plain, &options);
            compared += result.compared;
            wrong += !result.fine;
        }
    print_message("%zu events compared\n", compared);
    assert_int_equal(wrong, 0);
    assert_true(compared >= CASES(60, 20));
}

static void static_and_kinetic_friction_agree(void **state) {
    (void)state;
    plain_system plain = plain_klarbring(0.2, 0.3, -0.1);
    plain.contact[0].static_friction = 0.5;
    plain.load[1].function.value = -1;
    reference_options options = {.until = 40};
    compare_completely("static/kinetic", &plain, &options, 4);
}

static void restitution_agrees(void **state) {
    (void)state;
    plain_system plain = plain_klarbring(0.25, -1, -0.99);
    plain.contact[0].restitution = 0.5;
    plain.load[1].function.value = 0.1;
    reference_options options = {.until = 38, .closest = 1e-4, .q = {0, 0.5}};
    comparison result = compare("restitution", &plain, &options);
    assert_true(result.fine);
    assert_true(result.compared >= 5);
}

static void damping_agrees(void **state) {
    (void)state;
    plain_system plain = plain_klarbring(0.25, -1, -0.99);
    const double damping[4] = {0.02, 0.005, 0.005, 0.03};
    memcpy(plain.damping, damping, sizeof damping);
    reference_options options = {.until = 38};
    compare_completely("damping", &plain, &options, 3);
}

/* The classical stick-slip oscillator on a belt. */
static void belt_agrees(void **state) {
    (void)state;
    plain_system plain = plain_klarbring(0.3, 0, 0);
    plain.contact[0].static_friction = 0.6;
    plain.contact[0].surface_velocity = 0.5;
    plain.load[1].function = (am_function){.kind = AM_FUNCTION_CONSTANT, .value = -1.5};
    reference_options options = {.until = 60, .v = {0.5, 0}};
    compare_completely("belt", &plain, &options, 10);
}

/* All kinds of contacts, loads and starts. */
static void random_systems_agree(void **state) {
    (void)state;
    size_t compared = 0, complete = 0, failures = 0, wrong = 0, count = CASES(150, 30);
    double worst_time = 0, worst_place = 0;
    random_options kinds = random_options_default(4, 2);
    for (uint64_t seed = 1; seed <= count; seed++) {
        plain_system plain;
        kinds.piecewise = seed % 3 == 0;
        reference_options options = {.until = 15, .closest = 1e-4};
        random_system(seed, &kinds, &plain, options.q, options.v);
        char name[64];
        snprintf(name, sizeof name, "random system, seed %d", (int)seed);
        comparison result = compare(name, &plain, &options);
        compared += result.compared;
        complete += result.complete;
        wrong += !result.fine;
        failures += result.status == REFERENCE_NO_STATE || result.status == REFERENCE_SEVERAL_STATES;
        worst_time = fmax(worst_time, result.worst_time);
        worst_place = fmax(worst_place, result.worst_place);
    }
    print_message("%zu events of %zu systems, %zu of them complete, %zu without unique state; worst time error %.2g, "
                  "place %.2g\n",
                  compared, count, complete, failures, worst_time, worst_place);
    assert_int_equal(wrong, 0);
    assert_true(compared > CASES(1000, 150));
    assert_true(complete > count * 8 / 10);
}

/* Friction far above what steel has: some motions run into a paradox. Engine and reference must find the same ones, at
 * the same time. */
static void paradoxes_agree(void **state) {
    (void)state;
    size_t wrong = 0, paradoxes = 0;
    random_options kinds = random_options_default(4, 2);
    kinds.friction = 12;
    kinds.restitution = kinds.static_kinetic = 0;
    for (uint64_t seed = 3000; seed < 3000 + CASES(80, 20); seed++) {
        plain_system plain;
        reference_options options = {.until = 10, .closest = 1e-4};
        random_system(seed, &kinds, &plain, options.q, options.v);
        char name[64];
        snprintf(name, sizeof name, "much friction, seed %d", (int)seed);
        comparison result = compare(name, &plain, &options);
        wrong += !result.fine;
        paradoxes += result.complete && result.status != REFERENCE_OK && result.status != REFERENCE_DENSE;
    }
    print_message("%zu paradoxes\n", paradoxes);
    assert_int_equal(wrong, 0);
    assert_true(paradoxes >= CASES(5, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_4a_agrees),
        cmocka_unit_test(figure_4b_agrees),
        cmocka_unit_test(figure_5_agrees),
        cmocka_unit_test(starts_of_figure_6_agree),
        cmocka_unit_test(static_and_kinetic_friction_agree),
        cmocka_unit_test(restitution_agrees),
        cmocka_unit_test(damping_agrees),
        cmocka_unit_test(belt_agrees),
        cmocka_unit_test(random_systems_agree),
        cmocka_unit_test(paradoxes_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
