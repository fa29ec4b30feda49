/* Steady sliding under every law of friction: growth rates against closed forms, and every eigenvalue against the
 * characteristic equation of the law, written out here with derivatives by differences. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "results.h"
#include "study_text.h"

/* ---- laws, once more: F(v, N, w) and w' ---- */

typedef struct law {
    int kind; /* tanh, dahl, lugre, bouc-wen, rate-and-state */
    double p[6];
} law;

enum { TANH, DAHL, LUGRE, BOUC_WEN, RATE_AND_STATE, KINDS };

static double bristles(const law *l, double v) {
    return l->p[3] + (l->p[2] - l->p[3]) * exp(-v * v / (l->p[4] * l->p[4]));
}

static double rate(const law *l, double v, double N, double w) {
    const double *p = l->p;
    switch (l->kind) {
    case DAHL:
        return v * (1 - p[0] * w / (p[1] * N));
    case LUGRE:
        return v - p[0] * v * w / (N * bristles(l, v));
    case BOUC_WEN:
        return v - p[1] * v * w - p[2] * v * w;
    case RATE_AND_STATE:
        return 1 - v * w / p[4];
    default:
        return 0;
    }
}

static double force(const law *l, double v, double N, double w) {
    const double *p = l->p;
    switch (l->kind) {
    case TANH:
        return p[0] * N * tanh(v / p[1]);
    case LUGRE:
        return p[0] * w + p[1] * rate(l, v, N, w) + p[5] * v;
    case RATE_AND_STATE:
        return N * p[1] * asinh(v / (2 * p[3]) * exp((p[0] + p[2] * log(p[3] * w / p[4])) / p[1]));
    default:
        return p[0] * w;
    }
}

/* w of steady sliding, where w' = 0, by bisection: w' falls with w. */
static double settled(const law *l, double v, double N) {
    double low = 0, high = 1e3;
    for (int i = 0; i < 200 && l->kind != TANH; i++)
        *(rate(l, v, N, (low + high) / 2) > 0 ? &low : &high) = (low + high) / 2;
    return (low + high) / 2;
}

static law draw_law(int kind, random_source *r, char *text, size_t size) {
    law l = {.kind = kind};
    double *p = l.p;
    for (int i = 0; i < 6; i++)
        p[i] = random_between(r, 0.2, 0.5);
    if (kind == TANH)
        snprintf(text, size, "{law: tanh, friction: %.17g, velocity: %.17g}", p[0], p[1]);
    if (kind == DAHL)
        snprintf(text, size, "{law: dahl, stiffness: %.17g, friction: %.17g}", p[0] *= 20, p[1]);
    if (kind == LUGRE)
        snprintf(text, size,
                 "{law: lugre, sigma0: %.17g, sigma1: %.17g, static: %.17g, kinetic: %.17g, velocity: %.17g, sigma2: "
                 "%.17g}",
                 p[0] *= 20, p[1], p[2] += 0.3, p[3], p[4], p[5]);
    if (kind == BOUC_WEN)
        snprintf(text, size, "{law: bouc-wen, stiffness: %.17g, A: 1, beta: %.17g, gamma: %.17g, n: 1}", p[0] *= 5,
                 p[1] *= 10, p[2] *= 5);
    if (kind == RATE_AND_STATE)
        snprintf(text, size, "{law: rate-and-state, f0: %.17g, a: %.17g, b: %.17g, V0: %.17g, Dc: %.17g}", p[0],
                 p[1] *= 0.05, p[2] *= 0.1, p[3], p[4]);
    return l;
}

/* ---- every eigenvalue ---- */

static double slope(const law *l, double v, double N, double w, int by, bool of_rate) {
    double x[2][3] = {{v, N, w}, {v, N, w}}, h = 1e-5 * x[0][by];
    x[0][by] -= h, x[1][by] += h;
    double (*f)(const law *, double, double, double) = of_rate ? rate : force;
    return (f(l, x[1][0], x[1][1], x[1][2]) - f(l, x[0][0], x[0][1], x[0][2])) / (2 * h);
}

