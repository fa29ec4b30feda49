/* A law of friction: one file each, and one line in law.c. It says its parameters once (reading, checking, help and docs
 * follow) and its force once, in the arithmetic of power series (math/tape.h): Taylor coefficients along a motion,
 * derivatives, linearisation and values all follow from that text.
 *
 * There are two kinds. A law of the sliding speed gives the coefficient mu(v); at rest the contact sticks. A law without
 * stick gives the force itself, as a smooth function of speed, normal force and internal variables w that remember (the
 * deflection of bristles, the age of contacts), and the rates of w. Both are written for v >= 0: the other direction
 * follows by symmetry. */
#ifndef AMONTONS_LAWS_LAW_H
#define AMONTONS_LAWS_LAW_H
#include <stdbool.h>

#include "amontons/laws.h"
#include "math/tape.h"

typedef struct am_law_parameter {
    const char *name;
    bool positive;              /* else it must not be negative */
    bool any;                   /* of any sign */
    const char *const *choices; /* words instead of a number, NULL at the end; the parameter is the place of the word */
    bool required;              /* else it is `initial` */
    double initial;             /* what it is when left out */
    const char *unit, *about;
} am_law_parameter;

/* Internal variables that a law has at most. */
enum { AM_LAW_MEMORIES = 2 };

/* What friction without stick depends on: sliding speed v >= 0, normal force N, internal variables w. */
typedef struct am_drag_terms {
    am_term v, N, w[AM_LAW_MEMORIES];
} am_drag_terms;

typedef am_term am_drag_formula(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at);

/* An internal variable w of a law without stick. */
typedef struct am_law_memory {
    am_drag_formula *rate; /* w' */
    bool directed; /* w points along the slip, and has the other sign in backward slip (a deflection, not an age) */
    /* w at which all w' = 0, of steady sliding with v > 0 and N; w of a start at the speed v (NULL: 0). */
    double (*steady)(const am_speed_friction *use, double v, double N);
    double (*start)(const am_speed_friction *use, double v);
} am_law_memory;

typedef struct am_law {
    const char *name, *about; /* about: one line, with the formula */
    size_t parameters;
    const am_law_parameter *parameter; /* at most AM_LAW_PARAMETERS */
    bool table;                        /* its coefficient is given by points instead */
    /* mu(v), v >= 0, of one piece: between two knots the law is analytic. */
    am_term (*coefficient)(am_tape *tape, const am_speed_friction *use, size_t piece, am_term v);
    /* Of laws without stick instead: the friction force against the slip, and what it remembers; those without a rate
     * are none. */
    am_drag_formula *drag;
    am_law_memory memory[AM_LAW_MEMORIES];
    /* Force and deflection follow the way alone, however fast it is gone: w' = v r(N, w). A path has them, too. */
    bool rate_independent;
    /* The speed (the first w of laws without stick) at which a piece ends; INFINITY of the last one. NULL: there is one
     * piece. */
    double (*knot)(const am_speed_friction *use, size_t piece);
    /* What its parameters must fulfil together; NULL: nothing. err->field names the parameter. */
    am_status (*check)(const am_speed_friction *use, am_error *err);
    /* The law that it is, without stick, behind a spring: with one more parameter, the stiffness, and the stretch as the
     * first w. A system replaces it by that one. NULL: it cannot stand there, for the reason `not_behind`. And the other
     * way round: the law alone. */
    const struct am_law *behind, *alone;
    const char *not_behind;
    /* What to take instead where its force has no value at rest. */
    const char *not_at_rest;
} am_law;

/* All of them; ends with NULL. */
extern const am_law *const am_laws[];

/* NULL: there is none of this name. Those behind springs are known too, though not in the list. */
const am_law *am_law_named(const char *name);

/* A law without stick takes the spring behind which it stands as its own, if it can; and gives it back. */
void am_law_put_behind(am_speed_friction *use, double *stiffness);
void am_law_take_out(am_speed_friction *use, double *stiffness);

/* Its place among them; that of NULL if there is none. */
size_t am_law_index(const char *name);

/* Unknown law, parameters out of range, points that do not increase. err->field names the parameter. */
am_status am_law_check(const am_speed_friction *use, am_error *err);

/* A value and its slopes. */
typedef struct am_sloped {
    double value, by_v, by_N, by_w[AM_LAW_MEMORIES];
} am_sloped;

/* Values of a law without stick; zeros of a rate that it does not have. */
typedef struct am_drag {
    am_sloped force, rate[AM_LAW_MEMORIES];
} am_drag;

/* At speed v >= 0, normal force N and w (as many as it has, in the direction of slip); NAN where the law has no value. */
am_drag am_law_drag_at(const am_speed_friction *use, double v, double N, const double *w);

/* Has the law stick? NULL: Coulomb's, which has. How many internal variables has it? */
static inline bool am_law_sticks(const am_speed_friction *use) {
    return !use->law || !am_law_named(use->law)->drag;
}

/* Has a law without stick a force at rest? */
bool am_law_holds_at_rest(const am_speed_friction *use);

/* Behind a spring: has it none without it, so that the speed of its slider jumps with the sign of the stretch? */
bool am_law_leaps(const am_speed_friction *use);

bool am_law_is_rate_independent(const am_speed_friction *use);
size_t am_law_memories(const am_speed_friction *use);
/* Does it remember an age, which grows at rest? */
bool am_law_ages(const am_speed_friction *use);

/* All of them in steady sliding with v > 0 and N; at rest as they begin. */
void am_law_settled(const am_speed_friction *use, double v, double N, double *w);

/* The speed at which a piece ends, the number of pieces, and the piece that holds at a speed. */
double am_law_knot(const am_speed_friction *use, size_t piece);
size_t am_law_pieces(const am_speed_friction *use);
size_t am_law_piece_at(const am_speed_friction *use, double v);

#endif
