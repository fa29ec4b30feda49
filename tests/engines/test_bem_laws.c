/* Boundary elements of half-planes: dissimilar bodies, friction that weakens, limit points, refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "engines/boundary/bem.h"
#include "errors.h"
#include "near.h"

enum { SEED = 7 };
static const double pi = 3.14159265358979323846;

static am_bem *make(am_bem_profile profile, size_t nodes, double width, double beta, am_friction friction) {
    am_bem_def def = {
        .profile = profile, .friction = friction, .modulus = 1.0, .beta = beta, .nodes = nodes, .width = width};
    am_error err = {0};
    am_bem *bem = am_bem_create(&def, &err);
    if (!bem)
        fail_msg("%s", err.message);
    return bem;
}

/* Radius 1, modulus 1: P = pi/4 has half-width 1. */
static const am_bem_profile parabola = {.shape = AM_SLIP_HERTZ, .radius = 1.0};
static const am_bem_profile flat = {.shape = AM_SLIP_PUNCH, .half_width = 1.0};
static const double P = 0.78539816339744831;

static am_friction falling(am_friction_law law, double most, double distance) {
    return (am_friction){.law = law, .fixed = most, .kinetic = 0.1, .distance = distance};
}

static am_bem_zone stick_zone(const am_bem *bem) {
    am_bem_zone zones[16], found = {.from = NAN, .to = NAN};
    size_t count = am_bem_zones(bem, 16, zones), sticking = 0;
    for (size_t i = 0; i < count && i < 16; i++)
        if (zones[i].state == AM_STICK) {
            found = zones[i];
            sticking++;
        }
    assert_int_equal(sticking, 1);
    return found;
}

static void step(am_bem *bem, double normal, double tangential) {
    am_bem_load load = {.P = normal, .Q = tangential};
    GOOD(am_bem_step(bem, &load, err));
}

/* ---- dissimilar bodies ---- */

/* A punch that does not slip (Muskhelishvili): p - i q with the exponent i eta at its ends, eta = ln((1 + b)/(1 -
 * b))/(2 pi). The softer body is drawn inwards and held back by q. */
static void a_punch_that_sticks_has_oscillating_ends(void **state) {
    (void)state;
    double beta = 0.3, eta = log((1.0 + beta) / (1.0 - beta)) / (2.0 * pi);
    am_bem *bem = make(flat, 600, 0.0, beta, (am_friction){.law = AM_FRICTION_COULOMB, .kinetic = 50.0});
    step(bem, 1.0, 0.0);
    am_bem_view v = am_bem_view_of(bem);
    for (size_t i = 0; i < v.nodes; i++)
        if (fabs(v.x[i]) < 0.9) {
            double size = 1.0 / (pi * sqrt((1.0 - beta * beta) * (1.0 - v.x[i] * v.x[i])));
            double angle = eta * log((1.0 + v.x[i]) / (1.0 - v.x[i]));
            /* The place of the ends was made for tractions without oscillation: order h, by beta^2. */
            assert_near(v.p[i], size * cos(angle), 2e-3 * size);
            assert_near(v.q[i], -size * sin(angle), 2e-3 * size);
        }
    am_bem_free(bem);
}

static double mean(double a, double b) { /* arithmetic-geometric */
    for (int i = 0; i < 40; i++) {
        double next = 0.5 * (a + b);
        b = sqrt(a * b);
        a = next;
    }
    return a;
}

/* Pressed together, dissimilar bodies slip at the edges. While p hardly feels q (beta^2 small) the stick zone is that
 * of Goodman and Spence, K'(c/a)/K(c/a) = beta/f, at all loads: at beta = f, c/a = 1/sqrt(2). */
