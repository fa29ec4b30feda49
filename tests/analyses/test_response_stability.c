/* Verdicts of `response` on structures that are linear between switches: against an integration in time of their own
 * equations (fixed steps, switches bisected, derivatives by differences), and against `orbit`; unbounded
 * resonances and tolerances that cannot be met are refused. */
/* ctest: long */
#include <stdio.h>
#include <string.h>

#include "compliant_structure.h"
#include "near.h"
#include "results.h"
#include "study_text.h"
#include "uniform.h"

static const double PI = 3.14159265358979323846;

#if defined(__SANITIZE_ADDRESS__)
enum { SEEDS = 3 };
#else
enum { SEEDS = 8 };
#endif

/* The balanced motion at t = 0, from the table `shape`. */
static void place(const am_table *shape, const structure *s, double *x) {
    memset(x, 0, DIMENSION * sizeof *x);
    for (size_t row = 0; row < am_table_rows(shape); row++)
        for (size_t i = 0; i < s->n; i++) {
            char name[32];
            snprintf(name, sizeof name, "q%zu_cos", i + 1);
            x[i] += cell(shape, row, name);
            snprintf(name, sizeof name, "q%zu_sin", i + 1);
            x[MOST + i] += cell(shape, row, "harmonic") * s->omega * cell(shape, row, name);
        }
    for (size_t c = 0; c < s->m; c++)
        x[2 * MOST + c] = dot_product(s->contact[c].tangent, x, s->n);
}

/* ---- verdicts ---- */

typedef struct tally {
    size_t compared, stable, unstable;
} tally;

static tally compare(bool sliders, uint64_t first) {
    tally count = {0};
    for (uint64_t seed = first; seed < first + SEEDS; seed++) {
        structure s = random_structure(seed, sliders);
        sheet text = study_of(&s, "harmonics: 25");
        am_run *made = run_text(text.bytes);
        const am_table *branch = table_of(am_run_report(made)->result, "branch");
        double x[DIMENSION], stable = cell(branch, 0, "stable"), multiplier = cell(branch, 0, "multiplier");
        place(table_of(am_run_report(made)->result, "shape"), &s, x);
        double own = close_orbit(&s, x);
        if (isnan(stable))
            assert_true(strlen(word(branch, 0, "withheld")) > 10);
        if (!isnan(stable) && !isnan(own)) {
            /* differences of 1e-6 over bisected switches leave some 1e-5 of the largest derivative */
            assert_near(multiplier, own, 2e-4 * fmax(1.0, own));
            if (fabs(own - 1.0) > 1e-3)
                assert_true((own < 1.0) == (stable == 1.0));
            count.compared++;
            count.stable += stable == 1.0;
            count.unstable += stable == 0.0;
        }
        am_run_free(made);
    }
    return count;
}

static void multipliers_of_stops_are_those_of_an_integration(void **state) {
    (void)state;
    tally count = compare(false, 1);
    assert_true(4 * count.compared >= 3 * SEEDS);
}

static void multipliers_of_contact_elements_are_those_of_an_integration(void **state) {
    (void)state;
    tally count = compare(true, 101);
    assert_true(2 * count.compared >= SEEDS);
}

static const char stop[] = "title: t\nmodel:\n  kind: structure\n  mass: [1, 1]\n  stiffness: [[1, -1], [-1, 2]]\n"
                           "  damping: [[0.03, -0.03], [-0.03, 0.06]]\n"
                           "  contacts: [{normal: [-1, 0], tangent: [1, 0], gap: 1, friction: 0, law: kelvin-voigt, "
                           "contact_stiffness: 100}]\n"
                           "  loads: [{direction: [0, 1], sine: {amplitude: 0.1, frequency: 0.8}}]\n"
                           "analysis: {kind: response, over: loads.0.sine.frequency, ";

