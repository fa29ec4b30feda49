/* Motion of structures without contacts, polynomial springs and dampers included, to rounding. See docs/smooth.md.
 *
 *     M q'' + C q' + (K + circulatory) q + g(q, q') = F(t),      M nonsingular
 *
 * Taylor series of high order; the length of a step follows from the last coefficients. There is no step size and no
 * tolerance to choose. The state is x = (q, q'), 2n numbers. An engine belongs to one thread and is reused for any
 * number of motions; a warm one allocates nothing. */
#ifndef AMONTONS_ENGINES_SMOOTH_SMOOTH_H
#define AMONTONS_ENGINES_SMOOTH_SMOOTH_H
#include "amontons/orbit.h"
#include "amontons/system.h"

typedef struct am_smooth am_smooth;

/* AM_ERR_UNSUPPORTED for contacts and for directions without mass. The system is borrowed. */
am_smooth *am_smooth_create(const am_system *system, am_error *err);
void am_smooth_free(am_smooth *engine);

/* Where is the motion a `duration` after (t0, state)? `derivative` (2n x 2n, row-major; or NULL): of the final state
 * with respect to the first one. Blows at t0 fall, those at the end do not. out may be state. AM_ERR_LIMIT when the
 * motion grows beyond all bounds. */
am_status am_smooth_flow(am_smooth *engine, double t0, const double *state, double duration, double *out,
                         double *derivative, am_error *err);

/* x' at (t, x): 2n. */
void am_smooth_rate(am_smooth *engine, double t, const double *state, double *rate);

/* d(x')/dx at (t, x), row-major 2n x 2n; it does not depend on t. */
void am_smooth_jacobian(am_smooth *engine, const double *state, double *jacobian);

/* ---- step by step ---- */

void am_smooth_start(am_smooth *engine, double t, const double *state, bool derivative);
am_status am_smooth_step(am_smooth *engine, double until, am_error *err); /* one step, not past `until` */
double am_smooth_time(const am_smooth *engine);
const double *am_smooth_state(const am_smooth *engine);
double am_smooth_step_start(const am_smooth *engine); /* of the step just made */
/* The state anywhere in the step just made: no extra error. */
void am_smooth_at(const am_smooth *engine, double t, double *state);
/* Coordinate i (below n: q, else q') over the step just made as a polynomial in s = (t - start)/length on [0, 1]. */
enum { AM_SMOOTH_ORDER = 20, AM_SMOOTH_COEFFICIENTS = AM_SMOOTH_ORDER + 1 };
void am_smooth_polynomial(const am_smooth *engine, size_t i, double coefficients[AM_SMOOTH_COEFFICIENTS]);

/* What happens on the way: extremes of every entry of the state, and the work done. */
typedef struct am_smooth_balance {
    double *least, *largest; /* 2n each; NULL: not wanted */
    double work_loads;       /* done by loads and blows */
    double work_circulatory; /* done by circulatory forces */
    double loss;             /* to C and to the terms of g with velocities in them, net */
    double moved;            /* sum of absolute amounts: the scale of the balance */
    double size;             /* largest state met, in the weights of am_smooth_size with the time scale given */
} am_smooth_balance;

/* The energy balance of the motion over a duration, and its extremes. All are set anew. */
am_status am_smooth_energy_balance(am_smooth *engine, double t0, const double *state, double duration,
                                   double time_scale, am_smooth_balance *balance, am_error *err);

/* Kinetic energy and that stored in K and in the terms of g without velocities. */
double am_smooth_energy(am_smooth *engine, const double *state);

/* Largest of sqrt(M_ii) |q_i| and sqrt(M_ii) time_scale |q'_i|: all parts of a state in one unit. b may be NULL
 * (zero): the size of a - b. */
double am_smooth_size(const am_smooth *engine, const double *a, const double *b, double time_scale);

/* ---- periodic motions ---- */

/* Close a periodic orbit from a guess: state at time `start`. Forced (self_excited false): the period is as given.
 * Self-excited: it is an unknown too, and the motion's phase is that of the guess. Fills *orbit (am_orbit_clear):
 * dimension 2n, no contacts; `loss_damping` is net: a self-excited orbit loses as much as it gains. The period is the
 * least one (self-excited). AM_ERR_LIMIT when Newton's method does not converge, or leads to rest. */
am_status am_smooth_close(am_smooth *engine, double period_guess, bool self_excited, double start,
                          const double *guess_state, am_orbit *orbit, am_error *err);

typedef enum am_verdict { AM_VERDICT_STABLE, AM_VERDICT_UNSTABLE, AM_VERDICT_MARGINAL } am_verdict;

/* Of the orbit the engine closed last: by how much rounding and the closing error may have moved the modulus of its
 * largest multiplier. MARGINAL: the unit circle is within that. */
double am_smooth_uncertainty(const am_smooth *engine);
am_verdict am_smooth_verdict(const am_smooth *engine, const am_orbit *orbit);

#endif
