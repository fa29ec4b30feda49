/* Inside the boundary elements. */
#ifndef AMONTONS_ENGINES_BOUNDARY_BEM_INTERNAL_H
#define AMONTONS_ENGINES_BOUNDARY_BEM_INTERNAL_H
#include <stdint.h>

#include "base/arena.h"
#include "engines/boundary/bem.h"
#include "math/convolution.h"
#include "math/gmres.h"

/* Where the elements see a sharp end: so far beyond the last node, in spacings. Tractions that are linear between nodes
 * and singular at the end behave like those of a punch a little wider than the strip of its nodes; a number of the
 * elements alone (docs/bem.md, section 3). */
extern const double am_bem_end;

/* What a step changes. Arrays of n. */
typedef struct am_bem_fields {
    double *p, *q, *gap;
    double *place; /* s_i = g - u_i, in contact or not */
    double *slip, *slid;
    unsigned char *state;
    double P, Q, M, approach, tilt, shift, mean_slip, dissipated, dissipation;
    am_bem_evidence evidence;
} am_bem_fields;

/* Workspace of bem_couple.c. */
typedef struct am_bem_couple am_bem_couple;

struct am_bem {
    am_arena memory;
    size_t n;
    double h, width, modulus, beta, period;
    bool ends;  /* the profile ends with the strip: a punch with corners */
    double end; /* spacings by which the outermost elements reach beyond the outermost nodes */
    am_friction friction;
    double *x, *gap0;
    am_convolution even;              /* A, on both parts of pairs */
    am_convolution influence;         /* (p, q) to (A p - B q, A q + B p); dissimilar bodies only */
    am_convolution inverse;           /* about A^-1: the circulant inverse, which preconditions */
    am_bem_fields now, before, start; /* before the step's present part, at its start */

    /* Pairs, 2 n each. */
    double *motion, *across; /* displacements by p and q, and across by q alone */
    double *rhs, *solution, *third;
    double *residual, *direction, *image, *better; /* of conjugate gradients */
    /* n each. */
    double *stay;             /* place of a node that sticks */
    double *limit;            /* what a node that sticks can bear */
    double *slope, *constant; /* weakening: q = slope s + constant while it slips */
    double *nothing;          /* zeros */
    double *last_p, *last_q;  /* of the last exchange */
    unsigned char *in;        /* nodes that are unknowns */
    unsigned char *next;      /* states after a change */
    unsigned char *released;  /* static friction has been overcome in this step */
    am_gmres gmres;           /* made when needed */
    am_bem_couple *couple;    /* made when needed */
    size_t products;
};

void am_bem_copy(am_bem_fields *to, const am_bem_fields *from, size_t n);

/* Displacements (pairs) of the tractions p and q (n each). */
void am_bem_displace(am_bem *bem, const double *p, const double *q, double *motion);

/* P, M and Q of the present tractions. */
void am_bem_add_up(am_bem *bem);

/* A_SS x = rhs for both parts of the pairs, S the nodes marked in bem->in; x is a guess and becomes the solution (zero
 * outside S). */
am_status am_bem_solve(am_bem *bem, const double *rhs, double *x, double tolerance, am_error *err);

/* The search for the zones. Early iterates are solved roughly: they only have to tell which nodes are wrong. All that
 * are change, as long as that makes them fewer; when it has not for AM_BEM_PATIENCE exact iterates, only the last of
 * them, until there are fewer than ever (Judice and Pires): no cycles. */
enum { AM_BEM_PATIENCE = 8, AM_BEM_MOST_ROUGH = 30 };
typedef struct am_bem_search {
    double tolerance; /* of the next iterate */
    size_t rough;     /* iterates that were not exact */
    size_t fewest, patience;
} am_bem_search;
#define AM_BEM_SEARCH ((am_bem_search){1e-4, 0, SIZE_MAX, AM_BEM_PATIENCE})

/* What counts as zero in the present iterate, relative to the largest traction or displacement. */
double am_bem_search_zero(const am_bem_search *search);

/* After an iterate with `wrong` nodes: is it the solution? */
bool am_bem_search_ends(am_bem_search *search, size_t wrong);

/* Nodes that let go of contact or stick (bem->next against bem->now.state) in a run beside others that have: the
 * traction at the end of a zone that is too long has a peak, which hides half of those that will. They go at once. */