/* At the period doublings that are reported the integration's largest multiplier is on the unit circle. */
static void period_doublings_lie_where_the_multiplier_is_minus_one(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, "%sfrom: 0.8, to: 0.62, harmonics: 21, coordinate: q2}\n", stop);
    am_run *made = run_text(text);
    const am_table *special = table_of(am_run_report(made)->result, "special");
    size_t found = 0;
    for (size_t row = 0; row < am_table_rows(special); row++) {
        if (strcmp(word(special, row, "kind"), "period-doubling"))
            continue;
        double p = cell(special, row, "loads.0.sine.frequency");
        structure s = {.n = 2,
                       .m = 1,
                       .M = {1, 1},
                       .K = {{1, -1}, {-1, 2}},
                       .C = {{0.03, -0.03}, {-0.03, 0.06}},
                       .load = {0, 0.1},
                       .contact = {{.normal = {-1, 0}, .tangent = {1, 0}, .gap = 1, .k = 100}}};
        /* the motion with impacts at a lower frequency, where it attracts, and from there up */
        double x[DIMENSION] = {-1.0, -0.7};
        s.omega = 0.72;
        for (int k = 0; k < 100; k++) {
            double end[DIMENSION];
            period_map(&s, x, end, NULL);
            memcpy(x, end, sizeof x);
        }
        for (s.omega = 0.725; s.omega < p; s.omega += 0.005)
            close_orbit(&s, x);
        s.omega = p;
        assert_near(close_orbit(&s, x), 1.0, 3e-3); /* differences, and p itself: 1e-10 of its range */
        found++;
    }
    assert_int_equal(found, 2);
    am_run_free(made);
}

/* By default not every point is judged: those between agree with verdicts at every point. */
static void verdicts_between_judged_points_are_those_of_every_point(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, "%sfrom: 0.8, to: 0.5, harmonics: 13, coordinate: q2}\n", stop);
    am_run *some = run_text(text);
    snprintf(text, sizeof text, "%sfrom: 0.8, to: 0.5, harmonics: 13, coordinate: q2, stability: floquet}\n", stop);
    am_run *all = run_text(text);
    const am_table *a = table_of(am_run_report(some)->result, "branch"),
                   *b = table_of(am_run_report(all)->result, "branch");
    size_t rows = am_table_rows(a), filled = 0, withheld = 0;
    assert_int_equal(rows, am_table_rows(b));
    for (size_t i = 0; i < rows; i++) {
        double one = cell(a, i, "stable"), other = cell(b, i, "stable");
        assert_true(isnan(one) || isnan(other) || one == other);
        filled += !isnan(one) && isnan(cell(a, i, "multiplier"));
        withheld += isnan(one) || isnan(other);
    }
    assert_true(filled > rows / 4);
    assert_true(withheld < rows / 50); /* next to the two folds, and where the motion grazes the stop */
    am_run_free(some);
    am_run_free(all);
}

/* What Hill's matrix says of a stop, where it says anything, is what the exact multipliers say. */
static void hill_is_right_or_withheld(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, "%sfrom: 0.8, to: 0.5, harmonics: 9, coordinate: q2, stability: floquet}\n", stop);
    am_run *exact = run_text(text);
    snprintf(text, sizeof text, "%sfrom: 0.8, to: 0.5, harmonics: 9, coordinate: q2, stability: hill}\n", stop);
    am_run *hill = run_text(text);
    const am_table *a = table_of(am_run_report(exact)->result, "branch"),
                   *b = table_of(am_run_report(hill)->result, "branch");
    size_t judged = 0, withheld = 0;
    for (size_t i = 0; i < am_table_rows(b); i++) {
        double one = cell(a, i, "stable"), other = cell(b, i, "stable");
        if (isnan(other)) {
            assert_true(strlen(word(b, i, "withheld")) > 20);
            withheld++;
        } else if (!isnan(one)) {
            assert_true(one == other);
            judged++;
        }
    }
    assert_true(judged > 100 && withheld > 10);
    am_run_free(exact);
    am_run_free(hill);
}

