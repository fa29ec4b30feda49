/* The map of final states: it says what long direct simulation says, for any number of threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/attractors.h"
#include "amontons/models.h"
#include "amontons/motion.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "results.h"

/* Fig. 6: friction above critical, load along the bisector. */
static am_klarbring fig6(void) {
    am_klarbring k = am_klarbring_default();
    k.stiffness[0][1] = k.stiffness[1][0] = 1;
    k.stiffness[1][1] = 2;
    k.friction = 1.25;
    assert_int_equal(am_klarbring_bisector(&k, k.load_rate, NULL), AM_OK);
    return k;
}

static am_system *create(const am_klarbring *k) {
    am_error err = {0};
    am_system *system = am_klarbring_create(k, &err);
    if (!system)
        print_error("%s\n", err.message);
    assert_non_null(system);
    return system;
}

static am_attractors_options velocities(am_start_axis axes[2], double v1_from, double v1_to, size_t v1_count,
                                        double v2_to, size_t v2_count) {
    axes[0] = (am_start_axis){.coordinate = 0, .velocity = true, .from = v1_from, .to = v1_to, .count = v1_count};
    axes[1] = (am_start_axis){.coordinate = 1, .velocity = true, .to = v2_to, .count = v2_count};
    am_attractors_options options = am_attractors_options_default();
    options.axes = axes;
    options.axis_count = 2;
    return options;
}

static am_result *run(const am_system *system, const am_attractors_options *options, int threads) {
    am_progress progress = {.threads = threads};
    am_result *result = am_result_create(NULL);
    GOOD(am_attractors_run(system, options, result, &progress, err));
    return result;
}

/* ---- against direct simulation ---- */

typedef struct outcome {
    am_contact_state state;
    double last_change;
    size_t changes;
} outcome;

static outcome simulate(am_motion *motion, const double *v, double until) {
    static const double origin[2] = {0, 0};
    outcome end = {0};
    am_step_kind kind = AM_STEP_SPAN;
    assert_int_equal(am_motion_start(motion, 0, origin, v, NULL), AM_OK);
    while (kind != AM_STEP_END) {
        assert_int_equal(am_motion_step(motion, until, &kind, NULL), AM_OK);
        if (am_motion_switches(motion) > 0)
            end.last_change = am_motion_time(motion);
    }
    end.state = am_motion_states(motion)[0];
    end.changes = am_motion_statistics_get(motion).state_changes;
    return end;
}

/* A grid of 20 x 10 with random ends: 200 starts that nobody chose. */
static void compare_with_simulation(const am_klarbring *k, uint64_t seed, double until) {
    random_source source = random_seed(seed);
    am_start_axis axes[2];
    am_attractors_options options =
        velocities(axes, random_between(&source, -30, -5), random_between(&source, 3, 20), 20, 0, 10);
    axes[1].from = random_between(&source, 0, 0.5);
    axes[1].to = random_between(&source, 4, 15);
    am_system *system = create(k);
    am_motion *motion = am_motion_create(system, false, NULL);
    assert_non_null(motion);
    am_result *result = run(system, &options, 2);
    const am_table *map = am_result_find_table(result, "map");
    assert_int_equal(am_table_rows(map), 200);
    assert_int_equal(number(result, "undecided"), 0);
    for (size_t i = 0; i < 200; i++) {
        const double v[2] = {am_table_number(map, i, 0), am_table_number(map, i, 1)};
        outcome direct = simulate(motion, v, until);
        assert_string_equal(am_table_text(map, i, 2), am_contact_state_name(direct.state));
        /* a span of stick reaches to the end of the run, and ends differ: rounding only */
        assert_near(am_table_number(map, i, 3), direct.last_change, 1e-12 * (1 + direct.last_change));
        assert_near(am_table_number(map, i, 4), (double)direct.changes, 0);
    }
    am_result_free(result);
    am_motion_free(motion);
    am_system_free(system);
}

static void labels_of_fig6_are_those_of_long_simulation(void **state) {
    (void)state;
    am_klarbring k = fig6();
    compare_with_simulation(&k, 1, 2000);
}

