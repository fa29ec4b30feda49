/* The double Cattaneo-Mindlin solution under any symmetric profile (4.38-4.41): by quadrature of its own tractions,
 * against the cylinder's formulas, and the energy it stands for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "errors.h"
#include "halfplane/power.h"
#include "halfplane/sinusoid.h"
#include "hertz.h"
#include "math/quadrature.h"
#include "near.h"
#include "tractions.h"
#include "weakening_cylinder.h"

static double edge_shear(const am_weakening_contact *contact, double stick, double x) {
    am_griffith edge = am_weakening_edge(contact, stick);
    return am_griffith_shear(&edge, stick, x);
}

static double edge_slip(const am_weakening_contact *contact, double stick, double x) {
    am_griffith edge = am_weakening_edge(contact, stick);
    return am_griffith_slip(&edge, stick, x);
}

static const double pi = 3.14159265358979323846;
static const am_slip_measure measures[] = {AM_SLIP_EDGE, AM_SLIP_INTEGRAL, AM_SLIP_ENERGY};

/* ---- Cylinders: the same numbers from two codes ---- */

static void cylinders_agree_with_their_own_formulas(void **unused) {
    (void)unused;
    double radius = 3.0, modulus = 2.0, f_s = 0.36, f_d = 0.2, Delta = 0.01;
    am_hertz hertz;
    GOOD(am_hertz_from_load(modulus, radius, 0.7, &hertz, err));
    am_power power = {modulus, 2.0, 0.5 / radius, 1.0};
    double a = hertz.half_width, limit = f_d * 0.7;
    for (int m = 0; m < 2; m++) {
        am_weakening plain;
        am_weakening_contact contact;
        am_weakening_law law = {f_s, f_d, Delta, measures[m]};
        GOOD(am_weakening_from_length(f_s, f_d, radius, a, Delta, measures[m], &plain, err));
        GOOD(am_weakening_contact_from_load(am_power_profile(&power), &law, 0.7, &contact, err));
        for (int i = 0; i <= 20; i++) {
            am_weakening_state one = am_weakening_at(&plain, i / 20.0);
            am_weakening_zones other = am_weakening_zones_at(&contact, i / 20.0 * a);
            /* the integral over the zone is known to 1e-13 or so, and b follows from it */
            assert_near(other.transition / a, one.transition, 1e-11);
            assert_near(other.tangential / limit, one.tangential, 1e-11);
            assert_int_equal(other.truncated, one.truncated);
            for (int k = 0; k < 10; k++) {
                double x = 0.1037 * k;
                assert_near(am_weakening_zones_shear(&contact, &other, x * a) / (f_d * hertz.peak),
                            am_weakening_shear(&one, x), 1e-10);
                assert_near(am_weakening_zones_slip(&contact, &other, x * a) / (f_d * a * a / radius),
                            am_weakening_slip(&one, x), 1e-10);
            }
        }
        am_weakening_limits one = am_weakening_limits_of(&plain), other = am_weakening_contact_limits(&contact);
        assert_near(other.maximum / limit, one.maximum, 1e-11);
        assert_near(other.critical / a, one.critical, 1e-5); /* a flat top: the root of the rounding */
        assert_near(other.truncation / a, one.truncation, 1e-11);
        am_weakening_limits edge = am_weakening_edge_limits(&contact);
        double critical, maximum, psi = am_weakening_psi(&plain), stick, same;
        am_weakening_short_limits(psi, &critical, &maximum);
        assert_near(edge.maximum / limit, maximum, 1e-12);
        GOOD(am_weakening_short_stick(psi, 0.9, &stick, err));
        GOOD(am_weakening_edge_stick(&contact, &edge, 0.9 * limit, &same, err));
        assert_near(same / a, stick, 1e-12);
        assert_near(edge_shear(&contact, same, 0.2 * a) / (f_d * hertz.peak), am_weakening_short_shear(psi, stick, 0.2),
                    1e-11);
        assert_near(edge_slip(&contact, same, 0.95 * a) / (f_d * a * a / radius),
                    am_weakening_short_slip(psi, stick, 0.95), 1e-11);
    }
}

