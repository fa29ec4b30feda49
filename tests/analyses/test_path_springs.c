/* Slow loading of stops and of contacts on springs (law spring): every state of a path must balance, with N = K_c d or none, friction
 * within its limit and against the slip; stiff springs come to what rigid contacts do. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "results.h"
#include "study_text.h"

enum { N = 3 };

typedef struct pressed {
    double K[N][N], normal[N], tangent[N], contact, mu, gap, slider;
} pressed;

static pressed draw(uint64_t seed) {
    random_source r = random_seed(seed);
    pressed p = {.contact = random_between(&r, 2, 20), .mu = random_between(&r, 0.1, 0.6)};
    double definite[N * N];
    random_definite(&r, N, 1, 2, definite);
    memcpy(p.K, definite, sizeof p.K);
    p.normal[1] = -1, p.normal[2] = random_between(&r, -0.3, 0.3);
    p.tangent[0] = 1, p.tangent[2] = random_between(&r, -0.3, 0.3);
    p.gap = random_between(&r, -0.1, 0.1);
    p.slider = seed % 3 == 0 ? random_between(&r, 1, 5) : 0;
    return p;
}

static void write_study(const pressed *p, const char *analysis, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "model:\n  kind: structure\n  names: [x, y, z]\n  stiffness: [");
    for (size_t i = 0; i < N; i++)
        used += (size_t)snprintf(text + used, size - used, "%s[%.17g, %.17g, %.17g]", i ? ", " : "", p->K[i][0],
                                 p->K[i][1], p->K[i][2]);
    used += (size_t)snprintf(
        text + used, size - used,
        "]\n  contacts: [{name: pad, normal: [%.17g, %.17g, %.17g], tangent: [%.17g, %.17g, %.17g], "
        "friction: %.17g, gap: %.17g",
        p->normal[0], p->normal[1], p->normal[2], p->tangent[0], p->tangent[1], p->tangent[2], p->mu, p->gap);
    if (isfinite(p->contact))
        used += (size_t)snprintf(text + used, size - used, ", law: spring, contact_stiffness: %.17g", p->contact);
    if (p->slider > 0)
        used += (size_t)snprintf(text + used, size - used, ", tangential_stiffness: %.17g", p->slider);
    /* pressed, pulled along and back, and pulled off */
    snprintf(text + used, size - used,
             "}]\n  loads:\n"
             "  - {direction: [0, 1, 0], table: {times: [0, 1, 5, 6, 7], values: [0, 1, 1, -0.5, 0], period: 7}}\n"
             "  - {direction: [1, 0, 0.2], table: {times: [0, 1, 2, 4, 7], values: [0, 0, 1, -1, 0], period: 7}}\n"
             "analysis: {kind: %s}\n",
             analysis);
}

static const double press_t[] = {0, 1, 5, 6, 7}, press[] = {0, 1, 1, -0.5, 0}, pull_t[] = {0, 1, 2, 4, 7},
                    pull[] = {0, 0, 1, -1, 0};

static double at(const double *times, const double *values, double t) {
    size_t i = 1;
    while (i < 4 && t > times[i])
        i++;
    return values[i - 1] + (values[i] - values[i - 1]) * (t - times[i - 1]) / (times[i] - times[i - 1]);
}

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Of one row: balance, N and |T|; *depth as told by q. */
static void check_row(const pressed *p, const am_table *table, size_t row, double *q, double *slack) {
    double t = cell(table, row, "t"), normal = cell(table, row, "N_pad"), T = cell(table, row, "T_pad");
    const double force[N] = {at(pull_t, pull, t), at(press_t, press, t), 0.2 * at(pull_t, pull, t)};
    q[0] = cell(table, row, "x"), q[1] = cell(table, row, "y"), q[2] = cell(table, row, "z");
    assert_near(normal, p->contact * fmax(0, -p->gap - dot(p->normal, q)), 1e-11);
    for (size_t i = 0; i < N; i++)
        assert_near(dot(p->K[i], q), force[i] + p->normal[i] * normal + p->tangent[i] * T, 1e-11);
    *slack = p->mu * normal - fabs(T);
    assert_true(*slack >= -1e-11);
}

static void every_state_of_a_path_balances_on_its_springs(void **state) {
    (void)state;
    size_t open = 0, slipped = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        char text[4096];
        pressed p = draw(seed);
        write_study(&p, "path, until: 6.9, samples: 200", text, sizeof text);
        am_run *made = run_text(text);
        const am_result *result = am_run_report(made)->result;
        const am_table *table = table_of(result, "samples");
        double before[N] = {0}, slack_before = 1, q[N], slack;
        assert_true(number(result, "energy_residual") <= 1e-12);
        for (size_t row = 0; row < rows(result, "samples"); row++) {
            check_row(&p, table, row, q, &slack);
            double moved = dot(p.tangent, q) - dot(p.tangent, before), T = cell(table, row, "T_pad");
            if (row > 0 && p.slider == 0 && slack > 1e-9 && slack_before > 1e-9)
                assert_near(moved, 0, 1e-11); /* within the limit it holds */
            if (row > 0 && p.slider == 0 && fabs(moved) > 1e-9 && cell(table, row, "N_pad") > 0) {
                assert_true(moved * T <= 1e-11); /* and slips against its friction */
                slipped++;
            }
            open += cell(table, row, "N_pad") == 0;
            memcpy(before, q, sizeof before);
            slack_before = slack;
        }
        am_run_free(made);
    }
    assert_true(open > 50 && slipped > 200);
}

