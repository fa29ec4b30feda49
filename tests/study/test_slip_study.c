/* Analysis `slip` through studies: the thesis' closed forms, boundary elements beside them, refusals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/slip.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "slip_study.h"
#include "study_text.h"

static const double PI = 3.14159265358979323846;

/* A study of one model and one load; more keys of the analysis in `more`. */
static am_run *ask(const char *model, double share, const char *more) {
    char study[1024];
    snprintf(study, sizeof study, "title: t\nmodel: {%s}\nanalysis: {kind: slip, Q_over_fP: %.17g%s}\n", model, share,
             more);
    return run_text(study);
}

static double answer(const char *model, double share, const char *more, const char *name) {
    am_run *made = ask(model, share, more);
    double value = scalar(made, name);
    am_run_free(made);
    return value;
}

static const am_table *tractions(const am_run *made) {
    return table_of(am_run_report(made)->result, "tractions");
}

/* The integral of a column over x by trapezoids. */
static double over_x(const am_table *table, const char *column) {
    double sum = 0.0;
    for (size_t i = 1; i < am_table_rows(table); i++)
        sum += 0.5 * (cell(table, i, column) + cell(table, i - 1, column)) *
               (cell(table, i, "x") - cell(table, i - 1, "x"));
    return sum;
}

static double at_x(const am_table *table, const char *column, double x) {
    for (size_t i = 1; i < am_table_rows(table); i++) {
        double low = cell(table, i - 1, "x"), high = cell(table, i, "x");
        if (x >= low && x <= high)
            return cell(table, i - 1, column) +
                   (cell(table, i, column) - cell(table, i - 1, column)) * (x - low) / (high - low);
    }
    return NAN;
}

#define ELEMENTS ", method: boundary-elements"

/* ---- closed forms ---- */

static void cylinders_stick_where_cattaneo_and_mindlin_say(void **state) {
    (void)state;
    static const double shares[] = {1e-6, 0.1, 0.5, 0.9, 0.999};
    for (size_t i = 0; i < 5; i++) {
        am_run *made = ask("kind: hertz, P: 3, R: 2, E_star: 7, f: 0.3", shares[i], "");
        double a = sqrt(4.0 * 3.0 * 2.0 / (PI * 7.0));
        assert_near(scalar(made, "c_over_a"), sqrt(1.0 - shares[i]), 1e-13); /* rounding */
        assert_near(scalar(made, "a"), a, 1e-14);
        assert_near(scalar(made, "c"), a * sqrt(1.0 - shares[i]), 1e-13);
        assert_near(scalar(made, "Q"), shares[i] * 0.9, 1e-15);
        assert_near(scalar(made, "Q_max"), 0.9, 1e-15);
        assert_near(scalar(made, "Q_onset_over_fP"), 0.0, 0.0);
        /* trapezoids on 400 points that crowd at the ends of zones: order 1/400^2 */
        assert_near(over_x(tractions(made), "p"), 3.0, 1e-3);
        assert_near(over_x(tractions(made), "q"), shares[i] * 0.9, 1e-3);
        assert_true(scalar(made, "equilibrium_residual") < 1e-8);
        assert_true(scalar(made, "stick_residual") < 1e-6);
        assert_true(scalar(made, "friction_residual") < 1e-12);
        am_run_free(made);
    }
}

static void the_punch_has_its_three_regimes(void **state) {
    (void)state;
    const double rounding = 1e-13;
    assert_near(answer("kind: punch, alpha: 2", 0.75, "", "l_over_a"), 2.0 / 3.0, rounding);
    assert_near(answer("kind: punch, alpha: 2", 0.75, "", "Q_onset_over_fP"), 2.0 / 3.0, rounding);
    assert_near(answer("kind: punch, alpha: 2, P: 50, a: 0.3, f: 0.8, E_star: 9", 0.75, "", "l_over_a"), 2.0 / 3.0,
                rounding);
    assert_near(answer("kind: punch, alpha: 0.75", 0.5, "", "l_over_a"), 0.5, rounding);
    assert_near(answer("kind: punch, alpha: 0.75", 0.8, "", "l_over_a"), 1.6266666666666667, rounding); /* (3.29) */
    double below = answer("kind: punch, alpha: 0.75", 0.75 - 1e-9, "", "l_over_a");
    double above = answer("kind: punch, alpha: 0.75", 0.75 + 1e-9, "", "l_over_a");
    assert_near(below, 1.5, 1e-7); /* 2 alpha, steps of 1e-9 apart */
    assert_near(above, 1.5, 1e-7);
    assert_near(answer("kind: punch, alpha: 0.4", 0.7, "", "Q_max_over_fP"), 0.8, rounding); /* tip-over */
    am_run *lifted = ask("kind: punch, alpha: 0.75", 0.8, "");
    const am_table *zones = table_of(am_run_report(lifted)->result, "zones");
    assert_string_equal(word(zones, 0, "state"), "open");
    assert_string_equal(word(zones, 1, "state"), "forward");
    assert_string_equal(word(zones, 2, "state"), "stick");
    assert_near(cell(zones, 0, "to"), 1.0 - 2.0 * (2.0 - 0.8 / 0.75), rounding); /* (3.28) */
    am_run_free(lifted);
    assert_near(answer("kind: punch, alpha: 2", 0.3, "", "l_over_a"), 0.0, 0.0); /* all sticks below the onset */
}

