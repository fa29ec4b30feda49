/* `squeal` of structures small enough for all of their coordinates, against `stability` and `threshold` of systems that
 * are created anew for each coefficient of friction: random structures of 1 to 12 coordinates with contacts of every
 * law, gyroscopic, circulatory and driving forces. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/output.h"
#include "amontons/stability.h"
#include "analyses/squeal/stability_loss.h"
#include "cases.h"
#include "random_system.h"
#include "results.h"
#include "study_text.h"
#include "varied_model.h"

enum { MOST = 12, CONTACTS = 3 };

typedef struct member {
    size_t n, m;
    double M[MOST * MOST], C[MOST * MOST], K[MOST * MOST], G[MOST * MOST], press[MOST];
    double normal[CONTACTS][MOST], tangent[CONTACTS][MOST];
    bool circulatory, loaded;
    am_contact_def contact[CONTACTS];
    double reference;
} member;

static void random_row(random_source *source, double *row, size_t n) {
    for (size_t i = 0; i < n; i++)
        row[i] = random_between(source, -1, 1);
    row[random_index(source, n)] += 1.0;
}

/* Held ones are held with no force: nothing acts, so that nothing is asked to pull (eigenvalues do not depend on it).
 */
static void random_contact(random_source *source, member *s, size_t c, bool curved) {
    static const am_normal_law laws[] = {AM_KELVIN_VOIGT, AM_KELVIN_VOIGT, AM_UNILATERAL, AM_HELD};
    am_contact_def *contact = &s->contact[c];
    *contact = am_contact_def_default();
    random_row(source, s->normal[c], s->n);
    random_row(source, s->tangent[c], s->n);
    contact->normal_law = curved ? AM_HUNT_CROSSLEY : laws[random_index(source, 4)];
    if (contact->normal_law == AM_UNILATERAL && 2 * s->m > s->n) /* leave directions to move in */
        contact->normal_law = AM_KELVIN_VOIGT;
    contact->normal = s->normal[c], contact->tangent = s->tangent[c];
    contact->friction = random_between(source, 0.05, 0.6);
    contact->surface_velocity = random_chance(source, 0.5) ? 1.0 : -2.0;
    bool compliant = contact->normal_law == AM_KELVIN_VOIGT || curved;
    contact->contact_stiffness = compliant ? pow(10, random_between(source, 0, 3)) : 0.0;
    if (contact->normal_law == AM_KELVIN_VOIGT && random_chance(source, 0.4))
        contact->contact_damping = random_between(source, 0, 0.3);
    if (curved) {
        contact->contact_exponent = random_between(source, 1.0, 2.0);
        contact->contact_dissipation = random_between(source, 0, 0.2);
    }
    s->reference = fmax(s->reference, contact->friction);
}

/* Every fourth is undamped; every fifth has gyroscopic, every seventh circulatory forces, every eleventh is driven. */
static member random_member(uint64_t seed) {
    random_source source = random_seed(seed);
    member s = {.n = 1 + random_index(&source, MOST)};
    size_t n = s.n;
    bool curved = seed % 6 == 5;
    s.m = 1 + random_index(&source, n < CONTACTS ? n : CONTACTS);
    double damping = seed % 4 == 3 ? 0.0 : random_between(&source, 0.002, 0.05);
    for (size_t i = 0; i < n; i++) {
        s.M[i * n + i] = random_between(&source, 0.5, 2);
        s.K[i * n + i] = 2.0 + (double)(i * i) / 4.0 + (double)n / 2.0;
        for (size_t j = 0; j < i; j++)
            s.K[i * n + j] = s.K[j * n + i] = random_between(&source, -0.5, 0.5);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            s.C[i * n + j] = damping * (s.M[i * n + j] + 0.3 * s.K[i * n + j]);
            double turn = i == j ? 0.0 : (i < j ? 1.0 : -1.0);
            if (seed % 5 == 4)
                s.C[i * n + j] += 0.3 * turn;
            if (seed % 7 == 6)
                s.G[i * n + j] = 0.05 * turn;
        }
    s.circulatory = seed % 7 == 6;
    if (seed % 11 == 10)
        s.C[0] -= random_between(&source, 0, 0.3);
    for (size_t c = 0; c < s.m; c++)
        random_contact(&source, &s, c, curved);
    s.loaded = curved;
    for (size_t c = 0; c < s.m && curved; c++)
        for (size_t i = 0; i < n; i++)
            s.press[i] -= 3.0 * s.normal[c][i];
    return s;
}

