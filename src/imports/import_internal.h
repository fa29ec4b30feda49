/* The readers, one per format. */
#ifndef AMONTONS_IMPORTS_IMPORT_INTERNAL_H
#define AMONTONS_IMPORTS_IMPORT_INTERNAL_H
#include "base/lines.h"
#include "imports/import.h"

am_status am_import_list(am_import *import, am_error *err);           /* list.c: Abaqus, CalculiX */
am_status am_import_dmig(am_import *import, am_error *err);           /* dmig.c */
am_status am_import_harwell_boeing(am_import *import, am_error *err); /* harwell_boeing.c */
am_status am_import_matlab(am_import *import, am_error *err);         /* matlab.c */

/* A matrix that was found in the terms; they are freed. `name` may be "". */
am_status am_import_add(am_import *import, const char *name, am_import_role role, am_terms *terms,
                        const am_terms_order *order, am_error *err);

/* The same with a matrix that is whole; it is taken. */
am_status am_import_add_matrix(am_import *import, const char *name, am_import_role role, am_matrix *matrix,
                               am_error *err);

/* Rows in the order of their labels. */
am_status am_import_sort(am_import *import, am_terms *terms, size_t count, am_error *err);

am_import_role am_import_role_of_file(const char *path);

enum { AM_IMPORT_MOST_ROWS = 1 << 28 };

#endif
