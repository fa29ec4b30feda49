/* The engine of `march`: a structure as first-order equations for a given state of every contact, the switching
 * quantities that bound that state, and two ways to step. One engine per trajectory. */
#ifndef AMONTONS_ENGINES_MARCHING_MARCHING_H
#define AMONTONS_ENGINES_MARCHING_MARCHING_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/march.h"
#include "amontons/motion.h"
#include "base/local.h"
#include "math/integrator.h"
#include "system/system.h"

/* Two quantities bound the normal state of a contact, two its friction, and one the piece of its law. */
enum { AM_MARCH_SLOTS = 5, AM_MARCH_CORNER = 4 };

/* Polynomials through this many points of a step stand for a switching quantity. */
enum { AM_MARCH_NODES = AM_INTEGRATOR_DEGREE + 1 };

typedef struct am_march_switch {
    size_t contact;
    am_contact_state from, to;
    am_cause cause;
    double approach; /* closing: rate of penetration */
} am_march_switch;

typedef enum am_march_pending { AM_MARCH_NOTHING, AM_MARCH_SWITCH, AM_MARCH_BREAK } am_march_pending;

typedef struct am_march_statistics {
    size_t steps, events, touches, rates;
} am_march_statistics;

/* What stick means at a contact. */
typedef enum am_march_kind {
    AM_MARCH_HELD_FAST,   /* a constraint: Coulomb's law itself */
    AM_MARCH_REGULARISED, /* steep friction */
    AM_MARCH_SPRING,      /* the slider rests, and the spring before it stretches */
    AM_MARCH_PLANE,       /* the same with two tangents: two stretches, in y one after the other */
    AM_MARCH_DRAG         /* there is none (laws without stick) */
} am_march_kind;

/* Internal variables that a contact has at most. */
enum { AM_MARCH_INNER = 2 };

/* Friction T of a contact in its present state with the sliding velocity s, the normal force N and its internal variables
 * w; and w'. With their slopes. */
typedef struct am_march_friction {
    double force, by_slide, by_normal, by_inner[AM_MARCH_INNER];
    double rate[AM_MARCH_INNER], rate_by_slide[AM_MARCH_INNER], rate_by_normal[AM_MARCH_INNER];
    double rate_by_inner[AM_MARCH_INNER][AM_MARCH_INNER];
} am_march_friction;

typedef struct am_march {
    am_arena memory;
    const am_system *system;
    am_march_method method;
    size_t n, m;
    size_t size;         /* of y: 2n, and what moves inside of contacts */
    am_march_kind *kind; /* m */
    size_t *inner;  /* m: where in y its internal variables stand: the stretch of the spring behind its slider, what
                          * its law remembers, the distance slid; 0: it has none */
    size_t *inners; /* m: how many */
    double *corner; /* m: the distance slid at which its weakening friction bends next; behind a spring the sliding
                          * velocity at which its law of the speed does; adaptive steps end there */
    double *corner_below; /* m: and at which that law bends below the present velocity */
    bool *constant;       /* m: the coefficient of friction does not vary, and nothing moves inside of the contact */
    bool *forward_only;   /* m: its law without stick has no value at negative speeds, not even close to zero */
    bool *leaps;          /* m: the same behind a spring, where the speed of its slider leaps with the stretch's sign */
    const double *stretch; /* of springs behind sliders at the start, in the order of contacts, and then what friction
                            * remembers; NULL: relaxed; borrowed */
    double tolerance, step, start;

    bool *light;   /* n: a coordinate without mass */
    size_t lights; /* how many there are */
    double pace;   /* the fastest rate of the structure without them */
    double duration;
    double *settling; /* n: its velocity when it has given way to its forces, over the acceleration that they give it */
    double *reach;    /* n: of one that springs determine: the size of its velocity, over its own; 0: of all others */

    /* The structure, solved for accelerations: q'' = Aq q + Av v + Bz z + sum of Bn N + Bt T. */
    double *M, *C, *K, *A; /* n x n; with what coordinates without mass are given; A: circulatory, NULL: none */
    double *Aq, *Av;       /* n x n */
    double *Bz;            /* n x nz */
    double *Bn, *Bt;       /* m x n: M^-1 n_c, M^-1 t_c as rows */
    double *Bs;            /* m x n: of second tangents; NULL: there are none */
    double *W;             /* m x m: t_a M^-1 t_b */
    double *hold_rate;     /* m x nz: of given normal forces */
    double *inverse;       /* n x n: M^-1; with the next three NULL where there are no polynomial springs */
    double *g, *gq, *gv;   /* n, n x n, n x n: their forces -g and the derivatives of g, at the point last asked for */

    /* The present state. */
    double t, *y; /* y: q, v, internal variables */
    am_contact_state *state;
    bool *overlap; /* m: open although the surfaces overlap: they part faster than the contact recovers */
    bool *armed;   /* m x slots: the quantity has left zero since the contact came into its state */
    size_t sticks;
    size_t *stick;  /* the contacts that stick, exactly */
    double *factor; /* sticks x sticks, of the tangents divided by their units */
    double *unit;   /* m: of the tangents among those that stick */
    bool shared;    /* some of them cannot slide independently of each other */
    int *pivot;
    double last_moment; /* times are looked at no later than this: just before the next break of the loads */

    /* The span just passed. */
    am_march_pending pending; /* what ends it */
    bool restart;             /* the integrator has to begin again */
    bool hop;                 /* the span is no longer than rounding of time: nothing moves in it */
    double span_start;
    am_contact_state *span_state;
    double *span_y; /* size, at its start; fixed step */
    size_t switches;
    am_march_switch *change; /* m */
    bool blown;
    double *before; /* n: velocities before a blow */

    double relaxed; /* energy that springs behind sliders have lost in jumps of their stretch */

    double *scale; /* size: the largest value of each quantity so far */
    double *force; /* m: the largest friction limit so far */
    am_march_statistics statistics;

    /* Work. */
    double *z, *rate, *normal, *tangential, *drive, *row; /* nz, size, m, m, m, n */
    double *second;                                       /* m: friction along second tangents; NULL: there are none */
    double *nodes;                                        /* size x AM_MARCH_NODES */
    double *value;                                        /* m x slots x AM_MARCH_NODES */
    double to_bernstein[AM_MARCH_NODES * AM_MARCH_NODES];
    double node_at[AM_MARCH_NODES];
    bool *rest; /* m: no sliding, or none that can be told from zero */
    bool *hit;  /* m x slots: quantities that have just turned negative */
    int *wish;  /* m: direction in which a contact has begun to slip */
    am_contact_state *trial;
    double *square; /* (n + m) x (n + m) */
    int *order;     /* n + m */
    double *side;   /* n + m */
    am_integrator *integrator;
    double *acceleration;               /* n: at the end of a fixed step */
    double *inner_rate;                 /* size: rates of internal variables at the start of a fixed step */
    struct am_march_impulses *impulses; /* Moreau-Jean's method only */
} am_march;

