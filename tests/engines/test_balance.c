/* The equations of harmonic balance: exact derivatives, condensation, and the laws they must obey. */
#include <stdlib.h>
#include <string.h>

#include "amontons/models.h"
#include "dense_system.h"
#include "engines/balance/balance_internal.h"
#include "errors.h"
#include "math/arrow.h"
#include "math/dense.h"
#include "math/trigonometric.h"
#include "near.h"
#include "random_system.h"
#include "varied_model.h"

/* ---- families ---- */

static am_system *make_chain(void *context, double xi1, am_error *err) {
    am_chain chain = *(const am_chain *)context;
    chain.xi1 = xi1;
    return am_chain_create(&chain, err);
}

static am_system *make_griffin(void *context, double Omega, am_error *err) {
    am_griffin griffin = *(const am_griffin *)context;
    griffin.Omega = Omega;
    return am_griffin_create(&griffin, err);
}

static am_system *make_griffin_beta(void *context, double beta, am_error *err) {
    am_griffin griffin = *(const am_griffin *)context;
    griffin.beta = beta;
    return am_griffin_create(&griffin, err);
}

static am_system *make_oscillator(void *context, double Omega, am_error *err) {
    am_oscillator oscillator = *(const am_oscillator *)context;
    oscillator.Omega = Omega;
    return am_oscillator_create(&oscillator, err);
}

/* Masses in a row, loads at two of them, two Jenkins elements, compliant stops with friction, rigid and behind a
 * spring, and two springs of third degree: few directions are not linear, so that the rest is condensed. The parameter
 * is the frequency. */
enum { ROW = 22 };

typedef struct row {
    bool everywhere; /* tiny springs at every mass: nothing can be condensed */
    double spin;     /* gyroscopic forces between neighbours: then the matrices are not symmetric */
    bool modal;      /* damping proportional to mass and stiffness: what is condensed has modes */
    bool timed;      /* surfaces that move (shaken: as fast as the frequency says) and a stiffness that varies */
} row;

static am_system *make_row(void *context, double Omega, am_error *err) {
    const row *r = context;
    double mass[ROW * ROW] = {0}, damping[ROW * ROW] = {0}, stiffness[ROW * ROW] = {0};
    double unit[ROW][ROW] = {{0}}, pair[ROW] = {0};
    for (size_t i = 0; i < ROW; i++) {
        mass[i * ROW + i] = 1.0 + 0.1 * (double)i;
        damping[i * ROW + i] = 0.05;
        stiffness[i * ROW + i] = 2.5;
        if (i > 0)
            stiffness[i * ROW + i - 1] = stiffness[(i - 1) * ROW + i] = -1.0;
        unit[i][i] = 1.0;
    }
    for (size_t i = 1; i < ROW; i++) {
        damping[i * ROW + i - 1] = r->spin;
        damping[(i - 1) * ROW + i] = -r->spin;
    }
    for (size_t i = 0; i < ROW * ROW && r->modal; i++)
        damping[i] = 0.02 * mass[i] + 0.03 * stiffness[i];
    pair[2] = 1.0;
    pair[4] = -1.0;
    am_contact_def contacts[4] = {am_contact_def_default(), am_contact_def_default(), am_contact_def_default(),
                                  am_contact_def_default()};
    contacts[0].tangent = unit[2];
    contacts[1].tangent = pair;
    for (size_t c = 0; c < 2; c++) {
        contacts[c].normal_law = AM_HELD;
        contacts[c].hold = am_function_constant(c ? 0.3 : 0.5);
        contacts[c].friction = 0.4;
        contacts[c].tangential_stiffness = 0.7;
    }
    contacts[1].hold = am_function_sine(0.2, 2.0 * Omega, 0.4);
    contacts[1].hold.value = 0.3;
    contacts[2].normal = unit[4];
    contacts[2].tangent = unit[2];
    contacts[2].normal_law = AM_KELVIN_VOIGT;
    contacts[2].contact_stiffness = 3.0;
    contacts[2].contact_damping = 0.2;
    contacts[2].gap = 0.1;
    contacts[2].friction = 0.3;
    contacts[3] = contacts[2];
    contacts[3].normal = unit[2];
    contacts[3].tangent = unit[4];
    contacts[3].gap = 0.05;
    contacts[3].contact_damping = r->spin > 0.0 ? 0.0 : 0.15;
    contacts[3].tangential_stiffness = 0.6;
    for (size_t c = 0; c < 4 && r->timed; c++)
        contacts[c].surface_motion = am_function_sine(0.2 * (c % 2 ? Omega : 1.0), Omega, (double)c);
    const am_load_def loads[2] = {{unit[0], am_function_sine(1.0, Omega, 0.3)},
                                  {unit[4], am_function_sine(0.4, 2.0 * Omega, 0.0)}};
    const am_polynomial_term cubic[2] = {{0.3, 3, 0}, {0.1, 2, 1}}, faint[1] = {{1e-30, 3, 0}};
    am_polynomial_def springs[ROW];
    for (size_t i = 0; i < ROW; i++)
        springs[i] =
            (am_polynomial_def){.direction = unit[i], .term_count = i == 2 ? 2 : 1, .terms = i == 2 ? cubic : faint};
    am_system_def def = am_system_def_default();
    def.n = ROW;
    def.contact_count = 4;
    def.contacts = contacts;
    def.load_count = 2;
    def.loads = loads;
    def.polynomial_count = r->everywhere ? ROW : 1;
    def.polynomials = r->everywhere ? springs : springs + 2;
    const am_varying_def varying = {.direction = pair, .stiffness = am_function_sine(0.2, 5.0 * Omega, 0.4)};
    def.varying_count = r->timed ? 1 : 0;
    def.varying = &varying;
    (void)err;
    return dense_system(def, mass, damping, stiffness);
}

