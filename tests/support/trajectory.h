/* A run of the motion engine, collected: what the tests of the engine compare and check. */
#ifndef AMONTONS_TESTS_TRAJECTORY_H
#define AMONTONS_TESTS_TRAJECTORY_H
#include "amontons/motion.h"
#include "reference.h"

#define TRAJECTORY_EVENTS 4000

/* Called after every span or event with the states of contact during the interval just passed. */
typedef void trajectory_watch(const am_motion *motion, const am_contact_state *during, void *data);

typedef struct trajectory_event {
    double t;
    size_t contact;
    am_contact_state from, during, to;
    am_cause cause;
    double q[PLAIN_SIZE], v[PLAIN_SIZE];
} trajectory_event;

typedef struct trajectory {
    am_status status;
    am_error error;
    double reached; /* time at the end, or at failure */
    am_contact_state initial[PLAIN_CONTACTS], final[PLAIN_CONTACTS];
    size_t count;
    trajectory_event events[TRAJECTORY_EVENTS]; /* changes of state, and contacts of zero duration */
    am_motion_statistics statistics;
    double q[PLAIN_SIZE], v[PLAIN_SIZE];
} trajectory;

/* Runs until `until`, or until `most` events were collected (0: all). `watch` may be NULL. */
void trajectory_run(const plain_system *plain, double from, double until, const double *q, const double *v, size_t most,
                    trajectory_watch *watch, void *data, trajectory *result);

#endif
