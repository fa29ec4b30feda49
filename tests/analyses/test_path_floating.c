/* Structures that float: their contacts alone hold them, and their stiffness is singular. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/path.h"
#include "base/random.h"
#include "engines/quasistatic/incremental.h"
#include "errors.h"
#include "math/dense.h"
#include "near.h"

enum { M = 3, N = 2 * M, STATES = 4 };

/* A body in the plane on three contacts at x = -1, 0.2, 1: coordinates t1..t3, n1..n3. It may shift along, lift, turn
 * about a point on the line of contacts; everything else is resisted. */
typedef struct body {
    double K[N * N], F[N]; /* stiffness; load at full strength */
    double gap[M], mu[M];
} body;

static const double place[M] = {-1.0, 0.2, 1.0};

typedef struct dice {
    uint64_t seed, index;
} dice;

static double between(dice *random, double low, double high) {
    return low + (high - low) * am_random_unit(random->seed, random->index++, 0);
}

/* Rows that rigid motions do not stretch, squared. */
static void make_stiffness(dice *random, double *K) {
    memset(K, 0, N * N * sizeof *K);
    for (size_t r = 0; r < 6; r++) {
        double row[N], mean = 0.0, first = 0.0, size = 0.0, centre = 0.0;
        for (size_t i = 0; i < N; i++)
            row[i] = between(random, -1.0, 1.0) * (i < M || r % 2 ? 1.0 : 0.3);
        for (size_t i = 0; i < M; i++)
            mean += row[i] / M;
        for (size_t i = 0; i < M; i++)
            row[i] -= mean; /* no stretch by shifting along */
        mean = 0.0;
        for (size_t i = 0; i < M; i++) {
            mean += row[M + i] / M;
            centre += place[i] / M;
        }
        for (size_t i = 0; i < M; i++) {
            row[M + i] -= mean;
            first += row[M + i] * (place[i] - centre);
            size += (place[i] - centre) * (place[i] - centre);
        }
        for (size_t i = 0; i < M; i++)
            row[M + i] -= first / size * (place[i] - centre); /* nor by lifting and turning */
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++)
                K[i * N + j] += row[i] * row[j];
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < i; j++)
            K[i * N + j] = K[j * N + i];
}

static body make_body(dice *random, bool gaps) {
    body b;
    make_stiffness(random, b.K);
    for (size_t i = 0; i < M; i++) {
        b.gap[i] = gaps ? between(random, 0.1, 1.0) : 0.0;
        b.mu[i] = between(random, 0.1, 0.4);
        b.F[i] = between(random, -0.3, 0.3);
        b.F[M + i] = -between(random, gaps ? 0.3 : -0.3, 1.0);
    }
    return b;
}

static am_system *make_system(const body *b, const am_function *load, am_error *err) {
    am_contact_def contacts[M];
    double rows[N][N] = {{0}};
    for (size_t i = 0; i < M; i++) {
        rows[i][i] = rows[M + i][M + i] = 1.0;
        contacts[i] = am_contact_def_default();
        contacts[i].tangent = rows[i];
        contacts[i].normal = rows[M + i];
        contacts[i].gap = b->gap[i];
        contacts[i].friction = b->mu[i];
    }
    am_matrix *K = am_matrix_dense(N, N, b->K, err);
    am_load_def loads = {b->F, *load};
    am_system_def def = am_system_def_default();
    def.n = N;
    def.stiffness = K;
    def.contact_count = M;
    def.contacts = contacts;
    def.load_count = 1;
    def.loads = &loads;
    am_system *system = am_system_create(&def, err);
    am_matrix_free(K);
    return system;
}

/* ---- all states tried ---- */

/* Solve K q = F + forces for one combination: unknowns q (N) and forces (N), from the definitions alone. `from`: where
 * contacts stand. False: singular, or a law is violated. */
