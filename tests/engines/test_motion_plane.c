/* Contacts that slip in a plane: two tangents and a circular limit, behind springs. Closed forms of circular motions, one
 * tangent where the motion is straight, and random motions put into the equations of motion and of the slider, written out
 * once more: |T| <= mu N, the slider's own velocity opposite to T or zero. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/motion.h"
#include "amontons/output.h"
#include "cases.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "results.h"
#include "study_text.h"
#include "uniform.h"

/* ---- circles ---- */

typedef struct circle {
    double m, c, k, kt, N, mu, omega, force;
} circle;

static circle random_circle(uint64_t *seed) {
    circle s = {uniform(seed, 0.5, 2.0),
                uniform(seed, 0.05, 0.3),
                uniform(seed, 0.5, 2.0),
                uniform(seed, 1.0, 5.0),
                uniform(seed, 0.5, 2.0),
                uniform(seed, 0.2, 0.6),
                0.0,
                0.0};
    s.omega = sqrt(s.k / s.m) * uniform(seed, 0.6, 1.5);
    s.force = s.mu * s.N * uniform(seed, 3.0, 6.0);
    return s;
}

/* In the frame that turns with the load the slider leads by the angle whose cosine is a/r, a = mu N/k_t: it drags on a
 * circle of radius a behind a mass on one of radius r. Force with which the mass must be driven. */
static double force_of_radius(const circle *s, double r) {
    double a = s->mu * s->N / s->kt, sine = sqrt(1.0 - a * a / (r * r));
    double along = s->k - s->m * s->omega * s->omega + s->kt * a * a / (r * r);
    double across = s->c * s->omega + s->kt * a / r * sine;
    return r * hypot(along, across);
}

static double radius_of(const circle *s) {
    double low = s->mu * s->N / s->kt, high = 1e3;
    for (int i = 0; i < 200; i++)
        *(force_of_radius(s, 0.5 * (low + high)) < s->force ? &low : &high) = 0.5 * (low + high);
    return low;
}

static am_run *run_plane(const circle *s, double second, const char *contact, const char *analysis) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "model: {kind: structure, names: [x, y], mass: [%.17g, %.17g], damping: [%.17g, %.17g], stiffness: [%.17g, "
        "%.17g], contacts: [{name: pad, %s, law: held, hold: {constant: %.17g}, friction: %.17g, "
        "tangential_stiffness: %.17g}], loads: [{direction: [1, 0], sine: {amplitude: %.17g, frequency: %.17g}}, "
        "{direction: [0, 1], sine: {amplitude: %.17g, frequency: %.17g, phase: 1.5707963267948966}}]}\n"
        "analysis: {%s}\n",
        s->m, s->m, s->c, s->c, s->k, s->k, contact, s->N, s->mu, s->kt, s->force, s->omega, second * s->force,
        s->omega, analysis);
    return run_text(text);
}

static const char both[] = "tangents: [[1, 0], [0, 1]]", first[] = "tangent: [1, 0]";

static void circular_motions_are_closed_forms(void **state) {
    (void)state;
    uint64_t seed = 8;
    for (int trial = 0; trial < CASES(12, 3); trial++) {
        circle s = random_circle(&seed);
        double r = radius_of(&s), a = s.mu * s.N / s.kt;
        am_run *run = run_plane(&s, 1.0, both, "kind: orbit, samples: 9");
        assert_near(scalar(run, "x_amplitude"), r, 1e-10 * r); /* an orbit closes to 1e-12 */
        assert_near(scalar(run, "y_amplitude"), r, 1e-10 * r);
        double loss = 2.0 * acos(-1.0) * s.mu * s.N * sqrt(r * r - a * a); /* mu N times the way of the slider */
        assert_near(scalar(run, "loss_friction"), loss, 1e-10 * loss);
        const am_table *samples = table_of(am_run_report(run)->result, "samples");
        for (size_t i = 0; i < 9; i++) {
            double T[2] = {cell(samples, i, "T_pad"), cell(samples, i, "T2_pad")};
            double q[2] = {cell(samples, i, "x"), cell(samples, i, "y")};
            assert_near(hypot(T[0], T[1]), s.mu * s.N, 1e-12);
            assert_near(-(T[0] * q[0] + T[1] * q[1]), s.mu * s.N * a, 1e-10 * s.mu * s.N * r); /* |T| r cos */
        }
        am_run_free(run);
    }
}

