/* `path` by load steps for springs that are not linear: closed forms (Hertz, Duffing with friction, a limit point), the
 * engine of linear structures where layers are linear after all, and `motion` under slow loads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/motion.h"
#include "amontons/path.h"
#include "cases.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "results.h"

static am_path_options by_steps(size_t steps, double until) {
    am_path_options options = am_path_options_default();
    options.method = AM_PATH_INCREMENTAL;
    options.steps = steps;
    options.samples = 21;
    options.until = until;
    return options;
}

static am_result *follow(const am_system *system, const am_path_options *options) {
    am_result *result = am_result_create(NULL);
    GOOD(am_path_run(system, options, result, NULL, err));
    return result;
}

/* One coordinate, k q + what the parts say = t. */
static am_system *one(double stiffness, const am_contact_def *contact, const am_polynomial_def *spring) {
    static const double along[] = {1};
    am_load_def load = {along, am_function_ramp(0, 1)};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.load_count = 1;
    def.loads = &load;
    def.contact_count = contact != NULL;
    def.contacts = contact;
    def.polynomial_count = spring != NULL;
    def.polynomials = spring;
    return dense_system(def, along, along, &stiffness);
}

/* A sphere pressed onto a plane: k q + K q^(3/2) = F. */
static void a_sphere_is_pressed_in_as_hertz_says(void **state) {
    (void)state;
    const double normal[] = {-1};
    am_contact_def contact = am_contact_def_default();
    contact.normal = normal;
    contact.normal_law = AM_HUNT_CROSSLEY;
    contact.contact_stiffness = 20;
    contact.contact_exponent = 1.5;
    contact.contact_dissipation = 0.4; /* slow loads do not feel it */
    am_system *system = one(0.5, &contact, NULL);
    am_path_options options = by_steps(40, 2);
    am_result *result = follow(system, &options);
    const am_table *samples = table_of(result, "samples");
    for (size_t row = 0; row < am_table_rows(samples); row++) {
        double q = cell(samples, row, "q1"), t = cell(samples, row, "t");
        assert_near(0.5 * q + 20 * pow(q, 1.5), t, 1e-10);
        assert_near(cell(samples, row, "N1"), 20 * pow(q, 1.5), 1e-10);
    }
    assert_true(number(result, "complementarity_residual") <= 1e-10);
    am_result_free(result);
    am_system_free(system);
}

/* q + q^3 = F -/+ mu N in slip, and what friction takes: twice the way to and fro. */
static void friction_widens_the_curve_of_duffing(void **state) {
    (void)state;
    static const double along[] = {1};
    const am_polynomial_term cube = {1, 3, 0};
    am_polynomial_def spring = {NULL, along, 1, &cube};
    am_contact_def contact = am_contact_def_default();
    am_load_def load = {along, am_function_sine(2, 1, 0)};
    am_system_def def = am_system_def_default();
    contact.tangent = along;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1);
    contact.friction = 0.3;
    def.n = def.contact_count = def.load_count = def.polynomial_count = 1;
    def.contacts = &contact;
    def.loads = &load;
    def.polynomials = &spring;
    am_system *system = dense_system(def, along, along, along);
    am_path_options options = by_steps(400, 0);
    options.until_repeat = true;
    am_result *result = follow(system, &options);
    const am_table *samples = table_of(result, "samples");
    double most = 0;
    for (size_t row = 0; row < am_table_rows(samples); row++) {
        double q = cell(samples, row, "q1"), T = cell(samples, row, "T1"), t = cell(samples, row, "t");
        assert_near(q + q * q * q, 2 * sin(t) + T, 1e-9);
        assert_true(fabs(T) <= 0.3 * (1 + 1e-12));
        most = fmax(most, q);
    }
    /* at the peak, 2 - 0.3 = q + q^3, which a step falls on */
    double q = 1;
    for (int i = 0; i < 50; i++)
        q -= (q + q * q * q - 1.7) / (1 + 3 * q * q);
    assert_near(most, q, 1e-9);
    assert_true(flag(result, "repeats"));
    assert_near(number(result, "dissipation"), 0.3 * 4 * q, 1e-8);
    am_result_free(result);
    am_system_free(system);
}

