/* Model `blocks`: an elastic slider pressed on an elastic base and pushed above the interface, both divided into finite
 * elements and condensed onto the contact nodes (Papangelo 2017, section 3.2). See docs/blocks.md.
 *
 * The interface is y = 0, the middle of the slider x = 0. Loads go with time: P(t) from 0 at t = -1 to P at t = 0, Q(t)
 * (or the push) from 0 at t = 0 to its end at t = 1; constant outside. So `from` = -1 presses gradually, `from` = 0 at
 * once. */
#ifndef AMONTONS_BLOCKS_H
#define AMONTONS_BLOCKS_H
#include "amontons/friction.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_blocks_body {
    double length, height, thickness;
    double modulus, poisson;
    double density;
    bool plane_stress; /* else plane strain */
    bool rigid;        /* slider: a punch with a flat end; base: a rigid plane. Not both */
} am_blocks_body;

typedef enum am_blocks_control {
    AM_BLOCKS_FORCE,        /* Q itself: Q_over_P times P at t = 1 */
    AM_BLOCKS_DISPLACEMENT, /* the loaded point is moved by `push` */
    AM_BLOCKS_SPRING        /* the far end of a spring on the loaded point is moved by `push` */
} am_blocks_control;

typedef enum am_blocks_side {
    AM_BLOCKS_LEFT,  /* at load_height on the left edge, to the right */
    AM_BLOCKS_RIGHT, /* at load_height on the right edge, to the left */
    AM_BLOCKS_TOP    /* to the right, spread over the top; shear along both ends keeps the slider from turning */
} am_blocks_side;

typedef enum am_blocks_element { AM_BLOCKS_QUAD4, AM_BLOCKS_QUAD8, AM_BLOCKS_TRIANGLE6 } am_blocks_element;

typedef struct am_blocks_mesh {
    am_blocks_element element;
    double size;    /* of elements along the interface; 0: a 70th of the slider, with a radius a 12th of the contact */
    double ends;    /* at the slider's ends, growing to `size`; 0: the same as `size` */
    double growth;  /* from element to element away from the interface */
    double largest; /* 0: an eighth of the larger height */
    double zone;    /* half-width around the middle that has elements of `size`; 0: the slider, with a radius the
                     * contact that is expected */
} am_blocks_mesh;

typedef struct am_blocks {
    am_blocks_body slider, base;
    double position; /* of the slider's left end from that of the base; NaN: centred */
    am_friction friction;
    double P;
    am_blocks_control control;
    am_blocks_side side;
    double load_height; /* h */
    double Q_over_P;    /* force: at t = 1; NaN: 99 percent of the last coefficient of friction */
    double push;        /* displacement, spring: at t = 1; NaN: not given */
    double speed;       /* spring: or its far end moves at this speed from t = 0 on, for ever; then push is not given */
    double stiffness;   /* of the spring */
    bool hold[3];       /* base: bottom, right, left fixed */
    double radius;      /* of curvature of the gap, closed at the middle of the slider; 0: flat */
    double gravity;     /* downwards, on both */
    am_blocks_mesh mesh;
    /* Dynamics: with modes the blocks have mass, and coordinates z1.. behind the slips and gaps. */
    size_t modes;                           /* shapes in which all contacts rest (Craig and Bampton); 0: no mass */
    double mass_damping, stiffness_damping; /* C = mass_damping M + stiffness_damping K */
    int cookie;
} am_blocks;

/* The thesis' rig of Fig. 3.13 with h = 6 mm (N, mm): slider 140 x 80 x 6, base 300 x 30 x 30, its bottom and right
 * side fixed, E = 3100, nu = 0.35, f = 0.47, P = 3000. */
AM_API am_blocks am_blocks_default(void);

/* Coordinates v1..vm (slips), w1..wm (gaps) of the contact nodes, contacts "interface 1".. in their order along the
 * interface. NULL on failure; err->field is "slider.E", "load_height", "mesh.size", ... */
AM_API am_system *am_blocks_create(const am_blocks *blocks, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
