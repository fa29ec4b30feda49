/* Steady sliding: equilibria and small disturbances of two and more modes, against closed forms and against equations
 * built another way. */
#include "analyses/stability/sliding.h"

#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/stability.h"
#include "near.h"

static uint64_t seed = 5;

static double uniform(double low, double high) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

/* ---- the two-mode model of eqs. 10, 11, as a system ---- */

typedef struct two_mode {
    double m[2], c[2], k[2], lambda[2], f[2], eta[2], P;
    double A[2], beta[2]; /* structural coupling */
    am_normal_law law;
    double stiffness, damping, exponent, dissipation;
    double velocity;
} two_mode;

/* The values of section 2.2.5, with a load that presses. */
static two_mode usual(double Delta, double K_r, double C_r) {
    return (two_mode){.m = {1, 1},
                      .c = {0.1, 0.1 * C_r},
                      .k = {1, K_r},
                      .lambda = {1, 1},
                      .f = {Delta, -1},
                      .eta = {1, 1},
                      .P = 1,
                      .law = AM_UNILATERAL,
                      .exponent = 1,
                      .velocity = 1};
}

static am_system *build(const two_mode *t) {
    am_error err = {0};
    double M[4] = {t->m[0], 0, 0, t->m[1]}, C[4] = {t->c[0], 0, 0, t->c[1]}, K[4] = {t->k[0], 0, 0, t->k[1]};
    double G[4] = {t->A[1], -t->A[1] * t->beta[1], -t->A[0] * t->beta[0], t->A[0]};
    double n[2] = {-t->lambda[0], -t->lambda[1]}, tangent[2] = {t->f[0] - n[0], t->f[1] - n[1]};
    am_contact_def contact = am_contact_def_default();
    contact.normal = n;
    contact.tangent = tangent;
    contact.friction = 1.0;
    contact.surface_velocity = t->velocity;
    contact.normal_law = t->law;
    contact.contact_stiffness = t->stiffness;
    contact.contact_damping = t->damping;
    contact.contact_exponent = t->exponent;
    contact.contact_dissipation = t->dissipation;
    am_load_def load = {.direction = t->eta, .function = am_function_constant(t->P)};
    am_system_def def = am_system_def_default();
    am_matrix *mass = am_matrix_dense(2, 2, M, &err), *damping = am_matrix_dense(2, 2, C, &err);
    am_matrix *stiffness = am_matrix_dense(2, 2, K, &err), *circulatory = am_matrix_dense(2, 2, G, &err);
    def.n = 2;
    def.mass = mass;
    def.damping = damping;
    def.stiffness = stiffness;
    def.circulatory = t->A[0] != 0.0 || t->A[1] != 0.0 ? circulatory : NULL;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 1;
    def.loads = &load;
    am_system *system = am_system_create(&def, &err);
    if (!system)
        fail_msg("%s", err.message);
    am_matrix_free(mass);
    am_matrix_free(damping);
    am_matrix_free(stiffness);
    am_matrix_free(circulatory);
    return system;
}

static am_spectrum spectrum_of(const two_mode *t) {
    am_error err = {0};
    am_spectrum s;
    am_stability_options options = am_stability_options_default();
    am_system *system = build(t);
    if (am_stability_spectrum(system, &options, &s, &err))
        fail_msg("%s", err.message);
    am_system_free(system);
    return s;
}

/* P1 P2 - H (f1 lambda1 P2 + f2 lambda2 P1), P = m s^2 + c s + k, H = K + D s, without structural coupling; the size of
 * its terms in *size. */
static double polynomial(const two_mode *t, double K, double D, double re, double im, double *size) {
    double s[2] = {re, im}, P[2][2], H[2] = {K + D * re, D * im}, value[2], a = t->f[0] * t->lambda[0],
           b = t->f[1] * t->lambda[1];
    double square[2] = {s[0] * s[0] - s[1] * s[1], 2 * s[0] * s[1]};
    double biggest = 0.0;
    for (int i = 0; i < 2; i++) {
        P[i][0] = t->m[i] * square[0] + t->c[i] * s[0] + t->k[i];
        P[i][1] = t->m[i] * square[1] + t->c[i] * s[1];
        biggest = fmax(biggest, t->m[i] * hypot(square[0], square[1]) + t->c[i] * hypot(re, im) + t->k[i]);
    }
    double Q[2] = {a * P[1][0] + b * P[0][0], a * P[1][1] + b * P[0][1]};
    value[0] = P[0][0] * P[1][0] - P[0][1] * P[1][1] - H[0] * Q[0] + H[1] * Q[1];
    value[1] = P[0][0] * P[1][1] + P[0][1] * P[1][0] - H[0] * Q[1] - H[1] * Q[0];
    *size = biggest * biggest + hypot(H[0], H[1]) * (fabs(a) + fabs(b)) * biggest;
    return hypot(value[0], value[1]);
}

/* ---- rigid contact ---- */

static void rigid_eigenvalues_are_the_roots_of_eq_13(void **state) {
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        two_mode t = usual(uniform(0.05, 0.9), uniform(0.1, 2.0), uniform(0.1, 3.0));
        t.m[0] = uniform(0.5, 2.0);
        t.m[1] = uniform(0.3, 1.0) * t.m[0];
        t.lambda[0] = uniform(0.5, 2.0);
        t.f[0] *= t.lambda[1] / t.lambda[0];
        am_spectrum s = spectrum_of(&t);
        double Delta = -t.f[0] * t.lambda[0] / (t.lambda[1] * t.f[1]);
        double a = t.m[0] - Delta * t.m[1], b = t.c[0] - Delta * t.c[1], c = t.k[0] - Delta * t.k[1];
        assert_int_equal(s.count, 2);
        assert_false(s.painleve);
        assert_near(s.real[0] + s.real[1], -b / a, 1e-12 * (1.0 + fabs(b / a)));
        assert_near(s.real[0] * s.real[1] - s.imaginary[0] * s.imaginary[1], c / a, 1e-12 * (1.0 + fabs(c / a)));
        am_spectrum_clear(&s);
    }
}

