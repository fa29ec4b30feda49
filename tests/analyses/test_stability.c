/* Analysis `stability`: eqs. 46-48 of Cho and Barber, textbook oscillators, and the flutter of two coupled modes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "amontons/stability.h"
#include "dense_system.h"
#include "near.h"

static am_system *klarbring(double friction, double mass, double damping) {
    am_klarbring def = am_klarbring_default();
    am_error err = {0};
    def.stiffness[0][0] = def.stiffness[0][1] = def.stiffness[1][0] = 1.0;
    def.stiffness[1][1] = 2.0;
    def.damping[0][0] = def.damping[1][1] = damping;
    def.friction = friction;
    def.mass = mass;
    am_system *system = am_klarbring_create(&def, &err);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

static am_result *run(const am_system *system, const am_contact_state *states) {
    am_error err = {0};
    am_stability_options options = am_stability_options_default();
    am_result *result = am_result_create(&err);
    options.state = states;
    if (am_stability_run(system, &options, result, NULL, &err))
        fail_msg("%s", err.message);
    return result;
}

static double number(const am_result *result, const char *name) {
    const am_scalar *scalar = am_result_find(result, name);
    assert_non_null(scalar);
    return scalar->number;
}

static void assert_kind(const am_result *result, const char *kind) {
    assert_string_equal(am_result_find(result, "kind")->text, kind);
}

/* ---- Klarbring's mass ---- */

static void backward_slip_above_f_star_grows_as_eq_48(void **state) {
    (void)state;
    static const double friction[] = {1.0 + 1e-6, 1.25, 2.0, 17.0}, mass[] = {1e-3, 1.0, 40.0};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 3; j++) {
            am_system *system = klarbring(friction[i], mass[j], 0.0);
            am_contact_state slip = AM_BACKWARD;
            am_result *result = run(system, &slip);
            double b = sqrt((friction[i] - 1.0) / mass[j]);
            assert_near(number(result, "growth_rate"), b,
                        1e-14 * friction[i] / mass[j] / b); /* rounding of f k21 - k11 */
            assert_kind(result, "divergence");
            assert_near(number(result, "stable"), 0.0, 0.0);
            assert_true(number(result, "eigen_residual") <= 1e-15);
            am_result_free(result);
            am_system_free(system);
        }
}

static void backward_slip_below_f_star_and_forward_slip_oscillate(void **state) {
    (void)state;
    const struct {
        am_contact_state slip;
        double friction, square;
    } cases[] = {{AM_BACKWARD, 0.25, 0.75}, {AM_FORWARD, 0.25, 1.25}, {AM_FORWARD, 9.0, 10.0}}; /* eqs. 29, 48 */
    for (size_t i = 0; i < 3; i++) {
        am_system *system = klarbring(cases[i].friction, 1.0, 0.0);
        am_result *result = run(system, &cases[i].slip);
        assert_near(number(result, "growth_rate"), 0.0, 0.0); /* exactly: undamped */
        assert_near(number(result, "frequency"), sqrt(cases[i].square), 1e-14);
        assert_kind(result, "neutral");
        assert_near(number(result, "stable"), 1.0, 0.0);
        am_result_free(result);
        am_system_free(system);
    }
}

static void at_f_star_backward_slip_is_neutral_whatever_the_rounding(void **state) {
    (void)state;
    for (int ulp = -2; ulp <= 2; ulp++) {
        am_system *system = klarbring(1.0 + ulp * 2.3e-16, 1.0, 0.0);
        am_contact_state slip = AM_BACKWARD;
        am_result *result = run(system, &slip);
        assert_kind(result, "neutral");
        am_result_free(result);
        am_system_free(system);
    }
}

