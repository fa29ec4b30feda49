/* The readers, one per format. */
#ifndef AMONTONS_IMPORTS_IMPORT_INTERNAL_H
#define AMONTONS_IMPORTS_IMPORT_INTERNAL_H
#include "base/lines.h"
#include "imports/import.h"

am_status am_import_list(am_import *import, am_error *err);           /* list.c: Abaqus, CalculiX */
am_status am_import_dmig(am_import *import, am_error *err);           /* dmig.c */
am_status am_import_harwell_boeing(am_import *import, am_error *err); /* harwell_boeing.c */
am_status am_import_matlab(am_import *import, am_error *err);         /* matlab.c */
am_status am_import_matrix_market(am_import *import, am_error *err);  /* market.c */

/* A matrix that was found in the terms; they are freed. `name` may be "". */
am_status am_import_add(am_import *import, const char *name, am_import_role role, am_terms *terms,
                        const am_terms_order *order, am_error *err);

/* The same with a matrix that is whole; it is taken. */
am_status am_import_add_matrix(am_import *import, const char *name, am_import_role role, am_matrix *matrix,
                               am_error *err);

/* Rows in the order of their labels. */
am_status am_import_sort(am_import *import, am_terms *terms, size_t count, am_error *err);

/* A finite number that fills the text but for blanks around it; exponents as Fortran writes them, too: 2.0D+06, 2.0+6. */
bool am_import_number(const char *text, size_t length, double *value);

/* A whole number of at most 18 digits at *text, which moves behind it. */
bool am_import_whole(const char **text, long *value);

/* Programs write all values with as many digits: a last one with fewer, which lacks its exponent or a part of it, was cut
 * off, though it still is a number. (Without exponents fewer digits prove nothing: zeros at the end may be left out.) */
typedef struct am_import_digits {
    size_t wide;     /* of all values so far; 0: they differ, or are short */
    size_t exponent; /* how much of that is the exponent of the first */
    bool cut;        /* but the last one has fewer */
} am_import_digits;

void am_import_count_digits(am_import_digits *digits, const char *value, bool first);

am_import_role am_import_role_of_file(const char *path);

enum { AM_IMPORT_MOST_ROWS = 1 << 28 };

#endif
