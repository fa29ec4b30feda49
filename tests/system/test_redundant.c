/* Contacts whose directions depend on each other: several pads in the place of one, feet of rigid blocks, joints with
 * more contacts than directions. What they do together is compared with a structure that has fewer of them and moves in
 * the same way, or with the limit load of plasticity. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/orbit.h"
#include "cases.h"
#include "errors.h"
#include "near.h"
#include "pads.h"
#include "random_system.h"
#include "trajectory.h"

/* ---- several pads in the place of one contact ---- */

static void check_labels(const plain_system *one, const plain_system *many, const size_t *whole,
                         const am_contact_state *single, const am_contact_state *pads) {
    for (size_t p = 0; p < many->m; p++)
        assert_int_equal(pads_seen(&many->contact[p], &one->contact[whole[p]], one->n, pads[p]), single[whole[p]]);
}

/* Every change of the single contact is one of each of its pads, at the same time. */
static void check_events(const plain_system *one, const plain_system *many, const size_t *whole,
                         const trajectory *single, const trajectory *pads, double tolerance) {
    for (size_t p = 0; p < many->m; p++) {
        size_t next = 0;
        for (size_t i = 0; i < single->count; i++) {
            const trajectory_event *wanted = &single->events[i];
            if (wanted->contact != whole[p])
                continue;
            while (next < pads->count && pads->events[next].contact != p)
                next++;
            assert_true(next < pads->count);
            const trajectory_event *got = &pads->events[next++];
            assert_near(got->t, wanted->t, tolerance);
            assert_int_equal(pads_seen(&many->contact[p], &one->contact[whole[p]], one->n, got->from), wanted->from);
            assert_int_equal(pads_seen(&many->contact[p], &one->contact[whole[p]], one->n, got->to), wanted->to);
        }
    }
}

/* Motions of a dozen time units amplify rounding by some thousands. */
static const double same_time = 1e-9;

static void pads_move_as_one_contact_does(void **state) {
    (void)state;
    size_t compared = 0, changes = 0, shared = 0;
    static trajectory single, pads;
    for (uint64_t seed = 0; seed < CASES(300, 40); seed++) {
        static const size_t sizes[][2] = {{2, 1}, {3, 1}, {4, 2}, {5, 2}, {6, 3}};
        const size_t *size = sizes[seed % 5];
        random_options kinds = random_options_default(size[0], size[1]);
        plain_system one, many;
        size_t whole[PLAIN_CONTACTS];
        double q[PLAIN_SIZE], v[PLAIN_SIZE];
        kinds.piecewise = seed % 2 == 0;
        kinds.held = seed % 3 == 0 ? 0.2 : 0.8;
        random_system(70000 + seed, &kinds, &one, q, v);
        random_source source = random_seed(80000 + seed);
        pads_divide(&source, &one, PLAIN_CONTACTS, &many, whole);
        if (!pads_divided(&one, &many))
            continue;
        trajectory_run(&one, 0, 12, q, v, 0, NULL, NULL, &single);
        trajectory_run(&many, 0, 12, q, v, 0, NULL, NULL, &pads);
        if (single.status) { /* refused for good reasons: rigid contact has no answer */
            assert_int_not_equal(pads.status, AM_OK);
            continue;
        }
        if (pads.status)
            fail_msg("structure %zu: %s", (size_t)seed, pads.error.message);
        compared++;
        changes += single.count;
        shared += pads.statistics.indeterminate;
        assert_int_equal(single.statistics.indeterminate, false);
        for (size_t i = 0; i < one.n; i++) {
            assert_near(pads.q[i], single.q[i], same_time);
            assert_near(pads.v[i], single.v[i], same_time);
        }
        check_labels(&one, &many, whole, single.initial, pads.initial);
        check_labels(&one, &many, whole, single.final, pads.final);
        check_events(&one, &many, whole, &single, &pads, same_time);
    }
    assert_true(compared > CASES(200, 25) && changes > 5 * compared && shared > compared / 2);
}

/* ---- orbits ---- */

