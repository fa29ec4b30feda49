/* A law of friction: one file each, and one line in law.c. It says its parameters once (reading, checking, help and docs
 * follow) and its force once, in the arithmetic of power series (math/tape.h): Taylor coefficients along a motion,
 * derivatives, linearisation and values all follow from that text.
 *
 * There are two kinds. A law of the sliding speed gives the coefficient mu(v); at rest the contact sticks. A law without
 * stick gives the force itself, as a smooth function of speed, normal force and at most one internal variable w that
 * remembers (the deflection of bristles, the age of contacts), and the rate of w. Both are written for v >= 0: the
 * other direction follows by symmetry. */
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

/* What friction without stick depends on: sliding speed v >= 0, normal force N, internal variable w. */
typedef struct am_drag_terms {
    am_term v, N, w;
} am_drag_terms;

typedef struct am_law {
    const char *name, *about; /* about: one line, with the formula */
    size_t parameters;
    const am_law_parameter *parameter; /* at most AM_LAW_PARAMETERS */
    bool table;                        /* its coefficient is given by points instead */
    /* mu(v), v >= 0, of one piece: between two knots the law is analytic. */
    am_term (*coefficient)(am_tape *tape, const am_speed_friction *use, size_t piece, am_term v);
    /* Of laws without stick instead: the friction force against the slip; w' (NULL: there is no w). */
    am_term (*drag)(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at);
    am_term (*rate)(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at);
    bool directed; /* w points along the slip, and has the other sign in backward slip (a deflection, not an age) */
    /* Force and deflection follow the way alone, however fast it is gone: w' = v r(N, w). A path has them, too. */
    bool rate_independent;
    /* w at which w' = 0, of steady sliding with v > 0 and N; w of a start at the speed v (NULL: 0). */
    double (*steady)(const am_speed_friction *use, double v, double N);
    double (*start)(const am_speed_friction *use, double v);
    /* The speed (w of laws without stick) at which a piece ends; INFINITY of the last one. NULL: there is one piece. */
    double (*knot)(const am_speed_friction *use, size_t piece);
    /* What its parameters must fulfil together; NULL: nothing. err->field names the parameter. */
    am_status (*check)(const am_speed_friction *use, am_error *err);
    /* The law that it is, without stick, behind a spring: with one more parameter, the stiffness, and the stretch as w. A
     * system replaces it by that one. NULL: it cannot stand there. And the other way round: the law alone. */
    const struct am_law *behind, *alone;
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

/* Values of a law without stick, and their slopes. */
typedef struct am_drag {
    double force, force_by_v, force_by_N, force_by_w;
    double rate, rate_by_v, rate_by_N, rate_by_w;
} am_drag;

/* At speed v >= 0, normal force N and w (in the direction of slip); NAN where the law has no value. */
am_drag am_law_drag_at(const am_speed_friction *use, double v, double N, double w);

/* Has the law stick? NULL: Coulomb's, which has. Has it an internal variable? */
static inline bool am_law_sticks(const am_speed_friction *use) {
    return !use->law || !am_law_named(use->law)->drag;
}

bool am_law_remembers(const am_speed_friction *use);
bool am_law_is_rate_independent(const am_speed_friction *use);

/* The speed at which a piece ends, the number of pieces, and the piece that holds at a speed. */
double am_law_knot(const am_speed_friction *use, size_t piece);
size_t am_law_pieces(const am_speed_friction *use);
size_t am_law_piece_at(const am_speed_friction *use, double v);

#endif
