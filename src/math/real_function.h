/* A function of one variable, with whatever it needs to know. */
#ifndef AMONTONS_MATH_REAL_FUNCTION_H
#define AMONTONS_MATH_REAL_FUNCTION_H

typedef double (*am_real_function)(const void *context, double x);

#endif
