/* A structure that moves in a few shapes only: q = sum over shapes of (amplitude) x (shape). Matrices and the rows of
 * contacts, loads and springs are projected; the amplitudes are its coordinates. */
#ifndef AMONTONS_SYSTEM_PROJECTED_H
#define AMONTONS_SYSTEM_PROJECTED_H
#include "amontons/system.h"

/* The shapes are rows of as many numbers as the system has coordinates. NULL, and an error, where the system cannot be
 * made. */
am_system *am_system_project(const am_system *system, const double *shapes, size_t count, am_error *err);

#endif
