/* Laws of friction that weaken, and as laws of a structure's contacts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "amontons/system.h"
#include "errors.h"
#include "near.h"
#include "system/system.h"

static const double slips[] = {0.0, 0.2, 0.5, 1.1}, coefficients[] = {0.5, 0.55, 0.25, 0.2};

static const am_friction laws[] = {
    {.law = AM_FRICTION_RAMP, .kinetic = 0.2, .fixed = 0.5, .distance = 0.4},
    {.law = AM_FRICTION_STEP, .kinetic = 0.2, .fixed = 0.5, .distance = 0.4},
    {.law = AM_FRICTION_EXPONENTIAL, .kinetic = 0.2, .fixed = 0.5, .distance = 0.4},
    {.law = AM_FRICTION_TABLE, .count = 4, .slip = slips, .coefficient = coefficients},
};
enum { LAWS = sizeof laws / sizeof *laws };

/* Simpson's rule on pieces of 0.001, at whose ends all corners lie: exact for lines, 1e-12 for the exponential. */
static double area(const am_friction *law, double to) {
    double h = 0.001, sum = 0.0, slope;
    for (int i = 0; i < (int)lround(to / h); i++) {
        double from = i * h;
        sum += h / 6.0 *
               (am_friction_at(law, from, &slope) + 4.0 * am_friction_at(law, from + 0.5 * h, &slope) +
                am_friction_at(law, from + h, &slope));
    }
    return sum;
}

static void the_work_is_the_area_under_the_law(void **state) {
    (void)state;
    for (size_t i = 0; i < LAWS; i++)
        for (double to = 0.1; to < 2.05; to += 0.1)
            assert_near(am_friction_work(&laws[i], to), area(&laws[i], to), 1e-11);
}

/* Eq. (4.11): all laws with the same distance take the same energy more than kinetic friction does. */
static void laws_of_one_distance_take_the_same_energy(void **state) {
    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_near(am_friction_work(&laws[i], 40.0) - 0.2 * 40.0, 0.3 * 0.4, 1e-14);
}

static void the_slope_is_the_derivative_and_none_is_steeper(void **state) {
    (void)state;
    for (size_t i = 0; i < LAWS; i++)
        for (double at = 0.013; at < 1.5; at += 0.0371) {
            double slope, unused, step = 1e-6;
            am_friction_at(&laws[i], at, &slope);
            double difference =
                (am_friction_at(&laws[i], at + step, &unused) - am_friction_at(&laws[i], at - step, &unused)) /
                (2.0 * step);
            assert_near(slope, difference, 1e-8); /* eps/step, and step^2 of the exponential */
            assert_true(am_friction_steepest(&laws[i], 0.0, 2.0) <= slope);
            assert_true(am_friction_steepest(&laws[i], at, at + 0.01) <= slope);
        }
}

static void beyond_its_reach_a_law_is_constant(void **state) {
    (void)state;
    for (size_t i = 0; i < LAWS; i++) {
        double slope, reach = am_friction_reach(&laws[i]);
        assert_near(am_friction_at(&laws[i], reach, &slope), am_friction_last(&laws[i]), 1e-15);
        assert_near(am_friction_at(&laws[i], 10.0 * reach, &slope), am_friction_last(&laws[i]), 1e-15);
    }
    assert_near(am_friction_reach(&laws[0]), 0.8, 1e-15);
    assert_near(am_friction_reach(&laws[1]), 0.5, 1e-15);
    assert_near(am_friction_reach(&laws[3]), 1.1, 0.0);
}

/* ---- of a contact ---- */

static am_system *with_contact(am_contact_def contact, am_error *err) {
    const double K[4] = {1, 0, 0, 1}, tangent[2] = {1, 0}, normal[2] = {0, 1};
    am_matrix *stiffness = am_matrix_dense(2, 2, K, err);
    contact.tangent = tangent;
    contact.normal = normal;
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.stiffness = stiffness;
    def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = am_system_create(&def, err);
    am_matrix_free(stiffness);
    return system;
}

