/* Arithmetic of power series. A formula is recorded once as a list of operations and then evaluated order by order along
 * a motion: from the Taylor coefficients of its arguments up to order k follow those of its values. Derivatives with
 * respect to arguments are recorded as further operations of the same tape.
 *
 *     am_tape tape = {0};
 *     am_term v = am_tape_argument(&tape), mu = am_tape_exp(&tape, am_tape_scale(&tape, v, -2.0));
 *     ...
 *     for (k = 0; k <= order; k++) {
 *         series[v * AM_TAPE_ORDERS + k] = (coefficient k of the argument);
 *         am_tape_run(&tape, tape.count, k, series);
 *         (coefficient k of the value) = series[mu * AM_TAPE_ORDERS + k];
 *     }
 *
 * The recurrences are those of Moore; docs/laws.md derives them. Order 0 is the value itself. */
#ifndef AMONTONS_MATH_TAPE_H
#define AMONTONS_MATH_TAPE_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"
#include "base/arena.h"
#include "math/bernstein.h"

enum { AM_TAPE_ORDERS = AM_COEFFICIENTS + 1 };

typedef size_t am_term; /* an operation, by its place on the tape */

typedef enum am_operation_kind {
    AM_TAPE_ARGUMENT, /* set by the caller */
    AM_TAPE_CONSTANT,
    AM_TAPE_ADD,
    AM_TAPE_SUBTRACT,
    AM_TAPE_MULTIPLY,
    AM_TAPE_DIVIDE,
    AM_TAPE_SCALE, /* by a constant */
    AM_TAPE_EXP,
    AM_TAPE_LOG,
    AM_TAPE_LOG_OR_ZERO, /* zero at zero */
    AM_TAPE_ENTROPY,     /* left times its logarithm, right */
    AM_TAPE_SQRT,
    AM_TAPE_POWER, /* to a constant that is no whole number */
    AM_TAPE_TANH,
    AM_TAPE_BESIDE_TANH, /* 1 - tanh^2: the operation after TANH, computed with it */
    AM_TAPE_ASINH,       /* of left; right is sqrt(1 + left^2) */
    AM_TAPE_ATANH,       /* of left; right is 1 - left^2, but not below value: there it is a line */
    AM_TAPE_AT_LEAST,    /* left, but not below value */
    AM_TAPE_ABOVE        /* 1 where left is above value, else 0 */
} am_operation_kind;

typedef struct am_operation {
    am_operation_kind kind;
    am_term left, right;
    double value; /* constant, factor, exponent */
} am_operation;

/* An operation and where in the series its result and its operands stand. */
typedef struct am_tape_step {
    am_operation operation;
    size_t to, left, right;
} am_tape_step;

typedef struct am_tape_steps {
    am_tape_step *step;
    size_t count;
} am_tape_steps;

/* Short formulas need no memory of their own: of up to so many operations. */
enum { AM_TAPE_SHORT = 64 };

/* Begins as {0}, or with an array of the caller's for `capacity` operations. A failure to record is remembered;
 * am_tape_status tells. */
typedef struct am_tape {
    am_arena memory;
    am_operation *operation;
    size_t count, capacity;
    am_tape_steps one, several; /* of the orders above the first: am_tape_plan, am_tape_plan_several */
    am_term of, from;           /* the term that is planned, and the one whose orders above the first it has */
    am_status status;
} am_tape;

void am_tape_clear(am_tape *tape);
am_status am_tape_status(const am_tape *tape, am_error *err);

/* The same operations on a tape of its own, to record more. */
void am_tape_copy(const am_tape *tape, am_tape *copy);

am_term am_tape_argument(am_tape *tape);
am_term am_tape_constant(am_tape *tape, double value);
am_term am_tape_add(am_tape *tape, am_term a, am_term b);
am_term am_tape_subtract(am_tape *tape, am_term a, am_term b);
am_term am_tape_multiply(am_tape *tape, am_term a, am_term b);
am_term am_tape_divide(am_tape *tape, am_term a, am_term b);
am_term am_tape_scale(am_tape *tape, am_term a, double factor);
am_term am_tape_exp(am_tape *tape, am_term a);
am_term am_tape_log(am_tape *tape, am_term a);
am_term am_tape_entropy(am_tape *tape, am_term a); /* a ln a; it has no series at zero, and counts as constant there */
am_term am_tape_sqrt(am_tape *tape, am_term a);
am_term am_tape_tanh(am_tape *tape, am_term a);
am_term am_tape_asinh(am_tape *tape, am_term a);
/* Where 1 - a^2 would be below `least`, and beyond one, it goes on along its tangent. */
am_term am_tape_atanh(am_tape *tape, am_term a, double least);
double am_tape_atanh_or_line(double u, double least); /* its value */
/* Whole exponents become products, which know no singularity at zero. Others have no series there, and count as
 * constant. */
am_term am_tape_power(am_tape *tape, am_term a, double exponent);

/* Has it a power that is no whole number, or an entropy? */
bool am_tape_is_singular(const am_tape *tape);

/* The derivative of a term with respect to an argument, recorded on the same tape. */
am_term am_tape_derivative(am_tape *tape, am_term of, am_term argument);

/* Plan the orders above the first of one term: constants have none, and what adds or scales them costs nothing. */
void am_tape_plan(am_tape *tape, am_term of);

/* The same of several terms at once. */
void am_tape_plan_several(am_tape *tape, const am_term *of, size_t count);

/* Do its orders above the first depend on those of an argument? */
bool am_tape_needs(const am_tape *tape, am_term argument);

/* Order k >= 1 of the term that is planned; order 0 of all operations comes from am_tape_run. Orders of other terms are
 * there only where this one needs them. */
double am_tape_order(const am_tape *tape, size_t k, double *series);

/* The same of the several terms: series has them. */
void am_tape_orders(const am_tape *tape, size_t k, double *series);

/* Order k of the first `count` operations, all lower orders being there. series: tape->count x AM_TAPE_ORDERS. */
void am_tape_run(const am_tape *tape, size_t count, size_t k, double *series);

#endif