/* The member with its largest coefficient of friction `mu`, the others in proportion. */
static am_system *make(const member *s, double mu, am_error *err) {
    am_contact_def contacts[CONTACTS];
    am_load_def load = {s->press, am_function_constant(1.0)};
    for (size_t c = 0; c < s->m; c++) {
        contacts[c] = s->contact[c];
        contacts[c].normal = s->normal[c], contacts[c].tangent = s->tangent[c];
        contacts[c].friction *= mu / s->reference;
    }
    am_system_def def = am_system_def_default();
    am_matrix *M = am_matrix_dense(s->n, s->n, s->M, err), *C = am_matrix_dense(s->n, s->n, s->C, err);
    am_matrix *K = am_matrix_dense(s->n, s->n, s->K, err), *G = am_matrix_dense(s->n, s->n, s->G, err);
    def.n = s->n, def.contact_count = s->m, def.contacts = contacts;
    def.load_count = s->loaded, def.loads = &load;
    def.mass = M, def.damping = C, def.stiffness = K, def.circulatory = s->circulatory ? G : NULL;
    am_system *system = am_system_create(&def, err);
    am_matrix_free(M);
    am_matrix_free(C);
    am_matrix_free(K);
    am_matrix_free(G);
    return system;
}

static am_system *family_make(void *context, double mu, am_error *err) {
    return make(context, mu, err);
}

/* How many eigenvalues with imaginary part >= 0 grow, those that may do so within rounding included or not; SIZE_MAX:
 * there is no steady sliding, or rigid contact fails. */
static size_t may_grow_at(const member *s, double mu, bool doubtful) {
    am_error err = {0};
    am_spectrum spectrum;
    am_stability_options options = am_stability_options_default();
    am_system *system = make(s, mu, &err);
    assert_non_null(system);
    size_t count = 0;
    if (am_stability_spectrum(system, &options, &spectrum, &err) || spectrum.painleve)
        count = SIZE_MAX;
    for (size_t i = 0; count != SIZE_MAX && i < spectrum.count; i++)
        count += spectrum.imaginary[i] >= 0.0 && spectrum.real[i] > (doubtful ? -1.0 : 1.0) * spectrum.uncertainty[i];
    am_spectrum_clear(&spectrum);
    am_system_free(system);
    return count;
}

static size_t growing_at(const member *s, double mu) {
    return may_grow_at(s, mu, false);
}

/* At the model's own friction: what `stability` says. */
static void compare_nominal(uint64_t seed, const member *s, const am_result *squeal) {
    am_error err = {0};
    am_stability_options options = am_stability_options_default();
    am_result *stability = am_result_create(&err);
    am_system *system = make(s, s->reference, &err);
    if (am_stability_run(system, &options, stability, NULL, &err))
        fail_msg("%llu: %s", (unsigned long long)seed, err.message);
    assert_int_equal(flag(squeal, "stable"), flag(stability, "stable"));
    assert_int_equal(number(squeal, "unstable_modes"), number(stability, "unstable_modes"));
    assert_int_equal(isnan(number(squeal, "growth_rate")), isnan(number(stability, "growth_rate")));
    double a = number(squeal, "growth_rate"), b = number(stability, "growth_rate");
    if (!isnan(number(squeal, "growth_rate")) && !(a == b))
        fail_msg("%llu: growth %.17g, not %.17g", (unsigned long long)seed, a, b);
    am_result_free(stability);
    am_system_free(system);
}