static void the_stick_zone_of_pressed_dissimilar_bodies_is_that_of_spence(void **state) {
    (void)state;
    enum { STEPS = 80 };
    double beta = 0.02, friction = 0.02, k = sqrt(0.5);
    assert_near(mean(1.0, sqrt(1.0 - k * k)) / mean(1.0, k), beta / friction, 1e-15);
    am_bem *bem = make(parabola, 441, 1.1, beta, (am_friction){.law = AM_FRICTION_COULOMB, .kinetic = friction});
    for (int i = 0; i <= STEPS; i++) {
        double a = 0.2 * pow(5.0, (double)i / STEPS);
        step(bem, P * a * a, 0.0);
    }
    am_bem_zone zone = stick_zone(bem);
    assert_near(zone.to, k, 6e-3); /* steps of 2 percent, of first order, on nodes 0.005 apart */
    assert_near(zone.from, -zone.to, 1e-9);
    am_bem_view v = am_bem_view_of(bem);
    for (size_t i = 0; i < v.nodes; i++) {
        assert_near(v.p[i], v.p[v.nodes - 1 - i], 1e-8); /* exchanges end at 4e-12 times the number of nodes */
        assert_near(v.q[i], -v.q[v.nodes - 1 - i], 1e-8);
        if (v.state[i] == AM_FORWARD || v.state[i] == AM_BACKWARD)
            assert_int_equal(v.state[i], v.x[i] > 0.0 ? AM_BACKWARD : AM_FORWARD);
    }
    am_bem_free(bem);
}

static void exchanging_the_bodies_turns_the_shear_around(void **state) {
    (void)state;
    am_friction friction = {.law = AM_FRICTION_COULOMB, .kinetic = 0.3};
    am_bem *a = make(parabola, 151, 1.2, 0.25, friction), *b = make(parabola, 151, 1.2, -0.25, friction);
    for (int i = 1; i <= 5; i++) {
        step(a, P * i / 5.0, 0.0);
        step(b, P * i / 5.0, 0.0);
    }
    am_bem_view u = am_bem_view_of(a), v = am_bem_view_of(b);
    for (size_t i = 0; i < u.nodes; i++) {
        assert_near(u.p[i], v.p[i], 1e-8);
        assert_near(u.q[i], -v.q[i], 1e-8);
    }
    am_bem_free(a);
    am_bem_free(b);
}

/* ---- laws ---- */

static void a_law_that_does_not_fall_is_coulombs(void **state) {
    (void)state;
    am_bem *a = make(parabola, 181, 1.1, 0.0, falling(AM_FRICTION_RAMP, 0.1, 1e-3));
    am_bem *b = make(parabola, 181, 1.1, 0.0, (am_friction){.law = AM_FRICTION_COULOMB, .kinetic = 0.1});
    static const double Q[] = {0.06, -0.05, 0.02};
    step(a, P, 0.0);
    step(b, P, 0.0);
    for (int i = 0; i < 3; i++) {
        step(a, P, Q[i] * P);
        step(b, P, Q[i] * P);
        am_bem_view u = am_bem_view_of(a), v = am_bem_view_of(b);
        for (size_t k = 0; k < u.nodes; k++) {
            assert_near(u.q[k], v.q[k], 1e-9);
            assert_near(u.slip[k], v.slip[k], 1e-9);
        }
    }
    am_bem_free(a);
    am_bem_free(b);
}

static void a_table_with_the_points_of_a_ramp_is_the_ramp(void **state) {
    (void)state;
    double slip[] = {0.0, 0.002, 0.005}, coefficient[] = {0.15, 0.13, 0.1}, Delta = 0.0025;
    am_friction table = {.law = AM_FRICTION_TABLE, .count = 3, .slip = slip, .coefficient = coefficient};
    am_bem *a = make(parabola, 181, 1.1, 0.0, falling(AM_FRICTION_RAMP, 0.15, Delta));
    am_bem *b = make(parabola, 181, 1.1, 0.0, table);
    slip[1] = NAN; /* it has been copied */
    step(a, P, 0.0);
    step(b, P, 0.0);
    step(a, P, 0.09 * P);
    step(b, P, 0.09 * P);
    am_bem_view u = am_bem_view_of(a), v = am_bem_view_of(b);
    for (size_t k = 0; k < u.nodes; k++)
        assert_near(u.q[k], v.q[k], 1e-9);
    am_bem_free(a);
    am_bem_free(b);
}