static am_balance *open_balance(am_system *(*make)(void *, double, am_error *), void *context, double from, double to,
                                size_t degree, am_parity parity, bool self_excited) {
    const am_model_line line = {.model = model_of_one("parameter", make, context), .held = SIZE_MAX};
    am_balance_options options = {.degree = degree, .parity = parity, .self_excited = self_excited};
    am_error err = {0};
    am_balance *balance = am_balance_create(&line, from, to, &options, &err);
    if (!balance)
        fail_msg("%s", err.message);
    return balance;
}

static void close_balance(am_balance *balance) {
    am_model *model = balance->line.model;
    am_balance_free(balance);
    varied_model_free(model);
}

/* ---- derivatives ---- */

/* Large balances have no array: what they say of J is said of this one. */
static void check_matrix(const am_continuation_problem *problem, const double *x, double p, const double *J,
                         double largest) {
    const am_continuation_matrix *matrix = problem->matrix;
    size_t n = problem->n, *all = calloc(n, sizeof *all), *some = calloc(n, sizeof *some), count = 0;
    double *F = calloc(3 * n, sizeof *F), *sums = F + n, *product = sums + n, *block = calloc(n * n, sizeof *block);
    for (size_t i = 0; i < n; i++) {
        all[i] = i;
        if (i % 3 != 1)
            some[count++] = i;
    }
    GOOD(matrix->evaluate(problem->context, x, p, F, NULL, err));
    matrix->sizes(problem->context, sums);
    matrix->apply(problem->context, x, product);
    for (size_t i = 0; i < n; i++) {
        assert_near(sums[i], am_dense_size(J + i * n, n), 1e-13 * (double)n * largest);
        assert_near(product[i], am_dense_dot(J + i * n, x, n), 1e-13 * (double)n * largest);
    }
    matrix->block(problem->context, n, all, count, some, block, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < count; j++)
            assert_near(block[i * n + j], J[i * n + some[j]], 1e-14 * largest);
    free(all);
    free(some);
    free(F);
    free(block);
}

/* J and Fp against central differences at a random state. Their error is the square of the step (1e-6 of the size of
 * the third derivative) or rounding over it (1e-16/1e-6), both below 1e-7 of the largest entry here; a switch of a
 * contact inside the step adds the step itself times a jump of the second derivative, hence 1e-5. */
static void check_derivatives(am_balance *balance, double p, double size, double omega, uint64_t seed) {
    size_t n = am_balance_size(balance);
    random_source source = random_seed(seed);
    double *x = calloc(n, sizeof *x), *F = calloc(3 * n, sizeof *F), *J = calloc(n * n, sizeof *J);
    double *high = F + n, *Fp = high + n, *low = calloc(n, sizeof *low), largest = 0.0, h = 1e-6;
    am_continuation_problem problem = am_balance_problem(balance);
    for (size_t i = 0; i < n; i++)
        x[i] = random_between(&source, -size, size);
    if (omega > 0.0) {
        x[n - 1] = omega;
        problem.advance(problem.context, x, p);
    }
    GOOD(problem.evaluate(problem.context, x, p, F, J, Fp, err));
    for (size_t i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(J[i]));
    for (size_t j = 0; j <= n; j++) {
        double step = h * (j < n ? fmax(size, fabs(x[j])) : 1.0), old = j < n ? x[j] : p;
        if (j < n)
            x[j] = old + step;
        GOOD(problem.evaluate(problem.context, x, j < n ? p : p + step, high, NULL, NULL, err));
        if (j < n)
            x[j] = old - step;
        GOOD(problem.evaluate(problem.context, x, j < n ? p : p - step, low, NULL, NULL, err));
        if (j < n)
            x[j] = old;
        for (size_t i = 0; i < n; i++)
            assert_near(j < n ? J[i * n + j] : Fp[i], (high[i] - low[i]) / (2.0 * step), 1e-5 * fmax(largest, 1.0));
    }
    free(x);
    free(F);
    free(J);
    free(low);
}

