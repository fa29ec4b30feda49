#include "steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

am_step_kind next_step(am_motion *motion, double until) {
    am_error err = {0};
    am_step_kind kind;
    if (am_motion_step(motion, until, &kind, &err) != AM_OK)
        fail_msg("t = %g: %s", am_motion_time(motion), err.message);
    return kind;
}

bool next_event(am_motion *motion, double until) {
    am_step_kind kind = AM_STEP_SPAN;
    while (kind == AM_STEP_SPAN)
        kind = next_step(motion, until);
    return kind == AM_STEP_EVENT;
}

void run_until(am_motion *motion, double until) {
    while (next_step(motion, until) != AM_STEP_END) {
    }
}