/* The first loss of stability: what `threshold` says. The same root to rounding of the eigenvalues. */
static bool compare_threshold(uint64_t seed, const member *s, double to, const am_result *squeal) {
    am_error err = {0};
    am_threshold_options options = am_threshold_options_default();
    VARIED_MODEL *varied = model_of_one("parameter", family_make, (void *)s);
    am_result *threshold = am_result_create(&err);
    options.to = to;
    am_status status = am_threshold_run(varied, &options, threshold, NULL, &err);
    bool found = false;
    if (status == AM_ERR_INPUT) { /* not stable at the start */
        if (flag(squeal, "stable_at_start"))
            fail_msg("%llu: stable at the start, but %s", (unsigned long long)seed, err.message);
        assert_true(isnan(number(squeal, "critical")));
        assert_string_not_equal(text(squeal, "instability"), "none");
    } else {
        assert_int_equal(status, AM_OK);
        const char *mine = text(squeal, "instability"), *theirs = text(threshold, "instability");
        double a = number(squeal, "critical"), b = number(threshold, "critical");
        double doubt = 1e-9 + 10.0 * fmax(0.0, number(threshold, "critical_uncertainty"));
        found = strcmp(theirs, "none") != 0;
        if (strcmp(mine, theirs) != 0 || (found && !(fabs(a - b) <= doubt)))
            fail_msg("%llu: %s at %.12g, not %s at %.12g", (unsigned long long)seed, mine, a, theirs, b);
        assert_int_equal(isnan(number(squeal, "critical")), !found);
    }
    am_result_free(threshold);
    return found;
}

/* Crossings lie in the range, ascend, and one more eigenvalue grows beyond each but for rounding. (Neighbours closer
 * than the step are left out.) */
static void check_crossings(uint64_t seed, const member *s, double to, const am_result *squeal) {
    const am_table *table = table_of(squeal, "crossings");
    const double step = 1e-6;
    for (size_t row = 0; row < am_table_rows(table); row++) {
        double mu = cell(table, row, "mu"), last = row > 0 ? cell(table, row - 1, "mu") : 0.0;
        double next = row + 1 < am_table_rows(table) ? cell(table, row + 1, "mu") : to;
        if (!(mu >= last && mu <= to))
            fail_msg("%llu: crossing %zu at %g", (unsigned long long)seed, row, mu);
        if (mu - last < 3 * step || next - mu < 3 * step || isnan(cell(table, row, "omega")))
            continue;
        size_t before = growing_at(s, mu - step), after = may_grow_at(s, mu + step, true);
        if (before != SIZE_MAX && after != SIZE_MAX && !(after > before))
            fail_msg("%llu: %zu grow before the crossing at %.9g, %zu beyond", (unsigned long long)seed, before, mu,
                     after);
    }
}

static void check_sweep(uint64_t seed, const member *s, double to, size_t count, const am_result *squeal) {
    const am_table *table = table_of(squeal, "sweep");
    for (size_t i = 0; i < count; i += 5) {
        double mu = to * (double)i / (double)(count - 1);
        size_t growing = 0, listed = 0, expected = growing_at(s, mu);
        for (size_t row = 0; row < am_table_rows(table); row++)
            if (fabs(cell(table, row, "mu") - mu) < 1e-12) {
                listed++;
                growing += cell(table, row, "unstable") == 1.0;
            }
        if (expected == SIZE_MAX ? listed > 0 : growing != expected)
            fail_msg("%llu: %zu of %zu grow at %g, not %zu", (unsigned long long)seed, growing, listed, mu, expected);
    }
}

