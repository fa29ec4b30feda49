#include "study/functions.h"
#include "base/try.h"
#include "math/pi.h"

#define VALUE(name_, member, ...) AM_FIELD(name_, NUMBER, am_function, member, __VA_ARGS__)

static const am_field constant_fields[] = {
    VALUE("value", value, .required = true, .unit = "force", .about = "the value", .example = "1"),
};

static const am_field ramp_fields[] = {
    VALUE("value", value, .initial = "0", .unit = "force", .about = "value at t = 0"),
    VALUE("rate", rate, .required = true, .unit = "force/time", .about = "growth per unit time", .example = "1"),
};

static const am_field sine_fields[] = {
    VALUE("amplitude", amplitude, .required = true, .unit = "force", .about = "of the oscillation", .example = "1"),
    VALUE("frequency", frequency, .required = true, AM_POSITIVE, .unit = "radians/time", .about = "angular frequency",
          .example = "1"),
    VALUE("phase", phase, .initial = "0", .unit = "radians", .about = "phase at t = 0"),
    VALUE("phase_deg", phase, .factor = &one_degree, .instead_of = "phase", .initial = "0", .unit = "degrees",
          .about = "phase at t = 0, instead of `phase`"),
    VALUE("value", value, .initial = "0", .unit = "force", .about = "mean, added to the oscillation"),
};

static const am_field table_fields[] = {
    AM_FIELD("times", LIST, am_function, times, .counted = offsetof(am_function, count), .required = true,
             .unit = "time", .about = "strictly increasing", .example = "[0, 1]"),
    AM_FIELD("values", LIST, am_function, values, .counted = offsetof(am_function, count), .required = true,
             .unit = "force", .about = "one per time; linear in between, constant outside", .example = "[0, 1]"),
    VALUE("period", period, AM_NOT_NEGATIVE, .initial = "0", .unit = "time",
          .about = "repeat the table for ever with this period; 0: once"),
};

#define TRAIN_FIELDS                                                                                                   \
    VALUE("period", period, AM_NOT_NEGATIVE, .initial = "0", .unit = "time",                                           \
          .about = "from the start of one to the start of the next"),                                                  \
        AM_FIELD("repeat", COUNT, am_function, repeat, .initial = "1", .about = "how many")

static const am_field pulse_fields[] = {
    VALUE("amplitude", amplitude, .required = true, .unit = "force", .about = "height", .example = "1"),
    VALUE("start", start, .initial = "0", .unit = "time", .about = "when the first begins"),
    VALUE("duration", duration, .required = true, AM_POSITIVE, .unit = "time", .about = "of one pulse", .example = "1"),
    TRAIN_FIELDS,
};

static const am_field impulse_fields[] = {
    VALUE("amplitude", amplitude, .required = true, .unit = "force x time", .about = "size of one blow",
          .example = "1"),
    VALUE("start", start, .initial = "0", .unit = "time", .about = "when the first falls"),
    TRAIN_FIELDS,
};

static am_status finish_table(am_reading *reading, const am_node *node, void *record) {
    const am_node *times = am_node_get(node, "times"), *values = am_node_get(node, "values");
    (void)record;
    if (times->count != values->count)
        return am_node_fail(values, reading->err, AM_ERR_INPUT, "values must be as many as times: %zu, not %zu",
                            times->count, values->count);
    return AM_OK;
}

#define FUNCTION_SCHEMA(key, initial_, about_, ...)                                                                    \
    static void key##_defaults(void *record) {                                                                         \
        *(am_function *)record = initial_;                                                                             \
    }                                                                                                                  \
    const am_schema am_##key##_schema = {.name = #key,                                                                 \
                                         .title = "function " #key,                                                    \
                                         .about = about_,                                                              \
                                         .size = sizeof(am_function),                                                  \
                                         .defaults = key##_defaults,                                                   \
                                         AM_FIELDS(key##_fields),                                                      \
                                         __VA_ARGS__}

FUNCTION_SCHEMA(constant, am_function_constant(0),
                "The same at all times. `constant: 3` is short for `constant: {value: 3}`.", .shorthand = "value");
FUNCTION_SCHEMA(ramp, am_function_ramp(0, 0), "value + rate t. `ramp: 1` is short for `ramp: {rate: 1}`.",
                .shorthand = "rate");
FUNCTION_SCHEMA(sine, am_function_sine(0, 0, 0), "value + amplitude sin(frequency t + phase).", .shorthand = NULL);
FUNCTION_SCHEMA(table, am_function_table(0, NULL, NULL),
                "Linear between points in time, constant outside, or periodic.", .finish = finish_table);
FUNCTION_SCHEMA(pulse, am_function_pulse(0, 0, 0),
                "Smooth pulses amplitude (1 - cos(2 pi (t - start)/duration))/2, zero elsewhere.", .shorthand = NULL);
FUNCTION_SCHEMA(impulse, am_function_impulse(0, 0),
                "Blows: a force of no duration whose integral over time is `amplitude`.", .shorthand = NULL);

const am_schema *const am_function_schemas[6] = {&am_constant_schema, &am_ramp_schema,  &am_sine_schema,
                                                 &am_table_schema,    &am_pulse_schema, &am_impulse_schema};

size_t am_functions_given(const am_node *node) {
    size_t given = node->kind != AM_NODE_MAP; /* a number */
    for (size_t i = 0; i < sizeof am_function_schemas / sizeof *am_function_schemas; i++)
        given += am_node_get(node, am_function_schemas[i]->name) != NULL;
    return given;
}

am_status am_function_finish(am_reading *reading, const am_node *node, const am_function *function) {
    size_t given = am_functions_given(node);
    if (given != 1)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "%s function of time here; expected one of constant, ramp, sine, table, pulse, impulse",
                            given == 0 ? "there is no" : "there is more than one");
    am_status status = am_function_check(function, reading->err);
    if (status != AM_OK)
        am_node_locate(node, reading->err);
    return status;
}

static am_status finish_function(am_reading *reading, const am_node *node, void *record) {
    return am_function_finish(reading, node, record);
}

static const am_field function_fields[] = {AM_FUNCTION_FIELDS(0)};

const am_schema am_function_schema = {.name = "function",
                                      .title = "a function of time",
                                      .about = "One of the keys below, and nothing else.",
                                      .size = sizeof(am_function),
                                      .finish = finish_function,
                                      AM_FIELDS(function_fields)};

static am_status finish_load(am_reading *reading, const am_node *node, void *record) {
    return am_function_finish(reading, node, &((am_load_def *)record)->function);
}

static const am_field load_fields[] = {
    AM_FIELD("direction", VECTOR, am_load_def, direction, .required = true,
             .about = "one number per coordinate: the load is this vector times the function", .example = "[1, -2]"),
    AM_FUNCTION_FIELDS(offsetof(am_load_def, function))};

const am_schema am_load_schema = {.name = "load",
                                  .title = "a load",
                                  .about = "A force: a constant direction times one function of time.",
                                  .size = sizeof(am_load_def),
                                  .finish = finish_load,
                                  AM_FIELDS(load_fields)};

am_status am_check_rows(am_reading *reading, const am_records *records, const char *key, size_t n) {
    for (size_t i = 0; i < records->count; i++) {
        const am_node *row = am_node_get(records->nodes[i], key);
        if (row && row->count != n)
            return am_node_fail(row, reading->err, AM_ERR_INPUT, "%s must have one number per coordinate: %zu, not %zu",
                                key, n, row->count);
    }
    return AM_OK;
}
