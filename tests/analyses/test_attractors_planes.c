/* Starts on any plane: along directions of displacements and velocities together. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/attractors.h"
#include "amontons/models.h"
#include "amontons/study.h"
#include "errors.h"

static am_result *run(const am_system *system, const am_attractors_options *options) {
    am_progress progress = {.threads = 2};
    am_result *result = am_result_create(NULL);
    GOOD(am_attractors_run(system, options, result, &progress, err));
    return result;
}

static am_attractors_options plane(const am_start_axis *axes) {
    am_attractors_options options = am_attractors_options_default();
    options.axes = axes;
    options.axis_count = 2;
    options.join = false; /* each start on its own */
    return options;
}

/* Klarbring's mass with friction above critical (Fig. 6): stick and separation over the initial velocities. */
static am_system *mass(void) {
    am_klarbring k = am_klarbring_default();
    k.stiffness[0][1] = k.stiffness[1][0] = 1;
    k.stiffness[1][1] = 2;
    k.friction = 1.25;
    assert_int_equal(am_klarbring_bisector(&k, k.load_rate, NULL), AM_OK);
    am_system *system = am_klarbring_create(&k, NULL);
    assert_non_null(system);
    return system;
}

static am_system *rod(void) {
    am_rod r = am_rod_default();
    r.alpha = 1.5;
    r.elements = 2;
    am_system *system = am_rod_create(&r, NULL);
    assert_non_null(system);
    return system;
}

static void check_same_cell(const am_table *a, const am_table *b, size_t row, size_t column) {
    if (am_table_column_kind(a, column) == AM_COLUMN_TEXT) {
        assert_string_equal(am_table_text(a, row, column), am_table_text(b, row, column));
        return;
    }
    double x = am_table_number(a, row, column), y = am_table_number(b, row, column);
    assert_true(x == y || (isnan(x) && isnan(y)));
}

/* All cells, bit by bit; the names of the first two columns differ. */
static void check_same_map(const am_result *a, const am_result *b) {
    const am_table *map = am_result_find_table(a, "map"), *other = am_result_find_table(b, "map");
    assert_int_equal(am_table_rows(map), am_table_rows(other));
    assert_int_equal(am_table_columns(map), am_table_columns(other));
    for (size_t i = 0; i < am_table_rows(map); i++)
        for (size_t c = 0; c < am_table_columns(map); c++)
            check_same_cell(map, other, i, c);
}

static size_t count_text(const am_result *result, size_t column, const char *text) {
    const am_table *map = am_result_find_table(result, "map");
    size_t count = 0;
    for (size_t i = 0; i < am_table_rows(map); i++)
        count += strcmp(am_table_text(map, i, column), text) == 0;
    return count;
}

static void directions_along_the_coordinates_give_the_map_of_the_coordinates(void **state) {
    (void)state;
    static const double v1[4] = {0, 0, 1, 0}, v2[4] = {0, 0, 0, 1}, q1[4] = {1, 0, 0, 0};
    const am_start_axis straight[] = {{.coordinate = 0, .velocity = true, .from = -40, .to = 24, .count = 17},
                                      {.coordinate = 1, .velocity = true, .from = 0, .to = 16, .count = 9}};
    const am_start_axis along[] = {{.direction = v1, .from = -40, .to = 24, .count = 17},
                                   {.direction = v2, .name = "up", .from = 0, .to = 16, .count = 9}};
    am_system *system = mass();
    am_attractors_options options = plane(straight), other = plane(along);
    am_result *map = run(system, &options), *same = run(system, &other);
    check_same_map(map, same);
    assert_true(count_text(map, 2, "stick") > 10 && count_text(map, 2, "open") > 10);
    assert_string_equal(am_table_column_name(am_result_find_table(same, "map"), 0), "s1");
    assert_string_equal(am_table_column_name(am_result_find_table(same, "map"), 1), "up");
    am_result_free(map);
    am_result_free(same);
    am_system_free(system);

    const am_start_axis mixed[] = {{.coordinate = 0, .from = -3, .to = 3, .count = 5},
                                   {.coordinate = 1, .velocity = true, .from = -3, .to = 3, .count = 4}};
    const am_start_axis turned[] = {{.direction = q1, .from = -3, .to = 3, .count = 5}, mixed[1]};
    system = rod();
    options = plane(mixed);
    other = plane(turned);
    map = run(system, &options);
    same = run(system, &other);
    check_same_map(map, same);
    assert_true(count_text(map, 2, "orbit 1") > 0 && count_text(map, 2, "orbit 2") > 0);
    am_result_free(map);
    am_result_free(same);
    am_system_free(system);
}

