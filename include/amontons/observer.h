/* Who wants to know something about a motion looks on while it runs: samples and events as an analysis meets them, in
 * numbers. */
#ifndef AMONTONS_OBSERVER_H
#define AMONTONS_OBSERVER_H
#include "amontons/motion.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One instant of a motion or a path, borrowed until the observer returns. */
typedef struct am_sample {
    double t;
    size_t coordinates, contacts;
    const double *displacement;        /* of all coordinates */
    const double *velocity;            /* of all coordinates; NULL: a quasi-static path, which has none */
    const double *normal, *tangential; /* forces of all contacts */
    const am_contact_state *state;     /* of all contacts */
    const double *second;              /* forces along second tangents, of all contacts; NULL: there are none */
} am_sample;

/* A contact that changes its state, and the motion just after it; borrowed like a sample. */
typedef struct am_event {
    double t;
    size_t contact;
    am_contact_state from, to;
    am_cause cause;
    const double *displacement, *velocity; /* of all coordinates */
    const double *normal, *tangential;     /* forces of all contacts; NULL: orbit, which does not give them */
    const double *velocity_before;         /* of all coordinates; NULL: there was no impact */
    const double *second;                  /* forces along second tangents; NULL: there are none */
} am_event;

/* Any function may be NULL. Another status than AM_OK ends the analysis, which returns it. */
typedef struct am_observer {
    am_status (*sample)(void *context, const am_sample *sample, am_error *err);
    am_status (*event)(void *context, const am_event *event, am_error *err);
    am_status (*cycle)(void *context, const am_sample *sample,
                       am_error *err); /* of the cycle that repeats in the end */
    void *context;
} am_observer;

/* The observer (borrowed; NULL: none) sees every row of the table `samples` that motion, march, orbit and path put into
 * this result from now on, and of `events` of motion and march, `switches` of orbit and `cycle` of path. */
AM_API void am_result_observe(am_result *result, const am_observer *observer);

#ifdef __cplusplus
}
#endif
#endif
