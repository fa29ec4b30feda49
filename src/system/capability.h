/* What an analysis knows of a structure: one row per analysis, one column per feature. Refusals, `amontons list laws`
 * and the tables of docs/study.md and docs/laws.md follow from it. */
#ifndef AMONTONS_SYSTEM_CAPABILITY_H
#define AMONTONS_SYSTEM_CAPABILITY_H
#include <stdbool.h>

#include "amontons/system.h"
#include "base/text.h"

/* What a structure may have that not every analysis knows. */
typedef enum am_feature {
    AM_HAS_UNILATERAL,
    AM_HAS_HELD,
    AM_HAS_KELVIN_VOIGT,
    AM_HAS_HUNT_CROSSLEY,
    AM_HAS_POISSON,             /* restitution of impulses, not of velocities */
    AM_HAS_STOP,                /* a contact without a tangent */
    AM_HAS_STATIC_FRICTION,     /* above the kinetic one */
    AM_HAS_WEAKENING,           /* friction that falls with the distance slid */
    AM_HAS_SPEED_FRICTION,      /* friction that depends on the sliding speed */
    AM_HAS_DRAG,                /* friction without stick, with an internal variable or without */
    AM_HAS_HYSTERESIS,          /* the same that follows the way alone, at any speed (dahl, bouc-wen) */
    AM_HAS_SLIDER_SPRING,       /* a spring in series with the slider */
    AM_HAS_CREEP_SPRING,        /* the same with friction without stick that ages, or opens with its contact */
    AM_HAS_PLANE,               /* two tangents, and a circular limit, behind springs */
    AM_HAS_RIGID_PLANE,         /* and without springs */
    AM_HAS_REGULARISED,         /* friction proportional to small sliding velocities */
    AM_HAS_POLYNOMIAL,          /* springs or dampers, in a structure without contacts */
    AM_HAS_POLYNOMIAL_CONTACTS, /* the same, beside contacts */
    AM_HAS_CIRCULATORY,         /* a stiffness that is not symmetric */
    AM_HAS_NEGATIVE_DAMPING,    /* damping that feeds energy in */
    AM_HAS_NEGATIVE_STIFFNESS,  /* a stiffness that lets go */
    AM_HAS_SURFACE_MOTION,      /* a surface whose velocity varies in time */
    AM_HAS_GAP_MOTION,          /* a support that moves along the normal */
    AM_HAS_VARYING_STIFFNESS,   /* stiffness that varies in time */
    AM_HAS_NO_MASS,             /* coordinates without mass, in motion by damping or springs alone */
    AM_FEATURES
} am_feature;

/* "unilateral", "static/kinetic", ...: the names of `list laws`. */
const char *am_feature_name(am_feature feature);

/* An analysis by its name in studies, or "<analysis> with <key>: <word>" where a choice of its options matters. */
typedef struct am_capability {
    const char *analysis;
    unsigned known; /* bit 1u << feature */
} am_capability;

/* Rows end with a NULL name. */
extern const am_capability am_capabilities[];

/* AM_ERR_UNSUPPORTED for the first feature of the system that the analysis does not know: what has it, and who knows it.
 * `analysis`: one of the rows. */
am_status am_system_check(const am_system *system, const char *analysis, am_error *err);

/* Does friction without stick stand behind a spring, and age or open with its contact (AM_HAS_CREEP_SPRING)? */
bool am_contact_creeps_behind(const am_contact_def *contact);

/* AM_ERR_UNSUPPORTED because of what the contact has, with the place at which a study says `key` of it. */
am_status am_fail_contact(am_error *err, const am_system *system, size_t contact, const char *key, const char *format,
                          ...) __attribute__((format(printf, 5, 6)));

/* "`march` and `stability`": who knows the feature. */
void am_feature_known_to(am_text *text, am_feature feature);

/* Why an analysis cannot have it: a clause; NULL where nothing but work stands against it. */
const char *am_capability_reason(const char *analysis, am_feature feature);

/* All reasons, one after another: a feature, the analyses that cannot have it for this reason ("`path` and `twofold`"),
 * and the reason. */
typedef void (*am_reason_line)(void *context, am_feature feature, const char *analyses, const char *why);
void am_capability_each_reason(am_reason_line line, void *context);

#endif