/* All laws have the same Delta, the area of eq. (4.11). */
static void the_area_of_every_law_is_its_distance(void **state) {
    (void)state;
    static const am_friction_law laws[] = {AM_FRICTION_RAMP, AM_FRICTION_STEP, AM_FRICTION_EXPONENTIAL};
    for (int k = 0; k < 3; k++) {
        am_friction friction = falling(laws[k], 0.3, 0.02);
        double sum = 0.0, slope, before = friction.fixed;
        enum { POINTS = 100000 };
        for (int i = 0; i < POINTS; i++) {
            double s = (i + 0.5) * 1e-5, value = am_friction_at(&friction, s, &slope);
            sum += (value - 0.1) * 1e-5;
            assert_true(value <= before && value >= 0.1 && slope <= 0.0);
            before = value;
        }
        assert_near(sum / 0.2, 0.02, 1e-7); /* midpoints */
    }
}

/* Section 4.2.2: where static friction has once been overcome, slip spreads as if f were f_d. */
static void static_friction_does_not_change_the_stick_zone_of_hertz(void **state) {
    (void)state;
    am_bem *bem = make(parabola, 221, 1.1, 0.0, falling(AM_FRICTION_STATIC_KINETIC, 0.3, 0.0));
    step(bem, P, 0.0);
    step(bem, P, 0.05 * P);
    assert_near(stick_zone(bem).to, sqrt(0.5), 5e-5);
    am_bem_free(bem);
}

/* Under a flat punch q/p is the same everywhere: it sticks up to the static coefficient, and then slides as a whole. */
static void a_flat_punch_holds_up_to_static_friction(void **state) {
    (void)state;
    am_bem *bem = make(flat, 101, 0.0, 0.0, falling(AM_FRICTION_STATIC_KINETIC, 0.3, 0.0));
    step(bem, 1.0, 0.0);
    step(bem, 1.0, 0.29);
    am_bem_view v = am_bem_view_of(bem);
    for (size_t i = 0; i < v.nodes; i++) {
        assert_int_equal(v.state[i], AM_STICK);
        assert_near(v.q[i], 0.29 * v.p[i], 1e-10);
    }
    am_error err = {0};
    am_bem_load load = {.P = 1.0, .Q = 0.301};
    assert_int_equal(am_bem_step(bem, &load, &err), AM_ERR_NO_STATE);
    assert_says(&err, "slides as a whole; the largest load is 0.3");
    am_bem_free(bem);
}

/* ---- weakening ---- */

/* Fig. 4.2: f_s = 0.15, f_d = 0.1, Lambda = R Delta/((f_s - f_d) a^2) = 0.05, Q = 0.8 f_d P. The double
 * Cattaneo-Mindlin solution, (4.23) with W = (f_s - f_d) p(c) Delta and (4.26), has c/a = 0.57776. */
static void a_ramp_sticks_as_far_as_the_double_solution_says(void **state) {
    (void)state;
    am_bem *bem = make(parabola, 441, 1.1, 0.0, falling(AM_FRICTION_RAMP, 0.15, 0.05 * 0.05));
    step(bem, P, 0.0);
    step(bem, P, 0.08 * P);
    assert_near(stick_zone(bem).to, 0.57776, 0.005); /* the laws differ; half a percent of a */
    am_bem_view v = am_bem_view_of(bem);
    double slope;
    am_friction law = falling(AM_FRICTION_RAMP, 0.15, 0.05 * 0.05);
    for (size_t i = 0; i < v.nodes; i++) {
        double bears = am_friction_at(&law, fabs(v.slip[i]), &slope) * v.p[i];
        if (v.state[i] == AM_STICK)
            assert_true(fabs(v.q[i]) <= bears + 1e-12 && v.slip[i] == 0.0);
        else
            assert_near(v.q[i], bears, 1e-9);
    }
    am_bem_free(bem);
}

