/* Numbers of a model that must be positive, or at least not negative. */
#ifndef AMONTONS_MODELS_QUANTITIES_H
#define AMONTONS_MODELS_QUANTITIES_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

typedef struct am_model_quantity {
    const char *name; /* the field */
    const char *what; /* "modal mass m1" */
    double value;
    bool zero; /* may be zero */
} am_model_quantity;

/* AM_ERR_INPUT for the first that is negative, zero where it may not be, or not finite. */
am_status am_quantities_check(const am_model_quantity *quantities, size_t count, am_error *err);

#define AM_QUANTITIES_CHECK(list, err) am_quantities_check(list, sizeof(list) / sizeof *(list), err)

#endif
