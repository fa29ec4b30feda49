/* A linear structure with frictional contacts: what every model builds and every analysis takes.
 *
 *     M q'' + C q' + (K + K(t)) q + g(q, q') = F(t) + sum over contacts c of ( n_c N_c + t_c T_c )
 *
 * gap of c = n_c.q + gap0(t); sliding velocity of c = t_c.q' - surface velocity. N and T are the forces on the structure:
 * forward slip (positive sliding velocity) has T = -mu N. g: polynomial springs and dampers. A system is constant once
 * created and may be shared by threads. */
#ifndef AMONTONS_SYSTEM_H
#define AMONTONS_SYSTEM_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"
#include "amontons/laws.h"
#include "amontons/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Scalar functions of time: what loads, held normal forces, surfaces and supports are made of.
 *
 * Every function is, between its breaks, the output of a small linear system z' = G z, f = h.z, whose state is known in
 * closed form at any time. That is what lets `motion` treat structure and loads as one linear system without a step
 * size. */

typedef enum am_function_kind {
    AM_FUNCTION_CONSTANT, /* value */
    AM_FUNCTION_RAMP,     /* value + rate t */
    AM_FUNCTION_SINE,     /* value + amplitude sin(frequency t + phase) */
    AM_FUNCTION_TABLE,    /* linear between (times[i], values[i]), or a cubic spline, constant outside; with period > 0
                         * repeated for ever */
    AM_FUNCTION_PULSE,    /* amplitude (1 - cos(2 pi (t - start)/duration))/2 while start <= t <= start + duration, 0
                         * elsewhere;  `repeat` pulses, one every `period` */
    AM_FUNCTION_IMPULSE,  /* `repeat` blows of size `amplitude` (force times time), one every `period`, the first at
                          * `start` */
    AM_FUNCTION_CHIRP /* amplitude sin(phase + frequency s + rate s^2/2) with s = t - start, 0 before the start; from
                          * s = duration on its frequency stays what it is then */
} am_function_kind;

/* Plain data. Tables and further terms are borrowed until the function is given to a system, which copies them. */
typedef struct am_function {
    am_function_kind kind;
    double value;
    double rate;
    double amplitude;
    double frequency; /* radians per unit time */
    double phase;     /* radians */
    double start;
    double duration;
    double period;
    size_t repeat;       /* at least 1 */
    size_t count;        /* of the table */
    const double *times; /* strictly increasing */
    const double *values;
    const double *moments;          /* second derivatives at the times: the table is a cubic spline; NULL: linear */
    unsigned derivative;            /* 0 (usual) to 2: the function is this derivative of what the kind says */
    const struct am_function *plus; /* added to it; NULL: nothing */
} am_function;

AM_API am_function am_function_constant(double value);
AM_API am_function am_function_ramp(double value, double rate);
AM_API am_function am_function_sine(double amplitude, double frequency, double phase);
AM_API am_function am_function_table(size_t count, const double *times, const double *values);
AM_API am_function am_function_pulse(double amplitude, double start, double duration);
AM_API am_function am_function_impulse(double amplitude, double start);
/* From one angular frequency to another during `duration`. */
AM_API am_function am_function_chirp(double amplitude, double from, double to, double duration);

/* The second derivatives (count) of the cubic spline through the points of a table: twice continuously differentiable,
 * without curvature at its ends; of a table with a period, which must end where it begins, periodic. AM_ERR_INPUT: no
 * such table. */
AM_API am_status am_function_spline(const am_function *table, double *moments, am_error *err);

/* Refuses NaN, unsorted tables, durations that are not positive, pulses that overlap. err->field names the member. */
AM_API am_status am_function_check(const am_function *function, am_error *err);

/* f(t); at a break the value just after it. An impulse is 0 everywhere. */
AM_API double am_function_at(const am_function *function, double t);

/* f'(t), just after t. */
AM_API double am_function_rate(const am_function *function, double t);

