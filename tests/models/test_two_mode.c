/* Model two-mode: Chatterjee 2006, sections 2 and 3, against the characteristic polynomial written down by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <string.h>

#include "amontons/models.h"
#include "amontons/stability.h"
#include "base/random.h"

static void close_to(double got, double wanted, double tolerance) {
    if (!(fabs(got - wanted) <= tolerance)) {
        print_error("got %.17g, wanted %.17g within %g\n", got, wanted, tolerance);
        fail();
    }
}

static am_system *make(const am_two_mode *model) {
    am_error err = {0};
    am_system *system = am_two_mode_create(model, &err);
    if (!system)
        fail_msg("refused: %s", err.message);
    return system;
}

static am_spectrum spectrum_of(const am_two_mode *model) {
    am_error err = {0};
    am_spectrum spectrum = {0};
    am_stability_options options = am_stability_options_default();
    am_system *system = make(model);
    if (am_stability_spectrum(system, &options, &spectrum, &err) != AM_OK)
        fail_msg("failed: %s", err.message);
    am_system_free(system);
    return spectrum;
}

/* p1 p2 - chi (K_c + s D_c)(p1 - Delta p2), eqs. (10), (11), (14) with N eliminated; `size`: sum of its terms. */
static double complex characteristic(const am_two_mode *m, double complex s, double *size) {
    double m2 = m->m1 * m->m_r, c2 = m->c1 * m->C_r, k2 = m->k1 * m->K_r;
    double complex p1 = m->m1 * s * s + m->c1 * s + m->k1 + m->A2, p2 = m2 * s * s + c2 * s + k2 + m->A1;
    double complex law = m->K_c + s * m->D_c;
    double complex one = m->lambda1 * m->f1 * p2 * law, two = m->lambda2 * m->f2 * p1 * law;
    double complex structure = m->A1 * m->beta1 * m->A2 * m->beta2;
    double complex cross = law * (m->lambda2 * m->f1 * m->A1 * m->beta1 + m->lambda1 * m->f2 * m->A2 * m->beta2);
    *size = cabs(p1 * p2) + cabs(one) + cabs(two) + cabs(structure) + cabs(cross);
    return p1 * p2 - structure - one - two - cross;
}

/* One number after another. */
static double draw(uint64_t *index) {
    return am_random_unit(5, (*index)++, 0);
}

static am_two_mode random_model(uint64_t *random) {
    am_two_mode m = am_two_mode_default();
    double *free[] = {&m.m1, &m.c1, &m.k1, &m.m_r, &m.C_r, &m.K_r, &m.lambda1, &m.lambda2, &m.eta1, &m.eta2, &m.P};
    for (size_t i = 0; i < sizeof free / sizeof *free; i++)
        *free[i] = exp(2.0 * draw(random) - 1.0);
    m.f2 = -exp(draw(random));
    m.contact = AM_KELVIN_VOIGT;
    m.K_c = exp(8.0 * draw(random));
    m.D_c = exp(6.0 * draw(random) - 3.0);
    assert_int_equal(am_two_mode_set_delta(&m, 0.5 * draw(random) / m.K_r, NULL), AM_OK);
    return m;
}

static void eigenvalues_are_roots_of_the_characteristic_polynomial(void **state) {
    (void)state;
    uint64_t random = 0;
    for (int i = 0; i < 200; i++) {
        am_two_mode m = random_model(&random);
        if (i % 2) {
            m.A1 = draw(&random);
            m.A2 = draw(&random);
            m.beta1 = i % 4 == 1 ? 0.3 : m.A2; /* the second has a potential: A1 beta1 = A2 beta2 */
            m.beta2 = i % 4 == 1 ? -0.7 : m.A1;
        }
        am_spectrum spectrum = spectrum_of(&m);
        assert_int_equal(spectrum.count, 4);
        for (size_t k = 0; k < 4; k++) {
            double size;
            double complex s = spectrum.real[k] + I * spectrum.imaginary[k];
            double complex p = characteristic(&m, s, &size);
            if (!(cabs(p) <= 1e-11 * size)) /* backward error of a 4 x 4 problem, entries up to 1e4 apart */
                fail_msg("system %d: s = %g%+gi leaves %g of %g", i, creal(s), cimag(s), cabs(p), size);
        }
        am_spectrum_clear(&spectrum);
    }
}

