#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "amontons/response.h"
#include "base/text.h"
#include "base/try.h"
#include "math/pi.h"
#include "study/bind.h"
#include "study/model_numbers.h"
#include "study/unknown_number.h"

/* Points that are followed along a second number. */
typedef struct curves_setting {
    am_response_folds curves;
    const char *along; /* NULL: they are not followed */
} curves_setting;

typedef struct response_setting {
    am_response_options options;
    const char *over, *harmonics, *coordinate;
    am_texts pattern; /* of the start */
    am_texts hysteresis;
    double start; /* value of the parameter there; NaN: the model's own */
    am_numbers values;
    size_t seed; /* of isolas */
    curves_setting folds, bifurcations;
    am_records controls;      /* control_setting */
    am_model_numbers numbers; /* of the model */
} response_setting;

typedef struct control_setting {
    am_response_control control;
    const char *coordinate, *by;
} control_setting;

/* ---- Fields ---- */

static void set_defaults(void *record) {
    response_setting *setting = record;
    setting->options = am_response_options_default();
    setting->options.from = setting->options.to = NAN;
    setting->start = NAN;
}

static const am_field start_fields[] = {
    AM_FIELD(
        "pattern", TEXTS, response_setting, pattern,
        .about =
            "what each coordinate does: 0 rests, 1 vibrates on its largest own cycle (-1: in opposite phase; 0.5: half "
            "as "
            "much), s on its smallest; i before a sign-free entry is a quarter of a period behind (i, is), @ gives a "
            "phase in degrees (1@120)",
        .example = "[1]"),
    AM_FIELD("at", NUMBER, response_setting, start, .initial = "the model's own value",
             .about = "value of the parameter at which the branch starts"),
};

static const am_schema start_schema = {.name = "start",
                                       .title = "start",
                                       .about = "The self-excited motion from which a branch is followed both ways.",
                                       .size = sizeof(response_setting),
                                       AM_FIELDS(start_fields)};

static const am_word stability_words[] = {
    {"auto", AM_RESPONSE_STABILITY_AUTO, "proved where all motions approach each other, else floquet where needed"},
    {"hill", AM_RESPONSE_STABILITY_HILL, "exponents of the balanced equations, withheld where they have not converged"},
    {"floquet", AM_RESPONSE_STABILITY_FLOQUET, "multipliers of the exact motion next to each point"},
    {"none", AM_RESPONSE_STABILITY_NONE, "not asked for"},
    {NULL, 0, NULL}};

/* Where they are sought at all. */
static void isolas_defaults(void *record) {
    response_setting *setting = record;
    setting->options.isolas.count = 5;
}

static am_status isolas_finish(am_reading *reading, const am_node *node, void *record) {
    response_setting *setting = record;
    const am_node *count = am_node_get(node, "count");
    if (setting->options.isolas.at && count)
        return am_node_fail(count, reading->err, AM_ERR_INPUT,
                            "either `at` or `count`: both say where motions are sought");
    if (!setting->options.isolas.at && setting->options.isolas.count == 0)
        return am_node_fail(count, reading->err, AM_ERR_INPUT, "count is 0; motions must be sought somewhere");
    setting->options.isolas.seed = setting->seed;
    return AM_OK;
}

static const am_field isolas_fields[] = {
    AM_FIELD("at", LIST, response_setting, options.isolas.at,
             .counted = offsetof(response_setting, options.isolas.count),
             .initial = "spread over the range, and where the branches known are largest",
             .about = "values of the parameter at which motions are sought"),
    AM_FIELD("count", COUNT, response_setting, options.isolas.count, .initial = "5",
             .about = "how many values, when `at` is not given"),
    AM_FIELD("starts", COUNT, response_setting, options.isolas.starts, .initial = "24",
             .about = "motions followed in time at each value until they repeat"),
    AM_FIELD("guesses", COUNT, response_setting, options.isolas.guesses, .initial = "64",
             .about = "random guesses of the balance at each value"),
    AM_FIELD("within", NUMBER, response_setting, options.isolas.within, AM_POSITIVE, .initial = "3",
             .about = "starts and guesses are up to so many times as large as the branches known"),
    AM_FIELD("seed", COUNT, response_setting, seed, .initial = "0", .about = "another one gives other starts"),
};

static const am_schema isolas_schema = {.name = "isolas",
                                        .title = "isolas",
                                        .about = "Other motions of a forced structure, sought at some values of the "
                                                 "parameter; what lies on no branch is followed.",
                                        .size = sizeof(response_setting),
                                        .defaults = isolas_defaults,
                                        .finish = isolas_finish,
                                        AM_FIELDS(isolas_fields)};

