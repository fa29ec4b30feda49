/* The engine of `path`: quasi-static evolution under piecewise-linear loads, one corner at a time. docs/path.md.
 *
 *   place     the structure in equilibrium at the first instant
 *   decide    solve the rate problem: which combination of contact states goes on from here?
 *   reach     the first time at which an inequality of that combination turns: the next corner
 *   advance   go there; everything is recomputed from the total equations, so that nothing drifts
 *   release   where the rate problem has no solution: let the contact at its limit go
 *
 * Combinations met before are kept, so that a warm engine allocates nothing. */
#ifndef AMONTONS_ANALYSIS_PATH_ENGINE_H
#define AMONTONS_ANALYSIS_PATH_ENGINE_H
#include <stdbool.h>

#include "analysis/candidates.h"
#include "system/system.h"

/* Displacements with contact forces, or the rates of both. */
typedef struct am_path_point {
    double *q;                   /* n */
    double *normal, *tangential; /* m */
} am_path_point;

/* Why the path has come to a corner, contact by contact. */
enum { AM_HIT_GAP = 1, AM_HIT_NORMAL = 2, AM_HIT_FORWARD = 4, AM_HIT_BACKWARD = 8 };

/* What is known of a contact before the rates act. */
typedef struct am_path_standing {
    bool origin;            /* gap and forces are zero */
    bool forward, backward; /* T = -mu N; T = +mu N */
} am_path_standing;

typedef struct am_path_cache {
    am_combination **slots; /* open addressing, NULL: free */
    size_t slot_count;      /* a power of two */
    size_t count, limit;
    am_combination passing; /* used when the limit is reached */
} am_path_cache;

typedef struct am_path_engine {
    const am_system *system;
    size_t n, m;

    double t;
    am_path_point now;    /* at t */
    am_path_point rate;   /* just after t; set by decide */
    double *force, *held; /* n: loads and held normal forces; m: held normal forces. At t */
    double *force_rate, *held_rate;
    am_contact_state *state; /* m */
    double *stuck, *since;   /* m: a sticking contact has t.q = stuck + surface velocity (t - since) */
    unsigned char *hit;      /* m: AM_HIT_ flags of the corner just reached */

    /* Scales of rounding: the largest so far. */
    double *q_scale; /* n */
    double force_scale;
    double continuity; /* largest jump of q where there should be none */

    /* Planned once. */
    double *K; /* n x n */
    am_path_cache cache;

    /* Workspace. */
    am_path_standing *standing;  /* m */
    am_choice *choices;          /* m */
    am_contact_state *trial;     /* m */
    am_path_point point, chosen; /* of the candidate looked at, and of the first one accepted */
    double *z, *z_rate;          /* of the inputs */
    double *right, *given;       /* n, 2m: right-hand sides */
    double *lambda;              /* 2m */
    double *q_size;              /* n: size of the terms that were added to a displacement */
    double force_size;           /* the same for forces */
    double *reference;           /* n: displacements a step starts from */
    double *memory;              /* of all doubles above */
} am_path_engine;

am_status am_path_engine_init(am_path_engine *engine, const am_system *system, am_error *err);
void am_path_engine_clear(am_path_engine *engine);

/* Equilibrium at t of a structure whose contacts stand at q. Stays at q if that is an equilibrium. `start` (m, or NULL)
 * chooses when several are possible. */
am_status am_path_engine_place(am_path_engine *engine, double t, const double *q, const am_contact_state *start,
                               am_error *err);

/* Solve the rate problem. *found: a combination goes on (state, rate are set); otherwise there is none. With `start`
 * that combination must be admissible, and is taken. AM_ERR_SEVERAL_STATES when several go on differently. */
am_status am_path_engine_decide(am_path_engine *engine, const am_contact_state *start, bool *found, am_error *err);

/* The next corner, not after `limit`; notes the inequalities that turn there in `hit`. */
double am_path_engine_reach(am_path_engine *engine, double limit);

/* Go to t in the present combination. */
am_status am_path_engine_advance(am_path_engine *engine, double t, am_error *err);

/* After decide found nothing: open the contact at its limit and jump to the equilibrium without it. */
am_status am_path_engine_release(am_path_engine *engine, am_error *err);

/* The error for a path that cannot go on and must not jump. */
am_status am_path_engine_no_state(const am_path_engine *engine, am_error *err);

/* The largest jump of displacements between combinations that should agree, relative to their scale. */
double am_path_engine_continuity(const am_path_engine *engine);

double am_path_engine_gap(const am_path_engine *engine, size_t contact, const double *q);

#endif
