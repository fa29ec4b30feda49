/* What the solvers of the LCP room share. */
#ifndef AMONTONS_MATH_LCP_INTERNAL_H
#define AMONTONS_MATH_LCP_INTERNAL_H
#include "math/lcp.h"
#include "math/lcp_block.h"

/* A solution is accepted when its residual is below this: a thousand times what rounding leaves in a problem of a
 * hundred unknowns whose blocks are well conditioned. */
#define AM_LCP_ACCEPT 1e-11

struct am_lcp_workspace {
    am_arena memory; /* for problems of this size: */
    size_t n;
    double *work;  /* 2 n: for residuals */
    double *w;     /* n */
    double *trial; /* n */
    double *right; /* n */
    size_t *set;   /* n: the active set, ascending */
    size_t *wrong; /* n: indices whose sign is wrong */
    unsigned char *in_set;
    am_lcp_block block; /* factors of M on the active set */

    /* Pivoting: tables of problems given as arrays, grown apart. */
    am_arena tables;
    size_t table_n;
    double *table;    /* n x (n + 2): columns of the n + 1 variables outside the basis, then the constant */
    double *column;   /* n */
    double *scale;    /* n */
    double *basis;    /* n x n: to compute the table afresh */
    double *outside;  /* n x (n + 2) */
    size_t *basic;    /* n: variable of each row */
    size_t *nonbasic; /* n + 1: variable of each column */
    size_t *place;    /* 2 n + 1: row of a variable, or n + its column */
    size_t *tied;     /* n */
    int *order;       /* n: row interchanges */

    /* Pivoting on part of a problem known through access functions. */
    am_arena parts;
    size_t part_n;
    double *part_M, *part_q, *part_z; /* part_n x part_n, part_n, part_n */
    size_t *part;                     /* n: indices in the part */
    unsigned char *in_part;           /* n */
    am_lcp_workspace *inner;          /* solves the part */
};

/* Memory for problems of size n; for the tables of Lemke's method. */
am_status am_lcp_workspace_grow(am_lcp_workspace *workspace, size_t n, am_error *err);
am_status am_lcp_workspace_grow_table(am_lcp_workspace *workspace, size_t n, am_error *err);

/* w = q + M z; z vanishes outside the set. */
void am_lcp_complement(const am_lcp *problem, size_t count, const size_t *set, const double *z, double *w);

/* Newton's method alone: AM_LCP_SOLVED or AM_LCP_STALLED. */
am_status am_lcp_newton(const am_lcp *problem, const am_lcp_options *options, am_lcp_workspace *workspace, double *z,
                        am_lcp_info *info, am_error *err);

/* Lemke's method alone, M as an array. */
am_status am_lcp_lemke(const am_lcp *problem, size_t budget, am_lcp_workspace *workspace, double *z, am_lcp_info *info,
                       am_error *err);

/* Lemke's method on a growing part of a problem known through access functions. */
am_status am_lcp_lemke_wide(const am_lcp *problem, size_t budget, am_lcp_workspace *workspace, double *z,
                            am_lcp_info *info, am_error *err);

#endif
