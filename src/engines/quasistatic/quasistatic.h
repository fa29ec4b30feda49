/* The engine of `path`: quasi-static evolution, one corner at a time. docs/path.md.
 *
 *   place     the structure in equilibrium at the first instant                                  first_equilibrium.c
 *   decide    solve the rate problem: which combination of contact states goes on from here?     rate_problem.c
 *   corner    the first time at which an inequality of that combination turns                    corner.c
 *   advance   go there; everything is recomputed from the total equations, so that nothing drifts
 *   jump      where the rate problem has no solution: let go, or let the structure move          jump.c
 *
 * In a combination of states displacements and forces follow the loads linearly. Loads are series in time (two terms
 * between the breaks of ramps and tables, as many as rounding can see for sines and pulses), and so is everything
 * else. Combinations met before are kept, so that a warm engine allocates nothing. */
#ifndef AMONTONS_ENGINES_QUASISTATIC_QUASISTATIC_H
#define AMONTONS_ENGINES_QUASISTATIC_QUASISTATIC_H
#include <stdbool.h>

#include "base/arena.h"
#include "engines/quasistatic/candidates.h"
#include "math/bernstein.h"
#include "system/split.h"
#include "system/system.h"

/* A value below this fraction of its scale is zero but for rounding. */
#define AM_PATH_SAME_VALUE 1e-12

/* The same for rates, of which candidates are judged: one digit more for the cancellation in near-singular
 * combinations. */
#define AM_PATH_SAME_RATE 1e-11

/* Displacements with contact forces, or a Taylor coefficient of both. */
typedef struct am_path_point {
    double *q;                   /* n */
    double *normal, *tangential; /* m */
} am_path_point;

/* Why the path has come to a corner, contact by contact. */
enum { AM_HIT_GAP = 1, AM_HIT_NORMAL = 2, AM_HIT_FORWARD = 4, AM_HIT_BACKWARD = 8, AM_HIT_STOP = 16 };

/* What is known of a contact before the rates act. */
typedef struct am_path_standing {
    bool origin;            /* gap and forces are zero */
    bool forward, backward; /* T = -mu N; T = +mu N */
} am_path_standing;

/* Is the rate problem of contacts that are all pressed known to have one solution? (am_uniqueness_test) */
typedef enum am_path_unique { AM_PATH_NOT_ASKED, AM_PATH_PROVEN, AM_PATH_NOT_PROVEN } am_path_unique;

/* The algebra of a combination, with the largest row sums of its blocks: bounds of the terms that anything is added up
 * from. */
typedef struct am_path_plan {
    am_arena memory;
    am_combination k;
    double Y, Yc, L, Lc;
    am_path_unique unique; /* while the same contacts are open */
    /* Contacts that depend on each other (shared.h); NULL where there are none. */
    am_split *split;     /* how they may share their forces */
    am_split *rates;     /* the same for rates, where only the limits in `binding` count */
    am_binding *binding; /* m */
    bool *idle;          /* m: slips or is open, but others hold it at rest */
    bool clamps; /* one slips at rest that others hold and that would clamp them: taken where nothing else fits */
} am_path_plan;

typedef struct am_path_cache {
    am_path_plan **slots; /* open addressing, NULL: free */
    size_t slot_count;    /* a power of two */
    size_t count, limit;
    am_path_plan passing; /* used when the limit is reached */
} am_path_cache;

