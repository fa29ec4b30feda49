/* Study files: what is refused and where, what is read, and what runs. The command itself is tested in test_command.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amontons/march.h"
#include "amontons/path.h"
#include "amontons/stability.h"
#include "amontons/study.h"
#include "errors.h"
#include "study/analyses.h"
#include "study/models.h"
#include "study/study.h"
#include "study_text.h"

#define MODEL "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}\n"
#define MOTION "analysis: {kind: motion, until: 38}\n"

static am_study *parse(const char *text, am_error *err) {
    *err = (am_error){0};
    return am_study_parse("test.yaml", text, 0, NULL, false, err);
}

static am_run *run(const am_study *study, const am_progress *progress) {
    am_error err = {0};
    am_run *made = am_study_run(study, progress, &err);
    if (!made)
        fail_msg("failed: %s", err.message);
    return made;
}

/* ---- Refused studies, each with the position and the words it must be refused with ---- */

typedef struct refusal {
    const char *text, *message;
} refusal;

static void check_refusals(const refusal *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        am_error err;
        am_study *study = parse(cases[i].text, &err);
        if (study)
            fail_msg("accepted:\n%s", cases[i].text);
        if (!strstr(err.message, cases[i].message))
            fail_msg("of\n%s\nit says '%s', not '%s'", cases[i].text, err.message, cases[i].message);
        assert_int_equal(err.status, AM_ERR_INPUT);
    }
}

#define CHECK_REFUSALS(cases) check_refusals(cases, sizeof(cases) / sizeof(cases)[0])

static void unknown_keys_are_refused_with_a_suggestion(void **state) {
    (void)state;
    static const refusal cases[] = {
        {"model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], frction: 0.25}\n" MOTION,
         "test.yaml:1:55: unknown key 'frction' in model klarbring; did you mean 'friction'? known keys: kind, "
         "stiffness"},
        {"modle: 1\n" MODEL MOTION, "test.yaml:1:1: unknown key 'modle' in the study; did you mean 'model'?"},
        {MODEL "analysis: {kind: motion, untl: 5}\n", "test.yaml:2:26: unknown key 'untl' in analysis motion"},
        {MODEL "analysis: {kind: motion, until: 5, initial: {dsplacement: [0, 0]}}\n",
         "test.yaml:2:46: unknown key 'dsplacement'"},
        {MODEL MOTION "figure: {x: u1, y: u2, tilte: x}\n", "test.yaml:3:24: unknown key 'tilte' in figure"},
        {MODEL MOTION "sweep: {axis: {}}\n", "test.yaml:3:9: unknown key 'axis' in sweep; did you mean 'axes'?"},
        {MODEL MOTION "expect: {events: {valeu: 3}}\n", "test.yaml:3:19: unknown key 'valeu' in an expectation"},
        {"model: {kind: klarbrng}\n" MOTION,
         "test.yaml:1:15: unknown model 'klarbrng'; did you mean 'klarbring'? "
         "known models: klarbring, rod, oscillator, griffin, nodes, two-mode, shoe, "
         "modes, disc-pad, brake, chain, bladed-disc, hertz, power, wave, punch, profile, "
         "blocks, mesh, structure"},
        {MODEL "analysis: {kind: moton}\n", "test.yaml:2:18: unknown analysis kind 'moton'; did you mean 'motion'?"},
        {MODEL "analysis: {kind: states, problem: dynmic}\n",
         "test.yaml:2:35: problem cannot be 'dynmic'; did you mean 'dynamic'? expected one of: quasistatic, dynamic"},
        {MODEL "analysis: {kind: attractors, starts: {w1: {from: 0}}}\n",
         "test.yaml:2:39: unknown coordinate 'w1' in starts; did you mean"},
    };
    CHECK_REFUSALS(cases);
}

static void missing_keys_are_named(void **state) {
    (void)state;
    static const refusal cases[] = {
        {MODEL, "test.yaml:1:1: the study needs the key 'analysis'"},
        {MODEL "analysis: {kind: motion}\n", "test.yaml:2:11: analysis motion needs the key 'until'"},
        {"model: {kind: klarbring, friction: 0}\n" MOTION, "test.yaml:1:8: model klarbring needs the key 'stiffness'"},
        {"model: {friction: 0}\n" MOTION, "test.yaml:1:8: model needs the key 'kind'"},
        {"model: {kind: structure, stiffness: [1], contacts: [{tangent: [1], friction: 0}]}\n" MOTION,
         "test.yaml:1:53: a contact needs the key 'normal'"},
        {"model: {kind: structure, stiffness: [1], contacts: [{law: held, tangent: [1], friction: 0}]}\n" MOTION,
         "test.yaml:1:53: a contact with law: held needs the key 'hold'"},
        {"model: {kind: structure, stiffness: [1], loads: [{direction: [1]}]}\n" MOTION,
         "test.yaml:1:50: there is no function of time here"},
        {MODEL MOTION "figure: {x: u1}\n", "test.yaml:3:9: a figure of curves needs x and y"},
    };
    CHECK_REFUSALS(cases);
}