/* The same on a rigid contact, y = 0: dN = -(m_xy s^2 + c_xy s + k_xy) x. */
static double rigid_mismatch(const law *l, double v, double N, const double *m, const double *c, const double *k,
                             double complex s) {
    bool remembers = l->kind != TANH;
    double w = settled(l, v, N), rw = remembers ? slope(l, v, N, w, 2, true) : 0;
    double complex left = remembers ? s - rw : 1;
    double lag = remembers ? slope(l, v, N, w, 2, false) : 0;
    double complex by_speed = slope(l, v, N, w, 0, false) * left + lag * slope(l, v, N, w, 0, true);
    double complex by_normal = slope(l, v, N, w, 1, false) * left + lag * slope(l, v, N, w, 1, true);
    double complex along = (m[0] * s * s + c[0] * s + k[0]) * left + by_speed * s;
    double complex across = m[1] * s * s + c[1] * s + k[1];
    double size =
        (m[0] * cabs(s * s) + k[0]) * (cabs(s) + fabs(rw) + 1) + cabs(by_speed * s) + cabs(by_normal * across);
    return cabs(along + by_normal * across) / size;
}

/* A mass that slides along x and presses on a spring K_c with a damper D_c along y; or is held. dT = -(F_v + F_w r_v/(s -
 * r_w)) s x + (F_N + F_w r_N/(s - r_w)) dN, dN = (K_c + s D_c) y (the surface drags forward: backward slip, T = F). */
static double mismatch(const law *l, double v, double N, const double *m, const double *k, double contact,
                       double contact_damping, double damping, double complex s) {
    bool remembers = l->kind != TANH;
    double w = settled(l, v, N), rw = remembers ? slope(l, v, N, w, 2, true) : 0;
    double complex left = remembers ? s - rw : 1; /* all of it times s - r_w: at r_w itself w may decay alone */
    double lag = remembers ? slope(l, v, N, w, 2, false) : 0;
    double complex by_speed = slope(l, v, N, w, 0, false) * left + lag * slope(l, v, N, w, 0, true);
    double complex by_normal = slope(l, v, N, w, 1, false) * left + lag * slope(l, v, N, w, 1, true);
    double complex press = contact + s * contact_damping;
    double complex a = (m[0] * s * s + damping * s + k[0]) * left + by_speed * s, b = k[1] * left - by_normal * press,
                   c = k[1], d = m[1] * s * s + damping * s + k[2] + press;
    double size = (cabs(m[0] * s * s) + k[0]) * (remembers ? cabs(s) + fabs(rw) : 1) + cabs(by_speed * s);
    return cabs(a * d - b * c) / (size * (cabs(d) + k[2] + cabs(press)));
}