typedef struct am_path_engine {
    am_arena memory; /* of all arrays */
    const am_system *system;
    size_t n, m;

    double t;
    size_t orders;                         /* Taylor coefficients in use: 2 while all loads are linear */
    am_path_point series[AM_COEFFICIENTS]; /* of the present combination; [0] is the point at t, [1] the rates */
    double *force[AM_COEFFICIENTS];        /* n: series of loads and held normal forces */
    double *held[AM_COEFFICIENTS];         /* m: series of held normal forces */
    am_contact_state *state;               /* m */
    am_path_plan *present;                 /* its algebra; may be that of another one when the cache is full */
    bool indeterminate;                    /* contacts shared their forces in a way that the path does not tell */
    size_t spent;                          /* the facet of it that the last corner is at; AM_NO_ROW: none */
    double *stuck, *since;                 /* m: a sticking contact has t.q = stuck + surface velocity (t - since) */
    unsigned char *hit;                    /* m: AM_HIT_ flags of the corner just reached */

    /* Scales of rounding: the largest so far. */
    double *q_scale; /* n */
    double force_scale;
    double continuity; /* largest jump of q where there should be none */

    /* Evidence. */
    am_path_unique unique;
    bool *apart;      /* m: the contacts that were open when that was asked */
    size_t unchecked; /* decisions found by pivoting whose uniqueness was not examined */

    /* While all loads are linear: where they last had a break, their values there, and the next break. */
    double base_t, base_end;
    double *base_force, *base_held; /* n, m */

    /* Planned once. */
    double *K;                        /* n x n */
    double *tangent_sum, *normal_sum; /* m: sums of the entries of tangent and normal, absolute */
    bool evidence;                    /* compare combinations where they should agree */
    double fastest; /* highest frequency of the loads, radians per time; 0: all are linear between breaks */
    am_path_cache cache;

    /* Workspace. */
    am_path_standing *standing;     /* m */
    am_choice *choices;             /* m */
    am_contact_state *trial, *best; /* m */
    bool *origin;                   /* m: contacts at their origin */
    /* Series of the candidate looked at, and of the first one accepted; for candidates [0] is not used. */
    am_path_point candidate[AM_COEFFICIENTS], chosen[AM_COEFFICIENTS];
    am_path_plan *tried;                /* the candidate's algebra */
    bool chosen_shares;                 /* some forces of the first one accepted depend on how they are shared */
    size_t solved;                      /* orders of `candidate` that are known: 1 .. solved - 1 */
    size_t measured;                    /* orders of `tried` whose sizes are known */
    double *q_size[AM_COEFFICIENTS];    /* n: size of the terms that were added up to a coefficient of q */
    double force_size[AM_COEFFICIENTS]; /* the same for forces */
    double
        *load_size[AM_COEFFICIENTS]; /* n: size of the coefficient of the loads, their phases left aside; from 1 on */
    double right_bound[AM_COEFFICIENTS], given_bound[AM_COEFFICIENTS]; /* of loads and of moving surfaces; from 1 on */
    double *z;                                                         /* AM_COEFFICIENTS x nz: series of the inputs */
    double *right, *right_size, *given;                                /* n, n, 2m: right-hand sides */
    double *lambda;                                                    /* 2m */
    double *reference;                                                 /* n: displacements a step starts from */
} am_path_engine;

am_status am_path_engine_init(am_path_engine *engine, const am_system *system, am_error *err);
void am_path_engine_clear(am_path_engine *engine);

/* Equilibrium at t of a structure whose contacts stand at q. Stays at q if that is an equilibrium. `start` (m, or NULL)
 * chooses when several are possible. */
am_status am_path_engine_place(am_path_engine *engine, double t, const double *q, const am_contact_state *start,
                               am_error *err);

/* Equilibrium at t with all contacts closed and stuck at the tangential positions v (m); refused if that violates a
 * contact law (AM_ERR_INPUT, err->field "start"). */
am_status am_path_engine_place_at(am_path_engine *engine, double t, const double *v, am_error *err);

/* Solve the rate problem. *found: a combination goes on (state, series are set); otherwise there is none. With `start`
 * that combination must be admissible, and is taken. AM_ERR_SEVERAL_STATES when several go on differently. */
am_status am_path_engine_decide(am_path_engine *engine, const am_contact_state *start, bool *found, am_error *err);

/* The same, taking the one of several whose rates of q (n) are the given ones, within a hundredth of their size. */
am_status am_path_engine_decide_like(am_path_engine *engine, const double *rates, bool *found, am_error *err);

/* The next corner or the end of what the series can tell, not after `limit`; notes the inequalities that turn there in
 * `hit` (none: no decision is due). */
double am_path_engine_next_corner(am_path_engine *engine, double limit, bool *corner);

/* Go to t in the present combination. A decision, or `expand`, must follow. */
am_status am_path_engine_advance(am_path_engine *engine, double t, am_error *err);

/* The series of the present combination at the present time, where no decision is due. */
am_status am_path_engine_expand(am_path_engine *engine, am_error *err);

/* After decide found nothing: open the contact at its limit and jump to the equilibrium without it. */
am_status am_path_engine_release(am_path_engine *engine, am_error *err);

/* The same: let the structure move under the loads of this instant, with its own mass and damping or, where it has not
 * both, overdamped, until it rests; settle there. */
am_status am_path_engine_move(am_path_engine *engine, am_error *err);

/* After decide found several: let the structure move under loads that are a nudge further on, and take the candidate
 * that moves as it did. *jumped: none does, and the structure has settled at another equilibrium. */
am_status am_path_engine_choose(am_path_engine *engine, bool *jumped, am_error *err);

