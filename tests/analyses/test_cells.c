/* Cell-to-cell mapping: the unravelling of finite maps, and the attractors of the friction oscillator (Papangelo 2017,
 * chapter 7) found by cells and by direct starts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/attractors.h"
#include "amontons/models.h"
#include "amontons/orbit.h"
#include "analyses/cells/map.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "results.h"

/* ---- unravelling ---- */

static am_cell_map unravelled(const uint32_t *image, size_t count) {
    am_error err = {0};
    am_cell_map map = {.count = count, .image = malloc(count * sizeof *image)};
    memcpy(map.image, image, count * sizeof *image);
    assert_int_equal(am_cell_map_unravel(&map, 1, &err), AM_OK);
    return map;
}

static void a_map_by_hand_is_unravelled(void **unused) {
    (void)unused;
    /* 0 -> 1 -> 2 -> 3 -> 1: a cycle of three; 4 -> 4; 5 -> 4; 6 -> out; 7 -> 6; 8 -> lost; 9 -> 0 */
    const uint32_t image[] = {1, 2, 3, 1, 4, 4, AM_CELL_OUTSIDE, 6, AM_CELL_LOST, 0};
    am_cell_map map = unravelled(image, 10);
    const int32_t group[] = {1, 1, 1, 1, 2, 2, AM_GROUP_OUTSIDE, AM_GROUP_OUTSIDE, AM_GROUP_LOST, 1};
    const uint32_t steps[] = {1, 0, 0, 0, 0, 1, 1, 2, 1, 2};
    assert_int_equal(map.groups, 2);
    assert_int_equal(map.list[0].period, 3);
    assert_int_equal(map.list[0].domain, 5);
    assert_int_equal(map.list[1].period, 1);
    assert_int_equal(map.list[1].domain, 2);
    assert_int_equal(map.outside, 2);
    assert_int_equal(map.lost, 1);
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(map.group[i], group[i]);
        assert_int_equal(map.steps[i], steps[i]);
    }
    am_cell_map_clear(&map);
}

/* Every cell is followed until it repeats, which cannot take more steps than there are cells. */
static void random_maps_are_unravelled_as_by_following_every_cell(void **unused) {
    (void)unused;
    enum { CELLS = 300 };
    for (uint64_t seed = 1; seed <= 50; seed++) {
        random_source source = random_seed(seed);
        uint32_t image[CELLS];
        for (size_t i = 0; i < CELLS; i++)
            image[i] = random_chance(&source, 0.01) ? AM_CELL_OUTSIDE : (uint32_t)random_index(&source, CELLS);
        am_cell_map map = unravelled(image, CELLS);
        size_t total = map.outside + map.lost;
        for (size_t g = 0; g < map.groups; g++)
            total += map.list[g].domain;
        assert_int_equal(total, CELLS);
        for (size_t i = 0; i < CELLS; i++) {
            uint32_t cell = (uint32_t)i;
            for (uint32_t k = 0; k < map.steps[i]; k++) {
                assert_true(cell != AM_CELL_OUTSIDE);
                assert_true(map.group[cell] == map.group[i]);
                assert_true(map.steps[cell] == map.steps[i] - k); /* not periodic before */
                cell = image[cell];
            }
            if (map.group[i] == AM_GROUP_OUTSIDE) {
                assert_true(cell == AM_CELL_OUTSIDE);
                continue;
            }
            uint32_t back = cell;
            size_t period = map.list[map.group[i] - 1].period;
            for (size_t k = 0; k < period; k++) {
                assert_true(k == 0 || back != cell); /* not before the period */
                back = image[back];
            }
            assert_true(back == cell);
        }
        am_cell_map_clear(&map);
    }
}

/* ---- the oscillator ---- */

static am_system *oscillator(double beta, double eta, double delta_deg, double Omega, double xi) {
    am_error err = {0};
    am_oscillator model = am_oscillator_default();
    model.beta = beta;
    model.eta = eta;
    model.delta_deg = delta_deg;
    model.Omega = Omega;
    model.xi = xi;
    am_system *system = am_oscillator_create(&model, &err);
    if (!system)
        print_error("%s\n", err.message);
    assert_non_null(system);
    return system;
}

