#include "study/functions.h"
#include "base/try.h"

#include <math.h>

#include "math/pi.h"
#include "study/number_hint.h"
#include "study/record_file.h"

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
    VALUE("frequency", frequency, AM_POSITIVE, .initial = "from `multiple`", .unit = "radians/time",
          .about = "angular frequency", .example = "1"),
    AM_FIELD("multiple", LATER, am_function, frequency, .instead_of = "frequency", .initial = "none",
             .about = "so many times Omega of the model (a structure), instead of `frequency`"),
    VALUE("phase", phase, .initial = "0", .unit = "radians", .about = "phase at t = 0"),
    VALUE("phase_deg", phase, .factor = &one_degree, .instead_of = "phase", .initial = "0", .unit = "degrees",
          .about = "phase at t = 0, instead of `phase`"),
    VALUE("value", value, .initial = "0", .unit = "force", .about = "mean, added to the oscillation"),
};

#define DERIVATIVE                                                                                                     \
    AM_FIELD("derivative", DEGREE, am_function, derivative, .most = 2, .initial = "0",                                 \
             .about = "1 or 2: the function is this derivative of it")

static const am_field table_fields[] = {
    AM_FIELD("times", LIST, am_function, times, .counted = offsetof(am_function, count), .initial = "from the file",
             .unit = "time", .about = "strictly increasing", .example = "[0, 1]"),
    AM_FIELD("values", LIST, am_function, values, .counted = offsetof(am_function, count), .initial = "from the file",
             .unit = "force", .about = "one per time; constant outside", .example = "[0, 1]"),
    AM_FIELD("file", LATER, am_function, times, .instead_of = "times values", .initial = "none",
             .about = "instead of times and values: a CSV file, relative to the study file"),
    AM_FIELD("time", LATER, am_function, times, .initial = "1",
             .about = "column of the times in the file: its name or its number from 1"),
    AM_FIELD("value", LATER, am_function, values, .initial = "2", .about = "column of the values, the same way"),
    AM_FIELD("step", LATER, am_function, times, .instead_of = "times time", .initial = "none", .unit = "time",
             .about = "time between values, from 0 on: the file (or `values`) has no times"),
    AM_FIELD("scale", LATER, am_function, values, .initial = "1", .about = "factor of the values (9.81: from g)"),
    AM_FIELD("interpolation", LATER, am_function, moments, .initial = "linear",
             .about = "linear, or cubic: a spline, smooth at its points and natural at its ends"),
    VALUE("period", period, AM_NOT_NEGATIVE, .initial = "0", .unit = "time",
          .about = "repeat the table for ever with this period; 0: once"),
    DERIVATIVE,
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
    DERIVATIVE,
};

static const am_field impulse_fields[] = {
    VALUE("amplitude", amplitude, .required = true, .unit = "force x time", .about = "size of one blow",
          .example = "1"),
    VALUE("start", start, .initial = "0", .unit = "time", .about = "when the first falls"),
    TRAIN_FIELDS,
};

static const am_field chirp_fields[] = {
    VALUE("amplitude", amplitude, .required = true, .unit = "force", .about = "of the oscillation", .example = "1"),
    VALUE("from", frequency, .required = true, AM_NOT_NEGATIVE, .unit = "radians/time",
          .about = "angular frequency at the start", .example = "1"),
    AM_FIELD("to", LATER, am_function, rate, .required = true, .unit = "radians/time",
             .about = "angular frequency at the end, which it keeps from then on", .example = "2"),
    VALUE("duration", duration, AM_POSITIVE, .initial = "from the rate", .unit = "time",
          .about = "from the start to the end", .example = "10"),
    VALUE("rate", rate, .instead_of = "duration", .initial = "from the duration", .unit = "radians/time^2",
          .about = "growth of the frequency per unit time, instead of `duration`"),
    VALUE("phase", phase, .initial = "0", .unit = "radians", .about = "phase at the start"),
    VALUE("start", start, .initial = "0", .unit = "time", .about = "before it the chirp is zero"),
    DERIVATIVE,
};

