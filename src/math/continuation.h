/* Following a curve of solutions of F(x, p) = 0, x in R^n, p a number, by pseudo-arclength. docs/continuation.md.
 *
 * Folds, branch points and sign changes of the caller's tests between two points are located on the curve and named; what
 * is detected but not located is reported as such, never dropped. Lengths are |(dx, dp)|^2 = |dx|^2 / x_scale^2 + dp^2 /
 * range^2, both scales rounded to a power of two. */
#ifndef AMONTONS_MATH_CONTINUATION_H
#define AMONTONS_MATH_CONTINUATION_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

/* A derivative J that the problem has in its own form, because most of an n x n array would be zero. Whatever is asked
 * is that of the last evaluation. */
typedef struct am_continuation_matrix {
    am_status (*evaluate)(void *context, const double *x, double p, double *F, double *Fp, am_error *err);
    void (*sizes)(void *context, double *sums);                     /* n: of a row's entries, by magnitude */
    void (*apply)(void *context, const double *w, double *product); /* J w */
    void (*block)(void *context, size_t row_count, const size_t *rows, size_t column_count, const size_t *columns,
                  double *entries, size_t stride); /* in some rows and columns, none of them twice */
    /* As `arrange` of the problem; then the unknowns behind the groups (counted from the first of them, ascending) that a
     * group meets, as columns of its rows and as rows of its columns. */
    size_t (*arrange)(void *context, size_t *order, size_t *ends);
    void (*meet)(void *context, size_t group, size_t *columns, size_t *column_count, size_t *rows, size_t *row_count);
} am_continuation_matrix;

/* The equations. F (n) and, when not NULL, J (n x n row-major) and Fp (n). May refuse a point (left the physical range,
 * forces not defined): then the step is shortened, and the branch ends with that sentence when no step is left. Only
 * AM_ERR_MEMORY and AM_ERR_INTERRUPTED end everything at once. */
typedef struct am_continuation_problem {
    size_t n;
    am_status (*evaluate)(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err);
    /* May be NULL. Called for every point that is handed out, with the converged point and its tangent (n + 1: dx/ds,
     * dp/ds by the scaled arclength s): fill `tests` (test_count values whose sign changes are looked for; NaN: not
     * known here). Called as well for trial points while a sign change is located. */
    am_status (*tests)(void *context, const double *x, double p, const double *tangent, double *tests, am_error *err);
    size_t test_count;
    const char *const *test_names; /* kind of the special point each test stands for: "period-doubling", ... */
    /* May be NULL. Called before a step from the point (x, p), which must stay a solution: lets the caller move its
     * phase condition along. The tangent changes with the condition, and the predictor is worse for it: move it only
     * when it has drifted. */
    void (*advance)(void *context, const double *x, double p);
    /* May be NULL. Where a solution comes as a family (the phase of a self-excited motion): the member of the family of
     * x (n) that is nearest to `start` (n). Asked before x is compared with the start of the branch. */
    void (*align)(void *context, const double *start, const double *x, double *aligned);
    /* May be NULL. The order (n) in which unknowns are best eliminated, given J: groups that do not meet each other first,
     * the first up to ends[0], the second up to ends[1]...; how many they are. Asked where n is not small. */
    size_t (*arrange)(const void *arranger, const double *J, size_t *order, size_t *ends);
    const void *arranger;
    const am_continuation_matrix *matrix; /* NULL: J is an array */
    void *context;
} am_continuation_problem;

typedef struct am_continuation_options {
    double from, to;      /* the parameter starts at `from`; the branch ends outside [min, max] of both... */
    double least, most;   /* ...or outside these, when least < most (default: from and to) */
    int direction;        /* +1, -1: first step along growing or falling p; 0: towards `to` */
    double step;          /* first step in the scaled arclength; 0: chosen */
    double smallest_step; /* 0: 1e-9 */
    double largest_step;  /* 0: chosen (a hundredth of the range and of the size of x, which may grow) */
    double tolerance;     /* of Newton's method, relative to the scale of F; default 1e-10 */
    double x_scale;       /* unknowns are measured by this in the arclength; 0: the norm of the starting x (or 1) */
    size_t most_points;   /* default 10000 */
    bool close;           /* stop where the curve closes on its start; default true */
    const double *values; /* user values of p to be hit exactly */
    size_t value_count;
} am_continuation_options;

am_continuation_options am_continuation_options_default(void);

typedef struct am_continuation_point {
    const double *x; /* n */
    double p;
    const double *tangent; /* n + 1: dx/ds, dp/ds; of unit length in the scaled norm */
    const double *tests;   /* test_count */
    double arclength;      /* from the start, scaled */
    double residual;       /* largest |F_i| over the sum of |dF_i| a full scale of each unknown would bring */
    int determinant;       /* sign of det [J F_p; t]; 0 at a branch point */
} am_continuation_point;