static void damping_makes_slip_stable_with_the_textbook_ratio(void **state) {
    (void)state;
    am_system *system = klarbring(0.25, 1.0, 0.2);
    am_contact_state slip = AM_FORWARD;
    am_result *result = run(system, &slip);
    const am_table *table = am_result_find_table(result, "eigenvalues");
    assert_near((double)am_table_rows(table), 2.0, 0.0);
    assert_near(number(result, "growth_rate"), -0.1, 1e-15);
    assert_near(number(result, "frequency"), sqrt(1.25 - 0.01), 1e-14);
    assert_near(am_table_number(table, 0, 3), 0.1 / sqrt(1.25), 1e-14);
    assert_kind(result, "stable");
    am_result_free(result);
    am_system_free(system);
}

static void damping_slows_divergence_without_stopping_it(void **state) {
    (void)state;
    am_system *system = klarbring(1.25, 1.0, 0.2);
    am_contact_state slip = AM_BACKWARD;
    am_result *result = run(system, &slip);
    assert_near(number(result, "growth_rate"), -0.1 + sqrt(0.01 + 0.25), 1e-14);
    assert_kind(result, "divergence");
    am_result_free(result);
    am_system_free(system);
}

static void a_stuck_mass_has_no_motion(void **state) {
    (void)state;
    am_system *system = klarbring(1.25, 1.0, 0.0);
    am_contact_state stick = AM_STICK;
    am_result *result = run(system, &stick);
    assert_near((double)am_table_rows(am_result_find_table(result, "eigenvalues")), 0.0, 0.0);
    assert_near(number(result, "stable"), 1.0, 0.0);
    assert_int_equal(am_result_find(result, "growth_rate")->kind, AM_SCALAR_NONE);
    am_result_free(result);
    am_system_free(system);
}

static void an_open_mass_has_the_frequencies_of_its_support(void **state) {
    (void)state;
    am_system *system = klarbring(1.25, 1.0, 0.0);
    am_contact_state open = AM_OPEN;
    am_result *result = run(system, &open);
    const am_table *table = am_result_find_table(result, "eigenvalues");
    assert_near((double)am_table_rows(table), 4.0, 0.0);
    /* det(k - w^2) = w^4 - 3 w^2 + 1 = 0 */
    assert_near(am_table_number(table, 0, 2), sqrt((3.0 - sqrt(5.0)) / 2.0), 1e-14);
    assert_near(am_table_number(table, 3, 2), sqrt((3.0 + sqrt(5.0)) / 2.0), 1e-14);
    assert_near(am_table_number(table, 0, 1), -am_table_number(table, 1, 1), 0.0);
    am_result_free(result);
    am_system_free(system);
}

/* ---- general structures ---- */

enum { MAX_N = 6 };

static am_system *structure(size_t n, const double *M, const double *C, const double *K, const double *normal,
                            const double *tangent, double friction) {
    am_error err = {0};
    am_contact_def contact = am_contact_def_default();
    contact.normal = normal;
    contact.tangent = tangent;
    contact.friction = friction;
    am_matrix *mass = M ? am_matrix_dense(n, n, M, &err) : NULL, *damping = C ? am_matrix_dense(n, n, C, &err) : NULL;
    am_matrix *stiffness = am_matrix_dense(n, n, K, &err);
    am_system_def def = am_system_def_default();
    def.n = n;
    def.mass = mass;
    def.damping = damping;
    def.stiffness = stiffness;
    def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = am_system_create(&def, &err);
    if (!system)
        fail_msg("%s", err.message);
    am_matrix_free(mass);
    am_matrix_free(damping);
    am_matrix_free(stiffness);
    return system;
}

/* The normal spring follows a second mode, so friction feeds that mode into the tangential one: the reduced stiffness
 * is not symmetric, and two close frequencies join. */
