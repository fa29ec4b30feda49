/* A preload first: the state that constant loads leave, motions from there, and small vibrations about it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/amontons.h"
#include "cases.h"
#include "engines/quasistatic/equilibrium.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "study_text.h"
#include "system/system.h"
#include "uniform.h"

/* A mass on springs along x and y; a contact below it, pressed by -y. */
typedef struct rig {
    double mass[4], stiffness[4], damping[4], normal[2], tangent[2], down[2], along[2];
    am_matrix *M, *K, *C;
    am_contact_def contact;
    am_load_def load[3];
    am_system_def def;
    am_system *system;
    double joins; /* x and y */
} rig;

static void build(rig *r, double press, double pull) {
    am_error err = {0};
    const double mass[4] = {2, 0, 0, 2}, stiffness[4] = {30, 0, 0, 50}, damping[4] = {0.4, 0, 0, 0.2};
    memcpy(r->mass, mass, sizeof mass);
    memcpy(r->stiffness, stiffness, sizeof stiffness);
    r->stiffness[1] = r->stiffness[2] = r->joins;
    memcpy(r->damping, damping, sizeof damping);
    r->M = am_matrix_dense(2, 2, r->mass, &err);
    r->K = am_matrix_dense(2, 2, r->stiffness, &err);
    r->C = am_matrix_dense(2, 2, r->damping, &err);
    r->normal[1] = r->tangent[0] = r->along[0] = 1.0;
    r->down[1] = -1.0;
    r->contact.normal = r->normal;
    r->contact.tangent = r->tangent;
    r->load[0] = (am_load_def){r->down, am_function_constant(press)};
    r->load[1] = (am_load_def){r->along, am_function_constant(pull)};
    r->def = am_system_def_default();
    r->def.n = 2;
    r->def.mass = r->M;
    r->def.stiffness = r->K;
    r->def.damping = r->C;
    r->def.contacts = &r->contact;
    r->def.contact_count = 1;
    r->def.loads = r->load;
    r->def.load_count = r->load[2].direction ? 3 : 2;
    r->system = am_system_create(&r->def, &err);
    if (!r->system)
        fail_msg("%s", err.message);
}

static void clear(rig *r) {
    am_system_free(r->system);
    am_matrix_free(r->M);
    am_matrix_free(r->K);
    am_matrix_free(r->C);
}

static rig compliant(am_normal_law law, double exponent) {
    rig r = {.contact = am_contact_def_default()};
    r.contact.normal_law = law;
    r.contact.contact_stiffness = 200.0;
    r.contact.contact_exponent = exponent;
    r.contact.tangential_stiffness = 80.0;
    r.contact.friction = 0.25;
    return r;
}

/* Frequencies of the table `squeal`, sqrt(re^2 + im^2), the lowest first. */
static void modes(const am_system *system, am_preloaded about, double frequency[2], double ratio[2]) {
    am_result *result = am_result_create(NULL);
    am_stability_options options = am_stability_options_default();
    options.preloaded = about;
    GOOD(am_stability_run(system, &options, result, NULL, err));
    const am_table *table = table_of(result, "squeal");
    assert_int_equal(am_table_rows(table), 2);
    for (size_t k = 0; k < 2; k++) {
        frequency[k] = hypot(am_table_number(table, k, 1), am_table_number(table, k, 2));
        ratio[k] = am_table_number(table, k, 4);
    }
    am_result_free(result);
}

