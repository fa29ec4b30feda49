/* Many values of a result at once. Failures are remembered by the result (am_result_status). */
#ifndef AMONTONS_BASE_SUMMARY_H
#define AMONTONS_BASE_SUMMARY_H
#include "amontons/result.h"

typedef struct am_summary_number {
    const char *name;
    double value; /* not finite: there is none */
} am_summary_number;

/* Into the summary. */
am_status am_summary_numbers(am_result *result, size_t count, const am_summary_number *numbers, am_error *err);

/* All of an array of am_summary_number. */
#define AM_SUMMARY(result, numbers, err) am_summary_numbers(result, sizeof(numbers) / sizeof *(numbers), numbers, err)

/* A new row with `count` numbers from column `first` on. */
am_status am_table_add_numbers(am_table *table, size_t first, size_t count, const double *values, am_error *err);

#endif