static void mode_coupling_flutters_with_the_closed_form(void **state) {
    (void)state;
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, normal[3] = {0, 0, 1}, tangent[3] = {1, 0, 0};
    const double k1 = 2.0, k2 = 2.2, k12 = 0.3, k23 = -0.9, k3 = 3.0, mu = 0.8;
    const double K[9] = {k1, k12, 0, k12, k2, k23, 0, k23, k3};
    am_system *system = structure(3, M, NULL, K, normal, tangent, mu);
    am_contact_state slip = AM_FORWARD;
    am_result *result = run(system, &slip);
    /* N = k23 x2; x1'' + k1 x1 + k12 x2 = -mu k23 x2; x2'' + k12 x1 + k2 x2 = 0 */
    double product = (k12 + mu * k23) * k12, discriminant = 0.25 * (k1 - k2) * (k1 - k2) + product;
    assert_true(discriminant < 0.0);
    double middle = 0.5 * (k1 + k2), square = sqrt(-discriminant); /* kappa = middle +- i square */
    double growth = sqrt(0.5 * (hypot(middle, square) - middle));
    assert_near(number(result, "growth_rate"), growth, 1e-13);
    assert_near(number(result, "frequency"), sqrt(0.5 * (hypot(middle, square) + middle)), 1e-13);
    assert_kind(result, "flutter");
    am_result_free(result);
    slip = AM_BACKWARD; /* the product is positive: no flutter this way */
    result = run(system, &slip);
    assert_kind(result, "neutral");
    am_result_free(result);
    am_system_free(system);
}

static uint64_t seed_state = 46;

static double uniform(double low, double high) {
    seed_state = seed_state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed_state >> 11) / 9007199254740992.0;
}

static void random_definite(double *a, size_t n, double least) {
    double g[MAX_N * MAX_N];
    for (size_t i = 0; i < n * n; i++)
        g[i] = uniform(-1.0, 1.0);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            a[i * n + j] = i == j ? least : 0.0;
            for (size_t k = 0; k < n; k++)
                a[i * n + j] += g[i * n + k] * g[j * n + k];
        }
}

/* Open and stuck structures with positive definite damping lose energy: every eigenvalue must be stable. Without
 * friction (slip with mu = 0) as well. */
static void passive_states_are_always_stable(void **state) {
    (void)state;
    static const am_contact_state passive[] = {AM_OPEN, AM_STICK, AM_FORWARD};
    for (size_t trial = 0; trial < 200; trial++) {
        size_t n = 3 + trial % 4;
        double M[MAX_N * MAX_N], C[MAX_N * MAX_N], K[MAX_N * MAX_N], normal[MAX_N], tangent[MAX_N];
        random_definite(M, n, 0.1);
        random_definite(C, n, 0.01);
        random_definite(K, n, 0.1);
        for (size_t i = 0; i < n; i++) {
            normal[i] = uniform(-1.0, 1.0);
            tangent[i] = uniform(-1.0, 1.0);
        }
        am_contact_state contact = passive[trial % 3];
        am_system *system = structure(n, M, C, K, normal, tangent, contact == AM_FORWARD ? 0.0 : 0.7);
        am_result *result = run(system, &contact);
        size_t left = n - (contact == AM_OPEN ? 0 : contact == AM_STICK ? 2 : 1);
        assert_near((double)am_table_rows(am_result_find_table(result, "eigenvalues")), 2.0 * (double)left, 0.0);
        assert_kind(result, "stable");
        assert_true(number(result, "growth_rate") < 0.0);
        assert_true(number(result, "eigen_residual") <= 1e-12);
        am_result_free(result);
        am_system_free(system);
    }
}

