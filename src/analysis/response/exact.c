/* The exact motion next to a balanced one: closed by shooting, with its multipliers, and the first harmonic it really
 * has. For structures that are linear between switches, and for polynomial springs without contacts. */
#include "analysis/response/exact.h"

#include <math.h>
#include <string.h>

#include "amontons/motion.h"
#include "analysis/smooth/smooth.h"
#include "base/memory.h"
#include "math/quadrature.h"

static const double PI = 3.14159265358979323846;

typedef struct integral {
    size_t n;
    double omega;
    double *cosine, *sine; /* n each: of q over one period */
} integral;

static void add_sample(integral *sum, double t, double weight, const double *q) {
    double c = weight * cos(sum->omega * t), s = weight * sin(sum->omega * t);
    for (size_t i = 0; i < sum->n; i++) {
        sum->cosine[i] += c * q[i];
        sum->sine[i] += s * q[i];
    }
}

static am_status go_to(am_motion *engine, double t, am_error *err) {
    am_step_kind kind = AM_STEP_SPAN;
    am_status status = AM_OK;
    while (!status && kind != AM_STEP_END)
        status = am_motion_step(engine, t, &kind, err);
    return status;
}

static am_status integrate_panel(am_motion *engine, double from, double to, integral *sum, am_error *err) {
    double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    am_status status = AM_OK;
    for (size_t i = 0; i < 2 * AM_QUADRATURE_HALF && !status; i++) { /* in the order of time */
        bool late = i >= AM_QUADRATURE_HALF;
        size_t k = late ? 2 * AM_QUADRATURE_HALF - 1 - i : i; /* nodes fall towards the middle */
        double t = middle + (late ? half : -half) * am_quadrature_node[k];
        status = go_to(engine, t, err);
        if (!status)
            add_sample(sum, t, half * am_quadrature_weight[k], am_motion_state(engine));
    }
    return status;
}

/* Between switches the motion is smooth: panels end at them. */
static am_status integrate_switched(am_motion *engine, const am_orbit *orbit, integral *sum, am_error *err) {
    enum { PANELS = 8 };
    double from = 0.0;
    size_t next = 0;
    am_status status = am_motion_follow_sensitivity(engine, false, err);
    if (!status)
        status = am_motion_start_state(engine, 0.0, orbit->state, err);
    while (!status && from < orbit->period) {
        double to = fmin(orbit->period, from + orbit->period / PANELS);
        while (next < orbit->switches && orbit->switch_times[next] <= from)
            next++;
        if (next < orbit->switches)
            to = fmin(to, orbit->switch_times[next]);
        if (to > from)
            status = integrate_panel(engine, from, to, sum, err);
        from = to;
    }
    return status;
}

/* The trapezoidal rule converges exponentially for smooth periodic motions. */
static am_status integrate_smooth(am_smooth *engine, const am_orbit *orbit, double *state, integral *sum,
                                  am_error *err) {
    enum { SAMPLES = 256 };
    double step = orbit->period / SAMPLES;
    am_status status = AM_OK;
    memcpy(state, orbit->state, 2 * sum->n * sizeof *state);
    for (int i = 0; i < SAMPLES && !status; i++) {
        add_sample(sum, (double)i * step, step, state);
        status = am_smooth_flow(engine, orbit->start + (double)i * step, state, step, state, NULL, err);
    }
    return status;
}

/* Newton's method may have gone to another motion. */
static bool is_near(const double *guess, const am_orbit *orbit, size_t n) {
    double distance = 0.0, size = 0.0;
    for (size_t i = 0; i < n; i++) {
        distance = fmax(distance, fabs(orbit->state[i] - guess[i]));
        size = fmax(size, fmax(fabs(orbit->state[i]), hypot(guess[i], guess[n + i])));
    }
    return distance <= 0.5 * size;
}

static am_status close_switched(const am_system *system, double omega, const double *guess, am_orbit *orbit,
                                integral *sum, am_error *err) {
    double loads = am_orbit_load_period(system);
    if (!(loads > 0.0))
        return am_fail(err, AM_ERR_UNSUPPORTED, "self-excited motions with contacts are closed by `orbit`");
    am_motion *engine = am_motion_create(system, true, err);
    am_orbit_return how = {
        .section = AM_SECTION_PERIOD, .period = loads, .returns = (size_t)fmax(1.0, round(2.0 * PI / omega / loads))};
    am_status status = engine ? am_orbit_close(engine, &how, guess, orbit, err) : AM_ERR_UNSUPPORTED;
    if (!status) {
        sum->omega = 2.0 * PI / orbit->period;
        status = integrate_switched(engine, orbit, sum, err);
    }
    am_motion_free(engine);
    return status;
}

static am_status close_smooth(const am_system *system, bool self_excited, double omega, const double *guess,
                              double *state, am_orbit *orbit, integral *sum, am_error *err) {
    am_smooth *engine = am_smooth_create(system, err);
    am_status status =
        engine ? am_smooth_close(engine, 2.0 * PI / omega, self_excited, 0.0, guess, orbit, err) : AM_ERR_UNSUPPORTED;
    if (!status) {
        sum->omega = 2.0 * PI / orbit->period;
        status = integrate_smooth(engine, orbit, state, sum, err);
    }
    am_smooth_free(engine);
    return status;
}

am_status am_response_close(const am_family *family, am_balance *balance, bool self_excited, const double *x, double p,
                            am_orbit *orbit, double *first, am_error *err) {
    size_t n = am_balance_coordinates(balance), dimension = 2 * n + am_balance_springs(balance);
    double *guess = am_memory_new(dimension + 4 * n, sizeof *guess, err);
    if (!guess)
        return AM_ERR_MEMORY;
    integral sum = {.n = n, .cosine = guess + dimension, .sine = guess + dimension + n};
    double omega = am_balance_omega(balance, x, p);
    am_status status = am_balance_state(balance, x, p, guess, err);
    am_system *system = status ? NULL : family->make(family->context, p, err);
    *orbit = (am_orbit){0};
    if (system) {
        status = am_system_contacts(system) > 0
                     ? close_switched(system, omega, guess, orbit, &sum, err)
                     : close_smooth(system, self_excited, omega, guess, guess + dimension + 2 * n, orbit, &sum, err);
        if (family->release)
            family->release(family->context, system);
        else
            am_system_free(system);
    } else if (!status) {
        status = AM_ERR_INPUT;
    }
    if (!status && !is_near(guess, orbit, n))
        status = am_fail(err, AM_ERR_LIMIT, "the exact motion next to this one is another one");
    for (size_t i = 0; i < n && !status; i++)
        first[i] = 2.0 / orbit->period * hypot(sum.cosine[i], sum.sine[i]);
    if (status)
        am_orbit_clear(orbit);
    am_memory_free(guess);
    return status;
}