static void derivatives_of_the_chain_are_exact(void **state) {
    (void)state;
    am_chain chain = am_chain_default();
    chain.count = 5;
    for (size_t degree = 1; degree <= 5; degree += 2)
        for (int parity = AM_PARITY_ALL; parity <= AM_PARITY_ODD; parity++) {
            am_balance *balance = open_balance(make_chain, &chain, 0.0, 0.3, degree, (am_parity)parity, true);
            for (uint64_t seed = 1; seed <= 5; seed++)
                check_derivatives(balance, 0.12, 0.1, 1.02, seed);
            close_balance(balance);
        }
}

static void derivatives_with_jenkins_elements_are_exact(void **state) {
    (void)state;
    am_griffin griffin = am_griffin_default();
    griffin.beta = 0.6;
    griffin.eta = 0.7;
    griffin.delta_deg = 40.0;
    for (size_t degree = 1; degree <= 9; degree += 4) {
        am_balance *balance = open_balance(make_griffin, &griffin, 0.5, 2.0, degree, AM_PARITY_AUTO, false);
        assert_false(am_balance_odd(balance));
        for (uint64_t seed = 1; seed <= 10; seed++)
            check_derivatives(balance, 1.1, 1.0, 0.0, seed);
        close_balance(balance);
    }
}

static void derivatives_along_the_normal_load_are_right(void **state) {
    (void)state;
    am_griffin griffin = am_griffin_default();
    griffin.eta = 0.5;
    griffin.Omega = 1.2;
    am_balance *balance = open_balance(make_griffin_beta, &griffin, 0.2, 4.0, 5, AM_PARITY_AUTO, false);
    for (uint64_t seed = 1; seed <= 10; seed++)
        check_derivatives(balance, 0.9, 1.0, 0.0, seed);
    close_balance(balance);
}

static void derivatives_with_rigid_friction_are_exact(void **state) {
    (void)state;
    am_oscillator oscillator = am_oscillator_default();
    oscillator.beta = 0.4;
    oscillator.Omega = 0.8;
    am_balance *balance = open_balance(make_oscillator, &oscillator, 0.5, 2.0, 7, AM_PARITY_AUTO, false);
    assert_true(am_balance_odd(balance));
    for (uint64_t seed = 1; seed <= 10; seed++)
        check_derivatives(balance, 0.8, 1.0, 0.0, seed);
    close_balance(balance);
}

static void derivatives_of_mixed_structures_are_exact(void **state) {
    (void)state;
    for (int everywhere = 0; everywhere < 2; everywhere++) {
        row r = {.everywhere = everywhere != 0};
        am_balance *balance = open_balance(make_row, &r, 0.5, 1.5, 3, AM_PARITY_AUTO, false);
        for (uint64_t seed = 1; seed <= 5; seed++)
            check_derivatives(balance, 0.9, 0.5, 0.0, seed);
        close_balance(balance);
    }
}

/* Masses in a row, each with a slider behind a spring, of which every third slips; one slips on a layer that stays
 * pressed, so that its limit follows a coordinate that mixes no harmonics. */
static am_system *make_sliders(void *context, double Omega, am_error *err) {
    double mass[ROW * ROW] = {0}, damping[ROW * ROW] = {0}, stiffness[ROW * ROW] = {0}, unit[ROW][ROW] = {{0}};
    am_contact_def contacts[ROW];
    (void)context, (void)err;
    for (size_t i = 0; i < ROW; i++) {
        mass[i * ROW + i] = 1.0;
        damping[i * ROW + i] = 0.1;
        stiffness[i * ROW + i] = 3.0;
        if (i > 0)
            stiffness[i * ROW + i - 1] = stiffness[(i - 1) * ROW + i] = -1.0;
        unit[i][i] = 1.0;
        contacts[i] = am_contact_def_default();
        contacts[i].tangent = unit[i];
        contacts[i].normal_law = AM_HELD;
        contacts[i].hold = am_function_constant(i % 3 == 0 ? 0.1 : 100.0);
        contacts[i].friction = 0.4;
        contacts[i].tangential_stiffness = 0.7;
    }
    contacts[4].normal = unit[5];
    contacts[4].normal_law = AM_KELVIN_VOIGT;
    contacts[4].contact_stiffness = 3.0;
    contacts[4].gap = -3.0;
    contacts[4].friction = 0.02;
    const am_load_def loads[2] = {{unit[0], am_function_sine(1.0, Omega, 0.3)},
                                  {unit[6], am_function_sine(1.0, 2.0 * Omega, 0.0)}};
    am_system_def def = am_system_def_default();
    def.n = def.contact_count = ROW;
    def.contacts = contacts;
    def.load_count = 2;
    def.loads = loads;
    return dense_system(def, mass, damping, stiffness);
}

