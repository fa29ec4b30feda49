/* Stresses and displacements of a half-plane: closed forms against quadrature of Flamant's loads, and known values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "errors.h"
#include "halfplane/field.h"
#include "halfplane/traction.h"
#include "halfplane_closed.h"
#include "math/quadrature.h"
#include "near.h"
#include "tractions.h"

static const double pi = 3.14159265358979323846;

static void assert_stress_near(am_stress got, am_stress wanted, double tolerance) {
    assert_near(got.xx, wanted.xx, tolerance);
    assert_near(got.zz, wanted.zz, tolerance);
    assert_near(got.xz, wanted.xz, tolerance);
}

static void flamants_stresses_balance_the_load_on_every_arc(void **unused) {
    (void)unused;
    const double P = 3.0, Q = -1.25;
    double radii[] = {0.2, 5.0};
    for (int i = 0; i < 2; i++) {
        double force_x = 0.0, force_z = 0.0;
        enum { N = 2000 }; /* midpoints of a smooth integrand that vanishes at both ends: error of order N^-2 */
        for (int k = 0; k < N; k++) {
            double angle = pi * (k + 0.5) / N, x = radii[i] * cos(angle), z = radii[i] * sin(angle);
            am_stress s = am_flamant_stress(P, Q, x, z);
            double arc = pi * radii[i] / N;
            force_x += (s.xx * cos(angle) + s.xz * sin(angle)) * arc;
            force_z += (s.xz * cos(angle) + s.zz * sin(angle)) * arc;
        }
        assert_near(force_x, -Q, 1e-5);
        assert_near(force_z, -P, 1e-5);
    }
}

/* (1.19), third line with its factor (x - xi), as integrals of Flamant's stresses. */
typedef struct below {
    const am_traction *p, *q;
    double x, z;
    int component;
} below;

static double below_at(const void *context, double xi) {
    const below *b = context;
    am_stress s = am_flamant_stress(am_traction_at(b->p, xi), am_traction_at(b->q, xi), b->x - xi, b->z);
    return b->component == 0 ? s.xx : b->component == 1 ? s.zz : s.xz;
}

static am_stress integrated_stress(const am_traction *p, const am_traction *q, double x, double z) {
    double edges[] = {-1.0, -0.6, 0.2, 1.0};
    below b = {p, q, x, z, 0};
    am_stress s;
    s.xx = integral_between(below_at, &b, edges, 4);
    b.component = 1;
    s.zz = integral_between(below_at, &b, edges, 4);
    b.component = 2;
    s.xz = integral_between(below_at, &b, edges, 4);
    return s;
}

/* All three shapes, on intervals of their own. */
static void mixed_tractions(am_traction *p, am_traction *q) {
    *p = *q = (am_traction){0};
    am_traction_add(p, AM_TRACTION_ELLIPSE, 0.0, 1.0, 2.0);
    am_traction_add(p, AM_TRACTION_FLAT, -0.2, 0.4, 0.3);
    am_traction_add(p, AM_TRACTION_TILT, 0.0, 1.0, 0.5);
    am_traction_add(q, AM_TRACTION_TILT, -0.2, 0.4, 0.7);
    am_traction_add(q, AM_TRACTION_FLAT, 0.0, 1.0, 0.2);
    am_traction_add(q, AM_TRACTION_ELLIPSE, -0.2, 0.4, -1.1);
}

static void closed_stresses_equal_integrals_of_point_loads(void **unused) {
    (void)unused;
    am_traction p, q;
    mixed_tractions(&p, &q);
    double places[][2] = {{0.0, 0.3}, {0.35, 0.5}, {-0.9, 0.4}, {1.7, 0.25}, {-4.0, 7.0}, {20.0, 1.0}};
    for (int i = 0; i < 6; i++) {
        double x = places[i][0], z = places[i][1];
        /* tolerance: that of the quadrature; the kernel's width z is resolved by its panels */
        assert_stress_near(am_traction_stress(&p, &q, x, z), integrated_stress(&p, &q, x, z), 1e-10);
    }
}

