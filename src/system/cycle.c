#include "system/cycle.h"
#include "base/try.h"

#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "math/pi.h"
#include "math/wave.h"
#include "system/generator.h"

enum { MOST_PIECES = 1000000 };

enum { VALUE, SLOPE, COSINE, SINE, PARTS };

/* ---- waves ---- */

static double frequency_of(const am_function *f) {
    if (f->kind == AM_FUNCTION_SINE)
        return fabs(f->frequency);
    return f->kind == AM_FUNCTION_PULSE ? two_pi / f->duration : 0.0;
}

/* Number the different frequencies; those that agree to rounding are one. */
static void number_waves(am_cycle *cycle) {
    for (size_t i = 0; i < cycle->count; i++) {
        double frequency = frequency_of(cycle->function[i]);
        size_t j = 0;
        if (!(frequency > 0.0))
            continue;
        while (j < cycle->waves && fabs(cycle->frequency[j] - frequency) > 4.0 * DBL_EPSILON * frequency)
            j++;
        if (j == cycle->waves)
            cycle->frequency[cycle->waves++] = frequency;
        cycle->wave[i] = j;
    }
}

/* ---- pieces ---- */

static double next_break(const am_cycle *cycle, double t) {
    double next = INFINITY;
    for (size_t i = 0; i < cycle->count; i++)
        next = fmin(next, am_generator_next_break(cycle->function[i], t));
    return next;
}

/* Breaks this near to another one are the same, computed twice. */
static double guard(const am_cycle *cycle) {
    return 64.0 * DBL_EPSILON * cycle->period;
}

static am_status find_breaks(am_cycle *cycle, am_error *err) {
    size_t capacity = 0;
    double t = 0.0;
    for (cycle->pieces = 0;; cycle->pieces++) {
        if (cycle->pieces >= MOST_PIECES)
            return am_fail(err, AM_ERR_LIMIT, "the loads have more than %d breaks in a period of %g", MOST_PIECES,
                           cycle->period);
        AM_TRY(am_memory_reserve(&cycle->start, &capacity, cycle->pieces + 2, err));
        cycle->start[cycle->pieces] = t;
        if (t >= cycle->period)
            return AM_OK;
        double next = next_break(cycle, t);
        while (next <= t + guard(cycle))
            next = next_break(cycle, next);
        t = next < cycle->period - guard(cycle) ? next : cycle->period;
    }
}

static void fill_profile(const am_function *f, double t, double parts[PARTS]) {
    double z[AM_GENERATOR_MAX] = {0};
    am_generator_state(f, t, z);
    parts[VALUE] = am_generator_offset(f);
    parts[SLOPE] = parts[COSINE] = parts[SINE] = 0.0;
    switch (f->kind) {
    case AM_FUNCTION_RAMP:
    case AM_FUNCTION_TABLE:
        parts[VALUE] = z[0];
        parts[SLOPE] = z[1];
        break;
    case AM_FUNCTION_SINE: /* a sin(x + ws) = a sin x cos ws + a cos x sin ws */
        parts[COSINE] = z[0];
        parts[SINE] = z[1];
        break;
    case AM_FUNCTION_PULSE: /* -h cos(x + ws) = -h cos x cos ws + h sin x sin ws */
        parts[VALUE] = z[0];
        parts[COSINE] = z[1];
        parts[SINE] = z[2];
        break;
    case AM_FUNCTION_CONSTANT:
    case AM_FUNCTION_IMPULSE:
    case AM_FUNCTION_CHIRP:
        break;
    }
}

static double *parts_of(const am_cycle *cycle, size_t piece, size_t function) {
    return cycle->profile + (piece * cycle->count + function) * PARTS;
}

static double length_of(const am_cycle *cycle, size_t piece) {
    return cycle->start[piece + 1] - cycle->start[piece];
}

/* Integral of one function over one piece. */
static double integral(const double parts[PARTS], double frequency, double length) {
    double sum = length * (parts[VALUE] + 0.5 * length * parts[SLOPE]);
    if (parts[COSINE] == 0.0 && parts[SINE] == 0.0)
        return sum;
    double half = sin(0.5 * frequency * length); /* 1 - cos x = 2 sin^2(x/2) */
    return sum + (parts[COSINE] * sin(frequency * length) + parts[SINE] * 2.0 * half * half) / frequency;
}

