/* A brick of eight nodes: stiffness and mass of linear elasticity. Trilinear displacements with the incompatible
 * bending modes of Wilson in Taylor's form, so that one layer of bricks bends as a plate does. */
#ifndef AMONTONS_MODELS_BRICK_H
#define AMONTONS_MODELS_BRICK_H
#include "amontons/error.h"

enum { AM_BRICK_NODES = 8, AM_BRICK_SIZE = 24 };

/* place: corners, the lower four round about, then the upper four. stiffness: 24 x 24 (x, y, z of each node); mass:
 * one number per node. */
am_status am_brick(const double place[AM_BRICK_NODES][3], double modulus, double poisson, double density,
                   double *stiffness, double mass[AM_BRICK_NODES], am_error *err);

#endif