/* ---- marching_plan.c ---- */
/* What a method refuses of a structure. */
am_status am_march_check_system(const am_system *system, am_march_method method, am_error *err);
am_march *am_march_create(const am_system *system, const am_march_options *options, am_error *err);
void am_march_free(am_march *march);
AM_LOCAL_POINTER(am_march, am_march_free)

/* ---- massless.c ---- */

/* Which coordinates have no mass, and whether something else says how they move. */
am_status am_march_take_massless(am_march *march, am_error *err);
/* For accelerations: next to no mass, and where springs determine a coordinate next to no damping. */
void am_march_give_inertia(am_march *march);

/* ---- marching_law.c: forces, rates, quantities ---- */

/* Penetration, its rate, and the rate of that; of supports that move with the inputs march->z. */
double am_march_depth(const am_march *march, size_t contact, const double *q);
double am_march_approach(const am_march *march, size_t contact, const double *v);
double am_march_pressing(const am_march *march, size_t contact, const double *a);
double am_march_slide(const am_march *march, size_t contact, const double *v);
/* Its rate, with the accelerations in `rate`. */
double am_march_slide_rate(const am_march *march, size_t contact, const double *rate);
/* Along the second tangent of a contact that slips in a plane; 0 for others. */
double am_march_slide_across(const am_march *march, size_t contact, const double *v);
bool am_march_has_plane(const am_march *march, size_t contact);
/* What must be positive, besides the penetration, for a compliant contact to push (a length, or a number). */
double am_march_push(const am_march *march, size_t contact, const double *y);
/* Normal force of a closed contact by its law, smooth through zero; with its derivatives if wanted. */
double am_march_normal(const am_march *march, size_t contact, const double *y, double *by_depth, double *by_rate);
/* Energy stored in the compliance of a closed contact. */
double am_march_stored(const am_march *march, size_t contact, const double *y);

/* Choose the contacts that stick in `march->state`; and factor their matrix. */
void am_march_list_sticks(am_march *march);
am_status am_march_prepare(am_march *march, am_error *err);

/* x (sticks) becomes the forces that balance it. */
void am_march_solve_sticks(am_march *march, double *x);

/* Forces of the polynomial springs at y into march->g, and their derivatives into gq and gv. */
void am_march_springs(am_march *march, const double *y, bool derivatives);
/* Energy stored in their terms without velocities, and power lost in the others. */
double am_march_springs_stored(const am_march *march, const double *y);
double am_march_springs_lost(const am_march *march, const double *y);

/* rate (size) of y at t in the present state of contact; also leaves the forces in march->normal, march->tangential. */
void am_march_rate(am_march *march, double t, const double *y, double *rate);

/* Value of a switching quantity in the present state, after am_march_rate if the contact sticks; false: there is none.
 */
bool am_march_quantity(const am_march *march, size_t contact, size_t slot, const double *y, double *value);
/* What counts as zero for it. */
double am_march_noise(const am_march *march, size_t contact, size_t slot);

/* ---- friction.c: friction, and what moves inside of contacts ---- */

/* Kinds of contacts, and where in y what moves inside of them stands. */
void am_march_plan_friction(am_march *march);
/* Internal variables of y at the start: of a contact that was never loaded, or in steady sliding. */
void am_march_start_inner(am_march *march, bool steady);

