/* Rigid contacts that slip in a plane, by Moreau and Jean's scheme: closed forms of sliding blocks, tangents that are
 * turned, one tangent where the motion is straight, and random structures whose steps are put into the scheme's equations
 * and Coulomb's law in the plane, written out once more. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/march.h"
#include "amontons/motion.h"
#include "amontons/output.h"
#include "cases.h"
#include "dense_system.h"
#include "engines/marching/impulses.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "results.h"
#include "study_text.h"
#include "uniform.h"

static const double pi_ = 3.14159265358979323846;

/* ---- a block on a floor ---- */

typedef struct block {
    double m, N, mu, v0[2], angle; /* angle: of the first tangent */
    const char *loads, *analysis;
} block;

static am_run *run_block(const block *b) {
    char text[2048];
    double c = cos(b->angle), s = sin(b->angle);
    snprintf(text, sizeof text,
             "model: {kind: structure, names: [x, y, z], mass: [%.17g, %.17g, %.17g], stiffness: [0, 0, 0], contacts: "
             "[{name: floor, normal: [0, 0, 1], tangents: [[%.17g, %.17g, 0], [%.17g, %.17g, 0]], friction: %.17g}], "
             "loads: [{direction: [0, 0, -1], constant: %.17g}%s]}\n"
             "analysis: {kind: march, method: moreau-jean, initial: {displacement: [0, 0, 0], velocity: [%.17g, %.17g, "
             "0]}, %s}\n",
             b->m, b->m, b->m, c, s, -s, c, b->mu, b->N, b->loads, b->v0[0], b->v0[1], b->analysis);
    return run_text(text);
}

/* It slows down by mu g whichever way it slides, and stops after v0^2/(2 mu g). */
static void a_block_slides_straight_and_stops(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int trial = 0; trial < CASES(10, 3); trial++) {
        double speed = uniform(&seed, 0.5, 2.0), way = uniform(&seed, 0.0, 2.0 * pi_);
        block b = {uniform(&seed, 0.5, 3.0),
                   uniform(&seed, 5.0, 20.0),
                   uniform(&seed, 0.1, 0.6),
                   {0},
                   uniform(&seed, -3.0, 3.0),
                   "",
                   "step: 0.001953125, until: 8, samples: 3"};
        b.v0[0] = speed * cos(way);
        b.v0[1] = speed * sin(way);
        am_run *run = run_block(&b);
        const am_table *samples = table_of(am_run_report(run)->result, "samples");
        double slowing = b.mu * b.N / b.m, distance = speed * speed / (2.0 * slowing), h = 0.001953125;
        assert_true(speed / slowing < 8.0);
        /* The last step is cut off where the speed vanishes, on a straight line: less than slowing h^2/8 is missing. */
        assert_near(cell(samples, 2, "x"), distance * cos(way), 0.125 * slowing * h * h);
        assert_near(cell(samples, 2, "y"), distance * sin(way), 0.125 * slowing * h * h);
        assert_near(scalar(run, "loss_friction"), 0.5 * b.m * speed * speed, 1e-12);
        assert_near(scalar(run, "energy_residual"), 0.0, 1e-13);
        assert_near(scalar(run, "complementarity_residual"), 0.0, 1e-12);
        assert_string_equal(text(am_run_report(run)->result, "final_state"), "stick");
        am_run_free(run);
    }
}

/* A force F that turns with the angular velocity w, beyond the limit, drives it around a circle: friction opposite to
 * the velocity leaves sqrt(F^2 - (mu N)^2) = m v w across. */
