/* The guards of the readers: each limit of a study's fields is asked from both sides. What is just allowed is read, and
 * what is just not is refused, where it stands and with words that say what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/study.h"
#include "base/text.h"
#include "study/analyses.h"
#include "study/models.h"
#include "study/schema.h"

#define KLARBRING "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 1.25, load_rate: bisector}\n"
#define OSCILLATOR "model: {kind: oscillator, beta: 0.6, Omega: 0.3}\n"
#define GRIFFIN "model: {kind: griffin, k_ratio: 1.5, zeta: 0.1, beta: 0.6, Omega: 1.2}\n"
#define CHAIN "model: {kind: chain, count: 4, xi1: 0.15}\n"
#define TWO_MODE "model: {kind: two-mode, Delta: 1}\n"

/* Refused with these words; accepted where there are none. */
typedef struct guard {
    const char *text, *words;
} guard;

static void check_guards(const guard *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        am_error err = {0};
        am_study *study = am_study_parse("test.yaml", cases[i].text, 0, NULL, false, &err);
        if (study && cases[i].words)
            fail_msg("accepted:\n%s", cases[i].text);
        if (!study && !cases[i].words)
            fail_msg("refused:\n%s\n%s", cases[i].text, err.message);
        if (!study && !strstr(err.message, cases[i].words))
            fail_msg("of\n%s\nit says '%s', not '%s'", cases[i].text, err.message, cases[i].words);
        if (!study && strncmp(err.message, "test.yaml:", 10) != 0)
            fail_msg("of\n%s\nit does not say where: '%s'", cases[i].text, err.message);
        if (!study)
            assert_int_equal(err.status, AM_ERR_INPUT);
        am_study_free(study);
    }
}

#define CHECK_GUARDS(cases) check_guards(cases, sizeof(cases) / sizeof(cases)[0])

/* ---- Analyses ---- */

#define STARTS(text) KLARBRING "analysis: {kind: attractors, starts: " text "}\n"

static void starts_of_attractors_are_bounded(void **state) {
    (void)state;
    static const guard cases[] = {
        {STARTS("{v1: {from: 0, to: 1, count: 1}}"), NULL},
        {STARTS("{v1: {from: 0, to: 1, count: 0}}"), "test.yaml:2:67: count must lie between 1 and 1000000"},
        {STARTS("{v1: {from: 0, to: 1, count: 1000000}}"), NULL},
        {STARTS("{v1: {from: 0, to: 1, count: 1000001}}"), "test.yaml:2:67: count must lie between 1 and 1000000"},
        {STARTS("{v1: {from: 0, to: 1, count: 10000}, v2: {from: 0, to: 1, count: 10000}}"), NULL},
        {STARTS("{v1: {from: 0, to: 1, count: 10000}, v2: {from: 0, to: 1, count: 10001}}"),
         "starts are too many: 100010000; at most 1e8"},
        {STARTS("{u1: {from: 0}, u2: {from: 0}, v1: {from: 0}, v2: {from: 0}}"), NULL},
        {STARTS("{v0: {from: 0}}"), "unknown coordinate 'v0' in starts"},
        {STARTS("{v3: {from: 0}}"), "unknown coordinate 'v3' in starts; did you mean 'v1'? known coordinates: u1, u2, "
                                    "v1, v2"},
        {STARTS("{v1x: {from: 0}}"), "unknown coordinate 'v1x' in starts"},
        {STARTS("{w1: {from: 0}}"), "unknown coordinate 'w1' in starts"},
        {STARTS("{along: {from: 0, to: 1, count: 2, direction: {velocity: [0, 1]}}}"), NULL},
        {STARTS("{along: {from: 0, to: 1, count: 2, direction: {displacement: [0, 1]}}}"), NULL},
        {STARTS("{along: {from: 0, to: 1, count: 2, direction: {velocity: [0, 0]}}}"),
         "a direction of starts must not be zero"},
        {STARTS("{v1: {from: 0, to: 1, count: 2, direction: {velocity: [0, 1]}}}"),
         "an axis with a direction needs a name of its own: v1 is a coordinate or velocity"},
        {STARTS("{u2: {from: 0, to: 1, count: 2, direction: {velocity: [0, 1]}}}"),
         "an axis with a direction needs a name of its own: u2 is a coordinate or velocity"},
        {STARTS("{settled: {from: 0, to: 1, count: 2, direction: {velocity: [0, 1]}}}"),
         "an axis with a direction needs a name of its own: settled is a column of the map"},
        {STARTS("{lyapunov_error: {from: 0, to: 1, count: 2, direction: {velocity: [0, 1]}}}"),
         "an axis with a direction needs a name of its own: lyapunov_error is a column of the map"},
        {STARTS("1"), NULL},
        {STARTS("0"), "count must lie between 1 and 100000000"},
        {STARTS("{count: 100000000}"), NULL},
        {STARTS("{count: 100000001}"), "count must lie between 1 and 100000000"},
        {STARTS("{count: 5, box: {v1: [-1, 1], u2: [0, 0]}}"), NULL},
        {STARTS("{count: 5, box: {v1: [1, -1]}}"),
         "a side of the box goes from its lowest to its highest value, not from 1 to -1"},
        {STARTS("{count: 5, box: {v7: [-1, 1]}}"), "unknown coordinate 'v7' in starts"},
    };
    CHECK_GUARDS(cases);
}

#define BOX(model, text) model "analysis: {kind: cells, box: {" text "}}\n"
#define SIDES "v: {from: -3, to: 3, count: 7}, v1: {from: -3, to: 3, count: 7}"