/* ---- Any profile: what the tractions themselves say ---- */

typedef struct state {
    const am_weakening_contact *contact;
    const am_weakening_zones *zones;
    double stick;
} state;

static double shear_at(const void *context, double x) {
    const state *s = context;
    return am_weakening_zones_shear(s->contact, s->zones, x);
}

static double edge_shear_at(const void *context, double x) {
    const state *s = context;
    return edge_shear(s->contact, s->stick, x);
}

static double pressure_at(const am_weakening_contact *contact, double x) {
    return contact->profile.kind->pressure(contact->profile.data, x, contact->half_width);
}

static double friction_at(const state *s, double x) {
    return shear_at(s, x) / pressure_at(s->contact, x);
}

/* Re F of the shear traction, which is the slope of the slip times half of the modulus. */
static double strain(am_real_function f, const state *s, const double *edges, size_t count, double period, double x) {
    return period > 0.0 ? hilbert_periodic(f, s, edges, count, period, x) : hilbert(f, s, edges, count, x);
}

/* `steep`: friction may rise before it falls. */
static void check_zones(const am_weakening_contact *contact, const am_weakening_zones *zones, double period,
                        bool steep) {
    state s = {contact, zones, zones->stick};
    double a = contact->half_width, b = zones->transition, c = zones->stick, edges[] = {-a, -b, -c, 0.0, c, b, a};
    double scale = contact->law.fixed * contact->load / a,
           modulus = contact->profile.kind->modulus(contact->profile.data);
    assert_true(c < b && b < a);
    /* quadrature of square roots and of the logarithm of a wedge */
    assert_near(integral_between(shear_at, &s, edges, 7) / zones->tangential, 1.0, 1e-8);
    for (int k = -4; k <= 4; k++) {
        double x = (0.2 * k + 0.03) * c;
        assert_near(strain(shear_at, &s, edges, 7, period, x), 0.0, 1e-7 * scale);
        assert_true(friction_at(&s, x) < contact->law.fixed);
    }
    assert_near(friction_at(&s, c * (1.0 + 1e-12)), contact->law.fixed, 1e-4); /* falls like a root: 1e-6 */
    double before = contact->law.fixed + 1e-12, h = 1e-5 * a;
    for (int k = 1; k < 8; k++) {
        double x = c + 0.125 * k * (b - c), y = b + 0.125 * k * (a - b), both[] = {x, y};
        assert_true((steep || friction_at(&s, x) < before) && friction_at(&s, x) > contact->law.kinetic);
        before = friction_at(&s, x);
        assert_near(friction_at(&s, y), contact->law.kinetic, 1e-12);
        for (int i = 0; i < 2; i++) { /* differences of the slip: h^2 over the distance to an edge, to the 3/2 */
            double rate = (am_weakening_zones_slip(contact, zones, both[i] + h) -
                           am_weakening_zones_slip(contact, zones, both[i] - h)) /
                          (2.0 * h);
            assert_near(0.5 * modulus * rate / scale, strain(shear_at, &s, edges, 7, period, both[i]) / scale, 2e-5);
        }
    }
}

