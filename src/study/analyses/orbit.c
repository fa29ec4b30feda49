#include "amontons/orbit.h"
#include "study/bind.h"

typedef struct orbit_setting {
    am_orbit_options options;
    am_place initial;
} orbit_setting;

AM_ANALYSIS_DEFAULTS(orbit_setting, am_orbit)

static const am_word section_words[] = {
    {"auto", AM_SECTION_AUTO,
     "the period of the loads if they repeat, otherwise a switch, or a maximum where nothing switches"},
    {"period", AM_SECTION_PERIOD, "forced motion: one point a period of the loads"},
    {"switch", AM_SECTION_SWITCH, "self-excited motion: one point whenever a certain contact switches"},
    {NULL, 0, NULL}};

static const am_field fields[] = {
    AM_FIELD("initial", RECORD, orbit_setting, initial, .inner = &am_place_schema, .initial = "at rest at zero",
             .about = "where the transient starts", .example = "{displacement: [0, 0], velocity: [0, 0]}"),
    AM_FIELD("from", NUMBER, orbit_setting, options.from, .initial = "0", .unit = "time", .about = "when it starts"),
    AM_FIELD("section", WORD, orbit_setting, options.section, .words = section_words, .initial = "auto",
             .about = "where one return is compared with the next"),
    AM_FIELD("period", NUMBER, orbit_setting, options.period, AM_POSITIVE, .initial = "found from the loads",
             .unit = "time", .about = "of the loads"),
    AM_FIELD("transient", COUNT, orbit_setting, options.transient, .initial = "20",
             .about =
                 "returns before the first attempt to close the orbit; 0: the start is a guess, closed at once, be the "
                 "motion stable or not"),
    AM_FIELD("most_returns", COUNT, orbit_setting, options.most_returns, .initial = "100000",
             .about = "give up after so many returns"),
    AM_FIELD("most_period", COUNT, orbit_setting, options.most_period, .least = 1, .most = 1000000, .initial = "64",
             .about = "longest orbit looked for, in returns"),
    AM_FIELD("samples", COUNT, orbit_setting, options.samples, .most = AM_MOST_SAMPLES, .initial = "1001",
             .about = "rows of the table `samples`, evenly spaced over one period; 0: none"),
};

static const am_schema schema = {.name = "orbit",
                                 .title = "analysis orbit",
                                 .about = "The periodic motion a start leads to, made exact by shooting, with its "
                                          "Floquet multipliers.",
                                 .size = sizeof(orbit_setting),
                                 .defaults = set_defaults,
                                 .has_kind = true,
                                 AM_FIELDS(fields)};

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    orbit_setting *setting = settings;
    (void)node;
    return am_bind_place(reading, &setting->initial, made, &setting->options.displacement, &setting->options.velocity);
}

AM_ANALYSIS_RUN(orbit_setting, am_orbit)

const am_orbit_options *am_analysis_orbit_options(const void *settings) {
    return &((const orbit_setting *)settings)->options;
}

const am_analysis_kind am_analysis_orbit = {
    .schema = &schema,
    .bind = bind,
    .run = run,

    .figure = "{x: u1, y: u1dot, x_label: u1, y_label: velocity}",
    .model = "stiffness: [[1, 0.5], [0.5, 2]]\n  friction: 0.3\n  load: [0, -2]\n  loads:\n    - {direction: [1, 0], "
             "sine: {amplitude: 2, frequency: 0.7}}\n"};
