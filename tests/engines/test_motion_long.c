/* Long motions. Rounding of large times, and of contacts that do not lie along the coordinates, is not what decides a
 * state of contact.
 *
 * With arguments, `test_motion_long STRUCTURES UNTIL [FIRST]`, so many structures are followed to that time instead,
 * and the program tells how each one ended. */
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
#include "lasting_system.h"
#include "random_system.h"
#include "relatives.h"
#include "system/exact_time.h"

enum { STRUCTURES = CASES(200, 24), RELATIVES = CASES(150, 20) };

/* ---- how a long motion ends ---- */

typedef struct ending {
    am_status status;
    am_error error;
    double reached;
    am_motion_statistics statistics;
} ending;

static ending follow(const plain_system *plain, double from, double until, const double *q, const double *v) {
    ending end = {.reached = from};
    am_system *system = plain_system_create(plain, &end.error);
    am_motion *motion = system ? am_motion_create(system, true, &end.error) : NULL;
    end.status = motion ? am_motion_start(motion, from, q, v, &end.error) : end.error.status;
    am_step_kind kind = AM_STEP_SPAN;
    while (end.status == AM_OK && kind != AM_STEP_END)
        end.status = am_motion_step(motion, until, &kind, &end.error);
    if (motion) {
        end.reached = am_motion_time(motion);
        end.statistics = am_motion_statistics_get(motion);
    }
    am_motion_free(motion);
    am_system_free(system);
    return end;
}

/* The books close, and nothing was violated, to a few thousand roundings. */
static bool ended_well(const ending *end, double until) {
    return end->status == AM_OK && end->reached == until && end->statistics.energy_residual <= 1e-11 &&
           end->statistics.complementarity <= 1e-12;
}

/* A mass on an inclined plane, lifted off and dropped once a period. What its motion is does not depend on where the
 * coordinates point, nor on when it begins. */
static plain_system inclined(bool turned) {
    plain_system plain = plain_system_new(2, 1);
    const double along[2] = {0.8, 0.6}, up[2] = {-0.6, 0.8}, stiffness[4] = {2, 0.3, 0.3, 1.5};
    const double sway[2] = {2.08, -0.6}, R[4] = {0.8, -0.6, 0.6, 0.8};
    memcpy(plain.stiffness, stiffness, sizeof stiffness);
    plain.damping[0] = plain.damping[3] = 0.1;
    memcpy(plain.contact[0].normal, up, sizeof up);
    memcpy(plain.contact[0].tangent, along, sizeof along);
    plain.contact[0].friction = 0.53;
    plain.loads = 2;
    plain.load[0].function = am_function_constant(1);
    plain.load[1].function = am_function_sine(2, 1.58, 0);
    for (size_t i = 0; i < 2; i++) {
        plain.load[0].direction[i] = -up[i];
        plain.load[1].direction[i] = sway[i];
    }
    if (turned) {
        lasting_turn_matrix(R, 2, plain.stiffness);
        lasting_turn_row(R, 2, plain.contact[0].normal);
        lasting_turn_row(R, 2, plain.contact[0].tangent);
        lasting_turn_row(R, 2, plain.load[0].direction);
        lasting_turn_row(R, 2, plain.load[1].direction);
    }
    return plain;
}

static void a_mass_on_an_inclined_plane_goes_on_as_on_a_level_one(void **state) {
    (void)state;
    const double zero[2] = {0, 0}, until = CASES(20000, 4000);
    plain_system plane = inclined(false), level = inclined(true);
    ending on_plane = follow(&plane, 0, until, zero, zero), on_level = follow(&level, 0, until, zero, zero);
    assert_true(ended_well(&on_plane, until));
    assert_true(ended_well(&on_level, until));
    assert_int_equal(on_plane.statistics.state_changes, on_level.statistics.state_changes);
    assert_true(on_plane.statistics.state_changes > until / 2);
    for (double from = 1e3; from < 1e10; from *= 10) { /* once every period of 3.98 it lifts off */
        ending late = follow(&plane, from, from + 400, zero, zero);
        assert_true(ended_well(&late, from + 400));
        assert_in_range(late.statistics.state_changes, 196, 208);
    }
}

