/* Contacts of any law along a given motion: against a plain integration in time written here, and derivatives against
 * differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "cases.h"
#include "engines/balance/element.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"

enum { H = 3, S = 2 * H + 1, STEPS = 1 << 14, PARTS = 3 * S + 1 };

static const double two_pi = 6.28318530717958647692;

/* ---- random contacts ---- */

typedef struct contact {
    am_element_contact c;
    am_speed_friction use;
    double x[S], y[S], lambda[S], hold[S], surface[S], memory, points[6];
} contact;

static void draw_signal(random_source *source, double size, double *signal) {
    for (size_t k = 0; k < S; k++)
        signal[k] = size * random_between(source, -1.0, 1.0) / (1.0 + (double)(k * k) / 4.0);
}

static void draw_law(random_source *source, size_t which, contact *r) {
    double a = random_between(source, 0.1, 0.3), b = random_between(source, 0.1, 0.5);
    r->points[1] = 0.3, r->points[2] = 0.8, r->points[3] = 0.3, r->points[4] = 0.2, r->points[5] = 0.25;
    const am_speed_friction laws[] = {
        {.law = "stribeck", .parameter = {a + 0.1, a, b, 1.0 + b, 0.05}},
        {.law = "falling", .parameter = {0.4, 0.2, 0.25}},
        {.law = "table", .points = 3, .speed = r->points, .coefficient = r->points + 3},
        {.law = "tanh", .parameter = {a, b}},
        {.law = "dahl", .parameter = {1.0 + 10.0 * b, a}},
        {.law = "lugre", .parameter = {3.0 + 5.0 * b, a, 0.05, a + 0.1, a, b}},
        {.law = "bouc-wen", .parameter = {1.0, 1.0, 1.0 + b, 0.5 - b, which % 2 ? 1.0 : 2.0}},
        {.law = "rate-and-state", .parameter = {0.3, 0.1, 0.05, 0.1, b}},
    };
    r->use = laws[which % (sizeof laws / sizeof *laws)];
}

static void draw(random_source *source, size_t which, contact *r) {
    *r = (contact){.c = {.normal = random_chance(source, 0.5) ? AM_NORMAL_HELD
                                   : which % 2                ? AM_NORMAL_LAYER
                                                              : AM_NORMAL_POWER,
                         .stiffness = random_between(source, 1.0, 3.0),
                         .damping = random_chance(source, 0.5) ? 0.0 : random_between(source, 0.0, 0.2),
                         .exponent = random_chance(source, 0.5) ? 1.5 : 2.0,
                         .dissipation = random_between(source, 0.0, 0.2),
                         .rubs = true,
                         .epsilon = 0.7,
                         .omega = random_between(source, 0.7, 1.5)}};
    draw_signal(source, 1.0, r->x);
    draw_signal(source, 0.3, r->y);
    draw_signal(source, 0.5, r->lambda);
    draw_signal(source, 0.1, r->hold);
    draw_signal(source, 0.1, r->surface);
    r->hold[0] = 1.0;
    draw_law(source, which, r);
    GOOD(am_law_check(&r->use, err));
    r->c.rigid = am_law_sticks(&r->use);
    /* Bristles at a pressure that vanishes are as stiff as one likes: those contacts stay pressed. */
    r->y[0] = am_law_memories(&r->use) > 0 ? -1.5 : -0.1;
    am_error err = {0};
    r->c.law = am_element_law_create(&r->use, &err);
    assert_non_null(r->c.law);
    r->memory = am_law_named(r->use.law)->memory[0].start ? 1.0 : 0.0;
}

