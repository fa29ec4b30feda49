/* The models a study can name. A new one is a file that defines an am_model_kind, and a line in models.c. */
#ifndef AMONTONS_STUDY_MODELS_H
#define AMONTONS_STUDY_MODELS_H
#include "amontons/system.h"
#include "study/schema.h"

typedef struct am_model_kind {
    const am_schema *schema;
    /* `settings` is the schema's struct. Errors carry the position. */
    am_system *(*build)(am_reading *reading, const am_node *node, const void *settings);
} am_model_kind;

extern const am_model_kind am_model_klarbring, am_model_structure;

/* Ends with NULL. */
extern const am_model_kind *const am_model_kinds[];

/* The kind a model mapping names; NULL with err filled. */
const am_model_kind *am_model_find(am_reading *reading, const am_node *node);

/* Read, check and build. */
am_system *am_model_read(am_reading *reading, const am_node *node);

/* One item of `contacts:` (laws are documented through it). */
extern const am_schema am_contact_schema;
extern const am_word am_normal_law_words[];

/* The value of the key `kind` of a mapping; NULL with err filled. `what` is "model" or "analysis". */
const am_node *am_kind_node(am_reading *reading, const am_node *node, const char *what);

#endif
