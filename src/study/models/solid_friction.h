/* Friction between meshed bodies in a study: f, or f_s with a law by which it falls to f. */
#ifndef AMONTONS_STUDY_MODELS_SOLID_FRICTION_H
#define AMONTONS_STUDY_MODELS_SOLID_FRICTION_H
#include "amontons/system.h"
#include "study/schema.h"

typedef struct am_friction_setting {
    am_friction friction;
    const am_node *weakening; /* a table: slip, coefficient */
} am_friction_setting;

extern const am_word am_friction_law_words[];

/* The fields of a mapping: struct `record` has a member `member` of type am_friction_setting. */
#define AM_FRICTION_FIELD(record, place, name_, type_, ...)                                                            \
    { .name = name_, .type = type_, .offset = offsetof(record, place), __VA_ARGS__ }
#define AM_FRICTION_FIELDS(record, member, usual_)                                                                     \
    AM_FRICTION_FIELD(record, member.friction.kinetic, "f", AM_FIELD_NUMBER, .range = AM_RANGE_NOT_NEGATIVE,           \
                      .initial = usual_, .example = usual_,                                                            \
                      .about = "coefficient of friction; the dynamic one where friction weakens"),                     \
        AM_FRICTION_FIELD(record, member.friction.fixed, "f_s", AM_FIELD_NUMBER, .range = AM_RANGE_POSITIVE,           \
                          .initial = "none", .about = "static coefficient, from which friction falls to f"),           \
        AM_FRICTION_FIELD(record, member.friction.law, "law", AM_FIELD_WORD, .words = am_friction_law_words,           \
                          .initial = "coulomb; static-kinetic with f_s, ramp with Delta too",                          \
                          .about = "how friction goes with slip"),                                                     \
        AM_FRICTION_FIELD(record, member.friction.distance, "Delta", AM_FIELD_NUMBER, .range = AM_RANGE_POSITIVE,      \
                          .initial = "none", .unit = "length",                                                         \
                          .about = "slip over which friction falls: the area above f over f_s - f"),                   \
        AM_FRICTION_FIELD(record, member.weakening, "weakening", AM_FIELD_NODE, .initial = "none",                     \
                          .unit = "length, -",                                                                         \
                          .about = "in the place of f and f_s: a table [[slip, coefficient], ...], or {file: "         \
                                   "name.csv}")

/* The law from what was given below `node`; errors have positions. */
am_status am_friction_finish(am_reading *reading, const am_node *node, am_friction_setting *setting);

#endif