static void follow(am_element *element, am_cell *cell, contact *r, bool derive, am_element_forces *forces) {
    r->c.x = r->x;
    r->c.y = r->y;
    r->c.lambda = r->lambda;
    r->c.hold = r->hold;
    r->c.surface = r->surface;
    r->c.memory = &r->memory;
    GOOD(am_element_follow(element, cell, &r->c, derive, forces, err));
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

static double sliding(const contact *r, double theta) {
    double rate;
    value(r->x, theta, &rate);
    double v = r->c.omega * rate;
    return v - value(r->surface, theta, &rate);
}

/* dw/dtheta */
static double memory_rate(const contact *r, double theta, double w) {
    double v = sliding(r, theta), sign = v < 0.0 ? -1.0 : 1.0;
    double turn = am_law_named(r->use.law)->memory[0].directed ? sign : 1.0;
    const double turned = turn * w;
    return turn * am_law_drag_at(&r->use, fabs(v), normal_force(r, theta), &turned).rate[0].value / r->c.omega;
}

static double friction_force(const contact *r, double theta, double w) {
    double v = sliding(r, theta), N = normal_force(r, theta), sign = v < 0.0 ? -1.0 : 1.0, rate;
    if (r->c.rigid) {
        double limit = am_speed_friction_at(&r->use, fabs(v), NULL) * N;
        return fmax(-limit, fmin(limit, value(r->lambda, theta, &rate) + r->c.epsilon * v));
    }
    double turn = am_law_named(r->use.law)->memory[0].directed ? sign : 1.0;
    const double turned = turn * w;
    return N > 0.0 ? sign * am_law_drag_at(&r->use, fabs(v), N, &turned).force.value : 0.0;
}

static double step_memory(const contact *r, double theta, double h, double w) {
    double a = memory_rate(r, theta, w), b = memory_rate(r, theta + 0.5 * h, w + 0.5 * h * a);
    double c = memory_rate(r, theta + 0.5 * h, w + 0.5 * h * b), d = memory_rate(r, theta + h, w + h * c);
    return w + h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
}

/* Runge and Kutta until the memory repeats, sums over a period. */
static void integrate(const contact *r, double *N, double *f) {
    double w = r->memory, h = two_pi / STEPS;
    bool remembers = am_law_memories(&r->use) > 0;
    memset(N, 0, S * sizeof *N);
    memset(f, 0, S * sizeof *f);
    for (size_t i = 0; i < STEPS; i++) {
        double theta = h * (double)i, n = normal_force(r, theta), t = friction_force(r, theta, w);
        for (size_t k = 0; k < S; k++) {
            double angle = (double)((k + 1) / 2) * theta, phi = k == 0 ? 0.5 : k % 2 ? cos(angle) : sin(angle);
            N[k] += 2.0 / STEPS * phi * n;
            f[k] += 2.0 / STEPS * phi * t;
        }
        if (remembers)
            w = step_memory(r, theta, h, w);
    }
    if (remembers)
        assert_near(w, r->memory, 1e-6 * (1.0 + fabs(w))); /* it repeats, as well as steps across corners tell */
}

static void forces_are_those_of_small_steps(void **state) {
    (void)state;
    am_error err = {0};
    am_cell *cell = am_cell_create(H, &err);
    am_element *element = am_element_create(H, &err);
    assert_true(cell && element);
    for (size_t i = 0; i < CASES(16, 8); i++) {
        random_source source = random_seed(40 + i);
        contact r;
        am_element_forces forces;
        double N[S], f[S];
        draw(&source, i, &r);
        follow(element, cell, &r, false, &forces);
        integrate(&r, N, f);
        /* A sum of 2^14 values of a force that jumps is off by a step, 4e-4 of a jump; of one with a kink by its square.
         * Only damped layers that close make jumps here, of a tenth. */
        for (size_t k = 0; k < S; k++) {
            if (r.c.normal != AM_NORMAL_HELD)
                assert_near(forces.N[k], N[k], 1e-4);
            assert_near(forces.f[k], f[k], r.c.normal == AM_NORMAL_HELD ? 5e-7 : 1e-4);
        }
        am_element_law_free(r.c.law);
    }
    am_element_free(element);
    am_cell_free(cell);
}

/* ---- differences ---- */

static double *number_of(contact *r, size_t part) {
    return part < S       ? &r->x[part]
           : part < 2 * S ? &r->y[part - S]
           : part < 3 * S ? &r->lambda[part - 2 * S]
                          : &r->c.omega;
}

static void derivatives_are_differences(void **state) {
    (void)state;
    static const double step = 1e-6;
    am_error err = {0};
    am_cell *cell = am_cell_create(H, &err);
    am_element *element = am_element_create(H, &err);
    assert_true(cell && element);
    for (size_t i = 0; i < CASES(16, 8); i++) {
        random_source source = random_seed(80 + i);
        contact r, moved;
        am_element_forces forces;
        double slope[PARTS][S], push[PARTS][S], above[S], push_above[S];
        draw(&source, i, &r);
        follow(element, cell, &r, true, &forces);
        bool held = r.c.normal == AM_NORMAL_HELD;
        for (size_t k = 0; k < S; k++) {
            for (size_t l = 0; l < S; l++) {
                slope[l][k] = forces.f_x[k * S + l];
                slope[S + l][k] = held ? 0.0 : forces.f_y[k * S + l];
                slope[2 * S + l][k] = r.c.rigid ? forces.f_lambda[k * S + l] : 0.0;
                push[l][k] = push[2 * S + l][k] = 0.0;
                push[S + l][k] = held ? 0.0 : forces.N_y[k * S + l];
            }
            slope[3 * S][k] = forces.f_omega[k];
            push[3 * S][k] = held ? 0.0 : forces.N_omega[k];
        }
        for (size_t part = 0; part < PARTS; part++) {
            moved = r;
            *number_of(&moved, part) += step;
            follow(element, cell, &moved, false, &forces);
            memcpy(above, forces.f, sizeof above);
            memcpy(push_above, forces.N, sizeof push_above);
            *number_of(&moved, part) -= 2.0 * step;
            follow(element, cell, &moved, false, &forces);
            /* A kink that is met between the two moves the difference by its jump times the step; rounding by
             * 1e-13/step. */
            for (size_t k = 0; k < S; k++) {
                assert_near(slope[part][k], (above[k] - forces.f[k]) / (2.0 * step), 2e-5);
                if (!held)
                    assert_near(push[part][k], (push_above[k] - forces.N[k]) / (2.0 * step), 2e-5);
            }
        }
        am_element_law_free(r.c.law);
    }
    am_element_free(element);
    am_cell_free(cell);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_those_of_small_steps),
        cmocka_unit_test(derivatives_are_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
