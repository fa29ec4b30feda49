/* Tables as comma-separated values. */
#ifndef AMONTONS_OUTPUT_CSV_H
#define AMONTONS_OUTPUT_CSV_H
#include "amontons/result.h"
#include "output/file.h"

/* A header line with the names of the columns, then the rows. Quoting as in RFC 4180, lines end with a line feed;
 * numbers round-trip; a cell that is not a number is empty. Failures appear when the file is closed, and of memory
 * here. */
am_status am_output_csv(const am_table *table, am_output_file *file, am_error *err);

#endif