static void griffith_friction_has_the_maxima_and_onsets_of_powers(void **state) {
    (void)state;
    static const double powers[] = {1.0, 1.5, 2.0, 3.0, 4.0, 7.0};
    for (size_t i = 0; i < 6; i++) {
        double k = powers[i], c = 0.2;
        char model[128];
        snprintf(model, sizeof model, "kind: power, k: %g, C: 0.7, E_star: 3, f: 0.2, a: 1.3, c_c_over_a: 0.2", k);
        am_run *made = ask(model, 0.9, ", branch: 400");
        assert_near(scalar(made, "Q_max_over_fP"), 1.0 + (2.0 * k - 1.0) * pow(c, k), 1e-12);
        assert_near(scalar(made, "Q_onset_over_fP"), 2.0 * k * pow(c, k - 0.5), 1e-12);
        assert_near(scalar(made, "c_critical_over_a"), c, 1e-6); /* of a maximum: half of the digits */
        double r = scalar(made, "c_over_a"), Q = 1.0 - pow(r, k) + 2.0 * k * pow(c, k - 0.5) * sqrt(r);
        assert_near(Q, scalar(made, "Q_over_fP") > scalar(made, "Q_onset_over_fP") ? 0.9 : Q, 1e-12);
        const am_table *branch = table_of(am_run_report(made)->result, "branch");
        double most = 0.0;
        for (size_t row = 0; row < am_table_rows(branch); row++)
            most = fmax(most, cell(branch, row, "Q_over_fP"));
        assert_near(most, scalar(made, "Q_max_over_fP"), 1e-3); /* 400 points along the curve */
        am_run_free(made);
    }
    assert_near(answer("kind: hertz, c_c_over_a: 0.1", 0.5, "", "Q_max_over_fP"), 1.03, 1e-12);
}

static void a_short_transition_carries_1_2919_times_f_P(void **state) {
    (void)state;
    const char *model = "kind: hertz, f_s: 0.15, f_d: 0.1, Psi: 0.1, law: short";
    assert_near(answer(model, 1.2, "", "Q_max_over_fP"), 1.2919, 1e-4); /* as the figure is read */
}

static void only_the_periodic_flat_keeps_the_stick_zone_from_straining(void **state) {
    (void)state;
    const char *model = "kind: wave, wavelength: 3, a_over_lambda: 0.4, W_tilde: 0.3";
    assert_true(answer(model, 0.8, "", "stick_residual") < 1e-7);
    assert_true(answer("kind: wave, a: 0.4, W_tilde: 0.3, isolated: true", 0.8, "", "stick_residual") > 1e-2);
}

static void the_largest_shear_below_a_cylinder_lies_at_its_known_depth(void **state) {
    (void)state;
    am_run *made = ask("kind: hertz", 0.0, ", stress: {points: 201, width: 1, depth: 1.5}");
    /* 0.3003 p0 at 0.7862 a (p0 = E* a/(2R) = 1/2); the map has a point every 0.015 a */
    assert_near(scalar(made, "tau_max"), 0.30028 * 0.5, 1e-5);
    assert_near(scalar(made, "tau_max_z"), 0.7861, 0.008);
    assert_near(scalar(made, "tau_max_x"), 0.0, 1e-12);
    am_run_free(made);
}

/* ---- boundary elements ---- */

