/* Every law of contact in `response`: the balance comes near to the exact motion with many harmonics, and the exact
 * motion next to it is the one that `orbit` finds by itself from rest, with the same multipliers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/output.h"
#include "cases.h"
#include "near.h"
#include "random_system.h"
#include "results.h"
#include "study_text.h"

static const double two_pi = 6.28318530717958647692;

typedef struct text {
    char bytes[4096];
    size_t length;
} text_sheet;

static void add(text_sheet *t, const char *format, ...) {
    va_list list;
    va_start(list, format);
    t->length += (size_t)vsnprintf(t->bytes + t->length, sizeof t->bytes - t->length, format, list);
    va_end(list);
    assert_true(t->length < sizeof t->bytes);
}

/* Two masses; the second presses the contact of the first, where it is pressed at all. */
static void add_structure(text_sheet *t, random_source *source, bool circulatory) {
    double coupling = random_between(source, 0.1, 0.4), around = random_between(source, 0.02, 0.05);
    add(t, "title: t\nmodel:\n  kind: structure\n  mass: [%.6g, %.6g]\n", random_between(source, 0.7, 1.4),
        random_between(source, 0.7, 1.4));
    add(t, "  stiffness: [[%.6g, %.6g], [%.6g, %.6g]]\n", random_between(source, 0.8, 1.6) + coupling, -coupling,
        -coupling, random_between(source, 0.8, 1.6) + coupling);
    add(t, "  damping: [%.6g, %.6g]\n", random_between(source, 0.05, 0.15), random_between(source, 0.2, 0.3));
    if (circulatory)
        add(t, "  circulatory: [[0, %.6g], [%.6g, 0]]\n", around, -around);
    add(t, "  Omega: %.6g\n", random_between(source, 0.7, 1.5));
    add(t, "  loads:\n    - {direction: [1, 0], sine: {amplitude: %.6g, multiple: 1}}\n",
        random_between(source, 0.5, 1.0));
    add(t, "    - {direction: [0, 1], sine: {amplitude: %.6g, multiple: 1, phase: %.6g}}\n",
        random_between(source, 0.1, 0.5), random_between(source, 0.0, 6.0));
}

/* One law: its contact in a study. */
typedef struct law_case {
    const char *name;
    void (*contact)(text_sheet *t, random_source *source);
    bool circulatory;
    double pressed;                                          /* a constant load that presses the second mass */
    void (*in_time)(text_sheet *t, random_source *source);   /* what `orbit` calls it; NULL: the same */
    void (*structure)(text_sheet *t, random_source *source); /* further lines of the model */
    double repeats; /* how well `orbit` itself repeats a multiplier from other starts; 0: both close to 1e-12 */
} law_case;

static void held(text_sheet *t, random_source *source) {
    add(t, "tangent: [1, 0], law: held, hold: {constant: %.6g}", random_between(source, 0.8, 1.5));
}

static void slider(text_sheet *t, random_source *source) {
    held(t, source);
    add(t, ", tangential_stiffness: %.6g, friction: %.6g", random_between(source, 0.5, 2.0),
        random_between(source, 0.2, 0.5));
}

static void rigid_friction(text_sheet *t, random_source *source) {
    held(t, source);
    add(t, ", friction: %.6g", random_between(source, 0.1, 0.4));
}

static void regularised_friction(text_sheet *t, random_source *source) {
    held(t, source);
    double friction = random_between(source, 0.1, 0.4);
    add(t, ", friction: %.6g, regularisation: %.6g", friction, random_between(source, 0.05, 0.2));
}

static void regularised_in_time(text_sheet *t, random_source *source) {
    held(t, source);
    double friction = random_between(source, 0.1, 0.4);
    add(t, ", friction: {law: table, velocity: [0, %.6g], values: [0, %.6g]}", random_between(source, 0.05, 0.2),
        friction);
}

static void pressed(text_sheet *t, random_source *source, const char *law) {
    add(t, "tangent: [1, 0], normal: [0, -1], law: %s, gap: %.6g, contact_stiffness: %.6g", law,
        random_between(source, -0.1, 0.1), random_between(source, 1.0, 3.0));
}

