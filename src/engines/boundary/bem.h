/* Boundary elements for two half-planes in contact: N nodes a distance h apart, tractions linear between them, friction
 * in increments of any order of normal and tangential load. docs/bem.md.
 *
 * Signs: p >= 0 presses; q > 0 where the upper body (1), dragged towards positive x by Q, holds on to the lower one;
 * slip s > 0 when it moves on towards positive x. With d the upper body's approach, t its tilt, g its shift,
 *
 *     gap_i = gap0_i - d - t x_i + (A p - B q)_i,    s_i = g - (A q + B p)_i,
 *
 * A from Flamant's logarithm, B from the sign of x times Dundurs' beta (eq. 1.28, 1.31). Displacements of half-planes
 * have a free constant: here they are those relative to points at the distance `reference`. */
#ifndef AMONTONS_ENGINES_BOUNDARY_BEM_H
#define AMONTONS_ENGINES_BOUNDARY_BEM_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"
#include "amontons/system.h"
#include "base/local.h"
#include "engines/boundary/bem_profile.h"

typedef struct am_bem_def {
    am_bem_profile profile;
    am_friction friction;
    double modulus;   /* E*, eq. (1.50) */
    double beta;      /* Dundurs' second parameter, eq. (1.30): |beta| < 1/2; 0: elastically similar */
    size_t nodes;     /* at least 8 */
    double centre;    /* of the strip of nodes */
    double width;     /* half-width of the strip, which must hold the contact; flat punch and periodic: not used */
    double period;    /* > 0: the contact repeats, and loads are per period */
    double reference; /* 0: the width of the strip. Isolated only */
} am_bem_def;

typedef enum am_bem_control {
    AM_BEM_FORCE,        /* `value` is P or Q */
    AM_BEM_DISPLACEMENT, /* `value` is the approach or the shift */
    AM_BEM_MEAN_SLIP,    /* tangential only: `value` is the mean of s over all nodes, open ones included */
    AM_BEM_VERGE /* tangential only: node `verge` sticks and bears all it can, forward (value > 0) or backward */
} am_bem_control;

/* Where a step goes. */
typedef struct am_bem_load {
    am_bem_control normal;
    double P; /* or the approach */
    am_bem_control tangential;
    double Q;       /* or the shift, the mean slip, the sense */
    size_t verge;   /* a node */
    bool free_tilt; /* the upper body turns until the moment of p about x = 0 is M + Q height; else it is held at `tilt`
                     */
    double M, height, tilt; /* height: of the line of Q above the interface */
} am_bem_load;

/* What a step cost, and how good it is. */
typedef struct am_bem_evidence {
    size_t set_changes; /* Newton iterations, all in all: each a change of the sets of nodes */
    size_t products;    /* convolutions */
    size_t exchanges;   /* dissimilar bodies: times normal and tangential contact were solved in turn; 0: at once */
    double equilibrium; /* largest error of P, Q, M (over the width) relative to the largest of them */
    double compliance;  /* largest violation of a contact condition that is a displacement, relative to the largest */
    double traction;    /* largest violation of p >= 0, |q| <= f p, q = f p, relative to the largest pressure */
} am_bem_evidence;

typedef struct am_bem am_bem;
am_bem *am_bem_create(const am_bem_def *def, am_error *err);
void am_bem_free(am_bem *bem);

/* The state after the last step (before: nothing touches, all zero). Arrays of `nodes`, borrowed. */
typedef struct am_bem_view {
    size_t nodes;
    double spacing, period, modulus, beta;
    const double *x, *p, *q, *gap;
    const double *slip; /* moved along while in contact; signed */
    const double *slid; /* distance slid, what weakening laws ask for */
    const unsigned char *state;
    double P, Q, M, approach, tilt, shift, mean_slip;
    double dissipated;  /* in the last step, per unit of thickness */
    double dissipation; /* in all steps */
    am_bem_evidence evidence;
} am_bem_view;
am_bem_view am_bem_view_of(const am_bem *bem);

/* Equilibrium at the end of a load increment: nodes stick where they were at its beginning, or slip from there. On
 * failure the state stays. AM_ERR_NO_STATE: no equilibrium (the contact slides as a whole, or tips over). Exact for any
 * size of increment while the zones that stick only shrink (or P grows with Q in proportion); else of first order in
 * it.
 */
am_status am_bem_step(am_bem *bem, const am_bem_load *load, am_error *err);

/* An interval in one state. Ends lie between nodes, where the square root of the tractions says. */
typedef struct am_bem_zone {
    am_contact_state state;
    double from, to;
    size_t nodes; /* inside */
} am_bem_zone;

/* The zones from left to right, as many as `most` allows; returns how many there are. The open parts beside the first
 * and the last contact are left out. */
size_t am_bem_zones(const am_bem *bem, size_t most, am_bem_zone *zones);

/* The largest Q while a zone that sticks shrinks from its right (side > 0) or left end to the place `to`, in at most
 * `steps` increments at constant normal load (`load` without its tangential part; its Q > 0 or < 0 is the sense): node
 * after node is put on the verge of slip, so that the way leads through the limit point, on along the unstable branch.
 * The limit point is located by the nodes around it; nodes that have no equilibrium on the verge of their own (friction
 * that falls within a spacing) are passed over. `visit`, may be NULL, is called at every step (false: end there).
 * Afterwards the state is that of the last step. */
typedef bool (*am_bem_visit)(void *context, const am_bem *bem);
typedef struct am_bem_limit {
    bool found; /* |Q| has a maximum on the way, not only at its end */
    double Q;   /* the maximum, or the largest met */
    double end; /* of the zone, there */
} am_bem_limit;
am_status am_bem_follow(am_bem *bem, const am_bem_load *load, int side, double to, size_t steps, am_bem_limit *limit,
                        am_bem_visit visit, void *context, am_error *err);

/* The same bodies as a structure with contacts, for `path` and whatever else takes one: coordinates are s of all nodes,
 * then gap - gap0 of all nodes, contacts are the nodes that can touch, in order. A structure must not float, so
 * approach and shift are prescribed as functions of time, and P and Q are results. All laws of friction,
 * full matrices: up to 2000 nodes (AM_ERR_UNSUPPORTED otherwise). */
am_system *am_bem_system(const am_bem_def *def, const am_function *approach, const am_function *shift, am_error *err);

AM_LOCAL_POINTER(am_bem, am_bem_free)

#endif