static void wrong_types_are_refused(void **state) {
    (void)state;
    static const refusal cases[] = {
        {"model: 3\n" MOTION, "test.yaml:1:8: model must be a mapping"},
        {"- 1\n", "test.yaml:1:1: a study must be a mapping"},
        {"model: {kind: klarbring, stiffness: hello, friction: 0}\n" MOTION,
         "test.yaml:1:37: stiffness must be a matrix"},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: [0]}\n" MOTION,
         "test.yaml:1:55: friction must be a number, not a list"},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: '0.2'}\n" MOTION,
         "test.yaml:1:55: friction must be a number such as 0.25, not the text '0.2'"},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: 0x10}\n" MOTION, "not the text '0x10'"},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: 0,5}\n" MOTION, "test.yaml:1:57: unknown key '5'"},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: }\n" MOTION, "friction must be a number, not nothing"},
        {MODEL "analysis: {kind: motion, until: soon}\n", "test.yaml:2:33: until must be a number"},
        {MODEL "analysis: {kind: motion, until: 5, samples: 1.5}\n", "test.yaml:2:45: samples must be a whole number"},
        {MODEL "analysis: {kind: motion, until: 5, samples: -3}\n", "test.yaml:2:45: samples must be a whole number"},
        {MODEL "analysis: {kind: motion, until: 5, samples: 1e15}\n", "test.yaml:2:45: samples must be at most"},
        {MODEL "analysis: {kind: motion, until: 5, energy: yes}\n", "test.yaml:2:44: energy must be true or false"},
        {MODEL MOTION "title: [a]\n", "test.yaml:3:8: title must be a text, not a list"},
        {MODEL MOTION "verdict: refuted\n", "test.yaml:3:10: this verdict needs `correction: ...`"},
        {MODEL MOTION "verdict: refused\ncorrection: no\n", "test.yaml:3:10: verdict"},
        {MODEL MOTION "expect: [1]\n", "test.yaml:3:9: expect must be a mapping of names to values, not a list"},
        {MODEL MOTION "expect: {events: [1]}\n", "test.yaml:3:18: an expectation cannot be a list"},
        {MODEL MOTION "expect: {events: .nan}\n", "test.yaml:3:18: an expectation must be a finite number, not '.nan'"},
        {MODEL MOTION "expect: {events: {value: 1e999}}\n",
         "test.yaml:3:26: an expectation must be a finite number, not '1e999'"},
        {MODEL MOTION "also: 3\n", "test.yaml:3:7: also must be a mapping"},
    };
    CHECK_REFUSALS(cases);
}

static void numbers_that_are_not_finite_are_refused(void **state) {
    (void)state;
    static const refusal cases[] = {
        {"model: {kind: klarbring, stiffness: [1, 1], friction: .nan}\n" MOTION,
         "test.yaml:1:55: friction must be a finite number, not '.nan'"},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: nan}\n" MOTION,
         "test.yaml:1:55: friction must be a finite"},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: .inf}\n" MOTION,
         "test.yaml:1:55: friction must be a finite"},
        {"model: {kind: klarbring, stiffness: [[1, -.Inf], [1, 2]], friction: 0}\n" MOTION,
         "test.yaml:1:42: stiffness[0][1] must be a finite number, not '-.Inf'"},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: 1e999}\n" MOTION,
         "test.yaml:1:55: friction must be a finite"},
        {MODEL "analysis: {kind: motion, until: .inf}\n", "test.yaml:2:33: until must be a finite number"},
        {MODEL "analysis: {kind: motion, until: 1, initial: {velocity: [.nan, 0]}}\n",
         "test.yaml:2:57: velocity[0] must be a finite number"},
        {MODEL MOTION "sweep: {axes: {model.friction: [0.1, .nan]}}\n",
         "test.yaml:3:38: values[1] must be a finite number"},
    };
    CHECK_REFUSALS(cases);
}

static void shapes_that_do_not_fit_are_refused(void **state) {
    (void)state;
    static const refusal cases[] = {
        {"model: {kind: klarbring, stiffness: [[1, 1], [1]], friction: 0}\n" MOTION,
         "test.yaml:1:46: stiffness: row 2 has 1 numbers where the first row has 2"},
        {"model: {kind: klarbring, stiffness: [1, 1, 1], friction: 0}\n" MOTION,
         "test.yaml:1:37: stiffness must be 2 x 2; it is 3 x 3"},
        {"model: {kind: structure, stiffness: [[1, 2]]}\n" MOTION, "test.yaml:1:37: stiffness must be square"},
        {"model: {kind: structure, stiffness: []}\n" MOTION, "test.yaml:1:37: stiffness is an empty list"},
        {"model: {kind: structure, stiffness: [[]]}\n" MOTION, "test.yaml:1:37: stiffness has an impossible shape"},
        {"model: {kind: structure, stiffness: [1, 1], mass: [1]}\n" MOTION,
         "test.yaml:1:51: mass must be 2 x 2 like the stiffness; it is 1 x 1"},
        {"model: {kind: structure, stiffness: [1, 1], names: [a]}\n" MOTION,
         "test.yaml:1:52: names must have one text per coordinate: 2, not 1"},
        {"model: {kind: structure, stiffness: [1, 1], names: [a, a]}\n" MOTION,
         "test.yaml:1:56: two coordinates are both called 'a'"},
        {"model: {kind: structure, stiffness: [1, 1], loads: [{direction: [1], ramp: 1}]}\n" MOTION,
         "test.yaml:1:65: direction must have one number per coordinate: 2, not 1"},
        {"model: {kind: structure, stiffness: [1], contacts: [{normal: [1], tangent: [1, 0], friction: 0}]}\n" MOTION,
         "test.yaml:1:76: tangent must have one number per coordinate: 1, not 2"},
        {MODEL "analysis: {kind: motion, until: 1, initial: {velocity: [1]}}\n",
         "test.yaml:2:56: velocity must have one number per coordinate: 2, not 1"},
        {MODEL "analysis: {kind: stability, state: [stick, stick]}\n",
         "test.yaml:2:36: state must have one word per contact: 1, not 2"},
        {MODEL "analysis: {kind: states, rates: [1]}\n", "test.yaml:2:33: rates must have 2 numbers, not 1"},
    };
    CHECK_REFUSALS(cases);
}

