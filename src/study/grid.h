/* A point of a sweep: its coordinates, and the study's tree with them put in. */
#ifndef AMONTONS_STUDY_GRID_H
#define AMONTONS_STUDY_GRID_H
#include "base/text.h"
#include "study/sweep.h"

enum { AM_SWEEP_AXES = 8 };

typedef struct am_grid {
    const am_sweep_setting *sweep;
    am_pool *pool;
    am_node *root;                                  /* a copy of the study's tree */
    char texts[AM_SWEEP_AXES][AM_TEXT_NUMBER_SIZE]; /* of the axes' values in it */
} am_grid;

size_t am_grid_points(const am_sweep_setting *sweep);

/* Coordinate of a point along an axis; the last axis varies fastest. */
double am_grid_value(const am_sweep_setting *sweep, size_t point, size_t axis);

/* A grid is filled in place (its tree points into it) and belongs to one thread. */
am_status am_grid_open(am_grid *grid, const am_sweep_setting *sweep, const am_node *root, am_error *err);
void am_grid_close(am_grid *grid);

/* Put a point's values into grid->root. */
void am_grid_move(am_grid *grid, size_t point);

#endif