static void small_structures_squeal_as_stability_and_threshold_say(void **state) {
    (void)state;
    const double to = 2.0;
    const size_t members = CASES(300, 40);
    size_t critical = 0, refused = 0;
    for (size_t i = 0; i < members; i++) {
        uint64_t seed = i == 0 ? 2335 : i; /* there `threshold` once followed the wrong two of several frequencies */
        member s = random_member(seed);
        am_error err = {0};
        am_system *system = make(&s, s.reference, &err);
        if (!system)
            fail_msg("%llu: %s", (unsigned long long)seed, err.message);
        am_squeal_options options = am_squeal_options_default();
        am_result *squeal = am_result_create(&err);
        options.to = to;
        options.count = 21;
        am_status status = am_squeal_run(system, &options, squeal, NULL, &err);
        if (status == AM_ERR_NO_STATE) { /* curved laws that are not pressed together: `stability` refuses as well */
            assert_true(growing_at(&s, s.reference) == SIZE_MAX || growing_at(&s, 0.0) == SIZE_MAX);
            refused++;
        } else if (status) {
            fail_msg("%llu: %s", (unsigned long long)seed, err.message);
        } else {
            compare_nominal(seed, &s, squeal);
            critical += compare_threshold(seed, &s, to, squeal);
            check_crossings(seed, &s, to, squeal);
            check_sweep(seed, &s, to, options.count, squeal);
        }
        am_result_free(squeal);
        am_system_free(system);
    }
    assert_true(critical >= members / 3); /* the comparison compares */
    assert_true(refused <= members / 10);
}

/* Eigenvalues on straight lines that cross each other, listed in another order for each mu: each keeps its number. */
static void modes_keep_their_numbers_where_they_cross(void **state) {
    (void)state;
    enum { MODES = 8, VALUES = 40 };
    random_source source = random_seed(71);
    for (size_t trial = 0; trial < 20; trial++) {
        double complex from[MODES], rate[MODES], s[MODES], before[2 * MODES];
        size_t known = 0, number[MODES], first[MODES] = {0}, order[MODES];
        for (size_t k = 0; k < MODES; k++) {
            from[k] = random_between(&source, -1, 1) + 0.5 * (double)k * I; /* apart by more than two first steps */
            rate[k] = random_between(&source, -1, 1) + random_between(&source, -2, 2) * I;
            order[k] = k;
        }
        for (size_t i = 0; i < VALUES; i++) {
            for (size_t k = MODES - 1; k > 0 && i > 1; k--) { /* two values tell where they go */
                size_t other = random_index(&source, k + 1), mine = order[k];
                order[k] = order[other];
                order[other] = mine;
            }
            for (size_t k = 0; k < MODES; k++)
                s[k] = from[order[k]] + rate[order[k]] * 0.05 * (double)i;
            am_squeal_follow(s, MODES, MODES, before, &known, number);
            assert_int_equal(known, MODES);
            for (size_t k = 0; k < MODES; k++) {
                if (i == 0)
                    first[order[k]] = number[k];
                assert_int_equal(number[k], first[order[k]]);
            }
        }
    }
}

static void write_law(size_t k, double f, char *law, size_t size) {
    if (k == 0)
        snprintf(law, size, "{law: tanh, friction: %.17g, velocity: 0.7}", 0.3 * f);
    if (k == 1)
        snprintf(law, size, "{law: dahl, stiffness: 10, friction: %.17g}", 0.3 * f);
    if (k == 2)
        snprintf(law, size,
                 "{law: lugre, sigma0: 20, sigma1: 0.3, sigma2: 0.1, static: %.17g, kinetic: %.17g, velocity: 0.5}",
                 0.4 * f, 0.3 * f);
    if (k == 3)
        snprintf(law, size, "{law: rate-and-state, f0: %.17g, a: %.17g, b: %.17g, V0: 0.1, Dc: 0.1}", 0.3 * f, 0.02 * f,
                 0.03 * f);
}

/* Laws without stick at f times their coefficients: `squeal` varies them all at once, `stability` has the law written
 * with each of them multiplied. */
