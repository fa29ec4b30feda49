/* Two results compared bit by bit. */
#ifndef AMONTONS_TESTS_FUZZ_SAME_RESULT_H
#define AMONTONS_TESTS_FUZZ_SAME_RESULT_H
#include <stdbool.h>

#include "amontons/result.h"

bool fuzz_same_tables(const am_result *a, const am_result *b);
bool fuzz_same_tables_by_name(const am_result *a, const am_result *b); /* in any order */
bool fuzz_same_result(const am_result *a, const am_result *b);         /* tables and summary */

#endif
