/* Harmonic balance: the equations of a periodic motion q(t) = sum of harmonics of omega, for a system that depends on a
 * parameter p. What `response`, `atlas` and `design` solve and follow. Mathematics in docs/response.md.
 *
 * Unknowns x: one signal (math/trigonometric.h) of degree H for every coordinate of balance - the system's own
 * coordinates, or, when few directions carry all nonlinear forces, those directions, with the linear rest condensed
 * exactly (dynamic Schur complement); then one signal of multipliers per rigid friction contact; then omega when the
 * motion is self-excited; then what control varies (balance_control.c). With `odd` only odd harmonics are kept. Forces of contacts are exact
 * (engines/balance/cell.h).
 *
 * The parameter: a model gives the system for any p. What p does to the numbers of the equations is found out once
 * (system/dependence.h); where they are neither straight nor bent they are read anew at every evaluation. A parameter
 * that only changes the frequency of the loads makes omega the followed quantity. */
#ifndef AMONTONS_ENGINES_BALANCE_BALANCE_H
#define AMONTONS_ENGINES_BALANCE_BALANCE_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/response.h"
#include "amontons/system.h"
#include "math/continuation.h"
#include "system/model.h"

typedef struct am_balance_options {
    size_t degree; /* H >= 1 */
    am_parity parity;
    bool self_excited; /* no load repeats: omega is unknown and the phase is fixed */
    bool free_omega;   /* forced, but omega is the last unknown all the same; the last row of F and J is left zero for
                        * the caller's own condition (the top of a resonance). The system's own frequency of loads is
                        * then only a reference */
    bool whole;        /* nothing is condensed: every coordinate is one of balance */
    const double
        *rest;    /* the state (q, q', stretches, as am_motion_state) in which the structure rested before: sliders
                         * that never slip, or only until they do not any more, recall it. NULL: their springs are
                         * relaxed in the mean */
    double omega; /* forced by loads without a period of their own, or a subharmonic of them; 0: the loads' */
    size_t control_count; /* forced: so many numbers of the model are unknown, too, the last of x, under conditions */
    const am_response_control *controls;
} am_balance_options;

typedef struct am_balance am_balance; /* owns its work space; one per thread */

/* Refuses, with a sentence, what harmonic balance cannot do: rigid unilateral contacts, static friction above kinetic
 * without a spring behind the slider, held normal forces that go negative, loads without a common period, a frequency of zero. [from, to]:
 * where p will be. */
am_balance *am_balance_create(const am_model_line *line, double from, double to, const am_balance_options *options,
                              am_error *err);
void am_balance_free(am_balance *balance);

size_t am_balance_size(const am_balance *balance);        /* of x */
size_t am_balance_degree(const am_balance *balance);      /* H */
size_t am_balance_coordinates(const am_balance *balance); /* n of the system */
size_t am_balance_contacts(const am_balance *balance);
bool am_balance_odd(const am_balance *balance);
/* Contacts whose friction weakens with slip: those that slip have worn down in a periodic motion, and the coefficient
 * after the fall is theirs. */
size_t am_balance_worn(const am_balance *balance);

/* The value in x of one of the numbers that control varies. */
double am_balance_control_value(const am_balance *balance, const double *x, size_t control);
/* What is left, relative, of a condition for a motion of the structure `system` with the frequency omega and the signals
 * (n x (2 H + 1)) of its coordinates: of the motion itself, whatever balance there is. */
am_status am_balance_control_rest(const am_balance *balance, size_t control, const am_system *system, double omega,
                                  const double *signals, size_t H, double *rest, am_error *err);
/* Unknowns of both mean the same from now on. */
void am_balance_copy_control_units(am_balance *balance, const am_balance *from);
double am_balance_control_error(const am_balance *balance, const double *x); /* of its conditions, relative */
/* The model gets these values, of x; NULL: its own back. Systems made of it in between are those of the motion x. */
void am_balance_set_model(const am_balance *balance, const double *x);

/* The equations for am_continuation_*; `context` is the balance. Its `advance` moves the phase condition of
 * self-excited motions along. */
am_continuation_problem am_balance_problem(am_balance *balance);

double am_balance_omega(am_balance *balance, const double *x, double p); /* NAN where there is no system */

/* x from the signals of all n coordinates (n x (2H+1)) and omega (ignored when forced); multipliers are guessed. */
am_status am_balance_pack(am_balance *balance, const double *signals, double omega, double p, double *x, am_error *err);

/* The multipliers of x from signals of all contacts' friction against the slip (m x (2H+1)). */
void am_balance_pack_friction(const am_balance *balance, const double *friction, double *x);

/* The signals of all n coordinates, condensed ones recovered. */
am_status am_balance_unpack(am_balance *balance, const double *x, double p, double *signals, am_error *err);
/* Of them the first harmonic alone; the other coefficients are left as they are. */
am_status am_balance_unpack_first(am_balance *balance, const double *x, double p, double *signals, am_error *err);

