/* Friction that weakens with slip, as a study writes it: `weakening: {law: ramp, length: 0.01}`. */
#ifndef AMONTONS_STUDY_CONTACT_WEAKENING_H
#define AMONTONS_STUDY_CONTACT_WEAKENING_H
#include "amontons/friction.h"
#include "study/schema.h"

typedef struct am_weakening_setting {
    int law; /* am_friction_law */
    double length;
    const am_node *points;
    am_friction friction; /* made of them; law coulomb: not given */
} am_weakening_setting;

extern const am_schema am_weakening_schema;
extern const am_word am_weakening_law_words[];

#endif
