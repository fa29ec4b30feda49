/* Many motions at once: each ends where it would alone, whatever the number of threads; one that fails ends alone. */
#include <math.h>
#include <string.h>

#include "amontons/motion.h"
#include "errors.h"
#include "uniform.h"

enum { count = 60, n = 2, size = 2 * n };

/* A mass on a rough table between a spring and a wall on its right, coupled to another one. */
static am_system *make(void) {
    static const double mass[] = {1, 0, 0, 1}, stiffness[] = {2, -1, -1, 2}, along[] = {1, 0}, away[] = {-1, 0};
    am_contact_def contacts[2] = {am_contact_def_default(), am_contact_def_default()};
    contacts[0].tangent = along;
    contacts[0].normal_law = AM_HELD;
    contacts[0].hold = am_function_constant(1.0);
    contacts[0].friction = 0.3;
    contacts[1].normal = away;
    contacts[1].gap = 1.5;
    contacts[1].restitution = 0.6;
    am_error err = {0};
    am_matrix *m = am_matrix_dense(n, n, mass, &err), *k = am_matrix_dense(n, n, stiffness, &err);
    am_system_def def = am_system_def_default();
    def.n = n;
    def.mass = m;
    def.stiffness = k;
    def.contact_count = 2;
    def.contacts = contacts;
    am_system *system = am_system_create(&def, &err);
    am_matrix_free(m);
    am_matrix_free(k);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

static void each_ends_where_it_would_alone_whatever_the_threads(void **state) {
    (void)state;
    uint64_t seed = 7;
    double starts[count * size], ends[2][count * size];
    size_t events[2][count];
    am_status status[2][count];
    am_system *system = make();
    am_error err = {0};
    for (size_t i = 0; i < count * size; i++)
        starts[i] = uniform(&seed, -1.0, 1.0);
    starts[5 * size] = 9.0; /* behind the wall */
    for (int k = 0; k < 2; k++) {
        const am_motion_many many = {
            .count = count, .starts = starts, .until = 12.0, .ends = ends[k], .events = events[k], .status = status[k]};
        am_progress progress = {.threads = 1 + k};
        assert_int_equal(am_motion_run_many(system, &many, &progress, &err), AM_OK);
    }
    assert_memory_equal(ends[0], ends[1], sizeof ends[0]);
    assert_memory_equal(events[0], events[1], sizeof events[0]);
    am_motion *alone = am_motion_create(system, true, &err);
    for (size_t i = 0; i < count; i++) {
        am_step_kind kind = AM_STEP_SPAN;
        size_t passed = 0;
        if (i == 5) {
            assert_int_equal(status[0][i], AM_ERR_INPUT);
            assert_true(isnan(ends[0][i * size]));
            continue;
        }
        assert_int_equal(status[0][i], AM_OK);
        assert_int_equal(am_motion_start(alone, 0.0, &starts[i * size], &starts[i * size + n], &err), AM_OK);
        for (; kind != AM_STEP_END; passed += kind == AM_STEP_EVENT)
            assert_int_equal(am_motion_step(alone, 12.0, &kind, &err), AM_OK);
        assert_memory_equal(&ends[0][i * size], am_motion_displacement(alone), n * sizeof(double));
        assert_memory_equal(&ends[0][i * size + n], am_motion_velocity(alone), n * sizeof(double));
        assert_int_equal(events[0][i], passed);
    }
    am_motion_free(alone);
    am_system_free(system);
}

static void wrong_requests_are_refused(void **state) {
    (void)state;
    am_system *system = make();
    am_error err = {0};
    double row[size] = {0};
    const am_motion_many backwards = {.count = 1, .starts = row, .from = 2.0, .until = 1.0, .ends = row};
    assert_int_equal(am_motion_run_many(system, &backwards, NULL, &err), AM_ERR_INPUT);
    assert_string_equal(err.field, "until");
    const am_motion_many nowhere = {.count = 1, .starts = row, .until = 1.0};
    assert_int_equal(am_motion_run_many(system, &nowhere, NULL, &err), AM_ERR_INPUT);
    assert_int_equal(am_motion_run_many(NULL, &backwards, NULL, &err), AM_ERR_INPUT);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_ends_where_it_would_alone_whatever_the_threads),
        cmocka_unit_test(wrong_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
