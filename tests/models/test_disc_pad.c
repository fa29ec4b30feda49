/* Model disc-pad: its modes against closed forms and the equation of the plate, its contact rows against each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/models.h"
#include "amontons/stability.h"

static const double pi = 3.14159265358979323846;

static void close_to(double got, double wanted, double tolerance) {
    if (!(fabs(got - wanted) <= tolerance)) {
        print_error("got %.17g, wanted %.17g within %g\n", got, wanted, tolerance);
        fail();
    }
}

/* sqrt(D/(rho h)) */
static double plate_speed(const am_disc *disc) {
    return sqrt(disc->modulus * disc->thickness * disc->thickness /
                (12 * disc->density * (1 - disc->poisson * disc->poisson)));
}

/* The plate's equation, laplace laplace W = x^2 W with U = laplace W, integrated from the clamped to the free edge by
 * the classical Runge-Kutta method: what moment and shear of the two solutions leave at the free edge, a determinant
 * that vanishes at natural frequencies x = omega b^2 sqrt(rho h/D). Outer radius 1. */
static double shoot(double x, double n, double inner, double nu) {
    enum { steps = 400 };
    double end[2][2], h = (1 - inner) / steps;
    for (int k = 0; k < 2; k++) {
        double s[4] = {0, 0, k == 0, k == 1}, r = inner;
        for (int i = 0; i < steps; i++, r += h) {
            static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
            double slope[4] = {0}, sum[4] = {0};
            for (int stage = 0; stage < 4; stage++) {
                double t[4], at = r + part[stage] * h;
                for (int j = 0; j < 4; j++)
                    t[j] = s[j] + part[stage] * h * slope[j];
                slope[0] = t[1];
                slope[1] = t[2] - t[1] / at + n * n * t[0] / (at * at);
                slope[2] = t[3];
                slope[3] = x * x * t[0] - t[3] / at + n * n * t[2] / (at * at);
                for (int j = 0; j < 4; j++)
                    sum[j] += weight[stage] * h * slope[j];
            }
            for (int j = 0; j < 4; j++)
                s[j] += sum[j];
        }
        end[k][0] = s[2] - (1 - nu) * (s[1] - n * n * s[0]);
        end[k][1] = s[3] - (1 - nu) * n * n * (s[1] - s[0]);
    }
    return end[0][0] * end[1][1] - end[1][0] * end[0][1];
}

static void disc_frequencies_solve_the_equation_of_the_plate(void **state) {
    (void)state;
    am_disc disc = am_disc_pad_default().disc;
    for (size_t n = 0; n < 10; n += 1 + n / 3) {
        double frequency[3], shape[3], inner = disc.inner_radius / disc.outer_radius;
        assert_int_equal(am_disc_modes(&disc, n, disc.outer_radius, 3, frequency, shape, NULL), AM_OK);
        for (int s = 0; s < 3; s++) {
            double x = frequency[s] * disc.outer_radius * disc.outer_radius / plate_speed(&disc);
            /* Runge-Kutta: (wave number times step)^4, 1e-9; Ritz with 12 terms less than that, for so few circles. */
            double below = shoot(x * (1 - 1e-7), (double)n, inner, disc.poisson);
            double above = shoot(x * (1 + 1e-7), (double)n, inner, disc.poisson);
            assert_true(below * above < 0);
        }
    }
}

static void disc_frequency_agrees_with_published_value(void **state) {
    (void)state;
    am_disc disc = am_disc_pad_default().disc;
    double frequency, shape;
    disc.inner_radius = 0.5 * disc.outer_radius;
    disc.poisson = 0.3;
    assert_int_equal(am_disc_modes(&disc, 0, disc.outer_radius, 1, &frequency, &shape, NULL), AM_OK);
    /* clamped inside at half the outer radius, free outside: 13.02 in tables of plates */
    close_to(frequency * disc.outer_radius * disc.outer_radius / plate_speed(&disc), 13.02, 0.006);
}

/* A narrow ring bends like a cantilever strip, whose first frequency is 1.8751^2 sqrt(D/(rho h))/length^2: curvature
 * changes it in the second order of width over radius, and so does a slow variation round the ring. */
