/* Seeded random structures whose loads go on for ever and stay bounded, so that they can be followed for any time. */
#ifndef AMONTONS_TESTS_LASTING_SYSTEM_H
#define AMONTONS_TESTS_LASTING_SYSTEM_H
#include "random_system.h"

/* Structure number `seed`: 1 to 4 coordinates, 1 to 3 contacts along them: unilateral, held, sliders behind springs. */
void lasting_system(uint64_t seed, plain_system *plain, double *q, double *v);

/* The structure in coordinates q' = R^T q, R drawn by the seed. */
void lasting_turned(uint64_t seed, plain_system *plain, double *q, double *v);

/* x := R^T x; A := R^T A R, symmetric to the last digit. */
void lasting_turn_row(const double *R, size_t n, double *x);
void lasting_turn_matrix(const double *R, size_t n, double *A);

#endif