static void rigid_contact_leaves_the_equation_13(void **state) {
    (void)state;
    am_two_mode m = am_two_mode_default();
    m.m_r = 0.8;
    m.C_r = 0.7;
    m.K_r = 0.5;
    assert_int_equal(am_two_mode_set_delta(&m, 0.9, NULL), AM_OK);
    am_spectrum spectrum = spectrum_of(&m);
    double Me = m.m1 * (1 - 0.8 * 0.9), Ce = m.c1 * (1 - 0.7 * 0.9), Ke = m.k1 * (1 - 0.5 * 0.9);
    assert_int_equal(spectrum.count, 2);
    close_to(spectrum.real[0], -Ce / (2 * Me), 1e-14);
    close_to(fabs(spectrum.imaginary[0]), sqrt(Ke / Me - Ce * Ce / (4 * Me * Me)), 1e-13);
    assert_false(spectrum.painleve);
    am_spectrum_clear(&spectrum);
    close_to(am_two_mode_delta(&m), 0.9, 1e-15);
    close_to(am_two_mode_delta_0(&m), -1 / 0.8 + 0.9, 1e-15);
}

static void rigid_contact_fails_where_delta_0_vanishes(void **state) {
    (void)state;
    am_two_mode m = am_two_mode_default();
    m.C_r = 0.2;
    m.K_r = 0.5;
    for (int beyond = 0; beyond < 2; beyond++) {
        assert_int_equal(am_two_mode_set_delta(&m, beyond ? 1.0001 : 0.9999, NULL), AM_OK);
        am_spectrum spectrum = spectrum_of(&m);
        assert_int_equal(spectrum.painleve, beyond);
        assert_int_equal(am_two_mode_delta_0(&m) >= 0, beyond);
        am_spectrum_clear(&spectrum);
    }
}

static void rigid_limit_names_the_zone_of_figure_2c(void **state) {
    (void)state;
    static const struct {
        double C_r, K_r, limit;
        const char *name;
    } zones[] = {{3, 0.5, 1.0 / 3, "flutter"}, {0.2, 0.5, 1, "painleve"}, {0.2, 1.5, 1 / 1.5, "divergence"}};
    for (size_t i = 0; i < 3; i++) {
        am_two_mode m = am_two_mode_default();
        const char *name = NULL;
        m.C_r = zones[i].C_r;
        m.K_r = zones[i].K_r;
        close_to(am_two_mode_rigid_limit(&m, &name), zones[i].limit, 1e-15);
        assert_string_equal(name, zones[i].name);
    }
}

/* ---- The stiff limit: two claims of the paper ---- */

/* a1 a2 a3 - a3^2 a0 - a1^2 a4 of the quartic in s (Hurwitz): positive while no pair has crossed. */
static double hurwitz(const am_two_mode *m, double Delta) {
    double m2 = m->m1 * m->m_r, c2 = m->c1 * m->C_r, k2 = m->k1 * m->K_r, chi = -m->lambda2 * m->f2;
    double mu = m->m1 - Delta * m2, gamma = m->c1 - Delta * c2, kappa = m->k1 - Delta * k2;
    double a4 = m->m1 * m2, a3 = m->m1 * c2 + m2 * m->c1 + chi * m->D_c * mu;
    double a2 = m->m1 * k2 + m2 * m->k1 + m->c1 * c2 + chi * (m->K_c * mu + m->D_c * gamma);
    double a1 = m->c1 * k2 + c2 * m->k1 + chi * (m->K_c * gamma + m->D_c * kappa);
    double a0 = m->k1 * k2 + chi * m->K_c * kappa;
    return (a1 * a2 * a3 - a3 * a3 * a0 - a1 * a1 * a4) / (a1 * a2 * a3);
}

/* The smallest root, from below. */
static double flutter(const am_two_mode *m, double to) {
    double low = 0, high = to;
    int pieces = 20000;
    for (int i = 1; i <= pieces && high == to; i++)
        if (hurwitz(m, to * i / pieces) < 0) {
            low = to * (i - 1) / pieces;
            high = to * i / pieces;
            break;
        }
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        *(hurwitz(m, middle) < 0 ? &high : &low) = middle;
    }
    return 0.5 * (low + high);
}

static am_two_mode stiff_model(double K_c, double D_c) {
    am_two_mode m = am_two_mode_default();
    m.C_r = 0.2;
    m.K_r = 0.5;
    m.contact = AM_KELVIN_VOIGT;
    m.K_c = K_c;
    m.D_c = D_c;
    return m;
}

static void flutter_of_a_stiff_contact_tends_to_the_closed_form(void **state) {
    (void)state;
    for (double D_c = 0; D_c < 200; D_c = D_c == 0 ? 0.1 : 10 * D_c)
        for (double C_r = 0.2; C_r < 1; C_r += 0.3) {
            am_two_mode m = stiff_model(1e4, D_c), n = stiff_model(1e6, D_c);
            m.C_r = n.C_r = C_r;
            m.m_r = n.m_r = 1.2; /* nothing special about equal masses */
            double limit = am_two_mode_stiff_limit(&m);
            double far = fabs(flutter(&m, 1 / 1.2) - limit), near = fabs(flutter(&n, 1 / 1.2) - limit);
            assert_true(near <= 1e-3);               /* first order in 1/K_c, D_c^2/K_c up to 0.01 */
            assert_true(near <= 0.02 * far + 1e-12); /* 1/100 for a hundredfold stiffness, and rounding */
        }
}

