/* Slow loads on contacts that slip in a plane, rigid or behind springs, by load steps: closed forms of circles, one tangent
 * where the path is straight, tangents that are turned, slow motions, and random paths put into equilibrium and the laws of
 * contact, written out once more. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/output.h"
#include "amontons/path.h"
#include "cases.h"
#include "dense_system.h"
#include "engines/quasistatic/incremental.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "results.h"
#include "study_text.h"
#include "uniform.h"

static const double pi_ = 3.14159265358979323846;

/* ---- loops ---- */

typedef struct loop {
    double k, kt, N, mu, force, second; /* kt 0: rigid; second: part of the force along y */
    double mass, damping, omega;
    const char *contact;
} loop;

static const char both[] = "tangents: [[1, 0], [0, 1]]", first[] = "tangent: [1, 0]";

static loop draw_loop(uint64_t *seed) {
    loop l = {.k = uniform(seed, 0.5, 2.0),
              .kt = uniform(seed, 1.0, 5.0),
              .N = uniform(seed, 0.5, 2.0),
              .mu = uniform(seed, 0.2, 0.6),
              .second = 1.0,
              .mass = 1.0,
              .omega = 1.0,
              .contact = both};
    l.force = l.mu * l.N * uniform(seed, 2.0, 5.0);
    return l;
}

static am_run *run_loop(const loop *l, const char *analysis) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "model: {kind: structure, names: [x, y], mass: [%.17g, %.17g], damping: [%.17g, %.17g], stiffness: [%.17g, "
        "%.17g], contacts: [{name: pad, %s, law: held, hold: {constant: %.17g}, friction: %.17g, "
        "tangential_stiffness: %.17g}], loads: [{direction: [1, 0], sine: {amplitude: %.17g, frequency: %.17g, "
        "phase: 1.5707963267948966}}, {direction: [0, 1], sine: {amplitude: %.17g, frequency: %.17g}}]}\n"
        "analysis: {%s}\n",
        l->mass, l->mass, l->damping, l->damping, l->k, l->k, l->contact, l->N, l->mu, l->kt, l->force, l->omega,
        l->second * l->force, l->omega, analysis);
    return run_text(text);
}

static double dissipation_with(const loop *l, int steps) {
    char analysis[128];
    snprintf(analysis, sizeof analysis, "kind: path, method: incremental, steps: %d, cycles: until-repeat", steps);
    am_run *run = run_loop(l, analysis);
    double loss = scalar(run, "dissipation");
    assert_true(scalar(run, "complementarity_residual") <= 1e-12);
    am_run_free(run);
    return loss;
}

/* The first order in the step is taken off; what is left is of second order, (2 pi/200)^2 at most. */
static double dissipation_of(const loop *l) {
    double coarse = dissipation_with(l, 200), fine = dissipation_with(l, 400);
    assert_near(fine, 2.0 * fine - coarse, 0.1 * fine); /* which is not much */
    return 2.0 * fine - coarse;
}

/* Behind springs: docs/laws.md, section 6, without mass. Force with which a slider is led around at the radius r. */
static double force_of_radius(const loop *l, double r) {
    double a = l->mu * l->N / l->kt, sine = sqrt(1.0 - a * a / (r * r));
    return r * hypot(l->k + l->kt * a * a / (r * r), l->kt * a / r * sine);
}

static void circles_behind_springs_take_the_closed_form(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int trial = 0; trial < CASES(8, 2); trial++) {
        loop l = draw_loop(&seed);
        double low = l.mu * l.N / l.kt, high = 1e3, a = low;
        for (int i = 0; i < 200; i++)
            *(force_of_radius(&l, 0.5 * (low + high)) < l.force ? &low : &high) = 0.5 * (low + high);
        double loss = 2.0 * pi_ * l.mu * l.N * sqrt(low * low - a * a);
        assert_near(dissipation_of(&l), loss, 1e-3 * loss);
    }
}

