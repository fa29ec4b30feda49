/* A point of a sweep: its coordinates, and the study's tree with them put in. */
#ifndef AMONTONS_STUDY_SWEEP_GRID_H
#define AMONTONS_STUDY_SWEEP_GRID_H
#include "study/case.h"
#include "study/sweep/sweep.h"

enum { AM_SWEEP_AXES = 8 };

typedef struct am_grid {
    const am_sweep_setting *sweep;
    am_arena *pool;
    am_node *root;                  /* a copy of the study's tree */
    am_node *values[AM_SWEEP_AXES]; /* the nodes of that tree that hold the values of the axes */
} am_grid;

size_t am_grid_points(const am_sweep_setting *sweep);
double am_grid_size(const am_sweep_setting *sweep); /* the same, where that many could not be counted */

/* Coordinate of a point along an axis. */
double am_grid_value(const am_sweep_setting *sweep, size_t point, size_t axis);

/* Points that differ in drawn axes alone belong together: how many such groups, and to which a point belongs. */
size_t am_grid_groups(const am_sweep_setting *sweep);
size_t am_grid_group(const am_sweep_setting *sweep, size_t point);

/* A grid belongs to one thread. */
am_status am_grid_open(am_grid *grid, const am_sweep_setting *sweep, const am_node *root, am_error *err);
void am_grid_close(am_grid *grid);

/* Put a point's values into grid->root. */
void am_grid_move(am_grid *grid, size_t point);

#endif