/* M_e = 0 is delta_0 = 0 (eq. 26): Delta = 1/m_r. */
static void rigid_contact_fails_where_delta_0_vanishes(void **state) {
    (void)state;
    for (int trial = 0; trial < 100; trial++) {
        two_mode t = usual(uniform(0.1, 3.0), 0.5, 0.5);
        t.m[1] = uniform(0.5, 2.0);
        am_spectrum s = spectrum_of(&t);
        double delta_0 = t.lambda[1] * t.m[0] / t.m[1] * t.f[1] + t.lambda[0] * t.f[0];
        double without = -(t.lambda[1] * t.lambda[1] * t.m[0] / t.m[1] + t.lambda[0] * t.lambda[0]);
        assert_near(s.closing, delta_0 / without, 1e-14 * (1.0 + t.f[0]));
        assert_int_equal(s.painleve, delta_0 >= 0.0);
        am_spectrum_clear(&s);
    }
    two_mode t = usual(1.0, 0.5, 0.5); /* exactly on it: no inertia left, and that is said, not computed */
    am_spectrum s = spectrum_of(&t);
    assert_true(s.painleve);
    assert_int_equal(s.count, 0);
    am_spectrum_clear(&s);
}

static void the_rigid_equilibrium_balances_by_hand(void **state) {
    (void)state;
    two_mode t = usual(0.4, 0.5, 1.0);
    am_error err = {0};
    am_system *system = build(&t);
    am_sliding s;
    assert_int_equal(am_sliding_init(&s, system, NULL, &err), AM_OK);
    /* X1 = -X2; k1 X1 = f1 N + P, k2 X2 = f2 N + P: N = (k1 + k2) P ... by Cramer's rule */
    double N = t.P * (t.k[1] + t.k[0]) / (-t.f[0] * t.k[1] - t.f[1] * t.k[0]), X1 = (t.f[0] * N + t.P) / t.k[0];
    assert_int_equal(s.state[0], AM_BACKWARD);
    assert_true(s.known && s.closed && s.loaded);
    assert_near(s.normal[0], N, 1e-14 * N);
    assert_near(s.q[0], X1, 1e-14 * fabs(X1));
    assert_near(s.q[1], -X1, 1e-14 * fabs(X1));
    assert_true(s.residual <= 1e-15);
    am_sliding_clear(&s);
    am_system_free(system);
}

/* ---- compliant contact ---- */

/* N = K_c (k1 + k2) P/a0 with a0 = k1 k2 + K_c (k1 - Delta k2) for lambda = 1, f2 = -1. Friction nearly undoes a
 * contact far stiffer than the structure: all that is left of numbers of the size K_c^2 is a0. In the second and third
 * case all numbers are powers of two, and the structure's own stiffness loses none of their digits. */
static void contacts_far_stiffer_than_the_structure_keep_their_equilibrium(void **state) {
    (void)state;
    static const struct {
        double Delta, K_r, K_c, a0, tolerance;
    } cases[] = {{0.95, 1.05, 1e6, 2501.05, 1e-6}, /* rounding times K_c^2/a0 */
                 {1 + 0x1p-20 - 0x1p-40, 1, 0x1p20, 0x1p-20, 1e-12},
                 {1 + 0x1p-30 - 0x1p-45, 1, 0x1p30, 0x1p-15, 1e-12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        two_mode t = usual(cases[i].Delta, cases[i].K_r, 1.0);
        am_error err = {0};
        am_sliding s;
        t.law = AM_HUNT_CROSSLEY;
        t.stiffness = cases[i].K_c;
        t.dissipation = 0.1; /* so that the equilibrium is needed */
        am_system *system = build(&t);
        assert_int_equal(
            i == 0 ? am_sliding_init(&s, system, NULL, &err) : am_sliding_init_sharp(&s, system, NULL, &err), AM_OK);
        double N = cases[i].K_c * (1 + cases[i].K_r) / cases[i].a0;
        assert_true(s.known && s.closed);
        assert_near(s.normal[0], N, cases[i].tolerance * N);
        assert_true(s.residual <= 1e-9);
        am_sliding_clear(&s);
        am_system_free(system);
    }
}

static void compliant_eigenvalues_are_roots_of_the_polynomial(void **state) {
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        two_mode t = usual(uniform(0.05, 3.0), uniform(0.1, 2.0), uniform(0.0, 3.0));
        t.law = AM_KELVIN_VOIGT;
        t.stiffness = pow(10.0, uniform(0.0, 4.0));
        t.damping = trial % 3 == 0 ? 0.0 : uniform(0.0, 50.0);
        t.m[1] = uniform(0.5, 2.0);
        t.lambda[0] = uniform(0.5, 2.0);
        am_spectrum s = spectrum_of(&t);
        double sum = 0.0, trace = t.c[0] / t.m[0] + t.c[1] / t.m[1];
        trace -= t.damping * (t.f[0] * t.lambda[0] / t.m[0] + t.f[1] * t.lambda[1] / t.m[1]);
        assert_int_equal(s.count, 4);
        assert_true(s.closed || s.real[0] > 0.0);
        for (size_t i = 0; i < 4; i++) {
            double size, off = polynomial(&t, t.stiffness, t.damping, s.real[i], s.imaginary[i], &size);
            assert_true(off <= 1e-11 * size); /* rounding of the fast rates seen by the slow ones */
            sum += s.real[i];
        }
        assert_near(sum, -trace, 1e-11 * (1.0 + fabs(trace) + sqrt(t.stiffness)));
        am_spectrum_clear(&s);
    }
}

