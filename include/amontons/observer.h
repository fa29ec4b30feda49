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

/* What repeats in the end: a periodic motion (orbit), or the cycle of a path; borrowed like a sample. */
typedef struct am_period {
    double period;
    double dissipation; /* energy that friction takes in it */
    size_t coordinates;
    const double *least, *largest;                   /* exact, of each coordinate; NULL: path, which has none */
    const double *least_velocity, *largest_velocity; /* the same of velocities */
} am_period;

/* A shape of vibration, complex amplitudes of all coordinates; borrowed like a sample. */
typedef struct am_vibration {
    size_t mode;            /* its number in the tables of the analysis, or among those that it shows */
    double real, imaginary; /* of its eigenvalue; of a motion that repeats 0 and its frequency */
    double amplitude;       /* modal amplitude (backbone); NaN: it has none */
    size_t coordinates;
    const double *cosine, *sine; /* real and imaginary part */
} am_vibration;

/* Any function may be NULL. Another status than AM_OK ends the analysis, which returns it. */
typedef struct am_observer {
    am_status (*sample)(void *context, const am_sample *sample, am_error *err);
    am_status (*event)(void *context, const am_event *event, am_error *err);
    am_status (*cycle)(void *context, const am_sample *sample,
                       am_error *err); /* of the cycle that repeats in the end */
    am_status (*period)(void *context, const am_period *period, am_error *err);
    am_status (*zone)(void *context, am_contact_state state, double from, double to, am_error *err); /* along x */
    am_status (*shape)(void *context, const am_vibration *shape, am_error *err);
    void *context;
} am_observer;

/* The observer (borrowed; NULL: none) sees every row of the table `samples` that motion, march, orbit and path put into
 * this result from now on, and of `events` of motion and march, `switches` of orbit, `cycle` of path and `zones` of
 * slip; the period of an orbit or of a path that repeats; and shapes: of `stability` and `squeal` at the model's own
 * friction (up to fifty; of structures so large that squeal takes a few modes, none), of `backbone` at its values
 * and its end. */
AM_API void am_result_observe(am_result *result, const am_observer *observer);

/* A model that looks on while an analysis runs, and adds what only it knows. Models that do so have a function
 * am_<model>_create_watched (amontons/models.h, amontons/mesh.h):
 *
 *     am_model_watch watch;
 *     am_system *system = am_blocks_create_watched(&blocks, false, &watch, err);
 *     am_result_observe(result, &watch.observer);
 *     am_path_run(system, &options, result, NULL, err);
 *     am_result_observe(result, NULL);
 *     watch.report(watch.observer.context, result, err);
 *     watch.release(watch.observer.context);
 *
 * Where making the system fails there is nothing to release. A watch is for one analysis. */
typedef struct am_model_watch {
    am_observer observer;                                                 /* its context is that of all three */
    am_status (*report)(void *context, am_result *result, am_error *err); /* when the analysis has ended */
    void (*release)(void *context);
} am_model_watch;

#ifdef __cplusplus
}
#endif
#endif