/* Two springs side by side share the load: d = F/(k + k_c). Modes: sqrt of the sum of the springs that act. */
static void modes_about_a_preload(void **state) {
    double w[2], ratio[2];
    (void)state;
    rig r = compliant(AM_KELVIN_VOIGT, 1.0);
    r.contact.contact_damping = 3.0;
    build(&r, 10.0, 0.0);
    modes(r.system, AM_PRELOADED_STUCK, w, ratio);
    assert_near(w[0], sqrt((30.0 + 80.0) / 2.0), 1e-13);
    assert_near(w[1], sqrt((50.0 + 200.0) / 2.0), 1e-13);
    assert_near(ratio[0], 0.4 / (2.0 * 2.0 * w[0]), 1e-14);
    assert_near(ratio[1], (0.2 + 3.0) / (2.0 * 2.0 * w[1]), 1e-14);
    modes(r.system, AM_PRELOADED_SLIDING, w, ratio);
    assert_near(w[0], sqrt(30.0 / 2.0), 1e-13);
    assert_near(w[1], sqrt((50.0 + 200.0) / 2.0), 1e-13);
    clear(&r);
    /* x and y joined: friction that grew with N would not leave the modes symmetric. */
    r = compliant(AM_KELVIN_VOIGT, 1.0);
    r.joins = 20.0;
    build(&r, 10.0, 0.0);
    modes(r.system, AM_PRELOADED_SLIDING, w, ratio);
    double half = 0.5 * (250.0 - 30.0), root = sqrt(half * half + 400.0);
    assert_near(w[0], sqrt((140.0 - root) / 2.0), 2e-3); /* damped: modes of 0.2 and 0.4 are not those of K and M */
    assert_near(w[1], sqrt((140.0 + root) / 2.0), 2e-3);
    clear(&r);
    r = compliant(AM_KELVIN_VOIGT, 1.0); /* pulled away: nothing but the structure */
    build(&r, -10.0, 0.0);
    modes(r.system, AM_PRELOADED_STUCK, w, ratio);
    assert_near(w[0], sqrt(30.0 / 2.0), 1e-13);
    assert_near(w[1], sqrt(50.0 / 2.0), 1e-13);
    clear(&r);
}

/* Hertz' power: the stiffness depends on how far the load presses in, 50 d + 200 d^1.5 = F. */
static void modes_of_a_hertzian_contact(void **state) {
    double w[2], ratio[2], d = 0.2;
    (void)state;
    rig r = compliant(AM_HUNT_CROSSLEY, 1.5);
    build(&r, 25.0, 0.0);
    for (int i = 0; i < 50; i++)
        d -= (50.0 * d + 200.0 * pow(d, 1.5) - 25.0) / (50.0 + 300.0 * sqrt(d));
    modes(r.system, AM_PRELOADED_STUCK, w, ratio);
    assert_near(w[1], sqrt((50.0 + 300.0 * sqrt(d)) / 2.0), 1e-9); /* the path's own tolerance on d is 1e-12 */
    clear(&r);
}

/* Pulled beyond its limit the slider has slipped: q = (F - mu N)/k, and its spring keeps mu N/k_t. */
static void sliders_keep_their_stretch(void **state) {
    static const am_normal_law laws[] = {AM_KELVIN_VOIGT, AM_HELD, AM_UNILATERAL};
    (void)state;
    for (size_t l = 0; l < 3; l++) {
        am_equilibrium e;
        rig r = compliant(laws[l], 1.0);
        r.contact.hold = am_function_constant(8.0);
        build(&r, 10.0, 7.0);
        double N = l == 0 ? 200.0 * 10.0 / 250.0 : l == 1 ? 8.0 : 10.0;
        GOOD(am_equilibrium_preload(&e, r.system, 0.0, err));
        assert_near(e.normal[0], N, 1e-12);
        assert_near(e.tangential[0], -0.25 * N, 1e-12);
        assert_near(e.state[0], (7.0 - 0.25 * N) / 30.0, 1e-13);
        assert_near(e.state[4], 0.25 * N / 80.0, 1e-13);
        am_equilibrium_clear(&e);
        clear(&r);
    }
}

/* The contact closes when a part s of the loads acts, 50 g = 10 s, and sticks at the place 7 s/30 that x has then: no step of the
 * loads decides where. A curved layer is followed in steps, which say what they leave uncertain. */
static void contacts_that_close_on_the_way_stick_where_they_close(void **state) {
    static const am_normal_law laws[] = {AM_KELVIN_VOIGT, AM_UNILATERAL, AM_HUNT_CROSSLEY};
    (void)state;
    for (size_t l = 0; l < 3; l++) {
        am_equilibrium e;
        rig r = compliant(laws[l], l == 2 ? 1.5 : 1.0);
        r.contact.gap = 0.0533;
        r.contact.friction = 10.0;
        build(&r, 10.0, 7.0);
        double place = 7.0 * (50.0 * 0.0533 / 10.0) / 30.0, x = (7.0 + 80.0 * place) / (30.0 + 80.0);
        GOOD(am_equilibrium_preload(&e, r.system, 0.0, err));
        assert_near(e.state[0], x, l < 2 ? 1e-14 : 4.0 * e.error * x);
        assert_near(e.state[4], x - place, l < 2 ? 1e-14 : 4.0 * e.error * x);
        assert_true(l < 2 ? e.steps == 0 && e.error < 1e-12 : e.steps > 100 && e.error < 1e-3);
        am_equilibrium_clear(&e);
        clear(&r);
    }
}

