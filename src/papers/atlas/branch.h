/* One branch of an atlas: the curve of solutions through a start, followed along the parameter both ways until it
 * closes, ends on a branch point or leaves the range. A curve is closed when it comes back to its start up to the
 * structure's symmetry and a shift of time; it ends on a branch point where it goes on as its own mirror image (a
 * pitchfork: what follows repeats what came before). */
#ifndef AMONTONS_PAPERS_ATLAS_BRANCH_H
#define AMONTONS_PAPERS_ATLAS_BRANCH_H
#include "papers/atlas/class.h"

typedef enum am_atlas_branch_point_kind {
    AM_ATLAS_BRANCH_REGULAR,
    AM_ATLAS_BRANCH_START,
    AM_ATLAS_BRANCH_CROSSING, /* at the value the atlas is made at */
    AM_ATLAS_BRANCH_FOLD,
    AM_ATLAS_BRANCH_BRANCH,
    AM_ATLAS_BRANCH_END
} am_atlas_branch_point_kind;

typedef struct am_atlas_branch_point {
    am_atlas_branch_point_kind kind;
    bool located;
    double p, energy;
    am_verdict verdict;
} am_atlas_branch_point;

typedef enum am_atlas_branch_end {
    AM_ATLAS_BRANCH_CLOSED,
    AM_ATLAS_BRANCH_MIRRORED,
    AM_ATLAS_BRANCH_LEFT,
    AM_ATLAS_BRANCH_UNFINISHED
} am_atlas_branch_end;

typedef struct am_atlas_branch {
    size_t n, count, capacity;
    am_atlas_branch_point *point; /* in order along the curve */
    double *u;                    /* count x n */
    am_atlas_branch_end ends[2];  /* of the first and the last point; both CLOSED for a closed one */
    size_t folds, branch_points, unlocated, steps;
    size_t *branch_point; /* branch_points: which points they are */
    size_t refined;       /* how often it was traced again with smaller steps */
    double worst_residual;
    char sentence[256]; /* why it is unfinished */
} am_atlas_branch;

typedef struct am_atlas_branch_options {
    double from, to;     /* range of the parameter */
    double at;           /* where solutions are compared */
    double largest_step; /* 0: chosen */
    size_t most_points;
} am_atlas_branch_options;

/* From the solution u at options->at. */
am_status am_atlas_branch_trace(am_class *configuration, am_continuation *curve, const am_atlas_branch_options *options,
                                const double *u, am_atlas_branch *branch, am_error *err);
void am_atlas_branch_clear(am_atlas_branch *branch);

/* A branch from what is known of it (all but its arrays), with its points and solutions copied. */
am_status am_atlas_branch_restore(am_atlas_branch *branch, const am_atlas_branch_point *points, const double *u,
                                  am_error *err);

/* The verdict on every point of a branch; they are MARGINAL before. */
am_status am_atlas_branch_judge(am_class *configuration, am_atlas_branch *branch, am_error *err);

/* Leave the branch at its point k, a branch point, along the other branches that meet there, as far as options->at:
 * solutions (most x n) that they pass there, *count of them. */
am_status am_atlas_branch_leave(am_class *made, am_continuation *curve, const am_atlas_branch_options *options,
                                const am_atlas_branch *branch, size_t k, size_t most, double *solutions, size_t *count,
                                am_error *err);

/* Are two solutions the same motion, up to symmetry and time? Within `tolerance`, relative to the largest amplitude. */
bool am_class_same(const am_sites *sites, const double *u, const double *v, double tolerance);

#endif
