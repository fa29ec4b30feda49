#include "amontons/system.h"

#include <math.h>
#include <stdint.h>

#include "base/object.h"
#include "math/pi.h"
#include "system/generator.h"

am_function am_function_constant(double value) {
    return (am_function){.kind = AM_FUNCTION_CONSTANT, .value = value, .repeat = 1};
}

am_function am_function_ramp(double value, double rate) {
    return (am_function){.kind = AM_FUNCTION_RAMP, .value = value, .rate = rate, .repeat = 1};
}

am_function am_function_sine(double amplitude, double frequency, double phase) {
    return (am_function){
        .kind = AM_FUNCTION_SINE, .amplitude = amplitude, .frequency = frequency, .phase = phase, .repeat = 1};
}

am_function am_function_table(size_t count, const double *times, const double *values) {
    return (am_function){.kind = AM_FUNCTION_TABLE, .count = count, .times = times, .values = values, .repeat = 1};
}

am_function am_function_pulse(double amplitude, double start, double duration) {
    return (am_function){
        .kind = AM_FUNCTION_PULSE, .amplitude = amplitude, .start = start, .duration = duration, .repeat = 1};
}

am_function am_function_impulse(double amplitude, double start) {
    return (am_function){.kind = AM_FUNCTION_IMPULSE, .amplitude = amplitude, .start = start, .repeat = 1};
}

