/* Who wants to know something about a motion looks on while it runs: samples as an analysis takes them, in numbers. */
#ifndef AMONTONS_OBSERVER_H
#define AMONTONS_OBSERVER_H
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
} am_sample;

typedef struct am_observer {
    /* Another status than AM_OK ends the analysis, which returns it. */
    am_status (*sample)(void *context, const am_sample *sample, am_error *err);
    void *context;
} am_observer;

/* The observer (borrowed; NULL: none) sees every row of the table `samples` that motion, march, orbit and path put into
 * this result from now on. */
AM_API void am_result_observe(am_result *result, const am_observer *observer);

#ifdef __cplusplus
}
#endif
#endif
