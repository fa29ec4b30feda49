/* A path from stretch to stretch: the engine finds the corners, the walk strings them together, keeps the balance of
 * energy and evidence, carries derivatives and lets itself be watched where that is asked for. */
#ifndef AMONTONS_ENGINES_QUASISTATIC_PATH_WALK_H
#define AMONTONS_ENGINES_QUASISTATIC_PATH_WALK_H
#include <stdint.h>

#include "amontons/path.h"
#include "base/arena.h"
#include "engines/quasistatic/quasistatic.h"

/* Energy, and evidence from the definitions alone. */
typedef struct am_path_balance {
    am_arena memory;
    double stored_first, stored;
    double work_loads, work_surface, loss_friction, loss_jump;
    double moved;       /* sum of absolute amounts */
    double residual;    /* largest open balance at a corner, relative to what was moved or stored */
    double equilibrium; /* largest residual of K q = F + contact forces, relative to the largest force */
    double laws;        /* largest violation of a contact law, relative */
    double *slip;       /* m: distance slid by each contact */
    double *loss;       /* m: its part of loss_friction */
    double *work;       /* n: workspace */
} am_path_balance;

am_status am_path_balance_init(am_path_balance *balance, const am_path_engine *engine, am_error *err);
void am_path_balance_clear(am_path_balance *balance);
/* Begin at the engine's present point; sums become zero, evidence is kept. */
void am_path_balance_start(am_path_balance *balance, const am_path_engine *engine);
/* Before the engine leaves its present point for `to`; after it has arrived. */
void am_path_balance_stretch(am_path_balance *balance, const am_path_engine *engine, double to);
void am_path_balance_arrive(am_path_balance *balance, const am_path_engine *engine);
/* A jump from `before` (n) to the engine's present displacements. */
void am_path_balance_jump(am_path_balance *balance, const am_path_engine *engine, const double *before);

/* Derivative of the contacts' tangential positions with respect to those at the start: sticking contacts keep theirs,
 * slipping and open ones follow the others, and a contact that comes to stick does so at a corner whose time depends on
 * the start too. The product over a cycle has the orbit's Floquet multipliers. */
typedef struct am_path_derivative {
    am_arena memory;
    size_t m;
    double *D;           /* m x m: rows of sticking contacts are up to date */
    double *positions;   /* m x m: of all contacts just before the last corner */
    double *corner;      /* m: of the corner's time */
    double *slide;       /* m: sliding velocities just before the corner */
    double *row, *given; /* 2m, n + m */
    bool valid;          /* false after a jump */
} am_path_derivative;

am_status am_path_derivative_init(am_path_derivative *derivative, size_t n, size_t m, am_error *err);
void am_path_derivative_clear(am_path_derivative *derivative);
void am_path_derivative_start(am_path_derivative *derivative);
/* Before the engine leaves its present point for the corner at `to`; after the decision there (`before`: states until
 * then). */
am_status am_path_derivative_leave(am_path_derivative *derivative, am_path_engine *engine, double to, am_error *err);
void am_path_derivative_decide(am_path_derivative *derivative, const am_path_engine *engine,
                               const am_contact_state *before);
/* Of all positions at the engine's present point: m x m. */
am_status am_path_derivative_positions(am_path_derivative *derivative, am_path_engine *engine, double *out,
                                       am_error *err);

/* Who watches a walk. Each function may be NULL; a status other than AM_OK ends the walk. The engine shows its present
 * point in series[0], its states and, inside of `stretch`, every instant up to `to` (am_path_engine_at). */
typedef struct am_path_observer {
    void *of; /* handed to each function */
    am_status (*corner)(void *of, const am_path_engine *engine, const char *cause, am_error *err);
    am_status (*before_jump)(void *of, const am_path_engine *engine, am_error *err); /* after the corner `jump` there */
    void (*load_break)(void *of); /* loads have a corner here and the states go on */
    am_status (*stretch)(void *of, const am_path_engine *engine, double to, am_error *err); /* to: without it */
    void (*cycle_end)(void *of, double length); /* the engine's time goes back by that much */
} am_path_observer;

typedef struct am_path_walk {
    am_arena memory;
    am_path_engine engine;
    am_on_jump on_jump;
    size_t corners, jumps, stalled;
    size_t choices; /* decisions among several states that dynamics made */
    double first_jump;
    uint64_t sequence;        /* fingerprint of the states passed; set it to 0 to begin anew */
    am_contact_state *before; /* m */
    double *origin;           /* n: displacements before a jump */
    /* Optional, borrowed. */
    am_path_balance *balance;
    am_path_derivative *derivative;
    const am_path_observer *observer;
} am_path_walk;

/* What a path has counted of itself. A period that is walked once more, to close or to show it, is no part of the path:
 * leave the count before and take it up again after. Without a balance in between. */
typedef struct am_path_count {
    size_t corners, jumps, choices;
    double first_jump;
    am_path_balance *balance;
} am_path_count;

am_path_count am_path_walk_leave_count(am_path_walk *walk);
void am_path_walk_take_up_count(am_path_walk *walk, am_path_count count);

am_status am_path_walk_init(am_path_walk *walk, const am_system *system, am_on_jump on_jump, am_error *err);
void am_path_walk_clear(am_path_walk *walk);

/* After the engine was placed: the first decision. `start` (m, or NULL) chooses among several. */
am_status am_path_walk_start(am_path_walk *walk, const am_contact_state *start, am_error *err);

/* So many stretches, or steps between breaks of the loads, show the pace of a path: the last ones took it from t -
 * passed to t. AM_ERR_LIMIT when at this pace there will be more of them until the end than minutes allow. */
enum { AM_PATH_MEASURED = 1 << 16 };
am_status am_path_check_pace(size_t done, double passed, double t, double until, am_error *err);

/* Go on to `until`; nothing is decided there. */
am_status am_path_walk_to(am_path_walk *walk, double until, const am_progress *progress, am_error *err);

/* At the end of a cycle: call the present time `t`, an instant with the same loads, and decide how to go on. Every
 * cycle is then computed from the same numbers, and thousands of them do not drift. */
am_status am_path_walk_rewind(am_path_walk *walk, double t, am_error *err);

#endif
