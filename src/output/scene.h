/* How a structure looks: its bodies, the springs between them, its contacts, and what each of its coordinates moves. From
 * the places of its nodes where these are known; otherwise from its stiffness and its contacts, which say who hangs on
 * whom: bodies in a row, or in a ring where the springs make one. */
#ifndef AMONTONS_OUTPUT_SCENE_H
#define AMONTONS_OUTPUT_SCENE_H
#include <stdint.h>

#include "amontons/system.h"
#include "base/arena.h"

/* Where a coordinate is, and along which axis it goes (1 x, 2 y, 3 z); 0: not known. */
typedef struct am_scene_place {
    double at[3];
    int direction;
    long node;
} am_scene_place;

/* What a coordinate moves, and whither: to the right, upwards. */
typedef struct am_scene_term {
    size_t coordinate;
    double along[2];
} am_scene_term;

typedef enum am_scene_mark { AM_SCENE_BODY, AM_SCENE_NODE, AM_SCENE_SPOT } am_scene_mark;

typedef struct am_scene_point {
    am_scene_mark mark; /* a body that one draws as a block; a node of a mesh; a place of contact on no body */
    const char *name;   /* "" */
    double at[2];
    size_t term_count;
    am_scene_term *terms;
    size_t turn; /* the coordinate by which it turns, against the clock; SIZE_MAX: none */
} am_scene_point;

#define AM_SCENE_GROUND SIZE_MAX /* instead of a point */

/* Where the ground is; under: the picture is one from above. */
typedef enum am_scene_side {
    AM_SCENE_BELOW,
    AM_SCENE_ABOVE,
    AM_SCENE_LEFT,
    AM_SCENE_RIGHT,
    AM_SCENE_UNDER
} am_scene_side;

typedef struct am_scene_link {
    size_t from, to; /* points; to: AM_SCENE_GROUND */
    bool spring;     /* false: an edge of a mesh */
} am_scene_link;

typedef struct am_scene_contact {
    size_t contact;     /* of the system */
    size_t point, with; /* with: AM_SCENE_GROUND */
    am_scene_side side;
} am_scene_contact;

typedef struct am_scene {
    am_arena memory;
    bool ring, placed; /* placed: lengths of the picture are lengths of the structure */
    bool upright;      /* its one body moves up and down */
    size_t point_count, link_count, contact_count;
    am_scene_point *points;
    am_scene_link *links;
    am_scene_contact *contacts;
} am_scene;

/* places: NULL, or one for each coordinate. AM_ERR_UNSUPPORTED: too many coordinates whose places are not known. Emptied by
 * am_scene_clear, also after a failure; begins as {0}. */
am_status am_scene_of(am_scene *scene, const am_system *system, const am_scene_place *places, am_error *err);
void am_scene_clear(am_scene *scene);

/* Two numbers of the picture for a place in space: the plane that the places lie in, or a view from the side and above. */
typedef struct am_scene_view {
    double right[3], up[3];
} am_scene_view;
am_scene_view am_scene_look(size_t count, const double (*places)[3]);

#endif
