/* The algebra of a combination of contact states: what comes out satisfies the equations, in any units. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"
#include "random_system.h"
#include "system/combination.h"

static double apply(const double *row, const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += row[i] * x[i];
    return sum;
}

static double apply_size(const double *row, const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(row[i] * x[i]);
    return sum;
}

/* S y = r + B lambda and J y = c for y = Y r + Yc c, lambda = L r + Lc c. Terms are compared with the largest of their
 * kind: a backward error of an inversion, amplified at most by its condition. */
static void equations_hold(const am_combination *k, const double *S, const double *r, const double *c) {
    double y[PLAIN_SIZE], lambda[2 * PLAIN_CONTACTS];
    size_t n = k->n, p = k->p;
    double tolerance = 64 * DBL_EPSILON / k->condition, largest = 0;
    for (size_t i = 0; i < n; i++)
        y[i] = apply(k->Y + i * n, r, n) + apply(k->Yc + i * p, c, p);
    for (size_t a = 0; a < p; a++)
        lambda[a] = apply(k->L + a * n, r, n) + apply(k->Lc + a * p, c, p);
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, apply_size(S + i * n, y, n) + fabs(r[i]) + apply_size(k->B + i * p, lambda, p));
    for (size_t i = 0; i < n; i++)
        assert_near(apply(S + i * n, y, n), r[i] + apply(k->B + i * p, lambda, p), tolerance * largest);
    largest = 0;
    for (size_t a = 0; a < p; a++)
        largest = fmax(largest, apply_size(k->J + a * n, y, n) + fabs(c[a]));
    for (size_t a = 0; a < p; a++)
        assert_near(apply(k->J + a * n, y, n), c[a], tolerance * largest);
}

/* The rows are those of the contacts, by the books of normal_row and stick_row. */
static void rows_are_right(const am_combination *k, const plain_system *plain, const am_contact_state *state) {
    size_t p = 0;
    for (size_t c = 0; c < k->m; c++) {
        const plain_contact *contact = &plain->contact[c];
        double mu = am_slip_sign(state[c]) * contact->friction;
        bool closed = contact->normal_law == AM_UNILATERAL && state[c] != AM_OPEN;
        assert_int_equal(k->state[c], state[c]);
        assert_true((k->normal_row[c] != AM_NO_ROW) == closed);
        assert_true((k->stick_row[c] != AM_NO_ROW) == (state[c] == AM_STICK));
        p += closed + (state[c] == AM_STICK);
        for (size_t i = 0; i < k->n; i++) {
            if (closed) {
                assert_near(k->J[k->normal_row[c] * k->n + i], contact->normal[i], 0);
                assert_near(k->B[i * k->p + k->normal_row[c]], contact->normal[i] + mu * contact->tangent[i], 0);
            }
            if (state[c] == AM_STICK) {
                assert_near(k->J[k->stick_row[c] * k->n + i], contact->tangent[i], 0);
                assert_near(k->B[i * k->p + k->stick_row[c]], contact->tangent[i], 0);
            }
        }
    }
    assert_int_equal(k->p, p);
}

static void decode(size_t code, size_t m, am_contact_state *state) {
    for (size_t c = 0; c < m; c++, code /= 4)
        state[c] = (am_contact_state)(code % 4);
}

static void equations_hold_for_all_combinations_of_random_structures(void **state) {
    (void)state;
    size_t checked = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        random_options kinds = random_options_default(2 + 2 * (seed % 3), 1 + seed % 3);
        plain_system plain;
        double q[PLAIN_SIZE], v[PLAIN_SIZE], r[PLAIN_SIZE], c[2 * PLAIN_CONTACTS];
        random_system(seed, &kinds, &plain, q, v);
        random_source source = random_seed(seed + 1000);
        am_system *system = plain_system_create(&plain, NULL);
        assert_non_null(system);
        for (size_t code = 0; code < (size_t)1 << (2 * plain.m); code++) {
            am_contact_state states[PLAIN_CONTACTS];
            decode(code, plain.m, states);
            for (int level = 0; level < 2; level++) {
                const double *S = level == 0 ? plain.mass : plain.stiffness;
                am_combination k;
                assert_int_equal(am_combination_init(&k, system, S, states, NULL), AM_OK);
                rows_are_right(&k, &plain, states);
                for (size_t i = 0; i < plain.n; i++)
                    r[i] = random_between(&source, -1, 1);
                for (size_t a = 0; a < k.p; a++)
                    c[a] = random_between(&source, -1, 1);
                if (k.condition > 1e-8) {
                    equations_hold(&k, S, r, c);
                    checked++;
                }
                am_combination_clear(&k);
            }
        }
        am_system_free(system);
    }
    assert_true(checked > 2000);
}