static void fill_profiles(am_cycle *cycle) {
    for (size_t i = 0; i < cycle->count; i++) {
        const am_function *f = cycle->function[i];
        double sum = 0.0;
        for (size_t piece = 0; piece < cycle->pieces; piece++) {
            fill_profile(f, cycle->start[piece], parts_of(cycle, piece, i));
            sum += integral(parts_of(cycle, piece, i), frequency_of(f), length_of(cycle, piece));
        }
        /* A sine goes through whole waves: its mean is known without rounding. */
        cycle->mean[i] = f->kind == AM_FUNCTION_SINE || f->kind == AM_FUNCTION_CONSTANT ? am_generator_offset(f)
                                                                                        : sum / cycle->period;
    }
}

am_status am_cycle_init(am_cycle *cycle, size_t count, const am_function *const *functions, double period,
                        am_error *err) {
    *cycle = (am_cycle){.period = period, .count = count};
    cycle->function = am_arena_new(&cycle->memory, count, sizeof *cycle->function, err);
    cycle->wave = am_arena_new(&cycle->memory, count, sizeof *cycle->wave, err);
    AM_ARENA_DOUBLES(&cycle->memory, count, err, &cycle->mean, &cycle->frequency);
    am_status status = am_arena_status(&cycle->memory);
    if (!status) {
        for (size_t i = 0; i < count; i++)
            cycle->function[i] = functions[i];
        number_waves(cycle);
        status = find_breaks(cycle, err);
    }
    if (!status) {
        cycle->profile = am_arena_doubles(&cycle->memory, NULL, cycle->pieces * count * PARTS, err);
        status = am_arena_status(&cycle->memory);
    }
    if (!status)
        fill_profiles(cycle);
    else
        am_cycle_clear(cycle);
    return status;
}

void am_cycle_clear(am_cycle *cycle) {
    am_memory_free(cycle->start);
    am_arena_clear(&cycle->memory);
    *cycle = (am_cycle){0};
}

double am_cycle_value(const am_cycle *cycle, size_t index, const am_instant *when) {
    const double *parts = parts_of(cycle, when->piece, index);
    double value = parts[VALUE] + parts[SLOPE] * when->since;
    if (parts[COSINE] != 0.0 || parts[SINE] != 0.0) {
        double angle = cycle->frequency[cycle->wave[index]] * when->since;
        value += parts[COSINE] * cos(angle) + parts[SINE] * sin(angle);
    }
    return value;
}

am_instant am_cycle_instant(const am_cycle *cycle, double t) {
    size_t low = 0, high = cycle->pieces; /* last piece that starts at t or before */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (cycle->start[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return (am_instant){t, low, t - cycle->start[low]};
}

/* ---- extremes ---- */

static void combine(const am_cycle *cycle, size_t piece, const double *weight, am_wave *sum, double *cosine,
                    double *sine) {
    *sum = (am_wave){.count = cycle->waves, .frequency = cycle->frequency, .cosine = cosine, .sine = sine};
    for (size_t j = 0; j < cycle->waves; j++)
        cosine[j] = sine[j] = 0.0;
    for (size_t i = 0; i < cycle->count; i++) {
        const double *parts = parts_of(cycle, piece, i);
        if (weight[i] == 0.0)
            continue;
        sum->constant += weight[i] * parts[VALUE];
        sum->slope += weight[i] * parts[SLOPE];
        if (parts[COSINE] == 0.0 && parts[SINE] == 0.0)
            continue;
        cosine[cycle->wave[i]] += weight[i] * parts[COSINE];
        sine[cycle->wave[i]] += weight[i] * parts[SINE];
    }
}

double am_cycle_least(const am_cycle *cycle, const double *weight, double *work, am_instant *when, double *error) {
    double least = INFINITY;
    *when = (am_instant){0.0, 0, 0.0};
    *error = 0.0;
    for (size_t piece = 0; piece < cycle->pieces; piece++) {
        am_wave sum;
        double since, off, value;
        combine(cycle, piece, weight, &sum, work, work + cycle->waves);
        value = am_wave_least(&sum, length_of(cycle, piece), &since, &off);
        *error = fmax(*error, off);
        if (value < least) {
            least = value;
            *when = (am_instant){cycle->start[piece] + since, piece, since};
        }
    }
    return least;
}
