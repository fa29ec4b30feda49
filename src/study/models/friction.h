/* Friction that falls with slip in a study: `weakening: {law: ramp, length: 0.01}` of a contact, and f, f_s, law and Delta
 * of meshed bodies. */
#ifndef AMONTONS_STUDY_MODELS_FRICTION_H
#define AMONTONS_STUDY_MODELS_FRICTION_H
#include "amontons/system.h"
#include "study/schema.h"

/* ---- of a contact ---- */

/* Its struct is am_friction; law coulomb: not given. */
extern const am_schema am_weakening_schema;
extern const am_word am_weakening_law_words[];

/* A table of slips and coefficients, [[0, 0.5], [1, 0.4]] or {file: name.csv}, into the law `table`. `name`: its key.
 */
am_status am_read_friction_points(am_reading *reading, const am_node *node, const char *name, am_friction *friction);

/* ---- of meshed bodies ---- */

extern const am_word am_friction_law_words[];

/* The rows of a mapping: struct `record` has a member `friction_` of type am_friction. */
#define AM_FRICTION_FIELDS(record, friction_, usual_)                                                                  \
    AM_FIELD("f", NUMBER, record, friction_.kinetic, AM_NOT_NEGATIVE, .initial = usual_, .example = usual_,            \
             .about = "coefficient of friction; the dynamic one where friction weakens"),                              \
        AM_FIELD("f_s", NUMBER, record, friction_.fixed, AM_POSITIVE, .initial = "none",                               \
                 .about = "static coefficient, from which friction falls to f"),                                       \
        AM_FIELD("law", WORD, record, friction_.law, .words = am_friction_law_words,                                   \
                 .initial = "coulomb; static-kinetic with f_s, ramp with Delta too",                                   \
                 .about = "how friction goes with slip"),                                                              \
        AM_FIELD("Delta", NUMBER, record, friction_.distance, AM_POSITIVE, .initial = "none", .unit = "length",        \
                 .about = "slip over which friction falls: the area above f over f_s - f"),                            \
        AM_FIELD("weakening", LATER, record, friction_, .initial = "none", .unit = "length, -",                        \
                 .about = "in the place of f and f_s: a table [[slip, coefficient], ...], or {file: name.csv}")

/* The law from what was given below `node`; errors have positions. */
am_status am_friction_finish(am_reading *reading, const am_node *node, am_friction *friction);

#endif