static void values_without_physical_meaning_are_refused(void **state) {
    (void)state;
    static const refusal cases[] = {
        {"model: {kind: klarbring, stiffness: [1, 1], friction: -0.25}\n" MOTION,
         "test.yaml:1:55: friction must be zero or positive, not -0.25"},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: 0, mass: 0}\n" MOTION,
         "test.yaml:1:64: mass must be positive"},
        {"model: {kind: klarbring, stiffness: [[1, 2], [2, 1]], friction: 0}\n" MOTION, "test.yaml:1:37: "},
        {"model: {kind: klarbring, stiffness: [[2, 1], [0, 2]], friction: 0}\n" MOTION,
         "test.yaml:1:37: stiffness is not symmetric"},
        {"model: {kind: structure, stiffness: [1, 1], mass: [1, -1]}\n" MOTION, "test.yaml:1:51: "},
        {"model: {kind: structure, stiffness: [1], contacts: [{normal: [1], tangent: [0], friction: 0}]}\n" MOTION,
         "test.yaml:1:76: "},
        {"model: {kind: structure, stiffness: [1, 1], contacts: [{normal: [0, 1], tangent: [1, 0], friction: 0.3,\n"
         "  static_friction: 0.1}]}\n" MOTION,
         "test.yaml:2:20: the static friction coefficient"},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: 0, restitution: 1.5}\n" MOTION,
         "test.yaml:1:71: restitution must be between 0 and 1"},
        {"model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: bisector}\n" MOTION,
         "test.yaml:1:82: there is no sector"},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: 0,\n  loads: [{direction: [1, 0], table: {times: [0, "
         "2, 1], "
         "values: [0, 1, 2]}}]}\n" MOTION,
         "test.yaml:2:46: "},
        {"model: {kind: klarbring, stiffness: [1, 1], friction: 0, loads: [{direction: [1, 0]}]}\n" MOTION,
         "test.yaml:1:66: there is no function of time"},
        {MODEL "analysis: {kind: motion, until: -5}\n", "test.yaml:2:33: until must be later than the start"},
        {MODEL MOTION "expect: {events: {value: open, tolerance: 1}}\n", "test.yaml:3:18: a tolerance needs a number"},
        {MODEL MOTION "expect: {state_changes: {value: null, above: 1}}\n",
         "test.yaml:3:25: 'above' and 'below' are about a number, but 'value' is 'null'"},
        {MODEL MOTION "expect: {final_for_good: {value: true, below: 0}}\n", "but 'value' is 'true'"},
        {MODEL MOTION "expect: {initial_state: {below: 1, value: stick}}\n", "but 'value' is 'stick'"},
        {MODEL MOTION "figure: {x: u1, y: u2, x_range: [1, 0]}\n", "test.yaml:3:33: x_range must be [least, greatest]"},
        {MODEL MOTION "figure: {x: u1, y: u2, y_scale: log, y_range: [0, 1]}\n", "y_range must be positive"},
        {MODEL MOTION "figure: {kind: map, x: u1, y: u2, x_scale: log}\n", "figures of curves"},
    };
    CHECK_REFUSALS(cases);
}

static void a_message_is_one_line_whatever_it_repeats(void **state) {
    (void)state;
    am_error err = {0};
    const char *text = "model: {kind: klarbring, stiffness: [1, 1], friction: \"0\\n\\t\\e[31m.5\"}\n" MOTION;
    assert_null(am_study_parse("test.yaml", text, 0, NULL, false, &err));
    assert_says(&err, "0   [31m.5");
    for (const char *c = err.message; *c; c++)
        assert_true((unsigned char)*c >= ' ');
}

static void text_that_is_no_study_is_refused(void **state) {
    (void)state;
    static const refusal cases[] = {
        {"", "test.yaml: the file is empty"},
        {"# nothing\n", "test.yaml: the file is empty"},
        {"model: [1, 2\n", "this is not valid YAML"},
        {"a: b: c\n", "test.yaml:1:5: this is not valid YAML"},
        {"a: 1\na: 2\n", "test.yaml:2:1: the key 'a' is here a second time; the first is on line 1"},
        {"a: 1\n---\nb: 1\n", "test.yaml:2:1: a second document starts here"},
        {"a: &x 1\nb: *x\n", "test.yaml:1:7: anchors and aliases"},
        {"b: *x\n", "test.yaml:1:4: anchors and aliases"},
        {"a: !x 1\n", "test.yaml:1:7: tags"},
        {"? [1]\n: 2\n", "test.yaml:1:3: a list cannot be a key"},
        {"\x01\x02\xff", "test.yaml: this is not a text file"},
        {"a: \xc3\x28\n", "test.yaml: this is not a text file"},
        {"a: \"x\\0y\"\n", "test.yaml:1:4: a text contains a zero character"},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "test.yaml:1:25: lists and mappings are nested too deeply"},
    };
    CHECK_REFUSALS(cases);
}

static void sweeps_that_make_no_sense_are_refused(void **state) {
    (void)state;
    static const refusal cases[] = {
        {MODEL MOTION
         "sweep: {axes: {model.friction: {from: 0, to: 1, count: 100000}, analysis.until: {from: 1, to: 2, count: "
         "100000}}}\n",
         "test.yaml:3:15: the sweep has 1e+10 points"},
        {MODEL MOTION "sweep: {axes: {}}\n", "test.yaml:3:15: a sweep must have 1 to"},
        {MODEL MOTION "sweep: {axes: {title: [1, 2]}}\n", "test.yaml:3:16: 'title' cannot be swept"},
        {MODEL MOTION "sweep: {axes: {model.friction: {from: 0, to: 1}}}\n",
         "test.yaml:3:32: an axis of a sweep needs"},
        {MODEL MOTION "sweep: {axes: {model.friction: []}}\n",
         "test.yaml:3:32: an axis of a sweep is a list of at least"},
        {MODEL MOTION "sweep: {axes: {model.friction: {from: 0, to: 1, count: 3, spacing: log}}}\n",
         "needs positive from and to"},
        {MODEL MOTION "sweep: {axes: {model.friction: {from: -1, to: 1, count: 3}}}\n",
         "test.yaml:3:32: friction must be zero or positive, not -1"},
        {MODEL MOTION "sweep: {axes: {model.frction: [1, 2]}}\n",
         "test.yaml:3:31: unknown key 'frction' in model klarbring"},
        {MODEL MOTION "sweep: {axes: {model.load_rate.7: [1, 2]}}\n", "there is no item 7 in a list of 2"},
        {MODEL MOTION "full: {analysis.untl: 3}\n", "test.yaml:3:23: unknown key 'untl' in analysis motion"},
        {MODEL MOTION "full: [1]\n", "test.yaml:3:7: full must be a mapping"},
    };
    CHECK_REFUSALS(cases);
}

