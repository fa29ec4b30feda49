/* What tables and summaries say, against what they say elsewhere: contacts that remember, peaks that are none, ranges
 * that are chosen, the phase of an orbit, tractions that carry their load, counts of an atlas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/output.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

static const am_table *table_in(const am_run *made, const char *name) {
    return table_of(am_run_report(made)->result, name);
}

/* ---- path ---- */

/* A contact remembers where it was if it never slides in the cycle: sticks at its end and has slid nowhere. */
static void contacts_remember_where_nothing_slides(void **state) {
    (void)state;
    size_t remember = 0, forget = 0;
    for (int amplitude = 1; amplitude <= 12; amplitude++) {
        char text[512];
        snprintf(text, sizeof text,
                 "model: {kind: klarbring, stiffness: [[1, 0.5], [0.5, 2]], friction: 0.3, load: [0, -2], loads: "
                 "[{direction: [1, 0], sine: {amplitude: %g, frequency: 0.7}}]}\nanalysis: {kind: path, cycles: "
                 "until-repeat}\n",
                 0.15 * amplitude);
        am_run *made = run_text(text);
        const am_table *contacts = table_in(made, "contacts"), *corners = table_in(made, "corners");
        bool slides = false;
        for (size_t r = 0; r < am_table_rows(corners); r++)
            slides = slides || strcmp(word(corners, r, "cause"), "slip") == 0;
        assert_int_equal(am_table_rows(contacts), 1);
        assert_near(cell(contacts, 0, "remembers"), slides ? 0.0 : 1.0, 0.0);
        assert_true((cell(contacts, 0, "slip") > 0.0) == slides);
        remember += !slides;
        forget += slides;
        am_run_free(made);
    }
    assert_true(remember > 1 && forget > 1);
}

/* ---- response ---- */

/* The amplitude of a damped oscillator falls with the frequency above its resonance and rises below it: the ends of a
 * range on one side are no peaks. Across the resonance there is one, at w^2 = 1 - 2 zeta^2. */
static void ends_of_a_branch_are_no_peaks(void **state) {
    (void)state;
    static const double from[] = {1.2, 2.0, 0.9, 0.3, 0.5, 1.5}, to[] = {2.0, 1.2, 0.3, 0.9, 1.5, 0.5};
    const double zeta = 0.05;
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "model: {kind: structure, mass: [1], stiffness: [1], damping: [%g], loads: [{direction: [1], sine: "
                 "{amplitude: 1, frequency: 1}}]}\nanalysis: {kind: response, over: loads.0.sine.frequency, from: %g, "
                 "to: %g, harmonics: 1, stability: none}\n",
                 2.0 * zeta, from[i], to[i]);
        am_run *made = run_text(text);
        const am_table *special = am_result_find_table(am_run_report(made)->result, "special");
        size_t peaks = 0;
        for (size_t r = 0; special && r < am_table_rows(special); r++)
            peaks += strcmp(word(special, r, "kind"), "peak") == 0;
        bool across = i >= 4;
        assert_int_equal(peaks, across ? 1 : 0);
        assert_near(scalar(made, "peak_inside"), across ? 1.0 : 0.0, 0.0);
        double end = fabs(from[i] - 1.0) < fabs(to[i] - 1.0) ? from[i] : to[i],
               w = across ? sqrt(1.0 - 2.0 * zeta * zeta) : end;
        assert_near(scalar(made, "peak"), 1.0 / hypot(1.0 - w * w, 2.0 * zeta * w), 1e-6);
        am_run_free(made);
    }
}

