/* Factors of a principal submatrix M_SS that follow the set S as it changes: a base set keeps its LU factors, indices
 * that have joined or left since are a border
 *
 *     [ M_00  C ] [x]   [b]      joined j: C = M_0j, R = M_j0; left r: C = e_r (frees the row), R = e_r^T (x_r = 0)
 *     [ R     D ] [y] = [c]
 *
 * solved by its Schur complement. When the border grows too wide the base is factored anew. Large sets have factors
 * that grow and shrink instead (lcp_large.h). */
#ifndef AMONTONS_MATH_LCP_BLOCK_H
#define AMONTONS_MATH_LCP_BLOCK_H
#include "math/lcp_large.h"

typedef struct am_lcp_block {
    am_arena indices, factors; /* memory for problems of n indices; for a base of `room` */
    size_t n;                  /* indices of the problem */
    size_t room;               /* order of M_00 there is memory for */
    size_t border;             /* width there is memory for */
    size_t *base;              /* the base set, in the order of its rows */
    size_t k;                  /* its size */
    bool valid;                /* the factors belong to the present problem matrix */
    double *lu;                /* k x k */
    int *order;                /* k: row interchanges */
    size_t *place;             /* n: 1 + position in the base; 0: not there */

    size_t m;      /* width of the border */
    size_t *edge;  /* m: index that joined or left */
    double *C;     /* m x k: row i is M_00^{-1} C_i */
    double *R;     /* m x k: rows of joined indices */
    double *schur; /* m x m, factored */
    int *edge_order;
    unsigned char *wanted; /* n: work */

    const size_t *set; /* the present set (borrowed), and where its members are: base position, or k + border slot */
    size_t count;
    size_t *slot;    /* n: for each member */
    size_t *edge_of; /* n: slot of a joined index */
    double *y, *c;   /* room, border: work */
    size_t factored; /* how often the base was factored */

    am_lcp_large large;
    bool is_large; /* the present set is there */
} am_lcp_block;

void am_lcp_block_clear(am_lcp_block *block);

/* M has changed: the factors are of no use any more. */
void am_lcp_block_forget(am_lcp_block *block);

/* Prepare for M_SS; the set must outlive the solves. *regular: false when M_SS is singular but for rounding. `fresh`
 * asks for new factors. */
am_status am_lcp_block_set(am_lcp_block *block, const am_lcp *problem, size_t count, const size_t *set, bool fresh,
                           bool *regular, am_error *err);

/* M_SS x = b, in the order of the set. x and b may be the same. */
void am_lcp_block_solve(am_lcp_block *block, const double *b, double *x);

/* Sign of the determinant of M_SS. */
int am_lcp_block_sign(const am_lcp_block *block);

/* Would fresh factors be more accurate? */
static inline bool am_lcp_block_bordered(const am_lcp_block *block) {
    return block->is_large ? block->large.m + block->large.folded > 0 : block->m > 0;
}

#endif
