/* Attractors of 20 random self-excited chains: those found from a few starts are found again from ten times as many
 * others, and none is listed twice. `test_attractors_chains N` does the same with N starts, then 10 N. */
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

#include "amontons/motion.h"
#include "analyses/attractors/survey.h"
#include "belt_chain.h"
#include "cases.h"

enum { CHAINS = CASES(20, 2), TIMES = 10, PLACES = 100 };

static size_t given_starts; /* on the command line; 0: none */

/* ---- orbits as curves ---- */

/* An orbit sampled over one period, without a word about its section or its sequence. */
typedef struct curve {
    size_t starts;  /* that lead to it */
    size_t samples; /* intervals */
    double *state;  /* (samples + 1) x d */
} curve;

static const double interval = 0.01;

typedef struct curves {
    size_t count, d;
    curve *curve;
    double size[8]; /* largest |x_i| on any of them */
} curves;

static void sample(am_motion *engine, const am_orbit_member *member, size_t d, curve *one) {
    double begin = member->how.start, period = member->orbit.period;
    one->samples = PLACES + (size_t)(period / interval);
    one->state = calloc((one->samples + 1) * d, sizeof *one->state);
    assert_int_equal(am_motion_start_state(engine, begin, member->orbit.state, NULL), AM_OK);
    for (size_t i = 0; i <= one->samples; i++) {
        double t = begin + period * (double)i / (double)one->samples;
        while (am_motion_time(engine) < t) {
            am_step_kind kind;
            assert_int_equal(am_motion_step(engine, t, &kind, NULL), AM_OK);
        }
        memcpy(one->state + i * d, am_motion_state(engine), d * sizeof *one->state);
    }
}

static curves collect(const am_system *system, const am_survey *survey) {
    curves all = {.d = survey->d};
    assert_true(all.d <= 8);
    am_motion *engine = am_motion_create(system, false, NULL);
    assert_non_null(engine);
    all.curve = calloc(survey->set.count + 1, sizeof *all.curve);
    for (size_t i = 0; i < survey->set.count; i++) {
        if (!survey->set.member[i].orbit.stable)
            continue;
        curve *one = &all.curve[all.count++];
        sample(engine, &survey->set.member[i], all.d, one);
        for (size_t k = 0; k < survey->starts.count; k++)
            one->starts += survey->fates[k].kind == AM_FATE_ORBIT && survey->fates[k].orbit == i;
        for (size_t k = 0; k < (one->samples + 1) * all.d; k++)
            all.size[k % all.d] = fmax(all.size[k % all.d], fabs(one->state[k]));
    }
    am_motion_free(engine);
    return all;
}

static void free_curves(curves *all) {
    for (size_t i = 0; i < all->count; i++)
        free(all->curve[i].state);
    free(all->curve);
}

/* Squared distance of x from the straight line between two samples, each coordinate in units of its size. */
static double square_to_line(const double *x, const double *from, const double *to, const double *size, size_t d) {
    double along = 0, length = 0, square = 0;
    for (size_t i = 0; i < d; i++) {
        along += (x[i] - from[i]) * (to[i] - from[i]) / (size[i] * size[i]);
        length += (to[i] - from[i]) * (to[i] - from[i]) / (size[i] * size[i]);
    }
    double s = length > 0 ? fmin(1, fmax(0, along / length)) : 0;
    for (size_t i = 0; i < d; i++) {
        double off = (x[i] - from[i] - s * (to[i] - from[i])) / size[i];
        square += off * off;
    }
    return square;
}

/* How far a gets from b, whatever their phases: the largest distance of places on a from the polygon of b. */
static double farthest(const curve *a, const curve *b, const double *size, size_t d) {
    double most = 0;
    for (size_t i = 0; i < PLACES; i++) {
        const double *x = a->state + i * a->samples / PLACES * d;
        double least = INFINITY;
        for (size_t k = 0; k < b->samples; k++)
            least = fmin(least, square_to_line(x, b->state + k * d, b->state + (k + 1) * d, size, d));
        most = fmax(most, least);
    }
    return sqrt(most);
}

/* A chord is off by h^2/8 times the second derivative, and where velocities have corners (at switches) by up to h/4
 * times the jump of the acceleration. With h = 0.01, accelerations around 1 and velocities around 0.3 (twice the
 * belts') both are below one hundredth of the size. */
static const double same = 0.01;

static bool is_same(const curve *a, const curve *b, const curves *scale) {
    return farthest(a, b, scale->size, scale->d) <= same && farthest(b, a, scale->size, scale->d) <= same;
}

/* ---- the surveys ---- */

static curves look(const am_system *system, size_t count, uint64_t seed) {
    am_survey survey;
    am_error err = {0};
    am_progress progress = {.threads = 2};
    am_attractors_options options = am_attractors_options_default();
    options.count = count;
    options.seed = seed;
    options.method = AM_STARTS_RANDOM; /* independent: see below */
    options.most_returns = 200;        /* some chains are chaotic */
    am_status status = am_survey_init(&survey, system, &options, 2, &err);
    if (!status)
        status = am_survey_run(&survey, &progress, &err);
    if (status)
        print_error("%s\n", err.message);
    assert_int_equal(status, AM_OK);
    assert_int_equal(survey.mismatches, 0);
    for (size_t i = 0; i < survey.starts.count; i++)
        assert_int_not_equal(survey.fates[i].kind, AM_FATE_FAILED);
    curves found = collect(system, &survey);
    am_survey_clear(&survey);
    return found;
}