/* Its rows and columns in the order of elimination. */
typedef struct ordered {
    const am_continuation_problem *problem;
    size_t *order, *row, *column;
} ordered;

static void ordered_block(void *context, size_t rows, const size_t *row, size_t columns, const size_t *column,
                          double *entries, size_t stride) {
    const ordered *o = context;
    for (size_t i = 0; i < rows; i++)
        o->row[i] = o->order[row[i]];
    for (size_t j = 0; j < columns; j++)
        o->column[j] = o->order[column[j]];
    o->problem->matrix->block(o->problem->context, rows, o->row, columns, o->column, entries, stride);
}

static void ordered_meet(void *context, size_t group, size_t *columns, size_t *column_count, size_t *rows,
                         size_t *row_count) {
    const ordered *o = context;
    o->problem->matrix->meet(o->problem->context, group, columns, column_count, rows, row_count);
}

/* Nothing that a group meets is left out: what the factors solve is J x = b. */
static void check_factors(const am_continuation_problem *problem, const double *J) {
    size_t n = problem->n, *order = calloc(4 * n, sizeof *order), *ends = order + 3 * n;
    double *x = calloc(2 * n, sizeof *x), *b = x + n;
    ordered o = {problem, order, order + n, order + 2 * n};
    const am_arrow_source source = {.context = &o, .block = ordered_block, .meet = ordered_meet};
    random_source random = random_seed(5);
    am_arena memory = {0};
    am_error error = {0};
    am_arrow *arrow = am_arrow_create(&memory, n, &error);
    size_t groups = problem->matrix->arrange(problem->context, order, ends);
    assert_true(ends[groups - 1] > 0 && ends[groups - 1] < n);
    assert_int_equal(am_arrow_factor_source(arrow, &source, ends, groups, false), AM_ARROW_FACTORED);
    for (size_t i = 0; i < n; i++)
        x[i] = b[order[i]] = random_between(&random, -1.0, 1.0);
    am_arrow_solve(arrow, x);
    for (size_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < n; j++)
            sum += J[i * n + order[j]] * x[j];
        assert_near(sum, b[i], 1e-10);
    }
    free(order);
    free(x);
    am_arena_clear(&memory);
}

/* Eliminated harmonic by harmonic or as one array: the same motion, and the same sign of the determinant. */
static void large_balances_are_solved_like_arrays(void **state) {
    (void)state;
    am_balance *balance = open_balance(make_sliders, NULL, 0.5, 1.5, 9, AM_PARITY_AUTO, false);
    am_continuation_problem problem = am_balance_problem(balance), array = problem;
    array.matrix = NULL;
    array.arrange = NULL;
    size_t n = problem.n;
    am_error error = {0};
    am_continuation *curve = am_continuation_create(n, 0, &error);
    double *x = calloc(2 * n, sizeof *x), *other = x + n, *J = calloc(n * n, sizeof *J);
    int sign = 0, other_sign = 0;
    assert_non_null(problem.matrix);
    GOOD(am_continuation_solve(curve, &problem, 0.9, 1e-12, x, NULL, err));
    GOOD(am_continuation_solve(curve, &array, 0.9, 1e-12, other, NULL, err));
    GOOD(am_continuation_sign(curve, &problem, x, 0.9, &sign, err));
    GOOD(am_continuation_sign(curve, &array, x, 0.9, &other_sign, err));
    for (size_t i = 0; i < n; i++)
        assert_near(x[i], other[i], 1e-10);
    assert_true(am_dense_largest(x, n) > 0.1 && sign != 0);
    assert_int_equal(sign, other_sign);
    GOOD(problem.evaluate(problem.context, x, 0.9, other, J, NULL, err));
    check_matrix(&problem, x, 0.9, J, am_dense_largest(J, n * n));
    check_factors(&problem, J);
    free(x);
    free(J);
    am_continuation_free(curve);
    close_balance(balance);
}

/* A chain: sliders under its first masses, the others are condensed. Modes of every third of these are far above the
 * range of frequencies, those of the rest within. */
enum { SLIDING = 28, CHAIN = 46 };

