/* What a study says of model `two-mode`, and what the model adds to results. */
#ifndef AMONTONS_MODELS_TWO_MODE_H
#define AMONTONS_MODELS_TWO_MODE_H
#include "amontons/models.h"
#include "models/kind.h"

typedef struct am_two_mode_setting {
    am_two_mode model;
    double Delta; /* sets f1; NaN: not given */
} am_two_mode_setting;

extern const am_schema am_two_mode_schema;

am_status am_two_mode_report(const void *settings, am_result *result, am_error *err);

#endif