typedef struct way {
    double last_end, highest;
    size_t points, falling;
} way;

static bool watch(void *context, const am_bem *bem) {
    way *w = context;
    am_bem_view v = am_bem_view_of(bem);
    assert_true(v.evidence.traction < 1e-9 && v.evidence.compliance < 1e-9);
    double end = -INFINITY;
    for (size_t i = v.nodes / 2; i < v.nodes && v.state[i] == AM_STICK; i++)
        end = v.x[i];
    assert_true(end < w->last_end);
    w->last_end = end;
    w->falling += v.Q < w->highest;
    w->highest = fmax(w->highest, v.Q);
    w->points++;
    return true;
}

/* (4.34): Q/(f_d P) = 1 - c^2 + 4 sqrt(Psi c sqrt(1 - c^2)/pi) has the maximum 1.2919 at Psi = 0.1; a short transition
 * (Lambda = 0.025, f_s = 3 f_d) comes near, and the way leads beyond. */
static void the_largest_load_is_near_that_of_the_jkr_limit_and_the_way_goes_on(void **state) {
    (void)state;
    am_bem *bem = make(parabola, 661, 1.1, 0.0, falling(AM_FRICTION_RAMP, 0.3, 0.025 * 0.2));
    step(bem, P, 0.0);
    am_bem_load load = {.P = P, .Q = 1.0};
    am_bem_limit limit;
    way w = {.last_end = INFINITY};
    GOOD(am_bem_follow(bem, &load, 1, 0.05, 60, &limit, watch, &w, err));
    assert_true(limit.found);
    assert_near(limit.Q / (0.1 * P), 1.2919, 0.002); /* a transition of finite length: 1.2916 on ever finer nodes */
    assert_true(limit.end > 0.1 && limit.end < 0.5);
    assert_int_equal(w.points, 60);
    assert_true(w.falling > 10);
    assert_near(w.highest, limit.Q, 1e-3 * limit.Q);
    am_bem_free(bem);
}

/* Q = -f P (1 - c^2), from the left: Coulomb's law has no largest load on the way. */
static bool compare_with_cattaneo(void *context, const am_bem *bem) {
    am_bem_view v = am_bem_view_of(bem);
    double c = -stick_zone(bem).from;
    assert_near(v.Q, -0.1 * v.P * (1.0 - c * c), 1e-4 * 0.1 * v.P); /* a hundredth of a spacing in c */
    ++*(int *)context;
    return c > 0.3;
}

static void coulombs_law_is_followed_to_the_left_and_backward(void **state) {
    (void)state;
    am_bem *bem = make(parabola, 221, 1.1, 0.0, (am_friction){.law = AM_FRICTION_COULOMB, .kinetic = 0.1});
    step(bem, P, 0.0);
    am_bem_load load = {.P = P, .Q = -1.0};
    am_bem_limit limit;
    int visited = 0;
    GOOD(am_bem_follow(bem, &load, -1, -0.1, 9, &limit, compare_with_cattaneo, &visited, err));
    assert_int_equal(visited, 7); /* 0.9, 0.8, ..., 0.3, where the visitor had enough */
    assert_false(limit.found);
    assert_near(limit.Q, am_bem_view_of(bem).Q, 1e-15);
    am_bem_free(bem);
}

/* Beyond it, load control finds nothing, says so, and leaves the state as it was. */
static void beyond_the_largest_load_there_is_no_equilibrium(void **state) {
    (void)state;
    am_bem *bem = make(parabola, 221, 1.1, 0.0, falling(AM_FRICTION_RAMP, 0.2, 0.01));
    step(bem, P, 0.0);
    step(bem, P, 0.12 * P);
    am_bem_view before = am_bem_view_of(bem);
    double slip = before.slip[20];
    am_error err = {0};
    am_bem_load load = {.P = P, .Q = 0.14 * P}; /* the largest is 0.1288 P; f_s P = 0.2 P */
    assert_int_equal(am_bem_step(bem, &load, &err), AM_ERR_NO_STATE);
    assert_says(&err, "slides as a whole");
    am_bem_view after = am_bem_view_of(bem);
    assert_true(after.Q == before.Q && after.slip[20] == slip && after.shift == before.shift);
    step(bem, P, 0.121 * P);
    am_bem_free(bem);
}

