/* The models hertz, power, wave, punch and profile: what analysis `slip` knows of them. */
#ifndef AMONTONS_STUDY_MODELS_HALFPLANE_H
#define AMONTONS_STUDY_MODELS_HALFPLANE_H
#include "amontons/slip.h"
#include "study/schema.h"

extern const am_word am_halfplane_law_words[];

/* Can the contact have the law that an analysis asks for? */
am_status am_halfplane_check_law(am_reading *reading, const am_node *node, const am_slip_contact *contact);

#endif
