/* Laws of friction with random parameters, for property tests. */
#ifndef AMONTONS_TESTS_RANDOM_LAWS_H
#define AMONTONS_TESTS_RANDOM_LAWS_H
#include "amontons/system.h"
#include "random_system.h"

/* The points of tables that a law borrows. */
enum { LAW_POINTS = 4 };
typedef struct law_points {
    double speed[LAW_POINTS], coefficient[LAW_POINTS], slip[LAW_POINTS];
} law_points;

/* mu(v): stribeck, hyperbolic, falling or table. gentle: it changes so slowly that damping may keep sliding steady. */
am_speed_friction random_speed_law(random_source *random, bool gentle, law_points *points);

/* Friction that falls with the distance slid, over about what a motion of some time units slides: in place of the
 * contact's own. */
void random_weakening(random_source *random, am_contact_def *contact, law_points *points);

/* Without stick. */
typedef enum drag_kind { TANH, DAHL, LUGRE, BOUC_WEN, AGEING, SLIP, DRAG_KINDS } drag_kind;
am_speed_friction random_drag_law(random_source *random, drag_kind kind);

/* A slider with Coulomb friction behind a spring, in place of the contact's own friction. */
void random_slider(random_source *random, am_contact_def *contact);

#endif
