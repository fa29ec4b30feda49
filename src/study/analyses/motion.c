#include "analyses/motion.h"
#include "base/try.h"
#include "study/bind.h"

static const am_field section_fields[] = {
    AM_FIELD("interval", NUMBER, am_motion_options, section_interval, .required = true, AM_POSITIVE, .unit = "time",
             .about = "time between two points"),
    AM_FIELD("from", NUMBER, am_motion_options, section_from, .initial = "0", .unit = "time",
             .about = "time of the first point"),
};

static const am_schema section_schema = {.name = "section",
                                         .title = "section",
                                         .about = "Points of the motion at equal intervals (a stroboscopic picture).",
                                         .size = sizeof(am_motion_options),
                                         AM_FIELDS(section_fields)};

static const am_field switching_fields[] = {
    AM_FIELD("step", NUMBER, am_motion_options, switching_step, .required = true, AM_POSITIVE, .unit = "time",
             .about = "the contacts are looked at only at the end of each step"),
    AM_FIELD("bisections", COUNT, am_motion_options, switching_bisections, .initial = "0",
             .about = "of a step in which something has changed sign"),
};

static const am_schema switching_schema = {
    .name = "switching",
    .title = "switching",
    .about = "Imitates a program with a fixed step, to show what its inexact switch times do.",
    .size = sizeof(am_motion_options),
    AM_FIELDS(switching_fields)};

typedef struct motion_setting {
    am_motion_options options;
    am_place place;
} motion_setting;

AM_ANALYSIS_DEFAULTS(motion_setting, am_motion)

static const am_field fields[] = {
    AM_FIELD("until", NUMBER, motion_setting, options.until, .required = true, .unit = "time",
             .about = "end of the motion", .example = "40"),
    AM_FIELD("from", NUMBER, motion_setting, options.from, .initial = "0", .unit = "time",
             .about = "start of the motion"),
    AM_FIELD("initial", LATER, motion_setting, place, .inner = &am_place_schema,
             .initial = "at rest at zero; preloaded with `preload`",
             .about = "{displacement, velocity} at the start, one number each per coordinate; or the word rest: in "
                      "equilibrium under the loads of `from`, or preloaded: under the constant loads alone, put on "
                      "slowly"),
    AM_FIELD("samples", COUNT, motion_setting, options.samples, .most = AM_MOST_SAMPLES, .initial = "1001",
             .about = "rows of the table `samples`, evenly spaced in time; 0: none"),
    AM_FIELD("max_events", COUNT, motion_setting, options.max_events, .initial = "1000000",
             .about = "give up after so many"),
    AM_FIELD("max_spans", COUNT, motion_setting, options.max_spans, .initial = "20000000",
             .about =
                 "give up when it becomes clear that more pieces of series are needed: about three a period of what "
                 "moves fastest"),
    AM_FIELD("energy", FLAG, motion_setting, options.energy, .initial = "true", .about = "keep the balance of energy"),
    AM_FIELD("record_from", NUMBER, motion_setting, options.record_from, .initial = "from", .unit = "time",
             .about = "tables events, touches and samples, and the count of slips, begin here"),
    AM_FIELD("section", RECORD, motion_setting, options, .inner = &section_schema, .initial = "none",
             .about = "table `section`: points at equal intervals"),
    AM_FIELD("switching", RECORD, motion_setting, options, .inner = &switching_schema, .initial = "exact",
             .about = "imitate fixed-step switching: the motion is then wrong on purpose"),
};

static const am_schema schema = {.name = "motion",
                                 .title = "analysis motion",
                                 .about = "Dynamics with exact switching between stick, slip and separation.",
                                 .size = sizeof(motion_setting),
                                 .defaults = set_defaults,
                                 .has_kind = true,
                                 AM_FIELDS(fields)};

static am_status bind_initial(am_reading *reading, const am_node *node, const am_case *made, motion_setting *setting) {
    setting->options.rest = am_node_is_text(node, "rest");
    setting->options.preloaded = am_node_is_text(node, "preloaded");
    if (setting->options.rest || setting->options.preloaded)
        return AM_OK;
    if (node->kind != AM_NODE_MAP)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "initial must be {displacement: [..], velocity: [..]} or one of the words rest, preloaded");
    AM_TRY(am_schema_read(reading, &am_place_schema, node, &setting->place));
    return am_bind_place(reading, &setting->place, made, &setting->options.displacement, &setting->options.velocity);
}

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    motion_setting *setting = settings;
    const am_node *initial = am_node_get(node, "initial");
    AM_TRY(am_check_span(reading, node, setting->options.from, setting->options.until));
    setting->options.preloaded = !initial && am_case_is_preloaded(made);
    return initial ? bind_initial(reading, initial, made, setting) : AM_OK;
}

AM_ANALYSIS_RUN(motion_setting, am_motion)

static void release_engine(void *engine) {
    am_motion_free(engine);
}

static am_status run_again(const am_system *system, const void *settings, am_kept *kept, am_result *result,
                           const am_progress *progress, am_error *err) {
    const motion_setting *setting = settings;
    am_motion *engine = kept->object;
    am_status status = am_motion_run_kept(system, &setting->options, &engine, result, progress, err);
    *kept = (am_kept){engine, release_engine};
    return status;
}

const am_analysis_kind am_analysis_motion = {.schema = &schema,
                                             .bind = bind,
                                             .run = run,
                                             .run_again = run_again,

                                             .figure = "{x: u1, y: u2, x_label: u1, y_label: u2}"};
