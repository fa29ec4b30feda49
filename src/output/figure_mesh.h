/* The deformed mesh, coloured by a number at its nodes. */
#ifndef AMONTONS_OUTPUT_FIGURE_MESH_H
#define AMONTONS_OUTPUT_FIGURE_MESH_H
#include "base/text.h"
#include "output/mesh_tables.h"

typedef struct am_mesh_drawing {
    size_t nodes, cells;
    double *rest, *at; /* x, y of each node: without load, and where it is drawn */
    double *value;
    am_mesh_cell *cell;
    double low[2], high[2]; /* the window */
    double least, most;     /* numbers with the first and the last colour */
    double pixel;           /* size of a cell of the image */
    size_t columns, lines;  /* of the image */
} am_mesh_drawing;

/* The number inside the elements, sampled at the pixels of an image: whole numbers from 0 (`least`) to AM_MESH_LEVELS
 * (`most`), finer than colours; lines of the image from below, NaN outside. */
enum { AM_MESH_LEVELS = 1000 };
am_status am_mesh_image(const am_mesh_drawing *drawing, am_text *data, am_error *err);

#endif