static void every_eigenvalue_solves_the_characteristic_equation_of_its_law(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_source r = random_seed(seed + 1);
        char text[2048], friction[512];
        law l = draw_law((int)(seed % KINDS), &r, friction, sizeof friction);
        bool held = seed % 2;
        double m[2] = {random_between(&r, 0.5, 2), random_between(&r, 0.5, 2)};
        double k[3] = {random_between(&r, 1, 3), random_between(&r, -0.3, 0.3), random_between(&r, 1, 3)};
        double damping = random_between(&r, 0, 0.2), v = random_between(&r, 0.2, 1), push = random_between(&r, 3, 6);
        double contact = held ? 0 : random_between(&r, 20, 40), lining = held ? 0 : random_between(&r, 0, 0.5);
        char law_text[256];
        snprintf(law_text, sizeof law_text,
                 held ? "held, hold: {constant: 1.5}"
                      : "kelvin-voigt, contact_stiffness: %.17g, contact_damping: %.17g",
                 contact, lining);
        snprintf(text, sizeof text,
                 "model:\n  kind: structure\n  names: [x, y]\n  mass: [%.17g, %.17g]\n"
                 "  stiffness: [[%.17g, %.17g], [%.17g, %.17g]]\n  damping: [%.17g, %.17g]\n"
                 "  contacts: [{name: c, normal: [0, -1], tangent: [1, 0], law: %s, surface_velocity: %.17g, friction: "
                 "%s}]\n  loads: [{direction: [0, 1], constant: %.17g}]\nanalysis: {kind: stability}\n",
                 m[0], m[1], k[0], k[1], k[1], k[2], damping, damping, law_text, v, friction, push);
        am_run *made = run_text(text);
        const am_result *result = am_run_report(made)->result;
        const am_table *table = table_of(result, "eigenvalues");
        double N = held ? 1.5 : number(result, "N_c");
        size_t count = rows(result, "eigenvalues");
        assert_int_equal(count, l.kind == TANH ? 4 : 5);
        /* Equilibrium along x: k x + coupling y = F. */
        double F = force(&l, v, N, settled(&l, v, N)), x = number(result, "x"), y = number(result, "y");
        assert_near(k[0] * x + k[1] * y, F, 1e-9 * (1 + fabs(F)));
        for (size_t i = 0; i < count; i++) {
            double complex s = cell(table, i, "real") + I * cell(table, i, "imaginary");
            double wrong = mismatch(&l, v, N, m, k, contact, lining, damping, s);
            if (!(wrong < 1e-6)) /* differences by 1e-5 of the argument know slopes to 1e-8 or so */
                fail_msg("seed %d: %g + %g i misses by %g\n%s", (int)seed, creal(s), cimag(s), wrong, text);
        }
        am_run_free(made);
    }
}

static void what_friction_remembers_follows_the_normal_force_of_a_rigid_contact(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        random_source r = random_seed(seed + 100);
        char text[2048], friction[512];
        law l = draw_law((int)(seed % KINDS), &r, friction, sizeof friction);
        double m[3], c[3], k[3], v = random_between(&r, 0.2, 1), push = random_between(&r, 3, 6);
        for (int i = 0; i < 3; i++) { /* x x, x y, y y */
            m[i] = i == 1 ? random_between(&r, -0.4, 0.4) : random_between(&r, 0.5, 2);
            c[i] = i == 1 ? random_between(&r, -0.1, 0.1) : random_between(&r, 0.1, 0.3);
            k[i] = i == 1 ? random_between(&r, -0.8, 0.8) : random_between(&r, 1, 3);
        }
        snprintf(text, sizeof text,
                 "model:\n  kind: structure\n  names: [x, y]\n  mass: [[%.17g, %.17g], [%.17g, %.17g]]\n"
                 "  damping: [[%.17g, %.17g], [%.17g, %.17g]]\n  stiffness: [[%.17g, %.17g], [%.17g, %.17g]]\n"
                 "  contacts: [{name: c, normal: [0, -1], tangent: [1, 0], law: unilateral, surface_velocity: %.17g, "
                 "friction: %s}]\n  loads: [{direction: [0, 1], constant: %.17g}]\nanalysis: {kind: stability}\n",
                 m[0], m[1], m[1], m[2], c[0], c[1], c[1], c[2], k[0], k[1], k[1], k[2], v, friction, push);
        am_run *made = run_text(text);
        const am_result *result = am_run_report(made)->result;
        const am_table *table = table_of(result, "eigenvalues");
        size_t count = rows(result, "eigenvalues");
        assert_int_equal(count, l.kind == TANH ? 2 : 3);
        for (size_t i = 0; i < count; i++) {
            double complex s = cell(table, i, "real") + I * cell(table, i, "imaginary");
            double wrong = rigid_mismatch(&l, v, number(result, "N_c"), m, c, k, s);
            if (!(wrong < 1e-6))
                fail_msg("seed %d: %g + %g i misses by %g\n%s", (int)seed, creal(s), cimag(s), wrong, text);
        }
        am_run_free(made);
    }
}