static void stresses_on_the_surface_are_the_tractions(void **unused) {
    (void)unused;
    am_traction p, q;
    mixed_tractions(&p, &q);
    double places[] = {-1.3, -0.95, -0.5, 0.0, 0.15, 0.7, 2.0};
    for (int i = 0; i < 7; i++) {
        am_stress s = am_traction_stress(&p, &q, places[i], 0.0), deep = am_traction_stress(&p, &q, places[i], 1e-9);
        assert_near(s.zz, -am_traction_at(&p, places[i]), 1e-14);
        assert_near(s.xz, -am_traction_at(&q, places[i]), 1e-14);
        assert_stress_near(s, deep, 1e-6); /* continuous: slopes of order 100 times 1e-9, with room for the edges */
    }
}

static void closed_stresses_are_in_equilibrium(void **unused) {
    (void)unused;
    am_traction p, q;
    mixed_tractions(&p, &q);
    const double h = 1e-4;
    double places[][2] = {{0.1, 0.3}, {-0.7, 0.6}, {1.5, 0.4}};
    for (int i = 0; i < 3; i++) {
        double x = places[i][0], z = places[i][1];
        am_stress east = am_traction_stress(&p, &q, x + h, z), west = am_traction_stress(&p, &q, x - h, z);
        am_stress down = am_traction_stress(&p, &q, x, z + h), up = am_traction_stress(&p, &q, x, z - h);
        /* central differences: h^2 times third derivatives of a few hundred, and rounding over h */
        assert_near((east.xx - west.xx + down.xz - up.xz) / (2.0 * h), 0.0, 1e-5);
        assert_near((east.xz - west.xz + down.zz - up.zz) / (2.0 * h), 0.0, 1e-5);
    }
}

static void resultants_and_moments_are_those_of_the_tractions(void **unused) {
    (void)unused;
    am_traction p, q;
    mixed_tractions(&p, &q);
    double moments[] = {0.0, 0.0};
    const am_traction *both[] = {&p, &q};
    for (int i = 0; i < 2; i++) {
        am_stress far = am_traction_stress(both[i], both[i], 0.0, 1e5); /* (1.8) with P = Q on the axis, theta = 0 */
        double resultant = am_traction_resultant(both[i]);
        assert_near(far.zz * 1e5, -2.0 * resultant / pi, 1e-4 * fabs(resultant) + 1e-5);
        moments[i] = am_traction_moment(both[i]);
    }
    double sum = 0.0, lever = 0.0; /* Gauss and Chebyshev: exact for these weights */
    enum { N = 64 };
    for (size_t j = 0; j < p.count; j++)
        for (int k = 0; k < N; k++) {
            am_traction one = {.count = 1, .part = {p.part[j]}};
            double s = cos(pi * (k + 0.5) / N), x = one.part[0].middle + one.part[0].half_width * s;
            double weight = pi / N * one.part[0].half_width * sqrt(1.0 - s * s);
            sum += weight * am_traction_at(&one, x);
            lever += weight * x * am_traction_at(&one, x);
        }
    assert_near(am_traction_resultant(&p), sum, 1e-3); /* the ellipse is squared under this weight: order N^-2 */
    assert_near(moments[0], lever, 1e-3);
}

static double shape_at(const void *context, double x) {
    return am_traction_at(context, x);
}

static void displacements_have_the_principal_value_as_slope(void **unused) {
    (void)unused;
    double middles[] = {0.0, 0.25};
    for (int shape = 0; shape < 3; shape++)
        for (int i = 0; i < 2; i++) {
            am_traction t = {0};
            am_traction_add(&t, (am_traction_shape)shape, middles[i], 0.7, 1.3);
            double edges[] = {middles[i] - 0.7, middles[i] + 0.7};
            double places[] = {-1.4, -0.3, 0.1, 0.55, 1.2, 3.0};
            for (int k = 0; k < 6; k++) {
                double x = places[k], slope = hilbert(shape_at, &t, edges, 2, x), h = 1e-5;
                assert_near(creal(am_traction_transform(&t, x, 0.0).value), slope, 1e-9);
                double difference = am_traction_displacement(&t, x + h) - am_traction_displacement(&t, x - h);
                assert_near(difference / (2.0 * h), slope, 1e-7); /* h^2 and rounding over h */
            }
        }
}