static void oblique_slip_matches_the_one_degree_reduction(void **state) {
    (void)state;
    for (size_t trial = 0; trial < 100; trial++) {
        double M[4], C[4], K[4], normal[2], tangent[2], mu = uniform(0.0, 0.4);
        random_definite(M, 2, 0.5);
        random_definite(C, 2, 0.1);
        random_definite(K, 2, 0.5);
        double angle = uniform(0.0, 6.28);
        normal[0] = -sin(angle), normal[1] = cos(angle);
        tangent[0] = cos(angle), tangent[1] = sin(angle);
        am_system *system = structure(2, M, C, K, normal, tangent, mu);
        am_contact_state slip = AM_FORWARD;
        am_result *result = run(system, &slip);
        /* x = tangent y; equations along w with w.(n - mu t) = 0: w = t + mu n */
        double w[2] = {tangent[0] + mu * normal[0], tangent[1] + mu * normal[1]}, reduced[3] = {0.0, 0.0, 0.0};
        for (size_t i = 0; i < 2; i++)
            for (size_t j = 0; j < 2; j++) {
                reduced[0] += w[i] * M[i * 2 + j] * tangent[j];
                reduced[1] += w[i] * C[i * 2 + j] * tangent[j];
                reduced[2] += w[i] * K[i * 2 + j] * tangent[j];
            }
        double half = -0.5 * reduced[1] / reduced[0], rest = half * half - reduced[2] / reduced[0];
        double growth = rest > 0.0 ? half + sqrt(rest) : half;
        assert_near(number(result, "growth_rate"), growth, 1e-11 * (1.0 + fabs(half) + fabs(rest)));
        am_result_free(result);
        am_system_free(system);
    }
}

/* ---- refusals ---- */

static void assert_refused(const am_system *system, const am_stability_options *options, am_status status,
                           const char *word) {
    am_error err = {0};
    am_result *result = am_result_create(&err);
    assert_int_equal(am_stability_run(system, options, result, NULL, &err), status);
    if (!strstr(err.message, word))
        fail_msg("\"%s\" does not speak of \"%s\"", err.message, word);
    am_result_free(result);
}

static void bad_questions_are_refused_with_a_sentence(void **state) {
    (void)state;
    const double M[4] = {1, 0, 0, 0}, K[4] = {2, 1, 1, 2}, normal[2] = {0, 1}, tangent[2] = {1, 0};
    am_system *massless = structure(2, M, NULL, K, normal, tangent, 0.5);
    am_stability_options options = am_stability_options_default(), raw = {0};
    am_contact_state open = AM_OPEN, wrong = (am_contact_state)9;
    assert_refused(massless, &options, AM_ERR_INPUT, "missing");
    assert_refused(massless, &raw, AM_ERR_INPUT, "am_stability_options_default");
    options.state = &wrong;
    assert_refused(massless, &options, AM_ERR_INPUT, "unknown");
    options.state = &open;
    const double loose[4] = {2, 0, 0, 0};
    am_system *unheld = structure(2, M, NULL, loose, normal, tangent, 0.5);
    assert_refused(unheld, &options, AM_ERR_UNSUPPORTED, "without inertia");
    am_system_free(unheld);
    am_result *condensed = run(massless, &open); /* where springs hold it they are condensed */
    assert_near(number(condensed, "frequency"), sqrt(2.0 - 1.0 / 2.0), 1e-14);
    am_result_free(condensed);
    am_contact_state slip = AM_FORWARD; /* but sliding moves only what has mass */
    am_result *result = run(massless, &slip);
    assert_near(number(result, "frequency"), sqrt(2.0 + 0.5 * 1.0), 1e-14);
    am_result_free(result);
    am_system_free(massless);
}

/* ---- Modes ---- */

/* Largest entry of (l^2 M + l C + K) x, x complex, over the size of its terms. */
static double mode_residual(const double *M, const double *C, const double *K, size_t n, double re, double im,
                            const double *x, const double *y) {
    double square = re * re - im * im, twice = 2.0 * re * im, worst = 0.0, size = 0.0;
    for (size_t i = 0; i < n; i++) {
        double real = 0.0, imaginary = 0.0;
        for (size_t j = 0; j < n; j++) {
            double a = square * M[i * n + j] + re * C[i * n + j] + K[i * n + j],
                   b = twice * M[i * n + j] + im * C[i * n + j];
            real += a * x[j] - b * y[j];
            imaginary += a * y[j] + b * x[j];
            size = fmax(size, (re * re + im * im) * fabs(M[i * n + j]) + hypot(re, im) * fabs(C[i * n + j]) +
                                  fabs(K[i * n + j]));
        }
        worst = fmax(worst, hypot(real, imaginary));
    }
    return worst / size;
}