/* Sines that belong together have one frequency, that of the model, or multiples of it. */
static am_status finish_sine(am_reading *reading, const am_node *node, void *record) {
    const am_node *multiple = am_node_get(node, "multiple");
    const am_node *base = reading->model ? am_node_get(reading->model, "Omega") : NULL;
    double Omega, times;
    AM_TRY(am_angle_check(reading, node, "phase", "phase_deg"));
    if (!multiple)
        return am_node_get(node, "frequency") ? AM_OK
                                              : am_node_fail(node, reading->err, AM_ERR_INPUT,
                                                             "function sine needs the key 'frequency', or 'multiple': "
                                                             "how many times Omega of the model it is");
    if (!base)
        return am_node_fail(multiple, reading->err, AM_ERR_INPUT,
                            "a multiple needs the key 'Omega' of the model, and it has none");
    AM_TRY(am_read_number(reading, multiple, "multiple", AM_RANGE_POSITIVE, &times));
    AM_TRY(am_read_number(reading, base, "Omega", AM_RANGE_POSITIVE, &Omega));
    ((am_function *)record)->frequency = times * Omega;
    return AM_OK;
}

/* ---- tables ---- */

static am_status scale_values(am_reading *reading, const am_node *node, am_function *table) {
    const am_node *given = am_node_get(node, "scale");
    double scale = 1.0;
    if (given)
        AM_TRY(am_read_number(reading, given, "scale", AM_RANGE_ANY, &scale));
    if (scale == 1.0)
        return AM_OK;
    double *values = am_arena_doubles(reading->pool, table->values, table->count, reading->err);
    if (!values)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < table->count; i++)
        values[i] *= scale;
    table->values = values;
    return AM_OK;
}

/* A record of a period that ends where it begins but for the rounding of its file ends there: it does not jump. */
static am_status close_values(am_reading *reading, am_function *table) {
    size_t last = table->count - 1;
    double size = 0.0;
    for (size_t i = 0; i <= last; i++)
        size = fmax(size, fabs(table->values[i]));
    double off = fabs(table->values[last] - table->values[0]);
    if (!(table->period > 0.0) || off == 0.0 || !(off <= 1e-12 * size))
        return AM_OK;
    double *values = am_arena_doubles(reading->pool, table->values, table->count, reading->err);
    if (!values)
        return AM_ERR_MEMORY;
    values[last] = values[0];
    table->values = values;
    return AM_OK;
}

static am_status interpolate(am_reading *reading, const am_node *node, am_function *table) {
    static const am_word words[] = {{"linear", 0, NULL}, {"cubic", 1, NULL}, {NULL, 0, NULL}};
    const am_node *given = am_node_get(node, "interpolation");
    int cubic = 0;
    if (given)
        AM_TRY(am_read_word(reading, given, "interpolation", words, &cubic));
    if (!cubic)
        return AM_OK;
    double *moments = am_arena_new(reading->pool, table->count, sizeof *moments, reading->err);
    am_status status = moments ? am_function_spline(table, moments, reading->err) : AM_ERR_MEMORY;
    if (status == AM_ERR_INPUT)
        am_node_locate(node, reading->err);
    table->moments = moments;
    return status;
}

/* The times of values one `step` apart. */
static am_status count_times(am_reading *reading, const am_node *step, am_function *table) {
    double length;
    AM_TRY(am_read_number(reading, step, "step", AM_RANGE_POSITIVE, &length));
    double *times = am_arena_new(reading->pool, table->count, sizeof *times, reading->err);
    if (!times)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < table->count; i++)
        times[i] = length * (double)i;
    table->times = times;
    return AM_OK;
}

static am_status finish_table(am_reading *reading, const am_node *node, void *record) {
    static const char *const of_files[] = {"time", "value"};
    am_function *table = record;
    const am_node *times = am_node_get(node, "times"), *values = am_node_get(node, "values");
    const am_node *file = am_node_get(node, "file"), *step = am_node_get(node, "step");
    for (size_t i = 0; i < 2 && !file; i++)
        if (am_node_get(node, of_files[i]))
            return am_node_fail(am_node_get(node, of_files[i]), reading->err, AM_ERR_INPUT,
                                "%s is a column of a file: give the key 'file', or times and values", of_files[i]);
    if (file) {
        AM_TRY(am_record_read(reading, node, step == NULL, table));
    } else if (!values || (!times && !step)) {
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "function table needs the keys 'times' and 'values', or 'file': a CSV file");
    } else if (times && times->count != values->count) {
        return am_node_fail(values, reading->err, AM_ERR_INPUT, "values must be as many as times: %zu, not %zu",
                            times->count, values->count);
    } else {
        table->count = values->count;
    }
    if (step)
        AM_TRY(count_times(reading, step, table));
    AM_TRY(scale_values(reading, node, table));
    if (table->count > 0)
        AM_TRY(close_values(reading, table));
    return interpolate(reading, node, table);
}

