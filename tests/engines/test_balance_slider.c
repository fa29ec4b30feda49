/* Sliders behind springs along a given motion, where the stop operator has no closed form: two tangents, friction that
 * drops, surfaces that go on for ever, layers that are not linear. Against small steps in time written here, closed forms,
 * the closed-form element of one tangent, and differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/watch.h"
#include "cases.h"
#include "engines/balance/element.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"

enum { H = 3, S = 2 * H + 1, STEPS = 1 << 15, PARTS = 3 * S + 1 };

static const double two_pi = 6.28318530717958647692;

typedef struct contact {
    am_element_contact c;
    am_speed_friction use; /* its law where friction depends on the speed */
    double x[S], second[S], y[S], hold[S], surface[S], stretch[2];
} contact;

static void draw_signal(random_source *source, double size, double *signal) {
    for (size_t k = 0; k < S; k++)
        signal[k] = size * random_between(source, -1.0, 1.0) / (1.0 + (double)(k * k) / 4.0);
}

static void draw(random_source *source, size_t which, contact *r) {
    const am_element_normal normals[] = {AM_NORMAL_HELD, AM_NORMAL_LAYER, AM_NORMAL_HELD, AM_NORMAL_POWER};
    *r = (contact){.c = {.normal = normals[which % 4],
                         .stiffness = random_between(source, 1.0, 3.0),
                         .damping = which % 8 == 1 ? random_between(source, 0.05, 0.2) : 0.0,
                         .exponent = 1.5,
                         .dissipation = which % 8 == 3 ? random_between(source, 0.0, 0.2) : 0.0,
                         .rubs = true,
                         .spring = random_between(source, 0.5, 2.0),
                         .friction = random_between(source, 0.2, 0.6),
                         .omega = random_between(source, 0.7, 1.5)}};
    draw_signal(source, 1.0, r->x);
    draw_signal(source, 1.0, r->second);
    draw_signal(source, 0.3, r->y);
    draw_signal(source, 0.1, r->hold);
    draw_signal(source, 0.2, r->surface);
    r->hold[0] = random_between(source, 0.5, 1.0);
    r->y[0] = -0.1;
    /* one tangent; two; both with a surface that goes on and friction that drops; friction that depends on the speed */
    size_t kind = which / 4 % 5;
    if (kind == 1 || kind == 2)
        r->c.second = r->second;
    if (kind < 2)
        r->surface[0] = 0.0;
    r->c.static_friction = r->c.friction * (kind < 2 ? 1.0 : 1.3);
    if (kind < 4)
        return;
    const am_speed_friction laws[] = {{.law = "stribeck", .parameter = {0.4, 0.25, 0.5, 1.5, 0.05}},
                                      {.law = "falling", .parameter = {0.5, 0.3, 0.3}},
                                      {.law = "hyperbolic", .parameter = {0.5, 0.3, 0.4}}};
    am_error err = {0};
    r->use = laws[which % 3];
    r->c.law = am_element_law_create(&r->use, &err);
    assert_non_null(r->c.law);
}

static void follow(am_slider *slider, am_cell *cell, contact *r, bool derive, am_slider_forces *forces) {
    r->c.x = r->x;
    r->c.second = r->c.second ? r->second : NULL;
    r->c.y = r->y;
    r->c.hold = r->hold;
    r->c.surface = r->surface;
    r->c.memory = r->stretch;
    GOOD(am_slider_follow(slider, cell, &r->c, derive, forces, err));
}

/* ---- the same, step by step ---- */

static double value(const double *s, double theta, double *rate) {
    double sum = s[0];
    *rate = 0.0;
    for (size_t h = 1; h <= H; h++) {
        double c = cos((double)h * theta), q = sin((double)h * theta);
        sum += s[2 * h - 1] * c + s[2 * h] * q;
        *rate += (double)h * (s[2 * h] * c - s[2 * h - 1] * q);
    }
    return sum;
}

