/* Impacts with restitution of velocities (Newton), of impulses (Poisson) and of the sliding velocity: a disc on a plane
 * in closed form, random bodies against the case distinction of one contact written out here, energy, derivatives. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/march.h"
#include "amontons/motion.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "results.h"
#include "steps.h"

enum { N = 3 };

/* A free body of three coordinates, with masses on the diagonal, and one rigid contact. */
typedef struct body {
    double mass[N], normal[N], tangent[N], q[N], v[N];
    double mu, e, et, belt;
    am_restitution_law law;
} body;

static am_system *system_of(const body *b) {
    double M[N * N] = {0}, K[N * N] = {0};
    for (size_t i = 0; i < N; i++)
        M[i * N + i] = b->mass[i];
    am_contact_def contact = am_contact_def_default();
    contact.normal = b->normal;
    contact.tangent = b->tangent;
    contact.friction = b->mu;
    contact.restitution = b->e;
    contact.restitution_law = b->law;
    contact.tangential_restitution = b->et;
    contact.surface_velocity = b->belt;
    am_system_def def = am_system_def_default();
    def.n = N;
    def.contact_count = 1;
    def.contacts = &contact;
    return dense_system(def, M, NULL, K);
}

/* Velocities after the first impact; AM_OK, or why there are none. */
static am_status strike(const body *b, double *after, am_error *err) {
    am_system *system = system_of(b);
    am_motion *motion = am_motion_create(system, true, NULL);
    am_step_kind kind = AM_STEP_SPAN;
    am_status status = am_motion_start(motion, 0, b->q, b->v, err);
    while (!status && !am_motion_had_impact(motion) && kind != AM_STEP_END)
        status = am_motion_step(motion, 10, &kind, err);
    if (!status) {
        assert_true(am_motion_had_impact(motion));
        memcpy(after, am_motion_velocity(motion), N * sizeof *after);
        assert_true(am_motion_statistics_get(motion).energy_residual <= 1e-13);
        assert_true(am_motion_statistics_get(motion).loss_impact >= -1e-12);
    }
    am_motion_free(motion);
    am_system_free(system);
    return status;
}

/* ---- a disc that falls on a plane ---- */

/* x, y, angle: the point that touches slides with x' + R angle'. Its inertia along the plane is 1/(1/m + R^2/J). */
static body disc(random_source *r) {
    double m = random_between(r, 0.5, 2), R = random_between(r, 0.3, 1), J = random_between(r, 0.3, 1) * m * R * R;
    return (body){.mass = {m, m, J},
                  .normal = {0, 1, 0},
                  .tangent = {1, 0, R},
                  .q = {0, 0.5, 0},
                  .v = {random_between(r, -2, 2), -random_between(r, 0.5, 2), random_between(r, -3, 3)},
                  .mu = random_between(r, 0.05, 0.6),
                  .e = random_between(r, 0.1, 0.9)};
}

static double limited(double Q, double most) {
    return fmax(-most, fmin(most, Q));
}

static void check_disc(const body *b, double P, double Q) {
    double after[N];
    am_error err = {0};
    if (strike(b, after, &err))
        fail_msg("%s", err.message);
    for (size_t i = 0; i < N; i++)
        assert_near(after[i], b->v[i] + (P * b->normal[i] + Q * b->tangent[i]) / b->mass[i], 1e-13);
}

static void a_disc_bounces_and_turns_as_its_closed_form(void **state) {
    (void)state;
    int turned = 0, slipped = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        random_source r = random_seed(seed);
        body b = disc(&r);
        double P = (1 + b.e) * b.mass[0] * -b.v[1], slide = b.v[0] + b.tangent[2] * b.v[2];
        double inertia = 1 / (1 / b.mass[0] + b.tangent[2] * b.tangent[2] / b.mass[2]);
        b.et = seed % 3 ? random_between(&r, 0.1, 1) : 0;
        double asked = -(1 + b.et) * inertia * slide;
        turned += fabs(asked) < b.mu * P;
        slipped += fabs(asked) > b.mu * P;
        check_disc(&b, P, limited(asked, b.mu * P)); /* Newton */
        b.law = AM_POISSON;                          /* compression stops the sliding, expansion turns it */
        double compressed = limited(-inertia * slide, b.mu * P / (1 + b.e));
        double left = slide + compressed / inertia, most = b.mu * P * b.e / (1 + b.e);
        check_disc(&b, P, compressed + limited(-inertia * (left + b.et * slide), most));
    }
    assert_true(turned > 10 && slipped > 10);
}