static void structural_coupling_enters_as_eqs_10_and_11(void **state) {
    (void)state;
    two_mode t = usual(0.3, 0.8, 0.7);
    t.A[0] = 0.2, t.A[1] = 0.35, t.beta[0] = 0.6, t.beta[1] = -0.4;
    t.law = AM_KELVIN_VOIGT;
    t.stiffness = 7.0;
    t.damping = 0.3;
    am_spectrum s = spectrum_of(&t);
    /* det at s = 0: the stiffness with A2 (X1 - beta2 X2), A1 (X2 - beta1 X1) and the contact; product of the roots */
    double a = t.k[0] + t.A[1] - t.f[0] * t.stiffness, b = -t.A[1] * t.beta[1] - t.f[0] * t.stiffness;
    double c = -t.A[0] * t.beta[0] - t.f[1] * t.stiffness, d = t.k[1] + t.A[0] - t.f[1] * t.stiffness;
    double product[2] = {1.0, 0.0};
    for (size_t i = 0; i < 4; i++) {
        double re = product[0] * s.real[i] - product[1] * s.imaginary[i];
        product[1] = product[0] * s.imaginary[i] + product[1] * s.real[i];
        product[0] = re;
    }
    assert_near(product[0], a * d - b * c, 1e-12 * fabs(a * d));
    am_spectrum_clear(&s);
    t.law = AM_UNILATERAL; /* rigid: X1 = -X2 = y, combined by w = (1, f1): w.(f1, -1) = 0 */
    s = spectrum_of(&t);
    double K_e = (t.k[0] + t.A[1] + t.A[1] * t.beta[1]) + t.f[0] * (-t.A[0] * t.beta[0] - t.k[1] - t.A[0]);
    double M_e = t.m[0] - t.f[0] * t.m[1];
    assert_near(s.real[0] * s.real[1] - s.imaginary[0] * s.imaginary[1], K_e / M_e, 1e-13);
    am_spectrum_clear(&s);
}

/* ---- thresholds and the limit of stiff contact ---- */

/* The value of Delta where the largest real part crosses zero, between a stable and an unstable one. */
static double threshold(two_mode t, double low, double high, double *omega) {
    for (int half = 0; half < 60; half++) {
        double middle = 0.5 * (low + high);
        t.f[0] = middle;
        am_spectrum s = spectrum_of(&t);
        if (s.real[0] > 0.0) {
            high = middle;
            *omega = fabs(s.imaginary[0]);
        } else {
            low = middle;
        }
        am_spectrum_clear(&s);
    }
    return 0.5 * (low + high);
}

static two_mode stiff(double K_r, double C_r, double K_c, double D_c) {
    two_mode t = usual(0.1, K_r, C_r);
    t.law = AM_KELVIN_VOIGT;
    t.stiffness = K_c;
    t.damping = D_c;
    return t;
}

static void fig_3_has_its_thresholds(void **state) {
    (void)state;
    double omega = -1.0;
    assert_near(threshold(stiff(0.5, 0.2, 1e3, 0.0), 0.01, 0.9, &omega), 0.19975, 5e-6); /* printed digits */
    assert_true(omega > 25.0);                                                           /* high-frequency flutter */
    assert_near(threshold(stiff(0.5, 3.0, 1e3, 0.0), 0.01, 0.9, &omega), 0.33283, 5e-6);
    assert_true(omega < 2.0 && omega > 0.5); /* low-frequency flutter */
    assert_near(threshold(stiff(0.5, 3.0, 1e3, 10.0), 0.01, 0.9, &omega), 0.33283, 1e-3);
    /* Divergence: k1 k2 = chi K_c (k1 - Delta k2), Delta = 1/K_r + k1/K_c, whatever the damping */
    assert_near(threshold(stiff(1.5, 0.2, 1e3, 1000.0), 0.01, 0.9, &omega), 1.0 / 1.5 + 1e-3, 1e-12);
    assert_near(omega, 0.0, 0.0);
}

/* The limit K_c to infinity at fixed D_c: with u = 1 - m_r Delta the fast pair has
 *     omega^2 = |chi| K_c u/m2,   -2 Re = |chi| D_c u/m2 + (c1/m1) [1 - (1 - C_r/m_r)/u],
 * so it loses stability at the positive root of (|chi| D_c/m2) u^2 + (c1/m1) u - (c1/m1)(1 - C_r/m_r) = 0. */
static double stiff_limit(const two_mode *t) {
    double chi = fabs(t->lambda[1] * t->f[1]), a = chi * t->damping / t->m[1], b = t->c[0] / t->m[0];
    double c = b * (1.0 - (t->c[1] / t->c[0]) / (t->m[1] / t->m[0]));
    double u = a > 0.0 ? 2.0 * c / (b + sqrt(b * b + 4.0 * a * c)) : c / b;
    return (1.0 - u) / (t->m[1] / t->m[0]);
}

static void stiff_contact_flutters_at_the_closed_form_limit(void **state) {
    (void)state;
    for (int trial = 0; trial < 40; trial++) {
        double m_r = uniform(0.6, 1.6), error[2];
        two_mode t = stiff(uniform(0.1, 0.5) * m_r, uniform(0.1, 0.7) * m_r, 1e6, uniform(0.0, 2.0));
        t.m[1] = m_r;
        t.damping = trial % 4 == 0 ? 0.0 : t.damping;
        for (int i = 0; i < 2; i++) {
            double omega = -1.0, limit = stiff_limit(&t), u = 1.0 - m_r * limit;
            t.stiffness = i == 0 ? 1e5 : 1e6;
            error[i] = fabs(threshold(t, 1e-4, 0.999 / m_r, &omega) - limit);
            assert_near(omega / sqrt(t.stiffness * u / t.m[1]), 1.0, 100.0 / t.stiffness / u / u);
        }
        /* The error is O(1/K_c): ten times stiffer, ten times closer, down to rounding in the crossing. */
        assert_true(error[0] < 2e-3);
        assert_true(error[1] < 0.11 * error[0] + 1e-9);
    }
}

/* "High-frequency flutter coincides with the Painlevé condition" (Delta = 1/m_r): without contact damping it sets in at
 * C_r/m_r^2 instead, however stiff the contact. */
static void undamped_contact_flutters_at_C_r_not_at_painleve(void **state) {
    (void)state;
    double omega;
    for (double K_c = 1e3; K_c < 2e7; K_c *= 100.0)
        assert_near(threshold(stiff(0.5, 0.2, K_c, 0.0), 0.01, 0.99, &omega), 0.2, 0.3 / K_c);
}

/* The damping that restores the rigid boundary: 1 - Delta_c = sqrt(c1 (1 - C_r)/D_c) for large D_c, independent of K_c.
 * O(sqrt(K_c)) is enough, and it is not the scale: at a hundred times the stiffness the same D_c leaves the same gap.
 */