/* F = q - 3 q^2 + 2 q^3 has its maximum at q = (3 - sqrt 3)/6: the path goes there, and no further without a jump. */
static void a_limit_point_is_a_jump(void **state) {
    (void)state;
    static const double along[] = {1};
    const am_polynomial_term terms[] = {{-3, 2, 0}, {2, 3, 0}};
    am_polynomial_def spring = {NULL, along, 2, terms};
    am_system *system = one(1, NULL, &spring);
    double top = (3 - sqrt(3)) / 6, most = top - 3 * top * top + 2 * top * top * top;
    am_path_options options = by_steps(20, 0.2);
    am_result *result = am_result_create(NULL);
    am_error err = {0};
    assert_int_equal(am_path_run(system, &options, result, NULL, &err), AM_ERR_NO_STATE);
    assert_non_null(strstr(err.message, "limit point"));
    am_result_free(result);
    options.on_jump = AM_JUMP_RELEASE;
    result = follow(system, &options);
    const am_table *samples = table_of(result, "samples");
    assert_int_equal((int)number(result, "jumps"), 1);
    assert_near(number(result, "first_jump"), most, 1e-8);
    for (size_t row = 0; row < am_table_rows(samples); row++) {
        double q = cell(samples, row, "q1"), t = cell(samples, row, "t");
        assert_near(q - 3 * q * q + 2 * q * q * q, t, 1e-9);
        assert_true(t < most ? q <= top : q > 1);
    }
    am_result_free(result);
    am_system_free(system);
}

/* ---- random structures ---- */

enum { CONTACTS = 2, MOST = 2 * CONTACTS };

typedef struct structure {
    size_t n, m;
    double mass[MOST * MOST], damping[MOST * MOST], stiffness[MOST * MOST];
    double normal[CONTACTS][MOST], tangent[CONTACTS][MOST], force[MOST], press[MOST], bend[MOST];
    am_contact_def contact[CONTACTS];
    am_load_def load[2];
    am_polynomial_term term;
    am_polynomial_def spring;
} structure;

/* Contacts on layers, on rigid ground or held, some behind springs, under a load that swings `speed` times. */
static void draw(uint64_t seed, double speed, structure *s) {
    random_source r = random_seed(seed);
    *s = (structure){.m = 1 + random_index(&r, CONTACTS)};
    s->n = 2 * s->m;
    random_definite(&r, s->n, 0.5, 1, s->mass);
    random_definite(&r, s->n, 0.5, 2, s->stiffness);
    random_definite(&r, s->n, 0.5, 1, s->damping);
    for (size_t c = 0; c < s->m; c++) {
        am_contact_def *contact = &s->contact[c];
        size_t law = random_index(&r, 3);
        *contact = am_contact_def_default();
        s->normal[c][2 * c] = s->tangent[c][2 * c + 1] = 1;
        contact->tangent = s->tangent[c];
        contact->normal = law == 0 ? NULL : s->normal[c];
        contact->normal_law = law == 0 ? AM_HELD : law == 1 ? AM_KELVIN_VOIGT : AM_UNILATERAL;
        contact->hold = am_function_constant(random_between(&r, 1, 2));
        contact->contact_stiffness = random_between(&r, 3, 20);
        contact->friction = random_between(&r, 0.1, 0.4);
        contact->tangential_stiffness = law != 2 && random_chance(&r, 0.5) ? random_between(&r, 1, 10) : 0;
        s->press[2 * c] = law == 0 ? 0 : -random_between(&r, 1, 2);
    }
    for (size_t i = 0; i < s->n; i++) {
        s->force[i] = random_between(&r, -1, 1);
        s->bend[i] = random_between(&r, -1, 1);
    }
    s->load[0] = (am_load_def){s->force, am_function_sine(2, speed, 0)};
    s->load[1] = (am_load_def){s->press, am_function_constant(1)};
    s->term = (am_polynomial_term){random_between(&r, 0.1, 1), 3, 0};
    s->spring = (am_polynomial_def){NULL, s->bend, 1, &s->term};
}

