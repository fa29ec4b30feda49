/* What the sources of continuation share: the workspace, points in scaled coordinates, Newton's method. */
#ifndef AMONTONS_MATH_CONTINUATION_INTERNAL_H
#define AMONTONS_MATH_CONTINUATION_INTERNAL_H
#include "base/arena.h"
#include "math/continuation.h"
#include "math/dense.h"

/* A point of the curve in scaled coordinates z = (x / x_unit, p / p_unit). */
typedef struct am_continuation_station {
    double *z, *t, *tests; /* n + 1, n + 1 (unit), test_count */
    double s;              /* arclength */
    double residual;
    double det; /* det [J F_p; t] = det 2^exponent, 0.5 <= |det| < 1; 0 where it is not known or zero */
    long exponent;
    double *v;    /* n + 1, unit: along y = [J F_p; t]^-1 b, the null vector near a branch point */
    double gap;   /* 1 / |y|: zero where the matrix is singular, even where the determinant does not change its sign */
    double place; /* along the chord of the present step, 0 .. 1 */
} am_continuation_station;

/* What was found between two points. */
typedef enum am_continuation_mark { AM_TAG_FOLD, AM_TAG_BRANCH, AM_TAG_TEST, AM_TAG_CLOSED } am_continuation_mark;

typedef struct am_continuation_break {
    am_continuation_mark mark;
    size_t test;
    bool located;
    am_continuation_station *station;
} am_continuation_break;

struct am_continuation {
    size_t n, test_count;
    am_arena memory;
    int *order;
    am_continuation_station *stations;
    am_continuation_break *breaks;
    size_t break_capacity, break_count;
    bool settle; /* for a branch point that is a jump */

    const am_continuation_problem *problem; /* of the present call */
    double x_unit, p_unit;                  /* powers of two */
    double tolerance, smallest;
    am_status fatal; /* ends everything at once */
    am_error refusal;
    bool refused; /* the last evaluation was; `refusal` says why */
    size_t iterations, factorisations;
    double rounding; /* of corrections along the null vector, times the gap */

    double *x, *F, *J, *Fp; /* one evaluation; J and A are arrays where they are needed as such */
    double *sizes;          /* n: of the rows of J, sums of magnitudes */
    size_t *picked;         /* 2 m: work space */
    double *A;              /* the bordered matrix, rows divided by `weight`; then its factors... */
    struct am_arrow *arrow; /* ...which this knows */
    size_t *ends, groups;   /* of groups of unknowns that stand apart; how many, of a matrix that is no array */
    size_t *place;          /* n + 1: row and column i of it are of unknown place[i]... */
    bool arranged;          /* ...unless they are as they come */
    double *moved;          /* n + 1 */
    double *weight;         /* n: sum of |dF_i| over full scales, the largest met on this curve */
    double *bordered;       /* n + 1: the border of the matrix that was factored */
    bool exact;             /* factors shall have all digits */
    bool nearby;            /* they are of a matrix next to that which was evaluated last */
    bool rough;             /* a solution could not be refined */
    double *right, *miss;   /* n + 1: for that */
    bool settling;          /* weights are those of the present point alone */
    double *probe;     /* b of the gap: what a unit vector gives near the start, so that gaps there are about one */
    double *reference; /* the null vector as far as it is known, for the sign of gaps */
    double *border, *guess, *delta, *chord, *out_x, *out_t, *aligned;

    am_continuation_station *before, *here, *next; /* the last points, ... */
    am_continuation_station *earlier, *earliest;   /* ...and those before, */
    int past;                                      /* as many as are known behind `here` */
    am_continuation_station *low, *high, *trial;   /* while something is located */
    am_continuation_station *start, *spare;
};

/* How Newton's method shall converge. */
typedef struct am_continuation_newton {
    double tolerance; /* of the residual */
    double step;      /* of the last correction */
    double idle;      /* corrections below this that do not shrink any more are rounding */
    double fresh;     /* factors are used again within this distance */
    double longest;   /* no single correction may be longer */
    int most;         /* iterations */
    bool fine;        /* for what is located */
} am_continuation_newton;

/* How it did. */
typedef struct am_continuation_effort {
    int iterations;
    double
        contraction; /* the largest ratio of two corrections above rounding: small where there is one solution near */
} am_continuation_effort;

am_continuation_newton am_continuation_newton_step(const am_continuation *c, double longest);
am_continuation_newton am_continuation_newton_fine(const am_continuation *c, double longest);

