/* From what a .msh file says to a mesh. */
#ifndef AMONTONS_SOLID_GMSH_BUILD_H
#define AMONTONS_SOLID_GMSH_BUILD_H
#include "base/arena.h"
#include "imports/gmsh_raw.h"
#include "solid/mesh.h"

/* A side of a finite element. */
typedef struct am_gmsh_side {
    size_t low, high; /* its ends, the lower number first */
    size_t element, side;
} am_gmsh_side;

typedef struct am_gmsh_build {
    const char *path;
    am_gmsh_raw *raw;
    am_solid_mesh *mesh;
    am_error *err;
    am_arena memory;     /* of all that follows */
    size_t *source;      /* of each element of the mesh: which of raw->element it is */
    size_t *group_index; /* of each of raw->member: which of raw->group it is */
    size_t side_count;
    am_gmsh_side *side; /* sorted by low, then high */
} am_gmsh_build;

/* "file:line: ..." of an element. */
am_status am_gmsh_build_fail(const am_gmsh_build *build, const am_gmsh_element *element, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* The sides of all elements, checked to fit together: build->side. */
am_status am_gmsh_build_sides(am_gmsh_build *build);

/* `index`: of raw->node, the number it has in the mesh (SIZE_MAX: not used). */
am_status am_gmsh_build_lines(am_gmsh_build *build, const size_t *index);

#endif
