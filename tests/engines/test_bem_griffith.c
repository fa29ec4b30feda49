/* Griffith friction by boundary elements: closed forms, Coulomb's limit, unsymmetric profiles, refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "amontons/slip.h"
#include "cases.h"
#include "engines/boundary/bem_griffith.h"
#include "errors.h"
#include "halfplane/power.h"
#include "halfplane/punch.h"
#include "halfplane/sinusoid.h"
#include "halfplane_closed.h"
#include "near.h"
#include "results.h"

static const double pi = 3.14159265358979323846, friction = 0.3;

typedef struct pair {
    am_bem *bem;
    am_bem_griffith *griffith;
} pair;

static pair make(am_bem_def def, am_bem_load load, double toughness) {
    am_error err = {0};
    def.friction = (am_friction){.law = AM_FRICTION_COULOMB, .kinetic = friction};
    def.modulus = 2.0;
    pair p = {.bem = am_bem_create(&def, &err)};
    if (p.bem)
        p.griffith = am_bem_griffith_create(p.bem, &load, toughness, &err);
    if (!p.griffith)
        fail_msg("%s", err.message);
    return p;
}

static void clear(pair *p) {
    am_bem_griffith_free(p->griffith);
    am_bem_free(p->bem);
}

/* gap 0.4 |x|^k, half-width 1, `nodes` spacings to it. */
static pair make_power(double k, double critical, int nodes, am_power *power) {
    *power = (am_power){2.0, k, 0.4, 1.0};
    double gammas = exp(lgamma(0.5 * (k + 1.0)) - lgamma(0.5 * k));
    double root = k * 0.4 * gammas * pow(critical, k - 0.5) * friction, energy = 4.0 * root * root;
    am_bem_def def = {.profile = {.shape = AM_SLIP_POWER, .factor = 0.4, .power = k},
                      .nodes = 2 * (size_t)ceil(1.13 * nodes) + 1,
                      .reference = 4.0};
    def.width = 0.5 * (double)(def.nodes - 1) / (double)nodes;
    return make(def, (am_bem_load){.P = am_power_load(power, 1.0)}, sqrt(2.0 * 2.0 * energy));
}

/* ---- Against closed forms ---- */

static double worst_load(double k, int nodes) {
    double critical = 0.4, worst = 0.0;
    am_power power;
    pair p = make_power(k, critical, nodes, &power);
    for (int i = 0; i <= 16; i++) {
        am_bem_front front;
        GOOD(am_bem_griffith_at(p.griffith, 0.2 + 0.05 * i, &front, err));
        double c = 0.5 * (front.to - front.from);
        assert_near(front.from, -front.to, 1e-12);
        worst = fmax(worst,
                     fabs(front.Q / (friction * am_power_load(&power, 1.0)) - am_griffith_power_share(k, critical, c)));
    }
    clear(&p);
    return worst;
}

static void loads_of_all_stick_zones_converge_to_those_of_power_laws_with_the_square_of_the_spacing(void **state) {
    (void)state;
    double powers[] = {1.0, 2.0, 3.5, 6.0};
    for (int i = 0; i < 4; i++) {
        double coarse = worst_load(powers[i], 60), fine = worst_load(powers[i], 120);
        assert_true(coarse < (1.0 + powers[i] * powers[i]) / (60.0 * 60.0));
        assert_true(fine < 0.3 * coarse); /* 1/4, and a little for the third order */
    }
}

static void limits_and_stick_zones_of_power_laws_are_the_closed_ones(void **state) {
    (void)state;
    double powers[] = {1.0, 2.0, 4.0}, criticals[] = {0.2, 0.6, 1.4};
    for (int i = 0; i < 9; i++) {
        double k = powers[i / 3], critical = criticals[i % 3], second = k * k / (100.0 * 100.0);
        am_power power;
        pair p = make_power(k, critical, 100, &power);
        double limit = friction * am_power_load(&power, 1.0);
        am_griffith_limits l;
        GOOD(am_bem_griffith_limits(p.griffith, &l, err));
        assert_near(l.onset / limit, am_griffith_power_onset(k, critical), 0.2 * second * l.onset / limit);
        assert_int_equal(l.slides_at_once, critical > 1.0);
        am_bem_front front;
        am_error refused = {0};
        assert_int_equal(am_bem_griffith_load(p.griffith, 1.001 * l.largest, &front, &refused), AM_ERR_NO_STATE);
        assert_says(&refused, "slides as a whole");
        if (critical < 1.0) {
            assert_near(l.maximum / limit, am_griffith_power_maximum(k, critical), second);
            assert_near(l.critical, critical, 1e-3); /* a level maximum: the root of the error of Q */
            double share = (0.4 * l.onset + 0.6 * l.maximum) / limit, ratio;
            GOOD(am_bem_griffith_load(p.griffith, share * limit, &front, err));
            GOOD(am_griffith_power_stick(k, critical, share, &ratio, err));
            assert_near(front.to, ratio, 3.0 * second);
            double K = p.griffith ? front.K_right : NAN;
            assert_near(K, front.K_left, 1e-9 * K);
            assert_near(am_bem_view_of(p.bem).Q, share * limit, 1e-12 * limit);
        }
        clear(&p);
    }
}