static void boxes_of_cells_are_bounded(void **state) {
    (void)state;
    static const guard cases[] = {
        {BOX(OSCILLATOR, SIDES), NULL},
        {BOX(GRIFFIN, SIDES ", stretch1: {from: -1, to: 1, count: 5}"), NULL},
        {BOX(KLARBRING, SIDES), "cells are for two or three state variables; this structure has 4 (use attractors)"},
        {BOX(GRIFFIN, SIDES), "the box needs one axis for each of the 3 state variables, not 2"},
        {BOX(OSCILLATOR, "v: {from: -3, to: 3, count: 7}"),
         "the box needs one axis for each of the 2 state variables, not 1"},
        {BOX(OSCILLATOR, "v: {from: -3, to: 3, count: 7}, v2: {from: -3, to: 3, count: 7}"),
         "unknown state variable 'v2' in box; did you mean 'v'? known state variables: v, v1"},
        {BOX(OSCILLATOR, "v: {from: 3, to: 3, count: 7}, v1: {from: -3, to: 3, count: 7}"),
         "to must be larger than from (3), not 3"},
        {BOX(OSCILLATOR, "v: {from: -3, to: 3, count: 1}, v1: {from: -3, to: 3, count: 7}"), NULL},
        {BOX(OSCILLATOR, "v: {from: -3, to: 3, count: 0}, v1: {from: -3, to: 3, count: 7}"),
         "count must lie between 1 and"},
        {BOX(OSCILLATOR, "v: {from: -3, to: 3, count: 1000000000}, v1: {from: -3, to: 3, count: 7}"),
         "count must lie between 1 and"},
        {BOX(OSCILLATOR, "v: {from: -3, to: 3, count: 20000}, v1: {from: -3, to: 3, count: 20000}"),
         "4e+08 cells are too many; at most"},
    };
    CHECK_GUARDS(cases);
}

#define ATLAS(text) CHAIN "analysis: {kind: atlas, over: xi1, from: 0.01, to: 0.25, " text "}\n"

static void an_atlas_is_made_inside_its_range(void **state) {
    (void)state;
    static const guard cases[] = {
        {ATLAS("at: 0.1"), NULL},
        {ATLAS("at: 0.25"), "test.yaml:2:62: an atlas is made at a value of xi1 inside its range, from 0.01 to 0.25, "
                            "and 0.25 is not there"},
        {ATLAS("at: 0.01"), "and 0.01 is not there"},
        {ATLAS("active: [0, 4]"), NULL},
        {ATLAS("active: [2, 2]"), NULL},
        {ATLAS("active: [3, 2]"), "the least number of oscillators that move, 3, is above the greatest, 2"},
        {ATLAS("active: [-1, 2]"), "active must be two whole numbers"},
        {ATLAS("active: [1, 2.5]"), "active must be two whole numbers"},
        {CHAIN "analysis: {kind: atlas, over: xi1, from: 0.25, to: 0.01}\n", NULL}, /* downwards, at the model's own */
        {CHAIN "analysis: {kind: atlas, over: xi1, from: 0.2, to: 0.25}\n", "and 0.15 is not there"},
        {CHAIN "analysis: {kind: atlas, over: xi1, from: 0.2, to: 0.2}\n", "from and to are the same"},
    };
    CHECK_GUARDS(cases);
}

#define DESIGN(text) GRIFFIN "analysis: {kind: design, over: beta, from: 0.1, to: 12, " text "}\n"
#define BAND "frequency: Omega, frequency_from: 0.5, frequency_to: 2"

static void ranges_of_design_are_ranges(void **state) {
    (void)state;
    static const guard cases[] = {
        {DESIGN(BAND), NULL},
        {DESIGN(BAND ", checks: 2"), NULL},
        {DESIGN(BAND ", checks: 1"), "peaks are searched at both ends at least: expected 2 checks or more"},
        {DESIGN("frequency: Omega, frequency_from: 2, frequency_to: 2"),
         "frequency_from and frequency_to are the same"},
        {DESIGN("frequency: beta, frequency_from: 1, frequency_to: 2"),
         "over and frequency are the same number of the model"},
        {DESIGN("frequency: Omega, frequency_from: -0.5, frequency_to: 2"), "Omega"},
        {DESIGN("frequency: Omega, frequency_from: 0.5, frequency_to: -2"), "Omega"},
        {DESIGN(BAND ", against: {zeta: 0.2}"), NULL},
        {DESIGN(BAND ", against: {}"), "against must be a mapping of numbers of the model"},
        {DESIGN(BAND ", against: 3"), "against must be a mapping of numbers of the model"},
        {DESIGN(BAND ", against: {beta: 1}"), "beta varies: what is compared with has the same values of it"},
        {DESIGN(BAND ", against: {model.Omega: 1}"), "model.Omega varies"},
        {DESIGN(BAND ", against: {k_ratio: -2}"), "k_ratio"},
        {GRIFFIN "analysis: {kind: design, over: beta, from: 3, to: 3, " BAND "}\n", "from and to are the same"},
        {GRIFFIN "analysis: {kind: design, over: nothing, from: 1, to: 3, " BAND "}\n",
         "test.yaml:2:32: unknown key 'nothing'"},
    };
    CHECK_GUARDS(cases);
}

#define ORBIT(text) OSCILLATOR "analysis: {kind: orbit, " text "}\n"
#define PATH(text) KLARBRING "analysis: {kind: path, " text "}\n"
#define SINE                                                                                                           \
    "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load: [0, -1], loads: [{direction: [1, "    \
    "0], sine: {amplitude: 0.1, frequency: 1}}]}\n"

static void orbits_and_paths_say_when_they_end(void **state) {
    (void)state;
    static const guard cases[] = {
        {ORBIT("most_period: 1"), NULL},
        {ORBIT("most_period: 0"), "most_period must lie between 1 and 1000000, not 0"},
        {ORBIT("most_period: 1000000"), NULL},
        {ORBIT("most_period: 1000001"), "most_period must lie between 1 and 1000000, not 1000001"},
        {ORBIT("initial: {displacement: [0]}"), NULL},
        {ORBIT("initial: {displacement: [0, 0]}"), "displacement"},
        {PATH("until: 1"), NULL},
        {PATH("samples: 5"), "a path needs `until`, the time at which it ends, or `cycles` of a periodic load"},
        {PATH("until: 1, start: [0]"), NULL},
        {PATH("until: 1, start: [0, 0]"), "start must have one position per contact: 1, not 2"},
        {PATH("until: 1, start: [0], initial: {displacement: [0, 0]}"),
         "positions in `start` and displacements in `initial` both say where the path begins"},
        {PATH("until: 1, start: [stick]"), NULL},
        {PATH("until: 1, start: [stuck]"), "start cannot be 'stuck'; did you mean 'stick'?"},
        {SINE "analysis: {kind: path, cycles: 1}\n", NULL},
        {SINE "analysis: {kind: path, cycles: until-repeat}\n", NULL},
        {SINE "analysis: {kind: path, cycles: 0}\n", "cycles must be at least 1, or until-repeat"},
        {SINE "analysis: {kind: path, cycles: 1.5}\n", "cycles must be a whole number"},
        {SINE "analysis: {kind: path, cycles: many}\n", "cycles must be a number of cycles, or until-repeat"},
        {SINE "analysis: {kind: path, cycles: 1, until: 3}\n", "`until` and `cycles` both say when the path ends"},
    };
    CHECK_GUARDS(cases);
}

