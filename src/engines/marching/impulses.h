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
    bool smooth;        /* there are forces that are no impulses (smooth.c); the next are for them */
    double *after;      /* n: velocities at the end of the step, as far as they are known */
    double *middle;     /* 2n: the state in its middle */
    double *drag;       /* m: friction of laws without stick and regularised friction, a force */
    double *inner;      /* m: what such a law remembers, in the middle of the step */
    double *press;      /* m: normal forces of compliant contacts */
    double residual;    /* of the cone, the largest so far */
    double *M, *q, *x;  /* 4m x 4m, 4m, 4m: the complementarity problem */
    am_lcp_workspace *workspace;
} am_march_impulses;

/* ---- smooth.c ---- */

/* Contacts whose normal force is no impulse: given by a function of time, or by the penetration. */
bool am_march_is_pressed(const am_march *march, size_t contact);
/* Friction that is a force: a law without stick, or a regularised one. */
bool am_march_is_viscous(const am_march *march, size_t contact);
/* Friction mu(v) along a coordinate without mass, whose speed before the step says nothing: the coefficient at the end of
 * it is sought. */
bool am_march_seeks_speed(const am_march *march, size_t contact);
/* Are there forces that are no impulses? */
bool am_march_has_smooth(const am_march *march);
/* These forces in the middle of a step h, if it ends with the velocities impulses->after: into march->g, and their slopes
 * into gq and gv. */
void am_march_smooth_forces(am_march *march, double h);

#endif