static void names_that_no_result_has_are_refused_before_the_run(void **state) {
    (void)state;
    static const refusal cases[] = {
        {MODEL MOTION "figure: {x: u1, y: u3}\n", "test.yaml:3:20: unknown column 'u3' in samples; did you mean 'u1'?"},
        {MODEL MOTION "figure: {x: u1, y: u2, table: smples}\n",
         "test.yaml:3:31: unknown table 'smples' in figure; did you mean 'samples'?"},
        {MODEL MOTION "figure: {curves: [{x: t, y: state1}]}\n",
         "test.yaml:3:29: column 'state1' of table samples holds words"},
        {MODEL MOTION "figure: {curves: [{x: t, y: u1}, {table: events, x: tt, y: u1}]}\n",
         "test.yaml:3:53: unknown column 'tt' in events"},
        {MODEL MOTION "figure: {panels: [{x: t, y: u1}, {x: t, y: u3}]}\n",
         "test.yaml:3:44: unknown column 'u3' in samples"},
        {MODEL MOTION "figure: {panels: [{x: t, y: u1}, {kind: slip}]}\n", "test.yaml:3:41: panels are of kind curves"},
        {MODEL MOTION "figure: {panels: [{x: t}]}\n", "test.yaml:3:19: a figure of curves needs x and y"},
        {MODEL MOTION "figure: {panels: [{x: t, y: u1}], x_range: [0, 1]}\n",
         "test.yaml:3:44: 'x_range' belongs into the panels"},
        {MODEL MOTION "figure: {curves: [{x: t, y: u1, only: 2}]}\n", "test.yaml:3:39: only says which number"},
        {MODEL MOTION "figure: {x: t, y: u1, columns: 2}\n", "test.yaml:3:32: columns are those of 'panels'"},
        {MODEL MOTION "figure: {x: t, y: u1, by: colour}\n", "test.yaml:3:27: unknown column 'colour' in samples"},
        {MODEL MOTION "figure: {kind: map}\n", "test.yaml:3:9: unknown table 'map' in figure"},
        {MODEL MOTION "figure: {kind: mesh}\n", "test.yaml:3:9: there is no mesh to draw"},
        {MODEL MOTION "figure: {kind: sectors}\n", "test.yaml:3:9: unknown table 'sectors' in figure"},
        {MODEL MOTION "expect: {state_chnges: 9}\n",
         "test.yaml:3:10: unknown result 'state_chnges' in expect; did you mean 'state_changes'?"},
        {MODEL MOTION "expect: {'evnts[0].t': 9}\n", "test.yaml:3:10: unknown table 'evnts' in expect"},
        {MODEL MOTION "expect: {'evnts.rows': 9}\n", "test.yaml:3:10: unknown table 'evnts' in expect"},
        {MODEL MOTION "expect: {'events[0].tt': 9}\n", "test.yaml:3:10: unknown column 'tt' in events"},
        {MODEL MOTION "expect: {'events[-1].t': 9}\n", "test.yaml:3:10: expect: 'events[-1].t' is no cell"},
        {MODEL MOTION "expect: {'events[first].t': 9}\n", "test.yaml:3:10: expect: 'events[first].t' is no cell"},
        {MODEL MOTION "also: {b: {kind: motion, until: 1}}\nexpect: {b.stte_changes: 9}\n",
         "test.yaml:4:10: unknown result 'stte_changes' in expect; did you mean 'state_changes'?"},
        {MODEL MOTION "also: {b: {kind: motion, until: 1}}\nfigure: {table: b.smples, x: t, y: u1}\n",
         "test.yaml:4:17: unknown table 'smples' in figure"},
        {MODEL MOTION "sweep: {axes: {model.friction: [0.1]}}\nfigure: {x: model.friction, y: changes}\n",
         "test.yaml:4:32: unknown column 'changes' in sweep"},
        /* Of the analysis that is meant, with what it is told. */
        {MODEL MOTION "also: {s: {kind: stability, state: backward}}\nexpect: {'s.contacts[0].slip': 1}\n",
         "test.yaml:4:10: unknown column 'slip' in s.contacts"},
        {MODEL MOTION "figure: {x: shapes, y: u2}\n", "test.yaml:3:13: unknown column 'shapes' in samples"},
        {MODEL "analysis: {kind: motion, until: 38, samples: 0}\nfigure: {x: u1, y: u2}\n",
         "test.yaml:3:9: unknown table 'samples' in figure"},
        {MODEL MOTION "figure: {x: until, y: u2}\n", "test.yaml:3:13: unknown column 'until' in samples"},
        {MODEL MOTION "expect: {'events[0].u1': 1}\n", "test.yaml:3:10: unknown column 'u1' in events"},
        {MODEL MOTION "expect: {'samples[0].T21': 1}\n", "test.yaml:3:10: unknown column 'T21' in samples"},
        {MODEL MOTION "sweep: {axes: {model.friction: [0.1]}}\nfigure: {kind: table, table: statistics}\n",
         "test.yaml:4:30: no table 'statistics' in figure: sweep has it only with draw"},
        {MODEL MOTION "sweep: {axes: {model.friction: [0.1], model.mass: [1]}}\nfigure: {kind: map}\n",
         "test.yaml:4:9: unknown column 'state' in sweep"},
        {MODEL "analysis: {kind: attractors, until: 3, starts: {v2: {from: 0, to: 1, count: 3}}}\nfigure: {kind: map, "
               "x: v1, y: v2}\n",
         "test.yaml:3:24: there is no column 'v1' in map: the starts do not differ in it"},
        {"model: {kind: hertz, P: 1}\nanalysis: {kind: slip, Q: 0.1}\nanimation: {}\n",
         "test.yaml:3:12: nothing moves in the results of this study"},
        {MODEL MOTION "sweep: {axes: {model.friction: [0.1]}}\nexpect: {least_changes: 1}\n",
         "test.yaml:4:10: unknown result 'least_changes' in expect"},
        {MODEL MOTION "sweep: {axes: {model.friction: [0.1]}, outputs: [impacts, slps]}\n",
         "test.yaml:3:59: unknown output 'slps' in sweep; did you mean 'slips'?"},
        {MODEL MOTION "sweep: {axes: {model.friction: [0.1]}, tables: [touches, evnts]}\n",
         "test.yaml:3:58: unknown table 'evnts' in sweep; did you mean 'events'?"},
        {MODEL MOTION "also: {b: {kind: motion, until: 1}}\nsweep: {axes: {model.friction: [0.1]}, tables: b.event}\n",
         "test.yaml:4:48: unknown table 'event' in sweep; did you mean 'events'?"},
        {MODEL MOTION "also: {b: {kind: motion, until: 1}}\nsweep: {axes: {model.friction: [0.1]}, outputs: b.slps}\n",
         "test.yaml:4:49: unknown output 'slps' in sweep; did you mean 'slips'?"},
    };
    CHECK_REFUSALS(cases);
}

