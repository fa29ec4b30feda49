/* What models are made of: names with numbers, matrices, definitions of systems. */
#ifndef AMONTONS_MODELS_PARTS_H
#define AMONTONS_MODELS_PARTS_H
#include "amontons/system.h"
#include "base/arena.h"

/* prefix1, prefix2, ... in the arena, which remembers a failure. */
void am_parts_names(am_arena *arena, const char *prefix, size_t count, const char **names, am_error *err);

/* Relative changes of stiffness, none or one for each of `count`, above -1. `what`: "mass", "blade". */
am_status am_mistuning_check(const double *mistuning, size_t given, size_t count, const char *what, am_error *err);

/* n x n, row by row: directions along the coordinates. NULL: the arena remembers the failure. */
double *am_parts_identity(am_arena *arena, size_t n, am_error *err);

/* The matrix goes with the arena. NULL stays NULL. */
am_matrix *am_parts_own(am_arena *arena, am_matrix *matrix, am_error *err);

/* A definition without matrices, with names that the model gives. */
am_system_def am_parts_def(size_t n, const char *const *names, size_t contact_count, const am_contact_def *contacts,
                           size_t load_count, const am_load_def *loads);

/* n x n each, row by row; NULL: none. */
typedef struct am_arrays {
    const double *mass, *damping, *stiffness, *circulatory;
} am_arrays;

/* The system of a definition with these matrices. */
am_system *am_arrays_create(am_system_def def, am_arrays arrays, am_error *err);

#endif
