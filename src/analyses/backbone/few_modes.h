/* The structure of a nonlinear mode in a few shapes: what nonlinear forces and constant loads do in statics, and the
 * lowest modes. Its motions take little time to follow, as none of its coordinates is fast. */
#ifndef AMONTONS_ANALYSES_BACKBONE_FEW_MODES_H
#define AMONTONS_ANALYSES_BACKBONE_FEW_MODES_H
#include "analyses/backbone/backbone_internal.h"
#include "analyses/response/exact.h"
#include "math/pencil.h"

typedef struct am_few_modes {
    am_system *system;
    am_model *model;
    am_model_line line;
    am_closer *closer;
    size_t count; /* shapes */
    double *shapes;
    am_arena memory;
} am_few_modes;

/* Shapes for `modes` modes of the factored pencil (those of stiffness and mass); both arrive cleared. AM_ERR_LIMIT where
 * they would be as many as the structure has coordinates. */
am_status am_few_modes_init(am_few_modes *few, const am_backbone *b, am_pencil *pencil, size_t modes, am_error *err);
void am_few_modes_clear(am_few_modes *few);

/* How many modes lie below the frequency; at most `most`. */
am_status am_few_modes_count(am_pencil *pencil, double omega, size_t most, size_t *count, am_error *err);

#endif