/* Damping from none to so much that every mode creeps: then eigenvalues and shapes are real. */
static void every_shape_belongs_to_its_eigenvalue(void **state) {
    (void)state;
    size_t real_modes = 0, pairs = 0;
    for (size_t seed = 0; seed < 60; seed++) {
        enum { N = 4 };
        double M[N * N], C[N * N], K[N * N];
        static const double damping[] = {0.0, 0.1, 2.0, 30.0};
        random_definite(M, N, 0.5);
        random_definite(C, N, 1.0);
        for (size_t i = 0; i < N * N; i++)
            C[i] *= damping[seed % 4];
        random_definite(K, N, 0.5);
        am_system_def def = am_system_def_default();
        def.n = N;
        am_system *system = dense_system(def, M, C, K);
        am_stability_options options = am_stability_options_default();
        am_spectrum spectrum = {0};
        am_error err = {0};
        if (am_stability_spectrum(system, &options, &spectrum, &err))
            fail_msg("%s", err.message);
        assert_int_equal(spectrum.count, 2 * N);
        for (size_t k = 0; k < spectrum.count; k++) {
            const double *x = spectrum.shape + k * N, *y = spectrum.shape_imaginary + k * N;
            double re = spectrum.real[k], im = spectrum.imaginary[k], largest = 0.0;
            for (size_t i = 0; i < N; i++)
                largest = fmax(largest, hypot(x[i], y[i]));
            assert_near(largest, 1.0, 1e-12);
            /* rounding of an eigenproblem of size 8, of condition 1e3 or less */
            assert_near(mode_residual(M, C, K, N, re, im, x, y), 0.0, 1e-11);
            for (size_t i = 0; i < N && im == 0.0; i++)
                assert_near(y[i], 0.0, 0.0);
            real_modes += im == 0.0;
            pairs += im > 0.0;
        }
        am_spectrum_clear(&spectrum);
        am_system_free(system);
    }
    assert_true(real_modes > 100 && pairs > 80);
}
/* ---- eigenvalues that coincide ---- */

enum { ROUND = 9 }; /* coordinates of the structures below */

/* K = Q diag(value) Q^T with a random orthogonal Q (Householder reflections); symmetric. */
static void with_eigenvalues(const double *value, double *K) {
    memset(K, 0, ROUND * ROUND * sizeof *K);
    for (size_t i = 0; i < ROUND; i++)
        K[i * ROUND + i] = value[i];
    for (size_t turn = 0; turn < 3; turn++) {
        double u[ROUND], square = 0.0, w[ROUND] = {0}, product = 0.0;
        for (size_t i = 0; i < ROUND; i++) {
            u[i] = uniform(-1.0, 1.0);
            square += u[i] * u[i];
        }
        for (size_t i = 0; i < ROUND; i++)
            for (size_t j = 0; j < ROUND; j++)
                w[i] += K[i * ROUND + j] * u[j];
        for (size_t i = 0; i < ROUND; i++)
            product += u[i] * w[i];
        for (size_t i = 0; i < ROUND; i++)
            for (size_t j = 0; j < ROUND; j++)
                K[i * ROUND + j] +=
                    -2.0 / square * (u[i] * w[j] + w[i] * u[j]) + 4.0 * product / (square * square) * u[i] * u[j];
    }
    for (size_t i = 0; i < ROUND; i++)
        for (size_t j = 0; j < i; j++)
            K[i * ROUND + j] = K[j * ROUND + i];
}

