/* Laws of friction that depend on the sliding speed. Amontons' own are listed by am_speed_law_name; docs/laws.md has the
 * formulas, and how a new one is added. */
#ifndef AMONTONS_LAWS_H
#define AMONTONS_LAWS_H
#include <stddef.h>

#include "amontons/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Friction that depends on the sliding speed v >= 0: a law by its name and its parameters, in the order in which
 * am_speed_law_parameter lists them; law "table": points instead, linear between them and constant beyond. */
enum { AM_LAW_PARAMETERS = 8 };

typedef struct am_speed_friction {
    const char *law; /* "stribeck", "hyperbolic", "falling", "table"; NULL: none */
    double parameter[AM_LAW_PARAMETERS];
    size_t points;
    const double *speed, *coefficient; /* speeds increasing */
} am_speed_friction;

/* The names of the laws, one after the other, and of a law's parameters; NULL after the last. */
AM_API const char *am_speed_law_name(size_t index);
AM_API const char *am_speed_law_parameter(const char *law, size_t index);

/* mu at the speed v >= 0, and its slope just above v (slope may be NULL). NAN for a law that is not right. */
AM_API double am_speed_friction_at(const am_speed_friction *friction, double v, double *slope);

#ifdef __cplusplus
}
#endif
#endif