/* One or two masses on a belt, or shaken, held by a contact each. */
static void random_oscillator(random_source *source, plain_system *plain) {
    size_t n = 1 + random_index(source, 2);
    bool belt = random_chance(source, 0.5);
    *plain = plain_system_new(n, n);
    for (size_t i = 0; i < n; i++) {
        plain->mass[i * n + i] = random_between(source, 0.8, 1.2);
        plain->damping[i * n + i] = random_between(source, 0.02, 0.1);
        for (size_t j = 0; j < n; j++)
            plain->stiffness[i * n + j] = i == j ? 2 : -0.7;
        plain_contact *contact = &plain->contact[i];
        contact->tangent[i] = 1;
        contact->normal[i] = 0.3; /* the structure is pressed out of its place a little */
        contact->normal_law = AM_HELD;
        contact->hold = (am_function){.kind = AM_FUNCTION_RAMP, .value = random_between(source, 0.5, 1)};
        contact->friction = random_between(source, 0.2, 0.4);
        contact->static_friction = contact->friction * (belt || random_chance(source, 0.5) ? 1.5 : 1);
        contact->surface_velocity = belt ? 0.2 : 0;
    }
    plain->loads = belt ? 0 : 1;
    plain->load[0].direction[0] = 1;
    plain->load[0].function = (am_function){.kind = AM_FUNCTION_SINE,
                                            .amplitude = random_between(source, 0.8, 1.5),
                                            .frequency = random_between(source, 0.3, 1)};
}

static void find_orbit(const plain_system *plain, am_orbit *orbit, am_orbit_search *search) {
    am_system *system = plain_system_create(plain, NULL);
    assert_non_null(system);
    am_motion *engine = am_motion_create(system, true, NULL);
    am_orbit_options options = am_orbit_options_default();
    GOOD(am_orbit_find(engine, &options, orbit, search, NULL, err));
    am_motion_free(engine);
    am_system_free(system);
}

static void orbits_and_multipliers_are_those_of_one_contact(void **state) {
    (void)state;
    size_t compared = 0, stops = 0;
    for (uint64_t seed = 0; seed < CASES(60, 12); seed++) {
        random_source source = random_seed(85000 + seed);
        plain_system one, many;
        size_t whole[PLAIN_CONTACTS];
        random_oscillator(&source, &one);
        pads_divide(&source, &one, PLAIN_CONTACTS, &many, whole);
        am_orbit single = {0}, pads = {0};
        am_orbit_search search_single, search_pads;
        find_orbit(&one, &single, &search_single);
        find_orbit(&many, &pads, &search_pads);
        assert_int_equal(search_pads.outcome, search_single.outcome);
        if (search_single.outcome == AM_ORBIT_PERIODIC && pads_divided(&one, &many)) {
            compared++;
            stops += single.stops;
            assert_near(pads.period, single.period, 1e-10 * single.period);
            assert_near(pads.multiplier, single.multiplier, 1e-8);
            assert_near(pads.dissipation, single.dissipation, 1e-9);
            assert_int_equal(pads.stops, single.stops);
            assert_int_equal(pads.switches, single.switches);
            assert_int_equal(pads.returns, single.returns);
            assert_int_equal(pads.stable, single.stable);
        }
        am_orbit_clear(&single);
        am_orbit_clear(&pads);
    }
    assert_true((compared > 25 && stops > compared / 2) || CASES(0, 1)); /* few under the sanitizers */
}

/* ---- rigid blocks on feet ---- */

/* A block of mass m on a flat floor: x, y and the angle of its centre, which stands `height` above the floor. */
typedef struct block {
    plain_system plain;
    double q[PLAIN_SIZE], v[PLAIN_SIZE];
    double height;
} block;

static void add_foot(block *b, double place, double friction, double static_friction) {
    plain_contact *foot = &b->plain.contact[b->plain.m++];
    foot->normal[1] = 1;
    foot->normal[2] = place;
    foot->tangent[0] = 1;
    foot->tangent[2] = b->height;
    foot->friction = friction;
    foot->static_friction = static_friction;
}

