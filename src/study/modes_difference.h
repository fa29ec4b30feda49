/* How much the motion of bodies with one number of modes differs from that with another. docs/blocks.md, section 6. */
#ifndef AMONTONS_STUDY_MODES_DIFFERENCE_H
#define AMONTONS_STUDY_MODES_DIFFERENCE_H
#include "amontons/observer.h"

/* What a run shows of its contacts, written down while it goes on. Starts as {0}. */
typedef struct am_contact_record {
    size_t samples, events, joints;
    double *t;     /* of the samples */
    double *force; /* samples x joints x 2: normal and tangential */
    double *event; /* times, in order */
    size_t t_capacity, force_capacity, event_capacity;
    const am_system *system; /* while it runs */
    am_observer next;        /* who looks on besides */
} am_contact_record;

/* Writes down the samples and events of this system, and shows all to the next observer. */
am_observer am_contact_record_watch(am_contact_record *record, const am_system *system, const am_observer *next);
void am_contact_record_clear(am_contact_record *record);

typedef struct am_modes_difference {
    size_t modes, others; /* numbers of modes */
    /* Of all contact forces, root mean square over contacts and samples, over that of the forces themselves; NaN: no
     * samples to compare. */
    double forces;
    /* Of the numbers of events up to any time (times may differ by a hundredth of the span), the largest, over the
     * number in all; NaN: no samples, which tell the span. */
    double events;
    size_t event_count[2];
    double tolerance;    /* of `forces`; 0: a hundredth */
    const char *failure; /* what the analysis said when it failed with the other number; NULL or "": it did not */
} am_modes_difference;

/* Fills forces and events; the other members stay. */
void am_modes_compare(const am_contact_record *record, const am_contact_record *other, am_modes_difference *difference);

/* The same for analyses that do not go through time, into `forces`: the largest change of what they answer, relative (of
 * damping ratios, absolute). False: the analysis has no such numbers. */
bool am_modes_compare_answers(const char *analysis, const am_result *result, const am_result *other,
                              am_modes_difference *difference);
bool am_modes_have_answers(const char *analysis);

/* Forces within a hundredth, events within a twentieth; false of a difference that was never made. */
bool am_modes_agree(const am_modes_difference *difference);

/* Summary `modes_used`, `modes_compared`, `modes_difference`, `modes_events_difference`, `modes_converged`,
 * `modes_verdict` (a sentence). NULL: there are no more modes to compare with. */
am_status am_modes_report(am_result *result, size_t modes, const am_modes_difference *difference, am_error *err);

#endif