/* ---- contacts along coordinates ---- */

static bool acts_along_coordinates(const plain_system *plain) {
    for (size_t c = 0; c < plain->m; c++) {
        size_t entries = 0;
        for (size_t i = 0; i < plain->n; i++)
            entries += (plain->contact[c].tangent[i] != 0) + (plain->contact[c].normal[i] != 0);
        if (entries > 2)
            return false;
    }
    return true;
}

/* x becomes H x with the reflection H = I - 2 h h^T. */
static void reflect(const double *h, size_t n, double *x) {
    double along = 2 * apply(h, x, n);
    for (size_t i = 0; i < n; i++)
        x[i] -= along * h[i];
}

/* A becomes H A H (rows x n: A H). */
static void reflect_matrix(const double *h, size_t n, double *A) {
    for (size_t i = 0; i < n; i++)
        reflect(h, n, A + i * n);
    for (size_t j = 0; j < n; j++) {
        double column[PLAIN_SIZE];
        for (size_t i = 0; i < n; i++)
            column[i] = A[i * n + j];
        reflect(h, n, column);
        for (size_t i = 0; i < n; i++)
            A[i * n + j] = column[i];
    }
}

/* The same structure in other coordinates, in which no contact acts along one. */
static plain_system reflected(const plain_system *plain, const double *h) {
    plain_system other = *plain;
    reflect_matrix(h, plain->n, other.mass);
    reflect_matrix(h, plain->n, other.damping);
    reflect_matrix(h, plain->n, other.stiffness);
    for (size_t c = 0; c < plain->m; c++) {
        reflect(h, plain->n, other.contact[c].normal);
        reflect(h, plain->n, other.contact[c].tangent);
    }
    for (size_t l = 0; l < plain->loads; l++)
        reflect(h, plain->n, other.load[l].direction);
    return other;
}

/* Rows of `count` numbers are the same to what the two inversions lose. */
static void same_rows(const double *a, const double *b, size_t count, double tolerance) {
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(a[i]));
    for (size_t i = 0; i < count; i++)
        assert_near(a[i], b[i], tolerance * largest);
}

static void contacts_along_coordinates_are_solved_as_oblique_ones_are(void **state) {
    (void)state;
    size_t checked = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        random_options kinds = random_options_default(6, 1 + seed % 3);
        plain_system plain;
        double q[PLAIN_SIZE], v[PLAIN_SIZE], h[PLAIN_SIZE], length = 0;
        random_system(seed, &kinds, &plain, q, v);
        size_t n = plain.n;
        if (!acts_along_coordinates(&plain))
            continue;
        random_source source = random_seed(seed + 77);
        for (size_t i = 0; i < n; i++) {
            h[i] = random_between(&source, 0.5, 1);
            length += h[i] * h[i];
        }
        for (size_t i = 0; i < n; i++)
            h[i] /= sqrt(length);
        plain_system other = reflected(&plain, h);
        am_system *system = plain_system_create(&plain, NULL), *oblique = plain_system_create(&other, NULL);
        assert_non_null(system);
        assert_non_null(oblique);
        for (size_t code = 0; code < (size_t)1 << (2 * plain.m); code++) {
            am_contact_state states[PLAIN_CONTACTS];
            am_combination a, b;
            decode(code, plain.m, states);
            assert_int_equal(am_combination_init(&a, system, plain.mass, states, NULL), AM_OK);
            assert_int_equal(am_combination_init(&b, oblique, other.mass, states, NULL), AM_OK);
            double tolerance = 64 * DBL_EPSILON / fmin(a.condition, b.condition);
            if (a.condition > 1e-8 && b.condition > 1e-8) {
                reflect_matrix(h, n, b.Y);
                for (size_t r = 0; r < a.p; r++)
                    reflect(h, n, b.L + r * n);
                same_rows(a.Y, b.Y, n * n, tolerance);
                same_rows(a.L, b.L, a.p * n, tolerance);
                same_rows(a.Lc, b.Lc, a.p * a.p, tolerance);
                checked++;
            }
            am_combination_clear(&a);
            am_combination_clear(&b);
        }
        am_system_free(system);
        am_system_free(oblique);
    }
    assert_true(checked > 200);
}

/* ---- units ---- */

