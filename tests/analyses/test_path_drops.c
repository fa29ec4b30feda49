/* Friction that drops when slip begins, and cycles of friction that weakens, by load steps. */
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
#include "engines/quasistatic/incremental.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "uniform.h"

enum { MOST = 6 };

typedef struct blocks {
    size_t n;
    double K[MOST * MOST], N[MOST], direction[MOST];
    double fixed, kinetic;
} blocks;

/* Blocks on a plane with given normal forces, coupled by springs: K v = F + T. */
static am_system *make(const blocks *b, const am_function *load, am_friction law) {
    am_contact_def contacts[MOST];
    double rows[MOST][MOST] = {{0}};
    am_error err = {0};
    for (size_t i = 0; i < b->n; i++) {
        rows[i][i] = 1.0;
        contacts[i] = am_contact_def_default();
        contacts[i].tangent = rows[i];
        contacts[i].normal_law = AM_HELD;
        contacts[i].hold = am_function_constant(b->N[i]);
        contacts[i].friction = b->kinetic;
        contacts[i].static_friction = b->fixed;
        contacts[i].weakening = law;
    }
    am_matrix *K = am_matrix_dense(b->n, b->n, b->K, &err);
    am_load_def loads = {b->direction, *load};
    am_system_def def = am_system_def_default();
    def.n = b->n;
    def.stiffness = K;
    def.contact_count = b->n;
    def.contacts = contacts;
    def.load_count = 1;
    def.loads = &loads;
    am_system *system = am_system_create(&def, &err);
    if (!system)
        fail_msg("%s", err.message);
    am_matrix_free(K);
    return system;
}

static blocks one_block(void) {
    return (blocks){.n = 1, .K = {2.0}, .N = {1.5}, .direction = {2.0}, .fixed = 0.6, .kinetic = 0.4};
}

/* Pulled through a spring of 2 whose end moves: it lets go at 0.6 N, slides on at 0.4 N, rests when the pull turns. */
static void one_block_drops_slides_on_and_holds_again(void **state) {
    (void)state;
    blocks b = one_block();
    const double times[] = {0, 1, 3}, pull[] = {0, 1, -1};
    am_function load = am_function_table(3, times, pull);
    am_system *system = make(&b, &load, (am_friction){0});
    am_path_incremental path;
    am_error err = {0};
    GOOD(am_path_incremental_init(&path, system, err));
    GOOD(am_path_incremental_place(&path, 0.0, NULL, err));
    GOOD(am_path_incremental_step(&path, 0.44, err));
    assert_near(path.position[0], 0.0, 0.0);
    assert_int_equal(am_path_incremental_step(&path, 0.46, &err), AM_ERR_NO_STATE);
    assert_says(&err, "contact 1 begins to slip and its friction drops from 0.6 to 0.4");
    path.let_jump = true;
    GOOD(am_path_incremental_step(&path, 0.46, err));
    assert_int_equal(path.last.jumps, 1);
    assert_near(path.position[0], 0.46 - 0.4 * 1.5 / 2.0, 1e-14);
    GOOD(am_path_incremental_step(&path, 1.0, err));
    assert_int_equal(path.last.jumps, 0); /* slides on */
    assert_near(path.position[0], 1.0 - 0.3, 1e-14);
    GOOD(am_path_incremental_step(&path, 1.2, err));
    assert_int_equal(path.state[0], AM_STICK);
    /* Held by 0.6 again: from x = 0.7 it goes back when the pull is at 0.7 - 0.45, at t = 1.75. */
    GOOD(am_path_incremental_step(&path, 1.74, err));
    assert_near(path.position[0], 0.7, 1e-14);
    GOOD(am_path_incremental_step(&path, 1.76, err));
    assert_int_equal(path.last.jumps, 1);
    assert_near(path.position[0], 0.24 + 0.3, 1e-14);
    am_path_incremental_clear(&path);
    am_system_free(system);
}

/* The same cascade by a plain iteration: slip one block after the other until nothing moves, release those that slid,
 * and again. */