static void narrow_disc_is_a_cantilever_strip(void **state) {
    (void)state;
    static const double roots[3] = {1.87510406871196, 4.69409113297417, 7.85475743823761};
    am_disc disc = am_disc_pad_default().disc;
    disc.inner_radius = 0.999 * disc.outer_radius;
    double width = disc.outer_radius - disc.inner_radius, frequency[3], shape[3];
    for (size_t n = 0; n < 4; n++) {
        assert_int_equal(am_disc_modes(&disc, n, disc.outer_radius, 3, frequency, shape, NULL), AM_OK);
        for (size_t s = 0; s < 3; s++)
            close_to(frequency[s] * width * width / plate_speed(&disc) / (roots[s] * roots[s]), 1, 1e-3);
        /* The end of a cantilever moves by 2 over the root of its mass (half of it for cos, by its mean square). */
        double mass = disc.density * disc.thickness * width * 2 * pi * disc.outer_radius * (n ? 0.5 : 1);
        for (size_t s = 0; s < 3; s++)
            close_to(shape[s] * sqrt(mass), 2, 4e-3);
    }
}

static am_system *make(const am_disc_pad *model) {
    am_error err = {0};
    am_system *system = am_disc_pad_create(model, &err);
    if (!system)
        fail_msg("refused: %s", err.message);
    return system;
}

static size_t find(const am_system *system, const char *name) {
    for (size_t i = 0; i < am_system_size(system); i++)
        if (strcmp(am_system_name(system, i), name) == 0)
            return i;
    fail_msg("there is no coordinate %s", name);
    return 0;
}

static void pad_bends_like_a_free_beam(void **state) {
    (void)state;
    static const double roots[3] = {4.73004074486270, 7.85320462409584, 10.9956078380017};
    am_disc_pad model = am_disc_pad_default();
    am_system *system = make(&model);
    const am_pad *pad = &model.pad;
    double mass = pad->density * pad->length * pad->width * pad->thickness;
    double inertia = pad->width * pow(pad->thickness, 3) / 12;
    for (int b = 0; b < 3; b++) {
        char name[32];
        snprintf(name, sizeof name, "pad2_bend%d", b + 1);
        size_t i = find(system, name);
        double stiff = pad->modulus * inertia * pow(roots[b], 4) / (mass * pow(pad->length, 3));
        close_to(am_matrix_at(am_system_stiffness(system), i, i) / (stiff + pad->caliper_stiffness / mass), 1, 1e-12);
    }
    am_system_free(system);
}

/* Shapes of modal mass 1: the mean of their squares over the pad is 1/mass, and different ones are orthogonal. Many
 * springs are a midpoint rule: error of second order. */
static void shapes_of_the_pad_are_orthonormal(void **state) {
    (void)state;
    am_disc_pad model = am_disc_pad_default();
    model.contacts = 1000;
    model.pads = 1;
    am_system *system = make(&model);
    size_t first = find(system, "pad1_lift"), last = find(system, "pad1_bend7");
    double mass = model.pad.density * model.pad.length * model.pad.width * model.pad.thickness;
    for (size_t i = first; i <= last; i++)
        for (size_t j = first; j <= i; j++) {
            double mean = 0;
            for (size_t c = 0; c < 1000; c++)
                mean += am_system_contact(system, c)->normal[i] * am_system_contact(system, c)->normal[j] / 1000;
            close_to(mean * mass, i == j, 1e-3); /* (beta L/1000)^2 / 12 times the shapes' size, 4 */
        }
    am_system_free(system);
}

/* Material lines stay normal to plate and beam: along the sliding a surface moves by its lever arm times the slope. The
 * slope is differenced between neighbouring springs. */
static void tangential_motion_is_lever_arm_times_slope(void **state) {
    (void)state;
    am_disc_pad model = am_disc_pad_default();
    model.contacts = 999;
    am_system *system = make(&model);
    size_t disc = model.disc.modes, per_pad = 999;
    double step = model.pad.length / 999;
    for (size_t pad = 0; pad < 2; pad++)
        for (size_t c = 1; c + 1 < per_pad; c += 100) {
            const am_contact_def *before = am_system_contact(system, pad * per_pad + c - 1);
            const am_contact_def *here = am_system_contact(system, pad * per_pad + c);
            const am_contact_def *after = am_system_contact(system, pad * per_pad + c + 1);
            for (size_t i = 0; i < am_system_size(system); i++) {
                double slope = (after->normal[i] - before->normal[i]) / (2 * step);
                double arm = i < disc ? -0.5 * model.disc.thickness : model.pad.height;
                double wanted = strstr(am_system_name(system, i), "slide") ? here->tangent[i] : arm * slope;
                close_to(here->tangent[i], wanted, 1e-3 * (1 + fabs(wanted))); /* second order in beta step */
            }
        }
    am_system_free(system);
}

