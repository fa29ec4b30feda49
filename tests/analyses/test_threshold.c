/* Thresholds of steady sliding: against the stability polynomial of two modes, against eigenvalues on a fine grid, and
 * where the answer is known. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "amontons/stability.h"
#include "analyses/stability/axis.h"
#include "base/memory.h"
#include "math/eigen.h"
#include "near.h"
#include "papers/two_mode_boundary.h"
#include "random_system.h"
#include "varied_model.h"

/* ---- Spectra made here, without the analysis `stability` ---- */

static int by_growth(const void *a, const void *b) {
    const double *x = a, *y = b;
    return x[0] > y[0] ? -1 : x[0] < y[0];
}

/* Eigenvalues of a (n x n, destroyed). */
static am_status spectrum_of(double *a, size_t n, am_spectrum *spectrum, am_error *err) {
    am_eigen e;
    am_status status = am_eigen_init(&e, a, n, 0.0, err);
    if (status)
        return status;
    double(*rows)[3] = malloc((n + 1) * sizeof *rows);
    double *memory = am_memory_new(3 * n + 1, sizeof *memory, err);
    assert_true(rows && memory);
    for (size_t i = 0; i < n; i++)
        memcpy(rows[i], (double[3]){e.real[i], e.imaginary[i], e.uncertainty[i]}, sizeof rows[i]);
    qsort(rows, n, sizeof *rows, by_growth);
    *spectrum = (am_spectrum){
        .count = n, .real = memory, .imaginary = memory + n, .uncertainty = memory + 2 * n, .memory = memory};
    for (size_t i = 0; i < n; i++) {
        spectrum->real[i] = rows[i][0];
        spectrum->imaginary[i] = rows[i][1];
        spectrum->uncertainty[i] = rows[i][2];
    }
    free(rows);
    am_eigen_clear(&e);
    return AM_OK;
}

/* The Jacobian of eq. (32), with row 4 of eq. (39) corrected: written from the equations of motion (10), (11), (14). */
static am_status two_mode_spectrum(void *context, double Delta, am_spectrum *spectrum, am_error *err) {
    const am_two_mode_boundary *b = context;
    double f[2] = {-Delta * b->lambda[1] / b->lambda[0] * b->f2, b->f2}, J[16] = {0};
    for (size_t i = 0; i < 2; i++) {
        J[(2 * i) * 4 + 2 * i + 1] = 1.0;
        for (size_t j = 0; j < 2; j++) {
            J[(2 * i + 1) * 4 + 2 * j] = (f[i] * b->lambda[j] * b->K - b->stiffness[i][j]) / b->mass[i];
            J[(2 * i + 1) * 4 + 2 * j + 1] = (f[i] * b->lambda[j] * b->D - (i == j ? b->damping[i] : 0)) / b->mass[i];
        }
    }
    return spectrum_of(J, 4, spectrum, err);
}

static am_threshold find(const am_spectra *spectra, double from, double to) {
    am_error err = {0};
    am_threshold found;
    am_threshold_options options = am_threshold_options_default();
    options.from = from;
    options.to = to;
    if (am_threshold_find(spectra, &options, &found, NULL, &err))
        fail_msg("%s", err.message);
    return found;
}

/* Parameters of Chatterjee's section 2.2.5. */
static am_two_mode_boundary paper(double K_r, double C_r, double D_c) {
    return (am_two_mode_boundary){.mass = {1, 1},
                                  .damping = {0.1, 0.1 * C_r},
                                  .stiffness = {{1, 0}, {0, K_r}},
                                  .lambda = {1, 1},
                                  .f2 = -1,
                                  .law = AM_KELVIN_VOIGT,
                                  .K = 1000,
                                  .D = D_c};
}

/* ---- Two modes ---- */

static void thresholds_of_fig_3_come_out(void **state) {
    (void)state;
    /* Values of the issue, five digits. */
    static const struct {
        double K_r, C_r, D_c, critical;
        bool fast;
    } cases[] = {{0.5, 0.2, 0, 0.19975, true}, {0.5, 3, 0, 0.33283, false}};
    for (size_t i = 0; i < 2; i++) {
        am_two_mode_boundary b = paper(cases[i].K_r, cases[i].C_r, cases[i].D_c);
        am_spectra spectra = {two_mode_spectrum, &b};
        am_threshold found = find(&spectra, 0, 2);
        assert_int_equal(found.kind, AM_THRESHOLD_FLUTTER);
        assert_near(found.critical, cases[i].critical, 5e-6);
        assert_true(cases[i].fast == (found.omega > 10));
    }
    am_two_mode_boundary b = paper(1.5, 0.2, 60);
    am_spectra spectra = {two_mode_spectrum, &b};
    am_threshold found = find(&spectra, 0, 2);
    assert_int_equal(found.kind, AM_THRESHOLD_DIVERGENCE);
    assert_near(found.critical, 0.66767, 5e-6);
    assert_true(found.omega == 0.0);
}

