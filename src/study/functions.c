#include "study/functions.h"
#include "math/pi.h"

#define VALUE(name_, member, ...) AM_FIELD(name_, NUMBER, am_function_setting, member, __VA_ARGS__)

static void constant_defaults(void *record) {
    am_function_setting *setting = record;
    setting->function = am_function_constant(0);
    setting->given++;
}

static void ramp_defaults(void *record) {
    am_function_setting *setting = record;
    setting->function = am_function_ramp(0, 0);
    setting->given++;
}

static void sine_defaults(void *record) {
    am_function_setting *setting = record;
    setting->function = am_function_sine(0, 0, 0);
    setting->given++;
}

static void table_defaults(void *record) {
    am_function_setting *setting = record;
    setting->function = am_function_table(0, NULL, NULL);
    setting->given++;
}

static void pulse_defaults(void *record) {
    am_function_setting *setting = record;
    setting->function = am_function_pulse(0, 0, 0);
    setting->given++;
}

static void impulse_defaults(void *record) {
    am_function_setting *setting = record;
    setting->function = am_function_impulse(0, 0);
    setting->given++;
}

static const am_field constant_fields[] = {
    VALUE("value", function.value, .required = true, .unit = "force", .about = "the value", .example = "1"),
};

static const am_field ramp_fields[] = {
    VALUE("value", function.value, .initial = "0", .unit = "force", .about = "value at t = 0"),
    VALUE("rate", function.rate, .required = true, .unit = "force/time", .about = "growth per unit time",
          .example = "1"),
};

static const am_field sine_fields[] = {
    VALUE("amplitude", function.amplitude, .required = true, .unit = "force", .about = "of the oscillation",
          .example = "1"),
    VALUE("frequency", function.frequency, .required = true, .range = AM_RANGE_POSITIVE, .unit = "radians/time",
          .about = "angular frequency", .example = "1"),
    VALUE("phase", function.phase, .initial = "0", .unit = "radians", .about = "phase at t = 0"),
    VALUE("phase_deg", phase_deg, .initial = "0", .unit = "degrees", .about = "phase at t = 0, instead of `phase`"),
    VALUE("value", function.value, .initial = "0", .unit = "force", .about = "mean, added to the oscillation"),
};

static const am_field table_fields[] = {
    AM_FIELD("times", NUMBERS, am_function_setting, times, .required = true, .unit = "time",
             .about = "strictly increasing", .example = "[0, 1]"),
    AM_FIELD("values", NUMBERS, am_function_setting, values, .required = true, .unit = "force",
             .about = "one per time; linear in between, constant outside", .example = "[0, 1]"),
    VALUE("period", function.period, .range = AM_RANGE_NOT_NEGATIVE, .initial = "0", .unit = "time",
          .about = "repeat the table for ever with this period; 0: once"),
};

#define TRAIN_FIELDS                                                                                                   \
    VALUE("period", function.period, .range = AM_RANGE_NOT_NEGATIVE, .initial = "0", .unit = "time",                   \
          .about = "from the start of one to the start of the next"),                                                  \
    {                                                                                                                  \
        .name = "repeat", .type = AM_FIELD_COUNT, .offset = offsetof(am_function_setting, function.repeat),            \
        .initial = "1", .about = "how many"                                                                            \
    }

static const am_field pulse_fields[] = {
    VALUE("amplitude", function.amplitude, .required = true, .unit = "force", .about = "height", .example = "1"),
    VALUE("start", function.start, .initial = "0", .unit = "time", .about = "when the first begins"),
    VALUE("duration", function.duration, .required = true, .range = AM_RANGE_POSITIVE, .unit = "time",
          .about = "of one pulse", .example = "1"),
    TRAIN_FIELDS,
};

static const am_field impulse_fields[] = {
    VALUE("amplitude", function.amplitude, .required = true, .unit = "force x time", .about = "size of one blow",
          .example = "1"),
    VALUE("start", function.start, .initial = "0", .unit = "time", .about = "when the first falls"),
    TRAIN_FIELDS,
};

static am_status finish_sine(am_reading *reading, const am_node *node, void *record) {
    am_function_setting *setting = record;
    const am_node *degrees = am_node_get(node, "phase_deg");
    if (degrees && am_node_get(node, "phase"))
        return am_node_fail(degrees, reading->err, AM_ERR_INPUT, "phase and phase_deg cannot both be given");
    if (degrees)
        setting->function.phase = setting->phase_deg * one_degree;
    return AM_OK;
}