static void crawl(const blocks *b, double load, double *v, bool *slides) {
    double start[MOST];
    bool released[MOST], again = true;
    memcpy(start, v, sizeof start);
    memcpy(released, slides, sizeof released);
    while (again) {
        again = false;
        for (int sweep = 0; sweep < 2000; sweep++)
            for (size_t i = 0; i < b->n; i++) {
                double limit = (released[i] ? b->kinetic : b->fixed) * b->N[i], T = -load * b->direction[i];
                for (size_t j = 0; j < b->n; j++)
                    T += b->K[i * b->n + j] * (j == i ? start[i] : v[j]);
                v[i] = start[i] + (T < -limit ? -limit - T : T > limit ? limit - T : 0.0) / b->K[i * b->n + i];
            }
        for (size_t i = 0; i < b->n; i++) {
            slides[i] = v[i] != start[i];
            again = again || (slides[i] && !released[i]);
            released[i] = released[i] || slides[i];
        }
    }
}

static void cascades_of_many_blocks_agree_with_a_plain_iteration(void **state) {
    (void)state;
    uint64_t seed = 3;
    size_t drops = 0, together = 0;
    for (int trial = 0; trial < 20; trial++) {
        blocks b = {.n = MOST, .fixed = 0.5, .kinetic = 0.3};
        for (size_t i = 0; i < MOST; i++) {
            b.N[i] = uniform(&seed, 0.5, 1.5);
            b.direction[i] = uniform(&seed, -0.3, 1.0);
            for (size_t j = 0; j < i; j++) /* springs between neighbours */
                b.K[i * MOST + j] = b.K[j * MOST + i] = j + 1 == i ? -uniform(&seed, 0.3, 1.5) : 0.0;
        }
        for (size_t i = 0; i < MOST; i++)
            for (size_t j = 0; j < MOST; j++)
                b.K[i * MOST + i] -= i == j ? -uniform(&seed, 0.2, 0.6) : b.K[i * MOST + j];
        const double times[] = {0, 1, 2}, pull[] = {0, 2, -1};
        am_function load = am_function_table(3, times, pull);
        am_system *system = make(&b, &load, (am_friction){0});
        am_path_incremental path;
        double v[MOST] = {0};
        bool slides[MOST] = {false};
        GOOD(am_path_incremental_init(&path, system, err));
        GOOD(am_path_incremental_place(&path, 0.0, NULL, err));
        path.let_jump = true;
        for (int step = 1; step <= 40; step++) {
            double t = 0.05 * step;
            crawl(&b, am_function_at(&load, t), v, slides);
            GOOD(am_path_incremental_step(&path, t, err));
            for (size_t i = 0; i < MOST; i++)
                assert_near(path.position[i], v[i], 1e-10); /* what the plain iteration leaves */
            drops += path.last.jumps;
            together += path.last.jumps > 1;
        }
        am_path_incremental_clear(&path);
        am_system_free(system);
    }
    assert_true(drops > 100 && together > 10); /* drops that pull others along */
}

/* ---- cycles ---- */

static am_result *run_cycles(const am_system *system, size_t most) {
    am_error err = {0};
    am_result *result = am_result_create(&err);
    am_path_options options = am_path_options_default();
    options.method = AM_PATH_INCREMENTAL;
    options.steps = 40;
    options.until_repeat = true;
    options.most_cycles = most;
    options.on_jump = AM_JUMP_RELEASE;
    GOOD(am_path_run(system, &options, result, NULL, err));
    return result;
}

/* A block that slides to and fro wears its friction down; the cycles repeat once the law has nothing left to lose. */
static void cycles_repeat_when_the_law_is_at_its_end(void **state) {
    (void)state;
    blocks b = one_block();
    const double times[] = {0, 1, 3, 4}, pull[] = {0, 0.6, -0.6, 0};
    am_function load = am_function_table(4, times, pull);
    load.period = 4.0;
    am_system *system = make(&b, &load, (am_friction){.law = AM_FRICTION_RAMP, .distance = 1.0});
    am_result *few = run_cycles(system, 2), *many = run_cycles(system, 100);
    assert_false(flag(few, "repeats")); /* places repeat, coefficients do not */
    assert_true(flag(many, "repeats"));
    /* The slip of a cycle at the end: amplitude 0.6 less 0.4 N/k, four times. Its heat: 0.4 N times that. */
    double slip = 4.0 * (0.6 - 0.4 * 1.5 / 2.0);
    assert_near(number(many, "dissipation"), 0.4 * 1.5 * slip, 1e-12);
    assert_true(number(many, "cycles_to_repeat") > 2.0 * 1.0 / slip); /* 2 distance at most a slip a cycle */
    am_result_free(few);
    am_result_free(many);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_block_drops_slides_on_and_holds_again),
        cmocka_unit_test(cascades_of_many_blocks_agree_with_a_plain_iteration),
        cmocka_unit_test(cycles_repeat_when_the_law_is_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