/* "start", "regular", "fold", "branch-point", "value", "end", or one of test_names. `located`: on the curve to rounding
 * (or, for kinks, between two points whose distance is the smallest step). */
typedef struct am_continuation_special {
    const char *kind;
    bool located;
} am_continuation_special;

/* Why a branch ended. */
typedef enum am_continuation_end {
    AM_CONTINUATION_LEFT,   /* p left its range; the last point lies on the bound */
    AM_CONTINUATION_CLOSED, /* the curve closed on its start: an isola; the last point is the start */
    AM_CONTINUATION_FAILED, /* Newton did not converge with the smallest step: `sentence` says where */
    AM_CONTINUATION_FULL,   /* most_points */
    AM_CONTINUATION_STOPPED /* the visitor said so */
} am_continuation_end;

typedef struct am_continuation_report {
    am_continuation_end end;
    char sentence[256];
    size_t points; /* handed out, special ones included */
    size_t folds, branch_points;
    size_t specials;  /* folds, branch points, sign changes of tests, values */
    size_t unlocated; /* of these */
    size_t kinks;     /* corners passed with the tangent of the other side */
    size_t iterations, factorisations;
    double worst_residual;
} am_continuation_report;

/* Called for every point in order along the curve, special points in their place among the regular ones. false ends the
 * branch. */
typedef bool (*am_continuation_visit)(void *context, const am_continuation_point *point,
                                      const am_continuation_special *special);

/* Workspace for a problem of n unknowns; one per thread, reused for any number of branches. */
typedef struct am_continuation am_continuation;
am_continuation *am_continuation_create(size_t n, size_t test_count, am_error *err);
void am_continuation_free(am_continuation *curve);

/* Newton's method at fixed p from the guess in x (n), which becomes the solution; damped while full steps do not
 * contract. On failure x is the best point met. `residual` may be NULL. */
am_status am_continuation_solve(am_continuation *curve, const am_continuation_problem *problem, double p,
                                double tolerance, double *x, double *residual, am_error *err);

/* Newton's method from (x, p) in the plane through it normal to the direction (n + 1: dx, dp), by the scaled arclength;
 * (x, p) becomes the solution. AM_ERR_LIMIT, and anything may be in x, where it does not arrive within a unit of length. Of
 * `options`: range, scale and tolerance. */
am_status am_continuation_adjust(am_continuation *curve, const am_continuation_problem *problem,
                                 const am_continuation_options *options, const double *direction, double *x, double *p,
                                 double *residual, am_error *err);

/* Sign of det J at (x, p); 0 where it is singular but for rounding. Along a curve it changes at folds and branch points
 * only. */
am_status am_continuation_sign(am_continuation *curve, const am_continuation_problem *problem, const double *x,
                               double p, int *sign, am_error *err);

/* Follow from a solution x at options->from (corrected first). `visit` may be NULL. AM_OK however the branch ended
 * (report->end); an error when there is no solution to start from, or wrong options. */
am_status am_continuation_follow(am_continuation *curve, const am_continuation_problem *problem,
                                 const am_continuation_options *options, const double *x,
                                 am_continuation_report *report, am_continuation_visit visit, void *visitor,
                                 am_error *err);

/* Directions of the branches that meet at a located branch point (x, p = options->from), as lines: each is to be
 * followed both ways. `tangents`: capacity x (n + 1), *count of them filled, the first the one nearest to the given
 * tangent. When the null space of [J F_p] is two-dimensional they come from the quadratic form of second differences
 * (algebraic bifurcation equation); when it is larger (symmetry), or the form is degenerate, from the solutions found
 * on a small sphere around the point; orthogonal null vectors where nothing is found there. Of `options` only the
 * scales are used. */
am_status am_continuation_directions(am_continuation *curve, const am_continuation_problem *problem,
                                     const am_continuation_options *options, const double *x, const double *tangent,
                                     size_t capacity, double *tangents, size_t *count, am_error *err);

/* The same as am_continuation_follow, but leaving the branch point (x, p = options->from) along `tangent` (n + 1),
 * which also gives the sense: options->direction is not used. Give least and most: the point lies inside the range. */
am_status am_continuation_switch(am_continuation *curve, const am_continuation_problem *problem,
                                 const am_continuation_options *options, const double *x, const double *tangent,
                                 am_continuation_report *report, am_continuation_visit visit, void *visitor,
                                 am_error *err);

#endif