static am_system *make_condensed(void *context, double Omega, am_error *err) {
    static double mass[CHAIN * CHAIN], damping[CHAIN * CHAIN], stiffness[CHAIN * CHAIN], unit[CHAIN][CHAIN];
    am_contact_def contacts[SLIDING];
    (void)context, (void)err;
    memset(stiffness, 0, sizeof stiffness);
    for (size_t i = 0; i < CHAIN; i++) {
        mass[i * CHAIN + i] = i >= SLIDING && i % 3 == 0 ? 1e-3 : 1.0 + 0.01 * (double)i;
        stiffness[i * CHAIN + i] = 2.2;
        if (i > 0)
            stiffness[i * CHAIN + i - 1] = stiffness[(i - 1) * CHAIN + i] = -1.0;
        unit[i][i] = 1.0;
    }
    for (size_t i = 0; i < CHAIN * CHAIN; i++)
        damping[i] = 0.02 * mass[i] + 0.01 * stiffness[i];
    for (size_t i = 0; i < SLIDING; i++) {
        contacts[i] = am_contact_def_default();
        contacts[i].tangent = unit[i];
        contacts[i].normal_law = AM_HELD;
        contacts[i].hold = am_function_constant(0.002 * (double)(SLIDING - i));
        contacts[i].friction = 0.5;
        contacts[i].tangential_stiffness = 0.7;
    }
    const am_load_def loads[3] = {{unit[0], am_function_sine(1.0, Omega, 0.3)},
                                  {unit[SLIDING - 1], am_function_sine(1.0, 2.0 * Omega, 0.0)},
                                  {unit[CHAIN - 2], am_function_sine(1.0, Omega, 0.0)}};
    am_system_def def = am_system_def_default();
    def.n = CHAIN;
    def.contact_count = SLIDING;
    def.contacts = contacts;
    def.load_count = 3;
    def.loads = loads;
    return dense_system(def, mass, damping, stiffness);
}

/* Without a derivative the condensed structure is multiplied by its motion at once, with one, by its matrices. */
static void condensed_structures_multiply_motions_without_their_matrices(void **state) {
    (void)state;
    am_balance *balance = open_balance(make_condensed, NULL, 0.5, 1.5, 7, AM_PARITY_AUTO, false);
    am_continuation_problem problem = am_balance_problem(balance);
    size_t n = problem.n;
    double *x = calloc(5 * n, sizeof *x), *F = x + n, *Fp = F + n, *other = Fp + n, *otherp = other + n;
    double *J = calloc(n * n, sizeof *J);
    random_source random = random_seed(31);
    assert_non_null(problem.matrix);
    assert_true(balance->condensed);
    double p = 0.0;
    for (int round = 0; round < 4; round++) {
        p = random_between(&random, 0.5, 1.5);
        for (size_t i = 0; i < n; i++)
            x[i] = random_between(&random, -1.0, 1.0);
        GOOD(problem.evaluate(problem.context, x, p, F, NULL, Fp, err));
        assert_true(balance->charted == (round > 0)); /* no matrix has been made before the first one is asked for */
        GOOD(problem.evaluate(problem.context, x, p, other, J, otherp, err));
        assert_true(balance->charted);
        for (size_t i = 0; i < n; i++) {
            assert_near(F[i], other[i], 1e-13 * am_dense_largest(other, n));
            assert_near(Fp[i], otherp[i], 1e-12 * am_dense_largest(otherp, n));
        }
    }
    check_matrix(&problem, x, p, J, am_dense_largest(J, n * n));
    free(x);
    free(J);
    close_balance(balance);
}

/* What a walk hands out at given values: x and the sign of the determinant. */
typedef struct handed_out {
    size_t n, count;
    double *x, *t;
    int sign[8];
} handed_out;

static bool take_value(void *context, const am_continuation_point *point, const am_continuation_special *special) {
    handed_out *h = context;
    if (!strcmp(special->kind, "value") && h->count < 8) {
        memcpy(h->x + h->count * h->n, point->x, h->n * sizeof *h->x);
        memcpy(h->t + h->count * (h->n + 1), point->tangent, (h->n + 1) * sizeof *h->t);
        h->sign[h->count++] = point->determinant;
    }
    return true;
}

