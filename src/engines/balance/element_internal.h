/* Inside of contacts along a given motion: laws with their formulas (element_law.c), and what element.c walks with. */
#ifndef AMONTONS_ENGINES_BALANCE_ELEMENT_INTERNAL_H
#define AMONTONS_ENGINES_BALANCE_ELEMENT_INTERNAL_H
#include "base/arena.h"
#include "engines/balance/element.h"

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

#endif