/* Rigid or pressed by springs k, of four coordinates; the slowest eigenvalues. */
static double complex slow_of_two_contacts(random_source r, const char *law, int which) {
    char text[4096], cells[1024] = "";
    double q[4][4], u[2][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            q[i][j] = random_between(&r, -1, 1);
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < 4; i++)
            u[c][i] = random_between(&r, -0.2, 0.2);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            double sum = i == j ? 2 : 0;
            for (int a = 0; a < 4; a++)
                sum += 0.3 * q[a][i] * q[a][j];
            snprintf(cells + strlen(cells), sizeof cells - strlen(cells), "%s%.17g%s", j == 0 ? "[" : "", sum,
                     j < 3   ? ", "
                     : i < 3 ? "], "
                             : "]");
        }
    snprintf(text, sizeof text,
             "model:\n  kind: structure\n  mass: [1, 1.2, 0.8, 1]\n  stiffness: [%s]\n  damping: [0.2, 0.1, 0.1, 0.2]\n"
             "  contacts:\n"
             "  - {normal: [%.17g, -1, %.17g, %.17g], tangent: [1, %.17g, 0, 0], %s, surface_velocity: 0.7, friction: "
             "{law: dahl, stiffness: 4, friction: 0.4}, tangential_stiffness: 3}\n"
             "  - {normal: [%.17g, %.17g, %.17g, -1], tangent: [0, 0, 1, %.17g], %s, surface_velocity: -0.5, friction: "
             "{law: lugre, sigma0: 6, sigma1: 0.3, sigma2: 0.1, static: 0.5, kinetic: 0.3, velocity: 0.6}}\n"
             "  loads: [{direction: [0, 6, 0, 8], constant: 1}]\nanalysis: {kind: stability}\n",
             cells, u[0][0], u[0][1], u[0][2], u[0][3], law, u[1][0], u[1][1], u[1][2], u[1][3], law);
    am_run *made = run_text(text);
    const am_table *table = table_of(am_run_report(made)->result, "eigenvalues");
    double complex found = 0;
    for (size_t i = 0, slow = 0; i < rows(am_run_report(made)->result, "eigenvalues"); i++) {
        double complex s = cell(table, i, "real") + I * cell(table, i, "imaginary");
        if (cimag(s) >= 0 && cabs(s) < 100 && (int)slow++ == which)
            found = s;
    }
    am_run_free(made);
    return found;
}

static void stiff_contacts_tend_to_rigid_ones_where_friction_remembers(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++)
        for (int which = 0; which < 4; which++) {
            random_source r = random_seed(seed);
            double complex rigid = slow_of_two_contacts(r, "law: unilateral", which);
            double complex stiff = slow_of_two_contacts(r, "law: spring, contact_stiffness: 1e6", which);
            assert_true(cabs(rigid) > 0);
            if (!(cabs(rigid - stiff) < 1e-4)) /* some stiffnesses of the structure over 1e6 */
                fail_msg("seed %d: %.12g + %.12g i, not %.12g + %.12g i", (int)seed, creal(rigid), cimag(rigid),
                         creal(stiff), cimag(stiff));
        }
}

/* Two contacts on one side of a mass share its load in a way that nothing tells. */
static void rigid_contacts_that_share_their_forces_are_refused_where_friction_remembers_them(void **state) {
    (void)state;
    const char *contact =
        "{normal: [0, -1], tangent: [1, 0], law: unilateral, surface_velocity: 1, friction: {law: dahl, "
        "stiffness: 5, friction: 0.3}}";
    char text[1024];
    snprintf(text, sizeof text,
             "title: t\nmodel:\n  kind: structure\n  mass: [1, 1]\n  stiffness: [2, 2]\n  contacts:\n  - %s\n  - %s\n"
             "  loads: [{direction: [0, 1], constant: 2}]\nanalysis: {kind: stability}\n",
             contact, contact);
    am_study *study = read_text(text);
    am_error err = {0};
    assert_null(am_study_run(study, NULL, &err));
    assert_non_null(strstr(err.message, "share their forces"));
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_non_null(strstr(err.message, "test.yaml:7:"));
    am_study_free(study);
}

/* ---- closed forms ---- */

