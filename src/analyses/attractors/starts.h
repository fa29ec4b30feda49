/* A set of starts: a grid along axes, or points spread over a box. Each is found from its number alone. */
#ifndef AMONTONS_ANALYSES_ATTRACTORS_STARTS_H
#define AMONTONS_ANALYSES_ATTRACTORS_STARTS_H
#include <stdint.h>

#include "amontons/attractors.h"
#include "base/arena.h"

#define AM_ALONG SIZE_MAX

typedef struct am_starts {
    am_arena memory;
    const am_attractors_options *options;
    size_t n;       /* degrees of freedom */
    size_t count;   /* of starts */
    size_t sides;   /* in how many ways they differ */
    size_t *side;   /* sides: which of q1..qn, v1..vn varies; AM_ALONG: several, along the axis' direction */
    size_t *points; /* sides: of a grid, per side */
    double *low;    /* sides */
    double *high;   /* sides */
    double *fixed;  /* 2n */
    bool grid;
    const am_system
        *free_side; /* starts that penetrate its contacts are put on their free side; NULL: left as they are */
    double *work;   /* 2n: of am_starts_value */
} am_starts;

/* Checks the options that describe starts (err->field "starts"). */
am_status am_starts_init(am_starts *starts, const am_system *system, const am_attractors_options *options,
                         am_error *err);
void am_starts_clear(am_starts *starts);

/* The start with this number, q then v (2n). On a grid the first axis runs fastest. */
void am_starts_place(const am_starts *starts, size_t index, double *start);

/* Where it lies on side `side`: the value of a coordinate, or the multiple of a direction. One thread at a time. */
double am_starts_value(const am_starts *starts, size_t index, size_t side);

/* A box around the steady state, as large as the structure's own motions: low and high, 2n each (docs/attractors.md).
 */
am_status am_starts_default_box(const am_system *system, double *low, double *high, am_error *err);

#endif
