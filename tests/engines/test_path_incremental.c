/* The incremental path against the exact one, against itself with the other method, and against the definitions. */
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
#include "amontons/path.h"
#include "base/random.h"
#include "engines/quasistatic/incremental.h"
#include "errors.h"
#include "pressed_row.h"
#include "results.h"

/* ---- structures ---- */

typedef struct source {
    uint64_t seed, index;
} source;

static double between(source *s, double low, double high) {
    return low + (high - low) * am_random_unit(s->seed, s->index++, 0);
}

enum { BREAKS = 5, LARGEST = 40 };
static const double break_times[BREAKS] = {0, 1, 2, 3, 4};

typedef struct options {
    size_t nodes, interior; /* interior: degrees of freedom that no contact sees */
    bool held;              /* every third contact is held */
    bool belt;              /* every fourth surface moves */
} options;

/* Nodes on an elastic support that satisfies Condition 3.1 by dominance: in every row the diagonal outweighs the rest
 * of A and mu B. Loads are tables that meet at break_times; normal ones make some contacts open. */
static am_system *random_nodes(source *s, const options *o) {
    size_t N = o->nodes, n = 2 * N + o->interior;
    double K[LARGEST * LARGEST] = {0}, rows[LARGEST * LARGEST] = {0}, values[LARGEST][BREAKS], gap = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            K[i * n + j] = K[j * n + i] = between(s, -0.5, 0.5);
    for (size_t i = 0; i < n; i++) {
        K[i * n + i] = 0.3;
        for (size_t j = 0; j < n; j++)
            K[i * n + i] += i == j ? 0 : fabs(K[i * n + j]);
    }
    am_contact_def contacts[LARGEST];
    for (size_t c = 0; c < N; c++) {
        contacts[c] = am_contact_def_default();
        rows[c * n + c] = rows[(N + c) * n + N + c] = 1;
        contacts[c].tangent = rows + c * n;
        contacts[c].normal = rows + (N + c) * n;
        contacts[c].friction = between(s, 0.1, 0.6);
        contacts[c].gap = gap;
        if (o->held && c % 3 == 0) {
            contacts[c].normal_law = AM_HELD;
            contacts[c].hold = am_function_constant(between(s, 0.5, 1.5));
            contacts[c].normal = NULL;
        }
        if (o->belt && c % 4 == 1)
            contacts[c].surface_velocity = between(s, -0.3, 0.3);
    }
    double directions[LARGEST * LARGEST] = {0};
    am_load_def loads[LARGEST];
    for (size_t i = 0; i < n; i++) {
        directions[i * n + i] = 1;
        for (size_t k = 0; k < BREAKS; k++)
            values[i][k] = i >= N && i < 2 * N ? -between(s, -0.4, 1.6) : between(s, -1.2, 1.2) * (k > 0);
        if (i >= N && i < 2 * N)
            values[i][0] = -1; /* pressed at first */
        loads[i] = (am_load_def){directions + i * n, am_function_table(BREAKS, break_times, values[i])};
    }
    am_matrix *stiffness = am_matrix_dense(n, n, K, NULL);
    am_system_def def = am_system_def_default();
    def.n = n;
    def.stiffness = stiffness;
    def.contact_count = N;
    def.contacts = contacts;
    def.load_count = n;
    def.loads = loads;
    am_error err = {0};
    am_system *system = am_system_create(&def, &err);
    if (!system)
        fail_msg("%s", err.message);
    am_matrix_free(stiffness);
    return system;
}

/* Places are compared at this many equidistant times. */
enum { TIMES = 8 };

/* The exact path: coordinates at all TIMES (TIMES x n), and what friction has dissipated. */
static void exact(const am_system *system, double until, const double *start, double *q, double *loss) {
    am_error err = {0};
    am_result *result = am_result_create(&err);
    am_path_options options = am_path_options_default();
    options.until = until;
    options.displacement = start;
    options.samples = TIMES + 1;
    if (am_path_run(system, &options, result, NULL, &err))
        fail_msg("%s", err.message);
    const am_table *samples = am_result_find_table(result, "samples");
    size_t n = am_system_size(system), found = 0;
    for (size_t row = 0; row < am_table_rows(samples); row++) /* corners are among the samples */
        for (size_t k = 1; k <= TIMES; k++)
            if (fabs(am_table_number(samples, row, 0) - until * (double)k / TIMES) <= 1e-12 * until) {
                found |= (size_t)1 << k;
                for (size_t i = 0; i < n; i++)
                    q[(k - 1) * n + i] = cell(samples, row, am_system_name(system, i));
            }
    assert_int_equal(found, ((size_t)1 << (TIMES + 1)) - 2);
    *loss = number(result, "loss_friction");
    am_result_free(result);
}