static void walk_chain(const am_continuation_problem *problem, handed_out *h) {
    static const double values[] = {0.901, 0.905, 0.908};
    am_continuation_options options = am_continuation_options_default();
    am_continuation_report report;
    am_error error = {0};
    am_continuation *curve = am_continuation_create(problem->n, 0, &error);
    double *start = calloc(problem->n, sizeof *start);
    *h = (handed_out){.n = problem->n};
    h->x = calloc(8 * h->n, sizeof *h->x);
    h->t = calloc(8 * (h->n + 1), sizeof *h->t);
    options.from = 0.9;
    options.to = 0.91;
    options.largest_step = 1.0;
    options.x_scale = 4.0;
    options.values = values;
    options.value_count = 3;
    GOOD(am_continuation_solve(curve, problem, 0.9, 1e-12, start, NULL, err));
    GOOD(am_continuation_follow(curve, problem, &options, start, &report, take_value, h, err));
    assert_int_equal(report.end, AM_CONTINUATION_LEFT);
    free(start);
    am_continuation_free(curve);
}

/* Nearly all of these sliders slip, so that what they leave has factors of half the digits, and tangents are refined: none
 * of that is seen in points, tangents and signs. */
static void half_the_digits_are_not_seen_along_a_branch(void **state) {
    (void)state;
    am_balance *balance = open_balance(make_condensed, NULL, 0.5, 1.5, 7, AM_PARITY_AUTO, false);
    am_continuation_problem problem = am_balance_problem(balance), array = problem;
    handed_out one, other;
    array.matrix = NULL;
    array.arrange = NULL;
    walk_chain(&problem, &one);
    walk_chain(&array, &other);
    assert_int_equal(one.count, 3);
    assert_int_equal(other.count, 3);
    for (size_t k = 0; k < 3; k++) {
        const double *t = one.t + k * (one.n + 1), *u = other.t + k * (one.n + 1);
        assert_int_equal(one.sign[k], other.sign[k]);
        for (size_t i = 0; i < one.n; i++) /* points to 1e-10, tangents turn at switches, which those move */
            assert_near(one.x[k * one.n + i], other.x[k * one.n + i], 1e-9);
        for (size_t i = 0; i <= one.n; i++)
            assert_near(t[i], u[i], 1e-7);
    }
    free(one.x);
    free(one.t);
    free(other.x);
    free(other.t);
    close_balance(balance);
}

/* The same derivative in either form: gyroscopic forces, stiffness that varies, layers and springs of third degree. */
static void blocks_of_large_balances_are_those_of_the_array(void **state) {
    (void)state;
    row r = {.everywhere = true, .spin = 0.4, .timed = true};
    am_balance *balance = open_balance(make_row, &r, 0.5, 1.5, 9, AM_PARITY_AUTO, false);
    am_continuation_problem problem = am_balance_problem(balance);
    random_source random = random_seed(8);
    size_t n = problem.n;
    double *x = calloc(2 * n, sizeof *x), *F = x + n, *J = calloc(n * n, sizeof *J);
    assert_non_null(problem.matrix);
    for (size_t i = 0; i < n; i++)
        x[i] = random_between(&random, -0.2, 0.2);
    GOOD(problem.evaluate(problem.context, x, 0.9, F, J, NULL, err));
    check_matrix(&problem, x, 0.9, J, am_dense_largest(J, n * n));
    free(x);
    free(J);
    close_balance(balance);
}

static void derivatives_of_spinning_modal_and_timed_structures_are_exact(void **state) {
    (void)state;
    row rows[3] = {{.spin = 0.4}, {.modal = true}, {.timed = true}};
    for (size_t i = 0; i < 3; i++) {
        am_balance *balance = open_balance(make_row, &rows[i], 0.1, 1.5, 3, AM_PARITY_AUTO, false);
        for (uint64_t seed = 1; seed <= 5; seed++)
            check_derivatives(balance, seed == 1 ? 0.15 : 0.9, 0.5, 0.0, seed);
        close_balance(balance);
    }
}

/* ---- condensation ---- */

/* The motion of all coordinates at the frequency Omega, with and without condensation of the linear ones. */
static void solve_row(row *r, double Omega, size_t degree, double *signals) {
    am_balance *balance = open_balance(make_row, r, 0.1, 1.5, degree, AM_PARITY_AUTO, false);
    size_t n = am_balance_size(balance);
    am_error error = {0};
    am_continuation *curve = am_continuation_create(n, 0, &error);
    double *x = calloc(n, sizeof *x);
    assert_non_null(curve);
    GOOD(am_balance_start(balance, curve, Omega, 1e-13, x, NULL, err));
    GOOD(am_balance_unpack(balance, x, Omega, signals, err));
    free(x);
    am_continuation_free(curve);
    close_balance(balance);
}

/* Two ways to write the same equations: they agree to the tolerance of Newton's method over the damping (0.05). Modes of
 * what is condensed begin near 0.4: at the higher frequency all harmonics are among them, at the lower one most modes are
 * far above. */