static void motions_that_begin_late_do_not_end_early(void **state) {
    (void)state;
    static const double from[] = {0, 1e3, 1e5, 1e7};
    size_t wrong = 0, events = 0;
    for (uint64_t seed = 1; seed <= STRUCTURES; seed++)
        for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
            plain_system plain;
            double q[PLAIN_SIZE], v[PLAIN_SIZE], until = from[i] + 200;
            lasting_system(seed, &plain, q, v);
            lasting_turned(seed, &plain, q, v);
            ending end = follow(&plain, from[i], until, q, v);
            events += end.statistics.events;
            if (ended_well(&end, until))
                continue;
            wrong++;
            print_error("seed %d from %g: t = %.17g, energy residual %g, inequalities %g, %s\n", (int)seed, from[i],
                        end.reached, end.statistics.energy_residual, end.statistics.complementarity,
                        end.status ? end.error.message : "");
        }
    print_message("%zu events\n", events);
    assert_int_equal(wrong, 0);
    assert_true(events > 200 * STRUCTURES);
}

/* ---- next to a switch ---- */

/* A contact closed and at rest, of whose normal force (or of whose friction force, up to its limit) only `rest` is
 * left, under loads that change at once: with a = 0 at q = 0, F = - n N - t T. */
static void next_to_a_switch(uint64_t seed, bool lifts, double rest, plain_system *plain) {
    random_source source = random_seed(60000 + seed);
    size_t n = 2 + seed % 3;
    double q[PLAIN_SIZE] = {0};
    *plain = plain_system_new(n, 1);
    random_definite(&source, n, 0.7, 0.5, plain->mass);
    random_definite(&source, n, 0.4, 3, plain->stiffness);
    plain_contact *contact = &plain->contact[0];
    contact->normal[0] = contact->tangent[1] = 1;
    contact->friction = random_between(&source, 0.1, 0.5);
    double N = lifts ? rest : 1, T = lifts ? 0.3 * contact->friction * rest : contact->friction - rest;
    plain->loads = 3;
    plain->load[0].function = am_function_constant(1);
    plain->load[0].direction[0] = -N;
    plain->load[0].direction[1] = -T;
    for (size_t l = 1; l < 3; l++) {
        plain->load[l].function = am_function_ramp(0, 1);
        for (size_t i = 0; i < n; i++)
            plain->load[l].direction[i] = random_between(&source, -1, 1);
    }
    lasting_turned(seed, plain, q, q);
}

/* There is one motion, whichever side of the switch rounding puts the start on, and however near to it. */
static void what_is_next_to_a_switch_is_decided(void **state) {
    (void)state;
    const double zero[PLAIN_SIZE] = {0};
    size_t wrong = 0;
    for (uint64_t seed = 1; seed <= STRUCTURES; seed++)
        for (int power = 0; power < 4 * 30; power++) {
            plain_system plain;
            double rest = (power % 2 ? -1 : 1) * exp2(-24 - 0.25 * (double)(power / 2 * 2));
            next_to_a_switch(seed, power % 4 < 2, rest, &plain);
            ending end = follow(&plain, 0, 0.01, zero, zero);
            /* its energy is no evidence: where almost nothing moves it is made of roundings */
            if (end.status != AM_OK || end.reached != 0.01 || !(end.statistics.complementarity <= 1e-12)) {
                wrong++;
                print_error("seed %d, %g left: inequalities %g, %s\n", (int)seed, rest, end.statistics.complementarity,
                            end.error.message);
            }
        }
    assert_int_equal(wrong, 0);
}

/* ---- twins ---- */

/* a (n x n) becomes one of two blocks of A (2 n x 2 n). */
static void set_block(size_t n, size_t block, const double *a, double *A) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            A[(block * n + i) * 2 * n + block * n + j] = a[i * n + j];
}

static void shift_row(size_t n, double *row) {
    memcpy(row + n, row, n * sizeof *row);
    memset(row, 0, n * sizeof *row);
}

/* The structure and beside it the same one in other coordinates, under the same loads: contacts m, m + 1, ... do what
 * contacts 0, 1, ... do, but for rounding. */
