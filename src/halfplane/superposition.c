#include "halfplane/superposition.h"
#include "base/try.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/memory.h"
#include "math/quadrature.h"

/* ---- Checks ---- */

static am_status check_loads(const am_profile *profile, double friction, double P, double Q, am_error *err) {
    if (!(P >= 0.0 && isfinite(P)))
        return am_fail_field(err, AM_ERR_INPUT, "P", "the normal load must press the bodies together: P >= 0, not %g",
                             P);
    AM_TRY(P > 0.0 ? am_profile_check_load(profile, P, err) : AM_OK);
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
    AM_TRY(am_profile_check_friction(friction, err));
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

/* Room was made before. Layers whose shares differ by less than they are known become one that holds as much. */
static void put_layer(am_superposition *state, double top, double share, double uncertain) {
    double low = bottom(state, state->count);
    if (!(top > low))
        return;
    am_superposition_layer *last = state->count > 0 ? &state->layer[state->count - 1] : NULL;
    if (last && fabs(last->share - share) <= uncertain) {
        double below = bottom(state, state->count - 1);
        if (last->share != share)
            last->share += (share - last->share) * (top - low) / (top - below);
        last->top = top;
    } else {
        state->layer[state->count++] = (am_superposition_layer){top, share};
    }
}

/* Normal load comes down to P: what was above is gone. */
static void cut(am_superposition *state, double P) {
    while (state->count > 0 && bottom(state, state->count - 1) >= P)
        state->count--;
    if (state->count > 0)
        state->layer[state->count - 1].top = fmin(state->layer[state->count - 1].top, P);
}

/* By the layers, as far as they lie below P. */
static double held(const am_superposition *state, double P) {
    double sum = 0.0;
    for (size_t i = 0; i < state->count && bottom(state, i) < P; i++)
        sum += state->layer[i].share * (fmin(P, state->layer[i].top) - bottom(state, i));
    return state->friction * sum;
}

/* Share `sign` from the edge down to where `missing` (of that sign) has been added; returns that load. */
static double overwrite(am_superposition *state, double P, double sign, double missing) {
    double rest = fmax(0.0, sign * missing) / state->friction, from = P;
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
    put_layer(state, P, sign, 0.0);
    return from;
}

/* ---- Energy ---- */

/* The slip zone begins at the load n and spreads by -dn into a layer of some share while the contact has the load P.
 * Its flats lose (1 - sense share) f^2 [C(n) (P - n) - (d(P) - d(n))] (-dn): docs/halfplane.md, section 4. */
typedef struct spread {
    const am_profile *profile;
    double high, low;           /* of n */
    double P_at_high, P_at_low; /* P is linear between */
} spread;

static double spread_at(const void *context, double t) {
    const spread *s = context;
    const am_profile_kind *kind = s->profile->kind;
    const void *data = s->profile->data;
    double n = s->high * t * t, P = s->P_at_high;
    if (s->high > s->low)
        P += (s->P_at_low - s->P_at_high) * (s->high - n) / (s->high - s->low);
    if (n < 1e-200 * s->high)
        return 0.0; /* t ln t */
    double inner = kind->half_width(data, n), outer = kind->half_width(data, P);
    double drop = kind->compliance(data, inner) * (P - n) - (kind->approach(data, outer) - kind->approach(data, inner));
    return drop * 2.0 * s->high * t;
}

static double spread_loss(const spread *s) {
    if (!(s->high > s->low))
        return 0.0;
    double from = sqrt(fmax(0.0, s->low) / s->high); /* n = high t^2: the logarithm at n = 0 is harmless */
    return from > 0.4 ? am_quadrature_gauss(spread_at, s, from, 1.0, 1) : am_quadrature_ends(spread_at, s, from, 1.0);
}

/* From the present state along a straight line on which slip has the one sense `sense`. */
static double lost_on_the_way(const am_superposition *state, double P, double Q, double sense) {
    double f = state->friction, dP = P - state->P, all = sense * (Q - state->Q) / f - dP, part = 0.0, sum = 0.0;
    if (sense == 0.0 || !(all > 0.0))
        return 0.0;
    spread s = {.profile = &state->profile, .high = state->P};
    for (size_t i = state->count; i-- > 0 && part < 1.0;) {
        double gain = 1.0 - sense * state->layer[i].share, low = bottom(state, i);
        double next = part + gain * (s.high - low) / all;
        s.low = low;
        if (next > 1.0) {
            s.low = s.high - (1.0 - part) * all / gain;
            next = 1.0;
        }
        s.P_at_high = state->P + part * dP;
        s.P_at_low = state->P + next * dP;
        if (gain > 0.0)
            sum += gain * spread_loss(&s);
        s.high = s.low;
        part = next;
    }
    return f * f * sum;
}

/* ---- Steps ---- */

/* What of Q the layers below P do not hold, zero when it is rounding. */
static double missing_at(const am_superposition *state, double P, double Q) {
    double missing = Q - held(state, P);
    return fabs(missing) > 16.0 * DBL_EPSILON * state->friction * state->P ? missing : 0.0;
}

/* Where P falls, the slip zone may lose its edge faster than it spreads inwards. Once it is gone, layers of another
 * share come to the edge, and slip may turn: where what is missing returns to zero. That is a polygon over P. Returns
 * the part of the way at which the slip zone is gone, 1 if it is not, and the sense of slip until then. */
static double slip_reversal(const am_superposition *state, double P, double Q, double *sense) {
    double dP = P - state->P, before = 0.0, at = state->P;
    *sense = 0.0;
    for (size_t i = state->count; i-- > 0 && at > P;) {
        double to = fmax(P, bottom(state, i)), part = (to - state->P) / dP;
        double missing = missing_at(state, to, state->Q + part * (Q - state->Q));
        if (*sense != 0.0 && *sense * missing <= 0.0) {
            double at_reversal = to + (at - to) * missing / (missing - before);
            return fmin(1.0, (at_reversal - state->P) / dP);
        }
        if (missing != 0.0)
            *sense = copysign(1.0, missing);
        before = missing;
        at = to;
    }
    return 1.0;
}

/* The same for any straight line. */
static double one_way(const am_superposition *state, double P, double Q, double *sense) {
    double dP = P - state->P, dQ = Q - state->Q;
    if (dP < 0.0)
        return slip_reversal(state, P, Q, sense);
    double beyond = dP > 0.0 ? (fabs(dQ) > state->friction * dP ? dQ : 0.0) : missing_at(state, P, Q);
    *sense = beyond == 0.0 ? 0.0 : copysign(1.0, beyond);
    return 1.0;
}

/* A straight line on which slip has the one sense `sense`. */
static void settle(am_superposition *state, double P, double Q, double sense) {
    double dP = P - state->P, dQ = Q - state->Q, f = state->friction;
    state->stuck = P;
    state->sense = sense;
    if (dP > 0.0 && sense == 0.0) {
        put_layer(state, P, dQ / (f * dP), 1e-12 + 4.0 * DBL_EPSILON * (P + fabs(Q) / f) / dP);
    } else if (dP > 0.0) { /* the new rim slips too: its share is that of the slip zone */
        put_layer(state, P, sense, 0.0);
        state->stuck = overwrite(state, P, sense, Q - held(state, P));
    } else {
        double missing = missing_at(state, P, Q);
        cut(state, P);
        if (missing != 0.0)
            state->stuck = overwrite(state, P, state->sense = copysign(1.0, missing), missing);
    }
    state->P = P;
    state->Q = Q;
}

static am_status advance(am_superposition *state, double P, double Q, bool with_losses, am_error *err) {
    AM_TRY(check_loads(&state->profile, state->friction, P, Q, err));
    AM_TRY(am_memory_reserve(&state->layer, &state->capacity, state->count + 2, err));
    size_t most = state->count; /* each turn takes a layer away */
    for (size_t i = 0; i <= most; i++) {
        double sense, part = one_way(state, P, Q, &sense);
        bool there = !(part < 1.0) || i == most;
        double to_P = there ? P : state->P + part * (P - state->P);
        double to_Q = there ? Q : state->Q + part * (Q - state->Q);
        if (with_losses)
            state->lost += lost_on_the_way(state, to_P, to_Q, sense);
        settle(state, to_P, to_Q, sense);
        if (there)
            break;
    }
    return AM_OK;
}

am_status am_superposition_move(am_superposition *state, double P, double Q, am_error *err) {
    return advance(state, P, Q, false, err);
}

am_status am_superposition_step(am_superposition *state, double P, double Q, am_error *err) {
    double before = am_superposition_displacement(state), Q_before = state->Q;
    AM_TRY(advance(state, P, Q, true, err));
    state->work += 0.5 * (Q + Q_before) * (am_superposition_displacement(state) - before);
    return AM_OK;
}

void am_superposition_restart(am_superposition *state) {
    state->count = 0;
    state->P = state->Q = state->stuck = state->sense = state->work = state->lost = 0.0;
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

/* f times the sum over the layers of share times what a quantity at x, `below` at zero width, grows by in each. */
static double layered(const am_superposition *state, double (*of)(const void *data, double x, double width), double x,
                      double below) {
    double sum = 0.0;
    for (size_t i = 0; i < state->count; i++) {
        double above = of(state->profile.data, x, width_of(state, state->layer[i].top));
        sum += state->layer[i].share * (above - below);
        below = above;
    }
    return state->friction * sum;
}

double am_superposition_shear(const am_superposition *state, double x) {
    return layered(state, state->profile.kind->pressure, x, 0.0);
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
    double all = profile->kind->slip(profile->data, x, 0.0);
    return all > 0.0 ? -layered(state, profile->kind->slip, x, all) : 0.0;
}

/* ---- First loading and cycles ---- */

am_status am_superposition_stick_width(const am_profile *profile, double friction, double P, double Q, double *a,
                                       double *c, am_error *err) {
    AM_TRY(am_profile_check_friction(friction, err));
    AM_TRY(check_loads(profile, friction, P, Q, err));
    double rest = fmax(0.0, P - fabs(Q) / friction);
    *a = P > 0.0 ? profile->kind->half_width(profile->data, P) : 0.0;
    *c = rest > 0.0 ? profile->kind->half_width(profile->data, rest) : 0.0;
    return AM_OK;
}