static void slid_far_enough_every_law_leaves_kinetic_friction(void **state) {
    (void)state;
    static const am_friction_law laws[] = {AM_FRICTION_RAMP, AM_FRICTION_STEP, AM_FRICTION_EXPONENTIAL};
    for (int k = 0; k < 3; k++) {
        am_bem *bem = make(parabola, 181, 1.1, 0.0, falling(laws[k], 0.15, 0.01));
        step(bem, P, 0.0);
        am_bem_load load = {.P = P, .tangential = AM_BEM_DISPLACEMENT, .Q = 2.0};
        GOOD(am_bem_step(bem, &load, err));
        am_bem_view v = am_bem_view_of(bem);
        assert_near(v.Q, 0.1 * P, 1e-10);
        for (size_t i = 0; i < v.nodes; i++)
            assert_true(v.state[i] == AM_OPEN || v.state[i] == AM_FORWARD);
        am_bem_free(bem);
    }
}

/* Four ways to ask for the same state. */
static void all_controls_lead_to_the_same_state(void **state) {
    (void)state;
    static const am_friction_law laws[] = {AM_FRICTION_COULOMB, AM_FRICTION_RAMP};
    for (int k = 0; k < 2; k++) {
        am_friction friction = falling(laws[k], 0.15, 0.004);
        am_bem *bem = make(parabola, 181, 1.1, 0.0, friction);
        step(bem, P, 0.0);
        am_bem_load load = {.P = P, .tangential = AM_BEM_VERGE, .Q = 1.0, .verge = 130};
        GOOD(am_bem_step(bem, &load, err));
        am_bem_view v = am_bem_view_of(bem);
        assert_near(v.q[130], (k ? 0.15 : 0.1) * v.p[130], 1e-10);
        for (int control = 0; control < 3; control++) {
            am_bem *other = make(parabola, 181, 1.1, 0.0, friction);
            step(other, P, 0.0);
            load.tangential = control == 0 ? AM_BEM_FORCE : control == 1 ? AM_BEM_DISPLACEMENT : AM_BEM_MEAN_SLIP;
            load.Q = control == 0 ? v.Q : control == 1 ? v.shift : v.mean_slip;
            GOOD(am_bem_step(other, &load, err));
            am_bem_view u = am_bem_view_of(other);
            assert_near(u.Q, v.Q, 1e-9);
            for (size_t i = 0; i < v.nodes; i++)
                assert_near(u.q[i], v.q[i], 1e-8); /* 1e-10 in displacements, over a spacing */
            am_bem_free(other);
        }
        load = (am_bem_load){.normal = AM_BEM_DISPLACEMENT, .P = v.approach, .Q = v.Q};
        am_bem *other = make(parabola, 181, 1.1, 0.0, friction);
        am_bem_load press = {.normal = AM_BEM_DISPLACEMENT, .P = v.approach};
        GOOD(am_bem_step(other, &press, err));
        GOOD(am_bem_step(other, &load, err));
        assert_near(am_bem_view_of(other).P, P, 1e-10);
        assert_near(am_bem_view_of(other).shift, v.shift, 1e-9);
        am_bem_free(other);
        am_bem_free(bem);
    }
}

/* ---- any load after any other ---- */

static double unit(uint64_t index, size_t dimension) {
    return am_random_unit(SEED, index, dimension);
}

/* Waviness, punches, both laws, dissimilar bodies, tilt: loads at random within what friction bears at its least, so
 * that equilibrium exists. The evidence is computed from the definitions after every step. */