static void the_damping_that_restores_the_rigid_boundary_does_not_grow_with_stiffness(void **state) {
    (void)state;
    double omega, gap[3];
    for (int i = 0; i < 3; i++)
        gap[i] = 1.0 - threshold(stiff(0.5, 0.2, 1e6 * pow(100.0, i), 20.0), 0.01, 0.9999, &omega);
    assert_near(gap[1], gap[0], 1e-3 * gap[0]);
    assert_near(gap[2], gap[1], 1e-5 * gap[1]);
    assert_near(gap[2], sqrt(0.1 * 0.8 / 20.0), 0.05 * gap[2]); /* next term: c1/(2 D_c) = 0.0025 of 0.06 */
    double sparse = 1.0 - threshold(stiff(0.5, 0.2, 1e10, 2000.0), 0.01, 0.99999, &omega);
    assert_near(sparse, sqrt(0.1 * 0.8 / 2000.0), 0.01 * sparse); /* far below sqrt(K_c) = 1e5, and close to rigid */
}

/* Where the rigid theory is the limit: the two slow eigenvalues converge like 1/K_c. */
static void slow_eigenvalues_of_stiff_contact_tend_to_the_rigid_ones(void **state) {
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        two_mode t = usual(uniform(0.05, 0.8), uniform(0.2, 1.5), uniform(0.2, 3.0));
        am_spectrum rigid = spectrum_of(&t);
        double error[2] = {0.0, 0.0};
        t.law = AM_KELVIN_VOIGT;
        t.damping = uniform(0.0, 5.0);
        for (int i = 0; i < 2; i++) {
            t.stiffness = i == 0 ? 1e5 : 1e6;
            am_spectrum s = spectrum_of(&t);
            for (size_t r = 0; r < 2; r++) {
                double nearest = INFINITY;
                for (size_t j = 0; j < 4; j++)
                    nearest = fmin(nearest, hypot(s.real[j] - rigid.real[r], s.imaginary[j] - rigid.imaginary[r]));
                error[i] = fmax(error[i], nearest);
            }
            am_spectrum_clear(&s);
        }
        assert_true(error[0] < 5e-3);
        assert_true(error[1] < 0.12 * error[0] + 1e-9);
        am_spectrum_clear(&rigid);
    }
}

/* ---- Hunt-Crossley ---- */

/* eq. 37, by bisection between its extremum and where its sign is known: roots, ascending. */
static size_t roots_of_37(double a0, double a1, double beta, double root[2]) {
    size_t count = 0;
    double top = a0 > 0.0 ? pow(1.0 / (a0 * beta), 1.0 / (beta - 1.0)) : 0.0; /* a0 d^beta - d + a1 is least there */
    double ends[2][2] = {{0.0, a0 > 0.0 ? top : a1}, {top, a0 > 0.0 ? 1e6 * top : 0.0}};
    if (a0 > 0.0 && a0 * pow(top, beta) - top + a1 >= 0.0)
        return 0;
    for (int i = 0; i < (a0 > 0.0 ? 2 : 1); i++) {
        double low = ends[i][0], high = ends[i][1];
        for (int half = 0; half < 200; half++) {
            double d = 0.5 * (low + high), value = a0 * pow(d, beta) - d + a1;
            bool below = i == 0 ? value > 0.0 : value < 0.0;
            low = below ? d : low;
            high = below ? high : d;
        }
        root[count++] = 0.5 * (low + high);
    }
    return count;
}

static void hunt_crossley_equilibria_solve_eq_37(void **state) {
    (void)state;
    am_error err = {0};
    size_t seen[3] = {0};
    for (int trial = 0; trial < 300; trial++) {
        two_mode t = usual(uniform(0.1, 3.0), uniform(0.3, 1.5), 1.0);
        t.law = AM_HUNT_CROSSLEY;
        t.stiffness = pow(10.0, uniform(-1.0, 4.0));
        t.exponent = uniform(1.1, 3.0);
        t.dissipation = 0.1;
        t.P = pow(10.0, uniform(-4.0, 1.0));
        double a0 = t.stiffness * (t.f[0] / t.k[0] + t.f[1] / t.k[1]), a1 = t.P * (1.0 / t.k[0] + 1.0 / t.k[1]),
               root[2];
        size_t count = roots_of_37(a0, a1, t.exponent, root);
        am_system *system = build(&t);
        am_sliding s;
        am_status status = am_sliding_init(&s, system, NULL, &err);
        seen[count]++;
        if (count == 0) {
            assert_int_equal(status, AM_ERR_NO_STATE);
            if (!strstr(err.message, "give way"))
                fail_msg("%s (a0 = %g, a1 = %g, beta = %g)", err.message, a0, a1, t.exponent);
        } else {
            if (status)
                fail_msg("%s (a0 = %g, a1 = %g, beta = %g)", err.message, a0, a1, t.exponent);
            assert_near(s.penetration[0], root[0], 1e-9 * root[0]); /* near folds sqrt of rounding */
            assert_int_equal(s.equilibria, count);
            assert_near(s.normal[0], t.stiffness * pow(root[0], t.exponent), 1e-8 * s.normal[0]);
            if (count == 2) { /* the load may grow by this factor until the two meet */
                double top = pow(1.0 / (a0 * t.exponent), 1.0 / (t.exponent - 1.0));
                double factor = top * (1.0 - 1.0 / t.exponent) / a1;
                assert_near(s.fold, factor, 1e-6 * factor);
            }
            am_sliding_clear(&s);
        }
        am_system_free(system);
    }
    assert_true(seen[0] > 20 && seen[1] > 20 && seen[2] > 20);
}

/* Two separate structures, each with its own fold: as the loads grow the weaker one gives way first, and its other
 * equilibrium is met on the way back. */
