/* Linear programs: maximise c.x subject to G x <= h and lower <= x <= upper. CLP finds the optimal vertex; its place
 * and its multipliers are then solved for from the constraints that meet there, to rounding, and judged by a check that
 * knows nothing of CLP. */
#ifndef AMONTONS_MATH_LINEAR_PROGRAM_H
#define AMONTONS_MATH_LINEAR_PROGRAM_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

typedef struct am_linear_program {
    size_t rows, columns;
    const double *objective;     /* columns: c */
    const double *matrix;        /* rows x columns, row-major: G */
    const double *right;         /* rows: h */
    const double *lower, *upper; /* columns; may be infinite */
} am_linear_program;

typedef enum am_linear_outcome { AM_LINEAR_OPTIMAL, AM_LINEAR_INFEASIBLE, AM_LINEAR_UNBOUNDED } am_linear_outcome;

/* How far x and the multipliers y are from solving the program: three numbers that vanish together only at a solution.
 * Each is relative to the sizes of the terms it is the sum of. */
typedef struct am_linear_evidence {
    double primal; /* largest violation of a constraint or bound */
    double dual;   /* largest violation of c = G^T y + z, y >= 0, z of the sign its bound allows */
    double gap;    /* between c.x and the upper bound that y proves */
} am_linear_evidence;

typedef struct am_linear_solution {
    am_linear_outcome outcome;
    double value;                /* c.x */
    double *x;                   /* columns, the caller's */
    double *multiplier;          /* rows, the caller's: y >= 0, growth of the optimum with h */
    am_linear_evidence evidence; /* of an optimum */
} am_linear_solution;

/* Was the library built with CLP? */
bool am_linear_program_available(void);

/* AM_ERR_UNSUPPORTED without CLP; AM_ERR_EVIDENCE when CLP gives up. solution->x and ->multiplier are filled only when
 * there is an optimum. */
am_status am_linear_program_solve(const am_linear_program *program, am_linear_solution *solution, am_error *err);

/* The evidence for any x and y. */
am_linear_evidence am_linear_program_check(const am_linear_program *program, const double *x, const double *y);

#endif