static plain_system twins(const plain_system *one, const plain_system *turned) {
    plain_system both = plain_system_new(2 * one->n, 2 * one->m);
    memset(both.mass, 0, sizeof both.mass);
    for (size_t block = 0; block < 2; block++) {
        const plain_system *from = block ? turned : one;
        set_block(one->n, block, from->mass, both.mass);
        set_block(one->n, block, from->damping, both.damping);
        set_block(one->n, block, from->stiffness, both.stiffness);
        for (size_t c = 0; c < one->m; c++) {
            plain_contact *contact = &both.contact[block * one->m + c];
            *contact = from->contact[c];
            if (block) {
                shift_row(one->n, contact->normal);
                shift_row(one->n, contact->tangent);
            }
        }
    }
    both.loads = one->loads;
    for (size_t l = 0; l < one->loads; l++) {
        both.load[l] = one->load[l];
        memcpy(both.load[l].direction + one->n, turned->load[l].direction, one->n * sizeof *both.load[l].direction);
    }
    return both;
}

/* The k-th switch among contacts first .. first + m - 1; NULL: there are fewer. */
static const trajectory_event *switch_of(const trajectory *path, size_t first, size_t m, size_t k) {
    for (size_t i = 0; i < path->count; i++)
        if (path->events[i].contact >= first && path->events[i].contact < first + m && k-- == 0)
            return &path->events[i];
    return NULL;
}

static void assert_same_switch(uint64_t seed, const trajectory_event *a, const trajectory_event *b, size_t m) {
    if (b->contact - m != a->contact || b->from != a->from || b->to != a->to || b->cause != a->cause)
        fail_msg("structure %d at t = %.17g: contact %zu from %s to %s by %s, its twin from %s to %s by %s", (int)seed,
                 a->t, a->contact, am_contact_state_name(a->from), am_contact_state_name(a->to),
                 am_cause_name(a->cause), am_contact_state_name(b->from), am_contact_state_name(b->to),
                 am_cause_name(b->cause));
}

/* Limits that are reached at the same instant are reached by each: that one of them is met first, by rounding, does not
 * make the others follow it. The first switches are compared, before rounding has grown. */
static void twins_switch_for_the_same_cause(void **state) {
    (void)state;
    enum { MEMBERS = CASES(200, 40), FIRST = 6 };
    size_t at_once = 0, compared = 0;
    trajectory *path = malloc(sizeof *path);
    assert_non_null(path);
    for (uint64_t seed = 1; seed <= MEMBERS; seed++) {
        plain_system one, turned;
        double q[PLAIN_SIZE] = {0}, v[PLAIN_SIZE] = {0}, turned_q[PLAIN_SIZE] = {0}, turned_v[PLAIN_SIZE] = {0};
        lasting_system(seed, &one, q, v);
        lasting_system(seed, &turned, turned_q, turned_v);
        lasting_turned(seed, &turned, turned_q, turned_v);
        memcpy(q + one.n, turned_q, one.n * sizeof *q);
        memcpy(v + one.n, turned_v, one.n * sizeof *v);
        plain_system both = twins(&one, &turned);
        trajectory_run(&both, 0.0, 20.0, q, v, 2 * FIRST * one.m, NULL, NULL, path);
        for (size_t k = 0; k < FIRST; k++) {
            const trajectory_event *a = switch_of(path, 0, one.m, k), *b = switch_of(path, one.m, one.m, k);
            if (!a || !b || !(fabs(a->t - b->t) <= 1e-9)) /* one that is about to come */
                break;
            assert_same_switch(seed, a, b, one.m);
            compared++;
            at_once += a->t == b->t;
        }
    }
    free(path);
    print_message("twins: %zu switches compared, %zu at the same instant\n", compared, at_once);
    assert_true(compared > 2 * MEMBERS && at_once > MEMBERS / 2);
}

/* ---- relatives ---- */

/* Starts on the same state, events at the same times. */
typedef void relate(uint64_t seed, plain_system *plain, double *q, double *v, double *from, relation *how);

static void check_relatives(relate *change, const char *name) {
    static const double until = 60;
    relatives *r = malloc(sizeof *r);
    assert_non_null(r);
    size_t compared = 0, wrong = 0;
    for (uint64_t seed = 1; seed <= RELATIVES; seed++) {
        plain_system plain, moved;
        double q[PLAIN_SIZE], v[PLAIN_SIZE], mq[PLAIN_SIZE], mv[PLAIN_SIZE], from = 0;
        lasting_system(seed, &plain, q, v);
        trajectory_run(&plain, 0, until, q, v, 0, NULL, NULL, &r->base);
        relatives_nudge(&plain, q, v, &moved, mq, mv);
        trajectory_run(&moved, 0, until, mq, mv, 0, NULL, NULL, &r->moved);
        relation how = {0};
        change(seed, &plain, q, v, &from, &how);
        trajectory_run(&plain, from, from + until, q, v, 0, NULL, NULL, &r->other);
        int count = relatives_compare(r, &how);
        if (count < 0 || r->other.status != AM_OK || r->base.status != AM_OK) {
            wrong++;
            print_error("%s, seed %d: ", name, (int)seed);
            relatives_print(r, &how);
        } else {
            compared += (size_t)count;
        }
    }
    free(r);
    print_message("%s: %zu events compared\n", name, compared);
    assert_int_equal(wrong, 0);
    assert_true(compared > 20 * RELATIVES);
}