static void folds_of_two_contacts_are_those_of_the_weaker_one(void **state) {
    (void)state;
    size_t both = 0, none = 0;
    for (int trial = 0; trial < 100; trial++) {
        const double beta[2] = {uniform(1.3, 2.5), uniform(1.3, 2.5)}, f[2] = {uniform(1.3, 2.5), uniform(1.3, 2.5)};
        const double stiffness[2] = {uniform(0.02, 0.5), uniform(0.02, 0.5)}, P = uniform(0.1, 2.0);
        double M[16] = {0}, n[2][4] = {{-1, -1, 0, 0}, {0, 0, -1, -1}}, t[2][4] = {{0}}, fold[2], root[2][2];
        const double force[4] = {1, 1, 1, 1};
        am_contact_def contacts[2];
        size_t count[2];
        am_error err = {0};
        for (size_t c = 0; c < 2; c++) { /* unit springs: a0 = K (f - 1), a1 = 2 P */
            double a0 = stiffness[c] * (f[c] - 1.0), a1 = 2.0 * P;
            double top = pow(1.0 / (a0 * beta[c]), 1.0 / (beta[c] - 1.0));
            fold[c] = top * (1.0 - 1.0 / beta[c]) / a1;
            count[c] = roots_of_37(a0, a1, beta[c], root[c]);
            t[c][2 * c] = f[c] + 1.0; /* push n + t = (f, -1) */
            contacts[c] = am_contact_def_default();
            contacts[c].normal = n[c];
            contacts[c].tangent = t[c];
            contacts[c].friction = 1.0;
            contacts[c].surface_velocity = 1.0;
            contacts[c].normal_law = AM_HUNT_CROSSLEY;
            contacts[c].contact_stiffness = stiffness[c];
            contacts[c].contact_exponent = beta[c];
        }
        for (size_t i = 0; i < 4; i++)
            M[5 * i] = 1.0;
        am_matrix *unit = am_matrix_dense(4, 4, M, &err);
        am_load_def load = {.direction = force, .function = am_function_constant(P)};
        am_system_def def = am_system_def_default();
        def.n = 4;
        def.mass = def.stiffness = unit;
        def.contact_count = 2;
        def.contacts = contacts;
        def.load_count = 1;
        def.loads = &load;
        am_system *system = am_system_create(&def, &err);
        assert_non_null(system);
        am_sliding s;
        am_status status = am_sliding_init(&s, system, NULL, &err);
        if (count[0] == 2 && count[1] == 2) {
            assert_int_equal(status, AM_OK);
            assert_int_equal(s.equilibria, 2);
            assert_near(s.fold, fmin(fold[0], fold[1]), 1e-6 * s.fold);
            for (size_t c = 0; c < 2; c++)
                assert_near(s.penetration[c], root[c][0], 1e-9 * root[c][0]);
            am_sliding_clear(&s);
            both++;
        } else {
            assert_int_equal(status, AM_ERR_NO_STATE);
            assert_non_null(strstr(err.message, "give way"));
            none++;
        }
        am_system_free(system);
        am_matrix_free(unit);
    }
    assert_true(both > 10 && none > 10);
}

/* The corrected row 4 of eq. 39: the same polynomial with the slopes D_i, D_i* of eqs. 40, 41. */
static void hunt_crossley_eigenvalues_are_those_of_the_corrected_eq_39(void **state) {
    (void)state;
    for (int trial = 0; trial < 100; trial++) {
        two_mode t = usual(uniform(0.05, 0.9), uniform(0.3, 1.0), uniform(0.1, 2.0));
        double root[2];
        t.law = AM_HUNT_CROSSLEY;
        t.stiffness = 1000.0;
        t.exponent = trial % 2 == 0 ? 1.0 : 1.5;
        t.dissipation = uniform(0.0, 2.0);
        double a0 = t.stiffness * (t.f[0] / t.k[0] + t.f[1] / t.k[1]), a1 = t.P * (1.0 / t.k[0] + 1.0 / t.k[1]);
        if (t.exponent == 1.0)
            root[0] = a1 / (1.0 - a0);
        else if (roots_of_37(a0, a1, t.exponent, root) == 0)
            continue;
        double slope = t.stiffness * t.exponent * pow(root[0], t.exponent - 1.0);
        double rate = 1.5 * t.stiffness * t.dissipation * pow(root[0], t.exponent);
        am_spectrum s = spectrum_of(&t);
        for (size_t i = 0; i < 4; i++) {
            double size, off = polynomial(&t, slope, rate, s.real[i], s.imaginary[i], &size);
            assert_true(off <= 1e-11 * size);
        }
        am_spectrum_clear(&s);
    }
}

/* ---- many modes, many contacts ---- */

enum { N = 6, CONTACTS = 3 };

typedef struct structure {
    double M[N * N], C[N * N], K[N * N], G[N * N], n[CONTACTS][N], t[CONTACTS][N], F[N];
    am_contact_def contact[CONTACTS];
} structure;

static void definite(double *a, double least) {
    double g[N * N];
    for (size_t i = 0; i < N * N; i++)
        g[i] = uniform(-1.0, 1.0);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            a[i * N + j] = i == j ? least : 0.0;
            for (size_t k = 0; k < N; k++)
                a[i * N + j] += g[i * N + k] * g[j * N + k];
        }
}

/* Random structure with random contacts; the load presses all of them. */
static am_system *random_structure(structure *x, const am_normal_law *laws, double friction) {
    am_error err = {0};
    definite(x->M, 1.0);
    definite(x->C, 0.05);
    definite(x->K, 1.0);
    memset(x->F, 0, sizeof x->F);
    for (size_t i = 0; i < N * N; i++)
        x->G[i] = uniform(-0.1, 0.1);
    for (size_t c = 0; c < CONTACTS; c++) {
        for (size_t i = 0; i < N; i++) {
            x->n[c][i] = i == c ? 1.0 : uniform(-0.2, 0.2);
            x->t[c][i] = uniform(-1.0, 1.0);
        }
        x->contact[c] = am_contact_def_default();
        x->contact[c].normal = x->n[c];
        x->contact[c].tangent = x->t[c];
        x->contact[c].friction = uniform(0.0, friction);
        x->contact[c].surface_velocity = c % 2 == 0 ? 1.0 : -1.0;
        x->contact[c].normal_law = laws[c];
        x->contact[c].contact_stiffness = uniform(5.0, 50.0);
        x->contact[c].contact_damping = uniform(0.0, 1.0);
        x->contact[c].contact_exponent = laws[c] == AM_HUNT_CROSSLEY ? uniform(1.0, 2.5) : 1.0;
        x->contact[c].contact_dissipation = uniform(0.0, 1.0);
        x->contact[c].hold = am_function_constant(0.7);
    }
    for (size_t c = 0; c < CONTACTS; c++)
        for (size_t i = 0; i < N; i++)
            x->F[i] -= 8.0 * x->n[c][i];
    am_load_def load = {.direction = x->F, .function = am_function_constant(1.0)};
    am_system_def def = am_system_def_default();
    am_matrix *matrix[4] = {am_matrix_dense(N, N, x->M, &err), am_matrix_dense(N, N, x->C, &err),
                            am_matrix_dense(N, N, x->K, &err), am_matrix_dense(N, N, x->G, &err)};
    def.n = N;
    def.mass = matrix[0];
    def.damping = matrix[1];
    def.stiffness = matrix[2];
    def.circulatory = matrix[3];
    def.contact_count = CONTACTS;
    def.contacts = x->contact;
    def.load_count = 1;
    def.loads = &load;
    am_system *system = am_system_create(&def, &err);
    if (!system)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < 4; i++)
        am_matrix_free(matrix[i]);
    return system;
}