static void random_loads_in_any_order_find_their_equilibrium(void **state) {
    (void)state;
    enum { TRIALS = 40, LOADS = 8, POINTS = 25 };
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        double x[POINTS], gap[POINTS];
        for (int i = 0; i < POINTS; i++) {
            x[i] = -1.5 + 3.0 * i / (POINTS - 1);
            gap[i] = 0.4 * x[i] * x[i] + 0.03 * unit(trial, (size_t)i);
        }
        am_bem_profile wavy = {.shape = AM_SLIP_TABLE, .count = POINTS, .x = x, .gap = gap};
        am_bem_profile rounded = {.shape = AM_SLIP_ROUNDED, .half_width = 0.4, .radius = 0.5};
        am_friction friction = {.law = trial % 2 ? AM_FRICTION_STATIC_KINETIC : AM_FRICTION_COULOMB,
                                .kinetic = 0.05 + 0.8 * unit(trial, 30)};
        friction.fixed = friction.kinetic * (1.0 + unit(trial, 31));
        double beta = trial % 4 < 2 ? 0.0 : 0.9 * (unit(trial, 32) - 0.5);
        size_t nodes = 40 + (size_t)(200.0 * unit(trial, 33));
        am_bem *bem = make(trial % 3 == 0 ? wavy : trial % 3 == 1 ? rounded : flat, nodes, 1.4, beta, friction);
        for (uint64_t k = 0; k < LOADS; k++) {
            double normal = 0.1 + 0.5 * unit(trial, 40 + 5 * k);
            double tangential = 1.9 * friction.kinetic * normal * (unit(trial, 41 + 5 * k) - 0.5);
            am_bem_load load = {.P = normal, .Q = tangential};
            load.free_tilt = unit(trial, 42 + 5 * k) < 0.3;
            load.M = 0.5 * normal * (unit(trial, 43 + 5 * k) - 0.5);
            GOOD(am_bem_step(bem, &load, err));
            am_bem_view v = am_bem_view_of(bem);
            assert_true(v.evidence.equilibrium < 1e-9); /* exchanges: 1e-11 times the number of nodes */
            assert_true(v.evidence.compliance < 1e-9);
            assert_true(v.evidence.traction < 1e-9 * (double)nodes);
            assert_true(v.dissipated > -1e-9);
        }
        am_bem_free(bem);
    }
}

/* ---- refusals ---- */

static void refuses(am_bem_def def, const char *field, const char *words) {
    am_error err = {0};
    assert_null(am_bem_create(&def, &err));
    assert_blames(&err, field, words);
}

static void wrong_definitions_are_refused(void **state) {
    (void)state;
    double x[] = {0.0, 1.0, 1.0}, z[] = {1.0, 0.0, 1.0}, far[] = {5.0, 6.0, 7.0};
    double slip[] = {0.0, 0.0}, two[] = {0.2, 0.1};
    const am_bem_def good = {.profile = parabola,
                             .friction = {.law = AM_FRICTION_COULOMB, .kinetic = 0.3},
                             .modulus = 1.0,
                             .nodes = 50,
                             .width = 1.0};
    am_bem_def def = good;
    def.modulus = 0.0;
    refuses(def, "modulus", "must be positive");
    def = good, def.beta = 0.6;
    refuses(def, "beta", "between -1/2 and 1/2");
    def = good, def.beta = NAN;
    refuses(def, "beta", "between -1/2 and 1/2");
    def = good, def.nodes = 3;
    refuses(def, "nodes", "at least 8");
    def = good, def.width = -1.0;
    refuses(def, "width", "must be positive");
    def = good, def.friction.kinetic = -0.1;
    refuses(def, "friction.kinetic", "must not be negative");
    def = good, def.friction = falling(AM_FRICTION_RAMP, 0.05, 0.1);
    refuses(def, "friction.static", "must not be below");
    def = good, def.friction = falling(AM_FRICTION_RAMP, 0.2, 0.0);
    refuses(def, "friction.distance", "must be positive");
    def = good, def.friction = (am_friction){.law = AM_FRICTION_TABLE, .count = 2, .slip = slip, .coefficient = two};
    refuses(def, "friction.points", "starts at 0 and increases");
    def = good, def.profile = (am_bem_profile){.shape = AM_SLIP_TABLE, .count = 3, .x = x, .gap = z};
    refuses(def, "profile.points", "must increase in x; point 3");
    def.profile.x = far;
    refuses(def, "profile", "never touches");
    def = good, def.reference = 0.1;
    refuses(def, "reference", "at least half the strip");
    def = good, def.profile.radius = 0.0;
    refuses(def, "profile.radius", "must be positive");
    def = good, def.profile = flat, def.period = 1.5;
    refuses(def, "period", "not longer than the punch");
}

