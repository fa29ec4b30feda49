/* File, group and variable names made of the names of tables and columns. */
#ifndef AMONTONS_OUTPUT_NAMES_H
#define AMONTONS_OUTPUT_NAMES_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/result.h"

/* Names for table `index` of the result that no other table of it has: of its CSV file ("<table>.csv": letters,
 * digits, '_', '-' and '.' of its own name, '_' for the rest), and of its group in NetCDF ('_' for '.' too; `summary`
 * is left to the summary). NULL: out of memory. The caller's (am_memory_free). */
char *am_output_csv_name(const am_result *result, size_t index, am_error *err);
char *am_output_group_name(const am_result *result, size_t index, am_error *err);

/* The same for a column; `taken`: another one has that name already, and this one gets its number too. */
char *am_output_variable_name(const am_table *table, size_t column, bool taken, am_error *err);

/* A variable of any other name, which is number `index` of its kind. */
char *am_output_clean_name(const char *name, size_t index, bool taken, am_error *err);

/* What documents call the kind of a column: "number", "label", "flag", "count". */
const char *am_output_column_type(am_column_kind kind);

char *am_output_attribute_name(const char *name, am_error *err);

#endif