static am_two_mode_boundary random_modes(random_source *source) {
    am_two_mode_boundary b = {.law = AM_KELVIN_VOIGT};
    for (size_t i = 0; i < 2; i++) {
        b.mass[i] = random_between(source, 0.3, 3);
        b.damping[i] = pow(10, random_between(source, -2, 0));
        b.stiffness[i][i] = random_between(source, 0.3, 3);
        b.lambda[i] = random_between(source, 0.3, 2) * (random_chance(source, 0.5) ? 1 : -1);
    }
    if (random_chance(source, 0.3)) { /* structural coupling, A_1 and A_2 */
        b.stiffness[0][1] = random_between(source, -0.2, 0.2);
        b.stiffness[1][0] = random_between(source, -0.2, 0.2);
    }
    b.f2 = random_between(source, 0.3, 2) * (b.lambda[1] > 0 ? -1 : 1);
    b.K = pow(10, random_between(source, 0, 4));
    b.D = random_chance(source, 0.2) ? 0 : sqrt(b.K) * pow(10, random_between(source, -2, 0.5));
    return b;
}

static void thousand_random_thresholds_are_roots_of_the_stability_polynomial(void **state) {
    (void)state;
    random_source source = random_seed(5);
    size_t count = 0, kinds[4] = {0};
    for (size_t k = 0; count < 1000 && k < 2000; k++) {
        am_two_mode_boundary b = random_modes(&source);
        am_boundary_point exact;
        am_spectra spectra = {two_mode_spectrum, &b};
        if (!am_two_mode_boundary_first(&b, 0, 20, &exact)) /* the structural coupling alone can make it unstable */
            continue;
        am_threshold found = find(&spectra, 0, 20);
        count++;
        kinds[exact.kind]++;
        assert_int_equal((int)found.kind, (int)exact.kind);
        if (exact.kind == AM_THRESHOLD_NONE)
            continue;
        /* The polynomial's own rounding: its terms, of size K^3, cancel. */
        if (!(fabs(found.critical - exact.Delta) <= 1e-10 * fmax(1, exact.Delta)))
            fail_msg("system %zu: %.17g, polynomial %.17g (growth %g)", k, found.critical, exact.Delta, found.growth);
        assert_near(found.omega, exact.omega, 1e-7 * fmax(1, exact.omega));
    }
    assert_true(count == 1000);
    assert_true(kinds[AM_THRESHOLD_DIVERGENCE] > 20 && kinds[AM_THRESHOLD_FLUTTER] > 20);
}

static void hunt_crossley_polynomial_agrees_with_eigenvalues(void **state) {
    (void)state;
    random_source source = random_seed(6);
    size_t checked = 0;
    for (size_t k = 0; k < 200; k++) {
        am_two_mode_boundary b = random_modes(&source), linear;
        am_boundary_point exact;
        am_error err = {0};
        b.law = AM_HUNT_CROSSLEY;
        b.preload[0] = b.lambda[0];
        b.preload[1] = b.lambda[1];
        b.alpha = pow(10, random_between(&source, -3, 1));
        if (!am_two_mode_boundary_first(&b, 0, 10, &exact) || exact.kind != AM_THRESHOLD_FLUTTER)
            continue;
        /* Equilibrium of eqs. (36), (37) for beta = 1, then the linear law with the damping of eq. (41). */
        double Delta = exact.Delta, f1 = -Delta * b.lambda[1] / b.lambda[0] * b.f2;
        const double(*s)[2] = b.stiffness;
        double det = s[0][0] * s[1][1] - s[0][1] * s[1][0];
        double by_N[2] = {(s[1][1] * f1 - s[0][1] * b.f2) / det, (s[0][0] * b.f2 - s[1][0] * f1) / det};
        double by_P[2] = {(s[1][1] * b.preload[0] - s[0][1] * b.preload[1]) / det,
                          (s[0][0] * b.preload[1] - s[1][0] * b.preload[0]) / det};
        double depth = (b.lambda[0] * by_P[0] + b.lambda[1] * by_P[1]) /
                       (1 - b.K * (b.lambda[0] * by_N[0] + b.lambda[1] * by_N[1]));
        linear = b;
        linear.D = 1.5 * b.alpha * b.K * depth;
        am_spectrum spectrum;
        assert_int_equal(two_mode_spectrum(&linear, Delta, &spectrum, &err), AM_OK);
        double size = 0;
        for (size_t i = 0; i < 4; i++)
            size = fmax(size, hypot(spectrum.real[i], spectrum.imaginary[i]));
        assert_near(spectrum.real[0], 0, 1e-10 * size); /* a root of the polynomial to rounding */
        assert_near(fabs(spectrum.imaginary[0]), exact.omega, 1e-7 * size);
        am_spectrum_clear(&spectrum);
        checked++;
    }
    assert_true(checked > 50);
}

static void rigid_boundary_is_the_least_of_three_hyperbolas(void **state) {
    (void)state;
    /* Fig. 2: 1/K_r divergence, 1/C_r flutter, 1/m_r Painleve. */
    static const double C_r[] = {0.2, 1.2, 3.0}, K_r[] = {0.4, 1.3, 2.0};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            am_two_mode_boundary b = paper(K_r[j], C_r[i], 0);
            am_boundary_point p;
            b.law = AM_UNILATERAL;
            assert_true(am_two_mode_boundary_first(&b, 0, INFINITY, &p));
            double most = fmax(1, fmax(C_r[i], K_r[j]));
            assert_near(p.Delta, 1 / most, 4 * DBL_EPSILON);
            assert_int_equal(p.kind, most == 1        ? AM_THRESHOLD_PAINLEVE
                                     : most == C_r[i] ? AM_THRESHOLD_FLUTTER
                                                      : AM_THRESHOLD_DIVERGENCE);
        }
}

/* ---- Many modes ---- */

enum { most_modes = 6 };