static void a_force_that_turns_makes_it_circle(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (int trial = 0; trial < CASES(6, 2); trial++) {
        char loads[256], analysis[128];
        double F = uniform(&seed, 1.5, 3.0), w = uniform(&seed, 0.5, 2.0);
        block b = {uniform(&seed, 0.5, 3.0), 2.0, 0.4, {0}, uniform(&seed, -3.0, 3.0), loads, analysis};
        double period = 2.0 * pi_ / w, left = sqrt(F * F - 0.64), steps = 400;
        snprintf(loads, sizeof loads,
                 ", {direction: [1, 0, 0], sine: {amplitude: %.17g, frequency: %.17g, phase: %.17g}}, {direction: [0, "
                 "1, 0], sine: {amplitude: %.17g, frequency: %.17g}}",
                 F, w, 0.5 * pi_, F, w);
        snprintf(analysis, sizeof analysis, "step: %.17g, until: %.17g, record_from: %.17g, samples: 9", period / steps,
                 8.0 * period, 7.0 * period);
        b.v0[0] = left / (b.m * w);
        am_run *run = run_block(&b);
        const am_table *samples = table_of(am_run_report(run)->result, "samples");
        double worst = 2.0 * pi_ / steps; /* first order: w h */
        for (size_t i = 0; i < 9; i++) {
            double v[2] = {cell(samples, i, "v_x"), cell(samples, i, "v_y")};
            assert_near(hypot(v[0], v[1]), left / (b.m * w), worst * left / (b.m * w));
            assert_near(hypot(cell(samples, i, "T_floor"), cell(samples, i, "T2_floor")), 0.8, 1e-14);
        }
        am_run_free(run);
    }
}

static void turning_the_tangents_changes_nothing(void **state) {
    (void)state;
    uint64_t seed = 21;
    double slips = 0.0;
    for (int trial = 0; trial < CASES(6, 2); trial++) {
        block b = {1.0,
                   3.0,
                   uniform(&seed, 0.2, 0.6),
                   {uniform(&seed, -1.0, 1.0), uniform(&seed, -1.0, 1.0)},
                   0.0,
                   ", {direction: [1, 0, 0], sine: {amplitude: 1.2, frequency: 1.7}}, {direction: [0, 1, 0.3], sine: "
                   "{amplitude: 0.9, frequency: 2.9}}",
                   "step: 0.01, until: 10, samples: 1001"};
        am_run *straight = run_block(&b);
        b.angle = uniform(&seed, -3.0, 3.0);
        am_run *turned = run_block(&b);
        const am_table *p = table_of(am_run_report(straight)->result, "samples"),
                       *q = table_of(am_run_report(turned)->result, "samples");
        double c = cos(b.angle), s = sin(b.angle);
        slips += scalar(straight, "slips");
        for (size_t i = 0; i < 1000; i += 37) {
            assert_near(cell(q, i, "x"), cell(p, i, "x"), 1e-11); /* roundings of a thousand steps */
            assert_near(cell(q, i, "y"), cell(p, i, "y"), 1e-11);
            double T = cell(q, i, "T_floor"), T2 = cell(q, i, "T2_floor");
            assert_near(c * T - s * T2, cell(p, i, "T_floor"), 1e-9); /* forces are impulses over a step of 0.01 */
            assert_near(s * T + c * T2, cell(p, i, "T2_floor"), 1e-9);
        }
        am_run_free(straight);
        am_run_free(turned);
    }
    assert_true(slips > CASES(12.0, 2.0));
}

/* ---- random structures ---- */

enum { MOST_N = 8, MOST_M = 3 }; /* the last of three contacts shares a coordinate with the first */

typedef struct structure {
    size_t n, m;
    double mass[MOST_N * MOST_N], damping[MOST_N * MOST_N], stiffness[MOST_N * MOST_N];
    double row[MOST_M][3][MOST_N], press[MOST_M][MOST_N], shake[2][MOST_N], v[MOST_N];
    am_contact_def contact[MOST_M];
    am_load_def loads[MOST_M + 2];
} structure;

static void draw_contact(structure *s, size_t c, random_source *random) {
    am_contact_def *contact = &s->contact[c];
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < 3; k++)
            s->row[c][k][i] = (i == (3 * c + k) % s->n) + (i / 3 != c ? random_between(random, -0.15, 0.15) : 0.0);
    *contact = am_contact_def_default();
    contact->normal = s->row[c][0];
    contact->tangent = s->row[c][1];
    contact->second_tangent = random_chance(random, 0.8) ? s->row[c][2] : NULL;
    contact->friction = random_between(random, 0.1, 0.6);
    contact->restitution = random_chance(random, 0.3) ? random_between(random, 0, 0.8) : 0.0;
    if (random_chance(random, 0.4)) {
        contact->surface_velocity = random_between(random, -0.5, 0.5);
        contact->surface_motion = am_function_sine(random_between(random, 0, 1), 2.3, 0.2);
    }
    if (random_chance(random, 0.3)) {
        contact->normal_law = AM_HELD;
        contact->restitution = 0.0;
        contact->hold = am_function_constant(random_between(random, 0.5, 2));
    }
    for (size_t i = 0; i < s->n; i++)
        s->press[c][i] = -s->row[c][0][i];
    s->loads[c] = (am_load_def){s->press[c], am_function_constant(random_between(random, 0.5, 3))};
}

