/* Inside of Moreau and Jean's scheme: impulses of one step. */
#ifndef AMONTONS_ENGINES_MARCHING_IMPULSES_H
#define AMONTONS_ENGINES_MARCHING_IMPULSES_H
#include "engines/marching/marching.h"
#include "math/cone.h"
#include "math/lcp.h"

typedef struct am_march_impulses {
    double h;           /* of the factors below; 0: none yet */
    am_cone cone;       /* impulses of the last step, and the velocities that restitution counts */
    const double **row; /* of the cone, x n */
    bool planes;        /* some contact has two tangents */
    double *S;          /* n x n: factors */
    double *Y;          /* rows of the cone x n: S^-1 of each */
    double *v;          /* n: velocities without impulses */
    double *z;          /* nz: inputs at the start of the step */
    int *order;         /* n: of the factors */
    double residual;    /* of the cone, the largest so far */
    double *M, *q, *x;  /* 4m x 4m, 4m, 4m: the complementarity problem */
    am_lcp_workspace *workspace;
} am_march_impulses;

#endif