/* Where in y the distance stands that a contact with friction that weakens has slid. */
size_t am_march_slid(const am_march *march, size_t contact);
/* What corners of the law are measured along: the distance slid, or the sliding velocity. False: it has none. */
bool am_march_bends_along(const am_march *march, size_t contact, const double *y, double *value);
/* The corners around the present place; the contact has just passed one (`passed`), or could be anywhere. */
void am_march_find_corners(am_march *march, size_t contact, bool passed);
/* Friction does something, stick or not. */
bool am_march_rubs(const am_march *march, size_t contact);
/* Does friction have to be found so that the contact does not slide? */
bool am_march_is_fast(const am_march *march, size_t contact);
/* A normal force that is hardly more than nothing. */
double am_march_least_normal(const am_march *march, size_t contact);
/* The coefficient of friction: up to which a contact sticks, or with which it slips. */
double am_march_coefficient(const am_march *march, size_t contact, bool sticks, const double *y);
/* `inner`: its internal variables, as many as it has. */
am_march_friction am_march_friction_at(const am_march *march, size_t contact, double slide, double normal,
                                       const double *inner);
/* The same at the end of a step h that began with the internal variables `from` and their rates, by the trapezoidal
 * rule: `inner` becomes their values there, and slopes are those of the whole step. */
am_march_friction am_march_friction_ahead(const am_march *march, size_t contact, double h, double slide, double normal,
                                          const double *from, const double *from_rate, double *inner);
/* N' with the accelerations in `rate`. */
double am_march_normal_rate(const am_march *march, size_t contact, const double *y, const double *rate);
/* The velocity of a slider behind a spring, towards `sign`, if it slips that way, out of stick or not; with the
 * accelerations in `rate`. */
double am_march_own_velocity(const am_march *march, size_t contact, double sign, bool sticks, const double *y,
                             const double *rate);
/* Friction that weakens: by how much faster the spring before a slider relaxes than friction falls, 1 + mu' N/k. Below
 * zero the slider jumps. */
double am_march_relaxation(const am_march *march, size_t contact, double normal, const double *y);
/* The stretch jumps: what its spring loses is counted. */
void am_march_set_stretch(am_march *march, size_t contact, double stretch);
/* A contact opens: springs relax, and deflections are forgotten. */
void am_march_forget(am_march *march, size_t contact);

/* ---- plane.c: sliders behind springs in a plane ---- */

/* |e|. */
double am_march_plane_length(const am_march *march, size_t contact, const double *y);
/* The rates of its stretches, in `rate`, whose accelerations are known. */
void am_march_plane_rate(const am_march *march, size_t contact, const double *y, double *rate);
/* The speed of the slider along e, if it slips. */
double am_march_plane_speed(const am_march *march, size_t contact, const double *y, const double *rate);
bool am_march_plane_quantity(const am_march *march, size_t contact, size_t slot, const double *y, double *value);
/* |e| jumps: what the springs lose is counted. */
void am_march_plane_stretch(am_march *march, size_t contact, double length);
void am_march_plane_jacobian(const am_march *march, size_t contact, const double *y, double *J);

/* ---- contact_states.c ---- */

/* Decide every contact's state at (t, y): quantities that were `hit` have turned negative, all contacts are looked at
 * again. fresh: nothing is known of what was before. */
am_status am_march_decide(am_march *march, bool fresh, am_cause cause, am_error *err);
void am_march_describe(const am_march *march, const am_contact_state *state, char *text, size_t size);

/* ---- stepping ---- */
/* y: 2n. steady: internal variables are those of steady sliding; otherwise of contacts that were never loaded. */
am_status am_march_start(am_march *march, double t, const double *y, bool steady, am_error *err);
/* Go on to the end of a span; then, when all that is wanted of the span was taken, pass what ends it. */
am_status am_march_step(am_march *march, double until, am_error *err);
am_status am_march_settle(am_march *march, am_error *err);
/* y (size) anywhere in the span just passed. */
void am_march_at(const am_march *march, double t, double *y);

am_status am_march_step_adaptive(am_march *march, double until, am_error *err);
am_status am_march_step_newmark(am_march *march, double until, am_error *err);
/* End of the next fixed step: a multiple of the step, which adding it up would lose to rounding. */
double am_march_step_end(const am_march *march, double until);
/* Blows in (march->t, end] fall at its beginning. */
am_status am_march_blow_within(am_march *march, double end, am_error *err);

/* moreau.c */
am_status am_march_impulses_create(am_march *march, am_error *err);
void am_march_impulses_free(struct am_march_impulses *impulses);
am_status am_march_step_moreau(am_march *march, double until, am_error *err);
/* Mean forces over the last step. */
void am_march_mean_forces(am_march *march);
/* How far the impulses were from the laws of contact in the worst step so far, relative to the largest impulse. */
double am_march_worst_residual(const am_march *march);
/* The blow at march->t, if there is one: velocities jump. */
am_status am_march_blow(am_march *march, double t, am_error *err);
/* What has changed since the span began. */
void am_march_list_changes(am_march *march, am_cause cause);

#endif
