/* Factors of a principal submatrix M_SS that follow the set S as it changes: a base set keeps its LU factors, indices
 * that have joined or left since are a border C, R, D, solved by its Schur complement. docs/lcp.md, "Factors follow the
 * set". */
#ifndef AMONTONS_MATH_LCP_BLOCK_H
#define AMONTONS_MATH_LCP_BLOCK_H
#include "base/arena.h"
#include "math/lcp_problem.h"

/* Large sets: the inverse of M_SS follows the set, with P = M_00^-1 G, Q = H M_00^-1 and schur = D - H P of the indices
 * that have joined or left, which are folded in from time to time. docs/lcp.md. */
/* block (rows x columns) = M[row, column], however M is known. */
void am_lcp_gather(const am_lcp *problem, size_t rows, const size_t *row, size_t columns, const size_t *column,
                   double *block);

typedef struct am_lcp_large {
    am_arena memory;
    size_t n;        /* indices of the problem */
    size_t capacity; /* order there is memory for, and distance between rows of inverse, G, H, P, Q */
    size_t width;    /* edges there is memory for */
    bool valid;      /* the inverse belongs to the present problem matrix */
    size_t k;        /* members of the base */
    size_t *base;    /* capacity */
    size_t *place;   /* n: 1 + position in the base; 0: not there */
    double *inverse; /* capacity squared */
    int *order;      /* capacity: work */
    int sign;        /* of the determinant of M_00 */
    size_t folded;   /* edges folded in since the inverse was computed */

    size_t m;      /* edges */
    size_t *edge;  /* width: index that joined or left */
    double *P, *Q; /* width x capacity: by rows, one for each edge */
    double *G, *H; /* width x capacity: of the edges that are being added */
    double *D;     /* width x width: the Schur complement */
    double *schur; /* m x m: the same, factored */
    int *schur_order;

    unsigned char *mark; /* n: work, zero between calls */
    size_t *edge_of;     /* n: work */
    size_t count;        /* of the present set */
    size_t *slot;        /* n: where each of its members is: position in the base, or k + edge */
    double *b, *x, *c;   /* capacity, capacity, width: work */
    size_t factored;     /* how often the inverse was computed anew */
} am_lcp_large;

void am_lcp_large_clear(am_lcp_large *large);

/* As am_lcp_block_set. */
am_status am_lcp_large_set(am_lcp_large *large, const am_lcp *problem, size_t count, const size_t *set, bool fresh,
                           bool *regular, am_error *err);
void am_lcp_large_solve(am_lcp_large *large, const double *b, double *x);
int am_lcp_large_sign(const am_lcp_large *large);

typedef struct am_lcp_block {
    am_arena indices, factors; /* memory for problems of n indices; for a base of `capacity` */
    size_t n;                  /* indices of the problem */
    size_t capacity;           /* order of M_00 there is memory for */
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
    double *y, *c;   /* capacity, border: work */
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