typedef struct summary {
    double q[TIMES * LARGEST];
    double loss, residual;
    size_t open, together; /* steps with an open contact, with two slipping ones */
    size_t pivots;
} summary;

static summary incremental(const am_system *system, double until, const double *start, size_t steps,
                           am_lcp_method method) {
    am_error err = {0};
    am_path_incremental path;
    summary sum = {0};
    double *work = calloc(2 * am_system_contacts(system) + 1, sizeof *work);
    if (am_path_incremental_init(&path, system, &err))
        fail_msg("%s", err.message);
    path.method = method;
    if (am_path_incremental_place(&path, 0, start, &err))
        fail_msg("%s", err.message);
    for (size_t i = 1; i <= steps; i++) {
        if (am_path_incremental_step(&path, until * (double)i / (double)steps, &err))
            fail_msg("%s", err.message);
        size_t open = 0, slipping = 0;
        for (size_t c = 0; c < path.m; c++) {
            open += path.state[c] == AM_OPEN;
            slipping += path.state[c] == AM_FORWARD || path.state[c] == AM_BACKWARD;
        }
        sum.open += open > 0;
        sum.together += slipping > 1;
        sum.loss += path.last.dissipation;
        sum.pivots += path.last.pivots;
        double residual = am_path_incremental_residual(&path, work);
        if (!(residual <= sum.residual))
            sum.residual = residual;
        size_t n = am_system_size(system);
        if (n <= LARGEST && i * TIMES % steps == 0 &&
            am_path_incremental_coordinates(&path, sum.q + (i * TIMES / steps - 1) * n, &err))
            fail_msg("%s", err.message);
    }
    am_path_incremental_clear(&path);
    free(work);
    return sum;
}

static double distance(const double *x, const double *y, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fabs(x[i] - y[i]) <= most ? most : fabs(x[i] - y[i]);
    return most;
}

/* ---- against the exact path ---- */

/* Backward Euler: an error of order one. Summed over many structures (single ones may be exact by luck), eight times
 * more steps leave an eighth of the error; a quarter is asked for. */
static void assert_converges(const options *o, uint64_t seed, size_t structures) {
    double coarse = 0, fine = 0, coarse_loss = 0, fine_loss = 0;
    size_t open = 0, together = 0;
    for (size_t k = 0; k < structures; k++) {
        source s = {.seed = seed, .index = k << 32};
        am_system *system = random_nodes(&s, o);
        double q[TIMES * LARGEST], loss;
        exact(system, 4, NULL, q, &loss);
        summary few = incremental(system, 4, NULL, 64, AM_LCP_AUTOMATIC);
        summary many = incremental(system, 4, NULL, 512, AM_LCP_AUTOMATIC);
        coarse += distance(few.q, q, TIMES * am_system_size(system));
        fine += distance(many.q, q, TIMES * am_system_size(system));
        coarse_loss += fabs(few.loss - loss);
        fine_loss += fabs(many.loss - loss);
        open += many.open, together += many.together;
        if (!(many.residual <= 1e-12) || !(few.residual <= 1e-12)) /* rounding of some dozen terms */
            fail_msg("structure %zu: residuals %g, %g", k, few.residual, many.residual);
        am_system_free(system);
    }
    if (!(fine <= 0.25 * coarse) || !(fine_loss <= 0.25 * coarse_loss) || !(fine <= 2e-3 * (double)structures))
        fail_msg("positions: %g with 64 steps, %g with 512; dissipation: %g, %g", coarse, fine, coarse_loss, fine_loss);
    assert_true(open > 0 && together > 0); /* the structures do what they are meant to */
}

static void random_structures_converge_to_the_exact_path(void **state) {
    (void)state;
    for (size_t N = 2; N <= 8; N++)
        assert_converges(&(options){.nodes = N}, N, 12);
}