/* The error for a path that cannot go on and must not jump. */
am_status am_path_engine_no_state(const am_path_engine *engine, am_error *err);

/* The largest jump of displacements between combinations that should agree, relative to their scale. */
double am_path_engine_continuity(const am_path_engine *engine);

double am_path_engine_gap(const am_path_engine *engine, size_t contact, const double *q);

/* Value of the series at t, into `point`. */
void am_path_engine_at(const am_path_engine *engine, double t, am_path_point *point);

/* ---- shared by the files of the engine ---- */

/* The algebra of a combination. Borrowed until the next call. */
am_status am_path_combination(am_path_engine *engine, const am_contact_state *state, am_path_plan **found,
                              am_error *err);
am_status am_path_cache_init(am_path_cache *cache, size_t n, size_t m, am_error *err);
void am_path_cache_clear(am_path_cache *cache);

/* Series of the loads at t. */
void am_path_load(am_path_engine *engine, double t);

/* Total equations at the present time. Sticking contacts stand where the reference displacements put them, or, without
 * reference, where they stuck (and the surface has carried them). */
void am_path_solve_total(am_path_engine *engine, const am_combination *k, const double *reference,
                         am_path_point *point);

/* Make the coefficients 1 .. order of the candidate `tried` known. */
void am_path_solve_orders(am_path_engine *engine, size_t order);

/* Make the sizes (q_size, force_size) of orders 1 .. order of `tried` known. */
void am_path_measure_orders(am_path_engine *engine, size_t order);

/* Bounds of those sizes that cost nothing: of forces, and of a row of q whose entries add up to `sum`. */
double am_path_force_bound(const am_path_engine *engine, size_t order);
double am_path_row_bound(const am_path_engine *engine, size_t order, double sum);

/* The next break of the loads after the present time. */
double am_path_next_break(const am_path_engine *engine);

void am_path_note_scales(am_path_engine *engine, const am_path_point *point);
/* After am_path_solve_total of an accepted combination: sizes of the terms that displacements were added up from. A
 * coordinate at rest is zero by cancellation, and only they tell how large its rounding is. */
void am_path_note_terms(am_path_engine *engine, const am_combination *k);
void am_path_copy(const am_path_engine *engine, am_path_point *to, const am_path_point *from);

/* mu N + sign T: distance to the limit of forward (+) or backward (-) slip. */
static inline double am_path_reserve(const am_path_engine *engine, const am_path_point *point, size_t contact,
                                     double sign) {
    return engine->system->contact[contact].friction * point->normal[contact] + sign * point->tangential[contact];
}

/* Coefficient `order`, 1 or more, of how far the surface of a contact moves from the present point on; its size. */
double am_path_surface(const am_path_engine *engine, size_t contact, size_t order);
double am_path_surface_size(const am_path_engine *engine, size_t contact, size_t order);

/* Coefficient `order` of the gap of a contact at q = 0; its size. */
double am_path_gap(const am_path_engine *engine, size_t contact, size_t order);
double am_path_gap_size(const am_path_engine *engine, size_t contact, size_t order);

/* Sliding velocity in the direction of slip, as coefficient `order` (from 1) of the contact's position times sign. */
double am_path_slide(const am_path_engine *engine, const am_path_point *point, size_t contact, size_t order,
                     double sign);

/* Coefficient `order` of what vanishes at a corner of this kind (AM_HIT_); `sign` as above. */
static inline double am_path_quantity(const am_path_engine *engine, const am_path_point *point, size_t contact,
                                      unsigned char what, size_t order, double sign) {
    return what & AM_HIT_GAP ? am_dense_dot(engine->system->contact[contact].normal, point->q, engine->n) +
                                   am_path_gap(engine, contact, order)
           : what & AM_HIT_NORMAL   ? point->normal[contact]
           : what & AM_HIT_FORWARD  ? am_path_reserve(engine, point, contact, 1.0)
           : what & AM_HIT_BACKWARD ? am_path_reserve(engine, point, contact, -1.0)
                                    : am_path_slide(engine, point, contact, order, sign);
}

bool am_path_held(const am_path_engine *engine, size_t contact);
double am_path_gap_tolerance(const am_path_engine *engine, size_t contact);
double am_path_largest(const double *x, size_t n);
double am_path_size(const double *a, const double *x, size_t n); /* sum of |a x| */
double am_path_distance(const double *x, const double *y, size_t n, double *scale);

/* Do displacements and, unless they are left out, forces agree within `tolerance` of their size, which is at least
 * this? */
