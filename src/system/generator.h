/* Functions of time as outputs of small linear systems: between breaks, z' = G z and f = offset + h.z.
 * Constant: no state. Ramp and table: z = (f, f'). Sine: z = a (sin, cos). Pulse: z = (a/2, -a/2 cos, a/2 sin), zero
 * outside. */
#ifndef AMONTONS_SYSTEM_GENERATOR_H
#define AMONTONS_SYSTEM_GENERATOR_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/system.h"
#include "system/exact_time.h"

#define AM_GENERATOR_MAX 3

size_t am_generator_size(const am_function *function);
double am_generator_offset(const am_function *function);
/* h (size), G (size x size, row-major). */
void am_generator_matrices(const am_function *function, double *h, double *G);
/* z just after t, in closed form. */
void am_generator_state(const am_function *function, double t, double *z);
void am_generator_state_at(const am_function *function, am_exact_time now, double *z);
/* The first time after t at which z jumps; INFINITY if none. Times closer to t than rounding count as t itself. */
double am_generator_next_break(const am_function *function, double t);
am_exact_time am_generator_break_after(const am_function *function, double t);
/* Size of the blow at t (0 if none). */
double am_generator_blow(const am_function *function, double t);

#endif
