/* Results as binary columns, which a page reads without parsing numbers. docs/lab.md. */
#ifndef AMONTONS_LAB_COLUMNS_H
#define AMONTONS_LAB_COLUMNS_H
#include "amontons/result.h"
#include "base/text.h"

/* "AMCOLS01", the length of the header (8 bytes, little-endian), the header (JSON, filled up with blanks to a multiple
 * of 8), then the columns of numbers as little-endian doubles, one after the other. The header is `document`, an object
 * without tables, with a member `tables`: of each table `rows` and its `columns`, each {name, unit, type} with `offset`,
 * in bytes from the first column, or `texts`. */
am_status am_lab_columns(const char *document, const am_result *result, am_text *bytes, am_error *err);

#endif