/* (q - f_d p) du over the transition zone, as a sum over small steps of the slip itself. */
static void check_amount(const am_weakening_contact *contact, const am_weakening_zones *zones) {
    enum { STEPS = 600 };
    state s = {contact, zones, zones->stick};
    const am_weakening_law *law = &contact->law;
    double energy = 0.0, length = 0.0, c = zones->stick, b = zones->transition, last = 0.0;
    for (int i = 0; i < STEPS; i++) {
        /* even steps of an angle that turns both square roots into smooth functions */
        double t = 0.5 * pi * (i + 0.5) / STEPS, end = 0.5 * pi * (i + 1.0) / STEPS;
        double x = sqrt(c * c + (b * b - c * c) * sin(t) * sin(t));
        double slip = am_weakening_zones_slip(contact, zones, sqrt(c * c + (b * b - c * c) * sin(end) * sin(end)));
        double above = shear_at(&s, x) - law->kinetic * pressure_at(contact, x);
        energy += above * (slip - last);
        length += above / pressure_at(contact, x) * (slip - last) / (law->fixed - law->kinetic);
        last = slip;
    }
    double edge = energy / ((law->fixed - law->kinetic) * pressure_at(contact, c));
    double amount = law->measure == AM_SLIP_EDGE ? edge : law->measure == AM_SLIP_ENERGY ? energy : length;
    assert_near(amount / law->amount, 1.0, 1e-4); /* second order in 1/600 */
    assert_near(am_weakening_implied(contact, c, b) / law->amount, 1.0, 1e-11);
}

static void check_edge(const am_weakening_contact *contact, double c, double period) {
    state s = {contact, NULL, c};
    double a = contact->half_width, edges[] = {-a, -c, 0.0, c, a}, h = 1e-5 * a, x = 0.5 * (c + a);
    double scale = contact->law.fixed * contact->load / a,
           modulus = contact->profile.kind->modulus(contact->profile.data);
    assert_near(integral_between(edge_shear_at, &s, edges, 5) / am_weakening_edge_tangential(contact, c), 1.0, 1e-8);
    for (int k = -4; k <= 4; k++)
        assert_near(strain(edge_shear_at, &s, edges, 5, period, (0.2 * k + 0.03) * c), 0.0, 1e-7 * scale);
    double rate = (edge_slip(contact, c, x + h) - edge_slip(contact, c, x - h)) / (2.0 * h);
    assert_near(0.5 * modulus * rate / scale, strain(edge_shear_at, &s, edges, 5, period, x) / scale, 1e-5);
    /* K_II^2 = 2 E* (f_s - f_d) p(c) Delta (4.32); what is regular at c adds sqrt(e) */
    double e = 1e-10 * c, K = edge_shear_at(&s, c - e) * sqrt(2.0 * pi * e);
    double W = (contact->law.fixed - contact->law.kinetic) * pressure_at(contact, c) * contact->law.amount;
    assert_near(K / sqrt(2.0 * modulus * W), 1.0, 1e-3);
}

static void check_profile(am_profile profile, double a, double period, bool steep) {
    double P = profile.kind->load(profile.data, a);
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < 3; i++) {
            static const double parts[] = {0.2, 0.5, 0.75};
            am_weakening_contact contact;
            am_weakening_law law = {0.3, 0.2, 1.0, measures[m]};
            GOOD(am_weakening_contact_from_load(profile, &law, P, &contact, err));
            assert_near(contact.half_width, a, 1e-13);
            /* an amount for which the transition takes half of the slip zone */
            double c = parts[i] * a, b = 0.5 * (c + a);
            contact.law.amount = am_weakening_implied(&contact, c, b);
            am_weakening_zones zones = am_weakening_zones_at(&contact, c);
            assert_near(zones.transition / b, 1.0, 1e-10);
            assert_false(zones.truncated);
            check_zones(&contact, &zones, period, steep);
            check_amount(&contact, &zones);
            if (m == 0)
                check_edge(&contact, c, period);
        }
}

static void powers_satisfy_every_condition(void **unused) {
    (void)unused;
    static const double exponents[] = {1.0, 1.5, 3.0, 4.0, 9.0};
    for (int i = 0; i < 5; i++) {
        am_power power = {3.0, exponents[i], 0.4, 10.0};
        check_profile(am_power_profile(&power), 1.3, 0.0, exponents[i] > 2.0);
    }
}

