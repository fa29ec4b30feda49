/* JSON schemas (draft 7), from the rows that studies are read by: editors complete and check with them. */
#ifndef AMONTONS_STUDY_JSON_SCHEMA_H
#define AMONTONS_STUDY_JSON_SCHEMA_H
#include "amontons/error.h"

/* Of study files, and of what `--json` prints. Each study that is read fits the first; what fits may still be refused
 * for its values (a stiffness that is not positive definite). Freed with am_output_text_free; NULL with err filled. */
char *am_json_schema_of_studies(am_error *err);
char *am_json_schema_of_results(am_error *err);

#endif