static void without_contact_damping_the_limit_is_C_r(void **state) {
    (void)state;
    am_two_mode m = stiff_model(1000, 0);
    close_to(am_two_mode_stiff_limit(&m), 0.2, 1e-15);
    close_to(flutter(&m, 1), 0.19975, 5e-6); /* the value of Fig. 3 */
}

/* The damping that restores the rigid boundary is measured by the structure's, not by sqrt(K_c): the distance to 1/m_r
 * is sqrt(c1 (1 - C_r)/D_c) to first order whatever K_c. */
static void the_scale_of_contact_damping_is_not_the_root_of_K_c(void **state) {
    (void)state;
    for (double D_c = 100; D_c <= 1e6; D_c *= 10) {
        am_two_mode m = stiff_model(1, D_c);
        double distance = 1 - am_two_mode_stiff_limit(&m);
        close_to(distance / sqrt(m.c1 * (1 - m.C_r) / D_c), 1, sqrt(m.c1 / D_c)); /* next order */
    }
    /* D_c = 1 is 1/100 of sqrt(K_c) in the first, 1/1000 in the second: the threshold is the same to first order in
     * 1/K_c. */
    am_two_mode soft = stiff_model(1e4, 1), hard = stiff_model(1e6, 1);
    close_to(flutter(&soft, 1), flutter(&hard, 1), 1e-3);
    /* And D_c = sqrt(K_c) does not restore the boundary when the structure is damped as much. */
    am_two_mode heavy = stiff_model(1e6, 1000);
    heavy.c1 = 1000;
    assert_true(1 - am_two_mode_stiff_limit(&heavy) > 0.5);
}

static void high_frequency_flutter_is_not_the_painleve_condition(void **state) {
    (void)state;
    for (double D_c = 0; D_c < 1e4; D_c = D_c == 0 ? 1 : 10 * D_c) {
        am_two_mode m = stiff_model(1e6, D_c);
        assert_true(am_two_mode_stiff_limit(&m) < 1);
        assert_true(flutter(&m, 1) < 1 - 0.5 * sqrt(m.c1 * (1 - m.C_r) / fmax(D_c, 1)));
    }
    am_two_mode m = stiff_model(1e6, 1);
    m.C_r = 1.5; /* and beyond C_r = m_r the contact's own vibration never becomes unstable before it */
    assert_true(isinf(am_two_mode_stiff_limit(&m)));
}

/* ---- Details ---- */

static void hunt_crossley_follows_eqs_37_to_41(void **state) {
    (void)state;
    am_two_mode m = am_two_mode_default();
    m.C_r = 0.7;
    m.K_r = 0.5;
    m.contact = AM_HUNT_CROSSLEY;
    m.alpha = 2;
    m.beta = 1.5;
    m.K_c = 100;
    assert_int_equal(am_two_mode_set_delta(&m, 0.4, NULL), AM_OK);
    am_spectrum nonlinear = spectrum_of(&m);
    double a0 = m.K_c * (m.f1 / m.k1 + m.f2 / m.K_r), a1 = m.P * (m.eta1 / m.k1 + m.eta2 / m.K_r), d = 0.1;
    for (int i = 0; i < 100; i++) /* Newton on eq. (37) */
        d -= (a0 * pow(d, 1.5) - d + a1) / (1.5 * a0 * sqrt(d) - 1);
    am_two_mode linear = m; /* the law linearised, eqs. (40), (41) */
    linear.contact = AM_KELVIN_VOIGT;
    linear.K_c = m.K_c * m.beta * sqrt(d);
    linear.D_c = 1.5 * m.K_c * m.alpha * pow(d, 1.5);
    am_spectrum same = spectrum_of(&linear);
    for (size_t k = 0; k < 4; k++) {
        close_to(nonlinear.real[k], same.real[k], 1e-10);
        close_to(fabs(nonlinear.imaginary[k]), fabs(same.imaginary[k]), 1e-10);
    }
    am_spectrum_clear(&nonlinear);
    am_spectrum_clear(&same);
}

/* Delta* = 1/K_r + 1/K_c ends the equilibrium of beta = 1. The damping 3/2 alpha N grows without bound before it, and a
 * pair crosses the axis while a0 is still positive. */