static void before_the_onset_all_of_it_sticks_under_a_flat_traction(void **state) {
    (void)state;
    am_power power;
    pair p = make_power(2.0, 0.5, 100, &power);
    am_griffith_limits l;
    am_bem_front front;
    GOOD(am_bem_griffith_limits(p.griffith, &l, err));
    double Q = 0.7 * l.onset;
    GOOD(am_bem_griffith_load(p.griffith, Q, &front, err));
    assert_near(front.to, 1.0, 1e-4);
    assert_near(front.K_right, Q / sqrt(pi), 1e-4 * Q);
    am_bem_view v = am_bem_view_of(p.bem);
    for (size_t i = 0; i < v.nodes; i++)
        if (fabs(v.x[i]) < 0.8) /* the last whole node is up to half a spacing from the end: h/2 (1 - x^2)^-1 */
            assert_near(v.q[i] / am_flat_traction(v.x[i], 1.0), Q, 0.02 * Q);
    clear(&p);
}

static pair make_wave(double ratio, double tilde, size_t nodes, am_sinusoid *wave) {
    *wave = (am_sinusoid){2.0, 0.05, 3.0, false};
    double energy = tilde * tilde * friction * friction * pi * 2.0 * 0.05 * 0.05 / (2.0 * 3.0);
    am_bem_def def = {
        .profile = {.shape = AM_SLIP_WAVE, .amplitude = 0.05, .wavelength = 3.0}, .nodes = nodes, .period = 3.0};
    return make(def, (am_bem_load){.P = am_sinusoid_load(wave, 1.5 * ratio)}, sqrt(4.0 * energy));
}

static void waves_have_the_periodic_singular_term_and_not_the_isolated_one(void **state) {
    (void)state;
    double widths[] = {0.3, 0.7, 0.9};
    for (int i = 0; i < 3; i++) {
        am_sinusoid wave;
        double energy = 0.25 * friction * friction * pi * 2.0 * 0.05 * 0.05 / 6.0;
        pair p = make_wave(widths[i], 0.5, 600, &wave);
        am_sinusoid isolated = wave;
        isolated.isolated = true;
        am_griffith periodic, single;
        double load = am_sinusoid_load(&wave, 1.5 * widths[i]), limit = friction * load;
        GOOD(am_griffith_from_load(am_sinusoid_profile(&wave), friction, load, energy, &periodic, err));
        GOOD(am_griffith_from_load(am_sinusoid_profile(&isolated), friction, load, energy, &single, err));
        for (int j = 1; j <= 9; j++) {
            am_bem_front front;
            GOOD(am_bem_griffith_at(p.griffith, 0.1 + 0.1 * j, &front, err));
            double right = am_griffith_tangential(&periodic, front.to),
                   other = am_griffith_tangential(&single, front.to);
            double error = fabs(front.Q - right) / limit;
            assert_true(error < 2e-3 * right / limit); /* second order in h/(1.5 - c), 10 nodes at least */
            if (front.to > 0.6)
                assert_true(error < 0.1 * fabs(right - other) / limit);
        }
        clear(&p);
    }
}

static void a_wave_in_full_contact_has_no_front_until_something_slips(void **state) {
    (void)state;
    am_sinusoid wave;
    pair p = make_wave(1.0, 0.5, 300, &wave);
    am_griffith_limits l;
    am_bem_front front;
    double limit = friction * am_sinusoid_load(&wave, 1.5);
    GOOD(am_bem_griffith_limits(p.griffith, &l, err));
    assert_true(isinf(l.onset) && isinf(l.largest) && l.jumps);
    assert_near(l.maximum / limit, 1.08830, 2e-4); /* docs/halfplane.md, section 7 */
    assert_near(l.least / limit, 0.5837, 2e-3);
    GOOD(am_bem_griffith_load(p.griffith, 5.0 * limit, &front, err));
    assert_near(front.to, 1.5, 1e-9);
    clear(&p);
}

