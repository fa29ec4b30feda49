/* Reading the results of analyses in tests: what is not there fails the test by name. */
#ifndef AMONTONS_TESTS_RESULTS_H
#define AMONTONS_TESTS_RESULTS_H
#include <stdint.h>

#include "amontons/result.h"

/* Of the summary: a number, count or flag (0 or 1); NaN where the summary says that there is none. */
double number(const am_result *result, const char *name);
bool flag(const am_result *result, const char *name);
const char *text(const am_result *result, const char *name);

const am_table *table_of(const am_result *result, const char *name);
size_t rows(const am_result *result, const char *table);

/* Of a table, such as cell(table_of(result, "orbits"), 0, "period"); a flag is 1, 0 or NaN. */
double cell(const am_table *table, size_t row, const char *column);
const char *word(const am_table *table, size_t row, const char *column);

/* Of all numbers and words in all tables: another one when a bit of them differs. */
uint64_t tables_hash(const am_result *result);

#endif
