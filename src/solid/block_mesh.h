/* Structured, graded meshes of rectangular blocks. */
#ifndef AMONTONS_SOLID_BLOCK_MESH_H
#define AMONTONS_SOLID_BLOCK_MESH_H
#include "solid/mesh.h"

/* Where the corners of elements lie along one side. */
typedef struct am_block_division {
    size_t count;     /* of `at`, at least 2 */
    const double *at; /* absolute places, increasing */
} am_block_division;

/* Corners of elements on [from, to] so that the places `required` (k of them, inside; sorted) are among them, elements are
 * about `size` at `finest` (anywhere on the line, or several: sizes are least near the nearest of `fine_count` places)
 * and grow with the distance by the factor `growth` >= 1 from element to element, at most `largest`. Without fine
 * places all are about `size`. Required places that lie too close may cost more elements, or a steeper growth next to them.
 * Allocated; the caller frees with am_memory_free. */
am_status am_block_divide(double from, double to, double size, double growth, double largest, size_t fine_count,
                          const double *fine, size_t k, const double *required, size_t *count, double **at,
                          am_error *err);

/* Adds a block of elements over the rectangle spanned by the divisions along x and y (absolute places), as body `about`
 * named `name`, and its lines "<name>.bottom", "<name>.right", "<name>.top", "<name>.left", walked counterclockwise. */
am_status am_block_mesh_add(am_solid_mesh *mesh, const char *name, const am_solid_body *about, am_shape shape,
                            const am_block_division *x, const am_block_division *y, am_error *err);

#endif