/* Rows are known when they are there: what was computed is kept, and the mistake is told besides. */
static void what_only_the_results_show_to_be_missing_does_not_cost_them(void **state) {
    (void)state;
    am_run *made = run_text(MODEL MOTION "expect: {'events[99].t': 9, state_changes: 9, 'events[77].t': null}\n");
    const am_report *report = am_run_report(made);
    assert_int_equal(report->expectation_count, 3);
    assert_false(report->expectations[0].ok);
    assert_true(report->expectations[1].ok);
    assert_false(report->expectations[2].ok);
    assert_false(am_run_met(made));
    assert_null(am_run_mistake(made, true));
    assert_non_null(am_run_mistake(made, false));
    assert_says(am_run_mistake(made, false), "test.yaml:3:10: expect: there is no cell 'events[99].t'");
    am_run_free(made);
    made = run_text(MODEL MOTION "figure: {x: t, y: u1, by: t}\nexpect: {state_changes: 9}\n"); /* a curve for each t */
    assert_true(am_run_met(made));
    assert_null(am_run_report(made)->figure);
    assert_non_null(am_result_find_table(am_run_report(made)->result, "events"));
    assert_says(am_run_mistake(made, true), "test.yaml:3:27: column 't' has more than");
    am_run_free(made);
}

/* ---- Changes: --set and full ---- */

static am_status try_setting(const char *path, const char *value, am_error *err) {
    am_setting setting = {path, value};
    *err = (am_error){0};
    am_study *study = am_study_parse("test.yaml", MODEL MOTION, 1, &setting, false, err);
    am_study_free(study);
    return study ? AM_OK : err->status;
}

static void settings_replace_and_add_fields(void **state) {
    (void)state;
    am_error err;
    am_setting settings[] = {
        {"analysis.until", "3"}, {"analysis.initial.velocity", "[0.5, 0]"}, {"model.load_rate.1", "-2"}};
    am_study *study = am_study_parse("test.yaml", MODEL MOTION, 3, settings, false, &err);
    assert_non_null(study);
    assert_true(am_system_load(am_study_system(study), 1)->function.rate == -2);
    am_run *made = run(study, NULL);
    assert_true(scalar(made, "t_end") == 3);
    assert_string_equal(am_result_find(am_run_report(made)->result, "initial_state")->text, "forward");
    am_run_free(made);
    am_study_free(study);
}