static void load_steps_come_to_the_same_states(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 9; seed++) {
        char text[4096];
        pressed p = draw(seed);
        double q[2][N], slack;
        for (int steps = 0; steps < 2; steps++) {
            write_study(&p, steps ? "path, until: 3, method: incremental, steps: 60" : "path, until: 3", text,
                        sizeof text);
            am_run *made = run_text(text);
            const am_result *result = am_run_report(made)->result;
            check_row(&p, table_of(result, "samples"), rows(result, "samples") - 1, q[steps], &slack);
            am_run_free(made);
        }
        for (size_t i = 0; i < N; i++) /* loads change their direction at the ends of steps: both are exact */
            assert_near(q[1][i], q[0][i], 1e-10);
    }
}

static double of(const pressed *p, const char *analysis, const char *name) {
    char text[4096];
    write_study(p, analysis, text, sizeof text);
    am_run *made = run_text(text);
    double value = scalar(made, name);
    am_run_free(made);
    return value;
}

static void stiff_springs_come_to_what_rigid_contacts_do(void **state) {
    (void)state;
    const char *const uniqueness = "states, question: uniqueness", *const shakedown = "shakedown";
    for (uint64_t seed = 1; seed <= 8; seed++) {
        pressed stiff = draw(seed), rigid;
        stiff.slider = 0;
        stiff.gap = 0;
        stiff.contact = 1e9;
        rigid = stiff;
        rigid.contact = INFINITY;
        double soft = of(&stiff, uniqueness, "friction_factor_critical"),
               hard = of(&rigid, uniqueness, "friction_factor_critical");
        assert_true(soft == hard || fabs(soft - hard) <= 1e-6 * hard);
        assert_near(of(&stiff, shakedown, "shakedown_limit"), of(&rigid, shakedown, "shakedown_limit"), 1e-6);
    }
}

/* A stop beside a contact that rubs: gap and force, one of them zero, and everything balances. */
static void stops_are_met_and_left(void **state) {
    (void)state;
    size_t met = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        random_source r = random_seed(seed);
        char text[2048];
        bool steps = seed % 2;
        double k = random_between(&r, 1, 3), c = random_between(&r, -0.8, 0.8), l = random_between(&r, 1, 3);
        double lean = random_between(&r, -0.4, 0.4), gap = random_between(&r, 0, 0.4),
               mu = random_between(&r, 0.1, 0.4);
        snprintf(text, sizeof text,
                 "model:\n  kind: structure\n  names: [x, y]\n  stiffness: [[%.17g, %.17g], [%.17g, %.17g]]\n"
                 "  contacts:\n  - {name: plane, tangent: [1, 0], law: held, hold: {constant: 1}, friction: %.17g}\n"
                 "  - {name: stop, normal: [%.17g, -1], gap: %.17g}\n"
                 "  loads: [{direction: [0, 1], sine: {amplitude: 1, frequency: 1}}]\n"
                 "analysis: {kind: path, until: 6%s}\n",
                 k, c, c, l, mu, lean, gap, steps ? ", method: incremental, steps: 60" : "");
        am_run *made = run_text(text);
        const am_result *result = am_run_report(made)->result;
        const am_table *table = table_of(result, "samples");
        for (size_t row = 0; row < rows(result, "samples"); row++) {
            double x = cell(table, row, "x"), y = cell(table, row, "y"), T = cell(table, row, "T_plane");
            double push = cell(table, row, "N_stop"), left = lean * x - y + gap, load = sin(cell(table, row, "t"));
            assert_near(k * x + c * y, T + lean * push, 1e-11);
            assert_near(c * x + l * y, load - push, 1e-11);
            assert_true(push >= -1e-12 && left >= -1e-12 && fabs(T) <= mu + 1e-11);
            assert_near(fmin(push, left), 0, 1e-11);
            assert_near(cell(table, row, "T_stop"), 0, 0);
            met += push > 1e-6;
        }
        am_run_free(made);
    }
    assert_true(met > 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_of_a_path_balances_on_its_springs),
        cmocka_unit_test(load_steps_come_to_the_same_states),
        cmocka_unit_test(stops_are_met_and_left),
        cmocka_unit_test(stiff_springs_come_to_what_rigid_contacts_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