#define RESPONSE(text) GRIFFIN "analysis: {kind: response, " text "}\n"
#define OVER "over: Omega, from: 0.6, to: 1.8"
#define PATTERN(text) CHAIN "analysis: {kind: response, over: xi1, start: {pattern: " text "}}\n"

static void responses_have_a_range_and_a_beginning(void **state) {
    (void)state;
    static const guard cases[] = {
        {RESPONSE(OVER), NULL},
        {RESPONSE("over: Omega"), "a response over Omega needs its range: from and to"},
        {RESPONSE("over: Omega, to: 1"), "a response over Omega needs its range: from and to"},
        {RESPONSE("over: Omega, from: 1"), "a response over Omega needs its range: from and to"},
        {RESPONSE("over: Omega, from: 1, to: 1"), "from and to are the same"},
        {RESPONSE("over: Omega, from: -1, to: 1"), "Omega"},
        {RESPONSE("over: Omega, from: 1, to: -1"), "Omega"},
        {RESPONSE("harmonics: 3"), NULL},
        {RESPONSE("from: 1"), "from needs `over:`, the number of the model that varies"},
        {RESPONSE("to: 1"), "to needs `over:`"},
        {RESPONSE("values: [1]"), "values needs `over:`"},
        {RESPONSE("largest_step: 0.1"), "largest_step needs `over:`"},
        {RESPONSE("isolas: {count: 3}"), "isolas needs `over:`"},
        {RESPONSE("folds: {along: beta, from: 1, to: 2}"), "folds needs `over:`"},
        {RESPONSE(OVER ", values: [0.6, 1.8]"), NULL},
        {RESPONSE(OVER ", values: [0.59]"), "the value 0.59 of Omega lies outside its range from 0.6 to 1.8"},
        {RESPONSE(OVER ", values: [1.81]"), "the value 1.81 of Omega lies outside its range from 0.6 to 1.8"},
        {RESPONSE("over: Omega, from: 1.8, to: 0.6, values: [0.6, 1.8]"), NULL},
        {RESPONSE("over: Omega, from: 1.8, to: 0.6, values: [0.59]"), "the value 0.59 of Omega lies outside"},
        {RESPONSE(OVER ", isolas: {count: 3}"), NULL},
        {RESPONSE(OVER ", isolas: {at: [1]}"), NULL},
        {RESPONSE(OVER ", isolas: {count: 0}"), "count is 0; motions must be sought somewhere"},
        {RESPONSE(OVER ", isolas: {at: [1], count: 3}"), "either `at` or `count`: both say where motions are sought"},
        {RESPONSE(OVER ", folds: {along: beta, from: 1, to: 2}"), NULL},
        {RESPONSE(OVER ", folds: {along: Omega, from: 1, to: 2}"),
         "folds along Omega need another number than that of `over`"},
        {RESPONSE(OVER ", folds: {along: zeta, from: -1, to: 2}"), "zeta"},
        {CHAIN "analysis: {kind: response, over: count, from: 3, to: 5}\n", "count is a whole number"},
        {PATTERN("[0, 0.5, -s, is]"), NULL},
        {PATTERN("[l, -i, 1@90, i@-30]"), NULL},
        {PATTERN("[1, 0, 0]"), "the pattern has 3 entries; expected one for each of 4 coordinates"},
        {PATTERN("[x, 0, 0, 0]"), "'x' is no entry of a pattern"},
        {PATTERN("[1@, 0, 0, 0]"), "'1@' is no entry of a pattern"},
        {PATTERN("['@90', 0, 0, 0]"), "'@90' is no entry of a pattern"},
        {PATTERN("[i2, 0, 0, 0]"), "'i2' is no entry of a pattern"},
        {PATTERN("['-', 0, 0, 0]"), "'-' is no entry of a pattern"},
        {PATTERN("[inf, 0, 0, 0]"), "'inf' is no entry of a pattern"},
    };
    CHECK_GUARDS(cases);
}

#define SLIP(text) "model: {kind: hertz}\nanalysis: {kind: slip, " text "}\n"
#define CORNERS "path: [{P: 1}, {P: 2, Q_over_fP0: 1.2}]"
#define NODES                                                                                                          \
    "model: {kind: nodes, A: [[1, 0.5], [0.5, 1]], B: [[0.5, 0.25], [0.95, 0.95]], mu: 0.98, weld: {tangential: [0, "  \
    "0], normal: [20, 20]}}\n"

static void slip_has_one_load_and_contacts_one_word_each(void **state) {
    (void)state;
    static const guard cases[] = {
        {SLIP("Q_over_fP: 0"), NULL},
        {SLIP("samples: 5"), "analysis slip needs the tangential load, Q or Q_over_fP (which may be 0), or a path"},
        {SLIP("Q: 0.1, Q_over_fP: 0.2"), "say the same thing; give one of them"},
        {SLIP("Q: 0.1, c_over_a: 0.2"), "say the same thing; give one of them"},
        {SLIP("Q_over_fP: 0.1, c_over_a: 0.2"), "say the same thing; give one of them"},
        {SLIP("method: boundary-elements, " CORNERS), NULL},
        {SLIP("method: boundary-elements, Q: 0.1, " CORNERS), "the path says which loads there are"},
        {SLIP("method: boundary-elements, path: []"), "a path of loads needs at least one corner"},
        {SLIP("method: boundary-elements, path: [{Q_over_fP: 0.1}]"),
         "the first corner of a path needs its normal load"},
        {SLIP("method: boundary-elements, cycles: 2, " CORNERS),
         "cycles says how often cycle or oscillation is passed"},
        {KLARBRING "analysis: {kind: slip, Q: 1}\n", "analysis slip is about half-planes, and model klarbring is none"},
        {NODES "analysis: {kind: path, until: 1, start: stick}\n", NULL},
        {NODES "analysis: {kind: path, until: 1, start: [stick, stick]}\n", NULL},
        {NODES "analysis: {kind: path, until: 1, start: [stick]}\n", "start must have one word per contact: 2, not 1"},
        {NODES "analysis: {kind: path, until: 1, start: [stick, stick, stick]}\n",
         "start must have one word per contact: 2, not 3"},
    };
    CHECK_GUARDS(cases);
}

#define SQUEAL(text) "model: {kind: brake, mu: 0.4, radial: 3, around: 16}\nanalysis: {kind: squeal, " text "}\n"