/* Strips between points that lie close where the tractions are steep. */
static void surfaces_of_smooth_tractions_are_those_of_fine_strips(void **unused) {
    (void)unused;
    enum { N = 801 };
    double x[N], pressure[N], shear[N];
    am_traction p = {0}, q = {0};
    am_traction_add(&p, AM_TRACTION_ELLIPSE, 0.0, 1.0, 2.0);
    am_traction_add(&q, AM_TRACTION_ELLIPSE, 0.0, 1.0, 0.6);
    am_traction_add(&q, AM_TRACTION_ELLIPSE, 0.3, 0.5, -0.4);
    for (int i = 0; i < N; i++) {
        x[i] = -cos(pi * i / (N - 1));
        pressure[i] = am_traction_at(&p, x[i]);
        shear[i] = am_traction_at(&q, x[i]);
    }
    am_strips strips = {N, x, pressure, shear, 0.0};
    GOOD(am_strips_check(&strips, err));
    am_medium medium;
    GOOD(am_medium_plane_strain(2.0, 0.25, &medium, err));
    double places[] = {-3.0, -0.97, -0.3, 0.1, 0.6, 1.2};
    for (int i = 0; i < 6; i++) {
        double u, v, u_strips, v_strips;
        am_traction_surface(&p, &q, &medium, places[i], 2.5, &u, &v);
        am_strips_displacement(&strips, &medium, places[i], 2.5, &u_strips, &v_strips);
        /* linear pieces of width 0.004: of second order, 3/2 at the inner ends of the second ellipse */
        assert_near(u, u_strips, 5e-5);
        assert_near(v, v_strips, 1e-5);
    }
    /* the tilted part, whose load is none, and the flat: slopes (1.20), (1.21) */
    am_traction none = {0}, mixed = {0};
    am_traction_add(&mixed, AM_TRACTION_TILT, 0.1, 0.8, 0.7);
    am_traction_add(&mixed, AM_TRACTION_FLAT, -0.1, 0.6, 0.2);
    double h = 1e-5, normal = (medium.kolosov + 1.0) / (4.0 * medium.shear_modulus),
           cross = (medium.kolosov - 1.0) / (4.0 * medium.shear_modulus);
    for (int i = 0; i < 6; i++) {
        double at = places[i] * 0.9, u, v, strain = am_traction_at(&mixed, at),
               principal = creal(am_traction_transform(&mixed, at, 0.0).value);
        am_traction_surface(&mixed, &none, &medium, at + h, at - h, &u, &v);
        assert_near(u / (2.0 * h), -cross * strain, 1e-6);
        assert_near(v / (2.0 * h), -normal * principal, 1e-6);
        am_traction_surface(&none, &mixed, &medium, at + h, at - h, &u, &v);
        assert_near(u / (2.0 * h), -normal * principal, 1e-6);
        assert_near(v / (2.0 * h), cross * strain, 1e-6);
    }
}

static void hertz_on_the_axis_is_as_in_the_textbooks(void **unused) {
    (void)unused;
    am_traction p = {0}, none = {0};
    am_traction_add(&p, AM_TRACTION_ELLIPSE, 0.0, 1.0, 1.0);
    for (int i = 1; i < 20; i++) {
        double z = 0.25 * i, root = sqrt(1.0 + z * z);
        am_stress s = am_traction_stress(&p, &none, 0.0, z);
        assert_stress_near(s, (am_stress){-((1.0 + 2.0 * z * z) / root - 2.0 * z), -1.0 / root, 0.0}, 1e-14);
    }
    /* largest shear stress 0.30 p0 at a depth of 0.786 a */
    am_stress at = am_traction_stress(&p, &none, 0.0, 0.786), above = am_traction_stress(&p, &none, 0.0, 0.776),
              under = am_traction_stress(&p, &none, 0.0, 0.796);
    assert_near(am_stress_shear(at), 0.3003, 5e-5);
    assert_true(am_stress_shear(at) > am_stress_shear(above) && am_stress_shear(at) > am_stress_shear(under));
}

