/* Joining saves time and nothing else: every start has the fate it has when it is followed to its end by itself. */
/* ctest: long */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/attractors.h"
#include "amontons/models.h"
#include "belt_chain.h"
#include "cases.h"
#include "dense_system.h"
#include "results.h"
#include "uniform.h"

/* What was compared. */
typedef struct tally {
    size_t starts, joined, divided; /* divided: structures whose starts have several fates */
} tally;

static am_result *run(const am_system *system, const am_attractors_options *options) {
    am_error err = {0};
    am_result *result = am_result_create(&err);
    if (am_attractors_run(system, options, result, NULL, &err) != AM_OK)
        fail_msg("%s", err.message);
    return result;
}

static const char *fate_of(const am_result *result, const char *table, size_t start) {
    const am_table *starts = am_result_find_table(result, table);
    return am_table_text(starts, start, am_table_find_column(starts, "fate"));
}

/* Chaotic motions take a hundred times as long, and there is nothing to join. */
static bool repeats(const am_system *system, am_attractors_options options) {
    options.axes = NULL;
    options.axis_count = 0;
    const am_start_range box[] = {{.coordinate = 0, .low = 0.2, .high = 2},
                                  {.coordinate = 0, .velocity = true, .low = -2, .high = 2}};
    options.ranges = box;
    options.range_count = 2;
    options.count = 12;
    options.most_returns = 200;
    am_result *result = run(system, &options);
    bool yes = number(result, "aperiodic") + number(result, "undecided") == 0.0;
    am_result_free(result);
    return yes;
}

static void compare(const am_system *system, am_attractors_options options, const char *about, tally *t) {
    const char *table = options.count > 0 ? "starts" : "map";
    options.most_returns = 300; /* chaotic ones are aperiodic after that, with and without */
    am_result *joined = run(system, &options);
    options.join = false;
    am_result *whole = run(system, &options);
    size_t starts = (size_t)number(whole, "starts"), others = 0;
    assert_int_equal(am_table_rows(am_result_find_table(joined, "orbits")),
                     am_table_rows(am_result_find_table(whole, "orbits")));
    for (size_t i = 0; i < starts; i++) {
        if (strcmp(fate_of(joined, table, i), fate_of(whole, table, i)) != 0)
            fail_msg("%s: start %zu has the fate '%s', joined '%s'", about, i + 1, fate_of(whole, table, i),
                     fate_of(joined, table, i));
        others += strcmp(fate_of(whole, table, i), fate_of(whole, table, 0)) != 0;
    }
    t->starts += starts;
    t->joined += (size_t)number(joined, "joined");
    t->divided += others > 0;
    am_result_free(joined);
    am_result_free(whole);
}

static am_attractors_options points(size_t count) {
    am_attractors_options options = am_attractors_options_default();
    options.count = count;
    return options;
}

/* A mass that hits a stop, once or many times in a cycle of its load; the other coordinate of the contact rests.
 * Grazing interweaves the basins of its motions. */
static am_system *impact_oscillator(uint64_t *seed, double *gap) {
    static const double normal[] = {1, 0}, tangent[] = {0, 1}, stiffness[] = {1, 0, 0, 1}, mass[] = {1, 0, 0, 1};
    const double damping[] = {uniform(seed, 0.05, 0.09), 0, 0, 0.5};
    am_contact_def contact = am_contact_def_default();
    contact.normal = normal;
    contact.tangent = tangent;
    *gap = uniform(seed, 0.1, 0.2);
    contact.gap = *gap;
    contact.restitution = uniform(seed, 0.46, 0.58);
    am_load_def load = {.direction = normal, .function = am_function_sine(1.0, uniform(seed, 2.5, 2.7), 0.0)};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.contacts = &contact;
    def.contact_count = 1;
    def.loads = &load;
    def.load_count = 1;
    return dense_system(def, mass, damping, stiffness);
}

static void starts_of_impact_oscillators_keep_their_fates(void **state) {
    (void)state;
    uint64_t seed = 1;
    tally t = {0};
    for (size_t i = 0; i < CASES(9, 2); i++) {
        double gap;
        char about[64];
        am_system *system = impact_oscillator(&seed, &gap);
        am_attractors_options options = am_attractors_options_default();
        const am_start_axis axes[] = {{.coordinate = 0, .from = -gap, .to = 2, .count = CASES(15, 9)},
                                      {.coordinate = 0, .velocity = true, .from = -2, .to = 2, .count = CASES(15, 9)}};
        options.axes = axes;
        options.axis_count = 2;
        snprintf(about, sizeof about, "oscillator %zu", i);
        if (repeats(system, options))
            compare(system, options, about, &t);
        am_system_free(system);
    }
    assert_true(t.divided > CASES(1, 0) && 2 * t.joined > t.starts);
}

static void starts_of_rods_and_chains_on_belts_keep_their_fates(void **state) {
    (void)state;
    uint64_t seed = 2;
    tally t = {0};
    for (size_t i = 0; i < CASES(3, 1); i++) {
        char about[64];
        am_rod rod = am_rod_default();
        rod.elements = 2;
        rod.alpha = uniform(&seed, 0.6, 3.0);
        snprintf(about, sizeof about, "rod of alpha %.17g", rod.alpha);
        am_system *system = am_rod_create(&rod, NULL);
        assert_non_null(system);
        compare(system, points(CASES(150, 40)), about, &t);
        am_system_free(system);
    }
    for (uint64_t chain = 4; chain <= 9; chain += 5) {
        am_system *system = belt_chain_random(chain);
        compare(system, points(CASES(40, 20)), chain == 4 ? "chain 4" : "chain 9", &t);
        am_system_free(system);
    }
    assert_true(t.divided > 0 && t.joined > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_of_impact_oscillators_keep_their_fates),
        cmocka_unit_test(starts_of_rods_and_chains_on_belts_keep_their_fates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
