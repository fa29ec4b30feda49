/* Functions of time in a study: one of the keys constant, ramp, sine, table, pulse, impulse. */
#ifndef AMONTONS_STUDY_FUNCTIONS_H
#define AMONTONS_STUDY_FUNCTIONS_H
#include "amontons/system.h"
#include "study/schema.h"

typedef struct am_function_setting {
    am_function function;
    am_numbers times, values; /* of a table */
    double phase_deg;
    size_t given; /* how many of the keys were written */
} am_function_setting;

extern const am_schema am_constant_schema, am_ramp_schema, am_sine_schema, am_table_schema, am_pulse_schema,
    am_impulse_schema;
extern const am_schema *const am_function_schemas[6];

/* The fields of a mapping that holds a function: struct `record` has a member `member` of type am_function_setting. */
#define AM_FUNCTION_FIELD(record, member, key, about_, example_)                                                       \
    {                                                                                                                  \
        .name = #key, .type = AM_FIELD_RECORD, .offset = offsetof(record, member), .inner = &am_##key##_schema,        \
        .about = about_, .example = example_                                                                           \
    }
#define AM_FUNCTION_FIELDS(record, member)                                                                             \
    AM_FUNCTION_FIELD(record, member, constant, "the same at all times", NULL),                                        \
        AM_FUNCTION_FIELD(record, member, ramp, "grows linearly, by this much per unit time", "1"),                    \
        AM_FUNCTION_FIELD(record, member, sine, "{amplitude, frequency}", NULL),                                       \
        AM_FUNCTION_FIELD(record, member, table, "{times, values}, linear in between", NULL),                          \
        AM_FUNCTION_FIELD(record, member, pulse, "{amplitude, start, duration}, smooth", NULL),                        \
        AM_FUNCTION_FIELD(record, member, impulse, "{amplitude, start}, a blow", NULL)

/* Exactly one function must be there, and it must be sound. */
am_status am_function_finish(am_reading *reading, const am_node *node, am_function_setting *setting);

/* A mapping that is a function and nothing else (`hold:`); its struct is am_function_setting. */
extern const am_schema am_function_schema;

/* One item of `loads:`. */
typedef struct am_load_setting {
    am_numbers direction;
    am_function_setting function;
} am_load_setting;
extern const am_schema am_load_schema;

/* Definitions for a system of n coordinates, in the pool. */
am_status am_load_defs(am_reading *reading, const am_records *loads, size_t n, am_load_def **defs);

#endif