static void hunt_crossley_flutters_before_it_diverges(void **state) {
    (void)state;
    for (double alpha = 1e-3; alpha < 50; alpha *= 10) {
        am_two_mode m = am_two_mode_default();
        m.C_r = 0.7;
        m.K_r = 1.5;
        m.contact = AM_HUNT_CROSSLEY;
        m.alpha = alpha;
        m.K_c = 100;
        assert_int_equal(am_two_mode_set_delta(&m, (1 / 1.5 + 0.01) - 1e-3 * fmin(alpha, 1), NULL), AM_OK);
        am_spectrum spectrum = spectrum_of(&m);
        /* Two eigenvalues have crossed: a pair, which may since have met on the real axis. Divergence is one. */
        assert_true(spectrum.real[1] > 10 * spectrum.uncertainty[1]);
        assert_true(spectrum.real[2] < 0);
        am_spectrum_clear(&spectrum);
    }
}

static void the_contact_pushes_with_f_in_backward_slip(void **state) {
    (void)state;
    am_two_mode m = am_two_mode_default();
    m.f1 = 0.3;
    m.f2 = -1.7;
    m.lambda1 = 0.5;
    m.lambda2 = 2;
    am_system *system = make(&m);
    const am_contact_def *contact = am_system_contact(system, 0);
    close_to(contact->normal[0] + contact->friction * contact->tangent[0], 0.3, 1e-15);
    close_to(contact->normal[1] + contact->friction * contact->tangent[1], -1.7, 1e-15);
    close_to(contact->normal[0], -0.5, 0);
    close_to(contact->normal[1], -2, 0);
    assert_true(contact->surface_velocity > 0);
    am_system_free(system);
    m.f1 = -0.5; /* f = n: no friction */
    m.f2 = -2;
    system = make(&m);
    close_to(am_system_contact(system, 0)->friction, 0, 0);
    am_system_free(system);
}

static void coupling_with_a_potential_is_stiffness(void **state) {
    (void)state;
    am_two_mode m = am_two_mode_default();
    m.A1 = m.A2 = 0.5;
    am_system *system = make(&m);
    assert_null(am_system_circulatory(system));
    close_to(am_matrix_at(am_system_stiffness(system), 0, 1), -0.5, 0);
    am_system_free(system);
    m.beta1 = 0.2;
    system = make(&m);
    assert_non_null(am_system_circulatory(system));
    close_to(am_matrix_at(am_system_circulatory(system), 0, 1), -0.5, 0);
    close_to(am_matrix_at(am_system_circulatory(system), 1, 0), -0.1, 0);
    am_system_free(system);
}

static void faults_are_named(void **state) {
    (void)state;
    am_two_mode right = am_two_mode_default();
    struct {
        const char *field;
        size_t offset;
        double value;
    } faults[] = {{"m1", offsetof(am_two_mode, m1), 0},
                  {"k1", offsetof(am_two_mode, k1), -1},
                  {"c1", offsetof(am_two_mode, c1), -0.1},
                  {"C_r", offsetof(am_two_mode, C_r), -1},
                  {"v_s", offsetof(am_two_mode, v_s), 0},
                  {"contact.K_c", offsetof(am_two_mode, K_c), 0},
                  {"contact.D_c", offsetof(am_two_mode, D_c), -1},
                  {"contact.beta", offsetof(am_two_mode, beta), 0.5},
                  {"f1", offsetof(am_two_mode, f1), NAN}};
    right.contact = AM_KELVIN_VOIGT;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        am_two_mode wrong = right;
        am_error err = {0};
        memcpy((char *)&wrong + faults[i].offset, &faults[i].value, sizeof(double));
        assert_null(am_two_mode_create(&wrong, &err));
        assert_int_equal(err.status, AM_ERR_INPUT);
        assert_string_equal(err.field, faults[i].field);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_are_roots_of_the_characteristic_polynomial),
        cmocka_unit_test(rigid_contact_leaves_the_equation_13),
        cmocka_unit_test(rigid_contact_fails_where_delta_0_vanishes),
        cmocka_unit_test(rigid_limit_names_the_zone_of_figure_2c),
        cmocka_unit_test(flutter_of_a_stiff_contact_tends_to_the_closed_form),
        cmocka_unit_test(without_contact_damping_the_limit_is_C_r),
        cmocka_unit_test(the_scale_of_contact_damping_is_not_the_root_of_K_c),
        cmocka_unit_test(high_frequency_flutter_is_not_the_painleve_condition),
        cmocka_unit_test(hunt_crossley_follows_eqs_37_to_41),
        cmocka_unit_test(hunt_crossley_flutters_before_it_diverges),
        cmocka_unit_test(the_contact_pushes_with_f_in_backward_slip),
        cmocka_unit_test(coupling_with_a_potential_is_stiffness),
        cmocka_unit_test(faults_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
