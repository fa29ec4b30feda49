/* Friction that weakens with slip, as a study writes it: `weakening: {law: ramp, length: 0.01}`. */
#ifndef AMONTONS_STUDY_MODELS_CONTACT_WEAKENING_H
#define AMONTONS_STUDY_MODELS_CONTACT_WEAKENING_H
#include "amontons/system.h"
#include "study/schema.h"

/* Its struct is am_friction; law coulomb: not given. */
extern const am_schema am_weakening_schema;
extern const am_word am_weakening_law_words[];

/* A table of slips and coefficients, [[0, 0.5], [1, 0.4]] or {file: name.csv}, into the law `table`. `name`: its key.
 */
am_status am_read_friction_points(am_reading *reading, const am_node *node, const char *name, am_friction *friction);

#endif
