#include "papers/twofold.h"
#include "study/bind.h"

typedef struct twofold_setting {
    am_twofold_options options;
    am_words slip;
} twofold_setting;

AM_ANALYSIS_DEFAULTS(twofold_setting, am_twofold)

static const am_word slip_words[] = {
    {"forward", AM_FORWARD, "constraint O+ acts"}, {"backward", AM_BACKWARD, "constraint O- acts"}, {NULL, 0, NULL}};

static const am_field fields[] = {
    AM_FIELD("slip", WORDS, twofold_setting, slip, .words = slip_words, .initial = "the pair with the largest d2",
             .about = "direction in which each contact slips"),
    AM_FIELD("change", VECTOR, twofold_setting, options.change, .shape = 2,
             .initial = "half of what the normal forces allow", .unit = "force",
             .about = "[s1(1) - s1(0), s2(1) - s2(0)]; must satisfy the condition of docs/twofold.md"),
    AM_FIELD("between", NUMBER, twofold_setting, options.between, .range = AM_RANGE_FRACTION, .initial = "0.5",
             .about = "a third evolution: 0 is the red one, 1 the blue one", .example = "0.5"),
    AM_FIELD("intervals", COUNT, twofold_setting, options.intervals, .initial = "60",
             .about = "how many of the intervals [1/n, 1/(n - 1)], n = 2, 3, ..., are sampled", .example = "60"),
    AM_FIELD("samples", COUNT, twofold_setting, options.samples, .initial = "48", .about = "per interval"),
};

static const am_schema schema = {.name = "twofold",
                                 .title = "analysis twofold",
                                 .about = "A smooth load under which two contacts evolve in infinitely many ways from "
                                          "one start, each way checked against the rate problem.",
                                 .size = sizeof(twofold_setting),
                                 .defaults = set_defaults,
                                 .has_kind = true,
                                 AM_FIELDS(fields)};

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    twofold_setting *setting = settings;
    (void)node;
    return am_bind_states(reading, &setting->slip, "slip", made->system, &setting->options.slip);
}

AM_ANALYSIS_RUN(twofold_setting, am_twofold)

const am_analysis_kind am_analysis_twofold = {
    .schema = &schema,
    .bind = bind,
    .run = run,

    .figure = "{curves: [{table: solutions, x: v1_blue, y: v2_blue, label: blue}, {table: solutions, x: v1_red, "
              "y: v2_red, label: red}], x_label: v1, y_label: v2}",
    .model = "A: [[1, 0.5], [0.5, 1]]\n  B: [[0.5, 0.25], [0.95, 0.95]]\n  mu: 1\n"
             "  weld: {tangential: [0, 0], normal: [20, 20]}\n",
    .model_kind = "nodes"};
