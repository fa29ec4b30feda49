/* Inside the boundary elements. */
#ifndef AMONTONS_HALFPLANE_BEM_ROOM_H
#define AMONTONS_HALFPLANE_BEM_ROOM_H
#include <stdint.h>

#include "halfplane/bem.h"
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

struct am_bem {
    size_t n;
    double h, width, modulus, beta, period;
    bool ends;  /* the profile ends with the strip: a punch with corners */
    double end; /* spacings by which the outermost elements reach beyond the outermost nodes */
    am_friction friction;
    double *friction_table; /* 2 count */
    double *x, *gap0;
    am_convolution even;                    /* A, on both parts of pairs */
    am_convolution influence;               /* (p, q) to (A p - B q, A q + B p); dissimilar bodies only */
    am_convolution inverse;                 /* about A^-1: the circulant inverse, which preconditions */
    am_bem_fields now, before, start, kept; /* before the step's present part, at its start, by am_bem_keep */

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
    double *numbers;
    am_gmres gmres; /* made when needed */
    size_t products;
};

void am_bem_copy(am_bem_fields *to, const am_bem_fields *from, size_t n);

/* Displacements (pairs) of the tractions p and q (n each). */
void am_bem_displace(am_bem *bem, const double *p, const double *q, double *motion);

/* A_SS x = rhs for both parts of the pairs, S the nodes marked in bem->in; x is a guess and becomes the solution (zero
 * outside S). */
am_status am_bem_solve(am_bem *bem, const double *rhs, double *x, double tolerance, am_error *err);

/* Which nodes change side after an iterate: all that are wrong, as long as that makes them fewer; when it has not for
 * AM_BEM_PATIENCE times, only the last of them, until there are fewer than ever (Judice and Pires): no cycles. */
enum { AM_BEM_PATIENCE = 8 };
typedef struct am_bem_changes {
    size_t fewest, patience; /* start from AM_BEM_CHANGES */
} am_bem_changes;
#define AM_BEM_CHANGES ((am_bem_changes){SIZE_MAX, AM_BEM_PATIENCE})

/* With `wrong` nodes: do all of them change? */
bool am_bem_change_all(am_bem_changes *changes, size_t wrong);

/* Normal contact for the tangential tractions bem->now.q: fills p, gap, state (open or not), P, M, approach, tilt. */
am_status am_bem_press(am_bem *bem, const am_bem_load *load, am_error *err);

/* Tangential contact for the pressures bem->now.p, from the places `stay`: fills q, place, state, Q, shift. */
am_status am_bem_drag(am_bem *bem, const am_bem_load *load, am_error *err);

/* The same for laws whose coefficient depends on the slip. */
am_status am_bem_weaken(am_bem *bem, const am_bem_load *load, am_error *err);

/* What is affine in the shift: known + shift times unit. */
typedef struct am_bem_affine {
    double known, unit;
} am_bem_affine;

/* The shift at which the tangential condition of the load is met: by the sum of q over the nodes, the mean of u over
 * the nodes, the traction of the node on the verge. */
am_status am_bem_shift(const am_bem *bem, const am_bem_load *load, am_bem_affine sum_q, am_bem_affine mean_u,
                       am_bem_affine verge_q, double *shift, am_error *err);

/* What node `verge` of the load can bear, signed; and the node sticks. */
double am_bem_verge_traction(const am_bem *bem, const am_bem_load *load);
void am_bem_hold_verge(am_bem *bem, const am_bem_load *load);

/* When every node slips under a given Q, one of them stops: bem->now.q are the tractions of slip. */
void am_bem_hold_one(am_bem *bem, const am_bem_load *load);

#endif
