/* Friction that weakens with the distance slid, by load steps. */
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
#include "engines/boundary/bem.h"
#include "engines/quasistatic/incremental.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "uniform.h"

/* ---- one block, pulled through a spring ---- */

static const double normal_force = 2.0, fixed = 0.6, kinetic = 0.2;

/* A block on a plane, pressed by P, pulled through a spring k whose end moves by t: K x = k t + T. */
static am_system *block(am_friction law, double k, am_error *err) {
    const double stiffness[4] = {k, 0, 0, 1}, tangent[2] = {1, 0}, normal[2] = {0, 1};
    const double pull[2] = {k, 0}, press[2] = {0, -normal_force};
    am_matrix *K = am_matrix_dense(2, 2, stiffness, err);
    am_contact_def contact = am_contact_def_default();
    contact.name = "sole";
    contact.tangent = tangent;
    contact.normal = normal;
    contact.weakening = law;
    if (law.law != AM_FRICTION_TABLE) {
        contact.friction = kinetic;
        contact.static_friction = fixed;
    }
    am_load_def loads[] = {{pull, am_function_ramp(0.0, 1.0)}, {press, am_function_constant(1.0)}};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.stiffness = K;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 2;
    def.loads = loads;
    am_system *system = am_system_create(&def, err);
    am_matrix_free(K);
    return system;
}

