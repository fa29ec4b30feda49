/* The equations of a structure whose state of contact is given, solved all at once by elimination: simple, and shared
 * with nothing in the library. */
#ifndef AMONTONS_TESTS_CONTACT_EQUATIONS_H
#define AMONTONS_TESTS_CONTACT_EQUATIONS_H
#include "reference.h"

typedef struct contact_solution {
    double q[PLAIN_SIZE], N[PLAIN_CONTACTS], T[PLAIN_CONTACTS];
} contact_solution;

/* matrix q = force + normal N + tangent T, and two equations per contact: N = 0 or no gap; T on its limit, T = 0, or
 * the tangential position `stuck_at` (NULL: zero). False when they are singular. */
bool contact_equations(const plain_system *plain, const double *matrix, const am_contact_state *state,
                       const double *force, const double *stuck_at, contact_solution *solution);

#endif