static void von_mises_of_simple_states(void **unused) {
    (void)unused;
    assert_near(am_stress_mises((am_stress){0.0, 0.0, 2.0}, 0.3), 2.0 * sqrt(3.0), 1e-15);
    /* incompressible: sigma_yy is the mean, so only the shear counts */
    assert_near(am_stress_mises((am_stress){5.0, 5.0, 0.0}, 0.5), 0.0, 1e-15);
    /* uniaxial in plane strain: sqrt(1 - nu + nu^2) */
    assert_near(am_stress_mises((am_stress){1.0, 0.0, 0.0}, 0.3), sqrt(1.0 - 0.3 + 0.09), 1e-15);
}

/* ---- Strips ---- */

enum { POINTS = 7 };
static const double strip_x[POINTS] = {-1.0, -0.7, -0.1, 0.2, 0.25, 0.9, 1.1};
static const double strip_p[POINTS] = {0.0, 1.5, 0.7, 2.0, 1.0, 0.4, 0.0};
static const double strip_q[POINTS] = {0.0, -0.5, 0.9, 0.1, 0.3, -0.2, 0.0};

static double strip_value(const double *t, double x) {
    for (int i = 0; i + 1 < POINTS; i++)
        if (x >= strip_x[i] && x <= strip_x[i + 1])
            return t[i] + (t[i + 1] - t[i]) * (x - strip_x[i]) / (strip_x[i + 1] - strip_x[i]);
    return 0.0;
}

static double strip_below_at(const void *context, double xi) {
    const below *b = context;
    am_stress s = am_flamant_stress(strip_value(strip_p, xi), strip_value(strip_q, xi), b->x - xi, b->z);
    return b->component == 0 ? s.xx : b->component == 1 ? s.zz : s.xz;
}

static void strips_equal_integrals_of_point_loads(void **unused) {
    (void)unused;
    am_strips strips = {POINTS, strip_x, strip_p, strip_q, 0.0};
    GOOD(am_strips_check(&strips, err));
    double places[][2] = {{0.0, 0.2}, {0.22, 0.1}, {-0.9, 0.5}, {1.4, 0.3}, {3.0, 6.0}, {-50.0, 40.0}};
    for (int i = 0; i < 6; i++) {
        double x = places[i][0], z = places[i][1];
        am_stress wanted;
        below b = {NULL, NULL, x, z, 0};
        wanted.xx = integral_between(strip_below_at, &b, strip_x, POINTS);
        b.component = 1;
        wanted.zz = integral_between(strip_below_at, &b, strip_x, POINTS);
        b.component = 2;
        wanted.xz = integral_between(strip_below_at, &b, strip_x, POINTS);
        assert_stress_near(am_strips_stress(&strips, x, z), wanted, 1e-11);
    }
    for (int i = 0; i < POINTS; i++) { /* on the surface, at the very points too */
        am_stress s = am_strips_stress(&strips, strip_x[i], 0.0);
        if (i > 0 && i + 1 < POINTS) {
            assert_near(s.zz, -strip_p[i], 1e-13);
            assert_near(s.xz, -strip_q[i], 1e-13);
        }
    }
}

static double strip_log_p(const void *context, double xi) {
    return strip_value(strip_p, xi) * log(fabs(*(const double *)context - xi));
}

static double strip_log_q(const void *context, double xi) {
    return strip_value(strip_q, xi) * log(fabs(*(const double *)context - xi));
}

static double strip_p_at(const void *context, double xi) {
    (void)context;
    return strip_value(strip_p, xi);
}