static const am_field folds_fields[] = {
    AM_FIELD("along", TEXT, curves_setting, along, .required = true,
             .about = "another number of the model, by its name", .example = "beta"),
    AM_FIELD("from", NUMBER, curves_setting, curves.from, .required = true, .about = "its least value",
             .example = "0.1"),
    AM_FIELD("to", NUMBER, curves_setting, curves.to, .required = true,
             .about = "its greatest value; the model's own lies between", .example = "3"),
    AM_FIELD("most_points", COUNT, curves_setting, curves.most_points, .initial = "2000",
             .about = "of one curve and side"),
};

static void curves_defaults(void *record) {
    curves_setting *setting = record;
    *setting = (curves_setting){.curves = am_response_options_default().fold_curves};
}

static const am_schema bifurcations_schema = {
    .name = "bifurcations",
    .title = "bifurcations",
    .about =
        "Period doublings and Neimark-Sacker points of the exact motions, followed along a second number of the model.",
    .size = sizeof(curves_setting),
    .defaults = curves_defaults,
    AM_FIELDS(folds_fields)};

static const am_schema folds_schema = {.name = "folds",
                                       .title = "folds",
                                       .about =
                                           "The folds of the branches, followed along a second number of the model.",
                                       .size = sizeof(curves_setting),
                                       .defaults = curves_defaults,
                                       AM_FIELDS(folds_fields)};

static void control_defaults(void *record) {
    control_setting *setting = record;
    setting->control = (am_response_control){.harmonic = 1, .amplitude = NAN, .lag = NAN, .load = SIZE_MAX};
}

static am_status control_finish(am_reading *reading, const am_node *node, void *record) {
    const control_setting *setting = record;
    return isnan(setting->control.amplitude) == isnan(setting->control.lag)
               ? am_node_fail(
                     node, reading->err, AM_ERR_INPUT,
                     "control needs one of `amplitude` (that the coordinate shall have) and `lag_deg` (degrees "
                     "that it shall be behind the load)")
               : AM_OK;
}

static const am_field control_fields[] = {
    AM_FIELD("coordinate", TEXT, control_setting, coordinate, .required = true, .about = "that is controlled",
             .example = "q1"),
    AM_FIELD("amplitude", NUMBER, control_setting, control.amplitude, AM_POSITIVE, .optional = true, .initial = "free",
             .unit = "length", .about = "of its harmonic"),
    AM_FIELD("lag_deg", NUMBER, control_setting, control.lag, .optional = true, .factor = &one_degree,
             .initial = "free", .unit = "degrees",
             .about =
                 "phase of its harmonic behind that of the load: 90 in phase resonance (-90 where it moves against "
                 "the load)"),
    AM_FIELD("by", TEXT, control_setting, by, .required = true,
             .about = "number of the model that meets the condition: the amplitude of a load, or the frequency",
             .example = "loads.0.sine.amplitude"),
    AM_FIELD("harmonic", COUNT, control_setting, control.harmonic, .least = 1, .initial = "1",
             .about = "of the motion, that the condition is of"),
    AM_FIELD("load", COUNT, control_setting, control.load, .initial = "the only one with this harmonic",
             .about = "that a phase is told from; 0 is loads.0"),
};

static const am_schema control_schema = {.name = "control",
                                         .title = "control",
                                         .about = "A condition that the motion shall meet, and the number of the model "
                                                  "that is free for it.",
                                         .size = sizeof(control_setting),
                                         .defaults = control_defaults,
                                         .finish = control_finish,
                                         AM_FIELDS(control_fields)};

