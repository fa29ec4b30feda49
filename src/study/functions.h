/* Functions of time in a study: the keys constant, ramp, sine, table, pulse, impulse and chirp, whose sum counts. */
#ifndef AMONTONS_STUDY_FUNCTIONS_H
#define AMONTONS_STUDY_FUNCTIONS_H
#include "amontons/system.h"
#include "study/schema.h"

extern const am_schema am_constant_schema, am_ramp_schema, am_sine_schema, am_table_schema, am_pulse_schema,
    am_impulse_schema, am_chirp_schema;
enum { AM_FUNCTION_KINDS = 7 };
extern const am_schema *const am_function_schemas[AM_FUNCTION_KINDS];

/* The rows of a mapping that holds a function: its struct has an am_function at `place`. */
#define AM_FUNCTION_FIELD(place, key, about_, example_)                                                                \
    {                                                                                                                  \
        .name = #key, .type = AM_FIELD_RECORD, .offset = place, .inner = &am_##key##_schema, .about = about_,          \
        .example = example_                                                                                            \
    }
#define AM_FUNCTION_FIELDS(place)                                                                                      \
    AM_FUNCTION_FIELD(place, constant, "the same at all times", NULL),                                                 \
        AM_FUNCTION_FIELD(place, ramp, "grows linearly, by this much per unit time", "1"),                             \
        AM_FUNCTION_FIELD(place, sine, "{amplitude, frequency}", NULL),                                                \
        AM_FUNCTION_FIELD(place, table, "{times, values} or {file}: a record", NULL),                                  \
        AM_FUNCTION_FIELD(place, pulse, "{amplitude, start, duration}, smooth", NULL),                                 \
        AM_FUNCTION_FIELD(place, impulse, "{amplitude, start}, a blow", NULL),                                         \
        AM_FUNCTION_FIELD(place, chirp, "{amplitude, from, to, duration}, a sweep of frequency", NULL)

/* How many functions a mapping gives. A number stands for a constant one. */
size_t am_functions_given(const am_node *node);

/* At least one function must be there, and all of them sound; several are added. */
am_status am_function_finish(am_reading *reading, const am_node *node, am_function *function);

/* A mapping that is a function and nothing else (`hold:`); its struct is am_function. */
extern const am_schema am_function_schema;

/* The mapping that may stand for `gap: 0.2` of a contact, an am_contact_def. */
extern const am_schema am_gap_schema;

/* The mapping that may stand for `surface_velocity: 0.2` of a contact, an am_contact_def. */
extern const am_schema am_surface_schema;

/* One item of `loads:`, an am_load_def. */
extern const am_schema am_load_schema;

/* Do the rows that the items give under a key (`direction`, `normal`) have n numbers? */
am_status am_check_rows(am_reading *reading, const am_records *records, const char *key, size_t n);

#endif
