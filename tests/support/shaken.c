#include "shaken.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "random_system.h"
#include "system/prescribed.h"

static const am_normal_law laws[] = {AM_UNILATERAL, AM_KELVIN_VOIGT, AM_HUNT_CROSSLEY};

shaken shaken_by_lot(uint64_t seed) {
    random_source r = random_seed(seed);
    am_normal_law law = laws[seed % 3];
    shaken s = {.m = {random_between(&r, 0.5, 2), random_between(&r, 0.5, 2)},
                .kx = random_between(&r, 1, 4),
                .ky = random_between(&r, 1, 4),
                .kxy = random_between(&r, -0.5, 0.5),
                .c = random_between(&r, 0, 0.2),
                .a = random_between(&r, 0.2, 0.6),
                .w = random_between(&r, 1, 4),
                .contact = am_contact_def_default()};
    s.contact.normal_law = law;
    s.contact.restitution = law == AM_UNILATERAL ? random_between(&r, 0, 0.6) : 0;
    s.contact.restitution_law = seed % 2 ? AM_POISSON : AM_NEWTON;
    s.contact.friction = random_between(&r, 0.1, 0.5);
    s.contact.gap = -random_between(&r, 0, 0.1);
    s.contact.tangential_stiffness = seed % 4 == 1 ? 3 : 0;
    s.contact.contact_stiffness = law == AM_UNILATERAL ? 0 : random_between(&r, 5, 20);
    s.contact.contact_damping = law == AM_KELVIN_VOIGT ? random_between(&r, 0, 0.5) : 0;
    s.contact.contact_exponent = law == AM_HUNT_CROSSLEY ? 1.5 : 1;
    s.contact.contact_dissipation = law == AM_HUNT_CROSSLEY ? 0.2 : 0;
    return s;
}

double shaken_support(const shaken *s, double t, double *rate) {
    double w = s->w, phase = 2 * w * t + 0.5;
    *rate = s->a * (w * cos(w * t) + 0.5 * w * cos(phase));
    return s->a * (sin(w * t) + 0.25 * sin(phase));
}

/* Coordinates x, y and, unless it is the frame, that of the support. */
am_system *shaken_system(const shaken *s, bool in_frame) {
    size_t n = in_frame ? 2 : 3;
    double M[9] = {0}, K[9] = {0}, C[9] = {0}, normal[3] = {0, 1, -1}, tangent[3] = {1, 0, 0}, y[3] = {0, 1, 0},
           x[3] = {1, 0, 0};
    const double k[9] = {s->kx, s->kxy, -s->kxy, s->kxy, s->ky, -s->ky, -s->kxy, -s->ky, s->ky};
    const double c[9] = {s->c, 0, 0, 0, s->c, -s->c, 0, -s->c, s->c};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            M[i * n + j] = i == j && i < 2 ? s->m[i] : 0;
            K[i * n + j] = k[3 * i + j];
            C[i * n + j] = c[3 * i + j];
        }
    am_contact_def contact = s->contact;
    contact.normal = normal;
    contact.tangent = tangent;
    double inertia = s->m[1] * s->a * s->w * s->w; /* -m s'' */
    am_load_def loads[] = {{y, am_function_constant(-1)},
                           {x, am_function_sine(0.7, s->w, 0.4)},
                           {y, am_function_sine(inertia, s->w, 0)},
                           {y, am_function_sine(inertia, 2 * s->w, 0.5)}};
    am_function twice = am_function_sine(0.25 * s->a, 2 * s->w, 0.5);
    am_prescribed support = {2, am_function_sine(s->a, s->w, 0)};
    support.function.plus = &twice;
    am_system_def def = am_system_def_default();
    def.n = n;
    def.mass = am_matrix_dense(n, n, M, NULL);
    def.stiffness = am_matrix_dense(n, n, K, NULL);
    def.damping = am_matrix_dense(n, n, C, NULL);
    def.contact_count = 1;
    def.contacts = &contact;
    def.loads = loads;
    def.load_count = in_frame ? 4 : 2;
    am_error err = {0};
    am_system *system = am_prescribed_create(&def, in_frame ? 0 : 1, &support, &err);
    if (!system)
        fail_msg("%s: %s", err.field, err.message);
    am_matrix_free((am_matrix *)def.mass);
    am_matrix_free((am_matrix *)def.stiffness);
    am_matrix_free((am_matrix *)def.damping);
    return system;
}