/* Q at the height 1/(2 f alpha) above a punch of half-width 1, P = 1; W~ = sqrt(pi E* W a)/(f P). */
static pair make_punch(double alpha, double tilde, size_t nodes) {
    double energy = tilde * tilde * friction * friction / (pi * 2.0);
    am_bem_def def = {.profile = {.shape = AM_SLIP_PUNCH, .half_width = 1.0}, .nodes = nodes, .reference = 4.0};
    am_bem_load load = {.P = 1.0, .free_tilt = true, .height = 0.5 / (friction * alpha)};
    return make(def, load, sqrt(4.0 * energy));
}

static void punches_slip_as_in_closed_form_before_and_after_lift_off(void **state) {
    (void)state;
    double alphas[] = {2.0, 0.75, 0.9}, tildes[] = {0.0, 0.5, 1.0};
    for (int i = 0; i < 9; i += CASES(1, 4)) { /* the sanitizers: one of each */
        double alpha = alphas[i / 3], tilde = tildes[i % 3];
        pair p = make_punch(alpha, tilde, 120);
        am_punch_limits wanted;
        am_griffith_limits l;
        GOOD(am_punch_limits_of(alpha, tilde, &wanted, err));
        GOOD(am_bem_griffith_limits(p.griffith, &l, err));
        assert_near(l.onset / friction, wanted.onset, 1e-3);
        if (tilde > 0.0)
            assert_near(l.largest / friction, wanted.maximum, 1e-3);
        am_bem_front front;
        am_punch punch;
        double share = 0.5 * (wanted.onset + wanted.maximum);
        GOOD(am_punch_from_load(alpha, share, tilde, &punch, err));
        GOOD(am_bem_griffith_load(p.griffith, share * friction, &front, err));
        assert_near(front.from, 1.0 + punch.stick_edge, 2e-3); /* second order in h = 1/60, by the slope of c over Q */
        assert_near(front.left, 1.0 - 2.0 * punch.contact, 2e-3);
        clear(&p);
    }
}

/* ---- Without a closed form ---- */

/* A parabola that is steeper to the right. */
enum { TABLE = 41 };
static void fill(double sense, double *x, double *gap) {
    for (int i = 0; i < TABLE; i++) {
        x[i] = -2.0 + 4.0 * i / (TABLE - 1);
        double s = sense * x[i];
        gap[i] = 0.25 * s * s + 0.05 * s * s * s + 0.02 * s * s * s * s;
    }
}

static pair make_table(double sense, double toughness, size_t nodes) {
    double x[TABLE], gap[TABLE];
    fill(sense, x, gap);
    am_bem_def def = {.profile = {.shape = AM_SLIP_TABLE, .count = TABLE, .x = x, .gap = gap},
                      .nodes = nodes,
                      .width = 1.2,
                      .reference = 4.0};
    return make(def, (am_bem_load){.P = 0.8}, toughness);
}

static void without_toughness_an_unsymmetric_stick_zone_is_that_of_coulombs_friction(void **state) {
    (void)state;
    pair p = make_table(1.0, 0.0, 181), coulomb = make_table(1.0, 0.0, 181);
    am_bem_load load = {.P = 0.8};
    GOOD(am_bem_step(coulomb.bem, &load, err));
    for (int i = 1; i < 10; i++) {
        am_bem_front front;
        load.Q = 0.1 * i * friction * 0.8;
        GOOD(am_bem_griffith_load(p.griffith, load.Q, &front, err));
        GOOD(am_bem_step(coulomb.bem, &load, err));
        am_bem_zone zones[8];
        assert_int_equal(am_bem_zones(coulomb.bem, 8, zones), 3);
        /* both of second order in h = 0.013: a few hundredths of it */
        assert_near(front.from, zones[1].from, 4e-4);
        assert_near(front.to, zones[1].to, 4e-4);
        assert_true(fabs(front.from + front.to) > 1e-3);
    }
    clear(&p);
    clear(&coulomb);
}