/* Held sliders, rigid or behind springs: the multiplier of `orbit`, which follows them by another engine. */
static void multipliers_of_held_sliders_are_those_of_orbit(void **state) {
    (void)state;
    size_t compared = 0;
    for (uint64_t seed = 301; seed < 301 + SEEDS; seed++) {
        structure s = random_structure(seed, false);
        char text[9000];
        sheet t = study_of(&s, "harmonics: 31");
        char *contacts = strstr(t.bytes, "  contacts:"), *loads = strstr(t.bytes, "  loads:");
        double tangent[MOST] = {0.0};
        tangent[seed % s.n] = 1.0;
        sheet held = {.used = 0};
        sheet_add(&held, "%.*s  contacts: [{law: held, hold: {constant: %.17g}, friction: 0.5, %s tangent: ",
                  (int)(contacts - t.bytes), t.bytes, 0.3, seed % 2 ? "tangential_stiffness: 2," : "");
        sheet_add_row(&held, tangent, s.n);
        sheet_add(&held, "}]\n%.*s", (int)(strstr(loads, "analysis:") - loads), loads);
        snprintf(text, sizeof text, "%sanalysis: {kind: response, harmonics: 31}\n", held.bytes);
        am_run *balanced = run_text(text);
        snprintf(text, sizeof text, "%sanalysis: {kind: orbit}\n", held.bytes);
        am_run *exact = run_text(text);
        const am_table *branch = table_of(am_run_report(balanced)->result, "branch");
        const am_scalar *period = am_result_find(am_run_report(exact)->result, "multiplier");
        if (period && period->kind == AM_SCALAR_NUMBER && !isnan(cell(branch, 0, "stable"))) {
            assert_near(cell(branch, 0, "multiplier"), period->number, 1e-6);
            assert_near(cell(branch, 0, "stable"), 1.0, 0.0); /* friction on a stable structure */
            compared++;
        }
        am_run_free(balanced);
        am_run_free(exact);
    }
    assert_true(2 * compared >= SEEDS);
}

/* ---- unbounded resonances ---- */

static am_status refusal(const char *text, char *message, size_t size) {
    am_error err = {0};
    am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
    am_run *run = study ? am_study_run(study, NULL, &err) : NULL;
    snprintf(message, size, "%s", run ? "" : err.message);
    am_run_free(run);
    am_study_free(study);
    return err.status;
}

/* A mode phi without damping: friction bounds it as long as 4 mu N |t.phi| is above pi |F.phi|. Two masses alike, sum
 * and difference of their displacements: the difference is damped, the sum is not. */
static void undamped_modes_are_refused_where_friction_cannot_limit_them(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 2 * SEEDS; i++) {
        double k = uniform(&seed, 0.5, 2.0), chain = uniform(&seed, 0.2, 1.0), c = uniform(&seed, 0.02, 0.1);
        double load = uniform(&seed, 0.2, 2.0), share = uniform(&seed, 0.0, 1.0), natural = sqrt(k);
        /* phi = (1, 1): F.phi = load, t.phi = 1 */
        double limit = i % 3 == 0 ? 0.0 : PI / 4.0 * load * (i % 3 == 1 ? 0.9 : 1.1), reach = i % 4 == 3 ? 0.9 : 1.1;
        char text[1024], contact[256] = "", message[1024];
        if (limit > 0.0)
            snprintf(contact, sizeof contact,
                     "  contacts: [{law: held, hold: {constant: %.17g}, friction: 1, tangential_stiffness: 0.7, "
                     "tangent: [1, 0]}]\n",
                     limit);
        snprintf(text, sizeof text,
                 "title: t\nmodel:\n  kind: structure\n  mass: [1, 1]\n  stiffness: [[%.17g, %.17g], [%.17g, %.17g]]\n"
                 "  damping: [[%.17g, %.17g], [%.17g, %.17g]]\n%s  loads: [{direction: [%.17g, %.17g], sine: "
                 "{amplitude: %.17g, frequency: 1}}]\nanalysis: {kind: response, harmonics: 3, stability: none, over: "
                 "loads.0.sine.frequency, from: %.17g, to: %.17g}\n",
                 k + chain, -chain, -chain, k + chain, c, -c, -c, c, contact, share, 1.0 - share, load, 0.8 * natural,
                 reach * natural);
        am_status status = refusal(text, message, sizeof message);
        bool unbounded = i % 3 != 2 && reach > 1.0;
        assert_true((strstr(message, "unbounded") != NULL) == unbounded);
        assert_true((status == AM_ERR_INPUT) == unbounded);
    }
}

