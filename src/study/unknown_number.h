/* Names that are none of the numbers of a model. */
#ifndef AMONTONS_STUDY_UNKNOWN_NUMBER_H
#define AMONTONS_STUDY_UNKNOWN_NUMBER_H
#include "study/reading.h"

/* After a refusal: where the path (without "model.") is none of the model's numbers, the message says which may be meant:
 * "friction" where there is contacts.0.friction, "contacts.pad.friction" where 'pad' is the name of a contact, slips of
 * the pen. `prefix` is what the study writes before them. */
void am_suggest_number(const am_node *model, const char *path, const char *prefix, am_error *err);

/* The number itself where the model has it, or else what is most likely meant; NULL: nothing is like it. In the pool, or
 * the path. */
const char *am_likely_number(const am_node *model, const char *path, am_arena *pool, am_error *err);

#endif