static double normal_force(const contact *r, double theta) {
    double rate, y;
    if (r->c.normal == AM_NORMAL_HELD)
        return value(r->hold, theta, &rate);
    y = value(r->y, theta, &rate);
    double d = -y, speed = -r->c.omega * rate;
    if (d <= 0.0)
        return 0.0;
    return fmax(0.0, r->c.normal == AM_NORMAL_LAYER
                         ? r->c.stiffness * d + r->c.damping * speed
                         : r->c.stiffness * pow(d, r->c.exponent) * (1.0 + 1.5 * r->c.dissipation * speed));
}

/* Stretches follow the motion and are put back onto the circle when they leave it; two periods, of which the second is
 * summed up. A slider that has slipped in the last step holds no more than its kinetic friction. */
static void integrate(const contact *r, double f[2][S]) {
    double h = two_pi / STEPS, e[2] = {r->stretch[0], r->stretch[1]}, rate;
    bool slips = false;
    memset(f, 0, 2 * sizeof f[0]);
    for (size_t i = 0; i < 2 * STEPS; i++) {
        double theta = h * ((double)i + 0.5), next = h * (double)(i + 1), size;
        value(r->x, theta, &rate);
        double kept = rate, V = value(r->surface, theta, &rate);
        e[0] += h * (kept - V / r->c.omega);
        value(r->second, theta, &rate);
        e[1] += r->c.second ? h * rate : 0.0;
        size = hypot(e[0], e[1]);
        double N = normal_force(r, next), mu = r->c.friction, held = slips ? mu : r->c.static_friction;
        if (r->c.law) {
            value(r->x, next, &rate);
            kept = r->c.omega * rate;
            held = mu = am_speed_friction_at(&r->use, fabs(kept - value(r->surface, next, &rate)), NULL);
        }
        double a = mu * N / r->c.spring, most = held * N / r->c.spring;
        slips = size > most && N > 0.0;
        if (N == 0.0)
            e[0] = e[1] = 0.0;
        else if (slips)
            e[0] *= a / size, e[1] *= a / size;
        for (size_t k = 0; k < S && i >= STEPS; k++) {
            double angle = (double)((k + 1) / 2) * next, phi = k == 0 ? 0.5 : k % 2 ? cos(angle) : sin(angle);
            for (size_t t = 0; t < 2; t++)
                f[t][k] += 2.0 / STEPS * phi * r->c.spring * e[t];
        }
    }
}

static void forces_are_those_of_small_steps(void **state) {
    (void)state;
    am_error err = {0};
    am_cell *cell = am_cell_create(H, &err);
    am_slider *slider = am_slider_create(H, &err);
    assert_true(cell && slider);
    for (size_t i = 0; i < CASES(20, 10); i++) {
        random_source source = random_seed(140 + i);
        contact r;
        am_slider_forces forces;
        double f[2][S];
        draw(&source, i, &r);
        follow(slider, cell, &r, false, &forces);
        integrate(&r, f);
        am_element_law_free(r.c.law);
        /* Steps of the first order, 2e-4 long, along motions of size one. */
        for (size_t k = 0; k < S; k++)
            for (size_t t = 0; t < (r.c.second ? 2 : 1); t++)
                assert_near(forces.f[t][k], f[t][k], 1e-3);
    }
    am_slider_free(slider);
    am_cell_free(cell);
}

/* ---- closed forms ---- */

/* On a circle of radius R the force has the part k a^2/R along the position and mu N sqrt(1 - a^2/R^2) along the
 * velocity, a = mu N/k (docs/laws.md, section 6). */
static void a_circular_path_has_its_closed_form(void **state) {
    (void)state;
    am_error err = {0};
    am_cell *cell = am_cell_create(H, &err);
    am_slider *slider = am_slider_create(H, &err);
    contact r = {.c = {.normal = AM_NORMAL_HELD, .spring = 2.0, .friction = 0.3, .static_friction = 0.3, .omega = 1.7}};
    am_slider_forces forces;
    const double radius = 0.8, a = 0.3 * 1.5 / 2.0, along = 2.0 * a * a / radius,
                 against = 0.45 * sqrt(1.0 - a * a / (radius * radius));
    r.x[1] = radius;
    r.second[2] = radius;
    r.hold[0] = 1.5;
    r.c.second = r.second;
    follow(slider, cell, &r, false, &forces);
    const double expected[2][S] = {{0.0, along, -against}, {0.0, against, along}};
    for (size_t t = 0; t < 2; t++)
        for (size_t k = 0; k < S; k++)
            assert_near(forces.f[t][k], expected[t][k], 1e-12);
    am_slider_free(slider);
    am_cell_free(cell);
}

