/* A polynomial of the speed: the cubic by which stick-slip near its onset is studied (Ibrahim 1994, part II). */
#include <math.h>

#include "laws/law.h"

enum { STATIC, LINEAR, QUADRATIC, CUBIC, COUNT };

static const am_law_parameter parameters[COUNT] = {
    [STATIC] = {"static", .required = true, .about = "coefficient at rest"},
    [LINEAR] = {"linear", .any = true, .unit = "time/length", .about = "factor of v"},
    [QUADRATIC] = {"quadratic", .any = true, .unit = "time^2/length^2", .about = "factor of v^2"},
    [CUBIC] = {"cubic", .any = true, .unit = "time^3/length^3", .about = "factor of v^3"},
};

static double value(const double *p, double v) {
    return p[STATIC] + v * (p[LINEAR] + v * (p[QUADRATIC] + v * p[CUBIC]));
}

static am_term coefficient(am_tape *tape, const am_speed_friction *use, size_t piece, am_term v) {
    const double *p = use->parameter;
    (void)piece;
    am_term mu = am_tape_constant(tape, p[CUBIC]);
    for (size_t i = CUBIC; i-- > STATIC;)
        mu = am_tape_add(tape, am_tape_multiply(tape, mu, v), am_tape_constant(tape, p[i]));
    return mu;
}

/* It must not be negative at any speed: not in the end, and not where it is least. */
static am_status check(const am_speed_friction *use, am_error *err) {
    const double *p = use->parameter;
    double last = p[CUBIC] != 0.0 ? p[CUBIC] : p[QUADRATIC] != 0.0 ? p[QUADRATIC] : p[LINEAR];
    if (last < 0.0)
        return am_fail_field(err, AM_ERR_INPUT,
                             p[CUBIC] != 0.0       ? "cubic"
                             : p[QUADRATIC] != 0.0 ? "quadratic"
                                                   : "linear",
                             "friction law polynomial becomes negative at high speed: its last factor is %g", last);
    double a = 3.0 * p[CUBIC], b = 2.0 * p[QUADRATIC], c = p[LINEAR], square = b * b - 4.0 * a * c;
    double v = a > 0.0 && square > 0.0 ? 2.0 * -c / (b + sqrt(square)) : a == 0.0 && b > 0.0 ? -c / b : 0.0;
    if (a > 0.0 && square > 0.0 && b + sqrt(square) <= 0.0)
        v = (-b + sqrt(square)) / (2.0 * a);
    if (v > 0.0 && value(p, v) < 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "static", "friction law polynomial is negative, %g, at the speed %g",
                             value(p, v), v);
    return AM_OK;
}

const am_law am_law_polynomial = {
    .name = "polynomial",
    .about = "mu = static + linear v + quadratic v^2 + cubic v^3",
    .parameters = COUNT,
    .parameter = parameters,
    .coefficient = coefficient,
    .check = check,
};
