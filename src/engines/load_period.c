/* When do the loads, held forces and moving surfaces of a system repeat, and from when on do they do nothing else? */
#include "engines/load_period.h"

#include <math.h>

#include "amontons/orbit.h"
#include "base/object.h"
#include "base/whole.h"
#include "math/pi.h"
#include "system/system.h"

static double term_period(const am_function *f) {
    if (f->kind == AM_FUNCTION_SINE && f->amplitude != 0.0 && f->frequency != 0.0)
        return two_pi / fabs(f->frequency);
    if (f->kind == AM_FUNCTION_TABLE && f->period > 0.0)
        return f->period;
    return 0.0;
}

/* The least common multiple of two periods; NAN if none below 1000 times the first exists. */
static double common(double a, double b) {
    if (!(a > 0.0) || !(b > 0.0))
        return a > 0.0 ? a : b;
    for (double k = 1.0; k <= 1000.0; k += 1.0)
        if (am_is_whole(k * a / b))
            return k * a;
    return NAN;
}

/* The same of a period and all terms of a function. */
static double common_with(double period, const am_function *function) {
    for (const am_function *f = function; f && !isnan(period); f = f->plus)
        period = common(period, term_period(f));
    return period;
}

double am_orbit_load_period(const am_system *system) {
    if (!am_is(system, AM_TAG_SYSTEM))
        return NAN;
    double period = 0.0;
    for (size_t l = 0; l < am_system_loads(system); l++)
        period = common_with(period, &am_system_load(system, l)->function);
    for (size_t c = 0; c < am_system_contacts(system); c++)
        for (size_t i = 0; am_contact_function(am_system_contact(system, c), i); i++)
            period = common_with(period, am_contact_function(am_system_contact(system, c), i));
    for (size_t v = 0; v < am_system_varyings(system); v++)
        period = common_with(period, &am_system_varying(system, v)->stiffness);
    return period;
}

/* After this time only repeating functions change. */
static double term_settled(const am_function *f) {
    if (f->kind == AM_FUNCTION_CHIRP || (f->kind == AM_FUNCTION_RAMP && f->rate != 0.0))
        return INFINITY;
    if (f->kind == AM_FUNCTION_TABLE && !(f->period > 0.0) && f->count > 0)
        return f->times[f->count - 1];
    if (f->kind == AM_FUNCTION_PULSE || f->kind == AM_FUNCTION_IMPULSE)
        return f->start + (f->kind == AM_FUNCTION_PULSE ? f->duration : 0.0) +
               (f->repeat > 1 ? (double)(f->repeat - 1) * f->period : 0.0);
    return -INFINITY;
}

static double settled_after(const am_function *function) {
    double when = -INFINITY;
    for (const am_function *f = function; f; f = f->plus)
        when = fmax(when, term_settled(f));
    return when;
}

double am_loads_settled(const am_system *system) {
    double when = -INFINITY;
    for (size_t l = 0; l < am_system_loads(system); l++)
        when = fmax(when, settled_after(&am_system_load(system, l)->function));
    for (size_t c = 0; c < am_system_contacts(system); c++)
        for (size_t i = 0; am_contact_function(am_system_contact(system, c), i); i++)
            when = fmax(when, settled_after(am_contact_function(am_system_contact(system, c), i)));
    for (size_t v = 0; v < am_system_varyings(system); v++)
        when = fmax(when, settled_after(&am_system_varying(system, v)->stiffness));
    return when;
}
