/* Smooth initial value problems y' = f(t, y) over CVODE (SUNDIALS): implicit, of variable order and step, with its own
 * dense output. What is not smooth is the caller's business: stop, change, start again. */
#ifndef AMONTONS_MATH_INTEGRATOR_H
#define AMONTONS_MATH_INTEGRATOR_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

typedef struct am_integrator am_integrator;

/* Highest degree of the polynomial that am_integrator_at evaluates. */
enum { AM_INTEGRATOR_DEGREE = 8 };

typedef struct am_integrator_problem {
    size_t n;
    bool stiff; /* some parts decay much faster than anything moves: backward differences; else Adams-Moulton */
    bool steep; /* a rate may change by powers of ten within a step: a derivative of another place would make Newton's
                 * method stop where it is not */
    void *context;
    /* Where it is not finite the step is too long. */
    void (*rate)(void *context, double t, const double *y, double *rate);
    /* column-major n x n: entry (i, j) at i + j n */
    void (*jacobian)(void *context, double t, const double *y, double *jacobian);
    /* n positive numbers: the error of a step is kept below 1 when entries are divided by these */
    void (*allowed)(void *context, const double *y, double *allowed);
} am_integrator_problem;

/* Was the library built with SUNDIALS? If not, am_integrator_create refuses. */
bool am_integrator_available(void);

am_integrator *am_integrator_create(const am_integrator_problem *problem, am_error *err);
void am_integrator_free(am_integrator *integrator);

/* Begin (again) at t: nothing is remembered of what was before. */
am_status am_integrator_start(am_integrator *integrator, double t, const double *y, am_error *err);

/* One step of the method's own choice, not past `until`; *t becomes its end. */
am_status am_integrator_step(am_integrator *integrator, double until, double *t, am_error *err);

/* The solution anywhere in the step just made, by the polynomial the method itself works with. */
void am_integrator_at(const am_integrator *integrator, double t, double *y);

#endif