static const am_field fields[] = {
    AM_FIELD("over", TEXT, response_setting, over, .initial = "one motion at the model's own values",
             .about = "number of the model along which the motion is followed", .example = "Omega"),
    AM_FIELD("from", NUMBER, response_setting, options.from, .initial = "around the start", .about = "its first value",
             .example = "0.6"),
    AM_FIELD("to", NUMBER, response_setting, options.to, .initial = "around the start", .about = "its last value",
             .example = "1.8"),
    AM_FIELD("harmonics", TEXT, response_setting, harmonics, .initial = "auto",
             .about = "highest harmonic, or auto: as many as the tolerance needs", .example = "7"),
    AM_FIELD("tolerance", NUMBER, response_setting, options.tolerance, AM_POSITIVE,
             .initial = "1e-6 with harmonics auto, 0.5 with a number",
             .about = "how much the harmonics left out may move the motion, relative to its size; the study fails "
                      "where that is not met"),
    AM_FIELD("most_harmonics", COUNT, response_setting, options.most_harmonics, .initial = "96",
             .about = "harmonics auto: most"),
    AM_FIELD("parity", WORD, response_setting, options.parity, .words = am_parity_words, .initial = "auto",
             .about = "harmonics that are kept"),
    AM_FIELD("frequency", NUMBER, response_setting, options.omega, AM_POSITIVE, .initial = "that of the loads",
             .unit = "1/time",
             .about = "of the first harmonic (for subharmonic motions; the loads' must be multiples)"),
    AM_FIELD("coordinate", TEXT, response_setting, coordinate, .initial = "the one that moves most",
             .about = "whose amplitude `peak` means"),
    AM_FIELD("start", RECORD, response_setting, options, .inner = &start_schema,
             .about = "self-excited motions: where to begin"),
    AM_FIELD("stability", WORD, response_setting, options.stability, .words = stability_words, .initial = "auto",
             .about = "how stability is judged"),
    AM_FIELD("branches", FLAG, response_setting, options.branches, .initial = "false",
             .about = "follow the branches that leave at branch points, too"),
    AM_FIELD("most_branches", COUNT, response_setting, options.most_branches, .initial = "20", .about = "of them"),
    AM_FIELD("contact_cycles", FLAG, response_setting, options.cycles.contact_cycles, .initial = "false",
             .about = "what each contact does in a period at the peak and at `values`: losses, stick, slip"),
    AM_FIELD("hysteresis", TEXTS, response_setting, hysteresis, .initial = "none",
             .about = "contacts whose forces over the period are wanted there"),
    AM_FIELD("most_points", COUNT, response_setting, options.most_points, .initial = "10000", .about = "of one branch"),
    AM_FIELD("largest_step", NUMBER, response_setting, options.largest_step, AM_POSITIVE, .initial = "chosen",
             .about = "of the parameter, about"),
    AM_FIELD("values", NUMBERS, response_setting, values, .initial = "none",
             .about = "of the parameter, to be hit exactly"),
    AM_FIELD("isolas", RECORD, response_setting, options, .inner = &isolas_schema, .initial = "not sought",
             .about = "forced motions: seek those that lie on no branch followed so far"),
    AM_FIELD("folds", RECORD, response_setting, folds, .inner = &folds_schema, .initial = "not followed",
             .about = "follow the folds along a second number of the model"),
    AM_FIELD("bifurcations", RECORD, response_setting, bifurcations, .inner = &bifurcations_schema,
             .initial = "not followed",
             .about = "follow period doublings and Neimark-Sacker points along a second number of the model"),
    AM_FIELD("control", RECORDS, response_setting, controls, .inner = &control_schema, .initial = "the loads are given",
             .about = "amplitudes or phases that are kept, and the loads or the frequency found that keep them"),
};

static const am_schema schema = {.name = "response",
                                 .title = "analysis response",
                                 .about =
                                     "Periodic motions by harmonic balance, forced or self-excited, followed along "
                                     "a number of the model through folds; peaks, special points, stability.",
                                 .size = sizeof(response_setting),
                                 .defaults = set_defaults,
                                 .has_kind = true,
                                 AM_FIELDS(fields)};

/* ---- Reading ---- */

/* "0", "1", "-1", "0.7", "s", "-s", "i", "-i", "is", "l", "1@90" */
static bool parse_site(const char *text, am_response_site *site) {
    *site = (am_response_site){.amplitude = 1.0};
    const char *angle = strchr(text, '@');
    char head[64];
    size_t length = angle ? (size_t)(angle - text) : strlen(text);
    if (length == 0 || length >= sizeof head)
        return false;
    memcpy(head, text, length);
    head[length] = '\0';
    double number = 0.0;
    if (angle && !am_text_parse_number(angle + 1, &number))
        return false;
    site->phase = number * one_degree;
    const char *rest = head;
    if (*rest == '-' && isalpha((unsigned char)rest[1])) {
        site->amplitude = -1.0;
        rest++;
    }
    if (*rest == 'i') {
        site->phase += 90.0 * one_degree;
        rest++;
        if (*rest == '\0')
            return true;
    }
    if (strcmp(rest, "s") == 0 || strcmp(rest, "l") == 0) {
        site->small = *rest == 's';
        return true;
    }
    if (rest != head || !am_text_parse_number(rest, &site->amplitude))
        return false;
    return isfinite(site->amplitude);
}