static am_system *good_block(am_friction law, double k) {
    am_error err = {0};
    am_system *system = block(law, k, &err);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

static am_friction law_of(am_friction_law law, double distance) {
    return (am_friction){.law = law, .distance = distance};
}

static const double points_slip[] = {0.0, 0.3, 0.5, 1.5}, points[] = {0.6, 0.45, 0.4, 0.2};

static am_friction table_law(void) {
    return (am_friction){.law = AM_FRICTION_TABLE, .count = 4, .slip = points_slip, .coefficient = points};
}

/* The place x where k (t - x) = f(x) N, by bisection on the branch that starts at the first slip. */
static double closed_form(const am_system *system, double k, double t) {
    const am_friction *law = &am_system_contact(system, 0)->weakening;
    double slope, low = 0.0, high = t;
    if (k * t <= am_friction_at(law, 0.0, &slope) * normal_force)
        return 0.0;
    for (int i = 0; i < 200; i++) {
        double x = 0.5 * (low + high);
        if (k * (t - x) > am_friction_at(law, x, &slope) * normal_force)
            low = x;
        else
            high = x;
    }
    return low;
}

/* Stiffer than the steepest fall times N: every load has one equilibrium, and any steps find it. */
static void a_block_on_a_stiff_spring_follows_its_law(void **state) {
    (void)state;
    const am_friction laws[] = {law_of(AM_FRICTION_RAMP, 0.5), law_of(AM_FRICTION_EXPONENTIAL, 0.5),
                                law_of(AM_FRICTION_STEP, 0.8), table_law()};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        for (int steps = 7; steps < 200; steps += 60) {
            am_system *system = good_block(laws[i], 3.0);
            am_path_incremental path;
            double taken = 0.0;
            GOOD(am_path_incremental_init(&path, system, err));
            GOOD(am_path_incremental_place(&path, 0.0, NULL, err));
            for (int s = 1; s <= steps; s++) {
                double t = 3.0 * s / steps;
                GOOD(am_path_incremental_step(&path, t, err));
                taken += path.last.dissipation;
                double x = closed_form(system, 3.0, t);
                /* Newton's method ends at 1e-12 of the force; the spring is 3. */
                assert_near(path.position[0], x, 1e-11);
                assert_near(path.tangential[0], -3.0 * (t - x), 1e-11);
                assert_int_equal(path.last.jumps, 0);
            }
            /* What friction takes is the area under the law, whatever the steps: N is constant. */
            assert_near(taken, normal_force * am_friction_work(&am_system_contact(system, 0)->weakening, path.slid[0]),
                        1e-11);
            am_path_incremental_clear(&path);
            am_system_free(system);
        }
}

static void newtons_method_is_quadratic_along_the_law(void **state) {
    (void)state;
    am_system *system = good_block(law_of(AM_FRICTION_EXPONENTIAL, 0.5), 3.0);
    am_path_incremental path;
    GOOD(am_path_incremental_init(&path, system, err));
    GOOD(am_path_incremental_place(&path, 0.0, NULL, err));
    GOOD(am_path_incremental_step(&path, 0.5, err));
    GOOD(am_path_incremental_step(&path, 1.0, err)); /* one step over most of the fall */
    /* One for the state, then errors of about 1e-1, 1e-2, 1e-4, 1e-8, 1e-16. */
    assert_in_range(path.last.iterations, 2, 8);
    assert_int_equal(path.last.divisions, 0);
    am_path_incremental_clear(&path);
    am_system_free(system);
}

/* Softer than the fall: it jumps where f_s N is reached, at t = f_s N/k, to the next equilibrium of the same load. */
static void a_block_on_a_soft_spring_jumps_at_its_peak(void **state) {
    (void)state;
    const double k = 0.3, peak = fixed * normal_force / k;
    const am_friction laws[] = {law_of(AM_FRICTION_RAMP, 0.25), law_of(AM_FRICTION_EXPONENTIAL, 0.25)};
    for (size_t i = 0; i < 2; i++) {
        am_system *system = good_block(laws[i], k);
        am_path_incremental path;
        am_error err = {0};
        GOOD(am_path_incremental_init(&path, system, err));
        GOOD(am_path_incremental_place(&path, 0.0, NULL, err));
        GOOD(am_path_incremental_step(&path, 0.9 * peak, err));
        assert_int_equal(am_path_incremental_step(&path, 1.1 * peak, &err), AM_ERR_NO_STATE);
        assert_says(&err, "sole");
        assert_says(&err, "friction weakens faster than the structure unloads");
        /* It stands just before: the load is divided down to 1e-7 of the force. */
        assert_near(path.t, peak, 1e-6 * peak);
        path.let_jump = true;
        GOOD(am_path_incremental_step(&path, 1.1 * peak, err));
        assert_int_equal(path.last.jumps, 1);
        assert_near(path.last.jump_time, peak, 1e-6 * peak);
        assert_near(path.position[0], closed_form(system, k, 1.1 * peak), 1e-10);
        am_path_incremental_clear(&path);
        am_system_free(system);
    }
}

static am_status run_block(double k, double distance, am_on_jump on_jump, am_result *result, am_error *err) {
    am_system *system = good_block(law_of(AM_FRICTION_RAMP, distance), k);
    am_path_options options = am_path_options_default();
    options.until = 3.0 * fixed * normal_force / k;
    options.method = AM_PATH_INCREMENTAL;
    options.on_jump = on_jump;
    options.steps = 37;
    am_status status = am_path_run(system, &options, result, NULL, err);
    am_system_free(system);
    return status;
}

static void stability_is_lost_where_the_fall_times_the_force_exceeds_the_spring(void **state) {
    (void)state;
    const double critical = (fixed - kinetic) * normal_force / (2.0 * 0.5);
    for (int i = -1; i <= 1; i += 2) {
        am_error err = {0};
        am_result *result = am_result_create(&err);
        am_status status = run_block(critical * (1.0 + 1e-6 * i), 0.5, AM_JUMP_STOP, result, &err);
        assert_int_equal(status, i > 0 ? AM_OK : AM_ERR_NO_STATE);
        am_result_free(result);
    }
}

/* ---- several blocks, against tiny steps of another method ---- */

enum { BLOCKS = 3 };

/* Fixed-point iteration, coefficients one after the other, no Newton: slow, plain. v: places, s: slid; load per unit of
 * time on all blocks, N given. Uses held contacts: K v = F + T. */
static void crawl(const double K[BLOCKS][BLOCKS], const double *N, const am_friction *law, const double *force,
                  double *v, double *s) {
    double start[BLOCKS], slid[BLOCKS], slope;
    memcpy(start, v, sizeof start);
    memcpy(slid, s, sizeof slid);
    for (int sweep = 0; sweep < 3000; sweep++)
        for (size_t i = 0; i < BLOCKS; i++) {
            double T = -force[i], limit = am_friction_at(law, s[i], &slope) * N[i];
            for (size_t j = 0; j < BLOCKS; j++)
                T += K[i][j] * (j == i ? start[i] : v[j]);
            v[i] = start[i] + (T < -limit ? (-limit - T) / K[i][i] : T > limit ? (limit - T) / K[i][i] : 0.0);
            s[i] = slid[i] + fabs(v[i] - start[i]);
        }
}

static void three_blocks_agree_with_tiny_steps_of_a_plain_iteration(void **state) {
    (void)state;
    const double K[BLOCKS][BLOCKS] = {{3.0, -1.0, -0.2}, {-1.0, 3.5, -1.0}, {-0.2, -1.0, 2.5}};
    const double N[BLOCKS] = {1.0, 0.7, 1.3}, direction[BLOCKS] = {1.0, 0.4, -0.3};
    const double times[] = {0, 1, 3, 4}, values[] = {0, 3, -3, 1};
    am_contact_def contacts[BLOCKS];
    double rows[BLOCKS][BLOCKS] = {{0}};
    am_error err = {0};
    for (size_t i = 0; i < BLOCKS; i++) {
        rows[i][i] = 1.0;
        contacts[i] = am_contact_def_default();
        contacts[i].tangent = rows[i];
        contacts[i].normal_law = AM_HELD;
        contacts[i].hold = am_function_constant(N[i]);
        contacts[i].friction = 0.3;
        contacts[i].static_friction = 0.8;
        contacts[i].weakening = law_of(AM_FRICTION_EXPONENTIAL, 0.6);
    }
    am_matrix *stiffness = am_matrix_dense(BLOCKS, BLOCKS, &K[0][0], &err);
    am_load_def load = {direction, am_function_table(4, times, values)};
    am_system_def def = am_system_def_default();
    def.n = BLOCKS;
    def.stiffness = stiffness;
    def.contact_count = BLOCKS;
    def.contacts = contacts;
    def.load_count = 1;
    def.loads = &load;
    am_system *system = am_system_create(&def, &err);
    assert_non_null(system);
    am_path_incremental path;
    GOOD(am_path_incremental_init(&path, system, err));
    GOOD(am_path_incremental_place(&path, 0.0, NULL, err));
    double v[BLOCKS] = {0}, s[BLOCKS] = {0}, most = 0.0;
    for (int step = 1; step <= 80; step++) {
        double t = 0.05 * step, force[BLOCKS], level = am_function_at(&load.function, t);
        for (size_t i = 0; i < BLOCKS; i++)
            force[i] = level * direction[i];
        crawl(K, N, &am_system_contact(system, 0)->weakening, force, v, s);
        GOOD(am_path_incremental_step(&path, t, err));
        for (size_t i = 0; i < BLOCKS; i++) {
            /* The same implicit steps: only what both iterations leave, 1e-12. */
            assert_near(path.position[i], v[i], 1e-10);
            assert_near(path.slid[i], s[i], 1e-10);
            most = fmax(most, s[i]);
        }
    }
    assert_true(most > 1.0); /* through the fall, and back */
    am_path_incremental_clear(&path);
    am_matrix_free(stiffness);
    am_system_free(system);
}

/* ---- everything at once ---- */

enum { FEET = 5 };

/* Contacts that open and close, of all laws, coupled in all ways, on loads that go to and fro. */
static am_system *any_structure(uint64_t *seed, int trial) {
    enum { SIZE = 2 * FEET };
    const double times[] = {0, 1, 2, 3, 4}, drag[] = {0, 3, -3, 2, 0}, press[] = {1, 1.5, 1, 0.6, 1.2};
    const double coupling[] = {0.0, 0.1, 0.3, 1.0};
    double G[SIZE * SIZE], K[SIZE * SIZE], rows[SIZE][SIZE] = {{0}}, along[SIZE], down[SIZE];
    am_contact_def contacts[FEET];
    am_error err = {0};
    for (size_t i = 0; i < SIZE * SIZE; i++)
        G[i] = uniform(seed, -1.0, 1.0);
    for (size_t i = 0; i < SIZE; i++) {
        rows[i][i] = 1.0;
        along[i] = i < FEET ? uniform(seed, -1.0, 1.0) : uniform(seed, -0.2, 0.2);
        down[i] = i < FEET ? 0.0 : -uniform(seed, 0.5, 1.5);
        for (size_t j = 0; j <= i; j++) {
            double sum = i == j ? 1.0 : 0.0;
            for (size_t k = 0; k < SIZE; k++)
                sum += G[k * SIZE + i] * G[k * SIZE + j] * ((i < FEET) != (j < FEET) ? coupling[trial % 4] : 1.0);
            K[i * SIZE + j] = K[j * SIZE + i] = sum;
        }
    }
    for (size_t c = 0; c < FEET; c++) {
        const am_friction_law laws[] = {AM_FRICTION_RAMP, AM_FRICTION_STEP, AM_FRICTION_EXPONENTIAL,
                                        AM_FRICTION_COULOMB, AM_FRICTION_COULOMB};
        size_t kind = (c + (size_t)trial) % 5;
        contacts[c] = am_contact_def_default();
        contacts[c].tangent = rows[c];
        contacts[c].normal = rows[FEET + c];
        contacts[c].gap = trial % 3 == 0 ? uniform(seed, 0.0, 0.3) : 0.0;
        contacts[c].friction = uniform(seed, 0.1, 0.3);
        contacts[c].static_friction = kind == 3 ? 0.0 : contacts[c].friction + uniform(seed, 0.05, 0.4);
        contacts[c].weakening = law_of(laws[kind], kind < 3 ? uniform(seed, 0.01, 0.5) : 0.0);
    }
    am_matrix *stiffness = am_matrix_dense(SIZE, SIZE, K, &err);
    am_load_def loads[] = {{along, am_function_table(5, times, drag)}, {down, am_function_table(5, times, press)}};
    am_system_def def = am_system_def_default();
    def.n = SIZE;
    def.stiffness = stiffness;
    def.contact_count = FEET;
    def.contacts = contacts;
    def.load_count = 2;
    def.loads = loads;
    am_system *system = am_system_create(&def, &err);
    if (!system)
        fail_msg("%s", err.message);
    am_matrix_free(stiffness);
    return system;
}

static void all_laws_are_kept_by_structures_of_any_kind(void **state) {
    (void)state;
    uint64_t seed = 1;
    size_t jumps = 0;
    for (int trial = 0; trial < 200; trial++) {
        am_system *system = any_structure(&seed, trial);
        am_path_incremental path;
        double work[2 * FEET];
        GOOD(am_path_incremental_init(&path, system, err));
        path.let_jump = true;
        GOOD(am_path_incremental_place(&path, 0.0, NULL, err));
        for (int step = 1; step <= 80; step++) {
            GOOD(am_path_incremental_step(&path, 0.05 * step, err));
            /* From the definitions; the laws are met to 1e-12 of the largest force. */
            assert_true(am_path_incremental_residual(&path, work) <= 3e-12);
            jumps += path.last.jumps;
        }
        am_path_incremental_clear(&path);
        am_system_free(system);
    }
    assert_true(jumps > 200);
}

/* ---- half-planes ---- */

/* Boundary elements' own steps (transforms, GMRES) and load steps on the same half-planes as a structure. */
static void compare_halfplanes(am_friction friction, double beta, double most_shift) {
    am_bem_def def = {.profile = {.shape = AM_SLIP_HERTZ, .radius = 1.0},
                      .friction = friction,
                      .modulus = 1.0,
                      .beta = beta,
                      .nodes = 60,
                      .width = 1.6};
    enum { STEPS = 12 };
    const double times[] = {0, 1}, shifts[] = {0, most_shift};
    am_error err = {0};
    am_function approach = am_function_constant(1.0), shift = am_function_table(2, times, shifts);
    am_system *system = am_bem_system(&def, &approach, &shift, &err);
    am_bem *bem = am_bem_create(&def, &err);
    if (!system || !bem)
        fail_msg("%s", err.message);
    am_path_incremental path;
    GOOD(am_path_incremental_init(&path, system, err));
    path.let_jump = true;
    size_t slipping = 0, weak = 0;
    for (int k = 0; k <= STEPS; k++) {
        double t = (double)k / STEPS, largest = 0.0;
        if (k == 0)
            GOOD(am_path_incremental_place(&path, t, NULL, err));
        else
            GOOD(am_path_incremental_step(&path, t, err));
        am_bem_load load = {
            .normal = AM_BEM_DISPLACEMENT, .P = 1.0, .tangential = AM_BEM_DISPLACEMENT, .Q = t * most_shift};
        GOOD(am_bem_step(bem, &load, err));
        am_bem_view now = am_bem_view_of(bem);
        for (size_t i = 0; i < now.nodes; i++)
            largest = fmax(largest, now.p[i]);
        for (size_t i = 0; i < now.nodes; i++) {
            /* The boundary elements end at 1e-10 of the largest pressure. */
            assert_near(path.normal[i], now.spacing * now.p[i], 1e-8 * now.spacing * largest);
            assert_near(path.tangential[i], -now.spacing * now.q[i], 1e-8 * now.spacing * largest);
            slipping += now.state[i] == AM_FORWARD;
            weak += now.slid[i] > friction.distance;
        }
    }
    assert_true(slipping > 50 && weak > 0);
    am_path_incremental_clear(&path);
    am_bem_free(bem);
    am_system_free(system);
}

static void half_planes_with_a_ramp_agree_with_the_boundary_elements(void **state) {
    (void)state;
    compare_halfplanes((am_friction){.law = AM_FRICTION_RAMP, .kinetic = 0.2, .fixed = 0.3, .distance = 0.03}, 0.0,
                       0.3);
}

static void half_planes_with_an_exponential_agree_with_the_boundary_elements(void **state) {
    (void)state;
    compare_halfplanes((am_friction){.law = AM_FRICTION_EXPONENTIAL, .kinetic = 0.2, .fixed = 0.3, .distance = 0.03},
                       0.0, 0.3);
}

static void dissimilar_half_planes_agree_with_the_boundary_elements(void **state) {
    (void)state;
    compare_halfplanes((am_friction){.law = AM_FRICTION_RAMP, .kinetic = 0.2, .fixed = 0.3, .distance = 0.03}, 0.2,
                       0.3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_on_a_stiff_spring_follows_its_law),
        cmocka_unit_test(newtons_method_is_quadratic_along_the_law),
        cmocka_unit_test(a_block_on_a_soft_spring_jumps_at_its_peak),
        cmocka_unit_test(stability_is_lost_where_the_fall_times_the_force_exceeds_the_spring),
        cmocka_unit_test(three_blocks_agree_with_tiny_steps_of_a_plain_iteration),
        cmocka_unit_test(all_laws_are_kept_by_structures_of_any_kind),
        cmocka_unit_test(half_planes_with_a_ramp_agree_with_the_boundary_elements),
        cmocka_unit_test(half_planes_with_an_exponential_agree_with_the_boundary_elements),
        cmocka_unit_test(dissimilar_half_planes_agree_with_the_boundary_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
