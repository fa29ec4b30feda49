#include "math/root.h"

#include <float.h>
#include <math.h>

/* Secants kept honest by bisection: every third step halves the bracket at least. */
double am_root_between(am_real_function f, const void *context, double low, double high) {
    double at_low = f(context, low), at_high = f(context, high);
    if (at_low == 0.0)
        return low;
    if (at_high == 0.0)
        return high;
    if (at_low != at_low || at_high != at_high || (at_low < 0.0) == (at_high < 0.0))
        return NAN;
    for (int step = 0; step < 400; step++) {
        double middle = low + 0.5 * (high - low);
        if (fabs(high - low) <= 2.0 * DBL_EPSILON * fabs(middle) || middle == low || middle == high)
            return fabs(at_low) < fabs(at_high) ? low : high;
        double x = middle;
        if (step % 3 != 2) {
            x = low - at_low * (high - low) / (at_high - at_low);
            /* a secant that lands on an end moves by a little, so that the other end comes close as well */
            double least = 0.5 * DBL_EPSILON * fmax(fabs(low), fabs(high)) + 1e-3 * fabs(high - low) * (step % 3);
            if (fabs(x - low) < least)
                x = low + copysign(least, high - low);
            if (fabs(x - high) < least)
                x = high - copysign(least, high - low);
        }
        double value = f(context, x);
        if (value == 0.0 || value != value)
            return value == 0.0 ? x : NAN;
        if ((value < 0.0) == (at_low < 0.0)) {
            low = x;
            at_low = value;
        } else {
            high = x;
            at_high = value;
        }
    }
    return low + 0.5 * (high - low);
}

/* Golden section; the ends are tried at last. */
double am_root_highest(am_real_function f, const void *context, double low, double high) {
    const double ratio = 0.61803398874989484820;
    double from = low, to = high, x1 = to - ratio * (to - from), x2 = from + ratio * (to - from);
    double f1 = f(context, x1), f2 = f(context, x2);
    for (int step = 0; step < 60 && to - from > 1e-9 * (high - low); step++) {
        if (f1 >= f2) {
            to = x2;
            x2 = x1;
            f2 = f1;
            x1 = to - ratio * (to - from);
            f1 = f(context, x1);
        } else {
            from = x1;
            x1 = x2;
            f1 = f2;
            x2 = from + ratio * (to - from);
            f2 = f(context, x2);
        }
    }
    double best = f1 >= f2 ? x1 : x2, highest = fmax(f1, f2);
    if (f(context, low) >= highest)
        best = low;
    if (f(context, high) > fmax(highest, f(context, low)))
        best = high;
    return best;
}