void am_bem_go_on(am_bem *bem, size_t wrong);

/* From bem->now.state to bem->next, in which `wrong` nodes differ: all of them, or only the `last`. */
void am_bem_change(am_bem *bem, const am_bem_search *search, size_t wrong, size_t last);

/* Does a node touch? Then: every node that can ever touch does. */
bool am_bem_touches(const am_bem *bem);
void am_bem_close_all(am_bem *bem);

/* Where nodes stay if they stick: bem->stay. */
void am_bem_set_places(am_bem *bem, const am_bem_load *load);

/* What nodes that stick can bear: bem->limit. Coulomb's law and static friction. */
void am_bem_set_limits(am_bem *bem);

/* Which state node i, in contact, asks for; tractions and displacements below small_q and small_u count as zero. */
am_contact_state am_bem_stick_or_slip(const am_bem *bem, size_t i, double small_q, double small_u);

/* Dissimilar bodies, normal and tangential contact at once; where *settled is false they have to be solved in turn. */
bool am_bem_can_couple(const am_bem *bem, const am_bem_load *load);
am_status am_bem_couple_all(am_bem *bem, const am_bem_load *load, bool *settled, am_error *err);
void am_bem_couple_free(am_bem_couple *couple);

/* Normal contact for the tangential tractions bem->now.q: fills p, gap, state (open or not), P, M, approach, tilt. */
am_status am_bem_press(am_bem *bem, const am_bem_load *load, am_error *err);

/* Tangential contact for the pressures bem->now.p, from the places `stay`: fills q, place, state, Q, shift. */
am_status am_bem_drag(am_bem *bem, const am_bem_load *load, am_error *err);

/* The same for laws whose coefficient depends on the slip. */
am_status am_bem_weaken(am_bem *bem, const am_bem_load *load, am_error *err);

/* Normal and tangential contact in turn, dissimilar bodies until nothing changes, from the state bem->before. */
am_status am_bem_exchange(am_bem *bem, const am_bem_load *load, am_error *err);

/* What is affine in the shift: known + shift times unit. */
typedef struct am_bem_affine {
    double known, unit;
} am_bem_affine;

/* The shift at which the tangential condition of the load is met: by the sum of q over the nodes, the mean of u over
 * the nodes, the traction of the node on the verge. */
am_status am_bem_shift(const am_bem *bem, const am_bem_load *load, am_bem_affine sum_q, am_bem_affine mean_u,
                       am_bem_affine verge_q, double *shift, am_error *err);

void am_bem_hold_verge(am_bem *bem, const am_bem_load *load);

/* When every node slips under a given Q, one of them stops: bem->now.q are the tractions of slip. */
void am_bem_hold_one(am_bem *bem, const am_bem_load *load);

/* ---- ends of zones (bem_edge.c) ---- */

enum { AM_BEM_EDGE_TERMS = 5 };

/* The coefficients of the first `terms` sums, from as many tractions d, the last node first. */
void am_bem_edge_resolve(size_t terms, const double *d, double *coefficient);

/* The factor of 1/sqrt(pi t), t the distance in spacings from a point `end` spacings beyond the place am_bem_end; and
 * its slope over `end`. */
double am_bem_edge_singular(size_t terms, const double *coefficient, double end, double *slope);

/* ---- influence (bem_kernel.c) ---- */

/* The integral of hat(t) ln|k - t| for a hat between -1 and 1: -1.5 at k = 0, then nearly ln k. k >= 0. */
double am_bem_hat_logarithm(double k);

/* Displacement by a traction of the same direction, times modulus/2: -(1/pi) times the integral of hat(t) ln(|k h -
 * t|/reference). */
double am_bem_hat_isolated(double k, double h, double reference);

/* The same for hats that repeat with the period, 0 <= k h <= period: the kernel is -(1/pi) (ln|2 sin(pi x/period)| -
 * 1), so that a uniform traction t moves the surface by t period/pi. */
double am_bem_hat_periodic(double k, double h, double period);

/* Displacement by a traction across, times modulus/beta: the integral of hat(t) sgn(k h - t) for k >= 0; periodic
 * (period > 0): without its mean, sgn(x) - 2 x/period. */
double am_bem_hat_sign(size_t k, double h, double period);

#endif