/* Pushed and shaken by forces at random heights, at rest on the floor or falling onto it. */
static void random_block(random_source *source, block *b) {
    memset(b, 0, sizeof *b);
    b->plain = plain_system_new(3, 0);
    b->height = random_between(source, 0.2, 0.8);
    double mass = random_between(source, 0.5, 2);
    b->plain.mass[0] = b->plain.mass[4] = mass;
    b->plain.mass[8] = mass * random_between(source, 0.1, 0.4);
    b->plain.loads = 3;
    b->plain.load[0].direction[1] = -1;
    b->plain.load[0].function = (am_function){.kind = AM_FUNCTION_RAMP, .value = 10 * mass};
    for (size_t l = 1; l < 3; l++) {
        b->plain.load[l].direction[0] = 1;
        b->plain.load[l].direction[2] = random_between(source, -0.5, 0.5);
    }
    double weight = 10 * mass;
    b->plain.load[1].function = (am_function){.kind = AM_FUNCTION_SINE,
                                              .amplitude = weight * random_between(source, 0.1, 0.5),
                                              .frequency = random_between(source, 1, 5),
                                              .phase = random_between(source, 0, 6)};
    b->plain.load[2].function =
        (am_function){.kind = AM_FUNCTION_RAMP, .rate = weight * random_between(source, -0.1, 0.1)};
    if (random_chance(source, 0.4)) {
        b->q[1] = random_between(source, 0.01, 0.1);
        b->v[0] = random_between(source, -1, 1);
    }
}

/* With one coefficient of friction the feet between the outer ones add nothing to what the floor can bear: every force
 * on them is a sum of forces on the outer ones. */
static void feet_between_two_others_change_nothing(void **state) {
    (void)state;
    static trajectory outer, all;
    size_t compared = 0, changes = 0, lifted = 0, struck = 0, refused = 0;
    for (uint64_t seed = 0; seed < CASES(200, 30); seed++) {
        random_source source = random_seed(90000 + seed);
        block two, more;
        random_block(&source, &two);
        more = two;
        double left = -random_between(&source, 0.3, 1), right = random_between(&source, 0.3, 1);
        double friction = random_between(&source, 0.1, 0.8), ratio = random_chance(&source, 0.5) ? 0 : 1.4;
        size_t feet = 3 + random_index(&source, 3), first = random_index(&source, feet - 1);
        add_foot(&two, left, friction, ratio * friction);
        add_foot(&two, right, friction, ratio * friction);
        for (size_t i = 0; i < feet; i++) {
            double place = i == first ? left : i == first + 1 ? right : random_between(&source, left, right);
            add_foot(&more, place, friction, ratio * friction);
        }
        trajectory_run(&two.plain, 0, 3, two.q, two.v, 60, NULL, NULL, &outer);
        trajectory_run(&more.plain, 0, 3, more.q, more.v, 0, NULL, NULL, &all);
        if (outer.status || outer.count >= 60) {
            refused++;
            continue;
        }
        if (all.status)
            fail_msg("block %zu on %zu feet: %s", (size_t)seed, feet, all.error.message);
        compared++;
        changes += outer.count;
        struck += outer.statistics.impacts > 0;
        for (size_t i = 0; i < outer.count; i++)
            lifted += outer.events[i].to == AM_OPEN;
        for (size_t i = 0; i < 3; i++) {
            assert_near(all.q[i], outer.q[i], same_time);
            assert_near(all.v[i], outer.v[i], same_time);
        }
        assert_int_equal(all.final[first], outer.final[0]);
        assert_int_equal(all.final[first + 1], outer.final[1]);
        if (all.final[first] == AM_STICK && all.final[first + 1] == AM_STICK)
            for (size_t c = 0; c < feet; c++)
                assert_int_equal(all.final[c], AM_STICK);
    }
    print_message("%zu blocks compared, %zu refused: %zu changes, %zu of them lift-offs, %zu blocks struck\n", compared,
                  refused, changes, lifted, struck);
    assert_true(compared > CASES(100, 10) && changes > 3 * compared && lifted > 10 && struck > 10);
}

/* ---- joints with more pads than directions ---- */

/* The limit load of plasticity: the joint gives way along f if d.f > sum over the pads of L |t.f|. The first f to do so
 * leaves n - 1 pads at rest, so all f orthogonal to n - 1 of the tangents are tried. */
static double limit_load(const plain_system *joint, const double *d) {
    double least = INFINITY;
    size_t n = joint->n - 1;
    for (size_t a = 0; a < joint->m; a++)
        for (size_t b = a + 1; b < joint->m + (n == 2); b++) {
            const double *s = joint->contact[a].tangent, *t = joint->contact[b < joint->m ? b : 0].tangent;
            double f2[] = {-s[1], s[0], 0};
            double f3[] = {s[1] * t[2] - s[2] * t[1], s[2] * t[0] - s[0] * t[2], s[0] * t[1] - s[1] * t[0]};
            const double *f = n == 2 ? f2 : f3;
            double bears = 0, pushes = 0;
            for (size_t c = 0; c < joint->m; c++) {
                double along = 0;
                for (size_t i = 0; i < n; i++)
                    along += joint->contact[c].tangent[i] * f[i];
                bears += joint->contact[c].static_friction * joint->contact[c].hold.value * fabs(along);
            }
            for (size_t i = 0; i < n; i++)
                pushes += d[i] * f[i];
            least = fmin(least, bears / fabs(pushes));
        }
    return least;
}

