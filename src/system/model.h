/* Inside of a model: what analyses and studies need beyond the public header. */
#ifndef AMONTONS_SYSTEM_MODEL_H
#define AMONTONS_SYSTEM_MODEL_H
#include <stdbool.h>
#include <stdint.h>

#include "amontons/model.h"
#include "base/arena.h"

typedef struct am_model_number {
    const char *name;
    size_t known_at; /* what it does between from and to is known for the other numbers as they were then; 0: not */
    double from, to;
    am_effect effect;
} am_model_number;

/* For the search by name. */
typedef struct am_model_name_index {
    const char *name;
    size_t number;
} am_model_name_index;

struct am_model {
    uint64_t tag; /* AM_TAG_MODEL */
    am_arena memory;
    am_model_def def;
    size_t count;
    am_model_number *numbers;
    am_model_name_index *sorted; /* count, by name */
    double *values;
    size_t changes;    /* of values so far, and 1 */
    am_system *system; /* NULL: none for the present values yet */
};

/* The systems of a model along one of its numbers, with another one held at a value. */
typedef struct am_model_line {
    am_model *model;
    size_t number; /* SIZE_MAX: none varies */
    size_t held;   /* SIZE_MAX: none; the others stay as they are */
    double value;  /* of the held one */
} am_model_line;

/* The system where the number is p, as am_model_system lends it. `err` may be NULL. */
am_status am_model_line_at(const am_model_line *line, double p, const am_system **system, am_error *err);

/* AM_ERR_INPUT, at the option `field`, unless the model has such a number. */
am_status am_model_check(const am_model *model, size_t number, const char *field, am_error *err);

#endif
