#include "amontons/march.h"
#include "base/try.h"
#include "engines/marching/marching.h"
#include "study/bind.h"

typedef struct march_setting {
    am_march_options options;
    am_place place;
    am_numbers disturbance;
    bool check;
} march_setting;

AM_ANALYSIS_DEFAULTS(march_setting, am_march)

static const am_word method_words[] = {
    {"adaptive", AM_MARCH_ADAPTIVE, "implicit, with a step chosen by the tolerance; switches are located"},
    {"newmark", AM_MARCH_NEWMARK, "average acceleration with a fixed step; contacts are looked at after every step"},
    {"moreau-jean", AM_MARCH_MOREAU_JEAN, "impulses over a fixed step; for rigid (unilateral) contacts"},
    {NULL, 0, NULL}};

static const am_field fields[] = {
    AM_FIELD("until", NUMBER, march_setting, options.until, .required = true, .unit = "time",
             .about = "end of the motion", .example = "100"),
    AM_FIELD("from", NUMBER, march_setting, options.from, .initial = "0", .unit = "time",
             .about = "start of the motion"),
    AM_FIELD("initial", LATER, march_setting, place, .initial = "at rest at zero; preloaded with `preload`",
             .about =
                 "{displacement, velocity} at the start; rest: in equilibrium under the loads of `from`; preloaded: "
                 "under the constant loads alone, put on slowly; equilibrium: steady sliding",
             .example = "{displacement: [0, 0], velocity: [0, 0]}"),
    AM_FIELD("disturbance", NUMBERS, march_setting, disturbance, .initial = "none", .unit = "length",
             .about = "added to the displacement at the start, one number per coordinate"),
    AM_FIELD("method", WORD, march_setting, options.method, .words = method_words, .initial = "adaptive",
             .about = "how to step"),
    AM_FIELD("tolerance", NUMBER, march_setting, options.tolerance, AM_POSITIVE, .initial = "1e-8",
             .about = "adaptive: error of a step, relative to the size of the motion"),
    AM_FIELD("step", NUMBER, march_setting, options.step, AM_POSITIVE, .unit = "time",
             .initial = "required by methods of fixed step", .about = "length of a step"),
    AM_FIELD("check", FLAG, march_setting, check, .initial = "true for runs of at most 100000 steps",
             .about = "run again with a tenth of the tolerance (half the step) and report the difference"),
    AM_FIELD("samples", COUNT, march_setting, options.samples, .most = AM_MOST_SAMPLES, .initial = "1001",
             .about = "rows of the table `samples`, evenly spaced in time; 0: none"),
    AM_FIELD("record_from", NUMBER, march_setting, options.record_from, .initial = "from", .unit = "time",
             .about = "tables events, samples and spectrum, N_min and N_max begin here"),
    AM_FIELD("max_events", COUNT, march_setting, options.max_events, .initial = "1000000",
             .about = "give up after so many"),
    AM_FIELD("max_steps", COUNT, march_setting, options.max_steps, .initial = "100000000",
             .about = "give up after so many"),
};

static const am_schema schema = {
    .name = "march",
    .title = "analysis march",
    .about =
        "Dynamics by time stepping, for compliant contacts (Kelvin-Voigt, Hunt-Crossley) and regularised friction.",
    .size = sizeof(march_setting),
    .defaults = set_defaults,
    .has_kind = true,
    AM_FIELDS(fields)};

static am_status bind_initial(am_reading *reading, const am_node *node, const am_case *made, march_setting *setting) {
    am_march_options *options = &setting->options;
    options->equilibrium = am_node_is_text(node, "equilibrium");
    options->rest = am_node_is_text(node, "rest");
    options->preloaded = am_node_is_text(node, "preloaded");
    if (options->equilibrium || options->rest || options->preloaded)
        return AM_OK;
    if (node->kind != AM_NODE_MAP)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "initial must be {displacement: [..], velocity: [..]} or one of the words rest, "
                            "preloaded, equilibrium");
    AM_TRY(am_schema_read(reading, &am_place_schema, node, &setting->place));
    return am_bind_place(reading, &setting->place, made, &options->displacement, &options->velocity);
}

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    march_setting *setting = settings;
    am_march_options *options = &setting->options;
    const am_node *initial = am_node_get(node, "initial");
    if (am_node_get(node, "check"))
        options->check = setting->check ? AM_MARCH_CHECK_YES : AM_MARCH_CHECK_NO;
    AM_TRY(am_check_span(reading, node, options->from, options->until));
    if (options->method != AM_MARCH_ADAPTIVE && !(options->step > 0.0))
        return am_node_fail(am_node_get(node, "method"), reading->err, AM_ERR_INPUT,
                            "a method of fixed step needs the key 'step'");
    options->preloaded = !initial && am_case_is_preloaded(made);
    if (initial)
        AM_TRY(bind_initial(reading, initial, made, setting));
    return am_bind_vector(reading, &setting->disturbance, "disturbance", made, &options->disturbance);
}

AM_ANALYSIS_RUN(march_setting, am_march)

static am_status check(const am_system *system, const void *settings, am_error *err) {
    return am_march_check_system(system, ((const march_setting *)settings)->options.method, err);
}

const am_analysis_kind am_analysis_march = {
    .schema = &schema,
    .bind = bind,
    .check = check,
    .run = run,

    .figure = "{x: t, y: N1, x_label: t, y_label: N1}",
    .model = "stiffness: [1, 1]\n  mass: [1, 1]\n  damping: [0.02, 0.02]\n"
             "  contacts: [{normal: [0, 1], tangent: [1, 0], friction: 0.3, surface_velocity: 1, law: kelvin-voigt, "
             "contact_stiffness: 100, contact_damping: 0.1}]\n"
             "  loads: [{direction: [0, -1], constant: 1}]\n",
    .model_kind = "structure"};