/* n + mu t (backward) or n - mu t (forward), from the velocity of the surface. */
static double push(const structure *x, size_t c, size_t i) {
    double sign = x->contact[c].surface_velocity > 0.0 ? 1.0 : -1.0;
    return x->n[c][i] + sign * x->contact[c].friction * x->t[c][i];
}

static void solve(double *a, double *b, size_t n, size_t right) {
    lapack_int order[4 * N];
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, (int)n, (int)right, a, (int)n, order, b, (int)right), 0);
}

static void random_equilibria_satisfy_the_laws(void **state) {
    (void)state;
    static const am_normal_law laws[4][CONTACTS] = {{AM_HUNT_CROSSLEY, AM_HUNT_CROSSLEY, AM_HUNT_CROSSLEY},
                                                    {AM_UNILATERAL, AM_HUNT_CROSSLEY, AM_KELVIN_VOIGT},
                                                    {AM_HUNT_CROSSLEY, AM_HELD, AM_HUNT_CROSSLEY},
                                                    {AM_UNILATERAL, AM_UNILATERAL, AM_KELVIN_VOIGT}};
    size_t found = 0;
    for (int trial = 0; trial < 200; trial++) {
        structure x;
        am_error err = {0};
        am_system *system = random_structure(&x, laws[trial % 4], trial % 3 == 0 ? 1.5 : 0.3);
        am_sliding s;
        am_status status = am_sliding_init(&s, system, NULL, &err);
        assert_true(status == AM_OK || status == AM_ERR_NO_STATE);
        if (!status && s.closed) {
            double terms = 0.0;
            found++;
            for (size_t c = 0; c < CONTACTS; c++) {
                double gap = 0.0, force = s.normal[c];
                for (size_t i = 0; i < N; i++)
                    gap += x.n[c][i] * s.q[i];
                if (laws[trial % 4][c] == AM_UNILATERAL)
                    assert_near(gap, 0.0, 1e-13);
                else if (laws[trial % 4][c] == AM_HELD)
                    assert_near(force, 0.7, 0.0);
                else
                    assert_near(force, x.contact[c].contact_stiffness * pow(-gap, x.contact[c].contact_exponent),
                                1e-11 * (1.0 + force));
                terms = fmax(terms, force);
            }
            for (size_t i = 0; i < N; i++) {
                double sum = -x.F[i];
                for (size_t j = 0; j < N; j++)
                    sum += (x.K[i * N + j] + x.G[i * N + j]) * s.q[j];
                for (size_t c = 0; c < CONTACTS; c++)
                    sum -= push(&x, c, i) * s.normal[c];
                assert_near(sum, 0.0, 1e-11 * (8.0 + terms));
            }
        }
        if (!status)
            am_sliding_clear(&s);
        am_system_free(system);
    }
    assert_true(found > 100);
}

/* The first-order matrix of all 2 N coordinates, with rigid normal forces eliminated by the accelerations:
 * q'' = M^-1 (r - B (J M^-1 B)^-1 J M^-1 r), r = -C q' - K q. Its eigenvalues are those asked for and zeros. */
static void first_order(const structure *x, const am_sliding *s, double *a) {
    double K[N * N], C[N * N], right[N * 2 * N], mass[N * N], MB[N * CONTACTS];
    size_t rigid[CONTACTS], p = 0;
    memcpy(C, x->C, sizeof C);
    for (size_t i = 0; i < N * N; i++)
        K[i] = x->K[i] + x->G[i];
    for (size_t c = 0; c < CONTACTS; c++) {
        am_normal_law law = x->contact[c].normal_law;
        double d = 0.0, k = x->contact[c].contact_stiffness, beta = x->contact[c].contact_exponent, slope = k,
               rate = x->contact[c].contact_damping;
        if (law == AM_UNILATERAL)
            rigid[p++] = c;
        if (law == AM_UNILATERAL || law == AM_HELD)
            continue;
        for (size_t i = 0; i < N; i++)
            d -= x->n[c][i] * s->q[i];
        if (law == AM_HUNT_CROSSLEY) {
            slope = k * beta * pow(d, beta - 1.0);
            rate = 1.5 * k * x->contact[c].contact_dissipation * pow(d, beta);
        }
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                K[i * N + j] += push(x, c, i) * slope * x->n[c][j];
                C[i * N + j] += push(x, c, i) * rate * x->n[c][j];
            }
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            right[i * 2 * N + j] = -K[i * N + j];
            right[i * 2 * N + N + j] = -C[i * N + j];
        }
    memcpy(mass, x->M, sizeof mass);
    solve(mass, right, N, 2 * N);
    if (p > 0) {
        double D[CONTACTS * CONTACTS] = {0}, J[CONTACTS * 2 * N] = {0};
        for (size_t i = 0; i < N; i++)
            for (size_t r = 0; r < p; r++)
                MB[i * p + r] = push(x, rigid[r], i);
        memcpy(mass, x->M, sizeof mass);
        solve(mass, MB, N, p);
        for (size_t r = 0; r < p; r++)
            for (size_t i = 0; i < N; i++) {
                for (size_t q = 0; q < p; q++)
                    D[r * p + q] += x->n[rigid[r]][i] * MB[i * p + q];
                for (size_t j = 0; j < 2 * N; j++)
                    J[r * 2 * N + j] += x->n[rigid[r]][i] * right[i * 2 * N + j];
            }
        solve(D, J, p, 2 * N);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < 2 * N; j++)
                for (size_t r = 0; r < p; r++)
                    right[i * 2 * N + j] -= MB[i * p + r] * J[r * 2 * N + j];
    }
    memset(a, 0, 4 * N * N * sizeof *a);
    for (size_t i = 0; i < N; i++) {
        a[i * 2 * N + N + i] = 1.0;
        memcpy(a + (N + i) * 2 * N, right + i * 2 * N, 2 * N * sizeof *a);
    }
}