/* A ring of equal masses: all frequencies but one or two are double. */
static void ring(double coupling, double *K) {
    memset(K, 0, ROUND * ROUND * sizeof *K);
    for (size_t i = 0; i < ROUND; i++) {
        size_t next = (i + 1) % ROUND;
        K[i * ROUND + i] += 1.0 + coupling;
        K[next * ROUND + next] += coupling;
        K[i * ROUND + next] -= coupling;
        K[next * ROUND + i] -= coupling;
    }
}

/* The spectrum with the last bits of the matrices changed, as another order of summation would. */
static am_spectrum rounded_otherwise(const double *C, const double *K) {
    double M[ROUND * ROUND] = {0}, c[ROUND * ROUND], k[ROUND * ROUND];
    for (size_t i = 0; i < ROUND; i++)
        for (size_t j = 0; j <= i; j++) {
            M[i * ROUND + j] = i == j;
            c[i * ROUND + j] = c[j * ROUND + i] = C[i * ROUND + j] * (1.0 + uniform(-4e-16, 4e-16));
            k[i * ROUND + j] = k[j * ROUND + i] = K[i * ROUND + j] * (1.0 + uniform(-4e-16, 4e-16));
        }
    am_system_def def = am_system_def_default();
    def.n = ROUND;
    am_system *system = dense_system(def, M, c, k);
    am_stability_options options = am_stability_options_default();
    am_spectrum spectrum = {0};
    am_error err = {0};
    if (am_stability_spectrum(system, &options, &spectrum, &err))
        fail_msg("%s", err.message);
    am_system_free(system);
    return spectrum;
}

/* A coordinate that has hardly any mass vibrates 1e5 times as fast as the others (reductions of meshes have such ones). The slow
 * modes are those of the structure in which it follows, and stay two. */
static void spectrum_with_mass(double third, double damping, am_spectrum *s) {
    const double K[9] = {2, 0, -1, 0, 3, -1, -1, -1, 4}, M[9] = {1, 0, 0, 0, 1, 0, 0, 0, third};
    double C[9];
    am_error err = {0};
    for (size_t i = 0; i < 9; i++)
        C[i] = damping * K[i];
    am_matrix *mass = am_matrix_dense(3, 3, M, &err), *stiffness = am_matrix_dense(3, 3, K, &err),
              *dampers = am_matrix_dense(3, 3, C, &err);
    am_system_def def = am_system_def_default();
    def.n = 3;
    def.mass = mass;
    def.stiffness = stiffness;
    def.damping = damping > 0.0 ? dampers : NULL;
    am_system *system = am_system_create(&def, &err);
    am_stability_options options = am_stability_options_default();
    if (am_stability_spectrum(system, &options, s, &err))
        fail_msg("%s", err.message);
    am_system_free(system);
    am_matrix_free(mass);
    am_matrix_free(stiffness);
    am_matrix_free(dampers);
}

static void hardly_any_mass_somewhere_does_not_blur_slow_modes(void **state) {
    (void)state;
    const double half = sqrt(0.25 + 0.0625),
                 square[2] = {2.25 - half, 2.25 + half}; /* of [[1.75, -0.25], [-0.25, 2.75]] */
    am_spectrum s;
    spectrum_with_mass(1e-11, 0.0, &s);
    assert_near(s.imaginary[0], sqrt(square[0]), 2e-12); /* what moves of 1e-11 */
    assert_near(s.imaginary[2], sqrt(square[1]), 2e-12);
    assert_near(s.imaginary[4] / sqrt(4e11), 1.0, 1e-10);
    am_spectrum_clear(&s);
    /* damped in proportion to stiffness; the third coordinate creeps at 4e9 */
    spectrum_with_mass(1e-11, 0.01, &s);
    for (size_t j = 0; j < 2; j++) { /* l^2 + 0.01 square l + square = 0 */
        double decay = 0.005 * square[j];
        size_t i = s.real[0] < s.real[2] ? 2 - 2 * j : 2 * j;
        assert_near(s.real[i], -decay, 2e-12);
        assert_near(s.imaginary[i], sqrt(square[j] - decay * decay), 2e-12);
        assert_true(s.uncertainty[i] < 1e-12);
    }
    am_spectrum_clear(&s);
}