AM_API const char *am_function_kind_name(am_function_kind kind);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Coefficients of friction that fall with the distance slid, from f_s to f_d (eq. 4.8). `distance` is the Delta of eq.
 * (4.11), the area between the curve and f_d divided by f_s - f_d, for every law alike. */

typedef enum am_friction_law {
    AM_FRICTION_COULOMB,        /* kinetic alone */
    AM_FRICTION_STATIC_KINETIC, /* static until the contact begins to slip somewhere, then kinetic */
    AM_FRICTION_RAMP,           /* linear, over 2 distance */
    AM_FRICTION_STEP,           /* at distance; drawn as a line from 3/4 to 5/4 of it */
    AM_FRICTION_EXPONENTIAL,    /* kinetic + (fixed - kinetic) exp(-slip/distance) */
    AM_FRICTION_TABLE,          /* linear between points, constant beyond the last */
    /* Of half-planes in partial slip alone (amontons/slip.h): what limits a slip zone as a whole. */
    AM_FRICTION_GRIFFITH, /* slip spreads when K_II = sqrt(2 E* energy), and rubs with `kinetic` behind */
    AM_FRICTION_DOUBLE,   /* falls in a transition zone: the double Cattaneo-Mindlin solution */
    AM_FRICTION_SHORT     /* its limit of a short transition */
} am_friction_law;

typedef struct am_friction {
    am_friction_law law;
    double kinetic;  /* f_d, or f */
    double fixed;    /* f_s */
    double distance; /* Delta */
    size_t count;    /* of the table, slip increasing from 0 */
    const double *slip, *coefficient;
} am_friction;

AM_API am_status am_friction_check(const am_friction *friction, am_error *err);

/* The laws whose coefficient is a continuous function of the distance slid. */
AM_API bool am_friction_weakens(const am_friction *friction);

/* The coefficient after sliding `slid` >= 0, and its slope. */
AM_API double am_friction_at(const am_friction *friction, double slid, double *slope);

/* The largest and the last coefficient. */
AM_API double am_friction_most(const am_friction *friction);
AM_API double am_friction_last(const am_friction *friction);

/* The integral of the coefficient from 0 to `slid`: what friction takes per unit of normal force. */
AM_API double am_friction_work(const am_friction *friction, double slid);

/* The most negative slope between two distances slid, from <= to (0 or positive: it falls nowhere there). */
AM_API double am_friction_steepest(const am_friction *friction, double from, double to);

/* Beyond this distance the coefficient is the last one for good (exponential: but for rounding). */
AM_API double am_friction_reach(const am_friction *friction);

/* "coulomb", "static-kinetic", "ramp", "step", "exponential", "table", "griffith", "double", "short". */
AM_API const char *am_friction_law_name(am_friction_law law);

/* ---------------------------------------------------------------------------------------------------------------- */

typedef struct am_system am_system;

typedef enum am_contact_state { AM_OPEN, AM_STICK, AM_FORWARD, AM_BACKWARD } am_contact_state;

/* "open", "stick", "forward", "backward". */
AM_API const char *am_contact_state_name(am_contact_state state);

typedef enum am_normal_law {
    AM_UNILATERAL,   /* rigid: gap >= 0, N >= 0, one of them zero; impacts with `restitution` */
    AM_HELD,         /* N(t) is given; the gap plays no part */
    AM_KELVIN_VOIGT, /* compliant: N = contact_stiffness d + contact_damping d' where that is positive; d = -gap */
    AM_HUNT_CROSSLEY /* compliant: N = contact_stiffness d^contact_exponent (1 + 3/2 contact_dissipation d') */
} am_normal_law;

/* What the restitution of an impact is the ratio of (docs/motion.md, section 6). */
typedef enum am_restitution_law {
    AM_NEWTON, /* of the normal velocities after and before, n.v+ = -e n.v- */
    AM_POISSON /* of the normal impulses of expansion and compression */
} am_restitution_law;