static void both_fronts_of_an_unsymmetric_contact_bear_the_toughness_and_turn_round_with_it(void **state) {
    (void)state;
    pair p = make_table(1.0, 0.05, 181), m = make_table(-1.0, 0.05, 181);
    am_griffith_limits l, k;
    GOOD(am_bem_griffith_limits(p.griffith, &l, err));
    GOOD(am_bem_griffith_limits(m.griffith, &k, err));
    assert_near(l.maximum, k.maximum, 1e-9);
    assert_near(l.onset, k.onset, 1e-9);
    for (int i = 1; i < 5; i++) {
        double Q = l.onset + 0.2 * i * (l.maximum - l.onset), error, backward;
        am_bem_front f, g;
        GOOD(am_bem_griffith_load(p.griffith, Q, &f, err));
        GOOD(am_bem_griffith_load(m.griffith, Q, &g, err));
        assert_near(f.from, -g.to, 1e-7);
        assert_near(f.to, -g.from, 1e-7);
        assert_near(f.K_left, 0.05, 1e-9);
        assert_near(f.K_right, 0.05, 1e-9);
        GOOD(am_bem_griffith_examine(p.griffith, &error, &backward, err));
        assert_near(error, 0.0, 1e-3); /* two ways to K, both of second order in h = 0.013 */
        assert_true(backward < 1e-3);
    }
    clear(&p);
    clear(&m);
}

/* ---- Refusals ---- */

static void dissimilar_bodies_have_no_K_and_several_contacts_are_refused(void **state) {
    (void)state;
    am_bem_def def = {.profile = {.shape = AM_SLIP_HERTZ, .radius = 1.0},
                      .friction = {.law = AM_FRICTION_COULOMB, .kinetic = friction},
                      .modulus = 1.0,
                      .beta = 0.2,
                      .nodes = 101,
                      .width = 1.2};
    am_error err = {0};
    am_bem *bem = am_bem_create(&def, &err);
    am_bem_load load = {.P = 0.7};
    assert_null(am_bem_griffith_create(bem, &load, 0.1, &err));
    assert_int_equal(err.status, AM_ERR_UNSUPPORTED);
    assert_says(&err, "atan(beta f)/pi");
    am_bem_free(bem);
    double x[] = {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0}, gap[] = {1.0, 0.3, 0.0, 0.3, 0.0, 0.3, 1.0};
    def.beta = 0.0;
    def.width = 3.0;
    def.profile = (am_bem_profile){.shape = AM_SLIP_TABLE, .count = 7, .x = x, .gap = gap};
    bem = am_bem_create(&def, &err);
    load.P = 0.05;
    assert_null(am_bem_griffith_create(bem, &load, 0.1, &err));
    assert_says(&err, "several");
    am_bem_free(bem);
}

/* ---- As a question ---- */

static void run(const am_slip_contact *contact, am_slip_method method, double share, am_result *result) {
    am_slip_options options = am_slip_options_default();
    options.Q = share * contact->f * contact->P;
    options.method = method;
    options.branch = 30;
    options.nodes = 80;
    GOOD(am_slip_run(contact, &options, result, NULL, err));
}

static void both_methods_answer_alike(void **state) {
    (void)state;
    static const am_slip_shape shapes[] = {AM_SLIP_HERTZ, AM_SLIP_POWER, AM_SLIP_WAVE, AM_SLIP_PUNCH};
    static const char *const names[] = {"c_over_a",
                                        "l_over_a",
                                        "Q_over_fP",
                                        "Q_max_over_fP",
                                        "Q_onset_over_fP",
                                        "a",
                                        "Q_max",
                                        "Q_partial_max_over_fP",
                                        "Q_partial_min_over_fP"};
    for (int i = 0; i < 4; i++) {
        am_slip_contact contact = am_slip_contact_default(shapes[i]);
        contact.law = AM_FRICTION_GRIFFITH;
        contact.energy = i == 3 ? 0.002 : 0.01;
        contact.exponent = i == 1 ? 3.0 : 2.0;
        contact.height = 0.6;
        contact.P = i == 3 ? 0.3 : contact.P;
        am_result *closed = am_result_create(NULL), *elements = am_result_create(NULL);
        run(&contact, AM_SLIP_CLOSED_FORM, 0.8, closed);
        run(&contact, AM_SLIP_ELEMENTS, 0.8, elements);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            assert_near(number(elements, names[k]), number(closed, names[k]),
                        2e-3 * (0.2 + fabs(number(closed, names[k])))); /* 80 nodes, second order, Q(c) nearly level */
        assert_near(number(elements, "K_II"), number(closed, "K_II"), 2e-3 * number(closed, "K_II"));
        assert_near(number(elements, "energy_release"), number(closed, "energy_release"),
                    4e-3 * number(closed, "energy_release"));
        /* tractions and slips are those of the nearest zone of whole nodes: half a spacing off */
        assert_near(number(elements, "slip_max"), number(closed, "slip_max"), 0.05 * number(closed, "slip_max"));
        assert_near(number(elements, "c_critical_over_a"), number(closed, "c_critical_over_a"), 0.02);
        assert_string_equal(text(elements, "regime"), text(closed, "regime"));
        assert_true(rows(elements, "branch") > 20);
        assert_int_equal(rows(elements, "zones"), rows(closed, "zones"));
        assert_true(number(elements, "front_residual") < 2e-3);
        am_result_free(closed);
        am_result_free(elements);
    }
}