/* Along a line one tangent is enough, and there the stop operator has a closed form; surfaces that move only shift it. */
static void along_a_line_it_is_the_element_of_one_tangent(void **state) {
    (void)state;
    am_error err = {0};
    am_cell *cell = am_cell_create(H, &err);
    am_slider *slider = am_slider_create(H, &err);
    for (size_t i = 0; i < CASES(8, 4); i++) {
        random_source source = random_seed(240 + i);
        contact r;
        am_slider_forces forces;
        double w[S], limit[S], f[S], angle = random_between(&source, 0.0, 6.0);
        draw(&source, 0, &r);
        memset(r.surface, 0, sizeof r.surface);
        r.c.friction = r.c.static_friction = random_between(&source, 0.2, 2.0);
        for (size_t k = 0; k < S; k++) {
            w[k] = r.c.spring * r.x[k];
            limit[k] = r.c.friction * r.hold[k];
            r.second[k] = r.x[k] * sin(angle);
            r.x[k] *= cos(angle);
        }
        r.c.second = r.second;
        follow(slider, cell, &r, false, &forces);
        GOOD(am_cell_jenkins(cell, w, &(am_cell_limit){.signal = limit}, f, NULL, NULL, NULL, err));
        for (size_t k = 0; k < S; k++) {
            assert_near(forces.f[0][k], f[k] * cos(angle), 1e-11); /* panels are resolved to 1e-12 */
            assert_near(forces.f[1][k], f[k] * sin(angle), 1e-11);
        }
    }
    am_slider_free(slider);
    am_cell_free(cell);
}

/* ---- differences ---- */

static double *number_of(contact *r, size_t part) {
    return part < S       ? &r->x[part]
           : part < 2 * S ? &r->y[part - S]
           : part < 3 * S ? &r->second[part - 2 * S]
                          : &r->c.omega;
}

static void derivatives_are_differences(void **state) {
    (void)state;
    static const double step = 1e-6;
    am_error err = {0};
    am_cell *cell = am_cell_create(H, &err);
    am_slider *slider = am_slider_create(H, &err);
    assert_true(cell && slider);
    for (size_t i = 0; i < CASES(20, 10); i++) {
        random_source source = random_seed(180 + i);
        contact r, moved;
        am_slider_forces forces;
        double slope[2][PARTS][S] = {{{0.0}}}, push[PARTS][S] = {{0.0}}, above[2][S], push_above[S];
        draw(&source, i, &r);
        follow(slider, cell, &r, true, &forces);
        bool held = r.c.normal == AM_NORMAL_HELD;
        size_t tangents = r.c.second ? 2 : 1;
        for (size_t k = 0; k < S; k++) {
            for (size_t t = 0; t < tangents; t++) {
                for (size_t l = 0; l < S; l++) {
                    slope[t][l][k] = forces.f_x[t][0][k * S + l];
                    slope[t][S + l][k] = held ? 0.0 : forces.f_y[t][k * S + l];
                    slope[t][2 * S + l][k] = tangents > 1 ? forces.f_x[t][1][k * S + l] : 0.0;
                }
                slope[t][3 * S][k] = forces.f_omega[t][k];
            }
            for (size_t l = 0; l < S && !held; l++)
                push[S + l][k] = forces.N_y[k * S + l];
            push[3 * S][k] = held ? 0.0 : forces.N_omega[k];
        }
        for (size_t part = 0; part < PARTS; part++) {
            moved = r;
            *number_of(&moved, part) += step;
            follow(slider, cell, &moved, false, &forces);
            memcpy(push_above, forces.N, sizeof push_above);
            for (size_t t = 0; t < tangents; t++)
                memcpy(above[t], forces.f[t], sizeof above[t]);
            *number_of(&moved, part) -= 2.0 * step;
            follow(slider, cell, &moved, false, &forces);
            /* A kink that is met between the two moves the difference by its jump times the step; rounding by
             * 1e-12/step. */
            for (size_t k = 0; k < S; k++) {
                for (size_t t = 0; t < tangents; t++)
                    assert_near(slope[t][part][k], (above[t][k] - forces.f[t][k]) / (2.0 * step), 2e-5);
                if (!held)
                    assert_near(push[part][k], (push_above[k] - forces.N[k]) / (2.0 * step), 2e-5);
            }
        }
        am_element_law_free(r.c.law);
    }
    am_slider_free(slider);
    am_cell_free(cell);
}