const char *am_function_kind_name(am_function_kind kind) {
    static const char *const names[] = {"constant", "ramp", "sine", "table", "pulse", "impulse"};
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

static am_status check_table(const am_function *f, am_error *err) {
    if (f->count < 1 || !f->times || !f->values)
        return am_fail_field(err, AM_ERR_INPUT, "times", "a table needs at least one time and one value");
    for (size_t i = 0; i < f->count; i++) {
        if (!isfinite(f->times[i]))
            return am_fail_field(err, AM_ERR_INPUT, "times", "time %zu of the table is not a finite number", i + 1);
        if (!isfinite(f->values[i]))
            return am_fail_field(err, AM_ERR_INPUT, "values", "value %zu of the table is not a finite number", i + 1);
        if (i > 0 && !(f->times[i] > f->times[i - 1]))
            return am_fail_field(err, AM_ERR_INPUT, "times",
                                 "the times of a table must increase, but %g comes after %g", f->times[i],
                                 f->times[i - 1]);
    }
    if (f->period < 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "period", "the period of a table must not be negative, but is %g",
                             f->period);
    if (f->period > 0.0 && f->times[f->count - 1] - f->times[0] > f->period * (1.0 + 1e-12))
        return am_fail_field(err, AM_ERR_INPUT, "period", "the period %g is shorter than the table, which spans %g",
                             f->period, f->times[f->count - 1] - f->times[0]);
    return AM_OK;
}

am_status am_function_check(const am_function *function, am_error *err) {
    if (!function)
        return am_misused(err, __func__);
    const am_function *f = function;
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"value", f->value}, {"rate", f->rate},   {"amplitude", f->amplitude}, {"frequency", f->frequency},
                   {"phase", f->phase}, {"start", f->start}, {"duration", f->duration},   {"period", f->period}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isfinite(numbers[i].value))
            return am_fail_field(err, AM_ERR_INPUT, numbers[i].name, "%s must be a finite number", numbers[i].name);
    if ((int)f->kind < 0 || f->kind > AM_FUNCTION_IMPULSE)
        return am_fail_field(err, AM_ERR_INPUT, "kind", "unknown kind of function");
    if (f->kind == AM_FUNCTION_TABLE)
        return check_table(f, err);
    if (f->kind == AM_FUNCTION_SINE && !(f->frequency > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "frequency", "the frequency of a sine must be positive, not %g",
                             f->frequency);
    if (f->kind != AM_FUNCTION_PULSE && f->kind != AM_FUNCTION_IMPULSE)
        return AM_OK;
    if (f->repeat < 1)
        return am_fail_field(err, AM_ERR_INPUT, "repeat", "repeat must be at least 1");
    if (f->kind == AM_FUNCTION_PULSE && !(f->duration > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "duration", "the duration of a pulse must be positive, not %g",
                             f->duration);
    if (f->repeat > 1 && !(f->period > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "period", "a repeated %s needs a positive period",
                             am_function_kind_name(f->kind));
    if (f->repeat > 1 && f->kind == AM_FUNCTION_PULSE && f->period < f->duration)
        return am_fail_field(err, AM_ERR_INPUT, "period", "pulses overlap: the period %g is shorter than a pulse (%g)",
                             f->period, f->duration);
    return AM_OK;
}

/* Times this close are the same instant: breaks are computed as start + k period, with rounding in each term. */
static double same_instant(double t, double scale) {
    return 8.0 * 2.220446049250313e-16 * (fabs(t) + fabs(scale));
}

/* Where in a repeated pattern is t? Number of the repetition begun last (0 .. repeat-1), or SIZE_MAX before the first.
 */
static size_t repetition(const am_function *f, double t) {
    double since = t - f->start + same_instant(t, f->start + f->period);
    if (since < 0.0)
        return SIZE_MAX;
    if (f->repeat == 1)
        return 0;
    double k = floor(since / f->period);
    return k >= (double)f->repeat ? f->repeat - 1 : (size_t)k;
}

static am_exact_time repetition_start(const am_function *f, size_t k) {
    return am_exact_time_repeated(f->start, (double)k, f->period);
}

/* How many periods of the table have passed before t. */
static double table_periods(const am_function *f, double t) {
    return f->period > 0.0 ? floor((t - f->times[0] + same_instant(t, f->period)) / f->period) : 0.0;
}

/* Time i of the table, so many periods later. */
static am_exact_time table_break(const am_function *f, size_t i, double periods) {
    return am_exact_time_repeated(f->times[i], periods, f->period);
}

/* The number of the time of the table that has passed last, in a period that has begun; SIZE_MAX before the first. */
static size_t table_passed(const am_function *f, double t, double periods) {
    double local = t - periods * f->period, guard = same_instant(t, f->period);
    if (local < f->times[0] - guard)
        return SIZE_MAX;
    size_t low = 0, high = f->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f->times[middle] <= local + guard)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Value and slope just after an instant. */
static void table_state(const am_function *f, am_exact_time now, double *value, double *slope) {
    double periods = table_periods(f, now.t);
    size_t i = table_passed(f, now.t, periods);
    *slope = 0.0;
    *value = f->values[i == SIZE_MAX ? 0 : i];
    if (i == SIZE_MAX || i + 1 == f->count)
        return;
    *slope = (f->values[i + 1] - f->values[i]) / (f->times[i + 1] - f->times[i]);
    *value += *slope * am_exact_time_until(table_break(f, i, periods), now);
}

static am_exact_time table_next_break(const am_function *f, double t) {
    double periods = table_periods(f, t);
    size_t next = table_passed(f, t, periods) + 1; /* the first one, if none has passed */
    if (next < f->count)
        return table_break(f, next, periods);
    return f->period > 0.0 ? table_break(f, 0, periods + 1.0) : am_exact_time_at(INFINITY);
}

size_t am_generator_size(const am_function *function) {
    static const size_t sizes[] = {[AM_FUNCTION_RAMP] = 2,
                                   [AM_FUNCTION_TABLE] = 2,
                                   [AM_FUNCTION_SINE] = 2,
                                   [AM_FUNCTION_PULSE] = 3,
                                   [AM_FUNCTION_IMPULSE] = 0};
    return (size_t)function->kind < sizeof sizes / sizeof *sizes ? sizes[function->kind] : 0;
}

double am_generator_offset(const am_function *function) {
    return function->kind == AM_FUNCTION_CONSTANT || function->kind == AM_FUNCTION_SINE ? function->value : 0.0;
}

void am_generator_matrices(const am_function *function, double *h, double *G) {
    size_t size = am_generator_size(function);
    for (size_t i = 0; i < size * size; i++)
        G[i] = 0.0;
    switch (function->kind) {
    case AM_FUNCTION_RAMP:
    case AM_FUNCTION_TABLE:
        h[0] = 1.0, h[1] = 0.0;
        G[1] = 1.0;
        break;
    case AM_FUNCTION_SINE:
        h[0] = 1.0, h[1] = 0.0;
        G[1] = function->frequency;
        G[2] = -function->frequency;
        break;
    case AM_FUNCTION_PULSE:
        h[0] = 1.0, h[1] = 1.0, h[2] = 0.0;
        G[5] = two_pi / function->duration; /* (-cos)' = w sin */
        G[7] = -two_pi / function->duration;
        break;
    case AM_FUNCTION_CONSTANT:
    case AM_FUNCTION_IMPULSE:
        break;
    }
}

static void pulse_state(const am_function *f, am_exact_time now, double *z) {
    z[0] = z[1] = z[2] = 0.0;
    size_t k = repetition(f, now.t);
    if (k == SIZE_MAX)
        return;
    double since = am_exact_time_until(repetition_start(f, k), now);
    if (since >= f->duration - same_instant(now.t, f->duration))
        return;
    double angle = two_pi * since / f->duration, half = 0.5 * f->amplitude;
    z[0] = half;
    z[1] = -half * cos(angle);
    z[2] = half * sin(angle);
}

/* value + rate t as a sum and *rest, what it leaves: after long times both terms may be large. */
static double line_at(double value, double rate, am_exact_time now, double *rest) {
    double product_rest, sum_rest;
    double sum = am_exact_sum(am_exact_product(rate, now.t, &product_rest), value, &sum_rest);
    *rest = sum_rest + (product_rest + rate * now.beyond);
    return sum;
}

/* Where the terms do not cancel each other their roundings are those of the sum. */
static double ramp_at(const am_function *f, am_exact_time now) {
    double product = f->rate * now.t, sum = f->value + product, rest;
    if (fabs(product) <= 2.0 * fabs(sum))
        return sum + f->rate * now.beyond;
    sum = line_at(f->value, f->rate, now, &rest);
    return sum + rest;
}

/* sin and cos of angle + rest, to the second order of the rest, which is a few roundings of the angle. */
static void sine_state(const am_function *f, am_exact_time now, double *z) {
    double rest, angle = line_at(f->phase, f->frequency, now, &rest);
    double s = sin(angle), c = cos(angle);
    z[0] = f->amplitude * (s + rest * (c - 0.5 * rest * s));
    z[1] = f->amplitude * (c - rest * (s + 0.5 * rest * c));
}

void am_generator_state_at(const am_function *function, am_exact_time now, double *z) {
    const am_function *f = function;
    switch (f->kind) {
    case AM_FUNCTION_RAMP:
        z[0] = ramp_at(f, now);
        z[1] = f->rate;
        break;
    case AM_FUNCTION_TABLE:
        table_state(f, now, &z[0], &z[1]);
        break;
    case AM_FUNCTION_SINE:
        sine_state(f, now, z);
        break;
    case AM_FUNCTION_PULSE:
        pulse_state(f, now, z);
        break;
    case AM_FUNCTION_CONSTANT:
    case AM_FUNCTION_IMPULSE:
        break;
    }
}

void am_generator_state(const am_function *function, double t, double *z) {
    am_generator_state_at(function, am_exact_time_at(t), z);
}

am_exact_time am_generator_break_after(const am_function *function, double t) {
    const am_function *f = function;
    if (f->kind == AM_FUNCTION_TABLE)
        return table_next_break(f, t);
    if (f->kind != AM_FUNCTION_PULSE && f->kind != AM_FUNCTION_IMPULSE)
        return am_exact_time_at(INFINITY);
    size_t k = repetition(f, t);
    if (k == SIZE_MAX)
        return am_exact_time_at(f->start);
    am_exact_time end = am_exact_time_after(repetition_start(f, k), f->duration);
    if (f->kind == AM_FUNCTION_PULSE && end.t > t + same_instant(t, f->duration))
        return end;
    return k + 1 < f->repeat ? repetition_start(f, k + 1) : am_exact_time_at(INFINITY);
}

double am_generator_next_break(const am_function *function, double t) {
    return am_generator_break_after(function, t).t;
}

double am_generator_blow(const am_function *function, double t) {
    if (function->kind != AM_FUNCTION_IMPULSE)
        return 0.0;
    size_t k = repetition(function, t);
    if (k == SIZE_MAX)
        return 0.0;
    bool now = fabs(t - repetition_start(function, k).t) <= same_instant(t, function->start + function->period);
    return now ? function->amplitude : 0.0;
}

/* The function and its rate just after t. */
static double evaluate(const am_function *function, double t, double *rate) {
    double z[AM_GENERATOR_MAX], h[AM_GENERATOR_MAX], G[AM_GENERATOR_MAX * AM_GENERATOR_MAX];
    double f = am_generator_offset(function);
    size_t size = am_generator_size(function);
    am_generator_state(function, t, z);
    am_generator_matrices(function, h, G);
    *rate = 0.0;
    for (size_t i = 0; i < size; i++) {
        f += h[i] * z[i];
        for (size_t j = 0; j < size; j++)
            *rate += h[i] * G[i * size + j] * z[j];
    }
    return f;
}

double am_function_at(const am_function *function, double t) {
    double rate;
    return function ? evaluate(function, t, &rate) : NAN;
}

double am_function_rate(const am_function *function, double t) {
    double rate = NAN;
    if (function)
        evaluate(function, t, &rate);
    return rate;
}
