/* The box from which `attractors` takes its starts when none is given. */
#include <math.h>

#include "analysis/attractors/starts.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"

static const double pi = 3.14159265358979323846;

enum { BOTH = 4 }; /* two coordinates and their velocities */

static void box_under(am_function load, double low[BOTH], double high[BOTH]) {
    static const double mass[] = {1.0, 0.0, 0.0, 2.0}, stiffness[] = {3.0, -1.0, -1.0, 2.0};
    static const double direction[] = {1.0, 0.5};
    am_load_def push = {.direction = direction, .function = load};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.load_count = 1;
    def.loads = &push;
    am_system *system = dense_system(def, mass, NULL, stiffness);
    GOOD(am_starts_default_box(system, low, high, err));
    am_system_free(system);
}

/* What a load is in the long run, its mean, its range and how fast it varies, does not depend on how it is written. */
static void a_repeated_table_has_the_box_of_the_sine_it_stands_for(void **state) {
    (void)state;
    static const double times[] = {0.0, 1.0, 2.0, 3.0}, values[] = {1.0, 3.0, 1.0, -1.0};
    am_function sine = {.kind = AM_FUNCTION_SINE, .value = 1.0, .amplitude = 2.0, .frequency = 2.0 * pi / 4.0};
    am_function table = {.kind = AM_FUNCTION_TABLE, .count = 4, .times = times, .values = values, .period = 4.0};
    double low[2][BOTH], high[2][BOTH];
    box_under(sine, low[0], high[0]);
    box_under(table, low[1], high[1]);
    for (int i = 0; i < BOTH; i++) {
        assert_true(high[0][i] > low[0][i]);
        assert_near(low[1][i], low[0][i], 1e-12);
        assert_near(high[1][i], high[0][i], 1e-12);
    }
}

/* Twice as fast a load: twice the speeds, the same displacements. */
static void faster_tables_start_faster(void **state) {
    (void)state;
    static const double slow[] = {0.0, 1.0, 2.0, 3.0}, fast[] = {0.0, 0.5, 1.0, 1.5}, values[] = {0.0, 1.0, 0.0, -1.0};
    am_function table = {.kind = AM_FUNCTION_TABLE, .count = 4, .times = slow, .values = values, .period = 4.0};
    am_function twice = {.kind = AM_FUNCTION_TABLE, .count = 4, .times = fast, .values = values, .period = 2.0};
    double low[2][BOTH], high[2][BOTH];
    box_under(table, low[0], high[0]);
    box_under(twice, low[1], high[1]);
    for (int i = 0; i < 2; i++) {
        assert_near(high[1][i], high[0][i], 1e-12);
        assert_near(high[1][2 + i], 2.0 * high[0][2 + i], 1e-12);
        assert_near(low[1][2 + i], 2.0 * low[0][2 + i], 1e-12);
    }
}

/* A table that ends holds its last value: no load varies, and the structure's own lowest frequency sets the speeds. */
static void a_table_that_ends_moves_nothing_in_the_long_run(void **state) {
    (void)state;
    static const double times[] = {0.0, 1.0}, values[] = {5.0, 2.0};
    am_function table = {.kind = AM_FUNCTION_TABLE, .count = 2, .times = times, .values = values};
    am_function constant = {.kind = AM_FUNCTION_CONSTANT, .value = 2.0};
    double low[2][BOTH], high[2][BOTH];
    box_under(table, low[0], high[0]);
    box_under(constant, low[1], high[1]);
    for (int i = 0; i < BOTH; i++) {
        assert_near(low[0][i], low[1][i], 1e-12);
        assert_near(high[0][i], high[1][i], 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_repeated_table_has_the_box_of_the_sine_it_stands_for),
        cmocka_unit_test(faster_tables_start_faster),
        cmocka_unit_test(a_table_that_ends_moves_nothing_in_the_long_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
