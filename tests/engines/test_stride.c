/* Strides (stride.c) against spans: the same motion, the same switches. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"
#include "dense_system.h"
#include "engines/switching/switching.h"
#include "errors.h"
#include "near.h"
#include "uniform.h"

enum { MOST = 8, MOST_SWITCHES = 4000 };

/* A row of masses and springs of very different stiffness, damped in proportion to it (the fast modes creep back), two
 * of the masses rub. */
static am_system *random_row(uint64_t *seed) {
    size_t n = 3 + (size_t)uniform(seed, 0, 6), rubs[2] = {0, n - 1};
    double mass[MOST * MOST] = {0}, stiffness[MOST * MOST] = {0}, damping[MOST * MOST] = {0}, tangent[2][MOST] = {{0}};
    double beta = pow(10.0, uniform(seed, -4, -2)), push[MOST] = {0};
    for (size_t i = 0; i < n; i++) {
        double k = pow(10.0, uniform(seed, 0, 6));
        mass[i * n + i] = uniform(seed, 0.5, 2);
        stiffness[i * n + i] += i > 0 ? k : 1.0;
        if (i > 0) {
            stiffness[(i - 1) * n + i - 1] += k;
            stiffness[i * n + i - 1] = stiffness[(i - 1) * n + i] = -k;
        }
    }
    for (size_t i = 0; i < n * n; i++)
        damping[i] = beta * stiffness[i];
    am_contact_def contact[2];
    for (size_t c = 0; c < 2; c++) {
        tangent[c][rubs[c]] = 1.0;
        contact[c] = am_contact_def_default();
        contact[c].tangent = tangent[c];
        contact[c].normal_law = AM_HELD;
        contact[c].hold = am_function_constant(uniform(seed, 0.2, 1));
        contact[c].friction = uniform(seed, 0.1, 0.6);
        contact[c].static_friction = contact[c].friction;
        contact[c].surface_velocity = c == 0 ? uniform(seed, -0.3, 0.3) : 0.0;
    }
    push[n / 2] = 1.0;
    am_load_def load = {.direction = push,
                        .function = am_function_sine(uniform(seed, 0.5, 2), uniform(seed, 0.3, 1.5), 0)};
    am_system_def def = am_system_def_default();
    def.n = n;
    def.contact_count = 2;
    def.contacts = contact;
    def.load_count = 1;
    def.loads = &load;
    return dense_system(def, mass, damping, stiffness);
}

typedef struct run {
    size_t switches, spans;
    double time[MOST_SWITCHES], state[2 * MOST], size;
    size_t contact[MOST_SWITCHES];
    double derivative[4 * MOST * MOST];
} run;

static void follow(const am_system *system, bool strides, double until, run *r) {
    am_error err = {0};
    am_step_kind kind = AM_STEP_SPAN;
    am_motion *motion = am_motion_create(system, false, &err);
    assert_non_null(motion);
    motion->strides = strides;
    GOOD(am_motion_follow_sensitivity(motion, true, err));
    GOOD(am_motion_start(motion, 0.0, NULL, NULL, err));
    *r = (run){0};
    size_t d = am_motion_dimension(motion);
    while (kind != AM_STEP_END) {
        GOOD(am_motion_step(motion, until, &kind, err));
        for (size_t i = 0; i < am_motion_switches(motion) && r->switches < MOST_SWITCHES; i++) {
            r->time[r->switches] = am_motion_time(motion);
            r->contact[r->switches++] = am_motion_switch(motion, i)->contact;
        }
        for (size_t i = 0; i < d; i++)
            r->size = fmax(r->size, fabs(am_motion_state(motion)[i]));
    }
    r->spans = am_motion_statistics_get(motion).spans;
    memcpy(r->state, am_motion_state(motion), d * sizeof(double));
    memcpy(r->derivative, am_motion_sensitivity(motion), d * d * sizeof(double));
    am_motion_free(motion);
}

/* Both are exact to rounding, which friction does not amplify here: 1e-9 leaves room for some 1e5 spans. */
static void strides_are_spans_taken_at_once(void **state) {
    (void)state;
    uint64_t seed = 11;
    size_t spans = 0, strides = 0, switches = 0;
    run *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    assert_true(a && b);
    for (int i = 0; i < CASES(12, 3); i++) {
        am_system *system = random_row(&seed);
        size_t d = 2 * am_system_size(system);
        follow(system, false, 20.0, a);
        follow(system, true, 20.0, b);
        assert_int_equal(a->switches, b->switches);
        for (size_t k = 0; k < a->switches; k++) {
            assert_int_equal(a->contact[k], b->contact[k]);
            assert_near(a->time[k], b->time[k], 1e-9 * 20.0);
        }
        for (size_t k = 0; k < d; k++)
            assert_near(a->state[k], b->state[k], 1e-9 * a->size);
        for (size_t k = 0; k < d * d; k++)
            assert_near(a->derivative[k], b->derivative[k], 1e-7 * (1.0 + fabs(a->derivative[k])));
        spans += a->spans;
        strides += b->spans;
        switches += a->switches;
        am_system_free(system);
    }
    free(a);
    free(b);
    assert_true(switches >= 20);
    assert_true(4 * strides < spans); /* they are there for that */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(strides_are_spans_taken_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
