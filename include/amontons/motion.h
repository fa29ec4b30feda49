/* Analysis `motion`: dynamics with exact switching, for linear structures with mass. See docs/motion.md.
 *
 * Between switches the structure is linear and is propagated by Taylor series to rounding; the first time at which a
 * gap, normal force, sliding velocity or friction reserve turns negative is isolated with a certificate. There is no
 * step size. */
#ifndef AMONTONS_MOTION_H
#define AMONTONS_MOTION_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/model.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_motion_options {
    double from;                /* start time; default 0 */
    double until;               /* end time, > from; required */
    const double *displacement; /* n; NULL: zero */
    const double *velocity;     /* n; NULL: zero */
    bool rest;                  /* start at rest under the loads of `from` instead; the two above must be NULL */
    bool preloaded;             /* the constant loads were put on first, slowly, from a structure without stress: start
                                 * at rest under them alone; the two above must be NULL */
    size_t samples;             /* rows of the table `samples`, evenly spaced in time; default 1001; 0: none */
    size_t max_events;          /* default 1000000 */
    size_t max_spans;           /* pieces of series, about three a period of what moves fastest; default 20000000 */
    bool energy;                /* integrate the energy balance; default true */
    double record_from;         /* tables `events`, `touches`, `samples` begin here; default: at the start */
    double section_interval;    /* > 0: table `section`, a row at section_from + k section_interval */
    double section_from;        /* default 0 */
    double switching_step;      /* > 0: imitate fixed-step switching (am_motion_imitate); the run is not exact */
    size_t switching_bisections;
    int cookie;
} am_motion_options;

AM_API am_motion_options am_motion_options_default(void);

/* Run and fill `result`: tables `events`, `touches`, `samples`, `section`; summary `state_changes`, `finite_changes`,
 * `touches`, `grazes`, `impacts`, `first_lift_off`, `slips`, `slip_interval` (mean, `_min`, `_max`), `exact`,
 * `final_state`, `final_for_good`, `indeterminate_forces`, energies, residuals. Errors: AM_ERR_NO_STATE,
 * AM_ERR_SEVERAL_STATES (message with time, contact, candidates), AM_ERR_UNSUPPORTED (massless directions),
 * AM_ERR_LIMIT, AM_ERR_INTERRUPTED. */
AM_API am_status am_motion_run(const am_system *system, const am_motion_options *options, am_result *result,
                               const am_progress *progress, am_error *err);

/* ---- The engine itself: one object per thread, reused for any number of trajectories of one system. ---- */

typedef struct am_motion am_motion;

typedef enum am_cause {
    AM_CAUSE_LIFT_OFF,   /* normal force vanishes */
    AM_CAUSE_IMPACT,     /* gap closes with approach velocity, or a blow */
    AM_CAUSE_TOUCH_DOWN, /* gap closes without approach velocity */
    AM_CAUSE_SLIP,       /* friction limit reached */
    AM_CAUSE_STOP,       /* sliding velocity vanishes */
    AM_CAUSE_LOAD,       /* a load jumps, or its rate does */
    AM_CAUSE_FOLLOW,     /* changes because another contact switched at the same instant */
    AM_CAUSE_ZENO        /* impacts accumulate; the contact is closed at their limit */
} am_cause;
AM_API const char *am_cause_name(am_cause cause);

typedef enum am_step_kind {
    AM_STEP_END,   /* the time limit was reached */
    AM_STEP_SPAN,  /* an interval without a switch was passed */
    AM_STEP_EVENT, /* a switch: contacts may have changed state */
    AM_STEP_FINAL  /* the present state of contact is proved to last for ever (only with am_motion_seek_final) */
} am_step_kind;

AM_API am_motion *am_motion_create(const am_system *system, bool energy, am_error *err);
AM_API void am_motion_free(am_motion *motion);

/* Put the structure at (t, q, v) and find its state of contact; an impact at t happens here. */
AM_API am_status am_motion_start(am_motion *motion, double t, const double *q, const double *v, am_error *err);

/* Go on by one span or event, not past `until` (finite). Allocates nothing once every state of contact it meets was met
 * before.
 */
AM_API am_status am_motion_step(am_motion *motion, double until, am_step_kind *kind, am_error *err);

/* A motion that would need more than so many spans from its start until `until`, at the pace of the last second, ends
 * with AM_ERR_LIMIT (20 million unless told; SIZE_MAX: it may take as long as it takes). */
AM_API void am_motion_limit(am_motion *motion, size_t most_spans);

/* Ask am_motion_step to look, after every event, for the time from which the present state of contact provably lasts
 * for ever. */
AM_API void am_motion_seek_final(am_motion *motion, bool seek);

/* Imitate a program that integrates with a fixed step, looks at the contacts at the end of every step only, bisects a
 * step in which something has changed sign so many times and switches at the right end of the last bracket. Between
 * switches the motion stays exact. Made to show what inexact switch times do (Vielsack and Kirillowa 1997, section 5);
 * not for contacts with tangential springs, nor together with sensitivities. step = 0: off. Call before
 * am_motion_start. */
AM_API am_status am_motion_imitate(am_motion *motion, double step, size_t bisections, am_error *err);

/* The state that evolves: q, v and the stretch of every tangential spring (in the order of the contacts that have one).
 */
