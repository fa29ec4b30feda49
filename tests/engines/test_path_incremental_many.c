/* The incremental path with hundreds of contacts that slip together, turn round and open: a half-plane. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lapacke.h>

#include "engines/quasistatic/incremental.h"
#include "pressed_row.h"

enum { N = 400 };

/* N elements of uniform traction on an elastic half-plane: the compliance (logarithms; signs couple normal and
 * tangential motion), inverted. */
static double *half_plane(void) {
    size_t n = 2 * N;
    double *K = calloc(n * n, sizeof *K);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double d = (double)i - (double)j, right = d + 0.5, left = d - 0.5;
            double over = right * (log(fabs(right)) - 1) - left * (log(fabs(left)) - 1);
            K[i * n + j] = K[(N + i) * n + N + j] = log(4.0 * N) - over;
            K[(N + i) * n + j] = 0.45 * (double)((d > 0) - (d < 0));
            K[j * n + N + i] = K[(N + i) * n + j];
        }
    assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (int)n, K, (int)n), 0);
    assert_int_equal(LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', (int)n, K, (int)n), 0);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            K[j * n + i] = K[i * n + j];
    return K;
}

static am_system *contact(void) {
    double *K = half_plane();
    am_system *system = pressed_row(N, K);
    free(K);
    return system;
}

typedef struct cycle {
    size_t iterations, pivots, moving, open; /* the most in a step; sum; the most; sum over steps */
    double residual, dissipation;
} cycle;

static cycle walk(am_path_incremental *path, int first, int steps) {
    am_error err = {0};
    double work[2 * N];
    cycle sum = {0};
    for (int i = 1; i <= steps; i++) {
        if (am_path_incremental_step(path, first + (double)i / steps, &err))
            fail_msg("%s", err.message);
        sum.iterations = path->last.iterations > sum.iterations ? path->last.iterations : sum.iterations;
        sum.moving = path->last.moving > sum.moving ? path->last.moving : sum.moving;
        sum.pivots += path->last.pivots;
        sum.dissipation += path->last.dissipation;
        for (size_t c = 0; c < N; c++)
            sum.open += path->state[c] == AM_OPEN;
        double residual = am_path_incremental_residual(path, work);
        sum.residual = residual <= sum.residual ? sum.residual : residual; /* NaN stays */
    }
    return sum;
}

/* Steps so coarse that hundreds of contacts change at once. Each settles from the states before it: a start from
 * sticking would need more than 30 iterations. Contact laws and equilibrium hold to rounding (800 terms, condition
 * number some hundreds); the second cycle works in the memory of the first. */
static void coarse_steps_settle_from_the_last_states(void **state) {
    (void)state;
    const int steps[2] = {20, 60};
    am_system *system = contact();
    double dissipation[2];
    for (int k = 0; k < 2; k++) {
        am_error err = {0};
        am_path_incremental path;
        assert_int_equal(am_path_incremental_init(&path, system, &err), AM_OK);
        assert_int_equal(am_path_incremental_place(&path, 0, NULL, &err), AM_OK);
        cycle first = walk(&path, 0, steps[k]);
        const double *inverse = path.block.large.inverse;
        cycle second = walk(&path, 1, steps[k]);
        assert_true(first.moving >= 256 && first.open > 0); /* enough for factors that follow the set */
        assert_true(path.block.large.folded > 0);
        assert_true(inverse != NULL && inverse == path.block.large.inverse);
        assert_true(first.iterations <= 30 && second.iterations <= 30);
        assert_int_equal(first.pivots + second.pivots, 0);
        if (!(fmax(first.residual, second.residual) <= 1e-12))
            fail_msg("residuals %g, %g", first.residual, second.residual);
        dissipation[k] = second.dissipation;
        am_path_incremental_clear(&path);
    }
    /* order one: 60 steps are within a third of what 20 differ by; both are near the same cycle */
    assert_true(fabs(dissipation[0] - dissipation[1]) <= 0.2 * dissipation[1]);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(coarse_steps_settle_from_the_last_states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
