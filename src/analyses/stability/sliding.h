/* Steady sliding: the equilibrium of a structure whose contacts slide against moving surfaces, and what it looks like
 * from nearby. See docs/stability.md.
 *
 *     (K + G) q + g(q, 0) = F + sum over contacts of b_c N_c,     b = n + mu t (backward), n - mu t (forward)
 *
 * with n.q + gap0 = 0 for rigid contacts and N = N(d), d = -(n.q + gap0), for compliant ones. */
#ifndef AMONTONS_ANALYSES_STABILITY_SLIDING_H
#define AMONTONS_ANALYSES_STABILITY_SLIDING_H
#include "amontons/system.h"
#include "base/arena.h"

typedef struct am_sliding {
    am_arena memory;
    size_t n, m;
    am_contact_state *state; /* m */
    double *q;               /* n */
    double *normal;          /* m: N */
    double *tangential;      /* m: T; NULL: friction of contacts that slide */
    double *penetration;     /* m: d */
    double *slope, *rate;    /* m: derivatives of N by d and d' at the equilibrium; 0 for rigid, held, open contacts */
    bool known;              /* the equilibrium exists and was asked for (not in stick, not under varying loads) */
    bool loaded;             /* something acts: otherwise q = 0, N = 0, and the preload is left unsaid */
    bool closed;             /* known, and every contact that slides has N > 0 (or nothing acts) */
    bool indeterminate;      /* contacts share their forces: those of some split have N >= 0, this is one of them */
    size_t equilibria;       /* how many were found */
    double fold;             /* the part of the loads at which the branch from no load turns back; NaN: it does not */
    double residual;         /* of the equations above, relative to the largest term */
} am_sliding;

/* `state`: m, or NULL: each contact slides against its surface (one at rest is AM_ERR_INPUT, loads that change are
 * AM_ERR_UNSUPPORTED). Polynomial springs need an equilibrium too, reached by Newton's method from no
 * displacement. AM_ERR_NO_STATE when a law whose stiffness depends on the equilibrium (Hunt-Crossley) has none
 * with N > 0. Linear laws never fail for that: see am_sliding_demand. */
am_status am_sliding_init(am_sliding *sliding, const am_system *system, const am_contact_state *state, am_error *err);

/* The same, with fewer digits lost where contacts are far stiffer than the structure and their law needs to know how
 * far they are pressed in: the solution of am_sliding_init where that is well conditioned, but for rounding. */
am_status am_sliding_init_sharp(am_sliding *sliding, const am_system *system, const am_contact_state *state,
                                am_error *err);

/* Not sliding, but an equilibrium that is known otherwise: q (n), normal and tangential forces (m each). */
am_status am_sliding_init_at(am_sliding *sliding, const am_system *system, const am_contact_state *state,
                             const double *q, const double *normal, const double *tangential, am_error *err);
void am_sliding_clear(am_sliding *sliding);

/* AM_OK where the equilibrium is known and its contacts are pressed together; else AM_ERR_NO_STATE with the reason. */
am_status am_sliding_demand(const am_sliding *sliding, const am_system *system, am_error *err);

/* Normal force of a compliant contact at rest and its derivatives by d and d'; zeros where d < 0. */
double am_sliding_force(const am_contact_def *contact, double d);
double am_sliding_slope(const am_contact_def *contact, double d);
double am_sliding_rate(const am_contact_def *contact, double d);

/* Are loads and given normal forces such that sliding may be steady? And may contacts be in these states (NULL: slide
 * against their surfaces, under such loads)? */
am_status am_sliding_check_loads(const am_system *system, am_error *err);
am_status am_sliding_check_states(const am_system *system, const am_contact_state *state, am_error *err);

#endif
