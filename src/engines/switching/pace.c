/* How long a motion would take: one that would need more spans than are allowed says so early, and names what makes it
 * slow. */
#include <math.h>

#include "base/object.h"
#include "engines/switching/switching.h"
#include "math/pi.h"

const size_t am_pace_usual = 20000000;

/* Of so many spans the time they take is measured: about a second's work. Who cannot ask for more spans is not
 * disturbed by a burst of short ones. */
static size_t window(const am_motion *e) {
    size_t n = e->plan.n, most = (size_t)1 << 20, spans = most / (n * n), least = (size_t)1 << 14;
    return !e->pace.named ? most : spans > least ? spans : least;
}

void am_pace_start(am_motion *e) {
    e->pace.steps = 0;
    e->pace.window = window(e);
    e->pace.from = e->now.t;
}

/* The coordinate that turns fastest in the present state of contact, in radians per time. */
static size_t fastest_coordinate(const am_motion *e, double *frequency) {
    size_t fastest = 0, n = e->plan.n;
    *frequency = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double *row = e->flow->A + i * e->plan.nx;
        double own = fmax(sqrt(fabs(row[i])), fabs(row[n + i]));
        if (own > *frequency) {
            *frequency = own;
            fastest = i;
        }
    }
    return fastest;
}

static am_status fail_pace(const am_motion *e, double until, double left, am_error *err) {
    double frequency;
    const char *name = am_system_name(e->plan.system, fastest_coordinate(e, &frequency));
    double period = two_pi / frequency;
    return am_fail(
        err, AM_ERR_LIMIT,
        "at t = %.6g about %.2g pieces of series are left until t = %g, more than %s (%g): the "
        "motion follows coordinate %s through its period of %.3g, some %.2g times. %s",
        e->now.t, left, until, e->pace.named ? "max_spans allows" : "are allowed", (double)e->pace.most, name, period,
        (until - e->now.t) / period,
        e->pace.named ? "Damp it, give it less stiffness or more mass, or leave it out; end sooner; or raise max_spans "
                        "if that is meant"
                      : "Ask for less time, or less slow loads");
}

am_status am_pace_check(am_motion *e, double until, am_error *err) {
    am_pace *p = &e->pace;
    if (++p->steps % p->window != 0)
        return AM_OK;
    double left = (double)p->window * (until - e->now.t) / (e->now.t - p->from);
    p->from = e->now.t;
    if (e->seek_final) /* `until` is only where the search for a proof gives up */
        left = 0.0;
    return (double)p->steps + left > (double)p->most ? fail_pace(e, until, left, err) : AM_OK;
}

void am_motion_limit(am_motion *motion, size_t most_spans) {
    if (!am_is(motion, AM_TAG_MOTION))
        return;
    motion->pace.most = most_spans;
    motion->pace.named = true;
}