static void settings_that_do_not_fit_are_refused_by_their_own_name(void **state) {
    (void)state;
    am_error err;
    static const struct {
        const char *path, *value, *message;
    } cases[] = {{"model.friction", "-1", "--set model.friction=-1: friction must be zero or positive"},
                 {"model.frction", "1", "--set model.frction=1: unknown key 'frction'"},
                 {"model.load_rate.5", "1", "--set model.load_rate.5=1: there is no item 5"},
                 {"analysis.until.x", "1", "--set analysis.until.x=1: there is nothing named 'x'"},
                 {"model.load_rate", "[1,", "--set model.load_rate=[1,: this is not valid YAML"},
                 {"model.friction", "", "--set model.friction=: there is no value"},
                 {"", "1", "the path is empty"},
                 {".", "1", "is not a path"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(try_setting(cases[i].path, cases[i].value, &err), AM_ERR_INPUT);
        if (!strstr(err.message, cases[i].message))
            fail_msg("it says '%s', not '%s'", err.message, cases[i].message);
    }
}

static void the_full_variant_is_used_only_when_asked_for(void **state) {
    (void)state;
    static const char text[] = MODEL MOTION "sweep: {axes: {model.friction: {from: 0.1, to: 0.2, count: 2}}}\n"
                                            "full: {sweep.axes.model.friction.count: 5, analysis.until: 40}\n";
    am_error err = {0};
    for (int full = 0; full < 2; full++) {
        am_study *study = am_study_parse("test.yaml", text, 0, NULL, full, &err);
        assert_non_null(study);
        am_run *made = run(study, NULL);
        assert_true(scalar(made, "points") == (full ? 5 : 2));
        am_run_free(made);
        am_study_free(study);
    }
}

/* ---- Running ---- */

static void assert_same_results(const am_result *a, const am_result *b) {
    assert_int_equal(am_result_scalar_count(a), am_result_scalar_count(b));
    for (size_t i = 0; i < am_result_scalar_count(a); i++) {
        const am_scalar *x = am_result_scalar(a, i), *y = am_result_scalar(b, i);
        assert_string_equal(x->name, y->name);
        assert_memory_equal(&x->number, &y->number, sizeof x->number);
    }
    assert_int_equal(am_result_table_count(a), am_result_table_count(b));
    for (size_t t = 0; t < am_result_table_count(a); t++) {
        const am_table *x = am_result_table(a, t), *y = am_result_table(b, t);
        assert_int_equal(am_table_rows(x), am_table_rows(y));
        assert_int_equal(am_table_columns(x), am_table_columns(y));
        for (size_t r = 0; r < am_table_rows(x); r++)
            for (size_t c = 0; c < am_table_columns(x); c++) {
                if (am_table_column_kind(x, c) == AM_COLUMN_TEXT) {
                    assert_string_equal(am_table_text(x, r, c), am_table_text(y, r, c));
                    continue;
                }
                double p = am_table_number(x, r, c), q = am_table_number(y, r, c);
                assert_true(p == q || (isnan(p) && isnan(q)));
            }
    }
}

/* Parts that a build may lack. */
static bool lacks_its_library(const char *kind) {
    static const char *const sparse[] = {"squeal", "blocks", "brake", "mesh"};
    for (size_t i = 0; i < sizeof sparse / sizeof *sparse; i++)
        if (strcmp(kind, sparse[i]) == 0)
            return !am_squeal_available();
    return (strcmp(kind, "shakedown") == 0 && !am_shakedown_available()) ||
           (strcmp(kind, "march") == 0 && !am_march_available(AM_MARCH_ADAPTIVE));
}

static void expect_the_missing_part_to_be_named(const char *text) {
    am_error err = {0};
    am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
    am_run *made = study ? am_study_run(study, NULL, &err) : NULL;
    assert_null(made);
    assert_int_equal(err.status, AM_ERR_UNSUPPORTED);
    assert_says(&err, "build again");
    am_study_free(study);
}

static void every_template_runs_as_it_is(void **state) {
    (void)state;
    const char *kinds[64] = {"sweep"};
    size_t count = 1;
    for (size_t i = 0; am_model_kinds[i]; i++)
        kinds[count++] = am_model_kinds[i]->schema->name;
    for (size_t i = 0; am_analysis_kinds[i]; i++)
        kinds[count++] = am_analysis_kinds[i]->schema->name;
    for (size_t i = 0; i < count; i++) {
        am_error err = {0};
        char *text = am_study_template(kinds[i], &err);
        assert_non_null(text);
        if (lacks_its_library(kinds[i])) {
            expect_the_missing_part_to_be_named(text);
        } else {
            am_run *made = run_text(text);
            assert_true(am_run_report(made)->figure != NULL);
            am_run_free(made);
        }
        am_output_text_free(text);
    }
}

static void a_study_written_out_as_a_structure_runs_the_same(void **state) {
    (void)state;
    static const char *const texts[] = {
        MODEL MOTION,
        "title: 'Quotes: \"and\" # signs'\nclaims: [\"a: b\", c]\n"
        "model: {kind: klarbring, stiffness: [[1, 0.3], [0.3, 2]], mass: 0.7, damping: [[0.1, 0], [0, 0.3]], friction: "
        "0.3,\n"
        "  static_friction: 0.45, restitution: 0.5, gap: 0.01, load: [0.1, -0.5], load_rate: [0.1, 0.01],\n"
        "  support: {amplitude: [0.02, 0.01], frequency: 3.1},\n"
        "  loads: [{direction: [0.3, 0.1], sine: {amplitude: 0.2, frequency: 1.3, phase_deg: 30, value: 0.1}},\n"
        "          {direction: [1, 0], table: {times: [0, 1, 2.5], values: [0, 0.3, -0.1], period: 3}},\n"
        "          {direction: [0, 1], pulse: {amplitude: 0.1, start: 2, duration: 0.7, period: 1.5, repeat: 3}},\n"
        "          {direction: [0, 1], impulse: {amplitude: -0.1, start: 4, period: 1, repeat: 2}}]}\n"
        "analysis: {kind: motion, until: 12}\n"
        "figure: {x: u1, y: u2}\n",
        "model: {kind: structure, stiffness: [[3, -1, 0], [-1, 3, -1], [0, -1, 2]], mass: [1, 2, 1], names: [a, b, "
        "c],\n"
        "  contacts: [{law: held, tangent: [0, 0, 1], friction: 0.3, surface_velocity: 0.5, hold: {constant: 2}},\n"
        "             {name: 'odd: name', tangent: [1, 0, 0], normal: [0, 1, 0], friction: 0.2, gap: 0.1}],\n"
        "  loads: [{direction: [0.1, -1, 0], ramp: {value: 0.2, rate: 0.1}}]}\n"
        "analysis: {kind: motion, until: 9}\nalso: {other: {kind: motion, until: 2, samples: 5}}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        am_error err = {0};
        am_study *study = read_text(texts[i]);
        char *shown = am_study_show(study, &err);
        assert_non_null(shown);
        am_run *original = run(study, NULL), *again = run_text(shown);
        assert_same_results(am_run_report(original)->result, am_run_report(again)->result);
        assert_string_equal(am_run_report(original)->title, am_run_report(again)->title);
        am_run_free(original);
        am_run_free(again);
        am_output_text_free(shown);
        am_study_free(study);
    }
}

static void a_matrix_file_is_found_beside_the_study(void **state) {
    (void)state;
    char folder[] = AMONTONS_BINARY_DIR "/test_study-XXXXXX", study_path[512], matrix_path[512];
    assert_non_null(mkdtemp(folder));
    snprintf(study_path, sizeof study_path, "%s/study.yaml", folder);
    snprintf(matrix_path, sizeof matrix_path, "%s/k.mtx", folder);
    FILE *file = fopen(study_path, "w");
    assert_non_null(file);
    fputs("model: {kind: structure, mass: [1, 1], stiffness: {file: k.mtx}}\nanalysis: {kind: motion, until: 1}\n",
          file);
    fclose(file);

    am_error err = {0};
    assert_null(am_study_read(study_path, 0, NULL, false, &err));
    assert_int_equal(err.status, AM_ERR_FILE);
    assert_non_null(strstr(err.message, "study.yaml:1:58: "));
    assert_non_null(strstr(err.message, "k.mtx: cannot be opened"));

    file = fopen(matrix_path, "w");
    assert_non_null(file);
    fputs("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2.0\n2 1 -1.0\n2 2 2.0\n", file);
    fclose(file);
    am_study *study = am_study_read(study_path, 0, NULL, false, &err);
    assert_non_null(study);
    assert_true(am_matrix_at(am_system_stiffness(am_study_system(study)), 0, 1) == -1.0);
    am_study_free(study);
    unlink(study_path);
    unlink(matrix_path);
    rmdir(folder);
}

static void further_analyses_have_their_name_as_prefix(void **state) {
    (void)state;
    am_run *made =
        run_text(MODEL MOTION "also: {short: {kind: motion, until: 2}, here: {kind: stability, state: backward}}\n"
                              "expect: {short.t_end: 2, 'short.samples.rows': 1001, 'short.samples[last].t': 2}\n");
    assert_true(scalar(made, "t_end") == 38);
    assert_true(scalar(made, "short.t_end") == 2);
    assert_non_null(am_result_find_table(am_run_report(made)->result, "here.eigenvalues"));
    assert_true(am_run_met(made));
    am_run_free(made);
}

/* t_end is exactly 38, state_changes is 9, final_for_good is a flag, final_state a text. */
static void expectations_are_compared_as_documented(void **state) {
    (void)state;
    static const struct {
        const char *expect;
        bool ok;
    } cases[] = {
        {"state_changes: 9", true},
        {"state_changes: 8", false},
        {"state_changes: 9.0", true},
        {"t_end: 38", true},
        {"t_end: {value: 37, tolerance: 1}", true},
        {"t_end: {value: 37, tolerance: 0.5}", false},
        {"t_end: {value: 37, relative: 0.03}", true},
        {"t_end: {value: 37, relative: 0.02}", false},
        {"t_end: {above: 37}", true},
        {"t_end: {above: 38}", false},
        {"t_end: {below: 38}", false},
        {"t_end: {above: 37, below: 39}", true},
        {"first_lift_off: 3.58", true},
        {"first_lift_off: 3.580010", true},
        {"first_lift_off: 3.580011", false},
        {"first_lift_off: 4", false},
        {"first_lift_off: 0.358e1", true},
        {"first_lift_off: null", false},
        {"initial_state: backward", true},
        {"initial_state: forward", false},
        {"initial_state: {above: 0}", false},
        {"touches.rows: 1", true},
        {"'samples[0].t': 0", true},
        {"'samples[last].t': 38", true},
        {"'samples[0].state1': backward", true},
        {"state_changes: nine", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, MODEL MOTION "expect: {%s}\n", cases[i].expect);
        am_run *made = run_text(text);
        if (am_run_met(made) != cases[i].ok)
            fail_msg("'%s' is judged wrongly", cases[i].expect);
        am_run_free(made);
    }
}

static void a_run_outlives_its_study(void **state) {
    (void)state;
    am_run *made =
        run_text("title: T\nsource: S\nclaims: [first, second]\ntopic: P\nverdict: partly\ncorrection: C\n" MODEL MOTION
                 "figure: {x: u1, y: u2, x_label: along, x_range: [0, 1]}\nexpect: {t_end: 38}\n");
    const am_report *report = am_run_report(made); /* its study is freed already */
    assert_string_equal(report->study, "/test.yaml");
    assert_string_equal(report->title, "T");
    assert_string_equal(report->topic, "P");
    assert_string_equal(report->correction, "C");
    assert_int_equal(report->verdict, AM_SOURCE_PARTLY);
    assert_string_equal(report->source, "S");
    assert_string_equal(report->analysis, "motion");
    assert_int_equal(report->claim_count, 2);
    assert_string_equal(report->claims[1], "second");
    assert_string_equal(report->figure->x_label, "along");
    assert_string_equal(report->figure->curves[0].table, "samples");
    assert_true(report->figure->x_range[1] == 1);
    assert_string_equal(report->expectations[0].name, "t_end");
    assert_string_equal(report->expectations[0].got, "38");
    am_run_free(made);
}

/* ---- Sweeps ---- */

#define SWEEP                                                                                                          \
    MODEL MOTION "sweep: {axes: {model.friction: {from: 0.1, to: 0.9, count: 5}, model.load_rate.1: [-0.8, -0.99]}}\n"

static void a_sweep_is_the_same_for_any_number_of_threads(void **state) {
    (void)state;
    am_study *study = read_text(SWEEP);
    am_progress one = {.threads = 1}, many = {.threads = 4};
    am_run *a = run(study, &one), *b = run(study, &many);
    assert_true(scalar(a, "points") == 10);
    assert_same_results(am_run_report(a)->result, am_run_report(b)->result);
    am_run_free(a);
    am_run_free(b);
    am_study_free(study);
}

/* Seeds, numbers of elements: what is meant as a whole number is one, all along the axis. */
static void whole_numbers_of_an_axis_stay_whole(void **state) {
    (void)state;
    am_run *sweep = run_text("title: t\nmodel: {kind: bladed-disc, sectors: 2, engine_order: 1, damper_stiffness: 0, "
                             "mistuning: {deviation: 0.01, seed: 1}}\nanalysis: {kind: response, harmonics: 1}\n"
                             "sweep: {axes: {model.mistuning.seed: {from: 1, to: 200, count: 200}}}\n");
    const am_table *table = am_result_find_table(am_run_report(sweep)->result, "sweep");
    assert_true(scalar(sweep, "failed") == 0);
    for (size_t row = 0; row < am_table_rows(table); row++)
        assert_true(am_table_number(table, row, 0) == (double)(row + 1));
    am_run_free(sweep);
}

static void a_point_of_a_sweep_is_the_study_at_its_values(void **state) {
    (void)state;
    am_run *sweep = run_text(SWEEP);
    const am_table *table = am_result_find_table(am_run_report(sweep)->result, "sweep");
    assert_string_equal(am_run_report(sweep)->analysis, "sweep");
    assert_int_equal(am_table_rows(table), 10);
    for (size_t row = 0; row < am_table_rows(table); row++) {
        char text[512];
        double friction = am_table_number(table, row, 0), rate = am_table_number(table, row, 1);
        snprintf(
            text, sizeof text,
            "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: %.17g, load_rate: [-1, %.17g]}\n" MOTION,
            friction, rate);
        am_run *alone = run_text(text);
        double lost = am_table_number(table, row, am_table_find_column(table, "loss_friction"));
        assert_true(lost == scalar(alone, "loss_friction"));
        am_run_free(alone);
    }
    am_run_free(sweep);
}

static void a_point_that_fails_is_recorded_and_the_others_are_kept(void **state) {
    (void)state;
    /* max_events 2 is too few for the second load rate only */
    am_run *made = run_text(MODEL "analysis: {kind: motion, until: 38, max_events: 3}\n"
                                  "sweep: {axes: {model.load_rate.1: [-0.8, -0.99]}, outputs: [state_changes]}\n");
    const am_table *table = am_result_find_table(am_run_report(made)->result, "sweep");
    size_t failure = am_table_find_column(table, "failure");
    assert_true(scalar(made, "failed") == 1);
    assert_string_equal(am_table_text(table, 0, failure), "");
    assert_true(strlen(am_table_text(table, 1, failure)) > 10);
    assert_true(am_table_number(table, 0, 1) == 1);
    assert_true(isnan(am_table_number(table, 1, 1)));
    am_run_free(made);
}

static void a_sweep_whose_points_all_fail_fails(void **state) {
    (void)state;
    am_error err = {0};
    am_study *study = read_text(MODEL "analysis: {kind: motion, until: 38, max_events: 2}\n"
                                      "sweep: {axes: {model.mass: [1, 1.1]}}\n");
    assert_null(am_study_run(study, NULL, &err));
    assert_int_equal(err.status, AM_ERR_EVIDENCE);
    assert_non_null(strstr(err.message, "every point of the sweep failed"));
    am_study_free(study);
}

static bool stop_after_three(void *context, double fraction) {
    int *calls = context;
    assert_true(fraction >= 0 && fraction <= 1);
    return ++*calls < 3;
}

static void a_sweep_can_be_stopped(void **state) {
    (void)state;
    int calls = 0;
    am_error err = {0};
    am_progress progress = {.report = stop_after_three, .context = &calls, .threads = 2};
    am_study *study = read_text(MODEL MOTION "sweep: {axes: {model.friction: {from: 0.1, to: 0.9, count: 10000}}}\n");
    assert_null(am_study_run(study, &progress, &err));
    assert_int_equal(err.status, AM_ERR_INTERRUPTED);
    am_study_free(study);
}

/* ---- Words about studies ---- */

static void help_on_a_kind_names_every_field_of_it(void **state) {
    (void)state;
    for (size_t k = 0; am_model_kinds[k]; k++) {
        const am_schema *schema = am_model_kinds[k]->schema;
        am_error err = {0};
        char *text = am_study_help(schema->name, &err);
        assert_non_null(text);
        for (size_t i = 0; i < schema->field_count; i++)
            if (!strstr(text, schema->fields[i].name))
                fail_msg("help on %s does not mention %s", schema->name, schema->fields[i].name);
        am_output_text_free(text);
    }
}

/* `key` or `key: ...` or "key," inside code quotes: the word between characters that are no part of a name. */
static bool mentions(const char *text, const char *word) {
    size_t length = strlen(word);
    static const char part_of_name[] = "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    for (const char *p = text; (p = strstr(p, word)); p += length)
        if ((p == text || !strchr(part_of_name, p[-1])) && !(p[length] && strchr(part_of_name, p[length])))
            return true;
    return false;
}

static void check_documented(const char *page, const am_schema *schema) {
    for (size_t i = 0; i < schema->field_count; i++) {
        if (!mentions(page, schema->fields[i].name))
            fail_msg("docs/study.md does not mention %s of %s", schema->fields[i].name, schema->title);
        if (schema->fields[i].inner)
            check_documented(page, schema->fields[i].inner);
    }
}

static void the_documentation_mentions_every_key(void **state) {
    (void)state;
    static char page[100000];
    FILE *file = fopen(AMONTONS_SOURCE_DIR "/docs/study.md", "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    check_documented(page, &am_study_schema);
    for (size_t k = 0; am_model_kinds[k]; k++) {
        assert_true(mentions(page, am_model_kinds[k]->schema->name));
        check_documented(page, am_model_kinds[k]->schema);
    }
    for (size_t k = 0; am_analysis_kinds[k]; k++) {
        assert_true(mentions(page, am_analysis_kinds[k]->schema->name));
        check_documented(page, am_analysis_kinds[k]->schema);
    }
}

static void unknown_topics_and_kinds_get_a_suggestion(void **state) {
    (void)state;
    am_error err = {0};
    assert_null(am_study_help("klarbrng", &err));
    assert_non_null(strstr(err.message, "did you mean 'klarbring'?"));
    assert_null(am_study_template("moton", &err));
    assert_non_null(strstr(err.message, "did you mean 'motion'?"));
    assert_null(am_study_list("modles", &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_keys_are_refused_with_a_suggestion),
        cmocka_unit_test(missing_keys_are_named),
        cmocka_unit_test(wrong_types_are_refused),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(shapes_that_do_not_fit_are_refused),
        cmocka_unit_test(values_without_physical_meaning_are_refused),
        cmocka_unit_test(text_that_is_no_study_is_refused),
        cmocka_unit_test(a_message_is_one_line_whatever_it_repeats),
        cmocka_unit_test(sweeps_that_make_no_sense_are_refused),
        cmocka_unit_test(names_that_no_result_has_are_refused_before_the_run),
        cmocka_unit_test(what_only_the_results_show_to_be_missing_does_not_cost_them),
        cmocka_unit_test(settings_replace_and_add_fields),
        cmocka_unit_test(settings_that_do_not_fit_are_refused_by_their_own_name),
        cmocka_unit_test(the_full_variant_is_used_only_when_asked_for),
        cmocka_unit_test(every_template_runs_as_it_is),
        cmocka_unit_test(a_study_written_out_as_a_structure_runs_the_same),
        cmocka_unit_test(a_matrix_file_is_found_beside_the_study),
        cmocka_unit_test(further_analyses_have_their_name_as_prefix),
        cmocka_unit_test(expectations_are_compared_as_documented),
        cmocka_unit_test(a_run_outlives_its_study),
        cmocka_unit_test(a_sweep_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(whole_numbers_of_an_axis_stay_whole),
        cmocka_unit_test(a_point_of_a_sweep_is_the_study_at_its_values),
        cmocka_unit_test(a_point_that_fails_is_recorded_and_the_others_are_kept),
        cmocka_unit_test(a_sweep_whose_points_all_fail_fails),
        cmocka_unit_test(a_sweep_can_be_stopped),
        cmocka_unit_test(help_on_a_kind_names_every_field_of_it),
        cmocka_unit_test(the_documentation_mentions_every_key),
        cmocka_unit_test(unknown_topics_and_kinds_get_a_suggestion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