/* Where starts lead that lie at base + a first + b second: each run alone, with its place given as `initial`. Orbits
 * are numbered by each run for itself, so their periods are compared. */
typedef struct oblique {
    const double *base, *first, *second; /* 2n */
    size_t n;
} oblique;

static double period_of(const am_result *result, double orbit) {
    const am_table *orbits = am_result_find_table(result, "orbits");
    return isnan(orbit) ? 0 : am_table_number(orbits, (size_t)orbit - 1, 1);
}

static void check_alone(const am_system *system, const oblique *p, const am_result *result, size_t row) {
    const am_table *map = am_result_find_table(result, "map");
    double a = am_table_number(map, row, 0), b = am_table_number(map, row, 1), place[8];
    for (size_t i = 0; i < 2 * p->n; i++) {
        place[i] = p->base[i] + a * p->first[i];
        place[i] += b * p->second[i]; /* the same two roundings */
    }
    const am_start_axis here = {.from = place[0], .count = 1};
    am_attractors_options options = plane(&here);
    options.axis_count = 1;
    options.displacement = place;
    options.velocity = place + p->n;
    am_result *alone = run(system, &options);
    const am_table *one = am_result_find_table(alone, "map");
    bool orbits = am_table_find_column(map, "fate") != SIZE_MAX;
    assert_int_equal(am_table_rows(one), 1);
    if (orbits) {
        assert_true(fabs(period_of(alone, am_table_number(one, 0, 2)) -
                         period_of(result, am_table_number(map, row, 3))) <= 1e-9);
        assert_true(am_table_number(one, 0, 3) == am_table_number(map, row, 4));
    } else {
        for (size_t c = 1; c < am_table_columns(one); c++)
            if (c == 1)
                assert_string_equal(am_table_text(one, 0, c), am_table_text(map, row, c + 1));
            else
                assert_true(am_table_number(one, 0, c) == am_table_number(map, row, c + 1));
    }
    am_result_free(alone);
}

static void starts_on_an_oblique_plane_lead_where_each_of_them_leads_alone(void **state) {
    (void)state;
    static const double base[4] = {0.3, 1, -1, 0.5};
    static const double first[4] = {0.1, -0.02, 0.8, -0.6}, second[4] = {0.2, 0.05, 0.6, 0.8};
    const am_start_axis axes[] = {{.direction = first, .from = -30, .to = 20, .count = 6},
                                  {.direction = second, .from = -4, .to = 9, .count = 4}};
    const oblique p = {base, first, second, 2};
    am_system *systems[] = {mass(), rod()};
    for (size_t s = 0; s < 2; s++) {
        am_attractors_options options = plane(axes);
        options.displacement = base;
        options.velocity = base + 2;
        am_result *result = run(systems[s], &options);
        const am_table *map = am_result_find_table(result, "map");
        assert_int_equal(am_table_rows(map), 24);
        const char *fate = am_table_text(map, 0, 2);
        assert_true(count_text(result, 2, fate) < 24); /* not all the same */
        for (size_t i = 0; i < 24; i++) {
            assert_true(fabs(am_table_number(map, i, 0) - (-30 + 10 * (double)(i % 6))) <= 1e-13);
            check_alone(systems[s], &p, result, i);
        }
        am_result_free(result);
        am_system_free(systems[s]);
    }
}

static void refused(const am_start_axis *axes, const char *about) {
    am_system *system = rod();
    am_attractors_options options = plane(axes);
    am_error err = {0};
    am_result *result = am_result_create(NULL);
    assert_int_equal(am_attractors_run(system, &options, result, NULL, &err), AM_ERR_INPUT);
    assert_string_equal(err.field, "starts");
    if (!strstr(err.message, about)) {
        print_error("'%s' does not speak of '%s'\n", err.message, about);
        fail();
    }
    am_result_free(result);
    am_system_free(system);
}