static am_status read_pattern(am_reading *reading, const am_system *system, response_setting *setting) {
    const am_texts *pattern = &setting->pattern;
    size_t n = am_system_size(system);
    if (!pattern->values)
        return AM_OK;
    if (pattern->count != n)
        return am_node_fail(pattern->node, reading->err, AM_ERR_INPUT,
                            "the pattern has %zu entries; expected one for each of %zu coordinates", pattern->count, n);
    am_response_site *sites = am_arena_new(reading->pool, n, sizeof *sites, reading->err);
    if (!sites)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        if (!parse_site(pattern->values[i], &sites[i]))
            return am_node_fail(pattern->node->items[i], reading->err, AM_ERR_INPUT,
                                "'%s' is no entry of a pattern; expected a number such as 0, 1 or -1, or s, l, i, is, "
                                "with a sign before or a phase behind (1@90)",
                                pattern->values[i]);
    setting->options.sites = sites;
    setting->options.site_count = n;
    return AM_OK;
}

/* A self-excited branch starts at the model's value and needs no range; a forced one begins at `from`. */
static am_status choose_range(am_reading *reading, const am_node *node, response_setting *setting) {
    am_response_options *o = &setting->options;
    double value = isfinite(setting->start) ? setting->start : setting->numbers.value[o->number];
    bool pattern = o->site_count > 0;
    if (!pattern && (isnan(o->from) || isnan(o->to)))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "a response over %s needs its range: from and to",
                            setting->over);
    if (pattern && isnan(value))
        value = isnan(o->from) ? 0.0 : o->from;
    double width = fmax(1.0, fabs(value));
    if (isnan(o->from))
        o->from = isnan(o->to) || value - width < o->to ? value - width : o->to - width;
    if (isnan(o->to))
        o->to = value + width > o->from ? value + width : o->from + width;
    if (o->from == o->to)
        return am_node_fail(am_node_get(node, "to"), reading->err, AM_ERR_INPUT, "from and to are the same");
    if (isfinite(setting->start) || (pattern && value > fmin(o->from, o->to) && value < fmax(o->from, o->to)))
        o->at = value;
    return AM_OK;
}

static am_status check_values(am_reading *reading, const am_node *node, const response_setting *setting) {
    const am_response_options *o = &setting->options;
    const double ends[3][2] = {{o->from}, {o->to}, {o->at}};
    size_t first = am_node_get(node, "from") && am_node_get(node, "to") ? 0 : 2, last = isfinite(o->at) ? 3 : 2;
    AM_TRY(am_model_numbers_accept(&setting->numbers, last - first, ends + first, reading->err));
    for (size_t i = 0; i < o->value_count; i++)
        if (o->values[i] < fmin(o->from, o->to) || o->values[i] > fmax(o->from, o->to))
            return am_node_fail(setting->values.node, reading->err, AM_ERR_INPUT,
                                "the value %g of %s lies outside its range from %g to %g", o->values[i], setting->over,
                                o->from, o->to);
    return AM_OK;
}

