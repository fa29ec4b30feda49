/* The matrices of one structure, from one file or several: the same rows in all of them, and what real files have besides
 * (coordinates that are clamped by a huge stiffness, nodes without mass) put right or said. */
#ifndef AMONTONS_IMPORTS_GATHER_H
#define AMONTONS_IMPORTS_GATHER_H
#include "base/arena.h"
#include "imports/import.h"

/* Where each matrix comes from; import NULL: there is none. */
typedef struct am_gather_source {
    const am_import *import;
    size_t part;
} am_gather_source;

typedef struct am_gathered {
    am_arena memory; /* of what follows */
    size_t n;
    const am_matrix *matrix[AM_IMPORT_ROLES]; /* by role; NULL: none */
    am_labels labels;                         /* of the rows; count 0: none */
    am_labels clamped;                        /* of those that were left out (rows: node = number, from 1) */
    size_t warning_count;
    const char *warning[16];
} am_gathered;

/* A stiffness is needed. Errors begin with the file, and its line where it has one. */
am_status am_gather(am_gathered *gathered, const am_gather_source source[AM_IMPORT_ROLES], am_error *err);
void am_gathered_clear(am_gathered *gathered);

#endif