/* Rigid: k r along the position and mu N against the velocity balance the force. */
static void rigid_circles_take_the_closed_form(void **state) {
    (void)state;
    uint64_t seed = 16;
    for (int trial = 0; trial < CASES(8, 2); trial++) {
        loop l = draw_loop(&seed);
        l.kt = 0.0;
        double loss = 2.0 * pi_ * l.mu * l.N * sqrt(l.force * l.force - l.mu * l.mu * l.N * l.N) / l.k;
        assert_near(dissipation_of(&l), loss, 1e-3 * loss);
    }
}

static void a_straight_path_needs_one_tangent(void **state) {
    (void)state;
    uint64_t seed = 26;
    for (int trial = 0; trial < CASES(6, 2); trial++) {
        loop l = draw_loop(&seed);
        l.second = 0.0;
        l.kt *= trial % 2;
        const char *analysis = "kind: path, method: incremental, steps: 300, until: 20, samples: 41";
        am_run *two = run_loop(&l, analysis);
        l.contact = first;
        am_run *one = run_loop(&l, analysis);
        const am_table *a = table_of(am_run_report(one)->result, "samples"),
                       *b = table_of(am_run_report(two)->result, "samples");
        assert_near(scalar(two, "loss_friction"), scalar(one, "loss_friction"), 1e-12);
        for (size_t i = 0; i < 41; i++) {
            assert_near(cell(b, i, "x"), cell(a, i, "x"), 1e-12);
            assert_near(cell(b, i, "T_pad"), cell(a, i, "T_pad"), 1e-12);
            assert_near(cell(b, i, "T2_pad"), 0.0, 0.0);
        }
        am_run_free(one);
        am_run_free(two);
    }
}

/* On an ellipse, against a motion so slow that what inertia and damping take from friction is of the order of omega. */
static void slow_motions_follow_the_path(void **state) {
    (void)state;
    uint64_t seed = 36;
    for (int trial = 0; trial < CASES(3, 1); trial++) {
        loop l = draw_loop(&seed);
        l.second = 0.6;
        double path = dissipation_of(&l);
        l.mass = 0.1;
        l.damping = 0.2;
        l.omega = 0.002;
        am_run *slow = run_loop(&l, "kind: orbit, samples: 2");
        assert_near(scalar(slow, "loss_friction"), path, 3e-3 * path);
        am_run_free(slow);
    }
}

/* ---- random structures ---- */

enum { N_ = 6, M_ = 2, STEPS = 64 };

typedef struct structure {
    double stiffness[N_ * N_], row[M_][3][N_], load[3][N_], angle;
    am_contact_def contact[M_];
    am_load_def loads[3];
} structure;

static void draw(structure *s, uint64_t seed, double angle) {
    random_source random = random_seed(seed);
    memset(s, 0, sizeof *s);
    random_definite(&random, N_, 1, 1, s->stiffness);
    for (size_t c = 0; c < M_; c++) {
        am_contact_def *contact = &s->contact[c];
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < N_; i++)
                s->row[c][k][i] = (i == 3 * c + k) + (i / 3 != c ? random_between(&random, -0.1, 0.1) : 0.0);
        for (size_t i = 0; i < N_; i++) {
            double x = s->row[c][1][i], y = s->row[c][2][i];
            s->row[c][1][i] = cos(angle) * x + sin(angle) * y;
            s->row[c][2][i] = -sin(angle) * x + cos(angle) * y;
        }
        *contact = am_contact_def_default();
        contact->normal = s->row[c][0];
        contact->tangent = s->row[c][1];
        contact->second_tangent = s->row[c][2];
        contact->friction = random_between(&random, 0.1, 0.5) * (seed % 2 ? 0.3 : 1.0);
        contact->tangential_stiffness = random_chance(&random, 0.5) ? random_between(&random, 1, 5) : 0.0;
        int law = (int)random_index(&random, 3);
        contact->normal_law = law == 0 ? AM_HELD : law == 1 ? AM_UNILATERAL : AM_KELVIN_VOIGT;
        contact->hold = am_function_constant(random_between(&random, 0.5, 1.5));
        if (law == 1)
            contact->tangential_stiffness = 0.0;
        contact->contact_stiffness = law == 2 ? random_between(&random, 3, 10) : 0.0;
    }
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < N_; i++)
            s->load[k][i] = k == 0 ? -(i % 3 == 0) : random_between(&random, -1, 1);
        s->loads[k] = (am_load_def){s->load[k], k == 0 ? am_function_constant(random_between(&random, 0.5, 2))
                                                       : am_function_sine(random_between(&random, 0.5, 2), 1.0 + k, 0)};
    }
}

