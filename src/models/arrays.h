/* Systems of a few coordinates, whose matrices are plain arrays. */
#ifndef AMONTONS_MODELS_ARRAYS_H
#define AMONTONS_MODELS_ARRAYS_H
#include "amontons/system.h"

/* n x n each, row by row; NULL: none. */
typedef struct am_arrays {
    const double *mass, *damping, *stiffness, *circulatory;
} am_arrays;

/* The definition with these matrices. */
am_system *am_arrays_create(am_system_def def, am_arrays arrays, am_error *err);

#endif
