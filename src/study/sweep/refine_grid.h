/* Maps with fewer points: a coarse grid, and finer ones where an output changes.
 *
 * Cells of the grid with steps `coarse`, coarse/2, ... 1: a cell in which two points that are known differ, its sides
 * included, is divided, and so are the cells around it; what lies inside the others follows from their corners. This
 * is decided from the beginning again whenever more points are known, until no corner is open: the points that are
 * needed in the end then depend on the outputs alone, not on which of them were found in files or came first.
 * docs/sweep.md. */
#ifndef AMONTONS_STUDY_SWEEP_REFINE_GRID_H
#define AMONTONS_STUDY_SWEEP_REFINE_GRID_H
#include "study/sweep/points.h"

enum { AM_SWEEP_REFINED_AXES = 3 };

typedef struct am_refinement {
    am_sweep_record *record;
    size_t output;                       /* whose changes count */
    size_t count[AM_SWEEP_REFINED_AXES]; /* values along the axes; in front of those of the sweep, axes of one value */
    unsigned char *asked;                /* points: ever */
    uint32_t *points;                    /* asked for now */
    size_t point_count;
} am_refinement;

/* The record's outputs are known. AM_ERR_INPUT when the output to refine is not among them. */
am_status am_refinement_init(am_refinement *refinement, am_sweep_record *record, am_error *err);
void am_refinement_clear(am_refinement *refinement);

/* The points to be known next, in `points`; none: the map is complete, and the others have been filled. */
am_status am_refinement_next(am_refinement *refinement, am_error *err);

#endif