static void boundary_elements_agree_with_closed_forms(void **state) {
    (void)state;
    static const struct {
        const char *model;
        double share;
    } cases[] = {{"kind: hertz", 0.3},
                 {"kind: power, k: 3", 0.6},
                 {"kind: wave, a: 0.3", 0.5},
                 {"kind: punch, alpha: 2", 0.8},
                 {"kind: punch, alpha: 0.75", 0.85}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_run *closed = ask(cases[i].model, cases[i].share, "");
        am_run *elements = ask(cases[i].model, cases[i].share, ELEMENTS);
        double a = scalar(closed, "a");
        assert_near(scalar(elements, "a"), a, 2e-3 * a);
        /* a third of the spacing of 100 nodes where few of them stick (the last), a tenth elsewhere */
        assert_near(scalar(elements, "c_over_a"), scalar(closed, "c_over_a"), cases[i].share > 0.8 ? 3e-3 : 1e-3);
        for (double x = -0.55; x < 0.9; x += 0.13) { /* away from singular ends */
            const double mean = scalar(closed, "P") / (2.0 * a), f = scalar(closed, "f");
            const double wanted = at_x(tractions(closed), "p", x * a), got = at_x(tractions(elements), "p", x * a);
            assert_near(got, isnan(wanted) ? 0.0 : wanted, 5e-3 * mean);
            const double shear = at_x(tractions(closed), "q", x * a);
            /* within two spacings of a stick edge a square root is drawn by chords */
            assert_near(at_x(tractions(elements), "q", x * a), isnan(shear) ? 0.0 : shear, 0.03 * f * mean);
        }
        am_run_free(closed);
        am_run_free(elements);
    }
}

/* The last node beside the leading corner slips; the end of the stick zone, extrapolated, must not pass the corner. */
static void no_zone_reaches_beyond_the_corners_of_a_punch(void **state) {
    (void)state;
    am_run *made = ask("kind: punch, f: 1.8593, alpha: 5.5913583, beta: -0.30406974", 0.301, ELEMENTS ", nodes: 60");
    const am_table *zones = table_of(am_run_report(made)->result, "zones");
    assert_true(scalar(made, "c_over_a") <= 1.0 + 1e-12); /* rounding of the ends of the strip */
    for (size_t i = 0; i < am_table_rows(zones); i++) {
        assert_true(cell(zones, i, "from") >= -1.0 - 1e-12);
        assert_true(cell(zones, i, "to") <= 1.0 + 1e-12);
    }
    am_run_free(made);
}

