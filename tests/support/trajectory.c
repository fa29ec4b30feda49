#include "trajectory.h"

#include <string.h>

static void collect(const am_motion *motion, size_t n, trajectory *result) {
    for (size_t i = 0; i < am_motion_switches(motion); i++) {
        const am_switch *change = am_motion_switch(motion, i);
        bool struck = change->from == AM_OPEN && change->during != AM_OPEN && am_motion_had_impact(motion);
        if (change->from == change->to && !struck)
            continue;
        if (result->count == TRAJECTORY_EVENTS)
            return;
        trajectory_event *event = &result->events[result->count++];
        event->t = am_motion_time(motion);
        event->contact = change->contact;
        event->from = change->from;
        event->during = change->during;
        event->to = change->to;
        event->cause = change->cause;
        memcpy(event->q, am_motion_displacement(motion), n * sizeof(double));
        memcpy(event->v, am_motion_velocity(motion), n * sizeof(double));
    }
}

static void follow(am_motion *motion, const plain_system *plain, double until, size_t most, trajectory_watch *watch,
                   void *data, trajectory *result) {
    am_step_kind kind = AM_STEP_SPAN;
    while (kind != AM_STEP_END && (most == 0 || result->count < most) && result->count < TRAJECTORY_EVENTS) {
        am_contact_state during[PLAIN_CONTACTS];
        memcpy(during, am_motion_states(motion), plain->m * sizeof *during);
        result->status = am_motion_step(motion, until, &kind, &result->error);
        if (result->status != AM_OK)
            return;
        if (watch)
            watch(motion, during, data);
        if (kind == AM_STEP_EVENT)
            collect(motion, plain->n, result);
    }
}

void trajectory_run(const plain_system *plain, double from, double until, const double *q, const double *v, size_t most,
                    trajectory_watch *watch, void *data, trajectory *result) {
    memset(result, 0, sizeof *result);
    am_system *system = plain_system_create(plain, &result->error);
    am_motion *motion = system ? am_motion_create(system, true, &result->error) : NULL;
    result->status = motion ? am_motion_start(motion, from, q, v, &result->error) : result->error.status;
    result->reached = from;
    if (result->status == AM_OK) {
        memcpy(result->initial, am_motion_states(motion), plain->m * sizeof *result->initial);
        follow(motion, plain, until, most, watch, data, result);
        memcpy(result->final, am_motion_states(motion), plain->m * sizeof *result->final);
        result->reached = am_motion_time(motion);
        result->statistics = am_motion_statistics_get(motion);
        memcpy(result->q, am_motion_displacement(motion), plain->n * sizeof(double));
        memcpy(result->v, am_motion_velocity(motion), plain->n * sizeof(double));
    }
    am_motion_free(motion);
    am_system_free(system);
}