static void labels_with_damping_are_those_of_long_simulation(void **state) {
    (void)state;
    am_klarbring k = fig6();
    k.damping[0][0] = k.damping[1][1] = 0.05;
    compare_with_simulation(&k, 2, 2000);
}

static void labels_with_restitution_are_those_of_long_simulation(void **state) {
    (void)state;
    am_klarbring k = fig6();
    k.restitution = 0.4;
    k.static_friction = 1.5;
    compare_with_simulation(&k, 3, 2000);
}

static void labels_of_slip_and_separation_are_those_of_long_simulation(void **state) {
    (void)state;
    am_klarbring k = fig6();
    k.friction = 0.3;
    k.load_rate[0] = 1;
    k.load_rate[1] = -0.5;
    compare_with_simulation(&k, 4, 2000);
}

static void counts_add_up(void **state) {
    (void)state;
    am_klarbring k = fig6();
    am_start_axis axes[2];
    am_attractors_options options = velocities(axes, -40, 24, 33, 16, 9);
    am_system *system = create(&k);
    am_result *result = run(system, &options, 1);
    const am_table *map = am_result_find_table(result, "map");
    size_t stick = 0, open = 0;
    for (size_t i = 0; i < am_table_rows(map); i++) {
        stick += strcmp(am_table_text(map, i, 2), "stick") == 0;
        open += strcmp(am_table_text(map, i, 2), "open") == 0;
    }
    assert_int_equal(number(result, "starts"), 33 * 9);
    assert_int_equal(number(result, "stick"), stick);
    assert_int_equal(number(result, "open"), open);
    assert_int_equal(number(result, "other"), 33 * 9 - stick - open);
    assert_true(stick > 20 && open > 20);
    am_result_free(result);
    am_system_free(system);
}

/* ---- threads ---- */

static void the_map_is_the_same_bit_for_bit_for_any_number_of_threads(void **state) {
    (void)state;
    am_klarbring k = fig6();
    am_start_axis axes[2];
    am_attractors_options options = velocities(axes, -40, 24, 61, 16, 31);
    am_system *system = create(&k);
    am_result *alone = run(system, &options, 1);
    uint64_t wanted = tables_hash(alone);
    am_result_free(alone);
    const int threads[] = {2, 3, 7};
    for (size_t i = 0; i < 3; i++) {
        am_result *together = run(system, &options, threads[i]);
        assert_true(tables_hash(together) == wanted);
        am_result_free(together);
    }
    axes[1].to = 16.5;
    am_result *other = run(system, &options, 1);
    assert_true(tables_hash(other) != wanted); /* the hash can tell maps apart */
    am_result_free(other);
    am_system_free(system);
}

/* ---- the edge ---- */