/* Two or three directions of sliding; the last coordinate takes the normal forces and has no part in it. */
static void random_joint(random_source *source, plain_system *joint) {
    size_t n = 2 + random_index(source, 2), pads = n + 1 + random_index(source, 4);
    *joint = plain_system_new(n + 1, pads);
    for (size_t i = 0; i <= n; i++) {
        joint->mass[i * (n + 1) + i] = random_between(source, 0.5, 2);
        joint->stiffness[i * (n + 1) + i] = random_between(source, 0.5, 2);
    }
    for (size_t c = 0; c < pads; c++) {
        plain_contact *pad = &joint->contact[c];
        for (size_t i = 0; i < n; i++)
            pad->tangent[i] = random_between(source, -1, 1);
        pad->normal_law = AM_HELD;
        pad->normal[n] = -1;
        pad->hold = (am_function){.kind = AM_FUNCTION_RAMP, .value = random_between(source, 0.5, 2)};
        pad->friction = random_between(source, 0.1, 0.5);
        pad->static_friction = pad->friction * (random_chance(source, 0.5) ? 1 : random_between(source, 1.1, 2));
    }
    joint->loads = 1;
    joint->load[0].function = (am_function){.kind = AM_FUNCTION_RAMP, .rate = 1};
    for (size_t i = 0; i < n; i++)
        joint->load[0].direction[i] = random_between(source, -1, 1);
}

/* At rest under the load t d: the forces reported balance it and stay within the limits. */
static void check_split(const am_motion *motion, const plain_system *joint, double t) {
    double N[PLAIN_CONTACTS], T[PLAIN_CONTACTS];
    am_motion_at(motion, t, NULL, NULL, N, T);
    for (size_t i = 0; i + 1 < joint->n; i++) {
        double sum = t * joint->load[0].direction[i];
        for (size_t c = 0; c < joint->m; c++)
            sum += joint->contact[c].tangent[i] * T[c];
        assert_near(sum, 0, 1e-12 * (1 + t));
    }
    for (size_t c = 0; c < joint->m; c++)
        assert_true(fabs(T[c]) <= joint->contact[c].static_friction * N[c] * (1 + 1e-10));
}

static void joints_hold_until_the_limit_load(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < CASES(200, 30); seed++) {
        random_source source = random_seed(95000 + seed);
        plain_system joint;
        random_joint(&source, &joint);
        am_system *system = plain_system_create(&joint, NULL);
        assert_non_null(system);
        am_motion *motion = am_motion_create(system, true, NULL);
        am_step_kind kind = AM_STEP_SPAN;
        GOOD(am_motion_start(motion, 0, NULL, NULL, err));
        for (size_t c = 0; c < joint.m; c++)
            assert_int_equal(am_motion_states(motion)[c], AM_STICK);
        double limit = limit_load(&joint, joint.load[0].direction);
        while (kind != AM_STEP_EVENT) {
            GOOD(am_motion_step(motion, 10 * limit, &kind, err));
            for (size_t i = 1; i < 8; i++) {
                double from = am_motion_span_start(motion), to = am_motion_time(motion);
                check_split(motion, &joint, from + (to - from) * (double)i / 8);
            }
        }
        assert_near(am_motion_time(motion), limit, 1e-12 * limit);
        size_t slip = 0;
        for (size_t c = 0; c < joint.m; c++)
            slip += am_motion_states(motion)[c] != AM_STICK;
        assert_true(slip >= 2 && am_motion_statistics_get(motion).indeterminate);
        for (size_t k = 0; k < 50 && kind != AM_STEP_END; k++) /* and the motion goes on */
            GOOD(am_motion_step(motion, 10 * limit, &kind, err));
        am_motion_free(motion);
        am_system_free(system);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pads_move_as_one_contact_does),
        cmocka_unit_test(orbits_and_multipliers_are_those_of_one_contact),
        cmocka_unit_test(feet_between_two_others_change_nothing),
        cmocka_unit_test(joints_hold_until_the_limit_load),
    };
    return cmocka_run_group_tests_name("redundant", tests, NULL, NULL);
}