static void directions_that_span_no_plane_are_refused(void **state) {
    (void)state;
    static const double zero[4] = {0}, v2[4] = {0, 0, 0, 3}, some[4] = {1, 2, 3, 4}, back[4] = {-0.1, -0.2, -0.3, -0.4};
    static const double endless[4] = {INFINITY, 0, 0, 0};
    const am_start_axis straight = {.coordinate = 1, .velocity = true, .to = 1, .count = 2};
    refused((am_start_axis[]){straight, {.direction = zero, .to = 1, .count = 2}}, "not zero");
    refused((am_start_axis[]){straight, {.direction = endless, .to = 1, .count = 2}}, "finite");
    refused((am_start_axis[]){straight, {.direction = v2, .to = 1, .count = 2}}, "same direction");
    refused((am_start_axis[]){{.direction = some, .to = 1, .count = 2}, {.direction = back, .to = 1, .count = 2}},
            "same direction");
}

/* ---- study files ---- */

#define MODEL "title: Plane\nmodel: {kind: rod, elements: 2, alpha: 1.5}\n"

static void a_study_names_its_oblique_axes(void **state) {
    (void)state;
    static const char text[] =
        MODEL "analysis:\n"
              "  kind: attractors\n"
              "  starts:\n"
              "    apart: {direction: {displacement: [1, -1], velocity: [0, 0.5]}, from: -2, to: 2, count: 3}\n"
              "    v1: {from: -1, to: 1, count: 2}\n"
              "  initial: {displacement: [0.5, 0.25]}\n"
              "figure: {kind: map, table: map, x: apart, y: v1, value: fate}\n";
    static const double displacement[2] = {0.5, 0.25}, direction[4] = {1, -1, 0, 0.5};
    const am_start_axis axes[] = {{.direction = direction, .from = -2, .to = 2, .count = 3},
                                  {.coordinate = 0, .velocity = true, .from = -1, .to = 1, .count = 2}};
    am_error err = {0};
    am_study *study = am_study_parse("plane.yaml", text, 0, NULL, false, &err);
    am_run *from_study = study ? am_study_run(study, NULL, &err) : NULL;
    if (!from_study)
        print_error("%s\n", err.message);
    assert_non_null(from_study);
    am_system *system = rod();
    am_attractors_options options = plane(axes);
    options.join = true;
    options.displacement = displacement;
    am_result *direct = run(system, &options);
    const am_result *result = am_run_report(from_study)->result;
    check_same_map(result, direct);
    assert_string_equal(am_table_column_name(am_result_find_table(result, "map"), 0), "apart");
    assert_string_equal(am_table_column_name(am_result_find_table(result, "map"), 1), "v1");
    am_result_free(direct);
    am_system_free(system);
    am_run_free(from_study);
    am_study_free(study);
}

static void a_study_with_a_wrong_direction_is_refused_where_it_stands(void **state) {
    (void)state;
    static const struct {
        const char *text, *about;
    } cases[] = {
        {MODEL "analysis: {kind: attractors, starts: {a: {direction: {displacement: [1]}, from: 0}}}\n",
         "one number per coordinate: 2, not 1"},
        {MODEL "analysis: {kind: attractors, starts: {a: {direction: {velocity: [0, 0]}, from: 0}}}\n",
         "must not be zero"},
        {MODEL "analysis: {kind: attractors, starts: {xi1: {direction: {velocity: [1, 0]}, from: 0}}}\n",
         "name of its own"},
        {MODEL "analysis: {kind: attractors, starts: {fate: {direction: {velocity: [1, 0]}, from: 0}}}\n",
         "column of the map"},
        {MODEL "analysis: {kind: attractors, starts: {a: {direction: {speed: [1, 0]}, from: 0}}}\n", "speed"},
        {MODEL "analysis: {kind: attractors, starts: {a: {from: 0}}}\n", "coordinate"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_error err = {0};
        am_study *study = am_study_parse("plane.yaml", cases[i].text, 0, NULL, false, &err);
        assert_null(study);
        assert_int_equal(err.status, AM_ERR_INPUT);
        if (!strstr(err.message, cases[i].about) || !strstr(err.message, "plane.yaml:3:")) {
            print_error("'%s' does not speak of '%s'\n", err.message, cases[i].about);
            fail();
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_along_the_coordinates_give_the_map_of_the_coordinates),
        cmocka_unit_test(starts_on_an_oblique_plane_lead_where_each_of_them_leads_alone),
        cmocka_unit_test(directions_that_span_no_plane_are_refused),
        cmocka_unit_test(a_study_names_its_oblique_axes),
        cmocka_unit_test(a_study_with_a_wrong_direction_is_refused_where_it_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