/* A self-excited branch needs no range: one unit to both sides of its start, or as much as the start is large. */
static void a_range_that_is_not_given_is_the_documented_one(void **state) {
    (void)state;
    static const struct {
        const char *start, *given, *whole;
    } cases[] = {
        {"pattern: [1]", "", ", from: -0.85, to: 1.15"},
        {"pattern: [1], at: 0.2", "", ", from: -0.8, to: 1.2"},
        {"pattern: [1]", ", to: 0.2", ", from: -0.85, to: 0.2"},
        {"pattern: [1]", ", from: 0.1", ", from: 0.1, to: 1.15"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t hash[2];
        for (int whole = 0; whole < 2; whole++) {
            char text[512];
            snprintf(text, sizeof text,
                     "model: {kind: chain, count: 1, xi1: 0.15}\nanalysis: {kind: response, over: xi1, harmonics: 1, "
                     "stability: none, start: {%s}%s}\n",
                     cases[i].start, whole ? cases[i].whole : cases[i].given);
            am_run *made = run_text(text);
            hash[whole] = tables_hash(am_run_report(made)->result);
            am_run_free(made);
        }
        assert_true(hash[0] == hash[1]);
    }
}

/* Two coupled masses without friction: (K + i w C - w^2 M) z = f for a force f sin(w t), solved by Cramer's rule; the
 * motion Im(z exp(i w t)) has the cosine Im z and the sine Re z. */
static void harmonics_are_those_of_every_coordinate(void **state) {
    (void)state;
    const double m[2] = {1.0, 1.5}, k[3] = {2.0, 0.7, 1.2}, c[3] = {0.1, 0.03, 0.2}, w = 1.1, f[2] = {0.6, -0.4};
    char text[1024];
    snprintf(text, sizeof text,
             "model: {kind: structure, mass: [%g, %g], stiffness: [[%g, %g], [%g, %g]], damping: [[%g, %g], [%g, %g]], "
             "loads: [{direction: [%g, %g], sine: {amplitude: 1, frequency: %g}}]}\nanalysis: {kind: response, "
             "harmonics: 3, parity: all, stability: none}\n",
             m[0], m[1], k[0], k[1], k[1], k[2], c[0], c[1], c[1], c[2], f[0], f[1], w);
    double complex a = k[0] - w * w * m[0] + I * w * c[0], b = k[1] + I * w * c[1],
                   d = k[2] - w * w * m[1] + I * w * c[2], determinant = a * d - b * b;
    const double complex z[2] = {(f[0] * d - b * f[1]) / determinant, (a * f[1] - f[0] * b) / determinant};
    am_run *made = run_text(text);
    const am_table *table = table_in(made, "shape");
    assert_int_equal(am_table_rows(table), 4);
    for (size_t h = 0; h < 4; h++)
        for (size_t i = 0; i < 2; i++) {
            assert_near(am_table_number(table, h, 0), (double)h, 0.0);
            assert_near(am_table_number(table, h, 1 + 2 * i), h == 1 ? cimag(z[i]) : 0.0, 1e-12);
            assert_near(am_table_number(table, h, 2 + 2 * i), h == 1 ? creal(z[i]) : 0.0, 1e-12);
        }
    am_run_free(made);
}

/* The exact motion next to a balanced one: with many harmonics both have the same first one; of a structure that is
 * linear both are the closed form 1/|1 - w^2 + 2 i zeta w|, at other frequencies than 1 too. */
static void first_harmonics_of_exact_motions_are_those_of_many_harmonics(void **state) {
    (void)state;
    static const double cubic[] = {1e-12, 0.05};
    for (size_t i = 0; i < 2; i++)
        for (double w = 0.6; w < 2.0; w += 0.5) {
            char text[512];
            snprintf(text, sizeof text,
                     "model: {kind: structure, mass: [1], stiffness: [1], damping: [0.3], polynomials: [{direction: "
                     "[1], terms: [{coefficient: %g, displacement: 3}]}], loads: [{direction: [1], sine: {amplitude: "
                     "0.7, frequency: %g}}]}\nanalysis: {kind: response, harmonics: 9, stability: floquet}\n",
                     cubic[i], w);
            am_run *made = run_text(text);
            double peak = scalar(made, "peak"), exact = scalar(made, "peak_exact");
            assert_near(exact, peak, 1e-6 * peak); /* what eleventh harmonics do to the first */
            if (i == 0)
                assert_near(exact, 0.7 / hypot(1.0 - w * w, 0.3 * w), 1e-9);
            am_run_free(made);
        }
}

/* ---- march ---- */

/* Steps in which a contact changes its state: as many as the table tells apart by their times. */
static void events_of_fixed_steps_are_counted_as_they_are_listed(void **state) {
    (void)state;
    am_run *made = run_text("model: {kind: klarbring, stiffness: [[1, 0.5], [0.5, 2]], friction: 0.3, load: [0, -2], "
                            "loads: [{direction: [1, 0], sine: {amplitude: 2, frequency: 0.7}}]}\nanalysis: {kind: "
                            "march, until: 40, method: moreau-jean, step: 0.01}\n");
    const am_table *events = table_in(made, "events");
    size_t times = 0, listed = am_table_rows(events);
    for (size_t r = 0; r < listed; r++)
        times += r == 0 || cell(events, r, "t") != cell(events, r - 1, "t");
    assert_true(times > 5);
    assert_near(scalar(made, "events"), (double)times, 0.0);
    am_run_free(made);
}

/* A mass pressed down and pushed sideways by a force that grows: it sticks while friction holds, then slides with the
 * push. Without friction it never sticks. */
static void states_of_march_are_those_of_the_push(void **state) {
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2)
        for (int friction = 0; friction < 2; friction++) {
            char text[512];
            snprintf(text, sizeof text,
                     "model: {kind: structure, mass: [1, 1], stiffness: [[0.1, 0], [0, 1]], damping: [1, 1], contacts: "
                     "[{normal: [0, 1], tangent: [1, 0], friction: %g, law: kelvin-voigt, contact_stiffness: 100, "
                     "contact_damping: 20}], loads: [{direction: [0, 1], constant: -10}, {direction: [1, 0], ramp: "
                     "{rate: %d}}]}\nanalysis: {kind: march, until: 10, initial: {displacement: [0, "
                     "-0.0990099]}, samples: 11}\n",
                     0.5 * friction, sign);
            am_run *made = run_text(text);
            const am_table *samples = table_in(made, "samples");
            const char *moving = sign > 0 ? "forward" : "backward";
            for (size_t r = 1; r < 11; r++) { /* friction holds 0.5 N = 4.95: up to t = 4.95 */
                bool holds = friction && cell(samples, r, "t") < 4.9;
                assert_string_equal(word(samples, r, "state1"), holds ? "stick" : moving);
            }
            am_run_free(made);
        }
}

