/* How much the motion of bodies with one number of modes differs from that with another. docs/blocks.md, section 6. */
#ifndef AMONTONS_STUDY_MODES_DIFFERENCE_H
#define AMONTONS_STUDY_MODES_DIFFERENCE_H
#include "amontons/result.h"

typedef struct am_modes_difference {
    size_t modes, others; /* numbers of modes */
    /* Of all contact forces, root mean square over contacts and samples, over that of the forces themselves; NaN: no
     * samples to compare. */
    double forces;
    /* Of the numbers of events up to any time (times may differ by a hundredth of the span), the largest, over the
     * number in all; NaN: the analysis lists none. */
    double events;
    size_t event_count[2];
    const char *failure; /* what the analysis said when it failed with the other number; NULL or "": it did not */
} am_modes_difference;

/* Fills forces and events from the tables `samples` and `events`; the other members stay. */
void am_modes_compare(const am_result *result, const am_result *other, am_modes_difference *difference);

/* Forces within a hundredth, events within a twentieth; false of a difference that was never made. */
bool am_modes_agree(const am_modes_difference *difference);

/* Summary `modes_used`, `modes_compared`, `modes_difference`, `modes_events_difference`, `modes_converged`,
 * `modes_verdict` (a sentence). NULL: there are no more modes to compare with. */
am_status am_modes_report(am_result *result, size_t modes, const am_modes_difference *difference, am_error *err);

#endif
