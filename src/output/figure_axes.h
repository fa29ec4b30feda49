/* Ranges and marks of the axes of curves. */
#ifndef AMONTONS_OUTPUT_FIGURE_AXES_H
#define AMONTONS_OUTPUT_FIGURE_AXES_H
#include "output/figure_points.h"

typedef struct am_axes {
    am_figure_extent x, y;          /* what is drawn, within given ranges */
    const am_points *const *curves; /* count of them */
    size_t count;
    bool ordered; /* lines only, and x goes on in all of them */
} am_axes;

void am_figure_axes(am_drawing *d, const am_axes *axes);

#endif