/* Nothing varies: what says how has no meaning. */
static am_status bind_one_motion(am_reading *reading, const am_node *node, response_setting *setting) {
    static const char *const others[] = {"from",   "to",    "values",       "largest_step",
                                         "isolas", "folds", "bifurcations", "control"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (am_node_get(node, others[i]))
            return am_node_fail(am_node_get(node, others[i]), reading->err, AM_ERR_INPUT,
                                "%s needs `over:`, the number of the model that varies", others[i]);
    setting->options.number = SIZE_MAX;
    setting->options.from = setting->options.to = 0.0;
    return AM_OK;
}

/* Folds and bifurcations start at the model's own value of their number, and must find a model at both ends of its range. */
static am_status bind_curves(am_reading *reading, const am_node *node, const char *what, response_setting *setting,
                             const curves_setting *given, am_response_folds *o) {
    am_model_numbers *numbers = &setting->numbers;
    const am_node *along = am_node_get(am_node_get(node, what), "along");
    if (!along)
        return AM_OK;
    if (am_model_numbers_have(numbers, given->along) && numbers->count == 1)
        return am_node_fail(along, reading->err, AM_ERR_INPUT, "%s along %s need another number than that of `over`",
                            what, given->along);
    if (numbers->count > 1)
        return am_node_fail(along, reading->err, AM_ERR_INPUT, "either folds or bifurcations are followed");
    *o = given->curves;
    o->number = am_model_numbers_add(numbers, given->along, along);
    if (isnan(numbers->value[o->number])) {
        am_node_fail(along, reading->err, AM_ERR_INPUT, "the model has no number %s to begin with", given->along);
        am_suggest_number(numbers->model, am_model_path_short(given->along), "", reading->err);
        return AM_ERR_INPUT;
    }
    const double ends[2][2] = {{setting->options.from, o->from}, {setting->options.from, o->to}};
    return am_model_numbers_accept(numbers, 2, ends, reading->err);
}

/* Each condition has a number of the model that begins with the study's own value. */
static am_status bind_control(am_reading *reading, const am_case *made, response_setting *setting, size_t i,
                              am_response_control *control) {
    const control_setting *given = (const control_setting *)setting->controls.items + i;
    const am_node *node = setting->controls.nodes[i], *by = am_node_get(node, "by");
    am_model_numbers *numbers = &setting->numbers;
    *control = given->control;
    AM_TRY(am_bind_coordinate(reading, node, given->coordinate, made, &control->coordinate));
    if (control->load != SIZE_MAX && control->load >= am_system_loads(made->system))
        return am_node_fail(am_node_get(node, "load"), reading->err, AM_ERR_INPUT,
                            "there are %zu loads, and none with the number %zu (the first is 0)",
                            am_system_loads(made->system), control->load);
    if (am_model_numbers_have(numbers, given->by))
        return am_node_fail(by, reading->err, AM_ERR_INPUT,
                            "%s is varied already: each condition needs a number of its own to be met by", given->by);
    if (numbers->count == AM_MODEL_NUMBERS)
        return am_node_fail(by, reading->err, AM_ERR_INPUT, "at most %d numbers can be varied", AM_MODEL_NUMBERS);
    control->number = am_model_numbers_add(numbers, given->by, by);
    if (isnan(numbers->value[control->number])) {
        am_node_fail(by, reading->err, AM_ERR_INPUT, "the model has no number %s to begin with", given->by);
        am_suggest_number(numbers->model, am_model_path_short(given->by), "", reading->err);
        return AM_ERR_INPUT;
    }
    return AM_OK;
}

static am_status bind_controls(am_reading *reading, const am_case *made, response_setting *setting) {
    size_t count = setting->controls.count;
    am_response_control *controls = am_arena_new(reading->pool, count, sizeof *controls, reading->err);
    if (!controls)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        AM_TRY(bind_control(reading, made, setting, i, &controls[i]));
    setting->options.controls = controls;
    setting->options.control_count = count;
    return AM_OK;
}

static am_status bind_number(am_reading *reading, const am_node *node, const am_case *made, response_setting *setting) {
    const am_node *over = am_node_get(node, "over");
    setting->numbers = am_model_numbers_of(am_node_get(made->root, "model"), reading->files, &made->model);
    if (!setting->over)
        return bind_one_motion(reading, node, setting);
    const am_field *field = am_schema_field(made->model.kind->schema, am_model_path_short(setting->over));
    if (field && field->type == AM_FIELD_COUNT)
        return am_node_fail(over, reading->err, AM_ERR_INPUT,
                            "%s is a whole number: it cannot be followed; a sweep takes its values one by one",
                            setting->over);
    setting->options.number = am_model_numbers_add(&setting->numbers, setting->over, over);
    AM_TRY(choose_range(reading, node, setting));
    AM_TRY(check_values(reading, node, setting));
    AM_TRY(bind_curves(reading, node, "folds", setting, &setting->folds, &setting->options.fold_curves));
    AM_TRY(bind_curves(reading, node, "bifurcations", setting, &setting->bifurcations,
                       &setting->options.bifurcation_curves));
    return bind_controls(reading, made, setting);
}

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    response_setting *setting = settings;
    setting->options.cycles.hysteresis = setting->hysteresis.values;
    setting->options.cycles.hysteresis_count = setting->hysteresis.count;
    AM_TRY(am_check_contact_names(reading, &setting->hysteresis, made->system));
    setting->options.values = setting->values.values;
    setting->options.value_count = setting->values.count;
    AM_TRY(am_bind_harmonics(reading, node, setting->harmonics, &setting->options.harmonics));
    AM_TRY(am_bind_coordinate(reading, node, setting->coordinate, made, &setting->options.coordinate));
    AM_TRY(read_pattern(reading, made->system, setting));
    return bind_number(reading, node, made, setting);
}

static am_status run(const am_system *system, const void *settings, am_result *result, const am_progress *progress,
                     am_error *err) {
    const response_setting *setting = settings;
    am_model *model = am_model_numbers_open(&setting->numbers, err);
    (void)system;
    am_status status = model ? am_response_run(model, &setting->options, result, progress, err) : AM_ERR_MEMORY;
    am_model_free(model);
    return status;
}

const am_analysis_kind am_analysis_response = {
    .schema = &schema,
    .bind = bind,
    .run = run,

    .figure = "{table: branch, x: Omega, y: amplitude, x_label: Omega, y_label: amplitude}",
    .model = "k_ratio: 1.5\n  zeta: 0.1\n  beta: 0.6\n",
    .model_kind = "griffin"};