static void structures_with_interior_coordinates_converge_too(void **state) {
    (void)state;
    assert_converges(&(options){.nodes = 4, .interior = 5}, 100, 12);
}

static void held_contacts_and_moving_surfaces_converge_too(void **state) {
    (void)state;
    assert_converges(&(options){.nodes = 6, .held = true, .belt = true}, 200, 12);
}

/* ---- the paper's two nodes ---- */

static const double A[4] = {1, 0.5, 0.5, 1}, B[4] = {0.5, 0.25, 0.95, 0.95}, C[4] = {4, 0, 0, 4};

static am_system *two_nodes(double mu, const double *rest_minus, const double *rest_plus, size_t count,
                            const am_nodes_advance *sequence) {
    am_nodes nodes = am_nodes_default();
    am_error err = {0};
    am_matrix *a = am_matrix_dense(2, 2, A, NULL), *b = am_matrix_dense(2, 2, B, NULL),
              *c = am_matrix_dense(2, 2, C, NULL);
    nodes.count = 2;
    nodes.A = a, nodes.B = b, nodes.C = c;
    nodes.mu = (double[]){mu, mu};
    nodes.rest_minus = rest_minus, nodes.rest_plus = rest_plus;
    nodes.advance_count = count, nodes.sequence = sequence;
    am_system *system = am_nodes_create(&nodes, &err);
    if (!system)
        fail_msg("%s", err.message);
    am_matrix_free(a), am_matrix_free(b), am_matrix_free(c);
    return system;
}

/* Example 2, right of the top left corner: node 2 separates and touches again (Fig. 9). */
static void separation_of_fig_9_is_followed(void **state) {
    (void)state;
    const am_nodes_advance sequence[6] = {{1, -1, 0.4655}, {0, 1, 1.1175}, {1, -1, -0.2845},
                                          {0, 1, 0.447},   {1, 1, 3.0758}, {0, -1, -0.255}};
    am_system *system = two_nodes(0.98, (double[]){1.6, 0.9}, (double[]){-1.25, -1.62}, 6, sequence);
    double start[4] = {-0.98, 1, 0, 0}, q[TIMES * 4], loss;
    exact(system, 48, start, q, &loss);
    summary few = incremental(system, 48, start, 960, AM_LCP_AUTOMATIC),
            many = incremental(system, 48, start, 7680, AM_LCP_AUTOMATIC);
    double coarse = distance(few.q, q, TIMES * 4), fine = distance(many.q, q, TIMES * 4);
    assert_true(many.open > 0 && many.residual <= 1e-12); /* a few roundings, and what drifts between refreshes */
    /* order one, as above; positions may be exact, because the steps meet all load corners */
    if (!(fine <= 0.25 * coarse + 1e-12) || !(fabs(many.loss - loss) <= 0.25 * fabs(few.loss - loss)) ||
        !(fabs(many.loss - loss) <= 0.05 * loss))
        fail_msg("distance %g with 960 steps, %g with 7680; dissipation %g, %g, exactly %g", coarse, fine, few.loss,
                 many.loss, loss);
    am_system_free(system);
}

/* Example 1: the limit cycle of period two has a phase of simultaneous slip (Fig. 7), where nodal Gauss-Seidel fails.
 */
static void simultaneous_slip_of_fig_7_is_followed(void **state) {
    (void)state;
    const am_nodes_advance sequence[4] = {{0, 1, 1.5}, {1, 1, 3.4}, {0, -1, -0.5}, {1, -1, 0.25}};
    am_system *system = two_nodes(1, (double[]){2.2, 1.2}, (double[]){-1.3, -3}, 4, sequence);
    double start[4] = {0.1, 0.2, 0, 0}, q[TIMES * 4], loss;
    exact(system, 64, start, q, &loss);
    summary few = incremental(system, 64, start, 1280, AM_LCP_AUTOMATIC),
            many = incremental(system, 64, start, 10240, AM_LCP_AUTOMATIC);
    double coarse = distance(few.q, q, TIMES * 4), fine = distance(many.q, q, TIMES * 4);
    assert_true(many.together > 0 && many.residual <= 1e-12);
    if (!(fine <= 0.25 * coarse + 1e-12) || !(fabs(many.loss - loss) <= 0.25 * fabs(few.loss - loss)) ||
        !(fabs(many.loss - loss) <= 0.05 * loss))
        fail_msg("distance %g with 1280 steps, %g with 10240; dissipation %g, %g, exactly %g", coarse, fine, few.loss,
                 many.loss, loss);
    am_system_free(system);
}