AM_API size_t am_motion_dimension(const am_motion *motion); /* 2n + springs */
AM_API const double *am_motion_state(const am_motion *motion);
/* As am_motion_start, with the stretches given too (am_motion_start begins with relaxed springs). Where static friction
 * is above kinetic, a slider whose spring pulls with exactly the kinetic force and moves on in that direction slips. */
AM_API am_status am_motion_start_state(am_motion *motion, double t, const double *state, am_error *err);

/* Carry the derivative of the present state with respect to the state at the start (loads as they are), exact through
 * every switch: fundamental matrices of the spans, saltation matrices at events, impacts included. To be called before
 * am_motion_start. */
AM_API am_status am_motion_follow_sensitivity(am_motion *motion, bool follow, am_error *err);
AM_API const double *am_motion_sensitivity(am_motion *motion); /* dimension x dimension, row-major */
/* Time derivative of the state just before and just after the present instant (they differ at an event). Nothing
 * before a motion has begun. */
AM_API void am_motion_rates(const am_motion *motion, double *before, double *after);

/* Carry the derivative of the present state with respect to numbers of the model whose system this is (at its present
 * numbers; the start does not depend on them), exact through every switch in the same way. `numbers`: `count` indices;
 * 0: none any more. To be called before am_motion_start; the derivative with respect to the start is followed too. The
 * model must live as long as the motion, and must not be asked for other systems in the meantime. Of structures with mass
 * whose forces are linear between switches, else AM_ERR_UNSUPPORTED. A number that is not zero is varied by some 2^-9 of
 * itself, one that is zero by some 2^-9, to see how matrices depend on it: the derivatives of matrices are good to about
 * 1e-12. */
AM_API am_status am_motion_follow_numbers(am_motion *motion, am_model *model, const size_t *numbers, size_t count,
                                          am_error *err);
/* The derivatives of the state (dimension x count, row-major) and of the time of the event just passed (count); NULL:
 * nobody asks. AM_ERR_UNSUPPORTED, with the reason, where the motion came to something that has none: a number that moves
 * the breaks of a load, contacts that depend on each other, impacts with Poisson's restitution. */
AM_API am_status am_motion_number_slopes(am_motion *motion, double *state, double *event, am_error *err);

AM_API double am_motion_time(const am_motion *motion);
AM_API const double *am_motion_displacement(const am_motion *motion);
AM_API const double *am_motion_velocity(const am_motion *motion);
AM_API const am_contact_state *am_motion_states(const am_motion *motion);
AM_API void am_motion_forces(const am_motion *motion, double *normal, double *tangential); /* m each, or NULL */

/* Displacement, velocity and forces anywhere in the span or event interval just passed: no extra error. Arrays may be
 * NULL. Forces of a motion that has not begun are NAN. */
AM_API double am_motion_span_start(const am_motion *motion);
AM_API void am_motion_at(const am_motion *motion, double t, double *q, double *v, double *normal, double *tangential);
/* And along the second tangents of contacts that have them (m; 0 of others). */
AM_API void am_motion_second_at(const am_motion *motion, double t, double *second);

/* One contact's part in the event just passed. */
typedef struct am_switch {
    size_t contact;
    am_contact_state from;
    am_contact_state during; /* in an impact: the state while the impulse acted */
    am_contact_state to;
    am_cause cause;
    bool together; /* switches with an earlier contact of the same direction: one change, not two */
} am_switch;
AM_API size_t am_motion_switches(const am_motion *motion);
AM_API const am_switch *am_motion_switch(const am_motion *motion, size_t index);
AM_API bool am_motion_had_impact(const am_motion *motion);
AM_API const double *am_motion_velocity_before(const am_motion *motion); /* before the last impact */

typedef struct am_motion_statistics {
    size_t
        implicit_spans; /* of the spans those of stiff motions, followed by an implicit method (Radau IIA, order 23) */
    size_t events, spans, impacts, state_changes, finite_changes, touches, grazes, zeno;
    size_t combinations; /* distinct states of contact met */
    size_t
        unchecked; /* decisions for which several solutions could not be ruled out (too many contacts to enumerate) */
    size_t static_choices;     /* decisions in which static friction allowed several states; the one reached by breaking
                                  loose     was taken (docs/motion.md, section 5) */
    bool indeterminate;        /* contacts shared their forces in a way that the motion does not tell */
    double kinetic, potential; /* now */
    double work_loads, work_surface, loss_friction, loss_damping, loss_impact; /* since the start */
    double work_circulatory;                                                   /* of forces that no potential has */
    double energy_moved;    /* sum of absolute amounts: the scale for the balance */
    double energy_residual; /* |E - E0 - work + losses| / energy_moved */
    double complementarity; /* largest violation of an inequality at events, relative to its scale */
} am_motion_statistics;
AM_API am_motion_statistics am_motion_statistics_get(const am_motion *motion);

/* Many motions of one system at once, on as many threads as `progress` allows; where they end does not depend on it. A
 * motion that fails does not end the others: its row of `ends` is NAN and its status says why. */
typedef struct am_motion_many {
    size_t count;
    const double *starts; /* count x 2n, row-major: displacements, then velocities */
    double from, until;
    size_t max_events; /* of each; 0: 1000000 */
    double *ends;      /* count x 2n */
    size_t *events;    /* count; NULL: nobody asks */
    am_status *status; /* count; NULL: nobody asks */
} am_motion_many;
AM_API am_status am_motion_run_many(const am_system *system, const am_motion_many *many, const am_progress *progress,
                                    am_error *err);

#ifdef __cplusplus
}
#endif
#endif