static am_status finish_table(am_reading *reading, const am_node *node, void *record) {
    am_function_setting *setting = record;
    (void)node;
    if (setting->times.count != setting->values.count)
        return am_node_fail(setting->values.node, reading->err, AM_ERR_INPUT,
                            "values must be as many as times: %zu, not %zu", setting->times.count,
                            setting->values.count);
    setting->function.count = setting->times.count;
    setting->function.times = setting->times.values;
    setting->function.values = setting->values.values;
    return AM_OK;
}

#define FUNCTION_SCHEMA(key, about_, ...)                                                                              \
    const am_schema am_##key##_schema = {.name = #key,                                                                 \
                                         .title = "function " #key,                                                    \
                                         .about = about_,                                                              \
                                         .size = sizeof(am_function_setting),                                          \
                                         .defaults = key##_defaults,                                                   \
                                         AM_FIELDS(key##_fields),                                                      \
                                         __VA_ARGS__}

FUNCTION_SCHEMA(constant, "The same at all times. `constant: 3` is short for `constant: {value: 3}`.",
                .shorthand = "value");
FUNCTION_SCHEMA(ramp, "value + rate t. `ramp: 1` is short for `ramp: {rate: 1}`.", .shorthand = "rate");
FUNCTION_SCHEMA(sine, "value + amplitude sin(frequency t + phase).", .finish = finish_sine);
FUNCTION_SCHEMA(table, "Linear between points in time, constant outside, or periodic.", .finish = finish_table);
FUNCTION_SCHEMA(pulse, "Smooth pulses amplitude (1 - cos(2 pi (t - start)/duration))/2, zero elsewhere.",
                .shorthand = NULL);
FUNCTION_SCHEMA(impulse, "Blows: a force of no duration whose integral over time is `amplitude`.", .shorthand = NULL);

const am_schema *const am_function_schemas[6] = {&am_constant_schema, &am_ramp_schema,  &am_sine_schema,
                                                 &am_table_schema,    &am_pulse_schema, &am_impulse_schema};

am_status am_function_finish(am_reading *reading, const am_node *node, am_function_setting *setting) {
    if (setting->given != 1)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "%s function of time here; expected one of constant, ramp, sine, table, pulse, impulse",
                            setting->given == 0 ? "there is no" : "there is more than one");
    am_status status = am_function_check(&setting->function, reading->err);
    if (status != AM_OK)
        am_node_locate(node, reading->err);
    return status;
}

static am_status finish_function(am_reading *reading, const am_node *node, void *record) {
    return am_function_finish(reading, node, record);
}

typedef struct only_function {
    am_function_setting function;
} only_function;

static const am_field only_function_fields[] = {AM_FUNCTION_FIELDS(only_function, function)};

const am_schema am_function_schema = {.name = "function",
                                      .title = "a function of time",
                                      .about = "One of the keys below, and nothing else.",
                                      .size = sizeof(only_function),
                                      .finish = finish_function,
                                      AM_FIELDS(only_function_fields)};

static am_status finish_load(am_reading *reading, const am_node *node, void *record) {
    am_load_setting *load = record;
    return am_function_finish(reading, node, &load->function);
}

static const am_field load_fields[] = {
    AM_FIELD("direction", NUMBERS, am_load_setting, direction, .required = true,
             .about = "one number per coordinate: the load is this vector times the function", .example = "[1, -2]"),
    AM_FUNCTION_FIELDS(am_load_setting, function)};

const am_schema am_load_schema = {.name = "load",
                                  .title = "a load",
                                  .about = "A force: a constant direction times one function of time.",
                                  .size = sizeof(am_load_setting),
                                  .finish = finish_load,
                                  AM_FIELDS(load_fields)};

am_status am_load_defs(am_reading *reading, const am_records *loads, size_t n, am_load_def **defs) {
    const am_load_setting *settings = loads->items;
    am_load_def *made = am_arena_new(reading->pool, loads->count, sizeof *made, reading->err);
    if (!made)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < loads->count; i++) {
        const am_numbers *direction = &settings[i].direction;
        if (direction->count != n)
            return am_node_fail(direction->node, reading->err, AM_ERR_INPUT,
                                "direction must have one number per coordinate: %zu, not %zu", n, direction->count);
        made[i] = (am_load_def){direction->values, settings[i].function.function};
    }
    *defs = made;
    return AM_OK;
}