/* A start at p: the linear structure with its friction springs stuck (or free), whichever Newton accepts. */
am_status am_balance_start(am_balance *balance, am_continuation *curve, double p, double tolerance, double *x,
                           double *residual, am_error *err);
/* The same along the way from the unloaded structure to the whole load: slower, and past switches that Newton's method
 * does not find by itself. Not where omega is unknown. */
am_status am_balance_start_slowly(am_balance *balance, am_continuation *curve, double p, double tolerance, double *x,
                                  double *residual, am_error *err);

/* Refuses, with a sentence, a range in which a load drives an undamped mode at its own frequency and friction cannot
 * limit it. `parameter`: the name of p; NULL: there is none. */
am_status am_balance_check_bounded(am_balance *balance, const char *parameter, am_error *err);

/* How much the harmonics that were left out move q, relative to its size: by solving again with the next set, H+1 ..
 * 2H (2H+1 when odd); at least what the exact forces' harmonics of that set do to the linear structure. */
am_status am_balance_truncation(am_balance *balance, const double *x, double p, double *truncation, am_error *err);

/* The second of these alone, which costs an evaluation: tells where to measure. */
am_status am_balance_least_truncation(am_balance *balance, const double *x, double p, double *truncation,
                                      am_error *err);

/* Floquet exponents by Hill's method: with q + exp(lambda t) r(t) the balance becomes
 * (D2 lambda^2 + D1 lambda + J) r = 0; of its 2 (unknown signals) exponents the 2 n of smallest |Im| are kept, sorted
 * by falling real part (re, im: 2 n each). Self-excited: the exponent nearest to zero (the trivial one) is moved to the
 * end. r has harmonics up to `harmonics` (SIZE_MAX: all of the motion's).
 * AM_ERR_UNSUPPORTED for condensed systems and rigid friction. */
am_status am_balance_hill(am_balance *balance, const double *x, double p, size_t harmonics, double *re, double *im,
                          am_error *err);

/* A mode of the structure with its contacts as they are at small amplitudes: at rest under its constant loads, friction
 * stuck, springs open or closed. `mode` counts them by frequency, from 0. x (size): the mode with modal amplitude 1,
 * without rest; rest (size): the unknowns at rest; omega; xi, which makes C - xi M take no energy from the mode; the
 * share of the mode that the coordinates of balance have (0: it does not move what carries nonlinear forces). The
 * balance is of self-excited motions, at p. */
am_status am_balance_mode(am_balance *balance, double p, size_t mode, double *x, double *rest, double *omega,
                          double *xi, double *share, am_error *err);

/* The square of the modal amplitude, X^H M X with the complex amplitudes X = a - i b of the first harmonic in all
 * coordinates; its derivatives with respect to x (size) and p. For motions without a load of that harmonic. */
am_status am_balance_modal(am_balance *balance, const double *x, double p, double *square, double *slope, double *by_p,
                           am_error *err);

/* The same motion with the unknowns of a balance of more harmonics: coefficients it did not have are zero. */
void am_balance_refine(const am_balance *balance, const am_balance *finer, const double *x, double *fine);

/* The harmonics that a balance left out, as the linear structure answers to the forces that nothing balances: their size
 * in a motion of that balance with the unknowns of the finer one. */
am_status am_balance_left_over(const am_balance *balance, am_balance *finer, const double *fine, double p,
                               double *missing, am_error *err);

/* The energy that contacts, polynomial springs and dampers take in a period, and the linear damping. */
am_status am_balance_losses(am_balance *balance, const double *x, double p, double *nonlinear, double *damping,
                            am_error *err);

/* What all Floquet exponents add up to (Liouville): minus the mean of trace M^-1 (C + dg/dq'). NAN where forces have a
 * memory, or coordinates are condensed. */
am_status am_balance_divergence(am_balance *balance, const double *x, double p, double *divergence, am_error *err);

/* The index of the motion x at p, (-1)^(multipliers above 1), as the balance has it: the sign of det J. 0 at folds and
 * branch points. */
am_status am_balance_index(am_balance *balance, am_continuation *curve, const double *x, double p, int *index,
                           am_error *err);

/* Is it proved that all motions of the structure approach each other, anywhere between from and to (contraction.c)? */
am_status am_balance_contracts(am_balance *balance, bool *contracts, am_error *err);
/* Is it proved that no disturbance of any motion of the structure grows, at p? */
am_status am_balance_dissipates(am_balance *balance, double p, bool *dissipates, am_error *err);

/* The state at theta = 0 as `motion` has it: q, q', the stretches of springs behind sliders and what laws of friction
 * remember, am_balance_springs of them together. */
size_t am_balance_springs(const am_balance *balance);
am_status am_balance_state(am_balance *balance, const double *x, double p, double *state, am_error *err);

/* What contact `contact` does along the motion: moments in the order of time, forces of its law exact. */
struct am_contact_trace;
am_status am_balance_trace(am_balance *balance, const double *x, double p, size_t contact,
                           struct am_contact_trace *trace, am_error *err);

#endif
