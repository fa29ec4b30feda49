/* Zeros and extremes of functions of one variable on an interval. */
#ifndef AMONTONS_MATH_ROOT_H
#define AMONTONS_MATH_ROOT_H

/* A function of one variable, with whatever it needs to know. */
typedef double (*am_real_function)(const void *context, double x);

/* A zero of f between low and high, where f has different signs (a zero at an end counts as either), to the last digit
 * that f allows. NaN when the signs are the same. */
double am_root_between(am_real_function f, const void *context, double low, double high);

/* Where f is largest between low and high, ends included, to about the square root of the rounding (which is what the
 * largest value needs). f should rise and then fall; with several peaks it is one of them. */
double am_root_highest(am_real_function f, const void *context, double low, double high);

#endif
