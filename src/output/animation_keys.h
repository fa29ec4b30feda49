/* Key frames of animations in SVG, without scripts: everything between two of them is linear in time, and those on the
 * straight line between others are left out. Every moving part has the frames that it needs, on one clock. */
#ifndef AMONTONS_OUTPUT_ANIMATION_KEYS_H
#define AMONTONS_OUTPUT_ANIMATION_KEYS_H
#include <math.h>

#include "base/text.h"

/* A length as a text: a hundredth of a pixel is enough, and no -0. */
#define AM_PIXELS(x) AM_NUMBER(round(100 * (x)) / 100 + 0.0)

typedef struct am_keys {
    size_t count;       /* of instants */
    const double *time; /* of each, never falling */
    double seconds;     /* that one round takes */
} am_keys;

/* Animations of the element that is open: `count` values each. */
am_status am_keys_translate(am_text *out, const am_keys *keys, const double *x, const double *y, am_error *err);
am_status am_keys_rotate(am_text *out, const am_keys *keys, const double *degrees, am_error *err);
am_status am_keys_stretch(am_text *out, const am_keys *keys, const double *along, am_error *err);

/* A colour that changes at instants of its own. */
typedef struct am_key_colour {
    double time; /* from which on */
    const char *colour;
} am_key_colour;
void am_keys_fill(am_text *out, const am_keys *keys, size_t count, const am_key_colour *colours);
/* Of lines. */
void am_keys_stroke(am_text *out, const am_keys *keys, size_t count, const am_key_colour *colours);

/* Between the marks of an axis: 1, 2 or 5 times a power of ten, so that there are about six. */
double am_mark_step(double width);

#endif