/* The same structure with coordinate i measured in units 2^shift[i], scaling being exact then. */
static plain_system in_other_units(const plain_system *plain, const int *shift) {
    plain_system other = *plain;
    size_t n = plain->n;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            other.mass[i * n + j] = ldexp(plain->mass[i * n + j], shift[i] + shift[j]);
            other.damping[i * n + j] = ldexp(plain->damping[i * n + j], shift[i] + shift[j]);
            other.stiffness[i * n + j] = ldexp(plain->stiffness[i * n + j], shift[i] + shift[j]);
        }
        for (size_t c = 0; c < plain->m; c++) {
            other.contact[c].normal[i] = ldexp(plain->contact[c].normal[i], shift[i]);
            other.contact[c].tangent[i] = ldexp(plain->contact[c].tangent[i], shift[i]);
        }
        for (size_t l = 0; l < plain->loads; l++)
            other.load[l].direction[i] = ldexp(plain->load[l].direction[i], shift[i]);
    }
    return other;
}

static void the_answer_does_not_depend_on_the_units_of_coordinates(void **state) {
    (void)state;
    const int shift[PLAIN_SIZE] = {20, -13, 0, 7, -20, 3, 1, 0};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        random_options kinds = random_options_default(4, 2);
        plain_system plain, other;
        double q[PLAIN_SIZE], v[PLAIN_SIZE];
        random_system(seed, &kinds, &plain, q, v);
        other = in_other_units(&plain, shift);
        am_system *system = plain_system_create(&plain, NULL), *scaled = plain_system_create(&other, NULL);
        assert_non_null(system);
        assert_non_null(scaled);
        for (size_t code = 0; code < 16; code++) {
            am_contact_state states[PLAIN_CONTACTS];
            am_combination a, b;
            decode(code, 2, states);
            assert_int_equal(am_combination_init(&a, system, plain.stiffness, states, NULL), AM_OK);
            assert_int_equal(am_combination_init(&b, scaled, other.stiffness, states, NULL), AM_OK);
            assert_near(b.condition, a.condition, 0); /* powers of two: the same bits */
            for (size_t i = 0; i < 4 && a.condition > 0; i++) {
                for (size_t j = 0; j < 4; j++)
                    assert_near(b.Y[4 * i + j], ldexp(a.Y[4 * i + j], -shift[i] - shift[j]), 0);
                for (size_t r = 0; r < a.p; r++) {
                    assert_near(b.Yc[i * a.p + r], ldexp(a.Yc[i * a.p + r], -shift[i]), 0);
                    assert_near(b.L[r * 4 + i], ldexp(a.L[r * 4 + i], -shift[i]), 0);
                }
            }
            am_combination_clear(&a);
            am_combination_clear(&b);
        }
        am_system_free(system);
        am_system_free(scaled);
    }
}

static void the_answer_does_not_depend_on_the_unit_of_force(void **state) {
    (void)state;
    random_options kinds = random_options_default(4, 2);
    plain_system plain;
    double q[PLAIN_SIZE], v[PLAIN_SIZE], S[16];
    random_system(5, &kinds, &plain, q, v);
    am_system *system = plain_system_create(&plain, NULL);
    for (size_t i = 0; i < 16; i++)
        S[i] = ldexp(plain.stiffness[i], 40);
    const am_contact_state states[] = {AM_STICK, AM_FORWARD};
    am_combination a, b;
    assert_int_equal(am_combination_init(&a, system, plain.stiffness, states, NULL), AM_OK);
    assert_int_equal(am_combination_init(&b, system, S, states, NULL), AM_OK);
    assert_near(b.condition, a.condition, 0);
    for (size_t i = 0; i < 16; i++)
        assert_near(b.Y[i], ldexp(a.Y[i], -40), 0);
    for (size_t i = 0; i < a.p * a.p; i++)
        assert_near(b.Lc[i], ldexp(a.Lc[i], 40), 0);
    am_combination_clear(&a);
    am_combination_clear(&b);
    am_system_free(system);
}

/* ---- what cannot move ---- */

static double condition_of(const plain_system *plain, const double *S, const am_contact_state *states) {
    am_combination k;
    am_system *system = plain_system_create(plain, NULL);
    assert_non_null(system);
    assert_int_equal(am_combination_init(&k, system, S, states, NULL), AM_OK);
    double condition = k.condition;
    am_combination_clear(&k);
    am_system_free(system);
    return condition;
}

