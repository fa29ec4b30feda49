/* A model: a structure with named numbers ("Omega", "contacts.0.friction") that gives the system for them.
 *
 * `response`, `follow`, `design`, `atlas` and `threshold` take a model and the index of the number they vary; the other
 * analyses take a system. A number is a double and an index.
 *
 * Memory. The model owns the one system it has made last, for its present numbers. am_model_system lends it: it is
 * valid until a number of the model gets another value, an analysis runs with the model, or the model is freed.
 *
 * Threads. A model belongs to one thread at a time, because asking for a system may make one; threads that vary numbers
 * have a model each. The system it lends is constant and may be read by many threads while it is valid.
 *
 * An analysis that varied numbers gives them their former values back when it ends, be it by a failure. */
#ifndef AMONTONS_MODEL_H
#define AMONTONS_MODEL_H
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_model am_model;

typedef struct am_model_def {
    size_t count;             /* of its numbers */
    const char *const *names; /* of them, all different; copied. NULL where there are none */
    const double *values;     /* that they begin with; NULL: 0 */
    /* A new system for the values (count of them), which decide alone how it looks; NULL with err filled. */
    am_system *(*make)(void *context, const double *values, am_error *err);
    void (*release)(void *context, am_system *system); /* NULL: am_system_free */
    void (*forget)(void *context);                     /* when the model is freed; NULL: nothing */
    void *context;                                     /* for all three; must live as long as the model */
} am_model_def;

/* NULL on failure. Makes no system yet. */
AM_API am_model *am_model_create(const am_model_def *def, am_error *err);
AM_API void am_model_free(am_model *model);

AM_API size_t am_model_count(const am_model *model);                    /* of numbers */
AM_API const char *am_model_name(const am_model *model, size_t number); /* "" beyond the last */
AM_API double am_model_value(const am_model *model, size_t number);     /* NAN beyond the last */
AM_API size_t am_model_find(const am_model *model, const char *name);   /* SIZE_MAX: it has no such number */

/* Makes no system: whether the structure accepts the value is known when the system is asked for. */
AM_API am_status am_model_set(am_model *model, size_t number, double value, am_error *err);

/* The system for the present numbers; NULL on failure. */
AM_API const am_system *am_model_system(am_model *model, am_error *err);

/* What a number does to the system between two of its values, all others as they are. */
typedef enum am_effect {
    AM_EFFECT_NOTHING,
    AM_EFFECT_AFFINE, /* every number of the system moves along a straight line, or not at all */
    AM_EFFECT_ANY     /* anything else */
} am_effect;

/* Found out from five systems on the way, to rounding, and remembered until another number changes. */
AM_API am_status am_model_effect(am_model *model, size_t number, double from, double to, am_effect *effect,
                                 am_error *err);

#ifdef __cplusplus
}
#endif
#endif