static void check_no_orbit_twice(const curves *all, int seed) {
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = 0; j < i; j++)
            if (is_same(&all->curve[i], &all->curve[j], all)) {
                print_error("chain %d: orbits %zu and %zu are the same\n", seed, j + 1, i + 1);
                fail();
            }
}

static bool is_among(const curve *wanted, const curves *all) {
    for (size_t i = 0; i < all->count; i++)
        if (is_same(wanted, &all->curve[i], all))
            return true;
    return false;
}

/* The chance of `least` or more successes in n trials, each with probability p. */
static double tail(size_t n, size_t least, double p) {
    double sum = 0, term = pow(1 - p, (double)n);
    for (size_t k = 0; k <= n; k++) {
        sum += k >= least ? term : 0;
        term *= (double)(n - k) / (double)(k + 1) * p / (1 - p);
    }
    return sum;
}

/* When is an orbit that was not found again an error? Starts are independent. Suppose a perfect search, and an orbit to
 * which k of all 11 N starts lead. Which ones those are is a matter of chance, each set of k being as likely as any
 * other: all k are among the first N with probability C(N,k)/C(11 N,k) <= 11^-k, whatever the size of its basin. So an
 * orbit that k of the N starts led to is missing from the 10 N others with a probability of at most 11^-k.
 *
 * Hence: one to which at least 6 starts led must be found again (11^-6 = 6e-7; with fewer than 100 orbits a perfect
 * search fails here once in 20,000 times). Of the s orbits with fewer starts each may be missing with a probability of
 * at most 1/11; that so many are missing must have a probability above 1e-4. */
static void orbits_are_found_again_from_ten_times_as_many_other_starts_and_none_is_listed_twice(void **state) {
    (void)state;
    const size_t sure = 6;
    size_t orbits = 0, certain = 0, rare = 0, missing = 0;
    for (int seed = 1; seed <= CHAINS; seed++) {
        am_system *system = belt_chain_random((uint64_t)seed);
        bool small = am_system_size(system) == 2; /* larger ones take their time */
        size_t count = given_starts > 0 ? given_starts : small ? 14 : 4;
        curves few = look(system, count, 1), many = look(system, TIMES * count, 2);
        check_no_orbit_twice(&few, seed);
        check_no_orbit_twice(&many, seed);
        for (size_t i = 0; i < few.count; i++) {
            bool again = is_among(&few.curve[i], &many);
            certain += few.curve[i].starts >= sure;
            rare += few.curve[i].starts < sure;
            missing += !again;
            if (!again && few.curve[i].starts >= sure)
                print_error("chain %d: an orbit that %zu of %zu starts led to is missing\n", seed, few.curve[i].starts,
                            count);
            assert_true(again || few.curve[i].starts < sure);
        }
        orbits += many.count;
        if (given_starts > 0)
            printf("chain %d: %zu orbits from %zu starts, %zu from %zu\n", seed, few.count, count, many.count,
                   TIMES * count);
        free_curves(&few);
        free_curves(&many);
        am_system_free(system);
    }
    if (given_starts > 0)
        printf("%zu orbits; of those found first %zu had %zu starts or more, %zu fewer; %zu not found again\n", orbits,
               certain, sure, rare, missing);
    assert_true(orbits >= CHAINS && certain >= CASES(8, 1));
    assert_true(tail(rare, missing, 1.0 / (TIMES + 1)) > 1e-4);
}

/* Would the comparison see that two orbits are one, or take two for one? */
static void curves_tell_orbits_apart_whatever_their_phase(void **state) {
    (void)state;
    enum { D = 2 };
    enum { COUNT = 1000 };
    static double ring[2][(COUNT + 1) * D], other[(COUNT + 1) * D];
    for (size_t i = 0; i <= COUNT; i++) {
        double phase = 6.283185307179586 * (double)i / COUNT;
        ring[0][i * D] = cos(phase), ring[0][i * D + 1] = 3 * sin(phase);
        ring[1][i * D] = cos(2 * phase + 1), ring[1][i * D + 1] = 3 * sin(2 * phase + 1); /* twice around */
        other[i * D] = 1.05 * cos(phase), other[i * D + 1] = 3 * sin(phase);
    }
    const curve a = {.state = ring[0], .samples = COUNT}, b = {.state = ring[1], .samples = COUNT},
                c = {.state = other, .samples = COUNT};
    const curves scale = {.d = D, .size = {1, 3}};
    assert_true(is_same(&a, &b, &scale));
    assert_false(is_same(&a, &c, &scale));
    assert_true(fabs(tail(3, 2, 0.5) - 0.5) < 1e-15 && fabs(tail(5, 0, 0.1) - 1) < 1e-15);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_tell_orbits_apart_whatever_their_phase),
        cmocka_unit_test(orbits_are_found_again_from_ten_times_as_many_other_starts_and_none_is_listed_twice),
    };
    given_starts = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