static double strip_q_at(const void *context, double xi) {
    (void)context;
    return strip_value(strip_q, xi);
}

/* The surface displacement at x by quadrature, pieces split at x. */
static void integrated_displacement(const am_medium *medium, double x, double *u, double *v) {
    double edges[POINTS + 1], left_p = 0.0, left_q = 0.0, log_p = 0.0, log_q = 0.0;
    size_t count = 0;
    for (int i = 0; i < POINTS; i++) {
        if (i > 0 && x > strip_x[i - 1] && x < strip_x[i])
            edges[count++] = x;
        edges[count++] = strip_x[i];
    }
    for (size_t i = 0; i + 1 < count; i++) {
        double side = edges[i] < x ? 1.0 : -1.0;
        log_p += am_quadrature_ends(strip_log_p, &x, edges[i], edges[i + 1]);
        log_q += am_quadrature_ends(strip_log_q, &x, edges[i], edges[i + 1]);
        left_p += side * am_quadrature_gauss(strip_p_at, NULL, edges[i], edges[i + 1], 1);
        left_q += side * am_quadrature_gauss(strip_q_at, NULL, edges[i], edges[i + 1], 1);
    }
    double along = (medium->kolosov + 1.0) / (4.0 * pi * medium->shear_modulus),
           across = (medium->kolosov - 1.0) / (8.0 * medium->shear_modulus);
    *u = -along * log_q - across * left_p;
    *v = -along * log_p + across * left_q;
}

static void surface_displacements_of_strips_equal_integrals(void **unused) {
    (void)unused;
    am_strips strips = {POINTS, strip_x, strip_p, strip_q, 0.0};
    am_medium medium;
    GOOD(am_medium_plane_strain(2.0, 0.3, &medium, err));
    double reference = 8.0, u0, v0, places[] = {-30.0, -1.0, -0.4, 0.2, 0.5, 1.6, 12.0};
    integrated_displacement(&medium, reference, &u0, &v0);
    for (int i = 0; i < 7; i++) {
        double u, v, u_wanted, v_wanted;
        integrated_displacement(&medium, places[i], &u_wanted, &v_wanted);
        am_strips_displacement(&strips, &medium, places[i], reference, &u, &v);
        assert_near(u, u_wanted - u0, 1e-12);
        assert_near(v, v_wanted - v0, 1e-12);
    }
}

static void far_strips_act_like_flamants_loads(void **unused) {
    (void)unused;
    am_strips strips = {POINTS, strip_x, strip_p, strip_q, 0.0};
    am_medium medium;
    GOOD(am_medium_plane_strain(2.0, 0.2, &medium, err));
    double P = am_quadrature_gauss(strip_p_at, NULL, -1.0, -0.7, 1),
           Q = am_quadrature_gauss(strip_q_at, NULL, -1.0, -0.7, 1);
    for (int i = 1; i + 1 < POINTS; i++) {
        P += am_quadrature_gauss(strip_p_at, NULL, strip_x[i], strip_x[i + 1], 1);
        Q += am_quadrature_gauss(strip_q_at, NULL, strip_x[i], strip_x[i + 1], 1);
    }
    double u, v, near_u, near_v, far_u, far_v;
    am_strips_displacement(&strips, &medium, 1e6, 1e3, &u, &v);
    am_flamant_displacement(&medium, P, Q, 1e6, 1.0, &far_u, &far_v);
    am_flamant_displacement(&medium, P, Q, 1e3, 1.0, &near_u, &near_v);
    assert_near(u, far_u - near_u, 1e-3); /* the first moment over the distance 1e3 */
    assert_near(v, far_v - near_v, 1e-3);
}