static void squeal_has_modes_and_friction_that_rises(void **state) {
    (void)state;
    static const guard cases[] = {
        {SQUEAL("modes: 2"), NULL},
        {SQUEAL("modes: 1"), "two modes are the least that can couple, not 1"},
        {SQUEAL("friction: {from: 0.2, to: 0.3, count: 2}"), NULL},
        {SQUEAL("friction: {from: 0.2, to: 0.3, count: 1}"), "count must lie between 2 and 100000, not 1"},
        {SQUEAL("friction: {from: 0.2, to: 0.3, count: 100000}"), NULL},
        {SQUEAL("friction: {from: 0.2, to: 0.3, count: 100001}"), "count must lie between 2 and 100000, not 100001"},
        {SQUEAL("friction: {from: 0.3, to: 0.3}"), "friction must go up: to (0.3) is not above from (0.3)"},
    };
    CHECK_GUARDS(cases);
}

#define STABILITY(text) TWO_MODE "analysis: {kind: stability, " text "}\n"

static void thresholds_have_a_number_and_a_range(void **state) {
    (void)state;
    static const guard cases[] = {
        {STABILITY("threshold: Delta, from: 0, to: 3"), NULL},
        {STABILITY("from: 0"), "from needs `threshold:`"},
        {STABILITY("threshold: Delta, from: 3, to: 3"), "from and to are the same"},
        {STABILITY("threshold: Delta, from: 0, to: 3, along: {parameter: C_r, from: 1, to: 2}"), NULL},
        {STABILITY("threshold: Delta, from: 0, to: 3, along: {parameter: C_r, from: 2, to: 2}"),
         "from and to are the same"},
        {STABILITY("threshold: Delta, from: 0, to: 3, along: {parameter: Delta, from: 1, to: 2}"),
         "the curve needs a number other than the threshold's own, Delta"},
        {KLARBRING "analysis: {kind: states, loads: [0, 1]}\n", NULL},
        {KLARBRING "analysis: {kind: states, loads: [0, 9]}\n", "loads[1] must be a whole number below"},
        {KLARBRING "analysis: {kind: states, loads: [0, -1]}\n", "loads[1] must be a whole number below"},
        {KLARBRING "analysis: {kind: states, loads: [0, 0.5]}\n", "loads[1] must be a whole number below"},
        {OSCILLATOR "analysis: {kind: march, until: 1, method: newmark}\n", "a method of fixed step needs the key "
                                                                            "'step'"},
        {OSCILLATOR "analysis: {kind: march, until: 1, initial: 3}\n", "initial must be {displacement: [..]"},
        {OSCILLATOR "analysis: {kind: motion, until: 1, initial: 3}\n", "initial must be {displacement: [..]"},
        {OSCILLATOR "analysis: {kind: motion, until: 1, initial: rest}\n", NULL},
        {OSCILLATOR "analysis: {kind: motion, until: 1, initial: [0]}\n", "initial must be {displacement: [..]"},
    };
    CHECK_GUARDS(cases);
}

/* ---- Models ---- */

#define HERTZ(text) "model: {kind: hertz, " text "}\nanalysis: {kind: slip, Q_over_fP: 0.5}\n"
#define PROFILE(text) "model: {kind: profile, " text "}\nanalysis: {kind: slip, Q_over_fP: 0.5}\n"

static void half_planes_have_one_meaning(void **state) {
    (void)state;
    static const guard cases[] = {
        {HERTZ("E: 1, nu: 0.3"), NULL},
        {HERTZ("E: 1"), "materials need both E and nu"},
        {HERTZ("nu: 0.3"), "materials need both E and nu"},
        {HERTZ("E: 1, nu: 0.3, E_star: 2"), "E and E_star say the same thing; give one of them"},
        {HERTZ("P: 1, a: 1"), "P and a say the same thing; give one of them"},
        {HERTZ("beta: 0.5"), NULL},
        {HERTZ("beta: -0.5"), NULL},
        {HERTZ("beta: 0.51"), "Dundurs' beta lies between -1/2 and 1/2"},
        {HERTZ("beta: -0.51"), "Dundurs' beta lies between -1/2 and 1/2"},
        {HERTZ("f: 0.4, f_s: 0.6, Delta: 0.1"), NULL},
        {HERTZ("f: 0.4, f_s: 0.4, Delta: 0.1"), "the static coefficient f_s must be larger than the dynamic one"},
        {HERTZ("law: ramp, f: 0.4, f_s: 0.6"), "friction that weakens needs the slip Delta over which it does (or "
                                               "Lambda, or Psi)"},
        {HERTZ("law: ramp, f: 0.4, Delta: 0.1"), "friction that weakens needs its static coefficient f_s"},
        {HERTZ("law: static-kinetic, f: 0.4, f_s: 0.6"), NULL},
        {HERTZ("law: coulomb, f: 0.4, f_s: 0.6"), "f_s plays no part with this law of friction"},
        {HERTZ("law: griffith, W: 0.01"), NULL},
        {HERTZ("law: griffith"), "Griffith friction needs its energy W"},
        {HERTZ("law: coulomb, W: 0.01"), "an energy belongs to law griffith"},
        {HERTZ("law: table"), "law table needs its points: weakening, rows [slip, coefficient]"},
        {HERTZ("weakening: [[0, 0.6], [0.1, 0.4]]"), NULL},
        {HERTZ("weakening: [[0, 0.6, 1], [0.1, 0.4, 1]]"), "weakening is a table of two columns"},
        {"model: {kind: wave, wavelength: 2, a: 1}\nanalysis: {kind: slip, Q_over_fP: 0.5}\n", NULL},
        {"model: {kind: wave, wavelength: 2, a: 1.01}\nanalysis: {kind: slip, Q_over_fP: 0.5}\n",
         "the contact is at most as wide as the wave: a <= wavelength/2 = 1, not 1.01"},
        {PROFILE("flat: 1, R: 2"), NULL},
        {PROFILE("x: [-2, 0, 2], gap: [1, 0, 1]"), NULL},
        {PROFILE("x: [-2, 2], gap: [1, 1]"), "a table needs at least three points, not 2"},
        {PROFILE("x: [-2, 0, 2], gap: [1, 0]"), "a table of points needs as many gaps as places x: 2 and 3"},
        {PROFILE("x: [-2, 0, 2]"), "a table of points needs as many gaps as places x: 0 and 3"},
        {PROFILE("x: [-2, 2, 2], gap: [1, 0, 1]"), "the places x of the table must increase, and 2 comes after 2"},
        {PROFILE("gap: [1, 0, 1]"), "a table of points needs the places x of its gaps"},
        {PROFILE("x: [-2, 0, 2], gap: [1, 0, 1], flat: 1"), "a profile is either a table (x, gap) or a flat"},
        {PROFILE("x: [-2, 0, 2], gap: [1, 0, 1], R: 1"), "a profile is either a table (x, gap) or a flat"},
        {PROFILE("h: 0.1"), "Q at a height turns a body that may turn: give tilts: true as well"},
        {PROFILE("M: 0.1"), "a moment turns a body that may turn: give tilts: true as well"},
        {PROFILE("tilts: true, M: 0.1"), NULL},
    };
    CHECK_GUARDS(cases);
}