static bool solve_states(const body *b, double load, const int *state, const double *from, double *q, double *force) {
    enum { SIZE = 2 * N };
    double a[SIZE * SIZE] = {0}, x[SIZE] = {0}, rcond = 0.0, inverse[SIZE * SIZE];
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++)
            a[i * SIZE + j] = b->K[i * N + j];
        a[i * SIZE + N + i] = -1.0;
        x[i] = load * b->F[i];
    }
    for (size_t c = 0; c < M; c++) {
        double *tangential = a + (N + c) * SIZE, *normal = a + (N + M + c) * SIZE;
        if (state[c] == AM_OPEN) {
            tangential[N + c] = normal[N + M + c] = 1.0;
            continue;
        }
        normal[M + c] = 1.0;
        x[N + M + c] = -b->gap[c];
        if (state[c] == AM_STICK) {
            tangential[c] = 1.0;
            x[N + c] = from[c];
        } else {
            tangential[N + c] = 1.0;
            tangential[N + M + c] = state[c] == AM_FORWARD ? b->mu[c] : -b->mu[c];
        }
    }
    memcpy(inverse, a, sizeof a);
    if (am_dense_invert(inverse, SIZE, &rcond, NULL) || rcond < 1e-11)
        return false;
    double y[SIZE];
    am_dense_apply(inverse, SIZE, SIZE, x, y);
    memcpy(q, y, N * sizeof *q);
    memcpy(force, y + N, N * sizeof *force);
    const double slack = 1e-9;
    for (size_t c = 0; c < M; c++) {
        double slid = q[c] - from[c], T = force[c], P = force[M + c];
        if (state[c] == AM_OPEN ? q[M + c] + b->gap[c] < -slack : P < -slack)
            return false;
        if (state[c] == AM_STICK && fabs(T) > b->mu[c] * P + slack)
            return false;
        if ((state[c] == AM_FORWARD && slid < -slack) || (state[c] == AM_BACKWARD && slid > slack))
            return false;
    }
    return true;
}

/* How many combinations are an equilibrium with different forces; the last of them in q, force. */
static size_t try_all(const body *b, double load, const double *from, double *q, double *force) {
    size_t found = 0;
    for (int code = 0; code < STATES * STATES * STATES; code++) {
        int state[M] = {code % STATES, code / STATES % STATES, code / STATES / STATES};
        double here[N], forces[N], off = 1.0;
        if (!solve_states(b, load, state, from, here, forces))
            continue;
        for (size_t i = 0; i < N && found > 0; i++)
            off = i == 0 ? fabs(forces[0] - force[0]) : fmax(off, fabs(forces[i] - force[i]));
        if (found == 0 || off > 1e-7) {
            found++;
            memcpy(q, here, sizeof here);
            memcpy(force, forces, sizeof forces);
        }
    }
    return found;
}

static void compare(const am_path_incremental *path, const double *q, const double *force) {
    /* Both solve small systems; conditions up to 1e5 leave 1e-10. */
    for (size_t c = 0; c < M; c++) {
        assert_near(path->tangential[c], force[c], 1e-8);
        assert_near(path->normal[c], force[M + c], 1e-8);
        if (path->state[c] != AM_OPEN)
            assert_near(path->position[c], q[c], 1e-8);
    }
}

/* Load that grows from zero, or is there from the start; every step against all combinations. */
static void follow(bool gaps, bool from_nothing, size_t *stands, size_t *slides, size_t *opens) {
    dice random = {.seed = gaps ? 11 : 12};
    *stands = *slides = *opens = 0;
    for (int trial = 0; trial < 150; trial++) {
        body b = make_body(&random, gaps);
        am_error err = {0};
        am_function load = from_nothing ? am_function_ramp(0.0, 1.0) : am_function_ramp(1.0, 0.3);
        am_system *system = make_system(&b, &load, &err);
        if (!system)
            fail_msg("%s", err.message);
        am_path_incremental path;
        double from[M] = {0}, q[N], force[N];
        GOOD(am_path_incremental_init(&path, system, err));
        path.let_jump = true;
        assert_true(path.reduced.floating);
        for (int step = 0; step <= 4; step++) {
            double t = 0.25 * step, strength = am_function_at(&load, t);
            am_status status = step == 0 ? am_path_incremental_place(&path, 0.0, NULL, &err)
                                         : am_path_incremental_step(&path, t, &err);
            if (strength == 0.0) {
                assert_int_equal(status, AM_OK);
                continue; /* nothing pushes: it stays where it is */
            }
            size_t found = try_all(&b, strength, from, q, force);
            if (found == 0) {
                assert_int_equal(status, AM_ERR_NO_STATE);
                (*slides)++;
                break;
            }
            if (found > 1)
                break; /* several: not for this test */
            if (status)
                fail_msg("trial %d step %d: %s", trial, step, err.message);
            compare(&path, q, force);
            (*stands)++;
            for (size_t c = 0; c < M; c++) {
                *opens += path.state[c] == AM_OPEN;
                from[c] = path.position[c];
            }
        }
        am_path_incremental_clear(&path);
        am_system_free(system);
    }
}

