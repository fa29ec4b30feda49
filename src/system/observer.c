#include "system/observer.h"

#include "base/result_reuse.h"

void am_result_observe(am_result *result, const am_observer *observer) {
    am_result_set_observer(result, observer);
}

am_status am_observe(const am_result *result, const am_sample *sample, am_error *err) {
    const am_observer *observer = am_result_get_observer(result);
    return observer && observer->sample ? observer->sample(observer->context, sample, err) : AM_OK;
}

am_status am_observe_cycle(const am_result *result, const am_sample *sample, am_error *err) {
    const am_observer *observer = am_result_get_observer(result);
    return observer && observer->cycle ? observer->cycle(observer->context, sample, err) : AM_OK;
}

am_status am_observe_period(const am_result *result, const am_period *period, am_error *err) {
    const am_observer *observer = am_result_get_observer(result);
    return observer && observer->period ? observer->period(observer->context, period, err) : AM_OK;
}

am_status am_observe_event(const am_result *result, const am_event *event, am_error *err) {
    const am_observer *observer = am_result_get_observer(result);
    return observer && observer->event ? observer->event(observer->context, event, err) : AM_OK;
}

am_status am_observe_zone(const am_result *result, am_contact_state state, double from, double to, am_error *err) {
    const am_observer *observer = am_result_get_observer(result);
    return observer && observer->zone ? observer->zone(observer->context, state, from, to, err) : AM_OK;
}

bool am_observes_shapes(const am_result *result) {
    const am_observer *observer = am_result_get_observer(result);
    return observer && observer->shape;
}

am_status am_observe_shape(const am_result *result, const am_vibration *shape, am_error *err) {
    const am_observer *observer = am_result_get_observer(result);
    return observer && observer->shape ? observer->shape(observer->context, shape, err) : AM_OK;
}
