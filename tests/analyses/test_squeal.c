/* Analysis `squeal` and model `brake`: sparse factors and modes against closed forms, the squeal of small brakes
 * against the dense analysis `stability`, which shares no code with their projection, thresholds by what happens on
 * both sides of them. */
/* ctest: long */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "amontons/stability.h"
#include "dense_system.h"
#include "math/arnoldi.h"
#include "math/sparse.h"
#include "random_system.h"

static const double pi = 3.14159265358979323846;

/* ---- sparse factors ---- */

/* A chain of n springs between walls: 2 on the diagonal, -1 beside it, lower triangle. */
typedef struct chain {
    size_t n, count;
    int *row, *column;
    double *value;
    am_sparse *factors;
} chain;

static chain make_chain(size_t n, double shift) {
    chain c = {.n = n, .count = 2 * n - 1};
    c.row = calloc(c.count, sizeof *c.row);
    c.column = calloc(c.count, sizeof *c.column);
    c.value = calloc(c.count, sizeof *c.value);
    for (size_t i = 0; i < n; i++) {
        c.row[i] = c.column[i] = (int)i + 1;
        c.value[i] = 2.0 - shift;
    }
    for (size_t i = 1; i < n; i++) {
        c.row[n + i - 1] = (int)i + 1;
        c.column[n + i - 1] = (int)i;
        c.value[n + i - 1] = -1.0;
    }
    bool singular = true;
    assert_int_equal(am_sparse_create(&c.factors, AM_SPARSE_SYMMETRIC, n, c.count, c.row, c.column, NULL), AM_OK);
    assert_int_equal(am_sparse_factor(c.factors, c.value, &singular, NULL), AM_OK);
    assert_false(singular);
    return c;
}

static void free_chain(chain *c) {
    am_sparse_free(c->factors);
    free(c->row);
    free(c->column);
    free(c->value);
}

static double chain_value(size_t n, size_t k) { /* k = 1, 2, ... */
    double s = sin(0.5 * pi * (double)k / (double)(n + 1));
    return 4.0 * s * s;
}

static void symmetric_factors_solve_and_count_negative_eigenvalues(void **state) {
    (void)state;
    const size_t n = 200;
    for (size_t below = 0; below < 8; below++) {
        double shift = below == 0 ? 0.0 : 0.5 * (chain_value(n, below) + chain_value(n, below + 1));
        chain c = make_chain(n, shift);
        double x[200], exact[200];
        for (size_t i = 0; i < n; i++)
            exact[i] = sin(0.37 * (double)(i * i % 50));
        for (size_t i = 0; i < n; i++)
            x[i] = (2.0 - shift) * exact[i] - (i > 0 ? exact[i - 1] : 0.0) - (i + 1 < n ? exact[i + 1] : 0.0);
        assert_int_equal(am_sparse_solve(c.factors, x, 1, NULL), AM_OK);
        assert_int_equal(am_sparse_negative(c.factors), below);
        for (size_t i = 0; i < n; i++) /* condition of the chain is about n^2: 4e4 roundings */
            assert_true(fabs(x[i] - exact[i]) < 1e-10);
        free_chain(&c);
    }
}

static am_status chain_solve(void *context, const double *x, double *y, am_error *err) {
    chain *c = context;
    memcpy(y, x, 2 * c->n * sizeof *y);
    return am_sparse_solve(c->factors, y, 2, err); /* two chains side by side */
}

static void unit_mass(void *context, const double *x, double *y) {
    memcpy(y, x, 2 * ((chain *)context)->n * sizeof *y);
}

static void lanczos_finds_both_of_every_double_eigenvalue(void **state) {
    (void)state;
    enum { N = 300, COUNT = 20 };
    chain c = make_chain(N, 0.0);
    am_arnoldi_problem problem = {2 * N, 0.0, chain_solve, unit_mass, &c};
    double values[COUNT], *vectors = calloc((size_t)COUNT * 2 * N, sizeof *vectors);
    assert_int_equal(am_arnoldi_lowest(&problem, COUNT, values, vectors, NULL, NULL), AM_OK);
    for (size_t i = 0; i < COUNT; i++) { /* rounding of 1/lambda at the lowest: 1e4 eps */
        double exact = chain_value(N, i / 2 + 1);
        assert_true(fabs(values[i] - exact) < 1e-10 * exact);
    }
    free(vectors);
    free_chain(&c);
}

/* ---- results ---- */

