/* The box from which `attractors` takes its starts when none is given. */
#include <math.h>

#include "analyses/attractors/starts.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"

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

/* The formula of docs/attractors.md, section 4, for two coordinates: K^-1 by Cramer's rule, the lowest frequency from
 * det(K - w^2 M) = 0 with masses on the diagonal. */
static void the_box_is_made_of_deflections_surfaces_and_frequencies(void **state) {
    (void)state;
    random_source source = random_seed(91);
    for (size_t trial = 0; trial < 40; trial++) {
        double mass[4] = {random_between(&source, 0.5, 2), 0, 0, random_between(&source, 0.5, 2)}, K[4];
        double push[2] = {random_between(&source, -1, 1), random_between(&source, -1, 1)}, t[2] = {1, 0};
        double mean = random_between(&source, -1, 1), amplitude = random_between(&source, 0, 2);
        double W = random_between(&source, 0.3, 3), V = trial % 2 ? random_between(&source, -2, 2) : 0.0;
        random_definite(&source, 2, 0.5, 2, K);
        t[trial % 3 == 0] = random_between(&source, 0.1, 0.9); /* the larger entry is 1, or it is none */
        am_contact_def contact = am_contact_def_default();
        contact.tangent = t;
        contact.normal_law = AM_HELD;
        contact.hold = am_function_constant(random_between(&source, 0.5, 2));
        contact.friction = random_between(&source, 0.1, 0.5);
        contact.static_friction = contact.friction + random_between(&source, 0, 0.3);
        contact.surface_velocity = V;
        am_function load = am_function_sine(amplitude, W, 0.2);
        load.value = mean;
        am_load_def pushes = {.direction = push, .function = load};
        am_system_def def = am_system_def_default();
        def.n = 2;
        def.contact_count = 1;
        def.contacts = &contact;
        def.load_count = 1;
        def.loads = &pushes;
        am_system *system = dense_system(def, mass, NULL, K);
        double low[BOTH], high[BOTH], determinant = K[0] * K[3] - K[1] * K[2];
        GOOD(am_starts_default_box(system, low, high, err));
        double b = K[0] * mass[3] + K[3] * mass[0], a = mass[0] * mass[3];
        double w1 = sqrt((b - sqrt(b * b - 4.0 * a * determinant)) / (2.0 * a));
        double belt = fabs(V) / fmax(fabs(t[0]), fabs(t[1])), N = contact.hold.value;
        for (size_t i = 0; i < 2; i++) {
            double pushed = (K[3 - 3 * i] * push[i] - K[1] * push[1 - i]) / determinant;
            double rubbed = (K[3 - 3 * i] * t[i] - K[1] * t[1 - i]) / determinant;
            double dragged = V != 0.0 ? copysign(contact.friction * N, V) : 0.0;
            double held = contact.static_friction * N - fabs(dragged);
            double centre = mean * pushed + dragged * rubbed;
            double reach = fabs(amplitude * pushed) + fabs(held * rubbed) + belt / w1, speed = belt + W * reach;
            assert_near(low[i], centre - 2.0 * reach, 1e-12 * (1.0 + reach / w1));
            assert_near(high[i], centre + 2.0 * reach, 1e-12 * (1.0 + reach / w1));
            assert_near(high[2 + i], 2.0 * speed, 1e-12 * (1.0 + speed / w1));
            assert_near(low[2 + i], -2.0 * speed, 1e-12 * (1.0 + speed / w1));
        }
        am_system_free(system);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_box_is_made_of_deflections_surfaces_and_frequencies),
        cmocka_unit_test(a_repeated_table_has_the_box_of_the_sine_it_stands_for),
        cmocka_unit_test(faster_tables_start_faster),
        cmocka_unit_test(a_table_that_ends_moves_nothing_in_the_long_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