/* ---- Matrices, tables, names ---- */

#define MATRIX(text)                                                                                                   \
    "model: {kind: structure, mass: [[1, 0], [0, 1]], stiffness: " text "}\nanalysis: {kind: motion, until: 1}\n"

static void matrices_and_names_have_their_form(void **state) {
    (void)state;
    static const guard cases[] = {
        {MATRIX("[[2, 1], [1, 2]]"), NULL},
        {MATRIX("[2, 2]"), NULL},
        {MATRIX("[[2, 1]]"), "stiffness must be square; it has 1 rows and 2 columns"},
        {MATRIX("[[2], [1]]"), "stiffness must be square; it has 2 rows and 1 columns"},
        {MATRIX("[[2, 1], [1]]"), "stiffness: row 2 has 1 numbers where the first row has 2"},
        {MATRIX("[[2, 1], 3]"), "stiffness: row 2 must be a list of numbers, not a single value"},
        {MATRIX("[[2, 1], [1, x]]"), "stiffness[1][1] must be a number"},
        {MATRIX("[2, x]"), "stiffness[1] must be a number"},
        {MATRIX("[]"), "stiffness is an empty list; expected the rows of a matrix"},
        {MATRIX("[[], []]"), "stiffness has an impossible shape, 2 x 0"},
        {MATRIX("3"), "stiffness must be a matrix"},
        {KLARBRING "analysis: {kind: motion, until: 1}\nalso: {b_2: {kind: motion, until: 2}}\n", NULL},
        {KLARBRING "analysis: {kind: motion, until: 1}\nalso: {b.2: {kind: motion, until: 2}}\n",
         "'b.2' cannot name an analysis; expected letters, digits and underscores"},
        {KLARBRING "analysis: {kind: motion, until: 1}\nalso: {'': {kind: motion, until: 2}}\n",
         "'' cannot name an analysis"},
        {KLARBRING "analysis: {kind: motion, until: 1}\nalso: 3\n", "also must be a mapping of names to analyses"},
        {KLARBRING "analysis: {kind: [motion], until: 1}\n", "kind must be a name, not a list"},
        {"model: {kind: [rod]}\nanalysis: {kind: motion, until: 1}\n", "kind must be a name, not a list"},
        {KLARBRING "analysis: {kind: motion, until: 1}\nexpect: {events: {tolerance: 1}}\n",
         "an expectation needs 'value', 'above' or 'below'"},
        {KLARBRING "analysis: {kind: motion, until: 1}\nexpect: {events: {above: 1}}\n", NULL},
        {KLARBRING "analysis: {kind: motion, until: 1}\n[1, 2]: 3\n", "cannot be a key; expected a name"},
    };
    CHECK_GUARDS(cases);
}

#define SWEEP(text) KLARBRING "analysis: {kind: motion, until: 1}\nsweep: {axes: {" text "\n"
#define FRICTIONS "model.friction: {values: [1.1, 1.2, 1.3, 1.4, 1.5]}"
#define DRAWN(name, count) name ": {from: 1.1, to: 1.2, count: " count ", draw: sobol}"

static void sweeps_are_refined_and_drawn_as_they_can_be(void **state) {
    (void)state;
    static const guard cases[] = {
        {SWEEP(FRICTIONS "}}"), NULL},
        {SWEEP("frictions: {values: [1]}}}"), "'frictions' cannot be swept; expected a path such as model.friction"},
        {SWEEP("analysis.until: {values: [1]}}}"), NULL},
        {SWEEP(FRICTIONS ", analysis.until: {values: [1]}}, over: model.friction}"), NULL},
        {SWEEP(FRICTIONS "}, over: model.friction}"), "over must name one of two or more axes of the sweep"},
        {SWEEP(FRICTIONS ", analysis.until: {values: [1]}}, over: model.mass}"),
         "over must name one of two or more axes of the sweep, not 'model.mass'"},
        {SWEEP(FRICTIONS "}, ratio: model.friction}"), NULL},
        {SWEEP(FRICTIONS "}, ratio: model.mass}"), "ratio must name one of the axes of the sweep, not 'model.mass'"},
        {SWEEP(DRAWN("model.friction", "4") ", " DRAWN("analysis.until", "4") "}}"), NULL},
        {SWEEP(DRAWN("model.friction", "4") ", " DRAWN("analysis.until", "5") "}}"),
         "axes that are drawn share their points: all need the same count, 4, not 5"},
        {SWEEP(DRAWN("model.friction", "4") "}, ratio: model.friction}"),
         "ratio goes along an axis of a grid, and axes of this sweep are drawn"},
        {SWEEP(DRAWN("model.friction", "4") ", analysis.until: {values: [1]}}, over: analysis.until}"),
         "over goes along an axis of a grid, and axes of this sweep are drawn"},
        {SWEEP(FRICTIONS "}, refine: events}"), NULL},
        {SWEEP(FRICTIONS "}, refine: {output: events, coarse: 2}}"), NULL},
        {SWEEP(FRICTIONS "}, refine: {output: events, coarse: 1024}}"), NULL},
        {SWEEP(FRICTIONS "}, refine: {output: events, coarse: 1}}"), "coarse must be a power of two from 2 to 1024"},
        {SWEEP(FRICTIONS "}, refine: {output: events, coarse: 6}}"), "coarse must be a power of two from 2 to 1024"},
        {SWEEP(FRICTIONS "}, refine: {output: events, coarse: 2048}}"), "coarse must be a power of two from 2 to 1024"},
        {SWEEP(FRICTIONS "}, refine: {output: ''}}"), "refine needs the output whose changes it looks for"},
        {SWEEP(FRICTIONS "}, refine: events, outputs: [events]}"), NULL},
        {SWEEP(FRICTIONS "}, refine: events, outputs: [state]}"), "refine.output, events, must be one of the outputs"},
        {SWEEP(FRICTIONS "}, refine: events, tables: [samples]}"), "refine leaves points out"},
        {SWEEP(DRAWN("model.friction", "4") "}, refine: events}"),
         "refine goes from coarse to fine grids, and model.friction is drawn"},
        {SWEEP("model.friction: {from: 1.1, to: 1.2, count: 1000000}, analysis.until: {from: 1, to: 2, count: "
               "1000000}}}"),
         "the sweep has 1e+12 points"},
        {SWEEP("model.load_rate: {values: [1]}}}"), "model.load_rate is 'bisector', which is no number"},
    };
    CHECK_GUARDS(cases);
}