/* n modes and one contact with compliance; the parameter scales the follower force. */
typedef struct many {
    size_t n;
    double c[most_modes], k[most_modes], normal[most_modes], tangent[most_modes], K, D;
} many;

static void many_matrix(const many *m, double mu, double *J) {
    size_t n = m->n, size = 2 * n;
    memset(J, 0, size * size * sizeof *J);
    for (size_t i = 0; i < n; i++) {
        J[i * size + n + i] = 1;
        J[(n + i) * size + i] -= m->k[i];
        J[(n + i) * size + n + i] -= m->c[i];
        for (size_t j = 0; j < n; j++) {
            double f = -(m->normal[i] + mu * m->tangent[i]) * m->normal[j];
            J[(n + i) * size + j] += f * m->K;
            J[(n + i) * size + n + j] += f * m->D;
        }
    }
}

static am_status many_spectrum(void *context, double mu, am_spectrum *spectrum, am_error *err) {
    const many *m = context;
    double J[4 * most_modes * most_modes];
    many_matrix(m, mu, J);
    return spectrum_of(J, 2 * m->n, spectrum, err);
}

static many random_many(random_source *source, bool damped) {
    many m = {.n = 3 + random_index(source, most_modes - 2)};
    for (size_t i = 0; i < m.n; i++) {
        m.k[i] = random_between(source, 0.5, 30);
        m.c[i] = damped ? pow(10, random_between(source, -2.5, -0.5)) : 0;
        m.normal[i] = random_between(source, -1, 1);
        m.tangent[i] = random_between(source, -1, 1);
    }
    m.K = pow(10, random_between(source, 0, 2));
    m.D = damped ? random_between(source, 0, 0.3) : 0;
    return m;
}

static double largest_growth(const many *m, double mu) {
    am_error err = {0};
    am_spectrum s;
    many m_ = *m;
    if (many_spectrum(&m_, mu, &s, &err))
        fail_msg("%s", err.message);
    double growth = s.real[0];
    am_spectrum_clear(&s);
    return growth;
}

static void many_modes_agree_with_a_fine_grid(void **state) {
    (void)state;
    random_source source = random_seed(7);
    size_t lost = 0;
    for (size_t k = 0; k < 40; k++) {
        many m = random_many(&source, true);
        am_spectra spectra = {many_spectrum, &m};
        am_threshold found = find(&spectra, 0, 3);
        enum { cells = 1500 };
        size_t first = 0;
        while (first <= cells && !(largest_growth(&m, 3.0 * (double)first / cells) > 0))
            first++;
        if (first > cells) {
            assert_int_equal(found.kind, AM_THRESHOLD_NONE);
            continue;
        }
        lost++;
        /* the threshold lies in the cell before, unless the grid itself has missed a window */
        if (!(found.critical > 3.0 * ((double)first - 1) / cells && found.critical <= 3.0 * (double)first / cells)) {
            assert_true(found.critical < 3.0 * (double)first / cells);
            assert_true(largest_growth(&m, found.critical + 1e-6) > 0);
            continue;
        }
        assert_true(largest_growth(&m, found.critical - 1e-9) < 0);
        assert_true(largest_growth(&m, found.critical + 1e-9) > 0);
        assert_true(fabs(found.growth) <= 1e-12 * 30);
    }
    assert_true(lost >= 15);
}

/* K = [[2, -mu], [mu, 1]]: kappa = 3/2 +- sqrt(1/4 - mu^2). Eigenvalues on the axis exactly, as a structure without
 * damping has them. */
static am_status undamped_spectrum(void *context, double mu, am_spectrum *spectrum, am_error *err) {
    (void)context;
    double *memory = am_memory_new(12, sizeof *memory, err), square = 0.25 - mu * mu;
    *spectrum =
        (am_spectrum){.count = 4, .real = memory, .imaginary = memory + 4, .uncertainty = memory + 8, .memory = memory};
    for (int i = 0; i < 4; i++)
        spectrum->uncertainty[i] = 1e-14;
    if (square >= 0) {
        double slow = sqrt(1.5 - sqrt(square)), fast = sqrt(1.5 + sqrt(square));
        memcpy(spectrum->imaginary, (double[4]){slow, -slow, fast, -fast}, 4 * sizeof(double));
        return AM_OK;
    }
    double size = sqrt(hypot(1.5, sqrt(-square))), angle = 0.5 * atan2(sqrt(-square), 1.5);
    double re = size * sin(angle), im = size * cos(angle);
    memcpy(spectrum->real, (double[4]){re, re, -re, -re}, 4 * sizeof(double));
    memcpy(spectrum->imaginary, (double[4]){im, -im, im, -im}, 4 * sizeof(double));
    return AM_OK;
}

static void coalescence_without_damping_is_located_to_rounding(void **state) {
    (void)state;
    /* They meet at mu = 1/2 with omega^2 = 3/2; the eigenvalues themselves are uncertain by sqrt(eps) there. */
    am_spectra spectra = {undamped_spectrum, NULL};
    am_threshold found = find(&spectra, 0, 3);
    assert_int_equal(found.kind, AM_THRESHOLD_FLUTTER);
    assert_near(found.critical, 0.5, 1e-14);
    assert_near(found.omega, sqrt(1.5), 1e-7);
}