static void draw(structure *s, uint64_t seed) {
    random_source random = random_seed(seed);
    memset(s, 0, sizeof *s);
    s->m = 1 + random_index(&random, MOST_M);
    s->n = s->m == 3 ? MOST_N : 3 * s->m;
    random_definite(&random, s->n, 0.5, 1, s->mass);
    random_definite(&random, s->n, 0.3, 2, s->stiffness);
    random_definite(&random, s->n, 0.02, 0.2, s->damping);
    for (size_t c = 0; c < s->m; c++)
        draw_contact(s, c, &random);
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < s->n; i++)
            s->shake[k][i] = random_between(&random, -1, 1);
        s->loads[s->m + k] = (am_load_def){
            s->shake[k], am_function_sine(random_between(&random, 0.5, 2), random_between(&random, 0.5, 3), 1)};
    }
    for (size_t i = 0; i < s->n; i++)
        s->v[i] = random_between(&random, -0.5, 0.5);
}

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

typedef struct instant {
    double t, q[MOST_N], v[MOST_N], N[MOST_M], T[MOST_M][2];
    const char *state[MOST_M];
} instant;

static instant look(const structure *s, const am_table *samples, size_t row) {
    instant at = {.t = cell(samples, row, "t")};
    char name[32];
    for (size_t i = 0; i < s->n; i++) {
        snprintf(name, sizeof name, "q%zu", i + 1);
        at.q[i] = cell(samples, row, name);
        snprintf(name, sizeof name, "v%zu", i + 1);
        at.v[i] = cell(samples, row, name);
    }
    for (size_t c = 0; c < s->m; c++) {
        snprintf(name, sizeof name, "N%zu", c + 1);
        at.N[c] = cell(samples, row, name);
        snprintf(name, sizeof name, "T%zu", c + 1);
        at.T[c][0] = cell(samples, row, name);
        snprintf(name, sizeof name, "T2%zu", c + 1);
        at.T[c][1] = s->contact[c].second_tangent ? cell(samples, row, name) : 0.0;
        snprintf(name, sizeof name, "state%zu", c + 1);
        at.state[c] = word(samples, row, name);
    }
    return at;
}