#define STRUCTURE(text)                                                                                                \
    "model: {kind: structure, mass: [1, 1], stiffness: [2, 3], " text "}\nanalysis: {kind: motion, until: 1}\n"
#define CONTACT(text) STRUCTURE("contacts: [{normal: [0, 1], tangent: [1, 0], " text "}]")
#define LOAD(text) STRUCTURE("loads: [{direction: [1, 0], " text "}]")

static void parts_of_a_structure_fit_together(void **state) {
    (void)state;
    static const guard cases[] = {
        {STRUCTURE("damping: [1, 1]"), NULL},
        {STRUCTURE("damping: [1, 1, 1]"), "damping must be 2 x 2 like the stiffness; it is 3 x 3"},
        {STRUCTURE("names: [x, _y2]"), NULL},
        {STRUCTURE("names: [x]"), "names must have one text per coordinate: 2, not 1"},
        {STRUCTURE("names: [x, 2y]"), "'2y' cannot name a coordinate; expected letters, digits and underscores"},
        {STRUCTURE("names: [x, 'y z']"), "'y z' cannot name a coordinate"},
        {STRUCTURE("names: ['', y]"), "'' cannot name a coordinate"},
        {STRUCTURE("names: [x, x]"), "two coordinates are both called 'x'"},
        {CONTACT("friction: 0.3"), NULL},
        {CONTACT("restitution: 0.3"), "a contact needs the key 'friction': kinetic coefficient of friction"},
        {STRUCTURE("contacts: [{tangent: [1, 0], friction: 0.3}]"), "a contact needs the key 'normal'"},
        {STRUCTURE("contacts: [{tangent: [1, 0], friction: 0.3, law: held, hold: {constant: 1}}]"), NULL},
        {STRUCTURE("contacts: [{tangent: [1, 0], friction: 0.3, law: held}]"),
         "a contact with law: held needs the key 'hold'"},
        {CONTACT("friction: 0.3, hold: {constant: 1}"), "hold is only for a contact with law: held"},
        {STRUCTURE("contacts: [{normal: [0, 1, 0], tangent: [1, 0], friction: 0.3}]"),
         "normal must have one number per coordinate: 2, not 3"},
        {STRUCTURE("contacts: [{normal: [0, 1], tangent: [1], friction: 0.3}]"),
         "tangent must have one number per coordinate: 2, not 1"},
        {CONTACT("friction: 0.3, law: kelvin-voigt, contact_stiffness: 5, contact_damping: 1"), NULL},
        {CONTACT("friction: 0.3, law: hunt-crossley, contact_stiffness: 5, contact_exponent: 1.5"), NULL},
        {CONTACT("friction: 0.3, law: kelvin-voigt"), "a contact with law: kelvin-voigt needs the key"},
        {CONTACT("friction: 0.3, law: hunt-crossley"), "a contact with law: hunt-crossley needs the key"},
        {CONTACT("friction: 0.3, contact_stiffness: 5"),
         "contact_stiffness is only for a contact with law: spring, kelvin-"},
        {CONTACT("friction: 0.3, law: hunt-crossley, contact_stiffness: 5, contact_damping: 1"),
         "contact_damping is only for a contact with law: kelvin-voigt"},
        {CONTACT("friction: 0.3, law: kelvin-voigt, contact_stiffness: 5, contact_exponent: 1"),
         "contact_exponent is only for a contact with law: hunt-crossley"},
        {CONTACT("friction: 0.3, law: kelvin-voigt, contact_stiffness: 5, contact_dissipation: 1"),
         "contact_dissipation is only for a contact with law: hunt-crossley"},
        {CONTACT("friction: 0.3, law: kelvin-voigt, contact_stiffness: 5, restitution: 0.5"),
         "restitution is only for a contact with law: unilateral"},
        {CONTACT("friction: 0.3, restitution: 0.5"), NULL},
        {CONTACT("weakening: {law: table, points: [[0, 0.5], [1, 0.3]]}"), NULL},
        {CONTACT("friction: 0.3, weakening: {law: ramp, points: [[0, 0.5], [1, 0.3]]}"),
         "points are for law: table only"},
        {CONTACT("friction: 0.3, static_friction: 0.5, weakening: {law: ramp}"),
         "weakening with law: ramp needs the key 'length'"},
        {CONTACT("weakening: {law: table}"), "weakening with law: table needs the key 'points'"},
        {CONTACT("weakening: {law: table, length: 1, points: [[0, 0.5], [1, 0.3]]}"),
         "length is not for law: table, whose points say all"},
        {LOAD("sine: {amplitude: 1, frequency: 1, phase: 1}"), NULL},
        {LOAD("sine: {amplitude: 1, frequency: 1, phase: 1, phase_deg: 1}"), "phase and phase_deg say the same thing"},
        {LOAD("table: {times: [0, 1], values: [0, 1]}"), NULL},
        {LOAD("table: {times: [0, 1], values: [0, 1, 2]}"), "values must be as many as times: 2, not 3"},
        {LOAD("constant: 1, ramp: 2, sine: [{amplitude: 1, frequency: 1}, {amplitude: 2, frequency: 3}]"), NULL},
        {LOAD("sine: []"), "the list is empty"},
        {LOAD("sine: {amplitude: 1, multiple: 2}"), "a multiple needs the key 'Omega' of the model"},
        {LOAD("sine: {amplitude: 1, frequency: 1, multiple: 2}"), "frequency and multiple say the same thing"},
        {LOAD("sine: [{amplitude: 1, frequency: 1}, {amplitude: 2}]"), "function sine needs the key 'frequency'"},
        {LOAD("table: {times: [0, 1], values: [0, 1], interpolation: cubic}"), NULL},
        {LOAD("table: {times: [0, 1], values: [0, 1], interpolation: round}"), "interpolation"},
        {LOAD("table: {times: [0, 1, 2], values: [0, 1, 1], interpolation: cubic, period: 2}"),
         "a cubic table that repeats must end where it begins"},
        {LOAD("table: {step: 0.1, values: [0, 1], scale: 2}"), NULL},
        {LOAD("table: {step: 0.1, times: [0, 1], values: [0, 1]}"), "say the same thing"},
        {LOAD("table: {values: [0, 1]}"), "function table needs the keys 'times' and 'values', or 'file'"},
        {LOAD("table: {times: [0, 1], values: [0, 1], time: 1}"), "time is a column of a file"},
        {LOAD("chirp: {amplitude: 1, from: 1, to: 2, duration: 10}"), NULL},
        {LOAD("chirp: {amplitude: 1, from: 2, to: 1, rate: -0.1}"), NULL},
        {LOAD("chirp: {amplitude: 1, from: 2, to: 1, rate: 0.1}"), "the frequency does not come from 2 to 1"},
        {LOAD("chirp: {amplitude: 1, from: 2, to: 1}"), "function chirp needs the key 'duration', or 'rate'"},
        {LOAD("chirp: {amplitude: 1, from: 0, to: 0, duration: 1}"), "frequencies of a chirp must not be negative"},
        {CONTACT("friction: 0.3, surface_velocity: {constant: 0.2, sine: {amplitude: 1, frequency: 0.6}}"), NULL},
        {CONTACT("friction: 0.3, surface_velocity: {impulse: {amplitude: 1}}"),
         "the velocity of a surface cannot be an impulse"},
        {CONTACT("friction: 0.3, surface_velocity: {}"), "there is no function of time here"},
        {STRUCTURE("loads: [{direction: [1, 0]}]"), "there is no function of time here"},
        {STRUCTURE("polynomials: [{direction: [1, 0], terms: [{coefficient: 1, displacement: 3}]}]"), NULL},
        {STRUCTURE("polynomials: [{direction: [1, 0], terms: [{coefficient: 1}]}]"),
         "the powers of displacement and velocity in a term must add up to 1 to"},
        {STRUCTURE("polynomials: [{direction: [1, 0], terms: []}]"), "a polynomial spring needs at least one term"},
        {STRUCTURE("contact_rows: {normal: [[0, 1]], tangent: [[1, 0]], friction: 0.2, law: held}"),
         "contact_rows cannot have the law held"},
        {STRUCTURE("contact_rows: {normal: [[0, 1]], tangent: [[1, 0]], friction: 0.2}"), NULL},
        {STRUCTURE("contact_rows: {normal: [[0, 1]], tangent: [[1, 0], [0, 1]], friction: 0.2}"),
         "tangent has 2 rows, one per contact, where normal has 1"},
        {STRUCTURE("contact_rows: {normal: [[0, 1]], tangent: [[1, 0]], friction: 0.2, law: kelvin-voigt}"),
         "the law kelvin-voigt needs the key 'contact_stiffness'"},
        {STRUCTURE("contact_rows: {normal: [[0, 1]], tangent: [[1, 0]], friction: [0.2, 0.3]}"),
         "friction must be one number, or one per contact: 1 in a row or a column, not 1 x 2"},
        {STRUCTURE("contact_rows: {normal: [[0, 1, 0]], tangent: [[1, 0]], friction: 0.2}"),
         "normal must have one row per contact with one number per coordinate: 2 columns, not 3"},
        {STRUCTURE("contact_rows: {normal: [[0], [1]], tangent: [[1, 0]], friction: 0.2}"), "(is it transposed?)"},
        {STRUCTURE("contact_rows: {normal: [], tangent: [[1, 0]], friction: 0.2}"), "normal is empty; expected rows"},
        {STRUCTURE("contact_rows: {normal: 3, tangent: [[1, 0]], friction: 0.2}"), "normal must be a table"},
        {STRUCTURE("contact_rows: {normal: [[0, 1]], tangent: [[1, 0]], friction: [[-0.2]]}"),
         "friction must be zero or positive, but is -0.2"},
        {"model: {kind: modes, hertz: [1, 2], contact_rows: {normal: [[0, 1]], tangent: [[1, 0]], friction: "
         "0.2}}\nanalysis: {kind: motion, until: 1}\n",
         NULL},
        {"model: {kind: modes, hertz: [[1, 2], [3, 4]], contact_rows: {normal: [[0, 1]], tangent: [[1, 0]], friction: "
         "0.2}}\nanalysis: {kind: motion, until: 1}\n",
         "hertz must be one row or one column, not 2 x 2"},
        {"model: {kind: modes, hertz: [1, 2], frequency: [1, 2], contact_rows: {normal: [[0, 1]], tangent: [[1, 0]], "
         "friction: 0.2}}\nanalysis: {kind: motion, until: 1}\n",
         "model modes needs one of the keys 'frequency', 'hertz' and 'stiffness', not several"},
    };
    CHECK_GUARDS(cases);
}