/* On v2 = 0 the starts that stick and those that separate are divided by steady backward slip, eq. (45). */
static void the_edge_is_the_velocity_of_steady_slip(void **state) {
    (void)state;
    const double cases[][4] = {/* k11, k21, k22, f */ {1, 1, 2, 1.25}, {1, 1, 2, 2}, {2, 1.5, 3, 1.6}, {1, 0.8, 1, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_klarbring k = am_klarbring_default();
        k.stiffness[0][0] = cases[i][0];
        k.stiffness[0][1] = k.stiffness[1][0] = cases[i][1];
        k.stiffness[1][1] = cases[i][2];
        k.friction = cases[i][3];
        assert_int_equal(am_klarbring_bisector(&k, k.load_rate, NULL), AM_OK);
        double edge = (k.load_rate[0] - k.friction * k.load_rate[1]) / (cases[i][0] - k.friction * cases[i][1]);
        const double from[4] = {0, 0, 0.5 * edge, 0}, to[4] = {0, 0, 1.4 * edge, 0};
        const am_start_axis axis = {.velocity = true, .to = 1, .count = 1};
        am_attractors_options options = am_attractors_options_default();
        options.axes = &axis;
        options.axis_count = 1;
        options.edge_from = from;
        options.edge_to = to;
        am_system *system = create(&k);
        am_result *result = run(system, &options, 1);
        /* The edge is unstable: whatever rounding the first span leaves decides, so a few units in the last place. */
        assert_near(number(result, "edge"), edge, 8 * 2.3e-16 * fabs(edge));
        assert_true(number(result, "edge_width") <= 2 * 2.3e-16 * fabs(edge));
        assert_string_equal(text(result, "edge_from_state"), "stick");
        assert_string_equal(text(result, "edge_to_state"), "open");
        am_result_free(result);
        am_system_free(system);
    }
}

static void a_line_without_an_edge_is_refused(void **state) {
    (void)state;
    am_klarbring k = fig6();
    const double from[4] = {0, 0, 20, 0}, to[4] = {0, 0, 24, 0};
    am_start_axis axes[2];
    am_attractors_options options = velocities(axes, -1, 1, 2, 1, 2);
    options.edge_from = from;
    options.edge_to = to;
    am_system *system = create(&k);
    am_result *result = am_result_create(NULL);
    am_error err = {0};
    assert_int_equal(am_attractors_run(system, &options, result, NULL, &err), AM_ERR_INPUT);
    assert_string_equal(err.field, "edge");
    assert_says(&err, "stick");
    am_result_free(result);
    am_system_free(system);
}

/* ---- symmetry ---- */

static const char *mirrored(const char *name) {
    return strcmp(name, "forward") == 0 ? "backward" : strcmp(name, "backward") == 0 ? "forward" : name;
}

static void a_mirrored_system_has_the_mirrored_map(void **state) {
    (void)state;
    for (int slipping = 0; slipping < 2; slipping++) {
        am_klarbring k = fig6();
        if (slipping) {
            k.friction = 0.3;
            k.load_rate[0] = 1;
            k.load_rate[1] = -0.5;
        }
        am_klarbring other = k;
        other.stiffness[0][1] = other.stiffness[1][0] = -k.stiffness[0][1];
        other.load_rate[0] = -k.load_rate[0];
        am_start_axis axes[2], other_axes[2];
        am_attractors_options options = velocities(axes, -24, 24, 33, 16, 17);
        am_attractors_options other_options = velocities(other_axes, 24, -24, 33, 16, 17);
        am_system *system = create(&k), *other_system = create(&other);
        am_result *result = run(system, &options, 1), *other_result = run(other_system, &other_options, 1);
        const am_table *map = am_result_find_table(result, "map");
        const am_table *image = am_result_find_table(other_result, "map");
        for (size_t i = 0; i < am_table_rows(map); i++) {
            assert_near(am_table_number(image, i, 0), -am_table_number(map, i, 0), 0);
            assert_string_equal(am_table_text(image, i, 2), mirrored(am_table_text(map, i, 2)));
            assert_near(am_table_number(image, i, 4), am_table_number(map, i, 4), 0);
            /* rounding may differ where eliminations choose other signs */
            assert_near(am_table_number(image, i, 3), am_table_number(map, i, 3), 1e-9);
        }
        am_result_free(result);
        am_result_free(other_result);
        am_system_free(system);
        am_system_free(other_system);
    }
}

/* ---- refusals ---- */

static void refused(const am_system *system, const am_attractors_options *options, am_status wanted, const char *field,
                    const char *word) {
    am_error err = {0};
    am_result *result = am_result_create(NULL);
    assert_int_equal(am_attractors_run(system, options, result, NULL, &err), wanted);
    assert_int_equal(err.status, wanted);
    assert_string_equal(err.field, field);
    if (!strstr(err.message, word)) {
        print_error("'%s' does not speak of '%s'\n", err.message, word);
        fail();
    }
    assert_int_equal(am_result_table_count(result), 0);
    am_result_free(result);
}

static void loads_that_repeat_for_ever_are_refused(void **state) {
    (void)state;
    am_start_axis axes[2];
    am_attractors_options options = velocities(axes, -1, 1, 2, 1, 2);
    am_klarbring k = fig6();
    k.support_amplitude[0] = 0.1;
    k.support_frequency = 2;
    am_system *system = create(&k);
    refused(system, &options, AM_ERR_UNSUPPORTED, "", "load 3");
    am_system_free(system);

    static const double times[] = {0, 1}, values[] = {0, 1}, direction[] = {1, 0};
    am_load_def saw = {direction, am_function_table(2, times, values)};
    saw.function.period = 2;
    k = fig6();
    k.extra = &saw;
    k.extra_count = 1;
    system = create(&k);
    refused(system, &options, AM_ERR_UNSUPPORTED, "", "load 3");
    am_system_free(system);
}

/* With one or the other motions end on orbits (test_attractors_orbits.c), unless a load grows too. */
static void moving_surfaces_and_repeating_pressure_are_refused_under_a_growing_load(void **state) {
    (void)state;
    am_start_axis axes[2];
    am_attractors_options options = velocities(axes, -1, 1, 2, 1, 2);
    plain_system plain = plain_system_new(2, 1);
    plain.stiffness[0] = plain.stiffness[3] = 1;
    plain.contact[0].tangent[0] = plain.contact[0].normal[1] = 1;
    plain.contact[0].friction = 0.3;
    plain.contact[0].surface_velocity = 0.5;
    plain.loads = 1;
    plain.load[0].direction[0] = 1;
    plain.load[0].function = am_function_ramp(0, 1);
    am_system *system = plain_system_create(&plain, NULL);
    refused(system, &options, AM_ERR_UNSUPPORTED, "", "surface");
    am_system_free(system);
    plain.contact[0].surface_velocity = 0;
    plain.contact[0].normal_law = AM_HELD;
    plain.contact[0].hold = (am_function){.kind = AM_FUNCTION_SINE, .value = 1, .amplitude = 0.1, .frequency = 1};
    system = plain_system_create(&plain, NULL);
    refused(system, &options, AM_ERR_UNSUPPORTED, "", "normal force");
    am_system_free(system);
}

static void a_structure_without_contacts_is_refused(void **state) {
    (void)state;
    am_start_axis axes[2];
    am_attractors_options options = velocities(axes, -1, 1, 2, 1, 2);
    plain_system plain = plain_system_new(2, 0);
    plain.stiffness[0] = plain.stiffness[3] = 1;
    am_system *system = plain_system_create(&plain, NULL);
    assert_non_null(system);
    refused(system, &options, AM_ERR_UNSUPPORTED, "", "contact");
    am_system_free(system);
}

static void wrong_options_are_refused_by_name(void **state) {
    (void)state;
    am_klarbring k = fig6();
    am_system *system = create(&k);
    am_start_axis axes[2];
    const am_attractors_options good = velocities(axes, -1, 1, 2, 1, 2);
    am_attractors_options options = good;
    options.cookie = 0;
    refused(system, &options, AM_ERR_INPUT, "", "am_attractors_options_default");
    options = good;
    options.axis_count = 0;
    refused(system, &options, AM_ERR_INPUT, "starts", "axes");
    options.axis_count = 3;
    refused(system, &options, AM_ERR_INPUT, "starts", "axes");
    options = good;
    options.until = NAN;
    refused(system, &options, AM_ERR_INPUT, "until", "time");
    options.until = -1;
    refused(system, &options, AM_ERR_INPUT, "until", "time");
    axes[0].coordinate = 2;
    refused(system, &good, AM_ERR_INPUT, "starts", "coordinate 3");
    axes[0].coordinate = 0;
    axes[0].from = NAN;
    refused(system, &good, AM_ERR_INPUT, "starts", "finite");
    axes[0].from = 0;
    axes[0].count = 0;
    refused(system, &good, AM_ERR_INPUT, "starts", "point");
    axes[0].count = SIZE_MAX / 2;
    refused(system, &good, AM_ERR_INPUT, "starts", "too many");
    am_system_free(system);
}

static void a_start_below_the_surface_is_refused(void **state) {
    (void)state;
    am_klarbring k = fig6();
    am_system *system = create(&k);
    am_start_axis axes[2];
    am_attractors_options options = velocities(axes, -1, 1, 2, 1, 2);
    axes[1] = (am_start_axis){.coordinate = 1, .from = -0.5, .to = 1, .count = 4};
    refused(system, &options, AM_ERR_INPUT, "initial.displacement", "plane");
    am_system_free(system);
}

/* ---- interruption ---- */

typedef struct patience {
    size_t reports, most;
    double last;
    bool in_range;
} patience;

static bool lose_patience(void *context, double fraction) {
    patience *p = context;
    p->in_range &= fraction >= 0 && fraction <= 1;
    p->last = fraction;
    return ++p->reports < p->most;
}

static void interrupted_work_stops_and_says_so(void **state) {
    (void)state;
    am_klarbring k = fig6();
    am_system *system = create(&k);
    am_start_axis axes[2];
    am_attractors_options options = velocities(axes, -40, 24, 101, 16, 101);
    for (int threads = 1; threads <= 3; threads++) {
        patience p = {.most = 5, .in_range = true};
        am_progress progress = {.report = lose_patience, .context = &p, .threads = threads};
        am_error err = {0};
        am_result *result = am_result_create(NULL);
        assert_int_equal(am_attractors_run(system, &options, result, &progress, &err), AM_ERR_INTERRUPTED);
        assert_int_equal(err.status, AM_ERR_INTERRUPTED);
        /* the starts followed so far are kept, and say so */
        assert_true(am_result_find_table(result, "map") && am_result_find(result, "interrupted"));
        assert_true(am_result_find(result, "not_run")->number > 0.0);
        assert_true(p.in_range);
        /* others may finish what they have begun */
        assert_true(p.reports >= 5 && p.reports <= 5 + (size_t)threads);
        am_result_free(result);
    }
    am_system_free(system);
}

/* The map is one start, so nearly all reports come from the bisection: whenever it is told to, it stops, at once. */
static void an_interrupted_search_for_the_edge_stops_and_says_so(void **state) {
    (void)state;
    am_klarbring k = fig6();
    am_system *system = create(&k);
    const double from[4] = {0}, to[4] = {0, 0, -2, 0};
    am_start_axis axes[2];
    am_attractors_options options = velocities(axes, -1, -1, 1, 0, 1);
    options.edge_from = from;
    options.edge_to = to;
    patience whole = {.most = SIZE_MAX, .in_range = true};
    am_progress progress = {.report = lose_patience, .context = &whole};
    am_result *result = am_result_create(NULL);
    assert_int_equal(am_attractors_run(system, &options, result, &progress, NULL), AM_OK);
    am_result_free(result);
    assert_true(whole.in_range);
    assert_true(whole.reports > 40); /* halving 2 down to 4e-17 */
    for (size_t most = 2; most <= whole.reports; most += 7) {
        patience p = {.most = most, .in_range = true};
        am_error err = {0};
        progress.context = &p;
        result = am_result_create(NULL);
        assert_int_equal(am_attractors_run(system, &options, result, &progress, &err), AM_ERR_INTERRUPTED);
        assert_says(&err, "edge");
        assert_int_equal(p.reports, most);
        assert_null(am_result_find(result, "edge"));
        am_result_free(result);
    }
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_of_fig6_are_those_of_long_simulation),
        cmocka_unit_test(labels_with_damping_are_those_of_long_simulation),
        cmocka_unit_test(labels_with_restitution_are_those_of_long_simulation),
        cmocka_unit_test(labels_of_slip_and_separation_are_those_of_long_simulation),
        cmocka_unit_test(counts_add_up),
        cmocka_unit_test(the_map_is_the_same_bit_for_bit_for_any_number_of_threads),
        cmocka_unit_test(the_edge_is_the_velocity_of_steady_slip),
        cmocka_unit_test(a_line_without_an_edge_is_refused),
        cmocka_unit_test(a_mirrored_system_has_the_mirrored_map),
        cmocka_unit_test(loads_that_repeat_for_ever_are_refused),
        cmocka_unit_test(moving_surfaces_and_repeating_pressure_are_refused_under_a_growing_load),
        cmocka_unit_test(a_structure_without_contacts_is_refused),
        cmocka_unit_test(wrong_options_are_refused_by_name),
        cmocka_unit_test(a_start_below_the_surface_is_refused),
        cmocka_unit_test(interrupted_work_stops_and_says_so),
        cmocka_unit_test(an_interrupted_search_for_the_edge_stops_and_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
