/* A structure in motion, drawn from the tables of a result: bodies, springs, contacts coloured by what they do, and below
 * them the coordinates over time with a mark that goes along. SVG that moves without scripts. */
#ifndef AMONTONS_OUTPUT_ANIMATION_MOTION_H
#define AMONTONS_OUTPUT_ANIMATION_MOTION_H
#include "base/text.h"
#include "output/animation_frames.h"
#include "output/scene.h"

typedef struct am_animation_order {
    const am_result *result;
    const am_system *system;
    const am_scene_place *places; /* of coordinates; NULL: not known */
    const char *title;
    am_frames_wish wish;
} am_animation_order;

/* Into `out`, which is empty before. AM_ERR_INPUT, AM_ERR_UNSUPPORTED: it cannot be drawn, and why. */
am_status am_animation_draw(const am_animation_order *order, am_text *out, am_error *err);

/* The same of a mode shape on a mesh (mode_shape_nodes, and mode_shape_cells beside it). */
am_status am_animation_draw_mesh(const am_animation_order *order, const am_table *nodes, am_text *out, am_error *err);

#endif
