/* Where supports, loads and drives act. */
#ifndef AMONTONS_SOLID_PLACE_H
#define AMONTONS_SOLID_PLACE_H
#include "base/arena.h"
#include "solid/definition.h"

/* The rows of u and their weights that make up a component of the displacement of a place, or by which a force there is
 * shared out: of a line spread evenly (the weights sum to 1), of a point by shape functions, of a rigid body x, y and
 * rotation. They lie in `memory`, `count` of them; none after a failure. */
typedef struct am_place_share {
    size_t count;
    size_t *row;
    double *weight;
} am_place_share;

/* AM_ERR_INPUT when there is no such line or body. `field` names it in messages. */
am_status am_place_weights(const am_solid_def *def, const am_mesh_place *place, size_t component, const char *field,
                           am_arena *memory, am_place_share *share, am_error *err);

/* The nodes of a place: of a line all, of a point the nearest one. *count of them, 0 after a failure. */
am_status am_place_nodes(const am_solid_def *def, const am_mesh_place *place, const char *field, am_arena *memory,
                         size_t *count, size_t **nodes, am_error *err);

/* SIZE_MAX: none of that name. */
size_t am_solid_find_rigid(const am_solid_def *def, const char *name);

#endif