typedef struct am_contact_def {
    const char *name;             /* optional; copied */
    const double *normal;         /* n entries; may be NULL for a held contact whose normal force does not act on q */
    const double *tangent;        /* n entries; NULL: a stop, without friction (not held) */
    const double *second_tangent; /* n entries; NULL (default): one direction. With it friction is a vector along both
                               * tangents, of length mu N at most, and the contact slips in any direction of their plane.
                               * Rigid, or behind springs (tangential_stiffness along each), with constant friction */
    double gap;                   /* gap at q = 0; default 0 */
    am_function gap_motion;       /* added to it: a support that moves along the normal; default constant 0. A sum, and
                                   * without jumps */
    double surface_velocity;      /* of the other side along the tangent; default 0 */
    am_function surface_motion;   /* further velocity of it, a function of time; default constant 0 */
    am_normal_law normal_law;     /* default AM_UNILATERAL */
    double restitution;           /* 0 (default, inelastic) to 1 */
    am_restitution_law restitution_law; /* the same for all contacts of a structure that have a restitution */
    double tangential_restitution;      /* 0 (default) to 1: an impact turns the sliding velocity v into -e_t v, as far
                                         * as friction allows */
    am_function hold;                   /* held: N(t) */
    double friction;                    /* kinetic coefficient, >= 0 */
    double static_friction;             /* >= friction; 0 means equal to friction (Coulomb) */
    am_friction weakening;            /* a coefficient that falls with the distance slid: ramp, step, exponential (from
                               * static_friction to friction; its own two coefficients are filled in) or table (both
                               * coefficients above are filled in: the largest and the last). Default: none (law
                               * coulomb). `path` by load steps, `motion` and what follows
                               * motions, and `march` know it, others refuse it */
    am_speed_friction speed_friction; /* a coefficient that depends on the sliding speed; `friction` and
                               * `static_friction` are filled in then: its value at rest. Default: none */
    am_iwan iwan;                     /* an Iwan joint instead of `friction`: many sliders behind springs, which
                               * become contacts of their own when the system is created. Default: none */
    const char *joint;                /* name of the joint whose slider it is: tables have one column for the contacts
                               * next to each other with one name; copied. Default NULL: it stands for itself */
    double tangential_stiffness;      /* of a spring in series with the slider (Jenkins element:
                               * |T| <= mu N with the N of the instant, T = 0 while open and at re-contact, no
                               * tangential impulse); 0: none. The slider has no mass: T = -stiffness * stretch, and its own
                               * velocity, sliding velocity minus rate of stretch, decides between stick and slip */
    /* Compliant laws. */
    double contact_stiffness;   /* > 0 */
    double contact_damping;     /* Kelvin-Voigt: >= 0 */
    double contact_exponent;    /* Hunt-Crossley: >= 1; default 1 */
    double contact_dissipation; /* Hunt-Crossley: >= 0, per unit of velocity */
    double place[3];            /* where it is, for tables and maps; default NAN: not known */
    double regularisation; /* `march`: > 0: friction is mu N v/regularisation below this sliding velocity v, instead of
                            * stick; 0 (default): Coulomb's law itself */
} am_contact_def;

typedef struct am_load_def {
    const double *direction; /* n entries */
    am_function function;
} am_load_def;

/* coefficient e^displacement e'^velocity */
typedef struct am_polynomial_term {
    double coefficient;              /* of any sign */
    unsigned displacement, velocity; /* powers; together from 1 to AM_POLYNOMIAL_DEGREE */
} am_polynomial_term;

enum { AM_POLYNOMIAL_DEGREE = 9 };

/* A polynomial spring or damper: with e = direction.q the structure feels the force
 * -direction * sum of terms c e^i e'^j. `motion` and what follows motions, `march`, `response`, `stability` and
 * `path` by load steps know them; analyses of linear structures refuse them. */
