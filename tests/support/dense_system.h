/* Structures of a few coordinates from plain arrays. */
#ifndef AMONTONS_TESTS_DENSE_SYSTEM_H
#define AMONTONS_TESTS_DENSE_SYSTEM_H
#include "amontons/system.h"

/* The definition with matrices def.n x def.n, row by row; mass and damping may be NULL. The test fails when it is
 * refused. */
am_system *dense_system(am_system_def def, const double *mass, const double *damping, const double *stiffness);

#endif