static void random_spectra_agree_with_the_first_order_matrix(void **state) {
    (void)state;
    static const am_normal_law laws[4][CONTACTS] = {{AM_HUNT_CROSSLEY, AM_KELVIN_VOIGT, AM_HUNT_CROSSLEY},
                                                    {AM_UNILATERAL, AM_HUNT_CROSSLEY, AM_KELVIN_VOIGT},
                                                    {AM_UNILATERAL, AM_HELD, AM_UNILATERAL},
                                                    {AM_UNILATERAL, AM_UNILATERAL, AM_UNILATERAL}};
    size_t compared = 0, unstable = 0;
    for (int trial = 0; trial < 200; trial++) {
        structure x;
        am_error err = {0};
        const am_normal_law *law = laws[trial % 4];
        am_system *system = random_structure(&x, law, 1.0);
        am_stability_options options = am_stability_options_default();
        am_sliding equilibrium;
        am_spectrum s;
        if (am_sliding_init(&equilibrium, system, NULL, &err)) {
            am_system_free(system);
            continue;
        }
        if (am_stability_spectrum(system, &options, &s, &err))
            fail_msg("%s", err.message);
        double a[4 * N * N], re[2 * N], im[2 * N];
        size_t rigid = 0;
        for (size_t c = 0; c < CONTACTS; c++)
            rigid += law[c] == AM_UNILATERAL ? 1 : 0;
        first_order(&x, &equilibrium, a);
        assert_int_equal(LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', 2 * N, a, 2 * N, re, im, NULL, 2 * N, NULL, 2 * N),
                         0);
        if (!s.painleve) {
            compared++;
            unstable += s.real[0] > 0.0 ? 1 : 0;
            assert_int_equal(s.count, 2 * (N - rigid));
            for (size_t i = 0; i < s.count; i++) {
                size_t nearest = 0;
                for (size_t j = 1; j < 2 * N; j++)
                    if (hypot(re[j] - s.real[i], im[j] - s.imaginary[i]) <
                        hypot(re[nearest] - s.real[i], im[nearest] - s.imaginary[i]))
                        nearest = j;
                double apart = hypot(re[nearest] - s.real[i], im[nearest] - s.imaginary[i]);
                assert_near(apart, 0.0, 1e-9 + 10.0 * s.uncertainty[i]); /* both computed in double */
                re[nearest] = INFINITY;                                  /* each is used once */
            }
        }
        am_spectrum_clear(&s);
        am_sliding_clear(&equilibrium);
        am_system_free(system);
    }
    assert_true(compared > 120 && unstable > 5);
}

/* x'' M + C x' + K x = B lambda must hold for each shape: the residual lies in the span of B. */
static void mode_shapes_satisfy_the_full_equations(void **state) {
    (void)state;
    static const am_normal_law laws[CONTACTS] = {AM_UNILATERAL, AM_KELVIN_VOIGT, AM_UNILATERAL};
    structure x;
    am_error err = {0};
    am_system *system = random_structure(&x, laws, 0.3);
    am_stability_options options = am_stability_options_default();
    am_spectrum s;
    if (am_stability_spectrum(system, &options, &s, &err))
        fail_msg("%s", err.message);
    for (size_t e = 0; e < s.count; e++) {
        double r[2][N], l[2] = {s.real[e], s.imaginary[e]}, largest = 0.0;
        double square[2] = {l[0] * l[0] - l[1] * l[1], 2.0 * l[0] * l[1]};
        for (size_t i = 0; i < N; i++) {
            r[0][i] = r[1][i] = 0.0;
            for (size_t j = 0; j < N; j++) {
                double m = x.M[i * N + j], k = x.K[i * N + j] + x.G[i * N + j], c = x.C[i * N + j];
                k += push(&x, 1, i) * x.contact[1].contact_stiffness * x.n[1][j];
                c += push(&x, 1, i) * x.contact[1].contact_damping * x.n[1][j];
                double p = square[0] * m + l[0] * c + k, q = square[1] * m + l[1] * c;
                double u = s.shape[e * N + j], v = s.shape_imaginary[e * N + j];
                r[0][i] += p * u - q * v;
                r[1][i] += p * v + q * u;
            }
            largest = fmax(largest, hypot(s.shape[e * N + i], s.shape_imaginary[e * N + i]));
        }
        assert_near(largest, 1.0, 1e-12);
        for (int part = 0; part < 2; part++) { /* take out the span of b0, b2 by Gram-Schmidt */
            double basis[2][N];
            for (int b = 0; b < 2; b++) {
                double length = 0.0, overlap = 0.0;
                for (size_t i = 0; i < N; i++)
                    basis[b][i] = push(&x, b == 0 ? 0 : 2, i);
                for (size_t i = 0; b == 1 && i < N; i++)
                    overlap += basis[1][i] * basis[0][i];
                for (size_t i = 0; i < N; i++) {
                    basis[b][i] -= b == 1 ? overlap * basis[0][i] : 0.0;
                    length += basis[b][i] * basis[b][i];
                }
                for (size_t i = 0; i < N; i++)
                    basis[b][i] /= sqrt(length);
                double along = 0.0;
                for (size_t i = 0; i < N; i++)
                    along += basis[b][i] * r[part][i];
                for (size_t i = 0; i < N; i++)
                    r[part][i] -= along * basis[b][i];
            }
            for (size_t i = 0; i < N; i++)
                assert_near(r[part][i], 0.0, 1e-10 * (1.0 + l[0] * l[0] + l[1] * l[1]));
        }
        for (size_t c = 0; c < CONTACTS; c += 2) {
            double gap[2] = {0.0, 0.0};
            for (size_t i = 0; i < N; i++) {
                gap[0] += x.n[c][i] * s.shape[e * N + i];
                gap[1] += x.n[c][i] * s.shape_imaginary[e * N + i];
            }
            assert_near(hypot(gap[0], gap[1]), 0.0, 1e-13);
        }
    }
    am_spectrum_clear(&s);
    am_system_free(system);
}