/* Undamped, damped in proportion to mass (all decay equally: their order is that of the frequencies), to stiffness, and
 * so strongly that double eigenvalues are real; with eigenvalues that are there up to four times, or in a ring. The
 * same order, and the same shapes: vectors of a space of several dimensions are chosen by rule. */
static void what_coincides_does_not_depend_on_rounding(void **state) {
    (void)state;
    double M[ROUND * ROUND], K[ROUND * ROUND], C[ROUND * ROUND];
    for (size_t i = 0; i < ROUND * ROUND; i++)
        M[i] = i % (ROUND + 1) == 0;
    size_t equal = 0;
    for (size_t member = 0; member < 48; member++) {
        double value[ROUND], mass = member % 4 == 1 ? 0.1 : member % 4 == 3 ? 9.0 : 0.0, stiffness = member % 4 == 2;
        for (size_t i = 0; i < ROUND; i++)
            value[i] = i % 2 && uniform(0.0, 1.0) < 0.8 ? value[i - 1] : floor(uniform(1.0, 4.0));
        if (member % 8 < 4)
            with_eigenvalues(value, K);
        else
            ring(uniform(0.01, 1.0), K);
        for (size_t i = 0; i < ROUND * ROUND; i++)
            C[i] = 0.05 * stiffness * K[i] + (i % (ROUND + 1) ? 0.0 : mass);
        am_spectrum a = rounded_otherwise(C, K), b = rounded_otherwise(C, K);
        assert_int_equal(a.count, 2 * ROUND);
        for (size_t k = 0; k < a.count; k++) {
            /* An eigenvalue of a symmetric problem carries some eps; a shape that over its distance (>= 1e-3) from the
             * next. */
            assert_near(a.real[k], b.real[k], 1e-11);
            assert_near(a.imaginary[k], b.imaginary[k], 1e-11);
            for (size_t i = 0; i < ROUND; i++) {
                assert_near(a.shape[k * ROUND + i], b.shape[k * ROUND + i], 1e-9);
                assert_near(a.shape_imaginary[k * ROUND + i], b.shape_imaginary[k * ROUND + i], 1e-9);
            }
            assert_near(mode_residual(M, C, K, ROUND, a.real[k], a.imaginary[k], a.shape + k * ROUND,
                                      a.shape_imaginary + k * ROUND),
                        0.0, 1e-12);
            for (size_t j = 0; j < k; j++)
                equal += a.real[j] == a.real[k] && a.imaginary[j] == a.imaginary[k];
        }
        am_spectrum_clear(&a);
        am_spectrum_clear(&b);
    }
    assert_true(equal > 200); /* not only close */
}

/* Two damped masses whose frequencies differ by 1e-9, beside one that vibrates 1e5 times as fast: l = -d/2 + i sqrt(k - d^2/4)
 * of each, which a few roundings move. */
static void close_damped_modes_stay_two_beside_a_fast_one(void **state) {
    (void)state;
    enum { N = 3 };
    const double d[N] = {0.02, 0.02, 0.02}, k[N] = {1.0, 1.0 + 2e-9, 1e10};
    double M[N * N] = {0}, C[N * N] = {0}, K[N * N] = {0};
    for (size_t i = 0; i < N; i++) {
        M[i * N + i] = 1.0;
        C[i * N + i] = d[i];
        K[i * N + i] = k[i];
    }
    am_system_def def = am_system_def_default();
    def.n = N;
    am_system *system = dense_system(def, M, C, K);
    am_stability_options options = am_stability_options_default();
    am_spectrum spectrum = {0};
    am_error err = {0};
    if (am_stability_spectrum(system, &options, &spectrum, &err))
        fail_msg("%s", err.message);
    assert_int_equal(spectrum.count, 2 * N);
    for (size_t i = 0; i < 2; i++) {
        double nearest = INFINITY, wanted = sqrt(k[i] - 0.25 * d[i] * d[i]);
        for (size_t j = 0; j < spectrum.count; j++)
            nearest = fmin(nearest, hypot(spectrum.imaginary[j] - wanted, spectrum.real[j] + 0.5 * d[i]));
        assert_near(nearest, 0.0, 1e-14);
    }
    am_spectrum_clear(&spectrum);
    am_system_free(system);
}