/* K = diag(1 - mu, 2): divergence at 1, with an eigenvalue that turns from the imaginary to the real axis. */
static am_status buckling_spectrum(void *context, double mu, am_spectrum *spectrum, am_error *err) {
    (void)context;
    double *memory = am_memory_new(12, sizeof *memory, err), root = sqrt(fabs(1 - mu)), other = sqrt(2.0);
    *spectrum =
        (am_spectrum){.count = 4, .real = memory, .imaginary = memory + 4, .uncertainty = memory + 8, .memory = memory};
    bool real = mu > 1;
    memcpy(spectrum->real, (double[4]){real ? root : 0, 0, 0, real ? -root : 0}, 4 * sizeof(double));
    memcpy(spectrum->imaginary, (double[4]){real ? 0 : root, other, -other, real ? 0 : -root}, 4 * sizeof(double));
    for (int i = 0; i < 4; i++)
        spectrum->uncertainty[i] = 1e-14;
    return AM_OK;
}

static void divergence_without_damping_is_located_to_rounding(void **state) {
    (void)state;
    am_spectra spectra = {buckling_spectrum, NULL};
    am_threshold found = find(&spectra, 0, 3.1);
    assert_int_equal(found.kind, AM_THRESHOLD_DIVERGENCE);
    assert_near(found.critical, 1, 1e-14);
    assert_true(found.omega == 0.0);
}

/* ---- Windows, ends, and what is refused ---- */

/* A pair at -(p - 1/2)^2 (1 + ...) + height: unstable in a narrow window only. */
static am_status window_spectrum(void *context, double p, am_spectrum *spectrum, am_error *err) {
    double height = *(const double *)context, re = height - (p - 0.437) * (p - 0.437);
    double J[4] = {re, 1, -1, re};
    return spectrum_of(J, 2, spectrum, err);
}

static void a_narrow_window_between_stable_samples_is_found(void **state) {
    (void)state;
    double height = 1e-5; /* a window of 0.006 in a range of 1 */
    am_spectra spectra = {window_spectrum, &height};
    am_threshold found = find(&spectra, 0, 1);
    assert_int_equal(found.kind, AM_THRESHOLD_FLUTTER);
    assert_near(found.critical, 0.437 - sqrt(1e-5), 1e-12);
    height = -1e-5; /* comes near, and turns back */
    found = find(&spectra, 0, 1);
    assert_int_equal(found.kind, AM_THRESHOLD_NONE);
    assert_true(found.unresolved == 0);
    assert_true(isnan(found.critical));
}

/* A pair that jumps along the axis at 0.437: however fine the pieces, it could have been anywhere in between. */
static am_status jump_spectrum(void *context, double p, am_spectrum *spectrum, am_error *err) {
    double re = -*(const double *)context, im = p < 0.437 ? 1.0 : 5.0;
    double J[4] = {re, im, -im, re};
    return spectrum_of(J, 2, spectrum, err);
}

static void pieces_in_which_a_crossing_could_hide_are_counted(void **state) {
    (void)state;
    double distance = 0.1; /* less than the jump */
    am_spectra spectra = {jump_spectrum, &distance};
    am_threshold found = find(&spectra, 0, 1);
    assert_int_equal(found.kind, AM_THRESHOLD_NONE);
    assert_int_equal(found.unresolved, 1);
    distance = 10.0; /* farther from the axis than it jumps */
    assert_int_equal(find(&spectra, 0, 1).unresolved, 0);
}

/* Sliding ends at `end`: by lift-off, a fold, or because rigid contact fails; there a smooth function may lead to it.
 * Its zero lies between two numbers, so that none of them meets it. */
typedef enum ending_kind { END_LIFT_OFF, END_FOLD, END_PAINLEVE, END_SMOOTHLY } ending_kind;

typedef struct ending {
    ending_kind how;
    double end;
} ending;

static am_status ending_spectrum(void *context, double p, am_spectrum *spectrum, am_error *err) {
    const ending *e = context;
    bool fails = e->how == END_PAINLEVE || e->how == END_SMOOTHLY;
    if (p >= e->end && !fails)
        return am_fail(err, AM_ERR_NO_STATE, "no equilibrium");
    double re = e->how == END_FOLD ? -sqrt(e->end - p) : -0.1;
    double J[4] = {re, 0, 0, -1};
    am_status status = spectrum_of(J, 2, spectrum, err);
    spectrum->painleve = fails && p >= e->end;
    spectrum->closing = e->how == END_SMOOTHLY ? (e->end - p - 1e-17) * (2.0 + p) : NAN;
    return status;
}

static void the_end_of_the_equilibrium_is_located_and_named(void **state) {
    (void)state;
    static const am_threshold_kind kinds[] = {AM_THRESHOLD_LIFT_OFF, AM_THRESHOLD_DIVERGENCE, AM_THRESHOLD_PAINLEVE,
                                              AM_THRESHOLD_PAINLEVE};
    random_source source = random_seed(12);
    for (size_t k = 0; k < 40; k++) {
        ending e = {(ending_kind)(k % 4), random_between(&source, 0.25, 0.9)};
        am_spectra spectra = {ending_spectrum, &e};
        am_threshold found = find(&spectra, 0, 1);
        assert_int_equal(found.kind, kinds[e.how]);
        assert_near(found.critical, e.end, 2 * DBL_EPSILON);
        assert_near(found.uncertainty, 0.0, 2 * DBL_EPSILON); /* neighbouring numbers */
        assert_near(found.bracket, 0.0, 2 * DBL_EPSILON);
    }
}