static void without_tangential_restitution_newton_and_poisson_agree_in_central_impacts(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        random_source r = random_seed(seed);
        body b = disc(&r);
        double newton[N], poisson[N];
        b.belt = random_between(&r, -1, 1);
        assert_int_equal(strike(&b, newton, NULL), AM_OK);
        b.law = AM_POISSON;
        assert_int_equal(strike(&b, poisson, NULL), AM_OK);
        for (size_t i = 0; i < N; i++)
            assert_near(poisson[i], newton[i], 1e-13);
    }
}

/* ---- any body: the cases of one contact ---- */

typedef struct contact_point {
    double W[2][2], mu;
} contact_point;

/* The impulses of one phase: P = given + p with p >= 0, n.v >= 0, one of them zero, and |Q| <= mu P against `slide`. */
static bool phase(const contact_point *c, double given, double rate, double slide, double *P, double *Q) {
    for (int closed = 0; closed < 2; closed++)
        for (int sign = -1; sign <= 1; sign++) {
            double p = 0, q = 0;
            if (sign != 0) { /* slips: Q = sign mu P */
                double a = c->W[0][0] + sign * c->mu * c->W[0][1];
                p = closed ? -rate / a : given;
                q = sign * c->mu * p;
            } else if (closed) {
                double det = c->W[0][0] * c->W[1][1] - c->W[0][1] * c->W[1][0];
                p = (-rate * c->W[1][1] + slide * c->W[0][1]) / det;
                q = (-slide * c->W[0][0] + rate * c->W[1][0]) / det;
            } else {
                p = given;
                q = -(slide + c->W[1][0] * p) / c->W[1][1];
            }
            double rate_after = rate + c->W[0][0] * p + c->W[0][1] * q;
            double slide_after = slide + c->W[1][0] * p + c->W[1][1] * q;
            bool right = p >= given - 1e-12 && rate_after >= -1e-12 && fabs(q) <= c->mu * p + 1e-12 &&
                         (sign == 0 || sign * slide_after <= 1e-12);
            if (right) {
                *P = p, *Q = q;
                return true;
            }
        }
    return false;
}

/* A rod that hits the ground obliquely, and other bodies whose normal and tangential motion are coupled. */
static body oblique(random_source *r) {
    body b = {.mu = random_between(r, 0.1, 0.8), .e = random_between(r, 0.5, 1)};
    for (size_t i = 0; i < N; i++) {
        b.mass[i] = random_between(r, 0.1, 1);
        b.v[i] = random_between(r, -1, 1);
    }
    b.normal[1] = 1, b.normal[2] = random_between(r, -0.9, 0.9);
    b.tangent[0] = 1, b.tangent[2] = random_between(r, -0.9, 0.9);
    b.v[1] = -1.2; /* it approaches, whatever it turns by */
    b.q[1] = 0.2;
    return b;
}

static void fill_point(const body *b, contact_point *c) {
    const double *row[2] = {b->normal, b->tangent};
    memset(c, 0, sizeof *c);
    c->mu = b->mu;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++)
            for (size_t k = 0; k < N; k++)
                c->W[i][j] += row[i][k] * row[j][k] / b->mass[k];
}

static double along(const double *row, const double *v) {
    return row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
}

static void poisson_is_compression_and_expansion_and_never_creates_energy(void **state) {
    (void)state;
    int created = 0, differ = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        random_source r = random_seed(seed);
        body b = oblique(&r);
        contact_point c;
        double after[N], newton[N], P[2] = {0}, Q[2] = {0};
        am_error err = {0};
        fill_point(&b, &c);
        b.law = AM_POISSON;
        if (strike(&b, after, &err))
            fail_msg("body %d: %s", (int)seed, err.message);
        double rate = along(b.normal, b.v), slide = along(b.tangent, b.v);
        assert_true(phase(&c, 0, rate, slide, &P[0], &Q[0]));
        rate += c.W[0][0] * P[0] + c.W[0][1] * Q[0];
        slide += c.W[1][0] * P[0] + c.W[1][1] * Q[0];
        assert_true(phase(&c, b.e * P[0], rate, slide, &P[1], &Q[1]));
        for (size_t i = 0; i < N; i++)
            assert_near(after[i], b.v[i] + ((P[0] + P[1]) * b.normal[i] + (Q[0] + Q[1]) * b.tangent[i]) / b.mass[i],
                        1e-11);
        b.law = AM_NEWTON;
        am_status status = strike(&b, newton, &err);
        created += status != AM_OK;
        if (status)
            assert_says(&err, "restitution_law: poisson");
        else
            differ += fabs(newton[1] - after[1]) > 1e-6;
    }
    assert_true(created > 0); /* Kane's paradox: Newton's law with friction creates energy */
    assert_true(differ > 20);
}