static void a_straight_motion_needs_one_tangent(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int trial = 0; trial < CASES(8, 2); trial++) {
        circle s = random_circle(&seed);
        const char *analysis = "kind: motion, until: 40, samples: 21";
        am_run *one = run_plane(&s, 0.0, first, analysis), *two = run_plane(&s, 0.0, both, analysis);
        const am_table *a = table_of(am_run_report(one)->result, "samples"),
                       *b = table_of(am_run_report(two)->result, "samples");
        assert_true(scalar(one, "events") > 4.0);
        assert_near(scalar(two, "events"), scalar(one, "events"), 0.0);
        for (size_t i = 0; i < 21; i++) {
            assert_near(cell(b, i, "x"), cell(a, i, "x"), 1e-11); /* roundings of some hundred spans */
            assert_near(cell(b, i, "T_pad"), cell(a, i, "T_pad"), 1e-11);
            assert_near(cell(b, i, "T2_pad"), 0.0, 0.0);
        }
        am_run_free(one);
        am_run_free(two);
    }
}

/* Along a tangent of the circle guesses lie outside of it. */
static void a_circular_motion_is_followed_along_its_friction(void **state) {
    (void)state;
    uint64_t seed = 31;
    for (int trial = 0; trial < CASES(4, 1); trial++) {
        circle s = random_circle(&seed), end = s;
        char analysis[256];
        end.mu = 0.8 * s.mu;
        snprintf(analysis, sizeof analysis,
                 "kind: orbit}\nfollow: {parameter: model.contacts.0.friction, from: %.17g, to: %.17g", s.mu, end.mu);
        am_run *run = run_plane(&s, 1.0, both, analysis);
        const am_table *branch = table_of(am_run_report(run)->result, "branch");
        assert_near(cell(branch, am_table_rows(branch) - 1, "model.contacts.0.friction"), end.mu, 0.0);
        double r = radius_of(&end), a = end.mu * end.N / end.kt;
        double loss = 2.0 * acos(-1.0) * end.mu * end.N * sqrt(r * r - a * a);
        assert_near(cell(branch, am_table_rows(branch) - 1, "dissipation"), loss, 1e-10 * loss);
        am_run_free(run);
    }
}

/* ---- ellipses ---- */

/* The equations in slip, written out: y = (q, q', e). */
static void slip_rates(const circle *s, double second, double t, const double *y, double *rate) {
    double force[2] = {s->force * sin(s->omega * t), second * s->force * cos(s->omega * t)};
    double square = y[4] * y[4] + y[5] * y[5], lambda = (y[4] * y[2] + y[5] * y[3]) / square;
    for (int i = 0; i < 2; i++) {
        rate[i] = y[2 + i];
        rate[2 + i] = (force[i] - s->c * y[2 + i] - s->k * y[i] - s->kt * y[4 + i]) / s->m;
        rate[4 + i] = y[2 + i] - lambda * y[4 + i];
    }
    rate[6] = s->kt * lambda * square; /* what friction takes */
}