static am_contact_def weakening_contact(double friction, double static_friction, am_friction law) {
    am_contact_def contact = am_contact_def_default();
    contact.friction = friction;
    contact.static_friction = static_friction;
    contact.weakening = law;
    return contact;
}

static void a_contact_fills_in_its_law_and_a_table_fills_in_its_contact(void **state) {
    (void)state;
    am_error err = {0};
    am_system *ramp =
        with_contact(weakening_contact(0.2, 0.5, (am_friction){.law = AM_FRICTION_RAMP, .distance = 0.4}), &err);
    am_system *table = with_contact(weakening_contact(0.0, 0.0, laws[3]), &err);
    assert_non_null(ramp);
    assert_non_null(table);
    am_system *copy = am_system_copy(table, &err);
    am_system_free(table); /* a copy owns its table */
    assert_non_null(copy);
    const am_contact_def *r = am_system_contact(ramp, 0), *t = am_system_contact(copy, 0);
    assert_near(r->weakening.kinetic, 0.2, 0.0);
    assert_near(r->weakening.fixed, 0.5, 0.0);
    assert_near(t->friction, 0.2, 0.0);
    assert_near(t->static_friction, 0.55, 0.0);
    for (size_t i = 0; i < 4; i++) {
        assert_near(t->weakening.slip[i], slips[i], 0.0);
        assert_near(t->weakening.coefficient[i], coefficients[i], 0.0);
    }
    am_system_free(ramp);
    am_system_free(copy);
}

static void wrong_laws_are_named(void **state) {
    (void)state;
    const double back[] = {0.0, 0.3, 0.2, 1.0};
    const am_friction ramp = {.law = AM_FRICTION_RAMP, .distance = 0.4};
    const struct {
        am_contact_def contact;
        const char *field, *words;
    } wrong[] = {
        {weakening_contact(0.2, 0.5, (am_friction){.law = AM_FRICTION_RAMP}), "contacts[0].weakening.length",
         "must be positive"},
        {weakening_contact(0.2, 0.5, (am_friction){.law = AM_FRICTION_STEP, .distance = NAN}),
         "contacts[0].weakening.length", "must be positive"},
        {weakening_contact(0.2, 0.0, ramp), "contacts[0].static_friction", "falls from static_friction"},
        {weakening_contact(0.2, 0.2, ramp), "contacts[0].static_friction", "falls from static_friction"},
        {weakening_contact(0.2, 0.5, (am_friction){.law = AM_FRICTION_RAMP, .distance = 1.0, .fixed = 0.6}),
         "contacts[0].weakening.fixed", "0.6 here and 0.5"},
        {weakening_contact(0.2, 0.5, (am_friction){.law = AM_FRICTION_STATIC_KINETIC}), "contacts[0].weakening.law",
         "alone"},
        {weakening_contact(0.2, 0.5, (am_friction){.law = (am_friction_law)17}), "contacts[0].weakening.law",
         "unknown"},
        {weakening_contact(0.0, 0.0, (am_friction){.law = AM_FRICTION_TABLE, .count = 4}),
         "contacts[0].weakening.points", "needs its points"},
        {weakening_contact(
             0.0, 0.0, (am_friction){.law = AM_FRICTION_TABLE, .count = 4, .slip = back, .coefficient = coefficients}),
         "contacts[0].weakening.points", "point 3"},
        {weakening_contact(0.3, 0.0, laws[3]), "contacts[0].friction", "0.3 here and 0.2"},
        {weakening_contact(0.2, 0.9, laws[3]), "contacts[0].static_friction", "0.9 here and 0.55"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        am_error err = {0};
        assert_null(with_contact(wrong[i].contact, &err));
        assert_blames(&err, wrong[i].field, wrong[i].words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_work_is_the_area_under_the_law),
        cmocka_unit_test(laws_of_one_distance_take_the_same_energy),
        cmocka_unit_test(the_slope_is_the_derivative_and_none_is_steeper),
        cmocka_unit_test(beyond_its_reach_a_law_is_constant),
        cmocka_unit_test(a_contact_fills_in_its_law_and_a_table_fills_in_its_contact),
        cmocka_unit_test(wrong_laws_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
