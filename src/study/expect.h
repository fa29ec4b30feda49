/* `expect:` of a study: what its results must be. */
#ifndef AMONTONS_STUDY_EXPECT_H
#define AMONTONS_STUDY_EXPECT_H
#include "amontons/output.h"
#include "study/schema.h"

/* The mapping form of an expectation, for help. */
extern const am_schema am_wish_schema;

/* Before the run: is every expectation written soundly? */
am_status am_expect_read(am_reading *reading, const am_node *expect);

/* After it: compare. The list and its texts are in the pool. What the result does not have (a row too many) is an
 * expectation that is not met, and `mistake` says which the first of them is. */
am_status am_expect_compare(am_reading *reading, const am_node *expect, const am_result *result, size_t *count,
                            am_expectation **expectations, am_error *mistake);

#endif