static am_result *map_box(const am_system *system, double v, double vdot, size_t count, size_t periods, int threads) {
    am_error err = {0};
    const am_cell_axis axes[] = {{0, -v, v, count}, {1, -vdot, vdot, count}};
    am_cells_options options = am_cells_options_default();
    am_progress progress = {.threads = threads};
    options.axes = axes;
    options.axis_count = 2;
    options.periods = periods;
    am_result *result = am_result_create(&err);
    if (am_cells_run(system, &options, result, &progress, &err) != AM_OK) {
        print_error("%s\n", err.message);
        fail();
    }
    assert_true(periods == 0 || number(result, "periods_per_step") == (double)periods);
    return result;
}

static double orbit_number(const am_result *result, size_t row, const char *column) {
    const am_table *orbits = am_result_find_table(result, "orbits");
    size_t index = am_table_find_column(orbits, column);
    assert_true(index != SIZE_MAX && row < am_table_rows(orbits));
    return am_table_number(orbits, row, index);
}

/* Follow starts on a grid in the same box; every attractor they reach must be among those of the cells, and the other
 * way round. */
static void compare_with_starts(const am_system *system, const am_result *cells, double v, double vdot) {
    enum { SIDE = 7 };
    am_error err = {0};
    size_t count = rows(cells, "orbits");
    bool reached[64] = {false};
    assert_true(count <= 64);
    am_motion *engine = am_motion_create(system, true, &err);
    for (size_t i = 0; i <= SIDE * SIDE; i++) {
        bool last =
            i == SIDE * SIDE; /* where the mass on a belt slides without a stop: 0.5 + 0.3 sin(1.4 t)/(1 - 1.4^2) */
        double q = last ? 0.5 : v * (2.0 * (double)(i / SIDE) / (SIDE - 1) - 1.0);
        double s = last ? -0.4375 : vdot * (2.0 * (double)(i % SIDE) / (SIDE - 1) - 1.0);
        am_orbit_options options = am_orbit_options_default();
        am_orbit orbit = {0};
        am_orbit_search search;
        options.displacement = &q;
        options.velocity = &s;
        if (am_orbit_find(engine, &options, &orbit, &search, NULL, &err) != AM_OK) {
            print_error("%s\n", err.message);
            fail();
        }
        assert_int_equal(search.outcome, AM_ORBIT_PERIODIC);
        bool found = false;
        for (size_t k = 0; k < count; k++) {
            bool same = orbit_number(cells, k, "returns") == (double)orbit.returns &&
                        orbit_number(cells, k, "stops") == (double)orbit.stops &&
                        fabs(orbit_number(cells, k, "period") - orbit.period) <= 1e-9 * orbit.period &&
                        fabs(orbit_number(cells, k, "multiplier") - orbit.multiplier) <= 1e-6 &&
                        fabs(orbit_number(cells, k, "dissipation") - orbit.dissipation) <= 1e-8;
            found |= same;
            reached[k] |= same;
        }
        if (!found)
            print_error("start %g, %g: period %g, %zu returns, %zu stops, multiplier %g, dissipation %g\n", q, s,
                        orbit.period, orbit.returns, orbit.stops, orbit.multiplier, orbit.dissipation);
        assert_true(found);
        am_orbit_clear(&orbit);
    }
    for (size_t k = 0; k < count; k++)
        assert_true(reached[k]);
    am_motion_free(engine);
}

typedef struct oscillator_case {
    double beta, Omega, v, vdot;
    double stops; /* per cycle; -1: not known beforehand */
} oscillator_case;

static void check_case(const oscillator_case *c) {
    am_system *system = oscillator(c->beta, 0, 0, c->Omega, 0);
    am_result *cells = map_box(system, c->v, c->vdot, 61, 0, 0);
    if (getenv("SHOW_CELLS"))
        print_message(
            "beta %g Omega %g: groups %g orbits %g unresolved %g outside %g longest %g agreement %g stops %g\n",
            c->beta, c->Omega, number(cells, "groups"), number(cells, "orbits"), number(cells, "unresolved"),
            number(cells, "outside"), number(cells, "longest_group"), number(cells, "agreement"),
            orbit_number(cells, 0, "stops"));
    assert_true(number(cells, "unresolved") == 0);
    assert_true(number(cells, "lost") == 0);
    assert_true(number(cells, "worst_closing") <= 1e-12);
    compare_with_starts(system, cells, c->v, c->vdot);
    if (c->stops >= 0)
        assert_near(orbit_number(cells, 0, "stops"), c->stops, 0);
    am_result_free(cells);
    am_system_free(system);
}