static void profiles_without_a_closed_form_take_griffith_friction(void **state) {
    (void)state;
    double x[TABLE], gap[TABLE];
    fill(1.0, x, gap);
    am_slip_contact rounded = am_slip_contact_default(AM_SLIP_ROUNDED), table = am_slip_contact_default(AM_SLIP_TABLE);
    rounded.half_width = 0.5;
    table.count = TABLE;
    table.x = x;
    table.gap = gap;
    table.P = 0.3;
    rounded.law = table.law = AM_FRICTION_GRIFFITH;
    rounded.energy = table.energy = 1e-3;
    am_slip_contact contacts[] = {rounded, table};
    for (int i = 0; i < 2; i++) {
        am_result *result = am_result_create(NULL);
        run(&contacts[i], AM_SLIP_AUTOMATIC, 0.9, result);
        assert_string_equal(text(result, "method"), "boundary-elements");
        assert_near(number(result, "energy_release"), 1e-3, 1e-9);
        assert_true(number(result, "c_over_a") > 0.1 && number(result, "c_over_a") < 0.99);
        assert_true(number(result, "Q_max_over_fP") > 1.0);
        assert_true(number(result, "front_residual") < 5e-3);
        am_result_free(result);
    }
}

static void a_slip_front_between_dissimilar_bodies_is_refused_as_input(void **state) {
    (void)state;
    am_slip_contact contact = am_slip_contact_default(AM_SLIP_HERTZ);
    am_slip_options options = am_slip_options_default();
    am_result *result = am_result_create(NULL);
    am_error err = {0};
    contact.law = AM_FRICTION_GRIFFITH;
    contact.energy = 0.01;
    contact.beta = 0.1;
    options.Q = 0.1;
    assert_int_equal(am_slip_run(&contact, &options, result, NULL, &err), AM_ERR_INPUT);
    assert_blames(&err, "beta", "K_II is not defined");
    contact.beta = 0.0;
    options.method = AM_SLIP_ELEMENTS;
    options.Q = 50.0 * contact.f * contact.P;
    assert_int_equal(am_slip_run(&contact, &options, result, NULL, &err), AM_ERR_INPUT);
    assert_blames(&err, "Q", "slides as a whole");
    am_result_free(result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_of_all_stick_zones_converge_to_those_of_power_laws_with_the_square_of_the_spacing),
        cmocka_unit_test(limits_and_stick_zones_of_power_laws_are_the_closed_ones),
        cmocka_unit_test(before_the_onset_all_of_it_sticks_under_a_flat_traction),
        cmocka_unit_test(waves_have_the_periodic_singular_term_and_not_the_isolated_one),
        cmocka_unit_test(a_wave_in_full_contact_has_no_front_until_something_slips),
        cmocka_unit_test(punches_slip_as_in_closed_form_before_and_after_lift_off),
        cmocka_unit_test(without_toughness_an_unsymmetric_stick_zone_is_that_of_coulombs_friction),
        cmocka_unit_test(both_fronts_of_an_unsymmetric_contact_bear_the_toughness_and_turn_round_with_it),
        cmocka_unit_test(dissimilar_bodies_have_no_K_and_several_contacts_are_refused),
        cmocka_unit_test(both_methods_answer_alike),
        cmocka_unit_test(profiles_without_a_closed_form_take_griffith_friction),
        cmocka_unit_test(a_slip_front_between_dissimilar_bodies_is_refused_as_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
