#include "amontons/system.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "base/object.h"
#include "math/pi.h"
#include "math/quadrature.h"
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

am_function am_function_chirp(double amplitude, double from, double to, double duration) {
    return (am_function){.kind = AM_FUNCTION_CHIRP,
                         .amplitude = amplitude,
                         .frequency = from,
                         .rate = (to - from) / duration,
                         .duration = duration,
                         .repeat = 1};
}

const char *am_function_kind_name(am_function_kind kind) {
    static const char *const names[] = {"constant", "ramp", "sine", "table", "pulse", "impulse", "chirp"};
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
    for (size_t i = 0; f->moments && i < f->count; i++)
        if (!isfinite(f->moments[i]))
            return am_fail_field(err, AM_ERR_INPUT, "moments", "moment %zu of the spline is not a finite number",
                                 i + 1);
    return AM_OK;
}

static am_status check_chirp(const am_function *f, am_error *err) {
    double to = f->frequency + f->rate * f->duration;
    if (!(f->duration > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "duration", "the duration of a chirp must be positive, not %g",
                             f->duration);
    if (!(f->frequency >= 0.0) || !(to >= -1e-12 * f->frequency) || !(fmax(f->frequency, to) > 0.0) || !isfinite(to))
        return am_fail_field(err, AM_ERR_INPUT, "frequency",
                             "the frequencies of a chirp must not be negative, and one of them positive: not from %g "
                             "to %g",
                             f->frequency, to);
    return AM_OK;
}

static am_status check_term(const am_function *f, am_error *err) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"value", f->value}, {"rate", f->rate},   {"amplitude", f->amplitude}, {"frequency", f->frequency},
                   {"phase", f->phase}, {"start", f->start}, {"duration", f->duration},   {"period", f->period}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isfinite(numbers[i].value))
            return am_fail_field(err, AM_ERR_INPUT, numbers[i].name, "%s must be a finite number", numbers[i].name);
    if ((int)f->kind < 0 || f->kind > AM_FUNCTION_CHIRP)
        return am_fail_field(err, AM_ERR_INPUT, "kind", "unknown kind of function");
    if (f->derivative > 2 || (f->derivative > 0 && f->kind == AM_FUNCTION_IMPULSE))
        return am_fail_field(err, AM_ERR_INPUT, "derivative", "a function has no derivative of the order %u here",
                             f->derivative);
    if (f->kind == AM_FUNCTION_TABLE)
        return check_table(f, err);
    if (f->kind == AM_FUNCTION_CHIRP)
        return check_chirp(f, err);
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