/* A mass pressed onto a stiff contact, in steps that are long against its period: Newton's method needs the contact's
 * stiffness. With damping the mass rests at the end, at force over stiffness. */
static void steps_that_are_long_against_a_stiff_contact_end_at_rest(void **state) {
    (void)state;
    for (int power = 3; power <= 7; power += 2) {
        char text[512];
        double stiffness = pow(10.0, power);
        snprintf(
            text, sizeof text,
            "model: {kind: structure, mass: [1, 1], stiffness: [1, 1], damping: [2, 2], contacts: [{normal: [0, 1], "
            "tangent: [1, 0], friction: 0, law: kelvin-voigt, contact_stiffness: %g, contact_damping: %g}], loads: "
            "[{direction: [0, 1], constant: -5}]}\nanalysis: {kind: march, until: 10, method: newmark, step: 0.02, "
            "samples: 2}\n",
            stiffness, 2.0 * sqrt(stiffness));
        am_run *made = run_text(text);
        const am_table *samples = table_in(made, "samples");
        assert_near(cell(samples, 1, "N1"), 5.0 * stiffness / (stiffness + 1.0), 1e-6);
        assert_near(cell(samples, 1, "q2"), -5.0 / (stiffness + 1.0), 1e-8);
        am_run_free(made);
    }
}

/* ---- orbit ---- */

/* The samples of a self-excited orbit begin at a maximum of the coordinate that moves fastest at the start. */
static void a_self_excited_orbit_begins_at_a_maximum(void **state) {
    (void)state;
    for (int large = 1; large <= 3; large++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "model: {kind: structure, mass: [1, 1, 1], stiffness: [[1.3, -0.1, 0], [-0.1, 1.7, -0.1], [0, -0.1, "
            "2.2]], damping: [0.05, 0.05, 0.05], polynomials: [{direction: [%d, %d, %d], terms: [{coefficient: "
            "-0.3, velocity: 1}, {coefficient: 0.3, velocity: 3}]}]}\nanalysis: {kind: orbit, samples: 201, initial: "
            "{velocity: [%d, %d, %d]}}\n",
            large == 1, large == 2, large == 3, large == 1, large == 2, large == 3);
        am_run *made = run_text(text);
        const am_table *samples = table_in(made, "samples");
        char name[8], rate[8];
        snprintf(name, sizeof name, "q%d", large);
        snprintf(rate, sizeof rate, "v%d", large);
        double most = -INFINITY;
        for (size_t r = 0; r < am_table_rows(samples); r++)
            most = fmax(most, cell(samples, r, name));
        assert_near(cell(samples, 0, rate), 0.0, 1e-10);
        assert_near(cell(samples, 0, name), most, 1e-10);
        for (int i = 1; i <= 3; i++) {
            char coordinate[8], upper[16], lower[16];
            double low = INFINITY, high = -INFINITY;
            snprintf(coordinate, sizeof coordinate, "q%d", i);
            snprintf(upper, sizeof upper, "q%d_max", i);
            snprintf(lower, sizeof lower, "q%d_min", i);
            for (size_t r = 0; r < am_table_rows(samples); r++) {
                low = fmin(low, cell(samples, r, coordinate));
                high = fmax(high, cell(samples, r, coordinate));
            }
            /* between two of 200 samples a sine rises by (pi/200)^2/2 of its amplitude */
            assert_true(scalar(made, upper) >= high - 1e-10 && scalar(made, upper) <= high + 2e-3 * (high - low));
            assert_true(scalar(made, lower) <= low + 1e-10 && scalar(made, lower) >= low - 2e-3 * (high - low));
        }
        am_run_free(made);
    }
}