static double run_number(const char *text, const char *name) {
    am_run *made = run_text(text);
    double value = scalar(made, name);
    am_run_free(made);
    return value;
}

/* Rice and Ruina 1983: k_c = N (b - a)/D_c (1 + m V^2/(N a D_c)), where it swings with V/D_c sqrt((b - a)/a). */
static void a_spring_slider_loses_its_stability_at_rice_and_ruinas_stiffness(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        random_source r = random_seed(seed);
        double a = random_between(&r, 0.005, 0.02), b = a + random_between(&r, 0.002, 0.02),
               N = random_between(&r, 1, 50);
        double D = random_between(&r, 1e-5, 1e-3), V = random_between(&r, 1e-3, 1e-1), m = random_between(&r, 0.1, 2);
        double critical = N * (b - a) / D * (1 + m * V * V / (N * a * D));
        for (int side = -1; side <= 1; side++) {
            char text[1024];
            /* asinh is the logarithm here but for (2 V0/V exp(-mu/a))^2, far below rounding */
            snprintf(
                text, sizeof text,
                "model:\n  kind: structure\n  mass: [%.17g]\n  stiffness: [%.17g]\n"
                "  contacts: [{tangent: [1], law: held, hold: {constant: %.17g}, surface_velocity: %.17g, friction: "
                "{law: rate-and-state, f0: 0.6, a: %.17g, b: %.17g, V0: 1e-3, Dc: %.17g}}]\n"
                "analysis: {kind: stability}\n",
                m, critical * (1 + 1e-4 * side), N, V, a, b, D);
            double growth = run_number(text, "growth_rate"), frequency = run_number(text, "frequency");
            double closed = V / D * sqrt((b - a) / a);
            if (side == 0) {
                assert_near(growth, 0, 1e-7 * closed);
                assert_near(frequency, closed, 1e-7 * closed);
            } else if (!(growth * side < 0)) {
                fail_msg("seed %d: growth %g at %d", (int)seed, growth, side);
            }
        }
    }
}

static const char *const belt =
    "model:\n  kind: structure\n  mass: [2]\n  stiffness: [3]\n  damping: [0.1]\n"
    "  contacts: [{tangent: [1], law: held, hold: {constant: 4}, surface_velocity: 0.5, %s}]\n"
    "analysis: {kind: %s}\n";

static double of_belt(const char *friction, const char *analysis, const char *name) {
    char text[1024];
    snprintf(text, sizeof text, belt, friction, analysis);
    return run_number(text, name);
}

/* Five masses beside the one of `belt`, which nothing couples to it, and which settle faster. */
static void what_friction_remembers_is_known_in_structures_of_many_coordinates(void **state) {
    (void)state;
    const char *laws[] = {
        "friction: {law: lugre, sigma0: 9, sigma1: 0.1, static: 0.5, kinetic: 0.2, velocity: 0.4}",
        "friction: {law: dahl, stiffness: 5, friction: 0.3}",
        "friction: {law: tanh, friction: 0.3, velocity: 0.4}, tangential_stiffness: 2",
    };
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "model:\n  kind: structure\n  mass: [2, 1, 1, 1, 1, 1]\n  stiffness: [3, 4, 5, 6, 7, 8]\n"
                 "  damping: [0.1, 3, 3, 3, 3, 3]\n  contacts: [{tangent: [1, 0, 0, 0, 0, 0], law: held, hold: "
                 "{constant: 4}, surface_velocity: 0.5, %s}]\nanalysis: {kind: stability}\n",
                 laws[i]);
        const char *names[] = {"growth_rate", "frequency"};
        for (size_t k = 0; k < 2; k++)
            assert_near(run_number(text, names[k]), of_belt(laws[i], "stability", names[k]), 1e-12);
    }
}

