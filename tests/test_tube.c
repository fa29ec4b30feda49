/* The tube around a motion: neighbours inside it do what the motion does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/motion.h"
#include "amontons/rod.h"
#include "analysis/motion/engine.h"
#include "analysis/orbit/survey.h"
#include "analysis/orbit/tube.h"
#include "analysis/orbit/walk.h"
#include "belt_chain.h"
#include "cases.h"

enum { LONGEST = 2000 };

static void prepare(am_survey *survey, const am_system *system, const am_attractors_options *options) {
    am_error err = {0};
    am_status status = am_survey_init(survey, system, options, 1, &err);
    if (!status)
        status = am_survey_run(survey, NULL, &err);
    if (status)
        print_error("%s\n", err.message);
    assert_int_equal(status, AM_OK);
}

/* The path of a start over its section, and what becomes of it. */
typedef struct path {
    am_fate fate;
    am_orbit_return how;
    size_t length;
    double state[LONGEST * 8];
} path;

static void follow(am_survey *survey, const double *start, path *p) {
    assert_int_equal(am_survey_ask(survey, start, false, &p->fate, NULL), AM_OK);
    const double *states = am_survey_path(survey, &p->how, &p->length);
    p->length = p->length < LONGEST ? p->length : LONGEST;
    memcpy(p->state, states, p->length * survey->d * sizeof *states);
}

static bool same_fate(const path *a, const path *b) {
    return a->fate.kind == b->fate.kind && (a->fate.kind != AM_FATE_ORBIT || a->fate.orbit == b->fate.orbit);
}

/* States of contact at a place on a path. */
static void contacts_at(am_survey *survey, const path *p, size_t k, am_contact_state *contact) {
    am_motion *engine = am_survey_engine(survey);
    assert_int_equal(am_motion_start_state(engine, p->how.start, p->state + k * survey->d, NULL), AM_OK);
    memcpy(contact, am_motion_states(engine), survey->m * sizeof *contact);
}

static bool same_place(am_survey *survey, const path *a, size_t i, const path *b, size_t j) {
    am_contact_state here[8], there[8];
    if (a->how.section != b->how.section || a->how.contact != b->how.contact || a->how.from != b->how.from ||
        a->how.to != b->how.to)
        return false;
    contacts_at(survey, a, i, here);
    contacts_at(survey, b, j, there);
    return memcmp(here, there, survey->m * sizeof *here) == 0;
}

/* Radii along a path that ended on an orbit. Returns the largest. */
static double radii(am_survey *survey, const path *p, double *radius) {
    am_error err = {0};
    am_motion *engine = am_survey_engine(survey);
    am_tube *tube = am_tube_create(survey->d, &err);
    double largest = 1e-2 * am_orbit_size(engine, p->state + (p->length - 1) * survey->d);
    assert_non_null(tube);
    assert_int_equal(am_motion_follow_sensitivity(engine, true, &err), AM_OK);
    size_t first = am_tube_radii(tube, engine, &p->how, p->state, p->length - 1, largest, largest, radius);
    am_motion_follow_sensitivity(engine, false, NULL);
    assert_int_equal(first, 0);
    am_tube_free(tube);
    return largest;
}

typedef struct tally {
    size_t pairs, near, inside; /* pairs of paths with different fates; places within `largest`; within the radius */
} tally;

/* Wherever b comes to a place of a, it must be outside the radius: their fates differ. */
static void compare(am_survey *survey, const path *a, const path *b, tally *t) {
    static double radius[LONGEST];
    if (a->fate.kind != AM_FATE_ORBIT || a->length < 2)
        return;
    double largest = radii(survey, a, radius);
    t->pairs++;
    for (size_t j = 0; j < b->length; j++)
        for (size_t i = 0; i < a->length; i++) {
            double distance =
                am_orbit_distance(am_survey_engine(survey), a->state + i * survey->d, b->state + j * survey->d);
            if (distance > 0.5 * largest || !same_place(survey, a, i, b, j))
                continue;
            t->near++;
            t->inside += distance <= 0.5 * radius[i];
        }
}

