/* Inside of contacts along a given motion: laws with their formulas (element_law.c), and what element.c walks with. */
#ifndef AMONTONS_ENGINES_BALANCE_ELEMENT_INTERNAL_H
#define AMONTONS_ENGINES_BALANCE_ELEMENT_INTERNAL_H
#include "base/arena.h"
#include "engines/balance/element.h"
#include "math/quadrature.h"

enum { AM_ELEMENT_ARGUMENTS = 3 }; /* speed, normal force, what is remembered */

/* Of one piece: the force (the coefficient, of laws that stick) and the rate of what is remembered, each with its
 * derivatives by the arguments behind it. */
typedef struct am_element_formula {
    am_tape tape;
    am_term argument[AM_ELEMENT_ARGUMENTS];
    am_term force[1 + AM_ELEMENT_ARGUMENTS], rate[1 + AM_ELEMENT_ARGUMENTS];
} am_element_formula;

struct am_element_law {
    am_arena memory;
    const am_law *law;
    am_speed_friction use;
    size_t pieces;
    am_element_formula *formula; /* pieces */
    double *series;
};

/* Value and derivatives by speed (v >= 0), N and w (in the direction of slip, where the law is directed). */
void am_element_law_at(am_element_law *law, size_t piece, double v, double N, double w, double force[4],
                       double rate[4]);

/* What a panel's last Legendre coefficients may be, as a part of the largest value met. */
static const double am_element_resolved = 1e-12;

/* Gauss's points on a panel. Integrals up to point i of the polynomial that is 1 at point j (collocation), the last two
 * Legendre coefficients, and the Bernstein coefficients (row j: of the polynomial that is 1 at point j). */
typedef struct am_element_rules {
    double integral[AM_QUADRATURE_POINTS * AM_QUADRATURE_POINTS], tail[2][AM_QUADRATURE_POINTS];
    double bernstein[AM_QUADRATURE_POINTS * AM_QUADRATURE_POINTS];
} am_element_rules;

struct am_element {
    am_arena memory;
    size_t H, S;
    size_t columns, used; /* of derivatives: by x, omega, y, lambda; those that this contact has */
    double *phi, *slope;  /* POINTS x S: 1, cos, sin, ...; their derivatives */
    double *cosine, *sine;
    double *projection;            /* POINTS x S: phi, weighted */
    double *gradient;              /* POINTS x columns: of the friction */
    double *pressure;              /* POINTS x (S + 1): of the normal force: y, omega */
    double *W, *W_points;          /* columns, columns x POINTS: d(memory) */
    double *W_sum;                 /* columns: its integral over the period */
    double *by_memory;             /* S: projection of df/dw (dw/dw0) */
    double *N, *f, *N_all, *f_all; /* S, S, S x (S + 1), S x columns */
    double *N_y, *f_x, *f_y, *f_lambda, *N_omega, *f_omega;
    double *signal, *rate; /* S */
    double *theta;         /* switches */
    size_t switches, capacity;
    am_element_rules rules;
    double matrix[AM_QUADRATURE_POINTS * AM_QUADRATURE_POINTS];
    int pivots[AM_QUADRATURE_POINTS];
};

/* Row `row` of phi and slope at theta. */
void am_element_basis(am_element *e, double theta, size_t row);
/* Where the layer closes or opens, slip turns, and a law of the speed goes on to its next piece: e->theta, from 0 to 2 pi. */
am_status am_element_find_switches(am_element *e, am_cell *cell, const am_element_contact *c, am_error *err);
/* N of a layer with the depth d and its rate, and its derivatives by both. */
void am_element_press(const am_element_contact *c, bool closed, double d, double rate, double *N, double *N_d,
                      double *N_r);
bool am_element_is_closed(const am_element_contact *c, double d, double rate);

#endif