static void both_sides_of_the_disc_move_oppositely(void **state) {
    (void)state;
    am_disc_pad model = am_disc_pad_default();
    am_system *system = make(&model);
    assert_int_equal(am_system_size(system), 40);
    assert_int_equal(am_system_contacts(system), 18);
    for (size_t c = 0; c < 9; c++)
        for (size_t i = 0; i < 20; i++) {
            close_to(am_system_contact(system, c)->normal[i], -am_system_contact(system, 9 + c)->normal[i], 0);
            close_to(am_system_contact(system, c)->tangent[i], -am_system_contact(system, 9 + c)->tangent[i], 0);
        }
    am_system_free(system);
}

static void doublets_are_split_by_what_was_asked(void **state) {
    (void)state;
    am_disc_pad model = am_disc_pad_default();
    model.disc.split = 0.01;
    am_system *system = make(&model);
    size_t c = find(system, "disc3c"), s = find(system, "disc3s");
    double ratio =
        sqrt(am_matrix_at(am_system_stiffness(system), c, c) / am_matrix_at(am_system_stiffness(system), s, s));
    close_to(ratio, 1.005 / 0.995, 1e-13);
    am_system_free(system);
}

static am_spectrum spectrum_of(const am_disc_pad *model) {
    am_error err = {0};
    am_spectrum spectrum = {0};
    am_stability_options options = am_stability_options_default();
    am_system *system = make(model);
    if (am_stability_spectrum(system, &options, &spectrum, &err) != AM_OK)
        fail_msg("failed: %s", err.message);
    am_system_free(system);
    return spectrum;
}

static void friction_alone_makes_it_squeal(void **state) {
    (void)state;
    am_disc_pad model = am_disc_pad_default();
    for (int rubs = 0; rubs < 2; rubs++) {
        model.mu = rubs ? 0.4 : 0;
        am_spectrum spectrum = spectrum_of(&model);
        assert_int_equal(spectrum.count, 80);
        assert_int_equal(spectrum.real[0] > 0, rubs);
        am_spectrum_clear(&spectrum);
    }
    model.pad.height = 0; /* and without lever arms no mode feels it: the pads' own sliding has no normal motion */
    model.disc.thickness = 1e-9;
    model.disc.modulus *= 4e14; /* the same bending per density */
    model.disc.density *= 2e7;
    am_spectrum spectrum = spectrum_of(&model);
    assert_true(spectrum.real[0] < 0);
    am_spectrum_clear(&spectrum);
}

static void faults_are_named(void **state) {
    (void)state;
    static const struct {
        const char *field;
        size_t offset;
        double value;
    } faults[] = {{"disc.inner_radius", offsetof(am_disc_pad, disc.inner_radius), 0.2},
                  {"disc.modulus", offsetof(am_disc_pad, disc.modulus), 0},
                  {"disc.poisson", offsetof(am_disc_pad, disc.poisson), 0.6},
                  {"pad.length", offsetof(am_disc_pad, pad.length), 3},
                  {"pad.damping_ratio", offsetof(am_disc_pad, pad.damping_ratio), -0.1},
                  {"radius", offsetof(am_disc_pad, radius), 0.05},
                  {"lining.stiffness", offsetof(am_disc_pad, lining_stiffness), 0},
                  {"mu", offsetof(am_disc_pad, mu), -0.1},
                  {"velocity", offsetof(am_disc_pad, velocity), 0},
                  {"force", offsetof(am_disc_pad, force), NAN}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        am_disc_pad wrong = am_disc_pad_default();
        am_error err = {0};
        memcpy((char *)&wrong + faults[i].offset, &faults[i].value, sizeof(double));
        assert_null(am_disc_pad_create(&wrong, &err));
        assert_int_equal(err.status, AM_ERR_INPUT);
        assert_string_equal(err.field, faults[i].field);
    }
    am_disc_pad wrong = am_disc_pad_default();
    am_error err = {0};
    wrong.pads = 3;
    assert_null(am_disc_pad_create(&wrong, &err));
    assert_string_equal(err.field, "pads");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disc_frequencies_solve_the_equation_of_the_plate),
        cmocka_unit_test(disc_frequency_agrees_with_published_value),
        cmocka_unit_test(narrow_disc_is_a_cantilever_strip),
        cmocka_unit_test(pad_bends_like_a_free_beam),
        cmocka_unit_test(shapes_of_the_pad_are_orthonormal),
        cmocka_unit_test(tangential_motion_is_lever_arm_times_slope),
        cmocka_unit_test(both_sides_of_the_disc_move_oppositely),
        cmocka_unit_test(doublets_are_split_by_what_was_asked),
        cmocka_unit_test(friction_alone_makes_it_squeal),
        cmocka_unit_test(faults_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