/* k_t, k_n and mu, with lift-off. */
static void contact_element(text_sheet *t, random_source *source) {
    pressed(t, source, "spring");
    add(t, ", tangential_stiffness: %.6g, friction: %.6g", random_between(source, 0.5, 2.0),
        random_between(source, 0.2, 0.6));
}

static void damped_element(text_sheet *t, random_source *source) {
    pressed(t, source, "kelvin-voigt");
    add(t, ", contact_damping: %.6g, tangential_stiffness: %.6g, friction: %.6g", random_between(source, 0.1, 0.3),
        random_between(source, 0.5, 2.0), random_between(source, 0.2, 0.6));
}

static void stop(text_sheet *t, random_source *source) {
    add(t, "normal: [-1, 0], law: spring, gap: %.6g, contact_stiffness: %.6g", random_between(source, 0.0, 0.3),
        random_between(source, 1.0, 3.0));
}

static void layer_of_power(text_sheet *t, random_source *source) {
    pressed(t, source, "hunt-crossley");
    add(t, ", contact_exponent: %.6g, contact_dissipation: %.6g", random_chance(source, 0.5) ? 1.5 : 2.0,
        random_between(source, 0.0, 0.2));
}

/* Hertz' contact as a stop. */
static void power_stop(text_sheet *t, random_source *source) {
    add(t, "normal: [-1, 0], law: power, contact_exponent: 1.5, gap: %.6g, contact_stiffness: %.6g",
        random_between(source, 0.0, 0.3), random_between(source, 1.0, 3.0));
}

static void frictionless_layer(text_sheet *t, random_source *source) {
    layer_of_power(t, source);
    add(t, ", friction: 0");
}

static void rigid_on_power(text_sheet *t, random_source *source) {
    layer_of_power(t, source);
    add(t, ", friction: %.6g", random_between(source, 0.1, 0.3));
}

static void stribeck(text_sheet *t, random_source *source) {
    held(t, source);
    double kinetic = random_between(source, 0.1, 0.2);
    add(t, ", friction: {law: stribeck, static: %.6g, kinetic: %.6g, velocity: %.6g, exponent: %.6g, viscous: %.6g}",
        kinetic + random_between(source, 0.0, 0.1), kinetic, random_between(source, 0.2, 0.6),
        random_between(source, 1.0, 2.0), random_between(source, 0.0, 0.1));
}

static void friction_table(text_sheet *t, random_source *source) {
    held(t, source);
    add(t, ", friction: {law: table, velocity: [0, %.6g, %.6g], values: [%.6g, %.6g, %.6g]}",
        random_between(source, 0.1, 0.2), random_between(source, 0.3, 0.5), random_between(source, 0.2, 0.3),
        random_between(source, 0.15, 0.2), random_between(source, 0.1, 0.3));
}

static void hyperbolic_on_layer(text_sheet *t, random_source *source) {
    pressed(t, source, "spring");
    add(t, ", friction: {law: hyperbolic, static: %.6g, kinetic: %.6g, velocity: %.6g}",
        random_between(source, 0.25, 0.3), random_between(source, 0.1, 0.2), random_between(source, 0.2, 0.6));
}

static void smooth_tanh(text_sheet *t, random_source *source) {
    held(t, source);
    add(t, ", friction: {law: tanh, friction: %.6g, velocity: %.6g}", random_between(source, 0.2, 0.4),
        random_between(source, 0.05, 0.2));
}

static void add_dahl(text_sheet *t, random_source *source) {
    add(t, ", friction: {law: dahl, stiffness: %.6g, friction: %.6g}", random_between(source, 1.0, 4.0),
        random_between(source, 0.2, 0.4));
}

static void dahl(text_sheet *t, random_source *source) {
    held(t, source);
    add_dahl(t, source);
}

static void add_lugre(text_sheet *t, random_source *source) {
    double kinetic = random_between(source, 0.15, 0.25);
    add(t,
        ", friction: {law: lugre, sigma0: %.6g, sigma1: %.6g, sigma2: %.6g, static: %.6g, kinetic: %.6g, "
        "velocity: %.6g}",
        random_between(source, 2.0, 8.0), random_between(source, 0.0, 0.3), random_between(source, 0.0, 0.1),
        kinetic + random_between(source, 0.0, 0.1), kinetic, random_between(source, 0.1, 0.5));
}

