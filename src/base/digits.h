/* The shortest decimal digits of a number, fast: tables of millions of numbers are mostly digits. */
#ifndef AMONTONS_BASE_DIGITS_H
#define AMONTONS_BASE_DIGITS_H
#include <stddef.h>

enum { AM_DIGITS_SIZE = 32 };

/* Whole numbers below 2^53, and for others from 1e-4 to 1e15 what printf's %.15g, %.16g or %.17g gives, the first of them
 * that reads back as the same number. Length of the text; 0 for all other numbers. */
size_t am_digits_shortest(double value, char text[AM_DIGITS_SIZE]);

#endif