/* (-c - N mu'(v))/2m with mu = 0.3 + 0.2 exp(-v/0.4), whose slope is -0.5 exp(-v/0.4) */
static void squeal_and_stability_know_the_slope_of_friction_over_speed(void **state) {
    (void)state;
    const char *law = "friction: {law: stribeck, static: 0.5, kinetic: 0.3, velocity: 0.4}";
    double fall = -0.5 * exp(-0.5 / 0.4), growth = (-0.1 - 4 * fall) / (2 * 2.0);
    assert_near(of_belt(law, "stability", "growth_rate"), growth, 1e-14);
    assert_near(of_belt(law, "squeal", "growth_rate"), growth, 1e-14);
    assert_near(of_belt(law, "squeal", "mu"), 0.3 + 0.2 * exp(-0.5 / 0.4), 1e-15);
    /* The slope is varied with the coefficient: 0.1 = 4 |mu'| at the threshold. */
    double critical = (0.3 + 0.2 * exp(-0.5 / 0.4)) * 0.1 / (-4 * fall);
    assert_near(of_belt(law, "squeal", "critical"), critical, 1e-9);
}

static void a_slider_behind_a_spring_is_a_spring_while_it_sticks_and_none_while_it_slips(void **state) {
    (void)state;
    const char *slider = "friction: 0.3, tangential_stiffness: 5";
    assert_near(of_belt(slider, "stability, state: stick", "frequency"), sqrt((3.0 + 5) / 2 - 0.025 * 0.025), 1e-13);
    assert_near(of_belt(slider, "stability", "frequency"), sqrt(3.0 / 2 - 0.025 * 0.025), 1e-13);
}

/* What slipped for ever has the last coefficient: k q = 0.2 N. */
static void friction_that_weakens_has_its_last_coefficient_in_steady_sliding(void **state) {
    (void)state;
    const char *law = "friction: 0.2, static_friction: 0.5, weakening: {law: exponential, length: 0.1}";
    assert_near(of_belt(law, "stability", "q1"), 0.2 * 4 / 3, 1e-15);
}

static double of_stop(double gap, double push, const char *name) {
    char text[1024];
    snprintf(text, sizeof text,
             "model:\n  kind: structure\n  mass: [1, 1]\n  stiffness: [[3, -1], [-1, 2]]\n"
             "  contacts:\n  - {tangent: [1, 0], law: held, hold: {constant: 1}, surface_velocity: 1, friction: 0.3}\n"
             "  - {normal: [0, -1], gap: %.17g}\n  loads: [{direction: [0, 1], constant: %.17g}]\n"
             "analysis: {kind: stability}\n",
             gap, push);
    return run_number(text, name);
}

/* Without the stop y = (3 push + 0.3)/5. */
static void a_stop_that_is_reached_takes_a_direction_away_and_one_that_is_not_does_not(void **state) {
    (void)state;
    assert_near(of_stop(0.5, 2, "degrees"), 1, 0);
    assert_near(of_stop(0.5, 2, "frequency"), sqrt(3.0), 1e-13);
    assert_near(of_stop(2, 2, "degrees"), 2, 0);
    assert_near(of_stop(2, 2, "q2"), 6.3 / 5, 1e-14);
    assert_near(of_stop(0.5, -2, "degrees"), 2, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_eigenvalue_solves_the_characteristic_equation_of_its_law),
        cmocka_unit_test(what_friction_remembers_follows_the_normal_force_of_a_rigid_contact),
        cmocka_unit_test(stiff_contacts_tend_to_rigid_ones_where_friction_remembers),
        cmocka_unit_test(rigid_contacts_that_share_their_forces_are_refused_where_friction_remembers_them),
        cmocka_unit_test(a_spring_slider_loses_its_stability_at_rice_and_ruinas_stiffness),
        cmocka_unit_test(what_friction_remembers_is_known_in_structures_of_many_coordinates),
        cmocka_unit_test(squeal_and_stability_know_the_slope_of_friction_over_speed),
        cmocka_unit_test(a_slider_behind_a_spring_is_a_spring_while_it_sticks_and_none_while_it_slips),
        cmocka_unit_test(friction_that_weakens_has_its_last_coefficient_in_steady_sliding),
        cmocka_unit_test(a_stop_that_is_reached_takes_a_direction_away_and_one_that_is_not_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
