/* What went wrong, for programs: the member `error` of a JSON document. */
#ifndef AMONTONS_OUTPUT_ERROR_DOCUMENT_H
#define AMONTONS_OUTPUT_ERROR_DOCUMENT_H
#include <stddef.h>

#include "amontons/error.h"

/* Where a message points to: "FILE:LINE:COLUMN: words", or without a column (0). */
typedef struct am_error_place {
    size_t file; /* letters of its name, with which the message begins; 0: no place is named */
    int line, column;
    const char *words; /* the rest, or all of it */
} am_error_place;

am_error_place am_error_place_of(const char *message);

/* {"error": {message, file, line, column, field, status}}; `status` is the exit status that goes with it, `field` may
 * be "". In a document that is there (not NULL) it becomes the last member. Freed with am_output_text_free; NULL with err filled. */
char *am_output_error(const char *document, const char *message, const char *field, int status, am_error *err);

/* A document (an object) with one more member at its end: `value` is JSON. The same ownership. */
char *am_output_member(const char *document, const char *name, const char *value, am_error *err);

#endif