static void condensed_structures_move_like_whole_ones(void **state) {
    (void)state;
    enum { DEGREE = 3, ROOM = ROW * (2 * DEGREE + 1) };
    const row rows[] = {{.spin = 0.0}, {.spin = 0.4}, {.modal = true}, {.modal = true}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        row few = rows[k], all = rows[k];
        double condensed[ROOM], whole[ROOM], Omega = k == 3 ? 0.12 : 0.9;
        all.everywhere = true;
        solve_row(&few, Omega, DEGREE, condensed);
        solve_row(&all, Omega, DEGREE, whole);
        for (size_t i = 0; i < ROOM; i++)
            assert_near(condensed[i], whole[i], 1e-10);
    }
}

/* ---- what becomes of volumes ---- */

/* Two coupled masses with linear damping and dampers that grow with the displacement, c e^2 e'; the parameter is the
 * frequency. */
typedef struct pair {
    double mass[4], damping[4], stiffness[4], coefficient[2];
} pair;

static am_system *make_pair(void *context, double Omega, am_error *err) {
    const pair *s = context;
    static const double unit[2][2] = {{1, 0}, {0, 1}};
    const am_polynomial_term terms[2] = {{s->coefficient[0], 2, 1}, {s->coefficient[1], 2, 1}};
    const am_polynomial_def dampers[2] = {{.direction = unit[0], .term_count = 1, .terms = &terms[0]},
                                          {.direction = unit[1], .term_count = 1, .terms = &terms[1]}};
    const am_load_def load = {unit[0], am_function_sine(1.0, Omega, 0.0)};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.load_count = 1;
    def.loads = &load;
    def.polynomial_count = 2;
    def.polynomials = dampers;
    (void)err;
    return dense_system(def, s->mass, s->damping, s->stiffness);
}

/* Minus the trace of M^-1 (C + diag(c_i mean of q_i^2)), by the inverse of a 2 x 2 matrix and Parseval. */
static double divergence_of_pair(const pair *s, const double *signals, size_t degree) {
    const double *M = s->mass;
    double determinant = M[0] * M[3] - M[1] * M[2], D[4];
    memcpy(D, s->damping, sizeof D);
    for (size_t i = 0; i < 2; i++) {
        const double *q = signals + i * (2 * degree + 1);
        double square = q[0] * q[0];
        for (size_t k = 1; k <= 2 * degree; k++)
            square += 0.5 * q[k] * q[k];
        D[3 * i] += s->coefficient[i] * square;
    }
    return -(M[3] * D[0] - M[1] * D[2] - M[2] * D[1] + M[0] * D[3]) / determinant;
}

static void the_divergence_is_the_mean_trace_of_all_damping(void **state) {
    (void)state;
    random_source source = random_seed(21);
    for (size_t k = 0; k < 40; k++) {
        size_t degree = 1 + k % 4;
        bool odd = k % 3 == 0;
        pair s = {.coefficient = {random_between(&source, 0.1, 2), random_between(&source, 0.1, 2)}};
        random_definite(&source, 2, 0.5, 2, s.mass);
        random_definite(&source, 2, 0.1, 1, s.damping);
        random_definite(&source, 2, 0.5, 2, s.stiffness);
        am_balance *balance = open_balance(make_pair, &s, 0.5, 1.5, degree, odd ? AM_PARITY_ODD : AM_PARITY_ALL, false);
        size_t n = am_balance_size(balance), width = 2 * am_balance_degree(balance) + 1;
        double *x = calloc(n, sizeof *x), *signals = calloc(2 * width, sizeof *signals), divergence = NAN;
        for (size_t i = 0; i < n; i++)
            x[i] = random_between(&source, -1, 1);
        GOOD(am_balance_unpack(balance, x, 0.9, signals, err));
        GOOD(am_balance_divergence(balance, x, 0.9, &divergence, err));
        double expected = divergence_of_pair(&s, signals, am_balance_degree(balance));
        assert_near(divergence, expected, 1e-12 * fmax(1.0, fabs(expected))); /* rounding of a few dozen terms */
        free(x);
        free(signals);
        close_balance(balance);
    }
}

/* ---- phases of self-excited motions ---- */