/* In other coordinates. */
static void turned(uint64_t seed, plain_system *plain, double *q, double *v, double *from, relation *how) {
    (void)from, (void)how;
    lasting_turned(seed, plain, q, v);
}

/* frequency t, less whole turns, to rounding: the product and a turn are known to twice the digits of a number. */
static double phase_after(double frequency, double t) {
    const double turn = 0x1.921fb54442d18p2, turn_low = 0x1.1a62633145c07p-52;
    double angle_low, turns_low, angle = am_exact_product(frequency, t, &angle_low);
    double count = rint(angle / turn), turns = am_exact_product(count, turn, &turns_low);
    return (angle - turns) + (angle_low - turns_low - count * turn_low);
}

static void shift_function(am_function *f, double shift) {
    if (f->kind == AM_FUNCTION_SINE)
        f->phase -= phase_after(f->frequency, shift);
    if (f->kind == AM_FUNCTION_PULSE || f->kind == AM_FUNCTION_IMPULSE)
        f->start += shift;
    if (f->kind == AM_FUNCTION_RAMP)
        f->value -= f->rate * shift;
}

/* More than 1e5 units of time later, and in other coordinates. */
static void later(uint64_t seed, plain_system *plain, double *q, double *v, double *from, relation *how) {
    const double shift = 0x1p17;
    *from = how->time_shift = shift;
    how->time_rounding = 0x1p-36; /* distance of the numbers there */
    lasting_turned(seed, plain, q, v);
    for (size_t l = 0; l < plain->loads; l++) {
        shift_function(&plain->load[l].function, shift);
        for (size_t i = 0; i < PLAIN_TABLE; i++)
            plain->load[l].times[i] += shift;
    }
    for (size_t c = 0; c < plain->m; c++)
        shift_function(&plain->contact[c].hold, shift);
}

static void motions_in_turned_coordinates_are_the_same(void **state) {
    (void)state;
    check_relatives(turned, "turned");
}

static void motions_that_begin_late_are_the_same(void **state) {
    (void)state;
    check_relatives(later, "later");
}

/* ---- the campaign ---- */

static int campaign(size_t structures, double until, uint64_t first) {
    size_t ended = 0, events = 0;
    for (uint64_t seed = first; seed < first + structures; seed++) {
        plain_system plain;
        double q[PLAIN_SIZE], v[PLAIN_SIZE];
        lasting_system(seed, &plain, q, v);
        lasting_turned(seed, &plain, q, v);
        ending end = follow(&plain, 0, until, q, v);
        const am_motion_statistics *s = &end.statistics;
        events += s->events;
        ended += end.status == AM_OK;
        printf("%3d: n %zu m %zu t %.6g events %zu spans %zu grazes %zu impacts %zu zeno %zu choices %zu energy %.1e "
               "inequalities %.1e %s\n",
               (int)seed, plain.n, plain.m, end.reached, s->events, s->spans, s->grazes, s->impacts, s->zeno,
               s->static_choices, s->energy_residual, s->complementarity, end.status ? end.error.message : "");
        fflush(stdout);
    }
    printf("%zu of %zu reached t = %g, with %zu events\n", ended, structures, until, events);
    return ended < structures;
}

int main(int argc, char **argv) {
    if (argc > 2)
        return campaign((size_t)atol(argv[1]), atof(argv[2]), argc > 3 ? (uint64_t)atol(argv[3]) : 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twins_switch_for_the_same_cause),
        cmocka_unit_test(a_mass_on_an_inclined_plane_goes_on_as_on_a_level_one),
        cmocka_unit_test(motions_that_begin_late_do_not_end_early),
        cmocka_unit_test(what_is_next_to_a_switch_is_decided),
        cmocka_unit_test(motions_in_turned_coordinates_are_the_same),
        cmocka_unit_test(motions_that_begin_late_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