static void lugre(text_sheet *t, random_source *source) {
    held(t, source);
    add_lugre(t, source);
}

static void lugre_on_layer(text_sheet *t, random_source *source) {
    pressed(t, source, "spring");
    add_lugre(t, source);
}

static void bouc_wen(text_sheet *t, random_source *source) {
    held(t, source);
    add(t, ", friction: {law: bouc-wen, stiffness: %.6g, A: 1, beta: %.6g, gamma: %.6g, n: %d}",
        random_between(source, 0.5, 2.0), random_between(source, 1.0, 2.0), random_between(source, -0.5, 0.5),
        random_chance(source, 0.5) ? 1 : 2);
}

/* ---- sliders behind springs that have no closed form ---- */

static void plane(text_sheet *t, random_source *source) {
    add(t, "tangents: [[1, 0], [0.2, 1]], law: held, hold: {constant: %.6g}", random_between(source, 0.8, 1.5));
    add(t, ", tangential_stiffness: %.6g, friction: %.6g", random_between(source, 0.5, 2.0),
        random_between(source, 0.1, 0.4));
}

static void pressed_plane(text_sheet *t, random_source *source) {
    add(t, "tangents: [[1, 0], [0.3, 0.6]], normal: [0, -1], law: kelvin-voigt, contact_damping: %.6g, ",
        random_chance(source, 0.5) ? 0.0 : random_between(source, 0.0, 0.2));
    add(t, "contact_stiffness: %.6g, tangential_stiffness: %.6g, friction: %.6g", random_between(source, 1.0, 3.0),
        random_between(source, 0.5, 2.0), random_between(source, 0.2, 0.6));
}

static void dropping_slider(text_sheet *t, random_source *source) {
    held(t, source);
    double kinetic = random_between(source, 0.15, 0.3);
    add(t, ", tangential_stiffness: %.6g, friction: %.6g, static_friction: %.6g", random_between(source, 0.5, 2.0),
        kinetic, kinetic * random_between(source, 1.0, 1.4));
}

/* The orbit, which begins where nothing has slipped yet, wears it down. */
static void weakening(text_sheet *t, random_source *source) {
    held(t, source);
    double kinetic = random_between(source, 0.05, 0.2);
    add(t, ", friction: %.6g, static_friction: %.6g, weakening: {law: ramp, length: %.6g}", kinetic,
        kinetic * random_between(source, 1.0, 1.5) + 0.01, random_between(source, 0.1, 0.5));
}

static void stribeck_slider(text_sheet *t, random_source *source) {
    stribeck(t, source);
    add(t, ", tangential_stiffness: %.6g", random_between(source, 0.5, 2.0));
}

static void slider_on_power(text_sheet *t, random_source *source) {
    rigid_on_power(t, source);
    add(t, ", tangential_stiffness: %.6g", random_between(source, 0.5, 2.0));
}

static void slider_on_belt(text_sheet *t, random_source *source) {
    slider(t, source);
    add(t, ", surface_velocity: %.6g", random_between(source, 0.1, 0.6));
}

/* ---- what varies in time ---- */

static void moving_surface(text_sheet *t, random_source *source, double mean) {
    add(t, ", surface_velocity: {constant: %.6g, sine: [{amplitude: %.6g, multiple: 1, phase: %.6g}", mean,
        random_between(source, 0.2, 0.6), random_between(source, 0.0, 6.0));
    add(t, ", {amplitude: %.6g, multiple: 3}]}", random_between(source, 0.0, 0.2));
}

static void slider_on_surface(text_sheet *t, random_source *source) {
    slider(t, source);
    moving_surface(t, source, 0.0);
}

static void element_on_surface(text_sheet *t, random_source *source) {
    contact_element(t, source);
    moving_surface(t, source, 0.0);
}

static void rigid_on_surface(text_sheet *t, random_source *source) {
    rigid_friction(t, source);
    moving_surface(t, source, random_between(source, 0.0, 0.3));
}

static void stribeck_on_surface(text_sheet *t, random_source *source) {
    stribeck(t, source);
    moving_surface(t, source, random_between(source, 0.0, 0.3));
}

static void lugre_on_surface(text_sheet *t, random_source *source) {
    lugre(t, source);
    moving_surface(t, source, random_between(source, 0.0, 0.3));
}

