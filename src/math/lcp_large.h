/* The inverse of a large principal submatrix M_SS that follows the set S. A base set keeps its inverse; indices that
 * have joined or left since are edges of it,
 *
 *     [ M_00  G ] [x]   [b]      joined j: G = M_0j, H = M_j0, D = M_jj;    left r: G = e_r, H = e_r^T, D = 0
 *     [ H     D ] [y] = [c]      P = M_00^{-1} G,  Q = H M_00^{-1},  schur = D - H P
 *
 * To leave costs nothing but reading a row and a column of the inverse, to come back nothing at all. From time to time
 * the edges are folded in,
 *
 *     [ M_00^{-1} + P schur^{-1} Q    -P schur^{-1} ]
 *     [ -schur^{-1} Q                  schur^{-1}   ]
 *
 * without the rows and columns of those that have left: a product of matrices, at 2 k^2 operations for each edge, where
 * factors would have to be computed anew. What rounding does to the inverse in the long run, refinement sees. */
#ifndef AMONTONS_MATH_LCP_LARGE_H
#define AMONTONS_MATH_LCP_LARGE_H
#include "base/arena.h"
#include "math/lcp_problem.h"

typedef struct am_lcp_large {
    am_arena memory;
    size_t n;        /* indices of the problem */
    size_t room;     /* order there is memory for, and distance between rows of inverse, G, H, P, Q */
    size_t width;    /* edges there is memory for */
    bool valid;      /* the inverse belongs to the present problem matrix */
    size_t k;        /* members of the base */
    size_t *base;    /* room */
    size_t *place;   /* n: 1 + position in the base; 0: not there */
    double *inverse; /* room x room */
    int *order;      /* room: work */
    int sign;        /* of the determinant of M_00 */
    size_t folded;   /* edges folded in since the inverse was computed */

    size_t m;      /* edges */
    size_t *edge;  /* width: index that joined or left */
    double *P, *Q; /* width x room: by rows, one for each edge */
    double *G, *H; /* width x room: of the edges that are being added */
    double *D;     /* width x width: the Schur complement */
    double *schur; /* m x m: the same, factored */
    int *schur_order;

    unsigned char *mark; /* n: work, zero between calls */
    size_t *edge_of;     /* n: work */
    size_t count;        /* of the present set */
    size_t *slot;        /* n: where each of its members is: position in the base, or k + edge */
    double *b, *x, *c;   /* room, room, width: work */
    size_t factored;     /* how often the inverse was computed anew */
} am_lcp_large;

void am_lcp_large_clear(am_lcp_large *large);

/* As am_lcp_block_set. */
am_status am_lcp_large_set(am_lcp_large *large, const am_lcp *problem, size_t count, const size_t *set, bool fresh,
                           bool *regular, am_error *err);
void am_lcp_large_solve(am_lcp_large *large, const double *b, double *x);
int am_lcp_large_sign(const am_lcp_large *large);

#endif