static void both_methods_name_the_same_regime(void **state) {
    (void)state;
    static const struct {
        const char *model;
        double share;
        const char *regime;
    } cases[] = {{"kind: hertz", 0.0, "stick"},
                 {"kind: hertz", 0.3, "partial slip"},
                 {"kind: punch, alpha: 2", 0.3, "stick"},
                 {"kind: punch, alpha: 0.75", 0.5, "partial slip"},
                 {"kind: punch, alpha: 0.75", 0.9, "partial slip, lifted off"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_run *closed = ask(cases[i].model, cases[i].share, "");
        am_run *elements = ask(cases[i].model, cases[i].share, ELEMENTS ", nodes: 40");
        assert_string_equal(text(am_run_report(closed)->result, "regime"), cases[i].regime);
        assert_string_equal(text(am_run_report(elements)->result, "regime"), cases[i].regime);
        if (i > 1) { /* the punch: the end of the contact is right to a fiftieth of the spacing of 40 nodes */
            assert_near(scalar(elements, "contact_over_a"), scalar(closed, "contact_over_a"), 5e-4);
            assert_near(scalar(elements, "alpha"), scalar(closed, "alpha"), 1e-14);
        }
        am_run_free(closed);
        am_run_free(elements);
    }
}

static void the_double_solution_and_a_ramp_agree_within_a_hundredth_of_a(void **state) {
    (void)state;
    const char *both = "kind: hertz, f_s: 0.15, f_d: 0.1, Lambda: 0.05";
    double closed = answer(both, 0.8, "", "c_over_a");
    double ramp = answer("kind: hertz, f_s: 0.15, f_d: 0.1, Lambda: 0.05, law: ramp", 0.8, "", "c_over_a");
    assert_near(closed, 0.57776, 1e-5); /* docs/halfplane.md, section 9 */
    assert_near(ramp, closed, 0.01);
    double most = answer("kind: hertz, f_s: 0.15, f_d: 0.1, Lambda: 0.05, law: ramp", 0.8, "", "Q_max_over_fP");
    assert_near(most, answer(both, 0.8, "", "Q_max_over_fP"), 5e-3); /* two laws of equal energy */
}

static void dissimilar_cylinders_slip_under_normal_load_alone(void **state) {
    (void)state;
    am_run *small = ask("kind: hertz, beta: 0.2, f: 0.3, P: 0.2", 0.0, "");
    am_run *large = ask("kind: hertz, beta: 0.2, f: 0.3, P: 5", 0.0, "");
    assert_true(scalar(small, "c_over_a") < 0.98);
    /* Spence: the same share sticks at every load; a hundredth of a spacing's rounding between the two strips */
    assert_near(scalar(small, "c_over_a"), scalar(large, "c_over_a"), 1e-6);
    const am_table *zones = table_of(am_run_report(small)->result, "zones");
    assert_int_equal(am_table_rows(zones), 3);
    assert_string_not_equal(word(zones, 0, "state"), word(zones, 2, "state")); /* outwards, both sides */
    am_run_free(small);
    am_run_free(large);
}

static void a_table_of_a_parabola_is_a_cylinder(void **state) {
    (void)state;
    char x[1024] = "", gap[1024] = "", model[2304];
    for (int i = -40; i <= 40; i++) { /* to 2 a: the natural spline is straight at its ends only */
        double place = i / 20.0;
        snprintf(x + strlen(x), sizeof x - strlen(x), "%s%g", i > -40 ? ", " : "", place);
        snprintf(gap + strlen(gap), sizeof gap - strlen(gap), "%s%g", i > -40 ? ", " : "", 0.5 * place * place);
    }
    snprintf(model, sizeof model, "kind: profile, x: [%s], gap: [%s], P: %.17g", x, gap, 0.25 * PI);
    char study[4096];
    snprintf(study, sizeof study, "title: t\nmodel: {%s}\nanalysis: {kind: slip, Q_over_fP: 0.5}\n", model);
    am_run *made = run_text(study);
    assert_near(scalar(made, "a"), 1.0, 1e-3); /* a tenth of a spacing */
    assert_near(scalar(made, "c_over_a"), sqrt(0.5), 1e-3);
    am_run_free(made);
}

static void a_rounded_punch_lies_between_the_flat_and_the_cylinder(void **state) {
    (void)state;
    double sharp = answer("kind: profile, flat: 1, R: 0.01, P: 0.1", 0.5, "", "a");
    double blunt = answer("kind: profile, flat: 0.001, R: 1, P: 0.7853981633974483", 0.5, "", "a");
    assert_true(sharp > 1.0 && sharp < 1.02);
    assert_near(blunt, 1.0, 2e-3);
}

static void loops_by_superposition_and_by_boundary_elements_are_the_same(void **state) {
    (void)state;
    const char *turns = ", turns: [0.7, -0.7, 0.7]";
    am_run *closed = ask("kind: power, k: 3, P: 0.4", 0.5, turns);
    am_run *elements = ask("kind: power, k: 3, P: 0.4", 0.5, ", turns: [0.7, -0.7, 0.7]" ELEMENTS);
    const am_table *loop = table_of(am_run_report(closed)->result, "loop");
    const am_table *other = table_of(am_run_report(elements)->result, "loop");
    assert_int_equal(am_table_rows(loop), 121);
    assert_int_equal(am_table_rows(other), 121);
    double most = cell(loop, 40, "displacement"), n = 1.0 - 0.7;
    for (size_t i = 0; i < 121; i++) {
        assert_near(cell(other, i, "Q_over_fP"), cell(loop, i, "Q_over_fP"), 1e-12);
        assert_near(cell(other, i, "displacement"), cell(loop, i, "displacement"),
                    1e-3 * most); /* order h^2, and ends */
    }
    assert_near(cell(loop, 120, "displacement"), most, 1e-12); /* it closes */
    /* docs/halfplane.md, section 4, f = 0.5, E* = 1 */
    double loss = 4.0 * 0.04 / (PI * 3.0) * (1.0 - n * n + 2.0 * n * log(n));
    assert_near(scalar(closed, "loss_per_cycle"), loss, 1e-12);
    assert_near(scalar(closed, "loop_area"), loss, 2e-3 * loss); /* trapezoids of 80 steps */
    assert_near(scalar(elements, "loop_area"), loss, 5e-3 * loss);
    am_run_free(closed);
    am_run_free(elements);
}

/* ---- materials and the structure ---- */

static void materials_in_pairs_are_e_star_and_beta(void **state) {
    (void)state;
    double plane = 1.0 - 0.09;
    assert_near(answer("kind: hertz, E: 210, nu: 0.3", 0.5, "", "E_star"), 210.0 / (2.0 * plane), 1e-12);
    assert_near(answer("kind: hertz, E: [210, 70], nu: [0.3, 0.3]", 0.0, "", "E_star"),
                1.0 / (plane / 210.0 + plane / 70.0), 1e-12);
    /* (1.30) with kappa = 1.8: beta = (kappa - 1)/(kappa + 1) (1/G1 - 1/G2)/(1/G1 + 1/G2) up to its sign */
    assert_near(fabs(answer("kind: hertz, E: [210, 70], nu: 0.3", 0.0, "", "beta")), 0.8 / 2.8 * 0.5, 1e-12);
    assert_near(answer("kind: hertz, E: 210, nu: 0.3", 0.5, "", "beta"), 0.0, 0.0);
}

static void path_drags_the_same_contact_as_a_structure(void **state) {
    (void)state;
    am_run *made = run_text("title: t\nmodel: {kind: hertz, nodes: 48}\nanalysis: {kind: path, until: 0.5}\n");
    const char *states = text(am_run_report(made)->result, "final_state");
    size_t sticking = 0, touching = 0;
    for (const char *s = states; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
        sticking += strncmp(s, "stick", 5) == 0;
        touching += strncmp(s, "open", 4) != 0;
    }
    /* shift = f (d(a) - d(c)) = f d(a)/2, d = (2P/(pi E*)) (ln(2L/a) + 1/2) with P ~ a^2, L = 4 a;
     * sizes of zones are right to a node at each end */
    double h = 1.1 / 27.0, length = 4.0, low = 0.0, high = 1.0;
    double whole = log(2.0 * length) + 0.5;
    for (int i = 0; i < 60; i++) {
        double c = 0.5 * (low + high), d = c * c * (log(2.0 * length / c) + 0.5);
        *(d < 0.5 * whole ? &low : &high) = c;
    }
    assert_near((double)touching * h / 2.0, 1.0, 2.0 * h);
    assert_near((double)sticking * h / 2.0, low, 2.0 * h);
    am_run_free(made);
}

/* ---- refusals ---- */

static void loads_beyond_sliding_and_senseless_contacts_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *model, *analysis, *words;
    } cases[] = {
        {"kind: hertz, P: 2, f: 0.25", "Q: 0.6",
         "Q exceeds f P: the contact slides as a whole; the largest load is 0.5"},
        {"kind: hertz", "Q_over_fP: 1.2" ELEMENTS, "the contact slides as a whole; the largest load is"},
        {"kind: punch, alpha: 0.4", "Q_over_fP: 0.9", "tips over at Q = 2 alpha f P; the largest load is 0.8 f P"},
        {"kind: punch, alpha: 0.4", "Q_over_fP: 0.9" ELEMENTS, "tips over"},
        {"kind: power, k: 2, c_c_over_a: 0.1", "Q_over_fP: 1.1", "the contact slides as a whole; the largest load is"},
        {"kind: hertz, f_s: 0.15, f_d: 0.1, Lambda: 0.05", "Q_over_fP: 1.2", "the largest load is 1.07445 f_d P"},
        {"kind: hertz, f_s: 0.15, f_d: 0.1, Lambda: 0.05, law: ramp", "Q_over_fP: 1.2", "the largest load is 0.0843"},
        {"kind: hertz, P: 0", "Q: 1", "the bodies never touch"},
        {"kind: punch, P: -1", "Q: 1", "the bodies never touch"},
        {"kind: hertz, f: 0", "Q: 1", "partial slip needs a positive coefficient of friction"},
        {"kind: punch, f: 0", "Q: 1", "partial slip needs a positive coefficient of friction"},
        {"kind: hertz, beta: 0.6", "Q: 0.1", "beta lies between -1/2 and 1/2"},
        {"kind: hertz, beta: 0.1", "Q: 0.1, method: closed-form", "closed forms need elastically similar bodies"},
        {"kind: hertz, P: 1, a: 1", "Q: 0.1", "say the same thing"},
        {"kind: hertz", "Q: 0.1, Q_over_fP: 0.1", "say the same thing"},
        {"kind: hertz", "samples: 5", "needs the tangential load"},
        {"kind: hertz", "Q: -0.1", "must not be negative"},
        {"kind: hertz, E: 5", "Q: 0.1", "both E and nu"},
        {"kind: hertz, f_s: 0.3, Delta: 0.1", "Q: 0.1", "f_s must be larger than the dynamic one, f = 0.5"},
        {"kind: hertz, f_s: 0.7", "Q: 0.1", "needs the slip Delta"},
        {"kind: hertz, law: griffith", "Q: 0.1", "needs its energy W, or c_c_over_a"},
        {"kind: hertz, W: 0.1, law: ramp", "Q: 0.1", "an energy belongs to law griffith"},
        {"kind: hertz, W: 0.01, beta: 0.1", "Q: 0.1", "K_II is not defined"},
        {"kind: hertz, W: 0.01", "Q_over_fP: 3" ELEMENTS, "the contact slides as a whole; the largest load is"},
        {"kind: power, k: 0.5", "Q: 0.1", "k of the profile must be at least 1"},
        {"kind: wave, P: 100", "Q: 0.1", "closes the contact over the whole period"},
        {"kind: wave, a: 0.6", "Q: 0.1", "a <= wavelength/2"},
        {"kind: wave, W_tilde: 0.1, isolated: true", "Q_over_fP: 0.5, stress: 5", "no stresses below it"},
        {"kind: wave, a_over_lambda: 0.6", "Q: 0.1", "a/lambda <= 1/2"},
        {"kind: wave, a_over_lambda: 0.3, P: 1", "Q: 0.1", "say the same thing"},
        {"kind: profile, x: [0, 2, 1], gap: [0, 1, 2]", "Q: 0.1", "must increase, and 1 comes after 2"},
        {"kind: profile, x: [0, 1, 2], gap: [0, 1]", "Q: 0.1", "as many gaps as places"},
        {"kind: profile, x: [0, 1], gap: [0, 1]", "Q: 0.1", "at least three points"},
        {"kind: hertz", "Q: 0.1, turns: [0.5, 1.2]", "Q turns at 1.2 f P"},
        {"kind: hertz", "c_over_a: 1.2", "0 <= c/a <= 1"},
        {"kind: punch", "c_over_a: 0.2", "of a punch give the load"},
        {"kind: hertz", "c_over_a: 0.2" ELEMENTS, "start from the load"},
        {"kind: hertz", "Q: 0.1, law: ramp", "needs f_s in the model"},
        {"kind: klarbring, stiffness: [1, 1], friction: 0.1", "Q: 0.1",
         "slip is about half-planes, and model klarbring"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse_slip(cases[i].model, cases[i].analysis, cases[i].words);
}

static void structs_that_were_not_made_by_their_defaults_are_refused(void **state) {
    (void)state;
    am_error err = {0};
    am_slip_contact contact = am_slip_contact_default(AM_SLIP_HERTZ), blank = {.f = 1.0};
    am_slip_options options = am_slip_options_default(), nothing = {.Q = 0.0};
    am_result *result = am_result_create(&err);
    assert_int_equal(am_slip_run(&blank, &options, result, NULL, &err), AM_ERR_INPUT);
    assert_int_equal(am_slip_run(&contact, &nothing, result, NULL, &err), AM_ERR_INPUT);
    GOOD(am_slip_run(&contact, &options, result, NULL, err));
    am_result_free(result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinders_stick_where_cattaneo_and_mindlin_say),
        cmocka_unit_test(the_punch_has_its_three_regimes),
        cmocka_unit_test(griffith_friction_has_the_maxima_and_onsets_of_powers),
        cmocka_unit_test(a_short_transition_carries_1_2919_times_f_P),
        cmocka_unit_test(only_the_periodic_flat_keeps_the_stick_zone_from_straining),
        cmocka_unit_test(the_largest_shear_below_a_cylinder_lies_at_its_known_depth),
        cmocka_unit_test(boundary_elements_agree_with_closed_forms),
        cmocka_unit_test(both_methods_name_the_same_regime),
        cmocka_unit_test(no_zone_reaches_beyond_the_corners_of_a_punch),
        cmocka_unit_test(the_double_solution_and_a_ramp_agree_within_a_hundredth_of_a),
        cmocka_unit_test(dissimilar_cylinders_slip_under_normal_load_alone),
        cmocka_unit_test(a_table_of_a_parabola_is_a_cylinder),
        cmocka_unit_test(a_rounded_punch_lies_between_the_flat_and_the_cylinder),
        cmocka_unit_test(loops_by_superposition_and_by_boundary_elements_are_the_same),
        cmocka_unit_test(materials_in_pairs_are_e_star_and_beta),
        cmocka_unit_test(path_drags_the_same_contact_as_a_structure),
        cmocka_unit_test(loads_beyond_sliding_and_senseless_contacts_are_refused),
        cmocka_unit_test(structs_that_were_not_made_by_their_defaults_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
