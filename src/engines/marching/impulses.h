/* Inside of Moreau and Jean's scheme: impulses of one step, and the laws they have to obey. */
#ifndef AMONTONS_ENGINES_MARCHING_IMPULSES_H
#define AMONTONS_ENGINES_MARCHING_IMPULSES_H
#include "engines/marching/engine.h"
#include "math/lcp.h"

typedef struct am_march_impulses {
    double h;           /* of the factors below; 0: none yet */
    size_t rows;        /* normals and tangents of all contacts, contact by contact */
    size_t *first;      /* m + 1: the normal of each; its tangents follow */
    const double **row; /* rows x n */
    bool *acts;         /* rows: its impulse moves the structure; the push of a held contact is one of the loads */
    bool planes;        /* some contact has two tangents */
    double *S;          /* n x n: factors */
    double *Y;          /* rows x n: S^-1 of each row */
    double *W;          /* rows x rows */
    double *P;          /* rows: impulses of the last step */
    double *free_rate;  /* rows: n.v, t.v - surface velocity without impulses */
    double *v;          /* n: velocities without impulses */
    double *z;          /* nz: inputs at the start of the step */
    double *hold;       /* m: impulse of held contacts */
    double *mu;         /* m: coefficients of friction in this step */
    bool *active;       /* m */
    int *order;         /* n: of the factors */
    double residual;    /* the largest so far, see am_march_impulse_residual */
    double *M, *q, *x;  /* 4m x 4m, 4m, 4m: the complementarity problem, or Newton's matrix, defect and step */
    int *pivot;         /* 3m: of Newton's matrix */
    am_lcp_workspace *workspace;
} am_march_impulses;

/* The rate of a row with the present impulses: velocities that restitution counts. */
double am_march_impulse_rate(const am_march_impulses *impulses, size_t row);

/* How far the present impulses are from the laws: by how much a step along the rates, put back into the half-line
 * P >= 0 and the disc |R| <= mu P, would change them; over the largest normal impulse. */
double am_march_impulse_residual(const am_march *march);

/* One contact after the other, each solved exactly for the present impulses of the others (Gauss-Seidel). True: the last
 * of at most so many rounds changed nothing. */
bool am_march_sweep(am_march *march, size_t most_rounds);

/* Impulses by Newton's method from the present ones, for contacts with any number of tangents. */
am_status am_march_newton_impulses(am_march *march, am_error *err);

#endif