/* ---- derivatives ---- */

static void derivatives_through_such_impacts_equal_differences(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        random_source r = random_seed(seed);
        body b = oblique(&r);
        b.law = AM_POISSON;
        b.e *= 0.5;
        b.et = seed % 2 ? random_between(&r, 0, 0.5) : 0;
        am_system *system = system_of(&b);
        double h = 1e-6, start[2 * N], end[2][2 * N];
        am_motion *motion = am_motion_create(system, false, NULL);
        assert_int_equal(am_motion_follow_sensitivity(motion, true, NULL), AM_OK);
        assert_int_equal(am_motion_start(motion, 0, b.q, b.v, NULL), AM_OK);
        run_until(motion, 2);
        double S[4 * N * N];
        memcpy(S, am_motion_sensitivity(motion), sizeof S);
        for (size_t j = 0; j < 2 * N; j++) {
            for (int side = 0; side < 2; side++) {
                memcpy(start, b.q, sizeof b.q);
                memcpy(start + N, b.v, sizeof b.v);
                start[j] += side ? h : -h;
                assert_int_equal(am_motion_start(motion, 0, start, start + N, NULL), AM_OK);
                run_until(motion, 2);
                memcpy(end[side], am_motion_state(motion), sizeof end[side]);
            }
            for (size_t i = 0; i < 2 * N; i++) /* rounding over h, and h^2 times what curves */
                assert_near(S[i * 2 * N + j], (end[1][i] - end[0][i]) / (2 * h), 1e-8 * (1 + fabs(S[i * 2 * N + j])));
        }
        am_motion_free(motion);
        am_system_free(system);
    }
}

/* ---- by fixed steps ---- */

static void moreau_jean_turns_the_sliding_velocity_too(void **state) {
    (void)state;
    random_source r = random_seed(3);
    body b = disc(&r);
    b.mu = 0.9, b.et = 0.6, b.v[0] = 0.4, b.v[2] = 0.2, b.v[1] = -1;
    am_system *system = system_of(&b);
    am_march_options options = am_march_options_default();
    am_result *result = am_result_create(NULL);
    am_error err = {0};
    double after[N];
    options.until = 1.2;
    options.method = AM_MARCH_MOREAU_JEAN;
    options.step = 1e-3;
    options.displacement = b.q;
    options.velocity = b.v;
    if (am_march_run(system, &options, result, NULL, &err))
        fail_msg("%s", err.message);
    assert_int_equal(strike(&b, after, NULL), AM_OK);
    const am_table *samples = table_of(result, "samples");
    static const char *const names[] = {"v1", "v2", "v3"};
    for (size_t i = 0; i < N; i++) /* the velocities are piecewise constant: exact but for rounding */
        assert_near(cell(samples, rows(result, "samples") - 1, names[i]), after[i], 1e-12);
    am_result_free(result);
    am_system_free(system);
}

static void two_laws_of_restitution_in_one_structure_are_refused(void **state) {
    (void)state;
    am_contact_def contacts[2] = {am_contact_def_default(), am_contact_def_default()};
    double row[1] = {1}, other[1] = {-1};
    am_system_def def = am_system_def_default();
    am_error err = {0};
    am_matrix *one = am_matrix_dense(1, 1, row, NULL);
    for (size_t c = 0; c < 2; c++) {
        contacts[c].normal = c ? other : row;
        contacts[c].gap = 1;
        contacts[c].restitution = 0.5;
        contacts[c].restitution_law = c ? AM_POISSON : AM_NEWTON;
    }
    def.n = 1;
    def.mass = def.stiffness = one;
    def.contact_count = 2;
    def.contacts = contacts;
    assert_null(am_system_create(&def, &err));
    assert_says(&err, "one restitution_law");
    contacts[0].restitution = 0; /* nothing bounces there */
    am_system *system = am_system_create(&def, &err);
    assert_non_null(system);
    am_system_free(system);
    am_matrix_free(one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disc_bounces_and_turns_as_its_closed_form),
        cmocka_unit_test(without_tangential_restitution_newton_and_poisson_agree_in_central_impacts),
        cmocka_unit_test(poisson_is_compression_and_expansion_and_never_creates_energy),
        cmocka_unit_test(derivatives_through_such_impacts_equal_differences),
        cmocka_unit_test(moreau_jean_turns_the_sliding_velocity_too),
        cmocka_unit_test(two_laws_of_restitution_in_one_structure_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
