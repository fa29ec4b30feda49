#include "halfplane/traction.h"

#include <math.h>

#include "math/special.h"

void am_traction_add(am_traction *traction, am_traction_shape shape, double middle, double half_width, double size) {
    if (half_width > 0.0 && traction->count < AM_TRACTION_PARTS)
        traction->part[traction->count++] = (am_traction_part){shape, middle, half_width, size};
}

/* ---- One part ---- */

/* Distances from the ends, not from the middle, make the root: beside an end at zero they keep all their digits. */
static double part_at(const am_traction_part *part, double x) {
    double before = (part->middle + part->half_width) - x, behind = x - (part->middle - part->half_width);
    if (!(before >= 0.0 && behind >= 0.0))
        return 0.0;
    double s = (x - part->middle) / part->half_width, root = sqrt(before) * sqrt(behind) / part->half_width;
    switch (part->shape) {
    case AM_TRACTION_ELLIPSE:
        return part->size * root;
    case AM_TRACTION_FLAT:
        return part->size / root;
    case AM_TRACTION_TILT:
        return part->size * s / root;
    }
    return NAN;
}

/* With w = (zeta - m)/h and r = sqrt(w^2 - 1) ~ w: w - r, 1/r, w/r - 1, the differences written as quotients so that
 * they keep their digits far away. */
static am_transform part_transform(const am_traction_part *part, double complex zeta) {
    double complex w = (zeta - part->middle) / part->half_width, r = csqrt(w - 1.0) * csqrt(w + 1.0);
    double size = part->size, rate = size / part->half_width;
    switch (part->shape) {
    case AM_TRACTION_ELLIPSE:
        return (am_transform){size / (w + r), -rate / (r * (w + r))};
    case AM_TRACTION_FLAT:
        return (am_transform){size / r, -rate * w / (r * r * r)};
    case AM_TRACTION_TILT:
        return (am_transform){size / (r * (w + r)), -rate / (r * r * r)};
    }
    return (am_transform){NAN, NAN};
}

static double part_displacement(const am_traction_part *part, double x) {
    double w = (x - part->middle) / part->half_width, size = part->size * part->half_width;
    double outside = fabs(w) > 1.0 ? sqrt((w - 1.0) * (w + 1.0)) : 0.0, angle = asinh(outside);
    switch (part->shape) {
    case AM_TRACTION_ELLIPSE:
        return fabs(w) > 1.0 ? 0.5 * size * (fabs(w) / (fabs(w) + outside) + angle) : 0.5 * size * w * w;
    case AM_TRACTION_FLAT:
        return size * angle;
    case AM_TRACTION_TILT:
        return fabs(w) > 1.0 ? -size * copysign(1.0, w) / (fabs(w) + outside) : -size * w;
    }
    return NAN;
}

/* ---- Sums ---- */

static double sum_of(const am_traction *traction, double (*of)(const am_traction_part *, double), double x) {
    double sum = 0.0;
    for (size_t i = 0; i < traction->count; i++)
        sum += of(&traction->part[i], x);
    return sum;
}

double am_traction_at(const am_traction *traction, double x) {
    return sum_of(traction, part_at, x);
}

am_transform am_traction_transform(const am_traction *traction, double x, double z) {
    am_transform sum = {0.0, 0.0};
    for (size_t i = 0; i < traction->count; i++)
        sum = am_transform_add(sum, 1.0, part_transform(&traction->part[i], am_field_point(x, z)));
    return sum;
}

double am_traction_displacement(const am_traction *traction, double x) {
    return sum_of(traction, part_displacement, x);
}

/* ---- Differences ---- */

double am_traction_growth(double x, double c) {
    double root = sqrt(fmax(0.0, (x - c) * (x + c)));
    if (c == 0.0)
        return 0.5 * x * x;
    /* with t = root/c: c^2/2 (t sqrt(1 + t^2) - asinh t), which is c^2 t^3/3 for small t */
    double t = root / c;
    if (t * t < 0.5)
        return c * c * t * t * t / 3.0 * am_special_hypergeometric(0.5, 1.5, 2.5, -t * t);
    return 0.5 * (x * root - c * c * asinh(t));
}

double am_traction_between(double x, double a, double c) {
    x = fabs(x);
    if (!(x < a))
        return 0.0;
    double outer = sqrt((a - x) * (a + x));
    if (!(x < c))
        return outer;
    return (a - c) * (a + c) / (outer + sqrt((c - x) * (c + x)));
}