/* A stiffness that varies at twice the frequency of the loads, and one at the same. */
static void varying_stiffness(text_sheet *t, random_source *source) {
    add(t, "  varying_stiffness:\n    - {direction: [1, -1], sine: {amplitude: %.6g, multiple: 2, phase: %.6g}}\n",
        random_between(source, 0.05, 0.2), random_between(source, 0.0, 6.0));
    add(t, "    - {direction: [0, 1], sine: {amplitude: %.6g, multiple: 1}}\n", random_between(source, 0.0, 0.1));
}

static const law_case laws[] = {
    {.name = "slider behind a spring", .contact = slider},
    {.name = "slider, circulatory forces", .contact = slider, .circulatory = true},
    {.name = "rigid friction", .contact = rigid_friction},
    {.name = "regularised friction", .contact = regularised_friction, .in_time = regularised_in_time},
    {.name = "contact element with lift-off", .contact = contact_element, .pressed = 0.3},
    {.name = "contact element that damps", .contact = damped_element, .pressed = 0.3},
    {.name = "stop without friction", .contact = stop},
    {.name = "Hertz' stop", .contact = power_stop},
    {.name = "hunt-crossley", .contact = frictionless_layer, .pressed = 0.3},
    {.name = "rigid friction on hunt-crossley", .contact = rigid_on_power, .pressed = 0.3},
    {.name = "stribeck", .contact = stribeck},
    {.name = "table of friction", .contact = friction_table},
    {.name = "hyperbolic friction on a layer", .contact = hyperbolic_on_layer, .pressed = 0.3},
    {.name = "tanh", .contact = smooth_tanh},
    {.name = "dahl", .contact = dahl},
    {.name = "lugre", .contact = lugre},
    {.name = "bouc-wen", .contact = bouc_wen},
    {.name = "lugre on a layer", .contact = lugre_on_layer, .pressed = 4.0},
    {.name = "slider on a surface that moves", .contact = slider_on_surface},
    {.name = "contact element on a surface that moves", .contact = element_on_surface, .pressed = 0.3},
    {.name = "rigid friction on a surface that moves", .contact = rigid_on_surface},
    {.name = "stribeck on a surface that moves", .contact = stribeck_on_surface},
    {.name = "lugre on a surface that moves", .contact = lugre_on_surface},
    {.name = "slider in a plane", .contact = plane, .repeats = 5e-7},
    {.name = "contact element in a plane", .contact = pressed_plane, .pressed = 0.4, .repeats = 1e-3},
    {.name = "slider whose friction drops", .contact = dropping_slider},
    {.name = "slider on a belt", .contact = slider_on_belt},
    {.name = "stribeck behind a spring", .contact = stribeck_slider},
    {.name = "slider on hunt-crossley", .contact = slider_on_power, .pressed = 0.3},
    {.name = "friction that weakens with slip", .contact = weakening},
    {.name = "slider, stiffness that varies", .contact = slider, .structure = varying_stiffness},
    {.name = "stop, stiffness that varies", .contact = stop, .structure = varying_stiffness},
};

/* The amplitude of the first harmonic of one coordinate in a table of samples over one period. */
static double first_harmonic(const am_table *samples, const char *column, double period) {
    double c = 0.0, s = 0.0;
    size_t count = am_table_rows(samples) - 1; /* the last one is the first again */
    for (size_t i = 0; i < count; i++) {
        double angle = two_pi * cell(samples, i, "t") / period, q = cell(samples, i, column);
        c += q * cos(angle);
        s += q * sin(angle);
    }
    return 2.0 / (double)count * hypot(c, s);
}

static const am_table *table_in(const am_run *made, const char *name) {
    return table_of(am_run_report(made)->result, name);
}

static text_sheet write_study(const law_case *law, uint64_t seed, bool in_time, const char *analysis) {
    random_source source = random_seed(seed);
    text_sheet t = {0};
    add_structure(&t, &source, law->circulatory);
    if (law->pressed > 0.0)
        add(&t, "    - {direction: [0, 1], constant: %.6g}\n", law->pressed);
    add(&t, "  contacts:\n    - {");
    (in_time && law->in_time ? law->in_time : law->contact)(&t, &source);
    add(&t, "}\n");
    if (law->structure)
        law->structure(&t, &source);
    add(&t, "analysis: {%s}\n", analysis);
    return t;
}

