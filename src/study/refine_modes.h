/* Bodies with modes: does the answer stand still when modes are added? docs/blocks.md, section 6. */
#ifndef AMONTONS_STUDY_REFINE_MODES_H
#define AMONTONS_STUDY_REFINE_MODES_H
#include "study/case.h"
#include "study/modes_difference.h"

/* Runs one analysis of a case, and writes down what its contacts do. */
typedef am_status (*am_refine_run)(const am_case *made, size_t index, am_result *result, am_contact_record *record,
                                   const am_progress *progress, am_error *err);

/* AM_ERR_INPUT where modes are to be chosen by an analysis that cannot. */
am_status am_refine_check(am_reading *reading, const am_case *made);

/* The analysis goes through time, and the model has modes whose number is to be questioned. */
bool am_refine_asks(const am_case *made, size_t index);

/* Run it, and again with twice as many modes. A given number of modes: the result is that of this number, with the
 * difference between the two in its summary. `modes: auto`: numbers are doubled until two answers agree, the result is
 * that of the larger; AM_ERR_EVIDENCE when they do not, however many. */
am_status am_refine(const am_case *made, size_t index, am_refine_run run, am_result *result,
                    const am_progress *progress, am_error *err);

#endif
