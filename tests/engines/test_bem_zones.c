/* Where boundary elements see zones end: between nodes, for profiles and loads of all kinds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "engines/boundary/bem.h"
#include "errors.h"
#include "halfplane/power.h"
#include "near.h"

enum { SEED = 5 };
static const double friction = 0.3;

static double draw(int trial, size_t dimension) {
    return am_random_unit(SEED, (uint64_t)trial, dimension);
}

/* Half-width 1, gap 0.5 |x|^k. */
static am_bem *make(double k, double spacings, double aside) {
    am_bem_def def = {.profile = {.shape = AM_SLIP_POWER, .factor = 0.5, .power = k},
                      .friction = {.law = AM_FRICTION_COULOMB, .kinetic = friction},
                      .modulus = 1.0,
                      .nodes = 2 * (size_t)ceil(1.1 * spacings) + 7,
                      .reference = 4.0};
    def.width = 0.5 * (double)(def.nodes - 1) / spacings;
    def.centre = aside / spacings;
    am_error err = {0};
    am_bem *bem = am_bem_create(&def, &err);
    if (!bem)
        fail_msg("%s", err.message);
    return bem;
}

/* The contact [0] and the part of it that sticks [1] under Q = share f P, after P. */
static void solve(double k, double spacings, double aside, double share, am_bem_zone zone[2]) {
    am_power power = {1.0, k, 0.5, 1.0};
    double P = am_power_load(&power, 1.0);
    am_bem *bem = make(k, spacings, aside);
    am_bem_load load = {.P = P};
    am_bem_zone zones[8];
    GOOD(am_bem_step(bem, &load, err));
    load.Q = share * friction * P;
    GOOD(am_bem_step(bem, &load, err));
    assert_int_equal(am_bem_zones(bem, 8, zones), 3);
    assert_int_equal(zones[1].state, AM_STICK);
    zone[0] = (am_bem_zone){.state = AM_STICK, .from = zones[0].from, .to = zones[2].to};
    zone[1] = zones[1];
    am_bem_free(bem);
}

/* Near sliding as well: 12 nodes at least on half of the stick zone. */
static void contacts_and_stick_zones_of_power_laws_end_within_a_twentieth_of_a_spacing(void **state) {
    (void)state;
    enum { TRIALS = 150 };
    for (int trial = 0; trial < TRIALS; trial++) {
        double k = 1.0 + 11.0 * draw(trial, 0), spacings = 60.0 + 100.0 * draw(trial, 1);
        double aside = k > 1.5 ? draw(trial, 2) - 0.5 : 0.0, least = 12.0 / spacings;
        double c = least + (0.98 - least) * draw(trial, 3), share = 1.0 - pow(c, k);
        if (share > 0.9999)
            continue; /* Q is then nearly f P, and c hardly known from it */
        am_bem_zone zone[2];
        solve(k, spacings, aside, share, zone);
        double near = 0.05 / spacings;
        assert_near(zone[0].from, -1.0, near);
        assert_near(zone[0].to, 1.0, near);
        assert_near(zone[1].from, -c, near);
        assert_near(zone[1].to, c, near);
    }
}

static void ends_converge_with_the_square_of_the_spacing(void **state) {
    (void)state;
    double powers[] = {2.0, 4.0, 9.0};
    for (int i = 0; i < 3; i++) {
        double worst[2] = {0.0, 0.0}, k = powers[i];
        for (int fine = 0; fine < 2; fine++)
            for (int j = 0; j < 5; j++) {
                am_bem_zone zone[2];
                double share = 0.15 + 0.2 * j;
                solve(k, fine ? 200.0 : 50.0, 0.0, share, zone);
                worst[fine] =
                    fmax(worst[fine], fmax(fabs(zone[0].to - 1.0), fabs(zone[1].to - pow(1.0 - share, 1.0 / k))));
            }
        assert_true(worst[0] < 1.0 / (50.0 * 50.0));
        assert_true(worst[1] < worst[0] / 10.0); /* 16, less where the place of the end between nodes matters */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_and_stick_zones_of_power_laws_end_within_a_twentieth_of_a_spacing),
        cmocka_unit_test(ends_converge_with_the_square_of_the_spacing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
