#include "amontons/path.h"
#include "base/try.h"
#include "engines/quasistatic/check.h"
#include "study/bind.h"
#include "study/models.h"
#include "system/capability.h"

typedef struct path_setting {
    am_path_options options;
    am_numbers displacement;
} path_setting;

AM_ANALYSIS_DEFAULTS(path_setting, am_path)

static const am_word jump_words[] = {{"stop", AM_JUMP_STOP, "say so and fail"},
                                     {"release", AM_JUMP_RELEASE, "the contact at its limit lets go"},
                                     {"dynamics", AM_JUMP_DYNAMICS, "the structure moves until it rests"},
                                     {NULL, 0, NULL}};

static const am_word method_words[] = {{"exact", AM_PATH_EXACT, "corner to corner"},
                                       {"incremental", AM_PATH_INCREMENTAL, "one complementarity problem per step"},
                                       {NULL, 0, NULL}};

static const am_field place_fields[] = {
    AM_FIELD("displacement", NUMBERS, path_setting, displacement, .by_name = true, .initial = "zero", .unit = "length",
             .about = "one number per coordinate"),
};

static const am_schema place_schema = {.name = "initial",
                                       .title = "initial",
                                       .about = "Where the contacts stand at the start.",
                                       .size = sizeof(path_setting),
                                       AM_FIELDS(place_fields)};

static const am_field fields[] = {
    AM_FIELD("until", NUMBER, path_setting, options.until, .initial = "required without cycles", .unit = "time",
             .about = "end of the path", .example = "10"),
    AM_FIELD("from", NUMBER, path_setting, options.from, .initial = "0", .unit = "time", .about = "start of the path"),
    AM_FIELD("cycles", LATER, path_setting, options, .initial = "none",
             .about = "cycles of a periodic load: a number, or until-repeat"),
    AM_FIELD("most_cycles", COUNT, path_setting, options.most_cycles, .initial = "10000",
             .about = "until-repeat gives up after so many cycles"),
    AM_FIELD("most_period", COUNT, path_setting, options.most_period, .initial = "64",
             .about = "longest repetition looked for, in cycles of the load"),
    {.name = "initial",
     .type = AM_FIELD_RECORD,
     .inner = &place_schema,
     .initial = "zero",
     .about = "displacement at the start"},
    AM_FIELD("start", LATER, path_setting, options, .initial = "the only admissible state",
             .about =
                 "tangential position of each contact, all of them closed and stuck; or the state of each contact, "
                 "where several are admissible"),
    AM_FIELD("on_jump", WORD, path_setting, options.on_jump, .words = jump_words, .initial = "stop",
             .about = "what to do where no continuous path exists", .example = "release"),
    AM_FIELD("samples", COUNT, path_setting, options.samples, .most = AM_MOST_SAMPLES, .initial = "201",
             .about = "rows of the table `samples` (until-repeat: per cycle)"),
    AM_FIELD("method", WORD, path_setting, options.method, .words = method_words,
             .initial = "exact; incremental for blocks and meshes, and where exact does not know a law",
             .about = "corner to corner, or by load steps"),
    AM_FIELD("steps", COUNT, path_setting, options.steps, .initial = "200",
             .about = "incremental: load steps over the run, or per cycle"),
};

static const am_schema schema = {.name = "path",
                                 .title = "analysis path",
                                 .about = "Quasi-static evolution, exact from corner to corner, with its jumps.",
                                 .size = sizeof(path_setting),
                                 .defaults = set_defaults,
                                 .has_kind = true,
                                 AM_FIELDS(fields)};