static void runge_kutta(const circle *s, double second, double period, int steps, double *y) {
    double h = period / steps, at[7], k[4][7];
    for (int n = 0; n < steps; n++) {
        for (int stage = 0; stage < 4; stage++) {
            double part = stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h;
            for (int i = 0; i < 7; i++)
                at[i] = y[i] + (stage > 0 ? part * k[stage - 1][i] : 0.0);
            slip_rates(s, second, n * h + part, at, k[stage]);
        }
        for (int i = 0; i < 7; i++)
            y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
}

static void elliptic_orbits_are_those_of_another_integration(void **state) {
    (void)state;
    uint64_t seed = 77;
    int seen = 0;
    for (int trial = 0; trial < CASES(12, 4); trial++) {
        circle s = random_circle(&seed);
        double second = uniform(&seed, 0.3, 0.9), period = 2.0 * acos(-1.0) / s.omega;
        am_run *run = run_plane(&s, second, both, "kind: orbit, samples: 2");
        const am_table *samples = table_of(am_run_report(run)->result, "samples");
        static const char *const names[] = {"x", "y", "v_x", "v_y", "T_pad", "T2_pad"};
        double y[7] = {0}, start[7] = {0};
        for (int i = 0; i < 6; i++)
            y[i] = start[i] = cell(samples, 0, names[i]) / (i < 4 ? 1.0 : -s.kt);
        if (scalar(run, "switches") == 0.0) { /* it slips all the time */
            runge_kutta(&s, second, period, 20000, y);
            for (int i = 0; i < 6; i++)
                assert_near(y[i], start[i], 1e-10); /* h^4 */
            assert_near(scalar(run, "loss_friction"), y[6], 1e-10 * y[6]);
            seen++;
        }
        am_run_free(run);
    }
    assert_true(seen > CASES(5, 1));
}

/* ---- random motions ---- */

enum { N_ = 3, POINTS = 5 };

typedef struct structure {
    double mass[9], damping[9], stiffness[9], tangent[2][3], normal[3], load[2][3];
    am_contact_def contact;
    am_load_def loads[3];
} structure;

static void draw(structure *s, uint64_t seed) {
    random_source random = random_seed(seed);
    am_contact_def *contact = &s->contact;
    memset(s, 0, sizeof *s);
    random_definite(&random, 3, 0.5, 1, s->mass);
    random_definite(&random, 3, 0.5, 2, s->stiffness);
    random_definite(&random, 3, 0.02, 0.2, s->damping);
    for (int i = 0; i < 3; i++) {
        s->tangent[0][i] = i == 0;
        s->tangent[1][i] = i == 1 ? 1 : i == 0 ? random_between(&random, -0.3, 0.3) : 0;
        s->normal[i] = i == 2;
        s->load[0][i] = random_between(&random, -1, 1);
        s->load[1][i] = i < 2 ? random_between(&random, -1, 1) : 0;
    }
    *contact = am_contact_def_default();
    contact->tangent = s->tangent[0];
    contact->second_tangent = s->tangent[1];
    contact->friction = random_between(&random, 0.1, 0.6);
    contact->tangential_stiffness = random_between(&random, 1, 8);
    contact->surface_velocity = random_chance(&random, 0.5) ? random_between(&random, -0.4, 0.4) : 0;
    if (random_chance(&random, 0.5)) {
        contact->normal_law = AM_HELD;
        contact->hold = am_function_sine(random_between(&random, 0, 0.8), random_between(&random, 0.3, 2), 0);
        contact->hold.value = random_between(&random, 1, 2);
    } else { /* which lifts off now and then */
        contact->normal_law = AM_KELVIN_VOIGT;
        contact->normal = s->normal;
        contact->contact_stiffness = random_between(&random, 3, 20);
        contact->contact_damping = random_chance(&random, 0.5) ? random_between(&random, 0.1, 1) : 0;
        contact->gap = random_between(&random, -0.2, 0.05);
    }
    s->loads[0] = (am_load_def){s->load[0],
                                am_function_sine(random_between(&random, 0.5, 2), random_between(&random, 0.3, 2), 1)};
    s->loads[1] = (am_load_def){s->load[1],
                                am_function_sine(random_between(&random, 0.5, 2), random_between(&random, 0.3, 2), 0)};
    s->loads[2] = (am_load_def){s->normal, am_function_constant(-random_between(&random, 0, 1))};
}

static am_system *make(const structure *s) {
    am_system_def def = am_system_def_default();
    def.n = 3;
    def.contact_count = 1;
    def.contacts = &s->contact;
    def.load_count = 3;
    def.loads = s->loads;
    return dense_system(def, s->mass, s->damping, s->stiffness);
}

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

typedef struct instant {
    double q[3], v[3], N, T[2];
} instant;

static instant look(const am_motion *motion, double t) {
    instant at;
    am_motion_at(motion, t, at.q, at.v, &at.N, &at.T[0]);
    am_motion_second_at(motion, t, &at.T[1]);
    return at;
}

/* d/dt of velocities (3) and of T (2), by differences of fourth order with h and h/2. */
static void rates(const am_motion *motion, double t, double h, double *rate) {
    double coarse[5] = {0};
    for (int half = 0; half < 2; half++, h *= 0.5) {
        double y[4][5];
        for (int k = 0; k < 4; k++) {
            instant at = look(motion, t + (k < 2 ? k - 2 : k - 1) * h);
            memcpy(y[k], at.v, sizeof at.v);
            memcpy(y[k] + 3, at.T, sizeof at.T);
        }
        for (int j = 0; j < 5; j++) {
            double fine = (y[0][j] - 8 * y[1][j] + 8 * y[2][j] - y[3][j]) / (12 * h);
            rate[j] = half == 0 ? fine : (16 * fine - coarse[j]) / 15;
            coarse[j] = fine;
        }
    }
}

/* By how much equations and laws are not fulfilled inside the span just passed. The direction of a slider under little
 * pressure turns fast, which differences do not follow: such instants are left out, and counted. */
static double worst_in_span(const structure *s, const am_motion *motion, am_contact_state state, size_t *seen) {
    const double h = 2e-4, from = am_motion_span_start(motion), to = am_motion_time(motion);
    const am_contact_def *contact = &s->contact;
    double worst = 0, k = contact->tangential_stiffness;
    for (int i = 0; i < POINTS && to - from > 8 * h; i++) {
        double t = from + 2 * h + (to - from - 4 * h) * i / (POINTS - 1), rate[5], slider[2];
        instant at = look(motion, t);
        rates(motion, t, h, rate);
        double most = contact->friction * at.N, pull = hypot(at.T[0], at.T[1]);
        if (state == AM_FORWARD && most < 0.05)
            continue;
        for (int r = 0; r < 3; r++) {
            double sum = dot(s->mass + 3 * r, rate) + dot(s->damping + 3 * r, at.v) + dot(s->stiffness + 3 * r, at.q);
            for (int l = 0; l < 3; l++)
                sum -= s->loads[l].direction[r] * am_function_at(&s->loads[l].function, t);
            sum -=
                (contact->normal ? s->normal[r] * at.N : 0) + s->tangent[0][r] * at.T[0] + s->tangent[1][r] * at.T[1];
            worst = fmax(worst, fabs(sum));
        }
        for (int j = 0; j < 2; j++) /* s' = v - e', e = -T/k */
            slider[j] = dot(s->tangent[j], at.v) - (j == 0 ? contact->surface_velocity : 0) + rate[3 + j] / k;
        if (state == AM_OPEN) {
            worst = fmax(worst, pull);
        } else if (state == AM_STICK) {
            worst = fmax(worst, fmax(hypot(slider[0], slider[1]), pull - most));
        } else {
            double speed = hypot(slider[0], slider[1]);
            worst = fmax(worst, fabs(pull - most));
            worst = fmax(worst, hypot(at.T[0] * speed + most * slider[0], at.T[1] * speed + most * slider[1]));
        }
        ++*seen;
    }
    return worst;
}

static void random_motions_obey_the_circle(void **state) {
    (void)state;
    size_t seen = 0, events = 0;
    for (uint64_t seed = 0; seed < CASES(60, 8); seed++) {
        structure s;
        am_error err = {0};
        draw(&s, seed);
        am_system *system = make(&s);
        am_motion *motion = am_motion_create(system, true, &err);
        GOOD(am_motion_start(motion, 0, NULL, NULL, err));
        for (am_step_kind kind = AM_STEP_SPAN; kind != AM_STEP_END;) {
            am_contact_state before = am_motion_states(motion)[0];
            GOOD(am_motion_step(motion, 15, &kind, err));
            assert_near(worst_in_span(&s, motion, before, &seen), 0, 2e-8); /* of differences next to fast turns */
            events += kind == AM_STEP_EVENT;
        }
        assert_near(am_motion_statistics_get(motion).energy_residual, 0, 1e-12);
        am_motion_free(motion);
        am_system_free(system);
    }
    assert_true(events > CASES(200, 20) && seen > CASES(3000, 300));
}

/* ---- derivatives ---- */

enum { D = 8 };

static size_t run_from(am_motion *motion, const double *start, double *end) {
    size_t events = 0;
    GOOD(am_motion_start_state(motion, 0, start, err));
    for (am_step_kind kind = AM_STEP_SPAN; kind != AM_STEP_END;) {
        GOOD(am_motion_step(motion, 5, &kind, err));
        events += kind == AM_STEP_EVENT;
    }
    memcpy(end, am_motion_state(motion), D * sizeof *end);
    return events;
}

static void derivatives_are_those_of_differences(void **state) {
    (void)state;
    size_t compared = 0;
    for (uint64_t seed = 100; seed < CASES(140u, 106u); seed++) {
        structure s;
        am_error err = {0};
        draw(&s, seed);
        random_source random = random_seed(seed + 1000);
        double start[D] = {0}, end[D], exact[D * D], largest = 1;
        for (int i = 0; i < 6; i++)
            start[i] = random_between(&random, -0.5, 0.5);
        if (s.contact.normal_law != AM_HELD)
            start[2] = -1; /* pressed, with relaxed springs */
        am_system *system = make(&s);
        am_motion *motion = am_motion_create(system, false, &err);
        assert_int_equal(am_motion_dimension(motion), D);
        GOOD(am_motion_follow_sensitivity(motion, true, err));
        size_t events = run_from(motion, start, end);
        memcpy(exact, am_motion_sensitivity(motion), sizeof exact);
        GOOD(am_motion_follow_sensitivity(motion, false, err));
        for (int i = 0; i < D * D; i++)
            largest = fmax(largest, fabs(exact[i]));
        for (int j = 0; j < 6; j++) {
            const double h = 1e-6;
            double side[2][D], moved[D];
            bool same = true;
            for (int k = 0; k < 2; k++) {
                memcpy(moved, start, sizeof moved);
                moved[j] += k ? h : -h;
                same = run_from(motion, moved, side[k]) == events && same;
            }
            if (!same)
                continue;
            compared++;
            for (int i = 0; i < D; i++) /* h^2 and rounding/h, amplified */
                assert_near((side[1][i] - side[0][i]) / (2 * h), exact[i * D + j], 1e-6 * largest);
        }
        am_motion_free(motion);
        am_system_free(system);
    }
    assert_true(compared > CASES(150, 15));
}

/* The directions in which an orbit may be disturbed lie along the circle where the orbit is, wherever it was sought from.
 * The multiplier of another integration: DOP853 of the motion with its variational equation, to 1e-14. */
static void multipliers_do_not_depend_on_the_start(void **state) {
    (void)state;
    static const char *const starts[] = {"[0.010568, 0.178]", "[-0.4, 0.3]"};
    for (size_t i = 0; i < 2; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "model: {kind: structure, mass: [1, 0.94459], damping: [0.079452, 0.079452], stiffness: [[1.8434, "
            "0.00047982], [0.00047982, 1.9599]], contacts: [{tangents: [[1, 0], [0, 1]], law: held, hold: {constant: "
            "1.477}, friction: 0.4, tangential_stiffness: 3.8202}], loads: [{direction: [1, 0], sine: {amplitude: "
            "1.106, frequency: 1.3814}}, {direction: [0, 1], sine: {amplitude: 1.077, frequency: 1.3814, phase: "
            "1.2}}]}\nanalysis: {kind: orbit, initial: {displacement: %s}, samples: 2}\n",
            starts[i]);
        am_run *run = run_text(text);
        assert_near(scalar(run, "multiplier"), 0.7345257268051761, 1e-11);
        am_run_free(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circular_motions_are_closed_forms),
        cmocka_unit_test(a_straight_motion_needs_one_tangent),
        cmocka_unit_test(a_circular_motion_is_followed_along_its_friction),
        cmocka_unit_test(elliptic_orbits_are_those_of_another_integration),
        cmocka_unit_test(multipliers_do_not_depend_on_the_start),
        cmocka_unit_test(random_motions_obey_the_circle),
        cmocka_unit_test(derivatives_are_those_of_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
