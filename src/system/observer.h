/* Analyses show their samples and events to who looks on. */
#ifndef AMONTONS_SYSTEM_OBSERVER_H
#define AMONTONS_SYSTEM_OBSERVER_H
#include "amontons/observer.h"

/* To the observer of this result, if there is one. */
am_status am_observe(const am_result *result, const am_sample *sample, am_error *err);
am_status am_observe_cycle(const am_result *result, const am_sample *sample, am_error *err);
am_status am_observe_period(const am_result *result, const am_period *period, am_error *err);
am_status am_observe_zone(const am_result *result, am_contact_state state, double from, double to, am_error *err);
am_status am_observe_event(const am_result *result, const am_event *event, am_error *err);

bool am_observes_shapes(const am_result *result);
am_status am_observe_shape(const am_result *result, const am_vibration *shape, am_error *err);

#endif