/* The end of a motion or march: displacements, and the largest speed on the way. */
static void end_of(const am_system *system, int how, double until, double end[2], double *fastest) {
    am_result *result = am_result_create(NULL);
    if (how == 0) {
        am_motion_options o = am_motion_options_default();
        o.until = until;
        o.preloaded = true;
        o.samples = 101;
        GOOD(am_motion_run(system, &o, result, NULL, err));
    } else {
        am_march_options o = am_march_options_default();
        o.until = until;
        o.preloaded = how == 1;
        o.samples = 101;
        o.tolerance = 1e-9;
        GOOD(am_march_run(system, &o, result, NULL, err));
    }
    const am_table *samples = table_of(result, "samples");
    *fastest = 0.0;
    for (size_t i = 0; i < am_table_rows(samples); i++)
        *fastest = fmax(*fastest, fmax(fabs(am_table_number(samples, i, 3)), fabs(am_table_number(samples, i, 4))));
    for (size_t k = 0; k < 2; k++)
        end[k] = am_table_number(samples, am_table_rows(samples) - 1, 1 + k);
    am_result_free(result);
}

/* Nothing but the preload: it stays at rest. With a sine the two methods agree; and a march from no stress under a load
 * that grows slowly comes to the same rest. */
static void motions_begin_where_the_preload_left_them(void **state) {
    double one[2], other[2], fastest;
    (void)state;
    rig r = compliant(AM_KELVIN_VOIGT, 1.0);
    build(&r, 10.0, 7.0);
    for (int how = 0; how < 2; how++) {
        end_of(r.system, how, 5.0, one, &fastest);
        assert_near(fastest, 0.0, 1e-12);
        assert_near(one[0], (7.0 - 2.0) / 30.0, 1e-12);
    }
    clear(&r);
    r = compliant(AM_KELVIN_VOIGT, 1.0);
    r.load[2] = (am_load_def){r.along, am_function_sine(3.0, 2.5, 0.0)};
    build(&r, 10.0, 7.0);
    end_of(r.system, 0, 4.0, one, &fastest);
    end_of(r.system, 1, 4.0, other, &fastest);
    assert_near(one[0], other[0], 1e-6); /* tolerance 1e-9 a step, through a few switches */
    assert_true(fastest > 0.05);
    clear(&r);
    const double times[2] = {0.0, 400.0}, presses[2] = {0.0, 10.0}, pulls[2] = {0.0, 7.0};
    r = compliant(AM_KELVIN_VOIGT, 1.0);
    build(&r, 0.0, 0.0);
    am_system_free(r.system);
    am_error err = {0};
    r.load[0].function = am_function_table(2, times, presses);
    r.load[1].function = am_function_table(2, times, pulls);
    r.system = am_system_create(&r.def, &err);
    end_of(r.system, 2, 500.0, other, &fastest);
    assert_near(other[0], (7.0 - 2.0) / 30.0, 1e-4); /* speeds of 4e-4 m/s, vibrations of the corners damped away */
    assert_near(other[1], -10.0 / 250.0, 1e-6);
    clear(&r);
}

/* Deflections of laws that follow the way, and distances slid, are part of the rest: nothing moves, and at zero load no
 * force is there, nor has anything worn down. */