/* ---- stick in the plane, from a stretch that the limit does not leave ---- */

static void draw_stuck(random_source *source, size_t which, contact *r, double *relaxed) {
    draw(source, which % 2 ? 5 : 4, r); /* two tangents; a held force or a layer */
    for (size_t k = 0; k < S; k++) {
        r->surface[k] = 0.0;
        r->x[k] *= 0.04;
        r->second[k] *= 0.04;
        r->y[k] *= 0.1;
    }
    r->y[0] = -0.5;
    for (size_t i = 0; i < 2; i++)
        relaxed[i] = random_between(source, -0.6, 0.6);
    r->c.relaxed = relaxed;
}

/* The largest excess of |c + u| over mu N/k, from samples. */
static double excess(const contact *r, const double *c) {
    double worst = -INFINITY, rate;
    for (size_t i = 0; i < 720; i++) {
        double theta = two_pi * (double)i / 720.0;
        double size = hypot(c[0] + value(r->x, theta, &rate), c[1] + value(r->second, theta, &rate));
        worst = fmax(worst, size - r->c.friction * normal_force(r, theta) / r->c.spring);
    }
    return worst;
}

/* Between the samples a maximum is higher by 1/8 of its curvature over their distance squared. */
static void stick_keeps_what_the_limit_leaves_of_the_past(void **state) {
    (void)state;
    random_source source = {12};
    am_error err = {0};
    am_cell *cell = am_cell_create(H, &err);
    am_slider *slider = am_slider_create(H, &err);
    assert_true(cell && slider);
    size_t held = 0;
    for (size_t which = 0; which < CASES(30, 8); which++) {
        contact r;
        double relaxed[2];
        am_slider_forces forces;
        draw_stuck(&source, which, &r, relaxed);
        follow(slider, cell, &r, true, &forces);
        double c[2] = {forces.f[0][0] / r.c.spring - r.x[0], forces.f[1][0] / r.c.spring - r.second[0]};
        double past[2] = {-relaxed[0], -relaxed[1]}, before = hypot(c[0] - past[0], c[1] - past[1]);
        for (size_t k = 1; k < S; k++) {
            assert_near(forces.f[0][k], r.c.spring * r.x[k], 1e-12);
            assert_near(forces.f[1][k], r.c.spring * r.second[k], 1e-12);
        }
        assert_true(excess(&r, c) < 1e-5);
        held += before == 0.0;
        for (size_t d = 0; d < 32; d++) { /* nearer to the past there is none */
            double there[2] = {c[0] + 1e-3 * cos(0.2 * (double)d), c[1] + 1e-3 * sin(0.2 * (double)d)};
            if (hypot(there[0] - past[0], there[1] - past[1]) < before - 1e-4)
                assert_true(excess(&r, there) > 0.0);
        }
        /* the mean forces by all signals */
        double *signals[3] = {r.x, r.second, r.y}, f_mean[3][2][S];
        for (size_t i = 0; i < 2; i++) {
            memcpy(f_mean[0][i], forces.f_x[i][0], sizeof f_mean[0][i]);
            memcpy(f_mean[1][i], forces.f_x[i][1], sizeof f_mean[1][i]);
            if (r.c.normal != AM_NORMAL_HELD)
                memcpy(f_mean[2][i], forces.f_y[i], sizeof f_mean[2][i]);
        }
        for (size_t s = 0; s < (r.c.normal != AM_NORMAL_HELD ? 3u : 2u); s++)
            for (size_t k = 0; k < S; k++) {
                double side[2][2], kept = signals[s][k], h = 1e-6;
                for (size_t j = 0; j < 2; j++) {
                    signals[s][k] = kept + (j ? h : -h);
                    follow(slider, cell, &r, false, &forces);
                    side[j][0] = forces.f[0][0], side[j][1] = forces.f[1][0];
                }
                signals[s][k] = kept;
                for (size_t i = 0; i < 2; i++)
                    assert_near(f_mean[s][i][k], (side[1][i] - side[0][i]) / (2.0 * h), 2e-5);
            }
    }
    assert_true(held < CASES(30, 8) / 2); /* the limit had a say */
    am_slider_free(slider);
    am_cell_free(cell);
}