/* The problem and its scales become those of the curve. */
am_status am_continuation_take(am_continuation *c, const am_continuation_problem *problem,
                               const am_continuation_options *options, const double *x, am_error *err);

/* The point (x, p) in scaled coordinates, and back: x (n) of z. */
void am_continuation_scale(const am_continuation *c, const double *x, double p, double *z);
void am_continuation_unscale(const am_continuation *c, const double *z, double *x);

/* F (and J, Fp) at z, checked to be numbers. False: refused or fatal. */
bool am_continuation_evaluate(am_continuation *c, const double *z, bool jacobian);

/* The last J becomes an array, whatever it was; so does A. False, and fatal, without memory. */
bool am_continuation_need_array(am_continuation *c);

/* A = [J F_p; border], factored. False when it is singular. */
bool am_continuation_factor(am_continuation *c, const double *border);
void am_continuation_lu_solve(am_continuation *c, double *x); /* n + 1, in place */
double am_continuation_residual(const am_continuation *c);    /* of the last evaluation, by the last weights */

/* The probe of gaps, from the neighbourhood of z: near a branch point the matrix at z itself would hide what it lacks.
 * Evaluates at z last. */
bool am_continuation_take_probe(am_continuation *c, const double *z);

/* Weights from the neighbourhood of z, where rows of the Jacobian may vanish; evaluates at z last. */
bool am_continuation_weigh(am_continuation *c, const double *z);

/* The tangent along `border`, and the determinant, from the present factors. */
bool am_continuation_tangent(am_continuation *c, am_continuation_station *station);

/* Newton's method for station->z in the plane through it normal to `border`; then tangent and determinant. */
bool am_continuation_correct(am_continuation *c, const double *border, const am_continuation_newton *how,
                             am_continuation_station *station, am_continuation_effort *effort);

/* Newton's method for station->z at fixed p, damped; and what to say when it has failed. */
bool am_continuation_settle(am_continuation *c, am_continuation_station *station, double *residual);
am_status am_continuation_unsolved(const am_continuation *c, double p, double residual, am_error *err);

double am_continuation_norm(const double *z, size_t n);
double am_continuation_distance(const double *a, const double *b, size_t n);
/* z becomes of length 1, unless it is zero; returns the length it had. */
double am_continuation_normalise(double *z, size_t n);
/* Numbers from -1 to 1 without a pattern, the same on every machine. */
double am_continuation_scatter(unsigned *seed);
void am_continuation_copy(const am_continuation *c, am_continuation_station *to, const am_continuation_station *from);
double am_continuation_arc(const am_continuation *c, const am_continuation_station *a,
                           const am_continuation_station *b);

/* The cubic of points and tangents of a and b (length: between them) at `share` of the way, and its direction (may be
 * NULL). */
void am_continuation_hermite(const am_continuation *c, const am_continuation_station *a,
                             const am_continuation_station *b, double length, double share, double *z,
                             double *direction);

/* Distance from the start of the branch; of the likeness nearest to it where solutions come in families. */
double am_continuation_from_start(am_continuation *c, const am_continuation_station *station);

/* Fill station->tests. False: refused or fatal; `_or_nan`: they are NaN then. */
bool am_continuation_test(am_continuation *c, am_continuation_station *station);
void am_continuation_test_or_nan(am_continuation *c, am_continuation_station *station);

/* det of a by the exponent of reference; within +-1e300. */
double am_continuation_det(const am_continuation_station *a, long exponent);

/* Branch points between a and b, in c->breaks. False when the determinant changes its sign without passing zero as far
 * as can be found: a and b lie on different branches, or on both sides of a corner; `settle` for that. */
bool am_continuation_search_branches(am_continuation *c, const am_continuation_station *before,
                                     const am_continuation_station *a, const am_continuation_station *b, bool settle);

/* Everything else between them but values of p; c->breaks by their place. */
void am_continuation_search_rest(am_continuation *c, const am_continuation_station *a, const am_continuation_station *b,
                                 bool closing);

/* The point between a and b where p = value; false when Newton's method does not find it (then the nearer of a and b
 * is given). */
bool am_continuation_hit(am_continuation *c, const am_continuation_station *a, const am_continuation_station *b,
                         double value, am_continuation_station *found);

/* Follow from c->start (point and tangent known). */
am_status am_continuation_walk(am_continuation *c, const am_continuation_options *options, bool from_branch_point,
                               am_continuation_report *report, am_continuation_visit visit, void *visitor,
                               am_error *err);

#endif
