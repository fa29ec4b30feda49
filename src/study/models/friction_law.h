/* The key `friction` of a contact: a coefficient, or a law {law: stribeck, static: 0.4, ...} of the sliding speed. */
#ifndef AMONTONS_STUDY_MODELS_FRICTION_LAW_H
#define AMONTONS_STUDY_MODELS_FRICTION_LAW_H
#include "amontons/system.h"
#include "base/schema.h"
#include "study/reading.h"

/* The keys of an Iwan joint beside `law`, and which of them a density has. */
extern const am_schema am_iwan_schema;
bool am_iwan_has(am_iwan_density density, const char *key);

/* Into def->friction, def->speed_friction or def->iwan. */
am_status am_friction_read(am_reading *reading, const am_node *node, am_contact_def *def);

#endif