/* Three masses alike share one frequency; damping reaches one or two of three directions at right angles. A load is
 * bounded at resonance where it acts in those alone. */
static void of_modes_that_share_a_frequency_only_damped_ones_bear_a_load(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 2 * SEEDS; i++) {
        double a = uniform(&seed, 0.3, 1.2), b = uniform(&seed, 0.3, 1.2), k = uniform(&seed, 0.5, 2.0), C[9];
        const double frame[3][3] = {{cos(a), sin(a), 0.0},
                                    {-sin(a) * cos(b), cos(a) * cos(b), sin(b)},
                                    {sin(a) * sin(b), -cos(a) * sin(b), cos(b)}};
        int damped = 1 + i % 2;
        for (int e = 0; e < 9; e++) {
            C[e] = 0.0;
            for (int d = 0; d < damped; d++)
                C[e] += 0.1 * frame[d][e / 3] * frame[d][e % 3];
        }
        for (int load = 0; load < 3; load++) {
            char text[1024], message[1024];
            const double *f = frame[load];
            snprintf(text, sizeof text,
                     "model:\n  kind: structure\n  mass: [1, 1, 1]\n  stiffness: [%.17g, %.17g, %.17g]\n  damping: "
                     "[[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]\n  loads: [{direction: "
                     "[%.17g, %.17g, %.17g], sine: {amplitude: 1, frequency: 1}}]\nanalysis: {kind: response, "
                     "harmonics: 1, stability: none, over: loads.0.sine.frequency, from: %.17g, to: %.17g}\n",
                     k, k, k, C[0], C[1], C[2], C[3], C[4], C[5], C[6], C[7], C[8], f[0], f[1], f[2], 0.8 * sqrt(k),
                     1.2 * sqrt(k));
            am_status status = refusal(text, message, sizeof message);
            assert_true((strstr(message, "unbounded") != NULL) == (load >= damped));
            assert_true((status == AM_ERR_INPUT) == (load >= damped));
        }
    }
}

static void a_tolerance_that_is_not_met_is_said(void **state) {
    (void)state;
    static const char model[] = "title: t\nmodel: {kind: oscillator, beta: 0.5, Omega: 0.6, xi: 0.1}\n";
    char text[512], message[1024];
    snprintf(text, sizeof text, "%sanalysis: {kind: response, most_harmonics: 20}\n", model);
    assert_int_equal(refusal(text, message, sizeof message), AM_ERR_LIMIT);
    assert_non_null(strstr(message, "percent"));
    assert_non_null(strstr(message, "tolerance"));
    snprintf(text, sizeof text, "%sanalysis: {kind: response, harmonics: 3, tolerance: 1e-4}\n", model);
    assert_int_equal(refusal(text, message, sizeof message), AM_ERR_LIMIT);
    snprintf(text, sizeof text, "%sanalysis: {kind: response, harmonics: 3}\n", model);
    assert_int_equal(refusal(text, message, sizeof message), AM_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multipliers_of_stops_are_those_of_an_integration),
        cmocka_unit_test(multipliers_of_contact_elements_are_those_of_an_integration),
        cmocka_unit_test(period_doublings_lie_where_the_multiplier_is_minus_one),
        cmocka_unit_test(verdicts_between_judged_points_are_those_of_every_point),
        cmocka_unit_test(hill_is_right_or_withheld),
        cmocka_unit_test(multipliers_of_held_sliders_are_those_of_orbit),
        cmocka_unit_test(undamped_modes_are_refused_where_friction_cannot_limit_them),
        cmocka_unit_test(of_modes_that_share_a_frequency_only_damped_ones_bear_a_load),
        cmocka_unit_test(a_tolerance_that_is_not_met_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