/* ---- the two methods ---- */

static void pivoting_alone_gives_the_same_path(void **state) {
    (void)state;
    for (size_t k = 0; k < 8; k++) {
        source s = {.seed = 300, .index = k << 32};
        am_system *system = random_nodes(&s, &(options){.nodes = 7, .interior = 2, .held = k % 2, .belt = k % 4 > 1});
        summary newton = incremental(system, 4, NULL, 64, AM_LCP_AUTOMATIC);
        summary lemke = incremental(system, 4, NULL, 64, AM_LCP_LEMKE);
        assert_true(lemke.pivots > 0);
        assert_true(newton.open > 0 || k > 0);
        /* rounding, 64 times over, with a condition number of ten or so */
        if (!(distance(newton.q, lemke.q, TIMES * am_system_size(system)) <= 1e-11) || !(lemke.residual <= 1e-12))
            fail_msg("structure %zu: the methods differ by %g, residual %g", k,
                     distance(newton.q, lemke.q, TIMES * am_system_size(system)), lemke.residual);
        am_system_free(system);
    }
}

/* ---- many nodes ---- */

static am_system *chain(size_t N) {
    size_t n = 2 * N;
    double *K = calloc(n * n, sizeof *K);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double d = (double)i - (double)j, near = i == j ? 0 : 1 / (d * d);
            K[i * n + j] = K[(N + i) * n + N + j] = i == j ? 3.6 : -0.5 * near;
            K[(N + i) * n + j] = K[j * n + N + i] = i == j ? 0 : 0.15 * near * (d > 0 ? 1 : -1);
        }
    am_system *system = pressed_row(N, K);
    free(K);
    return system;
}

/* The dissipation of a cycle converges with order one: halving the step halves the change. */
static void three_hundred_nodes_keep_all_laws_and_their_dissipation_converges(void **state) {
    (void)state;
    am_system *system = chain(300);
    summary few = incremental(system, 1, NULL, 40, AM_LCP_AUTOMATIC),
            more = incremental(system, 1, NULL, 80, AM_LCP_AUTOMATIC),
            many = incremental(system, 1, NULL, 160, AM_LCP_AUTOMATIC);
    assert_true(many.open > 0 && many.together > 0);
    assert_true(fmax(few.residual, fmax(more.residual, many.residual)) <= 1e-12); /* rounding of 600 terms */
    double first = fabs(more.loss - few.loss), second = fabs(many.loss - more.loss);
    if (!(second <= 0.7 * first) || !(second <= 0.02 * many.loss))
        fail_msg("dissipation %g, %g, %g with 40, 80, 160 steps", few.loss, more.loss, many.loss);
    am_system_free(system);
}

/* ---- several solutions, and refusals ---- */

/* One node, K = [[1, 1], [1, 2]], mu = 1.5: a - mu b < 0. Pushed so that it could stick, it could also slip backwards
 * or open; the backward one lies between the others. A path that stands there says so. */
static am_system *one_node(double mu, double push, double press, const double *K) {
    am_contact_def contact = am_contact_def_default();
    contact.tangent = (double[]){1, 0};
    contact.normal = (double[]){0, 1};
    contact.friction = mu;
    am_load_def loads[2] = {{(double[]){1, 0}, am_function_constant(push)},
                            {(double[]){0, 1}, am_function_constant(-press)}};
    am_system_def def = am_system_def_default();
    am_matrix *stiffness = am_matrix_dense(2, 2, K, NULL);
    def.n = 2;
    def.stiffness = stiffness;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 2;
    def.loads = loads;
    am_system *system = am_system_create(&def, NULL);
    am_matrix_free(stiffness);
    return system;
}

static void a_solution_between_two_others_is_reported(void **state) {
    (void)state;
    am_error err = {0};
    am_path_incremental path;
    am_system *system = one_node(1.5, -1, 0.8, (double[]){1, 1, 1, 2}); /* weld forces T = 1, N = 0.8: may stick */
    assert_int_equal(am_path_incremental_init(&path, system, &err), AM_OK);
    assert_int_equal(am_path_incremental_place(&path, 0, NULL, &err), AM_OK);
    assert_int_equal(path.state[0], AM_STICK);
    assert_int_equal(am_path_incremental_step(&path, 1, &err), AM_OK);
    path.state[0] = AM_BACKWARD; /* as if it had come from there */
    assert_int_equal(am_path_incremental_step(&path, 2, &err), AM_ERR_SEVERAL_STATES);
    assert_says(&err, "three solutions");
    assert_true(path.t == 1); /* unchanged */
    am_path_incremental_clear(&path);
    am_system_free(system);
}