static am_system *make(const structure *s, bool bends) {
    am_system_def def = am_system_def_default();
    bool pressed = false;
    for (size_t i = 0; i < s->n; i++)
        pressed = pressed || s->press[i] != 0;
    def.n = s->n;
    def.contact_count = s->m;
    def.contacts = s->contact;
    def.load_count = 1 + pressed;
    def.loads = s->load;
    def.polynomial_count = bends;
    def.polynomials = &s->spring;
    return dense_system(def, s->mass, s->damping, s->stiffness);
}

/* The difference of coordinates and forces of contacts at a sample of each. */
static double difference_at(const am_table *x, size_t i, const am_table *y, size_t j, const structure *s, bool forces) {
    double worst = 0;
    char name[32];
    for (size_t k = 0; k < s->n + (forces ? 2 * s->m : 0); k++) {
        size_t c = k < s->n ? k : (k - s->n) / 2;
        snprintf(name, sizeof name, "%c%zu", k < s->n ? 'q' : (k - s->n) % 2 ? 'T' : 'N', c + 1);
        worst = fmax(worst, fabs(cell(x, i, name) - cell(y, j, name)));
    }
    return worst;
}

/* The largest one at the samples. */
static double difference(const am_result *a, const am_result *b, const structure *s, bool forces) {
    const am_table *x = table_of(a, "samples"), *y = table_of(b, "samples");
    double worst = 0;
    assert_int_equal(am_table_rows(x), am_table_rows(y));
    for (size_t row = 0; row < am_table_rows(x); row++)
        worst = fmax(worst, difference_at(x, row, y, row, s, forces));
    return worst;
}

/* A spring whose cube vanishes hands the structure over to Newton's method with all coordinates; the steps are the same
 * as those of complementarity on the condensed structure. */
static void without_curvature_the_path_is_that_of_linear_structures(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES(40, 8); seed++) {
        structure s;
        draw(seed, 1, &s);
        s.term.coefficient = 0;
        am_system *curved = make(&s, true), *linear = make(&s, false);
        am_path_options options = by_steps(600, 9);
        am_result *a = follow(curved, &options), *b = follow(linear, &options);
        double off = difference(a, b, &s, true);
        double loss = number(a, "loss_friction"), known = number(b, "loss_friction");
        if (!(off <= 1e-9) || !(fabs(loss - known) <= 1e-4 * known)) /* losses see which steps were divided */
            fail_msg("seed %d: %g, losses %g and %g", (int)seed, off, loss, known);
        am_result_free(a);
        am_result_free(b);
        am_system_free(curved);
        am_system_free(linear);
    }
}

/* Friction drops where slip begins, or weakens on the way, beside a spring whose cube vanishes: contacts jump from the same
 * equilibria to the same ones as in the engine of linear structures, and arrive at the same place. */
static void friction_that_falls_jumps_as_in_linear_structures(void **state) {
    (void)state;
    double jumps = 0;
    for (uint64_t seed = 1; seed <= CASES(24, 4); seed++) {
        structure s;
        draw(seed, 1, &s);
        random_source r = random_seed(500 + seed);
        s.term.coefficient = 0;
        for (size_t c = 0; c < s.m; c++) {
            am_contact_def *contact = &s.contact[c];
            contact->static_friction = contact->friction + random_between(&r, 0.1, 0.3);
            if (random_chance(&r, 0.6)) {
                contact->weakening.law = random_chance(&r, 0.5) ? AM_FRICTION_RAMP : AM_FRICTION_EXPONENTIAL;
                contact->weakening.distance = random_between(&r, 0.02, 1);
            }
        }
        am_system *curved = make(&s, true), *linear = make(&s, false);
        am_path_options options = by_steps(200, 9);
        options.on_jump = AM_JUMP_RELEASE;
        am_result *a = follow(curved, &options), *b = follow(linear, &options);
        const am_table *x = table_of(a, "samples"), *y = table_of(b, "samples");
        double off = difference_at(x, am_table_rows(x) - 1, y, am_table_rows(y) - 1, &s, true);
        if (!(off <= 1e-8))
            fail_msg("seed %d: %g, after %g jumps and %g", (int)seed, off, number(a, "jumps"), number(b, "jumps"));
        jumps += number(a, "jumps");
        am_result_free(a);
        am_result_free(b);
        am_system_free(curved);
        am_system_free(linear);
    }
    assert_true(jumps > 0);
}