/* ---- Bytes ---- */

/* A comment with these bytes at its beginning, in the middle of a long study and at its very end. */
static void check_bytes(const char *bytes, bool sound) {
    for (int place = 0; place < 3; place++) {
        char text[512];
        am_error err = {0};
        snprintf(text, sizeof text, "# %s\n" KLARBRING "# %s\nanalysis: {kind: motion, until: 1}\n# %s",
                 place == 0 ? bytes : "a", place == 1 ? bytes : "b", place == 2 ? bytes : "c");
        am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
        if (sound && !study)
            fail_msg("refused at place %d: %s", place, err.message);
        if (!sound) {
            assert_null(study);
            assert_int_equal(err.status, AM_ERR_INPUT);
            if (!strstr(err.message, "this is not a text file (UTF-8)"))
                fail_msg("at place %d it says '%s'", place, err.message);
        }
        am_study_free(study);
    }
}

/* RFC 3629: the forms of one to four bytes, and what is none of them. */
static void studies_are_text_in_utf_8(void **state) {
    (void)state;
    static const char *const sound[] = {"plain ~",          "tab\tin it",       "\xc2\xa0",
                                        "\xdf\xbf",         "\xe2\x82\xac",     "\xef\xbf\xbd",
                                        "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbd", "\xc3\xa9\xe2\x82\xac\xc3\xa9"};
    static const char *const other[] = {"\x01",  "\x1f",      "\x7f",      "\x80",          "\xbf", "\xc1\xbf",
                                        "\xc3(", "\xe2\x82(", "\xe2(\x82", "\xf0\x9f\x98(", "\xff", "\xf8\x88\x80\x80",
                                        "a\xc3"};
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++)
        check_bytes(sound[i], true);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        check_bytes(other[i], false);
}