/* Klarbring's mass above f*, as in test_path.c (Cho and Barber, Fig. 8): stuck until T = f N at t = 2.25, then there is
 * no way on but a jump to separation, u = K^-1 F. */
static void a_jump_is_found_reported_and_followed_when_allowed(void **state) {
    (void)state;
    const double times[] = {0, 1, 3}, push[] = {0, 0, -2}, press[] = {0, -1, -1};
    am_klarbring def = am_klarbring_default();
    am_load_def loads[2] = {{(double[]){1, 0}, am_function_table(3, times, push)},
                            {(double[]){0, 1}, am_function_table(3, times, press)}};
    memcpy(def.stiffness, (double[2][2]){{1, 1}, {1, 2}}, sizeof def.stiffness);
    def.friction = 1.25;
    def.extra = loads;
    def.extra_count = 2;
    am_error err = {0};
    am_path_incremental path;
    am_system *system = am_klarbring_create(&def, &err);
    assert_int_equal(am_path_incremental_init(&path, system, &err), AM_OK);
    assert_int_equal(am_path_incremental_place(&path, 0, NULL, &err), AM_OK);
    for (int i = 1; i <= 449; i++) /* small steps notice by themselves */
        assert_int_equal(am_path_incremental_step(&path, 0.005 * i, &err), AM_OK);
    assert_int_equal(am_path_incremental_step(&path, 2.255, &err), AM_ERR_NO_STATE);
    assert_true(path.t <= 2.25 && path.t > 2.25 - 1e-7);
    path.proportionate = 0; /* large ones when they are told to look closely */
    assert_int_equal(am_path_incremental_place(&path, 0, NULL, &err), AM_OK);
    assert_int_equal(am_path_incremental_step(&path, 2, &err), AM_OK);
    assert_int_equal(am_path_incremental_step(&path, 2.6, &err), AM_ERR_NO_STATE);
    assert_says(&err, "no continuous way on");
    assert_true(path.t <= 2.25 && path.t > 2.25 - 1e-7); /* just before it: the load changes by 1e-9 of the forces */
    assert_int_equal(path.state[0], AM_STICK);
    path.let_jump = true;
    assert_int_equal(am_path_incremental_step(&path, 2.6, &err), AM_OK);
    assert_int_equal(path.last.jumps, 1);
    assert_true(fabs(path.last.jump_time - 2.25) <= 1e-7);
    assert_int_equal(path.state[0], AM_OPEN);
    double q[2], F[2] = {-1.6, -1}; /* K^-1 = [[2, -1], [-1, 1]] */
    assert_int_equal(am_path_incremental_coordinates(&path, q, &err), AM_OK);
    assert_true(fabs(q[0] - (2 * F[0] - F[1])) <= 1e-14 && fabs(q[1] - (F[1] - F[0])) <= 1e-14);
    assert_true(path.last.dissipation == 0); /* nothing slid */
    am_path_incremental_clear(&path);
    am_system_free(system);
}

static void what_cannot_be_followed_is_refused(void **state) {
    (void)state;
    am_error err = {0};
    am_path_incremental path;
    am_contact_def contacts[2] = {am_contact_def_default(), am_contact_def_default()};
    contacts[0].tangent = contacts[1].tangent = (double[]){1, 0};
    contacts[0].normal = contacts[1].normal = (double[]){0, 1};
    contacts[1].gap = 1; /* one above the other: four directions of two coordinates */
    am_matrix *stiffness = am_matrix_dense(2, 2, (double[]){1, 0, 0, 1}, NULL);
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.stiffness = stiffness;
    def.contact_count = 2;
    def.contacts = contacts;
    am_system *system = am_system_create(&def, &err);
    assert_int_equal(am_path_incremental_init(&path, system, &err), AM_ERR_UNSUPPORTED);
    assert_says(&err, "depend on each other");
    am_system_free(system);
    am_matrix_free(stiffness);
    system = one_node(0.3, 0, 1, (double[]){1, 0, 0, 1});
    assert_int_equal(am_path_incremental_init(&path, system, &err), AM_OK);
    assert_int_equal(am_path_incremental_place(&path, 0, (double[]){0, -0.5}, &err), AM_ERR_INPUT);
    assert_says(&err, "inside its obstacle");
    assert_int_equal(am_path_incremental_place(&path, 1, NULL, &err), AM_OK);
    assert_int_equal(am_path_incremental_step(&path, 1, &err), AM_ERR_INPUT);
    assert_says(&err, "later");
    am_path_incremental_clear(&path);
    am_system_free(system);
}

