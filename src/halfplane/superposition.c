#include "halfplane/superposition.h"

#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "math/quadrature.h"

/* ---- Checks ---- */

static am_status check_friction(double friction, am_error *err) {
    if (!(friction > 0.0 && isfinite(friction)))
        return am_fail_field(err, AM_ERR_INPUT, "f", "partial slip needs a positive coefficient of friction; it is %g",
                             friction);
    return AM_OK;
}

static am_status check_loads(const am_profile *profile, double friction, double P, double Q, am_error *err) {
    if (!(P >= 0.0 && isfinite(P)))
        return am_fail_field(err, AM_ERR_INPUT, "P", "the normal load must press the bodies together: P >= 0, not %g",
                             P);
    double most = profile->kind->most(profile->data);
    if (isfinite(most) && P > profile->kind->load(profile->data, most))
        return am_fail_field(err, AM_ERR_INPUT, "P",
                             "P = %g closes the contact over the whole period; the profile's solution ends at %g", P,
                             profile->kind->load(profile->data, most));
    if (!isfinite(Q))
        return am_fail_field(err, AM_ERR_INPUT, "Q", "the tangential load is not a finite number");
    if (P == 0.0 && Q != 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "Q", "a tangential load without a normal load: nothing holds it");
    if (fabs(Q) > friction * P * (1.0 + 4.0 * DBL_EPSILON))
        return am_fail_field(err, AM_ERR_INPUT, "Q",
                             "Q exceeds f P: the contact slides as a whole; the largest load is %g", friction * P);
    return AM_OK;
}

/* ---- The state ---- */

am_status am_superposition_start(am_superposition *state, am_profile profile, double friction, am_error *err) {
    *state = (am_superposition){.profile = profile, .friction = friction};
    am_status status = check_friction(friction, err);
    if (status != AM_OK)
        return status;
    state->capacity = 8;
    state->layer = am_memory_new(state->capacity, sizeof *state->layer, err);
    return state->layer ? AM_OK : AM_ERR_MEMORY;
}

void am_superposition_end(am_superposition *state) {
    am_memory_free(state->layer);
    *state = (am_superposition){0};
}

static double bottom(const am_superposition *state, size_t i) {
    return i == 0 ? 0.0 : state->layer[i - 1].top;
}

/* Room was made before. Layers of one share become one. */
static void put_layer(am_superposition *state, double top, double share) {
    if (!(top > bottom(state, state->count)))
        return;
    if (state->count > 0 && state->layer[state->count - 1].share == share)
        state->layer[state->count - 1].top = top;
    else
        state->layer[state->count++] = (am_superposition_layer){top, share};
}

/* Normal load comes down to P: what was above is gone. */
static void cut(am_superposition *state, double P) {
    while (state->count > 0 && bottom(state, state->count - 1) >= P)
        state->count--;
    if (state->count > 0)
        state->layer[state->count - 1].top = fmin(state->layer[state->count - 1].top, P);
}

static double held(const am_superposition *state) {
    double sum = 0.0;
    for (size_t i = 0; i < state->count; i++)
        sum += state->layer[i].share * (state->layer[i].top - bottom(state, i));
    return state->friction * sum;
}

/* Share `sign` from the edge down to where `missing` (of that sign) has been added; returns that load. */
static double overwrite(am_superposition *state, double P, double sign, double missing) {
    double rest = fabs(missing) / state->friction, from = P;
    while (state->count > 0) {
        am_superposition_layer *top = &state->layer[state->count - 1];
        double low = bottom(state, state->count - 1), gain = 1.0 - sign * top->share;
        if (gain * (top->top - low) > rest) {
            from = top->top - rest / gain;
            top->top = from;
            break;
        }
        rest -= gain * (top->top - low);
        from = low;
        state->count--;
    }
    put_layer(state, P, sign);
    return from;
}

am_status am_superposition_step(am_superposition *state, double P, double Q, am_error *err) {
    am_status status = check_loads(&state->profile, state->friction, P, Q, err);
    if (status != AM_OK)
        return status;
    if (state->count + 2 > state->capacity) {
        void *layers = state->layer;
        status = am_memory_resize(&layers, 2 * state->capacity, sizeof *state->layer, err);
        if (status != AM_OK)
            return status;
        state->layer = layers;
        state->capacity *= 2;
    }
    double before = am_superposition_displacement(state), Q_before = state->Q;
    double dP = P - state->P, dQ = Q - state->Q;
    state->stuck = P;
    if (dP > 0.0 && fabs(dQ) <= state->friction * dP) {
        put_layer(state, P, dQ / (state->friction * dP));
    } else {
        double sign = 0.0;
        if (dP > 0.0) { /* the new rim slips too: its share is that of the slip zone */
            sign = copysign(1.0, dQ);
            put_layer(state, P, sign);
        } else {
            cut(state, P);
        }
        double missing = Q - held(state);
        if (sign == 0.0)
            sign = copysign(1.0, missing);
        if (fabs(missing) > 4.0 * DBL_EPSILON * state->friction * P)
            state->stuck = overwrite(state, P, sign, missing);
    }
    state->P = P;
    state->Q = Q;
    state->work += 0.5 * (Q + Q_before) * (am_superposition_displacement(state) - before);
    return AM_OK;
}