am_status am_function_check(const am_function *function, am_error *err) {
    if (!function)
        return am_misused(err, __func__);
    am_status status = AM_OK;
    for (const am_function *f = function; f && !status; f = f->plus)
        status = check_term(f, err);
    return status;
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

/* One piece of a table after its beginning: value, slope, second and third derivative. */
static void table_piece(const am_function *f, size_t i, double since, double *d) {
    d[0] = f->values[i];
    d[1] = d[2] = d[3] = 0.0;
    if (i + 1 == f->count)
        return;
    double h = f->times[i + 1] - f->times[i];
    d[1] = (f->values[i + 1] - f->values[i]) / h;
    if (f->moments) {
        const double *m = f->moments + i;
        d[3] = (m[1] - m[0]) / h;
        d[1] += since * (m[0] + 0.5 * since * d[3]) - h * (2.0 * m[0] + m[1]) / 6.0;
        d[2] = m[0] + since * d[3];
        d[0] += since * (d[1] - since * (0.5 * d[2] - since * d[3] / 6.0));
    } else {
        d[0] += d[1] * since;
    }
}

/* The same just after an instant. */
static void table_state(const am_function *f, am_exact_time now, double *d) {
    double periods = table_periods(f, now.t);
    size_t i = table_passed(f, now.t, periods);
    if (i == SIZE_MAX) {
        d[0] = f->values[0];
        d[1] = d[2] = d[3] = 0.0;
        return;
    }
    bool ends = i + 1 == f->count;
    table_piece(f, i, ends ? 0.0 : am_exact_time_until(table_break(f, i, periods), now), d);
}

/* By how much a derivative of a table jumps at t. */
static double table_jump(const am_function *f, double t, unsigned derivative) {
    double after[4], before[4] = {f->values[0], 0.0, 0.0, 0.0}, periods = table_periods(f, t);
    size_t i = table_passed(f, t, periods);
    if (i == SIZE_MAX || fabs(table_break(f, i, periods).t - t) > same_instant(t, f->period))
        return 0.0;
    table_piece(f, i, 0.0, after);
    size_t last = f->count - 1;
    bool closes = f->times[last] - f->times[0] >= f->period * (1.0 - 1e-12); /* it ends where its next period begins */
    if (i > 0 || (f->period > 0.0 && closes && last > 0)) {
        size_t ended = i > 0 ? i - 1 : last - 1;
        table_piece(f, ended, f->times[ended + 1] - f->times[ended], before);
    } else if (f->period > 0.0) {
        table_piece(f, last, 0.0, before);
    }
    double jump = after[derivative] - before[derivative], size = fabs(after[derivative]) + fabs(before[derivative]);
    return fabs(jump) > 64.0 * DBL_EPSILON * size ? jump : 0.0;
}

/* A cubic table's derivatives are states in this unit of time, so that they are of one size. */
static double table_unit(const am_function *f) {
    return f->count > 1 ? (f->times[f->count - 1] - f->times[0]) / (double)(f->count - 1) : 1.0;
}

static am_exact_time table_next_break(const am_function *f, double t) {
    double periods = table_periods(f, t);
    size_t next = table_passed(f, t, periods) + 1; /* the first one, if none has passed */
    if (next < f->count)
        return table_break(f, next, periods);
    return f->period > 0.0 ? table_break(f, 0, periods + 1.0) : am_exact_time_at(INFINITY);
}

/* ---- chirps ---- */

/* The frequency in whose unit its derivatives are measured: not below the highest, and so far above the square root of
 * its rate that in 0.7/(this frequency) the Taylor polynomial of AM_GENERATOR_MAX terms, majorised by exp(w s + rate
 * s^2/2), is exact to rounding. */
static double chirp_scale(const am_function *f) {
    double to = f->frequency + f->rate * f->duration;
    return fmax(fmax(f->frequency, to), 5.0 * sqrt(fabs(f->rate)));
}

static double chirp_stride(const am_function *f) {
    return 0.7 / chirp_scale(f);
}

/* With u = amplitude exp(i angle) and angle' = w + rate s the derivatives are u^(k+1) = i (w u^(k) + k rate u^(k-1)). */
static void chirp_state(const am_function *f, am_exact_time now, double *z) {
    double s = am_exact_time_until(am_exact_time_at(f->start), now), scale = chirp_scale(f);
    for (size_t k = 0; k < AM_GENERATOR_MAX; k++)
        z[k] = 0.0;
    if (s < -same_instant(now.t, f->start))
        return;
    bool over = s >= f->duration - same_instant(now.t, f->duration);
    double swept = over ? f->duration : s, rate = over ? 0.0 : f->rate;
    double angle = f->phase + s * f->frequency + f->rate * swept * (s - 0.5 * swept);
    double w = (f->frequency + f->rate * swept) / scale, bend = rate / (scale * scale);
    double re = f->amplitude * cos(angle), im = f->amplitude * sin(angle), re_before = 0.0, im_before = 0.0;
    for (size_t k = 0; k < AM_GENERATOR_MAX; k++) {
        double bent = (double)k * bend, re_next = -(w * im + bent * im_before), im_next = w * re + bent * re_before;
        z[k] = im;
        re_before = re, im_before = im;
        re = re_next, im = im_next;
    }
}

static am_exact_time chirp_break(const am_function *f, double t) {
    double stride = chirp_stride(f), passed = floor((t - f->start) / stride);
    if (t < f->start - same_instant(t, f->start))
        return am_exact_time_at(f->start);
    am_exact_time end = am_exact_time_after(am_exact_time_at(f->start), f->duration);
    am_exact_time next = am_exact_time_repeated(f->start, fmax(0.0, passed), stride);
    for (double k = fmax(0.0, passed); !(next.t > t + same_instant(t, f->start + stride)); k += 1.0)
        next = am_exact_time_repeated(f->start, k, stride);
    return end.t > t + same_instant(t, f->duration) && end.t < next.t ? end : next;
}

static double chirp_jump(const am_function *f, double t, unsigned derivative) {
    if (fabs(t - f->start) > same_instant(t, f->start))
        return 0.0;
    double w = f->frequency, s = sin(f->phase), c = cos(f->phase);
    return f->amplitude * (derivative == 0 ? s : derivative == 1 ? w * c : f->rate * c - w * w * s);
}

/* ---- generators ---- */

size_t am_generator_size(const am_function *function) {
    static const size_t sizes[] = {
        [AM_FUNCTION_RAMP] = 2,  [AM_FUNCTION_TABLE] = 2,   [AM_FUNCTION_SINE] = 2,
        [AM_FUNCTION_PULSE] = 3, [AM_FUNCTION_IMPULSE] = 0, [AM_FUNCTION_CHIRP] = AM_GENERATOR_MAX};
    if (function->kind == AM_FUNCTION_TABLE && function->moments)
        return 4;
    return (size_t)function->kind < sizeof sizes / sizeof *sizes ? sizes[function->kind] : 0;
}

double am_generator_offset(const am_function *function) {
    bool has = function->kind == AM_FUNCTION_CONSTANT || function->kind == AM_FUNCTION_SINE;
    return has && function->derivative == 0 ? function->value : 0.0;
}

/* Every derivative is the next state, in a unit of time. */
static void fill_chain(double *G, size_t size, double value) {
    for (size_t k = 0; k + 1 < size; k++)
        G[k * size + k + 1] = value;
}

static void fill_generator(const am_function *f, double *h, double *G, size_t size) {
    for (size_t i = 0; i < size * size; i++)
        G[i] = 0.0;
    for (size_t i = 0; i < size; i++)
        h[i] = i == 0;
    switch (f->kind) {
    case AM_FUNCTION_RAMP:
        G[1] = 1.0;
        break;
    case AM_FUNCTION_TABLE:
        fill_chain(G, size, f->moments ? 1.0 / table_unit(f) : 1.0);
        break;
    case AM_FUNCTION_SINE:
        G[1] = f->frequency;
        G[2] = -f->frequency;
        break;
    case AM_FUNCTION_PULSE:
        h[1] = 1.0;
        G[5] = two_pi / f->duration; /* (-cos)' = w sin */
        G[7] = -two_pi / f->duration;
        break;
    case AM_FUNCTION_CHIRP:
        fill_chain(G, size, chirp_scale(f));
        break;
    case AM_FUNCTION_CONSTANT:
    case AM_FUNCTION_IMPULSE:
        break;
    }
}

void am_generator_matrices(const am_function *function, double *h, double *G) {
    size_t size = am_generator_size(function);
    fill_generator(function, h, G, size);
    for (unsigned d = 0; d < function->derivative; d++) { /* f' = h z' = h G z */
        double next[AM_GENERATOR_MAX];
        for (size_t j = 0; j < size; j++) {
            next[j] = 0.0;
            for (size_t i = 0; i < size; i++)
                next[j] += h[i] * G[i * size + j];
        }
        for (size_t j = 0; j < size; j++)
            h[j] = next[j];
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

static void table_states(const am_function *f, am_exact_time now, double *z) {
    double d[4], unit = f->moments ? table_unit(f) : 1.0, power = 1.0;
    table_state(f, now, d);
    for (size_t k = 0; k < am_generator_size(f); k++, power *= unit)
        z[k] = power * d[k];
}

void am_generator_state_at(const am_function *function, am_exact_time now, double *z) {
    const am_function *f = function;
    switch (f->kind) {
    case AM_FUNCTION_RAMP:
        z[0] = ramp_at(f, now);
        z[1] = f->rate;
        break;
    case AM_FUNCTION_TABLE:
        table_states(f, now, z);
        break;
    case AM_FUNCTION_SINE:
        sine_state(f, now, z);
        break;
    case AM_FUNCTION_PULSE:
        pulse_state(f, now, z);
        break;
    case AM_FUNCTION_CHIRP:
        chirp_state(f, now, z);
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
    if (f->kind == AM_FUNCTION_CHIRP)
        return chirp_break(f, t);
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
    if (function->derivative > 0 && function->kind == AM_FUNCTION_TABLE)
        return table_jump(function, t, function->derivative - 1);
    if (function->derivative > 0 && function->kind == AM_FUNCTION_CHIRP)
        return chirp_jump(function, t, function->derivative - 1);
    if (function->kind != AM_FUNCTION_IMPULSE)
        return 0.0;
    size_t k = repetition(function, t);
    if (k == SIZE_MAX)
        return 0.0;
    bool now = fabs(t - repetition_start(function, k).t) <= same_instant(t, function->start + function->period);
    return now ? function->amplitude : 0.0;
}

/* One term and its rate just after t. */
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

/* ---- sums ---- */

/* Of a pulse only the second derivative jumps, where it begins and ends. */
static double pulse_jump(const am_function *f, double t) {
    size_t k = repetition(f, t);
    if (k == SIZE_MAX)
        return 0.0;
    double w = two_pi / f->duration, since = t - repetition_start(f, k).t, near = same_instant(t, f->start + f->period);
    double sign = (fabs(since) <= near) - (fabs(since - f->duration) <= near);
    return sign * 0.5 * f->amplitude * w * w;
}

double am_functions_jump(const am_function *function, double t) {
    double sum = 0.0;
    for (const am_function *f = function; f; f = f->plus)
        sum += f->kind == AM_FUNCTION_TABLE                         ? table_jump(f, t, f->derivative)
               : f->kind == AM_FUNCTION_CHIRP                       ? chirp_jump(f, t, f->derivative)
               : f->kind == AM_FUNCTION_PULSE && f->derivative == 2 ? pulse_jump(f, t)
                                                                    : 0.0;
    return sum;
}

static bool has_jumps(const am_function *f) {
    if (f->kind == AM_FUNCTION_TABLE)
        return f->derivative > (f->moments ? 2 : 0) || (f->period > 0.0 && f->values[0] != f->values[f->count - 1]);
    if (f->kind == AM_FUNCTION_CHIRP)
        return f->derivative > 0 || sin(f->phase) != 0.0;
    return f->kind == AM_FUNCTION_PULSE && f->derivative > 1;
}

bool am_functions_have_jumps(const am_function *function) {
    for (const am_function *f = function; f; f = f->plus)
        if (has_jumps(f))
            return true;
    return false;
}

size_t am_functions_size(const am_function *function) {
    size_t size = 0;
    for (const am_function *f = function; f; f = f->plus)
        size += am_generator_size(f);
    return size;
}

void am_functions_state_at(const am_function *function, am_exact_time now, double *z) {
    for (const am_function *f = function; f; z += am_generator_size(f), f = f->plus)
        am_generator_state_at(f, now, z);
}

am_exact_time am_functions_break_after(const am_function *function, double t) {
    am_exact_time next = am_generator_break_after(function, t);
    for (const am_function *f = function->plus; f; f = f->plus)
        next = am_exact_time_earlier(next, am_generator_break_after(f, t));
    return next;
}

static double term_at(const void *term, double t) {
    double rate;
    return evaluate(term, t, &rate);
}

/* Between breaks a polynomial, or part of a wave: by Gauss' rule, a wave in quarters. */
static double term_integral(const am_function *f, double from, double to) {
    if (from > to)
        return -term_integral(f, to, from);
    if (f->kind == AM_FUNCTION_SINE && f->derivative == 0)
        return f->value * (to - from) + 2.0 * f->amplitude / f->frequency *
                                            sin(0.5 * f->frequency * (from + to) + f->phase) *
                                            sin(0.5 * f->frequency * (to - from));
    double sum = 0.0;
    for (double t = from; t < to;) {
        double next = fmin(am_generator_next_break(f, t), to);
        sum += am_quadrature_gauss(term_at, f, t, next, f->kind == AM_FUNCTION_PULSE ? 4 : 1);
        t = next;
    }
    return sum;
}

double am_functions_integral(const am_function *function, double from, double to) {
    double sum = 0.0;
    for (const am_function *f = function; f; f = f->plus)
        sum += term_integral(f, from, to);
    return sum;
}

static bool term_rests(const am_function *f) {
    return f->kind == AM_FUNCTION_CONSTANT || (f->kind == AM_FUNCTION_RAMP && f->rate == 0.0) ||
           (f->kind != AM_FUNCTION_RAMP && f->kind != AM_FUNCTION_TABLE && f->amplitude == 0.0);
}

bool am_functions_rest(const am_function *function) {
    for (const am_function *f = function; f; f = f->plus)
        if (!term_rests(f))
            return false;
    return true;
}

double am_function_at(const am_function *function, double t) {
    double sum = function ? 0.0 : NAN, rate;
    for (const am_function *f = function; f; f = f->plus)
        sum += evaluate(f, t, &rate);
    return sum;
}

double am_function_rate(const am_function *function, double t) {
    double sum = function ? 0.0 : NAN, rate;
    for (const am_function *f = function; f; f = f->plus, sum += rate)
        evaluate(f, t, &rate);
    return sum;
}
