/* Terms of a symmetric or general matrix as a file lists them, in any order, with the lines they stand in: so that a term
 * that comes twice, or differs from its mirror, can be shown. */
#ifndef AMONTONS_IMPORTS_TERMS_H
#define AMONTONS_IMPORTS_TERMS_H
#include <stdint.h>

#include "amontons/matrix.h"
#include "imports/labels.h"

typedef struct am_term {
    uint32_t row, column, line;
    double value;
} am_term;

/* Begins as {0}; am_terms_clear in the end. */
typedef struct am_terms {
    size_t count, capacity;
    am_term *term;
} am_terms;

void am_terms_clear(am_terms *terms);
am_status am_terms_add(am_terms *terms, size_t row, size_t column, double value, size_t line, am_error *err);

/* What is known about the matrix, and what is found. */
typedef struct am_terms_order {
    const char *path;
    size_t n;
    const am_labels *labels; /* for messages; NULL: rows have numbers */
    bool one_triangle;       /* the file says that it lists one triangle; otherwise one or both, as they come */
    bool both_triangles;     /* the file says that it lists both */
} am_terms_order;

enum { AM_IMPORT_WORDS = 512 };
typedef struct am_term_row {
    uint32_t line; /* of the term on its diagonal, or the first of its terms; 0: nowhere, or the file has no lines */
    bool diagonal; /* it has a term there */
} am_term_row;

typedef struct am_terms_found {
    am_matrix *matrix;
    char asymmetry[AM_IMPORT_WORDS]; /* "path:line: ...": a term that differs from its mirror; "": none does */
    bool zeros;                      /* zeros are listed too */
    am_term_row *row;                /* of each row; am_memory_free */
} am_terms_found;

/* Puts the terms in order. AM_ERR_INPUT with path and line for a term that comes twice. */
am_status am_terms_matrix(am_terms *terms, const am_terms_order *order, am_terms_found *found, am_error *err);

#endif
