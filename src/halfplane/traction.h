/* Tractions of Hertz' kind, for which everything is elementary: sums of parts on intervals of their own (middle m,
 * half-width h, s = (x - m)/h),
 *
 *     ellipse  size sqrt(1 - s^2)       flat  size/sqrt(1 - s^2)       tilt  size s/sqrt(1 - s^2).
 *
 * docs/halfplane.md, section 2. */
#ifndef AMONTONS_HALFPLANE_TRACTION_H
#define AMONTONS_HALFPLANE_TRACTION_H
#include "halfplane/field.h"

typedef enum am_traction_shape { AM_TRACTION_ELLIPSE, AM_TRACTION_FLAT, AM_TRACTION_TILT } am_traction_shape;

typedef struct am_traction_part {
    am_traction_shape shape;
    double middle, half_width, size;
} am_traction_part;

enum { AM_TRACTION_PARTS = 6 };

typedef struct am_traction {
    size_t count;
    am_traction_part part[AM_TRACTION_PARTS];
} am_traction;

/* Parts without width are left out; more than AM_TRACTION_PARTS never occur. */
void am_traction_add(am_traction *traction, am_traction_shape shape, double middle, double half_width, double size);

double am_traction_at(const am_traction *traction, double x);

am_transform am_traction_transform(const am_traction *traction, double x, double z);

/* The integral of Re F along the surface. Times 2/E* it is the relative displacement of the two bodies, up to a
 * constant: the slip, when the constant is that of the stick zone; the gap less its undeformed shape, for pressures. */
double am_traction_displacement(const am_traction *traction, double x);

/* The integral of sqrt(y^2 - c^2) from c to x >= c >= 0, with full relative accuracy at both ends: how slip grows away
 * from a stick zone. */
double am_traction_growth(double x, double c);

/* sqrt(a^2 - x^2) - sqrt(c^2 - x^2) for 0 <= c <= a, roots of negative numbers being zero: without cancellation. */
double am_traction_between(double x, double a, double c);

#endif