static void waves_satisfy_every_condition(void **unused) {
    (void)unused;
    am_sinusoid wave = {.modulus = 3.0, .amplitude = 0.1, .wavelength = 2.0};
    check_profile(am_sinusoid_profile(&wave), 0.3, 2.0, false);
    check_profile(am_sinusoid_profile(&wave), 0.9, 2.0, false);
}

static double transform_error(const am_weakening_contact *contact, const am_weakening_zones *zones, bool edge,
                              double x) {
    double z = 1e-9 * contact->half_width; /* as good as on the surface: Im F = -q */
    am_griffith griffith = am_weakening_edge(contact, zones->stick);
    am_transform t = edge ? am_griffith_transform(&griffith, zones->stick, x, z)
                          : am_weakening_zones_transform(contact, zones, x, z);
    double q = edge ? edge_shear(contact, zones->stick, x) : am_weakening_zones_shear(contact, zones, x);
    return fabs(cimag(t.value) + q);
}

static void transforms_are_those_of_the_tractions(void **unused) {
    (void)unused;
    am_power power = {3.0, 3.5, 0.4, 10.0};
    am_sinusoid wave = {.modulus = 3.0, .amplitude = 0.1, .wavelength = 4.0};
    am_profile profiles[] = {am_power_profile(&power), am_sinusoid_profile(&wave)};
    for (int i = 0; i < 2; i++) {
        am_weakening_contact contact;
        am_weakening_law law = {0.3, 0.2, 0.005, AM_SLIP_EDGE};
        double P = profiles[i].kind->load(profiles[i].data, 1.0);
        GOOD(am_weakening_contact_from_load(profiles[i], &law, P, &contact, err));
        am_weakening_zones zones = am_weakening_zones_at(&contact, 0.4);
        for (int k = 0; k < 16; k++) {
            double x = -0.97 + 0.13 * k;
            assert_near(transform_error(&contact, &zones, false, x), 0.0, 1e-7);
            assert_near(transform_error(&contact, &zones, true, x), 0.0, 1e-6);
        }
    }
}

/* p(x; b)/p(x; a) rises from the middle outwards for powers above 2, as the pressure of the narrower contact has its
 * peak further inside. */
static void steep_profiles_imply_friction_above_the_static_one(void **unused) {
    (void)unused;
    static const double exponents[] = {1.0, 2.0, 3.0, 9.0};
    for (int i = 0; i < 4; i++) {
        am_power power = {1.0, exponents[i], 0.4, 10.0};
        am_weakening_contact contact;
        am_weakening_law law = {0.3, 0.2, 0.006, AM_SLIP_EDGE};
        GOOD(am_weakening_contact_from_load(am_power_profile(&power), &law, am_power_load(&power, 1.0), &contact, err));
        am_weakening_zones zones = am_weakening_zones_between(&contact, 0.1, 0.6);
        state s = {&contact, &zones, 0.1};
        double most = 0.0;
        for (int k = 1; k < 1000; k++)
            most = fmax(most, friction_at(&s, 0.1 + 0.0005 * k));
        assert_int_equal(most > 0.3 * (1.0 + 1e-6), exponents[i] > 2.0);
        assert_near(am_weakening_peak(&contact, &zones) / fmax(most, 0.3), 1.0, 1e-5); /* a top between samples */
    }
}

/* ---- Loads ---- */