typedef struct am_polynomial_def {
    const char *name;        /* optional; copied */
    const double *direction; /* n entries */
    size_t term_count;       /* at least 1 */
    const am_polynomial_term *terms;
} am_polynomial_def;

/* A spring whose stiffness varies in time: the structure feels the force -direction * stiffness(t) * (direction.q). It is
 * of any sign, and comes beside the constant stiffness of the structure. `motion` and what follows motions, `march`,
 * `path` with method incremental and `response` know it. */
typedef struct am_varying_def {
    const char *name;        /* optional; copied */
    const double *direction; /* n entries */
    am_function stiffness;
} am_varying_def;

typedef struct am_system_def {
    size_t n;                   /* degrees of freedom */
    const am_matrix *mass;      /* n x n, symmetric positive semidefinite; NULL: no mass */
    const am_matrix *damping;   /* n x n, NULL: none. Of any sign: where its symmetric part is negative it feeds energy
                                   * in, as friction does that falls with speed */
    const am_matrix *stiffness; /* n x n, symmetric; of any sign, but questions about rest refuse a negative one */
    const am_matrix *circulatory; /* n x n, added to the stiffness, of any shape: forces that no potential has; NULL:
                                   * none. Questions about rest refuse it */
    size_t contact_count;
    const am_contact_def *contacts;
    size_t load_count;
    const am_load_def *loads;
    size_t polynomial_count;
    const am_polynomial_def *polynomials; /* g(q, q') */
    size_t varying_count;
    const am_varying_def *varying;
    const char *const *names; /* n names of coordinates; NULL: q1, q2, ... */
    bool named_by_model;      /* names of coordinates and contacts are a model's symbols, not its user's:
                                           * tables number velocities and forces there */
    int cookie;               /* set by am_system_def_default; catches an uninitialised struct */
} am_system_def;

AM_API am_contact_def am_contact_def_default(void);
AM_API am_system_def am_system_def_default(void);

/* Checks and copies everything. NULL on failure; err->field is "mass", "contacts[0].friction",
 * "loads[1].function.times", ... */
AM_API am_system *am_system_create(const am_system_def *def, am_error *err);
AM_API void am_system_free(am_system *system);

/* An index beyond the last is "" or NULL. */
AM_API size_t am_system_size(const am_system *system); /* n */
AM_API size_t am_system_contacts(const am_system *system);
AM_API size_t am_system_loads(const am_system *system); /* a sum of functions counts as so many loads */
AM_API const char *am_system_name(const am_system *system, size_t coordinate);
/* What tables call its velocity: v_x of x; v1 of q1, which has no name of its own, and of a model's symbols. */
AM_API const char *am_system_velocity_name(const am_system *system, size_t coordinate);
/* What tables call a contact: its name, or its number from 1. */
AM_API const char *am_system_contact_name(const am_system *system, size_t contact);
AM_API const am_matrix *am_system_mass(const am_system *system);        /* never NULL (zero if none was given) */
AM_API const am_matrix *am_system_damping(const am_system *system);     /* never NULL */
AM_API const am_matrix *am_system_stiffness(const am_system *system);   /* never NULL */
AM_API const am_matrix *am_system_circulatory(const am_system *system); /* NULL if none was given */
AM_API const am_contact_def *am_system_contact(const am_system *system, size_t contact); /* static_friction filled in */
AM_API size_t am_system_polynomials(const am_system *system);
AM_API const am_polynomial_def *am_system_polynomial(const am_system *system, size_t polynomial);
AM_API size_t am_system_varyings(const am_system *system);
AM_API const am_varying_def *am_system_varying(const am_system *system, size_t varying);
AM_API const am_load_def *am_system_load(const am_system *system, size_t load);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Surfaces that meet: nodes of a mesh become pairs by their places, and pairs become contacts. docs/import.md.
 *
 *     am_interface *interface = am_interface_create(&def, &err);
 *     am_system_def system = am_system_def_default();
 *     ...
 *     system.contacts = am_interface_contacts(interface, n, coordinate, &mesh, &err);
 *     system.contact_count = am_interface_count(interface);
 *
 * A contact's normal points from `to` into the body of `from`: gap = n.(u_from - u_to) + gap0. */