static double number(const am_result *result, const char *name) {
    const am_scalar *scalar = am_result_find(result, name);
    assert_non_null(scalar);
    assert_int_not_equal(scalar->kind, AM_SCALAR_NONE);
    return scalar->number;
}

static am_result *squeal(const am_system *system, const am_squeal_options *options) {
    am_error err = {0};
    am_result *result = am_result_create(&err);
    if (am_squeal_run(system, options, result, NULL, &err))
        fail_msg("%s", err.message);
    return result;
}

static double cell(const am_table *table, size_t row, const char *column) {
    size_t c = am_table_find_column(table, column);
    assert_true(c != SIZE_MAX);
    return am_table_number(table, row, c);
}

/* 156 degrees of freedom, 6 contacts. */
static am_brake small_brake(void) {
    am_brake b = am_brake_default();
    b.radial = 2;
    b.around = 10;
    b.through = b.pad_through = 1;
    b.pad_inner_radius = 0.115;
    b.pad_outer_radius = 0.15;
    b.pad_angle = 2.0 * pi / 5.0;
    return b;
}

static am_system *make(const am_brake *b) {
    am_error err = {0};
    am_system *system = am_brake_create(b, &err);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

static void spectrum_of(const am_system *system, am_spectrum *spectrum) {
    am_error err = {0};
    am_stability_options options = am_stability_options_default();
    if (am_stability_spectrum(system, &options, spectrum, &err))
        fail_msg("%s", err.message);
}

/* Largest real part of the pairs below a frequency, by the dense analysis. */
static double dense_growth(const am_brake *b, double below) {
    am_spectrum spectrum;
    am_system *system = make(b);
    spectrum_of(system, &spectrum);
    double most = -INFINITY;
    for (size_t i = 0; i < spectrum.count; i++)
        if (fabs(spectrum.imaginary[i]) < below)
            most = fmax(most, spectrum.real[i]);
    am_spectrum_clear(&spectrum);
    am_system_free(system);
    return most;
}

static bool grows(double re, double im) {
    return re > 1e-6 * hypot(re, im);
}

/* Every unstable pair of one is an unstable pair of the other, below the part of the frequencies that modes reach. */
static void compare_with(const am_spectrum *spectrum, const am_result *result, double tolerance, size_t least) {
    const am_table *table = am_result_find_table(result, "squeal");
    double reach = 0.8 * number(result, "highest_omega");
    size_t compared = 0;
    for (size_t row = 0; row < am_table_rows(table); row++) {
        double re = cell(table, row, "real"), im = cell(table, row, "imaginary"), nearest = INFINITY;
        if (cell(table, row, "unstable") == 0.0)
            continue;
        for (size_t i = 0; i < spectrum->count; i++)
            nearest = fmin(nearest, hypot(spectrum->real[i] - re, spectrum->imaginary[i] - im));
        if (!(nearest <= tolerance * hypot(re, im)))
            fail_msg("%g + %gi is off by %g", re, im, nearest);
        compared++;
    }
    for (size_t i = 0; i < spectrum->count; i++) {
        double re = spectrum->real[i], im = spectrum->imaginary[i], nearest = INFINITY;
        if (!grows(re, im) || im < 0.0 || im > reach)
            continue;
        for (size_t row = 0; row < am_table_rows(table); row++)
            if (cell(table, row, "unstable") == 1.0)
                nearest = fmin(nearest, hypot(cell(table, row, "real") - re, cell(table, row, "imaginary") - im));
        if (!(nearest <= tolerance * hypot(re, im)))
            fail_msg("%g + %gi was missed, the nearest is off by %g", re, im, nearest);
    }
    assert_true(compared >= least);
}

static void compare_with_dense(const am_system *system, const am_result *result, double tolerance, size_t least) {
    am_spectrum spectrum;
    spectrum_of(system, &spectrum);
    compare_with(&spectrum, result, tolerance, least);
    am_spectrum_clear(&spectrum);
}

static am_squeal_options quick(size_t modes) {
    am_squeal_options options = am_squeal_options_default();
    options.modes = modes;
    options.count = 21;
    options.confirm = false;
    return options;
}

/* ---- against the dense analysis ---- */

/* Both compute eigenvalues of a matrix whose largest entries are 1e3 times the eigenvalues' squares: 1e-8 is far above
 * that rounding and far below what separates neighbouring pairs. */
static const double agreement = 1e-8;

static void unstable_pairs_of_spring_contacts_are_those_of_the_dense_problem(void **state) {
    (void)state;
    am_brake b = small_brake();
    b.mu = 0.5;
    b.stiffness_damping = 1e-8;
    am_system *system = make(&b);
    am_squeal_options options = quick(40);
    am_result *result = squeal(system, &options);
    compare_with_dense(system, result, agreement, 1);
    assert_true(number(result, "unconfirmed") == 0.0);
    am_result_free(result);
    am_system_free(system);
}

static void unstable_pairs_of_damped_contacts_are_those_of_the_dense_problem(void **state) {
    (void)state;
    am_brake b = small_brake();
    b.mu = 0.6;
    b.lining_damping = 100;
    b.stiffness_damping = 0.0;
    b.mass_damping = 5.0;
    am_system *system = make(&b);
    am_squeal_options options = quick(40);
    am_result *result = squeal(system, &options);
    compare_with_dense(system, result, agreement, 1);
    am_result_free(result);
    am_system_free(system);
}

static void unstable_pairs_of_rigid_contacts_are_those_of_the_dense_problem(void **state) {
    (void)state;
    am_brake b = small_brake();
    b.rigid = true;
    b.mu = 0.5;
    b.stiffness_damping = 1e-8;
    am_system *system = make(&b);
    am_squeal_options options = quick(40);
    am_result *result = squeal(system, &options);
    compare_with_dense(system, result, agreement, 1);
    am_result_free(result);
    am_system_free(system);
}

static void unstable_pairs_without_damping_are_those_of_the_dense_problem(void **state) {
    (void)state;
    am_brake b = small_brake();
    b.mu = 0.5;
    b.stiffness_damping = b.mass_damping = 0.0;
    am_system *system = make(&b);
    am_squeal_options options = quick(40);
    am_result *result = squeal(system, &options);
    compare_with_dense(system, result, agreement, 1);
    am_result_free(result);
    am_system_free(system);
}

static void steady_forces_are_those_of_the_dense_analysis(void **state) {
    (void)state;
    for (int rigid = 0; rigid < 2; rigid++) {
        am_brake b = small_brake();
        b.rigid = rigid;
        am_system *system = make(&b);
        am_squeal_options options = quick(10);
        am_result *result = squeal(system, &options), *dense = am_result_create(NULL);
        am_stability_options defaults = am_stability_options_default();
        assert_int_equal(am_stability_run(system, &defaults, dense, NULL, NULL), AM_OK);
        const am_table *ours = am_result_find_table(result, "contacts"),
                       *theirs = am_result_find_table(dense, "contacts");
        assert_int_equal(am_table_rows(ours), am_system_contacts(system));
        for (size_t c = 0; c < am_table_rows(ours); c++) /* 5000 N in all; condition 1e5 */
            assert_true(fabs(cell(ours, c, "N") - cell(theirs, c, "N")) < 1e-6);
        am_result_free(result);
        am_result_free(dense);
        am_system_free(system);
    }
}

/* A chain of 30 nodes that move along (even coordinates) and across (odd ones): three sliding contacts of different
 * friction, the first damped, the second rigid; one stuck; one held. Follower forces between the ends. */
enum { CHAIN = 60 };

static am_system *make_mixed(double rotation) {
    static const size_t node[5] = {5, 11, 17, 22, 27};
    double K[CHAIN * CHAIN] = {0}, M[CHAIN] = {0}, G[CHAIN * CHAIN] = {0}, rows[10][CHAIN] = {{0}};
    double Md[CHAIN * CHAIN] = {0}, C[CHAIN * CHAIN] = {0};
    for (size_t i = 0; i + 2 < CHAIN; i++) {
        double k = 1000.0 * (1.0 + 0.3 * sin((double)i));
        K[i * CHAIN + i] += k, K[(i + 2) * CHAIN + i + 2] += k;
        K[i * CHAIN + i + 2] -= k, K[(i + 2) * CHAIN + i] -= k;
    }
    for (size_t i = 0; i < CHAIN; i++) {
        M[i] = 1.0 + 0.01 * (double)i;
        Md[i * CHAIN + i] = M[i];
        C[i * CHAIN + i] = 0.01;
        K[i * CHAIN + i] += 50.0 + 3.0 * (double)i;
        K[i * CHAIN + (i ^ 1)] += 20.0;
    }
    G[1] = rotation, G[CHAIN] = -rotation;
    am_contact_def contacts[5];
    for (size_t c = 0; c < 5; c++) {
        contacts[c] = am_contact_def_default();
        rows[2 * c][2 * node[c] + 1] = rows[2 * c + 1][2 * node[c]] = 1.0;
        contacts[c].normal = rows[2 * c], contacts[c].tangent = rows[2 * c + 1];
        contacts[c].friction = 0.4 + 0.2 * (double)c;
        contacts[c].surface_velocity = c == 2 ? -1.0 : 1.0;
        contacts[c].normal_law = c == 1 ? AM_UNILATERAL : c == 4 ? AM_HELD : AM_KELVIN_VOIGT;
        contacts[c].contact_stiffness = c == 1 || c == 4 ? 0.0 : 400.0;
        contacts[c].contact_damping = c == 0 ? 0.3 : 0.0;
        contacts[c].hold = am_function_constant(c == 4 ? 1.0 : 0.0);
    }
    am_system_def def = am_system_def_default();
    am_error err = {0};
    def.n = CHAIN, def.contact_count = 5, def.contacts = contacts;
    def.mass = am_matrix_dense(CHAIN, CHAIN, Md, NULL);
    def.damping = am_matrix_dense(CHAIN, CHAIN, C, NULL);
    def.stiffness = am_matrix_dense(CHAIN, CHAIN, K, NULL);
    def.circulatory = am_matrix_dense(CHAIN, CHAIN, G, NULL);
    am_system *system = am_system_create(&def, &err);
    if (!system)
        fail_msg("%s", err.message);
    am_matrix_free((am_matrix *)def.mass);
    am_matrix_free((am_matrix *)def.damping);
    am_matrix_free((am_matrix *)def.stiffness);
    am_matrix_free((am_matrix *)def.circulatory);
    return system;
}

static void mixed_laws_states_and_follower_forces_agree_with_the_dense_problem(void **state) {
    (void)state;
    static const am_contact_state states[5] = {AM_BACKWARD, AM_BACKWARD, AM_FORWARD, AM_STICK, AM_BACKWARD};
    am_system *system = make_mixed(30.0);
    am_squeal_options options = quick(35);
    options.state = states;
    am_result *result = squeal(system, &options);
    am_stability_options dense = am_stability_options_default();
    dense.state = states;
    am_spectrum spectrum;
    assert_int_equal(am_stability_spectrum(system, &dense, &spectrum, NULL), AM_OK);
    const am_table *table = am_result_find_table(result, "squeal");
    size_t compared = 0;
    for (size_t row = 0; row < am_table_rows(table); row++) {
        double re = cell(table, row, "real"), im = cell(table, row, "imaginary"), nearest = INFINITY;
        if (cell(table, row, "unstable") == 0.0)
            continue;
        for (size_t i = 0; i < spectrum.count; i++)
            nearest = fmin(nearest, hypot(spectrum.real[i] - re, spectrum.imaginary[i] - im));
        if (!(nearest < agreement * hypot(re, im)))
            fail_msg("%g + %gi is off by %g", re, im, nearest);
        compared++;
    }
    size_t growing = 0;
    for (size_t i = 0; i < spectrum.count; i++)
        growing += grows(spectrum.real[i], spectrum.imaginary[i]) && spectrum.imaginary[i] >= 0.0 &&
                   spectrum.imaginary[i] < number(result, "highest_omega"); /* one more grows beyond the modes */
    assert_true(growing > 0);
    assert_int_equal(compared, growing);
    am_spectrum_clear(&spectrum);
    am_result_free(result);
    am_system_free(system);
}

/* A chain of 52 nodes, each on a sliding contact of its own: more contacts than are solved for together. */
enum { LINE = 52 };

static am_system *make_line(uint64_t seed) {
    enum { N = 2 * LINE };
    static double M[N * N], C[N * N], K[N * N], rows[N][N];
    random_source source = random_seed(seed);
    am_contact_def contacts[LINE];
    memset(M, 0, sizeof M), memset(C, 0, sizeof C), memset(K, 0, sizeof K), memset(rows, 0, sizeof rows);
    for (size_t i = 0; i < N; i++) {
        M[i * (N + 1)] = random_between(&source, 0.8, 1.2);
        C[i * (N + 1)] = 0.001;
        K[i * (N + 1)] += i % 2 ? 50.0 : 200.0; /* near the frequency across, with its contact */
        K[i * N + (i ^ 1)] += i / 2 % 2 ? 40.0 : -40.0;
        for (size_t j = i + 2; j == i + 2 && j < N; j++) {
            double k = random_between(&source, 700, 1300);
            K[i * (N + 1)] += k, K[j * (N + 1)] += k;
            K[i * N + j] -= k, K[j * N + i] -= k;
        }
    }
    for (size_t c = 0; c < LINE; c++) {
        contacts[c] = am_contact_def_default();
        rows[2 * c][2 * c + 1] = rows[2 * c + 1][2 * c] = 1.0;
        contacts[c].normal = rows[2 * c], contacts[c].tangent = rows[2 * c + 1];
        contacts[c].friction = random_between(&source, 0.5, 1.2);
        contacts[c].surface_velocity = 1.0;
        contacts[c].normal_law = AM_KELVIN_VOIGT;
        contacts[c].contact_stiffness = random_between(&source, 100, 200);
    }
    am_system_def def = am_system_def_default();
    def.n = N, def.contact_count = LINE, def.contacts = contacts;
    return dense_system(def, M, C, K);
}

static void unstable_pairs_of_many_contacts_are_those_of_the_dense_problem(void **state) {
    (void)state;
    am_contact_state states[LINE];
    for (size_t c = 0; c < LINE; c++)
        states[c] = AM_BACKWARD;
    am_system *system = make_line(1);
    am_squeal_options options = quick(40);
    options.state = states;
    am_result *result = squeal(system, &options);
    am_stability_options dense = am_stability_options_default();
    dense.state = states;
    am_spectrum spectrum;
    assert_int_equal(am_stability_spectrum(system, &dense, &spectrum, NULL), AM_OK);
    compare_with(&spectrum, result, agreement, 1);
    am_spectrum_clear(&spectrum);
    am_result_free(result);
    am_system_free(system);
}

/* ---- the critical friction ---- */

/* The model of modes has no projection to lose anything but its last ones: both sides of the critical friction. */
static void threshold_of_the_brake_of_modes_is_that_of_the_dense_problem(void **state) {
    (void)state;
    am_disc_pad model = am_disc_pad_default();
    am_system *system = am_disc_pad_create(&model, NULL);
    am_squeal_options options = quick(50);
    am_result *result = squeal(system, &options);
    double critical = number(result, "critical");
    am_result_free(result);
    am_system_free(system);
    for (int side = -1; side <= 1; side += 2) {
        model.mu = critical * (1.0 + 1e-6 * side);
        system = am_disc_pad_create(&model, NULL);
        am_spectrum spectrum;
        spectrum_of(system, &spectrum);
        assert_true(side < 0 ? spectrum.real[0] < 0.0 : spectrum.real[0] > 0.0);
        am_spectrum_clear(&spectrum);
        am_system_free(system);
    }
}

static void check_threshold(am_brake b, double step) {
    am_system *system = make(&b);
    am_squeal_options options = quick(40);
    am_result *result = squeal(system, &options);
    double critical = number(result, "critical"), omega = number(result, "omega");
    assert_string_equal(am_result_find(result, "instability")->text, "flutter");
    assert_true(number(result, "critical_residual") < 1e-9);
    b.mu = critical * (1.0 - step);
    double before = dense_growth(&b, 1.05 * omega);
    b.mu = critical * (1.0 + step);
    double after = dense_growth(&b, 1.05 * omega);
    assert_false(grows(before, omega) && before > 0.0);
    assert_true(after > 0.0);
    assert_true(fabs(number(result, "projection_change")) < 0.05);
    am_result_free(result);
    am_system_free(system);
}

/* A millionth on either side: growth there is 1e-6 of the frequency's slope, 1e4 roundings. */
static void damped_threshold_separates_stable_from_unstable(void **state) {
    (void)state;
    am_brake b = small_brake();
    b.stiffness_damping = 1e-8;
    check_threshold(b, 1e-6);
}

static void rigid_threshold_separates_stable_from_unstable(void **state) {
    (void)state;
    am_brake b = small_brake();
    b.rigid = true;
    b.stiffness_damping = 1e-8;
    check_threshold(b, 1e-6);
}

/* Growth begins with a root: a thousandth of the coefficient's own distance shows it clearly. */
static void two_undamped_frequencies_meet_at_the_threshold(void **state) {
    (void)state;
    am_brake b = small_brake();
    b.stiffness_damping = b.mass_damping = 0.0;
    check_threshold(b, 1e-6);
}

static void more_modes_change_less(void **state) {
    (void)state;
    am_brake b = small_brake();
    b.stiffness_damping = 1e-8;
    am_system *system = make(&b);
    double critical[2], change[2];
    for (int i = 0; i < 2; i++) {
        am_squeal_options options = quick(i ? 60 : 25);
        am_result *result = squeal(system, &options);
        critical[i] = number(result, "critical");
        change[i] = fabs(number(result, "projection_change"));
        am_result_free(result);
    }
    assert_true(change[1] < change[0]);
    assert_true(fabs(critical[0] - critical[1]) < 1e-9 * critical[1]); /* the full problem knows nothing of modes */
    am_system_free(system);
}

static void sweep_confirms_every_unstable_pair(void **state) {
    (void)state;
    am_brake b = small_brake();
    b.stiffness_damping = 1e-8;
    am_system *system = make(&b);
    am_squeal_options options = quick(30);
    options.confirm = true;
    am_result *result = squeal(system, &options);
    const am_table *sweep = am_result_find_table(result, "sweep"), *unstable = am_result_find_table(result, "unstable");
    size_t growing = 0;
    for (size_t row = 0; row < am_table_rows(sweep); row++)
        growing += cell(sweep, row, "unstable") == 1.0;
    assert_true(growing > 0);
    assert_int_equal(am_table_rows(unstable), growing);
    for (size_t row = 0; row < growing; row++)
        if (cell(unstable, row, "confirmed") == 1.0)
            if (!(cell(unstable, row, "residual") < 1e-9)) /* rounding of the stiffness times its condition */
                fail_msg("mu %g: %g + %gi leaves %g", cell(unstable, row, "mu"), cell(unstable, row, "real"),
                         cell(unstable, row, "imaginary"), cell(unstable, row, "residual"));
    size_t unconfirmed = 0;
    for (size_t row = 0; row < growing; row++)
        unconfirmed += cell(unstable, row, "confirmed") != 1.0;
    assert_true(number(result, "unconfirmed") == (double)unconfirmed);
    assert_int_equal(unconfirmed, 0); /* of this brake, whose pairs are well apart */
    am_result_free(result);
    am_system_free(system);
}

/* ---- the model ---- */

/* A thin disc bends as Kirchhoff's plate: shear and rotary inertia are (h/lambda)^2, below a percent here, and 48
 * elements round about leave about one percent more. */
static void thin_disc_has_the_frequencies_of_a_plate(void **state) {
    (void)state;
    am_brake b = am_brake_default();
    b.thickness = 0.002;
    b.radial = 8;
    b.around = 48;
    b.pad_density = 1e-3; /* the pad and its lining weigh and hold nothing */
    b.pad_modulus = b.lining_stiffness = 1.0;
    b.caliper_stiffness = b.abutment_stiffness = 1.0;
    b.pad_angle = 0.3;
    b.mu = 0.0;
    am_disc disc = am_disc_pad_default().disc;
    disc.thickness = b.thickness;
    am_system *system = make(&b);
    am_squeal_options options = quick(60);
    options.to = 1e-3; /* the modes are all that is wanted */
    options.certify = false;
    options.count = 2;
    am_result *result = squeal(system, &options);
    const am_table *modes = am_result_find_table(result, "modes");
    for (size_t diameters = 0; diameters < 4; diameters++) {
        double omega, shape, nearest = INFINITY;
        assert_int_equal(am_disc_modes(&disc, diameters, 0.12, 1, &omega, &shape, NULL), AM_OK);
        for (size_t row = 0; row < am_table_rows(modes); row++)
            nearest = fmin(nearest, fabs(cell(modes, row, "omega") - omega));
        if (!(nearest < 0.02 * omega))
            fail_msg("%zu nodal diameters: off by %g of %g", diameters, nearest, omega);
    }
    am_result_free(result);
    am_system_free(system);
}

static void a_free_structure_has_modes_of_frequency_zero(void **state) {
    (void)state;
    am_brake b = small_brake();
    b.caliper_stiffness = b.abutment_stiffness = 0.0; /* contact springs hold the pad along the axis only */
    am_system *system = make(&b);
    am_squeal_options options = quick(20);
    am_result *result = squeal(system, &options);
    const am_table *modes = am_result_find_table(result, "modes");
    size_t still = 0;
    for (size_t row = 0; row < am_table_rows(modes); row++)
        still += cell(modes, row, "omega") < 1e-3 * number(result, "highest_omega");
    assert_int_equal(still, 3); /* two shifts and a turn in its plane */
    am_result_free(result);
    am_system_free(system);
}

/* ---- refusals ---- */

static void refused(const am_system *system, const am_squeal_options *options, am_status expected, const char *words) {
    am_error err = {0};
    am_result *result = am_result_create(NULL);
    assert_int_equal(am_squeal_run(system, options, result, NULL, &err), expected);
    if (!strstr(err.message, words))
        fail_msg("'%s' does not say '%s'", err.message, words);
    am_result_free(result);
}

static void bad_options_and_systems_are_refused_with_reasons(void **state) {
    (void)state;
    am_brake b = small_brake();
    am_system *system = make(&b);
    am_squeal_options options = quick(1);
    refused(system, &options, AM_ERR_INPUT, "two modes");
    options = quick(20);
    options.to = options.from;
    refused(system, &options, AM_ERR_INPUT, "go up");
    options = quick(20);
    options.count = 1;
    refused(system, &options, AM_ERR_INPUT, "between 2");
    options = quick(20);
    options.cookie = 0;
    refused(system, &options, AM_ERR_INPUT, "default");
    am_system_free(system);

    const double line[2] = {0, 1}, across[2] = {1, 0}, values[4] = {2, 0, 0, 2};
    am_matrix *matrix = am_matrix_dense(2, 2, values, NULL);
    am_contact_def contact = am_contact_def_default();
    contact.normal = line, contact.tangent = across, contact.friction = 0.3;
    am_system_def def = am_system_def_default();
    def.n = 2, def.mass = def.stiffness = matrix, def.contact_count = 1, def.contacts = &contact;
    options = quick(2);
    am_system *still = am_system_create(&def, NULL);
    refused(still, &options, AM_ERR_INPUT, "does not move");
    am_system_free(still);
    def.contact_count = 0;
    am_system *free_of = am_system_create(&def, NULL);
    refused(free_of, &options, AM_ERR_UNSUPPORTED, "without contacts");
    def.contact_count = 1;
    def.mass = NULL;
    am_system *massless = am_system_create(&def, NULL);
    refused(massless, &options, AM_ERR_UNSUPPORTED, "without mass");
    am_system_free(massless);
    am_system_free(free_of);
    am_matrix_free(matrix);
}

/* A chain of 120 masses, too long for all of its coordinates, pressed by one contact. */
static void what_a_projection_cannot_take_is_refused_in_large_structures(void **state) {
    (void)state;
    enum { LONG = 120 };
    double *diagonal = calloc((size_t)LONG * LONG, sizeof *diagonal), normal[LONG] = {1}, tangent[LONG] = {0, 1};
    assert_non_null(diagonal);
    for (size_t i = 0; i < LONG; i++)
        diagonal[i * LONG + i] = 1.0 + (double)i;
    am_matrix *matrix = am_matrix_dense(LONG, LONG, diagonal, NULL);
    am_contact_def contact = am_contact_def_default();
    am_system_def def = am_system_def_default();
    const am_polynomial_term term = {-0.1, 0, 1};
    const am_polynomial_def damper = {"damper", tangent, 1, &term};
    contact.normal = normal, contact.tangent = tangent, contact.friction = 0.3, contact.surface_velocity = 1.0;
    contact.normal_law = AM_HUNT_CROSSLEY, contact.contact_stiffness = 1.0, contact.contact_exponent = 1.5;
    def.n = LONG, def.mass = def.stiffness = matrix, def.contact_count = 1, def.contacts = &contact;
    am_squeal_options options = quick(20);
    am_system *hertz = am_system_create(&def, NULL);
    refused(hertz, &options, AM_ERR_UNSUPPORTED, "hunt-crossley");
    am_system_free(hertz);
    contact.normal_law = AM_KELVIN_VOIGT, contact.contact_exponent = 1.0;
    def.polynomial_count = 1, def.polynomials = &damper;
    am_system *driven = am_system_create(&def, NULL);
    refused(driven, &options, AM_ERR_UNSUPPORTED, "polynomial");
    am_system_free(driven);
    am_matrix_free(matrix);
    free(diagonal);
}

static void a_brake_without_sense_is_refused(void **state) {
    (void)state;
    struct {
        double *value, bad;
        const char *field;
    } cases[6];
    am_brake b = am_brake_default();
    cases[0].value = &b.thickness, cases[0].bad = -1, cases[0].field = "thickness";
    cases[1].value = &b.poisson, cases[1].bad = 0.5, cases[1].field = "poisson";
    cases[2].value = &b.speed, cases[2].bad = 0, cases[2].field = "speed";
    cases[3].value = &b.outer_radius, cases[3].bad = 0.01, cases[3].field = "outer_radius";
    cases[4].value = &b.pad_angle, cases[4].bad = 7, cases[4].field = "pad_angle";
    cases[5].value = &b.mu, cases[5].bad = NAN, cases[5].field = "mu";
    for (int i = 0; i < 6; i++) {
        am_error err = {0};
        double kept = *cases[i].value;
        *cases[i].value = cases[i].bad;
        assert_null(am_brake_create(&b, &err));
        assert_int_equal(err.status, AM_ERR_INPUT);
        assert_string_equal(err.field, cases[i].field);
        *cases[i].value = kept;
    }
}

/* A build without MUMPS and ARPACK says so instead of answering. */
static void without_its_libraries_the_question_is_refused(void **state) {
    (void)state;
    am_brake b = small_brake();
    am_error err = {0};
    am_system *system = make(&b);
    am_result *result = am_result_create(NULL);
    am_squeal_options options = am_squeal_options_default();
    assert_int_equal(am_squeal_run(system, &options, result, NULL, &err), AM_ERR_UNSUPPORTED);
    am_result_free(result);
    am_system_free(system);
}

/* Without other damping what decays does so by the linings alone; the lowest modes span themselves almost alone. */
static void the_linings_damp_the_modes_in_their_own_space_too(void **state) {
    (void)state;
    am_brake b = am_brake_default();
    b.radial = 3;
    b.around = 16;
    b.through = b.pad_through = 1;
    b.mu = b.mass_damping = b.stiffness_damping = 0.0;
    b.lining_damping = 300.0;
    am_system *system = make(&b);
    am_squeal_options options = am_squeal_options_default();
    options.modes = 16;
    am_result *result = squeal(system, &options);
    const am_table *table = am_result_find_table(result, "squeal");
    size_t projected = am_table_find_column(table, "projected_real"), full = am_table_find_column(table, "real");
    double sum[2] = {0};
    for (size_t row = 0; row < 3; row++) {
        sum[0] += am_table_number(table, row, projected);
        sum[1] += am_table_number(table, row, full);
    }
    assert_true(sum[1] < -1e-3);
    if (!(fabs(sum[0] / sum[1] - 1.0) <= 0.2))
        fail_msg("projected %g, full %g", sum[0], sum[1]);
    am_result_free(result);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest always[] = {
        cmocka_unit_test(a_brake_without_sense_is_refused),
    };
    const struct CMUnitTest with[] = {
        cmocka_unit_test(symmetric_factors_solve_and_count_negative_eigenvalues),
        cmocka_unit_test(lanczos_finds_both_of_every_double_eigenvalue),
        cmocka_unit_test(unstable_pairs_of_spring_contacts_are_those_of_the_dense_problem),
        cmocka_unit_test(unstable_pairs_of_damped_contacts_are_those_of_the_dense_problem),
        cmocka_unit_test(unstable_pairs_of_rigid_contacts_are_those_of_the_dense_problem),
        cmocka_unit_test(unstable_pairs_without_damping_are_those_of_the_dense_problem),
        cmocka_unit_test(mixed_laws_states_and_follower_forces_agree_with_the_dense_problem),
        cmocka_unit_test(unstable_pairs_of_many_contacts_are_those_of_the_dense_problem),
        cmocka_unit_test(threshold_of_the_brake_of_modes_is_that_of_the_dense_problem),
        cmocka_unit_test(steady_forces_are_those_of_the_dense_analysis),
        cmocka_unit_test(damped_threshold_separates_stable_from_unstable),
        cmocka_unit_test(rigid_threshold_separates_stable_from_unstable),
        cmocka_unit_test(two_undamped_frequencies_meet_at_the_threshold),
        cmocka_unit_test(the_linings_damp_the_modes_in_their_own_space_too),
        cmocka_unit_test(more_modes_change_less),
        cmocka_unit_test(sweep_confirms_every_unstable_pair),
        cmocka_unit_test(thin_disc_has_the_frequencies_of_a_plate),
        cmocka_unit_test(a_free_structure_has_modes_of_frequency_zero),
        cmocka_unit_test(bad_options_and_systems_are_refused_with_reasons),
        cmocka_unit_test(what_a_projection_cannot_take_is_refused_in_large_structures),
    };
    const struct CMUnitTest without[] = {cmocka_unit_test(without_its_libraries_the_question_is_refused)};
    int failures = cmocka_run_group_tests(always, NULL, NULL);
    return failures + (am_squeal_available() ? cmocka_run_group_tests(with, NULL, NULL)
                                             : cmocka_run_group_tests(without, NULL, NULL));
}