bool am_path_same_point(const am_path_engine *engine, const am_path_point *point, const am_path_point *other,
                        bool forces, double tolerance, double least_q, double least_force);

/* ---- which combination passes a test? (combination_search.c) ----
 *
 * The search is the same for rates and for finite steps; what differs is how a combination is solved, what a contact
 * should do instead, and which of several solutions is preferred. */

typedef struct am_path_test {
    void (*solve)(am_path_engine *engine); /* combination e->tried, which is not singular */
    /* The state contact c should be in; that of e->tried if it keeps all its inequalities. */
    am_contact_state (*better)(am_path_engine *engine, size_t contact);
    bool (*preferred)(const am_path_engine *engine); /* the states, or the displacements, stay as they are */
    bool (*same)(am_path_engine *engine);            /* as the candidate chosen so far */
    void (*choose)(am_path_engine *engine);          /* this one */
} am_path_test;

/* Does combination e->trial pass? */
am_status am_path_try(am_path_engine *engine, const am_path_test *test, bool *passes, am_error *err);

/* Does combination number `index` of e->choices, which becomes e->trial? */
am_status am_path_try_index(am_path_engine *engine, const am_path_test *test, size_t index, bool *passes,
                            am_error *err);

/* Of all `total` combinations that pass, into e->trial and the test's choice: the wanted one (m, or NULL; rank 3), one
 * that is preferred (2, with `prefer`), the first in order (1). Clamping in disguise is looked at where nothing else
 * fits. *rank 0: none passes; *differ: several do that are not the same. */
typedef enum am_path_rank { AM_PATH_NONE, AM_PATH_FIRST, AM_PATH_PREFERRED, AM_PATH_WANTED } am_path_rank;
am_status am_path_enumerate(am_path_engine *engine, const am_path_test *test, size_t total,
                            const am_contact_state *wanted, bool prefer, am_path_rank *rank, bool *differ,
                            am_error *err);

/* Murty's rule: from e->trial on, the first contact that breaks an inequality changes its state, until none does. Ends
 * at the solution for P-matrices; elsewhere it may run in circles, and is given up. `fixed` contacts (m, or NULL) keep
 * their states: *found then says that all others are satisfied, and *satisfied that these are too. */
am_status am_path_pivot(am_path_engine *engine, const am_path_test *test, const bool *fixed, bool *found,
                        bool *satisfied, am_error *err);

/* The failure "at t = 1 `what`: stick,stick+backward,stick", with the names of all of `total` combinations that pass.
 */
am_status am_path_fail_with_names(am_path_engine *engine, const am_path_test *test, size_t total, am_status failure,
                                  const char *what, am_error *err);

/* ---- one finite step to an equilibrium (first_equilibrium.c): the first instant and jumps ---- */

/* Find the one equilibrium among e->choices, from the displacements e->reference. `wanted` (m, or NULL) is taken first
 * if it is admissible; else, when `stay`, one that does not move. AM_ERR_SEVERAL_STATES with their names otherwise. */
am_status am_path_step(am_path_engine *engine, const am_contact_state *wanted, bool stay, bool *found, am_error *err);

void am_path_allow_all(const am_path_engine *engine, size_t contact);

/* ---- contacts whose directions depend on each other (shared.c) ---- */

/* Of a plan whose combination was made: solve it where rows depend on each other, find how forces may be shared and
 * which contacts rest because others do. */
am_status am_path_plan_share(am_path_plan *plan, const am_path_engine *engine, am_error *err);
void am_path_plan_clear(am_path_plan *plan);

/* The facet's value at a point, or its coefficient; and how large the rounding of forces of size 1 makes it. */
double am_path_facet(const am_split *split, const am_facet *facet, const am_path_point *point);
double am_path_facet_size(const am_split *split, const am_facet *facet);

/* The AM_HIT_ flag of a limit that is spent. */
unsigned char am_path_hit_of(am_limit_kind kind);

/* The state that a spent facet asks a contact for: stick where it has no part in it. */
am_contact_state am_path_state_after(const am_facet *facet, size_t contact);

/* Make the split of e->tried for rates known: only limits that contacts stand at count (e->standing). */
am_status am_path_bind(am_path_engine *engine, am_error *err);

/* Do contacts that stick together stand on surfaces that move apart? */
bool am_path_surfaces_contradict(const am_path_engine *engine, const am_combination *combination);

/* The forces of the present combination at a point, as they are shown: those of an admissible split. */
void am_path_share_point(const am_path_engine *engine, am_path_point *point);

#endif