static void wrong_loads_are_refused(void **state) {
    (void)state;
    am_bem *bem = make(parabola, 60, 1.2, 0.0, (am_friction){.law = AM_FRICTION_COULOMB, .kinetic = 0.5});
    am_error err = {0};
    am_bem_load load = {.P = 0.0, .Q = 0.1};
    assert_int_equal(am_bem_step(bem, &load, &err), AM_ERR_INPUT);
    assert_says(&err, "must be positive");
    load = (am_bem_load){.P = P, .Q = 0.6 * P};
    assert_int_equal(am_bem_step(bem, &load, &err), AM_ERR_NO_STATE);
    assert_says(&err, "Q exceeds f P: the contact slides as a whole; the largest load is 0.39");
    load = (am_bem_load){.P = P, .Q = NAN};
    assert_int_equal(am_bem_step(bem, &load, &err), AM_ERR_INPUT);
    load = (am_bem_load){.P = P, .free_tilt = true, .M = 2.0 * P};
    assert_int_equal(am_bem_step(bem, &load, &err), AM_ERR_NO_STATE);
    assert_says(&err, "tips over");
    load = (am_bem_load){.P = P, .tangential = AM_BEM_VERGE, .Q = 1.0, .verge = 0};
    assert_int_equal(am_bem_step(bem, &load, &err), AM_ERR_INPUT);
    assert_says(&err, "is not in contact");
    am_bem_free(bem);
    bem = make(parabola, 60, 0.5, 0.0, (am_friction){.law = AM_FRICTION_COULOMB, .kinetic = 0.5});
    load = (am_bem_load){.P = P};
    assert_int_equal(am_bem_step(bem, &load, &err), AM_ERR_INPUT);
    assert_says(&err, "reaches the end of the strip of nodes");
    am_bem_free(bem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_punch_that_sticks_has_oscillating_ends),
        cmocka_unit_test(the_stick_zone_of_pressed_dissimilar_bodies_is_that_of_spence),
        cmocka_unit_test(exchanging_the_bodies_turns_the_shear_around),
        cmocka_unit_test(a_law_that_does_not_fall_is_coulombs),
        cmocka_unit_test(a_table_with_the_points_of_a_ramp_is_the_ramp),
        cmocka_unit_test(the_area_of_every_law_is_its_distance),
        cmocka_unit_test(static_friction_does_not_change_the_stick_zone_of_hertz),
        cmocka_unit_test(a_flat_punch_holds_up_to_static_friction),
        cmocka_unit_test(a_ramp_sticks_as_far_as_the_double_solution_says),
        cmocka_unit_test(the_largest_load_is_near_that_of_the_jkr_limit_and_the_way_goes_on),
        cmocka_unit_test(coulombs_law_is_followed_to_the_left_and_backward),
        cmocka_unit_test(beyond_the_largest_load_there_is_no_equilibrium),
        cmocka_unit_test(slid_far_enough_every_law_leaves_kinetic_friction),
        cmocka_unit_test(all_controls_lead_to_the_same_state),
        cmocka_unit_test(random_loads_in_any_order_find_their_equilibrium),
        cmocka_unit_test(wrong_definitions_are_refused),
        cmocka_unit_test(wrong_loads_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
