/* Functions of time as outputs of small linear systems: between breaks, z' = G z and f = offset + h.z.
 * Constant: no state. Ramp and table: z = (f, f'). Cubic table: z_k = unit^k f^(k), k = 0 .. 3. Sine: z = a (sin, cos).
 * Pulse: z = (a/2, -a/2 cos, a/2 sin), zero outside. Chirp: z_k = f^(k)/w^k with its highest frequency w, of as many
 * orders as make its Taylor polynomial exact over a radian, where it has a break.
 *
 * All of this is of one term: what `plus` adds has states of its own. */
#ifndef AMONTONS_SYSTEM_GENERATOR_H
#define AMONTONS_SYSTEM_GENERATOR_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/system.h"
#include "system/exact_time.h"

#define AM_GENERATOR_MAX 18

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
/* Size of the blow at t (0 if none): a derivative has one where the function it comes from jumps. */
double am_generator_blow(const am_function *function, double t);

/* All terms of a sum. */
size_t am_functions_size(const am_function *function);
void am_functions_state_at(const am_function *function, am_exact_time now, double *z);
am_exact_time am_functions_break_after(const am_function *function, double t);

/* The integral of the function; blows left aside. */
double am_functions_integral(const am_function *function, double from, double to);

/* By how much the function itself jumps at t. */
double am_functions_jump(const am_function *function, double t);

/* Does it anywhere? A displacement that jumps has no velocity there. */
bool am_functions_have_jumps(const am_function *function);

/* The sum is the same at all times; the value. */
bool am_functions_rest(const am_function *function);

#endif