/* A motion that starts later is the same motion: of all its shifts the one nearest to it has no distance. */
static void a_motion_that_starts_later_is_aligned_with_itself(void **state) {
    (void)state;
    enum { COUNT = 5, DEGREE = 4 };
    am_chain chain = am_chain_default();
    random_source source = random_seed(22);
    chain.count = COUNT;
    for (size_t k = 0; k < 20; k++) {
        bool odd = k % 2;
        am_balance *balance =
            open_balance(make_chain, &chain, 0.0, 0.3, DEGREE, odd ? AM_PARITY_ODD : AM_PARITY_ALL, true);
        size_t n = am_balance_size(balance), H = am_balance_degree(balance), width = 2 * H + 1;
        double *signals = calloc(COUNT * width, sizeof *signals), *later = calloc(COUNT * width, sizeof *later);
        double *x = calloc(3 * n, sizeof *x), *y = x + n, *aligned = y + n;
        double shift = random_between(&source, 0.3, 6.0);
        for (size_t i = 0; i < COUNT; i++) {
            later[i * width] = signals[i * width] = odd ? 0.0 : random_between(&source, -1, 1);
            for (size_t h = 1; h <= H; h += odd ? 2 : 1) {
                double *a = signals + i * width + 2 * h - 1, *b = later + i * width + 2 * h - 1;
                a[0] = random_between(&source, -1, 1) / (double)(h * h);
                a[1] = random_between(&source, -1, 1) / (double)(h * h);
                b[0] = a[0] * cos((double)h * shift) + a[1] * sin((double)h * shift);
                b[1] = a[1] * cos((double)h * shift) - a[0] * sin((double)h * shift);
            }
        }
        GOOD(am_balance_pack(balance, signals, 1.0, 0.12, x, err));
        GOOD(am_balance_pack(balance, later, 1.0, 0.12, y, err));
        am_continuation_problem problem = am_balance_problem(balance);
        problem.align(problem.context, x, y, aligned);
        for (size_t i = 0; i < n; i++)
            assert_near(aligned[i], x[i], 1e-9); /* the place of a maximum is a root of the derivative: rounding times
                                                  * the degree over the curvature */
        free(signals);
        free(later);
        free(x);
        close_balance(balance);
    }
}

/* ---- resonances without bound ---- */

/* A mass that nothing damps under a load, and beside it one of the same frequency, with a damper and stops, that has
 * nothing to do with it: a range that holds this frequency is refused, however many contacts the other has. */
static am_system *make_neighbours(void *context, double Omega, am_error *err) {
    enum { MOST = 6 };
    static const double mass[] = {1, 0, 0, 2}, damping[] = {0, 0, 0, 0.1}, stiffness[] = {4, 0, 0, 8};
    static const double first[] = {1, 0}, second[] = {0, 1};
    am_contact_def stops[MOST];
    const am_load_def load = {first, am_function_sine(1.0, Omega, 0.0)};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.contact_count = *(const size_t *)context;
    for (size_t c = 0; c < def.contact_count; c++) {
        stops[c] = am_contact_def_default();
        stops[c].normal = stops[c].tangent = second;
        stops[c].normal_law = AM_KELVIN_VOIGT;
        stops[c].contact_stiffness = 1.0 + (double)c;
        stops[c].gap = 0.1;
    }
    def.contacts = stops;
    def.load_count = 1;
    def.loads = &load;
    (void)err;
    return dense_system(def, mass, damping, stiffness);
}

static void resonances_that_nothing_limits_are_refused_beside_any_contacts(void **state) {
    (void)state;
    for (size_t contacts = 1; contacts <= 6; contacts++)
        for (int through = 0; through < 2; through++) {
            double to = through ? 2.5 : 1.9; /* the frequency is 2 */
            am_error err = {0};
            am_balance *balance = open_balance(make_neighbours, &contacts, 1.5, to, 3, AM_PARITY_ALL, false);
            am_status status = am_balance_check_bounded(balance, "Omega", &err);
            assert_int_equal(status != AM_OK, through);
            assert_true(!through || strstr(err.message, "Omega"));
            close_balance(balance);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_the_chain_are_exact),
        cmocka_unit_test(derivatives_with_jenkins_elements_are_exact),
        cmocka_unit_test(derivatives_along_the_normal_load_are_right),
        cmocka_unit_test(derivatives_with_rigid_friction_are_exact),
        cmocka_unit_test(derivatives_of_mixed_structures_are_exact),
        cmocka_unit_test(large_balances_are_solved_like_arrays),
        cmocka_unit_test(condensed_structures_multiply_motions_without_their_matrices),
        cmocka_unit_test(half_the_digits_are_not_seen_along_a_branch),
        cmocka_unit_test(blocks_of_large_balances_are_those_of_the_array),
        cmocka_unit_test(derivatives_of_spinning_modal_and_timed_structures_are_exact),
        cmocka_unit_test(condensed_structures_move_like_whole_ones),
        cmocka_unit_test(the_divergence_is_the_mean_trace_of_all_damping),
        cmocka_unit_test(resonances_that_nothing_limits_are_refused_beside_any_contacts),
        cmocka_unit_test(a_motion_that_starts_later_is_aligned_with_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
