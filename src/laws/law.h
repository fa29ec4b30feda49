/* A law of friction that depends on the sliding speed: one file each, and one line in laws.c. It says its parameters once
 * (reading, checking, help and docs follow) and its coefficient once, in the arithmetic of power series (math/tape.h):
 * Taylor coefficients along a motion, derivatives, linearisation and values all follow from that text. */
#ifndef AMONTONS_LAWS_LAW_H
#define AMONTONS_LAWS_LAW_H
#include <stdbool.h>

#include "amontons/laws.h"
#include "math/tape.h"

typedef struct am_law_parameter {
    const char *name;
    bool positive;  /* else it must not be negative */
    bool required;  /* else it is `initial` */
    double initial; /* what it is when left out */
    const char *unit, *about;
} am_law_parameter;

typedef struct am_law {
    const char *name, *about; /* about: one line, with the formula */
    size_t parameters;
    const am_law_parameter *parameter; /* at most AM_LAW_PARAMETERS */
    bool table;                        /* its coefficient is given by points instead */
    /* mu(v), v >= 0, of one piece: between two knots the law is analytic. */
    am_term (*coefficient)(am_tape *tape, const am_speed_friction *use, size_t piece, am_term v);
    /* The speed at which a piece ends; INFINITY of the last one. NULL: there is one piece. */
    double (*knot)(const am_speed_friction *use, size_t piece);
    /* What its parameters must fulfil together; NULL: nothing. err->field names the parameter. */
    am_status (*check)(const am_speed_friction *use, am_error *err);
} am_law;

/* All of them; ends with NULL. */
extern const am_law *const am_laws[];

/* NULL: there is none of this name. */
const am_law *am_law_named(const char *name);

/* Its place among them; that of NULL if there is none. */
size_t am_law_index(const char *name);

/* Unknown law, parameters out of range, points that do not increase. err->field names the parameter. */
am_status am_law_check(const am_speed_friction *use, am_error *err);

/* The speed at which a piece ends, the number of pieces, and the piece that holds at a speed. */
double am_law_knot(const am_speed_friction *use, size_t piece);
size_t am_law_pieces(const am_speed_friction *use);
size_t am_law_piece_at(const am_speed_friction *use, double v);

#endif