static void loads_lead_to_the_states_they_belong_to(void **unused) {
    (void)unused;
    static const double exponents[] = {1.0, 3.0};
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < 2; m++) {
            am_power power = {1.0, exponents[i], 0.4, 10.0};
            am_weakening_contact contact;
            am_weakening_law law = {0.3, 0.2, 0.006, measures[m]};
            GOOD(am_weakening_contact_from_load(am_power_profile(&power), &law, am_power_load(&power, 1.0), &contact,
                                                err));
            am_weakening_limits limits = am_weakening_contact_limits(&contact);
            assert_true(limits.maximum > 0.2 * contact.load && limits.maximum < 0.3 * contact.load);
            double before = 1.0 + 1e-12;
            for (int k = 0; k <= 10; k++) {
                am_weakening_zones zones;
                GOOD(am_weakening_zones_from_load(&contact, &limits, 0.1 * k * limits.maximum, &zones, err));
                assert_near(zones.tangential / limits.maximum, 0.1 * k, 1e-10);
                assert_true(zones.stick < before && zones.stick >= limits.critical - 1e-9);
                before = zones.stick;
            }
            am_weakening_zones zones;
            am_error err = {0};
            assert_int_equal(am_weakening_zones_from_load(&contact, &limits, 0.31 * contact.load, &zones, &err),
                             AM_ERR_INPUT);
            assert_blames(&err, "Q", "slides as a whole; the largest load is 1.");
        }
}

static void short_transitions_tend_to_griffith_friction(void **unused) {
    (void)unused;
    am_sinusoid wave = {.modulus = 1.0, .amplitude = 0.1, .wavelength = 1.0};
    am_profile profile = am_sinusoid_profile(&wave);
    double error[2];
    for (int i = 0; i < 2; i++) { /* the same energy (f_s - f_d) Delta, shorter and shorter */
        double excess = i == 0 ? 2.0 : 4.0;
        am_weakening_contact contact;
        am_weakening_law law = {0.1 + excess, 0.1, 1e-4 / excess, AM_SLIP_EDGE};
        GOOD(am_weakening_contact_from_load(profile, &law, am_sinusoid_load(&wave, 0.3), &contact, err));
        error[i] =
            fabs(am_weakening_zones_at(&contact, 0.15).tangential - am_weakening_edge_tangential(&contact, 0.15));
        assert_true(error[i] < 0.01 * am_weakening_edge_tangential(&contact, 0.15));
    }
    assert_true(error[1] < 0.3 * error[0]); /* the zone is as wide as Delta/(f_s - f_d): a quarter */
}

static void bad_laws_are_refused(void **unused) {
    (void)unused;
    am_sinusoid wave = {.modulus = 1.0, .amplitude = 0.1, .wavelength = 1.0};
    am_profile profile = am_sinusoid_profile(&wave);
    am_weakening_contact contact;
    am_error err = {0};
    am_weakening_law law = {0.2, 0.2, 0.1, AM_SLIP_EDGE};
    assert_int_equal(am_weakening_contact_from_load(profile, &law, 0.1, &contact, &err), AM_ERR_INPUT);
    assert_blames(&err, "f_s", "above the dynamic one");
    law = (am_weakening_law){0.3, 0.0, 0.1, AM_SLIP_EDGE};
    assert_int_equal(am_weakening_contact_from_load(profile, &law, 0.1, &contact, &err), AM_ERR_INPUT);
    assert_blames(&err, "f_d", "positive");
    law = (am_weakening_law){0.3, 0.2, 0.1, AM_SLIP_EDGE};
    assert_int_equal(am_weakening_contact_from_load(profile, &law, 0.0, &contact, &err), AM_ERR_INPUT);
    assert_blames(&err, "P", "never touch");
    assert_int_equal(am_weakening_contact_from_load(profile, &law, 1.0, &contact, &err), AM_ERR_INPUT);
    assert_blames(&err, "P", "whole period");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinders_agree_with_their_own_formulas),
        cmocka_unit_test(powers_satisfy_every_condition),
        cmocka_unit_test(waves_satisfy_every_condition),
        cmocka_unit_test(transforms_are_those_of_the_tractions),
        cmocka_unit_test(steep_profiles_imply_friction_above_the_static_one),
        cmocka_unit_test(loads_lead_to_the_states_they_belong_to),
        cmocka_unit_test(short_transitions_tend_to_griffith_friction),
        cmocka_unit_test(bad_laws_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
