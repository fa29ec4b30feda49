/* Linear complementarity problems: z >= 0, w = M z + q >= 0, z.w = 0. See docs/lcp.md.
 *
 * One interface, two methods: Lemke's pivoting (robust, needs M as an array, finds rays) and a semismooth Newton method
 * on min(z, w) = 0, which for this function is a change of active set at every step (fast, also where M is only known
 * through access functions). Each falls back on the other where it can do no more. */
#ifndef AMONTONS_MATH_LCP_H
#define AMONTONS_MATH_LCP_H
#include "base/local.h"
#include "math/lcp_problem.h"

typedef enum am_lcp_method {
    AM_LCP_AUTOMATIC, /* by size: pivoting while n is small, else Newton */
    AM_LCP_LEMKE,
    AM_LCP_NEWTON
} am_lcp_method;

typedef enum am_lcp_status {
    AM_LCP_SOLVED,
    AM_LCP_RAY,    /* Lemke's path ended on a ray: there may be no solution */
    AM_LCP_STALLED /* the budget is spent, or rounding spoils what was found */
} am_lcp_status;

typedef struct am_lcp_options {
    am_lcp_method method;
    const double *warm; /* n, or NULL: a solution nearby; only which of its entries are positive matters */
    size_t budget;      /* pivots before giving up; 0: 1000 + 50 n */
    bool same_matrix;   /* M is that of the last problem solved in this workspace: factors may be used again */
} am_lcp_options;

typedef struct am_lcp_info {
    am_lcp_status status;
    am_lcp_method method; /* the one that had the last word */
    size_t pivots;        /* of Lemke's method */
    size_t steps;         /* of Newton's method */
    double residual;      /* am_lcp_residual of z */
    bool infeasible;      /* ray: it proves that no z >= 0 has M z + q >= 0 */
} am_lcp_info;

/* What a solver needs besides the problem. Grows with the largest problem met; warm, a solve allocates nothing. One per
 * thread. */
typedef struct am_lcp_workspace am_lcp_workspace;
am_lcp_workspace *am_lcp_workspace_create(am_error *err);
void am_lcp_workspace_free(am_lcp_workspace *workspace);

am_lcp am_lcp_dense(size_t n, const double *M, const double *q);

/* z (n): the solution when the status is AM_LCP_SOLVED, the direction of the ray (entries >= 0, the largest 1) when it
 * is AM_LCP_RAY. `options` may be NULL. Fails only for lack of memory or when a number is not finite. */
am_status am_lcp_solve(const am_lcp *problem, const am_lcp_options *options, am_lcp_workspace *workspace, double *z,
                       am_lcp_info *info, am_error *err);

/* The largest |min(z_i / Z, w_i / W)|, with w computed here from the definition, Z = max |z| and W = max over i of
 * |q_i| + sum |M_ij z_j|. Free of units, of the order of rounding at a solution, NaN when z is not finite.
 * Problems with access functions: W = max of |q_i|, |w_i| and of the columns added. `work`: 2 n numbers. */
double am_lcp_residual(const am_lcp *problem, const double *z, double *work);

/* Does y prove that no z >= 0 has M z + q >= 0? By Farkas: y >= 0, M^T y <= 0, q.y < 0. `work`: n numbers. Problems
 * with M as an array only. */
bool am_lcp_proves_infeasible(const am_lcp *problem, const double *y, double *work);

AM_LOCAL_POINTER(am_lcp_workspace, am_lcp_workspace_free)

#endif