static void motions_from_rest_begin_with_what_friction_remembers(void **state) {
    (void)state;
    const char *contacts[] = {
        "friction: {law: dahl, stiffness: 5, friction: 0.5}",
        "friction: {law: dahl, stiffness: 5, friction: 0.5}, tangential_stiffness: 4",
        "friction: {law: bouc-wen, stiffness: 2, beta: 3, gamma: 1}",
        "friction: 0.2, static_friction: 0.5, weakening: {law: exponential, length: 0.5}",
    };
    for (size_t c = 0; c < sizeof contacts / sizeof *contacts; c++)
        for (size_t k = 0; k < 4; k++) {
            char text[1024];
            const char *analysis = k < 2 ? "motion" : "march";
            double load = k % 2 ? 0.9 : 0.0;
            snprintf(
                text, sizeof text,
                "model:\n  kind: structure\n  mass: [1]\n  stiffness: [2]\n  damping: [0.1]\n  contacts: [{tangent: "
                "[1], law: held, hold: {constant: 1}, %s}]\n  loads: [{direction: [1], constant: %g}]\n"
                "analysis: {kind: %s, until: 5, samples: 6, initial: rest}\n",
                contacts[c], load, analysis);
            am_run *run = run_text(text);
            const am_table *samples = table_of(am_run_report(run)->result, "samples");
            double start = cell(samples, 0, "q1");
            assert_near(2 * start - cell(samples, 0, "T1"), load, 1e-9); /* the path's own accuracy */
            assert_true(load > 0.0 ? start > 0.05 : start == 0.0);
            for (size_t i = 1; i < 6; i++)
                assert_near(cell(samples, i, "q1"), start, 1e-8);
            am_run_free(run);
        }
}

/* Chains of random masses and contacts: the laws hold where the preload ends, and motions stay there. */
static void random_structures_stay_where_they_are(void **state) {
    enum { N = 6, M = 3 };
    uint64_t seed = 77;
    (void)state;
    for (size_t round = 0; round < CASES(12, 3); round++) {
        double k[N * N] = {0}, mass[N * N] = {0}, row[2 * M][N] = {{0}}, direction[2][N], c[N * N] = {0};
        am_contact_def contact[M];
        am_load_def load[2];
        am_error err = {0};
        for (size_t i = 0; i < N; i++) {
            double spring = uniform(&seed, 5.0, 20.0);
            mass[i * N + i] = uniform(&seed, 0.5, 2.0);
            c[i * N + i] = 0.1;
            k[i * N + i] += spring;
            if (i >= 2) {
                double joins = uniform(&seed, 2.0, 10.0);
                k[i * N + i] += joins;
                k[(i - 2) * N + i - 2] += joins;
                k[i * N + i - 2] -= joins;
                k[(i - 2) * N + i] -= joins;
            }
            direction[0][i] = i % 2 ? -uniform(&seed, 0.5, 3.0) : 0.0;
            direction[1][i] = i % 2 ? 0.0 : uniform(&seed, -3.0, 3.0);
        }
        for (size_t j = 0; j < M; j++) {
            contact[j] = am_contact_def_default();
            row[j][2 * j + 1] = row[M + j][2 * j] = 1.0;
            contact[j].normal = row[j];
            contact[j].tangent = row[M + j];
            contact[j].normal_law = AM_KELVIN_VOIGT;
            contact[j].contact_stiffness = uniform(&seed, 20.0, 80.0);
            contact[j].tangential_stiffness = uniform(&seed, 10.0, 40.0);
            contact[j].friction = uniform(&seed, 0.1, 0.5);
            contact[j].gap = j == 1 ? 0.05 : 0.0;
        }
        for (size_t l = 0; l < 2; l++)
            load[l] = (am_load_def){direction[l], am_function_constant(1.0)};
        am_system_def def = am_system_def_default();
        am_matrix *K = am_matrix_dense(N, N, k, &err), *Ma = am_matrix_dense(N, N, mass, &err),
                  *C = am_matrix_dense(N, N, c, &err);
        def.n = N;
        def.stiffness = K;
        def.mass = Ma;
        def.damping = C;
        def.contacts = contact;
        def.contact_count = M;
        def.loads = load;
        def.load_count = 2;
        am_system *system = am_system_create(&def, &err);
        am_equilibrium e;
        GOOD(am_equilibrium_preload(&e, system, 0.0, err));
        for (size_t i = 0; i < N; i++) {
            double force = direction[0][i] + direction[1][i];
            for (size_t j = 0; j < N; j++)
                force -= k[i * N + j] * e.state[j];
            force += i % 2 ? e.normal[i / 2] : e.tangential[i / 2];
            assert_near(force, 0.0, 1e-11);
        }
        for (size_t j = 0; j < M; j++) {
            double N_j = fmax(0.0, -contact[j].contact_stiffness * (e.state[2 * j + 1] + contact[j].gap));
            assert_near(e.normal[j], N_j, 1e-11);
            assert_true(fabs(e.tangential[j]) <= contact[j].friction * N_j + 1e-11);
            assert_near(e.tangential[j], -contact[j].tangential_stiffness * e.state[2 * N + j], 1e-12);
        }
        am_result *result = am_result_create(NULL);
        am_motion_options o = am_motion_options_default();
        o.until = 3.0;
        o.preloaded = true;
        o.samples = 2;
        GOOD(am_motion_run(system, &o, result, NULL, err));
        const am_table *samples = table_of(result, "samples");
        for (size_t i = 0; i < N; i++)
            assert_near(am_table_number(samples, 1, 1 + i), e.state[i], 1e-9);
        am_result_free(result);
        am_equilibrium_clear(&e);
        am_system_free(system);
        am_matrix_free(K);
        am_matrix_free(Ma);
        am_matrix_free(C);
    }
}

