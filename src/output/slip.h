/* The slip-displacement diagram of two nodes: constraint lines in the plane v1, v2, and what they leave. */
#ifndef AMONTONS_OUTPUT_SLIP_H
#define AMONTONS_OUTPUT_SLIP_H
#include "amontons/output.h"

/* A part of the plane. */
typedef struct am_slip_box {
    double low[2], high[2];
} am_slip_box;

/* A constraint O(node, sign): n.v >= side for sign +, n.v <= side for sign -. */
typedef struct am_slip_line {
    const char *name; /* "2-" */
    int sign;
    double normal[2];
    double rest, extreme;
} am_slip_line;

enum { AM_SLIP_MOST_LINES = 64, AM_SLIP_MOST_CORNERS = 6 };

typedef struct am_slip {
    size_t count;
    am_slip_line lines[AM_SLIP_MOST_LINES]; /* one per extreme position of a constraint */
    am_slip_box box;
} am_slip;

/* Lines from the figure's table (`constraints`), the box from its ranges or from what its curves cover. */
am_status am_slip_read(const am_report *report, am_slip *slip, am_error *err);

/* "#rrggbb" of a constraint, as in the paper: 1+ green, 2+ blue, 1- red, 2- maroon. */
const char *am_slip_colour(const char *name);

/* Is this the first line of its constraint? Rest positions and keys are drawn once. */
bool am_slip_is_first(const am_slip *slip, size_t line);

/* The part of the line n.v = side inside the box; false when there is none. */
bool am_slip_clip(const am_slip_box *box, const double normal[2], double side, double ends[2][2]);

/* The part of the box that the constraint excludes when it stands at `side`, as a polygon; 0: none of it. */
size_t am_slip_excluded(const am_slip_box *box, const am_slip_line *line, double side,
                        double corners[AM_SLIP_MOST_CORNERS][2]);

#endif