static am_system *make(const structure *s) {
    am_system_def def = am_system_def_default();
    def.n = N_;
    def.contact_count = M_;
    def.contacts = s->contact;
    def.load_count = 3;
    def.loads = s->loads;
    return dense_system(def, NULL, NULL, s->stiffness);
}

static am_result *follow(const structure *s) {
    am_system *system = make(s);
    am_path_options options = am_path_options_default();
    options.method = AM_PATH_INCREMENTAL;
    options.steps = STEPS;
    options.samples = STEPS + 1;
    options.until = 4.0;
    am_error none = {0};
    am_result *result = am_result_create(&none);
    GOOD(am_path_run(system, &options, result, NULL, err));
    am_system_free(system);
    return result;
}

/* Is it certain that no step had to be divided? */
static bool steps_are_whole(const structure *s) {
    bool tame = false, rigid = true;
    for (size_t c = 0; c < M_; c++) /* depths would be coordinates */
        rigid = rigid && s->contact[c].normal_law != AM_KELVIN_VOIGT;
    am_system *system = make(s);
    am_path_incremental path;
    GOOD(am_path_incremental_init(&path, system, err));
    GOOD(am_path_plane_is_tame(&path, &tame, err));
    am_path_incremental_clear(&path);
    am_system_free(system);
    return tame && rigid;
}

typedef struct point {
    double t, q[N_], N[M_], T[M_][2], slider[M_][2];
} point;

static double dot(const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < N_; i++)
        sum += a[i] * b[i];
    return sum;
}

static point look(const structure *s, const am_table *samples, size_t row) {
    point at = {.t = cell(samples, row, "t")};
    char name[16];
    for (size_t i = 0; i < N_; i++) {
        snprintf(name, sizeof name, "q%zu", i + 1);
        at.q[i] = cell(samples, row, name);
    }
    for (size_t c = 0; c < M_; c++) {
        static const char *const force[] = {"T", "T2"};
        double k = s->contact[c].tangential_stiffness;
        snprintf(name, sizeof name, "N%zu", c + 1);
        at.N[c] = cell(samples, row, name);
        for (size_t j = 0; j < 2; j++) {
            snprintf(name, sizeof name, "%s%zu", force[j], c + 1);
            at.T[c][j] = cell(samples, row, name);
            at.slider[c][j] = dot(s->row[c][1 + j], at.q) + (k > 0.0 ? at.T[c][j] / k : 0.0);
        }
    }
    return at;
}

/* Forces balance, presses and gaps are what the normal law says. */
static double balance_defect(const structure *s, const point *at) {
    double worst = 0.0;
    for (size_t r = 0; r < N_; r++) {
        double sum = dot(s->stiffness + N_ * r, at->q);
        for (size_t l = 0; l < 3; l++)
            sum -= s->load[l][r] * am_function_at(&s->loads[l].function, at->t);
        for (size_t c = 0; c < M_; c++)
            sum -= s->row[c][0][r] * at->N[c] + s->row[c][1][r] * at->T[c][0] + s->row[c][2][r] * at->T[c][1];
        worst = fmax(worst, fabs(sum));
    }
    for (size_t c = 0; c < M_; c++) {
        double gap = dot(s->row[c][0], at->q), N = at->N[c], k = s->contact[c].contact_stiffness;
        if (s->contact[c].normal_law == AM_HELD)
            worst = fmax(worst, fabs(N - s->contact[c].hold.value));
        else if (s->contact[c].normal_law == AM_KELVIN_VOIGT)
            worst = fmax(worst, fabs(N - k * fmax(0.0, -gap)));
        else
            worst = fmax(worst, fmax(fabs(fmin(N, gap)), fmax(-N, -gap)));
    }
    return worst;
}

