/* Inside Griffith friction by boundary elements. */
#ifndef AMONTONS_ENGINES_BOUNDARY_BEM_GRIFFITH_INTERNAL_H
#define AMONTONS_ENGINES_BOUNDARY_BEM_GRIFFITH_INTERNAL_H
#include "base/arena.h"
#include "engines/boundary/bem_griffith.h"
#include "engines/boundary/bem_internal.h"

/* Load beyond f P that a zone bears when the shift is 0, and more per unit of shift. */
typedef struct am_bem_borne {
    size_t i, j;
    unsigned age;
    double known, unit;
} am_bem_borne;

enum { AM_BEM_GRIFFITH_SAMPLES = 64 };

struct am_bem_griffith {
    am_arena memory;
    am_bem *bem;
    am_bem_load load;
    double toughness;
    bool symmetric, tilts;
    bool closed;      /* over the whole period */
    double low, high; /* of the contact */
    double *dragged;  /* displacements under f p, n */
    am_bem_borne *cache;
    unsigned age;       /* of the pressures: what was borne before is void */
    size_t least, most; /* nodes in contact: zones beyond them would bear where nothing presses, which is not smooth */
    double guess, lean; /* Q of the last tilted punch; part of slip that came from the left */
    bool sampled;       /* the curve of all equilibria: */
    double ratio[AM_BEM_GRIFFITH_SAMPLES + 1], Q[AM_BEM_GRIFFITH_SAMPLES + 1];
    am_griffith_limits limits; /* of ratios, not half-widths */
    size_t first, last;        /* nodes that am_bem_griffith_hold holds */
};

/* Normal contact while Q drags: of a tilting punch it depends on Q. */
am_status am_bem_griffith_press(am_bem_griffith *g, double Q, am_error *err);

/* The zone of nodes i to j. With e = q - f p, which is zero where it slips: A e = g - A f p on the zone. Both parts of
 * e stay in bem->solution. */
am_status am_bem_griffith_zone(am_bem_griffith *g, size_t i, size_t j, am_bem_borne *b, am_error *err);

/* What a zone bears, and K0, K1 at its left [0] and right [1] end. */
typedef struct am_bem_ends {
    double known, unit, K0[2], K1[2];
} am_bem_ends;

/* Between nodes as well, by cubics. */
am_status am_bem_griffith_measure(am_bem_griffith *g, double low, double high, am_bem_ends *e, am_error *err);

/* K at both ends of the zone of nodes that is held, under its Q. */
am_status am_bem_griffith_measured(am_bem_griffith *g, double Q, double *left, double *right, am_error *err);

#endif