static void bad_strips_and_materials_are_refused(void **unused) {
    (void)unused;
    double x[] = {0.0, 1.0, 1.0}, p[] = {0.0, NAN, 0.0};
    am_error err = {0};
    assert_int_not_equal(am_strips_check(&(am_strips){3, x, NULL, NULL, 0.0}, &err), AM_OK);
    assert_blames(&err, "x", "must increase");
    assert_int_not_equal(am_strips_check(&(am_strips){2, x, p, NULL, 0.0}, &err), AM_OK);
    assert_says(&err, "not a finite number");
    am_medium medium, rigid = {INFINITY, 1.0};
    assert_int_not_equal(am_medium_plane_strain(1.0, 0.6, &medium, &err), AM_OK);
    assert_blames(&err, "nu", "0.6");
    double modulus, beta;
    assert_int_not_equal(am_medium_pair(&rigid, &rigid, &modulus, &beta, &err), AM_OK);
    assert_says(&err, "rigid");
}

static void pairs_have_the_printed_constants(void **unused) {
    (void)unused;
    am_medium steel, rubber, rigid = {INFINITY, 2.0};
    double modulus, beta;
    GOOD(am_medium_plane_strain(210.0, 0.3, &steel, err));
    GOOD(am_medium_plane_strain(0.01, 0.5, &rubber, err));
    GOOD(am_medium_pair(&steel, &rubber, &modulus, &beta, err));
    assert_near(1.0 / modulus, 0.91 / 210.0 + 0.75 / 0.01, 1e-12 / modulus); /* (1.50) */
    GOOD(am_medium_pair(&steel, &rigid, &modulus, &beta, err));
    assert_near(beta, 0.4 / 1.4, 1e-15); /* (1.32) */
    GOOD(am_medium_pair(&steel, &steel, &modulus, &beta, err));
    assert_near(beta, 0.0, 0.0);
    assert_near(modulus, 0.5 * 210.0 / 0.91, 1e-12);
}

static void growth_of_slip_keeps_its_digits(void **unused) {
    (void)unused;
    double c = 0.7;
    for (int i = 0; i < 12; i++) {
        double d = pow(10.0, -i), x = c + d;
        d = x - c; /* as represented */
        long double wide = (long double)d * (2.0L * c + d), t = sqrtl(wide) / c;
        long double wanted = t < 1e-3L ? c * c * (t * t * t / 3.0L - t * t * t * t * t / 10.0L)
                                       : 0.5L * c * c * (t * sqrtl(1.0L + t * t) - asinhl(t));
        assert_near(am_traction_growth(x, c) / (double)wanted, 1.0, 2e-12); /* t^4 of the short series; rounding/t^3 */
    }
    assert_near(am_traction_growth(2.0, 0.0), 2.0, 0.0);
    assert_near(am_traction_growth(2.0, 1e-9), 2.0, 1e-15);
    assert_near(am_traction_between(0.3, 1.0, 0.5), sqrt(0.91) - sqrt(0.16), 1e-15);
    /* half-widths that differ in the tenth digit: (a - c)(a + c) over the sum of roots */
    assert_near(am_traction_between(0.0, 1.0, 1.0 - 1e-10) / 1e-10, 1.0, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flamants_stresses_balance_the_load_on_every_arc),
        cmocka_unit_test(closed_stresses_equal_integrals_of_point_loads),
        cmocka_unit_test(stresses_on_the_surface_are_the_tractions),
        cmocka_unit_test(closed_stresses_are_in_equilibrium),
        cmocka_unit_test(resultants_and_moments_are_those_of_the_tractions),
        cmocka_unit_test(displacements_have_the_principal_value_as_slope),
        cmocka_unit_test(surfaces_of_smooth_tractions_are_those_of_fine_strips),
        cmocka_unit_test(hertz_on_the_axis_is_as_in_the_textbooks),
        cmocka_unit_test(von_mises_of_simple_states),
        cmocka_unit_test(strips_equal_integrals_of_point_loads),
        cmocka_unit_test(surface_displacements_of_strips_equal_integrals),
        cmocka_unit_test(far_strips_act_like_flamants_loads),
        cmocka_unit_test(bad_strips_and_materials_are_refused),
        cmocka_unit_test(pairs_have_the_printed_constants),
        cmocka_unit_test(growth_of_slip_keeps_its_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