/* ---- chirps ---- */

static am_status finish_chirp(am_reading *reading, const am_node *node, void *record) {
    am_function *chirp = record;
    bool timed = am_node_get(node, "duration") != NULL, rated = am_node_get(node, "rate") != NULL;
    double to;
    AM_TRY(am_read_number(reading, am_node_get(node, "to"), "to", AM_RANGE_NOT_NEGATIVE, &to));
    if (!timed && !rated)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "function chirp needs the key 'duration', or 'rate': how fast its frequency changes");
    if (timed) {
        chirp->rate = (to - chirp->frequency) / chirp->duration;
        return AM_OK;
    }
    chirp->duration = (to - chirp->frequency) / chirp->rate;
    if (chirp->duration > 0.0)
        return AM_OK;
    return am_node_fail(am_node_get(node, "rate"), reading->err, AM_ERR_INPUT,
                        "with the rate %g the frequency does not come from %g to %g", chirp->rate, chirp->frequency,
                        to);
}

/* ---- schemas ---- */

/* A list of functions of one kind is their sum. */
static am_status read_several(am_reading *reading, const am_schema *schema, const am_node *node, void *record) {
    am_function *sum = record;
    if (node->count == 0)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s: the list is empty", schema->title);
    for (size_t i = node->count; i-- > 0;) { /* from the last: each takes the later ones along */
        am_function *term = i > 0 ? am_arena_new(reading->pool, 1, sizeof *term, reading->err) : record;
        const am_function *later = i + 1 < node->count ? sum : NULL;
        if (!term)
            return AM_ERR_MEMORY;
        AM_TRY(am_schema_read(reading, schema, node->items[i], term));
        term->plus = later;
        sum = term;
    }
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
                                         .several = read_several,                                                      \
                                         AM_FIELDS(key##_fields),                                                      \
                                         __VA_ARGS__}

FUNCTION_SCHEMA(constant, am_function_constant(0),
                "The same at all times. `constant: 3` is short for `constant: {value: 3}`.", .shorthand = "value");
FUNCTION_SCHEMA(ramp, am_function_ramp(0, 0), "value + rate t. `ramp: 1` is short for `ramp: {rate: 1}`.",
                .shorthand = "rate");
FUNCTION_SCHEMA(sine, am_function_sine(0, 0, 0), "value + amplitude sin(frequency t + phase).", .finish = finish_sine);
FUNCTION_SCHEMA(table, am_function_table(0, NULL, NULL),
                "Linear or cubic between points in time, constant outside, or periodic.", .finish = finish_table);
FUNCTION_SCHEMA(pulse, am_function_pulse(0, 0, 0),
                "Smooth pulses amplitude (1 - cos(2 pi (t - start)/duration))/2, zero elsewhere.", .shorthand = NULL);
FUNCTION_SCHEMA(impulse, am_function_impulse(0, 0),
                "Blows: a force of no duration whose integral over time is `amplitude`.", .shorthand = NULL);

FUNCTION_SCHEMA(
    chirp, am_function_chirp(0, 0, 0, 1),
    "amplitude sin(phase + from s + rate s^2/2), s = t - start: a sine whose frequency goes from one value to "
    "another.",
    .finish = finish_chirp);

const am_schema *const am_function_schemas[AM_FUNCTION_KINDS] = {
    &am_constant_schema, &am_ramp_schema,    &am_sine_schema, &am_table_schema,
    &am_pulse_schema,    &am_impulse_schema, &am_chirp_schema};

static const am_schema *schema_of(const am_node *key) {
    for (size_t i = 0; i < AM_FUNCTION_KINDS; i++)
        if (am_node_is_text(key, am_function_schemas[i]->name))
            return am_function_schemas[i];
    return NULL;
}

size_t am_functions_given(const am_node *node) {
    size_t given = node->kind != AM_NODE_MAP; /* a number */
    for (size_t i = 0; node->kind == AM_NODE_MAP && i < node->count; i++)
        given += schema_of(node->entries[i].key) != NULL;
    return given;
}

/* All functions of a mapping, added: each is read again, with room of its own. */
static am_status add_functions(am_reading *reading, const am_node *node, am_function *function) {
    const am_function *later = NULL;
    for (size_t i = node->count; i-- > 0;) {
        const am_schema *schema = schema_of(node->entries[i].key);
        const am_node *value = node->entries[i].value;
        if (!schema)
            continue;
        am_function *term = am_arena_new(reading->pool, 1, sizeof *term, reading->err), *last = term;
        if (!term)
            return AM_ERR_MEMORY;
        AM_TRY(value->kind == AM_NODE_LIST ? read_several(reading, schema, value, term)
                                           : am_schema_read(reading, schema, value, term));
        while (last->plus) /* of a list: made here, so that it may be written to */
            last = (am_function *)last->plus;
        last->plus = later;
        later = term;
    }
    *function = *later;
    return AM_OK;
}

am_status am_function_finish(am_reading *reading, const am_node *node, am_function *function) {
    size_t given = am_functions_given(node);
    if (given == 0)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "there is no function of time here; expected constant, ramp, sine, table, pulse, impulse "
                            "or chirp, or several of them to be added");
    if (given > 1)
        AM_TRY(add_functions(reading, node, function));
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
                                      .about = "One of the keys below, or several of them, which are added; a list "
                                               "under one key is the sum of its items.",
                                      .size = sizeof(am_function),
                                      .finish = finish_function,
                                      .shorthand = "constant",
                                      AM_FIELDS(function_fields)};