/* True if there was a motion of the loads' period to compare. */
static bool compare(const law_case *law, uint64_t seed) {
    text_sheet study =
        write_study(law, seed, true, "kind: orbit, samples: 4001, initial: {displacement: [0, 1], velocity: [0.1, 0]}");
    am_run *exact = run_text(study.bytes);
    /* Where a slider sticks the past decides its place, and a stiffness that varies carries that into the harmonics. */
    bool undecided = law->structure && scalar(exact, "family") > 0.0;
    if (scalar(exact, "returns") != 1.0 || undecided) {
        am_run_free(exact);
        return false;
    }
    study = write_study(law, seed, false, "kind: response, harmonics: 21, stability: floquet");
    am_run *balanced = run_text(study.bytes);
    double amplitude = fmax(first_harmonic(table_in(exact, "samples"), "q1", scalar(exact, "period")),
                            first_harmonic(table_in(exact, "samples"), "q2", scalar(exact, "period")));
    /* Sums over samples of a motion whose acceleration jumps are off by about their number to the power of -3. An orbit
     * that was followed until it repeats, which is all that `orbit` has where sliders in a plane lift off, is so far from
     * closed as it says. */
    double closing = scalar(exact, "closing_error"), off = 1e-9 + (closing > 1e-11 ? 10.0 * closing : 0.0);
    assert_near(scalar(balanced, "peak_exact"), amplitude, off * amplitude);
    /* One set of harmonics more is not all of them (docs/response.md, section 2): it tells the error to its order. */
    assert_near(scalar(balanced, "peak"), amplitude, (10.0 * scalar(balanced, "truncation") + off) * amplitude);
    assert_near(cell(table_in(balanced, "branch"), 0, "multiplier"), scalar(exact, "multiplier"),
                fmax(1e-9, law->repeats));
    am_run_free(exact);
    am_run_free(balanced);
    return true;
}

static void forced_amplitudes_and_multipliers_are_those_of_orbit(void **state) {
    (void)state;
    enum { LAWS = sizeof laws / sizeof *laws };
    for (size_t law = 0; law < LAWS; law++) {
        size_t compared = 0, cases = CASES(2, 1);
        for (size_t seed = 0; seed < cases; seed++)
            compared += compare(&laws[law], 100 * law + seed);
        if (2 * compared < cases)
            fail_msg("%s: only %zu motions to compare", laws[law].name, compared);
    }
}

/* The contact element of the gallery, which opens and closes at every turn: Newton's method finds no balance from rest,
 * and the motion that sets in by itself is a start. */
static void a_motion_in_time_starts_what_newton_does_not(void **state) {
    (void)state;
    static const char model[] =
        "title: t\nmodel:\n  kind: structure\n  mass: [1, 1]\n  damping: [0.1, 0.1]\n"
        "  stiffness: [[2, 0.3], [0.3, 3]]\n  contacts:\n"
        "    - {normal: [0, 1], tangent: [1, 0], law: spring, contact_stiffness: 10,\n"
        "       tangential_stiffness: 5, friction: 0.4}\n  loads:\n"
        "    - {direction: [1, 0], sine: {amplitude: 2, frequency: 0.9}}\n"
        "    - {direction: [0, 1], sine: {amplitude: 3, frequency: 0.9, phase: 0.7, value: -0.8}}\n";
    text_sheet balance = {.length = 0}, orbit = {.length = 0};
    add(&balance, "%sanalysis: {kind: response, coordinate: q1, harmonics: 31}\n", model);
    add(&orbit, "%sanalysis: {kind: orbit, samples: 0}\n", model);
    am_run *balanced = run_text(balance.bytes), *exact = run_text(orbit.bytes);
    assert_near(cell(table_in(balanced, "branch"), 0, "multiplier"), scalar(exact, "multiplier"), 1e-9);
    assert_near(scalar(balanced, "peak"), scalar(balanced, "peak_exact"), 1e-4 * scalar(balanced, "peak"));
    am_run_free(exact);
    am_run_free(balanced);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forced_amplitudes_and_multipliers_are_those_of_orbit),
        cmocka_unit_test(a_motion_in_time_starts_what_newton_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
