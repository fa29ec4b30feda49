#include "math/quadrature.h"

#include <math.h>

#include "base/watch.h"
#include "math/pi.h"

const double am_quadrature_node[AM_QUADRATURE_HALF] = {
    0.98940093499164993259, 0.94457502307323257607, 0.86563120238783174388, 0.75540440835500303389,
    0.61787624440264374844, 0.45801677765722738634, 0.28160355077925891323, 0.09501250983763744018};
const double am_quadrature_weight[AM_QUADRATURE_HALF] = {
    0.02715245941175409485, 0.06225352393864789286, 0.09515851168249278480, 0.12462897125553387205,
    0.14959598881657673208, 0.16915651939500253818, 0.18260341504492358886, 0.18945061045506849628};

double am_quadrature_gauss(am_real_function f, const void *context, double low, double high, size_t panels) {
    double half = 0.5 * (high - low) / (double)panels, sum = 0.0;
    for (size_t panel = 0; panel < panels; panel++) {
        if (am_watch_stopped(1e3)) /* then the value is not wanted either */
            return NAN;
        double middle = low + (2.0 * (double)panel + 1.0) * half;
        for (size_t i = 0; i < AM_QUADRATURE_HALF; i++) {
            double offset = half * am_quadrature_node[i];
            sum += am_quadrature_weight[i] * (f(context, middle - offset) + f(context, middle + offset));
        }
    }
    return half * sum;
}

/* ---- x = tanh(pi/2 sinh t): the trapezoidal rule in t doubles its digits with every halving of the step ---- */

typedef struct sums {
    double value, size; /* of f and of |f| */
} sums;

static void add(sums *s, double weight, double value) {
    s->value += weight * value;
    s->size += weight * fabs(value);
}

/* The points at t = first, first + step, ... and their mirror images. */
static void add_level(am_real_function f, const void *context, double low, double high, double first, double step,
                      sums *s) {
    const double width = high - low;
    for (double t = first; t < 6.0; t += step) {
        double e = exp(-2.0 * half_pi * sinh(t));
        if (am_watch_stopped(1e2))
            return;
        if (e < 1e-250) /* far below anything that an integrable end can add */
            return;
        double rest = width * e / (1.0 + e); /* from the nearer end, exactly */
        double weight = 2.0 * width * half_pi * cosh(t) * e / ((1.0 + e) * (1.0 + e));
        double left = low + rest, right = high - rest;
        if (left <= low && right >= high)
            return;
        if (left > low)
            add(s, weight, f(context, left));
        if (right < high)
            add(s, weight, f(context, right));
    }
}

double am_quadrature_ends(am_real_function f, const void *context, double low, double high) {
    if (low == high)
        return 0.0;
    if (low > high)
        return -am_quadrature_ends(f, context, high, low);
    sums s = {0.0, 0.0};
    double step = 0.5, before = NAN;
    add(&s, (high - low) * 0.5 * half_pi, f(context, low + 0.5 * (high - low)));
    add_level(f, context, low, high, step, step, &s);
    for (int level = 0; level < 9; level++) {
        double now = step * s.value;
        if (fabs(now - before) <= 1e-13 * step * s.size)
            return now;
        before = now;
        step *= 0.5;
        add_level(f, context, low, high, step, 2.0 * step, &s);
    }
    return step * s.value;
}