static void bodies_pressed_on_from_the_start_agree_with_all_combinations(void **state) {
    (void)state;
    size_t stands, slides, opens;
    follow(false, false, &stands, &slides, &opens);
    assert_true(stands > 100 && slides > 10 && opens > 10);
}

static void bodies_with_gaps_settle_as_the_load_grows_from_nothing(void **state) {
    (void)state;
    size_t stands, slides, opens;
    follow(true, true, &stands, &slides, &opens);
    assert_true(stands > 100 && slides > 10 && opens > 10);
}

/* Three contacts pressed on alike and dragged alike: the load mu P is the largest it bears. */
static body dragged_body(void) {
    dice random = {.seed = 5};
    body b = make_body(&random, false);
    memset(b.K, 0, sizeof b.K);
    for (size_t i = 0; i < M; i++) {
        for (size_t j = 0; j < M; j++) /* along: springs between all; across: nothing couples */
            b.K[i * N + j] = i == j ? 2.0 : -1.0;
        b.mu[i] = 0.3;
        b.F[i] = 1.0;
        b.F[M + i] = 0.0;
    }
    return b;
}

static void a_body_that_slides_as_a_whole_is_told_so(void **state) {
    (void)state;
    body b = dragged_body();
    double rows[2][N] = {{1, 1, 1, 0, 0, 0}, {0, 0, 0, -1, -1, -1}};
    am_error err = {0};
    am_function zero = am_function_ramp(0.0, 1.0);
    am_system *plain = make_system(&b, &zero, &err);
    assert_non_null(plain);
    am_contact_def contacts[M];
    for (size_t c = 0; c < M; c++)
        contacts[c] = *am_system_contact(plain, c);
    for (int drops = 0; drops < 3; drops++) { /* constant coefficients, friction that drops, friction that weakens */
        for (size_t c = 0; c < M; c++) {
            contacts[c].static_friction = drops ? 0.4 : 0.3;
            contacts[c].weakening =
                (am_friction){.law = drops == 2 ? AM_FRICTION_RAMP : AM_FRICTION_COULOMB, .distance = 0.1};
        }
        am_load_def loads[] = {{rows[0], zero}, {rows[1], am_function_constant(1.0)}};
        am_system_def def = am_system_def_default();
        def.n = N;
        def.stiffness = am_system_stiffness(plain);
        def.contact_count = M;
        def.contacts = contacts;
        def.load_count = 2;
        def.loads = loads;
        am_system *system = am_system_create(&def, &err);
        am_result *result = am_result_create(&err);
        am_path_options options = am_path_options_default();
        options.until = 1.0;
        options.method = AM_PATH_INCREMENTAL;
        options.on_jump = AM_JUMP_RELEASE;
        assert_int_equal(am_path_run(system, &options, result, NULL, &err), AM_ERR_NO_STATE);
        assert_says(&err, "slides as a whole");
        double t = 0.0;
        assert_non_null(strstr(err.message, "t = "));
        t = strtod(strstr(err.message, "t = ") + 4, NULL);
        /* Within a step of 1/200 beyond the load it bears. */
        assert_true(t >= (drops ? 0.4 : 0.3) - 1e-9 && t <= (drops ? 0.4 : 0.3) + 0.0051);
        am_result_free(result);
        am_system_free(system);
    }
    am_system_free(plain);
}

static void only_load_steps_know_bodies_that_float(void **state) {
    (void)state;
    body b = dragged_body();
    am_error err = {0};
    am_function load = am_function_ramp(0.0, 1.0);
    am_system *system = make_system(&b, &load, &err);
    am_path_incremental path;
    am_reduced reduced;
    assert_int_equal(am_reduced_init(&reduced, system, &err), AM_ERR_UNSUPPORTED);
    assert_says(&err, "moves freely");
    GOOD(am_path_incremental_init(&path, system, err));
    am_path_incremental_clear(&path);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_pressed_on_from_the_start_agree_with_all_combinations),
        cmocka_unit_test(bodies_with_gaps_settle_as_the_load_grows_from_nothing),
        cmocka_unit_test(a_body_that_slides_as_a_whole_is_told_so),
        cmocka_unit_test(only_load_steps_know_bodies_that_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