/* ---- small motions at the limit, where the preload has slipped ---- */

/* The springs would be stretched to twice the limit: they are at it, and a motion far smaller than they sees them stick.
 * What is left to the limit is rounding: panels as short as resolve that took a million for a period. */
static void small_motions_at_the_limit_are_smooth(void **state) {
    (void)state;
    random_source source = {13};
    am_error err = {0};
    am_cell *cell = am_cell_create(H, &err);
    am_slider *slider = am_slider_create(H, &err);
    assert_true(cell && slider);
    for (size_t which = 0; which < CASES(24, 8); which++) {
        contact r;
        double relaxed[2], small = pow(10.0, -3.0 - (double)(which / 2));
        am_slider_forces forces;
        am_contact_trace trace = {0};
        draw_stuck(&source, which, &r, relaxed);
        for (size_t k = 1; k < S; k++) {
            r.x[k] *= small;
            r.second[k] *= small;
            r.y[k] *= small;
            r.hold[k] *= small;
        }
        double mean = which % 2 ? -r.c.stiffness * r.y[0] : r.hold[0], limit = r.c.friction * mean;
        double angle = random_between(&source, 0.0, two_pi), along[2] = {cos(angle), sin(angle)};
        double *signals[2] = {r.x, r.second};
        for (size_t i = 0; i < 2; i++) {
            signals[i][0] *= 1e3;
            relaxed[i] = signals[i][0] - 2.0 * limit / r.c.spring * along[i];
        }
        r.c.trace = &trace;
        follow(slider, cell, &r, true, &forces);
        assert_true(trace.count > 0 && trace.count <= 16 * 50);
        for (size_t i = 0; i < 2; i++) {
            assert_near(forces.f[i][0], limit * along[i], 2.0 * small);
            for (size_t k = 1; k < S; k++)
                assert_near(forces.f[i][k], r.c.spring * signals[i][k], 1e-14 * limit);
        }
        am_memory_free(trace.moment);
    }
    am_slider_free(slider);
    am_cell_free(cell);
}

static bool refuse(void *context, double fraction) {
    (void)context;
    (void)fraction;
    return false;
}

static void a_period_can_be_stopped(void **state) {
    (void)state;
    random_source source = {14};
    am_error err = {0};
    am_cell *cell = am_cell_create(H, &err);
    am_slider *slider = am_slider_create(H, &err);
    assert_true(cell && slider);
    const am_progress progress = {.report = refuse};
    am_watch watch;
    contact r;
    am_slider_forces forces;
    draw(&source, 4, &r);
    r.c.x = r.x, r.c.second = r.second, r.c.hold = r.hold, r.c.surface = r.surface, r.c.memory = r.stretch;
    am_watch_begin(&watch, &progress);
    watch.left = 0.0; /* the next question is due */
    am_status status = am_slider_follow(slider, cell, &r.c, true, &forces, &err);
    assert_int_equal(am_watch_end(&watch, status, &err), AM_ERR_INTERRUPTED);
    assert_int_equal(status, AM_ERR_INTERRUPTED);
    am_slider_free(slider);
    am_cell_free(cell);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_those_of_small_steps),
        cmocka_unit_test(a_circular_path_has_its_closed_form),
        cmocka_unit_test(along_a_line_it_is_the_element_of_one_tangent),
        cmocka_unit_test(derivatives_are_differences),
        cmocka_unit_test(stick_keeps_what_the_limit_leaves_of_the_past),
        cmocka_unit_test(small_motions_at_the_limit_are_smooth),
        cmocka_unit_test(a_period_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
