#include "math/tape_bound.h"

#include <float.h>
#include <math.h>

double am_bound_size(am_bound bound) {
    return fmax(fabs(bound.low), fabs(bound.high));
}

static const am_bound anything = {-INFINITY, INFINITY};

/* One operation, or one function of the C library, errs by no more than this. */
static am_bound widen(double low, double high) {
    if (!(low <= high)) /* not a number: infinity less infinity, zero times infinity */
        return anything;
    double rounding = 4.0 * DBL_EPSILON;
    return (am_bound){low - rounding * fabs(low) - DBL_MIN, high + rounding * fabs(high) + DBL_MIN};
}

static am_bound product(am_bound a, am_bound b) {
    const double corner[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    double low = corner[0], high = corner[0];
    for (int i = 0; i < 4; i++) {
        if (isnan(corner[i]))
            return anything;
        low = fmin(low, corner[i]);
        high = fmax(high, corner[i]);
    }
    return widen(low, high);
}

static am_bound square(am_bound a) {
    double most = am_bound_size(a), least = a.low > 0.0 ? a.low : a.high < 0.0 ? -a.high : 0.0;
    return widen(least * least, most * most);
}

static am_bound quotient(am_bound a, am_bound b) {
    if (b.low <= 0.0 && b.high >= 0.0)
        return anything;
    return product(a, widen(1.0 / b.high, 1.0 / b.low));
}

/* |u|^c, as the tape has it. */
static am_bound power(am_bound u, double c) {
    double most = am_bound_size(u), least = u.low > 0.0 ? u.low : u.high < 0.0 ? -u.high : 0.0;
    if (c < 0.0 && least == 0.0)
        return anything;
    return c < 0.0 ? widen(pow(most, c), pow(least, c)) : widen(pow(least, c), pow(most, c));
}

static am_bound increasing(double (*f)(double), am_bound u) {
    return widen(f(u.low), f(u.high));
}

static am_bound bound_of(const am_operation *o, am_bound a, am_bound b) {
    switch (o->kind) {
    case AM_TAPE_CONSTANT:
        return (am_bound){o->value, o->value};
    case AM_TAPE_ADD:
        return widen(a.low + b.low, a.high + b.high);
    case AM_TAPE_SUBTRACT:
        return widen(a.low - b.high, a.high - b.low);
    case AM_TAPE_MULTIPLY:
        return o->left == o->right ? square(a) : product(a, b);
    case AM_TAPE_ENTROPY:
        return product(a, b);
    case AM_TAPE_DIVIDE:
        return quotient(a, b);
    case AM_TAPE_SCALE:
        return product(a, (am_bound){o->value, o->value});
    case AM_TAPE_EXP:
        return increasing(exp, a);
    case AM_TAPE_LOG:
    case AM_TAPE_LOG_OR_ZERO: /* beside zero there is no bound */
        return a.low > 0.0 ? increasing(log, a) : anything;
    case AM_TAPE_SQRT:
        return a.low >= 0.0 ? increasing(sqrt, a) : anything;
    case AM_TAPE_POWER:
        return power(a, o->value);
    case AM_TAPE_TANH:
        return increasing(tanh, a);
    case AM_TAPE_BESIDE_TANH: { /* 1 - tanh^2: a is the bound of tanh */
        am_bound s = square(a);
        return widen(1.0 - s.high, 1.0 - s.low);
    }
    case AM_TAPE_ASINH:
        return increasing(asinh, a);
    case AM_TAPE_ATANH:
        return widen(am_tape_atanh_or_line(a.low, o->value), am_tape_atanh_or_line(a.high, o->value));
    case AM_TAPE_AT_LEAST:
        return (am_bound){fmax(a.low, o->value), fmax(a.high, o->value)};
    case AM_TAPE_ABOVE:
        return (am_bound){a.low > o->value, a.high > o->value};
    case AM_TAPE_ARGUMENT:
        break;
    }
    return anything;
}

void am_tape_bound(const am_tape *tape, size_t count, am_bound *bound) {
    for (size_t i = 0; i < count; i++) {
        const am_operation *o = &tape->operation[i];
        if (o->kind != AM_TAPE_ARGUMENT)
            bound[i] = bound_of(o, bound[o->left], bound[o->right]);
    }
}