/* ---- reports and refusals ---- */

static const char *text_of(const am_result *result, const char *name) {
    const am_scalar *scalar = am_result_find(result, name);
    assert_non_null(scalar);
    return scalar->kind == AM_SCALAR_TEXT ? scalar->text : "none";
}

static void the_summary_names_the_instability(void **state) {
    (void)state;
    const struct {
        double Delta, K_r, C_r;
        const char *instability;
    } cases[] = {{0.5, 0.5, 1.5, "none"},       /* below all of 1/m_r, 1/K_r, 1/C_r */
                 {0.8, 0.5, 1.5, "flutter"},    /* 1/C_r = 0.67 */
                 {0.8, 1.5, 0.5, "divergence"}, /* 1/K_r = 0.67 */
                 {1.2, 0.5, 0.5, "painleve"}};  /* 1/m_r = 1 */
    for (size_t i = 0; i < 4; i++) {
        am_error err = {0};
        two_mode t = usual(cases[i].Delta, cases[i].K_r, cases[i].C_r);
        am_system *system = build(&t);
        am_stability_options options = am_stability_options_default();
        am_result *result = am_result_create(&err);
        if (am_stability_run(system, &options, result, NULL, &err))
            fail_msg("%s", err.message);
        assert_string_equal(text_of(result, "instability"), cases[i].instability);
        assert_near(am_result_find(result, "stable")->number, i == 0 ? 1.0 : 0.0, 0.0);
        assert_non_null(am_result_find(result, "N1"));
        assert_non_null(am_result_find(result, "q2"));
        am_result_free(result);
        am_system_free(system);
    }
}

static void assert_refused(const two_mode *t, am_status status, const char *word) {
    am_error err = {0};
    am_system *system = build(t);
    am_stability_options options = am_stability_options_default();
    am_result *result = am_result_create(&err);
    assert_int_equal(am_stability_run(system, &options, result, NULL, &err), status);
    if (!strstr(err.message, word))
        fail_msg("\"%s\" does not speak of \"%s\"", err.message, word);
    am_result_free(result);
    am_system_free(system);
}

static void questions_without_an_answer_are_refused_with_a_sentence(void **state) {
    (void)state;
    two_mode t = usual(0.4, 0.5, 1.0);
    t.velocity = 0.0;
    assert_refused(&t, AM_ERR_INPUT, "surface_velocity is zero");
    t = usual(0.4, 0.5, 1.0);
    t.P = -1.0; /* pulls apart */
    assert_refused(&t, AM_ERR_NO_STATE, "cannot pull");
    t.law = AM_KELVIN_VOIGT;
    t.stiffness = 10.0;
    assert_refused(&t, AM_ERR_NO_STATE, "cannot pull");
    t.law = AM_HUNT_CROSSLEY;
    t.dissipation = 0.1;
    assert_refused(&t, AM_ERR_NO_STATE, "cannot pull");
    t.P = 0.0;
    assert_refused(&t, AM_ERR_NO_STATE, "no load presses");
    t.exponent = 1.5;
    t.P = -1.0;
    assert_refused(&t, AM_ERR_NO_STATE, "no steady sliding equilibrium");
    t.P = 1.0;
    t.f[0] = 30.0; /* friction wins: the two equilibria have met */
    assert_refused(&t, AM_ERR_NO_STATE, "give way");
}

/* Rigid and Kelvin-Voigt contacts have the same spectrum whatever presses them: without any load none is asked for. */
static void linear_contacts_need_no_load(void **state) {
    (void)state;
    two_mode t = usual(0.4, 0.5, 1.0), unloaded = t;
    unloaded.P = 0.0;
    for (int law = 0; law < 2; law++) {
        t.law = unloaded.law = law == 0 ? AM_UNILATERAL : AM_KELVIN_VOIGT;
        t.stiffness = unloaded.stiffness = 100.0;
        am_spectrum a = spectrum_of(&t), b = spectrum_of(&unloaded);
        assert_true(b.closed);
        for (size_t i = 0; i < a.count; i++)
            assert_near(a.real[i], b.real[i], 0.0);
        am_spectrum_clear(&a);
        am_spectrum_clear(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_eigenvalues_are_the_roots_of_eq_13),
        cmocka_unit_test(rigid_contact_fails_where_delta_0_vanishes),
        cmocka_unit_test(the_rigid_equilibrium_balances_by_hand),
        cmocka_unit_test(compliant_eigenvalues_are_roots_of_the_polynomial),
        cmocka_unit_test(structural_coupling_enters_as_eqs_10_and_11),
        cmocka_unit_test(fig_3_has_its_thresholds),
        cmocka_unit_test(stiff_contact_flutters_at_the_closed_form_limit),
        cmocka_unit_test(undamped_contact_flutters_at_C_r_not_at_painleve),
        cmocka_unit_test(the_damping_that_restores_the_rigid_boundary_does_not_grow_with_stiffness),
        cmocka_unit_test(slow_eigenvalues_of_stiff_contact_tend_to_the_rigid_ones),
        cmocka_unit_test(hunt_crossley_equilibria_solve_eq_37),
        cmocka_unit_test(folds_of_two_contacts_are_those_of_the_weaker_one),
        cmocka_unit_test(hunt_crossley_eigenvalues_are_those_of_the_corrected_eq_39),
        cmocka_unit_test(random_equilibria_satisfy_the_laws),
        cmocka_unit_test(random_spectra_agree_with_the_first_order_matrix),
        cmocka_unit_test(mode_shapes_satisfy_the_full_equations),
        cmocka_unit_test(the_summary_names_the_instability),
        cmocka_unit_test(questions_without_an_answer_are_refused_with_a_sentence),
        cmocka_unit_test(contacts_far_stiffer_than_the_structure_keep_their_equilibrium),
        cmocka_unit_test(linear_contacts_need_no_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
