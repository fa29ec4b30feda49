/* The key `friction` of a contact: a coefficient, or a law {law: stribeck, static: 0.4, ...} of the sliding speed. */
#ifndef AMONTONS_STUDY_MODELS_FRICTION_LAW_H
#define AMONTONS_STUDY_MODELS_FRICTION_LAW_H
#include "amontons/system.h"
#include "study/reading.h"

/* Into def->friction or def->speed_friction. */
am_status am_friction_read(am_reading *reading, const am_node *node, am_contact_def *def);

#endif
