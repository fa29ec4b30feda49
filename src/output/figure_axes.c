/* The axes of curves: what is drawn on the frame is not seen, so that ranges leave room for it; marks stand where a
 * reader can tell their values, and do not touch each other. */
#include "output/figure_axes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double on_frame = 0.004; /* of the range: a line this near to the frame is half hidden by it */
static const double room = 0.025;     /* of the range, where something would be on the frame */

enum { USUAL_LETTERS = 6 }; /* of a mark, for which there is room anyway */

/* ---- Numbers ---- */

/* 12 digits are enough for a mark, and 0.3 is not 0.30000000000000004. */
static double tidy(double value) {
    char text[40];
    snprintf(text, sizeof text, "%.12g", value);
    return strtod(text, NULL) + 0.0;
}

/* 1, 2 or 5 times a power of ten, so that there are about so many marks. */
static double step_of(double span, double marks) {
    double rough = span / marks, power = pow(10, floor(log10(rough))), share = rough / power;
    return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

/* Very small and large marks are written in units of a power of ten, which the label of the axis says. */
static int power_of(double low, double high) {
    double most = fmax(fabs(low), fabs(high));
    return most >= 1e6 || (most > 0 && most < 1e-3) ? (int)floor(log10(most) + 1e-9) : 0;
}

/* The k-th mark, as it is written. */
static int write_mark(char *text, size_t size, double k, double step, int power) {
    return snprintf(text, size, "%.8g", tidy(k * step / pow(10, power)));
}

/* How many letters the longest mark has. */
static size_t letters_of(double low, double high, double step) {
    int power = power_of(low, high);
    size_t longest = 0;
    for (double k = ceil(low / step); longest < 8 && k * step <= high; k++) {
        char text[40];
        size_t length = (size_t)write_mark(text, sizeof text, k, step, power);
        longest = length > longest ? length : longest;
    }
    return longest;
}

static void add_marks(am_drawing *d, bool x, am_figure_extent range, double step) {
    int power = d->power[!x] = power_of(range.low, range.high);
    am_text_printf(&d->script, "set %stics ", x ? "x" : "y");
    if (power == 0) {
        am_text_printf(&d->script, "%s\n", AM_NUMBER(tidy(step)));
        return;
    }
    for (double k = ceil(range.low / step - 1e-9), first = k; k * step <= range.high + 1e-9 * step; k++) {
        char text[40];
        write_mark(text, sizeof text, k, step, power);
        am_text_printf(&d->script, "%s'%s' %s", k > first ? ", " : "(", text, AM_NUMBER(tidy(k * step)));
    }
    am_text_add(&d->script, ")\n");
}

/* ---- What is drawn on the frame ---- */

/* Does a curve go along the side of a range for more than a fiftieth of the other range? */
static bool goes_along(const am_points *p, bool upright, double side, double span, am_figure_extent other) {
    const double *at = upright ? p->x : p->y, *along = upright ? p->y : p->x;
    double length = 0;
    for (size_t i = 1; i < p->count; i++)
        if (fabs(at[i] - side) <= on_frame * span && fabs(at[i - 1] - side) <= on_frame * span)
            length +=
                fabs(fmin(fmax(along[i], other.low), other.high) - fmin(fmax(along[i - 1], other.low), other.high));
    return length > 0.02 * (other.high - other.low);
}

static bool any_along(const am_axes *axes, bool upright, double side, double span, am_figure_extent other) {
    for (size_t i = 0; i < axes->count; i++)
        if (goes_along(axes->curves[i], upright, side, span, other))
            return true;
    return false;
}

/* ---- Linear axes ---- */

/* Marks of the x axis stand beside each other and need room for their letters. */
static double fitting_step(const am_drawing *d, bool x, double low, double high) {
    double marks = !x && d->panel ? 4 : 7, step = step_of(high - low, marks);
    while (x && marks > 2 && (high - low) / step * ((double)letters_of(low, high, step) + 3) > am_figure_letters(d))
        step = step_of(high - low, --marks);
    return step;
}

/* Numbers of masses, or of shapes: none of them is between two of the others. */
static bool are_whole(const am_axes *axes, bool x) {
    for (size_t i = 0; i < axes->count; i++) {
        const am_points *p = axes->curves[i];
        for (size_t k = 0; k < p->count; k++) {
            double value = x ? p->x[k] : p->y[k];
            if (!isnan(value) && value != floor(value))
                return false;
        }
    }
    return true;
}

/* The mark beside a number that differs from it by nothing that one sees. */
static double at_mark(double value, double step) {
    double mark = tidy(round(value / step) * step);
    return fabs(value - mark) < 1e-4 * step ? mark : value;
}

/* Curves that end where their table ends fill the width; all others stand between two marks. */
static am_figure_extent round_up(am_figure_extent data, double step, bool tight) {
    if (tight)
        return (am_figure_extent){.low = at_mark(data.low, step), .high = at_mark(data.high, step)};
    return (am_figure_extent){.low = tidy(floor(data.low / step + 1e-9) * step),
                              .high = tidy(ceil(data.high / step - 1e-9) * step)};
}

static am_figure_extent usual_extent(am_figure_extent data) {
    double half = fmax(fabs(data.low), 1e-300) / 2;
    if (data.high - data.low > 1e-12 * fmax(fabs(data.low), fabs(data.high)))
        return data;
    return data.low == 0.0 ? (am_figure_extent){.low = -1, .high = 1}
                           : (am_figure_extent){.low = data.low - half, .high = data.high + half};
}

static void linear_axis(am_drawing *d, const am_axes *axes, bool x) {
    const double *given = x ? d->figure->x_range : d->figure->y_range;
    am_figure_extent data = usual_extent(x ? axes->x : axes->y), other = x ? axes->y : axes->x;
    double step = fitting_step(d, x, given ? given[0] : data.low, given ? given[1] : data.high);
    if (data.high - data.low >= 2 && are_whole(axes, x))
        step = fmax(step, 1);
    bool tight = x && axes->ordered;
    am_figure_extent range =
        given ? (am_figure_extent){.low = given[0], .high = given[1]} : round_up(data, step, tight);
    double span = range.high - range.low;
    bool low = given || tight ? any_along(axes, x, range.low, span, other) : data.low - range.low < on_frame * span;
    bool high = given || tight ? any_along(axes, x, range.high, span, other) : range.high - data.high < on_frame * span;
    am_figure_range(&d->script, x ? "x" : "y", tidy(range.low - (low ? room * span : 0)),
                    tidy(range.high + (high ? room * span : 0)));
    add_marks(d, x, range, step);
    if (x && letters_of(range.low, range.high, step) > USUAL_LETTERS) /* half of the last mark is beside the axes */
        am_text_printf(&d->script, "set rmargin %d\n", USUAL_LETTERS);
}

/* ---- Logarithmic axes ---- */

static const double round_digits[] = {1, 2, 5};

/* The numbers 1, 2 and 5 times a power of ten around a range of less than two decades. */
static am_figure_extent round_up_log(am_figure_extent data) {
    am_figure_extent range = {.low = 0, .high = INFINITY};
    for (double power = floor(log10(data.low)) - 1; power <= log10(data.high) + 1; power++)
        for (size_t i = 0; i < 3; i++) {
            double mark = tidy(round_digits[i] * pow(10, power));
            if (mark <= data.low * (1 + 1e-9))
                range.low = mark;
            if (mark >= data.high * (1 - 1e-9))
                range.high = fmin(range.high, mark);
        }
    return range;
}

static void add_log_mark(am_text *script, double digit, double power) {
    if (power >= -3 && power < 5)
        am_text_printf(script, "'%.9g' ", digit * pow(10, power));
    else if (digit == 1)
        am_text_printf(script, "'10^{%g}' ", power);
    else
        am_text_printf(script, "'%g×10^{%g}' ", digit, power);
}

/* Marks at 1, 2 and 5; small ones without words between them. */
static void add_log_marks(am_text *script, const char *axis, am_figure_extent range) {
    bool first = true;
    am_text_printf(script, "set %stics (", axis);
    for (double power = floor(log10(range.low)); power <= ceil(log10(range.high)); power++)
        for (int digit = 1; digit <= 9; digit++) {
            double at = tidy(digit * pow(10, power));
            if (at < range.low * (1 - 1e-9) || at > range.high * (1 + 1e-9))
                continue;
            am_text_add(script, first ? "" : ", ");
            first = false;
            bool words = digit == 1 || digit == 2 || digit == 5;
            if (words)
                add_log_mark(script, digit, power);
            am_text_printf(script, words ? "%s" : "'' %s 1", AM_NUMBER(at));
        }
    am_text_add(script, ")\n");
}

static void log_axis(am_drawing *d, am_figure_extent data, bool x) {
    const double *given = x ? d->figure->x_range : d->figure->y_range;
    const char *axis = x ? "x" : "y";
    if (given)
        data = (am_figure_extent){.low = given[0], .high = given[1]};
    if (!(data.low > 0) || !(data.high > data.low))
        return;
    if (given)
        am_figure_range(&d->script, axis, data.low, data.high);
    if (data.high / data.low >= 100) { /* beyond thousands powers of ten are easier to read than numbers */
        bool plain = data.low >= 0.001 && data.high <= 10000;
        am_text_printf(&d->script, "set format %s '%s'\n", axis, plain ? "%g" : "10^{%T}");
        return;
    }
    am_figure_extent range = given ? data : round_up_log(data);
    if (!given) /* a little more: gnuplot loses the mark at an end that is a power of ten */
        am_figure_range(&d->script, axis, range.low * (1 - 1e-9), range.high * (1 + 1e-9));
    add_log_marks(&d->script, axis, range);
}

void am_figure_axes(am_drawing *d, const am_axes *axes) {
    const am_figure *figure = d->figure;
    if (figure->x_log)
        log_axis(d, axes->x, true);
    else
        linear_axis(d, axes, true);
    if (figure->y_log)
        log_axis(d, axes->y, false);
    else
        linear_axis(d, axes, false);
}