/* Halve the line between two starts of different fate, and compare the paths from its ends on the way. */
static void close_in(am_survey *survey, const double *from, const double *to, tally *t) {
    static path low, high, middle;
    double ends[2][8], point[8];
    size_t size = 2 * survey->n;
    memcpy(ends[0], from, size * sizeof *from);
    memcpy(ends[1], to, size * sizeof *to);
    follow(survey, ends[0], &low);
    follow(survey, ends[1], &high);
    for (int level = 0; level < 40 && !same_fate(&low, &high); level++) {
        compare(survey, &low, &high, t);
        compare(survey, &high, &low, t);
        for (size_t i = 0; i < size; i++)
            point[i] = 0.5 * (ends[0][i] + ends[1][i]);
        follow(survey, point, &middle);
        bool lower = same_fate(&middle, &low);
        memcpy(lower ? &low : &high, &middle, sizeof middle);
        memcpy(ends[lower ? 0 : 1], point, size * sizeof *point);
    }
}

static tally close_in_on_borders(const am_system *system, size_t starts, size_t most) {
    am_attractors_options options = am_attractors_options_default();
    options.count = starts;
    options.join = false;
    options.most_returns = 300;
    am_survey survey;
    prepare(&survey, system, &options);
    tally t = {0};
    double from[8], to[8];
    size_t borders = 0;
    assert_true(survey.d <= 8 && survey.m <= 8);
    for (size_t i = 0; i + 1 < starts && borders < most; i++) {
        const am_fate *a = &survey.fates[i], *b = &survey.fates[i + 1];
        if (a->kind == b->kind && (a->kind != AM_FATE_ORBIT || a->orbit == b->orbit))
            continue;
        am_starts_place(&survey.starts, i, from);
        am_starts_place(&survey.starts, i + 1, to);
        close_in(&survey, from, to, &t);
        borders++;
    }
    am_survey_clear(&survey);
    return t;
}

/* At the border between two basins neighbours part however near they are. Where the border is a jump (a node that just
 * reaches the speed of the belt sticks, and static friction holds it), nothing in the derivatives tells of it. */
static void no_tube_reaches_across_the_border_of_a_basin(void **state) {
    (void)state;
    const double alphas[] = {1.5, 2.5};
    size_t near = 0;
    for (size_t i = 0; i < 2; i++) {
        am_rod r = am_rod_default();
        r.elements = 2;
        r.alpha = alphas[i];
        am_system *system = am_rod_create(&r, NULL);
        assert_non_null(system);
        tally t = close_in_on_borders(system, 60, CASES(6, 3));
        if (t.inside > 0)
            print_error("alpha = %g: %zu of %zu places\n", alphas[i], t.inside, t.near);
        assert_int_equal(t.inside, 0);
        near += t.near;
        am_system_free(system);
    }
    assert_true(near > CASES(200, 5));
}

static void no_tube_reaches_across_the_border_of_a_basin_of_a_chain(void **state) {
    (void)state;
    const uint64_t seeds[] = {4, 9};
    size_t near = 0;
    for (size_t i = 0; i < 2; i++) {
        am_system *system = belt_chain_random(seeds[i]);
        tally t = close_in_on_borders(system, 20, CASES(3, 1));
        if (t.inside > 0)
            print_error("chain %d: %zu of %zu places\n", (int)seeds[i], t.inside, t.near);
        assert_int_equal(t.inside, 0);
        near += t.near;
        am_system_free(system);
    }
    assert_true(near > CASES(200, 5));
}

/* A tube that were everywhere empty would pass the tests above: most places of a path have one of a useful size. */
static void tubes_are_wide_where_nothing_is_near(void **state) {
    (void)state;
    static path p;
    static double radius[LONGEST];
    am_rod r = am_rod_default();
    r.elements = 2;
    r.alpha = 1.5;
    am_system *system = am_rod_create(&r, NULL);
    am_attractors_options options = am_attractors_options_default();
    options.count = 20;
    options.join = false;
    am_survey survey;
    prepare(&survey, system, &options);
    size_t places = 0, wide = 0;
    double start[4];
    for (size_t i = 0; i < 20; i++) {
        am_starts_place(&survey.starts, i, start);
        follow(&survey, start, &p);
        if (p.fate.kind != AM_FATE_ORBIT || p.length < 2)
            continue;
        double largest = radii(&survey, &p, radius);
        for (size_t k = 0; k < p.length; k++) {
            assert_true(radius[k] >= 0 && radius[k] <= largest);
            wide += radius[k] > 0.05 * largest;
        }
        places += p.length;
    }
    if (2 * wide < places)
        print_error("%zu of %zu places\n", wide, places);
    assert_true(places > 200 && 2 * wide > places);
    am_survey_clear(&survey);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_tube_reaches_across_the_border_of_a_basin),
        cmocka_unit_test(no_tube_reaches_across_the_border_of_a_basin_of_a_chain),
        cmocka_unit_test(tubes_are_wide_where_nothing_is_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
