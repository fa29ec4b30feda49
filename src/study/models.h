/* The models a study can name: models/kind.h. */
#ifndef AMONTONS_STUDY_MODELS_H
#define AMONTONS_STUDY_MODELS_H
#include "amontons/system.h"
#include "models/kind.h"
#include "study/schema.h"

/* Ends with NULL. */
extern const am_model_kind *const am_model_kinds[];

/* The kind a model mapping names; NULL with err filled. */
const am_model_kind *am_model_kind_find(am_reading *reading, const am_node *node);

/* A model that was read, with its settings in the pool. */
typedef struct am_study_model {
    const am_model_kind *kind;
    const void *settings;
} am_study_model;

/* The system of what was read at `node`; errors carry the position. */
am_system *am_study_model_build(am_reading *reading, const am_node *node, const am_study_model *model);

/* Read, check and build. */
am_system *am_study_model_read(am_reading *reading, const am_node *node, am_study_model *model);

/* `names:` of a model: as many as there are coordinates (`what` they are, for the message). */
am_status am_coordinate_names_check(am_reading *reading, const am_texts *names, const char *what, size_t n);

/* One item of `contacts:` (laws are documented through it) and of `polynomials:`. */
extern const am_schema am_contact_schema, am_polynomial_schema;
extern const am_word am_normal_law_words[];
const char *am_normal_law_word(am_normal_law law); /* as a study writes it */

/* Which of the schemas (schema_of, NULL behind the last) the key `kind` of a mapping names; SIZE_MAX with err filled.
 * `what` is "model" or "analysis", `unknown` what a name is called that none has. */
size_t am_kind_find(am_reading *reading, const am_node *node, const char *what, const char *unknown,
                    const am_schema *(*schema_of)(size_t index));

#endif