static void an_unstable_reference_is_refused(void **state) {
    (void)state;
    am_two_mode_boundary b = paper(0.5, 0.2, 0);
    am_spectra spectra = {two_mode_spectrum, &b};
    am_threshold_options options = am_threshold_options_default();
    am_threshold found;
    am_error err = {0};
    options.from = 0.5;
    options.parameter = "Delta";
    assert_int_equal(am_threshold_find(&spectra, &options, &found, NULL, &err), AM_ERR_INPUT);
    assert_non_null(strstr(err.message, "unstable already at Delta = 0.5"));
    options.from = NAN;
    assert_int_equal(am_threshold_find(&spectra, &options, &found, NULL, &err), AM_ERR_INPUT);
    options.from = options.to = 0.1;
    assert_int_equal(am_threshold_find(&spectra, &options, &found, NULL, &err), AM_ERR_INPUT);
    memset(&options, 0, sizeof options);
    assert_int_equal(am_threshold_find(&spectra, &options, &found, NULL, &err), AM_ERR_INPUT);
}

static void options_are_refused_beyond_their_limits_only(void **state) {
    (void)state;
    am_two_mode_boundary b = paper(0.5, 0.2, 0);
    am_spectra spectra = {two_mode_spectrum, &b};
    const struct {
        size_t pieces;
        double finest, span;
        const char *field; /* refused; NULL: not */
    } cases[] = {{1, 0.01, 1, NULL},  {0, 0.01, 1, "pieces"}, {8, 1, 1, NULL},      {8, 1.0001, 1, "finest"},
                 {8, 0, 1, "finest"}, {8, NAN, 1, "finest"},  {8, 0.01, 0, "span"}, {8, 0.01, INFINITY, "span"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_threshold_options options = am_threshold_options_default();
        am_threshold found;
        am_error err = {0};
        options.to = INFINITY;
        options.pieces = cases[i].pieces;
        options.finest = cases[i].finest;
        options.span = cases[i].span;
        assert_int_equal(am_threshold_find(&spectra, &options, &found, NULL, &err),
                         cases[i].field ? AM_ERR_INPUT : AM_OK);
        assert_string_equal(err.field, cases[i].field ? cases[i].field : "");
    }
}

static void without_an_end_the_spans_double(void **state) {
    (void)state;
    am_two_mode_boundary b = paper(0.001, 0.5, 0.3); /* m_r = 1 is then decisive, and scaled away: */
    b.mass[1] = 0.01;
    b.damping[1] = 1e-4;
    am_boundary_point exact;
    am_spectra spectra = {two_mode_spectrum, &b};
    assert_true(am_two_mode_boundary_first(&b, 0, INFINITY, &exact));
    assert_true(exact.Delta > 4);
    am_threshold found = find(&spectra, 0, INFINITY);
    assert_near(found.critical, exact.Delta, 1e-10 * exact.Delta);
}

/* ---- Systems: the analysis `stability` itself ---- */

static am_system *make_two_mode(void *context, double Delta, am_error *err) {
    am_two_mode *model = context;
    return am_two_mode_set_delta(model, Delta, err) == AM_OK ? am_two_mode_create(model, err) : NULL;
}

static am_two_mode_boundary boundary_of(const am_two_mode *m) {
    return (am_two_mode_boundary){.mass = {m->m1, m->m1 * m->m_r},
                                  .damping = {m->c1, m->c1 * m->C_r},
                                  .stiffness = {{m->k1, 0}, {0, m->k1 * m->K_r}},
                                  .lambda = {m->lambda1, m->lambda2},
                                  .f2 = m->f2,
                                  .preload = {m->eta1 * m->P, m->eta2 * m->P},
                                  .law = m->contact,
                                  .K = m->K_c,
                                  .D = m->D_c,
                                  .alpha = m->alpha};
}

static void thresholds_of_systems_agree_with_the_closed_forms_for_every_law(void **state) {
    (void)state;
    static const am_normal_law laws[] = {AM_UNILATERAL, AM_KELVIN_VOIGT, AM_HUNT_CROSSLEY};
    random_source source = random_seed(8);
    for (size_t k = 0; k < 150; k++) {
        am_two_mode model = am_two_mode_default();
        am_error err = {0};
        am_boundary_point exact;
        am_threshold_options options = am_threshold_options_default();
        VARIED_MODEL *varied = model_of_one("parameter", make_two_mode, &model);
        am_result *result = am_result_create(&err);
        model.contact = laws[k % 3];
        model.m_r = random_between(&source, 0.3, 3);
        model.C_r = random_between(&source, 0.1, 3);
        model.K_r = random_between(&source, 0.1, 3);
        model.K_c = pow(10, random_between(&source, 1, 4));
        model.D_c = random_between(&source, 0, 3);
        model.alpha = pow(10, random_between(&source, -2, 1));
        options.to = 12;
        am_two_mode_boundary b = boundary_of(&model);
        assert_true(am_two_mode_boundary_first(&b, 0, 12, &exact));
        if (am_threshold_run(varied, &options, result, NULL, &err))
            fail_msg("system %zu: %s", k, err.message);
        static const char *const names[] = {"none", "divergence", "flutter", "painleve"};
        if (strcmp(am_result_find(result, "instability")->text, names[exact.kind]) != 0)
            fail_msg("system %zu: %s at %g, not %s at %g", k, am_result_find(result, "instability")->text,
                     am_result_find(result, "critical")->number, names[exact.kind], exact.Delta);
        /* Hunt-Crossley: the equilibrium's own rounding is amplified next to its end */
        double tolerance = laws[k % 3] == AM_HUNT_CROSSLEY ? 1e-8 : 1e-10;
        if (exact.kind != AM_THRESHOLD_NONE)
            assert_near(am_result_find(result, "critical")->number, exact.Delta, tolerance * fmax(1, exact.Delta));
        am_result_free(result);
        /* and the evidence for the closed form */
        am_threshold known = {.kind = (am_threshold_kind)exact.kind, .critical = exact.Delta, .omega = exact.omega};
        result = am_result_create(&err);
        if (am_threshold_confirm(varied, &options, &known, result, &err))
            fail_msg("system %zu: %s", k, err.message);
        known.critical *= 1.01;
        if (exact.kind != AM_THRESHOLD_NONE)
            assert_int_equal(am_threshold_confirm(varied, &options, &known, result, &err), AM_ERR_EVIDENCE);
        am_result_free(result);
    }
}

/* Hertz-like contacts, d = d0 + G K_c d^beta with G = (Delta - 1/K_r)/k1 (lambda = 1, f2 = -1): two equilibria meet
 * where 1 = beta G K_c d^(beta - 1), which is Delta = 1/K_r + k1 (d0 beta/(beta - 1))^(1 - beta)/(beta K_c). Flutter
 * may come first, but sliding never ends by lift-off; not where damping vanishes with the stiffness either (C_r = K_r).
 */
static void folds_of_hertzian_contacts_are_divergence_whatever_the_damping(void **state) {
    (void)state;
    random_source source = random_seed(31);
    size_t folds = 0;
    for (size_t k = 0; k < 120; k++) {
        am_two_mode model = am_two_mode_default();
        am_error err = {0};
        am_threshold_options options = am_threshold_options_default();
        VARIED_MODEL *varied = model_of_one("parameter", make_two_mode, &model);
        am_result *result = am_result_create(&err);
        model.contact = AM_HUNT_CROSSLEY;
        model.beta = random_between(&source, 1.2, 3);
        model.m_r = random_between(&source, 0.3, 1.2);
        model.K_r = random_between(&source, 1.2, 3);
        model.C_r = k % 2 == 0 ? model.K_r : random_between(&source, 1, 3);
        model.c1 = k % 5 == 0 ? 0.0 : random_between(&source, 0.01, 0.3);
        model.K_c = pow(10, random_between(&source, 1, 5));
        double d0 = 1 + 1 / model.K_r, beta = model.beta;
        double fold = 1 / model.K_r + pow(d0 * beta / (beta - 1), 1 - beta) / (beta * model.K_c);
        options.to = 2 * fold;
        if (am_threshold_run(varied, &options, result, NULL, &err))
            fail_msg("system %zu: %s", k, err.message);
        const char *kind = am_result_find(result, "instability")->text;
        double critical = am_result_find(result, "critical")->number;
        /* the branch turns like a root, so that bisection knows its end to rounding of d0 and G alone */
        bool at_fold = fabs(critical - fold) <= 1e-9 * fold;
        if (at_fold ? strcmp(kind, "divergence") != 0 : strcmp(kind, "flutter") != 0 || !(critical < fold))
            fail_msg("system %zu: %s at %.15g, the fold is at %.15g", k, kind, critical, fold);
        folds += at_fold;
        am_result_free(result);
    }
    assert_true(folds >= 40);
}

static void three_equal_ratios_leave_the_polynomial_its_sign(void **state) {
    (void)state;
    /* K_r = C_r = m_r = 1 factors: s^2 + (0.1 - D x) s + 1 - 1000 x = 0 with x = Delta - 1 and D = 30/(1 - 1000 x) for
     * alpha = 0.01: flutter at x = 0.1/130. Multiplied out, the polynomial has lost all its digits there. */
    am_two_mode model = am_two_mode_default();
    am_boundary_point exact;
    model.contact = AM_HUNT_CROSSLEY;
    model.alpha = 0.01;
    model.K_r = model.C_r = 1 - DBL_EPSILON / 2;
    am_two_mode_boundary b = boundary_of(&model);
    assert_true(am_two_mode_boundary_first(&b, 0, INFINITY, &exact));
    assert_int_equal(exact.kind, AM_THRESHOLD_FLUTTER);
    assert_near(exact.Delta, 1 + 0.1 / 130, 1e-12);
    /* rigid: damping and inertia vanish together, and their ratio does not change */
    b.law = AM_UNILATERAL;
    b.stiffness[1][1] = 0.5;
    assert_true(am_two_mode_boundary_first(&b, 0, INFINITY, &exact));
    assert_int_equal(exact.kind, AM_THRESHOLD_PAINLEVE);
}

/* What changes of the system's numbers make i omega an eigenvalue? */
static double distance_at(am_two_mode model, double Delta, double omega) {
    am_error err = {0};
    double distance = NAN;
    am_system *system = make_two_mode(&model, Delta, &err);
    assert_non_null(system);
    assert_int_equal(am_axis_distance(system, NULL, omega, &distance, &err), AM_OK);
    am_system_free(system);
    return distance;
}

/* One in three with ratios that tie, so that two or three eigenvalues meet. (Three ties and the damping of
 * Hunt-Crossley contact leave the polynomial no digits for contacts stiffer than 1e5.) */
static am_two_mode difficult_model(random_source *source, size_t k, double stiffest) {
    static const am_normal_law laws[] = {AM_UNILATERAL, AM_KELVIN_VOIGT, AM_HUNT_CROSSLEY};
    am_two_mode model = am_two_mode_default();
    model.contact = laws[k % 3];
    model.K_r = random_between(source, 0.1, 3);
    model.C_r = k % 9 < 3 ? model.K_r : random_between(source, 0.1, 3);
    model.m_r = k % 27 < 3 ? model.K_r : random_between(source, 0.3, 3);
    model.K_c = pow(10, random_between(source, 1, stiffest));
    model.D_c = random_between(source, 0, 30);
    model.alpha = pow(10, random_between(source, -5, 1));
    return model;
}

/* Eigenvalues that meet move by the root of rounding, and next to divergence Hunt-Crossley contact is damped without
 * bound. The equations say all the same where the threshold is: rounding there (some ten eps; Hunt-Crossley: what the
 * last digit of Delta does to the damping, times K_c), and far more a part of 1e-8 away. */
static void the_equations_tell_a_threshold_that_eigenvalues_cannot(void **state) {
    (void)state;
    random_source source = random_seed(9);
    for (size_t k = 0; k < 600; k++) {
        bool curved = k % 3 == 2;
        am_two_mode model = difficult_model(&source, k, curved ? 5 : 9);
        am_boundary_point exact;
        am_two_mode_boundary b = boundary_of(&model);
        assert_true(am_two_mode_boundary_first(&b, 0, INFINITY, &exact));
        if (exact.kind != AM_THRESHOLD_DIVERGENCE && exact.kind != AM_THRESHOLD_FLUTTER)
            continue;
        double there = distance_at(model, exact.Delta, exact.omega);
        double below = distance_at(model, exact.Delta * (1 - 1e-8), exact.omega);
        double above = distance_at(model, exact.Delta * (1 + 1e-8), exact.omega);
        if (!(there <= (curved ? 2e-12 : 2e-14) && below > 1e-11 && above > 1e-11))
            fail_msg("system %zu: %g below, %g at, %g above Delta = %.17g, omega = %g", k, below, there, above,
                     exact.Delta, exact.omega);
    }
}

static void stiff_contacts_and_ties_are_confirmed(void **state) {
    (void)state;
    random_source source = random_seed(10);
    am_threshold_options options = am_threshold_options_default();
    for (size_t k = 0; k < 600; k++) {
        am_two_mode model = difficult_model(&source, k, 9);
        VARIED_MODEL *varied = model_of_one("parameter", make_two_mode, &model);
        am_error err = {0};
        am_boundary_point exact;
        am_two_mode_boundary b = boundary_of(&model);
        am_result *result = am_result_create(&err);
        assert_true(am_two_mode_boundary_first(&b, 0, INFINITY, &exact));
        am_threshold known = {.kind = (am_threshold_kind)exact.kind, .critical = exact.Delta, .omega = exact.omega};
        if (am_threshold_confirm(varied, &options, &known, result, &err))
            fail_msg("system %zu: %s", k, err.message);
        known.critical *= 1 - 1e-3; /* what rounding of the eigenvalues of stiff contact lets them tell */
        if (exact.kind != AM_THRESHOLD_NONE &&
            am_threshold_confirm(varied, &options, &known, result, &err) != AM_ERR_EVIDENCE)
            fail_msg("system %zu: %s at %.17g is taken for one at %.17g (growth %g, K_c %g)", k,
                     am_threshold_kind_name(known.kind), exact.Delta, known.critical,
                     am_result_find(result, "growth_at_critical")->number, model.K_c);
        am_result_free(result);
    }
}

/* K_r = 1.05, C_r = 0.85, K_c = 1e6, alpha = 0.02: in rational arithmetic flutter begins 3.2287e-12 before divergence,
 * with omega = 9.904511508e-08, to which Delta has not digits enough. */
static void flutter_next_to_divergence_has_its_frequency(void **state) {
    (void)state;
    am_two_mode model = am_two_mode_default();
    am_boundary_point exact;
    am_error err = {0};
    am_threshold_options options = am_threshold_options_default();
    VARIED_MODEL *varied = model_of_one("parameter", make_two_mode, &model);
    am_result *result = am_result_create(&err);
    model.contact = AM_HUNT_CROSSLEY;
    model.K_c = 1e6;
    model.alpha = 0.02;
    model.K_r = 1.05;
    model.C_r = 0.85;
    am_two_mode_boundary b = boundary_of(&model);
    assert_true(am_two_mode_boundary_first(&b, 0, INFINITY, &exact));
    assert_int_equal(exact.kind, AM_THRESHOLD_FLUTTER);
    assert_near(exact.Delta, 0.9523819523777236, 2.5e-16); /* the last digit */
    assert_near(exact.omega, 9.904511508e-08, 1e-14);      /* rounding over the 1e-9 that a1 loses */
    am_threshold known = {.kind = AM_THRESHOLD_FLUTTER, .critical = exact.Delta, .omega = exact.omega};
    if (am_threshold_confirm(varied, &options, &known, result, &err))
        fail_msg("%s", err.message);
    known.critical *= 1 - 1e-9;
    assert_int_equal(am_threshold_confirm(varied, &options, &known, result, &err), AM_ERR_EVIDENCE);
    am_result_free(result);
}

/* ---- Curves ---- */

/* q = p^3 - p, an S with folds at p = +-1/sqrt(3); stable to the left of it. */
static am_status s_spectrum(void *context, double p, double q, am_spectrum *spectrum, am_error *err) {
    (void)context;
    double re = p * p * p - p - q, J[4] = {re, 1, -1, re};
    return spectrum_of(J, 2, spectrum, err);
}

static void a_curve_passes_its_folds(void **state) {
    (void)state;
    am_spectra2 spectra = {s_spectrum, NULL};
    am_threshold_curve_options options = am_threshold_curve_options_default();
    am_threshold_curve curve;
    am_error err = {0};
    options.first.from = -2;
    options.first.to = 2;
    options.from = -0.6;
    options.to = 0.6;
    if (am_threshold_follow(&spectra, &options, &curve, NULL, &err))
        fail_msg("%s", err.message);
    assert_true(curve.reached);
    assert_int_equal(curve.folds, 2);
    assert_int_equal(curve.corners, 0);
    double left = 0;
    for (size_t i = 0; i < curve.count; i++) {
        double p = curve.points[i].parameter;
        assert_near(curve.points[i].second, p * p * p - p, 1e-13);
        left = fmin(left, i > 0 && p > -0.577 && p < 0.577 ? curve.points[i].second - curve.points[i - 1].second : 0);
    }
    assert_true(left < 0); /* it did turn back */
    assert_true(curve.points[curve.count - 1].second == 0.6);
    am_threshold_curve_clear(&curve);
}

static am_status two_mode_spectrum2(void *context, double Delta, double C_r, am_spectrum *spectrum, am_error *err) {
    am_two_mode_boundary b = *(const am_two_mode_boundary *)context;
    b.damping[1] = 0.1 * C_r;
    return two_mode_spectrum(&b, Delta, spectrum, err);
}

static void corners_of_the_boundary_are_found_and_points_lie_on_it(void **state) {
    (void)state;
    am_two_mode_boundary b = paper(1.5, 1, 0.3);
    am_spectra2 spectra = {two_mode_spectrum2, &b};
    am_threshold_curve_options options = am_threshold_curve_options_default();
    am_threshold_curve curve;
    am_error err = {0};
    size_t corner[2], count = 0;
    options.first.to = 2;
    options.from = 0.1;
    options.to = 3;
    if (am_threshold_follow(&spectra, &options, &curve, NULL, &err))
        fail_msg("%s", err.message);
    assert_true(curve.reached);
    assert_int_equal(curve.corners, 2);
    for (size_t i = 0; i < curve.count; i++) {
        const am_threshold_point *p = &curve.points[i];
        am_boundary_point exact;
        b.damping[1] = 0.1 * p->second;
        assert_true(am_two_mode_boundary_first(&b, 0, 2, &exact));
        assert_near(p->parameter, exact.Delta, 1e-9); /* at the double zero the boundary is a square root */
        if (p->corner)
            corner[count++] = i;
        else
            assert_int_equal((int)p->kind, (int)exact.kind);
    }
    const am_threshold_point *first = &curve.points[corner[0]], *second = &curve.points[corner[1]];
    assert_int_equal(first->kind, AM_THRESHOLD_FLUTTER);
    assert_true(first->omega > 10 && first->other_omega == 0);
    /* double zero: a0 = 0 gives Delta = 1/K_r + k1/K_c, then a1 = 0 is linear in C_r */
    double Delta = 1 / 1.5 + 1e-3, a[5], at[2];
    for (int k = 0; k < 2; k++) {
        b.damping[1] = 0.1 * (k + 1);
        am_two_mode_polynomial(&b, Delta, a);
        at[k] = a[1];
    }
    double exact_C_r = 1 - at[0] / (at[1] - at[0]);
    assert_near(second->second, exact_C_r, 1e-4); /* the circle meets the tangent curves at a small angle */
    assert_int_equal(curve.points[corner[1] + 1].kind, AM_THRESHOLD_FLUTTER);
    am_threshold_curve_clear(&curve);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divergence_without_damping_is_located_to_rounding),
        cmocka_unit_test(thresholds_of_systems_agree_with_the_closed_forms_for_every_law),
        cmocka_unit_test(folds_of_hertzian_contacts_are_divergence_whatever_the_damping),
        cmocka_unit_test(three_equal_ratios_leave_the_polynomial_its_sign),
        cmocka_unit_test(the_equations_tell_a_threshold_that_eigenvalues_cannot),
        cmocka_unit_test(stiff_contacts_and_ties_are_confirmed),
        cmocka_unit_test(flutter_next_to_divergence_has_its_frequency),
        cmocka_unit_test(a_curve_passes_its_folds),
        cmocka_unit_test(corners_of_the_boundary_are_found_and_points_lie_on_it),
        cmocka_unit_test(thresholds_of_fig_3_come_out),
        cmocka_unit_test(thousand_random_thresholds_are_roots_of_the_stability_polynomial),
        cmocka_unit_test(hunt_crossley_polynomial_agrees_with_eigenvalues),
        cmocka_unit_test(rigid_boundary_is_the_least_of_three_hyperbolas),
        cmocka_unit_test(many_modes_agree_with_a_fine_grid),
        cmocka_unit_test(coalescence_without_damping_is_located_to_rounding),
        cmocka_unit_test(a_narrow_window_between_stable_samples_is_found),
        cmocka_unit_test(pieces_in_which_a_crossing_could_hide_are_counted),
        cmocka_unit_test(the_end_of_the_equilibrium_is_located_and_named),
        cmocka_unit_test(an_unstable_reference_is_refused),
        cmocka_unit_test(options_are_refused_beyond_their_limits_only),
        cmocka_unit_test(without_an_end_the_spans_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