/* Nodes of a mesh; `place` has x, y, z of each. */
typedef struct am_interface_nodes {
    size_t count;
    const long *number;
    const double *place;
} am_interface_nodes;

/* A flat piece of the surface: 3 or 4 nodes round it, or the 2 ends of an edge in the plane, as indices of `from`. */
typedef struct am_interface_face {
    size_t count, node[4];
} am_interface_face;

typedef struct am_interface_def {
    am_interface_nodes from;
    am_interface_nodes to; /* count 0: the ground */
    double tolerance;      /* that the nodes of a pair may be apart; 0: 1e-6 of the size of the surface */
    const double *normal;  /* 3 numbers, the same for all pairs; NULL: that of the faces, or where there are none of the
                             * plane in which all nodes of `from` lie */
    const double *inside;  /* 3 numbers for each node of `from`, from it into its body: the sign of a normal that is not
                             * given */
    bool plane;            /* nodes move in x and y alone: one tangent, edges for faces */
    bool frictionless;     /* contacts without tangents */
    const double *tangent; /* 3 numbers: the only direction of friction, or the first one; its part across the normal
                             * counts. NULL: in the plane the one there is, in space two: the first along the x axis, or
                             * where the normal is near it along the y axis */
    const double *second_tangent; /* 3 numbers: its part across the normal and the first counts */
    size_t face_count;
    const am_interface_face *faces;
    bool per_area;          /* contact_stiffness, contact_damping, tangential_stiffness and hold are per unit of area */
    bool gap_of_mesh;       /* the distance of a pair along its normal is added to the gap */
    am_contact_def contact; /* what the contacts have in common; name and rows are not looked at */
} am_interface_def;

AM_API am_interface_def am_interface_def_default(void);

typedef struct am_interface_pair {
    long from, to;   /* nodes; to: 0 against the ground */
    double area;     /* of its part of the surface; 0 where there are no faces */
    double distance; /* from `to` to `from` along the normal */
    double normal[3];
    double tangent[2][3]; /* zero where there is none */
} am_interface_pair;

typedef struct am_interface am_interface;

/* NULL on failure: AM_ERR_INPUT with the nodes that have no partner, or more than one; err->field is a member. */
AM_API am_interface *am_interface_create(const am_interface_def *def, am_error *err);
AM_API void am_interface_free(am_interface *interface);
AM_API size_t am_interface_count(const am_interface *interface);
AM_API const am_interface_pair *am_interface_pair_at(const am_interface *interface, size_t pair); /* NULL: beyond */

/* The contact of a pair, without its rows: "pair 51-1051", or "node 51" against the ground. */
AM_API const am_contact_def *am_interface_contact(const am_interface *interface, size_t pair);

/* The coordinate of a node in direction 1 (x), 2 (y) or 3 (z); SIZE_MAX: it does not move. */
typedef size_t am_coordinate_of(const void *mesh, long node, int direction);

/* What stands in a row of a pair's contact (0: normal, 1 and 2: tangents): coordinates and values, how many there are. */
AM_API size_t am_interface_row(const am_interface *interface, size_t pair, size_t row, am_coordinate_of *coordinate,
                               const void *mesh, size_t index[6], double value[6]);

/* The contacts with rows of n coordinates, kept until the next call; NULL on failure. AM_ERR_INPUT: neither node of a pair
 * can move. */
AM_API const am_contact_def *am_interface_contacts(am_interface *interface, size_t n, am_coordinate_of *coordinate,
                                                   const void *mesh, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
