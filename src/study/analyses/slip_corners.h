/* Corners of paths of loads, as studies give them to `slip`. */
#ifndef AMONTONS_STUDY_ANALYSES_SLIP_CORNERS_H
#define AMONTONS_STUDY_ANALYSES_SLIP_CORNERS_H
#include "amontons/slip.h"
#include "study/schema.h"

extern const am_schema am_slip_corner_schema, am_slip_oscillation_schema;

/* P = P0 (1 + P_over_P0 sin(angle + phase)), Q = f P0 Q_over_fP0 sin(angle). */
typedef struct am_slip_oscillation {
    double P_over_P0, Q_over_fP0, phase_deg;
    size_t corners;
} am_slip_oscillation;

/* The path and the cycle that repeats after it: corners, or an oscillation. */
typedef struct am_slip_corners {
    am_records path, cycle;
    am_slip_oscillation oscillation; /* no corners: not given */
} am_slip_corners;

bool am_slip_corners_given(const am_slip_corners *corners);

/* Each load once; and the first corner says how the bodies come to touch. */
am_status am_slip_corners_check(am_reading *reading, const am_node *node, const am_slip_corners *corners);

/* Into the options, with dimensions. */
am_status am_slip_corners_take(am_reading *reading, const am_slip_corners *corners, const am_slip_contact *contact,
                               am_slip_options *options);

#endif