static am_status finish_surface(am_reading *reading, const am_node *node, void *record) {
    return am_function_finish(reading, node, &((am_contact_def *)record)->surface_motion);
}

static const am_field surface_fields[] = {AM_FUNCTION_FIELDS(offsetof(am_contact_def, surface_motion))};

const am_schema am_surface_schema = {.name = "surface_velocity",
                                     .title = "the velocity of a surface",
                                     .about = "A function of time.",
                                     .size = sizeof(am_contact_def),
                                     .finish = finish_surface,
                                     AM_FIELDS(surface_fields)};

static am_status finish_gap(am_reading *reading, const am_node *node, void *record) {
    return am_function_finish(reading, node, &((am_contact_def *)record)->gap_motion);
}

static const am_field gap_fields[] = {AM_FUNCTION_FIELDS(offsetof(am_contact_def, gap_motion))};

const am_schema am_gap_schema = {.name = "gap",
                                 .title = "a gap that varies",
                                 .about = "A function of time: the support moves along the normal.",
                                 .size = sizeof(am_contact_def),
                                 .finish = finish_gap,
                                 AM_FIELDS(gap_fields)};

static am_status finish_load(am_reading *reading, const am_node *node, void *record) {
    return am_function_finish(reading, node, &((am_load_def *)record)->function);
}

static const am_field load_fields[] = {
    AM_FIELD("direction", VECTOR, am_load_def, direction, .required = true, .by_name = true,
             .about = "one number per coordinate: the load is this vector times the function", .example = "[1, -2]"),
    AM_FUNCTION_FIELDS(offsetof(am_load_def, function))};

const am_schema am_load_schema = {.name = "load",
                                  .title = "a load",
                                  .about = "A force: a constant direction times a function of time.",
                                  .size = sizeof(am_load_def),
                                  .finish = finish_load,
                                  AM_FIELDS(load_fields)};

am_status am_check_rows(am_reading *reading, const am_records *records, const char *key, size_t n) {
    for (size_t i = 0; i < records->count; i++) {
        const am_node *row = am_node_get(records->nodes[i], key);
        if (row && row->kind == AM_NODE_MAP)
            return am_node_fail(row, reading->err, AM_ERR_INPUT, "%s of this model must be a list of %zu numbers", key,
                                n);
        if (row && row->count != n)
            return am_node_fail(row, reading->err, AM_ERR_INPUT, "%s must have one number per coordinate: %zu, not %zu",
                                key, n, row->count);
    }
    return AM_OK;
}