static am_status bind_cycles(am_reading *reading, const am_node *node, path_setting *setting) {
    am_path_options *options = &setting->options;
    const am_node *cycles = am_node_get(node, "cycles");
    if (!cycles)
        return am_node_get(node, "until") ? am_check_span(reading, node, options->from, options->until)
                                          : am_node_fail(node, reading->err, AM_ERR_INPUT,
                                                         "a path needs `until`, the time at which it ends, or "
                                                         "`cycles` of a periodic load");
    if (am_node_get(node, "until"))
        return am_node_fail(am_node_get(node, "until"), reading->err, AM_ERR_INPUT,
                            "`until` and `cycles` both say when the path ends; give one of them");
    options->until_repeat = am_node_is_text(cycles, "until-repeat");
    double number;
    if (options->until_repeat)
        return AM_OK;
    if (!am_node_number(cycles, &number))
        return am_node_fail(cycles, reading->err, AM_ERR_INPUT, "cycles must be a number of cycles, or until-repeat");
    AM_TRY(am_read_count(reading, cycles, "cycles", &options->cycles));
    if (options->cycles == 0)
        return am_node_fail(cycles, reading->err, AM_ERR_INPUT, "cycles must be at least 1, or until-repeat");
    return AM_OK;
}

static bool holds_numbers(const am_node *node) {
    double number;
    const am_node *first = node->kind == AM_NODE_LIST && node->count > 0 ? node->items[0] : node;
    return am_node_number(first, &number);
}

/* Positions or states: told apart by their first item. */
static am_status bind_start(am_reading *reading, const am_node *start, const am_system *system, path_setting *setting) {
    am_words words = {0};
    am_numbers position = {0};
    if (!holds_numbers(start)) {
        AM_TRY(am_read_words(reading, start, "start", am_state_words, &words));
        return am_bind_states(reading, &words, "start", system, &setting->options.start);
    }
    AM_TRY(am_read_numbers(reading, start, "start", AM_RANGE_ANY, 0, &position));
    if (position.count != am_system_contacts(system))
        return am_node_fail(start, reading->err, AM_ERR_INPUT, "start must have one position per contact: %zu, not %zu",
                            am_system_contacts(system), position.count);
    if (setting->displacement.values)
        return am_node_fail(start, reading->err, AM_ERR_INPUT,
                            "positions in `start` and displacements in `initial` both say where the path begins; give "
                            "one of them");
    setting->options.position = position.values;
    return AM_OK;
}

/* Corner to corner takes too long where contacts are many, and knows neither curved forces nor friction that drops. */
static am_status choose_method(const am_case *made, am_path_options *options, am_error *err) {
    static const char *const known[] = {"path with method: exact", "path with method: incremental"};
    am_status answer[2];
    for (size_t i = 0; i < 2; i++) {
        am_error own = {0};
        answer[i] = am_system_check(made->system, known[i], &own);
        if (am_status_is_fatal(answer[i])) {
            *err = own;
            return answer[i];
        }
    }
    if (made->model.kind->many || (answer[0] && !answer[1]))
        options->method = AM_PATH_INCREMENTAL;
    return AM_OK;
}

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    path_setting *setting = settings;
    am_path_options *options = &setting->options;
    const am_node *start = am_node_get(node, "start");
    if (!am_node_get(node, "method"))
        AM_TRY(choose_method(made, options, reading->err));
    AM_TRY(bind_cycles(reading, node, setting));
    AM_TRY(am_bind_vector(reading, &setting->displacement, "displacement", made, &options->displacement));
    return start ? bind_start(reading, start, made->system, setting) : AM_OK;
}

AM_ANALYSIS_RUN(path_setting, am_path)

const am_path_options *am_analysis_path_options(const void *settings) {
    const path_setting *setting = settings;
    return &setting->options;
}

static am_status check(const am_system *system, const void *settings, am_error *err) {
    bool steps = am_analysis_path_options(settings)->method == AM_PATH_INCREMENTAL;
    return steps ? am_path_check_steps(system, err) : am_path_check(system, err);
}

const am_analysis_kind am_analysis_path = {.schema = &schema,
                                           .bind = bind,
                                           .check = check,
                                           .run = run,

                                           .figure = "{x: u1, y: u2, x_label: u1, y_label: u2}"};