/* Fig. 7.3: beta = 0.51. */
static void cells_and_starts_agree_for_no_stop_per_cycle(void **unused) {
    (void)unused;
    check_case(&(oscillator_case){0.51, 0.76, 4, 4, 0});
}

static void cells_and_starts_agree_for_two_stops_per_cycle(void **unused) {
    (void)unused;
    check_case(&(oscillator_case){0.51, 0.47, 3, 3, 2});
}

static void cells_and_starts_agree_for_six_stops_per_cycle(void **unused) {
    (void)unused;
    check_case(&(oscillator_case){0.51, 0.09, 2, 2, 6});
}

static void cells_and_starts_agree_for_ten_stops_per_cycle(void **unused) {
    (void)unused;
    check_case(&(oscillator_case){0.51, 0.05, 2, 2, 10});
}

static void cells_and_starts_agree_elsewhere(void **unused) {
    (void)unused;
    static const oscillator_case cases[] = {
        {0.2, 0.3, 3, 3, -1}, {0.3, 1.3, 4, 4, -1}, {0.8, 0.6, 3, 3, -1}, {0.9, 1.0, 4, 4, -1}, {0.7, 0.2, 2, 2, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

/* A forced mass on a belt whose static friction is twice the kinetic one: stick-slip motions of 3 and of 16 periods of
 * the load coexist with sliding. */
static am_system *forced_belt(void) {
    const double one[] = {1}, damping[] = {0.02};
    am_contact_def contact = am_contact_def_default();
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1);
    contact.friction = 0.5;
    contact.static_friction = 1;
    contact.surface_velocity = 0.5;
    const am_load_def load = {.direction = one, .function = am_function_sine(0.3, 1.4, 0)};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.contacts = &contact;
    def.contact_count = 1;
    def.loads = &load;
    def.load_count = 1;
    return dense_system(def, one, damping, one);
}

static void coexisting_attractors_are_all_found(void **unused) {
    (void)unused;
    am_system *system = forced_belt();
    am_result *cells = map_box(system, 4, 4, 101, 16, 0); /* the basin of sliding takes two cells */
    assert_true(number(cells, "orbits") == 3);
    assert_true(number(cells, "unresolved") == 0);
    assert_true(number(cells, "checks_elsewhere") == 0);
    assert_true(number(cells, "agreement") >= 0.95);
    double returns = 0;
    for (size_t i = 0; i < 3; i++) {
        returns += orbit_number(cells, i, "returns");
        assert_true(orbit_number(cells, i, "multiplier") < 1);
    }
    assert_near(returns, 16 + 3 + 1, 0);
    compare_with_starts(system, cells, 4, 4);
    am_result_free(cells);
    am_system_free(system);
}

static void steps_take_as_many_periods_as_the_checks_demand(void **unused) {
    (void)unused;
    am_system *system = forced_belt();
    am_result *cells = map_box(system, 4, 4, 61, 0, 0);
    assert_true(number(cells, "periods_per_step") > 1);
    assert_true(number(cells, "agreement") >= 0.95);
    am_result_free(cells);
    am_system_free(system);
}

static void cells_that_are_too_coarse_are_not_believed(void **unused) {
    (void)unused;
    am_error err = {0};
    am_system *system = forced_belt();
    const am_cell_axis axes[] = {{0, -4, 4, 21}, {1, -4, 4, 21}};
    am_cells_options options = am_cells_options_default();
    options.axes = axes;
    options.axis_count = 2;
    options.periods = 1;
    am_result *result = am_result_create(&err);
    assert_int_equal(am_cells_run(system, &options, result, NULL, &err), AM_ERR_EVIDENCE);
    assert_says(&err, "too coarse: with 1 periods");
    am_result_free(result);
    am_system_free(system);
}

static void a_stuck_mass_is_one_family_of_motions(void **unused) {
    (void)unused;
    /* Friction never yields to the load: the mass stays where it stops, anywhere with |sin - v| <= beta for good. */
    am_system *system = oscillator(1.5, 0, 0, 0.4, 0);
    am_result *cells = map_box(system, 3, 3, 61, 0, 0);
    assert_true(number(cells, "groups") > 3);
    assert_true(number(cells, "orbits") == 1);
    assert_true(number(cells, "unresolved") == 0);
    assert_near(orbit_number(cells, 0, "dissipation"), 0, 1e-12);
    assert_near(orbit_number(cells, 0, "share"), 1.0 - number(cells, "outside") / number(cells, "cells"), 1e-12);
    am_result_free(cells);
    am_system_free(system);
}

static void a_slider_behind_a_spring_has_three_state_variables(void **unused) {
    (void)unused;
    am_error err = {0};
    am_griffin model = am_griffin_default();
    model.beta = 0.25;
    model.Omega = 0.7;
    model.zeta = 0.05;
    model.stiffness_ratio = 0.5;
    am_system *system = am_griffin_create(&model, &err);
    if (!system)
        print_error("%s\n", err.message);
    assert_non_null(system);
    assert_int_equal(am_cells_dimension(system), 3);
    char name[32];
    am_cells_entry_name(system, 2, name, sizeof name);
    assert_string_equal(name, "stretch1");
    const am_cell_axis axes[] = {{0, -4, 4, 25}, {1, -4, 4, 25}, {2, -0.65, 0.65, 13}};
    am_cells_options options = am_cells_options_default();
    options.axes = axes;
    options.axis_count = 3;
    am_result *result = am_result_create(&err);
    am_status status = am_cells_run(system, &options, result, NULL, &err);
    if (status)
        print_error("%s\n", err.message);
    assert_int_equal(status, AM_OK);
    assert_true(number(result, "orbits") == 1);
    assert_true(number(result, "unresolved") == 0);
    assert_near(number(result, "agreement"), 1, 0);
    assert_true(number(result, "lost") > 0); /* springs stretched beyond what friction holds */
    am_result_free(result);
    am_system_free(system);
}

static void the_number_of_threads_does_not_matter(void **unused) {
    (void)unused;
    am_system *system = oscillator(0.51, 0.3, 40, 0.47, 0);
    am_result *one = map_box(system, 3, 3, 41, 0, 1), *four = map_box(system, 3, 3, 41, 0, 4);
    static const char *const names[] = {"cells", "groups", "orbits"};
    for (size_t t = 0; t < 3; t++) {
        const am_table *a = am_result_find_table(one, names[t]), *b = am_result_find_table(four, names[t]);
        assert_int_equal(am_table_rows(a), am_table_rows(b));
        for (size_t row = 0; row < am_table_rows(a); row++)
            for (size_t column = 0; column < am_table_columns(a); column++) {
                if (am_table_column_kind(a, column) == AM_COLUMN_TEXT) {
                    assert_string_equal(am_table_text(a, row, column), am_table_text(b, row, column));
                    continue;
                }
                double x = am_table_number(a, row, column), y = am_table_number(b, row, column);
                assert_true(x == y || (isnan(x) && isnan(y)));
            }
    }
    am_result_free(one);
    am_result_free(four);
    am_system_free(system);
}

/* A mass on a spring, shaken; `weakens`: its friction falls to 0.2 with the distance slid, for which the box has an axis. */
static am_result *shaken_mass(bool weakens) {
    const double one[] = {1}, damping[] = {0.2};
    am_error err = {0};
    am_contact_def contact = am_contact_def_default();
    am_load_def load = {.direction = one, .function = am_function_sine(0.8, 1.3, 0)};
    am_system_def def = am_system_def_default();
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1);
    contact.friction = 0.2;
    if (weakens) {
        contact.static_friction = 0.5;
        contact.weakening = (am_friction){AM_FRICTION_RAMP, .kinetic = 0.2, .fixed = 0.5, .distance = 0.15};
    }
    def.n = def.contact_count = def.load_count = 1;
    def.contacts = &contact;
    def.loads = &load;
    am_system *system = dense_system(def, one, damping, one);
    am_cell_axis axes[] = {{0, -3, 3, 11}, {1, -3, 3, 11}, {2, -0.1, 1, 4}};
    am_cells_options options = am_cells_options_default();
    options.axes = axes;
    options.axis_count = weakens ? 3 : 2;
    options.checks = 10;
    am_result *result = am_result_create(&err);
    assert_int_equal(am_cells_dimension(system), options.axis_count);
    GOOD(am_cells_run(system, &options, result, NULL, err));
    am_system_free(system);
    return result;
}

/* What slip has worn down does not come back: whatever the friction was, the motion comes to that of the worn contact. */
static void friction_that_weakens_has_an_axis_of_its_own(void **unused) {
    (void)unused;
    am_result *wearing = shaken_mass(true), *worn = shaken_mass(false);
    assert_near(number(wearing, "orbits"), 1, 0);
    assert_near(number(wearing, "resolved_share"), 1, 0);
    const char *const columns[] = {"period", "dissipation", "multiplier"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) /* both close to rounding */
        assert_near(cell(table_of(wearing, "orbits"), 0, columns[i]), cell(table_of(worn, "orbits"), 0, columns[i]),
                    1e-9);
    am_result_free(wearing);
    am_result_free(worn);
}

static void what_cells_cannot_do_is_refused(void **unused) {
    (void)unused;
    am_error err = {0};
    am_rod rod = am_rod_default();
    rod.alpha = 0.5;
    am_system *system = am_rod_create(&rod, &err);
    am_result *result = am_result_create(&err);
    am_cells_options options = am_cells_options_default();
    assert_int_equal(am_cells_run(system, &options, result, NULL, &err), AM_ERR_UNSUPPORTED); /* four variables */
    am_system_free(system);
    rod.elements = 1;
    system = am_rod_create(&rod, &err);
    am_cell_axis axes[] = {{0, -1, 1, 11}, {1, -1, 1, 11}};
    options.axes = axes;
    options.axis_count = 2;
    assert_int_equal(am_cells_run(system, &options, result, NULL, &err), AM_ERR_INPUT); /* no load repeats */
    am_system_free(system);
    system = oscillator(0.5, 0, 0, 0.5, 0);
    options.axis_count = 1;
    assert_int_equal(am_cells_run(system, &options, result, NULL, &err), AM_ERR_INPUT);
    options.axis_count = 2;
    axes[1].entry = 0;
    assert_int_equal(am_cells_run(system, &options, result, NULL, &err), AM_ERR_INPUT);
    axes[1].entry = 1;
    axes[1].to = -2;
    assert_int_equal(am_cells_run(system, &options, result, NULL, &err), AM_ERR_INPUT);
    axes[1].to = NAN;
    assert_int_equal(am_cells_run(system, &options, result, NULL, &err), AM_ERR_INPUT);
    axes[1].to = 1;
    axes[1].count = 1000000000;
    assert_int_equal(am_cells_run(system, &options, result, NULL, &err), AM_ERR_INPUT);
    axes[1].count = 11;
    options.period = 3;
    assert_int_equal(am_cells_run(system, &options, result, NULL, &err), AM_ERR_INPUT);
    am_result_free(result);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_by_hand_is_unravelled),
        cmocka_unit_test(random_maps_are_unravelled_as_by_following_every_cell),
        cmocka_unit_test(cells_and_starts_agree_for_no_stop_per_cycle),
        cmocka_unit_test(cells_and_starts_agree_for_two_stops_per_cycle),
        cmocka_unit_test(cells_and_starts_agree_for_six_stops_per_cycle),
        cmocka_unit_test(cells_and_starts_agree_for_ten_stops_per_cycle),
        cmocka_unit_test(cells_and_starts_agree_elsewhere),
        cmocka_unit_test(coexisting_attractors_are_all_found),
        cmocka_unit_test(steps_take_as_many_periods_as_the_checks_demand),
        cmocka_unit_test(cells_that_are_too_coarse_are_not_believed),
        cmocka_unit_test(a_stuck_mass_is_one_family_of_motions),
        cmocka_unit_test(a_slider_behind_a_spring_has_three_state_variables),
        cmocka_unit_test(friction_that_weakens_has_an_axis_of_its_own),
        cmocka_unit_test(the_number_of_threads_does_not_matter),
        cmocka_unit_test(what_cells_cannot_do_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