/* ---- What it looks like ---- */

static double width_of(const am_superposition *state, double load) {
    return load > 0.0 ? state->profile.kind->half_width(state->profile.data, load) : 0.0;
}

double am_superposition_half_width(const am_superposition *state) {
    return width_of(state, state->P);
}

double am_superposition_stick(const am_superposition *state) {
    return width_of(state, state->stuck);
}

double am_superposition_shear(const am_superposition *state, double x) {
    const am_profile *profile = &state->profile;
    double sum = 0.0, below = 0.0;
    for (size_t i = 0; i < state->count; i++) {
        double above = profile->kind->pressure(profile->data, x, width_of(state, state->layer[i].top));
        sum += state->layer[i].share * (above - below);
        below = above;
    }
    return state->friction * sum;
}

am_transform am_superposition_transform(const am_superposition *state, double x, double z) {
    const am_profile *profile = &state->profile;
    am_transform sum = {0.0, 0.0}, below = {0.0, 0.0};
    for (size_t i = 0; i < state->count; i++) {
        am_transform above = profile->kind->transform(profile->data, x, z, width_of(state, state->layer[i].top));
        double factor = state->friction * state->layer[i].share;
        sum = am_transform_add(am_transform_add(sum, factor, above), -factor, below);
        below = above;
    }
    return sum;
}

double am_superposition_displacement(const am_superposition *state) {
    const am_profile *profile = &state->profile;
    double sum = 0.0, below = 0.0;
    for (size_t i = 0; i < state->count; i++) {
        double above = profile->kind->approach(profile->data, width_of(state, state->layer[i].top));
        sum += state->layer[i].share * (above - below);
        below = above;
    }
    return state->friction * sum;
}

double am_superposition_relative(const am_superposition *state, double x) {
    const am_profile *profile = &state->profile;
    double sum = 0.0, inside = profile->kind->slip(profile->data, x, 0.0);
    for (size_t i = 0; i < state->count && inside > 0.0; i++) {
        double outside = profile->kind->slip(profile->data, x, width_of(state, state->layer[i].top));
        sum += state->layer[i].share * (inside - outside);
        inside = outside;
    }
    return state->friction * sum;
}

/* ---- First loading and cycles ---- */

am_status am_superposition_stick_width(const am_profile *profile, double friction, double P, double Q, double *a,
                                       double *c, am_error *err) {
    am_status status = check_friction(friction, err);
    if (status == AM_OK)
        status = check_loads(profile, friction, P, Q, err);
    if (status != AM_OK)
        return status;
    double rest = fmax(0.0, P - fabs(Q) / friction);
    *a = P > 0.0 ? profile->kind->half_width(profile->data, P) : 0.0;
    *c = rest > 0.0 ? profile->kind->half_width(profile->data, rest) : 0.0;
    return AM_OK;
}

/* With N the load, m its mean and C(N) the compliance: 8 f^2 times the integral of (m - N)(C(N) - C(m)); the constant
 * takes away what would only cancel. N = top t^2 makes the logarithm at N = 0 harmless. */
typedef struct loop {
    const am_profile *profile;
    double top, middle, compliance;
} loop;

static double loop_at(const void *context, double t) {
    const loop *l = context;
    double N = l->top * t * t;
    double compliance =
        l->profile->kind->compliance(l->profile->data, l->profile->kind->half_width(l->profile->data, N));
    return (l->middle - N) * (compliance - l->compliance) * 2.0 * l->top * t;
}

am_status am_superposition_dissipation(const am_profile *profile, double friction, double P, double range,
                                       double *energy, am_error *err) {
    double a, c;
    am_status status = am_superposition_stick_width(profile, friction, P, 0.5 * range, &a, &c, err);
    if (status != AM_OK)
        return status;
    if (!(range >= 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "range", "the range of Q over a cycle must not be negative");
    *energy = 0.0;
    if (P == 0.0 || range == 0.0)
        return AM_OK;
    double low = fmax(0.0, P - 0.5 * range / friction), middle = 0.5 * (low + P);
    loop l = {profile, P, middle,
              profile->kind->compliance(profile->data, profile->kind->half_width(profile->data, middle))};
    *energy = 8.0 * friction * friction * am_quadrature_ends(loop_at, &l, sqrt(low / P), 1.0);
    return AM_OK;
}

double am_superposition_loss(double e) {
    if (e < 0.5) {
        double sum = 0.0, power = e * e;
        for (int n = 3; n < 60; n++) {
            power *= e;
            sum += power / (n * (n - 1.0));
        }
        return 2.0 * sum;
    }
    double k = 1.0 - e;
    return k > 0.0 ? e * (1.0 + k) + 2.0 * k * log(k) : 1.0;
}