/* A start that is an equilibrium stays; an open contact comes down where it stands. */
static void placing_keeps_equilibria_and_tells_how_far_others_go(void **state) {
    (void)state;
    am_error err = {0};
    am_path_incremental path;
    am_system *system = one_node(0.5, 0.25, 1, (double[]){1, 0, 0, 1});
    assert_int_equal(am_path_incremental_init(&path, system, &err), AM_OK);
    assert_int_equal(am_path_incremental_place(&path, 0, (double[]){0.1, 0}, &err), AM_OK);
    assert_true(path.last.moved == 0 && path.state[0] == AM_STICK);
    assert_true(fabs(path.tangential[0] + 0.15) <= 1e-15); /* K v - F */
    assert_int_equal(am_path_incremental_stand(&path, 0, (double[]){0.1}, &err), AM_OK);
    assert_true(path.last.moved == 0 && path.position[0] == 0.1);
    assert_int_equal(am_path_incremental_place(&path, 0, (double[]){2, 0.3}, &err), AM_OK);
    assert_int_equal(path.state[0], AM_BACKWARD); /* 2 - 0.25 > 0.5: back to v = 0.75 */
    assert_true(fabs(path.position[0] - 0.75) <= 1e-15 && path.gap[0] == 0);
    assert_true(fabs(path.last.moved - 1.25) <= 1e-15);
    am_path_incremental_clear(&path);
    am_system_free(system);
}

static bool count_questions(void *context, double fraction) {
    (void)fraction;
    ++*(size_t *)context;
    return true;
}

/* Steps end at breaks of the loads, of which a long time has billions: the pace shows it, and on the way somebody is
 * asked about every thousand steps, which take a millisecond or two. */
static void a_path_with_too_many_breaks_of_the_loads_says_so(void **state) {
    (void)state;
    const am_nodes_advance sequence[4] = {{0, 1, 0.75}, {1, 1, 0.4}, {0, -1, -0.25}, {1, -1, 0.4}};
    am_system *system = two_nodes(0.5, (double[]){2, 2}, (double[]){-2, -2}, 4, sequence);
    am_result *result = am_result_create(NULL);
    am_path_options options = am_path_options_default();
    am_error err = {0};
    size_t questions = 0;
    am_progress progress = {.report = count_questions, .context = &questions, .threads = 1};
    options.until = 1e9;
    options.method = AM_PATH_INCREMENTAL;
    assert_int_equal(am_path_run(system, &options, result, &progress, &err), AM_ERR_LIMIT);
    assert_says(&err, "stretches of the path are left");
    assert_in_range(questions, 32, 1 << 16); /* 65536 steps were measured */
    am_result_free(result);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_structures_converge_to_the_exact_path),
        cmocka_unit_test(structures_with_interior_coordinates_converge_too),
        cmocka_unit_test(held_contacts_and_moving_surfaces_converge_too),
        cmocka_unit_test(separation_of_fig_9_is_followed),
        cmocka_unit_test(simultaneous_slip_of_fig_7_is_followed),
        cmocka_unit_test(pivoting_alone_gives_the_same_path),
        cmocka_unit_test(three_hundred_nodes_keep_all_laws_and_their_dissipation_converges),
        cmocka_unit_test(a_solution_between_two_others_is_reported),
        cmocka_unit_test(a_jump_is_found_reported_and_followed_when_allowed),
        cmocka_unit_test(what_cannot_be_followed_is_refused),
        cmocka_unit_test(a_path_with_too_many_breaks_of_the_loads_says_so),
        cmocka_unit_test(placing_keeps_equilibria_and_tells_how_far_others_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