static void laws_without_stick_vary_by_all_their_coefficients(void **state) {
    (void)state;
    static const char *const laws[] = {"tanh", "dahl", "lugre", "rate-and-state"};
    const double f = 1.7;
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        double real[2], imaginary[2], reference = 0.0;
        for (int stability = 0; stability < 3; stability++) { /* its own coefficient, then squeal, then stability */
            char law[256], analysis[128], text[1024];
            double s = stability == 2 ? f : 1.0;
            write_law(k, s, law, sizeof law);
            snprintf(analysis, sizeof analysis, "squeal, modes: 2, friction: {from: %.17g, to: %.17g, count: 2}",
                     stability == 0 ? 0.1 : 0.5 * reference, stability == 0 ? 0.2 : f * reference);
            snprintf(text, sizeof text,
                     "title: t\nmodel:\n  kind: structure\n  mass: [[1, 0], [0, 1]]\n  stiffness: [[2, 0.3], [0.3, "
                     "2.3]]\n  damping: [[0.02, 0], [0, 0.02]]\n  contacts:\n  - {normal: [0, -1], tangent: [1, 0], "
                     "law: spring, contact_stiffness: 3, friction: %s, surface_velocity: 1}\n"
                     "  loads: [{direction: [0, 1], constant: 2}]\nanalysis: {kind: %s}\n",
                     law, stability == 2 ? "stability" : analysis);
            am_run *run = run_text(text);
            if (stability == 0) {
                reference = scalar(run, "mu");
            } else {
                const am_table *table = table_of(am_run_report(run)->result, stability == 1 ? "sweep" : "eigenvalues");
                size_t best = SIZE_MAX;
                for (size_t i = 0; i < am_table_rows(table); i++) { /* the one that grows most at the last mu */
                    bool counts = stability == 2 || cell(table, i, "mu") > reference;
                    if (counts && (best == SIZE_MAX || cell(table, i, "real") > cell(table, best, "real")))
                        best = i;
                }
                real[stability - 1] = cell(table, best, "real");
                imaginary[stability - 1] = fabs(cell(table, best, "imaginary"));
            }
            am_run_free(run);
        }
        if (!(hypot(real[0] - real[1], imaginary[0] - imaginary[1]) <= 1e-12))
            fail_msg("%s: %.15g %.15g i, not %.15g %.15g i", laws[k], real[0], imaginary[0], real[1], imaginary[1]);
    }
}

/* Friction that no normal force presses has no coefficient. */
static void friction_without_a_coefficient_is_refused(void **state) {
    (void)state;
    const char *text = "title: t\nmodel:\n  kind: structure\n  mass: [1, 1]\n  stiffness: [[2, 0.3], [0.3, 2.3]]\n"
                       "  contacts:\n  - {normal: [0, -1], tangent: [1, 0], law: spring, contact_stiffness: 3, "
                       "friction: {law: bouc-wen, stiffness: 10, beta: 20, gamma: 10}, surface_velocity: 1}\n"
                       "  loads: [{direction: [0, 1], constant: 2}]\nanalysis: {kind: squeal, modes: 2}\n";
    am_error err = {0};
    assert_null(am_study_parse("/test.yaml", text, 0, NULL, false, &err));
    assert_non_null(strstr(err.message, "does not depend on its normal force"));
    assert_non_null(strstr(err.message, "/test.yaml:7:"));
}

/* y has no mass, x is held: of real modes there is none. */
static void too_few_directions_are_refused_with_a_line(void **state) {
    (void)state;
    am_study *study =
        read_text("title: t\nmodel:\n  kind: structure\n  mass: [1, 0]\n  stiffness: [[3, -1], [-1, 3]]\n"
                  "  contacts:\n  - {normal: [-1, 0], tangent: [0, 1], law: unilateral, surface_velocity: "
                  "1, friction: 0.3}\n  loads: [{direction: [1, 0], constant: 2}]\n"
                  "analysis: {kind: squeal}\n");
    am_error err = {0};
    assert_null(am_study_run(study, NULL, &err));
    assert_non_null(strstr(err.message, "test.yaml:7:3: "));
    assert_non_null(strstr(err.message, "fewer than three directions"));
    am_study_free(study);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(laws_without_stick_vary_by_all_their_coefficients),
                                       cmocka_unit_test(friction_without_a_coefficient_is_refused),
                                       cmocka_unit_test(too_few_directions_are_refused_with_a_line),
                                       cmocka_unit_test(modes_keep_their_numbers_where_they_cross),
                                       cmocka_unit_test(small_structures_squeal_as_stability_and_threshold_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
