/* Inside of the engine of smooth motions: what is planned once, and the series of the present step. */
#ifndef AMONTONS_ENGINES_SMOOTH_SMOOTH_INTERNAL_H
#define AMONTONS_ENGINES_SMOOTH_SMOOTH_INTERNAL_H
#include "base/arena.h"
#include "engines/smooth/smooth.h"

/* Entries of a matrix that are not zero, row by row. */
typedef struct am_smooth_rows {
    size_t rows;
    size_t *start; /* rows + 1 */
    size_t *column;
    double *value;
} am_smooth_rows;

/* Series of a group are made of e, e' and products of two earlier ones. ONE: the constant. */
enum { AM_SERIES_E, AM_SERIES_RATE, AM_SERIES_PRODUCTS, AM_SERIES_MOST = 64, AM_SERIES_ONE = AM_SERIES_MOST };

typedef struct am_smooth_monomial {
    unsigned i, j;      /* e^i e'^j */
    size_t left, right; /* it is their product */
    bool derivative;    /* needed for derivatives only */
} am_smooth_monomial;

/* One term of a sum over monomials: factor * coefficient of the spring's term * series. */
typedef struct am_smooth_part {
    size_t term, series;
    double factor;
} am_smooth_part;

/* Springs whose polynomials have the same powers: their series are computed side by side. */
typedef struct am_smooth_group {
    size_t count, width; /* springs; rounded up to whole blocks */
    size_t *spring;      /* count: which ones */
    size_t terms;
    double *coefficient; /* terms x width */
    size_t series;       /* used, of AM_SERIES_MOST */
    am_smooth_monomial monomial[AM_SERIES_MOST];
    double *value; /* series x coefficients x width */
    size_t factor; /* the force is this series (E, RATE) times `inner`, or `inner` itself (ONE) */
    am_smooth_part *inner, *stiff, *damp; /* terms each; stiff, damp: derivatives by e and e' */
    size_t stiff_count, damp_count;
    double *inner_series, *force, *stiffness, *damping; /* coefficients x width each */
} am_smooth_group;

struct am_smooth {
    am_arena memory, derivative_memory; /* of all arrays; of those of the derivative, made when it is first wanted */
    am_arena closing_memory;            /* of the orbit closed last */
    const am_system *system;
    size_t n, springs, columns; /* columns: 2n, rounded up to whole blocks */
    am_smooth_rows stiff, damp; /* M^-1 (K + circulatory), M^-1 C */
    am_smooth_rows input;       /* M^-1 input: n x nz */
    am_smooth_rows direction;   /* springs x n */
    am_smooth_rows spread;      /* M^-1 directions: n x springs */
    double *inverse_mass;       /* n x n */
    double *weight;             /* n: sqrt(M_ii) */
    bool equal_weights;
    size_t groups;
    am_smooth_group *group;
    size_t *group_of, *place; /* springs: where each is */
    double *z;                /* coefficients x nz: series of the inputs */
    double *q;                /* coefficients x n */
    double *pull;             /* springs: forces of one order */
    double *work;             /* 4n */
    /* The derivative by the first state, W. */
    double *w;            /* n x coefficients x columns */
    const double **along; /* springs: coefficients x columns each, direction.W */
    double **own_along;   /* springs: NULL where that is a row of W itself */
    double *along_values;
    double *felt;   /* springs x columns */
    double *mixing; /* coefficients + 1 */
    double *phi;    /* 2n x columns: now */
    /* The motion. */
    bool derivative;
    bool at_break;             /* a blow may fall now */
    double blow_work;          /* of the blow at the beginning of the step just made */
    double t, *x;              /* now; 2n */
    double step_start, length; /* of the step just made */
    double uncertainty;        /* of the orbit closed last */
};

/* Series of the motion (and of W) about the present state. */
void am_smooth_expand(am_smooth *engine);
/* All orders of the derivative from its first two. */
void am_smooth_expand_orders(am_smooth *engine);
am_status am_smooth_reserve_derivative(am_smooth *engine, am_error *err);

/* q'' at state x with the inputs z. */
void am_smooth_acceleration(am_smooth *engine, const double *z, const double *state, double *acceleration);

/* Rows of a matrix: y += factor * A x. */
void am_smooth_rows_add(const am_smooth_rows *a, double factor, const double *x, double *y);

#endif
