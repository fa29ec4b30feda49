/* The tables of a result as bytes, and back, with every bit: what processes of one run send to each other. No format
 * for files: it may change with every version. */
#ifndef AMONTONS_OUTPUT_PACKED_H
#define AMONTONS_OUTPUT_PACKED_H
#include "amontons/result.h"
#include "base/text.h"

am_status am_tables_pack(const am_result *result, am_text *bytes, am_error *err);

/* Added to `result`. The bytes are not believed: AM_ERR_FILE when they are no tables. */
am_status am_tables_unpack(const void *bytes, size_t count, am_result *result, am_error *err);

#endif