/* Friction at b, the slider's way from a to b: opposite, unless the step was divided. */
static double friction_defect(const structure *s, size_t c, const point *a, const point *b, bool whole, size_t *slips) {
    double way[2], most = s->contact[c].friction * b->N[c], pull = hypot(b->T[c][0], b->T[c][1]);
    for (size_t j = 0; j < 2; j++)
        way[j] = b->slider[c][j] - a->slider[c][j];
    double length = hypot(way[0], way[1]);
    if (b->N[c] == 0.0)
        return pull;
    if (!whole)
        return fmax(0.0, pull - most);
    if (pull < most * (1.0 - 1e-8))
        return length;
    *slips += length > 1e-6;
    return fmax(fabs(pull - most), hypot(b->T[c][0] * length + most * way[0], b->T[c][1] * length + most * way[1]));
}

static void random_paths_balance_and_obey_the_circle(void **state) {
    (void)state;
    size_t slips = 0, open = 0, most = CASES(40, 6);
    for (uint64_t seed = 0; seed < most; seed++) {
        structure s;
        draw(&s, seed, 0.0);
        bool whole = steps_are_whole(&s);
        am_result *result = follow(&s);
        const am_table *samples = table_of(result, "samples");
        assert_true(number(result, "loss_friction") >= 0.0);
        point a = look(&s, samples, 0);
        for (size_t i = 1; i < am_table_rows(samples); i++) {
            point b = look(&s, samples, i);
            assert_near(balance_defect(&s, &b), 0.0, 1e-10);
            for (size_t c = 0; c < M_; c++) {
                open += b.N[c] == 0.0;
                assert_near(friction_defect(&s, c, &a, &b, whole, &slips), 0.0, 1e-10);
            }
            a = b;
        }
        am_result_free(result);
    }
    assert_true(slips > 20 * most && open > 4 * most);
}

static void turning_the_tangents_changes_nothing(void **state) {
    (void)state;
    for (uint64_t seed = 100; seed < 100 + CASES(8, 2); seed++) {
        structure s, turned;
        draw(&s, seed, 0.0);
        draw(&turned, seed, 0.3 + (double)seed);
        am_result *a = follow(&s), *b = follow(&turned);
        for (size_t i = 0; i < am_table_rows(table_of(a, "samples")); i += 7) {
            point p = look(&s, table_of(a, "samples"), i), q = look(&turned, table_of(b, "samples"), i);
            for (size_t k = 0; k < N_; k++)
                assert_near(q.q[k], p.q[k], 1e-9); /* of solves to 1e-11 */
        }
        am_result_free(a);
        am_result_free(b);
    }
}

static void what_steps_cannot_have_is_said(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"stiffness: [0, 0, 0], contacts: [{normal: [0, 0, 1], tangents: [[1, 0, 0], [0, 1, 0]], friction: 0.3}]",
         "only its contacts hold the structure"},
        {"stiffness: [1, 1, 1], contacts: [{normal: [0, 0, 1], tangents: [[1, 0, 0], [0, 1, 0]], friction: 0.3}, "
         "{tangent: [1, 0, 1], law: held, hold: {constant: 1}, friction: 0.1, static_friction: 0.3, "
         "tangential_stiffness: 2}]",
         "friction of others falls"}};
    for (size_t i = 0; i < 2; i++) {
        char text[1024];
        am_error err = {0};
        snprintf(text, sizeof text,
                 "model: {kind: structure, mass: [1, 1, 1], %s, loads: [{direction: [0, 0, -1], constant: 1}]}\n"
                 "analysis: {kind: path, method: incremental, steps: 4, until: 1}\n",
                 cases[i][0]);
        am_study *study = read_text(text);
        assert_null(am_study_run(study, NULL, &err));
        assert_says(&err, cases[i][1]);
        am_study_free(study);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles_behind_springs_take_the_closed_form),
        cmocka_unit_test(rigid_circles_take_the_closed_form),
        cmocka_unit_test(a_straight_path_needs_one_tangent),
        cmocka_unit_test(slow_motions_follow_the_path),
        cmocka_unit_test(random_paths_balance_and_obey_the_circle),
        cmocka_unit_test(turning_the_tangents_changes_nothing),
        cmocka_unit_test(what_steps_cannot_have_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