/* ---- slip ---- */

/* The integral of a column of `tractions`, by the angle in x = -a cos(angle): shear like 1/sqrt of the distance from an
 * edge is smooth in it. */
static double total(const am_table *table, double a, const char *column) {
    const double pi = 3.14159265358979323846;
    double sum = 0.0, before = 0.0, value_before = 0.0;
    size_t rows_of = am_table_rows(table);
    for (size_t r = 0; r < rows_of; r++) {
        double angle = acos(-cell(table, r, "x") / a), value = cell(table, r, column) * a * sin(angle);
        sum += r == 0 ? value * angle : 0.5 * (value + value_before) * (angle - before);
        before = angle;
        value_before = value;
    }
    return sum + value_before * (pi - before);
}

/* Tractions carry P and Q, whether all sticks (Griffith's friction below its limit) or some slips. */
static void tractions_carry_the_load(void **state) {
    (void)state;
    static const char *const models[] = {"hertz, law: griffith, W: 0.3",
                                         "power, law: griffith, W: 0.3",
                                         "punch, alpha: 2, law: griffith, W: 0.3",
                                         "hertz",
                                         "power",
                                         "punch, alpha: 2"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (int part = 1; part <= 4; part++) {
            char text[512];
            snprintf(text, sizeof text, "model: {kind: %s}\nanalysis: {kind: slip, Q_over_fP: %g, samples: 1001}\n",
                     models[i], 0.05 * part * part);
            am_run *made = run_text(text);
            const am_table *table = table_in(made, "tractions");
            double a = scalar(made, "a"), Q = scalar(made, "Q"), P = scalar(made, "P");
            assert_near(total(table, a, "q"), Q, 2e-3 * Q); /* corners of the tractions at the edge of slip */
            assert_near(total(table, a, "p"), P, 2e-3 * P);
            am_run_free(made);
        }
}

/* What shows that a stuck zone sticks is measured in any unit of length. */
static void evidence_does_not_depend_on_the_unit_of_length(void **state) {
    (void)state;
    for (int power = -6; power <= 6; power += 3) {
        char text[256];
        snprintf(text, sizeof text, "model: {kind: hertz, R: %g, a: %g}\nanalysis: {kind: slip, Q_over_fP: 0.5}\n",
                 pow(10.0, power), 0.01 * pow(10.0, power));
        am_run *made = run_text(text);
        double stick = scalar(made, "stick_residual");
        assert_true(stick > 0.0 && stick < 1e-6); /* quadrature: never exactly zero */
        am_run_free(made);
    }
}

/* A punch is described by alpha = a/(2 f h); by boundary elements it comes back from f and h. */
static void alpha_of_a_punch_comes_back(void **state) {
    (void)state;
    static const double alpha[] = {2.0, 3.0}, f[] = {0.3, 0.7};
    for (size_t i = 0; i < 2; i++) {
        char text[256];
        snprintf(
            text, sizeof text,
            "model: {kind: punch, alpha: %g, f: %g, law: griffith, W: 0.01}\nanalysis: {kind: slip, Q_over_fP: 0.7, "
            "method: boundary-elements, nodes: 40}\n",
            alpha[i], f[i]);
        am_run *made = run_text(text);
        assert_near(scalar(made, "alpha"), alpha[i], 1e-12);
        am_run_free(made);
    }
}

/* ---- models ---- */

/* A support that shakes with b sin(w t) loads the mass with its inertia, m w^2 b sin(w t). */
static void a_shaken_support_loads_the_mass(void **state) {
    (void)state;
    am_study *study =
        read_text("model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 2, friction: 0.25, load: [0, "
                  "-1], support: {amplitude: [0.3, -0.2], frequency: 0.7}}\nanalysis: {kind: motion, until: "
                  "1}\n");
    const am_system *system = am_study_system(study);
    double force[2] = {0.0, 0.0};
    const double t = 1.3, amplitude[2] = {0.3, -0.2};
    for (size_t l = 0; l < am_system_loads(system); l++)
        for (size_t i = 0; i < 2; i++)
            force[i] +=
                am_system_load(system, l)->direction[i] * am_function_at(&am_system_load(system, l)->function, t);
    for (size_t i = 0; i < 2; i++)
        assert_near(force[i], 2.0 * 0.49 * amplitude[i] * sin(0.7 * t) - (i == 1 ? 1.0 : 0.0), 1e-14);
    am_study_free(study);
}

/* ---- atlas ---- */

/* Of `active` from the least to the greatest number of oscillators that move there is a row each, with its number. */
static void counts_of_an_atlas_are_numbered_by_what_moves(void **state) {
    (void)state;
    for (int least = 0; least <= 2; least++) {
        char text[256];
        snprintf(text, sizeof text,
                 "model: {kind: chain, count: 4, xi1: 0.15}\nanalysis: {kind: atlas, over: xi1, from: 0.01, to: 0.25, "
                 "active: [%d, 2], follow: none}\n",
                 least);
        am_run *made = run_text(text);
        const am_table *counts = table_in(made, "counts");
        assert_int_equal(am_table_rows(counts), 3 - least);
        for (size_t r = 0; r < am_table_rows(counts); r++)
            assert_near(am_table_number(counts, r, 0), (double)least + (double)r, 0.0);
        am_run_free(made);
    }
}

/* Branches that are said to meet have a branch point at the same place. */
static void connected_branches_share_a_branch_point(void **state) {
    (void)state;
    am_run *made = run_text("model: {kind: chain, count: 4, xi1: 0.15}\nanalysis: {kind: atlas, over: xi1, from: 0.01, "
                            "to: 0.25, at: 0.15, active: [1, 2], connect: true}\n");
    const am_table *connections = table_in(made, "connections"), *special = table_in(made, "special");
    size_t shared = 0;
    for (size_t r = 0; r < am_table_rows(connections); r++) {
        double with = cell(connections, r, "with"), xi = cell(connections, r, "xi1"), U = cell(connections, r, "U");
        bool found = isnan(with);
        for (size_t s = 0; s < am_table_rows(special); s++) /* located to 1e-4 of the range, shapes to a per cent */
            found = found ||
                    (cell(special, s, "branch") == with && strcmp(word(special, s, "kind"), "branch-point") == 0 &&
                     fabs(cell(special, s, "xi1") - xi) <= 1e-4 * 0.24 && fabs(cell(special, s, "U") - U) <= 0.03 * U);
        assert_true(found);
        shared += !isnan(with);
    }
    assert_true(shared > 3);
    am_run_free(made);
}

/* ---- cells ---- */

/* The periods of a step are those that are asked for, also where more of them would agree better. */
static void a_step_of_cells_takes_the_periods_given(void **state) {
    (void)state;
    for (int periods = 1; periods <= 3; periods++) {
        char text[256];
        snprintf(
            text, sizeof text,
            "model: {kind: oscillator, beta: 0.6, Omega: 0.3}\nanalysis: {kind: cells, periods: %d, box: {v: {from: "
            "-3, to: 3, count: 9}, v1: {from: -3, to: 3, count: 9}}}\n",
            periods);
        am_run *made = run_text(text);
        assert_near(scalar(made, "periods_per_step"), (double)periods, 0.0);
        am_run_free(made);
    }
}

/* ---- attractors ---- */

/* Where every start leads to one orbit, its last points on the section are the states of that orbit at the same phase.
 */
static void sections_hold_the_states_of_the_orbit(void **state) {
    (void)state;
    am_run *orbit = run_text("model: {kind: oscillator, beta: 0.6, Omega: 0.3}\nanalysis: {kind: orbit, samples: 2}\n");
    am_run *made = run_text("model: {kind: oscillator, beta: 0.6, Omega: 0.3}\nanalysis: {kind: attractors, starts: 5, "
                            "section: 3}\n");
    const am_table *samples = table_in(orbit, "samples"), *section = table_in(made, "section");
    assert_near(scalar(made, "orbits"), 1.0, 0.0);
    assert_int_equal(am_table_rows(section), 15);
    for (size_t r = 0; r < 15; r++) {
        assert_near(cell(section, r, "start"), 1.0 + (double)(r / 3), 0.0);
        assert_true(r % 3 == 0 || cell(section, r, "return") == cell(section, r - 1, "return") + 1.0);
        assert_near(cell(section, r, "v"), cell(samples, 0, "v"), 1e-6); /* joined starts stop so far from it */
        assert_near(cell(section, r, "v1"), cell(samples, 0, "vdot"), 1e-6);
    }
    am_run_free(made);
    am_run_free(orbit);
}

/* Two masses that know nothing of each other: each comes to the state it comes to alone. */
static void masses_without_coupling_end_as_each_alone(void **state) {
    (void)state;
    static const char one[] =
        "model: {kind: structure, mass: [1, 1], stiffness: [[1, 1], [1, 2]], contacts: [{normal: [0, 1], tangent: [1, "
        "0], friction: 1.25}], loads: [{direction: [0.745, 0.667], ramp: {rate: -1}}]}\nanalysis: {kind: attractors, "
        "starts: {v1: {from: -10, to: 10, count: 9}}}\n";
    static const char both[] =
        "model: {kind: structure, mass: [1, 1, 1, 1], stiffness: [[1, 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 1], [0, 0, 1, "
        "2]], contacts: [{normal: [0, 1, 0, 0], tangent: [1, 0, 0, 0], friction: 1.25}, {normal: [0, 0, 0, 1], "
        "tangent: [0, 0, 1, 0], friction: 1.25}], loads: [{direction: [0.745, 0.667, 0.745, 0.667], ramp: {rate: "
        "-1}}]}\nanalysis: {kind: attractors, starts: {v1: {from: -10, to: 10, count: 9}, v3: {from: -10, to: 10, "
        "count: "
        "9}}}\n";
    am_run *alone = run_text(one), *made = run_text(both);
    const am_table *single = table_in(alone, "map"), *pairs = table_in(made, "map");
    size_t count = am_table_rows(single), different = 0;
    assert_int_equal(am_table_rows(pairs), count * count);
    for (size_t r = 0; r < count * count; r++) {
        const char *states[2] = {"", ""};
        char expected[64];
        for (size_t s = 0; s < count; s++) {
            if (cell(pairs, r, "v1") == cell(single, s, "v1"))
                states[0] = word(single, s, "state");
            if (cell(pairs, r, "v3") == cell(single, s, "v1"))
                states[1] = word(single, s, "state");
        }
        snprintf(expected, sizeof expected, "%s,%s", states[0], states[1]);
        assert_string_equal(word(pairs, r, "state"), expected);
        different += strcmp(states[0], states[1]) != 0;
    }
    assert_true(different > 0);
    am_run_free(made);
    am_run_free(alone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_remember_where_nothing_slides),
        cmocka_unit_test(ends_of_a_branch_are_no_peaks),
        cmocka_unit_test(a_range_that_is_not_given_is_the_documented_one),
        cmocka_unit_test(first_harmonics_of_exact_motions_are_those_of_many_harmonics),
        cmocka_unit_test(harmonics_are_those_of_every_coordinate),
        cmocka_unit_test(events_of_fixed_steps_are_counted_as_they_are_listed),
        cmocka_unit_test(states_of_march_are_those_of_the_push),
        cmocka_unit_test(steps_that_are_long_against_a_stiff_contact_end_at_rest),
        cmocka_unit_test(a_self_excited_orbit_begins_at_a_maximum),
        cmocka_unit_test(tractions_carry_the_load),
        cmocka_unit_test(evidence_does_not_depend_on_the_unit_of_length),
        cmocka_unit_test(a_step_of_cells_takes_the_periods_given),
        cmocka_unit_test(alpha_of_a_punch_comes_back),
        cmocka_unit_test(a_shaken_support_loads_the_mass),
        cmocka_unit_test(sections_hold_the_states_of_the_orbit),
        cmocka_unit_test(masses_without_coupling_end_as_each_alone),
        cmocka_unit_test(connected_branches_share_a_branch_point),
        cmocka_unit_test(counts_of_an_atlas_are_numbered_by_what_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