/* Inertia and damping go with the rate of the load: a tenth of the speed, a tenth of the difference, up to what the load
 * steps leave. */
static double off_motion(uint64_t seed, double speed) {
    static const double exponents[] = {1.5, 2};
    structure s;
    draw(seed, speed, &s);
    for (size_t c = 0; c < s.m; c++)
        if (s.contact[c].normal_law != AM_HELD) { /* curved layers, without springs behind sliders */
            s.contact[c].normal_law = AM_HUNT_CROSSLEY;
            s.contact[c].contact_exponent = exponents[seed % 2];
            s.contact[c].tangential_stiffness = 0;
        }
    am_system *system = make(&s, true);
    am_path_options options = by_steps(2000, 5 / speed);
    am_motion_options motion = am_motion_options_default();
    am_result *a = follow(system, &options), *b = am_result_create(NULL);
    const am_table *start = table_of(a, "samples");
    double q[MOST];
    char name[32];
    for (size_t i = 0; i < s.n; i++) {
        snprintf(name, sizeof name, "q%zu", i + 1);
        q[i] = cell(start, 0, name);
    }
    motion.until = options.until;
    motion.samples = options.samples;
    motion.displacement = q;
    GOOD(am_motion_run(system, &motion, b, NULL, err));
    double off = difference(a, b, &s, false);
    am_result_free(a);
    am_result_free(b);
    am_system_free(system);
    return off;
}

/* (1 - 0.6 sin t) q = 1 + T: the mass gives way while its spring softens, holds, and is pulled back while it stiffens. */
static void a_spring_that_varies_drives_a_path(void **state) {
    (void)state;
    static const double along[] = {1};
    am_contact_def contact = am_contact_def_default();
    am_load_def load = {along, am_function_constant(1)};
    am_varying_def varying = {NULL, along, am_function_sine(-0.6, 1, 0)};
    am_system_def def = am_system_def_default();
    contact.tangent = along;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1);
    contact.friction = 0.3;
    def.n = def.contact_count = def.load_count = def.varying_count = 1;
    def.contacts = &contact;
    def.loads = &load;
    def.varying = &varying;
    am_system *system = dense_system(def, along, along, along);
    am_path_options options = by_steps(400, 2 * acos(-1.0));
    am_result *result = follow(system, &options);
    const am_table *samples = table_of(result, "samples");
    for (size_t row = 0; row < am_table_rows(samples); row++) {
        double t = cell(samples, row, "t"), k = 1 - 0.6 * sin(t), quarter = acos(0.0);
        double q = t <= quarter ? 0.7 / k : t <= 3 * quarter ? fmin(1.75, 1.3 / k) : 0.8125;
        assert_near(cell(samples, row, "q1"), q, 1e-11);
        assert_near(cell(samples, row, "T1"), k * q - 1, 1e-11);
    }
    assert_near(number(result, "loss_friction"), 0.3 * (1.75 - 0.7 + 1.75 - 0.8125), 1e-11);
    am_result_free(result);
    am_system_free(system);
}

static void slow_motions_are_paths(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES(6, 1); seed++) {
        double fast = off_motion(seed, 0.1), slow = off_motion(seed, 0.01);
        if (!(slow <= 0.25 * fast + 1e-3))
            fail_msg("seed %d: %g at a speed of 0.1, %g at 0.01", (int)seed, fast, slow);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_is_pressed_in_as_hertz_says),
        cmocka_unit_test(friction_widens_the_curve_of_duffing),
        cmocka_unit_test(a_limit_point_is_a_jump),
        cmocka_unit_test(without_curvature_the_path_is_that_of_linear_structures),
        cmocka_unit_test(friction_that_falls_jumps_as_in_linear_structures),
        cmocka_unit_test(a_spring_that_varies_drives_a_path),
        cmocka_unit_test(slow_motions_are_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