/* ---- Defaults ---- */

/* Fields that say by a zero that they were not given; their default comes later, or by another field. */
static bool is_set_later(const char *schema, const char *field) {
    static const char *const later[][2] = {{"hertz", "a"}, {"power", "a"}, {"states", "budget"}};
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strcmp(later[i][0], schema) == 0 && strcmp(later[i][1], field) == 0)
            return true;
    return false;
}

/* What the help says a field has when it is not given: a number, true, false or a word. Sentences are left alone. */
static size_t check_defaults(const am_schema *schema, const char *record) {
    size_t checked = 0;
    for (size_t i = 0; i < schema->field_count; i++) {
        const am_field *field = &schema->fields[i];
        const char *said = field->initial, *at = record + field->offset;
        double number;
        if (!said || field->required || is_set_later(schema->name, field->name))
            continue;
        size_t length = am_text_parse_number(said, &number);
        bool is_number = length > 0 && said[length] == '\0';
        bool sound = true, looked = true;
        if (field->type == AM_FIELD_NUMBER && is_number && !field->same_as)
            sound = field->factor ? fabs(*(const double *)(const void *)at / *field->factor - number) <= 1e-15 * number
                                  : *(const double *)(const void *)at == number;
        else if (field->type == AM_FIELD_COUNT && is_number)
            sound = (double)*(const size_t *)(const void *)at == number;
        else if (field->type == AM_FIELD_FLAG && (strcmp(said, "true") == 0 || strcmp(said, "false") == 0))
            sound = *(const bool *)(const void *)at == (strcmp(said, "true") == 0);
        else if (field->type == AM_FIELD_WORD) {
            looked = false;
            for (const am_word *word = field->words; word->name; word++)
                if (strcmp(word->name, said) == 0) {
                    looked = true;
                    sound = *(const int *)(const void *)at == word->value;
                }
        } else
            looked = false;
        if (!sound)
            fail_msg("%s: the default of %s is not %s", schema->title, field->name, said);
        checked += looked;
    }
    return checked;
}

static size_t check_schema(const am_schema *schema);

/* Inner records have what the record around them gives, and their own defaults, which they get when they are read. */
static size_t check_record(const am_schema *schema, const char *record) {
    size_t checked = check_defaults(schema, record);
    for (size_t i = 0; i < schema->field_count; i++) {
        const am_field *field = &schema->fields[i];
        if (field->type == AM_FIELD_RECORD) {
            char *copy = malloc(schema->size);
            assert_non_null(copy);
            memcpy(copy, record, schema->size);
            if (field->inner->defaults)
                field->inner->defaults(copy + field->offset);
            checked += check_record(field->inner, copy + field->offset);
            free(copy);
        } else if (field->inner && field->inner != schema) {
            checked += check_schema(field->inner);
        }
    }
    return checked;
}

static size_t check_schema(const am_schema *schema) {
    char *record = calloc(1, schema->size);
    assert_non_null(record);
    if (schema->defaults)
        schema->defaults(record);
    else
        am_schema_defaults(schema, record);
    size_t checked = check_record(schema, record);
    free(record);
    return checked;
}

static void defaults_are_what_the_help_says(void **state) {
    (void)state;
    size_t checked = 0;
    for (size_t k = 0; am_model_kinds[k]; k++)
        checked += check_schema(am_model_kinds[k]->schema);
    for (size_t k = 0; am_analysis_kinds[k]; k++)
        checked += check_schema(am_analysis_kinds[k]->schema);
    assert_true(checked > 150);
}

/* Fields of which one of several is given, or which depend on others: they say so in their own words. */
static bool is_alternative(const char *schema, const char *field) {
    static const char *const functions[] = {"constant", "ramp", "sine", "pulse", "table", "impulse", "chirp"};
    static const char *const others[][2] = {{"contact", "normal"}, {"contact", "hold"}, {"interface", "hold"},
                                            {"mesh_contact", "f"}, {"modes", "hertz"},  {"modes", "stiffness"},
                                            {"response", "start"}, {"start", "pattern"}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i], field) == 0)
            return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i][0], schema) == 0 && strcmp(others[i][1], field) == 0)
            return true;
    return false;
}

/* Returns the number of required fields. */
static size_t check_required(const am_schema *schema) {
    size_t required = 0;
    for (size_t i = 0; i < schema->field_count; i++) {
        const am_field *field = &schema->fields[i];
        if (!is_alternative(schema->name, field->name) && field->required != (field->initial == NULL))
            fail_msg("%s: %s is %s", schema->title, field->name,
                     field->required ? "required and has a default" : "neither required nor has it a default");
        required += field->required;
        if (field->inner && field->inner != schema)
            required += check_required(field->inner);
    }
    return required;
}

static void what_may_be_left_out_says_what_it_is_then(void **state) {
    (void)state;
    size_t required = 0;
    for (size_t k = 0; am_model_kinds[k]; k++)
        required += check_required(am_model_kinds[k]->schema);
    for (size_t k = 0; am_analysis_kinds[k]; k++)
        required += check_required(am_analysis_kinds[k]->schema);
    assert_true(required > 80);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_what_the_help_says),
        cmocka_unit_test(what_may_be_left_out_says_what_it_is_then),
        cmocka_unit_test(studies_are_text_in_utf_8),
        cmocka_unit_test(starts_of_attractors_are_bounded),
        cmocka_unit_test(boxes_of_cells_are_bounded),
        cmocka_unit_test(an_atlas_is_made_inside_its_range),
        cmocka_unit_test(ranges_of_design_are_ranges),
        cmocka_unit_test(orbits_and_paths_say_when_they_end),
        cmocka_unit_test(responses_have_a_range_and_a_beginning),
        cmocka_unit_test(slip_has_one_load_and_contacts_one_word_each),
        cmocka_unit_test(squeal_has_modes_and_friction_that_rises),
        cmocka_unit_test(thresholds_have_a_number_and_a_range),
        cmocka_unit_test(half_planes_have_one_meaning),
        cmocka_unit_test(matrices_and_names_have_their_form),
        cmocka_unit_test(sweeps_are_refined_and_drawn_as_they_can_be),
        cmocka_unit_test(parts_of_a_structure_fit_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