/* M (v1 - v0)/h = loads, springs and dampers at the middle, contact forces: the scheme with theta = 1/2. */
static double motion_defect(const structure *s, const instant *a, const instant *b) {
    double worst = 0.0, h = b->t - a->t;
    for (size_t r = 0; r < s->n; r++) {
        double sum = 0.0;
        for (size_t i = 0; i < s->n; i++)
            sum += s->mass[r * s->n + i] * (b->v[i] - a->v[i]) / h +
                   s->damping[r * s->n + i] * 0.5 * (a->v[i] + b->v[i]) +
                   s->stiffness[r * s->n + i] * 0.5 * (a->q[i] + b->q[i]);
        for (size_t l = 0; l < s->m + 2; l++)
            sum -= s->loads[l].direction[r] * 0.5 *
                   (am_function_at(&s->loads[l].function, a->t) + am_function_at(&s->loads[l].function, b->t));
        for (size_t c = 0; c < MOST_M; c++) /* zero beyond m */
            sum -= s->row[c][0][r] * a->N[c] + s->row[c][1][r] * a->T[c][0] + s->row[c][2][r] * a->T[c][1];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

/* Forces of the step from a to b, velocities at its end. */
static double friction_defect(const structure *s, size_t c, const instant *a, const instant *b, size_t *slips) {
    const am_contact_def *contact = &s->contact[c];
    double slide[2], most = contact->friction * a->N[c], pull = hypot(a->T[c][0], a->T[c][1]);
    for (size_t k = 0; k < 2; k++)
        slide[k] = contact->second_tangent || k == 0 ? dot(s->row[c][1 + k], b->v, s->n) : 0.0;
    slide[0] -= contact->surface_velocity + am_function_at(&contact->surface_motion, b->t);
    double speed = hypot(slide[0], slide[1]);
    if (pull < most * (1.0 - 1e-8))
        return fmax(0.0, speed);
    *slips += most > 0.0 && contact->second_tangent && fabs(slide[1]) > 1e-3;
    return fmax(pull - most, hypot(a->T[c][0] * speed + most * slide[0], a->T[c][1] * speed + most * slide[1]));
}

static am_system *make(const structure *s) {
    am_system_def def = am_system_def_default();
    def.n = s->n;
    def.contact_count = s->m;
    def.contacts = s->contact;
    def.load_count = s->m + 2;
    def.loads = s->loads;
    return dense_system(def, s->mass, s->damping, s->stiffness);
}

static am_march_options options_of(const structure *s, size_t steps) {
    am_march_options options = am_march_options_default();
    options.method = AM_MARCH_MOREAU_JEAN;
    options.until = 4.0;
    options.step = options.until / (double)steps;
    options.samples = steps + 1;
    options.check = AM_MARCH_CHECK_NO;
    options.velocity = s->v;
    return options;
}

static void random_steps_obey_the_scheme_and_the_circle(void **state) {
    (void)state;
    size_t slips = 0, open = 0, stick = 0, most = CASES(40, 6), steps = 512;
    for (uint64_t seed = 0; seed < most; seed++) {
        structure s;
        draw(&s, seed);
        am_system *system = make(&s);
        am_march_options options = options_of(&s, steps);
        am_error none = {0};
        am_result *result = am_result_create(&none);
        GOOD(am_march_run(system, &options, result, NULL, err));
        assert_true(number(result, "complementarity_residual") <= 1e-11); /* sweeps end where they change 1e-13 */
        assert_true(number(result, "loss_friction") >= 0.0);
        assert_true(number(result, "loss_impact") >= -1e-12);
        const am_table *samples = table_of(result, "samples");
        instant a = look(&s, samples, 0);
        for (size_t i = 0; i < steps; i++) { /* a row holds the forces of the step that begins there */
            instant b = look(&s, samples, i + 1);
            assert_near(motion_defect(&s, &a, &b), 0.0, 1e-9); /* rounding over the step of 1/128 */
            for (size_t c = 0; c < s.m; c++) {
                assert_near(friction_defect(&s, c, &a, &b, &slips), 0.0, 1e-9);
                open += strcmp(b.state[c], "open") == 0;
                stick += strcmp(b.state[c], "stick") == 0;
            }
            a = b;
        }
        am_result_free(result);
        am_system_free(system);
    }
    assert_true(slips > 100 * most && open > 20 * most && stick > 20 * most);
}

/* From no impulses at all Newton's method comes to those that the sweeps found. */
static void newton_finds_what_sweeps_find(void **state) {
    (void)state;
    double worst = 0.0, most = 0.0;
    for (uint64_t seed = 0; seed < CASES(40, 6); seed++) {
        structure s;
        am_error err = {0};
        double y[2 * MOST_N] = {0}, swept[3 * MOST_M];
        draw(&s, seed);
        memcpy(y + s.n, s.v, s.n * sizeof *y);
        am_system *system = make(&s);
        am_march_options options = options_of(&s, 64);
        am_march *march = am_march_create(system, &options, &err);
        GOOD(am_march_start(march, 0.0, y, false, err));
        am_cone *cone = &march->impulses->cone;
        bool found;
        while (march->t < options.until) {
            GOOD(am_march_step(march, options.until, err));
            memcpy(swept, cone->P, cone->rows * sizeof *swept);
            memset(cone->P, 0, cone->rows * sizeof *swept);
            GOOD(am_cone_newton(cone, &march->memory, &found, err));
            assert_true(found);
            for (size_t k = 0; k < cone->rows; k++) {
                worst = fmax(worst, fabs(cone->P[k] - swept[k]));
                most = fmax(most, fabs(swept[k]));
            }
            memcpy(cone->P, swept, cone->rows * sizeof *swept);
            GOOD(am_march_settle(march, err));
        }
        am_march_free(march);
        am_system_free(system);
    }
    assert_near(worst, 0.0, 1e-9 * most); /* it ends at 1e-11, times the condition of a few contacts */
}

/* ---- behind springs, by the adaptive method ---- */

enum { THREE = 3, ROWS = 21 };

typedef struct spring_structure {
    double mass[9], damping[9], stiffness[9], tangent[2][3], normal[3], load[2][3];
    am_contact_def contact;
    am_load_def loads[3];
} spring_structure;

static void draw_springs(spring_structure *s, uint64_t seed) {
    random_source random = random_seed(seed);
    am_contact_def *contact = &s->contact;
    memset(s, 0, sizeof *s);
    random_definite(&random, THREE, 0.5, 1, s->mass);
    random_definite(&random, THREE, 0.5, 2, s->stiffness);
    random_definite(&random, THREE, 0.05, 0.2, s->damping);
    for (int i = 0; i < THREE; i++) {
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
    for (int k = 0; k < 2; k++)
        s->loads[k] = (am_load_def){
            s->load[k], am_function_sine(random_between(&random, 0.5, 2), random_between(&random, 0.3, 2), 1 - k)};
    s->loads[2] = (am_load_def){s->normal, am_function_constant(-random_between(&random, 0, 1))};
}

/* Two engines that share nothing but the definition. */
static void adaptive_steps_follow_the_exact_motion(void **state) {
    (void)state;
    double slips = 0.0, lifts = 0.0;
    if (!am_march_available(AM_MARCH_ADAPTIVE))
        return;
    for (uint64_t seed = 0; seed < CASES(20, 4); seed++) {
        spring_structure s;
        am_error none = {0};
        am_system_def def = am_system_def_default();
        draw_springs(&s, seed);
        def.n = THREE;
        def.contact_count = 1;
        def.contacts = &s.contact;
        def.load_count = 3;
        def.loads = s.loads;
        am_system *system = dense_system(def, s.mass, s.damping, s.stiffness);
        am_result *step = am_result_create(&none), *exact = am_result_create(&none);
        am_march_options marches = am_march_options_default();
        am_motion_options moves = am_motion_options_default();
        marches.until = moves.until = 10.0;
        marches.samples = moves.samples = ROWS;
        marches.check = AM_MARCH_CHECK_NO;
        marches.tolerance = 1e-9;
        GOOD(am_march_run(system, &marches, step, NULL, err));
        GOOD(am_motion_run(system, &moves, exact, NULL, err));
        static const char *const names[] = {"q1", "q2", "q3", "v1", "v2", "v3", "T1", "T21"};
        for (size_t i = 0; i < ROWS; i++)
            for (size_t k = 0; k < 8; k++) /* the tolerance of a step, over some hundred of them and through switches */
                assert_near(cell(table_of(step, "samples"), i, names[k]), cell(table_of(exact, "samples"), i, names[k]),
                            1e-5);
        assert_near(number(step, "loss_friction"), number(exact, "loss_friction"), 1e-5);
        slips += number(step, "slips");
        lifts += number(step, "lift_offs");
        am_result_free(step);
        am_result_free(exact);
        am_system_free(system);
    }
    assert_true(slips > CASES(20.0, 3.0) && lifts > CASES(7.0, 1.0));
}

static void newmark_says_that_it_has_one_direction(void **state) {
    (void)state;
    am_error err = {0};
    assert_null(am_study_parse("/test.yaml",
                               "model: {kind: structure, mass: [1, 1], stiffness: [1, 1], contacts: [{tangents: [[1, "
                               "0], [0, 1]], law: held, hold: {constant: 1}, friction: 0.3, tangential_stiffness: "
                               "2}]}\nanalysis: {kind: march, method: newmark, step: 0.01, until: 1}\n",
                               0, NULL, false, &err));
    assert_says(&err, "/test.yaml:2:33: ");
    assert_says(&err, "along one direction");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_straight_and_stops),
        cmocka_unit_test(a_force_that_turns_makes_it_circle),
        cmocka_unit_test(turning_the_tangents_changes_nothing),
        cmocka_unit_test(random_steps_obey_the_scheme_and_the_circle),
        cmocka_unit_test(newton_finds_what_sweeps_find),
        cmocka_unit_test(adaptive_steps_follow_the_exact_motion),
        cmocka_unit_test(newmark_says_that_it_has_one_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