static void what_does_not_fit_is_refused(void **state) {
    am_error err = {0};
    const double zero[2] = {0, 0};
    const am_contact_state stick = AM_STICK;
    (void)state;
    rig r = compliant(AM_KELVIN_VOIGT, 1.0);
    build(&r, 10.0, 0.0);
    am_result *result = am_result_create(NULL);
    am_stability_options stability = am_stability_options_default();
    stability.preloaded = AM_PRELOADED_STUCK;
    stability.state = &stick;
    assert_int_equal(am_stability_run(r.system, &stability, result, NULL, &err), AM_ERR_INPUT);
    assert_blames(&err, "preloaded", "give no `state`");
    am_motion_options motion = am_motion_options_default();
    motion.until = 1.0;
    motion.preloaded = true;
    motion.displacement = zero;
    am_result_free(result);
    result = am_result_create(NULL);
    assert_int_equal(am_motion_run(r.system, &motion, result, NULL, &err), AM_ERR_INPUT);
    assert_blames(&err, "initial", "preloaded");
    am_result_free(result);
    clear(&r);
}

/* A slider in a plane that opens, its preload slipped aslant: at the onset of slip the curve may find only the way back.
 * Then it says so: it has not left the range. */
static void a_curve_that_comes_back_on_itself_has_failed(void **state) {
    (void)state;
    static const char study[] =
        "model:\n"
        "  kind: structure\n"
        "  mass: [1, 1, 1]\n"
        "  stiffness: [[1.06, 0.012, 0.003], [0.012, 1.943, 0.02], [0.003, 0.02, 3.728]]\n"
        "  damping: [0.03, 0.03, 0.03]\n"
        "  contacts: [{tangents: [[1, 0, 0], [0, 1, 0]], normal: [0, 0, 1], law: spring, contact_stiffness: 5,"
        " friction: 0.3, tangential_stiffness: 1.72}]\n"
        "  Omega: 2\n"
        "  loads: [{direction: [0.704, -0.494, -0.368], sine: {amplitude: 0.0793, multiple: 1}}]\n"
        "  preload: [{direction: [0.869, 0.495, -1], constant: 0.77}]\n"
        "analysis: {kind: response, over: Omega, from: 2, to: 2.1, harmonics: 1, stability: none}\n";
    am_run *run = run_text(study);
    const am_result *result = am_run_report(run)->result;
    if (!flag(result, "reached"))
        assert_memory_equal(text(result, "end"), "failed: the curve turned", 24);
    am_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_about_a_preload),
        cmocka_unit_test(modes_of_a_hertzian_contact),
        cmocka_unit_test(sliders_keep_their_stretch),
        cmocka_unit_test(contacts_that_close_on_the_way_stick_where_they_close),
        cmocka_unit_test(motions_begin_where_the_preload_left_them),
        cmocka_unit_test(motions_from_rest_begin_with_what_friction_remembers),
        cmocka_unit_test(random_structures_stay_where_they_are),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(a_curve_that_comes_back_on_itself_has_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