/* The same with forces that circulate: between the two close ones, which share a damper, and between these and the fast
 * one. Of the pair l^2 + d l + k +- s = 0, s^2 = (k gap/2)^2 - c^2; the fast one, with b/K of them, moves k by b^2/K. */
static void close_circulatory_modes_stay_two_beside_a_fast_one(void **state) {
    (void)state;
    enum { N = 3 };
    const double d = 0.02, gap = 2e-9, c = 0.6e-9, fast = 1e10, b = 0.5;
    const double M[N * N] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double C[N * N] = {d, 0, 0, 0, d, 0, 0, 0, d};
    const double K[N * N] = {1, 0, 0, 0, 1 + gap, 0, 0, 0, fast}, turn[N * N] = {0, c, b, -c, 0, 0, -b, 0, 0};
    am_system_def def = am_system_def_default();
    am_matrix *circulatory = am_matrix_dense(N, N, turn, NULL);
    assert_non_null(circulatory);
    def.n = N;
    def.circulatory = circulatory;
    am_system *system = dense_system(def, M, C, K);
    am_matrix_free(circulatory);
    am_stability_options options = am_stability_options_default();
    am_spectrum spectrum = {0};
    am_error err = {0};
    if (am_stability_spectrum(system, &options, &spectrum, &err))
        fail_msg("%s", err.message);
    double first = 1.0 + b * b / (fast - 1.0), mean = 0.5 * (first + 1.0 + gap), half = 0.5 * (1.0 + gap - first);
    for (int sign = -1; sign <= 1; sign += 2) {
        double nearest = INFINITY, wanted = sqrt(mean + sign * sqrt(half * half - c * c) - 0.25 * d * d);
        for (size_t j = 0; j < spectrum.count; j++)
            nearest = fmin(nearest, hypot(spectrum.imaginary[j] - wanted, spectrum.real[j] + 0.5 * d));
        assert_near(nearest, 0.0, 1e-14); /* a few roundings, and (b/fast)^2 of the pair */
    }
    am_spectrum_clear(&spectrum);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_belongs_to_its_eigenvalue),
        cmocka_unit_test(hardly_any_mass_somewhere_does_not_blur_slow_modes),
        cmocka_unit_test(close_damped_modes_stay_two_beside_a_fast_one),
        cmocka_unit_test(close_circulatory_modes_stay_two_beside_a_fast_one),
        cmocka_unit_test(what_coincides_does_not_depend_on_rounding),
        cmocka_unit_test(backward_slip_above_f_star_grows_as_eq_48),
        cmocka_unit_test(backward_slip_below_f_star_and_forward_slip_oscillate),
        cmocka_unit_test(at_f_star_backward_slip_is_neutral_whatever_the_rounding),
        cmocka_unit_test(damping_makes_slip_stable_with_the_textbook_ratio),
        cmocka_unit_test(damping_slows_divergence_without_stopping_it),
        cmocka_unit_test(a_stuck_mass_has_no_motion),
        cmocka_unit_test(an_open_mass_has_the_frequencies_of_its_support),
        cmocka_unit_test(mode_coupling_flutters_with_the_closed_form),
        cmocka_unit_test(passive_states_are_always_stable),
        cmocka_unit_test(oblique_slip_matches_the_one_degree_reduction),
        cmocka_unit_test(bad_questions_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