static void singular_combinations_are_flagged(void **state) {
    (void)state;
    /* two contacts on one point: both cannot be constrained at once */
    plain_system twice = plain_system_new(2, 2);
    for (size_t c = 0; c < 2; c++)
        twice.contact[c].tangent[0] = twice.contact[c].normal[1] = 1;
    const am_contact_state one[] = {AM_STICK, AM_OPEN}, both[] = {AM_STICK, AM_STICK};
    assert_true(condition_of(&twice, twice.mass, one) > 0);
    assert_near(condition_of(&twice, twice.mass, both), 0, 0);

    /* free to float without stiffness, unless something holds it */
    plain_system loose = plain_system_new(2, 1);
    loose.contact[0].tangent[0] = loose.contact[0].normal[1] = 1;
    const am_contact_state open[] = {AM_OPEN}, stick[] = {AM_STICK}, forward[] = {AM_FORWARD};
    assert_near(condition_of(&loose, loose.stiffness, open), 0, 0);
    assert_near(condition_of(&loose, loose.stiffness, forward), 0, 0);
    assert_true(condition_of(&loose, loose.stiffness, stick) > 0);

    /* Klarbring's mass at its critical friction: backward slip is indifferent, forward slip is not */
    plain_system critical = plain_system_new(2, 1);
    const double K[] = {1, 1, 1, 2};
    memcpy(critical.stiffness, K, sizeof K);
    critical.contact[0].tangent[0] = critical.contact[0].normal[1] = 1;
    critical.contact[0].friction = 1;
    const am_contact_state backward[] = {AM_BACKWARD};
    assert_near(condition_of(&critical, critical.stiffness, backward), 0, 0);
    assert_true(condition_of(&critical, critical.stiffness, forward) > 0.01);
}

/* A condition of one in a thousand billions is bad, but not singular; units do not make one. */
static void what_is_merely_stiff_is_not_singular(void **state) {
    (void)state;
    plain_system plain = plain_system_new(2, 1);
    plain.stiffness[0] = 1e12;
    plain.stiffness[3] = 1e-12;
    plain.contact[0].tangent[0] = plain.contact[0].normal[1] = 1;
    const am_contact_state open[] = {AM_OPEN}, stick[] = {AM_STICK};
    assert_true(condition_of(&plain, plain.stiffness, open) > 0.1);
    assert_true(condition_of(&plain, plain.stiffness, stick) > 0.1);
}

static void what_a_contact_holds_stays_exactly_at_rest(void **state) {
    (void)state;
    random_options kinds = random_options_default(4, 2);
    size_t exact = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        plain_system plain;
        double q[PLAIN_SIZE], v[PLAIN_SIZE];
        random_system(seed, &kinds, &plain, q, v);
        bool aligned = plain.contact[0].normal[1] == 0 && plain.contact[0].normal[2] == 0;
        if (!aligned || plain.contact[0].normal_law == AM_HELD)
            continue;
        am_system *system = plain_system_create(&plain, NULL);
        const am_contact_state states[] = {AM_STICK, AM_FORWARD};
        am_combination k;
        assert_int_equal(am_combination_init(&k, system, plain.mass, states, NULL), AM_OK);
        for (size_t i = 0; i < 2; i++) /* coordinates 0 and 1 are held */
            for (size_t j = 0; j < 4; j++)
                assert_near(k.Y[i * 4 + j], 0, 0);
        exact++;
        am_combination_clear(&k);
        am_system_free(system);
    }
    assert_true(exact > 5);
}

static void clearing_twice_is_harmless(void **state) {
    (void)state;
    plain_system plain = plain_system_new(2, 0);
    am_system *system = plain_system_create(&plain, NULL);
    am_combination k;
    assert_int_equal(am_combination_init(&k, system, plain.mass, NULL, NULL), AM_OK);
    assert_near(k.Y[0], 1, 0);
    assert_near(k.Y[1], 0, 0);
    assert_int_equal(k.p, 0);
    am_combination_clear(&k);
    am_combination_clear(&k);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_hold_for_all_combinations_of_random_structures),
        cmocka_unit_test(contacts_along_coordinates_are_solved_as_oblique_ones_are),
        cmocka_unit_test(the_answer_does_not_depend_on_the_units_of_coordinates),
        cmocka_unit_test(the_answer_does_not_depend_on_the_unit_of_force),
        cmocka_unit_test(singular_combinations_are_flagged),
        cmocka_unit_test(what_is_merely_stiff_is_not_singular),
        cmocka_unit_test(what_a_contact_holds_stays_exactly_at_rest),
        cmocka_unit_test(clearing_twice_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
